/* SPDX-License-Identifier: Apache-2.0 */
/* Reports assignments that overflowed during a search. */
#include "merge.h"
#include "model_form.h"
#include "finite_trace.h"

#include <inttypes.h>
#include <string.h>

/* Minimum time (ns) and memory (bytes) for the search for a trace, however small the check was */
static const uint64_t TRACE_NS = 1000000000, TRACE_BYTES = 256u << 20;

const om_overflow_report *om_plan_overflows(const om_plan *p)
{
    return p->overflows.report.count == 0 ? NULL : &p->overflows.report;
}

void om_plan__forget_overflows(om_plan *p)
{
    om_lasso_free(&p->overflows.report.trace);
    om_free(p->heap, p->overflows.vector);
    p->overflows.report = (om_overflow_report){ 0 };
    p->overflows.vector = NULL;
    p->overflows.count = 0;
}

void om_plan__keep_overflows(om_attempt *t, const om_task *task)
{
    const om_plan *p = t->part->plan;
    const uint32_t *vector = NULL;
    t->out.overflows = om_task_overflows_of(task, &vector);
    if (t->out.overflows == 0)
        return;
    size_t words = om_model_words(p->model);
    t->out.overflow_vector = om_alloc(p->heap, words, sizeof *vector);
    if (t->out.overflow_vector != NULL)
        memcpy(t->out.overflow_vector, vector, words * sizeof *vector);
}

void om_plan__met_overflows(om_plan *p, uint64_t count, uint32_t *vector)
{
    p->overflows.count += count;
    if (p->overflows.vector == NULL)
        p->overflows.vector = vector;
    else
        om_free(p->heap, vector);
}

static void warn_of_overflows(const om_plan *p, uint64_t count)
{
    const om_overflow *o = &p->overflows.report.first;
    om_text what = { .heap = p->heap };
    om_overflow_describe(o, &what);
    if (!what.failed)
        om_note(p->ctx, OM_NOTE_WARNING, &o->place,
            "%s, which becomes %" OM_VALUE_FORMAT "; %" PRIu64 " assignment%s wrapped in this run "
            "(--overflow error makes that an error)",
            what.text, o->stored, count, count == 1 ? "" : "s");
    om_text_free(&what);
}

/* Limits of the search for a trace: the time of the check plus TRACE_NS, twice its memory plus
 * TRACE_BYTES, and at most what is left of the plan's limits. */
static om_limits trace_limits(const om_plan *p)
{
    om_limits limits = p->options.limits;
    uint64_t left = om_control_left_ns(om_context_control(p->ctx));
    uint64_t time = om_clock_ns() - p->supervisor.started_ns + TRACE_NS;
    uint64_t memory = om_resident_bytes() * 2 + TRACE_BYTES;
    limits.timeout_ns = time < left ? time : left;
    if (limits.memory_bytes == 0 || limits.memory_bytes > memory)
        limits.memory_bytes = memory;
    limits.max_states = 0;
    return limits;
}

/* Runs in a context of its own, because the plan's context holds the message of the check. */
static void find_trace(om_plan *p, const uint32_t *vector)
{
    const om_limits limits = trace_limits(p);
    om_context *ctx = NULL;
    om_watcher *watcher = NULL;
    if (limits.timeout_ns == 0 || om_context_new_below(&ctx, p->ctx) != OM_OK)
        return;
    om_control_start(om_context_control(ctx), &limits);
    if (om_watcher_start(&watcher, ctx, NULL, NULL) == OM_OK)
        (void) om_lasso__trace(&p->overflows.report.trace, ctx, p->model, vector, 0);
    om_watcher_stop(watcher);
    om_context_free(ctx);
    p->overflows.report.trace.heap = p->heap; /* the heap of `ctx` has been freed */
}

static int find_first(const om_plan *p, const uint32_t *vector, om_overflow *first)
{
    return p->searched.merged != NULL ? om_merged__find_overflow(p->searched.merged, vector, first)
                                      : om_model_find_overflow(p->model, vector, first);
}

void om_plan__report_overflows(om_plan *p)
{
    om_overflow_report *r = &p->overflows.report;
    const uint32_t *vector = p->overflows.vector;
    r->count = om_model_initial_overflows(p->model, &r->first);
    if (vector == NULL || find_first(p, vector, &r->first) != OM_OK)
        return;
    r->count += p->overflows.count;
    if (p->overflows.told)
        return;
    p->overflows.told = true;
    warn_of_overflows(p, p->overflows.count);
    if (!p->options.no_overflow_trace && om_context_stopped(p->ctx) == OM_OK)
        find_trace(p, vector);
}
