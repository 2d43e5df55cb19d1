/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h: a complete check, from a property to a verdict.
 */
#ifndef OMEN_PLAN_H
#define OMEN_PLAN_H

#include <omen/host/devices.h>
#include <omen/host/lasso.h>
#include <omen/host/predicate.h>
#include <omen/host/task.h>
#include <omen/host/load.h>

typedef enum om_property_kind {
    OM_PROPERTY_DEFAULT,   /* the model's own; deadlock freedom if it has none */
    OM_PROPERTY_LTL,       /* text: a formula */
    OM_PROPERTY_LTL_FILE,  /* text: the path of a file with one formula */
    OM_PROPERTY_AUTOMATON, /* text: the path of a HOA file of forbidden runs */
    OM_PROPERTY_NAMED,     /* text: the name of a property of the model */
    OM_PROPERTY_DEADLOCK,
    OM_PROPERTY_INVARIANT, /* text: an expression */
    /* No assertion of the model fails. Checks of other properties evaluate assertions, too: see
     * om_check_result.assertion. */
    OM_PROPERTY_ASSERTION,
    /* No run is without progress states from some point on. text: an expression that is true in
     * progress states; NULL: the model's progress labels (OM_EUSAGE if it has none). */
    OM_PROPERTY_NON_PROGRESS,
    /* The model has no fault, which every check verifies anyway; for om_plan_replay(). */
    OM_PROPERTY_FAULT,
} om_property_kind;

/* How the parts of an automaton share the threads */
typedef enum om_schedule {
    /* Concurrently, if there are several threads or a named device; with one thread, the parts take
     * turns that grow, so that a part that takes long does not delay the others. */
    OM_SCHEDULE_AUTO,
    OM_SCHEDULE_CONCURRENT,
    OM_SCHEDULE_SEQUENTIAL /* one after another, each with all threads */
} om_schedule;

/* Orders in which a search for a state (a deadlock, a failed assertion, a terminal component)
 * expands states. All find the same verdicts. */
typedef enum om_search {
    OM_SEARCH_AUTO, /* level by level, and between levels for a while in each of the other orders */
    OM_SEARCH_BFS,  /* level by level: each counterexample is a shortest one */
    OM_SEARCH_DFS,  /* mostly the newest state first */
    OM_SEARCH_BEST, /* mostly the state first that a guide takes for the nearest */
    OM_SEARCH_WALK  /* mostly random walks */
} om_search;

typedef enum om_switch { OM_SWITCH_DEFAULT, OM_SWITCH_ON, OM_SWITCH_OFF } om_switch;

/* Treatment of the bad prefix of a counterexample to a formula or an automaton: the states after
 * which every continuation violates the property. */
typedef enum om_prefix {
    OM_PREFIX_NOT_SOUGHT,
    OM_PREFIX_MARKED, /* computes om_lasso.bad_prefix */
    /* Also removes the rest of the run, if the referee accepts the prefix alone as a
     * counterexample. */
    OM_PREFIX_ALONE
} om_prefix;

/* Reduction by partial orders: leaves out runs that differ from others only in the order of steps
 * that do not depend on each other. om_plan_explore() keeps all states without successors. */
typedef enum om_por {
    OM_POR_AUTO, /* in checks, if it is soon known to be sound: as ON; else OFF */
    OM_POR_OFF,
    OM_POR_ON,    /* if a sample of states says that it leaves out enough; a check for which that is
                   * not known to be sound is OM_EUSAGE */
    OM_POR_ALWAYS /* also otherwise */
} om_por;

