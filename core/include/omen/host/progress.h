/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: the current activity of a context, for a progress line. */
#ifndef OMEN_HOST_PROGRESS_H
#define OMEN_HOST_PROGRESS_H

#include <omen/plugin/base.h>

typedef struct om_stage_progress {
    /* A constant that follows a number: "states replayed"; NULL: no activity is known. */
    const char *what;
    uint64_t done, total; /* total 0: unknown; otherwise done <= total */
    double seconds;       /* since the start of the activity */
    uint64_t made;        /* number of automaton states made so far */
} om_stage_progress;
/* Returns the current figures. Any thread. */
OM_API void om_context_stage_progress(om_context *ctx, om_stage_progress *out);

#endif
