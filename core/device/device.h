/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: devices as the files of core/device know them; README.md has the layers. */
#ifndef OM_DEVICE_DEVICE_H
#define OM_DEVICE_DEVICE_H

#include "backend.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum om_test_state { OM_TEST_DUE, OM_TEST_PASSED, OM_TEST_FAILED } om_test_state;

struct om_device {
    om_devices *owner;
    const om_backend *backend; /* NULL: a group */
    void *own;                 /* the back end's */
    om_device_info info;
    /* What info points to. */
    char *name, *platform_name, *driver, *version, *platform_version, *reason;
    bool host_memory; /* its memory is the process's: --memory counts it */
    bool folderless;  /* there is no folder for its driver's files, which need not last */
    bool simulated;   /* by oclgrind, which looks for data races and takes calls of one thread */
    bool own_pages; /* its memory may be pages that we map, and move without a copy: see queue.c */
    bool per_size;  /* its driver compiles a kernel for each size of a work-group, for seconds */
    bool alone;     /* it shares no program with others of its make */
    bool steady;    /* its chunks stay as large as they are at first: what is counted must not
                     * depend on how fast it is, and it is slower than any that chunks are for */
    /* Work-items of a work-group (one size, so that a driver that compiles per size does it once)
     * and what each of them sees to: OM_BATCH of the kernels. */
    uint32_t local, batch;
    /* Entries of a work-group's filter of repeated candidates (OM_FILTER of the kernels); 0: none,
     * where local memory is memory like any other. */
    uint32_t filter;
    uint32_t segments;   /* buffers that rows, and an index, may come in (OM_SEGMENTS): 1 or 4 */
    uint32_t most_items; /* that it needs to be busy: more items than that share work-items */
    bool tuned;          /* those sizes were tried out; after opening, under the owner's lock */
    om_test_state test;
    /* It did not answer for so long (what it is asked for takes milliseconds), and is asked for
     * nothing more. Only ever becomes true; relaxed: who sees it late waits as long. */
    uint64_t patience_ns;
    atomic_bool lost;
    /* Of a group, which is nothing else: devices that explore together (engine.h), at least two. */
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
        const om_backend *backend; /* NULL: not open */
        void *own;
    } open[OM_BACKENDS];
    pthread_mutex_t lock; /* guards the builds: see builds.c; and what a back end says it guards */
    pthread_cond_t built;
    om_build *builds;
    om_deferred *deferred;
};

/* The costs of that kernel in a sum, new ones where it has none; the last ones where there are too
 * many. */
om_kernel_cost *om_device__cost_of(om_device_costs *sum, const char *kernel);
/* Adds all of the kernels' costs. */
void om_device__add_costs(om_device_costs *sum, const om_device_costs *more);

/* A new device at the end of the list, zeroed but for its owner and its back end; NULL: no memory.
 * Earlier ones may move: while a list is being made, nobody keeps pointers into it. */
om_device *om_devices__add(om_devices *all, const om_backend *backend);

/* Makes the device ready. OM_OK or OM_EUNSUPPORTED with a message. */
int om_device__start(om_device *d, om_context *ctx);
/* Records what a call of its back end came to: OM_EUNSUPPORTED, "device NAME: what: why". */
int om_device__fail(const om_device *d, om_context *ctx, const char *what, int error);
/* It has not answered: is lost from now on, which is recorded. OM_EUNSUPPORTED. */
int om_device__lose(om_device *d, om_context *ctx);
/* The same where it is; OM_OK where it is not. */
int om_device__check(const om_device *d, om_context *ctx);

static inline bool om_device__lost(const om_device *d)
{
    return atomic_load_explicit(&d->lost, memory_order_relaxed);
}

/* What om_device__fail() does, where its memory is out. */
int om_device__fail_memory(const om_device *d, om_context *ctx, const char *what);

#endif
