/* SPDX-License-Identifier: Apache-2.0 */
/* frontend.h: what a front end (a plug-in that reads models in some language) exports. */
#ifndef OMEN_FRONTEND_H
#define OMEN_FRONTEND_H

#include <omen/plugin/model.h>
#include <omen/plugin/net.h>
#include <omen/plugin/plugin.h>

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
} om_frontend;

#endif
