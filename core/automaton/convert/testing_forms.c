/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on testing automata: minimisation, conversion to the single-pass form, and size. */
#include "to_testing.h"
#include "tela.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- bisimulation ---- */

/*
 * Partition refinement by signatures (S. Blom, S. Orzan, "A distributed algorithm for strong
 * bisimulation reduction of state spaces", PDMC 2002, section 3): states stay in one class as long
 * as their transitions lead to the same classes. A transition is encoded as a number: its target
 * class, the change, and its marks, of which there are two sets.
 */
typedef uint64_t move;
enum { MARK_BITS = 2, CHANGE_BITS = 20, CLASS_SHIFT = MARK_BITS + CHANGE_BITS };

/* A transition with its target state in place of its target class. */
typedef struct transition {
    move by;
    uint32_t to;
} transition;

typedef struct partition {
    const om_automaton *a;
    om_context *ctx;
    const om_heap *heap;
    om_label used;
    transition *moves; /* those of a state are consecutive */
    size_t count, capacity;
    size_t *first; /* states + 1 */
    uint32_t *class_of, classes;
} partition;

typedef struct signature {
    uint32_t state, class_of;
    const move *moves;
    size_t count;
} signature;

static int add_move(partition *p, om_label change, const om_edge *e)
{
    if (!OM_ROOM(p->heap, p->moves, &p->capacity, p->count + 1))
        return om_fail_memory(p->ctx);
    assert(e->marks >> MARK_BITS == 0 && (change & ~p->used) == 0);
    p->moves[p->count++] =
        (transition){ .by = om_testing__extract(change, p->used) << MARK_BITS | e->marks,
            .to = e->dst };
    return OM_OK;
}

/* Adds one transition for each change that the edge allows. */
static int add_moves(partition *p, const om_edge *e)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < e->cube_count; i++) {
        const om_cube *c = &p->a->cubes[e->cube_begin + i];
        const om_label open = p->used & ~(c->pos | c->neg);
        om_label rest = 0;
        do {
            rc = add_move(p, c->pos | rest, e);
            rest = (rest - open) & open;
        } while (rc == OM_OK && rest != 0);
        if (rc != OM_OK)
            return rc;
    }
    return rc;
}

static int compare_moves(const void *x, const void *y)
{
    const move *a = x, *b = y;
    return *a == *b ? 0 : *a < *b ? -1 : 1;
}

/* Sorts the transitions. Of several with the same change to the same class it keeps the one with
 * most marks; their marks other than OM_TESTING_BUCHI are equal. */
static size_t tidy(move *moves, size_t count)
{
    size_t kept = 0;
    qsort(moves, count, sizeof *moves, compare_moves);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && (moves[kept - 1] | 1) == (moves[i] | 1))
            kept--;
        moves[kept++] = moves[i];
    }
    return kept;
}

static int compare_signatures(const void *x, const void *y)
{
    const signature *a = x, *b = y;
    if (a->class_of != b->class_of)
        return a->class_of < b->class_of ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return a->count == 0 ? 0 : memcmp(a->moves, b->moves, a->count * sizeof *a->moves);
}

static int by_state(const void *x, const void *y)
{
    const signature *a = x, *b = y;
    const int by = compare_signatures(a, b);
    return by != 0 ? by : a->state < b->state ? -1 : a->state > b->state;
}

/* Splits each class by signature; new classes are numbered in the order of their first states. */
static void number_classes(partition *p, signature *list, uint32_t *number)
{
    const uint32_t n = p->a->states;
    const uint32_t before = p->classes;
    uint32_t first = 0;
    qsort(list, n, sizeof *list, by_state);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && compare_signatures(&list[i - 1], &list[i]) != 0)
            first = i;
        number[list[i].state] = list[first].state;
    }
    p->classes = 0;
    for (uint32_t s = 0; s < n; s++)
        p->class_of[s] = number[s] == s ? p->classes++ : p->class_of[number[s]];
    assert(p->classes >= before); /* a refinement */
    (void) before;
}

