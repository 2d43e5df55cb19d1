/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.h: internals of a space of decision diagrams, private to core/bdd.
 *
 * I1: nodes[0] and nodes[1] are the constants. Every other node has low != high, both of them older
 *     and at greater levels, and no two nodes are equal.
 * I2: table[] holds every node except the constants and is at most half full. Nodes were inserted
 *     in the order of their numbers, so the newest can be removed again: no other node was placed
 *     after it in a probe sequence.
 * I3: cache[] contains only correct results: it names no forgotten node.
 */
#ifndef OM_BDD_SPACE_H
#define OM_BDD_SPACE_H

#include <omen/plugin/bdd.h>

#include <assert.h>

typedef struct om_bdd_node {
    uint32_t level; /* OM_NONE for the constants */
    om_bdd low, high;
} om_bdd_node;

typedef struct om_bdd_result {
    om_bdd f, g, h, value;
} om_bdd_result;

struct om_bdd_space {
    om_context *ctx;
    const om_heap *heap;
    om_bdd_node *nodes;
    size_t count, capacity, most;
    uint32_t *table; /* open addressing, 0 is free */
    size_t table_size;
    om_bdd_result *cache; /* of if-then-else; direct-mapped, lossy; f == 0 is free */
    size_t cache_size;
    uint64_t steps;
    int status; /* sticky */
};

static inline uint32_t om_bdd__level(const om_bdd_space *s, om_bdd f)
{
    assert(f < s->count);
    return s->nodes[f].level;
}

static inline om_bdd om_bdd__cofactor(const om_bdd_space *s, om_bdd f, uint32_t level, bool value)
{
    const om_bdd_node *n = &s->nodes[f];
    return n->level != level ? f : value ? n->high : n->low;
}

/* Records the first failure; returns OM_BDD_NONE. */
om_bdd om_bdd__fail(om_bdd_space *s, int status);
/* Returns true if the space has failed, or fails now because a reference does not exist. */
bool om_bdd__refuses(om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h);
/* Returns the node, which is created if it is new; OM_BDD_NONE if low or high is. */
om_bdd om_bdd__make(om_bdd_space *s, uint32_t level, om_bdd low, om_bdd high);
/* If-then-else on references that exist or are OM_BDD_NONE. */
om_bdd om_bdd__ite(om_bdd_space *s, om_bdd f, om_bdd g, om_bdd h);

#endif
