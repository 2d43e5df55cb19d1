/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h: lowers graphs to guarded commands.
 *
 * A process that may run is an instance: an enumeration slot (its control point; 0 while it does
 * not run), a slot for its process number, and one for each of its variables. The instances of a
 * `run` that can be done several times form a pool. Processes end in the reverse order of their
 * start, so the running ones are always the first of their pool. If a pool is large, each slot of
 * its instances is a member of a family: a `run` is then one way, which starts the instance with
 * the number of those that run, and not one way for each instance.
 *
 * `_atomic` is the number, plus 1, of the instance that is in the middle of an atomic sequence or
 * a d_step and can go on. While it is set, no other process moves. SPIN stores exactly the states
 * in which `_atomic` is 0. If the next statement of the sequence is blocked, `_atomic` is 0 and
 * every process may move.
 *
 * P1  Without `_atomic`, no process has an atomic sequence or a d_step.
 * P2  Channel i has the value i + 1; there are at most as many as processes.
 * P3  A way that is not miscounted has as many values, and at most as many receivers, as its
 *     channel has fields.
 * P4  The active processes are the first instances, so that their numbers are those of their
 *     processes; the instances of a pool follow each other.
 * P5  Traces see channels one by one: a model with a trace has no groups.
 */
#ifndef PROMELA_LOWER_H
#define PROMELA_LOWER_H

#include "graph/flow_graph.h"

/* Storage of a variable, or of a field of one. */
typedef struct pml_place {
    uint32_t slot;
    bool constant; /* no slot: a channel that never changes */
    om_value value;
    om_expr at; /* of a new process: its place in the family `slot`; if constant, its value; or 0 */
} pml_place;

/*
 * Channels of the same shape whose numbers are `stride` apart, and that computed references may
 * mean. Their slots are members of families, so such a reference is one way and not one for each
 * channel.
 */
typedef struct pml_group {
    uint32_t first, stride, count; /* channels first, first + stride, ... */
    const char *name;              /* for labels: "q[*]" */
    uint32_t counts, *items;       /* families of the channels' slots */
} pml_group;

/* A channel; channel i has the value i + 1. */
typedef struct pml_channel {
    const pml_chan_init *init;
    const char *name;
    const pml_group *group; /* or NULL */
    bool indexed;           /* an element of an array that is never assigned */
    uint32_t count;         /* slot: number of messages, if the channel is buffered */
    uint32_t *items;        /* slot of each field */
} pml_channel;

typedef struct pml_instance {
    om_expr at; /* 0, or its place in its pool: its slots are families then */
    pml_proctype *type;
    const char *name;
    uint32_t number;                 /* among all instances */
    uint32_t process;                /* process of the model */
    uint32_t location, pid;          /* slots */
    uint32_t priority;               /* slot, if the text uses priorities */
    om_expr outranked;               /* a process of higher priority can move; 0: never */
    uint32_t site;                   /* site of its `run`; OM_NONE if active from the beginning */
    uint32_t active;                 /* initial process number, or OM_NONE */
    pml_place **places;              /* by variable: the place of each field */
    uint32_t channel, channel_count; /* its own channels */
    bool asked;                      /* an `enabled` of it is being lowered */
    om_expr *enabled;                /* by control point: enabled there; 0 if not built yet */
    om_expr *blocked_enabled;        /* the same while no timeout holds */
    bool *stands;                    /* by control point: initial, or the target of a step */
} pml_instance;

/* The instances of one `run`. */
typedef struct pml_pool {
    uint32_t first, count;
    const pml_expr *run;
    bool seen, once;         /* once: it is done at most once */
    bool mixed;              /* several `run`s share it */
    bool enough;             /* room for all processes that can be started */
    uint32_t running;        /* slot: how many of them run, if their slots are joined */
    const pml_instance *new; /* then: the next one that is started; or NULL */
} pml_pool;

