/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.h: the depth-first search that both strategies refine: Renault et al. 2017, section 3.1,
 * algorithm 1 (the generic canvas), with the dead bit of section 3.5. The file of each strategy
 * includes it, defines the `entry` of its stack and the three functions that are declared here.
 *
 * A worker numbers its live states (the live stack), which also tells the states that it has left
 * for good: those are dead. Dead states of other workers are recorded in a byte of each state or,
 * as published, in the union-find. If components are single states, as most are, the union-find has
 * nothing else to record, but takes eight bytes a state and a compare-and-swap (bridge.3, two
 * workers: 0.34 s of processor time, 0.31 s with bytes, and 0.27 s for a single worker).
 *
 * Edges to live or dead states are processed when the state that they leave is entered, all at
 * once: their memory is fetched together, and they never take room on the stack.
 *
 * A state is dead if no accepting cycle can be reached from it; then all states reachable from it
 * are dead, too, including its whole component. Invariants of one worker:
 *  D2  Every state that is marked dead is dead. A worker marks the live states from a root on when
 *      each of them is dead or has been left by all its edges, those edges lead to these states or
 *      to states marked dead, and the marks on edges between these states do not accept. Any
 *      accepting cycle would therefore contain a dead state. (So it does not matter that the bytes
 *      of a component are written one after the other, while other workers read them.)
 *  D3  A state is taken off the live stack when it is dead: all states that the live stack
 *      remembers are dead.
 *
 * A worker that has finished from every initial state knows that every state is dead: the search is
 * complete.
 */
#ifndef OMEN_CHECK_STRATEGY_CANVAS_H
#define OMEN_CHECK_STRATEGY_CANVAS_H

#include "strategy.h"

#include <assert.h>

typedef struct entry entry;

typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_dfs *dfs;
    om_live_stack *live;
    entry *pstack; /* defined by the strategy */
    size_t count, room;
    bool died; /* true if the last state of the path was found dead */
    uint64_t components;
    uint64_t unions, finds; /* number of calls of the union-find */
    uint64_t peak;          /* maximum number of entries of `live` and `pstack` */
} searcher;

/* PUSH: adds an entry for the last state of the path, which is also new on the live stack. */
static int push_entry(searcher *s);
/* Updates the peak; push_entry() calls it with the number of that state on the live stack. */
static void note_peak(searcher *s, uint64_t number)
{
    uint64_t entries = number + 1 + s->count;
    s->peak = s->peak < entries ? entries : s->peak;
}

/* UPDATE: processes an edge with these marks from the last state of the path to the live state
 * `to`. */
static int update(searcher *s, om_id to, uint64_t number, om_marks marks);
/* POP: leaves the last state of the path, after all its edges were followed or because it is
 * dead. */
static int pop(searcher *s, bool dead_already);

static int fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->run->task));
}

/* Returns true if its byte marks a state as dead. */
static bool reads_dead(const atomic_uchar *byte)
{
    /* relaxed: D2 is about the graph, and no other data depends on the byte. */
    return atomic_load_explicit(byte, memory_order_relaxed) != 0;
}

/* Marks the live states from this number on as dead, in their bytes. */
static int kill_states(searcher *s, uint64_t from)
{
    enum { AHEAD = 16 };
    uint64_t end = om_live_stack_size(s->live);
    assert(from < end); /* D2 */
    for (uint64_t i = from; i < end; i++) {
        if (i + AHEAD < end)
            om_side_fetch(s->run->dead, om_live_stack_at(s->live, i + AHEAD));
        atomic_uchar *byte = om_side_at(s->run->dead, om_live_stack_at(s->live, i));
        if (byte == NULL)
            return fail_memory(s);
        /* If another worker has marked the state, its cache line stays shared. relaxed: as
         * above. */
        if (!reads_dead(byte))
            atomic_store_explicit(byte, 1, memory_order_relaxed);
    }
    return OM_OK;
}

/* Sets *dead if the class of a state is marked dead. */
static int is_dead(searcher *s, om_id id, bool *dead)
{
    if (s->run->put != NULL)
        return om_unionfind_known_dead(s->run->classes, id, dead);
    s->finds++;
    return om_unionfind_dead(s->run->classes, id, dead);
}

/* Unites the classes of two states of one component and adds `*marks`, which receives all marks
 * that the class has seen. */
static int unite(searcher *s, om_id to, om_id from, om_marks *marks)
{
    om_marks total;

    if (s->run->put != NULL)
        return s->run->put(s->run, s->worker, &(strategy_message){ to, from, *marks });
    s->unions++;
    int rc = om_unionfind_unite(s->run->classes, to, from, *marks, &total);
    if (rc != OM_OK) {
        atomic_store(&s->run->torn, true);
        return rc;
    }
    if (total == 0 && s->run->dead == NULL) {
        s->died = *marks != 0;
        if (!s->died) /* no marks, or dead */
            rc = is_dead(s, to, &s->died);
    }
    *marks |= total;
    return rc;
}

/* Marks a component, the live states from number `from` on, as dead: it was explored and does not
 * accept. */
static int mark_dead(searcher *s, om_id id, uint64_t from)
{
    if (s->run->dead != NULL)
        return kill_states(s, from);
    if (s->run->put != NULL)
        return s->run->put(s->run, s->worker, &(strategy_message){ id, OM_NO_ID, 0 });
    if (s->run->classes == NULL)
        return OM_OK;
    s->unions++; /* with the artificial state of all dead states, as published */
    return om_unionfind_kill(s->run->classes, id);
}

