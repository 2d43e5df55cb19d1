/* SPDX-License-Identifier: Apache-2.0 */
#include "bdd.h"

#include <string.h>

enum { MOST_NODES = 1 << 20, MOST_CUBES = 1 << 16, LEAF = 64, FIRST_INDEX = 256 };

void om_bdd_free(om_bdd *b)
{
    om_free(b->heap, b->nodes);
    om_free(b->heap, b->index);
    om_free(b->heap, b->cache);
    om_free(b->heap, b->cubes);
    *b = (om_bdd){ .heap = b->heap };
}

static size_t hash(uint32_t a, uint32_t b, uint32_t c, size_t size)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xbf58476d1ce4e5b9) ^
                 c * UINT64_C(0x94d049bb133111eb);
    return (size_t) ((x ^ (x >> 29)) * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (size - 1);
}

/* Where a node is in the index, or the free place where it would be. */
static size_t place(const om_bdd *b, om_bdd_node n)
{
    size_t i = hash(n.var, n.low, n.high, b->index_size);
    while (b->index[i] != 0) {
        const om_bdd_node *m = &b->nodes[b->index[i]];
        if (m->var == n.var && m->low == n.low && m->high == n.high)
            break;
        i = (i + 1) & (b->index_size - 1);
    }
    return i;
}

static void index_all(om_bdd *b)
{
    memset(b->index, 0, b->index_size * sizeof *b->index);
    memset(b->cache, 0, b->index_size * sizeof *b->cache);
    for (size_t i = 2; i < b->count; i++)
        b->index[place(b, b->nodes[i])] = (uint32_t) i;
}

void om_bdd_forget(om_bdd *b, size_t count)
{
    if (b->index == NULL || count >= b->count)
        return;
    b->count = count < 2 ? 2 : count;
    index_all(b);
}

/* Room for one more node, with the index at most half full. */
static bool make_room(om_bdd *b)
{
    om_bdd_node *nodes = om_grow(b->heap, b->nodes, &b->room, b->count + 3, sizeof *nodes);
    if (nodes == NULL)
        return false;
    b->nodes = nodes;
    if (b->count == 0) {
        b->nodes[0] = b->nodes[1] = (om_bdd_node){ LEAF, 0, 0 };
        b->count = 2;
    }
    if (b->count * 2 < b->index_size)
        return true;
    size_t size = b->index_size == 0 ? FIRST_INDEX : b->index_size * 2;
    uint32_t *index = om_alloc(b->heap, size, sizeof *index);
    om_bdd_entry *cache = om_alloc(b->heap, size, sizeof *cache);
    if (index == NULL || cache == NULL) {
        om_free(b->heap, index);
        om_free(b->heap, cache);
        return false;
    }
    om_free(b->heap, b->index);
    om_free(b->heap, b->cache);
    b->index = index;
    b->cache = cache;
    b->index_size = size;
    index_all(b);
    return true;
}

static uint32_t node(om_bdd *b, uint32_t var, uint32_t low, uint32_t high)
{
    om_bdd_node n = { var, low, high };
    if (b->failure != OM_OK)
        return OM_BDD_FALSE;
    if (low == high)
        return low;
    if (!make_room(b)) {
        b->failure = OM_ENOMEM;
        return OM_BDD_FALSE;
    }
    size_t at = place(b, n);
    if (b->index[at] == 0) {
        if (b->count >= MOST_NODES) {
            b->failure = OM_ELIMIT;
            return OM_BDD_FALSE;
        }
        b->index[at] = (uint32_t) b->count;
        b->nodes[b->count++] = n;
    }
    return b->index[at];
}

uint32_t om_bdd_var(om_bdd *b, uint32_t var)
{
    return node(b, var, OM_BDD_FALSE, OM_BDD_TRUE);
}

static uint32_t top(const om_bdd *b, uint32_t f)
{
    return f < 2 ? LEAF : b->nodes[f].var;
}

