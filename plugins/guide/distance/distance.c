/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance: how far a state is from one that is looked for (a failed assertion, say), or from the
 * next edge of the automaton on a shortest way to an accepting component.
 *
 * The goals count only if the automaton does not guide: the nearest of several goals that have
 * nothing to do with each other is often near for ever.
 *
 * In the automaton, each edge of the way that is left counts EDGE; the estimate for the next edge
 * alone depends on the model's state.
 */
#include "distance.h"

#include <assert.h>

enum { EDGE = 1 << 10, MOST_GOALS = 64 /* the rest do not guide */ };

struct om_guide_run {
    const om_heap *heap;
    om_guide_spec spec;
    locations places;
    uint32_t *left;    /* [automaton state]: edges to an accepting component; OM_NONE: no way */
    uint32_t row_word; /* index of the automaton's word in a row */
    uint32_t stride;
};

/* ---- the automaton ---- */

/* Computes the edges from each state to an accepting component. */
static int measure_automaton(om_guide_run *run)
{
    const om_automaton *a = run->spec.automaton;
    const uint32_t states = om_automaton_state_count(a);
    om_sccs sccs = { 0 };
    bool shorter = true;
    if (!OM_NEW(run->heap, run->left, (size_t) states + 1))
        return OM_ENOMEM;
    const int rc = om_automaton_sccs(a, run->spec.ctx, &sccs);
    for (uint32_t q = 0; q < states && rc == OM_OK; q++)
        run->left[q] =
            sccs.component[q] != OM_NONE && sccs.strength[sccs.component[q]] != OM_NON_ACCEPTING
                ? 0
                : OM_NONE;
    om_sccs_free(&sccs, run->heap);
    while (shorter && rc == OM_OK) {
        shorter = false;
        for (uint32_t q = 0; q < states; q++) {
            uint32_t count = 0;
            const om_edge *e = om_automaton_edges(a, q, &count);
            for (uint32_t i = 0; i < count; i++)
                if (run->left[e[i].dst] != OM_NONE && run->left[e[i].dst] + 1 < run->left[q]) {
                    run->left[q] = run->left[e[i].dst] + 1;
                    shorter = true;
                }
        }
    }
    return rc;
}

/* Returns how far a state is from one whose label satisfies the cube. */
static uint64_t to_cube(const om_guide_run *run, const om_cube *c, const uint32_t *row)
{
    uint64_t far = 0;
    for (om_label left = c->pos | c->neg; left != 0 && far < DISTANCE_MOST; left &= left - 1) {
        const uint32_t ap = (uint32_t) __builtin_ctzll(left);
        const bool truth = (c->pos >> ap & 1) != 0;
        far += ap == run->spec.deadlock_ap ? truth
               : ap < run->spec.ap_count   ? estimate(&run->places, run->spec.aps[ap], truth, row)
                                           : 0;
    }
    return far < DISTANCE_MOST ? far : DISTANCE_MOST;
}

/* Returns how far a state is from the next edge on a shortest way. */
static uint64_t to_edge(const om_guide_run *run, uint32_t q, const uint32_t *row)
{
    const om_cube *cubes = om_automaton_cubes(run->spec.automaton);
    uint64_t nearest = DISTANCE_MOST;
    uint32_t count = 0;
    const om_edge *edges = om_automaton_edges(run->spec.automaton, q, &count);
    for (uint32_t i = 0; i < count; i++) {
        const om_edge *e = &edges[i];
        for (uint32_t k = 0; run->left[e->dst] < run->left[q] && k < e->cube_count; k++) {
            const uint64_t far = to_cube(run, &cubes[e->cube_begin + k], row);
            nearest = far < nearest ? far : nearest;
        }
    }
    return nearest;
}

static uint64_t by_automaton(const om_guide_run *run, const uint32_t *row)
{
    const uint32_t q = row[run->row_word];
    assert(q < om_automaton_state_count(run->spec.automaton));
    const uint32_t left = run->left[q];
    if (left == 0 || left == OM_NONE)
        return left == 0 ? 0 : DISTANCE_MOST;
    const uint64_t far = to_edge(run, q, row) + (uint64_t) (left - 1) * EDGE;
    return far < DISTANCE_MOST ? far : DISTANCE_MOST;
}

/* ---- all goals ---- */

static uint64_t to_goals(const om_guide_run *run, const uint32_t *row)
{
    uint64_t nearest = DISTANCE_MOST;
    if (run->left != NULL)
        return by_automaton(run, row);
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
        if (states->fresh[i])
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

static int create(om_guide_run *run, const om_guide_spec *spec, const int64_t *options)
{
    const om_model *m = spec->model;
    (void) options;
    run->heap = spec->heap;
    run->spec = *spec;
    if (run->spec.goal_count > MOST_GOALS)
        run->spec.goal_count = MOST_GOALS;
    run->row_word = om_model_words(m);
    run->stride = run->row_word + (spec->automaton != NULL);
    const bool reads = reads_propositions(spec);
    if (!reads && spec->goal_count == 0)
        return OM_EUNSUPPORTED;
    int rc = locations_init(&run->places, spec->heap, m);
    for (size_t i = 0; i < run->spec.goal_count && rc == OM_OK; i++)
        rc = estimate_prepare(&run->places, spec->goals[i].expression);
    for (uint32_t i = 0; reads && i < spec->ap_count && rc == OM_OK; i++)
        if (spec->aps[i] != 0)
            rc = estimate_prepare(&run->places, spec->aps[i]);
    return rc == OM_OK && reads ? measure_automaton(run) : rc;
}

static void destroy(om_guide_run *run)
{
    locations_free(&run->places);
    om_free(run->heap, run->left);
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
};
