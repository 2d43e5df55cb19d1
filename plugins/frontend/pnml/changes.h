/* SPDX-License-Identifier: Apache-2.0 */
/* changes.h: what firing changes, by transition and by place: the incidence matrix. */
#ifndef PNML_CHANGES_H
#define PNML_CHANGES_H

#include "net.h"

/* So much more there (or less), at a place or by a transition; change is not 0. */
typedef struct pnml_change {
    uint32_t at;
    om_value change;
} pnml_change;

/* Those of transition t are of_transition[first[t] .. first[t + 1]), of place p likewise. */
typedef struct pnml_changes {
    size_t *first, *place_first, count;
    pnml_change *of_transition, *of_place;
} pnml_changes;

/* possible[t]: transition t may fire; NULL: any may. To be freed however it ends. */
int pnml_changes_make(pnml_changes *out, const pnml_net *net, const bool *possible);
void pnml_changes_free(pnml_changes *c, const om_heap *heap);

#endif
