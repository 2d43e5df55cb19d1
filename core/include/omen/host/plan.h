/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h: a whole check, from a property to a verdict.
 */
#ifndef OMEN_PLAN_H
#define OMEN_PLAN_H

#include <omen/host/devices.h>
#include <omen/host/lasso.h>
#include <omen/host/predicate.h>
#include <omen/host/task.h>
#include <omen/host/load.h>

typedef enum om_property_kind {
    OM_PROPERTY_DEFAULT,   /* the model's own; deadlock freedom when it has none */
    OM_PROPERTY_LTL,       /* text */
    OM_PROPERTY_LTL_FILE,  /* text: the path of a file with one formula */
    OM_PROPERTY_AUTOMATON, /* text: the path of a HOA file of forbidden runs */
    OM_PROPERTY_NAMED,     /* text: a property of the model */
    OM_PROPERTY_DEADLOCK,
    OM_PROPERTY_INVARIANT, /* text: an expression */
    /* No assertion of the model fails. Checks of other properties look at them on the way, too:
     * see om_check_result.assertion. */
    OM_PROPERTY_ASSERTION,
    /* No run is from some moment on without a state that makes progress. text: an expression, true
     * in those; NULL: the model's labels say (OM_EUSAGE where it has none). */
    OM_PROPERTY_NON_PROGRESS,
    OM_PROPERTY_FAULT, /* that the model goes wrong; every check looks: for om_plan_replay() */
} om_property_kind;

typedef enum om_schedule {
    OM_SCHEDULE_AUTO,
    OM_SCHEDULE_CONCURRENT,
    OM_SCHEDULE_SEQUENTIAL
} om_schedule;

typedef enum om_switch { OM_SWITCH_DEFAULT, OM_SWITCH_ON, OM_SWITCH_OFF } om_switch;

/* What a check does about the bad prefix of a counterexample to a formula or an automaton: the
 * states after which every continuation violates the property. */
typedef enum om_prefix {
    OM_PREFIX_NOT_SOUGHT,
    OM_PREFIX_MARKED, /* finds it: om_lasso.bad_prefix */
    OM_PREFIX_ALONE   /* and leaves out what follows, if the referee takes the rest for a
                         counterexample by itself */
} om_prefix;

/* Zero-initialised is the default for everything. Strings are borrowed. */
typedef struct om_plan_options {
    const char *checker; /* "NAME" or "NAME:opt=val,...", for the whole automaton */
    const char *terminal, *weak, *strong; /* likewise, for one part */
    const char *translator;               /* likewise, of LTL; NULL: the one of highest rank */
    /* Formulas are read by om_ltl_parse(). By default they are in the grammar of the model's
     * language, if that has one (om_frontend.formula), and what it does not read in our own. */
    bool own_grammar;
    om_schedule schedule;
    /*
     * "none", or a device as om_devices_pick() takes it: terminal and weak parts go there. NULL or
     * "auto": every part starts on the CPU, and one that takes long is raced for by a GPU or an
     * accelerator, where there is one. The first of the two to know ends the other.
     */
    const char *device;
    const char *racer; /* the device that races, for tests; NULL: a GPU, or an accelerator */
    /* Where a device finds nothing, the CPU expands so many of its states again, and goes on itself
     * if they do not agree. 0: OM_VERIFY_DEFAULT; UINT64_MAX: all; OM_VERIFY_AGAIN. */
    uint64_t verify;
    unsigned threads; /* 0: all cores */
    om_exec_kind exec;
    om_store_kind store;     /* 0: trees */
    bool ignore_finite_runs; /* --finite-runs=ignore */
    /* Runs that end, which repeat their last state in other properties unless they are ignored,
     * count for OM_PROPERTY_NON_PROGRESS only where this says so. */
    bool stutter_non_progress;
    /* Assumptions: only endless runs that meet all of them can be counterexamples. The first says
     * nothing of properties whose counterexample is a trace that ends, for that could go on so;
     * the formulas, beside such a property, are OM_EUSAGE. core/plan/fairness.h */
    om_process_fairness fairness;
    const char *const *fair; /* LTL */
    size_t fair_count;
    /* Before each check, variables that will not be read, for its propositions, get their initial
     * value. By default a check does that, and om_plan_explore() does not. */
    om_switch reset_dead;
    /* Statements that concern their process alone become one step with what comes before. By
     * default a check of a stutter-invariant property does that, unless the counterexample is to be
     * a shortest one, and om_plan_explore() does not. ON: OM_EUSAGE where it is not known to be
     * sound. */
    om_switch merge;
    om_overflow_mode overflow;
    /* In checks: runs go on where an assertion of the model fails, as the language has it (assert()
     * of Promela does nothing else), and nothing is said of it. But for final ones:
     * om_model_set_final(). */
    bool ignore_assertions;
    /* om_plan_overflows() has no trace: looking for one may take as long as the check did. */
    bool no_overflow_trace;
    /* Of a violation with a lasso: searches on so long for one with as few states as any. 0: takes
     * the first. OM_EUSAGE, when it is read, for a property whose counterexample is a trace. */
    uint64_t shortest_ns;
    om_prefix bad_prefix; /* with shortest_ns nothing is left out */
    om_limits limits;     /* memory 0: om_default_memory_limit() */
    /* When the time of all checks together began (om_clock_ns()); 0: each has all the time. */
    uint64_t since_ns;
    uint64_t seed;
} om_plan_options;

