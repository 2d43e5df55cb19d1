/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds an accepted run with the minimum number of states, stem and cycle together.
 *
 * It is a run of the model: the automaton may need several rounds before it returns to a state
 * together with the model, so a shortest lasso of their product can be longer (Schuppan and Biere,
 * "Shortest counterexamples for symbolic model checking of LTL with past", TACAS 2005: automata
 * that are not tight). Hence stems end in places, with all states in which the automaton may be
 * then (neighbourhood.h), and a cycle has a profile: its effect on each of these (profile.h).
 * Finding a shortest word that a nondeterministic automaton accepts is hard in general (Kupferman
 * and Sheinvald-Faragy, "Finding shortest witnesses to the nonemptiness of automata on infinite
 * words", CONCUR 2006); automata of properties are small and have few profiles.
 *
 * From each place, the nearest first, the search is breadth-first over pairs of a state and the
 * profile of the path to it. Its goal is a path back to the place whose repetition is accepted.
 *
 * The search is repeated for runs of at most N states, and N grows by a half each time. No state of
 * such a run is N or more steps from the initial state, so only nearer states have to be known, and
 * of these only the good ones (neighbourhood.h) can be on a cycle. As long as there is no such run,
 * usually for all N but the last, a round takes little more than the time to see that no state is
 * good; and no round looks much farther than the length of the shortest run.
 */
#include "shortest_lasso.h"

#include "neighbourhood.h"
#include "extract/seek.h"
#include "finite_trace.h"

/* ---- a shortest cycle from a place ---- */

/* A state that words of this profile reach from the place. */
typedef struct node {
    uint32_t state, profile;
    uint32_t from; /* predecessor node; OM_NONE: the first one */
} node;

typedef struct search {
    om_neighbourhood neighbourhood;
    om_lasso *out;
    size_t best; /* a run must have fewer states */
    node *nodes;
    size_t count, room;
    om_map met; /* numbers of nodes by state << 32 | profile */
} search;

/* Adds a node unless it exists or its state cannot be on a cycle. */
static int add(search *s, uint32_t state, uint32_t profile, uint32_t from)
{
    const uint64_t key = (uint64_t) state << 32 | profile;
    uint32_t there;
    if (!s->neighbourhood.states[state].good || om_map__find(&s->met, key, &there))
        return OM_OK;
    node *nodes = om_grow(s->neighbourhood.heap, s->nodes, &s->room, s->count + 1, sizeof *nodes);
    if (nodes == NULL || s->count >= OM_NONE - 1)
        return om_fail_memory(s->neighbourhood.ctx);
    s->nodes = nodes;
    nodes[s->count] = (node){ state, profile, from };
    if (om_map__add(&s->met, s->neighbourhood.heap, key, (uint32_t) s->count) != OM_OK)
        return om_fail_memory(s->neighbourhood.ctx);
    s->count++;
    return OM_OK;
}

/* Follows the edges of a node. *closed: one of them closes an accepted cycle. If `last`, other
 * edges are ignored. */
static int follow(
    search *s, uint32_t n, const om_neighbourhood_place *place, bool last, bool *closed)
{
    om_neighbourhood *b = &s->neighbourhood;
    const om_neighbourhood_state *at = &b->states[s->nodes[n].state];
    uint32_t profile = 0;
    if (om_neighbourhood__must_stop(b))
        return OM_ELIMIT;
    int rc = om_profiles__then(&b->profiles, s->nodes[n].profile, at->letter, &profile);
    if (rc != OM_OK || !om_profiles__leads(&b->profiles, place->set, profile))
        return rc;
    for (uint32_t i = 0; rc == OM_OK && i < at->edges; i++) {
        uint32_t to = b->edges[at->first + i];
        if (to == place->state)
            rc = om_profiles__repeats(&b->profiles, place->set, profile, closed);
        if (rc == OM_OK && *closed)
            break;
        if (rc == OM_OK && !last)
            rc = add(s, to, profile, n);
    }
    return rc;
}

/* Finds a shortest cycle of at most `most` states. *length is 0 if there is none; *end is the node
 * with the edge that closes it. */
static int find_cycle(
    search *s, const om_neighbourhood_place *place, size_t most, size_t *length, uint32_t *end)
{
    bool closed = false;
    uint32_t nothing = 0;
    *length = 0;
    s->count = 0;
    om_map__clear(&s->met);
    int rc = om_profiles__nothing(&s->neighbourhood.profiles, place->set, &nothing);
    if (rc == OM_OK)
        rc = add(s, place->state, nothing, OM_NONE);
    for (size_t states = 1, next = 0; rc == OM_OK && states <= most && next < s->count; states++)
        for (size_t level = s->count; rc == OM_OK && next < level; next++) {
            rc = follow(s, (uint32_t) next, place, states == most, &closed);
            if (rc == OM_OK && closed) {
                *length = states;
                *end = (uint32_t) next;
                return OM_OK;
            }
        }
    return rc;
}

/* ---- the whole run ---- */

/* Reverses the elements from `from` on. */
static void reverse(om_path *path, size_t from)
{
    for (size_t i = from, k = path->count; i + 1 < k; i++, k--) {
        om_id swap = path->ids[i];
        path->ids[i] = path->ids[k - 1];
        path->ids[k - 1] = swap;
    }
}

/* Writes the path to a place and the rest of the cycle, which begins with state *loop. */
static int write_path(const search *s, uint32_t place, uint32_t end, om_path *path, size_t *loop)
{
    const om_neighbourhood *b = &s->neighbourhood;
    int rc = OM_OK;
    for (uint32_t i = place; rc == OM_OK && i != OM_NONE; i = b->places[i].parent)
        rc = om_path__add(path, b->states[b->places[i].state].id);
    reverse(path, 0);
    *loop = path->count - 1;
    for (uint32_t n = end; rc == OM_OK && n != 0; n = s->nodes[n].from)
        rc = om_path__add(path, b->states[s->nodes[n].state].id);
    reverse(path, *loop + 1);
    return rc == OM_OK ? OM_OK : om_fail_memory(b->ctx);
}

/* Writes the run to `out` at once: if the search ends early, the run is kept. */
static int keep(search *s, uint32_t place, uint32_t end)
{
    const om_neighbourhood *b = &s->neighbourhood;
    om_path path = { .heap = b->heap };
    om_lasso l = { 0 };
    size_t loop = 0;
    int rc = write_path(s, place, end, &path, &loop);
    if (rc == OM_OK)
        rc = om_lasso__from_path(&l, b->ctx, b->product, b->cursor, path.ids, path.count, loop);
    om_path__free(&path);
    if (rc != OM_OK)
        return rc;
    om_lasso_free(s->out);
    *s->out = l;
    s->best = l.count;
    return OM_OK;
}

/* Tries all places for runs of at most `most` states; *found: there was one. */
static int try_places(search *s, size_t most, bool *found)
{
    const om_neighbourhood *b = &s->neighbourhood;
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < b->done && b->places[i].depth < most; i++) {
        size_t depth = b->places[i].depth, length = 0;
        uint32_t end = 0;
        if (!b->states[b->places[i].state].good)
            continue;
        rc = find_cycle(s, &b->places[i], most - depth, &length, &end);
        if (rc == OM_OK && length != 0)
            rc = keep(s, i, end);
        if (rc == OM_OK && length != 0) {
            *found = true;
            most = s->best - 1;
        }
    }
    return rc;
}

