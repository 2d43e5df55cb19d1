/* SPDX-License-Identifier: Apache-2.0 */
/* The red search of cndfs, and the wait that follows it. */
#include "cndfs.h"

#include "pause.h"

#include <assert.h>

/* Sets *fresh if a state is still to be met. Reports a cycle if the state is on the blue path. */
static int look_red(searcher *s, om_id id, unsigned char **own, bool *fresh)
{
    unsigned char *at = NULL;
    int rc = look(s, id, RED, &at);
    *own = at;
    *fresh = rc == OM_OK && (*at & (RED | PINK)) == 0;
    return rc == OM_OK && (*at & CYAN) != 0 ? om_dfs_found(s->red, id, NULL) : rc;
}

/* Adds the edges of the given kinds: `rest`, not accepting; `accepting`. Loops need no check: they
 * lead to a pink state. */
static int add_red(searcher *s, const om_step *steps, size_t n, bool rest, bool accepting)
{
    unsigned char *own;
    int rc = OM_OK;
    fetch(s, steps, n);
    while (n-- > 0 && rc == OM_OK) {
        bool fresh = true;
        if (!(accepts(s, steps[n].marks) ? accepting : rest))
            continue;
        if (!steps[n].fresh)
            rc = look_red(s, steps[n].to, &own, &fresh);
        if (rc == OM_OK && fresh)
            om_dfs_add(s->red, &steps[n]);
    }
    return rc;
}

static int enter_red(searcher *s, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    bool fresh;
    unsigned char *own;

    int rc = look_red(s, by.to, &own, &fresh);
    if (rc != OM_OK || !fresh)
        return rc;
    if (!OM_ROOM(s->run->heap, s->met, &s->met_room, s->met_count + 1))
        return fail_memory(s);
    rc = om_dfs_enter(s->red, by, &steps, &n);
    if (rc != OM_OK)
        return rc;
    *own |= PINK;
    s->reds++;
    s->met[s->met_count] = by.to;
    bool more = (*own & RED_TOO) == 0; /* else its s' is red, and so are the successors of s' */
    for (size_t i = 0; more && i < n; i++)
        if (accepts(s, steps[i].marks))
            s->met[s->met_count] |= MET_ACCEPTS;
    s->met_count++;
    return add_red(s, steps, n, true, more);
}

/* Searches from the accepting edges of the last state of the blue path for all states that are not
 * red. */
static int search_red(searcher *s, om_id seed)
{
    om_dfs_edge e;
    const om_step *steps;
    size_t n;
    assert(om_dfs_depth(s->red) == 0);
    s->met_count = 0;
    int rc = om_dfs_enter(s->red, (om_dfs_edge){ seed, 0 }, &steps, &n);
    if (rc == OM_OK)
        rc = add_red(s, steps, n, false, true);
    while (rc == OM_OK && om_dfs_depth(s->red) > 0) {
        if (om_dfs_next(s->red, &e))
            rc = enter_red(s, e);
        else
            om_dfs_cut(s->red, om_dfs_top(s->red));
    }
    return rc;
}

/* Waits until the s' of a state is red, or the task was stopped. */
static int await(searcher *s, om_id id)
{
    om_pause pause = { 0 };
    unsigned char *own;
    int rc = look(s, id, RED_TOO, &own);
    if (rc != OM_OK || (*own & RED_TOO) != 0)
        return rc;
    atomic_fetch_add_explicit(&s->run->awaiting, 1, memory_order_relaxed);
    while (rc == OM_OK && (*own & RED_TOO) == 0) {
        om_pause_once(&pause);
        rc = om_task_stopped(s->run->task) ? OM_ESTOP : look(s, id, RED_TOO, &own);
    }
    atomic_fetch_sub_explicit(&s->run->awaiting, 1, memory_order_relaxed);
    s->blocked_ns += om_pause_length(&pause);
    return rc;
}

int cndfs_red(searcher *s, om_id seed)
{
    unsigned char *own;
    int rc = search_red(s, seed);
    for (size_t i = 0; rc == OM_OK && i < s->met_count; i++)
        if ((s->met[i] & MET_ACCEPTS) != 0)
            rc = await(s, s->met[i] & ~MET_ACCEPTS);
    for (size_t i = 0; rc == OM_OK && i < s->met_count; i++) {
        om_id id = s->met[i] & ~MET_ACCEPTS;
        rc = look(s, id, RED, &own);
        if (rc == OM_OK)
            rc = colour(s, id, RED, own);
        assert(rc != OM_OK || (*own & PINK) != 0);
        assert(rc != OM_OK || (s->met[i] & MET_ACCEPTS) == 0 || (*own & RED_TOO) != 0); /* N2 */
        if (rc == OM_OK)
            *own &= (unsigned char) ~PINK;
    }
    return rc;
}
