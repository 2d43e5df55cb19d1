/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <string.h>

/* A session that checks properties of one model. */
typedef struct checking {
    cli *c;
    const om_frontend *frontend;
    om_model *model;
    om_plan *plan;
    check_output output;
    char *source;                       /* the model's text, where lassos are kept */
    om_target *targets[CLI_PROPERTIES]; /* the properties that were read ahead, or NULL */
    bool broken;                        /* results can no longer be written */
    size_t checked;                     /* properties that have their answer; the next one */
    bool again;                         /* asks for more room (cli_grow()) */
} checking;

/* "FILE.json", and "FILE.2.json" for the second violation. */
static void lasso_path(const check_output *o, om_text *out)
{
    const char *file = o->c->set.lasso, *dot = strrchr(file, '.');
    if (o->violations <= 1)
        om_text_add(out, file);
    else
        om_text_printf(out, "%.*s.%zu%s", (int) (dot - file), file, o->violations, dot);
}

/* "ltl=FORMULA", so that a replay knows what the lasso is about. */
static void record(const cli_property *p, const om_check_result *r, om_text *out)
{
    if (r->assertion) {
        om_text_add(out, "assertion");
        return;
    }
    om_text_add(out, p->option);
    if (p->text != NULL)
        om_text_printf(out, "=%s", p->kind == OM_PROPERTY_LTL_FILE ? r->property : p->text);
}

/* A counterexample on its way out. */
typedef struct shown {
    cli *c;
    const check_found *f;
    const char *source, *format;
    bool one_line;
} shown;

static int put_lasso(void *self, om_text *out)
{
    const shown *s = self;
    const om_obligation goes_wrong = { .model = s->f->model, .fault = OM_FAULT(OM_FAULT_ANY, 0) };
    om_text property = { .heap = out->heap };
    if (s->f->r->verdict == OM_VIOLATED)
        record(s->f->property, s->f->r, &property);
    else if (s->f->recorded != NULL)
        om_text_add(&property, s->f->recorded);
    else if (!s->f->read && om_lasso_replay(s->c->ctx, &s->f->r->lasso, &goes_wrong) == OM_OK)
        om_text_add(&property, "fault"); /* it shows nothing about the property */
    else
        om_context_clear(s->c->ctx);
    const om_lasso_style style = { property.text, s->one_line, s->source };
    int rc = property.failed ? OM_ENOMEM
                             : om_lasso_write(&s->f->r->lasso, s->f->model, s->format, &style, out);
    om_text_free(&property);
    return rc;
}

static int write_lasso(const check_output *o, const check_found *found)
{
    cli *c = o->c;
    om_text path = { .heap = c->heap };
    shown s = { c, found, o->source, om_lasso_format_of(c->set.lasso), false };
    cli_file f;

    lasso_path(o, &path);
    if (path.failed)
        return om_fail_memory(c->ctx);
    int rc = cli_file_open(&f, c, path.text);
    if (rc == OM_OK)
        rc = put_lasso(&s, &f.text);
    rc = cli_file_close(&f, rc == OM_ENOMEM ? om_fail_memory(c->ctx) : rc);
    om_text_free(&path);
    return rc;
}

/* A lasso that takes too long to be written costs no more than itself. */
int check_put_result(check_output *o, const check_found *f)
{
    cli *c = o->c;
    const om_check_result *r = f->r;
    int rc = OM_OK, kept = OM_OK;
    if (r->has_lasso) {
        o->violations++;
        if (c->set.lasso != NULL)
            kept = write_lasso(o, f);
    }
    if (kept != OM_OK && kept != OM_ELIMIT)
        return kept;
    if (c->set.json || c->set.json_lines) {
        shown s = { c, f, NULL, "json", c->set.json_lines };
        rc = cli_put_result_json(c, r, &f->overflows, r->has_lasso ? put_lasso : NULL, &s);
    } else {
        cli_put_property_line(c, r);
        if (!c->set.quiet)
            cli_put_unrefereed(c, r);
        if (r->assertion)
            om_text_printf(
                &c->out, "an assertion of the model fails: %s\n", r->fault == NULL ? "" : r->fault);
        if (r->has_lasso && c->set.lasso == NULL && !c->set.quiet)
            (void) om_lasso_write(&r->lasso, f->model, "txt", NULL, &c->out);
        if (!c->set.quiet)
            cli_put_minimality(c, r);
        cli_put_overflows(c, &f->overflows);
        if (!c->set.quiet)
            cli_put_parts(c, r);
    }
    if (rc == OM_OK)
        rc = cli_flush(c);
    return rc == OM_OK ? kept : rc;
}

