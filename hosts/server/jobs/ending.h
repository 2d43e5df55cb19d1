/* SPDX-License-Identifier: Apache-2.0 */
/* ending.h: how an attempt of a job ended, as the files in its folder say. */
#ifndef OMEND_ENDING_H
#define OMEND_ENDING_H

#include "pool/pool.h"

/* How a job ended, read from its folder. */
typedef struct omend_ending {
    omend_state state;
    omend_problem problem;
    const char *verdict; /* NULL: none */
    json_t *results;     /* array of strings, as omen printed them */
    char *taken;         /* the report as JSON: resources used */
    int64_t bytes;       /* disk space of events and results */
} omend_ending;

/* Reads the report and the events. Returns false if there is no report. */
bool ending_read(const omend_pool *p, const omend_live *job, omend_ending *out);
void ending_free(omend_ending *e);
/* Removes the files of an attempt that are not kept. */
void ending_clean(const omend_pool *p, const omend_live *job);

#endif
