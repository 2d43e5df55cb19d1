/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 4096, PAUSE_MS = 250 }; /* a pipe that has room takes a piece of this size at once */

/* Waits for room; false when a signal that ends the program came meanwhile. */
static bool wait_for_room(int fd)
{
    const struct timespec now = { 0, 0 };
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    sigset_t set;
    cli_ending_signals(&set);
    while (poll(&p, 1, PAUSE_MS) == 0)
        if (sigtimedwait(&set, NULL, &now) > 0) {
            errno = EINTR;
            return false;
        }
    return true;
}

int cli_write_all(int fd, const char *text, size_t length)
{
    while (length != 0) {
        if (!wait_for_room(fd))
            return -1;
        ssize_t n = write(fd, text, length < PIECE ? length : PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        text += n;
        length -= (size_t) n;
    }
    return 0;
}

bool cli_writable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    return poll(&p, 1, 0) == 1;
}

int cli_flush(cli *c)
{
    int rc = OM_OK;
    if (c->out.failed)
        return om_fail_memory(c->ctx);
    if (c->out.length != 0 && cli_write_all(STDOUT_FILENO, c->out.text, c->out.length) != 0)
        rc = om_fail(c->ctx, OM_EIO, NULL, "cannot write to standard output: %s", strerror(errno));
    om_text_free(&c->out);
    return rc;
}

void cli_put_plain(om_text *out, const char *text)
{
    while (*text != '\0') {
        const char *end = text;
        while ((unsigned char) *end >= ' ' && *end != 0x7f)
            end++;
        om_text_add_n(out, text, (size_t) (end - text));
        if (*end != '\0')
            om_text_add(out, *end == '\n' || *end == '\t' || *end == '\r' ? " " : "?");
        text = end + (*end != '\0');
    }
}

int cli_write_file(cli *c, const char *path, const om_text *text)
{
    om_text temporary = { .heap = c->heap };
    int fd = -1, rc = OM_OK;
    bool written = false;
    mode_t mask;

    if (text->failed)
        return om_fail_memory(c->ctx);
    om_text_printf(&temporary, "%s.XXXXXX", path);
    if (temporary.failed) {
        om_text_free(&temporary);
        return om_fail_memory(c->ctx);
    }
    fd = mkstemp(temporary.text);
    if (fd >= 0) {
        /* mkstemp() makes private files; a result is an ordinary one. */
        mask = umask(0);
        (void) umask(mask);
        written = fchmod(fd, 0666 & ~mask) == 0 &&
                  cli_write_all(fd, text->text == NULL ? "" : text->text, text->length) == 0;
        written = close(fd) == 0 && written;
        written = written && rename(temporary.text, path) == 0;
    }
    if (!written) {
        rc = om_fail(c->ctx, OM_EIO, NULL, "cannot write %s: %s", path, strerror(errno));
        if (fd >= 0)
            (void) unlink(temporary.text);
    }
    om_text_free(&temporary);
    return rc;
}

static int add_text(const char *buffer, size_t size, void *self)
{
    om_text *out = self;
    om_text_add_n(out, buffer, size);
    return out->failed ? -1 : 0;
}

int cli_put_json(cli *c, json_t *object, bool indent)
{
    int rc = object == NULL ? -1
                            : json_dump_callback(object, add_text, &c->out,
                                  indent ? JSON_INDENT(1) | JSON_REAL_PRECISION(6)
                                         : JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(object);
    om_text_add(&c->out, "\n");
    return rc == 0 && !c->out.failed ? OM_OK : om_fail_memory(c->ctx);
}
