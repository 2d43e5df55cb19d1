/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of built programs: one file per key in the folder of om_cache_folder("opencl").
 *
 *     8 bytes    "omencl\0\1": magic and format version
 *     8          length of the key
 *     8          length of the binary
 *     8          checksum over key and binary
 *     ...        key, binary
 *
 * Numbers are in the machine's byte order: a file from another kind of machine fails its checksum
 * or its key. The file's name is a hash of the key, but the whole key is compared, so two programs
 * whose names collide only push each other out. Files are written under a temporary name and
 * renamed, so a reader sees a whole file or none.
 */
#include "devices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char MAGIC[8] = { 'o', 'm', 'e', 'n', 'c', 'l', 0, 1 };
enum { HEADER = 32, MOST = 256 << 20 };

/* FNV-1a, Fowler, Noll, Vo; carried on from `h`. */
static uint64_t fnv(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static const uint64_t FNV_START = 0xcbf29ce484222325u;

int om_cache__key(
    const om_device *d, om_context *ctx, const char *source, const char *options, om_text *key)
{
    key->heap = om_context_heap(ctx);
    om_text_printf(key, "platform %s\nplatform version %s\ndevice %s\nversion %s\ndriver %s\n",
        d->info.platform, d->platform_version, d->info.name, d->info.version, d->info.driver);
    om_text_printf(key, "options %s\n", options);
    om_text_add(key, source);
    return key->failed ? om_fail_memory(ctx) : OM_OK;
}

/* The file of a key; the caller frees it. NULL where there is no cache. */
static char *file_of(om_context *ctx, const om_text *key)
{
    const om_heap *heap = om_context_heap(ctx);
    char *folder = NULL;
    if (om_cache_folder(ctx, "opencl", &folder) != OM_OK)
        return NULL;
    om_text path = { .heap = heap };
    om_text_printf(&path, "%s/%016llx.bin", folder,
        (unsigned long long) fnv(FNV_START, key->text, key->length));
    om_free(heap, folder);
    if (path.failed) {
        om_text_free(&path);
        return NULL;
    }
    return path.text;
}

static uint64_t checksum(const om_text *key, const unsigned char *binary, size_t length)
{
    return fnv(fnv(FNV_START, key->text, key->length), binary, length);
}

/* Reads all of an open file behind its header. */
static bool load_file(
    FILE *file, const om_heap *heap, const om_text *key, unsigned char **binary, size_t *length)
{
    char head[HEADER];
    uint64_t numbers[3];
    char *stored_key = NULL;
    unsigned char *bytes = NULL;
    bool good = false;
    if (fread(head, 1, sizeof head, file) != sizeof head || memcmp(head, MAGIC, 8) != 0)
        return false;
    memcpy(numbers, head + 8, sizeof numbers);
    if (numbers[0] != key->length || numbers[1] == 0 || numbers[1] > MOST)
        return false;
    size_t n = (size_t) numbers[1];
    if ((stored_key = om_alloc(heap, key->length, 1)) == NULL ||
        (bytes = om_alloc(heap, n, 1)) == NULL)
        goto done;
    if (fread(stored_key, 1, key->length, file) != key->length ||
        memcmp(stored_key, key->text, key->length) != 0)
        goto done;
    if (fread(bytes, 1, n, file) != n || fgetc(file) != EOF ||
        checksum(key, bytes, n) != numbers[2])
        goto done;
    *binary = bytes;
    *length = n;
    bytes = NULL;
    good = true;
done:
    om_free(heap, stored_key);
    om_free(heap, bytes);
    return good;
}

bool om_cache__load(om_context *ctx, const om_text *key, unsigned char **binary, size_t *length)
{
    char *path = file_of(ctx, key);
    if (path == NULL)
        return false;
    bool good = false;
    FILE *file = fopen(path, "rbe");
    if (file != NULL) {
        good = load_file(file, om_context_heap(ctx), key, binary, length);
        (void) fclose(file);
    }
    om_free(om_context_heap(ctx), path);
    return good;
}

static bool write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t) done;
    }
    return true;
}

void om_cache__store(
    om_context *ctx, const om_text *key, const unsigned char *binary, size_t length)
{
    const om_heap *heap = om_context_heap(ctx);
    char *path = file_of(ctx, key);
    if (path == NULL)
        return;
    om_text temporary = { .heap = heap };
    om_text_printf(&temporary, "%s.XXXXXX", path);
    int fd = temporary.failed ? -1 : mkstemp(temporary.text);
    if (fd >= 0) {
        char head[HEADER];
        uint64_t numbers[3] = { key->length, length, checksum(key, binary, length) };
        memcpy(head, MAGIC, 8);
        memcpy(head + 8, numbers, sizeof numbers);
        bool good = write_all(fd, head, sizeof head) && write_all(fd, key->text, key->length) &&
                    write_all(fd, binary, length);
        if (close(fd) != 0 || !good || rename(temporary.text, path) != 0)
            (void) unlink(temporary.text);
    }
    om_text_free(&temporary);
    om_free(heap, path);
}

void om_cache__drop(om_context *ctx, const om_text *key)
{
    char *path = file_of(ctx, key);
    if (path != NULL)
        (void) unlink(path);
    om_free(om_context_heap(ctx), path);
}

/* ---- the driver's own cache ---- */

/* The folder as pocl 3.1 picks it. */
static void pocl_folder(om_text *path)
{
    const char *own = getenv("POCL_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own != NULL)
        om_text_add(path, own);
    else if (cache != NULL && cache[0] != '\0')
        om_text_printf(path, "%s/pocl/kcache", cache);
    else if (home != NULL)
        om_text_printf(path, "%s/.cache/pocl/kcache", home);
    else
        om_text_add(path, "/tmp/pocl/kcache");
}

bool om_cache__driver_has_room(const om_heap *heap, const char *platform)
{
    enum { ENOUGH = 32 << 20 }; /* a large model takes a third of it */
    om_text path = { .heap = heap };
    struct statvfs fs;
    char *slash;
    bool enough = true;
    if (strstr(platform, "Portable Computing Language") == NULL)
        return true;
    pocl_folder(&path);
    /* What is not there yet will be made below what is. */
    while (!path.failed && path.text != NULL && statvfs(path.text, &fs) != 0) {
        if (errno != ENOENT || (slash = strrchr(path.text, '/')) == NULL || slash == path.text) {
            om_text_free(&path);
            return true;
        }
        *slash = '\0';
    }
    if (!path.failed && path.text != NULL)
        enough = (uint64_t) fs.f_bavail * fs.f_frsize >= ENOUGH;
    om_text_free(&path);
    return enough;
}
