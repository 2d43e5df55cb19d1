/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols.h"

#include <assert.h>
#include <string.h>

/* FNV-1a over the name, mixed with the scope. */
static size_t hash(const dve_process *scope, const char *name)
{
    uint64_t h = 0xcbf29ce484222325u ^ ((uint64_t) (uintptr_t) scope * 0x9e3779b97f4a7c15u);
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char) *name) * 0x100000001b3u;
    return (size_t) (h ^ (h >> 32));
}

/* Returns the bucket of that name in that scope, or the empty bucket to insert it. */
static uint32_t *probe(const dve_file *f, const dve_process *scope, const char *name)
{
    size_t mask = f->capacity - 1;
    assert(f->capacity != 0 && (f->capacity & mask) == 0);
    for (size_t i = hash(scope, name) & mask;; i = (i + 1) & mask) {
        const dve_symbol *s = f->index[i] == 0 ? NULL : &f->symbols[f->index[i] - 1];
        if (s == NULL || (s->scope == scope && strcmp(s->name, name) == 0))
            return &f->index[i];
    }
}

const dve_symbol *dve_find(const dve_file *f, const dve_process *scope, const char *name)
{
    uint32_t at = *probe(f, scope, name);
    return at == 0 ? NULL : &f->symbols[at - 1];
}

const dve_symbol *dve_lookup(const dve_file *f, const dve_process *process, const char *name)
{
    const dve_symbol *s = process == NULL ? NULL : dve_find(f, process, name);
    return s != NULL ? s : dve_find(f, NULL, name);
}

static const char *kind_name(dve_symbol_kind kind)
{
    return kind == DVE_IS_VARIABLE  ? "variable"
           : kind == DVE_IS_CHANNEL ? "channel"
           : kind == DVE_IS_PROCESS ? "process"
                                    : "state";
}

static int enter(dve_file *f, dve_symbol symbol)
{
    uint32_t *at = probe(f, symbol.scope, symbol.name);
    if (*at != 0) {
        const dve_symbol *s = &f->symbols[*at - 1];
        return DVE_FAIL(f, symbol.pos, "%s \"%s\" has the name of the %s declared at %u:%u",
            kind_name(symbol.kind), symbol.name, kind_name(s->kind), (unsigned) s->pos.line,
            (unsigned) s->pos.column);
    }
    assert(2 * (f->symbol_count + 1) <= f->capacity); /* probes end */
    f->symbols[f->symbol_count] = symbol;
    *at = (uint32_t) ++f->symbol_count;
    return OM_OK;
}

static size_t count_symbols(const dve_file *f)
{
    size_t n = f->process_count;
    for (const dve_variable *v = f->variables; v != NULL; v = v->next)
        n++;
    for (const dve_channel *c = f->channels; c != NULL; c = c->next)
        n++;
    for (const dve_process *p = f->processes; p != NULL; p = p->next) {
        n += p->state_count;
        for (const dve_variable *v = p->variables; v != NULL; v = v->next)
            n++;
    }
    return n;
}

static int enter_variables(dve_file *f, const dve_process *scope, dve_variable *list)
{
    int rc = OM_OK;
    for (dve_variable *v = list; v != NULL && rc == OM_OK; v = v->next)
        rc = enter(f, (dve_symbol){ v->name, scope, DVE_IS_VARIABLE, v->pos, { .variable = v } });
    return rc;
}

static int enter_process(dve_file *f, dve_process *p)
{
    int rc = enter_variables(f, p, p->variables);
    for (dve_state *s = p->states; s != NULL && rc == OM_OK; s = s->next)
        rc = enter(f, (dve_symbol){ s->name, p, DVE_IS_STATE, s->pos, { .state = s } });
    return rc;
}

int dve_declare(dve_file *f)
{
    size_t count = count_symbols(f);
    f->capacity = 16;
    while (f->capacity < 2 * count)
        f->capacity *= 2;
    f->symbols = om_region_take(&f->region, count, sizeof *f->symbols);
    f->index = om_region_take(&f->region, f->capacity, sizeof *f->index);
    if (f->symbols == NULL || f->index == NULL)
        return om_fail_memory(f->ctx);
    int rc = enter_variables(f, NULL, f->variables);
    for (dve_channel *c = f->channels; c != NULL && rc == OM_OK; c = c->next)
        rc = enter(f, (dve_symbol){ c->name, NULL, DVE_IS_CHANNEL, c->pos, { .channel = c } });
    for (dve_process *p = f->processes; p != NULL && rc == OM_OK; p = p->next)
        rc = enter(f, (dve_symbol){ p->name, NULL, DVE_IS_PROCESS, p->pos, { .process = p } });
    for (dve_process *p = f->processes; p != NULL && rc == OM_OK; p = p->next)
        rc = enter_process(f, p);
    return rc;
}

/* Appends the names of one scope. */
static void collect(
    const dve_file *f, const dve_process *scope, unsigned kinds, const char **names, size_t *n)
{
    for (size_t i = 0; i < f->symbol_count; i++)
        if (f->symbols[i].scope == scope && ((unsigned) f->symbols[i].kind & kinds) != 0)
            names[(*n)++] = f->symbols[i].name;
}

int dve_unknown(const dve_file *f, const om_place *place, const char *what, const char *name,
    const dve_process *scope, bool outer, unsigned kinds)
{
    const char **names = om_alloc(f->region.heap, f->symbol_count + 1, sizeof *names);
    size_t n = 0;
    if (names == NULL)
        return om_fail_memory(f->ctx);
    collect(f, scope, kinds, names, &n);
    if (outer && scope != NULL)
        collect(f, NULL, kinds, names, &n);
    assert(n <= f->symbol_count);
    const char *nearest = om_nearest(name, names, n);
    int rc = nearest == NULL ? om_fail(f->ctx, OM_EINPUT, place, "unknown %s \"%s\"", what, name)
                             : om_fail(f->ctx, OM_EINPUT, place,
                                   "unknown %s \"%s\"; did you mean \"%s\"?", what, name, nearest);
    om_free(f->region.heap, names);
    return rc;
}
