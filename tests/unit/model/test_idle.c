/* SPDX-License-Identifier: Apache-2.0 */
/* Moves that wait until nothing else can move (analysis/idle.h): the vm tries them last, native
 * code does not, and both have the same successors and faults. */
#include "analysis/idle.h"
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROCESSES = 3, LOCATIONS = 3, WAYS = 2, ROUNDS = 3000, SLOTS = PROCESSES + 4 };

typedef struct maker {
    om_model *m;
    om_random random;
    unsigned careless; /* of 100: chance that a way has no transition */
    uint32_t at[PROCESSES], lock, x, index, array;
    om_expr condition, part; /* `part`: a second condition, that one process cannot move */
    enum { WAITING, TRYING, NEITHER } moves;
} maker;

static uint32_t slot(maker *k, const char *name, uint32_t length)
{
    static const om_value zero[4];
    const om_slot s = {
        .name = name, .type = OM_U8, .process = OM_NONE, .length = length, .initial = zero
    };
    uint32_t number;
    assert_int_equal(om_model_add_slot(k->m, &s, &number), OM_OK);
    return number;
}

static om_expr is(maker *k, uint32_t of, uint64_t value)
{
    return om_expr_binary(
        k->m, OM_OP_EQ, om_expr_slot(k->m, of), om_expr_const(k->m, (om_value) value));
}

static om_expr all(maker *k, om_expr a, om_expr b)
{
    return om_expr_binary(k->m, OM_OP_AND, a, b);
}

/* Returns a condition that faults in some states, or one that cannot. */
static om_expr atom(maker *k)
{
    const om_expr value = om_expr_const(k->m, (om_value) om_random_below(&k->random, 3));
    if (om_random_below(&k->random, 3) > 0)
        return om_expr_binary(k->m, OM_OP_NE, om_expr_slot(k->m, k->x), value);
    return om_expr_binary(
        k->m, OM_OP_EQ, om_expr_element(k->m, k->array, om_expr_slot(k->m, k->index)), value);
}

static void add_move(maker *k, om_expr guard)
{
    const om_assign a = { k->x, 0, om_expr_const(k->m, (om_value) om_random_below(&k->random, 4)) };
    const om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = guard,
        .assigns = &a,
        .assign_count = 1,
        .label = "move" };
    assert_int_equal(om_model_add_transition(k->m, &t, NULL), OM_OK);
}

/* Returns "the process can move from this location", and adds the moves. */
static om_expr can_move(maker *k, uint32_t process, uint32_t location)
{
    const om_expr here = is(k, k->at[process], location);
    om_expr any = 0;
    for (int i = 0; i < WAYS; i++) {
        const om_expr way = all(k, atom(k), atom(k));
        any = i == 0 ? way : om_expr_binary(k->m, OM_OP_OR, any, way);
        if (om_random_below(&k->random, 100) >= k->careless)
            add_move(k, all(k, all(k, here, is(k, k->lock, 0)), way));
    }
    return all(k, here, any);
}

/* Adds moves and an assertion with the condition. Some of them are tried although the lock is
 * taken, when the others are not: their guards may then fault where no other guard does. */
static void add_waiting(maker *k)
{
    const om_expr nothing = k->condition;
    for (uint32_t p = 0; p < PROCESSES; p++) {
        const om_expr here = is(k, k->at[p], 1), free = is(k, k->lock, 0);
        add_move(k, p == 0 ? all(k, here, nothing) : all(k, all(k, here, free), nothing));
        add_move(k, all(k, all(k, all(k, here, free), nothing), atom(k)));
    }
    const om_assertion a = { .condition = om_expr_unary(k->m, OM_OP_NOT,
                                 all(k, all(k, is(k, k->at[0], 2), is(k, k->lock, 0)), nothing)) };
    assert_int_equal(om_model_add_assertion(k->m, &a), OM_OK);
}

