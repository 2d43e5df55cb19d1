/* SPDX-License-Identifier: Apache-2.0 */
/* Plug-ins that must be refused, one for each value of BROKEN. None of their code may be called. */
#include <omen/plugin/check.h>

#include <signal.h>

#define OM_UNUSED __attribute__((unused))

static OM_UNUSED int create(om_run *run, om_task *task, const int64_t *values)
{
    (void) run;
    (void) task;
    (void) values;
    return raise(SIGKILL);
}

static OM_UNUSED int work(om_run *run, unsigned worker)
{
    (void) run;
    (void) worker;
    return raise(SIGKILL);
}

static OM_UNUSED void destroy(om_run *run)
{
    (void) run;
    (void) raise(SIGKILL);
}

#define MAGIC 1
#define ABI 2
#define SHORT 3
#define SLOT 4
#define SYMBOL 5

#if BROKEN == SYMBOL
extern int om_no_such_function(om_run *run, unsigned worker);
#define WORK om_no_such_function
#elif BROKEN == SLOT
#define WORK NULL
#else
#define WORK work
#endif

#if BROKEN == SHORT
/* Only the head, with the size of a whole om_checker */
extern OM_API const om_plugin omen_plugin;
const om_plugin omen_plugin =
    OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "short", "claims more than it has", NULL, NULL);
#else
extern OM_API const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = { BROKEN == MAGIC ? 0xdeadbeefu : OM_PLUGIN_MAGIC, OM_ABI_MAJOR,
        BROKEN == ABI ? OM_ABI_MINOR + 1 : OM_ABI_MINOR, sizeof(om_checker), OM_PLUGIN_CHECKER,
        OM_BUILD, "broken", "is broken", NULL, NULL },
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_ANY,
    .create = create,
    .work = WORK,
    .destroy = destroy,
};
#endif
