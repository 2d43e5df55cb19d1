/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h: linear equations that hold in every reachable marking, sparse, for elimination.
 *
 * Variables are the counts of the places (0 .. places - 1) and how often each transition has fired
 * (places + t). Row p is, to begin with, the state equation of place p (T. Murata, "Petri nets:
 * properties, analysis and applications", Proc. IEEE 77(4), 1989, section IV.B): m_p - sum of
 * C[p][t] x_t = m0_p, where C[p][t] is what one firing of t adds to p. Transitions that can never
 * fire have x_t = 0 and are left out. Every other row is a sum of multiples of these, so it holds
 * as well; a row of which no transition is left is a place invariant (section IV.C.5).
 *
 * R1: |factor| and |constant| are at most 2^62 (what would pass that fails), factors are not 0.
 * R2: entries of a row have different variables; a row and a column are lists linked both ways.
 */
#ifndef OMEN_NET_ROWS_H
#define OMEN_NET_ROWS_H

#include "changes.h"

typedef struct om_net_entry {
    int64_t factor;
    uint32_t row, variable;
    uint32_t row_next, row_before, column_next, column_before; /* entries, or OM_NONE */
} om_net_entry;

typedef struct om_net_line {
    uint32_t first, count;
} om_net_line;

/* Zero-initialise. */
typedef struct om_net_rows {
    om_context *ctx;
    const om_heap *heap;
    om_net_entry *entries;
    size_t entry_count, entry_room, entry_limit;
    uint32_t spare; /* entries that are free, linked by row_next */
    uint32_t row_count, variable_count;
    om_net_line *rows, *columns;
    int64_t *constants;   /* by row */
    uint32_t *at;         /* by variable: an entry; OM_NONE between calls */
    uint32_t *list;       /* room for row_count entries, for whoever eliminates */
    uint64_t work, asked; /* entries looked at so far; when the context was asked last */
    uint64_t budget;      /* of work */
    int status;           /* OM_OK, or why no more can be done */
} om_net_rows;

/* The state equations; changes NULL: without the columns of transitions. OM_ENOMEM, OM_ELIMIT,
 * OM_ESTOP. */
int om_net_rows__make(om_net_rows *m, const om_net *net, const om_net_changes *changes);
void om_net_rows__free(om_net_rows *m);

/* Sets the budget: what small nets never need, some steps for each entry of others, and for all of
 * them what takes seconds. */
void om_net_rows__limit(om_net_rows *m);
/* Is there work left in the budget, and nobody who says stop? Counts n entries as looked at. */
bool om_net_rows__go_on(om_net_rows *m, uint64_t n);

/*
 * Adds a multiple of pivot's row to a positive multiple of target's row, so that the variable of
 * these two entries, which is the same, falls out of it; then divides it by what all its numbers
 * have in common. false: it would take numbers too large (R1) or too much memory, and the target's
 * row is not to be used any more. The multiple of pivot's row is positive where the two factors
 * have different signs.
 */
bool om_net_rows__eliminate(om_net_rows *m, uint32_t target, uint32_t pivot);

/* The same for a variable with factor a in the row pivot and b in the row target, in a matrix where
 * its column is not kept. */
bool om_net_rows__combine(om_net_rows *m, uint32_t target, int64_t b, uint32_t pivot, int64_t a);

/* Takes the entry out of its row (which is another one then) and column. */
void om_net_rows__remove(om_net_rows *m, uint32_t entry);
/* Forgets the row. */
void om_net_rows__drop(om_net_rows *m, uint32_t row);
/* The entries of a column into m->list; how many. */
uint32_t om_net_rows__list(om_net_rows *m, uint32_t variable);

#endif
