/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and workers on several NUMA nodes. Tables that all workers access at random are
 * interleaved over the nodes by page, so that the bus of one node does not serve all accesses. Data
 * of a single worker is on the node of that worker, because a page is placed on the node that
 * touches it first. This is the only reason to bind workers.
 */
#include "processors.h"

unsigned om_nodes__of_worker(const unsigned *processors, unsigned nodes, unsigned worker)
{
    unsigned total = 0;
    for (unsigned i = 0; i < nodes; i++)
        total += processors[i];
    if (total == 0)
        return 0;
    worker %= total;
    for (unsigned round = 0;; round++)
        for (unsigned i = 0; i < nodes; i++)
            if (processors[i] > round && worker-- == 0)
                return i;
}

#ifdef OM_HWLOC

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct om_nodes {
    const om_heap *heap;
    hwloc_topology_t topology;
    hwloc_nodeset_t all; /* nodes with processors */
    unsigned count;
    hwloc_obj_t node[OM_NODES_MOST];
    unsigned processors[OM_NODES_MOST];
};

/* Loading the whole topology takes some milliseconds, so it is skipped if Linux reports "0". These
 * variables make hwloc see another machine. */
static bool may_have_several(void)
{
    char text[16] = "";
    if (getenv("HWLOC_SYNTHETIC") != NULL || getenv("HWLOC_XMLFILE") != NULL)
        return true;
    FILE *f = fopen("/sys/devices/system/node/online", "r");
    if (f == NULL)
        return false;
    bool got = fgets(text, sizeof text, f) != NULL;
    (void) fclose(f);
    return got && strcmp(text, "0\n") != 0;
}

static bool survey(om_nodes *n)
{
    hwloc_obj_t node = NULL;
    if (hwloc_topology_init(&n->topology) != 0)
        return false;
    n->all = hwloc_bitmap_alloc();
    if (n->all == NULL || hwloc_topology_load(n->topology) != 0)
        return false;
    while (n->count < OM_NODES_MOST &&
           (node = hwloc_get_next_obj_by_type(n->topology, HWLOC_OBJ_NUMANODE, node)) != NULL) {
        int processors = hwloc_bitmap_weight(node->cpuset);
        if (processors <= 0 || hwloc_bitmap_or(n->all, n->all, node->nodeset) != 0)
            continue;
        n->processors[n->count] = (unsigned) processors;
        n->node[n->count++] = node;
    }
    return n->count > 1;
}

om_nodes *om_nodes__open(const om_heap *heap)
{
    om_nodes *n = may_have_several() ? om_alloc(heap, 1, sizeof *n) : NULL;
    if (n == NULL)
        return NULL;
    n->heap = heap;
    if (survey(n))
        return n;
    om_nodes__close(n);
    return NULL;
}

void om_nodes__close(om_nodes *n)
{
    if (n == NULL)
        return;
    hwloc_bitmap_free(n->all);
    if (n->topology != NULL)
        hwloc_topology_destroy(n->topology);
    om_free(n->heap, n);
}

unsigned om_nodes__count(const om_nodes *n)
{
    return n == NULL ? 1 : n->count;
}

void om_nodes__spread(const om_nodes *n, void *at, size_t bytes)
{
    if (n != NULL)
        (void) hwloc_set_area_membind(
            n->topology, at, bytes, n->all, HWLOC_MEMBIND_INTERLEAVE, HWLOC_MEMBIND_BYNODESET);
}

/* Binds to a node, not to a single processor, which another program may be using. */
void *om_nodes__enter(const om_nodes *n, unsigned worker)
{
    hwloc_bitmap_t before = n == NULL ? NULL : hwloc_bitmap_alloc();
    if (before == NULL)
        return NULL;
    hwloc_obj_t node = n->node[om_nodes__of_worker(n->processors, n->count, worker)];
    if (hwloc_get_cpubind(n->topology, before, HWLOC_CPUBIND_THREAD) == 0 &&
        hwloc_set_cpubind(n->topology, node->cpuset, HWLOC_CPUBIND_THREAD) == 0)
        return before;
    hwloc_bitmap_free(before);
    return NULL;
}

void om_nodes__leave(const om_nodes *n, void *before)
{
    hwloc_bitmap_t set = before;
    if (set == NULL)
        return;
    (void) hwloc_set_cpubind(n->topology, set, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(set);
}

#else

om_nodes *om_nodes__open(const om_heap *heap)
{
    (void) heap;
    return NULL;
}

void om_nodes__close(om_nodes *n)
{
    (void) n;
}

unsigned om_nodes__count(const om_nodes *n)
{
    (void) n;
    return 1;
}

void om_nodes__spread(const om_nodes *n, void *at, size_t bytes)
{
    (void) n, (void) at, (void) bytes;
}

void *om_nodes__enter(const om_nodes *n, unsigned worker)
{
    (void) n, (void) worker;
    return NULL;
}

void om_nodes__leave(const om_nodes *n, void *before)
{
    (void) n, (void) before;
}

#endif

void om_nodes_describe(om_context *ctx, om_text *out)
{
    unsigned processors = om_processors__count();
    unsigned count = om_nodes__count(om_context__nodes(ctx));
    om_text_printf(out, "processors for workers: %u; memory: ", processors);
#ifndef OM_HWLOC
    om_text_add(out, "not placed (built without hwloc)\n");
    (void) count;
#else
    if (count == 1)
        om_text_add(out, "one node\n");
    else
        om_text_printf(out, "spread over %u nodes\n", count);
#endif
}
