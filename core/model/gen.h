/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen.h: the inside of the generator: writing expressions and assignments.
 *
 * An expression is written in two steps. prepare() writes, as statements, whatever could fault,
 * each such value into a temporary, in the order in which the vm would meet the faults; value()
 * then writes an expression that has no side effect. Only temporaries of the current block are
 * used: begin() and end() keep the books.
 */
#ifndef OMEN_CORE_MODEL_GEN_H
#define OMEN_CORE_MODEL_GEN_H

#include "form.h"

enum {
    OM_GEN_INLINE = 24, /* levels of brackets before a temporary; clang takes 256 */
    OM_GEN_BLOCKS = 100 /* levels of braces */
};

/* Where a fault goes. */
typedef enum om_gen_where {
    OM_GEN_IN_GUARD,
    OM_GEN_IN_EFFECT,
    OM_GEN_IN_STEP,
    OM_GEN_IN_ASSERTION,
    OM_GEN_IN_LABEL
} om_gen_where;

typedef struct om_gen {
    const om_model *m;
    om_text *out;
    const char *vector; /* that is read: "s" or "d" */
    om_gen_where where;
    uint32_t subject; /* of a fault */

    /* By node: 0, a temporary, or OM_GEN_TRUE when the surroundings make it 1. */
    uint32_t *temp;
    om_expr *set; /* nodes whose temp is set, oldest first */
    size_t set_count, set_room;
    uint32_t temps;    /* names used */
    uint32_t blocks;   /* open */
    bool memory, deep; /* what went wrong */
} om_gen;

#define OM_GEN_TRUE UINT32_MAX

/* Starts afresh at the top of a function for faults of `subject`. */
void om_gen__start(om_gen *g, om_gen_where where, uint32_t subject, const char *vector);

/* Opens a block; what is set inside is forgotten by the end() that gets the result. */
size_t om_gen__begin(om_gen *g);
void om_gen__end(om_gen *g, size_t mark);
/* Forgets it already here. */
void om_gen__forget(om_gen *g, size_t mark);

/* Within this block, e is known to be 1. */
void om_gen__assume(om_gen *g, om_expr e);

void om_gen__prepare(om_gen *g, om_expr e);
void om_gen__value(om_gen *g, om_expr e); /* an om_i32 */
void om_gen__truth(om_gen *g, om_expr e); /* 0 or 1 */
void om_gen__assign(om_gen *g, const om_assign *a);

/* om_model_generate() for a model that may run, with no message recorded. OM_OK, OM_ENOMEM or
 * OM_EUNSUPPORTED. */
int om_gen__write(om_model *m, const om_expr *aps, uint32_t ap_count, om_text *out);
#define OM_GEN_TOO_DEEP "an expression of the model nests too deeply for generated code"

/* Helper functions that the above use. */
extern const char om_gen__prelude[];

#endif
