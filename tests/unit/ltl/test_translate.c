/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in translator: random formulas (argument: their number) and errors. */
#include "translating.h"

#include <omen/plugin/control.h>

#include "heap.h"
#include "seed.h"

static uint64_t random_count = 2000;

static void random_formulas(void **state)
{
    session s;
    (void) state;
    session_start(&s, seed_first("20"));
    for (uint64_t i = 0; seed_goes_on(i, &random_count); i++) {
        om_ltl *l = NULL;
        unsigned aps = 1 + (unsigned) om_random_below(&s.random, 4);
        unsigned size = (unsigned) om_random_below(&s.random, 11);
        assert_int_equal(om_ltl_new(&l, s.ctx), OM_OK);
        for (unsigned k = 0; k < aps; k++) {
            char name[16];
            (void) snprintf(name, sizeof name, "p%u", k);
            assert_int_not_equal(om_ltl_ap_ref(l, name), 0);
        }
        (void) check_formula(&s, l, random_formula(l, &s.random, size, aps), 20);
        om_ltl_free(l);
    }
    print_message("%zu formulas and their negations, %zu words, %zu states; %zu too large\n",
        s.formulas, s.words, s.states, s.too_large);
    assert_int_equal(s.formulas + s.too_large, random_count);
    assert_in_range(s.too_large, 0, random_count / 100);
    session_end(&s);
}

typedef struct known {
    const char *formula;
    uint32_t states, sets;
} known;

#define BOTH "(FGa4 & GFb4) | ((FGa3 | GFb3) & ((FGa2 & GFb2) | ((FGa1 | GFb1) & FGa0 & GFb0)))"

/* Required sizes, so that regressions of the method are noticed. */
static void known_sizes(void **state)
{
    static const known cases[] = {
        { "true", 1, 0 },
        { "false", 1, 0 },
        { "p0", 2, 0 },
        { "G p0", 1, 0 },
        { "F p0", 2, 1 },
        { "GF p0", 1, 1 },
        { "FG p0", 2, 1 },
        { "GF p0 & GF p1 & GF p2", 1, 3 },
        { "G(p0 -> F p1)", 2, 1 },
        { "p0 U p1", 2, 1 },
        { "p0 U (p1 U p2)", 3, 1 },
        { "GF p0 -> GF p1", 4, 1 },
        { "X X X p0", 5, 0 },
        { "G(p0 -> X X p1)", 4, 0 },
        /* formerly took 25 s together, or reached a limit */
        { BOTH, 8, 5 },
        { "!(" BOTH ")", 16, 5 },
    };
    session s;
    (void) state;
    session_start(&s, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_ltl *l = NULL;
        om_ltl_ref f = 0;
        const known *k = &cases[i];
        assert_int_equal(om_ltl_new(&l, s.ctx), OM_OK);
        assert_int_equal(om_ltl_parse(l, "x", k->formula, strlen(k->formula), &f), OM_OK);
        om_automaton *a = session_translate(&s, l, f);
        assert_non_null(a);
        if (om_automaton_state_count(a) > k->states || om_automaton_set_count(a) > k->sets)
            fail_msg("%s: %u states and %u sets instead of %u and %u", k->formula,
                om_automaton_state_count(a), om_automaton_set_count(a), k->states, k->sets);
        om_automaton_free(a);
        om_ltl_free(l);
    }
    session_end(&s);
}

