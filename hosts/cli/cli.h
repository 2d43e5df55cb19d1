/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: what the files of the command-line program share. */
#ifndef OMEN_CLI_H
#define OMEN_CLI_H

#include <omen/host/omen.h>

#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* The option "ltl" of a formula in omen's own grammar, as a lasso records it. */
#define CLI_OWN_GRAMMAR "ltl-omen"

enum { CLI_SOURCES = 256 };
enum { CLI_PROPERTIES = 1024, CLI_ASSUMPTIONS = 64, CLI_BREAKS = 64, CLI_POSITIONALS = 2 };
enum { CLI_GRAPH_STATES = 1000000 };

typedef enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER } cli_when;

/* A property that was asked for. */
typedef struct cli_property {
    om_property_kind kind;
    const char *option; /* "ltl", "never", ...: as it is recorded in a lasso */
    char *text;         /* owned; NULL where the kind has none */
} cli_property;

/* Everything that options can say. */
typedef struct cli_settings {
    om_plan_options plan;
    cli_property properties[CLI_PROPERTIES];
    size_t property_count;
    const char *assumptions[CLI_ASSUMPTIONS]; /* plan.fair */
    const char *positionals[CLI_POSITIONALS];
    size_t positional_count;
    const char *definitions[CLI_SOURCES], *folders[CLI_SOURCES], *roots[CLI_SOURCES];
    size_t definition_count, folder_count, root_count; /* -D, -I, --include-root */
    const char *lasso, *to, *as, *output, *frontend, *dump, *complete;
    uint32_t without_passes; /* of --reductions: bit i, not that of om_reduce_passes(); all: none */
    uint64_t output_limit;   /* of --output: states; 0: CLI_GRAPH_STATES */
    const char *progress_states;           /* of --non-progress; or NULL */
    const char *trail;                     /* of replay; or NULL */
    const char *load, *breaks[CLI_BREAKS]; /* of simulate */
    size_t break_count;
    uint64_t steps;
    bool stepped;             /* --steps was there */
    uint64_t each_ns;         /* of explain, for each transition; */
    bool all, no_transitions; /* what it shows and asks */
    bool whole_run;           /* nothing is left out after a violation */
    om_ltl_spelling spelling;
    bool spelled;                     /* --spelling was there */
    bool ignore_assertions, coverage; /* of explore, as is: */
    uint64_t most_errors;             /* after so many failed assertions it ends; 0: never */
    bool json, json_lines, verbose, quiet, help, plan_only;
    bool fail_fast; /* of check: no property is checked after the first violation */
    const char *server, *token_file, *ca_file; /* of check; or NULL */
    cli_when progress;
} cli_settings;

/* Standard error, where a line of progress may stand. */
typedef struct cli_error_stream {
    pthread_mutex_t lock;
    bool terminal; /* it is one */
    /* under the lock */
    bool line;   /* something stands on the last line */
    bool hushed; /* results are being written: no more lines */
} cli_error_stream;

/* The beginning of a character whose rest is in the next piece of text that is written. */
typedef struct cli_cut {
    char bytes[4];
    size_t count;
} cli_cut;

typedef struct cli {
    om_context *ctx;
    const om_heap *heap;
    om_registry *registry;
    cli_settings set;
    uint64_t started_ns;
    om_watcher *watcher;        /* of the limits, for commands that have some; or NULL */
    cli_cut out_cut;            /* of what was written of `out` */
    om_text out;                /* results, on their way to standard output */
    size_t properties;          /* of a check: so many, those of the model, too; 0: not known yet */
    uint64_t memory_elsewhere;  /* of a check by a server, for progress; 0: it is done here */
    om_text grown;              /* set.frontend, where cli_grow() made it; */
    const char *asked_frontend; /* the user's then, or NULL */
    struct cli_given *given;    /* options with values, as they were given: a server gets them so */
    size_t given_count, given_room;
    uint64_t out_until_ns; /* when that ends, since something of it was written; or 0 */
    cli_error_stream error_stream;
} cli;

