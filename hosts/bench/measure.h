/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h: runs one command and measures it.
 *
 * CPU time and memory are the kernel's account of the command with everything that it started and
 * waited for (wait4). What the others took of that is told apart through /proc just before the
 * command is reaped, to 1/100 s: a compiler that omen starts is seen there. What the command left
 * running is killed, and counted. Memory is that of the largest process; where there were several,
 * that of the command's own is sampled.
 */
#ifndef OMEN_BENCH_MEASURE_H
#define OMEN_BENCH_MEASURE_H

#include "figures.h"

typedef struct bench_command {
    char *const *argv;   /* ends with NULL */
    char *const *env;    /* "NAME=VALUE", on top of ours; ends with NULL */
    const char *folder;  /* where it runs, and where its output is kept */
    uint64_t timeout_ns; /* 0: none */
    uint64_t memory;     /* bytes that its processes may have resident, all together; 0: any */
} bench_command;

typedef struct bench_outcome {
    int status;       /* exit status, or -1 */
    int signal;       /* that ended it, or 0 */
    bool timed_out;   /* and was killed */
    bool too_large;   /* took more memory than it may, and was killed */
    double resident;  /* bytes that its processes had then */
    bool interrupted; /* we were told to stop, and killed it */
    unsigned left;    /* processes that it left running; killed */
    bench_sample sample;
    char *output, *errors;   /* the caller's to om_free(); NUL-terminated, cut where very long */
    const char *no_counters; /* NULL, or why the hardware's counters are missing (a constant) */
} bench_outcome;

/*
 * Must be called once before any command: makes this process the parent of what commands leave
 * behind, and blocks SIGCHLD, SIGINT and SIGTERM, which are waited for instead. OM_OK or OM_EIO.
 */
int bench_measure_init(om_context *ctx);

/* OM_OK with the outcome, whatever the command came to; OM_EIO where it could not even be started
 * (no fork, no file); a program that cannot be found has status 127. */
int bench_measure(om_context *ctx, const bench_command *command, bench_outcome *out);
void bench_outcome_free(om_context *ctx, bench_outcome *o);

#endif
