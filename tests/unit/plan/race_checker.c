/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkers for test_race.c that take the places of reach and reach-cl (NAME, FLAGS). What they do
 * is in the environment variable of their name, RACE_CPU or RACE_DEVICE:
 *   hang   wait for a stop;
 *   empty  wait for the file RACE_GO, then say that there is nothing;
 *   memory the same, then run out of memory;
 *   fail   fail, as a device does.
 */
#include <omen/plugin/check.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
    const struct timespec nap = { 0, 1000000 };
    const char *what = getenv(VARIABLE), *go = getenv("RACE_GO");
    if (worker != 0)
        return OM_ESTOP;
    if (strcmp(what, "fail") == 0)
        return om_fail(om_task_context(run->task), OM_EUNSUPPORTED, NULL, "no luck");
    while (strcmp(what, "hang") == 0 || access(go, F_OK) != 0) {
        if (om_task_stopped(run->task))
            return OM_ESTOP;
        (void) nanosleep(&nap, NULL);
    }
    if (strcmp(what, "empty") == 0) {
        om_task_complete(run->task);
        return OM_OK;
    }
    (void) om_control_stop(om_task_control(run->task), OM_STOP_MEMORY);
    return OM_ELIMIT;
}

static void destroy(om_run *run)
{
    (void) run;
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, NAME, "for a test", NULL, options),
    .strengths = OM_FOR_TERMINAL,
    .acceptance = OM_ACCEPT_ANY,
    .flags = FLAGS,
    .run_size = sizeof(om_run),
    .create = create,
    .ranks = (const om_rank[]){ { OM_FOR_TERMINAL, 1, 0, OM_HIGHEST_RANK }, { 0, 0, 0, 0 } },
    .work = work,
    .destroy = destroy,
};