/* Refines the partition once. `scratch` has room for all transitions with their target classes. */
static void refine(partition *p, signature *list, uint32_t *number, move *scratch)
{
    for (uint32_t s = 0; s < p->a->states; s++) {
        const size_t first = p->first[s], n = p->first[s + 1] - first;
        for (size_t i = first; i < first + n; i++)
            scratch[i] = p->moves[i].by | (move) p->class_of[p->moves[i].to] << CLASS_SHIFT;
        list[s] = (signature){ s, p->class_of[s], scratch + first, tidy(scratch + first, n) };
    }
    number_classes(p, list, number);
}

/* Adds the edges of a class: the transitions of one of its states, grouped by target and marks. */
static int add_class(const partition *p, om_automaton *to, const signature *of, om_cube *cubes)
{
    const uint32_t from = of->class_of;
    for (size_t i = 0; i < of->count;) {
        const uint64_t target = of->moves[i] >> CLASS_SHIFT;
        size_t end = i;
        while (end < of->count && of->moves[end] >> CLASS_SHIFT == target)
            end++;
        for (om_marks marks = 0; marks < 1u << MARK_BITS; marks++) {
            uint32_t n = 0;
            for (size_t k = i; k < end; k++) {
                const om_label change = om_testing__deposit(
                    of->moves[k] >> MARK_BITS & ((1u << CHANGE_BITS) - 1), p->used);
                if ((of->moves[k] & ((1u << MARK_BITS) - 1)) == marks)
                    cubes[n++] = (om_cube){ change, p->used & ~change };
            }
            int rc = om_automaton_add_edge(to, from, (uint32_t) target, marks, cubes, n);
            if (rc != OM_OK)
                return rc;
        }
        i = end;
    }
    return OM_OK;
}

/* Adds the stuttering step of a class, which comes first (T2). */
static int add_stuttering(const partition *p, om_automaton *to, uint32_t s)
{
    const om_automaton *a = p->a;
    const uint32_t from = p->class_of[s];
    if (s == a->initial[0])
        return OM_OK;
    return om_tela__add(to, a, &a->edges[a->first[s]], from, from, a->edges[a->first[s]].marks);
}

