/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PNML front end: Petri nets in the format of ISO/IEC 15909-2, as published by the Model
 * Checking Contest: P/T nets, and symmetric nets, which are unfolded.
 */
#include "unfold/unfold.h"
#include "proposition/proposition.h"

#include <omen/plugin/frontend.h>

#include <string.h>

/* Data kept with a model, for expression(). */
typedef struct pnml_kept {
    om_net *net;
    pnml_symbols symbols; /* made when the first expression is read */
} pnml_kept;

static void drop(void *data)
{
    pnml_kept *k = data;
    if (k == NULL)
        return;
    const om_heap *heap = k->net->region.heap;
    pnml_symbols_free(&k->symbols);
    om_net_free(k->net);
    om_free(heap, k);
}

/* Takes ownership of the net, also on failure. */
static int keep_net(pnml_kept **out, om_net *net)
{
    const om_heap *heap = net->region.heap;
    pnml_kept *k = om_alloc(heap, 1, sizeof *k);
    if (k == NULL) {
        int rc = om_fail_memory(net->ctx);
        om_net_free(net);
        return rc;
    }
    k->net = net;
    k->symbols.names.heap = heap;
    *out = k;
    return OM_OK;
}

/* The document is freed after the net is made. */
static int read_net(om_net *net, const char *text, size_t length)
{
    const om_heap *heap = net->region.heap;
    pnml_document d = {
        .ctx = net->ctx, .file = net->file, .region = { .heap = heap }, .ids = { .heap = heap }
    };
    int rc = pnml_document_read(&d, text, length);
    if (rc == OM_OK)
        rc = d.coloured ? pnml_unfold(net, &d) : pnml_net_make(net, &d);
    pnml_document_free(&d);
    return rc;
}

/* Returns the file's name without its folder. */
static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash == NULL ? file : slash + 1;
}

/* An interrupted parse fails as if the input were wrong; the status of the interruption replaces
 * that one. */
static int unless_stopped(const om_context *ctx, int rc)
{
    int stopped = rc == OM_OK ? OM_OK : om_context_stopped(ctx);
    return stopped != OM_OK ? stopped : rc;
}

static int net(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_net **out)
{
    om_net *made = NULL;
    (void) options;
    int rc = om_net_new(&made, ctx, file);
    if (rc == OM_OK)
        rc = unless_stopped(ctx, read_net(made, text, length));
    if (rc != OM_OK) {
        om_net_free(made);
        return rc;
    }
    *out = made;
    return OM_OK;
}

static int make_model(pnml_kept *k, om_model *m)
{
    int rc = om_net_bound(k->net);
    if (rc == OM_OK)
        rc = om_net_lower(k->net, m);
    if (rc == OM_OK)
        rc = om_model_narrow(m);
    return rc == OM_OK ? om_model_finish(m) : rc;
}

static int load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    om_net *read = NULL;
    pnml_kept *k = NULL;
    om_model *m = NULL;
    int rc = net(ctx, file, text, length, options, &read);
    if (rc == OM_OK)
        rc = keep_net(&k, read);
    if (rc == OM_OK)
        rc = om_model_new(&m, ctx, base_name(file));
    if (rc != OM_OK) {
        drop(k);
        return rc;
    }
    om_model_set_private(m, k, drop);
    rc = make_model(k, m);
    if (rc != OM_OK) {
        om_model_free(m);
        return unless_stopped(ctx, rc);
    }
    *out = m;
    return OM_OK;
}

static int expression(om_model *m, const char *origin, const char *text, om_expr *out)
{
    pnml_kept *k = om_model_private(m);
    int rc = k->symbols.symbols != NULL ? OM_OK : pnml_symbols_make(&k->symbols, k->net);
    if (rc == OM_OK)
        rc = pnml_proposition(k->net, &k->symbols, m, origin, text, out);
    else
        pnml_symbols_free(&k->symbols);
    return unless_stopped(k->net->ctx, rc);
}

/* Returns true for XML with an element "pnml" near its beginning. */
static bool recognises(const char *text, size_t length)
{
    enum { NEAR = 4096 };
    static const char element[] = "<pnml";
    const char *end = text + (length < NEAR ? length : NEAR);
    for (const char *at = text; end - at >= (ptrdiff_t) sizeof element - 1; at++)
        if (memcmp(at, element, sizeof element - 1) == 0)
            return true;
    return false;
}

static const char *const SUFFIXES[] = { ".pnml", NULL };

OM_API extern const om_frontend omen_plugin;
const om_frontend omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_frontend, OM_PLUGIN_FRONTEND, "pnml",
        "Petri nets in PNML, as used in the Model Checking Contest",
        "ISO/IEC 15909-2:2011, Transfer format", NULL),
    .suffixes = SUFFIXES,
    .load = load,
    .expression = expression,
    .recognises = recognises,
    .net = net,
};
