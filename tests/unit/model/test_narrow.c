/* SPDX-License-Identifier: Apache-2.0 */
/* Narrowed slots: the number of remaining bits, and identical runs. */
#include <omen/plugin/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "forge.h"
#include "model.h"

static om_context *ctx;

static uint32_t slot(om_model *m, const char *name, om_type type, uint32_t length, int32_t first)
{
    int32_t initial[16] = { first };
    om_slot s = {
        .name = name, .type = type, .length = length, .process = OM_NONE, .initial = initial
    };
    uint32_t number = 0;
    assert_int_equal(om_model_add_slot(m, &s, &number), OM_OK);
    return number;
}

static void step(om_model *m, om_expr guard, uint32_t to, om_expr index, om_expr value)
{
    om_assign a = { to, index, value };
    om_transition t = {
        .process = OM_NONE, .partner = OM_NONE, .guard = guard, .assigns = &a, .assign_count = 1
    };
    t.label = "step";
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
}

static om_expr op(om_model *m, om_op o, om_expr a, int32_t b)
{
    return om_expr_binary(m, o, a, om_expr_const(m, b));
}

/* One model with a slot for each kind of range, detected or not. */
static void ranges(void **state)
{
    static const struct {
        const char *name;
        om_type type, then;
        uint32_t length, bits;
    } want[] = {
        { "modulo", OM_U8, OM_U8, 0, 3 },      /* (x + 1) % 6 */
        { "guarded", OM_U8, OM_U8, 0, 4 },     /* x < 9: x + 1 */
        { "free", OM_U8, OM_U8, 0, 8 },        /* x + 1 */
        { "down", OM_I16, OM_I16, 0, 3 },      /* x > -4: x - 1 */
        { "never_less", OM_I16, OM_U8, 0, 2 }, /* x != 3: x + 1 */
        { "elements", OM_U8, OM_U8, 5, 4 },    /* a[i] <= 4: a[i] + 1; 3 bits, 4 in whole words */
        { "copy", OM_I32, OM_U8, 0, 4 },       /* the range of guarded */
        { "constant", OM_U8, OM_U8, 0, 7 },    /* 100, never assigned */
        { "far", OM_I32, OM_I32, 0, 18 },  /* x < 100000: x + 1; with a sign bit, as in its type */
        { "mask", OM_U16, OM_U16, 0, 5 },  /* free & 31 */
        { "either", OM_U8, OM_U8, 0, 8 },  /* x < 3 or y < 3: not detected */
        { "negated", OM_U8, OM_U8, 0, 3 }, /* not (x >= 7): x + 1 */
    };
    enum { COUNT = sizeof want / sizeof *want };
    uint32_t s[COUNT];
    om_expr x[COUNT];
    om_model *m = NULL;
    (void) state;
    assert_int_equal(om_model_new(&m, ctx, "ranges"), OM_OK);
    for (size_t i = 0; i < COUNT; i++) {
        s[i] = slot(m, want[i].name, want[i].type, want[i].length, i == 7 ? 100 : 0);
        x[i] = want[i].length == 0 ? om_expr_slot(m, s[i]) : om_expr_element(m, s[i], x[0]);
    }
    step(m, 0, s[0], 0, op(m, OM_OP_MOD, op(m, OM_OP_ADD, x[0], 1), 6));
    step(m, op(m, OM_OP_LT, x[1], 9), s[1], 0, op(m, OM_OP_ADD, x[1], 1));
    step(m, 0, s[2], 0, op(m, OM_OP_ADD, x[2], 1));
    step(m, op(m, OM_OP_GT, x[3], -4), s[3], 0, op(m, OM_OP_SUB, x[3], 1));
    step(m, op(m, OM_OP_NE, x[4], 3), s[4], 0, op(m, OM_OP_ADD, x[4], 1));
    step(m, op(m, OM_OP_LE, x[5], 4), s[5], x[0], op(m, OM_OP_ADD, x[5], 1));
    step(m, 0, s[6], 0, x[1]);
    step(m, op(m, OM_OP_LT, x[8], 100000), s[8], 0, op(m, OM_OP_ADD, x[8], 1));
    step(m, 0, s[9], 0, op(m, OM_OP_BAND, x[2], 31));
    step(m, om_expr_binary(m, OM_OP_OR, op(m, OM_OP_LT, x[10], 3), op(m, OM_OP_LT, x[2], 3)), s[10],
        0, op(m, OM_OP_ADD, x[10], 1));
    step(m, om_expr_unary(m, OM_OP_NOT, op(m, OM_OP_GE, x[11], 7)), s[11], 0,
        op(m, OM_OP_ADD, x[11], 1));
    assert_int_equal(om_model_narrow(m), OM_OK);
    assert_int_equal(om_model_add_process(m, "late", NULL), OM_EINVAL);
    om_context_clear(ctx);
    assert_int_equal(om_model_finish(m), OM_OK);
    for (size_t i = 0; i < COUNT; i++) {
        const om_slot *is = om_model_slot(m, s[i]);
        if (is->bits != want[i].bits || is->type != want[i].then)
            fail_msg("%s: %u bits, type %d", is->name, is->bits, (int) is->type);
        assert_int_equal(om_slot_get(is, om_model_initial(m), 0), i == 7 ? 100 : 0);
    }
    assert_int_equal(om_model_narrow(m), OM_EINVAL);
    om_context_clear(ctx);
    om_model_free(m);
}

