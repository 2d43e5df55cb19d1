/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in translator's reductions preserve the language: for random formulas, of F and of !F,
 * the original automaton and the reduced one. Each must be disjoint from both automata of the
 * other formula, so that it accepts no additional word. Each must agree with the evaluator on
 * random words, and accept a word of its counterpart. Argument: number of formulas.
 */
#include "translating.h"

#include "seed.h"

static uint64_t random_count = 2000;

typedef struct pair {
    om_automaton *whole, *reduced;
} pair;

/* Returns false if the formula is too large. */
static bool translate_both(session *s, om_ltl *l, om_ltl_ref f, pair *p)
{
    static const int64_t with[][3] = { { 2000, 40000, 0 }, { 2000, 40000, 1 } };
    om_automaton **out[] = { &p->whole, &p->reduced };
    for (int i = 0; i < 2; i++) {
        int rc = s->translator->translate(s->ctx, l, f, with[i], out[i]);
        if (rc == OM_ELIMIT && i == 0) {
            s->too_large++;
            om_context_clear(s->ctx);
            return false;
        }
        if (rc != OM_OK)
            fail_msg("%s", om_context_error(s->ctx));
    }
    return true;
}

/* A word of one automaton is a word of the other, in both directions. */
static void check_word_of(
    session *s, const om_ltl *l, om_ltl_ref f, const om_automaton *from, const om_automaton *in)
{
    om_word w = { 0 };
    bool empty = false, also_empty = false, accepted = false;
    assert_int_equal(om_automaton_empty(from, s->ctx, &empty, &w), OM_OK);
    assert_int_equal(om_automaton_empty(in, s->ctx, &also_empty, NULL), OM_OK);
    if (empty != also_empty)
        blame(l, f, "one of its automata is empty");
    if (empty)
        return;
    assert_int_equal(
        om_automaton_accepts_lasso(in, s->ctx, w.labels, w.n, w.loop, &accepted), OM_OK);
    if (!accepted)
        blame(l, f, "a word is accepted by one of its automata alone");
    om_free(om_context_heap(s->ctx), w.labels);
}

static void check_pairs(session *s, const om_ltl *l, om_ltl_ref f, const pair *yes, const pair *no)
{
    check_disjoint(s, l, f, yes->reduced, no->whole);
    check_disjoint(s, l, f, yes->whole, no->reduced);
    check_word_of(s, l, f, yes->whole, yes->reduced);
    check_word_of(s, l, f, yes->reduced, yes->whole);
    check_words(s, l, f, yes->reduced, no->reduced, 20);
    check_words(s, l, f, yes->whole, no->whole, 5);
    /* Determinism may cost two states. */
    if (om_automaton_state_count(yes->reduced) > om_automaton_state_count(yes->whole) + 2)
        blame(l, f, "more states than before");
    s->formulas++;
    s->states += om_automaton_state_count(yes->reduced);
}

static void random_formulas(void **state)
{
    session s;
    size_t before = 0;
    (void) state;
    session_start(&s, seed_first("23"));
    for (uint64_t i = 0; seed_goes_on(i, &random_count); i++) {
        om_ltl *l = NULL;
        pair yes = { 0 }, no = { 0 };
        unsigned aps = 1 + (unsigned) om_random_below(&s.random, 4);
        unsigned size = 1 + (unsigned) om_random_below(&s.random, 25);
        assert_int_equal(om_ltl_new(&l, s.ctx), OM_OK);
        for (unsigned k = 0; k < aps; k++) {
            char name[16];
            (void) snprintf(name, sizeof name, "p%u", k);
            assert_int_not_equal(om_ltl_ap_ref(l, name), 0);
        }
        om_ltl_ref f = random_formula(l, &s.random, size, aps);
        if (translate_both(&s, l, f, &yes) &&
            translate_both(&s, l, om_ltl_make(l, OM_LTL_NOT, f, 0), &no)) {
            check_pairs(&s, l, f, &yes, &no);
            before += om_automaton_state_count(yes.whole);
        }
        om_automaton_free(yes.whole);
        om_automaton_free(yes.reduced);
        om_automaton_free(no.whole);
        om_automaton_free(no.reduced);
        om_ltl_free(l);
    }
    print_message("%zu formulas, %zu states, %zu as they were; %zu words; %zu too large\n",
        s.formulas, s.states, before, s.words, s.too_large);
    assert_true(s.formulas >= random_count - random_count / 20);
    assert_true(s.states < before);
    session_end(&s);
}

/* Number of edges of the initial state that match a label: edges to another component only where
 * necessary. */
typedef struct way {
    const char *formula;
    om_label label; /* bit i: p_i */
    unsigned edges;
} way;

static void ways_are_narrow(void **state)
{
    static const way ways[] = {
        { "F G (p0 & F p1)", 0, 1 },
        { "F G (p0 & F p1)", 1, 1 },
        { "F G (p0 & F p1)", 2, 1 },
        { "F G (p0 & F p1)", 3, 2 },
        { "F G (p0 & F p1 & F p2)", 1, 1 },
        { "F G (p0 & F p1 & F p2)", 3, 2 },
        { "F G (p0 & F p1 & F p2)", 5, 2 },
    };
    session s;
    (void) state;
    session_start(&s, 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        om_ltl *l = NULL;
        om_ltl_ref f = 0;
        uint32_t count = 0, open = 0;
        assert_int_equal(om_ltl_new(&l, s.ctx), OM_OK);
        assert_int_equal(om_ltl_parse(l, "x", ways[i].formula, strlen(ways[i].formula), &f), OM_OK);
        om_automaton *a = session_translate(&s, l, f);
        assert_non_null(a);
        const om_edge *e = om_automaton_edges(a, om_automaton_initial(a, 0), &count);
        for (uint32_t k = 0; k < count; k++)
            open += om_edge_matches(&e[k], om_automaton_cubes(a), ways[i].label);
        if (open != ways[i].edges)
            fail_msg("%s: %u edges instead of %u", ways[i].formula, open, ways[i].edges);
        om_automaton_free(a);
        om_ltl_free(l);
    }
    session_end(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_formulas),
        cmocka_unit_test(ways_are_narrow) };
    if (argc > 1)
        random_count = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
