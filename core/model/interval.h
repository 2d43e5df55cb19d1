/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval.h: intervals of values. Nobody else computes any: folding, narrowing, overflow sites and
 * the generator ask here what a slot, an expression or an operator can come to.
 *
 *   interval.c    what follows from types and operators alone, for any state
 *   intervals.c   what slots can come to hold in the runs of a model
 */
#ifndef OMEN_CORE_MODEL_INTERVAL_H
#define OMEN_CORE_MODEL_INTERVAL_H

#include "form.h"

/* low .. high, both included, and empty where low > high. Wide, so that sums and products of ends
 * do not wrap. */
typedef struct om_interval {
    om_wide low, high;
} om_interval;

static inline om_interval om_interval__meet(om_interval a, om_interval b)
{
    return (om_interval){ a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
}

/* The smallest interval that holds both. */
static inline om_interval om_interval__join(om_interval a, om_interval b)
{
    return (om_interval){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

static inline bool om_interval__empty(om_interval i)
{
    return i.low > i.high;
}

static inline bool om_interval__equal(om_interval a, om_interval b)
{
    return a.low == b.low && a.high == b.high;
}

static inline bool om_interval__within(om_interval a, om_interval b)
{
    return a.low >= b.low && a.high <= b.high;
}

/* ---- types and operators (interval.c) ---- */

/* What an element of the slot can hold: any value of its type, which may be more than were declared
 * (s->low .. s->high). */
om_interval om_interval__of_slot(const om_slot *s);
/* What an element holds once a value of `given` was stored into it. */
om_interval om_interval__stored(const om_slot *s, om_interval given);
/* Values of the expression in any state, if it does not fault. */
om_interval om_interval__of(const om_model *m, om_expr e);
/* Values of op on operands in these intervals (a unary one takes a alone), if it does not fault. */
om_interval om_interval__result(om_op op, om_interval a, om_interval b);
/* The values of a that a op b allows, for a comparison `op` and a b in r. */
om_interval om_interval__allowed(om_op op, om_interval a, om_interval r);
/* Bits that hold every value: with a sign bit where one is negative, else without. */
uint32_t om_interval__bits(om_interval i);
/* The smallest larger interval whose ends are those of so many bits. */
om_interval om_interval__widened(om_interval i);

/* May e, in some state, have this value, or be no index of the slot, an array? */
bool om_interval__may_be(const om_model *m, om_expr e, om_value value);
bool om_interval__may_miss(const om_model *m, om_expr e, const om_slot *array);

/* ---- runs (intervals.c) ---- */

/*
 * Sets box[], by slot, to an interval that holds all values of the slot (of all elements of an
 * array) in the reachable states, and notes which assignments fit. *known is false where that would
 * take too long: nothing is said then. OM_OK or OM_ENOMEM. Before om_model_finish().
 */
int om_intervals__find(om_model *m, om_interval *box, bool *known);

/* Is what assignment i of transition t stores a value of the slot's declared type, in every run, as
 * far as is known? `number` is that of the assignment among all, those of transition 0 first. */
bool om_intervals__fits(const om_model *m, uint32_t t, uint32_t i, size_t number);

#endif
