/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkers for test_race.c and test_in_turn.c that replace reach, reach-cl and ufscc (NAME, FLAGS,
 * STRENGTHS). The environment variable RACE_CPU, RACE_DEVICE or RACE_STRONG selects their
 * behaviour: hang   wait for a stop; empty  wait for the file RACE_GO, then find no violation;
 *   count  report many states, then the same;
 *   memory wait for the file, then run out of memory;
 *   thirst report 200,000 states, then run out of memory; if there is the file, find no violation;
 *   fail   fail like a device;
 *   later  report many states, wait for the file, then fail;
 *   all    wait until all workers have begun, then find no violation.
 */
#include <omen/plugin/check.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct om_run {
    om_task *task;
    atomic_uint begun; /* relaxed: number of workers */
};

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    atomic_init(&run->begun, 0);
    return OM_OK;
}

/* Returns true if the awaited event has happened. */
static bool is_time(const om_run *run, const char *what)
{
    if (strcmp(what, "all") == 0)
        return atomic_load_explicit(&run->begun, memory_order_relaxed) ==
               om_task_workers(run->task);
    return strcmp(what, "hang") != 0 && access(getenv("RACE_GO"), F_OK) == 0;
}

static int run_out_of_memory(const om_run *run)
{
    (void) om_control_stop(om_task_control(run->task), OM_STOP_MEMORY);
    return OM_ELIMIT;
}

static int thirst(const om_run *run)
{
    for (unsigned i = 0; i < 200000; i++) {
        om_task_add_counts(run->task, 1, 1, 0);
        if (om_task_stopped(run->task))
            return OM_ESTOP;
    }
    if (access(getenv("RACE_GO"), F_OK) != 0)
        return run_out_of_memory(run);
    om_task_complete(run->task);
    return OM_OK;
}

static int work(om_run *run, unsigned worker)
{
    const struct timespec nap = { 0, 1000000 };
    const char *what = getenv(VARIABLE);
    bool fails = strcmp(what, "fail") == 0, later = strcmp(what, "later") == 0;
    if (strcmp(what, "thirst") == 0)
        return thirst(run);
    (void) atomic_fetch_add_explicit(&run->begun, 1, memory_order_relaxed);
    if (worker == 0 && (later || strcmp(what, "count") == 0))
        om_task_add_counts(run->task, 1000, 1000, 0);
    while (!fails && !is_time(run, what)) {
        if (om_task_stopped(run->task))
            return OM_ESTOP;
        (void) nanosleep(&nap, NULL);
    }
    if (worker != 0)
        return OM_ESTOP;
    if (fails || later)
        return om_fail(om_task_context(run->task), OM_EUNSUPPORTED, NULL, "no luck");
    if (strcmp(what, "memory") != 0) {
        om_task_complete(run->task);
        return OM_OK;
    }
    return run_out_of_memory(run);
}

static void destroy(om_run *run)
{
    (void) run;
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, NAME, "for a test", NULL, options),
    .strengths = STRENGTHS,
    .acceptance = OM_ACCEPT_ANY,
    .flags = FLAGS,
    .run_size = sizeof(om_run),
    .create = create,
    .ranks = (const om_rank[]){ { STRENGTHS, 1, 0, OM_HIGHEST_RANK }, { 0, 0, 0, 0 } },
    .work = work,
    .destroy = destroy,
};
