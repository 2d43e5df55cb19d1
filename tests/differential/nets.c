/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small Petri nets with random properties: their state graphs on the vm, natively and on a
 * device; formulas and automata by every checker; and the same on reduced nets. All are compared
 * with the firing rule and a plain search of the test's own. In some cases, all token counts are
 * multiplied, so that places implied by others are not stored. In some, place bounds are unknown,
 * and slots start with too few bits. Cases from EXTENDED on also have limits and resets.
 * Arguments: first case, number of cases, then N for "one case in N": natively, on a device (0:
 * none), per checker (0: no properties), and by the kernels on the host (0 or left out: none). A
 * case is a function of its number.
 */
#include "checkers.h"
#include "property.h"
#include "seed.h"

#include <omen/host/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PLACES = 8, TRANSITIONS = 10, STATES = 600 };
static const uint64_t EXTENDED = UINT64_C(1) << 40; /* above any OMEN_SEED */

static struct {
    uint64_t first, count, native, device, share, host;
} arguments = { 0, 100, 100, 0, 1, 0 };

/* All reachable markings; marking 0 is the initial one. */
typedef struct graph {
    uint32_t n, deadlocks;
    om_value marking[STATES][PLACES];
    uint32_t to[STATES * TRANSITIONS], first[STATES + 1];
    unsigned label[STATES];
} graph;

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    cpu_checkers checkers;
    char folder[64], path[96];
    bool device;
    uint64_t number;
    om_value scale; /* factor of all token counts */
    om_random r;
    om_net *net;
    om_region region;
    const om_predicate *predicates[PROPOSITIONS];
    graph g;
    uint64_t nets, large, states, dead, checks, refused, lassos, native, on_device, smaller,
        left_out;
    uint64_t held, violated, checked[CPU_CHECKERS];
} fixture;

static uint32_t below(fixture *f, uint32_t n)
{
    return (uint32_t) om_random_below(&f->r, n);
}

static void print_arcs(const om_net_arc *arcs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void) fprintf(stderr, " %d*p%u", (int) arcs[i].count, arcs[i].place);
}

/* Prints the case, then fails the test. */
static void failed(const fixture *f, const char *what, const char *how, const char *property)
{
    (void) fprintf(stderr,
        "case %llu: %s (%s)\nproperty: %s\nlibrary: %s\ntokens:", (unsigned long long) f->number,
        what, how, property, om_context_error(f->ctx));
    for (uint32_t p = 0; p < f->net->place_count; p++)
        (void) fprintf(stderr, " %d", (int) f->net->places[p].initial);
    for (uint32_t t = 0; t < f->net->transition_count; t++) {
        const om_net_transition *x = &f->net->transitions[t];
        print_arcs(x->takes, x->take_count);
        (void) fputs(" >", stderr);
        print_arcs(x->gives, x->give_count);
        for (uint32_t i = 0; i < x->limit_count; i++)
            (void) fprintf(stderr, " p%u<=%d", x->limits[i].place, (int) x->limits[i].most);
        for (uint32_t i = 0; i < x->reset_count; i++)
            (void) fprintf(stderr, " p%u:=0", x->resets[i]);
        (void) fputs(";", stderr);
    }
    (void) fputs("\n", stderr);
    fail();
}

/* ---- nets ---- */

static const om_net_arc *arcs_of(fixture *f, const int *counts, uint32_t *count)
{
    om_net_arc *list = om_region_take(&f->net->region, PLACES, sizeof *list);
    assert_non_null(list);
    *count = 0;
    for (uint32_t p = 0; p < f->net->place_count; p++)
        if (counts[p] > 0)
            list[(*count)++] = (om_net_arc){ p, counts[p] * f->scale };
    return list;
}

