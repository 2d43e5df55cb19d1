/* SPDX-License-Identifier: Apache-2.0 */
#include "space.h"

#include <assert.h>
#include <string.h>

enum { FIRST_TABLE = 256, FIRST_CACHE = 1024, LAST_CACHE = 1 << 20 };
/* Steps between two checks for a stop request. */
enum { ASK_EVERY = 1 << 12 };

/* ---- spaces ---- */

int om_bdd_space_new(om_bdd_space **out, om_context *ctx, size_t most)
{
    const om_heap *heap = om_context_heap(ctx);
    if (most < 2)
        return om_fail(ctx, OM_EINVAL, NULL, "a space of diagrams must hold the constants");
    om_bdd_space *s = om_alloc(heap, 1, sizeof *s);
    if (s == NULL)
        return om_fail_memory(ctx);
    *s = (om_bdd_space){
        .ctx = ctx, .heap = heap, .most = most < OM_BDD_NONE ? most : OM_BDD_NONE - 1
    };
    s->nodes = om_grow(heap, NULL, &s->capacity, FIRST_TABLE / 2, sizeof *s->nodes);
    s->table = om_alloc(heap, FIRST_TABLE, sizeof *s->table);
    s->cache = om_alloc(heap, FIRST_CACHE, sizeof *s->cache);
    if (s->nodes == NULL || s->table == NULL || s->cache == NULL) {
        om_bdd_space_free(s);
        return om_fail_memory(ctx);
    }
    s->table_size = FIRST_TABLE;
    s->cache_size = FIRST_CACHE;
    s->nodes[OM_BDD_FALSE] = (om_bdd_node){ OM_NONE, OM_BDD_FALSE, OM_BDD_FALSE };
    s->nodes[OM_BDD_TRUE] = (om_bdd_node){ OM_NONE, OM_BDD_TRUE, OM_BDD_TRUE };
    s->count = 2;
    *out = s;
    return OM_OK;
}

void om_bdd_space_free(om_bdd_space *s)
{
    if (s == NULL)
        return;
    OM_FREE_ALL(s->heap, s->nodes, s->table, s->cache, s);
}

int om_bdd_space_status(const om_bdd_space *s)
{
    return s->status;
}

size_t om_bdd_space_count(const om_bdd_space *s)
{
    return s->count;
}

om_bdd om_bdd__fail(om_bdd_space *s, int status)
{
    if (s->status == OM_OK)
        s->status = status;
    return OM_BDD_NONE;
}

bool om_bdd__refuses(om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h)
{
    if (s->status == OM_OK && (f >= s->count || g >= s->count || h >= s->count))
        s->status = OM_EINVAL;
    return s->status != OM_OK;
}

/* ---- the tables ---- */

static size_t hash(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t h = ((uint64_t) a << 32 | b) * 0x9e3779b97f4a7c15u + c;
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
    return (size_t) (h ^ (h >> 30));
}

static om_bdd_result *cache_place(const om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h)
{
    return &s->cache[hash(f, g, h) & (s->cache_size - 1)];
}

