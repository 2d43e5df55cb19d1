/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/plugin/net.h>

#include <string.h>

int om_net_new(om_net **out, om_context *ctx, const char *file)
{
    const om_heap *heap = om_context_heap(ctx);
    om_net *net = om_alloc(heap, 1, sizeof *net);
    if (net == NULL)
        return om_fail_memory(ctx);
    net->ctx = ctx;
    net->region.heap = heap;
    net->file = om_region_copy(&net->region, file, strlen(file));
    if (net->file == NULL) {
        om_net_free(net);
        return om_fail_memory(ctx);
    }
    *out = net;
    return OM_OK;
}

void om_net_clear(om_net *net)
{
    om_region_free(&net->region);
}

void om_net_free(om_net *net)
{
    if (net == NULL)
        return;
    om_net_clear(net);
    om_free(net->region.heap, net);
}
