/* SPDX-License-Identifier: Apache-2.0 */
/* product_impl.h: the inside of products and cursors, for the files of this folder. */
#ifndef OM_PRODUCT_IMPL_H
#define OM_PRODUCT_IMPL_H

#include "store.h"

#include <omen/product.h>

/* What a worker counts; written by it alone, read by anybody (a progress line). */
typedef struct om_product_counter {
    _Atomic uint64_t edges; /* given out */
    unsigned char padding[120];
} om_product_counter;

struct om_product {
    om_context *ctx;
    const om_heap *heap;
    om_product_spec spec;
    uint32_t model_words, words;
    om_store *store;
    om_product_counter *counters;
};

/* An automaton edge whose label matched. */
typedef struct om_match {
    uint32_t dst;
    om_marks marks;
} om_match;

struct om_cursor {
    om_product *p;
    unsigned worker;
    om_successors succ;
    om_match *matches;
    size_t match_count, match_room;
    uint32_t *row;  /* of the store, unpacked */
    uint32_t *rows; /* product vectors that go to the store, one for each step */
    size_t row_room;
    om_id *ids;
    bool *fresh;
    om_step *steps;
    size_t step_count; /* gathered so far */
    size_t room;       /* of ids, fresh and steps */
    /* Steps already kept, to find duplicates: step number + 1, valid where its stamp is `stamp`. */
    struct om_seen {
        uint32_t stamp, step;
    } * seen;
    size_t seen_room; /* a power of two */
    uint32_t stamp;
    uint64_t all_edges; /* before duplicates were merged, stuttering of a bare model left out */
    uint32_t model_successors; /* of the last state expanded */
    uint64_t deadlocks;        /* states without any, of those expanded */
    om_fault fault;
    uint32_t *fault_vector;
};

/* Records the status of the store in the context. */
int om_product__fail(const om_product *p, int rc);

/*
 * The edges of n states at once, with duplicates and in the model's order: the larger the batch,
 * the better the store hides its cache misses. After a failure *steps and *count are meaningless.
 */
int om_cursor__expand(
    om_cursor *c, const om_id *from, size_t n, const om_step **steps, size_t *count);
/* Edges given out by all cursors so far; any thread. */
uint64_t om_product__edge_count(const om_product *p);

#endif
