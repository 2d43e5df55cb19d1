/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance: how far a state is from one that is looked for (a failed assertion or a deadlock, say),
 * or from the next edge of the automaton that a forbidden run needs.
 *
 * The goals and deadlocks count only if the automaton does not guide: the nearest of several goals
 * that have nothing to do with each other is often near for ever.
 *
 * In the automaton, each edge of the way that is left counts EDGE; the estimate for the next edge
 * alone depends on the model's state. In a strong component, the acceptance set that is furthest
 * away counts: a run that takes the edges that are hard to take usually meets the others.
 */
#include "distance.h"
#include "stalls.h"
#include "ways.h"

#include <assert.h>

enum {
    EDGE = 1 << 10,
    OUTSIDE = DISTANCE_MOST / 2, /* what a state outside all strong components has more */
    MOST_GOALS = 64              /* the rest do not guide */
};

struct om_guide_run {
    const om_heap *heap;
    om_guide_spec spec;
    locations places;
    stalls stalls;     /* if deadlocks are looked for */
    ways ways;         /* if the automaton guides */
    uint32_t row_word; /* index of the automaton's word in a row */
    uint32_t stride;
};

/* Returns how far a state is from a deadlock, or from any other state. */
static uint64_t to_deadlock(const om_guide_run *run, bool truth, const uint32_t *row)
{
    return !truth ? 0 : run->stalls.places == NULL ? 1 : stalls_estimate(&run->stalls, row);
}

/* ---- the automaton ---- */

/* Returns how far a state is from one whose label satisfies the cube. */
static uint64_t to_cube(const om_guide_run *run, const om_cube *c, const uint32_t *row)
{
    uint64_t far = 0;
    for (om_label left = c->pos | c->neg; left != 0 && far < DISTANCE_MOST; left &= left - 1) {
        const uint32_t ap = (uint32_t) __builtin_ctzll(left);
        const bool truth = (c->pos >> ap & 1) != 0;
        far += ap == run->spec.deadlock_ap ? to_deadlock(run, truth, row)
               : ap < run->spec.ap_count   ? estimate(&run->places, run->spec.aps[ap], truth, row)
                                           : 0;
    }
    return far < DISTANCE_MOST ? far : DISTANCE_MOST;
}

/* Returns how far a state is from the end of a shortest way; DISTANCE_MOST: there is no way. */
static uint64_t to_end(const om_guide_run *run, uint32_t way, uint32_t q, const uint32_t *row)
{
    const ways *w = &run->ways;
    const om_cube *cubes = om_automaton_cubes(w->automaton);
    uint64_t nearest = DISTANCE_MOST;
    uint32_t count = 0;
    const om_edge *edges = om_automaton_edges(w->automaton, q, &count);
    for (uint32_t i = 0; i < count; i++) {
        const om_edge *e = &edges[i];
        for (uint32_t k = 0; ways_begins(w, way, e) && k < e->cube_count; k++) {
            const uint64_t far = to_cube(run, &cubes[e->cube_begin + k], row);
            nearest = far < nearest ? far : nearest;
        }
    }
    if (nearest < DISTANCE_MOST)
        nearest += (uint64_t) (ways_left(w, way, q) - 1) * EDGE;
    return nearest < DISTANCE_MOST ? nearest : DISTANCE_MOST;
}

/* Returns how far a state of a strong component is from the acceptance set that is furthest away.
 */
static uint64_t to_sets(const om_guide_run *run, uint32_t q, const uint32_t *row)
{
    uint64_t furthest = 0;
    for (uint32_t way = 1; way < run->ways.count; way++) {
        const uint64_t far = to_end(run, way, q, row);
        furthest = far > furthest ? far : furthest;
    }
    return furthest < OUTSIDE ? furthest : OUTSIDE;
}

static uint64_t by_automaton(const om_guide_run *run, const uint32_t *row)
{
    const uint32_t q = row[run->row_word];
    assert(q < om_automaton_state_count(run->ways.automaton));
    const om_strength strength = ways_strength(&run->ways, q);
    if (strength != OM_NON_ACCEPTING)
        return strength == OM_STRONG ? to_sets(run, q, row) : 0;
    const uint64_t far = to_end(run, 0, q, row) + (run->ways.strong ? OUTSIDE : 0);
    return far < DISTANCE_MOST ? far : DISTANCE_MOST;
}

