/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache (cache.h describes its contents and location). A file is never modified: it is written
 * under a unique name and atomically renamed over the old one, so that readers and writers in any
 * number of processes need no lock. If two processes make the same file at the same time, both
 * succeed.
 *
 * XXH3 detects accidents (a full disk, a truncated file), not attacks: the rule of trust.h, under
 * which no other user can have put the file there, protects against those.
 */
#include "cache.h"

#include "file.h"
#include "once.h"
#include "process/trust.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

const char om_cache__native[] = "native", om_cache__opencl[] = "opencl",
           om_cache__plugins[] = "plugins";
static const char WORK[] = "work";

/* Permitted error of the time of last use, which is not written at every use. */
enum { USED_S = 3600, MOST_BYTES = 1 << 29 };

typedef struct trailer {
    char magic[16];
    uint64_t body, key;
    uint64_t sum[2]; /* of body, key and the trailer before it */
} trailer;

static const char MAGIC[16] = "omen cache 1\n";

/* ---- location ---- */

bool om_cache__place(om_text *out)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache != NULL && cache[0] == '/')
        om_text_printf(out, "%s/omen", cache);
    else if (home != NULL && home[0] == '/')
        om_text_printf(out, "%s/.cache/omen", home);
    else if (home == NULL || home[0] == '\0')
        om_text_printf(out, "/tmp/omen-%ju", (uintmax_t) geteuid());
    else
        return false;
    return true;
}

static int sweep(const om_cache *c)
{
    char *work = om_work_folder__path(c->heap, c->place, WORK);
    if (work == NULL)
        return OM_ENOMEM;
    om_work_folder__sweep(work, true);
    om_free(c->heap, work);
    return OM_OK;
}

/* Opens the folder as om_cache__open() does, without the rest; after a failure the caller closes
 * the cache. */
static int open_folder(om_cache *c, om_context *ctx, const char *kind, char *why)
{
    om_text place = { .heap = om_context_heap(ctx) };
    *c = (om_cache){ .ctx = ctx, .heap = place.heap, .folder = -1 };
    bool is_place = om_cache__place(&place);
    c->place = place.text;
    if (place.failed)
        return OM_ENOMEM;
    if (!is_place) {
        (void) snprintf(
            why, OM_TRUST_WHY_SIZE, "no folder for the cache: HOME is not an absolute path");
        return OM_EIO;
    }
    c->path = om_work_folder__path(c->heap, c->place, kind);
    return c->path == NULL                                           ? OM_ENOMEM
           : om_trust__own_folder(c->path, &c->folder, why) == OM_OK ? OM_OK
                                                                     : OM_EIO;
}

int om_cache__open(om_cache *c, om_context *ctx, const char *kind)
{
    char why[OM_TRUST_WHY_SIZE] = "";
    int rc = open_folder(c, ctx, kind, why);
    if (rc == OM_OK)
        rc = sweep(c);
    if (rc == OM_EIO && om_context__once(ctx, OM_ONCE_NOT_KEPT))
        om_note(ctx, OM_NOTE_NOTICE, NULL, "compiled code is not cached: %s", why);
    if (rc != OM_OK)
        om_cache__close(c);
    return rc;
}

int om_cache__inspect(om_cache *c, om_context *ctx, const char *kind)
{
    char why[OM_TRUST_WHY_SIZE] = "";
    int rc = open_folder(c, ctx, kind, why);
    if (rc != OM_OK)
        om_cache__close(c);
    return rc;
}

void om_cache__close(om_cache *c)
{
    if (c->folder >= 0)
        (void) close(c->folder);
    OM_FREE_ALL(c->heap, c->place, c->path);
    *c = (om_cache){ .folder = -1 };
}

/* Makes a work folder in `parent` if that is trusted and its disk has that number of free bytes. */
static int begin_in(
    om_work_folder *w, const om_heap *heap, const char *parent, bool own, uint64_t bytes, char *why)
{
    struct statvfs fs;
    int folder = -1;
    int rc =
        own ? om_trust__own_folder(parent, &folder, why) : om_trust__folder(parent, &folder, why);
    if (rc != OM_OK)
        return OM_EIO;
    bool enough = fstatvfs(folder, &fs) != 0 || (uint64_t) fs.f_bavail * fs.f_frsize >= bytes;
    (void) close(folder);
    om_work_folder__sweep(parent, own);
    rc = enough ? om_work_folder__begin(w, heap, parent) : OM_EIO;
    if (rc == OM_EIO)
        (void) snprintf(
            why, OM_TRUST_WHY_SIZE, "%s: %s", parent, strerror(enough ? errno : ENOSPC));
    return rc;
}

