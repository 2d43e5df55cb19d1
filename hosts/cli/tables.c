/* SPDX-License-Identifier: Apache-2.0 */
/* The options of each command. Help texts are generated from these tables. */
#include "base/values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- properties ---- */

/* Takes ownership of the text. */
static int add_property(cli *c, om_property_kind kind, const char *option, char *text, bool needs)
{
    cli_settings *s = &c->set;
    if (needs && text == NULL)
        return om_fail_memory(c->ctx);
    if (s->property_count == CLI_PROPERTIES) {
        om_free(c->heap, text);
        return om_fail(c->ctx, OM_EUSAGE, NULL, "too many properties: at most %d", CLI_PROPERTIES);
    }
    s->properties[s->property_count++] = (cli_property){ kind, option, text };
    return OM_OK;
}

static int set_ltl(cli *c, const char *value)
{
    return add_property(c, OM_PROPERTY_LTL, "ltl", om_strdup(c->heap, value), true);
}

static int set_ltl_file(cli *c, const char *value)
{
    return add_property(c, OM_PROPERTY_LTL_FILE, "ltl", om_strdup(c->heap, value), true);
}

static int set_never(cli *c, const char *value)
{
    return add_property(c, OM_PROPERTY_AUTOMATON, "never", om_strdup(c->heap, value), true);
}

static int set_property(cli *c, const char *value)
{
    return add_property(c, OM_PROPERTY_NAMED, "property", om_strdup(c->heap, value), true);
}

static int set_deadlock(cli *c, const char *value)
{
    (void) value;
    return add_property(c, OM_PROPERTY_DEADLOCK, "deadlock", NULL, false);
}

static int set_assertions(cli *c, const char *value)
{
    (void) value;
    return add_property(c, OM_PROPERTY_ASSERTION, "assertions", NULL, false);
}

static int set_fail_fast(cli *c, const char *value)
{
    (void) value;
    c->set.fail_fast = true;
    return OM_OK;
}

int cli_add_own(cli *c, const om_own_property *own)
{
    const bool named = own->kind == OM_PROPERTY_NAMED;
    return add_property(c, own->kind, named ? "property" : own->name,
        named ? om_strdup(c->heap, own->name) : NULL, named);
}

static int set_invariant(cli *c, const char *value)
{
    return add_property(c, OM_PROPERTY_INVARIANT, "invariant", om_strdup(c->heap, value), true);
}

static int set_non_progress(cli *c, const char *value)
{
    (void) value;
    return add_property(c, OM_PROPERTY_NON_PROGRESS, "non-progress", NULL, false);
}

static int set_progress_states(cli *c, const char *value)
{
    if (c->set.progress_states != NULL)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--progress-states may be given only once");
    c->set.progress_states = value;
    return OM_OK;
}

int cli_recorded_property(cli *c, const char *recorded, cli_property *out)
{
    static const struct {
        const char *option;
        om_property_kind kind;
        bool text;
    } kinds[] = { { "default", OM_PROPERTY_DEFAULT, false }, { "ltl", OM_PROPERTY_LTL, true },
        { CLI_OWN_GRAMMAR, OM_PROPERTY_LTL, true }, { "never", OM_PROPERTY_AUTOMATON, true },
        { "property", OM_PROPERTY_NAMED, true }, { "deadlock", OM_PROPERTY_DEADLOCK, false },
        { "invariant", OM_PROPERTY_INVARIANT, true }, { "assertion", OM_PROPERTY_ASSERTION, false },
        { "assertions", OM_PROPERTY_ASSERTION, false }, { "fault", OM_PROPERTY_FAULT, false },
        { "non-progress", OM_PROPERTY_NON_PROGRESS, false },
        { "non-progress", OM_PROPERTY_NON_PROGRESS, true } };
    size_t n = strcspn(recorded, "=");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].option) != n || memcmp(kinds[i].option, recorded, n) != 0 ||
            (recorded[n] == '=') != kinds[i].text)
            continue;
        *out = (cli_property){ kinds[i].kind, kinds[i].option, NULL };
        if (strcmp(kinds[i].option, CLI_OWN_GRAMMAR) == 0)
            c->set.plan.own_grammar = true;
        if (kinds[i].text && (out->text = om_strdup(c->heap, recorded + n + 1)) == NULL)
            return om_fail_memory(c->ctx);
        return OM_OK;
    }
    return om_fail(
        c->ctx, OM_EINPUT, NULL, "the lasso records an unknown property: '%s'", recorded);
}

/* ---- options of the search ---- */

static int set_checker(cli *c, const char *value)
{
    c->set.plan.checker = value;
    return OM_OK;
}

static int set_frontend(cli *c, const char *value)
{
    c->set.frontend = value;
    return OM_OK;
}

static int set_translator(cli *c, const char *value)
{
    c->set.plan.translator = value;
    return OM_OK;
}

static int set_terminal(cli *c, const char *value)
{
    c->set.plan.terminal = value;
    return OM_OK;
}

static int set_weak(cli *c, const char *value)
{
    c->set.plan.weak = value;
    return OM_OK;
}

