/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcc.h: an examination of the Model Checking Contest, and the steps that decide its properties.
 *
 *  A1  A property is answered once.
 *  A2  The answer of a question other than MCC_BOUND and MCC_COUNT is 0 or 1.
 *  A3  A bound is not less than a sum that was seen.
 *  A4  A time limit of 0 ns would be none: each step has at least 1 ns.
 *  A5  m->properties has four entries in StateSpace and one in other examinations without a file.
 */
#ifndef OMEN_MCC_H
#define OMEN_MCC_H

#include "base/model_options.h"

#include <omen/host/net_model.h>
#include <omen/host/walk.h>

/* ---- mcc_command.c: the command ---- */

typedef struct mcc_settings {
    cli_model_settings model;
    om_plan_options plan;
    uint32_t without_passes; /* --reductions: bit i disables entry i of om_reduce_passes(); all
                                bits: no reductions */
} mcc_settings;

/* ---- read_properties.c: properties ---- */

typedef enum mcc_kind {
    MCC_ATOM, /* a predicate, which may be constant */
    MCC_NOT,
    MCC_AND, /* of two or more arguments, as MCC_OR */
    MCC_OR,
    MCC_NEXT,
    MCC_FINALLY,
    MCC_GLOBALLY,
    MCC_UNTIL
} mcc_kind;

typedef struct mcc_formula {
    mcc_kind kind;
    uint32_t count;
    const om_predicate *atom;
    const struct mcc_formula *const *args;
} mcc_formula;

typedef enum mcc_question {
    MCC_RUNS,     /* whether all runs satisfy the formula */
    MCC_POSSIBLE, /* whether some reachable marking satisfies the predicate */
    MCC_ALWAYS,   /* whether all reachable markings satisfy it */
    MCC_BOUND,    /* the largest sum */
    MCC_COUNT,    /* a figure of the state space */
    MCC_NET       /* a property of the net as a whole */
} mcc_question;

/* A property of the examination, and its answer */
typedef struct mcc_property {
    const char *id;
    mcc_question question;
    const mcc_formula *asked;   /* as it was read */
    const mcc_formula *formula; /* simplified by known facts */
    const om_predicate *predicate;
    const om_predicate *wanted; /* the question is decided if some marking satisfies it */
    const om_net_term *terms;   /* of the sum */
    uint32_t term_count;
    om_wide seen; /* the largest sum found, or INT64_MIN */
    bool known;
    bool endless;  /* the answer is that there is no bound */
    om_wide value; /* otherwise: 0 or 1, or the bound */
    const char *techniques;
    double seconds;      /* since the start of the program */
    const char *why_not; /* if it stays unknown; or NULL */
    bool explored;       /* decided on a net of this size, reduced by these om_reduce_passes() */
    uint32_t places, transitions, passes;
} mcc_property;

typedef struct mcc {
    cli *c;
    const mcc_settings *set;
    om_net *net;
    om_value *least;  /* by place: a lower bound of its tokens */
    om_region region; /* holds all that is read or made below */
    const char *examination;
    om_text model_file, property_file;
    mcc_property *properties;
    size_t count;
    bool silent;       /* answers are not printed, because they are steps towards other answers */
    om_wide decisive;  /* if silent: after an answer with this value, no time is left */
    uint64_t until_ns; /* end of the time limit, by om_clock_ns(); UINT64_MAX: there is none */
    uint64_t seed;     /* of the next walk or search */
} mcc;

/* Fills m->properties from the file of the examination. */
int mcc_read_properties(mcc *m);

/* ---- referee.c ---- */

/*
 * Fires the run on the net as it was read, and checks the answer. For MCC_RUNS, the formula must be
 * false on it (a run with unspecified end repeats its last marking). For MCC_BOUND, the sum in its
 * last marking must be that value. For others, its last marking must satisfy the wanted predicate.
 * If the run claims to end in a deadlock, no transition may be enabled there. OM_OK; OM_ENOMEM;
 * OM_EINTERNAL: the run shows no such thing.
 */
int mcc_judge(mcc *m, const mcc_property *p, const om_firings *run, om_wide value);

/* ---- answers.c ---- */

/* Records the answer and prints it. */
void mcc_answer(mcc *m, mcc_property *p, om_wide value, const char *techniques);
/* Names of techniques, as defined by the contest */
#define MCC_EXPLICIT "EXPLICIT STATE_COMPRESSION PARALLEL_PROCESSING"
#define MCC_REDUCED MCC_EXPLICIT " STRUCTURAL_REDUCTION"
#define MCC_INITIAL "TOPOLOGICAL INITIAL_STATE"
#define MCC_EQUATION "TOPOLOGICAL STATE_EQUATION"
#define MCC_WALK "EXPLICIT RANDOM_WALK BESTFIRST_WALK"
#define MCC_STUBBORN "EXPLICIT STUBBORN_SETS"
/* The contest's name for a missing bound */
#define MCC_ENDLESS "+inf"

