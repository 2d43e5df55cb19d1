/* SPDX-License-Identifier: Apache-2.0 */
/* The vm and native code, compared with a plain evaluator and with each other. */
#include "forge.h"
#include "form/form.h"
#include "model.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 256, WORDS = 256, STEPS = 3000 };

static forge the_forge;

static om_context *context(void)
{
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    return ctx;
}

static om_executor *open_or_say(om_model *m, om_exec_kind kind, const om_expr *aps, uint32_t n)
{
    om_executor *x = NULL;
    if (om_executor_open(&x, m, kind, aps, n) != OM_OK)
        fail_msg("%s", om_context_error(om_model_context(m)));
    return x;
}

static void add(om_model *m, om_expr guard, om_assign a)
{
    om_transition t = {
        .process = OM_NONE, .partner = OM_NONE, .guard = guard, .assigns = &a, .assign_count = 1
    };
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
}

static om_expr picked(om_model *m, uint32_t i)
{
    return om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, FORGE_PICK), om_expr_const(m, (int32_t) i));
}

/* ---- values: transition i does out := tree i, and is the only one enabled when pick is i ---- */

static void check_value(const om_executor *x, const tree *t, uint32_t i, const uint32_t *vector)
{
    om_successors out = { .heap = om_heap_default() };
    uint32_t kind = 0;
    int32_t want = forge_eval(x->model, t, vector, &kind);
    assert_int_equal(om_executor_successors(x, vector, &out), OM_OK);
    if (kind != 0) {
        assert_int_equal(out.fault, OM_FAULT(kind, i));
    } else {
        uint32_t expected[WORDS];
        memcpy(expected, vector, x->words * sizeof *expected);
        om_slot_set(om_model_slot(x->model, FORGE_OUT), expected, 0, want);
        assert_int_equal(out.fault, 0);
        assert_int_equal(out.count, 1);
        assert_int_equal(out.transition[0], i);
        assert_memory_equal(out.words, expected, x->words * sizeof *expected);
    }
    om_successors_free(&out);
}

static void values(uint64_t seed, unsigned height, unsigned fault_chance)
{
    static tree *trees[CASES];
    forge *f = &the_forge;
    om_context *ctx = context();
    uint32_t vector[WORDS];
    *f = (forge){ .random = { seed }, .fault_chance = fault_chance };
    om_model *m = forge_slots(f, ctx);
    uint32_t count = 0;
    for (; count < CASES && f->used < 3000; count++) {
        trees[count] = forge_tree(f, height);
        add(m, picked(m, count), (om_assign){ FORGE_OUT, 0, forge_build(m, trees[count]) });
    }
    assert_int_equal(om_model_finish(m), OM_OK);
    assert_true(om_model_words(m) <= WORDS);
    om_executor *vm = open_or_say(m, OM_EXEC_VM, NULL, 0);
    om_executor *native = open_or_say(m, OM_EXEC_NATIVE, NULL, 0);
    for (uint32_t i = 0; i < count; i++)
        for (int round = 0; round < 20; round++) {
            forge_vector(f, vector);
            om_slot_set(om_model_slot(m, FORGE_PICK), vector, 0, (int32_t) i);
            check_value(vm, trees[i], i, vector);
            check_value(native, trees[i], i, vector);
        }
    om_executor_close(native);
    om_executor_close(vm);
    om_model_free(m);
    om_context_free(ctx);
}

static void test_values(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        values(seed, 2, 500);
        values(seed + 100, 4, 100);
    }
    values(200, 7, 30);
}

/* ---- overflows: transition i does slot := tree i; slots of every type, and elements ---- */

/* Preceded by assignments that fit, except one to a byte that has no place in the source. */
enum { BEFORE = 3, UNWRITTEN = 3 };

typedef struct store {
    const tree *value, *index; /* or NULL */
    const tree *before[BEFORE];
    uint32_t slot;
} store;

