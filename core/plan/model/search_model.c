/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form that searches run on: the compact form of the model (core/model/compact.h), if there is
 * one, or a form in which statements are merged (core/model/merge.h). Results are converted to the
 * model itself. A run is a sequence of its transitions: they have the same numbers in the compact
 * form, and each transition of the merged form is a row of them. The referee replays the run on the
 * model and so detects an incorrect form.
 *
 * Open slots begin with few bits. A search that reaches a state for which these are not enough ends
 * and is repeated with more. If it is proved that no search of all states can end, that proof is
 * the reason reported, and slots get at most half of the maximum number of bits.
 */
#include "compact.h"
#include "merge.h"
#include "model.h"
#include "model_form.h"
#include "property/property.h"
#include "finite_trace.h"

#include <inttypes.h>
#include <string.h>

/* After this many repetitions all open slots get more bits, not only the one that needs them. */
enum { SINGLY = 6 };

void om_plan__forget_searched(om_plan *p)
{
    om_searched *s = &p->searched;
    om_compact__free(s->compact);
    om_merged__free(s->merged);
    om_free(p->heap, s->aps);
    s->compact = NULL;
    s->merged = NULL;
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

static int make_compact(om_plan *p, const om_expr *aps, uint32_t count)
{
    om_searched *s = &p->searched;
    int rc = s->bits == NULL ? first_bits(p) : OM_OK;
    if (rc == OM_OK)
        rc = om_compact__new(&s->compact, p->model, s->bits);
    if (rc != OM_OK || s->compact == NULL)
        return rc;
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
        "states have %" PRIu32 " words instead of %" PRIu32 ": %" PRIu32
        " variables are computed from others, %" PRIu32 " have no proved bound",
        om_model_words(om_compact__model(s->compact)), om_model_words(p->model),
        om_compact__left_out(s->compact), om_model__open_count(p->model));
    return express_all(p, aps, count);
}

static int make_merged(om_plan *p, const om_expr *aps, uint32_t count, om_merging merging)
{
    om_searched *s = &p->searched;
    int rc = om_merged__new(&s->merged, p->model, aps, count, merging == OM_MERGE_OWN);
    if (rc == OM_OK && s->merged != NULL)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "statements are merged: %" PRIu32 " locations have no states of their own; %" PRIu32
            " transitions instead of %" PRIu32,
            om_merged__passed(s->merged), om_model_transition_count(om_merged__model(s->merged)),
            om_model_transition_count(p->model));
    return rc;
}

int om_plan__make_searched(om_plan *p, const om_expr *aps, uint32_t count, om_merging merging)
{
    om_plan__forget_searched(p);
    int rc = make_compact(p, aps, count);
    return rc == OM_OK && merging != OM_MERGE_NOTHING && p->searched.compact == NULL
               ? make_merged(p, aps, count, merging)
               : rc;
}

uint32_t om_plan__seen(const om_plan *p, om_expr *ap)
{
    *ap = om_model__visible(p->model);
    return *ap != 0;
}

om_model *om_plan__searched(const om_plan *p)
{
    const om_searched *s = &p->searched;
    return s->compact != NULL  ? om_compact__model(s->compact)
           : s->merged != NULL ? om_merged__model(s->merged)
                               : p->model;
}

const om_expr *om_plan__searched_aps(const om_plan *p, const om_expr *aps)
{
    const om_searched *s = &p->searched;
    return s->compact != NULL ? s->aps : s->merged != NULL ? om_merged__aps(s->merged) : aps;
}

/* Returns the row of the model's transitions for a step. */
static const uint32_t *row_of(const om_merged *g, const uint32_t *transition, uint32_t *count)
{
    *count = 1;
    return *transition == OM_NONE || *transition == OM_STUTTER
               ? transition
               : om_merged__row(g, *transition, count);
}

/* Replaces each step by its row. *last: length of the row of the last step. */
static int take_rows(const om_plan *p, om_lasso *l, uint32_t *last)
{
    const om_merged *g = p->searched.merged;
    uint32_t row = 0;
    size_t count = 0, loop = OM_NO_LOOP;
    for (size_t i = 0; i < l->count; i++) {
        (void) row_of(g, &l->transitions[i], &row);
        count += row;
    }
    uint32_t *transitions = om_alloc(l->heap, count, sizeof *transitions);
    if (transitions == NULL)
        return om_fail_memory(p->ctx);
    count = 0;
    for (size_t i = 0; i < l->count; i++) {
        const uint32_t *of = row_of(g, &l->transitions[i], &row);
        if (i == l->loop)
            loop = count;
        if (i + 2 == l->count)
            *last = row;
        memcpy(transitions + count, of, row * sizeof *of);
        count += row;
    }
    om_free(l->heap, l->transitions);
    l->transitions = transitions;
    l->count = count;
    l->loop = loop;
    return OM_OK;
}

static void cut(om_lasso *l, size_t states)
{
    l->count = states;
    l->transitions[states - 1] = OM_NONE;
}

/* Ends a trace at the first state within the last `row` steps in which the model has a fault. If
 * that fails, the trace is unchanged. */
static void cut_at_fault(const om_plan *p, om_lasso *l, uint32_t row)
{
    om_executor *vm = NULL;
    om_successors next = { .heap = p->heap };
    uint32_t *end = om_alloc(p->heap, l->words, sizeof *end);
    int rc = end == NULL ? OM_ENOMEM : om_executor_open(&vm, p->model, OM_EXEC_VM, NULL, 0);
    for (uint32_t k = 1; k < row && rc == OM_OK; k++) {
        om_lasso part = *l;
        part.count = l->count - row + k;
        rc = om_lasso__end(&part, p->model, end);
        if (rc == OM_OK)
            rc = om_executor_successors(vm, end, &next);
        if (rc != OM_OK || next.fault == 0)
            continue;
        cut(l, part.count);
        break;
    }
    om_successors_free(&next);
    om_executor_close(vm);
    om_free(p->heap, end);
    om_context_clear(p->ctx);
}

int om_plan__take_run(const om_plan *p, om_lasso *l, om_run_kind kind)
{
    const om_searched *s = &p->searched;
    uint32_t row = 1;
    if ((s->compact == NULL && s->merged == NULL) || l->count == 0)
        return OM_OK;
    om_free(l->heap, l->vectors);
    l->vectors = NULL;
    l->words = om_model_words(p->model);
    const int rc = s->merged != NULL ? take_rows(p, l, &row) : OM_OK;
    if (rc != OM_OK || row == 1 || kind == OM_RUN_ANY)
        return rc;
    if (kind == OM_RUN_TO_STATE)
        cut(l, l->count - row + 1);
    else
        cut_at_fault(p, l, row);
    return OM_OK;
}

om_fault om_plan__take_fault(const om_plan *p, om_fault fault)
{
    return p->searched.merged == NULL || fault == 0 ? fault
                                                    : om_merged__fault(p->searched.merged, fault);
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
        "%s has no proved bound and exceeds %u bits: starting again with %u",
        om_model_slot(p->model, om_model__open_slot(p->model, open))->name, s->bits[open] / 2u,
        s->bits[open] + 0u);
    return true;
}

void om_plan__say_overfull(om_plan *p, om_text *out)
{
    const om_searched *s = &p->searched;
    const char *endless = om_plan__endless(p);
    const unsigned bits = s->compact == NULL ? OM_OPEN_LAST : s->bits[s->overfull];
    om_text_printf(out, "%s exceeds %u bits",
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
