/* SPDX-License-Identifier: Apache-2.0 */
/* Families: members that a computed index selects, in vectors, executors, traces and analyses. */
#include "heap.h"
#include "model.h"
#include "transform/reset.h"

#include <omen/plugin/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MEMBERS = 3, LENGTH = 5, PLACES = MEMBERS * LENGTH };

/* Three arrays and three scalars, a family of each, and the variable that chooses. */
typedef struct fixture {
    om_context *ctx;
    om_model *m;
    uint32_t pick, rows[MEMBERS], ones[MEMBERS], all_rows, all_ones;
} fixture;

static uint32_t add_slot(
    fixture *f, const char *name, om_type type, uint32_t length, const om_value *initial)
{
    uint32_t slot = OM_NONE;
    const om_slot s = {
        .name = name, .type = type, .length = length, .process = OM_NONE, .initial = initial
    };
    assert_int_equal(om_model_add_slot(f->m, &s, &slot), OM_OK);
    return slot;
}

static void start(fixture *f)
{
    static const char *const rows[] = { "a", "b", "c" }, *const ones[] = { "x", "y", "z" };
    static const om_value values[] = { 11, 12, 13, 14, 15, 21, 22, 23, 24, 25, 31, 32, 33, 34, 35 };
    static const om_value zero = 0;
    assert_int_equal(om_context_new(&f->ctx, NULL), OM_OK);
    assert_int_equal(om_model_new(&f->m, f->ctx, "families"), OM_OK);
    for (uint32_t k = 0; k < MEMBERS; k++) {
        f->ones[k] = add_slot(f, ones[k], OM_U8, 0, &values[k]);
        f->rows[k] = add_slot(f, rows[k], OM_U8, LENGTH, values + (size_t) k * LENGTH);
    }
    f->pick = add_slot(f, "pick", OM_U8, 0, &zero);
    assert_int_equal(om_model_join_slots(f->m, "rows", f->rows, MEMBERS, &f->all_rows), OM_OK);
    assert_int_equal(om_model_join_slots(f->m, "ones", f->ones, MEMBERS, &f->all_ones), OM_OK);
}

static void end(fixture *f)
{
    om_model_free(f->m);
    om_context_free(f->ctx);
}

static om_expr pick(const fixture *f)
{
    return om_expr_slot(f->m, f->pick);
}

static void add(fixture *f, om_expr guard, const om_assign *as, uint32_t count)
{
    const om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = guard,
        .assigns = as,
        .assign_count = count,
        .label = "step" };
    assert_int_equal(om_model_add_transition(f->m, &t, NULL), OM_OK);
}

/* Takes rows[pick] out, and stores it in ones[pick / 5]. */
static void add_taking(fixture *f)
{
    const om_expr five = om_expr_const(f->m, LENGTH);
    const om_assign as[] = { { f->all_ones, om_expr_binary(f->m, OM_OP_DIV, pick(f), five),
                                 om_expr_element(f->m, f->all_rows, pick(f)) },
        { f->all_rows, pick(f), 0 } };
    add(f, om_expr_binary(f->m, OM_OP_LT, pick(f), om_expr_const(f->m, PLACES)), as, 2);
}

static om_value read(const fixture *f, uint32_t slot, const uint32_t *vector, uint32_t element)
{
    return om_slot_get(om_model_slot(f->m, slot), vector, element);
}

static void check_taken(const fixture *f, const uint32_t *to, uint32_t picked)
{
    for (uint32_t k = 0; k < MEMBERS; k++) {
        const uint32_t at = picked / LENGTH == k ? picked % LENGTH : LENGTH;
        const om_value first = (om_value) (10 * k) + 11;
        assert_int_equal(
            read(f, f->ones[k], to, 0), at < LENGTH ? first + (om_value) at : (om_value) k + 11);
        for (uint32_t e = 0; e < LENGTH; e++)
            assert_int_equal(read(f, f->rows[k], to, e), e < at           ? first + (om_value) e
                                                         : e + 1 < LENGTH ? first + (om_value) e + 1
                                                                          : 0);
    }
}

