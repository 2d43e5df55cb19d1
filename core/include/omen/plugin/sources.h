/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h: what the user says about source text that is preprocessed: macros that are defined
 * before the first line, and the folders that other files may be included from.
 *
 * The host sets it on the root context before it loads a model; front ends whose descriptor has
 * OM_FRONTEND_PREPROCESSED heed it.
 */
#ifndef OMEN_SOURCES_H
#define OMEN_SOURCES_H

#include <omen/plugin/base.h>

typedef struct om_sources {
    const char *const *definitions; /* "NAME", which is 1, or "NAME=TEXT" */
    size_t definition_count;
    const char *const *folders; /* where included files are looked for, after the including one's */
    size_t folder_count;
    const char *const
        *roots; /* folders that files may be included from, beside these and the model's
                 */
    size_t root_count;
} om_sources;

/* Borrows the lists and texts for as long as the context is there. */
OM_API void om_context_set_sources(om_context *ctx, const om_sources *sources);
/* What was set on the root of the context; all counts are 0 if nothing was. Any thread. */
OM_API const om_sources *om_context_sources(const om_context *ctx);

#endif
