/* SPDX-License-Identifier: Apache-2.0 */
/* The searches inside the accepting part. For H1 and H2 see weak-hybrid.c. */
#include "hybrid.h"

#include <assert.h>

/* Records the cycle closed by an edge to this state of the path, for hybrid_report(). The first
 * cycle counts. */
static int found(searcher *s, om_id closes)
{
    searcher *none = NULL;
    assert(om_dfs_depth(s->dfs) > 0);
    s->closes = closes;
    /* relaxed: other fields of the finder are read only after all workers have ended. */
    (void) atomic_compare_exchange_strong_explicit(
        &s->run->finder, &none, s, memory_order_relaxed, memory_order_relaxed);
    return OM_ESTOP;
}

int hybrid_report(searcher *s)
{
    om_id *way = NULL, last = om_dfs_at(s->dfs, om_dfs_top(s->dfs)).to;
    om_cursor *c = om_dfs_cursor(s->dfs);
    const om_step *steps;
    size_t n = 0, edges;
    int rc = om_bfs_path(s->run->bfs, c, s->root, &way, &n);
    for (size_t i = 0; i + 1 < n && rc == OM_OK; i++) /* the root is on the path */
        rc = om_dfs_enter(s->way, (om_dfs_edge){ way[i], 0 }, &steps, &edges);
    om_free(s->run->heap, way);
    if (rc == OM_OK)
        return om_dfs_found(s->dfs, s->closes, NULL);
    if (rc == OM_EINTERNAL)
        return rc;
    om_evidence e = OM_EVIDENCE(&last, 1); /* reported without the path */
    e.entry = 0;
    return om_task_evidence(s->run->task, &e);
}

int hybrid_colour(searcher *s, om_id id, unsigned char *out)
{
    const atomic_uchar *at = om_side_at(s->run->colours, id);
    if (at == NULL)
        return hybrid_fail_memory(s);
    /* acquire: pairs with the release in leave() (H1). */
    *out = atomic_load_explicit(at, memory_order_acquire);
    return OM_OK;
}

/* Returns true if an open state is on this worker's path. Usually its mark decides: a state gets it
 * once, and loses it for good when it is left. */
static bool on_own_path(const searcher *s, om_id id, unsigned char colour)
{
    return (colour == s->mark && colour != HYBRID_OPEN) || path_set_has(&s->path, id);
}

static void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!steps[i].fresh && s->run->accepting[steps[i].automaton_state])
            om_side_fetch(s->run->colours, steps[i].to);
}

/* The kind of an edge of the last state of the path */
enum { NOWHERE, TO_OWN_PATH, TO_OTHERS, TO_NEW };

static int look(searcher *s, const om_step *step, unsigned char *leads)
{
    unsigned char colour = HYBRID_NEW;
    int rc = OM_OK;
    *leads = NOWHERE;
    if (!s->run->accepting[step->automaton_state])
        return step->fresh ? om_bfs_add(s->run->bfs, s->worker, step->to) : OM_OK; /* H2 */
    if (!step->fresh)
        rc = hybrid_colour(s, step->to, &colour);
    if (colour == HYBRID_NEW)
        *leads = TO_NEW;
    else if (colour != HYBRID_DEAD)
        *leads = on_own_path(s, step->to, colour) ? TO_OWN_PATH : TO_OTHERS;
    return rc;
}

/* Adds the edges of one kind. They are followed in reverse order of adding, so add them backwards
 * to keep the cursor's order. */
static void add_all(searcher *s, const om_step *steps, size_t n, unsigned char kind)
{
    while (n-- > 0)
        if (s->leads[n] == kind)
            om_dfs_add(s->dfs, &steps[n]);
}

