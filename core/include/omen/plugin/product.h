/* SPDX-License-Identifier: Apache-2.0 */
/*
 * product.h: the product of a model and an automaton, explored through cursors.
 *
 * States are pairs (s, q): the vector of the model, followed by one word for the automaton state.
 * There is an edge (s,q) -> (s',q') with marks m if s -> s' in the model and q -l,m-> q' in the
 * automaton, where the label of s satisfies l. Without an automaton, the product is the model alone
 * (no extra word, no marks). A model state without successors either repeats for ever (`stutter`)
 * or has no outgoing edge.
 *
 * States are stored when they are first reached, and are named by dense ids 0, 1, 2 ... The workers
 * share the product; each worker has its own cursor, which one thread uses at a time.
 */
#ifndef OMEN_PRODUCT_H
#define OMEN_PRODUCT_H

#include <omen/plugin/automaton.h>
#include <omen/plugin/control.h>
#include <omen/plugin/model.h>
#include <omen/plugin/store.h>

typedef uint64_t om_id;
#define OM_NO_ID UINT64_MAX

typedef struct om_product om_product;
typedef struct om_cursor om_cursor;

/* A store of states that several products share; the planner creates it. */
typedef struct om_states om_states;

/* Variants of the product, as bits; a checker's descriptor declares the ones that it needs. */
enum {
    OM_PRODUCT_LABELS = 1u << 0, /* om_cursor_labels() may be called */
    /* Edges carry the marks of om_product_spec.fairness. Requested by the planner, never by a
     * checker. */
    OM_PRODUCT_FAIRNESS = 1u << 1,
    /* The automaton is a testing automaton (Ben Salem et al. 2011): it reads the propositions that
     * change along a step of the model, and stays in its state if none of its propositions
     * changes. */
    OM_PRODUCT_TESTING = 1u << 2,
    /* The checker evaluates fairness from the processes that move along each step
     * (fair_processes.h), not from marks alone. In a task with such fairness, steps that differ
     * only in their transition are all reported; in other tasks the product is unchanged. */
    OM_PRODUCT_FAIR_PROCESSES = 1u << 3,
    OM_PRODUCT_MOVERS = OM_PRODUCT_FAIR_PROCESSES, /* the old name */
    OM_PRODUCT_ALL =
        OM_PRODUCT_LABELS | OM_PRODUCT_FAIRNESS | OM_PRODUCT_TESTING | OM_PRODUCT_FAIR_PROCESSES
};

/*
 * Marks that edges carry in addition to those of the automaton, for fairness assumptions:
 * acceptance sets for the processes that can move, the processes that move, and the propositions
 * that hold, which an automaton cannot read from a label. They follow from the source state and its
 * successors, so no state is added. A process can move in a state (it is enabled) if one of the
 * outgoing transitions moves that process.
 *
 * All edges of a state carry able[i] for each process i that can move there, unable[i] for each
 * that cannot, and holds[k] for each AP first_ap + k that is true there; each edge also carries
 * moves[t] for its transition t. A stuttering step has no transition, and no process can move in a
 * state that stutters. Processes for which the mark word has no room have no marks: see
 * fair_processes.h.
 */
typedef struct om_fairness {
    uint32_t processes;            /* at most 64: the processes with marks of their own */
    uint32_t transitions;          /* of the model */
    const uint64_t *movers;        /* [transition]: bit i: process i moves */
    const om_marks *moves;         /* [transition] */
    const om_marks *able, *unable; /* [process] */
    uint32_t first_ap, aps; /* APs of the executor that follow those of the automaton; 64 in all */
    const om_marks *holds;  /* [AP - first_ap] */
} om_fairness;

/* The parameters of a product. Everything is borrowed for the product's life, the context too; its
 * control has the limits. */
typedef struct om_product_spec {
    const om_executor *executor;
    const om_automaton *automaton; /* NULL: the model alone */
    bool stutter;                  /* states without successors repeat for ever */
    /* States in which the model has a fault repeat for ever, too: for an automaton that waits for a
     * state, which may be one of them. Otherwise such states have no successors. */
    bool faults_repeat;
    /* AP that is true in states where the model has no successor, or OM_NONE */
    uint32_t deadlock_ap;
    unsigned workers;    /* number of cursors that will be opened, at least 1 */
    om_store_kind store; /* 0: trees */
    /* A store shared with other products. The workers of this product are first_worker,
     * first_worker + 1, ... in it; those of the other products have other numbers. NULL: the
     * product has a store of its own, of that kind. */
    om_states *states;
    unsigned first_worker;
    /* Determines the order of successors for each worker; worker 0 of seed 0 keeps the model's
     * order. */
    uint64_t seed;
    uint32_t variants;           /* OM_PRODUCT_... */
    const om_fairness *fairness; /* with OM_PRODUCT_FAIRNESS */
} om_product_spec;

/* The transition number of the stuttering step of a state without successors. */
#define OM_STUTTER (OM_NONE - 1)

/* One edge of the product, seen from its source. */
typedef struct om_step {
    om_id to;
    om_marks marks;
    uint32_t transition;      /* of the model, or OM_STUTTER */
    uint32_t automaton_state; /* of `to`; 0 without an automaton */
    bool fresh;               /* true if this call was the first to store `to` */
} om_step;

OM_API const om_product_spec *om_product_spec_of(const om_product *p);
OM_API om_context *om_product_context(const om_product *p);
/* Returns the number of words of a product vector: the executor's words, plus one if there is an
 * automaton. */
