/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visible variables by name. A parser keeps the visible variables as a list, from the innermost
 * one outwards, and leaves a scope by resetting the list. The table follows when a name is looked
 * up: variables that have left the list are removed, and new ones are added. Each variable is
 * added and removed once per scope, however often names are looked up.
 */
#include "parser.h"

#include <assert.h>
#include <string.h>

static bool is_listed(const pml_visible *x, const pml_variable *v)
{
    return v->visible_at != 0 && v->visible_at <= x->count && x->at[v->visible_at - 1] == v;
}

static void take_out(pml_visible *x, size_t count)
{
    while (x->count > count) {
        const pml_variable *v = x->at[--x->count];
        assert(v->visible_at == x->count + 1);
        pml_index_drop(&x->names, v->name, strlen(v->name), NULL);
    }
}

/* The array belongs to the region and is freed with the file. */
static bool make_room(pml_visible *x, size_t count)
{
    if (count <= x->room)
        return true;
    const size_t room = count < 32 ? 64 : 2 * count;
    pml_variable **at = om_region_take(x->names.region, room, sizeof(pml_variable *));
    if (at == NULL)
        return false;
    if (x->count != 0)
        memcpy(at, x->at, x->count * sizeof(pml_variable *));
    x->at = at;
    x->room = room;
    return true;
}

/* Makes the table equal to the parser's scope. If memory runs out, empties it and returns false. */
static bool follow(const pml_parser *p, pml_visible *x)
{
    size_t fresh = 0;
    pml_variable *v = p->scope;
    for (; v != NULL && !is_listed(x, v); v = v->hidden_by)
        fresh++;
    take_out(x, v == NULL ? 0 : v->visible_at);
    x->names.region = &p->file->region;
    if (!make_room(x, x->count + fresh)) {
        take_out(x, 0);
        return false;
    }
    const size_t base = x->count;
    v = p->scope;
    for (size_t i = base + fresh; i > base; i--, v = v->hidden_by) {
        x->at[i - 1] = v;
        v->visible_at = (uint32_t) i;
    }
    for (; x->count < base + fresh; x->count++) {
        const char *name = x->at[x->count]->name;
        if (!pml_index_put(&x->names, name, strlen(name), NULL, x->at[x->count])) {
            take_out(x, 0);
            return false;
        }
    }
    return true;
}

void pml_forget_visible(pml_file *f)
{
    take_out(&f->visible, 0);
}

pml_variable *pml_find(const pml_parser *p, const pml_token *name)
{
    pml_visible *x = &p->file->visible;
    if (follow(p, x))
        return pml_index_get(&x->names, name->text, name->length, NULL);
    pml_variable *v = p->scope;
    while (v != NULL && !pml_named(v->name, name))
        v = v->hidden_by;
    return v;
}
