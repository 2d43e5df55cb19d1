/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow_graph.h: a proctype's body as a graph of control points, which are those of SPIN.
 *
 * Using the same control points makes state counts comparable with SPIN's. If a step leads to a
 * jump, a break or the end of a choice, the process is past it at once. The exception is a jump
 * that would leave an atomic sequence: that is a step of its own.
 *
 * G1  Control points are numbered from 1 on, in the order in which they are found; 1 is the start.
 * G2  A control point is no join; each leaf or jump has a next node.
 * G3  A control point has leaves; each of them is a leaf, a jump or the end.
 */
#ifndef PROMELA_FLOW_GRAPH_H
#define PROMELA_FLOW_GRAPH_H

#include "read/ast.h"

typedef enum pml_node_kind {
    PML_N_LEAF,   /* one statement */
    PML_N_CHOICE, /* if, do */
    PML_N_BLOCK,  /* { }, atomic, d_step */
    PML_N_UNLESS, /* passed through to its body */
    PML_N_JUMP,   /* goto, break, and the end of a choice */
    PML_N_JOIN,   /* after a block: not a control point */
    PML_N_END     /* end of the process */
} pml_node_kind;

typedef struct pml_node pml_node;

/* An escape: the sequence after an enclosing `unless`, for which a statement may be left. */
typedef struct pml_escape pml_escape;
struct pml_escape {
    pml_node *first;        /* first node of the sequence */
    const pml_node *unless; /* its `unless` */
    const pml_escape *next; /* next escape further in */
};

struct pml_node {
    pml_node_kind kind;
    pml_statement *s;   /* or NULL */
    pml_node *next;     /* for a jump: its target */
    pml_node *first;    /* for a block or an unless: its first node */
    pml_node *last;     /* for a block: the last element of its sequence */
    pml_node **options; /* for a choice */
    uint32_t option_count;
    bool atomic;               /* the next node belongs to the same atomic sequence */
    bool inside;               /* within an atomic sequence, including its last statement */
    pml_node *d_step;          /* enclosing d_step block, or NULL */
    const pml_escape *escapes; /* outermost first */
    const pml_node *bare;      /* the unless whose body this is, without braces, or NULL */
    bool is_end, is_progress, is_accept; /* labels */
    const char *label;                   /* its first label, or NULL */
    uint32_t element;                    /* its number in SPIN (elements.c) */
    uint32_t number;
    uint32_t end;      /* nodes within a compound one have numbers below this */
    uint32_t location; /* as a control point, from 1 on; 0 if it is none */
};

typedef struct pml_mark pml_mark;
struct pml_mark {
    const pml_label *label;
    pml_node *node;
    uint32_t number; /* in the order of the source */
};

typedef struct pml_graph {
    pml_node **nodes;
    size_t count, capacity;
    pml_node *start, *end;
    pml_index marks; /* by name, and by name within a block */
    uint32_t mark_count;
    pml_node **locations; /* control points; location l is locations[l - 1] */
    uint32_t location_count;
    bool exclusive; /* has atomic sequences or d_steps */
} pml_graph;

/* Builds t->graph. */
int pml_build_graph(pml_file *f, pml_proctype *t);
/* Returns the control point of a process that has gone to n, coming from an atomic sequence or
 * not. */
pml_node *pml_hunt(pml_node *n, bool atomic);
/* Returns the control point of the process after the statement at the leaf or jump. */
pml_node *pml_after(const pml_node *leaf);
const pml_node *pml_marked(const pml_graph *g, const char *label);

/*
 * The leaves, jumps and ends by which a process at n may go on, in the order in which they are
 * tried. Leaves of escapes come first, by `rank`; an enabled leaf rules out all leaves of a higher
 * rank. The statements that may be escaped from have the highest rank.
 */
typedef struct pml_leaf {
    const pml_node *node;
    uint32_t rank;
} pml_leaf;

typedef struct pml_leaves {
    pml_leaf *at;
    size_t count, capacity;
    bool in_d_step; /* the d_step has begun */
} pml_leaves;
int pml_leaves_of(pml_file *f, const pml_node *n, pml_leaves *out);
/* Adds the leaves of n itself, without escapes: a block or a choice stands for its first
 * statements. */
int pml_add_leaves(pml_file *f, const pml_node *n, pml_leaves *out);

/*
 * Sets most[site], for each site with most[site] != OM_NONE, to how often one process of the type
 * can do that `run`, or to OM_NONE if no bound is found. The graph of the type must have been
 * built.
 */
int pml_count_runs(pml_file *f, const pml_proctype *t, uint32_t *most, uint32_t sites);

#endif
