/* SPDX-License-Identifier: Apache-2.0 */
/*
 * powerset.c: the subset automaton of a graph, with a colour for each set.
 *
 * A set of states is the disjunction of their variables, which are below the APs. So one diagram
 * represents the successors of a set, and its cofactor by a label is the set that the label leads
 * to. A component accepts if one of its cycles is accepted by the graph. Sources: see obligation.c.
 *
 * Cost: exponential in the states of the graph, so there are limits for sets, for arcs between
 * them, for diagram nodes and for the diagram branches followed.
 */
#include "powerset.h"

#include <assert.h>

enum { MOST_SETS = 500, MOST_ARCS = 20000, MOST_NODES = 300000, MOST_STEPS = 300000 };

static bool is_set(om_bdd_space *d, om_bdd f)
{
    return om_bdd_level(d, f) >= PS_FIRST_STATE; /* OM_NONE for constants */
}

int ps_status(const ps_automaton *p)
{
    bool much = p->count > MOST_SETS || p->arc_count > MOST_ARCS || p->steps > MOST_STEPS ||
                om_bdd_space_count(p->d) - p->nodes > MOST_NODES;
    return much ? OM_ELIMIT : om_bdd_space_status(p->d);
}

/* Gives the number of a set, new or not. */
static int number_of(ps_automaton *p, om_bdd set, uint32_t *number)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->sets[i] == set) {
            *number = i;
            return OM_OK;
        }
    if (!OM_ROOM(p->heap, p->sets, &p->sets_capacity, (size_t) p->count + 1))
        return OM_ENOMEM;
    p->sets[p->count] = set;
    *number = p->count++;
    return ps_status(p);
}

static int add_arc(ps_automaton *p, uint32_t src, om_bdd set, om_bdd label)
{
    uint32_t dst = 0;
    int rc = number_of(p, set, &dst);
    for (size_t i = p->first[src]; i < p->arc_count && rc == OM_OK; i++)
        if (p->arcs[i].dst == dst) {
            p->arcs[i].label = om_bdd_or(p->d, p->arcs[i].label, label);
            return OM_OK;
        }
    if (rc != OM_OK)
        return rc;
    if (!OM_ROOM(p->heap, p->arcs, &p->arc_capacity, p->arc_count + 1))
        return OM_ENOMEM;
    p->arcs[p->arc_count++] = (ps_arc){ src, dst, label };
    return ps_status(p);
}

/* Adds the arcs of `src` under the labels that satisfy `label`, for which f represents its
 * successors. The depth is the number of APs. */
static int add_arcs(ps_automaton *p, uint32_t src, om_bdd f, om_bdd label)
{
    uint32_t level = om_bdd_level(p->d, f);
    if (++p->steps > MOST_STEPS)
        return OM_ELIMIT;
    if (f == OM_BDD_NONE || label == OM_BDD_NONE)
        return om_bdd_space_status(p->d);
    if (is_set(p->d, f))
        return add_arc(p, src, f, label);
    int rc = OM_OK;
    for (int value = 0; value < 2 && rc == OM_OK; value++)
        rc = add_arcs(p, src, om_bdd_cofactor(p->d, f, level, value != 0),
            om_bdd_and(p->d, label, om_bdd_variable(p->d, level, value != 0)));
    return rc;
}

/* Computes the successors of a set: walks the negative branches of the disjunction. */
static om_bdd successors(ps_automaton *p, om_bdd set)
{
    om_bdd all = OM_BDD_FALSE;
    while (set != OM_BDD_FALSE && set != OM_BDD_NONE) {
        uint32_t level = om_bdd_level(p->d, set);
        assert(is_set(p->d, set) && level - PS_FIRST_STATE < p->g->states);
        all = om_bdd_or(p->d, all, p->after[level - PS_FIRST_STATE]);
        set = om_bdd_cofactor(p->d, set, level, false);
    }
    return all;
}