/* Returns the table index of a node, or the free one where it belongs. */
static size_t find_place(const om_bdd_space *s, om_bdd_node n)
{
    size_t mask = s->table_size - 1, at = hash(n.level, n.low, n.high) & mask;
    while (s->table[at] != 0) {
        const om_bdd_node *m = &s->nodes[s->table[at]];
        if (m->level == n.level && m->low == n.low && m->high == n.high)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static bool grow_table(om_bdd_space *s)
{
    uint32_t *table = om_alloc(s->heap, s->table_size * 2, sizeof *table);
    if (table == NULL)
        return false;
    om_free(s->heap, s->table);
    s->table = table;
    s->table_size *= 2;
    for (size_t i = 2; i < s->count; i++) { /* in this order: I2 */
        size_t at = find_place(s, s->nodes[i]);
        assert(table[at] == 0); /* I1 */
        table[at] = (uint32_t) i;
    }
    return true;
}

/* Grows the cache with the table, up to LAST_CACHE. The cache is lossy, so the new one is empty. */
static bool grow_cache(om_bdd_space *s)
{
    if (s->cache_size >= LAST_CACHE || s->cache_size >= s->table_size)
        return true;
    om_bdd_result *cache = om_alloc(s->heap, s->cache_size * 2, sizeof *cache);
    if (cache == NULL)
        return false;
    om_free(s->heap, s->cache);
    s->cache = cache;
    s->cache_size *= 2;
    return true;
}

void om_bdd_space_forget(om_bdd_space *s, size_t count)
{
    size_t keep = count < 2 ? 2 : count;
    if (keep >= s->count)
        return;
    while (s->count > keep) { /* newest first: I2 */
        size_t newest = s->count - 1, at = find_place(s, s->nodes[newest]);
        assert(s->table[at] == newest);
        s->table[at] = 0;
        s->count = newest;
    }
    memset(s->cache, 0, s->cache_size * sizeof *s->cache); /* I3 */
}

om_bdd om_bdd__make(om_bdd_space *s, uint32_t level, om_bdd low, om_bdd high)
{
    om_bdd_node n = { level, low, high };
    if (low == OM_BDD_NONE || high == OM_BDD_NONE)
        return OM_BDD_NONE;
    if (low == high)
        return low;
    assert(level < om_bdd__level(s, low) && level < om_bdd__level(s, high)); /* I1 */
    size_t at = find_place(s, n);
    if (s->table[at] != 0)
        return s->table[at];
    if (s->count >= s->most)
        return om_bdd__fail(s, OM_ELIMIT);
    if ((s->count + 1) * 2 > s->table_size) {
        if (!grow_table(s) || !grow_cache(s))
            return om_bdd__fail(s, OM_ENOMEM);
        at = find_place(s, n);
    }
    if (!OM_ROOM(s->heap, s->nodes, &s->capacity, s->count + 1))
        return om_bdd__fail(s, OM_ENOMEM);
    s->nodes[s->count] = n;
    assert(s->table[at] == 0 && s->count * 2 <= s->table_size); /* I2 */
    return s->table[at] = (om_bdd) s->count++;
}

/* ---- functions ---- */

om_bdd om_bdd_variable(om_bdd_space *s, uint32_t level, bool positive)
{
    if (s->status != OM_OK)
        return OM_BDD_NONE;
    if (level >= OM_BDD_LEVELS)
        return om_bdd__fail(s, OM_EINVAL);
    return om_bdd__make(
        s, level, positive ? OM_BDD_FALSE : OM_BDD_TRUE, positive ? OM_BDD_TRUE : OM_BDD_FALSE);
}

/* The recursion depth is bounded by the number of levels: each call descends at least one. */
om_bdd om_bdd__ite(om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h)
{
    if (f == OM_BDD_NONE || g == OM_BDD_NONE || h == OM_BDD_NONE)
        return OM_BDD_NONE;
    /* Normalise triples of the same function, to find more of them in the cache. */
    if (g == f)
        g = OM_BDD_TRUE;
    if (h == f)
        h = OM_BDD_FALSE;
    if (f == OM_BDD_TRUE || g == h)
        return g;
    if (f == OM_BDD_FALSE)
        return h;
    if (g == OM_BDD_TRUE && h == OM_BDD_FALSE)
        return f;
    const om_bdd_result *known = cache_place(s, f, g, h);
    if (known->f == f && known->g == g && known->h == h) {
        assert(known->value < s->count); /* I3 */
        return known->value;
    }
    if (++s->steps % ASK_EVERY == 0 && om_context_stopped(s->ctx) != OM_OK)
        return om_bdd__fail(s, om_context_stopped(s->ctx));
    uint32_t level = om_bdd__level(s, f);
    if (om_bdd__level(s, g) < level)
        level = om_bdd__level(s, g);
    if (om_bdd__level(s, h) < level)
        level = om_bdd__level(s, h);
    assert(level < OM_BDD_LEVELS);
    om_bdd low = om_bdd__ite(s, om_bdd__cofactor(s, f, level, false),
        om_bdd__cofactor(s, g, level, false), om_bdd__cofactor(s, h, level, false));
    if (low == OM_BDD_NONE)
        return OM_BDD_NONE;
    om_bdd high = om_bdd__ite(s, om_bdd__cofactor(s, f, level, true),
        om_bdd__cofactor(s, g, level, true), om_bdd__cofactor(s, h, level, true));
    om_bdd value = om_bdd__make(s, level, low, high);
    if (value != OM_BDD_NONE) /* the cache may have moved during the calls */
        *cache_place(s, f, g, h) = (om_bdd_result){ f, g, h, value };
    return value;
}

om_bdd om_bdd_ite(om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h)
{
    return om_bdd__refuses(s, f, g, h) ? OM_BDD_NONE : om_bdd__ite(s, f, g, h);
}

om_bdd om_bdd_not(om_bdd_space *s, om_bdd f)
{
    return om_bdd_ite(s, f, OM_BDD_FALSE, OM_BDD_TRUE);
}

om_bdd om_bdd_and(om_bdd_space *s, om_bdd f, om_bdd g)
{
    return f < g ? om_bdd_ite(s, f, g, OM_BDD_FALSE) : om_bdd_ite(s, g, f, OM_BDD_FALSE);
}

om_bdd om_bdd_or(om_bdd_space *s, om_bdd f, om_bdd g)
{
    return f < g ? om_bdd_ite(s, f, OM_BDD_TRUE, g) : om_bdd_ite(s, g, OM_BDD_TRUE, f);
}

om_bdd om_bdd_minus(om_bdd_space *s, om_bdd f, om_bdd g)
{
    return om_bdd_ite(s, g, OM_BDD_FALSE, f);
}

/* ---- inspection ---- */

uint32_t om_bdd_level(const om_bdd_space *s, om_bdd f)
{
    return f < s->count ? om_bdd__level(s, f) : OM_NONE;
}

om_bdd om_bdd_cofactor(const om_bdd_space *s, om_bdd f, uint32_t level, bool value)
{
    return f < s->count ? om_bdd__cofactor(s, f, level, value) : OM_BDD_NONE;
}
