/* SPDX-License-Identifier: Apache-2.0 */
/* Testing automata: those of the paper, and those of random stutter-invariant languages, compared
 * on random words. */
#include "oracle.h"
#include "convert/to_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { A = 1, B = 2 };

typedef struct fixture {
    om_context *ctx;
    om_random r;
} fixture;

static int set_up(void **state)
{
    fixture *f = om_alloc(om_heap_default(), 1, sizeof *f);
    *state = f;
    f->r.state = 11;
    return om_context_new(&f->ctx, NULL);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_context_free(f->ctx);
    om_free(om_heap_default(), f);
    return 0;
}

static om_automaton *read_body(om_context *ctx, uint32_t states, const char *body)
{
    char text[1024];
    om_automaton *a = NULL;
    (void) snprintf(text, sizeof text,
        "HOA: v1\nStates: %u\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 1 Inf(0)\n--BODY--\n"
        "%s--END--\n",
        states, body);
    assert_int_equal(om_hoa_read(&a, ctx, "body", text, strlen(text), 0), OM_OK);
    return a;
}

/* Figure 2 (b): a U G b. */
static const char until[] = "State: 0\n[0] 0\n[1] 1\nState: 1 {0}\n[1] 1\n";
/* Figure 2 (a): GF a & GF b, degeneralised to three states. */
static const char often[] = "State: 0\n[!0] 0\n[0] 1\nState: 1\n[!1] 1\n[1] 2\n"
                            "State: 2 {0}\n[!0] 0\n[0] 1\n";

static void expect_size(
    om_context *ctx, const om_automaton *a, uint32_t how, uint32_t states, uint64_t transitions)
{
    om_automaton *t = NULL;
    uint32_t s = 0;
    uint64_t n = 0;
    assert_int_equal(om_automaton__to_testing(a, ctx, how, &t), OM_OK);
    assert_true(om_automaton__is_testing(t) && !om_automaton__is_testing(a));
    om_automaton__testing_size(t, &s, &n);
    assert_int_equal(s, states);
    assert_int_equal(n, transitions);
    om_automaton_free(t);
}

/* Figures 3 and 4. */
static void sizes_of_the_paper(void **state)
{
    fixture *f = *state;
    om_automaton *a = read_body(f->ctx, 2, until);
    expect_size(f->ctx, a, 0, 5, 8);
    expect_size(f->ctx, a, OM_TESTING_MINIMAL, 4, 7);
    expect_size(f->ctx, a, OM_TESTING_OBSERVED, 4, 7);
    expect_size(f->ctx, a, OM_TESTING_OBSERVED | OM_TESTING_MINIMAL, 4, 7);
    expect_size(f->ctx, a, OM_TESTING_BEST, 3, 5);
    om_automaton_free(a);
    a = read_body(f->ctx, 3, often);
    expect_size(f->ctx, a, 0, 12, 36);
    expect_size(f->ctx, a, OM_TESTING_BEST, 11, 33);
    om_automaton_free(a);
}

/* The sets G and F of figure 4, and the targets of the edges. */
static void figure_4(void **state)
{
    fixture *f = *state;
    om_automaton *a = read_body(f->ctx, 2, until), *t = NULL;
    const om_marks busy = 1u << OM_TESTING_BUSY, buchi = 1u << OM_TESTING_BUCHI;
    /* by the first letter: no run starts with not a and not b */
    static const int kind[] = { -1, 0, 2, 1 };
    uint32_t count = 0, at[3] = { OM_NONE, OM_NONE, OM_NONE };
    assert_int_equal(om_automaton__to_testing(a, f->ctx, OM_TESTING_BEST, &t), OM_OK);
    const om_cube *cubes = om_automaton_cubes(t);
    const om_edge *e = om_automaton_edges(t, om_automaton_initial(t, 0), &count);
    for (om_label l = 0; l < 4; l++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < count; i++)
            if (om_edge_matches(&e[i], cubes, l)) {
                at[kind[l]] = e[i].dst;
                found++;
            }
        assert_int_equal(found, l != 0);
    }
    for (int k = 0; k < 3; k++) {
        e = om_automaton_edges(t, at[k], &count);
        /* Only (a U G b, a and not b) is not in G; only (G b, b) is in F. */
        assert_int_equal(e[0].marks, k == 0 ? busy : 0);
        assert_int_equal(e[0].dst, at[k]);
        for (uint32_t i = 1; i < count; i++)
            assert_int_equal(e[i].marks, k == 2 ? busy | buchi : busy);
    }
    om_automaton_free(t);
    om_automaton_free(a);
}

