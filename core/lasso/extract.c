/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/lasso.h>

#include "space.h"

#include <assert.h>
#include <string.h>

/* States that the search for the shortest stem may add before a known path is taken instead: a
 * second or so, which is what a shorter counterexample is worth. */
enum { STEM_STATES = 1 << 20 };

void om_lasso_free(om_lasso *l)
{
    if (l->heap != NULL) {
        om_free(l->heap, l->vectors);
        om_free(l->heap, l->transitions);
    }
    *l = (om_lasso){ 0 };
}

/* The walk as a lasso; its last hop leads to state `loop`, or ends the trace (OM_NO_LOOP). */
static int to_lasso(om_lasso *out, const om_graph *g, const om_walk *w, size_t loop)
{
    const om_heap *heap = g->space.heap;
    uint32_t words = g->spec->executor->words;
    size_t count = w->count + (loop == OM_NO_LOOP);
    om_lasso l = { .heap = heap, .words = words, .count = count, .loop = loop };

    l.vectors = om_alloc(heap, count, words * sizeof *l.vectors);
    l.transitions = om_alloc(heap, count, sizeof *l.transitions);
    if (l.vectors == NULL || l.transitions == NULL) {
        om_lasso_free(&l);
        return om_fail_memory(g->ctx);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t id = i == 0 ? w->start : w->hops[i - 1].to;
        memcpy(l.vectors + i * words, om_space__vector(&g->space, id), words * sizeof *l.vectors);
        l.transitions[i] = i < w->count ? w->hops[i].transition : OM_NONE;
    }
    *out = l;
    return OM_OK;
}

/* ---- shortening ---- */

/* Do two positions show the same state, left by the same transition? */
static bool same_step(const om_lasso *l, size_t a, size_t b)
{
    return l->transitions[a] == l->transitions[b] &&
           memcmp(l->vectors + a * l->words, l->vectors + b * l->words,
               l->words * sizeof *l->vectors) == 0;
}

/* Does the cycle repeat itself every `period` steps? */
static bool repeats(const om_lasso *l, size_t period)
{
    for (size_t i = l->loop; i + period < l->count; i++)
        if (!same_step(l, i, i + period))
            return false;
    return true;
}

/* The product may need several rounds, or a longer way, where the model does the same all the time.
 * Neither change alters the endless run: a cycle w..w is w, and u a (v a)... is u (a v)... */
static void shorten(om_lasso *l)
{
    size_t cycle = l->count - l->loop;
    for (size_t period = 1; period < cycle; period++)
        if (cycle % period == 0 && repeats(l, period)) {
            l->count = l->loop + period;
            break;
        }
    while (l->loop > 0 && same_step(l, l->loop - 1, l->count - 1)) {
        l->loop--;
        l->count--;
    }
}

/* ---- a lasso from evidence ---- */

typedef struct extraction {
    om_graph g;
    om_marks all;
    om_component component;
    uint8_t *member; /* by state number */
    size_t member_count;
    om_walk walk;
    size_t loop;
} extraction;

static bool is_member(const extraction *e, uint32_t id)
{
    return id < e->member_count && e->member[id] != 0;
}

/* Finds the component and marks its states. A model that goes wrong behind the evidence may leave
 * no component: OM_EMODEL then, with no message yet. */
static int find_component(extraction *e, const uint32_t *end)
{
    uint32_t id;
    bool fresh;
    if (om_space__intern(&e->g.space, end, &id, &fresh) != OM_OK)
        return om_fail_memory(e->g.ctx);
    int rc = om_graph__component(&e->g, id, e->all, &e->component);
    if (rc != OM_OK)
        return rc;
    if (e->component.count == 0 && e->g.met != 0)
        return OM_EMODEL;
    if (e->component.count == 0)
        return om_fail(e->g.ctx, OM_EINTERNAL, NULL,
            "no accepting cycle can be reached from the state that a checker gave as evidence");
    e->member_count = e->g.space.count;
    e->member = om_alloc(e->g.space.heap, e->member_count, 1);
    if (e->member == NULL)
        return om_fail_memory(e->g.ctx);
    for (size_t i = 0; i < e->component.count; i++)
        e->member[e->component.states[i]] = 1;
    return OM_OK;
}

/* The hop from the end of the walk (or `from`) to the state with this vector. */
static int follow(extraction *e, uint32_t from, const uint32_t *vector)
{
    om_walk *w = &e->walk;
    int rc = om_graph__expand(&e->g, from);
    for (size_t i = 0; rc == OM_OK && i < e->g.hop_count; i++) {
        if (memcmp(om_space__vector(&e->g.space, e->g.hops[i].to), vector,
                e->g.space.words * sizeof *vector) != 0)
            continue;
        om_hop *moved = om_grow(w->heap, w->hops, &w->room, w->count + 1, sizeof *moved);
        if (moved == NULL)
            return om_fail_memory(e->g.ctx);
        w->hops = moved;
        moved[w->count++] = e->g.hops[i];
        return OM_OK;
    }
    return rc != OM_OK ? rc
                       : om_fail(e->g.ctx, OM_EINTERNAL, NULL,
                             "a checker gave a path as evidence that is none");
}

