/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes the transitions that are tried in a state and the assertions that are checked, and splits
 * their guards (see bytecode.h). */
#include "bytecode.h"

#include "analysis/idle.h"

#include <assert.h>
#include <string.h>

enum {
    SHARED_BY = 3,    /* transitions that must share a condition for it to be cached */
    SPARSE_VALUES = 4 /* maximum lists per transition; a slot with more values is not indexed */
};

/* The conjuncts of a guard in the order of evaluation. */
typedef struct conjunction {
    om_expr *at;
    size_t count, capacity;
    size_t sure; /* number of leading conjuncts that cannot fault, so their order does not matter */
} conjunction;

/* A transition or an assertion, and what must hold for the one to be taken or the other to fail:
 * `guard`, and `unless` must not. */
typedef struct item {
    uint32_t number;
    om_expr guard;  /* 0: nothing */
    om_expr unless; /* 0: nothing */
    bool effect;    /* a transition */
} item;

typedef struct indexing {
    om_vm *vm;
    const om_model *m;
    om_vm_index *out;
    item *items;
    uint32_t count;
    conjunction conjuncts, common;
    uint32_t *uses;   /* by node: number of items with this condition among the sure ones */
    uint64_t *users;  /* by node: which items these are, as a sum of their hashes */
    uint32_t *shared; /* by node: 1 + the number of the shared condition that it is a part of */
    uint32_t parts[OM_VM_SHARED]; /* of each shared condition: its number of conjuncts */
    uint32_t *raw;                /* by item: the value that its guard tests first */
    om_idle idle;
} indexing;

static void flatten(indexing *x, om_expr e)
{
    const om_node *n = om_model_node(x->m, e);
    conjunction *c = &x->conjuncts;
    if (n == NULL)
        return;
    if (n->op == OM_OP_AND) {
        flatten(x, n->a);
        flatten(x, n->b);
        return;
    }
    if (!OM_ROOM(x->vm->heap, c->at, &c->capacity, c->count + 1)) {
        x->vm->failed = true;
        return;
    }
    if (c->sure == c->count && !x->m->facts[e].faults)
        c->sure++;
    c->at[c->count++] = e;
}

static void take_apart(indexing *x, uint32_t t)
{
    x->conjuncts.count = x->conjuncts.sure = 0;
    flatten(x, x->items[t].guard);
}

static void drop_conjunct(indexing *x, size_t i)
{
    conjunction *c = &x->conjuncts;
    assert(i < c->count && c->sure <= c->count);
    for (size_t k = i + 1; k < c->count; k++)
        c->at[k - 1] = c->at[k];
    c->count--;
    c->sure -= i < c->sure;
}

/* ---- one move ---- */

/* Merges the test into one of the same word. Returns false if they contradict each other. */
static bool merge(uint32_t *mask, uint32_t *value, const om_instr *test)
{
    if ((*mask & test->mask & (*value ^ (uint32_t) test->value)) != 0)
        return false;
    *mask |= test->mask;
    *value |= (uint32_t) test->value;
    return true;
}

/* Removes the tests of one word, the first such word, from the sure conjuncts and merges them. */
static bool take_tests(indexing *x, uint32_t *word, uint32_t *mask, uint32_t *value)
{
    bool any = false;
    for (size_t i = 0; i < x->conjuncts.sure;) {
        om_instr test;
        bool fits = om_vm__as_test(x->vm, x->conjuncts.at[i], &test) && (!any || test.arg == *word);
        if (fits && !any) {
            *word = test.arg;
            *mask = *value = 0;
        }
        if (fits && merge(mask, value, &test)) {
            any = true;
            drop_conjunct(x, i);
        } else {
            i++;
        }
    }
    return any;
}

/* Puts the sure conjuncts in the order of their sizes: a short one often spares a long one, such as
 * "no process can move". There are few. */