/* Zero-initialised is the default for all options. Strings are borrowed. */
typedef struct om_plan_options {
    /* "NAME" or "NAME:opt=val,...", for the whole automaton. */
    const char *checker;
    const char *terminal, *weak, *strong; /* likewise, for one part */
    const char *translator;               /* likewise, for LTL; NULL: the one of highest rank */
    /* Formulas are read by om_ltl_parse(). By default, they are read in the grammar of the model's
     * language, if it has one (om_frontend.formula), and text that is not in that grammar in omen's
     * own. */
    bool own_grammar;
    om_schedule schedule;
    /*
     * "none", or a device as for om_devices_pick(), which then checks the terminal and weak parts.
     * NULL or "auto": every part starts on the CPU, and a GPU or an accelerator, if there is one,
     * races the CPU for a part that takes long. The first of the two to find the answer stops the
     * other.
     */
    const char *device;
    /* The device that races, for tests; NULL: a GPU, or an accelerator. */
    const char *racer;
    /* Number of states that the CPU expands again if a device finds no violation; if the results
     * differ, the CPU repeats the check. 0: OM_VERIFY_DEFAULT; UINT64_MAX: all; OM_VERIFY_AGAIN. */
    uint64_t verify;
    unsigned threads; /* 0: all cores */
    om_exec_kind exec;
    om_store_kind store;     /* 0: trees */
    bool ignore_finite_runs; /* --finite-runs=ignore */
    /* Finite runs repeat their last state for ever in other properties unless they are ignored. For
     * OM_PROPERTY_NON_PROGRESS they count only if this is set. */
    bool stutter_non_progress;
    /* Fairness assumptions: only infinite runs that satisfy all of them can be counterexamples.
     * `fairness` has no effect on properties whose counterexample is a finite trace, because each
     * trace has a fair continuation; `fair` with such a property is OM_EUSAGE.
     * core/plan/property/fairness.h */
    om_process_fairness fairness;
    const char *const *fair; /* LTL formulas */
    size_t fair_count;
    /* Transforms the model before each check so that dead variables (not read before they are
     * written again, with respect to the propositions of the check) are reset to their initial
     * values. By default checks do, and om_plan_explore() does not. */
    om_switch reset_dead;
    /* Merges local steps (statements that concern only their process) with the step before. By
     * default a check of a stutter-invariant property does, unless a shortest counterexample is
     * requested, and om_plan_explore() does not. ON: OM_EUSAGE unless it is known to be sound. */
    om_switch merge;
    om_por por;
    om_overflow_mode overflow;
    /* In checks: runs continue after a failed assertion of the model, as the language defines it
     * (assert() of Promela has no other effect), and failures are not reported. Except for final
     * assertions: om_model_set_final(). */
    bool ignore_assertions;
    /* om_plan_overflows() gives no trace: the search for one may take as long as the check. */
    bool no_overflow_trace;
    om_search search;
    /* "NAME" or "NAME:opt=val,...", of a guide; NULL: all guides that can help. */
    const char *guide;
    /* For a violation with a lasso: time for which the search for a lasso with as few states as any
     * continues. 0: the first lasso is taken. OM_EUSAGE, when the property is read, if its
     * counterexample is a finite trace. */
    uint64_t shortest_ns;
    om_prefix bad_prefix; /* with shortest_ns, nothing is removed */
    om_limits limits;     /* memory 0: om_default_memory_limit() */
    /* Start of the time limit that all checks share (om_clock_ns()); 0: each check has all the
     * time. */
    uint64_t since_ns;
    uint64_t seed;
    /* A compiler of successor functions that has not finished when the work ends goes on in the
     * background while the machine has time, also after this process has ended, and fills the cache
     * for the next one. Not after an interrupt, and not without a cache. It holds in the whole
     * session of the plan's context. */
    bool leave_compilers;
} om_plan_options;

/* The result for one part. Strings live as long as the result. */
typedef struct om_part_result {
    om_strength strength;
    uint32_t automaton_states, automaton_edges;
    /* Acceptance that the automaton was converted to for the checker: "Buchi"; or NULL: no
     * conversion. */
    const char *conversion;
    uint32_t states_before; /* of the automaton, before the conversion */
    const char *checker;
    char *device; /* or NULL */
    /* The checker and the device that were tried first, and why they failed; or NULL. */
    char *gave_up;
    /* Its states are in a store shared with other parts: each part counts the whole store. */
    bool shares;
    om_task_result task;
} om_part_result;

/* Whether the lasso of a result has as few states (stem and cycle together) as any
 * counterexample. */