/* ---- all goals ---- */

static uint64_t to_goals(const om_guide_run *run, const uint32_t *row)
{
    uint64_t nearest = DISTANCE_MOST;
    if (run->ways.automaton != NULL)
        return by_automaton(run, row);
    if (run->stalls.places != NULL)
        nearest = stalls_estimate(&run->stalls, row);
    for (size_t i = 0; i < run->spec.goal_count && nearest > 0; i++) {
        const om_goal *g = &run->spec.goals[i];
        const uint64_t far = estimate(&run->places, g->expression, g->truth, row);
        nearest = far < nearest ? far : nearest;
    }
    return nearest;
}

static void measure(const om_guide_run *run, const om_guided *states, uint64_t *estimates)
{
    const uint32_t *row = states->rows;
    for (size_t i = 0; i < states->count; i++, row += run->stride)
        if (states->fresh == NULL || states->fresh[i])
            estimates[i] = to_goals(run, row);
}

/* Returns true if the automaton reads a proposition of which the distance says something. */
static bool reads_propositions(const om_guide_spec *s)
{
    for (uint32_t i = 0; s->automaton != NULL && i < s->ap_count; i++)
        if (i != s->deadlock_ap && s->aps[i] != 0 &&
            om_model_node(s->model, s->aps[i])->op != OM_OP_CONST)
            return true;
    return false;
}

/* Prepares estimates of goals and propositions. */
static int prepare(om_guide_run *run, bool reads)
{
    const om_guide_spec *spec = &run->spec;
    int rc = OM_OK;
    for (size_t i = 0; i < spec->goal_count && rc == OM_OK; i++)
        rc = estimate_prepare(&run->places, spec->goals[i].expression);
    for (uint32_t i = 0; reads && i < spec->ap_count && rc == OM_OK; i++)
        if (spec->aps[i] != 0)
            rc = estimate_prepare(&run->places, spec->aps[i]);
    return rc == OM_OK && reads ? ways_init(&run->ways, spec->heap, spec->ctx, spec->automaton)
                                : rc;
}

/* Prepares estimates of the distance to a deadlock; *useful: there are any. */
static int prepare_deadlocks(om_guide_run *run, bool *useful)
{
    if (!run->spec.deadlocks && run->spec.deadlock_ap == OM_NONE)
        return OM_OK;
    const int rc = stalls_init(&run->stalls, &run->places, run->spec.visible);
    *useful = *useful || rc == OM_OK;
    if (rc != OM_EUNSUPPORTED)
        return rc;
    stalls_free(&run->stalls);
    run->stalls = (stalls){ 0 };
    return OM_OK;
}

static int create(om_guide_run *run, const om_guide_spec *spec, const int64_t *options)
{
    (void) options;
    run->heap = spec->heap;
    run->spec = *spec;
    if (run->spec.goal_count > MOST_GOALS)
        run->spec.goal_count = MOST_GOALS;
    run->row_word = om_model_words(spec->model);
    run->stride = run->row_word + (spec->automaton != NULL);
    const bool reads = reads_propositions(spec);
    bool useful = reads || spec->goal_count > 0;
    int rc = locations_init(&run->places, spec->heap, spec->model);
    if (rc == OM_OK)
        rc = prepare_deadlocks(run, &useful);
    if (rc == OM_OK && !useful)
        rc = OM_EUNSUPPORTED;
    return rc == OM_OK ? prepare(run, reads) : rc;
}

static void destroy(om_guide_run *run)
{
    stalls_free(&run->stalls);
    locations_free(&run->places);
    ways_free(&run->ways);
}

OM_API extern const om_guide omen_plugin;
const om_guide omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_guide, OM_PLUGIN_GUIDE, "distance",
        "differences of values, steps of processes, edges of the automaton",
        "Edelkamp, Lluch Lafuente, Leue 2004, table 1", NULL),
    .run_size = sizeof(om_guide_run),
    .create = create,
    .measure = measure,
    .destroy = destroy,
    .rank = 60,
    .steady = true,
};