static int set_strong(cli *c, const char *value)
{
    c->set.plan.strong = value;
    return OM_OK;
}

static int set_schedule(cli *c, const char *value)
{
    static const char *const words[] = { "auto", "concurrent", "sequential", NULL };
    int i = 0, rc = cli_read_word(c, "schedule", value, words, &i);
    c->set.plan.schedule = (om_schedule) i;
    return rc;
}

static int set_device(cli *c, const char *value)
{
    bool word = strcmp(value, "auto") == 0 || strcmp(value, "none") == 0 ||
                strcmp(value, "cpu") == 0 || strcmp(value, "gpu") == 0 ||
                strcmp(value, "all") == 0 || strcmp(value, "host") == 0 ||
                strncmp(value, "host,", 5) == 0 || strncmp(value, "host:", 5) == 0;
    size_t digits = strspn(value, "0123456789"), list = strspn(value, "0123456789,");
    if (!word && (digits == 0 || digits > 9 || value[list] != '\0'))
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--device takes auto, none, all, cpu, gpu, host or numbers of 'omen devices' such as 0 "
            "or 0,1, not '%s'",
            value);
    c->set.plan.device = value;
    return OM_OK;
}

static int set_threads(cli *c, const char *value)
{
    uint64_t n = 0;
    int rc = cli_read_limit(c, "threads", "a number", value, cli_plain_units, &n);
    if (rc == OM_OK && n > 1024)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--threads must be at most 1024, not '%s'", value);
    c->set.plan.threads = (unsigned) n;
    return rc;
}

static int set_exec(cli *c, const char *value)
{
    static const char *const words[] = { "auto", "native", "vm", NULL };
    int i = 0, rc = cli_read_word(c, "exec", value, words, &i);
    c->set.plan.exec = (om_exec_kind) i;
    return rc;
}

static const char *const store_names[] = {
    [OM_STORE_TREE] = "tree", [OM_STORE_PLAIN] = "plain", NULL
};

const char *cli_store_name(om_store_kind kind)
{
    return store_names[kind];
}

static int set_store(cli *c, const char *value)
{
    int i = 0, rc = cli_read_word(c, "store", value, store_names, &i);
    c->set.plan.store = (om_store_kind) i;
    return rc;
}

static int set_finite_runs(cli *c, const char *value)
{
    static const char *const words[] = { "stutter", "ignore", NULL };
    int i = 0, rc = cli_read_word(c, "finite-runs", value, words, &i);
    c->set.plan.ignore_finite_runs = i == 1;
    c->set.plan.stutter_non_progress = i == 0;
    return rc;
}

static int set_fairness(cli *c, const char *value)
{
    const char *words[OM_FAIRNESS_KINDS + 1] = { NULL };
    int i = 0;
    for (int k = 0; k < OM_FAIRNESS_KINDS; k++)
        words[k] = om_process_fairness_name((om_process_fairness) k);
    int rc = cli_read_word(c, "fairness", value, words, &i);
    c->set.plan.fairness = (om_process_fairness) i;
    return rc;
}

static int set_fair(cli *c, const char *value)
{
    cli_settings *s = &c->set;
    if (s->plan.fair_count == CLI_ASSUMPTIONS)
        return om_fail(
            c->ctx, OM_EUSAGE, NULL, "--fair may be repeated %d times at most", CLI_ASSUMPTIONS);
    s->plan.fair = s->assumptions;
    s->assumptions[s->plan.fair_count++] = value;
    return OM_OK;
}

static int set_reset_dead(cli *c, const char *value)
{
    static const char *const words[] = { "on", "off", NULL };
    int i = 0, rc = cli_read_word(c, "reset-dead", value, words, &i);
    c->set.plan.reset_dead = i == 0 ? OM_SWITCH_ON : OM_SWITCH_OFF;
    return rc;
}

static int set_merge(cli *c, const char *value)
{
    static const char *const words[] = { "on", "off", NULL };
    int i = 0, rc = cli_read_word(c, "merge", value, words, &i);
    c->set.plan.merge = i == 0 ? OM_SWITCH_ON : OM_SWITCH_OFF;
    return rc;
}

/* Finds the pass with this name of the given length. */
static int find_pass(cli *c, const char *name, size_t length, uint32_t *bit)
{
    size_t count = 0;
    om_text known = { .heap = c->heap };
    const om_reduce_pass *passes = om_reduce_passes(&count);
    for (size_t i = 0; i < count; i++) {
        *bit = UINT32_C(1) << i;
        if (strlen(passes[i].name) == length && strncmp(passes[i].name, name, length) == 0) {
            om_text_free(&known);
            return OM_OK;
        }
        om_text_printf(&known, ", %s", passes[i].name);
    }
    int rc =
        om_fail(c->ctx, OM_EUSAGE, NULL, "--reductions takes on, off, or a list of%s, not '%.*s'",
            known.text == NULL ? " reductions" : known.text + 1, (int) length, name);
    om_text_free(&known);
    return rc;
}

