/* SPDX-License-Identifier: Apache-2.0 */
/* next.h: does a formula count steps? For rooms above. */
#ifndef OM_LTL_NEXT_H
#define OM_LTL_NEXT_H

#include <omen/plugin/ltl.h>

/* Is X in it? What is said without it is stutter-invariant (Lamport, What good is temporal logic?,
 * 1983). OM_OK or OM_ENOMEM, with no message. One thread at a time. */
int om_ltl__has_next(const om_ltl *l, om_ltl_ref f, bool *has);

#endif