/* Mostly moves tokens; sometimes creates, consumes or multiplies them, or only tests a place. */
static void make_transition(fixture *f, om_net_transition *t)
{
    int takes[PLACES] = { 0 }, gives[PLACES] = { 0 };
    const uint32_t places = f->net->place_count, most = 1 + below(f, 5) / 4;
    for (uint32_t moves = 1 + below(f, 4) / 3; moves > 0; moves--) {
        const uint32_t from = below(f, places), to = below(f, 2) == 0 ? from + 1 : below(f, places);
        const int count = (int) (1 + below(f, most));
        takes[from] += count;
        if (below(f, 40) != 0)
            gives[to % places] += below(f, 20) == 0 ? 2 * count : count;
    }
    if (below(f, 6) == 0) {
        const uint32_t read = below(f, places);
        takes[read]++;
        gives[read]++;
    }
    t->takes = arcs_of(f, takes, &t->take_count);
    t->gives = arcs_of(f, gives, &t->give_count);
}

/* Adds inhibitor arcs, capacities (limits on places that the transition adds to) and resets. */
static void extend_transition(fixture *f, om_net_transition *t)
{
    om_net_limit *limits = om_region_take(&f->net->region, PLACES, sizeof *limits);
    uint32_t *resets = om_region_take(&f->net->region, PLACES, sizeof *resets);
    assert_true(limits != NULL && resets != NULL);
    for (uint32_t p = 0; p < f->net->place_count; p++) {
        if (below(f, 6) == 0)
            limits[t->limit_count++] =
                (om_net_limit){ p, f->scale * (om_value) below(f, 3) + (om_value) below(f, 2) - 1 };
        if (below(f, 12) == 0)
            resets[t->reset_count++] = p;
    }
    t->limits = limits;
    t->resets = resets;
}

static om_net_node *make_nodes(fixture *f, char kind, uint32_t count)
{
    om_net_node *nodes = om_region_take(&f->net->region, count + 1, sizeof *nodes);
    assert_non_null(nodes);
    for (uint32_t i = 0; i < count; i++) {
        const char name[3] = { kind, (char) ('a' + i), '\0' };
        nodes[i] =
            (om_net_node){ .id = om_region_copy(&f->net->region, name, 2), .first = i, .count = 1 };
    }
    return nodes;
}

static om_value scale_of(uint64_t number)
{
    return number % 5 == 3 ? 60 : number % 5 == 4 ? 20000 : 1;
}

static void make_net(fixture *f)
{
    f->scale = scale_of(f->number);
    assert_int_equal(om_net_new(&f->net, f->ctx, "case.pnml"), OM_OK);
    om_net *n = f->net;
    const bool safe = below(f, 2) == 0;
    n->name = "case";
    n->place_count = n->place_node_count = 3 + below(f, PLACES - 2);
    n->transition_count = n->transition_node_count = 3 + below(f, TRANSITIONS - 2);
    n->places = om_region_take(&n->region, PLACES, sizeof *n->places);
    n->transitions = om_region_take(&n->region, TRANSITIONS, sizeof *n->transitions);
    assert_true(n->places != NULL && n->transitions != NULL);
    n->place_nodes = make_nodes(f, 'p', n->place_count);
    n->transition_nodes = make_nodes(f, 't', n->transition_count);
    for (uint32_t p = 0; p < n->place_count; p++)
        n->places[p] =
            (om_net_place){ .node = p, .initial = f->scale * (om_value) below(f, safe ? 2 : 3) };
    for (uint32_t t = 0; t < n->transition_count; t++) {
        n->transitions[t].node = t;
        make_transition(f, &n->transitions[t]);
        if (f->number >= EXTENDED)
            extend_transition(f, &n->transitions[t]);
    }
    assert_int_equal(om_net_bound(n), OM_OK);
    for (uint32_t p = 0; p < n->place_count && f->number % 10 >= 7; p++)
        n->places[p].bound = OM_NET_NO_BOUND;
}

static bool enabled(const om_net_transition *t, const om_value *marking)
{
    for (uint32_t i = 0; i < t->take_count; i++)
        if (marking[t->takes[i].place] < t->takes[i].count)
            return false;
    for (uint32_t i = 0; i < t->limit_count; i++)
        if (marking[t->limits[i].place] > t->limits[i].most)
            return false;
    return true;
}

