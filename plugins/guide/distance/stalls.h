/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stalls.h: how far a state is from a deadlock.
 *
 * In a deadlock, each process is at a location where the guards of all its transitions are false.
 * The estimate for a process is the minimum over its locations: the steps to the location, what the
 * guard of the first step lacks to be true, and the sum of what the guards at the location lack to
 * be false. A guard is as near to false as the nearest of its conditions. The estimate for a state
 * is the sum over the processes.
 *
 * Conditions that distinguish cases, such as x < 9 and x == 9 in two guards of one location, do not
 * count while they are true: if the one becomes false, the other becomes true.
 *
 *  S1  A place is a location of a process; place 0 has the transitions that have no location. The
 *      places of a process are consecutive.
 *  S2  The guards of a place are consecutive, as are the conditions of a guard.
 *  S3  A place with a guard that has no condition is open: a process can always leave it.
 *  S4  The near places of a place are sorted by the number of steps; the first one is itself.
 */
#ifndef OMEN_GUIDE_STALLS_H
#define OMEN_GUIDE_STALLS_H

#include "distance.h"

enum { STALLS_OPEN = 1 << 10 }; /* the estimate for an open place */

/* Bits of a vector that hold an element of a slot */
typedef struct stall_cell {
    uint32_t word, mask, sign; /* sign: the highest bit of a signed value, or 0 */
    unsigned shift;
} stall_cell;

/* A condition of a guard. It is false if the element stands in the relation to the constant. For
 * other conditions (relation OM_OP_COUNT): if the expression has the truth value. */
typedef struct stall_condition {
    stall_cell cell;
    om_op relation;
    om_value constant;
    om_expr expression;
    bool truth;
    bool is_case; /* it distinguishes cases */
} stall_condition;

typedef struct stall_guard {
    size_t begin, end; /* its conditions */
} stall_guard;

typedef struct stall_place {
    size_t begin, end;           /* its guards */
    size_t near_begin, near_end; /* the near places */
    bool open;                   /* always */
} stall_place;

typedef struct stall_near {
    uint32_t place, steps;
    size_t begin, end; /* the guards of the first step; none: no step is needed */
} stall_near;

typedef struct stall_process {
    stall_cell location;
    om_value low;
    uint32_t first, count; /* its places */
} stall_process;

typedef struct stalls {
    locations *locations;
    stall_process *processes; /* those with a location */
    uint32_t *process_of;     /* [process of the model]: an index, or OM_NONE */
    stall_place *places;
    stall_guard *guards;
    stall_condition *conditions;
    stall_near *near;
    uint32_t process_count, place_count;
    size_t guard_count, condition_count, near_count;
    size_t guard_room, condition_room, near_room;
} stalls;

/* stall_conditions.c. Lists the conditions of a guard. */
typedef struct stall_reader {
    stalls *stalls;
    om_expr hidden;       /* conditions on slots that this expression reads do not count */
    uint32_t *uses;       /* [2 * expression + truth]: number of guards */
    size_t uses_room;     /* entries of `uses` */
    uint32_t most_guards; /* a condition of more guards than this does not count */
} stall_reader;

/* Returns the cell of a scalar slot. */
stall_cell stall_cell_of(const om_slot *s, uint32_t element);
/* Counts the conditions of a guard. OM_OK or OM_ENOMEM. */
int stall_count(stall_reader *r, om_expr guard);
/* Adds a guard with the conditions that count; tests of the location slot (OM_NONE: none) do not.
 * OM_OK or OM_ENOMEM. */
int stall_add_guard(stall_reader *r, om_expr guard, uint32_t location);

/* stall_cases.c. Marks the conditions of a place's guards that distinguish cases. */
void stall_mark_cases(const stalls *s, const stall_place *place);

/* stalls.c. Initialises a zeroed struct. OM_OK; OM_EUNSUPPORTED: there is nothing to estimate, or
 * too much; OM_ENOMEM. */
int stalls_init(stalls *s, locations *l, om_expr hidden);
void stalls_free(const stalls *s);

/* deadlocks.c. Returns how far a state is from a deadlock. */
uint64_t stalls_estimate(const stalls *s, const uint32_t *row);

#endif
