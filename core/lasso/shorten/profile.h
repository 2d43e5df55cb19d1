/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h: the behaviour of a generalized Buchi automaton on finite words. The profile of a word
 * lists the pairs of states between which it leads, with the marks of all its paths between them
 * together. There are finitely many profiles, and that of a longer word is computed from that of
 * its prefix (transition profiles: Breuers, Loding, Olschewski, "Improved Ramsey-based Buchi
 * complementation", FoSSaCS 2012). The profile of a word decides whether its infinite repetition is
 * accepted from some state of a set: marks between two states that reach each other by the word can
 * be seen infinitely often.
 *
 * Letters, sets of states and profiles are numbered in the order of their first use. One thread at
 * a time. Statuses: OM_OK or OM_ENOMEM (with a message).
 */
#ifndef OMEN_LASSO_PROFILE_H
#define OMEN_LASSO_PROFILE_H

#include "intern.h"

#include <omen/plugin/automaton.h>

typedef struct om_profiles {
    om_context *ctx;
    const om_heap *heap;
    const om_automaton *automaton;
    om_sccs sccs;
    om_marks all;
    uint32_t states;
    om_map letters; /* by label */
    /* The moves of letter l in state q begin at moves[first_move[l * states + q]] and end where
     * those of the next state begin. */
    struct om_profile_move {
        uint32_t to;
        om_marks marks; /* 0 if they are irrelevant */
    } * moves;
    size_t move_count, move_room, *first_move, first_room;
    om_rows sets;                          /* bits */
    om_rows profiles;                      /* pairs: from << 32 | to, ascending, and marks */
    om_map nothing, after, then, repeated; /* caches of results */
    /* Scratch memory, by state. */
    om_marks *marks;
    bool *met;
    struct om_profile_visit {
        size_t first, next; /* pairs of the profile */
        uint32_t number, low;
    } * visits;
    uint32_t *calls, *live;
    uint64_t *bits, *row;
    size_t row_room;
} om_profiles;

/* The automaton is borrowed. The caller closes `p` whatever is returned. */
int om_profiles__open(om_profiles *p, om_context *ctx, const om_automaton *a);
void om_profiles__close(om_profiles *p);

int om_profiles__letter(om_profiles *p, om_label label, uint32_t *letter);
/* The moves of a letter from a state. */
const struct om_profile_move *om_profiles__moves(
    const om_profiles *p, uint32_t letter, uint32_t state, size_t *n);

/* The set of initial states; the successors of a set by a letter, or OM_NONE if there are none. */
int om_profiles__initial(om_profiles *p, uint32_t *set);
int om_profiles__after(om_profiles *p, uint32_t set, uint32_t letter, uint32_t *out);
bool om_profiles__has(const om_profiles *p, uint32_t set, uint32_t state);
/* Returns true if the first set contains the second. */
bool om_profiles__covers(const om_profiles *p, uint32_t set, uint32_t other);

/* The profile of the empty word, for the states that are reachable from a set; the profile of a
 * word with one more letter. */
int om_profiles__nothing(om_profiles *p, uint32_t set, uint32_t *profile);
int om_profiles__then(om_profiles *p, uint32_t profile, uint32_t letter, uint32_t *out);
/* Returns true if a word with this profile leads from the set to any state. */
bool om_profiles__leads(const om_profiles *p, uint32_t set, uint32_t profile);
/* Sets *accepts: whether the automaton accepts the infinite repetition of the word from the set. */
int om_profiles__repeats(om_profiles *p, uint32_t set, uint32_t profile, bool *accepts);

#endif
