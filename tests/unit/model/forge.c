/* SPDX-License-Identifier: Apache-2.0 */
#include "forge.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint32_t below(forge *f, uint32_t n)
{
    return (uint32_t) om_random_below(&f->random, n);
}

om_model *forge_slots(forge *f, om_context *ctx)
{
    static const om_type types[] = { OM_BOOL, OM_U8, OM_I8, OM_U16, OM_I16, OM_I32, OM_ENUM,
        OM_ENUM };
    /* Lengths below and above what fits one word. */
    static const uint32_t lengths[] = { 3, 4, 3, 5, 2, 3, 11, 40, 70 };
    static const int32_t zeros[128];
    char name[16];
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "forged"), OM_OK);
    f->m = m;
    om_slot s = { .name = "out", .type = OM_I32, .process = OM_NONE, .initial = zeros };
    assert_int_equal(om_model_add_slot(m, &s, NULL), OM_OK);
    s.name = "pick";
    s.type = OM_U16;
    assert_int_equal(om_model_add_slot(m, &s, NULL), OM_OK);
    for (uint32_t i = 2; i < FORGE_SLOTS; i++) {
        bool array = i >= FORGE_SCALARS;
        (void) snprintf(name, sizeof name, "s%u", i);
        s.name = name;
        s.type = array ? types[(i - FORGE_SCALARS) % 8] : types[i - 2];
        s.length = array ? lengths[i - FORGE_SCALARS] : 0;
        s.enumerators = i == 8 ? 5 : 3;
        assert_int_equal(om_model_add_slot(m, &s, NULL), OM_OK);
    }
    return m;
}

static tree *leaf(forge *f)
{
    static const int32_t edges[] = { 0, 1, -1, 2, 31, 32, 255, 256, -128, 32767, -32768, INT32_MAX,
        INT32_MIN };
    tree *t = &f->pool[f->used++];
    *t = (tree){ .op = OM_OP_CONST, .value = (int32_t) below(f, 7) };
    switch (below(f, 4)) {
    case 0:
        break;
    case 1:
        t->value = edges[below(f, sizeof edges / sizeof *edges)];
        break;
    default:
        t->op = OM_OP_SLOT;
        t->slot = below(f, FORGE_SCALARS);
        break;
    }
    return t;
}

static tree *of_constant(forge *f, int32_t value)
{
    tree *t = &f->pool[f->used++];
    *t = (tree){ .op = OM_OP_CONST, .value = value };
    return t;
}

static tree *of_two(forge *f, om_op op, tree *a, tree *b)
{
    tree *t = &f->pool[f->used++];
    *t = (tree){ .op = op, .a = a, .b = b };
    return t;
}

/* (t % n + n) % n is always a valid index of the array. */
static tree *inside(forge *f, tree *t, uint32_t array)
{
    int32_t length = (int32_t) om_model_slot(f->m, array)->length;
    t = of_two(f, OM_OP_MOD, t, of_constant(f, length));
    t = of_two(f, OM_OP_ADD, t, of_constant(f, length));
    return of_two(f, OM_OP_MOD, t, of_constant(f, length));
}

tree *forge_tree(forge *f, unsigned height)
{
    if (height == 0 || f->used > 4000 || below(f, 8) == 0)
        return leaf(f);
    om_op op = (om_op) (OM_OP_ELEMENT + below(f, OM_OP_COUNT - OM_OP_ELEMENT));
    tree *t = of_two(f, op, forge_tree(f, height - 1), NULL);
    bool unary = op == OM_OP_NEG || op == OM_OP_NOT || op == OM_OP_COMPL;
    bool careful = below(f, 1000) >= f->fault_chance;
    if (op == OM_OP_ELEMENT) {
        t->slot = FORGE_SCALARS + below(f, FORGE_SLOTS - FORGE_SCALARS);
        if (careful)
            t->a = inside(f, t->a, t->slot);
    } else if ((op == OM_OP_DIV || op == OM_OP_MOD) && careful) {
        static const int32_t divisors[] = { 1, -1, 2, 3, -5, 7, INT32_MAX, INT32_MIN };
        t->b = of_constant(f, divisors[below(f, 8)]);
    } else if (!unary) {
        t->b = forge_tree(f, height - 1);
    }
    return t;
}

