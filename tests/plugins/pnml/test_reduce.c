/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduces random nets in every way and compares each with its reduced net. The state graphs of
 * both, labelled with the observed tokens, have the same reachable labels, deadlocks, or runs
 * (their determinizations are compared, up to stuttering or not). Random runs of the reduced net
 * expand to runs of the original one with the same labels.
 */
#include "heap.h"
#include "net_case.h"

#include <omen/host/reduce.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

#include <cmocka.h>

enum { PLACES = 12, TRANSITIONS = 24, STATES = 384, EDGES = STATES * TRANSITIONS, PAIRS = 4000 };
enum { WORDS = STATES / 64, RUNS = 6, LENGTH = 60 };

typedef struct set {
    uint64_t words[WORDS];
} set;

/* A state graph */
typedef struct graph {
    const om_net *net;
    uint32_t count;
    om_value marking[STATES][PLACES];
    uint32_t label[STATES];
    uint32_t first[STATES + 1]; /* first edge of each state */
    uint32_t to[EDGES];
    bool dead[STATES], stays[STATES]; /* has no successor; can keep its label for ever */
    bool complete;
} graph;

typedef struct labels {
    om_value list[2 * STATES][PLACES];
    uint32_t count;
} labels;

/* The labels of a run; up to stuttering, without repetitions */
typedef struct word {
    uint32_t list[100000];
    size_t count;
} word;

typedef struct example {
    om_context *ctx;
    om_random random;
    om_net net;
    uint8_t observed[PLACES];
    om_reduction *reduction;
    graph before, after;
    labels labels;
    set pairs[PAIRS][2];
    word words[2];
    uint64_t figures[32];
    uint64_t compared, runs, undecided, rounds;
} example;

static uint32_t below(example *c, uint32_t n)
{
    return (uint32_t) om_random_below(&c->random, n);
}

/* ---- nets ---- */

static void move(int64_t *counts, uint32_t from, uint32_t to)
{
    counts[from]--;
    counts[to]++;
}

static void add(example *c, const int64_t *counts, const bool *both)
{
    if (c->net.transition_count < TRANSITIONS)
        assert_int_equal(net_case_add(&c->net, counts, both), OM_OK);
}

/* Tokens that move from place to place */
static void make_moves(example *c, uint32_t places)
{
    for (uint32_t n = 1 + below(c, 9); n > 0; n--) {
        int64_t counts[PLACES] = { 0 };
        bool both[PLACES] = { false };
        for (uint32_t k = 1 + below(c, 2); k > 0; k--)
            move(counts, below(c, places), below(c, places));
        both[below(c, places)] = below(c, 5) == 0;
        add(c, counts, both);
    }
}

/* Rings and chains of places whose transitions also take from and give to shared places */
static void make_processes(example *c, uint32_t places)
{
    const uint32_t shared = 1 + below(c, 3);
    for (uint32_t p = shared, length = 0; p < places; p += length) {
        length = 1 + below(c, 5);
        if (length > places - p)
            length = places - p;
        for (uint32_t i = 0; i < length + below(c, 2); i++) {
            int64_t counts[PLACES] = { 0 };
            bool both[PLACES] = { false };
            const uint32_t from = p + i % length;
            if (i + 1 < length || below(c, 3) != 0)
                move(counts, from, p + (i + 1 + (below(c, 6) == 0)) % length);
            else
                counts[from]--;
            if (below(c, 3) == 0)
                counts[below(c, shared)] -= 1 + (below(c, 4) == 0);
            if (below(c, 3) == 0)
                counts[below(c, shared)] += 1 + (below(c, 4) == 0);
            both[below(c, places)] = below(c, 9) == 0;
            add(c, counts, both);
        }
    }
}

/* Arbitrary nets, many of them with infinitely many markings */
static void make_wild(example *c, uint32_t places)
{
    for (uint32_t n = 1 + below(c, 8); n > 0; n--) {
        int64_t counts[PLACES] = { 0 };
        bool both[PLACES] = { false };
        for (uint32_t k = 1 + below(c, 3); k > 0; k--)
            counts[below(c, places)] += (int64_t) below(c, 5) - 2;
        counts[below(c, places)]--;
        both[below(c, places)] = below(c, 9) == 0;
        add(c, counts, both);
    }
}