static void add_store(forge *f, om_model *m, uint32_t i, store *s)
{
    om_assign a[BEFORE + 1];
    om_written written[BEFORE + 1] = { { 0 } };
    const om_slot *slot;
    s->slot = 2 + (uint32_t) om_random_below(&f->random, FORGE_SLOTS - 2);
    slot = om_model_slot(m, s->slot);
    s->value = forge_tree(f, 2);
    s->index = slot->length == 0 ? NULL : forge_tree(f, 0);
    for (uint32_t k = 0; k < BEFORE; k++) {
        s->before[k] = forge_tree(f, 1);
        a[k] = (om_assign){ FORGE_OUT, 0, forge_build(m, s->before[k]) };
        written[k].line = 77;
    }
    written[1].line = 0;
    a[1] = (om_assign){ UNWRITTEN, 0, om_expr_const(m, 1000) };
    a[BEFORE] = (om_assign){ s->slot, s->index == NULL ? 0 : forge_build(m, s->index),
        forge_build(m, s->value) };
    written[BEFORE] = (om_written){ i + 1, 5 };
    om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = picked(m, i),
        .assigns = a,
        .assign_count = BEFORE + 1,
        .written = written,
        .label = "store",
        .place = { "stores", i + 1, 1 } };
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
}

/* The result of the last assignment. */
typedef struct stored {
    int32_t value, index;
    bool faults, over;
} stored;

static stored evaluate(const om_model *m, const store *s, const uint32_t *vector)
{
    uint32_t kind = 0, now[WORDS];
    const om_slot *slot = om_model_slot(m, s->slot);
    memcpy(now, vector, om_model_words(m) * sizeof *now);
    for (uint32_t k = 0; k < BEFORE; k++)
        if (k == 1)
            om_slot_set(om_model_slot(m, UNWRITTEN), now, 0, 1000);
        else
            om_slot_set(
                om_model_slot(m, FORGE_OUT), now, 0, forge_eval(m, s->before[k], now, &kind));
    stored r = { .value = forge_eval(m, s->value, now, &kind),
        .index = s->index == NULL ? 0 : forge_eval(m, s->index, now, &kind) };
    r.faults =
        kind != 0 || (s->index != NULL && (r.index < 0 || (uint32_t) r.index >= slot->length));
    r.over = !r.faults && slot->type != OM_ENUM && (r.value < slot->low || r.value > slot->high);
    return r;
}

/* Checks the model's report of the overflow on the step from the vector. */
static void check_report(
    const om_model *m, const store *s, uint32_t i, const uint32_t *vector, const stored *r)
{
    om_overflow o;
    const om_slot *slot = om_model_slot(m, s->slot);
    uint32_t mask = (uint32_t) slot->high - (uint32_t) slot->low;
    assert_int_equal(om_model_find_overflow(m, vector, &o), OM_OK);
    assert_int_equal(o.transition, i);
    assert_string_equal(o.place.file, "stores");
    assert_int_equal(o.place.line, i + 1);
    assert_int_equal(o.place.column, 5);
    assert_string_equal(o.variable, slot->name);
    assert_int_equal(o.element, s->index == NULL ? OM_NONE : (uint32_t) r->index);
    assert_int_equal(o.value, r->value);
    assert_true(o.low == slot->low && o.high == slot->high);
    assert_true(o.stored >= o.low && o.stored <= o.high);
    assert_int_equal(((uint32_t) o.stored ^ (uint32_t) r->value) & mask, 0);
}

static unsigned check_store(
    const om_executor *x, const store *s, uint32_t i, const uint32_t *vector)
{
    const om_model *m = x->model;
    om_successors out = { .heap = om_heap_default(), .overflows = 100 };
    const stored r = evaluate(m, s, vector);
    bool error = om_model__form_of(m).overflow == OM_OVERFLOW_ERROR;
    assert_int_equal(om_executor_successors(x, vector, &out), OM_OK);
    if (r.over && error) {
        const om_site *site = &m->sites[OM_FAULT_SUBJECT(out.fault)];
        assert_int_equal(OM_FAULT_KIND(out.fault), OM_FAULT_OVERFLOW);
        assert_true(site->transition == i && site->assign == BEFORE);
    } else if (r.faults) {
        assert_int_not_equal(out.fault, 0);
    } else {
        assert_int_equal(out.fault, 0);
        assert_int_equal(out.overflows, 100 + (uint32_t) r.over);
        assert_int_equal(out.count, 1);
    }
    if (r.over)
        check_report(m, s, i, vector, &r);
    om_successors_free(&out);
    return r.over;
}

