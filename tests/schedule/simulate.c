/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate.h"

#include "checks.h"
#include "decisions.h"

#include <math.h>
#include <stdlib.h>

uint64_t sim_duration(const sim *s, const sim_job *j, uint32_t threads, uint64_t devices)
{
    double best = (double) j->work / threads, rate = 0, start = 0;
    for (uint32_t d = 0; d < s->pool.device_count; d++)
        if ((devices >> d & 1) != 0) {
            rate += (double) s->devices[d].rate;
            start =
                (double) s->devices[d].start_ms > start ? (double) s->devices[d].start_ms : start;
        }
    if (j->searches && rate > 0 && s->pool.thread_rate != 0) {
        double there = start + (double) j->work * (double) s->pool.thread_rate / rate;
        best = there < best ? there : best; /* threads and device race */
    }
    return best < 1 ? 1 : (uint64_t) ceil(best);
}

static void fill_in_state(sim_state *r)
{
    sim *s = r->s;
    schedule_state *state = &r->state;
    state->job_count = 0;
    for (uint32_t i = 0; i < s->job_count; i++)
        if (s->jobs[i].state == SIM_QUEUED)
            r->queued[state->job_count++] = i;
    /* The order of the queue must not matter. */
    for (uint32_t i = state->job_count; i > 1; i--) {
        uint32_t k = (uint32_t) om_random_below(&r->chance, i), x = r->queued[i - 1];
        r->queued[i - 1] = r->queued[k];
        r->queued[k] = x;
    }
    for (uint32_t i = 0; i < state->job_count; i++)
        r->queue[i] = s->jobs[r->queued[i]].job;
    for (uint32_t i = 0; i < state->running_count; i++)
        r->running[i] = s->jobs[r->runs[i]].holds;
    state->now = s->now;
    state->pool = &s->pool;
    state->tokens = s->tokens;
    state->token_count = s->token_count;
    state->jobs = r->queue;
    state->running = r->running;
    state->reserved = r->reserved;
}

static void decide(sim_state *r)
{
    fill_in_state(r);
    decide_once(&r->state, r->out, &r->result, (unsigned char) om_random_next(&r->chance));
    r->s->decisions++;
    if (r->state.job_count > r->s->most_queued)
        r->s->most_queued = r->state.job_count;
    if (r->result.steps > r->s->most_steps)
        r->s->most_steps = r->result.steps;
}

static void apply_one(sim_state *r, uint32_t i)
{
    sim *s = r->s;
    const schedule_decision *d = &r->out[i];
    sim_job *j = &s->jobs[r->queued[i]];
    uint64_t takes = sim_duration(s, j, d->threads == 0 ? 1 : d->threads, d->devices);

    require(r, (d->what == SCHEDULE_REFUSE) == !sim_fits(s, &j->job), "job %llu", sim_id(j));
    if (d->what == SCHEDULE_REFUSE)
        j->state = SIM_REFUSED;
    if (d->what == SCHEDULE_WAIT && d->why == SCHEDULE_BY_CHOICE)
        sim_check_choice(r, j, d);
    if (d->what != SCHEDULE_START)
        return;
    sim_check_grant(r, j, d);
    j->state = SIM_RUNNING;
    j->started = s->now;
    /* A job stopped at its limit uses the whole grace period. */
    j->ended = s->now + (d->limit != 0 && d->limit < takes ? d->limit + s->pool.grace : takes);
    j->holds = (schedule_running){ .token = j->job.token,
        .threads = d->threads,
        .memory = d->memory,
        .devices = d->devices,
        .device_memory = j->job.device_memory,
        .device_alone = j->job.device_alone,
        .ends = d->limit == 0 ? 0 : s->now + d->limit + s->pool.grace,
        .expected = d->expected == 0 ? 0 : s->now + d->expected };
    if (d->in_turn)
        s->tokens[j->job.token].turn = s->now;
    r->runs[r->state.running_count++] = r->queued[i];
}

static void apply(sim_state *r)
{
    uint32_t waiting = 0;
    /* In the order of places, because running jobs are in the order of their starts. */
    for (uint32_t place = 0; place <= r->state.job_count; place++)
        for (uint32_t i = 0; i < r->state.job_count; i++)
            if (r->out[i].place == (place == r->state.job_count ? OM_NONE : place)) {
                waiting += r->out[i].what == SCHEDULE_WAIT;
                apply_one(r, i);
            }
    r->reserved = r->result.reserved;
    for (uint32_t i = 0; i < r->state.running_count; i++)
        r->running[i] = r->s->jobs[r->runs[i]].holds;
    require(r, waiting == 0 || r->state.running_count != 0, "%u wait, but no job runs", waiting);
}

