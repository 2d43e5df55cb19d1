/* SPDX-License-Identifier: Apache-2.0 */
/* trail.h: the lines of a .trail file, as SPIN's verifier and format_trail.c write them. */
#ifndef OMEN_LASSO_TRAIL_H
#define OMEN_LASSO_TRAIL_H

#include <omen/plugin/base.h>

/* A step: "STEP:PROCESS:NUMBER". */
typedef struct om_trail_step {
    uint32_t line;
    uint32_t process_column, number_column;
    uint32_t process; /* OM_NONE: no process, -1 */
    uint32_t number;  /* OM_NONE: -1 */
} om_trail_step;

typedef struct om_trail {
    om_context *ctx;
    const char *file;
    om_trail_step *steps; /* without those of a claim */
    size_t count, capacity;
    size_t cycle;   /* first step of the cycle, possibly `count`; OM_NO_LOOP: none */
    uint32_t claim; /* "-2:CLAIM:..."; OM_NONE: none */
    bool merged;    /* "-4:...": one of several merged statements may stand alone */
    uint32_t lines;
} om_trail;

/*
 * Reads all lines, possibly none; `file` is borrowed, for messages. With a claim, process 0 is the
 * claim and the others count from 1; the steps then have their numbers without the claim. OM_OK;
 * OM_ENOMEM; OM_EINPUT with the place of the error; OM_ELIMIT, OM_ESTOP. The caller frees `t`
 * whatever is returned.
 */
int om_trail__read(om_trail *t, om_context *ctx, const char *file, const char *text, size_t length);
void om_trail__free(om_trail *t);

#endif