static uint32_t cofactor(const om_bdd *b, uint32_t f, uint32_t var, bool value)
{
    if (top(b, f) != var)
        return f;
    return value ? b->nodes[f].high : b->nodes[f].low;
}

uint32_t om_bdd_ite(om_bdd *b, uint32_t f, uint32_t g, uint32_t h)
{
    if (b->failure != OM_OK)
        return OM_BDD_FALSE;
    if (f < 2 || g == h)
        return f == OM_BDD_FALSE ? h : g;
    if (g == OM_BDD_TRUE && h == OM_BDD_FALSE)
        return f;
    const om_bdd_entry *known = &b->cache[hash(f, g, h, b->index_size)];
    if (known->f == f && known->g == g && known->h == h)
        return known->result;
    uint32_t var = top(b, f);
    var = top(b, g) < var ? top(b, g) : var;
    var = top(b, h) < var ? top(b, h) : var;
    uint32_t low = om_bdd_ite(
        b, cofactor(b, f, var, false), cofactor(b, g, var, false), cofactor(b, h, var, false));
    uint32_t high = om_bdd_ite(
        b, cofactor(b, f, var, true), cofactor(b, g, var, true), cofactor(b, h, var, true));
    uint32_t result = node(b, var, low, high);
    if (b->failure == OM_OK) /* the cache may have moved */
        b->cache[hash(f, g, h, b->index_size)] = (om_bdd_entry){ f, g, h, result };
    return result;
}

static void put_cube(om_bdd *b, om_cube cube)
{
    if (b->failure == OM_OK && b->cube_count >= MOST_CUBES)
        b->failure = OM_ELIMIT;
    if (b->failure != OM_OK)
        return;
    om_cube *moved = om_grow(b->heap, b->cubes, &b->cube_room, b->cube_count + 1, sizeof *moved);
    if (moved == NULL) {
        b->failure = OM_ENOMEM;
        return;
    }
    b->cubes = moved;
    b->cubes[b->cube_count++] = cube;
}

static uint32_t both(om_bdd *b, uint32_t f, uint32_t g)
{
    return om_bdd_ite(b, f, g, OM_BDD_FALSE);
}

static uint32_t without(om_bdd *b, uint32_t f, uint32_t g)
{
    return om_bdd_ite(b, g, OM_BDD_FALSE, f);
}

/*
 * Cubes whose union lies between `low` and `high` (low implies high), all of them inside `in`;
 * returns that union without `in`. S. Minato, Fast generation of prime-irredundant covers from
 * binary decision diagrams, IEICE Trans. E76-A (1993).
 */
static uint32_t cover(om_bdd *b, uint32_t low, uint32_t high, om_cube in)
{
    if (b->failure != OM_OK || low == OM_BDD_FALSE)
        return OM_BDD_FALSE;
    if (high == OM_BDD_TRUE) {
        put_cube(b, in);
        return OM_BDD_TRUE;
    }
    uint32_t var = top(b, low) < top(b, high) ? top(b, low) : top(b, high);
    uint64_t bit = UINT64_C(1) << var;
    uint32_t low0 = cofactor(b, low, var, false), low1 = cofactor(b, low, var, true);
    uint32_t high0 = cofactor(b, high, var, false), high1 = cofactor(b, high, var, true);
    uint32_t got1 = cover(b, without(b, low1, high0), high1, (om_cube){ in.pos | bit, in.neg });
    uint32_t got0 = cover(b, without(b, low0, high1), high0, (om_cube){ in.pos, in.neg | bit });
    uint32_t rest = om_bdd_ite(b, without(b, low0, got0), OM_BDD_TRUE, without(b, low1, got1));
    uint32_t got = cover(b, rest, both(b, high0, high1), in);
    return node(
        b, var, om_bdd_ite(b, got0, OM_BDD_TRUE, got), om_bdd_ite(b, got1, OM_BDD_TRUE, got));
}

void om_bdd_cubes(om_bdd *b, uint32_t f)
{
    b->cube_count = 0;
    (void) cover(b, f, f, (om_cube){ 0, 0 });
}
