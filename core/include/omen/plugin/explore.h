/* SPDX-License-Identifier: Apache-2.0 */
/* explore.h: the figures of a complete breadth-first exploration of a product or a model. */
#ifndef OMEN_EXPLORE_H
#define OMEN_EXPLORE_H

#include <omen/plugin/product.h>

/* Work of the devices; all 0 if no device was used. */
typedef struct om_device_figures {
    uint32_t devices;
    /* Steps executed: one per level, or several if a level exceeds a chunk. Idle steps were queued
     * ahead and had no work. */
    uint64_t steps, idle_steps;
    uint64_t step_launches; /* kernel launches by steps of both kinds */
    uint64_t launches;      /* all kernel launches, those for table growth included */
    uint64_t read_backs;    /* number of times the host waited for data from a device */
    uint64_t exchanged;     /* candidate states that were sent from one device to another */
} om_device_figures;

typedef struct om_exploration {
    uint64_t states, transitions, deadlocks;
    uint32_t levels; /* BFS levels, the initial one included */
    uint64_t memory_bytes;
    double seconds;
    om_store_figures store; /* all 0 for an exploration on a device */
    om_fault fault;         /* not 0: a fault of the model in the state fault_vector */
    uint32_t *fault_vector; /* in product words; the caller frees it with om_free(); or NULL */
    om_id fault_state;      /* id of the state, in the product or on the device */
    /* Path to that state in product ids, which the caller frees; NULL for a device. */
    om_id *fault_path;
    size_t fault_path_length;
    uint64_t overflows; /* of assignments, counted each time they are met */
    /* A state whose outgoing step has one of the first overflows; the caller frees it. */
    uint32_t *overflow_vector;
    /* Set by om_plan_explore() only, valid as long as its plan: what computed the successors. */
    const char *executor; /* "vm", "native", "vm, then native", "table", "opencl", "host" */
    const char *device;   /* NULL: the CPU */
    om_device_figures on_device;
    /* Likewise: the device that was tried first, and why it failed; or NULL. */
    const char *gave_up;
    /* Seconds from the start (driver and kernel set-up included) until a limit was reached, and
     * from then to the end; 0: no limit was reached. */
    double limit_after, overtime;
} om_exploration;

#endif
