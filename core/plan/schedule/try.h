/* SPDX-License-Identifier: Apache-2.0 */
/*
 * try.h: one try of a check, its parts and their attempts.
 *
 * A *try* answers with the options that it has. It consists of *parts* of the target's automaton.
 * Each part has up to two *attempts* by one checker each: on the CPU and on a device. Each attempt
 * has its own context, so that the other can follow if one fails, or the first to finish can stop
 * the other.
 *
 * Invariants P4, P7 and P8 of plan.h are about these objects.
 *
 * A1  The parts are in the order of their strengths, which differ. Under fairness there is at most
 *     one.
 * A2  A part that was made claims a strength that some checker supports.
 * A3  A part that was made has a checker on the CPU. Its answer is its device only if it has one.
 * A4  An attempt that runs has at least one worker, and never admits more than it has.
 * A5  A part that races starts on the CPU, and has no device until it has joined.
 * A6  A part gives way only if its device has joined.
 * A7  An attempt has a task only while it runs, and keeps one only after that.
 * A8  Only parts that run concurrently share states.
 * A9  Parts that take turns have one worker each, and start on the CPU.
 */
#ifndef OMEN_PLAN_TRY_H
#define OMEN_PLAN_TRY_H

#include "control/round_robin.h"
#include "execute/executor.h"
#include "property/target.h"
#include "schedule/choose.h"

#include <omen/plugin/fair_processes.h>

enum { OM_PLAN_PARTS = 3 };

typedef struct om_part om_part;
typedef struct om_try om_try;

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
    const om_automaton *automaton; /* in the form that the checker takes */
    const char *conversion;        /* what the automaton was converted to, or NULL: nothing */
    const om_conversion *how;      /* conversion of acceptance; NULL: to a testing automaton */
    om_fairness *fairness;         /* marks of fairness in the product, or NULL */
    const om_fair_processes *fair_processes; /* in the memory of `fairness`; or NULL */
    om_outcome out;
    /* under the supervisor's lock */
    om_task *task; /* while it runs */
    bool running;
    unsigned admitted;            /* workers that may run at present */
    uint64_t states, transitions; /* figures of a finished run */
} om_attempt;

/* One part of the automaton */
struct om_part {
    om_try *try;
    om_context *ctx; /* child of the plan's context; stopped when other parts have the answer */
    om_strength strength; /* in the report */
    om_strength claimed;  /* strength as which the part is checked */
    om_automaton *owned;
    const om_automaton *automaton; /* before conversions */
    om_automaton *unfair;          /* under fairness: the automaton without the sets of fairness */
    const om_fair_sets *fair;      /* the sets of fairness, or NULL */
    om_forms forms;                /* of `automaton` */
    om_attempt cpu, device;        /* the CPU follows if the device fails, or both run (race.c) */
    om_attempt *answer;      /* P8: the attempt whose outcome counts; changes under the lock */
    char *gave_up;           /* as in om_part_result */
    pthread_t thread, racer; /* of the part, and of its attempt on a device that races */
    bool started, threaded, racing;
    bool races;    /* the device starts later, while the CPU runs */
    bool joined;   /* the device has joined; changes under the supervisor's lock */
    bool gave_way; /* stopped on the CPU in favour of a strong part; likewise */
    om_turn *turn; /* while the parts take turns; or NULL */
    bool shares;   /* its states on the CPU are stored together with those of other parts */
};

struct om_try {
    om_plan *plan;
    const om_target *target; /* NULL: an automaton by itself */
    const om_assumed *fair;  /* assumptions, or NULL */
    om_plan_options options; /* those of the check, minus the checkers and the device that failed */
    bool runs_end;           /* runs may end at faults: a finite run is no counterexample */
    bool ends_at_assertions; /* runs end where an assertion fails */
    om_searched searched;    /* the form of the model, unless the automaton is by itself */
    om_merging merging;      /* of that form */
    om_executor *executor;   /* owned; or NULL */
    uint64_t executor_ns;    /* when its opening began */
    om_code_use use;         /* of its code; changes under the supervisor's lock */
    om_task_spec spec;       /* of all attempts, which add automaton, workers and device */
    bool side_by_side;       /* S1: the parts run concurrently */
    bool in_turn;            /* S3: the parts take turns */
    om_part parts[OM_PLAN_PARTS];
    size_t part_count;
    om_states *states;   /* store that parts share, or NULL */
    om_context *sharing; /* context of `states` */
};

/* try.c */
/* Starts a try, which the caller frees with om_try__free(). Its spec has neither executor nor
 * model. */
void om_try__init(om_try *try, om_plan *p, const om_plan_options *options, const om_target *target);
/* Makes the form of the model that the try searches: om_searched__make(), for these propositions of
 * the target. Sets those of the spec. */
