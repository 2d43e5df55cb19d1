/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- generation ---- */

static void make_propositions(sample *s)
{
    for (int i = 0; i < PROPOSITIONS; i++) {
        bool again = true;
        while (again) {
            s->name[i] = (om_text){ .heap = om_heap_default() };
            s->quoted[i] = s->name[i];
            s->proposition[i] = dve_proposition(&s->d, &s->r);
            dve_print_expr(&s->d, s->proposition[i], -1, &s->name[i]);
            again = false;
            for (int k = 0; k < i; k++)
                again = again || strcmp(s->name[k].text, s->name[i].text) == 0;
            if (again)
                om_text_free(&s->name[i]);
        }
        bool bare = s->proposition[i]->kind == X_AT && om_random_below(&s->r, 2) == 0;
        om_text_printf(&s->quoted[i], bare ? "%s" : "\"%s\"", s->name[i].text);
    }
}

static void evaluate_propositions(sample *s)
{
    free(s->label);
    free(s->able);
    s->label = calloc(s->g.n, sizeof *s->label);
    s->able = calloc(s->g.n, sizeof *s->able);
    if (s->label == NULL || s->able == NULL)
        abort();
    for (uint32_t v = 0; v < s->g.n; v++)
        for (uint32_t k = s->g.first[v]; k < s->g.first[v + 1]; k++)
            s->able[v] |= s->g.who[k];
    for (uint32_t v = 0; v < s->g.n; v++)
        for (int i = 0; i < PROPOSITIONS; i++)
            if (dve_value(&s->d, &s->g.states[v], s->proposition[i]) != 0)
                s->label[v] |= 1u << i;
}

void sample_make(sample *s, uint64_t number, bool faulty)
{
    static const uint32_t sizes[] = { 40, 40, 200, 2000 };
    memset(s, 0, sizeof *s);
    s->number = number;
    s->r.state = number * 0x9e3779b97f4a7c15u + 1;
    uint32_t most = sizes[om_random_below(&s->r, 4)];
    uint32_t least = om_random_below(&s->r, 10) == 0 ? 1 : most == 40 ? 5 : most / 5;
    for (;;) {
        dve_generate(&s->d, &s->r, faulty);
        if (!graph_explore(&s->g, &s->d, most))
            continue;
        if (s->g.n >= least || (faulty && s->g.faults > 0))
            break;
        graph_free(&s->g);
        least -= least > 1 && om_random_below(&s->r, 8) == 0;
    }
    s->text = (om_text){ .heap = om_heap_default() };
    dve_print(&s->d, &s->text);
    make_propositions(s);
    evaluate_propositions(s);
}

void sample_make_strict(sample *s)
{
    uint32_t states = s->g.n;
    graph_free(&s->g);
    s->d.strict = true;
    if (!graph_explore(&s->g, &s->d, states)) /* strictness adds no states */
        abort();
    evaluate_propositions(s);
    if (om_model_set_overflow(s->exact, OM_OVERFLOW_ERROR) != OM_OK)
        abort();
}

void sample_free(sample *s)
{
    om_model_free(s->model);
    om_model_free(s->exact);
    graph_free(&s->g);
    om_text_free(&s->text);
    for (int i = 0; i < PROPOSITIONS; i++) {
        om_text_free(&s->name[i]);
        om_text_free(&s->quoted[i]);
    }
    free(s->label);
    free(s->able);
}

labelled sample_labelled(const sample *s, bool stutter)
{
    return (labelled){ .n = s->g.n,
        .to = s->g.to,
        .first = s->g.first,
        .label = s->label,
        .dead = s->g.fault,
        .stutter = stutter,
        .who = s->g.who,
        .able = s->able };
}

/* ---- mapping between the library's states and the test's ---- */

static bool bind(sample *s, int at, const char *name, uint32_t element)
{
    uint32_t slot = om_model_find_slot(s->model, name);
    if (slot == OM_NONE)
        return false;
    s->slots[at] = om_model_slot(s->model, slot);
    s->element[at] = element;
    return true;
}

static bool bind_channel(sample *s, int i)
{
    const channel *c = &s->d.channel[i];
    char name[32];
    (void) snprintf(name, sizeof name, "c%d.count", i);
    bool found = c->capacity == 0 || bind(s, c->at, name, 0);
    for (int k = 0; k < c->capacity * c->width && found; k++) {
        (void) snprintf(name, sizeof name, c->width == 1 ? "c%d" : "c%d.%d", i, k % c->width);
        found = bind(s, c->at + 1 + k, name, (uint32_t) (k / c->width));
    }
    return found;
}

bool sample_bind(sample *s)
{
    char name[32];
    bool found = true;
    for (int p = 0; p < s->d.processes && found; p++) {
        (void) snprintf(name, sizeof name, "P%d", p);
        found = bind(s, p, name, 0);
    }
    for (int v = 0; v < s->d.variables && found; v++) {
        const variable *x = &s->d.variable[v];
        (void) snprintf(name, sizeof name, "P%d.%s", x->owner, x->name);
        for (int i = 0; i < (x->length == 0 ? 1 : x->length) && found; i++)
            found = (x->is_const && x->length == 0) ||
                    bind(s, x->at + i, x->owner < 0 ? x->name : name, (uint32_t) i);
    }
    for (int c = 0; c < s->d.channels && found; c++)
        found = bind_channel(s, c);
    return found;
}

