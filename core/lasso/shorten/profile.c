/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <assert.h>
#include <string.h>

static uint64_t pair(uint32_t a, uint32_t b)
{
    return (uint64_t) a << 32 | b;
}

static int or_fail(const om_profiles *p, int rc)
{
    return rc == OM_OK ? OM_OK : om_fail_memory(p->ctx);
}

int om_profiles__open(om_profiles *p, om_context *ctx, const om_automaton *a)
{
    const om_heap *heap = om_context_heap(ctx);
    uint32_t n = om_automaton_state_count(a), sets = om_automaton_set_count(a);
    *p = (om_profiles){ .ctx = ctx, .heap = heap, .automaton = a, .states = n };
    p->all = sets == 64 ? UINT64_MAX : (UINT64_C(1) << sets) - 1;
    if (!OM_NEW(heap, p->marks, n) || !OM_NEW(heap, p->met, n) || !OM_NEW(heap, p->visits, n) ||
        !OM_NEW(heap, p->calls, n) || !OM_NEW(heap, p->live, n) ||
        !OM_NEW(heap, p->bits, n / 64 + 1))
        return om_fail_memory(ctx);
    return om_automaton_sccs(a, ctx, &p->sccs);
}

void om_profiles__close(om_profiles *p)
{
    if (p->ctx == NULL)
        return;
    om_sccs_free(&p->sccs, p->heap);
    om_map__free(&p->letters, p->heap);
    OM_FREE_ALL(p->heap, p->moves, p->first_move);
    om_rows__free(&p->sets, p->heap);
    om_rows__free(&p->profiles, p->heap);
    om_map__free(&p->nothing, p->heap);
    om_map__free(&p->after, p->heap);
    om_map__free(&p->then, p->heap);
    om_map__free(&p->repeated, p->heap);
    OM_FREE_ALL(p->heap, p->marks, p->met, p->visits, p->calls, p->live, p->bits, p->row);
}

/* ---- letters ---- */

/* Returns true if an edge between the two states is on a cycle that may accept. */
static bool marks_count(const om_profiles *p, uint32_t from, uint32_t to)
{
    uint32_t c = p->sccs.component[from];
    return c != OM_NONE /* it is reachable */ && c == p->sccs.component[to] &&
           p->sccs.strength[c] != OM_NON_ACCEPTING;
}

static int add_moves(om_profiles *p, om_label label, uint32_t state)
{
    uint32_t n;
    const om_edge *e = om_automaton_edges(p->automaton, state, &n);
    const om_cube *cubes = om_automaton_cubes(p->automaton);
    if (!OM_ROOM(p->heap, p->moves, &p->move_room, p->move_count + n + 1))
        return om_fail_memory(p->ctx);
    for (uint32_t i = 0; i < n; i++)
        if (om_edge_matches(&e[i], cubes, label))
            p->moves[p->move_count++] = (struct om_profile_move){ e[i].dst,
                marks_count(p, state, e[i].dst) ? e[i].marks & p->all : 0 };
    return OM_OK;
}

int om_profiles__letter(om_profiles *p, om_label label, uint32_t *letter)
{
    if (om_map__find(&p->letters, label, letter))
        return OM_OK;
    uint32_t number = (uint32_t) p->letters.count;
    size_t from = (size_t) number * p->states;
    if (!OM_ROOM(p->heap, p->first_move, &p->first_room, from + p->states + 1))
        return om_fail_memory(p->ctx);
    int rc = OM_OK;
    for (uint32_t q = 0; rc == OM_OK && q < p->states; q++) {
        p->first_move[from + q] = p->move_count;
        rc = add_moves(p, label, q);
    }
    p->first_move[from + p->states] = p->move_count;
    if (rc == OM_OK)
        rc = or_fail(p, om_map__add(&p->letters, p->heap, label, number));
    *letter = number;
    return rc;
}

const struct om_profile_move *om_profiles__moves(
    const om_profiles *p, uint32_t letter, uint32_t state, size_t *n)
{
    assert(letter < p->letters.count && state < p->states);
    const size_t *first = &p->first_move[(size_t) letter * p->states + state];
    *n = first[1] - first[0];
    return p->moves + first[0];
}

/* ---- sets ---- */

/* Adds the set of the states in p->met. */
static int add_set(om_profiles *p, uint32_t *set)
{
    size_t words = p->states / 64 + 1;
    memset(p->bits, 0, words * sizeof *p->bits);
    for (uint32_t q = 0; q < p->states; q++)
        p->bits[q / 64] |= (uint64_t) p->met[q] << q % 64;
    return or_fail(p, om_rows__add(&p->sets, p->heap, p->bits, words, set));
}