int om_try__search_model(om_try *try, uint32_t ap_count);
void om_try__free(om_try *try);
/* Frees the tasks that attempts have kept, but not the one of `needed` (or NULL). */
void om_try__drop_tasks(om_try *try, const om_attempt *needed);

/* parts.c */
/* Makes the parts of an automaton and chooses their checkers. May take long: devices are opened. */
int om_try__make_parts(om_try *try, const om_automaton *a);
/* Makes one part, whose try and sets of fairness are set: its forms and its checkers, the one that
 * is `asked` for or (NULL) by rank. Takes ownership of `owned` (NULL: the caller keeps the
 * automaton). */
int om_part__make(const om_automaton *a, om_automaton *owned, om_strength strength,
    const char *asked, om_part *part);
void om_part__free(om_part *part);
/* Returns what a part requires of a checker. */
om_need om_part__need(const om_part *part, unsigned workers, bool on_device);
/* Sets checker and options from the user's "NAME[:options]". */
int om_attempt__name(const om_plan *p, const char *text, om_attempt *t);
/* Finds the strength of the strongest SCC. */
int om_plan__strength_of(const om_plan *p, const om_automaton *a, om_strength *out);

/* attempt.c */
/* Converts the automaton of the attempt's part to the form that the attempt's checker takes. If the
 * checker takes the automaton's own acceptance, the automaton is used as it is. */
int om_attempt__normalise(om_attempt *t);
/* Frees what om_attempt__normalise() has made. */
void om_attempt__forget(om_attempt *t, const om_heap *heap);
/* Runs an attempt and returns its status. Called once for each attempt. */
int om_attempt__run(om_attempt *t);
/* Frees the task that an attempt has kept. */
void om_attempt__drop_task(om_attempt *t);
/* Issues the notice that a device gave up for the reason `said`, and that the CPU continues.
 * Returns the text for the result, which the caller frees; NULL if memory ran out. */
char *om_attempt__give_up(const om_attempt *on_device, const char *said);

/* testing_automaton.c */
/* Returns true if the checker asks for a testing automaton. */
bool om_plan__wants_testing(const om_checker *c);
/* Converts the part's automaton to a testing automaton. OM_EUSAGE if that is unsound or soundness
 * cannot be determined; other errors are those of the conversion. */
int om_attempt__to_testing(om_attempt *t);
/* Writes the reason for the conversion, in words. */
void om_attempt__why(const om_attempt *t, om_text *out);
/* Returns the size reported to the user. For a testing automaton, it excludes the initial state and
 * the stuttering steps, as the paper counts (core/automaton/convert/to_testing.h). */
void om_plan__automaton_size(const om_automaton *a, uint32_t *states, uint32_t *edges);

/* fair_part.c. om_try__make_parts() under fairness: there is one part, and it is strong
 * (fairness.h); there is none if nothing is accepted, fair or not. */
int om_fair__make_part(om_try *try, const om_automaton *a);
/* om_attempt__normalise() under fairness; also makes the marks. */
int om_fair__normalise(om_attempt *t);

/* fair_marks.c. Makes the marks of a product, given the images of the raw `sets`. *out is one
 * allocation that the caller frees with om_free(). `first_ap`: index of the first expression in the
 * executor. *fair_processes: the processes that each transition moves, in the same allocation; NULL
 * if processes have sets. */
int om_fair__marks(const om_try *try, const om_fair_sets *sets, const om_marks *images,
    uint32_t first_ap, om_fairness **out, const om_fair_processes **fair_processes);

/* run.c */
/* Runs the parts, as the schedule says, and registers them with the supervisor. */
void om_try__run(om_try *try);
/* Runs a part: its attempts, and the stops of other parts that follow. */
void om_part__run(om_part *part);
/* Runs the attempt of a part on the CPU a second time, from the beginning. No other attempt of the
 * part runs. Does nothing if the part is stopped. */
void om_part__run_again(om_part *part);

/* in_turn.c */
/* Returns true if the parts of a try are to take turns. */
bool om_try__takes_turns(const om_try *try);
/* Runs parts that take turns. Returns false, and has run nothing, if that is impossible. */
bool om_try__run_in_turn(om_try *try);

/* race.c. The next two functions enclose the work of a part itself. The attempt on a device waits
 * for its time and for its device; afterwards part->answer is the attempt whose outcome counts. */
void om_race__start(om_part *part);
/* Returns false if the CPU gave way to a strong part and the device then found no answer. */
bool om_race__end(om_part *part);
/* Stops attempts on the CPU that must give way to a strong part. The caller holds the lock. */
void om_race__give_way(om_try *try);

#endif
