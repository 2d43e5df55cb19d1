/* SPDX-License-Identifier: Apache-2.0 */
/* Asks Slurm about the jobs that it has, by their names; and cancels them. */
#include "clock.h"
#include "slurm_impl.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 24 * 3600 };

typedef void row_fn(struct slurm *s, slurm_seen *seen, const slurm_row *row);

/* Selects the jobs to ask about. */
typedef bool which_fn(const slurm_seen *seen);

static bool is_asked(const slurm_seen *seen)
{
    return seen->job->remote->step != SLURM_READY;
}

/* Slurm may have forgotten the job, or the accounting database knows how it ended. */
static bool is_missing(const slurm_seen *seen)
{
    const slurm_job *r = seen->job->remote;
    return r->step == SLURM_UNSURE || (r->step == SLURM_GONE && r->state == SLURM_NOTHING);
}

/* Returns "NAME,NAME"; NULL if there are none, or memory runs out. Under the lock. */
static char *names_of(const struct slurm *s, which_fn *which)
{
    char *text = malloc(s->seen_count * sizeof s->seen->name + 1), *at = text;
    for (size_t i = 0; text != NULL && i < s->seen_count; i++)
        if (which(&s->seen[i]) && !s->seen[i].found)
            at += sprintf(at, "%s%s", at == text ? "" : ",", s->seen[i].name);
    assert(text == NULL || (size_t) (at - text) <= s->seen_count * sizeof s->seen->name);
    if (at == text) {
        free(text);
        return NULL;
    }
    return text;
}

static slurm_seen *find(struct slurm *s, const char *name)
{
    for (size_t i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i].name, name) == 0)
            return &s->seen[i];
    return NULL;
}

/* Returns false if a line was not understood: it may have been about a job that seems missing. */
static bool read_rows(struct slurm *s, slurm_tool which, char *text, row_fn *each)
{
    bool ok = true;
    for (char *line, *rest = text; ok && (line = slurm_next_line(&rest)) != NULL;) {
        char copy[100];
        slurm_row row;
        (void) snprintf(copy, sizeof copy, "%s", line);
        if (*line == '\0')
            continue;
        ok = slurm_read_row(line, &row);
        if (!ok) {
            slurm_failed(s, which, "cannot parse '%s'", copy);
            break;
        }
        slurm_seen *seen = find(s, row.name);
        if (seen != NULL)
            each(s, seen, &row);
    }
    return ok;
}

/* Runs a command, and calls each() for the rows about jobs of the pool. The command is due again
 * after a pause. */
static bool ask(struct slurm *s, slurm_tool which, words *w, row_fn *each)
{
    char *text = slurm_run(s, which, w);
    if (text == NULL)
        return false;
    pthread_mutex_lock(&s->pool->lock);
    bool ok = read_rows(s, which, text, each);
    pthread_mutex_unlock(&s->pool->lock);
    free(text);
    if (ok) {
        slurm_worked(s, which);
        s->tools[which].due_ms = clock_ms(CLOCK_MONOTONIC) + slurm_pause(s, 1);
    }
    return ok;
}

/* ---- squeue ---- */

static void tell_state(slurm_job *r, const slurm_row *row)
{
    r->state = row->state;
    (void) snprintf(r->word, sizeof r->word, "%s", row->word);
    (void) snprintf(r->why, sizeof r->why, "slurm job %" PRIu32 ": %.32s%s%.160s", row->number,
        row->word, *row->reason == '\0' || strcmp(row->reason, "None") == 0 ? "" : ", ",
        strcmp(row->reason, "None") == 0 ? "" : row->reason);
}

static void take_row(struct slurm *s, slurm_seen *seen, const slurm_row *row)
{
    slurm_job *r = seen->job->remote;
    /* A job that sbatch refused may be on record nevertheless: that was no attempt. */
    if (r->step == SLURM_UNSURE && row->state >= SLURM_COMPLETED &&
        strcmp(row->reason, "BadConstraints") == 0)
        return;
    if (r->number != 0 && r->number != row->number) {
        if (row->state < SLURM_COMPLETED)
            slurm_add_stray(s, row->name, row->number);
        return;
    }
    seen->found = true;
    r->number = row->number;
    r->step = SLURM_KNOWN;
    tell_state(r, row);
}

/* With --states=all squeue also lists jobs that ended some minutes ago (MinJobAge). */
static bool ask_squeue(struct slurm *s)
{
    omend_pool *p = s->pool;
    words w = { 0 };
    pthread_mutex_lock(&p->lock);
    char *names = names_of(s, is_asked);
    pthread_mutex_unlock(&p->lock);
    if (names == NULL)
        return false;
    words_add(&w, "squeue");
    words_add(&w, "--noheader");
    words_add(&w, "--states=all");
    words_add(&w, "--user=%u", (unsigned) geteuid());
    words_add(&w, "--name=%s", names);
    words_add(&w, "--format=%%j|%%i|%%T|%%r");
    free(names);
    return ask(s, SQUEUE, &w, take_row);
}

/* ---- sacct ---- */

static void take_account(struct slurm *s, slurm_seen *seen, const slurm_row *row)
{
    slurm_job *r = seen->job->remote;
    (void) s;
    if (!is_missing(seen) || (r->number != 0 && r->number != row->number))
        return;
    seen->found = true;
    r->number = row->number;
    r->step = SLURM_GONE; /* squeue does not have it */
    if (row->state >= SLURM_COMPLETED)
        tell_state(r, row);
}

