/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_flush(cli *c)
{
    bool bad = c->out.failed;
    errno = 0;
    if (bad)
        return om_fail_memory(c->ctx);
    if (c->out.length != 0)
        bad = fwrite(c->out.text, 1, c->out.length, stdout) != c->out.length;
    om_text_free(&c->out);
    if (fflush(stdout) != 0 || ferror(stdout) != 0 || bad)
        return om_fail(c->ctx, OM_EIO, NULL, "cannot write to standard output: %s",
            errno == 0 ? "an earlier write failed" : strerror(errno));
    return OM_OK;
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length != 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        text += n;
        length -= (size_t) n;
    }
    return 0;
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
                  write_all(fd, text->text == NULL ? "" : text->text, text->length) == 0;
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
