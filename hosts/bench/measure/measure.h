/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h: runs one command and measures it.
 *
 * CPU time and memory are the kernel's account (wait4) of the command and of every process that it
 * started and waited for. The share of the other processes is read from /proc just before the
 * command is reaped, to 1/100 s; it includes a compiler that omen starts. Processes that the
 * command left running are counted and killed. Memory is that of the largest process; if there were
 * several, the memory of the command's own process is sampled.
 */
#ifndef OMEN_BENCH_MEASURE_H
#define OMEN_BENCH_MEASURE_H

#include "report/figures.h"

typedef struct bench_command {
    char *const *argv;   /* ends with NULL */
    char *const *env;    /* "NAME=VALUE", added to the own environment; ends with NULL */
    const char *folder;  /* working directory of the command; also keeps its output */
    uint64_t timeout_ns; /* 0: none */
    uint64_t memory;     /* limit of the resident bytes of all its processes together; 0: none */
} bench_command;

typedef struct bench_outcome {
    int status;       /* exit status, or -1 */
    int signal;       /* signal that ended the command, or 0 */
    bool timed_out;   /* the command reached its time limit and was killed */
    bool too_large;   /* the command exceeded its memory limit and was killed */
    double resident;  /* resident bytes of its processes, as last checked against the limit */
    bool interrupted; /* a signal asked this process to stop; the command was killed */
    unsigned left;    /* processes that the command left running; killed */
    bench_sample sample;
    char *output, *errors;   /* the caller om_free()s them; NUL-terminated, cut if very long */
    const char *no_counters; /* NULL, or why the hardware counters are missing (a constant) */
} bench_outcome;

/*
 * Must be called once before any command is measured. Makes this process the parent of processes
 * that commands leave running, and blocks SIGCHLD, SIGINT and SIGTERM, which are waited for
 * instead. Returns OM_OK or OM_EIO.
 */
int bench_measure_init(om_context *ctx);

/* Runs the command. Returns OM_OK with the outcome even if the command fails, and OM_EIO if it
 * could not be started (no fork, no file). A program that cannot be found has status 127. */
int bench_measure(om_context *ctx, const bench_command *command, bench_outcome *out);
void bench_outcome_free(om_context *ctx, bench_outcome *o);

#endif
