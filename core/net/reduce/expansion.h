/* SPDX-License-Identifier: Apache-2.0 */
/* expansion.h: translates runs of a reduced net to runs of the original one. */
#ifndef OM_NET_EXPANSION_H
#define OM_NET_EXPANSION_H

#include "reduction.h"

/* The pieces that transitions of the reduced net stand for, and those fired before all of them. */
typedef struct om_pieces {
    om_piece *list;
    uint32_t *begin; /* pieces */
    size_t count, begin_count;
} om_pieces;

/* Implements om_reduction_expand(). piece: by transition of the reduced net; observed: by place of
 * the original net. */
int om_net__expand(const om_net *net, const om_pieces *pieces, const uint32_t *piece,
    const uint8_t *observed, const om_firings *reduced, om_firings *out);

#endif