/* Adds moves with both conditions, in either order. */
static void add_trying(maker *k)
{
    for (uint32_t p = 0; p < PROCESSES; p++) {
        const om_expr begin = all(k, is(k, k->at[p], 1), is(k, k->lock, 0));
        add_move(k, all(k, all(k, begin, k->condition), k->part));
        add_move(k, all(k, all(k, begin, k->part), k->condition));
    }
}

static void make(maker *k, om_context *ctx)
{
    static const char *const names[] = { "p", "q", "r" };
    om_expr any = 0;
    assert_int_equal(om_model_new(&k->m, ctx, "idle"), OM_OK);
    for (uint32_t p = 0; p < PROCESSES; p++)
        k->at[p] = slot(k, names[p], 0);
    k->lock = slot(k, "lock", 0);
    k->x = slot(k, "x", 0);
    k->index = slot(k, "index", 0);
    k->array = slot(k, "array", 4);
    for (uint32_t p = 0; p < PROCESSES; p++)
        for (uint32_t n = 0; n < LOCATIONS; n++) {
            const om_expr one = can_move(k, p, n);
            any = any == 0 ? one : om_expr_binary(k->m, OM_OP_OR, any, one);
            k->part = om_expr_unary(k->m, OM_OP_NOT, one);
        }
    k->condition = om_expr_unary(k->m, OM_OP_NOT, any);
    if (k->moves == WAITING)
        add_waiting(k);
    else if (k->moves == TRYING)
        add_trying(k);
    assert_int_equal(om_model_finish(k->m), OM_OK);
}

static void set_at_random(maker *k, uint32_t *vector)
{
    memset(vector, 0, om_model_words(k->m) * sizeof *vector);
    for (uint32_t s = 0; s < SLOTS; s++)
        for (uint32_t i = 0; i < (s == k->array ? 4 : 1); i++) {
            const uint64_t below = s == k->lock ? 2 : s < PROCESSES ? LOCATIONS + 1 : 5;
            om_slot_set(
                om_model_slot(k->m, s), vector, i, (om_value) om_random_below(&k->random, below));
        }
}

static void compare(maker *k, const om_executor *vm, const om_executor *native)
{
    om_successors a = { .heap = om_heap_default() }, b = { .heap = om_heap_default() };
    uint32_t vector[16];
    assert_true(vm->words <= 16);
    for (int i = 0; i < ROUNDS; i++) {
        set_at_random(k, vector);
        assert_int_equal(om_executor_successors(vm, vector, &a), OM_OK);
        assert_int_equal(om_executor_successors(native, vector, &b), OM_OK);
        assert_int_equal(a.fault, b.fault);
        if (a.fault != 0)
            continue;
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.transition, b.transition, a.count * sizeof *a.transition);
        assert_memory_equal(a.words, b.words, a.count * vm->words * sizeof *a.words);
    }
    om_successors_free(&a);
    om_successors_free(&b);
}

/* Returns the number of moves that wait, if the condition was found. */
static uint32_t count_waiting(const maker *k)
{
    om_idle x;
    uint32_t waiting = 0;
    assert_true(om_idle__open(&x, k->m));
    assert_true(x.condition == 0 || x.condition == k->condition);
    for (uint32_t t = 0; t < om_model_transition_count(k->m); t++)
        waiting += om_idle__waits(&x, om_model_transition(k->m, t)->guard);
    for (size_t e = 0; e < k->m->node_count && x.condition != 0; e++)
        assert_int_equal(x.holds[e], 0); /* all assumptions are taken back */
    om_idle__close(&x);
    return waiting;
}

/* Returns the number of moves that wait in a random model. */
static uint32_t try_one(uint64_t seed, unsigned careless)
{
    maker k = { .random = { seed }, .careless = careless };
    om_context *ctx = NULL;
    om_executor *vm = NULL, *native = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    make(&k, ctx);
    const uint32_t waiting = count_waiting(&k);
    assert_int_equal(om_executor_open(&vm, k.m, OM_EXEC_VM, NULL, 0), OM_OK);
    assert_int_equal(om_executor_open(&native, k.m, OM_EXEC_NATIVE, NULL, 0), OM_OK);
    compare(&k, vm, native);
    om_executor_close(native);
    om_executor_close(vm);
    om_model_free(k.m);
    om_context_free(ctx);
    return waiting;
}

