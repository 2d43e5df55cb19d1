/* SPDX-License-Identifier: Apache-2.0 */
/* colour_net.h: reads symmetric nets from text, unfolds them, and explores them explicitly. */
#ifndef OMEN_TESTS_PNML_COLOUR_NET_H
#define OMEN_TESTS_PNML_COLOUR_NET_H

#include "unfold/unfold.h"

/* Reads and unfolds a net (or makes a P/T net). The caller frees *net in any case. */
int colour_net_read(om_context *ctx, const char *text, size_t length, om_net *net);

typedef struct colour_size {
    uint64_t states, firings, most_in_place, most_in_marking;
    bool complete; /* the number of states is within the limit */
} colour_size;

/* Called for each firing, with the markings (one byte per place) and the transition. */
typedef void colour_firing_fn(
    void *self, const om_net *net, const uint8_t *from, uint32_t t, const uint8_t *to);

/* Explores the net breadth-first, up to `limit` states. Returns OM_ELIMIT if a place gets more than
 * 255 tokens. */
int colour_explore(const om_heap *heap, const om_net *net, uint64_t limit, colour_size *out,
    colour_firing_fn *fired, void *self);

#endif