bool om_profiles__has(const om_profiles *p, uint32_t set, uint32_t state)
{
    assert(state < p->states);
    size_t n;
    return (om_rows__get(&p->sets, set, &n)[state / 64] >> state % 64 & 1) != 0;
}

bool om_profiles__covers(const om_profiles *p, uint32_t set, uint32_t other)
{
    size_t n;
    const uint64_t *a = om_rows__get(&p->sets, set, &n), *b = om_rows__get(&p->sets, other, &n);
    for (size_t i = 0; i < n; i++)
        if ((b[i] & ~a[i]) != 0)
            return false;
    return true;
}

int om_profiles__initial(om_profiles *p, uint32_t *set)
{
    memset(p->met, 0, p->states * sizeof *p->met);
    for (uint32_t i = 0; i < om_automaton_initial_count(p->automaton); i++)
        p->met[om_automaton_initial(p->automaton, i)] = true;
    return add_set(p, set);
}

int om_profiles__after(om_profiles *p, uint32_t set, uint32_t letter, uint32_t *out)
{
    bool any = false;
    if (om_map__find(&p->after, pair(set, letter), out)) {
        *out = *out == 0 ? OM_NONE : *out - 1;
        return OM_OK;
    }
    memset(p->met, 0, p->states * sizeof *p->met);
    for (uint32_t q = 0; q < p->states; q++) {
        size_t n = 0;
        const struct om_profile_move *m = om_profiles__moves(p, letter, q, &n);
        for (size_t i = 0; om_profiles__has(p, set, q) && i < n; i++)
            any = p->met[m[i].to] = true;
    }
    int rc = any ? add_set(p, out) : OM_OK;
    if (!any)
        *out = OM_NONE;
    return rc != OM_OK
               ? rc
               : or_fail(p, om_map__add(&p->after, p->heap, pair(set, letter), any ? *out + 1 : 0));
}

/* ---- profiles ---- */

/* Appends a pair to the row under construction, which has 2 * n words. */
static int put(om_profiles *p, size_t n, uint32_t from, uint32_t to, om_marks marks)
{
    if (!OM_ROOM(p->heap, p->row, &p->row_room, 2 * n + 2))
        return om_fail_memory(p->ctx);
    p->row[2 * n] = pair(from, to);
    p->row[2 * n + 1] = marks;
    return OM_OK;
}

/* Marks all states that are reachable from a set. */
static void meet_all(om_profiles *p, uint32_t set)
{
    uint32_t count = 0;
    for (uint32_t q = 0; q < p->states; q++) {
        p->met[q] = om_profiles__has(p, set, q);
        if (p->met[q])
            p->live[count++] = q;
    }
    while (count > 0) {
        uint32_t n = 0;
        const om_edge *e = om_automaton_edges(p->automaton, p->live[--count], &n);
        for (uint32_t i = 0; i < n; i++) {
            assert(p->met[e[i].dst] || count < p->states);
            if (!p->met[e[i].dst])
                p->live[count++] = e[i].dst;
            p->met[e[i].dst] = true;
        }
    }
}

int om_profiles__nothing(om_profiles *p, uint32_t set, uint32_t *profile)
{
    size_t pairs = 0;
    int rc = OM_OK;
    if (om_map__find(&p->nothing, set, profile))
        return OM_OK;
    meet_all(p, set);
    for (uint32_t q = 0; rc == OM_OK && q < p->states; q++)
        if (p->met[q])
            rc = put(p, pairs++, q, q, 0);
    if (rc == OM_OK)
        rc = or_fail(p, om_rows__add(&p->profiles, p->heap, p->row, 2 * pairs, profile));
    return rc == OM_OK ? or_fail(p, om_map__add(&p->nothing, p->heap, set, *profile)) : rc;
}

/* Adds the pairs of one state, which begin at row[*i], extended by a letter; moves *i past them. */
static int extend(
    om_profiles *p, const uint64_t *row, size_t n, size_t *i, uint32_t letter, size_t *pairs)
{
    uint32_t from = (uint32_t) (row[*i] >> 32);
    int rc = OM_OK;
    memset(p->met, 0, p->states * sizeof *p->met);
    memset(p->marks, 0, p->states * sizeof *p->marks);
    for (; *i < n && row[*i] >> 32 == from; *i += 2) {
        size_t count;
        const struct om_profile_move *m = om_profiles__moves(p, letter, (uint32_t) row[*i], &count);
        for (size_t k = 0; k < count; k++) {
            p->met[m[k].to] = true;
            p->marks[m[k].to] |= row[*i + 1] | m[k].marks;
        }
    }
    for (uint32_t q = 0; rc == OM_OK && q < p->states; q++)
        if (p->met[q])
            rc = put(p, (*pairs)++, from, q, marks_count(p, from, q) ? p->marks[q] : 0);
    return rc;
}

