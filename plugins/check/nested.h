/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested.h: nested depth-first search by one worker; what hpy, se and and have in common, after
 * Gaiser, Schwoon 2009, section 3. A checker adds its descriptor and says which of the improvements
 * it has.
 *
 * A blue search leaves states in post-order. Where it leaves an accepting one, a red search looks
 * from there for a state of the blue path, which closes an accepting cycle. What a red search has
 * met stays red: it is on no accepting cycle, and no red search goes there again.
 *
 * The paper's automata accept by states. Here edges have marks, and a state of the product accepts
 * where all edges that leave its automaton state do: it is a state of the paper. Of any other state
 * an accepting edge s -> t stands for s -> e -> t, with an accepting state e that is never stored.
 * The algorithms carry over word by word, for what they know of e needs no memory:
 *
 *  N1  The blue search comes to e once, when it takes the edge, and leaves it when it has left t,
 *      or at once where t was met before. So e is cyan between that, and no edge leads from a state
 *      below back to it but through s.
 *  N2  The red search from e is one from t, for which no successors need be computed; where t is
 *      red already there is nothing to do. Then e is red.
 *  N3  So when s is left, all its e are red, and so are the t behind them: a red search that comes
 *      to s may take those edges like any others.
 *
 * Why cycles are found and none is missed: section 3.1 of the paper. A blue or a red state has only
 * successors that are not white (N4); a red search meets no white state.
 *
 * Bytes for each state of the product: a quarter, for its colour; and while it is on a path 8 (on
 * that of the blue search 9), and 8 for each edge from there that is still to be followed.
 */
#ifndef OMEN_CHECK_NESTED_H
#define OMEN_CHECK_NESTED_H

#include "colours.h"

#include <omen/plugin/dfs.h>

#include <assert.h>

/* What a search does beside what all of them do. */
enum {
    /* The blue search reports a cycle, too, where an edge closes it that leaves an accepting state
     * or leads to one. */
    NESTED_EARLY = 1u << 0,
    /* A state that is left with red successors alone is red at once. */
    NESTED_ALL_RED = 1u << 1,
    /* Edges to states that were met before are dealt with first. */
    NESTED_KNOWN_FIRST = 1u << 2
};

/* Of a state of the blue path. */
enum { ACCEPTS = 1, NOT_ALL_RED = 2 };

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned kind; /* NESTED_... */
    om_dfs *blue, *red;
    om_side *colours;
    om_marks all;
    bool *accepting;      /* by automaton state: all edges that leave it are */
    unsigned char *flags; /* by depth on the blue path, from 1 on */
    size_t room;
    uint64_t entered; /* states, by red searches */
    unsigned bits;    /* of `and`: bitstate.h; 0: states are stored */
};

static inline bool nested_accepts(const om_run *r, om_marks marks)
{
    return (marks & r->all) == r->all;
}

static inline bool nested_accepting_state(const om_run *r, om_id id)
{
    return r->accepting[om_cursor_automaton_state(om_dfs_cursor(r->blue), id)];
}

/* The flags of the last state of the blue path. */
static inline unsigned char *nested_flags(const om_run *r)
{
    return &r->flags[om_dfs_depth(r->blue)];
}

/* ---- the red search ---- */

static inline int nested_enter_red(om_run *r, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    colour c = WHITE;
    int rc = om_dfs_enter(r->red, by, &steps, &n);
    r->entered++;
    if (rc != OM_OK)
        return rc;
    colours_fetch(r->colours, steps, n);
    while (n-- > 0 && rc == OM_OK) {
        rc = colour_of(r->colours, r->task, steps[n].to, &c);
        assert(rc != OM_OK || c != WHITE); /* N4 */
        if (rc == OM_OK && c == CYAN && (r->kind & NESTED_KNOWN_FIRST) != 0)
            return om_dfs_found(r->red, steps[n].to, NULL);
        if (rc == OM_OK && c != RED)
            om_dfs_add(r->red, &steps[n]);
    }
    return rc;
}

