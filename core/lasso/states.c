/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a lasso that usually contains none: a transition takes four bytes, a vector many
 * times that, so the vm recomputes a run of millions of states whenever it is written or judged.
 * Memory holds two states at a time, and the first one of the cycle.
 */
#include "states.h"
#include "finite_trace.h"

#include <assert.h>
#include <string.h>

void om_lasso_free(om_lasso *l)
{
    if (l->heap != NULL) {
        OM_FREE_ALL(l->heap, l->vectors, l->transitions, l->fair);
        for (size_t i = 0; l->printed != NULL && i < l->count; i++)
            om_free(l->heap, l->printed[i]);
        om_free(l->heap, l->printed);
    }
    *l = (om_lasso){ 0 };
}

int om_lasso_states__open(om_lasso_states *s, const om_lasso *l, om_model *m)
{
    *s = (om_lasso_states){ .l = l, .next = { .heap = l->heap } };
    if (l->vectors != NULL)
        return OM_OK;
    int rc = OM_NEW(l->heap, s->now, l->words) && OM_NEW(l->heap, s->before, l->words) &&
                     OM_NEW(l->heap, s->first, l->words)
                 ? om_executor_open(&s->x, m, OM_EXEC_VM, NULL, 0)
                 : OM_ENOMEM;
    if (rc == OM_OK)
        memcpy(s->now, om_model_initial(m), l->words * sizeof *s->now);
    else
        om_lasso_states__close(s);
    return rc;
}

void om_lasso_states__close(om_lasso_states *s)
{
    om_executor_close(s->x);
    om_successors_free(&s->next);
    if (s->l != NULL) {
        OM_FREE_ALL(s->l->heap, s->now, s->before, s->first);
    }
    *s = (om_lasso_states){ 0 };
}

/* Sets `now` to its successor by transition `t`. A transition has at most one successor. */
static int step(om_lasso_states *s, uint32_t t)
{
    uint32_t *old = s->before;
    s->before = s->now;
    s->now = old;
    if (t == OM_STUTTER) {
        memcpy(s->now, s->before, s->l->words * sizeof *s->now);
        return OM_OK;
    }
    if (om_executor_successors(s->x, s->before, &s->next) != OM_OK)
        return OM_ENOMEM;
    for (size_t i = 0; s->next.fault == 0 && i < s->next.count; i++)
        if (s->next.transition[i] == t) {
            memcpy(s->now, s->next.words + i * s->l->words, s->l->words * sizeof *s->now);
            return OM_OK;
        }
    return OM_EINPUT;
}

int om_lasso_states__next(om_lasso_states *s, const uint32_t **state, const uint32_t **before)
{
    const om_lasso *l = s->l;
    size_t i = s->at++;
    assert(i < l->count || (i == l->count && l->loop != OM_NO_LOOP));
    if (l->vectors != NULL) {
        *state = l->vectors + (i < l->count ? i : l->loop) * l->words;
        *before = i == 0 ? NULL : l->vectors + (i - 1) * l->words;
        return OM_OK;
    }
    if (i == l->count) {
        *state = s->first;
        *before = s->now;
        return OM_OK;
    }
    int rc = i == 0 ? OM_OK : step(s, l->transitions[i - 1]);
    if (rc == OM_OK && i == l->loop)
        memcpy(s->first, s->now, l->words * sizeof *s->first);
    *state = s->now;
    *before = i == 0 ? NULL : s->before;
    return rc;
}

int om_lasso_vectors(om_lasso *l, om_model *m)
{
    om_lasso_states s;
    uint32_t *vectors = NULL;
    if (l->vectors != NULL)
        return OM_OK;
    int rc = om_lasso_states__open(&s, l, m);
    if (rc == OM_OK && (vectors = om_alloc(l->heap, l->count, l->words * sizeof *vectors)) == NULL)
        rc = OM_ENOMEM;
    for (size_t i = 0; rc == OM_OK && i < l->count; i++) {
        const uint32_t *state, *before;
        rc = om_lasso_states__next(&s, &state, &before);
        if (rc == OM_OK)
            memcpy(vectors + i * l->words, state, l->words * sizeof *vectors);
    }
    om_lasso_states__close(&s);
    if (rc == OM_OK)
        l->vectors = vectors;
    else
        om_free(l->heap, vectors);
    return rc;
}

int om_lasso__end(const om_lasso *l, om_model *m, uint32_t *vector)
{
    om_lasso_states s;
    const uint32_t *state = NULL, *before;
    int rc = om_lasso_states__open(&s, l, m);
    for (size_t i = 0; rc == OM_OK && i < l->count; i++)
        rc = om_lasso_states__next(&s, &state, &before);
    if (rc == OM_OK && state == NULL)
        rc = OM_EINVAL; /* the run is empty */
    if (rc == OM_OK)
        memcpy(vector, state, l->words * sizeof *vector);
    om_lasso_states__close(&s);
    return rc;
}
