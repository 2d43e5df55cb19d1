/* SPDX-License-Identifier: Apache-2.0 */
/* The exploration engine on a device, compared with an explicit search. */
#include "engine/engine.h"
#include "counters.h"
#include "engine_path.h"
#include "folder.h"
#include "device_cache.h"
#include "files/cache.h"
#include "reference.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static om_context *ctx;
static om_devices *devices;
static om_device *device;
static bool few;  /* small sizes and counts, for a simulator */
static bool host; /* the device is the host; fewer cases */

/* Sizes so small that every table grows and chunks are often halved. */
static const om_tuning tiny = { .states = 4,
    .candidates = 2,
    .buckets = 1,
    .chunk = 64,
    .largest_chunk = 64,
    .most_candidates = 20 };

/* The default initial sizes. A simulator is slow for each work-item; there, sizes so small that
 * tables still grow. */
static om_tuning usual(void)
{
    const om_tuning less = { .states = 256,
        .candidates = 512,
        .buckets = 64,
        .chunk = 128,
        .largest_chunk = 256,
        .most_candidates = 1 << 12 };
    return few ? less : om_tuning__default;
}

/* ---- comparison with the explicit search ---- */

/* A path starts in an initial state and follows edges. Returns the number of its states. */
static size_t check_path(const reference *r, om_engine *e, om_id to, size_t *last)
{
    engine_path p = { .heap = om_heap_default(), .row = r->row };
    size_t before = 0;
    assert_int_equal(engine_path_of(e, to, &p), OM_OK);
    assert_true(p.count > 0);
    for (size_t i = 0; i < p.count; i++) {
        size_t now = reference_find(r, p.rows + i * r->row);
        assert_int_not_equal(now, SIZE_MAX);
        if (i == 0)
            assert_true(now < 2); /* at most two initial states, which are stored first */
        else
            assert_true(reference_has_edge(r, before, now));
        before = now;
    }
    *last = before;
    free(p.rows);
    return p.count;
}

/* The reported fault is among those nearest to an initial state. */
static void check_fault(const reference *r, om_engine *e, const om_exploration *x)
{
    size_t last = 0;
    assert_int_equal(x->fault != 0, r->faults != 0);
    assert_int_equal(x->fault_vector != NULL, r->faults != 0);
    if (x->fault == 0 || !om_engine_has_paths(e))
        return;
    assert_int_equal(check_path(r, e, x->fault_state, &last), r->fault_level);
    assert_memory_equal(
        x->fault_vector, &r->rows[last * r->row], r->words * sizeof *x->fault_vector);
    assert_true(reference_goes_wrong(r, last));
}

/* Explores on the device and compares the figures. The caller closes the engine. */
static om_engine *compare(const om_engine_spec *spec, const om_tuning *tuning, const reference *r)
{
    om_engine *e = NULL;
    om_exploration x;
    assert_int_equal(om_engine__open(&e, ctx, spec, tuning), OM_OK);
    int rc = om_engine_explore(e, NULL, NULL, &x);
    if (rc != OM_OK)
        fail_msg("explore: %d: %s", rc, om_context_error(ctx));
    assert_int_equal(x.states, r->count);
    assert_int_equal(x.transitions, r->edges);
    assert_int_equal(x.deadlocks, r->deadlocks);
    assert_int_equal(x.levels, r->levels);
    assert_int_equal(x.overflows, r->overflows);
    assert_int_equal(x.overflow_vector != NULL, r->overflows != 0);
    if (x.overflow_vector != NULL)
        assert_memory_equal(x.overflow_vector, &r->rows[r->first_overflow * r->row],
            r->words * sizeof *x.overflow_vector);
    free(x.overflow_vector);
    check_fault(r, e, &x);
    free(x.fault_vector);
    return e;
}

/* ---- tests ---- */

static void counts(void **state)
{
    (void) state;
    for (int stutter = 0; stutter < 2; stutter++) {
        counters c = open_counters(ctx, 3, few ? 5 : 9, false, 0);
        om_engine_spec spec = { .size = sizeof spec,
            .device = device,
            .model = c.model,
            .stutter = stutter,
            .deadlock_ap = OM_NONE };
        reference r;
        reference_explore(&r, c.vm, NULL, stutter, OM_NONE);
        assert_int_equal(r.count, few ? 216 : 1000);
        const om_tuning sizes = usual();
        om_engine_close(compare(&spec, &sizes, &r));
        om_engine_close(compare(&spec, &tiny, &r));
        reference_free(&r);
        close_counters(&c);
    }
}

/* States in the index itself and state numbers in it, with and without paths. Also with only one
 * possible bucket per state: then steps are often void and the index grows early. */
