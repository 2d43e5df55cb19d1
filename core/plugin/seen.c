/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table, which is kept in the cache (cache.h), has one line per file, newest first: the hash of
 * the identities of the library and the file, a space, and the reason for the refusal, or nothing.
 */
#include "seen.h"

#include "files/cache.h"
#include "process/library.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_BYTES = 8 << 10, MOST_REASON = 1024, KEY = 32 };
enum { SETTLED_NS = 100 * 1000 * 1000 };

/* The identity of a file; without padding, because it is hashed. */
typedef struct identity {
    uint64_t device, inode, size, mtime_s, mtime_ns, ctime_s, ctime_ns;
} identity;

struct om_seen {
    const om_heap *heap;
    om_cache cache;
    /* Of the table. One table serves all libraries, because the hash of a line includes the
     * library. */
    om_text key;
    bool is_kept; /* there is a cache */
    bool changed;
    identity library;
    om_text lines;
};

/* ---- keys ---- */

static identity identify(const struct stat *st)
{
    return (identity){ (uint64_t) st->st_dev, (uint64_t) st->st_ino, (uint64_t) st->st_size,
        (uint64_t) st->st_mtim.tv_sec, (uint64_t) st->st_mtim.tv_nsec,
        (uint64_t) st->st_ctim.tv_sec, (uint64_t) st->st_ctim.tv_nsec };
}

static void make_key(const om_seen *s, const struct stat *file, char key[KEY + 1])
{
    const identity both[2] = { s->library, identify(file) };
    XXH128_hash_t hash = XXH3_128bits(both, sizeof both);
    (void) snprintf(key, KEY + 1, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

/* A file that is written in place within one tick of the file system's clock keeps its identity:
 * one that has just changed may change again without a trace. */
static bool is_settled(const struct stat *file)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_REALTIME, &now);
    int64_t s = (int64_t) now.tv_sec - (int64_t) file->st_ctim.tv_sec;
    return s > 1 || s * 1000000000 + now.tv_nsec - file->st_ctim.tv_nsec > SETTLED_NS;
}

/* ---- the interface ---- */

static void load(om_seen *s)
{
    unsigned char *body = NULL;
    size_t length = 0;
    if (!om_cache__load(&s->cache, &s->key, &body, &length))
        return;
    om_text_add_n(&s->lines, (const char *) body, length);
    om_free(s->heap, body);
}

int om_seen__open(om_seen **out, om_context *ctx)
{
    const om_heap *heap = om_context_heap(ctx);
    const char *library = om_library__file();
    struct stat st;
    om_seen *s = om_alloc(heap, 1, sizeof *s);
    if (s == NULL)
        return om_fail_memory(ctx);
    *s = (om_seen){ .heap = heap, .key = { .heap = heap }, .lines = { .heap = heap } };
    om_text_add(&s->key, "plug-ins that were tried, 1");
    int rc = om_cache__inspect(&s->cache, ctx, om_cache__plugins);
    s->is_kept = rc == OM_OK && !s->key.failed && library != NULL && stat(library, &st) == 0;
    if (s->is_kept) {
        s->library = identify(&st);
        load(s);
    }
    if (rc == OM_ENOMEM || s->key.failed || s->lines.failed) {
        om_seen__close(s);
        return om_fail_memory(ctx);
    }
    *out = s;
    return OM_OK;
}

bool om_seen__find(const om_seen *s, const struct stat *file, om_text *reason)
{
    char key[KEY + 1];
    make_key(s, file, key);
    for (size_t at = 0; at < s->lines.length;) {
        const char *line = s->lines.text + at;
        size_t length = strcspn(line, "\n");
        if (length > KEY && memcmp(line, key, KEY) == 0) {
            om_text_add_n(reason, line + KEY + 1, length - KEY - 1);
            return true;
        }
        at += length + 1;
    }
    return false;
}

void om_seen__add(om_seen *s, const struct stat *file, const char *reason)
{
    char key[KEY + 1];
    om_text lines = { .heap = s->heap };
    size_t length = reason == NULL ? 0 : strlen(reason);
    if (!is_settled(file) || length > MOST_REASON ||
        (length > 0 && memchr(reason, '\n', length) != NULL))
        return;
    make_key(s, file, key);
    om_text_printf(&lines, "%s %s\n", key, reason == NULL ? "" : reason);
    om_text_add_n(&lines, s->lines.length == 0 ? "" : s->lines.text, s->lines.length);
    /* Drops the oldest entries. */
    assert(lines.failed || lines.text[lines.length - 1] == '\n');
    while (!lines.failed && lines.length > MOST_BYTES)
        do
            lines.length--;
        while (lines.text[lines.length - 1] != '\n');
    if (lines.failed)
        om_text_free(&lines);
    else {
        om_text_free(&s->lines);
        s->lines = lines;
        s->changed = true;
    }
}

void om_seen__close(om_seen *s)
{
    if (s == NULL)
        return;
    if (s->is_kept && s->changed)
        om_cache__store(&s->cache, &s->key, s->lines.text, s->lines.length);
    om_cache__close(&s->cache);
    om_text_free(&s->key);
    om_text_free(&s->lines);
    om_free(s->heap, s);
}
