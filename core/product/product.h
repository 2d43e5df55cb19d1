/* SPDX-License-Identifier: Apache-2.0 */
/* product.h: the internal interface of products and cursors beside the public header: creation,
 * batches of states for searches that expand many states at once, and counters. */
#ifndef OM_PRODUCT_PRODUCT_H
#define OM_PRODUCT_PRODUCT_H

#include "execute/executor.h"

#include <omen/plugin/product.h>

struct om_fair_processes; /* fair_processes.h */
struct om_guiding;        /* guide.h */
struct om_memory;         /* store.h */
struct om_store_ids;      /* store.h */

/* ---- creation ---- */

/* Returns NULL if a product with all these variants can be made, else the reason (a constant). */
const char *om_product__lacks(uint32_t variants);
/* Creates a product. Returns OM_EINVAL if the spec has no executor that answers the automaton's
 * propositions, or no worker. */
int om_product__new(om_product **out, om_context *ctx, const om_product_spec *spec);
void om_product__free(om_product *p);
/* Makes fairness depend on the processes that move along a step (fair_processes.h). The caller
 * calls this before it opens a cursor. Returns OM_EINVAL, with a message, unless the spec asks for
 * both OM_PRODUCT_FAIR_PROCESSES and OM_PRODUCT_FAIRNESS. */
int om_product__set_fair_processes(om_product *p, const struct om_fair_processes *fair_processes);

/* Makes a steady guide order the successors that om_cursor_successors() returns, the nearest first:
 * for workers of even number, early and now and then. Borrowed; NULL: no guide. No cursor is in a
 * call. */
void om_product__guide(om_product *p, const struct om_guiding *guiding);

/* Opens a cursor for one thread. `worker` is 0 .. workers - 1 of the spec, else OM_EINVAL. */
int om_cursor__open(om_cursor **out, om_product *p, unsigned worker);
void om_cursor__close(om_cursor *c);

/*
 * Creates a set of states that several products share (om_product_spec.states). A state that they
 * have in common, the same model state with an automaton state of the same number, is stored once.
 * Each product owns a range of the workers. Ids are the same for all products, so the ids of one
 * product have gaps. The limits are those of `ctx`, which is borrowed; when one of them is reached,
 * every product that asks for more is stopped too. `words`: words of a product vector, which are
 * the executor's and one more. Returns OM_ENOMEM or OM_ELIMIT.
 */
int om_states__new(
    om_states **out, om_context *ctx, uint32_t words, unsigned workers, om_store_kind kind);
/* Frees the states; the products must be freed before. */
void om_states__free(om_states *s);
/* Number of states stored by all products (exact while no product stores any). */
uint64_t om_states__count(const om_states *s);

/* ---- searches ---- */

/* States expanded at once. A batch ends early at OM_CURSOR_ROWS rows, to stay in the cache, and
 * after a state with a fault. */
enum { OM_CURSOR_BATCH = 64, OM_CURSOR_ROWS = 512 };

/* The edges of several states at once, with duplicates. The cursor owns it until its next call. */
typedef struct om_batch {
    const uint32_t *rows; /* vectors with a stride of om_product_words() */
    const om_id *ids;
    const bool *fresh;
    size_t count;
    size_t sources;                     /* number of the requested states that were expanded */
    const size_t *ends;                 /* [source]: number of the row after its last one */
    const uint32_t *const *source_rows; /* [source]: its vector */
} om_batch;

/* Returns the edges of source `number` of a batch as a batch of their own. `words`:
 * om_product_words(). */
static inline om_batch om_batch__of(const om_batch *all, size_t number, uint32_t words)
{
    const size_t begin = number == 0 ? 0 : all->ends[number - 1], end = all->ends[number];
    om_batch one = { .sources = 1, .source_rows = all->source_rows + number };
    if (end > begin) {
        one.rows = all->rows + begin * words;
        one.ids = all->ids + begin;
        one.fresh = all->fresh + begin;
        one.count = end - begin;
    }
    return one;
}