static void both_tables(void **state)
{
    counters c = open_counters(ctx, 3, few ? 4 : 9, false, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    reference r;
    (void) state;
    reference_explore(&r, c.vm, NULL, false, OM_NONE);
    for (unsigned i = 0; i < 6; i++) {
        om_tuning tuning = tiny;
        spec.no_paths = i % 2 == 1;
        tuning.numbers = i >= 4;
        tuning.tries = i / 2 == 1;
        om_engine *e = compare(&spec, &tuning, &r);
        assert_int_equal(e->members[0].table.quotient, i < 4);
        assert_true(i / 2 != 1 || e->members[0].table.buckets * 8 > r.count * 2);
        om_engine_close(e);
    }
    reference_free(&r);
    close_counters(&c);
}

/* If no paths are requested, the rows of expanded states are dropped. */
static void sliding(void **state)
{
    counters c = open_counters(ctx, 2, few ? 30 : 120, false, 0);
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = c.model,
        .deadlock_ap = OM_NONE,
        .no_paths = true };
    reference r;
    (void) state;
    reference_explore(&r, c.vm, NULL, false, OM_NONE);
    om_engine *e = compare(&spec, &tiny, &r);
    assert_true(e->members[0].table.quotient && e->members[0].table.base > r.count / 2);
    assert_true(e->members[0].table.capacity < r.count / 3);
    om_engine_close(e);
    reference_free(&r);
    close_counters(&c);
}

/* States of more than 64 bits. */
static void wide_states(void **state)
{
    counters c = open_counters(ctx, 9, few ? 1 : host ? 2 : 3, false, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    const om_tuning sizes = usual();
    reference r;
    (void) state;
    reference_explore(&r, c.vm, NULL, false, OM_NONE);
    for (unsigned i = 0; i < 2; i++) {
        spec.no_paths = i == 1;
        om_engine *e = compare(&spec, &sizes, &r);
        assert_int_equal(e->members[0].table.shape.key_bits, 72);
        assert_true(e->members[0].table.quotient && e->members[0].table.buckets >= 1 << 12);
        om_engine_close(e);
    }
    reference_free(&r);
    close_counters(&c);
}

/* With more transitions than fit one program, the model is compiled in slices. */
static void slices(void **state)
{
    counters c = open_counters(ctx, 3, 100, true, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    om_limits limits = { .max_states = few ? 300 : 4000 };
    const om_tuning sizes = usual();
    om_engine *e = NULL;
    om_exploration x;
    (void) state;
    om_control_start(om_context_control(ctx), &limits);
    if (om_engine__open(&e, ctx, &spec, &sizes) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    assert_true(e->members[0].slice_count > 1);
    assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_ELIMIT);
    assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_STATES);
    assert_true(x.states > limits.max_states / 8 && x.states <= limits.max_states);
    /* Level k of the grid has (k + 1)(k + 2) / 2 states; all levels but the last are complete. */
    uint64_t k = x.levels - 1, whole = k * (k + 1) * (k + 2) / 6;
    assert_true(whole <= x.states);
    om_engine_close(e);
    om_control_start(om_context_control(ctx), NULL);
    close_counters(&c);
}

/* Each overflowing assignment is counted once, no matter how often a step is void. The first
 * overflowing state is kept even if rows are dropped or the model is compiled in slices. */
static void overflows(void **state)
{
    (void) state;
    for (int many = 0; many < 2; many++) {
        const om_tuning sizes = usual();
        const int32_t top = many != 0 && !few ? 130 : 12;
        counters c = open_counters(ctx, 2, top, many != 0, OM_FAULT_OVERFLOW);
        om_engine_spec spec = {
            .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
        };
        reference r;
        reference_explore(&r, c.vm, NULL, false, OM_NONE);
        assert_int_equal(r.overflows, top + 1);
        for (unsigned i = 0; i < 4; i++) {
            spec.no_paths = i % 2 == 1;
            om_engine *e = compare(&spec, i < 2 || top > 12 ? &sizes : &tiny, &r);
            assert_int_equal(e->members[0].slice_count > 1, top > 12);
            om_engine_close(e);
        }
        reference_free(&r);
        close_counters(&c);
    }
}

static void faults(void **state)
{
    static const om_fault traps[] = { OM_FAULT_DIVISION, OM_FAULT_ASSERTION, OM_FAULT_OVERFLOW };
    (void) state;
    for (size_t i = 0; i < 3; i++) {
        counters c = open_counters(ctx, 2, 5, false, traps[i]);
        om_executor_close(c.vm);
        assert_int_equal(om_model_set_overflow(c.model, OM_OVERFLOW_ERROR), OM_OK);
        assert_int_equal(om_executor_open(&c.vm, c.model, OM_EXEC_VM, NULL, 0), OM_OK);
        om_engine_spec spec = {
            .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
        };
        om_engine *e = NULL;
        om_exploration x;
        reference r;
        spec.faults_end = traps[i] != OM_FAULT_ASSERTION; /* failed assertions always end it */
        reference_explore(&r, c.vm, NULL, false, OM_NONE);
        assert_int_equal(om_engine__open(&e, ctx, &spec, &tiny), OM_OK);
        assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_EMODEL);
        assert_int_equal(x.fault, r.fault);
        assert_int_equal(OM_FAULT_KIND(x.fault), traps[i]);
        assert_non_null(x.fault_vector);
        /* The faulty state has the last counter at 2 or 3, and no faulty state is nearer. */
        om_successors next = { .heap = om_heap_default() };
        assert_int_equal(om_executor_successors(c.vm, x.fault_vector, &next), OM_OK);
        assert_int_equal(next.fault, x.fault);
        assert_int_equal(x.levels, r.fault_level);
        om_successors_free(&next);
        free(x.fault_vector);
        om_engine_close(e);
        reference_free(&r);
        close_counters(&c);
    }
}

