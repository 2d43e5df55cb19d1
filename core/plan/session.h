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
struct om_target {
    char *name;                    /* for the report */
    om_automaton *owned;           /* or NULL where the model owns it */
    const om_automaton *automaton; /* of forbidden runs */
    om_expr *aps;
    uint32_t ap_count, deadlock_ap;
    om_ltl *ltl; /* or NULL */
    om_expr *ltl_aps;
    bool trace;  /* the counterexample is a finite trace... */
    om_expr bad; /* ... to a state where this holds (0: a deadlock) */
    om_obligation obligation;
};

/* One part with the checker chosen for it. */
typedef struct om_job om_job;
struct om_job {
    om_plan *plan;
    om_context *ctx;      /* below the plan's: stopped when the others know enough */
    om_context *attempt;  /* below that, of the last try: its messages, and its limits */
    om_strength strength; /* of the part, for the report */
    om_strength claimed;  /* as which it is checked */
    om_automaton *owned;
    const om_automaton *automaton;
    const om_checker *checker, *fallback; /* fallback: where the device fails; or NULL */
    bool by_rank;                         /* the checker was not named */
    const char *conversion;               /* of the acceptance, for the checker: to what; or NULL */
    uint32_t states, edges;               /* of the automaton before that */
    om_job *rival; /* the same part for a device that may come later: race.c; or NULL */
    om_job *of;    /* whose rival this is, or NULL */
    const char *options;
    om_device *device;
    char *gave_up; /* as in om_part_result */
    unsigned workers;
    om_task_spec spec;
    pthread_t thread;
    bool started, threaded;
    int rc;
    om_task_result result;
    uint64_t overflows; /* that the last try met, on the way from states such as this (or NULL) */
    uint32_t *overflow_vector;
    om_task *found; /* that of the last try, where it has evidence or met a fault; or NULL */
    /* guarded by the plan's lock */
    om_task *task;
    uint64_t done_states, done_transitions; /* of the last task, in the plan's sums */
    bool running;
    bool joined; /* a rival that has its device */
};

/* Who looks for the device that races: race.c. */
typedef struct om_scout {
    pthread_t thread;
    om_device *device; /* written before `done`; NULL: there is none, or it was recalled */
    /* guarded by the plan's lock */
    om_context *ctx; /* below the plan's */
    bool sent;       /* there is a thread, to be joined */
    bool engaged;    /* in a driver, which cannot be interrupted */
    bool done;       /* it is about to end */
    bool knows;      /* its answer is good for the plan's life */
} om_scout;

struct om_plan {
    om_context *ctx;
    const om_heap *heap;
    const om_registry *registry;
    const om_frontend *frontend;
    om_model *model; /* NULL for om_plan_empty() */
    om_plan_options options;
    unsigned threads;
    om_context *device_ctx; /* of the devices, which may be opened in the background */
    om_devices *devices;    /* the scout's while it is out; else the plan's own thread's */
    om_device *device;
    bool device_tried;
    bool stutter;      /* runs that end repeat their last state, in this check */
    bool runs_end;     /* the same, and some end all the same: where the model goes wrong */
    bool side_by_side; /* S1: the jobs of this check run together */
    om_watcher *watcher;
    pthread_mutex_t lock; /* guards what follows, and the jobs' marked members */
    pthread_cond_t news;  /* of the scout, or for rivals */
    om_scout scout;
    om_job *jobs[OM_PLAN_JOBS];
    size_t job_count;
    om_product *exploring; /* by om_plan_explore() on the CPU, or NULL */
    om_levels levels;      /* of an exploration on a device */
    uint64_t started_ns, done_states, done_transitions;
    char *gave_up; /* what om_plan_explore() says of a device; or NULL */
    om_overflow_report overflows;
    uint64_t overflows_met; /* by the search, on the way from states such as this (or NULL) */
    uint32_t *overflow_vector;
    bool overflows_told; /* with a warning */
};

/* target.c. Reads a property, and translates it: what is in *t is the caller's to free, whatever is
 * returned. OM_ELIMIT, with the name in *t, where limits ended one of them. */
