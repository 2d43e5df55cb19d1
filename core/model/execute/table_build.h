/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_build.h: internals of the table, an executor that does not test every transition.
 *
 * It is for models in which assignments add constants to scalar slots or set them to constants,
 * nothing overflows, only assertions fault, and most guards have a conjunct that is false if some
 * slot is 0. Petri nets are lowered to such models: the slot is a place from which the transition
 * takes tokens. Each such transition is watched at one of these slots. Only transitions that are
 * watched at slots with nonzero values, and transitions that are not watched, can yield successors
 * of a state.
 *
 * A transition is an entry: tests of words, and the rest of its guard as a program of the vm. Its
 * effect is the amount added to each word that it changes. Every field of a reachable state stays
 * within its bits, so no carry crosses from one field to the next.
 */
#ifndef OMEN_CORE_MODEL_TABLE_BUILD_H
#define OMEN_CORE_MODEL_TABLE_BUILD_H

#include "bytecode.h"

/* Holds if (word & mask) is in low .. low + span. */
typedef struct om_table_test {
    uint32_t word, mask, low, span;
} om_table_test;

/* word := (word & keep) + add */
typedef struct om_table_change {
    uint32_t word, keep, add;
} om_table_change;

typedef struct om_table_entry {
    om_table_test test; /* most have one, besides the test that they are watched for */
    uint32_t more, end; /* further ones, in tests[] */
    uint32_t program;   /* or OM_NONE */
    uint32_t transition;
} om_table_entry;

/* By bit: the field that contains it, and the entries[] that are watched there. */
typedef struct om_table_watch {
    uint32_t mask, first, end;
} om_table_watch;

typedef struct om_table {
    om_executor executor;
    const om_heap *heap;
    om_executor *vm;         /* for labels, assertions and programs; owned */
    uint32_t *watched;       /* by word, the bits of fields at which a transition is watched */
    om_table_watch *watches; /* by bit */
    om_table_entry *entries; /* unwatched entries come first */
    uint32_t always;         /* number of unwatched entries */
    om_table_test *tests;
    size_t test_count, test_capacity;
    om_table_change *changes;
    size_t change_count, change_capacity;
    uint32_t *change_of; /* by transition, its first change; one entry more at the end */
} om_table;

/* ---- building ---- */

/* A transition while the table is being built. */
typedef struct om_table_sketch {
    uint32_t first, end; /* its conjuncts, in om_table_plan.conjuncts */
    uint32_t program;    /* the rest of the guard, or OM_NONE */
    uint32_t watch;      /* a conjunct, or OM_NONE */
    bool never;          /* its guard is constantly false */
} om_table_sketch;

/* A test of one field. */
typedef struct om_table_conjunct {
    om_table_test test;
    uint32_t marked; /* number of states of a sample in which the field was not 0 */
} om_table_conjunct;

typedef struct om_table_plan {
    om_table *table;
    const om_model *m;
    om_vm *vm; /* the vm of the table; programs are added to it */
    om_table_sketch *sketches;
    om_table_conjunct *conjuncts;
    size_t conjunct_count, conjunct_capacity;
    om_expr *rest; /* conjuncts of one guard that are not tests */
    size_t rest_count, rest_capacity;
    uint32_t *users; /* by bit: number of conjuncts that test the field that begins there */
    bool failed;     /* memory ran out */
} om_table_plan;

/* A quick test before a vm is compiled: returns false if om_table__build() would not succeed. */
bool om_table__may_have(const om_model *m);

/* Fills a table that has a vm. Returns OM_OK, OM_EUNSUPPORTED or OM_ENOMEM. */
int om_table__build(om_table *t, const om_model *m);

/* Returns true if a transition can be watched for this conjunct: if it is false when the field is
 * 0. */
static inline bool om_table__watchable(const om_table_test *t)
{
    return t->low != 0;
}

static inline bool om_table__holds(const om_table_test *t, const uint32_t *vector)
{
    return (vector[t->word] & t->mask) - t->low <= t->span;
}

/* Chooses the conjunct that each transition is watched for (table_watch.c). Returns OM_OK or
 * OM_ENOMEM. */
int om_table__choose(om_table_plan *p);
/* Builds entries and watches from that choice. Returns OM_OK or OM_ENOMEM. */
int om_table__arrange(om_table_plan *p);

#endif