/* A fault does not end the exploration: the successors of other states are explored, on the device
 * as on the CPU. The same holds if the model is compiled in slices, with and without paths. */
static void faults_beside(void **state)
{
    static const om_fault traps[] = { OM_FAULT_DIVISION, OM_FAULT_OVERFLOW };
    (void) state;
    for (size_t i = 0; i < 2 * 2 * 4; i++) {
        bool many = i / 2 % 2 != 0 && !few;
        om_tuning sizes = usual();
        sizes.states = sizes.candidates = sizes.chunk = sizes.largest_chunk = 64; /* to grow */
        sizes.most_candidates = 256;
        counters c = open_counters(ctx, 2, many ? 130 : 12, many, traps[i % 2]);
        om_executor_close(c.vm);
        assert_int_equal(om_model_set_overflow(c.model, OM_OVERFLOW_ERROR), OM_OK);
        assert_int_equal(om_executor_open(&c.vm, c.model, OM_EXEC_VM, NULL, 0), OM_OK);
        om_engine_spec spec = {
            .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
        };
        reference r;
        spec.faults_repeat = i / 4 == 3;
        (spec.faults_repeat ? reference_explore_repeating : reference_explore)(
            &r, c.vm, NULL, false, OM_NONE);
        assert_true(r.faults > 10 && r.count > r.faults * 2);
        spec.no_paths = i / 4 == 1;
        spec.path_bytes = i / 4 == 2 ? 64 : 0;
        om_engine *e = compare(&spec, many ? &sizes : &tiny, &r);
        assert_int_equal(e->members[0].slice_count > 1, many);
        assert_true(e->members[0].table.quotient);
        assert_int_equal(om_engine_has_paths(e), i / 4 == 0 || i / 4 == 3);
        om_engine_close(e);
        reference_free(&r);
        close_counters(&c);
    }
}

/* Explores until a cycle is found, and trims if none was found. Returns true if the exploration
 * found a cycle. */
static bool catch_cycle(const om_engine_spec *spec, const om_tuning *tuning, const reference *r)
{
    om_engine *e = NULL;
    om_exploration x;
    om_id rest = 0;
    size_t last = 0;
    assert_int_equal(om_engine__open(&e, ctx, spec, tuning), OM_OK);
    assert_int_equal(om_engine_explore(e, NULL, &rest, &x), OM_OK);
    free(x.fault_vector);
    bool early = rest != OM_NO_ID;
    if (!early) {
        assert_int_equal(x.states, r->count);
        assert_int_equal(x.transitions, r->edges);
        assert_int_equal(om_engine_trim(e, &rest, NULL), OM_OK);
    }
    if (rest != OM_NO_ID) {
        check_path(r, e, rest, &last);
        assert_true(reference_on_cycle(r, last, spec->accepting));
    }
    assert_int_equal(rest != OM_NO_ID, reference_any_cycle(r, spec->accepting));
    om_engine_close(e);
    return early;
}

/* Runs the fixpoint of an automaton whose accepting part accepts on every cycle, with the set of
 * marks or with none. */
static void take_fixpoint(
    om_engine_spec spec, const om_tuning *tuning, const reference *r, om_marks all)
{
    om_engine *e = NULL;
    om_exploration x;
    om_id rest = 0;
    uint64_t rounds = 0;
    spec.fixpoint = true;
    assert_int_equal(om_engine__open(&e, ctx, &spec, tuning), OM_OK);
    assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_OK);
    free(x.fault_vector);
    assert_int_equal(om_engine_fixpoint(e, all, &rest, &rounds), OM_OK);
    assert_int_equal(rest != OM_NO_ID, reference_any_cycle(r, spec.accepting));
    if (rest != OM_NO_ID) {
        size_t last = 0;
        check_path(r, e, rest, &last);
        assert_true(reference_on_cycle(r, last, spec.accepting));
        assert_true(rounds > 0);
    }
    om_engine_close(e);
}

