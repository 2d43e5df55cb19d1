/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a job into the arguments of sbatch. */
#include "clock.h"
#include "pool/numbers.h"
#include "slurm_impl.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Allowance of the batch job beyond omend-job's limits, so that omend-job reaches its limit
 * first. */
enum { MORE_SECONDS = 60, MORE_BYTES = 64 << 20 };

/* The paths are arguments, so that they are not part of the script's text. An attempt that has a
 * report is not begun again if it was submitted twice. */
static const char script[] = "#!/bin/sh\n"
                             "# Written by omend: $1 is omend-job, $2 the folder of the job.\n"
                             "test -e \"$2/report\" || exec \"$1\" \"$2\"\n";

/* ---- what a job asks for ---- */

static const char *device_of(const omend_live *job)
{
    const char *said =
        json_string_value(json_object_get(json_object_get(job->request, "options"), "device"));
    return said == NULL || strcmp(said, "auto") == 0 ? "none" : said;
}

/* omen numbers the devices that Slurm assigns from 0 on, so the job needs the highest number plus
 * one. Kernels on the host, and a CPU as a device, count as threads. */
static unsigned device_count(const omend_pool *p, const omend_live *job)
{
    const char *said = device_of(job);
    uint64_t bits = numbers_read(said);
    if (!settings_now(p->settings)->devices)
        return 0;
    if (strcmp(said, "gpu") == 0 || strcmp(said, "all") == 0)
        return 1;
    return bits == 0 ? 0 : 64 - (unsigned) __builtin_clzll(bits);
}

json_t *slurm_request(const omend_live *job)
{
    json_t *made = json_copy(job->request);
    json_t *options = json_copy(json_object_get(job->request, "options"));
    if (made == NULL || options == NULL)
        json_decref(options);
    else if ((strcmp(device_of(job), "none") == 0 && json_object_del(options, "device") != 0 &&
                 json_object_get(options, "device") != NULL) ||
             json_object_set_new(made, "options", options) != 0) {
        json_decref(made);
        return NULL;
    }
    return made;
}

bool slurm_prepare(omend_pool *p, omend_live *job)
{
    const omend_config *c = settings_now(p->settings);
    uint32_t number;
    assert(job->phase == PHASE_QUEUED && !job->held); /* J2 */
    if (job->remote == NULL)
        job->remote = malloc(sizeof *job->remote);
    if (job->remote == NULL || getrandom(&number, sizeof number, 0) != (ssize_t) sizeof number)
        return false;
    *job->remote = (slurm_job){ 0 };
    (void) snprintf(job->remote->name, sizeof job->remote->name, "omen-%" PRId64 "-%d-%08" PRIx32,
        job->id, job->attempt + 1, number);
    (void) snprintf(job->devices, sizeof job->devices, "%s", device_of(job));
    job->grant = (omend_grant){
        .threads = job->needs.threads != 0 ? job->needs.threads : (uint32_t) c->slurm_threads,
        .memory_bytes = job->needs.memory_bytes != 0 ? job->needs.memory_bytes
                        : c->job_memory_bytes != 0   ? c->job_memory_bytes
                                                     : c->slurm_memory_bytes,
        .devices = job->devices,
    };
    return true;
}

/* ---- the folder ---- */

bool slurm_is_made(const omend_pool *p, const omend_live *job)
{
    char path[4200];
    pool_file(settings_now(p->settings), job, "start", path, sizeof path);
    return access(path, F_OK) == 0;
}

/* Written last, and synchronised to the disk: if it exists, the folder is complete. */
static bool put_start(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = folder >= 0 && launch_put_file(folder, "start.new", 0644, script, sizeof script - 1);
    int fd = ok ? openat(folder, "start.new", O_RDONLY | O_CLOEXEC) : -1;
    ok = fd >= 0 && fsync(fd) == 0 && renameat(folder, "start.new", folder, "start") == 0 &&
         fsync(folder) == 0;
    if (fd >= 0)
        (void) close(fd);
    if (folder >= 0)
        (void) close(folder);
    return ok;
}

bool slurm_make(omend_pool *p, omend_live *job, json_t *model, omend_problem *problem)
{
    assert(job->remote != NULL && p->running[job->slot] == job); /* J3 */
    char path[4096];
    /* An omend that was killed may have left a part of the folder. */
    pool_folder(settings_now(p->settings), job->id, job->attempt, path, sizeof path);
    launch_remove_folder(path);
    return launch_prepare(p, job, model, path, sizeof path, problem) &&
           (put_start(path) || problem_set(problem, OMEND_BROKEN, "",
                                   "cannot create the folder of the job: %s", path));
}

