/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that removes places that place invariants imply: see reduction.h. */
#include "reduction.h"

#include "analysis/invariants.h"

/* Limits on the entries visited to find invariants: a number for each arc, and in total. */
enum { FIND_PER_ARC = 64 };
#define FIND_MOST UINT64_C(2000000)

/* The present net; removed places are places without arcs. */
typedef struct view {
    om_net net;
    om_net_place *places;
    om_net_transition *transitions;
    uint64_t arcs;
} view;

static bool make_view(om_work *w, view *v)
{
    v->places = om_work__alloc(w, (size_t) w->net->place_count + 1, sizeof *v->places);
    v->transitions = om_work__alloc(w, w->transition_count + 1, sizeof *v->transitions);
    if (v->places == NULL || v->transitions == NULL)
        return false;
    for (uint32_t p = 0; p < w->net->place_count; p++)
        v->places[p] = (om_net_place){ .initial = w->places[p].tokens, .bound = OM_NET_NO_BOUND };
    uint32_t n = 0;
    for (size_t t = 0; t < w->transition_count; t++) {
        const om_work_transition *of = &w->transitions[t];
        if (of->removed)
            continue;
        v->transitions[n++] = (om_net_transition){ .takes = of->takes,
            .gives = of->gives,
            .take_count = of->take_count,
            .give_count = of->give_count };
        v->arcs += (uint64_t) of->take_count + of->give_count;
    }
    v->net = (om_net){ .ctx = w->ctx,
        .places = v->places,
        .transitions = v->transitions,
        .place_count = w->net->place_count,
        .transition_count = n };
    return true;
}

/* Computes a += b * c. Returns false if the numbers are too large. */
static bool add_product(int64_t *a, int64_t b, int64_t c)
{
    int64_t product;
    return !__builtin_mul_overflow(b, c, &product) && !__builtin_add_overflow(*a, product, a);
}

/* An invariant, solved for one of its places: factor * m(place) is at least `least` plus the
 * contribution of places with positive weights. */
typedef struct solved {
    const om_net_invariant *row;
    uint32_t place;
    int sign; /* of its factor in the row */
    int64_t factor, least;
} solved;

/* Solves the row for a place. Other places with negative weights contribute at most their
 * bounds. */
static bool solve(const om_work *w, solved *s, const om_net_weight *of)
{
    s->place = of->place;
    s->sign = of->factor < 0 ? -1 : 1;
    s->factor = of->factor * s->sign;
    s->least = s->row->constant * s->sign;
    for (uint32_t i = 0; i < s->row->term_count; i++) {
        const om_net_weight *term = &s->row->terms[i];
        const int64_t weight = -term->factor * s->sign;
        if (w->places[term->place].removed)
            return false;
        if (term->place != s->place && weight < 0 &&
            (w->places[term->place].bound == OM_NET_NO_BOUND ||
                !add_product(&s->least, weight, w->places[term->place].bound)))
            return false;
    }
    return true;
}

/* Returns true if the place has the tokens that t takes from it whenever all other places have
 * theirs. */
static bool is_implied_for(om_work *w, const solved *s, uint32_t t)
{
    int64_t least = s->least, wanted = 0;
    const om_value takes = om_work__takes(w, t, s->place);
    for (uint32_t i = 0; i < s->row->term_count && takes > 0; i++) {
        const om_net_weight *term = &s->row->terms[i];
        const int64_t weight = -term->factor * s->sign;
        if (term->place != s->place && weight > 0 &&
            !add_product(&least, weight, om_work__takes(w, t, term->place)))
            return false;
    }
    w->work += s->row->term_count;
    return takes == 0 || (add_product(&wanted, s->factor, takes) && least >= wanted);
}

static bool is_implied(om_work *w, const solved *s)
{
    size_t count = 0;
    const uint32_t *users = om_work__users(w, s->place, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_implied_for(w, s, users[i]))
            return false;
    return true;
}

/* Removes the first place of the row that the others imply. */
static bool drop_implied(om_work *w, const om_net_invariant *row)
{
    for (uint32_t i = 0; i < row->term_count && om_work__go_on(w, row->term_count); i++) {
        solved s = { .row = row };
        const om_net_weight *of = &row->terms[i];
        if (w->places[of->place].observed || !solve(w, &s, of) || !is_implied(w, &s))
            continue;
        om_work__drop_place(w, of->place);
        return true;
    }
    return false;
}

uint64_t om_reduce__implied(om_work *w)
{
    uint64_t times = 0;
    view v = { .arcs = 0 };
    om_net_invariants found = { .heap = NULL };
    if (make_view(w, &v)) {
        const uint64_t most = FIND_PER_ARC * (v.arcs + 64);
        const int rc =
            om_net_invariants__find(&found, &v.net, NULL, most < FIND_MOST ? most : FIND_MOST);
        if (rc != OM_OK)
            w->status = rc;
        w->work += found.work;
    }
    for (size_t i = 0; i < found.count && om_work__go_on(w, 1); i++)
        times += drop_implied(w, &found.rows[i]);
    om_net_invariants__free(&found);
    om_free(w->heap, v.places);
    om_free(w->heap, v.transitions);
    return times;
}
