/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include "clock.h"
#include "numbers.h"
#include "schedule/schedule.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Usage halves within an hour. One step of priority passes jobs that arrived up to a minute
 * before. */
enum {
    HALF_LIFE_MS = 3600 * 1000,
    PRIORITY_STEP_MS = 60 * 1000,
    HORIZON_MS = 60 * 1000,
    ENDING_MS = 30 * 1000 /* time that omend-job gives a job beyond its limit */
};

struct policy {
    const omend_config *config; /* the configuration of `tokens` */
    schedule_token tokens[OMEND_TOKENS];
    uint32_t token_count;
    int64_t measured_ms; /* time up to which usage is counted */
    uint64_t reserved;
    schedule_job *jobs;
    omend_live **live; /* same indices as `jobs` */
    schedule_decision *decisions;
    size_t capacity;
    schedule_running *running;
    void *scratch;
    size_t scratch_size;
};

/* Takes the tokens of the current configuration; those that were there before keep their usage. */
static void take_tokens(struct policy *y, const omend_config *c)
{
    schedule_token tokens[OMEND_TOKENS] = { 0 };
    if (y->config == c)
        return;
    assert(c->token_count <= OMEND_TOKENS);
    for (size_t i = 0; i < c->token_count; i++) {
        for (size_t k = 0; y->config != NULL && k < y->config->token_count; k++)
            if (strcmp(c->tokens[i].name, y->config->tokens[k].name) == 0)
                tokens[i] = y->tokens[k];
        /* The policy's weights are integers: thousandths. */
        tokens[i].weight = (uint32_t) (c->tokens[i].weight * 1000 + 0.5);
    }
    memcpy(y->tokens, tokens, sizeof tokens);
    y->token_count = c->token_count == 0 ? 1 : (uint32_t) c->token_count;
    y->config = c;
}

int policy_new(omend_pool *p)
{
    struct policy *y = calloc(1, sizeof *y);
    schedule_running *running = calloc(POOL_RUNNING, sizeof *running);
    if (y == NULL || running == NULL) {
        free(y);
        free(running);
        return om_fail(p->ctx, OM_ENOMEM, NULL, "out of memory");
    }
    y->running = running;
    take_tokens(y, settings_now(p->settings));
    y->measured_ms = clock_ms(CLOCK_REALTIME);
    p->policy = y;
    return OM_OK;
}

void policy_free(omend_pool *p)
{
    struct policy *y = p->policy;
    if (y == NULL)
        return;
    free(y->jobs);
    free(y->live);
    free(y->decisions);
    free(y->running);
    free(y->scratch);
    free(y);
    p->policy = NULL;
}

/* ---- the pool, as numbers ---- */

/* Returns the token of the job; the first one if the configuration does not have it any more. */
static uint32_t token_of(const omend_pool *p, const omend_live *job)
{
    const omend_config *c = p->policy->config;
    for (size_t i = 0; i < c->token_count; i++)
        if (strcmp(c->tokens[i].name, job->token) == 0)
            return (uint32_t) i;
    return 0;
}

static uint64_t limit_ms(const omend_pool *p, const omend_live *job)
{
    uint64_t ns = job->needs.timeout_ns != 0 ? job->needs.timeout_ns
                                             : settings_now(p->settings)->job_timeout_ns;
    return ns / 1000000;
}

/* Slurm knows the machines; the policy only decides whose job is submitted next, with at most
 * `slurm_jobs` at once. */
static schedule_pool submitted_numbers(const omend_pool *p)
{
    const omend_config *c = settings_now(p->settings);
    return (schedule_pool){ .threads = (uint32_t) c->slurm_jobs,
        .memory = (uint64_t) c->slurm_jobs,
        .memory_least = 1,
        .longest = c->most_timeout_ns / 1000000,
        .patience = c->most_timeout_ns / 1000000,
        .priority_step = PRIORITY_STEP_MS,
        .horizon = HORIZON_MS };
}

