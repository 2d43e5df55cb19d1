/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h: random walks through the markings of a Petri net. */
#ifndef OMEN_WALK_H
#define OMEN_WALK_H

#include <omen/host/predicate.h>

/* What a walk looks for: a marking that has the predicate; or (NULL) the largest of a sum. */
typedef struct om_walk_goal {
    const om_predicate *predicate;
    const om_net_term *terms;
    om_wide enough; /* no marking has a larger sum, or INT64_MAX */
    uint32_t term_count;
    /* What was found. */
    bool met;      /* a marking has it; or the sum came to `enough` */
    om_wide value; /* the largest sum that was seen, or INT64_MIN */
} om_walk_goal;

/* What is asked beside the goals. Arrays are the caller's, zeroed; NULL: not asked for. */
typedef struct om_walk {
    om_walk_goal *goals;
    size_t goal_count;
    uint8_t *fired; /* by transition: 1 where it has */
    /* Told of each of these once; true: no more are needed. NULL: all are. */
    bool (*enough)(void *self, uint32_t transition);
    void *self;
    bool deadlock; /* looks for a marking that enables nothing; */
    bool stuck;    /* was there one? */
    uint64_t seed;
    uint64_t until_ns; /* by om_clock_ns() */
    uint64_t steps;    /* were done */
} om_walk;

/*
 * Walks from the initial marking, again and again, each walk longer than those before, until all is
 * found or the time is over. Every other one is drawn to a goal that is not met: of a few
 * transitions that can fire it takes the one whose marking lacks least (the tokens that
 * inequalities lack; added over "and", the least over "or"). What is found has been fired a second
 * time, from the initial marking, by code that knows nothing of the walk's. Nothing follows from
 * what is not found. Reads the net alone; several threads may walk. OM_OK; OM_ENOMEM; OM_ELIMIT and
 * OM_ESTOP where the context is stopped; OM_EINTERNAL: what was found is not there.
 */
OM_API int om_net_walk(const om_net *net, om_walk *walk);

#endif
