/* SPDX-License-Identifier: Apache-2.0 */
/* changes.h: the incidence matrix: effects of firings, by transition and by place. */
#ifndef OMEN_NET_CHANGES_H
#define OMEN_NET_CHANGES_H

#include <omen/plugin/net.h>

/* A nonzero change in tokens, at a place or by a transition (`at`). */
typedef struct om_net_change {
    uint32_t at;
    om_value change;
} om_net_change;

/* The changes of transition t are of_transition[first[t] .. first[t + 1]); of place p, likewise
 * of_place[] by place_first[]. */
typedef struct om_net_changes {
    size_t *first, *place_first, count;
    om_net_change *of_transition, *of_place;
} om_net_changes;

/* Builds the matrix. possible[t]: transition t may fire; NULL: any may. Call om_net_changes__free()
 * in any case. */
int om_net_changes__make(om_net_changes *out, const om_net *net, const bool *possible);
void om_net_changes__free(om_net_changes *c, const om_heap *heap);

#endif