static void test_overflows(void **state)
{
    static store stores[CASES];
    forge *f = &the_forge;
    (void) state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        om_context *ctx = context();
        uint32_t vector[WORDS], count = 0;
        unsigned found = 0;
        *f = (forge){ .random = { seed }, .fault_chance = 20 };
        om_model *m = forge_slots(f, ctx);
        for (; count < CASES && f->used < 3000; count++)
            add_store(f, m, count, &stores[count]);
        assert_int_equal(om_model_finish(m), OM_OK);
        if (seed % 2 == 1)
            assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_ERROR), OM_OK);
        om_executor *vm = open_or_say(m, OM_EXEC_VM, NULL, 0);
        om_executor *native = open_or_say(m, OM_EXEC_NATIVE, NULL, 0);
        for (uint32_t i = 0; i < count; i++)
            for (int round = 0; round < 20; round++) {
                forge_vector(f, vector);
                om_slot_set(om_model_slot(m, FORGE_PICK), vector, 0, (int32_t) i);
                found += check_store(vm, &stores[i], i, vector);
                (void) check_store(native, &stores[i], i, vector);
            }
        assert_true(found > count && found < 15 * count);
        om_executor_close(native);
        om_executor_close(vm);
        om_model_free(m);
        om_context_free(ctx);
    }
}

/* ---- taking out: transition i takes an element out of an array, and then reads the array ---- */

enum { ARRAYS = FORGE_SLOTS - FORGE_SCALARS };

typedef struct taking {
    uint32_t slot, at;      /* the array, the element */
    uint32_t first, second; /* what is read before and after */
} taking;

/* In every other transition the index is computed. */
static void add_taking(forge *f, om_model *m, uint32_t i, taking *t)
{
    t->slot = FORGE_SCALARS + i % ARRAYS;
    const uint32_t length = om_model_slot(m, t->slot)->length;
    t->at = (uint32_t) om_random_below(&f->random, length);
    t->first = (uint32_t) om_random_below(&f->random, length);
    t->second = (uint32_t) om_random_below(&f->random, length);
    om_expr at = om_expr_const(m, (int32_t) t->at);
    if (i / ARRAYS % 2 == 1) /* pick == i */
        at = om_expr_binary(m, OM_OP_ADD, at,
            om_expr_binary(
                m, OM_OP_SUB, om_expr_slot(m, FORGE_PICK), om_expr_const(m, (int32_t) i)));
    const om_expr first = om_expr_element(m, t->slot, om_expr_const(m, (int32_t) t->first)),
                  second = om_expr_element(m, t->slot, om_expr_const(m, (int32_t) t->second));
    const om_assign a[] = { { FORGE_OUT, 0, first }, { t->slot, at, 0 },
        { FORGE_OUT, 0,
            om_expr_binary(m, OM_OP_SUB, om_expr_slot(m, FORGE_OUT),
                om_expr_binary(m, OM_OP_MUL, second, om_expr_const(m, 3))) } };
    om_transition made = { .process = OM_NONE,
        .partner = OM_NONE,
        .guard = picked(m, i),
        .assigns = a,
        .assign_count = 3,
        .label = "taking" };
    assert_int_equal(om_model_add_transition(m, &made, NULL), OM_OK);
}

static void check_taking(const om_executor *x, const taking *t, const uint32_t *vector)
{
    const om_model *m = x->model;
    om_successors out = { .heap = om_heap_default() };
    assert_int_equal(om_executor_successors(x, vector, &out), OM_OK);
    assert_int_equal(out.fault, 0);
    assert_int_equal(out.count, 1);
    for (uint32_t s = 0; s < om_model_slot_count(m); s++) {
        const om_slot *slot = om_model_slot(m, s);
        const uint32_t length = slot->length == 0 ? 1 : slot->length;
        for (uint32_t e = 0; e < length && s != FORGE_OUT; e++) {
            const bool later = s == t->slot && e >= t->at;
            const int32_t want = !later           ? forge_read(slot, vector, e)
                                 : e + 1 < length ? forge_read(slot, vector, e + 1)
                                                  : 0;
            assert_int_equal(forge_read(slot, out.words, e), want);
        }
    }
    const uint32_t first = (uint32_t) forge_read(om_model_slot(m, t->slot), vector, t->first),
                   second = (uint32_t) forge_read(om_model_slot(m, t->slot), out.words, t->second);
    assert_int_equal(
        (uint32_t) forge_read(om_model_slot(m, FORGE_OUT), out.words, 0), first - 3 * second);
    om_successors_free(&out);
}

