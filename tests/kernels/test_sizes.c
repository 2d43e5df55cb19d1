/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine on a device that enforces limits: with small limits, across growth, segments and
 * spilling to host memory; and with the limits of a device of 80 GiB, whose buffers consist of
 * addresses only until they are written.
 */
#include "engine/engine.h"
#include "mock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <cmocka.h>

static om_context *ctx;
static om_devices *devices;
static om_device *device;

/* Sizes so small that every table grows. */
static const om_tuning tiny = { .states = 4,
    .candidates = 8,
    .buckets = 1,
    .chunk = 64,
    .largest_chunk = 64,
    .most_candidates = 256 };

/* ---- a grid: counters of a given type that go up to the top ---- */

typedef struct grid {
    om_model *model;
    uint32_t counters;
    uint64_t states, transitions;
} grid;

static grid make_grid(uint32_t counters, om_type type, int32_t top)
{
    static const int32_t nothing = 0;
    grid g = { .counters = counters, .states = 1 };
    assert_int_equal(om_model_new(&g.model, ctx, "grid"), OM_OK);
    for (uint32_t i = 0; i < counters; i++) {
        char name[16];
        uint32_t process = 0, slot = 0;
        (void) snprintf(name, sizeof name, "x%u", i);
        const om_slot declared = { .name = name, .type = type, .process = i, .initial = &nothing };
        assert_int_equal(om_model_add_process(g.model, name, &process), OM_OK);
        assert_int_equal(om_model_add_slot(g.model, &declared, &slot), OM_OK);
        const om_expr value = om_expr_slot(g.model, slot);
        const om_assign up = { .slot = slot,
            .value = om_expr_binary(g.model, OM_OP_ADD, value, om_expr_const(g.model, 1)) };
        const om_transition t = { .process = process,
            .partner = OM_NONE,
            .guard = om_expr_binary(g.model, OM_OP_LT, value, om_expr_const(g.model, top)),
            .assigns = &up,
            .assign_count = 1,
            .label = "up" };
        assert_int_equal(om_model_add_transition(g.model, &t, NULL), OM_OK);
        g.states *= (uint64_t) top + 1;
    }
    g.transitions = g.states / ((uint64_t) top + 1) * (uint64_t) top * counters;
    assert_int_equal(om_model_finish(g.model), OM_OK);
    return g;
}

/* Explores the whole grid. Returns the engine; the caller closes it. */
static om_engine *explore_on(om_device *d, const grid *g, const om_tuning *tuning, bool paths)
{
    const om_engine_spec spec = { .size = sizeof spec,
        .device = d,
        .model = g->model,
        .deadlock_ap = OM_NONE,
        .no_paths = !paths };
    om_engine *e = NULL;
    om_exploration x = { 0 };
    int rc = om_engine__open(&e, ctx, &spec, tuning);
    if (rc == OM_OK)
        rc = om_engine_explore(e, NULL, NULL, &x);
    if (rc != OM_OK)
        fail_msg("%d: %s", rc, om_context_error(ctx));
    assert_int_equal(x.states, g->states);
    assert_int_equal(x.transitions, g->transitions);
    assert_int_equal(x.deadlocks, 1);
    return e;
}

static om_engine *explore(const grid *g, const om_tuning *tuning, bool paths)
{
    return explore_on(device, g, tuning, paths);
}

/* ---- tests ---- */

static uint32_t parts_of(const om_segments *s, uint32_t *away)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < OM_MOST_SEGMENTS; i++) {
        n += s->parts[i].mem != NULL;
        *away += s->parts[i].spilled;
    }
    return n;
}

/* Verifies that every state is stored and reachable from the first, across all segments and
 * members. */
