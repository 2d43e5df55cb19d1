/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for faults. Executors report a fault by its number and overflows by their count; the vm
 * then finds from the state which value overflowed, and where.
 */
#include "vm.h"

/* ---- overflows ---- */

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
    out->stored = om_value_stored(out->low, out->high, found.value);
    if (a->index != 0)
        out->element = m->nodes[a->index].op == OM_OP_CONST ? (uint32_t) m->nodes[a->index].value
                                                            : found.element;
    if (a->index != 0)
        out->variable = om_model__slot(m, om_model__shown_slot(m, a->slot, &out->element))->name;
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
    om_text_printf(out, " (%" OM_VALUE_FORMAT " .. %" OM_VALUE_FORMAT ")", o->low, o->high);
}

void om_overflow_describe(const om_overflow *o, om_text *out)
{
    om_text_printf(out, "%" OM_VALUE_FORMAT " ", o->value);
    put_variable(o, out);
}

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

/* ---- faults ---- */

/* Records a failure at a site, with the details of `o` unless it is NULL. */
static int overflow_fault(const om_model *m, uint32_t site, const om_overflow *o)
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

static const char *arithmetic(uint32_t kind)
{
    return kind == OM_FAULT_DIVISION ? "division by zero" : "index outside an array";
}

int om_model_fault(const om_model *m, om_fault fault)
{
    uint32_t kind = OM_FAULT_KIND(fault), subject = OM_FAULT_SUBJECT(fault);
    const om_transition *t = om_model_transition(m, subject);
    const om_assertion *a = om_model_assertion(m, subject);

    switch (kind) {
    case OM_FAULT_INDEX:
    case OM_FAULT_DIVISION:
        if (t != NULL)
            return om_fail(
                m->ctx, OM_EMODEL, &t->place, "%s in transition %s", arithmetic(kind), t->label);
        break;
    case OM_FAULT_ASSERTION:
        if (a != NULL)
            return om_fail(m->ctx, OM_EMODEL, &a->place, "assertion fails: %s", a->text);
        break;
    case OM_FAULT_IN_ASSERTION:
        if (a != NULL)
            return om_fail(m->ctx, OM_EMODEL, &a->place,
                "division by zero or index outside an array in assertion: %s", a->text);
        break;
    case OM_FAULT_IN_LABEL:
        return om_fail(m->ctx, OM_EMODEL, NULL,
            "division by zero or index outside an array in atomic proposition %u", subject);
    case OM_FAULT_OVERFLOW:
        if (subject < m->site_count)
            return overflow_fault(m, subject, NULL);
        break;
    default:
        break;
    }
    return om_fail(m->ctx, OM_EINTERNAL, NULL, "the model has no fault number %u", fault);
}

int om_model_fault_in(const om_model *m, om_fault fault, const uint32_t *vector)
{
    om_overflow o;
    if (OM_FAULT_KIND(fault) == OM_FAULT_OVERFLOW && OM_FAULT_SUBJECT(fault) < m->site_count &&
        om_model_find_overflow(m, vector, &o) == OM_OK)
        return overflow_fault(m, OM_FAULT_SUBJECT(fault), &o);
    return om_model_fault(m, fault);
}
