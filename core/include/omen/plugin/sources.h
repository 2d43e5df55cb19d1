/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h: user settings for preprocessed source text: macros that are defined before the first
 * line, and the folders from which files may be included.
 *
 * The host sets them on the root context before it loads a model; front ends whose descriptor has
 * OM_FRONTEND_PREPROCESSED use them.
 */
#ifndef OMEN_SOURCES_H
#define OMEN_SOURCES_H

#include <omen/plugin/base.h>

typedef struct om_sources {
    const char *const *definitions; /* "NAME", which is defined as 1, or "NAME=TEXT" */
    size_t definition_count;
    /* Folders that are searched for included files, after the folder of the including file. */
    const char *const *folders;
    size_t folder_count;
    /* Folders that included files may be in, in addition to `folders` and the model's folder. */
    const char *const *roots;
    size_t root_count;
} om_sources;

/* Borrows the lists and texts for the context's life. */
OM_API void om_context_set_sources(om_context *ctx, const om_sources *sources);
/* Returns the settings of the root context; all counts are 0 if none were set. Any thread. */
OM_API const om_sources *om_context_sources(const om_context *ctx);

#endif
