/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asked.h: a property of single markings on a net that was reduced for it, and what can be done
 * about it without an exploration.
 *
 *  Q1  Only open properties of single markings are asked for.
 *  Q2  A predicate or a sum refers to places of the target.
 */
#ifndef OMEN_MCC_ASKED_H
#define OMEN_MCC_ASKED_H

#include "net_target.h"

typedef struct mcc_asked {
    mcc_property *property;
    mcc_target own,
        *target; /* the target is own, or shared with other properties; NULL: not open */
    const om_predicate *wanted; /* over the target; NULL for MCC_BOUND */
    const om_net_term *terms;   /* for MCC_BOUND: the sum over the target is these plus constant */
    uint32_t term_count;
    om_wide constant;
    bool unusable;  /* its numbers are too large for the target */
    bool possible;  /* the state equation has been asked, and a marking seems possible */
    bool exhausted; /* a search has seen all markings */
    unsigned searches;
} mcc_asked;

/* Reduces the net for the property alone, for at most this time. The property may be decided then.
 * The caller closes *a, whatever is returned. OM_OK, OM_ENOMEM, OM_ESTOP. */
int mcc_asked_open(mcc *m, mcc_asked *a, uint64_t ns);
/* The same for a target that is open, which is borrowed. */
int mcc_asked_open_on(mcc *m, mcc_asked *a, mcc_target *target);
/* Frees the own target. */
void mcc_asked_close(mcc *m, mcc_asked *a);
/* Returns true if the property is open and can be asked for. */
bool mcc_asked_is_open(const mcc_asked *a);

/* Decides the property if the state equation proves that no marking decides it otherwise. */
int mcc_asked_rule_out(mcc *m, mcc_asked *a, uint64_t ns);
/* Searches for a marking that decides the property, best first, in another order than before. */
int mcc_asked_seek(mcc *m, mcc_asked *a, uint64_t ns);

/* Decides the property by a run of the target to a marking, which the referee checks. `value`: for
 * MCC_BOUND, the value of its sum (not of the target's). `walked`: the run was found by a walk. */
int mcc_asked_show(mcc *m, mcc_asked *a, const om_firings *found, om_wide value, bool walked);

#endif
