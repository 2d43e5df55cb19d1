/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: accepted and rejected input, layout, and behaviour when memory runs out. */
#include "heap.h"
#include "model.h"

#include <omen/host/load.h>
#include <omen/plugin/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const int32_t zeros[4096];

static om_context *context(void)
{
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    return ctx;
}

static uint32_t slot(om_model *m, const char *name, om_type type, uint32_t length, uint32_t process)
{
    om_slot s = { .name = name,
        .type = type,
        .length = length,
        .process = process,
        .initial = zeros,
        .enumerators = 5 };
    uint32_t i = OM_NONE;
    assert_int_equal(om_model_add_slot(m, &s, &i), OM_OK);
    return i;
}

/* Every element is within one word; none overlaps another or exceeds the end. */
static void check_layout(const om_model *m)
{
    static uint32_t seen[1 << 14];
    memset(seen, 0, sizeof seen);
    assert_true(om_model_words(m) >= 1 && om_model_words(m) < 1 << 14);
    for (uint32_t i = 0; i < om_model_slot_count(m); i++) {
        const om_slot *s = om_model_slot(m, i);
        for (uint32_t e = 0; e < (s->length == 0 ? 1 : s->length); e++) {
            uint32_t at = s->position + e * s->bits, word = at / 32;
            assert_true(at % 32 + s->bits <= 32);
            assert_true(word < om_model_words(m));
            uint32_t mask = (UINT32_MAX >> (32 - s->bits)) << (at % 32);
            assert_int_equal(seen[word] & mask, 0);
            seen[word] |= mask;
        }
    }
}

static void test_layout(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    assert_int_equal(om_model_add_process(m, "P", NULL), OM_OK);
    uint32_t b = slot(m, "b", OM_BOOL, 0, OM_NONE);
    uint32_t e = slot(m, "P", OM_ENUM, 0, 0);
    uint32_t a = slot(m, "a", OM_U8, 3, OM_NONE);
    uint32_t n = slot(m, "n", OM_ENUM, 9, 0);
    uint32_t w = slot(m, "w", OM_I32, 0, OM_NONE);
    uint32_t v = slot(m, "v", OM_I16, 2, OM_NONE);
    assert_int_equal(om_model_finish(m), OM_OK);
    check_layout(m);
    assert_int_equal(om_model_slot(m, b)->bits, 1);
    assert_int_equal(om_model_slot(m, e)->bits, 3);
    assert_int_equal(om_model_slot(m, a)->bits, 8);
    assert_int_equal(om_model_slot(m, n)->bits, 4);
    assert_int_equal(om_model_slot(m, w)->bits, 32);
    assert_int_equal(om_model_slot(m, v)->bits, 16);
    /* 32 + 32 + 24 + 1 + 36 + 3 bits = 128, and the 36 need words of their own. */
    assert_int_equal(om_model_words(m), 5);
    assert_int_equal(om_model_find_slot(m, "n"), n);
    assert_int_equal(om_model_find_slot(m, "none"), OM_NONE);
    om_model_free(m);
    om_context_free(ctx);
}

static void test_layout_random(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_random r = { 7 };
    for (int round = 0; round < 300; round++) {
        om_model *m = NULL;
        assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
        for (int i = 0; i < 4; i++)
            assert_int_equal(om_model_add_process(m, "P", NULL), OM_OK);
        uint32_t slots = (uint32_t) om_random_below(&r, 40), bits = 0;
        for (uint32_t i = 0; i < slots; i++) {
            char name[16];
            (void) snprintf(name, sizeof name, "s%u", i);
            uint32_t length =
                (uint32_t) om_random_below(&r, 3) == 0 ? (uint32_t) om_random_below(&r, 50) : 0;
            uint32_t owner = (uint32_t) om_random_below(&r, 5);
            uint32_t s = slot(
                m, name, (om_type) om_random_below(&r, 7), length, owner == 4 ? OM_NONE : owner);
            bits += om_model_slot(m, s)->bits * (length == 0 ? 1 : length);
        }
        assert_int_equal(om_model_finish(m), OM_OK);
        check_layout(m);
        /* At most one word is lost per array, plus a small rest. */
        assert_true(om_model_words(m) <= bits / 32 + slots + 1);
        om_model_free(m);
    }
    om_context_free(ctx);
}