uint32_t sample_vertex(const sample *s, const uint32_t *vector)
{
    valuation now;
    memset(&now, 0, sizeof now);
    for (int i = 0; i < s->d.width; i++)
        now.v[i] = s->slots[i] == NULL ? s->g.states[0].v[i]
                                       : om_slot_get(s->slots[i], vector, s->element[i]);
    return graph_find(&s->g, &s->d, &now);
}

void sample_vector(const sample *s, uint32_t vertex, uint32_t *vector)
{
    memset(vector, 0, om_model_words(s->model) * sizeof *vector);
    for (int i = 0; i < s->d.width; i++)
        if (s->slots[i] != NULL)
            om_slot_set(s->slots[i], vector, s->element[i], s->g.states[vertex].v[i]);
}

/* ---- lassos ---- */

/* Stores the vertices of a run of the model. Returns NULL, or what is wrong with the run. */
static const char *follow(const sample *s, const om_lasso *l, bool stutter, uint32_t *path)
{
    if (l->count == 0)
        return "it is empty";
    for (size_t i = 0; i < l->count; i++) {
        path[i] = sample_vertex(s, l->vectors + i * l->words);
        if (path[i] == OM_NONE)
            return "a state is not reachable";
    }
    if (path[0] != 0)
        return "it does not start in the initial state";
    for (size_t i = 0; i < l->count; i++) {
        bool last = i + 1 == l->count;
        if (last && l->loop == OM_NO_LOOP)
            break;
        uint32_t from = path[i], to = last ? path[l->loop] : path[i + 1];
        if (l->transitions[i] == OM_STUTTER) {
            if (!stutter || from != to || s->g.first[from] != s->g.first[from + 1] ||
                s->g.fault[from])
                return "a state repeats that must not";
        } else if (!graph_has_arc(&s->g, from, to))
            return "a step is none of the model";
    }
    return NULL;
}

/* Takes transition t from state i of the lasso; the result becomes state i + 1. */
static const char *take(
    const om_executor *x, om_successors *next, om_lasso *l, size_t i, uint32_t t)
{
    uint32_t *from = l->vectors + i * l->words, *to = from + l->words;
    l->transitions[i] = t;
    if (t == OM_STUTTER) {
        memcpy(to, from, l->words * sizeof *to);
        return NULL;
    }
    if (om_executor_successors(x, from, next) != OM_OK)
        abort();
    for (size_t k = 0; k < next->count && next->fault == 0; k++)
        if (next->transition[k] == t) {
            memcpy(to, next->words + k * l->words, l->words * sizeof *to);
            return NULL;
        }
    return "a transition is not enabled where nothing is reset";
}

/* Returns where the cycle of a run begins, if its state i is one at which its `cycle` steps began
 * before; OM_NO_LOOP: it is not. The cycle began at step `loop` first. */
static size_t find_loop(const om_lasso *r, size_t loop, size_t cycle, size_t i)
{
    const size_t bytes = r->words * sizeof *r->vectors;
    if (i <= loop || (i - loop) % cycle != 0)
        return OM_NO_LOOP;
    for (; loop < i; loop += cycle)
        if (memcmp(r->vectors + i * r->words, r->vectors + loop * r->words, bytes) == 0)
            return loop;
    return OM_NO_LOOP;
}

/* Takes the same transitions in the model without resets, those of a cycle until it closes: a byte
 * that only counts, and that nothing reads, returns after up to 256 rounds. The caller frees *out.
 */
static const char *unreset(const sample *s, const om_lasso *l, om_lasso *out)
{
    enum { ROUNDS = 257 };
    const om_heap *heap = om_heap_default();
    om_executor *x = NULL;
    om_successors next = { .heap = heap };
    const char *wrong = NULL;
    const size_t cycle = l->loop == OM_NO_LOOP ? 0 : l->count - l->loop;
    const size_t most = l->count + ROUNDS * cycle;
    om_lasso r = { .heap = heap, .words = l->words, .loop = OM_NO_LOOP };
    r.vectors = om_alloc(heap, most + 1, l->words * sizeof *r.vectors);
    r.transitions = om_alloc(heap, most + 1, sizeof *r.transitions);
    if (r.vectors == NULL || r.transitions == NULL ||
        om_executor_open(&x, s->exact, OM_EXEC_VM, NULL, 0) != OM_OK)
        abort();
    x->initial(x, r.vectors);
    while (wrong == NULL && r.count + (cycle == 0) < most && r.loop == OM_NO_LOOP) {
        const size_t i = r.count++;
        wrong = take(
            x, &next, &r, i, l->transitions[i < l->count ? i : l->loop + (i - l->loop) % cycle]);
        r.loop = cycle == 0 ? OM_NO_LOOP : find_loop(&r, l->loop, cycle, r.count);
    }
    if (cycle == 0)
        r.transitions[r.count++] = OM_NONE;
    else if (wrong == NULL && r.loop == OM_NO_LOOP)
        wrong = "the cycle does not close where nothing is reset";
    om_successors_free(&next);
    om_executor_close(x);
    *out = r;
    return wrong;
}

