/* SPDX-License-Identifier: Apache-2.0 */
/* next.h: test for the next operator; internal interface for other modules of core. */
#ifndef OM_LTL_NEXT_H
#define OM_LTL_NEXT_H

#include <omen/plugin/ltl.h>

/* Sets *has to true if X occurs in f. A formula without X is stutter-invariant (Lamport, What good
 * is temporal logic?, 1983). OM_OK or OM_ENOMEM, without a message. One thread at a time. */
int om_ltl__has_next(const om_ltl *l, om_ltl_ref f, bool *has);

#endif
