/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h: decides which queued jobs start now, and with which resources. The decision is a
 * function of numbers: it allocates no memory, reads no clock and keeps no state. Thread-safe.
 *
 * The model. A pool has threads, memory and devices. A job holds its resources until it ends;
 * nothing is taken away or added while it runs. A job whose number of threads is chosen at the
 * start is moldable (Feitelson, Rudolph: Toward convergence in job schedulers for parallel
 * supercomputers, JSSPP 1996). A job ends at its limit at the latest. The caller decides again at
 * each event: a job arrived, ended, or was cancelled, or the pool changed.
 *
 * Between tokens: fair shares. What a job holds counts as its dominant share, the largest of its
 * shares of the pool's threads, memory and devices (Ghodsi et al.: Dominant resource fairness, NSDI
 * 2011). Usage is that share times time, and decays by half-lives (Kay, Lauder: A fair share
 * scheduler, CACM 31(1), 1988). The token with the least usage by weight is next, as in stride
 * scheduling (Waldspurger, Weihl, MIT/LCS/TM-528, 1995). Running jobs and jobs earlier in the order
 * count as usage for a horizon ahead, so that one decision does not serve a single token only.
 *
 * Within a token: keys. key = submitted - priority * priority_step; the least is first, and keys
 * never change. A priority of p passes jobs that arrived up to p steps before, and no older ones.
 * Priorities have no effect between tokens: setting all of them high gains nothing.
 *
 * The reservation: EASY backfilling (Lifka: The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem,
 * Feitelson, IEEE TPDS 12(6), 2001) for threads, memory and devices together. The first job in the
 * order that cannot start is the head. Its promise S is the time at which, by the limits of the
 * running jobs, the least that it needs will be free. A later job in the order starts if it ends by
 * S, or if the resources that it holds at S are spare next to the head's. The head stays the head
 * until it starts, whatever arrives after it: the caller passes its id back.
 *
 * Turns. A job starts in turn if no job of its token with a smaller key waits, except by choice. A
 * token is due if it has had no turn for patience * (weights of all tokens / its weight), and one
 * of its jobs has waited that long. Due tokens come first in the order, the one due longest before
 * the others.
 *
 * Threads and memory of a job that leaves them open: its token's part of the pool by weight among
 * tokens with jobs, divided by that token's jobs, queued or running (equipartition: McCann,
 * Vaswani, Zahorjan, ACM TOCS 11(2), 1993); the rest then goes to the jobs that start now. `spare`
 * of both, or half of what is free if that is less, is kept for later jobs. Memory is also at least
 * in proportion to threads.
 *
 * Devices. A job waits for devices that it asks for. A job that leaves the choice open gets at most
 * one GPU or accelerator, if the device is free and known to end sooner than the job's threads:
 * start_ms + states / rate against states / (thread_rate * threads). If the number of states is
 * unknown, or it is unknown whether there is a terminal or weak part, the job gets a device that no
 * queued job is known to gain by. A job gains much if the device takes at most half the time. Free
 * devices are matched with jobs that gain much before the order is gone through. If its best device
 * is taken, such a job waits for the device as long as that still takes at most half the time:
 * until the device's current job is expected to end, and all earlier jobs that gain by the device
 * are done (minimum completion time: Ibarra, Kim, J. ACM 24(2), 1977), and at most `patience` from
 * its submission. While it waits by choice it is not in the order: nothing is held back for it.
 * Small jobs never wait for a device.
 *
 * Guarantees (tests/schedule has a simulator that checks each of them at every event):
 *
 * S1  What running and started jobs hold is never more than the pool: threads, memory, and of each
 *     device its slots and memory; a broken device is never assigned. (A pool that has become
 *     smaller than what runs starts nothing until enough jobs have ended.)
 * S2  The head starts by S, and S does not become later while limits are held and the pool does not
 *     shrink. S <= now + T, where T is the longest limit of a job, including `grace`.
 *       A later job that ends after S leaves room at S; one that ends before S holds nothing at S.
 *       So the resources promised for S are free then, whatever else is started.
 * S3  No job starves. With n tokens, a job with k jobs of its token before it (smaller keys; they
 *     were submitted no later than priority_step * 2 * SCHEDULE_PRIORITY after it) starts within
 *         patience + T + (k + 1) * (H + (n + 1) * T),   H = patience * all weights / its weight,
 *     of its submission.
 *       It waits by choice for `patience` at most, and is considered again when a running job ends
 *       (T). From then on its token always has a job in the order, and is due H after its last turn
 *       or earlier. When the token is due, there may be one head (T, S2), and n - 1 other tokens
 *       may have become due before it, with one turn each (T each): after a turn a token is due
 *       later than this one. Then its job is the head (T) and has its turn. Each turn starts one of
 *       the k + 1 jobs.
 *     Without limits there is no T: the same holds with "until all running jobs end" in its place.
 * S4  Jobs of one token with equal needs start in the order of their keys, except for the head.
 * S5  Due tokens change shares by one job in H: under load, shares of usage tend to the weights as
 *     long as patience is no less than T.
 * S6  A job that waits by choice is expected to be done in half the time on the device that it
 *     waits for. If no job gains much, jobs of one token start as if there were no device.
 * S7  A second decision at the same time, after the first was carried out, starts and refuses
 *     nothing.
 * S8  A job that needs more than the whole pool is refused, and does not wait for ever.
 *
 * No policy that decides without knowing the durations of jobs comes nearer to the best schedule
 * than by 2 - 1/m on m threads (Shmoys, Wein, Williamson: Scheduling parallel machines on-line,
 * SIAM J. Comput. 24(6), 1995). List scheduling always meets this bound for jobs of one thread
 * (Graham: Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), 1969). So 90 % of
 * an offline bound is impossible if one job takes long next to all of them: in Graham's example on
 * 8 threads any such policy has 8/15. On the traces of tests/schedule this policy has 0.91 to 0.99
 * if the longest job takes up to a sixth of the time during which there is work, and 0.86 if it
 * takes two fifths.
 *
 * Operations: n queued jobs are sorted at most twice, r running jobs once, and each is visited a
 * fixed number of times. A job that may have a device visits the d devices, and t tokens are kept
 * in a heap: O((n + r)(log(n + r + t) + d)). The head's promise is found by binary search.
 */
