/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rounds of owcty: see owcty.c. The rest of a round is the states that have survived it.
 *
 * All atomics are relaxed: data written in one step is read in the next, and between two steps
 * there is a barrier or the end of a phase. Within a step, a worker owns a state if it has changed
 * the state's word.
 */
#include "owcty.h"

/* Moves a state from one round to another. Returns true if this worker did it. */
static bool claim(known *k, uint64_t from, uint64_t to)
{
    return atomic_compare_exchange_strong_explicit(
        &k->word, &from, to, memory_order_relaxed, memory_order_relaxed);
}

static uint64_t round_of(const known *k)
{
    return atomic_load_explicit(&k->word, memory_order_relaxed);
}

/* Expands a state and calls `edge` for each edge that may be on an accepting cycle. */
static int expand(searcher *s, om_id id, int (*edge)(searcher *s, known *to, const om_step *e))
{
    const om_step *steps;
    size_t n;
    uint32_t q = om_cursor_automaton_state(s->cursor, id);
    known *to;
    int rc = om_cursor_successors(s->cursor, id, &steps, &n);
    if (rc != OM_OK)
        return rc;
    s->again++;
    owcty_fetch(s->run, steps, n);
    for (size_t i = 0; i < n && rc == OM_OK; i++) {
        if (!owcty_inner(s->run, q, steps[i].automaton_state))
            continue;
        rc = owcty_known(s, steps[i].to, &to);
        if (rc == OM_OK)
            rc = edge(s, to, &steps[i]);
    }
    return rc;
}

/* Returns the set that follows this one cyclically, or none if there are no sets. */
static om_marks set_after(om_marks set, om_marks all)
{
    om_marks higher = all & ~(set | (set - 1));
    return higher != 0 ? higher & -higher : all & -all;
}

/* ---- elimination ---- */

/* Removes a state without incoming edges. */
static int drop(searcher *s, known *k, om_id id)
{
    if (!claim(k, s->round, 0))
        return OM_OK;
    s->left++;
    return pool_add(&s->work, id);
}

static int drop_edge(searcher *s, known *to, const om_step *e)
{
    if (round_of(to) != s->round)
        return OM_OK;
    if ((e->marks & s->next) != 0)
        (void) atomic_fetch_sub_explicit(&to->seeds, 1, memory_order_relaxed);
    return atomic_fetch_sub_explicit(&to->degree, 1, memory_order_relaxed) == 1 ? drop(s, to, e->to)
                                                                                : OM_OK;
}

static int drop_edges(void *self, om_id id)
{
    return expand(self, id, drop_edge);
}

/* Removes states without incoming edges from the rest, until there are none. */
static int eliminate(searcher *s)
{
    const pool_phase phase = { .self = s, .expand = drop_edges };
    int rc = OM_OK;
    for (size_t i = 0; i < s->rest.count && rc == OM_OK; i++) {
        known *k;
        rc = owcty_known(s, s->rest.ids[i], &k);
        if (rc == OM_OK && atomic_load_explicit(&k->degree, memory_order_relaxed) == 0)
            rc = drop(s, k, s->rest.ids[i]);
    }
    return rc == OM_OK ? pool_run(&s->work, &phase) : rc;
}

/* ---- reachability ---- */

static int reach_edge(searcher *s, known *to, const om_step *e)
{
    uint64_t round = round_of(to);
    if (round + 1 < s->round)
        return OM_OK;
    int rc = owcty_count(s, &to->degree);
    if (rc == OM_OK && (e->marks & s->next) != 0)
        rc = owcty_count(s, &to->seeds);
    if (rc != OM_OK || round == s->round || !claim(to, s->round - 1, s->round))
        return rc;
    s->added++;
    rc = id_list_add(s->run->task, &s->rest, e->to);
    return rc == OM_OK ? pool_add(&s->work, e->to) : rc;
}

static int reach_edges(void *self, om_id id)
{
    return expand(self, id, reach_edge);
}

/* Begins a round with the worker's share of the rest: states with an incoming edge of the set are
 * its first states, and the edges of all states are to be counted again. */
