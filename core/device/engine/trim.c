/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weak parts: detects a cycle inside the accepting part of the product.
 *
 * `degree` has, for each state of the accepting part, the number of edges that lead to it from
 * inside. Exploration counts them all. A state without any lies on no cycle and is removed. Its
 * edges (found by expanding it once more) are subtracted from the counts of their targets; targets
 * whose count becomes zero form the next round. That is the elimination of Kahn 1962 with the
 * frontier on the device: OWCTY's elimination of leaves (Cerna, Pelanek 2003), reversed.
 *
 * T1  After the rounds each state that stays has a predecessor that stays. So nothing stays exactly
 *     if there is no cycle, in every weak automaton (a cycle of the accepting part projects to a
 *     cycle of the automaton inside one accepting SCC, which accepts), whether or not the model's
 *     finite runs stutter: a stuttering step is an edge like any other.
 *
 * A state that stays need not reach a cycle: it may only be reachable from one. A counterexample
 * must reach a cycle. So one more expansion of the states that stay records one predecessor that
 * stays for each (T1). The host follows those backwards: after as many steps as there are states,
 * the walk has closed a cycle, and its current state lies on it.
 */
#include "member.h"

#include <assert.h>

typedef struct trimming {
    om_member *m;
    om_buffer list, next; /* states: being removed, to be removed next */
    om_buffer length;     /* of next */
    om_buffer before;
    const om_buffer *degree; /* is decremented */
    uint32_t bound;          /* the edges of states below this are counted */
    uint32_t count;
} trimming;

/* Lists the accepting states below the bound whose degree is zero, or is not. */
static int list_states(om_member *m, trimming *t, uint32_t zero)
{
    enum { CHUNK = 1 << 20 };
    const om_state_table *table = &m->table;
    int rc = om_queue__zero(&m->queue, &t->length, 0, sizeof(uint32_t));
    for (uint32_t first = 0; rc == OM_OK && first < t->bound;) {
        uint32_t n = t->bound - first < CHUNK ? t->bound - first : CHUNK;
        om_arg args[] = { OM_SEGMENTED(table->rows), OM_ARG(first), OM_ARG(n), OM_MEM(m->accepting),
            OM_MEM(*t->degree), OM_ARG(zero), OM_MEM(t->list), OM_MEM(t->length) };
        rc = om_segments__run(&m->queue, table->built.kernels[OM_K_LIST], "om_k_list", args, 8, n);
        if (rc == OM_OK)
            rc = om_queue__pause(&m->queue);
        first += n;
    }
    return rc == OM_OK ? om_queue__read(&m->queue, &t->length, 0, &t->count, sizeof t->count) : rc;
}

static int run_untally(void *self, uint32_t n)
{
    const trimming *t = self;
    om_member *m = t->m;
    const om_state_table *table = &m->table;
    om_arg args[] = { OM_SEGMENTED(table->rows), OM_MEM(table->candidates), OM_MEM(table->from),
        OM_ARG(n), OM_SEGMENTED(table->index), OM_MEM(table->place), OM_MEM(m->accepting),
        OM_ARG(t->bound), OM_MEM(*t->degree), OM_MEM(t->next), OM_MEM(t->length) };
    return om_segments__run(
        &m->queue, table->built.kernels[OM_K_UNTALLY], "om_k_untally", args, 11, n);
}

static int run_before(void *self, uint32_t n)
{
    const trimming *t = self;
    om_member *m = t->m;
    const om_state_table *table = &m->table;
    om_arg args[] = { OM_SEGMENTED(table->rows), OM_MEM(table->candidates), OM_MEM(table->from),
        OM_ARG(n), OM_SEGMENTED(table->index), OM_MEM(table->place), OM_MEM(m->accepting),
        OM_MEM(*t->degree), OM_MEM(t->before) };
    return om_segments__run(
        &m->queue, table->built.kernels[OM_K_BEFORE], "om_k_before", args, 9, n);
}

/* Expands *n of the listed states, or fewer, from place `first` on, and finds their successors. */
static int expand_some(
    om_member *m, const om_buffer *list, uint32_t first, uint32_t *n, uint32_t *candidates)
{
    uint64_t record[OM_R_WORDS] = { [OM_R_LOW] = first };
    int rc = OM_OK;
    for (;;) {
        const om_level_step step = { .chunk = *n };
        record[OM_R_END] = (uint64_t) first + *n;
        record[OM_R_TAKEN] = 0;
        if ((rc = om_member__reserve_chunk(m, *n)) != OM_OK ||
            (rc = om_state_table__control(&m->table, record)) != OM_OK ||
            (rc = om_member__expand(m, &step, list)) != OM_OK ||
            (rc = om_queue__read(&m->queue, &m->table.control, OM_C_WORDS * sizeof *record, record,
                 sizeof record)) != OM_OK)
            return rc;
        if (record[OM_R_TAKEN] <= m->table.candidate_capacity)
            break;
        if (!om_member__more_capacity(m, record[OM_R_TAKEN], *n, &rc))
            *n /= 2;
        if (rc != OM_OK)
            return rc;
    }
    *candidates = (uint32_t) record[OM_R_TAKEN];
    return om_state_table__find(&m->table, *candidates);
}

int om_member__recheck(om_member *m, const om_buffer *list, uint32_t count,
    int (*each)(void *self, uint32_t candidates), void *self)
{
    for (uint32_t first = 0; first < count;) {
        uint64_t since = om_clock_ns();
        uint32_t requested = count - first < m->chunk ? count - first : m->chunk, n = requested;
        uint32_t candidates = 0;
        int rc = expand_some(m, list, first, &n, &candidates);
        if (rc == OM_OK)
            rc = each(self, candidates);
        if (rc == OM_OK)
            rc = om_queue__pause(&m->queue);
        if (rc != OM_OK)
            return rc;
        om_member__pace(m, 1, n == m->chunk && n == requested, om_clock_ns() - since);
        first += n;
    }
    return OM_OK;
}

