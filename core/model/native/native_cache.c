/* SPDX-License-Identifier: Apache-2.0 */
#include "native_make.h"

#include "files/cache.h"
#include "files/file.h"
#include "process/object.h"
#include "process/trust.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A new number invalidates everything cached before. */
enum { FORMAT = 3, MOST_BYTES = 1 << 28 };

void om_native__key(om_text *text, const om_cc *c)
{
    om_text_printf(text, "/* %d %s", FORMAT, c->identity);
    for (size_t i = 0; c->flags[i] != NULL; i++)
        om_text_printf(text, " %s", c->flags[i]);
}

/* ---- the cache ---- */

int om_native__kept(om_context *ctx, const om_text *key, void **handle)
{
    om_cache cache;
    unsigned char *body = NULL;
    size_t length = 0;
    int rc = om_cache__open(&cache, ctx, om_cache__native);
    if (rc != OM_OK)
        return rc == OM_ENOMEM ? rc : OM_ESTOP;
    if (om_cache__load(&cache, key, &body, &length)) {
        om_free(cache.heap, body);
        char *path = om_cache__file(&cache, key);
        if (path == NULL)
            rc = OM_ENOMEM;
        else
            *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        om_free(cache.heap, path);
    }
    om_cache__close(&cache);
    return rc == OM_OK && *handle == NULL ? OM_ESTOP : rc;
}

bool om_native__has_cache(om_context *ctx)
{
    om_cache cache;
    const bool has = om_cache__open(&cache, ctx, om_cache__native) == OM_OK;
    if (has)
        om_cache__close(&cache);
    return has;
}

/* ---- compiled objects ---- */

/* Opens the object that the compiler made, if it is complete, and reads a copy of its bytes. */
static int open_object(
    om_context *ctx, const char *path, om_native_object *out, char *why, size_t why_size)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const char *fault = fd < 0 ? "it cannot be opened" : om_object__fault(fd);
    if (fault == NULL) {
        out->bytes = om_file__read(om_context_heap(ctx), fd, MOST_BYTES, &out->size);
        out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        fault = out->bytes == NULL ? "it cannot be read" : out->handle == NULL ? dlerror() : NULL;
    }
    if (fault != NULL)
        (void) snprintf(why, why_size, "the compiled library is unusable: %s", fault);
    if (fd >= 0)
        (void) close(fd);
    return fault == NULL ? OM_OK : OM_EUNSUPPORTED;
}

static int make_in(om_context *ctx, const om_cc *c, const char *folder, const om_file_piece *text,
    om_native_keep *keep, om_native_object *out, char *why, size_t why_size)
{
    const om_heap *heap = om_context_heap(ctx);
    char *source = om_work_folder__path(heap, folder, "model.c");
    char *object = om_work_folder__path(heap, folder, "model.so");
    int rc = OM_ENOMEM;
    if (source == NULL || object == NULL)
        goto done;
    rc = OM_EUNSUPPORTED;
    if (!om_file__write(source, text, 1)) {
        (void) snprintf(why, why_size, "cannot write to %s", folder);
        goto done;
    }
    rc = om_cc__run(ctx, c, &(om_cc_files){ folder, source, object }, keep, why, why_size);
    if (rc == OM_OK)
        rc = open_object(ctx, object, out, why, why_size);
done:
    OM_FREE_ALL(heap, source, object);
    return rc;
}

int om_native__make(om_context *ctx, const om_cc *c, const char *text, size_t length,
    om_native_keep *keep, om_native_object *out, char *why, size_t why_size)
{
    /* An object is at most as large as its text, and so are temporary files. */
    const uint64_t bytes = 4u * (uint64_t) length + (1 << 20);
    const om_heap *heap = om_context_heap(ctx);
    char reason[OM_TRUST_WHY_SIZE];
    om_work_folder work;
    om_native_object made = { 0 };
    int rc = om_cache__work(heap, bytes, &work, reason);
    if (rc == OM_OK)
        rc = make_in(
            ctx, c, work.path, &(om_file_piece){ text, length }, keep, &made, why, why_size);
    else if (rc == OM_EIO) {
        (void) snprintf(why, why_size, "%s", reason);
        rc = OM_EUNSUPPORTED;
    }
    om_work_folder__end(&work);
    if (rc == OM_OK)
        *out = made;
    else {
        om_free(heap, made.bytes);
        if (made.handle != NULL)
            (void) dlclose(made.handle);
    }
    return rc;
}