/* Transitions that differ only in the place they take from, and choices between these places */
static void make_symmetry(example *c, uint32_t places)
{
    const uint32_t alike = 2 + below(c, 2), first = below(c, 2);
    for (uint32_t n = 1 + below(c, 3); n > 0; n--) {
        int64_t counts[PLACES] = { 0 };
        bool both[PLACES] = { false };
        counts[below(c, places)] -= below(c, 2);
        counts[below(c, places)] += below(c, 2);
        both[below(c, places)] = below(c, 6) == 0;
        for (uint32_t i = 0; i < alike; i++) {
            int64_t its[PLACES];
            memcpy(its, counts, sizeof its);
            const uint32_t own = (first + i) % places;
            const bool back =
                below(c, 8) == 0; /* the transition gives its own place what it takes, or more */
            if (back)
                its[own] = below(c, 6) == 0;
            else if (below(c, 12) != 0)
                its[own]--;
            both[own] = both[own] || back;
            add(c, its, both);
        }
    }
    for (uint32_t n = 1 + below(c, 4); n > 0; n--) {
        int64_t counts[PLACES] = { 0 };
        bool both[PLACES] = { false };
        move(counts, below(c, places), (first + below(c, alike)) % places);
        add(c, counts, both);
    }
}

/* Makes the last place count the tokens that some others hold, or lack, with an occasional
 * mistake. */
static void count_others(example *c, uint32_t places)
{
    const uint32_t last = places - 1, of = 1 + below(c, (1U << last) - 1);
    const om_value sign = below(c, 2) == 0 ? 1 : -1;
    for (uint32_t t = 0; t < c->net.transition_count; t++) {
        int64_t counts[PLACES] = { 0 };
        bool both[PLACES] = { false };
        const om_net_transition *x = &c->net.transitions[t];
        for (uint32_t i = 0; i < x->take_count; i++)
            counts[x->takes[i].place] -= x->takes[i].count;
        for (uint32_t i = 0; i < x->give_count; i++)
            counts[x->gives[i].place] += x->gives[i].count;
        counts[last] = 0;
        for (uint32_t p = 0; p < last; p++)
            counts[last] += (of >> p & 1) != 0 ? sign * counts[p] : 0;
        both[last] = below(c, 8) == 0;
        assert_int_equal(net_case_set(&c->net, t, counts, both), OM_OK);
    }
}

/* Places that are alike only after others have been merged */
static void make_levels(example *c, uint32_t places)
{
    const uint32_t turn = below(c, places);
    for (uint32_t i = 0; i < places; i++) {
        int64_t counts[PLACES] = { 0 };
        const bool both[PLACES] = { false };
        const uint32_t to = i < 2              ? below(c, places)
                            : below(c, 4) == 0 ? i / 2
                                               : i % 2 + 2 * (i / 4);
        move(counts, (i + turn) % places, (to + turn) % places);
        add(c, counts, both);
    }
}

static void make_net(example *c)
{
    const uint32_t places = 2 + below(c, PLACES - 2), kind = below(c, 7);
    assert_int_equal(net_case_open(&c->net, c->ctx, places, TRANSITIONS), OM_OK);
    if (kind == 0)
        make_moves(c, places);
    else if (kind == 1)
        make_wild(c, places);
    else if (kind == 2)
        make_symmetry(c, places);
    else if (kind == 3)
        make_levels(c, places);
    else
        make_processes(c, places);
    if (below(c, 4) == 0)
        count_others(c, places);
    for (uint32_t p = 0; p < places; p++)
        c->net.places[p].initial = (om_value) (below(c, 2) * below(c, 3 + (below(c, 9) == 0)));
    assert_int_equal(net_case_name(&c->net), OM_OK);
    assert_int_equal(om_net_bound(&c->net), OM_OK);
}

/* ---- state graphs ---- */

static bool enabled(const om_net_transition *t, const om_value *marking)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        if (marking[t->takes[i].place] < t->takes[i].count)
            return false;
    return true;
}

static void fire(const om_net_transition *t, const om_value *from, om_value *to)
{
    memcpy(to, from, PLACES * sizeof *to);
    for (uint32_t i = 0; i < t->take_count; i++)
        to[t->takes[i].place] -= t->takes[i].count;
    for (uint32_t i = 0; i < t->give_count; i++)
        to[t->gives[i].place] += t->gives[i].count;
}

