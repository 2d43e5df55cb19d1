/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h: what the files of core/plan share.
 *
 * A plan checks one property at a time. The property becomes a target; the target's automaton
 * becomes parts by strength; each part has up to two attempts, one on the CPU and one on a device,
 * each with a context of its own, so that one that fails can be followed by the other, or one that
 * is first can stop the other. A supervisor looks after limits and figures of whatever the plan
 * does: a check, an exploration, the emptiness of an automaton, a replay.
 */
#ifndef OMEN_PLAN_SESSION_H
#define OMEN_PLAN_SESSION_H

#include "fairness.h"

#include <omen/host/plan.h>

#include <pthread.h>

enum { OM_PLAN_PARTS = 3, OM_WHY_BYTES = 160 };
/* What was found is worth so long, though the time is over. */
#define OM_PLAN_AFTER_NS UINT64_C(500000000)

/* What is to be checked, and what a counterexample must show. */
struct om_target {
    char *name;                    /* for the report */
    om_automaton *owned;           /* or NULL where the model owns it */
    const om_automaton *automaton; /* of forbidden runs */
    om_expr *aps;
    uint32_t ap_count, deadlock_ap;
    om_ltl *ltl; /* or NULL */
    om_expr *ltl_aps;
    om_ltl_ref assumed; /* in that arena: what the automaton is to accept beside; 0: nothing */
    bool trace;         /* the counterexample is a finite trace... */
    om_expr bad;        /* ... to a state where this holds (0: a deadlock) */
    bool ends_apart;    /* a run that ends is none, unless options.stutter_non_progress */
    om_obligation obligation;
    om_automaton *allowed; /* of the formula, where the obligation has it: the target's own; */
    om_expr *allowed_aps;  /* its own, too */
    om_assumed fair;       /* of `is_fair`: */
    bool is_fair;          /* some fairness is assumed */
    bool translated;       /* om_plan__translate() came to its end */
    uint32_t all_aps; /* of `aps`: those of the automaton, one that is false, those of `fair` */
};

typedef struct om_part om_part;

/* What came of an attempt. */
typedef struct om_outcome {
    int rc;
    om_task_result result;
    om_task *task;      /* where it has evidence or met a fault; or NULL */
    uint64_t overflows; /* that it met, on the way from states such as this (or NULL) */
    uint32_t *overflow_vector;
} om_outcome;

/*
 * One try to check a part: by a checker, on the CPU or on a device. It belongs to the thread that
 * runs it, from its start to the join; but for the context, which anybody may stop at any time, and
 * what is under the supervisor's lock.
 */
typedef struct om_attempt {
    om_part *part;
    om_context *ctx;           /* below the part's: its messages, and its limits */
    const om_checker *checker; /* NULL: there is no such attempt */
    const char *options;
    bool by_rank; /* the checker was not named */
    om_device *device;
    /* All there may be; those that begin at once; the first one's number in the states that parts
     * share. */
    unsigned workers, first_workers, first_worker;
    om_automaton *owned;
    const om_automaton *automaton; /* as the checker takes it */
    const char *conversion;        /* of the acceptance: to what; or NULL: none */
    char why[OM_WHY_BYTES];        /* that one */
    om_fairness *fairness;         /* its marks in the product, or NULL; */
    const om_movers *movers;       /* with them, or NULL: by whom fairness goes */
    om_outcome out;
    /* under the supervisor's lock */
    om_task *task; /* while it runs */
    bool running;
    unsigned admitted;            /* workers that may be at work */
    uint64_t states, transitions; /* when it had run */
} om_attempt;

/* What an automaton's acceptance is, and how many clauses it has where other marks alone make it
 * generalized Rabin or Streett; 0: they do not. */
typedef struct om_forms {
    uint32_t classes; /* om_automaton_acceptance_classes() */
    om_strength strength;
    size_t rabin, streett;
    bool fair, fins; /* sets of fairness are free in it; some are those of Fin */
    bool unmarked;   /* processes, to whom runs must be fair, have none */
} om_forms;

