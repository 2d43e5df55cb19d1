/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate.h: walking through a model step by step.
 *
 * A simulation has a history of states, the initial one first, with the transition taken between
 * two of them, and a position in it: the current state. Going back keeps what lies ahead, and
 * forward goes there again; another transition than the one taken then drops it. Breakpoints are
 * expressions; a run with many steps ends where one becomes true. All successors are the bytecode
 * vm's, so that nothing is compiled.
 *
 * One thread uses a simulation at a time, and nobody else the model meanwhile: breakpoints add
 * expressions to it.
 */
#ifndef OMEN_SIMULATE_H
#define OMEN_SIMULATE_H

#include <omen/host/lasso.h>
#include <omen/plugin/frontend.h>

enum { OM_SIMULATION_BREAKPOINTS = 64 };

typedef struct om_simulation om_simulation;

/* In the initial state of a finished model. The front end (NULL: there are no breakpoints) reads
 * expressions; it, the context and the model must outlive the simulation. OM_OK; OM_ENOMEM; OM_EIO;
 * what om_executor_open() fails with. */
OM_API int om_simulation_new(
    om_simulation **out, om_context *ctx, const om_frontend *frontend, om_model *model);
OM_API void om_simulation_free(om_simulation *s);

/* ---- the history ---- */

OM_API size_t om_simulation_length(const om_simulation *s); /* states; at least 1 */
OM_API size_t om_simulation_position(const om_simulation *s);
/* State i (< length), until a step is taken. */
OM_API const uint32_t *om_simulation_state(const om_simulation *s, size_t i);
/* The transition by which state i is left in the history, or OM_STUTTER; OM_NONE: it is the last.
 */
OM_API uint32_t om_simulation_taken(const om_simulation *s, size_t i);
/* The history up to the position, as a trace that is the caller's. OM_OK or OM_ENOMEM. */
OM_API int om_simulation_trace(const om_simulation *s, om_lasso *out);

/* ---- the current state ---- */

/* The transitions that are enabled there, ascending; NULL and 0 where there are none. Until the
 * position changes. OM_OK; OM_ENOMEM; OM_EMODEL, with a message, where the model goes wrong in that
 * state or on the way from it: it has no successors then. */
OM_API int om_simulation_enabled(om_simulation *s, const uint32_t **transitions, size_t *count);
/* The state that the k-th of them leads to; NULL where there is none. Until the position changes.
 */
OM_API const uint32_t *om_simulation_target(const om_simulation *s, size_t k);

/* ---- moving ---- */

/* Takes the k-th of the enabled transitions. As om_simulation_enabled(); OM_EINVAL, with a message,
 * where there is none. Nothing changes then. */
OM_API int om_simulation_take(om_simulation *s, size_t k);
/* To state i of the history; false where there is none. */
OM_API bool om_simulation_goto(om_simulation *s, size_t i);
/* The transition that om_simulation_forward() takes, or OM_STUTTER; OM_NONE: nothing is known. */
OM_API uint32_t om_simulation_ahead(const om_simulation *s);
/* One step along what is known: the history, behind it the run that was loaded, whose cycle has no
 * end. OM_EINVAL, with a message, where nothing is. */
OM_API int om_simulation_forward(om_simulation *s);

/* Random choices from now on follow from this seed alone; 0 at first. */
OM_API void om_simulation_seed(om_simulation *s, uint64_t seed);

/* Why a run ended. */
typedef enum om_simulation_end {
    OM_SIMULATION_STEPS,      /* it has all its steps */
    OM_SIMULATION_BREAKPOINT, /* one became true */
    OM_SIMULATION_DEADLOCK,   /* the state has no successor */
    OM_SIMULATION_FAULT,      /* the model goes wrong there: the message says how */
    OM_SIMULATION_STOPPED     /* the context was stopped */
} om_simulation_end;

/*
 * So many steps, each by one of the enabled transitions, all with the same probability; where
 * `follow`, forward as long as that goes. Looks at breakpoints behind each step, and at the context
 * before. *taken: how many steps were taken. OM_OK, however it ended; OM_ENOMEM, or OM_ELIMIT with
 * no message where the limit on memory refused it; OM_EMODEL where a breakpoint cannot be
 * evaluated. What was taken stays in each case.
 */
OM_API int om_simulation_run(
    om_simulation *s, uint64_t steps, bool follow, uint64_t *taken, om_simulation_end *end);

/* ---- breakpoints ---- */

/* Adds one; numbers count from 0, and those of others do not change until one is removed. OM_OK;
 * what the front end says of the expression; OM_EUSAGE where there are too many or no front end;
 * OM_ENOMEM. */
OM_API int om_simulation_break(om_simulation *s, const char *expression);
/* Later ones move up. */
OM_API void om_simulation_unbreak(om_simulation *s, size_t number);
OM_API size_t om_simulation_breakpoint_count(const om_simulation *s);
OM_API const char *om_simulation_breakpoint(const om_simulation *s, size_t number);
/* Bit i of *now: breakpoint i is true in the current state; of *became: and it is the first state,
 * or it is false in the one before. OM_OK; OM_EMODEL where one cannot be evaluated. */
OM_API int om_simulation_breaking(om_simulation *s, uint64_t *now, uint64_t *became);

/* ---- runs that were found ---- */

/*
 * Takes a lasso (or a trace) for the history, all of it, at the initial state: forward goes along
 * it, round its cycle for ever. It must be a run of the model as that is now, transition for
 * transition, and in its states, too, where it is of a model of the same form; where dead variables
 * were reset in it, they show here what they really hold, so that the cycle may come back to
 * another state than it began with (the run goes on all the same: such values are not read any
 * more). OM_EINPUT where it is none, and nothing changes; OM_ENOMEM; OM_ELIMIT or OM_ESTOP where
 * the context is stopped.
 */
OM_API int om_simulation_load(om_simulation *s, const om_lasso *run);
/* Does the history up to state i follow a run that was loaded? Then *at is the state's number in
 * that. */
OM_API bool om_simulation_follows(const om_simulation *s, size_t i, size_t *at);
/* Where the cycle of that run begins, or OM_NO_LOOP. */
OM_API size_t om_simulation_loop(const om_simulation *s);

#endif