static uint32_t find_state(graph *g, const om_value *marking)
{
    for (uint32_t s = 0; s < g->count; s++)
        if (memcmp(g->marking[s], marking, sizeof g->marking[s]) == 0)
            return s;
    if (g->count < STATES)
        memcpy(g->marking[g->count], marking, sizeof g->marking[g->count]);
    return g->count < STATES ? g->count++ : STATES;
}

static void explore(graph *g, const om_net *net)
{
    om_value marking[PLACES] = { 0 };
    uint32_t edges = 0;
    g->net = net;
    g->count = 0;
    g->complete = true;
    for (uint32_t p = 0; p < net->place_count; p++)
        marking[p] = net->places[p].initial;
    (void) find_state(g, marking);
    for (uint32_t s = 0; s < g->count && g->complete; s++) {
        g->first[s] = edges;
        for (uint32_t t = 0; t < net->transition_count && g->complete; t++) {
            if (!enabled(&net->transitions[t], g->marking[s]))
                continue;
            fire(&net->transitions[t], g->marking[s], marking);
            g->to[edges] = find_state(g, marking);
            g->complete = g->to[edges++] < STATES;
        }
        g->dead[s] = edges == g->first[s];
        g->first[s + 1] = edges;
    }
}

/* Stores the observed tokens. images: NULL if the places are those of the original net. */
static void observe(
    const example *c, const om_net_image *images, const om_value *marking, om_value *seen)
{
    for (uint32_t p = 0; p < PLACES; p++) {
        om_wide tokens = images == NULL ? marking[p] : 0;
        if (images != NULL && p < c->net.place_count && c->observed[p] != 0) {
            tokens = images[p].constant;
            for (uint32_t k = 0; k < images[p].count; k++)
                tokens += images[p].terms[k].factor * marking[images[p].terms[k].place];
        }
        seen[p] = c->observed[p] != 0 ? (om_value) tokens : 0;
    }
}

static uint32_t find_label(labels *l, const om_value *seen)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (memcmp(l->list[i], seen, sizeof l->list[i]) == 0)
            return i;
    assert_true(l->count < 2 * STATES);
    memcpy(l->list[l->count], seen, sizeof l->list[l->count]);
    return l->count++;
}

/* Removes states that cannot keep their label until a fixed point is reached. */
static void find_staying(graph *g)
{
    bool any = true;
    memset(g->stays, true, sizeof g->stays);
    while (any) {
        any = false;
        for (uint32_t s = 0; s < g->count; s++) {
            bool can = g->dead[s];
            for (uint32_t e = g->first[s]; e < g->first[s + 1]; e++)
                can = can || (g->label[g->to[e]] == g->label[s] && g->stays[g->to[e]]);
            any = any || (g->stays[s] && !can);
            g->stays[s] = g->stays[s] && can;
        }
    }
}

static void label(example *c, graph *g, const om_net_image *images)
{
    om_value seen[PLACES];
    for (uint32_t s = 0; s < g->count; s++) {
        observe(c, images, g->marking[s], seen);
        g->label[s] = find_label(&c->labels, seen);
    }
    find_staying(g);
}

/* ---- comparing runs ---- */

static bool has(const set *s, uint32_t state)
{
    return s->words[state / 64] >> state % 64 & 1;
}

static bool put(set *s, uint32_t state)
{
    const bool is_new = !has(s, state);
    s->words[state / 64] |= UINT64_C(1) << state % 64;
    return is_new;
}

static void close_silently(const graph *g, set *s)
{
    bool any = true;
    while (any) {
        any = false;
        for (uint32_t i = 0; i < g->count; i++)
            for (uint32_t e = g->first[i]; has(s, i) && e < g->first[i + 1]; e++)
                if (g->label[g->to[e]] == g->label[i])
                    any = put(s, g->to[e]) || any;
    }
}

/* Returns the states that a step to the label leads to. */
static set step(const graph *g, const set *from, uint32_t label_to, bool stutter)
{
    set to = { { 0 } };
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t e = g->first[i]; has(from, i) && e < g->first[i + 1]; e++)
            if (g->label[g->to[e]] == label_to && !(stutter && g->label[i] == label_to))
                (void) put(&to, g->to[e]);
    if (stutter)
        close_silently(g, &to);
    return to;
}

