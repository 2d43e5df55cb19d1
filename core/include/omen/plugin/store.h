/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: the kinds of state stores, and the figures of a store. */
#ifndef OMEN_STORE_H
#define OMEN_STORE_H

#include <omen/plugin/base.h>

typedef enum om_store_kind {
    OM_STORE_TREE, /* trees of shared pairs: Laarman, van de Pol, Weber 2011 */
    OM_STORE_PLAIN /* unmodified vectors */
} om_store_kind;

/* Contents and statistics of a store. Exact while no thread uses the store, otherwise
 * approximate. */
typedef struct om_store_figures {
    uint64_t states;
    uint64_t vector_bytes; /* vectors, or roots and inner nodes of trees */
    uint64_t index_bytes;
    uint64_t side_bytes;       /* side arrays of the product */
    uint64_t nodes;            /* inner nodes of trees, without roots; 0 for plain */
    uint64_t entries;          /* slots of the index of states */
    uint64_t lookups;          /* vectors looked up */
    uint64_t probes;           /* index lines (64 bytes) read for the lookups */
    uint64_t growths;          /* of any index */
    uint64_t longest_pause_ns; /* longest time that a growth blocked workers */
    /* Processor time of the thread that led the growth with the largest such time: the pause on a
     * machine where no thread is preempted. */
    uint64_t longest_pause_cpu_ns;
} om_store_figures;

#endif
