/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on automata: empty, translate, strength, convert. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* ---- empty ---- */

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

static int put_emptiness(cli *c, const om_automaton *a, const om_check_result *r)
{
    shown s = { a, &r->lasso };
    if (c->set.json)
        return cli_put_result_json(
            c, r, &(cli_overflows){ .count = 0 }, r->has_lasso ? put_word_json : NULL, &s);
    cli_put_property_line(c, r);
    if (c->set.quiet)
        return OM_OK;
    cli_put_unrefereed(c, r);
    if (r->has_lasso)
        put_word(c, a, &r->lasso);
    cli_put_parts(c, r);
    return OM_OK;
}

int cli_run_empty(cli *c)
{
    om_automaton *a = NULL;
    om_check_result r = { 0 };
    om_plan *plan = NULL;
    cli_ticker ticker = { .running = false };
    int status = 0;
    int rc = om_registry_new(&c->registry, c->ctx);

    if (rc == OM_OK)
        rc = om_plan_new(&plan, c->ctx, c->registry, NULL, NULL, &c->set.plan);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, plan, "checking");
    if (rc == OM_OK)
        rc = om_automaton_read_file(&a, c->ctx, c->set.positionals[0], 0);
    if (rc == OM_OK)
        rc = om_plan_empty(plan, a, &r);
    cli_ticker_stop(&ticker);
    if (rc == OM_OK) {
        status = r.verdict == OM_HOLDS ? 0 : r.verdict == OM_VIOLATED ? 10 : 30;
        rc = put_emptiness(c, a, &r);
    }
    om_check_result_free(&r);
    om_plan_free(plan);
    om_automaton_free(a);
    return rc == OM_OK ? status : cli_failed(c, rc);
}

/* ---- translate and convert ---- */

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

/* ---- strength ---- */

static int put_components(cli *c, const om_automaton *a, const om_sccs *s)
{
    uint32_t *states = NULL;
    int rc = om_sccs_states(s, c->ctx, om_automaton_state_count(a), &states);
    if (rc != OM_OK)
        return rc;
    om_text_printf(&c->out, "automaton: %s, %" PRIu32 " states, %" PRIu32 " components\n",
        om_strength_name(om_sccs_strength(s)), om_automaton_state_count(a), s->count);
    for (uint32_t k = 0, at = 0; k < s->count; k++) {
        om_text_printf(&c->out, "component %" PRIu32 ": %s:", k, om_strength_name(s->strength[k]));
        for (uint32_t end = at + s->size[k]; at < end; at++)
            om_text_printf(&c->out, " %" PRIu32, states[at]);
        om_text_add(&c->out, "\n");
    }
    om_free(c->heap, states);
    return OM_OK;
}

static int write_part(cli *c, const om_automaton *part, const char *name)
{
    om_text path = { .heap = c->heap };
    cli_file f;
    int rc = OM_OK;
    om_text_printf(&path, "%s/%s.hoa", c->set.output, name);
    if (path.failed)
        return om_fail_memory(c->ctx);
    if (mkdir(c->set.output, 0777) != 0 && errno != EEXIST)
        rc = om_fail(
            c->ctx, OM_EIO, NULL, "cannot make folder %s: %s", c->set.output, strerror(errno));
    if (rc == OM_OK) {
        rc = cli_file_open(&f, c, path.text);
        rc = cli_file_close(&f, rc == OM_OK ? om_hoa_write(part, &f.text) : rc);
    }
    om_text_free(&path);
    return rc;
}

static int put_part(cli *c, const om_automaton *part, const char *name)
{
    if (part == NULL) {
        om_text_printf(&c->out, "%s part: none\n", name);
        return OM_OK;
    }
    om_text_printf(&c->out, "%s part: %" PRIu32 " states, %" PRIu32 " edges\n", name,
        om_automaton_state_count(part), om_automaton_edge_count(part));
    return c->set.output != NULL ? write_part(c, part, name) : om_hoa_write(part, &c->out);
}

/* Prepares all parts before any output, so that an error leaves none. */
static int put_strength(cli *c, const om_automaton *a, const om_sccs *sccs)
{
    om_automaton *parts[OM_STRONG + 1] = { NULL };
    int rc = OM_OK;
    for (int s = OM_TERMINAL; rc == OM_OK && s <= OM_STRONG; s++)
        rc = om_automaton_part(a, c->ctx, (om_strength) s, &parts[s]);
    if (rc == OM_OK)
        rc = put_components(c, a, sccs);
    for (int s = OM_TERMINAL; rc == OM_OK && s <= OM_STRONG; s++)
        rc = put_part(c, parts[s], om_strength_name((om_strength) s));
    for (int s = OM_TERMINAL; s <= OM_STRONG; s++)
        om_automaton_free(parts[s]);
    return rc;
}

int cli_run_strength(cli *c)
{
    om_automaton *a = NULL;
    om_sccs sccs = { 0 };
    cli_ticker ticker = { .running = false };
    int rc = om_automaton_read_file(&a, c->ctx, c->set.positionals[0], 0);
    if (rc == OM_OK)
        rc = cli_ticker_start(&ticker, c, NULL, "decomposing");
    if (rc == OM_OK)
        rc = om_automaton_sccs(a, c->ctx, &sccs);
    if (rc == OM_OK)
        rc = c->set.to == NULL ? put_strength(c, a, &sccs) : om_dot_write(a, &sccs, &c->out);
    cli_ticker_stop(&ticker);
    om_sccs_free(&sccs, c->heap);
    om_automaton_free(a);
    if (rc == OM_OK)
        return 0;
    om_text_free(&c->out);
    return cli_failed(c, rc);
}
