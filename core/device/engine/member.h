/* SPDX-License-Identifier: Apache-2.0 */
/* member.h: one device at work on an exploration; shared by exploring and trimming. */
#ifndef OM_DEVICE_MEMBER_H
#define OM_DEVICE_MEMBER_H

#include "state_table.h"

/* A large model is compiled in slices of its groups of transitions, because compile time grows
 * faster than linearly. The first of several slices has no transitions, but everything that depends
 * on the atomic propositions. */
typedef struct om_slice {
    uint32_t low, high; /* groups low <= g < high */
    om_build *build;    /* NULL if none is under way */
    om_built built;
} om_slice;

/* Rows and the states they come from, on the host. */
typedef struct om_row_list {
    uint32_t *rows, *from;
    uint32_t count, capacity;
} om_row_list;

/* The additional data of one of several members, for handing candidates to the others: see
 * exchange.c. */
typedef struct om_exchange {
    om_build *build; /* NULL if none is under way */
    om_built built;
    om_buffer own, own_from, out, out_from, counts;
    uint32_t capacity;         /* of those lists */
    uint32_t stayed;           /* candidates in `own` */
    om_row_list outbox, inbox; /* rows for other members; rows from them */
} om_exchange;

/* The figures of a member. */
typedef struct om_member_figures {
    uint64_t transitions, deadlocks, hidden, overflows, steps, queued_steps, step_launches,
        exchanged;
} om_member_figures;

/* The kernels for strong parts: see fixpoint.c. */
typedef struct om_fixpoint {
    om_build *build; /* NULL if none is under way */
    om_built built;
} om_fixpoint;

typedef struct om_member {
    om_engine *engine;
    om_context *ctx;
    const om_heap *heap;
    const om_engine_spec *spec; /* of the engine */
    om_device *device;
    uint32_t me; /* its number among the engine's members */
    uint32_t words, row, automaton_states;
    om_tuning tuning;
    om_queue queue;
    om_state_table table;
    om_exchange exchange;
    om_fixpoint fixpoint;
    om_slice *slices;
    om_buffer begin, edges, cubes; /* the automaton */
    om_buffer wanted, accepting;   /* one byte per automaton state */
    om_buffer degree;              /* per stored state: edges that lead to it, see trim.c */
    om_buffer labels, so_far;      /* of a chunk's states, passed from slice to slice */
    uint32_t slice_count;
    uint32_t degree_count; /* elements of `degree` in use */
    uint32_t chunk, largest_chunk, chunk_capacity;
    uint32_t low, end; /* in rounds: the part of the level that is left */
    uint32_t hit;      /* or OM_NO_STATE */
    uint64_t step_ns;  /* approximate duration of a step */
    uint64_t check_at; /* number of states at which the next search for a cycle is due */
    om_member_figures figures;
    uint32_t *overflow_vector;            /* the first state that an overflow leaves, or NULL */
    uint32_t *fault_vector;               /* the state of `failed` or else of `fault`, or NULL */
    uint64_t fault, failed;               /* as OM_C_FAULT and OM_C_FAILED, of all steps */
    uint32_t overflow_level, fault_level; /* levels of those states */
    uint64_t why;                         /* why it ends: OM_HIT, OM_FAULTS, OM_STATES; or
                                           * OM_RUNS */
    pthread_t thread;
    int rc;
    bool catches; /* ends at a cycle of the accepting part */
} om_member;

/* Opens a member that is zeroed but for engine, context, heap, spec, device and number. It may be
 * closed afterwards whatever this returned. */
int om_member__open(om_member *m, const om_tuning *tuning);
void om_member__close(om_member *m);
/* Resets the member to its state after opening, with its present capacity: nothing is stored, and
 * its read-only buffers are loaded again. Nothing may be queued. */
int om_member__restart(om_member *m);

/* Queues the expansion of a step's chunk. The numbers of the chunk are states, or with a list
 * places in it. Candidates are written if there is room for all of them. */
int om_member__expand(om_member *m, const om_level_step *s, const om_buffer *list);
/* Makes room for what the slices tell each other about a chunk of n states. Nothing may be
 * queued. */
