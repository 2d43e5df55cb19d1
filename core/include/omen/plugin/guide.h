/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guide.h: the descriptor of a guide, and the orders of a search that goes deep.
 *
 * A guide estimates how far states are from what a check looks for. Estimates need not be right:
 * they decide which states are expanded early, and nothing else. Smaller is nearer.
 *
 * create() runs alone. measure() runs in the threads of all workers at once. destroy() runs alone,
 * after the last measure().
 */
#ifndef OMEN_GUIDE_H
#define OMEN_GUIDE_H

#include <omen/plugin/plugin.h>
#include <omen/plugin/product.h>

/* Defined by the guide. */
typedef struct om_guide_run om_guide_run;

typedef struct om_goal {
    om_expr expression; /* of the model */
    bool truth;         /* the value that it is to have */
} om_goal;

/* What a check looks for. Everything is borrowed until destroy(). */
typedef struct om_guide_spec {
    size_t size; /* of this struct */
    om_context *ctx;
    const om_heap *heap;
    om_model *model; /* in the form that is searched; its vectors are the states */
    /* The forbidden runs; in rows, the automaton's word follows those of the model. Its APs are
     * `aps`, expressions of `model`, except that deadlock_ap (OM_NONE: none) holds in states
     * without successors. NULL: bare states. */
    const om_automaton *automaton;
    const om_expr *aps;
    uint32_t ap_count, deadlock_ap;
    bool deadlocks; /* states without successors are looked for, too */
    /* States in which an expression has a truth value are looked for, too: one in which an
     * assertion fails, for example. */
    const om_goal *goals;
    size_t goal_count;
    /* True in the states that properties see (om_model_set_visible()); 0: in all states. */
    om_expr visible;
} om_guide_spec;

/* The successors of one state */
typedef struct om_guided {
    const uint32_t *source; /* the vector of that state; NULL: the rows are initial states */
    const uint32_t *rows;   /* vectors, om_product_words() words apart */
    const bool *fresh; /* [row]: false: the state is known, and its estimate is not used; NULL: all
                        * estimates are used */
    size_t count;      /* number of rows */
} om_guided;

typedef struct om_guide {
    om_plugin head;
    size_t run_size; /* as om_checker.run_size */
    /* OM_OK; OM_EUNSUPPORTED, with no message: this guide cannot help; OM_ENOMEM. */
    int (*create)(om_guide_run *run, const om_guide_spec *spec, const int64_t *options);
    /* Writes an estimate for each fresh row. Never fails. */
    void (*measure)(const om_guide_run *run, const om_guided *states, uint64_t *estimates);
    void (*destroy)(om_guide_run *run);
    uint32_t rank; /* 1 to OM_HIGHEST_RANK: order of the guides that help; 0: only if named */
    /* The estimate of a state depends on the state alone: it can order the successors of a state,
     * too, for depth-first searches. */
    bool steady;
    /* An estimate takes long. Guides of this kind get a best-first search of their own, with less
     * time than each other order, and estimate only the states that it finds. */
    bool costly;
} om_guide;

/* Orders in which a search expands states, as bits */
enum {
    OM_ORDER_BREADTH = 1u << 0, /* level by level */
    OM_ORDER_DEPTH = 1u << 1,   /* the newest state first */
    OM_ORDER_BEST = 1u << 2,    /* the state of smallest estimate first, by each guide in turn */
    OM_ORDER_WALK = 1u << 3,    /* a random successor first; now and then, a random state */
    OM_ORDER_ALL = OM_ORDER_BREADTH | OM_ORDER_DEPTH | OM_ORDER_BEST | OM_ORDER_WALK
};

/* A guide with its run. Rows of its measure() may come from any thread. */
typedef struct om_guiding {
    const om_guide *guide;
    om_guide_run *run;
} om_guiding;

/* How a search looks for states that are far away. Borrowed by the search. */
typedef struct om_going {
    size_t size;     /* of this struct */
    uint32_t orders; /* OM_ORDER_...; 0, or BREADTH alone: level by level only */
    const om_guiding *guides;
    size_t guide_count;
} om_going;

#endif
