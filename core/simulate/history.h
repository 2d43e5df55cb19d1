/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h: the internals of an om_simulation.
 *
 * I1: length >= 1, position < length, and taken[length - 1] is OM_NONE.
 * I2: in the vm, taken[i] leads from state i to state i + 1 (OM_STUTTER: the same state, a
 *     deadlock).
 * I3: with a run, taken[0 .. followed - 1] are the first steps along it, and followed < length.
 */
#ifndef OM_SIMULATE_HISTORY_H
#define OM_SIMULATE_HISTORY_H

#include <omen/host/simulate.h>

/* A loaded run; step i leaves its state i. */
typedef struct om_known_run {
    uint32_t *step; /* NULL: no run is loaded */
    size_t count, loop;
} om_known_run;

typedef struct om_history {
    uint32_t *states; /* consecutive vectors */
    uint32_t *taken;
    size_t length, position, state_capacity, taken_capacity;
    om_known_run run;
    size_t followed;
} om_history;

struct om_simulation {
    om_context *ctx;
    const om_heap *heap;
    const om_frontend *frontend; /* or NULL */
    om_model *model;
    uint32_t words;
    om_executor *x; /* with the breakpoints; NULL: it could not be reopened */
    om_history h;
    om_successors next; /* of the current state, if `fresh` */
    bool fresh;
    om_random random;
    char *text[OM_SIMULATION_BREAKPOINTS];
    om_expr condition[OM_SIMULATION_BREAKPOINTS];
    uint32_t breakpoints;
};

static inline uint32_t *om_simulation__at(const om_simulation *s, size_t i)
{
    return s->h.states + i * s->words;
}

/* Opens the executor if it is closed. */
int om_simulation__ready(om_simulation *s);
/* Resets the history to the initial state. OM_OK, OM_ENOMEM, OM_ELIMIT. */
int om_simulation__begin(om_simulation *s);
void om_simulation__drop(om_simulation *s, om_history *h);
/* The step along the loaded run after i steps, in any round of its cycle; or OM_NONE. */
uint32_t om_simulation__step(const om_known_run *run, size_t i);

#endif
