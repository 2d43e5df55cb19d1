/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd.c: external programs as translators: any program that prints an automaton in HOA or as a
 * never claim.
 *
 * `cmd:ltl2tgba -H -f %f`: the words after the colon are the program and its arguments (words.h);
 * no shell interprets them. %f becomes the formula with letters and signs (G F X U R W M & | !), %s
 * the formula in SPIN's spelling, in brackets, %p in PSL's. If none of them occurs, the program
 * reads the formula as a line of standard input. The propositions are p0, p1, ... there, and get
 * their names back afterwards; the program may omit some, and must not add others.
 *
 * A program has a minute, at most the rest of --timeout, and 64 MB of output. Its exit status and
 * its output are checked; the correctness of the translation is not. (Counterexamples are checked
 * against the formula as usual.)
 */
#include <omen/plugin/control.h>
#include <omen/plugin/translate.h>

#include "words.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUT = 64 << 20, MOST_SECONDS = 60, SHOWN = 200 };

typedef struct formulas {
    om_text f, s, p;
} formulas;

/* Copies the formula with propositions p0, p1, ... into an arena of its own. By I1 of arenas
 * operands have smaller references. */
static int rename_aps(om_context *ctx, const om_ltl *l, om_ltl_ref f, om_ltl *to, om_ltl_ref *out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_ltl_ref *now = om_alloc(heap, (size_t) f + 1, sizeof *now);
    bool *needed = om_alloc(heap, (size_t) f + 1, sizeof *needed);
    int rc = now == NULL || needed == NULL ? om_fail_memory(ctx) : OM_OK;
    if (rc == OM_OK)
        needed[f] = true;
    for (om_ltl_ref g = f; rc == OM_OK && g > 0; g--)
        if (needed[g] && om_ltl_operator(l, g) != OM_LTL_AP) {
            needed[om_ltl_left(l, g)] = true;
            needed[om_ltl_right(l, g)] = true;
        }
    for (om_ltl_ref g = 1; rc == OM_OK && g <= f; g++) {
        char name[16];
        if (!needed[g])
            continue;
        assert(om_ltl_operator(l, g) == OM_LTL_AP ||
               (om_ltl_left(l, g) < g && om_ltl_right(l, g) < g)); /* I1 of arenas */
        if (om_ltl_operator(l, g) == OM_LTL_AP) {
            (void) snprintf(name, sizeof name, "p%" PRIu32, om_ltl_left(l, g));
            now[g] = om_ltl_ap_ref(to, name);
        } else
            now[g] = om_ltl_make(
                to, om_ltl_operator(l, g), now[om_ltl_left(l, g)], now[om_ltl_right(l, g)]);
        if (now[g] == 0)
            rc = om_fail_memory(ctx);
    }
    if (rc == OM_OK)
        *out = now[f];
    OM_FREE_ALL(heap, now, needed);
    return rc;
}

static int spell(om_context *ctx, const om_ltl *l, om_ltl_ref f, formulas *out)
{
    om_ltl *renamed = NULL;
    om_ltl_ref g = 0;
    int rc = om_ltl_new(&renamed, ctx);
    if (rc == OM_OK)
        rc = rename_aps(ctx, l, f, renamed, &g);
    if (rc == OM_OK)
        rc = om_ltl_print_as(renamed, g, OM_LTL_OMEN, &out->f);
    om_text_add(&out->s, "(");
    if (rc == OM_OK)
        rc = om_ltl_print_as(renamed, g, OM_LTL_SPIN, &out->s);
    om_text_add(&out->s, ")");
    if (rc == OM_OK)
        rc = om_ltl_print_as(renamed, g, OM_LTL_PSL, &out->p);
    if (rc == OM_OK && (out->s.failed || out->f.failed || out->p.failed))
        rc = om_fail_memory(ctx);
    om_ltl_free(renamed);
    return rc;
}

/* Writes the first line of the program's standard error, with ": " before it. */
static void put_said(const om_command_result *r, char *to, size_t room)
{
    size_t n = r->err.text == NULL ? 0 : strcspn(r->err.text, "\r\n");
    to[0] = '\0';
    if (n > 0)
        (void) snprintf(to, room, ": %.*s", (int) (n < SHOWN ? n : SHOWN), r->err.text);
}

/* Checks the result of the program; reports a failure. */
static int judge(om_context *ctx, const char *name, const om_command_result *r)
{
    char said[SHOWN + 8];
    put_said(r, said, sizeof said);
    switch (r->end) {
    case OM_COMMAND_TOO_LONG:
        return om_fail(ctx, OM_ELIMIT, NULL, "translator '%s' took more than %d seconds%s", name,
            (int) MOST_SECONDS, said);
    case OM_COMMAND_TOO_MUCH:
        return om_fail(ctx, OM_EINPUT, NULL, "translator '%s' printed more than %d MB", name,
            (int) (MOST_OUTPUT >> 20));
    case OM_COMMAND_KILLED:
        return om_fail(ctx, OM_EINPUT, NULL, "translator '%s' was ended by signal %d%s", name,
            r->status, said);
    case OM_COMMAND_EXITED:
        break;
    }
    if (r->status != 0)
        return om_fail(
            ctx, OM_EINPUT, NULL, "translator '%s' failed with status %d%s", name, r->status, said);
    if (r->out.length == 0)
        return om_fail(ctx, OM_EINPUT, NULL, "translator '%s' printed nothing%s", name, said);
    return OM_OK;
}

/* Returns the AP of the formula that "pN" stands for, or OM_NONE. */
static uint32_t ap_of(const om_ltl *l, const char *name)
{
    char same[16];
    for (uint32_t i = 0; i < om_ltl_ap_count(l); i++) {
        (void) snprintf(same, sizeof same, "p%" PRIu32, i);
        if (strcmp(same, name) == 0)
            return i;
    }
    return OM_NONE;
}