static void verify(om_engine *e, uint64_t states)
{
    uint64_t verified = 0;
    if (om_engine_verify(e, UINT64_MAX, &verified) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    assert_true(verified == states || e->members[0].table.base != 0);
}

/* Rows of one word and of three, in both kinds of index, with and without paths. */
static void small_limits(void **state)
{
    static const uint64_t memories[] = { 1 << 20, 320 << 10, 192 << 10 };
    uint32_t most_rows = 0, most_index = 0, away = 0;
    (void) state;
    for (unsigned i = 0; i < 3 * 2 * 2 * 2; i++) {
        const mock_limits limits = { .memory = memories[i % 3], .largest = 40 << 10 };
        const bool wide = i / 3 % 2 != 0, paths = i / 6 % 2 != 0;
        om_tuning tuning = tiny;
        grid g = make_grid(3, wide ? OM_I32 : OM_U8, wide ? 20 : 19);
        tuning.numbers = i / 12 != 0;
        mock_open(device, &limits);
        om_engine *e = explore(&g, &tuning, paths);
        const om_state_table *t = &e->members[0].table;
        assert_int_equal(t->quotient, !wide && !tuning.numbers);
        uint32_t sent = 0, rows = parts_of(&t->rows, &sent), index = parts_of(&t->index, &sent);
        most_rows = rows > most_rows ? rows : most_rows;
        most_index = index > most_index ? index : most_index;
        away += sent;
        verify(e, g.states);
        om_engine_close(e);
        assert_int_equal(mock_seen(device).refused, 0);
        mock_close(device);
        om_model_free(g.model);
    }
    assert_int_equal(most_rows, OM_MOST_SEGMENTS);
    assert_int_equal(most_index, OM_MOST_SEGMENTS);
    assert_true(away > 3);
}

/* Two devices whose tables grow from small sizes, each under its own limits, find the states and
 * transitions that one device finds. One of them may be smaller, or other programs may use some
 * memory. */
static void together(void **state)
{
    static const mock_limits limits[][2] = {
        { { .memory = 512 << 10, .largest = 48 << 10 },
            { .memory = 512 << 10, .largest = 48 << 10 } },
        { { .memory = 256 << 10, .largest = 48 << 10 },
            { .memory = 192 << 10, .largest = 48 << 10 } },
        { { .memory = 1 << 20, .largest = 1 << 18, .others = 850 << 10 },
            { .memory = 1 << 20, .largest = 1 << 18, .others = 800 << 10, .late = true } },
    };
    enum { CASES = sizeof limits / sizeof *limits };
    om_device other = *device, group = *device, *members[] = { device, &other };
    uint32_t most_rows = 0, most_index = 0, away[CASES] = { 0 };
    unsigned failed = 0;
    (void) state;
    group.members = members;
    group.member_count = 2;
    for (unsigned i = 0; i < CASES * 2 * 2 * 2; i++) {
        const bool wide = i / CASES % 2 != 0, paths = i / CASES / 2 % 2 != 0;
        om_tuning tuning = tiny;
        grid g = make_grid(3, wide ? OM_I32 : OM_U8, wide ? 27 : 19);
        tuning.numbers = i / CASES / 4 != 0;
        for (unsigned k = 0; k < 2; k++)
            mock_open(members[k], &limits[i % CASES][k]);
        om_engine *e = explore_on(&group, &g, &tuning, paths);
        assert_int_equal(e->count, 2);
        for (unsigned k = 0; k < 2; k++) {
            const om_state_table *t = &e->members[k].table;
            assert_int_equal(t->quotient, !wide && !tuning.numbers);
            assert_true(t->stored > g.states / 3); /* it stores its share of the states */
            uint32_t rows = parts_of(&t->rows, &away[i % CASES]),
                     index = parts_of(&t->index, &away[i % CASES]);
            most_rows = rows > most_rows ? rows : most_rows;
            most_index = index > most_index ? index : most_index;
        }
        verify(e, g.states);
        om_engine_close(e);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(mock_seen(members[k]).refused, 0);
            failed += mock_seen(members[k]).failed;
            mock_close(members[k]);
        }
        om_model_free(g.model);
    }
    assert_true(most_rows > 2 && most_index > 2);
    assert_true(away[1] > 0 && away[2] > 0 && failed > 0);
    printf("%u and %u segments; away: %u, %u and %u buffers; %u requests failed\n", most_rows,
        most_index, away[0], away[1], away[2], failed);
}

/* Another user of the context, such as another member of a group, records one error. */
static bool said;
static void say_something(om_device *d, om_stream *s, const om_launch *l)
{
    (void) d;
    (void) s;
    (void) l;
    if (!said)
        (void) om_fail(ctx, OM_EIO, NULL, "of another member");
    said = true;
}

/* A device has less memory than it reports, because other programs use some. The shortage shows on
 * request or when the memory is first used. Rows spill to host memory, no state is lost, and no
 * message is recorded. */
static void others_have_some(void **state)
{
    (void) state;
    for (unsigned i = 0; i < 4; i++) {
        const mock_limits limits = {
            .memory = 1 << 20, .largest = 1 << 18, .others = 800 << 10, .late = i % 2 != 0
        };
        om_tuning tuning = tiny;
        grid g = make_grid(3, OM_I32, 20);
        tuning.candidates = 1; /* small, so that no buffer of candidates is large */
        mock_open(device, &limits);
        said = false;
        mock_on_launch = say_something;
        om_engine *e = explore(&g, &tuning, i / 2 != 0);
        mock_on_launch = NULL;
        assert_string_equal(om_context_error(ctx), "of another member");
        om_context_clear(ctx);
        uint32_t away = 0;
        (void) parts_of(&e->members[0].table.rows, &away);
        assert_true(away > 0 || e->members[0].table.parents.spilled);
        verify(e, g.states);
        om_engine_close(e);
        assert_int_equal(mock_seen(device).refused, 0);
        assert_true(mock_seen(device).failed > 0);
        mock_close(device);
        om_model_free(g.model);
    }
}

