/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.h: why a run violates its property, and which transitions are necessary for that.
 *
 * Every run is refereed before it is explained, so that nothing is stated about an invalid run.
 */
#ifndef OMEN_EXPLAIN_H
#define OMEN_EXPLAIN_H

#include <omen/host/plan.h>

/* The kind of property that a run violates. */
typedef enum om_explained {
    OM_EXPLAINED_FORMULA,
    OM_EXPLAINED_AUTOMATON, /* of forbidden runs: a property of the model, or a never claim */
    OM_EXPLAINED_NON_PROGRESS,
    OM_EXPLAINED_INVARIANT,
    OM_EXPLAINED_ASSERTION, /* of the model */
    OM_EXPLAINED_DEADLOCK
} om_explained;
/* "formula", "automaton", "non-progress", ...; NULL for any other value. */
OM_API const char *om_explained_name(om_explained kind);

/* Flags of a row in a state. */
enum { OM_EXPLAINED_TRUE = 1, OM_EXPLAINED_MATTERS = 2 };

/* A subformula, or a proposition. */
typedef struct om_explained_row {
    char *text;
    uint32_t depth;   /* number of operators above it; 0: the whole formula */
    bool proposition; /* it has no logical operators */
    /* It is part of a fairness assumption (--fair), which is true on the run. */
    bool assumption;
    uint8_t *at; /* by state of the run, the flags above */
} om_explained_row;

/* For a process: the number of states of the cycle in which it can move, and the number of its
 * moves there. */
typedef struct om_explained_process {
    const char *name; /* owned by the model */
    size_t able, moves;
} om_explained_process;

/* A step of an accepting run of the automaton. */
typedef struct om_accepted {
    size_t state; /* of the run */
    uint32_t automaton_state;
    om_marks marks; /* acceptance sets of the outgoing edge */
} om_accepted;

/* In a deadlock state: a transition that leaves the current location of one of its processes, and
 * why it is disabled: the conjuncts of its guard that are false. */
typedef struct om_blocked {
    uint32_t transition;
    char *why;
} om_blocked;

/* The verdict on the property in the model without one transition of the run. */
typedef struct om_without {
    uint32_t transition;
    /* First state of the run that it leaves, and number of its occurrences. */
    size_t first, times;
    om_verdict verdict; /* HOLDS: without it, no run violates the property */
    char *reason;       /* for UNKNOWN; otherwise NULL */
    /* For VIOLATED, those of another run (loop OM_NO_LOOP: a finite trace); 0 if only a verdict is
     * known. */
    size_t states, loop;
    bool ends; /* that run ends in a state without successors */
} om_without;

typedef struct om_explanation {
    const om_heap *heap;
    om_explained kind;
    char *property;     /* as in om_check_result */
    size_t count, loop; /* of the run; loop: first state of its cycle, or OM_NO_LOOP */
    size_t bad_prefix;  /* as in om_lasso */
    /* For a formula and a finite run: some reasons lie after the last state, which is taken to
     * repeat. */
    bool beyond;
    om_explained_row *rows;
    size_t row_count;
    /* For an automaton, one accepting run of it, which repeats from accepted_loop on. */
    om_accepted *accepted;
    size_t accepted_count, accepted_loop;
    /* Set if the run shows fairness to processes. */
    om_explained_process *processes;
    size_t process_count;
    om_blocked *blocked; /* for a deadlock */
    size_t blocked_count;
    om_without *without; /* in the order of the run */
    size_t without_count;
} om_explanation;

/*
 * Referees the run for the property, as om_plan_replay() does, and explains it.
 *
 * Rows: for a formula (and for progress, as G F of it), each subformula with its truth values along
 * the run, and the pairs of subformula and state that are the reasons for its falsity: a small set
 * that implies it whatever the other values are (core/ltl/explain_formula.h). For an invariant and
 * an assertion, the same in the last state, with the expression split at logical operators. For an
 * automaton, its propositions, none of which is marked as a reason, because an automaton has no
 * subformulas; instead the accepting run of the automaton, unless run and automaton are too large.
 * For a deadlock, none. The assumed formulas follow, if the run satisfies them, with the reasons
 * for their truth.
 *
 * The caller frees *out, whatever is returned. OM_OK; OM_EINPUT if the referee rejects the run;
 * otherwise the status of om_plan_replay().
 */
OM_API int om_explain(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *run, om_explanation *out);

/*
 * For each transition of the run: determines whether the property is still violated in the model
 * without it. Without it means that its guard is false while all other guards stay the same; runs
 * that end repeat their last state if they did in the original check. Each check runs on the vm,
 * under the fairness that the run shows and the limits of the plan, with at most each_ns of its
 * time (0: all that is left). A violation is another run, refereed in that model. A run that was
 * found for an earlier transition is reused if the referee accepts it. The verdict is UNKNOWN if a
 * limit, an assertion or a fault of the model ends the check.
 *
 * Adds to *e, the explanation of the run. OM_OK, however many are unknown; OM_ENOMEM; OM_EINTERNAL.
 * The model is unchanged afterwards.
 */
OM_API int om_explain_without(om_plan *p, om_property_kind kind, const char *text,
    const om_lasso *run, uint64_t each_ns, om_explanation *e);

OM_API void om_explanation_free(om_explanation *e);

#endif
