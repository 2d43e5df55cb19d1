/* SPDX-License-Identifier: Apache-2.0 */
/* How values and places are written, for every format and for the reader, which compares them. */
#include "values.h"

#include <string.h>

void om_lasso__place(const om_place *place, om_text *out)
{
    if (place->file == NULL)
        return;
    const char *slash = strrchr(place->file, '/');
    om_text_add(out, slash == NULL ? place->file : slash + 1);
    if (place->line != 0)
        om_text_printf(out, ":%" PRIu32, place->line);
    if (place->line != 0 && place->column != 0)
        om_text_printf(out, ":%" PRIu32, place->column);
}

const char *om_lasso__enumerator(const om_slot *slot, om_value value)
{
    bool named = slot->type == OM_ENUM && slot->enumerator_names != NULL && value >= 0 &&
                 (uint32_t) value < slot->enumerators;
    return named ? slot->enumerator_names[value] : NULL;
}
