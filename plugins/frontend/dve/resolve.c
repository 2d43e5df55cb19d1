/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols.h"

#include <assert.h>

static int resolve_state(const dve_file *f, const dve_process *p, dve_name *n)
{
    const dve_symbol *s = dve_find(f, p, n->name);
    om_place place = dve_place(f, n->pos);
    if (s == NULL)
        return dve_unknown(f, &place, "state", n->name, p, false, DVE_IS_STATE);
    if (s->kind != DVE_IS_STATE)
        return DVE_FAIL(f, n->pos, "\"%s\" is not a state of process \"%s\"", n->name, p->name);
    n->state = s->state;
    return OM_OK;
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* Checks the number of values that a channel carries: that of its types or, without types, that of
 * its first use. */
static int check_width(const dve_file *f, dve_channel *c, const dve_transition *t)
{
    assert(!c->used || c->types == NULL || c->width == c->type_count);
    if (c->types != NULL && t->value_count != c->type_count)
        return DVE_FAIL(f, t->channel_pos, "channel \"%s\" carries %u value%s, not %u", c->name,
            (unsigned) c->type_count, plural(c->type_count), (unsigned) t->value_count);
    if (c->used && t->value_count != c->width)
        return DVE_FAIL(f, t->channel_pos, "channel \"%s\" carries %u value%s at %u:%u, not %u",
            c->name, (unsigned) c->width, plural(c->width), (unsigned) c->used_pos.line,
            (unsigned) c->used_pos.column, (unsigned) t->value_count);
    if (!c->used) {
        c->used = true;
        c->width = t->value_count;
        c->used_pos = t->channel_pos;
    }
    return OM_OK;
}

static bool add_receiver(dve_file *f, dve_channel *c, const dve_process *p, const dve_transition *t)
{
    dve_receiver *r = om_region_take(&f->region, 1, sizeof *r);
    if (r == NULL)
        return false;
    *r = (dve_receiver){ p, t, NULL };
    if (c->receivers == NULL)
        c->receivers = r;
    else
        c->last_receiver->next = r;
    c->last_receiver = r;
    return true;
}

static bool make_kept(dve_file *f, dve_channel *c)
{
    c->kept = om_region_take(&f->region, (size_t) c->width + 1, sizeof *c->kept);
    for (uint32_t i = 0; i < c->width && c->kept != NULL; i++)
        c->kept[i] = OM_NONE;
    return c->kept != NULL;
}

static int resolve_channel(dve_file *f, const dve_process *p, dve_transition *t)
{
    const dve_symbol *s = dve_find(f, p, t->channel_name);
    om_place place = dve_place(f, t->channel_pos);
    if (s == NULL)
        s = dve_find(f, NULL, t->channel_name);
    if (s == NULL)
        return dve_unknown(f, &place, "channel", t->channel_name, NULL, false, DVE_IS_CHANNEL);
    if (s->kind != DVE_IS_CHANNEL)
        return DVE_FAIL(f, t->channel_pos, "\"%s\" is not a channel", t->channel_name);
    t->channel = s->channel;
    assert(t->sync != DVE_NO_SYNC);
    const bool known = t->channel->used;
    if (t->sync == DVE_RECEIVE && !add_receiver(f, t->channel, p, t))
        return om_fail_memory(f->ctx);
    const int rc = check_width(f, t->channel, t);
    return rc != OM_OK || known || make_kept(f, t->channel) ? rc : om_fail_memory(f->ctx);
}

static int resolve_transition(dve_file *f, const dve_process *p, dve_transition *t)
{
    int rc = resolve_state(f, p, &t->from);
    if (rc == OM_OK)
        rc = resolve_state(f, p, &t->to);
    if (rc == OM_OK && t->sync != DVE_NO_SYNC)
        rc = resolve_channel(f, p, t);
    return rc;
}

static int resolve_process(dve_file *f, dve_process *p)
{
    int rc = resolve_state(f, p, &p->init);
    for (dve_name *n = p->commits; n != NULL && rc == OM_OK; n = n->next)
        if ((rc = resolve_state(f, p, n)) == OM_OK)
            n->state->commit = true;
    for (dve_name *n = p->accepts; n != NULL && rc == OM_OK; n = n->next)
        if ((rc = resolve_state(f, p, n)) == OM_OK)
            n->state->accept = true;
    for (dve_assertion *a = p->assertions; a != NULL && rc == OM_OK; a = a->next)
        rc = resolve_state(f, p, &a->state);
    for (dve_transition *t = p->transitions; t != NULL && rc == OM_OK; t = t->next)
        rc = resolve_transition(f, p, t);
    return rc;
}

int dve_resolve(dve_file *f)
{
    if (f->property_name != NULL) {
        const dve_symbol *s = dve_find(f, NULL, f->property_name);
        om_place place = dve_place(f, f->property_pos);
        if (s == NULL)
            return dve_unknown(f, &place, "process", f->property_name, NULL, false, DVE_IS_PROCESS);
        if (s->kind != DVE_IS_PROCESS)
            return DVE_FAIL(f, f->property_pos, "\"%s\" is not a process", f->property_name);
        f->property = s->process;
        f->property->is_property = true;
    }
    int rc = dve_complete(f, f->file, f->references);
    for (dve_process *p = f->processes; p != NULL && rc == OM_OK; p = p->next)
        rc = resolve_process(f, p);
    return rc;
}

/* ---- arrays without an index ---- */

/* Returns the variable that a reference names, or NULL. */
static const dve_variable *variable_of(const dve_file *f, const dve_expr *e)
{
    const dve_symbol *owner = e->owner == NULL ? NULL : dve_find(f, NULL, e->owner);
    const dve_symbol *s = NULL;
    if (e->owner == NULL)
        s = dve_lookup(f, e->within, e->name);
    else if (owner != NULL && owner->kind == DVE_IS_PROCESS)
        s = dve_find(f, owner->process, e->name);
    return s != NULL && s->kind == DVE_IS_VARIABLE ? s->variable : NULL;
}

int dve_complete(dve_file *f, const char *origin, dve_expr *references)
{
    for (dve_expr *e = references; e != NULL; e = e->next_reference) {
        const dve_variable *v = e->a != NULL ? NULL : variable_of(f, e);
        if (v == NULL || !v->is_array)
            continue;
        if ((e->a = om_region_take(&f->region, 1, sizeof *e->a)) == NULL)
            return om_fail_memory(f->ctx);
        *e->a = (dve_expr){ .kind = DVE_NUMBER, .pos = e->name_pos, .depth = 1 };
        om_note(f->ctx, OM_NOTE_WARNING,
            &(om_place){ origin, e->name_pos.line, e->name_pos.column },
            "\"%s\" is an array and has no index here; its element 0 is used", v->name);
    }
    return OM_OK;
}