static void put_short_first(indexing *x)
{
    conjunction *c = &x->conjuncts;
    for (size_t i = 1; i < c->sure; i++) {
        const om_expr e = c->at[i];
        size_t k = i;
        for (; k > 0 && x->m->facts[c->at[k - 1]].size > x->m->facts[e].size; k--)
            c->at[k] = c->at[k - 1];
        c->at[k] = e;
    }
}

/* Narrows the range of an instruction by that of another. Returns false if they contradict each
 * other. */
static bool narrow(om_instr *range, const om_instr *by)
{
    const om_wide ends = range->value + (om_wide) range->limit,
                  end = by->value + (om_wide) by->limit;
    const om_value low = range->value > by->value ? range->value : by->value;
    const om_wide high = ends < end ? ends : end;
    if (low > high)
        return false;
    range->value = low;
    range->limit = (uint32_t) (high - low);
    return true;
}

/* Removes the ranges of one field, the first such field, from the sure conjuncts and merges them.
 */
static bool take_ranges(indexing *x, om_instr *out)
{
    bool any = false;
    for (size_t i = 0; i < x->conjuncts.sure;) {
        om_instr r;
        const bool fits = om_vm__as_range(x->vm, x->conjuncts.at[i], &r) &&
                          (!any || (r.arg == out->arg && r.shift == out->shift));
        if (fits && !any)
            *out = r;
        if (fits && narrow(out, &r)) {
            any = true;
            drop_conjunct(x, i);
        } else {
            i++;
        }
    }
    return any;
}

/* Emits the remaining conjuncts and the negation of `unless`: tests of whole words first, then
 * ranges of fields, then the rest, short ones first. */
static uint32_t rest_program(indexing *x, om_expr unless)
{
    om_vm *vm = x->vm;
    conjunction *c = &x->conjuncts;
    uint32_t start = (uint32_t) vm->count;
    om_instr need = { .op = OM_VM_NEED_AT };
    uint32_t value = 0;
    if (c->count == 0 && unless == 0)
        return OM_NONE;
    while (take_tests(x, &need.arg, &need.mask, &value)) {
        need.value = (om_value) value;
        (void) om_vm__emit(vm, need);
    }
    while (take_ranges(x, &need))
        (void) om_vm__emit(vm, need);
    put_short_first(x);
    const om_expr last = unless == 0 && c->count > 0 ? c->at[--c->count] : unless;
    for (size_t i = 0; i < c->count; i++)
        om_vm__need(vm, c->at[i]);
    if (last != 0)
        om_vm__expression(vm, last);
    else
        (void) om_vm__emit(vm, (om_instr){ .op = OM_VM_CONST, .value = 1 });
    if (unless != 0)
        (void) om_vm__emit(vm, (om_instr){ .op = OM_VM_NOT });
    om_vm__end(vm, start);
    return start;
}

/* Makes a shared condition of the sure conjuncts that have the same users as number i. */
static void share(indexing *x, size_t i)
{
    om_vm *vm = x->vm;
    const om_expr first = x->conjuncts.at[i];
    const uint32_t number = vm->shared_count++;
    x->common.count = 0;
    for (size_t k = i; k < x->conjuncts.sure; k++) {
        const om_expr e = x->conjuncts.at[k];
        if (x->users[e] != x->users[first] || x->uses[e] != x->uses[first] || x->shared[e] != 0)
            continue;
        if (!OM_ROOM(vm->heap, x->common.at, &x->common.capacity, x->common.count + 1)) {
            vm->failed = true;
            return;
        }
        x->common.at[x->common.count++] = e;
        x->shared[e] = number + 1;
        x->parts[number]++;
    }
    x->common.sure = x->common.count;
    const conjunction all = x->conjuncts;
    x->conjuncts = x->common;
    vm->shared[number] = rest_program(x, 0);
    x->common = x->conjuncts;
    x->conjuncts = all;
}

