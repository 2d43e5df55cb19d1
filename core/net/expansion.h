/* SPDX-License-Identifier: Apache-2.0 */
/* expansion.h: runs of a reduced net as runs of the original one. */
#ifndef OM_NET_EXPANSION_H
#define OM_NET_EXPANSION_H

#include "reduction.h"

/* What transitions of the reduced net are made of, and what is fired before them all. */
typedef struct om_pieces {
    om_piece *list;
    uint32_t *begin; /* pieces */
    size_t count, begin_count;
} om_pieces;

/* om_reduction_expand(). piece: by transition of the reduced net; observed: by place of the net. */
int om_net__expand(const om_net *net, const om_pieces *pieces, const uint32_t *piece,
    const uint8_t *observed, const om_firings *reduced, om_firings *out);

#endif