static void moves_that_wait_are_those_that_cannot_fault(void **state)
{
    (void) state;
    /* The first move does not wait: it is tried while the lock is taken. */
    for (uint64_t seed = 0; seed < 3; seed++)
        assert_int_equal(try_one(seed, 0), 2 * PROCESSES - 1);
}

static void a_part_that_no_move_tries_may_fault(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 3; seed++)
        assert_int_equal(try_one(seed, 30), 0);
    assert_int_equal(try_one(0, 100), 0); /* no move ends the condition */
}

/* Returns the number of conjuncts, of the two conditions, whose parts other guards try. */
static uint32_t count_tried(const maker *k)
{
    om_idle x;
    uint32_t tried = 0;
    assert_true(om_idle__open(&x, k->m));
    for (uint32_t t = 0; t < om_model_transition_count(k->m); t++) {
        const om_expr guard = om_model_transition(k->m, t)->guard;
        const bool whole = om_idle__is_tried(&x, guard, k->condition),
                   part = om_idle__is_tried(&x, guard, k->part);
        tried += whole + part;
        /* The second one is evaluated after the first one: it is not tried if that is not. */
        const om_expr last = om_model_node(k->m, guard)->b;
        assert_false(
            (last == k->part && part && !whole) || (last == k->condition && whole && !part));
        /* A condition of one part does not count as its own part. */
        for (om_expr e = 1; e < k->m->node_count; e++)
            assert_false(om_model_node(k->m, e)->op == OM_OP_EQ && k->m->facts[e].faults &&
                         om_idle__is_tried(&x, guard, e));
    }
    for (size_t e = 0; e < k->m->node_count; e++)
        assert_int_equal(x.holds[e], 0); /* all assumptions are taken back */
    om_idle__close(&x);
    return tried;
}

/* Returns the number of random states in which the moves with conditions fault alone, and sets
 * *tried to the number of conditions whose parts others try. */
static uint32_t faults_alone(uint64_t seed, unsigned careless, uint32_t *tried)
{
    om_successors out[2] = { { .heap = om_heap_default() }, { .heap = om_heap_default() } };
    om_executor *x[2] = { NULL, NULL };
    om_context *ctx = NULL;
    uint32_t vector[16], alone = 0;
    maker k[2];
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (int i = 0; i < 2; i++) {
        k[i] =
            (maker){ .random = { seed }, .careless = careless, .moves = i == 0 ? TRYING : NEITHER };
        make(&k[i], ctx);
        assert_int_equal(om_executor_open(&x[i], k[i].m, OM_EXEC_VM, NULL, 0), OM_OK);
    }
    *tried = count_tried(&k[0]);
    for (int n = 0; n < ROUNDS; n++) {
        set_at_random(&k[0], vector);
        for (int i = 0; i < 2; i++) {
            out[i].fault = 0;
            assert_int_equal(om_executor_successors(x[i], vector, &out[i]), OM_OK);
        }
        alone += out[0].fault != 0 && out[1].fault == 0;
    }
    for (int i = 0; i < 2; i++) {
        om_successors_free(&out[i]);
        om_executor_close(x[i]);
        om_model_free(k[i].m);
    }
    om_context_free(ctx);
    return alone;
}

static void tried_conditions_do_not_fault_alone(void **state)
{
    uint32_t tried = 0, alone = 0;
    (void) state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        assert_int_equal(faults_alone(seed, 0, &tried), 0);
        assert_int_equal(tried, 2 * 2 * PROCESSES);
    }
    for (uint64_t seed = 0; seed < 5; seed++) {
        alone += faults_alone(seed, 30, &tried);
        assert_true(tried < 2 * 2 * PROCESSES);
    }
    assert_true(alone > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_that_wait_are_those_that_cannot_fault),
        cmocka_unit_test(a_part_that_no_move_tries_may_fault),
        cmocka_unit_test(tried_conditions_do_not_fault_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
