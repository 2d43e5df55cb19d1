/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides a property of the net as a whole from properties of its nodes, which are properties of
 * single markings: so each has a net reduced for it, the state equation, walks and explorations.
 */
#include "net_target.h"

#include <assert.h>

enum { MOST_NODES = 64 }; /* asked for at a time: as many as one exploration takes */

bool mcc_node_fires(mcc *m, uint32_t node, mcc_property *out)
{
    const om_net_node *n = &m->net->transition_nodes[node];
    *out = (mcc_property){ .id = n->id,
        .question = MCC_POSSIBLE,
        .predicate = om_predicate_fireable(&m->region, m->net, n->first, n->count) };
    return out->predicate != NULL;
}

bool mcc_node_is_stable(mcc *m, uint32_t node, mcc_property *out)
{
    const om_net *net = m->net;
    const om_net_node *n = &net->place_nodes[node];
    const om_predicate *both[2] = { NULL, NULL };
    om_net_sum s = { .heap = m->c->heap };
    for (int sign = -1; sign <= 1; sign += 2) {
        om_wide initial = 0;
        s.count = 0;
        for (uint32_t i = n->first; i < n->first + n->count; i++) {
            om_net_sum_add(&s, i, sign);
            initial += net->places[i].initial;
        }
        both[sign > 0] = om_predicate_linear(&m->region, &s, sign * initial);
    }
    om_free(s.heap, s.terms);
    *out = (mcc_property){ .id = n->id,
        .question = MCC_ALWAYS,
        .predicate = om_predicate_join(&m->region, OM_PREDICATE_AND, both, 2) };
    return out->predicate != NULL;
}

/* Properties of some nodes */
typedef struct asking {
    mcc_property *list;
    size_t count;
    om_wide decisive;
} asking;

/* Decides the properties of the nodes. Ends when one has the decisive value. */
static int ask(mcc *m, void *self)
{
    const asking *a = self;
    mcc_property *const asked = m->properties;
    const size_t asked_count = m->count;
    m->properties = a->list;
    m->count = a->count;
    m->silent = true;
    m->decisive = a->decisive;
    int rc = mcc_decide_initially(m);
    if (rc == OM_OK)
        rc = mcc_check_states(m);
    m->silent = false;
    m->properties = asked;
    m->count = asked_count;
    return rc;
}

/* Returns a property with the decisive value, or NULL. *all: all properties are decided. */
static const mcc_property *find_decisive(mcc *m, const asking *a, bool *all)
{
    for (size_t i = 0; i < a->count; i++) {
        const mcc_property *p = &a->list[i];
        if (p->known && p->value == a->decisive)
            return p;
        *all = *all && p->known;
        if (!p->known && p->why_not != NULL)
            m->properties[0].why_not = p->why_not;
    }
    return NULL;
}

/* Makes the properties of the next nodes, from *next on. */
static int make_list(mcc *m, const mcc_node_question *q, uint32_t *next, asking *a)
{
    for (a->count = 0; *next < q->count && a->count < MOST_NODES; (*next)++)
        if (!q->seen[*next] && !q->make(m, *next, &a->list[a->count++]))
            return om_fail_memory(m->c->ctx);
    return OM_OK;
}

int mcc_ask_nodes(mcc *m, const mcc_node_question *q)
{
    asking a = { .list = om_region_take(&m->region, MOST_NODES, sizeof *a.list),
        .decisive = q->decisive };
    uint32_t left = 0;
    bool all = true;
    assert(m->count == 1 && !m->properties[0].known); /* A5 */
    for (uint32_t i = 0; i < q->count; i++)
        left += !q->seen[i];
    int rc = a.list == NULL ? om_fail_memory(m->c->ctx) : OM_OK;
    for (uint32_t next = 0; next < q->count && left > 0 && rc == OM_OK;) {
        rc = make_list(m, q, &next, &a);
        if (rc == OM_OK)
            rc = mcc_with_part(m, (left - 1) / MOST_NODES + 1, ask, &a);
        left -= (uint32_t) a.count;
        const mcc_property *p = find_decisive(m, &a, &all);
        if (rc == OM_OK && p != NULL) {
            mcc_answer(m, m->properties, q->answer, p->techniques);
            return OM_OK;
        }
    }
    if (rc == OM_OK && all && q->otherwise)
        mcc_answer(m, m->properties, !q->answer, MCC_REDUCED);
    return rc;
}