/* The livelock state replaces states of G that have no other successors. */
static void one_pass(void **state)
{
    fixture *f = *state;
    om_automaton *a = read_body(f->ctx, 2, until), *t = NULL;
    size_t length = 0;
    expect_size(f->ctx, a, OM_TESTING_BEST | OM_TESTING_SINGLE_PASS, 4, 9);
    assert_int_equal(
        om_automaton__to_testing(a, f->ctx, OM_TESTING_BEST | OM_TESTING_SINGLE_PASS, &t), OM_OK);
    assert_int_equal(om_automaton_set_count(t), 1);
    assert_int_equal(om_automaton_acceptance(t, &length)->op, OM_ACC_INF);
    om_automaton_free(t);
    om_automaton_free(a);
}

/* ---- words ---- */

/* Converts a testing automaton to one that reads letters: its states are pairs of a state and the
 * previous letter; the initial state has none. */
static om_automaton *read_letters(om_context *ctx, const om_automaton *t, uint32_t letters)
{
    static const char *const aps[] = { "a", "b" };
    const uint32_t n = om_automaton_state_count(t), initial = om_automaton_initial(t, 0);
    const om_cube *cubes = om_automaton_cubes(t);
    om_automaton *a = NULL;
    size_t length = 0;
    const om_acc *acc = om_automaton_acceptance(t, &length);
    assert_int_equal(om_automaton_new(&a, ctx, 2, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, n * letters, NULL), OM_OK);
    assert_int_equal(om_automaton_set_acceptance(a, om_automaton_set_count(t), acc, length), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, initial * letters), OM_OK);
    for (uint32_t q = 0; q < n; q++)
        for (om_label before = 0; before < letters; before++)
            for (om_label now = 0; now < letters; now++) {
                uint32_t count = 0;
                const om_edge *e = om_automaton_edges(t, q, &count);
                const om_cube cube = { now, (letters - 1) & ~now };
                for (uint32_t i = 0; i < count; i++)
                    if (om_edge_matches(&e[i], cubes, before ^ now))
                        assert_int_equal(
                            om_automaton_add_edge(a, q * letters + (uint32_t) before,
                                e[i].dst * letters + (uint32_t) now, e[i].marks, &cube, 1),
                            OM_OK);
            }
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

/* Returns a deterministic automaton over a and b with Buchi or co-Buchi acceptance; some letters
 * have no edge. */
