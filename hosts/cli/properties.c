/* SPDX-License-Identifier: Apache-2.0 */
/* omen properties: what a model brings along to be checked. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

static const char *kind_of(const om_own_property *p)
{
    switch (p->kind) {
    case OM_PROPERTY_ASSERTION:
        return "assertions";
    case OM_PROPERTY_DEADLOCK:
        return "deadlock";
    case OM_PROPERTY_NON_PROGRESS:
        return "non-progress";
    default:
        return p->formula != NULL ? "formula" : "automaton";
    }
}

/* The option of `omen check` that asks for it: "property", with the name, or its own name. */
static const char *option_of(const om_own_property *p)
{
    return p->kind == OM_PROPERTY_NAMED ? "property" : p->name;
}

static json_t *property_json(const om_own_property *p)
{
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:b}", "name", cli_text_json(p->name), "kind",
        kind_of(p), "option", option_of(p), "formula", cli_text_json(p->formula), "assertions",
        p->kind == OM_PROPERTY_ASSERTION ? json_integer(p->assertions) : json_null(), "default",
        !p->by_name);
}

static int put_json(cli *c, const om_own_property *all, size_t count)
{
    json_t *properties = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(properties, property_json(&all[i])) != 0) {
            json_decref(properties);
            return om_fail_memory(c->ctx);
        }
    return cli_put_json(c,
        json_pack("{s:i, s:o, s:o}", "schema", 1, "model", cli_text_json(c->set.positionals[0]),
            "own", properties),
        true);
}

static void put_what(const om_own_property *p, om_text *out)
{
    switch (p->kind) {
    case OM_PROPERTY_ASSERTION:
        om_text_printf(out, "none of %" PRIu32 " assertion%s fails", p->assertions,
            p->assertions == 1 ? "" : "s");
        break;
    case OM_PROPERTY_DEADLOCK:
        om_text_add(out, "every reachable state has a successor");
        break;
    case OM_PROPERTY_NON_PROGRESS:
        om_text_add(out, "no run goes on for ever without progress");
        break;
    default:
        if (p->formula != NULL)
            cli_put_plain(out, p->formula);
        else
            om_text_add(out, "an automaton of forbidden runs");
    }
}

/* The options of `omen check` and what they ask for, those apart that are not checked by default.
 */
static void put_text(cli *c, const om_own_property *all, size_t count, bool by_name, int width)
{
    for (size_t i = 0; i < count; i++) {
        const om_own_property *p = &all[i];
        om_text option = { .heap = c->heap };
        if (p->by_name != by_name)
            continue;
        om_text_printf(&option, "--%s", option_of(p));
        if (p->kind == OM_PROPERTY_NAMED)
            om_text_printf(&option, " %s", p->name);
        cli_put_plain(&c->out, option.text == NULL ? "" : option.text);
        om_text_printf(
            &c->out, "%*s  ", option.length < (size_t) width ? width - (int) option.length : 0, "");
        put_what(p, &c->out);
        om_text_add(&c->out, "\n");
        om_text_free(&option);
    }
}

static int put_all(cli *c, const om_own_property *all, size_t count)
{
    enum { MOST = 40 };
    size_t width = 0, others = 0;
    if (c->set.json)
        return put_json(c, all, count);
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(option_of(&all[i])) + 2 +
                         (all[i].kind == OM_PROPERTY_NAMED ? strlen(all[i].name) + 1 : 0);
        width = n > width && n <= MOST ? n : width;
        others += all[i].by_name;
    }
    put_text(c, all, count, false, (int) width);
    if (others != 0)
        om_text_add(&c->out, "only if they are asked for:\n");
    put_text(c, all, count, true, (int) width);
    return c->out.failed ? om_fail_memory(c->ctx) : OM_OK;
}

int cli_run_properties(cli *c)
{
    om_model *model = NULL;
    om_own_property *all = NULL;
    size_t count = 0;
    cli_ticker ticker = { 0 };
    int rc = cli_ticker_start(&ticker, c, NULL, "reading");
    if (rc == OM_OK)
        rc = cli_load_model(c, NULL, &model);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK)
        rc = om_plan_own_properties(model, &all, &count);
    if (rc == OM_OK)
        rc = put_all(c, all, count);
    if (rc == OM_OK)
        rc = cli_flush(c);
    om_free(c->heap, all);
    om_model_free(model);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}
