/* SPDX-License-Identifier: Apache-2.0 */
/* omen translate and omen convert: automata in other forms. */
#include "cli.h"

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

bool cli_is_kind(const char *name)
{
    return kind_named(name) != NULL;
}

const char *cli_to_name(size_t i)
{
    static const char *const formats[] = { "hoa", "never", "dot" };
    const size_t count = sizeof kinds / sizeof *kinds;
    return i < count                                      ? kinds[i].name
           : i - count < sizeof formats / sizeof *formats ? formats[i - count]
                                                          : NULL;
}

/* Prints the automaton with the requested acceptance, in the requested format. */
static int put_automaton(cli *c, const om_automaton *a)
{
    const char *to = c->set.to == NULL ? "hoa" : c->set.to;
    om_automaton *b = NULL;
    int rc = OM_OK;
    if (strcmp(to, "never") == 0)
        return om_never_write(a, c->ctx, &c->out);
    if (strcmp(to, "dot") == 0)
        return om_dot_write(a, NULL, &c->out);
    const kind *k = kind_named(to);
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

int cli_translate(cli *c, om_automaton **out)
{
    om_ltl *l = NULL;
    om_ltl_ref f;
    int rc = om_registry_new(&c->registry, c->ctx);
    if (rc == OM_OK)
        rc = om_ltl_new(&l, c->ctx);
    if (rc == OM_OK)
        rc = parse(c, l, &f);
    if (rc == OM_OK)
        rc = om_translate(c->ctx, c->registry, c->set.plan.translator, l, f, out);
    om_ltl_free(l);
    return rc;
}

/* Prints the formula in the requested spelling. */
static int put_formula(cli *c)
{
    om_ltl *l = NULL;
    om_ltl_ref f;
    int rc = om_ltl_new(&l, c->ctx);
    if (rc == OM_OK)
        rc = parse(c, l, &f);
    if (rc == OM_OK)
        rc = om_ltl_print_as(l, f, c->set.spelling, &c->out);
    if (rc == OM_OK)
        om_text_add(&c->out, "\n");
    om_ltl_free(l);
    return rc;
}

static int put_translation(cli *c)
{
    om_automaton *a = NULL;
    cli_ticker ticker = { .running = false };
    int rc = cli_ticker_start(&ticker, c, NULL, "translating");
    if (rc == OM_OK)
        rc = cli_translate(c, &a);
    /* The output of a translator is generalized Buchi already. */
    if (rc == OM_OK && c->set.to != NULL && strcmp(c->set.to, "tgba") == 0)
        c->set.to = NULL;
    if (rc == OM_OK)
        rc = put_automaton(c, a);
    cli_ticker_stop(&ticker);
    om_automaton_free(a);
    return rc;
}

int cli_run_translate(cli *c)
{
    int rc = c->set.spelled ? put_formula(c) : put_translation(c);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

int cli_run_convert(cli *c)
{
    om_automaton *a = NULL;
    cli_ticker ticker = { .running = false };
    int rc;
    if (c->set.to == NULL)
        return cli_failed(
            c, om_fail(c->ctx, OM_EUSAGE, NULL,
                   "convert needs --to: ba, tgba, tgra, tsa, tfla, hoa, never or dot"));
    rc = om_automaton_read_file(&a, c->ctx, c->set.positionals[0], 0);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, NULL, "converting");
    if (rc == OM_OK)
        rc = put_automaton(c, a);
    cli_ticker_stop(&ticker);
    om_automaton_free(a);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}
