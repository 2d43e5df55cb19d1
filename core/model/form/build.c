/* SPDX-License-Identifier: Apache-2.0 */
#include "interval.h"

#include <assert.h>
#include <string.h>

/* Copies `count` elements to the region; *to is NULL if there are none. */
static bool copy(om_model *m, void **to, const void *from, size_t count, size_t size)
{
    *to = NULL;
    if (from == NULL || count == 0)
        return true;
    void *p = om_region_take(&m->region, count, size);
    if (p == NULL)
        return false;
    memcpy(p, from, count * size);
    *to = p;
    return true;
}

static bool copy_name(om_model *m, const char **to, const char *from)
{
    void *p;
    if (!copy(m, &p, from == NULL ? "" : from, from == NULL ? 1 : strlen(from) + 1, 1))
        return false;
    *to = p;
    return true;
}

/* Many places name the same file, so the last file name is cached. */
static bool copy_place(om_model *m, om_place *place)
{
    if (place->file == NULL)
        return true;
    if (m->last_file == NULL || strcmp(m->last_file, place->file) != 0)
        if (!copy_name(m, &m->last_file, place->file))
            return false;
    place->file = m->last_file;
    return true;
}

/* Appends a zeroed entry of `size` bytes to the table. Returns NULL if memory runs out. keep()
 * increments the count, so a failure between the two calls leaves no trace. */
static void *entry(om_model *m, om_model_list *t, size_t size)
{
    if (!OM_ROOM(m->heap, t->at, &t->capacity, t->count + 1))
        return NULL;
    return om_region_take(&m->region, 1, size);
}

static int keep(om_model_list *t, void *p, uint32_t *out)
{
    assert(t->count < t->capacity); /* entry() has made room */
    if (out != NULL)
        *out = (uint32_t) t->count;
    t->at[t->count++] = p;
    return OM_OK;
}

/* An entry of properties.at[]. The public part comes first. */
typedef struct om_owned_property {
    om_property public;
    om_automaton *owned;
    bool by_name;
} om_owned_property;

static int may_add(om_model *m, const om_model_list *t)
{
    if (m->finished || m->narrowed)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished; nothing can be added");
    if (t->count >= OM_TRANSITIONS_MOST)
        return om_fail(m->ctx, OM_EINPUT, NULL, "the model is too large");
    return om_context_stopped(m->ctx); /* models are built step by step and may be large */
}

/* ---- the model ---- */

int om_model_new(om_model **out, om_context *ctx, const char *name)
{
    const om_heap *heap = om_context_heap(ctx);
    om_model *m = om_alloc(heap, 1, sizeof *m);
    if (m == NULL)
        return om_fail_memory(ctx);
    m->ctx = ctx;
    m->heap = m->region.heap = heap;
    m->node_count = 1;
    if (!copy_name(m, &m->name, name)) {
        om_model_free(m);
        return om_fail_memory(ctx);
    }
    *out = m;
    return OM_OK;
}

void om_model_free(om_model *m)
{
    if (m == NULL)
        return;
    if (m->private_drop != NULL)
        m->private_drop(m->private_data);
    for (size_t i = 0; i < m->properties.count; i++) {
        const om_owned_property *p = m->properties.at[i];
        om_automaton_free(p->owned);
    }
    OM_FREE_ALL(m->heap, m->slots.at, m->processes.at, m->transitions.at);
    for (int k = 0; k < OM_FOREIGN_KINDS; k++)
        om_free(m->heap, m->foreign[k].at);
    OM_FREE_ALL(m->heap, m->prints.at, m->assertions.at, m->properties.at, m->nodes, m->facts,
        m->index, m->open, m->implied, m->ranges);
    om_region_free(&m->region);
    om_free(m->heap, m);
}

void om_model_set_private(om_model *m, void *data, void (*drop)(void *data))
{
    if (m->private_drop != NULL)
        m->private_drop(m->private_data);
    m->private_data = data;
    m->private_drop = drop;
}

void *om_model_private(const om_model *m)
{
    return m->private_data;
}

/* ---- parts of a model ---- */

int om_model_add_process(om_model *m, const char *name, uint32_t *out)
{
    int rc = may_add(m, &m->processes);
    if (rc != OM_OK)
        return rc;
    om_process *p = entry(m, &m->processes, sizeof *p);
    if (p == NULL || !copy_name(m, &p->name, name))
        return om_fail_memory(m->ctx);
    p->location = OM_NONE;
    return keep(&m->processes, p, out);
}

