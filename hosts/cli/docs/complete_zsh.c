/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for zsh, with _arguments. */
#include "docs/document.h"

#include <string.h>

static const char head[] = "#compdef omen\n"
                           "# Completion of omen for zsh, made from the tables of its --help.\n"
                           "\n"
                           "# Names of plug-ins of a kind, and their options.\n"
                           "_omen_plugin() {\n"
                           "    local -a names\n"
                           "    local before=''\n"
                           "    names=(${(f)\"$($omen plugins --complete $1 2>/dev/null)\"})\n"
                           "    if [[ $PREFIX == *:*,* ]]; then\n"
                           "        before=${PREFIX%,*},\n"
                           "        names=(${${(M)names:#${PREFIX%%:*}:*}#*:})\n"
                           "        names=($before$^names)\n"
                           "    fi\n"
                           "    compadd -S '' -- ${(M)names:#*[=:]}\n"
                           "    compadd -- ${names:#*[=:]}\n"
                           "}\n"
                           "\n"
                           "_omen() {\n"
                           "    local omen=${words[1]} context state state_descr line\n"
                           "    typeset -A opt_args\n"
                           "    local -a commands\n"
                           "    commands=(\n";

static const char tail[] = "    esac\n"
                           "}\n"
                           "\n"
                           "_omen \"$@\"\n";

/* Escapes text for single quotes, in a description in brackets or after a colon. */
static void put_escaped(const char *s, om_text *out)
{
    for (; *s != '\0'; s++) {
        if (*s == '\'')
            om_text_add(out, "'\\''");
        else {
            if (strchr("[]:\\", *s) != NULL)
                om_text_add(out, "\\");
            om_text_add_n(out, s, 1);
        }
    }
}

static void put_action(const cli_option *o, om_text *out)
{
    switch (document_value_of(o)) {
    case VALUE_WORDS: {
        om_text words = { .heap = out->heap };
        document_put_words(o, " ", &words);
        om_text_add(out, "(");
        put_escaped(words.text == NULL ? "" : words.text, out);
        om_text_add(out, ")");
        out->failed = out->failed || words.failed;
        om_text_free(&words);
        break;
    }
    case VALUE_PLUGIN:
        om_text_printf(out, " _omen_plugin %s", document_plugin_kind(o));
        break;
    case VALUE_FILE:
        om_text_add(out, "_files");
        break;
    case VALUE_FOLDER:
        om_text_add(out, "_files -/");
        break;
    default:
        break;
    }
}

static void put_option(const cli_option *o, om_text *out)
{
    om_text_add(out, "            '");
    if (o->letter != 0 && o->argument != NULL)
        om_text_printf(out, "*'{-%c+,--%s=}'[", o->letter, o->name);
    else if (o->letter != 0)
        om_text_printf(out, "(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
    else
        om_text_printf(out, "*--%s%s[", o->name, o->argument != NULL ? "=" : "");
    put_escaped(o->help, out);
    om_text_add(out, "]");
    if (o->argument != NULL) {
        om_text_add(out, ":");
        put_escaped(o->argument, out);
        om_text_add(out, ":");
        put_action(o, out);
    }
    om_text_add(out, "' \\\n");
}

void document_zsh(om_text *out)
{
    om_text_add(out, head);
    for (const cli_command *const *k = cli_commands; *k != NULL; k++) {
        om_text_printf(out, "        '%s:", (*k)->name);
        put_escaped((*k)->summary, out);
        om_text_add(out, "'\n");
    }
    om_text_add(out, "    )\n"
                     "    if ((CURRENT == 2)); then\n"
                     "        _describe -t commands command commands\n"
                     "        compadd -- --help --version\n"
                     "        return\n"
                     "    fi\n"
                     "    shift words\n"
                     "    ((CURRENT--))\n"
                     "    case ${words[1]} in\n");
    for (const cli_command *const *k = cli_commands; *k != NULL; k++) {
        om_text_printf(out, "    %s)\n        _arguments \\\n", (*k)->name);
        for (const cli_option *o = (*k)->options; o->name != NULL; o++)
            put_option(o, out);
        om_text_add(
            out, (*k)->most == 0 ? "        ;;\n" : "            '*:file:_files'\n        ;;\n");
    }
    om_text_add(out, tail);
}
