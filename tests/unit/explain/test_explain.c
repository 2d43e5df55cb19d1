/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations that need no translator. Formulas are tested with omen explain (tests/cli). */
#include <omen/host/omen.h>

#include "heap.h"
#include "model.h"
#include "parts.h"
#include "unit/lasso/small_model.h"
#include "unit/plan/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct world {
    om_context *ctx;
    om_model *m;
    small_slots slots;
} world;

static int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    assert_int_equal(om_context_new(&w->ctx, NULL), OM_OK);
    assert_int_equal(small_model(w->ctx, &w->m, &w->slots), OM_OK);
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    om_model_free(w->m);
    om_context_free(w->ctx);
    free(w);
    return 0;
}

/* ---- expressions ---- */

static om_expr binary(om_model *m, om_op op, om_expr a, om_expr b)
{
    return om_expr_binary(m, op, a, b);
}

static void assert_text(const world *w, om_expr e, const char *expected)
{
    om_text text = { .heap = om_heap_default() };
    assert_int_not_equal(e, 0);
    om_explain__put_expression(w->m, e, &text);
    assert_string_equal(text.text, expected);
    om_text_free(&text);
}

static void expressions_as_text(void **state)
{
    const world *w = *state;
    om_model *m = w->m;
    const om_expr count = om_expr_slot(m, w->slots.count), flag = om_expr_slot(m, w->slots.flag);
    const om_expr two = om_expr_const(m, 2), one = om_expr_const(m, 1);
    const om_expr sum = binary(m, OM_OP_ADD, count, two);
    const om_expr less = binary(m, OM_OP_LT, sum, om_expr_element(m, w->slots.cell, flag));
    assert_text(w, small_is(m, w->slots.phase, 1), "phase == busy");
    assert_text(w, less, "count + 2 < cell[flag]");
    assert_text(w, binary(m, OM_OP_MUL, sum, count), "(count + 2) * count");
    assert_text(
        w, binary(m, OM_OP_ADD, binary(m, OM_OP_MUL, count, two), count), "count * 2 + count");
    assert_text(w, binary(m, OM_OP_SUB, count, binary(m, OM_OP_SUB, flag, count)),
        "count - (flag - count)");
    assert_text(w, om_expr_unary(m, OM_OP_NEG, sum), "-(count + 2)");
    const om_expr both = binary(m, OM_OP_AND, less, flag);
    assert_text(w, binary(m, OM_OP_OR, both, small_is(m, w->slots.phase, 2)),
        "count + 2 < cell[flag] && flag || phase == done");
    assert_text(w, binary(m, OM_OP_AND, flag, binary(m, OM_OP_OR, less, both)),
        "flag && (count + 2 < cell[flag] || count + 2 < cell[flag] && flag)");
    assert_text(w, om_expr_unary(m, OM_OP_NOT, both), "!(count + 2 < cell[flag] && flag)");
    assert_text(w, binary(m, OM_OP_BAND, binary(m, OM_OP_SHL, count, one), two), "count << 1 & 2");
}

static void expressions_as_formulas(void **state)
{
    const world *w = *state;
    om_model *m = w->m;
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    om_expr aps[64];
    om_text text = { .heap = om_heap_default() };
    const om_expr busy = small_is(m, w->slots.phase, 1), flag = om_expr_slot(m, w->slots.flag);
    const om_expr all =
        binary(m, OM_OP_IMPLY, binary(m, OM_OP_AND, busy, flag), binary(m, OM_OP_OR, flag, busy));
    assert_int_equal(om_ltl_new(&l, w->ctx), OM_OK);
    assert_int_equal(om_explain__take_apart(m, all, l, aps, &f), OM_OK);
    assert_int_equal(om_ltl_print(l, f, &text), OM_OK);
    assert_string_equal(text.text, "phase==busy & flag -> flag | phase==busy");
    assert_int_equal(om_ltl_ap_count(l), 2);
    assert_int_equal(aps[0], busy);
    assert_int_equal(aps[1], flag);
    om_text_free(&text);
    om_ltl_free(l);
    /* More propositions than a label has bits. */
    om_expr many = flag;
    for (int i = 0; i < 64; i++)
        many = binary(m, OM_OP_AND, many,
            binary(m, OM_OP_NE, om_expr_slot(m, w->slots.count), om_expr_const(m, i)));
    assert_int_equal(om_ltl_new(&l, w->ctx), OM_OK);
    assert_int_equal(om_explain__take_apart(m, many, l, aps, &f), OM_EUNSUPPORTED);
    om_ltl_free(l);
}

/* ---- disabled transitions ---- */

static size_t successors(om_model *m, const uint32_t *from, uint32_t *transitions)
{
    om_executor *x = NULL;
    om_successors next = { .heap = om_heap_default() };
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, NULL, 0), OM_OK);
    assert_int_equal(om_executor_successors(x, from, &next), OM_OK);
    const size_t count = next.count;
    memcpy(transitions, next.transition, count * sizeof *transitions);
    om_executor_close(x);
    om_successors_free(&next);
    return count;
}

