/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.h: why a run violates its property, and what would have prevented it.
 *
 * Whatever is explained was refereed first, so that nothing is said about a run that is none.
 */
#ifndef OMEN_EXPLAIN_H
#define OMEN_EXPLAIN_H

#include <omen/host/plan.h>

/* What a run shows. */
typedef enum om_explained {
    OM_EXPLAINED_FORMULA,
    OM_EXPLAINED_AUTOMATON, /* of forbidden runs: of the model, or a never claim */
    OM_EXPLAINED_NON_PROGRESS,
    OM_EXPLAINED_INVARIANT,
    OM_EXPLAINED_ASSERTION, /* of the model */
    OM_EXPLAINED_DEADLOCK
} om_explained;
/* "formula", "automaton", "non-progress", ...; NULL for what is none. */
OM_API const char *om_explained_name(om_explained kind);

/* Of a row in a state. */
enum { OM_EXPLAINED_TRUE = 1, OM_EXPLAINED_MATTERS = 2 };

/* A part of the formula, or a proposition. */
typedef struct om_explained_row {
    char *text;
    uint32_t depth;   /* operators above it; 0: the whole */
    bool proposition; /* there are no operators of logic in it */
    bool assumption;  /* a part of what is assumed (--fair), which is true on the run */
    uint8_t *at;      /* by state of the run, the bits above */
} om_explained_row;

/* Of a process: in how many states of the cycle it can move, and how often it does there. */
typedef struct om_explained_process {
    const char *name; /* the model's */
    size_t able, moves;
} om_explained_process;

/* A step of the automaton that accepts the run. */
typedef struct om_accepted {
    size_t state; /* of the run */
    uint32_t automaton_state;
    om_marks marks; /* acceptance sets of the edge by which that is left */
} om_accepted;

/* A transition that one of its processes is at the start of, in the state where nothing can move,
 * and what keeps it from being taken: the parts of its guard that are false. */
typedef struct om_blocked {
    uint32_t transition;
    char *why;
} om_blocked;

/* What becomes of the property where one transition of the run cannot be taken. */
typedef struct om_without {
    uint32_t transition;
    size_t first, times; /* its first state in the run that it leaves, and how many there are */
    om_verdict verdict;  /* HOLDS: without it there is no such run at all */
    char *reason;        /* of UNKNOWN; else NULL */
    size_t states, loop; /* of VIOLATED, another run's (loop OM_NO_LOOP: it is a trace); 0 where
                            there is a verdict alone */
    bool ends;           /* that one ends in a state without successor */
} om_without;

typedef struct om_explanation {
    const om_heap *heap;
    om_explained kind;
    char *property;     /* as in om_check_result */
    size_t count, loop; /* the run's states, and where its cycle begins, or OM_NO_LOOP */
    size_t bad_prefix;  /* as in om_lasso */
    bool beyond;        /* of a formula and a run that ends: reasons are needed, too, that lie after
                           its last state, which was taken to be repeated */
    om_explained_row *rows;
    size_t row_count;
    om_accepted
        *accepted; /* of an automaton, one way to accept it: from accepted_loop on for ever */
    size_t accepted_count, accepted_loop;
    om_explained_process *processes; /* where fairness to them is shown */
    size_t process_count;
    om_blocked *blocked; /* of a deadlock */
    size_t blocked_count;
    om_without *without; /* in the order of the run */
    size_t without_count;
} om_explanation;

/*
 * Referees the run for the property, as om_plan_replay() does, and explains it.
 *
 * Rows: of a formula (and of progress, as G F of it), each part with its truth along the run, and
 * which pairs of a part and a state are a reason for its being false: a small set from which it
 * follows, whatever else holds elsewhere (core/ltl/explain.h). Of an invariant and an assertion the
 * same in the last state, its expression taken apart at operators of logic. Of an automaton its
 * propositions, of which none is said to matter, for it has no parts; but there is the way on which
 * it accepts the run, where run and automaton are not too large for that. Of a deadlock there is
 * none. Behind them what is assumed with formulas, where the run shows that, and why it is true.
 *
 * *out is to be freed, whatever is returned. OM_OK; OM_EINPUT where the referee rejects the run;
 * what om_plan_replay() returns else.
 */
OM_API int om_explain(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *run, om_explanation *out);

/*
 * For each transition of the run: is the property still violated in the model without it? Without
 * means that its guard is false, and those of others are as they are; that runs which end repeat
 * their last state counts where it did. Each is checked anew on the vm, under the assumptions that
 * the run shows and the limits of the plan, of its time at most each_ns (0: all that is left); a
 * violation is another run, refereed in that model. One that was found for an earlier transition is
 * another run for this one, too, where the referee accepts it there. What a limit ends, or an
 * assertion or fault of the model that comes first, is UNKNOWN.
 *
 * Adds to *e, which is the run's. OM_OK, however many are unknown; OM_ENOMEM; OM_EINTERNAL. The
 * model is as it was then.
 */
OM_API int om_explain_without(om_plan *p, om_property_kind kind, const char *text,
    const om_lasso *run, uint64_t each_ns, om_explanation *e);

OM_API void om_explanation_free(om_explanation *e);

#endif
