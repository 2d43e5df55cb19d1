/* SPDX-License-Identifier: Apache-2.0 */
#include "expansion.h"

#include "firing.h"

#include <assert.h>
#include <string.h>

enum { MOST_FIRINGS = 20000000, MOST_ROUNDS = 10000 };

/* A piece that is being fired, and the remaining repetitions. */
typedef struct frame {
    uint32_t piece, times;
} frame;

typedef struct expansion {
    const om_net *net;
    const om_heap *heap;
    const om_pieces *pieces;
    const uint8_t *observed;
    bool plain;
    om_net_firing firing;
    frame *stack;
    uint32_t *list;
    size_t depth, stack_room, count, room;
    bool chosen; /* a choice between two pieces was made */
} expansion;

static int too_long(const expansion *e)
{
    return om_fail(e->net->ctx, OM_ELIMIT, NULL,
        "a run of the reduced net stands for more than %d firings", MOST_FIRINGS);
}

static int wrong(const expansion *e)
{
    return om_fail(e->net->ctx, OM_EINTERNAL, NULL,
        "a run of the reduced net is not a run of the original net");
}

static int fire(expansion *e, uint32_t transition)
{
    if (e->firing.lacks[transition] != 0)
        return wrong(e);
    if (!om_net_firing__fire(&e->firing, transition) || e->count >= MOST_FIRINGS)
        return too_long(e);
    if (!OM_ROOM(e->heap, e->list, &e->room, e->count + 1))
        return om_fail_memory(e->net->ctx);
    e->list[e->count++] = transition;
    return OM_OK;
}

static int push(expansion *e, uint32_t piece, uint32_t times)
{
    if (!OM_ROOM(e->heap, e->stack, &e->stack_room, e->depth + 1))
        return om_fail_memory(e->net->ctx);
    e->stack[e->depth++] = (frame){ piece, times };
    return OM_OK;
}

/* Repeatedly expands the piece down to its next firing. */
static int fire_piece(expansion *e, uint32_t piece)
{
    int rc = push(e, piece, 1);
    while (rc == OM_OK && e->depth > 0) {
        frame *top = &e->stack[e->depth - 1];
        const om_piece *p = &e->pieces->list[top->piece];
        assert(top->times > 0);
        if (--top->times == 0)
            e->depth--;
        switch (p->kind) {
        case OM_PIECE_ONE:
            rc = fire(e, p->a);
            break;
        case OM_PIECE_THEN:
            rc = push(e, p->b, 1);
            if (rc == OM_OK)
                rc = push(e, p->a, 1);
            break;
        case OM_PIECE_REPEAT:
            rc = push(e, p->a, p->b);
            break;
        case OM_PIECE_EITHER:
            e->chosen = true;
            rc = push(e, e->firing.marking[p->place] > 0 ? p->a : p->b, 1);
            break;
        }
    }
    return rc;
}

static om_value given(const om_net_transition *t, uint32_t place)
{
    for (uint32_t i = 0; i < t->give_count && t->gives[i].place <= place; i++)
        if (t->gives[i].place == place)
            return t->gives[i].count;
    return 0;
}

static om_value taken(const om_net_transition *t, uint32_t place)
{
    for (uint32_t i = 0; i < t->take_count && t->takes[i].place <= place; i++)
        if (t->takes[i].place == place)
            return t->takes[i].count;
    return 0;
}

static bool is_silent(const expansion *e, uint32_t transition)
{
    const om_net_transition *t = &e->net->transitions[transition];
    for (uint32_t i = 0; i < t->take_count; i++)
        if (e->observed[t->takes[i].place] != 0 && given(t, t->takes[i].place) != t->takes[i].count)
            return false;
    for (uint32_t i = 0; i < t->give_count; i++)
        if (e->observed[t->gives[i].place] != 0 && taken(t, t->gives[i].place) != t->gives[i].count)
            return false;
    for (uint32_t i = 0; i < t->reset_count; i++)
        if (e->observed[t->resets[i]] != 0)
            return false;
    return true;
}

/* Fires until nothing is enabled. By W3 of reduction.h, all firings are silent and terminate. */
static int fire_rest(expansion *e)
{
    int rc = OM_OK;
    while (rc == OM_OK && e->firing.enabled_count > 0) {
        const uint32_t t = e->firing.enabled[0];
        rc = is_silent(e, t) ? fire(e, t) : wrong(e);
    }
    return rc;
}

