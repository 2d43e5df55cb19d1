/* SPDX-License-Identifier: Apache-2.0 */
/* figures.h: the figures of one run, by name; those that a program prints are read from its output.
 */
#ifndef OMEN_BENCH_FIGURES_H
#define OMEN_BENCH_FIGURES_H

#include <omen/plugin/base.h>

typedef enum bench_figure {
    BENCH_WALL, /* seconds from the start of the command to its end */
    BENCH_CPU,  /* user and system, with all processes that it started and waited for */
    BENCH_USER,
    BENCH_SYS,
    BENCH_CHILDREN_CPU, /* the part of CPU that those processes took (to 1/100 s) */
    BENCH_OWN_CPU,      /* the rest */
    BENCH_PEAK,         /* bytes: largest resident size of any process of the command */
    BENCH_OWN_PEAK,     /* of the command's own process, where it started others: sampled */
    BENCH_STATES,
    BENCH_TRANSITIONS,
    BENCH_SECONDS,        /* what the program itself says it took */
    BENCH_PEAK_PER_STATE, /* derived: bytes */
    BENCH_RATE,           /* derived: states a second of wall time */
    BENCH_CYCLES,         /* of the hardware, where the kernel lets us count */
    BENCH_INSTRUCTIONS,
    BENCH_CACHE_MISSES,
    BENCH_CYCLES_PER_TRANSITION, /* derived */
    BENCH_MISSES_PER_TRANSITION, /* derived */
    BENCH_STORE_PER_STATE, /* bytes of omen's store a state; what it says of its index and growth */
    BENCH_INDEX_LOAD,
    BENCH_PROBES,
    BENCH_LONGEST_PAUSE,     /* seconds */
    BENCH_LONGEST_PAUSE_CPU, /* of processor time */
    /* Of kernels, a transition: sectors of 32 bytes read and written, those of them that are read
     * of the index, atomics, and sectors that are asked for where there is no cache. */
    BENCH_SECTORS_READ,
    BENCH_SECTORS_WRITTEN,
    BENCH_INDEX_SECTORS,
    BENCH_ATOMICS,
    BENCH_ASKED_READ,
    BENCH_ASKED_WRITTEN,
    BENCH_BANDWIDTH, /* bytes a second of the device that it ran on, as published: predict.h */
    /* What omen's checkers counted, of all parts together; not known where a device took one. */
    BENCH_EXPANSIONS,
    BENCH_REPEATED, /* of those, beyond one for each state */
    BENCH_RED,
    BENCH_UNIONS,
    BENCH_FINDS,
    BENCH_RETRIES,
    BENCH_BLOCKED, /* seconds */
    BENCH_PEAK_STACK,
    BENCH_AUXILIARY, /* bytes */
    BENCH_AUTOMATON, /* states of the automata of all parts, as the checkers took them */
    BENCH_AUTOMATON_EDGES,
    BENCH_CONVERTED, /* of those that were converted, before that */
    BENCH_FIGURES
} bench_figure;

extern const char *const bench_figure_names[BENCH_FIGURES];
/* BENCH_FIGURES where there is none of that name. */
bench_figure bench_find_figure(const char *name);

/* What one run came to. A figure that is not known is NaN, never 0. */
typedef struct bench_sample {
    double figures[BENCH_FIGURES];
    char verdict[16];  /* "holds", "violated", "unknown" or "" */
    char executor[24]; /* "vm", "native", "table, then native", "opencl" or "" */
} bench_sample;

void bench_sample_clear(bench_sample *s);
/* Fills what follows from other figures. */
void bench_sample_derive(bench_sample *s);

/*
 * Each reads what a program printed into the sample. NULL, or what is wrong with it (a constant):
 * no figures at all, a search that was cut short. The text is NUL-terminated.
 */
const char *bench_read_omen(const char *text, bench_sample *out);
/* What a device that traces has counted, and nothing else: the run may have hit a limit. */
const char *bench_read_counts(const char *text, bench_sample *out);
const char *bench_read_pan(const char *text, bench_sample *out);
const char *bench_read_ltsmin(const char *text, bench_sample *out);

#endif