static bool same_names(const om_model *m, const om_slot *s)
{
    if (m->last_names == NULL || m->last_name_count != s->enumerators)
        return false;
    for (uint32_t i = 0; i < s->enumerators; i++) {
        const char *a = m->last_names[i], *b = s->enumerator_names[i];
        if (a == NULL || b == NULL ? a != b : strcmp(a, b) != 0)
            return false;
    }
    return true;
}

/* Consecutive slots often have the same names, so these are copied once. */
static bool copy_names(om_model *m, om_slot *s)
{
    if (s->enumerators == 0)
        s->enumerator_names = NULL;
    if (s->enumerator_names == NULL)
        return true;
    if (!same_names(m, s)) {
        const char **at = om_region_take(&m->region, s->enumerators, sizeof *at);
        if (at == NULL)
            return false;
        for (uint32_t i = 0; i < s->enumerators; i++)
            if (s->enumerator_names[i] != NULL && !copy_name(m, &at[i], s->enumerator_names[i]))
                return false;
        m->last_names = at;
        m->last_name_count = s->enumerators;
    }
    s->enumerator_names = m->last_names;
    return true;
}

static bool copy_slot(om_model *m, om_slot *s)
{
    void *p;
    if (!copy_name(m, &s->name, s->name))
        return false;
    if (!copy(m, &p, s->initial, s->length == 0 ? 1 : s->length, sizeof *s->initial))
        return false;
    s->initial = p;
    return copy_place(m, &s->place) && copy_names(m, s);
}

int om_model_add_slot(om_model *m, const om_slot *slot, uint32_t *out)
{
    int rc = may_add(m, &m->slots);
    if (rc != OM_OK)
        return rc;
    if (m->families != 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "families come after all other slots");
    if (slot->name == NULL || slot->initial == NULL || (unsigned) slot->type > OM_ENUM)
        return om_fail(m->ctx, OM_EINVAL, NULL, "a slot needs a name, a type and initial values");
    if (slot->type == OM_ENUM && slot->enumerators == 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "slot %s has no enumerators", slot->name);
    if (slot->length > OM_WORDS_MOST * 32u)
        return om_fail(m->ctx, OM_EINPUT, &slot->place, "array %s is too long", slot->name);
    om_kept_slot *kept = entry(m, &m->slots, sizeof *kept);
    if (kept == NULL)
        return om_fail_memory(m->ctx);
    *kept = (om_kept_slot){ .said = *slot, .family = OM_NONE };
    om_slot *s = &kept->said;
    if (!copy_slot(m, s))
        return om_fail_memory(m->ctx);
    s->bits = om_slot__bits(s); /* expressions need the range of the slot */
    const om_interval holds = om_interval__of_slot(s);
    s->low = (om_value) holds.low;
    s->high = (om_value) holds.high;
    s->position = 0;
    return keep(&m->slots, s, out);
}

int om_model_set_location(om_model *m, uint32_t process, uint32_t slot)
{
    if (m->finished || process >= m->processes.count || slot >= m->slots.count)
        return om_fail(m->ctx, OM_EINVAL, NULL, "no such process or slot");
    om_process *p = m->processes.at[process];
    p->location = slot;
    return OM_OK;
}

int om_model_add_transition(om_model *m, const om_transition *t, uint32_t *out)
{
    int rc = may_add(m, &m->transitions);
    if (rc != OM_OK)
        return rc;
    om_kept_transition *kept = entry(m, &m->transitions, sizeof *kept);
    if (kept == NULL)
        return om_fail_memory(m->ctx);
    om_transition *n = &kept->said;
    *n = *t;
    void *assigns, *written;
    if (!copy_name(m, &n->label, t->label) || !copy_place(m, &n->place) ||
        !copy(m, &assigns, t->assigns, t->assign_count, sizeof *t->assigns) ||
        !copy(m, &written, t->written, t->assign_count, sizeof *t->written))
        return om_fail_memory(m->ctx);
    n->assigns = assigns;
    n->written = written;
    if (assigns == NULL && n->assign_count != 0)
        return om_fail(m->ctx, OM_EINVAL, &n->place, "the assignments of a transition are missing");
    rc = m->families == 0 ? OM_OK : om_model__assign_families(m, assigns, n->assign_count);
    return rc == OM_OK ? keep(&m->transitions, n, out) : rc;
}

int om_model_set_last_resort(om_model *m)
{
    if (m->finished || m->transitions.count == 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "there is no transition to make a last resort");
    om_kept_transition *last = m->transitions.at[m->transitions.count - 1];
    last->last_resort = true;
    return OM_OK;
}