static void large_formulas_are_refused(void **state)
{
    session s;
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = NULL;
    (void) state;
    session_start(&s, 1);
    assert_int_equal(om_ltl_new(&l, s.ctx), OM_OK);
    om_text_add(&t, "1");
    for (int i = 0; i < 10; i++)
        om_text_printf(&t, " & (F(a%d & X F b%d))", i, i);
    assert_int_equal(om_ltl_parse(l, "x", t.text, t.length, &f), OM_OK);
    static const int64_t few[][3] = { { 100000, 1000, 1 }, { 2, 100000, 1 } };
    for (size_t i = 0; i < 2; i++) {
        om_ltl_ref g = i == 0 ? f : om_ltl_make(l, OM_LTL_NEXT, om_ltl_left(l, f), 0);
        om_context_clear(s.ctx);
        assert_int_equal(s.translator->translate(s.ctx, l, g, few[i], &a), OM_ELIMIT);
        assert_null(a);
        assert_non_null(
            strstr(om_context_error(s.ctx), "too large for the built-in translator: more than"));
        assert_non_null(strstr(om_context_error(s.ctx), i == 0 ? "1000 edges" : "2 states"));
    }
    om_text_free(&t);
    om_ltl_free(l);
    session_end(&s);
}

static void assert_refused(session *s, const char *text, const char *reason)
{
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    om_automaton *a = NULL;
    om_context_clear(s->ctx);
    assert_int_equal(om_ltl_new(&l, s->ctx), OM_OK);
    assert_int_equal(om_ltl_parse(l, "x", text, strlen(text), &f), OM_OK);
    assert_int_equal(s->translator->translate(s->ctx, l, f, NULL, &a), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(s->ctx), reason));
    om_ltl_free(l);
}

static void fixed_bounds(void **state)
{
    session s;
    om_text t = { .heap = om_heap_default() };
    (void) state;
    session_start(&s, 1);
    om_text_add(&t, "c");
    for (int i = 0; i < 65; i++)
        om_text_printf(&t, " | X F (a%d & b%d)", i / 9, i % 9);
    assert_refused(&s, t.text, "more than 64 eventualities");
    om_text_free(&t);
    om_text_add(&t, "1");
    for (int i = 0; i < 3; i++) {
        om_text_add(&t, " & ");
        for (int k = 0; k < 900; k++)
            om_text_add(&t, "X");
        om_text_printf(&t, " a%d", i);
    }
    assert_refused(&s, t.text, "more than 2048 temporal subformulas");
    om_text_free(&t);
    session_end(&s);
}

static int translate_with(const session *s, const om_heap *heap)
{
    static const char text[] = "G(a -> F(b & X c)) U (GF d <-> (c W a))";
    om_context *ctx = NULL;
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    om_automaton *a = NULL;
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = om_ltl_new(&l, ctx);
    if (rc == OM_OK)
        rc = om_ltl_parse(l, "x", text, strlen(text), &f);
    if (rc == OM_OK)
        rc = s->translator->translate(ctx, l, f, NULL, &a);
    om_automaton_free(a);
    om_ltl_free(l);
    om_context_free(ctx);
    return rc;
}

/* After a stop, translation ends without an error message. */
static void stopped_ones_end(void **state)
{
    static const char text[] = "(GF a -> GF b) & (GF c -> GF d)";
    om_automaton *a = NULL;
    om_ltl_ref ref;
    om_ltl *l = NULL;
    session s;
    (void) state;
    session_start(&s, 1);
    assert_int_equal(om_ltl_new(&l, s.ctx), OM_OK);
    assert_int_equal(om_ltl_parse(l, "t", text, strlen(text), &ref), OM_OK);
    (void) om_control_stop(om_context_control(s.ctx), OM_STOP_FOUND);
    assert_int_equal(s.translator->translate(s.ctx, l, ref, NULL, &a), OM_ESTOP);
    assert_null(a);
    assert_string_equal(om_context_error(s.ctx), "");
    om_ltl_free(l);
    session_end(&s);
}

static void memory_may_run_out(void **state)
{
    session s;
    int rc = OM_ENOMEM;
    size_t n = 0;
    (void) state;
    session_start(&s, 1);
    for (; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = translate_with(&s, &h.heap);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 100000);
    }
    assert_true(n > 50);
    session_end(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_formulas),
        cmocka_unit_test(known_sizes),
        cmocka_unit_test(large_formulas_are_refused),
        cmocka_unit_test(fixed_bounds),
        cmocka_unit_test(stopped_ones_end),
        cmocka_unit_test(memory_may_run_out),
    };
    if (argc > 1)
        random_count = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
