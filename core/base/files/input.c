/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading never blocks for longer than GLANCE_MS without checking for a stop of the context: a pipe
 * whose writer sleeps does not outlast a time limit.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, GLANCE_MS = 10 };

/* Returns the descriptor that a path names, or -1. It is not opened again: a socket cannot be, and
 * a pipe need not be. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t n = strlen(folders[i]), digits = strspn(path + strnlen(path, n), "0123456789");
        if (strncmp(path, folders[i], n) == 0 && digits > 0 && digits < 9 &&
            path[n + digits] == '\0')
            return (int) strtol(path + n, NULL, 10);
    }
    return -1;
}

/* Checks the type before open(), which may block or have effects on a file that is not regular. */
static int open_regular(om_context *ctx, const char *path, int *out)
{
    const char *reason = NULL;
    struct stat st;
    int fd = -1, rc = stat(path, &st);
    if (rc == 0 && S_ISDIR(st.st_mode))
        reason = strerror(EISDIR);
    else if (rc == 0 && !S_ISREG(st.st_mode))
        reason = "not a regular file (use - to read from a pipe)";
    else if (rc != 0 || (fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0)
        reason = strerror(errno);
    else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        reason = "no longer a regular file";
    if (reason == NULL) {
        *out = fd;
        return OM_OK;
    }
    rc = om_fail(ctx, OM_EIO, NULL, "cannot open %s: %s", path, reason);
    if (fd >= 0)
        (void) close(fd);
    return rc;
}

int om_input__open(om_input *in, om_context *ctx, const char *path)
{
    int given = descriptor_of(path), fd = given;
    int rc = given >= 0 ? OM_OK : open_regular(ctx, path, &fd);
    if (rc == OM_OK)
        *in = (om_input){ .path = path, .fd = fd, .given = given >= 0 };
    return rc;
}

int om_input__read(const om_input *in, om_context *ctx, char *to, size_t n, size_t *got)
{
    struct pollfd end = { .fd = in->fd, .events = POLLIN };
    for (;;) {
        int rc = om_context_stopped(ctx);
        if (rc != OM_OK)
            return rc;
        int ready = poll(&end, 1, GLANCE_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t done = read(in->fd, to, n);
        if (done < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (done < 0)
            return om_fail(ctx, OM_EIO, NULL, "cannot read %s: %s", in->path, strerror(errno));
        *got = (size_t) done;
        return OM_OK;
    }
}

void om_input__close(om_input *in)
{
    if (in->path != NULL && !in->given)
        (void) close(in->fd);
    in->path = NULL;
}

int om_read_file(om_context *ctx, const char *path, size_t most, char **text, size_t *length)
{
    const om_heap *heap = om_context_heap(ctx);
    char *buffer = NULL;
    size_t capacity = 0, used = 0, got = 1;
    om_input in = { 0 };
    int rc = om_input__open(&in, ctx, path);

    while (rc == OM_OK && got > 0) {
        if (!OM_ROOM(heap, buffer, &capacity, used + CHUNK + 1)) {
            rc = om_fail_memory(ctx);
            break;
        }
        rc = om_input__read(&in, ctx, buffer + used, CHUNK, &got);
        used += rc == OM_OK ? got : 0;
        if (rc == OM_OK && used > most)
            rc = om_fail(ctx, OM_EINPUT, NULL, "%s is larger than %zu bytes", path, most);
    }
    om_input__close(&in);
    if (rc == OM_OK) {
        char *fitting = om_resize(heap, buffer, used + 1, 1);
        buffer = fitting != NULL ? fitting : buffer;
        buffer[used] = '\0';
        *text = buffer;
        *length = used;
        buffer = NULL;
    }
    om_free(heap, buffer);
    return rc;
}
