/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relativised to the visible positions of a word, a property of the whole word equals the original
 * property of the visible letters alone: random formulas (relativise.c of core/ltl) and random
 * automata (visible.c), on random words with random letters hidden.
 */
#include "convert/visible.h"
#include "relativise.h"
#include "../ltl/formulas.h"

#include <omen/plugin/automaton.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { APS = 2, MOST = 12, WORDS = 40 };
static const om_label SEEN = UINT64_C(1) << APS;

typedef struct word {
    om_label labels[MOST];
    size_t n, loop;
} word;

/* Makes a word and its visible letters. Returns true if infinitely many letters are visible. */
static bool random_words(om_random *r, word *whole, word *seen)
{
    random_word(r, APS + 1, MOST, whole->labels, &whole->n, &whole->loop);
    whole->labels[0] |= SEEN;
    *seen = (word){ .n = 0 };
    for (size_t i = 0; i < whole->n; i++) {
        if (i == whole->loop)
            seen->loop = seen->n;
        if ((whole->labels[i] & SEEN) != 0)
            seen->labels[seen->n++] = whole->labels[i] & ~SEEN;
    }
    return seen->loop < seen->n;
}

static void formulas(void **state)
{
    om_context *ctx = NULL;
    om_random random = { 5 };
    size_t compared = 0, held = 0;
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (unsigned i = 0; i < 3000; i++) {
        om_ltl *l = NULL;
        om_ltl_ref to = 0;
        assert_int_equal(om_ltl_new(&l, ctx), OM_OK);
        (void) om_ltl_ap_ref(l, "p0");
        (void) om_ltl_ap_ref(l, "p1");
        om_ltl_ref f = random_formula(l, &random, 1 + (unsigned) om_random_below(&random, 9), APS);
        assert_int_equal(om_ltl__relativise(l, f, om_ltl_ap_ref(l, "seen"), &to), OM_OK);
        for (unsigned k = 0; k < WORDS; k++) {
            word whole, seen;
            bool expected = false, got = false;
            if (!random_words(&random, &whole, &seen))
                continue;
            assert_int_equal(
                om_ltl_holds_on_lasso(l, f, seen.labels, seen.n, seen.loop, &expected), OM_OK);
            assert_int_equal(
                om_ltl_holds_on_lasso(l, to, whole.labels, whole.n, whole.loop, &got), OM_OK);
            assert_int_equal(got, expected);
            compared++;
            held += expected;
        }
        om_ltl_free(l);
    }
    assert_true(held > compared / 10 && held < compared - compared / 10);
    om_context_free(ctx);
}

/* ---- automata ---- */

static const om_acc BUCHI[] = { { OM_ACC_INF, 0 }, { OM_ACC_INF, 1 }, { OM_ACC_AND, 0 } };
static const om_acc COBUCHI[] = { { OM_ACC_FIN, 0 } };
static const om_acc RABIN[] = { { OM_ACC_FIN, 0 }, { OM_ACC_INF, 1 }, { OM_ACC_AND, 0 } };
static const om_acc EITHER[] = { { OM_ACC_FIN, 0 }, { OM_ACC_INF, 1 }, { OM_ACC_OR, 0 } };
static const om_acc ALL[] = { { OM_ACC_TRUE, 0 } };
static const struct {
    const om_acc *formula;
    size_t length;
    uint32_t sets;
} ACCEPTANCES[] = { { BUCHI, 3, 2 }, { COBUCHI, 1, 1 }, { RABIN, 3, 2 }, { EITHER, 3, 2 },
    { ALL, 1, 0 } };

static om_automaton *random_automaton(om_context *ctx, om_random *r)
{
    static const char *const names[] = { "p0", "p1" };
    om_automaton *a = NULL;
    const uint32_t states = 1 + (uint32_t) om_random_below(r, 5);
    const size_t which = (size_t) om_random_below(r, sizeof ACCEPTANCES / sizeof *ACCEPTANCES);
    const uint32_t sets = ACCEPTANCES[which].sets;
    assert_int_equal(om_automaton_new(&a, ctx, APS, names), OM_OK);
    assert_int_equal(om_automaton_add_states(a, states, NULL), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(
        om_automaton_set_acceptance(a, sets, ACCEPTANCES[which].formula, ACCEPTANCES[which].length),
        OM_OK);
    const uint64_t edges = 1 + om_random_below(r, 4 * states);
    for (uint64_t i = 0; i < edges; i++) {
        om_cube cubes[2];
        for (int k = 0; k < 2; k++) {
            cubes[k].pos = om_random_below(r, 4);
            cubes[k].neg = om_random_below(r, 4) & ~cubes[k].pos;
        }
        assert_int_equal(
            om_automaton_add_edge(a, (uint32_t) om_random_below(r, states),
                (uint32_t) om_random_below(r, states), om_random_below(r, UINT64_C(1) << sets),
                cubes, 1 + om_random_below(r, 2)),
            OM_OK);
    }
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

static om_strength strength_of(const om_automaton *a, om_context *ctx)
{
    om_sccs sccs = { 0 };
    assert_int_equal(om_automaton_sccs(a, ctx, &sccs), OM_OK);
    om_strength s = om_sccs_strength(&sccs);
    om_sccs_free(&sccs, om_context_heap(ctx));
    return s;
}

static void automata(void **state)
{
    om_context *ctx = NULL;
    om_random random = { 7 };
    size_t compared = 0, accepted = 0, weak = 0;
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (unsigned i = 0; i < 4000; i++) {
        om_automaton *a = random_automaton(ctx, &random), *to = NULL;
        assert_int_equal(om_automaton__visible(a, ctx, "seen", &to), OM_OK);
        assert_string_equal(om_automaton_ap(to, APS), "seen");
        for (unsigned k = 0; k < WORDS; k++) {
            word whole, seen;
            bool expected = false, got = false;
            if (!random_words(&random, &whole, &seen))
                continue;
            assert_int_equal(
                om_automaton_accepts_lasso(a, ctx, seen.labels, seen.n, seen.loop, &expected),
                OM_OK);
            assert_int_equal(
                om_automaton_accepts_lasso(to, ctx, whole.labels, whole.n, whole.loop, &got),
                OM_OK);
            assert_int_equal(got, expected);
            compared++;
            accepted += expected;
        }
        /* Strengths do not change if no mark is forbidden. */
        const bool fin_less = (om_automaton_acceptance_classes(a) & OM_ACCEPT_FIN_LESS) != 0;
        if (fin_less && strength_of(a, ctx) != OM_STRONG) {
            assert_int_equal(strength_of(to, ctx), strength_of(a, ctx));
            weak += strength_of(a, ctx) == OM_WEAK;
        }
        om_automaton_free(a);
        om_automaton_free(to);
    }
    assert_true(accepted > compared / 20 && accepted < compared - compared / 20 && weak > 20);
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(formulas), cmocka_unit_test(automata) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