static void one_product(
    om_random *random, const om_tuning *tuning, unsigned faulty, unsigned *cyclic, unsigned *early)
{
    om_expr aps[GRAPH_APS];
    uint32_t states = 1 + (uint32_t) om_random_below(random, 6);
    uint8_t accepting[6];
    for (uint32_t q = 0; q < states; q++)
        accepting[q] = (uint8_t) om_random_below(random, 2);
    bool stutter = om_random_below(random, 2) != 0;
    uint32_t deadlock_ap = om_random_below(random, 2) != 0 ? 1 : OM_NONE;
    om_model *m =
        reference_graph(ctx, random, 25 + 25 * (unsigned) om_random_below(random, 4), faulty, aps);
    om_automaton *a = reference_automaton(ctx, random, states, accepting);
    om_executor *vm = NULL;
    reference r;
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, aps, GRAPH_APS), OM_OK);
    bool repeats = faulty != 0 && om_random_below(random, 2) != 0;
    (repeats ? reference_explore_repeating : reference_explore)(&r, vm, a, stutter, deadlock_ap);
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = m,
        .faults_repeat = repeats,
        .aps = aps,
        .ap_count = GRAPH_APS,
        .automaton = a,
        .stutter = stutter,
        .deadlock_ap = deadlock_ap,
        .accepting = accepting };
    om_engine *e = compare(&spec, tuning, &r);
    om_id rest = 0;
    assert_int_equal(om_engine_trim(e, &rest, NULL), OM_OK);
    bool cycle = reference_any_cycle(&r, accepting);
    assert_int_equal(rest != OM_NO_ID, cycle);
    if (cycle) {
        size_t last = 0;
        check_path(&r, e, rest, &last);
        assert_true(reference_on_cycle(&r, last, accepting));
        ++*cyclic;
    }
    om_engine_close(e);
    *early += catch_cycle(&spec, tuning, &r);
    if (tuning == &tiny && (few || om_random_below(random, 4) == 0))
        take_fixpoint(spec, tuning, &r, om_random_below(random, 2));
    reference_free(&r);
    om_executor_close(vm);
    om_automaton_free(a);
    om_model_free(m);
}

static void products(void **state)
{
    om_random random = { 2026 };
    unsigned cyclic = 0, early = 0, n = few ? 4 : host ? 60 : 200;
    const om_tuning sizes = usual();
    (void) state;
    for (unsigned i = 0; i < n; i++)
        one_product(&random, i % 2 == 0 ? &tiny : &sizes, i % 4 < 2 ? 0 : 6, &cyclic, &early);
    assert_true(few || (cyclic > n / 10 && cyclic < n - n / 10));
    assert_true(few || early > n / 20);
}

/* A group of devices agrees with a single device in counts, paths and faults. Naming the host
 * several times makes a group of it. */
enum { LINKS = 4 };

/* Each state has a self-loop and an edge with a mark to the next state. */
static om_automaton *chain(void)
{
    static const char *const names[] = { "a", "b" };
    static const om_cube any = { 0, 0 };
    om_automaton *a = NULL;
    assert_int_equal(om_automaton_new(&a, ctx, GRAPH_APS, names), OM_OK);
    assert_int_equal(om_automaton_add_states(a, LINKS, NULL), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (uint32_t q = 0; q < LINKS; q++) {
        assert_int_equal(om_automaton_add_edge(a, q, q, 0, &any, 1), OM_OK);
        if (q + 1 < LINKS)
            assert_int_equal(om_automaton_add_edge(a, q, q + 1, 1, &any, 1), OM_OK);
    }
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

/* Marks are only on edges between cycles; each round of the fixpoint removes the first cycles. */
static void rounds(void **state)
{
    static const uint8_t accepting[LINKS] = { 1, 1, 1, 1 };
    om_random random = { 11 };
    om_expr aps[GRAPH_APS];
    om_model *m = reference_graph(ctx, &random, 100, 0, aps);
    om_automaton *a = chain();
    om_executor *vm = NULL;
    reference r;
    (void) state;
    assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, aps, GRAPH_APS), OM_OK);
    reference_explore(&r, vm, a, true, OM_NONE);
    assert_true(reference_any_cycle(&r, accepting));
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = m,
        .aps = aps,
        .ap_count = GRAPH_APS,
        .automaton = a,
        .stutter = true,
        .deadlock_ap = OM_NONE,
        .accepting = accepting,
        .fixpoint = true };
    take_fixpoint(spec, &tiny, &r, 0);
    om_engine *e = NULL;
    om_exploration x;
    om_id rest = 0;
    assert_int_equal(om_engine__open(&e, ctx, &spec, &tiny), OM_OK);
    assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_OK);
    assert_int_equal(om_engine_fixpoint(e, 1, &rest, NULL), OM_OK);
    assert_true(rest == OM_NO_ID);
    /* A second search needs the same number of rounds. */
    assert_int_equal(om_engine__recheck(e), OM_OK);
    e->rounds++;
    assert_int_equal(om_engine__recheck(e), OM_EINTERNAL);
    om_context_clear(ctx);
    om_engine_close(e);
    reference_free(&r);
    om_executor_close(vm);
    om_automaton_free(a);
    om_model_free(m);
}

