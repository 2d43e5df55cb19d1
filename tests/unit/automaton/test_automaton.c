/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"
#include "tela.h"

#include "context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static const om_cube yes = { 0, 0 };

static om_automaton *fresh(om_context *ctx, uint32_t aps, uint32_t states)
{
    static const char *const names[] = { "a", "b", "c" };
    om_automaton *a = NULL;
    assert_int_equal(om_automaton_new(&a, ctx, aps, names), OM_OK);
    assert_int_equal(om_automaton_add_states(a, states, NULL), OM_OK);
    return a;
}

static void builder_sorts_stably(void **state)
{
    om_automaton *a = fresh(*state, 2, 3);
    static const om_cube cubes[] = { { 1, 2 }, { 1, 1 }, { 0, 2 } };
    uint32_t n = 0, first = 9;
    assert_int_equal(om_automaton_add_states(a, 1, &first), OM_OK);
    assert_int_equal(first, 3);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 2), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 2, 0, 1, &yes, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 1, 2, cubes, 3), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 2, 1, 0, &yes, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 0, &cubes[1], 1), OM_OK); /* false */
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 0, NULL, 0), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 2, 3, 3, &yes, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 2), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 2), OM_OK);
    assert_int_equal(om_automaton_set_name(a, "x"), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    const om_edge *e = om_automaton_edges(a, 2, &n);
    assert_int_equal(n, 3);
    assert_int_equal(e[0].dst, 0);
    assert_int_equal(e[1].dst, 1);
    assert_int_equal(e[2].dst, 3);
    assert_int_equal(e[2].marks, 3);
    e = om_automaton_edges(a, 0, &n);
    assert_int_equal(n, 1);
    assert_int_equal(e->cube_count, 2); /* a & !a was removed */
    assert_true(om_edge_matches(e, om_automaton_cubes(a), 1));
    assert_true(om_edge_matches(e, om_automaton_cubes(a), 0));
    assert_false(om_edge_matches(e, om_automaton_cubes(a), 3));
    (void) om_automaton_edges(a, 1, &n);
    assert_int_equal(n, 0);
    (void) om_automaton_edges(a, 3, &n);
    assert_int_equal(n, 0);
    assert_int_equal(om_automaton_edge_count(a), 4);
    assert_int_equal(om_automaton_initial_count(a), 1);
    assert_int_equal(om_automaton_initial(a, 0), 2);
    assert_string_equal(om_automaton_name(a), "x");
    assert_string_equal(om_automaton_ap(a, 1), "b");
    om_automaton_free(a);
}

static void misuse_is_refused(void **state)
{
    om_context *ctx = *state;
    static const om_cube beyond = { 4, 0 };
    static const om_acc bad[][3] = { { { OM_ACC_INF, 1 } }, { { OM_ACC_AND, 0 } },
        { { OM_ACC_TRUE, 0 }, { OM_ACC_TRUE, 0 } }, { { 9, 0 } } };
    static const size_t length[] = { 1, 1, 2, 1 };
    static const char *const twice[] = { "a", "a" };
    const char *many[65];
    char names[65][4];
    om_automaton *a = NULL;
    for (int i = 0; i < 65; i++) {
        names[i][0] = (char) ('a' + i / 26);
        names[i][1] = (char) ('a' + i % 26);
        names[i][2] = '\0';
        many[i] = names[i];
    }
    assert_int_equal(om_automaton_new(&a, ctx, 65, many), OM_EINPUT);
    assert_int_equal(om_automaton_new(&a, ctx, 2, twice), OM_EINPUT);
    assert_null(a);
    assert_int_equal(om_automaton_new(&a, ctx, 64, many), OM_OK);
    om_automaton_free(a);

    a = fresh(ctx, 2, 2);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 0, &beyond, 1), OM_EINVAL);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(om_automaton_set_acceptance(a, 1, bad[i], length[i]), OM_EINVAL);
    assert_int_equal(om_automaton_set_acceptance(a, 1, bad[0], 0), OM_EINVAL);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 65), OM_EINPUT);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 64), OM_OK);
    assert_int_equal(om_automaton_add_states(a, OM_NONE - 2, NULL), OM_ELIMIT);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_EINVAL);
    assert_int_equal(om_automaton_add_states(a, 1, NULL), OM_EINVAL);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_EINVAL);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 0, &yes, 1), OM_EINVAL);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_EINVAL);
    om_automaton_free(a);

    for (int what = 0; what < 4; what++) { /* errors that only finish() can detect */
        a = fresh(ctx, 0, 1);
        if (what == 0)
            assert_int_equal(om_automaton_add_edge(a, 0, 1, 0, &yes, 1), OM_OK);
        if (what == 1)
            assert_int_equal(om_automaton_add_edge(a, 1, 0, 0, &yes, 1), OM_OK);
        if (what == 2)
            assert_int_equal(om_automaton_add_edge(a, 0, 0, 1, &yes, 1), OM_OK);
        if (what == 3)
            assert_int_equal(om_automaton_add_initial(a, 1), OM_OK);
        assert_int_equal(om_automaton_finish(a), OM_EINVAL);
        om_automaton_free(a);
    }
    om_context_clear(ctx);
}