static int quotient(const partition *p, const signature *list, om_automaton **out)
{
    const om_automaton *a = p->a;
    om_automaton *q = NULL;
    om_cube *cubes = om_alloc(p->heap, p->count, sizeof *cubes);
    bool *done = om_alloc(p->heap, p->classes, sizeof *done);
    int rc = cubes == NULL || done == NULL ? om_fail_memory(p->ctx) : om_tela__like(&q, p->ctx, a);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(q, a->sets, a->acc, a->acc_length);
    if (rc == OM_OK)
        rc = om_automaton_add_states(q, p->classes, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(q, p->class_of[a->initial[0]]);
    for (uint32_t i = 0; rc == OM_OK && i < a->states; i++) {
        const signature *s = &list[i];
        if (done[s->class_of])
            continue;
        done[s->class_of] = true;
        rc = add_stuttering(p, q, s->state);
        if (rc == OM_OK)
            rc = add_class(p, q, s, cubes);
    }
    if (rc == OM_OK)
        rc = om_automaton_finish(q);
    rc = om_tela__hand_over(rc, q, out);
    OM_FREE_ALL(p->heap, cubes, done);
    return rc;
}

/* Collects all transitions except the stuttering steps. The initial partition separates states by
 * the marks of their stuttering steps, and the initial state from all others. */
static int open_partition(partition *p)
{
    const om_automaton *a = p->a;
    int rc = OM_OK;
    p->first = om_alloc(p->heap, (size_t) a->states + 1, sizeof *p->first);
    p->class_of = om_alloc(p->heap, a->states, sizeof *p->class_of);
    p->moves = om_grow(p->heap, NULL, &p->capacity, a->edge_count + 1, sizeof *p->moves);
    if (p->first == NULL || p->class_of == NULL || p->moves == NULL)
        return om_fail_memory(p->ctx);
    for (uint32_t s = 0; s < a->states && rc == OM_OK; s++) {
        const bool initial = s == a->initial[0];
        p->class_of[s] = initial ? 0 : a->edges[a->first[s]].marks == 0 ? 1 : 2;
        for (uint32_t e = a->first[s] + !initial; rc == OM_OK && e < a->first[s + 1]; e++)
            rc = add_moves(p, &a->edges[e]);
        p->first[s + 1] = p->count;
    }
    return rc;
}

static void close_partition(partition *p)
{
    OM_FREE_ALL(p->heap, p->moves, p->first, p->class_of);
}

int om_testing__minimise(const om_automaton *a, om_context *ctx, om_label used, om_automaton **out)
{
    partition p = { .a = a, .ctx = ctx, .heap = om_context_heap(ctx), .used = used };
    int rc = open_partition(&p);
    uint32_t before = 0;
    signature *list = om_alloc(p.heap, a->states, sizeof *list);
    uint32_t *number = om_alloc(p.heap, a->states, sizeof *number);
    move *scratch = om_alloc(p.heap, p.count, sizeof *scratch);
    if (rc == OM_OK && (list == NULL || number == NULL || scratch == NULL))
        rc = om_fail_memory(ctx);
    while (rc == OM_OK && p.classes != a->states) {
        before = p.classes;
        refine(&p, list, number, scratch);
        rc = om_context_stopped(ctx);
        if (p.classes == before)
            break;
    }
    /* The signatures refer to the classes of the previous round, which are the current ones if
     * nothing changed. */
    if (rc == OM_OK && p.classes != before)
        refine(&p, list, number, scratch);
    for (uint32_t i = 0; rc == OM_OK && i < a->states; i++)
        list[i].class_of = p.class_of[list[i].state];
    if (rc == OM_OK)
        rc = quotient(&p, list, out);
    OM_FREE_ALL(p.heap, list, number, scratch);
    close_partition(&p);
    return rc;
}

/* ---- single-pass form ---- */

static bool in_livelock(const om_automaton *a, uint32_t s)
{
    return s != a->initial[0] && (a->edges[a->first[s]].marks & 1u << OM_TESTING_BUSY) == 0;
}

int om_testing__single_pass(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    const om_cube nothing = { 0, om_testing__used(a) };
    om_automaton *s = NULL, *now = NULL;
    uint32_t livelock = 0;
    int rc = om_tela__like(&s, ctx, a);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(s, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_states(s, a->states, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_states(s, 1, &livelock);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(s, a->initial[0]);
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++) {
        const om_edge *e = &a->edges[i];
        rc = om_tela__add(s, a, e, e->src, e->dst, e->marks & 1);
        if (rc == OM_OK && in_livelock(a, e->dst) &&
            (e->src == a->initial[0] || i != a->first[e->src]))
            rc = om_tela__add(s, a, e, e->src, livelock, 0);
    }
    if (rc == OM_OK)
        rc = om_automaton_add_edge(s, livelock, livelock, 1, &nothing, 1);
    if (rc == OM_OK)
        rc = om_automaton_finish(s);
    if (rc == OM_OK) /* removes states that were needed only to reach livelocks */
        rc = om_automaton_prune(s, ctx, &now);
    if (rc == OM_OK)
        *out = now;
    om_automaton_free(s);
    return rc;
}

/* ---- inspection ---- */

bool om_automaton__is_testing(const om_automaton *a)
{
    return a->testing;
}

void om_automaton__testing_size(const om_automaton *a, uint32_t *states, uint64_t *transitions)
{
    const om_label used = om_testing__used(a);
    *states = a->states - 1;
    *transitions = 0;
    for (size_t i = 0; i < a->edge_count; i++) {
        const om_edge *e = &a->edges[i];
        if (e->src == a->initial[0] || i == a->first[e->src])
            continue;
        for (uint32_t k = 0; k < e->cube_count; k++) {
            const om_cube *c = &a->cubes[e->cube_begin + k];
            uint64_t n = 1;
            for (om_label open = used & ~(c->pos | c->neg); open != 0; open &= open - 1)
                n *= 2;
            *transitions += n;
        }
    }
}
