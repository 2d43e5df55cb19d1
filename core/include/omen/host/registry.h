/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h: finds, validates and keeps plug-ins. */
#ifndef OMEN_REGISTRY_H
#define OMEN_REGISTRY_H

#include <omen/plugin/plugin.h>

typedef struct om_registry om_registry;

/* A file that was examined: either accepted (reason NULL) or refused with a reason. A named folder
 * that cannot be read has an entry, too. */
typedef struct om_plugin_entry {
    const om_plugin *plugin; /* NULL if refused */
    const char *path;
    const char *reason;
} om_plugin_entry;

/*
 * Searches the folders of $OMEN_PLUGIN_PATH (separated by colons), then the library's own folder
 * (omen/plugins beside the library), and loads every *.so in them. The first plug-in of a kind and
 * name wins; later ones are refused as shadowed. A refused plug-in is not a failure: it is listed.
 *
 * A plug-in is trusted code but may be damaged. Only regular files are opened, and root opens only
 * files that no other user can have put there. A new or changed file is first opened in a child
 * process, which reads its whole descriptor: if that terminates the child or takes seconds, the
 * file is refused. The cache folder keeps the result.
 */
OM_API int om_registry_new(om_registry **out, om_context *ctx);

/* Closes every plug-in; nothing obtained from a plug-in may be used afterwards. */
OM_API void om_registry_free(om_registry *r);

/* Examines one more file in the same way; the last entry has the result. */
OM_API int om_registry_add(om_registry *r, const char *path);

/* The number of files examined, refused ones included, and the i-th of them; NULL if i is too
 * large. */
OM_API size_t om_registry_count(const om_registry *r);
OM_API const om_plugin_entry *om_registry_entry(const om_registry *r, size_t i);

/* Finds the plug-in of a kind and name. OM_EUSAGE, with the nearest name, if there is none. */
OM_API int om_registry_find(
    const om_registry *r, om_plugin_kind kind, const char *name, const om_plugin **out);

/*
 * The same for a user's "NAME" or "NAME:opt=val,...". *options is the text after the colon, or
 * NULL. Errors as om_registry_find(), or OM_ENOMEM.
 */
OM_API int om_registry_find_with(const om_registry *r, om_plugin_kind kind, const char *text,
    const om_plugin **out, const char **options);
/* Parses the values of a plug-in's options (NULL: the defaults), one per option; the caller frees
 * them with om_free(). OM_OK; OM_EUSAGE with the reason; OM_ENOMEM. */
OM_API int om_plugin_options(
    om_context *ctx, const om_plugin *p, const char *options, int64_t **values);

/*
 * Only for omen-probe-plugin, the program that opens plug-ins before this library does: opens each
 * file, reads its descriptor, closes it, and reports each step on the socket.
 */
OM_API void om_registry_probe_for(int socket, char *const *paths, size_t n);

#endif
