/* SPDX-License-Identifier: Apache-2.0 */
/* plan_options.h: the options of a plan: checkers, device, fairness, store. Their settings are an
 * om_plan_options; cli_new_plan() adds the limits. */
#ifndef OMEN_CLI_PLAN_OPTIONS_H
#define OMEN_CLI_PLAN_OPTIONS_H

#include "base/options.h"

cli_set_fn cli_set_finite_runs, cli_set_fair; /* an om_plan_options; the others set a member */
cli_set_fn cli_set_device, cli_set_verify, cli_set_store, cli_set_threads;

#define CLI_FINITE_RUNS_OPTION(type)                                                  \
    CLI_ROW("finite-runs", 0, CLI_PROPERTY, "stutter|ignore",                         \
        "a run that ends repeats its last state, or is ignored", cli_set_finite_runs, \
        CLI_AT(type, plan))
#define CLI_FAIRNESS_OPTIONS(type)                                          \
    CLI_ROW("fairness", 0, CLI_PROPERTY, "none|weak|strong",                \
        "process fairness that is assumed (default: none)", cli_set_choice, \
        CLI_AT(type, plan.fairness)),                                       \
        CLI_ROW("fair", 0, CLI_PROPERTY, "FORMULA",                         \
            "assume this, too: GF p -> GF q; may be repeated", cli_set_fair, CLI_AT(type, plan))
#define CLI_TRANSLATOR_OPTION(group, type, member)      \
    CLI_ROW("translator", 0, group, "NAME[:OPT=N,...]", \
        "translator of LTL; cmd:COMMAND: an external program", cli_set_text, CLI_AT(type, member))
#define CLI_CHECKER_OPTIONS(type)                                                               \
    CLI_ROW("checker", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the whole automaton",    \
        cli_set_text, CLI_AT(type, plan.checker)),                                              \
        CLI_ROW("terminal", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the terminal part", \
            cli_set_text, CLI_AT(type, plan.terminal)),                                         \
        CLI_ROW("weak", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the weak part",         \
            cli_set_text, CLI_AT(type, plan.weak)),                                             \
        CLI_ROW("strong", 0, CLI_SEARCH, "NAME[:OPT=N,...]", "checker for the strong part",     \
            cli_set_text, CLI_AT(type, plan.strong)),                                           \
        CLI_ROW("schedule", 0, CLI_SEARCH, "auto|concurrent|sequential",                        \
            "check the parts concurrently, or one after another", cli_set_choice,               \
            CLI_AT(type, plan.schedule)),                                                       \
        CLI_ROW("seed", 0, CLI_SEARCH, "N",                                                     \
            "seed of the order of successors in a swarm (default: 0)", cli_set_seed,            \
            CLI_AT(type, plan.seed))
#define CLI_ORDER_OPTIONS(type)                                                      \
    CLI_ROW("search", 0, CLI_SEARCH, "auto|bfs|dfs|best|walk",                       \
        "order of the search for a bad state (default: by turns)", cli_set_choice,   \
        CLI_AT(type, plan.search)),                                                  \
        CLI_ROW("guide", 0, CLI_SEARCH, "NAME[:OPT=N,...]",                          \
            "what best-first goes by (default: all guides that help)", cli_set_text, \
            CLI_AT(type, plan.guide))
#define CLI_DEVICE_OPTION(type)                                                     \
    CLI_ROW("device", 0, CLI_SEARCH, "auto|none|all|KIND|N[,N]",                    \
        "cpu, gpu, host or a number (auto: a GPU joins long runs)", cli_set_device, \
        CLI_AT(type, plan.device))
#define CLI_VERIFY_OPTION(type)                                                   \
    CLI_ROW("verify-device", 0, CLI_SEARCH, "N|all|again",                        \
        "states to expand again on the CPU; again: search twice", cli_set_verify, \
        CLI_AT(type, plan.verify))
#define CLI_STORE_OPTIONS(type)                                                         \
    CLI_ROW("exec", 0, CLI_SEARCH, "auto|native|vm", "how the CPU computes successors", \
        cli_set_choice, CLI_AT(type, plan.exec)),                                       \
        CLI_ROW("store", 0, CLI_SEARCH, "plain|tree",                                   \
            "how states are stored (default: tree, which is smaller)", cli_set_store,   \
            CLI_AT(type, plan.store))
#define CLI_RESET_OPTION(dflt, type)                                                   \
    CLI_ROW("reset-dead", 0, CLI_SEARCH, "on|off",                                     \
        "reset variables that are not read again (default: " dflt ")", cli_set_switch, \
        CLI_AT(type, plan.reset_dead))
#define CLI_MERGE_OPTION(dflt, type)                                                     \
    CLI_ROW("merge", 0, CLI_SEARCH, "on|off",                                            \
        "merge steps that concern only one process (default: " dflt ")", cli_set_switch, \
        CLI_AT(type, plan.merge))
#define CLI_POR_OPTION(dflt, type)                                                   \
    CLI_ROW("por", 0, CLI_SEARCH, "auto|off|on|always",                              \
        "leave out orders of independent steps (default: " dflt ")", cli_set_choice, \
        CLI_AT(type, plan.por))
#define CLI_OVERFLOW_OPTION(type, member)                                       \
    CLI_ROW("overflow", 0, CLI_MODEL, "wrap|error",                             \
        "values that do not fit wrap (default), or are errors", cli_set_choice, \
        CLI_AT(type, member))
#define CLI_LIMIT_OPTIONS(type)                                                        \
    CLI_ROW("threads", 0, CLI_LIMITS, "N", "workers on the CPU (default: all cores)",  \
        cli_set_threads, CLI_AT(type, plan.threads)),                                  \
        CLI_BOUND_OPTIONS,                                                             \
        CLI_ROW("max-states", 0, CLI_LIMITS, "N", "stored states (default: no limit)", \
            cli_set_count, CLI_SHARED(limits.max_states))

/* Returns "tree" or "plain", the values of --store. */
const char *cli_store_name(om_store_kind kind);
/* Returns true if compilers may go on after a command: unless the environment has
 * OMEN_BACKGROUND=off, or this process has a limit on memory or processor time, which they would
 * evade. */
bool cli_leaves_compilers(void);
/* Makes a plan with these options and the session's limits. frontend and model may be NULL. */
int cli_new_plan(cli *c, const om_plan_options *options, const om_frontend *frontend,
    om_model *model, om_plan **out);

#endif
