/* SPDX-License-Identifier: Apache-2.0 */
/* omen empty: whether an automaton accepts a word. */
#include "base/plan_options.h"
#include "base/progress.h"
#include "base/safe_text.h"
#include "check/check_report.h"
#include "commands.h"

static om_label label_at(const om_lasso *l, size_t i)
{
    return l->vectors[2 * i] | (om_label) l->vectors[2 * i + 1] << 32;
}

/* Writes a label as the formula that it satisfies. */
static void put_label(const om_automaton *a, om_label label, om_text *out)
{
    uint32_t n = om_automaton_ap_count(a);
    if (n == 0)
        om_text_add(out, "true");
    for (uint32_t i = 0; i < n; i++) {
        om_text_printf(out, "%s%s\"", i == 0 ? "" : " & ", label >> i & 1u ? "" : "!");
        cli_put_plain(out, om_automaton_ap(a, i));
        om_text_add(out, "\"");
    }
}

static void put_word(cli *c, const om_automaton *a, const om_lasso *l)
{
    for (size_t i = 0; i < l->count; i++) {
        if (i == l->loop)
            om_text_add(&c->out, "cycle:\n");
        else if (i == 0)
            om_text_add(&c->out, "stem:\n");
        om_text_printf(&c->out, "%5zu: ", i);
        put_label(a, label_at(l, i), &c->out);
        om_text_add(&c->out, "\n");
    }
}

/* A word to print */
typedef struct shown {
    const om_automaton *a;
    const om_lasso *l;
} shown;

static int put_word_json(void *self, om_text *out)
{
    const shown *s = self;
    om_text label = { .heap = out->heap };
    om_text_add(out, "{\"labels\": [");
    for (size_t i = 0; i < s->l->count; i++) {
        label.length = 0;
        put_label(s->a, label_at(s->l, i), &label);
        om_text_add(out, i == 0 ? "\n  " : ",\n  ");
        om_text_add_json(out, label.failed ? "" : label.text);
    }
    om_text_printf(out, "],\n  \"loop\": %zu}", s->l->loop);
    int rc = label.failed ? OM_ENOMEM : om_text_status(out);
    om_text_free(&label);
    return rc;
}

static int put_emptiness(
    cli *c, const om_plan_options *plan, const om_automaton *a, const om_check_result *r)
{
    const cli_asked asked = { plan, 0 };
    shown s = { a, &r->lasso };
    if (c->set.json)
        return cli_put_result_json(c, &asked, r, &(cli_overflows){ .count = 0 }, NULL,
            r->has_lasso ? put_word_json : NULL, &s);
    cli_put_property_line(c, r);
    if (c->set.quiet)
        return OM_OK;
    cli_put_unrefereed(c, r);
    if (r->has_lasso)
        put_word(c, a, &r->lasso);
    cli_put_parts(c, r);
    return OM_OK;
}

typedef struct empty_settings {
    om_plan_options plan;
} empty_settings;

static int run(cli *c, void *settings)
{
    const empty_settings *set = settings;
    om_automaton *a = NULL;
    om_check_result r = { 0 };
    om_plan *plan = NULL;
    cli_ticker ticker = { .running = false };
    int status = 0;
    int rc = cli_open_registry(c);

    if (rc == OM_OK)
        rc = cli_new_plan(c, &set->plan, NULL, NULL, &plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, plan, "checking");
    if (rc == OM_OK)
        rc = om_automaton_read_file(&a, c->ctx, c->set.positionals[0], 0);
    if (rc == OM_OK)
        rc = om_plan_empty(plan, a, &r);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK) {
        status = r.verdict == OM_HOLDS ? 0 : r.verdict == OM_VIOLATED ? 10 : 30;
        rc = put_emptiness(c, &set->plan, a, &r);
    }
    om_check_result_free(&r);
    om_plan_free(plan);
    om_automaton_free(a);
    return rc == OM_OK ? status : cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_CHECKER_OPTIONS(empty_settings),
    CLI_LIMIT_OPTIONS(empty_settings),
    CLI_JSON_OPTION,
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_empty_command = { "empty", "AUTOMATON [OPTIONS]",
    "checks if an automaton is empty", 1, 1, options, sizeof(empty_settings), run, NULL,
    { "omen empty automaton.hoa", "omen empty automaton.hoa --json",
        "omen translate 'GF p & FG !p' | omen empty -" } };