static int set_reductions(cli *c, const char *value)
{
    uint32_t wanted = 0, bit = 0;
    int rc = OM_OK;
    c->set.without_passes = strcmp(value, "on") == 0 ? 0 : UINT32_MAX;
    if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0)
        return OM_OK;
    for (const char *name = value; rc == OM_OK; name += strcspn(name, ",") + 1) {
        rc = find_pass(c, name, strcspn(name, ","), &bit);
        wanted |= bit;
        if (name[strcspn(name, ",")] == '\0')
            break;
    }
    c->set.without_passes = ~wanted;
    return rc;
}

static int set_overflow(cli *c, const char *value)
{
    static const char *const words[] = {
        [OM_OVERFLOW_WRAP] = "wrap", [OM_OVERFLOW_ERROR] = "error", NULL
    };
    int i = 0, rc = cli_read_word(c, "overflow", value, words, &i);
    c->set.plan.overflow = (om_overflow_mode) i;
    return rc;
}

static int set_memory(cli *c, const char *value)
{
    return cli_read_limit(c, "memory", "a size such as 200M or 4G", value, cli_size_units,
        &c->set.plan.limits.memory_bytes);
}

static int set_timeout(cli *c, const char *value)
{
    return cli_read_limit(c, "timeout", "a time such as 500ms, 1.5s or 2m", value, cli_time_units,
        &c->set.plan.limits.timeout_ns);
}

static int set_max_states(cli *c, const char *value)
{
    return cli_read_limit(
        c, "max-states", "a number", value, cli_plain_units, &c->set.plan.limits.max_states);
}

static int set_verify(cli *c, const char *value)
{
    if (strcmp(value, "all") == 0) {
        c->set.plan.verify = UINT64_MAX;
        return OM_OK;
    }
    if (strcmp(value, "again") == 0) {
        c->set.plan.verify = OM_VERIFY_AGAIN;
        return OM_OK;
    }
    return cli_read_limit(c, "verify-device", "a number from 1 on, all or again", value,
        cli_plain_units, &c->set.plan.verify);
}

static int set_whole_run(cli *c, const char *value)
{
    (void) value;
    c->set.whole_run = true;
    return OM_OK;
}

static int set_shortest(cli *c, const char *value)
{
    return cli_read_limit(c, "shortest", "a time such as 500ms, 10s or 2m", value, cli_time_units,
        &c->set.plan.shortest_ns);
}

static int set_seed(cli *c, const char *value)
{
    static const char wanted[] =
        "a number up to 9223372036854775807"; /* the range of JSON integers */
    uint64_t n = 0;
    int rc = cli_read_number(c, "seed", wanted, value, cli_plain_units, &n);
    if (rc == OM_OK && n > INT64_MAX)
        rc = om_fail(c->ctx, OM_EUSAGE, NULL, "--seed takes %s, not '%s'", wanted, value);
    c->set.plan.seed = n;
    return rc;
}

/* ---- output ---- */

static int set_plan(cli *c, const char *value)
{
    (void) value;
    c->set.plan_only = true;
    return OM_OK;
}

/* Lists the formats of a kind of output */
typedef const char *const *formats_fn(size_t *count);

/* Adds the suffixes of the formats' files. */
static void put_endings(formats_fn *all, const char *before, const char *between, om_text *out)
{
    size_t count;
    const char *const *formats = all(&count);
    for (size_t i = 0; i < count; i++)
        om_text_printf(out, "%s%s%s", i == 0 ? "" : between, before, formats[i]);
}

static int wrong_ending(cli *c, const char *option, formats_fn *all, const char *value)
{
    om_text endings = { .heap = c->heap };
    put_endings(all, ".", " or ", &endings);
    int rc = endings.failed
                 ? om_fail_memory(c->ctx)
                 : om_fail(c->ctx, OM_EUSAGE, NULL, "--%s takes a file that ends in %s, not '%s'",
                       option, endings.text, value);
    om_text_free(&endings);
    return rc;
}

static int set_lasso(cli *c, const char *value)
{
    c->set.lasso = value;
    if (om_lasso_format_of(value) != NULL)
        return OM_OK;
    return wrong_ending(c, "lasso", om_lasso_formats, value);
}

/* Sets the file of explore's state graph. */
static int set_graph(cli *c, const char *value)
{
    c->set.output = value;
    return om_graph_format_of(value) != NULL ? OM_OK
                                             : wrong_ending(c, "output", om_graph_formats, value);
}

static int set_output_limit(cli *c, const char *value)
{
    return cli_read_limit(
        c, "output-limit", "a number", value, cli_plain_units, &c->set.output_limit);
}

static int set_trail(cli *c, const char *value)
{
    c->set.trail = value;
    return OM_OK;
}

static int set_as(cli *c, const char *value)
{
    size_t count;
    const char *const *formats = om_lasso_formats(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(formats[i], value) == 0)
            c->set.as = formats[i];
    if (c->set.as != NULL && strcmp(c->set.as, value) == 0)
        return OM_OK;
    om_text known = { .heap = c->heap };
    put_endings(om_lasso_formats, "", ", ", &known);
    int rc = known.failed ? om_fail_memory(c->ctx)
                          : om_fail(c->ctx, OM_EUSAGE, NULL, "--as takes one of %s, not '%s'",
                                known.text, value);
    om_text_free(&known);
    return rc;
}

