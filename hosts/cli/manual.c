/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages as man(7) macros. */
#include "document.h"
#include "manual_page.h"

#include <string.h>

/* Contents of a page that are not in the tables. A command without an entry has only its
 * summary. */
typedef struct more {
    const char *command, *text, *example;
} more;

static const more mores[] = {
    { "check",
        "The model is explored together with an automaton of the runs that are forbidden, on the "
        "fly. A run that is found is replayed by an interpreter of its own before it is reported. "
        "Without a property, all that the model brings along are checked (omen properties lists "
        "them), or else that there is no deadlock. An assertion that fails on the way has a "
        "verdict of its own; the property then holds if it does on all runs, which go on there, is "
        "violated if a run on which no assertion fails shows that, and is unknown else. --timeout "
        "is for all properties together. The exit status is that of the worst: a failure, then "
        "violated, then unknown.",
        "omen check mutex.dve --ltl 'G(P_0.waiting -> F P_0.critical)'" },
    { "empty",
        "The automaton is read from a file in the Hanoi Omega-Automata format, or that is a never "
        "claim. Where it accepts a word, one is printed.",
        "omen empty automaton.hoa" },
    { "properties",
        "Each line has the option of omen check that checks this property alone, and what it says. "
        "Those that are checked only if they are asked for come last.",
        "omen properties model.pml" },
    { "explore",
        "All states that can be reached are counted, breadth-first. With --output, the state graph "
        "is written, whole or not at all; states are numbered as one worker meets them, whatever "
        "the number of workers was. If an assertion of the model fails, exploration goes on; the "
        "places where one fails are listed, and the exit status is 10.",
        "omen explore mutex.dve --output graph.aut" },
    { "mcc",
        "The folder has model.pnml and the property files, as the contest gives them. Answers are "
        "printed in its lines as soon as they are known. FOLDER, EXAMINATION and --timeout may "
        "come from the contest's variables BK_INPUT, BK_EXAMINATION and BK_TIME_CONFINEMENT.",
        "omen mcc Kanban-PT-00005 LTLFireability --timeout 1m" },
    { "translate",
        "The automaton accepts the words on which the formula holds. It is written in the Hanoi "
        "Omega-Automata format, unless --to asks for another.",
        "omen translate 'G(request -> F grant)' --to never" },
    { "convert",
        "The automaton keeps its language, and gets another acceptance condition or format.",
        "omen convert automaton.hoa --to ba" },
    { "draw",
        "What is no file is a formula, whose automaton is drawn. The program dot of Graphviz makes "
        "the picture; without it, --to dot prints the graph.",
        "omen draw 'G(request -> F grant)' > automaton.svg" },
    { "strength",
        "Each strongly connected component is terminal, weak, strong or does not accept; the three "
        "parts of the automaton have the runs that each of the first three kinds accepts.",
        "omen strength automaton.hoa --to dot" },
    { "replay",
        "A lasso that a check has written (--lasso run.json) is run again step by step, and held "
        "against the property that it says it is about, or against the one that is given. So is a "
        "trail of SPIN's verifier, with --trail, which is also shown.",
        "omen replay mutex.dve run.json" },
    { "plugins",
        "Front ends, translators and checkers are plug-ins: files in lib/omen/plugins beside the "
        "library, and in the folders of OMEN_PLUGIN_PATH. Those that were refused are listed, too.",
        NULL },
    { "devices", "OpenCL devices, and what can be used of them.", NULL },
    { NULL, NULL, NULL },
};

static const char *const environment[][2] = {
    { "OMEN_PLUGIN_PATH", "folders with more plug-ins, separated by colons; they come first" },
    { "OMEN_CC", "the C compiler for models (default: cc)" },
    { "OMEN_CACHE_SIZE", "how much compiled code may be kept, such as 200M (default: 1G)" },
    { "XDG_CACHE_HOME", "compiled code is kept in its folder omen (default: ~/.cache)" },
    { "POCL_CACHE_DIR", "where pocl, an OpenCL driver, keeps its own" },
    { "TMPDIR", "for temporary files" },
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

static void put_status(om_text *out)
{
    static const char *const rows[][2] = { { "0", "all properties hold, or all went well" },
        { "10", "a property is violated or an assertion fails, or the automaton is not empty" },
        { "30", "unknown: a limit was hit, or states were hashed into bits" },
        { "2", "usage: options, or something that is not there" },
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
    for (const cli_command *k = cli_commands; k->name != NULL; k++) {
        if (k == but)
            continue;
        om_text_printf(out, "%s\\fBomen\\-%s\\fR(1)", before, k->name);
        before = ",\n";
    }
    om_text_add(out, "\n");
}

static void put_command(const cli_command *k, om_text *out)
{
    const more *m = mores;
    manual_put_font('B', "omen", out);
    om_text_add(out, " ");
    manual_put_font('B', k->name, out);
    om_text_add(out, " ");
    manual_put_font('I', k->arguments[0] == '\0' ? "[OPTIONS]" : k->arguments, out);
    om_text_add(out, "\n.SH DESCRIPTION\n");
    while (m->command != NULL && strcmp(m->command, k->name) != 0)
        m++;
    manual_put_lines(m->command != NULL ? m->text : k->summary, out);
    om_text_add(out, "\n.SH OPTIONS\n");
    for (const cli_option *o = k->options; o->name != NULL; o++)
        put_option(o, out);
    put_status(out);
    if (m->command != NULL && m->example != NULL) {
        om_text_add(out, ".SH EXAMPLES\n.nf\n");
        manual_put(m->example, out);
        om_text_add(out, "\n.fi\n");
    }
}

static void put_program(om_text *out)
{
    om_text_add(out, "\\fBomen\\fR \\fICOMMAND\\fR \\fI[ARGUMENTS]\\fR\n.br\n"
                     "\\fBomen\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR\n.br\n"
                     "\\fBomen \\-\\-version\\fR\n.SH DESCRIPTION\n");
    manual_put_lines(
        "omen reads a model of a concurrent system and finds out whether it has a run that is "
        "forbidden: by a formula of linear temporal logic, an automaton, an invariant, or because "
        "it ends in a deadlock. Every command has a page of its own.",
        out);
    om_text_add(out, "\n.SH COMMANDS\n");
    for (const cli_command *k = cli_commands; k->name != NULL; k++) {
        om_text_printf(out, ".TP\n\\fBomen %s\\fR ", k->name);
        manual_put_font('I', k->arguments, out);
        om_text_add(out, "\n");
        manual_put(k->summary, out);
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