/* ---- sbatch ---- */

/* Only root may raise a priority; other users may lower it. */
static void add_priority(words *w, const omend_config *c, int priority)
{
    int64_t nice = -(int64_t) priority * c->slurm_nice;
    if (nice > 0 || (nice < 0 && geteuid() == 0))
        words_add(w, "--nice=%" PRId64, nice);
}

static void add_limits(words *w, const omend_pool *p, const omend_live *job)
{
    const omend_config *c = settings_now(p->settings);
    const uint64_t bytes = launch_memory(job) + MORE_BYTES;
    const unsigned devices = device_count(p, job);
    words_add(w, "--nodes=1");
    words_add(w, "--ntasks=1");
    words_add(w, "--cpus-per-task=%" PRIu32, job->grant.threads);
    words_add(w, "--mem=%" PRIu64 "M", (bytes + (1 << 20) - 1) >> 20);
    words_add(w, "--time=%.0f", (launch_seconds(p, job) + MORE_SECONDS) / 60 + 0.5);
    if (devices > 0)
        words_add(w, "--gres=%s:%u", c->slurm_gres, devices);
}

static void make_words(const omend_pool *p, const omend_live *job, words *w)
{
    const omend_config *c = settings_now(p->settings);
    char path[4096], program[4200];
    pool_folder(c, job->id, job->attempt, path, sizeof path);
    w->failed = !launch_find_program(program, sizeof program);
    words_add(w, "sbatch");
    words_add(w, "--parsable");
    words_add(w, "--job-name=%s", job->remote->name);
    words_add(w, "--chdir=%s", path);
    words_add(w, "--output=log"); /* in that folder; a path would be a pattern */
    words_add(w, "--open-mode=append");
    words_add(w, "--no-requeue");
    words_add(w, "--export=NIL");
    add_limits(w, p, job);
    if (*c->slurm_partition != '\0')
        words_add(w, "--partition=%s", c->slurm_partition);
    add_priority(w, c, job->priority);
    words_split(w, c->slurm_options);
    words_add(w, "%s/start", path);
    words_add(w, "%s", program);
    words_add(w, "%s", path);
}

static omend_live *next_one(const omend_pool *p, int64_t now)
{
    omend_live *best = NULL;
    for (size_t i = 0; i < POOL_RUNNING; i++) {
        omend_live *job = p->running[i];
        if (job != NULL && job->phase == PHASE_SUBMITTED && !job->cancelled &&
            job->remote->step == SLURM_READY && job->remote->due_ms <= now &&
            (best == NULL || job->remote->turn < best->remote->turn))
            best = job;
    }
    return best;
}

bool slurm_submit_one(struct slurm *s)
{
    omend_pool *p = s->pool;
    omend_live *job =
        p->draining || !slurm_is_due(s, SBATCH) ? NULL : next_one(p, clock_ms(CLOCK_MONOTONIC));
    words w = { 0 };
    if (job == NULL)
        return false;
    slurm_job *r = job->remote;
    r->step = SLURM_UNSURE; /* until sbatch confirms the submission, however this call ends */
    make_words(p, job, &w);
    pthread_mutex_unlock(&p->lock);
    char *said = slurm_run(s, SBATCH, &w);
    uint32_t number = said == NULL ? 0 : slurm_read_number(said);
    if (number != 0)
        slurm_worked(s, SBATCH);
    else if (said != NULL)
        slurm_failed(s, SBATCH, "not a job number: '%.*s'", (int) strcspn(said, "\n"), said);
    free(said);
    pthread_mutex_lock(&p->lock);
    assert(job->remote == r && job->phase == PHASE_SUBMITTED && r->step == SLURM_UNSURE);
    if (number != 0) {
        r->number = number;
        r->step = SLURM_KNOWN;
        r->failures = 0;
        (void) snprintf(r->why, sizeof r->why, "slurm job %" PRIu32 ": submitted", number);
        return true;
    }
    /* Other jobs are tried before this one is tried again: Slurm may refuse only this one. */
    r->failures++;
    r->turn = ++s->turns;
    r->due_ms = clock_ms(CLOCK_MONOTONIC) + slurm_pause(s, r->failures);
    (void) snprintf(r->why, sizeof r->why, "sbatch: %.240s", s->tools[SBATCH].said);
    return false;
}
