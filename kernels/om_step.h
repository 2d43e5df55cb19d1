/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_step.h: the control words that kernels and the host share; C11 and OpenCL C.
 *
 * Exploration proceeds in steps: a step expands a chunk of the level, interns the candidates and
 * stores the new ones. Each step has a record of OM_R_WORDS 64-bit words, and makes that of the
 * next one. So the host can queue many steps and read only the last record. If a record says why
 * exploration halted, its step does nothing but pass it on.
 */
#ifndef OM_STEP_H
#define OM_STEP_H

/* Words before the records. */
#define OM_C_FAULT 0      /* the least state that goes wrong: see om_blame(); or ~0 */
#define OM_C_HIT 1        /* the least wanted state, or OM_NO_STATE */
#define OM_C_BASE 2       /* the first state whose row is still present */
#define OM_C_PATHS 3      /* not 0: the state that a candidate comes from is recorded */
#define OM_C_OVERFLOWN 4  /* the least state with an overflow, or ~0 */
#define OM_C_FAILED 5     /* the least state where an assertion fails, as OM_C_FAULT */
#define OM_C_FAULTS_END 6 /* not 0: any fault ends the exploration, not only a failed assertion */
#define OM_C_FAULTS_REPEAT 7 /* not 0: states that go wrong repeat for ever */
#define OM_C_CROWDED 8       /* not 0: the count of edges to a state has overflowed: om_k_tally() */
#define OM_C_WORDS 16

/* Words of a record. Those of the first cache line are final when the step begins. */
#define OM_R_LOW 0         /* first state of the chunk */
#define OM_R_END 1         /* the level ends before this state */
#define OM_R_STORED 2      /* states */
#define OM_R_LEVELS 3      /* begun, this one included */
#define OM_R_TRANSITIONS 4 /* before this step, as are all figures */
#define OM_R_DEADLOCKS 5
#define OM_R_WHY 6        /* OM_RUNS, or the reason for the halt */
#define OM_R_LOST 7       /* candidates of the step that are void: see om_void() */
#define OM_R_TAKEN 8      /* candidates of the step, counted even if there is no room for them */
#define OM_R_WON 9        /* those that are new states */
#define OM_R_DEAD 10      /* states of the chunk without a successor in the model */
#define OM_R_SEEN 11      /* not 0: a hit was found before the step */
#define OM_R_PEAK 12      /* most candidates of a step so far */
#define OM_R_STEPS 13     /* done so far */
#define OM_R_FULL 14      /* not 0: a candidate found no place (next record: 1 + the winners) */
#define OM_R_OVERFLOWS 15 /* before this step */
#define OM_R_OVER 16      /* of the step */
#define OM_R_HIDDEN 17    /* before this step: states in which AP 0 does not hold */
#define OM_R_HID 18       /* of the step */
#define OM_R_WORDS 24     /* a record begins a cache line */

/* Data about a state of the chunk that the slices of a model pass on. */
#define OM_S_ENABLED 0  /* transitions */
#define OM_S_FAULT 1    /* the first one in the order of the vm; or 0 */
#define OM_S_IN_LABEL 2 /* the fault of an atomic proposition, or 0 */
#define OM_S_OVERFLOWS 3
#define OM_S_WORDS 4

#define OM_IS_FAILURE(FAULT) (((FAULT) &7u) == 3u) /* true if an om_fault is a failed assertion */

#define OM_RUNS 0
#define OM_DONE 1     /* everything is explored */
#define OM_CAPACITY 2 /* the step has more candidates than there is room for */
#define OM_GROW 3     /* the table or the index may be too small for them */
#define OM_HIT 4      /* a wanted state is stored */
#define OM_FAULTS 5   /* the previous step met a fault of the model that ends the exploration */
#define OM_STATES 6   /* the limit on states would be exceeded */

#endif
