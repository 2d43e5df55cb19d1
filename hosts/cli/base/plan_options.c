/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  N1  The words of --store are in the order of the enumeration.
 *  N2  --finite-runs has two words.
 *  N3  A check has at most MOST assumptions of fairness.
 */
#include "base/plan_options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int cli_set_device(cli *c, const cli_option *o, void *at, const char *value)
{
    bool word = strcmp(value, "auto") == 0 || strcmp(value, "none") == 0 ||
                strcmp(value, "cpu") == 0 || strcmp(value, "gpu") == 0 ||
                strcmp(value, "all") == 0 || strcmp(value, "host") == 0 ||
                strncmp(value, "host,", 5) == 0 || strncmp(value, "host:", 5) == 0;
    size_t digits = strspn(value, "0123456789"), list = strspn(value, "0123456789,");
    if (!word && (digits == 0 || digits > 9 || value[list] != '\0'))
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--device takes auto, none, all, cpu, gpu, host or numbers of 'omen devices' such as 0 "
            "or 0,1, not '%s'",
            value);
    return cli_set_text(c, o, at, value);
}

int cli_set_threads(cli *c, const cli_option *o, void *at, const char *value)
{
    uint64_t n = 0;
    int rc = cli_set_count(c, o, &n, value);
    if (rc == OM_OK && n > 1024)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--threads must be at most 1024, not '%s'", value);
    *(unsigned *) at = (unsigned) n;
    return rc;
}

const char *cli_store_name(om_store_kind kind)
{
    return kind == OM_STORE_PLAIN ? "plain" : "tree";
}

int cli_set_store(cli *c, const cli_option *o, void *at, const char *value)
{
    cli_option ordered = *o; /* as the enumeration; the help begins with the shorter word */
    ordered.argument = "tree|plain";
    int rc = cli_set_choice(c, &ordered, at, value);
    assert(rc != OM_OK || strcmp(cli_store_name(*(om_store_kind *) at), value) == 0); /* N1 */
    return rc;
}

int cli_set_finite_runs(cli *c, const cli_option *o, void *at, const char *value)
{
    om_plan_options *plan = at;
    int i, rc = cli_read_word(c, o, value, &i);
    assert(rc != OM_OK || i <= 1); /* N2 */
    plan->ignore_finite_runs = i == 1;
    plan->stutter_non_progress = i == 0;
    return rc;
}

int cli_set_fair(cli *c, const cli_option *o, void *at, const char *value)
{
    enum { MOST = 64 };
    om_plan_options *plan = at;
    (void) o;
    if (plan->fair_count == MOST)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--fair may be repeated %d times at most", MOST);
    const char **all = om_region_take(&c->region, plan->fair_count + 1, sizeof *all);
    if (all == NULL)
        return om_fail_memory(c->ctx);
    for (size_t i = 0; i < plan->fair_count; i++)
        all[i] = plan->fair[i];
    all[plan->fair_count++] = value;
    assert(plan->fair_count <= MOST); /* N3 */
    plan->fair = all;
    return OM_OK;
}

int cli_set_verify(cli *c, const cli_option *o, void *at, const char *value)
{
    uint64_t *verify = at;
    if (strcmp(value, "all") == 0) {
        *verify = UINT64_MAX;
        return OM_OK;
    }
    if (strcmp(value, "again") == 0) {
        *verify = OM_VERIFY_AGAIN;
        return OM_OK;
    }
    return cli_read_limit(c, o, "a number from 1 on, all or again", value, cli_plain_units, verify);
}

static bool is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

bool cli_leaves_compilers(void)
{
    const char *said = getenv("OMEN_BACKGROUND");
    return (said == NULL || strcmp(said, "off") != 0) && !is_limited(RLIMIT_CPU) &&
           !is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA);
}

int cli_new_plan(cli *c, const om_plan_options *options, const om_frontend *frontend,
    om_model *model, om_plan **out)
{
    om_plan_options all = *options;
    all.limits = c->set.limits;
    all.since_ns = c->started_ns;
    all.no_overflow_trace = c->set.quiet;
    return om_plan_new(out, c->ctx, c->registry, frontend, model, &all);
}
