/* SPDX-License-Identifier: Apache-2.0 */
/* doing.h: what is being done under a context, for a line of progress. */
#ifndef OMEN_DOING_H
#define OMEN_DOING_H

#include <omen/plugin/base.h>

typedef struct om_doing {
    const char *what; /* a constant that follows a number: "states replayed"; NULL: nothing told */
    uint64_t done, total; /* total 0: nobody knows; else done is at most that */
    double seconds;       /* since it began */
    uint64_t made;        /* states of automata that were made so far */
} om_doing;
/* Figures of the moment. Any thread. */
OM_API void om_context_doing(om_context *ctx, om_doing *out);

#endif
