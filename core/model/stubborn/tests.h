/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests.h: the conjuncts of guards that compare one cell with a constant, evaluated in vectors.
 *
 * The outcome of a test follows from the answer to a *question* about the vector. If the cell has
 * few values, the question is for its value, and all its tests share it; else, the question is the
 * test itself, with the answers 0 and 1.
 */
#ifndef OM_MODEL_TESTS_H
#define OM_MODEL_TESTS_H

#include "transform/compact.h"

#include "footprint.h"

/* A test passes if the value is from low to high or, if `outside` is set, if it is not. */
typedef struct om_test {
    int64_t low, high;
    bool outside;
    uint32_t question;
} om_test;

typedef struct om_question {
    uint32_t word, up,
        down; /* the field of the vector: shifted left by `up`, then right by `down` */
    bool is_signed;
    uint32_t slot;    /* of the model, if there is no such field; else OM_NONE */
    uint32_t test;    /* OM_NONE: the answer is the bits of the field */
    uint32_t answers; /* their number */
    uint32_t cell;    /* the question is about its value */
} om_question;

typedef struct om_tests {
    const om_heap *heap;
    const om_compact *compact; /* the form of the vectors, or NULL: the model itself */
    uint32_t *of;              /* by conjunct: the number of its test; OM_NONE: it is none */
    om_test *tests;            /* equal tests are one */
    om_question *questions;
    uint32_t count, question_count;
} om_tests;

/* Finds the tests of a model. OM_OK or OM_ENOMEM. Call om_tests__close() in any case. */
int om_tests__open(om_tests *t, const om_footprint *f, const om_compact *compact);
void om_tests__close(om_tests *t);

/* Returns true if a value passes a test. */
static inline bool om_test__passes(const om_test *t, int64_t value)
{
    return (value >= t->low && value <= t->high) != t->outside;
}

/* Returns the answer to a question that is a test. */
uint32_t om_tests__evaluate(const om_tests *t, const om_question *q, const uint32_t *vector);

/* Returns the answer to a question, less than its number of answers. */
static inline uint32_t om_tests__answer(
    const om_tests *t, uint32_t question, const uint32_t *vector)
{
    const om_question *q = &t->questions[question];
    return q->test == OM_NONE ? vector[q->word] << q->up >> q->down
                              : om_tests__evaluate(t, q, vector);
}

/* Returns the value of a cell by the answer to the question for it. */
int64_t om_tests__value(const om_question *q, uint32_t answer);

/* Returns true if a state passes a test, by the answer to the test's question. */
bool om_tests__passes(const om_tests *t, uint32_t test, uint32_t answer);

#endif
