/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: reads a trace (traces/generate.py says what is in one). */
#ifndef OMEN_TESTS_SCHEDULE_TRACE_H
#define OMEN_TESTS_SCHEDULE_TRACE_H

#include "simulate.h"

/* From tests/schedule/traces; what is wrong with it ends the test. */
void trace_read(sim *s, const char *name);
void trace_free(sim *s);

#endif