om_expr forge_build(om_model *m, const tree *t)
{
    switch (t->op) {
    case OM_OP_CONST:
        return om_expr_const(m, t->value);
    case OM_OP_SLOT:
        return om_expr_slot(m, t->slot);
    case OM_OP_ELEMENT:
        return om_expr_element(m, t->slot, forge_build(m, t->a));
    default:
        break;
    }
    om_expr a = forge_build(m, t->a);
    return t->b == NULL ? om_expr_unary(m, t->op, a)
                        : om_expr_binary(m, t->op, a, forge_build(m, t->b));
}

int32_t forge_read(const om_slot *s, const uint32_t *vector, uint32_t i)
{
    int64_t value = 0;
    for (uint32_t bit = 0; bit < s->bits; bit++) {
        uint32_t at = s->position + i * s->bits + bit;
        if ((vector[at / 32] >> (at % 32)) & 1)
            value += INT64_C(1) << bit;
    }
    bool negative = s->type == OM_I8 || s->type == OM_I16 || s->type == OM_I32;
    if (negative && value >= INT64_C(1) << (s->bits - 1))
        value -= INT64_C(1) << s->bits;
    return (int32_t) value;
}

/* Wraps v to 32 bits. */
static int32_t wrap(int64_t v)
{
    int64_t r = v % INT64_C(4294967296);
    if (r > INT32_MAX)
        r -= INT64_C(4294967296);
    if (r < INT32_MIN)
        r += INT64_C(4294967296);
    return (int32_t) r;
}

static int32_t shift(om_op op, int64_t a, int32_t b)
{
    int64_t factor = INT64_C(1) << ((uint32_t) b % 32);
    if (op == OM_OP_SHL)
        return wrap(wrap(a) * factor);
    return wrap(a >= 0 || a % factor == 0 ? a / factor : a / factor - 1);
}

static int32_t bits_of(om_op op, int32_t a, int32_t b)
{
    int64_t r = 0;
    for (int i = 0; i < 32; i++) {
        bool x = ((uint32_t) a >> i) % 2, y = ((uint32_t) b >> i) % 2;
        bool z = op == OM_OP_BAND ? x && y : op == OM_OP_BOR ? x || y : x != y;
        r += z ? INT64_C(1) << i : 0;
    }
    return wrap(r);
}

static int32_t apply(om_op op, int64_t a, int64_t b, uint32_t *kind)
{
    switch (op) {
    case OM_OP_NEG:
        return wrap(-a);
    case OM_OP_NOT:
        return a == 0;
    case OM_OP_COMPL:
        return wrap(-a - 1);
    case OM_OP_ADD:
        return wrap(a + b);
    case OM_OP_SUB:
        return wrap(a - b);
    case OM_OP_MUL:
        return wrap(a * b);
    case OM_OP_DIV:
    case OM_OP_MOD:
        if (b == 0) {
            *kind = OM_FAULT_DIVISION;
            return 0;
        }
        return wrap(op == OM_OP_DIV ? a / b : a % b);
    case OM_OP_BAND:
    case OM_OP_BOR:
    case OM_OP_BXOR:
        return bits_of(op, (int32_t) a, (int32_t) b);
    case OM_OP_SHL:
    case OM_OP_SHR:
        return shift(op, a, (int32_t) b);
    case OM_OP_LT:
        return a < b;
    case OM_OP_LE:
        return a <= b;
    case OM_OP_EQ:
        return a == b;
    case OM_OP_NE:
        return a != b;
    case OM_OP_GE:
        return a >= b;
    case OM_OP_GT:
        return a > b;
    default:
        fail();
        return 0;
    }
}

