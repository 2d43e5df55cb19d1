/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h: the plan itself, and what holds between a plan, its checks and their tries.
 *
 * A plan does one piece of work at a time, between om_plan__begin() and om_plan__end(): a check, an
 * exploration, a replay. A check (om_check, verdict/verdict.h) makes one try after another until
 * one has an answer. A try (om_try, schedule/try.h) splits the target's automaton into parts by
 * strength, and each part has up to two attempts (om_attempt), one on the CPU and one on a device.
 *
 * Threads: the plan's own thread is the one that called the public function. The watcher, the
 * opener, and the threads of parts and of racing attempts serve one plan. Hosts may ask for figures
 * or stop a control from any thread.
 *
 * P1  The members above `devices` never change after om_plan_new(); all threads may read them. A
 *     piece of work has options of its own: the plan's, or a changed copy (core/explain/without.c).
 *
 * P2  Only the plan's own thread changes the model's form, and only while no executor is open.
 *
 * P3  Only the plan's own thread uses `memory` and `last`, and writes them only while no part runs.
 *
 * P4  The members of om_supervisor, om_part, om_attempt and om_opener that are marked so are
 *     guarded by the supervisor's lock, whose holder calls no driver.
 *
 * P5  Limits do not change between om_plan__begin() and om_plan__end(). At most one piece of work
 *     is registered with the supervisor, and only while it may run.
 *
 * P6  The list of devices belongs to the opener while its thread runs and is not done, else to the
 *     plan's own thread.
 *
 * P7  Options, target and form of a try do not change once its parts have been made. Nothing is
 *     written back: the next try starts from the options of the last one (check/retry.c).
 *
 * P8  A part has one answer, one of its two attempts. `answer` changes from the device to the CPU
 *     if the device fails, or from the CPU to the device that wins the race.
 */
#ifndef OMEN_PLAN_PLAN_H
#define OMEN_PLAN_PLAN_H

#include <omen/host/plan.h>

#include <pthread.h>

struct om_code_use; /* execute/executor.h */

/* Grace period after the time limit in which a counterexample may still be written, in ns. */
#define OM_PLAN_AFTER_NS UINT64_C(500000000)

/* The opener of the device that races (opener.c) */
typedef struct om_opener {
    pthread_t thread;
    om_device *device; /* written before `done`; NULL: no device, or the opener was recalled */
    /* under the supervisor's lock */
    om_context *ctx; /* child of the plan's context */
    bool running;    /* a thread exists and must be joined */
    bool engaged;    /* inside a driver, which cannot be interrupted */
    bool done;       /* the thread is about to end */
    bool knows;      /* the result is valid for the plan's life */
} om_opener;

/* Devices; opened once for all checks of a plan */
typedef struct om_plan_devices {
    om_context *ctx;   /* separate, because devices may be opened in the background */
    om_devices *list;  /* P6 */
    om_device *device; /* the device that the options name */
    om_opener opener;
} om_plan_devices;

/* Work in progress that has figures. Its functions are called under the supervisor's lock. */
typedef struct om_watched {
    void *self; /* NULL: none */
    /* Adds the figures so far. */
    void (*figures)(void *self, om_progress *out);
    /* Called by the watcher, with the states of work that has ended and the limit on states (0:
     * none); or NULL. */
    void (*watch)(void *self, uint64_t states, uint64_t most);
} om_watched;

/* The supervisor enforces the limits of a plan's work and keeps its figures (supervise.c). */
typedef struct om_supervisor {
    om_watcher *watcher;
    om_limits limits; /* of the work, as the options have them (P5) */
    uint64_t started_ns;
    pthread_mutex_t lock; /* P4 */
    pthread_cond_t news;  /* signalled by the opener, and for attempts that race */
    /* under the lock */
    om_watched watched;           /* P5 */
    uint64_t states, transitions; /* of work that has ended */
    om_levels levels;             /* likewise, or of an exploration on a device */
} om_supervisor;

/* What a plan carries from one piece of work to the next (P3) */
typedef struct om_plan_memory {
    size_t checks_left;      /* om_plan_share_time() */
    bool ignores_assertions; /* of explorations: om_plan_ignore_assertions() */
    bool knows_assertions;   /* a failed one has been reported: checks ignore them */
    bool told_overflow;      /* a warning has been issued */
    bool traced_overflow;    /* a trace to one has been searched for */
    bool no_device;          /* the named device was not available: the CPU checks everything */
    uint8_t *bits;           /* [open slot of the model]: for searches; NULL: not known yet */
    unsigned widened;        /* how many times bits were added */
    bool asked_endless;      /* `endless` has been determined */
    char *endless;           /* reason why no search of all states can end, or NULL */
} om_plan_memory;

/* What hosts may ask about the last check or exploration (P3) */
typedef struct om_plan_last {
    om_fault fault; /* that ended it, or 0 */
    om_overflow_report overflows;
    /* of explorations only */
    uint64_t verified, hidden; /* hidden: states that properties do not see */
    om_device_costs costs;
    char *gave_up; /* why a device gave up, or NULL */
    bool has_code;
    om_code_report code;
} om_plan_last;

struct om_plan {
    om_context *ctx;
    const om_heap *heap;
    const om_registry *registry;
    const om_frontend *frontend;
    om_model *model; /* NULL for om_plan_empty(); its form changes (P2) */
    const om_plan_options options;
    unsigned threads;
    om_plan_devices devices;
    om_supervisor supervisor;
    om_plan_memory memory;
    om_plan_last last;
};

/* Closes an executor (or NULL) of the plan's model. Adds its figures to the report; its opening
 * began at since_ns, and `use` is what workers did with its code. */
void om_plan__close_executor(
    om_plan *p, om_executor *x, uint64_t since_ns, const struct om_code_use *use);

/* Frees the overflow report of the last work. */
void om_plan__forget_report(om_plan *p);

#endif
