/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <assert.h>
#include <string.h>

/* Returns the smallest type of the model that holds the range; `unsigned` is truncated to its bits
 * separately. */
static om_type type_of(const pml_variable *v)
{
    om_value low, high;
    (void) pml_type_range(v, &low, &high);
    return high == 1                        ? OM_BOOL
           : low == 0 && high <= UINT8_MAX  ? OM_U8
           : low == 0 && high <= UINT16_MAX ? OM_U16
           : low == INT16_MIN               ? OM_I16
                                            : OM_I32;
}

om_expr pml_truncated(om_model *m, const pml_variable *v, om_expr value)
{
    om_value low, high;
    if (!pml_type_range(v, &low, &high))
        return value;
    if (low == 0)
        return om_expr_binary(m, OM_OP_BAND, value, om_expr_const(m, high));
    om_expr sixteen = om_expr_const(m, 16);
    return om_expr_binary(m, OM_OP_SHR, om_expr_binary(m, OM_OP_SHL, value, sixteen), sixteen);
}

om_type pml_number_type(const pml_lowering *l)
{
    return l->file->most > UINT8_MAX ? OM_U16 : OM_U8;
}

/* Adds a slot "owner.name" or "name". */
static int add_slot(
    pml_lowering *l, const char *owner, const char *name, om_slot slot, uint32_t *out)
{
    om_text text = { .heap = l->file->region.heap };
    if (owner != NULL)
        om_text_printf(&text, "%s.", owner);
    om_text_add(&text, name);
    slot.name = text.text;
    int rc = text.failed ? om_fail_memory(l->file->ctx) : om_model_add_slot(l->model, &slot, out);
    om_text_free(&text);
    return rc;
}

/* ---- channels ---- */

static int add_channel_slots(
    pml_lowering *l, const pml_instance *i, pml_channel *c, const pml_variable *v)
{
    om_region *a = &l->file->region;
    const om_value *zeros = om_region_take(a, c->init->capacity, sizeof *zeros);
    c->items = om_region_take(a, c->init->field_count, sizeof *c->items);
    if (zeros == NULL || c->items == NULL)
        return om_fail_memory(l->file->ctx);
    om_slot slot = { .type = c->init->capacity > UINT8_MAX ? OM_U16 : OM_U8,
        .process = i == NULL ? OM_NONE : i->process,
        .initial = zeros,
        .place = v->at };
    int rc = add_slot(l, c->name, "len", slot, &c->count);
    uint32_t k = 0;
    for (const pml_variable *f = c->init->fields; f != NULL && rc == OM_OK; f = f->next, k++) {
        om_text name = { .heap = a->heap };
        om_text_printf(&name, "%u", (unsigned) k);
        slot.type = type_of(f);
        slot.length = c->init->capacity;
        rc = name.failed ? om_fail_memory(l->file->ctx) : pml_name_values(l, f, &slot);
        if (rc == OM_OK)
            rc = add_slot(l, c->name, name.text, slot, &c->items[k]);
        om_text_free(&name);
    }
    assert(rc != OM_OK || k == c->init->field_count);
    return rc;
}

/* Adds the `count` channels that a variable or field declares, named after it. */
static int add_channels(
    pml_lowering *l, const pml_instance *i, const pml_variable *v, const char *name, uint32_t count)
{
    int rc = OM_OK;
    if (l->channel_count + (count == 0 ? 1 : count) > l->file->most)
        return PML_REFUSE(
            l->file, v->at, "there may be more than %u channels", (unsigned) l->file->most);
    for (uint32_t k = 0; k < (count == 0 ? 1 : count) && rc == OM_OK; k++) {
        assert(l->channel_count < l->file->most); /* P2 */
        pml_channel *c = &l->channels[l->channel_count++];
        om_text own = { .heap = l->file->region.heap };
        om_text_add(&own, name);
        if (count != 0)
            om_text_printf(&own, "[%u]", (unsigned) k);
        c->init = v->channel;
        c->indexed = count != 0 && !v->assigned;
        c->name = own.failed ? NULL : om_region_copy(&l->file->region, own.text, own.length);
        om_text_free(&own);
        if (c->name == NULL)
            return om_fail_memory(l->file->ctx);
        if (v->channel->capacity != 0)
            rc = add_channel_slots(l, i, c, v);
    }
    return rc;
}

