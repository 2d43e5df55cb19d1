/* SPDX-License-Identifier: Apache-2.0 */
#include "sites.h"

#include "intervals.h"

#include <assert.h>

/* Enumerations are locations and do not overflow. */
static bool is_written(const om_model *m, const om_transition *t, uint32_t i)
{
    return t->written != NULL && t->written[i].line != 0 &&
           om_model__slot(m, t->assigns[i].slot)->type != OM_ENUM;
}

/* Counts the sites, and records them if `sites` is not NULL. */
static uint32_t go_through(om_model *m, om_site *sites)
{
    uint32_t count = 0;
    size_t assign = 0;
    for (uint32_t t = 0; t < om_model_transition_count(m); t++) {
        const om_transition *tr = om_model_transition(m, t);
        if (sites != NULL)
            m->site_of[t] = count;
        for (uint32_t i = 0; i < tr->assign_count; i++, assign++) {
            if (!is_written(m, tr, i) || om_intervals__fits(m, t, i, assign))
                continue;
            if (sites != NULL)
                sites[count] = (om_site){ t, i };
            if (count == OM_TRANSITIONS_MOST)
                return count;
            count++;
        }
    }
    if (sites != NULL)
        m->site_of[om_model_transition_count(m)] = count;
    return count;
}

int om_model__find_sites(om_model *m)
{
    uint32_t count = go_through(m, NULL);
    if (count == OM_TRANSITIONS_MOST)
        return om_fail(m->ctx, OM_EINPUT, NULL, "the model is too large");
    m->sites = om_region_take(&m->region, count, sizeof *m->sites);
    m->site_of =
        om_region_take(&m->region, (size_t) om_model_transition_count(m) + 1, sizeof *m->site_of);
    if (m->sites == NULL || m->site_of == NULL)
        return om_fail_memory(m->ctx);
    m->site_count = go_through(m, m->sites);
    assert(m->site_count == count);
    return OM_OK;
}

uint32_t om_model__site(const om_model *m, uint32_t transition, uint32_t assign)
{
    uint32_t low = m->site_of[transition], high = m->site_of[transition + 1];
    assert(low <= high && high <= m->site_count);
    const uint32_t end = high;
    while (low < high) { /* sites of a transition are in the order of its assignments */
        const uint32_t middle = low + (high - low) / 2;
        if (m->sites[middle].assign < assign)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && m->sites[low].assign == assign ? low : OM_NONE;
}

uint32_t om_model_overflow_sites(const om_model *m)
{
    return m->site_count;
}
