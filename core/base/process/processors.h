/* SPDX-License-Identifier: Apache-2.0 */
/* processors.h: the processors that this process may use, and NUMA nodes. */
#ifndef OM_BASE_PROCESSORS_H
#define OM_BASE_PROCESSORS_H

#include <omen/plugin/base.h>

/* Returns the number of processors that this process may keep busy, at least 1: those of its
 * affinity mask, or fewer if a control group has a quota. */
unsigned om_processors__count(void);
/* Returns the number of processors, at most `processors`, that a quota allows: the text of a
 * cpu.max, "max 100000" or "150000 100000". */
unsigned om_processors__quota(const char *text, unsigned processors);

/* Returns the processor that runs the calling thread, or 0 if the system does not report it. */
unsigned om_processors__current(void);
/*
 * Moves the calling thread to another processor that it may use: the one `steps` after `from`, in
 * cyclic order. The thread is not bound to it, and the system may move it again. Threads that are
 * created one after another often wake up on the same processor, and it may take tens of
 * milliseconds until the system moves one of them to an idle processor.
 */
void om_processors__move_to(unsigned from, unsigned steps);

/*
 * Placement of memory and workers on a machine with several NUMA nodes. On a machine with one node,
 * or without hwloc at build time, it is NULL, and all functions accept NULL and do nothing. A
 * failing system call is not an error: results do not depend on the placement.
 */
typedef struct om_nodes om_nodes;

enum { OM_NODES_MOST = 64 };

/* Returns NULL if there is only one node. */
om_nodes *om_nodes__open(const om_heap *heap);
void om_nodes__close(om_nodes *n);
/* Returns the number of nodes with processors. */
unsigned om_nodes__count(const om_nodes *n);
/* Returns the nodes of the process, which are opened at the first call. */
const om_nodes *om_context__nodes(om_context *ctx);

/* Returns the node of a worker: workers are assigned to the nodes in turn, and no node gets more
 * workers than processors until all processors are taken. At least one node must have
 * processors. */
unsigned om_nodes__of_worker(const unsigned *processors, unsigned nodes, unsigned worker);

/* Interleaves memory over the nodes, for data that all workers access at random. */
void om_nodes__spread(const om_nodes *n, void *at, size_t bytes);
/* Binds the calling thread to the node of this worker; memory that it touches first is then on that
 * node. Returns the previous binding, the argument for om_nodes__leave(). */
void *om_nodes__enter(const om_nodes *n, unsigned worker);
void om_nodes__leave(const om_nodes *n, void *before);

#endif