static int set_coverage(cli *c, const char *value)
{
    (void) value;
    c->set.coverage = true;
    return OM_OK;
}

static int set_ignore_assertions(cli *c, const char *value)
{
    (void) value;
    c->set.ignore_assertions = true;
    return OM_OK;
}

static int set_errors(cli *c, const char *value)
{
    return cli_read_limit(c, "errors", "a number", value, cli_plain_units, &c->set.most_errors);
}

static int set_json(cli *c, const char *value)
{
    (void) value;
    c->set.json = true;
    return OM_OK;
}

static int set_json_lines(cli *c, const char *value)
{
    (void) value;
    c->set.json_lines = true;
    return OM_OK;
}

static int set_progress(cli *c, const char *value)
{
    static const char *const words[] = { "auto", "always", "never", NULL };
    int i = 0, rc = cli_read_word(c, "progress", value, words, &i);
    c->set.progress = (cli_when) i;
    return rc;
}

static int set_verbose(cli *c, const char *value)
{
    (void) value;
    c->set.verbose = true;
    return OM_OK;
}

static int set_quiet(cli *c, const char *value)
{
    (void) value;
    c->set.quiet = true;
    return OM_OK;
}

static int set_server(cli *c, const char *value)
{
    c->set.server = value;
    return OM_OK;
}

static int set_token_file(cli *c, const char *value)
{
    c->set.token_file = value;
    return OM_OK;
}

static int set_ca_file(cli *c, const char *value)
{
    c->set.ca_file = value;
    return OM_OK;
}

static int set_help(cli *c, const char *value)
{
    (void) value;
    c->set.help = true;
    return OM_OK;
}

static int set_to(cli *c, const char *value)
{
    bool known = cli_is_kind(value);
    for (size_t i = 0; cli_to_name(i) != NULL; i++)
        known = known || strcmp(value, cli_to_name(i)) == 0;
    if (strcmp(value, "ta") == 0)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "--to %s: HOA has no testing automata", value);
    if (!known)
        return om_fail(c->ctx, OM_EUSAGE, NULL,
            "--to takes ba (buchi), tgba (generalized-buchi; tgba:disjuncts, tgba:pending), tgra "
            "(rabin), tsa (streett), tfla (fin-less), hoa, never or dot, not '%s'",
            value);
    c->set.to = value;
    return OM_OK;
}

static int set_to_dot(cli *c, const char *value)
{
    static const char *const words[] = { "dot", NULL };
    int i = 0;
    c->set.to = value;
    return cli_read_word(c, "to", value, words, &i);
}

static int set_to_picture(cli *c, const char *value)
{
    static const char *const words[] = { "svg", "dot", NULL };
    int i = 0;
    c->set.to = value;
    return cli_read_word(c, "to", value, words, &i);
}

static int set_spelling(cli *c, const char *value)
{
    const char *words[OM_LTL_SPELLINGS + 1] = { NULL };
    int i = 0;
    for (int k = 0; k < OM_LTL_SPELLINGS; k++)
        words[k] = om_ltl_spelling_name((om_ltl_spelling) k);
    int rc = cli_read_word(c, "spelling", value, words, &i);
    c->set.spelling = (om_ltl_spelling) i;
    c->set.spelled = true;
    return rc;
}

static int set_output(cli *c, const char *value)
{
    c->set.output = value;
    return OM_OK;
}

/* ---- explain ---- */

static int set_transitions(cli *c, const char *value)
{
    static const char *const words[] = { "on", "off", NULL };
    int i = 0, rc = cli_read_word(c, "transitions", value, words, &i);
    c->set.no_transitions = i == 1;
    return rc;
}

static int set_each(cli *c, const char *value)
{
    return cli_read_limit(
        c, "each", "a time such as 500ms, 1.5s or 2m", value, cli_time_units, &c->set.each_ns);
}

static int set_all(cli *c, const char *value)
{
    (void) value;
    c->set.all = true;
    return OM_OK;
}

/* ---- simulate ---- */

static int set_load(cli *c, const char *value)
{
    c->set.load = value;
    return OM_OK;
}

static int set_break(cli *c, const char *value)
{
    if (c->set.break_count == CLI_BREAKS)
        return om_fail(c->ctx, OM_EUSAGE, NULL, "too many breakpoints: at most %d", CLI_BREAKS);
    c->set.breaks[c->set.break_count++] = value;
    return OM_OK;
}

static int set_steps(cli *c, const char *value)
{
    c->set.stepped = true;
    return cli_read_number(c, "steps", "a number", value, cli_plain_units, &c->set.steps);
}

static int set_dump(cli *c, const char *value)
{
    c->set.dump = value;
    return OM_OK;
}

static int set_complete(cli *c, const char *value)
{
    static const char *const words[] = { "frontend", "translator", "checker", NULL };
    int i = 0;
    c->set.complete = value;
    return cli_read_word(c, "complete", value, words, &i);
}

/* ---- the tables ---- */

