/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages as man(7) macros. */
#include "docs/document.h"
#include "docs/manual_page.h"

#include <string.h>

/* Descriptions that are not in the tables. A command without an entry has only its summary. */
typedef struct description {
    const char *command, *text;
} description;

static const description descriptions[] = {
    { "check",
        "The model is explored on the fly together with an automaton of the forbidden runs. A "
        "run that is found is replayed by a separate interpreter before it is reported. "
        "Without a property, the model's own properties are checked (omen properties lists "
        "them); if it has none, that there is no deadlock. An assertion that fails during the "
        "search has a verdict of its own. The property is then checked on all runs, which "
        "continue after the failed assertion: it holds if all of them satisfy it, is violated "
        "if a run on which no assertion fails violates it, and is unknown otherwise. --timeout "
        "limits the check of all properties together. The exit status is that of the worst "
        "verdict: a failure, then violated, then unknown." },
    { "empty",
        "The automaton is read from a file in the Hanoi Omega-Automata format or from a never "
        "claim. If it accepts a word, one is printed." },
    { "properties",
        "Each line has the option of omen check that checks this property alone, and its "
        "meaning. Properties that are checked only on request come last." },
    { "explore",
        "All reachable states are counted in breadth-first order. With --output, the state "
        "graph is written, completely or not at all; states are numbered in the order in which "
        "one worker finds them, independently of the number of workers. If an assertion of the "
        "model fails, exploration continues; the places of all failed assertions are listed, "
        "and the exit status is 10." },
    { "mcc", "The folder has model.pnml and the property files in the format of the Model Checking "
             "Contest. Each answer is printed as soon as it is known. FOLDER, EXAMINATION and "
             "--timeout default to the contest's variables BK_INPUT, BK_EXAMINATION and "
             "BK_TIME_CONFINEMENT." },
    { "translate",
        "The automaton accepts the words that satisfy the formula. It is written in the Hanoi "
        "Omega-Automata format unless --to names another." },
    { "convert",
        "The result accepts the same language and has another acceptance condition or format." },
    { "draw",
        "An argument that is not the name of a file is a formula, whose automaton is drawn. "
        "The program dot of Graphviz makes the picture; --to dot prints the graph without it." },
    { "strength",
        "Each strongly connected component is terminal, weak, strong or not accepting. The "
        "automaton is split into three parts, one for each of the first three kinds, which "
        "accept the runs that end in a component of that kind." },
    { "replay",
        "A lasso that a check has written (--lasso run.json) is replayed step by step and "
        "checked against the property recorded in it, or against the given one. With --trail, "
        "a trail of SPIN's verifier is checked and shown." },
    { "show", "The run is read from a lasso that a check has written (--lasso run.json). With a "
              "model, the run is also checked against the property recorded in it." },
    { "explain",
        "The states and propositions that make the run a counterexample are listed. Then the "
        "property is checked again without each transition of the run, to find transitions "
        "without which it would hold." },
    { "simulate",
        "On a terminal, transitions are chosen by keys; the key ? lists them. With --steps, "
        "transitions are chosen at random, and the run is printed." },
    { "plugins",
        "Front ends, translators and checkers are plug-ins: files in lib/omen/plugins next to "
        "the library, and in the folders of OMEN_PLUGIN_PATH. Plug-ins that were refused are "
        "listed with the reason." },
    { "devices",
        "The OpenCL devices are listed with their properties. With --dump, the code that a "
        "device's compiler gets for a model is written." },
    { NULL, NULL },
};

static const char *const environment[][2] = {
    { "OMEN_PLUGIN_PATH", "folders with more plug-ins, separated by colons, searched first" },
    { "OMEN_CC", "the C compiler for models (default: cc)" },
    { "OMEN_CACHE", "off: compiled code is neither kept nor looked for" },
    { "OMEN_BACKGROUND", "off: compilers end with the command that started them" },
    { "OMEN_CACHE_SIZE",
        "maximum size of the compiled code that is kept, such as 200M (default: 1G)" },
    { "XDG_CACHE_HOME", "folder whose subfolder omen keeps compiled code (default: ~/.cache)" },
    { "POCL_CACHE_DIR", "folder in which pocl, an OpenCL driver, keeps compiled code" },
    { "TMPDIR", "folder for temporary files" },
};

static void put_option(const cli_option *o, om_text *out)
{
    om_text argument = { .heap = out->heap };
    if (o->argument != NULL)
        cli_put_argument(o, &argument);
    manual_put_option(o->letter, o->name,
        o->argument == NULL     ? NULL
        : argument.text == NULL ? ""
                                : argument.text,
        o->help, out);
    out->failed = out->failed || argument.failed;
    om_text_free(&argument);
}

