/* SPDX-License-Identifier: Apache-2.0 */
/* product.h: what rooms above may ask of products and cursors beside the public header: to make
 * them, batches of states for searches that expand many at once, and what is counted. */
#ifndef OM_PRODUCT_PRODUCT_H
#define OM_PRODUCT_PRODUCT_H

#include <omen/plugin/product.h>

struct om_movers;    /* movers.h */
struct om_memory;    /* store.h */
struct om_store_ids; /* store.h */

/* ---- making them ---- */

/* Why a product with all of these variants cannot be had (a constant); NULL: it can. */
const char *om_product__lacks(uint32_t variants);
/* OM_EINVAL without an executor that answers the automaton's propositions, or without a worker. */
int om_product__new(om_product **out, om_context *ctx, const om_product_spec *spec);
void om_product__free(om_product *p);
/* Fairness goes by who moves, from now on, before there is a cursor. OM_EINVAL, with a message,
 * where the spec does not ask for both OM_PRODUCT_MOVERS and OM_PRODUCT_FAIRNESS. */
int om_product__set_movers(om_product *p, const struct om_movers *movers);

/* For one thread. Workers are 0 .. workers - 1 of the spec, else OM_EINVAL. */
int om_cursor__open(om_cursor **out, om_product *p, unsigned worker);
void om_cursor__close(om_cursor *c);

/*
 * Where several products keep their states together (om_product_spec.states): those that they have
 * in common, the same state of the model under automaton states of the same number, are stored
 * once. Each product has some of its workers; ids are the same for all, so those of one product
 * have gaps. Limits are those of the context, which is borrowed; one that is hit stops the products
 * that ask for more, too. `words` of a product vector: the executor's and one more. OM_ENOMEM or
 * OM_ELIMIT.
 */
int om_states__new(
    om_states **out, om_context *ctx, uint32_t words, unsigned workers, om_store_kind kind);
/* After the products. */
void om_states__free(om_states *s);
/* Stored by all of them (exact while nobody stores). */
uint64_t om_states__count(const om_states *s);

/* ---- searches ---- */

/* States expanded at once. More rows than OM_CURSOR_ROWS end a batch early, to stay in the cache.
 */
enum { OM_CURSOR_BATCH = 64, OM_CURSOR_ROWS = 512 };

/* Edges of several states at once, with duplicates; the cursor's, until its next call. */
typedef struct om_batch {
    const uint32_t *rows; /* vectors, om_product_words() apart */
    const om_id *ids;
    const bool *fresh;
    size_t count;
    size_t sources; /* how many of the states asked for */
} om_batch;

/*
 * Expands stored states, at most n (OM_CURSOR_BATCH) of them: the larger the batch, the better the
 * store hides its cache misses; ids in a row are read faster than others. After a failure *out is
 * meaningless.
 */
int om_cursor__expand(om_cursor *c, const om_id *ids, size_t n, om_batch *out);
/* The ids that are there now, of all products with which this one shares them: what is stored later
 * is not among them. NULL: no memory; the caller's. While no cursor stores anything. */
struct om_store_ids *om_product__ids(const om_product *p, const om_heap *heap);
bool om_product__among(const struct om_store_ids *ids, om_id id);
/* The edges of a batch of one state (or, with OM_NO_ID, the initial states), as
 * om_cursor_successors() gives them. */
int om_cursor__steps(om_cursor *c, om_id from, const om_step **steps, size_t *count);
/* Is there an edge from one stored state to another? Stores nothing, counts nothing. */
int om_cursor__leads(om_cursor *c, om_id from, om_id to, bool *out);
/* The initial states, as a batch without sources. */
int om_cursor__initial(om_cursor *c, om_batch *out);
/* ---- figures ---- */

/* Edges that all cursors have given out so far; any thread. */
uint64_t om_product__edge_count(const om_product *p);
/* Likewise, states that they have expanded, each time. */
uint64_t om_product__expansion_count(const om_product *p);
/* Bytes held for its states; what its store holds. */
uint64_t om_product__bytes(const om_product *p);
om_store_figures om_product__figures(const om_product *p);
/* The levels of the breadth-first search that runs on the product, or ran last; any thread. What it
 * gives is of one moment or of two that follow each other. */
void om_product__levels(const om_product *p, om_levels *out);
/* Edges explored by this cursor so far, before exact duplicates were merged. */
uint64_t om_cursor__edge_count(const om_cursor *c);
/* Edges before duplicates were merged, stuttering of a bare model left out; and states without a
 * successor in the model, of those expanded. */
void om_cursor__counts(const om_cursor *c, uint64_t *edges, uint64_t *deadlocks);
/* Bytes of the cursor's own. */
uint64_t om_cursor__bytes(const om_cursor *c);
/* A level of `width` states begins; the leader of a search alone calls it. */
void om_product__begin_level(om_product *p, uint64_t width);
/* A search begins. */
void om_product__begin_search(om_product *p);
/* Overflows that the cursors met so far; any thread. *vector (may be NULL, once the workers are
 * done) is a state (model words) that one of the first leaves, or NULL. */
uint64_t om_product__overflows(const om_product *p, const uint32_t **vector);
/* Where memory for what is kept of each state comes from. */
struct om_memory *om_product__memory(om_product *p);
/* Are the states kept with those of other products? */
bool om_product__shares(const om_product *p);
/* The ids of states that the worker met first went up all the time. Asked by the worker itself. */
bool om_product__ids_rise(const om_product *p, unsigned worker);

#endif
