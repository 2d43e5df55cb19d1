/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enabled: the fewer steps a state has, the nearer a deadlock.
 *
 * As S. Edelkamp, A. Lluch Lafuente, S. Leue, "Directed explicit-state model checking in the
 * validation of communication protocols", STTT 5, 2004, section 5.2, but with the steps of the
 * state before: those of the state itself are known only when it is expanded.
 */
#include <omen/plugin/guide.h>

struct om_guide_run {
    bool unused;
};

static int create(om_guide_run *run, const om_guide_spec *spec, const int64_t *options)
{
    (void) options;
    run->unused = spec->deadlocks;
    return spec->deadlocks ? OM_OK : OM_EUNSUPPORTED;
}

static void measure(const om_guide_run *run, const om_guided *states, uint64_t *estimates)
{
    (void) run;
    for (size_t i = 0; i < states->count; i++)
        estimates[i] = states->count;
}

static void destroy(om_guide_run *run)
{
    (void) run;
}

OM_API extern const om_guide omen_plugin;
const om_guide omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_guide, OM_PLUGIN_GUIDE, "enabled", "few steps: near a deadlock",
        "Edelkamp, Lluch Lafuente, Leue 2004, section 5.2", NULL),
    .run_size = sizeof(om_guide_run),
    .create = create,
    .measure = measure,
    .destroy = destroy,
    .rank = 50,
};