/*
 * Expands stored states, at most n (OM_CURSOR_BATCH) of them. The larger the batch, the better the
 * store hides its cache misses. Consecutive ids are read faster than others. After a failure *out
 * is meaningless.
 */
int om_cursor__expand(om_cursor *c, const om_id *ids, size_t n, om_batch *out);
/* Returns a snapshot of the ids that are stored now, of all products that share the states of this
 * one; states stored later are not in it. Returns NULL if memory runs out. The caller frees it. No
 * cursor may store anything during the call. om_product__among() returns true if the snapshot
 * contains the id. */
struct om_store_ids *om_product__ids(const om_product *p, const om_heap *heap);
bool om_product__among(const struct om_store_ids *ids, om_id id);
/* Gives the edges of a batch of one state (or, with OM_NO_ID, the initial states), as
 * om_cursor_successors() does. */
int om_cursor__steps(om_cursor *c, om_id from, const om_step **steps, size_t *count);
/* Sets *out to true if there is an edge between two stored states. Stores and counts nothing. */
int om_cursor__leads(om_cursor *c, om_id from, om_id to, bool *out);
/* Gives the initial states as a batch without sources. */
int om_cursor__initial(om_cursor *c, om_batch *out);
/* Returns the fault that the cursor has noted, and its state, and makes the cursor forget it: it
 * then notes the next one. 0: it has met none. */
om_fault om_cursor__take_fault(om_cursor *c, om_id *at);

/* ---- counters ---- */

/* Edges produced by all cursors so far; any thread. */
uint64_t om_product__edge_count(const om_product *p);
/* Expansions by all cursors so far, repeated ones included; any thread. */
uint64_t om_product__expansion_count(const om_product *p);
/* Bytes held for the product's states, and the figures of its store. */
uint64_t om_product__bytes(const om_product *p);
om_store_figures om_product__figures(const om_product *p);
/* Gives the levels of the breadth-first search that runs on the product, or ran last; any thread.
 * The result describes one moment or two successive ones. */
void om_product__levels(const om_product *p, om_levels *out);
/* Edges explored by this cursor so far, before exact duplicates were merged. */
uint64_t om_cursor__edge_count(const om_cursor *c);
/* Says whether expansions from now on are the ones that count (they are, at first): a search that
 * expands a state twice counts its edges, a deadlock and overflows once. */
void om_cursor__count_edges(om_cursor *c, bool yes);
/* Returns the number of expanded states that have no successor in the model, all expansions
 * counted. */
uint64_t om_cursor__deadlocks_met(const om_cursor *c);
/* Gives the edges before duplicates were merged, without the stuttering steps of a bare model, and
 * the number of expanded states that have no successor in the model. */
void om_cursor__counts(const om_cursor *c, uint64_t *edges, uint64_t *deadlocks);
/* Bytes that the cursor itself owns. */
uint64_t om_cursor__bytes(const om_cursor *c);

/* Counts what the worker did since the last call as the use of the code that was current then; the
 * first call of a thread begins. The worker calls it before its first state and after its last one;
 * the cursor does, too, now and then. */
void om_cursor__note_use(om_cursor *c);
/* Adds the use of all workers so far. While none works. */
void om_product__add_use(const om_product *p, om_code_use *sum);
/* Begins a level of `width` states. Only the leader of a search calls it. */
void om_product__begin_level(om_product *p, uint64_t width);
/* Begins a search. */
void om_product__begin_search(om_product *p);
/* Returns the number of overflows that the cursors have met so far; any thread. *vector (`vector`
 * may be NULL, and may be non-NULL only after the workers are done) is the source state (model
 * words) of one of the first overflows, or NULL. */
uint64_t om_product__overflows(const om_product *p, const uint32_t **vector);
/* The accounting of the memory for side arrays. */
struct om_memory *om_product__memory(om_product *p);
/* Returns true if the states are stored together with those of other products. */
bool om_product__shares(const om_product *p);
/* Returns true if the ids of the states that this worker stored first have only increased. Called
 * by the worker itself. */
bool om_product__ids_rise(const om_product *p, unsigned worker);

#endif
