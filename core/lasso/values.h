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
/* Appends "x = 3  y[1] = idle": the elements that differ between two states or, if before is NULL,
 * all of them except those of processes that do not run; after `most` (at least 1) elements only
 * their number. Returns the number of elements. */
size_t om_lasso__put_changes(const om_model *m, const uint32_t *state, const uint32_t *before,
    const char *between, size_t most, om_text *out);
/* Returns true if the slot is the location of a process. */
bool om_lasso__is_location(const om_model *m, uint32_t slot);
/* Appends a whole slot as JSON: a value, or an array of values. */
void om_lasso__put_slot(const om_slot *slot, const uint32_t *vector, om_text *out);
/* The state that an endless run is in after `steps` steps. */
static inline size_t om_lasso__place_of(const om_lasso *l, size_t steps)
{
    return steps < l->count ? steps : l->loop + (steps - l->loop) % (l->count - l->loop);
}
static inline uint32_t om_lasso__elements(const om_slot *slot)
{
    return slot->length == 0 ? 1 : slot->length;
}

#endif
