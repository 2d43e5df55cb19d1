/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the device's checker of weak parts, on a device that is always full. */
#include <omen/plugin/check.h>

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) run;
    (void) options;
    return om_fail(om_task_context(task), OM_EUNSUPPORTED, NULL, "the device's memory is out");
}

static int work(om_run *run, unsigned worker)
{
    (void) run;
    (void) worker;
    return OM_EINTERNAL;
}

static void destroy(om_run *run)
{
    (void) run;
}

OM_API extern const om_checker omen_plugin;
OM_API const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "tired", "gives up at once", NULL, NULL),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI,
    .flags = OM_CHECKER_DEVICE,
    .create = create,
    .ranks = (const om_rank[]){ { OM_FOR_TERMINAL | OM_FOR_WEAK, 1, 0, OM_HIGHEST_RANK },
        { 0, 0, 0, 0 } },
    .work = work,
    .destroy = destroy,
};