/* If there is no other memory, the engine uses most of the device's memory before it reports that
 * the device is full, and every request was within the limits. */
static void filled(void **state)
{
    (void) state;
    for (unsigned wide = 0; wide < 2; wide++) {
        const mock_limits limits = { .memory = 1 << 20, .largest = 1 << 18, .unified = true };
        grid g = make_grid(3, wide != 0 ? OM_I32 : OM_U8, 60);
        const om_engine_spec spec = {
            .size = sizeof spec, .device = device, .model = g.model, .deadlock_ap = OM_NONE
        };
        om_engine *e = NULL;
        om_exploration x = { 0 };
        mock_open(device, &limits);
        assert_int_equal(om_engine__open(&e, ctx, &spec, &tiny), OM_OK);
        assert_int_equal(om_engine_explore(e, NULL, NULL, &x), OM_EUNSUPPORTED);
        assert_non_null(strstr(om_context_error(ctx), "out of memory"));
        om_context_clear(ctx);
        om_engine_close(e);
        const mock_figures seen = mock_seen(device);
        printf("%u words: %llu states, %.0f %% of the memory\n", wide != 0 ? 3 : 1,
            (unsigned long long) x.states, 100.0 * (double) seen.peak / (double) limits.memory);
        assert_true(seen.peak > limits.memory / 10 * 7);
        assert_int_equal(seen.refused, 0);
        assert_int_equal(seen.away, 0);
        mock_close(device);
        om_model_free(g.model);
    }
}

