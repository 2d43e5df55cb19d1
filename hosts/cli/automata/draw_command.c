/* SPDX-License-Identifier: Apache-2.0 */
/* The draw command: an automaton as a picture, by Graphviz, which may be missing. */
#include "automata/automata.h"
#include "base/plan_options.h"
#include "base/progress.h"
#include "commands.h"

#include <string.h>
#include <unistd.h>

enum { PICTURE_BYTES = 1 << 28, SHOWN_BYTES = 200 };
#define DOT_NS \
    UINT64_C(60000000000) /* time limit of Graphviz in ns; --timeout stops the command earlier */

typedef struct draw_settings {
    const char *translator, *to; /* or NULL */
} draw_settings;

static bool ends_in(const char *s, const char *suffix)
{
    size_t n = strlen(s), k = strlen(suffix);
    return n > k && strcmp(s + n - k, suffix) == 0;
}

/* Returns true for a file with an automaton, false for a formula. A name with such a suffix is a
 * file. */
static bool is_file(const char *given)
{
    return strcmp(given, "-") == 0 || access(given, F_OK) == 0 || ends_in(given, ".hoa") ||
           ends_in(given, ".never");
}

static int read_or_translate(cli *c, const char *translator, om_automaton **out)
{
    if (is_file(c->set.positionals[0]))
        return om_automaton_read_file(out, c->ctx, c->set.positionals[0], 0);
    return cli_translate(c, translator, out);
}

/* Reports why the program made no picture. */
static int failed(cli *c, const om_command_result *r)
{
    om_text said = { .heap = c->heap };
    om_text_add_n(&said, r->err.length == 0 ? "" : r->err.text,
        r->err.length < SHOWN_BYTES ? r->err.length : SHOWN_BYTES);
    int rc;
    if (r->end == OM_COMMAND_TOO_LONG)
        rc = om_fail(c->ctx, OM_ELIMIT, NULL,
            "dot did not finish within a minute (--timeout TIME allows more; --to dot prints the "
            "graph)");
    else if (r->end == OM_COMMAND_TOO_MUCH)
        rc = om_fail(
            c->ctx, OM_ELIMIT, NULL, "the picture is larger than %d MB", PICTURE_BYTES / (1 << 20));
    else if (r->end == OM_COMMAND_KILLED)
        rc = om_fail(c->ctx, OM_EIO, NULL, "dot was killed by signal %d", r->status);
    else if (r->status != 0)
        rc = om_fail(c->ctx, OM_EIO, NULL, "dot ended with status %d: %s", r->status,
            said.text == NULL ? "" : said.text);
    else
        rc = om_fail(c->ctx, OM_EIO, NULL, "dot has written nothing");
    om_text_free(&said);
    return rc;
}

/* Reports that the program is missing or could not be started. */
static int not_started(cli *c)
{
    om_text why = { .heap = c->heap };
    om_text_add(&why, om_context_error(c->ctx));
    om_context_clear(c->ctx);
    int rc = om_fail(c->ctx, OM_EUNSUPPORTED, NULL,
        "%s (pictures are drawn by Graphviz, Debian's package graphviz; --to dot prints the graph "
        "without it)",
        why.text == NULL ? "" : why.text);
    om_text_free(&why);
    return rc;
}

static int run_dot(cli *c, const om_text *graph)
{
    char program[] = "dot", format[] = "-Tsvg";
    char *const argv[] = { program, format, NULL };
    const uint64_t timeout = c->set.limits.timeout_ns;
    const om_command how = { .argv = argv,
        .input = graph->text,
        .input_length = graph->length,
        .most_output = PICTURE_BYTES,
        .timeout_ns = timeout < UINT64_MAX / 4 ? timeout + DOT_NS : timeout };
    om_command_result r;
    int rc = om_command_run(c->ctx, &how, &r);
    if (rc == OM_EIO)
        rc = not_started(c);
    else if (rc == OM_OK && (r.end != OM_COMMAND_EXITED || r.status != 0 || r.out.length == 0))
        rc = failed(c, &r);
    else if (rc == OM_OK)
        om_text_add_n(&c->out, r.out.text, r.out.length);
    om_command_result_free(&r);
    return rc;
}

static int run(cli *c, void *settings)
{
    const draw_settings *set = settings;
    om_automaton *a = NULL;
    om_text graph = { .heap = c->heap };
    bool picture = set->to == NULL || strcmp(set->to, "dot") != 0;
    cli_ticker ticker = { .running = false };
    int rc = cli_ticker_start(&ticker, c, NULL, "drawing");
    if (rc == OM_OK)
        rc = read_or_translate(c, set->translator, &a);
    if (rc == OM_OK)
        rc = om_dot_write(a, NULL, picture ? &graph : &c->out);
    if (rc == OM_OK && picture)
        rc = run_dot(c, &graph);
    cli_ticker_stop(&ticker);
    om_text_free(&graph);
    om_automaton_free(a);
    return rc == OM_OK ? 0 : cli_failed(c, rc);
}

static const cli_option options[] = {
    CLI_TRANSLATOR_OPTION(CLI_TRANSLATION, draw_settings, translator),
    CLI_BOUND_OPTIONS,
    { "to", 0, CLI_OUTPUT, "svg|dot", "a picture (default), or its Graphviz source", cli_set_word,
        CLI_AT(draw_settings, to) },
    CLI_PROGRESS_OPTION,
    CLI_COMMON_OPTIONS,
};

const cli_command cli_draw_command = { "draw", "AUTOMATON|FORMULA", "draws an automaton", 1, 1,
    options, sizeof(draw_settings), run, NULL,
    { "omen draw automaton.hoa > automaton.svg", "omen draw 'G(request -> F grant)' > formula.svg",
        "omen draw 'p U q' --to dot" } };
