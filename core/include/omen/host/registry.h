/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h: finds, vets and keeps plug-ins. */
#ifndef OMEN_REGISTRY_H
#define OMEN_REGISTRY_H

#include <omen/plugin/plugin.h>

typedef struct om_registry om_registry;

/* A file that was looked at: either taken (reason NULL) or refused with a reason. A folder that was
 * named and cannot be read has an entry, too. */
typedef struct om_plugin_entry {
    const om_plugin *plugin; /* NULL when refused */
    const char *path;
    const char *reason;
} om_plugin_entry;

/*
 * Looks through the folders of $OMEN_PLUGIN_PATH (colon-separated), then the library's own
 * (omen/plugins beside it), and loads every *.so in them; the first of a kind and name wins, later
 * ones are refused as shadowed. A refused plug-in is no failure: it is listed.
 *
 * A plug-in is trusted, but not to be whole. Only regular files are opened, by root only those that
 * nobody else can have put there. One that is new or has changed is first opened in a child, with
 * all that its descriptor says: where that ends the child or takes it seconds, it is refused. What
 * came of it is remembered in the cache folder.
 */
OM_API int om_registry_new(om_registry **out, om_context *ctx);

/* Closes every plug-in; nothing that came from one may be used afterwards. */
OM_API void om_registry_free(om_registry *r);

/* Looks at one more file, in the same way; the last entry says what came of it. */
OM_API int om_registry_add(om_registry *r, const char *path);

/* Every file that was looked at, refused ones too; NULL where i is too large. */
OM_API size_t om_registry_count(const om_registry *r);
OM_API const om_plugin_entry *om_registry_entry(const om_registry *r, size_t i);

/* The plug-in of that kind and name. OM_EUSAGE, with the nearest name, when there is none. */
OM_API int om_registry_find(
    const om_registry *r, om_plugin_kind kind, const char *name, const om_plugin **out);

/*
 * "NAME" or "NAME:opt=val,...", as a user gives it. *options is what stands behind the colon, or
 * NULL. Failures as om_registry_find() has them, or OM_ENOMEM.
 */
OM_API int om_registry_find_with(const om_registry *r, om_plugin_kind kind, const char *text,
    const om_plugin **out, const char **options);
/* The values of a plug-in's options (NULL: the defaults), one for each and the caller's to
 * om_free(). OM_OK; OM_EUSAGE with what is wrong; OM_ENOMEM. */
OM_API int om_plugin_options(
    om_context *ctx, const om_plugin *p, const char *options, int64_t **values);

/*
 * For omen-probe-plugin, the program that opens plug-ins before this library does, and nobody else:
 * opens each of the files, reads its descriptor, closes it, and says on the socket how far it came.
 */
OM_API void om_registry_probe_for(int socket, char *const *paths, size_t n);

#endif
