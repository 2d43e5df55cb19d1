/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PNML front end: Petri nets as ISO/IEC 15909-2 has them written, and as the Model Checking
 * Contest has them: P/T nets.
 */
#include "lower.h"

#include <omen/plugin/frontend.h>

#include <string.h>

static void drop(void *data)
{
    pnml_net *net = data;
    if (net == NULL)
        return;
    const om_heap *heap = net->arena.heap;
    pnml_net_free(net);
    om_free(heap, net);
}

static int new_net(pnml_net **out, om_context *ctx, const char *file)
{
    const om_heap *heap = om_context_heap(ctx);
    pnml_net *net = om_alloc(heap, 1, sizeof *net);
    if (net == NULL)
        return om_fail_memory(ctx);
    net->ctx = ctx;
    net->arena.heap = heap;
    net->file = arena_copy(&net->arena, file, strlen(file));
    if (net->file == NULL) {
        drop(net);
        return om_fail_memory(ctx);
    }
    *out = net;
    return OM_OK;
}

/* The document is forgotten once the net is made. */
static int read_net(pnml_net *net, const char *text, size_t length)
{
    const om_heap *heap = net->arena.heap;
    pnml_document d = {
        .ctx = net->ctx, .file = net->file, .arena = { .heap = heap }, .ids = { .heap = heap }
    };
    int rc = pnml_document_read(&d, text, length);
    if (rc == OM_OK && d.coloured)
        rc = om_fail(net->ctx, OM_EUNSUPPORTED, &(om_place){ .file = net->file },
            "this is a symmetric net: P/T nets alone are read");
    else if (rc == OM_OK)
        rc = pnml_net_make(net, &d);
    pnml_document_free(&d);
    return rc;
}

/* The file's name without its folder. */
static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? file : slash + 1;
}

static int load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    pnml_net *net = NULL;
    om_model *m = NULL;
    (void) options;
    int rc = new_net(&net, ctx, file);
    if (rc == OM_OK)
        rc = om_model_new(&m, ctx, base_name(file));
    if (rc != OM_OK) {
        drop(net);
        return rc;
    }
    om_model_set_private(m, net, drop);
    rc = read_net(net, text, length);
    if (rc == OM_OK)
        rc = pnml_lower(net, m);
    if (rc == OM_OK)
        rc = om_model_narrow(m);
    if (rc == OM_OK)
        rc = om_model_finish(m);
    if (rc != OM_OK) {
        om_model_free(m);
        int stopped = om_context_stopped(ctx);
        return stopped != OM_OK ? stopped : rc;
    }
    *out = m;
    return OM_OK;
}

static const char *const SUFFIXES[] = { ".pnml", NULL };

static int expression(om_model *m, const char *origin, const char *text, om_expr *out)
{
    pnml_net *net = om_model_private(m);
    (void) text, (void) out;
    return om_fail(net->ctx, OM_EUNSUPPORTED, &(om_place){ origin, 0, 0 }, "not read yet");
}

OM_API extern const om_frontend omen_plugin;
const om_frontend omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_frontend, OM_PLUGIN_FRONTEND, "pnml",
        "Petri nets in PNML, as the Model Checking Contest has them",
        "ISO/IEC 15909-2:2011, Transfer format", NULL),
    .suffixes = SUFFIXES,
    .load = load,
    .expression = expression,
};
