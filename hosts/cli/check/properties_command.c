/* SPDX-License-Identifier: Apache-2.0 */
/* omen properties: lists the properties of a model. */
#include "base/json.h"
#include "base/model_options.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/safe_text.h"
#include "commands.h"

#include <inttypes.h>
#include <string.h>

typedef struct listed {
    om_own_property *all;
    size_t count;
    om_ltl_spelling spelling; /* of formulas in text */
} listed;

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

/* Returns the option of `omen check` for the property: "property", with the name, or the property's
 * own name. */
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

/* Prints the formula in the user's spelling. */
static void put_formula(cli *c, const char *text, om_ltl_spelling spelling)
{
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    om_text printed = { .heap = c->heap };
    int rc = om_ltl_new(&l, c->ctx);
    if (rc == OM_OK)
        rc = om_ltl_parse(l, NULL, text, strlen(text), &f);
    if (rc == OM_OK)
        rc = om_ltl_print_as(l, f, spelling, &printed);
    cli_put_plain(&c->out, rc == OM_OK && printed.text != NULL ? printed.text : text);
    om_context_clear(c->ctx);
    om_text_free(&printed);
    om_ltl_free(l);
}

static void put_what(cli *c, const om_own_property *p, om_ltl_spelling spelling)
{
    om_text *out = &c->out;
    switch (p->kind) {
    case OM_PROPERTY_ASSERTION:
        om_text_printf(out, "none of %" PRIu32 " assertion%s fails", p->assertions,
            p->assertions == 1 ? "" : "s");
        break;
    case OM_PROPERTY_DEADLOCK:
        om_text_add(out, "no reachable state is a deadlock");
        break;
    case OM_PROPERTY_NON_PROGRESS:
        om_text_add(out, "every infinite run makes progress infinitely often");
        break;
    default:
        if (p->formula != NULL)
            put_formula(c, p->formula, spelling);
        else
            om_text_add(out, "an automaton of forbidden runs");
    }
}

/* Prints the options of `omen check` with their properties. Properties that are not checked by
 * default are listed separately. */
static void put_text(cli *c, const listed *l, bool by_name, int width)
{
    for (size_t i = 0; i < l->count; i++) {
        const om_own_property *p = &l->all[i];
        om_text option = { .heap = c->heap };
        if (p->by_name != by_name)
            continue;
        om_text_printf(&option, "--%s", option_of(p));
        if (p->kind == OM_PROPERTY_NAMED)
            om_text_printf(&option, " %s", p->name);
        cli_put_plain(&c->out, option.text == NULL ? "" : option.text);
        om_text_printf(
            &c->out, "%*s  ", option.length < (size_t) width ? width - (int) option.length : 0, "");
        put_what(c, p, l->spelling);
        om_text_add(&c->out, "\n");
        om_text_free(&option);
    }
}

static int put_all(cli *c, const listed *l)
{
    enum { MOST = 40 };
    size_t width = 0, others = 0;
    if (c->set.json)
        return put_json(c, l->all, l->count);
    for (size_t i = 0; i < l->count; i++) {
        const size_t n = strlen(option_of(&l->all[i])) + 2 +
                         (l->all[i].kind == OM_PROPERTY_NAMED ? strlen(l->all[i].name) + 1 : 0);
        width = n > width && n <= MOST ? n : width;
        others += l->all[i].by_name;
    }
    put_text(c, l, false, (int) width);
    if (others != 0)
        om_text_add(&c->out, "only on request:\n");
    put_text(c, l, true, (int) width);
    return c->out.failed ? om_fail_memory(c->ctx) : OM_OK;
}

typedef struct properties_settings {
    cli_model_settings model;
} properties_settings;

static int run(cli *c, void *settings)
{
    const properties_settings *set = settings;
    om_model *model = NULL;
    const om_frontend *frontend = NULL;
    listed l = { 0 };
    cli_ticker ticker = { 0 };
    int rc = cli_ticker_start(&ticker, c, NULL, "reading");
    if (rc == OM_OK)
        rc = cli_load_model(c, &set->model, c->set.positionals[0], &frontend, &model, NULL);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK)
        rc = om_plan_own_properties(model, &l.all, &l.count);
    /* If the language has a grammar of its own, it is SPIN's. */
    l.spelling = frontend != NULL && frontend->formula != NULL ? OM_LTL_SPIN : OM_LTL_OMEN;
    if (rc == OM_OK)
        rc = put_all(c, &l);
    if (rc == OM_OK)
        rc = cli_flush(c);
    om_free(c->heap, l.all);
    om_model_free(model);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_MODEL_OPTIONS(properties_settings),
    CLI_BOUND_OPTIONS,
    CLI_JSON_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_properties_command = { "properties", "MODEL [OPTIONS]",
    "lists the properties of a model", 1, 1, options, sizeof(properties_settings), run, NULL,
    { "omen properties mutex.dve", "omen properties philosophers.pnml",
        "omen properties mutex.dve --json" } };