static schedule_pool pool_numbers(const omend_pool *p)
{
    if (p->slurm != NULL)
        return submitted_numbers(p);
    return (schedule_pool){ .threads = p->capacity.threads,
        .memory = p->capacity.memory_bytes,
        .devices = p->devices,
        .device_count = p->device_count,
        .thread_rate = p->thread_rate,
        .spare_threads = p->capacity.threads / 8,
        .spare_memory = p->capacity.memory_bytes / 8,
        .memory_least = settings_now(p->settings)->job_memory_bytes,
        .longest = settings_now(p->settings)->most_timeout_ns / 1000000,
        .patience = settings_now(p->settings)->most_timeout_ns / 1000000,
        .priority_step = PRIORITY_STEP_MS,
        .horizon = HORIZON_MS };
}

/* Reads the option `device` as `omen check` does. A CPU device, or kernels on the host, count as
 * threads and not as a device. */
static void read_wish(const omend_pool *p, const omend_live *job, schedule_job *to)
{
    const char *said =
        json_string_value(json_object_get(json_object_get(job->request, "options"), "device"));
    to->wish = SCHEDULE_NONE;
    if (!settings_now(p->settings)->devices)
        return;
    if (said == NULL || strcmp(said, "auto") == 0) {
        to->wish = SCHEDULE_AUTO;
    } else if (*said >= '0' && *said <= '9') {
        to->wish = SCHEDULE_NUMBERED;
        to->devices = numbers_read(said);
    } else if (strcmp(said, "gpu") == 0) {
        to->wish = SCHEDULE_ANY;
        to->devices = 1;
    } else if (strcmp(said, "all") == 0) {
        to->wish = SCHEDULE_NUMBERED;
        to->devices = p->device_count >= 64 ? UINT64_MAX : ((uint64_t) 1 << p->device_count) - 1;
    }
}

static schedule_job job_numbers(const omend_pool *p, const omend_live *job)
{
    schedule_job to = { .id = (uint64_t) job->id,
        .token = token_of(p, job),
        .priority = job->priority,
        .submitted = (uint64_t) job->created_ms,
        .threads_least = job->needs.threads,
        .threads_most = job->needs.threads != 0 ? job->needs.threads
                                                : (uint32_t) settings_now(p->settings)->job_threads,
        .memory = job->needs.memory_bytes != 0 ? job->needs.memory_bytes
                                               : settings_now(p->settings)->job_memory_bytes,
        .limit = limit_ms(p, job),
        .attempt = (uint32_t) job->attempt + 1 };
    read_wish(p, job, &to);
    if (p->slurm != NULL) {
        to.threads_least = to.threads_most = 1;
        to.memory = 1;
        to.wish = SCHEDULE_NONE;
        to.devices = 0;
    }
    return to;
}

static uint32_t running_numbers(const omend_pool *p, schedule_running *to)
{
    uint32_t n = 0;
    for (size_t i = 0; i < POOL_RUNNING; i++) {
        const omend_live *job = p->running[i];
        if (job != NULL)
            to[n++] = (schedule_running){ .token = token_of(p, job),
                .threads = p->slurm != NULL ? 1 : job->grant.threads,
                .memory = p->slurm != NULL ? 1 : job->grant.memory_bytes,
                .devices = p->slurm != NULL ? 0 : numbers_read(job->devices),
                .ends = (uint64_t) job->begun_ms + limit_ms(p, job) + ENDING_MS };
        assert(n <= POOL_RUNNING);
    }
    return n;
}

