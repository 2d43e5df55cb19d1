/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/net_model.h>

#include "predicate_lower.h"

#include <stdlib.h>

/* Data stored with a model, for expression() */
typedef struct kept {
    const om_heap *heap;
    const om_net *net;
    const om_predicate *const *predicates;
    size_t count;
} kept;

static void drop(void *data)
{
    kept *k = data;
    om_free(k->heap, k);
}

int om_net_model_new(om_model **out, const om_net *net, const char *name,
    const om_predicate *const *predicates, size_t count)
{
    const om_heap *heap = om_context_heap(net->ctx);
    om_model *m = NULL;
    kept *k = om_alloc(heap, 1, sizeof *k);
    if (k == NULL)
        return om_fail_memory(net->ctx);
    *k = (kept){ heap, net, predicates, count };
    int rc = om_model_new(&m, net->ctx, name);
    if (rc != OM_OK) {
        drop(k);
        return rc;
    }
    om_model_set_private(m, k, drop);
    rc = om_net_lower(net, m);
    if (rc == OM_OK)
        rc = om_model_narrow(m);
    if (rc == OM_OK)
        rc = om_model_finish(m);
    if (rc == OM_OK)
        *out = m;
    else
        om_model_free(m);
    return rc;
}

/* ---- the front end ---- */

static int load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    const om_place place = { file, 0, 0 };
    (void) text;
    (void) length;
    (void) options;
    (void) out;
    return om_fail(ctx, OM_EUSAGE, &place, "this front end reads only nets in memory");
}

/* Reads "p12". */
static int expression(om_model *m, const char *origin, const char *text, om_expr *out)
{
    const kept *k = om_model_private(m);
    const om_place place = { origin, 0, 0 };
    char *end = NULL;
    unsigned long number =
        text[0] == 'p' && text[1] >= '0' && text[1] <= '9' ? strtoul(text + 1, &end, 10) : k->count;
    if (number >= k->count || *end != '\0')
        return om_fail(k->net->ctx, OM_EINPUT, &place, "there is no predicate %s", text);
    return om_predicate__lower(k->predicates[number], k->net, m, out);
}

static const char *const NO_SUFFIXES[] = { NULL };

static const om_frontend FRONTEND = {
    .head = OM_PLUGIN_HEAD(
        om_frontend, OM_PLUGIN_FRONTEND, "net-model", "predicates of nets in memory", NULL, NULL),
    .suffixes = NO_SUFFIXES,
    .load = load,
    .expression = expression,
};

const om_frontend *om_net_model_frontend(void)
{
    return &FRONTEND;
}
