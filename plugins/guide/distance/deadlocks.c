/* SPDX-License-Identifier: Apache-2.0 */
/* How far a state is from a deadlock (stalls.h). */
#include "stalls.h"

#include <assert.h>

static om_value value_at(const stall_cell *c, const uint32_t *row)
{
    const uint32_t value = row[c->word] >> c->shift & c->mask;
    return (om_value) ((value ^ c->sign) - c->sign);
}

/* The distance from a relation of two values. */
static uint64_t lacking(om_op relation, om_wide a, om_wide b)
{
    switch (relation) {
    case OM_OP_LT:
        return a < b ? 0 : (uint64_t) (a - b + 1);
    case OM_OP_LE:
        return a <= b ? 0 : (uint64_t) (a - b);
    case OM_OP_EQ:
        return (uint64_t) (a < b ? b - a : a - b);
    case OM_OP_NE:
        return a == b;
    case OM_OP_GE:
        return a >= b ? 0 : (uint64_t) (b - a);
    default:
        assert(relation == OM_OP_GT);
        return a > b ? 0 : (uint64_t) (b - a + 1);
    }
}

/* Returns what a condition lacks to be true. */
static uint64_t to_truth(const stalls *s, const stall_condition *c, const uint32_t *row)
{
    return c->relation == OM_OP_COUNT
               ? estimate(s->locations, c->expression, !c->truth, row)
               : lacking(estimate_inverse(c->relation), value_at(&c->cell, row), c->constant);
}

/* Returns what a condition lacks to be false. */
static uint64_t of_condition(const stalls *s, const stall_condition *c, const uint32_t *row)
{
    return c->relation == OM_OP_COUNT ? estimate(s->locations, c->expression, c->truth, row)
                                      : lacking(c->relation, value_at(&c->cell, row), c->constant);
}

/* Returns what a guard lacks to be false; UINT64_MAX: it has no condition that counts. */
static uint64_t of_guard(const stalls *s, const stall_guard *g, const uint32_t *row)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = g->begin; i < g->end && least > 0; i++) {
        const stall_condition *c = &s->conditions[i];
        const uint64_t far = of_condition(s, c, row);
        least = far < least && (far == 0 || !c->is_case) ? far : least;
    }
    return least;
}

/* Returns what the guards of a place lack, at most `most`. */
static uint64_t of_place(const stalls *s, uint32_t place, const uint32_t *row, uint64_t most)
{
    const stall_place *at = &s->places[place];
    uint64_t far = 0;
    assert(place < s->place_count && at->end <= s->guard_count); /* S1, S2 */
    bool open = at->open;
    for (size_t i = at->begin; i < at->end && far < most && !open; i++) {
        const uint64_t more = of_guard(s, &s->guards[i], row);
        open = more == UINT64_MAX;
        far += open ? 0 : more;
    }
    far = open ? STALLS_OPEN : far;
    return far < most ? far : most;
}

/* Returns what the nearest of the guards of a first step lacks to be true, at most `most`; 0: no
 * step is needed. A change of a variable that all processes share may bring all of them nearer; so
 * what one process lacks counts for each process. */
static uint64_t to_step(const stalls *s, const stall_near *n, const uint32_t *row, uint64_t most)
{
    uint64_t nearest = n->begin == n->end ? 0 : most;
    for (size_t g = n->begin; g < n->end && nearest > 0; g++) {
        uint64_t far = 0;
        for (size_t i = s->guards[g].begin; i < s->guards[g].end && far < nearest; i++)
            far += s->process_count * to_truth(s, &s->conditions[i], row);
        nearest = far < nearest ? far : nearest;
    }
    return nearest;
}

static uint64_t of_process(const stalls *s, const stall_process *p, const uint32_t *row)
{
    const om_wide at = (om_wide) value_at(&p->location, row) - p->low;
    uint64_t nearest = DISTANCE_MOST;
    if (at < 0 || at >= p->count)
        return 0;
    const stall_place *from = &s->places[p->first + (uint32_t) at];
    assert(from->near_begin < from->near_end && s->near[from->near_begin].steps == 0); /* S4 */
    for (size_t i = from->near_begin; i < from->near_end; i++) {
        const stall_near *n = &s->near[i];
        if (n->steps >= nearest)
            break; /* S4 */
        const uint64_t way = n->steps + to_step(s, n, row, nearest - n->steps);
        nearest = way + of_place(s, n->place, row, nearest - way);
    }
    return nearest;
}

uint64_t stalls_estimate(const stalls *s, const uint32_t *row)
{
    uint64_t far = of_place(s, 0, row, DISTANCE_MOST);
    for (uint32_t i = 0; i < s->process_count && far < DISTANCE_MOST; i++)
        far += of_process(s, &s->processes[i], row);
    return far < DISTANCE_MOST ? far : DISTANCE_MOST;
}
