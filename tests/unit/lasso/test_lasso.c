/* SPDX-License-Identifier: Apache-2.0 */
/* Extraction, shortest traces, and the referee: lassos that it accepts and rejects. */
#include <omen/host/omen.h>

#include "evidence.h"
#include "heap.h"
#include "small_model.h"
#include "finite_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

typedef struct world {
    om_context *ctx;
    om_model *m;
    small_slots slots;
    om_automaton *a;
    om_expr flag;
    om_executor *x;
    om_product_spec spec;
    om_obligation obligation;
} world;

static void world_close(world *w)
{
    om_executor_close(w->x);
    om_automaton_free(w->a);
    om_model_free(w->m);
    om_context_free(w->ctx);
}

static int world_open(world *w, const om_heap *heap)
{
    *w = (world){ 0 };
    int rc = om_context_new(&w->ctx, heap);
    if (rc == OM_OK)
        rc = small_model(w->ctx, &w->m, &w->slots);
    if (rc == OM_OK)
        rc = small_automaton(w->ctx, &w->a);
    if (rc == OM_OK) {
        w->flag = om_expr_slot(w->m, w->slots.flag);
        rc = om_model_expr_check(w->m, NULL);
    }
    if (rc == OM_OK)
        rc = om_executor_open(&w->x, w->m, OM_EXEC_VM, &w->flag, 1);
    w->spec = (om_product_spec){
        .executor = w->x, .automaton = w->a, .stutter = true, .deadlock_ap = OM_NONE, .workers = 1
    };
    w->obligation = (om_obligation){
        .model = w->m, .forbidden = w->a, .aps = &w->flag, .ap_count = 1, .stutter = true
    };
    return rc;
}

static int setup(void **state)
{
    world *w = test_malloc(sizeof *w);
    *state = w;
    return world_open(w, NULL);
}

static int teardown(void **state)
{
    world_close(*state);
    test_free(*state);
    return 0;
}

/* The evidence is this product state only. */
static int extract_from(
    const world *w, const om_product_spec *spec, const uint32_t *vector, om_lasso *out)
{
    int rc = evidence_extract(w->ctx, spec, vector, out);
    return rc == OM_OK ? om_lasso_vectors(out, w->m) : rc;
}

/* The evidence is the initial state. */
static int extract(const world *w, om_lasso *out)
{
    uint32_t vector[8] = { 0 };
    memcpy(vector, om_model_initial(w->m), om_model_words(w->m) * sizeof *vector);
    return extract_from(w, &w->spec, vector, out);
}

static int32_t value(const world *w, const om_lasso *l, size_t i, uint32_t slot)
{
    return om_slot_get(om_model_slot(w->m, slot), l->vectors + i * l->words, 0);
}

static void refused(const world *w, const om_lasso *l, const om_obligation *obligation)
{
    assert_int_equal(om_lasso_replay(w->ctx, l, obligation), OM_EINPUT);
    assert_string_not_equal(om_context_error(w->ctx), "");
    om_context_clear(w->ctx);
}

static void extraction_is_short(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 };
    static const uint32_t steps[] = { SMALL_START, SMALL_STOP, SMALL_START, SMALL_TOGGLE,
        SMALL_TOGGLE };
    assert_int_equal(extract(w, &l), OM_OK);
    assert_int_equal(l.count, 5);
    assert_int_equal(l.loop, 3);
    assert_memory_equal(l.transitions, steps, sizeof steps);
    assert_int_equal(value(w, &l, 4, w->slots.flag), 1);
    assert_int_equal(om_lasso_replay(w->ctx, &l, &w->obligation), OM_OK);
    om_lasso_free(&l);
}

static void extraction_takes_any_evidence(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 }, again = { 0 };
    uint32_t words = om_model_words(w->m), path[8] = { 0 };
    assert_int_equal(extract(w, &l), OM_OK);
    /* Only a state inside the cycle. */
    memcpy(path, l.vectors + 4 * words, words * sizeof *path);
    assert_int_equal(extract_from(w, &w->spec, path, &again), OM_OK);
    assert_int_equal(again.count, l.count);
    assert_int_equal(om_lasso_replay(w->ctx, &again, &w->obligation), OM_OK);
    om_lasso_free(&again);
    om_lasso_free(&l);
}

