/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h: choice of the checker for a part, and conversion of acceptance.
 *
 * C1  A conversion yields a class of acceptance that the checker takes; it is used only if the
 *     automaton has no such class itself.
 */
#ifndef OMEN_PLAN_CHOOSE_H
#define OMEN_PLAN_CHOOSE_H

#include "property/fairness.h"

/* The acceptance classes of an automaton, and its numbers of clauses as generalized Rabin and as
 * Streett if changing the marks alone yields that form (else 0). */
typedef struct om_forms {
    uint32_t classes; /* om_automaton_acceptance_classes() */
    om_strength strength;
    size_t rabin, streett;
    bool fair, fins; /* the sets of fairness are free in it; some of them are Fin sets */
    bool unmarked;   /* fairness to processes is required, but they have no sets */
} om_forms;

/* What a checker must be able to do */
typedef struct om_need {
    om_strength strength;  /* strength as which the part is checked */
    const om_forms *forms; /* of the automaton */
    unsigned workers;
    bool on_device;
} om_need;

/* An available checker */
typedef struct om_choice {
    const om_checker *checker;
    uint32_t rank;
    uint64_t effort;     /* of converting the automaton's acceptance: om_plan__effort() */
    const char *why_not; /* why it cannot be a default, or NULL */
} om_choice;

/* choose.c */
/* Lists all checkers, the best first. The caller frees *out with om_free(). OM_OK or OM_ENOMEM. */
int om_plan__choices(const om_plan *p, const om_need *need, om_choice **out, size_t *count);
/* Sets *out to the best checker, or to NULL if there is none. OM_OK or OM_ENOMEM. */
int om_plan__best(const om_plan *p, const om_need *need, const om_checker **out);
/* Fails with status `rc`. The message is "checker NAME", followed by `why` the checker does not
 * meet the need, and by the names of checkers that do. Returns rc, or OM_ENOMEM. */
int om_plan__refuse(
    const om_plan *p, int rc, const om_need *need, const char *name, const char *why);
/* Checks that a named checker meets the need. OM_OK; OM_EUSAGE, with a message as that of
 * om_plan__refuse(); OM_ENOMEM. */
int om_plan__vet(const om_plan *p, const om_need *need, const om_checker *c);

/* acceptance.c */
typedef struct om_conversion {
    uint32_t class; /* OM_ACCEPT_... */
    const char *name;
    int (*convert)(const om_automaton *a, om_context *ctx, om_automaton **out);
} om_conversion;

/* Fills *out. `fair`: the sets of fairness in the automaton, or NULL. `strength`: that of the
 * strongest SCC. */
int om_plan__forms(const om_plan *p, const om_fair_sets *fair, const om_automaton *a,
    om_strength strength, om_forms *out);
/* Returns the effort that the acceptance costs a checker that takes these classes. 0: the checker
 * takes the automaton as it is; UINT64_MAX: there is no conversion to any of the classes; else *how
 * is the conversion to use. */
uint64_t om_plan__effort(const om_forms *f, uint32_t takes, const om_conversion **how);
/* Returns true if the conversion to this class copies states, not only changes marks. */
bool om_plan__copies(const om_forms *f, uint32_t class);
/* Writes the reason for a conversion, in words. */
void om_plan__conversion_why(const om_forms *f, const om_conversion *c, om_text *out);

#endif
