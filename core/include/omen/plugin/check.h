/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h: what a checker (an emptiness check) exports, and the task it works on.
 *
 * A task is one automaton (often a part of the property's) to check against the model, with some
 * workers. The planner makes the task, calls create() once, work() once per worker, each in a
 * thread of its own, and destroy(). A checker asks for cursors, side arrays and union-finds, looks
 * at om_task_stopped() at least once per state, reports evidence, and never prints.
 *
 * What a worker returns says nothing about the language: OM_OK, it has nothing left to do;
 * OM_ESTOP, it was stopped, gave way to others, or found something; else its own failure. The
 * answer takes an act: evidence, or om_task_complete(). A task with neither is unknown, and one
 * that was stopped, or of which a worker failed, is never empty, whoever said that it was complete.
 *
 * Who may call what, and what may run beside what. create() runs alone; work() in as many threads
 * as om_task_workers() says, all of which are there before the first begins; destroy() alone, when
 * they have ended, perhaps in another thread; om_evidence.same between work() and destroy(), in
 * one.
 *
 * Legend: what is in a line touches one object, or the task.
 *  [1] om_task_*, om_control_*, om_context_*, om_note, om_fail, om_automaton_*, om_product_*,
 *      but for those below
 *  [2] a cursor, and all that goes through it: om_task_cursor, om_cursor_*, om_dfs_*; and a
 *      live stack: om_live_stack_*
 *  [3] om_side_at, om_side_fetch, om_side_bytes; om_unionfind_*, om_scc_sets_*
 *  [4] om_bfs_work, om_bfs_add, om_bfs_tell_parent, om_barrier_wait
 *  [5] om_product_has
 *  [6] om_bfs_hit, om_bfs_fault, om_bfs_path, om_bfs_bytes, om_task_bfs_fault
 *  [7] om_*_new, om_*_free, om_*_close, om_side_new_grouped
 *
 *       [1] [2] [3] [4] [5] [6] [7]
 *  [1]   -   -   -   -   -   -   X      -  from any threads at once
 *  [2]   -   c   -   c   s   c   X      X  one after the other, with what orders them: by one
 *  [3]   -   -   -   -   -   -   X         thread, or on both sides of a barrier or a join
 *  [4]   -   c   -   w   s   r   X      c  X of the same cursor; - of others
 *  [5]   -   s   -   s   -   -   X      s  X: while any worker may store a state, nobody asks
 *  [6]   -   c   -   r   -   -   X      r  X, and only when om_bfs_work() is over in worker 0
 *  [7]   X   X   X   X   X   X   X      w  each worker once a time, all of them at the same time
 *
 * Objects that are not the same, and those of different tasks, have nothing to do with each other,
 * [7] among them. What one thread wrote another sees that has it from there: by what [3] and [4]
 * gave them, or by the checker's own atomics. Elements of side arrays are the checker's to order.
 *
 * A state in which the model goes wrong (om_cursor_fault()) has no edges; the search goes on, for a
 * violation counts more, and the task reports the fault at its end. A failed assertion is a
 * violation itself and ends the search.
 */
#ifndef OMEN_CHECK_H
#define OMEN_CHECK_H

#include <omen/plugin/plugin.h>
#include <omen/plugin/product.h>
#include <omen/plugin/unionfind.h>

typedef struct om_task om_task;
typedef struct om_run om_run; /* the checker's own */
struct om_device;
struct om_bfs;

/* Strengths a checker is sound and complete for, as bits. */
enum {
    OM_FOR_TERMINAL = 1u << OM_TERMINAL,
    OM_FOR_WEAK = 1u << OM_WEAK,
    OM_FOR_STRONG = 1u << OM_STRONG,
    OM_FOR_ALL = OM_FOR_TERMINAL | OM_FOR_WEAK | OM_FOR_STRONG
};

enum {
    OM_CHECKER_PARALLEL = 1u << 0, /* work() may run in several workers; else in worker 0 alone */
    OM_CHECKER_DEVICE = 1u << 1,   /* needs a device; runs in worker 0 alone */
    OM_CHECKER_NEEDS_STUTTER =
        1u << 2, /* terminal evidence is an infinite run only if all runs are */
    /* Asks for no state but those that it was given: ids of its product may have gaps, which are
     * states of other parts that are checked beside this one. Else its product is its own. */
    OM_CHECKER_SHARES_STATES = 1u << 3,
    /* Workers do not wait for each other: work() of one may be called when others have worked for
     * long, or never; but not any more when the first has returned. */
    OM_CHECKER_LATE_WORKERS = 1u << 4,
    OM_CHECKER_ALL = OM_CHECKER_PARALLEL | OM_CHECKER_DEVICE | OM_CHECKER_NEEDS_STUTTER |
                     OM_CHECKER_SHARES_STATES | OM_CHECKER_LATE_WORKERS
};

/*
 * How a checker ranks among those that can check the same: of a part of these strengths, with so
 * many workers, the one of highest rank is the default. A checker is as good as its first rank that
 * applies; one to which none applies runs when it is named alone. Those of this project have ranks
 * from 10 to 90: a better one says more.
 */
typedef struct om_rank {
    uint32_t strengths;   /* OM_FOR_...; 0 ends the list */
    uint32_t least, most; /* workers; most 0: any number */
    uint32_t rank;        /* 1 to OM_HIGHEST_RANK */
} om_rank;
enum { OM_MOST_RANKS = 16, OM_MOST_RUN_BYTES = 1 << 20 };

typedef struct om_checker {
    om_plugin head;
    uint32_t strengths;  /* OM_FOR_... */
    uint32_t acceptance; /* OM_ACCEPT_... that it takes */
    uint32_t flags;      /* OM_CHECKER_... */
    /* Of the checker's own struct om_run, if it has one: so many bytes (1 MiB at most), zeroed, are
     * the task's to make and to free. create() fills them in, and destroy(), which is called in any
     * case, gives back what it finds there: where create() failed, what that got so far. */
    size_t run_size;
    int (*create)(om_run *run, om_task *task, const int64_t *options);
    int (*work)(om_run *run, unsigned worker);
    void (*destroy)(om_run *run);
    const om_rank *ranks;  /* at most OM_MOST_RANKS, or NULL: never a default */
    uint32_t most_workers; /* that it can use (PARALLEL); 0: any number */
    uint32_t product;      /* variants of the product that it needs: OM_PRODUCT_... */
    /* Of a checker with OM_PRODUCT_TESTING: do these options (in the order of its table) want the
     * testing automaton with the artificial livelock state, for one pass? NULL: none do. */
    bool (*single_pass)(const int64_t *options);
} om_checker;

/* ---- what a checker may ask of its task (any thread) ---- */

/* Borrowed, for the task's life. */
OM_API om_context *om_task_context(const om_task *t);
OM_API const om_heap *om_task_heap(const om_task *t);
/* What the product is made of: the automaton, and what becomes of runs that end. */
OM_API const om_product_spec *om_task_product_spec(const om_task *t);
OM_API const om_automaton *om_task_automaton(const om_task *t);
/* The product. A checker on a device stores its states there: for such a one it is NULL until a
 * first cursor is asked for, which the states of its evidence are stored with. */
OM_API om_product *om_task_product(om_task *t);
/* Of the run: as many as work() is called for. */
OM_API unsigned om_task_workers(const om_task *t);
OM_API uint64_t om_task_seed(const om_task *t);
OM_API om_strength om_task_strength(const om_task *t);
/* The cursor of a worker: opened at the first call, closed with the task. OM_OK, OM_ENOMEM,
 * OM_ELIMIT; OM_EINVAL: there is no such worker. */
OM_API int om_task_cursor(om_task *t, unsigned worker, om_cursor **out);
/* All marks of the generalized Buchi condition: a component that has them all accepts. */
OM_API om_marks om_task_all_marks(const om_task *t);
/* Is this automaton state in an accepting SCC of at most the given strength? (WEAK: terminal or
 * weak.) None is where fairness goes by who moves (movers.h), which the automaton does not know. */
OM_API bool om_task_accepting(const om_task *t, uint32_t automaton_state, om_strength strength);
/* Are two automaton states in one component of the automaton? */
OM_API bool om_task_same_component(const om_task *t, uint32_t a, uint32_t b);
OM_API bool om_task_stopped(const om_task *t);
OM_API om_control *om_task_control(const om_task *t);
/* The device this task was given, or NULL; the model and APs for its kernels. */
OM_API struct om_device *om_task_device(const om_task *t);
/* How many of a device's states the CPU shall expand again before nothing is taken to be there
 * (as om_engine_verify() takes it); and that it did. */
OM_API uint64_t om_task_verify(const om_task *t);
OM_API void om_task_verified(om_task *t, uint64_t states);
OM_API om_model *om_task_model(const om_task *t, const om_expr **aps, uint32_t *ap_count);

/*
 * The whole product has been searched (what has no accepting cycle behind it may be left out), and
 * there is no accepting run: by the workers together, if it took several. The worker that knows it
 * says so, once; the others are told to stop. Ignored where the task was stopped before.
 */
OM_API void om_task_complete(om_task *t);

/*
 * As om_task_complete(), by a search that may take a state for one that it has met, and leave out
 * what is behind it (bit-state hashing): nothing was found, which proves nothing. The verdict is
 * unknown, for OM_STOP_BITSTATE. `coverage`: the least probability, as estimated, that a new state
 * was seen to be one.
 */
OM_API void om_task_covered(om_task *t, double coverage);

/*
 * Evidence of a violation, which the lasso is made from: a path of stored states and what is known
 * of the accepting cycle behind it. What is not known is searched for when all workers have ended.
 */
typedef struct om_evidence {
    size_t size; /* of this struct: what a later one has is unknown to an older checker */
    /*
     * States of the product, each a successor of the one before, from an initial one on; or the
     * last one alone (its way is searched for then). Where `same` is given there may be gaps, of
     * which both ends are in one component.
     */
    const om_id *path;
    size_t length;
    /* path[entry] and all behind it are in one component, which accepts; length: that is not known,
     * but the last state can reach one that does. */
    size_t entry;
    /* The cycle must see all of `see` and nothing of `avoid`, which must be enough for the
     * automaton's acceptance. (Where fairness goes by who moves (movers.h) it is made fair beside
     * that: `same` and `entry` are needed then, and all that are the same together must be fair.)
     * Both 0: all sets of a generalized Buchi automaton, or, where the automaton's part is in a
     * component that is weak or terminal, any cycle there. */
    om_marks see, avoid;
    /* Are two stored states in one component, as far as is known? (No false yes.) In that of
     * `entry` as far as it is known there is an accepting cycle. Called with the second one on the
     * path, by one thread at a time, after all workers have ended and before destroy(). NULL: not
     * known. */
    bool (*same)(void *self, om_id a, om_id b);
    void *self;
    bool shortest; /* there is no shorter way to its last state */
} om_evidence;

/* A path and nothing else. */
#define OM_EVIDENCE(PATH, LENGTH)                                                          \
    {                                                                                      \
        .size = sizeof(om_evidence), .path = (PATH), .length = (LENGTH), .entry = (LENGTH) \
    }

/* The path is copied; the first evidence counts; all workers are told to stop. OM_ESTOP; OM_EINVAL
 * where the marks do not prove anything; OM_ENOMEM. */
OM_API int om_task_evidence(om_task *t, const om_evidence *e);
/* OM_EVIDENCE(path, n). */
OM_API int om_task_found(om_task *t, unsigned worker, const om_id *path, size_t n);
/* The way to a state in which the model goes wrong, for who knows it; the path (n of them) is
 * copied, and the first one counts. From a state of the path to the next there is an edge or, as on
 * a stack that others' states came onto, at least a way. `shortest`: no path there is shorter.
 * OM_OK: go on. OM_ESTOP: it was a failed assertion. */
OM_API int om_task_fault(om_task *t, om_fault fault, const om_id *path, size_t n, bool shortest);

/* When om_bfs_work() has returned in worker 0: the fault of the model that was met, if any, and the
 * shortest way there, where the search knows it. As om_task_fault(), or why there is no way. */
OM_API int om_task_bfs_fault(om_task *t, struct om_bfs *b, om_cursor *c);

/* Figures for the report. Counts of the product's store and the cursors are added by the task. */
OM_API void om_task_add_counts(om_task *t, uint64_t states, uint64_t transitions, uint64_t bytes);
OM_API void om_task_add_sccs(om_task *t, uint64_t sccs);
/* Overflows that a search of its own met, and a state (model words) that one of the first leaves;
 * those of cursors are added by the task. OM_OK or OM_ENOMEM. */
OM_API int om_task_add_overflows(om_task *t, uint64_t overflows, const uint32_t *vector);

/*
 * What checkers count, all in one table, so that they can be compared. A checker adds what it
 * counts when a worker ends (any thread, at any time, but never state by state); what does not
 * apply to it stays 0. The cursors count OM_COUNT_EXPANSIONS, and om_dfs its part of
 * OM_COUNT_PEAK_STACK.
 */
typedef enum om_counter {
    OM_COUNT_EXPANSIONS, /* states whose successors were computed, each time */
    OM_COUNT_RED,        /* states that a second search entered, each time */
    OM_COUNT_UNIONS,     /* calls that unite two sets */
    OM_COUNT_FINDS,      /* calls that look for the representative of a set */
    OM_COUNT_RETRIES,    /* steps done again because of another worker */
    OM_COUNT_BLOCKED_NS, /* time that workers waited for each other */
    OM_COUNT_PEAK_STACK, /* entries of search stacks, of each worker when they were most */
    OM_COUNTERS
} om_counter;
OM_API void om_task_count(om_task *t, om_counter what, uint64_t n);

/* Figures so far, for a progress line. */
OM_API void om_task_progress(om_task *t, uint64_t *states, uint64_t *transitions);

#endif
