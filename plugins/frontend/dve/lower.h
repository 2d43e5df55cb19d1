/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h: lowers the syntax tree to guarded commands.
 *
 * A process becomes an enumeration slot with its name (the location) and a slot "P.x" for each of
 * its variables. A buffered channel becomes an array per component ("c", or "c.0", "c.1", ...)
 * with the oldest message at index 0, and a slot "c.count". Transitions are added process by
 * process, in the order of the source.
 *
 * The parser and dve_resolve() have established, before lowering:
 *
 * D1  Each state and channel that is named has been found.
 * D2  All uses of a channel carry the same number of values; that of its types, if it has any. A
 *     buffered channel has types.
 * D3  An array has an index where it is used (dve_complete()).
 * D4  An expression is no higher than DVE_MAX_DEPTH.
 */
#ifndef DVE_LOWER_H
#define DVE_LOWER_H

#include "symbols.h"

/* The context of an expression, which decides what its names mean. */
typedef struct dve_scope {
    const dve_file *file;
    om_model *model;
    const dve_process *process; /* process whose variables are visible, or NULL */
    const char *origin;         /* name of the text in messages */
    bool initial;               /* names stand for initial values, as in an initialiser */
} dve_scope;

/* Lowers one expression. */
int dve_lower_expression(const dve_scope *s, const dve_expr *e, om_expr *out);
/* Lowers a constant expression. */
int dve_lower_constant(const dve_scope *s, const dve_expr *e, om_value *out);
/* Finds the variable that a target names and lowers its index (0 for a scalar). */
int dve_lower_target(
    const dve_scope *s, const dve_expr *e, const dve_variable **variable, om_expr *index);

/* ---- transitions under construction ---- */

typedef struct dve_move {
    dve_scope scope;
    om_expr guard;
    om_assign *assigns;
    om_written *written; /* source positions, by assignment */
    size_t count, capacity, written_capacity;
} dve_move;

/* Sets the guard to "guard and e"; 0 stands for true. */
void dve_move_guard(dve_move *v, om_expr e);
/* Adds an assignment that has no place in the source. */
int dve_move_assign(dve_move *v, uint32_t slot, om_expr index, om_expr value);
int dve_move_assign_at(dve_move *v, om_written at, om_assign assign);
/* Adds an assignment to the variable that the target expression names, at the target's place. */
int dve_move_target(dve_move *v, const dve_expr *target, om_expr value);
/* Adds the assignment to the location of the process, then the effects of the transition. */
int dve_move_apply(dve_move *v, const dve_process *p, const dve_transition *t);
/* Returns the expression "process p is at state s". */
om_expr dve_at(om_model *m, const dve_process *p, const dve_state *s);
/* Adds the transition to the model and empties the move. */
int dve_move_emit(
    dve_move *v, uint32_t process, uint32_t partner, const dve_transition *t, const char *label);
void dve_move_free(dve_move *v);

/* ---- the parts ---- */

/* State shared by the lowering of transitions. */
typedef struct dve_lowering {
    dve_file *file;
    om_model *model;
    om_expr none_committed; /* 0 if no process has a committed state */
    uint32_t emitted;
} dve_lowering;

int dve_lower_slots(dve_file *f, om_model *m);
int dve_lower_async(dve_lowering *l);
/* Adds one transition for each receiver of this sending transition in another process. */
int dve_lower_pairs(dve_lowering *l, const dve_process *p, const dve_transition *t);
int dve_lower_sync(dve_lowering *l);
int dve_lower_property(dve_file *f, om_model *m);
/* Lowers the whole file, without om_model_finish(). */
int dve_lower_file(dve_file *f, om_model *m);

#endif
