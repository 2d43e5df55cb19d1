/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of the cache, with notices; cache_store.c has the rest. */
#include "cache.h"

#include "file.h"
#include "once.h"
#include "process/trust.h"

#include <assert.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Permitted error of the time of last use, which is not written at every use. */
enum { USED_S = 3600, MOST_BYTES = 1 << 29 };

static int sweep(const om_cache *c)
{
    char *work = om_work_folder__path(c->heap, c->place, om_cache__work_name);
    if (work == NULL)
        return OM_ENOMEM;
    om_work_folder__sweep(work, true);
    om_free(c->heap, work);
    return OM_OK;
}

int om_cache__open(om_cache *c, om_context *ctx, const char *kind)
{
    char why[OM_TRUST_WHY_SIZE] = "";
    int rc = om_cache__open_folder(c, om_context_heap(ctx), kind, why);
    c->ctx = ctx;
    if (rc == OM_OK)
        rc = sweep(c);
    if (rc == OM_EIO && why[0] != '\0' && om_context__once(ctx, OM_ONCE_NOT_KEPT))
        om_note(ctx, OM_NOTE_NOTICE, NULL, "compiled code is not cached: %s", why);
    if (rc != OM_OK)
        om_cache__close(c);
    return rc;
}

int om_cache__inspect(om_cache *c, om_context *ctx, const char *kind)
{
    char why[OM_TRUST_WHY_SIZE] = "";
    int rc = om_cache__open_folder(c, om_context_heap(ctx), kind, why);
    c->ctx = ctx;
    if (rc != OM_OK)
        om_cache__close(c);
    return rc;
}

/* The time of last change serves as the time of last use. */
static void mark_used(int fd, const struct stat *st)
{
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) == 0 &&
        (now.tv_sec < st->st_mtim.tv_sec || now.tv_sec - st->st_mtim.tv_sec > USED_S))
        (void) futimens(fd, NULL);
}

bool om_cache__load(const om_cache *c, const om_text *key, unsigned char **body, size_t *length)
{
    assert(c->folder >= 0);
    char name[OM_CACHE_NAME_SIZE], why[OM_TRUST_WHY_SIZE];
    struct stat st;
    size_t size = 0;
    int fd = -1;
    om_cache__name(key, name);
    int rc = om_trust__file(c->folder, name, &fd, why);
    if (rc == OM_EINPUT && om_context__once(c->ctx, OM_ONCE_MADE_ANEW))
        om_note(c->ctx, OM_NOTE_NOTICE, NULL, "%s/%s: it is rebuilt", c->path, why);
    if (rc != OM_OK)
        return false;
    unsigned char *bytes = om_file__read(c->heap, fd, MOST_BYTES, &size);
    bool good = bytes != NULL && om_cache__is_genuine(key, bytes, size, length);
    if (good && fstat(fd, &st) == 0)
        mark_used(fd, &st);
    (void) close(fd);
    if (!good) {
        om_free(c->heap, bytes);
        return false;
    }
    *body = bytes;
    return true;
}

/* ---- single operations ---- */

bool om_cache__load_from(
    om_context *ctx, const char *kind, const om_text *key, unsigned char **body, size_t *length)
{
    om_cache c;
    if (om_cache__open(&c, ctx, kind) != OM_OK)
        return false;
    bool good = om_cache__load(&c, key, body, length);
    om_cache__close(&c);
    return good;
}

void om_cache__store_in(
    om_context *ctx, const char *kind, const om_text *key, const void *body, size_t length)
{
    om_cache c;
    if (om_cache__open(&c, ctx, kind) != OM_OK)
        return;
    om_cache__store(&c, key, body, length);
    om_cache__close(&c);
}

void om_cache__drop_from(om_context *ctx, const char *kind, const om_text *key)
{
    om_cache c;
    if (om_cache__open(&c, ctx, kind) != OM_OK)
        return;
    om_cache__drop(&c, key);
    om_cache__close(&c);
}
