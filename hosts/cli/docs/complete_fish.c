/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for fish. */
#include "docs/document.h"

static const char head[] =
    "# Completion of omen for fish, made from the tables of its --help.\n"
    "\n"
    "# True if the command is the argument; without an argument, if no command is given yet.\n"
    "function __omen_is\n"
    "    set -l words (commandline -opc)\n"
    "    if not set -q argv[1]\n"
    "        test (count $words) -lt 2\n"
    "        return\n"
    "    end\n"
    "    test (count $words) -ge 2; and test \"$words[2]\" = \"$argv[1]\"\n"
    "end\n"
    "\n"
    "# Names of plug-ins of a kind, and their options.\n"
    "function __omen_plugin\n"
    "    set -l omen (commandline -opc)[1]\n"
    "    set -l current (string replace -r '^--[a-z-]+=' '' -- (commandline -ct))\n"
    "    set -l names ($omen plugins --complete $argv[1] 2>/dev/null)\n"
    "    if string match -q '*:*,*' -- $current\n"
    "        set -l name (string split -m 1 : -- $current)[1]\n"
    "        set -l before (string replace -r ',[^,]*$' ',' -- $current)\n"
    "        for option in $names\n"
    "            string match -q \"$name:*\" -- $option\n"
    "            and echo $before(string split -m 1 : -- $option)[2]\n"
    "        end\n"
    "    else\n"
    "        string join \\n -- $names\n"
    "    end\n"
    "end\n"
    "\n";

static void put_quoted(const char *s, om_text *out)
{
    om_text_add(out, "'");
    for (; *s != '\0'; s++) {
        if (*s == '\'' || *s == '\\')
            om_text_add(out, "\\");
        om_text_add_n(out, s, 1);
    }
    om_text_add(out, "'");
}

static void put_option(const cli_command *k, const cli_option *o, om_text *out)
{
    om_text_printf(out, "complete -c omen -n '__omen_is %s' -l %s", k->name, o->name);
    if (o->letter != 0)
        om_text_printf(out, " -s %c", o->letter);
    om_text_add(out, " -d ");
    put_quoted(o->help, out);
    switch (document_value_of(o)) {
    case VALUE_NONE:
        break;
    case VALUE_OTHER:
        om_text_add(out, " -x");
        break;
    case VALUE_WORDS:
        om_text_add(out, " -x -a '");
        document_put_words(o, " ", out);
        om_text_add(out, "'");
        break;
    case VALUE_FILE:
        om_text_add(out, " -r -F");
        break;
    case VALUE_FOLDER:
        om_text_add(out, " -x -a '(__fish_complete_directories)'");
        break;
    case VALUE_PLUGIN:
        om_text_printf(out, " -x -a '(__omen_plugin %s)'", document_plugin_kind(o));
        break;
    }
    om_text_add(out, "\n");
}

void document_fish(om_text *out)
{
    om_text_add(out, head);
    om_text_add(out, "complete -c omen -n __omen_is -f -l help -d 'list the commands'\n"
                     "complete -c omen -n __omen_is -f -l version -d 'print the version'\n");
    for (const cli_command *const *k = cli_commands; *k != NULL; k++) {
        om_text_printf(out, "complete -c omen -n __omen_is -f -a %s -d ", (*k)->name);
        put_quoted((*k)->summary, out);
        om_text_add(out, "\n");
        if ((*k)->most == 0)
            om_text_printf(out, "complete -c omen -n '__omen_is %s' -f\n", (*k)->name);
    }
    for (const cli_command *const *k = cli_commands; *k != NULL; k++)
        for (const cli_option *o = (*k)->options; o->name != NULL; o++)
            put_option(*k, o, out);
}
