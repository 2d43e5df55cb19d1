/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is the file "tried" in the folder of om_cache_folder("plugins"): a line with the hash
 * of the rest, and a line for each file, newest first: the hash of what it is known by, a space,
 * and the reason for which it was refused, or nothing. It is written under another name, the same
 * for all, and renamed. What two who do so at once leave behind need not be whole: its hash says
 * so, and the files are tried again.
 */
#include "seen.h"

#include "library.h"
#include "trust.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 8 << 10, MOST_REASON = 1024, HEAD = 29, KEY = 32 };
enum { SETTLED_NS = 100 * 1000 * 1000 };

#define NAME "tried"
#define NEW_NAME "tried.new"

/* What a file is known by; without padding, as it is hashed. */
typedef struct identity {
    uint64_t device, inode, size, mtime_s, mtime_ns, ctime_s, ctime_ns;
} identity;

struct om_seen {
    const om_heap *heap;
    int folder; /* -1: there is no cache */
    identity library;
    bool changed;
    om_text lines; /* the table without its first line */
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
 * one that was changed just now may be yet another one soon. */
static bool is_settled(const struct stat *file)
{
    struct timespec now;
    (void) clock_gettime(CLOCK_REALTIME, &now);
    int64_t s = (int64_t) now.tv_sec - (int64_t) file->st_ctim.tv_sec;
    return s > 1 || s * 1000000000 + now.tv_nsec - file->st_ctim.tv_nsec > SETTLED_NS;
}

/* ---- the file ---- */

/* The first line: a word, the version of the format, and the hash of the lines. */
static void make_head(const om_text *lines, char head[HEAD + 1])
{
    (void) snprintf(head, HEAD + 1, "omen tried 1 %016" PRIx64,
        (uint64_t) XXH3_64bits(lines->length == 0 ? "" : lines->text, lines->length));
}

static bool read_all(int fd, char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t got = read(fd, bytes, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        n -= (size_t) got;
    }
    return true;
}

/* Reads the lines of a file that is whole; else there are none. */
static void read_lines(int fd, om_text *lines)
{
    char bytes[MOST_BYTES], head[HEAD + 1];
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size <= HEAD || st.st_size > MOST_BYTES ||
        !read_all(fd, bytes, (size_t) st.st_size))
        return;
    om_text_add_n(lines, bytes + sizeof head, (size_t) st.st_size - sizeof head);
    make_head(lines, head);
    head[HEAD] = '\n';
    if (memcmp(bytes, head, sizeof head) != 0)
        lines->length = 0;
}

/* More than a process may write ends it with SIGXFSZ. */
static bool may_write(size_t bytes)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur >= bytes;
}

static void write_lines(int folder, const om_text *lines)
{
    char head[HEAD + 1];
    const int how = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    make_head(lines, head);
    head[HEAD] = '\n';
    if (!may_write(sizeof head + lines->length))
        return;
    int fd = openat(folder, NEW_NAME, how, 0600);
    bool good = fd >= 0 && write(fd, head, sizeof head) == (ssize_t) sizeof head &&
                write(fd, lines->text, lines->length) == (ssize_t) lines->length;
    if (fd >= 0 && close(fd) == 0 && good)
        (void) renameat(folder, NEW_NAME, folder, NAME);
}

/* ---- the interface ---- */

int om_seen__open(om_seen **out, om_context *ctx)
{
    const om_heap *heap = om_context_heap(ctx);
    char *path = NULL, why[OM_TRUST_ROOM];
    const char *library = om_library__file();
    struct stat st;
    int fd = -1;
    om_seen *s = om_alloc(heap, 1, sizeof *s);
    if (s == NULL)
        return om_fail_memory(ctx);
    *s = (om_seen){ .heap = heap, .folder = -1, .lines = { .heap = heap } };
    int rc = om_cache_folder(ctx, "plugins", &path);
    if (rc == OM_OK && library != NULL && stat(library, &st) == 0 &&
        om_trust__own_folder(path, &s->folder, why) == OM_OK) {
        s->library = identify(&st);
        if (om_trust__file(s->folder, NAME, &fd, why) == OM_OK) {
            read_lines(fd, &s->lines);
            (void) close(fd);
        }
    }
    om_free(heap, path);
    if (rc == OM_ENOMEM || s->lines.failed) {
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
    /* The oldest are forgotten. */
    while (!lines.failed && lines.length > MOST_BYTES - HEAD - 1)
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
    if (s->folder >= 0) {
        if (s->changed)
            write_lines(s->folder, &s->lines);
        (void) close(s->folder);
    }
    om_text_free(&s->lines);
    om_free(s->heap, s);
}
