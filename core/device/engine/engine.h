/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: an exploration by one device or several, its members. */
#ifndef OM_DEVICE_ENGINE_H
#define OM_DEVICE_ENGINE_H

#include "member.h"

typedef enum om_engine_verdict {
    OM_ENGINE_GOES_ON,
    OM_ENGINE_DONE,
    OM_ENGINE_HIT,
    OM_ENGINE_FAULT,
    OM_ENGINE_FULL,
    OM_ENGINE_FAILED
} om_engine_verdict;

struct om_engine {
    om_context *ctx;
    const om_heap *heap;
    om_engine_spec spec;
    om_member *members;
    uint32_t count, words, row;
    bool has_barrier, explored;
    bool complete;        /* explored to the end */
    pthread_mutex_t lock; /* guards the three numbers */
    pthread_cond_t all_here;
    uint32_t expected, waiting;
    uint64_t turn;
    /* Used by member 0 while it explores (see level_bfs.c). */
    om_row_list initial;
    uint8_t *stop_at; /* a copy, or NULL */
    om_levels levels;
    uint64_t ends[OM_LEVELS_SHOWN + 1]; /* level n, from 1 on, ends before state ends[n % size] */
    om_exploration *out;
    om_engine_verdict verdict;
    uint64_t hidden;      /* states in which AP 0 does not hold: hidden.h */
    om_exploration found; /* figures of the exploration (the caller owns the vectors) */
    bool trimmed;         /* it was trimmed, and nothing stayed */
    uint64_t rounds;      /* rounds of that */
    bool fixed;           /* that was a fixpoint */
    om_marks sets;        /* for these sets */
};

/* om_engine_open() with initial sizes for each device. */
int om_engine__open(
    om_engine **out, om_context *ctx, const om_engine_spec *spec, const om_tuning *tuning);

/* Explores, with members in their state after opening: e->verdict is the reason for the end, and
 * *out has the figures. Returns the error of a member or of the context, or OM_OK. */
int om_engine__run(om_engine *e, om_exploration *out);

/* After a complete exploration that found nothing: repeats it, and the trimming. Returns
 * OM_EINTERNAL if the device does not get the same results; else the statuses of
 * om_engine_explore() and om_engine_trim(). */
int om_engine__recheck(om_engine *e);

/* Records that results of a device, the engine's or a member's, are not reliable. Returns
 * OM_EINTERNAL. */
int om_engine__wrong(const om_engine *e, const om_device *d, const char *what);

/* Waits until all members have called it. */
void om_engine__barrier(om_engine *e);

#endif