static void test_taking_out(void **state)
{
    static taking all[4 * ARRAYS];
    forge *f = &the_forge;
    (void) state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        om_context *ctx = context();
        uint32_t vector[WORDS];
        *f = (forge){ .random = { seed } };
        om_model *m = forge_slots(f, ctx);
        for (uint32_t i = 0; i < 4 * ARRAYS; i++)
            add_taking(f, m, i, &all[i]);
        assert_int_equal(om_model_finish(m), OM_OK);
        om_executor *vm = open_or_say(m, OM_EXEC_VM, NULL, 0);
        om_executor *native = open_or_say(m, OM_EXEC_NATIVE, NULL, 0);
        for (uint32_t i = 0; i < 4 * ARRAYS; i++)
            for (int round = 0; round < 20; round++) {
                forge_vector(f, vector);
                om_slot_set(om_model_slot(m, FORGE_PICK), vector, 0, (int32_t) i);
                check_taking(vm, &all[i], vector);
                check_taking(native, &all[i], vector);
            }
        om_executor_close(native);
        om_executor_close(vm);
        om_model_free(m);
        om_context_free(ctx);
    }
}

/* ---- labels and assertions ---- */

static void check_labels(
    const om_executor *x, tree *const *trees, uint32_t count, const uint32_t *vector)
{
    uint64_t want = 0;
    om_fault fault = 0, want_fault = 0;
    for (uint32_t i = 0; i < count && want_fault == 0; i++) {
        uint32_t kind = 0;
        if (forge_eval(x->model, trees[i], vector, &kind) != 0)
            want |= UINT64_C(1) << i;
        if (kind != 0)
            want_fault = OM_FAULT(OM_FAULT_IN_LABEL, i);
    }
    uint64_t labels = x->labels(x, vector, &fault);
    assert_int_equal(fault, want_fault);
    if (fault == 0)
        assert_true(labels == want);
}

static void check_assertions(
    const om_executor *x, tree *const *trees, uint32_t count, const uint32_t *vector)
{
    om_successors out = { .heap = om_heap_default() };
    om_fault want = 0;
    for (uint32_t i = 0; i < count && want == 0; i++) {
        uint32_t kind = 0;
        int32_t value = forge_eval(x->model, trees[i], vector, &kind);
        if (kind != 0)
            want = OM_FAULT(OM_FAULT_IN_ASSERTION, i);
        else if (value == 0)
            want = OM_FAULT(OM_FAULT_ASSERTION, i);
    }
    assert_int_equal(om_executor_successors(x, vector, &out), OM_OK);
    assert_int_equal(out.fault, want);
    om_successors_free(&out);
}

static void test_labels(void **state)
{
    (void) state;
    forge *f = &the_forge;
    for (uint64_t seed = 0; seed < 4; seed++) {
        om_context *ctx = context();
        tree *trees[64];
        om_expr aps[64];
        uint32_t vector[WORDS];
        *f = (forge){ .random = { seed }, .fault_chance = 10 };
        om_model *m = forge_slots(f, ctx);
        for (int i = 0; i < 64; i++) {
            trees[i] = forge_tree(f, 3);
            aps[i] = forge_build(m, trees[i]);
            /* OR makes failures less frequent. */
            om_assertion a = { .condition = aps[i] };
            if (i >= 60)
                assert_int_equal(om_model_add_assertion(m, &a), OM_OK);
        }
        assert_int_equal(om_model_finish(m), OM_OK);
        om_executor *vm = open_or_say(m, OM_EXEC_VM, aps, 64);
        om_executor *native = open_or_say(m, OM_EXEC_NATIVE, aps, 64);
        for (int round = 0; round < 2000; round++) {
            forge_vector(f, vector);
            check_labels(vm, trees, 64, vector);
            check_labels(native, trees, 64, vector);
            check_assertions(vm, trees + 60, 4, vector);
            check_assertions(native, trees + 60, 4, vector);
        }
        om_executor_close(native);
        om_executor_close(vm);
        om_model_free(m);
        om_context_free(ctx);
    }
}

/* ---- whole models: the vm and native code take the same walks ---- */

