/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <stddef.h>
#include <string.h>

const om_argument options_table[] = {
    { "listen", 0, "ADDRESS:PORT", "where (default: 127.0.0.1:8440); unix:PATH; port 0: a free one",
        offsetof(om_arguments, listen) },
    { "data", 0, "DIR", "the folder of the database and of the jobs (default: this one)",
        offsetof(om_arguments, data) },
    { "config", 0, "FILE", "the configuration; options go before it",
        offsetof(om_arguments, config) },
    { "check-config", 0, NULL, "read it, say what is wrong, and end",
        offsetof(om_arguments, check) },
    { "config-keys", 0, NULL, "a configuration with all keys, what they mean, and their defaults",
        offsetof(om_arguments, keys) },
    { "hash-token", 0, NULL, "read a token from standard input; print what the configuration has",
        offsetof(om_arguments, hash) },
    { "version", 0, NULL, "which one this is", offsetof(om_arguments, version) },
    { "help", 'h', NULL, "this text", offsetof(om_arguments, help) },
    { NULL, 0, NULL, NULL, 0 },
};

const om_signal_text options_signals[] = {
    { "SIGTERM", "no job is begun any more, and omend ends with the last one that runs;\n"
                 "a second one ends it at once: jobs go on, and are found when omend is\n"
                 "started again" },
    { "SIGHUP", "the configuration is read again: tokens, limits, and what jobs may do" },
    { NULL, NULL },
};

/* Returns the value of an option: after "=", or the next word; NULL if there is none. */
static const char *value_of(int argc, char **argv, int *i, size_t length)
{
    const char *behind = argv[*i] + 2 + length;
    if (*behind == '=')
        return behind + 1;
    return *i + 1 < argc ? argv[++*i] : NULL;
}

static bool is(const om_argument *o, const char *word)
{
    size_t n = strlen(o->name);
    if (o->letter != 0 && word[0] == '-' && word[1] == o->letter && word[2] == '\0')
        return true;
    return strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, n) == 0 &&
           (word[2 + n] == '\0' || (o->argument != NULL && word[2 + n] == '='));
}

static bool take(om_arguments *a, const om_argument *o, int argc, char **argv, int *i)
{
    void *at = (char *) a + o->offset;
    if (o->argument == NULL)
        return *(bool *) at = true;
    return (*(const char **) at = value_of(argc, argv, i, strlen(o->name))) != NULL;
}

int options_read(om_arguments *a, om_context *ctx, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const om_argument *o = options_table;
        while (o->name != NULL && !is(o, word))
            o++;
        if (o->name == NULL || !take(a, o, argc, argv, &i))
            return om_fail(ctx, OM_EUSAGE, NULL,
                "there is no option '%s', or it needs a value (omend --help)", word);
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
    om_text_add(out, "omend: checks models for whoever sends them over HTTP\n\n"
                     "usage: omend [OPTIONS]\n\n");
    for (const om_argument *o = options_table; o->name != NULL; o++) {
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
    for (const om_signal_text *s = options_signals; s->name != NULL; s++) {
        om_text_printf(out, "\n%-9s  ", s->name);
        put_indented(s->help, out);
        om_text_add(out, "\n");
    }
}
