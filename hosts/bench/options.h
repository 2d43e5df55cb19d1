/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the command line of omen-bench. */
#ifndef OMEN_BENCH_OPTIONS_H
#define OMEN_BENCH_OPTIONS_H

#include "suite/table.h"

enum { BENCH_ROWS = 256 };

typedef struct bench_options {
    bench_arena arena;
    const char *suite, *out, *csv, *markdown, *gnuplot, *from, *commit, *html;
    bench_pair *set;
    const char *rows[BENCH_ROWS];
    size_t row_count;
    uint64_t rounds, timeout_ns, budget_ns, minutes_ns, memory; /* 0: not given */
    bool help, list, resume, overwrite, quiet, verbose;
} bench_options;

/* Returns OM_OK, or OM_EUSAGE with a message. Strings point into argv or into the arena. */
int bench_options_parse(bench_options *out, om_context *ctx, int argc, char **argv);
void bench_options_help(om_text *out);

#endif