/* Assignments see the preceding ones; intermediate values count, too. */
static void in_order(void **state)
{
    om_model *m = NULL;
    (void) state;
    assert_int_equal(om_model_new(&m, ctx, "in order"), OM_OK);
    uint32_t a = slot(m, "a", OM_U8, 0, 0), b = slot(m, "b", OM_U8, 0, 0),
             list = slot(m, "list", OM_U8, 4, 0);
    om_expr at = om_expr_element(m, list, om_expr_slot(m, a));
    om_assign assigns[] = { { a, 0, om_expr_const(m, 20) },
        { b, 0, op(m, OM_OP_ADD, om_expr_slot(m, a), 1) }, { a, 0, om_expr_const(m, 1) },
        /* list[a] is now another element than in the guard */
        { list, om_expr_const(m, 0), op(m, OM_OP_ADD, at, 3) } };
    om_transition t = { .process = OM_NONE, .partner = OM_NONE, .assigns = assigns };
    t.assign_count = 4;
    t.guard = op(m, OM_OP_EQ, at, 0);
    t.label = "t";
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
    assert_int_equal(om_model_narrow(m), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    assert_int_equal(om_model_slot(m, a)->bits, 5);
    assert_int_equal(om_model_slot(m, b)->bits, 5);
    assert_int_equal(om_model_slot(m, list)->bits, 8);
    om_model_free(m);
}

static void same_values(
    const om_model *a, const uint32_t *va, const om_model *b, const uint32_t *vb)
{
    for (uint32_t i = 0; i < om_model_slot_count(a); i++) {
        const om_slot *sa = om_model_slot(a, i), *sb = om_model_slot(b, i);
        assert_true(sb->bits <= sa->bits);
        for (uint32_t e = 0; e < (sa->length == 0 ? 1 : sa->length); e++)
            assert_int_equal(om_slot_get(sa, va, e), om_slot_get(sb, vb, e));
    }
}

/* Random walks of a model and its narrowed copy, side by side. */
static uint64_t walk(
    om_random *random, om_model *const *m, om_executor *const *x, uint64_t *overflows)
{
    om_successors next[2] = { { .heap = om_heap_default() }, { .heap = om_heap_default() } };
    uint32_t *at[2];
    uint64_t steps = 0;
    for (unsigned k = 0; k < 2; k++) {
        at[k] = malloc(om_model_words(m[k]) * sizeof *at[k]);
        assert_non_null(at[k]);
        memcpy(at[k], om_model_initial(m[k]), om_model_words(m[k]) * sizeof *at[k]);
    }
    for (; steps < 60; steps++) {
        same_values(m[0], at[0], m[1], at[1]);
        for (unsigned k = 0; k < 2; k++)
            assert_int_equal(om_executor_successors(x[k], at[k], &next[k]), OM_OK);
        assert_int_equal(next[0].fault, next[1].fault);
        assert_true(next[1].fault == 0 || om_model__may_fault(m[1]));
        if (next[0].fault != 0)
            break;
        /* Assignments known to fit do fit. */
        assert_int_equal(next[0].overflows, next[1].overflows);
        assert_int_equal(next[0].count, next[1].count);
        if (next[0].count == 0)
            break;
        assert_memory_equal(
            next[0].transition, next[1].transition, next[0].count * sizeof *next[0].transition);
        size_t i = om_random_below(random, next[0].count);
        for (unsigned k = 0; k < 2; k++) {
            uint32_t words = om_model_words(m[k]);
            memcpy(at[k], next[k].words + i * words, words * sizeof *at[k]);
        }
    }
    *overflows += next[0].overflows;
    for (unsigned k = 0; k < 2; k++) {
        om_successors_free(&next[k]);
        free(at[k]);
    }
    return steps;
}

static void same_runs(void **state)
{
    uint64_t steps = 0, overflows = 0;
    uint32_t narrower = 0, sites[2] = { 0 }, tame = 0;
    static forge f[2];
    (void) state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        om_model *m[2];
        om_executor *x[2];
        om_random random = { seed };
        uint32_t bits[2] = { 0 };
        for (unsigned k = 0; k < 2; k++) {
            memset(&f[k], 0, sizeof f[k]);
            f[k].random.state = seed;
            f[k].fault_chance = seed % 3;
            f[k].narrow = k == 1;
            m[k] = forge_model(&f[k], ctx);
            assert_int_equal(om_executor_open(&x[k], m[k], OM_EXEC_VM, NULL, 0), OM_OK);
            for (uint32_t i = 0; i < om_model_slot_count(m[k]); i++)
                bits[k] += om_model_slot(m[k], i)->bits;
            sites[k] += om_model_overflow_sites(m[k]);
        }
        narrower += bits[1] < bits[0];
        tame += !om_model__may_fault(m[1]);
        assert_true(om_model__may_fault(m[0])); /* not analysed */
        for (unsigned i = 0; i < 20; i++)
            steps += walk(&random, m, x, &overflows);
        for (unsigned k = 0; k < 2; k++) {
            om_executor_close(x[k]);
            om_model_free(m[k]);
        }
    }
    printf("%llu steps, %u of 60 models narrower; %llu overflows, at %u places of %u\n",
        (unsigned long long) steps, narrower, (unsigned long long) overflows, sites[1], sites[0]);
    assert_true(steps > 2000 && narrower > 5 && tame > 5);
    assert_true(overflows > 200 && sites[1] < sites[0]);
}

