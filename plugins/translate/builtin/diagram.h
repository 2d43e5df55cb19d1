/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diagram.h: reduced ordered binary decision diagrams, as few operations as the tableau needs.
 *
 * Why not a library: BuDDy, the obvious one, keeps its nodes in globals of the process (one lock
 * around every translation), ends the process from its default error handler, and takes memory
 * from malloc, where no test can make it fail. A translation here owns its diagrams, on the
 * context's heap, so translations run side by side and every failed allocation is tested.
 *
 * R. Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE ToC 1986; the
 * if-then-else operator with its computed table is that of Brace, Rudell, Bryant, DAC 1990. Nodes
 * are never freed before the end, so a reference stays good and names one function for ever.
 */
#ifndef OM_BUILTIN_DIAGRAM_H
#define OM_BUILTIN_DIAGRAM_H

#include <omen/automaton.h>

typedef uint32_t dd; /* equal functions have equal references */
enum { DD_FALSE = 0, DD_TRUE = 1 };
#define DD_NONE UINT32_MAX /* failed before: d->rc says why */

typedef struct dd_node {
    uint32_t level; /* UINT32_MAX for the constants; smaller is nearer to the root */
    dd low, high;
} dd_node;

typedef struct dd_result {
    dd f, g, h, value;
} dd_result;

typedef struct dd_space {
    const om_heap *heap;
    dd_node *nodes;
    size_t count, room, most;
    uint32_t *table; /* open addressing, 0 is free; at most half full */
    size_t table_size;
    dd_result *cache; /* direct-mapped, lossy; f == 0 is free */
    size_t cache_size;
    int rc; /* OM_OK, OM_ENOMEM or OM_ELIMIT (more than `most` nodes); sticky */
} dd_space;

/* Returns d->rc. */
int dd_start(dd_space *d, const om_heap *heap, size_t most);
void dd_finish(dd_space *d);

/* All of these take and return DD_NONE once anything has failed. */
dd dd_variable(dd_space *d, uint32_t level, bool positive);
dd dd_if(dd_space *d, dd f, dd g, dd h);
dd dd_and(dd_space *d, dd f, dd g);
dd dd_or(dd_space *d, dd f, dd g);
dd dd_minus(dd_space *d, dd f, dd g); /* f and not g */

static inline uint32_t dd_level(const dd_space *d, dd f)
{
    return d->nodes[f].level;
}

/* f with the variable of that level, which must not be below f's root, set. */
static inline dd dd_cofactor(const dd_space *d, dd f, uint32_t level, bool value)
{
    const dd_node *n = &d->nodes[f];
    return n->level != level ? f : value ? n->high : n->low;
}

/* Cubes of an irredundant sum of products for f; levels first .. first + 63 are bits 0 .. 63. */
typedef struct dd_cubes {
    om_cube *cubes;
    size_t count, room;
} dd_cubes;

/* Replaces the cubes by those of f, whose variables must all be of those levels. */
int dd_sum_of_products(dd_space *d, dd f, uint32_t first, dd_cubes *out);

#endif
