/* SPDX-License-Identifier: Apache-2.0 */
/* mcc.h: what the files of `omen mcc` share. */
#ifndef OMEN_CLI_MCC_H
#define OMEN_CLI_MCC_H

#include "cli.h"

#include <omen/host/net_model.h>
#include <omen/host/reduce.h>

/* ---- mcc_xml.c: a document as a tree ---- */

typedef struct mcc_element {
    const char *tag;  /* without a prefix */
    const char *text; /* its own, without blanks around it; "" where there is none */
    om_place place;
    const struct mcc_element *first, *next; /* of its children; of its siblings */
} mcc_element;

/* Reads a file into the region; elements nest so deep at most. The file's name is borrowed. OM_OK;
 * OM_EIO; OM_EINPUT; OM_ENOMEM; OM_ELIMIT, OM_ESTOP. */
enum { MCC_DEPTH = 1000 };
int mcc_read_xml(cli *c, const char *file, om_region *r, const mcc_element **out);

/* ---- mcc_read.c: properties ---- */

typedef enum mcc_kind {
    MCC_ATOM, /* a predicate, which may be constant */
    MCC_NOT,
    MCC_AND, /* of two arguments or more, as MCC_OR */
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
    MCC_RUNS,     /* do all runs have the formula? */
    MCC_POSSIBLE, /* has some reachable marking the predicate? */
    MCC_ALWAYS,   /* have all? */
    MCC_BOUND,    /* the largest sum */
    MCC_COUNT,    /* a figure of the state space */
    MCC_NET       /* something about the net as a whole */
} mcc_question;

/* A property of the examination, and its answer. */
typedef struct mcc_property {
    const char *id;
    mcc_question question;
    const mcc_formula *asked;   /* as it was read; */
    const mcc_formula *formula; /* and simplified by what is known */
    const om_predicate *predicate;
    const om_predicate *wanted; /* what decides the question where some marking has it */
    const om_net_term *terms;   /* of the sum */
    uint32_t term_count;
    om_wide seen; /* the largest that was found, or INT64_MIN */
    bool known;
    bool endless;  /* the answer is that there is no bound; else */
    om_wide value; /* 0 or 1, or the bound */
    const char *techniques;
    double seconds;      /* since the program began */
    const char *why_not; /* where it stays unknown; or NULL */
    bool explored;       /* it was decided on such a net, made by these of om_reduce_passes(): */
    uint32_t places, transitions, passes;
} mcc_property;

typedef struct mcc {
    cli *c;
    om_net *net;
    om_region region; /* of all that is read or made below */
    const char *examination;
    om_text model_file, property_file;
    mcc_property *properties;
    size_t count;
    bool silent;       /* answers are not printed: they are steps on the way to others */
    uint64_t until_ns; /* when the time is over, by om_clock_ns() */
} mcc;

/* Fills m->properties from the file of the examination. */
int mcc_read_properties(mcc *m);

/* ---- mcc_formula.c ---- */

/* Of the region; NULL when memory is out. Constants go where they decide, and what says nothing of
 * later moments becomes a predicate. */
const mcc_formula *mcc_formula_atom(om_region *r, const om_predicate *p);
const mcc_formula *mcc_formula_make(
    om_region *r, mcc_kind kind, const mcc_formula *const *args, uint32_t count);
/* The formula with bounds of the net's places taken into account. */
const mcc_formula *mcc_formula_bounded(om_region *r, const mcc_formula *f, const om_net *net);
/* How many connectives. */
size_t mcc_formula_size(const mcc_formula *f);
/* Does it have a "next", so that how often a marking is repeated matters? */
bool mcc_formula_counts_steps(const mcc_formula *f);

/* ---- mcc_target.c: what is explored for some properties ---- */

typedef struct mcc_target {
    om_reduction *reduction; /* or NULL: the net is as it was read */
    om_reduce_keep keep;
    const om_net *net;
    om_model *model; /* with these predicates; or NULL */
    const om_predicate **predicates;
    size_t predicate_count;
} mcc_target;

/* The net, reduced as far as keeps what they ask; to be closed, whatever is returned. OM_OK;
 * OM_ENOMEM; OM_ESTOP. */
int mcc_target_open(mcc *m, mcc_target *t, om_reduce_keep keep,
    const mcc_property *const *properties, size_t count);
/* The whole net. */
void mcc_target_all(const mcc *m, mcc_target *t);
void mcc_target_close(mcc *m, mcc_target *t);
/* What it says of the target's markings; NULL when memory is out. */
const om_predicate *mcc_target_predicate(mcc *m, const mcc_target *t, const om_predicate *p);
/* The sum of an MCC_BOUND there. OM_OK; OM_ELIMIT, it is too large; OM_ENOMEM. */
int mcc_target_sum(mcc *m, const mcc_target *t, const mcc_property *p, om_net_sum *s);
/* The formula over p0, p1, ...: predicates of the target, to which what is new is added. OM_OK,
 * OM_ENOMEM. (mcc_formula.c) */
