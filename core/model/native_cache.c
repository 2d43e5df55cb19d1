/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is looked for or made. */
typedef struct job {
    om_context *ctx;
    const om_heap *heap;
    const char *text;
    size_t length;
    om_compiler compiler;
    XXH128_hash_t key;
    const om_control *control; /* or NULL */
    bool kept_only;
    char *why;
    size_t why_size;
} job;

typedef struct trailer {
    char magic[16];
    uint64_t object, text;
    uint64_t key[2], sum[2];
} trailer;

static const char magic[16] = "omen native 1\n";

/* ---- the key and the trailer ---- */

static void make_key(job *j)
{
    XXH3_state_t state;
    uint32_t format = OM_NATIVE_FORMAT;
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, &format, sizeof format);
    XXH3_128bits_update(&state, j->compiler.identity, strlen(j->compiler.identity) + 1);
    for (size_t i = 0; om_compiler__flags[i] != NULL; i++)
        XXH3_128bits_update(&state, om_compiler__flags[i], strlen(om_compiler__flags[i]) + 1);
    XXH3_128bits_update(&state, j->text, j->length);
    j->key = XXH3_128bits_digest(&state);
}

/* The trailer of a file that starts with this object. */
static trailer seal(const job *j, const void *object, size_t size)
{
    trailer t = { .object = size, .text = j->length, .key = { j->key.low64, j->key.high64 } };
    XXH3_state_t state;
    memcpy(t.magic, magic, sizeof magic);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, object, size);
    XXH3_128bits_update(&state, j->text, j->length);
    XXH3_128bits_update(&state, t.key, sizeof t.key);
    XXH128_hash_t sum = XXH3_128bits_digest(&state);
    t.sum[0] = sum.low64;
    t.sum[1] = sum.high64;
    return t;
}

/* Is this what a file for the job would have to be? */
static bool genuine(const job *j, const char *file, size_t size)
{
    trailer have, want;
    if (size < sizeof have + j->length)
        return false;
    size_t object = size - sizeof have - j->length;
    if (memcmp(file + object, j->text, j->length) != 0)
        return false;
    memcpy(&have, file + object + j->length, sizeof have);
    want = seal(j, file, object);
    return memcmp(&have, &want, sizeof have) == 0;
}

/* ---- files ---- */

/* The bytes of a file, or NULL; no message, since all this is optional. */
static char *slurp(const om_heap *heap, const char *path, size_t *size)
{
    struct stat st;
    char *bytes = NULL;
    size_t got = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        bytes = om_alloc(heap, (size_t) st.st_size, 1);
    while (bytes != NULL && got < (size_t) st.st_size) {
        ssize_t n = read(fd, bytes + got, (size_t) st.st_size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        got += (size_t) n;
    }
    (void) close(fd);
    if (bytes != NULL && got < (size_t) st.st_size) {
        om_free(heap, bytes);
        return NULL;
    }
    *size = got;
    return bytes;
}

/* Writes two pieces behind what is in the file (made if need be). */
static bool append(const char *path, const void *a, size_t an, const void *b, size_t bn)
{
    FILE *f = fopen(path, "ab");
    if (f == NULL)
        return false;
    bool ok = fwrite(a, 1, an, f) == an && fwrite(b, 1, bn, f) == bn;
    return (fclose(f) == 0) && ok;
}

/* folder/name, in fresh memory, or NULL */
static char *join(const om_heap *heap, const char *folder, const char *name)
{
    om_text path = { .heap = heap };
    om_text_printf(&path, "%s/%s", folder, name);
    if (path.failed)
        om_text_free(&path);
    return path.text;
}

/* ---- open what is there ---- */

static void *open_library(const job *j, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        (void) snprintf(j->why, j->why_size, "%s", dlerror());
    return handle;
}

static void *open_cached(const job *j, const char *path)
{
    size_t size = 0;
    void *handle = NULL;
    char *file = slurp(j->heap, path, &size);
    if (file != NULL && genuine(j, file, size))
        handle = open_library(j, path);
    om_free(j->heap, file);
    return handle;
}

/* ---- build ---- */

/* Puts text and trailer behind the object. */
static bool finish_file(const job *j, const char *object)
{
    size_t size = 0;
    char *bytes = slurp(j->heap, object, &size);
    if (bytes == NULL)
        return false;
    trailer t = seal(j, bytes, size);
    om_free(j->heap, bytes);
    return append(object, j->text, j->length, &t, sizeof t);
}

/* Compiles in `work` and opens the result, moved to `keep` (may be NULL) where that can be done. */
static int build_in(const job *j, const char *work, const char *keep, void **handle)
{
    char *source = join(j->heap, work, "model.c"), *object = join(j->heap, work, "model.so");
    int rc = OM_ENOMEM;
    if (source == NULL || object == NULL)
        goto done;
    if (!append(source, j->text, j->length, "", 0)) {
        (void) snprintf(j->why, j->why_size, "cannot write to %s", work);
        rc = OM_EUNSUPPORTED;
        goto done;
    }
    rc = om_compiler__run(
        j->heap, j->control, &j->compiler, work, source, object, j->why, j->why_size);
    if (rc != OM_OK)
        goto done;
    const char *at = object;
    if (keep != NULL && finish_file(j, object) && rename(object, keep) == 0)
        at = keep;
    *handle = open_library(j, at);
    rc = *handle == NULL ? OM_EUNSUPPORTED : OM_OK;
done:
    if (source != NULL)
        (void) unlink(source);
    if (object != NULL)
        (void) unlink(object);
    om_free(j->heap, source);
    om_free(j->heap, object);
    return rc;
}

/* Removes a folder with what a compiler that was killed left there. */
static void sweep(const char *work)
{
    DIR *d = opendir(work);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void) unlinkat(dirfd(d), e->d_name, 0);
    if (d != NULL)
        (void) closedir(d);
    (void) rmdir(work);
}