static void several(void **state)
{
    om_random random = { 77 };
    const om_tuning sizes = usual();
    const uint8_t none[4] = { 0 };
    om_device *group = NULL;
    unsigned faults = 0;
    (void) state;
    if (!host)
        skip();
    assert_int_equal(om_devices_pick(devices, ctx, "host,host,host", &group), OM_OK);
    for (unsigned i = 0; i < 24; i++) {
        om_expr aps[GRAPH_APS];
        om_model *m = reference_graph(ctx, &random, 80, i % 3 == 0 ? 0 : 6, aps);
        om_automaton *a = reference_automaton(ctx, &random, 4, none);
        om_executor *vm = NULL;
        reference r;
        assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, aps, GRAPH_APS), OM_OK);
        reference_explore(&r, vm, a, true, OM_NONE);
        const om_engine_spec spec = { .device = group,
            .model = m,
            .aps = aps,
            .ap_count = GRAPH_APS,
            .automaton = a,
            .stutter = true,
            .no_paths = i % 4 == 3,
            .deadlock_ap = OM_NONE };
        om_engine *e = compare(&spec, i % 2 == 0 ? &tiny : &sizes, &r);
        assert_int_equal(e->count, 3);
        faults += r.faults != 0;
        om_engine_close(e);
        reference_free(&r);
        om_executor_close(vm);
        om_automaton_free(a);
        om_model_free(m);
    }
    assert_true(faults > 3);
}

/* An automaton in which every state accepts. */
static om_automaton *accept_all(void)
{
    static const om_cube any = { 0, 0 };
    om_automaton *a = NULL;
    uint32_t first = 0;
    assert_int_equal(om_automaton_new(&a, ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 1, &first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 1, &any, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

/* A counter that wraps around, on a cycle too long to be found by its closing edge, beside a
 * counter that goes up for much longer. Trimming during the search finds the cycle early. */
static void catching(void **state)
{
    enum { ROUND = 100, UP = 3000 };
    static const int32_t zero = 0;
    static const uint8_t accepting[1] = { 1 };
    if (few)
        return;
    (void) state;
    om_model *m = NULL;
    uint32_t process = 0, slots[2];
    assert_int_equal(om_model_new(&m, ctx, "round"), OM_OK);
    assert_int_equal(om_model_add_process(m, "p", &process), OM_OK);
    for (unsigned i = 0; i < 2; i++) {
        om_slot declared = {
            .name = i == 0 ? "a" : "b", .type = OM_U16, .process = process, .initial = &zero
        };
        assert_int_equal(om_model_add_slot(m, &declared, &slots[i]), OM_OK);
        om_expr value = om_expr_slot(m, slots[i]);
        add_step(m, process, less(m, slots[i], i == 0 ? ROUND : UP), slots[i],
            om_expr_binary(m, OM_OP_ADD, value, om_expr_const(m, 1)));
    }
    add_step(m, process,
        om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, slots[0]), om_expr_const(m, ROUND)), slots[0],
        om_expr_const(m, 0));
    assert_int_equal(om_model_finish(m), OM_OK);
    om_automaton *a = accept_all();
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = m,
        .automaton = a,
        .deadlock_ap = OM_NONE,
        .accepting = accepting };
    om_engine *e = NULL;
    om_exploration x;
    om_id hit = OM_NO_ID;
    engine_path p = { .heap = om_heap_default(), .row = om_model_words(m) + 1 };
    assert_int_equal(om_engine__open(&e, ctx, &spec, &tiny), OM_OK);
    assert_int_equal(om_engine_explore(e, NULL, &hit, &x), OM_OK);
    assert_int_not_equal(hit, OM_NO_ID);
    assert_true(x.states < (uint64_t) (ROUND + 1) * (UP + 1) / 2);
    assert_int_equal(engine_path_of(e, hit, &p), OM_OK);
    assert_true(p.count > 0 && p.count <= ROUND + UP);
    free(p.rows);
    om_engine_close(e);
    om_automaton_free(a);
    om_model_free(m);
}