static uint32_t find_state(graph *g, const om_value *marking)
{
    for (uint32_t s = 0; s < g->n; s++)
        if (memcmp(g->marking[s], marking, sizeof g->marking[s]) == 0)
            return s;
    if (g->n < STATES)
        memcpy(g->marking[g->n], marking, sizeof g->marking[g->n]);
    return g->n < STATES ? g->n++ : STATES;
}

/* Returns false if there are more states. */
static bool explore(graph *g, const om_net *net)
{
    om_value marking[PLACES] = { 0 };
    uint32_t edges = 0;
    g->n = g->deadlocks = 0;
    for (uint32_t p = 0; p < net->place_count; p++)
        marking[p] = net->places[p].initial;
    (void) find_state(g, marking);
    for (uint32_t s = 0; s < g->n; s++) {
        g->first[s] = edges;
        for (uint32_t t = 0; t < net->transition_count; t++) {
            const om_net_transition *x = &net->transitions[t];
            if (!enabled(x, g->marking[s]))
                continue;
            memcpy(marking, g->marking[s], sizeof marking);
            for (uint32_t i = 0; i < x->take_count; i++)
                marking[x->takes[i].place] -= x->takes[i].count;
            for (uint32_t i = 0; i < x->reset_count; i++)
                marking[x->resets[i]] = 0;
            for (uint32_t i = 0; i < x->give_count; i++)
                marking[x->gives[i].place] += x->gives[i].count;
            g->to[edges] = find_state(g, marking);
            if (g->to[edges++] == STATES)
                return false;
        }
        g->deadlocks += edges == g->first[s];
        g->first[s + 1] = edges;
    }
    return true;
}

/* ---- propositions ---- */

static const om_predicate *make_sum(fixture *f)
{
    om_net_sum sum = { .heap = om_context_heap(f->ctx) };
    for (uint32_t n = 1 + below(f, 2); n > 0; n--)
        om_net_sum_add(&sum, below(f, f->net->place_count), below(f, 4) == 0 ? -1 : 1);
    const om_predicate *p = om_predicate_linear(&f->region, &sum, f->scale * (om_wide) below(f, 3));
    om_free(sum.heap, sum.terms);
    return p;
}

static void make_propositions(fixture *f)
{
    for (size_t i = 0; i < PROPOSITIONS; i++) {
        f->predicates[i] = below(f, 2) == 0 ? make_sum(f)
                                            : om_predicate_fireable(&f->region, f->net,
                                                  below(f, f->net->transition_count), 1);
        assert_non_null(f->predicates[i]);
    }
    for (uint32_t s = 0; s < f->g.n; s++) {
        f->g.label[s] = 0;
        for (size_t i = 0; i < PROPOSITIONS; i++)
            f->g.label[s] |= (unsigned) om_predicate_holds(f->predicates[i], f->g.marking[s]) << i;
    }
}

/* ---- checks ---- */

/* A net to explore: that of the case, or a reduced one. */
typedef struct subject {
    om_model *model;
    const om_predicate *predicates[PROPOSITIONS];
    om_reduction *reduction; /* or NULL */
} subject;

static void make_model(fixture *f, subject *s, const om_net *net)
{
    s->model = NULL;
    if (om_net_model_new(&s->model, net, "case", s->predicates, PROPOSITIONS) != OM_OK)
        failed(f, "no model", "", "");
}

static om_plan *new_plan(fixture *f, const subject *s, const om_plan_options *options)
{
    om_plan *p = NULL;
    om_context_clear(f->ctx);
    if (om_plan_new(&p, f->ctx, f->registry, om_net_model_frontend(), s->model, options) != OM_OK)
        failed(f, "no plan", "", "");
    return p;
}

/* Returns true if the plan is told to leave out orders of steps. By default, checks do,
 * explorations do not. */