static int build(const job *j, const char *folder, const char *keep, void **handle)
{
    char *work = join(j->heap, folder, "omen-XXXXXX");
    int rc = OM_ENOMEM;
    if (work == NULL)
        return rc;
    if (mkdtemp(work) == NULL) {
        (void) snprintf(j->why, j->why_size, "cannot write to %s", folder);
        rc = OM_EUNSUPPORTED;
    } else {
        rc = build_in(j, work, keep, handle);
        sweep(work);
    }
    om_free(j->heap, work);
    return rc;
}

/* The cache, where there is one. */
static int from_cache(const job *j, void **handle)
{
    char *folder = NULL, *path = NULL, name[48];
    (void) snprintf(name, sizeof name, "%016llx%016llx.so", (unsigned long long) j->key.high64,
        (unsigned long long) j->key.low64);
    int rc = om_cache_folder(j->ctx, "native", &folder);
    if (rc != OM_OK) {
        (void) snprintf(j->why, j->why_size, "no cache folder");
        return rc == OM_ENOMEM ? rc : OM_EUNSUPPORTED;
    }
    path = join(j->heap, folder, name);
    if (path == NULL)
        rc = OM_ENOMEM;
    else if ((*handle = open_cached(j, path)) == NULL)
        rc = j->kept_only ? OM_ESTOP : build(j, folder, path, handle);
    om_free(j->heap, path);
    om_free(j->heap, folder);
    return rc;
}

int om_native__load(const om_native_order *order, const char *text, size_t length, void **handle,
    char *why, size_t why_size)
{
    job j = { .ctx = order->ctx,
        .heap = om_context_heap(order->ctx),
        .text = text,
        .length = length,
        .control = om_context_control(order->ctx),
        .kept_only = order->kept_only,
        .why = why,
        .why_size = why_size };
    const char *folders[] = { getenv("TMPDIR"), "/tmp", "/dev/shm" };
    int rc = om_compiler__find(&j.compiler, why, why_size);
    if (rc != OM_OK)
        return rc;
    make_key(&j);
    rc = from_cache(&j, handle);
    if (rc == OM_EUNSUPPORTED && j.kept_only)
        return OM_ESTOP; /* there is no cache */
    for (size_t i = 0; i < sizeof folders / sizeof *folders && rc == OM_EUNSUPPORTED; i++)
        if (folders[i] != NULL && folders[i][0] == '/')
            rc = build(&j, folders[i], NULL, handle);
    return rc;
}
