/* SPDX-License-Identifier: Apache-2.0 */
/* load.h: choosing the front end for a file and the translator for formulas. */
#ifndef OMEN_LOAD_H
#define OMEN_LOAD_H

#include <omen/plugin/frontend.h>
#include <omen/host/registry.h>
#include <omen/plugin/translate.h>

/* Chooses the front end for a file name (the file need not exist) by its suffix, or if no front end
 * has that suffix, by the text (NULL: unknown). OM_EUSAGE, with a list of the formats that can be
 * read, if there is none. Any thread. */
OM_API int om_frontend_pick(om_context *ctx, const om_registry *registry, const char *path,
    const char *text, size_t length, const om_frontend **out);

/* Chooses the front end, reads the file and loads it. `named` is "NAME" or "NAME:opt=val,...", or
 * NULL: by suffix, otherwise by content. *frontend (may be NULL) is set to the one used. */
OM_API int om_frontend_load(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_model **out);
/* The same for a Petri net, without bounds of places; the caller frees *out with om_net_free().
 * OM_EUSAGE if the models of the front end are not Petri nets. */
OM_API int om_frontend_load_net(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_net **out);
/* Like om_frontend_load(), and returns the text of the file, NUL-terminated; the caller frees it
 * with om_free(). */
OM_API int om_frontend_load_text(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_model **out, char **text);

/* Translates the formula with the named translator, "NAME", "NAME:opt=val,..." or, if it takes
 * words, "NAME:WORDS"; NULL: the one of highest rank. OM_EUSAGE; OM_ENOMEM; OM_EUNSUPPORTED if
 * there is none; the status of the translator. */
OM_API int om_translate(om_context *ctx, const om_registry *registry, const char *named, om_ltl *l,
    om_ltl_ref f, om_automaton **out);

#endif
