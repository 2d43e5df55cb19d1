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
    const om_automaton *automaton; /* in the form that the checker takes */
    const char *conversion;        /* target form of the acceptance conversion, or NULL: none */
    char why[OM_WHY_BYTES];        /* reason for the conversion */
    om_fairness *fairness;         /* marks of fairness in the product, or NULL */
    const om_movers *movers;       /* in the memory of `fairness`; or NULL */
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

/* target.c. Reads a property and translates it. The caller frees the contents of *t, whatever is
 * returned. OM_ELIMIT, with the name in *t, if a limit ended the call. */
int om_plan__read(om_plan *p, om_property_kind kind, const char *text, om_target *t);
int om_plan__translate(om_plan *p, om_target *t);
/* Reads a proposition at the given place (line 0: none) in the source that `file` names. */
int om_plan__read_ap(
    om_plan *p, const char *file, uint32_t line, uint32_t column, const char *name, om_expr *out);
/* Finds the expressions of an automaton's propositions among those of the formula. The caller frees
 * *out. */
int om_plan__aps_of(om_plan *p, const om_target *t, const om_automaton *a, om_expr **out);
/* om_plan__read(), then om_plan__translate(). */
int om_plan__read_and_translate(om_plan *p, om_property_kind kind, const char *text, om_target *t);
void om_plan__target_free(const om_plan *p, om_target *t);

/* forbidden.c. Automata over one AP. The caller sets its expression, t->aps[0]. OM_OK,
 * OM_ENOMEM. */
/* F ap; the counterexample is a finite trace. */
int om_plan__forbid_ever(const om_plan *p, const char *ap, om_target *t);
/* FG !ap: acceptance is Fin(0), and an edge that leaves a state in which the AP is true is in set
 * 0. So an accepting cycle has no such state, and acceptance sets that are required in addition do
 * not change that. */
int om_plan__forbid_at_last_without(const om_plan *p, const char *ap, om_target *t);

/* choose.c. What a checker must be able to do */
typedef struct om_need {
    om_strength strength;  /* strength as which the part is checked */
    const om_forms *forms; /* of the automaton */
    unsigned workers;
    bool on_device;
} om_need;

/* An available checker */
typedef struct om_choice {
    const om_checker *checker;
    uint32_t rank;
    uint64_t effort;     /* of converting the automaton's acceptance: om_plan__effort() */
    const char *why_not; /* why it cannot be a default, or NULL */
} om_choice;

/* Lists all checkers, the best first. The caller frees *out with om_free(). OM_OK or OM_ENOMEM. */
int om_plan__choices(const om_plan *p, const om_need *need, om_choice **out, size_t *count);
/* Returns what a part requires of a checker. */
om_need om_plan__need(const om_part *part, unsigned workers, bool on_device);
/* Sets *out to the best checker, or to NULL if there is none. OM_OK or OM_ENOMEM. */
int om_plan__best(const om_plan *p, const om_need *need, const om_checker **out);
/* Fails with status `rc`. The message is "checker NAME", followed by `why` the checker does not
 * meet the need, and by the names of checkers that do. Returns rc, or OM_ENOMEM. */
int om_plan__refuse(
    const om_plan *p, int rc, const om_need *need, const char *name, const char *why);
/* Checks that a named checker meets the need. OM_OK; OM_EUSAGE, with a message as that of
 * om_plan__refuse(); OM_ENOMEM. */
int om_plan__vet(const om_plan *p, const om_need *need, const om_checker *c);

/* acceptance.c */
typedef struct om_conversion {
    uint32_t class; /* OM_ACCEPT_... */
    const char *name;
    int (*convert)(const om_automaton *a, om_context *ctx, om_automaton **out);
} om_conversion;

/* Fills *out. `fair`: the sets of fairness in the automaton, or NULL. `strength`: that of the
 * strongest SCC. */
int om_plan__forms(const om_plan *p, const om_fair_sets *fair, const om_automaton *a,
    om_strength strength, om_forms *out);