const char *const cli_group_names[CLI_GROUPS] = {
    [CLI_PROPERTY] = "Property",
    [CLI_TRANSLATION] = "Translation",
    [CLI_MODEL] = "Model",
    [CLI_WALK] = "Walk",
    [CLI_SEARCH] = "Search",
    [CLI_LIMITS] = "Limits",
    [CLI_RUN] = "Counterexample",
    [CLI_SERVER] = "Server",
    [CLI_OUTPUT] = "Output",
};

#define OPT_END                               \
    {                                         \
        NULL, 0, CLI_OUTPUT, NULL, NULL, NULL \
    }
#define OPT_PROPERTY                                                                             \
    { "ltl", 0, CLI_PROPERTY, "FORMULA",                                                         \
        "the formula holds on every run; properties may be repeated", set_ltl },                 \
        { "ltl-file", 0, CLI_PROPERTY, "FILE", "as --ltl, with the formula in a file",           \
            set_ltl_file },                                                                      \
        { "spelling", 0, CLI_PROPERTY, "omen|spin|psl",                                          \
            "grammar of formulas (default: the model language's)", set_spelling },               \
        { "never", 0, CLI_PROPERTY, "FILE", "the automaton (HOA or never claim) accepts no run", \
            set_never },                                                                         \
        { "property", 0, CLI_PROPERTY, "NAME",                                                   \
            "the model's property of that name (see omen properties)", set_property },           \
        { "assertions", 0, CLI_PROPERTY, NULL, "no assertion of the model fails",                \
            set_assertions },                                                                    \
        { "deadlock", 0, CLI_PROPERTY, NULL, "every reachable state has a successor",            \
            set_deadlock },                                                                      \
        { "non-progress", 0, CLI_PROPERTY, NULL,                                                 \
            "every infinite run makes progress infinitely often", set_non_progress },            \
        { "progress-states", 0, CLI_PROPERTY, "EXPR",                                            \
            "states that make progress (default: the model's labels)", set_progress_states },    \
    {                                                                                            \
        "invariant", 0, CLI_PROPERTY, "EXPR", "the expression is true in every reachable state", \
            set_invariant                                                                        \
    }
#define OPT_CHECKERS                                                                           \
    { "checker", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the whole automaton",         \
        set_checker },                                                                         \
        { "terminal", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the terminal part",      \
            set_terminal },                                                                    \
        { "weak", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the weak part", set_weak },  \
        { "strong", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the strong part",          \
            set_strong },                                                                      \
        { "schedule", 0, CLI_SEARCH, "auto|concurrent|sequential",                             \
            "check the parts concurrently, or one after another", set_schedule },              \
    {                                                                                          \
        "seed", 0, CLI_SEARCH, "N", "seed of the order of successors in a swarm (default: 0)", \
            set_seed                                                                           \
    }
#define OPT_FRONTEND                                                                      \
    { "frontend", 0, CLI_MODEL, "NAME[:OPT=N,...]",                                       \
        "front end that reads the model (default: by file name)", set_frontend },         \
        { "define", 'D', CLI_MODEL, "NAME[=VALUE]",                                       \
            "define a macro of the model, as #define does", cli_set_define },             \
        { "include", 'I', CLI_MODEL, "DIR", "search this folder for included files, too", \
            cli_set_include },                                                            \
    {                                                                                     \
        "include-root", 0, CLI_MODEL, "DIR", "allow files of this folder to be included", \
            cli_set_include_root                                                          \
    }
#define OPT_TRANSLATOR(group)                                                     \
    {                                                                             \
        "translator", 0, group, "NAME[:OPT=N,...]",                               \
            "translator of LTL; cmd:COMMAND: an external program", set_translator \
    }
#define OPT_DEVICE                                                                 \
    {                                                                              \
        "device", 0, CLI_SEARCH, "auto|none|all|KIND|N[,N]",                       \
            "cpu, gpu, host or a number (auto: a GPU joins long runs)", set_device \
    }
#define OPT_VERIFY                                                               \
    {                                                                            \
        "verify-device", 0, CLI_SEARCH, "N|all|again",                           \
            "states to expand again on the CPU; again: search twice", set_verify \
    }
#define OPT_EXEC                                                                             \
    {                                                                                        \
        "exec", 0, CLI_SEARCH, "auto|native|vm", "how the CPU computes successors", set_exec \
    }
#define OPT_STORE                                                                \
    {                                                                            \
        "store", 0, CLI_SEARCH, "plain|tree",                                    \
            "how states are stored (default: tree, which is smaller)", set_store \
    }
#define OPT_FINITE                                                                   \
    {                                                                                \
        "finite-runs", 0, CLI_PROPERTY, "stutter|ignore",                            \
            "a run that ends repeats its last state, or is ignored", set_finite_runs \
    }
#define OPT_FAIRNESS                                                                           \
    { "fairness", 0, CLI_PROPERTY, "none|weak|strong",                                         \
        "process fairness that is assumed (default: none)", set_fairness },                    \
    {                                                                                          \
        "fair", 0, CLI_PROPERTY, "FORMULA", "assume this, too: GF p -> GF q; may be repeated", \
            set_fair                                                                           \
    }
