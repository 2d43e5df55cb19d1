/* SPDX-License-Identifier: Apache-2.0 */
/* Reports assignments that overflowed during a search. */
#include "overflow.h"

#include "transform/merge.h"
#include "finite_trace.h"

#include <assert.h>
#include <inttypes.h>

/* Minimum time (ns) and memory (bytes) for the search for a trace, however small the check was */
static const uint64_t TRACE_NS = 1000000000, TRACE_BYTES = 256u << 20;

void om_overflows__add(om_overflows *o, const om_searched *s, uint64_t count, uint32_t *vector)
{
    const om_plan *p = s->plan;
    o->count += count;
    if (vector == NULL)
        return;
    assert(count != 0 && s->compact == NULL); /* M4 */
    if (o->vector != NULL ||
        (s->merged != NULL ? om_merged__find_overflow(s->merged, vector, &o->first)
                           : om_model_find_overflow(p->model, vector, &o->first)) != OM_OK)
        om_free(p->heap, vector);
    else
        o->vector = vector;
}

void om_overflows__free(om_overflows *o, const om_heap *heap)
{
    om_free(heap, o->vector);
    *o = (om_overflows){ 0 };
}

static void warn_of_overflows(const om_plan *p, uint64_t count)
{
    const om_overflow *o = &p->last.overflows.first;
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
    om_limits limits = p->supervisor.limits;
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
        (void) om_lasso__trace(&p->last.overflows.trace, ctx, p->model, vector, 0);
    om_watcher_stop(watcher);
    om_context_free(ctx);
    p->last.overflows.trace.heap = p->heap; /* the heap of `ctx` has been freed */
}

void om_plan__report_overflows(om_plan *p, const om_overflows *o, bool no_trace)
{
    om_overflow_report *r = &p->last.overflows;
    assert(p->supervisor.watched.self == NULL); /* P3 */
    r->count = om_model_initial_overflows(p->model, &r->first);
    if (o->vector == NULL)
        return;
    r->first = o->first;
    r->count += o->count;
    if (!p->memory.told_overflow)
        warn_of_overflows(p, o->count);
    p->memory.told_overflow = true;
    /* A search that has used up its slice leaves the trace to the next one. */
    if (!no_trace && !p->memory.traced_overflow && om_context_stopped(p->ctx) == OM_OK) {
        p->memory.traced_overflow = true;
        find_trace(p, o->vector);
    }
}
