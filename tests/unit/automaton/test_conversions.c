/* SPDX-License-Identifier: Apache-2.0 */
/* Random automata: the library's analyses and conversions, compared with brute force. */
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 4000, WORDS = 16, WORD_MOST = 5 };
static const oracle_size small = { 6, 3, 5 };

typedef struct fixture {
    om_context *ctx;
    om_random r;
} fixture;

static int set_up(void **state)
{
    fixture *f = om_alloc(om_heap_default(), 1, sizeof *f);
    *state = f;
    f->r.state = 20;
    return om_context_new(&f->ctx, NULL);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_context_free(f->ctx);
    om_free(om_heap_default(), f);
    return 0;
}

/* Prints the automaton on failure, for debugging. */
static void expect(bool ok, const char *what, const om_automaton *a)
{
    if (ok)
        return;
    om_text t = { .heap = om_heap_default() };
    (void) om_hoa_write(a, &t);
    print_error("%s:\n%s", what, t.text);
    om_text_free(&t);
    fail();
}

static bool accepts(fixture *f, const om_automaton *a, const oracle_lasso *w)
{
    bool yes = false;
    assert_int_equal(om_automaton_accepts_lasso(a, f->ctx, w->labels, w->n, w->loop, &yes), OM_OK);
    return yes;
}

static void lassos_and_emptiness(void **state)
{
    fixture *f = *state;
    uint32_t accepted = 0, empty_ones = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        om_automaton *a = oracle_random(f->ctx, &f->r, &small);
        for (int k = 0; k < WORDS; k++) {
            oracle_lasso w = oracle_random_lasso(&f->r, om_automaton_ap_count(a), 7);
            bool yes = oracle_accepts(a, &w);
            accepted += yes;
            expect(accepts(f, a, &w) == yes, "accepts_lasso", a);
        }
        bool empty = false;
        om_word word = { NULL, 0, 0 };
        assert_int_equal(om_automaton_empty(a, f->ctx, &empty, &word), OM_OK);
        expect(empty == oracle_empty(a), "empty", a);
        empty_ones += empty;
        expect(empty == (word.labels == NULL), "word", a);
        if (!empty) {
            oracle_lasso w = { .n = word.n, .loop = word.loop };
            assert_true(word.n <= 16);
            memcpy(w.labels, word.labels, word.n * sizeof *word.labels);
            expect(oracle_accepts(a, &w), "the word of empty", a);
        }
        om_free(om_heap_default(), word.labels);
        om_automaton_free(a);
    }
    assert_in_range(accepted, ROUNDS, ROUNDS * (WORDS - 1)); /* both answers are frequent */
    assert_in_range(empty_ones, ROUNDS / 10, ROUNDS - ROUNDS / 10);
}

/* Each reachable state occurs once, grouped by component, in ascending order within a component. */
static void check_states(fixture *f, const om_automaton *a, const om_sccs *s)
{
    uint32_t *states = NULL, at = 0;
    assert_int_equal(om_sccs_states(s, f->ctx, om_automaton_state_count(a), &states), OM_OK);
    for (uint32_t k = 0; k < s->count; k++)
        for (uint32_t i = 0; i < s->size[k]; i++, at++)
            expect(s->component[states[at]] == k && (i == 0 || states[at - 1] < states[at]),
                "states by component", a);
    om_free(om_heap_default(), states);
}

static void strengths(void **state)
{
    fixture *f = *state;
    uint32_t seen[4] = { 0 };
    for (uint32_t round = 0; round < ROUNDS; round++) {
        static oracle_graph g;
        om_automaton *a = oracle_random(f->ctx, &f->r, &(oracle_size){ 5, 2, 4 });
        om_sccs s;
        om_strength most = OM_NON_ACCEPTING;
        uint32_t sizes = 0, reached = 0;
        assert_int_equal(om_automaton_sccs(a, f->ctx, &s), OM_OK);
        oracle_graph_of(a, &g);
        for (uint32_t q = 0; q < om_automaton_state_count(a); q++) {
            uint32_t k = s.component[q];
            expect((k != OM_NONE) == g.reached[q], "reachable", a);
            if (k == OM_NONE)
                continue;
            reached++;
            om_strength want = oracle_strength(a, q);
            expect(k < s.count && s.strength[k] == want, "strength", a);
            most = want > most ? want : most;
            seen[want]++;
        }
        for (uint32_t i = 0; i < g.edges; i++)
            if (g.reached[g.edge[i].from])
                expect(s.component[g.edge[i].to] <= s.component[g.edge[i].from],
                    "reverse topological order", a);
        for (uint32_t k = 0; k < s.count; k++)
            sizes += s.size[k];
        expect(sizes == reached, "sizes", a);
        check_states(f, a, &s);
        expect(om_sccs_strength(&s) == most, "strength of the automaton", a);
        om_sccs_free(&s, om_heap_default());
        om_automaton_free(a);
    }
    for (int i = 0; i < 4; i++)
        assert_true(seen[i] > ROUNDS / 20);
}

