/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_build.h: the inside of the table, an executor that does not try every transition.
 *
 * It is for models whose assignments add constants to scalar slots, or set them to constants, where
 * nothing overflows and nothing but an assertion faults; and where most guards have a conjunct that
 * is false of a slot that is 0. That is what Petri nets are lowered to: such a slot is a place from
 * which the transition takes tokens. Each such transition is watched at one of its slots. A state's
 * successors come from those alone that are watched at slots that are not 0, and from those that
 * are watched nowhere.
 *
 * A transition is an entry: tests of words, and what is left of its guard as a program of the vm.
 * Its effect is what is added to each word that it changes: no field of a reachable state leaves
 * its bits, so no carry crosses from one to the next.
 */
#ifndef OMEN_CORE_MODEL_TABLE_BUILD_H
#define OMEN_CORE_MODEL_TABLE_BUILD_H

#include "bytecode.h"

/* Holds where (word & mask) lies in low .. low + span. */
typedef struct om_table_test {
    uint32_t word, mask, low, span;
} om_table_test;

/* word := (word & keep) + add */
typedef struct om_table_change {
    uint32_t word, keep, add;
} om_table_change;

typedef struct om_table_entry {
    om_table_test test; /* most have one, besides that for which they are watched */
    uint32_t more, end; /* further ones, in tests[] */
    uint32_t program;   /* or OM_NONE */
    uint32_t transition;
} om_table_entry;

/* Of a bit: the field that it is in, and who is watched there, in entries[]. */
typedef struct om_table_watch {
    uint32_t mask, first, end;
} om_table_watch;

typedef struct om_table {
    om_executor executor;
    const om_heap *heap;
    om_executor *vm;         /* for labels, assertions and programs; its own */
    uint32_t *watched;       /* by word, the bits of fields at which somebody is watched */
    om_table_watch *watches; /* by bit */
    om_table_entry *entries; /* those that are watched nowhere first */
    uint32_t always;         /* how many those are */
    om_table_test *tests;
    size_t test_count, test_capacity;
    om_table_change *changes;
    size_t change_count, change_capacity;
    uint32_t *change_of; /* by transition, the first of its changes; one more at the end */
} om_table;

/* ---- building ---- */

/* A transition while the table is built. */
typedef struct om_table_sketch {
    uint32_t first, end; /* its conjuncts, in om_table_plan.conjuncts */
    uint32_t program;    /* what is left of the guard, or OM_NONE */
    uint32_t watch;      /* a conjunct, or OM_NONE */
    bool never;          /* its guard is false */
} om_table_sketch;

/* A test of one field. */
typedef struct om_table_conjunct {
    om_table_test test;
    uint32_t marked; /* in how many states of a sample the field was not 0 */
} om_table_conjunct;

typedef struct om_table_plan {
    om_table *table;
    const om_model *m;
    om_vm *vm; /* the table's, which programs are added to */
    om_table_sketch *sketches;
    om_table_conjunct *conjuncts;
    size_t conjunct_count, conjunct_capacity;
    om_expr *rest; /* conjuncts of one guard that are no tests */
    size_t rest_count, rest_capacity;
    uint32_t *users; /* by bit: how many conjuncts test the field that begins there */
    bool failed;     /* memory was out */
} om_table_plan;

/* A quick look, before a vm is compiled: false where om_table__build() would not do. */
bool om_table__may_have(const om_model *m);

/* Fills the table, whose vm is there. OM_OK, OM_EUNSUPPORTED or OM_ENOMEM. */
int om_table__build(om_table *t, const om_model *m);

/* Is the transition to be watched for this conjunct: is it false where the field is 0? */
static inline bool om_table__watchable(const om_table_test *t)
{
    return t->low != 0;
}

static inline bool om_table__holds(const om_table_test *t, const uint32_t *vector)
{
    return (vector[t->word] & t->mask) - t->low <= t->span;
}

/* Which conjunct each transition is watched for (table_watch.c). OM_OK or OM_ENOMEM. */
int om_table__choose(om_table_plan *p);
/* Entries and watches from what was chosen. OM_OK or OM_ENOMEM. */
int om_table__arrange(om_table_plan *p);

#endif