int om_member__reserve_chunk(om_member *m, uint32_t n);
/* Makes room for the candidates of one chunk of n states. Returns true on success; false if the
 * chunk must be smaller or, with *rc not OM_OK, if neither is possible. Nothing may be queued. */
bool om_member__more_capacity(om_member *m, uint64_t candidates, uint32_t n, int *rc);
/* Adapts the size of chunks to the time that some steps took. */
void om_member__pace(om_member *m, uint64_t steps, bool whole, uint64_t took_ns);

/* Trials of work sizes on a device: see tune.c. */
enum { OM_VARIANTS = 4 };
typedef struct om_variant {
    uint32_t local, items;
    uint32_t queued, samples;
    double ns_each; /* per transition, the best sample */
} om_variant;
typedef struct om_tuning_trial {
    om_variant variants[OM_VARIANTS];
    uint32_t count; /* 0 if there is no trial */
    bool eager;
} om_tuning_trial;
/* Decides whether to run a trial, and begins it. */
void om_tuning_trial__begin(om_tuning_trial *t, const om_member *m);
/* Sets the sizes for a batch of steps. Returns the number to pass to om_tuning_trial__take(). */
uint32_t om_tuning_trial__pick(om_tuning_trial *t, om_queue *p);
/* Takes the result of the batch; `full` if its steps were. */
void om_tuning_trial__take(om_tuning_trial *t, om_member *m, uint32_t variant, bool full,
    uint64_t transitions, uint64_t took_ns);
void om_tuning_trial__end(om_tuning_trial *t, om_queue *p);

/* The state of an exploration's steps. */
typedef struct om_step_progress {
    uint64_t control[OM_CONTROL_WORDS]; /* as last read */
    uint64_t record[OM_R_WORDS];        /* of the next step */
} om_step_progress;

/*
 * Runs steps from p->record on until they halt for a reason that the caller handles. Then
 * p->record[OM_R_WHY] is OM_DONE, OM_HIT, OM_FAULTS or OM_STATES, and OM_OK is returned. Faults are
 * noted in the member. show() is called in between. Other results come from the control, the device
 * or the heap, with the progress so far in *p.
 */
int om_member__steps(om_member *m, const om_buffer *wanted, om_step_progress *p,
    void (*show)(void *self, const om_step_progress *p), void *self);

/* Notes faults, as the control words last read have them, while the row is present: the least state
 * of the first step that has one, but a failed assertion takes precedence; and the first state that
 * an overflow leaves. `level` is the level of the states. */
int om_member__note(om_member *m, const uint64_t *control, uint32_t level);

/* Copies the words of a state whose row is present, the model's and the automaton's; the caller
 * frees *out with om_free(). */
int om_member__vector(om_member *m, uint64_t state, uint32_t **out);

/* Expands n listed states again, chunk by chunk, finds their successors, which must all be stored,
 * and calls each() for the candidates of every chunk. */
int om_member__recheck(om_member *m, const om_buffer *list, uint32_t n,
    int (*each)(void *self, uint32_t candidates), void *self);
/* Follows `predecessor` from `start` until the walk closes a cycle; *on becomes the least state of
 * the cycle. */
int om_member__find_cycle(
    const om_member *m, const uint32_t *predecessor, uint32_t start, uint32_t *on);
/* Writes an edge of the automaton in the form that kernels/expand.cl reads. */
static inline void om_member__edge_words(uint32_t words[3], const om_edge *e)
{
    words[0] = e->dst;
    words[1] = e->cube_begin;
    words[2] = e->cube_count;
}

/* om_engine_trim() after a complete exploration; *rest is OM_NO_ID on entry. */
int om_member__trim(om_member *m, om_id *rest, uint64_t *rounds);

/* Looks for a cycle of the accepting part among the states below `expanded`; the other states have
 * no edges yet. *hit becomes a state on a cycle, and is unchanged if there is none. Nothing may be
 * queued. */
int om_member__catch(om_member *m, uint32_t expanded, uint32_t *hit);

#endif
