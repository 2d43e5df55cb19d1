/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval.h: intervals of values, as they follow from types and operators alone, for any state.
 * Only this module and intervals.h, which has the ranges of slots in the runs of a model, compute
 * them: folding, narrowing, overflow sites and the generator ask for the range of a slot, an
 * expression or an operator.
 */
#ifndef OMEN_CORE_MODEL_INTERVAL_H
#define OMEN_CORE_MODEL_INTERVAL_H

#include "form.h"

/* low .. high, both inclusive; empty if low > high. The type is wide so that sums and products of
 * bounds do not wrap. */
typedef struct om_interval {
    om_wide low, high;
} om_interval;

static inline om_interval om_interval__meet(om_interval a, om_interval b)
{
    return (om_interval){ a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
}

/* Returns the smallest interval that contains both. */
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

/* Returns the range of an element of the slot: all values of its type, which may exceed the
 * declared range (s->low .. s->high). */
om_interval om_interval__of_slot(const om_slot *s);
/* Returns the range of an element after a value of `given` is stored in it. */
om_interval om_interval__stored(const om_slot *s, om_interval given);
/* Returns the range of the expression in any state, if it does not fault. */
om_interval om_interval__of(const om_model *m, om_expr e);
/* Returns the range of `op` on operands in these intervals (a unary one takes only a), if it does
 * not fault. */
om_interval om_interval__result(om_op op, om_interval a, om_interval b);
/* Returns the values of a for which `a op b` can hold with b in r; `op` is a comparison. */
om_interval om_interval__allowed(om_op op, om_interval a, om_interval r);
/* Returns the number of bits that hold every value, with a sign bit if one is negative. */
uint32_t om_interval__bits(om_interval i);
/* Returns the smallest interval that contains i and whose bounds are those of a number of bits. */
om_interval om_interval__widened(om_interval i);

/* Return true if e may, in some state, have this value; or may be no valid index of the array. */
bool om_interval__may_be(const om_model *m, om_expr e, om_value value);
bool om_interval__may_miss(const om_model *m, om_expr e, const om_slot *array);

#endif