static bool leaves_out(const om_plan_options *o)
{
    return o->por == OM_POR_ON || o->por == OM_POR_ALWAYS;
}

static void check_states(fixture *f, const subject *s, const char *how, const om_plan_options *o)
{
    om_exploration x;
    const graph *g = &f->g;
    om_plan *p = new_plan(f, s, o);
    if (om_plan_explore(p, &x, NULL) != OM_OK)
        failed(f, "exploring failed", how, "");
    if ((!leaves_out(o) && (x.states != g->n || x.transitions != g->first[g->n])) ||
        x.states > g->n || x.deadlocks != g->deadlocks)
        failed(f, "another state space", how, "");
    f->left_out += g->n - x.states;
    om_free(om_context_heap(f->ctx), x.fault_vector);
    om_plan_free(p);
}

/* A run of the reduced net expands to a run of the net; the library fires it there. */
static void expand(
    fixture *f, const subject *s, const om_lasso *l, const char *how, const char *text)
{
    om_firings run = { .transitions = l->transitions, .loop = l->loop }, whole = { 0 };
    while (run.count < l->count && l->transitions[run.count] != OM_STUTTER &&
           l->transitions[run.count] != OM_NONE)
        run.count++;
    if (run.count < l->count)
        run.loop = l->transitions[run.count] == OM_STUTTER ? run.count : OM_FIRINGS_END;
    if (om_reduction_expand(s->reduction, &run, &whole) != OM_OK)
        failed(f, "the run is none of the net", how, text);
    om_free(om_context_heap(f->ctx), whole.transitions);
}

static void check(fixture *f, const subject *s, om_property_kind kind, const char *text,
    bool violated, const char *how, const om_plan_options *o)
{
    om_plan *p = new_plan(f, s, o);
    om_check_result r;
    int rc = om_plan_check(p, kind, text, &r);
    /* A property that counts steps, or may, cannot be checked on some orders of steps alone. */
    const bool refused = rc == OM_EUSAGE && (o->checker != NULL || leaves_out(o));
    if (!refused && (rc != OM_OK || r.verdict != (violated ? OM_VIOLATED : OM_HOLDS)))
        failed(f, violated ? "a violation was not found" : "there is no violation", how, text);
    if (!refused && violated) {
        if (om_plan_replay(p, kind, text, &r.lasso) != OM_OK)
            failed(f, "the lasso is not replayed", how, text);
        if (s->reduction != NULL)
            expand(f, s, &r.lasso, how, text);
        f->lassos++;
    }
    f->checks += !refused;
    f->refused += refused;
    om_check_result_free(&r);
    om_plan_free(p);
}

static bool sampled(const fixture *f, uint64_t one_in)
{
    return one_in != 0 && f->number % one_in == 7 % one_in;
}

/* Leaves out orders of steps. */
static void check_reduced(
    fixture *f, const subject *s, om_property_kind kind, const char *text, bool violated)
{
    om_plan_options o = {
        .device = "none", .exec = OM_EXEC_VM, .seed = f->number % 3, .por = OM_POR_ALWAYS
    };
    for (o.threads = 1; o.threads <= 8; o.threads *= 2)
        check(f, s, kind, text, violated, "some orders of steps", &o);
    o.threads = 2;
    for (size_t i = 0; i < f->checkers.count && kind != OM_PROPERTY_DEADLOCK; i++) {
        o.checker = f->checkers.at[i]->head.name;
        if ((i + f->number) % arguments.share == 0)
            check(f, s, kind, text, violated, o.checker, &o);
    }
}