int32_t forge_eval(const om_model *m, const tree *t, const uint32_t *vector, uint32_t *kind)
{
    if (t->op == OM_OP_CONST)
        return t->value;
    if (t->op == OM_OP_SLOT)
        return forge_read(om_model_slot(m, t->slot), vector, 0);
    int32_t a = forge_eval(m, t->a, vector, kind), b = 0;
    if (*kind != 0)
        return 0;
    if (t->op == OM_OP_ELEMENT) {
        const om_slot *s = om_model_slot(m, t->slot);
        if (a >= 0 && (uint32_t) a < s->length)
            return forge_read(s, vector, (uint32_t) a);
        *kind = OM_FAULT_INDEX;
        return 0;
    }
    if (t->op == OM_OP_AND && a == 0)
        return 0;
    if ((t->op == OM_OP_OR && a != 0) || (t->op == OM_OP_IMPLY && a == 0))
        return 1;
    if (t->b != NULL)
        b = forge_eval(m, t->b, vector, kind);
    if (*kind != 0)
        return 0;
    if (t->op == OM_OP_AND || t->op == OM_OP_OR || t->op == OM_OP_IMPLY)
        return b != 0;
    return apply(t->op, a, b, kind);
}

void forge_vector(forge *f, uint32_t *vector)
{
    memset(vector, 0, om_model_words(f->m) * sizeof *vector);
    for (uint32_t i = 0; i < om_model_slot_count(f->m); i++) {
        const om_slot *s = om_model_slot(f->m, i);
        for (uint32_t e = 0; e < (s->length == 0 ? 1 : s->length); e++) {
            /* Small values are as frequent as others. */
            uint32_t bits = (uint32_t) om_random_next(&f->random) >> below(f, 32);
            if (below(f, 4) == 0)
                bits = ~bits;
            om_slot_set(s, vector, e, (int32_t) bits);
        }
    }
}

/* Returns an expression of about 500 nodes that cannot fault. It contains `within` unless that is
 * 0. */
static om_expr large_expression(forge *f, om_model *m, om_expr within)
{
    om_expr e = om_expr_const(m, 0);
    for (uint32_t i = 0; i < 120; i++) {
        om_expr c = om_expr_const(m, (int32_t) below(f, 9));
        om_expr term = om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, below(f, FORGE_SCALARS)), c);
        e = om_expr_binary(m, i < 80 ? OM_OP_ADD : OM_OP_OR, e, term);
    }
    if (within == 0)
        return e;
    /* This one can fault, now and then: slot 3 has 8 bits. */
    const om_expr quotient = om_expr_binary(m, OM_OP_DIV, om_expr_const(m, 9), om_expr_slot(m, 3));
    return om_expr_binary(m, OM_OP_BXOR, om_expr_binary(m, OM_OP_SUB, e, quotient), within);
}

static om_expr and_also(om_model *m, om_expr guard, om_expr e)
{
    return guard == 0 ? e : om_expr_binary(m, OM_OP_AND, guard, e);
}

/* Adds assertions that concern one location of a process, in the two forms that front ends write.
 */
static void add_assertions(forge *f, om_model *m, const uint32_t *location, uint32_t processes)
{
    const om_random first = f->random;
    for (uint32_t i = 0; i < 12 && f->used < 3900; i++) {
        if (f->twins)
            f->random = first;
        const uint32_t p = i * processes / 12; /* those of a process are neighbours */
        const om_expr here = om_expr_binary(
            m, OM_OP_EQ, om_expr_slot(m, location[p]), om_expr_const(m, (int32_t) below(f, 4)));
        const om_expr when = om_expr_binary(m, OM_OP_AND, here, forge_build(m, forge_tree(f, 1)));
        const om_expr bad = om_expr_binary(
            m, OM_OP_EQ, om_expr_slot(m, 2 + below(f, 6)), om_expr_const(m, (int32_t) below(f, 3)));
        const om_assertion a = { .text = "forged",
            .condition =
                i % 2 == 0 ? om_expr_binary(m, OM_OP_IMPLY, when, om_expr_unary(m, OM_OP_NOT, bad))
                           : om_expr_unary(m, OM_OP_NOT, om_expr_binary(m, OM_OP_AND, when, bad)) };
        assert_int_equal(om_model_add_assertion(m, &a), OM_OK);
    }
}