/* Many small slots of many processes leave almost no bits unused. */
static void test_layout_dense(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_model *m = NULL;
    char name[16];
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    for (uint32_t p = 0; p < 20; p++) {
        assert_int_equal(om_model_add_process(m, "P", NULL), OM_OK);
        (void) snprintf(name, sizeof name, "l%u", p);
        (void) slot(m, name, OM_ENUM, 0, p);
        (void) snprintf(name, sizeof name, "v%u", p);
        (void) slot(m, name, OM_U8, 0, p);
    }
    assert_int_equal(om_model_finish(m), OM_OK);
    check_layout(m);
    assert_true(om_model_words(m) <= 7 + 1); /* 220 bits */
    om_model_free(m);
    om_context_free(ctx);
}

static void test_get_set(void **state)
{
    (void) state;
    static const int32_t values[] = { 0, 1, -1, 127, 128, 255, 256, -128, -129, 32767, 32768,
        -32768, 65535, 65536, INT32_MAX, INT32_MIN };
    for (int type = OM_BOOL; type <= OM_ENUM; type++) {
        om_slot s = { .type = (om_type) type, .position = 64, .bits = 32 };
        bool narrow = type != OM_I32;
        s.bits = type == OM_BOOL ? 1 : type == OM_ENUM ? 3 : 8;
        s.bits = type == OM_U16 || type == OM_I16 ? 16 : narrow ? s.bits : 32;
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            uint32_t vector[4] = { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
            int32_t v = values[i];
            om_slot_set(&s, vector, 0, v);
            int32_t want = type == OM_BOOL  ? v & 1
                           : type == OM_U8  ? (uint8_t) v
                           : type == OM_I8  ? (int8_t) v
                           : type == OM_U16 ? (uint16_t) v
                           : type == OM_I16 ? (int16_t) v
                           : type == OM_I32 ? v
                                            : v & 7;
            assert_int_equal(om_slot_get(&s, vector, 0), want);
            assert_int_equal(vector[0] & vector[1] & vector[3], UINT32_MAX);
        }
    }
}

/* The value that a type keeps equals the value read from its slot after storing it. */
static void test_stored(void **state)
{
    (void) state;
    static const struct {
        om_type type;
        om_value low, high;
    } types[] = { { OM_U8, 0, 255 }, { OM_I8, -128, 127 }, { OM_U16, 0, 65535 },
        { OM_I16, -32768, 32767 }, { OM_I32, INT32_MIN, INT32_MAX } };
    om_random chance = { 7 };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        om_value low = types[i].low, high = types[i].high;
        om_context *ctx = context();
        om_model *m = NULL;
        assert_int_equal(om_model_new(&m, ctx, "t"), OM_OK);
        (void) slot(m, "s", types[i].type, 0, OM_NONE);
        assert_int_equal(om_model_finish(m), OM_OK);
        const om_slot *s = om_model_slot(m, 0);
        assert_true(s->low == low && s->high == high);
        const om_value some[] = { low, high, 0, 1, -1, 127, 128, 255, 256, -129, OM_VALUE_MIN,
            OM_VALUE_MAX, (om_value) om_random_next(&chance) };
        for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
            uint32_t vector[1] = { 0 };
            om_slot_set(s, vector, 0, some[k]);
            om_value kept = om_value_stored(low, high, some[k]);
            assert_true(kept == om_slot_get(s, vector, 0));
            assert_true(kept >= low && kept <= high);
            assert_true((kept == some[k]) == (some[k] >= low && some[k] <= high));
        }
        om_model_free(m);
        om_context_free(ctx);
    }
}

static void test_reads(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "t"), OM_OK);
    uint32_t a = slot(m, "a", OM_U8, 4, OM_NONE), x = slot(m, "x", OM_U8, 0, OM_NONE);
    uint32_t y = slot(m, "y", OM_U8, 0, OM_NONE);
    om_expr element = om_expr_element(m, a, om_expr_slot(m, x));
    om_expr e =
        om_expr_unary(m, OM_OP_NEG, om_expr_binary(m, OM_OP_ADD, om_expr_const(m, 3), element));
    assert_true(om_expr_reads(m, e, a));
    assert_true(om_expr_reads(m, e, x)); /* as an index */
    assert_false(om_expr_reads(m, e, y));
    assert_false(om_expr_reads(m, 0, x));
    assert_false(om_expr_reads(m, om_expr_const(m, 3), x));
    om_model_free(m);
    om_context_free(ctx);
}

