/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: the edges of one state, without duplicates and in the worker's order. */
#include "product_impl.h"

#include <omen/plugin/guide.h>

#include <assert.h>
#include <string.h>

enum { FEW = 64 }; /* up to this many steps, duplicates are found by comparison */
/* S1: the table of steps has twice as many entries as there are steps, so a probe ends. */

/* Reserves memory for n steps and for the table that finds duplicates among them. */
static bool reserve_steps(om_cursor *c, size_t n)
{
    const om_heap *heap = c->p->heap;
    if (n <= c->step_capacity)
        return true;
    size_t capacity = 64;
    while (capacity < n)
        capacity *= 2;
    om_step *steps = om_resize(heap, c->steps, capacity, sizeof *steps);
    c->steps = steps == NULL ? c->steps : steps;
    struct om_seen *seen = om_alloc(heap, 2 * capacity, sizeof *seen);
    if (steps == NULL || seen == NULL) {
        om_free(heap, seen);
        return false;
    }
    om_free(heap, c->seen);
    c->seen = seen;
    c->seen_capacity = 2 * capacity;
    c->stamp = 0;
    c->step_capacity = capacity;
    return true;
}

/* Returns true if a step to the same state with the same marks is among steps[0 .. n-1]; else
 * remembers step n. */
static bool seen_before(om_cursor *c, size_t n)
{
    const om_step *s = &c->steps[n];
    size_t mask = c->seen_capacity - 1;
    size_t at = (size_t) ((s->to * 0x9e3779b97f4a7c15u ^ s->marks * 0xbf58476d1ce4e5b9u) >> 20);

    assert(2 * n < c->seen_capacity && c->stamp != 0); /* S1 */
    for (at &= mask; c->seen[at].stamp == c->stamp; at = (at + 1) & mask) {
        const om_step *t = &c->steps[c->seen[at].step];
        if (t->to == s->to && t->marks == s->marks)
            return true;
    }
    c->seen[at] = (struct om_seen){ c->stamp, (uint32_t) n };
    return false;
}

static void new_stamp(om_cursor *c)
{
    if (++c->stamp == 0) {
        memset(c->seen, 0, c->seen_capacity * sizeof *c->seen);
        c->stamp = 1;
    }
}

/* The marks of fairness that all edges of the state have, and the source of those of each edge;
 * `of` is NULL if there are none. The functions are inlined, so that a product without fairness
 * does not test for it in its loops. */
typedef struct fair_marks {
    const om_fairness *of;
    om_marks source;
} fair_marks;

static inline om_marks marks_of(
    const om_cursor *c, size_t i, const om_match *by, const fair_marks *fair)
{
    if (fair->of == NULL)
        return by->marks;
    return by->marks | fair->source | om_fair__edge(fair->of, c->succ.transition[i]);
}

/* `state`: the edges leave a state; false if they lead to the initial states. */
static fair_marks fair_marks_of(om_cursor *c, bool state)
{
    const om_fairness *f = state ? c->p->fairness : NULL;
    return (fair_marks){ f, f == NULL ? 0 : om_fair__source(c) };
}

static inline om_step step_of(const om_cursor *c, size_t i, const om_match *by, om_marks marks)
{
    return (om_step){ .to = c->ids[i],
        .marks = marks,
        .transition = c->succ.transition[i],
        .automaton_state = by->dst,
        .fresh = c->fresh[i] };
}

/* Writes the steps of the expanded state. Of exact duplicates it keeps the first, which is the
 * fresh one if any is. */
static inline size_t write_many(om_cursor *c, const fair_marks *fair)
{
    size_t kept = 0, i = 0;
    new_stamp(c);
    for (size_t j = 0; j < c->move_count; j++)
        for (size_t end = i + c->move_rows; i < end; i++) {
            om_marks marks = marks_of(c, i, &c->moves[j], fair);
            c->steps[kept] = step_of(c, i, &c->moves[j], marks);
            kept += !seen_before(c, kept);
        }
    return kept;
}

