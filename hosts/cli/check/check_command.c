/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen check: checks properties of a model.
 *
 * Several properties share a time limit in passes. The first gives each a short slice, the second
 * an equal part of the time that is left; then those that are still undecided get what the others
 * left unused, as long as that is much more than they had. A result that only lacks time is
 * postponed, and reported after the last pass.
 *
 *  K1  The current property is one of the check's: checked < properties.count <= CLI_PROPERTIES.
 *  K2  A property has an answer (done) or a postponed result or, in the first pass, neither.
 *  K3  A model has at most one shared exploration; only such a one is `ended`.
 *  K4  A shared exploration is for different properties, from the current one on, without results.
 *  K5  A session has at most one model and plan; close_model() leaves none.
 */
#include "base/output.h"
#include "base/program.h"
#include "base/progress.h"
#include "check/check_output.h"
#include "commands.h"

#include <assert.h>
#include <string.h>

/* What is reported with the results of a search */
typedef struct about_search {
    cli_overflows overflows; /* without their trace */
    om_code_report code;
    bool has_code;
} about_search;

/* A result that only lacks time */
typedef struct postponed_result {
    om_check_result r; /* if its heap is not NULL */
    about_search about;
} postponed_result;

/* A session that checks properties of one model */
typedef struct checking {
    cli *c;
    check_settings *set;
    const om_frontend *frontend;
    om_model *model;
    om_plan *plan;
    check_output output;
    char *source;                       /* the model's text, if lassos are written */
    om_target *targets[CLI_PROPERTIES]; /* properties that were read ahead, or NULL */
    om_check_result *shared;            /* [property]: results of a shared exploration, ... */
    bool in_shared[CLI_PROPERTIES];     /* ... which these properties shared, ... */
    bool ended;                         /* ... which the first violation ended (--fail-fast) */
    about_search together;              /* of that exploration */
    om_lasso overflow_trace;            /* goes with the first result that tells of overflows */
    bool broken;                        /* results can no longer be written */
    size_t checked;                     /* index of the current property, in this pass */
    bool done[CLI_PROPERTIES];          /* [property]: it has an answer */
    postponed_result *postponed;        /* [property] */
    unsigned pass;                      /* from 0 on */
    uint64_t slice_ns;                  /* of the last search */
    size_t answered;                    /* number of properties with an answer */
    bool again;                         /* the model needs more room (cli_grow()) */
} checking;

/* Finds properties of states that have no answer yet and may share an exploration. */
enum { SHARING_MOST = 64 };

static size_t find_sharing(const checking *k, size_t from, size_t *of)
{
    size_t count = 0;
    for (size_t i = from; i < k->set->properties.count && count < SHARING_MOST; i++)
        if (k->targets[i] != NULL && om_plan_may_share(k->plan, k->targets[i]))
            of[count++] = i;
    assert(count <= SHARING_MOST && (count == 0 || of[0] >= from)); /* K4 */
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
        rc = cli_put_planned(k->c, &k->set->plan, &planned, sharing_with(k, number));
    om_planned_free(&planned);
    if (rc == OM_OK)
        rc = cli_flush(k->c);
    return rc == OM_OK ? 0 : cli_failed(k->c, rc);
}

/* Returns what is reported with the results of the last search. Its trace to an overflow, which
 * only one search of a session has, is kept. */
static about_search about_last(checking *k)
{
    const om_code_report *code = om_plan_code(k->plan);
    about_search about = { .overflows = cli_overflows_of(k->plan, k->model),
        .has_code = code != NULL };
    if (code != NULL)
        about.code = *code;
    if (about.overflows.trace != NULL) {
        om_lasso_free(&k->overflow_trace);
        om_plan_take_overflow_trace(k->plan, &k->overflow_trace);
    }
    about.overflows.trace = NULL;
    return about;
}

