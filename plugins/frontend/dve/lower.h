/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h: from the syntax tree to guarded commands.
 *
 * A process becomes an enumeration slot with its name (the location) and a slot "P.x" for each of
 * its variables; a buffered channel becomes an array per component ("c", or "c.0", "c.1", ...) with
 * the oldest message at index 0, and a slot "c.count". Transitions come out process by process, in
 * the order of the source.
 */
#ifndef DVE_LOWER_H
#define DVE_LOWER_H

#include "symbols.h"

/* Where an expression stands: it decides what its names mean. */
typedef struct dve_scope {
    const dve_file *file;
    om_model *model;
    const dve_process *process; /* whose variables are seen; NULL: none */
    const char *origin;         /* what messages call the text */
    bool initial;               /* names stand for initial values, as in an initialiser */
} dve_scope;

/* Lowers one expression. */
int dve_lower_expression(const dve_scope *s, const dve_expr *e, om_expr *out);
/* Lowers a constant expression. */
int dve_lower_constant(const dve_scope *s, const dve_expr *e, om_value *out);
/* The variable that a target names, with its index (0 for a scalar). */
int dve_lower_target(
    const dve_scope *s, const dve_expr *e, const dve_variable **variable, om_expr *index);

/* ---- transitions in the making ---- */

typedef struct dve_move {
    dve_scope scope;
    om_expr guard;
    om_assign *assigns;
    om_written *written; /* by assignment */
    size_t count, capacity, written_capacity;
} dve_move;

/* guard := guard and e; 0 is true. */
void dve_move_guard(dve_move *v, om_expr e);
/* An assignment of the front end's own: nobody wrote it. */
int dve_move_assign(dve_move *v, uint32_t slot, om_expr index, om_expr value);
int dve_move_assign_at(dve_move *v, om_written at, om_assign assign);
/* Assigns to what a target expression names, and is written there. */
int dve_move_target(dve_move *v, const dve_expr *target, om_expr value);
/* The location of the process, then the effects of the transition. */
int dve_move_apply(dve_move *v, const dve_process *p, const dve_transition *t);
/* "P is at the transition's source", as an expression. */
om_expr dve_at(om_model *m, const dve_process *p, const dve_state *s);
/* Adds the transition to the model and empties the move. */
int dve_move_emit(
    dve_move *v, uint32_t process, uint32_t partner, const dve_transition *t, const char *label);
void dve_move_free(dve_move *v);

/* ---- the parts ---- */

/* What the lowering of transitions passes along. */
typedef struct dve_lowering {
    dve_file *file;
    om_model *model;
    om_expr none_committed; /* 0 when no process has a committed state */
    uint32_t emitted;
} dve_lowering;

int dve_lower_slots(dve_file *f, om_model *m);
int dve_lower_async(dve_lowering *l);
/* One transition for each receiver of this sending transition in another process. */
int dve_lower_pairs(dve_lowering *l, const dve_process *p, const dve_transition *t);
int dve_lower_sync(dve_lowering *l);
int dve_lower_property(dve_file *f, om_model *m);
/* All of it, except om_model_finish(). */
int dve_lower_file(dve_file *f, om_model *m);

#endif
