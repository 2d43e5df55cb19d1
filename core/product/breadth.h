/* SPDX-License-Identifier: Apache-2.0 */
/* breadth.h: the inside of a breadth-first search, for breadth.c and explore.c. */
#ifndef OM_PRODUCT_BREADTH_H
#define OM_PRODUCT_BREADTH_H

#include "gang.h"

#include <omen/product.h>

/* States first, first + 1, ...: the `at`-th of a list and those after it. */
typedef struct om_id_range {
    om_id first;
    uint64_t at;
} om_id_range;

/* Part of a level. */
typedef struct om_level_list {
    om_id_range *ranges;
    size_t count, room;
    uint64_t states;
    _Atomic uint64_t taken; /* handed out; may run past `states` */
} om_level_list;

/* `count` states from `first` on were stored when `sources` states from `source` on were expanded;
 * no sources: initial states. */
typedef struct om_origin {
    om_id first, source;
    uint32_t count, sources;
} om_origin;

typedef struct om_breadth_worker {
    om_cursor *cursor;
    om_level_list lists[2]; /* of level l: lists[l % 2] */
    om_origin *origins;
    size_t origin_count, origin_room;
    int rc; /* its own failure */
    unsigned char padding[64];
} om_breadth_worker;

struct om_breadth {
    om_context *ctx;
    const om_heap *heap;
    om_control *control;
    om_breadth_spec spec;
    om_breadth_worker *workers;
    unsigned count;
    uint32_t words;
    /* Written by the leader between levels. */
    uint32_t level;
    uint64_t width, block; /* states of the level; how many are handed out at once */
    bool over, complete;
    uint64_t state_ns, narrow_ns; /* what a state takes; levels below that are not shared */
    unsigned processors;          /* that workers may have */
    om_gang gang;
    atomic_bool stop;       /* now; no data comes with it */
    atomic_bool last_level; /* no further level */
    pthread_mutex_t lock;   /* guards what follows until all are done */
    int rc;
    om_id hit;
};

/* Adds an origin; of use to om_breadth_path(). OM_OK or OM_ENOMEM. */
int om_breadth__remember(const om_breadth *b, om_breadth_worker *w, om_origin o);

#endif