/* One part of the automaton. */
struct om_part {
    om_plan *plan;
    om_context *ctx;      /* below the plan's: stopped when the others know enough */
    om_strength strength; /* for the report */
    om_strength claimed;  /* as which it is checked */
    om_automaton *owned;
    const om_automaton *automaton; /* before conversions */
    om_automaton *unfair;          /* of a check under fairness: without its sets, */
    const om_fair_sets *fair;      /* which are these; or NULL */
    om_forms forms;                /* of that */
    om_attempt cpu, device;        /* the CPU follows where a device fails, or both run: race.c */
    om_attempt *answer;            /* whose outcome counts; changes under the supervisor's lock */
    char *gave_up;                 /* as in om_part_result */
    om_task_spec spec;
    pthread_t thread, racer; /* of the part, and of its device where it races */
    bool started, threaded, racing;
    bool races;    /* the device begins later, while the CPU is at it */
    bool joined;   /* that device is there; changes under the supervisor's lock */
    bool gave_way; /* the CPU was left to a strong part; likewise */
    bool shares;   /* its states on the CPU are kept with those of other parts */
};

/* Who opens the device that races: race.c. */
typedef struct om_opener {
    pthread_t thread;
    om_device *device; /* written before `done`; NULL: there is none, or it was recalled */
    /* under the supervisor's lock */
    om_context *ctx; /* below the plan's */
    bool running;    /* there is a thread, to be joined */
    bool engaged;    /* in a driver, which cannot be interrupted */
    bool done;       /* it is about to end */
    bool knows;      /* its answer is good for the plan's life */
} om_opener;

/* Devices are opened once for all checks of a plan. */
typedef struct om_plan_devices {
    om_context *ctx;   /* theirs: they may be opened in the background */
    om_devices *list;  /* the opener's while it runs; else the plan's own thread's */
    om_device *device; /* the one that was named */
    om_opener opener;
} om_plan_devices;

/* Who looks after the work of a plan: its limits, its figures. supervise.c */
typedef struct om_supervisor {
    om_watcher *watcher;
    uint64_t started_ns;
    pthread_mutex_t lock; /* guards what follows, and the marked members above */
    pthread_cond_t news;  /* of the opener, or for those that race */
    om_part *parts[OM_PLAN_PARTS];
    size_t part_count;
    om_product *exploring;        /* on the CPU, or NULL */
    om_levels levels;             /* of an exploration on a device */
    uint64_t states, transitions; /* of work that is over */
} om_supervisor;

/* Overflows that the search met. */
typedef struct om_overflows {
    om_overflow_report report;
    uint64_t count; /* on the way from states such as this (or NULL) */
    uint32_t *vector;
    bool told; /* with a warning */
} om_overflows;

/* What searches run on: searched.c */
typedef struct om_searched {
    struct om_compact *compact; /* or NULL */
    struct om_merged *merged;   /* or NULL; with neither: the model itself */
    om_expr *aps;               /* with `compact`: of the target, there */
    uint8_t *bits;              /* by open slot; NULL: not known yet */
    uint32_t overfull;          /* the open slot that has too few, or OM_NONE */
    unsigned widened;           /* how often */
    bool asked;                 /* whether no search of all states can end; */
    char *endless;              /* why none can, or NULL */
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
    const om_assumed *fair;   /* in this check; or NULL */
    bool stutter;             /* runs that end repeat their last state, in this check */
    bool runs_end;            /* the same, and some end all the same: where the model goes wrong */
    bool side_by_side;        /* S1: the parts of this check run together */
    om_states *states;        /* that they share, or NULL; */
    om_context *sharing;      /* its context */
    char *gave_up;            /* what om_plan_explore() says of a device; or NULL */
    uint64_t verified;        /* of the last exploration */
    uint64_t hidden;          /* likewise: states that properties do not see */
    bool ignores_assertions;  /* in explorations: om_plan_ignore_assertions() */
    om_device_costs costs;    /* likewise */
    const char *graph_format; /* of the state graph that an exploration is to write, or NULL; */
    om_text *graph;           /* there */
    om_plan_devices devices;
    om_supervisor supervisor;
    om_overflows overflows;
    om_searched searched;
    om_fault fault;          /* that the last check or exploration ended with, or 0 */
    size_t checks_left;      /* om_plan_share_time() */
    bool knows_assertions;   /* that one fails was told: checks look at them no more, ... */
    bool ends_at_assertions; /* ... but, for this search, as what runs end at */
};

/* target.c. Reads a property, and translates it: what is in *t is the caller's to free, whatever is
 * returned. OM_ELIMIT, with the name in *t, where limits ended one of them. */
int om_plan__read(om_plan *p, om_property_kind kind, const char *text, om_target *t);
int om_plan__translate(om_plan *p, om_target *t);
/* The expression of a proposition that stands there (line 0: nowhere) in what `file` names. */
int om_plan__read_ap(
    om_plan *p, const char *file, uint32_t line, uint32_t column, const char *name, om_expr *out);
