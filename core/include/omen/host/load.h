/* SPDX-License-Identifier: Apache-2.0 */
/* load.h: the front end for a file, and the translator for formulas, of those that there are. */
#ifndef OMEN_LOAD_H
#define OMEN_LOAD_H

#include <omen/plugin/frontend.h>
#include <omen/host/registry.h>
#include <omen/plugin/translate.h>

/* The front end for a file of that name, which need not be there, by its suffix; where that says
 * nothing, by its text (NULL: not known). OM_EUSAGE, with what can be read, where there is none.
 * Any thread. */
OM_API int om_frontend_pick(om_context *ctx, const om_registry *registry, const char *path,
    const char *text, size_t length, const om_frontend **out);

/* Picks the front end, reads the file, loads it. `named` is "NAME" or "NAME:opt=val,...", or NULL:
 * by suffix, else by what the file holds. *frontend (may be NULL) is the one used. */
OM_API int om_frontend_load(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_model **out);
/* The same for a Petri net, without bounds of places; *out is the caller's to om_net_free().
 * OM_EUSAGE where the front end reads models that are none. */
OM_API int om_frontend_load_net(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_net **out);
/* The same, with the text that was read, NUL-terminated, the caller's to om_free(). */
OM_API int om_frontend_load_text(om_context *ctx, const om_registry *registry, const char *named,
    const char *path, const om_frontend **frontend, om_model **out, char **text);

/* Has the formula translated by the translator that is named, "NAME", "NAME:opt=val,..." or, where
 * it takes words, "NAME:WORDS", or by (NULL) the one of highest rank. OM_EUSAGE; OM_ENOMEM;
 * OM_EUNSUPPORTED where there is none; what the translator returns. */
OM_API int om_translate(om_context *ctx, const om_registry *registry, const char *named, om_ltl *l,
    om_ltl_ref f, om_automaton **out);

#endif
