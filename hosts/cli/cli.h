/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: declarations shared by the files of the command-line program. */
#ifndef OMEN_CLI_H
#define OMEN_CLI_H

#include <omen/host/omen.h>

#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* The option recorded in a lasso instead of "ltl" for a formula in omen's own grammar */
#define CLI_OWN_GRAMMAR "ltl-omen"

enum { CLI_SOURCES = 256 };
enum { CLI_PROPERTIES = 1024, CLI_ASSUMPTIONS = 64, CLI_BREAKS = 64, CLI_POSITIONALS = 2 };
enum { CLI_GRAPH_STATES = 1000000, CLI_EXAMPLES = 3 };

typedef enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER } cli_when;

/* A property to check */
typedef struct cli_property {
    om_property_kind kind;
    const char *option; /* "ltl", "never", ...: as recorded in a lasso */
    char *text;         /* owned; NULL if the kind has none */
} cli_property;

/* The values of all options */
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
    uint32_t without_passes;     /* --reductions: bit i disables entry i of om_reduce_passes(); all
                                    bits: no reductions */
    uint64_t output_limit;       /* --output: maximum number of states; 0: CLI_GRAPH_STATES */
    const char *progress_states; /* --non-progress; or NULL */
    const char *trail;           /* replay; or NULL */
    const char *load, *breaks[CLI_BREAKS]; /* simulate */
    size_t break_count;
    uint64_t steps;
    bool stepped;             /* --steps was given */
    uint64_t each_ns;         /* explain: time for each transition */
    bool all, no_transitions; /* explain: what it shows and checks */
    bool whole_run;           /* explain: keeps the run after the violation */
    om_ltl_spelling spelling;
    bool spelled;                     /* --spelling was given */
    bool ignore_assertions, coverage; /* explore: options of the same names */
    uint64_t most_errors; /* explore: ends after this many failed assertions; 0: no limit */
    bool json, json_lines, verbose, quiet, help, plan_only;
    bool fail_fast; /* check: no property is checked after the first violation */
    const char *server, *token_file, *ca_file; /* check; or NULL */
    cli_when progress;
} cli_settings;

/* Standard error, which may show a line of progress */
typedef struct cli_error_stream {
    pthread_mutex_t lock;
    bool terminal; /* it is a terminal */
    /* under the lock */
    bool line;   /* the last line has text */
    bool hushed; /* results are being written: no more lines */
} cli_error_stream;

/* The first bytes of a character whose other bytes are in the next piece of text */
typedef struct cli_cut {
    char bytes[4];
    size_t count;
} cli_cut;

typedef struct cli {
    om_context *ctx;
    const om_heap *heap;
    om_registry *registry;
    cli_settings set;
    char **arguments; /* of the command; ends with NULL */
    uint64_t started_ns;
    om_watcher *watcher; /* enforces the limits, for commands that have some; or NULL */
    cli_cut out_cut;     /* end of the text already written from `out` */
    om_text out;         /* results to be written to standard output */
    size_t properties;   /* check: number of properties, including the model's; 0: not known yet */
    uint64_t memory_elsewhere;  /* memory of a server's check, for progress; 0: local check */
    om_text grown;              /* set.frontend, if cli_grow() made it */
    const char *asked_frontend; /* the user's value before that, or NULL */
    struct cli_given *given;    /* options as they were given, to be sent to a server */
    size_t given_count, given_room;
    uint64_t out_until_ns; /* deadline for `out`, set when the first part of it is written; or 0 */
    cli_error_stream error_stream;
} cli;

/* Headings of the options in help texts, in their order there; cli_group_names */
typedef enum cli_group {
    CLI_PROPERTY,
    CLI_TRANSLATION,
    CLI_MODEL,
    CLI_WALK,
    CLI_SEARCH,
    CLI_LIMITS,
    CLI_RUN,
    CLI_SERVER,
    CLI_OUTPUT,
    CLI_GROUPS
} cli_group;
extern const char *const cli_group_names[CLI_GROUPS];

/* One option of a command */
typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* or 0 */
    cli_group group;
    const char *argument; /* name of the value in help texts; NULL: no value */
    const char *help;
    int (*set)(cli *c, const char *value);
} cli_option;

