/* SPDX-License-Identifier: Apache-2.0 */
/* Statement merging: the locations that are passed, and the order of merged statements. */
#include <omen/plugin/model.h>

#include "heap.h"
#include "transform/merge.h"
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Differences from the plain model. */
typedef enum variant {
    PLAIN,
    NO_OTHERWISE, /* nothing leaves 2 if x is 0 or 1 */
    ELSEWHERE,    /* nothing leaves 3: the step from there requires that P is at 0, too */
    DIVIDES,      /* the step from 1 may divide by 0 */
    READ,         /* Q reads x at any location of P; */
    READ_THERE,   /* only while P is at 0; */
    BARRED,       /* Q waits while P is at 3 */
    ASSERTED,     /* an assertion reads x */
    LOCAL,        /* the step from 0 is local to P, too */
    SHARED,       /* the step from 3 assigns a variable that Q reads */
    STARTED,      /* Q's step moves P from 0 to 1 */
    NEVER,        /* a step that is never enabled moves P from anywhere */
    VARIANTS
} variant;

/* P: 0 -g:=1-> 1 -x:=(x+1)&3-> 2 -[x>1]-> 3, 2 -[not x>1]-> 3 -> 0; Q reads g and writes h. */
typedef struct pair {
    om_context *ctx;
    om_model *m;
    uint32_t p, q, x, g, h;
    const om_heap *heap; /* or NULL */
} pair;

static uint32_t add_slot(pair *b, const char *name, om_type type, uint32_t process)
{
    static const om_value zero = 0;
    uint32_t slot = 0;
    om_slot s = { .name = name,
        .type = type,
        .process = process,
        .initial = &zero,
        .enumerators = type == OM_ENUM ? 4 : 0 };
    assert_int_equal(om_model_add_slot(b->m, &s, &slot), OM_OK);
    return slot;
}

static om_expr compare(const pair *b, om_op op, uint32_t slot, om_value v)
{
    return om_expr_binary(b->m, op, om_expr_slot(b->m, slot), om_expr_const(b->m, v));
}

/* Adds a step of a process with one assignment (OM_NONE: none) besides that of the location. */
static void go(pair *b, uint32_t process, om_value from, om_value to, om_expr when, uint32_t slot,
    om_expr value)
{
    const uint32_t location = process == 0 ? b->p : b->q;
    om_assign as[] = { { slot, 0, value }, { location, 0, om_expr_const(b->m, to) } };
    om_expr guard = compare(b, OM_OP_EQ, location, from);
    om_transition t = { .process = process,
        .partner = OM_NONE,
        .guard = when == 0 ? guard : om_expr_binary(b->m, OM_OP_AND, guard, when),
        .assigns = slot == OM_NONE ? as + 1 : as,
        .assign_count = slot == OM_NONE ? 1 : 2 };
    assert_int_equal(om_model_add_transition(b->m, &t, NULL), OM_OK);
}

static om_expr plus(const pair *b, om_op op)
{
    const om_expr one = om_expr_const(b->m, 1), x = om_expr_slot(b->m, b->x);
    const om_expr sum =
        om_expr_binary(b->m, op, op == OM_OP_DIV ? one : x, op == OM_OP_DIV ? x : one);
    return om_expr_binary(b->m, OM_OP_BAND, sum, om_expr_const(b->m, 3));
}

/* Guard of Q. */
static om_expr asked(const pair *b, variant v)
{
    om_expr when = compare(b, OM_OP_EQ, b->g, 1);
    if (v == READ || v == READ_THERE)
        when = om_expr_binary(b->m, OM_OP_AND, when, compare(b, OM_OP_LT, b->x, 3));
    if (v == READ_THERE)
        when = om_expr_binary(b->m, OM_OP_AND, compare(b, OM_OP_EQ, b->p, 0), when);
    if (v == BARRED)
        when = om_expr_binary(b->m, OM_OP_AND, compare(b, OM_OP_NE, b->p, 3), when);
    return when;
}

