/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: reads a trace (traces/generate.py documents the format). */
#ifndef OMEN_TESTS_SCHEDULE_TRACE_H
#define OMEN_TESTS_SCHEDULE_TRACE_H

#include "simulate.h"

/* Reads a trace of tests/schedule/traces. An error in it ends the test. */
void trace_read(sim *s, const char *name);
void trace_free(sim *s);

#endif
