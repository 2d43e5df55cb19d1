/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt.h: the parts of a check: choice of checkers, conversion of acceptance, devices, races,
 * and the runs of attempts.
 */
#ifndef OMEN_PLAN_ATTEMPT_H
#define OMEN_PLAN_ATTEMPT_H

#include "session.h"

/* choose.c. What a checker must be able to do */
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

/* Lists all checkers, the best first. The caller frees *out with om_free(). OM_OK or OM_ENOMEM. */
int om_plan__choices(const om_plan *p, const om_need *need, om_choice **out, size_t *count);
/* Returns what a part requires of a checker. */
om_need om_plan__need(const om_part *part, unsigned workers, bool on_device);
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
void om_plan__conversion_why(const om_forms *f, const om_conversion *c, char out[OM_WHY_BYTES]);

/* fair_part.c. om_plan__parts() under fairness: there is one part, and it is strong (fairness.h);
 * there is none if nothing is accepted, fair or not. */
int om_fair__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count);
/* Converts the automaton to the form that the checker takes, and makes its marks. */
int om_fair__normalise(const om_plan *p, const om_part *part, om_attempt *t);

/* devices.c */
/* Return true if the user wants a device at all; if the user named one. */
bool om_plan__device_wanted(const om_plan *p);
bool om_plan__device_named(const om_plan *p);
/* Opens the named device; or, for a named checker that needs a device (`checker`, else NULL), any
 * device. OM_EUNSUPPORTED if it is not available. NULL, with a notice, if a named device is
 * unavailable only at the moment. Must not be called if the options want no device. */
int om_plan__device(om_plan *p, const char *checker, om_device **out);

/* parts.c */
/* Makes the parts of an automaton, at most OM_PLAN_PARTS, in zeroed memory. The caller frees the
 * parts, whatever is returned. */
int om_plan__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count);
void om_plan__parts_free(om_plan *p, om_part *parts); /* `parts` has OM_PLAN_PARTS elements */
/* Makes one part, whose plan and sets of fairness are set: its forms and its checkers, the one that
 * is `asked` for or (NULL) by rank. Takes ownership of `owned` (NULL: the caller keeps the
 * automaton). */
int om_plan__make_part(om_plan *p, const om_automaton *a, om_automaton *owned, om_strength strength,
    const char *asked, om_part *part);
void om_plan__part_free(om_part *part);
/* Sets checker and options from the user's "NAME[:options]". */
int om_plan__named_checker(const om_plan *p, const char *text, om_attempt *t);
/* Converts the automaton to the form that the attempt's checker takes. If the checker takes the
 * automaton's own acceptance, the automaton is used as it is. */
int om_plan__normalise(const om_plan *p, const om_part *part, om_attempt *t);
/* Finds the strength of the strongest SCC. */
int om_plan__strength_of(const om_plan *p, const om_automaton *a, om_strength *out);

/* race.c. The next two functions enclose the work of a part itself. The attempt on a device waits
 * for its time and for its device; afterwards part->answer is the attempt whose outcome counts. */
void om_race__start(om_part *part);
/* Returns false if the CPU gave way to a strong part and the device then found no answer. */
bool om_race__end(om_part *part);
/* Stops attempts on the CPU that must give way to a strong part. Called by the watcher. */
void om_race__give_way(om_plan *p);
/* Recalls the opener after the parts of a check. Does not wait for a driver that cannot be
 * interrupted. */
void om_race__recall(om_plan *p);
/* As om_race__recall(), but waits for the driver. */
void om_race__settle(om_plan *p);
bool om_race__busy(om_plan *p);

/* run.c */
/* Runs an attempt and returns its status. Called once for each attempt. */
int om_plan__attempt(om_attempt *t);
/* Frees the task that an attempt has kept. */
void om_plan__drop_task(om_attempt *t);
/* Runs the parts as the schedule says, each with a copy of the spec (this function sets automaton,
 * workers and device). */
void om_plan__run(om_plan *p, om_part *parts, size_t count, const om_task_spec *spec);

#endif