OM_API uint32_t om_product_words(const om_product *p);
/* The number of distinct states stored so far (exact after the workers have finished), and the
 * memory that they take in bytes. */
OM_API uint64_t om_product_state_count(const om_product *p);
/* Returns an exclusive upper bound of the ids stored so far (ids are dense except at the ends of
 * the workers' chunks). */
OM_API uint64_t om_product_id_bound(const om_product *p);
/* Returns true if a state with this id exists; for loops over all ids below the bound. No cursor
 * may store states at the same time: call it after a barrier or after the workers have finished. */
OM_API bool om_product_has(const om_product *p, om_id id);

/*
 * Returns the initial product states as steps with marks 0. The array belongs to the cursor and is
 * valid until its next call. OM_ENOMEM, OM_ELIMIT (the control was stopped with the reason).
 */
OM_API int om_cursor_initial(om_cursor *c, const om_step **steps, size_t *count);

/* Returns the outgoing edges of a stored state and stores their targets in one batch; errors and
 * lifetime as above. Parallel edges with different marks are all reported; exact duplicates are
 * reported once, except with fairness by the processes that move (OM_PRODUCT_FAIR_PROCESSES). A
 * state in which the model has a fault has no edges: see om_cursor_fault(). */
OM_API int om_cursor_successors(om_cursor *c, om_id from, const om_step **steps, size_t *count);

/*
 * Returns the outgoing edges of a state that is given as a vector (om_product_words() words, not
 * the cursor's own; NULL: the edges into the initial states) without storing anything: for a search
 * with its own record of visited states, for example bit-state hashing. The member `to` of a step
 * is a row number: the target is the vector at (*rows)[to * words], of om_product_words() words.
 * The order is that of the worker; exact duplicates are not removed, and no step is fresh. Rows and
 * steps belong to the cursor and are valid until its next call. After it, om_cursor_fault() reports
 * no state (OM_NO_ID): the search itself has to report the fault with its path. om_cursor_labels()
 * must not follow. OM_OK, OM_ENOMEM.
 */
OM_API int om_cursor_unstored(om_cursor *c, const uint32_t *vector, const uint32_t **rows,
    const om_step **steps, size_t *count);

/*
 * For the last expanded state (or, with label 0, the source of the initial steps): returns its
 * label, and in *targets the labels of the targets of its steps, in their order; the array belongs
 * to the cursor and is valid until its next call. source ^ target has the propositions that change
 * along a step. A label that cannot be evaluated is 0: the fault is reported when that state is
 * expanded. OM_EINVAL if the product lacks OM_PRODUCT_LABELS; OM_ENOMEM.
 */
OM_API int om_cursor_labels(om_cursor *c, om_label *source, const om_label **targets);

/* Copies the vector of a stored state into `vector` (om_product_words() words). */
OM_API void om_cursor_vector(const om_cursor *c, om_id id, uint32_t *vector);
/* Returns the automaton state of a stored state (0 without an automaton). */
OM_API uint32_t om_cursor_automaton_state(const om_cursor *c, om_id id);
/* Stores a vector, or finds the state that already has it. */
OM_API int om_cursor_intern(om_cursor *c, const uint32_t *vector, om_id *id, bool *fresh);
/* Returns the first fault of the model that this cursor has met (a failed assertion takes
 * precedence), or 0. *at (may be NULL) is the state in which it occurred; `vector` (may be NULL)
 * receives its model words. */
OM_API om_fault om_cursor_fault(const om_cursor *c, om_id *at, uint32_t *vector);
/* Returns true if a failed assertion was met in the state `id`, which was just expanded. (A failed
 * assertion is a violation and ends a search; other faults are only recorded.) */
static inline bool om_cursor_failed(const om_cursor *c, om_id id)
{
    om_id at = OM_NO_ID;
    return OM_FAULT_KIND(om_cursor_fault(c, &at, NULL)) == OM_FAULT_ASSERTION && at == id;
}

/* ---- side arrays: data per state ---- */

typedef struct om_side om_side;
/* Creates an array of zeroed elements of `size` bytes (1 to 64, a power of two), one for each id
 * ever stored. */
OM_API int om_side_new(om_side **out, om_product *p, size_t size);
/* The same with one element for each group of 2^log2_ids ids (at most 2^16) that have the same
 * quotient by that number; for less than a byte per state. om_side_at() returns the element of the
 * group, and the caller assigns its bits to the ids. OM_OK, OM_EINVAL, OM_ENOMEM. */
OM_API int om_side_new_grouped(om_side **out, om_product *p, size_t size, unsigned log2_ids);
OM_API void om_side_free(om_side *s);
/* Returns the element of an id, at an address that never changes. Any thread; NULL if memory runs
 * out. */
OM_API void *om_side_at(om_side *s, om_id id);
/* Prefetches the element of an id, if it has been allocated; call it well before om_side_at(). */
OM_API void om_side_fetch(const om_side *s, om_id id);
OM_API uint64_t om_side_bytes(const om_side *s);

/* ---- levels of a breadth-first search ---- */

/* Number of levels that a progress line shows. */
enum { OM_LEVELS_SHOWN = 4 };
typedef struct om_levels {
    uint32_t count;                   /* levels begun so far, the initial one included */
    uint64_t widths[OM_LEVELS_SHOWN]; /* sizes of the last levels, newest first; 0: no level */
} om_levels;

#endif
