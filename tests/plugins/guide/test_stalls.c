/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what the guide "distance" estimates of deadlocks, on small models with known values. */
#include "heap.h"
#include "stalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

extern const om_guide omen_plugin;

static const om_value zeros[2] = { 0, 0 };

typedef struct fixture {
    om_context *ctx;
    om_model *m;
    uint32_t vector[8];
} fixture;

static void begin(fixture *f)
{
    *f = (fixture){ 0 };
    assert_int_equal(om_context_new(&f->ctx, NULL), OM_OK);
    assert_int_equal(om_model_new(&f->m, f->ctx, "small"), OM_OK);
}

static void end(fixture *f)
{
    om_model_free(f->m);
    om_context_free(f->ctx);
}

static void finish(fixture *f)
{
    assert_int_equal(om_model_finish(f->m), OM_OK);
    assert_true(om_model_words(f->m) <= 8);
    memcpy(f->vector, om_model_initial(f->m), om_model_words(f->m) * sizeof(uint32_t));
}

/* ---- parts of a model ---- */

static uint32_t counter(fixture *f, const char *name, om_value initial)
{
    const om_slot s = { .name = name, .type = OM_U8, .process = OM_NONE, .initial = &initial };
    uint32_t slot = OM_NONE;
    assert_int_equal(om_model_add_slot(f->m, &s, &slot), OM_OK);
    return slot;
}

/* Adds a process of two locations; returns the slot of its location. */
static uint32_t process(fixture *f, const char *name, uint32_t *number)
{
    uint32_t slot = OM_NONE;
    assert_int_equal(om_model_add_process(f->m, name, number), OM_OK);
    const om_slot s = {
        .name = name, .type = OM_ENUM, .process = *number, .initial = zeros, .enumerators = 2
    };
    assert_int_equal(om_model_add_slot(f->m, &s, &slot), OM_OK);
    assert_int_equal(om_model_set_location(f->m, *number, slot), OM_OK);
    return slot;
}

static om_expr is(fixture *f, om_op op, uint32_t slot, om_value value)
{
    return om_expr_binary(f->m, op, om_expr_slot(f->m, slot), om_expr_const(f->m, value));
}

static om_expr both(fixture *f, om_expr a, om_expr b)
{
    return om_expr_binary(f->m, OM_OP_AND, a, b);
}

static om_assign set(fixture *f, uint32_t slot, om_value value)
{
    return (om_assign){ .slot = slot, .value = om_expr_const(f->m, value) };
}

static om_assign add(fixture *f, uint32_t slot, om_value more)
{
    return (om_assign){ .slot = slot,
        .value =
            om_expr_binary(f->m, OM_OP_ADD, om_expr_slot(f->m, slot), om_expr_const(f->m, more)) };
}

static void step(fixture *f, uint32_t mover, uint32_t partner, om_expr guard,
    const om_assign *assigns, uint32_t count)
{
    const om_transition t = { .process = mover,
        .partner = partner,
        .guard = guard,
        .assigns = assigns,
        .assign_count = count,
        .label = "step",
        .place = { "small", 1, 1 } };
    assert_int_equal(om_model_add_transition(f->m, &t, NULL), OM_OK);
}

static void put(fixture *f, uint32_t slot, om_value value)
{
    om_slot_set(om_model_slot(f->m, slot), f->vector, 0, value);
}

/* ---- estimates ---- */

static int create(const fixture *f, const om_heap *heap, om_expr visible, om_guide_run **run)
{
    const om_guide_spec spec = { .size = sizeof spec,
        .ctx = f->ctx,
        .heap = heap,
        .model = f->m,
        .deadlock_ap = OM_NONE,
        .deadlocks = true,
        .visible = visible };
    *run = calloc(1, omen_plugin.run_size);
    assert_non_null(*run);
    return omen_plugin.create(*run, &spec, NULL);
}

static void drop(om_guide_run *run)
{
    omen_plugin.destroy(run);
    free(run);
}

/* Returns the estimate of the fixture's state. */
static uint64_t measured(const fixture *f, om_expr visible)
{
    om_guide_run *run = NULL;
    uint64_t out = UINT64_MAX;
    const om_guided one = { .rows = f->vector, .count = 1 };
    assert_int_equal(create(f, om_heap_default(), visible, &run), OM_OK);
    omen_plugin.measure(run, &one, &out);
    drop(run);
    return out;
}

/* ---- users that share a pool: each asks, gets one, and gives two back ---- */

enum { USERS = 2, ASKS = 0, GETS = 1 };

typedef struct users {
    uint32_t pool, at[USERS], held[USERS];
} users;

static void add_user(fixture *f, users *u, unsigned i)
{
    static const char *const names[][2] = { { "P", "p" }, { "Q", "q" } };
    uint32_t number = OM_NONE;
    const uint32_t at = u->at[i] = process(f, names[i][0], &number);
    const uint32_t held = u->held[i] = counter(f, names[i][1], 0);
    const om_expr asks = is(f, OM_OP_EQ, at, ASKS), gets = is(f, OM_OP_EQ, at, GETS);
    const om_assign ask[] = { set(f, at, GETS) };
    const om_assign get[] = { add(f, u->pool, -1), add(f, held, 1), set(f, at, ASKS) };
    const om_assign give[] = { add(f, u->pool, 2), set(f, held, 0) };
    step(f, number, OM_NONE, both(f, asks, is(f, OM_OP_LT, held, 2)), ask, 1);
    step(f, number, OM_NONE, both(f, gets, is(f, OM_OP_GT, u->pool, 0)), get, 3);
    step(f, number, OM_NONE, both(f, asks, is(f, OM_OP_EQ, held, 2)), give, 2);
}