static void start(pair *b, variant v)
{
    om_assertion a = { .text = "x" };
    assert_int_equal(om_context_new(&b->ctx, b->heap), OM_OK);
    assert_int_equal(om_model_new(&b->m, b->ctx, "pair"), OM_OK);
    assert_int_equal(om_model_add_process(b->m, "P", NULL), OM_OK);
    assert_int_equal(om_model_add_process(b->m, "Q", NULL), OM_OK);
    b->p = add_slot(b, "P", OM_ENUM, 0);
    b->q = add_slot(b, "Q", OM_ENUM, 1);
    b->x = add_slot(b, "P.x", OM_U8, 0);
    b->g = add_slot(b, "g", OM_U8, OM_NONE);
    b->h = add_slot(b, "h", OM_U8, OM_NONE);
    assert_int_equal(om_model_set_location(b->m, 0, b->p), OM_OK);
    assert_int_equal(om_model_set_location(b->m, 1, b->q), OM_OK);
    if (v != STARTED)
        go(b, 0, 0, 1, 0, v == LOCAL ? OM_NONE : b->g, om_expr_const(b->m, 1));
    go(b, 0, 1, 2, 0, b->x, plus(b, v == DIVIDES ? OM_OP_DIV : OM_OP_ADD));
    go(b, 0, 2, 3, compare(b, OM_OP_GT, b->x, 1), OM_NONE, 0);
    if (v != NO_OTHERWISE)
        go(b, 0, 2, 3, om_expr_unary(b->m, OM_OP_NOT, compare(b, OM_OP_GT, b->x, 1)), OM_NONE, 0);
    go(b, 0, 3, 0, v == ELSEWHERE ? compare(b, OM_OP_EQ, b->p, 0) : 0, v == SHARED ? b->g : OM_NONE,
        om_expr_const(b->m, 0));
    if (v == STARTED)
        go(b, 1, 1, 0, compare(b, OM_OP_EQ, b->p, 0), b->p, om_expr_const(b->m, 1));
    go(b, 1, 0, 1, asked(b, v), b->h, om_expr_const(b->m, 1));
    const om_assign moves = { b->p, 0, om_expr_const(b->m, 2) };
    const om_transition never = { .process = 0,
        .partner = OM_NONE,
        .guard = om_expr_const(b->m, 0),
        .assigns = &moves,
        .assign_count = 1 };
    if (v == NEVER)
        assert_int_equal(om_model_add_transition(b->m, &never, NULL), OM_OK);
    a.condition = compare(b, OM_OP_LE, b->x, 3);
    if (v == ASSERTED)
        assert_int_equal(om_model_add_assertion(b->m, &a), OM_OK);
    assert_int_equal(om_model_finish(b->m), OM_OK);
}

static void end(pair *b)
{
    om_model_free(b->m);
    om_context_free(b->ctx);
}

static uint32_t passed(const pair *b, const om_expr *aps, uint32_t count, bool movers)
{
    om_merged *g = NULL;
    assert_int_equal(om_merged__new(&g, b->m, aps, count, movers), OM_OK);
    const uint32_t n = g == NULL ? 0 : om_merged__passed(g);
    om_merged__free(g);
    return n;
}

static void test_which(void **state)
{
    /* 1, 2 and 3, minus the locations that the variant excludes. In LOCAL and STARTED, one
     * location of the cycle stays. */
    static const uint32_t expected[VARIANTS] = { [PLAIN] = 3,
        [NO_OTHERWISE] = 2,
        [ELSEWHERE] = 2,
        [DIVIDES] = 2,
        [READ] = 2,
        [READ_THERE] = 3,
        [BARRED] = 2,
        [ASSERTED] = 2,
        [LOCAL] = 3,
        [SHARED] = 2,
        [STARTED] = 3,
        [NEVER] = 3 };
    (void) state;
    for (variant v = PLAIN; v < VARIANTS; v++) {
        pair b = { .heap = NULL };
        start(&b, v);
        if (passed(&b, NULL, 0, false) != expected[v])
            fail_msg("variant %d: %u locations are passed", (int) v, passed(&b, NULL, 0, false));
        end(&b);
    }
}

/* A process that is disabled in a location between two where it can move does not wait all the
 * time: if movers count, the location stays. */
static void test_movers(void **state)
{
    (void) state;
    pair b = { .heap = NULL };
    start(&b, PLAIN);
    assert_int_equal(passed(&b, NULL, 0, true), 3);
    end(&b);
    start(&b, BARRED);
    assert_int_equal(passed(&b, NULL, 0, true), 1);
    end(&b);
}

/* Visible locations stay: those where a proposition's variable changes, and those a proposition
 * reads. */
static void test_propositions(void **state)
{
    pair b = { .heap = NULL };
    (void) state;
    start(&b, PLAIN);
    const om_expr aps[] = { compare(&b, OM_OP_GT, b.x, 1), compare(&b, OM_OP_EQ, b.p, 2),
        compare(&b, OM_OP_EQ, b.h, 1) };
    assert_int_equal(passed(&b, &aps[0], 1, false), 2);
    assert_int_equal(passed(&b, &aps[1], 1, false), 1);
    assert_int_equal(passed(&b, &aps[2], 1, false), 3);
    assert_int_equal(passed(&b, aps, 3, false), 1);
    end(&b);
}

/* Checks the rows, in order; each expected row ends at OM_NONE. */
static void assert_rows(const om_merged *g, const uint32_t (*rows)[8], uint32_t count)
{
    assert_int_equal(om_model_transition_count(om_merged__model(g)), count);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t length = 0;
        const uint32_t *row = om_merged__row(g, t, &length);
        for (uint32_t i = 0; i < length; i++)
            assert_int_equal(row[i], rows[t][i]);
        assert_int_equal(rows[t][length], OM_NONE);
    }
}