/* Removes the conjuncts of a shared condition if all of them are sure. */
static bool drop_shared(indexing *x, uint32_t number)
{
    uint32_t parts = 0;
    for (size_t k = 0; k < x->conjuncts.sure; k++)
        parts += x->shared[x->conjuncts.at[k]] == number + 1;
    if (parts != x->parts[number])
        return false;
    for (size_t k = 0; k < x->conjuncts.sure;)
        if (x->shared[x->conjuncts.at[k]] == number + 1)
            drop_conjunct(x, k);
        else
            k++;
    return true;
}

/* Removes one condition that other transitions share; returns the number of its program. */
static uint32_t take_shared(indexing *x)
{
    om_vm *vm = x->vm;
    for (size_t i = 0; i < x->conjuncts.sure && !vm->failed; i++) {
        const om_expr e = x->conjuncts.at[i];
        if (x->uses[e] < SHARED_BY)
            continue;
        if (x->shared[e] == 0) {
            if (vm->shared_count == OM_VM_SHARED)
                continue;
            share(x, i);
        }
        const uint32_t number = x->shared[e] - 1;
        if (drop_shared(x, number))
            return number;
    }
    return OM_NONE;
}

/* Makes the move of an item. `indexed`: it is in a list for the first test of its guard. */
static void make_move(indexing *x, uint32_t t, bool indexed, om_vm_move *out)
{
    take_apart(x, t);
    assert(!indexed || x->vm->failed || x->conjuncts.sure > 0); /* the test that it is indexed by */
    if (indexed)
        drop_conjunct(x, 0);
    const item *of = &x->items[t];
    *out = (om_vm_move){ .number = of->number, .effect = OM_NONE };
    (void) take_tests(x, &out->word, &out->mask, &out->value);
    out->shared = take_shared(x);
    out->guard = rest_program(x, of->unless);
    if (of->effect)
        out->effect = om_vm__effect(x->vm, of->number);
}

/* ---- segments ---- */

static uint32_t lowest_bit(uint32_t mask)
{
    uint32_t bit = 0;
    assert(mask != 0);
    while ((mask >> bit & 1) == 0)
        bit++;
    return bit;
}

/* A field of the vector: the first bit, and the bits in the word before the shift. */
typedef struct field {
    uint32_t position; /* OM_NONE: no field */
    uint32_t mask;
} field;

static const field NO_FIELD = { OM_NONE, 0 };

/* Returns the field that the guard compares first, and sets *raw to the required bits. */
static field first_field(const indexing *x, uint32_t t, uint32_t *raw)
{
    om_expr e = x->items[t].guard;
    const om_node *n = om_model_node(x->m, e);
    om_instr test;
    while (n != NULL && n->op == OM_OP_AND)
        n = om_model_node(x->m, e = n->a);
    if (n == NULL || n->op != OM_OP_EQ || !om_vm__as_test(x->vm, e, &test))
        return NO_FIELD;
    const uint32_t shift = lowest_bit(test.mask);
    *raw = (uint32_t) test.value >> shift;
    return (field){ test.arg * 32 + shift, test.mask >> shift };
}

static void add_segment(indexing *x, om_vm_segment s)
{
    om_vm_index *out = x->out;
    if (!OM_ROOM(x->vm->heap, out->segments, &out->segment_capacity, out->segment_count + 1)) {
        x->vm->failed = true;
        return;
    }
    out->segments[out->segment_count++] = s;
}

/* Reserves `count` more starts, all 0, and returns the first of them. */
static uint32_t *add_starts(indexing *x, size_t count)
{
    om_vm_index *out = x->out;
    if (!OM_ROOM(x->vm->heap, out->starts, &out->start_capacity, out->start_count + count)) {
        x->vm->failed = true;
        return NULL;
    }
    uint32_t *at = out->starts + out->start_count;
    out->start_count += count;
    for (size_t i = 0; i < count; i++)
        at[i] = 0;
    return at;
}