static bool may_end(const graph *g, const set *s, bool stutter)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (has(s, i) && (stutter ? g->stays[i] : g->dead[i]))
            return true;
    return false;
}

static bool is_empty(const set *s)
{
    static const set none = { { 0 } };
    return memcmp(s, &none, sizeof none) == 0;
}

static void check_runs(example *c, bool stutter)
{
    size_t count = 1;
    memset(c->pairs[0], 0, sizeof c->pairs[0]);
    (void) put(&c->pairs[0][0], 0);
    (void) put(&c->pairs[0][1], 0);
    assert_int_equal(c->before.label[0], c->after.label[0]);
    if (stutter) {
        close_silently(&c->before, &c->pairs[0][0]);
        close_silently(&c->after, &c->pairs[0][1]);
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(may_end(&c->before, &c->pairs[i][0], stutter) ==
                    may_end(&c->after, &c->pairs[i][1], stutter));
        for (uint32_t l = 0; l < c->labels.count; l++) {
            set next[2] = { step(&c->before, &c->pairs[i][0], l, stutter),
                step(&c->after, &c->pairs[i][1], l, stutter) };
            assert_true(is_empty(&next[0]) == is_empty(&next[1]));
            bool known = is_empty(&next[0]);
            for (size_t k = 0; k < count && !known; k++)
                known = memcmp(c->pairs[k], next, sizeof next) == 0;
            if (!known && count == PAIRS) {
                c->undecided++;
                return;
            }
            if (!known)
                memcpy(c->pairs[count++], next, sizeof next);
        }
    }
}

static bool has_label(const graph *g, uint32_t l)
{
    for (uint32_t s = 0; s < g->count; s++)
        if (g->label[s] == l)
            return true;
    return false;
}

static bool has_dead(const graph *g)
{
    for (uint32_t s = 0; s < g->count; s++)
        if (g->dead[s])
            return true;
    return false;
}

static void compare(example *c, om_reduce_keep keep)
{
    assert_true(c->after.count <= c->before.count);
    switch (keep) {
    case OM_REDUCE_STEPS:
        check_runs(c, false);
        break;
    case OM_REDUCE_RUNS:
        check_runs(c, true);
        break;
    case OM_REDUCE_REACHABLE:
        for (uint32_t l = 0; l < c->labels.count; l++)
            assert_true(has_label(&c->before, l) == has_label(&c->after, l));
        break;
    case OM_REDUCE_DEADLOCK:
        assert_true(has_dead(&c->before) == has_dead(&c->after));
        break;
    }
}

/* ---- expanding ---- */

static void see(word *w, uint32_t l, bool stutter)
{
    if (stutter && w->count > 0 && w->list[w->count - 1] == l)
        return;
    assert_true(w->count < sizeof w->list / sizeof *w->list);
    w->list[w->count++] = l;
}

/* Repeats the loop `rounds` more times, so that there are as many firings as in the original net:
 * merged places may take some rounds until they repeat. The caller frees the list. */
static uint32_t *unroll(const om_firings *f, size_t rounds, om_firings *out)
{
    const size_t loop = f->count - f->loop;
    uint32_t *list = malloc((f->count + rounds * loop + 1) * sizeof *list);
    assert_non_null(list);
    memcpy(list, f->transitions, f->count * sizeof *list);
    for (size_t i = 0; i < rounds * loop; i++)
        list[f->count + i] = f->transitions[f->loop + i % loop];
    *out = (om_firings){ list, f->count + rounds * loop, f->loop };
    return list;
}

/* Fires a list of transitions, each of which must be enabled. Returns true if it ends in a
 * deadlock. */
static bool follow(example *c, const om_net *net, const om_net_image *images, const om_firings *f,
    bool stutter, word *w)
{
    om_value marking[2][PLACES] = { { 0 } }, seen[PLACES], at_loop[PLACES] = { 0 };
    bool dead = true;
    w->count = 0;
    for (uint32_t p = 0; p < net->place_count; p++)
        marking[0][p] = net->places[p].initial;
    for (size_t i = 0; i <= f->count; i++) {
        observe(c, images, marking[i % 2], seen);
        see(w, find_label(&c->labels, seen), stutter);
        if (i == f->loop)
            memcpy(at_loop, marking[i % 2], sizeof at_loop);
        if (i == f->count)
            break;
        assert_true(enabled(&net->transitions[f->transitions[i]], marking[i % 2]));
        fire(&net->transitions[f->transitions[i]], marking[i % 2], marking[1 - i % 2]);
    }
    const om_value *last = marking[f->count % 2];
    for (uint32_t p = 0; p < net->place_count && f->loop < f->count; p++)
        assert_true(last[p] >= at_loop[p] && (c->observed[p] == 0 || last[p] == at_loop[p]));
    for (uint32_t t = 0; t < net->transition_count; t++)
        dead = dead && !enabled(&net->transitions[t], last);
    return dead;
}

