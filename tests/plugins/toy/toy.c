/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A checker of one page: a sequential breadth-first search for a state whose automaton part is
 * terminal. core/include/omen/plugin/README.md explains it.
 */
#include <omen/plugin/check.h>

struct om_run {
    om_task *task;
    int64_t verbose;
};

static const om_option options[] = {
    { "verbose", 0, 0, 1, "say how many states were seen" },
    { NULL, 0, 0, 0, NULL },
};

static int create(om_run *run, om_task *task, const int64_t *values)
{
    *run = (om_run){ task, values[0] };
    return OM_OK;
}

/* Ids are assigned in the order in which states are first met, so with one worker the ids
 * themselves are the queue. */
static int search(om_task *task, unsigned worker)
{
    om_cursor *c = NULL;
    const om_step *steps = NULL;
    size_t count = 0;
    int rc = om_task_cursor(task, worker, &c);

    if (rc == OM_OK)
        rc = om_cursor_initial(c, &steps, &count);
    for (om_id next = 0; rc == OM_OK; next++) {
        for (size_t i = 0; i < count; i++)
            if (om_task_accepting(task, om_cursor_automaton_state(c, steps[i].to), OM_TERMINAL))
                return om_task_found(task, worker, &steps[i].to, 1);
        if (next == om_product_state_count(om_task_product(task)))
            break;
        if (om_task_stopped(task))
            return OM_ESTOP;
        rc = om_cursor_successors(c, next, &steps, &count);
    }
    if (rc == OM_OK)
        om_task_complete(task);
    return rc;
}

static int work(om_run *run, unsigned worker)
{
    int rc = search(run->task, worker);
    if (rc == OM_OK && run->verbose)
        om_note(om_task_context(run->task), OM_NOTE_NOTICE, NULL, "toy: complete");
    return rc;
}

static void destroy(om_run *run)
{
    (void) run;
}

extern OM_API const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "toy",
        "breadth-first search for a terminal state, one worker", NULL, options),
    .strengths = OM_FOR_TERMINAL,
    .acceptance = OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_NEEDS_STUTTER,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