static void false_evidence_is_an_internal_error(void **state)
{
    const world *w = *state;
    const om_slot *count = om_model_slot(w->m, w->slots.count);
    om_lasso l = { 0 };
    uint32_t vector[8] = { 0 };
    memcpy(vector, om_model_initial(w->m), om_model_words(w->m) * sizeof *vector);
    /* Only a deadlock is reachable, with the flag down for ever. */
    om_slot_set(count, vector, 0, 2);
    assert_int_equal(extract_from(w, &w->spec, vector, &l), OM_EINTERNAL);
    om_context_clear(w->ctx);
    /* An accepting cycle is reachable from the state, but the state is unreachable. */
    om_slot_set(count, vector, 0, 1);
    om_slot_set(om_model_slot(w->m, w->slots.cell), vector, 0, 7);
    assert_int_equal(extract_from(w, &w->spec, vector, &l), OM_EINTERNAL);
    om_context_clear(w->ctx);
    assert_null(l.vectors);
}

/* F(phase = done) as an obligation about the stuttering end. */
static void stuttering_runs(void **state)
{
    const world *w = *state;
    static const om_cube any = { 0, 0 };
    om_automaton *all = NULL;
    om_product_spec spec = w->spec;
    om_obligation obligation = w->obligation;
    om_lasso l = { 0 };
    uint32_t first, vector[8] = { 0 };

    assert_int_equal(om_automaton_new(&all, w->ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(all, 1, &first), OM_OK);
    assert_int_equal(om_automaton_add_initial(all, 0), OM_OK);
    assert_int_equal(om_automaton_add_edge(all, 0, 0, 0, &any, 1), OM_OK);
    assert_int_equal(om_automaton_finish(all), OM_OK);
    spec.automaton = obligation.forbidden = all;
    obligation.ap_count = 0;
    /* The state before the deadlock: only the end is reachable. */
    memcpy(vector, om_model_initial(w->m), om_model_words(w->m) * sizeof *vector);
    om_slot_set(om_model_slot(w->m, w->slots.phase), vector, 0, 1);
    om_slot_set(om_model_slot(w->m, w->slots.count), vector, 0, 3);
    om_slot_set(om_model_slot(w->m, w->slots.cell), vector, 1, -2);
    assert_int_equal(extract_from(w, &spec, vector, &l), OM_OK);
    assert_int_equal(l.count, 7);
    assert_int_equal(l.loop, 6);
    assert_int_equal(l.transitions[6], OM_STUTTER);
    assert_int_equal(om_lasso_replay(w->ctx, &l, &obligation), OM_OK);
    obligation.stutter = false;
    refused(w, &l, &obligation);
    obligation.stutter = true;
    /* A stuttering step in a state that has successors. */
    l.loop = 5;
    refused(w, &l, &obligation);
    om_lasso_free(&l);
    /* Without stuttering, the end is not a cycle. */
    spec.stutter = false;
    assert_int_equal(extract_from(w, &spec, vector, &l), OM_EINTERNAL);
    om_context_clear(w->ctx);
    om_automaton_free(all);
}

/* An automaton with a chain of ten states, then a cycle of three. If the model only repeats its
 * last state, the cycle of the lasso still has one state, and its stem is minimal. */
static void lassos_are_of_the_model(void **state)
{
    const world *w = *state;
    static const om_cube any = { 0, 0 };
    om_automaton *a = NULL;
    om_product_spec spec = w->spec;
    om_obligation obligation = w->obligation;
    om_lasso l = { 0 };
    uint32_t first, vector[8] = { 0 };

    assert_int_equal(om_automaton_new(&a, w->ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 13, &first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (uint32_t q = 0; q < 13; q++)
        assert_int_equal(
            om_automaton_add_edge(a, q, q == 12 ? 10 : q + 1, q == 12, &any, 1), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    spec.automaton = obligation.forbidden = a;
    obligation.ap_count = 0;
    /* The evidence is the deadlock, late in the chain. */
    assert_int_equal(om_lasso__trace(&l, w->ctx, w->m, NULL, 0), OM_OK);
    assert_int_equal(l.count, 7);
    assert_int_equal(om_lasso_vectors(&l, w->m), OM_OK);
    memcpy(vector, l.vectors + 6 * l.words, l.words * sizeof *vector);
    vector[l.words] = 9;
    om_lasso_free(&l);
    assert_int_equal(extract_from(w, &spec, vector, &l), OM_OK);
    assert_int_equal(l.count - l.loop, 1);
    assert_int_equal(l.transitions[l.loop], OM_STUTTER);
    /* The chain has ten steps: six to the deadlock, or eight with two toggles. */
    assert_true(l.loop == 6 || l.loop == 8);
    assert_int_equal(om_lasso_replay(w->ctx, &l, &obligation), OM_OK);
    om_lasso_free(&l);
    om_automaton_free(a);
}

static void every_mutation_is_refused(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 };
    assert_int_equal(extract(w, &l), OM_OK);
    for (size_t i = 0; i < l.count * l.words; i++)
        for (uint32_t bit = 0; bit < 32; bit++) {
            l.vectors[i] ^= 1u << bit;
            refused(w, &l, &w->obligation);
            l.vectors[i] ^= 1u << bit;
        }
    for (size_t i = 0; i < l.count; i++) {
        uint32_t was = l.transitions[i];
        const uint32_t others[] = { 0, 1, 2, 3, 4, 1000, OM_STUTTER, OM_NONE };
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            if (others[k] == was)
                continue;
            l.transitions[i] = others[k];
            refused(w, &l, &w->obligation);
        }
        l.transitions[i] = was;
    }
    const size_t loop = l.loop, loops[] = { 0, 1, 2, 4, 5, 1000, OM_NO_LOOP };
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        l.loop = loops[k];
        refused(w, &l, &w->obligation);
    }
    l.loop = loop;
    l.count = 0;
    refused(w, &l, &w->obligation);
    l.count = 4;
    refused(w, &l, &w->obligation);
    l.count = 5;
    l.words++;
    refused(w, &l, &w->obligation);
    l.words--;
    assert_int_equal(om_lasso_replay(w->ctx, &l, &w->obligation), OM_OK);
    om_lasso_free(&l);
}

/* The run is right, but the claim about it is wrong. */
static void wrong_claims_are_refused(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 };
    om_obligation obligation = w->obligation;
    om_expr down = om_expr_unary(w->m, OM_OP_NOT, w->flag), never = om_expr_const(w->m, 0);
    om_ltl *ltl = NULL;
    om_ltl_ref good, bad;

    assert_int_equal(extract(w, &l), OM_OK);
    obligation.aps = &never;
    refused(w, &l, &obligation);
    assert_int_equal(om_ltl_new(&ltl, w->ctx), OM_OK);
    assert_int_equal(om_ltl_parse(ltl, "t", "F G !flag", 9, &bad), OM_OK);
    assert_int_equal(om_ltl_parse(ltl, "t", "G F flag", 8, &good), OM_OK);
    obligation = w->obligation;
    obligation.ltl = ltl;
    obligation.ltl_aps = &w->flag;
    obligation.formula = bad;
    assert_int_equal(om_lasso_replay(w->ctx, &l, &obligation), OM_OK);
    obligation.formula = good;
    refused(w, &l, &obligation);
    obligation = (om_obligation){ .model = w->m, .invariant = down };
    refused(w, &l, &obligation);
    obligation = (om_obligation){ .model = w->m, .deadlock = true };
    refused(w, &l, &obligation);
    om_ltl_free(ltl);
    om_lasso_free(&l);
}

