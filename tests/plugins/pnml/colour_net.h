/* SPDX-License-Identifier: Apache-2.0 */
/* colour_net.h: symmetric nets from text, unfolded, and explored marking by marking. */
#ifndef OMEN_TESTS_PNML_COLOUR_NET_H
#define OMEN_TESTS_PNML_COLOUR_NET_H

#include "colour.h"

/* Reads and unfolds a net (or makes a P/T net); *net is to be freed in each case. */
int colour_net_read(om_context *ctx, const char *text, size_t length, om_net *net);

typedef struct colour_size {
    uint64_t states, firings, most_in_place, most_in_marking;
    bool complete; /* there are no more states than the limit */
} colour_size;

/* Told of each firing: the markings (a byte a place) and the transition. */
typedef void colour_firing_fn(
    void *self, const om_net *net, const uint8_t *from, uint32_t t, const uint8_t *to);

/* Breadth first, to `limit` states. OM_ELIMIT: more than 255 tokens in a place. */
int colour_explore(const om_heap *heap, const om_net *net, uint64_t limit, colour_size *out,
    colour_firing_fn *fired, void *self);

#endif
