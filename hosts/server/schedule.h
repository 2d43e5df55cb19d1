/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h: which queued jobs start now, with what: a function of numbers alone. It takes no
 * memory, asks no clock and keeps nothing. Any thread.
 *
 * The model. A pool has threads, memory and devices. A job holds what it was given until it ends;
 * nothing is taken away or added while it runs: with a number of threads to choose at the start it
 * is moldable (Feitelson, Rudolph: Toward convergence in job schedulers for parallel
 * supercomputers, JSSPP 1996). It ends at its limit at the latest. Whoever calls decides again at
 * each event: a job came, ended, or was cancelled, or the pool changed.
 *
 * Between tokens: fair shares. What a job holds counts as its dominant share, the largest of its
 * parts of the pool's threads, memory and devices (Ghodsi et al.: Dominant resource fairness, NSDI
 * 2011). Usage is that share by time, forgotten by half-lives (Kay, Lauder: A fair share scheduler,
 * CACM 31(1), 1988). The token with the least usage by weight is next, as in stride scheduling
 * (Waldspurger, Weihl, MIT/LCS/TM-528, 1995); what runs and what stands before in the order counts
 * as usage for a horizon ahead, so that one decision does not serve one token alone.
 *
 * Within a token: keys. key = submitted - priority * priority_step, least first, never changing:
 * a priority of p passes those that came up to p steps before, and none that is older. Priorities
 * say nothing between tokens: nobody gains by setting all of them high.
 *
 * The reservation: EASY backfilling (Lifka: The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem,
 * Feitelson, IEEE TPDS 12(6), 2001) for threads, memory and devices together. The first job in the
 * order that cannot start is the head. Its promise S is when, by the limits of what runs, the least
 * that it needs will be free. A job behind it starts if it ends by S, or if what it holds is over
 * at S beside the head. The head stays the head until it starts, whatever comes after it: the
 * caller hands its id back.
 *
 * Turns. A job starts in its turn when no job of its token with a smaller key waits, but by choice.
 * A token is due when it has had no turn for patience * (weights of all tokens / its weight), and a
 * job of it has waited so long; tokens that are due come first in the order, the one due longest
 * before others.
 *
 * Threads and memory where a job leaves them: its token's part of the pool by weight among tokens
 * with jobs, divided by that token's jobs, queued or running (equipartition: McCann, Vaswani,
 * Zahorjan, ACM TOCS 11(2), 1993); then what is left over goes to the jobs that start now. `spare`
 * of both stays for those who come later, or half of what is free, if that is less. Memory is
 * besides at least in proportion to threads.
 *
 * Devices. Those that were asked for are waited for. A job that leaves it gets at most one GPU or
 * accelerator, if that is free, and known to end sooner than its threads: start_ms + states / rate
 * against states / (thread_rate * threads). Where the number of states, or whether there is a
 * terminal or weak part, is not known, it gets one that no queued job is known to gain by. A job
 * gains much where the device takes at most half the time. A device that is free, and a job that
 * gains much, come together before the order is gone through. Where its best device is taken, such
 * a job waits for it if that still takes at most half the time: until who has it is thought to end,
 * and all that came before and gain by it are done (minimum completion time: Ibarra, Kim, J. ACM
 * 24(2), 1977), and not beyond `patience` from its submission. While it waits so by choice it is
 * not in the order: nothing is held back for it. Small jobs never wait for a device.
 *
 * What holds (tests/schedule has a simulator that looks at each at every event):
 *
 * S1  What running and started jobs hold is never more than the pool: threads, memory, and of each
 *     device its slots and memory; a broken one is given to nobody. (A pool that has become smaller
 *     than what runs gives nothing until enough has ended.)
 * S2  The head starts by S, and S does not become later while limits are held and the pool does not
 *     shrink. S <= now + T, T being the longest limit of a job, with `grace`.
 *       A job behind it that ends after S leaves room at S; one that ends before holds nothing at
 *       S. So what was to be free at S is, whatever else has been started.
 * S3  No job starves. With n tokens, a job with k jobs of its token before it (smaller keys; they
 *     were submitted no later than priority_step * 2 * SCHEDULE_PRIORITY after it) starts within
 *         patience + T + (k + 1) * (H + (n + 1) * T),   H = patience * all weights / its weight,
 *     of its submission.
 *       It waits by choice for `patience` at most, and is looked at again when what runs ends (T).
 *       Then its token has a job in the order all the time, and is due H after its last turn, or
 *       before. When it is due, there may be one head (T, S2); and n - 1 others may have been due
 *       before it, one turn each (T each): after a turn a token is due later than this one. Then it
 *       is the head (T) and has its turn. Each turn starts one of the k + 1 jobs.
 *     Without limits there is no T: the same with "whatever runs ends" in its place.
 * S4  Jobs of one token with equal needs start by their keys, but for the head.
 * S5  Due tokens change shares by one job in H: under load shares of usage tend to the weights as
 *     long as patience is no less than T.
 * S6  A job that waits by choice is thought to be done in half the time on the device that it waits
 *     for. Where no job gains much, those of one token start as if there were no device.
 * S7  Deciding once more at the same time, with what was decided done, starts and refuses nothing.
 * S8  What the pool does not have at all is refused, and does not wait for ever.
 *
 * No policy that decides without knowing how long jobs take comes nearer to the best schedule than
 * by 2 - 1/m on m threads (Shmoys, Wein, Williamson: Scheduling parallel machines on-line, SIAM J.
 * Comput. 24(6), 1995), which is what list scheduling always keeps to for jobs of one thread
 * (Graham: Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), 1969). So 90 % of
 * an offline bound cannot be had where one job takes long beside all of them: in Graham's example
 * on 8 threads any such policy has 8/15. On the traces of tests/schedule this one has 0.91 to 0.99
 * where the longest job takes up to a sixth of the time that there is to do something, and 0.86
 * where it takes two fifths.
 *
 * Operations: n queued jobs are sorted at most twice, what runs once, and each is looked at a fixed
 * number of times; one that may have a device looks at the d devices, and t tokens are kept in a
 * heap: O((n + r)(log(n + r + t) + d)). The head's promise is found by halves.
 */
