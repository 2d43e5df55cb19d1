/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
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

void cli_take_notes(cli *c)
{
    om_context_on_note(c->ctx, print_note, c);
}

int cli_open(cli *c)
{
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
    c->grown.heap = c->heap;
    c->out = (om_text){ .heap = c->heap, .drain = cli_drain, .drain_self = c };
    cli_take_notes(c);
    return OM_OK;
}

int cli_limit(cli *c)
{
    om_limits *limits = &c->set.plan.limits;
    if (limits->memory_bytes == 0)
        limits->memory_bytes = om_default_memory_limit();
    c->set.plan.since_ns = c->started_ns;
    /* A server counts its own time and states. */
    const om_limits here = { .memory_bytes = limits->memory_bytes };
    om_control_start(om_context_control(c->ctx), c->set.server == NULL ? limits : &here);
    return om_watcher_start(&c->watcher, c->ctx, NULL, NULL);
}

void cli_close(cli *c)
{
    om_watcher_stop(c->watcher);
    for (size_t i = 0; i < c->set.property_count; i++)
        om_free(c->heap, c->set.properties[i].text);
    om_text_free(&c->out);
    om_text_free(&c->grown);
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

int cli_new_plan(cli *c, const om_frontend *frontend, om_model *model, om_plan **out)
{
    om_plan_options options = c->set.plan;
    options.no_overflow_trace = c->set.quiet;
    return om_plan_new(out, c->ctx, c->registry, frontend, model, &options);
}

int cli_load_text(
    cli *c, const char *path, const om_frontend **frontend, om_model **out, char **text)
{
    int rc = c->registry != NULL ? OM_OK : om_registry_new(&c->registry, c->ctx);
    return rc == OM_OK ? om_frontend_load_text(
                             c->ctx, c->registry, c->set.frontend, path, frontend, out, text)
                       : rc;
}

int cli_load_model(cli *c, const om_frontend **frontend, om_model **out)
{
    int rc = c->registry != NULL ? OM_OK : om_registry_new(&c->registry, c->ctx);
    return rc == OM_OK ? om_frontend_load(c->ctx, c->registry, c->set.frontend,
                             c->set.positionals[0], frontend, out)
                       : rc;
}

/* Returns true if "NAME:opt=val,..." contains the option. */
static bool has_option(const char *named, const char *option)
{
    const size_t n = strlen(option);
    for (const char *at = named; (at = strpbrk(at, ":,")) != NULL;)
        if (strncmp(++at, option, n) == 0 && at[n] == '=')
            return true;
    return false;
}

bool cli_grow(cli *c, const char *file, const om_frontend *frontend, const om_model *model)
{
    int64_t value = 0;
    const char *option = om_model_larger(model, &value);
    if (c->grown.text == NULL || c->set.frontend != c->grown.text)
        c->asked_frontend = c->set.frontend;
    const char *named = c->asked_frontend == NULL ? frontend->head.name : c->asked_frontend;
    if (option == NULL || strcmp(file, "-") == 0 || has_option(named, option))
        return false;
    om_text_free(&c->grown);
    om_text_printf(
        &c->grown, "%s%c%s=%" PRId64, named, strchr(named, ':') == NULL ? ':' : ',', option, value);
    if (c->grown.failed)
        return false;
    c->set.frontend = c->grown.text;
    om_context_clear(c->ctx);
    om_note(c->ctx, OM_NOTE_VERBOSE, NULL, "the model needs more room: it is read again with %s",
        c->grown.text);
    return true;
}

/* ---- signals and progress ---- */

void cli_ending_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
}

/* SIGUSR2 wakes the ticker to end it. */
static void signals_of(sigset_t *set)
{
    cli_ending_signals(set);
    sigaddset(set, SIGUSR2);
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

bool cli_put_progress(const om_progress *now, uint64_t memory_bytes)
{
    char line[512];
    int n = snprintf(line, sizeof line,
        "{\"schema\":1,\"progress\":{\"states\":%" PRIu64 ",\"transitions\":%" PRIu64
        ",\"seconds\":%.3f,\"memory_bytes\":%" PRIu64 ",\"parts_running\":%u}}\n",
        now->states, now->transitions, now->seconds, memory_bytes, now->parts_running);
    return cli_write_all(STDOUT_FILENO, line, (size_t) n, 0) == 0;
}

static void show_progress(cli_ticker *t)
{
    om_progress now;
    if (t->plan == NULL) {
        cli_show_progress(t->c, t->what, NULL);
        return;
    }
    om_plan_progress(t->plan, &now);
    cli_show_progress(t->c, t->what, &now);
    /* A slow reader misses some lines. If the output cannot be written, the result is of no use:
     * the check is stopped. */
    if (t->c->set.json_lines && cli_writable(STDOUT_FILENO) &&
        !cli_put_progress(&now, om_resident_bytes()))
        (void) om_control_stop(om_plan_control(t->plan), OM_STOP_INTERRUPT);
}

/* A second signal kills the process, because the orderly stop after the first may take too long. */
static void interrupt(const cli_ticker *t, int number, bool again)
{
    sigset_t set;
    if (!again) {
        (void) om_control_stop(
            t->plan == NULL ? om_context_control(t->c->ctx) : om_plan_control(t->plan),
            OM_STOP_INTERRUPT);
        return;
    }
    (void) signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    (void) pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    (void) raise(number);
}

static void *ticker_main(void *self)
{
    cli_ticker *t = self;
    const struct timespec pause = { 0, 250000000 };
    bool interrupted = false;
    sigset_t set;

    signals_of(&set);
    for (;;) {
        int number = sigtimedwait(&set, NULL, &pause);
        if (atomic_load_explicit(&t->ending, memory_order_relaxed))
            break;
        if (number == SIGUSR2)
            continue; /* sent by another process */
        if (number > 0) {
            interrupt(t, number, interrupted);
            interrupted = true;
        } else
            show_progress(t);
    }
    cli_clear_progress(t->c, false);
    return NULL;
}

int cli_ticker_start(cli_ticker *t, cli *c, om_plan *plan, const char *what)
{
    sigset_t set;
    t->c = c;
    t->plan = plan;
    t->what = what;
    signals_of(&set);
    (void) pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&t->thread, NULL, ticker_main, t) != 0)
        return om_fail(c->ctx, OM_EIO, NULL, "cannot start a thread");
    t->running = true;
    return OM_OK;
}

void cli_ticker_stop(cli_ticker *t)
{
    if (!t->running)
        return;
    atomic_store_explicit(&t->ending, true, memory_order_relaxed);
    (void) pthread_kill(t->thread, SIGUSR2);
    (void) pthread_join(t->thread, NULL);
    t->running = false;
}