/* Makes lists of the items [from, to) by the value of a field, or one list for NO_FIELD. */
static void segment(indexing *x, uint32_t from, uint32_t to, field by, uint32_t values)
{
    om_vm *vm = x->vm;
    assert(from < to && values > 0);
    const bool indexed = by.position != OM_NONE;
    om_vm_segment s = { .count = values, .first = (uint32_t) x->out->start_count, .mask = by.mask };
    if (indexed) {
        s.word = by.position / 32;
        s.shift = (uint8_t) (by.position % 32);
    }
    /* starts[v + 2] counts the items for v. Then starts[v + 1] is the position of the next
     * one for v, and finally the start of v + 1. */
    uint32_t *starts = add_starts(x, (size_t) values + 2);
    if (starts == NULL)
        return;
    for (uint32_t t = from; t < to; t++)
        starts[(indexed ? x->raw[t] : 0) + 2]++;
    starts[0] = starts[1] = from; /* there is a move for each item */
    for (uint32_t v = 0; v < values; v++)
        starts[v + 2] += starts[v + 1];
    for (uint32_t t = from; t < to && !vm->failed; t++) {
        uint32_t v = indexed ? x->raw[t] : 0;
        assert(v < values);
        make_move(x, t, indexed, &x->out->moves[starts[v + 1]++]);
    }
    assert(vm->failed || starts[values] == to); /* V4 */
    add_segment(x, s);
}

/* Makes a segment of the items [from, to), which all test the field first. */
static void indexed_segment(indexing *x, uint32_t from, uint32_t to, field by)
{
    uint32_t most = 0;
    for (uint32_t t = from; t < to; t++)
        most = x->raw[t] > most ? x->raw[t] : most;
    if (most / SPARSE_VALUES > to - from)
        segment(x, from, to, NO_FIELD, 1);
    else
        segment(x, from, to, by, most + 1);
}

static void segments(indexing *x)
{
    const uint32_t count = x->count;
    uint32_t ignored;
    for (uint32_t t = 0; t < count && !x->vm->failed;) {
        const field by = first_field(x, t, &x->raw[t]);
        const bool none = by.position == OM_NONE;
        uint32_t end = t + 1;
        while (end < count &&
               first_field(x, end, none ? &ignored : &x->raw[end]).position == by.position)
            end++;
        if (none)
            segment(x, t, end, NO_FIELD, 1);
        else
            indexed_segment(x, t, end, by);
        t = end;
    }
}

/* Counts the items that have each condition, except tests, which are cheap. */
static void count_uses(indexing *x)
{
    om_instr test;
    for (uint32_t t = 0; t < x->count; t++) {
        take_apart(x, t);
        for (size_t i = 0; i < x->conjuncts.sure; i++)
            if (!om_vm__as_test(x->vm, x->conjuncts.at[i], &test)) {
                x->uses[x->conjuncts.at[i]]++;
                x->users[x->conjuncts.at[i]] += om_random_next(&(om_random){ t + 1 });
            }
    }
}

/* Returns the item of an assertion: what must hold, and what must not, for it to fail. */
static item failure_of(const om_model *m, uint32_t i)
{
    const om_expr condition = om_model_assertion(m, i)->condition;
    const om_node *n = om_model_node(m, condition);
    return n->op == OM_OP_NOT     ? (item){ .number = i, .guard = n->a }
           : n->op == OM_OP_IMPLY ? (item){ .number = i, .guard = n->a, .unless = n->b }
                                  : (item){ .number = i, .unless = condition };
}

static void find_items(indexing *x, bool assertions)
{
    const om_model *m = x->m;
    x->count = 0;
    for (uint32_t t = 0; !assertions && t < om_model_transition_count(m); t++)
        if (!om_model__is_never(m, t))
            x->items[x->count++] =
                (item){ .number = t, .guard = om_model_transition(m, t)->guard, .effect = true };
    for (uint32_t i = 0; assertions && i < om_model_assertion_count(m); i++)
        if (om_model__checks(m, i))
            x->items[x->count++] = failure_of(m, i);
}