static void test_executors(void **state)
{
    static const om_exec_kind kinds[] = { OM_EXEC_VM, OM_EXEC_NATIVE };
    fixture f;
    (void) state;
    start(&f);
    add_taking(&f);
    assert_int_equal(om_model_finish(f.m), OM_OK);
    for (size_t i = 0; i < 2; i++) {
        om_executor *x = NULL;
        om_successors out = { .heap = om_heap_default() };
        assert_int_equal(om_executor_open(&x, f.m, kinds[i], NULL, 0), OM_OK);
        for (uint32_t picked = 0; picked < PLACES; picked++) {
            uint32_t vector[64];
            assert_true(om_model_words(f.m) < 64);
            x->initial(x, vector);
            om_slot_set(om_model_slot(f.m, f.pick), vector, 0, (om_value) picked);
            assert_int_equal(om_executor_successors(x, vector, &out), OM_OK);
            assert_true(out.fault == 0 && out.count == 1);
            check_taken(&f, out.words, picked);
        }
        om_successors_free(&out);
        om_executor_close(x);
    }
    end(&f);
}

/* Members have a name and a place; they take no room beside their family. */
static void test_shown(void **state)
{
    fixture f;
    (void) state;
    start(&f);
    assert_int_equal(om_model_shown_slots(f.m), 2 * MEMBERS + 1);
    assert_int_equal(om_model_slot_count(f.m), 2 * MEMBERS + 3);
    assert_int_equal(om_model_finish(f.m), OM_OK);
    assert_int_equal(om_model_words(f.m), (PLACES + MEMBERS + 1 + 3) / 4);
    const uint32_t *initial = om_model_initial(f.m);
    for (uint32_t k = 0; k < MEMBERS; k++) {
        assert_int_equal(read(&f, f.ones[k], initial, 0), 11 + k);
        for (uint32_t e = 0; e < LENGTH; e++) {
            uint32_t element = k * LENGTH + e;
            assert_int_equal(read(&f, f.rows[k], initial, e), 10 * k + 11 + e);
            assert_int_equal(om_model__shown_slot(f.m, f.all_rows, &element), f.rows[k]);
            assert_int_equal(element, e);
        }
        uint32_t element = k;
        assert_int_equal(om_model__shown_slot(f.m, f.all_ones, &element), f.ones[k]);
        assert_int_equal(element, OM_NONE);
    }
    uint32_t element = 0;
    assert_int_equal(om_model__shown_slot(f.m, f.pick, &element), f.pick);
    end(&f);
}

/* An expression of a member reads the family; an index outside of the member is a fault. */
static void test_members(void **state)
{
    fixture f;
    om_executor *vm = NULL;
    (void) state;
    start(&f);
    const om_expr known = om_expr_element(f.m, f.rows[1], om_expr_const(f.m, 2));
    assert_int_equal(om_model_node(f.m, known)->a, f.all_rows);
    assert_true(om_expr_reads(f.m, om_expr_slot(f.m, f.ones[2]), f.all_ones));
    const om_expr computed = om_expr_element(f.m, f.rows[1], pick(&f));
    const om_expr aps[] = { om_expr_binary(f.m, OM_OP_EQ, known, om_expr_const(f.m, 23)),
        om_expr_binary(f.m, OM_OP_EQ, om_expr_slot(f.m, f.ones[2]), om_expr_const(f.m, 13)),
        om_expr_binary(f.m, OM_OP_EQ, computed,
            om_expr_binary(f.m, OM_OP_ADD, pick(&f), om_expr_const(f.m, 21))) };
    assert_int_equal(om_model_finish(f.m), OM_OK);
    assert_int_equal(om_executor_open(&vm, f.m, OM_EXEC_VM, aps, 3), OM_OK);
    for (uint32_t picked = 0; picked < 8; picked++) {
        uint32_t vector[64];
        om_fault fault = 0;
        vm->initial(vm, vector);
        om_slot_set(om_model_slot(f.m, f.pick), vector, 0, (om_value) picked);
        const uint64_t labels = vm->labels(vm, vector, &fault);
        assert_true((picked < LENGTH) == (fault == 0));
        assert_true(fault != 0 || labels == 7);
    }
    om_executor_close(vm);
    end(&f);
}

