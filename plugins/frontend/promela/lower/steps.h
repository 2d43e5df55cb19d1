/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h: lowers the steps of processes: the ways to execute a statement, and their effects.
 */
#ifndef PROMELA_LOWER_STEPS_H
#define PROMELA_LOWER_STEPS_H

#include "lower.h"

/* ---- steps ---- */

/* One way to execute a statement. */
typedef struct pml_way {
    om_expr guard;     /* 0: always */
    pml_meant on;      /* the channel */
    uint32_t position; /* of a message, or of a process in its pool */
    const pml_instance *partner;
    const pml_node *at, *with; /* rendezvous: control point of the partner, and its leaf */
    bool lost;                 /* the message is lost because the channel is full */
    bool miscounted;           /* error: the number of fields differs from the channel's */
} pml_way;

typedef struct pml_ways {
    pml_way *at;
    size_t count, capacity;
    /* A `run` is enabled in every state in which it is tried: if there is no room for the process,
     * the model is read again with more. */
    bool always;
    om_expr tried; /* the condition under which the ways are tried; 0: always */
} pml_ways;

/* Returns "one of the ways is enabled". */
om_expr pml_any_way(om_model *m, const pml_ways *ways);
/* Collects all ways to execute leaf k of the leaves of a control point. */
int pml_ways_of(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, pml_ways *out);
/* Adds to *guard the condition that leaf k is tried: no leaf with precedence is enabled, and
 * `provided` holds. 0: always. */
int pml_before(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, om_expr *guard);
/* Sets *out to: the instance can move from its control point. Ignores priorities. */
int pml_enabled_anywhere(pml_lowering *l, const pml_instance *i, om_expr *out);
/* Sets *out to: the instance can move from this control point. */
int pml_enabled(pml_lowering *l, const pml_instance *i, const pml_node *n, om_expr *out);
/* Returns true if executing the statement always executes its `run`. */
bool pml_runs_always(const pml_statement *s);
/* Sets *out to the condition under which it does; 0: always. */
int pml_run_condition(const pml_scope *s, const pml_statement *t, om_expr *out);

typedef struct pml_move {
    pml_lowering *l;
    om_expr guard;
    om_assign *assigns;
    om_written *written;
    om_foreign_step *steps; /* the steps in SPIN that correspond to it */
    om_print *prints;
    size_t print_count, print_capacity;
    size_t count, capacity, written_capacity, step_count, step_capacity;
} pml_move;

void pml_move_guard(pml_move *v, om_expr e);
int pml_move_assign(pml_move *v, om_written at, uint32_t slot, om_expr index, om_expr value);
/* Adds the step in SPIN that corresponds to a leaf that the process executes at n, if there is one
 * (foreign.c). */
int pml_move_step(pml_move *v, const pml_instance *i, const pml_node *n, const pml_node *leaf);
/* Attaches the steps to the transition or assertion that was added last. */
int pml_name_steps(const pml_move *v, om_foreign_kind kind);
/* Gives the properties their numbers in SPIN. */
int pml_name_properties(const pml_lowering *l);
/* Adds the output of a statement (print.c). pml_name_prints() attaches all output to the
 * transition that was added last. */
int pml_move_print(pml_move *v, const pml_scope *s, const pml_statement *t);
int pml_name_prints(const pml_move *v);
void pml_move_free(pml_move *v);
/* Adds the effects of executing a leaf in some way, except for the move of the process. */
int pml_effect(pml_move *v, const pml_instance *i, const pml_node *leaf, const pml_way *way);
int pml_end_process(pml_move *v, const pml_instance *i);

/* Appends the text of a statement, shortened, to a label. */
void pml_add_words(const struct pml_token *at, const struct pml_token *last, om_text *out);
/* Adds a final assertion at the place `at`: the leaf is never executed, or tried, at n under this
 * condition. */
int pml_add_fault(pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_node *leaf,
    om_expr condition, const om_place *at, const char *text);

/* Returns "no process is in the middle of an atomic sequence". */
om_expr pml_nobody_holds(pml_lowering *l);
int pml_lower_transitions(pml_lowering *l);

/* ---- exclusive.c ---- */

/* Returns true if the statement reads how many messages, or which, a channel holds. */
bool pml_looks_at_channels(const pml_statement *s);
/* Adds the slots that hold who owns the ends of channels. */
int pml_make_owners(pml_lowering *l);
/* Add to the start and to the end of a process that it claims, and releases, its channels. The
 * former follows the values of its variables, the latter precedes their reset. */
int pml_claim(pml_move *v, const pml_instance *i);
int pml_release(pml_move *v, const pml_instance *i);
/* Adds the assertions that processes claim, with `xr` and `xs`, only channels that they can have
 * to themselves. */
int pml_lower_exclusive(pml_lowering *l);
/* Adds the assertions that leaf k, executed at n in these ways or tried, uses no channel that
 * another process claims. */
int pml_lower_uses(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways);

#endif
