/* SPDX-License-Identifier: Apache-2.0 */
/* simulation.h: a direct simulation on a graph (simulate.c), and the labels that are not needed for
 * one (prune.c). */
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
    size_t *first; /* of state s the edges own[first[s] .. first[s + 1] - 1], */
    tb_edge *own;  /* turned round where this goes backwards, marks as `how` says */
    tb_edge *kept; /* those that stay, with classes for states */
    size_t kept_count;
    bool *below;    /* below[s * states + t]: as far as is known, t simulates s */
    uint32_t *name; /* of each state: its class */
    uint32_t classes;
    size_t *work; /* comparisons that are left */
} simulation;

static inline bool sm_simulates(const simulation *s, uint32_t better, uint32_t worse)
{
    return s->below[(size_t) worse * s->g->states + better];
}

/* Can x do what e can, where both have its label? */
static inline bool sm_dominates(const simulation *s, const tb_edge *x, const tb_edge *e)
{
    bool idle = (s->how & TB_PRUNE) != 0 && s->component[e->src] != s->component[e->dst];
    return (idle || (e->marks & ~x->marks) == 0) && sm_simulates(s, x->dst, e->dst);
}

/* Takes so much off the work that is left; OM_ELIMIT, without a message, where that is not enough.
 */
static inline int sm_spend(simulation *s, size_t cost)
{
    if (cost > *s->work)
        return OM_ELIMIT;
    *s->work -= cost;
    return OM_OK;
}

/* Puts the edges into `kept` with what their labels need; states keep their names. */
int sm_prune(simulation *s);

#endif
