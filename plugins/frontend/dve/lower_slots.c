/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>

/* The range of a byte and of an int. */
static om_value lowest(om_type type)
{
    return type == OM_U8 ? 0 : INT16_MIN;
}

static om_value highest(om_type type)
{
    return type == OM_U8 ? UINT8_MAX : INT16_MAX;
}

/* Returns the value that a variable of this type holds after `value` is stored into it. */
static om_value stored(om_type type, om_value value)
{
    return om_value_stored(lowest(type), highest(type), value);
}

/* Writes "x" or "P.x" into *out; the caller frees it with om_text_free(). */
static int full_name(const dve_file *f, const char *owner, const char *name, om_text *out)
{
    *out = (om_text){ .heap = f->region.heap };
    if (owner != NULL)
        om_text_printf(out, "%s.", owner);
    om_text_add(out, name);
    return out->failed ? om_fail_memory(f->ctx) : OM_OK;
}

static int add_slot(const dve_file *f, om_model *m, const char *owner, const char *name,
    om_slot slot, uint32_t *out)
{
    om_text text;
    int rc = full_name(f, owner, name, &text);
    slot.name = text.text;
    if (rc == OM_OK)
        rc = om_model_add_slot(m, &slot, out);
    om_text_free(&text);
    return rc;
}

static int check_initialiser(const dve_file *f, const dve_variable *v)
{
    if (v->is_array && v->initial != NULL && !v->braces)
        return DVE_FAIL(f, v->initial->pos, "the initial values of an array must be in braces");
    if (!v->is_array && v->braces)
        return DVE_FAIL(
            f, v->initial->pos, "\"%s\" is not an array and takes one initial value", v->name);
    return OM_OK;
}

/* Warns of an initial value that does not fit, and records it in the model for `--overflow error`.
 */
static int initial_overflow(
    const dve_scope *s, const dve_variable *v, uint32_t element, const dve_expr *e, om_value value)
{
    om_value kept = stored(v->type, value);
    const dve_file *f = s->file;
    assert(kept != value);
    om_text name;
    int rc = full_name(f, s->process == NULL ? NULL : s->process->name, v->name, &name);
    DVE_WARN(f, e->pos, "%" OM_VALUE_FORMAT " does not fit \"%s\"; %" OM_VALUE_FORMAT " is stored",
        value, v->name, kept);
    if (rc == OM_OK)
        rc = om_model_add_overflow(s->model, &(om_overflow){ .place = dve_place(f, e->pos),
                                                 .variable = name.text,
                                                 .element = v->is_array ? element : OM_NONE,
                                                 .value = value,
                                                 .stored = kept,
                                                 .low = lowest(v->type),
                                                 .high = highest(v->type) });
    om_text_free(&name);
    return rc;
}

/* Computes the initial values. Published models may give too many; as in DiVinE, the surplus is
 * ignored. */
static int initial_values(const dve_scope *s, dve_file *f, dve_variable *v)
{
    uint32_t capacity = v->is_array ? v->length : 1, n = 0;
    int rc = check_initialiser(f, v);
    if (rc != OM_OK)
        return rc;
    om_value *values = om_region_take(&f->region, capacity, sizeof *values);
    if (values == NULL)
        return om_fail_memory(f->ctx);
    for (const dve_expr *e = v->initial; e != NULL; e = e->next, n++) {
        om_value value = 0;
        if (n == capacity)
            DVE_WARN(f, e->pos, "\"%s\" has room for %u value%s; the rest are ignored", v->name,
                (unsigned) capacity, capacity == 1 ? "" : "s");
        if ((rc = dve_lower_constant(s, e, &value)) != OM_OK)
            return rc;
        if (n >= capacity)
            continue;
        values[n] = stored(v->type, value);
        if (values[n] != value && (rc = initial_overflow(s, v, n, e, value)) != OM_OK)
            return rc;
    }
    v->values = values;
    return OM_OK;
}

