/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-document: a program of the build, which is not installed. It writes manual pages and
 * completion of shells from the tables of --help.
 *   omen-document man DATE FOLDER    omen.1, omen-check.1, ...
 *   omen-document bash|zsh|fish FOLDER    omen, _omen, omen.fish
 */
#include "docs/document.h"
#include "automata/automata.h"
#include "docs/manual_page.h"

#include <stdio.h>
#include <string.h>

static const char program[] = "omen-document";

static bool is(const cli_option *o, const char *name)
{
    return strcmp(o->name, name) == 0;
}

document_value document_value_of(const cli_option *o)
{
    const char *a = o->argument;
    if (a == NULL)
        return VALUE_NONE;
    if (strncmp(a, "NAME[:OPT", 9) == 0)
        return VALUE_PLUGIN;
    if (strcmp(a, "FILE") == 0)
        return VALUE_FILE;
    if (strcmp(a, "DIR") == 0 || strcmp(a, "FOLDER") == 0)
        return VALUE_FOLDER;
    return strcmp(a, "KIND") == 0 || strchr(a, '|') != NULL ? VALUE_WORDS : VALUE_OTHER;
}

/* Adds the literal words of "auto|none|KIND|N[,N]". */
static void put_literals(const char *argument, const char *between, om_text *out)
{
    const char *before = "";
    while (*argument != '\0') {
        size_t n = strcspn(argument, "|");
        if (strspn(argument, "abcdefghijklmnopqrstuvwxyz-") >= n) {
            om_text_add(out, before);
            om_text_add_n(out, argument, n);
            before = between;
        }
        argument += n + (argument[n] == '|');
    }
}

void document_put_words(const cli_option *o, const char *between, om_text *out)
{
    if (strcmp(o->argument, "KIND") != 0) {
        put_literals(o->argument, between, out);
        if (is(o, "device"))
            om_text_printf(out, "%scpu%sgpu%shost", between, between, between);
        return;
    }
    for (size_t i = 0; cli_to_name(i) != NULL; i++)
        om_text_printf(out, "%s%s", i == 0 ? "" : between, cli_to_name(i));
}

const char *document_plugin_kind(const cli_option *o)
{
    return is(o, "frontend") ? "frontend" : is(o, "translator") ? "translator" : "checker";
}

static int manuals(const om_heap *heap, const char *date, const char *folder)
{
    om_text page = { .heap = heap };
    document_manual(NULL, date, &page);
    int status = manual_write_file(program, folder, "omen.1", &page);
    for (const cli_command *const *k = cli_commands; *k != NULL && status == 0; k++) {
        char name[64];
        (void) snprintf(name, sizeof name, "omen-%s.1", (*k)->name);
        document_manual(*k, date, &page);
        status = manual_write_file(program, folder, name, &page);
    }
    return status;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *shell, *file;
        void (*put)(om_text *out);
    } shells[] = { { "bash", "omen", document_bash }, { "zsh", "_omen", document_zsh },
        { "fish", "omen.fish", document_fish } };
    const om_heap *heap = om_heap_default();
    om_text text = { .heap = heap };

    if (argc == 4 && strcmp(argv[1], "man") == 0)
        return manuals(heap, argv[2], argv[3]);
    for (size_t i = 0; argc == 3 && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(argv[1], shells[i].shell) == 0) {
            shells[i].put(&text);
            return manual_write_file(program, argv[2], shells[i].file, &text);
        }
    (void) fputs("usage: omen-document man DATE FOLDER, bash|zsh|fish FOLDER\n", stderr);
    return 2;
}