enum { PAIRS = 31 };

/* Returns the strength of one state with a loop {2i, 2i + 1} for each i, and a loop with the marks
 * `more`, under all labels. Formula: pairs of 2i and 2i + 1, whose literals are joined by `inner`
 * and which are joined by `outer`; with `conjunct`, also Inf of set 62. */
static om_strength strength_of_pairs(
    fixture *f, om_acc_op inner, om_acc_op outer, bool conjunct, om_marks more)
{
    const om_cube all = { 0, 0 };
    const om_marks last = UINT64_C(1) << (2 * PAIRS);
    om_acc formula[4 * PAIRS + 2];
    om_automaton *a = NULL;
    om_sccs s;
    size_t n = 0;
    assert_int_equal(om_automaton_new(&a, f->ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 1, NULL), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (uint8_t i = 0; i < PAIRS; i++) {
        om_marks both = UINT64_C(3) << (2 * i);
        formula[n++] = (om_acc){ OM_ACC_FIN, (uint8_t) (2 * i) };
        formula[n++] = (om_acc){ OM_ACC_INF, (uint8_t) (2 * i + 1) };
        formula[n++] = (om_acc){ (uint8_t) inner, 0 };
        if (i > 0)
            formula[n++] = (om_acc){ (uint8_t) outer, 0 };
        assert_int_equal(om_automaton_add_edge(a, 0, 0, both | last, &all, 1), OM_OK);
    }
    if (conjunct) {
        formula[n++] = (om_acc){ OM_ACC_INF, 2 * PAIRS };
        formula[n++] = (om_acc){ OM_ACC_AND, 0 };
    }
    assert_int_equal(om_automaton_add_edge(a, 0, 0, more, &all, 1), OM_OK);
    assert_int_equal(om_automaton_set_acceptance(a, 2 * PAIRS + 1, formula, n), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    assert_int_equal(om_automaton_sccs(a, f->ctx, &s), OM_OK);
    om_strength is = om_sccs_strength(&s);
    om_sccs_free(&s, om_heap_default());
    om_automaton_free(a);
    return is;
}

/* Each excluded pair removes its own Inf: this needs one search per pair, not one per subset. */
static void many_pairs_are_no_trouble(void **state)
{
    fixture *f = *state;
    const om_acc_op and = OM_ACC_AND, or = OM_ACC_OR;
    const om_marks inf = 2, fin = 1;
    assert_int_equal(strength_of_pairs(f, and, or, false, 0), OM_NON_ACCEPTING);
    assert_int_equal(strength_of_pairs(f, and, or, true, 0), OM_NON_ACCEPTING);
    assert_int_equal(strength_of_pairs(f, and, or, false, inf), OM_STRONG);
    assert_int_equal(strength_of_pairs(f, or, and, false, 0), OM_TERMINAL);
    assert_int_equal(strength_of_pairs(f, or, and, false, inf), OM_TERMINAL);
    assert_int_equal(strength_of_pairs(f, or, and, false, fin), OM_STRONG);
    assert_int_equal(strength_of_pairs(f, or, and, true, inf), OM_STRONG);
}

/* Checks the edges of the part that may be seen infinitely often and accept, by the strengths of
 * `a`. */
static void check_part(fixture *f, const om_automaton *a, om_strength strength, om_automaton *part)
{
    om_sccs s;
    bool there = false;
    static oracle_graph g;
    oracle_graph_of(a, &g);
    for (uint32_t q = 0; q < om_automaton_state_count(a); q++)
        there |= g.reached[q] && oracle_strength(a, q) == strength;
    expect(there == (part != NULL), "which parts there are", a);
    if (part == NULL)
        return;
    if (strength != OM_STRONG)
        expect((om_automaton_acceptance_classes(part) & OM_ACCEPT_BUCHI) != 0, "Buchi part", a);
    assert_int_equal(om_automaton_sccs(part, f->ctx, &s), OM_OK);
    for (uint32_t k = 0; k < s.count; k++)
        expect(s.strength[k] == strength || s.strength[k] == OM_NON_ACCEPTING,
            "no part accepts outside its SCCs", a);
    for (uint32_t q = 0; q < om_automaton_state_count(part); q++) {
        expect(s.component[q] != OM_NONE, "every state of a part is reached", a);
        uint32_t n = 0;
        const om_edge *e = om_automaton_edges(part, q, &n);
        for (uint32_t i = 0; i < n && strength != OM_STRONG; i++)
            expect((e[i].marks == 1) == (s.component[e[i].dst] == s.component[q] &&
                                            s.strength[s.component[q]] == strength),
                "marks of a part", a);
    }
    om_sccs_free(&s, om_heap_default());
}

static void parts_have_the_union(void **state)
{
    fixture *f = *state;
    uint32_t accepted = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        om_automaton *a = oracle_random(f->ctx, &f->r, &small), *part[4] = { NULL };
        for (om_strength s = OM_TERMINAL; s <= OM_STRONG; s++) {
            assert_int_equal(om_automaton_part(a, f->ctx, s, &part[s]), OM_OK);
            check_part(f, a, s, part[s]);
        }
        for (int k = 0; k < WORDS; k++) {
            oracle_lasso w = oracle_random_lasso(&f->r, om_automaton_ap_count(a), WORD_MOST);
            bool yes = oracle_accepts(a, &w), got = false;
            accepted += yes;
            for (om_strength s = OM_TERMINAL; s <= OM_STRONG; s++)
                got |= part[s] != NULL && oracle_accepts(part[s], &w);
            expect(got == yes, "union of the parts", a);
        }
        for (om_strength s = OM_TERMINAL; s <= OM_STRONG; s++)
            om_automaton_free(part[s]);
        om_automaton_free(a);
    }
    assert_true(accepted > ROUNDS);
    assert_int_equal(om_automaton_part(NULL, f->ctx, OM_NON_ACCEPTING, NULL), OM_EINVAL);
    om_context_clear(f->ctx);
}

/* Returns true if the graphs are identical except for marks and acceptance. */
static bool same_structure(const om_automaton *a, const om_automaton *b)
{
    if (om_automaton_state_count(a) != om_automaton_state_count(b) ||
        om_automaton_initial_count(a) != om_automaton_initial_count(b))
        return false;
    for (uint32_t s = 0; s < om_automaton_state_count(a); s++) {
        uint32_t n = 0, m = 0;
        const om_edge *e = om_automaton_edges(a, s, &n), *f = om_automaton_edges(b, s, &m);
        if (n != m)
            return false;
        for (uint32_t i = 0; i < n; i++)
            if (e[i].dst != f[i].dst || e[i].cube_count != f[i].cube_count)
                return false;
    }
    return true;
}

static void check_shapes(fixture *f, const om_automaton *a, const om_automaton *pruned,
    const om_automaton *general, const om_automaton *buchi)
{
    om_sccs s;
    assert_int_equal(om_automaton_sccs(a, f->ctx, &s), OM_OK);
    uint32_t was = om_automaton_acceptance_classes(a);
    expect((om_automaton_acceptance_classes(general) & OM_ACCEPT_GENERALIZED_BUCHI) != 0,
        "is generalized Buchi", a);
    expect((om_automaton_acceptance_classes(buchi) & OM_ACCEPT_BUCHI) != 0, "is Buchi", a);
    if ((was & OM_ACCEPT_GENERALIZED_BUCHI) != 0)
        expect(oracle_same(a, general), "generalized Buchi stays as it is", a);
    else if (om_sccs_strength(&s) != OM_STRONG)
        expect(same_structure(a, general) && om_automaton_set_count(general) == 1,
            "weak automata keep their structure", a);
    om_sccs_free(&s, om_heap_default());
    assert_true(om_automaton_state_count(pruned) >= 1);
    expect(om_automaton_state_count(pruned) <= om_automaton_state_count(a), "pruned", a);
}

static void conversions_keep_the_language(void **state)
{
    fixture *f = *state;
    uint32_t accepted = 0, brute = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        om_automaton *a = oracle_random(f->ctx, &f->r, &small), *b[3] = { NULL };
        static const char *const names[] = { "prune", "to_generalized_buchi", "to_buchi" };
        assert_int_equal(om_automaton_prune(a, f->ctx, &b[0]), OM_OK);
        assert_int_equal(om_automaton_to_generalized_buchi(a, f->ctx, &b[1]), OM_OK);
        assert_int_equal(om_automaton_to_buchi(a, f->ctx, &b[2]), OM_OK);
        check_shapes(f, a, b[0], b[1], b[2]);
        for (int k = 0; k < WORDS; k++) {
            oracle_lasso w = oracle_random_lasso(&f->r, om_automaton_ap_count(a), WORD_MOST);
            bool yes = oracle_accepts(a, &w);
            accepted += yes;
            for (int c = 0; c < 3; c++) {
                expect(accepts(f, b[c], &w) == yes, names[c], a);
                bool fits = om_automaton_state_count(b[c]) * w.n <= 64;
                brute += fits;
                expect(!fits || oracle_accepts(b[c], &w) == yes, names[c], a);
            }
        }
        for (int c = 0; c < 3; c++)
            om_automaton_free(b[c]);
        om_automaton_free(a);
    }
    assert_true(accepted > ROUNDS && brute > ROUNDS * WORDS);
}

