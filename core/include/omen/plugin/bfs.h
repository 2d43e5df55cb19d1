/* SPDX-License-Identifier: Apache-2.0 */
/* bfs.h: breadth-first search of a product by all its workers, level by level. */
#ifndef OMEN_BFS_H
#define OMEN_BFS_H

#include <omen/plugin/product.h>

typedef struct om_bfs om_bfs;

/*
 * Callbacks come from the workers' threads, several at once, each with its worker's number; any may
 * be NULL.
 */
typedef struct om_bfs_spec {
    size_t size;         /* of this struct: OM_BFS_SPEC sets it */
    om_product *product; /* borrowed, as self */
    void *self;
    /* Once for each state, initial ones too, by who stored it: is it what is looked for? Then all
     * stop at once. `vector` has om_product_words() words, for the call alone. */
    bool (*wanted)(void *self, unsigned worker, om_id id, const uint32_t *vector);
    /* Once for each state, when it is expanded, initial ones too: all edges that leave it, as
     * om_cursor_successors() gives them, for the call alone; those that stored a state first are
     * fresh. False: all stop at once, and this is the state that was looked for. Each state is
     * then expanded by itself, which takes longer than many together. */
    bool (*edges)(
        void *self, unsigned worker, om_cursor *c, om_id from, const om_step *steps, size_t count);
    /* Once for each state, after it was expanded; false ends the search with this level. It may
     * use the cursor. */
    bool (*expanded)(void *self, unsigned worker, om_cursor *c, om_id id);
    unsigned workers; /* that will work on it; 0: all of the product's */
    bool paths;       /* remember what om_bfs_path() needs: less than a byte for most states */
    bool faults_end;  /* any fault of the model ends the search, not only a failed assertion */
    /* Once for each state, initial ones too, by who stored it: does the caller expand it himself
     * (*kept)? Then it is on no level. OM_OK or OM_ENOMEM. */
    int (*keep)(void *self, unsigned worker, om_id id, const uint32_t *vector, bool *kept);
    /*
     * Called by all workers at the same time, between two levels or behind the last one, while
     * there are states kept since the last time: soon where the search is small, and each time that
     * it has become twice as large or has expanded 65,536 states. It may use the cursor,
     * om_bfs_add() and om_bfs_tell_parent(). OM_OK; OM_ESTOP: everybody stops; else the worker's
     * failure.
     */
    int (*between)(void *self, unsigned worker, om_cursor *c);
} om_bfs_spec;
#define OM_BFS_SPEC(PRODUCT) .size = sizeof(om_bfs_spec), .product = (PRODUCT)

/* OM_OK; OM_ENOMEM; OM_EINVAL for a spec of a later header. */
OM_API int om_bfs_new(om_bfs **out, const om_bfs_spec *spec);
OM_API void om_bfs_free(om_bfs *b);
/*
 * Searches level by level, from an empty product: a state of level n is n steps from an initial
 * one and no nearer. To be called once by each worker at the same time, with its own
 * cursor; returns when all are done. OM_OK: complete. OM_ESTOP: stopped by a hit, by the control,
 * or by the failure of another worker. Else this worker's failure: OM_ENOMEM, OM_ELIMIT, OM_EMODEL
 * (see om_bfs_fault()).
 */
OM_API int om_bfs_work(om_bfs *b, unsigned worker, om_cursor *c);
/* When om_bfs_work() has returned in worker 0: the state that was wanted (or from which
 * edges() wanted no more), or OM_NO_ID. */
OM_API om_id om_bfs_hit(const om_bfs *b);
/* Likewise: a fault of the model that was met, in the state *at; or 0. */
OM_API om_fault om_bfs_fault(om_bfs *b, om_id *at);
/* Likewise: a way from an initial state to `last`, both included, the caller's to om_free(); a
 * shortest one, but behind what om_bfs_add() was given. Uses any cursor of the product.
 * OM_EUNSUPPORTED where it is not known: `paths` was not asked for, the product shares its states
 * with others, or the way leads through states that `between` stored without telling their parents.
 */
OM_API int om_bfs_path(om_bfs *b, om_cursor *c, om_id last, om_id **path, size_t *n);
/* By `between` alone: a state that its cursor has stored is expanded with the next level. OM_OK or
 * OM_ENOMEM. */
OM_API int om_bfs_add(om_bfs *b, unsigned worker, om_id id);
/* Likewise: a state that its cursor has stored is a successor of another one, so that om_bfs_path()
 * knows a way there. 24 bytes each. OM_OK or OM_ENOMEM. */
OM_API int om_bfs_tell_parent(om_bfs *b, unsigned worker, om_id id, om_id parent);
/* Bytes it took, cursors included; likewise. */
OM_API uint64_t om_bfs_bytes(const om_bfs *b);

#endif
