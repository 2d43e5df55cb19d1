/* SPDX-License-Identifier: Apache-2.0 */
/* omen plugins: lists plug-ins. */
#include "base/json.h"
#include "base/options.h"
#include "base/safe_text.h"
#include "commands.h"

#include <inttypes.h>
#include <string.h>

/* A bit and its name */
typedef struct word {
    uint32_t bit;
    const char *text;
} word;

static void put_words(const word *words, uint32_t bits, om_text *out)
{
    for (; words->text != NULL; words++)
        if ((bits & words->bit) != 0)
            om_text_printf(out, " %s", words->text);
}

static const word strengths[] = { { OM_FOR_TERMINAL, "terminal" }, { OM_FOR_WEAK, "weak" },
    { OM_FOR_STRONG, "strong" }, { 0, NULL } };
static const word acceptance[] = { { OM_ACCEPT_BUCHI, "Buchi" },
    { OM_ACCEPT_GENERALIZED_BUCHI, "generalized-Buchi" }, { OM_ACCEPT_CO_BUCHI, "co-Buchi" },
    { OM_ACCEPT_RABIN, "Rabin" }, { OM_ACCEPT_STREETT, "Streett" },
    { OM_ACCEPT_FIN_LESS, "Fin-less" }, { OM_ACCEPT_ANY, "any" }, { 0, NULL } };
static const word flags[] = { { OM_CHECKER_PARALLEL, "parallel" }, { OM_CHECKER_DEVICE, "device" },
    { OM_CHECKER_NEEDS_STUTTER, "endless-runs-only" },
    { OM_CHECKER_SHARES_STATES, "states-shared" }, { OM_CHECKER_LATE_WORKERS, "late-workers" },
    { OM_CHECKER_GOES_DEEP, "goes-deep" }, { 0, NULL } };

static bool is_sequential(const om_checker *k)
{
    return (k->flags & (OM_CHECKER_PARALLEL | OM_CHECKER_DEVICE)) == 0;
}

static void put_checker(const om_checker *k, om_text *out)
{
    om_text_add(out, "  for:");
    put_words(strengths, k->strengths, out);
    om_text_add(out, "; acceptance:");
    put_words(acceptance, k->acceptance, out);
    om_text_add(out, "; runs:");
    put_words(flags, k->flags, out);
    if (is_sequential(k))
        om_text_add(out, " sequential");
    om_text_add(out, "\n");
    for (const om_rank *r = k->ranks; r != NULL && r->strengths != 0; r++) {
        om_text_printf(out, "  rank %u for", r->rank);
        put_words(strengths, r->strengths, out);
        om_text_printf(out, ", %u", r->least);
        if (r->most == 0)
            om_text_add(out, " or more workers\n");
        else if (r->most != r->least)
            om_text_printf(out, " to %u workers\n", r->most);
        else
            om_text_printf(out, " worker%s\n", r->least == 1 ? "" : "s");
    }
    if (k->most_workers != 0)
        om_text_printf(out, "  at most %u workers\n", k->most_workers);
}

/* Returns the names of the option's values; NULL if they are numbers. */
static const char *const *names_of(const om_plugin *p, const om_option *o)
{
    for (const om_option_names *n = p->names; n != NULL && n->option != NULL; n++)
        if (strcmp(n->option, o->name) == 0)
            return n->names;
    return NULL;
}

static void put_option(const om_plugin *p, const om_option *o, om_text *out)
{
    const char *const *names = names_of(p, o);
    if (names == NULL)
        om_text_printf(out, "  option %s=%" PRId64 " (%" PRId64 " to %" PRId64 "): ", o->name,
            o->dflt, o->low, o->high);
    else
        om_text_printf(out, "  option %s=%s (", o->name, names[o->dflt - o->low]);
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        om_text_printf(out, "%s%s", names[i], names[i + 1] == NULL ? "): " : ", ");
    om_text_printf(out, "%s\n", o->help == NULL ? "" : o->help);
}

static const char *const plugin_kinds[] = { "", "frontend", "translator", "checker", "guide" };