om_model *forge_model(forge *f, om_context *ctx)
{
    om_random *r = &f->random;
    om_model *m = forge_slots(f, ctx);
    uint32_t processes = 1 + (uint32_t) om_random_below(r, 4), location[4];
    for (uint32_t p = 0; p < processes; p++) {
        char name[16];
        (void) snprintf(name, sizeof name, "P%u", p);
        om_slot s = { .name = name, .type = OM_ENUM, .process = p, .enumerators = 4 };
        s.initial = &(int32_t){ 0 };
        assert_int_equal(om_model_add_process(m, name, NULL), OM_OK);
        assert_int_equal(om_model_add_slot(m, &s, &location[p]), OM_OK);
        assert_int_equal(om_model_set_location(m, p, location[p]), OM_OK);
    }
    om_expr common[2] = { forge_build(m, forge_tree(f, 2)), forge_build(m, forge_tree(f, 2)) };
    om_expr large[2] = { 0, 0 };
    for (int i = 0; i < 2 && f->large; i++)
        large[i] = large_expression(f, m, large[0]);
    const om_random first = *r;
    for (uint32_t p = 0; p < processes; p++) {
        if (f->twins && p > 0)
            *r = first;
        uint32_t n = (uint32_t) om_random_below(r, p == 0 ? 30 : 20) + (p == 0 ? 60 : 0);
        for (uint32_t i = 0; i < n && f->used < 3900; i++) {
            int32_t from = (int32_t) om_random_below(r, 4), to = (int32_t) om_random_below(r, 4);
            uint32_t into = 2 + (uint32_t) om_random_below(r, FORGE_SLOTS - 2);
            om_assign as[3] = { { location[p], 0, om_expr_const(m, to) } };
            const om_written written[3] = { { 0, 0 }, { i + 1, 2 }, { i + 1, 3 } };
            om_transition t = {
                .process = p, .partner = OM_NONE, .assigns = as, .written = written
            };
            if (om_random_below(r, 10) != 0)
                t.guard = om_expr_binary(
                    m, OM_OP_EQ, om_expr_slot(m, location[p]), om_expr_const(m, from));
            if (om_random_below(r, 3) == 0) /* the location of a process, often another one */
                t.guard = and_also(m, t.guard,
                    om_expr_binary(m, OM_OP_EQ,
                        om_expr_slot(m, location[f->twins ? below(f, 2) * p : below(f, processes)]),
                        om_expr_const(m, (int32_t) below(f, 4))));
            if (om_random_below(r, 3) == 0) /* a guard common to many transitions */
                t.guard = and_also(m, t.guard, common[below(f, 2)]);
            if (f->large && below(f, 3) == 0)
                t.guard = and_also(m, t.guard, large[below(f, 2)]);
            if (om_random_below(r, 3) != 0) {
                om_expr rest = forge_build(m, forge_tree(f, 2));
                t.guard = and_also(m, t.guard, rest);
            }
            t.assign_count = 1 + (uint32_t) om_random_below(r, 3);
            for (uint32_t k = 1; k < t.assign_count; k++)
                as[k] = (om_assign){ into,
                    into >= FORGE_SCALARS ? om_expr_const(m, (int32_t) om_random_below(r, 2)) : 0,
                    forge_build(m, forge_tree(f, 2)) };
            if (f->large && below(f, 3) == 0)
                as[t.assign_count - 1].value = large[below(f, 2)];
            if (t.assign_count == 3 && into >= FORGE_SCALARS)
                as[2].index = forge_build(m, below(f, 1000) < f->fault_chance
                                                 ? forge_tree(f, 1)
                                                 : inside(f, forge_tree(f, 1), into));
            if (t.assign_count > 1 && into >= FORGE_SCALARS && below(f, 3) == 0)
                as[t.assign_count - 1].value = 0; /* an element is taken out */
            assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
        }
    }
    if (f->asserting)
        add_assertions(f, m, location, processes);
    if (f->narrow)
        assert_int_equal(om_model_narrow(m), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    return m;
}
