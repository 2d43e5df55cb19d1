/* SPDX-License-Identifier: Apache-2.0 */
/* schedule_impl.h: what the files of the scheduling policy share; its model is in schedule.h. */
#ifndef OMEND_SCHEDULE_IMPL_H
#define OMEND_SCHEDULE_IMPL_H

#include "schedule.h"

static const uint64_t SCHEDULE_NEVER = UINT64_MAX; /* the end of what has no limit */

/* What of a device is held. */
typedef struct schedule_load {
    uint64_t memory;
    uint64_t soonest; /* when the first of its jobs is thought to end */
    uint32_t jobs;
    bool alone;
} schedule_load;

/* What of the pool is held, now or at some time. */
typedef struct schedule_room {
    uint64_t threads, memory;
    schedule_load devices[SCHEDULE_DEVICES];
} schedule_room;

/* A job's needs, with what it left open filled in. */
typedef struct schedule_need {
    int64_t key;
    uint64_t memory; /* at least */
    bool moldable;   /* in memory: more is welcome */
    bool maybe;      /* whether a device gains is not known */
    bool seen;       /* looked at in this decision */
    uint32_t least, most;
    uint32_t count; /* devices that it must have, */
    uint64_t set;   /* out of these; with count 0 it may have one of them, */
    uint64_t worth; /* which of these are known to gain; */
    uint64_t much;  /* by half or more; */
    uint32_t best;  /* the fastest of them, */
    double before;  /* and ms on it of jobs that may want it, too, and came earlier */
    uint64_t limit; /* 0: none */
    uint64_t ends;  /* if it starts now */
} schedule_need;

/* A token in this decision: its jobs are order[begin] to order[end - 1], by their keys. */
typedef struct schedule_queue {
    double ahead; /* usage by weight, with what is ahead */
    uint64_t due; /* SCHEDULE_NEVER: not yet, or it has had its turn */
    uint64_t oldest;
    uint64_t jobs; /* queued and running */
    uint32_t begin, next, end;
    bool waits; /* a job of it was passed: those behind it start out of turn */
} schedule_queue;

typedef struct schedule_plan {
    const schedule_state *in;
    const schedule_pool *pool;
    schedule_decision *out;
    schedule_result *result;
    schedule_need *needs;
    uint32_t *order;        /* jobs in the queues, by token and key */
    schedule_queue *queues; /* of each token */
    uint32_t *heap;         /* tokens with jobs left, the next one first */
    schedule_running *held; /* what runs, then what starts, */
    uint32_t *starts;       /* which jobs those are, */
    uint32_t *ends;         /* and all of it by its end */
    uint32_t heap_count, held_count, start_count;
    uint32_t place;
    uint64_t weights;         /* of tokens with jobs */
    uint64_t wanted;          /* devices that some queued job is known to gain by, or asks for */
    uint64_t gains;           /* devices by which some queued job gains much */
    uint32_t head;            /* OM_NONE: none yet; */
    uint64_t promise;         /* its S, */
    schedule_room now, later; /* and what is held at S, with what it needs */
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

/* Fills in needs, and refuses; then what depends on which other jobs there are. */
void schedule__needs(schedule_plan *p);
/* The threads, and the memory, that a job that leaves them open is meant to have. */
uint32_t schedule__threads_meant(const schedule_plan *p, uint32_t job);
uint64_t schedule__memory_meant(const schedule_plan *p, uint32_t job, uint32_t threads);
/* Milliseconds that it takes on so many threads, or on a device; only where states and rates are
 * known. */
double schedule__on_threads(const schedule_plan *p, uint32_t job, uint32_t threads);
double schedule__on_device(const schedule_plan *p, uint32_t job, uint32_t device);

/* ---- schedule_order.c ---- */

typedef bool schedule_before_fn(schedule_plan *p, uint32_t x, uint32_t y);
/* By heapsort: no memory, and the same order for the same input. `before` is a total order. */
void schedule__sort(schedule_plan *p, uint32_t *items, uint32_t count, schedule_before_fn *before);
/* Sorts the jobs that were not refused into the queues of their tokens, and weighs these. */
void schedule__queues(schedule_plan *p);
/* Makes the heap of tokens with jobs, from the first of each on. */
void schedule__heap(schedule_plan *p);
/* The next job in the order; OM_NONE: all were looked at. */
uint32_t schedule__next(schedule_plan *p);
/* What a job of the token holds counts as usage for the horizon. */
void schedule__count_ahead(schedule_plan *p, uint32_t token, const schedule_running *held);

/* ---- schedule_room.c ---- */

/* The memory that a job has of a device. */
uint64_t schedule__device_part(const schedule_device *device, uint64_t memory, bool alone);
void schedule__take(const schedule_pool *pool, schedule_room *room, const schedule_running *held);
bool schedule__open(
    const schedule_plan *p, const schedule_room *room, uint32_t device, const schedule_job *job);
/* The fastest `count` devices of the set that are open in both rooms (b may be NULL); 0: there are
 * fewer, and *found is how many. */
uint64_t schedule__pick(schedule_plan *p, const schedule_room *a, const schedule_room *b,
    uint32_t job, uint64_t set, uint32_t count, uint32_t *found);
/* The job becomes the head: its promise, and the room that is left beside it then. */
void schedule__reserve(schedule_plan *p, uint32_t job);

#endif
