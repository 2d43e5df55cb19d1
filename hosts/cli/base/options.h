/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h: commands and their options.
 *
 * A command has a structure of settings and a table of options, which say where in the structure
 * their values go. Several commands share some options: model_options.h, plan_options.h and
 * property_options.h have structures for these, which are members `model`, `plan` and `properties`
 * of the settings, and macros for their rows in the tables. Help texts, manual pages and completion
 * are made from the tables.
 *
 *  O1  A row's setting is in the command's settings; in cli_settings if its offset is inverted.
 *  O2  A row has one of the groups, and a command at most CLI_POSITIONALS arguments.
 *  O3  The parsed arguments of a line are argv[0 .. at - 1], and at <= argc.
 */
#ifndef OMEN_CLI_OPTIONS_H
#define OMEN_CLI_OPTIONS_H

#include "base/values.h"

#include <stddef.h>

enum { CLI_EXAMPLES = 3 };

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
struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* or 0 */
    cli_group group;
    const char *argument; /* name of the value in help texts; NULL: no value */
    const char *help;
    cli_set_fn *set;
    int at; /* offset of what set() changes, in the command's settings; ~offset: in cli_settings */
};

/* A row of a table; and its last member: a member of the settings, or of cli_settings */
#define CLI_ROW(...) \
    {                \
        __VA_ARGS__  \
    }
#define CLI_AT(type, member) ((int) offsetof(type, member))
#define CLI_SHARED(member) (~(int) offsetof(cli_settings, member))

#define CLI_BOUND_OPTIONS                                                                   \
    CLI_ROW("memory", 0, CLI_LIMITS, "SIZE", "memory, such as 200M (default: 80 % of RAM)", \
        cli_set_size, CLI_SHARED(limits.memory_bytes)),                                     \
        CLI_ROW("timeout", 0, CLI_LIMITS, "TIME",                                           \
            "time, such as 500ms, 10s or 2m (default: no limit)", cli_set_time,             \
            CLI_SHARED(limits.timeout_ns))
#define CLI_JSON_OPTION                                                                     \
    CLI_ROW("json", 0, CLI_OUTPUT, NULL, "print the result as a JSON object", cli_set_flag, \
        CLI_SHARED(json))
#define CLI_PROGRESS_OPTION                                 \
    CLI_ROW("progress", 0, CLI_OUTPUT, "auto|always|never", \
        "show a progress line on standard error", cli_set_choice, CLI_SHARED(progress))
/* These end every table. */
#define CLI_COMMON_OPTIONS                                                                         \
    CLI_ROW("verbose", 'v', CLI_OUTPUT, NULL, "print more", cli_set_flag, CLI_SHARED(verbose)),    \
        CLI_ROW("quiet", 'q', CLI_OUTPUT, NULL, "print less", cli_set_flag, CLI_SHARED(quiet)),    \
        CLI_ROW("help", 'h', CLI_OUTPUT, NULL, "print this help", cli_set_flag, CLI_SHARED(help)), \
        CLI_END
#define CLI_END CLI_ROW(NULL, 0, CLI_OUTPUT, NULL, NULL, NULL, 0)

/* Runs a command with its settings and returns an exit status. */
typedef int cli_run_fn(cli *c, void *settings);

typedef struct cli_command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;
    size_t least, most; /* number of positional arguments */
    const cli_option *options;
    size_t size;                        /* of its settings, which are zeroed at first */
    cli_run_fn *run;                    /* NULL: the command is a helper program */
    const char *needs;                  /* what building the helper program needs; or NULL */
    const char *examples[CLI_EXAMPLES]; /* commands for the demo models; NULL: none */
} cli_command;

/* Returns the option of that name; NULL if the command has none. */
const cli_option *cli_find_option(const cli_command *command, const char *name);
/* OM_OK, or OM_EUSAGE with a message. argv starts after the command. */
int cli_parse(cli *c, const cli_command *command, void *settings, int argc, char **argv);
/* Parses options before the command. *used: number of words that they take. */
int cli_parse_leading(
    cli *c, const cli_command *command, void *settings, int argc, char **argv, int *used);
void cli_help(const cli_command *command, om_text *out);

#endif
