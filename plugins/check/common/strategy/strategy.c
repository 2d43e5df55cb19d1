/* SPDX-License-Identifier: Apache-2.0 */
/* See strategy.h. */
#include "strategy.h"

/* clang-format off */
const om_option strategy_options[] = {
    STRATEGY_OPTION_LIST,
    [STRATEGY_DEAD] = { "dead", 0, 0, 1, "granularity of dead marks" },
    { NULL, 0, 0, 0, NULL }
};
const om_option_names strategy_option_names[] = {
    STRATEGY_OPTION_NAMES,
    { "dead", (const char *const[]){ "state", "class", NULL } },
    { NULL, NULL }
};
/* clang-format on */

int strategy_create_classes(om_run *run, om_task *task, const int64_t *options)
{
    const om_unionfind_spec spec = { .size = sizeof spec,
        .kind = (om_unionfind_kind) options[STRATEGY_UNION_FIND],
        .link = (om_unionfind_link) options[STRATEGY_LINK] };
    run->heap = om_task_heap(task);
    run->task = task;
    run->workers = om_task_workers(task);
    atomic_init(&run->evidence, false);
    atomic_init(&run->left, false);
    atomic_init(&run->torn, false);
    atomic_init(&run->ended, 0);
    int rc = inf_clauses_read(&run->accepts, task);
    return rc != OM_OK || run->workers == 1
               ? rc
               : om_unionfind_new_as(&run->classes, om_task_product(task), &spec);
}

int strategy_create(om_run *run, om_task *task, const int64_t *options)
{
    int rc = strategy_create_classes(run, task, options);
    if (rc != OM_OK || run->workers == 1 || options[STRATEGY_DEAD] != 0)
        return rc;
    return om_side_new(&run->dead, om_task_product(task), sizeof(atomic_uchar));
}

void strategy_ended(om_run *run)
{
    if (atomic_fetch_add(&run->ended, 1) + 1 == run->workers && run->classes != NULL)
        om_task_count(run->task, OM_COUNT_RETRIES, om_unionfind_retries(run->classes));
}

void strategy_destroy(om_run *run)
{
    if (run->classes != NULL)
        om_task_add_counts(run->task, 0, 0, om_unionfind_bytes(run->classes));
    if (run->dead != NULL)
        om_task_add_counts(run->task, 0, 0, om_side_bytes(run->dead));
    om_unionfind_free(run->classes);
    om_side_free(run->dead);
    om_live_stack_free(run->live);
    inf_clauses_free(&run->accepts, run->heap);
}

bool strategy_must_report(om_run *run)
{
    atomic_store(&run->left, true);     /* L1 */
    return atomic_load(&run->evidence); /* L2 */
}

void strategy_announce(om_run *run)
{
    atomic_store(&run->evidence, true); /* E1 */
}

/* Returns true if both states are in the component of the evidence. With several workers, each may
 * have marks of it from others, which have seen more of it. */
static bool same(void *self, om_id a, om_id b)
{
    om_run *run = self;
    bool yes = false;
    if (run->settle != NULL)
        run->settle(run);
    if (run->classes != NULL)
        return !atomic_load(&run->torn) && om_unionfind_same(run->classes, a, b, &yes) == OM_OK &&
               yes;
    uint64_t i = om_live_stack_find(run->live, a), k = om_live_stack_find(run->live, b);
    return i < OM_LIVE_STACK_GONE && k < OM_LIVE_STACK_GONE && i >= run->from && k >= run->from;
}

/* Returns the evidence, with the component if it is known (E2). */
static om_evidence evidence_of(om_run *run, const om_id *path, size_t length, om_marks marks)
{
    om_evidence e = OM_EVIDENCE(path, length);
    e.see = inf_clauses_see(&run->accepts, marks);
    e.same = atomic_load(&run->left) || atomic_load(&run->torn) ? NULL : same;
    e.self = run;
    return e;
}

int strategy_found(
    om_run *run, om_dfs *dfs, om_id entry, om_marks marks, om_live_stack **live, uint64_t from)
{
    om_evidence e = evidence_of(run, NULL, 0, marks);
    if (run->classes == NULL) {
        run->live = *live;
        run->from = from;
        *live = NULL;
    }
    return om_dfs_found(dfs, entry, &e);
}

int strategy_found_at(om_run *run, om_id id, om_marks marks)
{
    strategy_announce(run);
    om_evidence e = evidence_of(run, &id, 1, marks);
    e.entry = 0;
    return om_task_evidence(run->task, &e);
}