/* One option of a command. */
typedef struct cli_option {
    const char *name;     /* without the dashes */
    char letter;          /* or 0 */
    const char *argument; /* what it takes, for help; NULL: nothing */
    const char *help;
    int (*set)(cli *c, const char *value);
} cli_option;

typedef struct cli_command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;
    size_t least, most;        /* positional arguments */
    const cli_option *options; /* ends with a NULL name */
    int (*run)(cli *c);        /* an exit status */
} cli_command;

/* tables.c */
extern const cli_command cli_commands[];
/* What the option takes, as its help says it. */
void cli_put_argument(const cli_option *o, om_text *out);
/* Does the command have --memory and --timeout? */
bool cli_has_limits(const cli_command *command);
/* "tree" or "plain", as --store takes it. */
const char *cli_store_name(om_store_kind kind);
/* Fills a property from "OPTION=TEXT" or "OPTION", as a lasso records it. */
int cli_recorded_property(cli *c, const char *recorded, cli_property *out);
/* Adds a property that the model brings along to those that are asked for. OM_OK; OM_ENOMEM;
 * OM_EUSAGE: too many. */
int cli_add_own(cli *c, const om_own_property *own);
/* Reads a run of the model, and what it is about: of a file ".trail", or of the option --trail, as
 * a trail, else as JSON. */
int cli_read_run(cli *c, om_model *model, const char *path, om_lasso *out, char **recorded);
/* The same of the model of that file, which is loaded again, with more room, where the run has no
 * place in it. */
int cli_read_run_of(cli *c, const char *file, const om_frontend *frontend, om_model **model,
    const char *path, om_lasso *out, char **recorded);
/* Which one a lasso is about: the one that was asked for, else the one that it records (NULL:
 * none), made in *made, whose text is the caller's to free. OM_EUSAGE where there is none. */
int cli_property_of(cli *c, const char *recorded, cli_property *made, const cli_property **out);
/* Where the lasso says that its property is violated counts only if that property (*recorded, made
 * by cli_property_of()) is the one that is asked for. */
void cli_forget_mark(const cli_property *property, const cli_property *recorded, om_lasso *run);

/* An option of the command line. */
typedef struct cli_given {
    const char *name, *value; /* NULL: it takes none */
} cli_given;

/* Those that may stand before the command, where they are for check. */
extern const cli_option cli_leading_options[];

/* sources.c: the options of preprocessing, and what they say, handed to the context. */
int cli_set_define(cli *c, const char *value);
int cli_set_include(cli *c, const char *value);
int cli_set_include_root(cli *c, const char *value);
void cli_give_sources(cli *c);

/* options.c: OM_OK, or OM_EUSAGE with a message. argv starts behind the command. */
int cli_parse(cli *c, const cli_command *command, int argc, char **argv);
/* Options before the command: *used is how many words they are. */
int cli_parse_leading(cli *c, int argc, char **argv, int *used);
void cli_help(const cli_command *command, om_text *out);
void cli_overview(om_text *out);
const cli_command *cli_find_command(const char *name);
int cli_unknown_command(cli *c, const char *name);

/* session.c */
int cli_open(cli *c);
void cli_close(cli *c);
/* Notes go to standard error, as they do from cli_open() on. */
void cli_take_notes(cli *c);
/* From here on the limits that were asked for hold; their time began with the program. */
int cli_limit(cli *c);
/* Says what went wrong on standard error and returns the exit status. */
int cli_failed(cli *c, int rc);
/* A compiler of the plan's device may go on for long although nobody waits for it: the program ends
 * now, with everything written, where it does. Else, and without a plan, returns the status. */
int cli_leave(cli *c, om_plan *plan, int status);
int cli_load_model(cli *c, const om_frontend **frontend, om_model **out);
/* That of another path, and its text, to be freed. */
int cli_load_text(
    cli *c, const char *path, const om_frontend **frontend, om_model **out, char **text);
/* Has the model of that file, which has too little room, made with more when it is loaded next.
 * False where it has no option for that, or the user gave it, or the file is standard input, which
 * cannot be read again. */
bool cli_grow(cli *c, const char *file, const om_frontend *frontend, const om_model *model);
/* A plan for the model, as the settings want it. */
int cli_new_plan(cli *c, const om_frontend *frontend, om_model *model, om_plan **out);