static void test_rows(void **state)
{
    static const uint32_t plain[][8] = { { 0, 1, 2, 4, OM_NONE }, { 0, 1, 3, 4, OM_NONE },
        { 5, OM_NONE } };
    static const uint32_t started[][8] = { { 4, 0, 1, 3, OM_NONE }, { 4, 0, 2, 3, OM_NONE },
        { 5, OM_NONE } };
    pair b = { .heap = NULL };
    om_merged *g = NULL;
    (void) state;
    start(&b, PLAIN);
    assert_int_equal(om_merged__new(&g, b.m, NULL, 0, false), OM_OK);
    assert_rows(g, plain, 3);
    om_merged__free(g);
    end(&b);
    start(&b, STARTED);
    assert_int_equal(om_merged__new(&g, b.m, NULL, 0, false), OM_OK);
    assert_rows(g, started, 3);
    om_merged__free(g);
    /* If movers matter, Q's step is its own. */
    assert_int_equal(om_merged__new(&g, b.m, NULL, 0, true), OM_OK);
    uint32_t length = 0;
    (void) om_merged__row(g, om_model_transition_count(om_merged__model(g)) - 2, &length);
    assert_int_equal(length, 1);
    om_merged__free(g);
    end(&b);
}

/* The guards of appended statements are evaluated before the step, with the future value of x. */
static void test_successors(void **state)
{
    pair b = { .heap = NULL };
    om_merged *g = NULL;
    om_executor *vm = NULL;
    (void) state;
    start(&b, PLAIN);
    assert_int_equal(om_merged__new(&g, b.m, NULL, 0, false), OM_OK);
    om_model *m = om_merged__model(g);
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, NULL, 0), OM_OK);
    om_successors next = { .heap = om_context_heap(b.ctx) };
    uint32_t *state_of = calloc(om_model_words(m), sizeof *state_of);
    assert_non_null(state_of);
    assert_int_equal(om_model_words(m), om_model_words(b.m));
    assert_memory_equal(om_model_initial(m), om_model_initial(b.m), sizeof *state_of);
    for (om_value x = 0; x < 4; x++) {
        om_slot_set(om_model_slot(m, b.x), state_of, 0, x);
        assert_int_equal(om_executor_successors(vm, state_of, &next), OM_OK);
        assert_int_equal(next.count, 1);
        assert_int_equal(next.transition[0], ((x + 1) & 3) > 1 ? 0 : 1);
        assert_int_equal(om_slot_get(om_model_slot(m, b.p), next.words, 0), 0);
        assert_int_equal(om_slot_get(om_model_slot(m, b.x), next.words, 0), (x + 1) & 3);
        assert_int_equal(om_slot_get(om_model_slot(m, b.g), next.words, 0), 1);
    }
    free(state_of);
    om_successors_free(&next);
    om_executor_close(vm);
    om_merged__free(g);
    end(&b);
}

/* Faults are reported with the numbers of the original model. */
static void test_faults(void **state)
{
    pair b = { .heap = NULL };
    om_merged *g = NULL;
    uint32_t length = 0;
    (void) state;
    start(&b, DIVIDES);
    assert_int_equal(om_merged__new(&g, b.m, NULL, 0, false), OM_OK);
    const uint32_t count = om_model_transition_count(om_merged__model(g));
    for (uint32_t t = 0; t < count; t++)
        assert_int_equal(om_merged__fault(g, OM_FAULT(OM_FAULT_DIVISION, t)),
            OM_FAULT(OM_FAULT_DIVISION, om_merged__row(g, t, &length)[0]));
    assert_int_equal(
        om_merged__fault(g, OM_FAULT(OM_FAULT_ASSERTION, 7)), OM_FAULT(OM_FAULT_ASSERTION, 7));
    om_merged__free(g);
    end(&b);
}

static void test_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    size_t failures = 0;
    for (size_t n = 0; rc != OM_OK; n++) {
        test_heap heap;
        test_heap_init(&heap, SIZE_MAX);
        pair b = { .heap = &heap.heap };
        om_merged *g = NULL;
        start(&b, PLAIN);
        heap.fail_at = heap.calls + n;
        rc = om_merged__new(&g, b.m, NULL, 0, false);
        assert_true(rc == OM_OK || (rc == OM_ENOMEM && g == NULL));
        failures += rc != OM_OK;
        heap.fail_at = SIZE_MAX;
        om_merged__free(g);
        end(&b);
        assert_int_equal(heap.live, 0);
    }
    assert_true(failures > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_movers),
        cmocka_unit_test(test_propositions),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_successors),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