/* ---- variables ---- */

const pml_expr *pml_next_initial(const pml_variable *v, const pml_expr *e, uint32_t k)
{
    if (!v->listed || v->length == 0)
        return e;
    if ((k + 1) % v->length == 0)
        return v->initial;
    return e->next != NULL ? e->next : e;
}

/* Computes the initial values of the elements, row by row; all are 0 if the process is not active
 * from the beginning. */
static int initial_values(pml_lowering *l, const pml_instance *i, const pml_variable *v, bool alive,
    uint32_t channel, uint32_t count, om_value *values)
{
    om_value value = 0, low, high;
    pml_scope s = { .l = l, .self = i };
    (void) pml_type_range(v, &low, &high);
    const pml_expr *e = v->initial;
    int rc = OM_OK;
    for (uint32_t k = 0; k < count && alive && rc == OM_OK; k++) {
        if (e != NULL && (k == 0 || v->listed))
            rc = pml_lower_constant(&s, e, &value);
        values[k] =
            om_value_stored(low, high, v->channel != NULL ? (om_value) (channel + k + 1) : value);
        e = pml_next_initial(v, e, k);
    }
    return rc;
}

/* Adds the slot of a variable that is not a structure, and the channels that it declares. */
static int add_leaf(pml_lowering *l, const pml_instance *i, const pml_variable *v, const char *name,
    uint32_t length, bool alive, pml_place *at)
{
    const uint32_t count = length == 0 ? 1 : length, first = l->channel_count;
    om_value *values = om_region_take(&l->file->region, count, sizeof *values);
    int rc = values == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    if (rc == OM_OK && v->channel != NULL)
        rc = add_channels(l, i, v, name, length);
    l->any_channel = l->any_channel || (v->type == PML_CHAN && (v->channel == NULL || v->assigned));
    if (rc == OM_OK && v->channel != NULL && length == 0 && !v->assigned) {
        *at = (pml_place){ .slot = OM_NONE, .constant = true, .value = (om_value) first + 1 };
        return OM_OK;
    }
    if (rc == OM_OK)
        rc = initial_values(l, i, v, alive, first, count, values);
    om_slot slot = { .name = name,
        .type = type_of(v),
        .length = length,
        .process = i == NULL ? OM_NONE : i->process,
        .initial = values,
        .place = v->at };
    if (rc == OM_OK)
        rc = pml_name_values(l, v, &slot);
    return rc == OM_OK ? om_model_add_slot(l->model, &slot, &at->slot) : rc;
}

/* Sets *out if there is a slot of that name. Names are indexed before each search: a search through
 * all slots would take quadratic time. */
static int find_name(pml_lowering *l, const om_text *name, bool *out)
{
    for (; l->indexed < om_model_slot_count(l->model); l->indexed++) {
        const char *known = om_model_slot(l->model, l->indexed)->name;
        if (!pml_index_put(&l->names_of_slots, known, strlen(known), NULL, l))
            return om_fail_memory(l->file->ctx);
    }
    *out = pml_index_get(&l->names_of_slots, name->text, name->length, NULL) != NULL;
    return OM_OK;
}

/* Appends a number to the name of a slot if there is such a slot: a variable of another block may
 * have the same name. */
static int make_new(pml_lowering *l, om_text *name)
{
    const char *plain =
        name->failed ? NULL : om_region_copy(&l->file->region, name->text, name->length);
    bool known = false;
    int rc = plain == NULL ? om_fail_memory(l->file->ctx) : find_name(l, name, &known);
    for (unsigned k = 2; known && rc == OM_OK; k++) {
        name->length = 0;
        om_text_printf(name, "%s'%u", plain, k);
        rc = name->failed ? om_fail_memory(l->file->ctx) : find_name(l, name, &known);
    }
    return rc;
}

/* Adds one slot for each field. An array of structures becomes arrays of fields, row by row if
 * these are arrays themselves. */