int ps_explore(ps_automaton *p)
{
    const tb_graph *g = p->g;
    uint32_t number = 0;
    if (!OM_NEW(p->heap, p->after, g->states) || !OM_NEW(p->heap, p->first, MOST_SETS + 2))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < g->states; i++)
        p->after[i] = OM_BDD_FALSE;
    for (size_t i = 0; i < g->edge_count; i++) {
        const tb_edge *e = &g->edges[i];
        om_bdd to = om_bdd_variable(p->d, PS_FIRST_STATE + e->dst, true);
        p->after[e->src] = om_bdd_or(p->d, p->after[e->src], om_bdd_and(p->d, e->label, to));
    }
    int rc = number_of(p, om_bdd_variable(p->d, PS_FIRST_STATE, true), &number);
    for (uint32_t i = 0; i < p->count && rc == OM_OK; i++) {
        assert(i < MOST_SETS + 1);
        p->first[i] = p->arc_count;
        rc = om_context_stopped(p->ctx);
        if (rc == OM_OK)
            rc = add_arcs(p, i, successors(p, p->sets[i]), OM_BDD_TRUE);
        p->first[i + 1] = p->arc_count;
    }
    return rc;
}

/* ---- accepting components ---- */

/* Returns a label that satisfies f, which is not false. */
static om_label any_label(om_bdd_space *d, om_bdd f)
{
    om_label label = 0;
    while (f != OM_BDD_TRUE) {
        uint32_t level = om_bdd_level(d, f);
        assert(level >= TB_FIRST_AP && level < TB_FIRST_AP + 64);
        om_bdd high = om_bdd_cofactor(d, f, level, true);
        if (high != OM_BDD_FALSE)
            label |= UINT64_C(1) << (level - TB_FIRST_AP);
        f = high != OM_BDD_FALSE ? high : om_bdd_cofactor(d, f, level, false);
    }
    return label;
}

/* Searches breadth-first from a set. via[s] is the arc by which s was reached first, or OM_NONE.
 * With `within`, stays in the component; then via[from] closes a cycle, if there is one. */
static int search(ps_automaton *p, uint32_t from, bool within, uint32_t *via)
{
    uint32_t *queue = om_alloc(p->heap, (size_t) p->count + 1, sizeof *queue);
    size_t head = 0, tail = 0;
    if (queue == NULL)
        return OM_ENOMEM;
    for (uint32_t i = 0; i < p->count; i++)
        via[i] = OM_NONE;
    queue[tail++] = from;
    while (head < tail) {
        uint32_t s = queue[head++];
        for (size_t i = p->first[s]; i < p->first[s + 1]; i++) {
            uint32_t to = p->arcs[i].dst;
            if (via[to] != OM_NONE || (within && p->component[to] != p->component[from]))
                continue;
            via[to] = (uint32_t) i;
            if (to != from)
                queue[tail++] = to;
        }
    }
    om_free(p->heap, queue);
    return OM_OK;
}

/* Writes the labels of the path to `to` backwards, ending before *at; `to` == `from` is a cycle. */
static void write_labels(const ps_automaton *p, const uint32_t *via, uint32_t from, uint32_t to,
    om_label *labels, size_t *at)
{
    do {
        const ps_arc *a = &p->arcs[via[to]];
        assert(*at > 0 && a->dst == to);
        labels[--*at] = any_label(p->d, a->label);
        to = a->src;
    } while (to != from);
}

/* Sets *accepted if a accepts the word that leads to a set and then repeats a cycle through it. */
static int accepts_cycle(ps_automaton *p, const om_automaton *a, uint32_t set, const uint32_t *way,
    const uint32_t *cycle, bool *accepted)
{
    size_t most = 2 * (size_t) p->count + 2, loop, at = most;
    om_label *labels = om_alloc(p->heap, most, sizeof *labels);
    if (labels == NULL)
        return OM_ENOMEM;
    write_labels(p, cycle, set, set, labels, &at);
    loop = at;
    if (set != 0)
        write_labels(p, way, 0, set, labels, &at);
    int rc = om_automaton_accepts_lasso(a, p->ctx, labels + at, most - at, loop - at, accepted);
    om_free(p->heap, labels);
    return rc;
}