/* The expressions of an automaton's propositions, which are among those of the formula; the caller
 * frees *out. */
int om_plan__aps_of(om_plan *p, const om_target *t, const om_automaton *a, om_expr **out);
/* Both. */
int om_plan__read_and_translate(om_plan *p, om_property_kind kind, const char *text, om_target *t);
void om_plan__target_free(const om_plan *p, om_target *t);

/* forbidden.c. Automata over one AP, whose expression is the caller's to set: t->aps[0]. OM_OK,
 * OM_ENOMEM. */
/* F ap; the counterexample is a finite trace. */
int om_plan__forbid_ever(const om_plan *p, const char *ap, om_target *t);
/* FG !ap: acceptance is Fin(0), and an edge that leaves a state where the AP is true is in set 0.
 * So an accepting cycle is one without such a state, and every set that is asked for beside this
 * one leaves that as it is. */
int om_plan__forbid_at_last_without(const om_plan *p, const char *ap, om_target *t);

/* choose.c. What a checker must be able to do. */
typedef struct om_need {
    om_strength strength;  /* as which the part is checked */
    const om_forms *forms; /* of the automaton */
    unsigned workers;
    bool on_device;
} om_need;

/* A checker that is there. */
typedef struct om_choice {
    const om_checker *checker;
    uint32_t rank;
    uint64_t effort;     /* of converting the automaton's acceptance first: om_plan__effort() */
    const char *why_not; /* it cannot be a default; or NULL */
} om_choice;

/* All checkers, the best first; the caller's to om_free(). OM_OK or OM_ENOMEM. */
int om_plan__choices(const om_plan *p, const om_need *need, om_choice **out, size_t *count);
/* What a part asks of a checker. */
om_need om_plan__need(const om_part *part, unsigned workers, bool on_device);
/* The best one, or NULL where there is none. OM_OK or OM_ENOMEM. */
int om_plan__best(const om_plan *p, const om_need *need, const om_checker **out);
/* Fails with this status: "checker NAME", `why` it is none for what is needed, and which ones are.
 * Returns it, or OM_ENOMEM. */
int om_plan__refuse(
    const om_plan *p, int rc, const om_need *need, const char *name, const char *why);
/* Does the checker, which was named, come into question? OM_OK; OM_EUSAGE, likewise; OM_ENOMEM. */
int om_plan__vet(const om_plan *p, const om_need *need, const om_checker *c);

/* acceptance.c */
typedef struct om_conversion {
    uint32_t class; /* OM_ACCEPT_... */
    const char *name;
    int (*convert)(const om_automaton *a, om_context *ctx, om_automaton **out);
} om_conversion;

/* `fair`: the sets of fairness in it, or NULL. `strength` is that of the strongest SCC. */
int om_plan__forms(const om_plan *p, const om_fair_sets *fair, const om_automaton *a,
    om_strength strength, om_forms *out);
/* How much work the acceptance makes a checker that takes these classes: 0, it takes what is there;
 * UINT64_MAX, it takes nothing that there is a conversion to; else *how is the conversion that it
 * gets. */
uint64_t om_plan__effort(const om_forms *f, uint32_t takes, const om_conversion **how);
/* Does the conversion to this class take more than other marks? */
bool om_plan__copies(const om_forms *f, uint32_t class);
/* Why that one, in words. */
void om_plan__conversion_why(const om_forms *f, const om_conversion *c, char out[OM_WHY_BYTES]);

/* testing.c */
/* Does the checker ask for a testing automaton? */
bool om_plan__wants_testing(const om_checker *c);
/* Makes it that of the attempt. OM_EUSAGE where it would not be sound, or where that cannot be
 * known; what the conversion fails with. */
int om_plan__testing(const om_plan *p, const om_part *part, om_attempt *t);
/* As the user is told; of a testing automaton without what it only has here. */
void om_plan__automaton_size(const om_automaton *a, uint32_t *states, uint32_t *edges);

/* stutter.c. What is known of a target: its runs may be repeated at will in between, they may not,
 * its automaton says that they may, or nothing is known. */
typedef enum om_stuttering {
    OM_STUTTER_NOT_KNOWN,
    OM_STUTTER_INVARIANT,
    OM_STUTTER_DECLARED,
    OM_STUTTER_COUNTS
} om_stuttering;
/* Takes as long as it takes. What translating or complementing fails with. */
int om_plan__stutter(const om_plan *p, const om_target *t, om_stuttering *out);

