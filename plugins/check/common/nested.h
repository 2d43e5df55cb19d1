/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested.h: nested depth-first search by one worker: the part that hpy, se and and share, after
 * Gaiser, Schwoon 2009, section 3. A checker adds its descriptor and selects the improvements that
 * it uses.
 *
 * A blue search leaves states in post-order. When it leaves an accepting state, a red search starts
 * from that state and looks for a state of the blue path, which closes an accepting cycle. Every
 * state that a red search meets stays red: it is on no accepting cycle, and no red search enters it
 * again.
 *
 * In the paper, states accept. Here edges carry marks, and a product state is an accepting state of
 * the paper if all edges that leave its automaton state are accepting. For any other state, an
 * accepting edge s -> t stands for s -> e -> t, where e is an accepting state that is never stored.
 * The algorithms carry over word for word, because all that they know of e needs no memory:
 *
 *  N1  The blue search enters e once, when it takes the edge, and leaves e after it has left t, or
 *      immediately if t was met before. So e is cyan between these two moments, and an edge from a
 *      state deeper in the search leads back to e only through s.
 *  N2  The red search from e is a red search from t, for which no successors need be computed; if t
 *      is already red, there is nothing to do. Afterwards e is red.
 *  N3  So when s is left, all its states e are red, and so are their successors t: a red search
 *      that reaches s may take those edges like any others.
 *
 * Section 3.1 of the paper proves that cycles are found and none is missed. A blue or red state has
 * no white successor (N4), so a red search meets no white state.
 *
 * Bytes for each state of the product: a quarter, for its colour. While the state is on a path, 8
 * more (9 on the blue path), and 8 for each edge from it that is still to be followed.
 */
#ifndef OMEN_CHECK_NESTED_H
#define OMEN_CHECK_NESTED_H

#include "colours.h"

#include <omen/plugin/dfs.h>

#include <assert.h>

/* Options of a search (NESTED_...) */
enum {
    /* The blue search also reports a cycle if the edge that closes it leaves an accepting state or
     * leads to one. */
    NESTED_EARLY = 1u << 0,
    /* A state is made red at once if all its successors are red when it is left. */
    NESTED_ALL_RED = 1u << 1,
    /* Edges to states that were met before are processed first. */
    NESTED_KNOWN_FIRST = 1u << 2
};

/* Flags of a state of the blue path */
enum { ACCEPTS = 1, NOT_ALL_RED = 2 };

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned kind; /* NESTED_... */
    om_dfs *blue, *red;
    om_side *colours;
    om_marks all;
    bool *accepting;      /* by automaton state: true if all its edges are accepting */
    unsigned char *flags; /* by depth on the blue path, from 1 */
    size_t room;
    uint64_t entered; /* number of states that red searches entered */
    unsigned bits;    /* `and` only: log2 of the bits (bitstate.h); 0: states are stored */
};

static inline bool nested_accepts(const om_run *r, om_marks marks)
{
    return (marks & r->all) == r->all;
}

static inline bool nested_accepting_state(const om_run *r, om_id id)
{
    return r->accepting[om_cursor_automaton_state(om_dfs_cursor(r->blue), id)];
}

/* Returns the flags of the last state of the blue path. */
static inline unsigned char *nested_flags(const om_run *r)
{
    assert(om_dfs_depth(r->blue) < r->room);
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

/* Searches from a state whose successors must be searched: the last state of the blue path, or a
 * successor of it that has become red. */
static inline int nested_search_red(om_run *r, om_id from)
{
    om_dfs_edge e;
    colour c = WHITE;
    assert(om_dfs_depth(r->red) == 0); /* the search before it was completed */
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

/* Processes an edge from the last state of the blue path to a blue or red state, which may have
 * become so because it has just been left. */
static inline int nested_left(om_run *r, om_id to, om_marks marks, colour c)
{
    unsigned char *flags = nested_flags(r);
    assert(c == BLUE || c == RED);
    if (c == RED)
        return OM_OK;
    if ((*flags & ACCEPTS) == 0 && nested_accepts(r, marks)) { /* N2 */
        int rc = colour_set(r->colours, r->task, to, RED);
        return rc == OM_OK ? nested_search_red(r, to) : rc;
    }
    *flags |= NOT_ALL_RED;
    return OM_OK;
}

/* Adds an edge of the state that was just entered, unless the edge needs no work now or in its
 * turn. A successor that is cyan stays cyan until then; such an edge is added only if it closes a
 * cycle. */
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
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK)
        rc = nested_add(r, &steps[n]);
    return rc;
}

/* Follows an edge that leaves the last state of the path, or that leads into an initial state. */
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

/* Called after all edges of the last state of the path have been followed. */
static inline int nested_leave(om_run *r)
{
    uint64_t place = om_dfs_top(r->blue);
    om_dfs_edge by = om_dfs_at(r->blue, place);
    unsigned char flags = *nested_flags(r);
    colour c = (flags & ACCEPTS) != 0 ? RED : BLUE;
    int rc = OM_OK;

    assert(colour_is(r->colours, by.to, CYAN)); /* it is on the path */
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

/* ---- functions of the checkers ---- */

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
    OM_FREE_ALL(r->heap, r->flags, r->accepting);
}

static inline int nested_create(om_run *r, om_task *task, unsigned kind)
{
    const om_automaton *a = om_task_automaton(task);
    uint32_t states = om_automaton_state_count(a), n;
    r->heap = om_task_heap(task);
    r->task = task;
    r->kind = kind;
    r->all = om_task_all_marks(task);
    if (!OM_NEW(r->heap, r->accepting, states))
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
