/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h: linear equations that hold in every reachable marking, sparse, for elimination.
 *
 * Variables are the tokens of the places (0 .. places - 1) and the number of firings of each
 * transition (places + t). Initially, row p is the state equation of place p (T. Murata, "Petri
 * nets: properties, analysis and applications", Proc. IEEE 77(4), 1989, section IV.B): m_p - sum of
 * C[p][t] x_t = m0_p, where C[p][t] is the number of tokens that one firing of t adds to p.
 * Transitions that can never fire have x_t = 0 and are left out. Every other row is a sum of
 * multiples of these, so it holds as well. A row without transitions is a place invariant (section
 * IV.C.5).
 *
 * R1: |factor| and |constant| are at most 2^62 (an operation that would exceed this fails); factors
 *     are not 0.
 * R2: entries of a row have different variables; rows and columns are doubly linked lists.
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
    uint32_t spare; /* free entries, linked by row_next */
    uint32_t row_count, variable_count;
    om_net_line *rows, *columns;
    int64_t *constants; /* by row */
    uint32_t *at;       /* by variable: an entry; OM_NONE between calls */
    uint32_t *list;     /* scratch memory of row_count entries for elimination */
    uint64_t work,
        checked_at;  /* entries visited so far; value of `work` at the last context check */
    uint64_t budget; /* limit of `work` */
    int status;      /* OM_OK, or the reason to stop */
} om_net_rows;

/* Makes the state equations; changes NULL: without the columns of transitions. Returns OM_OK,
 * OM_ENOMEM, OM_ELIMIT or OM_ESTOP. */
int om_net_rows__make(om_net_rows *m, const om_net *net, const om_net_changes *changes);
void om_net_rows__free(om_net_rows *m);

/* Sets the budget: an amount that small nets never need, plus some steps for each entry, with a
 * limit that corresponds to seconds. */
void om_net_rows__limit(om_net_rows *m);
/* Counts n entries as visited. Returns false if the budget is exhausted or the context is
 * stopped. */
bool om_net_rows__go_on(om_net_rows *m, uint64_t n);

/*
 * Adds a multiple of pivot's row to a positive multiple of target's row so that the common variable
 * of the two entries is eliminated. If target's row was multiplied, divides the result by the
 * common divisor of its numbers. The multiple of pivot's row is positive if the two factors have
 * different signs. Returns false if numbers would be too large (R1) or memory is insufficient;
 * target's row must not be used any more then.
 */
bool om_net_rows__eliminate(om_net_rows *m, uint32_t target, uint32_t pivot);

/* As om_net_rows__eliminate(), for a variable with factor a in row pivot and b in row target, in a
 * matrix that does not store its column. */
bool om_net_rows__combine(om_net_rows *m, uint32_t target, int64_t b, uint32_t pivot, int64_t a);

/* Removes the entry from its row (which then is a different equation) and column. */
void om_net_rows__remove(om_net_rows *m, uint32_t entry);
/* Removes all entries of the row. */
void om_net_rows__drop(om_net_rows *m, uint32_t row);
/* Copies the entries of a column to m->list and returns their number. */
uint32_t om_net_rows__list(om_net_rows *m, uint32_t variable);

#endif