static int begin_round(searcher *s)
{
    size_t kept = 0;
    int rc = OM_OK;
    s->round++;
    s->next = set_after(s->next, s->run->all);
    s->added = s->left = 0;
    for (size_t i = 0; i < s->rest.count && rc == OM_OK; i++) {
        om_id id = s->rest.ids[i];
        known *k;
        rc = owcty_known(s, id, &k);
        if (rc != OM_OK || round_of(k) + 1 != s->round)
            continue;
        bool seed = atomic_load_explicit(&k->seeds, memory_order_relaxed) != 0;
        atomic_store_explicit(&k->seeds, 0, memory_order_relaxed);
        atomic_store_explicit(&k->degree, 0, memory_order_relaxed);
        if (!seed)
            continue;
        atomic_store_explicit(&k->word, s->round, memory_order_relaxed);
        s->added++;
        s->rest.ids[kept++] = id;
        rc = pool_add(&s->work, id);
    }
    s->rest.count = kept;
    return rc;
}

/* Gets the size of the rest, after all workers have reached the end of the round. */
static int end_round(searcher *s, uint64_t *size)
{
    _Atomic uint64_t *sum = s->run->size;
    (void) atomic_fetch_add_explicit(&sum[s->round % 2], s->added - s->left, memory_order_relaxed);
    int rc = pool_meet(&s->work, s->run->barrier);
    *size = atomic_load_explicit(&sum[s->round % 2], memory_order_relaxed);
    return rc;
}

/* Keeps the states reachable from edges of the set, and of these, after elimination, those with
 * incoming edges. */
static int next_round(searcher *s, uint64_t *size)
{
    const pool_phase phase = { .self = s, .expand = reach_edges };
    int rc = begin_round(s);
    if (rc == OM_OK)
        rc = pool_meet(&s->work, s->run->barrier);
    /* All workers have read the other counter, of the round before; none adds to it before the next
     * round. */
    if (rc == OM_OK && s->worker == 0)
        atomic_store_explicit(&s->run->size[(s->round + 1) % 2], 0, memory_order_relaxed);
    if (rc == OM_OK)
        rc = pool_run(&s->work, &phase);
    if (rc == OM_OK)
        rc = eliminate(s);
    return rc == OM_OK ? end_round(s, size) : rc;
}

/* Puts all states that the exploration has listed into the first round. */
static int first_round(searcher *s, uint64_t *size)
{
    int rc = OM_OK;
    s->round = 1;
    s->added = s->rest.count;
    for (size_t i = 0; i < s->rest.count && rc == OM_OK; i++) {
        known *k;
        rc = owcty_known(s, s->rest.ids[i], &k);
        if (rc == OM_OK)
            atomic_store_explicit(&k->word, s->round, memory_order_relaxed);
    }
    if (rc == OM_OK)
        rc = pool_meet(&s->work, s->run->barrier);
    if (rc == OM_OK)
        rc = eliminate(s);
    return rc == OM_OK ? end_round(s, size) : rc;
}

static unsigned count_sets(om_marks all)
{
    unsigned n = 0;
    for (; all != 0; all &= all - 1)
        n++;
    return n;
}

int owcty_fixpoint(searcher *s, uint64_t *size)
{
    const unsigned sets = count_sets(s->run->all);
    int rc = first_round(s, size);
    for (unsigned same = 0; rc == OM_OK && *size != 0 && same < sets;) {
        uint64_t before = *size;
        rc = next_round(s, size);
        same = *size == before ? same + 1 : 0;
    }
    return rc;
}

/* ---- a source component of the rest ---- */

static int cover_edge(searcher *s, known *to, const om_step *e)
{
    return claim(to, s->round, s->round + 1) ? pool_add(&s->work, e->to) : OM_OK;
}

static int cover_edges(void *self, om_id id)
{
    return expand(self, id, cover_edge);
}

/* Finds a state that no earlier root leads to. */
static bool next_root(void *self, om_id *id)
{
    searcher *s = self;
    om_run *run = s->run;
    for (; run->list < run->workers; run->list++, run->at = 0) {
        const id_list *l = &run->searchers[run->list].rest;
        while (run->at < l->count) {
            known *k = om_side_at(run->known, l->ids[run->at]);
            *id = l->ids[run->at++];
            if (k != NULL && claim(k, s->round, s->round + 1)) {
                run->root = *id;
                return true;
            }
        }
    }
    return false;
}

int owcty_source(searcher *s)
{
    const pool_phase phase = { .self = s, .expand = cover_edges, .more = next_root };
    return pool_run(&s->work, &phase);
}
