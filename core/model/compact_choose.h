/* SPDX-License-Identifier: Apache-2.0 */
/* compact_choose.h: which of the implied slots a compact form does without (compact.h). */
#ifndef OM_MODEL_COMPACT_CHOOSE_H
#define OM_MODEL_COMPACT_CHOOSE_H

#include "form.h"

/*
 * left_out (by implied slot) is set for those whose room adds up to whole words of the vector: of
 * all that could be left out, those that cost most to compute stay, as long as the vector gets no
 * longer by them; and those that cost too much. width: by slot, bits that it takes in the compact
 * form. OM_OK or OM_ENOMEM.
 */
int om_compact__choose(const om_model *m, const uint8_t *width, bool *left_out);

#endif
