/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: the automaton of a `trace` or `notrace` (trace.c), and the steps that move it
 * (trace_steps.c). */
#ifndef PROMELA_TRACE_H
#define PROMELA_TRACE_H

#include "steps.h"

/* The next location of the trace, and the condition under which the event violates it. 0: the
 * event is not observed. */
typedef struct pml_trace_way {
    om_expr to, fails;
} pml_trace_way;

/* pml_make_trace() builds the trace's graph and slot. pml_check_trace() checks its statements once
 * channels exist. */
int pml_make_trace(pml_lowering *l);
int pml_check_trace(pml_lowering *l);
/* Returns "the trace is at a location at which a run may end". */
om_expr pml_trace_ended(pml_lowering *l);
/* Sets *out to the effect of a leaf on the trace, before the step stores anything. */
int pml_trace_way_of(pml_lowering *l, const pml_instance *i, const pml_node *leaf,
    const pml_way *way, pml_trace_way *out);
/* Adds the assertions that executing leaf k at n in one of these ways is allowed by the trace. */
int pml_lower_trace(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways);

/* ---- shared by trace.c and trace_steps.c ---- */

enum { PML_MOST_FIELDS = 255 };

/* A send or receive on a channel, with the message as the automaton sees it. */
typedef struct pml_event {
    bool sent;
    uint32_t channel;
    om_expr items[PML_MOST_FIELDS];
} pml_event;

/* Moves the trace from `at`, a value of the slot `_trace`. out->to is 0 if the trace never
 * observes such an event. */
int pml_trace_move(pml_lowering *l, om_expr at, const pml_event *e, pml_trace_way *out);

#endif