/* Which statements a check may merge (core/model/merge.h). */
typedef enum om_merging {
    OM_MERGE_NOTHING,
    OM_MERGE_OWN, /* those of who moves */
    OM_MERGE_ALL
} om_merging;
/* OM_EUSAGE where the options ask for it, and it would not be sound or that cannot be known; as
 * above. */
int om_plan__merging(const om_plan *p, const om_target *t, om_merging *out);
/* Of an exploration, which does so only where it was asked for. */
om_merging om_plan__merging_all(const om_plan *p);

/* fair_target.c */
/* Behind the property: reads what is assumed beside it, and says what becomes of that. Statuses of
 * om_fair__read(); OM_EUSAGE for what cannot be assumed of such a property. */
int om_fair__read_target(om_plan *p, om_target *t);
/* Behind the APs of the automaton: those of fairness. OM_EUNSUPPORTED, where they are too many. */
int om_fair__add_aps(om_plan *p, om_target *t);
/* What the counterexample must show of it. */
void om_fair__oblige(const om_plan *p, om_target *t);
/* What is assumed of endless runs in this check, for the report. */
om_fairness_report om_plan__fairness(const om_plan *p, const om_target *t);

/* fair_part.c. As om_plan__parts(), under fairness: there is one part, and that is strong
 * (fairness.h); none where nothing is accepted, fair or not. */
int om_fair__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count);
/* The automaton as the checker takes it, and its marks. */
int om_fair__normalise(const om_plan *p, const om_part *part, om_attempt *t);

/* devices.c */
/* Does the user want one at all? Did he name one? */
bool om_plan__device_wanted(const om_plan *p);
bool om_plan__device_named(const om_plan *p);
/* The device that was named, or any for a checker (NULL: none) that was named and needs one.
 * OM_EUNSUPPORTED where that cannot be had; NULL, with a notice, where one that was named cannot be
 * had at the moment. Not where the options want none. */
int om_plan__device(om_plan *p, const char *checker, om_device **out);

/* parts.c */
/* Makes the parts of an automaton, at most OM_PLAN_PARTS, in zeroed memory; those that were made
 * are the caller's to free, whatever is returned. */
int om_plan__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count);
void om_plan__parts_free(om_plan *p, om_part *parts); /* OM_PLAN_PARTS of them */
/* One part, whose plan and sets of fairness are there: its forms and checkers, the one that is
 * asked for or (NULL) by rank. Takes `owned` over (NULL: the automaton stays the caller's). */
int om_plan__make_part(om_plan *p, const om_automaton *a, om_automaton *owned, om_strength strength,
    const char *asked, om_part *part);
void om_plan__part_free(om_part *part);
/* "NAME[:options]" as the user gave it. */
int om_plan__named_checker(const om_plan *p, const char *text, om_attempt *t);
/* The automaton as the checker of the attempt takes it: one that takes what it has gets it as it
 * is.
 */
int om_plan__normalise(const om_plan *p, const om_part *part, om_attempt *t);
/* Of the strongest SCC. */
int om_plan__strength_of(const om_plan *p, const om_automaton *a, om_strength *out);

/* race.c. These stand around what a part does itself: the attempt on a device waits for its time,
 * and for its device; afterwards part->answer has the outcome that counts. */
void om_race__start(om_part *part);
/* False: the CPU gave way to a strong part, and then the device did not come to an answer. */
bool om_race__end(om_part *part);
/* Has parts give way on the CPU where they should. The watcher's. */
void om_race__give_way(om_plan *p);
/* Calls the opener back, but for a driver that does not let it go. After the parts of a check. */
void om_race__recall(om_plan *p);
/* The same, and waits for the driver. */
void om_race__settle(om_plan *p);
bool om_race__busy(om_plan *p);

/* run.c */
/* Runs an attempt; its status. Once for each. */
int om_plan__attempt(om_attempt *t);
/* Gives back what an attempt has kept. */
void om_plan__drop_task(om_attempt *t);
/* Runs the parts as the schedule says, each with a copy of the spec (automaton, workers and device
 * are filled in). */
void om_plan__run(om_plan *p, om_part *parts, size_t count, const om_task_spec *spec);

/* supervise.c */
int om_plan__supervisor_init(om_plan *p);
void om_plan__supervisor_destroy(om_plan *p);
/* Between these two a watcher looks after the limits, which begin with the first, as do the clock
 * and the figures. `sparing`: a part of the memory is set aside for the counterexample. */
