/* SPDX-License-Identifier: Apache-2.0 */
/* member.h: one device at work on an exploration: what exploring and trimming share. */
#ifndef OM_DEVICE_MEMBER_H
#define OM_DEVICE_MEMBER_H

#include "state_table.h"

/* A large model is compiled in slices, each with some of the groups of transitions: compilers take
 * more than linear time. The first one of several has no transitions, but all that depends on the
 * atomic propositions. */
typedef struct om_slice {
    uint32_t low, high; /* groups low <= g < high */
    om_build *build;    /* NULL: none is under way */
    om_built built;
} om_slice;

/* Rows and the states they come from, on the host. */
typedef struct om_row_list {
    uint32_t *rows, *from;
    uint32_t count, capacity;
} om_row_list;

/* What a member of several has besides, to hand candidates to the others: see exchange.c. */
typedef struct om_exchange {
    om_build *build; /* NULL: none is under way */
    om_built built;
    om_buffer own, own_from, out, out_from, counts;
    uint32_t capacity;         /* of those lists */
    uint32_t stayed;           /* candidates in `own` */
    om_row_list outbox, inbox; /* what leaves; what came */
} om_exchange;

/* What a member has come to. */
typedef struct om_member_figures {
    uint64_t transitions, deadlocks, hidden, overflows, steps, queued_steps, step_launches,
        exchanged;
} om_member_figures;

/* The kernels for strong parts: see fixpoint.c. */
typedef struct om_fixpoint {
    om_build *build; /* NULL: none is under way */
    om_built built;
} om_fixpoint;

typedef struct om_member {
    om_engine *engine;
    om_context *ctx;
    const om_heap *heap;
    const om_engine_spec *spec; /* the engine's */
    om_device *device;
    uint32_t me; /* its number among the engine's */
    uint32_t words, row, automaton_states;
    om_tuning tuning;
    om_queue queue;
    om_state_table table;
    om_exchange exchange;
    om_fixpoint fixpoint;
    om_slice *slices;
    om_buffer begin, edges, cubes; /* the automaton */
    om_buffer wanted, accepting;   /* bytes per automaton state */
    om_buffer degree;              /* per stored state: edges that lead to it, see trim.c */
    om_buffer labels, so_far;      /* of a chunk's states, from one slice to the next */
    uint32_t slice_count;
    uint32_t degree_count; /* how many of those are in use */
    uint32_t chunk, largest_chunk, chunk_capacity;
    uint32_t low, end; /* of the level, what is left; in rounds */
    uint32_t hit;      /* or OM_NO_STATE */
    uint64_t step_ns;  /* how long a step takes, about */
    uint64_t check_at; /* states at which a cycle is looked for next */
    om_member_figures figures;
    uint32_t *overflow_vector;            /* the first state that an overflow leaves, or NULL */
    uint32_t *fault_vector;               /* of the state that one of these is about, or NULL */
    uint64_t fault, failed;               /* as OM_C_FAULT and OM_C_FAILED, of all steps */
    uint32_t overflow_level, fault_level; /* those states' */
    uint64_t why;                         /* it ends: OM_HIT, OM_FAULTS, OM_STATES; or OM_RUNS */
    pthread_t thread;
    int rc;
    bool catches; /* ends at a cycle of the accepting part */
} om_member;

/* Opens what is zeroed but for engine, context, heap, spec, device and number. May be closed behind
 * it whatever it returned. */
int om_member__open(om_member *m, const om_tuning *tuning);
void om_member__close(om_member *m);
/* As it was when it was opened, with the room that it has now: nothing is stored, and what the
 * device was given to read it is given anew. Nothing may be queued. */
int om_member__anew(om_member *m);

/* Queues the expansion of a step's chunk: its numbers are states, or with a list places in it. Its
 * candidates are written where there is room for them all. */
int om_member__expand(om_member *m, const om_level_step *s, const om_buffer *list);
/* Room for what the slices tell each other about a chunk of n states. Nothing may be queued. */
int om_member__reserve_chunk(om_member *m, uint32_t n);
/* Makes room for so many candidates of one chunk of n states: true; or false: the chunk shall be
 * smaller. *rc is not OM_OK where neither can be. Nothing may be queued. */
bool om_member__more_capacity(om_member *m, uint64_t candidates, uint32_t n, int *rc);
/* Adapts the size of chunks to how long some steps took. */
void om_member__pace(om_member *m, uint64_t steps, bool whole, uint64_t took_ns);

/* Trying sizes of work on a device: see tune.c. */
enum { OM_VARIANTS = 4 };
typedef struct om_variant {
    uint32_t local, items;
    uint32_t queued, samples;
    double ns_each; /* per transition, at best */
} om_variant;
typedef struct om_trial {
    om_variant variants[OM_VARIANTS];
    uint32_t count; /* 0: no trial */
    bool eager;
} om_trial;
/* Decides whether there is one. */
void om_trial__begin(om_trial *t, const om_member *m);
/* Sets the sizes for a batch of steps; the number is what om_trial__take() wants to know. */
uint32_t om_trial__pick(om_trial *t, om_queue *p);
/* What the batch came to; `full` when its steps were. */
void om_trial__take(
    om_trial *t, om_member *m, uint32_t variant, bool full, uint64_t transitions, uint64_t took_ns);
void om_trial__end(om_trial *t, om_queue *p);

/* What the steps of an exploration came to. */
typedef struct om_standing {
    uint64_t control[OM_CONTROL_WORDS]; /* as last read */
    uint64_t record[OM_R_WORDS];        /* of the step that would be next */
} om_standing;

/*
 * Does steps from p->record on, until they halt for a reason that is the caller's: OM_DONE, OM_HIT,
 * OM_FAULTS or OM_STATES in p->record[OM_R_WHY] and OM_OK returned. Faults are noted in the member.
 * The figures are shown in between. Other results: of the control, the device or the heap, with
 * what there is in *p.
 */
int om_member__steps(om_member *m, const om_buffer *wanted, om_standing *p,
    void (*show)(void *self, const om_standing *p), void *self);

/* Notes what went wrong, as the control words that were read last say, while the row is there: the
 * least state of the first step that has one, but one with a failed assertion before others; and
 * the first state that an overflow leaves. `level` is that of the states. */
int om_member__note(om_member *m, const uint64_t *control, uint32_t level);

/* The words of a state whose row is there, the model's and the automaton's, the caller's to
 * om_free(). */
int om_member__vector(om_member *m, uint64_t state, uint32_t **out);

/* Expands n listed states once more, chunk by chunk, finds what they lead to, all of which is
 * stored, and calls each() for every chunk's candidates. */
int om_member__again(om_member *m, const om_buffer *list, uint32_t n,
    int (*each)(void *self, uint32_t candidates), void *self);
/* From a state to the one behind it, and so on, which goes round in the end: the least state there.
 */
int om_member__go_round(const om_member *m, const uint32_t *behind, uint32_t start, uint32_t *on);
/* An edge of the automaton as kernels/expand.cl reads it. */
static inline void om_member__edge_words(uint32_t words[3], const om_edge *e)
{
    words[0] = e->dst;
    words[1] = e->cube_begin;
    words[2] = e->cube_count;
}

/* om_engine_trim() behind a complete exploration; *rest is OM_NO_ID before. */
int om_member__trim(om_member *m, om_id *rest, uint64_t *rounds);

/* Looks for a cycle of the accepting part among the states below `expanded`, the others having no
 * edges yet: *hit is a state on one, or UINT32_MAX. Nothing may be queued. */
int om_member__catch(om_member *m, uint32_t expanded, uint32_t *hit);

#endif