static int add_fields(pml_lowering *l, const pml_instance *i, const pml_variable *v,
    const char *owner, uint32_t length, bool alive, pml_place **at)
{
    if (v->length != 0 && (uint64_t) v->length * (length == 0 ? 1 : length) > PML_MAX_ARRAY)
        return PML_REFUSE(l->file, v->at, "an array of structures has more than %d elements \"%s\"",
            (int) PML_MAX_ARRAY, v->name);
    if (v->length != 0)
        length = v->length * (length == 0 ? 1 : length);
    om_text name = { .heap = l->file->region.heap };
    if (owner != NULL)
        om_text_printf(&name, "%s.", owner);
    om_text_add(&name, v->name);
    int rc = make_new(l, &name);
    if (rc == OM_OK && v->structure != NULL) {
        for (const pml_variable *f = v->structure->fields; f != NULL && rc == OM_OK; f = f->next)
            rc = add_fields(l, i, f, name.text, length, alive, at);
    } else if (rc == OM_OK) {
        rc = add_leaf(l, i, v, name.text, length, alive, *at);
        ++*at;
    }
    om_text_free(&name);
    return rc;
}

/* Sets *out if the argument that a `run` passes for this parameter is a channel that never
 * changes. */
static int constant_parameter(
    pml_lowering *l, const pml_instance *i, const pml_variable *v, pml_place *out)
{
    if (!v->is_parameter || v->type != PML_CHAN || v->assigned || i->site == OM_NONE ||
        l->pools[i->site].mixed)
        return OM_OK;
    const pml_expr *arg = l->pools[i->site].run->args;
    for (const pml_variable *o = i->type->variables; o != v; o = o->next)
        for (uint32_t k = pml_leaf_count(o); k > 0 && arg != NULL; k--)
            arg = arg->next;
    if (arg == NULL || arg->kind != PML_VARIABLE || arg->a != NULL || arg->field != NULL)
        return OM_OK;
    const pml_place *from = NULL;
    if (arg->variable->is_global)
        from = l->globals[arg->variable->index];
    else if (arg->variable->owner->copies == 1)
        for (uint32_t k = 0; k < i->number; k++)
            if (l->instances[k].type == arg->variable->owner)
                from = l->instances[k].places[arg->variable->index];
    if (from != NULL && from->constant)
        *out = *from;
    return OM_OK;
}

static int add_variable(pml_lowering *l, const pml_instance *i, pml_variable *v, pml_place **out)
{
    pml_place *places = om_region_take(&l->file->region, pml_leaf_count(v), sizeof *places);
    int rc = places == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    bool alive = i == NULL || i->site == OM_NONE;
    *out = places;
    if (rc == OM_OK && v->forgotten)
        return OM_OK;
    if (rc == OM_OK && v->channel != NULL && v->type != PML_CHAN)
        rc = PML_FAIL(l->file, v->at, "\"%s\" is not a channel", v->name);
    if (rc == OM_OK && i != NULL)
        rc = constant_parameter(l, i, v, places);
    if (rc != OM_OK || places->constant)
        return rc;
    return add_fields(l, i, v, i == NULL ? NULL : i->name, 0, alive, &places);
}

/* ---- processes ---- */

/* Control points are named after their labels, or else numbered. */
int pml_location_names(pml_lowering *l, const pml_graph *g, const char ***out)
{
    const char **names = om_region_take(&l->file->region, g->location_count + 2, sizeof *names);
    if (names == NULL)
        return om_fail_memory(l->file->ctx);
    names[0] = "-";
    for (uint32_t k = 0; k < g->location_count; k++) {
        const pml_node *n = g->locations[k];
        om_text text = { .heap = l->file->region.heap };
        if (n->label != NULL)
            om_text_add(&text, n->label);
        else if (n->kind == PML_N_END)
            om_text_add(&text, "-end-");
        else
            om_text_printf(&text, "s%u", (unsigned) n->number);
        names[k + 1] =
            text.failed ? NULL : om_region_copy(&l->file->region, text.text, text.length);
        om_text_free(&text);
        if (names[k + 1] == NULL)
            return om_fail_memory(l->file->ctx);
    }
    *out = names;
    return OM_OK;
}

