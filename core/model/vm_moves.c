/* SPDX-License-Identifier: Apache-2.0 */
/* Which transitions are tried in a state, and how their guards are taken apart (see bytecode.h). */
#include "bytecode.h"

enum {
    SHARED_BY = 3,    /* transitions that make a condition worth remembering */
    SPARSE_VALUES = 4 /* lists a transition at most; a slot with more values is not indexed */
};

/* A guard as what must all hold, in the order of evaluation. */
typedef struct conjunction {
    om_expr *at;
    size_t count, capacity;
    size_t sure; /* the first so many cannot fault, so their order does not matter */
} conjunction;

typedef struct indexing {
    om_vm *vm;
    const om_model *m;
    conjunction conjuncts;
    uint32_t *uses;   /* by node: transitions with this condition among the sure ones */
    uint32_t *shared; /* by node: 1 + the number of the shared condition */
    uint32_t *raw;    /* by transition: the value its guard begins with */
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
    om_expr *at = om_grow(x->vm->heap, c->at, &c->capacity, c->count + 1, sizeof *at);
    if (at == NULL) {
        x->vm->failed = true;
        return;
    }
    c->at = at;
    if (c->sure == c->count && !x->m->facts[e].faults)
        c->sure++;
    c->at[c->count++] = e;
}

static void take_apart(indexing *x, uint32_t t)
{
    x->conjuncts.count = x->conjuncts.sure = 0;
    flatten(x, om_model_transition(x->m, t)->guard);
}

static void drop_conjunct(indexing *x, size_t i)
{
    conjunction *c = &x->conjuncts;
    for (size_t k = i + 1; k < c->count; k++)
        c->at[k - 1] = c->at[k];
    c->count--;
    c->sure -= i < c->sure;
}

/* ---- one move ---- */

/* Adds the test to one of the same word, unless they contradict each other. */
static bool merge(uint32_t *mask, uint32_t *value, const om_instr *test)
{
    if ((*mask & test->mask & (*value ^ (uint32_t) test->value)) != 0)
        return false;
    *mask |= test->mask;
    *value |= (uint32_t) test->value;
    return true;
}

/* The tests of one word among the sure conjuncts, the first such word. */
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

/* One condition that other transitions have too, as a program of its own. */
static uint32_t take_shared(indexing *x)
{
    om_vm *vm = x->vm;
    for (size_t i = 0; i < x->conjuncts.sure; i++) {
        om_expr e = x->conjuncts.at[i];
        if (x->uses[e] < SHARED_BY)
            continue;
        if (x->shared[e] == 0) {
            if (vm->shared_count == OM_VM_SHARED)
                continue;
            vm->shared[vm->shared_count] = om_vm__value(vm, e);
            x->shared[e] = ++vm->shared_count;
        }
        drop_conjunct(x, i);
        return x->shared[e] - 1;
    }
    return OM_NONE;
}

/* What is left: tests of whole words first, then the rest in its order. */
static uint32_t rest_program(indexing *x)
{
    om_vm *vm = x->vm;
    uint32_t start = (uint32_t) vm->count;
    om_instr need = { .op = OM_VM_NEED_AT };
    uint32_t value = 0;
    if (x->conjuncts.count == 0)
        return OM_NONE;
    while (take_tests(x, &need.arg, &need.mask, &value)) {
        need.value = (om_value) value;
        (void) om_vm__emit(vm, need);
    }
    if (x->conjuncts.count == 0)
        (void) om_vm__emit(vm, (om_instr){ .op = OM_VM_CONST, .value = 1 });
    for (size_t i = 0; i < x->conjuncts.count; i++) {
        if (i > 0)
            (void) om_vm__emit(vm, (om_instr){ .op = OM_VM_NEED });
        om_vm__expression(vm, x->conjuncts.at[i]);
    }
    (void) om_vm__emit(vm, (om_instr){ .op = OM_VM_END });
    return start;
}

/* The move of a transition; where `indexed`, in a list for what its guard begins with. */
static void make_move(indexing *x, uint32_t t, bool indexed, om_vm_move *out)
{
    take_apart(x, t);
    if (indexed)
        drop_conjunct(x, 0);
    *out = (om_vm_move){ .transition = t };
    (void) take_tests(x, &out->word, &out->mask, &out->value);
    out->shared = take_shared(x);
    out->guard = rest_program(x);
    out->effect = om_vm__effect(x->vm, t);
}

/* ---- segments ---- */

/* The slot that the guard begins with a test of, and the bits that it needs; or OM_NONE. */
static uint32_t first_slot(const indexing *x, uint32_t t, uint32_t *raw)
{
    om_expr e = om_model_transition(x->m, t)->guard;
    const om_node *n = om_model_node(x->m, e);
    om_instr test;
    while (n != NULL && n->op == OM_OP_AND)
        n = om_model_node(x->m, e = n->a);
    if (n == NULL || n->op != OM_OP_EQ || !om_vm__as_test(x->vm, e, &test))
        return OM_NONE;
    const om_node *a = om_model_node(x->m, n->a);
    if (a->op != OM_OP_SLOT)
        return OM_NONE;
    *raw = (uint32_t) test.value >> (om_model__slot(x->m, a->a)->position % 32);
    return a->a;
}