/* Room for 10^9 states of eight words, in several buffers of up to 20 GiB. */
static void eighty_gigabytes(void **state)
{
    const mock_limits limits = {
        .memory = UINT64_C(80) << 30, .largest = UINT64_C(20) << 30, .sparse = true
    };
    om_tuning large = om_tuning__default;
    struct rusage used;
    (void) state;
    void *addresses = mmap(NULL, limits.memory, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (addresses == MAP_FAILED) /* the system does not overcommit memory */
        skip();
    (void) munmap(addresses, limits.memory);
    large.states = 1000000000;
    large.buckets = 1 << 29;
    large.numbers = true;
    grid g = make_grid(8, OM_I32, 2);
    mock_open(device, &limits);
    om_engine *e = explore(&g, &large, true);
    const om_state_table *t = &e->members[0].table;
    uint32_t away = 0;
    assert_int_equal(t->capacity, 1000000000);
    assert_int_equal(parts_of(&t->rows, &away), 2);
    assert_int_equal(parts_of(&t->index, &away), 2);
    assert_int_equal(away, 0);
    verify(e, g.states);
    om_engine_close(e);
    assert_int_equal(mock_seen(device).refused, 0);
    assert_true(mock_seen(device).peak > UINT64_C(60) << 30);
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    printf("%.1f GiB of addresses, %ld MiB of memory\n",
        (double) mock_seen(device).peak / (double) (UINT64_C(1) << 30), used.ru_maxrss >> 10);
    mock_close(device);
    om_model_free(g.model);
}

/* ---- weak parts ---- */

static om_automaton *accept_all(void)
{
    static const om_cube any = { 0, 0 };
    om_automaton *a = NULL;
    assert_int_equal(om_automaton_new(&a, ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 1, NULL), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(a, 0, 0, 1, &any, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}

/* Counts the steps of a path. In its last state, all counters are at the top. */
typedef struct walk {
    uint32_t steps, sum;
} walk;

static int take_step(void *self, const uint32_t *vector)
{
    walk *w = self;
    w->steps++;
    w->sum = vector[0] + vector[1] + vector[2];
    return OM_OK;
}

/* The counters form no cycle, unless the last state, which has no successor, stutters. That state
 * is then the only cycle, and a path leads to it across segments. */
static void trimming(void **state)
{
    static const uint8_t accepting[] = { 1 };
    (void) state;
    for (unsigned i = 0; i < 8; i++) {
        /* A fixpoint takes 16 bytes a state; trimming takes 8. */
        const size_t little = i / 4 != 0 ? 400 << 10 : 320 << 10;
        const mock_limits limits = { .memory = i / 2 % 2 != 0 ? little : 1 << 20,
            .largest = 64 << 10 };
        grid g = make_grid(3, OM_I32, 20);
        om_automaton *a = accept_all();
        const bool stutter = i % 2 != 0;
        const om_engine_spec spec = { .size = sizeof spec,
            .device = device,
            .model = g.model,
            .automaton = a,
            .accepting = accepting,
            .stutter = stutter,
            .deadlock_ap = OM_NONE,
            .fixpoint = i / 4 != 0 };
        om_engine *e = NULL;
        om_exploration x = { 0 };
        om_id rest = 0;
        uint32_t away = 0;
        mock_open(device, &limits);
        int rc = om_engine__open(&e, ctx, &spec, &tiny);
        if (rc == OM_OK)
            rc = om_engine_explore(e, NULL, NULL, &x);
        if (rc == OM_OK)
            rc = spec.fixpoint ? om_engine_fixpoint(e, 1, &rest, NULL)
                               : om_engine_trim(e, &rest, NULL);
        if (rc != OM_OK)
            fail_msg("%u: %d: %s", i, rc, om_context_error(ctx));
        assert_int_equal(x.states, g.states);
        assert_int_equal(x.transitions, g.transitions + stutter);
        assert_true(parts_of(&e->members[0].table.rows, &away) > 2);
        assert_true(i / 2 % 2 == 0 || away > 0);
        assert_int_equal(rest != OM_NO_ID, stutter);
        if (stutter) {
            walk w = { 0 };
            assert_int_equal(om_engine_path(e, rest, take_step, &w), OM_OK);
            assert_int_equal(w.steps, 61);
            assert_int_equal(w.sum, 60);
        }
        om_engine_close(e);
        assert_int_equal(mock_seen(device).refused, 0);
        mock_close(device);
        om_automaton_free(a);
        om_model_free(g.model);
    }
}

/* ---- more edges to a state than a degree can count ---- */

static uint32_t nearly;

/* Degrees are nearly full when they are created. */
static void fill_degrees(om_device *d, om_stream *s, const om_launch *l)
{
    enum { DEGREE = 20, TALLY_ARGS = 21 };
    uint32_t counts[16];
    if (l->count != TALLY_ARGS || nearly == 0)
        return;
    om_memory *const *degree = l->args[DEGREE].value;
    for (size_t i = 0; i < 16; i++)
        counts[i] = nearly;
    assert_int_equal(d->backend->write(d, s, *degree, 0, counts, sizeof counts), 0);
    nearly = 0;
}

static void crowded(void **state)
{
    static const uint8_t accepting[] = { 1 };
    const mock_limits limits = { .memory = 4 << 20, .largest = 1 << 20, .unified = true };
    grid g = make_grid(2, OM_U8, 30);
    om_automaton *a = accept_all();
    const om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = g.model,
        .automaton = a,
        .accepting = accepting,
        .deadlock_ap = OM_NONE };
    (void) state;
    mock_open(device, &limits);
    mock_on_launch = fill_degrees;
    for (unsigned i = 0; i < 2; i++) {
        om_engine *e = NULL;
        om_exploration x = { 0 };
        nearly = i == 0 ? 5 : UINT32_MAX;
        assert_int_equal(om_engine__open(&e, ctx, &spec, &tiny), OM_OK);
        int rc = om_engine_explore(e, NULL, NULL, &x);
        assert_int_equal(nearly, 0); /* the launch was reached */
        assert_int_equal(rc, i == 0 ? OM_OK : OM_EUNSUPPORTED);
        assert_true(i == 0 || strstr(om_context_error(ctx), "2^32 edges") != NULL);
        om_context_clear(ctx);
        om_engine_close(e);
    }
    mock_on_launch = NULL;
    mock_close(device);
    om_automaton_free(a);
    om_model_free(g.model);
}

int main(void)
{
    const char *why = NULL;
    if (om_context_new(&ctx, NULL) != OM_OK)
        return 1;
    if (om_devices_open(&devices, ctx, "host", &why) != OM_OK ||
        om_devices_pick(devices, ctx, "host", &device) != OM_OK) {
        printf("the host is no device: %s\n", why != NULL ? why : om_context_error(ctx));
        om_context_free(ctx);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_limits),
        cmocka_unit_test(together),
        cmocka_unit_test(others_have_some),
        cmocka_unit_test(filled),
        cmocka_unit_test(eighty_gigabytes),
        cmocka_unit_test(trimming),
        cmocka_unit_test(crowded),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    om_devices_close(devices);
    om_context_free(ctx);
    return failed;
}