static void put_plugin(cli *c, const om_plugin_entry *e)
{
    const om_plugin *p = e->plugin;
    om_text *out = &c->out;

    om_text_printf(out, "%s %s: %s\n  ", plugin_kinds[p->kind], p->name, p->summary);
    cli_put_plain(out, e->path);
    om_text_add(out, "\n");
    if (p->citation != NULL)
        om_text_printf(out, "  from: %s\n", p->citation);
    if (p->kind == OM_PLUGIN_CHECKER)
        put_checker((const om_checker *) (const void *) p, out);
    if (p->kind == OM_PLUGIN_FRONTEND) {
        om_text_add(out, "  reads:");
        for (const char *const *s = ((const om_frontend *) (const void *) p)->suffixes; *s != NULL;
             s++)
            om_text_printf(out, " %s", *s);
        om_text_add(out, "\n");
    }
    for (const om_option *o = p->options; o != NULL && o->name != NULL; o++)
        put_option(p, o, out);
}

/* A file may have any name, and the reason may quote it. */
static void put_refused(const om_plugin_entry *e, om_text *out)
{
    om_text_add(out, "refused ");
    cli_put_plain(out, e->path);
    om_text_add(out, "\n  ");
    cli_put_plain(out, e->reason);
    om_text_add(out, "\n");
}

/* ---- plug-ins as JSON ---- */

static json_t *words_json(const word *words, uint32_t bits)
{
    json_t *all = json_array();
    bool made = all != NULL;
    for (; made && words->text != NULL; words++)
        if ((bits & words->bit) != 0)
            made = cli_json_append(all, json_string(words->text));
    return cli_json_whole(all, made);
}

/* Returns the texts as an array, or null if there are none. */
static json_t *texts_json(const char *const *texts)
{
    if (texts == NULL)
        return json_null();
    json_t *all = json_array();
    bool made = all != NULL;
    for (; made && *texts != NULL; texts++)
        made = cli_json_append(all, cli_text_json(*texts));
    return cli_json_whole(all, made);
}

static json_t *number_json(uint32_t n)
{
    return n == 0 ? json_null() : json_integer(n);
}

static json_t *ranks_json(const om_checker *k)
{
    json_t *all = json_array();
    bool made = all != NULL;
    for (const om_rank *r = k->ranks; made && r != NULL && r->strengths != 0; r++)
        made = cli_json_append(all, json_pack("{s:I, s:o, s:I, s:o}", "rank", (json_int_t) r->rank,
                                        "strengths", words_json(strengths, r->strengths), "least",
                                        (json_int_t) r->least, "most", number_json(r->most)));
    return cli_json_whole(all, made);
}

static json_t *checker_json(const om_plugin *p)
{
    if (p->kind != OM_PLUGIN_CHECKER)
        return json_null();
    const om_checker *k = (const om_checker *) (const void *) p;
    json_t *runs = words_json(flags, k->flags);
    if (is_sequential(k))
        runs = cli_json_whole(runs, cli_json_append(runs, json_string("sequential")));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "strengths", words_json(strengths, k->strengths),
        "acceptance", words_json(acceptance, k->acceptance), "runs", runs, "ranks", ranks_json(k),
        "most_workers", number_json(k->most_workers));
}

static json_t *option_json(const om_plugin *p, const om_option *o)
{
    const char *const *names = names_of(p, o);
    bool numbers = names == NULL;
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name", o->name, "default",
        numbers ? json_integer(o->dflt) : json_string(names[o->dflt - o->low]), "low",
        numbers ? json_integer(o->low) : json_null(), "high",
        numbers ? json_integer(o->high) : json_null(), "values", texts_json(names), "help",
        cli_text_json(o->help));
}

static json_t *options_json(const om_plugin *p)
{
    json_t *all = json_array();
    bool made = all != NULL;
    for (const om_option *o = p->options; made && o != NULL && o->name != NULL; o++)
        made = cli_json_append(all, option_json(p, o));
    return cli_json_whole(all, made);
}