/* Returns one of the enabled transitions, or OM_NONE. */
static uint32_t pick(example *c, const om_net *net, const om_value *marking)
{
    uint32_t ways = 0, chosen = OM_NONE;
    for (uint32_t t = 0; t < net->transition_count; t++)
        if (enabled(&net->transitions[t], marking) && below(c, ++ways) == 0)
            chosen = t;
    return chosen;
}

/* Makes a run of the reduced net that ends, is cut off, or returns to an earlier marking. */
static void make_run(example *c, om_firings *f)
{
    const om_net *net = c->after.net;
    om_value markings[LENGTH + 1][PLACES] = { { 0 } };
    memcpy(markings[0], c->after.marking[0], sizeof markings[0]);
    f->loop = OM_FIRINGS_END;
    for (f->count = 0; f->count < LENGTH; f->count++) {
        const om_value *now = markings[f->count];
        for (size_t i = 0; i < f->count; i++)
            if (memcmp(markings[i], now, sizeof markings[i]) == 0 && below(c, 3) == 0) {
                f->loop = i;
                return;
            }
        const uint32_t t = pick(c, net, now);
        if (t == OM_NONE) {
            f->loop = f->count;
            return;
        }
        f->transitions[f->count] = t;
        fire(&net->transitions[t], now, markings[f->count + 1]);
    }
}

static void check_expansions(example *c, om_reduce_keep keep)
{
    uint32_t transitions[LENGTH + 1];
    const bool stutter = keep != OM_REDUCE_STEPS;
    for (unsigned i = 0; i < RUNS; i++) {
        om_firings run = { .transitions = transitions }, expanded = { 0 };
        make_run(c, &run);
        /* Only the other reductions promise silent firings after the end. */
        if (keep == OM_REDUCE_REACHABLE)
            run.loop = OM_FIRINGS_END;
        assert_int_equal(om_reduction_expand(c->reduction, &run, &expanded), OM_OK);
        (void) follow(c, om_reduction_net(c->reduction), om_reduction_images(c->reduction), &run,
            stutter, &c->words[0]);
        const bool dead = follow(c, &c->net, NULL, &expanded, stutter, &c->words[1]);
        for (size_t r = 1; run.loop < run.count && c->words[0].count < c->words[1].count; r++) {
            om_firings more;
            assert_true(r < 10000);
            uint32_t *list = unroll(&run, r, &more);
            (void) follow(c, om_reduction_net(c->reduction), om_reduction_images(c->reduction),
                &more, stutter, &c->words[0]);
            free(list);
            c->rounds += r == 1;
        }
        assert_true(run.loop != run.count || dead);
        if (keep == OM_REDUCE_REACHABLE || keep == OM_REDUCE_DEADLOCK) {
            assert_int_equal(
                c->words[0].list[c->words[0].count - 1], c->words[1].list[c->words[1].count - 1]);
        } else {
            assert_int_equal(c->words[0].count, c->words[1].count);
            assert_memory_equal(
                c->words[0].list, c->words[1].list, c->words[0].count * sizeof *c->words[0].list);
        }
        om_free(om_context_heap(c->ctx), expanded.transitions);
        c->runs++;
    }
}

/* ---- the tests ---- */