/* Returns the effort that the acceptance costs a checker that takes these classes. 0: the checker
 * takes the automaton as it is; UINT64_MAX: there is no conversion to any of the classes; else *how
 * is the conversion to use. */
uint64_t om_plan__effort(const om_forms *f, uint32_t takes, const om_conversion **how);
/* Returns true if the conversion to this class copies states, not only changes marks. */
bool om_plan__copies(const om_forms *f, uint32_t class);
/* Writes the reason for a conversion, in words. */
void om_plan__conversion_why(const om_forms *f, const om_conversion *c, char out[OM_WHY_BYTES]);

/* testing.c */
/* Returns true if the checker asks for a testing automaton. */
bool om_plan__wants_testing(const om_checker *c);
/* Converts the attempt's automaton to a testing automaton. OM_EUSAGE if that is unsound or
 * soundness cannot be determined; other errors are those of the conversion. */
int om_plan__testing(const om_plan *p, const om_part *part, om_attempt *t);
/* Returns the size reported to the user. For a testing automaton, it excludes the initial state and
 * the stuttering steps, as the paper counts (core/automaton/convert/testing.h). */
void om_plan__automaton_size(const om_automaton *a, uint32_t *states, uint32_t *edges);

/* stutter.c. Stuttering of a target: its automaton is stutter-invariant; it is not; it declares
 * that it is; or nothing is known */
typedef enum om_stuttering {
    OM_STUTTER_NOT_KNOWN,
    OM_STUTTER_INVARIANT,
    OM_STUTTER_DECLARED,
    OM_STUTTER_COUNTS
} om_stuttering;
/* Determines the stuttering of a target, in unbounded time. Errors are those of translating and
 * complementing. */
int om_plan__stutter(const om_plan *p, const om_target *t, om_stuttering *out);

/* The statements that a check may merge (core/model/merge.h) */
typedef enum om_merging {
    OM_MERGE_NOTHING,
    OM_MERGE_OWN, /* only those of the process that moves */
    OM_MERGE_ALL
} om_merging;
/* Determines what a check may merge. OM_EUSAGE if the options ask for merging, and merging is
 * unsound or soundness cannot be determined; other errors are those of om_plan__stutter(). */
int om_plan__merging(const om_plan *p, const om_target *t, om_merging *out);
/* Returns what an exploration may merge: nothing unless the options ask for it. */
om_merging om_plan__merging_all(const om_plan *p);

/* fair_target.c */
/* Called after the property is read: reads the assumptions and reports how each is handled.
 * Returns the statuses of om_fair__read(); OM_EUSAGE for assumptions that such a property does
 * not allow. */
int om_fair__read_target(om_plan *p, om_target *t);
/* Appends the APs of fairness to those of the automaton. OM_EUNSUPPORTED if there are too many. */
int om_fair__add_aps(om_plan *p, om_target *t);
/* Adds the fairness that a counterexample must show to the obligation. */
void om_fair__oblige(const om_plan *p, om_target *t);
/* Returns the assumptions about infinite runs in this check, for the report. */
om_fairness_report om_plan__fairness(const om_plan *p, const om_target *t);

/* fair_part.c. om_plan__parts() under fairness: there is one part, and it is strong (fairness.h);
 * there is none if nothing is accepted, fair or not. */
int om_fair__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count);
/* Converts the automaton to the form that the checker takes, and makes its marks. */
int om_fair__normalise(const om_plan *p, const om_part *part, om_attempt *t);

/* devices.c */
/* Return true if the user wants a device at all; if the user named one. */
bool om_plan__device_wanted(const om_plan *p);
bool om_plan__device_named(const om_plan *p);
/* Opens the named device; or, for a named checker that needs a device (`checker`, else NULL), any
 * device. OM_EUNSUPPORTED if it is not available. NULL, with a notice, if a named device is
 * unavailable only at the moment. Must not be called if the options want no device. */
int om_plan__device(om_plan *p, const char *checker, om_device **out);

