/* SPDX-License-Identifier: Apache-2.0 */
/* Simplified formulas, and acceptance as generalized Rabin, Streett and Fin-less: known forms, and
 * random automata compared with brute force. */
#include "convert/rabin_streett.h"
#include "oracle.h"
#include "tela.h"

#include "context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 10000, WORDS = 8, WORD_MOST = 4 };

/* ---- formulas under facts ---- */

static om_marks random_marks(om_random *r, uint32_t sets)
{
    om_marks all = (UINT64_C(1) << sets) - 1;
    return (om_random_below(r, 2) == 0 ? om_random_next(r) & om_random_next(r)
                                       : om_random_next(r) | om_random_next(r)) &
           all;
}

static bool terms_hold(const om_acc_term *terms, size_t count, om_marks marks)
{
    for (size_t i = 0; i < count; i++)
        if ((terms[i].fin & marks) == 0 && (terms[i].inf & ~marks) == 0)
            return true;
    return false;
}

/* With few edges, each subset of them may be the edges of a run: the formula and its simplified
 * disjuncts agree on it. */
static void facts_by_brute_force(void **state)
{
    om_context *ctx = *state;
    om_random r = { 31 };
    size_t shorter = 0;
    for (int round = 0; round < 4000; round++) {
        om_automaton *a = oracle_random(ctx, &r, &(oracle_size){ 1, 0, 6 });
        uint32_t sets = om_automaton_set_count(a), edges = 1 + (uint32_t) om_random_below(&r, 5);
        om_marks marks[5];
        om_acc_facts facts;
        om_acc_term *plain = NULL, *terms = NULL;
        size_t length = 0, plain_count = 0, count = 0;
        const om_acc *f = om_automaton_acceptance(a, &length);
        om_acc_facts__begin(&facts);
        for (uint32_t e = 0; e < edges; e++)
            om_acc_facts__add(&facts, marks[e] = random_marks(&r, sets));
        om_acc_facts__end(&facts);
        assert_int_equal(om_acc__dnf(ctx, f, length, NULL, 100, &plain, &plain_count), OM_OK);
        assert_int_equal(om_acc__dnf(ctx, f, length, &facts, 100, &terms, &count), OM_OK);
        assert_true(count <= plain_count);
        shorter += count < plain_count;
        for (uint32_t some = 1; some < 1u << edges; some++) {
            om_marks seen = 0;
            for (uint32_t e = 0; e < edges; e++)
                seen |= (some >> e & 1) != 0 ? marks[e] : 0;
            assert_int_equal(terms_hold(terms, count, seen), oracle_value(a, seen));
        }
        om_free(om_heap_default(), plain);
        om_free(om_heap_default(), terms);
        om_automaton_free(a);
    }
    assert_true(shorter > 400);
}

/* ---- known forms ---- */

/* One state with a loop for each single mark, and one loop without a mark. */
static om_automaton *star(om_context *ctx, const char *acceptance, uint32_t sets)
{
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = NULL;
    om_text_printf(&t,
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: %u %s --BODY-- State: 0 [t] 0", sets,
        acceptance);
    for (uint32_t i = 0; i < sets; i++)
        om_text_printf(&t, " [%s0] 0 {%u}", i % 2 == 0 ? "" : "!", i);
    om_text_add(&t, " --END--");
    if (om_hoa_read(&a, ctx, "t", t.text, t.length, 0) != OM_OK)
        fail_msg("%s: %s", acceptance, om_context_error(ctx));
    om_text_free(&t);
    return a;
}

static void known_forms(void **state)
{
    static const struct {
        uint32_t sets;
        const char *acceptance;
        size_t rabin, streett;
    } table[] = {
        { 4, "(Fin(0) & Fin(1) & Inf(2)) | Inf(3)", 2, 3 },
        { 4, "(Fin(0) & Inf(2)) | Inf(3)", 2, 2 }, /* (Inf(2)|Inf(3)) & (Fin(0)|Inf(3)) */
        { 4, "(Fin(0) | Inf(1)) & (Fin(2) | Inf(3))", 4, 2 },
        { 4, "(Fin(0) & Inf(1)) | (Fin(2) & Inf(3))", 2, 0 },
        { 5, "Inf(4) | (Fin(3) & (Inf(2) | (Fin(1) & Inf(0))))", 3, 3 }, /* parity */
        { 4, "Fin(3) & (Inf(2) | (Fin(1) & Inf(0)))", 2, 3 },
        { 2, "Fin(0) | Fin(1)", 2, 0 }, /* a union of accepting cycles may be rejected */
        { 2, "Fin(0) & Fin(1)", 1, 2 },
        { 3, "Inf(0) & Inf(1) & Inf(2)", 1, 3 },
        { 3, "Inf(0) | Inf(1) | Inf(2)", 3, 1 },
        { 1, "Fin(0) & Inf(0)", 1, 2 },
        { 1, "Fin(0) | Inf(0)", 2, 1 },
        { 2, "t", 1, 1 },
        { 2, "f", 1, 1 },
    };
    om_context *ctx = *state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        om_automaton *a = star(ctx, table[i].acceptance, table[i].sets);
        om_clause_counts n;
        assert_int_equal(om_automaton__clauses(a, ctx, &n), OM_OK);
        if (n.rabin != table[i].rabin || n.streett != table[i].streett)
            fail_msg("%s: %zu clauses as Rabin, %zu as Streett", table[i].acceptance, n.rabin,
                n.streett);
        om_automaton_free(a);
    }
}

