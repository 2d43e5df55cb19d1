/* SPDX-License-Identifier: Apache-2.0 */
/*
 * product.h: the product of a model and an automaton, explored through cursors.
 *
 * States are pairs (s, q): the model's vector with the automaton state as one more word behind it.
 * There is an edge (s,q) -> (s',q') with marks m when s -> s' in the model and q -l,m-> q' in the
 * automaton with l satisfied by the label of s. Without an automaton, it is the model alone (no
 * extra word, no marks). A state of the model without successors either repeats for ever
 * (`stutter`) or has none.
 *
 * States are stored as they are met and named by dense ids 0, 1, 2 ... The product is shared; each
 * worker has a cursor of its own and uses it from one thread at a time.
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

/* Where several products keep their states together: the planner's. */
typedef struct om_states om_states;

/* Variants, as bits, of which a checker's descriptor says which ones it needs. */
enum {
    OM_PRODUCT_LABELS = 1u << 0,   /* om_cursor_labels() may be called */
    OM_PRODUCT_FAIRNESS = 1u << 1, /* marks of om_product_spec.fairness: the check's to ask for */
    /* The automaton is a testing automaton (Ben Salem et al. 2011): it reads what changes along a
     * step of the model, and where none of its propositions does it stays where it is. */
    OM_PRODUCT_TESTING = 1u << 2,
    /* The checker knows fairness by who moves (movers.h), and not by marks alone. Where there is
     * such fairness each step of the model appears, those that differ in nothing but their
     * transition, too; elsewhere the product is what it is. */
    OM_PRODUCT_MOVERS = 1u << 3,
    OM_PRODUCT_ALL =
        OM_PRODUCT_LABELS | OM_PRODUCT_FAIRNESS | OM_PRODUCT_TESTING | OM_PRODUCT_MOVERS
};

/*
 * Marks that edges have beside those of the automaton, for assumptions of fairness: acceptance sets
 * of who can move, who moves, and what holds, which no automaton could read in a label. They follow
 * from the source and its successors, so no state is added. A process can move in a state (it is
 * enabled) where one of the transitions that leave it moves that process.
 *
 * The edges of a state have the marks of all of these: able[i] for each process i that can move
 * there, unable[i] for each that cannot, holds[k] for each AP first_ap + k that is true there; and
 * an edge those of its transition, moves[t]. A stuttering step has no transition, and in a state
 * that stutters nobody can move. Processes that are more than the mark word has room for have none:
 * movers.h.
 */
typedef struct om_fairness {
    uint32_t processes;            /* at most 64: those with marks of their own */
    uint32_t transitions;          /* of the model */
    const uint64_t *movers;        /* [transition]: bit i: process i moves */
    const om_marks *moves;         /* [transition] */
    const om_marks *able, *unable; /* [process] */
    uint32_t first_ap, aps; /* APs of the executor behind those of the automaton; 64 in all */
    const om_marks *holds;  /* [AP - first_ap] */
} om_fairness;

/* Everything is borrowed for the product's life, as the context is, whose control has the limits.
 */
typedef struct om_product_spec {
    const om_executor *executor;
    const om_automaton *automaton; /* NULL: the model alone */
    bool stutter;                  /* states without successors repeat for ever */
    /* So do states in which the model goes wrong: for an automaton that waits for a state, which
     * may be one of them. Else nothing comes behind them. */
    bool faults_repeat;
    uint32_t deadlock_ap; /* AP that is true where the model has no successor, or OM_NONE */
    unsigned workers;     /* cursors that will be opened, at least 1 */
    om_store_kind store;  /* 0: trees */
    /* Shared with other products, whose workers are others there: this one's are first_worker,
     * first_worker + 1, ... NULL: the product's own, of that kind. */
    om_states *states;
    unsigned first_worker;
    uint64_t seed;               /* order of successors per worker; worker 0 of seed 0 keeps it */
    uint32_t variants;           /* OM_PRODUCT_... */
    const om_fairness *fairness; /* of OM_PRODUCT_FAIRNESS */
} om_product_spec;

/* The stuttering step of a state without successors, as a transition number. */
#define OM_STUTTER (OM_NONE - 1)

/* One edge of the product, seen from its source. */
typedef struct om_step {
    om_id to;
    om_marks marks;
    uint32_t transition;      /* of the model, or OM_STUTTER */
    uint32_t automaton_state; /* of `to`; 0 without an automaton */
    bool fresh;               /* this call stored `to` first */
} om_step;

OM_API const om_product_spec *om_product_spec_of(const om_product *p);
OM_API om_context *om_product_context(const om_product *p);
/* Words of a product vector: the executor's, and one more where there is an automaton. */
OM_API uint32_t om_product_words(const om_product *p);
/* Distinct states stored so far (exact once the workers are done), and bytes held for them. */
OM_API uint64_t om_product_state_count(const om_product *p);
/* A bound that every id stored so far is below (ids are dense but for the ends of workers' chunks).
 */