#ifndef OMEND_SCHEDULE_H
#define OMEND_SCHEDULE_H

#include <omen/plugin/base.h>

/* Times are in milliseconds of the caller's clock; memory is in bytes. */

enum { SCHEDULE_DEVICES = 64 };   /* further devices are ignored */
enum { SCHEDULE_PRIORITY = 100 }; /* priorities are from -100 to 100; others are clamped */

typedef enum schedule_kind {
    SCHEDULE_GPU,
    SCHEDULE_ACCELERATOR,
    SCHEDULE_CPU /* pocl: assigned only if a job names it */
} schedule_kind;

/* A device. Its number is its index in the pool, as in `omen devices`. */
typedef struct schedule_device {
    schedule_kind kind;
    bool broken;    /* never assigned */
    uint32_t slots; /* jobs at once; 0 counts as 1: one job has the whole device */
    uint64_t memory;
    uint64_t rate;     /* states/s, measured; 0: not yet, then assigned only on request */
    uint64_t start_ms; /* time until the first state: opening the device, compiling kernels */
} schedule_device;

typedef struct schedule_pool {
    uint32_t threads;
    uint64_t memory;
    const schedule_device *devices;
    uint32_t device_count;
    uint64_t thread_rate;   /* states/s of one thread, measured; 0: not yet */
    uint32_t spare_threads; /* kept free by jobs that do not state their needs; an eighth, say */
    uint64_t spare_memory;
    uint64_t memory_least; /* of a job that does not state it; later attempts double it */
    uint64_t longest;      /* upper bound of all limits; 0: none, and then S3 promises no time */
    uint64_t grace;        /* time in which a job that has reached its limit ends */
    uint64_t patience;     /* no less than `longest`; 0 counts as 1 */
    uint64_t priority_step;
    uint64_t horizon; /* time for which held resources count as usage ahead; a minute, say */
} schedule_pool;

typedef struct schedule_token {
    uint32_t weight; /* 0 counts as 1 */
    double usage;    /* schedule_usage() up to now */
    uint64_t turn;   /* last time a job of the token started in turn; 0: never */
} schedule_token;

/* Devices that a job asks for. */
typedef enum schedule_wish {
    SCHEDULE_AUTO, /* unspecified: one device if it pays */
    SCHEDULE_NONE,
    SCHEDULE_ANY,     /* any GPUs or accelerators; `devices` is their number */
    SCHEDULE_NUMBERED /* the devices whose bits are set in `devices` */
} schedule_wish;

/* Whether the property has a part that a device can search: a terminal or weak one. */
typedef enum schedule_part {
    SCHEDULE_PART_UNKNOWN,
    SCHEDULE_PART_YES,
    SCHEDULE_PART_NO
} schedule_part;

