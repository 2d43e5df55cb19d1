/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: interface between the automaton of a `trace` or `notrace` (trace.c) and the steps that
 * move it. */
#ifndef PROMELA_TRACE_H
#define PROMELA_TRACE_H

#include "lower.h"

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
