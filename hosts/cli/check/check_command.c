/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"
#include "check/check_output.h"

/* A session that checks properties of one model */
typedef struct checking {
    cli *c;
    const om_frontend *frontend;
    om_model *model;
    om_plan *plan;
    check_output output;
    char *source;                       /* the model's text, if lassos are written */
    om_target *targets[CLI_PROPERTIES]; /* properties that were read ahead, or NULL */
    om_check_result *shared;            /* [property]: results of a shared exploration, ... */
    bool ended;                         /* ... which the first violation ended (--fail-fast) */
    cli_overflows overflows;            /* of that exploration; with its trace at first */
    bool broken;                        /* results can no longer be written */
    size_t checked;                     /* index of the current property */
    size_t answered;                    /* number of properties with an answer */
    bool again;                         /* the model needs more room (cli_grow()) */
} checking;

/* Finds properties of states that have no answer yet and may share an exploration. */
enum { SHARING_MOST = 64 };

static size_t find_sharing(const checking *k, size_t from, size_t *of)
{
    size_t count = 0;
    for (size_t i = from; i < k->c->set.property_count && count < SHARING_MOST; i++)
        if (k->targets[i] != NULL && om_plan_may_share(k->plan, k->targets[i]))
            of[count++] = i;
    return count < 2 ? 0 : count;
}

/* Returns the number of properties, including this one, that share its exploration; 0 if it is
 * explored alone. */
static size_t sharing_with(const checking *k, size_t number)
{
    size_t of[SHARING_MOST];
    const size_t count = find_sharing(k, 0, of);
    for (size_t i = 0; i < count; i++)
        if (of[i] == number)
            return count;
    return 0;
}

/* Prints the plan for one property. */
static int describe_one(checking *k, const cli_property *p, size_t number)
{
    om_planned planned;
    int rc = om_plan_describe(k->plan, p->kind, p->text, &planned);
    if (rc == OM_OK)
        rc = cli_put_planned(k->c, &planned, sharing_with(k, number));
    om_planned_free(&planned);
    if (rc == OM_OK)
        rc = cli_flush(k->c);
    return rc == OM_OK ? 0 : cli_failed(k->c, rc);
}

/* Checks one property, which may have been read already, and returns its exit status. */
static int check_one(checking *k, const cli_property *p, size_t number)
{
    om_target *target = k->targets[number];
    om_check_result r = { 0 };
    cli_ticker ticker = { 0 };
    if (k->c->set.plan_only)
        return describe_one(k, p, number);
    int rc = cli_ticker_start(&ticker, k->c, k->plan, "checking"), status;

    if (rc == OM_OK && k->shared != NULL && k->shared[number].heap != NULL) {
        r = k->shared[number];
        k->shared[number] = (om_check_result){ 0 };
    } else if (rc == OM_OK)
        rc = target != NULL ? om_plan_check_target(k->plan, target, &r)
                            : om_plan_check(k->plan, p->kind, p->text, &r);
    cli_ticker_stop(&ticker);
    k->again = rc == OM_EMODEL && om_plan_lacks_room(k->plan) &&
               cli_grow(k->c, k->c->set.positionals[0], k->frontend, k->model);
    if (k->again)
        status = 0;
    else if (rc == OM_OK)
        status = check_status(&r);
    else
        status = cli_failed(k->c, rc);
    if (!k->again && (rc == OM_OK || rc == OM_EMODEL)) {
        const check_found f = { .property = p,
            .r = &r,
            .model = k->model,
            .failed = rc != OM_OK,
            .overflows = r.together != 0 ? k->overflows : cli_overflows_of(k->plan, k->model) };
        k->overflows.trace = NULL; /* printed with the first result; freed by the next search */
        int put = check_put_result(&k->output, &f);
        int failed = put == OM_OK ? 0 : cli_failed(k->c, put);
        if (put != OM_OK && put != OM_ELIMIT) /* the verdict takes precedence over a limit */
            status = failed;
        k->broken = put != OM_OK && put != OM_ELIMIT;
    }
    om_check_result_free(&r);
    return status;
}

/* Reads all of several properties, so that all errors are reported before the first check. If a
 * limit ended the reading of one, it is read again when it is checked. */
static int read_all(checking *k)
{
    int status = 0;
    for (size_t i = 0; i < k->c->set.property_count; i++) {
        const cli_property *p = &k->c->set.properties[i];
        int rc = om_plan_read(&k->targets[i], k->plan, p->kind, p->text);
        if (rc == OM_ELIMIT)
            om_context_clear(k->c->ctx);
        else if (rc != OM_OK)
            status = check_worse(status, cli_failed(k->c, rc));
    }
    return status;
}

/* Returns the number of searches left. */
static size_t unanswered(const checking *k)
{
    size_t n = 0, of[SHARING_MOST];
    for (size_t i = k->checked; i < k->c->set.property_count; i++)
        n += k->shared == NULL || k->shared[i].heap == NULL;
    const size_t together = k->shared == NULL ? find_sharing(k, k->checked, of) : 0;
    return together == 0 ? n : n - together + 1;
}

