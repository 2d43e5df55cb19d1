/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What searches run on: the compact form of the model (core/model/compact.h), where there is one.
 * What they find is shown on the model itself: a run is its transitions, and those have the same
 * numbers. So the referee, who runs it there, tells of a form that was not right.
 *
 * Open slots begin with few bits. A search that comes to a state where those are not enough ends,
 * and begins anew with more. Where it is proved that no search of all states can end, that is the
 * reason that is given, and slots get no more than half of what there could be.
 */
#include "compact.h"
#include "session.h"
#include "trace.h"

#include <inttypes.h>

/* After so many beginnings all open slots get more bits, and not only the one that needs them. */
enum { SINGLY = 6 };

void om_plan__forget_searched(om_plan *p)
{
    om_searched *s = &p->searched;
    om_compact__free(s->compact);
    om_free(p->heap, s->aps);
    s->compact = NULL;
    s->aps = NULL;
    s->overfull = OM_NONE;
}

void om_plan__free_searched(om_plan *p)
{
    om_plan__forget_searched(p);
    om_free(p->heap, p->searched.bits);
    om_free(p->heap, p->searched.endless);
}

static int first_bits(om_plan *p)
{
    const uint32_t open = om_model__open_count(p->model);
    p->searched.bits = om_alloc(p->heap, open, sizeof *p->searched.bits);
    if (p->searched.bits == NULL)
        return om_fail_memory(p->ctx);
    for (uint32_t i = 0; i < open; i++)
        p->searched.bits[i] = (uint8_t) om_model__open_bits(p->model, i);
    return OM_OK;
}

static int express_all(om_plan *p, const om_expr *aps, uint32_t count)
{
    om_searched *s = &p->searched;
    s->aps = om_alloc(p->heap, count, sizeof *s->aps);
    int rc = s->aps == NULL ? om_fail_memory(p->ctx) : OM_OK;
    for (uint32_t i = 0; i < count && rc == OM_OK; i++)
        rc = om_compact__express(s->compact, aps[i], &s->aps[i]);
    return rc;
}

int om_plan__make_searched(om_plan *p, const om_expr *aps, uint32_t count)
{
    om_searched *s = &p->searched;
    om_plan__forget_searched(p);
    int rc = s->bits == NULL ? first_bits(p) : OM_OK;
    if (rc == OM_OK)
        rc = om_compact__new(&s->compact, p->model, s->bits);
    if (rc != OM_OK || s->compact == NULL)
        return rc;
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
        "states have %" PRIu32 " words for %" PRIu32 ": %" PRIu32
        " variables follow from others, %" PRIu32 " have no proved bound",
        om_model_words(om_compact__model(s->compact)), om_model_words(p->model),
        om_compact__left_out(s->compact), om_model__open_count(p->model));
    return express_all(p, aps, count);
}

om_model *om_plan__searched(const om_plan *p)
{
    return p->searched.compact == NULL ? p->model : om_compact__model(p->searched.compact);
}

const om_expr *om_plan__searched_aps(const om_plan *p, const om_expr *aps)
{
    return p->searched.compact == NULL ? aps : p->searched.aps;
}

void om_plan__take_run(const om_plan *p, om_lasso *l)
{
    if (p->searched.compact == NULL || l->count == 0)
        return;
    om_free(l->heap, l->vectors);
    l->vectors = NULL;
    l->words = om_model_words(p->model);
}

/* ---- open slots ---- */

bool om_plan__overfull(om_plan *p, om_fault fault)
{
    const uint32_t open = OM_FAULT_KIND(fault) == OM_FAULT_ASSERTION && p->model != NULL
                              ? om_model__open_of(p->model, OM_FAULT_SUBJECT(fault))
                              : OM_NONE;
    if (open != OM_NONE)
        p->searched.overfull = open;
    return open != OM_NONE;
}

bool om_plan__wrapped(om_plan *p, const om_lasso *l)
{
    uint32_t *end = om_alloc(p->heap, l->words, sizeof *end);
    bool known = end != NULL && om_model__open_count(p->model) != 0 &&
                 om_lasso__end(l, p->model, end) == OM_OK;
    for (uint32_t i = 0; known && i < om_model__open_count(p->model); i++)
        if (om_slot_get(om_model_slot(p->model, om_model__open_slot(p->model, i)), end, 0) < 0)
            p->searched.overfull = i;
    om_free(p->heap, end);
    om_context_clear(p->ctx);
    return p->searched.overfull != OM_NONE;
}

const char *om_plan__endless(om_plan *p)
{
    om_searched *s = &p->searched;
    om_text why = { .heap = p->heap };
    bool proved = false;
    if (s->asked || p->model == NULL || om_model__open_count(p->model) == 0)
        return s->endless;
    s->asked = true;
    if (om_model__endless(p->model, &why, &proved) == OM_OK && proved && !why.failed) {
        s->endless = why.text;
        return s->endless;
    }
    om_text_free(&why);
    om_context_clear(p->ctx);
    return NULL;
}

bool om_plan__widen(om_plan *p)
{
    om_searched *s = &p->searched;
    const uint32_t open = s->overfull;
    const uint32_t most = om_plan__endless(p) != NULL ? OM_OPEN_LAST / 2 : OM_OPEN_LAST;
    if (open == OM_NONE || s->compact == NULL || s->bits[open] >= most ||
        om_context_stopped(p->ctx) != OM_OK)
        return false;
    s->bits[open] = (uint8_t) (2 * s->bits[open]);
    s->widened++;
    for (uint32_t i = 0; i < om_model__open_count(p->model) && s->widened > SINGLY; i++)
        s->bits[i] = s->bits[i] < s->bits[open] ? s->bits[open] : s->bits[i];
    om_note(p->ctx, OM_NOTE_NOTICE, NULL,
        "%s has no proved bound, and comes to more than %u bits hold: starting again with %u",
        om_model_slot(p->model, om_model__open_slot(p->model, open))->name, s->bits[open] / 2u,
        s->bits[open] + 0u);
    return true;
}

void om_plan__say_overfull(om_plan *p, om_text *out)
{
    const om_searched *s = &p->searched;
    const char *endless = om_plan__endless(p);
    const unsigned bits = s->compact == NULL ? OM_OPEN_LAST : s->bits[s->overfull];
    om_text_printf(out, "%s comes to more than %u bits hold",
        om_model_slot(p->model, om_model__open_slot(p->model, s->overfull))->name,
        bits == OM_OPEN_LAST ? OM_OPEN_LAST - 1 : bits);
    if (endless != NULL)
        om_text_printf(out, "; %s", endless);
}

int om_plan__unless_overfull(om_plan *p, int rc)
{
    om_text why = { .heap = p->heap };
    if (p->searched.overfull == OM_NONE)
        return rc;
    om_context_clear(p->ctx);
    om_plan__say_overfull(p, &why);
    rc = why.failed ? om_fail_memory(p->ctx) : om_fail(p->ctx, OM_ELIMIT, NULL, "%s", why.text);
    om_text_free(&why);
    return rc;
}