int om_cache__work(const om_heap *heap, uint64_t bytes, om_work_folder *w, char *why)
{
    const char *const others[] = { getenv("TMPDIR"), "/tmp", "/dev/shm" };
    om_text place = { .heap = heap };
    int rc = OM_EIO;
    *w = (om_work_folder){ .folder = -1, .lock = -1 };
    (void) snprintf(why, OM_TRUST_WHY_SIZE, "no folder for temporary files");
    if (om_cache__place(&place)) {
        om_text_printf(&place, "/%s", WORK);
        rc = place.failed ? OM_ENOMEM : begin_in(w, heap, place.text, true, bytes, why);
    }
    om_text_free(&place);
    for (size_t i = 0; i < sizeof others / sizeof *others && rc == OM_EIO; i++)
        if (others[i] != NULL && others[i][0] == '/')
            rc = begin_in(w, heap, others[i], false, bytes, why);
    return rc;
}

/* ---- files ---- */

enum { NAME_SIZE = 40 };

static void name_of(const om_text *key, char name[NAME_SIZE])
{
    XXH128_hash_t hash = XXH3_128bits(key->text, key->length);
    (void) snprintf(name, NAME_SIZE, "%016llx%016llx", (unsigned long long) hash.high64,
        (unsigned long long) hash.low64);
}

char *om_cache__file(const om_cache *c, const om_text *key)
{
    char name[NAME_SIZE];
    name_of(key, name);
    return om_work_folder__path(c->heap, c->path, name);
}

static trailer seal(const om_text *key, const void *body, size_t length)
{
    trailer t = { .body = length, .key = key->length };
    XXH3_state_t state;
    memcpy(t.magic, MAGIC, sizeof t.magic);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, body, length);
    XXH3_128bits_update(&state, key->text, key->length);
    XXH3_128bits_update(&state, &t, offsetof(trailer, sum));
    XXH128_hash_t sum = XXH3_128bits_digest(&state);
    t.sum[0] = sum.low64;
    t.sum[1] = sum.high64;
    return t;
}

/* Returns true if the bytes are exactly a valid file for the key. */
static bool genuine(const om_text *key, const unsigned char *file, size_t size)
{
    trailer have, want;
    if (size < sizeof have + key->length)
        return false;
    size_t body = size - sizeof have - key->length;
    if (memcmp(file + body, key->text, key->length) != 0)
        return false;
    memcpy(&have, file + body + key->length, sizeof have);
    want = seal(key, file, body);
    return memcmp(&have, &want, sizeof have) == 0;
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
    char name[NAME_SIZE], why[OM_TRUST_WHY_SIZE];
    struct stat st;
    size_t size = 0;
    int fd = -1;
    name_of(key, name);
    int rc = om_trust__file(c->folder, name, &fd, why);
    if (rc == OM_EINPUT && om_context__once(c->ctx, OM_ONCE_MADE_ANEW))
        om_note(c->ctx, OM_NOTE_NOTICE, NULL, "%s/%s: it is rebuilt", c->path, why);
    if (rc != OM_OK)
        return false;
    unsigned char *bytes = om_file__read(c->heap, fd, MOST_BYTES, &size);
    bool good = bytes != NULL && genuine(key, bytes, size);
    if (good && fstat(fd, &st) == 0)
        mark_used(fd, &st);
    (void) close(fd);
    if (!good) {
        om_free(c->heap, bytes);
        return false;
    }
    *length = size - sizeof(trailer) - key->length;
    *body = bytes;
    return true;
}

void om_cache__store(const om_cache *c, const om_text *key, const void *body, size_t length)
{
    const trailer t = seal(key, body, length);
    const om_file_piece pieces[] = { { body, length }, { key->text, key->length },
        { &t, sizeof t } };
    om_work_folder work;
    char why[OM_TRUST_WHY_SIZE];
    char *to = om_cache__file(c, key), *from = NULL;
    if (to != NULL && om_cache__work(c->heap, 0, &work, why) == OM_OK) {
        from = om_work_folder__path(c->heap, work.path, "new");
        if (from != NULL && om_file__write(from, pieces, 3) && rename(from, to) == 0)
            om_cache__trim(c);
        om_work_folder__end(&work);
    }
    OM_FREE_ALL(c->heap, from, to);
}

void om_cache__drop(const om_cache *c, const om_text *key)
{
    assert(c->folder >= 0);
    char name[NAME_SIZE];
    name_of(key, name);
    (void) unlinkat(c->folder, name, 0);
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
