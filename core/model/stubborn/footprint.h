/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint.h: what transitions read and write, as far as it matters for the order of their steps.
 *
 * A *cell* is a scalar slot or an element of an array. An *access* is one way in which a transition
 * uses a cell, or a range of cells of one array if the index is computed. Accesses are sharpened by
 * values: a guard that compares a cell with a constant only tests it, and an assignment of a
 * constant, or of the cell's own value plus a constant, says more than "writes".
 *
 * An assertion that is checked, and a guard whose evaluation may fault, are a *watcher* each: a
 * transition that would be enabled where the assertion fails or the guard faults, and writes
 * nothing. So a reduction keeps the one as it keeps the steps of the other. Watchers are numbered
 * after the transitions.
 *
 *  F1  A guard is the conjunction of its *conjuncts*; a conjunct is a test of one cell, or has the
 *      accesses of all that it reads.
 *  F2  All other reads of a transition are accesses OM_READ.
 *  F3  A transition writes a cell in at most one access, unless that is OM_WRITE.
 *  F4  In a state without a fault, each watcher has a conjunct that is false.
 *
 * The relations need to hold only where there is a choice, that is, in the states that are
 * reachable from the *settled* ones (settled.c). What is constant there is not read. Nor is there
 * a choice within an atomic sequence, whose steps count as one (atomic.c).
 *
 * A *queue* is one row of an array, or several rows, to which transitions write at the index L,
 * where L is the cell with their length (queues.c). A transition appends to its back if it writes
 * row[L], before it changes L, and its guard implies that L is less than the row's length. A
 * transition uses its front if its guard implies L >= 1, and it reads row[0]; it may then take the
 * first element out of all rows of L, and subtract one from L. The accesses that do so are at an
 * *end*.
 *
 *  F5  If a transition t with accesses at the back, and a transition u with accesses at the front,
 *      are both enabled, these accesses do not conflict. For L is at least 1: t does not write the
 *      first element. If u takes it out, what t appends is in both orders at the same place, L - 1,
 *      and the places behind are moved as before; both indices are within the row.
 *  F6  If a conjunct that reads row[0] at the front is false, and L >= 1, then no transition
 *      makes it true by what it appends, unless another one has made L < 1: the guard has another
 *      conjunct, the one *behind* it, that implies L >= 1.
 */
#ifndef OM_MODEL_FOOTPRINT_H
#define OM_MODEL_FOOTPRINT_H

#include "form/form.h"

typedef enum om_access_kind {
    OM_READ,          /* in any way */
    OM_TEST_EQUAL,    /* a guard tests: the cell equals `value`; ... */
    OM_TEST_DIFFERS,  /* differs from it; ... */
    OM_TEST_AT_LEAST, /* is at least ... */
    OM_TEST_AT_MOST,  /* or at most `value` */
    OM_WRITE,         /* in any way */
    OM_WRITE_CONST,   /* the new value is `value` */
    OM_WRITE_ADD      /* `value` is added, and the result fits the slot */
} om_access_kind;

/* The end of a queue that an access uses */
typedef enum om_end { OM_MIDDLE /* any place */, OM_FRONT, OM_BACK } om_end;

typedef struct om_access {
    om_access_kind kind;
    uint32_t cell, count; /* the first cell, and the number of cells */
    om_value value;
    om_end end; /* F5 */
} om_access;

/* A conjunct of a guard */
typedef struct om_conjunct {
    om_expr expression;
    bool negated;          /* it is true where the expression is false, or its evaluation faults */
    uint32_t behind;       /* F6: the number of a conjunct, or OM_NONE */
    uint32_t first, count; /* of `accesses`; one that is no OM_READ: it tests that cell */
} om_conjunct;

/* The values that a cell may have, from the settled states on */
enum { OM_MOST_VALUES = 3, OM_ANY_VALUE = OM_MOST_VALUES + 1 };
typedef struct om_values {
    uint32_t count; /* or OM_ANY_VALUE */
    om_value at[OM_MOST_VALUES];
} om_values;

/* How often a transition uses a cell */
typedef struct om_uses {
    uint32_t writes, reads;
} om_uses;

struct om_left; /* left.h */

typedef struct om_footprint {
    const om_model *m;
    uint32_t transitions, all; /* their number, and with the watchers */
    uint32_t *cell_of;         /* by slot: its first cell; one entry more at the end */
    uint32_t *slot_of;         /* by cell */
    uint32_t *length_of;       /* by cell: a row that starts there has its length in it; OM_NONE */
    uint32_t *rows_of;         /* by cell: how many rows have this length */
    bool *dead;                /* by transition: it is never enabled, from the settled state on */
    uint32_t holder;           /* a cell (atomic.c), or OM_NONE */
    bool *inner;               /* by transition: it is enabled only where the holder is not 0 */
    uint32_t *first_follower;  /* by transition; one entry more at the end */
    uint32_t *followers;       /* the transitions that may follow it in its sequence */
    size_t follower_count, follower_room;
    om_access *accesses;
    size_t access_count, access_room;
    uint32_t *first;   /* by transition: its first access; one entry more at the end */
    uint32_t *own_end; /* by transition: its own accesses, without its sequence, end there */
    om_conjunct *conjuncts;
    size_t conjunct_count, conjunct_room;
    uint32_t *first_conjunct; /* by transition; one entry more at the end */
    bool barred; /* the guard that is being read holds only where the holder is not 0 */
    int rc;      /* what went wrong while they were computed, or OM_OK */
    /* Scratch: */
    uint32_t *visits;     /* by expression: the last visit; of 0: the visits so far */
    uint32_t *last_write; /* by cell: the last access of one transition that writes it alone */
    om_values *values;    /* by cell; NULL, if nothing is known */
    om_value *folded;     /* by expression: its value, ... */
    bool *folds;          /* ... if it has one, ... */
    uint32_t *folded_at, folding; /* ... known when `folding` was this */
    om_uses *uses, *array_uses;   /* by cell and, with computed indices, by slot; else 0 */
} om_footprint;