/* Reports the result of a property, and returns its exit status. rc: OM_OK or OM_EMODEL. */
static int report(
    checking *k, size_t number, om_check_result *r, const about_search *about, int rc, int status)
{
    check_found f = { .property = &k->set->properties.at[number],
        .r = r,
        .model = k->model,
        .failed = rc != OM_OK,
        .overflows = about->overflows,
        .code = about->has_code ? &about->code : NULL };
    if (f.overflows.count != 0 && k->overflow_trace.count != 0)
        f.overflows.trace = &k->overflow_trace;
    const int put = check_put_result(&k->output, &f);
    if (f.overflows.trace != NULL)
        om_lasso_free(&k->overflow_trace);
    const int failed = put == OM_OK ? 0 : cli_failed(k->c, put);
    k->broken = put != OM_OK && put != OM_ELIMIT;
    return k->broken ? failed : status; /* the verdict takes precedence over a limit */
}

/* Keeps the result for later if only time is missing, and more time may come. */
static bool postpone(checking *k, size_t number, om_check_result *r, const about_search *about)
{
    const bool late = r->verdict == OM_UNKNOWN && r->reason != NULL &&
                      strcmp(r->reason, om_stop_reason_name(OM_STOP_TIMEOUT)) == 0;
    /* What else is violated is reported at once. */
    if (!late || k->set->properties.count < 2 || r->assertion != NULL || r->fault != NULL)
        return false;
    if (k->postponed == NULL)
        k->postponed = om_alloc(k->c->heap, k->set->properties.count, sizeof *k->postponed);
    if (k->postponed == NULL)
        return false;
    postponed_result *kept = &k->postponed[number];
    om_check_result_free(&kept->r);
    *kept = (postponed_result){ *r, *about };
    *r = (om_check_result){ 0 };
    return true;
}

/* Checks one property, which may have been read already, and returns its exit status; 0 if the
 * result is postponed. */
static int check_one(checking *k, const cli_property *p, size_t number)
{
    assert(number < k->set->properties.count && number < CLI_PROPERTIES); /* K1 */
    om_target *target = k->targets[number];
    om_check_result r = { 0 };
    about_search about = k->together;
    cli_ticker ticker = { 0 };
    if (k->set->plan_only)
        return describe_one(k, p, number);
    int rc = cli_ticker_start(&ticker, k->c, k->plan, "checking"), status = 0;

    if (rc == OM_OK && k->shared != NULL && k->shared[number].heap != NULL) {
        r = k->shared[number];
        k->shared[number] = (om_check_result){ 0 };
    } else if (rc == OM_OK) {
        rc = target != NULL ? om_plan_check_target(k->plan, target, &r)
                            : om_plan_check(k->plan, p->kind, p->text, &r);
        about = about_last(k);
    }
    cli_ticker_stop(&ticker);
    k->again = rc == OM_EMODEL && om_plan_lacks_room(k->plan) &&
               cli_grow(k->c, &k->set->model, k->c->set.positionals[0], k->frontend, k->model);
    k->done[number] = !k->again && (rc != OM_OK || !postpone(k, number, &r, &about));
    if (k->done[number])
        status = rc == OM_OK ? check_status(&r) : cli_failed(k->c, rc);
    if (k->done[number] && (rc == OM_OK || rc == OM_EMODEL))
        status = report(k, number, &r, &about, rc, status);
    om_check_result_free(&r);
    return status;
}

/* Reads all of several properties, so that all errors are reported before the first check. If a
 * limit ended the reading of one, it is read again when it is checked. */
static int read_all(checking *k)
{
    int status = 0;
    for (size_t i = 0; i < k->set->properties.count; i++) {
        const cli_property *p = &k->set->properties.at[i];
        if (k->done[i])
            continue;
        int rc = om_plan_read(&k->targets[i], k->plan, p->kind, p->text);
        if (rc == OM_ELIMIT)
            om_context_clear(k->c->ctx);
        else if (rc != OM_OK)
            status = check_worse(status, cli_failed(k->c, rc));
    }
    return status;
}

/* Returns the number of searches left for the properties from `first` on. */
static size_t unanswered(const checking *k, size_t first)
{
    size_t n = 0, of[SHARING_MOST];
    for (size_t i = first; i < k->set->properties.count; i++)
        n += !k->done[i] && (k->shared == NULL || k->shared[i].heap == NULL);
    const size_t together = k->shared == NULL ? find_sharing(k, first, of) : 0;
    assert(together <= n); /* K4 */
    return together == 0 ? n : n - together + 1;
}