static void check_property(
    fixture *f, const subject *s, om_property_kind kind, const char *text, bool violated)
{
    static const unsigned threads[] = { 1, 2, 4 };
    om_plan_options o = { .device = "none", .exec = OM_EXEC_VM, .seed = f->number % 3 };
    for (size_t i = 0; i < 3; i++) {
        o.threads = threads[i];
        check(f, s, kind, text, violated, "vm", &o);
    }
    for (size_t i = 0; i < f->checkers.count && kind != OM_PROPERTY_DEADLOCK; i++) {
        if ((i + f->number) % arguments.share != 0)
            continue;
        o.threads = threads[(i + f->number) % 3];
        o.checker = f->checkers.at[i]->head.name;
        check(f, s, kind, text, violated, o.checker, &o);
        f->checked[i]++;
    }
    o.checker = NULL;
    check_reduced(f, s, kind, text, violated);
    if (sampled(f, arguments.native)) {
        o.exec = OM_EXEC_NATIVE;
        check(f, s, kind, text, violated, "native", &o);
    }
    if (f->device && sampled(f, arguments.device)) {
        o.exec = OM_EXEC_VM;
        o.device = "0";
        check(f, s, kind, text, violated, "device", &o);
    }
    f->violated += violated;
    f->held += !violated;
}

/* ---- reductions ---- */

static void reduce(fixture *f, subject *s, om_reduce_keep keep)
{
    uint8_t observed[PLACES] = { 0 };
    const om_reduce_options options = { .keep = keep };
    for (size_t i = 0; i < PROPOSITIONS && keep != OM_REDUCE_DEADLOCK; i++)
        om_predicate_places(f->predicates[i], observed);
    if (om_net_reduce(&s->reduction, f->net, observed, &options) != OM_OK)
        failed(f, "no reduction", "", "");
    for (size_t i = 0; i < PROPOSITIONS; i++) {
        s->predicates[i] = keep == OM_REDUCE_DEADLOCK
                               ? om_predicate_constant(&f->region, true)
                               : om_predicate_translate(&f->region, f->predicates[i],
                                     om_reduction_images(s->reduction));
        assert_non_null(s->predicates[i]);
    }
    const om_net *net = om_reduction_net(s->reduction);
    f->smaller += net->place_count < f->net->place_count;
    make_model(f, s, net);
}

static void check_reachable(fixture *f)
{
    static const char *const names[] = { "p0", "p1", "p2" };
    subject s = { 0 };
    om_query queries[PROPOSITIONS] = { { 0 } };
    om_survey survey = { .queries = queries, .query_count = PROPOSITIONS };
    om_exploration x;
    unsigned reached = 0;
    reduce(f, &s, OM_REDUCE_REACHABLE);
    om_plan *p = new_plan(f, &s, &(om_plan_options){ .exec = OM_EXEC_VM, .threads = 2 });
    for (size_t i = 0; i < PROPOSITIONS; i++)
        assert_int_equal(
            om_net_model_frontend()->expression(s.model, "AP", names[i], &queries[i].expression),
            OM_OK);
    if (om_plan_ask(p, &survey, &x) != OM_OK)
        failed(f, "no answers", "reachable", "");
    for (uint32_t v = 0; v < f->g.n; v++)
        reached |= f->g.label[v];
    for (size_t i = 0; i < PROPOSITIONS; i++) {
        if (!queries[i].decided || queries[i].value != (reached >> i & 1))
            failed(f, "another answer", "reachable", names[i]);
        om_free(om_context_heap(f->ctx), queries[i].transitions);
    }
    om_free(om_context_heap(f->ctx), x.fault_vector);
    om_plan_free(p);
    om_model_free(s.model);
    om_reduction_free(s.reduction);
}

