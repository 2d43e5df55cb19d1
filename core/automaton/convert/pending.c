/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streett to generalized Buchi: A. Duret-Lutz, D. Poitrenaud, J.-M. Couvreur, On-the-fly emptiness
 * check of transition-based Streett automata (ATVA 2009), section 3.3. A copy (s, S) of a state
 * records the set S of pending pairs (l, u): l was seen, and u not since. A run that satisfies all
 * pairs jumps at some time into the copy (s, {}), and no pair is pending forever after that. Pair i
 * has a set, which contains the edges that leave copies in which i is not pending.
 *
 * Each strong SCC is converted separately. Other differences from the paper:
 *  - only reachable copies are made, and a pair counts only in the SCCs where it matters: facts
 *    about the SCC's edges simplify the condition (acceptance_facts.c);
 *  - an SCC in which each clause is an Inf alone needs no copy; in other SCCs such a clause is
 *    never pending, and its set contains the edges of its Inf;
 *  - edges with the mark of a clause that is a Fin alone are left out of the copies.
 * So for q states and n pairs there are at most q * (2^n + 1) states.
 */
#include "rabin_streett.h"
#include "components/automaton_dfs.h"

#include <assert.h>
#include <string.h>

/* The copy (s, S). */
typedef struct pending_copy {
    uint32_t state;
    om_marks pending; /* bit i: clause i is pending */
} pending_copy;

typedef struct om_pending {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    om_automaton_dfs *walk;
    om_automaton *out; /* the states of `a`, then copies */
    om_acc *negated;   /* the negation of the acceptance formula */
    om_marks *marks;   /* new marks of each edge of `a` */
    uint32_t sets, most;
    bool stuck;           /* the conversion is impossible, or takes too many states */
    om_acc_term *clauses; /* of the current SCC, negated: l is `inf`, u is `fin` */
    size_t count;
    /* The copies of the current SCC, the first of which is state `base`, and a hash table of their
     * numbers plus one, at least twice as large. */
    pending_copy *copy;
    size_t copies, copy_room;
    uint32_t *table, base;
    size_t table_size;
} om_pending;
/* P1: the copies of the current SCC are the states of `out` from `base` on. */

/* ---- clauses ---- */

/* Computes the clauses that matter in an SCC; sets r->stuck if one has several Fin, or if too
 * many. */
static int find_clauses(om_pending *r, const uint32_t *states, uint32_t count)
{
    om_acc_facts facts;
    om_acc_facts__begin(&facts);
    om_automaton_dfs__add_facts(r->walk, states, count, &facts);
    om_acc_facts__end(&facts);
    om_free(r->heap, r->clauses);
    r->clauses = NULL;
    int rc = om_acc__dnf(
        r->ctx, r->negated, r->a->acc_length, &facts, OM_MAX_SETS, &r->clauses, &r->count);
    r->stuck = r->stuck || (rc == OM_OK && r->clauses == NULL);
    for (size_t i = 0; rc == OM_OK && !r->stuck && i < r->count; i++)
        r->stuck = (r->clauses[i].inf & (r->clauses[i].inf - 1)) != 0;
    return rc;
}

/* Raises the number of sets to the SCC's number of clauses. */
static int measure_scc(om_pending *r, const uint32_t *states, uint32_t count)
{
    int rc = find_clauses(r, states, count);
    if (rc == OM_OK && r->count > r->sets)
        r->sets = (uint32_t) r->count;
    return rc;
}

/* Returns true if no clause can be pending, so that the SCC needs no copies. */
static bool is_buchi(const om_pending *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->clauses[i].inf != 0)
            return false;
    return true;
}

static bool is_forbidden(const om_pending *r, om_marks marks)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->clauses[i].fin == 0 && (r->clauses[i].inf & marks) != 0)
            return true;
    return false;
}

/* Returns the pending clauses after an edge. */
static om_marks pending_after(const om_pending *r, om_marks pending, om_marks marks)
{
    for (size_t i = 0; i < r->count; i++) {
        const om_marks bit = UINT64_C(1) << i;
        if ((r->clauses[i].inf & marks) != 0)
            pending |= bit;
        if ((r->clauses[i].fin & marks) != 0)
            pending &= ~bit;
    }
    return pending;
}

