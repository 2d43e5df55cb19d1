/* SPDX-License-Identifier: Apache-2.0 */
/* What devices keep from session to session, in the cache (base/cache.h): programs that were built,
 * and sizes of work that were found best (tune.c). */
#include "cache.h"
#include "devices.h"

int om_kept__key(
    const om_device *d, om_context *ctx, const char *source, const char *options, om_text *key)
{
    key->heap = om_context_heap(ctx);
    om_text_printf(key, "platform %s\nplatform version %s\ndevice %s\nversion %s\ndriver %s\n",
        d->info.platform, d->platform_version, d->info.name, d->info.version, d->info.driver);
    om_text_printf(key, "options %s\n", options);
    om_text_add(key, source);
    return key->failed ? om_fail_memory(ctx) : OM_OK;
}

bool om_kept__load(om_context *ctx, const om_text *key, unsigned char **bytes, size_t *length)
{
    om_cache cache;
    if (om_cache__open(&cache, ctx, om_cache__opencl) != OM_OK)
        return false;
    bool good = om_cache__load(&cache, key, bytes, length);
    om_cache__close(&cache);
    return good;
}

void om_kept__store(om_context *ctx, const om_text *key, const void *bytes, size_t length)
{
    om_cache cache;
    if (om_cache__open(&cache, ctx, om_cache__opencl) != OM_OK)
        return;
    om_cache__store(&cache, key, bytes, length);
    om_cache__close(&cache);
}

void om_kept__drop(om_context *ctx, const om_text *key)
{
    om_cache cache;
    if (om_cache__open(&cache, ctx, om_cache__opencl) != OM_OK)
        return;
    om_cache__drop(&cache, key);
    om_cache__close(&cache);
}
