/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h: the part that the checkers dijkstra, tarjan, mixed and async share: a run whose
 * workers search depth-first, each on its own, and share one union-find; Renault, Duret-Lutz,
 * Kordon, Poitrenaud 2017, section 3. Such a checker adds its descriptor and assigns a strategy to
 * each worker. Names here are private to the plug-in.
 *
 * Workers share through the union-find: the states of each component, its marks, and whether it is
 * dead, that is, completely explored without an accepting cycle. A fact that one worker learns is
 * true for all, so workers of both strategies cooperate (section 3.4). A single worker has nothing
 * to share; its own stacks hold all that the union-find would.
 *
 * Repeated work. Each worker has its own live states (section 3.1: which states are live, and which
 * edges close cycles, depends on its order). The work of another worker spares it only the dead
 * states, and a component becomes dead when one worker has left its root. Until then, every worker
 * in the component explores all of it, by either strategy: with n workers that take turns, about n
 * times. On a product of elevator2.2 that is one component (179,200 states), 8 and 16 workers
 * follow 5.9 and 12 times the edges that one worker follows by the Dijkstra strategy, 6.8 and 14
 * times by that of Tarjan. (The paper observes this in models with a few big components, section
 * 6.1. The dead bit of section 3.5 ends the exploration for the workers that lag, but no sooner.)
 * ufscc shares live components: 1.04 and 1.15 times.
 *
 * Evidence (section 3.7). The worker that finds an accepting component reports its path, and the
 * union-find tells which states are in the component. That component contains an accepting cycle
 * only if, for each edge that marks were taken from, both ends are in one class and can reach each
 * other within it. For a worker of the Dijkstra strategy this holds whenever it is not in the
 * middle of a series of unions. A worker of the Tarjan strategy must first unite the states of its
 * stack, and must do so before it leaves, because no other worker can. It may take seconds, so a
 * worker that was stopped for another reason skips it unless there is evidence:
 *
 *     reporter: E1 evidence := true    E2 reads left        leaver: L1 left := true
 *               and then reports                                    L2 reads evidence
 *
 * All four are sequentially consistent: if L2 does not see the evidence, E2 sees that a worker has
 * left. The evidence is then reported without its component, which is searched for later.
 */
#ifndef OMEN_CHECK_STRATEGY_H
#define OMEN_CHECK_STRATEGY_H

#include <omen/plugin/dfs.h>
#include <omen/plugin/live_stack.h>

#include "inf_clauses.h"

#include <stdatomic.h>

/* A fact that a worker has learnt: states a and b are in one component, with these marks on its
 * edges; or, if b is OM_NO_ID, the component of a is dead. */
typedef struct strategy_message {
    om_id a, b;
    om_marks marks;
} strategy_message;

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_unionfind *classes; /* NULL with a single worker */
    om_side *dead;         /* atomic_uchar: true if dead; NULL if classes record it (canvas.h) */
    inf_clauses accepts;
    unsigned workers;
    /* A single worker's evidence: its component is all live states from `from` on. */
    om_live_stack *live;
    uint64_t from;
    atomic_bool evidence, left;
    atomic_uint ended; /* number of workers that have ended */
    atomic_bool torn;  /* true if memory ran out before states of one component were united */
    /*
     * If consumers unite for the workers (async); else NULL. put() queues a message. It returns
     * OM_OK; OM_ESTOP (never for a message that unites: that is always taken); OM_ENOMEM or
     * OM_ELIMIT. settle() applies the unions that are still queued, after all workers have ended.
     */
    int (*put)(om_run *run, unsigned worker, const strategy_message *m);
    void (*settle)(om_run *run);
    struct strategy_queues *queues;
};

/* Options that all these checkers share and that come first, and the names of their values (section
 * 6.3). */
enum { STRATEGY_UNION_FIND, STRATEGY_LINK, STRATEGY_OPTIONS };
/* clang-format off */
#define STRATEGY_OPTION_LIST                                                             \
    [STRATEGY_UNION_FIND] = { "union-find", 0, 0, 1, "synchronisation of workers" },     \
    [STRATEGY_LINK] = { "link", 0, 0, 1, "which of two roots becomes the parent" }
#define STRATEGY_OPTION_NAMES                                                 \
    { "union-find", (const char *const[]){ "lockfree", "finegrain", NULL } }, \
    { "link", (const char *const[]){ "random", "rank", NULL } }
/* clang-format on */
/* The further option of the checkers whose workers all search: what says that a state is dead. */
enum { STRATEGY_DEAD = STRATEGY_OPTIONS };
extern const om_option strategy_options[];
extern const om_option_names strategy_option_names[];

/* create() and destroy() of the descriptor. strategy_create() also takes the option
 * STRATEGY_DEAD. */
int strategy_create(om_run *run, om_task *task, const int64_t *options);
int strategy_create_classes(om_run *run, om_task *task, const int64_t *options);
void strategy_destroy(om_run *run);

/* work() of the descriptor, by either strategy: dijkstra.c, tarjan.c. */
int strategy_dijkstra(om_run *run, unsigned worker);
int strategy_tarjan(om_run *run, unsigned worker);

/* Returns true if a worker that leaves must first unite the states of its stack (L1, L2). */
bool strategy_must_report(om_run *run);
/*
 * strategy_announce() announces that there is evidence (E1); the worker then unites the states of
 * its stack. strategy_found() reports the path of `dfs`, with `entry` as the first state in the
 * accepting component, which is known to have `marks`. For a single worker it takes over `*live`,
 * whose states from number `from` on are the component. Returns OM_ESTOP, or as om_dfs_found().
 */
void strategy_announce(om_run *run);
int strategy_found(
    om_run *run, om_dfs *dfs, om_id entry, om_marks marks, om_live_stack **live, uint64_t from);
/* Called by a worker that ends: the last one reports the counts of the union-find. */
void strategy_ended(om_run *run);

/* Reports a state in a component that accepts with these marks, by a worker without a path. */
int strategy_found_at(om_run *run, om_id id, om_marks marks);

#define STRATEGY_STRENGTHS OM_FOR_ALL
#define STRATEGY_ACCEPTANCE INF_CLAUSES_ACCEPTANCE
#define STRATEGY_FLAGS (OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES)

#endif
