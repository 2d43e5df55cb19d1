/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relaxed.h: the parts of the guide "relaxed".
 *
 * A *cell* is a scalar slot or an element of an array. A *form* is a linear expression over cells.
 * A *leaf* is a condition on a form. What is looked for, and the guards of transitions, are nodes
 * over leaves: all of their children are needed, or any. A *case* is a transition for certain
 * values of the cells that decide which elements it writes, and what. An *effect* says how an
 * action, which is a case with what else must hold, brings a leaf about.
 *
 *  R1  Only what the goals need is built. A condition that is too difficult counts as true. A net
 *      that becomes too large is given up: its estimates would take too long.
 *  R2  The terms of a form are in the order of their cells; no factor is 0.
 *  R3  A child of a node that needs all is no such node, unless it is an action.
 */
#ifndef OMEN_GUIDE_RELAXED_H
#define OMEN_GUIDE_RELAXED_H

#include <omen/plugin/guide.h>

enum {
    MOST_TERMS = 12,   /* of a form */
    MOST_BINDINGS = 3, /* of a case */
    MOST_WRITES = 64,  /* of a case */
    MOST_VALUES = 64,  /* of the cells that are bound, together */
    MOST_CASES = 2048, /* in all */
    MOST_NODES = 2048, /* in all */
    MOST_ARCS = 4096   /* children of all nodes, in all; and effects */
};

typedef struct term {
    uint32_t cell;
    om_wide factor;
} term;
typedef struct form {
    om_wide constant;
    uint32_t count;
    term terms[MOST_TERMS]; /* R2 */
} form;

/* ---- building ---- */

typedef struct net_cell {
    uint32_t slot, element;
} net_cell;
typedef struct binding {
    uint32_t cell;
    om_value value;
} binding;
/* A cell's new value, over the values before the step */
typedef struct change {
    uint32_t cell;
    bool known;
    form value;
} change;
/* Where an expression is evaluated: what is known of the values there */
typedef struct view {
    binding bindings[MOST_BINDINGS];
    uint32_t bound, values; /* number of bindings, and of combinations of their values */
    change *changes;        /* by the assignments before */
    uint32_t changed;
} view;

typedef struct step_case {
    uint32_t transition;
    view view;
    uint32_t action; /* OM_NONE: not built yet; NEVER: it is not possible */
} step_case;

typedef enum test { AT_LEAST, EQUAL, DIFFERS } test; /* than 0, to 0, from 0 */
typedef struct leaf {
    uint32_t node, next; /* its node; the next leaf with the same hash */
    test test;
    om_wide constant;
    uint32_t first, count; /* of its terms */
    uint32_t depth;        /* so often was a leaf replaced by what a step makes of its form */
    uint32_t first_effect, effects;
    bool counts; /* it is about one cell, to which steps add */
} leaf;

typedef enum node_kind { LEAF, ALL, ANY } node_kind;
typedef struct net_node {
    node_kind kind;
    uint32_t weight;          /* of ALL: 1 or more if it is an action */
    uint32_t first, count;    /* of its children; LEAF: `first` is its number */
    uint32_t first_pin, pins; /* of an action: the cells whose values are known after it */
} net_node;
enum { ALWAYS, NEVER }; /* the first two nodes: ALL of nothing, ANY of nothing */

typedef enum effect_kind { MAKES, ADDS, SETS } effect_kind;
typedef struct effect {
    effect_kind kind;
    uint32_t action, leaf;
    om_wide by;        /* ADDS: the form's terms change by this much; SETS: they become this */
    om_wide low, high; /* ADDS: the action needs the terms to be in this range */
} effect;

typedef struct net {
    const om_heap *heap;
    const om_model *m;
    int rc;            /* OM_OK; OM_ENOMEM; OM_EUNSUPPORTED: it became too large */
    uint32_t *cell_of; /* by slot: its first cell; one entry more at the end */
    net_cell *cells;
    uint32_t *writer, *first_writer; /* by slot: the transitions that write it */
    uint32_t *first_case, *cases_of; /* by transition; OM_NONE: not computed */
    step_case *cases;
    size_t case_count, case_room;
    term *terms; /* of leaves */
    size_t term_count, term_room;
    leaf *leaves;
    size_t leaf_count, leaf_room;
    uint32_t *buckets; /* of leaves, by hash */
    net_node *nodes;
    size_t node_count, node_room;
    uint32_t *arcs; /* children */
    size_t arc_count, arc_room;
    uint32_t *list; /* a stack of nodes for which a parent is being built */
    size_t listed, list_room;
    binding *pins; /* action after action */
    size_t pin_count, pin_room;
    effect *effects; /* leaf after leaf */
    size_t effect_count, effect_room;
} net;

/* forms.c. Sets *out to the value of an expression. false: it is not linear; *by is a cell whose
 * value would help, or OM_NONE. */
bool form_of(const net *n, const view *v, om_expr e, form *out, uint32_t *by);
/* Sets *out to the value of a cell. */
bool form_of_cell(const view *v, uint32_t cell, form *out);
/* Adds a form `factor` times to another. false: the result is too large. */
bool form_add(form *to, const form *f, om_wide factor);
/* Sets *low and *high to the range of a cell. */
void form_range(const net *n, uint32_t cell, om_value *low, om_value *high);
/* Returns true if the cell has few values; and, if so, binds it in the view. */
bool form_may_bind(const net *n, const view *v, uint32_t cell);
view form_bind(const net *n, const view *v, uint32_t cell, om_value value);

/* conditions.c. Returns the node of a condition; ALWAYS, too, if the net fails (net.rc). */
uint32_t condition_on(net *n, const form *f, test t, uint32_t depth);
/* Puts a node on the list; ... or instead of ALL its children; ... or all nodes that a condition
 * needs. */
void condition_put(net *n, uint32_t id);
void condition_list(net *n, uint32_t id);
void condition_need(net *n, const view *v, om_expr e, bool truth);
/* Takes what was listed after `begin` as the children of a new node, or returns a simpler one. */
uint32_t condition_close(net *n, size_t begin, node_kind kind, uint32_t weight);

/* cases.c. Computes the cases of a transition, unless that was done. */
void cases_make(net *n, uint32_t transition);

/* effects.c. Computes the effects on all leaves, and on those that these need. */
void effects_make(net *n);

/* ---- estimating ---- */

/* What estimates need; node numbers are those of the net. */
typedef struct plans {
    const net *net;
    uint32_t *first_parent, *parents;   /* by node */
    uint32_t *first_effect, *effect_of; /* by action */
    uint32_t *sources;                  /* cells that leaves read */
    uint32_t source_count;
} plans;

enum { PLANS_MOST = 1 << 24 }; /* the estimate if there is no plan */

/* plans.c. Initialises a zeroed struct; the net, which is finished, is borrowed. OM_OK or
 * OM_ENOMEM, without a message. */
int plans_init(plans *p, net *n);
void plans_free(plans *p);
/* Returns the words of scratch memory for plans_size(). */
size_t plans_scratch(const plans *p);
/* Returns the number of steps of a plan from a state to a node. */
uint64_t plans_size(const plans *p, uint32_t goal, const uint32_t *row, om_wide *scratch);

#endif