#ifndef OMEND_SCHEDULE_H
#define OMEND_SCHEDULE_H

#include <omen/plugin/base.h>

/* Times are in milliseconds, of whatever clock the caller has; memory is in bytes. */

enum { SCHEDULE_DEVICES = 64 };   /* more are not looked at */
enum { SCHEDULE_PRIORITY = 100 }; /* priorities are from -100 to 100; others count as these */

typedef enum schedule_kind {
    SCHEDULE_GPU,
    SCHEDULE_ACCELERATOR,
    SCHEDULE_CPU /* pocl: given when it is named, and not else */
} schedule_kind;

/* Its number is its place in the pool, that of `omen devices`. */
typedef struct schedule_device {
    schedule_kind kind;
    bool broken;    /* as good as not there */
    uint32_t slots; /* jobs at once; 0 is 1: one job has all of it */
    uint64_t memory;
    uint64_t rate;     /* states/s, measured; 0: not yet, then nobody gets it unasked */
    uint64_t start_ms; /* until the first state: opening it, compiling kernels */
} schedule_device;

typedef struct schedule_pool {
    uint32_t threads;
    uint64_t memory;
    const schedule_device *devices;
    uint32_t device_count;
    uint64_t thread_rate;   /* states/s of one thread, measured; 0: not yet */
    uint32_t spare_threads; /* that jobs which do not say what they need leave; an eighth, say */
    uint64_t spare_memory;
    uint64_t memory_least; /* of a job that does not say; each attempt after the first doubles it */
    uint64_t longest;      /* limit of every job; 0: none, and then S3 promises no time */
    uint64_t grace;        /* that a job may take to end which is at its limit */
    uint64_t patience;     /* no less than `longest`; 0 is 1 */
    uint64_t priority_step;
    uint64_t horizon; /* for which what runs counts as usage ahead; a minute */
} schedule_pool;

typedef struct schedule_token {
    uint32_t weight; /* 0 is 1 */
    double usage;    /* schedule_usage(), now */
    uint64_t turn;   /* when a job of it last started in its turn; 0: never */
} schedule_token;

/* What a job says of devices. */
typedef enum schedule_wish {
    SCHEDULE_AUTO, /* nothing: one where it is worth it */
    SCHEDULE_NONE,
    SCHEDULE_ANY,     /* `devices` of them, GPUs or accelerators */
    SCHEDULE_NUMBERED /* those whose bits are set in `devices` */
} schedule_wish;

/* Is there a part of the property that a device can search, a terminal or weak one? */
typedef enum schedule_part {
    SCHEDULE_PART_UNKNOWN,
    SCHEDULE_PART_YES,
    SCHEDULE_PART_NO
} schedule_part;

/* 0 is "left open" wherever nothing else is said. */
typedef struct schedule_job {
    uint64_t id; /* not 0; no two are equal */
    uint32_t token;
    int32_t priority;
    uint64_t submitted;
    uint32_t threads_least, threads_most;
    uint64_t memory;
    schedule_wish wish;
    uint64_t devices;
    uint64_t device_memory; /* on each; left open: all of it, by its slots */
    bool device_alone;      /* shares a device with nobody */
    schedule_part part;
    uint64_t states;      /* as many are expected */
    uint32_t state_bytes; /* that each of them takes */
    uint64_t limit;
    uint32_t attempt; /* 1: the first; it keeps `submitted` in later ones */
} schedule_job;