/* How one part went. Strings live as long as the result. */
typedef struct om_part_result {
    om_strength strength;
    uint32_t automaton_states, automaton_edges;
    const char *conversion; /* of its acceptance, for the checker: "Buchi", or NULL: none */
    uint32_t states_before; /* of the automaton, before the conversion */
    const char *checker;
    char *device;  /* or NULL */
    char *gave_up; /* the checker and the device that were asked first, and why not; or NULL */
    bool shares;   /* its states are kept with those of other parts: each counts the whole store */
    om_task_result task;
} om_part_result;

/* Has the lasso of a result as few states, stem and cycle together, as any counterexample? */
typedef enum om_minimality {
    OM_NOT_ASKED,  /* shortest_ns was 0, or there is no lasso that repeats */
    OM_NOT_PROVEN, /* the time or a limit ended the search */
    OM_MINIMAL
} om_minimality;

/* The assumptions in force: of processes, and how many have sets; formulas; and all sets. */
typedef struct om_fairness_report {
    om_process_fairness kind;
    uint32_t processes, formulas, sets;
} om_fairness_report;

/* What a verdict is about. */
typedef enum om_verdict_about {
    OM_ABOUT_PROPERTY,
    OM_ABOUT_ASSERTION /* an assertion of the model, which is VIOLATED */
} om_verdict_about;

typedef struct om_check_result om_check_result;
struct om_check_result {
    const om_heap *heap;
    om_verdict_about about;
    char *property; /* as given, for the report; of an assertion its place, "FILE:LINE:COLUMN" */
    om_verdict verdict;
    /* Of UNKNOWN: why. Of VIOLATED without a lasso: why that could not be made and refereed. */
    char *reason;
    char
        *fault; /* a fault of the model that was met beside, or the assertion that fails; or NULL */
    /*
     * An assertion of the model that was seen to fail on the way, with the trace to there and the
     * figures of that search; or NULL. The verdict on the property is about the runs of the model,
     * which go on where an assertion fails: HOLDS, it does on all of them; VIOLATED, a run shows
     * it on which no assertion fails; else UNKNOWN. A plan tells of one assertion, and later checks
     * of others go by it. Of OM_PROPERTY_ASSERTION the result itself is that about the assertion.
     * Owned.
     */
    om_check_result *assertion;
    om_part_result *parts;
    size_t part_count;
    uint64_t states, transitions, memory_bytes;
    unsigned threads; /* workers that the CPU parts shared */
    double seconds;
    om_lasso lasso; /* of VIOLATED (unless there is a reason), or the trace to a fault; refereed */
    bool has_lasso;
    om_minimality minimality;
    om_fairness_report fairness;
    unsigned together; /* so many properties share the exploration that this is from; 0: its own */
};