static void traces_are_shortest(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 };
    om_obligation obligation = { .model = w->m, .deadlock = true };
    uint32_t words = om_model_words(w->m), vector[8];

    assert_int_equal(om_lasso__trace(&l, w->ctx, w->m, NULL, 0), OM_OK);
    assert_int_equal(l.count, 7);
    assert_int_equal(l.loop, OM_NO_LOOP);
    assert_int_equal(om_lasso_replay(w->ctx, &l, &obligation), OM_OK);
    assert_int_equal(om_lasso_vectors(&l, w->m), OM_OK);
    memcpy(vector, l.vectors + 2 * words, words * sizeof *vector);
    l.count = 6;
    l.transitions[5] = OM_NONE;
    refused(w, &l, &obligation);
    om_lasso_free(&l);

    assert_int_equal(om_lasso__trace(&l, w->ctx, w->m, NULL, w->flag), OM_OK);
    assert_int_equal(l.count, 5);
    obligation =
        (om_obligation){ .model = w->m, .invariant = om_expr_unary(w->m, OM_OP_NOT, w->flag) };
    assert_int_equal(om_lasso_replay(w->ctx, &l, &obligation), OM_OK);
    obligation.invariant = w->flag;
    refused(w, &l, &obligation);
    om_lasso_free(&l);

    assert_int_equal(om_lasso__trace(&l, w->ctx, w->m, vector, 0), OM_OK);
    assert_int_equal(l.count, 3);
    om_lasso_free(&l);

    om_slot_set(om_model_slot(w->m, w->slots.count), vector, 0, 99);
    assert_int_equal(om_lasso__trace(&l, w->ctx, w->m, vector, 0), OM_EINTERNAL);
    om_context_clear(w->ctx);
}