static void test_folding(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    uint32_t x = slot(m, "x", OM_U8, 0, OM_NONE), a = slot(m, "a", OM_U8, 4, OM_NONE);
    om_expr ex = om_expr_slot(m, x), one = om_expr_const(m, 1), zero = om_expr_const(m, 0);
    assert_int_equal(om_expr_slot(m, x), ex);
    om_expr sum = om_expr_binary(m, OM_OP_ADD, one, one);
    assert_int_equal(om_model_node(m, sum)->op, OM_OP_CONST);
    assert_int_equal(om_model_node(m, sum)->value, 2);
    assert_null(om_model_node(m, OM_NONE));
    assert_int_equal(om_expr_binary(m, OM_OP_ADD, ex, zero), ex);
    /* The constant goes to the right of a comparison. */
    assert_int_equal(om_expr_binary(m, OM_OP_LT, one, ex), om_expr_binary(m, OM_OP_GT, ex, one));
    /* A boolean is its own truth value; a location is compared, even if there are two of them. */
    om_slot two = { .name = "two", .type = OM_ENUM, .initial = zeros, .enumerators = 2 };
    uint32_t location = OM_NONE;
    om_expr flag = om_expr_slot(m, slot(m, "b", OM_BOOL, 0, OM_NONE));
    assert_int_equal(om_expr_binary(m, OM_OP_EQ, flag, one), flag);
    assert_int_equal(om_model_add_slot(m, &two, &location), OM_OK);
    om_expr at = om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, location), one);
    assert_int_equal(om_model_node(m, at)->op, OM_OP_EQ);
    /* A possible fault stays. */
    om_expr div = om_expr_binary(m, OM_OP_DIV, one, zero);
    assert_int_equal(om_model_node(m, div)->op, OM_OP_DIV);
    om_expr both = om_expr_binary(m, OM_OP_AND, div, zero);
    assert_int_equal(om_model_node(m, both)->op, OM_OP_AND);
    om_expr out = om_expr_element(m, a, om_expr_const(m, 4));
    both = om_expr_binary(m, OM_OP_OR, out, one);
    assert_int_equal(om_model_node(m, both)->op, OM_OP_OR);
    /* An operand that is not evaluated cannot fault. */
    assert_int_equal(om_expr_binary(m, OM_OP_AND, zero, div), zero);
    assert_int_equal(om_expr_binary(m, OM_OP_OR, one, div), one);
    assert_int_equal(om_expr_binary(m, OM_OP_IMPLY, zero, div), one);
    /* Nor can an element with a valid index. */
    om_expr in = om_expr_element(m, a, om_expr_const(m, 3));
    assert_int_equal(om_expr_binary(m, OM_OP_AND, in, zero), zero);
    assert_int_equal(om_model_expr_check(m, NULL), OM_OK);
    om_model_free(m);
    om_context_free(ctx);
}

typedef void breaker(om_model *m, uint32_t scalar, uint32_t array);

static void break_array(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar;
    assert_int_equal(om_expr_slot(m, array), 0);
}

static void break_element(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    assert_int_equal(om_expr_element(m, scalar, om_expr_const(m, 0)), 0);
}

static void break_slot(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar, (void) array;
    assert_int_equal(om_expr_slot(m, 99), 0);
}

static void break_operand(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    assert_int_equal(om_expr_binary(m, OM_OP_ADD, om_expr_slot(m, scalar), 0), 0);
    assert_int_equal(om_expr_unary(m, OM_OP_NEG, 12345), 0);
}

static void break_operator(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    om_expr e = om_expr_slot(m, scalar);
    assert_int_equal(om_expr_unary(m, OM_OP_ADD, e), 0);
    assert_int_equal(om_expr_binary(m, OM_OP_NOT, e, e), 0);
    assert_int_equal(om_expr_binary(m, OM_OP_COUNT, e, e), 0);
}

static void break_height(om_model *m, uint32_t scalar, uint32_t array)
{
    om_expr e = om_expr_slot(m, scalar);
    for (int i = 0; i < 5000; i++)
        e = om_expr_element(m, array, e);
    assert_int_equal(e, 0);
}

static void break_size(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    om_expr e = om_expr_slot(m, scalar);
    for (int i = 0; i < 40; i++)
        e = om_expr_binary(m, OM_OP_ADD, e, e);
    assert_int_equal(e, 0);
}

static void break_initial(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar, (void) array;
    om_slot s = { .name = "z", .type = OM_I8, .process = OM_NONE, .initial = &(int32_t){ 128 } };
    assert_int_equal(om_model_add_slot(m, &s, NULL), OM_OK);
}

