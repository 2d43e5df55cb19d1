/* SPDX-License-Identifier: Apache-2.0 */
/* Walks and searches without a model. Each has a seed of its own. */
#include "base/progress.h"
#include "mcc.h"

#include <assert.h>

/* Starts to wait for signals, which end the work. */
static int begin(mcc *m, cli_ticker *ticker)
{
    mcc_begin(m, UINT64_MAX);
    return cli_ticker_start(ticker, m->c, NULL, "searching");
}

/* Ends that. An interruption by the user is not a limit. */
static int end(mcc *m, cli_ticker *ticker, int rc)
{
    const om_control *control = om_context_control(m->c->ctx);
    cli_ticker_stop(ticker);
    return om_control_stopped(control) == OM_STOP_INTERRUPT ? OM_ESTOP : rc;
}

int mcc_walk(mcc *m, om_walk *walk, uint64_t ns)
{
    cli_ticker ticker = { 0 };
    walk->seed = m->seed++;
    walk->until_ns = om_clock_ns() + ns;
    int rc = begin(m, &ticker);
    if (rc == OM_OK)
        rc = om_net_walk(m->net, walk);
    return end(m, &ticker, rc);
}

int mcc_seek(mcc *m, const om_net *net, om_seek *seek, uint64_t ns)
{
    enum { MEMORY_PART = 8, MOST_BYTES = 1 << 29 };
    const uint64_t memory = m->c->set.limits.memory_bytes / MEMORY_PART;
    cli_ticker ticker = { 0 };
    seek->seed = m->seed++;
    seek->until_ns = om_clock_ns() + ns;
    seek->memory_bytes = memory < MOST_BYTES ? memory : MOST_BYTES;
    int rc = begin(m, &ticker);
    if (rc == OM_OK)
        rc = om_net_seek(net, seek);
    return end(m, &ticker, rc);
}

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
    om_walk walk = {
        .goals = goals, .goal_count = count, .seed = m->seed++, .until_ns = om_clock_ns() + ns
    };
    mcc_begin(m, UINT64_MAX);
    int rc = count == 0 ? OM_OK : om_net_walk(m->net, &walk);
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        if (of[i]->question == MCC_BOUND && of[i]->seen < goals[i].value)
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
    om_walk walk = { .fired = fired, .self = self, .enough = enough };
    return fired == NULL ? om_fail_memory(m->c->ctx) : mcc_walk(m, &walk, ns);
}

int mcc_walk_stuck(mcc *m, uint64_t ns, om_wide answer)
{
    assert(m->count == 1); /* A5 */
    om_walk walk = { .deadlock = true };
    const int rc = mcc_walk(m, &walk, ns);
    if (rc == OM_OK && walk.stuck)
        mcc_answer(m, m->properties, answer, MCC_WALK);
    return rc;
}