/* Decides properties by the bounds of places and by the initial marking. OM_OK or OM_ENOMEM. */
int mcc_decide_initially(mcc *m);
/* Number of nodes of a net from which on reduced nets are kept only for as long as they are used */
enum { MCC_LARGE_NODES = 100000 };
/* Returns the number of places and transitions. */
static inline size_t mcc_nodes(const om_net *net)
{
    return (size_t) net->place_count + net->transition_count;
}
/* Returns the nanoseconds left, at least 1. */
uint64_t mcc_left_ns(const mcc *m);
/* Returns the same as a limit of at most ns; 0 if there is no limit. */
uint64_t mcc_limit_ns(const mcc *m, uint64_t ns);
/* Starts a new time limit for the next step and clears the stop of an earlier one. A plan does that
 * by itself. */
void mcc_begin(mcc *m, uint64_t ns);
/* Returns true if the failure only leaves a property unknown; moves its message to *why. */
bool mcc_leaves_unknown(mcc *m, int rc, const char **why);

/* Returns true if the run was interrupted by the user. */
bool mcc_is_interrupted(om_plan *plan);

/* ---- explore_states.c, explore_runs.c: explorations ---- */

/* Decide as many properties as possible in the time left. OM_OK if nothing but limits failed. */
int mcc_check_states(mcc *m);
int mcc_check_runs(mcc *m);

/* ---- rounds.c: walks and explorations in turn ---- */

/* Works on a question for about this time. Sets *out if it could not use more time. */
typedef int mcc_step(mcc *m, void *self, uint64_t ns, bool *out);
/* Calls the two in turn, with growing time slices (rounds.h), until the only property is decided or
 * no time is left. So small nets are decided early, and large ones are walked before their states
 * fill the memory. The first failure ends the sequence. */
int mcc_alternate(mcc *m, void *self, mcc_step *walk, mcc_step *explore);

/* ---- rules.c: simplification by the state equation, within a time limit ---- */

/* Replaces predicates of an MCC_RUNS formula by constants if they hold never or always. Sets
 * *simpler if the formula has changed, and *cut if more time might have helped. */
int mcc_simplify(mcc *m, mcc_property *p, uint64_t ns, bool *simpler, bool *cut);

/* ---- random_walk.c: random walks with a time limit ---- */

/* om_net_walk() on the net, and om_net_seek(), for at most this time. They set the seed (another
 * one each time), the deadline and the memory. As those; OM_ESTOP if the user interrupts. */
int mcc_walk(mcc *m, om_walk *walk, uint64_t ns);
int mcc_seek(mcc *m, const om_net *net, om_seek *seek, uint64_t ns);
/* Walks for what open properties ask of single markings. */
int mcc_walk_states(mcc *m, uint64_t ns);
/* Reports the transitions that fire to enough(), until that returns true. */
int mcc_walk_fired(
    mcc *m, uint64_t ns, void *self, bool (*enough)(void *self, uint32_t transition));
/* Walks for a deadlock. If there is one, `answer` is the answer to the only property. */
int mcc_walk_stuck(mcc *m, uint64_t ns, om_wide answer);
/* Returns the largest value of a sum by the bounds of places, or INT64_MAX. */
om_wide mcc_most(const om_net *net, const om_net_term *terms, uint32_t count);

/* ---- global.c, deadlock.c: examinations without a file; m->properties has one entry, or four ----
 */

int mcc_state_space(mcc *m);
int mcc_deadlock(mcc *m);
int mcc_one_safe(mcc *m);
int mcc_quasi_liveness(mcc *m);
int mcc_stable_marking(mcc *m);
int mcc_liveness(mcc *m);
/* Answers no if bounds of places show that some transition can never fire, with any binding. */
int mcc_decide_dead(mcc *m);
/* Answers the only property by 0 if some transition is found that can never fire. */
int mcc_refute_by_nodes(mcc *m);
/* Calls the function with a part of the time that is left, if there is a limit. */
int mcc_with_part(mcc *m, unsigned part, int (*call)(mcc *m, void *self), void *self);

/* ---- nodes.c: the net as a whole, by properties of its nodes ---- */

/* What is asked of each node, and what follows */
typedef struct mcc_node_question {
    const bool *seen; /* by node: the value is known, and it is not the decisive one */
    uint32_t count;   /* of the nodes */
    /* Makes the node's property, of single markings; false if memory runs out. */
    bool (*make)(mcc *m, uint32_t node, mcc_property *out);
    om_wide decisive;
    om_wide answer; /* 0 or 1: of the examination, if a node has the decisive value */
    bool otherwise; /* if no node has it, the answer is the opposite */
} mcc_node_question;
/* Some binding of the transition can fire. */
bool mcc_node_fires(mcc *m, uint32_t node, mcc_property *out);
/* The place always has its initial number of tokens. */
bool mcc_node_is_stable(mcc *m, uint32_t node, mcc_property *out);
/* Decides the only property, if possible, in the time that is left. */
int mcc_ask_nodes(mcc *m, const mcc_node_question *q);

#endif
