/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate.h: step-by-step simulation of a model.
 *
 * A simulation has a history of states, beginning with the initial state, with the transitions
 * taken between them, and a position in the history: the current state. Going back keeps the later
 * states, and forward returns to them; taking a different transition drops them. Breakpoints are
 * expressions; a run of several steps ends where one becomes true. The bytecode vm computes all
 * successors, so nothing is compiled.
 *
 * One thread at a time may use a simulation, and no other thread may use the model meanwhile,
 * because breakpoints add expressions to it.
 */
#ifndef OMEN_SIMULATE_H
#define OMEN_SIMULATE_H

#include <omen/host/lasso.h>
#include <omen/plugin/frontend.h>

enum { OM_SIMULATION_BREAKPOINTS = 64 };

typedef struct om_simulation om_simulation;

/* Creates a simulation in the initial state of a finished model. The front end (NULL: no
 * breakpoints) reads expressions; it, the context and the model must outlive the simulation. OM_OK;
 * OM_ENOMEM; OM_EIO; errors of om_executor_open(). */
OM_API int om_simulation_new(
    om_simulation **out, om_context *ctx, const om_frontend *frontend, om_model *model);
OM_API void om_simulation_free(om_simulation *s);

/* ---- the history ---- */

OM_API size_t om_simulation_length(const om_simulation *s); /* number of states; at least 1 */
OM_API size_t om_simulation_position(const om_simulation *s);
/* Returns state i (< length), valid until a step is taken. */
OM_API const uint32_t *om_simulation_state(const om_simulation *s, size_t i);
/* Returns the transition from state i to state i + 1 of the history, or OM_STUTTER; OM_NONE if i is
 * the last state. */
OM_API uint32_t om_simulation_taken(const om_simulation *s, size_t i);
/* Copies the history up to the position to a trace, which the caller frees. OM_OK or OM_ENOMEM. */
OM_API int om_simulation_trace(const om_simulation *s, om_lasso *out);

/* ---- the current state ---- */

/* Returns the transitions that are enabled in the current state, ascending; NULL and 0 if there are
 * none. Valid until the position changes. OM_OK; OM_ENOMEM; OM_EMODEL, with a message, if the model
 * has a fault in that state or on a step from it: the state then has no successors. */
OM_API int om_simulation_enabled(om_simulation *s, const uint32_t **transitions, size_t *count);
/* Returns the successor by the k-th enabled transition; NULL if there is none. Valid until the
 * position changes. */
OM_API const uint32_t *om_simulation_target(const om_simulation *s, size_t k);

/* ---- moving ---- */

/* Takes the k-th enabled transition. Errors as om_simulation_enabled(); OM_EINVAL, with a message,
 * if there is none. On failure nothing changes. */
OM_API int om_simulation_take(om_simulation *s, size_t k);
/* Moves to state i of the history; returns false if there is none. */
OM_API bool om_simulation_goto(om_simulation *s, size_t i);
/* Returns the transition that om_simulation_forward() would take, or OM_STUTTER; OM_NONE if none is
 * known. */
OM_API uint32_t om_simulation_ahead(const om_simulation *s);
/* Moves one step along the known run: the history, and after it the loaded run, whose cycle repeats
 * without end. OM_EINVAL, with a message, if no step is known. */
OM_API int om_simulation_forward(om_simulation *s);

/* Seeds the random choices, which are a function of the seed only; the initial seed is 0. */
OM_API void om_simulation_seed(om_simulation *s, uint64_t seed);

/* Why a run ended. */
typedef enum om_simulation_end {
    OM_SIMULATION_STEPS,      /* all steps were taken */
    OM_SIMULATION_BREAKPOINT, /* a breakpoint became true */
    OM_SIMULATION_DEADLOCK,   /* the state has no successor */
    OM_SIMULATION_FAULT,      /* the model has a fault there, which the message describes */
    OM_SIMULATION_STOPPED     /* the context was stopped */
} om_simulation_end;

/*
 * Takes up to `steps` steps, each by a uniformly chosen enabled transition; if `follow`, forward as
 * long as a step is known. Checks breakpoints after each step and the context before it. *taken:
 * number of steps taken. OM_OK, however the run ended; OM_ENOMEM, or OM_ELIMIT with no message if
 * the memory limit refused an allocation; OM_EMODEL if a breakpoint cannot be evaluated. The steps
 * taken remain in every case.
 */
OM_API int om_simulation_run(
    om_simulation *s, uint64_t steps, bool follow, uint64_t *taken, om_simulation_end *end);

/* ---- breakpoints ---- */

/* Adds a breakpoint. Numbers count from 0 and stay the same until a breakpoint is removed. OM_OK;
 * errors of the front end; OM_EUSAGE if there are too many breakpoints or no front end;
 * OM_ENOMEM. */
OM_API int om_simulation_break(om_simulation *s, const char *expression);
/* Removes a breakpoint; the numbers of later ones decrease by one. */
OM_API void om_simulation_unbreak(om_simulation *s, size_t number);
OM_API size_t om_simulation_breakpoint_count(const om_simulation *s);
OM_API const char *om_simulation_breakpoint(const om_simulation *s, size_t number);
/* Bit i of *now: breakpoint i is true in the current state. Bit i of *became: also, the state is
 * the first or the breakpoint is false in the state before. OM_OK; OM_EMODEL if a breakpoint cannot
 * be evaluated. */
OM_API int om_simulation_breaking(om_simulation *s, uint64_t *now, uint64_t *became);

/* ---- loaded runs ---- */

/*
 * Makes a lasso (or a trace) the history, at its initial state; forward follows it, round its cycle
 * for ever. It must be a run of the model in its present form, by transitions, and also by states
 * if it comes from a model of the same form. If dead variables were reset in the lasso, they have
 * their real values here, so the cycle may return to a state other than its first. (The run
 * continues nevertheless, because these values are not read.) OM_EINPUT if it is not such a run,
 * and nothing changes; OM_ENOMEM; OM_ELIMIT or OM_ESTOP if the context is stopped.
 */
OM_API int om_simulation_load(om_simulation *s, const om_lasso *run);
/* Returns true if the history up to state i follows a loaded run; *at is then the number of the
 * state in that run. */
OM_API bool om_simulation_follows(const om_simulation *s, size_t i, size_t *at);
/* Returns the index of the first state of the cycle of that run, or OM_NO_LOOP. */
OM_API size_t om_simulation_loop(const om_simulation *s);

#endif