static int add_process(pml_lowering *l, pml_instance *i)
{
    const char **names = NULL;
    bool alive = i->site == OM_NONE;
    assert(!alive || i->active == i->number); /* P4 */
    om_value location = alive ? (om_value) i->type->graph->start->location : 0;
    om_value pid = alive ? (om_value) i->active : 0;
    int rc = pml_location_names(l, i->type->graph, &names);
    if (rc == OM_OK)
        rc = om_model_add_process(l->model, i->name, &i->process);
    if (rc == OM_OK)
        rc = add_slot(l, NULL, i->name,
            (om_slot){ .type = OM_ENUM,
                .process = i->process,
                .initial = &location,
                .enumerators = i->type->graph->location_count + 1,
                .enumerator_names = names,
                .place = i->type->at },
            &i->location);
    if (rc == OM_OK)
        rc = om_model_set_location(l->model, i->process, i->location);
    if (rc == OM_OK)
        rc = add_slot(l, i->name, "_pid",
            (om_slot){ .type = pml_number_type(l),
                .process = i->process,
                .initial = &pid,
                .place = i->type->at },
            &i->pid);
    const om_value given = (om_value) i->type->priority;
    const om_value priority = !alive ? 0 : given == 0 ? 1 : given;
    if (rc == OM_OK && l->file->priorities)
        rc = add_slot(l, i->name, "_priority",
            (om_slot){
                .type = OM_U8, .process = i->process, .initial = &priority, .place = i->type->at },
            &i->priority);
    i->channel = l->channel_count;
    for (pml_variable *v = i->type->variables; v != NULL && rc == OM_OK; v = v->next)
        rc = add_variable(l, i, v, &i->places[v->index]);
    i->channel_count = l->channel_count - i->channel;
    return rc;
}

static int add_own(pml_lowering *l)
{
    om_value zero = 0, running = 0;
    bool exclusive = false, pools = false;
    for (uint32_t i = 0; i < l->file->sites; i++)
        pools = pools || (l->pools[i].count > 0 && !l->pools[i].enough);
    for (uint32_t i = 0; i < l->instance_count; i++) {
        running += l->instances[i].site == OM_NONE;
        exclusive = exclusive || l->instances[i].type->graph->exclusive;
    }
    om_slot slot = {
        .name = "_nr_pr", .type = pml_number_type(l), .process = OM_NONE, .initial = &running
    };
    slot.place = (om_place){ l->file->file, 1, 1 };
    int rc = om_model_add_slot(l->model, &slot, &l->processes);
    slot.name = "_atomic";
    slot.initial = &zero;
    l->atomic = OM_NONE;
    if (rc == OM_OK && exclusive)
        rc = om_model_add_slot(l->model, &slot, &l->atomic);
    slot.name = "_last";
    if (rc == OM_OK && l->file->last)
        rc = om_model_add_slot(l->model, &slot, &l->last);
    if (rc == OM_OK)
        rc = pml_count_running(l);
    slot.name = "_pool";
    slot.length = 1;
    if (rc == OM_OK && pools)
        rc = om_model_add_slot(l->model, &slot, &l->overfull);
    if (rc == OM_OK && pools)
        rc = om_model_set_room(l->model, l->overfull, "pool", l->larger_pool);
    return rc;
}

int pml_make_slots(pml_lowering *l)
{
    om_region *a = &l->file->region;
    l->globals = om_region_take(a, (size_t) l->file->variable_count + 1, sizeof(pml_place *));
    l->channels = om_region_take(a, (size_t) l->file->most + 1, sizeof *l->channels);
    if (l->globals == NULL || l->channels == NULL)
        return om_fail_memory(l->file->ctx);
    l->names_of_slots.region = a;
    int rc = add_own(l);
    if (rc == OM_OK)
        rc = pml_make_trace(l);
    for (pml_variable *v = l->file->variables; v != NULL && rc == OM_OK; v = v->next)
        rc = add_variable(l, NULL, v, &l->globals[v->index]);
    for (uint32_t i = 0; i < l->instance_count && rc == OM_OK; i++)
        rc = add_process(l, &l->instances[i]);
    if (rc == OM_OK)
        rc = pml_make_owners(l);
    if (rc == OM_OK)
        rc = pml_make_groups(l);
    return rc == OM_OK ? pml_join_pools(l) : rc;
}
