/* SPDX-License-Identifier: Apache-2.0 */
#include "proved.h"

#include "form.h"

#include <assert.h>
#include <string.h>

int om_model__add_open(om_model *m, uint32_t slot, om_value rise)
{
    if (m->finished || slot >= m->slots.count || m->assertions.count == 0 || rise <= 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "no such open slot");
    assert(m->open_count == 0 || m->open[m->open_count - 1].assertion < m->assertions.count - 1);
    if (!OM_ROOM(m->heap, m->open, &m->open_room, m->open_count + 1))
        return om_fail_memory(m->ctx);
    om_kept_assertion *bound = m->assertions.at[m->assertions.count - 1];
    bound->final = true; /* beyond the bound, the slot has another value */
    m->open[m->open_count++] = (om_open){ slot, (uint32_t) m->assertions.count - 1, rise };
    return OM_OK;
}

int om_model__add_implied(om_model *m, uint32_t slot, om_value constant, om_value divisor,
    const om_implied_term *terms, uint32_t count)
{
    if (m->finished || slot >= m->slots.count || divisor <= 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "no such implied slot");
    if (!OM_ROOM(m->heap, m->implied, &m->implied_room, m->implied_count + 1))
        return om_fail_memory(m->ctx);
    om_implied_term *kept = om_region_take(&m->region, count, sizeof *kept);
    if (kept == NULL)
        return om_fail_memory(m->ctx);
    if (count != 0)
        memcpy(kept, terms, count * sizeof *kept);
    m->implied[m->implied_count++] = (om_implied){ slot, count, constant, divisor, kept };
    return OM_OK;
}

void om_model__leave_constants(om_model *m)
{
    m->constants_left_out = true;
}

void om_model__set_endless(om_model *m, om_endless_fn *prove, const void *self)
{
    m->endless = prove;
    m->endless_self = self;
}

int om_model__endless(const om_model *m, om_text *why, bool *proved)
{
    *proved = false;
    return m->endless == NULL ? OM_OK : m->endless(m->endless_self, why, proved);
}

uint32_t om_model__open_count(const om_model *m)
{
    return (uint32_t) m->open_count;
}

uint32_t om_model__open_of(const om_model *m, uint32_t assertion)
{
    /* Open slots are in the order of their assertions. */
    size_t low = 0, high = m->open_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->open[middle].assertion < assertion)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->open_count && m->open[low].assertion == assertion ? (uint32_t) low : OM_NONE;
}

uint32_t om_model__open_slot(const om_model *m, uint32_t open)
{
    return m->open[open].slot;
}

uint32_t om_model__open_bits(const om_model *m, uint32_t open)
{
    const om_open *o = &m->open[open];
    const om_wide most = (om_wide) om_model__slot(m, o->slot)->initial[0] + o->rise;
    uint32_t bits = OM_OPEN_FIRST;
    while (bits < OM_OPEN_LAST && most >= (om_wide) 1 << bits)
        bits *= 2;
    return bits;
}
