/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search with resets forgets the values of dead variables, so its cycle returns to a state that
 * is the same except for these. Their values after a round depend on values that are read, which
 * are the same in each round, or on their values before, if no step of the cycle writes them. From
 * the second round on nothing differs, so there is a first state of the run that is the same a
 * round later: the cycle begins there, and the states before it belong to the stem. The run becomes
 * at most one round longer. ROUNDS_MOST guards against models in which an error breaks this.
 *
 * A variable that nothing reads may differ after every round, because it reads itself. If it has
 * the value of an earlier round again within PERIODS_MOST rounds (a toggle, say), these rounds are
 * the cycle. Otherwise (it counts the rounds) the cycle is one of all other variables.
 *
 * Two readers follow the run, one a round ahead of the other.
 */
#include "real.h"

#include "transform/reset.h"
#include "states.h"

#include <string.h>

enum { ROUNDS_MOST = 2, PERIODS_MOST = 16, STEPS_MOST = 1 << 20, ASK_EVERY = 1024 };

/* Copies the run with some rounds of its cycle, as a finite run. Allocates new transitions. */
static int unroll(const om_lasso *l, om_context *ctx, size_t rounds, om_lasso *out)
{
    const size_t round = l->count - l->loop;
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
    for (uint32_t i = 0; i < om_model_shown_slots(m); i++) {
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

/* Finds a round that begins with the state with which an earlier one began, and sets *out to the
 * number of rounds between them; 0: not found. (R. Brent, "An improved Monte Carlo factorization
 * algorithm", BIT 20, 1980: the state is compared with that of the last round whose number is a
 * power of two.) */
static int find_rounds(
    const om_lasso *whole, om_context *ctx, om_model *m, size_t loop, size_t round, size_t *out)
{
    om_lasso_states states = { 0 };
    const uint32_t *now = NULL, *before;
    const size_t bytes = whole->words * sizeof *now;
    size_t marked = 0;
    uint32_t *mark = om_alloc(whole->heap, whole->words, sizeof *mark);
    *out = 0;
    int rc = mark == NULL ? om_fail_memory(ctx) : om_lasso_states__open(&states, whole, m);
    for (size_t i = 0; rc == OM_OK && i < whole->count && *out == 0; i++) {
        rc = i % ASK_EVERY == 0 ? om_context_stopped(ctx) : OM_OK;
        if (rc == OM_OK)
            rc = om_lasso_states__next(&states, &now, &before);
        if (rc != OM_OK || i <= loop || (i - loop) % round != 0)
            continue;
        const size_t number = (i - loop) / round;
        if (marked != 0 && memcmp(mark, now, bytes) == 0)
            *out = number - marked;
        if ((number & (number - 1)) == 0) {
            memcpy(mark, now, bytes);
            marked = number;
        }
    }
    om_lasso_states__close(&states);
    om_free(whole->heap, mark);
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
}

/* Makes the run up to `start`, and the `round` states after it for ever, the lasso's run. */
static void take(om_lasso *l, om_lasso *whole, size_t start, size_t round)
{
    uint32_t *old = l->transitions;
    l->transitions = whole->transitions;
    whole->transitions = old;
    l->count = start + round;
    l->loop = start;
}

/* Repeats the cycle until it returns to its first state, if few rounds suffice. */
static int repeat(om_lasso *l, om_context *ctx, om_model *m, size_t round, om_reality *out)
{
    const size_t rounds = 2 * PERIODS_MOST + 1;
    om_lasso whole = { 0 };
    size_t apart = 0, start = OM_NO_LOOP;
    bool nearly = false;
    if (round > STEPS_MOST / rounds)
        return OM_OK;
    int rc = unroll(l, ctx, rounds, &whole);
    if (rc == OM_OK)
        rc = find_rounds(&whole, ctx, m, l->loop, round, &apart);
    if (rc == OM_OK && apart != 0)
        rc = find_start(&whole, ctx, m, l->loop, apart * round, &start, &nearly);
    if (rc == OM_OK && start != OM_NO_LOOP) {
        take(l, &whole, start, apart * round);
        *out = OM_REAL;
    }
    om_lasso_free(&whole);
    return rc;
}

static void show_real(om_lasso *l)
{
    om_free(l->heap, l->vectors);
    l->vectors = NULL;
    l->form.reset_dead = false;
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
        rc = unroll(l, ctx, ROUNDS_MOST + 1, &whole);
        if (rc == OM_OK)
            rc = find_start(&whole, ctx, m, l->loop, round, &start, &nearly);
        if (rc == OM_OK)
            *out = start != OM_NO_LOOP ? OM_REAL : nearly ? OM_REAL_BUT_UNREAD : OM_NOT_REAL;
    }
    if (*out == OM_REAL && l->loop != OM_NO_LOOP)
        take(l, &whole, start, round);
    om_lasso_free(&whole);
    if (*out == OM_REAL_BUT_UNREAD)
        rc = repeat(l, ctx, m, round, out);
    if (*out == OM_REAL)
        show_real(l);
    return rc;
}