int om_model_add_assertion(om_model *m, const om_assertion *a)
{
    int rc = may_add(m, &m->assertions);
    if (rc != OM_OK)
        return rc;
    om_kept_assertion *n = entry(m, &m->assertions, sizeof *n);
    if (n == NULL)
        return om_fail_memory(m->ctx);
    n->said = *a;
    if (!copy_name(m, &n->said.text, a->text) || !copy_place(m, &n->said.place))
        return om_fail_memory(m->ctx);
    return keep(&m->assertions, n, NULL);
}

int om_model_set_final(om_model *m)
{
    if (m->finished || m->assertions.count == 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "there is no assertion to make final");
    om_kept_assertion *last = m->assertions.at[m->assertions.count - 1];
    last->final = true;
    return OM_OK;
}

int om_model_add_overflow(om_model *m, const om_overflow *o)
{
    if (m->finished || m->narrowed)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished; nothing can be added");
    if (m->initial_overflows++ != 0)
        return OM_OK;
    m->first_initial = *o;
    m->first_initial.transition = OM_NONE;
    return copy_name(m, &m->first_initial.variable, o->variable) &&
                   copy_place(m, &m->first_initial.place)
               ? OM_OK
               : om_fail_memory(m->ctx);
}

int om_model_set_progress(om_model *m, om_expr progress)
{
    if (m->finished || m->narrowed)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished; nothing can be added");
    m->progress = progress;
    return OM_OK;
}

int om_model_set_visible(om_model *m, om_expr visible)
{
    if (m->finished || m->narrowed)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished; nothing can be added");
    m->visible = visible;
    return OM_OK;
}

int om_model_set_room(om_model *m, uint32_t slot, const char *option, int64_t larger)
{
    if (m->finished || m->narrowed)
        return om_fail(m->ctx, OM_EINVAL, NULL, "the model is finished; nothing can be added");
    if (slot >= m->slots.count || option == NULL)
        return om_fail(m->ctx, OM_EINVAL, NULL, "a room needs a slot and an option");
    m->room = (om_room){ .slot = slot, .larger = larger };
    return copy_name(m, &m->room.option, option) ? OM_OK : om_fail_memory(m->ctx);
}

int om_model_add_formula(om_model *m, const char *name, const char *formula)
{
    int rc = may_add(m, &m->properties);
    if (rc == OM_OK && formula == NULL)
        rc = om_fail(m->ctx, OM_EINVAL, NULL, "a property needs a formula");
    if (rc != OM_OK)
        return rc;
    om_owned_property *p = entry(m, &m->properties, sizeof *p);
    if (p == NULL || !copy_name(m, &p->public.name, name) ||
        !copy_name(m, &p->public.formula, formula))
        return om_fail_memory(m->ctx);
    return keep(&m->properties, p, NULL);
}

void om_model_forbid_deadlock(om_model *m)
{
    m->forbids_deadlock = true;
}

int om_model_set_by_name(om_model *m)
{
    int rc = may_add(m, &m->properties);
    if (rc != OM_OK)
        return rc;
    if (m->properties.count == 0)
        return om_fail(m->ctx, OM_EINVAL, NULL, "there is no property yet");
    om_owned_property *p = m->properties.at[m->properties.count - 1];
    p->by_name = true;
    return OM_OK;
}

bool om_model_is_by_name(const om_model *m, uint32_t i)
{
    const om_owned_property *p = i < m->properties.count ? m->properties.at[i] : NULL;
    return p != NULL && p->by_name;
}

int om_model_add_property(
    om_model *m, const char *name, om_automaton *automaton, const om_expr *aps)
{
    int rc = may_add(m, &m->properties);
    if (rc == OM_OK && automaton == NULL)
        rc = om_fail(m->ctx, OM_EINVAL, NULL, "a property needs an automaton");
    if (rc != OM_OK)
        goto done;
    om_owned_property *p = entry(m, &m->properties, sizeof *p);
    void *copied = NULL;
    if (p == NULL || !copy_name(m, &p->public.name, name) ||
        !copy(m, &copied, aps, om_automaton_ap_count(automaton), sizeof *aps)) {
        rc = om_fail_memory(m->ctx);
        goto done;
    }
    p->public.automaton = p->owned = automaton;
    p->public.aps = copied;
    automaton = NULL;
    rc = keep(&m->properties, p, NULL);
done:
    om_automaton_free(automaton);
    return rc;
}