/* Adds what ran since the last time to the usage. */
static void bring_up(struct policy *y, const schedule_pool *pool, uint32_t running, int64_t now)
{
    double shares[OMEND_TOKENS] = { 0 };
    uint64_t ms = now > y->measured_ms ? (uint64_t) (now - y->measured_ms) : 0;
    assert(y->token_count > 0 && y->token_count <= OMEND_TOKENS);
    for (uint32_t i = 0; i < running; i++)
        shares[y->running[i].token] += schedule_share(pool, &y->running[i]);
    for (uint32_t i = 0; i < y->token_count; i++)
        y->tokens[i].usage = schedule_usage(y->tokens[i].usage, shares[i], ms, HALF_LIFE_MS);
    y->measured_ms = now;
}

/* ---- deciding ---- */

static bool reserve(struct policy *y, size_t jobs, uint32_t running)
{
    if (jobs > y->capacity) {
        size_t capacity = jobs + jobs / 2 + 64;
        schedule_job *a = realloc(y->jobs, capacity * sizeof *a);
        if (a != NULL)
            y->jobs = a;
        /* The elements are pointers. */
        omend_live **b =
            realloc(y->live, capacity * sizeof *b); // NOLINT(bugprone-sizeof-expression)
        if (b != NULL)
            y->live = b;
        schedule_decision *c = realloc(y->decisions, capacity * sizeof *c);
        if (c != NULL)
            y->decisions = c;
        if (a == NULL || b == NULL || c == NULL)
            return false;
        y->capacity = capacity;
    }
    size_t size = schedule_scratch((uint32_t) jobs, running, y->token_count);
    if (size > y->scratch_size) {
        void *scratch = size == SIZE_MAX ? NULL : realloc(y->scratch, size + size / 2);
        if (scratch == NULL)
            return false;
        y->scratch = scratch;
        y->scratch_size = size + size / 2;
    }
    assert(y->capacity >= jobs && y->scratch_size >= size);
    return true;
}

static void carry_out(omend_pool *p, const schedule_decision *d, omend_live *job, int64_t now,
    const policy_calls *calls)
{
    assert(job->phase == PHASE_QUEUED && !job->held); /* J2 */
    char why[256];
    job->decision = *d;
    job->decided = d->what == SCHEDULE_WAIT;
    if (d->what == SCHEDULE_START) {
        numbers_write(d->devices, job->devices);
        job->grant = (omend_grant){ d->threads, d->memory, job->devices };
        job->begun_ms = now;
        if (d->in_turn)
            p->policy->tokens[token_of(p, job)].turn = (uint64_t) now;
        calls->start(p, job);
    } else if (d->what == SCHEDULE_REFUSE) {
        (void) schedule_reason(d, (uint64_t) now, why, sizeof why);
        calls->refuse(p, job, why);
    }
}

void policy_run(omend_pool *p, const policy_calls *calls)
{
    struct policy *y = p->policy;
    take_tokens(y, settings_now(p->settings));
    const schedule_pool pool = pool_numbers(p);
    const int64_t now = clock_ms(CLOCK_REALTIME);
    uint32_t running = running_numbers(p, y->running), n = 0;
    schedule_result result;
    bring_up(y, &pool, running, now);
    if (p->figures.queued == 0 || !reserve(y, p->figures.queued, running))
        return;
    for (omend_live *job = p->first.next; job != &p->first && n < y->capacity; job = job->next)
        if (job->phase == PHASE_QUEUED && !job->held && !job->cancelled) {
            y->live[n] = job;
            y->jobs[n++] = job_numbers(p, job);
        }
    assert(n <= p->figures.queued && n <= y->capacity); /* J4 */
    const schedule_state state = { .now = (uint64_t) now,
        .pool = &pool,
        .tokens = y->tokens,
        .token_count = y->token_count,
        .jobs = y->jobs,
        .job_count = n,
        .running = y->running,
        .running_count = running,
        .reserved = y->reserved };
    if (schedule_decide(&state, y->scratch, y->scratch_size, y->decisions, &result) != OM_OK)
        return;
    y->reserved = result.reserved;
    for (uint32_t i = 0; i < n; i++)
        carry_out(p, &y->decisions[i], y->live[i], now, calls);
}
