/* SPDX-License-Identifier: Apache-2.0 */
/* om_automaton__align_parts(): the parts of random automata and the numbers of the states that
 * they share, compared with brute force. */
#include "oracle.h"
#include "components/part.h"

#include "context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 4000, WORDS = 8, PARTS = 3, MOST_STATES = 9 };
enum { IN_TERMINAL = 1, IN_WEAK = 2, IN_STRONG = 4 };
static const oracle_size size = { MOST_STATES, 2, 3 };

/* An automaton with SCCs of all strengths, each a state with loops, in random order: few random
 * automata have them all. */
static om_automaton *chain(om_context *ctx, om_random *r)
{
    static const char *const names[] = { "a", "b" };
    static const om_cube any = { 0, 0 }, some = { 1, 0 };
    om_automaton *a = NULL;
    uint32_t order[MOST_STATES], states = 4 + (uint32_t) om_random_below(r, MOST_STATES - 3);
    assert_int_equal(om_automaton_new(&a, ctx, 2, names), OM_OK);
    assert_int_equal(om_automaton_add_states(a, states, NULL), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    for (uint32_t i = 0; i < states; i++) {
        uint32_t at = (uint32_t) om_random_below(r, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 0; i < states; i++) {
        om_strength strength = (om_strength) om_random_below(r, OM_STRONG + 1);
        for (uint32_t k = i + 1; k < states; k++)
            if (om_random_below(r, 2) == 0)
                assert_int_equal(
                    om_automaton_add_edge(a, order[i], order[k], k % 2, &any, 1), OM_OK);
        if (strength != OM_NON_ACCEPTING)
            assert_int_equal(om_automaton_add_edge(a, order[i], order[i], 1,
                                 strength == OM_TERMINAL ? &any : &some, 1),
                OM_OK);
        if (strength == OM_STRONG)
            assert_int_equal(om_automaton_add_edge(a, order[i], order[i], 0, &any, 1), OM_OK);
    }
    assert_int_equal(om_automaton_add_initial(a, order[0]), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

/* The parts of each state: it is reachable, and reaches an SCC of that strength. Also its number
 * there; parts keep the order of states. */
typedef struct membership {
    unsigned in[MOST_STATES];
    uint32_t number[PARTS][MOST_STATES], count[PARTS];
} membership;

static membership members_of(const om_automaton *a)
{
    static oracle_graph g;
    static uint64_t closure[ORACLE_NODES][ORACLE_NODES / 64];
    membership m = { .count = { 0 } };
    oracle_graph_of(a, &g);
    oracle_closure(&g, UINT64_MAX, closure);
    for (uint32_t to = 0; to < g.nodes; to++) {
        om_strength strength = g.reached[to] ? oracle_strength(a, to) : OM_NON_ACCEPTING;
        for (uint32_t s = 0; strength != OM_NON_ACCEPTING && s < g.nodes; s++)
            if (g.reached[s] && (s == to || (closure[s][0] >> to & 1) != 0))
                m.in[s] |= 1u << (strength - OM_TERMINAL);
    }
    for (uint32_t s = 0; s < g.nodes; s++)
        for (int p = 0; p < PARTS; p++)
            m.number[p][s] = (m.in[s] >> p & 1) != 0 ? m.count[p]++ : OM_NONE;
    return m;
}

/* The part equals the result of brute force, state by state and edge by edge. */
static void expect_part(const om_automaton *a, const membership *m, int p, const om_automaton *part)
{
    assert_int_equal(part == NULL ? 0 : om_automaton_state_count(part), m->count[p]);
    for (uint32_t s = 0; part != NULL && s < om_automaton_state_count(a); s++) {
        uint32_t n = 0, k = 0, at = 0;
        const om_edge *e = om_automaton_edges(a, s, &n);
        if (m->number[p][s] == OM_NONE)
            continue;
        const om_edge *f = om_automaton_edges(part, m->number[p][s], &k);
        for (uint32_t i = 0; i < n; i++)
            if (m->number[p][e[i].dst] != OM_NONE) {
                assert_true(at < k);
                assert_int_equal(f[at++].dst, m->number[p][e[i].dst]);
            }
        assert_int_equal(at, k);
    }
}

/* Shared states have the same number in two parts. With two parts, this holds for all shared
 * states; with three, for those in all parts and those in both the weak and the strong part. */
static void expect_aligned(const membership *m, uint32_t states, uint32_t *shared)
{
    unsigned kinds = (m->count[0] > 0) + (m->count[1] > 0) + (m->count[2] > 0);
    for (uint32_t s = 0; s < states; s++)
        for (int p = 0; p < PARTS; p++)
            for (int q = p + 1; q < PARTS; q++) {
                unsigned both = 1u << p | 1u << q;
                bool promised = kinds == 2 || m->in[s] == (IN_TERMINAL | IN_WEAK | IN_STRONG) ||
                                m->in[s] == (IN_WEAK | IN_STRONG);
                if ((m->in[s] & both) != both || !promised)
                    continue;
                assert_int_equal(m->number[p][s], m->number[q][s]);
                shared[kinds - 2]++;
            }
}

static void expect_words(om_random *r, const om_automaton *a, const om_automaton *b)
{
    for (int i = 0; i < WORDS; i++) {
        oracle_lasso w = oracle_random_lasso(r, om_automaton_ap_count(a), 5);
        assert_int_equal(oracle_accepts(a, &w), oracle_accepts(b, &w));
    }
}

static void one(om_context *ctx, om_random *r, const om_automaton *a, uint32_t *shared)
{
    om_automaton *b = NULL, *of_a = NULL, *of_b = NULL;
    assert_int_equal(om_automaton__align_parts(a, ctx, &b), OM_OK);
    assert_int_equal(om_automaton_state_count(b), om_automaton_state_count(a));
    assert_int_equal(om_automaton_edge_count(b), om_automaton_edge_count(a));
    expect_words(r, a, b);
    membership m = members_of(b);
    expect_aligned(&m, om_automaton_state_count(b), shared);
    for (int p = 0; p < PARTS; p++) {
        om_strength strength = (om_strength) (OM_TERMINAL + p);
        assert_int_equal(om_automaton_part(a, ctx, strength, &of_a), OM_OK);
        assert_int_equal(om_automaton_part(b, ctx, strength, &of_b), OM_OK);
        expect_part(b, &m, p, of_b);
        assert_int_equal(of_a == NULL, of_b == NULL);
        if (of_a != NULL) {
            assert_int_equal(oracle_empty(of_a), oracle_empty(of_b));
            expect_words(r, of_a, of_b);
        }
        om_automaton_free(of_a);
        om_automaton_free(of_b);
    }
    om_automaton_free(b);
}

static void parts_are_aligned(void **state)
{
    om_random r = { 77 };
    uint32_t shared[2] = { 0, 0 }; /* states in two parts; of two parts or of three */
    for (int round = 0; round < ROUNDS; round++) {
        om_automaton *a = round % 2 == 0 ? oracle_random(*state, &r, &size) : chain(*state, &r);
        one(*state, &r, a, shared);
        om_automaton_free(a);
    }
    assert_true(shared[0] > ROUNDS / 20);
    assert_true(shared[1] > ROUNDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(parts_are_aligned) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