static void break_enum(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar, (void) array;
    om_slot s = { .name = "z",
        .type = OM_ENUM,
        .enumerators = 5,
        .process = OM_NONE,
        .initial = &(int32_t){ 5 } };
    assert_int_equal(om_model_add_slot(m, &s, NULL), OM_OK);
}

static void break_name(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar, (void) array;
    (void) slot(m, "x", OM_BOOL, 0, OM_NONE);
}

static void break_owner(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar, (void) array;
    (void) slot(m, "z", OM_BOOL, 0, 3);
}

static void break_location(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    uint32_t p;
    assert_int_equal(om_model_add_process(m, "P", &p), OM_OK);
    assert_int_equal(om_model_set_location(m, p, scalar), OM_OK);
}

static void add(om_model *m, uint32_t process, om_expr guard, om_assign a)
{
    om_transition t = {
        .process = process, .partner = OM_NONE, .guard = guard, .assigns = &a, .assign_count = 1
    };
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
}

static void break_process(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    add(m, 7, 0, (om_assign){ scalar, 0, om_expr_const(m, 0) });
}

static void break_guard(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    add(m, OM_NONE, 777, (om_assign){ scalar, 0, om_expr_const(m, 0) });
}

static void break_assign_index(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar;
    add(m, OM_NONE, 0, (om_assign){ array, 0, om_expr_const(m, 0) });
}

static void break_assign_scalar(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    om_expr zero = om_expr_const(m, 0);
    add(m, OM_NONE, 0, (om_assign){ scalar, zero, zero });
}

static void break_assign_value(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) array;
    add(m, OM_NONE, 0, (om_assign){ scalar, 0, 0 });
}

static void break_assertion(om_model *m, uint32_t scalar, uint32_t array)
{
    (void) scalar, (void) array;
    assert_int_equal(om_model_add_assertion(m, &(om_assertion){ .text = "?" }), OM_OK);
}

static void test_refusals(void **state)
{
    (void) state;
    static breaker *const all[] = { break_array, break_element, break_slot, break_operand,
        break_operator, break_height, break_size, break_initial, break_enum, break_name,
        break_owner, break_location, break_process, break_guard, break_assign_index,
        break_assign_scalar, break_assign_value, break_assertion };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        om_context *ctx = context();
        om_model *m = NULL;
        assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
        uint32_t x = slot(m, "x", OM_U8, 0, OM_NONE), a = slot(m, "a", OM_U8, 4, OM_NONE);
        all[i](m, x, a);
        int rc = om_model_finish(m);
        assert_true(rc == OM_EINVAL || rc == OM_EINPUT);
        assert_true(om_context_error(ctx)[0] != '\0');
        om_executor *vm = NULL;
        assert_int_not_equal(om_executor_open(&vm, m, OM_EXEC_VM, NULL, 0), OM_OK);
        om_model_free(m);
        om_context_free(ctx);
    }
}

static void test_too_large(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    om_slot s = { .name = "x", .type = OM_I32, .process = OM_NONE, .length = UINT32_MAX / 2 };
    s.initial = zeros;
    assert_int_equal(om_model_add_slot(m, &s, NULL), OM_EINPUT);
    om_model_free(m);
    om_context_free(ctx);
}

static void drop(void *data)
{
    ++*(int *) data;
}

static void test_private(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_model *m = NULL;
    int dropped = 0;
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    om_model_set_private(m, &dropped, drop);
    assert_ptr_equal(om_model_private(m), &dropped);
    om_model_free(m);
    assert_int_equal(dropped, 1);
    om_context_free(ctx);
}

/* ---- messages of faults ---- */