/* From a state of which the successors are to be searched: the last one of the blue path, or one
 * behind it that has become red. */
static inline int nested_search_red(om_run *r, om_id from)
{
    om_dfs_edge e;
    colour c = WHITE;
    int rc = nested_enter_red(r, (om_dfs_edge){ from, 0 });
    while (rc == OM_OK && om_dfs_depth(r->red) > 0) {
        if (!om_dfs_next(r->red, &e)) {
            om_dfs_cut(r->red, om_dfs_top(r->red));
            continue;
        }
        rc = colour_of(r->colours, r->task, e.to, &c);
        if (rc == OM_OK && c == CYAN)
            return om_dfs_found(r->red, e.to, NULL);
        if (rc != OM_OK || c == RED)
            continue;
        rc = colour_set(r->colours, r->task, e.to, RED);
        if (rc == OM_OK)
            rc = nested_enter_red(r, e);
    }
    return rc;
}

/* ---- the blue search ---- */

/* An edge that leaves the last state of the blue path and leads to one that is blue or red, perhaps
 * because it has just been left. */
static inline int nested_left(om_run *r, om_id to, om_marks marks, colour c)
{
    unsigned char *flags = nested_flags(r);
    if (c == RED)
        return OM_OK;
    if ((*flags & ACCEPTS) == 0 && nested_accepts(r, marks)) { /* N2 */
        int rc = colour_set(r->colours, r->task, to, RED);
        return rc == OM_OK ? nested_search_red(r, to) : rc;
    }
    *flags |= NOT_ALL_RED;
    return OM_OK;
}

/* Adds an edge from the state that was just entered, unless there is nothing to be done about it,
 * now or when it is its turn. Of those to a cyan state, which stays cyan until then, it adds the
 * ones that close a cycle. */
static inline int nested_add(om_run *r, const om_step *step)
{
    unsigned char *flags = nested_flags(r);
    bool by_state = (*flags & ACCEPTS) != 0, by_edge = !by_state && nested_accepts(r, step->marks);
    bool known_first = (r->kind & NESTED_KNOWN_FIRST) != 0, wanted = true;
    colour c = WHITE;

    int rc = step->fresh ? OM_OK : colour_of(r->colours, r->task, step->to, &c);
    if (rc != OM_OK)
        return rc;
    if (c == CYAN) {
        wanted = by_edge || ((r->kind & NESTED_EARLY) != 0 &&
                                (by_state || r->accepting[step->automaton_state]));
        if (wanted && known_first)
            return om_dfs_found(r->blue, step->to, NULL);
    } else if (c == BLUE)
        wanted = by_edge || ((r->kind & NESTED_ALL_RED) != 0 && !known_first);
    else if (c == RED)
        wanted = false;
    if (wanted)
        om_dfs_add(r->blue, step);
    else if (c != RED)
        *flags |= NOT_ALL_RED;
    return OM_OK;
}

static inline int nested_enter(om_run *r, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    unsigned char *flags =
        om_grow(r->heap, r->flags, &r->room, (size_t) om_dfs_depth(r->blue) + 2, 1);
    if (flags == NULL)
        return om_fail_memory(om_task_context(r->task));
    r->flags = flags;
    int rc = om_dfs_enter(r->blue, by, &steps, &n);
    if (rc == OM_OK)
        rc = colour_set(r->colours, r->task, by.to, CYAN);
    if (rc != OM_OK)
        return rc;
    colours_fetch(r->colours, steps, n);
    bool accepts = n > 0;
    for (size_t i = 0; i < n && accepts; i++)
        accepts = nested_accepts(r, steps[i].marks);
    *nested_flags(r) = accepts && nested_accepting_state(r, by.to) ? ACCEPTS : 0;
    /* The last one is followed first: the cursor's order, backwards. */
    while (n-- > 0 && rc == OM_OK)
        rc = nested_add(r, &steps[n]);
    return rc;
}

