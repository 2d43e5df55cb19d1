/* SPDX-License-Identifier: Apache-2.0 */
/* frontend.h: the descriptor of a front end (a plug-in that reads models in some language). */
#ifndef OMEN_FRONTEND_H
#define OMEN_FRONTEND_H

#include <omen/plugin/model.h>
#include <omen/plugin/net.h>
#include <omen/plugin/plugin.h>
#include <omen/plugin/sources.h>

/* Flags of a front end. */
enum {
    OM_FRONTEND_PREPROCESSED = 1, /* load() uses om_context_sources() */
    OM_FRONTEND_ALL = 1
};

typedef struct om_frontend {
    om_plugin head;
    const char *const *suffixes; /* ".dve", ..., NULL: suffixes of its files; at most 64 */
    /* Reads a model and finishes it. `file` is for messages; text is NUL-terminated at `length`.
     * options: one value per head.options entry. Several threads may call it. */
    int (*load)(om_context *ctx, const char *file, const char *text, size_t length,
        const int64_t *options, om_model **out);
    /* Reads an expression over the model's names (an AP, an invariant). The error for an unknown
     * name suggests the nearest one; `origin` identifies the text in messages. */
    int (*expression)(om_model *m, const char *origin, const char *text, om_expr *out);
    /* For languages of Petri nets, otherwise NULL: reads the net from which load() makes its model,
     * without bounds of places. The caller frees it with om_net_free(). Arguments as for load(). */
    int (*net)(om_context *ctx, const char *file, const char *text, size_t length,
        const int64_t *options, om_net **out);
    /* Returns true if the text is in this language; called for files without a known suffix. NULL:
     * the front end reads only files with its suffixes. Inspects the text only and reports
     * nothing. */
    bool (*recognises)(const char *text, size_t length);
    /* For languages with a formula grammar of their own, otherwise NULL: reads a formula about the
     * model in that grammar and appends it to `out` in the syntax of om_ltl_parse(), with each
     * proposition quoted. `origin` identifies the text in messages. */
    int (*formula)(om_model *m, const char *origin, const char *text, om_text *out);
    uint32_t flags; /* OM_FRONTEND_... */
} om_frontend;

#endif