/* Adds slots for the variables. A constant needs a slot only if it is an array, which may be
 * indexed by a variable. */
static int add_variables(dve_file *f, om_model *m, const dve_process *p, dve_variable *list)
{
    dve_scope s = { .file = f, .model = m, .process = p, .origin = f->file };
    int rc = OM_OK;
    for (dve_variable *v = list; v != NULL && rc == OM_OK; v = v->next) {
        rc = initial_values(&s, f, v);
        bool placed = (v->is_array || !v->is_const) && !(p != NULL && p->is_property);
        if (rc == OM_OK && placed)
            rc = add_slot(f, m, p == NULL ? NULL : p->name, v->name,
                (om_slot){ .type = v->type,
                    .length = v->length,
                    .process = p == NULL ? OM_NONE : p->process,
                    .initial = v->values,
                    .place = dve_place(f, v->pos) },
                &v->slot);
    }
    return rc;
}

static int add_channel(dve_file *f, om_model *m, dve_channel *c)
{
    assert(c->capacity != 0 && c->types != NULL); /* D2 */
    om_value *zeros = om_region_take(&f->region, c->capacity, sizeof *zeros);
    c->item_slots = om_region_take(&f->region, c->type_count, sizeof *c->item_slots);
    if (zeros == NULL || c->item_slots == NULL)
        return om_fail_memory(f->ctx);
    int rc = add_slot(f, m, c->name, "count",
        (om_slot){ .type = c->capacity < 256 ? OM_U8 : OM_U16,
            .process = OM_NONE,
            .initial = zeros,
            .place = dve_place(f, c->pos) },
        &c->count_slot);
    for (uint32_t i = 0; i < c->type_count && rc == OM_OK; i++) {
        om_text number = { .heap = f->region.heap };
        om_text_printf(&number, "%u", (unsigned) i);
        rc = number.failed ? om_fail_memory(f->ctx)
                           : add_slot(f, m, c->type_count == 1 ? NULL : c->name,
                                 c->type_count == 1 ? c->name : number.text,
                                 (om_slot){ .type = c->types[i],
                                     .length = c->capacity,
                                     .process = OM_NONE,
                                     .initial = zeros,
                                     .place = dve_place(f, c->pos) },
                                 &c->item_slots[i]);
        om_text_free(&number);
    }
    return rc;
}

static int add_process(dve_file *f, om_model *m, dve_process *p)
{
    const char **names = om_region_take(&f->region, p->state_count, sizeof *names);
    assert(p->init.state != NULL && p->init.state->index < p->state_count); /* D1 */
    om_value initial = (om_value) p->init.state->index;
    if (names == NULL)
        return om_fail_memory(f->ctx);
    for (const dve_state *s = p->states; s != NULL; s = s->next)
        names[s->index] = s->name;
    int rc = om_model_add_process(m, p->name, &p->process);
    if (rc == OM_OK)
        rc = add_slot(f, m, NULL, p->name,
            (om_slot){ .type = OM_ENUM,
                .process = p->process,
                .initial = &initial,
                .enumerators = p->state_count,
                .enumerator_names = names,
                .place = dve_place(f, p->pos) },
            &p->location);
    if (rc == OM_OK)
        rc = om_model_set_location(m, p->process, p->location);
    return rc == OM_OK ? add_variables(f, m, p, p->variables) : rc;
}

int dve_lower_slots(dve_file *f, om_model *m)
{
    int rc = add_variables(f, m, NULL, f->variables);
    for (dve_channel *c = f->channels; c != NULL && rc == OM_OK; c = c->next)
        if (c->capacity != 0)
            rc = add_channel(f, m, c);
    for (dve_process *p = f->processes; p != NULL && rc == OM_OK; p = p->next)
        rc = p->is_property ? add_variables(f, m, p, p->variables) : add_process(f, m, p);
    return rc;
}
