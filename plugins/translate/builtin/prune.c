/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prune.c: removes labels of edges from one component to another, so that products have fewer
 * states.
 *
 * In FG(c & F p) the edge from waiting to checking may be taken under c, but taking it only under c
 * & p suffices: a run that waits can wait for p. No direct simulation shows this, because an edge
 * between components has the same marks on either side of the comparison, and the waiting loop has
 * none. But these marks do not matter: a run takes finitely many such edges. So let N be a set of
 * pairs (b, w) of states, b of the pruned graph and w of the original one, such that under every
 * label each edge of w is matched by a remaining edge of b. The matching edge leads into a pair of
 * N, and has no fewer marks unless one of the two edges leaves its component. For a run of w from a
 * pair of N there is a run of b, edge by edge. After the last edges of both runs that leave a
 * component, each mark of the former is a mark of the latter. If N contains (s, s) for all states
 * s, the language is the same. (L. Clemente and R. Mayr, "Efficient reduction of nondeterministic
 * automata with application to language inclusion testing", LMCS 15 (2019), prune by relations in
 * general; there, too, the relation has to hold for the remaining edges.)
 *
 * I1: `below` is the largest relation of that kind on the original graph. It contains N, so labels
 *     that were removed too eagerly can be restored until all pairs of N satisfy the condition.
 *
 * Termination: labels are only restored, pairs only added. Cost: as a round of simulation.
 */
#include "simulation.h"

#include <assert.h>

typedef struct pruning {
    simulation *s;
    om_bdd *gone; /* removed part of each edge's label */
    bool *needed; /* pairs of N, indexed like `below` */
    size_t *todo; /* the same as a list; room for all pairs */
    size_t count;
} pruning;

static void need(pruning *p, uint32_t better, uint32_t worse)
{
    size_t pair = (size_t) worse * p->s->g->states + better;
    if (!p->needed[pair]) {
        assert(p->count < (size_t) p->s->g->states * p->s->g->states);
        p->needed[pair] = true;
        p->todo[p->count++] = pair;
    }
}

/* Removes, from an edge that leaves its component, the labels under which other edges of the same
 * state dominate it. */
static void take_hastily(pruning *p, size_t i)
{
    const simulation *s = p->s;
    const tb_edge *e = &s->own[i];
    om_bdd others = OM_BDD_FALSE;
    if (s->component[e->src] == s->component[e->dst])
        return;
    for (size_t k = s->first[e->src]; k < s->first[e->src + 1]; k++)
        if (k != i && sm_dominates(s, &s->own[k], e))
            others = om_bdd_or(s->d, others, s->own[k].label);
    p->gone[i] = om_bdd_and(s->d, e->label, others);
}

/* Removes from `left` the labels under which the remaining part of edge k matches e. */
static om_bdd match(pruning *p, om_bdd left, const tb_edge *e, size_t k)
{
    const simulation *s = p->s;
    om_bdd stayed = om_bdd_minus(s->d, s->own[k].label, p->gone[k]);
    om_bdd rest = om_bdd_minus(s->d, left, stayed);
    if (rest != left)
        need(p, s->own[k].dst, e->dst);
    return rest;
}

/* Matches an edge of `worse` by edges of `better`; restores labels if necessary. Edges into the
 * same state come first, because their pair is needed anyway. */
static void match_edge(pruning *p, const tb_edge *e, uint32_t better)
{
    const simulation *s = p->s;
    om_bdd left = e->label;
    size_t begin = s->first[better], end = s->first[better + 1];
    for (int same = 1; same >= 0; same--)
        for (size_t k = begin; k < end && left != OM_BDD_FALSE; k++)
            if ((s->own[k].dst == e->dst) == (same != 0) && sm_dominates(s, &s->own[k], e))
                left = match(p, left, e, k);
    for (size_t k = begin; k < end && left != OM_BDD_FALSE; k++)
        if (p->gone[k] != OM_BDD_FALSE && sm_dominates(s, &s->own[k], e)) {
            p->gone[k] = om_bdd_minus(s->d, p->gone[k], left);
            left = match(p, left, e, k);
        }
    assert(left == OM_BDD_FALSE || om_bdd_space_status(s->d) != OM_OK); /* I1 */
}

static int match_all(pruning *p)
{
    simulation *s = p->s;
    uint32_t n = s->g->states;
    for (uint32_t t = 0; t < n; t++)
        need(p, t, t);
    for (size_t i = 0; i < p->count; i++) {
        uint32_t worse = (uint32_t) (p->todo[i] / n), better = (uint32_t) (p->todo[i] % n);
        size_t edges = s->first[better + 1] - s->first[better];
        int rc = om_context_stopped(s->ctx);
        if (rc == OM_OK)
            rc = sm_spend(s, 1 + (s->first[worse + 1] - s->first[worse]) * edges);
        if (rc == OM_OK)
            rc = om_bdd_space_status(s->d);
        if (rc != OM_OK)
            return rc;
        for (size_t k = s->first[worse]; k < s->first[worse + 1]; k++)
            match_edge(p, &s->own[k], better);
    }
    return OM_OK;
}

static void keep(const pruning *p)
{
    simulation *s = p->s;
    for (uint32_t t = 0; t < s->g->states; t++)
        s->name[t] = s->classes++;
    for (size_t i = 0; i < s->g->edge_count; i++) {
        tb_edge e = s->own[i];
        e.label = om_bdd_minus(s->d, e.label, p->gone[i]);
        if (e.label != OM_BDD_FALSE)
            s->kept[s->kept_count++] = e;
    }
}

int sm_prune(simulation *s)
{
    size_t pairs = (size_t) s->g->states * s->g->states, edges = s->g->edge_count;
    pruning p = { .s = s,
        .gone = om_alloc(s->heap, edges + 1, sizeof *p.gone),
        .needed = om_alloc(s->heap, pairs, sizeof *p.needed),
        .todo = om_alloc(s->heap, pairs, sizeof *p.todo) };
    int rc = p.gone == NULL || p.needed == NULL || p.todo == NULL ? OM_ENOMEM : OM_OK;
    for (size_t i = 0; i < edges && rc == OM_OK; i++) {
        p.gone[i] = OM_BDD_FALSE;
        take_hastily(&p, i);
        rc = om_bdd_space_status(s->d);
    }
    if (rc == OM_OK)
        rc = match_all(&p);
    if (rc == OM_OK)
        keep(&p);
    OM_FREE_ALL(s->heap, p.gone, p.needed, p.todo);
    return rc;
}
