/* SPDX-License-Identifier: Apache-2.0 */
/* values.h: how values and steps are written, shared by text, JSON and the reader. */
#ifndef OMEN_LASSO_VALUES_H
#define OMEN_LASSO_VALUES_H

#include <omen/host/lasso.h>

#define OM_LASSO_FORMAT "ITF"
#define OM_LASSO_STUTTER "stutter"

static inline const char *om_lasso__overflow_name(om_overflow_mode mode)
{
    return mode == OM_OVERFLOW_ERROR ? "error" : "wrap";
}
/* "model.dve:12:5", without the folder: a lasso may be replayed from elsewhere. "" if unknown. */
void om_lasso__place(const om_place *place, om_text *out);
/* The enumerator's name, or NULL where the value is written as a number. */
const char *om_lasso__enumerator(const om_slot *slot, om_value value);
static inline uint32_t om_lasso__elements(const om_slot *slot)
{
    return slot->length == 0 ? 1 : slot->length;
}

#endif
