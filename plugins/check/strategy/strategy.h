/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h: what the checkers dijkstra, tarjan, mixed and async have in common: a run whose
 * workers search depth-first, each on its own, and share one union-find; Renault, Duret-Lutz,
 * Kordon, Poitrenaud 2017, section 3. Such a checker adds which worker follows which strategy, and
 * its descriptor. Names here are the plug-in's own.
 *
 * What workers share is in the union-find: states in the same component, marks of components, and
 * components that are dead, that is, explored completely and without an accepting cycle. What one
 * of them learns is true for all, so workers of both strategies work together (section 3.4). A
 * worker alone has nobody to share with; its own stacks tell all that the union-find would.
 *
 * Work that is done several times. Live states are each worker's own (section 3.1: which states are
 * live, and which edges close cycles, depends on its order); all that it need not follow for what
 * others did is what is dead, and a component is dead when one worker has left its root. Until then
 * whoever is in it explores it whole, by either strategy: with n workers that take turns, about n
 * times. On a product of elevator2.2 that is one component (179,200 states), 8 and 16 workers
 * follow 5.9 and 12 times the edges that one does by the Dijkstra strategy, 6.8 and 14 times by
 * that of Tarjan. (The paper sees it in models with a few big components, section 6.1. The dead bit
 * of section 3.5 ends it for those behind, no sooner.) ufscc shares live components: 1.04 and 1.15
 * times.
 *
 * Evidence (section 3.7). Who finds that a component accepts gives its path, and asks the
 * union-find which states are in it; that has an accepting cycle only when, for each edge that
 * marks were taken from, both ends are in one class, with ways from each to the other. So it is
 * with a worker of the Dijkstra strategy whenever it does not just unite; one of the Tarjan
 * strategy must unite the states of its stack first, and that before it leaves, since nobody else
 * can. A worker that was stopped for another reason does not do so, for it may cost seconds, unless
 * there is evidence:
 *
 *     who reports: E1 evidence := true    E2 reads left        who leaves: L1 left := true
 *                  and then reports                                        L2 reads evidence
 *
 * All four are sequentially consistent: if L2 does not see the evidence, E2 sees that somebody left
 * and the evidence goes without its component, which is searched for then.
 */
#ifndef OMEN_CHECK_STRATEGY_H
#define OMEN_CHECK_STRATEGY_H

#include <omen/plugin/dfs.h>
#include <omen/plugin/live_stack.h>

#include "../inf_clauses.h"

#include <stdatomic.h>

/* What a worker has learnt: two states are in one component, with these marks on edges of it; or,
 * where b is OM_NO_ID, the component of a is dead. */
typedef struct strategy_message {
    om_id a, b;
    om_marks marks;
} strategy_message;

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_unionfind *classes; /* NULL for a worker alone */
    om_side *dead;         /* atomic_uchar: said to be dead; NULL where classes say it (canvas.h) */
    inf_clauses accepts;
    unsigned workers;
    /* Of a worker alone, where evidence found its component: all live states from `from` on. */
    om_live_stack *live;
    uint64_t from;
    atomic_bool evidence, left;
    atomic_uint ended; /* workers */
    atomic_bool torn;  /* there was no memory to unite what is one component */
    /*
     * Where others unite what a worker has learnt (async), else NULL: put() takes it. OM_OK;
     * OM_ESTOP (not of what is one component: that is taken always); OM_ENOMEM, OM_ELIMIT. settle()
     * makes the union-find know all that was put, when all workers have ended.
     */
    int (*put)(om_run *run, unsigned worker, const strategy_message *m);
    void (*settle)(om_run *run);
    struct strategy_queues *queues;
};

/* Options of all of them, which come first, and the names of their values (section 6.3). */
enum { STRATEGY_UNION_FIND, STRATEGY_LINK, STRATEGY_OPTIONS };
/* clang-format off */
#define STRATEGY_OPTION_LIST                                                             \
    [STRATEGY_UNION_FIND] = { "union-find", 0, 0, 1, "who changes what workers share" }, \
    [STRATEGY_LINK] = { "link", 0, 0, 1, "which of two roots becomes the other's parent" }
#define STRATEGY_OPTION_NAMES                                                 \
    { "union-find", (const char *const[]){ "lockfree", "finegrain", NULL } }, \
    { "link", (const char *const[]){ "random", "rank", NULL } }
/* clang-format on */
/* And of those whose workers all search: what says that a state is dead. */
enum { STRATEGY_DEAD = STRATEGY_OPTIONS };
extern const om_option strategy_options[];
extern const om_option_names strategy_option_names[];

/* create() and destroy() of the descriptor; the first for who has the latter options, too. */
int strategy_create(om_run *run, om_task *task, const int64_t *options);
int strategy_create_classes(om_run *run, om_task *task, const int64_t *options);
void strategy_destroy(om_run *run);

/* work() of the descriptor, by either strategy: dijkstra.c, tarjan.c. */
int strategy_dijkstra(om_run *run, unsigned worker);
int strategy_tarjan(om_run *run, unsigned worker);

/* Must a worker that does not go on tell first what its stack knows? (L1, L2) */
bool strategy_must_tell(om_run *run);
/*
 * There is evidence, and what this worker's stack knows has been told (E1). strategy_found()
 * reports it: the path of `dfs`, with this entry into the component that accepts. A worker alone
 * has its live states, from this number on, taken over. `marks`: what that component is known to
 * have. OM_ESTOP, or as om_dfs_found().
 */
void strategy_announce(om_run *run);
int strategy_found(
    om_run *run, om_dfs *dfs, om_id entry, om_marks marks, om_live_stack **live, uint64_t from);
/* A worker has ended: the last one tells what the union-find has counted. */
void strategy_ended(om_run *run);

/* For who has no path: a state in a component that accepts with these marks. */
int strategy_found_at(om_run *run, om_id id, om_marks marks);

#define STRATEGY_STRENGTHS OM_FOR_ALL
#define STRATEGY_ACCEPTANCE INF_CLAUSES_ACCEPTANCE
#define STRATEGY_FLAGS (OM_CHECKER_PARALLEL | OM_CHECKER_SHARES_STATES)

#endif