/* parts.c */
/* Makes the parts of an automaton, at most OM_PLAN_PARTS, in zeroed memory. The caller frees the
 * parts, whatever is returned. */
int om_plan__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count);
void om_plan__parts_free(om_plan *p, om_part *parts); /* `parts` has OM_PLAN_PARTS elements */
/* Makes one part, whose plan and sets of fairness are set: its forms and its checkers, the one that
 * is `asked` for or (NULL) by rank. Takes ownership of `owned` (NULL: the caller keeps the
 * automaton). */
int om_plan__make_part(om_plan *p, const om_automaton *a, om_automaton *owned, om_strength strength,
    const char *asked, om_part *part);
void om_plan__part_free(om_part *part);
/* Sets checker and options from the user's "NAME[:options]". */
int om_plan__named_checker(const om_plan *p, const char *text, om_attempt *t);
/* Converts the automaton to the form that the attempt's checker takes. If the checker takes the
 * automaton's own acceptance, the automaton is used as it is. */
int om_plan__normalise(const om_plan *p, const om_part *part, om_attempt *t);
/* Finds the strength of the strongest SCC. */
int om_plan__strength_of(const om_plan *p, const om_automaton *a, om_strength *out);

/* race.c. The next two functions enclose the work of a part itself. The attempt on a device waits
 * for its time and for its device; afterwards part->answer is the attempt whose outcome counts. */
void om_race__start(om_part *part);
/* Returns false if the CPU gave way to a strong part and the device then found no answer. */
bool om_race__end(om_part *part);
/* Stops attempts on the CPU that must give way to a strong part. Called by the watcher. */
void om_race__give_way(om_plan *p);
/* Recalls the opener after the parts of a check. Does not wait for a driver that cannot be
 * interrupted. */
void om_race__recall(om_plan *p);
/* As om_race__recall(), but waits for the driver. */
void om_race__settle(om_plan *p);
bool om_race__busy(om_plan *p);

/* run.c */
/* Runs an attempt and returns its status. Called once for each attempt. */
int om_plan__attempt(om_attempt *t);
/* Frees the task that an attempt has kept. */
void om_plan__drop_task(om_attempt *t);
/* Runs the parts as the schedule says, each with a copy of the spec (this function sets automaton,
 * workers and device). */
void om_plan__run(om_plan *p, om_part *parts, size_t count, const om_task_spec *spec);

/* supervise.c */
int om_plan__supervisor_init(om_plan *p);
void om_plan__supervisor_destroy(om_plan *p);
/* Start and stop the watcher, which enforces the limits. om_plan__begin() starts the limits, the
 * clock and the figures. `sparing`: a part of the memory is reserved for the counterexample. */
int om_plan__begin(om_plan *p, bool sparing);
void om_plan__end(om_plan *p);
/* Called after a search: clears the stop, so that later work has the rest of the time. */
void om_plan__after(om_plan *p);
/* Returns why work under the plan's context ended: the reason of the stop, else the context's
 * message. */
const char *om_plan__why(const om_plan *p);
/* Returns the number of a device's states to verify. */
uint64_t om_plan__verify(const om_plan *p);
/* Returns the seconds since om_plan__begin(). */
double om_plan__seconds(const om_plan *p);
/* Parts, or the product of an exploration, report their figures between show and hide. The hide
 * functions keep the final figures. */
void om_plan__show_parts(om_plan *p, om_part *parts, size_t count);
void om_plan__hide_parts(om_plan *p);
void om_plan__show_product(om_plan *p, om_product *product);
void om_plan__hide_product(om_plan *p);
/* Sets the figures of work on a device. */
void om_plan__show_figures(
    om_plan *p, uint64_t states, uint64_t transitions, const om_levels *levels);

/* Gives the model the form that a check for these propositions requires; discards the form of an
 * earlier check. No executor may be open. */
int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count);

/* If the options ask for no fairness, sets them to the fairness that the lasso claims to show. The
 * options borrow from the lasso. */
