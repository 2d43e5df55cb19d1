/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bits that no reachable value needs. A front end declares the types of its language, a byte for
 * what counts to three; states are shorter, and more of them fit everywhere, when a slot has the
 * bits of the values that it can come to have: those in its interval (intervals.c).
 *
 * N2  A slot keeps the low bits of what is stored. Where the value that its type would keep lies
 *     in the interval, the narrower slot keeps the same value.
 *
 * Enumerations are left alone: their values are locations, and code is chosen by them.
 */
#include "interval.h"

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
    /* A sign that is never there needs no bit, if there is a type without. */
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
        apply(m->slots.at[s], box[s]);
    m->narrowed = rc == OM_OK;
    om_free(m->heap, box);
    return rc;
}
