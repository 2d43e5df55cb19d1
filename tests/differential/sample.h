/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h: one case: a model both as the library represents it and as the test's own interpreter
 * does. */
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
    om_model *exact;             /* the model without resets of variables, for the referee */
    const om_slot *slots[WIDTH]; /* the library's slot for each position of the interpreter's
                                    state, */
    uint32_t element[WIDTH];     /* and the element in it */
    /* propositions: as trees, as text, and their values in every state */
    const expr *proposition[PROPOSITIONS];
    om_text name[PROPOSITIONS], quoted[PROPOSITIONS];
    unsigned *label;
    unsigned *able; /* by state: bit p is set if process p can move */
} sample;

/* What a lasso must show. */
typedef struct obligation {
    om_property_kind kind;
    const char *text;
    const formula *formula;     /* if kind is LTL */
    const automaton *automaton; /* if kind is AUTOMATON */
    const expr *invariant;      /* if kind is INVARIANT */
    const fairness *fair;       /* fairness that it must show, or NULL */
    bool stutter, violated;
    uint32_t shortest; /* steps to the nearest bad state, for INVARIANT and DEADLOCK */
} obligation;

/* Generates the model and its graph, without the library. */
void sample_make(sample *s, uint64_t number, bool faulty);
/* Makes overflows errors from here on, in the exact model, too. */
void sample_make_strict(sample *s);
/* Finds the slots of s->model. Returns false if one is missing. */
bool sample_bind(sample *s);
void sample_free(sample *s);

/* Maps a state of the library to its vertex, or OM_NONE; and back. */
uint32_t sample_vertex(const sample *s, const uint32_t *vector);
void sample_vector(const sample *s, uint32_t vertex, uint32_t *vector);

/* Returns the graph of the model with labels, for products. */
labelled sample_labelled(const sample *s, bool stutter);

/*
 * Returns NULL, or what is wrong with a lasso. A lasso of a model with resets of dead variables is
 * judged by its transitions, taken in the model without resets. The cycle is taken twice, because
 * dead variables may hold other values at its first entry than after a round.
 */
const char *sample_referee(const sample *s, const obligation *c, const om_lasso *l);
/* Returns NULL, or why `states` is not the length of the least bad prefix of a run with these
 * labels. */
const char *sample_prefix(
    const obligation *c, const unsigned *label, size_t count, size_t loop, size_t states);
/* Returns NULL, or what is wrong with a trace to a fault of the model. */
const char *sample_referee_fault(const sample *s, const om_lasso *l);

#endif
