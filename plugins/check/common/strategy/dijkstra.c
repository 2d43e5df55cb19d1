/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parallel Dijkstra strategy, Renault et al. 2017, section 3.3.
 *
 * On the canvas, each worker keeps a stack of potential roots: partial components, each with the
 * marks seen in it. An edge to a live state closes a cycle and merges all components on it at once.
 *
 * Invariant of one worker (D2, D3: canvas.h):
 *  D1  The components of `pstack` partition the live stack into intervals: root i owns the live
 *      numbers from its own up to but excluding that of the next root. All states of an interval
 *      are in one class of the union-find, unless that class is dead.
 *
 * Bytes for each state of the product, with one worker: 4 of the live stack, 4 more while it is
 * live; while it is on the path, 8, and 8 for each edge from it to a state not met yet (and 24 if
 * it is a root). With several workers, that for each of them, 1, and 9 of the union-find (16 beyond
 * 8 sets) near a state that was united.
 */
#include "canvas.h"

#include <assert.h>

struct entry {      /* a root */
    uint64_t place; /* of the root itself, on the stack */
    uint64_t live;  /* number of the root on the live stack */
    om_marks marks; /* seen on edges within the component */
};

static int push_entry(searcher *s)
{
    if (!OM_ROOM(s->run->heap, s->pstack, &s->room, s->count + 1))
        return om_fail_memory(om_task_context(s->run->task));
    uint64_t number = om_live_stack_size(s->live) - 1;
    assert(s->count == 0 || s->pstack[s->count - 1].live < number); /* D1 */
    s->pstack[s->count++] = (entry){ .place = om_dfs_top(s->dfs), .live = number };
    note_peak(s, number);
    return OM_OK;
}

/* Reports that the topmost component accepts. */
static int found(searcher *s)
{
    const entry *top = &s->pstack[s->count - 1];
    strategy_announce(s->run);
    return strategy_found(
        s->run, s->dfs, om_dfs_at(s->dfs, top->place).to, top->marks, &s->live, top->live);
}

static int update(searcher *s, om_id to, uint64_t number, om_marks marks)
{
    entry *top = &s->pstack[s->count - 1];

    marks |= top->marks;
    while (number < top->live) {
        assert(s->count > 1); /* D1: the first root has the least live number */
        om_dfs_edge by = om_dfs_at(s->dfs, top->place);
        marks |= by.marks;
        int rc = s->run->classes == NULL ? OM_OK : unite(s, to, by.to, &marks);
        if (rc != OM_OK)
            return rc;
        top = &s->pstack[--s->count - 1];
        marks |= top->marks;
        if (s->died)
            return OM_OK;
    }
    top->marks = marks;
    return inf_clauses_met(&s->run->accepts, marks) ? found(s) : OM_OK;
}

/* (The first state of the path is always a root, so the stack is not empty.) */
static int pop(searcher *s, bool dead_already)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    const entry *top = &s->pstack[s->count - 1];
    assert(s->count > 0 && top->place <= place); /* D1 */

    om_dfs_cut(s->dfs, place);
    if (top->place != place)
        return OM_OK;
    s->count--;
    s->components++;
    int rc = dead_already ? OM_OK : mark_dead(s, id, top->live);
    om_live_stack_cut(s->live, top->live);
    return rc;
}

int strategy_dijkstra(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .worker = worker };
    int rc = canvas_open(&s);
    if (rc == OM_OK)
        rc = search(&s);
    canvas_close(&s, rc, sizeof *s.pstack);
    return rc;
}
