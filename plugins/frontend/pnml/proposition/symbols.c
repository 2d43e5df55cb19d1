/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols.h"

#include <assert.h>

enum { STRIDE = 4096 };

/* Combines two nodes; PNML_SHARED if both exist. */
static uint32_t both(uint32_t a, uint32_t b)
{
    return a == OM_NONE ? b : b == OM_NONE ? a : PNML_SHARED;
}

/* Enters one text, of a place or of a transition. */
static int enter(pnml_symbols *s, om_net *net, const char *text, pnml_symbol is, bool is_id)
{
    size_t had = s->names.count;
    uint32_t i = pnml_names_add(&s->names, &net->region, text);
    if (i == OM_NONE)
        return om_fail_memory(net->ctx);
    assert(i < 2 * ((size_t) net->place_node_count + net->transition_node_count));
    assert(!is_id || s->names.count > had); /* ids are unique */
    pnml_symbol *to = &s->symbols[i];
    if (s->names.count > had)
        *to = is;
    else if (!is_id && i >= s->ids) { /* ids denote only their own nodes */
        to->place = both(to->place, is.place);
        to->transition = both(to->transition, is.transition);
    }
    return i % STRIDE != 0 ? OM_OK : om_context_stopped(net->ctx);
}

static int enter_all(pnml_symbols *s, om_net *net, bool ids)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < net->place_node_count && rc == OM_OK; i++) {
        const char *text = ids ? net->place_nodes[i].id : net->place_nodes[i].name;
        if (text != NULL)
            rc = enter(s, net, text, (pnml_symbol){ i, OM_NONE }, ids);
    }
    for (uint32_t i = 0; i < net->transition_node_count && rc == OM_OK; i++) {
        const char *text = ids ? net->transition_nodes[i].id : net->transition_nodes[i].name;
        if (text != NULL)
            rc = enter(s, net, text, (pnml_symbol){ OM_NONE, i }, ids);
    }
    if (ids)
        s->ids = s->names.count;
    return rc;
}

int pnml_symbols_make(pnml_symbols *s, om_net *net)
{
    size_t most = 2 * ((size_t) net->place_node_count + net->transition_node_count);
    if (!OM_NEW(s->names.heap, s->symbols, most))
        return om_fail_memory(net->ctx);
    int rc = enter_all(s, net, true);
    return rc == OM_OK ? enter_all(s, net, false) : rc;
}

void pnml_symbols_free(pnml_symbols *s)
{
    om_free(s->names.heap, s->symbols);
    pnml_names_free(&s->names);
    *s = (pnml_symbols){ .names = s->names };
}

const pnml_symbol *pnml_symbols_find(const pnml_symbols *s, const char *text, size_t n)
{
    uint32_t i = pnml_names_find_n(&s->names, text, n);
    return i == OM_NONE ? NULL : &s->symbols[i];
}