/* Processes all edges of the last state of the path. */
static int add(searcher *s, const om_step *steps, size_t n)
{
    om_id closes = OM_NO_ID;
    int rc = OM_OK;
    if (!OM_ROOM(s->run->heap, s->leads, &s->leads_capacity, n + 1))
        return hybrid_fail_memory(s);
    fetch(s, steps, n);
    for (size_t i = 0; i < n && rc == OM_OK; i++) {
        rc = look(s, &steps[i], &s->leads[i]);
        if (s->leads[i] == TO_OWN_PATH)
            closes = steps[i].to;
    }
    if (rc != OM_OK)
        return rc;
    if (closes != OM_NO_ID)
        return found(s, closes);
    if (s->run->workers > 1)
        add_all(s, steps, n, TO_OTHERS); /* they may be dead before they are followed */
    add_all(s, steps, n, TO_NEW);
    return OM_OK;
}

/* Enters a state that has become the last one of the path. */
static int enter(searcher *s, om_id id, const om_step *steps, size_t n)
{
    unsigned char expected = HYBRID_NEW;
    atomic_uchar *at = om_side_at(s->run->colours, id);
    if (at == NULL)
        return hybrid_fail_memory(s);
    /* relaxed: a worker that sees the state open only looks for it on its own path. If another
     * worker has made it dead meanwhile, it stays dead. */
    bool first = atomic_compare_exchange_strong_explicit(
        at, &expected, s->mark, memory_order_relaxed, memory_order_relaxed);
    if ((!first || s->mark == HYBRID_OPEN) && !path_set_add(&s->path, s->run->heap, id))
        return hybrid_fail_memory(s);
    return add(s, steps, n);
}

/* Follows an edge to a state that was not on the path when the edge was added. It still is not: it
 * would have been entered above the state that the edge leaves. */
static int follow(searcher *s, om_dfs_edge e)
{
    const om_step *steps;
    size_t n;
    unsigned char colour = HYBRID_NEW;
    int rc = hybrid_colour(s, e.to, &colour);
    if (rc != OM_OK || colour == HYBRID_DEAD)
        return rc;
    rc = om_dfs_enter(s->dfs, e, &steps, &n);
    return rc == OM_OK ? enter(s, e.to, steps, n) : rc;
}

/* Called after all edges of the last state of the path have been followed. */
static void leave(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    atomic_uchar *at = om_side_at(s->run->colours, id); /* not NULL, because enter() has used it */
    om_dfs_cut(s->dfs, place);
    /* relaxed: this worker's own mark, another's, or dead. */
    if (atomic_load_explicit(at, memory_order_relaxed) != s->mark || s->mark == HYBRID_OPEN)
        path_set_remove(&s->path, id);
    /* release: pairs with the acquire in hybrid_colour() (H1). */
    atomic_store_explicit(at, HYBRID_DEAD, memory_order_release);
}

int hybrid_search(searcher *s, om_id end)
{
    const om_step *steps;
    size_t n;
    om_dfs_edge e;
    unsigned char colour = HYBRID_NEW;
    int rc = hybrid_colour(s, end, &colour);
    if (rc != OM_OK || colour == HYBRID_DEAD)
        return rc;
    assert(om_dfs_depth(s->dfs) == 0 && s->path.count == 0);
    s->root = end;
    /* release: pairs with the acquire in join_another(); the end may have been stored just now. */
    atomic_store_explicit(&s->current, end, memory_order_release);
    rc = om_dfs_enter(s->dfs, (om_dfs_edge){ end, 0 }, &steps, &n);
    if (rc == OM_OK)
        rc = enter(s, end, steps, n);
    while (rc == OM_OK && om_dfs_depth(s->dfs) > 0) {
        /* relaxed: a hint to stop early. */
        if (atomic_load_explicit(&s->run->finder, memory_order_relaxed) != NULL)
            rc = OM_ESTOP;
        else if (om_dfs_next(s->dfs, &e))
            rc = follow(s, e);
        else
            leave(s);
    }
    assert(rc != OM_OK || s->path.count == 0);
    atomic_store_explicit(&s->current, OM_NO_ID, memory_order_relaxed);
    return rc;
}
