/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h: a proctype's body as a graph of control points, the ones that SPIN has.
 *
 * That they are the same ones decides whether states can be counted against SPIN's: where a step
 * leads to a jump, a break or the end of a choice, the process stands behind it at once; but not
 * where that would leave an atomic sequence, for then the jump is a step of its own.
 */
#ifndef PROMELA_GRAPH_H
#define PROMELA_GRAPH_H

#include "ast.h"

typedef enum pml_node_kind {
    PML_N_LEAF,   /* one statement */
    PML_N_CHOICE, /* if, do */
    PML_N_BLOCK,  /* { }, atomic, d_step */
    PML_N_UNLESS, /* passed through to what may be escaped from */
    PML_N_JUMP,   /* goto, break, and what a choice ends in */
    PML_N_JOIN,   /* behind a block: no control point */
    PML_N_END     /* of the process */
} pml_node_kind;

typedef struct pml_node pml_node;

/* What a statement may be left for at any time: the sequence behind an `unless` around it. */
typedef struct pml_escape pml_escape;
struct pml_escape {
    pml_node *first;        /* what the sequence begins with */
    const pml_node *unless; /* that one */
    const pml_escape *next; /* further in */
};

struct pml_node {
    pml_node_kind kind;
    pml_statement *s;   /* or NULL */
    pml_node *next;     /* of a jump: its target */
    pml_node *first;    /* of a block, of an unless: what it begins with */
    pml_node *last;     /* of a block: the last element of its sequence */
    pml_node **options; /* of a choice */
    uint32_t option_count;
    bool atomic;               /* what follows belongs to the same atomic sequence */
    bool inside;               /* in an atomic sequence, its last statement included */
    pml_node *d_step;          /* the block around it, or NULL */
    const pml_escape *escapes; /* the outermost first */
    const pml_node *bare;      /* the unless whose body this is, without braces, or NULL */
    bool is_end, is_progress, is_accept; /* labels */
    const char *label;                   /* the first one, or NULL */
    uint32_t element;                    /* SPIN's number of it (elements.c) */
    uint32_t number;
    uint32_t behind;   /* what is within a compound one has a number below this */
    uint32_t location; /* as a control point, from 1 on; 0: is none */
};

typedef struct pml_mark pml_mark;
struct pml_mark {
    const pml_label *label;
    pml_node *node;
    uint32_t number; /* in the order of the text */
};

typedef struct pml_graph {
    pml_node **nodes;
    size_t count, capacity;
    pml_node *start, *end;
    pml_index marks; /* by name, and by name within a block */
    uint32_t mark_count;
    pml_node **locations; /* the control points; location l is locations[l - 1] */
    uint32_t location_count;
    bool exclusive; /* there are atomic sequences, or d_steps */
} pml_graph;

/* Builds t->graph. */
int pml_build_graph(pml_file *f, pml_proctype *t);
/* Where a process stands once it has gone to n; from an atomic sequence or not. */
pml_node *pml_hunt(pml_node *n, bool atomic);
/* Where the process stands after the statement at the leaf or jump. */
pml_node *pml_after(const pml_node *leaf);
const pml_node *pml_marked(const pml_graph *g, const char *label);

/*
 * The leaves, jumps and ends that a process at n may go on with, in the order in which they are
 * tried: those of escapes come first, by `rank`; one that can be done rules out all of a higher
 * rank. The statements that may be escaped from have the highest.
 */
typedef struct pml_leaf {
    const pml_node *node;
    uint32_t rank;
} pml_leaf;

typedef struct pml_leaves {
    pml_leaf *at;
    size_t count, capacity;
    bool in_d_step; /* which has been begun */
} pml_leaves;
int pml_leaves_of(pml_file *f, const pml_node *n, pml_leaves *out);
/* Adds those of n itself, without escapes: blocks and choices stand for what they may begin with.
 */
int pml_add_leaves(pml_file *f, const pml_node *n, pml_leaves *out);

#endif
