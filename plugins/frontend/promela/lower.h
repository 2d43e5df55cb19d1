/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h: from graphs to guarded commands.
 *
 * A process that may run is an instance: an enumeration slot (its control point; 0 while it does
 * not run), a slot for its process number, and one for each of its variables. Instances of a `run`
 * that can be done several times are a pool; as processes end in the reverse order in which they
 * were started, the running ones are always the first of it.
 *
 * `_atomic` names the instance that is in the middle of an atomic sequence or a d_step and can go
 * on, plus 1: then nobody else moves. Such states SPIN does not store; all others it does. When the
 * next statement cannot be done, `_atomic` is 0, and everybody may move.
 */
#ifndef PROMELA_LOWER_H
#define PROMELA_LOWER_H

#include "graph.h"

/* Where a variable, or a field of one, is kept. */
typedef struct pml_place {
    uint32_t slot;
    bool constant; /* it is in no slot: a channel that never changes */
    om_value value;
} pml_place;

/* A channel; channel i has the value i + 1. */
typedef struct pml_channel {
    const pml_chan_init *init;
    const char *name;
    uint32_t count;  /* slot: how many messages; of a buffered one */
    uint32_t *items; /* slot of each field */
} pml_channel;

typedef struct pml_instance {
    pml_proctype *type;
    const char *name;
    uint32_t number;                 /* among all */
    uint32_t process;                /* of the model */
    uint32_t location, pid;          /* slots */
    uint32_t priority;               /* slot, where the text speaks of priorities */
    om_expr outranked;               /* somebody else goes first; 0: never */
    uint32_t site;                   /* of the `run`; OM_NONE: it is there from the beginning */
    uint32_t active;                 /* its process number then */
    pml_place **places;              /* by variable: of each field */
    uint32_t channel, channel_count; /* its own ones */
    bool asked;                      /* it is looked at for an `enabled` */
    om_expr *enabled;         /* by control point: can it move from there? 0: not known yet */
    om_expr *blocked_enabled; /* the same where no timeout holds */
    bool *stands;             /* by control point: some step ends there, or it begins there */
} pml_instance;

/* The instances of one `run`. */
typedef struct pml_pool {
    uint32_t first, count;
    const pml_expr *run;
    bool seen, once; /* once: it is done at most once */
    bool enough;     /* there are as many as can be started */
} pml_pool;

/* Names of mtypes by their values, of one set or of all; NULL: none has this value. */
typedef struct pml_names pml_names;
struct pml_names {
    const char *set; /* NULL: the one without a name */
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
    pml_names *names;                /* those that were asked for */
    bool lossy;                      /* messages to full channels are lost */
    uint32_t pool_size, larger_pool; /* the next one to be tried; 0: none */
    uint32_t processes;              /* slot: _nr_pr */
    uint32_t atomic;                 /* slot, or OM_NONE */
    uint32_t trace;                  /* slot: where the trace is, where there is one */
    uint32_t last;                   /* slot: who moved last, where the text asks for it */
    uint32_t overfull; /* slot: an array with no place for a process that a pool has no room for */
    om_expr stuck;     /* nobody can move, as long as no timeout holds; 0: not made */
    bool no_timeout;   /* `timeout` is false in what is lowered */
    bool any_timeout;
    om_expr ended;          /* a valid end state */
    bool held;              /* `_atomic` is somebody some time */
    const pml_node *unseen; /* a place with an accepting label within an atomic sequence, or NULL */
    uint32_t transitions;
    bool initial; /* names stand for initial values */
} pml_lowering;

/* Where an expression stands. */
typedef struct pml_scope {
    pml_lowering *l;
    const pml_instance *self; /* or NULL: a proposition, a claim */
    om_expr under; /* it counts only where this holds: nothing else may be a fault. 0: always */
    om_expr run;   /* what a `run` in it gives; 0: none can be there */
} pml_scope;

/* ---- runs.c ---- */

/*
 * How often one process of the type can do each of the `run`s with most[site] != OM_NONE: the
 * number, or OM_NONE where none is found. The type has its graph.
 */
int pml_count_runs(pml_file *f, const pml_proctype *t, uint32_t *most, uint32_t sites);

/* ---- mtypes.c ---- */

/* The names that values of the variable have; NULL: those of all mtypes, of which with one value,
 * in sets of their own, it is the one that was declared first. Made once. */
