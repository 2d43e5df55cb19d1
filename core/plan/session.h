/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h: declarations shared by the files of core/plan.
 *
 * A plan checks one property at a time. The property becomes a target; the target's automaton is
 * split into parts by strength. Each part has up to two attempts, one on the CPU and one on a
 * device. Each attempt has its own context, so that the other can follow if one fails, or the first
 * to finish can stop the other. A supervisor enforces the limits and keeps the figures of all work
 * of the plan: a check, an exploration, the emptiness check of an automaton, a replay.
 */
#ifndef OMEN_PLAN_SESSION_H
#define OMEN_PLAN_SESSION_H

#include "property/fairness.h"

#include <omen/host/plan.h>

#include <pthread.h>

enum { OM_PLAN_PARTS = 3, OM_WHY_BYTES = 160 };
/* Grace period after the time limit in which a counterexample may still be written, in ns. */
#define OM_PLAN_AFTER_NS UINT64_C(500000000)

/* What is checked, and what a counterexample must show */
struct om_target {
    char *name;                    /* name in the report */
    om_automaton *owned;           /* NULL if the model owns the automaton */
    const om_automaton *automaton; /* of forbidden runs */
    om_expr *aps;
    uint32_t ap_count, deadlock_ap;
    om_ltl *ltl; /* or NULL */
    om_expr *ltl_aps;
    om_ltl_ref assumed; /* in the same arena: assumption that the automaton includes; 0: none */
    bool trace;         /* the counterexample is a finite trace */
    om_expr bad; /* with `trace`: holds in the last state; 0: none (deadlock, assertion, fault) */
    bool ends_apart; /* finite runs do not count unless options.stutter_non_progress */
    om_obligation obligation;
    om_automaton *allowed; /* automaton of the formula, if the obligation refers to it; owned */
    om_expr *allowed_aps;  /* its propositions; owned */
    om_assumed fair;       /* valid if `is_fair` */
    bool is_fair;          /* some fairness is assumed */
    bool translated;       /* om_plan__translate() has completed */
    uint32_t all_aps; /* length of `aps`: those of the automaton, a false one, those of `fair` */
};

typedef struct om_part om_part;

/* Outcome of an attempt */
typedef struct om_outcome {
    int rc;
    om_task_result result;
    om_task *task;      /* kept if it has evidence or met a fault; or NULL */
    uint64_t overflows; /* of edges from states such as overflow_vector (or NULL) */
    uint32_t *overflow_vector;
} om_outcome;

/*
 * One attempt to check a part with one checker, on the CPU or on a device. It belongs to the thread
 * that runs it, from the start of that thread until the join, with two exceptions: any thread may
 * stop the context at any time, and the supervisor's lock guards the members marked below.
 */
typedef struct om_attempt {
    om_part *part;
    om_context *ctx;           /* child of the part's context: has its own messages and limits */
    const om_checker *checker; /* NULL: there is no such attempt */
    const char *options;
    bool by_rank; /* the checker was chosen by rank, not named */
    om_device *device;
    /* The maximum number of workers; the number that start at once; the index of the first worker
     * in the state store that parts share. */
    unsigned workers, first_workers, first_worker;
    om_automaton *owned;
    const om_automaton *automaton;   /* in the form that the checker takes */
    const char *conversion;          /* target form of the acceptance conversion, or NULL: none */
    char why[OM_WHY_BYTES];          /* reason for the conversion */
    om_fairness *fairness;           /* marks of fairness in the product, or NULL */
    const om_fair_processes *movers; /* in the memory of `fairness`; or NULL */
    om_outcome out;
    /* under the supervisor's lock */
    om_task *task; /* while it runs */
    bool running;
    unsigned admitted;            /* workers that may run at present */
    uint64_t states, transitions; /* figures of a finished run */
} om_attempt;

/* The acceptance classes of an automaton, and its numbers of clauses as generalized Rabin and as
 * Streett if changing the marks alone yields that form (else 0). */
typedef struct om_forms {
    uint32_t classes; /* om_automaton_acceptance_classes() */
    om_strength strength;
    size_t rabin, streett;
    bool fair, fins; /* the sets of fairness are free in it; some of them are Fin sets */
    bool unmarked;   /* fairness to processes is required, but they have no sets */
} om_forms;