static json_t *plugin_json(const om_plugin_entry *e)
{
    const om_plugin *p = e->plugin;
    bool reads = p->kind == OM_PLUGIN_FRONTEND, translates = p->kind == OM_PLUGIN_TRANSLATOR;
    const om_frontend *f = (const om_frontend *) (const void *) p;
    const om_translator *t = (const om_translator *) (const void *) p;
    const om_guide *g = (const om_guide *) (const void *) p;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", plugin_kinds[p->kind],
        "name", p->name, "summary", p->summary, "path", cli_text_json(e->path), "citation",
        cli_text_json(p->citation), "options", options_json(p), "checker", checker_json(p),
        "suffixes", texts_json(reads ? f->suffixes : NULL), "rank",
        translates                   ? number_json(t->rank)
        : p->kind == OM_PLUGIN_GUIDE ? number_json(g->rank)
                                     : json_null());
}

static int put_plugins_json(cli *c)
{
    json_t *found = json_array(), *refused = json_array();
    bool made = found != NULL && refused != NULL;
    for (size_t i = 0; made && i < om_registry_count(c->registry); i++) {
        const om_plugin_entry *e = om_registry_entry(c->registry, i);
        made = e->plugin != NULL ? cli_json_append(found, plugin_json(e))
                                 : cli_json_append(refused,
                                       json_pack("{s:o, s:o}", "path", cli_text_json(e->path),
                                           "reason", cli_text_json(e->reason)));
    }
    found = cli_json_whole(found, made);
    refused = cli_json_whole(refused, made);
    return cli_put_json(
        c, json_pack("{s:i, s:o, s:o}", "schema", 1, "plugins", found, "refused", refused), true);
}

/* ---- completion for a shell ---- */

/* Writes one item a line: NAME, then NAME:OPTION=, or NAME:OPTION=VALUE if the values have
 * names. */
static void put_completions(const om_plugin *p, om_text *out)
{
    om_text_printf(out, "%s\n", p->name);
    for (const om_option *o = p->options; o != NULL && o->name != NULL; o++) {
        const char *const *names = names_of(p, o);
        for (size_t i = 0; names != NULL && names[i] != NULL; i++)
            om_text_printf(out, "%s:%s=%s\n", p->name, o->name, names[i]);
        if (names == NULL)
            om_text_printf(out, "%s:%s=\n", p->name, o->name);
    }
}

static void put_all_completions(cli *c, const char *kind)
{
    for (size_t i = 0; i < om_registry_count(c->registry); i++) {
        const om_plugin *p = om_registry_entry(c->registry, i)->plugin;
        if (p != NULL && strcmp(plugin_kinds[p->kind], kind) == 0)
            put_completions(p, &c->out);
    }
}

typedef struct plugins_settings {
    const char *complete; /* a kind of plug-in; or NULL */
} plugins_settings;

static int run(cli *c, void *settings)
{
    const plugins_settings *set = settings;
    int rc = cli_open_registry(c);
    if (rc == OM_OK && c->set.json)
        rc = put_plugins_json(c);
    if (rc != OM_OK)
        return cli_failed(c, rc);
    if (c->set.json)
        return 0;
    if (set->complete != NULL) {
        put_all_completions(c, set->complete);
        return 0;
    }
    for (size_t i = 0; i < om_registry_count(c->registry); i++)
        if (om_registry_entry(c->registry, i)->plugin != NULL)
            put_plugin(c, om_registry_entry(c->registry, i));
    for (size_t i = 0; i < om_registry_count(c->registry); i++) {
        const om_plugin_entry *e = om_registry_entry(c->registry, i);
        if (e->plugin == NULL)
            put_refused(e, &c->out);
    }
    return 0;
}

static const cli_option options[] = {
    { "complete", 0, CLI_OUTPUT, "frontend|translator|checker",
        "print only names and options, for a shell", cli_set_word,
        CLI_AT(plugins_settings, complete) },
    CLI_JSON_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_plugins_command = { "plugins", "", "lists plug-ins, used and refused", 0, 0,
    options, sizeof(plugins_settings), run, NULL, { NULL } };