/* A property that a model brings along. Strings are constants, or the model's. */
typedef struct om_own_property {
    om_property_kind kind; /* ASSERTION, DEADLOCK, NAMED or NON_PROGRESS */
    const char *name;      /* as results are named; of NAMED, the text for om_plan_check() */
    const char *formula;   /* of NAMED: as om_ltl_parse() has it; NULL: it is an automaton */
    uint32_t assertions;   /* of ASSERTION: how many there are */
    bool by_name;          /* it is checked only if it is asked for */
} om_own_property;

/*
 * All of them, in the order in which they are checked when nothing is asked for: the assertions, if
 * there are any; that no state is a deadlock, if the language says so (om_model_forbid_deadlock())
 * or there is nothing else but assertions; formulas and automata, but for om_model_set_by_name().
 * Those that are checked only if they are asked for stand among them. *out is the caller's to
 * om_free(). OM_OK, OM_ENOMEM.
 */
OM_API int om_plan_own_properties(const om_model *m, om_own_property **out, size_t *count);

/* 80 % of what this process may have, or 0 where the system does not say. */
OM_API uint64_t om_default_memory_limit(void);

typedef struct om_plan om_plan;

/*
 * A session over one model: executors and devices are opened once and shared by the checks.
 * It governs the control of the context (limits, stops), so a context has one plan at a time; that
 * control can be stopped from elsewhere. All borrowed. No front end and no model: for
 * om_plan_empty() alone.
 */
OM_API int om_plan_new(om_plan **out, om_context *ctx, const om_registry *registry,
    const om_frontend *frontend, om_model *model, const om_plan_options *options);
OM_API void om_plan_free(om_plan *p);
OM_API om_control *om_plan_control(om_plan *p);
/* The time that is left is for so many checks, the next one included, which gets an equal share of
 * it: one that takes long does not take the time of those that follow. 0 and 1: it may take all. */
OM_API void om_plan_share_time(om_plan *p, size_t checks);
/* Would om_plan_free() wait for a device's compiler? See om_devices_busy(). */
OM_API bool om_plan_busy(om_plan *p);

/*
 * Checks one property. OM_OK with a result, whatever the verdict; OM_EMODEL with a result whose
 * lasso leads to the fault; other errors with an empty result. A violation whose lasso the referee
 * rejects is OM_EINTERNAL, never a verdict.
 */
OM_API int om_plan_check(om_plan *p, om_property_kind kind, const char *text, om_check_result *out);
OM_API void om_check_result_free(om_check_result *r);

/*
 * The same in two steps, so that all of several properties are read before the first is checked:
 * what is wrong in one, or in its propositions, is said then. OM_ELIMIT where a limit ended the
 * reading. A target is checked once, and freed before its plan.
 */
typedef struct om_target om_target;
OM_API int om_plan_read(om_target **out, om_plan *p, om_property_kind kind, const char *text);
OM_API int om_plan_check_target(om_plan *p, om_target *t, om_check_result *out);
OM_API void om_target_free(om_plan *p, om_target *t);

/*
 * Targets that are about states (assertions, deadlocks, invariants) can be checked by one
 * exploration on the CPU, where the options name no checker, no device and no search for a
 * shortest counterexample.
 */
OM_API bool om_plan_may_share(const om_plan *p, const om_target *t);
/*
 * Checks such targets, at most 64 of them. OM_OK with as many results: one whose heap is NULL is
 * none, and its target is to be checked by itself (the model goes wrong, and the searches that look
 * for one property alone go on). `one`: a violation ends it, and what is not decided then has no
 * result. If an assertion fails, the exploration begins again for those that
 * are not decided, on the runs as they are without assertions. Other errors: no results.
 */
