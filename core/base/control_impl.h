/* SPDX-License-Identifier: Apache-2.0 */
/* control_impl.h: the inside of a control, which lies in its context. */
#ifndef OM_BASE_CONTROL_IMPL_H
#define OM_BASE_CONTROL_IMPL_H

#include "control.h"

#include <pthread.h>
#include <stdatomic.h>

struct om_control {
    om_control *parent, *root;         /* root: itself where there is no parent */
    om_limits limits;                  /* the watcher looks at the next two instead */
    atomic_uint_least64_t deadline_ns; /* on om_clock_ns(); 0: none */
    atomic_uint_least64_t memory;      /* bytes; 0: no limit */
    atomic_int reason;
    atomic_uint_least64_t stopped_ns; /* for the report, set behind `reason` */
    atomic_uint_least64_t taken;      /* bytes that om_control__allows() allowed */
    /* Under the root's lock: which controls there are below, and changes of `reason`, so that a
     * stop and a birth below see each other. */
    om_control *first_child, *next_sibling;
    pthread_mutex_t lock; /* of a root */
};

/* false: the system has no lock. Below `parent`, where that is not NULL. */
bool om_control__open(om_control *c, om_control *parent);
/* Nothing is below it any more. */
void om_control__close(om_control *c);
/* As om_control__allows(), for bytes that will be used by and by: `soon` of them at once. */
bool om_control__allows_soon(om_control *c, uint64_t soon, uint64_t bytes);

#endif
