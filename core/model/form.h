/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h: the inside of a model, for the files of core/model.
 *
 * Everything that a caller hands in is copied into an arena of blocks that never move and that go
 * away with the model; the tables below hold pointers into it, so a pointer that a caller got stays
 * good. The expression nodes are the exception: one array that grows.
 */
#ifndef OMEN_CORE_MODEL_FORM_H
#define OMEN_CORE_MODEL_FORM_H

#include "model.h"

#include <omen/plugin/model.h>

enum {
    OM_EXPR_HEIGHT = 2000,  /* of the highest expression tree; bounds every recursion and the vm's
                               stack */
    OM_EXPR_SIZE = 1 << 20, /* nodes of the largest one, written out as a tree */
    OM_WORDS_MOST = 1 << 20,
    OM_TRANSITIONS_MOST = 1 << 28 /* fits the subject of an om_fault */
};

/* What is known of a node's value before any run. */
typedef struct om_facts {
    om_value low, high; /* low <= value <= high */
    uint32_t size;      /* nodes of the tree, shared ones as often as they are used */
    uint16_t height;    /* of the tree: 1 for a leaf */
    bool faults;        /* evaluation may fault */
} om_facts;

/* A growing table of pointers into the arena. */
typedef struct om_model_list {
    void **at;
    size_t count, capacity;
} om_model_list;

/* An assignment that may overflow. */
typedef struct om_site {
    uint32_t transition, assign;
} om_site;

/* An assertion as it is kept: the list has pointers to the first member. */
typedef struct om_kept_assertion {
    om_assertion said;
    bool final; /* om_model_set_final() */
} om_kept_assertion;

typedef struct om_block om_block;

/* compact.h */
typedef struct om_open {
    uint32_t slot, assertion;
    om_value rise;
} om_open;

typedef struct om_implied {
    uint32_t slot, count;
    om_value constant, divisor;
    const struct om_implied_term *terms; /* count of them */
} om_implied;

/* foreign.c; by index of what they are of, as far as there are any */
typedef struct om_foreign_rows {
    struct om_foreign_row *at;
    size_t count, capacity;
} om_foreign_rows;

/* prints.c; by transition, as far as there are any */
typedef struct om_print_list om_print_list;
typedef struct om_print_lists {
    om_print_list *at;
    size_t count, capacity;
} om_print_lists;

/* om_model_set_room(); option NULL: nothing was said. */
typedef struct om_room {
    uint32_t slot;
    const char *option;
    int64_t larger;
} om_room;

struct om_model {
    om_context *ctx;
    const om_heap *heap;
    const char *name;
    om_block *blocks; /* the arena, newest first */
    const char *last_file;
    const char *const *last_names; /* of values of the slot that had some, */
    uint32_t last_name_count;      /* so many */

    om_model_list slots, processes, transitions, assertions, properties;
    om_expr progress; /* or 0 */
    om_expr visible;  /* or 0: all states */
    om_room room;
    om_print_lists prints;
    om_foreign_rows foreign[OM_FOREIGN_KINDS];

    om_node *nodes; /* nodes[0] is not used */
    om_facts *facts;
    size_t node_count, node_capacity, fact_capacity;
    uint32_t *index; /* open addressing, 0 is empty; a power of two */
    size_t index_size;
    int status;          /* the first thing that went wrong in an expression, */
    const char *problem; /* and in words; NULL: memory was out */

    om_asserted asserted; /* om_model__set_asserted() */
    bool narrowed;        /* nothing that stores values may be added */
    bool finished;
    bool constants_left_out; /* of the compact form */
    bool forbids_deadlock;   /* om_model_forbid_deadlock() */
    uint32_t words;
    uint32_t *initial;
    /* Of assignments, those of transition 0 first: does the value fit for sure? NULL: nothing is
     * known (intervals.c). */
    bool *fits;
    bool tame; /* no transition faults in a reachable state, as far as is known (intervals.c) */
    om_site *sites; /* in the order of the model (sites.c) */
    uint32_t site_count;
    uint32_t *site_of; /* by transition, the number of its first site; one more at the end */
    om_overflow_mode overflow;
    uint32_t initial_overflows;
    om_overflow first_initial; /* of them */

    struct om_own *own; /* by transition, which assignments are not resets; NULL: all (reset.c) */
    uint32_t resets;
    om_transition *disabled; /* or NULL; */
    om_expr own_guard;       /* of that one */

    om_open *open;
    om_implied *implied;
    size_t open_count, open_room, implied_count, implied_room;
    int (*endless)(const void *self, om_text *why, bool *proved); /* or NULL */
    const void *endless_self;

    void *private_data;
    void (*private_drop)(void *data);
};

/* How many of a transition's assignments, the first ones, are no resets (reset.c). */
uint32_t om_model__own_count(const om_model *m, uint32_t transition);

/* Zeroed memory that lives as long as the model, or NULL. */
void *om_model__take(om_model *m, size_t count, size_t size);

static inline const om_slot *om_model__slot(const om_model *m, uint32_t i)
{
    return m->slots.at[i];
}

/* Is the expression one of the arena's? */
static inline bool om_model__has(const om_model *m, om_expr e)
{
    return e != 0 && e < m->node_count;
}

static inline bool om_slot__signed(const om_slot *s)
{
    return s->type == OM_I8 || s->type == OM_I16 || s->type == OM_I32;
}

/* Bits that an element of the slot takes. */
uint32_t om_slot__bits(const om_slot *s);

/* Sets the position of every slot and m->words. OM_OK, OM_ENOMEM or OM_EINPUT. */
int om_model__lay_out(om_model *m);

/* Checks indices, types and initial values; the first that does not fit is recorded. */
int om_model__validate(om_model *m);

/* Sets the sites. OM_OK, OM_ENOMEM or OM_EINPUT. */
int om_model__find_sites(om_model *m);

/* The site of an assignment of a transition, or OM_NONE: its value fits. */
uint32_t om_model__site(const om_model *m, uint32_t transition, uint32_t assign);

/* ---- expressions ---- */

/* om_expr_reads() that visits no more than *budget nodes, and takes them off; true where that is
 * not enough. */
bool om_expr__reads(const om_model *m, om_expr e, uint32_t slot, uint32_t *budget);

/* The value of an operator on constants; false where that would fault, or for an operator that has
 * no such value. */
bool om_fold__constant(om_op op, om_value a, om_value b, om_value *out);

/* The node that op a b comes to, when that is simpler than a new node; else 0. */
om_expr om_fold__binary(om_model *m, om_op op, om_expr a, om_expr b);
om_expr om_fold__unary(om_model *m, om_op op, om_expr a);

/* The comparison that says the same with its operands exchanged. */
om_op om_fold__mirrored(om_op comparison);
/* The comparison that holds where this one does not; false where `op` is none. */
bool om_fold__negated(om_op op, om_op *out);

/* The facts of a node whose operands are in the arena. */
om_facts om_fold__facts(const om_model *m, const om_node *n);

static inline bool om_fold__is_boolean(const om_model *m, om_expr e)
{
    return m->facts[e].low >= 0 && m->facts[e].high <= 1;
}

/* ---- for executors ---- */

/* May executors and text be made of the model with these APs? Else the reason is recorded. */
int om_model__may_run(om_model *m, const om_expr *aps, uint32_t ap_count);

#endif