/* Follows these transitions from a state. Returns the id of the last state. */
static om_id follow(om_cursor *c, om_id from, const uint32_t *transitions, size_t n, om_id *path)
{
    for (size_t i = 0; i < n; i++) {
        const om_step *steps;
        size_t count, k = 0;
        path[i] = from;
        assert_int_equal(om_cursor_successors(c, from, &steps, &count), OM_OK);
        while (k < count && steps[k].transition != transitions[i])
            k++;
        assert_true(k < count);
        from = steps[k].to;
    }
    path[n] = from;
    return from;
}

/* A depth-first path is shortened, and missing states are found. */
static void faults_have_a_run(void **state)
{
    enum { STEPS = 8 };
    static const uint32_t way[STEPS] = { SMALL_START, SMALL_STOP, SMALL_START, SMALL_TOGGLE,
        SMALL_TOGGLE, SMALL_TOGGLE, SMALL_TOGGLE, SMALL_TOGGLE };
    const world *w = *state;
    const om_task_spec spec = { .product = w->spec, .strength = OM_STRONG };
    for (int i = 0; i < 3; i++) {
        om_task *t = NULL;
        om_cursor *c = NULL;
        const om_step *steps;
        size_t n;
        om_id path[STEPS + 1];
        om_fault fault = 0;
        om_lasso l = { 0 };
        uint32_t last[8];
        assert_int_equal(om_task_new(&t, w->ctx, &spec), OM_OK);
        assert_int_equal(om_task_cursor(t, 0, &c), OM_OK);
        assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
        om_cursor_vector(c, follow(c, steps[0].to, way, STEPS, path), last);
        if (i == 1) { /* all states between the first and the last are missing */
            path[1] = path[STEPS];
            assert_int_equal(om_task_fault(t, OM_FAULT_DIVISION, path, 2, false), OM_OK);
        } else
            assert_int_equal(om_task_fault(t, OM_FAULT_DIVISION, path, STEPS + 1, i == 2), OM_OK);
        assert_int_equal(om_lasso__extract_fault(&l, w->ctx, t, &fault), OM_OK);
        assert_int_equal(fault, OM_FAULT_DIVISION);
        /* The flag is up after one toggle or five; but a path declared shortest is not
         * shortened. */
        assert_int_equal(l.count, i == 2 ? STEPS + 1 : 5);
        assert_int_equal(om_lasso_vectors(&l, w->m), OM_OK);
        assert_memory_equal(l.vectors + (l.count - 1) * l.words, last, l.words * sizeof *last);
        om_lasso_free(&l);
        om_task_free(t);
    }
}

