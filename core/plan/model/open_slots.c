/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open slots, which have no proved bound, begin with few bits. A search that reaches a state for
 * which these are not enough ends and is repeated with more. If it is proved that no search of all
 * states can end, that proof is the reason reported, and slots get at most half of the maximum
 * number of bits.
 */
#include "searched.h"

#include "finite_trace.h"
#include "form/proved.h"

#include <assert.h>

/* After this many repetitions all open slots get more bits, not only the one that needs them. */
enum { SINGLY = 6 };

bool om_searched__overfull(om_searched *s, om_fault fault)
{
    const om_plan *p = s->plan;
    const uint32_t open = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION && p->model != NULL
                              ? om_model__open_of(p->model, OM_FAULT_SUBJECT(fault))
                              : OM_NONE;
    if (open != OM_NONE)
        s->overfull = open;
    return open != OM_NONE;
}

bool om_searched__wrapped(om_searched *s, const om_lasso *l)
{
    const om_plan *p = s->plan;
    uint32_t *end = om_alloc(p->heap, l->words, sizeof *end);
    bool known = end != NULL && om_model__open_count(p->model) != 0 &&
                 om_lasso__end(l, p->model, end) == OM_OK;
    for (uint32_t i = 0; known && i < om_model__open_count(p->model); i++)
        if (om_slot_get(om_model_slot(p->model, om_model__open_slot(p->model, i)), end, 0) < 0)
            s->overfull = i;
    om_free(p->heap, end);
    om_context_clear(p->ctx);
    return s->overfull != OM_NONE;
}

const char *om_plan__endless(om_plan *p)
{
    om_plan_memory *m = &p->memory;
    om_text why = { .heap = p->heap };
    bool proved = false;
    if (m->asked_endless || p->model == NULL || om_model__open_count(p->model) == 0)
        return m->endless;
    m->asked_endless = true;
    if (om_model__endless(p->model, &why, &proved) == OM_OK && proved && !why.failed) {
        m->endless = why.text;
        return m->endless;
    }
    om_text_free(&why);
    om_context_clear(p->ctx);
    return NULL;
}

bool om_searched__widen(const om_searched *s)
{
    om_plan *p = s->plan;
    om_plan_memory *m = &p->memory;
    const uint32_t open = s->overfull;
    const uint32_t most = om_plan__endless(p) != NULL ? OM_OPEN_LAST / 2 : OM_OPEN_LAST;
    assert(p->supervisor.watched.self == NULL); /* P3 */
    if (open == OM_NONE || s->compact == NULL || m->bits[open] >= most ||
        om_context_stopped(p->ctx) != OM_OK)
        return false;
    assert(open < om_model__open_count(p->model) && m->bits[open] >= OM_OPEN_FIRST); /* M3 */
    m->bits[open] = (uint8_t) (2 * m->bits[open]);
    m->widened++;
    for (uint32_t i = 0; i < om_model__open_count(p->model) && m->widened > SINGLY; i++)
        m->bits[i] = m->bits[i] < m->bits[open] ? m->bits[open] : m->bits[i];
    om_note(p->ctx, OM_NOTE_NOTICE, NULL,
        "%s has no proved bound and exceeds %u bits: starting again with %u",
        om_model_slot(p->model, om_model__open_slot(p->model, open))->name, m->bits[open] / 2u,
        m->bits[open] + 0u);
    return true;
}

void om_searched__say_overfull(const om_searched *s, om_text *out)
{
    om_plan *p = s->plan;
    const char *endless = om_plan__endless(p);
    assert(s->overfull < om_model__open_count(p->model)); /* M3 */
    const unsigned bits = s->compact == NULL ? OM_OPEN_LAST : p->memory.bits[s->overfull];
    om_text_printf(out, "%s exceeds %u bits",
        om_model_slot(p->model, om_model__open_slot(p->model, s->overfull))->name,
        bits == OM_OPEN_LAST ? OM_OPEN_LAST - 1 : bits);
    if (endless != NULL)
        om_text_printf(out, "; %s", endless);
}

int om_searched__unless_overfull(const om_searched *s, int rc)
{
    const om_plan *p = s->plan;
    om_text why = { .heap = p->heap };
    if (s->overfull == OM_NONE)
        return rc;
    om_context_clear(p->ctx);
    om_searched__say_overfull(s, &why);
    rc = why.failed ? om_fail_memory(p->ctx) : om_fail(p->ctx, OM_ELIMIT, NULL, "%s", why.text);
    om_text_free(&why);
    return rc;
}
