/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_step.h: the control words that kernels and the host share; C11 and OpenCL C.
 *
 * Exploration goes in steps: a step expands a chunk of the level, interns the candidates and stores
 * the new ones. Each step has a record of OM_R_WORDS 64-bit words, and makes that of the next one,
 * so that the host can queue many steps and look at the last record alone. A record that says why
 * exploration halted makes its step do nothing but hand it on.
 */
#ifndef OM_STEP_H
#define OM_STEP_H

/* Words ahead of the records. */
#define OM_C_FAULT 0      /* the least state that goes wrong: see om_blame(); or ~0 */
#define OM_C_HIT 1        /* the least wanted state, or OM_NO_STATE */
#define OM_C_BASE 2       /* the first state whose row is still there */
#define OM_C_PATHS 3      /* not 0: which state a candidate comes from is kept */
#define OM_C_OVERFLOWN 4  /* the least state that an overflow was met at, or ~0 */
#define OM_C_FAILED 5     /* the least state where an assertion fails, likewise */
#define OM_C_FAULTS_END 6 /* not 0: any fault ends the exploration, not only a failed assertion */
#define OM_C_FAULTS_REPEAT 7 /* not 0: states that go wrong repeat for ever */
#define OM_C_CROWDED 8 /* not 0: a state has more edges to it than can be counted: om_k_tally() */
#define OM_C_WORDS 16

/* Words of a record. Those of the first cache line are final when the step begins. */
#define OM_R_LOW 0         /* the chunk begins with this state ... */
#define OM_R_END 1         /* ... and the level ends before this one */
#define OM_R_STORED 2      /* states */
#define OM_R_LEVELS 3      /* begun, this one included */
#define OM_R_TRANSITIONS 4 /* before this step, as are all figures */
#define OM_R_DEADLOCKS 5
#define OM_R_WHY 6        /* OM_RUNS, or why nothing happens any more */
#define OM_R_LOST 7       /* candidates of the step that are void: see om_void() */
#define OM_R_TAKEN 8      /* candidates of the step, counted even where there is no room for them */
#define OM_R_WON 9        /* those that are new states */
#define OM_R_DEAD 10      /* states of the chunk where the model has no successor */
#define OM_R_SEEN 11      /* not 0: a hit was there before the step */
#define OM_R_PEAK 12      /* most candidates of a step so far */
#define OM_R_STEPS 13     /* done so far */
#define OM_R_FULL 14      /* not 0: a candidate found no place; then 1 + those that did */
#define OM_R_OVERFLOWS 15 /* before this step */
#define OM_R_OVER 16      /* of the step */
#define OM_R_HIDDEN 17    /* before this step: states in which AP 0 does not hold */
#define OM_R_HID 18       /* of the step */
#define OM_R_WORDS 24     /* a record begins a cache line */

/* What the slices of a model tell each other of a state of the chunk. */
#define OM_S_ENABLED 0  /* transitions */
#define OM_S_FAULT 1    /* the first, as the vm meets them; or 0 */
#define OM_S_IN_LABEL 2 /* the one of an atomic proposition, or 0 */
#define OM_S_OVERFLOWS 3
#define OM_S_WORDS 4

#define OM_IS_FAILURE(FAULT) (((FAULT) &7u) == 3u) /* an om_fault: that of an assertion? */

#define OM_RUNS 0
#define OM_DONE 1     /* everything is explored */
#define OM_CAPACITY 2 /* the step has more candidates than there is room for */
#define OM_GROW 3     /* the table or the index may be too small for them */
#define OM_HIT 4      /* a wanted state is stored */
#define OM_FAULTS 5   /* the step before met a fault of the model that ends the exploration */
#define OM_STATES 6   /* the limit on states would be passed */

#endif
