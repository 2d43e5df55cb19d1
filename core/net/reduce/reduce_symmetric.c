/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that joins several places: see reduction.h. */
#include "reduction.h"

enum { MOST_TAKERS = 256 };

/* Transitions that take from a place, sorted by their other effects. */
typedef struct takers {
    om_keyed list[MOST_TAKERS];
    uint32_t count;
} takers;

/* Returns a hash of a transition's effects, independent of the number of p. */
static uint64_t hash_of(const om_work *w, uint32_t t, uint32_t p)
{
    om_effect_walk e = { .take = 0 };
    uint64_t hash = 0;
    while (om_work__step(&w->transitions[t], &e)) {
        const uint64_t counts = (uint64_t) e.takes << 32 | (uint64_t) e.gives;
        if (e.place != p || e.gives > 0)
            hash += om_work__mix(
                e.place == p ? OM_NONE : e.place, e.place == p ? (uint64_t) e.gives : counts);
    }
    return hash;
}

/* Lists the takers of a place. Returns false if it cannot be joined: each must take one token. */
static bool list_takers(om_work *w, uint32_t place, takers *out)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, place, &count);
    out->count = 0;
    for (size_t i = 0; i < count; i++) {
        const om_value takes = om_work__takes(w, users[i], place);
        if (takes > 1 || (takes == 1 && out->count == MOST_TAKERS))
            return false;
        if (takes == 1) {
            const om_work_transition *of = &w->transitions[users[i]];
            w->work += of->take_count + of->give_count;
            out->list[out->count++] = (om_keyed){ hash_of(w, users[i], place), users[i] };
        }
    }
    om_work__sort(out->list, out->count);
    return out->count > 0;
}

static uint64_t key_of(const takers *all)
{
    uint64_t key = all->count;
    for (uint32_t i = 0; i < all->count; i++)
        key = om_work__mix(key, all->list[i].key);
    return key;
}

/* Advances to the next place other than p and q; adds the tokens given to these two to *given. */
static bool next_other(
    const om_work_transition *t, om_effect_walk *e, uint32_t p, uint32_t q, om_wide *given)
{
    while (om_work__step(t, e)) {
        if (e->place != p && e->place != q)
            return true;
        *given += e->gives;
    }
    return false;
}

/* Returns true if f, which takes from p and not from q, and g, which takes from q and not from p,
 * have the same effect after p and q are joined. */
static bool same_but(const om_work *w, uint32_t f, uint32_t p, uint32_t g, uint32_t q)
{
    om_effect_walk x = { .take = 0 }, y = { .take = 0 };
    om_wide given[2] = { 0, 0 };
    if (om_work__takes(w, f, q) != 0 || om_work__takes(w, g, p) != 0)
        return false;
    while (next_other(&w->transitions[f], &x, p, q, &given[0]))
        if (!next_other(&w->transitions[g], &y, p, q, &given[1]) || x.place != y.place ||
            x.takes != y.takes || x.gives != y.gives)
            return false;
    return !next_other(&w->transitions[g], &y, p, q, &given[1]) && given[0] == given[1];
}

static bool symmetric(om_work *w, uint32_t p, const takers *of_p, uint32_t q, const takers *of_q)
{
    if (of_p->count != of_q->count)
        return false;
    for (uint32_t i = 0; i < of_p->count; i++) {
        const om_work_transition *of = &w->transitions[of_p->list[i].at];
        w->work += 2 * ((uint64_t) of->take_count + of->give_count);
        if (!same_but(w, of_p->list[i].at, p, of_q->list[i].at, q))
            return false;
    }
    return true;
}

/* Returns true if the numbers fit after q's tokens are moved to p. */
static bool fit_together(om_work *w, uint32_t p, uint32_t q)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, q, &count);
    for (size_t i = 0; i < count; i++)
        if (om_work__gives(w, users[i], p) > OM_VALUE_MAX - om_work__gives(w, users[i], q))
            return false;
    return w->places[p].tokens <= OM_VALUE_MAX - w->places[q].tokens;
}