typedef enum om_minimality {
    OM_NOT_ASKED, /* a run with a cycle, and shortest_ns was 0 */
    /* The time or a limit ended the search; or, for a run without a cycle, it was found out of
     * turn, or with merged steps. */
    OM_NOT_PROVEN,
    OM_MINIMAL
} om_minimality;

/* The fairness assumptions in force: for processes, with the number that have acceptance sets;
 * formulas; and all sets. */
typedef struct om_fairness_report {
    om_process_fairness kind;
    uint32_t processes, formulas, sets;
} om_fairness_report;

/* The subject of a verdict. */
typedef enum om_verdict_about {
    OM_ABOUT_PROPERTY,
    OM_ABOUT_ASSERTION /* an assertion of the model, which is VIOLATED */
} om_verdict_about;

typedef struct om_check_result om_check_result;
struct om_check_result {
    const om_heap *heap;
    om_verdict_about about;
    /* As given, for the report; for an assertion its place, "FILE:LINE:COLUMN". */
    char *property;
    om_verdict verdict;
    /* The reason for UNKNOWN; for VIOLATED without a lasso, why none could be built and
     * refereed. */
    char *reason;
    /* A fault of the model that was met on the way, or the assertion that fails; or NULL. */
    char *fault;
    /*
     * An assertion of the model that failed during the search, with a trace to the failure and the
     * figures of that search; or NULL. The verdict on the property refers to the runs of the model,
     * which continue after a failed assertion: HOLDS if all of them satisfy it; VIOLATED if a run
     * without a failed assertion violates it; otherwise UNKNOWN. A plan reports one assertion;
     * later checks of other properties take its failure as known. For OM_PROPERTY_ASSERTION, the
     * result itself is about the assertion. Owned.
     */
    om_check_result *assertion;
    om_part_result *parts;
    size_t part_count;
    uint64_t states, transitions, memory_bytes;
    unsigned threads; /* workers that the CPU parts shared */
    double seconds;
    /* For VIOLATED (unless there is a reason), or the trace to a fault; refereed. */
    om_lasso lasso;
    bool has_lasso;
    om_minimality minimality;
    om_fairness_report fairness;
    /* Number of properties that share the exploration of this result; 0: it has its own. */
    unsigned together;
};

/* A property that the model contains. Strings are constants, or owned by the model. */
typedef struct om_own_property {
    om_property_kind kind; /* ASSERTION, DEADLOCK, NAMED or NON_PROGRESS */
    /* Name of the property in results; for NAMED, the text for om_plan_check(). */
    const char *name;
    /* For NAMED: in the syntax of om_ltl_parse(); NULL: the property is an automaton. */
    const char *formula;
    uint32_t assertions; /* for ASSERTION: the number of assertions */
    bool by_name;        /* checked only if requested */
} om_own_property;

/*
 * Returns all properties of the model, in the order in which they are checked by default: the
 * assertions, if there are any; deadlock freedom, if the language requires it
 * (om_model_forbid_deadlock()) or there is nothing else except assertions; then formulas and
 * automata, except those of om_model_set_by_name(). Properties that are checked only if requested
 * are included at their place. The caller frees *out with om_free(). OM_OK, OM_ENOMEM.
 */
OM_API int om_plan_own_properties(const om_model *m, om_own_property **out, size_t *count);

/* Returns 80 % of the memory available to this process in bytes, or 0 if the system does not report
 * it. */
OM_API uint64_t om_default_memory_limit(void);

typedef struct om_plan om_plan;

/*
 * Creates a session over one model: executors and devices are opened once and shared by all checks.
 * It uses the control of the context (limits, stops), so a context may have only one plan at a
 * time; any thread may stop that control. All arguments are borrowed. Without a front end and a
 * model, only om_plan_empty() may be called.
 */
OM_API int om_plan_new(om_plan **out, om_context *ctx, const om_registry *registry,
    const om_frontend *frontend, om_model *model, const om_plan_options *options);
OM_API void om_plan_free(om_plan *p);
OM_API om_control *om_plan_control(om_plan *p);
/* Divides the remaining time among this number of checks, the next one included, which gets an
 * equal share: a slow check does not consume the time of later ones. 0 and 1: it may use all. */
