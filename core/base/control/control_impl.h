/* SPDX-License-Identifier: Apache-2.0 */
/* control_impl.h: the representation of a control, which is a member of its context. */
#ifndef OM_BASE_CONTROL_IMPL_H
#define OM_BASE_CONTROL_IMPL_H

#include "control.h"

#include <pthread.h>
#include <stdatomic.h>

struct om_control {
    om_control *parent, *root;         /* root: the control itself if it has no parent */
    om_limits limits;                  /* the watcher uses the next two members instead */
    atomic_uint_least64_t deadline_ns; /* on om_clock_ns(); 0: none */
    atomic_uint_least64_t memory;      /* bytes; 0: no limit */
    atomic_int reason;
    atomic_uint_least64_t stopped_ns; /* for the report; set after `reason` */
    atomic_uint_least64_t taken;      /* bytes that om_control__allows() allowed */
    /* Guarded by the root's lock: the list of children, and changes of `reason`, so that a stop and
     * a concurrent creation below it see each other. */
    om_control *first_child, *next_sibling;
    om_turn *turn;        /* written under the root's lock, by the thread of the work; or NULL */
    pthread_mutex_t lock; /* used in a root only */
};

/* Initialises c, below `parent` if that is not NULL. Returns false if no lock can be made. */
bool om_control__open(om_control *c, om_control *parent);
/* No control may be below it. */
void om_control__close(om_control *c);
/* Like om_control__allows(), for bytes that will be used gradually: only `soon` of them at once. */
bool om_control__allows_soon(om_control *c, uint64_t soon, uint64_t bytes);

#endif