/* Looks at one edge that leaves the last state of the path. Sets *fresh if it leads to a state that
 * is neither live nor dead; otherwise the edge has been processed. */
static int look(searcher *s, om_dfs_edge e, bool *fresh)
{
    bool dead = false;
    int rc = OM_OK;

    *fresh = false;
    if (s->run->dead != NULL) { /* the usual case, whichever worker marked it */
        const atomic_uchar *byte = om_side_at(s->run->dead, e.to);
        if (byte == NULL || reads_dead(byte))
            return byte == NULL ? fail_memory(s) : OM_OK;
    }
    uint64_t number = om_live_stack_find(s->live, e.to);
    dead = number == OM_LIVE_STACK_GONE; /* D3 */
    if (!dead && number != OM_NO_ID)
        return update(s, e.to, number, e.marks);
    if (!dead && s->run->classes != NULL && s->run->dead == NULL)
        rc = is_dead(s, e.to, &dead);
    *fresh = !dead;
    return rc;
}

enum { NOTED = 64 };

/* Prefetches the memory that look() reads for the edges of a state. Sets in `dead` the bits of the
 * edges, among the first NOTED, whose target is dead by its byte: nothing else is read for them. */
static int fetch_bytes(const searcher *s, const om_step *steps, size_t n, uint64_t *dead)
{
    const atomic_uchar *byte[NOTED];
    size_t most = n < NOTED ? n : NOTED;
    for (size_t i = 0; i < most; i++) {
        byte[i] = om_side_at(s->run->dead, steps[i].to);
        if (byte[i] == NULL)
            return fail_memory(s);
        __builtin_prefetch(byte[i]);
    }
    for (size_t i = 0; i < most; i++)
        if (reads_dead(byte[i]))
            *dead |= UINT64_C(1) << i;
        else if (!steps[i].fresh)
            om_live_stack_fetch(s->live, steps[i].to);
    return OM_OK;
}

static int fetch(const searcher *s, const om_step *steps, size_t n, uint64_t *dead)
{
    if (s->run->dead != NULL)
        return fetch_bytes(s, steps, n, dead);
    for (size_t i = 0; i < n; i++) {
        if (steps[i].fresh)
            continue;
        om_live_stack_fetch(s->live, steps[i].to);
        if (s->run->classes != NULL)
            om_unionfind_fetch(s->run->classes, steps[i].to);
    }
    return OM_OK;
}

/* Makes a state live that is neither live nor dead. */
static int push(searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    uint64_t dead = 0;

    int rc = om_dfs_enter(s->dfs, by, &steps, &n);
    if (rc == OM_OK)
        rc = om_live_stack_push(s->live, by.to);
    if (rc == OM_OK)
        rc = push_entry(s);
    if (rc == OM_OK)
        rc = fetch(s, steps, n, &dead);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK && !s->died) {
        bool fresh = steps[n].fresh;
        if (n < NOTED && (dead >> n & 1) != 0)
            continue;
        if (!fresh)
            rc = look(s, (om_dfs_edge){ steps[n].to, steps[n].marks }, &fresh);
        if (fresh)
            om_dfs_add(s->dfs, &steps[n]);
    }
    return rc;
}

/* Leaves all dead states at the end of the path (D2). */
static int leave_dead(searcher *s)
{
    assert(s->died);
    int rc = OM_OK;
    while (rc == OM_OK && om_dfs_depth(s->dfs) > 0) {
        om_id last = om_dfs_at(s->dfs, om_dfs_top(s->dfs)).to;
        rc = is_dead(s, last, &s->died);
        if (rc != OM_OK || !s->died)
            return rc;
        rc = pop(s, true);
    }
    s->died = false;
    return rc;
}

static int search(searcher *s)
{
    om_dfs_edge e;
    int rc = om_dfs_start(s->dfs);
    while (rc == OM_OK) {
        bool fresh = false;
        if (s->died)
            rc = leave_dead(s);
        else if (om_dfs_next(s->dfs, &e))
            rc = look(s, e, &fresh);
        else if (om_dfs_depth(s->dfs) > 0)
            rc = pop(s, false);
        else
            break;
        if (fresh && rc == OM_OK)
            rc = push(s, e);
    }
    return rc;
}

static int canvas_open(searcher *s)
{
    int rc = om_dfs_new(&s->dfs, s->run->task, s->worker);
    return rc == OM_OK ? om_live_stack_new(&s->live, om_task_product(s->run->task)) : rc;
}

/* Reports the outcome `rc` of the search. `size`: of an entry, in bytes. */
static void canvas_close(searcher *s, int rc, size_t size)
{
    om_run *run = s->run;
    if (rc == OM_OK) {
        om_task_complete(run->task);
        if (run->workers == 1) /* several workers count a component more than once */
            om_task_add_sccs(run->task, s->components);
    }
    if (s->live != NULL)
        om_task_add_counts(
            run->task, 0, 0, om_live_stack_bytes(s->live) + om_dfs_bytes(s->dfs) + s->room * size);
    om_task_count(run->task, OM_COUNT_UNIONS, s->unions);
    om_task_count(run->task, OM_COUNT_FINDS, s->finds);
    om_task_count(run->task, OM_COUNT_PEAK_STACK, s->peak);
    strategy_ended(run);
    om_live_stack_free(s->live);
    om_dfs_free(s->dfs);
    om_free(run->heap, s->pstack);
}

#endif
