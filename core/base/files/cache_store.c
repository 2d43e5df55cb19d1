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
#include "process/trust.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

const char om_cache__native[] = "native", om_cache__opencl[] = "opencl",
           om_cache__plugins[] = "plugins";
const char om_cache__work_name[] = "work";

typedef struct trailer {
    char magic[16];
    uint64_t body, key;
    uint64_t sum[2]; /* of body, key and the trailer before it */
} trailer;

static const char MAGIC[16] = "omen cache 1\n";

/* ---- location ---- */

/* Returns true if the user wants no cache. */
static bool is_off(void)
{
    const char *said = getenv("OMEN_CACHE");
    return said != NULL && strcmp(said, "off") == 0;
}

bool om_cache__place(om_text *out)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (is_off())
        return false;
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

int om_cache__open_folder(om_cache *c, const om_heap *heap, const char *kind, char *why)
{
    om_text place = { .heap = heap };
    *c = (om_cache){ .heap = heap, .folder = -1 };
    bool is_place = om_cache__place(&place);
    c->place = place.text;
    if (place.failed)
        return OM_ENOMEM;
    if (!is_place) {
        (void) snprintf(why, OM_TRUST_WHY_SIZE, "%s",
            is_off() ? "" : "no folder for the cache: HOME is not an absolute path");
        return OM_EIO;
    }
    c->path = om_work_folder__path(c->heap, c->place, kind);
    return c->path == NULL                                           ? OM_ENOMEM
           : om_trust__own_folder(c->path, &c->folder, why) == OM_OK ? OM_OK
                                                                     : OM_EIO;
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
        om_text_printf(&place, "/%s", om_cache__work_name);
        rc = place.failed ? OM_ENOMEM : begin_in(w, heap, place.text, true, bytes, why);
    }
    om_text_free(&place);
    for (size_t i = 0; i < sizeof others / sizeof *others && rc == OM_EIO; i++)
        if (others[i] != NULL && others[i][0] == '/')
            rc = begin_in(w, heap, others[i], false, bytes, why);
    return rc;
}

/* ---- files ---- */

void om_cache__name(const om_text *key, char name[OM_CACHE_NAME_SIZE])
{
    XXH128_hash_t hash = XXH3_128bits(key->text, key->length);
    (void) snprintf(name, OM_CACHE_NAME_SIZE, "%016llx%016llx", (unsigned long long) hash.high64,
        (unsigned long long) hash.low64);
}

char *om_cache__file(const om_cache *c, const om_text *key)
{
    char name[OM_CACHE_NAME_SIZE];
    om_cache__name(key, name);
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

bool om_cache__is_genuine(
    const om_text *key, const unsigned char *file, size_t size, size_t *length)
{
    trailer have, want;
    if (size < sizeof have + key->length)
        return false;
    size_t body = size - sizeof have - key->length;
    if (memcmp(file + body, key->text, key->length) != 0)
        return false;
    memcpy(&have, file + body + key->length, sizeof have);
    want = seal(key, file, body);
    *length = body;
    return memcmp(&have, &want, sizeof have) == 0;
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
    char name[OM_CACHE_NAME_SIZE];
    om_cache__name(key, name);
    (void) unlinkat(c->folder, name, 0);
}