#define OPT_RESET(dflt)                                                                   \
    {                                                                                     \
        "reset-dead", 0, CLI_SEARCH, "on|off",                                            \
            "reset variables that are not read again (default: " dflt ")", set_reset_dead \
    }
#define OPT_MERGE(dflt)                                                                \
    {                                                                                  \
        "merge", 0, CLI_SEARCH, "on|off",                                              \
            "merge steps that concern only one process (default: " dflt ")", set_merge \
    }
#define OPT_OVERFLOW                                                             \
    {                                                                            \
        "overflow", 0, CLI_MODEL, "wrap|error",                                  \
            "values that do not fit wrap (default), or are errors", set_overflow \
    }
#define OPT_BOUNDS                                                                              \
    { "memory", 0, CLI_LIMITS, "SIZE", "memory, such as 200M (default: 80 % of RAM)",           \
        set_memory },                                                                           \
    {                                                                                           \
        "timeout", 0, CLI_LIMITS, "TIME", "time, such as 500ms, 10s or 2m (default: no limit)", \
            set_timeout                                                                         \
    }
#define OPT_LIMITS                                                                             \
    { "threads", 0, CLI_LIMITS, "N", "workers on the CPU (default: all cores)", set_threads }, \
        OPT_BOUNDS,                                                                            \
    {                                                                                          \
        "max-states", 0, CLI_LIMITS, "N", "stored states (default: no limit)", set_max_states  \
    }
#define OPT_JSON                                                                   \
    {                                                                              \
        "json", 0, CLI_OUTPUT, NULL, "print the result as a JSON object", set_json \
    }
#define OPT_JSON_LINES                                                                 \
    {                                                                                  \
        "json-lines", 0, CLI_OUTPUT, NULL,                                             \
            "print progress and results as JSON objects, one per line", set_json_lines \
    }
#define OPT_PROGRESS                                                                              \
    {                                                                                             \
        "progress", 0, CLI_OUTPUT, "auto|always|never", "show a progress line on standard error", \
            set_progress                                                                          \
    }
#define OPT_COMMON                                                   \
    { "verbose", 'v', CLI_OUTPUT, NULL, "print more", set_verbose }, \
        { "quiet", 'q', CLI_OUTPUT, NULL, "print less", set_quiet }, \
        { "help", 'h', CLI_OUTPUT, NULL, "print this help", set_help }, OPT_END
#define OPT_SERVER                                                                           \
    { "server", 0, CLI_SERVER, "URL", "check on an omend: http(s)://HOST:PORT or unix:PATH", \
        set_server },                                                                        \
        { "token-file", 0, CLI_SERVER, "FILE",                                               \
            "the server's token (default: the variable OMEN_TOKEN)", set_token_file },       \
    {                                                                                        \
        "ca-file", 0, CLI_SERVER, "FILE", "certificates to trust (default: the system's)",   \
            set_ca_file                                                                      \
    }
#define OPT_TO(what)                              \
    {                                             \
        "to", 0, CLI_OUTPUT, "KIND", what, set_to \
    }

void cli_put_argument(const cli_option *o, om_text *out)
{
    om_text_add(out, o->argument);
    if (o->set != set_lasso && o->set != set_graph && o->set != set_as)
        return;
    om_text_add(out, o->set == set_as ? "" : ".(");
    put_endings(o->set == set_graph ? om_graph_formats : om_lasso_formats, "", "|", out);
    om_text_add(out, o->set == set_as ? "" : ")");
}

static const cli_option check_options[] = { OPT_PROPERTY, OPT_FINITE, OPT_FAIRNESS,
    OPT_TRANSLATOR(CLI_PROPERTY), OPT_FRONTEND, OPT_OVERFLOW, OPT_CHECKERS, OPT_DEVICE, OPT_VERIFY,
    OPT_EXEC, OPT_STORE, OPT_RESET("on"), OPT_MERGE("on"),
    { "fail-fast", 0, CLI_SEARCH, NULL, "stop after the first violation", set_fail_fast },
    OPT_LIMITS, { "lasso", 0, CLI_RUN, "FILE", "write the counterexample to this file", set_lasso },
    { "shortest", 0, CLI_RUN, "TIME", "then search this long for a shortest counterexample",
        set_shortest },
    { "whole-run", 0, CLI_RUN, NULL, "keep the rest of a run after the violation", set_whole_run },
    { "plan", 0, CLI_OUTPUT, NULL, "print what would be done, without doing it", set_plan },
    OPT_JSON, OPT_JSON_LINES, OPT_PROGRESS, OPT_SERVER, OPT_COMMON };
const cli_option cli_leading_options[] = { OPT_SERVER, OPT_END };
static const cli_option properties_options[] = { OPT_FRONTEND, OPT_BOUNDS, OPT_JSON, OPT_COMMON };
static const cli_option empty_options[] = { OPT_CHECKERS, OPT_LIMITS, OPT_JSON, OPT_PROGRESS,
    OPT_COMMON };
