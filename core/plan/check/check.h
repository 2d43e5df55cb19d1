/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: from one try to the verdict on a property. */
#ifndef OMEN_PLAN_CHECK_H
#define OMEN_PLAN_CHECK_H

#include "verdict/verdict.h"

/* Reasons to repeat a check with another try, and data from the parts of the last one */
typedef struct om_retry {
    bool runs_end;        /* the run found ends at a fault of the model; others may not */
    bool wider;           /* some variable needed more bits, which it has now */
    bool distrusted;      /* the violation that a device reported was rejected */
    om_strength strength; /* of that part */
    char *gave_up;        /* as in om_part_result; owned; NULL if memory ran out */
} om_retry;

/* try_target.c. Makes one try of the check and fills its result. *again: the reasons for another
 * one, except `wider`. The caller has initialised the try, and frees it, whatever is returned. The
 * status is that of om_plan_check(). */
int om_check__try_target(om_check *c, om_try *try, om_retry *again);

/* retry.c. Makes tries until one needs no repetition. The status is as above. */
int om_check__search(om_check *c, bool ends_at_assertions);

/* assertions.c. Searches for the property; a failed assertion met on the way becomes an additional
 * result. The status is as above. */
int om_check__property(om_check *c);

/* check.c. om_plan_check() under these options. */
int om_plan__check(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, om_check_result *out);

#endif