int mcc_formula_put(mcc *m, mcc_target *t, const mcc_formula *f, om_text *out);
/* t->model, with the predicates that there are. */
int mcc_target_make_model(mcc *m, mcc_target *t);
/* A plan for it that takes so long at most. */
int mcc_target_plan(mcc *m, const mcc_target *t, uint64_t timeout_ns, om_plan **out);
/* A run of it as one of the net; the list is the caller's to om_free(). As om_reduction_expand().
 */
int mcc_target_run(mcc *m, const mcc_target *t, const om_firings *found, om_firings *out);
/* mcc_answer(), of what was found by exploring it. */
void mcc_target_answer(mcc *m, const mcc_target *t, mcc_property *p, om_wide value);

/* ---- mcc_referee.c ---- */

/*
 * Fires the run on the net as it was read. Of MCC_RUNS, the formula is to be false on it (a run
 * whose end is not told repeats its last marking); of MCC_BOUND, its last marking has that value;
 * of others, its last marking has what is wanted. Where it says that nothing can fire at its end,
 * that is to be so. OM_OK; OM_ENOMEM; OM_EINTERNAL: it is not.
 */
int mcc_judge(mcc *m, const mcc_property *p, const om_firings *run, om_wide value);

/* ---- mcc_check.c ---- */

/* Writes the answer down and prints it. */
void mcc_answer(mcc *m, mcc_property *p, om_wide value, const char *techniques);
/* The names of techniques that the contest knows. */
#define MCC_EXPLICIT "EXPLICIT STATE_COMPRESSION PARALLEL_PROCESSING"
#define MCC_REDUCED MCC_EXPLICIT " STRUCTURAL_REDUCTION"
#define MCC_INITIAL "TOPOLOGICAL INITIAL_STATE"
#define MCC_EQUATION "TOPOLOGICAL STATE_EQUATION"
#define MCC_WALK "EXPLICIT RANDOM_WALK BESTFIRST_WALK"
/* As the contest writes what has no bound. */
#define MCC_ENDLESS "+inf"

/* By bounds, and by what the initial marking is. OM_OK or OM_ENOMEM. */
int mcc_decide_initially(mcc *m);
/*
 * Calls these in turn: a short walk, an exploration that may end before it is complete, a longer
 * walk, and the exploration with all the time that is left. So small nets are not kept waiting, and
 * large ones are walked through before their states fill the memory. Each does nothing where
 * nothing is to be decided any more. The first failure ends it.
 */
typedef int mcc_step(mcc *m, void *self, uint64_t ns);
int mcc_alternate(mcc *m, void *self, mcc_step *walk, mcc_step *explore);
/* Nanoseconds that are left, 1 at least. */
uint64_t mcc_left_ns(const mcc *m);
/* The same, and no more than ns, as a limit: 0 where there is none. */
uint64_t mcc_limit_ns(const mcc *m, uint64_t ns);
/* What comes next may take so long at most; a limit that ended what was before is forgotten. A plan
 * does that by itself. */
void mcc_begin(mcc *m, uint64_t ns);
/* Is that a failure that leaves a property unknown, and no more? Then its message goes to *why. */
bool mcc_leaves_unknown(mcc *m, int rc, const char **why);

/* Was the user tired of it? */
bool mcc_is_interrupted(om_plan *plan);

/* ---- mcc_states.c, mcc_runs.c: explorations ---- */

/* Decides what it can of the properties, in the time that is left. OM_OK where nothing failed but
 * limits. */
int mcc_check_states(mcc *m);
int mcc_check_runs(mcc *m);

/* ---- mcc_rules.c: what the state equation decides, in so much time ---- */

/* Of properties of single markings: what is wanted of them is impossible. */
int mcc_rule_out(mcc *m, mcc_property *const *open, size_t count, uint64_t ns);
/* What is never so, or always, is constant in the formula of an MCC_RUNS. Sets *simpler where it is
 * another one then. */
int mcc_simplify(mcc *m, mcc_property *p, uint64_t ns, bool *simpler);

/* ---- mcc_walk.c: random walks, which end when so much time is over ---- */

/* For what open properties ask of single markings. */
int mcc_walk_states(mcc *m, uint64_t ns);
/* Tells of the transitions that fire, until that is enough. */
int mcc_walk_fired(
    mcc *m, uint64_t ns, void *self, bool (*enough)(void *self, uint32_t transition));
/* For a deadlock: where there is one, that is the answer to the only property. */
int mcc_walk_stuck(mcc *m, uint64_t ns, om_wide answer);
/* The largest that a sum can be by the bounds of places, or INT64_MAX. */
om_wide mcc_most(const om_net *net, const om_net_term *terms, uint32_t count);

/* ---- mcc_global.c: examinations that have no file; m->properties has one, or four ---- */

int mcc_state_space(mcc *m);
int mcc_deadlock(mcc *m);
int mcc_one_safe(mcc *m);
int mcc_quasi_liveness(mcc *m);
int mcc_stable_marking(mcc *m);
int mcc_liveness(mcc *m);

#endif