OM_API void om_plan_share_time(om_plan *p, size_t checks);
/* Returns true if om_plan_free() would wait for a device's compiler: see om_devices_busy(). */
OM_API bool om_plan_busy(om_plan *p);

/*
 * Checks one property. OM_OK with a result, whatever the verdict; OM_EMODEL with a result whose
 * lasso leads to the fault; other errors with an empty result. If the referee rejects the lasso of
 * a violation, the status is OM_EINTERNAL, never a verdict.
 */
OM_API int om_plan_check(om_plan *p, om_property_kind kind, const char *text, om_check_result *out);
OM_API void om_check_result_free(om_check_result *r);

/*
 * The same in two steps, so that several properties can be read before the first is checked: errors
 * in a property or its propositions are reported when it is read. OM_ELIMIT if a limit ended the
 * reading. A target is checked once, and freed before its plan.
 */
typedef struct om_target om_target;
OM_API int om_plan_read(om_target **out, om_plan *p, om_property_kind kind, const char *text);
OM_API int om_plan_check_target(om_plan *p, om_target *t, om_check_result *out);
OM_API void om_target_free(om_plan *p, om_target *t);

/*
 * Returns true if the target may be checked together with others by om_plan_check_together().
 * Targets about states (assertions, deadlocks, invariants) may share one exploration on the CPU,
 * unless the options name a checker or a device, or request a shortest counterexample.
 */
OM_API bool om_plan_may_share(const om_plan *p, const om_target *t);
/*
 * Checks at most 64 such targets. OM_OK with the same number of results. A result whose heap is
 * NULL is empty, and its target must be checked on its own (the model has a fault, and a search for
 * one property alone continues after it). `one`: the first violation ends the exploration, and
 * undecided targets get no result. Otherwise only a violation that is found early in a long
 * exploration ends it: its answer does not wait for all states. If an assertion fails, the
 * exploration starts again for the undecided targets, on runs without assertions. Other errors: no
 * results.
 */
OM_API int om_plan_check_together(
    om_plan *p, om_target *const *targets, size_t count, bool one, om_check_result *results);

/* A checker that was not chosen for a part. */
typedef struct om_planned_other {
    const char *checker;
    uint32_t rank;       /* 0: it cannot be a default */
    const char *why_not; /* an explanation */
} om_planned_other;

/* The plan for one part. The plug-ins own the strings, except those that are not const. */
typedef struct om_planned_part {
    om_strength strength;
    uint32_t states, edges; /* of its automaton */
    /* Acceptance that the automaton is converted to for the checker: "Buchi"; or NULL: no
     * conversion. */
    const char *conversion;
    char *conversion_why; /* why to that form; or NULL */
    uint32_t converted_states, converted_edges;
    const char *checker;
    bool named;                      /* by the options, not chosen by rank */
    uint32_t rank;                   /* if it was not named */
    char *device;                    /* or NULL */
    unsigned workers, workers_later; /* at the start; after the other parts have ended */
    /* Checker for a GPU that joins if this takes long; or NULL. */
    const char *racer;
    const char *fallback;     /* used if the device fails; or NULL */
    om_planned_other *others; /* best first */
    size_t other_count;
    char *search; /* orders of the search, and guides that may help; NULL: the checker's own */
} om_planned_part;

/* The orders of independent steps that a check explores: all, or, if a sample of states shows that
 * others can be left out, those that deadlocks or, up to stuttering, all runs need. */
typedef enum om_planned_orders {
    OM_ORDERS_ALL,
    OM_ORDERS_FOR_DEADLOCKS,
    OM_ORDERS_FOR_RUNS
} om_planned_orders;

typedef struct om_planned {
    const om_heap *heap;
    char *property;
    uint32_t states, edges; /* of the automaton of forbidden runs */
    bool side_by_side;      /* the parts run concurrently */
    bool in_turn;           /* the parts take turns; both false: one part after another */
    unsigned threads;
    om_planned_part *parts;
    size_t part_count;
    om_fairness_report fairness;
    om_planned_orders orders;
} om_planned;

