/* SPDX-License-Identifier: Apache-2.0 */
/* simulation.h: a direct simulation on a graph (direct_simulation.c), and the removal of labels
 * that are not needed for one (prune.c). */
#ifndef OM_BUILTIN_SIMULATION_H
#define OM_BUILTIN_SIMULATION_H

#include "tableau.h"

typedef struct simulation {
    om_context *ctx;
    const om_heap *heap;
    const tb_graph *g;
    om_bdd_space *d;
    const uint32_t *component;
    unsigned how; /* TB_... */
    om_marks all;
    size_t *first; /* the edges of state s are own[first[s] .. first[s + 1] - 1], */
    tb_edge *own;  /* reversed if `how` has TB_BACKWARDS, with marks as `how` requires */
    tb_edge *kept; /* the remaining edges, between classes */
    size_t kept_count;
    bool *below;    /* below[s * states + t]: t simulates s, as far as is known */
    uint32_t *name; /* per state: its class */
    uint32_t classes;
    size_t *work; /* remaining comparisons */
} simulation;

static inline bool sm_simulates(const simulation *s, uint32_t better, uint32_t worse)
{
    return s->below[(size_t) worse * s->g->states + better];
}

/* Returns true if x can replace e under the labels of both. */
static inline bool sm_dominates(const simulation *s, const tb_edge *x, const tb_edge *e)
{
    bool idle = (s->how & TB_PRUNE) != 0 && s->component[e->src] != s->component[e->dst];
    return (idle || (e->marks & ~x->marks) == 0) && sm_simulates(s, x->dst, e->dst);
}

/* Deducts `cost` from the remaining work; OM_ELIMIT, without a message, if too little is left. */
static inline int sm_spend(simulation *s, size_t cost)
{
    if (cost > *s->work)
        return OM_ELIMIT;
    *s->work -= cost;
    return OM_OK;
}

/* Writes the edges with the labels that they need to `kept`; each state is its own class. */
int sm_prune(simulation *s);

#endif