static void a_transition_is_disabled(void **state)
{
    const world *w = *state;
    uint32_t busy[8], taken[4];
    memcpy(busy, om_model_initial(w->m), om_model_words(w->m) * sizeof *busy);
    om_slot_set(om_model_slot(w->m, w->slots.phase), busy, 0, 1);
    om_slot_set(om_model_slot(w->m, w->slots.count), busy, 0, 2);
    assert_int_equal(successors(w->m, busy, taken), 2);
    assert_int_equal(om_model__disable(w->m, SMALL_STOP), OM_OK);
    assert_int_equal(successors(w->m, busy, taken), 1);
    assert_int_equal(taken[0], SMALL_TOGGLE);
    /* Only one transition is disabled at a time. */
    assert_int_equal(om_model__disable(w->m, SMALL_TOGGLE), OM_OK);
    assert_int_equal(successors(w->m, busy, taken), 1);
    assert_int_equal(taken[0], SMALL_STOP);
    om_model__enable(w->m);
    assert_int_equal(successors(w->m, busy, taken), 2);
    assert_int_equal(om_model__disable(w->m, 4), OM_EINVAL);
    assert_int_equal(successors(w->m, busy, taken), 2);
}

/* ---- explanations ---- */

static om_lasso run_of(
    const om_heap *heap, const om_model *m, const uint32_t *steps, size_t count, size_t loop)
{
    om_lasso l = { .heap = heap, .words = om_model_words(m), .count = count, .loop = loop };
    l.transitions = om_alloc(heap, count, sizeof *l.transitions);
    if (l.transitions != NULL)
        memcpy(l.transitions, steps, count * sizeof *steps);
    return l;
}

static const uint32_t ending[] = { SMALL_START, SMALL_STOP, SMALL_START, SMALL_STOP, SMALL_START,
    SMALL_END, OM_NONE };
static const uint32_t toggling[] = { SMALL_START, SMALL_STOP, SMALL_START, SMALL_TOGGLE,
    SMALL_TOGGLE };

/* Compares a row with values like "0101"; a star follows values that matter. */
static void assert_row(const om_explanation *e, size_t k, const char *text, const char *expected)
{
    char shown[64] = "";
    size_t n = 0;
    assert_true(k < e->row_count);
    assert_string_equal(e->rows[k].text, text);
    for (size_t i = 0; i < e->count; i++) {
        shown[n++] = e->rows[k].at[i] & OM_EXPLAINED_TRUE ? '1' : '0';
        if (e->rows[k].at[i] & OM_EXPLAINED_MATTERS)
            shown[n++] = '*';
    }
    shown[n] = '\0';
    assert_string_equal(shown, expected);
}

static int explain_with(const world *w, om_property_kind kind, const char *text,
    const uint32_t *steps, size_t count, size_t loop, om_explanation *e)
{
    om_plan *p = NULL;
    om_lasso l = run_of(om_heap_default(), w->m, steps, count, loop);
    const om_plan_options options = { .reset_dead = OM_SWITCH_OFF };
    assert_int_equal(om_plan_new(&p, w->ctx, NULL, &fixture_frontend, w->m, &options), OM_OK);
    int rc = om_explain(p, kind, text, &l, e);
    om_plan_free(p);
    om_lasso_free(&l);
    return rc;
}

static void an_invariant(void **state)
{
    const world *w = *state;
    om_explanation e;
    /* The trace up to the second start. */
    const uint32_t steps[] = { SMALL_START, SMALL_STOP, SMALL_START, OM_NONE };
    assert_int_equal(
        explain_with(w, OM_PROPERTY_INVARIANT, "count<2", steps, 4, OM_NO_LOOP, &e), OM_OK);
    assert_int_equal(e.kind, OM_EXPLAINED_INVARIANT);
    assert_string_equal(e.property, "count<2");
    assert_int_equal(e.row_count, 1);
    assert_row(&e, 0, "count<2", "1110*");
    assert_true(e.rows[0].proposition);
    om_explanation_free(&e);
    /* The invariant holds there: the referee rejects the trace first. */
    assert_int_equal(
        explain_with(w, OM_PROPERTY_INVARIANT, "count<3", steps, 4, OM_NO_LOOP, &e), OM_EINPUT);
    om_explanation_free(&e);
}

static void a_deadlock(void **state)
{
    const world *w = *state;
    om_explanation e;
    assert_int_equal(explain_with(w, OM_PROPERTY_DEADLOCK, NULL, ending, 7, OM_NO_LOOP, &e), OM_OK);
    assert_int_equal(e.kind, OM_EXPLAINED_DEADLOCK);
    assert_int_equal(e.row_count, 0);
    /* No process has a location here, so each transition is examined. */
    assert_int_equal(e.blocked_count, 4);
    assert_string_equal(e.blocked[0].why, "phase == idle");
    assert_string_equal(e.blocked[1].why, "phase == busy, count < 3");
    assert_string_equal(e.blocked[2].why, "phase == busy");
    om_explanation_free(&e);
}

