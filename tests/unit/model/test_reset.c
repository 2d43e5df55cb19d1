/* SPDX-License-Identifier: Apache-2.0 */
/* Dead variables: the set of resets, and that they change nothing visible. */
#include <omen/plugin/model.h>

#include "heap.h"
#include "model.h"
#include "transform/reset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOCATIONS = 4, PROCESSES = 2, PAIRS = 4000, MODELS = 400, WIDEST = 64 };

/* ---- construction ---- */

static uint32_t add_slot(
    om_model *m, const char *name, om_type type, uint32_t process, uint32_t length)
{
    static const int32_t zeros[2] = { 0 };
    uint32_t slot = 0;
    om_slot s = { .name = name,
        .type = type,
        .process = process,
        .length = length,
        .initial = zeros,
        .enumerators = type == OM_ENUM ? LOCATIONS : 0 };
    assert_int_equal(om_model_add_slot(m, &s, &slot), OM_OK);
    return slot;
}

static om_expr number(om_model *m, int32_t v)
{
    return om_expr_const(m, v);
}

static om_expr equals(om_model *m, uint32_t slot, int32_t v)
{
    return om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, slot), number(m, v));
}

/* One process with a location and local variables x and y. */
typedef struct line {
    om_context *ctx;
    om_model *m;
    uint32_t location, x, y, global;
    const om_heap *heap; /* or NULL */
} line;

static void start(line *l)
{
    assert_int_equal(om_context_new(&l->ctx, l->heap), OM_OK);
    assert_int_equal(om_model_new(&l->m, l->ctx, "line"), OM_OK);
    assert_int_equal(om_model_add_process(l->m, "P", NULL), OM_OK);
    l->location = add_slot(l->m, "P", OM_ENUM, 0, 0);
    l->x = add_slot(l->m, "P.x", OM_U8, 0, 0);
    l->y = add_slot(l->m, "P.y", OM_U8, 0, 0);
    l->global = add_slot(l->m, "g", OM_U8, OM_NONE, 0);
    assert_int_equal(om_model_set_location(l->m, 0, l->location), OM_OK);
}

/* Adds from -> to under `when` (or 0), with slot := value (OM_NONE: no assignment). */
static void go(line *l, int32_t from, int32_t to, om_expr when, uint32_t slot, om_expr value)
{
    om_assign as[] = { { l->location, 0, number(l->m, to) }, { slot, 0, value } };
    static const om_written written[] = { { 0, 0 }, { 1, 1 } };
    om_expr guard = equals(l->m, l->location, from);
    om_transition t = { .process = 0,
        .written = written,
        .partner = OM_NONE,
        .guard = when == 0 ? guard : om_expr_binary(l->m, OM_OP_AND, guard, when),
        .assigns = as,
        .assign_count = slot == OM_NONE ? 1 : 2 };
    assert_int_equal(om_model_add_transition(l->m, &t, NULL), OM_OK);
}

/* Returns true if the transition resets the slot to 0 after its `own` assignments. */
static bool resets(const line *l, uint32_t transition, uint32_t slot, uint32_t own)
{
    const om_transition *t = om_model_transition(l->m, transition);
    for (uint32_t i = own; i < t->assign_count; i++)
        if (t->assigns[i].slot == slot) {
            assert_int_equal(om_model_node(l->m, t->assigns[i].value)->op, OM_OP_CONST);
            assert_int_equal(om_model_node(l->m, t->assigns[i].value)->value, 0);
            return true;
        }
    return false;
}

/* 0 -x:=g-> 1 -[x>0]-> 2 -y:=x-> 3 -> 0; nothing reads y. */
static void build_line(line *l)
{
    start(l);
    go(l, 0, 1, 0, l->x, om_expr_slot(l->m, l->global));
    go(l, 1, 2, om_expr_binary(l->m, OM_OP_GT, om_expr_slot(l->m, l->x), number(l->m, 0)), OM_NONE,
        0);
    go(l, 2, 3, 0, l->y, om_expr_slot(l->m, l->x));
    go(l, 3, 0, 0, OM_NONE, 0);
}

static void end(line *l)
{
    om_model_free(l->m);
    om_context_free(l->ctx);
}