static const cli_option explore_options[] = { OPT_FRONTEND, OPT_OVERFLOW, OPT_DEVICE, OPT_VERIFY,
    OPT_EXEC, OPT_STORE, OPT_RESET("off"), OPT_MERGE("off"),
    { "ignore-assertions", 0, CLI_SEARCH, NULL, "do not check the model's assertions",
        set_ignore_assertions },
    OPT_LIMITS,
    { "errors", 0, CLI_LIMITS, "N", "failed assertions (default: no limit)", set_errors },
    { "output-limit", 0, CLI_LIMITS, "N", "states of --output (default: 1000000)",
        set_output_limit },
    { "output", 0, CLI_OUTPUT, "FILE", "write the state graph to this file", set_graph },
    { "coverage", 0, CLI_OUTPUT, NULL, "list the statements that no run executes", set_coverage },
    OPT_JSON, OPT_PROGRESS, OPT_COMMON };
static const cli_option mcc_options[] = { OPT_FRONTEND, OPT_EXEC, OPT_STORE,
    { "reductions", 0, CLI_SEARCH, "on|off|NAME,...",
        "reductions of nets: all (default), none, or these", set_reductions },
    OPT_LIMITS, OPT_JSON, OPT_PROGRESS, OPT_COMMON };
static const cli_option translate_options[] = { OPT_TRANSLATOR(CLI_TRANSLATION), OPT_BOUNDS,
    OPT_TO("hoa, ba, tgba[:pending], tgra, tsa, tfla, never, dot"),
    { "spelling", 0, CLI_OUTPUT, "omen|spin|psl",
        "print the formula in this grammar, not an automaton", set_spelling },
    OPT_PROGRESS, OPT_COMMON };
static const cli_option convert_options[] = { OPT_BOUNDS,
    OPT_TO("ba, tgba[:pending], tgra, tsa, tfla, hoa, never, dot"), OPT_PROGRESS, OPT_COMMON };
static const cli_option draw_options[] = { OPT_TRANSLATOR(CLI_TRANSLATION), OPT_BOUNDS,
    { "to", 0, CLI_OUTPUT, "svg|dot", "a picture (default), or its Graphviz source",
        set_to_picture },
    OPT_PROGRESS, OPT_COMMON };
static const cli_option strength_options[] = { OPT_BOUNDS,
    { "to", 0, CLI_OUTPUT, "dot", "print the components as a Graphviz graph", set_to_dot },
    { "output", 0, CLI_OUTPUT, "DIR", "write DIR/terminal.hoa, weak.hoa, strong.hoa", set_output },
    OPT_PROGRESS, OPT_COMMON };
static const cli_option replay_options[] = { OPT_PROPERTY, OPT_FINITE, OPT_FAIRNESS, OPT_FRONTEND,
    OPT_BOUNDS,
    { "trail", 0, CLI_RUN, "FILE", "replay and show this trail, for example of SPIN", set_trail },
    OPT_JSON, OPT_PROGRESS, OPT_COMMON };
static const cli_option plugins_options[] = {
    { "complete", 0, CLI_OUTPUT, "frontend|translator|checker",
        "print only names and options, for a shell", set_complete },
    OPT_JSON, OPT_COMMON
};
static const cli_option show_options[] = { OPT_FINITE, OPT_FRONTEND, OPT_BOUNDS,
    { "as", 0, CLI_OUTPUT, "", "the format (default: by the name of --output, else txt)", set_as },
    { "output", 0, CLI_OUTPUT, "FILE", "write to this file (default: standard output)",
        set_output },
    OPT_COMMON };
static const cli_option explain_options[] = { OPT_PROPERTY, OPT_FINITE, OPT_FAIRNESS,
    OPT_TRANSLATOR(CLI_PROPERTY), OPT_FRONTEND, OPT_RESET("on"), OPT_LIMITS,
    { "each", 0, CLI_LIMITS, "TIME", "time for each check of --transitions (default: 10s)",
        set_each },
    { "transitions", 0, CLI_RUN, "on|off", "check without each transition of the run (default: on)",
        set_transitions },
    { "all", 0, CLI_OUTPUT, NULL, "print also parts that are no reason for the violation",
        set_all },
    OPT_JSON, OPT_PROGRESS, OPT_COMMON };
static const cli_option simulate_options[] = { OPT_FRONTEND, OPT_OVERFLOW,
    { "load", 0, CLI_WALK, "RUN.json", "start with this run and follow it", set_load },
    { "break", 0, CLI_WALK, "EXPR", "stop when the expression becomes true; may be repeated",
        set_break },
    { "steps", 0, CLI_WALK, "N", "take N steps, without a terminal", set_steps },
    { "seed", 0, CLI_WALK, "N", "seed of random choices (default: 0)", set_seed }, OPT_BOUNDS,
    { "lasso", 0, CLI_OUTPUT, "FILE", "with --steps: write the run to this file", set_lasso },
    { "json", 0, CLI_OUTPUT, NULL, "with --steps: print the run as a JSON object", set_json },
    OPT_COMMON };