/* Computes the footprints of a finished model and its watchers; with an executor, from the settled
 * state on, else from the initial one. OM_OK; OM_ENOMEM; OM_EUNSUPPORTED if there are too many; the
 * status of a stopped context. Call om_footprint__close() in any case. */
int om_footprint__open(om_footprint *f, const om_model *m, const om_executor *x);
void om_footprint__close(om_footprint *f);

static inline bool om_access__writes(const om_access *a)
{
    return a->kind >= OM_WRITE;
}
static inline bool om_access__tests(const om_access *a)
{
    return a->kind > OM_READ && a->kind < OM_WRITE;
}
static inline bool om_access__overlap(const om_access *a, const om_access *b)
{
    return a->cell < b->cell + b->count && b->cell < a->cell + a->count;
}
/* atomic.c. Finds the holder of atomic sequences. */
void om_footprint__find_holder(om_footprint *f);
/* Returns true if nothing that varies but one cell decides the value of an expression, and sets *v
 * to it, for a value of the cell. */
bool om_footprint__of_cell(om_footprint *f, om_expr e, uint32_t cell, om_value value, om_value *v);
/* Gives the transitions the accesses of those that follow in their sequences. OM_OK; OM_ENOMEM;
 * OM_EUNSUPPORTED if these are too many or not known; the status of a stopped context. */
int om_footprint__join_sequences(om_footprint *f, const struct om_left *left);
/* Append conjuncts: those of a guard; one, which is true where the expression is false if `negated`
 * is set; one that any change of what the expression reads may make true. */
void om_footprint__read_guard(om_footprint *f, om_expr e);
void om_footprint__add_conjunct(om_footprint *f, om_expr e, bool negated);
void om_footprint__add_general(om_footprint *f, om_expr e);
/* Sets f->rc if there are too many accesses or conjuncts from these on, or the context is stopped.
 * Returns true if it is OM_OK. */
bool om_footprint__goes_on(om_footprint *f, size_t first, size_t first_conjunct);
/* watchers.c. Appends the watchers. */
void om_footprint__watch(om_footprint *f);
/* Appends the accesses of an expression whose truth value matters: tests of it, or of its parts,
 * and reads. */
void om_footprint__read_truth(om_footprint *f, om_expr e);
/* Returns an interval with all values of a slot in reachable states. */
struct om_interval om_footprint__range(const om_footprint *f, uint32_t slot);
/* Returns the cells of slot[index]; index 0: of a scalar. All of an array if the index varies. */
om_access om_footprint__cells(om_footprint *f, uint32_t slot, om_expr index);
/* settled.c. Finds what is constant and dead: OM_OK, OM_ENOMEM, or the status of an executor or a
 * stopped context. */
int om_footprint__settle(om_footprint *f, const om_executor *x, struct om_left *left);
/* Returns true if these enabled transitions of a state are not all of one process, and the state is
 * not within an atomic sequence. */
bool om_footprint__has_choice(
    const om_footprint *f, const uint32_t *vector, const uint32_t *enabled, size_t count);
/* Returns true if an expression has one value only, *v. */
bool om_footprint__fold(om_footprint *f, om_expr e, om_value *v);
/* queues.c. Finds the queues of the model: OM_OK or OM_ENOMEM. */
int om_footprint__find_queues(om_footprint *f);
/* Returns the end of a queue that an assignment writes, or whose length it changes, and sets *cells
 * to what it writes. The transition is that whose accesses are being added. */
om_end om_footprint__end_written(om_footprint *f, uint32_t t, const om_assign *a, om_access *cells);
/* Marks those of its reads, from one on, that are at the front of a queue; those of its guard, and
 * the conjuncts with such tests. */
void om_footprint__mark_reads(om_footprint *f, uint32_t t, size_t first);
void om_footprint__mark_guard(om_footprint *f, uint32_t t);
/* faults.c. Return true if the evaluation of a conjunct of a transition's guard, if those before it
 * hold, or a step of the transition, may fault. */
bool om_footprint__conjunct_may_fault(om_footprint *f, uint32_t transition, uint32_t conjunct);
bool om_footprint__step_may_fault(om_footprint *f, uint32_t transition);

/* Begins a visit of expressions. Expressions share parts; each is looked at once in a visit. */
static inline void om_footprint__visit(om_footprint *f)
{
    f->visits[0]++;
}
/* Returns true if the visit has been at the expression, and notes that it has. */
static inline bool om_footprint__visited(om_footprint *f, om_expr e)
{
    const bool visited = f->visits[e] == f->visits[0];
    f->visits[e] = f->visits[0];
    return visited;
}
/* Returns true if a value passes a test. */
bool om_access__passes(const om_access *test, om_value value);
/* Returns true if no value passes both tests. */
bool om_access__exclude(const om_access *a, const om_access *b);
/* Returns true if two accesses of transitions that are both enabled conflict: one may disable the
 * other, or the order of the two matters. */
bool om_access__conflict(const om_access *a, const om_access *b);
/* Returns true if after a write a test that held may fail. */
bool om_access__may_disable(const om_access *write, const om_access *test);
/* Returns true if a write may make a test, or whatever a read stands for, true. */
bool om_access__may_enable(const om_access *write, const om_access *test);

#endif
