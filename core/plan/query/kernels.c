/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the sources that a device's compiler would get for an exploration or a check, without
 * running it. */
#include "schedule/try.h"

#include "model.h"
#include "plan_devices.h"
#include "supervise.h"

#include <string.h>

/* Connects the engine with the caller's callback */
typedef struct reader {
    int (*take)(void *self, const om_program_text *text);
    void *self;
    const char *what;
} reader;

static int take_text(void *self, const om_program_text *text)
{
    const reader *r = self;
    om_program_text all = *text;
    all.what = r->what;
    return r->take(r->self, &all);
}

static int read_part(const om_part *part, om_device *device, reader *r)
{
    const om_try *try = part->try;
    const om_plan *p = try->plan;
    const om_automaton *a =
        part->device.automaton != NULL ? part->device.automaton : part->automaton;
    const uint32_t states = om_automaton_state_count(a);
    uint8_t *accepting = NULL;
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = try->spec.model,
        .aps = try->spec.aps,
        .ap_count = try->spec.ap_count,
        .automaton = a,
        .stutter = try->spec.product.stutter,
        .faults_repeat = try->spec.product.faults_repeat,
        .deadlock_ap = try->spec.product.deadlock_ap };
    r->what = om_strength_name(part->claimed);
    if (part->claimed == OM_WEAK || part->claimed == OM_STRONG) {
        accepting = om_alloc(p->heap, states, sizeof *accepting);
        if (accepting == NULL)
            return om_fail_memory(p->ctx);
        memset(accepting, 1, states);
        spec.accepting = accepting;
        spec.fixpoint = part->claimed == OM_STRONG; /* runs on the CPU unless a checker is named */
    }
    int rc = om_engine_texts(p->ctx, &spec, take_text, r);
    om_free(p->heap, accepting);
    return rc;
}

static int read_parts(om_plan *p, const om_target *t, om_device *device, reader *r)
{
    const om_model_form form = { .reset_dead = p->options.reset_dead != OM_SWITCH_OFF,
        .overflow = p->options.overflow };
    om_try try;
    om_try__init(&try, p, t->options, t);
    try.fair = NULL; /* kernels do not support fairness */
    int rc = om_plan__shape(p, form, t->aps, t->ap_count);
    if (rc == OM_OK)
        rc = om_try__search_model(&try, t->ap_count);
    if (rc == OM_OK)
        rc = om_try__make_parts(&try, t->automaton);
    for (size_t i = 0; i < try.part_count && rc == OM_OK; i++)
        rc = read_part(&try.parts[i], device, r);
    om_try__free(&try);
    return rc;
}

static int read_exploration(om_plan *p, om_device *device, reader *r)
{
    const om_model_form form = { .reset_dead = p->options.reset_dead == OM_SWITCH_ON,
        .overflow = p->options.overflow };
    om_searched searched = om_searched__model_itself(p);
    om_expr seen = 0;
    const uint32_t aps = om_plan__seen(p, &seen);
    r->what = "explore";
    int rc = om_plan__shape(p, form, NULL, 0);
    om_model__set_asserted(p->model, p->memory.ignores_assertions ? OM_UNASSERTED : OM_ASSERTED);
    if (rc == OM_OK)
        rc = om_searched__make(&searched, &seen, aps, om_plan__merging_all(&p->options));
    const om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = om_searched__model(&searched),
        .aps = om_searched__aps(&searched, &seen),
        .ap_count = aps,
        .deadlock_ap = OM_NONE,
        .no_paths = !om_model__may_fault(om_searched__model(&searched)),
        .faults_end = true };
    if (rc == OM_OK)
        rc = om_engine_texts(p->ctx, &spec, take_text, r);
    om_searched__free(&searched);
    om_model__set_asserted(p->model, OM_ASSERTED);
    return rc;
}

/* Finds the device that the options name, or NULL. */
static int find_device(om_plan *p, om_device **out)
{
    *out = NULL;
    return om_plan__device_named(p, &p->options) ? om_plan__device(p, &p->options, NULL, out)
                                                 : OM_OK;
}

int om_plan_explore_texts(
    om_plan *p, int (*take)(void *self, const om_program_text *text), void *self)
{
    reader r = { take, self, NULL };
    om_device *device;
    int rc = om_plan__begin(p, &p->options, false);
    if (rc != OM_OK)
        return rc;
    rc = find_device(p, &device);
    if (rc == OM_OK)
        rc = read_exploration(p, device, &r);
    om_plan__end(p);
    return rc;
}

int om_plan_check_texts(om_plan *p, om_property_kind kind, const char *text,
    int (*take)(void *self, const om_program_text *text), void *self)
{
    reader r = { take, self, NULL };
    om_target t = { 0 };
    om_device *device;
    int rc = om_plan__begin(p, &p->options, false);
    if (rc != OM_OK)
        return rc;
    rc = om_plan__read_and_translate(p, &p->options, kind, text, &t);
    if (rc == OM_OK)
        rc = find_device(p, &device);
    if (rc == OM_OK)
        rc = read_parts(p, &t, device, &r);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    return rc;
}
