/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relaxed: the number of steps to what is looked for, if no step undid what others have brought
 * about. It counts what must come first, even where that leads away from the goal: a key that has
 * to be fetched before a door can be passed.
 */
#include "relaxed.h"

#include <assert.h>

enum {
    EDGE = 1 << 10,      /* what each further edge of the automaton counts */
    MOST_CELLS = 1 << 20 /* of the model; of a larger one, nothing is estimated */
};

struct om_guide_run {
    om_guide_spec spec;
    net net;
    plans plans;
    bool by_automaton;
    uint32_t *goals; /* by state of the automaton; ... */
    uint32_t *left;  /* ... edges to an accepting component */
    uint32_t goal;   /* if the automaton does not guide */
    uint32_t row_word, stride;
};

/* ---- the model ---- */

static int list_cells(net *n)
{
    const uint32_t slots = om_model_slot_count(n->m);
    uint32_t cells = 0;
    if (!OM_NEW(n->heap, n->cell_of, (size_t) slots + 1))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t length = om_model_slot(n->m, i)->length;
        n->cell_of[i] = cells;
        if (length > MOST_CELLS - cells - 1)
            return OM_EUNSUPPORTED;
        cells += length == 0 ? 1 : length;
    }
    n->cell_of[slots] = cells;
    if (!OM_NEW(n->heap, n->cells, (size_t) cells + 1))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < slots; i++)
        for (uint32_t c = n->cell_of[i]; c < n->cell_of[i + 1]; c++)
            n->cells[c] = (net_cell){ i, c - n->cell_of[i] };
    return OM_OK;
}

/* Counts the transitions that write each slot, or lists them. `last` has the last writer of each
 * slot, plus 1: transitions may assign several elements of one. */
static void visit_writers(const net *n, uint32_t *last, bool list)
{
    const uint32_t transitions = om_model_transition_count(n->m);
    for (uint32_t t = 0; t < transitions; t++) {
        const om_transition *at = om_model_transition(n->m, t);
        for (uint32_t i = 0; i < at->assign_count; i++) {
            const uint32_t slot = at->assigns[i].slot, mark = 2 * t + 1 + list;
            if (last[slot] == mark)
                continue;
            last[slot] = mark;
            if (list)
                n->writer[n->first_writer[slot + 1]++] = t;
            else
                n->first_writer[slot + 2]++;
        }
    }
}

static int list_writers(net *n)
{
    const uint32_t slots = om_model_slot_count(n->m);
    uint32_t *last = NULL;
    if (!OM_NEW(n->heap, n->first_writer, (size_t) slots + 2) ||
        !OM_NEW(n->heap, last, (size_t) slots + 1))
        return OM_ENOMEM;
    visit_writers(n, last, false);
    for (uint32_t s = 0; s < slots; s++)
        n->first_writer[s + 2] += n->first_writer[s + 1];
    const int rc =
        OM_NEW(n->heap, n->writer, (size_t) n->first_writer[slots + 1] + 1) ? OM_OK : OM_ENOMEM;
    if (rc == OM_OK)
        visit_writers(n, last, true);
    om_free(n->heap, last);
    return rc;
}

/* Adds ALWAYS and NEVER. */
static int begin(net *n, const om_guide_spec *spec)
{
    const uint32_t transitions = om_model_transition_count(spec->model);
    n->heap = spec->heap;
    n->m = spec->model;
    if (!OM_NEW(n->heap, n->first_case, (size_t) transitions + 1) ||
        !OM_NEW(n->heap, n->cases_of, (size_t) transitions + 1) ||
        !OM_ROOM(n->heap, n->nodes, &n->node_room, 2) ||
        !OM_ROOM(n->heap, n->list, &n->list_room, 1))
        return OM_ENOMEM;
    for (uint32_t t = 0; t < transitions; t++)
        n->first_case[t] = OM_NONE;
    n->nodes[n->node_count++] = (net_node){ .kind = ALL };
    n->nodes[n->node_count++] = (net_node){ .kind = ANY };
    const int rc = list_cells(n);
    return rc == OM_OK ? list_writers(n) : rc;
}

static void drop(net *n)
{
    if (n->heap == NULL)
        return;
    for (size_t i = 0; i < n->case_count; i++)
        om_free(n->heap, n->cases[i].view.changes);
    OM_FREE_ALL(n->heap, n->cell_of, n->cells, n->writer, n->first_writer, n->first_case,
        n->cases_of, n->cases, n->terms, n->leaves, n->buckets, n->nodes, n->arcs, n->list, n->pins,
        n->effects);
}

/* ---- what is looked for ---- */

static uint32_t any_goal(net *n, const om_guide_spec *spec)
{
    const view now = { .values = 1 };
    const size_t begin = n->listed;
    for (size_t i = 0; i < spec->goal_count; i++) {
        const size_t one = n->listed;
        condition_need(n, &now, spec->goals[i].expression, spec->goals[i].truth);
        const uint32_t id = condition_close(n, one, ALL, 0);
        condition_put(n, id);
    }
    return condition_close(n, begin, ANY, 0);
}

static uint32_t cube_of(net *n, const om_guide_spec *spec, const om_cube *c)
{
    const view now = { .values = 1 };
    const size_t begin = n->listed;
    for (om_label left = c->pos | c->neg; left != 0; left &= left - 1) {
        const uint32_t ap = (uint32_t) __builtin_ctzll(left);
        if (ap != spec->deadlock_ap && ap < spec->ap_count)
            condition_need(n, &now, spec->aps[ap], (c->pos >> ap & 1) != 0);
    }
    return condition_close(n, begin, ALL, 0);
}