/* An edge that leaves the last state of the path, or the way into an initial one. */
static inline int nested_follow(om_run *r, om_dfs_edge e)
{
    colour c = WHITE;
    int rc = colour_of(r->colours, r->task, e.to, &c);
    if (rc != OM_OK)
        return rc;
    if (c == WHITE)
        return nested_enter(r, e);
    if (om_dfs_depth(r->blue) == 0)
        return OM_OK;
    return c == CYAN ? om_dfs_found(r->blue, e.to, NULL) : nested_left(r, e.to, e.marks, c);
}

/* All edges of the last state of the path have been followed. */
static inline int nested_leave(om_run *r)
{
    uint64_t place = om_dfs_top(r->blue);
    om_dfs_edge by = om_dfs_at(r->blue, place);
    unsigned char flags = *nested_flags(r);
    colour c = (flags & ACCEPTS) != 0 ? RED : BLUE;
    int rc = OM_OK;

    if ((r->kind & NESTED_ALL_RED) != 0 && (flags & NOT_ALL_RED) == 0)
        c = RED;
    else if (c == RED)
        rc = nested_search_red(r, by.to);
    if (rc == OM_OK)
        rc = colour_set(r->colours, r->task, by.to, c);
    if (rc != OM_OK)
        return rc;
    om_dfs_cut(r->blue, place);
    return om_dfs_depth(r->blue) == 0 ? OM_OK : nested_left(r, by.to, by.marks, c);
}

static inline int nested_search(om_run *r)
{
    om_dfs_edge e;
    int rc = om_dfs_start(r->blue);
    while (rc == OM_OK) {
        if (om_dfs_next(r->blue, &e))
            rc = nested_follow(r, e);
        else if (om_dfs_depth(r->blue) > 0)
            rc = nested_leave(r);
        else
            break;
    }
    return rc;
}

/* ---- what a checker is ---- */

static inline int nested_work(om_run *r, unsigned worker)
{
    int rc = om_dfs_new(&r->blue, r->task, worker);
    if (rc == OM_OK)
        rc = om_dfs_new_above(&r->red, r->blue);
    if (rc == OM_OK)
        rc = nested_search(r);
    if (rc == OM_OK)
        om_task_complete(r->task);
    return rc;
}

static inline void nested_destroy(om_run *r)
{
    uint64_t bytes = r->colours == NULL ? 0 : om_side_bytes(r->colours) + r->room;
    bytes += r->blue == NULL ? 0 : om_dfs_bytes(r->blue);
    bytes += r->red == NULL ? 0 : om_dfs_bytes(r->red);
    om_task_add_counts(r->task, 0, 0, bytes);
    om_task_count(r->task, OM_COUNT_RED, r->entered);
    om_side_free(r->colours);
    om_dfs_free(r->red);
    om_dfs_free(r->blue);
    om_free(r->heap, r->flags);
    om_free(r->heap, r->accepting);
}

static inline int nested_create(om_run *r, om_task *task, unsigned kind)
{
    const om_automaton *a = om_task_automaton(task);
    uint32_t states = om_automaton_state_count(a), n;
    r->heap = om_task_heap(task);
    r->task = task;
    r->kind = kind;
    r->all = om_task_all_marks(task);
    r->accepting = om_alloc(r->heap, states, sizeof *r->accepting);
    if (r->accepting == NULL)
        return om_fail_memory(om_task_context(task));
    for (uint32_t q = 0; q < states; q++) {
        const om_edge *edges = om_automaton_edges(a, q, &n);
        r->accepting[q] = n > 0;
        for (uint32_t i = 0; i < n && r->accepting[q]; i++)
            r->accepting[q] = nested_accepts(r, edges[i].marks);
    }
    return colours_new(&r->colours, task);
}

#endif
