/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_program.h: the state equation of a net as a linear program that grows.
 *
 * A column for each transition counts its firings. A row is the change of the tokens of a place, or
 * an inequality over markings. A place has no row until a solution has fewer tokens there than
 * none, or more than its bound: most places of a large net matter for no question.
 *
 *  E1  row_of[p] is the row of place p, or 0. No other row is that of a place.
 *  E2  A row has at most one entry for each column.
 *  E3  Column t + 1 is that of transition t. Drains follow, at most one for each place.
 *  E4  A retired row has no bounds; it is in the program until it is used again.
 */
#ifndef OMEN_MCC_STATE_PROGRAM_H
#define OMEN_MCC_STATE_PROGRAM_H

#include "state_equation.h"

#include <setjmp.h>

/* How far rounded numbers may be from what they stand for */
#define MCC_CLOSE 1e-6

typedef enum mcc_solution { MCC_SOME, MCC_NONE, MCC_NOT_KNOWN } mcc_solution;

/* The change of a place by a column's firing */
typedef struct mcc_effect {
    int column;
    om_value change;
} mcc_effect;

typedef struct mcc_program {
    om_net net;      /* borrowed, except for its places, whose bounds mcc_program_bound() changes */
    om_value *least; /* by place: a lower bound */
    const om_heap *heap;
    uint64_t until_ns;
    struct glp_prob *glp;
    size_t *first;                  /* by place: its entries of effects[], up to the next place's */
    mcc_effect *effects;            /* in the order of columns */
    uint32_t *drained, drain_count; /* places that some transition resets */
    int *row_of;                    /* by place */
    uint32_t *listed;               /* the places that have rows */
    size_t listed_count;
    int *branch, *retired; /* rows of inequalities that branches added; unused rows */
    size_t branch_count, branch_room, retired_count, retired_room;
    om_wide *sum;    /* by column; 0 between two uses */
    double *change;  /* entries of a row, from 1 on */
    int *index;      /* and their columns */
    double *marking; /* by place, of the last solution */
    mcc_equation_figures figures;
    jmp_buf failed; /* jump target if GLPK fails, memory runs out or a number is too large */
} mcc_program;

/* Opens the program without rows. False if memory runs out or the net is too large. Call
 * mcc_program_close() in any case. */
bool mcc_program_open(mcc_program *e, const om_net *net, uint64_t until_ns);
void mcc_program_close(mcc_program *e);

/* The functions below jump to e->failed if they fail. */

/* Makes the GLPK object. */
void mcc_program_begin(mcc_program *e);
/* Sets the bounds of a place. */
void mcc_program_bound(mcc_program *e, uint32_t place, om_value least, om_value most);
/* Sets the bounds of a transition's number of firings; most: OM_VALUE_MAX for none. */
void mcc_program_count(mcc_program *e, uint32_t transition, om_value least, om_value most);
/* Returns that number in the last solution. */
double mcc_program_firings(const mcc_program *e, uint32_t transition);
/* Requires that the sum of the terms is at least `least`, until the branch that began with
 * `e->branch_count` ends. */
void mcc_program_require(mcc_program *e, const om_net_term *terms, uint32_t count, om_wide least);
/* Lets the inequality that was added last stay when the branch ends. */
void mcc_program_keep(mcc_program *e);
/* Drops the inequalities that were added since e->branch_count had this value. */
void mcc_program_drop(mcc_program *e, size_t branch_count);
/* Searches for a marking that meets everything, and stores it in e->marking. */
mcc_solution mcc_program_solve(mcc_program *e);

#endif