static bool among(const om_step *steps, size_t n, om_id to, om_marks marks)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i].to == to && steps[i].marks == marks)
            return true;
    return false;
}

/*
 * The same for few steps. Two steps to the same state set the same bit of a filter. If all bits
 * differ, which is the usual case, there are no duplicates to look for.
 */
static inline size_t write_few(om_cursor *c, const fair_marks *fair)
{
    uint64_t filter[4] = { 0 };
    size_t kept = 0, i = 0;
    for (size_t j = 0; j < c->move_count; j++)
        for (size_t end = i + c->move_rows; i < end; i++) {
            om_marks marks = marks_of(c, i, &c->moves[j], fair);
            uint64_t hash = c->ids[i] * 0x9e3779b97f4a7c15u;
            uint64_t bit = UINT64_C(1) << (hash >> 58), *word = &filter[hash >> 56 & 3];
            if ((*word & bit) != 0 && among(c->steps, kept, c->ids[i], marks))
                continue;
            *word |= bit;
            c->steps[kept++] = step_of(c, i, &c->moves[j], marks);
        }
    return kept;
}

static inline size_t write_steps(om_cursor *c, const fair_marks *fair)
{
    return c->succ.count <= FEW ? write_few(c, fair) : write_many(c, fair);
}

/* Writes all steps, for fairness by moving processes: two transitions may lead to one state. */
static size_t write_all(om_cursor *c, const fair_marks *fair)
{
    size_t i = 0;
    for (size_t j = 0; j < c->move_count; j++)
        for (size_t end = i + c->move_rows; i < end; i++)
            c->steps[i] = step_of(c, i, &c->moves[j], marks_of(c, i, &c->moves[j], fair));
    return i;
}

static void exchange(om_step *a, om_step *b)
{
    om_step swap = *a;
    *a = *b;
    *b = swap;
}

/*
 * Applies the worker's own order: a function of the seed, the worker and the state alone, so that
 * two calls give the same order. Worker 0 of seed 0 keeps the model's order.
 */
static void permute(om_cursor *c, om_id from, size_t n)
{
    assert(n <= c->step_capacity);
    om_step *steps = c->steps;
    if (n < 2 || (c->p->spec.seed == 0 && c->worker == 0))
        return;
    om_random r = { c->p->spec.seed * 0xd1342543de82ef95u + c->worker };
    r.state = om_random_next(&r) ^ from * 0x9e3779b97f4a7c15u;
    for (size_t i = n; i > 1; i--)
        exchange(&steps[i - 1], &steps[om_random_below(&r, i)]);
}

/* ---- the order of a guide ---- */

/* Steps that a guide orders: the first GUIDED_FIRST of a cursor, and then GUIDED_LATER of every
 * GUIDED_TURN. So a guide costs little in a long search, and a search that went wrong meanwhile is
 * led again. */
enum { GUIDED_FIRST = 1 << 16, GUIDED_TURN = 1 << 18, GUIDED_LATER = 1 << 13 };

static bool is_guided(om_cursor *c, size_t n)
{
    if (c->p->guiding == NULL || c->worker % 2 != 0 || n < 2 || c->succ.count > FEW)
        return false;
    const uint64_t before = c->guidable;
    c->guidable += n;
    return before < GUIDED_FIRST || before % GUIDED_TURN < GUIDED_LATER;
}

/* Returns the number of the row of a step. */
static size_t row_of(const om_cursor *c, const om_step *s)
{
    size_t i = 0;
    while (c->ids[i] != s->to)
        i++;
    assert(i < c->succ.count);
    return i;
}

