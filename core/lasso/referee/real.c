/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search with resets forgets the values of dead variables, so its cycle returns to a state that
 * is the same except for these. Their values after a round depend on values that are read, which
 * are the same in each round, or on their values before, if no step of the cycle writes them. From
 * the second round on nothing differs, so there is a first state of the run that is the same a
 * round later: the cycle begins there, and the states before it belong to the stem. The run becomes
 * at most one round longer. ROUNDS_MOST guards against models in which an error breaks this.
 *
 * Two readers follow the run, one a round ahead of the other.
 */
#include "real.h"

#include "states.h"

#include <string.h>

enum { ROUNDS_MOST = 2, ASK_EVERY = 1024 };

/* Copies the run with its cycle unrolled, as a finite run. Allocates new transitions. */
static int unroll(const om_lasso *l, om_context *ctx, om_lasso *out)
{
    const size_t round = l->count - l->loop;
    size_t rounds = ROUNDS_MOST + 1;
    if (round > (SIZE_MAX - l->loop) / rounds / sizeof *l->transitions)
        return om_fail_memory(ctx);
    *out = (om_lasso){ .heap = l->heap, .words = l->words, .loop = OM_NO_LOOP };
    out->count = l->loop + rounds * round;
    if (!OM_NEW(l->heap, out->transitions, out->count))
        return om_fail_memory(ctx);
    for (size_t i = 0; i < out->count; i++)
        out->transitions[i] = l->transitions[i < l->loop ? i : l->loop + (i - l->loop) % round];
    return OM_OK;
}

/* *start: the first state of the cycle that is the same a round later, or OM_NO_LOOP. */
static int find_start(
    const om_lasso *whole, om_context *ctx, om_model *m, size_t loop, size_t round, size_t *start)
{
    om_lasso_states behind = { 0 }, ahead = { 0 };
    const uint32_t *a = NULL, *b = NULL, *before;
    *start = OM_NO_LOOP;
    int rc = om_lasso_states__open(&behind, whole, m);
    if (rc == OM_OK)
        rc = om_lasso_states__open(&ahead, whole, m);
    for (size_t i = 0; rc == OM_OK && i < round; i++)
        rc = om_lasso_states__next(&ahead, &b, &before);
    for (size_t i = 0; rc == OM_OK && i + round < whole->count; i++) {
        rc = i % ASK_EVERY == 0 ? om_context_stopped(ctx) : OM_OK;
        if (rc == OM_OK)
            rc = om_lasso_states__next(&behind, &a, &before);
        if (rc == OM_OK)
            rc = om_lasso_states__next(&ahead, &b, &before);
        if (rc == OM_OK && i >= loop && memcmp(a, b, whole->words * sizeof *a) == 0) {
            *start = i;
            break;
        }
    }
    om_lasso_states__close(&behind);
    om_lasso_states__close(&ahead);
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
}

int om_lasso__make_real(om_lasso *l, om_context *ctx, om_model *m, bool *done)
{
    om_lasso whole = { 0 };
    size_t start = OM_NO_LOOP;
    const size_t round = l->count - l->loop;
    int rc = OM_OK;
    *done = l->loop == OM_NO_LOOP;
    if (!*done) {
        rc = unroll(l, ctx, &whole);
        if (rc == OM_OK)
            rc = find_start(&whole, ctx, m, l->loop, round, &start);
        *done = rc == OM_OK && start != OM_NO_LOOP;
    }
    if (*done && l->loop != OM_NO_LOOP) {
        uint32_t *old = l->transitions;
        l->transitions = whole.transitions;
        whole.transitions = old;
        l->count = start + round;
        l->loop = start;
    }
    om_lasso_free(&whole);
    if (!*done)
        return rc;
    om_free(l->heap, l->vectors);
    l->vectors = NULL;
    l->form.reset_dead = false;
    return OM_OK;
}
