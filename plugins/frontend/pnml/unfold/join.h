/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h: finds the possible bindings of a transition from the facts (facts.h).
 *
 * The tokens that a transition takes, as far as they are written as single tuples, form a
 * conjunction of atoms. The bindings are then the answers of a Datalog rule, and semi-naive
 * evaluation finds them all (Ullman, Principles of Database and Knowledge-Base Systems, 1988):
 * facts are taken up one after the other, each is matched with each atom of its place, and the
 * other atoms are joined with the facts taken up so far, by index. An atom before the matched one
 * accepts only facts before the latest, so that each binding is found once.
 *
 * Each atom has a plan, made once: its steps bind variables one after the other, and each part of
 * the guard is tested as soon as its variables are bound, the cheapest parts first.
 *
 * U1  A step uses only variables that steps before it bound, and the last one leaves none unbound.
 * U2  A variable's binding is below its sort's size.
 * U3  The facts taken up, and only they, are in the indices of their places.
 * U4  Each token of a binding that is kept is a fact.
 */
#ifndef PNML_JOIN_H
#define PNML_JOIN_H

#include "facts.h"
#include "place_transition/make_net.h"

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
    PNML_MATCH, /* the current fact; always the first step, if present */
    PNML_LOOK,  /* tests that the atom's fact exists */
    PNML_JOIN,  /* each fact that agrees with the bound variables */
    PNML_TEST,  /* tests a part of the guard */
    PNML_SET,   /* binds a variable that the guard equates with a bound term */
    PNML_EACH   /* each colour of a variable */
} pnml_step_kind;

typedef struct pnml_step {
    pnml_step_kind kind;
    bool earlier; /* only facts before the current one */
    const pnml_atom *atom;
    uint64_t bound;  /* variables bound before this step */
    uint32_t index;  /* JOIN: index into pnml_unfolding.indices */
    uint32_t cursor; /* JOIN: the fact; EACH: the colour */
    uint32_t variable;
    const pnml_colour_term *term; /* TEST: the guard; SET: the value */
    uint64_t shift, size;         /* SET, EACH: those of the variable */
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
    bool exact; /* the atoms are all that it takes: every binding found is possible */
    pnml_atom *atoms;
    pnml_plan *plans; /* one for each atom; one plan if there is no atom */
    uint32_t atom_count;
    om_written pos;
    uint32_t *bindings; /* scope.count numbers each */
    size_t binding_count, binding_room;
    uint32_t *order; /* of the bindings, after sorting */
} pnml_rule;

/* A rule and its atom, to be matched with the facts of a place. */
typedef struct pnml_trigger {
    uint32_t rule, atom;
} pnml_trigger;

/* A place of the file. */
typedef struct pnml_store {
    const pnml_sort *sort;
    uint32_t facts; /* number of facts */
    pnml_trigger *triggers;
    size_t trigger_count, trigger_room;
    uint32_t *indices; /* into pnml_unfolding.indices */
    size_t index_count, index_room;
} pnml_store;

/* Zero-initialise with d, region.heap and the members of sorts and facts set. */
typedef struct pnml_unfolding {
    const pnml_document *d;
    om_region region;
    pnml_sorts sorts;
    pnml_facts facts;
    pnml_bag bag;
    pnml_store *stores;
    pnml_rule *rules;
    uint32_t store_count, rule_count;
    uint32_t *number; /* by node of the document: index into stores or rules */
    pnml_index *indices;
    size_t index_count, index_room;
    pnml_facts wanted; /* facts that bindings wait for (unfold.c) */
    uint32_t *waiting; /* entries: rule, next entry that waits for the same fact, the binding */
    size_t waiting_count, waiting_room;
    uint64_t bindings; /* of all rules */
} pnml_unfolding;

/* Finds the atoms of a rule whose terms are read. Returns OM_OK or OM_ENOMEM. */
int pnml_find_atoms(pnml_unfolding *j, pnml_rule *r);
/* Makes the atoms, triggers, indices and plans of such a rule. Returns OM_OK or OM_ENOMEM. */
int pnml_plan_rule(pnml_unfolding *j, uint32_t rule);

/* Calls `found` for each binding of the plan; fact is the latest one taken up, or OM_NONE. Returns
 * the result of `found` if it is not OM_OK; OM_ELIMIT or OM_ESTOP when stopped. */
typedef int pnml_found_fn(pnml_unfolding *j, pnml_rule *rule, const uint32_t *binding);
int pnml_join_run(
    pnml_unfolding *j, pnml_rule *rule, uint32_t plan, uint32_t fact, pnml_found_fn *found);

/* Makes the places with their colours, and the transitions. The facts must be sorted. */
int pnml_unfold_emit(pnml_unfolding *j, om_net *net);

#endif
