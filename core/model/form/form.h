/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h: internals of a model, for the files of core/model.
 *
 * The model copies everything that a caller passes in to an arena. Blocks of the arena never move
 * and are freed with the model. The tables below hold pointers into the arena, so pointers returned
 * to callers stay valid. Expression nodes are the exception: they are one growing array.
 *
 * Invariants of expressions:
 *
 * X1  The operands of a node have lower numbers: expressions are finite, and share their parts.
 * X2  No two nodes are equal: the index finds the node of an operator and its operands.
 * X3  The facts of a node hold in every state: low <= value <= high; and height and size are within
 *     OM_EXPR_HEIGHT and OM_EXPR_SIZE.
 */
#ifndef OMEN_CORE_MODEL_FORM_H
#define OMEN_CORE_MODEL_FORM_H

#include "model.h"

#include <omen/plugin/model.h>
#include <omen/plugin/region.h>

enum {
    /* Maximum height of an expression tree; bounds every recursion and the stack of the vm. */
    OM_EXPR_HEIGHT = 2000,
    OM_EXPR_SIZE = 1 << 20, /* maximum number of nodes, written out as a tree */
    OM_WORDS_MOST = 1 << 20,
    OM_TRANSITIONS_MOST = 1 << 28 /* fits the subject of an om_fault */
};