static om_automaton *random_deterministic(fixture *f)
{
    static const char *const aps[] = { "a", "b" };
    static const om_acc fin = { OM_ACC_FIN, 0 }, inf = { OM_ACC_INF, 0 };
    const uint32_t n = 1 + (uint32_t) om_random_below(&f->r, 3);
    om_automaton *a = NULL;
    assert_int_equal(om_automaton_new(&a, f->ctx, 2, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, n, NULL), OM_OK);
    assert_int_equal(
        om_automaton_set_acceptance(a, 1, om_random_below(&f->r, 2) == 0 ? &fin : &inf, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (uint32_t q = 0; q < n; q++)
        for (om_label l = 0; l < 4; l++) {
            const om_cube cube = { l, 3 & ~l };
            const uint32_t to = (uint32_t) om_random_below(&f->r, n);
            if (om_random_below(&f->r, 6) != 0)
                assert_int_equal(
                    om_automaton_add_edge(a, q, to, om_random_below(&f->r, 2), &cube, 1), OM_OK);
        }
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

static bool accepts(fixture *f, const om_automaton *a, const oracle_lasso *w)
{
    bool yes = false;
    assert_int_equal(om_automaton_accepts_lasso(a, f->ctx, w->labels, w->n, w->loop, &yes), OM_OK);
    return yes;
}

/* Returns the same word with some letters doubled or tripled. */
static oracle_lasso repeat(fixture *f, const oracle_lasso *w)
{
    oracle_lasso out = { .n = 0 };
    for (size_t i = 0; i < w->n; i++) {
        if (i == w->loop)
            out.loop = out.n;
        for (uint64_t k = 1 + om_random_below(&f->r, 3); k-- > 0;)
            out.labels[out.n++] = w->labels[i];
    }
    return out;
}

/* Returns false if repetition of letters changes the acceptance of some word. */
static bool stutters(fixture *f, const om_automaton *a)
{
    for (int i = 0; i < 300; i++) {
        oracle_lasso w = oracle_random_lasso(&f->r, 2, 5), v = repeat(f, &w);
        if (accepts(f, a, &w) != accepts(f, a, &v))
            return false;
    }
    return true;
}

static void compare(fixture *f, const om_automaton *a, uint32_t how)
{
    om_automaton *t = NULL;
    assert_int_equal(om_automaton__to_testing(a, f->ctx, how, &t), OM_OK);
    om_automaton *letters = read_letters(f->ctx, t, 4);
    for (int i = 0; i < 40; i++) {
        const oracle_lasso w = oracle_random_lasso(&f->r, 2, 7);
        assert_int_equal(accepts(f, letters, &w), oracle_accepts(a, &w));
    }
    om_automaton_free(letters);
    om_automaton_free(t);
}

static void random_languages(void **state)
{
    fixture *f = *state;
    uint32_t invariant_ones = 0, others = 0, unseen = 0, larger = 0, by_form = 0;
    for (int round = 0; round < 300; round++) {
        om_automaton *a = random_deterministic(f), *c = NULL;
        bool invariant = false, repeats = false;
        assert_int_equal(om_automaton__complement(a, f->ctx, &c), OM_OK);
        assert_non_null(c);
        for (int i = 0; i < 20; i++) {
            const oracle_lasso w = oracle_random_lasso(&f->r, 2, 7);
            assert_int_not_equal(oracle_accepts(a, &w), accepts(f, c, &w));
        }
        assert_int_equal(om_automaton__stutter_invariant(a, c, f->ctx, &invariant), OM_OK);
        const bool seems = stutters(f, a);
        assert_true(seems || !invariant);
        assert_int_equal(om_automaton__repeats(a, f->ctx, NULL, NULL, &repeats), OM_OK);
        assert_true(invariant || !repeats);
        by_form += repeats;
        unseen += seems && !invariant;
        for (uint32_t how = 0; invariant && how <= (OM_TESTING_BEST | OM_TESTING_SINGLE_PASS);
             how++)
            compare(f, a, how);
        invariant_ones += invariant;
        others += !invariant;
        larger += invariant && om_automaton_state_count(a) > 1;
        om_automaton_free(a);
        om_automaton_free(c);
    }
    print_message("%u stutter-invariant (%u of several states, %u by their form), %u not, of which "
                  "no word says so in %u\n",
        invariant_ones, larger, by_form, others, unseen);
    assert_true(by_form > 10);
    assert_true(invariant_ones > 60 && larger > 20 && others > 100);
    assert_true(unseen < others / 20); /* words are few; a difference may need many */
}

typedef struct form_case {
    const char *body;
    om_label with, without; /* where a holds: b does, or does not */
    bool repeats;
} form_case;

static bool possible(const void *self, om_label letter)
{
    const form_case *c = self;
    return (letter & A) == 0 || ((letter & c->with) == c->with && (letter & c->without) == 0);
}

/* Automata that are not deterministic, as people write them: the form decides, with what is known
 * of the propositions. */
static void forms(void **state)
{
    static const form_case cases[] = {
        { "State: 0\n[t] 0\n[0 & !1] 1\nState: 1 {0}\n[!1] 1\n", 0, 0, true },
        { "State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[!1] 1\n", 0, 0, false },
        { "State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[!1] 1\n", 0, B, true },
        { "State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[1] 1\n", B, 0, true },
        { "State: 0\n[t] 1\nState: 1 {0}\n[0] 1\n", 0, 0, false }, /* X G a */
        /* A letter that is read twice has a mark that is lost when it is read once. */
        { "State: 0\n[0] 0\n[0] 1\nState: 1\n[0] 0 {0}\n[0] 1\n", 0, 0, false },
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool repeats = false;
        om_automaton *a = read_body(f->ctx, 2, cases[i].body);
        assert_int_equal(om_automaton__repeats(a, f->ctx, possible, &cases[i], &repeats), OM_OK);
        if (repeats != cases[i].repeats)
            fail_msg("case %zu", i);
        om_automaton_free(a);
    }
}

/* Not deterministic, so it is not complemented; its declaration is kept. */
static void declared(void **state)
{
    static const char text[] = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n"
                               "properties: stutter-invariant\n--BODY--\nState: 0\n[0] 0\n[t] 0\n"
                               "--END--\n";
    fixture *f = *state;
    om_automaton *a = NULL, *c = NULL;
    assert_int_equal(om_hoa_read(&a, f->ctx, "text", text, strlen(text), 0), OM_OK);
    assert_true(om_automaton__declares_stutter_invariant(a));
    assert_int_equal(om_automaton__complement(a, f->ctx, &c), OM_OK);
    assert_null(c);
    om_automaton_free(a);
    a = read_body(f->ctx, 2, until);
    assert_false(om_automaton__declares_stutter_invariant(a));
    om_automaton_free(a);
}

/* So many propositions that the result exceeds every limit. */
static void too_many(void **state)
{
    fixture *f = *state;
    char name[24][4];
    const char *aps[24];
    om_automaton *a = NULL, *t = NULL;
    om_cube all = { 0, 0 };
    for (int i = 0; i < 24; i++) {
        (void) snprintf(name[i], sizeof name[i], "p%d", i);
        aps[i] = name[i];
        all.pos |= UINT64_C(1) << i;
    }
    assert_int_equal(om_automaton_new(&a, f->ctx, 24, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 1, NULL), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 0), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 0, &all, 1), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    assert_int_equal(om_automaton__to_testing(a, f->ctx, OM_TESTING_BEST, &t), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(f->ctx), "transitions"));
    om_context_clear(f->ctx);
    assert_int_equal(om_automaton__complement(a, f->ctx, &t), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(f->ctx), "propositions"));
    om_automaton_free(a);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes_of_the_paper, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figure_4, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_pass, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_languages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(declared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_many, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
