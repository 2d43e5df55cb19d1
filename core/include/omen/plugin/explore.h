/* SPDX-License-Identifier: Apache-2.0 */
/* explore.h: the figures of a breadth-first exploration of all of a product or a model. */
#ifndef OMEN_EXPLORE_H
#define OMEN_EXPLORE_H

#include <omen/plugin/product.h>

/* What devices were asked to do; all 0 where none was. */
typedef struct om_device_figures {
    uint32_t devices;
    /* Steps that were done: one a level, or several where it is larger than a chunk. Idle ones were
     * queued ahead and found nothing to do. */
    uint64_t steps, idle_steps;
    uint64_t step_launches; /* of kernels, by steps of both kinds */
    uint64_t launches;      /* all of them, those for growth included */
    uint64_t read_backs;    /* how often the host waited for what a device wrote */
    uint64_t exchanged;     /* candidates that went from one device to another */
} om_device_figures;

typedef struct om_exploration {
    uint64_t states, transitions, deadlocks;
    uint32_t levels; /* BFS levels, the initial one included */
    uint64_t memory_bytes;
    double seconds;
    om_store_figures store; /* all 0 where it was explored on a device */
    om_fault fault;         /* not 0: the model went wrong in fault_vector */
    uint32_t *fault_vector; /* the product's words, the caller's to om_free(), or NULL */
    om_id fault_state;      /* its number, in the product or on the device */
    om_id *fault_path; /* the way there in the product's states, likewise; NULL: not on a device */
    size_t fault_path_length;
    uint64_t overflows;        /* of assignments, as they were met */
    uint32_t *overflow_vector; /* a state that one of the first leaves; the caller's, too */
    /* By om_plan_explore() alone, for as long as its plan: who computed the successors. */
    const char *executor; /* "vm", "native", "vm, then native", "table", "opencl", "host" */
    const char *device;   /* NULL: the CPU */
    om_device_figures on_device;
    /* Likewise: a device that was asked first and could not do it, and why; or NULL. */
    const char *gave_up;
    /* Seconds from the beginning (drivers and their kernels included) to the moment a limit was
     * hit, and from then to the end; 0: none was. */
    double limit_after, overtime;
} om_exploration;

#endif
