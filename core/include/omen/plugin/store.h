/* SPDX-License-Identifier: Apache-2.0 */
/* store.h: how states may be stored, and the figures of a store. */
#ifndef OMEN_STORE_H
#define OMEN_STORE_H

#include <omen/plugin/base.h>

typedef enum om_store_kind {
    OM_STORE_TREE, /* trees of shared pairs: Laarman, van de Pol, Weber 2011 */
    OM_STORE_PLAIN /* vectors as they are */
} om_store_kind;

/* What a store holds and what it did. Exact while nobody uses it, else a moment's impression. */
typedef struct om_store_figures {
    uint64_t states;
    uint64_t vector_bytes; /* vectors, or roots and inner nodes of trees */
    uint64_t index_bytes;
    uint64_t side_bytes;       /* side arrays of the product */
    uint64_t nodes;            /* inner nodes of trees, roots left out; 0 for plain */
    uint64_t entries;          /* of the index of states */
    uint64_t lookups;          /* vectors asked for */
    uint64_t probes;           /* lines of its index (64 bytes) looked at for them */
    uint64_t growths;          /* of any index */
    uint64_t longest_pause_ns; /* workers were kept waiting by a growth */
    /* Processor time of the thread that led the growth which took the most of it: a pause on a
     * machine where nobody is put aside. */
    uint64_t longest_pause_cpu_ns;
} om_store_figures;

#endif