int pml_mtype_names(pml_lowering *l, const pml_variable *v, const pml_names **out);
/* Gives the slot of a variable the names of its values, if it is an mtype. */
int pml_name_values(pml_lowering *l, const pml_variable *v, om_slot *slot);

/* ---- slots ---- */

int pml_make_instances(pml_lowering *l);
int pml_make_slots(pml_lowering *l);
/* Names of a graph's control points: "-" for none, and room for one more behind them. */
int pml_location_names(pml_lowering *l, const pml_graph *g, const char ***out);
/* Behind element k, whose initial value is e: that of element k + 1. */
const pml_expr *pml_next_initial(const pml_variable *v, const pml_expr *e, uint32_t k);
bool pml_type_range(const pml_variable *v, om_value *low, om_value *high);

/* ---- expressions ---- */

int pml_lower_expression(const pml_scope *s, const pml_expr *e, om_expr *out);
int pml_lower_constant(const pml_scope *s, const pml_expr *e, om_value *out);
/* What a reference names: a slot with an index (0: a scalar), its type. */
typedef struct pml_target {
    const pml_variable *variable; /* the last field */
    pml_place place;
    om_expr index;
} pml_target;
int pml_lower_target(const pml_scope *s, const pml_expr *e, pml_target *out);
/* The value as a variable of that type keeps it. */
om_expr pml_truncated(om_model *m, const pml_variable *v, om_expr value);
/* The condition under which the reference means channel c; 0 in *out: never; *always where it is
 * a constant. */
int pml_means_channel(
    const pml_scope *s, const pml_expr *e, uint32_t c, om_expr *out, bool *possible);
om_expr pml_and(om_model *m, om_expr a, om_expr b); /* 0 is true */
om_expr pml_or(om_model *m, om_expr a, om_expr b);  /* 0 is false */
om_expr pml_any(om_model *m, const om_expr *list, size_t count);
/* Message `position` of channel c is one that these arguments receive. Where they are more than the
 * fields of it, those that it has not are 0, or to '??', which is `random`, anything; as in SPIN.
 */
int pml_matches(const pml_scope *s, const pml_expr *args, bool random, uint32_t c,
    uint32_t position, om_expr *out);
int pml_check_channel(const pml_scope *s, const pml_expr *e);
/* Says that a message with so many fields is none of the channel's. */
int pml_fail_fields(const pml_scope *s, const om_place *at, uint32_t count,
    const pml_chan_init *init, const char *name);
om_expr pml_at(om_model *m, const pml_instance *i, const pml_node *n);
/* Some process is at a label of this kind; 0: there is none that can be. */
typedef enum pml_label_kind { PML_LABEL_PROGRESS, PML_LABEL_ACCEPT } pml_label_kind;
om_expr pml_at_labels(const pml_lowering *l, pml_label_kind kind);
/* 0 is the model's word for a failure, which it then remembers: its status; else sets *out. */
int pml_made(const pml_scope *s, const pml_expr *e, om_expr value, om_expr *out);
int pml_lower_length(const pml_scope *s, const pml_expr *e, om_expr *out);
int pml_poll(const pml_scope *s, const pml_expr *e, om_expr *out);
int pml_stuck(pml_lowering *l, om_expr *out);

/* ---- steps ---- */

/* One way to do a statement. */
typedef struct pml_way {
    om_expr guard; /* 0: always */
    uint32_t channel;
    uint32_t position; /* of a message, or of a process in its pool */
    const pml_instance *partner;
    const pml_node *at, *with; /* rendezvous: where the partner is, what it does */
    bool lost;                 /* the message: the channel is full */
    bool miscounted;           /* it has not as many fields as those of the channel: an error */
} pml_way;

typedef struct pml_ways {
    pml_way *at;
    size_t count, capacity;
} pml_ways;

/* Some of the ways is there. */
om_expr pml_any_way(om_model *m, const pml_ways *ways);
/* All ways to do leaf k of those at a control point. */
int pml_ways_of(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, pml_ways *out);
/* What is tried before leaf k rules it out, unless this holds; 0: always. */
int pml_before(
    pml_lowering *l, const pml_instance *i, const pml_leaves *leaves, size_t k, om_expr *guard);
/* Can the instance move, wherever it is? Priorities do not count. */
int pml_enabled_anywhere(pml_lowering *l, const pml_instance *i, om_expr *out);
/* Can the instance move from this control point? */
int pml_enabled(pml_lowering *l, const pml_instance *i, const pml_node *n, om_expr *out);
/* The `run` of a statement that may be NULL, or NULL. */
const pml_expr *pml_run_in(const pml_statement *s);
/* Is it certain that doing the statement does its `run`? */
bool pml_runs_always(const pml_statement *s);
/* The condition under which it does; 0: always. */
int pml_run_condition(const pml_scope *s, const pml_statement *t, om_expr *out);

