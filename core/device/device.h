/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: devices as seen by the files of core/device; README.md lists the layers. */
#ifndef OM_DEVICE_DEVICE_H
#define OM_DEVICE_DEVICE_H

#include "backend.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum om_test_state { OM_TEST_DUE, OM_TEST_PASSED, OM_TEST_FAILED } om_test_state;

struct om_device {
    om_devices *owner;
    const om_backend *backend; /* NULL for a group */
    void *own;                 /* data of the back end */
    om_device_info info;
    /* Owned copies of the strings that info points to. */
    char *name, *platform_name, *driver, *version, *platform_version, *reason;
    bool host_memory; /* the memory is that of this process: --memory counts it */
    bool folderless;  /* the driver has no folder for its files; that may be temporary */
    bool simulated;   /* by oclgrind, which detects data races and takes calls of one thread */
    bool own_pages; /* its memory may be pages that this process maps, and moves without a copy: see
                     * queue.c */
    bool per_size;  /* the driver compiles a kernel for each work-group size, which takes seconds */
    bool alone;     /* shares no program with other devices of its kind */
    bool steady;    /* chunks keep their initial size: counts must not depend on the speed of the
                     * device, and it is slower than any device that chunks are sized for */
    /* Work-items of a work-group, and items that a work-item processes (OM_BATCH of the
     * kernels). There is one group size, so that a driver that compiles a kernel for each size
     * does so once. */
    uint32_t local, batch;
    /* Entries of a work-group's filter of repeated candidates (OM_FILTER of the kernels); 0 if
     * there is no filter, because local memory is ordinary memory on the device. */
    uint32_t filter;
    uint32_t segments;   /* buffers of the rows, and of the index (OM_SEGMENTS): 1 or 4 */
    uint32_t most_items; /* work-items that keep the device busy; more items share them */
    bool tuned;          /* sizes have been measured; after opening, under the owner's lock */
    om_test_state test;
    /* A device is lost after it has not answered for patience_ns (commands take milliseconds); it
     * receives no further commands. `lost` only ever becomes true; relaxed order suffices, because
     * a thread that reads it late only waits as long. */
    uint64_t patience_ns;
    atomic_bool lost;
    /* The devices of a group, at least two, that explore together (engine.h). A group has no back
     * end and no memory of its own. */
    om_device **members;
    size_t member_count;
    om_device *next_group;
};

enum { OM_MOST_MEMBERS = 64, OM_BACKENDS = 2 };

typedef struct om_build om_build;
typedef struct om_deferred om_deferred;

struct om_devices {
    om_context *ctx;
    const om_heap *heap;
    om_device *items;
    size_t count, capacity;
    om_device *groups;
    struct {
        const om_backend *backend; /* NULL if not open */
        void *own;
    } open[OM_BACKENDS];
    pthread_mutex_t lock; /* guards the builds (see builds.c) and what a back end says it guards */
    pthread_cond_t built;
    om_build *builds;
    om_deferred *deferred;
};

/* Returns the costs of the kernel in a sum. Adds an entry if it has none; returns the last entry if
 * the sum is full. */
om_kernel_cost *om_device__cost_of(om_device_costs *sum, const char *kernel);
/* Adds the costs of all kernels in `more` to a sum. */
void om_device__add_costs(om_device_costs *sum, const om_device_costs *more);

/* Appends a device, zeroed but for its owner, its back end and its patience. Returns NULL if memory
 * runs out. Earlier devices may move: no thread may keep a pointer into the list while it is being
 * built. */
om_device *om_devices__add(om_devices *all, const om_backend *backend);

/* Makes the device ready for use. Returns OM_OK, or OM_EUNSUPPORTED with a message. */
int om_device__start(om_device *d, om_context *ctx);
/* Records an error of the device's back end as "device NAME: what: why". Returns
 * OM_EUNSUPPORTED. */
int om_device__fail(const om_device *d, om_context *ctx, const char *what, int error);
/* Marks a device that has not answered as lost and records that. Returns OM_EUNSUPPORTED. */
int om_device__lose(om_device *d, om_context *ctx);
/* Records that the device is lost and returns OM_EUNSUPPORTED; returns OM_OK if it is not lost. */
int om_device__check(const om_device *d, om_context *ctx);

static inline bool om_device__lost(const om_device *d)
{
    return atomic_load_explicit(&d->lost, memory_order_relaxed);
}

/* The variant of om_device__fail() for memory that ran out on the device. */
int om_device__fail_memory(const om_device *d, om_context *ctx, const char *what);

#endif