/* Returns the sets of an edge that leaves a copy with these pending clauses. */
static om_marks sets_of(const om_pending *r, om_marks pending, om_marks marks)
{
    assert(r->count <= r->sets && (pending & ~om_tela__first_bits((uint32_t) r->count)) == 0);
    om_marks seen = om_tela__first_bits(r->sets) & ~om_tela__first_bits(r->count);
    for (size_t i = 0; i < r->count; i++)
        if (r->clauses[i].inf != 0 ? (pending >> i & 1) == 0 : (r->clauses[i].fin & marks) != 0)
            seen |= UINT64_C(1) << i;
    return seen;
}

/* ---- copies ---- */

static size_t place_of(const om_pending *r, const pending_copy *c)
{
    assert(r->copies < r->table_size);
    const uint64_t key = (c->pending + 1) * 0x9e3779b97f4a7c15u ^ c->state * 0xd6e8feb86659fd93u;
    size_t i = (size_t) (key ^ key >> 32) & (r->table_size - 1);
    while (r->table[i] != 0 && (r->copy[r->table[i] - 1].state != c->state ||
                                   r->copy[r->table[i] - 1].pending != c->pending))
        i = (i + 1) & (r->table_size - 1);
    return i;
}

static int grow_table(om_pending *r)
{
    enum { LEAST = 64 };
    const size_t size = r->table_size == 0 ? LEAST : 2 * r->table_size;
    uint32_t *table = om_alloc(r->heap, size, sizeof *table);
    if (table == NULL)
        return om_fail_memory(r->ctx);
    om_free(r->heap, r->table);
    r->table = table;
    r->table_size = size;
    for (size_t i = 0; i < r->copies; i++)
        r->table[place_of(r, &r->copy[i])] = (uint32_t) i + 1;
    return OM_OK;
}

static int number_of(om_pending *r, pending_copy c, uint32_t *out)
{
    int rc = 2 * (r->copies + 1) > r->table_size ? grow_table(r) : OM_OK;
    if (rc != OM_OK)
        return rc;
    const size_t place = place_of(r, &c);
    if (r->table[place] == 0) {
        if (!OM_ROOM(r->heap, r->copy, &r->copy_room, r->copies + 1))
            return om_fail_memory(r->ctx);
        assert(r->base + r->copies == om_automaton_state_count(r->out)); /* P1 */
        rc = om_automaton_add_states(r->out, 1, NULL);
        r->copy[r->copies++] = c;
        r->table[place] = (uint32_t) r->copies;
        r->stuck = r->stuck || r->base + r->copies > r->most;
    }
    *out = r->base + r->table[place] - 1;
    return rc;
}

/* Adds the copy of an edge inside the SCC that leaves the copy `number`. */
static int copy_edge(om_pending *r, const om_edge *e, uint32_t number, om_marks pending)
{
    uint32_t to = 0;
    if (!om_automaton_dfs__inside(r->walk, e, 0) || is_forbidden(r, e->marks))
        return OM_OK;
    int rc = number_of(r, (pending_copy){ e->dst, pending_after(r, pending, e->marks) }, &to);
    return rc != OM_OK ? rc
                       : om_tela__add(r->out, r->a, e, number, to, sets_of(r, pending, e->marks));
}

/* Adds the edges into the copies, one for each edge inside the SCC. */
static int add_jumps(om_pending *r, const uint32_t *states, uint32_t count)
{
    const om_automaton *a = r->a;
    int rc = OM_OK;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = a->first[states[i]]; rc == OM_OK && k < a->first[states[i] + 1]; k++) {
            uint32_t to = 0;
            if (!om_automaton_dfs__inside(r->walk, &a->edges[k], 0))
                continue;
            rc = number_of(r, (pending_copy){ a->edges[k].dst, 0 }, &to);
            if (rc == OM_OK)
                rc = om_tela__add(r->out, a, &a->edges[k], a->edges[k].src, to, 0);
        }
    return rc;
}