static const cli_option devices_options[] = { OPT_PROPERTY, OPT_FINITE,
    OPT_TRANSLATOR(CLI_PROPERTY), OPT_FRONTEND, OPT_OVERFLOW, OPT_DEVICE, OPT_RESET("on"),
    OPT_MERGE("on"), OPT_BOUNDS,
    { "dump", 0, CLI_OUTPUT, "FOLDER", "write the code for the device's compiler for MODEL",
        set_dump },
    OPT_JSON, OPT_COMMON };
static const cli_option schema_options[] = { OPT_COMMON };

const cli_command cli_commands[] = {
    { "check", "MODEL [PROPERTY...] [OPTIONS]", "checks properties of a model", 1, 1, check_options,
        cli_run_check, NULL,
        { "omen check mutex.dve",
            "omen check mutex.dve --invariant 'not (P_0.critical and P_1.critical)'",
            "omen check starvation.dve --ltl 'G(Client_0.waiting -> F Client_0.served)' --lasso "
            "run.json" } },
    { "properties", "MODEL [OPTIONS]", "lists the properties of a model", 1, 1, properties_options,
        cli_run_properties, NULL,
        { "omen properties mutex.dve", "omen properties philosophers.pnml",
            "omen properties mutex.dve --json" } },
    { "empty", "AUTOMATON [OPTIONS]", "checks if an automaton is empty", 1, 1, empty_options,
        cli_run_empty, NULL,
        { "omen empty automaton.hoa", "omen empty automaton.hoa --json",
            "omen translate 'GF p & FG !p' | omen empty -" } },
    { "explore", "MODEL [OPTIONS]", "counts or writes its state graph", 1, 1, explore_options,
        cli_run_explore, NULL,
        { "omen explore mutex.dve", "omen explore mutex.dve --output graph.aut",
            "omen explore lossy.dve --coverage" } },
    { "mcc", "[FOLDER [EXAMINATION]]", "runs an examination of the MCC", 0, 2, mcc_options, NULL,
        "expat",
        { "omen mcc philosophers StateSpace",
            "omen mcc philosophers ReachabilityDeadlock --timeout 1m",
            "omen mcc philosophers OneSafe --json" } },
    { "translate", "FORMULA [--to KIND]", "translates LTL to an automaton", 1, 1, translate_options,
        cli_run_translate, NULL,
        { "omen translate 'G(request -> F grant)' > automaton.hoa",
            "omen translate 'G(request -> F grant)' --to never",
            "omen translate 'G(request -> F grant)' --spelling psl" } },
    { "convert", "AUTOMATON --to KIND", "converts an automaton", 1, 1, convert_options,
        cli_run_convert, NULL,
        { "omen convert automaton.hoa --to ba", "omen convert automaton.hoa --to never > claim.pml",
            "omen translate 'GF p & GF q' | omen convert - --to ba" } },
    { "draw", "AUTOMATON|FORMULA", "draws an automaton", 1, 1, draw_options, cli_run_draw, NULL,
        { "omen draw automaton.hoa > automaton.svg",
            "omen draw 'G(request -> F grant)' > formula.svg", "omen draw 'p U q' --to dot" } },
    { "strength", "AUTOMATON [--output DIR]", "splits an automaton by strength", 1, 1,
        strength_options, cli_run_strength, NULL,
        { "omen strength automaton.hoa", "omen strength automaton.hoa --output parts",
            "omen strength automaton.hoa --to dot" } },
    { "replay", "MODEL LASSO.json [PROPERTY]", "replays a counterexample", 1, 2, replay_options,
        cli_run_replay, NULL,
        { "omen replay starvation.dve run.json",
            "omen replay starvation.dve run.json --ltl 'GF Client_0.served'",
            "omen replay starvation.dve run.json --json" } },
    { "show", "RUN.json [MODEL] --as FORMAT", "shows a counterexample", 1, 2, show_options,
        cli_run_show, NULL,
        { "omen show run.json", "omen show run.json starvation.dve --as txt",
            "omen show run.json --output run.html" } },
    { "explain", "MODEL LASSO.json [PROPERTY]", "explains a counterexample", 2, 2, explain_options,
        cli_run_explain, NULL,
        { "omen explain starvation.dve run.json",
            "omen explain starvation.dve run.json --transitions off",
            "omen explain starvation.dve run.json --ltl 'GF Client_0.served'" } },
    { "simulate", "MODEL [--steps N]", "walks through a model step by step", 1, 1, simulate_options,
        cli_run_simulate, NULL,
        { "omen simulate mutex.dve --steps 20 --seed 7",
            "omen simulate lossy.dve --steps 1000 --break 'received == 2'",
            "omen simulate starvation.dve --load run.json --steps 20" } },
    { "plugins", "", "lists plug-ins, used and refused", 0, 0, plugins_options, cli_run_plugins,
        NULL, { NULL } },
    { "devices", "[--dump FOLDER MODEL [PROPERTY]]", "lists OpenCL devices", 0, 1, devices_options,
        cli_run_devices, NULL,
        { "omen devices", "omen devices --verbose", "omen devices --dump kernels mutex.dve" } },
    { "schema", "[NAME]", "prints JSON Schemas of outputs", 0, 1, schema_options, cli_run_schema,
        NULL, { NULL } },
    { NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, { NULL } },
};