static void check_keep(example *c, om_reduce_keep keep, uint32_t leave_out)
{
    const om_reduce_options options = { .keep = keep, .leave_out = leave_out };
    size_t passes = 0;
    assert_int_equal(om_net_reduce(&c->reduction, &c->net, c->observed, &options), OM_OK);
    const om_net *reduced = om_reduction_net(c->reduction);
    (void) om_reduce_passes(&passes);
    for (size_t i = 0; i < passes; i++) {
        const uint64_t times = om_reduction_figures(c->reduction)[i].times;
        assert_true(times == 0 || (leave_out >> i & 1) == 0);
        c->figures[i] += times != 0;
    }
    for (uint32_t p = 0; p < reduced->place_count; p++)
        assert_true(reduced->places[p].initial <= reduced->places[p].bound);
    explore(&c->after, reduced);
    assert_true(c->after.complete || !c->before.complete);
    if (c->before.complete) {
        c->labels.count = 0;
        label(c, &c->before, NULL);
        label(c, &c->after, om_reduction_images(c->reduction));
        compare(c, keep);
        c->compared++;
    }
    if (c->after.complete) {
        c->labels.count = 0;
        check_expansions(c, keep);
    }
    om_reduction_free(c->reduction);
}

static void check_nets(example *c, unsigned nets, uint64_t seed)
{
    for (unsigned i = 0; i < nets; i++) {
        c->random = (om_random){ seed + i };
        make_net(c);
        explore(&c->before, &c->net);
        const uint32_t wanted = below(c, 4);
        for (uint32_t keep = OM_REDUCE_STEPS; keep <= OM_REDUCE_DEADLOCK; keep++) {
            for (uint32_t p = 0; p < PLACES; p++)
                c->observed[p] = p < c->net.place_count && keep != OM_REDUCE_DEADLOCK &&
                                 below(c, 4) < wanted && below(c, 2) == 0;
            check_keep(c, (om_reduce_keep) keep,
                below(c, 3) == 0 ? (uint32_t) om_random_next(&c->random) : 0);
        }
        net_case_close(&c->net);
    }
}

static void test_random(void **state)
{
    const char *nets = getenv("OMEN_NETS"), *seed = getenv("OMEN_SEED");
    example *c = calloc(1, sizeof *c);
    size_t passes = 0;
    assert_non_null(c);
    c->ctx = *state;
    check_nets(c, nets != NULL ? (unsigned) strtoul(nets, NULL, 10) : 1000,
        seed != NULL ? strtoull(seed, NULL, 10) : 1);
    const om_reduce_pass *pass = om_reduce_passes(&passes);
    for (size_t i = 0; i < passes; i++) {
        print_message("%s: in %lu reductions\n", pass[i].name, (unsigned long) c->figures[i]);
        assert_true(c->figures[i] > 0);
    }
    print_message("%lu compared, %lu too large to compare, %lu runs expanded, %lu by rounds\n",
        (unsigned long) c->compared, (unsigned long) c->undecided, (unsigned long) c->runs,
        (unsigned long) c->rounds);
    assert_true(c->rounds > 0);
    free(c);
}

/* Makes allocation n of a reduction and an expansion fail. Returns true if there were more than n
 * allocations. */
static bool fails(example *c, uint64_t seed, size_t n)
{
    test_heap t;
    uint32_t transitions[LENGTH + 1];
    om_firings run = { .transitions = transitions }, expanded = { 0 };
    const om_reduce_options options = { .keep = (om_reduce_keep) (seed % 4) };
    test_heap_init(&t, SIZE_MAX);
    assert_int_equal(om_context_new(&c->ctx, &t.heap), OM_OK);
    c->random = (om_random){ seed };
    memset(c->observed, 0, sizeof c->observed);
    make_net(c);
    t.fail_at = t.calls + n;
    int rc = om_net_reduce(&c->reduction, &c->net, c->observed, &options);
    if (rc == OM_OK) {
        explore(&c->after, om_reduction_net(c->reduction));
        make_run(c, &run);
        run.loop = OM_FIRINGS_END;
        rc = om_reduction_expand(c->reduction, &run, &expanded);
        om_free(&t.heap, expanded.transitions);
        om_reduction_free(c->reduction);
    }
    const bool failed = t.calls > t.fail_at;
    assert_int_equal(rc, failed ? OM_ENOMEM : OM_OK);
    net_case_close(&c->net);
    om_context_free(c->ctx);
    assert_int_equal(t.live, 0);
    return failed;
}

static void test_no_memory(void **state)
{
    example *c = calloc(1, sizeof *c);
    size_t tries = 0;
    (void) state;
    assert_non_null(c);
    for (uint64_t seed = 0; seed < 40; seed++)
        for (size_t n = 0; fails(c, seed, n); n++)
            tries++;
    assert_true(tries > 1000);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
        cmocka_unit_test(test_no_memory) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
