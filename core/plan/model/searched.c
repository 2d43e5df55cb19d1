/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of the model itself (overflows, assertions, resets of dead variables), and the form that
 * searches run on: the compact form of the model (core/model/transform/compact.h), if there is
 * one, or a form in which statements are merged (core/model/transform/merge.h). Results are
 * converted to the model itself. A run is a sequence of its transitions: they have the same numbers
 * in the compact form, and each transition of the merged form is a row of them. The referee replays
 * the run on the model and so detects an incorrect form.
 */
#include "searched.h"

#include "leap/leap.h"
#include "transform/compact.h"
#include "transform/merge.h"
#include "form/proved.h"
#include "transform/reset.h"
#include "finite_trace.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

int om_plan__shape_as(
    om_plan *p, om_model_form form, om_asserted asserted, const om_expr *aps, uint32_t ap_count)
{
    uint32_t resets = 0;
    assert(p->supervisor.watched.self == NULL); /* P2 */
    om_model__keep_dead(p->model);
    om_model__set_asserted(p->model, asserted);
    int rc = om_model_set_overflow(p->model, form.overflow);
    if (rc == OM_OK)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "assignments that may overflow: %u",
            om_model_overflow_sites(p->model));
    if (rc != OM_OK || !form.reset_dead)
        return rc;
    rc = om_model__reset_dead(p->model, aps, ap_count, &resets);
    if (rc == OM_OK)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%u resets of dead variables", resets);
    return rc;
}

int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count)
{
    return om_plan__shape_as(
        p, form, form.ignore_assertions ? OM_ASSERTED_FINAL : OM_ASSERTED, aps, ap_count);
}

uint32_t om_plan__seen(const om_plan *p, om_expr *ap)
{
    *ap = om_model__visible(p->model);
    return *ap != 0;
}

/* ---- the form that searches run on ---- */

om_searched om_searched__model_itself(om_plan *p)
{
    return (om_searched){ .plan = p, .overfull = OM_NONE };
}

void om_searched__free(om_searched *s)
{
    om_plan *p = s->plan;
    if (p == NULL)
        return;
    om_compact__free(s->compact);
    om_merged__free(s->merged);
    om_free(p->heap, s->aps);
    *s = om_searched__model_itself(p);
}

static int first_bits(om_plan *p)
{
    const uint32_t open = om_model__open_count(p->model);
    if (!OM_NEW(p->heap, p->memory.bits, open))
        return om_fail_memory(p->ctx);
    for (uint32_t i = 0; i < open; i++)
        p->memory.bits[i] = (uint8_t) om_model__open_bits(p->model, i);
    return OM_OK;
}

static int express_all(om_searched *s, const om_expr *aps, uint32_t count)
{
    s->aps = om_alloc(s->plan->heap, count, sizeof *s->aps);
    int rc = s->aps == NULL ? om_fail_memory(s->plan->ctx) : OM_OK;
    for (uint32_t i = 0; i < count && rc == OM_OK; i++)
        rc = om_compact__express(s->compact, aps[i], &s->aps[i]);
    return rc;
}

static int make_compact(om_searched *s, const om_expr *aps, uint32_t count)
{
    om_plan *p = s->plan;
    int rc = p->memory.bits == NULL ? first_bits(p) : OM_OK;
    if (rc == OM_OK)
        rc = om_compact__new(&s->compact, p->model, p->memory.bits);
    if (rc != OM_OK || s->compact == NULL)
        return rc;
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
        "states have %" PRIu32 " words instead of %" PRIu32 ": %" PRIu32
        " variables are computed from others, %" PRIu32 " have no proved bound",
        om_model_words(om_compact__model(s->compact)), om_model_words(p->model),
        om_compact__left_out(s->compact), om_model__open_count(p->model));
    return express_all(s, aps, count);
}

static int make_merged(om_searched *s, const om_expr *aps, uint32_t count, om_merging merging)
{
    const om_plan *p = s->plan;
    int rc = om_merged__new(&s->merged, p->model, aps, count, merging == OM_MERGE_OWN);
    if (rc == OM_OK && s->merged != NULL)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "statements are merged: %" PRIu32 " locations have no states of their own; %" PRIu32
            " transitions instead of %" PRIu32,
            om_merged__passed(s->merged), om_model_transition_count(om_merged__model(s->merged)),
            om_model_transition_count(p->model));
    return rc;
}

