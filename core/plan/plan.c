/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"
#include "plan_devices.h"
#include "supervise.h"

#include "execute/executor.h"
#include "leave.h"
#include "model.h"
#include "process/processors.h"

#include <omen/host/failures.h>

#include <assert.h>
#include <string.h>

/* Returns the options of a plan, with the default of the memory limit. */
static om_plan_options complete(const om_plan_options *given)
{
    om_plan_options o = { 0 };
    if (given != NULL)
        o = *given;
    if (o.limits.memory_bytes == 0)
        o.limits.memory_bytes = om_default_memory_limit();
    return o;
}

int om_plan_new(om_plan **out, om_context *ctx, const om_registry *registry,
    const om_frontend *frontend, om_model *model, const om_plan_options *options)
{
    const om_heap *heap = om_context_heap(ctx);
    const om_plan made = { .ctx = ctx,
        .heap = heap,
        .registry = registry,
        .frontend = frontend,
        .model = model,
        .options = complete(options),
        .threads =
            options == NULL || options->threads == 0 ? om_processors__count() : options->threads };
    om_plan *p = om_alloc(heap, 1, sizeof *p);

    if (p == NULL)
        return om_fail_memory(ctx);
    memcpy(p, &made, sizeof made); /* it has constant members */
    int rc = om_context_new_below(&p->devices.ctx, ctx) == OM_OK ? OM_OK : om_fail_memory(ctx);
    if (rc == OM_OK)
        rc = om_plan__supervisor_init(p);
    if (rc == OM_OK && p->options.leave_compilers)
        om_context__leave_compilers(ctx);
    if (rc != OM_OK) {
        om_context_free(p->devices.ctx);
        om_free(heap, p);
        return rc;
    }
    *out = p;
    return OM_OK;
}

void om_plan__forget_report(om_plan *p)
{
    om_lasso_free(&p->last.overflows.trace);
    p->last.overflows = (om_overflow_report){ 0 };
}

void om_plan_free(om_plan *p)
{
    if (p == NULL)
        return;
    assert(p->supervisor.watcher == NULL && p->supervisor.watched.self == NULL); /* P5 */
    om_opener__recall(p, true);
    assert(!p->devices.opener.running); /* P6 */
    om_devices_close(p->devices.list);
    om_plan__forget_report(p);
    OM_FREE_ALL(p->heap, p->last.gave_up, p->memory.bits, p->memory.endless);
    om_context_free(p->devices.ctx);
    om_plan__supervisor_destroy(p);
    om_free(p->heap, p);
}

om_control *om_plan_control(om_plan *p)
{
    return om_context_control(p->ctx);
}

void om_plan_share_time(om_plan *p, size_t checks)
{
    assert(p->supervisor.watched.self == NULL); /* P3 */
    p->memory.checks_left = checks;
}

bool om_plan_busy(om_plan *p)
{
    return om_opener__busy(p);
}

/* ---- the last check or exploration ---- */

bool om_plan_lacks_room(const om_plan *p)
{
    return p->last.fault != 0 && om_model__lacks_room(p->model, p->last.fault);
}

uint64_t om_plan_hidden(const om_plan *p)
{
    return p->last.hidden;
}

uint64_t om_plan_verified(const om_plan *p)
{
    return p->last.verified;
}

const om_device_costs *om_plan_costs(const om_plan *p)
{
    return p->last.costs.count == 0 ? NULL : &p->last.costs;
}

const om_code_report *om_plan_code(const om_plan *p)
{
    return p->last.has_code ? &p->last.code : NULL;
}

static void add_use(om_code_rate *to, const om_code_use *use, om_code_kind kind)
{
    to->states += use->states[kind];
    to->cpu_seconds += (double) use->cpu_ns[kind] * 1e-9;
}

void om_plan__close_executor(om_plan *p, om_executor *x, uint64_t since_ns, const om_code_use *use)
{
    om_code_report *r = &p->last.code;
    om_executor_code code = { .first = NULL };
    if (x == NULL)
        return;
    om_executor__account(x, since_ns, &code);
    om_executor_close(x);
    p->last.has_code = true;
    r->first = code.first != NULL ? code.first : r->first;
    r->first_seconds += (double) code.first_ns * 1e-9;
    r->quick_seconds += (double) code.quick_ns * 1e-9;
    r->native_seconds += (double) code.native_ns * 1e-9;
    r->compiler_seconds += (double) code.compiler_ns * 1e-9;
    r->cached = r->cached || code.cached;
    r->compiling = r->compiling || code.left;
    r->quick_compiler_seconds += (double) code.hurried_ns * 1e-9;
    r->text_bytes = code.text_bytes != 0 ? code.text_bytes : r->text_bytes;
    add_use(&r->first_rate, use, OM_CODE_FIRST);
    add_use(&r->quick_rate, use, OM_CODE_QUICK);
    add_use(&r->native_rate, use, OM_CODE_NATIVE);
}

const om_overflow_report *om_plan_overflows(const om_plan *p)
{
    return p->last.overflows.count == 0 ? NULL : &p->last.overflows;
}

void om_plan_take_overflow_trace(om_plan *p, om_lasso *out)
{
    *out = p->last.overflows.trace;
    p->last.overflows.trace = (om_lasso){ 0 };
}