static void put_options(const cli_command *k, om_text *out)
{
    for (int group = 0; group < CLI_GROUPS; group++) {
        bool headed = false;
        for (const cli_option *o = k->options; o->name != NULL; o++) {
            if ((int) o->group != group)
                continue;
            if (!headed)
                om_text_printf(out, ".SS %s\n", cli_group_names[group]);
            headed = true;
            put_option(o, out);
        }
    }
}

static void put_status(om_text *out)
{
    static const char *const rows[][2] = { { "0", "all properties hold, or the command succeeded" },
        { "10", "a property is violated, an assertion fails, or the automaton is not empty" },
        { "30", "unknown: a limit was hit, or states were hashed into bits" },
        { "2", "usage: wrong options or arguments" },
        { "3", "bad input, or a file that cannot be read or written" },
        { "1", "an internal error" } };
    om_text_add(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        manual_put_row(rows[i][0], rows[i][1], out);
}

static void put_environment(om_text *out)
{
    om_text_add(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++)
        manual_put_row(environment[i][0], environment[i][1], out);
}

static void put_others(const cli_command *but, om_text *out)
{
    om_text_add(out, ".SH SEE ALSO\n");
    if (but != NULL)
        om_text_add(out, "\\fBomen\\fR(1)");
    const char *before = but != NULL ? ",\n" : "";
    for (const cli_command *const *k = cli_commands; *k != NULL; k++) {
        if (*k == but)
            continue;
        om_text_printf(out, "%s\\fBomen\\-%s\\fR(1)", before, (*k)->name);
        before = ",\n";
    }
    om_text_add(out, "\n");
}

static void put_command(const cli_command *k, om_text *out)
{
    const description *d = descriptions;
    manual_put_font('B', "omen", out);
    om_text_add(out, " ");
    manual_put_font('B', k->name, out);
    om_text_add(out, " ");
    manual_put_font('I', k->arguments[0] == '\0' ? "[OPTIONS]" : k->arguments, out);
    om_text_add(out, "\n.SH DESCRIPTION\n");
    while (d->command != NULL && strcmp(d->command, k->name) != 0)
        d++;
    manual_put_lines(d->command != NULL ? d->text : k->summary, out);
    om_text_add(out, "\n.SH OPTIONS\n");
    put_options(k, out);
    put_status(out);
    if (k->examples[0] == NULL)
        return;
    om_text_add(out, ".SH EXAMPLES\n.nf\n");
    for (size_t i = 0; i < CLI_EXAMPLES && k->examples[i] != NULL; i++) {
        manual_put(k->examples[i], out);
        om_text_add(out, "\n");
    }
    om_text_add(out, ".fi\n");
}

static void put_program(om_text *out)
{
    om_text_add(out, "\\fBomen\\fR \\fICOMMAND\\fR \\fI[ARGUMENTS]\\fR\n.br\n"
                     "\\fBomen\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n.br\n"
                     "\\fBomen \\-\\-version\\fR\n.SH DESCRIPTION\n");
    manual_put_lines(
        "omen reads a model of a concurrent system and checks whether it has a forbidden run: one "
        "that "
        "violates a formula of linear temporal logic or an invariant, is accepted by an automaton, "
        "or ends in a deadlock. Every command has a manual page of its own.",
        out);
    om_text_add(out, "\n.SH COMMANDS\n");
    for (const cli_command *const *k = cli_commands; *k != NULL; k++) {
        om_text_printf(out, ".TP\n\\fBomen %s\\fR ", (*k)->name);
        manual_put_font('I', (*k)->arguments, out);
        om_text_add(out, "\n");
        manual_put((*k)->summary, out);
        om_text_add(out, "\n");
    }
    put_status(out);
}

void document_manual(const cli_command *command, const char *date, om_text *out)
{
    om_text name = { .heap = out->heap };
    om_text_printf(
        &name, "omen%s%s", command == NULL ? "" : "-", command == NULL ? "" : command->name);
    const manual_page page = { name.text == NULL ? "" : name.text, "1", "User Commands", date,
        command == NULL ? "explicit-state model checker for omega-regular properties"
                        : command->summary };
    manual_begin(&page, out);
    if (command == NULL)
        put_program(out);
    else
        put_command(command, out);
    put_environment(out);
    put_others(command, out);
    out->failed = out->failed || name.failed;
    om_text_free(&name);
}