static void test_which(void **state)
{
    line l = { 0 };
    uint32_t made = 0;
    (void) state;
    build_line(&l);
    assert_int_equal(om_model_finish(l.m), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
    assert_int_equal(made, 2);
    assert_true(resets(&l, 2, l.x, 2) && resets(&l, 2, l.y, 2)); /* x is no longer read */
    for (uint32_t t = 0; t < 4; t++)
        assert_int_equal(om_model_transition(l.m, t)->assign_count, t == 2 ? 4 : t == 0 ? 2 : 1);

    /* A proposition keeps x; the earlier resets are removed. */
    om_expr ap = equals(l.m, l.x, 3);
    assert_int_equal(om_model__reset_dead(l.m, &ap, 1, &made), OM_OK);
    assert_int_equal(made, 1);
    assert_true(!resets(&l, 2, l.x, 2) && resets(&l, 2, l.y, 2));
    assert_true(om_model__form_of(l.m).reset_dead);
    om_model__keep_dead(l.m);
    assert_false(om_model__form_of(l.m).reset_dead);
    for (uint32_t t = 0; t < 4; t++)
        assert_int_equal(om_model_transition(l.m, t)->assign_count, t % 2 == 0 ? 2 : 1);
    /* Nothing to reset: the model is unchanged. */
    const om_expr both[] = { ap, equals(l.m, l.y, 3) };
    assert_int_equal(om_model__reset_dead(l.m, both, 2, &made), OM_OK);
    assert_int_equal(made, 0);
    assert_false(om_model__form_of(l.m).reset_dead);
    end(&l);
}

/* Slots that nothing reads, and those that look so. */
static void test_unread(void **state)
{
    enum { COUNTS, SUMS, DIVIDES, PLACES, GUARDS, SHORT, NARROW, SLOTS };
    static const char *const names[] = { "counts", "sums", "divides", "places", "guards", "short",
        "narrow" };
    line l = { 0 };
    uint32_t slot[SLOTS], made = 0;
    (void) state;
    start(&l);
    for (uint32_t i = 0; i < SLOTS; i++)
        slot[i] = add_slot(l.m, names[i], i == NARROW ? OM_U8 : OM_I32, OM_NONE, 0);
    const uint32_t array = add_slot(l.m, "array", OM_U8, OM_NONE, 2);
    const om_expr one = number(l.m, 1);
    om_expr at[SLOTS];
    for (uint32_t i = 0; i < SLOTS; i++)
        at[i] = om_expr_slot(l.m, slot[i]);
    /* counts := counts + 1; sums := sums + counts: they read each other alone */
    go(&l, 0, 1, 0, slot[COUNTS], om_expr_binary(l.m, OM_OP_ADD, at[COUNTS], one));
    go(&l, 1, 2, 0, slot[SUMS], om_expr_binary(l.m, OM_OP_ADD, at[SUMS], at[COUNTS]));
    /* sums := sums + 1 / divides: decides whether there is a fault */
    go(&l, 2, 3, 0, slot[SUMS],
        om_expr_binary(l.m, OM_OP_ADD, at[SUMS], om_expr_binary(l.m, OM_OP_DIV, one, at[DIVIDES])));
    go(&l, 3, 0, 0, slot[DIVIDES], om_expr_binary(l.m, OM_OP_ADD, at[DIVIDES], one));
    /* sums := guards != 0 && 1 / short: guards decides whether the division is evaluated */
    go(&l, 0, 2, 0, slot[SUMS],
        om_expr_binary(l.m, OM_OP_AND, om_expr_binary(l.m, OM_OP_NE, at[GUARDS], number(l.m, 0)),
            om_expr_binary(l.m, OM_OP_DIV, one, at[SHORT])));
    go(&l, 1, 3, 0, slot[GUARDS], om_expr_binary(l.m, OM_OP_ADD, at[GUARDS], one));
    go(&l, 1, 3, 0, slot[SHORT], om_expr_binary(l.m, OM_OP_ADD, at[SHORT], one));
    /* narrow := narrow + 1: decides whether it overflows, which may be a fault */
    go(&l, 2, 3, 0, slot[NARROW], om_expr_binary(l.m, OM_OP_ADD, at[NARROW], one));
    /* array[places] := 1: decides where to write */
    om_assign as = { array, at[PLACES], one };
    om_transition t = { .process = OM_NONE, .partner = OM_NONE, .assigns = &as, .assign_count = 1 };
    assert_int_equal(om_model_add_transition(l.m, &t, NULL), OM_OK);
    go(&l, 2, 0, 0, slot[PLACES], om_expr_binary(l.m, OM_OP_SUB, one, at[PLACES]));
    const uint32_t last = om_model_transition_count(l.m);
    assert_int_equal(om_model_finish(l.m), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
    for (uint32_t i = 0; i < SLOTS; i++)
        assert_int_equal(
            om_model__is_unread(l.m, slot[i]), i == COUNTS || i == SUMS || i == NARROW);
    assert_true(om_model__is_unread(l.m, array));
    assert_true(resets(&l, 0, slot[COUNTS], 2) && resets(&l, 1, slot[SUMS], 2));
    assert_true(resets(&l, 2, slot[SUMS], 2) && resets(&l, last - 2, array, 1));
    assert_int_equal(made, 6);
    assert_int_equal(om_model_set_overflow(l.m, OM_OVERFLOW_ERROR), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
    assert_true(om_model__is_unread(l.m, slot[SUMS]) && !om_model__is_unread(l.m, slot[NARROW]));
    assert_int_equal(made, 5);

    const om_expr ap = om_expr_binary(l.m, OM_OP_LT, at[SUMS], one); /* reads both */
    assert_int_equal(om_model__reset_dead(l.m, &ap, 1, &made), OM_OK);
    assert_false(om_model__is_unread(l.m, slot[SUMS]) || om_model__is_unread(l.m, slot[COUNTS]));
    assert_int_equal(made, 1);
    assert_int_equal(om_model_set_overflow(l.m, OM_OVERFLOW_WRAP), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, &ap, 1, &made), OM_OK);
    assert_int_equal(made, 2);
    end(&l);

    /* The index is changed meanwhile, so no assignment can reset the element. */
    start(&l);
    const uint32_t other = add_slot(l.m, "other", OM_U8, OM_NONE, 2);
    const om_assign two[] = { { other, om_expr_slot(l.m, l.global), number(l.m, 1) },
        { l.global, 0, number(l.m, 1) } };
    t = (om_transition){
        .process = OM_NONE, .partner = OM_NONE, .assigns = two, .assign_count = 2
    };
    assert_int_equal(om_model_add_transition(l.m, &t, NULL), OM_OK);
    assert_int_equal(om_model_finish(l.m), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
    assert_false(om_model__is_unread(l.m, other));
    assert_int_equal(made, 0);
    end(&l);
}

/* A session checks many properties of one model. */
static void test_again_and_again(void **state)
{
    test_heap heap;
    test_heap_init(&heap, SIZE_MAX);
    line l = { .heap = &heap.heap };
    size_t live = 0;
    (void) state;
    build_line(&l);
    assert_int_equal(om_model_finish(l.m), OM_OK);
    om_expr ap = equals(l.m, l.x, 3);
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(om_model__reset_dead(l.m, &ap, i % 2, NULL), OM_OK);
        live = i == 2 ? heap.live : live;
    }
    assert_int_equal(heap.live, live);
    end(&l);
}

static void test_assertion_keeps(void **state)
{
    line l = { 0 };
    uint32_t made = 0;
    (void) state;
    build_line(&l);
    om_assertion a = { .condition = om_expr_binary(l.m, OM_OP_LT,
                           om_expr_binary(
                               l.m, OM_OP_ADD, om_expr_slot(l.m, l.x), om_expr_slot(l.m, l.y)),
                           number(l.m, 1000)) };
    assert_int_equal(om_model_add_assertion(l.m, &a), OM_OK);
    assert_int_equal(om_model_finish(l.m), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
    assert_int_equal(made, 0);
    end(&l);
}

/* A guard that also says what holds in other locations, as `timeout` does: 2 -> 0 is enabled where
 * 1 -> 2 is not. It reads x only where the process does not stand. */
static void test_elsewhere(void **state)
{
    line l = { 0 };
    uint32_t made = 0;
    (void) state;
    start(&l);
    go(&l, 0, 1, 0, l.x, om_expr_slot(l.m, l.global));
    const om_expr positive = om_expr_binary(l.m, OM_OP_GT, om_expr_slot(l.m, l.x), number(l.m, 0));
    go(&l, 1, 2, positive, OM_NONE, 0);
    const om_expr enabled = om_expr_binary(l.m, OM_OP_AND, equals(l.m, l.location, 1), positive);
    go(&l, 2, 0, om_expr_unary(l.m, OM_OP_NOT, enabled), OM_NONE, 0);
    assert_int_equal(om_model_finish(l.m), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
    assert_int_equal(made, 1);
    assert_true(resets(&l, 1, l.x, 1));
    end(&l);
}

/* Another process may read x at any time. */
static void test_others_keep(void **state)
{
    line l = { 0 };
    uint32_t made = 0;
    (void) state;
    build_line(&l);
    assert_int_equal(om_model_add_process(l.m, "Q", NULL), OM_OK);
    om_assign as = { l.global, 0, om_expr_slot(l.m, l.x) };
    om_transition t = { .process = 1, .partner = OM_NONE, .assigns = &as, .assign_count = 1 };
    assert_int_equal(om_model_add_transition(l.m, &t, NULL), OM_OK);
    assert_int_equal(om_model_finish(l.m), OM_OK);
    assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
    assert_int_equal(made, 1);
    assert_true(resets(&l, 2, l.y, 2));
    end(&l);
}

/* If the target location is computed, nothing is known. Another process may also move this one,
 * from any location. */
static void test_unknown_ways(void **state)
{
    (void) state;
    for (int kind = 0; kind < 2; kind++) {
        line l = { 0 };
        uint32_t made = 1;
        build_line(&l);
        om_assign as = { l.location, 0,
            kind == 0 ? om_expr_binary(l.m, OM_OP_BAND, om_expr_slot(l.m, l.global), number(l.m, 3))
                      : number(l.m, 0) };
        om_transition t = { .process = kind == 0 ? 0 : OM_NONE,
            .partner = OM_NONE,
            .assigns = &as,
            .assign_count = 1 };
        assert_int_equal(om_model_add_transition(l.m, &t, NULL), OM_OK);
        assert_int_equal(om_model_finish(l.m), OM_OK);
        assert_int_equal(om_model__reset_dead(l.m, NULL, 0, &made), OM_OK);
        assert_int_equal(made, kind == 0 ? 1 : 3); /* y: nothing reads it */
        end(&l);
    }
}

static void test_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    size_t failures = 0;
    for (size_t n = 0; rc != OM_OK; n++) {
        test_heap heap;
        test_heap_init(&heap, SIZE_MAX);
        line l = { .heap = &heap.heap };
        build_line(&l);
        assert_int_equal(om_model_finish(l.m), OM_OK);
        heap.fail_at = heap.calls + n;
        rc = om_model__reset_dead(l.m, NULL, 0, NULL);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        failures += rc != OM_OK;
        heap.fail_at = SIZE_MAX;
        end(&l);
        assert_int_equal(heap.live, 0);
    }
    assert_true(failures > 8);
}

/* ---- random models: related states behave the same ---- */

typedef struct zoo {
    om_random random;
    om_context *ctx;
    om_model *m;
    uint32_t location[PROCESSES], local[PROCESSES][3], array[PROCESSES], global;
    om_expr aps[2];
} zoo;

static uint32_t below(zoo *z, uint32_t n)
{
    return (uint32_t) om_random_below(&z->random, n);
}

/* Returns a variable that the process may read or write; rarely one of another process. */
static om_expr some_read(zoo *z, uint32_t p)
{
    uint32_t owner = below(z, 30) == 0 ? below(z, PROCESSES) : p;
    om_expr local = om_expr_slot(z->m, z->local[owner][below(z, 3)]);
    switch (below(z, 5)) {
    case 0:
        return om_expr_slot(z->m, z->global);
    case 1: /* sometimes outside the array */
        return om_expr_element(
            z->m, z->array[owner], below(z, 20) == 0 ? local : number(z->m, (int32_t) below(z, 2)));
    default:
        return local;
    }
}

static om_expr some_value(zoo *z, uint32_t p)
{
    switch (below(z, 4)) {
    case 0:
        return number(z->m, (int32_t) below(z, 3));
    case 1:
        return om_expr_binary(z->m, OM_OP_BAND,
            om_expr_binary(z->m, OM_OP_ADD, some_read(z, p), number(z->m, 1)), number(z->m, 3));
    default:
        return some_read(z, p);
    }
}

static uint32_t some_writes(zoo *z, uint32_t p, om_assign *as)
{
    uint32_t n = below(z, 3);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = below(z, 6);
        as[i] = (om_assign){ z->local[p][below(z, 3)], 0, some_value(z, p) };
        if (kind == 0)
            as[i].slot = z->global;
        if (kind == 1)
            as[i] = (om_assign){ z->array[p], number(z->m, (int32_t) below(z, 2)), as[i].value };
        if (kind == 2 && below(z, 4) == 0) /* may be outside the array */
            as[i] = (om_assign){ z->array[p], om_expr_slot(z->m, as[i].slot), as[i].value };
    }
    return n;
}

/* Adds a move of p, alone or with q as its partner. */
static void some_transition(zoo *z, uint32_t p, uint32_t q)
{
    om_assign as[8];
    om_transition t = { .process = p, .partner = q, .assigns = as };
    for (uint32_t who = p;; who = q) {
        if (below(z, 12) != 0) {
            om_expr at = equals(z->m, z->location[who], (int32_t) below(z, LOCATIONS));
            t.guard = t.guard == 0 ? at : om_expr_binary(z->m, OM_OP_AND, t.guard, at);
        }
        if (below(z, 5) != 0)
            as[t.assign_count++] =
                (om_assign){ z->location[who], 0, number(z->m, (int32_t) below(z, LOCATIONS)) };
        if (below(z, 3) == 0) {
            om_expr c = om_expr_binary(z->m, OM_OP_LT, some_read(z, who), some_value(z, who));
            t.guard = t.guard == 0 ? c : om_expr_binary(z->m, OM_OP_AND, t.guard, c);
        }
        if (below(z, 4) == 0) { /* what holds in another location, as `timeout` says it */
            om_expr c = om_expr_binary(z->m, OM_OP_AND,
                equals(z->m, z->location[who], (int32_t) below(z, LOCATIONS)),
                om_expr_binary(z->m, OM_OP_LT, some_read(z, who), some_value(z, who)));
            c = om_expr_unary(z->m, OM_OP_NOT, c);
            t.guard = t.guard == 0 ? c : om_expr_binary(z->m, OM_OP_AND, t.guard, c);
        }
        t.assign_count += some_writes(z, who, as + t.assign_count);
        if (q == OM_NONE || who == q)
            break;
    }
    assert_int_equal(om_model_add_transition(z->m, &t, NULL), OM_OK);
}

static void build_zoo(zoo *z, uint64_t seed)
{
    *z = (zoo){ .random = { seed } };
    assert_int_equal(om_context_new(&z->ctx, NULL), OM_OK);
    assert_int_equal(om_model_new(&z->m, z->ctx, "zoo"), OM_OK);
    z->global = add_slot(z->m, "g", OM_U8, OM_NONE, 0);
    for (uint32_t p = 0; p < PROCESSES; p++) {
        char name[16];
        (void) snprintf(name, sizeof name, "P%u", p);
        assert_int_equal(om_model_add_process(z->m, name, NULL), OM_OK);
        z->location[p] = add_slot(z->m, name, OM_ENUM, p, 0);
        assert_int_equal(om_model_set_location(z->m, p, z->location[p]), OM_OK);
        for (uint32_t i = 0; i < 3; i++) {
            (void) snprintf(name, sizeof name, "P%u.x%u", p, i);
            z->local[p][i] = add_slot(z->m, name, OM_U8, p, 0);
        }
        (void) snprintf(name, sizeof name, "P%u.a", p);
        z->array[p] = add_slot(z->m, name, OM_U8, p, 2);
    }
    for (uint32_t i = 0; i < 14; i++) {
        uint32_t p = below(z, PROCESSES);
        some_transition(z, p, below(z, 4) == 0 ? (p + 1) % PROCESSES : OM_NONE);
    }
    for (uint32_t i = 0; i < 2; i++)
        z->aps[i] = om_expr_binary(z->m, OM_OP_LT, some_read(z, 0), number(z->m, 2));
    assert_int_equal(om_model_finish(z->m), OM_OK);
}

/* Pairs of a state of the original model and one of the model with resets. Both must behave the
 * same. */
typedef struct pairs {
    const om_executor *plain, *reset;
    uint32_t *at; /* rows of 2 * words */
    size_t count, words;
} pairs;

static void add_pair(pairs *p, const uint32_t *a, const uint32_t *b)
{
    uint32_t row[2 * WIDEST];
    memcpy(row, a, p->words * sizeof *a);
    memcpy(row + p->words, b, p->words * sizeof *b);
    for (size_t i = 0; i < p->count; i++)
        if (memcmp(p->at + i * 2 * p->words, row, 2 * p->words * sizeof *row) == 0)
            return;
    if (p->count < PAIRS)
        memcpy(p->at + p->count++ * 2 * p->words, row, 2 * p->words * sizeof *row);
}

/* Returns true if both states behave the same; adds the pairs of their successors. */
static bool same(pairs *p, const uint32_t *a, const uint32_t *b)
{
    om_successors x = { .heap = om_heap_default() }, y = { .heap = om_heap_default() };
    om_fault f = 0, g = 0;
    bool ok = p->plain->labels(p->plain, a, &f) == p->reset->labels(p->reset, b, &g) && f == g;
    assert_int_equal(om_executor_successors(p->plain, a, &x), OM_OK);
    assert_int_equal(om_executor_successors(p->reset, b, &y), OM_OK);
    ok = ok && x.fault == y.fault;
    if (ok && x.fault == 0)
        ok = x.count == y.count && (x.count == 0 || memcmp(x.transition, y.transition,
                                                        x.count * sizeof *x.transition) == 0);
    for (size_t i = 0; ok && x.fault == 0 && i < x.count; i++)
        add_pair(p, x.words + i * p->words, y.words + i * p->words);
    om_successors_free(&x);
    om_successors_free(&y);
    return ok;
}

/* Visits all reachable pairs, up to PAIRS. Returns the number of pairs of different states. */
static size_t walk(pairs *p, uint64_t seed)
{
    size_t different = 0;
    uint32_t a[WIDEST], b[WIDEST];
    p->plain->initial(p->plain, a);
    p->reset->initial(p->reset, b);
    add_pair(p, a, b);
    for (size_t i = 0; i < p->count; i++) {
        memcpy(a, p->at + i * 2 * p->words, p->words * sizeof *a);
        memcpy(b, p->at + i * 2 * p->words + p->words, p->words * sizeof *b);
        different += memcmp(a, b, p->words * sizeof *a) != 0;
        if (!same(p, a, b))
            fail_msg("seed %llu, pair %zu", (unsigned long long) seed, i);
    }
    return different;
}

static void test_same_runs(void **state)
{
    (void) state;
    size_t different = 0, all = 0;
    uint32_t resets_made = 0;
    for (uint64_t seed = 1; seed <= MODELS; seed++) {
        zoo plain, reset;
        om_executor *x = NULL, *y = NULL;
        uint32_t made = 0;
        build_zoo(&plain, seed);
        build_zoo(&reset, seed);
        assert_int_equal(om_model__reset_dead(reset.m, reset.aps, 2, &made), OM_OK);
        assert_int_equal(om_executor_open(&x, plain.m, OM_EXEC_VM, plain.aps, 2), OM_OK);
        assert_int_equal(om_executor_open(&y, reset.m, OM_EXEC_VM, reset.aps, 2), OM_OK);
        assert_true(x->words <= WIDEST);
        pairs p = { .plain = x, .reset = y, .words = x->words };
        p.at = malloc((size_t) PAIRS * 2 * p.words * sizeof *p.at);
        assert_non_null(p.at);
        different += walk(&p, seed);
        all += p.count;
        resets_made += made;
        free(p.at);
        om_executor_close(x);
        om_executor_close(y);
        om_model_free(plain.m);
        om_model_free(reset.m);
        om_context_free(plain.ctx);
        om_context_free(reset.ctx);
    }
    print_message(
        "%u resets, %zu of %zu pairs differ in dead variables\n", resets_made, different, all);
    assert_true(resets_made > MODELS && different > all / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_again_and_again),
        cmocka_unit_test(test_assertion_keeps),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_others_keep),
        cmocka_unit_test(test_unknown_ways),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_same_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