/* A queued job. 0 means "left open" unless stated otherwise. */
typedef struct schedule_job {
    uint64_t id; /* unique and not 0 */
    uint32_t token;
    int32_t priority;
    uint64_t submitted;
    uint32_t threads_least, threads_most;
    uint64_t memory;
    schedule_wish wish;
    uint64_t devices;
    uint64_t device_memory; /* on each device; left open: all of it, divided by the slots */
    bool device_alone;      /* the job shares no device */
    schedule_part part;
    uint64_t states;      /* expected number of states */
    uint32_t state_bytes; /* size of a state */
    uint64_t limit;
    uint32_t attempt; /* 1 for the first; later attempts keep `submitted` */
} schedule_job;

/* A running job. The array is in the order of the starts. */
typedef struct schedule_running {
    uint32_t token;
    uint32_t threads;
    uint64_t memory;
    uint64_t devices; /* as bits */
    uint64_t device_memory;
    bool device_alone;
    uint64_t ends;     /* latest end: start, limit and `grace`; 0: unknown */
    uint64_t expected; /* expected end: start and `expected` of the decision; 0: unknown */
} schedule_running;

typedef struct schedule_state {
    uint64_t now;
    const schedule_pool *pool;
    const schedule_token *tokens;
    uint32_t token_count;
    const schedule_job *jobs; /* queued jobs, in any order */
    uint32_t job_count;
    const schedule_running *running;
    uint32_t running_count;
    uint64_t reserved; /* `reserved` of the previous decision; 0: none */
} schedule_state;

typedef enum schedule_what { SCHEDULE_WAIT, SCHEDULE_START, SCHEDULE_REFUSE } schedule_what;

/* Why a job waits or is refused. */
typedef enum schedule_why {
    SCHEDULE_OK,
    SCHEDULE_FOR_THREADS, /* needs `need` threads, `have` are free */
    SCHEDULE_FOR_MEMORY,
    SCHEDULE_FOR_DEVICE, /* needs `need` devices, `have` suitable ones are free */
    SCHEDULE_FOR_HEAD,   /* would delay job `need`, which holds the reservation */
    SCHEDULE_BY_CHOICE,  /* waits for device `need`, expected to be free for it in `have` ms */
    SCHEDULE_NO_THREADS, /* needs `need` threads, the pool has `have` */
    SCHEDULE_NO_MEMORY,
    SCHEDULE_NO_DEVICE,     /* there is no device `need` */
    SCHEDULE_BROKEN_DEVICE, /* device `need` is marked broken */
    SCHEDULE_FEW_DEVICES,   /* asks for `need` devices, `have` are suitable */
    SCHEDULE_SMALL_DEVICE,  /* device `need` has only `have` bytes */
    SCHEDULE_BAD_RANGE      /* at least `need` threads, but at most `have` */
} schedule_why;

/* The decision on the job with the same index. */
typedef struct schedule_decision {
    schedule_what what;
    schedule_why why;
    uint64_t need, have; /* values for `why` */
    uint32_t place;      /* position in the order, from 0; OM_NONE for a refused job */
    bool head;           /* holds the reservation: starts at `until` at the latest */
    uint64_t until;      /* 0: unknown */
    /* Only for a job that starts: */
    bool in_turn; /* the token's `turn` is now */
    uint32_t threads;
    uint64_t memory; /* the job's limit */
    uint64_t devices;
    uint64_t limit;    /* time limit in ms; 0: none */
    uint64_t expected; /* expected duration in ms; 0: unknown */
} schedule_decision;

typedef struct schedule_result {
    uint32_t started, refused;
    uint64_t reserved; /* id of the head; 0: none */
    uint64_t steps;    /* comparisons, and visits of jobs and devices */
} schedule_result;

/* Returns the bytes of scratch memory, aligned as by malloc(), for a decision; SIZE_MAX: too
 * many. */
size_t schedule_scratch(uint32_t jobs, uint32_t running, uint32_t tokens);

/*
 * Decides on every job: decisions[i] is for jobs[i]. The caller owns all memory. Returns OM_EINVAL
 * without a decision if scratch is too small, or if the token of a queued or running job does not
 * exist. The same input gives the same output.
 */
int schedule_decide(const schedule_state *state, void *scratch, size_t scratch_size,
    schedule_decision *decisions, schedule_result *result);

/* Returns the dominant share of what a job holds, from 0 to 1. */
double schedule_share(const schedule_pool *pool, const schedule_running *held);

/* Returns the usage, in shares times ms, after `ms` more milliseconds in which the token's jobs
 * hold `share` (the sum of their shares). half_life 0: usage does not decay. The result is finite
 * and never negative. */
double schedule_usage(double usage, double share, uint64_t ms, uint64_t half_life);

/*
 * Writes why a job waits or was refused, without a full stop: "needs 8 threads, 3 are free".
 * Truncates at `size` like snprintf(), and returns the same. "" for a job that starts.
 */
int schedule_reason(const schedule_decision *decision, uint64_t now, char *text, size_t size);

#endif