/* A thread that waits for signals, which stop the plan's work or the context's, and shows progress.
 */
typedef struct cli_ticker {
    cli *c;
    om_plan *plan;    /* or NULL */
    const char *what; /* is being done, a constant: "translating" */
    pthread_t thread;
    atomic_bool ending; /* relaxed: it carries no data */
    bool running;
} cli_ticker;
/* A line of --json-lines; false: nobody can read it any more. */
bool cli_put_progress(const om_progress *now, uint64_t memory_bytes);
/* What must be so before anything is opened or written. */
void cli_settle(void);
/* From the first ticker on, signals that end a check are blocked in every thread but the ticker's;
 * before it they do what they always do. */
int cli_ticker_start(cli_ticker *t, cli *c, om_plan *plan, const char *what);
void cli_ticker_stop(cli_ticker *t);

/* progress.c: the line of progress, where one is wanted: `what` is being done; figures of a plan,
 * or NULL. Any thread, as the others. */
void cli_show_progress(cli *c, const char *what, const om_progress *now);
/* Takes the line away; `hush`: results are coming, and there is no line before the next. */
void cli_clear_progress(cli *c, bool hush);
/* They are written: more work may follow. */
void cli_allow_progress(cli *c);
/* A line on standard error, in the place of the line of progress: "omen: ", prefix and text. */
void cli_put_message(cli *c, const char *prefix, const char *text);
/* A line that somebody else said. */
void cli_put_line(cli *c, const char *text);

/* output.c: the drain of c->out (self: the cli), and what writes the rest of it. OM_OK, OM_EIO, or
 * OM_ELIMIT where the time is over; with a message. */
int cli_drain(void *self, const char *text, size_t length);
int cli_flush(cli *c);
/* Until when a result that is there now may be written (0: for ever): for a moment beyond
 * --timeout.
 */
uint64_t cli_write_until(const cli *c);
/* Can a line be written there without waiting for the reader? */
bool cli_writable(int fd);
/* 0; or -1 with errno, which is ETIME when the time came before the end. */
int cli_write_all(int fd, const char *text, size_t length, uint64_t until_ns);
/* Adds text that is to stay on its line, as it may be shown (shown.h). */
void cli_put_plain(om_text *out, const char *text);
/* The signals that end a check. */
void cli_ending_signals(sigset_t *set);

/* A file that is there as a whole or not at all: it is written under a temporary name. */
typedef struct cli_file {
    cli *c;
    const char *path; /* borrowed */
    om_text text;     /* for what it is to hold */
    cli_cut cut;
    om_text temporary;
    uint64_t until_ns;
    int fd;
} cli_file;
int cli_file_open(cli_file *f, cli *c, const char *path);
/* After each cli_file_open(), whatever that returned. rc: what came of filling it; the file is
 * there where it is OM_OK and so is what this returns. */
int cli_file_close(cli_file *f, int rc);

/* Prints an object on one line (or indented), newline at the end; takes the reference. */
int cli_put_json(cli *c, json_t *object, bool indent);
/* The same with members more, which are too large to be had as objects: put() (NULL: it is null)
 * adds the text of one. */
typedef int cli_member_fn(void *self, om_text *out);
typedef struct cli_member {
    const char *name;
    cli_member_fn *put;
    void *self;
} cli_member;
int cli_put_json_with(cli *c, json_t *object, bool indent, const cli_member *members, size_t count);

/* What overflowed in a run: nothing where count is 0. All borrowed. */
typedef struct cli_overflows {
    uint64_t count;
    om_overflow first;
    const char *label;     /* of its transition, or NULL: an initial value */
    const om_lasso *trace; /* or NULL */
    om_model *model;       /* of the trace */
} cli_overflows;
/* In the last run of a plan (NULL: nothing). */
cli_overflows cli_overflows_of(const om_plan *plan, om_model *model);
/* As text, where there is a trace and more than figures is wanted; as JSON, which is null where
 * there was nothing. */
