/* SPDX-License-Identifier: Apache-2.0 */
/* compact_choose.h: chooses the implied slots that a compact form leaves out (compact.h). */
#ifndef OM_MODEL_COMPACT_CHOOSE_H
#define OM_MODEL_COMPACT_CHOOSE_H

#include "form/form.h"

/*
 * Sets left_out[] (by implied slot) for slots whose widths add up to whole words of the vector.
 * Slots that cost too much to compute are kept. Of the others, the most expensive ones are kept as
 * long as the vector gets no longer. width: by slot, its bits in the compact form. Returns OM_OK or
 * OM_ENOMEM.
 */
int om_compact__choose(const om_model *m, const uint8_t *width, bool *left_out);

#endif
