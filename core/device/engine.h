/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: what exploring and trimming share. */
#ifndef OM_DEVICE_ENGINE_H
#define OM_DEVICE_ENGINE_H

#include "table.h"

enum { OM_K_GUARDS, OM_K_EXPAND, OM_K_PART_KERNELS };

/* A large model is compiled in parts, each with some of the groups of transitions: compilers take
 * more than linear time. */
typedef struct om_part {
    uint32_t low, high; /* groups low <= g < high */
    om_built built;
} om_part;

struct om_engine {
    om_context *ctx;
    const om_heap *heap;
    om_engine_spec spec;
    om_tuning tuning;
    om_pool pool;
    om_table table;
    uint32_t words, row, groups; /* at least one group, perhaps empty */
    uint32_t automaton_states;
    om_part *parts;
    om_built weigh; /* apart, for it is all that depends on the atomic propositions */
    uint32_t part_count;
    om_buffer begin, edges, cubes; /* the automaton */
    om_buffer wanted, accepting;   /* bytes per automaton state */
    om_buffer degree;              /* per stored state: edges that lead to it, see trim.c */
    uint32_t degree_count;         /* how many of those are in use */
    /* A chunk. */
    om_buffer masks, labels, matches, sums, worst, taken;
    uint32_t chunk, chunk_room;
    bool complete; /* explored to the end */
};

/* The states of a chunk: first, first + 1 ... or what `list` has from there on. */
typedef struct om_chunk {
    const om_buffer *list; /* NULL: the numbers themselves */
    uint32_t first, n;
    uint64_t candidates, dead; /* out: successors; states where the model has none */
} om_chunk;

/* om_engine_open() with sizes to begin with. */
int om_engine__open(
    om_engine **out, om_context *ctx, const om_engine_spec *spec, const om_tuning *tuning);

/* Writes the successors of a chunk to the table's candidates; makes the chunk smaller (n changes)
 * when they do not fit. */
int om_engine__expand(om_engine *e, om_chunk *c);

/* Looks whether the chunk had a fault: OM_EMODEL with the state and the fault. */
int om_engine__blame(om_engine *e, const om_chunk *c, uint32_t *state, om_fault *fault);

/* Adapts the size of chunks to how long this one took. */
void om_engine__pace(om_engine *e, uint32_t n, uint64_t since_ns);

#endif
