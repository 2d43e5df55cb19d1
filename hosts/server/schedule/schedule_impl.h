/* SPDX-License-Identifier: Apache-2.0 */
/* schedule_impl.h: shared by the files of the scheduling policy; the model is in schedule.h. */
#ifndef OMEND_SCHEDULE_IMPL_H
#define OMEND_SCHEDULE_IMPL_H

#include "schedule.h"

static const uint64_t SCHEDULE_NEVER = UINT64_MAX; /* end of a job without a limit */

/* The part of a device that is held. */
typedef struct schedule_load {
    uint64_t memory;
    uint64_t soonest; /* expected end of the first of its jobs to end */
    uint32_t jobs;
    bool alone;
} schedule_load;

/* The part of the pool that is held, now or at some time. */
typedef struct schedule_room {
    uint64_t threads, memory;
    schedule_load devices[SCHEDULE_DEVICES];
} schedule_room;

/* A job's needs, including those that it left open. */
typedef struct schedule_need {
    int64_t key;
    uint64_t memory; /* minimum */
    bool moldable;   /* for memory: the job can use more */
    bool maybe;      /* unknown whether a device gains */
    bool seen;       /* considered in this decision */
    uint32_t least, most;
    uint32_t count; /* number of devices that the job must have */
    uint64_t set;   /* devices to choose from; if count is 0, the job may have one of them */
    uint64_t worth; /* devices of `set` that are known to gain */
    uint64_t much;  /* devices of `worth` that take at most half the time */
    uint32_t best;  /* fastest device of `set` */
    double before;  /* ms of earlier jobs on `best` that gain by it, too */
    uint64_t limit; /* 0: none */
    uint64_t ends;  /* latest end if the job starts now */
} schedule_need;

/* A token in this decision: its jobs are order[begin] to order[end - 1], by key. */
typedef struct schedule_queue {
    double ahead; /* usage by weight, including usage ahead */
    uint64_t due; /* SCHEDULE_NEVER: not due yet, or has had its turn */
    uint64_t oldest;
    uint64_t jobs; /* queued and running */
    uint32_t begin, next, end;
    bool waits; /* a job of the token was passed: later ones start out of turn */
} schedule_queue;

typedef struct schedule_plan {
    const schedule_state *in;
    const schedule_pool *pool;
    schedule_decision *out;
    schedule_result *result;
    schedule_need *needs;
    uint32_t *order;        /* queued jobs, by token and key */
    schedule_queue *queues; /* one for each token */
    uint32_t *heap;         /* tokens with jobs left, the next one first */
    schedule_running *held; /* running jobs, then started jobs */
    uint32_t *starts;       /* started jobs */
    uint32_t *ends;         /* indices into `held`, by end */
    uint32_t heap_count, held_count, start_count;
    uint32_t place;
    uint64_t weights;         /* sum over the tokens with jobs */
    uint64_t wanted;          /* devices that some queued job is known to gain by, or asks for */
    uint64_t gains;           /* devices by which some queued job gains much */
    uint32_t head;            /* a job; OM_NONE: none yet */
    uint64_t promise;         /* S of the head */
    schedule_room now, later; /* held now; held at S, including the head's needs */
} schedule_plan;

static inline uint64_t schedule__add(uint64_t x, uint64_t y)
{
    return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}

static inline uint64_t schedule__less(uint64_t x, uint64_t y)
{
    return x > y ? x - y : 0;
}

static inline uint64_t schedule__min(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

static inline uint64_t schedule__max(uint64_t x, uint64_t y)
{
    return x > y ? x : y;
}

static inline uint32_t schedule__device_count(const schedule_pool *pool)
{
    return pool->device_count < SCHEDULE_DEVICES ? pool->device_count : SCHEDULE_DEVICES;
}

static inline uint64_t schedule__weight(const schedule_token *token)
{
    return token->weight == 0 ? 1 : token->weight;
}

/* ---- schedule_needs.c ---- */

/* Fills in the needs of all jobs and refuses jobs; then computes what depends on other jobs. */
void schedule__needs(schedule_plan *p);
/* Return the threads and the memory for a job that leaves them open. */
uint32_t schedule__threads_meant(const schedule_plan *p, uint32_t job);
uint64_t schedule__memory_meant(const schedule_plan *p, uint32_t job, uint32_t threads);
/* Return the expected milliseconds on a number of threads or on a device. States and rates must be
 * known. */
double schedule__on_threads(const schedule_plan *p, uint32_t job, uint32_t threads);
double schedule__on_device(const schedule_plan *p, uint32_t job, uint32_t device);

/* ---- schedule_order.c ---- */

typedef bool schedule_before_fn(schedule_plan *p, uint32_t x, uint32_t y);
/* Heapsort: no allocation, and the same order for the same input. `before` is a total order. */
void schedule__sort(schedule_plan *p, uint32_t *items, uint32_t count, schedule_before_fn *before);
/* Sorts the jobs that were not refused into the queues of their tokens, and weighs the tokens. */
void schedule__queues(schedule_plan *p);
/* Builds the heap of tokens with jobs; each queue starts at its first job. */
void schedule__heap(schedule_plan *p);
/* Returns the next job in the order; OM_NONE if all were visited. */
uint32_t schedule__next(schedule_plan *p);
/* Counts what a job of the token holds as usage for the horizon. */
void schedule__count_ahead(schedule_plan *p, uint32_t token, const schedule_running *held);

/* ---- schedule_room.c ---- */

/* Returns the memory that a job gets on a device. */
uint64_t schedule__device_part(const schedule_device *device, uint64_t memory, bool alone);
void schedule__take(const schedule_pool *pool, schedule_room *room, const schedule_running *held);
bool schedule__open(
    const schedule_plan *p, const schedule_room *room, uint32_t device, const schedule_job *job);
/* Returns the fastest `count` devices of the set that are open in both rooms (b may be NULL); 0 if
 * there are fewer. *found is the number of open devices. */
uint64_t schedule__pick(schedule_plan *p, const schedule_room *a, const schedule_room *b,
    uint32_t job, uint64_t set, uint32_t count, uint32_t *found);
/* Makes the job the head: computes its promise and the resources held at that time. */
void schedule__reserve(schedule_plan *p, uint32_t job);

#endif