static void add_segment(om_vm *vm, om_vm_segment s)
{
    om_vm_segment *at =
        om_grow(vm->heap, vm->segments, &vm->segment_capacity, vm->segment_count + 1, sizeof *at);
    if (at == NULL) {
        vm->failed = true;
        return;
    }
    vm->segments = at;
    vm->segments[vm->segment_count++] = s;
}

/* Memory for `count` more starts, all 0; where they begin. */
static uint32_t *add_starts(om_vm *vm, size_t count)
{
    uint32_t *at =
        om_grow(vm->heap, vm->starts, &vm->start_capacity, vm->start_count + count, sizeof *at);
    if (at == NULL) {
        vm->failed = true;
        return NULL;
    }
    vm->starts = at;
    at += vm->start_count;
    vm->start_count += count;
    for (size_t i = 0; i < count; i++)
        at[i] = 0;
    return at;
}

/* Lists of the transitions [from, to) by the value of a slot, or one list of all for OM_NONE. */
static void segment(indexing *x, uint32_t from, uint32_t to, uint32_t slot, uint32_t values)
{
    om_vm *vm = x->vm;
    om_vm_segment s = { .count = values, .first = (uint32_t) vm->start_count };
    if (slot != OM_NONE) {
        const om_slot *of = om_model__slot(x->m, slot);
        s.word = of->position / 32;
        s.shift = (uint8_t) (of->position % 32);
        s.mask = UINT32_MAX >> (32 - of->bits);
    }
    /* starts[v + 2] counts v; then starts[v + 1] is where the next one of v goes, and in the end
     * where v + 1 begins. */
    uint32_t *starts = add_starts(vm, (size_t) values + 2);
    if (starts == NULL)
        return;
    for (uint32_t t = from; t < to; t++)
        starts[(slot == OM_NONE ? 0 : x->raw[t]) + 2]++;
    starts[0] = starts[1] = from; /* there is a move for each transition */
    for (uint32_t v = 0; v < values; v++)
        starts[v + 2] += starts[v + 1];
    for (uint32_t t = from; t < to && !vm->failed; t++) {
        uint32_t v = slot == OM_NONE ? 0 : x->raw[t];
        make_move(x, t, slot != OM_NONE, &vm->moves[starts[v + 1]++]);
    }
    add_segment(vm, s);
}

/* Transitions [from, to) that all test the slot first. */
static void indexed_segment(indexing *x, uint32_t from, uint32_t to, uint32_t slot)
{
    uint32_t most = 0;
    for (uint32_t t = from; t < to; t++)
        most = x->raw[t] > most ? x->raw[t] : most;
    if (most / SPARSE_VALUES > to - from)
        segment(x, from, to, OM_NONE, 1);
    else
        segment(x, from, to, slot, most + 1);
}

static void segments(indexing *x)
{
    uint32_t count = om_model_transition_count(x->m), ignored;
    for (uint32_t t = 0; t < count && !x->vm->failed;) {
        uint32_t slot = first_slot(x, t, &x->raw[t]), end = t + 1;
        while (end < count && first_slot(x, end, slot == OM_NONE ? &ignored : &x->raw[end]) == slot)
            end++;
        if (slot == OM_NONE)
            segment(x, t, end, OM_NONE, 1);
        else
            indexed_segment(x, t, end, slot);
        t = end;
    }
}

/* How many transitions have each condition, tests aside: those are cheap. */
static void count_uses(indexing *x)
{
    om_instr test;
    for (uint32_t t = 0; t < om_model_transition_count(x->m); t++) {
        take_apart(x, t);
        for (size_t i = 0; i < x->conjuncts.sure; i++)
            if (!om_vm__as_test(x->vm, x->conjuncts.at[i], &test))
                x->uses[x->conjuncts.at[i]]++;
    }
}

void om_vm__index_moves(om_vm *vm)
{
    indexing x = { .vm = vm, .m = vm->model };
    uint32_t count = om_model_transition_count(x.m);
    x.uses = om_alloc(vm->heap, x.m->node_count, sizeof *x.uses);
    x.shared = om_alloc(vm->heap, x.m->node_count, sizeof *x.shared);
    x.raw = om_alloc(vm->heap, count, sizeof *x.raw);
    vm->moves = om_alloc(vm->heap, count, sizeof *vm->moves);
    if (x.uses == NULL || x.shared == NULL || x.raw == NULL || vm->moves == NULL) {
        vm->failed = true;
    } else {
        count_uses(&x);
        segments(&x);
    }
    om_free(vm->heap, x.uses);
    om_free(vm->heap, x.shared);
    om_free(vm->heap, x.raw);
    om_free(vm->heap, x.conjuncts.at);
}
