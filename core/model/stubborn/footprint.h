/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint.h: what transitions read and write, as far as it matters for the order of their steps.
 *
 * A *cell* is a scalar slot or an element of an array. An *access* is one way in which a transition
 * uses a cell, or a range of cells of one array if the index is computed. Accesses are sharpened by
 * values: a guard that compares a cell with a constant only tests it, and an assignment of a
 * constant, or of the cell's own value plus a constant, says more than "writes".
 *
 * An assertion that is checked, and a guard whose evaluation may fault, are a *watcher* each: a
 * transition that would be enabled where the assertion fails or the guard faults, and writes
 * nothing. So a reduction keeps the one as it keeps the steps of the other. Watchers are numbered
 * after the transitions.
 *
 *  F1  A guard is the conjunction of its *conjuncts*; a conjunct is a test of one cell, or has the
 *      accesses of all that it reads.
 *  F2  All other reads of a transition are accesses OM_READ.
 *  F3  A transition writes a cell in at most one access, unless that is OM_WRITE.
 *  F4  In a state without a fault, each watcher has a conjunct that is false.
 */
#ifndef OM_MODEL_FOOTPRINT_H
#define OM_MODEL_FOOTPRINT_H

#include "form/form.h"

typedef enum om_access_kind {
    OM_READ,          /* in any way */
    OM_TEST_EQUAL,    /* a guard tests: the cell equals `value`; ... */
    OM_TEST_DIFFERS,  /* differs from it; ... */
    OM_TEST_AT_LEAST, /* is at least ... */
    OM_TEST_AT_MOST,  /* or at most `value` */
    OM_WRITE,         /* in any way */
    OM_WRITE_CONST,   /* the new value is `value` */
    OM_WRITE_ADD      /* `value` is added, and the result fits the slot */
} om_access_kind;

typedef struct om_access {
    om_access_kind kind;
    uint32_t cell, count; /* the first cell, and the number of cells */
    om_value value;
} om_access;

/* A conjunct of a guard */
typedef struct om_conjunct {
    om_expr expression;
    bool negated;          /* it is true where the expression is false, or its evaluation faults */
    uint32_t first, count; /* of `accesses`; one that is no OM_READ: it tests that cell */
} om_conjunct;

/* How often a transition uses a cell */
typedef struct om_uses {
    uint32_t writes, reads;
} om_uses;

typedef struct om_footprint {
    const om_model *m;
    uint32_t transitions, all; /* their number, and with the watchers */
    uint32_t *cell_of;         /* by slot: its first cell; one entry more at the end */
    uint32_t *slot_of;         /* by cell */
    om_access *accesses;
    size_t access_count, access_room;
    uint32_t *first; /* by transition: its first access; one entry more at the end */
    om_conjunct *conjuncts;
    size_t conjunct_count, conjunct_room;
    uint32_t *first_conjunct; /* by transition; one entry more at the end */
    int rc;                   /* what went wrong while they were computed, or OM_OK */
    /* Scratch: */
    uint32_t *visits;     /* by expression: the last visit; of 0: the visits so far */
    uint32_t *last_write; /* by cell: the last access of one transition that writes it alone */
    om_uses *uses, *array_uses; /* by cell and, with computed indices, by slot; else 0 */
} om_footprint;

/* Computes the footprints of a finished model and its watchers. OM_OK; OM_ENOMEM; OM_EUNSUPPORTED
 * if there are too many; the status of a stopped context. Call om_footprint__close() in any case.
 */
int om_footprint__open(om_footprint *f, const om_model *m);
void om_footprint__close(om_footprint *f);

static inline bool om_access__writes(const om_access *a)
{
    return a->kind >= OM_WRITE;
}
static inline bool om_access__tests(const om_access *a)
{
    return a->kind > OM_READ && a->kind < OM_WRITE;
}
static inline bool om_access__overlap(const om_access *a, const om_access *b)
{
    return a->cell < b->cell + b->count && b->cell < a->cell + a->count;
}
/* Appends the accesses of an expression whose truth value matters: tests of it, or of its parts,
 * and reads. */
void om_footprint__read_truth(om_footprint *f, om_expr e);
/* faults.c. Return true if the evaluation of a conjunct of a transition's guard, if those before it
 * hold, or a step of the transition, may fault. */
bool om_footprint__conjunct_may_fault(om_footprint *f, uint32_t transition, uint32_t conjunct);
bool om_footprint__step_may_fault(om_footprint *f, uint32_t transition);

/* Begins a visit of expressions. Expressions share parts; each is looked at once in a visit. */
static inline void om_footprint__visit(om_footprint *f)
{
    f->visits[0]++;
}
/* Returns true if the visit has been at the expression, and notes that it has. */
static inline bool om_footprint__visited(om_footprint *f, om_expr e)
{
    const bool visited = f->visits[e] == f->visits[0];
    f->visits[e] = f->visits[0];
    return visited;
}
/* Returns true if a value passes a test. */
bool om_access__passes(const om_access *test, om_value value);
/* Returns true if no value passes both tests. */
bool om_access__exclude(const om_access *a, const om_access *b);
/* Returns true if two accesses of transitions that are both enabled conflict: one may disable the
 * other, or the order of the two matters. */
bool om_access__conflict(const om_access *a, const om_access *b);
/* Returns true if a write may make a test, or whatever a read stands for, true. */
bool om_access__may_enable(const om_access *write, const om_access *test);

#endif
