/* SPDX-License-Identifier: Apache-2.0 */
/* relativise.h: formulas over some positions of a word only; for other modules of core. */
#ifndef OM_LTL_RELATIVISE_H
#define OM_LTL_RELATIVISE_H

#include <omen/plugin/ltl.h>

/*
 * Creates a formula *out from f. At a position where `visible` holds, *out holds if and only if f
 * holds there on the word of the positions where `visible` holds, provided that these are
 * infinitely many. After the last of them X and F are false (X of a negation is treated as the
 * negation of X). Returns OM_OK or OM_ENOMEM. One thread at a time.
 */
int om_ltl__relativise(om_ltl *l, om_ltl_ref f, om_ltl_ref visible, om_ltl_ref *out);

#endif
