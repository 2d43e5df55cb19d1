/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h: the bindings of a transition that can be possible, found from the facts (facts.h).
 *
 * What a transition takes is, as far as it is written as single tuples, a conjunction of atoms: so
 * the bindings are the answers of a Datalog rule, and all of them come from semi-naive evaluation
 * (Ullman, Principles of Database and Knowledge-Base Systems, 1988): facts are taken up one after
 * the other, each is matched with each atom of its place, and the others are joined with the facts
 * taken up so far, by index. An atom in front of the one that is matched takes only facts before
 * the latest: so each binding is found once.
 *
 * Each atom has a plan, made once: its steps bind variables one after the other, and parts of the
 * guard come as soon as their variables are bound, those that are least work first.
 */
#ifndef PNML_JOIN_H
#define PNML_JOIN_H

#include "facts.h"
#include "net.h"

/* A component of an atom: a variable with a shift, or (OM_NONE) a constant. */
typedef struct pnml_leaf {
    pnml_digit digit;
    uint32_t variable;
    uint64_t number; /* the shift, or the constant */
} pnml_leaf;

/* One token that a binding takes. */
typedef struct pnml_atom {
    uint32_t place, leaf_count;
    uint64_t variables;
    const pnml_leaf *leaves;
} pnml_atom;

typedef enum pnml_step_kind {
    PNML_MATCH, /* the fact at hand; always the first step, where there is one */
    PNML_LOOK,  /* the atom's fact is there */
    PNML_JOIN,  /* each fact that fits what is bound */
    PNML_TEST,  /* a part of the guard */
    PNML_SET,   /* a variable that the guard equates with what is bound */
    PNML_EACH   /* each colour of a variable */
} pnml_step_kind;

typedef struct pnml_step {
    pnml_step_kind kind;
    bool earlier; /* only facts in front of the one at hand */
    const pnml_atom *atom;
    uint64_t bound;  /* variables that are bound before this step */
    uint32_t index;  /* JOIN: in pnml_unfolding.indices */
    uint32_t cursor; /* JOIN: the fact; EACH: the colour */
    uint32_t variable;
    const pnml_colour_term *term; /* TEST; SET: what it equals */
    uint64_t shift, size;         /* SET, EACH: the variable's */
} pnml_step;

typedef struct pnml_plan {
    pnml_step *steps;
    uint32_t count;
} pnml_plan;

typedef struct pnml_flow {
    uint32_t place;
    const pnml_colour_term *term;
    om_written pos;
} pnml_flow;

/* A transition of the file. */
typedef struct pnml_rule {
    pnml_scope scope;
    const pnml_colour_term *guard; /* or NULL */
    pnml_flow *takes, *gives;
    uint32_t take_count, give_count;
    bool exact; /* the atoms are all that it takes: a binding that is found is possible */
    pnml_atom *atoms;
    pnml_plan *plans; /* one an atom; one where there is none */
    uint32_t atom_count;
    om_written pos;
    uint32_t *bindings; /* scope.count each */
    size_t binding_count, binding_room;
    uint32_t *order; /* of the bindings, when sorted */
} pnml_rule;

/* Rule and atom that a place's facts are matched with. */
typedef struct pnml_trigger {
    uint32_t rule, atom;
} pnml_trigger;

/* Of a place of the file. */
typedef struct pnml_store {
    const pnml_sort *sort;
    uint32_t facts; /* how many there are */
    pnml_trigger *triggers;
    size_t trigger_count, trigger_room;
    uint32_t *indices; /* in pnml_unfolding.indices */
    size_t index_count, index_room;
} pnml_store;

/* Zero-initialise with d, region.heap and what is in sorts and facts set. */
typedef struct pnml_unfolding {
    const pnml_document *d;
    om_region region;
    pnml_sorts sorts;
    pnml_facts facts;
    pnml_bag bag;
    pnml_store *stores;
    pnml_rule *rules;
    uint32_t store_count, rule_count;
    uint32_t *number; /* of the document's nodes: in stores or rules */
    pnml_index *indices;
    size_t index_count, index_room;
    pnml_facts wanted; /* what bindings wait for (unfold.c) */
    uint32_t *waiting; /* rule, next entry that waits for the same, the binding */
    size_t waiting_count, waiting_room;
    uint64_t bindings; /* of all rules */
} pnml_unfolding;

/* What atoms a rule has whose terms are read. OM_ENOMEM. */
int pnml_find_atoms(pnml_unfolding *j, pnml_rule *r);
/* Makes atoms, triggers, indices and plans of such a rule. OM_ENOMEM. */
int pnml_plan_rule(pnml_unfolding *j, uint32_t rule);

/* Gives each binding of the plan to `found`; fact: the latest one taken up, or OM_NONE. What
 * `found` returns, if it is not OM_OK; OM_ELIMIT or OM_ESTOP when stopped. */
typedef int pnml_found_fn(pnml_unfolding *j, pnml_rule *rule, const uint32_t *binding);
int pnml_join_run(
    pnml_unfolding *j, pnml_rule *rule, uint32_t plan, uint32_t fact, pnml_found_fn *found);

/* net: places with their colours, and transitions; facts are sorted by this. */
int pnml_unfold_emit(pnml_unfolding *j, om_net *net);

#endif
