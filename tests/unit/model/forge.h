/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forge.h: random expressions and models, and an evaluator that shares nothing with the library:
 * it walks the original tree, before any folding, and reads the vector bit by bit.
 */
#ifndef OMEN_TESTS_FORGE_H
#define OMEN_TESTS_FORGE_H

#include <omen/plugin/model.h>

typedef struct tree {
    om_op op;
    int32_t value;
    uint32_t slot;
    struct tree *a, *b;
} tree;

typedef struct forge {
    om_random random;
    om_model *m;
    tree pool[4096];
    size_t used;           /* set to 0 to start again */
    unsigned fault_chance; /* of 1000: chance of an unchecked index or divisor */
    bool narrow;           /* whole models are narrowed by om_model_narrow() */
    bool large;            /* guards and values of whole models share large expressions */
    bool twins;            /* all processes of whole models but the first are alike */
    bool asserting;        /* forge_model() adds assertions */
} forge;

/* Makes a model with slots of every type: slots from FORGE_SCALARS on are arrays; FORGE_OUT is an
 * OM_I32 scalar. */
om_model *forge_slots(forge *f, om_context *ctx);
enum { FORGE_OUT = 0, FORGE_PICK = 1, FORGE_SCALARS = 10, FORGE_SLOTS = 19 };

tree *forge_tree(forge *f, unsigned height);
om_expr forge_build(om_model *m, const tree *t);

/* Returns the value. Sets *kind to OM_FAULT_INDEX or OM_FAULT_DIVISION at the first fault. */
int32_t forge_eval(const om_model *m, const tree *t, const uint32_t *vector, uint32_t *kind);

/* Returns element i of a slot, read bit by bit. */
int32_t forge_read(const om_slot *s, const uint32_t *vector, uint32_t i);

/* Fills slots with random bits, and the rest with 0. */
void forge_vector(forge *f, uint32_t *vector);

/* Makes a whole model: processes with locations, transitions in the shape that front ends produce,
 * and others. */
om_model *forge_model(forge *f, om_context *ctx);

#endif