/* Stops at the first accepting state; the path is a shortest one. */
static void stopping(void **state)
{
    om_random random = { 11 };
    unsigned hits = 0;
    (void) state;
    for (unsigned i = 0; i < (few ? 1 : host ? 30 : 60); i++) {
        static const uint8_t accepting[4] = { 0, 0, 0, 1 };
        om_expr aps[GRAPH_APS];
        om_model *m = reference_graph(ctx, &random, 60, 0, aps);
        om_automaton *a = reference_automaton(ctx, &random, 4, accepting);
        om_executor *vm = NULL;
        om_engine *e = NULL;
        om_exploration x;
        om_id hit = 0;
        reference r;
        size_t first = 0, last = 0;
        assert_int_equal(om_executor_open(&vm, m, OM_EXEC_VM, aps, GRAPH_APS), OM_OK);
        reference_explore(&r, vm, a, true, OM_NONE);
        while (first < r.count && !reference_accepts(&r, first, accepting))
            first++;
        om_engine_spec spec = { .size = sizeof spec,
            .device = device,
            .model = m,
            .aps = aps,
            .ap_count = GRAPH_APS,
            .automaton = a,
            .stutter = true,
            .deadlock_ap = OM_NONE };
        assert_int_equal(om_engine__open(&e, ctx, &spec, &tiny), OM_OK);
        assert_int_equal(om_engine_explore(e, accepting, &hit, &x), OM_OK);
        assert_int_equal(hit != OM_NO_ID, first < r.count);
        if (hit != OM_NO_ID) {
            check_path(&r, e, hit, &last);
            assert_true(reference_accepts(&r, last, accepting));
            hits++;
        } else {
            assert_int_equal(x.states, r.count);
        }
        om_engine_close(e);
        reference_free(&r);
        om_executor_close(vm);
        om_automaton_free(a);
        om_model_free(m);
    }
    assert_true(few || (hits > 3 && hits < (host ? 27 : 55)));
}

/* If a stop was requested before, the exploration ends at once with its reason. */
static void told_to_stop(void **state)
{
    static const struct {
        om_stop_reason reason;
        int rc;
    } cases[] = { { OM_STOP_FOUND, OM_ESTOP }, { OM_STOP_TIMEOUT, OM_ELIMIT },
        { OM_STOP_INTERRUPT, OM_ELIMIT } };
    counters c = open_counters(ctx, 3, 9, false, 0);
    (void) state;
    for (size_t i = 0; i < 3; i++) {
        om_context *below = NULL;
        om_engine *e = NULL;
        om_engine_spec spec = {
            .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
        };
        assert_int_equal(om_context_new_below(&below, ctx), OM_OK);
        (void) om_control_stop(om_context_control(below), cases[i].reason);
        assert_int_equal(om_engine_open(&e, below, &spec), cases[i].rc);
        assert_string_equal(om_context_error(below), "");
        om_context_free(below);
    }
    close_counters(&c);
}

typedef struct side {
    const om_engine_spec *spec;
    om_exploration x;
    int rc;
} side;

static void *explore_beside(void *self)
{
    side *s = self;
    om_engine *e = NULL;
    s->rc = om_engine__open(&e, ctx, s->spec, &tiny);
    if (s->rc == OM_OK)
        s->rc = om_engine_explore(e, NULL, NULL, &s->x);
    om_engine_close(e);
    return NULL;
}

static void *explore_long(void *self)
{
    side *s = self;
    om_engine *e = NULL;
    s->rc = om_engine_open(&e, ctx, s->spec);
    if (s->rc == OM_OK)
        s->rc = om_engine_explore(e, NULL, NULL, &s->x);
    om_engine_close(e);
    return NULL;
}

/* Two engines on one device at once, as for two parts of a property. */
static void side_by_side(void **state)
{
    if (few) /* oclgrind runs one kernel at a time and rejects overlapping ones */
        return;
    counters c = open_counters(ctx, 3, 7, false, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    side sides[2] = { { .spec = &spec }, { .spec = &spec } };
    pthread_t thread;
    (void) state;
    assert_int_equal(pthread_create(&thread, NULL, explore_beside, &sides[0]), 0);
    (void) explore_beside(&sides[1]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sides[i].rc, OM_OK);
        assert_int_equal(sides[i].x.states, 512);
    }
    close_counters(&c);
}

