/* SPDX-License-Identifier: Apache-2.0 */
/* device_cache.h: data that devices keep from session to session: built programs, and the sizes of
 * work that were found best (tune.c). */
#ifndef OM_DEVICE_DEVICE_CACHE_H
#define OM_DEVICE_DEVICE_CACHE_H

#include "device.h"

/* Makes the key of a cached program from all that the program depends on; the caller frees *key. */
int om_device_cache__key(
    const om_device *d, om_context *ctx, const char *source, const char *options, om_text *key);
/* Sets the sizes that an earlier session found best, if there are any. */
void om_device_cache__recall_sizes(om_device *d, om_context *ctx);
/* Makes all later engines of the session begin with these sizes, and later sessions, too. */
void om_device_cache__settle_sizes(om_device *d, om_context *ctx, uint32_t local, uint32_t items);

#endif
