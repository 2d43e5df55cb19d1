/* SPDX-License-Identifier: Apache-2.0 */
/* model_options.h: the options of reading a model, and its loading. */
#ifndef OMEN_CLI_MODEL_OPTIONS_H
#define OMEN_CLI_MODEL_OPTIONS_H

#include "base/options.h"

enum { CLI_SOURCES = 256 };

typedef struct cli_sources {
    const char *at[CLI_SOURCES];
    size_t count;
} cli_sources;

typedef struct cli_model_settings {
    const char *frontend;                    /* "NAME:opt=val,..."; or NULL */
    const char *grown;                       /* the same with more room, by cli_grow(); or NULL */
    cli_sources definitions, folders, roots; /* -D, -I, --include-root */
} cli_model_settings;

cli_set_fn cli_set_define, cli_set_source; /* a cli_sources */

#define CLI_MODEL_OPTIONS(type)                                                                   \
    CLI_ROW("frontend", 0, CLI_MODEL, "NAME[:OPT=N,...]",                                         \
        "front end that reads the model (default: by file name)", cli_set_text,                   \
        CLI_AT(type, model.frontend)),                                                            \
        CLI_ROW("define", 'D', CLI_MODEL, "NAME[=VALUE]",                                         \
            "define a macro of the model, as #define does", cli_set_define,                       \
            CLI_AT(type, model.definitions)),                                                     \
        CLI_ROW("include", 'I', CLI_MODEL, "DIR", "search this folder for included files, too",   \
            cli_set_source, CLI_AT(type, model.folders)),                                         \
        CLI_ROW("include-root", 0, CLI_MODEL, "DIR", "allow files of this folder to be included", \
            cli_set_source, CLI_AT(type, model.roots))

/* Opens the registry, and tells the context about definitions and folders. */
int cli_prepare_loading(cli *c, const cli_model_settings *s);
/* Loads the model of the path. *text (text may be NULL): its text, which the caller frees. */
int cli_load_model(cli *c, const cli_model_settings *s, const char *path,
    const om_frontend **frontend, om_model **out, char **text);
/* Tells the model that cli_grow() is going to be called if the model proves too small, and that it
 * may succeed: searches then end at once in that case. */
void cli_expect_growth(const cli_model_settings *s, const char *file, om_model *model);
/* Makes the next load of the file's model provide more room, after the model proved too small.
 * Returns false if the front end has no option for that, if the user gave that option, or if the
 * file is standard input, which cannot be read again. */
bool cli_grow(cli *c, cli_model_settings *s, const char *file, const om_frontend *frontend,
    const om_model *model);

#endif