static const char *judge_bad_state(
    const sample *s, const obligation *c, const om_lasso *l, uint32_t v)
{
    if (l->loop != OM_NO_LOOP)
        return "a trace has a loop";
    if (c->kind == OM_PROPERTY_DEADLOCK && (s->g.first[v] != s->g.first[v + 1] || s->g.fault[v]))
        return "the last state has successors";
    if (c->kind == OM_PROPERTY_INVARIANT && dve_value(&s->d, &s->g.states[v], c->invariant) != 0)
        return "the invariant holds in the last state";
    return c->shortest == OM_NONE || l->count - 1 == c->shortest ? NULL
                                                                 : "there is a shorter trace";
}

/* Returns the processes that move according to the transition. In a synchronous system, all
 * move. */
static unsigned movers(const sample *s, uint32_t transition)
{
    const unsigned all = (1u << s->d.processes) - 1;
    if (transition >= om_model_transition_count(s->model))
        return 0;
    const om_transition *t = om_model_transition(s->model, transition);
    return s->d.synchronous ? all
                            : ((t->process == OM_NONE ? 0 : 1u << t->process) |
                                  (t->partner == OM_NONE ? 0 : 1u << t->partner)) &
                                  all;
}

/* Returns true if exactly these processes move on one of the arcs between two vertices. */
static bool moves_so(const graph *g, uint32_t from, uint32_t to, unsigned who)
{
    bool so = who == 0 && g->first[from] == g->first[from + 1];
    for (uint32_t k = g->first[from]; k < g->first[from + 1]; k++)
        so = so || (g->to[k] == to && g->who[k] == who);
    return so;
}

/* Treats the lasso as a graph. Returns NULL if the forbidden behaviour occurs on it. */
static const char *judge_run(
    const sample *s, const obligation *c, const om_lasso *l, const uint32_t *path)
{
    uint32_t n = (uint32_t) l->count;
    const bool endless = l->loop != OM_NO_LOOP;
    bool so = true;
    if (!endless && (l->bad_prefix != l->count || c->fair != NULL || !c->stutter))
        return "it has no loop";
    uint32_t *room = calloc(2 * (size_t) n + 1, sizeof *room), *to = room, *first = room + n;
    unsigned *label = calloc(3 * (size_t) n, sizeof *label), *who = label + n, *able = who + n;
    if (room == NULL || label == NULL)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        to[i] = i + 1 < n ? i + 1 : endless ? (uint32_t) l->loop : i;
        first[i + 1] = i + 1;
        label[i] = s->label[path[i]];
        who[i] = movers(s, l->transitions[i]);
        able[i] = s->able[path[i]];
        if (endless || i + 1 < n)
            so = so && moves_so(&s->g, path[i], path[to[i]], who[i]);
    }
    const labelled g = {
        .n = n, .to = to, .first = first, .label = label, .fair = c->fair, .who = who, .able = able
    };
    bool bad =
        c->formula != NULL ? formula_violated(c->formula, &g) : automaton_accepts(c->automaton, &g);
    const char *prefix =
        l->bad_prefix == 0 ? NULL : sample_prefix(c, label, l->count, l->loop, l->bad_prefix);
    free(room);
    free(label);
    if (prefix != NULL)
        return prefix;
    return !so   ? "others move than could so"
           : bad ? NULL
                 : "what is forbidden does not happen on it, or not fairly";
}

/* obligation: NULL for a trace to a fault. */
static const char *judge(const sample *s, const obligation *c, const om_lasso *l)
{
    uint32_t *path = calloc(l->count + 1, sizeof *path);
    if (path == NULL)
        abort();
    const char *wrong = follow(s, l, c != NULL && c->stutter, path);
    if (wrong == NULL && c == NULL)
        wrong = s->g.fault[path[l->count - 1]] ? NULL : "nothing goes wrong in its last state";
    else if (wrong == NULL && c->formula == NULL && c->automaton == NULL)
        wrong = judge_bad_state(s, c, l, path[l->count - 1]);
    else if (wrong == NULL)
        wrong = judge_run(s, c, l, path);
    free(path);
    return wrong;
}

/* A variable that nothing reads is shown if it returns to its value after so many rounds. */
enum { FEW_ROUNDS = 16 };

const char *sample_referee(const sample *s, const obligation *c, const om_lasso *l)
{
    om_lasso exact = { 0 };
    if (l->count == 0 || !l->form.reset_dead)
        return judge(s, c, l);
    const char *wrong = unreset(s, l, &exact);
    if (wrong == NULL)
        wrong = judge(s, c, &exact);
    if (wrong == NULL && exact.count <= l->loop + FEW_ROUNDS * (l->count - l->loop))
        wrong = "it shows forgotten values";
    om_lasso_free(&exact);
    return wrong;
}

const char *sample_referee_fault(const sample *s, const om_lasso *l)
{
    return sample_referee(s, NULL, l);
}