/* Names of mtypes by their values, of one set or of all; NULL if no name has the value. */
typedef struct pml_names pml_names;
struct pml_names {
    const char *set; /* NULL: the set without a name */
    bool all;
    const char **of;
    uint32_t count;
    pml_names *next;
};

typedef struct pml_lowering {
    pml_file *file;
    om_model *model;
    pml_place **globals;
    pml_channel *channels;
    uint32_t channel_count;
    bool any_channel; /* some variable may hold any channel */
    pml_instance *instances;
    uint32_t instance_count, most_instances;
    pml_pool *pools;                 /* by site */
    pml_names *names;                /* tables built so far */
    bool lossy;                      /* messages sent to full channels are lost */
    uint32_t pool_size, larger_pool; /* larger_pool: size of the next attempt; 0: none */
    pml_index names_of_slots;        /* of the first `indexed` slots (slots.c) */
    size_t indexed;
    uint32_t processes; /* slot: _nr_pr */
    uint32_t atomic;    /* slot, or OM_NONE */
    uint32_t trace;     /* slot: location of the trace, if there is one */
    uint32_t last;      /* slot: process of the last step, if the text uses _last */
    /* Slots: by channel, who alone receives from it, and sends to it; the claim that failed
     * (exclusive.c) */
    uint32_t owners[2], claim;
    uint32_t overfull; /* slot: array that is written out of bounds when a pool is full */
    om_expr stuck;     /* no process can move while no timeout holds; 0 if not built yet */
    bool no_timeout;   /* `timeout` is lowered as false */
    bool any_timeout;
    om_expr ended;          /* at a valid end state */
    bool held;              /* some transition sets `_atomic` to a process */
    const pml_node *unseen; /* a node with an accepting label within an atomic sequence, or NULL */
    uint32_t transitions;
    uint32_t first_here; /* first assertion of the control point that is being lowered */
    bool initial;        /* names stand for initial values */
} pml_lowering;

/* The context of an expression. */
typedef struct pml_scope {
    pml_lowering *l;
    const pml_instance *self; /* NULL in a proposition or a claim */
    /* the value counts only under this condition, so no fault may arise otherwise; 0: always */
    om_expr under;
    om_expr run; /* value of a `run` in it; 0: none is allowed */
} pml_scope;

/* ---- mtypes.c ---- */

/* Returns the names of the values of the variable. If v is NULL, these are the names of all
 * mtypes; of names in different sets with the same value, the first declared one is used. Each
 * table is built once. */
int pml_mtype_names(pml_lowering *l, const pml_variable *v, const pml_names **out);
/* Gives a slot the names of the variable's values, if the variable is an mtype. */
int pml_name_values(pml_lowering *l, const pml_variable *v, om_slot *slot);

/* ---- slots ---- */

int pml_make_instances(pml_lowering *l);
int pml_make_slots(pml_lowering *l);
/* Returns the names of a graph's control points, by location. Name 0 is "-", for none; the array
 * has room for one more name at the end. */
int pml_location_names(pml_lowering *l, const pml_graph *g, const char ***out);
/* Returns the initial value of element k + 1, given that of element k, e. */
const pml_expr *pml_next_initial(const pml_variable *v, const pml_expr *e, uint32_t k);

/* ---- expressions ---- */