/* Four counters modulo 16; transition i increments counter i. */
static om_model *odometer(om_context *ctx)
{
    static const int32_t zero = 0;
    om_model *m = NULL;
    assert_int_equal(om_model_new(&m, ctx, "odometer"), OM_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const char name[] = { 'a' + (char) i, '\0' };
        const om_slot slot = { .name = name, .type = OM_U8, .process = OM_NONE, .initial = &zero };
        om_assign step = { 0 };
        assert_int_equal(om_model_add_slot(m, &slot, &step.slot), OM_OK);
        om_expr up = om_expr_binary(m, OM_OP_ADD, om_expr_slot(m, step.slot), om_expr_const(m, 1));
        step.value = om_expr_binary(m, OM_OP_MOD, up, om_expr_const(m, 16));
        assert_int_equal(small_transition(m, 0, &step, 1, name, i), OM_OK);
    }
    assert_int_equal(om_model_finish(m), OM_OK);
    return m;
}

/* Fills a long path to the state with all counters at 8, too far for the search: the last counter
 * first, then the others like an odometer. Returns the number of steps. */
static size_t long_way(uint32_t *way)
{
    size_t n = 0;
    for (; n < 8; n++)
        way[n] = 3;
    for (uint32_t digits[3] = { 0 }; digits[0] != 8 || digits[1] != 8 || digits[2] != 8;) {
        uint32_t i = 0;
        do {
            way[n++] = i;
            digits[i] = (digits[i] + 1) % 16;
        } while (digits[i++] == 0);
    }
    return n;
}

/* Evidence with missing states is shortened, too. */
static void short_cuts_cross_gaps(void **state)
{
    enum { MOST = 4096, LEFT_OUT = 7 };
    static uint32_t way[MOST];
    static om_id path[MOST + 1];
    const world *w = *state;
    om_model *m = odometer(w->ctx);
    om_expr never = om_expr_const(m, 0);
    om_product_spec product = w->spec;
    om_executor *x = NULL;
    size_t steps = long_way(way), n;
    const om_step *first;
    assert_true(steps > 2000 && steps <= MOST);
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, &never, 1), OM_OK);
    product.executor = x;
    const om_task_spec spec = { .product = product, .strength = OM_STRONG };
    for (int gap = 0; gap < 2; gap++) {
        om_task *t = NULL;
        om_cursor *c = NULL;
        om_fault fault = 0;
        om_lasso l = { 0 };
        assert_int_equal(om_task_new(&t, w->ctx, &spec), OM_OK);
        assert_int_equal(om_task_cursor(t, 0, &c), OM_OK);
        assert_int_equal(om_cursor_initial(c, &first, &n), OM_OK);
        (void) follow(c, first[0].to, way, steps, path);
        path[gap * LEFT_OUT] = path[0];
        assert_int_equal(om_task_fault(t, OM_FAULT_DIVISION, path + gap * LEFT_OUT,
                             steps + 1 - (size_t) gap * LEFT_OUT, false),
            OM_OK);
        assert_int_equal(om_lasso__extract_fault(&l, w->ctx, t, &fault), OM_OK);
        assert_int_equal(l.count, 4 * 8 + 1);
        om_lasso_free(&l);
        om_task_free(t);
    }
    om_executor_close(x);
    om_model_free(m);
}

/* Evidence consists of the last state only, and the states that its search stored form a detour;
 * the shorter path leads through other states. */
