/* SPDX-License-Identifier: Apache-2.0 */
#include "device_cache.h"

#include "files/cache.h"

#include <string.h>

int om_device_cache__key(
    const om_device *d, om_context *ctx, const char *source, const char *options, om_text *key)
{
    key->heap = om_context_heap(ctx);
    om_text_printf(key, "platform %s\nplatform version %s\ndevice %s\nversion %s\ndriver %s\n",
        d->info.platform, d->platform_version, d->info.name, d->info.version, d->info.driver);
    om_text_printf(key, "options %s\n", options);
    om_text_add(key, source);
    return key->failed ? om_fail_memory(ctx) : OM_OK;
}

/* ---- sizes of work ---- */

/* The cached value, the "binary" of the cache. */
typedef struct sizes {
    uint32_t local, items;
} sizes;

enum { LARGEST_LOCAL = 1024, LARGEST_ITEMS = 1 << 24 };

static int make_key(const om_device *d, om_context *ctx, om_text *key)
{
    return om_device_cache__key(d, ctx, "sizes of work, 1\n", "", key);
}

void om_device_cache__recall_sizes(om_device *d, om_context *ctx)
{
    om_text key = { .heap = NULL };
    unsigned char *bytes = NULL;
    size_t length = 0;
    sizes s = { 0, 0 };
    if (make_key(d, ctx, &key) == OM_OK &&
        om_cache__load_from(ctx, om_cache__opencl, &key, &bytes, &length)) {
        if (length == sizeof s) {
            memcpy(&s, bytes, sizeof s);
            d->tuned = s.local > 0 && s.local <= LARGEST_LOCAL && s.items >= s.local &&
                       s.items <= LARGEST_ITEMS && (!d->per_size || s.local == d->local);
        }
        if (d->tuned) {
            d->local = s.local;
            d->most_items = s.items;
        } else
            om_cache__drop_from(ctx, om_cache__opencl, &key);
    }
    om_free(om_context_heap(ctx), bytes);
    om_text_free(&key);
}

void om_device_cache__settle_sizes(om_device *d, om_context *ctx, uint32_t local, uint32_t items)
{
    const sizes s = { local, items };
    om_text key = { .heap = NULL };
    pthread_mutex_lock(&d->owner->lock);
    d->local = s.local;
    d->most_items = s.items;
    d->info.work_group = s.local;
    d->info.work_items = s.items;
    d->info.tuned = d->tuned = true;
    pthread_mutex_unlock(&d->owner->lock);
    if (make_key(d, ctx, &key) == OM_OK)
        om_cache__store_in(ctx, om_cache__opencl, &key, (const unsigned char *) &s, sizeof s);
    om_text_free(&key);
}