/* A stop requested by another thread takes effect within 100 ms (with a margin for a loaded
 * machine). */
static void stops_soon(void **state)
{
    counters c = open_counters(ctx, 4, 100, false, 0); /* 104 million states */
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    side s = { .spec = &spec };
    pthread_t thread;
    struct timespec nap = { .tv_nsec = 700000000 };
    (void) state;
    if (few) {
        close_counters(&c);
        return;
    }
    assert_int_equal(pthread_create(&thread, NULL, explore_long, &s), 0);
    nanosleep(&nap, NULL);
    uint64_t since = om_clock_ns();
    (void) om_control_stop(om_context_control(ctx), OM_STOP_FOUND);
    assert_int_equal(pthread_join(thread, NULL), 0);
    uint64_t took = om_clock_ns() - since;
    assert_int_equal(s.rc, OM_ESTOP);
    printf("stopped after %.0f ms with %llu states\n", (double) took * 1e-6,
        (unsigned long long) s.x.states);
    assert_true(took < 3000000000);
    om_control_start(om_context_control(ctx), NULL);
    close_counters(&c);
}

/* The device's memory runs out during the search, then the process's: partial figures and no
 * crash. */
static void memory_runs_out(void **state)
{
    if (few)
        return;
    counters c = open_counters(ctx, 4, 40, false, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    side s = { .spec = &spec };
    uint64_t before = device->info.memory_bytes;
    (void) state;
    device->info.memory_bytes = 4 << 20;
    (void) explore_long(&s);
    device->info.memory_bytes = before;
    assert_int_equal(s.rc, OM_EUNSUPPORTED);
    assert_true(s.x.states > 1000);
    assert_non_null(strstr(om_context_error(ctx), "out of memory"));
    om_context_clear(ctx);
    if (device->host_memory) {
        /* A build that no thread waits for any more holds memory that it will free. */
        while (om_devices_busy(devices))
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        om_limits limits = { .memory_bytes = om_resident_bytes() + (24 << 20) };
        om_control_start(om_context_control(ctx), &limits);
        (void) explore_long(&s);
        assert_int_equal(s.rc, OM_ELIMIT);
        assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_MEMORY);
        assert_true(s.x.states > 1000);
        om_control_start(om_context_control(ctx), NULL);
    }
    close_counters(&c);
}