/* Returns true if the loop can be repeated: it gives back the tokens that it takes, and exactly
 * these if there are limits and resets. */
static bool can_repeat(const expansion *e, const om_value *before)
{
    for (uint32_t p = 0; p < e->net->place_count; p++) {
        const om_value now = e->firing.marking[p];
        if (now < before[p] || ((e->observed[p] != 0 || !e->plain) && now != before[p]))
            return false;
    }
    return true;
}

/* The starts of the rounds of the loop: the number of firings before each, and the marking. */
typedef struct rounds {
    size_t *begin, count, begin_room;
    om_value *markings;
    size_t marking_room;
} rounds;

static int begin_round(expansion *e, rounds *r)
{
    const size_t places = (size_t) e->net->place_count;
    if (!OM_ROOM(e->heap, r->begin, &r->begin_room, r->count + 1) ||
        !OM_ROOM(e->heap, r->markings, &r->marking_room, (r->count + 1) * places + 1))
        return om_fail_memory(e->net->ctx);
    r->begin[r->count] = e->count;
    memcpy(r->markings + r->count++ * places, e->firing.marking, places * sizeof *r->markings);
    return OM_OK;
}

/* Returns true if the run can be repeated from the start of some round, and sets *loop to it. */
static bool closes(const expansion *e, const rounds *r, size_t *loop)
{
    for (size_t i = r->count; i-- > 0;)
        if (can_repeat(e, r->markings + i * e->net->place_count)) {
            *loop = r->begin[i];
            return true;
        }
    return false;
}

static int fire_pieces(
    expansion *e, const uint32_t *piece, const om_firings *reduced, size_t from, size_t to)
{
    int rc = OM_OK;
    for (size_t i = from; i < to && rc == OM_OK; i++)
        rc = fire_piece(e, piece[reduced->transitions[i]]);
    return rc;
}

/* Fires rounds of the loop. One is enough unless places were joined: reduction.h, `symmetric`. */
static int fire_rounds(expansion *e, const uint32_t *piece, const om_firings *reduced, size_t *loop)
{
    assert(reduced->loop < reduced->count);
    rounds r = { .count = 0 };
    int rc;
    do {
        rc = begin_round(e, &r);
        if (rc == OM_OK)
            rc = fire_pieces(e, piece, reduced, reduced->loop, reduced->count);
        if (rc != OM_OK || closes(e, &r, loop))
            break;
        rc = !e->chosen ? wrong(e) : r.count == MOST_ROUNDS ? too_long(e) : OM_OK;
    } while (rc == OM_OK);
    OM_FREE_ALL(e->heap, r.begin, r.markings);
    return rc;
}

static int fire_all(expansion *e, const uint32_t *piece, const om_firings *reduced, size_t *loop)
{
    int rc = OM_OK;
    const size_t stem = reduced->loop < reduced->count ? reduced->loop : reduced->count;
    for (size_t i = 0; i < e->pieces->begin_count && rc == OM_OK; i++)
        rc = fire_piece(e, e->pieces->begin[i]);
    if (rc == OM_OK)
        rc = fire_pieces(e, piece, reduced, 0, stem);
    if (rc == OM_OK && reduced->loop < reduced->count)
        return fire_rounds(e, piece, reduced, loop);
    if (rc == OM_OK && reduced->loop == reduced->count) {
        rc = fire_rest(e);
        *loop = e->count;
    }
    return rc;
}

int om_net__expand(const om_net *net, const om_pieces *pieces, const uint32_t *piece,
    const uint8_t *observed, const om_firings *reduced, om_firings *out)
{
    expansion e = { .net = net,
        .heap = net->region.heap,
        .pieces = pieces,
        .observed = observed,
        .plain = om_net__is_plain(net) };
    size_t loop = OM_FIRINGS_END;
    int rc = om_net_firing__open(&e.firing, net);
    if (rc == OM_OK)
        rc = fire_all(&e, piece, reduced, &loop);
    om_net_firing__close(&e.firing);
    om_free(e.heap, e.stack);
    if (rc == OM_OK)
        *out = (om_firings){ e.list, e.count, loop };
    else
        om_free(e.heap, e.list);
    return rc;
}