/* A job that runs. Given in the order of their starts. */
typedef struct schedule_running {
    uint32_t token;
    uint32_t threads;
    uint64_t memory;
    uint64_t devices; /* bits of their numbers; */
    uint64_t device_memory;
    bool device_alone;
    uint64_t ends;     /* at the latest: its start, its limit and `grace`; 0: not known */
    uint64_t expected; /* when it is thought to end: its start and `expected`; 0: not known */
} schedule_running;

typedef struct schedule_state {
    uint64_t now;
    const schedule_pool *pool;
    const schedule_token *tokens;
    uint32_t token_count;
    const schedule_job *jobs; /* queued, in any order */
    uint32_t job_count;
    const schedule_running *running;
    uint32_t running_count;
    uint64_t reserved; /* `reserved` of the decision before; 0: none */
} schedule_state;

typedef enum schedule_what { SCHEDULE_WAIT, SCHEDULE_START, SCHEDULE_REFUSE } schedule_what;

/* Why a job waits, or is refused. */
typedef enum schedule_why {
    SCHEDULE_OK,
    SCHEDULE_FOR_THREADS, /* `need` of them, `have` are free */
    SCHEDULE_FOR_MEMORY,
    SCHEDULE_FOR_DEVICE, /* `need` devices, `have` that it may have are free */
    SCHEDULE_FOR_HEAD,   /* it would delay job `need`, which holds the reservation */
    SCHEDULE_BY_CHOICE,  /* for device `need`, thought to be free for it in `have` ms */
    SCHEDULE_NO_THREADS, /* the pool has `have` threads, `need` are asked for; */
    SCHEDULE_NO_MEMORY,
    SCHEDULE_NO_DEVICE,     /* no device `need`; */
    SCHEDULE_BROKEN_DEVICE, /* device `need` is marked broken; */
    SCHEDULE_FEW_DEVICES,   /* `need` devices asked for, `have` are fit for it; */
    SCHEDULE_SMALL_DEVICE,  /* device `need` has `have` bytes */
    SCHEDULE_BAD_RANGE      /* at least `need` threads, at most `have` */
} schedule_why;

/* What becomes of the job of the same place. */
typedef struct schedule_decision {
    schedule_what what;
    schedule_why why;
    uint64_t need, have; /* for `why` */
    uint32_t place;      /* in the order, from 0; of a refused one, OM_NONE */
    bool head;           /* it holds the reservation: starts at `until` at the latest; */
    uint64_t until;      /* 0: not known */
    /* Of one that starts: */
    bool in_turn; /* its token's `turn` is now */
    uint32_t threads;
    uint64_t memory; /* its limit */
    uint64_t devices;
    uint64_t limit;    /* ms that it is to be held to; 0: none */
    uint64_t expected; /* ms that it is thought to take; 0: not known */
} schedule_decision;

typedef struct schedule_result {
    uint32_t started, refused;
    uint64_t reserved; /* id of the head; 0: none */
    uint64_t steps;    /* comparisons, and looks at jobs and devices */
} schedule_result;

/* Bytes of scratch memory that a decision needs, aligned as malloc() does; SIZE_MAX: too many. */
size_t schedule_scratch(uint32_t jobs, uint32_t running, uint32_t tokens);

/*
 * Decides for every job: decisions[i] for jobs[i]. Everything is the caller's. OM_EINVAL, with
 * nothing decided, where scratch is too small, or a job or what runs is of a token that there is
 * not. The same input gives the same output.
 */
int schedule_decide(const schedule_state *state, void *scratch, size_t scratch_size,
    schedule_decision *decisions, schedule_result *result);

/* The dominant share of what a job holds, from 0 to 1. */
double schedule_share(const schedule_pool *pool, const schedule_running *held);

/* Usage, in shares by ms, after so many more of them with jobs that hold `share` together (the sum
 * of theirs). half_life 0: nothing is forgotten. Finite, and never negative. */
double schedule_usage(double usage, double share, uint64_t ms, uint64_t half_life);

/*
 * Why a job waits or was refused, in words and without a full stop: "needs 8 threads, 3 are free".
 * Cut off at `size`, like snprintf(), whose result it returns. "" for one that starts.
 */
int schedule_reason(const schedule_decision *decision, uint64_t now, char *text, size_t size);

#endif