/* Without a start time sacct covers only the current day. */
static void add_since(const struct slurm *s, words *w)
{
    int64_t first = INT64_MAX;
    char text[32];
    struct tm parts;
    for (size_t i = 0; i < s->seen_count; i++)
        if (s->seen[i].job->created_ms < first)
            first = s->seen[i].job->created_ms;
    time_t day = (time_t) (first / 1000) - DAY; /* clocks may differ */
    if (localtime_r(&day, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts) > 0)
        words_add(w, "--starttime=%s", text);
}

/* Slurm may run without accounting: then there is one message, and the jobs' own reports decide. */
static void ask_sacct(struct slurm *s)
{
    omend_pool *p = s->pool;
    words w = { 0 };
    if (!slurm_is_due(s, SACCT))
        return;
    pthread_mutex_lock(&p->lock);
    char *names = names_of(s, is_missing);
    pthread_mutex_unlock(&p->lock);
    if (names == NULL)
        return;
    words_add(&w, "sacct");
    words_add(&w, "--noheader");
    words_add(&w, "--parsable2");
    words_add(&w, "--allocations");
    words_add(&w, "--user=%u", (unsigned) geteuid());
    words_add(&w, "--name=%s", names);
    add_since(s, &w);
    words_add(&w, "--format=JobName,JobID,State");
    free(names);
    (void) ask(s, SACCT, &w, take_account);
}

/* ---- both ---- */

/* squeue has answered, and does not list the jobs that were not found. Under the lock. */
static void conclude(struct slurm *s)
{
    for (size_t i = 0; i < s->seen_count; i++) {
        slurm_seen *seen = &s->seen[i];
        slurm_job *r = seen->job->remote;
        if (seen->found || r->step == SLURM_READY)
            continue;
        /* The job was never submitted, unless its omend-job has been at work. */
        if (r->step == SLURM_UNSURE && !seen->begun && !seen->there) {
            r->step = SLURM_READY;
        } else if (r->step != SLURM_GONE) {
            r->step = SLURM_GONE;
            r->state = SLURM_NOTHING;
        }
    }
}

void slurm_follow(struct slurm *s)
{
    omend_pool *p = s->pool;
    if (!slurm_is_due(s, SQUEUE) || !ask_squeue(s))
        return;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < s->seen_count; i++) {
        slurm_job *r = s->seen[i].job->remote;
        if (!s->seen[i].found && r->step == SLURM_KNOWN) {
            r->step = SLURM_GONE;
            if (r->state < SLURM_COMPLETED)
                r->state = SLURM_NOTHING;
        }
    }
    pthread_mutex_unlock(&p->lock);
    ask_sacct(s);
    if (atomic_load(&s->ending))
        return;
    pthread_mutex_lock(&p->lock);
    conclude(s);
    pthread_mutex_unlock(&p->lock);
}

/* ---- scancel ---- */

static bool is_to_cancel(const struct slurm *s, const omend_live *job, int64_t now)
{
    const slurm_job *r = job->remote;
    const int64_t again = (int64_t) (settings_now(s->pool->settings)->slurm_patience_ns / 1000000);
    return job->cancelled && r->number != 0 && r->state < SLURM_COMPLETED &&
           (r->cancel_ms == 0 || now - r->cancel_ms >= again);
}

void slurm_add_stray(struct slurm *s, const char *name, uint32_t number)
{
    for (size_t i = 0; i < s->stray_count; i++)
        if (s->strays[i].number == number)
            return;
    assert(s->stray_count <= SLURM_STRAYS);
    if (number == 0 || s->stray_count == SLURM_STRAYS)
        return;
    slurm_stray *to = &s->strays[s->stray_count++];
    (void) snprintf(to->name, sizeof to->name, "%s", name);
    to->number = number;
}

/* Passes the name, too: a controller that lost its state reuses numbers. */
static bool cancel_one(struct slurm *s, const char *name, uint32_t number)
{
    words w = { 0 };
    words_add(&w, "scancel");
    words_add(&w, "--user=%u", (unsigned) geteuid());
    words_add(&w, "--name=%s", name);
    words_add(&w, "%" PRIu32, number);
    char *said = slurm_run(s, SCANCEL, &w);
    if (said == NULL)
        return false;
    slurm_worked(s, SCANCEL);
    free(said);
    return true;
}

void slurm_cancel(struct slurm *s)
{
    omend_pool *p = s->pool;
    bool ok = slurm_is_due(s, SCANCEL);
    while (ok && s->stray_count > 0) {
        const slurm_stray *last = &s->strays[s->stray_count - 1];
        ok = cancel_one(s, last->name, last->number);
        s->stray_count -= ok;
    }
    for (size_t i = 0; i < s->seen_count && ok; i++) {
        slurm_job *r = s->seen[i].job->remote;
        const int64_t now = clock_ms(CLOCK_MONOTONIC);
        pthread_mutex_lock(&p->lock);
        bool wanted = is_to_cancel(s, s->seen[i].job, now);
        pthread_mutex_unlock(&p->lock);
        if (!wanted)
            continue;
        ok = cancel_one(s, r->name, r->number);
        if (ok)
            r->cancel_ms = now; /* used by this thread only, like the number */
    }
}
