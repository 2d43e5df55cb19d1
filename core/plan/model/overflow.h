/* SPDX-License-Identifier: Apache-2.0 */
/* overflow.h: assignments that overflowed during a search, and the report about them. */
#ifndef OMEN_PLAN_OVERFLOW_H
#define OMEN_PLAN_OVERFLOW_H

#include "model/searched.h"

/* Overflows that a search met. Zero-initialised: none */
typedef struct om_overflows {
    uint64_t count;    /* of edges from states such as `vector` */
    uint32_t *vector;  /* owned; NULL: none */
    om_overflow first; /* with `vector`: one from that state */
} om_overflows;

/* Adds `count` overflows of a search, one of the first on an edge from `vector` (takes ownership;
 * or NULL). Called while the searched form exists. */
void om_overflows__add(om_overflows *o, const om_searched *s, uint64_t count, uint32_t *vector);
void om_overflows__free(om_overflows *o, const om_heap *heap);
/* Makes the report of the work: initial values, and overflows that were met. Issues the warning and
 * finds a trace, once in a plan. Omits what is not available. */
void om_plan__report_overflows(om_plan *p, const om_overflows *o, bool no_trace);

#endif