/* Simplification by the edges: sets on no edge, on every edge, or included in each other. */
static void edges_simplify(void **state)
{
    static const char text[] =
        "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: 6 "
        "(Fin(0) | Fin(1)) & (Inf(2) | Fin(3)) & (Inf(4) | Fin(5)) --BODY-- "
        "State: 0 [0] 0 {0 1 4} [!0] 0 {1 4} [t] 1 {2} State: 1 [0] 1 {4} --END--";
    om_context *ctx = *state;
    om_automaton *a = NULL, *b = NULL;
    om_clause_counts n;
    size_t length = 0;
    assert_int_equal(om_hoa_read(&a, ctx, "t", text, sizeof text - 1, 0), OM_OK);
    /* Set 0 is included in 1, 3 is on no edge inside an SCC, 4 is on all of them: Fin(0) is
     * left. */
    assert_int_equal(om_automaton__clauses(a, ctx, &n), OM_OK);
    assert_int_equal(n.rabin, 1);
    assert_int_equal(n.streett, 1);
    assert_int_equal(om_automaton_to_rabin(a, ctx, &b), OM_OK);
    const om_acc *f = om_automaton_acceptance(b, &length);
    assert_int_equal(length, 1);
    assert_int_equal(f[0].op, OM_ACC_FIN);
    om_automaton_free(b);
    om_automaton_free(a);
}

/* ---- limits ---- */

/* Returns a star with the conjunction of `pairs` clauses (Fin(2i) | second(2i + 1)). */
static om_automaton *mixed(om_context *ctx, uint32_t pairs, const char *second)
{
    om_text t = { .heap = om_heap_default() };
    for (uint32_t i = 0; i < pairs; i++) {
        om_text_add(&t, i == 0 ? "(" : " & (");
        om_text_printf(&t, "Fin(%u) | %s(%u))", 2 * i, second, 2 * i + 1);
    }
    om_automaton *a = star(ctx, t.text, 2 * pairs);
    om_text_free(&t);
    return a;
}

static void too_much(void **state)
{
    om_context *ctx = *state;
    om_clause_counts n;
    om_automaton *a = mixed(ctx, 20, "Inf"), *b = NULL;
    assert_int_equal(om_automaton__clauses(a, ctx, &n), OM_OK);
    assert_int_equal(n.rabin, 0);
    assert_int_equal(n.streett, 20);
    assert_int_equal(om_automaton_to_rabin(a, ctx, &b), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(ctx), "disjuncts"));
    om_context_clear(ctx);
    assert_int_equal(om_automaton_to_fin_less(a, ctx, &b), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(ctx), "disjuncts"));
    om_context_clear(ctx);
    assert_int_equal(om_automaton_to_streett(a, ctx, &b), OM_OK); /* unchanged */
    assert_true(oracle_same(a, b));
    om_automaton_free(b);
    om_automaton_free(a);
    b = NULL;

    a = mixed(ctx, 20, "Fin"); /* neither form */
    assert_int_equal(om_automaton__clauses(a, ctx, &n), OM_OK);
    assert_int_equal(n.rabin, 0);
    assert_int_equal(n.streett, 0);
    assert_int_equal(om_automaton_to_streett(a, ctx, &b), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(ctx), "disjuncts"));
    assert_null(b);
    om_context_clear(ctx);
    om_automaton_free(a);

    om_text t = { .heap = om_heap_default() }; /* 64 sets, and one that needs an additional set */
    for (uint32_t i = 0; i < 64; i++)
        om_text_printf(&t, "%sInf(%u)", i == 0 ? "" : "&", i);
    a = star(ctx, t.text, 64);
    assert_int_equal(om_automaton_to_streett(a, ctx, &b), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(ctx), "more than 64 sets in its Streett form"));
    om_context_clear(ctx);
    assert_int_equal(om_automaton_to_rabin(a, ctx, &b), OM_ELIMIT);
    assert_non_null(
        strstr(om_context_error(ctx), "more than 64 sets in its generalized Rabin form"));
    om_context_clear(ctx);
    assert_null(b);
    om_automaton_free(a);
    om_text_free(&t);
}