/* The checker's own path as the stem, for products too large to search for the shortest. */
static int stem_from_path(extraction *e, const uint32_t *path, size_t n)
{
    uint32_t words = e->g.space.words, at = e->walk.start;
    int rc = OM_OK;
    bool found;

    for (size_t i = 1; rc == OM_OK && i < n && !is_member(e, at); i++) {
        rc = follow(e, at, path + i * words);
        if (rc == OM_OK)
            at = e->walk.hops[e->walk.count - 1].to;
    }
    if (rc != OM_OK || is_member(e, at))
        return rc;
    const om_goal goal = { .target = e->member, .target_count = e->member_count, .state = OM_NONE };
    return om_graph__search(&e->g, &at, 1, &goal, 0, &e->walk, &found);
}

/* Walks from an initial state into the component. */
static int find_stem(extraction *e, const uint32_t *path, size_t n)
{
    const om_goal goal = { .target = e->member, .target_count = e->member_count, .state = OM_NONE };
    const om_heap *heap = e->g.space.heap;
    uint32_t *initial = NULL, begin = OM_NONE;
    bool found = false;
    int rc = om_graph__initial(&e->g);
    size_t count = e->g.hop_count;

    if (rc == OM_OK && (initial = om_alloc(heap, count, sizeof *initial)) == NULL)
        rc = om_fail_memory(e->g.ctx);
    for (size_t i = 0; rc == OM_OK && i < count; i++) {
        assert(initial != NULL);
        initial[i] = e->g.hops[i].to;
        if (memcmp(om_space__vector(&e->g.space, initial[i]), path,
                e->g.space.words * sizeof *path) == 0)
            begin = initial[i];
        if (!found && is_member(e, initial[i])) {
            e->walk.start = initial[i];
            found = true;
        }
    }
    if (rc == OM_OK && !found) {
        size_t most = begin == OM_NONE ? 0 : e->g.space.count + STEM_STATES;
        rc = om_graph__search(&e->g, initial, count, &goal, most, &e->walk, &found);
    }
    if (rc == OM_OK && !found && begin != OM_NONE) {
        e->walk.start = begin;
        rc = stem_from_path(e, path, n);
        found = true;
    }
    if (rc == OM_OK && !found)
        rc = om_fail(e->g.ctx, OM_EINTERNAL, NULL,
            "the state that a checker gave as evidence cannot be reached");
    om_free(heap, initial);
    return rc;
}

/* A cycle from the end of the stem through all marks, nearest missing mark first. */
static int find_cycle(extraction *e)
{
    om_walk *w = &e->walk;
    om_marks missing = e->all;
    size_t stem = w->count;
    uint32_t entry = stem == 0 ? w->start : w->hops[stem - 1].to, at = entry;
    uint32_t start = w->start;
    bool found = true;
    int rc = OM_OK;
    om_goal goal = { .within = e->member, .within_count = e->member_count, .state = OM_NONE };

    while (rc == OM_OK && found && (missing != 0 || at != entry || w->count == stem)) {
        size_t before = w->count;
        goal.marks = missing;
        goal.state = missing == 0 ? entry : OM_NONE;
        rc = om_graph__search(&e->g, &at, 1, &goal, 0, w, &found);
        for (size_t i = before; i < w->count; i++) {
            missing &= ~w->hops[i].marks;
            at = w->hops[i].to;
        }
    }
    if (rc == OM_OK && !found)
        rc = om_fail(e->g.ctx, OM_EINTERNAL, NULL, "an accepting component has no accepting cycle");
    w->start = start;
    e->loop = stem;
    return rc;
}

/* All marks of a generalized Buchi automaton; OM_EINVAL for any other. */
static int all_marks(om_context *ctx, const om_automaton *a, om_marks *all)
{
    uint32_t sets = a == NULL ? 0 : om_automaton_set_count(a);
    uint32_t classes = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI;
    if (a != NULL && (om_automaton_acceptance_classes(a) & classes) == 0)
        return om_fail(ctx, OM_EINVAL, NULL,
            "a lasso can be extracted for generalized Buchi acceptance alone");
    *all = sets == 0 ? 0 : ~(om_marks) 0 >> (64 - sets);
    return OM_OK;
}

