/* SPDX-License-Identifier: Apache-2.0 */
/* checks.h: what must hold in a simulation after each decision, and at its end. */
#ifndef OMEN_TESTS_SCHEDULE_CHECKS_H
#define OMEN_TESTS_SCHEDULE_CHECKS_H

#include "simulate.h"

/* One run: the state of a decision, with who is who. */
typedef struct sim_state {
    sim *s;
    const char *what;
    om_random chance;
    schedule_state state;
    schedule_job *queue;
    schedule_running *running;
    uint32_t *queued, *runs; /* jobs of the simulation; those that run, by their starts */
    schedule_decision *out;
    schedule_decision *before; /* of each job of the simulation */
    schedule_result result;
    uint64_t reserved;
    uint32_t period;
} sim_state;

/* Else the test fails, with a text that says of whom. */
#define require(R, WHAT, ...)                   \
    do {                                        \
        if (!(WHAT))                            \
            sim_wrong((R), #WHAT, __VA_ARGS__); \
    } while (0)

void sim_wrong(const sim_state *r, const char *claim, const char *fmt, ...) OM_PRINTF(3, 4);

static inline unsigned long long sim_id(const sim_job *j)
{
    return (unsigned long long) j->job.id;
}

/* S1, of what runs now. */
void sim_check_sums(const sim_state *r);
/* What one job got is what it may have. */
void sim_check_grant(const sim_state *r, const sim_job *j, const schedule_decision *d);
/* S2: the promise is no later than it was, nor than T away. */
void sim_check_head(const sim_state *r);
/* S4: no job starts before one that is alike and has a smaller key; and whose turn it is. */
void sim_check_keys(const sim_state *r);
/* S6, of one that waits by choice. */
void sim_check_choice(const sim_state *r, const sim_job *j, const schedule_decision *d);
/* All are done or refused, within their bounds (S3). */
void sim_check_end(const sim_state *r);

#endif