static void a_lone_state_has_a_shortest_way(void **state)
{
    enum { UP = 3, ROUND = 16, STEPS = UP + ROUND };
    uint32_t way[STEPS] = { 1, 0, 0, 0 };
    om_id path[STEPS + 1];
    const world *w = *state;
    om_model *m = odometer(w->ctx);
    om_expr never = om_expr_const(m, 0);
    om_product_spec product = w->spec;
    om_executor *x = NULL;
    om_task *t = NULL;
    om_cursor *c = NULL;
    om_fault fault = 0;
    om_lasso l = { 0 };
    const om_step *first;
    size_t n;
    for (size_t i = UP + 1; i < STEPS; i++)
        way[i] = 1;
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, &never, 1), OM_OK);
    product.executor = x;
    const om_task_spec spec = { .product = product, .strength = OM_STRONG };
    assert_int_equal(om_task_new(&t, w->ctx, &spec), OM_OK);
    assert_int_equal(om_task_cursor(t, 0, &c), OM_OK);
    assert_int_equal(om_cursor_initial(c, &first, &n), OM_OK);
    (void) follow(c, first[0].to, way, STEPS, path);
    assert_int_equal(om_task_fault(t, OM_FAULT_DIVISION, path + STEPS, 1, false), OM_OK);
    assert_int_equal(om_lasso__extract_fault(&l, w->ctx, t, &fault), OM_OK);
    assert_int_equal(l.count, UP + 1);
    om_lasso_free(&l);
    om_task_free(t);
    om_executor_close(x);
    om_model_free(m);
}

static bool is_same(void *self, om_id a, om_id b)
{
    (void) self;
    (void) a;
    (void) b;
    return true;
}

/* A component grew by an edge that its cycle avoids, and only this edge leads from the entry to
 * the cycle. 0 -> 1 <-> 2 -> 0; the edge from 0 has the mark. */
static void avoided_edges_lead_to_the_cycle(void **state)
{
    static const struct {
        int32_t from, to;
    } STEPS[] = { { 0, 1 }, { 1, 2 }, { 2, 1 }, { 2, 0 } };
    static const int32_t zero = 0;
    static const char HOA[] = "HOA: v1 States: 1 Start: 0 AP: 1 \"flag\" Acceptance: 1 Fin(0) "
                              "--BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
    const om_slot slot = { .name = "s", .type = OM_U8, .process = OM_NONE, .initial = &zero };
    const world *w = *state;
    om_model *m = NULL;
    om_automaton *a = NULL;
    om_executor *x = NULL;
    om_task *t = NULL;
    om_cursor *c = NULL;
    om_lasso l = { 0 };
    uint32_t s;
    const om_step *first;
    size_t n;
    assert_int_equal(om_model_new(&m, w->ctx, "grown"), OM_OK);
    assert_int_equal(om_model_add_slot(m, &slot, &s), OM_OK);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        const om_assign step = { s, 0, om_expr_const(m, STEPS[i].to) };
        const om_expr here =
            om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, s), om_expr_const(m, STEPS[i].from));
        assert_int_equal(small_transition(m, here, &step, 1, "step", 1), OM_OK);
    }
    om_expr ap = om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, s), om_expr_const(m, 0));
    assert_int_equal(om_model_finish(m), OM_OK);
    assert_int_equal(om_automaton_read(&a, w->ctx, "a.hoa", HOA, sizeof HOA - 1, 0), OM_OK);
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, &ap, 1), OM_OK);
    const om_task_spec spec = {
        .product = { .executor = x, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1 },
        .strength = OM_STRONG
    };
    assert_int_equal(om_task_new(&t, w->ctx, &spec), OM_OK);
    assert_int_equal(om_task_cursor(t, 0, &c), OM_OK);
    assert_int_equal(om_cursor_initial(c, &first, &n), OM_OK);
    const om_id entry = first[0].to;
    om_evidence e = OM_EVIDENCE(&entry, 1);
    e.entry = 0;
    e.same = is_same;
    e.avoid = 1;
    assert_int_equal(om_task_evidence(t, &e), OM_ESTOP);
    om_control_forget(om_context_control(w->ctx)); /* evidence stops the control */
    assert_int_equal(om_lasso_extract(&l, w->ctx, t), OM_OK);
    assert_int_equal(l.count, 3);
    assert_int_equal(l.loop, 1);
    const om_obligation obligation = { .model = m, .forbidden = a, .aps = &ap, .ap_count = 1 };
    assert_int_equal(om_lasso_replay(w->ctx, &l, &obligation), OM_OK);
    om_lasso_free(&l);
    om_task_free(t);
    om_executor_close(x);
    om_automaton_free(a);
    om_model_free(m);
}