/* Returns the number of steps that faulted. */
static unsigned walk(
    forge *f, const om_executor *vm, const om_executor *native, uint64_t *overflows)
{
    om_successors a = { .heap = om_heap_default() }, b = { .heap = om_heap_default() };
    uint32_t vector[WORDS], other[WORDS];
    unsigned faults = 0;
    vm->initial(vm, vector);
    native->initial(native, other);
    assert_memory_equal(vector, other, vm->words * sizeof *vector);
    for (int step = 0; step < STEPS; step++) {
        assert_int_equal(om_executor_successors(vm, vector, &a), OM_OK);
        assert_int_equal(om_executor_successors(native, vector, &b), OM_OK);
        assert_int_equal(a.fault, b.fault);
        assert_int_equal(a.overflows, b.overflows);
        faults += a.fault != 0;
        if (a.fault == 0) {
            assert_int_equal(a.count, b.count);
            assert_memory_equal(a.transition, b.transition, a.count * sizeof *a.transition);
            assert_memory_equal(a.words, b.words, a.count * vm->words * sizeof *a.words);
        }
        if (a.fault != 0 || a.count == 0 || om_random_below(&f->random, 100) == 0)
            forge_vector(f, vector);
        else
            memcpy(vector, a.words + om_random_below(&f->random, a.count) * vm->words,
                vm->words * sizeof *vector);
    }
    *overflows += a.overflows;
    om_successors_free(&a);
    om_successors_free(&b);
    return faults;
}

static void test_walks(void **state)
{
    (void) state;
    forge *f = &the_forge;
    unsigned faults = 0;
    uint64_t overflows = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        om_context *ctx = context();
        *f = (forge){
            .random = { seed }, .fault_chance = 40, .large = seed % 2 == 0, .asserting = true
        };
        om_model *m = forge_model(f, ctx);
        if (seed % 4 == 3)
            assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_ERROR), OM_OK);
        om_executor *vm = open_or_say(m, OM_EXEC_VM, NULL, 0);
        om_executor *native = open_or_say(m, OM_EXEC_NATIVE, NULL, 0);
        faults += walk(f, vm, native, &overflows);
        om_executor_close(native);
        om_executor_close(vm);
        om_model_free(m);
        om_context_free(ctx);
    }
    print_message("%u faults, %llu overflows in %u steps\n", faults, (unsigned long long) overflows,
        8 * STEPS);
    assert_true(faults > 0 && faults < 8 * STEPS / 2 && overflows > STEPS);
}

/* ---- one executor, many threads ---- */

typedef struct walker {
    const om_executor *x;
    uint64_t seed, sum;
} walker;

/* Computes a checksum of a walk that depends only on the seed. */
static void *walk_alone(void *self)
{
    walker *w = self;
    om_random r = { w->seed };
    om_successors out = { .heap = om_heap_default() };
    uint32_t vector[WORDS];
    w->sum = 0;
    w->x->initial(w->x, vector);
    for (int step = 0; step < 2000; step++) {
        om_fault fault = 0;
        if (om_executor_successors(w->x, vector, &out) != OM_OK)
            return NULL;
        w->sum = w->sum * 31 + (out.fault != 0 ? out.fault : out.count);
        w->sum = w->sum * 31 + w->x->labels(w->x, vector, &fault);
        if (out.fault != 0 || out.count == 0)
            w->x->initial(w->x, vector);
        else
            memcpy(vector, out.words + om_random_below(&r, out.count) * w->x->words,
                w->x->words * sizeof *vector);
    }
    om_successors_free(&out);
    return w;
}

static void test_threads(void **state)
{
    (void) state;
    forge *f = &the_forge;
    om_context *ctx = context();
    *f = (forge){ .random = { 3 } };
    om_model *m = forge_model(f, ctx);
    om_expr ap = om_expr_slot(m, 3);
    om_executor *x[2] = { open_or_say(m, OM_EXEC_VM, &ap, 1),
        open_or_say(m, OM_EXEC_NATIVE, &ap, 1) };
    walker walkers[8], alone = { .x = x[0] };
    pthread_t threads[8];
    for (uint64_t i = 0; i < 8; i++) {
        walkers[i] = (walker){ .x = x[i % 2], .seed = i / 2 };
        assert_int_equal(pthread_create(&threads[i], NULL, walk_alone, &walkers[i]), 0);
    }
    for (uint64_t i = 0; i < 8; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
        alone.seed = i / 2;
        assert_non_null(walk_alone(&alone));
        assert_true(walkers[i].sum == alone.sum);
    }
    om_executor_close(x[0]);
    om_executor_close(x[1]);
    om_model_free(m);
    om_context_free(ctx);
}