int ps_graph(const ps_automaton *p, const uint32_t *number, bool even, tb_graph *out)
{
    uint32_t next = 0;
    int rc = OM_OK;
    out->sets = 1;
    for (uint32_t s = 0; s < p->count && rc == OM_OK; s++) {
        assert(number[s] == OM_NONE || number[s] <= next); /* ascending */
        if (number[s] != next)
            continue; /* not the first set of its state */
        next++;
        rc = tb_graph_open_state(out, p->heap);
        for (size_t i = p->first[s]; i < p->first[s + 1] && rc == OM_OK; i++) {
            tb_edge e = { number[s], number[p->arcs[i].dst], (p->colour[s] % 2 == 0) == even,
                p->arcs[i].label };
            if (e.dst != OM_NONE)
                rc = tb_graph_add_edge(out, p->heap, e);
        }
    }
    if (rc == OM_OK && next == 0) /* no word is accepted */
        rc = tb_graph_open_state(out, p->heap);
    if (rc == OM_OK)
        tb_graph_close(out);
    return rc;
}

/* Computes the components of the subset automaton, each set a state of its own. */
static int find_components(ps_automaton *p, const om_ltl *l)
{
    tb_graph g = { 0 };
    om_automaton *a = NULL;
    om_sccs sccs = { 0 };
    for (uint32_t i = 0; i < p->count; i++)
        p->class_of[i] = i;
    int rc = ps_graph(p, p->class_of, true, &g);
    if (rc == OM_OK)
        rc = tb_automaton(p->ctx, l, &g, p->d, &a);
    if (rc == OM_OK)
        rc = om_automaton_sccs(a, p->ctx, &sccs);
    for (uint32_t i = 0; i < p->count && rc == OM_OK; i++)
        p->component[i] = sccs.component[i];
    p->components = sccs.count;
    om_sccs_free(&sccs, p->heap);
    om_automaton_free(a);
    tb_graph_free(&g, p->heap);
    return rc;
}

/*
 * Computes Loding's colours. The colour of a component is even if it accepts and odd if it rejects,
 * and as large as the colours reachable from it allow. A set on no cycle has the least colour of
 * its successors. Components come in reverse topological order.
 */
static int find_colours(ps_automaton *p, const om_automaton *a)
{
    uint32_t *way = om_alloc(p->heap, p->count, sizeof *way);
    uint32_t *cycle = om_alloc(p->heap, p->count, sizeof *cycle);
    int rc = way == NULL || cycle == NULL ? OM_ENOMEM : search(p, 0, false, way);
    for (uint32_t c = 0; c < p->components && rc == OM_OK; c++) {
        uint32_t least = 2 * p->components + 2, one = OM_NONE;
        bool accepts = false;
        for (uint32_t s = 0; s < p->count; s++) {
            if (p->component[s] != c)
                continue;
            one = s;
            for (size_t i = p->first[s]; i < p->first[s + 1]; i++) {
                uint32_t to = p->arcs[i].dst;
                if (p->component[to] != c && p->colour[to] < least)
                    least = p->colour[to];
            }
        }
        assert(one != OM_NONE); /* no component is empty */
        rc = om_context_stopped(p->ctx);
        if (rc == OM_OK)
            rc = search(p, one, true, cycle);
        if (rc == OM_OK && cycle[one] != OM_NONE) {
            rc = accepts_cycle(p, a, one, way, cycle, &accepts);
            least -= least % 2 != !accepts;
        }
        for (uint32_t s = 0; s < p->count; s++)
            if (p->component[s] == c)
                p->colour[s] = least;
    }
    OM_FREE_ALL(p->heap, way, cycle);
    return rc;
}

int ps_colour(ps_automaton *p, const om_ltl *l, const om_automaton *a)
{
    if (!OM_NEW(p->heap, p->component, p->count) || !OM_NEW(p->heap, p->colour, p->count) ||
        !OM_NEW(p->heap, p->class_of, p->count))
        return OM_ENOMEM;
    int rc = find_components(p, l);
    return rc == OM_OK ? find_colours(p, a) : rc;
}

void ps_free(ps_automaton *p)
{
    OM_FREE_ALL(
        p->heap, p->after, p->sets, p->arcs, p->first, p->component, p->colour, p->class_of);
}
