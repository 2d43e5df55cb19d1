/* SPDX-License-Identifier: Apache-2.0 */
/* machine.h: the processors that this process may use, and the nodes of memory beside them. */
#ifndef OM_BASE_MACHINE_H
#define OM_BASE_MACHINE_H

#include <omen/plugin/base.h>

/* Processors that this process may keep busy, at least 1: those of its affinity mask, or fewer
 * where a control group has a quota. */
unsigned om_machine__processors(void);
/* So many of `processors` are a quota: the text of a cpu.max, "max 100000" or "150000 100000". */
unsigned om_machine__quota(const char *text, unsigned processors);

/* The one that the calling thread is on now, or 0 where the system does not say. */
unsigned om_machine__processor(void);
/*
 * Moves the calling thread to another of the processors that it may use: the one so many `steps`
 * behind `from`, round the ring of them. It is not bound to that one, and the system moves it on as
 * it likes. Threads that were made one after the other often wake up on the same processor, and it
 * may be tens of milliseconds until one of them is given another that has little to do.
 */
void om_machine__move_to(unsigned from, unsigned steps);

/*
 * Memory and workers on a machine with several NUMA nodes. There is none of these on a machine with
 * one, or without hwloc at build time: all functions take NULL and do nothing then. What the system
 * refuses is not an error: everything is as correct on another node.
 */
typedef struct om_nodes om_nodes;

enum { OM_NODES_MOST = 64 };

/* NULL where there is nothing to decide. */
om_nodes *om_nodes__open(const om_heap *heap);
void om_nodes__close(om_nodes *n);
/* Nodes that have processors. */
unsigned om_nodes__count(const om_nodes *n);
/* Of the process, opened when first asked for. */
const om_nodes *om_context__nodes(om_context *ctx);

/* The node of a worker: workers go round the nodes, none of which gets more than it has processors
 * before all are taken. Some node must have processors. */
unsigned om_nodes__of_worker(const unsigned *processors, unsigned nodes, unsigned worker);

/* What all workers use at random is spread over the nodes. */
void om_nodes__spread(const om_nodes *n, void *at, size_t bytes);
/* The calling thread runs on the node of this worker from now on; memory that it is the first to
 * touch is there. Returns what om_nodes__leave() wants to undo it. */
void *om_nodes__enter(const om_nodes *n, unsigned worker);
void om_nodes__leave(const om_nodes *n, void *before);

#endif