static void a_livelock(void **state)
{
    const world *w = *state;
    om_explanation e;
    assert_int_equal(
        explain_with(w, OM_PROPERTY_NON_PROGRESS, "phase==0", toggling, 5, 3, &e), OM_OK);
    assert_int_equal(e.kind, OM_EXPLAINED_NON_PROGRESS);
    assert_int_equal(e.loop, 3);
    assert_int_equal(e.row_count, 3);
    assert_row(&e, 0, "GF phase==idle", "0*0000");
    assert_row(&e, 1, "F phase==idle", "1110*0");
    assert_row(&e, 2, "phase==idle", "1010*0*");
    om_explanation_free(&e);
}

/* ---- the run of an automaton ---- */

static int accept_once(const om_heap *heap, om_explanation *e)
{
    /* The flag rises only in the second state of the cycle. */
    static const om_label labels[] = { 1, 1, 0, 1, 0 };
    om_context *ctx = NULL;
    om_automaton *a = NULL;
    int rc = om_context_new(&ctx, heap);
    *e = (om_explanation){ .heap = om_heap_default() };
    if (rc == OM_OK)
        rc = small_automaton(ctx, &a);
    if (rc == OM_OK)
        rc = om_explain__accepted(ctx, a, labels, 5, 2, e);
    om_automaton_free(a);
    om_context_free(ctx);
    return rc;
}

static void a_way_through_an_automaton(void **state)
{
    om_explanation e;
    om_marks seen = 0;
    (void) state;
    assert_int_equal(accept_once(om_heap_default(), &e), OM_OK);
    assert_true(e.accepted_loop < e.accepted_count);
    for (size_t i = 0; i < e.accepted_count; i++) {
        static const om_marks marks[] = { 1, 1, 2, 1, 2 };
        assert_int_equal(e.accepted[i].state, i < 5 ? i : 2 + (i - 2) % 3);
        assert_int_equal(e.accepted[i].automaton_state, 0);
        assert_int_equal(e.accepted[i].marks, marks[e.accepted[i].state]);
        seen |= i >= e.accepted_loop ? e.accepted[i].marks : 0;
    }
    assert_int_equal(seen, 3);
    om_explanation_free(&e);
}

static void memory_may_run_out_on_the_way(void **state)
{
    int rc = OM_ENOMEM;
    size_t n = 0;
    (void) state;
    for (; rc != OM_OK; n++) {
        om_explanation e;
        test_heap h;
        test_heap_init(&h, n);
        rc = accept_once(&h.heap, &e);
        om_explanation_free(&e);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 10000);
    }
    assert_true(n > 20);
}

static void what_is_not_accepted_has_no_way(void **state)
{
    const world *w = *state;
    static const om_label never[] = { 1, 0, 0 };
    om_automaton *a = NULL;
    om_explanation e = { .heap = om_heap_default() };
    assert_int_equal(small_automaton(w->ctx, &a), OM_OK);
    assert_int_equal(om_explain__accepted(w->ctx, a, never, 3, 1, &e), OM_EINTERNAL);
    om_automaton_free(a);
}

/* ---- memory ---- */

static int explain_once(const om_heap *heap)
{
    om_context *ctx = NULL;
    om_model *m = NULL;
    om_plan *p = NULL;
    om_explanation e = { 0 };
    om_lasso l = { 0 };
    small_slots slots;
    const om_plan_options options = { .reset_dead = OM_SWITCH_OFF };
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = small_model(ctx, &m, &slots);
    if (rc == OM_OK)
        rc = om_plan_new(&p, ctx, NULL, &fixture_frontend, m, &options);
    if (rc == OM_OK) {
        l = run_of(om_heap_default(), m, toggling, 5, 3);
        rc = om_explain(p, OM_PROPERTY_NON_PROGRESS, "phase==0", &l, &e);
    }
    om_explanation_free(&e);
    om_lasso_free(&l);
    om_plan_free(p);
    om_model_free(m);
    om_context_free(ctx);
    return rc;
}

static void memory_may_run_out(void **state)
{
    int rc = OM_ENOMEM;
    size_t n = 0;
    (void) state;
    for (; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = explain_once(&h.heap);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 10000);
    }
    assert_true(n > 50);
}

static void kinds_have_names(void **state)
{
    (void) state;
    assert_string_equal(om_explained_name(OM_EXPLAINED_DEADLOCK), "deadlock");
    assert_null(om_explained_name((om_explained) (OM_EXPLAINED_DEADLOCK + 1)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(expressions_as_text),
        TEST(expressions_as_formulas),
        TEST(a_transition_is_disabled),
        TEST(an_invariant),
        TEST(a_deadlock),
        TEST(a_livelock),
        TEST(a_way_through_an_automaton),
        TEST(what_is_not_accepted_has_no_way),
        cmocka_unit_test(memory_may_run_out_on_the_way),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
