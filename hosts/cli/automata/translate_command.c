/* SPDX-License-Identifier: Apache-2.0 */
/* omen translate and omen convert: automata in other forms. */
#include "automata/automata.h"
#include "base/plan_options.h"
#include "base/progress.h"
#include "base/property_options.h"
#include "commands.h"

#include <string.h>

typedef struct kind {
    const char *name, *in_full;
    int (*convert)(const om_automaton *a, om_context *ctx, om_automaton **out);
} kind;

static int by_disjuncts(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    return om_automaton_to_generalized_buchi_by(a, ctx, OM_FIN_BY_DISJUNCTS, out);
}

static int by_pending(const om_automaton *a, om_context *ctx, om_automaton **out)
{
    return om_automaton_to_generalized_buchi_by(a, ctx, OM_FIN_BY_PENDING, out);
}

static const kind kinds[] = {
    { "ba", "buchi", om_automaton_to_buchi },
    { "tgba", "generalized-buchi", om_automaton_to_generalized_buchi },
    { "tgba:disjuncts", "generalized-buchi:disjuncts", by_disjuncts },
    { "tgba:pending", "generalized-buchi:pending", by_pending },
    { "tgra", "rabin", om_automaton_to_rabin },
    { "tsa", "streett", om_automaton_to_streett },
    { "tfla", "fin-less", om_automaton_to_fin_less },
};

static const kind *kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i].name) == 0 || strcmp(name, kinds[i].in_full) == 0)
            return &kinds[i];
    return NULL;
}

const char *cli_to_name(size_t i)
{
    static const char *const formats[] = { "hoa", "never", "dot" };
    const size_t count = sizeof kinds / sizeof *kinds;
    return i < count                                      ? kinds[i].name
           : i - count < sizeof formats / sizeof *formats ? formats[i - count]
                                                          : NULL;
}

typedef struct translate_settings {
    const char *translator, *to; /* or NULL */
    cli_spelling spelling;
} translate_settings;

static int set_to(cli *c, const cli_option *o, void *at, const char *value)
{
    bool known = kind_named(value) != NULL;
    for (size_t i = 0; cli_to_name(i) != NULL; i++)
        known = known || strcmp(value, cli_to_name(i)) == 0;
    if (strcmp(value, "ta") == 0)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--to %s: HOA has no testing automata", value);
    if (!known)
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--to takes ba (buchi), tgba (generalized-buchi; tgba:disjuncts, tgba:pending), tgra "
            "(rabin), tsa (streett), tfla (fin-less), hoa, never or dot, not '%s'",
            value);
    return cli_set_text(c, o, at, value);
}

/* Prints the automaton with the requested acceptance, in the requested format (NULL: HOA). */
static int put_automaton(cli *c, const om_automaton *a, const char *to)
{
    om_automaton *b = NULL;
    int rc = OM_OK;
    if (to != NULL && strcmp(to, "never") == 0)
        return om_never_write(a, c->ctx, &c->out);
    if (to != NULL && strcmp(to, "dot") == 0)
        return om_dot_write(a, NULL, &c->out);
    const kind *k = to == NULL ? NULL : kind_named(to);
    if (k != NULL)
        rc = k->convert(a, c->ctx, &b);
    if (rc == OM_OK)
        rc = om_hoa_write(b == NULL ? a : b, &c->out);
    om_automaton_free(b);
    return rc;
}

static int parse(cli *c, om_ltl *l, om_ltl_ref *out)
{
    const char *formula = c->set.positionals[0];
    return om_ltl_parse(l, "LTL formula", formula, strlen(formula), out);
}

int cli_translate(cli *c, const char *translator, om_automaton **out)
{
    om_ltl *l = NULL;
    om_ltl_ref f;
    int rc = cli_open_registry(c);
    if (rc == OM_OK)
        rc = om_ltl_new(&l, c->ctx);
    if (rc == OM_OK)
        rc = parse(c, l, &f);
    if (rc == OM_OK)
        rc = om_translate(c->ctx, c->registry, translator, l, f, out);
    om_ltl_free(l);
    return rc;
}

/* Prints the formula in the requested spelling. */
static int put_formula(cli *c, om_ltl_spelling spelling)
{
    om_ltl *l = NULL;
    om_ltl_ref f;
    int rc = om_ltl_new(&l, c->ctx);
    if (rc == OM_OK)
        rc = parse(c, l, &f);
    if (rc == OM_OK)
        rc = om_ltl_print_as(l, f, spelling, &c->out);
    if (rc == OM_OK)
        om_text_add(&c->out, "\n");
    om_ltl_free(l);
    return rc;
}

static int put_translation(cli *c, const translate_settings *set)
{
    om_automaton *a = NULL;
    cli_ticker ticker = { .running = false };
    int rc = cli_ticker_start(&ticker, c, NULL, "translating");
    if (rc == OM_OK)
        rc = cli_translate(c, set->translator, &a);
    /* The output of a translator is generalized Buchi already. */
    const bool already = set->to != NULL && strcmp(set->to, "tgba") == 0;
    if (rc == OM_OK)
        rc = put_automaton(c, a, already ? NULL : set->to);
    cli_ticker_stop(&ticker);
    om_automaton_free(a);
    return rc;
}

static int run_translate(cli *c, void *settings)
{
    const translate_settings *set = settings;
    int rc = set->spelling.given ? put_formula(c, set->spelling.as) : put_translation(c, set);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

static int run_convert(cli *c, void *settings)
{
    const translate_settings *set = settings;
    om_automaton *a = NULL;
    cli_ticker ticker = { .running = false };
    int rc;
    if (set->to == NULL)
        return cli_failed(
            c, om_fail(c->ctx, OM_EUSAGE, NULL,
                   "convert needs --to: ba, tgba, tgra, tsa, tfla, hoa, never or dot"));
    rc = om_automaton_read_file(&a, c->ctx, c->set.positionals[0], 0);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, NULL, "converting");
    if (rc == OM_OK)
        rc = put_automaton(c, a, set->to);
    cli_ticker_stop(&ticker);
    om_automaton_free(a);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

#define TO_OPTION(what) \
    CLI_ROW("to", 0, CLI_OUTPUT, "KIND", what, set_to, CLI_AT(translate_settings, to))

static const cli_option translate_options[] = {
    CLI_TRANSLATOR_OPTION(CLI_TRANSLATION, translate_settings, translator),
    CLI_BOUND_OPTIONS,
    TO_OPTION("hoa, ba, tgba[:pending], tgra, tsa, tfla, never, dot"),
    { "spelling", 0, CLI_OUTPUT, "omen|spin|psl",
        "print the formula in this grammar, not an automaton", cli_set_spelling,
        CLI_AT(translate_settings, spelling) },
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

static const cli_option convert_options[] = {
    CLI_BOUND_OPTIONS,
    TO_OPTION("ba, tgba[:pending], tgra, tsa, tfla, hoa, never, dot"),
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_translate_command = { "translate", "FORMULA [--to KIND]",
    "translates LTL to an automaton", 1, 1, translate_options, sizeof(translate_settings),
    run_translate, NULL,
    { "omen translate 'G(request -> F grant)' > automaton.hoa",
        "omen translate 'G(request -> F grant)' --to never",
        "omen translate 'G(request -> F grant)' --spelling psl" } };

const cli_command cli_convert_command = { "convert", "AUTOMATON --to KIND", "converts an automaton",
    1, 1, convert_options, sizeof(translate_settings), run_convert, NULL,
    { "omen convert automaton.hoa --to ba", "omen convert automaton.hoa --to never > claim.pml",
        "omen translate 'GF p & GF q' | omen convert - --to ba" } };