void cli_put_overflows(cli *c, const cli_overflows *o);
json_t *cli_overflows_json(const cli *c, const cli_overflows *all);
/* The trace, as the member "overflow_trace"; *shown is to live as long. */
typedef struct cli_trace {
    const om_lasso *trace;
    om_model *model;
    bool one_line;
} cli_trace;
cli_member cli_overflow_trace(const cli_overflows *o, bool one_line, cli_trace *shown);

/* "property", "assertion" */
const char *cli_about_name(om_verdict_about about);
void cli_put_property_line(cli *c, const om_check_result *r);
/* What an assertion that fails says. */
void cli_put_assertion(cli *c, const om_check_result *r);
/* Why there is no counterexample, where one is missing. */
void cli_put_unrefereed(cli *c, const om_check_result *r);
/* The assumptions in force, and their sets: nothing, or null, where there are none. */
void cli_put_fairness(cli *c, const om_fairness_report *f);
json_t *cli_fairness_json(const cli *c, const om_fairness_report *f);
/* Is the lasso a shortest one? Nothing where nobody asked. */
void cli_put_minimality(cli *c, const om_check_result *r);
void cli_put_parts(cli *c, const om_check_result *r);
/* What would be done, as text or JSON. `together`: so many properties are checked by one
 * exploration, this one among them; 0: none with it. */
int cli_put_planned(cli *c, const om_planned *d, size_t together);
json_t *cli_text_json(const char *text);
/* Null where nobody counted. */
json_t *cli_costs_json(const om_device_costs *costs, const om_exploration *e);
/* The same as a table, with its head. */
void cli_put_costs(cli *c, const om_device_costs *costs, const om_exploration *e);
/* What stands behind a device that found nothing, or null where there is none. */
json_t *cli_verified_json(const char *device, bool nothing_found, uint64_t states, bool again);
/* The result as JSON; put_lasso (NULL: there is none) adds the counterexample. */
int cli_put_result_json(cli *c, const om_check_result *r, const cli_overflows *overflows,
    cli_member_fn *put_lasso, void *self);

/* coverage.c: which transitions some run has; fired is owned. */
typedef struct cli_coverage {
    const om_model *model;
    uint8_t *fired;
} cli_coverage;
/* Explores all, on the CPU; what there is, also where it fails: out->fired is to be freed. */
int cli_explore_coverage(
    cli *c, om_plan *plan, const om_model *model, om_exploration *e, cli_coverage *out);
/* The statements that no run does, as text; as JSON, which is null for NULL; NULL: out of memory.
 */
int cli_put_coverage(cli *c, const cli_coverage *v);
json_t *cli_coverage_json(cli *c, const cli_coverage *v);

/* failures.c: assertions that fail, and runs to them, as text. */
int cli_put_failures(cli *c, om_model *model, const om_failures *f);
/* As JSON; null for NULL; NULL: out of memory. */
json_t *cli_failures_json(cli *c, const om_model *model, const om_failures *f);

/* server.c (no_server.c): check, by the server that was asked for. An exit status. */
int cli_run_check_there(cli *c);

/* The commands. */
int cli_run_check(cli *c);
/* properties.c */
int cli_run_properties(cli *c);
int cli_run_explore(cli *c);
/* mcc.c (no_mcc.c): an examination of the Model Checking Contest. */
int cli_run_mcc(cli *c);
int cli_run_replay(cli *c);
int cli_run_show(cli *c);
int cli_run_explain(cli *c);
int cli_run_simulate(cli *c);
int cli_run_empty(cli *c);
int cli_run_translate(cli *c);
int cli_run_strength(cli *c);
int cli_run_convert(cli *c);
int cli_run_draw(cli *c);
/* automaton.c: the formula that is the first argument, by the translator that was asked for. */
int cli_translate(cli *c, om_automaton **out);
/* Does --to take this? */
bool cli_is_kind(const char *name);
/* What it takes, formats included, from 0 on; NULL behind the last. */
const char *cli_to_name(size_t i);
int cli_run_plugins(cli *c);
int cli_run_devices(cli *c);
int cli_run_schema(cli *c);
/* dump.c: --dump of the devices command. */
int cli_dump_kernels(cli *c);

#endif