static void make_index(indexing *x, bool assertions, om_vm_index *out)
{
    find_items(x, assertions);
    x->out = out;
    if (!OM_NEW(x->vm->heap, out->moves, x->count + (size_t) 1)) {
        x->vm->failed = true;
        return;
    }
    count_uses(x);
    segments(x);
    for (size_t e = 0; e < x->m->node_count; e++)
        x->uses[e] = x->users[e] = 0;
}

/* ---- moves that wait ---- */

/* Returns the guard of the item of a move. */
static om_expr guard_of(const indexing *x, bool assertions, const om_vm_move *move)
{
    return assertions ? failure_of(x->m, move->number).guard
                      : om_model_transition(x->m, move->number)->guard;
}

/* Makes an index of the moves of `all` that do not wait; returns the number of the others. */
static size_t make_eager(indexing *x, bool assertions, const om_vm_index *all, om_vm_index *out)
{
    const om_heap *heap = x->vm->heap;
    uint32_t k = 0, kept = 0;
    const uint32_t count = all->segment_count == 0 ? 0 : all->starts[all->start_count - 1];
    *out = (om_vm_index){ .segment_count = all->segment_count, .start_count = all->start_count };
    if (!OM_NEW(heap, out->segments, all->segment_count) ||
        !OM_NEW(heap, out->starts, all->start_count) || !OM_NEW(heap, out->moves, count)) {
        x->vm->failed = true;
        return 0;
    }
    if (all->segment_count > 0)
        memcpy(out->segments, all->segments, all->segment_count * sizeof *all->segments);
    for (size_t i = 0; i < all->start_count; i++) {
        for (; k < all->starts[i]; k++)
            if (!om_idle__waits(&x->idle, guard_of(x, assertions, &all->moves[k])))
                out->moves[kept++] = all->moves[k];
        out->starts[i] = kept;
    }
    assert(k == count); /* starts rise over all segments */
    return count - kept;
}

static void make_both_eager(indexing *x)
{
    om_vm *vm = x->vm;
    const uint32_t count = om_model_transition_count(x->m);
    const size_t waiting = make_eager(x, false, &vm->all.steps, &vm->eager.steps) +
                           make_eager(x, true, &vm->all.checks, &vm->eager.checks);
    if (waiting == 0 || vm->failed)
        return;
    if (!OM_NEW(vm->heap, vm->ends_idle, count)) {
        vm->failed = true;
        return;
    }
    for (uint32_t t = 0; t < count; t++)
        vm->ends_idle[t] = om_idle__ends(&x->idle, om_model_transition(x->m, t)->guard);
}

void om_vm__index_moves(om_vm *vm)
{
    indexing x = { .vm = vm, .m = vm->model, .idle.m = vm->model };
    const size_t transitions = om_model_transition_count(x.m),
                 assertions = om_model_assertion_count(x.m),
                 most = (transitions > assertions ? transitions : assertions) + 1;
    if (!OM_NEW(vm->heap, x.uses, x.m->node_count) || !OM_NEW(vm->heap, x.users, x.m->node_count) ||
        !OM_NEW(vm->heap, x.shared, x.m->node_count) || !OM_NEW(vm->heap, x.raw, most) ||
        !OM_NEW(vm->heap, x.items, most) || !om_idle__open(&x.idle, x.m)) {
        vm->failed = true;
    } else {
        make_index(&x, false, &vm->all.steps);
        make_index(&x, true, &vm->all.checks);
        if (!vm->failed && x.idle.condition != 0)
            make_both_eager(&x);
    }
    om_idle__close(&x.idle);
    OM_FREE_ALL(vm->heap, x.uses, x.users, x.shared, x.raw, x.items, x.conjuncts.at, x.common.at);
}