/* Sorts the steps by the estimates of their targets; steps with equal ones keep their order. */
static void guide(om_cursor *c, const uint32_t *source, size_t n)
{
    const om_guiding *g = c->p->guiding;
    const om_guided rows = { .source = source, .rows = c->succ.words, .count = c->succ.count };
    uint64_t by_row[FEW], keys[FEW];
    assert(n <= c->succ.count && c->succ.count <= FEW);
    g->guide->measure(g->run, &rows, by_row);
    for (size_t i = 0; i < n; i++) {
        const om_step step = c->steps[i];
        const uint64_t key = by_row[row_of(c, &step)];
        size_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--) {
            c->steps[k] = c->steps[k - 1];
            keys[k] = keys[k - 1];
        }
        c->steps[k] = step;
        keys[k] = key;
    }
}

int om_cursor__steps(om_cursor *c, om_id from, const om_step **steps, size_t *count)
{
    if (!reserve_steps(c, c->succ.count))
        return om_fail_memory(c->p->ctx);
    assert(c->move_count * c->move_rows == c->succ.count); /* R1 */
    static const fair_marks none = { NULL, 0 };
    const fair_marks fair = fair_marks_of(c, from != OM_NO_ID);
    size_t n = fair.of == NULL                ? write_steps(c, &none)
               : c->p->fair_processes != NULL ? write_all(c, &fair)
                                              : write_steps(c, &fair);
    permute(c, from, n);
    if (is_guided(c, n))
        guide(c, from == OM_NO_ID ? NULL : c->source_rows[0], n);
    c->step_count = n;
    c->steps_of = from;
    *steps = c->steps;
    *count = n;
    return OM_OK;
}

int om_cursor_successors(om_cursor *c, om_id from, const om_step **steps, size_t *count)
{
    om_batch batch;
    int rc = om_cursor__expand(c, &from, 1, &batch);
    return rc == OM_OK ? om_cursor__steps(c, from, steps, count) : rc;
}

int om_cursor_initial(om_cursor *c, const om_step **steps, size_t *count)
{
    om_batch batch;
    int rc = om_cursor__initial(c, &batch);
    if (rc == OM_OK)
        rc = om_cursor__steps(c, OM_NO_ID, steps, count);
    if (rc != OM_OK)
        return rc;
    for (size_t i = 0; i < *count; i++) /* no move of the automaton led there */
        c->steps[i].automaton_state = om_cursor_automaton_state(c, c->steps[i].to);
    return OM_OK;
}

/* ---- unstored states ---- */

/* Returns a hash of the vector, which permute() uses in place of the id of an unstored state. */
static om_id name_of(const om_cursor *c, const uint32_t *vector)
{
    om_id name = 0;
    for (uint32_t i = 0; vector != NULL && i < c->p->words; i++) {
        om_random r = { name ^ vector[i] };
        name = om_random_next(&r);
    }
    return name;
}

int om_cursor_unstored(om_cursor *c, const uint32_t *vector, const uint32_t **rows,
    const om_step **steps, size_t *count)
{
    int rc = om_cursor__rows(c, vector);
    size_t n = c->succ.count, i = 0;
    if (rc != OM_OK)
        return rc;
    if (!reserve_steps(c, n))
        return om_fail_memory(c->p->ctx);
    assert(c->move_count * c->move_rows == n); /* R1 */
    const fair_marks fair = fair_marks_of(c, vector != NULL);
    for (size_t j = 0; j < c->move_count; j++)
        for (size_t end = i + c->move_rows; i < end; i++)
            c->steps[i] = (om_step){ .to = i,
                .marks = marks_of(c, i, &c->moves[j], &fair),
                .transition = c->succ.transition[i],
                .automaton_state = c->p->words > c->p->model_words
                                       ? c->succ.words[(i + 1) * c->p->words - 1]
                                       : 0 };
    permute(c, name_of(c, vector), n);
    c->step_count = n;
    c->steps_of = OM_NO_ID;
    *rows = c->succ.words;
    *steps = c->steps;
    *count = n;
    return OM_OK;
}
