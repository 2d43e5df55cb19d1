/* SPDX-License-Identifier: Apache-2.0 */
/* figures.h: the named figures of one run, and the parsers of the programs' outputs. */
#ifndef OMEN_BENCH_FIGURES_H
#define OMEN_BENCH_FIGURES_H

#include <omen/plugin/base.h>

typedef enum bench_figure {
    BENCH_WALL, /* seconds from the start of the command to its end */
    BENCH_CPU,  /* user and system time, including all processes that the command started and waited
                   for */
    BENCH_USER,
    BENCH_SYS,
    BENCH_CHILDREN_CPU, /* the part of BENCH_CPU that those processes took (to 1/100 s) */
    BENCH_OWN_CPU,      /* BENCH_CPU less BENCH_CHILDREN_CPU */
    BENCH_PEAK,         /* bytes: largest resident size of any process of the command */
    BENCH_OWN_PEAK,     /* of the command's own process; sampled if the command started others */
    BENCH_STATES,
    BENCH_TRANSITIONS,
    BENCH_SECONDS,        /* duration that the program itself reports */
    BENCH_PEAK_PER_STATE, /* derived: bytes */
    BENCH_RATE,           /* derived: states per second of wall time */
    BENCH_CYCLES,         /* hardware counters, if the kernel allows counting */
    BENCH_INSTRUCTIONS,
    BENCH_CACHE_MISSES,
    BENCH_CYCLES_PER_TRANSITION, /* derived */
    BENCH_MISSES_PER_TRANSITION, /* derived */
    BENCH_STORE_PER_STATE, /* bytes of omen's store per state; the next ones describe its index and
                              growth */
    BENCH_INDEX_LOAD,
    BENCH_PROBES,
    BENCH_LONGEST_PAUSE,     /* seconds */
    BENCH_LONGEST_PAUSE_CPU, /* processor time, in seconds */
    /* Kernel counts per transition: sectors of 32 bytes read and written, sectors read from the
     * index, atomics, and sectors requested if there is no cache. */
    BENCH_SECTORS_READ,
    BENCH_SECTORS_WRITTEN,
    BENCH_INDEX_SECTORS,
    BENCH_ATOMICS,
    BENCH_ASKED_READ,
    BENCH_ASKED_WRITTEN,
    BENCH_BANDWIDTH, /* published bandwidth of the device of the run, in bytes per second
                        (predict.h) */
    /* Counters of omen's checkers, summed over all parts; unknown if a device checked a part. */
    BENCH_EXPANSIONS,
    BENCH_REPEATED, /* expansions beyond one per state */
    BENCH_RED,
    BENCH_UNIONS,
    BENCH_FINDS,
    BENCH_RETRIES,
    BENCH_BLOCKED, /* seconds */
    BENCH_PEAK_STACK,
    BENCH_AUXILIARY, /* bytes */
    BENCH_AUTOMATON, /* states of the automata of all parts, as passed to the checkers */
    BENCH_AUTOMATON_EDGES,
    BENCH_CONVERTED, /* states of the converted automata, before conversion */
    BENCH_FIGURES
} bench_figure;

extern const char *const bench_figure_names[BENCH_FIGURES];
/* Returns the figure of that name, or BENCH_FIGURES if there is none. */
bench_figure bench_find_figure(const char *name);

/* The result of one run. An unknown figure is NaN, never 0. */
typedef struct bench_sample {
    double figures[BENCH_FIGURES];
    char verdict[16];  /* "holds", "violated", "unknown" or "" */
    char executor[24]; /* "vm", "native", "table, then native", "opencl" or "" */
} bench_sample;

void bench_sample_clear(bench_sample *s);
/* Computes the derived figures from the others. */
void bench_sample_derive(bench_sample *s);

/*
 * Each of these functions reads the output of a program into the sample. They return NULL, or the
 * problem as a constant: no figures at all, or a search that was cut short. The text is
 * NUL-terminated.
 */
const char *bench_read_omen(const char *text, bench_sample *out);
/* Reads only the counts of a tracing device, because the run may have hit a limit. */
const char *bench_read_counts(const char *text, bench_sample *out);
const char *bench_read_pan(const char *text, bench_sample *out);
const char *bench_read_ltsmin(const char *text, bench_sample *out);

#endif
