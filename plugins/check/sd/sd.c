/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sd: simple depth-first search for weak automata; Cerna, Pelanek 2003; Gaiser, Schwoon 2009,
 * section 3.
 *
 * In a weak automaton, a cycle accepts if and only if the automaton's part of it lies in an
 * accepting component, so any one of its states decides. One search that looks at its own path is
 * enough: the blue one of a nested search, which computes the successors of each state once. Every
 * cycle has an edge that leads back to the path: the first of its states to be left cannot have
 * been left before its successor on the cycle was met, and that successor is then on the path.
 *
 * Edges to states that were met before are processed when the state that they leave is entered, and
 * never take room on the stack.
 *
 * Bytes for each state of the product: a quarter; while it is on the path, 8, and 8 for each edge
 * from it to a state not met yet.
 */
#include "bitstate.h"
#include "colours.h"

#include <omen/plugin/dfs.h>

#include <assert.h>

struct om_run {
    om_task *task;
    om_dfs *dfs;
    om_side *colours; /* WHITE, CYAN and BLUE */
    unsigned bits;    /* log2 of the bits for bit-state hashing; 0: states are stored */
};

/* Adds the edges that lead to new states. */
static int add(om_run *r, const om_step *steps, size_t n)
{
    int rc = OM_OK;
    om_id closes = OM_NO_ID;

    colours_fetch(r->colours, steps, n);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK) {
        colour c = WHITE;
        if (!steps[n].fresh)
            rc = colour_of(r->colours, r->task, steps[n].to, &c);
        /* The target of the edge is on the cycle, too. */
        if (c == CYAN && om_task_accepting(r->task, steps[n].automaton_state, OM_WEAK))
            closes = steps[n].to;
        if (c == WHITE && rc == OM_OK)
            om_dfs_add(r->dfs, &steps[n]);
    }
    return rc != OM_OK || closes == OM_NO_ID ? rc : om_dfs_found(r->dfs, closes, NULL);
}

/* Follows an edge that leaves the last state of the path, or that leads into an initial state. */
static int follow(om_run *r, om_dfs_edge e)
{
    const om_step *steps;
    size_t n;
    colour c = WHITE;
    int rc = colour_of(r->colours, r->task, e.to, &c);
    if (rc != OM_OK || c != WHITE)
        return rc;
    rc = om_dfs_enter(r->dfs, e, &steps, &n);
    if (rc == OM_OK)
        rc = colour_set(r->colours, r->task, e.to, CYAN);
    return rc == OM_OK ? add(r, steps, n) : rc;
}

/* Called after all edges of the last state of the path have been followed. */
static int leave(om_run *r)
{
    uint64_t place = om_dfs_top(r->dfs);
    om_id id = om_dfs_at(r->dfs, place).to;
    assert(colour_is(r->colours, id, CYAN)); /* it is on the path */
    om_dfs_cut(r->dfs, place);
    return colour_set(r->colours, r->task, id, BLUE);
}

static int search(om_run *r)
{
    om_dfs_edge e;
    int rc = om_dfs_start(r->dfs);
    while (rc == OM_OK) {
        if (om_dfs_next(r->dfs, &e))
            rc = follow(r, e);
        else if (om_dfs_depth(r->dfs) > 0)
            rc = leave(r);
        else
            break;
    }
    return rc;
}

static int work(om_run *r, unsigned worker)
{
    if (r->bits != 0)
        return bitstate_work(r->task, r->bits, true, NULL);
    int rc = om_dfs_new(&r->dfs, r->task, worker);
    if (rc == OM_OK)
        rc = search(r);
    if (rc == OM_OK)
        om_task_complete(r->task);
    return rc;
}

static void destroy(om_run *r)
{
    if (r->dfs != NULL)
        om_task_add_counts(r->task, 0, 0, om_side_bytes(r->colours) + om_dfs_bytes(r->dfs));
    om_side_free(r->colours);
    om_dfs_free(r->dfs);
}

static int create(om_run *r, om_task *task, const int64_t *values)
{
    r->task = task;
    r->bits = (unsigned) values[0];
    int rc = bitstate_vet(task, values[0]);
    return rc == OM_OK ? colours_new(&r->colours, task) : rc;
}

static const om_option options[] = { BITSTATE_OPTION, { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "sd",
        "simple depth-first search for weak automata",
        "Cerna, Pelanek 2003; Gaiser, Schwoon 2009, section 3", options),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