int om_plan__begin(om_plan *p, bool sparing);
void om_plan__end(om_plan *p);
/* After a search: forgets that it was stopped. What follows has what is left of the time. */
void om_plan__after(om_plan *p);
/* Why work under the plan's context ended: what stopped it, else the message that stands there. */
const char *om_plan__why(const om_plan *p);
/* How many of a device's states are to be verified. */
uint64_t om_plan__verify(const om_plan *p);
/* Seconds since it began. */
double om_plan__seconds(const om_plan *p);
/* Parts, or the product of an exploration, show their figures from the first of these to the last,
 * which keeps them. */
void om_plan__show_parts(om_plan *p, om_part *parts, size_t count);
void om_plan__hide_parts(om_plan *p);
void om_plan__show_product(om_plan *p, om_product *product);
void om_plan__hide_product(om_plan *p);
/* Figures of work elsewhere. */
void om_plan__show_figures(
    om_plan *p, uint64_t states, uint64_t transitions, const om_levels *levels);

/* Gives the model the form that a check for these propositions wants, which has nothing of an
 * earlier check's. While no executor is open. */
int om_plan__shape(om_plan *p, om_model_form form, const om_expr *aps, uint32_t ap_count);

/* Where the options ask for no fairness, what the lasso says that it shows is theirs, until that
 * goes.
 */
void om_plan__take_fairness(om_plan *p, const om_lasso *lasso);
/* Reads and translates the property, gives the model the form of the lasso, and has that refereed.
 * *t is to be freed, as that of om_plan__read(). */
int om_plan__referee_target(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso, om_target *t);

/* searched.c
 * Makes what a search for these propositions runs on, of the model as it is (om_plan__shape()).
 * While no executor is open. OM_OK; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
int om_plan__make_searched(om_plan *p, const om_expr *aps, uint32_t count, om_merging merging);
/* That, and the propositions there (`aps` are those of the model). */
om_model *om_plan__searched(const om_plan *p);
/* What om_plan__ask() is asked besides, of an exploration beyond states in which assertions fail:
 * each expression is counted in all states. By query: */
typedef struct om_beyond {
    uint64_t *states;       /* in how many its expression is not 0 */
    om_lasso *traces;       /* a run to one of them; count 0: none could be had */
    uint64_t enough_states; /* ends when the counts add up to so many; 0: they do not end it */
    size_t wrong; /* set: a query whose expression could not be evaluated somewhere; or their count
                   */
} om_beyond;
/* om_plan_ask(), as it is where `beyond` is NULL. survey.c */
int om_plan__ask(om_plan *p, om_survey *survey, om_beyond *beyond, om_exploration *out);
/* How questions are asked. */
typedef struct om_asking {
    bool reset_dead;
    bool ignore_assertions; /* those that are not final: as om_model_form has it */
    bool unasserted;        /* all of them */
    bool one; /* the exploration ends when some state has an expression, or is a deadlock */
    om_merging merging;
    om_beyond *beyond;     /* or NULL */
    om_lasso *fault_trace; /* gets the trace to the assertion that ends the exploration; or NULL */
} om_asking;
/* Between om_plan__begin() and om_plan__end(); the model keeps the form. */
int om_plan__ask_so(om_plan *p, const om_asking *how, om_survey *survey, om_exploration *out);
/* Sets *ap to the expression of the states that properties see (om_model_set_visible()), and
 * returns 1; 0 if they see all. */
uint32_t om_plan__seen(const om_plan *p, om_expr *ap);
const om_expr *om_plan__searched_aps(const om_plan *p, const om_expr *aps);
void om_plan__forget_searched(om_plan *p);
void om_plan__free_searched(om_plan *p);
/* What was found there becomes a run of the model; so does a fault. Where it is a trace, it ends as
 * soon as it may: where what was looked for holds, or where the model goes wrong. OM_OK or
 * OM_ENOMEM. */
typedef enum om_run_kind { OM_RUN_ANY, OM_RUN_TO_STATE, OM_RUN_TO_FAULT } om_run_kind;
int om_plan__take_run(const om_plan *p, om_lasso *l, om_run_kind kind);
om_fault om_plan__take_fault(const om_plan *p, om_fault fault);
/* Is that no fault of the model, but an open slot that has too few bits? Then that is noted. */
bool om_plan__overfull(om_plan *p, om_fault fault);
/* Has such a slot wrapped in the last state of a run? Likewise. (What follows would tell, but a
 * trace to a state where something holds ends there.) */
