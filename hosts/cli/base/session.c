/* SPDX-License-Identifier: Apache-2.0 */
#include "base/session.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/safe_text.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Puts a message on one line, whatever text it quotes. */
static void put_message(cli *c, const char *prefix, const char *text)
{
    om_text line = { .heap = c->heap };
    cli_put_plain(&line, text);
    cli_put_message(c, prefix, line.failed ? "out of memory" : line.text);
    om_text_free(&line);
}

static void print_note(void *self, om_note_level level, const char *text)
{
    cli *c = self;
    if (level == OM_NOTE_VERBOSE ? !c->set.verbose : c->set.quiet && level == OM_NOTE_NOTICE)
        return;
    put_message(c, level == OM_NOTE_WARNING ? "warning: " : "", text);
}

int cli_open_registry(cli *c)
{
    return c->registry != NULL ? OM_OK : om_registry_new(&c->registry, c->ctx);
}

void cli_take_notes(cli *c)
{
    om_context_on_note(c->ctx, print_note, c);
}

int cli_open(cli *c)
{
    assert(c->ctx == NULL && c->watcher == NULL); /* S1 */
    int rc = om_context_new(&c->ctx, NULL);
    if (rc != OM_OK)
        return rc;
    c->heap = om_context_heap(c->ctx);
    c->started_ns = om_clock_ns();
    c->error_stream.terminal = isatty(STDERR_FILENO) == 1;
    if (pthread_mutex_init(&c->error_stream.lock, NULL) != 0) {
        om_context_free(c->ctx);
        return OM_ENOMEM;
    }
    c->region.heap = c->heap;
    c->out = (om_text){ .heap = c->heap, .drain = cli_drain, .drain_self = c };
    cli_take_notes(c);
    return OM_OK;
}

int cli_limit(cli *c)
{
    assert(c->watcher == NULL); /* S1 */
    if (c->set.limits.memory_bytes == 0)
        c->set.limits.memory_bytes = om_default_memory_limit();
    om_control_start(om_context_control(c->ctx), &c->set.limits);
    return om_watcher_start(&c->watcher, c->ctx, NULL, NULL);
}

void cli_close(cli *c)
{
    assert(c->given_count <= c->given_room && !c->error_stream.hushed); /* S2, S3 */
    om_watcher_stop(c->watcher);
    om_text_free(&c->out);
    om_region_free(&c->region);
    om_free(c->heap, c->given);
    om_registry_free(c->registry);
    om_context_free(c->ctx);
    (void) pthread_mutex_destroy(&c->error_stream.lock);
}

int cli_failed(cli *c, int rc)
{
    const char *said = om_context_error(c->ctx);
    om_stop_reason reason = om_control_stopped(om_context_control(c->ctx));
    if (*said == '\0' && reason != OM_STOP_NONE)
        said = om_stop_reason_name(reason);
    put_message(c, "", *said == '\0' ? "failed, with no reason given" : said);
    om_context_clear(c->ctx);
    if (c->out.failed) /* the failure has been reported */
        om_text_free(&c->out);
    return om_exit_status(rc);
}

int cli_leave(cli *c, om_plan *plan, int status)
{
    if (plan == NULL || !om_plan_busy(plan))
        return status;
    int rc = cli_flush(c);
    if (rc != OM_OK)
        status = cli_failed(c, rc);
    (void) fflush(NULL);
    _exit(status);
}

void cli_ending_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

void cli_settle(void)
{
    /* Occupies closed standard descriptors, so that no file opened later gets their numbers. Uses
     * of them fail as before: standard input cannot be read, and the others cannot be written. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    /* A closed pipe is an error of write(), with a status of its own. So is the limit on the size
     * of files, also in compilers that omen starts. SIGXFSZ is blocked in addition, because LLVM,
     * which drivers load, does not leave it ignored. */
    sigset_t large;
    (void) signal(SIGPIPE, SIG_IGN);
    (void) signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&large);
    sigaddset(&large, SIGXFSZ);
    (void) pthread_sigmask(SIG_BLOCK, &large, NULL);
}
