/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h: lowers graphs to guarded commands.
 *
 * A process that may run is an instance: an enumeration slot (its control point; 0 while it does
 * not run), a slot for its process number, and one for each of its variables. The instances of a
 * `run` that can be done several times form a pool. Processes end in the reverse order of their
 * start, so the running ones are always the first of their pool.
 *
 * `_atomic` is the number, plus 1, of the instance that is in the middle of an atomic sequence or
 * a d_step and can go on. While it is set, no other process moves. SPIN stores exactly the states
 * in which `_atomic` is 0. If the next statement of the sequence is blocked, `_atomic` is 0 and
 * every process may move.
 *
 * P1  Without `_atomic`, no process has an atomic sequence or a d_step.
 * P2  Channel i has the value i + 1; there are at most 255.
 * P3  A way that is not miscounted has as many values, and at most as many receivers, as its
 *     channel has fields.
 * P4  The active processes are the first instances, so that their numbers are those of their
 *     processes; the instances of a pool follow each other.
 */
#ifndef PROMELA_LOWER_H
#define PROMELA_LOWER_H

#include "graph.h"

/* Storage of a variable, or of a field of one. */
typedef struct pml_place {
    uint32_t slot;
    bool constant; /* no slot: a channel that never changes */
    om_value value;
} pml_place;

/* A channel; channel i has the value i + 1. */
typedef struct pml_channel {
    const pml_chan_init *init;
    const char *name;
    uint32_t count;  /* slot: number of messages, if the channel is buffered */
    uint32_t *items; /* slot of each field */
} pml_channel;

typedef struct pml_instance {
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
    bool seen, once; /* once: it is done at most once */
    bool enough;     /* room for all processes that can be started */
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
    pml_instance *instances;
    uint32_t instance_count, most_instances;
    pml_pool *pools;                 /* by site */
    pml_names *names;                /* tables built so far */
    bool lossy;                      /* messages sent to full channels are lost */
    uint32_t pool_size, larger_pool; /* larger_pool: size of the next attempt; 0: none */
    uint32_t processes;              /* slot: _nr_pr */
    uint32_t atomic;                 /* slot, or OM_NONE */
    uint32_t trace;                  /* slot: location of the trace, if there is one */
    uint32_t last;                   /* slot: process of the last step, if the text uses _last */
    uint32_t overfull; /* slot: array that is written out of bounds when a pool is full */
    om_expr stuck;     /* no process can move while no timeout holds; 0 if not built yet */
    bool no_timeout;   /* `timeout` is lowered as false */
    bool any_timeout;
    om_expr ended;          /* at a valid end state */
    bool held;              /* some transition sets `_atomic` to a process */
    const pml_node *unseen; /* a node with an accepting label within an atomic sequence, or NULL */
    uint32_t transitions;
    bool initial; /* names stand for initial values */
} pml_lowering;

/* The context of an expression. */
typedef struct pml_scope {
    pml_lowering *l;
    const pml_instance *self; /* NULL in a proposition or a claim */
    /* the value counts only under this condition, so no fault may arise otherwise; 0: always */
    om_expr under;
    om_expr run; /* value of a `run` in it; 0: none is allowed */
} pml_scope;

/* ---- runs.c ---- */

/*
 * Sets most[site], for each site with most[site] != OM_NONE, to how often one process of the type
 * can do that `run`, or to OM_NONE if no bound is found. The graph of the type must have been
 * built.
 */
int pml_count_runs(pml_file *f, const pml_proctype *t, uint32_t *most, uint32_t sites);

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
bool pml_type_range(const pml_variable *v, om_value *low, om_value *high);

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
/* Sets *possible to whether the reference can mean channel c, and *out to the condition under
 * which it does; *out is 0 if the reference is a constant. */
int pml_means_channel(
    const pml_scope *s, const pml_expr *e, uint32_t c, om_expr *out, bool *possible);
om_expr pml_and(om_model *m, om_expr a, om_expr b); /* 0 is true */
om_expr pml_or(om_model *m, om_expr a, om_expr b);  /* 0 is false */
om_expr pml_any(om_model *m, const om_expr *list, size_t count);
/* Sets *out to: message `position` of channel c exists and is received by these arguments. As in
 * SPIN, arguments beyond the channel's fields are compared with 0, or match anything for '??'
 * (`random`). */
