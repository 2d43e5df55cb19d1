/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels as lists of cubes: a disjunction of conjunctions of literals, each a set of APs that hold
 * and a set of APs that do not. 64 APs fit one word a set, so implication takes two masks: a cube
 * implies another if it tests at least the literals of the other. The lists of an edge or a state
 * are short; bdd/ serves large formulas.
 */
#include "tela.h"

#include <assert.h>

int om_cubes__reduce(om_context *ctx, om_cube *cubes, size_t *count)
{
    size_t kept = 0;
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < *count; i++) {
        rc = om_context_stopped(ctx);
        om_cube c = cubes[i];
        bool useless = (c.pos & c.neg) != 0;
        for (size_t j = 0; j < kept && !useless; j++)
            useless =
                (c.pos & cubes[j].pos) == cubes[j].pos && (c.neg & cubes[j].neg) == cubes[j].neg;
        if (useless)
            continue;
        size_t rest = 0;
        for (size_t j = 0; j < kept; j++)
            if ((cubes[j].pos & c.pos) != c.pos || (cubes[j].neg & c.neg) != c.neg)
                cubes[rest++] = cubes[j];
        cubes[rest++] = c;
        kept = rest;
    }
    *count = kept;
    return rc;
}

/* Lists of cubes on a stack; the list in use ends at the end of the array. */
typedef struct om_cover {
    om_context *ctx;
    const om_heap *heap;
    om_cube *cubes;
    size_t count, capacity;
} om_cover;

static int cover_put(om_cover *c, om_cube cube)
{
    if (!OM_ROOM(c->heap, c->cubes, &c->capacity, c->count + 1))
        return om_fail_memory(c->ctx);
    c->cubes[c->count++] = cube;
    return OM_OK;
}

/* Returns the bit that most cubes test, among the bits tested both ways; 0 if there is none. */
static uint64_t splitter(const om_cover *c, size_t begin)
{
    uint64_t pos = 0, neg = 0, best = 0;
    size_t most = 0;
    for (size_t i = begin; i < c->count; i++) {
        pos |= c->cubes[i].pos;
        neg |= c->cubes[i].neg;
    }
    for (uint64_t both = pos & neg; both != 0; both &= both - 1) {
        uint64_t bit = both & -both;
        size_t n = 0;
        for (size_t i = begin; i < c->count; i++)
            n += ((c->cubes[i].pos | c->cubes[i].neg) & bit) != 0;
        if (n > most) {
            most = n;
            best = bit;
        }
    }
    return best;
}

/*
 * Sets *all to true if the list from `begin` on is a tautology. By Shannon expansion; a list in
 * which no AP is tested both ways is a tautology only if it contains the true cube. Each level
 * settles one AP: at most 64 deep.
 */
static int tautology(om_cover *c, size_t begin, bool *all)
{
    size_t end = c->count;
    assert(begin <= end);
    for (size_t i = begin; i < end; i++)
        if ((c->cubes[i].pos | c->cubes[i].neg) == 0) {
            *all = true;
            return OM_OK;
        }
    uint64_t bit = splitter(c, begin);
    int rc = om_context_stopped(c->ctx);
    *all = bit != 0;
    for (int value = 0; rc == OM_OK && value < 2 && *all; value++) {
        for (size_t i = begin; rc == OM_OK && i < end; i++) {
            om_cube cube = c->cubes[i];
            if (((value ? cube.neg : cube.pos) & bit) != 0)
                continue;
            cube.pos &= ~bit;
            cube.neg &= ~bit;
            rc = cover_put(c, cube);
        }
        if (rc == OM_OK)
            rc = tautology(c, end, all);
        c->count = end;
    }
    return rc;
}

int om_cubes__cover(om_context *ctx, const om_cube *cubes, size_t count, bool *all)
{
    om_cover c = { .ctx = ctx, .heap = om_context_heap(ctx) };
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < count; i++)
        if ((cubes[i].pos & cubes[i].neg) == 0)
            rc = cover_put(&c, cubes[i]);
    if (rc == OM_OK)
        rc = tautology(&c, 0, all);
    om_free(c.heap, c.cubes);
    return rc;
}