/* One part of the automaton */
struct om_part {
    om_plan *plan;
    om_context *ctx; /* child of the plan's context; stopped when other parts have the answer */
    om_strength strength; /* in the report */
    om_strength claimed;  /* strength as which the part is checked */
    om_automaton *owned;
    const om_automaton *automaton; /* before conversions */
    om_automaton *unfair;          /* under fairness: the automaton without the sets of fairness */
    const om_fair_sets *fair;      /* the sets of fairness, or NULL */
    om_forms forms;                /* of `automaton` */
    om_attempt cpu, device;        /* the CPU follows if the device fails, or both run (race.c) */
    om_attempt *answer; /* the attempt whose outcome counts; changes under the supervisor's lock */
    char *gave_up;      /* as in om_part_result */
    om_task_spec spec;
    pthread_t thread, racer; /* of the part, and of its attempt on a device that races */
    bool started, threaded, racing;
    bool races;    /* the device starts later, while the CPU runs */
    bool joined;   /* the device has joined; changes under the supervisor's lock */
    bool gave_way; /* stopped on the CPU in favour of a strong part; likewise */
    bool shares;   /* its states on the CPU are stored together with those of other parts */
};

/* The opener of the device that races (race.c) */
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
    om_devices *list;  /* owned by the opener while it runs, else by the plan's own thread */
    om_device *device; /* the device that the options name */
    om_opener opener;
} om_plan_devices;

/* The supervisor enforces the limits of a plan's work and keeps its figures (supervise.c). */
typedef struct om_supervisor {
    om_watcher *watcher;
    uint64_t started_ns;
    pthread_mutex_t lock; /* guards the members below and the marked members above */
    pthread_cond_t news;  /* signalled by the opener, and for attempts that race */
    om_part *parts[OM_PLAN_PARTS];
    size_t part_count;
    om_product *exploring;        /* product of an exploration on the CPU, or NULL */
    om_levels levels;             /* of an exploration on a device */
    uint64_t states, transitions; /* of work that has ended */
} om_supervisor;

/* Overflows that the search met */
typedef struct om_overflows {
    om_overflow_report report;
    uint64_t count; /* of edges from states such as `vector` (or NULL) */
    uint32_t *vector;
    bool told; /* a warning has been issued */
} om_overflows;

/* The form of the model that searches run on (search_model.c) */
typedef struct om_searched {
    struct om_compact *compact; /* or NULL */
    struct om_merged *merged;   /* or NULL; if both are NULL: the model itself */
    om_expr *aps;               /* with `compact`: the target's propositions in that form */
    uint8_t *bits;              /* [open slot]; NULL: not known yet */
    uint32_t overfull;          /* the open slot that has too few bits, or OM_NONE */
    unsigned widened;           /* how many times bits were added */
    bool asked;                 /* `endless` has been determined */
    char *endless;              /* reason why no search of all states can end, or NULL */
} om_searched;

struct om_plan {
    om_context *ctx;
    const om_heap *heap;
    const om_registry *registry;
    const om_frontend *frontend;
    om_model *model; /* NULL for om_plan_empty() */
    om_plan_options options;
    unsigned threads;
    const om_target *target;  /* of this check; NULL: an automaton by itself */
    const om_assumed *fair;   /* assumptions of this check, or NULL */
    bool stutter;             /* in this check, finite runs repeat their last state */
    bool runs_end;            /* as `stutter`, but runs still end at faults of the model */
    bool side_by_side;        /* S1: the parts of this check run concurrently */
    om_states *states;        /* store that the parts share, or NULL */
    om_context *sharing;      /* context of `states` */
    char *gave_up;            /* why om_plan_explore() gave up a device, or NULL */
    uint64_t verified;        /* of the last exploration */
    uint64_t hidden;          /* of the last exploration: states that properties do not see */
    bool ignores_assertions;  /* of explorations: om_plan_ignore_assertions() */
    om_device_costs costs;    /* of the last exploration */
    const char *graph_format; /* format of the state graph that an exploration writes, or NULL */
    om_text *graph;           /* receives the state graph */
    om_plan_devices devices;
    om_supervisor supervisor;
    om_overflows overflows;
    om_searched searched;
    om_fault fault;          /* fault that ended the last check or exploration, or 0 */
    size_t checks_left;      /* om_plan_share_time() */
    bool knows_assertions;   /* a failed one has been reported: checks ignore them ... */
    bool ends_at_assertions; /* ... except that runs end at them in this search */
};

#endif