static int share(checking *k, const size_t *of, om_target **targets, size_t count)
{
    cli_ticker ticker = { 0 };
    assert(k->shared == NULL); /* K3 */
    om_check_result *results = om_alloc(k->c->heap, count, sizeof *results);
    k->shared = om_alloc(k->c->heap, k->set->properties.count, sizeof *k->shared);
    int rc = results == NULL || k->shared == NULL
                 ? om_fail_memory(k->c->ctx)
                 : cli_ticker_start(&ticker, k->c, k->plan, "exploring");
    if (rc == OM_OK)
        rc = om_plan_check_together(k->plan, targets, count, k->set->fail_fast, results);
    cli_ticker_stop(&ticker);
    k->together = about_last(k);
    for (size_t i = 0; rc == OM_OK && i < count; i++) {
        assert(of[i] < k->set->properties.count && k->shared[of[i]].heap == NULL); /* K4 */
        k->ended = k->ended || (k->set->fail_fast && results[i].heap != NULL &&
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
    const bool done = k->shared != NULL || k->set->plan_only;
    const size_t count = done ? 0 : find_sharing(k, k->checked, of);
    if (count == 0 || of[0] != k->checked)
        return 0;
    for (size_t i = 0; i < count; i++) {
        targets[i] = k->targets[of[i]];
        k->in_shared[of[i]] = true;
    }
    const int rc = share(k, of, targets, count);
    return rc == OM_OK ? 0 : cli_failed(k->c, rc);
}

/* Returns true if the current property is to be reported: always, unless a violation ended the
 * shared exploration before this property was decided. */
static bool is_due(const checking *k)
{
    assert(!k->ended || k->shared != NULL); /* K3 */
    return !k->ended || k->shared[k->checked].heap != NULL;
}

/* Frees what was read ahead, and the shared exploration. */
static void forget_targets(checking *k)
{
    for (size_t i = 0; i < CLI_PROPERTIES; i++) {
        om_target_free(k->plan, k->targets[i]);
        k->targets[i] = NULL;
    }
    for (size_t i = 0; k->shared != NULL && i < k->set->properties.count; i++)
        om_check_result_free(&k->shared[i]);
    om_free(k->c->heap, k->shared);
    k->shared = NULL;
    memset(k->in_shared, 0, sizeof k->in_shared);
}

/* Returns true if a shared exploration has left a property without a result. */
static bool leaves_open(const checking *k)
{
    for (size_t i = 0; k->shared != NULL && i < k->set->properties.count; i++)
        if (k->in_shared[i] && !k->done[i] && k->shared[i].heap == NULL)
            return true;
    return false;
}

/* Prints the violations that a shared exploration has found, if it has left other properties open,
 * which are checked next and may take long. Returns the worst exit status. */
static int tell_violations(checking *k)
{
    const cli_properties *all = &k->set->properties;
    int status = 0;
    for (size_t i = 0; i < all->count && leaves_open(k) && !k->broken; i++) {
        if (k->done[i] || k->shared[i].heap == NULL || k->shared[i].verdict != OM_VIOLATED)
            continue;
        status = check_worse(status, check_one(k, &all->at[i], i));
        k->answered += k->done[i];
        assert(k->answered <= all->count); /* K2 */
    }
    return status;
}

/* ---- time ---- */

/* Returns the time left; UINT64_MAX if there is no limit. */
static uint64_t left_ns(const checking *k)
{
    const uint64_t limit = k->c->set.limits.timeout_ns, spent = om_clock_ns() - k->c->started_ns;
    return limit == 0 ? UINT64_MAX : spent < limit ? limit - spent : 0;
}

/* Shares the time with the other searches. In the first pass, each has a small part only, also the
 * last one: those that were postponed need time as well. */
static void share_time(checking *k)
{
    enum { FIRST_PARTS = 16 };
    const uint64_t least_ns = 100000000, left = left_ns(k);
    const size_t searches = unanswered(k, k->checked), open = unanswered(k, 0);
    if (searches == 0) /* the current property has a result, of the shared exploration */
        return;
    const bool first =
        k->pass == 0 && open > 1 && left != UINT64_MAX && left / FIRST_PARTS / open >= least_ns;
    const size_t parts = first ? FIRST_PARTS * open : searches;
    k->slice_ns = left / parts;
    om_plan_share_time(k->plan, parts);
}

/* Prepares another pass if there is time for one: undecided properties are read again. Returns
 * false if there is none. */
static bool begin_pass(checking *k)
{
    k->checked = 0;
    const uint64_t least_ns = 20000000, left = left_ns(k);
    const size_t searches = unanswered(k, 0);
    if (searches == 0 || left == UINT64_MAX || left / searches < 2 * k->slice_ns + least_ns)
        return false;
    forget_targets(k);
    k->pass++;
    om_plan_share_time(k->plan, 1);
    (void) read_all(k); /* each has been read before; one that fails is read when it is checked */
    return true;
}

/* Checks the properties without an answer, in their order. Sets *over if nothing is to follow. */
static int check_pass(checking *k, bool *over)
{
    const check_settings *set = k->set;
    int status = 0;
    *over = true;
    for (; k->checked < set->properties.count; k->checked++) {
        if (k->done[k->checked] || !is_due(k))
            continue;
        share_time(k);
        const int shared = share_exploration(k);
        if (shared != 0)
            return check_worse(status, shared);
        status = check_worse(status, tell_violations(k));
        if (k->done[k->checked] ||
            !is_due(k)) /* undecided when a violation ended the exploration */
            continue;
        share_time(k);
        const int one = check_one(k, &set->properties.at[k->checked], k->checked);
        if (k->again)
            return status;
        status = check_worse(status, one);
        k->answered += k->done[k->checked];
        assert(k->answered <= set->properties.count); /* K2 */
        if (k->broken || om_control_stopped(om_plan_control(k->plan)) == OM_STOP_INTERRUPT ||
            (set->fail_fast && !k->ended && status != 0 && status != 30))
            return status;
    }
    *over = k->ended;
    return status;
}

/* Reports the results that were postponed. */
static int report_postponed(checking *k)
{
    int status = 0;
    for (size_t i = 0; k->postponed != NULL && i < k->set->properties.count && !k->broken; i++) {
        om_check_result *r = &k->postponed[i].r;
        if (k->done[i] || r->heap == NULL)
            continue;
        k->done[i] = true;
        k->answered++;
        status =
            check_worse(status, report(k, i, r, &k->postponed[i].about, OM_OK, check_status(r)));
    }
    return status;
}

static int check_all(checking *k)
{
    bool over = false;
    om_plan_share_time(k->plan, 1);
    int status = k->set->properties.count > 1 ? read_all(k) : 0;
    if (status != 0)
        return status;
    k->checked = 0;
    do
        status = check_worse(status, check_pass(k, &over));
    while (!over && begin_pass(k));
    return k->again ? status : check_worse(status, report_postponed(k));
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
            rc = cli_add_own(c, &k->set->properties, &own[i]);
    om_free(c->heap, own);
    return rc;
}

static int open_model(checking *k)
{
    cli *c = k->c;
    check_settings *set = k->set;
    assert(k->model == NULL && k->plan == NULL && k->shared == NULL); /* K5 */
    int rc = cli_load_model(c, &set->model, c->set.positionals[0], &k->frontend, &k->model,
        set->lasso == NULL ? NULL : &k->source);
    k->output.source = k->source;
    set->plan.bad_prefix = set->whole_run ? OM_PREFIX_MARKED : OM_PREFIX_ALONE;
    set->plan.leave_compilers = cli_leaves_compilers();
    if (rc == OM_OK)
        cli_expect_growth(&set->model, c->set.positionals[0], k->model);
    if (rc == OM_OK && set->properties.count == 0)
        rc = take_own(k);
    k->output.properties = set->properties.count;
    return rc == OM_OK ? cli_new_plan(c, &set->plan, k->frontend, k->model, &k->plan) : rc;
}

static void close_model(checking *k)
{
    forget_targets(k);
    for (size_t i = 0; k->postponed != NULL && i < k->set->properties.count; i++)
        om_check_result_free(&k->postponed[i].r);
    om_free(k->c->heap, k->postponed);
    k->postponed = NULL;
    om_lasso_free(&k->overflow_trace);
    om_plan_free(k->plan);
    om_model_free(k->model);
    om_free(k->c->heap, k->source);
    k->plan = NULL;
    k->model = NULL;
    k->source = NULL;
}

static int summarise(checking *k)
{
    assert(k->answered <= k->set->properties.count); /* K2 */
    const size_t left = k->set->properties.count - k->answered;
    if (k->broken || k->set->plan_only)
        return 0;
    const int rc = check_put_summary(&k->output, k->output.row_count == 0 ? 0 : left);
    return rc == OM_OK ? 0 : cli_failed(k->c, rc);
}

/* Checks here, with the settings complete. */
static int check_here(cli *c, check_settings *set)
{
    checking k = { .c = c, .set = set, .output = { .c = c, .set = set } };
    int status = 0;
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

int check_complete(cli *c, check_settings *s)
{
    const cli_model_settings *m = &s->model;
    const cli_server_settings *server = &s->server;
    if (server->url == NULL && (server->token_file != NULL || server->ca_file != NULL))
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--%s is only for --server",
            server->token_file != NULL ? "token-file" : "ca-file");
    if (server->url != NULL && m->definitions.count + m->folders.count + m->roots.count != 0)
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "%s cannot be combined with --server: a server gets the text of one file, without "
            "macros of the command line and without included files",
            m->definitions.count != 0 ? "-D"
            : m->folders.count != 0   ? "-I"
                                      : "--include-root");
    return cli_complete_properties(c, &s->properties, &s->plan);
}

static int run(cli *c, void *settings)
{
    check_settings *set = settings;
    const int rc = check_complete(c, set);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    return set->server.url != NULL ? cli_run_helper(c, "remote", "libcurl") : check_here(c, set);
}

static int set_shortest(cli *c, const cli_option *o, void *at, const char *value)
{
    return cli_read_limit(c, o, "a time such as 500ms, 10s or 2m", value, cli_time_units, at);
}

static const cli_option options[] = {
    CLI_PROPERTY_OPTIONS(check_settings),
    CLI_FINITE_RUNS_OPTION(check_settings),
    CLI_FAIRNESS_OPTIONS(check_settings),
    CLI_TRANSLATOR_OPTION(CLI_PROPERTY, check_settings, plan.translator),
    CLI_MODEL_OPTIONS(check_settings),
    CLI_OVERFLOW_OPTION(check_settings, plan.overflow),
    CLI_CHECKER_OPTIONS(check_settings),
    CLI_ORDER_OPTIONS(check_settings),
    CLI_DEVICE_OPTION(check_settings),
    CLI_VERIFY_OPTION(check_settings),
    CLI_STORE_OPTIONS(check_settings),
    CLI_RESET_OPTION("on", check_settings),
    CLI_MERGE_OPTION("on", check_settings),
    CLI_POR_OPTION("auto", check_settings),
    { "fail-fast", 0, CLI_SEARCH, NULL, "stop after the first violation", cli_set_flag,
        CLI_AT(check_settings, fail_fast) },
    CLI_LIMIT_OPTIONS(check_settings),
    { "lasso", 0, CLI_RUN, "FILE", "write the counterexample to this file", cli_set_lasso,
        CLI_AT(check_settings, lasso) },
    { "shortest", 0, CLI_RUN, "TIME", "then search this long for a shortest counterexample",
        set_shortest, CLI_AT(check_settings, plan.shortest_ns) },
    { "whole-run", 0, CLI_RUN, NULL, "keep the rest of a run after the violation", cli_set_flag,
        CLI_AT(check_settings, whole_run) },
    { "plan", 0, CLI_OUTPUT, NULL, "print what would be done, without doing it", cli_set_flag,
        CLI_AT(check_settings, plan_only) },
    CLI_JSON_OPTION,
    { "json-lines", 0, CLI_OUTPUT, NULL, "print progress and results as JSON objects, one per line",
        cli_set_flag, CLI_SHARED(json_lines) },
    CLI_PROGRESS_OPTION,
    CLI_SERVER_OPTIONS(check_settings),
    CLI_COMMON_OPTIONS,
};

const cli_command cli_check_command = { "check", "MODEL [PROPERTY...] [OPTIONS]",
    "checks properties of a model", 1, 1, options, sizeof(check_settings), run, NULL,
    { "omen check mutex.dve",
        "omen check mutex.dve --invariant 'not (P_0.critical and P_1.critical)'",
        "omen check starvation.dve --ltl 'G(Client_0.waiting -> F Client_0.served)' --lasso "
        "run.json" } };