void om_plan__take_fairness(om_plan *p, const om_lasso *lasso);
/* Reads and translates the property, gives the model the form of the lasso, and replays the lasso.
 * The caller frees *t, as after om_plan__read(). */
int om_plan__referee_target(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso, om_target *t);

/* search_model.c
 * Builds the form that a search for these propositions runs on, from the model as it is
 * (om_plan__shape()). No executor may be open. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
int om_plan__make_searched(om_plan *p, const om_expr *aps, uint32_t count, om_merging merging);
/* Returns that form; om_plan__searched_aps() returns its propositions (`aps` are those of the
 * model). */
om_model *om_plan__searched(const om_plan *p);
/* Additional questions of om_plan__ask(), about an exploration that continues past states in which
 * assertions fail: each expression is counted in all states. Arrays are indexed by query. */
typedef struct om_beyond {
    uint64_t *states;       /* number of states in which its expression is not 0 */
    om_lasso *traces;       /* a run to one of these states; count 0: none */
    uint64_t enough_states; /* the exploration ends when the counts sum to this; 0: no such limit */
    size_t wrong;           /* a query that could not be evaluated in some state, or the count */
} om_beyond;
/* om_plan_ask() is this function with `beyond` NULL. survey.c */
int om_plan__ask(om_plan *p, om_survey *survey, om_beyond *beyond, om_exploration *out);
/* How an exploration answers queries */
typedef struct om_asking {
    bool reset_dead;
    bool ignore_assertions; /* those that are not final, as in om_model_form */
    bool unasserted;        /* all assertions are ignored */
    bool one; /* ends when an expression holds in some state, or a state is a deadlock */
    om_merging merging;
    om_beyond *beyond;     /* additional questions, or NULL */
    om_lasso *fault_trace; /* receives the trace to an assertion that fails; or NULL */
} om_asking;
/* Called between om_plan__begin() and om_plan__end(). The model keeps its form afterwards. */
int om_plan__ask_so(om_plan *p, const om_asking *how, om_survey *survey, om_exploration *out);
/* Sets *ap to the expression of the states that properties see (om_model_set_visible()) and returns
 * 1. Returns 0 if properties see all states. */
uint32_t om_plan__seen(const om_plan *p, om_expr *ap);
const om_expr *om_plan__searched_aps(const om_plan *p, const om_expr *aps);
void om_plan__forget_searched(om_plan *p);
void om_plan__free_searched(om_plan *p);
/* Convert a run and a fault of the searched form to those of the model. A trace is cut at the first
 * possible state: where the expression holds, or where the fault occurs. OM_OK or OM_ENOMEM. */
typedef enum om_run_kind { OM_RUN_ANY, OM_RUN_TO_STATE, OM_RUN_TO_FAULT } om_run_kind;
int om_plan__take_run(const om_plan *p, om_lasso *l, om_run_kind kind);
om_fault om_plan__take_fault(const om_plan *p, om_fault fault);
/* Returns true if the fault is not the model's, but an open slot has too few bits. Records the
 * slot. */
bool om_plan__overfull(om_plan *p, om_fault fault);
/* Returns true if such a slot has wrapped in the last state of a run; records it. (The next step
 * would detect that, but a trace to a state in which an expression holds ends there.) */
bool om_plan__wrapped(om_plan *p, const om_lasso *l);
/* Gives the recorded slot more bits. Returns false if it has the maximum or no time is left. */
bool om_plan__widen(om_plan *p);
/* Writes why the search ended: "p comes to more than 31 bits hold" */
void om_plan__say_overfull(om_plan *p, om_text *out);
/* Fails with OM_ELIMIT and that message. Returns rc if no slot has too few bits. */
int om_plan__unless_overfull(om_plan *p, int rc);
/* Returns why no search of all states can end; NULL if it can or that is not known. Determined
 * once, in less than a second. */
const char *om_plan__endless(om_plan *p);

/* overflow.c. None of these functions fails; the report omits what is not available.
 * om_plan__keep_overflows() saves, after the run of a task, the number of overflows that it met and
 * a state from which one occurs. */