/* ---- deep expressions ---- */

static void test_deep(void **state)
{
    (void) state;
    om_context *ctx = context();
    forge *f = &the_forge;
    *f = (forge){ .random = { 1 } };
    om_model *m = forge_slots(f, ctx);
    uint64_t overflows = 0;
    om_expr x = om_expr_slot(m, 3), one = om_expr_const(m, 1), zero = om_expr_const(m, 0);
    om_expr right = x, left = x, all = om_expr_binary(m, OM_OP_GE, x, zero);
    om_expr any = om_expr_binary(m, OM_OP_LT, x, zero);
    for (int32_t i = 0; i < 1500; i++) {
        om_expr c = om_expr_const(m, i);
        right = om_expr_binary(m, i % 2 ? OM_OP_BXOR : OM_OP_SUB, c, right);
        if (i <= 900)
            left = om_expr_binary(m, OM_OP_ADD, om_expr_binary(m, OM_OP_BXOR, left, c), one);
        all = om_expr_binary(
            m, OM_OP_AND, all, om_expr_binary(m, OM_OP_NE, x, om_expr_const(m, i + 300)));
        any = om_expr_binary(
            m, OM_OP_OR, any, om_expr_binary(m, OM_OP_EQ, x, om_expr_const(m, 1600 - i)));
        if (i == 900)
            add(m, one, (om_assign){ FORGE_OUT, 0, left });
    }
    add(m, all, (om_assign){ FORGE_OUT, 0, right });
    add(m, any, (om_assign){ FORGE_OUT, 0, one });
    assert_int_equal(om_model_finish(m), OM_OK);
    om_executor *vm = open_or_say(m, OM_EXEC_VM, NULL, 0);
    om_executor *native = open_or_say(m, OM_EXEC_NATIVE, NULL, 0);
    assert_int_equal(walk(f, vm, native, &overflows), 0);
    assert_int_equal(overflows, 0);
    om_executor_close(native);
    om_executor_close(vm);
    om_model_free(m);
    om_context_free(ctx);
}

/* Transitions that are never enabled are left out; the others keep their numbers. */
static void check_never(om_exec_kind kind, uint32_t every)
{
    om_context *ctx = context();
    om_model *m = NULL;
    om_successors out = { .heap = om_heap_default() };
    const om_value zero = 0;
    uint32_t slot, expected = 0;
    const om_slot s = { .name = "x", .type = OM_U16, .process = OM_NONE, .initial = &zero };
    assert_int_equal(om_model_new(&m, ctx, "never"), OM_OK);
    assert_int_equal(om_model_add_slot(m, &s, &slot), OM_OK);
    for (uint32_t t = 0; t < 200; t++) {
        const om_assign a = { slot, 0, om_expr_const(m, (om_value) t) };
        const om_transition made = { .process = OM_NONE,
            .partner = OM_NONE,
            .guard = every != 0 && t % every == 0 ? 0 : om_expr_const(m, 0),
            .assigns = &a,
            .assign_count = 1,
            .label = "step" };
        assert_int_equal(om_model_add_transition(m, &made, NULL), OM_OK);
    }
    assert_int_equal(om_model_finish(m), OM_OK);
    om_executor *x = open_or_say(m, kind, NULL, 0);
    assert_int_equal(om_executor_successors(x, om_model_initial(m), &out), OM_OK);
    for (size_t i = 0; i < out.count; i++, expected += every) {
        assert_int_equal(out.transition[i], expected);
        assert_int_equal(
            om_slot_get(om_model_slot(m, slot), out.words + i * out.stride, 0), expected);
    }
    assert_int_equal(out.count, every == 0 ? 0 : (199 / every) + 1);
    om_successors_free(&out);
    om_executor_close(x);
    om_model_free(m);
    om_context_free(ctx);
}

static void test_never(void **state)
{
    (void) state;
    for (uint32_t every = 0; every < 4; every++) {
        check_never(OM_EXEC_VM, every);
        check_never(OM_EXEC_NATIVE, every);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_overflows),
        cmocka_unit_test(test_taking_out),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
