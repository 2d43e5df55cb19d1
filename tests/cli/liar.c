/* SPDX-License-Identifier: Apache-2.0 */
/* A checker that reports a violation everywhere; the referee must reject it. */
#include <omen/plugin/check.h>

struct om_run {
    om_task *task;
};

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    return OM_OK;
}

static int work(om_run *run, unsigned worker)
{
    om_cursor *cursor = NULL;
    const om_step *steps;
    size_t count;
    int rc = om_task_cursor(run->task, worker, &cursor);
    if (rc == OM_OK)
        rc = om_cursor_initial(cursor, &steps, &count);
    return rc == OM_OK ? om_task_found(run->task, worker, &steps[0].to, 1) : rc;
}

static void destroy(om_run *run)
{
    (void) run;
}

OM_API extern const om_checker omen_plugin;
OM_API const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(
        om_checker, OM_PLUGIN_CHECKER, "liar", "says that everything is violated", NULL, NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_GENERALIZED_BUCHI,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
