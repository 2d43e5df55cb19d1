/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h: what a generalized Buchi automaton can do on finite words. The profile of a word says
 * from which states it leads to which, and with which marks on the way, of all the ways together;
 * there are finitely many, and that of a longer word follows from it (transition profiles: Breuers,
 * Loding, Olschewski, "Improved Ramsey-based Buchi complementation", FoSSaCS 2012). Whether a word
 * that repeats for ever is accepted, from some state of a set, its profile tells: whatever it has
 * between two states that reach each other by it can be had again and again.
 *
 * Letters, sets of states and profiles are numbered as they are met. One thread at a time.
 * Statuses: OM_OK or OM_ENOMEM (with a message).
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
    /* Of letter l in state q: moves[first_move[l * states + q]] and so on, up to those of the next
     * state. */
    struct om_profile_move {
        uint32_t to;
        om_marks marks; /* 0 where they are of no use */
    } * moves;
    size_t move_count, move_room, *first_move, first_room;
    om_rows sets;                          /* bits */
    om_rows profiles;                      /* pairs: from << 32 | to, ascending, and marks */
    om_map nothing, after, then, repeated; /* what was asked for */
    /* For what is being made; by state. */
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

/* The automaton is borrowed. What was opened is to be closed, whatever is returned. */
int om_profiles__open(om_profiles *p, om_context *ctx, const om_automaton *a);
void om_profiles__close(om_profiles *p);

int om_profiles__letter(om_profiles *p, om_label label, uint32_t *letter);
/* The moves of a letter from a state. */
const struct om_profile_move *om_profiles__moves(
    const om_profiles *p, uint32_t letter, uint32_t state, size_t *n);

/* The initial states; those that a set leads to by a letter, or OM_NONE where there are none. */
int om_profiles__initial(om_profiles *p, uint32_t *set);
int om_profiles__after(om_profiles *p, uint32_t set, uint32_t letter, uint32_t *out);
bool om_profiles__has(const om_profiles *p, uint32_t set, uint32_t state);
/* Has the first set all states of the second? */
bool om_profiles__covers(const om_profiles *p, uint32_t set, uint32_t other);

/* The profile of no letters, of states that a set can ever lead to; and of one letter more. */
int om_profiles__nothing(om_profiles *p, uint32_t set, uint32_t *profile);
int om_profiles__then(om_profiles *p, uint32_t profile, uint32_t letter, uint32_t *out);
/* Does such a word lead from the set to any state? */
bool om_profiles__leads(const om_profiles *p, uint32_t set, uint32_t profile);
/* Does the automaton accept it from the set, when it repeats for ever? */
int om_profiles__repeats(om_profiles *p, uint32_t set, uint32_t profile, bool *accepts);

#endif