/* Removes states until none is left to remove. */
static int remove_rounds(om_member *m, trimming *t, uint64_t *rounds)
{
    int rc = list_states(m, t, 1);
    while (rc == OM_OK && t->count > 0) {
        ++*rounds;
        if ((rc = om_queue__zero(&m->queue, &t->length, 0, sizeof(uint32_t))) != OM_OK ||
            (rc = om_member__recheck(m, &t->list, t->count, run_untally, t)) != OM_OK)
            return rc;
        om_buffer swap = t->list;
        t->list = t->next;
        t->next = swap;
        rc = om_queue__read(&m->queue, &t->length, 0, &t->count, sizeof t->count);
    }
    return rc;
}

/* Cycle detection of R. P. Brent, BIT 20, 1980: the walk meets a mark that is moved each time the
 * distance walked has doubled. */
int om_member__find_cycle(
    const om_member *m, const uint32_t *predecessor, uint32_t start, uint32_t *on)
{
    enum { STEPS = 1 << 12 };
    uint32_t mark = start, at = predecessor[start];
    int rc = OM_OK;
    for (uint64_t n = 1, most = 1; at != mark && rc == OM_OK; n++) {
        if (n == most) {
            mark = at;
            most *= 2;
            n = 0;
        }
        at = predecessor[at];
        if (n % STEPS == 0)
            rc = om_queue__stopped(&m->queue);
    }
    uint32_t least = at;
    for (uint32_t other = predecessor[at]; rc == OM_OK && other != at; other = predecessor[other])
        least = other < least ? other : least;
    *on = least;
    return rc;
}

static int walk_back(om_member *m, const trimming *t, uint32_t start, om_id *rest)
{
    uint32_t on = 0, *before = om_alloc(m->heap, m->table.stored, sizeof *before);
    if (before == NULL)
        return om_fail_memory(m->ctx);
    int rc =
        om_queue__read(&m->queue, &t->before, 0, before, (size_t) m->table.stored * sizeof *before);
    if (rc == OM_OK)
        rc = om_member__find_cycle(m, before, start, &on);
    if (rc == OM_OK)
        *rest = on;
    om_free(m->heap, before);
    return rc;
}

static int find_cycle(om_member *m, trimming *t, om_id *rest)
{
    uint32_t start = 0;
    int rc = list_states(m, t, 0);
    if (rc != OM_OK || t->count == 0)
        return rc;
    if ((rc = om_state_table__make_room(
             &m->table, (uint64_t) m->table.stored * sizeof(uint32_t))) != OM_OK ||
        (rc = om_queue__take(&m->queue, &t->before, m->table.stored, sizeof(uint32_t))) != OM_OK ||
        (rc = om_member__recheck(m, &t->list, t->count, run_before, t)) != OM_OK ||
        (rc = om_queue__read(&m->queue, &t->list, 0, &start, sizeof start)) != OM_OK)
        return rc;
    return walk_back(m, t, start, rest);
}

/* Trims, and looks for a cycle in what stays. */
static int trim(om_member *m, trimming *t, om_id *rest, uint64_t *rounds)
{
    om_buffer *lists[] = { &t->list, &t->next };
    int rc = om_state_table__make_room(
        &m->table, (2 * (uint64_t) m->table.stored + 1) * sizeof(uint32_t));
    for (size_t i = 0; rc == OM_OK && i < 2; i++)
        rc = om_queue__take(&m->queue, lists[i], m->table.stored, sizeof(uint32_t));
    if (rc == OM_OK)
        rc = om_queue__take(&m->queue, &t->length, 1, sizeof(uint32_t));
    if (rc == OM_OK)
        rc = remove_rounds(m, t, rounds);
    if (rc == OM_OK)
        rc = find_cycle(m, t, rest);
    om_queue__give(&m->queue, &t->list);
    om_queue__give(&m->queue, &t->next);
    om_queue__give(&m->queue, &t->length);
    om_queue__give(&m->queue, &t->before);
    return rc;
}

int om_member__trim(om_member *m, om_id *rest, uint64_t *rounds)
{
    trimming t = { .m = m, .degree = &m->degree, .bound = m->table.stored };
    return trim(m, &t, rest, rounds);
}

/* T1 also holds for the part of the graph that is present: the edges of the states below the bound.
 * States above it are never removed by way of their own edges; they may stay if they are reachable
 * from a cycle. */
int om_member__catch(om_member *m, uint32_t expanded, uint32_t *hit)
{
    om_buffer degree = { 0 };
    trimming t = { .m = m, .degree = &degree, .bound = expanded };
    size_t bytes = (size_t) m->table.stored * sizeof(uint32_t);
    uint64_t rounds = 0;
    om_id rest = OM_NO_ID;
    int rc = om_state_table__make_room(&m->table, bytes);
    if (rc == OM_OK)
        rc = om_queue__take(&m->queue, &degree, bytes, 1);
    if (rc == OM_OK)
        rc = om_queue__copy(&m->queue, &m->degree, &degree, bytes);
    if (rc == OM_OK)
        rc = trim(m, &t, &rest, &rounds);
    om_queue__give(&m->queue, &degree);
    if (rc == OM_OK && rest != OM_NO_ID)
        *hit = (uint32_t) rest;
    return rc;
}