typedef struct cli_command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;
    size_t least, most;        /* number of positional arguments */
    const cli_option *options; /* ends with a NULL name */
    int (*run)(cli *c);        /* returns an exit status; NULL: the command is a helper program */
    const char *needs;         /* what building the helper program needs; or NULL */
    const char *examples[CLI_EXAMPLES]; /* commands for the demo models; NULL: none */
} cli_command;

/* tables.c */
extern const cli_command cli_commands[];
/* Adds the option's argument to *out, as its help shows it. */
void cli_put_argument(const cli_option *o, om_text *out);
/* Returns "tree" or "plain", the values of --store. */
const char *cli_store_name(om_store_kind kind);
/* Fills a property from "OPTION=TEXT" or "OPTION", as recorded in a lasso. */
int cli_recorded_property(cli *c, const char *recorded, cli_property *out);
/* Adds a property of the model to those that are checked. OM_OK; OM_ENOMEM; OM_EUSAGE: too many. */
int cli_add_own(cli *c, const om_own_property *own);
/* Reads a run of the model and the property recorded with it. A file ".trail", and the file of
 * --trail, is read as a trail, any other as JSON. */
int cli_read_run(cli *c, om_model *model, const char *path, om_lasso *out, char **recorded);
/* As cli_read_run(), for the model of `file`. If the run does not fit the model, loads it again
 * with more room and replaces *model. */
int cli_read_run_of(cli *c, const char *file, const om_frontend *frontend, om_model **model,
    const char *path, om_lasso *out, char **recorded);
/* Determines the property of a lasso: the one on the command line, else the recorded one (NULL:
 * none), which is made in *made; the caller frees its text. OM_EUSAGE if there is none. */
int cli_property_of(cli *c, const char *recorded, cli_property *made, const cli_property **out);
/* Clears the lasso's mark of the bad prefix unless `property` is the recorded one (`recorded`, made
 * by cli_property_of()). */
void cli_forget_mark(const cli_property *property, const cli_property *recorded, om_lasso *run);

/* An option of the command line */
typedef struct cli_given {
    const char *name, *value; /* value: NULL if the option takes none */
} cli_given;

/* The options of check that may precede the command */
extern const cli_option cli_leading_options[];

/* sources.c: the options of preprocessing, and their transfer to the context. */
int cli_set_define(cli *c, const char *value);
int cli_set_include(cli *c, const char *value);
int cli_set_include_root(cli *c, const char *value);
void cli_give_sources(cli *c);

/* options.c: OM_OK, or OM_EUSAGE with a message. argv starts after the command. */
int cli_parse(cli *c, const cli_command *command, int argc, char **argv);
/* Parses options before the command. *used: number of words that they take. */
int cli_parse_leading(cli *c, int argc, char **argv, int *used);
void cli_help(const cli_command *command, om_text *out);
void cli_overview(om_text *out);
const cli_command *cli_find_command(const char *name);
/* Returns the option of that name; NULL if the command has none. */
const cli_option *cli_find_option(const cli_command *command, const char *name);
int cli_unknown_command(cli *c, const char *name);

/* session.c */
int cli_open(cli *c);
void cli_close(cli *c);
/* Writes notes to standard error, as after cli_open(). */
void cli_take_notes(cli *c);
/* Starts the limits of the options. The time counts from the start of the program. */
int cli_limit(cli *c);
/* Writes the context's error to standard error and returns the exit status. */
int cli_failed(cli *c, int rc);
/* Ends the program at once, with all output written, if a compiler of the plan's device is still
 * running; no result depends on it. Else, or if plan is NULL, returns the status. */
int cli_leave(cli *c, om_plan *plan, int status);
int cli_load_model(cli *c, const om_frontend **frontend, om_model **out);
/* Loads the model of another path. The caller frees *text. */
int cli_load_text(
    cli *c, const char *path, const om_frontend **frontend, om_model **out, char **text);
/* Makes the next load of the file's model provide more room, after the model proved too small.
 * Returns false if the front end has no option for that, if the user gave that option, or if the
 * file is standard input, which cannot be read again. */
bool cli_grow(cli *c, const char *file, const om_frontend *frontend, const om_model *model);
/* Makes a plan for the model with the settings. */
int cli_new_plan(cli *c, const om_frontend *frontend, om_model *model, om_plan **out);

