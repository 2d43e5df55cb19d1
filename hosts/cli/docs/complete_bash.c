/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for bash, without other packages. */
#include "docs/document.h"

/* The constant part. _omen_command, _omen_options and _omen_value are made from the tables. */
static const char functions[] =
    "# Sets COMPREPLY to the words that begin as $1 does.\n"
    "_omen_reply() {\n"
    "    local word\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r word; do\n"
    "        if [[ $word == \"$1\"* ]]; then COMPREPLY+=(\"$word\"); fi\n"
    "    done\n"
    "}\n"
    "\n"
    "# Names of plug-ins of a kind; after the name of one, its options.\n"
    "_omen_plugin() {\n"
    "    local before='' names\n"
    "    names=$(\"$omen\" plugins --complete \"$1\" 2>/dev/null) || return 0\n"
    "    case $2 in *:*,*) before=${2%,*}, ;; esac\n"
    "    if [[ -n $before ]]; then\n"
    "        _omen_reply \"$2\" < <(while IFS= read -r name; do\n"
    "            case $name in \"${2%%:*}\":*) printf '%s%s\\n' \"$before\" \"${name#*:}\" ;; "
    "esac\n"
    "        done <<<\"$names\")\n"
    "    else\n"
    "        _omen_reply \"$2\" <<<\"$names\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "_omen() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} omen=${COMP_WORDS[0]} words=() current='' "
    "command=''\n"
    "    local previous='' breaks='' i\n"
    "    read -ra words <<<\"$line\"\n"
    "    case $line in *[[:space:]]) ;; *) current=${words[-1]}; unset 'words[-1]' ;; esac\n"
    "    if ((${#words[@]} > 1)); then command=${words[1]} previous=${words[-1]}; fi\n"
    "    COMPREPLY=()\n"
    "    if ((${#words[@]} < 2)); then\n"
    "        _omen_reply \"$current\" < <(_omen_commands; printf '%s\\n' --help --version)\n"
    "    elif [[ $current == --*=* ]]; then\n"
    "        _omen_value \"$command\" \"${current%%=*}\" \"${current#*=}\"\n"
    "        COMPREPLY=(\"${COMPREPLY[@]/#/${current%%=*}=}\")\n"
    "    elif [[ $previous == --* ]] && _omen_value \"$command\" \"$previous\" \"$current\"; then\n"
    "        :\n"
    "    elif [[ $current == -* ]]; then\n"
    "        _omen_reply \"$current\" < <(_omen_options \"$command\")\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
    "        compopt -o filenames 2>/dev/null\n"
    "    fi\n"
    "    # A name or an option with a value is not complete. Readline replaces only the text after "
    "a colon\n"
    "    # or an equals sign.\n"
    "    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=:] ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "    for i in : =; do\n"
    "        if [[ $COMP_WORDBREAKS == *$i* && $current == *$i* && ${#current} -gt 0 ]]; then\n"
    "            i=${current%\"${current##*\"$i\"}\"}\n"
    "            if ((${#i} > ${#breaks})); then breaks=$i; fi\n"
    "        fi\n"
    "    done\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$breaks\"}\")\n"
    "}\n"
    "complete -F _omen omen\n";

static void put_options(om_text *out)
{
    om_text_add(out, "_omen_options() {\n    case $1 in\n");
    for (const cli_command *const *k = cli_commands; *k != NULL; k++) {
        om_text_printf(out, "    %s) printf '%%s\\n'", (*k)->name);
        for (const cli_option *o = (*k)->options; o->name != NULL; o++)
            om_text_printf(out, " --%s", o->name);
        om_text_add(out, " ;;\n");
    }
    om_text_add(out, "    esac\n}\n\n");
}

static void put_value(const cli_command *k, const cli_option *o, om_text *out)
{
    document_value v = document_value_of(o);
    if (v == VALUE_NONE)
        return;
    om_text_printf(out, "    '%s --%s') ", k->name, o->name);
    if (v == VALUE_WORDS) {
        om_text_add(out, "_omen_reply \"$3\" < <(printf '%s\\n' ");
        document_put_words(o, " ", out);
        om_text_add(out, ") ;;\n");
    } else if (v == VALUE_PLUGIN)
        om_text_printf(out, "_omen_plugin %s \"$3\" ;;\n", document_plugin_kind(o));
    else if (v == VALUE_FILE || v == VALUE_FOLDER)
        om_text_printf(out,
            "mapfile -t COMPREPLY < <(compgen -%c -- \"$3\"); "
            "compopt -o filenames 2>/dev/null ;;\n",
            v == VALUE_FILE ? 'f' : 'd');
    else
        om_text_add(out, "COMPREPLY=() ;;\n");
}

void document_bash(om_text *out)
{
    om_text_add(out, "# Completion of omen for bash, made from the tables of its --help.\n\n"
                     "_omen_commands() {\n    printf '%s\\n'");
    for (const cli_command *const *k = cli_commands; *k != NULL; k++)
        om_text_printf(out, " %s", (*k)->name);
    om_text_add(out, "\n}\n\n");
    put_options(out);
    om_text_add(out,
        "# COMMAND OPTION BEGINNING: sets COMPREPLY; false if the option takes no value.\n"
        "_omen_value() {\n    case \"$1 $2\" in\n");
    for (const cli_command *const *k = cli_commands; *k != NULL; k++)
        for (const cli_option *o = (*k)->options; o->name != NULL; o++)
            put_value(*k, o, out);
    om_text_add(out, "    *) return 1 ;;\n    esac\n    return 0\n}\n\n");
    om_text_add(out, functions);
}