/* OM_OK: there is no run of fewer states than `best`. */
static int find(search *s)
{
    enum { LEAST = 8 };
    bool found = false, all = false;
    int rc = OM_OK;
    for (size_t most = LEAST; rc == OM_OK && !found && !all; most += most / 2) {
        all = most >= s->best - 1;
        if (all)
            most = s->best - 1;
        if (most == 0)
            break;
        rc = om_neighbourhood__grow(&s->neighbourhood, most - 1);
        if (rc == OM_OK &&
            s->neighbourhood.done == s->neighbourhood.place_count) { /* all places are known */
            most = s->best - 1;
            all = true;
        }
        if (rc == OM_OK)
            rc = om_neighbourhood__find_good(&s->neighbourhood);
        if (rc == OM_OK)
            rc = try_places(s, most, &found);
    }
    return rc;
}

int om_lasso__shortest(om_lasso *out, om_context *ctx, const om_product_spec *spec, size_t below,
    uint64_t until_ns, bool *minimal)
{
    search s = { .out = out, .best = below };
    int rc = om_neighbourhood__open(&s.neighbourhood, ctx, spec, until_ns);
    if (rc == OM_OK)
        rc = find(&s);
    *minimal = rc == OM_OK;
    om_free(om_context_heap(ctx), s.nodes);
    om_map__free(&s.met, om_context_heap(ctx));
    om_neighbourhood__close(&s.neighbourhood);
    return rc == OM_ELIMIT || rc == OM_ESTOP || rc == OM_ENOMEM ? OM_OK : rc;
}
