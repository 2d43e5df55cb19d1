/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h: random walks through the markings of a Petri net. */
#ifndef OMEN_WALK_H
#define OMEN_WALK_H

#include <omen/host/predicate.h>

/* The goal of a walk: a marking that satisfies the predicate; or (NULL) the maximum of a sum. */
typedef struct om_walk_goal {
    const om_predicate *predicate;
    const om_net_term *terms;
    om_wide enough; /* upper bound of the sum, or INT64_MAX */
    uint32_t term_count;
    /* The result. */
    bool met;      /* a marking satisfies the predicate, or the sum has reached `enough` */
    om_wide value; /* the largest sum seen, or INT64_MIN */
} om_walk_goal;

/* The parameters and results of a walk. The caller owns the arrays, zeroed; NULL: not requested. */
typedef struct om_walk {
    om_walk_goal *goals;
    size_t goal_count;
    uint8_t *fired; /* by transition: set to 1 if it has fired */
    /* Called once for each of these transitions; returns true if no more are needed. NULL: all are
     * needed. */
    bool (*enough)(void *self, uint32_t transition);
    void *self;
    bool deadlock; /* searches for a marking that enables no transition */
    bool stuck;    /* result: there is one */
    uint64_t seed;
    uint64_t until_ns; /* deadline on om_clock_ns() */
    uint64_t steps;    /* result: number of steps */
} om_walk;

/*
 * Walks from the initial marking, repeatedly and with increasing length, until all goals are met or
 * the time is over. Every other walk is directed to a goal that is not met: of a few enabled
 * transitions it takes the one whose marking is nearest to the goal (by the missing tokens of the
 * inequalities: their sum for "and", their minimum for "or"). Each result is replayed from the
 * initial marking by independent code. A goal that is not met proves nothing. Only reads the net;
 * several threads may walk. OM_OK; OM_ENOMEM; OM_ELIMIT and OM_ESTOP if the context is stopped;
 * OM_EINTERNAL: a result could not be replayed.
 */
OM_API int om_net_walk(const om_net *net, om_walk *walk);

#endif