/* The device's memory runs out, and states spill to host memory. */
static void memory_spills(void **state)
{
    const int32_t top = host ? 20 : 34, states = (top + 1) * (top + 1) * (top + 1) * (top + 1);
    if (few)
        return;
    counters c = open_counters(ctx, 4, top, false, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    uint64_t before = device->info.memory_bytes;
    bool unified = device->host_memory, own = device->own_pages;
    om_engine *e = NULL;
    om_exploration x;
    (void) state;
    device->info.memory_bytes = host ? 4 << 20 : 24 << 20;
    device->host_memory = device->own_pages = false;
    assert_int_equal(om_engine_open(&e, ctx, &spec), OM_OK);
    int rc = om_engine_explore(e, NULL, NULL, &x);
    if (rc != OM_OK)
        fail_msg("explore: %d: %s", rc, om_context_error(ctx));
    assert_true(e->members[0].queue.spilled > 0);
    assert_int_equal(x.states, states);
    assert_int_equal(x.transitions, 4 * top * (states / (top + 1)));
    om_engine_close(e);
    device->info.memory_bytes = before;
    device->host_memory = unified;
    device->own_pages = own;
    close_counters(&c);
}

/* Sizes are cached per device, and tests that run concurrently share the device. This test
 * therefore has its own cache. */
static char *shared_cache;

static int own_cache(void **state)
{
    const char *before = getenv("XDG_CACHE_HOME");
    shared_cache = before == NULL ? NULL : strdup(before);
    return folder_set_up(state) == 0 ? setenv("XDG_CACHE_HOME", folder_base, 1) : -1;
}

static int no_own_cache(void **state)
{
    if (shared_cache != NULL)
        (void) setenv("XDG_CACHE_HOME", shared_cache, 1);
    else
        (void) unsetenv("XDG_CACHE_HOME");
    free(shared_cache);
    return folder_tear_down(state);
}

/* Replaces the cached result of the trial of sizes by these bytes, or drops it. */
static void keep(const void *bytes, size_t length)
{
    om_text key = { .heap = NULL };
    assert_int_equal(om_device_cache__key(device, ctx, "sizes of work, 1\n", "", &key), OM_OK);
    if (bytes != NULL)
        om_cache__store_in(ctx, om_cache__opencl, &key, bytes, length);
    else
        om_cache__drop_from(ctx, om_cache__opencl, &key);
    om_text_free(&key);
}

static bool recall(uint32_t local, uint32_t items)
{
    device->tuned = false;
    om_device_cache__recall_sizes(device, ctx);
    return device->tuned && device->local == local && device->most_items == items;
}

/* A long run tries sizes of work and caches the best. Cached sizes are used again if they are
 * plausible. */
static void sizes_of_work(void **state)
{
    const uint32_t local = device->local, items = device->most_items;
    const bool tuned = device->tuned;
    counters c = open_counters(ctx, 3, few ? 4 : 20, false, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    om_tuning eager = tiny;
    reference r;
    (void) state;
    reference_explore(&r, c.vm, NULL, false, OM_NONE);
    keep(NULL, 0);
    device->tuned = false;
    eager.eager_trial = true;
    om_engine *e = compare(&spec, &eager, &r);
    /* A run of few states may be too short, because the number of steps it takes depends on
     * time. */
    for (int i = 0; few && i < 10 && !device->tuned; i++) {
        om_engine_close(e);
        e = compare(&spec, &eager, &r);
    }
    assert_true(device->tuned && device->info.tuned);
    assert_int_equal(e->members[0].queue.local, device->local);
    assert_int_equal(e->members[0].queue.most_items, device->most_items);
    assert_int_equal(device->info.work_group, device->local);
    om_engine_close(e);
    uint32_t best_local = device->local, best_items = device->most_items;
    device->most_items = 77;
    assert_true(recall(best_local, best_items));
    /* If the file is missing or invalid, the sizes stay and a trial is due. */
    const uint32_t nonsense[][2] = { { 0, 0 }, { 8, 4 }, { 1u << 20, 1u << 21 } };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        keep(nonsense[i], sizeof nonsense[i]);
        assert_false(recall(0, 0));
        assert_int_equal(device->most_items, best_items);
        assert_false(recall(0, 0)); /* the invalid file was dropped */
    }
    keep("cut", 3);
    assert_false(recall(0, 0));
    device->local = local;
    device->most_items = items;
    device->tuned = tuned;
    reference_free(&r);
    close_counters(&c);
}

static void misuse(void **state)
{
    counters c = open_counters(ctx, 1, 2, false, 0);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = c.model, .deadlock_ap = OM_NONE
    };
    om_engine *e = NULL;
    om_exploration x;
    om_id rest = 0;
    engine_path p = { .heap = om_heap_default(), .row = 1 };
    (void) state;
    assert_int_equal(om_engine__open(&e, ctx, &spec, &tiny), OM_OK);
    assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_OK);
    assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_EINVAL);
    assert_int_equal(om_engine_trim(e, &rest, NULL), OM_EINVAL);
    assert_int_equal(engine_path_of(e, 99, &p), OM_EINVAL);
    om_context_clear(ctx);
    om_engine_close(e);
    spec.device = NULL;
    assert_int_equal(om_engine_open(&e, ctx, &spec), OM_EINVAL);
    om_context_clear(ctx);
    close_counters(&c);
}

int main(int argc, char **argv)
{
    bool other = false;
    for (int i = 1; i < argc; i++) {
        few = few || strcmp(argv[i], "few") == 0;
        other = other || strcmp(argv[i], "other") == 0;
    }
    if (om_context_new(&ctx, NULL) != OM_OK)
        return 1;
    devices = reference_device(ctx, &device);
    host = strcmp(device->info.kind, "host") == 0;
    if (other) {
        /* Configure the device like one of the other kind: one item a work-item if this device
         * takes several, work-groups with a filter, and driver-owned buffers in segments. */
        device->batch = device->batch == 1 ? 16 : 1;
        device->local = device->batch != 1 ? 8 : host ? 3 : 64;
        if (device->most_items < 256) /* room for each work-group size that a trial may choose */
            device->most_items = 256;
        device->filter = device->filter == 0 ? 512 : 0;
        device->own_pages = device->per_size = device->alone = false;
        device->segments = OM_MOST_SEGMENTS;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(both_tables),
        cmocka_unit_test(sliding),
        cmocka_unit_test(wide_states),
        cmocka_unit_test(slices),
        cmocka_unit_test(overflows),
        cmocka_unit_test(faults),
        cmocka_unit_test(faults_beside),
        cmocka_unit_test(products),
        cmocka_unit_test(rounds),
        cmocka_unit_test(several),
        cmocka_unit_test(catching),
        cmocka_unit_test(stopping),
        cmocka_unit_test(told_to_stop),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(stops_soon),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(memory_spills),
        cmocka_unit_test_setup_teardown(sizes_of_work, own_cache, no_own_cache),
        cmocka_unit_test(misuse),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    om_devices_close(devices);
    om_context_free(ctx);
    return failed;
}
