/* SPDX-License-Identifier: Apache-2.0 */
/* relativise.h: formulas that speak of some positions alone, for rooms above. */
#ifndef OM_LTL_RELATIVISE_H
#define OM_LTL_RELATIVISE_H

#include <omen/plugin/ltl.h>

/*
 * *out holds on a word, at a position where `visible` does, exactly if f holds there on the word of
 * the positions where `visible` does, as long as those are infinitely many. Behind the last of them
 * X and F are false (X of a negation as the negation of X). OM_ENOMEM. One thread at a time.
 */
int om_ltl__relativise(om_ltl *l, om_ltl_ref f, om_ltl_ref visible, om_ltl_ref *out);

#endif
