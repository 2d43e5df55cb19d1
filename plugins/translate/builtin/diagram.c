/* SPDX-License-Identifier: Apache-2.0 */
#include "diagram.h"

#include <assert.h>
#include <string.h>

enum { FIRST_TABLE = 256, FIRST_CACHE = 1024, LAST_CACHE = 1 << 20 };

int dd_start(dd_space *d, const om_heap *heap, size_t most)
{
    *d = (dd_space){ .heap = heap, .most = most };
    d->nodes = om_grow(heap, NULL, &d->room, FIRST_TABLE / 2, sizeof *d->nodes);
    d->table = om_alloc(heap, FIRST_TABLE, sizeof *d->table);
    d->cache = om_alloc(heap, FIRST_CACHE, sizeof *d->cache);
    if (d->nodes == NULL || d->table == NULL || d->cache == NULL)
        return d->rc = OM_ENOMEM;
    d->table_size = FIRST_TABLE;
    d->cache_size = FIRST_CACHE;
    d->nodes[DD_FALSE] = (dd_node){ UINT32_MAX, DD_FALSE, DD_FALSE };
    d->nodes[DD_TRUE] = (dd_node){ UINT32_MAX, DD_TRUE, DD_TRUE };
    d->count = 2;
    return OM_OK;
}

void dd_finish(dd_space *d)
{
    om_free(d->heap, d->nodes);
    om_free(d->heap, d->table);
    om_free(d->heap, d->cache);
    memset(d, 0, sizeof *d);
}

static size_t hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t h = ((uint64_t) a << 32 | b) * 0x9e3779b97f4a7c15u + c;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
    return (size_t) (h ^ (h >> 30));
}