/* The decision is the same with another order of the queue and other scratch memory. */
static void check_same(sim_state *r)
{
    uint32_t n = r->state.job_count;
    schedule_result first = r->result;
    for (uint32_t i = 0; i < n; i++)
        r->before[r->queued[i]] = r->out[i];
    decide(r);
    for (uint32_t i = 0; i < n; i++)
        require(r, same_decision(&r->out[i], &r->before[r->queued[i]]), "job %llu",
            sim_id(&r->s->jobs[r->queued[i]]));
    require(r,
        first.started == r->result.started && first.refused == r->result.refused &&
            first.reserved == r->result.reserved,
        "%u started", first.started);
}

/* S7: after a decision is carried out, another one does nothing. */
static void check_nothing_more(sim_state *r)
{
    decide(r);
    require(r, r->result.started == 0, "%u more", r->result.started);
    require(r, r->result.refused == 0, "%u more", r->result.refused);
    require(r, r->result.reserved == r->reserved, "the head is another");
}

static void use(sim_state *r, uint64_t until)
{
    sim *s = r->s;
    uint64_t ms = until - s->now;
    bool measured = s->measured == 0 || until <= s->measured;
    for (uint32_t t = 0; t < s->token_count; t++) {
        double share = 0;
        for (uint32_t i = 0; i < r->state.running_count; i++)
            if (s->jobs[r->runs[i]].job.token == t)
                share += schedule_share(&s->pool, &s->jobs[r->runs[i]].holds);
        s->tokens[t].usage = schedule_usage(s->tokens[t].usage, share, ms, s->half_life);
        s->served[t] += measured ? share * (double) ms : 0;
    }
}

/* Returns the next time at which a job ends or arrives; UINT64_MAX: never. */
static uint64_t next_event(const sim_state *r)
{
    uint64_t at = UINT64_MAX;
    for (uint32_t i = 0; i < r->s->job_count; i++) {
        const sim_job *j = &r->s->jobs[i];
        uint64_t when = j->state == SIM_COMING    ? j->job.submitted
                        : j->state == SIM_RUNNING ? j->ended
                                                  : UINT64_MAX;
        at = when < at ? when : at;
    }
    return at;
}

static void advance(sim_state *r, uint64_t to)
{
    sim *s = r->s;
    uint32_t left = 0;
    use(r, to);
    s->busy += r->state.running_count != 0 ? to - s->now : 0;
    r->period += r->state.running_count == 0;
    s->now = to;
    for (uint32_t i = 0; i < r->state.running_count; i++) {
        sim_job *j = &s->jobs[r->runs[i]];
        if (j->ended == to)
            j->state = SIM_DONE;
        else
            r->runs[left++] = r->runs[i];
    }
    r->state.running_count = left;
    for (uint32_t i = 0; i < s->job_count; i++)
        if (s->jobs[i].state == SIM_COMING && s->jobs[i].job.submitted <= to) {
            s->jobs[i].state = SIM_QUEUED;
            s->jobs[i].period = r->period;
        }
}

void sim_run(sim *s, const char *what)
{
    size_t n = s->job_count == 0 ? 1 : s->job_count;
    sim_state r = { .s = s, .what = what, .chance = { s->seed } };
    r.queue = calloc(n, sizeof *r.queue);
    r.running = calloc(n, sizeof *r.running);
    r.queued = calloc(n, sizeof *r.queued);
    r.runs = calloc(n, sizeof *r.runs);
    r.out = calloc(n, sizeof *r.out);
    r.before = calloc(n, sizeof *r.before);
    s->pool.devices = s->devices;
    for (uint64_t at; (at = next_event(&r)) != UINT64_MAX;) {
        advance(&r, at);
        decide(&r);
        if (s->looks_twice)
            check_same(&r);
        sim_check_head(&r);
        sim_check_keys(&r);
        apply(&r);
        sim_check_sums(&r);
        if (s->looks_twice)
            check_nothing_more(&r);
    }
    sim_check_end(&r);
    free(r.queue);
    free(r.running);
    free(r.queued);
    free(r.runs);
    free(r.out);
    free(r.before);
}
