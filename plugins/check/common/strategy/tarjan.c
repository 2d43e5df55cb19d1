/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parallel Tarjan strategy, Renault et al. 2017, section 3.2.
 *
 * On the canvas, each worker keeps the lowlink of each state of its path: the smallest number of a
 * live state that it is known to reach. The lowlink becomes smaller at an edge to a live state, and
 * when a state is left that is not the root of a component. Each time, two states are known to be
 * in one component and are united, with the marks between them. A state whose lowlink is its own
 * number when it is left is a root, and its component is the live states from there on.
 *
 * Marks. The marks that unite() returns were seen in the component, by this worker or by others:
 * all of them together are evidence at once. But they may lack marks that another worker is just
 * adding to the root of a class (unionfind.c, U3), and a component must not be declared dead
 * because of that. So an entry of the stack has marks, too: those of all edges that were united
 * into it. When a root is left, it has the marks of all edges in its component, whatever the
 * union-find says. A single worker uses only these.
 *
 * Invariants of one worker (D2, D3: canvas.h):
 *  T1  Entry i of `pstack` is of the i-th state of the path. Its marks are on edges within the
 *      component of that state; if it has marks or has been lowered, the component has a cycle.
 *  T2  After a state has been left by all its edges, the live states from its number on are its
 *      component if it is a root; otherwise they are in the component of the state before it on the
 *      path.
 *
 * Evidence (section 3.7). The states of the path from a lowlink to the state where it was found are
 * united only when they are left. So found() unites them now, as if all were left and no root were
 * dead. Each class is then connected within itself, for the following reason. Take the edges that
 * were united, and a live state x that is no root. Its lowlink came by edges down the tree and one
 * edge to the live state y of that number, all united; so x reaches y in its class, and from y, in
 * the same way, a root. That root is the first one above x in the tree: an older state would have
 * made the lowlink of x smaller, and a root above y but not above x would have been dead before x
 * saw y. From that root to x, the edges of the tree are united. Classes that share a state are
 * connected if each of them is.
 *
 * While a large component is live, each worker explores all of it (strategy.h).
 *
 * Bytes for each state of the product, with one worker: 4 of the live stack, 4 more while it is
 * live; while it is on the path, 32, and 8 for each edge from it to a state not met yet. With
 * several workers, that for each of them, 1, and 9 of the union-find (16 beyond 8 sets) near a
 * state that was united.
 */
#include "canvas.h"

#include <assert.h>

struct entry {            /* a state of the path */
    uint64_t place;       /* on the stack */
    uint32_t number, low; /* on the live stack, which has fewer than 2^32 states */
    om_marks marks;
};

static int push_entry(searcher *s)
{
    if (!OM_ROOM(s->run->heap, s->pstack, &s->room, s->count + 1))
        return om_fail_memory(om_task_context(s->run->task));
    uint32_t number = (uint32_t) (om_live_stack_size(s->live) - 1);
    s->pstack[s->count++] = (entry){ .place = om_dfs_top(s->dfs), .number = number, .low = number };
    assert(s->count == om_dfs_depth(s->dfs)); /* T1 */
    note_peak(s, number);
    return OM_OK;
}

static bool is_root(const entry *e)
{
    return e->low == e->number;
}

static void lower(entry *e, uint32_t low)
{
    e->low = low < e->low ? low : e->low;
}

static om_dfs_edge into(const searcher *s, const entry *e)
{
    return om_dfs_at(s->dfs, e->place);
}

/* Unites the states of the path as if all were left and no root were dead (section 3.7). If memory
 * runs out, sets run->torn. */
static void unite_path(searcher *s)
{
    int rc = OM_OK;
    for (size_t i = s->count; i-- > 1;) {
        const entry *e = &s->pstack[i];
        if (is_root(e))
            continue;
        lower(&s->pstack[i - 1], e->low);
        om_dfs_edge by = into(s, e);
        if (s->run->classes != NULL && rc == OM_OK)
            rc = unite(s, by.to, into(s, e - 1).to, &by.marks);
    }
}

/* Reports that the last state of the path is in an accepting component. */
static int found(searcher *s)
{
    strategy_announce(s->run);
    unite_path(s);
    const entry *root = &s->pstack[s->count - 1];
    const om_marks marks = root->marks;
    while (!is_root(root))
        root--;
    s->count = 0; /* the path is handed over, so work() must not unite it again */
    return strategy_found(s->run, s->dfs, into(s, root).to, marks, &s->live, root->number);
}

/* Records that the last state of the path and `to` are in one component, by an edge with these
 * marks. */
static int learn(searcher *s, om_id to, om_marks marks)
{
    entry *top = &s->pstack[s->count - 1];
    if (s->run->classes != NULL) {
        int rc = unite(s, to, into(s, top).to, &marks);
        if (rc != OM_OK || s->died)
            return rc;
    }
    top->marks |= marks;
    return inf_clauses_met(&s->run->accepts, top->marks) ? found(s) : OM_OK;
}

static int update(searcher *s, om_id to, uint64_t number, om_marks marks)
{
    lower(&s->pstack[s->count - 1], (uint32_t) number);
    return learn(s, to, marks);
}

static int pop(searcher *s, bool dead_already)
{
    const entry top = s->pstack[--s->count];
    om_dfs_edge by = into(s, &top);

    assert(top.place == om_dfs_top(s->dfs) && top.low <= top.number); /* T1 */
    om_dfs_cut(s->dfs, top.place);
    if (dead_already || is_root(&top)) {
        s->components++;
        int rc = dead_already ? OM_OK : mark_dead(s, by.to, top.number);
        om_live_stack_cut(s->live, top.number); /* D2: all states above it are dead */
        return rc;
    }
    assert(s->count > 0); /* T2: the first state of the path is a root */
    lower(&s->pstack[s->count - 1], top.low);
    return learn(s, by.to, by.marks | top.marks);
}

int strategy_tarjan(om_run *run, unsigned worker)
{
    searcher s = { .run = run, .worker = worker };
    int rc = canvas_open(&s);
    if (rc == OM_OK)
        rc = search(&s);
    if (rc != OM_OK && s.count > 0 && run->classes != NULL && strategy_must_report(run))
        unite_path(&s);
    canvas_close(&s, rc, sizeof *s.pstack);
    return rc;
}
