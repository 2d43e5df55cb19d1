/* SPDX-License-Identifier: Apache-2.0 */
/* places.h: where this program, its suites and what they measure are. */
#ifndef OMEN_BENCH_PLACES_H
#define OMEN_BENCH_PLACES_H

#include "suite.h"

/* The folder of this program. OM_OK or OM_EIO. */
int bench_find_home(bench_host *b);
/* Variables of every table: omen, corpus, demo, tests, counts and cache. */
int bench_set_built_in(bench_host *b);
/* The table of a suite, by its name or its file. OM_EUSAGE where there is none of that name. */
int bench_read_suite(bench_host *b, const char *name, bench_table *out);
/* Prints the names of those that lie beside the program. */
int bench_list_suites(bench_host *b);

#endif