int check_status(const om_check_result *r)
{
    return r->verdict == OM_HOLDS ? 0 : r->verdict == OM_VIOLATED ? 10 : 30;
}

/* What would be done for one property. */
static int describe_one(checking *k, const cli_property *p)
{
    om_planned planned;
    int rc = om_plan_describe(k->plan, p->kind, p->text, &planned);
    if (rc == OM_OK)
        rc = cli_put_planned(k->c, &planned);
    om_planned_free(&planned);
    if (rc == OM_OK)
        rc = cli_flush(k->c);
    return rc == OM_OK ? 0 : cli_failed(k->c, rc);
}

/* Checks one property, which may have been read already, and returns its exit status. */
static int check_one(checking *k, const cli_property *p, om_target *target)
{
    om_check_result r = { 0 };
    cli_ticker ticker = { 0 };
    if (k->c->set.plan_only)
        return describe_one(k, p);
    int rc = cli_ticker_start(&ticker, k->c, k->plan, "checking"), status;

    if (rc == OM_OK)
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
            .overflows = cli_overflows_of(k->plan, k->model) };
        int put = check_put_result(&k->output, &f);
        int failed = put == OM_OK ? 0 : cli_failed(k->c, put);
        if (put != OM_OK && put != OM_ELIMIT) /* the verdict stands, and says more than a limit */
            status = failed;
        k->broken = put != OM_OK && put != OM_ELIMIT;
    }
    om_check_result_free(&r);
    return status;
}

/* Failures before verdicts, violations before what is not known. */
int check_worse(int a, int b)
{
    static const int order[] = { 0, 30, 10, 2, 3, 1 };
    for (size_t i = sizeof order / sizeof *order; i-- > 0;)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

/* Of several properties, all that are wrong are told before the first is checked. One whose reading
 * a limit ended is read again when it is checked. */
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

static int check_all(checking *k)
{
    const cli_settings *set = &k->c->set;
    int status = set->property_count > 1 ? read_all(k) : 0;
    if (status != 0)
        return status;
    for (; k->checked < set->property_count; k->checked++) {
        const int one = check_one(k, &set->properties[k->checked], k->targets[k->checked]);
        if (k->again)
            break;
        status = check_worse(status, one);
        /* A limit is one for each property; a signal ends them all. */
        if (k->broken || om_control_stopped(om_plan_control(k->plan)) == OM_STOP_INTERRUPT)
            break;
    }
    return status;
}

static int open_model(checking *k)
{
    cli *c = k->c;
    int rc = c->set.lasso == NULL
                 ? cli_load_model(c, &k->frontend, &k->model)
                 : cli_load_text(c, c->set.positionals[0], &k->frontend, &k->model, &k->source);
    k->output.source = k->source;
    c->set.plan.bad_prefix = c->set.whole_run ? OM_PREFIX_MARKED : OM_PREFIX_ALONE;
    return rc == OM_OK ? cli_new_plan(c, k->frontend, k->model, &k->plan) : rc;
}

static void close_model(checking *k)
{
    for (size_t i = 0; i < CLI_PROPERTIES; i++) {
        om_target_free(k->plan, k->targets[i]);
        k->targets[i] = NULL;
    }
    om_plan_free(k->plan);
    om_model_free(k->model);
    om_free(k->c->heap, k->source);
    k->plan = NULL;
    k->model = NULL;
    k->source = NULL;
}

int cli_run_check(cli *c)
{
    static const cli_property own = { OM_PROPERTY_DEFAULT, "default", NULL };
    checking k = { .c = c, .output = { .c = c } };
    int status = 0;
    if (c->set.server != NULL)
        return cli_run_check_there(c);
    do {
        k.again = false;
        const int rc = open_model(&k);
        const int now = rc != OM_OK                  ? cli_failed(c, rc)
                        : c->set.property_count == 0 ? check_one(&k, &own, NULL)
                                                     : check_all(&k);
        status = check_worse(status, now);
        if (!k.again) /* it may end the program */
            status = cli_leave(c, k.plan, status);
        close_model(&k);
    } while (k.again);
    return status;
}