/* Makes each transition of p stand for that of q, too, and removes the latter. */
static bool join_takers(om_work *w, const takers *of_p, uint32_t q, const takers *of_q)
{
    for (uint32_t i = 0; i < of_p->count; i++) {
        om_work_transition *f = &w->transitions[of_p->list[i].at];
        const uint32_t g = of_q->list[i].at;
        const uint32_t piece = om_work__add_piece(
            w, (om_piece){ OM_PIECE_EITHER, w->transitions[g].piece, f->piece, q });
        if (piece == OM_NONE)
            return false;
        f->piece = piece;
        om_work__drop_transition(w, g);
    }
    return true;
}

static bool join_places(om_work *w, uint32_t p, const takers *of_p, uint32_t q, const takers *of_q)
{
    om_work_place *to = &w->places[p], *from = &w->places[q];
    if (!join_takers(w, of_p, q, of_q))
        return false;
    size_t count = 0;
    const uint32_t *users = om_work__users(w, q, &count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t t = users[i];
        const om_value gives = om_work__gives(w, t, p) + om_work__gives(w, t, q);
        if (!om_work__set_arcs(w, t, p, om_work__takes(w, t, p), gives))
            return false;
    }
    to->tokens += from->tokens;
    to->bound =
        to->bound < OM_NET_NO_BOUND - from->bound ? to->bound + from->bound : OM_NET_NO_BOUND;
    to->joined = true;
    om_work__drop_place(w, q);
    return true;
}

/* Moves the first joined place to the front of a list of candidates; others are joined to the
 * front. A piece tests where a token is by one place, which must not stand for others, so a joined
 * place must be the target. */
static void put_joined_first(const om_work *w, om_keyed *list, size_t count)
{
    for (size_t i = 1; i < count && !w->places[list[0].at].joined; i++)
        if (w->places[list[i].at].joined) {
            const om_keyed first = list[i];
            list[i] = list[0];
            list[0] = first;
        }
}

static uint64_t join_alike(om_work *w, om_keyed *list, size_t count, takers *of_p, takers *of_q)
{
    uint64_t times = 0;
    put_joined_first(w, list, count);
    const uint32_t p = list[0].at;
    for (size_t i = 1; i < count && om_work__go_on(w, 1); i++) {
        const uint32_t q = list[i].at;
        if (w->places[q].joined || !list_takers(w, p, of_p) || !list_takers(w, q, of_q) ||
            !symmetric(w, p, of_p, q, of_q) || !fit_together(w, p, q))
            continue;
        times += join_places(w, p, of_p, q, of_q);
    }
    return times;
}

static uint64_t join_all(om_work *w, om_keyed *list, takers *of_p, takers *of_q)
{
    size_t count = 0;
    uint64_t times = 0;
    for (uint32_t p = 0; p < w->net->place_count && om_work__go_on(w, 1); p++)
        if (!w->places[p].removed && !w->places[p].observed && list_takers(w, p, of_p))
            list[count++] = (om_keyed){ key_of(of_p), p };
    om_work__sort(list, count);
    for (size_t i = 0, end; i < count && om_work__go_on(w, 1); i = end) {
        for (end = i + 1; end < count && list[end].key == list[i].key;)
            end++;
        times += join_alike(w, list + i, end - i, of_p, of_q);
    }
    return times;
}

uint64_t om_reduce__symmetric(om_work *w)
{
    om_keyed *list = om_work__alloc(w, (size_t) w->net->place_count + 1, sizeof *list);
    takers *both = om_work__alloc(w, 2, sizeof *both);
    const uint64_t times = list != NULL && both != NULL ? join_all(w, list, &both[0], &both[1]) : 0;
    om_free(w->heap, list);
    om_free(w->heap, both);
    return times;
}
