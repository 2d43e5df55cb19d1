/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removes bits that no reachable value needs. A front end declares the types of its language, such
 * as a byte for a variable that counts to three. States are shorter, and more of them fit into
 * memory and caches, if a slot has only the bits of the values in its interval (intervals.c).
 *
 * N2  A slot keeps the low bits of the stored value. If the value that its type would keep lies in
 *     the interval, the narrower slot keeps the same value.
 *
 * The intervals are kept (om_model.ranges): they are narrower than the slots.
 *
 * Enumerations are left unchanged: their values are locations, and code is selected by them.
 */
#include "intervals.h"

#include <assert.h>

static bool has_its_bits(const om_slot *s)
{
    return s->type == OM_ENUM || s->type == OM_BOOL;
}

static bool all_have_their_bits(const om_model *m)
{
    uint32_t s = 0;
    while (s < m->slots.count && has_its_bits(m->slots.at[s]))
        s++;
    return s == m->slots.count;
}

static void apply(om_slot *s, om_interval r)
{
    uint32_t bits = om_interval__bits(r), rounded = 1;
    if (has_its_bits(s))
        return;
    assert(r.low <= r.high && bits <= 32);
    /* A slot that is never negative needs no sign bit if there is an unsigned type. */
    bool unsign = om_slot__signed(s) && r.low >= 0 && bits <= 16;
    if (om_slot__signed(s) && r.low >= 0 && !unsign)
        bits++;
    if (s->length != 0) {
        while (rounded < bits)
            rounded *= 2;
        bits = rounded;
    }
    if (bits >= s->bits)
        return;
    if (unsign)
        s->type = bits <= 8 ? OM_U8 : OM_U16;
    assert(bits != 0 && (s->length == 0 || (bits & (bits - 1)) == 0)); /* N2 */
    s->bits = bits;
}

int om_model_narrow(om_model *m)
{
    bool known = false;
    int rc = m->status;
    if (rc == OM_OK && m->finished)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished; nothing can be narrowed");
    if (rc == OM_OK)
        rc = om_model__validate(m);
    if (rc != OM_OK)
        return rc;
    if (all_have_their_bits(m)) {
        m->narrowed = true;
        return OM_OK;
    }
    om_interval *box = om_alloc(m->heap, m->slots.count, sizeof *box);
    if (box == NULL || om_intervals__find(m, box, &known) != OM_OK)
        rc = om_fail_memory(m->ctx);
    for (uint32_t s = 0; rc == OM_OK && known && s < m->slots.count; s++)
        if (!om_model__is_member(m, s))
            apply(m->slots.at[s], box[s]);
    m->narrowed = rc == OM_OK;
    om_free(m->heap, m->ranges);
    m->ranges = rc == OM_OK && known ? box : NULL;
    if (m->ranges == NULL)
        om_free(m->heap, box);
    return rc;
}
