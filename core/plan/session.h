/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h: what the files of core/plan share.
 *
 * A plan checks one property at a time. The property becomes a target; the target's automaton
 * becomes one job a part; the jobs run, each with a context and a control of its own, so that one
 * that fails on a device can be given to a CPU checker while the others go on.
 */
#ifndef OMEN_PLAN_SESSION_H
#define OMEN_PLAN_SESSION_H

#include <omen/plan.h>

#include <pthread.h>

enum { OM_PLAN_JOBS = 3 };

/* What is to be checked, and what a counterexample must show. */
typedef struct om_target {
    char *name;                    /* for the report */
    om_automaton *owned;           /* or NULL where the model owns it */
    const om_automaton *automaton; /* of forbidden runs */
    om_expr *aps;
    uint32_t ap_count, deadlock_ap;
    om_ltl *ltl; /* or NULL */
    om_expr *ltl_aps;
    bool trace;  /* the counterexample is a finite trace... */
    om_expr bad; /* ... to a state where this holds (0: a deadlock) */
    om_claim claim;
} om_target;

/* One part with the checker chosen for it. */
typedef struct om_job om_job;
struct om_job {
    om_plan *plan;
    om_context *ctx;      /* of its own; notes go on to the plan's */
    om_strength strength; /* of the part, for the report */
    om_strength claimed;  /* as which it is checked */
    om_automaton *owned;
    const om_automaton *automaton;
    const om_checker *checker, *fallback; /* fallback: where the device fails; or NULL */
    om_job *rival; /* the same part for a device that may come later: race.c; or NULL */
    om_job *of;    /* whose rival this is, or NULL */
    const char *options;
    om_device *device;
    unsigned workers;
    om_task_spec spec;
    pthread_t thread;
    bool started, threaded;
    int rc;
    om_task_result result;
    /* guarded by the plan's lock */
    om_control *control;
    om_task *task;
    uint64_t done_states, done_transitions; /* of the last task, in the plan's sums */
    bool running;
    bool joined; /* a rival that has its device */
    bool alone;  /* a rival whose part ran out of memory on the CPU */
};

/* Who looks for the device that races: race.c. */
typedef struct om_scout {
    pthread_t thread;
    om_device *device; /* written before `done`; NULL: there is none, or it was recalled */
    /* guarded by the plan's lock */
    om_control *control;
    bool sent;    /* there is a thread, to be joined */
    bool engaged; /* in a driver, which cannot be interrupted */
    bool done;    /* it is about to end */
    bool knows;   /* its answer is good for the plan's life */
} om_scout;

struct om_plan {
    om_context *ctx;
    const om_heap *heap;
    const om_registry *registry;
    const om_frontend *frontend;
    om_model *model; /* NULL for om_plan_empty() */
    om_plan_options options;
    unsigned threads;
    om_control *control;    /* of the session: somebody outside may stop it */
    om_context *device_ctx; /* of the devices, which may be opened in the background */
    om_devices *devices;    /* the scout's while it is out; else the plan's own thread's */
    om_device *device;
    bool device_tried;
    bool stutter;         /* runs that end repeat their last state, in this check */
    bool side_by_side;    /* S1: the jobs of this check run together */
    pthread_mutex_t lock; /* guards what follows, and the jobs' marked members */
    pthread_cond_t wake;  /* ends the watcher's nap */
    pthread_cond_t news;  /* of the scout, or for rivals */
    om_scout scout;
    om_job *jobs[OM_PLAN_JOBS];
    size_t job_count;
    om_control *aside; /* of what is not a job: getting ready, the search for a counterexample */
    om_product *exploring; /* by om_plan_explore() on the CPU, or NULL */
    bool exploring_there;  /* on a device */
    bool watching;
    pthread_t watcher;
    uint64_t started_ns, done_states, done_transitions;
    char *gave_up; /* what om_plan_explore() says of a device; or NULL */
};

/* memory.c: 80 % of what this process may have, or 0 where the system does not say. */
uint64_t om_plan__default_memory(void);

/* target.c. OM_ESTOP, with nothing but the name in *out, where limits ended a translation. */
int om_plan__target(om_plan *p, om_property_kind kind, const char *text, om_target *out);
void om_plan__target_free(const om_plan *p, om_target *t);

/* jobs.c: the device that was named, or any for a checker (NULL: none) that was named and needs
 * one. OM_EUNSUPPORTED where that cannot be had. Not where the options want none. */
int om_plan__device(om_plan *p, const char *checker, om_device **out);
/* Makes the jobs of an automaton, at most OM_PLAN_JOBS, in zeroed memory; those that were made are
 * the caller's to free, whatever is returned. */
int om_plan__jobs(om_plan *p, const om_automaton *a, om_job *jobs, size_t *count);
void om_plan__job_free(om_job *job);

/* Notes of a job's context, and of the devices', go to the plan's (self). */
void om_plan__forward_note(void *self, om_note_level level, const char *text);
/* Converts the acceptance to what the job's checker takes. */
int om_plan__normalise(const om_plan *p, om_job *job);

/* race.c: gives the job a rival with this checker, which needs a device. */
int om_race__enter(om_plan *p, om_job *job, const om_checker *checker);
/* These stand around what the job does itself: the rival waits for its time, and for its device;
 * afterwards the job has the result that counts. */
void om_race__start(om_job *job);
void om_race__end(om_job *job);
/* Calls the scout back, but for a driver that does not let it go. After the jobs of a check. */
void om_race__recall(om_plan *p);
/* The same, and waits for the driver. */
void om_race__settle(om_plan *p);
bool om_race__busy(om_plan *p);

/* run.c: one try of a job; its status. */
int om_plan__attempt(om_job *job);
/* A control with what is left of the limits. */
int om_plan__control(const om_plan *p, om_limits limits, om_context *ctx, om_control **out);
/* Runs the jobs as the schedule says, each with a copy of the spec (automaton, control, workers and
 * device are filled in). */
int om_plan__run(om_plan *p, om_job *jobs, size_t count, const om_task_spec *spec);
/*
 * Between these two a watcher looks at all controls every 10 ms. Begins the clock and the figures
 * of a check, and p->aside with the limits but the one on states, which is about the search.
 */
int om_plan__begin(om_plan *p);
void om_plan__end(om_plan *p);
/* A new p->aside, with what is left of all limits. */
int om_plan__renew(om_plan *p);

/* With --reset-dead: resets the variables of the model that are dead for these propositions. Before
 * executors are opened. */
int om_plan__reset(om_plan *p, const om_expr *aps, uint32_t ap_count);

/* check.c: UNKNOWN. */
int om_plan__unknown(const om_plan *p, om_stop_reason reason, om_check_result *out);
/* Verdict, figures and parts of the result from the jobs that ran. *violated is the job
 * with the evidence, or NULL. Returns what went wrong, with the message in the plan's context. */
int om_plan__sum(om_plan *p, om_job *jobs, size_t count, om_check_result *out, om_job **violated,
    om_job **faulty);
/* Moves the figures of all jobs to the result; their evidence is gone afterwards. */
int om_plan__take_parts(const om_plan *p, om_job *jobs, size_t count, om_check_result *out);

#endif
