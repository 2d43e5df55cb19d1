/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sets.h: makes the stubborn sets (stubborn.h) of a state, and chooses the one that keeps the
 * fewest enabled transitions.
 *
 * A set is made from an enabled transition, the seed: it is the smallest one with the seed and, for
 * each of its members, what S2 and S3 ask for. Where S3 leaves a choice, the enablers or leavers
 * are taken that cost least (A. Laarman, E. Pater, J. van de Pol, H. Hansen, "Guard-based partial-
 * order reduction", STTT 2016): enabled ones cost more than others. What costs least at one member
 * may lead to a larger set. So the sets of a state are made in two ways: first as told, where the
 * first of equal ones is taken, then without leavers, where the last is taken. If the second way is
 * better for no state of a sample, it is left out.
 *
 * The sets of a state cost more than its successors in native code. So sets of transitions are rows
 * of bits, and the rivals of a transition and the enablers of a conjunct are the words of a row
 * that are not 0. The search for a smaller set ends where it meets an earlier seed of the state.
 * And a sample of states tells which seeds are of no use, and which are tried first.
 */
#ifndef OM_MODEL_SETS_H
#define OM_MODEL_SETS_H

#include "choices.h"
#include "depend.h"

/* Some transitions: bit i of `bits` stands for number 64 * word + i. */
typedef struct om_part {
    uint64_t bits;
    uint32_t word;
} om_part;

/* Row i has the parts from first[i] on, up to first[i + 1], no two with the same word. */
typedef struct om_rows {
    uint32_t *first;
    om_part *parts;
} om_rows;

/* A conjunct of a guard: its row of enablers, and its test; OM_NONE: it is none. Those that share a
 * row are equal. It counts only if the one behind (F6) holds; OM_NONE: there is none. */
typedef struct om_clause {
    uint32_t row, test, behind;
} om_clause;

/* What the sets of all states have in common. Only om_sets__learn() changes it. */
typedef struct om_sets {
    const om_heap *heap;
    const om_depend *depend;
    om_tests tests;
    om_rows rivals; /* by transition */
    om_rows enablers;
    om_rows leavers;      /* D5 */
    uint32_t *leavers_of; /* by question: the row of leavers for answer 0; OM_NONE: it has none */
    om_rows users;        /* by row of enablers: transitions that share the conjunct */
    om_clause *clauses;   /* by conjunct */
    uint64_t *loud;  /* a row: transitions that only a set of all enabled ones may have: S4, S5 */
    uint64_t *seeds; /* a row: transitions from which sets are made */
    uint32_t *rank;  /* by transition: seeds of low rank are tried first */
    uint64_t *last;  /* a row: last resorts */
    uint32_t *mover; /* by transition: a process that it moves to another location; OM_NONE */
    uint32_t words;  /* of a row */
    bool twice;      /* sets are made in two ways */
} om_sets;

/* Makes the sets of one state after the other. For one thread at a time. Whether something is known
 * of this state is told by the number of the state, so that nothing has to be cleared. */
typedef struct om_maker {
    const om_sets *sets;
    uint64_t *enabled, *member; /* rows */
    uint64_t *barred;   /* a row, where `enabled` is not 0: loud ones, and earlier seeds, whose sets
                         * were as good or useless */
    uint64_t *settled;  /* a row: disabled transitions of which a set has what S3 asks for */
    om_part *on, *off;  /* members that are enabled, and others, in the order of entry */
    uint32_t *known;    /* by row of enablers: 2 * state, + 1 if that fails the test */
    uint32_t *answered; /* by question: the state in which it was asked, ... */
    uint32_t *answers;  /* ... and its answer */
    uint32_t *tried;    /* by process: the state in which a seed of it was tried */
    uint32_t state;     /* the number of the state */
    uint32_t count;     /* enabled members */
    bool second;        /* sets are made in the second way */
    uint32_t repeated;  /* states whose sets were, ... */
    uint32_t better;    /* ... and those for which that was better */
    size_t on_count, off_count;
    size_t work;       /* parts that were looked at, ... */
    uint64_t all_work; /* ... and in all states before */
    uint32_t *seeds;   /* of the state */
    /* By transition: sets of all states with this seed; those of use; those that kept it alone */
    uint32_t *tries, *wins, *singles;
    /* The result: */
    uint32_t *kept;   /* places in the list of enabled transitions, in ascending order */
    om_answer *asked; /* the questions that were asked, in their order, and the answers */
    size_t asked_count;
} om_maker;

/* Prepares the sets for relations that remain valid until om_sets__close(), which is to be called
 * in any case. `compact`: the form of the vectors; NULL: the model itself. `loud`: seen and sticky
 * transitions are. OM_OK or OM_ENOMEM. */
int om_sets__open(om_sets *s, const om_depend *d, const om_compact *compact, bool loud);
void om_sets__close(om_sets *s);

/* Returns false if a state with these enabled transitions keeps all, because none is a seed. */
bool om_sets__may_choose(const om_sets *s, const uint32_t *enabled, size_t all);
/* Drops seeds whose sets the maker has made in vain, and ranks the others. Not while other makers
 * are in use. */
void om_sets__learn(om_sets *s, const om_maker *k);

/* Returns a maker, or NULL if memory runs out. */
om_maker *om_maker__new(const om_sets *s);
void om_maker__free(om_maker *k);
/* Chooses a set for a state with these enabled transitions; returns how many of them it keeps. If
 * these are less than `all`, k->kept has their places. */
size_t om_maker__make(om_maker *k, const uint32_t *vector, const uint32_t *enabled, size_t all);

#endif