/* Checks the maximum numbers of tokens in places, single and summed. */
static void check_largest(fixture *f, const subject *s)
{
    const uint32_t places = f->net->place_count;
    om_value most[PLACES] = { 0 }, known[PLACES] = { 0 };
    om_wide sum = 0, known_sum = 0, known_few = INT64_MIN;
    const om_net_term few[] = { { below(f, places), 2 }, { below(f, places), -1 } };
    om_query query = { .term_count = 2, .terms = few, .enough = INT64_MAX };
    om_survey survey = { .queries = &query, .query_count = 1, .most = most, .largest_sum = &sum };
    om_exploration x;
    om_plan *p = new_plan(f, s, &(om_plan_options){ .exec = OM_EXEC_VM, .threads = 2 });
    if (om_plan_ask(p, &survey, &x) != OM_OK)
        failed(f, "no answers", "largest", "");
    for (uint32_t v = 0; v < f->g.n; v++) {
        const om_value *m = f->g.marking[v];
        om_wide all = 0, now = 2 * (om_wide) m[few[0].place] - m[few[1].place];
        for (uint32_t i = 0; i < places; i++) {
            known[i] = m[i] > known[i] ? m[i] : known[i];
            all += m[i];
        }
        known_sum = all > known_sum ? all : known_sum;
        known_few = now > known_few ? now : known_few;
    }
    if (memcmp(most, known, sizeof most) != 0 || sum != known_sum || query.value != known_few)
        failed(f, "another answer", "largest", "");
    om_free(om_context_heap(f->ctx), query.transitions);
    om_free(om_context_heap(f->ctx), x.fault_vector);
    om_plan_free(p);
}

/* Checks the property on the net and on the reduced net. */
static void check_both(fixture *f, const subject *s, om_property_kind kind, const char *text,
    bool violated, om_reduce_keep keep)
{
    subject reduced = { 0 };
    check_property(f, s, kind, text, violated);
    reduce(f, &reduced, keep);
    check_property(f, &reduced, kind, text, violated);
    om_model_free(reduced.model);
    om_reduction_free(reduced.reduction);
}

/* ---- cases ---- */

static void check_formula(fixture *f, const subject *s, const labelled *g)
{
    static const char *const names[] = { "p0", "p1", "p2" };
    formula made;
    bool steps = false;
    om_text text = { .heap = om_heap_default() };
    formula_make(&made, &f->r, PROPOSITIONS);
    formula_print(&made, names, &text);
    for (int i = 0; i < made.count; i++)
        steps = steps || made.node[i].op == 'X';
    check_both(f, s, OM_PROPERTY_LTL, text.text, formula_violated(&made, g),
        steps ? OM_REDUCE_STEPS : OM_REDUCE_RUNS);
    om_text_free(&text);
}

