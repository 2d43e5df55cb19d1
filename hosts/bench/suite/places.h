/* SPDX-License-Identifier: Apache-2.0 */
/* places.h: the locations of this program, of its suites and of the files that they measure. */
#ifndef OMEN_BENCH_PLACES_H
#define OMEN_BENCH_PLACES_H

#include "suite.h"

/* Finds the folder of this program. Returns OM_OK or OM_EIO. */
int bench_find_home(bench_host *b);
/* Sets the variables of every table: omen, corpus, demo, tests, counts and cache. */
int bench_set_built_in(bench_host *b);
/* Reads the table of a suite, given by its name or its file. Returns OM_EUSAGE if there is none. */
int bench_read_suite(bench_host *b, const char *name, bench_table *out);
/* Prints the names of the suites beside the program. */
int bench_list_suites(bench_host *b);

#endif