/* ---- acceptance ---- */

/* Returns the classes of the formula in a one-state HOA text. */
static uint32_t classes_of(om_context *ctx, const char *condition)
{
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = NULL;
    om_text_printf(&t, "HOA: v1\nAcceptance: %s\n--BODY--\n--END--\n", condition);
    assert_int_equal(om_hoa_read(&a, ctx, "t", t.text, t.length, 0), OM_OK);
    uint32_t classes = om_automaton_acceptance_classes(a);
    om_automaton_free(a);
    om_text_free(&t);
    return classes;
}

static void classes(void **state)
{
    static const struct {
        const char *condition;
        uint32_t classes;
    } table[] = {
        { "0 t", OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_FIN_LESS },
        { "0 f", OM_ACCEPT_FIN_LESS },
        { "1 t", OM_ACCEPT_FIN_LESS },
        { "1 Inf(0)", OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_FIN_LESS },
        { "2 Inf(0)", OM_ACCEPT_FIN_LESS },
        { "2 Inf(1)&Inf(0)", OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_FIN_LESS },
        { "3 Inf(0)&(Inf(1)&Inf(2))", OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_FIN_LESS },
        { "2 Inf(0)|Inf(1)", OM_ACCEPT_FIN_LESS },
        { "1 Fin(0)", OM_ACCEPT_CO_BUCHI | OM_ACCEPT_RABIN | OM_ACCEPT_STREETT },
        { "2 Fin(0)&Inf(1)", OM_ACCEPT_RABIN | OM_ACCEPT_STREETT },
        { "2 Fin(0)|Inf(1)", OM_ACCEPT_STREETT },
        { "3 Fin(0)|(Fin(1)&Inf(2))", OM_ACCEPT_RABIN },
        { "3 (Fin(0)&Inf(1)&Inf(2))|Fin(1)", OM_ACCEPT_RABIN },
        { "3 (Fin(0)&Fin(1)&Inf(2))|Fin(1)", 0 },
        { "3 (Fin(0)&Inf(1))|Inf(2)", 0 },
        { "4 (Fin(0)|Inf(1))&(Inf(3)|Fin(2))", OM_ACCEPT_STREETT },
        { "4 (Fin(0)|Inf(1))&(Fin(2)|Inf(3)|Inf(0))", 0 },
        { "4 (Fin(0)|Inf(1))&Fin(2)", OM_ACCEPT_STREETT },
        { "4 (Fin(0)|Fin(1))&Fin(2)", 0 },
        { "3 ((Fin(0)&Inf(1))|Fin(2))&Inf(1)", 0 },
        { "3 Inf(0)&(Fin(1)|Inf(2))", OM_ACCEPT_STREETT },
        { "3 Fin(0)&(Inf(1)|Fin(2))", OM_ACCEPT_STREETT },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (classes_of(*state, table[i].condition) != (table[i].classes | OM_ACCEPT_ANY))
            fail_msg(
                "%s is of class %x", table[i].condition, classes_of(*state, table[i].condition));
}

static void formulas_by_brute_force(void **state)
{
    om_context *ctx = *state;
    om_random r = { 3 };
    for (int round = 0; round < 3000; round++) {
        om_automaton *a = oracle_random(ctx, &r, &(oracle_size){ 1, 0, 5 });
        size_t n = 0, count = 0;
        const om_acc *f = om_automaton_acceptance(a, &n);
        om_acc not [64];
        om_acc_term *terms = NULL;
        om_acc__negate(f, n, not );
        assert_int_equal(om_acc__dnf(ctx, f, n, NULL, 100, &terms, &count), OM_OK);
        for (om_marks m = 0; m < UINT64_C(1) << om_automaton_set_count(a); m++) {
            bool want = oracle_value(a, m), got = false;
            assert_int_equal(om_automaton_accepts_marks(a, m), want);
            assert_int_equal(om_acc__value(not, n, m, ~m), !want);
            for (size_t i = 0; i < count; i++)
                got |= (terms[i].fin & m) == 0 && (terms[i].inf & ~m) == 0;
            assert_int_equal(got, want);
        }
        om_free(om_heap_default(), terms);
        om_automaton_free(a);
    }
    assert_string_equal(om_context_error(ctx), "");
}

static void deep_formulas(void **state)
{
    om_context *ctx = *state;
    enum { LEVELS = 5000 };
    static om_acc f[2 * LEVELS];
    om_automaton *a = fresh(ctx, 0, 1);
    /* Inf(0) & (Inf(0) & (...)): the stack is as deep as the formula. */
    for (size_t depth = OM_MAX_ACC_DEPTH - 1; depth <= OM_MAX_ACC_DEPTH + 1; depth++) {
        for (size_t i = 0; i < depth; i++)
            f[i] = (om_acc){ OM_ACC_INF, 0 };
        for (size_t i = depth; i < 2 * depth - 1; i++)
            f[i] = (om_acc){ i % 3 == 0 ? OM_ACC_AND : OM_ACC_OR, 0 };
        int rc = om_automaton_set_acceptance(a, 1, f, 2 * depth - 1);
        assert_int_equal(rc, depth <= OM_MAX_ACC_DEPTH ? OM_OK : OM_EINPUT);
        assert_true(om_automaton_accepts_marks(a, 1));
        assert_false(om_automaton_accepts_marks(a, 0));
    }
    om_automaton_free(a);
    om_context_clear(ctx);
}

/* ---- cubes ---- */

static void covers_by_brute_force(void **state)
{
    om_random r = { 5 };
    uint32_t covers = 0;
    for (int round = 0; round < 20000; round++) {
        om_cube c[12], reduced[12];
        size_t n = om_random_below(&r, 12);
        bool all = true, got = false;
        for (size_t i = 0; i < n; i++) {
            c[i] = (om_cube){ om_random_below(&r, 16) & om_random_next(&r),
                om_random_below(&r, 16) & om_random_next(&r) };
            reduced[i] = c[i];
        }
        size_t m = n;
        assert_int_equal(om_cubes__reduce(*state, reduced, &m), OM_OK);
        assert_true(m <= n);
        om_edge before = { .cube_count = (uint32_t) n }, after = { .cube_count = (uint32_t) m };
        for (om_label l = 0; l < 16; l++) {
            bool in = om_edge_matches(&before, c, l);
            all &= in;
            assert_int_equal(om_edge_matches(&after, reduced, l), in);
        }
        /* APs that do not occur do not matter: the result over all 64 equals that over 4. */
        assert_int_equal(om_cubes__cover(*state, c, n, &got), OM_OK);
        assert_int_equal(got, all);
        covers += all;
    }
    assert_in_range(covers, 1000, 19000);
}

static void wide_cover(void **state)
{
    om_cube c[65];
    bool all = false;
    /* a, !a & b, !a & !b & c, ..., and finally the rest. */
    for (int i = 0; i < 64; i++)
        c[i] = (om_cube){ UINT64_C(1) << i, (UINT64_C(1) << i) - 1 };
    c[64] = (om_cube){ 0, UINT64_MAX };
    assert_int_equal(om_cubes__cover(*state, c, 65, &all), OM_OK);
    assert_true(all);
    assert_int_equal(om_cubes__cover(*state, c, 64, &all), OM_OK);
    assert_false(all);
}

/* ---- sizes ---- */

/* A chain that ends in a loop, or (closed) one long cycle. */
static om_automaton *chain(om_context *ctx, uint32_t states, bool closed)
{
    om_automaton *a = fresh(ctx, 1, states);
    static const om_cube some = { 1, 0 };
    assert_int_equal(om_automaton_set_generalized_buchi(a, 2), OM_OK);
    for (uint32_t s = 0; s + 1 < states; s++)
        assert_int_equal(om_automaton_add_edge(a, s, s + 1, 1u << (s % 2), &some, 1), OM_OK);
    assert_int_equal(
        om_automaton_add_edge(a, states - 1, closed ? 0 : states - 1, 3, &yes, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

static void long_chains(void **state)
{
    om_context *ctx = *state;
    enum { LONG = 200000 };
    for (int closed = 0; closed < 2; closed++) {
        om_automaton *a = chain(ctx, LONG, closed), *b = NULL, *c = NULL;
        om_sccs s;
        om_word w = { NULL, 0, 0 };
        bool empty = true;
        assert_int_equal(om_automaton_sccs(a, ctx, &s), OM_OK);
        assert_int_equal(s.count, closed ? 1 : LONG);
        assert_int_equal(om_sccs_strength(&s), closed ? OM_WEAK : OM_TERMINAL);
        om_sccs_free(&s, om_heap_default());
        assert_int_equal(om_automaton_to_buchi(a, ctx, &b), OM_OK);
        assert_int_equal(om_automaton_state_count(b), LONG); /* weak components need no levels */
        assert_int_equal(om_automaton_intersection(a, b, ctx, &c), OM_OK);
        assert_int_equal(om_automaton_state_count(c), LONG);
        assert_int_equal(om_automaton_empty(c, ctx, &empty, &w), OM_OK);
        assert_false(empty);
        assert_int_equal(w.n, LONG);
        assert_int_equal(w.loop, closed ? 0 : LONG - 1);
        om_free(om_heap_default(), w.labels);
        om_automaton_free(a);
        om_automaton_free(b);
        om_automaton_free(c);
    }
}

static void nothing_there(void **state)
{
    om_context *ctx = *state;
    for (uint32_t states = 0; states < 2; states++) {
        om_automaton *a = fresh(ctx, 1, states), *b = NULL;
        bool empty = false, accepted = true;
        om_label l = 0;
        om_sccs s;
        assert_int_equal(om_automaton_finish(a), OM_OK);
        assert_int_equal(om_automaton_empty(a, ctx, &empty, NULL), OM_OK);
        assert_true(empty);
        assert_int_equal(om_automaton_accepts_lasso(a, ctx, &l, 1, 0, &accepted), OM_OK);
        assert_false(accepted);
        assert_int_equal(om_automaton_accepts_lasso(a, ctx, &l, 1, 1, &accepted), OM_EINVAL);
        om_context_clear(ctx);
        assert_int_equal(om_automaton_sccs(a, ctx, &s), OM_OK);
        assert_int_equal(s.count, 0);
        assert_int_equal(om_sccs_strength(&s), OM_NON_ACCEPTING);
        om_sccs_free(&s, om_heap_default());
        for (int strength = OM_TERMINAL; strength <= OM_STRONG; strength++) {
            assert_int_equal(om_automaton_part(a, ctx, (om_strength) strength, &b), OM_OK);
            assert_null(b);
        }
        assert_int_equal(om_automaton_prune(a, ctx, &b), OM_OK);
        assert_int_equal(om_automaton_state_count(b), 1);
        om_automaton_free(b);
        assert_int_equal(om_automaton_to_buchi(a, ctx, &b), OM_OK);
        om_automaton_free(b);
        assert_int_equal(om_automaton_intersection(a, a, ctx, &b), OM_OK);
        assert_int_equal(om_automaton_state_count(b), 0);
        om_automaton_free(b);
        om_automaton_free(a);
    }
}

/* ---- special cases ---- */

static om_automaton *read_text(om_context *ctx, const char *text)
{
    om_automaton *a = NULL;
    if (om_hoa_read(&a, ctx, "t", text, strlen(text), 0) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    return a;
}

#define BUCHI_2 "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 2 Inf(0) & Inf(1) --BODY-- "
#define BUCHI_3 "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 3 Inf(0) & Inf(1) & Inf(2) --BODY-- "

/* Only strong components are copied, and only as often as necessary. */
static void levels_are_few(void **state)
{
    static const struct {
        uint32_t states;
        const char *text;
    } cases[] = {
        /* set 1 includes set 0 and is redundant */
        { 2, BUCHI_2 "State: 0 [0] 1 {0 1} [!0] 1 State: 1 [t] 0 {1} --END--" },
        /* every edge is in set 0 */
        { 2, BUCHI_2 "State: 0 [0] 1 {0 1} [!0] 1 {0} State: 1 [t] 0 {0} --END--" },
        /* a bad order, and sets on every cycle: 3 states, and twice those after the fork */
        { 5, BUCHI_3 "State: 0 [0] 1 {2} [!0] 1 State: 1 [t] 2 {1} State: 2 [t] 0 {0} --END--" },
        /* the set seen directly after entering needs no copy of its own */
        { 4, BUCHI_2 "State: 0 [t] 1 State: 1 [0] 1 {0} [0] 2 {1} [!0] 2 "
                     "State: 2 [t] 1 {0} --END--" },
        /* two components with one or two levels each */
        { 5, BUCHI_3 "State: 0 [t] 0 {1 2} [0] 0 {0} [0] 1 "
                     "State: 1 [0] 2 {0} [!0] 2 State: 2 [t] 1 {1 2} --END--" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_automaton *a = read_text(*state, cases[i].text), *b = NULL;
        assert_int_equal(om_automaton_to_buchi(a, *state, &b), OM_OK);
        if (om_automaton_state_count(b) != cases[i].states)
            fail_msg("case %zu: %u states instead of %u", i, om_automaton_state_count(b),
                cases[i].states);
        om_automaton_free(a);
        om_automaton_free(b);
    }
}

static void aps_are_matched_by_name(void **state)
{
    om_context *ctx = *state;
    om_automaton *c = NULL;
    om_automaton *a = read_text(ctx, "HOA: v1 Start: 0 AP: 2 \"p\" \"q\" Acceptance: 0 t --BODY-- "
                                     "State: 0 [0&!1] 0 --END--");
    om_automaton *b = read_text(ctx, "HOA: v1 Start: 0 AP: 2 \"r\" \"p\" Acceptance: 1 Inf(0) "
                                     "--BODY-- State: 0 [0&1] 0 {0} [!1] 0 {0} --END--");
    assert_int_equal(om_automaton_intersection(a, b, ctx, &c), OM_OK);
    assert_int_equal(om_automaton_ap_count(c), 3);
    assert_string_equal(om_automaton_ap(c, 2), "r");
    assert_int_equal(om_automaton_edge_count(c), 1);
    assert_int_equal(om_automaton_cubes(c)[0].pos, 5);
    assert_int_equal(om_automaton_cubes(c)[0].neg, 2);
    assert_true((om_automaton_acceptance_classes(c) & OM_ACCEPT_BUCHI) != 0);
    om_automaton_free(a);
    om_automaton_free(b);
    om_automaton_free(c);
}

/* GFa with n copies of its set, and FG!a with as many: sets that exceed the limit are reduced to
 * two. */
static void many_sets_intersect(void **state)
{
    om_context *ctx = *state;
    om_automaton *a = fresh(ctx, 1, 1), *b = fresh(ctx, 1, 1), *c = NULL;
    static const om_cube cubes[] = { { 1, 0 }, { 0, 1 } };
    om_acc f[100];
    bool empty = false;
    for (int i = 0; i < 50; i++) {
        f[i] = (om_acc){ OM_ACC_FIN, (uint8_t) i };
        f[50 + i] = (om_acc){ OM_ACC_AND, 0 };
    }
    assert_int_equal(om_automaton_set_generalized_buchi(a, 50), OM_OK);
    assert_int_equal(om_automaton_set_acceptance(b, 50, f, 99), OM_OK);
    for (int i = 0; i < 2; i++) {
        om_automaton *x = i == 0 ? a : b;
        om_marks all = (UINT64_C(1) << 50) - 1;
        assert_int_equal(om_automaton_add_edge(x, 0, 0, all, &cubes[0], 1), OM_OK);
        assert_int_equal(om_automaton_add_edge(x, 0, 0, 0, &cubes[1], 1), OM_OK);
        assert_int_equal(om_automaton_add_initial(x, 0), OM_OK);
        assert_int_equal(om_automaton_finish(x), OM_OK);
    }
    assert_int_equal(om_automaton_intersection(a, b, ctx, &c), OM_OK);
    assert_int_equal(om_automaton_empty(c, ctx, &empty, NULL), OM_OK);
    assert_true(empty);
    om_automaton_free(c);
    assert_int_equal(om_automaton_intersection(a, a, ctx, &c), OM_OK);
    assert_int_equal(om_automaton_empty(c, ctx, &empty, NULL), OM_OK);
    assert_false(empty);
    om_automaton_free(c);
    om_automaton_free(a);
    om_automaton_free(b);
}

/* A Streett formula with 20 pairs has 2^20 disjuncts: too many, but its emptiness is easy to
 * check. */
static void too_many_disjuncts(void **state)
{
    om_context *ctx = *state;
    om_automaton *a = fresh(ctx, 0, 2), *b = NULL;
    om_acc f[100];
    size_t n = 0;
    bool empty = true;
    for (uint8_t i = 0; i < 20; i++) {
        f[n++] = (om_acc){ OM_ACC_FIN, (uint8_t) (2 * i) };
        f[n++] = (om_acc){ OM_ACC_INF, (uint8_t) (2 * i + 1) };
        f[n++] = (om_acc){ OM_ACC_OR, 0 };
        if (i > 0)
            f[n++] = (om_acc){ OM_ACC_AND, 0 };
    }
    assert_int_equal(om_automaton_set_acceptance(a, 40, f, n), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 1, 0x5555555555, &yes, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 1, 0, 0xaaaaaaaaaa, &yes, 1), OM_OK);
    for (int i = 0; i < 40; i++) /* no two sets are equal */
        assert_int_equal(om_automaton_add_edge(a, 1, 1, UINT64_C(1) << i, &yes, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    assert_int_equal(om_automaton_empty(a, ctx, &empty, NULL), OM_OK);
    assert_false(empty);
    assert_int_equal(om_automaton_to_generalized_buchi(a, ctx, &b), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(ctx), "disjuncts"));
    assert_null(b);
    om_context_clear(ctx);
    om_automaton_free(a);
}

static void names_of_strengths(void **state)
{
    (void) state;
    assert_string_equal(om_strength_name(OM_NON_ACCEPTING), "non-accepting");
    assert_string_equal(om_strength_name(OM_TERMINAL), "terminal");
    assert_string_equal(om_strength_name(OM_WEAK), "weak");
    assert_string_equal(om_strength_name(OM_STRONG), "strong");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(builder_sorts_stably),
        cmocka_unit_test(misuse_is_refused), cmocka_unit_test(classes),
        cmocka_unit_test(formulas_by_brute_force), cmocka_unit_test(deep_formulas),
        cmocka_unit_test(covers_by_brute_force), cmocka_unit_test(wide_cover),
        cmocka_unit_test(long_chains), cmocka_unit_test(nothing_there),
        cmocka_unit_test(levels_are_few), cmocka_unit_test(aps_are_matched_by_name),
        cmocka_unit_test(many_sets_intersect), cmocka_unit_test(too_many_disjuncts),
        cmocka_unit_test(names_of_strengths) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