/* Describes what om_plan_check() would do for this property. Explores no state; opens a device if
 * the options name one. */
OM_API int om_plan_describe(om_plan *p, om_property_kind kind, const char *text, om_planned *out);
OM_API void om_planned_free(om_planned *d);

/*
 * Passes to take() the programs that the device's compiler would get for om_plan_explore(), or for
 * a check of the property; if the options name no device, those for a GPU in general. See
 * om_engine_texts(). Explores no state; a device that is named is opened and tested.
 */
OM_API int om_plan_explore_texts(
    om_plan *p, int (*take)(void *self, const om_program_text *text), void *self);
OM_API int om_plan_check_texts(om_plan *p, om_property_kind kind, const char *text,
    int (*take)(void *self, const om_program_text *text), void *self);

/* Checks whether a lasso is a counterexample to a property. It is replayed on the form of the model
 * that the lasso names, whatever the options say; if the options assume no fairness, under the
 * fairness that the lasso names. OM_OK, or OM_EINPUT with the reason. */
OM_API int om_plan_replay(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *lasso);

/* Explores the state space, on the device that options->device names, otherwise on the CPU. */
/* OM_EMODEL with the trace to the fault in *trace (may be NULL), if it could be computed. */
OM_API int om_plan_explore(om_plan *p, om_exploration *out, om_lasso *trace);
/*
 * The same on the CPU only. If the exploration was complete, appends the state graph to `graph` in
 * that format (om_graph_formats()). The graph has the states and edges of the figures, and does not
 * depend on the number of workers. OM_EUSAGE if the options name a device; OM_EINVAL if there is no
 * such format; the status of `graph`, whose text is then unusable; OM_ELIMIT if a limit was
 * reached, even if only while writing.
 */
OM_API int om_plan_explore_graph(
    om_plan *p, const char *format, om_text *graph, om_exploration *out, om_lasso *trace);
/* A query about all reachable states: whether a state exists in which the expression is not 0; if
 * `deadlock`, whether a state without successors exists; otherwise the maximum sum of factor *
 * slot, over scalar slots. */
typedef struct om_query {
    om_expr expression; /* of the plan's model; or 0 */
    bool deadlock;
    uint32_t term_count;
    const om_net_term *terms;
    /* Upper bound of the sum; INT64_MAX: unknown. */
    om_wide enough;
    /* The answer. */
    bool decided;
    /* 0 or 1, or the maximum (INT64_MIN: no state seen); if not decided, over the states seen. */
    om_wide value;
    /* The transitions that lead to a state with that value; the caller frees them with om_free().
     * NULL if it is the initial state, or there is none. */
    uint32_t *transitions;
    size_t transition_count;
    bool shortest; /* no shorter run leads to a state that answers the query */
} om_query;

/* The request of om_plan_ask(). The caller owns the arrays, zeroed; NULL: not requested. */
typedef struct om_survey {
    om_query *queries; /* at most 64 with an expression */
    size_t query_count;
    /* By transition: set to 1 if it is enabled in some state. */
    uint8_t *fired;
    /* Called once for each of these transitions, one after another; returns true if no more are
     * needed. NULL: all are needed. */
    bool (*enough)(void *self, uint32_t transition);
    void *self;
    /* By slot, for models with scalar slots only: the maximum value, if above 0. */
    om_value *most;
    om_wide *largest_sum; /* maximum sum of all slots, likewise */
    /* Set if the state space was proved infinite, so that there is no maximum. */
    bool endless;
} om_survey;

/*
 * Answers several queries by one breadth-first exploration on the CPU. It ends when all queries are
 * decided and no transition is needed, unless something else is requested. The referee replays the
 * paths to the states that answer queries. OM_OK; OM_ELIMIT: decided answers are correct, the
 * others cover the states seen; OM_EMODEL: likewise, if the model has a fault; OM_EUSAGE: too many
 * queries; OM_EINTERNAL: the referee rejected a path.
 */
OM_API int om_plan_ask(om_plan *p, om_survey *survey, om_exploration *out);