static void begin_users(fixture *f, users *u)
{
    begin(f);
    u->pool = counter(f, "pool", 2);
    for (unsigned i = 0; i < USERS; i++)
        add_user(f, u, i);
    finish(f);
}

static void put_users(fixture *f, const users *u, const om_value values[5])
{
    put(f, u->pool, values[0]);
    for (unsigned i = 0; i < USERS; i++) {
        put(f, u->at[i], values[1 + 2 * i]);
        put(f, u->held[i], values[2 + 2 * i]);
    }
}

/* Each step of a run to the deadlock comes nearer by one. */
static void a_run_to_a_deadlock(void **state)
{
    static const om_value run[][5] = { { 2, ASKS, 0, ASKS, 0 }, { 2, GETS, 0, ASKS, 0 },
        { 2, GETS, 0, GETS, 0 }, { 1, ASKS, 1, GETS, 0 }, { 1, GETS, 1, GETS, 0 },
        { 0, GETS, 1, ASKS, 1 }, { 0, GETS, 1, GETS, 1 } };
    const size_t steps = sizeof run / sizeof *run;
    fixture f;
    users u;
    (void) state;
    begin_users(&f, &u);
    for (size_t i = 0; i < steps; i++) {
        put_users(&f, &u, run[i]);
        assert_int_equal(measured(&f, 0), steps - 1 - i);
    }
    end(&f);
}

/* A user that has to give back is not near the place at which it would wait: it lacks one, for each
 * of the processes, and a step. */
static void the_other_case(void **state)
{
    static const om_value gives[5] = { 0, ASKS, 2, GETS, 0 };
    fixture f;
    users u;
    (void) state;
    begin_users(&f, &u);
    put_users(&f, &u, gives);
    assert_int_equal(measured(&f, 0), 1 + USERS);
    end(&f);
}

/* ---- other models ---- */

/* Without processes, all transitions count; each lacks what the nearest of its places lacks. */
static void a_net(void **state)
{
    fixture f;
    (void) state;
    begin(&f);
    const uint32_t a = counter(&f, "a", 5), b = counter(&f, "b", 4);
    const om_assign take[] = { add(&f, a, -2) }, takes[] = { add(&f, a, -1), add(&f, b, -3) };
    step(&f, OM_NONE, OM_NONE, is(&f, OM_OP_GE, a, 2), take, 1);
    step(&f, OM_NONE, OM_NONE, both(&f, is(&f, OM_OP_GE, a, 1), is(&f, OM_OP_GE, b, 3)), takes, 2);
    finish(&f);
    assert_int_equal(measured(&f, 0), 4 + 2);
    put(&f, a, 0);
    assert_int_equal(measured(&f, 0), 0);
    end(&f);
}

/* A step of two processes counts for both of them. */
static void a_pair(void **state)
{
    fixture f;
    uint32_t one = OM_NONE, other = OM_NONE;
    (void) state;
    begin(&f);
    const uint32_t p = process(&f, "P", &one), q = process(&f, "Q", &other);
    const uint32_t x = counter(&f, "x", 7);
    const om_assign move[] = { set(&f, p, 1), set(&f, q, 1) };
    step(&f, one, other, both(&f, is(&f, OM_OP_EQ, p, 0), is(&f, OM_OP_EQ, q, 0)), move, 2);
    step(&f, one, OM_NONE, both(&f, is(&f, OM_OP_EQ, p, 1), is(&f, OM_OP_NE, x, 3)), NULL, 0);
    finish(&f);
    /* P leaves its second location unless x is 3, but Q may go: 1 each. */
    assert_int_equal(measured(&f, 0), 2);
    put(&f, q, 1);
    assert_int_equal(measured(&f, 0), 0);
    put(&f, p, 1);
    assert_int_equal(measured(&f, 0), 4);
    end(&f);
}

/* What keeps a process from moving for a while only does not count, nor do processes that can
 * always move come near. */
static void what_does_not_count(void **state)
{
    fixture f;
    uint32_t one = OM_NONE;
    (void) state;
    begin(&f);
    const uint32_t p = process(&f, "P", &one), x = counter(&f, "x", 6), held = counter(&f, "h", 0);
    const om_expr nobody = is(&f, OM_OP_EQ, held, 0), here = is(&f, OM_OP_EQ, p, 0);
    const om_assign less[] = { add(&f, x, -1) };
    step(&f, one, OM_NONE, both(&f, nobody, both(&f, here, is(&f, OM_OP_GT, x, 0))), less, 1);
    step(&f, one, OM_NONE, is(&f, OM_OP_EQ, p, 1), NULL, 0);
    finish(&f);
    assert_int_equal(measured(&f, 0), 1);
    assert_int_equal(measured(&f, nobody), 6);
    put(&f, p, 1);
    assert_int_equal(measured(&f, nobody), STALLS_OPEN);
    end(&f);
}

static void lack_of_memory(void **state)
{
    fixture f;
    users u;
    int rc = OM_ENOMEM;
    (void) state;
    begin_users(&f, &u);
    for (size_t n = 0; rc != OM_OK; n++) {
        test_heap heap;
        om_guide_run *run = NULL;
        test_heap_init(&heap, n);
        rc = create(&f, &heap.heap, 0, &run);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        drop(run);
        assert_int_equal(heap.live, 0);
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_to_a_deadlock),
        cmocka_unit_test(the_other_case),
        cmocka_unit_test(a_net),
        cmocka_unit_test(a_pair),
        cmocka_unit_test(what_does_not_count),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
