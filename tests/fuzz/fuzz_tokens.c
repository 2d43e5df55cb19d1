/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the input as a proposition over a small Petri net. On success, evaluates it. */
#include <omen/host/load.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_VECTOR = 16 };

static const char NET[] =
    "<pnml><net id=\"n\" type=\"ptnet\">"
    "<place id=\"p\"><initialMarking><text>2147483647</text></initialMarking></place>"
    "<place id=\"p-1\"><initialMarking><text>3</text></initialMarking></place>"
    "<place id=\"q\"><name><text>Idle</text></name></place><place id=\"odd id\"/>"
    "<transition id=\"t\"/><transition id=\"u.v\"/>"
    "<arc source=\"t\" target=\"q\"/><arc source=\"q\" target=\"u.v\"/></net></pnml>";

/* Opened once; not freed, because the process belongs to the fuzzer. */
typedef struct session {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *pnml;
} session;

static const session *open_session(void)
{
    static session s;
    const om_plugin *p = NULL;
    if (s.pnml != NULL)
        return &s;
    if (om_context_new(&s.ctx, NULL) != OM_OK || om_registry_new(&s.registry, s.ctx) != OM_OK ||
        om_registry_find(s.registry, OM_PLUGIN_FRONTEND, "pnml", &p) != OM_OK)
        abort();
    s.pnml = (const om_frontend *) (const void *) p;
    return &s;
}

static void evaluate(om_model *m, const om_expr *ap)
{
    om_executor *x = NULL;
    uint32_t row[LARGEST_VECTOR];
    om_fault fault = 0;
    if (om_model_words(m) > LARGEST_VECTOR || om_executor_open(&x, m, OM_EXEC_VM, ap, 1) != OM_OK)
        abort();
    x->initial(x, row);
    (void) x->labels(x, row, &fault);
    om_executor_close(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const session *s = open_session();
    const om_heap *heap = om_context_heap(s->ctx);
    char *text = om_strndup(heap, (const char *) data, size);
    om_model *m = NULL;
    om_expr ap = 0;
    om_context_clear(s->ctx);
    if (text == NULL)
        return 0;
    if (s->pnml->load(s->ctx, "net.pnml", NET, strlen(NET), NULL, &m) != OM_OK)
        abort();
    int rc = s->pnml->expression(m, "AP", text, &ap);
    if (rc != OM_OK && om_context_error(s->ctx)[0] == '\0')
        abort();
    if (rc == OM_OK)
        evaluate(m, &ap);
    om_model_free(m);
    om_free(heap, text);
    return 0;
}
