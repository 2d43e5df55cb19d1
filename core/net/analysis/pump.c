/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A random walk can reach a marking that covers an earlier one, but hardly ever in a net with much
 * concurrency: everything that moved would have to return. So after a short walk to a marking, the
 * walk is guided back to it: among the enabled transitions, it mostly takes the one that leaves the
 * fewest tokens missing there. Parts of the net that do not matter stay unchanged.
 */
#include "pump.h"

#include "firing.h"

enum {
    WALKS = 1 << 14,
    STEM_MOST = 1 << 12, /* firings */
    PUMP_MOST = 256,     /* firings */
    CANDIDATES = 16,     /* number of transitions of which the best is taken */
    STRAY = 8,           /* and any one, once in this many steps */
    WORK = 6000000,      /* total limit of places visited */
    NAMED = 8            /* transitions of the run that a message names */
};

typedef struct pumping {
    const om_net *net;
    om_net_firing firing;
    om_random random;
    om_value *base; /* the marking to be covered */
    uint32_t *path; /* from the initial marking */
    size_t stem, length;
    om_wide missing, more; /* tokens missing from the base, and tokens beyond it */
    uint64_t work;
} pumping;

static uint32_t any_enabled(pumping *p)
{
    return p->firing.enabled[om_random_below(&p->random, p->firing.enabled_count)];
}

/* Adds the tokens of a place (times sign) to the missing ones or to those beyond the base. */
static void count(const pumping *p, uint32_t place, om_wide tokens, om_wide sign, om_wide sums[2])
{
    const om_wide d = tokens - p->base[place];
    if (d < 0)
        sums[0] -= sign * d;
    else
        sums[1] += sign * d;
}

/* Computes the missing and additional tokens after a transition. */
static void look_at(pumping *p, uint32_t transition, om_wide sums[2])
{
    const om_net_transition *t = &p->net->transitions[transition];
    om_net_arc_walk w = { .take = 0 };
    sums[0] = p->missing;
    sums[1] = p->more;
    while (om_net_arc_walk__step(t, &w)) {
        const om_value now = p->firing.marking[w.place];
        count(p, w.place, now, -1, sums);
        count(p, w.place, om_net_arc_walk__after(&w, now), 1, sums);
        p->work++;
    }
}

/* Returns the transition that leaves the fewest tokens missing: the best of all if there are few,
 * else of a sample. */
static uint32_t choose(pumping *p)
{
    const uint32_t n = p->firing.enabled_count;
    const uint32_t from = (uint32_t) om_random_below(&p->random, n);
    uint32_t best = p->firing.enabled[from];
    om_wide sums[2], least;
    if (om_random_below(&p->random, STRAY) == 0)
        return best;
    look_at(p, best, sums);
    least = sums[0];
    for (uint32_t i = 1; i < n && i < CANDIDATES; i++) {
        const uint32_t other = n <= CANDIDATES ? p->firing.enabled[(from + i) % n] : any_enabled(p);
        look_at(p, other, sums);
        if (sums[0] < least) {
            best = other;
            least = sums[0];
        }
    }
    return best;
}

static bool fire(pumping *p, uint32_t transition)
{
    p->path[p->length++] = transition;
    p->work += p->net->transitions[transition].take_count;
    p->work += p->net->transitions[transition].give_count;
    return om_net_firing__fire(&p->firing, transition);
}

/* Makes some steps from the initial marking. Returns false if a count became too large. */
static bool go_off(pumping *p, size_t steps)
{
    om_net_firing__reset(&p->firing);
    p->length = 0;
    bool fits = true;
    while (fits && p->length < steps && p->firing.enabled_count != 0)
        fits = fire(p, any_enabled(p));
    p->stem = p->length;
    for (uint32_t i = 0; i < p->net->place_count; i++)
        p->base[i] = p->firing.marking[i];
    p->work += p->net->place_count;
    p->missing = p->more = 0;
    return fits;
}

/* Returns true if the firings from the base to a marking that covers it can be repeated without
 * end. They find the same numbers of tokens except at places with more than in the base: no limit
 * or reset may be at such a place. In a plain net this always holds. */
static bool can_repeat(const pumping *p, const om_value *after)
{
    for (size_t n = p->stem; n < p->length; n++) {
        const om_net_transition *t = &p->net->transitions[p->path[n]];
        for (uint32_t i = 0; i < t->limit_count; i++)
            if (after[t->limits[i].place] != p->base[t->limits[i].place])
                return false;
        for (uint32_t i = 0; i < t->reset_count; i++)
            if (after[t->resets[i]] != p->base[t->resets[i]])
                return false;
    }
    return true;
}

/* Continues from the base. Returns true if a marking covers it. */
static bool come_back(pumping *p)
{
    om_wide sums[2];
    while (p->length < p->stem + PUMP_MOST && p->firing.enabled_count != 0) {
        const uint32_t transition = p->missing == 0 && p->more == 0 ? any_enabled(p) : choose(p);
        look_at(p, transition, sums);
        if (!fire(p, transition))
            return false;
        p->missing = sums[0];
        p->more = sums[1];
        if (p->missing == 0 && p->more > 0 && can_repeat(p, p->firing.marking))
            return true;
    }
    return false;
}