/*
 * Each transition has a kind, 0 .. kinds - 1 (indexed by transition). Sets *live to true if from
 * every reachable state, for each kind, a state is reachable that enables a transition of that
 * kind. Explores all states on the CPU, and needs about 40 bytes per state and 8 per edge. OM_OK;
 * OM_ELIMIT, OM_EMODEL: *live is undefined; OM_EUNSUPPORTED beyond 2^32 states.
 */
OM_API int om_plan_live(
    om_plan *p, const uint32_t *kind, uint32_t kinds, bool *live, om_exploration *out);

/* Returns true if the last check or exploration ended because the model is built with too little
 * room, not because of an error: a model that is read with the option of om_model_larger() has more
 * room. */
OM_API bool om_plan_lacks_room(const om_plan *p);
/* Returns the number of states of the device that the CPU expanded again in the last check or
 * exploration: see options->verify. */
OM_API uint64_t om_plan_verified(const om_plan *p);
/* Returns the memory traffic of its kernels; NULL if it was not counted. Valid until the next check
 * or exploration, or om_plan_free(). */
OM_API const om_device_costs *om_plan_costs(const om_plan *p);

/* What the workers did while one kind of executor was in use. */
typedef struct om_code_rate {
    uint64_t states;    /* expanded, repeated expansions included */
    double cpu_seconds; /* processor time of the workers' threads, storing the states included */
} om_code_rate;

/* How the CPU computed successors: wall times in seconds during which each kind of executor was in
 * use, from its opening to the end of the search. */
typedef struct om_code_report {
    const char *first;             /* executor that is no native code: "vm", "table"; NULL: none */
    double first_seconds;          /* of that executor */
    double quick_seconds;          /* of native code that was compiled quickly */
    double native_seconds;         /* of native code that was compiled to be fast */
    double compiler_seconds;       /* for which compilers ran before the work ended */
    bool cached;                   /* native code was in the cache */
    bool compiling;                /* a compiler goes on in the background: leave_compilers */
    double quick_compiler_seconds; /* those of compiler_seconds for code that is ready sooner */
    uint64_t text_bytes;           /* of the C text that was compiled or cached; 0: none so far */
    om_code_rate first_rate, quick_rate, native_rate;
} om_code_report;

/* Returns the report on the last check or exploration, summed over its tries; NULL if the CPU
 * computed nothing. Valid until the next one, or om_plan_free(). */
OM_API const om_code_report *om_plan_code(const om_plan *p);

/* Assignments that overflowed and were counted (OM_OVERFLOW_WRAP). */
typedef struct om_overflow_report {
    uint64_t count;    /* overflows met in the search, and initial values */
    om_overflow first; /* one of the first of the search; an initial value if there is no other */
    /* A shortest trace to the source state of the overflowing step; count 0: none was searched for,
     * or found within the limits. */
    om_lasso trace;
} om_overflow_report;

/* Returns the overflows of the last check or exploration; NULL if there were none. Valid until the
 * next one, or om_plan_free(). Only the first such report of a session comes with a warning, and
 * only the first whose search was not stopped comes with a trace. */
OM_API const om_overflow_report *om_plan_overflows(const om_plan *p);
/* Moves the trace of that report to *out, which the caller frees with om_lasso_free(); it may be
 * empty. For a host that shows the report after other checks. */
OM_API void om_plan_take_overflow_trace(om_plan *p, om_lasso *out);

/* Figures so far of the running check or exploration, for a progress line; any thread. */
typedef struct om_progress {
    uint64_t states, transitions;
    double seconds;
    unsigned parts_running; /* for a check */
    /* For an exploration, or for a single running part; count 0: none. */
    om_levels levels;
} om_progress;
OM_API void om_plan_progress(om_plan *p, om_progress *out);

/* In a plan without a model: checks the emptiness of an automaton, with the same parts and checkers
 * (no model with one state per label is needed: labels are chosen freely). The lasso of VIOLATED is
 * an accepted word: its vectors are labels of two words each, the low word first. */
OM_API int om_plan_empty(om_plan *p, const om_automaton *a, om_check_result *out);

#endif