static int share(checking *k, const size_t *of, om_target **targets, size_t count)
{
    cli_ticker ticker = { 0 };
    om_check_result *results = om_alloc(k->c->heap, count, sizeof *results);
    k->shared = om_alloc(k->c->heap, k->c->set.property_count, sizeof *k->shared);
    int rc = results == NULL || k->shared == NULL
                 ? om_fail_memory(k->c->ctx)
                 : cli_ticker_start(&ticker, k->c, k->plan, "exploring");
    if (rc == OM_OK)
        rc = om_plan_check_together(k->plan, targets, count, k->c->set.fail_fast, results);
    cli_ticker_stop(&ticker);
    k->overflows = cli_overflows_of(k->plan, k->model);
    for (size_t i = 0; rc == OM_OK && i < count; i++) {
        k->ended = k->ended || (k->c->set.fail_fast && results[i].heap != NULL &&
                                   check_status(&results[i]) == 10);
        k->shared[of[i]] = results[i];
    }
    om_free(k->c->heap, results);
    return rc;
}

/* If the current property may share an exploration and there was none yet, checks all properties
 * that may share it. Returns an exit status. */
static int share_exploration(checking *k)
{
    size_t of[SHARING_MOST];
    om_target *targets[SHARING_MOST];
    const bool done = k->shared != NULL || k->c->set.plan_only;
    const size_t count = done ? 0 : find_sharing(k, k->checked, of);
    if (count == 0 || of[0] != k->checked)
        return 0;
    for (size_t i = 0; i < count; i++)
        targets[i] = k->targets[of[i]];
    const int rc = share(k, of, targets, count);
    return rc == OM_OK ? 0 : cli_failed(k->c, rc);
}

/* Returns true if the current property is to be reported: always, unless a violation ended the
 * shared exploration before this property was decided. */
static bool is_due(const checking *k)
{
    return !k->ended || k->shared[k->checked].heap != NULL;
}

static int check_all(checking *k)
{
    const cli_settings *set = &k->c->set;
    om_plan_share_time(k->plan, 1);
    int status = set->property_count > 1 ? read_all(k) : 0;
    if (status != 0)
        return status;
    for (; k->checked < set->property_count; k->checked++) {
        if (!is_due(k))
            continue;
        om_plan_share_time(k->plan, unanswered(k));
        const int shared = share_exploration(k);
        if (shared != 0)
            return check_worse(status, shared);
        if (!is_due(k)) /* undecided when a violation ended the exploration */
            continue;
        om_plan_share_time(k->plan, unanswered(k));
        const int one = check_one(k, &set->properties[k->checked], k->checked);
        if (k->again)
            break;
        status = check_worse(status, one);
        k->answered++;
        if (k->broken || om_control_stopped(om_plan_control(k->plan)) == OM_STOP_INTERRUPT ||
            (set->fail_fast && !k->ended && status != 0 && status != 30))
            break;
    }
    return status;
}

/* Without a property option, checks the properties of the model. */
static int take_own(checking *k)
{
    cli *c = k->c;
    om_own_property *own = NULL;
    size_t count = 0;
    int rc = om_plan_own_properties(k->model, &own, &count);
    for (size_t i = 0; i < count && rc == OM_OK; i++)
        if (!own[i].by_name)
            rc = cli_add_own(c, &own[i]);
    om_free(c->heap, own);
    return rc;
}

static int open_model(checking *k)
{
    cli *c = k->c;
    int rc = c->set.lasso == NULL
                 ? cli_load_model(c, &k->frontend, &k->model)
                 : cli_load_text(c, c->set.positionals[0], &k->frontend, &k->model, &k->source);
    k->output.source = k->source;
    c->set.plan.bad_prefix = c->set.whole_run ? OM_PREFIX_MARKED : OM_PREFIX_ALONE;
    if (rc == OM_OK && c->set.property_count == 0)
        rc = take_own(k);
    c->properties = c->set.property_count;
    return rc == OM_OK ? cli_new_plan(c, k->frontend, k->model, &k->plan) : rc;
}

static void close_model(checking *k)
{
    for (size_t i = 0; i < CLI_PROPERTIES; i++) {
        om_target_free(k->plan, k->targets[i]);
        k->targets[i] = NULL;
    }
    for (size_t i = 0; k->shared != NULL && i < k->c->set.property_count; i++)
        om_check_result_free(&k->shared[i]);
    om_free(k->c->heap, k->shared);
    k->shared = NULL;
    om_plan_free(k->plan);
    om_model_free(k->model);
    om_free(k->c->heap, k->source);
    k->plan = NULL;
    k->model = NULL;
    k->source = NULL;
}

static int summarise(checking *k)
{
    const size_t left = k->c->set.property_count - k->answered;
    if (k->broken || k->c->set.plan_only)
        return 0;
    const int rc = check_put_summary(&k->output, k->output.row_count == 0 ? 0 : left);
    return rc == OM_OK ? 0 : cli_failed(k->c, rc);
}

int cli_run_check(cli *c)
{
    checking k = { .c = c, .output = { .c = c } };
    int status = 0;
    if (c->set.server != NULL)
        return cli_run_helper(c, "remote", "libcurl");
    do {
        k.again = false;
        const int rc = open_model(&k);
        status = check_worse(status, rc != OM_OK ? cli_failed(c, rc) : check_all(&k));
        if (!k.again) {
            status = check_worse(status, summarise(&k));
            status = cli_leave(c, k.plan, status); /* it may end the program */
        }
        close_model(&k);
    } while (k.again);
    check_output_free(&k.output);
    return status;
}
