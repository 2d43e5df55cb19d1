/* SPDX-License-Identifier: Apache-2.0 */
/* bfs.h: parallel breadth-first search of a product, level by level. */
#ifndef OMEN_BFS_H
#define OMEN_BFS_H

#include <omen/plugin/guide.h>
#include <omen/plugin/product.h>

typedef struct om_bfs om_bfs;

/*
 * The parameters of a search. The workers' threads call the callbacks concurrently, each with its
 * worker number; any callback may be NULL.
 */
typedef struct om_bfs_spec {
    size_t size;         /* of this struct; set by OM_BFS_SPEC */
    om_product *product; /* borrowed, like self */
    void *self;
    /* Called once for each state, initial states included, by the worker that stored it: returns
     * true if the state is the target of the search, which then stops at once. `vector` has
     * om_product_words() words and is valid during the call. */
    bool (*wanted)(void *self, unsigned worker, om_id id, const uint32_t *vector);
    /* Called once for each state, initial states included, when it is expanded, with all its
     * outgoing edges as om_cursor_successors() returns them, valid during the call; edges that
     * stored a state are fresh. If it returns false, the search stops at once and `from` is the
     * target. With this callback states are expanded one by one, which is slower than in
     * batches. */
    bool (*edges)(
        void *self, unsigned worker, om_cursor *c, om_id from, const om_step *steps, size_t count);
    /* Called once for each state after its expansion; false ends the search after this level. It
     * may use the cursor. */
    bool (*expanded)(void *self, unsigned worker, om_cursor *c, om_id id);
    unsigned workers; /* number of workers; 0: all workers of the product */
    bool paths;       /* keep the data for om_bfs_path(): less than a byte for most states */
    bool faults_end;  /* any fault of the model ends the search, not only a failed assertion */
    /* Called once for each state, initial states included, by the worker that stored it: sets *kept
     * to true if the caller expands the state itself. The state is then on no level. OM_OK or
     * OM_ENOMEM. */
    int (*keep)(void *self, unsigned worker, om_id id, const uint32_t *vector, bool *kept);
    /*
     * Called by all workers at the same time, between two levels or after the last one, if states
     * were kept since the last call: early in a small search, and then each time the search has
     * doubled in size or has expanded 65,536 states. It may use the cursor, om_bfs_add() and
     * om_bfs_tell_parent(). OM_OK; OM_ESTOP: all workers stop; otherwise the worker's failure.
     */
    int (*between)(void *self, unsigned worker, om_cursor *c);
    /*
     * The search also goes deep, in other orders, between two levels; NULL: it does not. Levels
     * stay exact: they expand each state at its distance, also those that were expanded out of
     * turn, for which expanded() is then called again. wanted() is called when a state is stored,
     * perhaps out of turn. If it returns true out of turn, the search goes on by levels alone to
     * find a nearer target (om_bfs_nearest()): for as many states as it has taken so far, and from
     * 262,144 on for an eighth of them (a million at most). Not with `edges`, `keep` or `between`.
     */
    const om_going *going;
    /* Called when a level reaches a state that was stored out of turn: returns true if the state is
     * the target of the search, which then stops at once. */
    bool (*reached)(void *self, unsigned worker, om_id id);
} om_bfs_spec;
#define OM_BFS_SPEC(PRODUCT) .size = sizeof(om_bfs_spec), .product = (PRODUCT)

/* Creates a search. OM_OK; OM_ENOMEM; OM_EINVAL for a spec of a later header. */
OM_API int om_bfs_new(om_bfs **out, const om_bfs_spec *spec);
OM_API void om_bfs_free(om_bfs *b);
/*
 * Searches level by level; the product must be empty. A state of level n has distance n from the
 * initial states. Each worker calls it once, all at the same time, with its own cursor; it returns
 * when all are done. OM_OK: complete. OM_ESTOP: stopped by a target, by the control, or by the
 * failure of another worker. Otherwise this worker's failure: OM_ENOMEM, OM_ELIMIT, OM_EMODEL (see
 * om_bfs_fault()).
 */
OM_API int om_bfs_work(om_bfs *b, unsigned worker, om_cursor *c);
/* Returns the target (found by wanted(), or the state for which edges() returned false), or
 * OM_NO_ID. Call it after om_bfs_work() has returned in worker 0. */
OM_API om_id om_bfs_hit(const om_bfs *b);
/* Likewise: returns true if no state nearer to the initial states is a target (if there is a fault
 * and no target: nor has a fault that would have ended the search). */
OM_API bool om_bfs_nearest(const om_bfs *b);
/* Likewise: returns the number of states in the levels that were expanded before the last one:
 * those nearest to the initial states (unless `between` added some). If om_bfs_nearest() is false,
 * none of them is a target, or has a fault that ends the search. */
OM_API uint64_t om_bfs_in_levels(const om_bfs *b);
/* Likewise: returns a fault of the model that was met, and its state in *at; or 0. */
OM_API om_fault om_bfs_fault(om_bfs *b, om_id *at);
/* Likewise: returns a path from an initial state to `last`, both included; the caller frees it with
 * om_free(). It is a shortest path, except after states given to om_bfs_add(). Uses any cursor of
 * the product. OM_EUNSUPPORTED if the path is unknown: `paths` was not set, the product shares its
 * states with others, or the path contains states that `between` stored without
 * om_bfs_tell_parent(). */
OM_API int om_bfs_path(om_bfs *b, om_cursor *c, om_id last, om_id **path, size_t *n);
/* For `between` only: schedules a state that its cursor has stored for expansion with the next
 * level. OM_OK or OM_ENOMEM. */
OM_API int om_bfs_add(om_bfs *b, unsigned worker, om_id id);
/* Likewise: records that a state that its cursor has stored is a successor of `parent`, for
 * om_bfs_path(). Takes 24 bytes per call. OM_OK or OM_ENOMEM. */
OM_API int om_bfs_tell_parent(om_bfs *b, unsigned worker, om_id id, om_id parent);
/* Returns the memory of the search in bytes, cursors included. Call it after om_bfs_work() has
 * returned in worker 0. */
OM_API uint64_t om_bfs_bytes(const om_bfs *b);

#endif