typedef struct pml_move {
    pml_lowering *l;
    om_expr guard;
    om_assign *assigns;
    om_written *written;
    om_foreign_step *steps; /* that it is in SPIN */
    om_print *prints;
    size_t print_count, print_capacity;
    size_t count, capacity, written_capacity, step_count, step_capacity;
} pml_move;

void pml_move_guard(pml_move *v, om_expr e);
int pml_move_assign(pml_move *v, om_written at, uint32_t slot, om_expr index, om_expr value);
/* Of a leaf that the process does at n: the step that it is in SPIN, if it is one (foreign.c). */
int pml_move_step(pml_move *v, const pml_instance *i, const pml_node *n, const pml_node *leaf);
/* Gives them to the transition or assertion that was added last. */
int pml_name_steps(const pml_move *v, om_foreign_kind kind);
/* Numbers the properties as SPIN does. */
int pml_name_properties(const pml_lowering *l);
/* What a statement prints (print.c); and gives all that is printed to the transition that was added
 * last. */
int pml_move_print(pml_move *v, const pml_scope *s, const pml_statement *t);
int pml_name_prints(const pml_move *v);
void pml_move_free(pml_move *v);
/* What doing a leaf in some way does, except where the process goes. */
int pml_effect(pml_move *v, const pml_instance *i, const pml_node *leaf, const pml_way *way);
int pml_end_process(pml_move *v, const pml_instance *i);

/* Adds the text of a statement, shortened, to a label. */
void pml_add_words(const struct pml_token *at, const struct pml_token *last, om_text *out);
/* An assertion, in the place that is given: the leaf is not done, or tried, at n under this
 * condition. */
int pml_add_fault(pml_lowering *l, const pml_instance *i, const pml_node *n, const pml_node *leaf,
    om_expr condition, const om_place *at, const char *text);

/* No process is in the middle of an atomic sequence. */
om_expr pml_nobody_holds(pml_lowering *l);
int pml_lower_transitions(pml_lowering *l);
/* A step for valid end states; which states make progress, and which are seen. */
int pml_lower_end(pml_lowering *l);
int pml_lower_progress(pml_lowering *l);
int pml_lower_visible(pml_lowering *l);

/* ---- trace.c, trace_steps.c ---- */

/* Where the trace goes; and whether it must not go there. 0: it does not see the event. */
typedef struct pml_trace_way {
    om_expr to, fails;
} pml_trace_way;

/* Makes the trace's graph and slot; and, once there are channels, looks at what stands in it. */
int pml_make_trace(pml_lowering *l);
int pml_check_trace(pml_lowering *l);
/* The trace is where it may be at the end of a run. */
om_expr pml_trace_ended(pml_lowering *l);
/* What doing a leaf is to the trace, before anything else is stored. */
int pml_trace_way_of(pml_lowering *l, const pml_instance *i, const pml_node *leaf,
    const pml_way *way, pml_trace_way *out);
/* Adds the assertions that leaf k, done at n in one of these ways, is as the trace has it. */
int pml_lower_trace(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways);

/* ---- exclusive.c ---- */

/* Does the statement ask how many messages, or which, some channel has? */
bool pml_looks_at_channels(const pml_statement *s);
/* Adds the assertions that what processes claim with `xr` and `xs` are channels that they can have
 * to themselves. */
int pml_lower_exclusive(pml_lowering *l);
/* Adds those that leaf k, done at n in these ways or tried, uses no channel that another has. */
int pml_lower_uses(pml_lowering *l, const pml_instance *i, const pml_node *n,
    const pml_leaves *leaves, size_t k, const pml_ways *ways);

/* ---- properties ---- */

int pml_lower_claims(pml_lowering *l);
/* Adds the formulas of the file's ltl blocks, each as a property of its name. */
int pml_lower_formulas(pml_lowering *l);
/* The formula as om_ltl_parse() reads it, propositions in quotes. */
int pml_write_formula(pml_lowering *l, const pml_expr *e, om_text *out);
/* Adds "accept", a property that is checked where it is asked for, where there are such labels. */
int pml_lower_accept(pml_lowering *l);
int pml_lower_file(pml_lowering *l);

#endif