/* Checks whether it is known that indices are within their arrays and divisors are not 0. x goes
 * from 0 to 9 and wraps around; the array a has 5 elements. */
static void faults(void **state)
{
    enum { NOTHING, BELOW, ELEMENT, BOTH, BOTH_BACKWARDS, NEITHER, EITHER, IMPLIED, ABOVE_0 };
    enum { ONE, INTO, OF, OF_OF, DIVIDED, REST };
    static const struct {
        int guard, does;
        bool may;
    } cases[] = {
        { NOTHING, ONE, false },
        { NOTHING, INTO, true },
        { BELOW, INTO, false },
        { NOTHING, OF, true },
        { BELOW, OF, false },
        { BELOW, OF_OF, false }, /* elements are 0 or 1 */
        { NOTHING, OF_OF, true },
        { ELEMENT, ONE, true },
        { BOTH, ONE, false },
        { BOTH, INTO, false },
        { BOTH_BACKWARDS, ONE, true },
        { NEITHER, OF, false },
        { EITHER, ONE, true }, /* cannot fault, but the analysis is not that precise */
        { IMPLIED, INTO, false },
        { NOTHING, DIVIDED, true },
        { ABOVE_0, DIVIDED, false },
        { NOTHING, REST, true },
        { ABOVE_0, REST, false },
    };
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_model *m = NULL;
        assert_int_equal(om_model_new(&m, ctx, "faults"), OM_OK);
        uint32_t x = slot(m, "x", OM_U8, 0, 0), y = slot(m, "y", OM_I32, 0, 0),
                 a = slot(m, "a", OM_U8, 5, 0);
        om_expr at = om_expr_slot(m, x), element = om_expr_element(m, a, at),
                below = op(m, OM_OP_LT, at, 5), is_0 = op(m, OM_OP_EQ, element, 0),
                seven = om_expr_const(m, 7);
        const om_expr guard[] = { 0, below, is_0, om_expr_binary(m, OM_OP_AND, below, is_0),
            om_expr_binary(m, OM_OP_AND, is_0, below),
            om_expr_unary(m, OM_OP_NOT,
                om_expr_binary(m, OM_OP_OR, op(m, OM_OP_GE, at, 5), op(m, OM_OP_NE, element, 0))),
            om_expr_binary(m, OM_OP_OR, op(m, OM_OP_GE, at, 5), is_0),
            om_expr_unary(m, OM_OP_NOT, om_expr_binary(m, OM_OP_IMPLY, below, is_0)),
            op(m, OM_OP_GT, at, 0) };
        const om_expr value[] = { om_expr_const(m, 1), om_expr_const(m, 1), element,
            om_expr_element(m, a, element), om_expr_binary(m, OM_OP_DIV, seven, at),
            om_expr_binary(m, OM_OP_MOD, seven, at) };
        step(m, op(m, OM_OP_LT, at, 9), x, 0, op(m, OM_OP_ADD, at, 1));
        step(m, op(m, OM_OP_EQ, at, 9), x, 0, om_expr_const(m, 0));
        step(m, 0, a, om_expr_const(m, 2), om_expr_const(m, 1));
        if (cases[i].does == INTO)
            step(m, guard[cases[i].guard], a, at, value[INTO]);
        else
            step(m, guard[cases[i].guard], y, 0, value[cases[i].does]);
        om_assertion always = { op(m, OM_OP_GE, at, 0), "x >= 0", { "m", 1, 1 } };
        if (i == 0)
            assert_int_equal(om_model_add_assertion(m, &always), OM_OK);
        assert_int_equal(om_model_narrow(m), OM_OK);
        assert_int_equal(om_model_finish(m), OM_OK);
        if (om_model__may_fault(m) != (cases[i].may || i == 0))
            fail_msg("case %zu", i);
        om_model_free(m);
    }
}

