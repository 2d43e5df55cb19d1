/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h: one case: a model as the library has it and as the test's own interpreter does. */
#ifndef OMEN_DIFFERENTIAL_SAMPLE_H
#define OMEN_DIFFERENTIAL_SAMPLE_H

#include "dve.h"
#include "property.h"

#include <omen/host/omen.h>

typedef struct sample {
    uint64_t number;
    om_random r;
    dve d;
    graph g;
    om_text text;
    om_model *model;
    om_model *exact;             /* the same, in which no variable is ever reset; for the referee */
    const om_slot *slots[WIDTH]; /* where the library keeps what lies here, */
    uint32_t element[WIDTH];     /* in which element */
    /* propositions: as trees, as text, and in every state */
    const expr *proposition[PROPOSITIONS];
    om_text name[PROPOSITIONS], quoted[PROPOSITIONS];
    unsigned *label;
    unsigned *able; /* by state: bit p: process p can move */
} sample;

/* What a lasso is to show. */
typedef struct obligation {
    om_property_kind kind;
    const char *text;
    const formula *formula;     /* of LTL */
    const automaton *automaton; /* of AUTOMATON */
    const expr *invariant;      /* of INVARIANT */
    const fairness *fair;       /* that it must show, or NULL */
    bool stutter, violated;
    uint32_t shortest; /* steps to the nearest bad state, of INVARIANT and DEADLOCK */
} obligation;

/* Makes the model and its graph; the library has not seen it yet. */
void sample_make(sample *s, uint64_t number, bool faulty);
/* From here on, a value that does not fit is an error; in the exact model, too. */
void sample_make_strict(sample *s);
/* Finds the slots of s->model; false where one is not there. */
bool sample_bind(sample *s);
void sample_free(sample *s);

/* The vertex of a state of the library's, or OM_NONE; and the other way. */
uint32_t sample_vertex(const sample *s, const uint32_t *vector);
void sample_vector(const sample *s, uint32_t vertex, uint32_t *vector);

/* The graph of the model with labels, for products. */
labelled sample_labelled(const sample *s, bool stutter);

/*
 * NULL, or what is wrong with a lasso. One of a model with resets of dead variables is judged by
 * its transitions, taken where nothing is reset: the cycle is gone through twice, for what dead
 * variables hold when it is entered need not be what a round leaves in them.
 */
const char *sample_referee(const sample *s, const obligation *c, const om_lasso *l);
/* NULL, or what is wrong with saying that so many states are the least bad prefix of a run with
 * these labels. */
const char *sample_prefix(
    const obligation *c, const unsigned *label, size_t count, size_t loop, size_t states);
/* NULL, or what is wrong with a trace to a fault of the model. */
const char *sample_referee_fault(const sample *s, const om_lasso *l);

#endif
