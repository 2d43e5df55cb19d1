/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search with resets forgets the values of dead variables, so its cycle returns to a state that
 * is the same except for these. Their values after a round depend on values that are read, which
 * are the same in each round, or on their values before, if no step of the cycle writes them. From
 * the second round on nothing differs, so there is a first state of the run that is the same a
 * round later: the cycle begins there, and the states before it belong to the stem. The run becomes
 * at most one round longer. ROUNDS_MOST guards against models in which an error breaks this.
 *
 * A variable that nothing reads may differ after every round: it counts the rounds, say. Then the
 * cycle is one of all other variables.
 *
 * Two readers follow the run, one a round ahead of the other.
 */
#include "real.h"

#include "reset.h"
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

/* Returns true if two states differ at most in variables that nothing reads. */
static bool differ_in_unread(const om_model *m, const uint32_t *a, const uint32_t *b)
{
    for (uint32_t i = 0; i < om_model_slot_count(m); i++) {
        const om_slot *s = om_model_slot(m, i);
        const uint32_t elements = s->length == 0 ? 1 : s->length;
        for (uint32_t k = 0; k < elements && !om_model__is_unread(m, i); k++)
            if (om_slot_get(s, a, k) != om_slot_get(s, b, k))
                return false;
    }
    return true;
}

/* *start: the first state of the cycle that is the same a round later, or OM_NO_LOOP. *nearly: some
 * state is the same except for variables that nothing reads. */
static int find_start(const om_lasso *whole, om_context *ctx, om_model *m, size_t loop,
    size_t round, size_t *start, bool *nearly)
{
    om_lasso_states behind = { 0 }, ahead = { 0 };
    const uint32_t *a = NULL, *b = NULL, *before;
    *start = OM_NO_LOOP;
    *nearly = false;
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
        *nearly = *nearly || (rc == OM_OK && i >= loop && differ_in_unread(m, a, b));
    }
    om_lasso_states__close(&behind);
    om_lasso_states__close(&ahead);
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
}

int om_lasso__make_real(om_lasso *l, om_context *ctx, om_model *m, om_reality *out)
{
    om_lasso whole = { 0 };
    size_t start = OM_NO_LOOP;
    const size_t round = l->count - l->loop;
    int rc = OM_OK;
    bool nearly = false;
    *out = l->loop == OM_NO_LOOP ? OM_REAL : OM_NOT_REAL;
    if (*out != OM_REAL) {
        rc = unroll(l, ctx, &whole);
        if (rc == OM_OK)
            rc = find_start(&whole, ctx, m, l->loop, round, &start, &nearly);
        if (rc == OM_OK)
            *out = start != OM_NO_LOOP ? OM_REAL : nearly ? OM_REAL_BUT_UNREAD : OM_NOT_REAL;
    }
    if (*out == OM_REAL && l->loop != OM_NO_LOOP) {
        uint32_t *old = l->transitions;
        l->transitions = whole.transitions;
        whole.transitions = old;
        l->count = start + round;
        l->loop = start;
    }
    om_lasso_free(&whole);
    if (*out != OM_REAL)
        return rc;
    om_free(l->heap, l->vectors);
    l->vectors = NULL;
    l->form.reset_dead = false;
    return OM_OK;
}
