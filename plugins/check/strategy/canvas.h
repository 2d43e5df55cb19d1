/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canvas.h: the depth-first search that both strategies are refinements of, Renault et al. 2017,
 * section 3.1, algorithm 1 (the generic canvas), with the dead bit of section 3.5. Included by each
 * strategy's file, which says what is in an `entry` of its stack and defines the three functions
 * that are declared here.
 *
 * A worker numbers its live states (the live stack). States that it has left for good it knows to
 * be dead by that. What others found dead it reads from a byte of each state or, as published, from
 * the union-find. Where components are single states, as they mostly are, the union-find has
 * nothing to tell but that, in eight bytes a state and with a compare-and-swap (bridge.3, two
 * workers: 0.34 s of processor time, 0.31 s with bytes, and 0.27 s for a worker alone).
 *
 * Edges to states that are live or dead already are dealt with when the state that they leave is
 * entered, all at once: their memory is fetched together, and they never take room on the stack.
 *
 * A state is dead when no cycle that accepts can be reached from it; so is then all that it leads
 * to, its whole component among that. Invariants of one worker:
 *  D2  What is said to be dead is dead. It is said of the live states from a root on when each of
 *      them is dead or has been left by all its edges, which lead to those states or to what was
 *      said to be dead, and the marks on edges between them do not accept. A cycle that does would
 *      have a dead state otherwise. (So it does not matter that the bytes of a component are
 *      written one after the other, while others read them.)
 *  D3  A state is taken off the live stack when it is dead: what the live stack remembers is dead.
 *
 * A worker that has finished from every initial state knows everything to be dead: the search is
 * complete.
 */
#ifndef OMEN_CHECK_STRATEGY_CANVAS_H
#define OMEN_CHECK_STRATEGY_CANVAS_H

#include "strategy.h"

typedef struct entry entry;

typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_dfs *dfs;
    om_live_stack *live;
    entry *pstack; /* the strategy's own */
    size_t count, room;
    bool died; /* the last state of the path turned out to be dead */
    uint64_t components;
    uint64_t unions, finds; /* calls of the union-find */
    uint64_t peak;          /* most entries of `live` and `pstack` */
} searcher;

/* PUSH: the last state of the path, and of the live stack, is new there. */
static int push_entry(searcher *s);
/* To be called by it, with the number of that state on the live stack. */
static void note_peak(searcher *s, uint64_t number)
{
    uint64_t entries = number + 1 + s->count;
    s->peak = s->peak < entries ? entries : s->peak;
}

/* UPDATE: an edge with these marks from the last state of the path to the live state `to`. */
static int update(searcher *s, om_id to, uint64_t number, om_marks marks);
/* POP: the last state of the path has been left by all its edges, or is dead anyway. */
static int pop(searcher *s, bool dead_already);

static int fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->run->task));
}

/* Does its byte say that a state is dead? */
static bool reads_dead(const atomic_uchar *byte)
{
    /* relaxed: D2 is about the graph, and nothing comes with it. */
    return atomic_load_explicit(byte, memory_order_relaxed) != 0;
}

/* The live states from this number on are dead, by their bytes. */
static int kill_states(searcher *s, uint64_t from)
{
    enum { AHEAD = 16 };
    uint64_t end = om_live_stack_size(s->live);
    for (uint64_t i = from; i < end; i++) {
        if (i + AHEAD < end)
            om_side_fetch(s->run->dead, om_live_stack_at(s->live, i + AHEAD));
        atomic_uchar *byte = om_side_at(s->run->dead, om_live_stack_at(s->live, i));
        if (byte == NULL)
            return fail_memory(s);
        /* Where others have said it, their cache line stays. relaxed: as above. */
        if (!reads_dead(byte))
            atomic_store_explicit(byte, 1, memory_order_relaxed);
    }
    return OM_OK;
}

/* Did others find a state dead? By its class. */
static int is_dead(searcher *s, om_id id, bool *dead)
{
    if (s->run->put != NULL)
        return om_unionfind_known_dead(s->run->classes, id, dead);
    s->finds++;
    return om_unionfind_dead(s->run->classes, id, dead);
}

/* Unites two classes that are one component, and adds these marks; *marks gets all that the class
 * has seen. */
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
        if (!s->died) /* no marks, or dead? */
            rc = is_dead(s, to, &s->died);
    }
    *marks |= total;
    return rc;
}

/* The component of a state has been explored, and does not accept: the live states from this number
 * on. */
static int kill(searcher *s, om_id id, uint64_t from)
{
    if (s->run->dead != NULL)
        return kill_states(s, from);
    if (s->run->put != NULL)
        return s->run->put(s->run, s->worker, &(strategy_message){ id, OM_NO_ID, 0 });
    if (s->run->classes == NULL)
        return OM_OK;
    s->unions++; /* with the artificial state of all that is dead, as published */
    return om_unionfind_kill(s->run->classes, id);
}

/* One edge that leaves the last state of the path: *fresh where it leads to a state that is neither
 * live nor dead; else the edge has been dealt with. */
static int look(searcher *s, om_dfs_edge e, bool *fresh)
{
    bool dead = false;
    int rc = OM_OK;

    *fresh = false;
    if (s->run->dead != NULL) { /* most are, whoever said it */
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

/* What look() will read of the edges that leave a state. Of the first NOTED, those that lead to
 * what is dead by its byte, as bits: nothing else need be read of them. */
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

/* A state that is neither live nor dead is live now. */
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
    /* The last one is followed first: the cursor's order, backwards. */
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

/* Leaves all states at the end of the path that are dead (D2). */
static int leave_dead(searcher *s)
{
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

/* Tells what came of the search, which returned `rc`. `size`: of an entry. */
static void canvas_close(searcher *s, int rc, size_t size)
{
    om_run *run = s->run;
    if (rc == OM_OK) {
        om_task_complete(run->task);
        if (run->workers == 1) /* several workers find the same component more than once */
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