OM_API uint64_t om_product_id_bound(const om_product *p);
/* Is there a state of this id? For who goes through all ids below the bound. While no cursor stores
 * anything: behind a barrier, or when the workers are done. */
OM_API bool om_product_has(const om_product *p, om_id id);

/*
 * The initial product states (marks 0). The array is the cursor's, valid until its next call.
 * OM_ENOMEM, OM_ELIMIT (the control was stopped with the reason).
 */
OM_API int om_cursor_initial(om_cursor *c, const om_step **steps, size_t *count);

/* The edges that leave a stored state, all of them interned in one batch; errors and lifetime as
 * above. Parallel edges to the same state with different marks all appear; exact duplicates once,
 * but where fairness goes by who moves (OM_PRODUCT_MOVERS). A state in which the model goes wrong
 * has none: see om_cursor_fault(). */
OM_API int om_cursor_successors(om_cursor *c, om_id from, const om_step **steps, size_t *count);

/*
 * The edges that leave a state which is given as a vector (om_product_words() words, not the
 * cursor's own; NULL: the ways into the initial states), without storing anything: for a search
 * that keeps what it knows of states by itself, as one with bit-state hashing does. Of a step `to`
 * is the number of a row: the target is (*rows)[to * words], for so many words. The worker's order;
 * exact duplicates are not looked for, and no step is fresh. Rows and steps are the cursor's until
 * its next call. om_cursor_fault() names no state then (OM_NO_ID): the search reports its fault
 * with the way there, or nobody will. Not for om_cursor_labels(). OM_OK, OM_ENOMEM.
 */
OM_API int om_cursor_unstored(om_cursor *c, const uint32_t *vector, const uint32_t **rows,
    const om_step **steps, size_t *count);

/*
 * Of the state that was expanded last (or, with label 0, the way into the initial ones): its label,
 * and in *targets that of each state that its steps lead to, in their order; the cursor's, until
 * its next call. What changes along a step is the difference, source ^ target. A label that cannot
 * be evaluated is 0: the fault is met when that state is expanded. OM_EINVAL where the product is
 * not one with OM_PRODUCT_LABELS; OM_ENOMEM.
 */
OM_API int om_cursor_labels(om_cursor *c, om_label *source, const om_label **targets);

/* Copies the vector of a stored state into `vector` (om_product_words() words). */
OM_API void om_cursor_vector(const om_cursor *c, om_id id, uint32_t *vector);
/* The automaton's part of a stored state (0 without an automaton). */
OM_API uint32_t om_cursor_automaton_state(const om_cursor *c, om_id id);
/* Stores a vector, or finds it. */
OM_API int om_cursor_intern(om_cursor *c, const uint32_t *vector, om_id *id, bool *fresh);
/* The first fault of the model that this cursor has met (a failed assertion before others), or 0;
 * `at` (or NULL) is the state where it did, `vector` (or NULL) its model words. */
OM_API om_fault om_cursor_fault(const om_cursor *c, om_id *at, uint32_t *vector);
/* Likewise, for a state that was just expanded: did the model go wrong in it, and for good? (A
 * failed assertion ends a search: it is a violation. Other faults are only noted.) */
static inline bool om_cursor_failed(const om_cursor *c, om_id id)
{
    om_id at = OM_NO_ID;
    return OM_FAULT_KIND(om_cursor_fault(c, &at, NULL)) == OM_FAULT_ASSERTION && at == id;
}

/* ---- side arrays: something per state ---- */

typedef struct om_side om_side;
/* Zero-filled elements of `size` bytes (1 to 64, a power of two), one for each id ever stored. */
OM_API int om_side_new(om_side **out, om_product *p, size_t size);
/* The same with one element for every 2^log2_ids ids (2^16 at most): those whose quotient by that
 * is the same. For less than a byte a state: om_side_at() gives the element of all of them, and
 * which bits are whose is the caller's. OM_OK, OM_EINVAL, OM_ENOMEM. */
OM_API int om_side_new_grouped(om_side **out, om_product *p, size_t size, unsigned log2_ids);
OM_API void om_side_free(om_side *s);
/* The element of an id; stays where it is. Any thread; NULL when memory is out. */
OM_API void *om_side_at(om_side *s, om_id id);
/* Has the memory of an element fetched, where there is some; call it well before om_side_at(). */
OM_API void om_side_fetch(const om_side *s, om_id id);
OM_API uint64_t om_side_bytes(const om_side *s);

/* ---- levels of a breadth-first search ---- */

/* The last levels of a search, for a progress line. */
enum { OM_LEVELS_SHOWN = 4 };
typedef struct om_levels {
    uint32_t count;                   /* begun so far, the initial one included */
    uint64_t widths[OM_LEVELS_SHOWN]; /* states of the last ones, the newest first; 0: no level */
} om_levels;

#endif