int om_profiles__then(om_profiles *p, uint32_t profile, uint32_t letter, uint32_t *out)
{
    size_t n, pairs = 0, i = 0;
    int rc = OM_OK;
    if (om_map__find(&p->then, pair(profile, letter), out))
        return OM_OK;
    const uint64_t *row = om_rows__get(&p->profiles, profile, &n);
    while (rc == OM_OK && i < n)
        rc = extend(p, row, n, &i, letter, &pairs);
    if (rc == OM_OK)
        rc = or_fail(p, om_rows__add(&p->profiles, p->heap, p->row, 2 * pairs, out));
    return rc == OM_OK ? or_fail(p, om_map__add(&p->then, p->heap, pair(profile, letter), *out))
                       : rc;
}

bool om_profiles__leads(const om_profiles *p, uint32_t set, uint32_t profile)
{
    size_t n;
    const uint64_t *row = om_rows__get(&p->profiles, profile, &n);
    for (size_t i = 0; i < n; i += 2)
        if (om_profiles__has(p, set, (uint32_t) (row[i] >> 32)))
            return true;
    return false;
}

/* ---- infinite repetition of a word ---- */

/* Tarjan, "Depth-first search and linear graph algorithms", 1972, on a profile as a graph. */
typedef struct tarjan {
    const om_profiles *p;
    const uint64_t *row; /* of the profile */
    size_t n;
    struct om_profile_visit *visits; /* by state */
    uint32_t *calls, *live;
    uint32_t depth, alive, met;
    bool accepts;
} tarjan;

#define DONE UINT32_MAX

static void enter(tarjan *t, uint32_t state)
{
    struct om_profile_visit *v = &t->visits[state];
    assert(v->number == 0 && t->depth <= t->alive && t->alive < t->p->states);
    v->number = v->low = ++t->met;
    v->next = v->first;
    t->calls[t->depth++] = state;
    t->live[t->alive++] = state;
}

/*
 * Pops the component of the live states from `root` on; the word is accepted if it has all marks.
 */
static void close_component(tarjan *t, uint32_t root)
{
    const uint32_t least = t->visits[root].number;
    om_marks seen = 0;
    bool cycle = false;
    uint32_t from = t->alive;
    do {
        assert(from > 0);
        uint32_t state = t->live[--from];
        for (size_t i = t->visits[state].first; i < t->n && t->row[i] >> 32 == state; i += 2) {
            uint32_t number = t->visits[(uint32_t) t->row[i]].number;
            if (number != DONE && number >= least) {
                cycle = true;
                seen |= t->row[i + 1];
            }
        }
    } while (t->live[from] != root);
    t->accepts = t->accepts || (cycle && seen == t->p->all);
    while (t->alive > from)
        t->visits[t->live[--t->alive]].number = DONE;
}

static void visit(tarjan *t, uint32_t start)
{
    enter(t, start);
    while (t->depth > 0) {
        uint32_t state = t->calls[t->depth - 1];
        struct om_profile_visit *v = &t->visits[state];
        if (v->next < t->n && t->row[v->next] >> 32 == state) {
            uint32_t to = (uint32_t) t->row[v->next];
            v->next += 2;
            if (t->visits[to].number == 0)
                enter(t, to);
            else if (t->visits[to].number < v->low) /* false for DONE */
                v->low = t->visits[to].number;
            continue;
        }
        t->depth--;
        if (v->low == v->number)
            close_component(t, state);
        else if (v->low < t->visits[t->calls[t->depth - 1]].low)
            t->visits[t->calls[t->depth - 1]].low = v->low;
    }
}

/* Returns true if copies of the word lead from the set to a component that has all marks. */
static bool accepts_from(const om_profiles *p, uint32_t set, uint32_t profile)
{
    tarjan t = { .p = p, .visits = p->visits, .calls = p->calls, .live = p->live };
    t.row = om_rows__get(&p->profiles, profile, &t.n);
    for (uint32_t q = 0; q < p->states; q++)
        p->visits[q] = (struct om_profile_visit){ .first = t.n };
    for (size_t i = t.n; i > 0; i -= 2)
        p->visits[t.row[i - 2] >> 32].first = i - 2;
    for (uint32_t q = 0; q < p->states && !t.accepts; q++)
        if (t.visits[q].number == 0 && om_profiles__has(p, set, q))
            visit(&t, q);
    return t.accepts;
}

int om_profiles__repeats(om_profiles *p, uint32_t set, uint32_t profile, bool *accepts)
{
    uint32_t known = 0;
    if (!om_map__find(&p->repeated, pair(set, profile), &known)) {
        known = accepts_from(p, set, profile);
        if (om_map__add(&p->repeated, p->heap, pair(set, profile), known) != OM_OK)
            return om_fail_memory(p->ctx);
    }
    *accepts = known != 0;
    return OM_OK;
}
