/* SPDX-License-Identifier: Apache-2.0 */
/* cover.c: irredundant sums of products, by Minato's recursion (see bdd.h). */
#include "space.h"

#include <assert.h>

typedef struct om_bdd_cover {
    om_bdd_space *s;
    uint32_t first;
    size_t most;
    om_cube_list *out;
} om_bdd_cover;

static om_bdd add_cube(const om_bdd_cover *c, om_cube cube)
{
    om_cube_list *out = c->out;
    if (out->count >= c->most)
        return om_bdd__fail(c->s, OM_ELIMIT);
    if (!OM_ROOM(c->s->heap, out->cubes, &out->capacity, out->count + 1))
        return om_bdd__fail(c->s, OM_ENOMEM);
    out->cubes[out->count++] = cube;
    return OM_BDD_TRUE;
}

static om_bdd either(om_bdd_space *s, om_bdd f, om_bdd g)
{
    return om_bdd__ite(s, f, OM_BDD_TRUE, g);
}

static om_bdd minus(om_bdd_space *s, om_bdd f, om_bdd g)
{
    return om_bdd__ite(s, g, OM_BDD_FALSE, f);
}

/*
 * Adds cubes, each within `in`, that together cover `lower` and nothing outside `upper`; returns
 * the function that they cover, without `in`. A variable goes into a cube only if necessary:
 * minterms allowed for both of its values are left to cubes without it. At most 64 levels deep.
 */
static om_bdd cover(const om_bdd_cover *c, om_bdd lower, om_bdd upper, om_cube in)
{
    om_bdd_space *s = c->s;
    if (lower == OM_BDD_NONE || upper == OM_BDD_NONE)
        return OM_BDD_NONE;
    if (lower == OM_BDD_FALSE)
        return OM_BDD_FALSE;
    if (upper == OM_BDD_TRUE)
        return add_cube(c, in);
    uint32_t level = om_bdd__level(s, upper);
    if (om_bdd__level(s, lower) < level)
        level = om_bdd__level(s, lower);
    if (level < c->first || level - c->first >= 64)
        return om_bdd__fail(s, OM_EINVAL);
    uint64_t bit = UINT64_C(1) << (level - c->first);
    om_bdd lower0 = om_bdd__cofactor(s, lower, level, false);
    om_bdd lower1 = om_bdd__cofactor(s, lower, level, true);
    om_bdd upper0 = om_bdd__cofactor(s, upper, level, false);
    om_bdd upper1 = om_bdd__cofactor(s, upper, level, true);

    om_bdd only1 = cover(c, minus(s, lower1, upper0), upper1, (om_cube){ in.pos | bit, in.neg });
    if (only1 == OM_BDD_NONE)
        return OM_BDD_NONE;
    om_bdd only0 = cover(c, minus(s, lower0, upper1), upper0, (om_cube){ in.pos, in.neg | bit });
    if (only0 == OM_BDD_NONE)
        return OM_BDD_NONE;
    om_bdd left = either(s, minus(s, lower0, only0), minus(s, lower1, only1));
    om_bdd both = cover(c, left, om_bdd__ite(s, upper0, upper1, OM_BDD_FALSE), in);
    return om_bdd__make(s, level, either(s, only0, both), either(s, only1, both));
}

int om_bdd_cubes(om_bdd_space *s, om_bdd f, uint32_t first, size_t most, om_cube_list *out)
{
    om_bdd_cover c = { s, first, most, out };
    out->count = 0;
    if (om_bdd__refuses(s, f, f, f))
        return s->status;
    om_bdd covered = cover(&c, f, f, (om_cube){ 0, 0 });
    assert(s->status != OM_OK || covered == f);
    (void) covered;
    if (s->status != OM_OK)
        out->count = 0;
    return s->status;
}
