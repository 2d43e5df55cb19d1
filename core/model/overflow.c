/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overflows: assignments whose value is none of the declared type of their slot.
 *
 * A site is an assignment that says where it is written and whose value is not known to fit; sites
 * are numbered in the order of the model, and executors check them alone. What they find is a
 * count: which value it was, and where it went, the vm tells afterwards, from the state.
 */
#include "form.h"

#include <inttypes.h>
#include <string.h>

/* ---- sites ---- */

static bool may_overflow(const om_model *m, const om_transition *t, uint32_t i)
{
    const om_slot *s = om_model__slot(m, t->assigns[i].slot);
    const om_facts *value = &m->facts[t->assigns[i].value];
    return t->written != NULL && t->written[i].line != 0 && s->type != OM_ENUM &&
           (value->low < s->low || value->high > s->high);
}

/* Counts the sites or, or, with `sites`, notes them. */
static uint32_t go_through(om_model *m, om_site *sites)
{
    uint32_t count = 0;
    size_t assign = 0;
    for (uint32_t t = 0; t < om_model_transition_count(m); t++) {
        const om_transition *tr = om_model_transition(m, t);
        if (sites != NULL)
            m->site_of[t] = count;
        for (uint32_t i = 0; i < tr->assign_count; i++, assign++) {
            if ((m->fits != NULL && m->fits[assign]) || !may_overflow(m, tr, i))
                continue;
            if (sites != NULL)
                sites[count] = (om_site){ t, i };
            if (count == OM_TRANSITIONS_MOST)
                return count;
            count++;
        }
    }
    if (sites != NULL)
        m->site_of[om_model_transition_count(m)] = count;
    return count;
}

int om_model__find_sites(om_model *m)
{
    uint32_t count = go_through(m, NULL);
    if (count == OM_TRANSITIONS_MOST)
        return om_fail(m->ctx, OM_EINPUT, NULL, "the model is too large");
    m->sites = om_model__take(m, count, sizeof *m->sites);
    m->site_of = om_model__take(m, (size_t) om_model_transition_count(m) + 1, sizeof *m->site_of);
    if (m->sites == NULL || m->site_of == NULL)
        return om_fail_memory(m->ctx);
    m->site_count = go_through(m, m->sites);
    return OM_OK;
}

uint32_t om_model__site(const om_model *m, uint32_t transition, uint32_t assign)
{
    for (uint32_t i = m->site_of[transition]; i < m->site_of[transition + 1]; i++)
        if (m->sites[i].assign == assign)
            return i;
    return OM_NONE;
}

uint32_t om_model_overflow_sites(const om_model *m)
{
    return m->site_count;
}

/* ---- what one was ---- */

static void fill(const om_model *m, uint32_t site, om_overflow *out)
{
    const om_transition *t = om_model_transition(m, m->sites[site].transition);
    const om_written *spot = &t->written[m->sites[site].assign];
    const om_slot *s = om_model__slot(m, t->assigns[m->sites[site].assign].slot);
    *out = (om_overflow){ .place = { t->place.file, spot->line, spot->column },
        .variable = s->name,
        .element = OM_NONE,
        .low = s->low,
        .high = s->high,
        .transition = m->sites[site].transition };
}

/* What a slot of its declared type makes of a value. */
static int32_t stored(int32_t low, int32_t high, int32_t value)
{
    uint32_t mask = (uint32_t) high - (uint32_t) low, kept = (uint32_t) value & mask;
    return (int32_t) (kept > (uint32_t) high ? kept | ~mask : kept);
}

int om_model_find_overflow(const om_model *m, const uint32_t *vector, om_overflow *out)
{
    om_executor *vm = NULL;
    om_vm_overflow found = { .site = OM_NONE };
    int rc = om_vm__open(&vm, m, NULL, 0);
    if (rc == OM_OK)
        rc = om_vm__first_overflow(vm, vector, &found);
    om_executor_close(vm);
    if (rc != OM_OK)
        return rc;
    if (found.site == OM_NONE)
        return OM_EINVAL;
    const om_site *at = &m->sites[found.site];
    const om_assign *a = &om_model_transition(m, at->transition)->assigns[at->assign];
    fill(m, found.site, out);
    out->value = found.value;
    out->stored = stored(out->low, out->high, found.value);
    if (a->index != 0)
        out->element = m->nodes[a->index].op == OM_OP_CONST ? (uint32_t) m->nodes[a->index].value
                                                            : found.element;
    return OM_OK;
}

uint32_t om_model_initial_overflows(const om_model *m, om_overflow *first)
{
    if (m->initial_overflows != 0 && first != NULL)
        *first = m->first_initial;
    return m->initial_overflows;
}

static void put_variable(const om_overflow *o, om_text *out)
{
    om_text_printf(out, "does not fit %s", o->variable);
    if (o->element != OM_NONE)
        om_text_printf(out, "[%" PRIu32 "]", o->element);
    om_text_printf(out, " (%" PRId32 " .. %" PRId32 ")", o->low, o->high);
}

void om_overflow_describe(const om_overflow *o, om_text *out)
{
    om_text_printf(out, "%" PRId32 " ", o->value);
    put_variable(o, out);
}

/* ---- as faults ---- */

int om_model_set_overflow(om_model *m, om_overflow_mode mode)
{
    om_text what = { .heap = m->heap };
    m->overflow = mode;
    if (mode == OM_OVERFLOW_WRAP || m->initial_overflows == 0)
        return OM_OK;
    om_overflow_describe(&m->first_initial, &what);
    int rc = what.failed ? om_fail_memory(m->ctx)
                         : om_fail(m->ctx, OM_EMODEL, &m->first_initial.place,
                               "the initial value %s", what.text);
    om_text_free(&what);
    return rc;
}

int om_model__overflow_fault(const om_model *m, uint32_t site, const om_overflow *o)
{
    om_text what = { .heap = m->heap };
    om_overflow at;
    fill(m, site, &at);
    if (o != NULL)
        om_overflow_describe(o, &what);
    else {
        om_text_add(&what, "a value ");
        put_variable(&at, &what);
    }
    int rc = what.failed ? om_fail_memory(m->ctx)
                         : om_fail(m->ctx, OM_EMODEL, &at.place, "%s in transition %s", what.text,
                               om_model_transition(m, at.transition)->label);
    om_text_free(&what);
    return rc;
}