OM_API int om_plan_check_together(
    om_plan *p, om_target *const *targets, size_t count, bool one, om_check_result *results);

/* A checker that a part does not go to. */
typedef struct om_planned_other {
    const char *checker;
    uint32_t rank;       /* 0: it cannot be a default */
    const char *why_not; /* in words */
} om_planned_other;

/* What becomes of one part. Strings are the plug-ins', but for those that are not constant. */
typedef struct om_planned_part {
    om_strength strength;
    uint32_t states, edges; /* of its automaton */
    const char *conversion; /* of its acceptance, for the checker: "Buchi", or NULL: none */
    char *conversion_why;   /* to that form, in words; or NULL */
    uint32_t converted_states, converted_edges;
    const char *checker;
    bool named;                      /* by the options, not by rank */
    uint32_t rank;                   /* where it was not named */
    char *device;                    /* or NULL */
    unsigned workers, workers_later; /* at first; when the other parts have ended */
    const char *racer;        /* the checker for a GPU that joins where this takes long; or NULL */
    const char *fallback;     /* where the device fails; or NULL */
    om_planned_other *others; /* the best first */
    size_t other_count;
} om_planned_part;

typedef struct om_planned {
    const om_heap *heap;
    char *property;
    uint32_t states, edges; /* of the automaton of forbidden runs */
    bool side_by_side;      /* or the parts one after the other */
    unsigned threads;
    om_planned_part *parts;
    size_t part_count;
    om_fairness_report fairness;
} om_planned;

/* What om_plan_check() would do with this property, without doing it. No state is explored; a
 * device that is named is opened. */
OM_API int om_plan_describe(om_plan *p, om_property_kind kind, const char *text, om_planned *out);
OM_API void om_planned_free(om_planned *d);

/*
 * The programs that the device's compiler would be handed for om_plan_explore(), or for a check of
 * the property; where the options name no device, those of a GPU, whichever it is. See
 * om_engine_texts(). No state is explored; a device that is named is opened, and tested.
 */
OM_API int om_plan_explore_texts(
    om_plan *p, int (*take)(void *self, const om_program_text *text), void *self);
OM_API int om_plan_check_texts(om_plan *p, om_property_kind kind, const char *text,
    int (*take)(void *self, const om_program_text *text), void *self);

/* Is that lasso a counterexample to that property? It is run on the form of the model that it says
 * it is of, whatever the options are; where these assume no fairness, under that which it says that
 * it shows. OM_OK, or OM_EINPUT with what is wrong. */
OM_API int om_plan_replay(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso);

/* The size of the state space, on the device where options->device names one, else on the CPU. */
/* OM_EMODEL with the trace to the fault in *trace (may be NULL), where that could be had. */
OM_API int om_plan_explore(om_plan *p, om_exploration *out, om_lasso *trace);
/*
 * The same on the CPU alone, and what was explored is appended to `graph` as a state graph, in that
 * format (om_graph_formats()), where all of it was explored. It has as many states and edges as the
 * figures say, and does not depend on the number of workers. OM_EUSAGE where the options name a
 * device; OM_EINVAL, no such format; the status of `graph`, whose text is of no use then; OM_ELIMIT
 * where a limit was hit, if only in the writing.
 */
OM_API int om_plan_explore_graph(
    om_plan *p, const char *format, om_text *graph, om_exploration *out, om_lasso *trace);
/* A question about all states that can be reached: has some state an expression that is not 0? Has
 * one no successor? Or, where it is neither, what is the largest sum of factor * slot, over scalar
 * slots? */
typedef struct om_query {
    om_expr expression; /* of the plan's model; 0: */
    bool deadlock;
    uint32_t term_count;
    const om_net_term *terms;
    om_wide enough; /* no state has a larger sum; INT64_MAX: nothing is known */
    /* The answer. */
    bool decided;
    om_wide value; /* 0 or 1, or the largest (INT64_MIN: none was seen); of those that were seen,
                      where it is not decided */
    /* A state that has it is reached by these, the caller's to om_free(); NULL where it is the
     * initial state, or there is none. */
    uint32_t *transitions;
    size_t transition_count;
} om_query;