void om_plan__keep_overflows(om_attempt *t, const om_task *task);
/* Records `count` overflows of a search, one of the first on an edge from `vector` (takes
 * ownership). */
void om_plan__met_overflows(om_plan *p, uint64_t count, uint32_t *vector);
/* Makes the report of all recorded overflows. Called between om_plan__begin(), which discards the
 * report, and om_plan__end(). */
void om_plan__report_overflows(om_plan *p);
void om_plan__forget_overflows(om_plan *p);

/* shown.c */
/* Builds the automaton of the runs that the target's formula allows, in `ctx` (which must outlive
 * it), and the expressions of its propositions. The caller frees both. Errors are those of
 * translating. */
int om_plan__allowed(
    om_plan *p, om_context *ctx, const om_target *t, om_automaton **out, om_expr **aps);
/*
 * Prepares a counterexample, or a trace to a fault, for the user: with the real values of dead
 * variables, and with its bad prefix as the options say. `checked` is the status of the check,
 * OM_OK or OM_EMODEL; the message of the check is kept. Returns `checked`, or OM_EINTERNAL if the
 * referee rejects the run with real values. If a limit ends the call, the lasso is unchanged. No
 * executor may be open; afterwards the model has the form of the lasso.
 */
int om_plan__show(om_plan *p, const om_target *t, int checked, om_check_result *out);
/* Stores the states of a result's lasso in the lasso, because the model has the form of a later
 * search when the lasso is written. The model must have the form of the lasso. OM_OK;
 * OM_EINTERNAL. */
int om_plan__keep_states(om_plan *p, om_check_result *out);
/* Puts real values into the trace of an exploration (or NULL) and into the trace to an overflow, as
 * om_plan__show() does. */
void om_plan__show_traces(om_plan *p, om_lasso *trace);

/* shortest.c */
/* Returns OM_EUSAGE if a shortest lasso is requested and the property has none. */
int om_plan__vet_shortest(const om_plan *p, const om_target *t);
/* If the options ask for it, replaces the result's lasso by one of minimal length, if one is found
 * in time; the result says whether it is proved minimal. `product` is that of the check, for its
 * executor, which must have no other user. OM_OK; OM_EINTERNAL. */
int om_plan__shortest(
    om_plan *p, const om_target *t, const om_product_spec *product, om_check_result *out);

/* check.c: returns true if the search for the target continues where an assertion of the model
 * fails. */
bool om_plan__ignores_assertions(const om_plan *p, const om_target *t);
/* Makes the verdict about assertion `number` of the model, which fails: its place becomes the name
 * of the property, and its text the fault. OM_OK or OM_ENOMEM. */
int om_plan__name_assertion(om_plan *p, uint32_t number, om_check_result *out);
/* Replays a lasso that `who` found. OM_OK; OM_EINTERNAL, with a message, if the referee rejects it;
 * else the status that ended the replay. */
int om_plan__referee(
    om_plan *p, const om_lasso *l, const om_obligation *obligation, const char *who);
/* Handles status `rc` of building and replaying a counterexample under `ctx`. If time or memory ran
 * out, the violation stands without a counterexample, with the reason, and the function returns
 * OM_OK. */
int om_plan__unless_refereed(om_plan *p, int rc, om_context *ctx, om_check_result *out);
/* Sets the verdict UNKNOWN with a copy of `why`. Clears the context's message. */
int om_plan__unknown(const om_plan *p, const char *why, om_check_result *out);
/* Fills verdict, figures and reason of the result from the parts that ran. *violated is the attempt
 * with the evidence, *faulty the first that met a fault, or NULL. Returns the first failure, with
 * its message in the plan's context. */
int om_plan__sum(om_plan *p, om_part *parts, size_t count, om_check_result *out,
    om_attempt **violated, om_attempt **faulty);
/* Moves the figures of all parts to the result. The parts lose their evidence. */
int om_plan__take_parts(const om_plan *p, om_part *parts, size_t count, om_check_result *out);

#endif