int om_plan__read(om_plan *p, om_property_kind kind, const char *text, om_target *t);
int om_plan__translate(om_plan *p, om_target *t);
void om_plan__target_free(const om_plan *p, om_target *t);

/* choose.c. What a checker must be able to do. */
typedef struct om_need {
    om_strength strength; /* as which the part is checked */
    uint32_t classes;     /* of the automaton: om_automaton_acceptance_classes() */
    unsigned workers;
    bool on_device;
} om_need;

/* A checker that is there. */
typedef struct om_choice {
    const om_checker *checker;
    uint32_t rank;
    bool converts;       /* the automaton's acceptance, first */
    const char *why_not; /* it cannot be a default; or NULL */
} om_choice;

/* All checkers, the best first; the caller's to om_free(). OM_OK or OM_ENOMEM. */
int om_plan__choices(const om_plan *p, const om_need *need, om_choice **out, size_t *count);
/* What the job's part asks of a checker. */
om_need om_plan__need(const om_job *job, unsigned workers, bool on_device);
/* The best one, or NULL where there is none. OM_OK or OM_ENOMEM. */
int om_plan__best(const om_plan *p, const om_need *need, const om_checker **out);

/* jobs.c: the device that was named, or any for a checker (NULL: none) that was named and needs
 * one. OM_EUNSUPPORTED where that cannot be had; NULL, with a notice, where one that was named
 * cannot be had at the moment. Not where the options want none. */
int om_plan__device(om_plan *p, const char *checker, om_device **out);
/* Makes the jobs of an automaton, at most OM_PLAN_JOBS, in zeroed memory; those that were made are
 * the caller's to free, whatever is returned. */
int om_plan__jobs(om_plan *p, const om_automaton *a, om_job *jobs, size_t *count);
void om_plan__job_free(om_job *job);
/* Gives back what the last try has kept. */
void om_plan__drop_task(om_job *job);

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
/* Runs the jobs as the schedule says, each with a copy of the spec (automaton, workers and device
 * are filled in). */
void om_plan__run(om_plan *p, om_job *jobs, size_t count, const om_task_spec *spec);
/* Between these two a watcher looks after the limits, which begin with the first, as do the clock
 * and the figures of a check. */
/* `sparing`: a part of the memory is set aside for the counterexample. */
int om_plan__begin(om_plan *p, bool sparing);
void om_plan__end(om_plan *p);
/* After the search: forgets that it was stopped. What follows has what is left of the time. */
void om_plan__after(om_plan *p);
/* Why work under the plan's context ended: what stopped it, else the message that stands there. */
const char *om_plan__why(const om_plan *p);

/* Gives the model the form that a check for these propositions wants, which has nothing of an
 * earlier check's. While no executor is open. */
int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count);

/* overflow.c. None of these fails: what cannot be had is left out of the report.
 * Keeps how many overflows a task has met (after its run), and on the way from where. */
void om_plan__keep_overflows(om_job *job, const om_task *task);
/* A search met so many, one of the first on the way from a state (the plan's from now on). */
void om_plan__met_overflows(om_plan *p, uint64_t count, uint32_t *vector);
/* Makes the report of all that was met. Between om_plan__begin(), which forgets it, and
 * om_plan__end(). */
void om_plan__report_overflows(om_plan *p);
void om_plan__forget_overflows(om_plan *p);

/* check.c: what becomes of a violation whose counterexample came to `rc` under `ctx`: where that
 * was for want of time or memory it stands without one, with the reason, and this is OM_OK. */
int om_plan__unless_refereed(om_plan *p, int rc, om_context *ctx, om_check_result *out);
/* UNKNOWN, and why (copied). Clears the message that stands. */
int om_plan__unknown(const om_plan *p, const char *why, om_check_result *out);
/* Verdict, figures and parts of the result from the jobs that ran. *violated is the job
 * with the evidence, or NULL. Returns what went wrong, with the message in the plan's context. */
int om_plan__sum(om_plan *p, om_job *jobs, size_t count, om_check_result *out, om_job **violated,
    om_job **faulty);
/* Moves the figures of all jobs to the result; their evidence is gone afterwards. */
int om_plan__take_parts(const om_plan *p, om_job *jobs, size_t count, om_check_result *out);

#endif