/* Replays the run independently and checks that the final marking covers the one after the stem. */
static int referee(const pumping *p, om_net_pump *out, om_value *before, om_value *after)
{
    const om_net *net = p->net;
    bool right = om_net_firing__replay(net, p->path, p->stem, before) &&
                 om_net_firing__replay(net, p->path, p->length, after) && can_repeat(p, after);
    om_value most = 0;
    for (uint32_t i = 0; i < net->place_count && right; i++) {
        right = after[i] >= before[i];
        if (right && after[i] - before[i] > most) {
            most = after[i] - before[i];
            out->place = i;
        }
    }
    if (!right || most == 0 || net->places[out->place].bound != OM_NET_NO_BOUND)
        return om_fail(net->ctx, OM_EINTERNAL, NULL,
            "a pumping run is impossible, or pumps a place that was proved to be bounded");
    return OM_OK;
}

static int keep(const pumping *p, om_net_pump *out)
{
    const om_heap *heap = p->net->region.heap;
    om_value *before = om_alloc(heap, p->net->place_count, sizeof *before);
    om_value *after = om_alloc(heap, p->net->place_count, sizeof *after);
    out->firings = om_alloc(heap, p->length, sizeof *out->firings);
    int rc = before == NULL || after == NULL || out->firings == NULL ? om_fail_memory(p->net->ctx)
                                                                     : OM_OK;
    if (rc == OM_OK)
        rc = referee(p, out, before, after);
    for (size_t i = 0; i < p->length && rc == OM_OK; i++)
        out->firings[i] = p->path[i];
    out->stem = p->stem;
    out->count = rc == OM_OK ? p->length : 0;
    OM_FREE_ALL(heap, before, after);
    return rc;
}

/* Tries stems of all lengths: none, up to 2, up to 4, ... */
static int walk(pumping *p, om_net_pump *out)
{
    int rc = OM_OK;
    for (size_t n = 0; n < WALKS && p->work < WORK && rc == OM_OK; n++) {
        const uint64_t most = n == 0 ? 0 : UINT64_C(1) << (1 + n % 12);
        const size_t steps = (size_t) (most == 0 ? 0 : om_random_below(&p->random, most));
        if (go_off(p, steps) && come_back(p))
            return keep(p, out);
        rc = om_context_stopped(p->net->ctx);
    }
    return rc;
}

static bool all_bounded(const om_net *net)
{
    uint32_t p = 0;
    while (p < net->place_count && net->places[p].bound != OM_NET_NO_BOUND)
        p++;
    return p == net->place_count;
}

int om_net_pump__find(om_net_pump *out, const om_net *net)
{
    const om_heap *heap = net->region.heap;
    pumping p = { .net = net, .random = { 1 } };
    *out = (om_net_pump){ .heap = heap };
    if (all_bounded(net))
        return OM_OK;
    int rc = om_net_firing__open(&p.firing, net);
    if (rc == OM_OK &&
        (!OM_NEW(heap, p.base, net->place_count) || !OM_NEW(heap, p.path, STEM_MOST + PUMP_MOST)))
        rc = om_fail_memory(net->ctx);
    if (rc == OM_OK)
        rc = walk(&p, out);
    om_net_firing__close(&p.firing);
    OM_FREE_ALL(heap, p.base, p.path);
    if (rc != OM_OK)
        om_net_pump__free(out);
    return rc;
}

void om_net_pump__free(om_net_pump *p)
{
    om_free(p->heap, p->firings);
    *p = (om_net_pump){ .heap = p->heap };
}

/* ---- messages ---- */

void om_net_pump__describe(const om_net_pump *p, const om_net *net, om_text *out)
{
    const om_net_place *place = &net->places[p->place];
    om_text_add(out, "the net is unbounded: firing ");
    for (size_t i = p->stem; i < p->count && i < p->stem + NAMED; i++) {
        const om_net_transition *t = &net->transitions[p->firings[i]];
        om_text_printf(out, "%s%s", i == p->stem ? "" : ", ", net->transition_nodes[t->node].id);
        if (t->binding != NULL)
            om_text_printf(out, " [%s]", t->binding);
    }
    if (p->count - p->stem > NAMED)
        om_text_printf(out, ", ... (%zu transitions)", p->count - p->stem);
    om_text_printf(out, " from %s marking adds tokens to place %s%s",
        p->stem == 0 ? "the initial" : "a reachable", net->place_nodes[place->node].id,
        place->colour == NULL ? "" : place->colour);
}

int om_net_pump__prove(const void *self, om_text *why, bool *proved)
{
    const om_net *net = self;
    om_net_pump found = { .count = 0 };
    int rc = om_net_pump__find(&found, net);
    *proved = rc == OM_OK && found.count != 0;
    if (*proved)
        om_net_pump__describe(&found, net, why);
    if (rc == OM_OK && why->failed)
        rc = om_fail_memory(net->ctx);
    om_net_pump__free(&found);
    return rc;
}