/* A thread that waits for signals and shows progress. The signals stop the plan's work, or the
 * context's. */
typedef struct cli_ticker {
    cli *c;
    om_plan *plan;    /* or NULL */
    const char *what; /* constant name of the activity: "translating" */
    pthread_t thread;
    atomic_bool ending; /* relaxed: it carries no data */
    bool running;
} cli_ticker;
/* Writes a line of --json-lines. Returns false if it cannot be written. */
bool cli_put_progress(const om_progress *now, uint64_t memory_bytes);
/* Sets up standard files and signals; called before anything is opened or written. */
void cli_settle(void);
/* From the first ticker on, signals that end a check are blocked in every thread except the
 * ticker's. Before that they have their default effect. */
int cli_ticker_start(cli_ticker *t, cli *c, om_plan *plan, const char *what);
void cli_ticker_stop(cli_ticker *t);

/* progress.c: shows the line of progress, if the user wants one. `what`: name of the activity;
 * `now`: figures of a plan, or NULL. Any thread may call this function and the next four. */
void cli_show_progress(cli *c, const char *what, const om_progress *now);
/* Removes the line. `hush`: results follow, and no line is shown until cli_allow_progress(). */
void cli_clear_progress(cli *c, bool hush);
/* Results have been written: the line may be shown again. */
void cli_allow_progress(cli *c);
/* Replaces the line of progress on standard error by a message: "omen: ", prefix and text. */
void cli_put_message(cli *c, const char *prefix, const char *text);
/* Writes a line that another program printed. */
void cli_put_line(cli *c, const char *text);

/* output.c: the drain of c->out (self: the cli), and the function that writes the rest of it.
 * OM_OK, OM_EIO, or OM_ELIMIT if the time is over; with a message. */
int cli_drain(void *self, const char *text, size_t length);
int cli_flush(cli *c);
/* Returns the time until which a result may be written (0: no limit): shortly after --timeout. */
uint64_t cli_write_until(const cli *c);
/* Returns true if a line can be written to fd without waiting for the reader. */
bool cli_writable(int fd);
/* Returns 0; or -1 with errno, which is ETIME if the time was over before the end. */
int cli_write_all(int fd, const char *text, size_t length, uint64_t until_ns);
/* Adds text without line breaks, made safe for display (safe_text.h). */
void cli_put_plain(om_text *out, const char *text);
/* Sets *set to the signals that end a check. */
void cli_ending_signals(sigset_t *set);

/* A file that is written completely or not at all: it has a temporary name until it is complete. */
typedef struct cli_file {
    cli *c;
    const char *path; /* borrowed */
    om_text text;     /* the contents */
    cli_cut cut;
    om_text temporary;
    uint64_t until_ns;
    int fd;
} cli_file;
int cli_file_open(cli_file *f, cli *c, const char *path);
/* Called after each cli_file_open(), whatever that returned. rc: the status of filling the file.
 * The file exists if rc and the returned status are OM_OK. */
int cli_file_close(cli_file *f, int rc);

/* Prints an object on one line (or indented) with a newline. Takes the reference. */
int cli_put_json(cli *c, json_t *object, bool indent);
/* Prints an object with additional members that are too large to build as objects: put() (NULL: the
 * value is null) adds the text of one. */
typedef int cli_member_fn(void *self, om_text *out);
typedef struct cli_member {
    const char *name;
    cli_member_fn *put;
    void *self;
} cli_member;
int cli_put_json_with(cli *c, json_t *object, bool indent, const cli_member *members, size_t count);

/* Overflows of a run; none if count is 0. All members are borrowed. */
typedef struct cli_overflows {
    uint64_t count;
    om_overflow first;
    const char *label;     /* of the transition, or NULL: an initial value */
    const om_lasso *trace; /* or NULL */
    om_model *model;       /* of the trace */
} cli_overflows;
/* Returns the overflows of the last run of a plan (NULL: none). */
cli_overflows cli_overflows_of(const om_plan *plan, om_model *model);
/* Print overflows. As text only if there is a trace and more than figures is wanted; the JSON is
 * null if there are none. */
void cli_put_overflows(cli *c, const cli_overflows *o);
json_t *cli_overflows_json(const cli *c, const cli_overflows *all);
/* The trace as the member "overflow_trace". *shown must live as long as the member. */
typedef struct cli_trace {
    const om_lasso *trace;
    om_model *model;
    bool one_line;
} cli_trace;
cli_member cli_overflow_trace(const cli_overflows *o, bool one_line, cli_trace *shown);