bool om_plan__wrapped(om_plan *p, const om_lasso *l);
/* Gives it more; false: it has as many as it should have, or there is no time. */
bool om_plan__widen(om_plan *p);
/* Why that is the end: "p comes to more than 31 bits hold" */
void om_plan__say_overfull(om_plan *p, om_text *out);
/* Fails with OM_ELIMIT and that; or returns rc where no slot has too few. */
int om_plan__unless_overfull(om_plan *p, int rc);
/* Why no search of all states can end, or NULL: it can, or nobody knows. Looks for it once, for
 * less than a second. */
const char *om_plan__endless(om_plan *p);

/* overflow.c. None of these fails: what cannot be had is left out of the report.
 * Keeps how many overflows a task has met (after its run), and on the way from where. */
void om_plan__keep_overflows(om_attempt *t, const om_task *task);
/* A search met so many, one of the first on the way from a state (the plan's from now on). */
void om_plan__met_overflows(om_plan *p, uint64_t count, uint32_t *vector);
/* Makes the report of all that was met. Between om_plan__begin(), which forgets it, and
 * om_plan__end(). */
void om_plan__report_overflows(om_plan *p);
void om_plan__forget_overflows(om_plan *p);

/* shown.c */
/* The automaton of the runs that the target's formula allows, made in `ctx` (which must outlive
 * it), and the expressions of its propositions; the caller frees both. What translating fails with.
 */
int om_plan__allowed(
    om_plan *p, om_context *ctx, const om_target *t, om_automaton **out, om_expr **aps);
/*
 * Makes a counterexample, or a trace to a fault, what a user is to see: with the values that dead
 * variables really hold, and with its bad prefix as the options say. `checked` is what the check
 * returned, OM_OK or OM_EMODEL; the message of that stays. Returns it, or OM_EINTERNAL where the
 * referee rejects the run with real values. What a limit ends leaves the lasso as it is. While no
 * executor is open; the model has the form of the lasso then.
 */
int om_plan__show(om_plan *p, const om_target *t, int checked, om_check_result *out);
/* Keeps the states of a result's lasso with it: by the time that it is written, the model has the
 * form of a later search. The model must have that of the lasso. OM_OK; OM_EINTERNAL.
 */
int om_plan__keep_states(om_plan *p, om_check_result *out);
/* Real values in the trace of an exploration (or NULL), and in that to an overflow. Likewise. */
void om_plan__show_traces(om_plan *p, om_lasso *trace);

/* shortest.c */
/* OM_EUSAGE where a shortest lasso was asked for and the property has none. */
int om_plan__vet_shortest(const om_plan *p, const om_target *t);
/* Where the options ask for it, a lasso as short as any takes the place of the result's, if one is
 * found in time, and the result says whether that is known. `product` is that of the check, for its
 * executor, which nobody else uses any more. OM_OK; OM_EINTERNAL. */
int om_plan__shortest(
    om_plan *p, const om_target *t, const om_product_spec *product, om_check_result *out);

/* check.c: does the search for the target go on where an assertion of the model fails? */
bool om_plan__ignores_assertions(const om_plan *p, const om_target *t);
/* The verdict is about the assertion that fails, whose number in the model this is: its place is
 * the name, and what it says stands beside. OM_OK or OM_ENOMEM. */
int om_plan__name_assertion(om_plan *p, uint32_t number, om_check_result *out);
/* The referee's word on a lasso that somebody found. OM_OK; OM_EINTERNAL, with a message,
 * where it is none; what ended the replay. */
int om_plan__referee(
    om_plan *p, const om_lasso *l, const om_obligation *obligation, const char *who);
/* What becomes of a violation whose counterexample came to `rc` under `ctx`: where that
 * was for want of time or memory it stands without one, with the reason, and this is OM_OK. */
int om_plan__unless_refereed(om_plan *p, int rc, om_context *ctx, om_check_result *out);
/* UNKNOWN, and why (copied). Clears the message that stands. */
int om_plan__unknown(const om_plan *p, const char *why, om_check_result *out);
/* Verdict, figures and parts of the result from the parts that ran. *violated is the attempt with
 * the evidence, *faulty the first that met a fault, or NULL. Returns what went wrong, with the
 * message in the plan's context. */
int om_plan__sum(om_plan *p, om_part *parts, size_t count, om_check_result *out,
    om_attempt **violated, om_attempt **faulty);
/* Moves the figures of all parts to the result; their evidence is gone afterwards. */
int om_plan__take_parts(const om_plan *p, om_part *parts, size_t count, om_check_result *out);

#endif