static void check_automaton(fixture *f, const subject *s, const labelled *g)
{
    static const char *const names[] = { "p0", "p1", "p2" };
    automaton made;
    om_text text = { .heap = om_heap_default() };
    automaton_make(&made, &f->r, PROPOSITIONS, below(f, 2) == 0);
    automaton_print(&made, names, &text);
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    assert_true(fputs(text.text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    check_both(f, s, OM_PROPERTY_AUTOMATON, f->path, automaton_accepts(&made, g), OM_REDUCE_STEPS);
    om_text_free(&text);
    automaton_free(&made);
}

static void check_properties(fixture *f, const subject *s)
{
    const labelled g = {
        .n = f->g.n, .to = f->g.to, .first = f->g.first, .label = f->g.label, .stutter = true
    };
    check_formula(f, s, &g);
    check_automaton(f, s, &g);
    check_both(f, s, OM_PROPERTY_DEADLOCK, NULL, f->g.deadlocks > 0, OM_REDUCE_DEADLOCK);
    check_reachable(f);
    check_largest(f, s);
}

static void check_net(fixture *f)
{
    subject s = { 0 };
    memcpy(s.predicates, f->predicates, sizeof s.predicates);
    make_model(f, &s, f->net);
    for (unsigned threads = 1; threads <= 4; threads *= 2)
        check_states(f, &s, "vm",
            &(om_plan_options){ .device = "none", .exec = OM_EXEC_VM, .threads = threads });
    if (sampled(f, arguments.native)) {
        check_states(
            f, &s, "native", &(om_plan_options){ .device = "none", .exec = OM_EXEC_NATIVE });
        f->native++;
    }
    if (f->device && sampled(f, arguments.device)) {
        check_states(f, &s, "device", &(om_plan_options){ .device = "0", .exec = OM_EXEC_VM });
        f->on_device++;
    }
    check_states(f, &s, "some orders of steps",
        &(om_plan_options){
            .device = "none", .exec = OM_EXEC_VM, .threads = 2, .por = OM_POR_ALWAYS });
    if (sampled(f, arguments.host))
        check_states(f, &s, "host", &(om_plan_options){ .device = "host", .exec = OM_EXEC_VM });
    if (arguments.share != 0)
        check_properties(f, &s);
    om_model_free(s.model);
}

static void run_case(fixture *f, uint64_t number)
{
    f->number = number;
    f->r = (om_random){ number * 1000003 };
    f->region = (om_region){ .heap = om_context_heap(f->ctx) };
    make_net(f);
    if (explore(&f->g, f->net)) {
        make_propositions(f);
        check_net(f);
        f->nets++;
        f->states += f->g.n;
        f->dead += f->g.deadlocks > 0;
    } else {
        f->large++;
    }
    om_region_free(&f->region);
    om_net_free(f->net);
}

static void nets_agree(void **state)
{
    fixture *f = *state;
    for (uint64_t i = 0; seed_goes_on(i, &arguments.count); i++)
        run_case(f, arguments.first + i);
#define N(x) ((unsigned long long) (x))
    print_message("%llu nets, %llu states, %llu nets with deadlocks; %llu too large; %llu explored "
                  "natively, %llu on a device\n",
        N(f->nets), N(f->states), N(f->dead), N(f->large), N(f->native), N(f->on_device));
    print_message(
        "%llu checks, %llu refused; properties held/violated %llu/%llu; %llu lassos; %llu "
        "smaller nets; %llu states left out with some orders of steps\n",
        N(f->checks), N(f->refused), N(f->held), N(f->violated), N(f->lassos), N(f->smaller),
        N(f->left_out));
#undef N
    if (arguments.count < seed_enough(100) || arguments.share == 0)
        return;
    assert_true(f->nets > arguments.count / 2 && f->dead > f->nets / 10);
    assert_true(f->held > f->nets && f->violated > f->nets &&
                (f->smaller > f->nets || arguments.first >= EXTENDED));
    assert_true(f->left_out > f->states / 10);
    for (size_t i = 0; i < f->checkers.count; i++)
        assert_true(f->checked[i] > f->nets / arguments.share);
}

/* Returns true if a working OpenCL device is available. */
static bool find_device(om_context *ctx)
{
    om_devices *devices = NULL;
    om_device *device = NULL;
    const char *why = NULL;
    bool found = om_devices_open(&devices, ctx, "auto", &why) == OM_OK &&
                 om_devices_pick(devices, ctx, "0", &device) == OM_OK;
    om_devices_close(devices);
    om_context_clear(ctx);
    return found;
}

static int set_up(void **state)
{
    static fixture f;
    const char *tmp = getenv("TMPDIR");
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK)
        return -1;
    cpu_checkers_list(&f.checkers, f.registry);
    (void) snprintf(f.folder, sizeof f.folder, "%s/omen-XXXXXX",
        tmp != NULL && strlen(tmp) < 40 ? tmp : "/tmp");
    if (mkdtemp(f.folder) == NULL)
        return -1;
    (void) snprintf(f.path, sizeof f.path, "%s/case.hoa", f.folder);
    f.device = arguments.device != 0 && find_device(f.ctx);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    (void) unlink(f->path);
    (void) rmdir(f->folder);
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 || argc == 7) {
        arguments.first = seed_first(argv[1]);
        arguments.count = strtoull(argv[2], NULL, 10);
        arguments.native = strtoull(argv[3], NULL, 10);
        arguments.device = strtoull(argv[4], NULL, 10);
        arguments.share = strtoull(argv[5], NULL, 10);
        arguments.host = argc == 7 ? strtoull(argv[6], NULL, 10) : 0;
    }
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
        nets_agree, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