/* An assignment to x, a byte, under a guard. known: the value is known to fit. */
static void fits(om_op compare, int32_t with, om_op op_of, int32_t by, uint32_t line, bool known)
{
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "fits"), OM_OK);
    uint32_t x = slot(m, "x", OM_U8, 0, 7);
    om_assign a = { x, 0, op(m, op_of, om_expr_slot(m, x), by) };
    const om_written written = { line, 1 };
    om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = op(m, compare, om_expr_slot(m, x), with),
        .assigns = &a,
        .assign_count = 1,
        .written = &written };
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
    assert_int_equal(om_model_narrow(m), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    assert_int_equal(om_model_overflow_sites(m), !known);
    om_model_free(m);
}

static void values_that_fit(void **state)
{
    (void) state;
    fits(OM_OP_LT, 255, OM_OP_ADD, 1, 9, true);
    fits(OM_OP_LE, 255, OM_OP_ADD, 1, 9, false);
    fits(OM_OP_LT, 255, OM_OP_ADD, 2, 9, false);
    fits(OM_OP_GT, 0, OM_OP_SUB, 1, 9, true);
    fits(OM_OP_GE, 0, OM_OP_SUB, 1, 9, false);
    fits(OM_OP_EQ, 7, OM_OP_MUL, 30, 9, true);
    fits(OM_OP_EQ, 9, OM_OP_MUL, 30, 9, true); /* x is never 9 */
    fits(OM_OP_GE, 0, OM_OP_BAND, 15, 9, true);
    fits(OM_OP_GE, 0, OM_OP_ADD, 1, 0, true); /* without a place in the source */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ranges), cmocka_unit_test(in_order),
        cmocka_unit_test(same_runs), cmocka_unit_test(faults), cmocka_unit_test(values_that_fit) };
    if (om_context_new(&ctx, NULL) != OM_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    om_context_free(ctx);
    return failed;
}
