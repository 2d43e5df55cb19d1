/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weak-swarm: swarmed depth-first searches that share dead states, for weak automata; Renault et
 * al. 2017, section 4.2.
 *
 * In a weak automaton, a cycle accepts if and only if the automaton's part of it lies in an
 * accepting component, so any one of its states decides. Each worker searches in its own order; an
 * edge back to its own path closes a cycle; a state that it leaves is marked dead for all workers.
 * Within a component of the product that is not finished yet, nothing is shared: weak-hybrid does
 * that better.
 *
 * Edges to states that are on the path or already dead are processed when the state that they leave
 * is entered, all at once: their memory is fetched together, and they never take room on the stack.
 *
 * Why no cycle is missed: W1. Before a worker marks x dead it has, for each edge x -> y, marked y
 * dead itself, or seen that y is dead (acquire, so y was marked before), or found y on its own
 * path. Suppose that there were an accepting cycle of dead states and no report. Then the third
 * case never applied to an edge of the cycle, so each mark on the cycle is preceded by that of the
 * next state, round the cycle without end; but there are only finitely many marks. All reachable
 * states are dead after every worker has finished: the states that were on a path are dead then, so
 * by W1 the successors of each dead state are dead, too. The end of one worker proves less: it may
 * have skipped a dead state x while x -> y, and y was, and still is, on the path of the worker that
 * marked x.
 *
 * Bytes for each state of the product: 1 for each worker and, with several, 1 shared; while it is
 * on the path, 8, and 8 for each edge from it to a state not met yet.
 */
#include <omen/plugin/dfs.h>

#include <assert.h>
#include <stdatomic.h>

/* More workers repeat each other's work: over BEEM, eight expand 1.2 times as many states as one,
 * and up to 2.1. */
enum { MOST_WORKERS = 4 };

struct om_run {
    om_task *task;
    unsigned workers;
    om_side *dead;        /* atomic_uchar per state: 1 is dead. NULL with a single worker */
    atomic_uint finished; /* number of workers; no other data depends on it: relaxed */
};

/* Colours of a state, per worker */
enum { NEW, ON_PATH, DEAD };

typedef struct searcher {
    om_run *run;
    om_dfs *dfs;
    om_side *colours; /* unsigned char per state: the enumeration above */
} searcher;

static int fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->run->task));
}

/* Gets the worker's colour of a state, and makes it DEAD if another worker has marked the state.
 * *at points to the colour. */
static inline int look(searcher *s, om_id id, unsigned char **at)
{
    *at = om_side_at(s->colours, id);
    if (*at == NULL)
        return fail_memory(s);
    if (**at != NEW || s->run->dead == NULL)
        return OM_OK;
    const atomic_uchar *dead = om_side_at(s->run->dead, id);
    if (dead == NULL)
        return fail_memory(s);
    if (atomic_load_explicit(dead, memory_order_acquire) != 0) /* W1 */
        **at = DEAD;
    return OM_OK;
}

/* Returns true if the last state of the path, which the cycle goes through, is in an accepting
 * component. */
static bool accepting(const searcher *s)
{
    om_id last = om_dfs_at(s->dfs, om_dfs_top(s->dfs)).to;
    uint32_t q = om_cursor_automaton_state(om_dfs_cursor(s->dfs), last);
    return om_task_accepting(s->run->task, q, OM_WEAK);
}

static void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (steps[i].fresh)
            continue;
        om_side_fetch(s->colours, steps[i].to);
        if (s->run->dead != NULL)
            om_side_fetch(s->run->dead, steps[i].to);
    }
}

/* Adds the edges that lead to new states. */
static int add(searcher *s, const om_step *steps, size_t n)
{
    unsigned char *at;
    int rc = OM_OK;
    om_id closes = OM_NO_ID;

    fetch(s, steps, n);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (n-- > 0 && rc == OM_OK) {
        if (!steps[n].fresh) {
            rc = look(s, steps[n].to, &at);
            if (rc == OM_OK && *at == ON_PATH)
                closes = steps[n].to;
            if (rc != OM_OK || *at != NEW)
                continue;
        }
        om_dfs_add(s->dfs, &steps[n]);
    }
    if (rc != OM_OK || closes == OM_NO_ID || !accepting(s))
        return rc;
    const om_evidence e = OM_EVIDENCE(NULL, 0);
    return om_dfs_found(s->dfs, closes, &e);
}

/* Follows an edge that leaves the last state of the path, or that leads into an initial state.
 * add() has already reported an edge that closes a cycle. */
static int follow(searcher *s, om_dfs_edge e)
{
    const om_step *steps;
    size_t n;
    unsigned char *at;

    int rc = look(s, e.to, &at);
    if (rc != OM_OK || *at != NEW)
        return rc;
    rc = om_dfs_enter(s->dfs, e, &steps, &n);
    if (rc != OM_OK)
        return rc;
    *at = ON_PATH;
    return add(s, steps, n);
}

/* Called after all edges of the last state of the path have been followed. */
static int leave(searcher *s)
{
    uint64_t place = om_dfs_top(s->dfs);
    om_id id = om_dfs_at(s->dfs, place).to;
    unsigned char *at = om_side_at(s->colours, id);

    if (at == NULL)
        return fail_memory(s);
    assert(*at == ON_PATH); /* W1 */
    *at = DEAD;
    om_dfs_cut(s->dfs, place);
    if (s->run->dead == NULL)
        return OM_OK;
    atomic_uchar *dead = om_side_at(s->run->dead, id);
    if (dead == NULL)
        return fail_memory(s);
    /* release: pairs with the acquire in look() (W1). */
    atomic_store_explicit(dead, 1, memory_order_release);
    return OM_OK;
}

static int search(searcher *s)
{
    om_dfs_edge e;
    int rc = om_dfs_start(s->dfs);
    while (rc == OM_OK) {
        if (om_dfs_next(s->dfs, &e))
            rc = follow(s, e);
        else if (om_dfs_depth(s->dfs) > 0)
            rc = leave(s);
        else
            break;
    }
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    searcher s = { .run = run };
    int rc = om_dfs_new(&s.dfs, run->task, worker);
    if (rc == OM_OK)
        rc = om_side_new(&s.colours, om_task_product(run->task), 1);
    if (rc == OM_OK)
        rc = search(&s);
    /* The last worker knows that all states are dead. */
    if (rc == OM_OK &&
        atomic_fetch_add_explicit(&run->finished, 1, memory_order_relaxed) + 1 == run->workers)
        om_task_complete(run->task);
    if (s.colours != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(s.colours) + om_dfs_bytes(s.dfs));
    om_side_free(s.colours);
    om_dfs_free(s.dfs);
    return rc;
}

static void destroy(om_run *run)
{
    if (run->dead != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(run->dead));
    om_side_free(run->dead);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    run->workers = om_task_workers(task);
    return run->workers == 1 ? OM_OK
                             : om_side_new(&run->dead, om_task_product(task), sizeof(atomic_uchar));
}

static const om_rank ranks[] = { { OM_FOR_WEAK, 1, 0, 60 }, { OM_FOR_TERMINAL, 1, 0, 40 },
    { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "weak-swarm",
        "swarmed depth-first searches that share dead states",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", NULL),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .most_workers = MOST_WORKERS,
    .destroy = destroy,
};
