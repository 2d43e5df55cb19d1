/* SPDX-License-Identifier: Apache-2.0 */
#include "base/output.h"
#include "base/progress.h"
#include "base/safe_text.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 4096, PAUSE_MS = 250 }; /* a pipe with room takes a piece of this size at once */
/* Grace period after the time limit in which a result is still written, in ns. */
enum { GRACE_NS = 250 * 1000 * 1000, MS = 1000 * 1000 };

/* Waits for room. Returns false, with errno set, when a signal that ends the program arrives or the
 * time is over. */
static bool wait_for_room(int fd, uint64_t until_ns)
{
    const struct timespec now = { 0, 0 };
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    sigset_t set;
    cli_ending_signals(&set);
    for (;;) {
        uint64_t clock = until_ns == 0 ? 0 : om_clock_ns(), left = until_ns - clock;
        if (clock > until_ns) {
            errno = ETIME;
            return false;
        }
        bool soon = until_ns != 0 && left < (uint64_t) PAUSE_MS * MS;
        if (poll(&p, 1, soon ? (int) (left / MS) + 1 : PAUSE_MS) != 0)
            return true;
        if (sigtimedwait(&set, NULL, &now) > 0) {
            errno = EINTR;
            return false;
        }
    }
}

int cli_write_all(int fd, const char *text, size_t length, uint64_t until_ns)
{
    while (length != 0) {
        if (!wait_for_room(fd, until_ns))
            return -1;
        ssize_t n = write(fd, text, length < PIECE ? length : PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        assert((size_t) n <= length);
        text += n;
        length -= (size_t) n;
    }
    return 0;
}

uint64_t cli_write_until(const cli *c)
{
    uint64_t now = om_clock_ns(), left = om_control_left_ns(om_context_control(c->ctx));
    return left >= UINT64_MAX - GRACE_NS - now ? 0 : now + left + GRACE_NS;
}

/* Reports why writing failed, from errno. */
static int not_written(cli *c, const char *where)
{
    if (errno == ETIME)
        return om_fail(c->ctx, OM_ELIMIT, NULL,
            "time limit: the result was found, but not all of it was written to %s", where);
    return om_fail(c->ctx, OM_EIO, NULL, "cannot write to %s: %s", where, strerror(errno));
}

/* A destination of output */
typedef struct sink {
    int fd;
    const char *name;
    uint64_t until_ns;
    cli_cut *cut;
} sink;

/* Writes a piece of text in safe form (safe_text.h). `last`: it is the last piece. */
static int write_shown(cli *c, const sink *to, const char *text, size_t length, bool last)
{
    om_text whole = { .heap = c->heap }, safe = { .heap = c->heap };
    int rc = OM_OK;
    assert(to->cut->count < sizeof to->cut->bytes); /* W1 */
    if (to->cut->count == 0 && cli_is_safe(text, length))
        return cli_write_all(to->fd, text, length, to->until_ns) == 0 ? OM_OK
                                                                      : not_written(c, to->name);
    om_text_add_n(&whole, to->cut->bytes, to->cut->count);
    om_text_add_n(&whole, text, length);
    const size_t used = whole.failed ? 0
                                     : cli_add_safe(&safe, whole.text, whole.length,
                                           last ? CLI_SAFE_LAST : CLI_SAFE_MORE);
    if (whole.failed || safe.failed)
        rc = om_fail_memory(c->ctx);
    else {
        assert(used <= whole.length && whole.length - used < sizeof to->cut->bytes); /* W1 */
        assert(!last || used == whole.length);                                       /* W2 */
        to->cut->count = whole.length - used;
        memcpy(to->cut->bytes, whole.text + used, to->cut->count);
    }
    if (rc == OM_OK &&
        cli_write_all(to->fd, safe.text == NULL ? "" : safe.text, safe.length, to->until_ns) != 0)
        rc = not_written(c, to->name);
    om_text_free(&whole);
    om_text_free(&safe);
    return rc;
}

/* Writes the rest of a character that was never completed. */
static int write_cut(cli *c, const sink *to)
{
    return to->cut->count == 0 ? OM_OK : write_shown(c, to, "", 0, true);
}

static sink standard_output(cli *c)
{
    if (c->out_until_ns == 0)
        c->out_until_ns = cli_write_until(c);
    return (sink){ STDOUT_FILENO, "standard output", c->out_until_ns, &c->out_cut };
}

int cli_drain(void *self, const char *text, size_t length)
{
    cli *c = self;
    cli_clear_progress(c, true);
    const sink to = standard_output(c);
    return write_shown(c, &to, text, length, false);
}

bool cli_writable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    return poll(&p, 1, 0) == 1;
}

int cli_flush(cli *c)
{
    int rc = om_text_flush(&c->out);
    const sink to = standard_output(c);
    if (rc == OM_OK)
        rc = write_cut(c, &to);
    assert(rc != OM_OK || c->out_cut.count == 0); /* W2 */
    om_text_free(&c->out);
    c->out_until_ns = 0;
    cli_allow_progress(c);
    return rc == OM_ENOMEM ? om_fail_memory(c->ctx) : rc;
}

static int drain_file(void *self, const char *text, size_t length)
{
    cli_file *f = self;
    const sink to = { f->fd, f->path, f->until_ns, &f->cut };
    return write_shown(f->c, &to, text, length, false);
}

int cli_file_open(cli_file *f, cli *c, const char *path)
{
    *f = (cli_file){ .c = c, .path = path, .fd = -1, .temporary = { .heap = c->heap } };
    f->text = (om_text){ .heap = c->heap, .drain = drain_file, .drain_self = f };
    om_text_printf(&f->temporary, "%s.XXXXXX", path);
    if (f->temporary.failed)
        return om_fail_memory(c->ctx);
    f->until_ns = cli_write_until(c);
    f->fd = mkstemp(f->temporary.text);
    return f->fd >= 0 ? OM_OK : not_written(c, path);
}

int cli_file_close(cli_file *f, int rc)
{
    int flushed = om_text_flush(&f->text);
    if (rc == OM_OK)
        rc = flushed == OM_ENOMEM ? om_fail_memory(f->c->ctx) : flushed;
    const sink to = { f->fd, f->path, f->until_ns, &f->cut };
    if (rc == OM_OK)
        rc = write_cut(f->c, &to);
    assert(rc != OM_OK || f->cut.count == 0);     /* W2 */
    assert(f->fd < 0 || f->temporary.length > 0); /* W3 */
    if (f->fd >= 0) {
        /* mkstemp() makes private files; give the file the usual permissions. */
        mode_t mask = umask(0);
        (void) umask(mask);
        bool kept = rc == OM_OK && fchmod(f->fd, 0666 & ~mask) == 0;
        kept = close(f->fd) == 0 && kept;
        kept = kept && rename(f->temporary.text, f->path) == 0;
        if (rc == OM_OK && !kept)
            rc = not_written(f->c, f->path);
        if (!kept)
            (void) unlink(f->temporary.text);
    }
    om_text_free(&f->text);
    om_text_free(&f->temporary);
    return rc;
}
