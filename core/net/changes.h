/* SPDX-License-Identifier: Apache-2.0 */
/* changes.h: what firing changes, by transition and by place: the incidence matrix. */
#ifndef OMEN_NET_CHANGES_H
#define OMEN_NET_CHANGES_H

#include <omen/plugin/net.h>

/* So much more there (or less), at a place or by a transition; change is not 0. */
typedef struct om_net_change {
    uint32_t at;
    om_value change;
} om_net_change;

/* Those of transition t are of_transition[first[t] .. first[t + 1]), of place p likewise. */
typedef struct om_net_changes {
    size_t *first, *place_first, count;
    om_net_change *of_transition, *of_place;
} om_net_changes;

/* possible[t]: transition t may fire; NULL: any may. To be freed however it ends. */
int om_net_changes__make(om_net_changes *out, const om_net *net, const bool *possible);
void om_net_changes__free(om_net_changes *c, const om_heap *heap);

#endif
