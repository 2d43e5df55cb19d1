/* SPDX-License-Identifier: Apache-2.0 */
/*
 * External programs and their output. One thread waits for the output and polls the context and the
 * clock. The program and all processes that it started are killed at the end in every case; the
 * program is not reaped before, so that no other program can get its process group.
 */
#define _GNU_SOURCE /* memfd_create(), pipe2() */
#include "child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOK_MS = 10, ERROR_BYTES = 4096, PIECE = 1 << 16 };

typedef struct run {
    om_context *ctx;
    const om_command *how;
    om_command_result *result;
    int in, out[2], err[2]; /* -1: closed or not open */
    pid_t pid;
    bool started, exited;
    uint64_t until_ns;
} run;

static void close_one(int *fd)
{
    if (*fd >= 0)
        (void) close(*fd);
    *fd = -1;
}

static int system_failed(run *r, const char *what)
{
    return om_fail(
        r->ctx, OM_EIO, NULL, "cannot %s '%s': %s", what, r->how->argv[0], strerror(errno));
}

/* Opens a file in memory with the program's input as its contents. */
static int open_input(run *r)
{
    r->in = memfd_create("omen-input", MFD_CLOEXEC);
    if (r->in < 0)
        return system_failed(r, "create the input of");
    for (size_t at = 0; at < r->how->input_length;) {
        ssize_t n = write(r->in, r->how->input + at, r->how->input_length - at);
        if (n < 0 && errno != EINTR)
            return system_failed(r, "write the input of");
        at += n < 0 ? 0 : (size_t) n;
    }
    return lseek(r->in, 0, SEEK_SET) == 0 ? OM_OK : system_failed(r, "rewind the input of");
}

static int start(run *r)
{
    int rc = r->how->input == NULL ? OM_OK : open_input(r);
    if (rc != OM_OK)
        return rc;
    if (pipe2(r->out, O_CLOEXEC) != 0 || pipe2(r->err, O_CLOEXEC) != 0 ||
        fcntl(r->out[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(r->err[0], F_SETFL, O_NONBLOCK) != 0)
        return system_failed(r, "create pipes for");
    om_child_start how = { .argv = r->how->argv, .in = r->in, .out = r->out[1], .err = r->err[1] };
    int error = om_child__start_as(r->how->argv[0], &how, &r->pid);
    if (error != 0) {
        errno = error;
        return system_failed(r, "start");
    }
    r->started = true;
    close_one(&r->out[1]);
    close_one(&r->err[1]);
    return OM_OK;
}

/* Reads the available output, but of standard error only as much as is shown. Closes the pipe at
 * its end. */
static int take(run *r, int *fd, om_text *to, size_t most)
{
    char piece[4096];
    for (size_t taken = 0; *fd >= 0 && taken < PIECE;) {
        ssize_t n = read(*fd, piece, sizeof piece);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return OM_OK;
        if (n <= 0) {
            close_one(fd);
            return OM_OK;
        }
        taken += (size_t) n;
        if (to == &r->result->err && to->length >= most)
            continue;
        om_text_add_n(to, piece, (size_t) n);
        if (to->failed)
            return om_fail_memory(r->ctx);
        if (to == &r->result->out && to->length > most) {
            r->result->end = OM_COMMAND_TOO_MUCH;
            return OM_OK;
        }
    }
    return OM_OK;
}

static void look_at_exit(run *r)
{
    assert(r->started && !r->exited);
    siginfo_t info = { .si_pid = 0 };
    if (waitid(P_PID, (id_t) r->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
        return;
    r->exited = true;
    r->result->end = info.si_code == CLD_EXITED ? OM_COMMAND_EXITED : OM_COMMAND_KILLED;
    r->result->status = info.si_status;
}

/* Runs until the program ends or must end. Output after its end, from processes that it started, is
 * ignored. */
static int follow(run *r)
{
    while (!r->exited && r->result->end == OM_COMMAND_EXITED) {
        struct pollfd ends[] = { { .fd = r->out[0], .events = POLLIN },
            { .fd = r->err[0], .events = POLLIN } };
        (void) poll(ends, 2, LOOK_MS);
        look_at_exit(r); /* before the pipes are drained, so that none of its output is lost */
        size_t before;
        int rc;
        do {
            before = r->result->out.length + r->result->err.length;
            rc = take(r, &r->out[0], &r->result->out, r->how->most_output);
            if (rc == OM_OK)
                rc = take(r, &r->err[0], &r->result->err, ERROR_BYTES);
        } while (rc == OM_OK && r->exited && r->result->end != OM_COMMAND_TOO_MUCH &&
                 r->result->out.length + r->result->err.length != before);
        if (rc == OM_OK)
            rc = om_context_stopped(r->ctx);
        if (rc != OM_OK)
            return rc;
        if (!r->exited && om_clock_ns() > r->until_ns)
            r->result->end = OM_COMMAND_TOO_LONG;
    }
    return OM_OK;
}

int om_command_run(om_context *ctx, const om_command *how, om_command_result *out)
{
    const om_heap *heap = om_context_heap(ctx);
    run r = { .ctx = ctx,
        .how = how,
        .result = out,
        .in = -1,
        .out = { -1, -1 },
        .err = { -1, -1 },
        .until_ns = om_clock_ns() + how->timeout_ns };
    *out = (om_command_result){ .out = { .heap = heap }, .err = { .heap = heap } };
    int rc = start(&r);
    if (rc == OM_OK)
        rc = follow(&r);
    if (r.started)
        om_child__end(r.pid);
    close_one(&r.in);
    for (int i = 0; i < 2; i++) {
        close_one(&r.out[i]);
        close_one(&r.err[i]);
    }
    return rc;
}

void om_command_result_free(om_command_result *r)
{
    om_text_free(&r->out);
    om_text_free(&r->err);
}
