/* SPDX-License-Identifier: Apache-2.0 */
/* Bad prefixes of a run, by the automaton of a formula or by one of forbidden runs. */
#include "referee/prefix.h"

#include <omen/host/omen.h>

#include "heap.h"
#include "small_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* The flag is false in states 0 to 3 and true in state 4; the run returns to state 3. */
static uint32_t steps[] = { SMALL_START, SMALL_STOP, SMALL_START, SMALL_TOGGLE, SMALL_TOGGLE };
enum { COUNT = 5, LOOP = 3 };

#define HOA(states, start, acceptance)                                                         \
    "HOA: v1\nStates: " #states "\nStart: " #start "\nAP: 1 \"flag\"\nAcceptance: " acceptance \
    "\n--BODY--\n"

/* *states: result of om_lasso__bad_prefix(). ends: consider the run without its cycle. */
static int ask(const om_heap *heap, const char *text, bool formula, bool ends, size_t *states)
{
    om_context *ctx = NULL;
    om_model *m = NULL;
    om_automaton *a = NULL;
    om_ltl *l = NULL;
    small_slots slots;
    om_expr flag = 0;
    uint32_t last[COUNT];
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = small_model(ctx, &m, &slots);
    if (rc == OM_OK)
        rc = om_hoa_read(&a, ctx, "test", text, strlen(text), 1);
    if (rc == OM_OK)
        rc = om_ltl_new(&l, ctx);
    if (rc == OM_OK && (flag = om_expr_slot(m, slots.flag)) == 0)
        rc = OM_ENOMEM;
    if (rc == OM_OK) {
        om_lasso run = { .heap = om_context_heap(ctx), .words = om_model_words(m), .count = COUNT };
        om_obligation o = { .model = m, .aps = &flag, .allowed_aps = &flag, .ap_count = 1 };
        memcpy(last, steps, sizeof last);
        last[COUNT - 1] = ends ? OM_NONE : last[COUNT - 1];
        run.transitions = last;
        run.loop = ends ? OM_NO_LOOP : LOOP;
        o.ltl = formula ? l : NULL;
        o.allowed = formula ? a : NULL;
        o.forbidden = formula ? NULL : a;
        rc = om_lasso__bad_prefix(ctx, &run, &o, states);
    }
    om_ltl_free(l);
    om_automaton_free(a);
    om_model_free(m);
    om_context_free(ctx);
    return rc;
}

static void expect(const char *text, bool formula, size_t endless, size_t ends)
{
    size_t states = 77;
    assert_int_equal(ask(om_heap_default(), text, formula, false, &states), OM_OK);
    assert_int_equal(states, endless);
    assert_int_equal(ask(om_heap_default(), text, formula, true, &states), OM_OK);
    assert_int_equal(states, ends);
}

static void of_formulas(void **state)
{
    (void) state;
    /* G !flag */
    expect(HOA(1, 0, "1 Inf(0)") "State: 0 {0}\n[!0] 0\n--END--\n", true, 5, 5);
    /* F flag; GF !flag: there is no bad prefix */
    expect(HOA(2, 0, "1 Inf(0)") "State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n", true, 0,
        0);
    expect(HOA(1, 0, "1 Inf(0)") "State: 0\n[!0] 0 {0}\n[0] 0\n--END--\n", true, 0, 0);
    /* false; and X false: the first state is a bad prefix, too */
    expect(HOA(1, 0, "1 Inf(0)") "State: 0\n[t] 0\n--END--\n", true, 1, 1);
    expect(HOA(2, 0, "1 Inf(0)") "State: 0\n[t] 1\nState: 1\n[t] 1\n--END--\n", true, 1, 1);
    /* X G !flag: violated by the first letter with flag, and reported without delay (state 2
     * accepts nothing). */
    expect(
        HOA(3, 0,
            "1 Inf(0)") "State: 0\n[t] 1\nState: 1\n[0] 2\n[!0] 1 {0}\nState: 2\n[t] 2\n--END--\n",
        true, 5, 5);
    /* X X X X X X !flag: violated in the second round of the cycle. */
    expect(
        HOA(8, 0, "1 Inf(0)") "State: 0\n[t] 1\nState: 1\n[t] 2\nState: 2\n[t] 3\nState: 3\n[t] 4\n"
                              "State: 4\n[t] 5\nState: 5\n[t] 6\nState: 6\n[!0] 7\n"
                              "State: 7 {0}\n[t] 7\n--END--\n",
        true, 7, 0);
}

static void of_automata(void **state)
{
    (void) state;
    /* F flag, in the form of never claims; GF flag */
    expect(HOA(2, 0, "1 Inf(0)") "State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n", false, 5,
        5);
    expect(HOA(1, 0, "1 Inf(0)") "State: 0\n[0] 0 {0}\n[!0] 0\n--END--\n", false, 0, 0);
    /* Universal by two accepting components, the first of which is not complete. */
    expect(HOA(2, 0, "1 Inf(0)") "State: 0 {0}\n[0] 0\n[!0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
        false, 1, 1);
    /* Universal by two states together: this is not detected, and there is no result. */
    expect(HOA(4, 0, "1 Inf(0)") "State: 0\n[t] 1\n[t] 2\nState: 1\n[0] 3\nState: 2\n[!0] 3\n"
                                 "State: 3 {0}\n[t] 3\n--END--\n",
        false, 0, 0);
    /* Looks universal, but rejects a cycle. */
    expect(HOA(2, 0, "1 Inf(0)") "State: 0\n[0] 0\n[!0] 1\nState: 1\n[t] 0 {0}\n[t] 1\n--END--\n",
        false, 0, 0);
    /* F flag with a condition that has a Fin. */
    expect(HOA(2, 0, "1 Fin(0)") "State: 0 {0}\n[!0] 0\n[0] 1\nState: 1\n[t] 1\n--END--\n", false,
        5, 5);
}

static void memory_may_run_out(void **state)
{
    static const char *const texts[] = { HOA(1, 0, "1 Inf(0)") "State: 0 {0}\n[!0] 0\n--END--\n",
        HOA(2, 0, "1 Inf(0)") "State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n" };
    (void) state;
    for (int i = 0; i < 2; i++) {
        int rc = OM_ENOMEM;
        size_t n = 0, states = 0;
        for (; rc != OM_OK; n++) {
            test_heap h;
            test_heap_init(&h, n);
            rc = ask(&h.heap, texts[i], i == 0, false, &states);
            assert_int_equal(h.live, 0);
            assert_true(rc == OM_OK || rc == OM_ENOMEM);
            assert_true(n < 5000);
        }
        assert_int_equal(states, 5);
        assert_true(n > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_formulas),
        cmocka_unit_test(of_automata),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