/* Returns the node of a next edge on a shortest way to an accepting component. */
static uint32_t next_edge(om_guide_run *run, uint32_t q)
{
    const om_automaton *a = run->spec.automaton;
    const size_t begin = run->net.listed;
    uint32_t count = 0;
    const om_edge *edges = om_automaton_edges(a, q, &count);
    for (uint32_t i = 0; i < count; i++) {
        const om_edge *e = &edges[i];
        for (uint32_t k = 0; run->left[e->dst] < run->left[q] && k < e->cube_count; k++) {
            const uint32_t id =
                cube_of(&run->net, &run->spec, &om_automaton_cubes(a)[e->cube_begin + k]);
            condition_put(&run->net, id);
        }
    }
    return condition_close(&run->net, begin, ANY, 0);
}

/* Computes how many edges lead from each state to an accepting component. */
static int measure_ways(const om_guide_run *run)
{
    const om_automaton *a = run->spec.automaton;
    om_sccs sccs;
    const int rc = om_automaton_sccs(a, run->spec.ctx, &sccs);
    if (rc != OM_OK)
        return rc;
    const uint32_t states = om_automaton_state_count(a);
    for (uint32_t q = 0; q < states; q++) {
        const uint32_t component = sccs.component[q];
        const bool in = component != OM_NONE && sccs.strength[component] != OM_NON_ACCEPTING;
        run->left[q] = in ? 0 : OM_NONE;
    }
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (uint32_t q = 0; q < states; q++) {
            uint32_t count = 0;
            const om_edge *edges = om_automaton_edges(a, q, &count);
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t to = run->left[edges[i].dst];
                if (to >= OM_NONE - 1 || to + 1 >= run->left[q])
                    continue;
                run->left[q] = to + 1;
                shorter = true;
            }
        }
    }
    om_sccs_free(&sccs, run->net.heap);
    return OM_OK;
}

static bool is_open(uint32_t goal)
{
    return goal != ALWAYS && goal != NEVER;
}

/* Builds the goals for each state of the automaton; *any: there is one. */
static int build_ways(om_guide_run *run, bool *any)
{
    const uint32_t states = om_automaton_state_count(run->spec.automaton);
    if (!OM_NEW(run->net.heap, run->goals, (size_t) states) ||
        !OM_NEW(run->net.heap, run->left, (size_t) states))
        return OM_ENOMEM;
    const int rc = measure_ways(run);
    for (uint32_t q = 0; q < states && rc == OM_OK; q++) {
        if (run->left[q] == 0 || run->left[q] == OM_NONE)
            continue; /* its estimate is 0, or there is no way */
        run->goals[q] = next_edge(run, q);
        *any = *any || is_open(run->goals[q]);
    }
    return rc;
}

/* Builds the goals: other goals count only if the automaton reads nothing. OM_EUNSUPPORTED: there
 * is nothing to estimate. */
static int build_goals(om_guide_run *run)
{
    const int rc = run->spec.automaton == NULL ? OM_OK : build_ways(run, &run->by_automaton);
    if (rc != OM_OK || run->by_automaton)
        return rc;
    run->goal = any_goal(&run->net, &run->spec);
    return is_open(run->goal) ? OM_OK : OM_EUNSUPPORTED;
}

/* ---- the guide ---- */

static int create(om_guide_run *run, const om_guide_spec *spec, const int64_t *options)
{
    (void) options;
    run->spec = *spec;
    run->row_word = om_model_words(spec->model);
    run->stride = run->row_word + (spec->automaton != NULL);
    int rc = begin(&run->net, spec);
    if (rc == OM_OK)
        rc = build_goals(run);
    if (rc != OM_OK)
        return rc;
    effects_make(&run->net);
    return run->net.rc != OM_OK ? run->net.rc : plans_init(&run->plans, &run->net);
}

static uint64_t estimate(const om_guide_run *run, const uint32_t *row, om_wide *scratch)
{
    if (!run->by_automaton)
        return plans_size(&run->plans, run->goal, row, scratch);
    const uint32_t q = row[run->row_word], left = run->left[q];
    assert(q < om_automaton_state_count(run->spec.automaton));
    if (left == 0 || left == OM_NONE)
        return left == 0 ? 0 : PLANS_MOST;
    return plans_size(&run->plans, run->goals[q], row, scratch) + (uint64_t) (left - 1) * EDGE;
}

/* Without memory, all states are as far. */
static void measure(const om_guide_run *run, const om_guided *states, uint64_t *estimates)
{
    const uint32_t *row = states->rows;
    om_wide *scratch = om_alloc(run->net.heap, plans_scratch(&run->plans), sizeof *scratch);
    for (size_t i = 0; i < states->count; i++, row += run->stride)
        if (states->fresh == NULL || states->fresh[i])
            estimates[i] = scratch == NULL ? PLANS_MOST : estimate(run, row, scratch);
    om_free(run->net.heap, scratch);
}

static void destroy(om_guide_run *run)
{
    if (run->spec.heap == NULL)
        return;
    plans_free(&run->plans);
    drop(&run->net);
    OM_FREE_ALL(run->spec.heap, run->goals, run->left);
}

OM_API extern const om_guide omen_plugin;
const om_guide omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_guide, OM_PLUGIN_GUIDE, "relaxed",
        "steps, if none undid what others have brought about", "Hoffmann, Nebel 2001", NULL),
    .run_size = sizeof(om_guide_run),
    .create = create,
    .measure = measure,
    .destroy = destroy,
    .rank = 30,
    .costly = true,
};