static int copy_edges(const om_automaton *a, om_automaton *to)
{
    int rc = OM_OK;
    for (uint32_t s = 0; rc == OM_OK && s < om_automaton_state_count(a); s++) {
        uint32_t count = 0;
        const om_edge *edges = om_automaton_edges(a, s, &count);
        for (uint32_t i = 0; rc == OM_OK && i < count; i++)
            rc = om_automaton_add_edge(to, s, edges[i].dst, edges[i].marks,
                om_automaton_cubes(a) + edges[i].cube_begin, edges[i].cube_count);
    }
    for (uint32_t i = 0; rc == OM_OK && i < om_automaton_initial_count(a); i++)
        rc = om_automaton_add_initial(to, om_automaton_initial(a, i));
    return rc;
}

/* Creates the automaton over the formula's propositions, named after the formula. */
static int name_aps(om_context *ctx, const om_ltl *l, om_ltl_ref f, const char *program,
    const om_automaton *a, om_automaton **out)
{
    const char *names[64];
    om_automaton *named = NULL;
    om_text title = { .heap = om_context_heap(ctx) };
    size_t length = 0;
    for (uint32_t i = 0; i < om_automaton_ap_count(a); i++) {
        uint32_t k = ap_of(l, om_automaton_ap(a, i));
        if (k == OM_NONE)
            return om_fail(ctx, OM_EINPUT, NULL,
                "translator '%s' printed a proposition '%.80s', which the formula does not have",
                program, om_automaton_ap(a, i));
        names[i] = om_ltl_ap_name(l, k);
    }
    int rc = om_automaton_new(&named, ctx, om_automaton_ap_count(a), names);
    if (rc == OM_OK)
        rc = om_automaton_add_states(named, om_automaton_state_count(a), NULL);
    if (rc == OM_OK)
        rc = copy_edges(a, named);
    const om_acc *formula = om_automaton_acceptance(a, &length);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(named, om_automaton_set_count(a), formula, length);
    if (rc == OM_OK)
        rc = om_automaton_finish(named);
    if (rc == OM_OK)
        rc = om_ltl_print(l, f, &title);
    if (rc == OM_OK)
        rc = om_automaton_set_name(named, title.text);
    om_text_free(&title);
    if (rc == OM_OK)
        *out = named;
    else
        om_automaton_free(named);
    return rc;
}

/* Reads the program's output and converts it to generalized Buchi, which translators return. */
static int read_output(om_context *ctx, const om_ltl *l, om_ltl_ref f, const char *program,
    const om_command_result *r, om_automaton **out)
{
    om_automaton *a = NULL, *b = NULL, *c = NULL;
    om_text file = { .heap = om_context_heap(ctx) };
    om_text_printf(&file, "output of '%s'", program);
    int rc = file.failed ? om_fail_memory(ctx)
                         : om_automaton_read(&a, ctx, file.text, r->out.text, r->out.length, 0);
    om_text_free(&file);
    if (rc == OM_OK)
        rc = name_aps(ctx, l, f, program, a, &b);
    if (rc == OM_OK && (om_automaton_acceptance_classes(b) & OM_ACCEPT_GENERALIZED_BUCHI) == 0)
        rc = om_automaton_to_generalized_buchi(b, ctx, &c);
    om_automaton_free(a);
    if (c != NULL) {
        om_automaton_free(b);
        b = c;
    }
    if (rc == OM_OK)
        *out = b;
    else
        om_automaton_free(b);
    return rc;
}

static int run(om_context *ctx, const om_ltl *l, om_ltl_ref f, const cmd_words *w, om_text *line,
    om_automaton **out)
{
    om_command_result r;
    om_text_add(line, "\n");
    if (line->failed)
        return om_fail_memory(ctx);
    om_command how = { .argv = w->argv,
        .input = w->used ? NULL : line->text,
        .input_length = w->used ? 0 : line->length,
        .most_output = MOST_OUTPUT,
        .timeout_ns = MOST_SECONDS * UINT64_C(1000000000) };
    assert(w->argv[w->count] == NULL);
    int rc = om_command_run(ctx, &how, &r);
    if (rc == OM_OK)
        rc = judge(ctx, w->argv[0], &r);
    if (rc == OM_OK)
        rc = read_output(ctx, l, f, w->argv[0], &r, out);
    om_command_result_free(&r);
    return rc;
}

static int translate_by(
    om_context *ctx, om_ltl *l, om_ltl_ref f, const char *words, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    formulas spelled = { { .heap = heap }, { .heap = heap }, { .heap = heap } };
    cmd_words w = { 0 };
    int rc = spell(ctx, l, f, &spelled);
    if (rc == OM_OK)
        rc = cmd_split(
            ctx, words, &(cmd_formulas){ spelled.f.text, spelled.s.text, spelled.p.text }, &w);
    if (rc == OM_OK)
        rc = run(ctx, l, f, &w, &spelled.f, out);
    cmd_words_free(&w, heap);
    om_text_free(&spelled.f);
    om_text_free(&spelled.s);
    om_text_free(&spelled.p);
    return rc;
}

/* Without a command, fails: there is nothing to run. */
static int translate(
    om_context *ctx, om_ltl *l, om_ltl_ref f, const int64_t *options, om_automaton **out)
{
    (void) options;
    return translate_by(ctx, l, f, "", out);
}

OM_API extern const om_translator omen_plugin;
const om_translator omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_translator, OM_PLUGIN_TRANSLATOR, "cmd",
        "a program that prints HOA or a never claim: cmd:COMMAND, with %f, %s or %p for the "
        "formula",
        NULL, NULL),
    .translate = translate,
    .rank = 0,
    .translate_by = translate_by,
};
