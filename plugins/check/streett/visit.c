/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants (Duret-Lutz, Poitrenaud, Couvreur 2009, section 4, Lemma 3 and Invariant 3):
 *  V1  The number of a state is n if and only if active[n - 1] is that state, for n from 1 to max.
 *  V2  The numbers of roots, and the indices where components' edges begin, increase along the
 *      stack.
 * So a component's states and edges are consecutive, and those of merged components already are.
 */
#include "visit.h"

#include <assert.h>
#include <string.h>

int visit_new(visit *v, om_task *task)
{
    v->task = task;
    return om_side_new(&v->numbers, om_task_product(task), sizeof(uint32_t));
}

void visit_free(visit *v)
{
    if (v->task == NULL)
        return;
    const om_heap *heap = om_task_heap(v->task);
    om_side_free(v->numbers);
    OM_FREE_ALL(heap, v->active, v->stack, v->succ.at, v->later.at);
    *v = (visit){ 0 };
}

uint64_t visit_bytes(const visit *v)
{
    return (v->numbers == NULL ? 0 : om_side_bytes(v->numbers)) + v->room * sizeof *v->active +
           v->stack_room * sizeof *v->stack + (v->succ.room + v->later.room) * sizeof(pending);
}

static int fail_memory(const visit *v)
{
    return om_fail_memory(om_task_context(v->task));
}

int visit_number(const visit *v, om_id id, uint32_t *number)
{
    const uint32_t *at = om_side_at(v->numbers, id);
    if (at == NULL)
        return fail_memory(v);
    *number = *at;
    return OM_OK;
}

static void note_peak(visit *v)
{
    size_t now = v->max + v->count + v->succ.count + v->later.count;
    v->peak = now > v->peak ? now : v->peak;
}

int visit_push(visit *v, const pending *by)
{
    const om_heap *heap = om_task_heap(v->task);
    uint32_t *number = om_side_at(v->numbers, by->to);
    om_id *active = om_grow(heap, v->active, &v->room, v->max + 1, sizeof *active);
    v->active = active != NULL ? active : v->active;
    component *stack = om_grow(heap, v->stack, &v->stack_room, v->count + 1, sizeof *stack);
    v->stack = stack != NULL ? stack : v->stack;
    if (number == NULL || active == NULL || stack == NULL)
        return fail_memory(v);
    if (v->max >= VISIT_REMOVED - 1)
        return om_fail(om_task_context(v->task), OM_ELIMIT, NULL,
            "a search for components with more than %u active states", VISIT_REMOVED - 1);
    assert(*number == VISIT_UNKNOWN);
    active[v->max++] = by->to;
    *number = (uint32_t) v->max; /* V1 */
    stack[v->count++] = (component){
        .root = v->max, .from = by->from, .by = by->marks, .succ = v->succ.count
    }; /* V2 */
    note_peak(v);
    return OM_OK;
}

int visit_add(visit *v, pending_list *to, const pending *e)
{
    if (!OM_ROOM(om_task_heap(v->task), to->at, &to->room, to->count + 1))
        return fail_memory(v);
    to->at[to->count++] = *e;
    return OM_OK;
}

void visit_merge(visit *v, uint64_t number, om_marks marks)
{
    size_t i = v->count - 1;
    assert(number <= v->max && v->stack[0].root <= number); /* V1, V2 */
    for (; v->stack[i].root > number; i--)
        marks |= v->stack[i].within | v->stack[i].by;
    v->stack[i].within |= marks;
    v->count = i + 1;
}

void visit_pop(visit *v, bool again)
{
    const component *c = visit_top(v);
    assert(v->succ.count == c->succ);
    while (v->max >= c->root) {
        uint32_t *number = om_side_at(v->numbers, v->active[v->max - 1]);
        assert(number != NULL && *number == v->max); /* V1 */
        *number = again ? VISIT_UNKNOWN : VISIT_REMOVED;
        v->max--;
    }
    v->count--;
}

/* Returns the component of the active state of this number. */
static size_t component_of(const visit *v, uint64_t number)
{
    size_t low = 0, high = v->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (v->stack[middle].root <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_active(const visit *v, om_id id, uint32_t *number)
{
    return visit_number(v, id, number) == OM_OK && *number != VISIT_UNKNOWN &&
           *number != VISIT_REMOVED;
}

bool visit_same(const visit *v, om_id a, om_id b)
{
    uint32_t i, k;
    return is_active(v, a, &i) && is_active(v, b, &k) && component_of(v, i) == component_of(v, k);
}

om_id *visit_path(const visit *v, size_t *n)
{
    om_id *path = om_resize(om_task_heap(v->task), NULL, 2 * v->count, sizeof *path);
    *n = 0;
    for (size_t i = 0; path != NULL && i < v->count; i++) {
        const component *c = &v->stack[i];
        if (i > 0 && path[*n - 1] != c->from)
            path[(*n)++] = c->from;
        path[(*n)++] = visit_state(v, c->root);
    }
    return path;
}
