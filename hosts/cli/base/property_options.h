/* SPDX-License-Identifier: Apache-2.0 */
/* property_options.h: the options that name properties. */
#ifndef OMEN_CLI_PROPERTY_OPTIONS_H
#define OMEN_CLI_PROPERTY_OPTIONS_H

#include "base/options.h"

/* The option recorded in a lasso instead of "ltl" for a formula in omen's own grammar */
#define CLI_OWN_GRAMMAR "ltl-omen"

enum { CLI_PROPERTIES = 1024 };

/* A property to check */
typedef struct cli_property {
    om_property_kind kind;
    const char *option; /* "ltl", "never", ...: as recorded in a lasso */
    const char *text;   /* borrowed; NULL if the kind has none */
} cli_property;

/* The value of --spelling */
typedef struct cli_spelling {
    om_ltl_spelling as;
    bool given;
} cli_spelling;

typedef struct cli_properties {
    cli_property at[CLI_PROPERTIES];
    size_t count;
    const char *progress_states; /* of --non-progress; or NULL */
    cli_spelling spelling;
} cli_properties;

cli_set_fn cli_set_property, cli_set_progress_states; /* a cli_properties */
cli_set_fn cli_set_spelling;                          /* a cli_spelling */

#define CLI_PROPERTY_OPTIONS(type)                                                              \
    CLI_ROW("ltl", 0, CLI_PROPERTY, "FORMULA",                                                  \
        "the formula holds on every run; properties may be repeated", cli_set_property,         \
        CLI_AT(type, properties)),                                                              \
        CLI_ROW("ltl-file", 0, CLI_PROPERTY, "FILE", "as --ltl, with the formula in a file",    \
            cli_set_property, CLI_AT(type, properties)),                                        \
        CLI_ROW("spelling", 0, CLI_PROPERTY, "omen|spin|psl",                                   \
            "grammar of formulas (default: the model language's)", cli_set_spelling,            \
            CLI_AT(type, properties.spelling)),                                                 \
        CLI_ROW("never", 0, CLI_PROPERTY, "FILE",                                               \
            "the automaton (HOA or never claim) accepts no run", cli_set_property,              \
            CLI_AT(type, properties)),                                                          \
        CLI_ROW("property", 0, CLI_PROPERTY, "NAME",                                            \
            "the model's property of that name (see omen properties)", cli_set_property,        \
            CLI_AT(type, properties)),                                                          \
        CLI_ROW("assertions", 0, CLI_PROPERTY, NULL, "no assertion of the model fails",         \
            cli_set_property, CLI_AT(type, properties)),                                        \
        CLI_ROW("deadlock", 0, CLI_PROPERTY, NULL, "every reachable state has a successor",     \
            cli_set_property, CLI_AT(type, properties)),                                        \
        CLI_ROW("non-progress", 0, CLI_PROPERTY, NULL,                                          \
            "every infinite run makes progress infinitely often", cli_set_property,             \
            CLI_AT(type, properties)),                                                          \
        CLI_ROW("progress-states", 0, CLI_PROPERTY, "EXPR",                                     \
            "states that make progress (default: the model's labels)", cli_set_progress_states, \
            CLI_AT(type, properties)),                                                          \
        CLI_ROW("invariant", 0, CLI_PROPERTY, "EXPR",                                           \
            "the expression is true in every reachable state", cli_set_property,                \
            CLI_AT(type, properties))

/* After parsing: gives --progress-states to --non-progress, which it may precede, and --spelling to
 * the formulas and the plan. OM_OK, or OM_EUSAGE with a message. */
int cli_complete_properties(cli *c, cli_properties *all, om_plan_options *plan);
/* Adds a property of the model. OM_OK; OM_ENOMEM; OM_EUSAGE: too many. */
int cli_add_own(cli *c, cli_properties *all, const om_own_property *own);
/* Fills a property from "OPTION=TEXT" or "OPTION", as recorded in a lasso, and borrows the text.
 * Sets the plan's grammar of formulas. */
int cli_recorded_property(cli *c, const char *recorded, om_plan_options *plan, cli_property *out);

#endif