/* Marks the SCC itself; it needs no copies. */
static void mark_itself(om_pending *r, const uint32_t *states, uint32_t count)
{
    const om_automaton *a = r->a;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = a->first[states[i]]; k < a->first[states[i] + 1]; k++)
            if (om_automaton_dfs__inside(r->walk, &a->edges[k], 0))
                r->marks[k] = sets_of(r, 0, a->edges[k].marks);
}

static int copy_scc(om_pending *r, const uint32_t *states, uint32_t count)
{
    const om_automaton *a = r->a;
    om_marks seen = 0;
    int rc = find_clauses(r, states, count);
    /* For om_automaton_dfs__inside() */
    (void) om_automaton_dfs__marks(r->walk, states, count, 0, &seen);
    if (rc == OM_OK && is_buchi(r)) {
        mark_itself(r, states, count);
        return OM_OK;
    }
    r->base = om_automaton_state_count(r->out);
    r->copies = 0;
    if (r->table != NULL)
        memset(r->table, 0, r->table_size * sizeof *r->table);
    if (rc == OM_OK)
        rc = add_jumps(r, states, count);
    for (size_t i = 0; rc == OM_OK && !r->stuck && i < r->copies; i++) {
        const pending_copy c = r->copy[i];
        for (uint32_t k = a->first[c.state]; rc == OM_OK && k < a->first[c.state + 1]; k++)
            rc = copy_edge(r, &a->edges[k], r->base + (uint32_t) i, c.pending);
    }
    return rc;
}

/* ---- the whole ---- */

static int each_strong(om_pending *r, const om_sccs *sccs, const uint32_t *states,
    int (*each)(om_pending *r, const uint32_t *states, uint32_t count))
{
    int rc = OM_OK;
    for (uint32_t k = 0, begin = 0; rc == OM_OK && !r->stuck && k < sccs->count;
         begin += sccs->size[k++])
        if (sccs->strength[k] == OM_STRONG)
            rc = each(r, &states[begin], sccs->size[k]);
    return rc;
}

static int make(om_pending *r, const om_sccs *sccs, om_automaton **out)
{
    uint32_t *states = NULL;
    int rc = om_sccs_states(sccs, r->ctx, r->a->states, &states);
    if (rc == OM_OK)
        rc = om_automaton_add_states(r->out, r->a->states, NULL);
    if (rc == OM_OK)
        rc = each_strong(r, sccs, states, measure_scc);
    if (rc == OM_OK)
        rc = each_strong(r, sccs, states, copy_scc);
    om_free(r->heap, states);
    if (rc != OM_OK || r->stuck)
        return rc;
    rc = om_automaton__add_originals(r->out, r->a, sccs, r->marks, r->sets);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(r->out, r->sets);
    if (rc == OM_OK)
        rc = om_automaton_finish(r->out);
    return rc == OM_OK ? om_automaton_prune(r->out, r->ctx, out) : rc;
}

int om_automaton__pending(
    const om_automaton *a, om_context *ctx, const om_sccs *sccs, uint32_t most, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_automaton_dfs walk = { .heap = heap };
    om_pending r = { .a = a, .ctx = ctx, .heap = heap, .walk = &walk, .most = most };
    int rc = om_automaton_dfs__init(&walk, ctx, a);

    *out = NULL;
    if (rc == OM_OK &&
        (!OM_NEW(heap, r.negated, a->acc_length) || !OM_NEW(heap, r.marks, a->edge_count)))
        rc = om_fail_memory(ctx);
    if (rc == OM_OK) {
        om_acc__negate(a->acc, a->acc_length, r.negated);
        rc = om_tela__like(&r.out, ctx, a);
    }
    if (rc == OM_OK)
        rc = make(&r, sccs, out);
    om_automaton_free(r.out);
    OM_FREE_ALL(heap, r.negated, r.marks, r.clauses, r.copy, r.table);
    om_automaton_dfs__free(&walk);
    return rc;
}
