/* SPDX-License-Identifier: Apache-2.0 */
/* Random walks before the exploration: properties that they decide need no exploration. */
#include "mcc.h"

#include <omen/host/walk.h>

#include <assert.h>

om_wide mcc_most(const om_net *net, const om_net_term *terms, uint32_t count)
{
    om_wide most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const om_value bound = net->places[terms[i].place].bound;
        if (bound == OM_NET_NO_BOUND)
            return INT64_MAX;
        most += terms[i].factor * bound;
    }
    return most;
}

int mcc_walk_states(mcc *m, uint64_t ns)
{
    size_t count = 0;
    om_walk_goal *goals = om_region_take(&m->region, m->count + 1, sizeof *goals);
    mcc_property **of = om_region_take(&m->region, m->count + 1, sizeof(mcc_property *));
    if (goals == NULL || of == NULL)
        return om_fail_memory(m->c->ctx);
    for (size_t i = 0; i < m->count; i++) {
        mcc_property *p = &m->properties[i];
        if (p->known || p->question == MCC_RUNS)
            continue;
        goals[count] = (om_walk_goal){ .predicate = p->wanted,
            .terms = p->terms,
            .term_count = p->term_count,
            .enough = mcc_most(m->net, p->terms, p->term_count) };
        of[count++] = p;
    }
    om_walk walk = { .goals = goals, .goal_count = count, .until_ns = om_clock_ns() + ns };
    mcc_begin(m, UINT64_MAX);
    int rc = count == 0 ? OM_OK : om_net_walk(m->net, &walk);
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        if (of[i]->seen < goals[i].value)
            of[i]->seen = goals[i].value;
        if (goals[i].met)
            mcc_answer(m, of[i],
                of[i]->question == MCC_BOUND ? goals[i].value : of[i]->question == MCC_POSSIBLE,
                MCC_WALK);
    }
    return rc;
}

int mcc_walk_fired(mcc *m, uint64_t ns, void *self, bool (*enough)(void *self, uint32_t transition))
{
    uint8_t *fired =
        om_region_take(&m->region, (size_t) m->net->transition_count + 1, sizeof *fired);
    om_walk walk = {
        .fired = fired, .self = self, .enough = enough, .until_ns = om_clock_ns() + ns
    };
    mcc_begin(m, UINT64_MAX);
    return fired == NULL ? om_fail_memory(m->c->ctx) : om_net_walk(m->net, &walk);
}

int mcc_walk_stuck(mcc *m, uint64_t ns, om_wide answer)
{
    assert(m->count == 1); /* A5 */
    om_walk walk = { .deadlock = true, .until_ns = om_clock_ns() + ns };
    mcc_begin(m, UINT64_MAX);
    int rc = om_net_walk(m->net, &walk);
    if (rc == OM_OK && walk.stuck)
        mcc_answer(m, m->properties, answer, MCC_WALK);
    return rc;
}