int pml_matches(const pml_scope *s, const pml_expr *args, bool random, uint32_t c,
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

/* ---- steps ---- */

/* One way to execute a statement. */
typedef struct pml_way {
    om_expr guard; /* 0: always */
    uint32_t channel;
    uint32_t position; /* of a message, or of a process in its pool */
    const pml_instance *partner;
    const pml_node *at, *with; /* rendezvous: control point of the partner, and its leaf */
    bool lost;                 /* the message is lost because the channel is full */
    bool miscounted;           /* error: the number of fields differs from the channel's */
} pml_way;

typedef struct pml_ways {
    pml_way *at;
    size_t count, capacity;
} pml_ways;

/* Returns "one of the ways is enabled". */
om_expr pml_any_way(om_model *m, const pml_ways *ways);
/* Collects all ways to execute leaf k of the leaves of a control point. */
int pml_ways_of(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, pml_ways *out);
/* Adds to *guard the condition that leaf k is tried: no leaf with precedence is enabled, and
 * `provided` holds. 0: always. */
int pml_before(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, om_expr *guard);
/* Sets *out to: the instance can move from its control point. Ignores priorities. */
int pml_enabled_anywhere(pml_lowering *l, const pml_instance *i, om_expr *out);
/* Sets *out to: the instance can move from this control point. */
int pml_enabled(pml_lowering *l, const pml_instance *i, const pml_node *n, om_expr *out);
/* Returns the `run` of a statement, or NULL; s may be NULL. */
const pml_expr *pml_run_in(const pml_statement *s);
/* Returns true if executing the statement always executes its `run`. */
bool pml_runs_always(const pml_statement *s);
/* Sets *out to the condition under which it does; 0: always. */
int pml_run_condition(const pml_scope *s, const pml_statement *t, om_expr *out);

typedef struct pml_move {
    pml_lowering *l;
    om_expr guard;
    om_assign *assigns;
    om_written *written;
    om_foreign_step *steps; /* the steps in SPIN that correspond to it */
    om_print *prints;
    size_t print_count, print_capacity;
    size_t count, capacity, written_capacity, step_count, step_capacity;
} pml_move;

void pml_move_guard(pml_move *v, om_expr e);
int pml_move_assign(pml_move *v, om_written at, uint32_t slot, om_expr index, om_expr value);
/* Adds the step in SPIN that corresponds to a leaf that the process executes at n, if there is one
 * (foreign.c). */
int pml_move_step(pml_move *v, const pml_instance *i, const pml_node *n, const pml_node *leaf);
/* Attaches the steps to the transition or assertion that was added last. */
int pml_name_steps(const pml_move *v, om_foreign_kind kind);
/* Gives the properties their numbers in SPIN. */
int pml_name_properties(const pml_lowering *l);
/* Adds the output of a statement (print.c). pml_name_prints() attaches all output to the
 * transition that was added last. */
int pml_move_print(pml_move *v, const pml_scope *s, const pml_statement *t);
int pml_name_prints(const pml_move *v);
void pml_move_free(pml_move *v);
/* Adds the effects of executing a leaf in some way, except for the move of the process. */
int pml_effect(pml_move *v, const pml_instance *i, const pml_node *leaf, const pml_way *way);
int pml_end_process(pml_move *v, const pml_instance *i);

/* Appends the text of a statement, shortened, to a label. */
void pml_add_words(const struct pml_token *at, const struct pml_token *last, om_text *out);
/* Adds a final assertion at the place `at`: the leaf is never executed, or tried, at n under this
 * condition. */
int pml_add_fault(pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_node *leaf,
    om_expr condition, const om_place *at, const char *text);

/* Returns "no process is in the middle of an atomic sequence". */
om_expr pml_nobody_holds(pml_lowering *l);
int pml_lower_transitions(pml_lowering *l);
/* Add the self-loop of valid end states, the states that make progress, and the visible states. */
int pml_lower_end(pml_lowering *l);
int pml_lower_progress(pml_lowering *l);
int pml_lower_visible(pml_lowering *l);

/* ---- trace.c, trace_steps.c ---- */

/* The next location of the trace, and the condition under which the event violates it. 0: the
 * event is not observed. */
typedef struct pml_trace_way {
    om_expr to, fails;
} pml_trace_way;

/* pml_make_trace() builds the trace's graph and slot. pml_check_trace() checks its statements once
 * channels exist. */
int pml_make_trace(pml_lowering *l);
int pml_check_trace(pml_lowering *l);
/* Returns "the trace is at a location at which a run may end". */
om_expr pml_trace_ended(pml_lowering *l);
/* Sets *out to the effect of a leaf on the trace, before the step stores anything. */
int pml_trace_way_of(pml_lowering *l, const pml_instance *i, const pml_node *leaf,
    const pml_way *way, pml_trace_way *out);
/* Adds the assertions that executing leaf k at n in one of these ways is allowed by the trace. */
int pml_lower_trace(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways);

/* ---- exclusive.c ---- */

/* Returns true if the statement reads how many messages, or which, a channel holds. */
bool pml_looks_at_channels(const pml_statement *s);
/* Adds the assertions that processes claim, with `xr` and `xs`, only channels that they can have
 * to themselves. */
int pml_lower_exclusive(pml_lowering *l);
/* Adds the assertions that leaf k, executed at n in these ways or tried, uses no channel that
 * another process claims. */
int pml_lower_uses(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways);

/* ---- properties ---- */

int pml_lower_claims(pml_lowering *l);
/* Adds the formulas of the file's ltl blocks, each as a property with its name. */
int pml_lower_formulas(pml_lowering *l);
/* Appends the formula in the syntax of om_ltl_parse(), with propositions in quotes. */
int pml_write_formula(pml_lowering *l, const pml_expr *e, om_text *out);
/* Adds the property "accept" if the model has such labels. It is checked on request only. */
int pml_lower_accept(pml_lowering *l);
int pml_lower_file(pml_lowering *l);

#endif