int om_searched__make(om_searched *s, const om_expr *aps, uint32_t count, om_merging merging)
{
    assert(s->compact == NULL && s->merged == NULL && s->overfull == OM_NONE); /* M1 */
    int rc = make_compact(s, aps, count);
    return rc == OM_OK && merging != OM_MERGE_NOTHING && s->compact == NULL
               ? make_merged(s, aps, count, merging)
               : rc;
}

om_model *om_searched__model(const om_searched *s)
{
    return s->compact != NULL  ? om_compact__model(s->compact)
           : s->merged != NULL ? om_merged__model(s->merged)
                               : s->plan->model;
}

const om_expr *om_searched__aps(const om_searched *s, const om_expr *aps)
{
    return s->compact != NULL ? s->aps : s->merged != NULL ? om_merged__aps(s->merged) : aps;
}

static void say_reduced(const om_plan *p, om_por por, const om_reduced_figures *f)
{
    if (f->transitions == 0 || !f->worth)
        om_note(p->ctx, por == OM_POR_AUTO ? OM_NOTE_VERBOSE : OM_NOTE_NOTICE, NULL,
            "all orders of steps are searched: %s",
            f->transitions == 0 ? "too many steps depend on each other"
                                : "in a sample of states, next to none could be left out");
    else
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "orders of independent steps are left out: %" PRIu32 " transitions, %" PRIu32
            " of them change what the property sees, %" PRIu32 " close cycles",
            f->transitions, f->seen, f->sticky);
}

int om_searched__reduce(const om_searched *s, om_executor **x, om_reduction kept, om_por por,
    const om_expr *aps, uint32_t count)
{
    om_reduced_figures figures = { 0 };
    if (kept == OM_REDUCE_NOTHING)
        return OM_OK;
    /* Transitions keep their numbers in the compact form. */
    const int rc = s->compact != NULL
                       ? om_stubborn__reduce(x, s->plan->model, s->compact, kept,
                             por == OM_POR_ALWAYS, aps, count, &figures)
                       : om_stubborn__reduce(x, om_searched__model(s), NULL, kept,
                             por == OM_POR_ALWAYS, om_searched__aps(s, aps), count, &figures);
    if (rc == OM_OK)
        say_reduced(s->plan, por, &figures);
    return rc;
}

int om_searched__leap(const om_searched *s, om_executor **x)
{
    if (s->compact != NULL) /* it may have left the variable out that tells which these are */
        return OM_OK;
    const om_executor *below = *x;
    const int rc = om_leap__over(x, om_searched__model(s));
    if (rc == OM_OK && *x != below)
        om_note(s->plan->ctx, OM_NOTE_VERBOSE, NULL, "states within atomic sequences are left out");
    return rc == OM_OK ? rc : om_fail_memory(s->plan->ctx);
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
static int take_rows(const om_searched *s, om_lasso *l, uint32_t *last)
{
    const om_merged *g = s->merged;
    uint32_t row = 0;
    size_t count = 0, loop = OM_NO_LOOP;
    for (size_t i = 0; i < l->count; i++) {
        (void) row_of(g, &l->transitions[i], &row);
        count += row;
    }
    uint32_t *transitions = om_alloc(l->heap, count, sizeof *transitions);
    if (transitions == NULL)
        return om_fail_memory(s->plan->ctx);
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
    assert(states != 0 && states <= l->count); /* M2 */
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

int om_searched__take_run(const om_searched *s, om_lasso *l, om_run_kind kind)
{
    uint32_t row = 1;
    assert(s->compact == NULL || s->merged == NULL); /* M1 */
    if ((s->compact == NULL && s->merged == NULL) || l->count == 0)
        return OM_OK;
    om_free(l->heap, l->vectors);
    l->vectors = NULL;
    l->words = om_model_words(s->plan->model);
    const int rc = s->merged != NULL ? take_rows(s, l, &row) : OM_OK;
    if (rc != OM_OK || row == 1 || kind == OM_RUN_ANY)
        return rc;
    if (kind == OM_RUN_TO_STATE)
        cut(l, l->count - row + 1);
    else
        cut_at_fault(s->plan, l, row);
    return OM_OK;
}

om_fault om_searched__take_fault(const om_searched *s, om_fault fault)
{
    return s->merged == NULL || fault == 0 ? fault : om_merged__fault(s->merged, fault);
}