/* ---- random automata ---- */

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

/* The strength of an SCC depends on all of its cycles, so it does not change if only marks
 * change. */
static bool same_strengths(om_context *ctx, const om_automaton *a, const om_automaton *b)
{
    om_sccs s, t;
    assert_int_equal(om_automaton_sccs(a, ctx, &s), OM_OK);
    assert_int_equal(om_automaton_sccs(b, ctx, &t), OM_OK);
    bool same = om_automaton_state_count(a) == om_automaton_state_count(b) && s.count == t.count &&
                om_automaton_edge_count(a) == om_automaton_edge_count(b);
    for (uint32_t k = 0; same && k < s.count; k++)
        same = s.strength[k] == t.strength[k];
    om_sccs_free(&s, om_heap_default());
    om_sccs_free(&t, om_heap_default());
    return same;
}

typedef struct conversion {
    const char *name;
    uint32_t class;
    int (*convert)(const om_automaton *a, om_context *ctx, om_automaton **out);
} conversion;

static int by_disjuncts(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    return om_automaton_to_generalized_buchi_by(a, ctx, OM_FIN_BY_DISJUNCTS, out);
}

static const conversion all[] = {
    { "to_rabin", OM_ACCEPT_RABIN, om_automaton_to_rabin },
    { "to_streett", OM_ACCEPT_STREETT, om_automaton_to_streett },
    { "to_fin_less", OM_ACCEPT_FIN_LESS, om_automaton_to_fin_less },
    { "by disjuncts", OM_ACCEPT_GENERALIZED_BUCHI, by_disjuncts },
    { "to_generalized_buchi", OM_ACCEPT_GENERALIZED_BUCHI, om_automaton_to_generalized_buchi },
};
enum { CONVERSIONS = sizeof all / sizeof *all };

typedef struct tally {
    uint32_t accepted, brute[CONVERSIONS], by_marks[2], copies[2], rows, smaller, pending;
} tally;

static void compare_words(
    om_context *ctx, om_random *r, const om_automaton *a, om_automaton *const *b, tally *t)
{
    for (int k = 0; k < WORDS; k++) {
        oracle_lasso w = oracle_random_lasso(r, om_automaton_ap_count(a), WORD_MOST);
        bool yes = oracle_accepts(a, &w), got = false;
        t->accepted += yes;
        for (int c = 0; c < CONVERSIONS; c++) {
            assert_int_equal(
                om_automaton_accepts_lasso(b[c], ctx, w.labels, w.n, w.loop, &got), OM_OK);
            expect(got == yes, all[c].name, a);
            if (om_automaton_state_count(b[c]) * w.n > 48 || om_automaton_set_count(b[c]) > 7)
                continue;
            t->brute[c]++;
            expect(oracle_accepts(b[c], &w) == yes, all[c].name, a);
        }
    }
}

