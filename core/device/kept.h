/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h: what devices keep from session to session: programs that were built, and the sizes of
 * work that were found best (tune.c). */
#ifndef OM_DEVICE_KEPT_H
#define OM_DEVICE_KEPT_H

#include "device.h"

/* What a cached program depends on; the caller frees *key. */
int om_kept__key(
    const om_device *d, om_context *ctx, const char *source, const char *options, om_text *key);
/* What is kept for this key, the caller's to free; false when there is nothing that is whole. */
bool om_kept__load(om_context *ctx, const om_text *key, unsigned char **bytes, size_t *length);
/* Keeps it as well as it can: the cache is a convenience. */
void om_kept__store(om_context *ctx, const om_text *key, const void *bytes, size_t length);
/* Removes what is kept for this key: it turned out to be of no use. */
void om_kept__drop(om_context *ctx, const om_text *key);

/* Sets the sizes that an earlier session found best, if there are any. */
void om_kept__recall_sizes(om_device *d, om_context *ctx);
/* All later engines of the session begin with these sizes, and later sessions, too. */
void om_kept__settle_sizes(om_device *d, om_context *ctx, uint32_t local, uint32_t items);

#endif
