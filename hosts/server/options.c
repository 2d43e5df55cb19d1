/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <stddef.h>
#include <string.h>

const omend_argument options_table[] = {
    { "listen", 0, "ADDRESS:PORT",
        "address (default: 127.0.0.1:8440; port 0: any free port) or unix:PATH",
        offsetof(omend_arguments, listen) },
    { "data", 0, "DIR", "folder of the database and of the jobs (default: current folder)",
        offsetof(omend_arguments, data) },
    { "config", 0, "FILE", "configuration file; options override it",
        offsetof(omend_arguments, config) },
    { "check-config", 0, NULL, "check the configuration and exit",
        offsetof(omend_arguments, check) },
    { "config-keys", 0, NULL, "print a configuration with all keys, their meaning and defaults",
        offsetof(omend_arguments, keys) },
    { "hash-token", 0, NULL, "read a token from standard input; print its hash",
        offsetof(omend_arguments, hash) },
    { "version", 0, NULL, "print the version", offsetof(omend_arguments, version) },
    { "help", 'h', NULL, "print this help", offsetof(omend_arguments, help) },
    { NULL, 0, NULL, NULL, 0 },
};

const omend_signal_text options_signals[] = {
    { "SIGTERM", "start no more jobs and exit after the last running job;\n"
                 "a second SIGTERM: exit at once; running jobs continue, and omend\n"
                 "finds them when it is started again" },
    { "SIGHUP", "read tokens, limits and permissions of jobs from the configuration again" },
    { NULL, NULL },
};

/* Returns the value of an option: after "=", or the next word; NULL if there is none. */
static const char *value_of(int argc, char **argv, int *i, size_t length)
{
    const char *rest = argv[*i] + 2 + length;
    if (*rest == '=')
        return rest + 1;
    return *i + 1 < argc ? argv[++*i] : NULL;
}

static bool is(const omend_argument *o, const char *word)
{
    size_t n = strlen(o->name);
    if (o->letter != 0 && word[0] == '-' && word[1] == o->letter && word[2] == '\0')
        return true;
    return strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, n) == 0 &&
           (word[2 + n] == '\0' || (o->argument != NULL && word[2 + n] == '='));
}

static bool take(omend_arguments *a, const omend_argument *o, int argc, char **argv, int *i)
{
    void *at = (char *) a + o->offset;
    if (o->argument == NULL)
        return *(bool *) at = true;
    return (*(const char **) at = value_of(argc, argv, i, strlen(o->name))) != NULL;
}

int options_read(omend_arguments *a, om_context *ctx, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const omend_argument *o = options_table;
        while (o->name != NULL && !is(o, word))
            o++;
        if (o->name == NULL || !take(a, o, argc, argv, &i))
            return om_fail(ctx, OM_EUSAGE, NULL,
                "no option '%s', or its value is missing (see omend --help)", word);
    }
    return OM_OK;
}

static void put_indented(const char *text, om_text *out)
{
    for (; *text != '\0'; text++) {
        om_text_add_n(out, text, 1);
        if (*text == '\n')
            om_text_add(out, "           ");
    }
}

void options_help(om_text *out)
{
    enum { COLUMN = 26 };
    om_text_add(out, "omend: a model checking server (HTTP)\n\n"
                     "usage: omend [OPTIONS]\n\n");
    for (const omend_argument *o = options_table; o->name != NULL; o++) {
        size_t start = out->length;
        if (o->letter != 0)
            om_text_printf(out, "  -%c, --%s", o->letter, o->name);
        else
            om_text_printf(out, "  --%s", o->name);
        if (o->argument != NULL)
            om_text_printf(out, " %s", o->argument);
        size_t used = out->length - start;
        om_text_printf(out, "%*s%s\n", used < COLUMN ? (int) (COLUMN - used) : 2, "", o->help);
    }
    for (const omend_signal_text *s = options_signals; s->name != NULL; s++) {
        om_text_printf(out, "\n%-9s  ", s->name);
        put_indented(s->help, out);
        om_text_add(out, "\n");
    }
}