static void test_faults(void **state)
{
    (void) state;
    static const struct {
        om_fault fault;
        int status;
        const char *message;
    } cases[] = {
        { OM_FAULT(OM_FAULT_INDEX, 0), OM_EMODEL,
            "m.dve:3:5: index outside an array in transition P: a -> b" },
        { OM_FAULT(OM_FAULT_DIVISION, 0), OM_EMODEL,
            "m.dve:3:5: division by zero in transition P: a -> b" },
        { OM_FAULT(OM_FAULT_ASSERTION, 0), OM_EMODEL, "m.dve:9: assertion fails: x == 0" },
        { OM_FAULT(OM_FAULT_IN_ASSERTION, 0), OM_EMODEL,
            "m.dve:9: division by zero or index outside an array in assertion: x == 0" },
        { OM_FAULT(OM_FAULT_IN_LABEL, 3), OM_EMODEL,
            "division by zero or index outside an array in atomic proposition 3" },
        { OM_FAULT(OM_FAULT_OVERFLOW, 0), OM_EMODEL,
            "m.dve:4:7: a value does not fit y (0 .. 255) in transition P: a -> b" },
        { OM_FAULT(OM_FAULT_OVERFLOW, 1), OM_EINTERNAL, "the model has no fault number 14" },
        { OM_FAULT(OM_FAULT_INDEX, 1), OM_EINTERNAL, "the model has no fault number 9" },
        { OM_FAULT(OM_FAULT_ASSERTION, 1), OM_EINTERNAL, "the model has no fault number 11" },
        { 7, OM_EINTERNAL, "the model has no fault number 7" },
    };
    om_context *ctx = context();
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    om_slot y = { .name = "y", .type = OM_U8, .length = 0, .process = OM_NONE, .initial = zeros };
    uint32_t slot = 0;
    assert_int_equal(om_model_add_slot(m, &y, &slot), OM_OK);
    const om_assign as = { slot, 0, om_expr_const(m, 300) };
    const om_written written = { 4, 7 };
    om_transition t = { .process = OM_NONE, .partner = OM_NONE, .label = "P: a -> b" };
    t.place = (om_place){ "m.dve", 3, 5 };
    t.assigns = &as;
    t.assign_count = 1;
    t.written = &written;
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
    om_assertion a = { om_expr_const(m, 1), "x == 0", { "m.dve", 9, 0 } };
    assert_int_equal(om_model_add_assertion(m, &a), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_context_clear(ctx);
        assert_int_equal(om_model_fault(m, cases[i].fault), cases[i].status);
        assert_string_equal(om_context_error(ctx), cases[i].message);
    }
    /* With the state, the message has the value. */
    om_context_clear(ctx);
    assert_int_equal(
        om_model_fault_in(m, OM_FAULT(OM_FAULT_OVERFLOW, 0), om_model_initial(m)), OM_EMODEL);
    assert_string_equal(
        om_context_error(ctx), "m.dve:4:7: 300 does not fit y (0 .. 255) in transition P: a -> b");
    om_context_clear(ctx);
    assert_int_equal(
        om_model_fault_in(m, OM_FAULT(OM_FAULT_INDEX, 0), om_model_initial(m)), OM_EMODEL);
    assert_string_equal(om_context_error(ctx), cases[0].message);
    om_model_free(m);
    om_context_free(ctx);
}

/* ---- overflows ---- */

static void test_initial_overflows(void **state)
{
    (void) state;
    om_context *ctx = context();
    om_model *m = NULL;
    char name[8] = "P.x";
    om_overflow told = { .place = { "m.dve", 2, 9 },
        .variable = name,
        .element = 3,
        .value = -1,
        .stored = 255,
        .high = 255 };
    om_overflow first = { .value = 77 };
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    assert_int_equal(om_model_initial_overflows(m, &first), 0);
    assert_int_equal(first.value, 77);
    assert_int_equal(om_model_add_overflow(m, &told), OM_OK);
    name[2] = 'y'; /* the name was copied */
    told.value = 300;
    assert_int_equal(om_model_add_overflow(m, &told), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    assert_int_equal(om_model_add_overflow(m, &told), OM_EINVAL);
    om_context_clear(ctx);
    assert_int_equal(om_model_initial_overflows(m, &first), 2);
    assert_int_equal(om_model_initial_overflows(m, NULL), 2);
    assert_string_equal(first.variable, "P.x");
    assert_int_equal(first.value, -1);
    assert_int_equal(first.transition, OM_NONE);
    assert_int_equal(om_model__form_of(m).overflow, OM_OVERFLOW_WRAP);
    assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_ERROR), OM_EMODEL);
    assert_string_equal(
        om_context_error(ctx), "m.dve:2:9: the initial value -1 does not fit P.x[3] (0 .. 255)");
    assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_WRAP), OM_OK);
    assert_int_equal(om_model_find_overflow(m, om_model_initial(m), &first), OM_EINVAL);
    om_model_free(m);
    om_context_free(ctx);
}

