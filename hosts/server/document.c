/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omend-document: a program of the build, which is not installed. It writes omend's manual page
 * from the tables of --help and --config-keys, and the configuration that is installed.
 *   omend-document man DATE CONFIGURATION FOLDER    omend.8; with the path of omend.conf
 *   omend-document config FOLDER                    omend.conf: each key, as a comment
 */
#include "config.h"
#include "docs/manual_page.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static const char program[] = "omend-document";

static void put_description(om_text *out)
{
    om_text_add(out, "\\fBomend\\fR \\fI[OPTIONS]\\fR\n.SH DESCRIPTION\n");
    manual_put_lines(
        "omend accepts models and properties over HTTP, checks each in a process of its own "
        "(omen, in a sandbox), and keeps the results in a database. In a browser it shows the "
        "queue, the resources, jobs and counterexamples; /openapi.json describes its API. "
        "Without options it uses the current folder and serves this machine only.",
        out);
    om_text_add(out, "\n.SH OPTIONS\n");
    for (const omend_argument *o = options_table; o->name != NULL; o++)
        manual_put_option(o->letter, o->name, o->argument, o->help, out);
    om_text_add(out, ".SH SIGNALS\n");
    for (const omend_signal_text *s = options_signals; s->name != NULL; s++)
        manual_put_row(s->name, s->help, out);
}

static void put_configuration(om_text *out)
{
    omend_key_text key;
    om_text_add(out, ".SH CONFIGURATION\n");
    manual_put_lines(
        "A file has lines `key = value;'; numbers, true and false are written without quotes, "
        "other values in double quotes. A comment begins with #. These are the "
        "keys, with their default values.",
        out);
    om_text_add(out, "\n");
    for (size_t i = 0; settings_key(i, &key); i++) {
        om_text term = { .heap = out->heap };
        om_text_printf(&term, key.quoted ? "%s = \"%s\"" : "%s = %s", key.name, key.value);
        manual_put_row(term.text == NULL ? "" : term.text, key.help, out);
        out->failed = out->failed || term.failed;
        om_text_free(&term);
    }
}

static void put_rest(const char *configuration, om_text *out)
{
    static const char *const files[][2] = { { "omend.db", "jobs, models and results (SQLite)" },
        { "jobs/ID/ATTEMPT", "the output of a job, and how it ended" } };
    static const char *const statuses[][2] = {
        { "0", "success: omend was stopped, or the configuration "
               "is valid" },
        { "2", "wrong usage: an option, or a file or program that does not exist" },
        { "3", "the configuration is wrong, or a file cannot be read or written" },
        { "1", "an internal error" }
    };
    om_text_add(out, ".SH FILES\n");
    manual_put_row(configuration, "the configuration of the systemd unit", out);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        om_text_add(out, ".TP\n\\fIDATA\\fR/");
        manual_put_font('B', files[i][0], out);
        om_text_printf(out, "\n%s\n", files[i][1]);
    }
    om_text_add(out, ".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        manual_put_row(statuses[i][0], statuses[i][1], out);
    om_text_add(out, ".SH SEE ALSO\n\\fBomen\\fR(1),\n\\fBomen\\-check\\fR(1)\n");
}

static int manual(const char *date, const char *configuration, const char *folder)
{
    const manual_page page = { "omend", "8", "System Administration", date,
        "model checker as a service" };
    om_text out = { .heap = om_heap_default() };
    manual_begin(&page, &out);
    put_description(&out);
    put_configuration(&out);
    put_rest(configuration, &out);
    return manual_write_file(program, folder, "omend.8", &out);
}

static int configuration(const char *folder)
{
    om_text out = { .heap = om_heap_default() };
    om_text_add(&out,
        "# Configuration of the unit omend.service. `omend --config FILE --check-config` checks\n"
        "# it; `systemctl reload omend` reads tokens and limits again; all other keys need\n"
        "# `systemctl restart omend`. The unit sets the folder of the data (--data overrides\n"
        "# this file); if omend.socket is enabled, it sets the address that omend listens on.\n\n");
    settings_describe(&out, "#");
    return manual_write_file(program, folder, "omend.conf", &out);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "man") == 0)
        return manual(argv[2], argv[3], argv[4]);
    if (argc == 3 && strcmp(argv[1], "config") == 0)
        return configuration(argv[2]);
    (void) fputs("usage: omend-document man DATE CONFIGURATION FOLDER, config FOLDER\n", stderr);
    return 2;
}
