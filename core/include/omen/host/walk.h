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

/* A search for a goal, and its result. */
typedef struct om_seek {
    om_walk_goal goal;
    bool deadlock; /* the goal is a marking that enables no transition instead; met: there is one */
    bool stubborn; /* fires only transitions that suffice, and compares markings */
    uint64_t seed; /* different seeds search in different orders */
    uint64_t until_ns;   /* deadline on om_clock_ns() */
    size_t memory_bytes; /* the search ends when its markings take more; 0: 256 MiB */
    /* The transitions from the initial marking to one that meets the goal or, for a sum, has the
     * largest value seen. The caller frees them with om_free(), with the net's heap. */
    uint32_t *transitions;
    size_t transition_count;
    uint64_t markings; /* the number of markings whose transitions were fired */
    bool exhausted;    /* the search ended because all markings that it could reach were seen */
    bool proved; /* no marking meets the goal; for a sum: none has a larger value. If stubborn */
} om_seek;

/*
 * Searches for one goal, best first: of the markings seen, it fires the transitions of the one that
 * is nearest to the goal. The distance is that of om_net_walk(); with even seeds, it is the cost of
 * the goal if firings removed no tokens (core/net/relaxed.h), and a marking from which the goal
 * cannot be reached then is left out. For a deadlock, it is the number of enabled transitions. Of
 * markings at the same distance, the search takes the newest, so that plateaus are searched in
 * depth, or any; with some seeds, it sometimes takes any marking. Markings are recognised by a hash
 * of 64 bits, so one can be missed, and a goal that is not met proves nothing. A stubborn search of
 * a plain net (core/net/stubborn.h) compares markings, too, so that one which sees all that it can
 * reach is a proof. The path is replayed
 * by independent code. Only reads the net; several threads may search. OM_OK; OM_ENOMEM; OM_ELIMIT
 * and OM_ESTOP if the context is stopped; OM_EINTERNAL: the path does not lead to the goal.
 */
OM_API int om_net_seek(const om_net *net, om_seek *seek);

#endif
