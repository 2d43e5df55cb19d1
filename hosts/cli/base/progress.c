/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line of progress: one line on standard error. It is overwritten in place, never wraps, is
 * removed for a message, and removed for good by a result. The remaining time is shown only if the
 * amount of work is known; the number of states of a model is not known in advance.
 *
 *  G1  A line's text is shorter than LINE, and a NUL follows it.
 *  G2  While progress is hushed, standard error shows no line of it.
 *  G3  The longest line of --json-lines fits its buffer.
 *  G4  A ticker is started only if it does not run.
 */
#include "base/progress.h"
#include "base/output.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 320, MADE = 1000 }; /* smaller numbers of states are not shown */

static bool wants_line(const cli *c)
{
    const char *term = getenv("TERM");
    bool dumb = term != NULL && strcmp(term, "dumb") == 0; /* cannot erase a line */
    return c->set.progress == CLI_ALWAYS ||
           (c->set.progress == CLI_AUTO && !c->set.quiet && c->error_stream.terminal && !dumb);
}

typedef struct line {
    char text[LINE];
    size_t length;
} line;

static void add(line *l, const char *fmt, ...) OM_PRINTF(2, 3);
static void add(line *l, const char *fmt, ...)
{
    va_list args;
    assert(l->length < LINE); /* G1 */
    va_start(args, fmt);
    int n = vsnprintf(l->text + l->length, LINE - l->length, fmt, args);
    va_end(args);
    if (n > 0)
        l->length = l->length + (size_t) n < LINE ? l->length + (size_t) n : LINE - 1;
    assert(l->length < LINE); /* G1 */
}

static void add_time(line *l, double seconds)
{
    unsigned long s = (unsigned long) (seconds + 0.5);
    if (s >= 3600)
        add(l, "%lu h %lu min", s / 3600, s % 3600 / 60);
    else if (s >= 60)
        add(l, "%lu min %lu s", s / 60, s % 60);
    else
        add(l, "%lu s", s);
}

/* Adds the parts that run, and the widths of the last levels, the current one last. */
static void add_search(const cli *c, line *l, const om_progress *now, uint64_t made)
{
    const om_levels *levels = &now->levels;
    uint32_t shown = levels->count < OM_LEVELS_SHOWN ? levels->count : OM_LEVELS_SHOWN;
    add(l, "%" PRIu64 " states  %" PRIu64 " transitions  %.0f states/s  %.0f MB  ", now->states,
        now->transitions, now->seconds > 0 ? (double) now->states / now->seconds : 0,
        (double) (c->remote_memory != 0 ? c->remote_memory : om_resident_bytes()) / 1e6);
    /* Automata are made before any part can run. */
    if (now->parts_running == 0 && shown == 0 && made >= MADE)
        add(l, "%" PRIu64 " states of automata built  ", made);
    else if (now->parts_running != 0 || shown == 0)
        add(l, "%u part%s  ", now->parts_running, now->parts_running == 1 ? "" : "s");
    if (shown != 0)
        add(l, "level %" PRIu32 ":", levels->count - 1);
    for (uint32_t i = shown; i-- > 0;)
        add(l, " %" PRIu64, levels->widths[i]);
    if (shown != 0)
        add(l, "  ");
}

/* Adds the remaining time, if it is known, after at least one second and a fiftieth of the work. */
static void add_stage(line *l, const om_stage_progress *d)
{
    add(l, "%" PRIu64, d->done);
    if (d->total != 0)
        add(l, " of %" PRIu64, d->total);
    add(l, " %s  %.0f/s  ", d->what, d->seconds > 0 ? (double) d->done / d->seconds : 0);
    if (d->total == 0 || d->seconds < 1 || d->done < d->total / 50 || d->done == 0)
        return;
    add(l, "about ");
    add_time(l, d->seconds * (double) (d->total - d->done) / (double) d->done);
    add(l, " left  ");
}