/* Returns "property" or "assertion". */
const char *cli_about_name(om_verdict_about about);
void cli_put_property_line(cli *c, const om_check_result *r);
/* Prints the text of an assertion that fails. */
void cli_put_assertion(cli *c, const om_check_result *r);
/* Prints why a counterexample is missing. */
void cli_put_unrefereed(cli *c, const om_check_result *r);
/* Print the assumptions of the check and their sets. Without assumptions: nothing, or null. */
void cli_put_fairness(cli *c, const om_fairness_report *f);
json_t *cli_fairness_json(const cli *c, const om_fairness_report *f);
/* Prints whether the lasso is a shortest one; nothing unless the user asked. */
void cli_put_minimality(cli *c, const om_check_result *r);
void cli_put_parts(cli *c, const om_check_result *r);
/* Prints the planned steps, as text or JSON. `together`: number of properties, including this one,
 * that one exploration checks; 0: it is checked alone. */
int cli_put_planned(cli *c, const om_planned *d, size_t together);
/* Returns the text; null if it is NULL. */
json_t *cli_text_json(const char *text);
/* Returns the number; null if it does not fit. */
json_t *cli_count_json(uint64_t n);
/* Appends to an array. Takes the value; returns false if memory runs out. */
bool cli_json_append(json_t *array, json_t *value);
/* Returns the array, or NULL if it is incomplete. Takes the reference. */
json_t *cli_json_whole(json_t *array, bool made);
/* Null if no costs were counted. */
json_t *cli_costs_json(const om_device_costs *costs, const om_exploration *e);
/* Prints the costs as a table with a heading. */
void cli_put_costs(cli *c, const om_device_costs *costs, const om_exploration *e);
/* Returns the verification of a device that found nothing, or null if there is none. */
json_t *cli_verified_json(const char *device, bool nothing_found, uint64_t states, bool again);
/* Prints the result as JSON; put_lasso (NULL: there is none) adds the counterexample. */
int cli_put_result_json(cli *c, const om_check_result *r, const cli_overflows *overflows,
    cli_member_fn *put_lasso, void *self);

/* coverage.c: transitions that occur in some run; fired is owned. */
typedef struct cli_coverage {
    const om_model *model;
    uint8_t *fired;
} cli_coverage;
/* Explores all states on the CPU. Fills *e and *out even on failure; the caller frees
 * out->fired. */
int cli_explore_coverage(
    cli *c, om_plan *plan, const om_model *model, om_exploration *e, cli_coverage *out);
/* Print the statements that no run executes, as text and as JSON. The JSON is null if v is NULL.
 * Returns NULL if memory runs out. */
int cli_put_coverage(cli *c, const cli_coverage *v);
json_t *cli_coverage_json(cli *c, const cli_coverage *v);

/* failures.c: prints assertions that fail, and runs to them, as text. */
int cli_put_failures(cli *c, om_model *model, const om_failures *f);
/* As JSON; null if f is NULL. Returns NULL if memory runs out. */
json_t *cli_failures_json(cli *c, const om_model *model, const om_failures *f);

/* The commands */
int cli_run_check(cli *c);
/* properties.c */
int cli_run_properties(cli *c);
int cli_run_explore(cli *c);
int cli_run_replay(cli *c);
int cli_run_show(cli *c);
int cli_run_explain(cli *c);
int cli_run_simulate(cli *c);
int cli_run_empty(cli *c);
int cli_run_translate(cli *c);
int cli_run_strength(cli *c);
int cli_run_convert(cli *c);
int cli_run_draw(cli *c);
/* translate_command.c: translates the formula of the first argument with the selected translator.
 */
int cli_translate(cli *c, om_automaton **out);
/* Returns true if --to accepts this name. */
bool cli_is_kind(const char *name);
/* Returns name i that --to accepts, formats included; NULL after the last. */
const char *cli_to_name(size_t i);
int cli_run_plugins(cli *c);
int cli_run_devices(cli *c);
int cli_run_schema(cli *c);
/* dump.c: --dump of the devices command */
int cli_dump_kernels(cli *c);

#endif