static void a_stopped_control_ends_the_search(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 };
    (void) om_control_stop(om_context_control(w->ctx), OM_STOP_INTERRUPT);
    assert_int_equal(om_lasso__trace(&l, w->ctx, w->m, NULL, 0), OM_ELIMIT);
    assert_string_equal(om_context_error(w->ctx), "");
}

static void text_names_what_changes(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 };
    om_text out = { .heap = om_heap_default() };
    assert_int_equal(extract(w, &l), OM_OK);
    assert_int_equal(om_lasso_write(&l, w->m, "txt", NULL, &out), OM_OK);
    assert_string_equal(out.text,
        "stem:\n"
        "    0:\n         phase = idle  count = 0  flag = false  cell[0] = 0  cell[1] = 0\n"
        "    -> start  (small.m:1:3)\n"
        "    1:\n         phase = busy  count = 1\n"
        "    -> stop  (small.m:2:3)\n"
        "    2:\n         phase = idle  cell[1] = -1\n"
        "    -> start  (small.m:1:3)\n"
        "cycle (2 states):\n"
        "    3:\n         phase = busy  count = 2\n"
        "    -> toggle \"it\"  (small.m:4:3)\n"
        "    4:\n         flag = true\n"
        "    -> toggle \"it\"  (small.m:4:3)\n"
        "       back to state 3\n");
    om_text_free(&out);
    om_lasso_free(&l);
}

/* Runs each operation once, with the given heap. */
static int whole(const om_heap *heap)
{
    world w;
    om_lasso l = { 0 }, back = { 0 };
    om_text out = { .heap = heap }, text = { .heap = heap };
    char *property = NULL;
    int rc = world_open(&w, heap);
    if (rc == OM_OK)
        rc = extract(&w, &l);
    if (rc == OM_OK)
        rc = om_lasso_replay(w.ctx, &l, &w.obligation);
    if (rc == OM_OK)
        rc = om_lasso_write(&l, w.m, "txt", NULL, &text);
    if (rc == OM_OK)
        rc = om_lasso_write(&l, w.m, "json", &(om_lasso_style){ .property = "ltl=x" }, &out);
    if (rc == OM_OK)
        rc = om_lasso_read(&back, w.ctx, w.m, "f", out.text, out.length, &property);
    om_lasso_free(&back);
    if (rc == OM_OK)
        rc = om_lasso__trace(&back, w.ctx, w.m, NULL, 0);
    om_free(heap, property);
    om_lasso_free(&back);
    om_lasso_free(&l);
    om_text_free(&out);
    om_text_free(&text);
    world_close(&w);
    return rc;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void) state;
    for (size_t n = 0;; n++) {
        test_heap h;
        test_heap_init(&h, n);
        int rc = whole(&h.heap);
        assert_int_equal(h.live, 0);
        if (rc == OM_OK && h.calls <= n)
            break;
        /* The registry of equal expressions tolerates lack of memory; everything else reports
         * it. */
        assert_true(rc == OM_OK || om_exit_status(rc) == 30);
        assert_true(n < 5000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(extraction_is_short, setup, teardown),
        cmocka_unit_test_setup_teardown(extraction_takes_any_evidence, setup, teardown),
        cmocka_unit_test_setup_teardown(false_evidence_is_an_internal_error, setup, teardown),
        cmocka_unit_test_setup_teardown(stuttering_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(lassos_are_of_the_model, setup, teardown),
        cmocka_unit_test_setup_teardown(every_mutation_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_claims_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(traces_are_shortest, setup, teardown),
        cmocka_unit_test_setup_teardown(faults_have_a_run, setup, teardown),
        cmocka_unit_test_setup_teardown(short_cuts_cross_gaps, setup, teardown),
        cmocka_unit_test_setup_teardown(avoided_edges_lead_to_the_cycle, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lone_state_has_a_shortest_way, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stopped_control_ends_the_search, setup, teardown),
        cmocka_unit_test_setup_teardown(text_names_what_changes, setup, teardown),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