/* A transition that names members assigns their families, and no other member. */
static void test_assigned(void **state)
{
    fixture f;
    om_executor *vm = NULL;
    om_successors out = { .heap = om_heap_default() };
    (void) state;
    start(&f);
    const om_assign as[] = { { f.ones[1], 0, om_expr_const(f.m, 7) },
        { f.rows[2], om_expr_const(f.m, 3), om_expr_const(f.m, 8) },
        { f.rows[0], pick(&f), om_expr_const(f.m, 9) } };
    add(&f, 0, as, 3);
    assert_int_equal(om_model_finish(f.m), OM_OK);
    assert_int_equal(om_executor_open(&vm, f.m, OM_EXEC_VM, NULL, 0), OM_OK);
    for (uint32_t picked = 0; picked <= LENGTH; picked++) {
        uint32_t vector[64];
        vm->initial(vm, vector);
        om_slot_set(om_model_slot(f.m, f.pick), vector, 0, (om_value) picked);
        assert_int_equal(om_executor_successors(vm, vector, &out), OM_OK);
        assert_true((out.fault != 0) == (picked == LENGTH));
        for (uint32_t k = 0; k < MEMBERS && picked < LENGTH; k++) {
            assert_int_equal(read(&f, f.ones[k], out.words, 0), k == 1 ? 7 : 11 + k);
            for (uint32_t e = 0; e < LENGTH; e++)
                assert_int_equal(read(&f, f.rows[k], out.words, e), k == 2 && e == 3 ? 8
                                                                    : k == 0 && e == picked
                                                                        ? 9
                                                                        : 10 * k + 11 + e);
        }
    }
    om_successors_free(&out);
    om_executor_close(vm);
    end(&f);
}

/* An expression reads a member if it may read an element of it. */
static void test_reads(void **state)
{
    fixture f;
    (void) state;
    start(&f);
    const om_expr known = om_expr_element(f.m, f.rows[1], om_expr_const(f.m, 2));
    assert_true(om_expr_reads(f.m, known, f.rows[1]) && om_expr_reads(f.m, known, f.all_rows));
    assert_false(om_expr_reads(f.m, known, f.rows[0]) || om_expr_reads(f.m, known, f.rows[2]));
    const om_expr any = om_expr_element(f.m, f.all_rows, pick(&f));
    for (uint32_t k = 0; k < MEMBERS; k++)
        assert_true(om_expr_reads(f.m, any, f.rows[k]) && !om_expr_reads(f.m, any, f.ones[k]));
    end(&f);
}

/* The members keep the bits of the family, which need room for the values of all of them. */
static void test_narrow(void **state)
{
    fixture f;
    (void) state;
    start(&f);
    add_taking(&f);
    assert_int_equal(om_model_narrow(f.m), OM_OK);
    assert_int_equal(om_model_finish(f.m), OM_OK);
    assert_int_equal(om_model_slot(f.m, f.all_rows)->bits, 8); /* up to 35, of a power of two */
    assert_int_equal(om_model_slot(f.m, f.rows[0])->bits, 8);
    assert_int_equal(read(&f, f.rows[2], om_model_initial(f.m), 4), 35);
    end(&f);
}

/* A family that nothing reads is reset, and so are its members. */
static void test_unread(void **state)
{
    fixture f;
    (void) state;
    start(&f);
    const om_expr one = om_expr_const(f.m, 1);
    const om_assign as[] = { { f.all_ones, om_expr_const(f.m, 1), pick(&f) } };
    add(&f, om_expr_binary(f.m, OM_OP_LE, pick(&f), one), as, 1);
    assert_int_equal(om_model_finish(f.m), OM_OK);
    assert_int_equal(om_model__reset_dead(f.m, NULL, 0, NULL), OM_OK);
    assert_true(om_model__is_unread(f.m, f.all_ones) && om_model__is_unread(f.m, f.ones[1]));
    assert_false(om_model__is_unread(f.m, f.pick));
    end(&f);
}

static void test_refusals(void **state)
{
    fixture f;
    uint32_t out = OM_NONE;
    const om_value zero = 0;
    (void) state;
    start(&f);
    const om_slot late = { .name = "late", .type = OM_U8, .process = OM_NONE, .initial = &zero };
    assert_int_equal(om_model_add_slot(f.m, &late, &out), OM_EINVAL);
    assert_int_equal(om_model_join_slots(f.m, "again", f.rows, 2, &out), OM_EINVAL);
    assert_int_equal(om_model_join_slots(f.m, "none", &f.pick, 0, &out), OM_EINVAL);
    (void) pick(&f);
    assert_int_equal(om_model_join_slots(f.m, "read", &f.pick, 1, &out), OM_EINVAL);
    assert_int_equal(om_model_join_slots(f.m, "family", &f.all_rows, 1, &out), OM_EINVAL);
    const om_expr one = om_expr_const(f.m, 1);
    const om_assign no_array[] = { { f.ones[0], one, one } };
    const om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .assigns = no_array,
        .assign_count = 1,
        .label = "step" };
    assert_int_equal(om_model_add_transition(f.m, &t, NULL), OM_EINVAL);
    add(&f, 0, NULL, 0);
    assert_int_equal(om_model_join_slots(f.m, "later", &f.pick, 1, &out), OM_EINVAL);
    assert_int_equal(om_model_finish(f.m), OM_OK);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executors),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_assigned),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
