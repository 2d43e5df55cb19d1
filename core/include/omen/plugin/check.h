/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h: the descriptor of a checker (an emptiness check), and the task that it works on.
 *
 * A task is the check of one automaton (often a part of the property's) against the model, with a
 * number of workers. The planner creates the task and calls create() once, work() once per worker,
 * each in a thread of its own, and destroy(). A checker requests cursors, side arrays and
 * union-finds, polls om_task_stopped() at least once per state, reports evidence, and never prints.
 *
 * The status of a worker says nothing about the language: OM_OK, it has nothing left to do;
 * OM_ESTOP, it was stopped, gave up in favour of others, or found a violation; otherwise its own
 * failure. A checker has to state its answer: evidence, or om_task_complete(). A task with neither
 * is unknown. A task that was stopped, or a worker of which failed, is never empty, even if
 * om_task_complete() was called.
 *
 * Threads. create() runs alone. work() runs in as many threads as om_task_workers() returns; all of
 * them exist before the first one begins. destroy() runs alone after they have ended, perhaps in
 * another thread. om_evidence.same is called between work() and destroy(), by one thread.
 *
 * The functions of a row below operate on one object, or on the task:
 *  [1] om_task_*, om_control_*, om_context_*, om_note, om_fail, om_automaton_*, om_product_*,
 *      except those below
 *  [2] a cursor and everything that uses it: om_task_cursor, om_cursor_*, om_dfs_*; and a
 *      live stack: om_live_stack_*
 *  [3] om_side_at, om_side_fetch, om_side_bytes; om_unionfind_*, om_scc_sets_*
 *  [4] om_bfs_work, om_bfs_add, om_bfs_tell_parent, om_barrier_wait
 *  [5] om_product_has
 *  [6] om_bfs_hit, om_bfs_nearest, om_bfs_in_levels, om_bfs_fault, om_bfs_path, om_bfs_bytes,
 *      om_task_bfs_fault
 *  [7] om_*_new, om_*_free, om_*_close, om_side_new_grouped
 *
 * The table says which calls may run at the same time:
 *
 *       [1] [2] [3] [4] [5] [6] [7]
 *  [1]   -   -   -   -   -   -   X      -  concurrently, from any threads
 *  [2]   -   c   -   c   s   c   X      X  never concurrently, and ordered: by one thread, or
 *  [3]   -   -   -   -   -   -   X         before and after a barrier or a join
 *  [4]   -   c   -   w   s   r   X      c  X for the same cursor; - for different cursors
 *  [5]   -   s   -   s   -   -   X      s  X: not while any worker may store a state
 *  [6]   -   c   -   r   -   -   X      r  X, and only after om_bfs_work() has returned in worker 0
 *  [7]   X   X   X   X   X   X   X      w  one call per worker at a time, all workers concurrently
 *
 * Calls on different objects, and on objects of different tasks, are independent, those of [7]
 * included. A thread sees what another thread wrote if it received the object or value from that
 * thread through [3] or [4], or through the checker's own atomics. The checker itself has to order
 * accesses to the elements of side arrays.
 *
 * A state in which the model has a fault (om_cursor_fault()) has no edges. The search continues,
 * because a violation takes precedence, and the task reports the fault at its end. A failed
 * assertion is itself a violation and ends the search.
 */
#ifndef OMEN_CHECK_H
#define OMEN_CHECK_H

#include <omen/plugin/plugin.h>
#include <omen/plugin/product.h>
#include <omen/plugin/unionfind.h>

typedef struct om_task om_task;
typedef struct om_run om_run; /* defined by the checker */
struct om_device;
struct om_bfs;
struct om_going;

/* Strengths for which a checker is sound and complete, as bits. */
enum {
    OM_FOR_TERMINAL = 1u << OM_TERMINAL,
    OM_FOR_WEAK = 1u << OM_WEAK,
    OM_FOR_STRONG = 1u << OM_STRONG,
    OM_FOR_ALL = OM_FOR_TERMINAL | OM_FOR_WEAK | OM_FOR_STRONG
};

enum {
    OM_CHECKER_PARALLEL = 1u << 0, /* work() may run in several workers; else in worker 0 only */
    OM_CHECKER_DEVICE = 1u << 1,   /* needs a device; runs in worker 0 only */
    /* Terminal evidence is an infinite run only if all runs are infinite. */
    OM_CHECKER_NEEDS_STUTTER = 1u << 2,
    /* The checker passes only ids that it has received: the ids of its product may have gaps, which
     * are states of other parts that are checked at the same time. Without this flag, its product
     * does not share its states. */
    OM_CHECKER_SHARES_STATES = 1u << 3,
    /* Workers do not wait for each other: work() of a worker may be called long after that of
     * others, or never; but not after work() of any worker has returned. */
    OM_CHECKER_LATE_WORKERS = 1u << 4,
    /* The checker passes om_task_going() on to its search. */
    OM_CHECKER_GOES_DEEP = 1u << 5,
    OM_CHECKER_ALL = OM_CHECKER_PARALLEL | OM_CHECKER_DEVICE | OM_CHECKER_NEEDS_STUTTER |
                     OM_CHECKER_SHARES_STATES | OM_CHECKER_LATE_WORKERS | OM_CHECKER_GOES_DEEP
};

/*
 * The rank of a checker among those that can check the same part: for a part of these strengths and
 * this number of workers, the checker of highest rank is the default. The first entry that applies
 * gives the rank; a checker without one runs only if it is named. The checkers of this project have
 * ranks from 10 to 90; a better one declares a higher rank.
 */
typedef struct om_rank {
    uint32_t strengths;   /* OM_FOR_...; 0 ends the list */
    uint32_t least, most; /* range of the number of workers; most 0: unlimited */
    uint32_t rank;        /* 1 to OM_HIGHEST_RANK */
} om_rank;
enum { OM_MOST_RANKS = 16, OM_MOST_RUN_BYTES = 1 << 20 };

typedef struct om_checker {
    om_plugin head;
    uint32_t strengths;  /* OM_FOR_... */
    uint32_t acceptance; /* supported acceptance: OM_ACCEPT_... */
    uint32_t flags;      /* OM_CHECKER_... */
    /* Size of the checker's struct om_run, at most 1 MiB; may be 0. The task allocates it, zeroed,
     * and frees it. create() initialises it. destroy() is called in any case and releases what it
     * contains; if create() failed, what create() had acquired by then. */
    size_t run_size;
    int (*create)(om_run *run, om_task *task, const int64_t *options);
    int (*work)(om_run *run, unsigned worker);
    void (*destroy)(om_run *run);
    const om_rank *ranks;  /* at most OM_MOST_RANKS, or NULL: never a default */
    uint32_t most_workers; /* that it can use (with PARALLEL); 0: any number */
    uint32_t product;      /* required variants of the product: OM_PRODUCT_... */
    /* For a checker with OM_PRODUCT_TESTING: returns true if these options (in the order of its
     * table) require the testing automaton with the artificial livelock state, for a single pass.
     * NULL: no options do. */
    bool (*single_pass)(const int64_t *options);
} om_checker;

/* ---- services of the task (any thread) ---- */

/* Return the context and the heap of the task, borrowed for the task's life. */
OM_API om_context *om_task_context(const om_task *t);
OM_API const om_heap *om_task_heap(const om_task *t);
/* Returns the parameters of the product: the automaton, and the treatment of runs that end. */
OM_API const om_product_spec *om_task_product_spec(const om_task *t);
OM_API const om_automaton *om_task_automaton(const om_task *t);
/* Returns the product. For a checker on a device, which stores its states there, it is NULL until
 * the first cursor is requested; then it stores the states of the evidence. */
OM_API om_product *om_task_product(om_task *t);
/* Returns the number of workers of the run: the number of calls of work(). */
OM_API unsigned om_task_workers(const om_task *t);
OM_API uint64_t om_task_seed(const om_task *t);
OM_API om_strength om_task_strength(const om_task *t);
/* Returns the cursor of a worker, which is opened at the first call and closed with the task.
 * OM_OK, OM_ENOMEM, OM_ELIMIT; OM_EINVAL: there is no such worker. */
OM_API int om_task_cursor(om_task *t, unsigned worker, om_cursor **out);
/* Returns all marks of the generalized Buchi condition: a component that has all of them
 * accepts. */
OM_API om_marks om_task_all_marks(const om_task *t);
/* Returns true if the automaton state is in an accepting SCC of at most the given strength (WEAK:
 * terminal or weak). Always false with fairness by the processes that move (fair_processes.h),
 * which the automaton does not include. */
OM_API bool om_task_accepting(const om_task *t, uint32_t automaton_state, om_strength strength);
/* Returns true if two automaton states are in the same SCC of the automaton. */
OM_API bool om_task_same_component(const om_task *t, uint32_t a, uint32_t b);
/* Returns true if the worker has to end. If several tasks take turns at running, this call may wait
 * for the task's turn: the caller must hold no lock but those of its own run. */
OM_API bool om_task_stopped(const om_task *t);
OM_API om_control *om_task_control(const om_task *t);
/* Returns how a search for a state in a terminal component may go deep, for om_bfs_spec.going;
 * borrowed. NULL: it may not. */
OM_API const struct om_going *om_task_going(const om_task *t);
/* The device of this task, or NULL; the model and the APs for its kernels. */
OM_API struct om_device *om_task_device(const om_task *t);
/* om_task_verify() returns the number of a device's states that the CPU has to expand again before
 * the answer "no violation" is trusted (the argument of om_engine_verify()). om_task_verified()
 * records the number of states verified. */
OM_API uint64_t om_task_verify(const om_task *t);
OM_API void om_task_verified(om_task *t, uint64_t states);
OM_API om_model *om_task_model(const om_task *t, const om_expr **aps, uint32_t *ap_count);

/*
 * States that the whole product has been searched (states that cannot reach an accepting cycle may
 * be left out) and that there is no accepting run; if there are several workers, all of them
 * together have searched it. The worker that detects this calls it once; the others are told to
 * stop. Ignored if the task was stopped before.
 */
OM_API void om_task_complete(om_task *t);

/*
 * Like om_task_complete(), for a search that may mistake a new state for a visited one and then
 * omits its successors (bit-state hashing): nothing was found, which proves nothing. The verdict is
 * unknown, with reason OM_STOP_BITSTATE. `coverage` is the estimated lower bound of the probability
 * that a new state was recognised as new.
 */
OM_API void om_task_covered(om_task *t, double coverage);

/*
 * Evidence of a violation, from which the lasso is built: a path of stored states, and the known
 * facts about the accepting cycle after it. Missing parts are searched for after all workers have
 * ended.
 */
typedef struct om_evidence {
    size_t size; /* of this struct; an older checker does not know members added later */
    /*
     * States of the product, each a successor of the one before, beginning with an initial state;
     * or only the last state (a path to it is then searched for). If `same` is set, the path may
     * have gaps whose two ends are in one component.
     */
    const om_id *path;
    size_t length;
    /* path[entry] and all later states are in one accepting component; entry == length: no such
     * component is known, but the last state can reach one. */
    size_t entry;
    /* The cycle must have all marks of `see` and none of `avoid`, which must suffice for the
     * automaton's acceptance. (With fairness by the processes that move (fair_processes.h) the
     * cycle must also be fair: then `same` and `entry` are required, and each set of states for
     * which `same` returns true must be fair.) Both 0: all sets of a generalized Buchi automaton,
     * or, if the automaton state is in a terminal or weak component, any cycle there. */
    om_marks see, avoid;
    /* Returns true if two stored states are known to be in one component (never wrongly true). The
     * component of `entry`, as far as it is known, contains an accepting cycle. `b` is a state of
     * the path. Called by one thread at a time, after all workers have ended and before destroy().
     * NULL: unknown. */
    bool (*same)(void *self, om_id a, om_id b);
    void *self;
    bool shortest; /* no shorter path to its last state exists */
    /* At least so many states, those nearest to the initial ones, are not such a last state: the
     * checker has looked at each. 0: unknown. */
    uint64_t ruled_out;
} om_evidence;

/* Evidence that consists of a path only. */
#define OM_EVIDENCE(PATH, LENGTH)                                                          \
    {                                                                                      \
        .size = sizeof(om_evidence), .path = (PATH), .length = (LENGTH), .entry = (LENGTH) \
    }

/* Reports evidence. The path is copied; the first evidence counts; all workers are told to stop.
 * OM_ESTOP; OM_EINVAL if the marks prove nothing; OM_ENOMEM. */
OM_API int om_task_evidence(om_task *t, const om_evidence *e);
/* Reports OM_EVIDENCE(path, n). */
OM_API int om_task_found(om_task *t, unsigned worker, const om_id *path, size_t n);
/* Reports the path to a state in which the model has a fault, for a search that knows the path. The
 * path (n states) is copied, and the first one counts. Each state of the path is a successor of the
 * one before or, on a stack onto which states of other workers are pushed, at least reachable from
 * it. `shortest`: no shorter path exists. OM_OK: continue. OM_ESTOP: it was a failed assertion. */
OM_API int om_task_fault(om_task *t, om_fault fault, const om_id *path, size_t n, bool shortest);

/* After om_bfs_work() has returned in worker 0: reports the fault of the model that was met, if
 * any, with a shortest path if the search recorded it. Returns the status of om_task_fault(), or an
 * error of om_bfs_path() other than OM_EUNSUPPORTED. */
OM_API int om_task_bfs_fault(om_task *t, struct om_bfs *b, om_cursor *c);

/* Figures for the report. The task itself adds the counts of the product's store and of the
 * cursors. */
OM_API void om_task_add_counts(om_task *t, uint64_t states, uint64_t transitions, uint64_t bytes);
OM_API void om_task_add_sccs(om_task *t, uint64_t sccs);
/* Adds overflows met by a search without cursors, and a state (model words) whose outgoing step has
 * one of the first; the task itself adds those of cursors. OM_OK or OM_ENOMEM. */
OM_API int om_task_add_overflows(om_task *t, uint64_t overflows, const uint32_t *vector);

/*
 * Counters of checkers, in one table so that checkers can be compared. A checker adds its counts
 * when a worker ends (any thread, at any time, but never for each state); counters that do not
 * apply stay 0. The cursors count OM_COUNT_EXPANSIONS, and om_dfs counts its part of
 * OM_COUNT_PEAK_STACK.
 */
typedef enum om_counter {
    OM_COUNT_EXPANSIONS, /* state expansions, repeated ones included */
    OM_COUNT_RED,        /* states entered by a second search, repeated ones included */
    OM_COUNT_UNIONS,     /* calls that unite two sets */
    OM_COUNT_FINDS,      /* calls that look up the representative of a set */
    OM_COUNT_RETRIES,    /* steps repeated because another worker interfered */
    OM_COUNT_BLOCKED_NS, /* time that workers waited for each other */
    OM_COUNT_PEAK_STACK, /* maximum number of search stack entries, summed over workers */
    OM_COUNTERS
} om_counter;
OM_API void om_task_count(om_task *t, om_counter what, uint64_t n);

/* Returns the figures so far, for a progress line. */
OM_API void om_task_progress(om_task *t, uint64_t *states, uint64_t *transitions);

#endif