static bool at_fault(void *self, const om_graph *g, uint32_t id)
{
    (void) self;
    return g->fault != 0 && id == g->met_at;
}

/* The trace to the fault that was met, which stands between the evidence and every cycle. */
static int trace_fault(extraction *e, om_lasso *out)
{
    const om_goal goal = { .state = OM_NONE, .at = at_fault };
    assert(e->g.spec != NULL); /* the graph is open */
    const om_model *m = e->g.spec->executor->model;
    om_fault fault = e->g.met;
    uint32_t *initial = NULL;
    bool found = false;
    int rc = om_graph__initial(&e->g);
    size_t count = e->g.hop_count;

    if (rc == OM_OK && (initial = om_alloc(e->g.space.heap, count, sizeof *initial)) == NULL)
        rc = om_fail_memory(e->g.ctx);
    for (size_t i = 0; rc == OM_OK && i < count; i++)
        initial[i] = e->g.hops[i].to;
    if (rc == OM_OK)
        rc = om_graph__search(&e->g, initial, count, &goal, 0, &e->walk, &found);
    if (rc == OM_OK && !found)
        rc = om_fail(e->g.ctx, OM_EINTERNAL, NULL,
            "the state that a checker gave as evidence cannot be reached");
    if (rc == OM_OK)
        rc = to_lasso(out, &e->g, &e->walk, OM_NO_LOOP);
    om_free(e->g.space.heap, initial);
    if (rc != OM_OK)
        return rc;
    return m != NULL ? om_model_fault(m, fault)
                     : om_fail(e->g.ctx, OM_EMODEL, NULL, "the model goes wrong");
}

int om_lasso_extract(om_lasso *out, om_context *ctx, const om_product_spec *spec,
    const uint32_t *path, size_t path_length)
{
    extraction e = { .walk = { .heap = om_context_heap(ctx) } };
    int rc = all_marks(ctx, spec->automaton, &e.all);

    if (rc == OM_OK && path_length == 0)
        rc = om_fail(ctx, OM_EINTERNAL, NULL, "a checker gave no evidence");
    if (rc == OM_OK)
        rc = om_graph__open(&e.g, ctx, spec);
    if (rc == OM_OK)
        rc = find_component(&e, path + (path_length - 1) * e.g.space.words);
    if (rc == OM_OK)
        rc = find_stem(&e, path, path_length);
    if (rc == OM_OK)
        rc = find_cycle(&e);
    if (rc == OM_OK)
        rc = to_lasso(out, &e.g, &e.walk, e.loop);
    if (rc == OM_OK)
        shorten(out);
    if (rc == OM_EMODEL)
        rc = trace_fault(&e, out);
    om_walk__free(&e.walk);
    om_free(om_context_heap(ctx), e.component.states);
    om_free(om_context_heap(ctx), e.member);
    om_graph__close(&e.g);
    return rc;
}

/* ---- shortest traces ---- */

typedef struct wanted {
    const uint32_t *vector;
    om_expr condition;
} wanted;

static bool wanted_at(void *self, const om_graph *g, uint32_t id)
{
    const wanted *w = self;
    if (w->vector != NULL)
        return memcmp(om_space__vector(&g->space, id), w->vector,
                   g->space.words * sizeof *w->vector) == 0;
    return w->condition == 0 ? g->dead_end : g->fault == 0 && (g->label & 1u) != 0;
}

int om_lasso_trace(
    om_lasso *out, om_context *ctx, om_model *m, const uint32_t *vector, om_expr condition)
{
    om_executor *x = NULL;
    om_graph g = { 0 };
    wanted w = { vector, condition };
    const om_goal goal = { .state = OM_NONE, .at = wanted_at, .self = &w };
    om_walk walk = { .heap = om_context_heap(ctx) };
    om_product_spec spec = { .deadlock_ap = OM_NONE, .workers = 1 };
    uint32_t start;
    bool found = false;
    int rc = om_executor_open(
        &x, m, OM_EXEC_VM, condition == 0 ? NULL : &condition, condition == 0 ? 0 : 1);

    spec.executor = x;
    if (rc == OM_OK)
        rc = om_graph__open(&g, ctx, &spec);
    if (rc == OM_OK)
        rc = om_graph__initial(&g);
    if (rc == OM_OK) {
        start = g.hops[0].to;
        rc = om_graph__search(&g, &start, 1, &goal, 0, &walk, &found);
    }
    if (rc == OM_OK && !found)
        rc = om_fail(ctx, OM_EINTERNAL, NULL, "the vm reaches no such state as a search has met");
    if (rc == OM_OK)
        rc = to_lasso(out, &g, &walk, OM_NO_LOOP);
    om_walk__free(&walk);
    om_graph__close(&g);
    om_executor_close(x);
    return rc;
}