/* All words of up to three letters over one or two APs, for fewer automata. */
static void conversions_on_all_short_words(void **state)
{
    fixture *f = *state;
    for (uint32_t round = 0; round < ROUNDS / 10; round++) {
        om_automaton *a = oracle_random(f->ctx, &f->r, &(oracle_size){ 4, 2, 5 }), *b = NULL;
        uint32_t letters = 1u << om_automaton_ap_count(a);
        assert_int_equal(om_automaton_to_buchi(a, f->ctx, &b), OM_OK);
        for (uint32_t code = 0; code < letters * letters * letters * 9; code++) {
            oracle_lasso w = { { 0 }, 1 + code % 3, code / 3 % 3 };
            for (uint32_t i = 0, rest = code / 9; i < 3; i++, rest /= letters)
                w.labels[i] = rest % letters;
            if (w.loop < w.n)
                expect(oracle_accepts(a, &w) == accepts(f, b, &w), "to_buchi", a);
        }
        om_automaton_free(b);
        om_automaton_free(a);
    }
}

static void intersections(void **state)
{
    fixture *f = *state;
    const oracle_size size = { 4, 2, 3 };
    uint32_t disjoint = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        om_automaton *a = oracle_random(f->ctx, &f->r, &size);
        om_automaton *b = oracle_random(f->ctx, &f->r, &size), *c = NULL;
        bool empty = false;
        uint32_t pa = om_automaton_ap_count(a), pb = om_automaton_ap_count(b);
        assert_int_equal(om_automaton_intersection(a, b, f->ctx, &c), OM_OK);
        assert_int_equal(om_automaton_empty(c, f->ctx, &empty, NULL), OM_OK);
        bool want = oracle_disjoint(a, b);
        disjoint += want;
        expect(empty == want, "emptiness of an intersection", a);
        for (int k = 0; k < WORDS; k++) {
            oracle_lasso w = oracle_random_lasso(&f->r, pa > pb ? pa : pb, 4);
            expect(accepts(f, c, &w) == (oracle_accepts(a, &w) && oracle_accepts(b, &w)),
                "intersection", a);
        }
        om_automaton_free(a);
        om_automaton_free(b);
        om_automaton_free(c);
    }
    assert_in_range(disjoint, ROUNDS / 10, ROUNDS - ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lassos_and_emptiness),
        cmocka_unit_test(strengths), cmocka_unit_test(many_pairs_are_no_trouble),
        cmocka_unit_test(parts_have_the_union), cmocka_unit_test(conversions_keep_the_language),
        cmocka_unit_test(conversions_on_all_short_words), cmocka_unit_test(intersections) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