static size_t find_place(const dd_space *d, dd_node n)
{
    size_t mask = d->table_size - 1, at = hash(n.level, n.low, n.high) & mask;
    while (d->table[at] != 0) {
        const dd_node *m = &d->nodes[d->table[at]];
        if (m->level == n.level && m->low == n.low && m->high == n.high)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static bool grow_table(dd_space *d)
{
    uint32_t *table = om_alloc(d->heap, d->table_size * 2, sizeof *table);
    if (table == NULL)
        return false;
    om_free(d->heap, d->table);
    d->table = table;
    d->table_size *= 2;
    for (size_t i = 2; i < d->count; i++)
        table[find_place(d, d->nodes[i])] = (uint32_t) i;
    /* The cache follows. It is lossy, so it may as well start afresh, or stay as it is. */
    if (d->cache_size < LAST_CACHE && d->cache_size < d->table_size) {
        dd_result *cache = om_alloc(d->heap, d->cache_size * 2, sizeof *cache);
        if (cache == NULL)
            return false;
        om_free(d->heap, d->cache);
        d->cache = cache;
        d->cache_size *= 2;
    }
    return true;
}

static dd fail(dd_space *d, int rc)
{
    if (d->rc == OM_OK)
        d->rc = rc;
    return DD_NONE;
}

static dd make(dd_space *d, uint32_t level, dd low, dd high)
{
    dd_node n = { level, low, high };
    if (low == DD_NONE || high == DD_NONE)
        return DD_NONE;
    if (low == high)
        return low;
    assert(level < dd_level(d, low) && level < dd_level(d, high));
    size_t at = find_place(d, n);
    if (d->table[at] != 0)
        return d->table[at];
    if (d->count >= d->most)
        return fail(d, OM_ELIMIT);
    if ((d->count + 1) * 2 > d->table_size) {
        if (!grow_table(d))
            return fail(d, OM_ENOMEM);
        at = find_place(d, n);
    }
    dd_node *moved = om_grow(d->heap, d->nodes, &d->room, d->count + 1, sizeof *moved);
    if (moved == NULL)
        return fail(d, OM_ENOMEM);
    d->nodes = moved;
    moved[d->count] = n;
    return d->table[at] = (dd) d->count++;
}

dd dd_variable(dd_space *d, uint32_t level, bool positive)
{
    if (d->rc != OM_OK)
        return DD_NONE;
    return make(d, level, positive ? DD_FALSE : DD_TRUE, positive ? DD_TRUE : DD_FALSE);
}

dd dd_if(dd_space *d, dd f, dd g, dd h)
{
    if (d->rc != OM_OK || f == DD_NONE || g == DD_NONE || h == DD_NONE)
        return DD_NONE;
    if (f == DD_TRUE || g == h)
        return g;
    if (f == DD_FALSE)
        return h;
    if (g == DD_TRUE && h == DD_FALSE)
        return f;
    const dd_result *c = &d->cache[hash(f, g, h) & (d->cache_size - 1)];
    if (c->f == f && c->g == g && c->h == h)
        return c->value;
    uint32_t level = dd_level(d, f);
    if (dd_level(d, g) < level)
        level = dd_level(d, g);
    if (dd_level(d, h) < level)
        level = dd_level(d, h);
    dd low = dd_if(d, dd_cofactor(d, f, level, false), dd_cofactor(d, g, level, false),
        dd_cofactor(d, h, level, false));
    dd high = dd_if(d, dd_cofactor(d, f, level, true), dd_cofactor(d, g, level, true),
        dd_cofactor(d, h, level, true));
    dd value = make(d, level, low, high);
    if (value != DD_NONE) /* the cache may have moved meanwhile */
        d->cache[hash(f, g, h) & (d->cache_size - 1)] = (dd_result){ f, g, h, value };
    return value;
}

dd dd_and(dd_space *d, dd f, dd g)
{
    return f < g ? dd_if(d, f, g, DD_FALSE) : dd_if(d, g, f, DD_FALSE);
}

dd dd_or(dd_space *d, dd f, dd g)
{
    return f < g ? dd_if(d, f, DD_TRUE, g) : dd_if(d, g, DD_TRUE, f);
}

dd dd_minus(dd_space *d, dd f, dd g)
{
    return dd_if(d, g, DD_FALSE, f);
}

typedef struct sum {
    dd_space *d;
    uint32_t first;
    dd_cubes *out;
} sum;

static dd add_cube(sum *s, om_cube c)
{
    dd_cubes *out = s->out;
    om_cube *moved = om_grow(s->d->heap, out->cubes, &out->room, out->count + 1, sizeof *moved);
    if (moved == NULL)
        return fail(s->d, OM_ENOMEM);
    out->cubes = moved;
    moved[out->count++] = c;
    return DD_TRUE;
}

/*
 * Adds cubes, each within `c`, that together cover `lower` and nothing outside `upper`; returns
 * what they cover. S. Minato, "Fast generation of irredundant sum-of-products forms from binary
 * decision diagrams", SASIMI 1992.
 */
static dd cover(sum *s, dd lower, dd upper, om_cube c)
{
    dd_space *d = s->d;
    if (d->rc != OM_OK)
        return DD_NONE;
    if (lower == DD_FALSE)
        return DD_FALSE;
    if (upper == DD_TRUE)
        return add_cube(s, c);
    uint32_t level = dd_level(d, upper);
    if (dd_level(d, lower) < level)
        level = dd_level(d, lower);
    assert(level >= s->first && level - s->first < 64);
    uint64_t bit = UINT64_C(1) << (level - s->first);
    dd lower0 = dd_cofactor(d, lower, level, false), lower1 = dd_cofactor(d, lower, level, true);
    dd upper0 = dd_cofactor(d, upper, level, false), upper1 = dd_cofactor(d, upper, level, true);

    dd only0 = cover(s, dd_minus(d, lower0, upper1), upper0, (om_cube){ c.pos, c.neg | bit });
    dd only1 = cover(s, dd_minus(d, lower1, upper0), upper1, (om_cube){ c.pos | bit, c.neg });
    dd left = dd_or(d, dd_minus(d, lower0, only0), dd_minus(d, lower1, only1));
    dd both = cover(s, left, dd_and(d, upper0, upper1), c);
    dd covered = make(d, level, dd_or(d, only0, both), dd_or(d, only1, both));
    return covered;
}

int dd_sum_of_products(dd_space *d, dd f, uint32_t first, dd_cubes *out)
{
    sum s = { d, first, out };
    out->count = 0;
    dd covered = cover(&s, f, f, (om_cube){ 0, 0 });
    assert(d->rc != OM_OK || covered == f);
    (void) covered;
    return d->rc;
}