/* Names of values, for slots of any type, some values without a name; narrowing keeps them. */
static void test_names(void **state)
{
    (void) state;
    static const char *const names[] = { NULL, "one", NULL, "three" }, *const others[] = { "a" };
    om_context *ctx = context();
    om_model *m = NULL;
    uint32_t slots[4];
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const char *copied[] = { names[0], names[1], names[2], names[3] };
        om_slot s = { .name = (const char *[]){ "u", "v", "w", "x" }[i],
            .type = i == 1 ? OM_I16 : OM_U8,
            .length = i == 2 ? 3 : 0,
            .process = OM_NONE,
            .initial = zeros,
            .enumerators = i == 3 ? 1 : 4,
            .enumerator_names = i == 3 ? others : copied };
        assert_int_equal(om_model_add_slot(m, &s, &slots[i]), OM_OK);
    }
    assert_int_equal(om_model_narrow(m), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    for (uint32_t i = 0; i < 3; i++) {
        const om_slot *s = om_model_slot(m, slots[i]);
        assert_string_equal(om_slot__name_of(s, 1), "one");
        assert_string_equal(om_slot__name_of(s, 3), "three");
        for (om_value v = -2; v < 6; v++)
            if (v != 1 && v != 3)
                assert_null(om_slot__name_of(s, v));
        assert_ptr_equal(s->enumerator_names, om_model_slot(m, slots[0])->enumerator_names);
    }
    assert_string_equal(om_slot__name_of(om_model_slot(m, slots[3]), 0), "a");
    om_model_free(m);
    om_context_free(ctx);
}

/* ---- memory runs out ---- */

/* Builds a model with one of everything, and takes a step with the vm. */
static int whole_life(om_context *ctx)
{
    om_model *m = NULL;
    om_executor *vm = NULL;
    om_successors out = { .heap = om_context_heap(ctx) };
    uint32_t x, a, p;
    static const char *const names[] = { "s", "t", "u", "v", "w" };
    om_slot sx = { .name = "x", .type = OM_ENUM, .initial = zeros, .enumerators = 5 };
    om_slot sa = { .name = "a", .type = OM_U8, .length = 7, .initial = zeros, .process = OM_NONE };
    sx.enumerator_names = names;
    sa.enumerators = 3;
    sa.enumerator_names = (const char *[]){ "s", NULL, "u" };
    int rc = om_model_new(&m, ctx, "m");
    if (rc != OM_OK || (rc = om_model_add_process(m, "P", &p)) != OM_OK)
        goto done;
    if ((rc = om_model_add_slot(m, &sx, &x)) != OM_OK ||
        (rc = om_model_add_slot(m, &sa, &a)) != OM_OK ||
        (rc = om_model_set_location(m, p, x)) != OM_OK)
        goto done;
    for (int i = 0; i < 40; i++) {
        om_expr at = om_expr_binary(m, OM_OP_MUL, om_expr_slot(m, x), om_expr_const(m, i));
        om_assign as = { a, om_expr_const(m, i % 7), om_expr_element(m, a, at) };
        om_transition t = { .process = p,
            .partner = OM_NONE,
            .guard = om_expr_binary(m, OM_OP_LT, at, om_expr_const(m, 7)),
            .assigns = &as,
            .assign_count = 1,
            .written = &(om_written){ 1, 2 },
            .label = "go",
            .place = { "file", 1, 1 } };
        if ((rc = om_model_add_transition(m, &t, NULL)) != OM_OK)
            goto done;
    }
    om_assertion holds = { om_expr_const(m, 1), "true", { "file", 2, 1 } };
    om_overflow wild = { .variable = "a", .place = { "file", 3, 1 }, .value = 256 };
    if ((rc = om_model_add_overflow(m, &wild)) != OM_OK)
        goto done;
    if ((rc = om_model_expr_check(m, NULL)) != OM_OK ||
        (rc = om_model_add_assertion(m, &holds)) != OM_OK || (rc = om_model_finish(m)) != OM_OK ||
        (rc = om_executor_open(&vm, m, OM_EXEC_VM, &holds.condition, 1)) != OM_OK)
        goto done;
    rc = om_executor_successors(vm, om_model_initial(m), &out);
    if (rc == OM_OK)
        assert_int_equal(out.count, 40);
    if (rc == OM_OK && om_model_set_overflow(m, OM_OVERFLOW_ERROR) != OM_EMODEL)
        rc = OM_ENOMEM;
    if (rc == OM_OK && om_model_find_overflow(m, om_model_initial(m), &wild) == OM_ENOMEM)
        rc = OM_ENOMEM;
done:
    om_successors_free(&out);
    om_executor_close(vm);
    om_model_free(m);
    return rc;
}

static void test_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t n = 0; rc != OM_OK; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        heap.fail_at = heap.calls + n;
        rc = whole_life(ctx);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_layout_random),
        cmocka_unit_test(test_layout_dense),
        cmocka_unit_test(test_get_set),
        cmocka_unit_test(test_stored),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_folding),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_initial_overflows),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