/* Static facts about the value of a node. */
typedef struct om_facts {
    om_value low, high; /* low <= value <= high */
    uint32_t size;      /* nodes of the tree; a shared node counts once for each use */
    uint16_t height;    /* of the tree; 1 for a leaf */
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

/* An assertion as the model stores it; the list points to the first member. */
typedef struct om_kept_assertion {
    om_assertion said;
    bool final; /* om_model_set_final() was called for it */
} om_kept_assertion;

/* A transition as the model stores it; the list points to the first member. */
typedef struct om_kept_transition {
    om_transition said;
    bool last_resort; /* om_model_set_last_resort() was called for it */
} om_kept_transition;

/* A slot as the model stores it; the list points to the first member. */
typedef struct om_kept_slot {
    om_slot said;
    uint32_t row;    /* of a family: the elements of a member; 0: this is none */
    uint32_t family; /* of a member: its family, or OM_NONE */
    uint32_t first;  /* of a member: its first element there */
} om_kept_slot;

/* proved.h */
typedef struct om_open {
    uint32_t slot, assertion;
    om_value rise;
} om_open;

typedef struct om_implied {
    uint32_t slot, count;
    om_value constant, divisor;
    const struct om_implied_term *terms; /* `count` elements */
} om_implied;

/* foreign.c; by index of the transition, assertion or property; may be shorter */
typedef struct om_foreign_rows {
    struct om_foreign_row *at;
    size_t count, capacity;
} om_foreign_rows;

/* prints.c; by transition; may be shorter */
typedef struct om_print_list om_print_list;
typedef struct om_print_lists {
    om_print_list *at;
    size_t count, capacity;
} om_print_lists;

/* reset.c; data of a transition in addition to its list of assignments */
typedef struct om_own {
    const om_assign *assigns; /* its own assignments */
    uint32_t count;           /* their number; in a list with resets they come first */
    uint32_t capacity;        /* of the list */
    om_assign *with_resets;   /* the list after the first reset was added; else NULL */
} om_own;

/* om_model_set_room(); option NULL: not set. */
typedef struct om_room {
    bool grows; /* om_model_set_growing() */
    uint32_t slot;
    const char *option;
    int64_t larger;
} om_room;

struct om_model {
    om_context *ctx;
    const om_heap *heap;
    const char *name;
    om_region region; /* of names, slots, transitions and all else that is only added */
    const char *last_file;
    const char *const *last_names; /* enumerator names of the last slot that had any */
    uint32_t last_name_count;
    uint32_t families; /* how many of the slots, the last ones, are families (families.c) */

    om_model_list slots, processes, transitions, assertions, properties;
    om_expr progress; /* or 0 */
    om_expr visible;  /* or 0: all states */
    om_room room;
    om_print_lists prints;
    om_foreign_rows foreign[OM_FOREIGN_KINDS];

    om_node *nodes; /* nodes[0] is not used */
    om_facts *facts;
    size_t node_count, node_capacity, fact_capacity;
    uint32_t *index; /* hash table with open addressing; 0 is empty; its size is a power of two */
    size_t index_size;
    int status;          /* the first error in an expression */
    const char *problem; /* its message; NULL if memory ran out */

    om_asserted asserted; /* om_model__set_asserted() */
    bool narrowed;        /* nothing that stores values may be added */
    bool finished;
    bool constants_left_out; /* the compact form leaves out constants */
    bool forbids_deadlock;   /* om_model_forbid_deadlock() */
    uint32_t words;
    uint32_t *initial;
    /* By assignment, in the order of the transitions: true if its value is known to fit the slot.
     * NULL: nothing is known (intervals.c). */
    bool *fits;
    /* By slot, an interval with all values in reachable states; NULL: not known (narrow.c). */
    struct om_interval *ranges;
    bool tame;      /* no transition faults in a reachable state (intervals.c); false: unknown */
    om_site *sites; /* in model order (sites.c) */
    uint32_t site_count;
    uint32_t *site_of; /* by transition, the number of its first site; one entry more at the end */
    om_overflow_mode overflow;
    uint32_t initial_overflows;
    om_overflow first_initial; /* the first of them */

    om_own *own; /* by transition: assignments that are not resets; NULL: all (reset.c) */
    uint32_t resets;
    const bool *unread; /* by slot: om_model__is_unread(); NULL: none */
    bool *unread_room;
    om_transition *disabled; /* the disabled transition, or NULL */
    om_expr own_guard;       /* its original guard */

    om_open *open;
    om_implied *implied;
    size_t open_count, open_room, implied_count, implied_room;
    int (*endless)(const void *self, om_text *why, bool *proved); /* or NULL */
    const void *endless_self;

    void *private_data;
    void (*private_drop)(void *data);
};

/* Returns the number of a transition's assignments that are not resets (reset.c); these come
 * first. */
uint32_t om_model__own_count(const om_model *m, uint32_t transition);

static inline const om_slot *om_model__slot(const om_model *m, uint32_t i)
{
    return m->slots.at[i];
}

static inline const om_kept_slot *om_model__kept_slot(const om_model *m, uint32_t i)
{
    return m->slots.at[i];
}

/* Returns the number of elements, from the first one on, that lie in one row: those of a member if
 * the array is a family, else all. An element that is taken out leaves its row. */
static inline uint32_t om_model__row(const om_model *m, uint32_t slot)
{
    const om_kept_slot *s = om_model__kept_slot(m, slot);
    return s->row != 0 ? s->row : s->said.length;
}

/* Returns true if the slot is a member of a family: it has no place of its own. */
static inline bool om_model__is_member(const om_model *m, uint32_t slot)
{
    return om_model__kept_slot(m, slot)->family != OM_NONE;
}

/* Returns the slot of the location of a process if it is a slot of its own; OM_NONE if there is
 * none, or if it is a member of a family: analyses do not know the locations of such a process. */
static inline uint32_t om_model__own_location(const om_model *m, uint32_t process)
{
    const om_process *p = m->processes.at[process];
    return p->location == OM_NONE || om_model__is_member(m, p->location) ? OM_NONE : p->location;
}

static inline bool om_model__is_last_resort(const om_model *m, uint32_t transition)
{
    const om_kept_transition *t = m->transitions.at[transition];
    return t->last_resort;
}

/* Returns true if the guard of a transition is constantly false, as that of a send and a receive
 * that never match: executors leave such a transition out. */
static inline bool om_model__is_never(const om_model *m, uint32_t transition)
{
    const om_transition *t = m->transitions.at[transition];
    return t->guard != 0 && m->nodes[t->guard].op == OM_OP_CONST && m->nodes[t->guard].value == 0;
}

/* ---- families (families.c) ---- */

/* Returns the index, in the family, of an element of a member (index 0: of a scalar). */
om_expr om_model__index_of_member(om_model *m, uint32_t slot, om_expr index);
/* Makes assignments to members assignments to their families. Returns OM_OK or an error. */
int om_model__assign_families(om_model *m, om_assign *assigns, uint32_t count);
/* Returns true if ELEMENT node n may be an element of the member. */
bool om_model__is_of_member(const om_model *m, const om_node *n, uint32_t slot);
/* Gives the members the bits and positions that their families have. */
void om_model__place_members(om_model *m);
/* Makes the families of a copy that has the same slots. */
void om_model__copy_families(const om_model *from, om_model *to);

/* Returns true if the expression is in the model's arena. */
static inline bool om_model__has(const om_model *m, om_expr e)
{
    return e != 0 && e < m->node_count;
}

static inline bool om_slot__signed(const om_slot *s)
{
    return s->type == OM_I8 || s->type == OM_I16 || s->type == OM_I32;
}

/* Returns the number of bits of an element of the slot. */
uint32_t om_slot__bits(const om_slot *s);

/* Sets the position of every slot and m->words. Returns OM_OK, OM_ENOMEM or OM_EINPUT. */
int om_model__lay_out(om_model *m);

/* Checks indices, types and initial values; records the first error. */
int om_model__validate(om_model *m);

/* ---- expressions ---- */

/* As om_expr_reads(), but visits at most *budget nodes and subtracts them from *budget. Returns
 * true if the budget runs out. */
bool om_expr__reads(const om_model *m, om_expr e, uint32_t slot, uint32_t *budget);

/* Computes the value of an operator on constants. Returns false if the operation would fault or the
 * operator has no such value. */
bool om_fold__constant(om_op op, om_value a, om_value b, om_value *out);

/* Returns a node equivalent to `op a b` that is simpler than a new node, or 0. */
om_expr om_fold__binary(om_model *m, om_op op, om_expr a, om_expr b);
om_expr om_fold__unary(om_model *m, om_op op, om_expr a);

/* Returns the equivalent comparison with exchanged operands. */
om_op om_fold__mirrored(om_op comparison);
/* Sets *out to the negation of a comparison. Returns false if `op` is not a comparison. */
bool om_fold__negated(om_op op, om_op *out);

/* Returns the facts of a node whose operands are in the arena. */
om_facts om_fold__facts(const om_model *m, const om_node *n);

static inline bool om_fold__is_boolean(const om_model *m, om_expr e)
{
    return m->facts[e].low >= 0 && m->facts[e].high <= 1;
}

/* ---- for executors ---- */

/* Returns OM_OK if executors and generated code can be made of the model with these APs; else
 * records the error. */
int om_model__may_run(om_model *m, const om_expr *aps, uint32_t ap_count);

#endif