int pml_lower_expression(const pml_scope *s, const pml_expr *e, om_expr *out);
int pml_lower_constant(const pml_scope *s, const pml_expr *e, om_value *out);
/* The variable that a reference names: a slot with an index (0: a scalar), and its type. */
typedef struct pml_target {
    const pml_variable *variable; /* last field */
    pml_place place;
    om_expr index;
} pml_target;
int pml_lower_target(const pml_scope *s, const pml_expr *e, pml_target *out);
/* Returns the value as a variable of that type stores it. */
om_expr pml_truncated(om_model *m, const pml_variable *v, om_expr value);
/* A channel that a reference may mean. */
typedef struct pml_meant {
    uint32_t channel; /* this one, or the first one of its group */
    om_expr number;   /* 0: this one; else the value of the one of the group that is meant */
    om_expr when;     /* the condition under which it is meant; 0: always */
} pml_meant;
/* The channels that a reference may mean: those with low <= number < high. */
typedef struct pml_reference {
    const pml_lowering *l;
    om_expr value;
    uint32_t low, high, next;
    bool exact; /* it always means one of them */
} pml_reference;
int pml_open_reference(const pml_scope *s, const pml_expr *e, pml_reference *out);
/* Sets *out to the next channel or group that the reference may mean; false: there is none. */
bool pml_next_meant(pml_reference *r, pml_meant *out);
/* Sets *possible to whether the reference can mean this channel, and *out to the condition under
 * which it does; *out is 0 if the reference is a constant. */
int pml_means(
    const pml_scope *s, const pml_expr *e, const pml_meant *meant, om_expr *out, bool *possible);
/* Makes groups of the channels that computed references may mean. */
int pml_make_groups(pml_lowering *l);
/* Returns true if the slots of the instances are to be joined. */
bool pml_is_large(const pml_pool *p);
/* Returns the type of slots for numbers of processes. */
om_type pml_number_type(const pml_lowering *l);
/* Adds the slots that count the running processes of large pools. After all slots are there, joins
 * those of their instances (pools.c). */
int pml_count_running(pml_lowering *l);
int pml_join_pools(pml_lowering *l);
/* Returns the distance from the channels of the first process of the pool to those of the next one
 * that is started; 0 if these are constants. */
om_expr pml_channel_distance(const pml_lowering *l, const pml_pool *p);
/* The slot of the number of messages in a channel, with an index (0: a scalar); and of a field of
 * its messages, with the index of a place in it. */
typedef struct pml_spot {
    uint32_t slot;
    om_expr index;
} pml_spot;
pml_spot pml_count_of(const pml_lowering *l, const pml_meant *c);
pml_spot pml_item_of(const pml_lowering *l, const pml_meant *c, uint32_t field, om_expr place);
/* Returns the value there. */
om_expr pml_read(om_model *m, pml_spot at);
/* Returns the name of a channel or group, for labels. */
const char *pml_channel_name(const pml_lowering *l, const pml_meant *c);
om_expr pml_and(om_model *m, om_expr a, om_expr b); /* 0 is true */
om_expr pml_or(om_model *m, om_expr a, om_expr b);  /* 0 is false */
om_expr pml_any(om_model *m, const om_expr *list, size_t count);
/* Sets *out to: message `position` of channel c exists and is received by these arguments. As in
 * SPIN, arguments beyond the channel's fields are compared with 0, or match anything for '??'
 * (`random`). */
int pml_matches(const pml_scope *s, const pml_expr *args, bool random, const pml_meant *c,
    uint32_t position, om_expr *out);
int pml_check_channel(const pml_scope *s, const pml_expr *e);
/* Records that a message with `count` fields does not fit the channel. Returns OM_EINPUT. */
int pml_fail_fields(const pml_scope *s, const om_place *at, uint32_t count,
    const pml_chan_init *init, const char *name);
om_expr pml_at(om_model *m, const pml_instance *i, const pml_node *n);
/* Returns "some process is at a label of this kind"; 0 if no process can be. */
typedef enum pml_label_kind { PML_LABEL_PROGRESS, PML_LABEL_ACCEPT } pml_label_kind;
om_expr pml_at_labels(const pml_lowering *l, pml_label_kind kind);
/* Stores value in *out. The model returns 0 for a failure and keeps its status, which is returned
 * here. */
int pml_made(const pml_scope *s, const pml_expr *e, om_expr value, om_expr *out);
int pml_lower_length(const pml_scope *s, const pml_expr *e, om_expr *out);
int pml_poll(const pml_scope *s, const pml_expr *e, om_expr *out);
int pml_stuck(pml_lowering *l, om_expr *out);

#endif