static void conversions_keep_the_language(void **state)
{
    om_context *ctx = *state;
    om_random r = { 77 };
    tally t = { 0 };
    for (uint32_t round = 0; round < ROUNDS; round++) {
        om_automaton *a = oracle_random(ctx, &r, &(oracle_size){ 5, 2, 6 });
        om_automaton *b[CONVERSIONS] = { NULL };
        om_clause_counts n;
        const uint32_t was = om_automaton_acceptance_classes(a);
        assert_int_equal(om_automaton__clauses(a, ctx, &n), OM_OK);
        for (int c = 0; c < CONVERSIONS; c++) {
            if (all[c].convert(a, ctx, &b[c]) != OM_OK)
                expect(false, om_context_error(ctx), a);
            expect((om_automaton_acceptance_classes(b[c]) & all[c].class) != 0, all[c].name, a);
            if ((was & all[c].class) != 0)
                expect(oracle_same(a, b[c]), "what is of the class stays", a);
        }
        assert_int_not_equal(n.rabin, 0);
        expect(same_strengths(ctx, a, b[0]), "marks alone make it generalized Rabin", a);
        if (n.streett != 0)
            expect(same_strengths(ctx, a, b[1]), "marks alone make it Streett", a);
        t.by_marks[n.streett != 0]++;
        uint32_t fin_less = om_automaton_state_count(b[2]), buchi = om_automaton_state_count(b[3]);
        expect(fin_less <= buchi, "copies are shared", a);
        expect(om_automaton_state_count(b[4]) <= buchi, "the smaller is taken", a);
        t.pending += om_automaton_state_count(b[4]) < buchi;
        t.copies[fin_less > om_automaton_state_count(a)]++;
        t.smaller += fin_less < buchi;
        t.rows += (was & OM_ACCEPT_FIN_LESS) == 0 &&
                  (om_automaton_acceptance_classes(b[2]) & OM_ACCEPT_GENERALIZED_BUCHI) == 0;
        compare_words(ctx, &r, a, b, &t);
        for (int c = 0; c < CONVERSIONS; c++)
            om_automaton_free(b[c]);
        om_automaton_free(a);
    }
    /* Every code path is taken often enough. */
    assert_in_range(t.accepted, ROUNDS, ROUNDS * (WORDS - 1));
    for (int c = 0; c < CONVERSIONS; c++)
        assert_true(t.brute[c] > ROUNDS * WORDS / 2);
    assert_true(t.by_marks[0] > ROUNDS / 60 && t.by_marks[1] > ROUNDS / 2);
    assert_true(t.copies[1] > ROUNDS / 40);
    assert_true(t.smaller > ROUNDS / 400 && t.rows > ROUNDS / 400);
    assert_true(t.pending > 0);
}

/* ---- pending sets (Duret-Lutz, Poitrenaud, Couvreur 2009, section 3.3) ---- */

/* One state and n pairs that may be seen independently: 2^n + 1 states and n sets. */
static void pending_of_strong_fairness(void **state)
{
    om_context *ctx = *state;
    for (uint32_t n = 1; n <= 6; n++) {
        om_automaton *a = mixed(ctx, n, "Inf"), *b = NULL;
        assert_int_equal(
            om_automaton_to_generalized_buchi_by(a, ctx, OM_FIN_BY_PENDING, &b), OM_OK);
        assert_int_equal(om_automaton_state_count(b), (1u << n) + 1);
        assert_int_equal(om_automaton_set_count(b), n);
        om_automaton_free(b);
        om_automaton_free(a);
    }
    om_automaton *a = mixed(ctx, 24, "Inf"), *b = NULL;
    assert_int_equal(
        om_automaton_to_generalized_buchi_by(a, ctx, OM_FIN_BY_PENDING, &b), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(ctx), "pending"));
    assert_null(b);
    om_context_clear(ctx);
    om_automaton_free(a);
}

/* At most q * (2^n + 1) states, and the same language. */
static void pending_keeps_the_language(void **state)
{
    om_context *ctx = *state;
    om_random r = { 79 };
    uint32_t made = 0, grown = 0, accepted = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        om_automaton *a = oracle_random(ctx, &r, &(oracle_size){ 5, 2, 6 }), *b = NULL;
        const uint32_t q = om_automaton_state_count(a);
        om_clause_counts n;
        assert_int_equal(om_automaton__clauses(a, ctx, &n), OM_OK);
        int rc = om_automaton_to_generalized_buchi_by(a, ctx, OM_FIN_BY_PENDING, &b);
        expect(rc == OM_OK || n.streett == 0, "what is Streett is converted", a);
        om_context_clear(ctx);
        if (rc == OM_OK) {
            const uint32_t now = om_automaton_state_count(b);
            expect(n.streett == 0 || now <= q * ((UINT32_C(1) << n.streett) + 1), "its size", a);
            made++;
            grown += now > q;
            for (int k = 0; k < WORDS; k++) {
                oracle_lasso w = oracle_random_lasso(&r, om_automaton_ap_count(a), WORD_MOST);
                bool yes = oracle_accepts(a, &w), got = !yes;
                assert_int_equal(
                    om_automaton_accepts_lasso(b, ctx, w.labels, w.n, w.loop, &got), OM_OK);
                expect(got == yes, "by pending", a);
                accepted += yes;
            }
        }
        om_automaton_free(b);
        om_automaton_free(a);
    }
    assert_true(made > ROUNDS / 2 && grown > ROUNDS / 40);
    assert_in_range(accepted, ROUNDS, ROUNDS * (WORDS - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(facts_by_brute_force),
        cmocka_unit_test(known_forms), cmocka_unit_test(edges_simplify), cmocka_unit_test(too_much),
        cmocka_unit_test(conversions_keep_the_language),
        cmocka_unit_test(pending_of_strong_fairness),
        cmocka_unit_test(pending_keeps_the_language) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