/* What om_plan_ask() is asked. Arrays are the caller's, zeroed; NULL: not asked for. */
typedef struct om_survey {
    om_query *queries; /* at most 64 with an expression */
    size_t query_count;
    uint8_t *fired; /* by transition: 1 where some state has it as a way out */
    /* Told of each of these once, one after the other; true: no more are needed. NULL: all are. */
    bool (*enough)(void *self, uint32_t transition);
    void *self;
    om_value *most; /* by slot, of models with scalar slots alone: the largest value, above 0 */
    om_wide *largest_sum; /* of all slots together, likewise */
    /* Set: it was proved that the states have no end, so that there is no such value. */
    bool endless;
} om_survey;

/*
 * Answers several questions by one breadth-first exploration on the CPU, which ends when all
 * queries are decided and no transitions are waited for, unless something else is asked for. What
 * reaches the states that answer queries has been run by the referee. OM_OK; OM_ELIMIT: what is
 * decided is right, and the rest is what was seen; OM_EMODEL likewise, where the model went wrong;
 * OM_EUSAGE, too many queries; OM_EINTERNAL: the referee disagrees.
 */
OM_API int om_plan_ask(om_plan *p, om_survey *survey, om_exploration *out);

/*
 * Transitions are of several kinds, 0 .. kinds - 1 (by transition). Is it so that from each state
 * that can be reached, a transition of each kind can be taken at some later time? Explores all
 * states on the CPU, and needs some 40 bytes for each, and 8 for each edge. OM_OK; OM_ELIMIT,
 * OM_EMODEL: *live says nothing; OM_EUNSUPPORTED beyond 2^32 states.
 */
OM_API int om_plan_live(
    om_plan *p, const uint32_t *kind, uint32_t kinds, bool *live, om_exploration *out);

/* Did the last check or exploration end where the model is built for too little, rather than wrong?
 * One that is read with the option of om_model_larger() has more room. */
OM_API bool om_plan_lacks_room(const om_plan *p);
/* Of the last one, states of the device that the CPU expanded again: see options->verify. */
OM_API uint64_t om_plan_verified(const om_plan *p);
/* Likewise, what its kernels did to memory; NULL: nobody counted. Until the next one, or
 * om_plan_free(). */
OM_API const om_device_costs *om_plan_costs(const om_plan *p);

/* Assignments that overflowed, and were counted (OM_OVERFLOW_WRAP). */
typedef struct om_overflow_report {
    uint64_t count; /* as they were met in the search, and initial values */
    om_overflow
        first; /* of the search, one of the first; an initial value where there is no other */
    /* The shortest to the state that its transition leaves; count 0: none was looked for, or found
     * within the limits. */
    om_lasso trace;
} om_overflow_report;

/* Of the last check or exploration; NULL: there was none. Until the next one, or om_plan_free().
 * The first such report of a session comes with a warning, and with the trace. */
OM_API const om_overflow_report *om_plan_overflows(const om_plan *p);

/* Figures so far of the check or the exploration that is running, for a progress line; any thread.
 */
typedef struct om_progress {
    uint64_t states, transitions;
    double seconds;
    unsigned parts_running; /* of a check */
    om_levels levels;       /* of an exploration, or of the one part that runs; count 0: none */
} om_progress;
OM_API void om_plan_progress(om_plan *p, om_progress *out);

/* In a plan without a model: emptiness of an automaton by itself, through the same parts and
 * checkers (a model with one state per label is not needed: labels are chosen freely). The lasso of
 * VIOLATED is an accepted word: its vectors are labels of two words each, the low one first. */
OM_API int om_plan_empty(om_plan *p, const om_automaton *a, om_check_result *out);

#endif
