/* SPDX-License-Identifier: Apache-2.0 */
/* frontend.h: what a front end (a plug-in that reads models in some language) exports. */
#ifndef OMEN_FRONTEND_H
#define OMEN_FRONTEND_H

#include <omen/plugin/model.h>
#include <omen/plugin/net.h>
#include <omen/plugin/plugin.h>
#include <omen/plugin/sources.h>

/* Flags of a front end. */
enum {
    OM_FRONTEND_PREPROCESSED = 1, /* load() heeds om_context_sources() */
    OM_FRONTEND_ALL = 1
};

typedef struct om_frontend {
    om_plugin head;
    const char *const *suffixes; /* ".dve", ..., NULL: file names it reads; at most 64 */
    /* Reads a model. `file` is for messages; text is NUL-terminated at `length`. The model is
     * finished. options: one value per head.options entry. May be called by several threads. */
    int (*load)(om_context *ctx, const char *file, const char *text, size_t length,
        const int64_t *options, om_model **out);
    /* Reads an expression over the model's names (an AP, an invariant). Unknown names are errors
     * that suggest the nearest one; `origin` names the text in messages. */
    int (*expression)(om_model *m, const char *origin, const char *text, om_expr *out);
    /* Of a language of Petri nets, or NULL: reads the net that load() makes its model of, without
     * bounds of places. The net is the caller's to om_net_free(). Arguments as those of load(). */
    int (*net)(om_context *ctx, const char *file, const char *text, size_t length,
        const int64_t *options, om_net **out);
    /* Is this the language of the text? Asked about a file of which the name says nothing; NULL:
     * the front end is for files with its suffixes alone. Looks at the text and reports nothing. */
    bool (*recognises)(const char *text, size_t length);
    /* Of a language with a grammar of formulas of its own, or NULL: reads a formula about the model
     * in that grammar and appends it to `out` as om_ltl_parse() reads it, with each proposition in
     * quotes. `origin` names the text in messages. */
    int (*formula)(om_model *m, const char *origin, const char *text, om_text *out);
    uint32_t flags; /* OM_FRONTEND_... */
} om_frontend;

#endif