static void make_line(cli *c, const char *what, const om_progress *now, line *l)
{
    om_stage_progress stage;
    om_context_stage_progress(c->ctx, &stage);
    add(l, "%.1f s  ", now != NULL ? now->seconds : (double) (om_clock_ns() - c->started_ns) / 1e9);
    if (now != NULL)
        add_search(c, l, now, stage.made);
    else
        add(l, "%s  ", what);
    if (stage.what != NULL)
        add_stage(l, &stage);
    if (now != NULL)
        return;
    if (stage.what == NULL && stage.made >= MADE)
        add(l, "%" PRIu64 " states built  ", stage.made);
    add(l, "%.0f MB  ", (double) om_resident_bytes() / 1e6);
}

/* Returns the number of characters that fit one line of the terminal. */
static size_t columns(void)
{
    struct winsize size = { 0 };
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1
               ? (size_t) size.ws_col - 1
               : LINE;
}

void cli_show_progress(cli *c, const char *what, const om_progress *now)
{
    line l = { .length = 0 };
    /* A slow reader misses some lines. */
    if (!wants_line(c) || !cli_writable(STDERR_FILENO))
        return;
    make_line(c, what, now, &l);
    size_t most = columns();
    pthread_mutex_lock(&c->error_stream.lock);
    if (!c->error_stream.hushed) {
        /* Erases the rest of an earlier line, which may have been longer. */
        (void) fprintf(stderr, "\r%.*s%s", (int) (l.length < most ? l.length : most), l.text,
            c->error_stream.terminal ? "\033[K" : "");
        c->error_stream.line = true;
    }
    pthread_mutex_unlock(&c->error_stream.lock);
}

/* The caller holds the lock. */
static void clear(cli *c)
{
    assert(!c->error_stream.hushed || !c->error_stream.line); /* G2 */
    if (c->error_stream.line)
        (void) fputs(c->error_stream.terminal ? "\r\033[K" : "\n", stderr);
    c->error_stream.line = false;
}

void cli_clear_progress(cli *c, bool hush)
{
    pthread_mutex_lock(&c->error_stream.lock);
    clear(c);
    c->error_stream.hushed = c->error_stream.hushed || hush;
    assert(!c->error_stream.hushed || !c->error_stream.line); /* G2 */
    pthread_mutex_unlock(&c->error_stream.lock);
}

void cli_allow_progress(cli *c)
{
    pthread_mutex_lock(&c->error_stream.lock);
    assert(!c->error_stream.hushed || !c->error_stream.line); /* G2 */
    c->error_stream.hushed = false;
    pthread_mutex_unlock(&c->error_stream.lock);
}

static void put_line(cli *c, const char *name, const char *prefix, const char *text)
{
    pthread_mutex_lock(&c->error_stream.lock);
    clear(c);
    (void) fprintf(stderr, "%s%s%s\n", name, prefix, text);
    pthread_mutex_unlock(&c->error_stream.lock);
}

void cli_put_message(cli *c, const char *prefix, const char *text)
{
    put_line(c, "omen: ", prefix, text);
}

void cli_put_line(cli *c, const char *text)
{
    put_line(c, "", "", text);
}

/* ---- the ticker ---- */

/* SIGUSR2 wakes the ticker to end it. */
static void signals_of(sigset_t *set)
{
    cli_ending_signals(set);
    sigaddset(set, SIGUSR2);
}

bool cli_put_progress(const om_progress *now, uint64_t memory_bytes)
{
    char text[512];
    int n = snprintf(text, sizeof text,
        "{\"schema\":1,\"progress\":{\"states\":%" PRIu64 ",\"transitions\":%" PRIu64
        ",\"seconds\":%.3f,\"memory_bytes\":%" PRIu64 ",\"parts_running\":%u}}\n",
        now->states, now->transitions, now->seconds, memory_bytes, now->parts_running);
    assert(n > 0 && (size_t) n < sizeof text); /* G3 */
    return cli_write_all(STDOUT_FILENO, text, (size_t) n, 0) == 0;
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
    assert(!t->running); /* G4 */
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
