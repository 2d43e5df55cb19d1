/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that fails in any call at any moment costs a check only that device: the CPU continues
 * and reaches the verdict and figures of a run without a device. The same holds for a device that
 * computes wrong results, if all of its states are verified or it searches a second time.
 */
#include "devices.h"
#include "reference.h"
#include "plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static om_context *ctx;
static om_devices *devices;
static om_registry *registry;
static om_model *model;
static bool few;                            /* fewer runs and states, for slow devices */
static const char *one = "0", *two = "0,1"; /* names of devices */
static unsigned notices, second;            /* numbers of notices; differing second searches */
static uint64_t verify = UINT64_MAX;

/* ---- calls that fail ---- */

enum { TAKE, LAUNCH, READ, WRITE, ZERO, COPY, MARK, WAIT, CALLS };
static const char *const names[CALLS] = { "take", "launch", "read", "write", "zero", "copy", "mark",
    "wait" };
static const om_backend *real;
static om_backend spoiled; /* real, with calls that may fail */
/* The failing call: call number `at` of this kind and, with `lost`, every later call of any
 * kind. */
static int kind;
static unsigned at;
static bool lost;
/* True if the call never completes instead of failing. */
static bool stuck;
static bool stops; /* true if the waiting thread is then told to stop */
static atomic_uint calls;
static atomic_bool failed;
/* An error of the back end that does not mean lack of memory, and one that does. */
static int broken, no_memory;
/* Two members of a run share a device: one may have begun a call when the other loses the
 * device. */
static bool shared;
/* Number of consecutive calls of this thread to a lost device. */
static _Thread_local unsigned late;

static bool fails(const om_device *d, int this_kind)
{
    late = om_device__lost(d) ? late + 1 : 0;
    assert_true(late <= (shared ? 1 : 0)); /* no further calls to a lost device */
    if (lost && atomic_load(&failed))
        return true;
    if (this_kind != kind || atomic_fetch_add(&calls, 1) != at)
        return false;
    atomic_store(&failed, true);
    return true;
}

static om_memory *take(om_device *d, const om_memory_spec *spec, int *error)
{
    if (!fails(d, TAKE))
        return real->take(d, spec, error);
    *error = no_memory;
    return NULL;
}

/* Number of the interning launch before which a bit of a candidate is flipped. */
static atomic_uint flip_at = UINT32_MAX;
static uint32_t flip_word, flip_bit;

enum { PUT_ARGS = 15, INTERN_ARGS = 11 };

static void flip(om_device *d, om_stream *s, const om_launch *l)
{
    om_memory *const *candidates = l->args[l->count == PUT_ARGS ? 2 : 1].value;
    const size_t offset = flip_word * sizeof(uint32_t);
    uint32_t word = 0;
    assert_int_equal(
        real->read(d, s, &(om_copy){ .from = *candidates, .from_at = offset, .bytes = sizeof word },
            &word, NULL),
        0);
    word ^= UINT32_C(1) << flip_bit;
    assert_int_equal(real->write(d, s, *candidates, offset, &word, sizeof word), 0);
}

static int launch(om_device *d, om_stream *s, const om_launch *l)
{
    if (fails(d, LAUNCH))
        return no_memory;
    if ((l->count == PUT_ARGS || l->count == INTERN_ARGS) && atomic_fetch_sub(&flip_at, 1) == 0) {
        atomic_store(&flip_at, UINT32_MAX);
        flip(d, s, l);
    }
    return real->launch(d, s, l);
}

static int read(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event)
{
    return fails(d, READ) ? no_memory : real->read(d, s, c, to, event);
}

static int write(om_device *d, om_stream *s, om_memory *m, size_t to, const void *from, size_t n)
{
    return fails(d, WRITE) ? no_memory : real->write(d, s, m, to, from, n);
}

static int zero(om_device *d, om_stream *s, om_memory *m, size_t from, size_t bytes)
{
    return fails(d, ZERO) ? no_memory : real->zero(d, s, m, from, bytes);
}

static int copy(om_device *d, om_stream *s, const om_copy *c)
{
    return fails(d, COPY) ? no_memory : real->copy(d, s, c);
}

static int mark(om_device *d, om_stream *s, om_event **event)
{
    if (!fails(d, MARK))
        return real->mark(d, s, event);
    /* Abandoned memory must not be in use. */
    assert_int_equal(real->mark(d, s, event), 0);
    (void) real->wait(d, s, *event, UINT64_MAX / 2);
    return broken;
}

static int wait_for(om_device *d, om_stream *s, om_event *event, uint64_t until_ns)
{
    if (stuck && (fails(d, WAIT) || (stops && atomic_load(&failed)))) {
        if (stops)
            (void) om_control_stop(om_context_control(ctx), OM_STOP_INTERRUPT);
        return OM_PENDING;
    }
    /* With an unlimited timeout, completion counts whenever it happens. */
    int error = real->wait(d, s, event, stuck ? UINT64_MAX / 2 : until_ns);
    return !stuck && error != OM_PENDING && fails(d, WAIT) ? broken : error;
}

static void spoil(om_devices *d)
{
    real = d->items[0].backend;
    while (!real->is_memory(no_memory))
        no_memory = no_memory > 0 ? -no_memory : 1 - no_memory; /* 0, 1, -1, 2, -2 ... */
    broken = 1000;
    spoiled = *real;
    spoiled.take = take;
    spoiled.launch = launch;
    spoiled.read = read;
    spoiled.write = write;
    spoiled.zero = zero;
    spoiled.copy = copy;
    spoiled.mark = mark;
    spoiled.wait = wait_for;
    for (size_t i = 0; i < d->count; i++)
        d->items[i].backend = &spoiled;
}

static void mend(om_devices *d)
{
    for (size_t i = 0; i < d->count; i++)
        d->items[i].backend = real;
}

static void count_note(void *self, om_note_level level, const char *text)
{
    (void) self;
    notices += level == OM_NOTE_NOTICE && strstr(text, "the CPU") != NULL;
    second += level == OM_NOTE_NOTICE && strstr(text, "a second search") != NULL;
}

/* ---- one run ---- */

typedef struct outcome {
    uint64_t states, transitions, deadlocks;
    om_verdict verdict;
    bool on_device;
} outcome;

static om_plan *open_plan(const char *device, const char *checker)
{
    om_plan_options options = { .device = device,
        .checker = checker,
        .threads = 1,
        .exec = OM_EXEC_VM,
        .schedule = OM_SCHEDULE_SEQUENTIAL,
        .verify = verify };
    om_plan *p = NULL;
    assert_int_equal(om_plan_new(&p, ctx, registry, NULL, model, &options), OM_OK);
    p->devices.list = devices; /* drivers are slow to start; open them once */
    return p;
}

static void close_plan(om_plan *p)
{
    assert_ptr_equal(p->devices.list, devices);
    p->devices.list = NULL;
    om_plan_free(p);
}

static outcome explore(const char *device)
{
    om_plan *p = open_plan(device, NULL);
    om_exploration x;
    int rc = om_plan_explore(p, &x, NULL);
    if (rc != OM_OK)
        fail_msg("%s %u%s: %d: %s", names[kind], at, lost ? " and all behind" : "", rc,
            om_context_error(ctx));
    outcome o = { .states = x.states,
        .transitions = x.transitions,
        .deadlocks = x.deadlocks,
        .on_device = x.device != NULL };
    assert_true(o.on_device == (x.gave_up == NULL) || strcmp(device, "none") == 0);
    close_plan(p);
    return o;
}

static outcome check(const char *device, const char *checker, const char *property)
{
    om_plan *p = open_plan(device, checker);
    om_check_result r;
    int rc = om_plan_check(p, OM_PROPERTY_NAMED, property, &r);
    if (rc != OM_OK)
        fail_msg("%s %u%s: %d: %s", names[kind], at, lost ? " and all behind" : "", rc,
            om_context_error(ctx));
    outcome o = { .states = r.states,
        .transitions = r.transitions,
        .verdict = r.verdict,
        .on_device = r.part_count > 0 && r.parts[0].device != NULL };
    if (r.part_count > 0 && strcmp(device, "none") != 0)
        assert_true((r.parts[0].device == NULL) == (r.parts[0].gave_up != NULL));
    assert_int_equal(r.has_lasso, r.verdict == OM_VIOLATED);
    om_check_result_free(&r);
    close_plan(p);
    return o;
}

static void has_patience(uint64_t ns)
{
    for (size_t i = 0; i < devices->count; i++)
        devices->items[i].patience_ns = ns;
}

static void none_fails(void)
{
    at = UINT32_MAX;
    lost = stuck = false;
    for (size_t i = 0; i < devices->count; i++) {
        om_device *d = &devices->items[i];
        if (om_device__lost(d))
            d->info.reason = NULL;
        atomic_store(&d->lost, false);
    }
    has_patience(UINT64_C(100) * 1000000000);
    atomic_store(&calls, 0);
    atomic_store(&failed, false);
    notices = 0;
}

/* Fails the n-th call of a kind for all small n and some larger ones, until a run has no failure.
 * With `few`, at one n for every second kind. */
static void try_all(const char *device, const char *checker, const char *property, outcome expected)
{
    unsigned handed_over = 0;
    for (int all = 0; all < (few ? 1 : 2); all++)
        for (kind = 0; kind < CALLS; kind += few ? 2 : 1)
            for (unsigned n = few ? 2 : 0;; n += 1 + n / 4) {
                none_fails();
                at = n;
                lost = all != 0;
                outcome o = checker == NULL ? explore(device) : check(device, checker, property);
                if (o.states != expected.states && expected.verdict != OM_VIOLATED)
                    fail_msg("%s %u: %llu states", names[kind], n, (unsigned long long) o.states);
                if (expected.verdict != OM_VIOLATED)
                    assert_int_equal(o.transitions, expected.transitions);
                assert_int_equal(o.verdict, expected.verdict);
                assert_int_equal(o.deadlocks, expected.deadlocks);
                if (!o.on_device) {
                    assert_true(atomic_load(&failed));
                    assert_int_equal(notices, 1);
                    handed_over++;
                }
                if (few || !atomic_load(&failed))
                    break;
            }
    none_fails();
    printf("%s: handed over %u times\n", checker == NULL ? "explore" : checker, handed_over);
    assert_true(handed_over > (few ? 3 : 20));
}

/* ---- tests ---- */

static void exploring(void **state)
{
    (void) state;
    none_fails();
    outcome cpu = explore("none"), there = explore(one);
    assert_true(cpu.states > 10 && there.on_device && !cpu.on_device);
    assert_int_equal(cpu.states, there.states);
    assert_int_equal(cpu.transitions, there.transitions);
    assert_int_equal(cpu.deadlocks, there.deadlocks);
    try_all(one, NULL, NULL, cpu);
}

/* A bit of a candidate is flipped once. Every flip that would change the result is noticed. */
static void erring(void **state)
{
    enum { RUNS = 160, AGAIN = 40, WORDS = 24, LAUNCHES = 24 };
    static const struct {
        const char *checker, *property;
    } ways[] = { { NULL, NULL }, { "reach-cl", "quiet" }, { "reach-cl", "loud" },
        { "weak-cl", "quiet" }, { "weak-cl", "loud" } };
    om_random r = { 5 };
    (void) state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        unsigned noticed = 0;
        none_fails();
        outcome cpu =
            ways[i].checker == NULL ? explore("none") : check("none", NULL, ways[i].property);
        second = 0;
        for (unsigned run = 0; run < RUNS + AGAIN; run++) {
            none_fails();
            verify = run < RUNS ? UINT64_MAX : OM_VERIFY_AGAIN;
            /* a second search doubles the number of launches */
            atomic_store(
                &flip_at, (unsigned) om_random_below(&r, run < RUNS ? LAUNCHES : 2 * LAUNCHES));
            flip_word = (uint32_t) om_random_below(&r, WORDS);
            flip_bit = (uint32_t) om_random_below(&r, 32);
            /* Rows with an automaton have two words. The kernels do not check the automaton
             * state's range, so only its bit 0 is flipped. */
            if (ways[i].checker != NULL && flip_word % 2 == 1)
                flip_bit = 0;
            outcome o = ways[i].checker == NULL ? explore(one)
                                                : check(one, ways[i].checker, ways[i].property);
            atomic_store(&flip_at, UINT32_MAX);
            if (o.verdict != cpu.verdict)
                fail_msg("run %u, word %u, bit %u: verdict %d", run, flip_word, flip_bit,
                    (int) o.verdict);
            if (cpu.verdict != OM_VIOLATED) {
                assert_int_equal(o.states, cpu.states);
                assert_int_equal(o.transitions, cpu.transitions);
            }
            noticed += !o.on_device;
        }
        verify = UINT64_MAX;
        printf("%s %s: noticed %u of %u, %u by a second search\n",
            ways[i].checker == NULL ? "explore" : ways[i].checker,
            ways[i].checker == NULL ? "" : ways[i].property, noticed, RUNS + AGAIN, second);
        if (cpu.verdict != OM_VIOLATED)
            assert_true(noticed > second && second > 0);
    }
}

/* A call that a device does not complete times out; the memory stays with the device. */
static void waiting(void **state)
{
    const char *const on[] = { one, two };
    const char *const checkers[] = { NULL, "reach-cl", "weak-cl" };
    unsigned handed_over = 0;
    (void) state;
    kind = WAIT;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) {
            none_fails();
            shared = i == 1 && devices->count == 1;
            outcome cpu = checkers[k] == NULL ? explore("none") : check("none", NULL, "quiet");
            for (unsigned n = 0;; n += 1 + n / 2) {
                none_fails();
                at = n;
                stuck = true;
                has_patience(0);
                outcome o =
                    checkers[k] == NULL ? explore(on[i]) : check(on[i], checkers[k], "quiet");
                assert_true(o.states == cpu.states && o.transitions == cpu.transitions);
                assert_true(o.verdict == cpu.verdict && o.deadlocks == cpu.deadlocks);
                assert_true(o.on_device || atomic_load(&failed));
                assert_true(om_devices_busy(devices) == atomic_load(&failed));
                if (!atomic_load(&failed))
                    break;
                /* After the last call, the result was already complete. */
                assert_int_equal(notices, o.on_device ? 0 : 1);
                handed_over += !o.on_device;
                /* The device is not used again. */
                om_device *d = NULL;
                assert_int_equal(om_devices_pick(devices, ctx, on[i], &d), OM_EUNSUPPORTED);
                assert_non_null(strstr(om_context_error(ctx), "does not answer"));
                om_context_clear(ctx);
            }
        }
    none_fails();
    shared = false;
    assert_true(handed_over > 20);
}

/* A thread that is told to stop waits some seconds, less than the usual timeout. This test is the
 * last one: it cannot be undone. */
static void stopping(void **state)
{
    (void) state;
    none_fails();
    kind = WAIT;
    at = 0;
    stuck = stops = true;
    om_plan *p = open_plan(one, NULL);
    om_exploration x;
    uint64_t began = om_clock_ns();
    int rc = om_plan_explore(p, &x, NULL);
    uint64_t seconds = (om_clock_ns() - began) / 1000000000;
    assert_int_equal(rc, OM_ELIMIT);
    assert_true(seconds >= 4 && seconds < 30);
    assert_true(om_devices_busy(devices));
    close_plan(p);
    none_fails();
}

static void exploring_together(void **state)
{
    (void) state;
    none_fails();
    outcome cpu = explore("none"), there = explore(two);
    assert_int_equal(cpu.states, there.states);
    assert_int_equal(cpu.transitions, there.transitions);
    try_all(two, NULL, NULL, cpu);
}

static void checking(void **state)
{
    static const char *const checkers[] = { "reach-cl", "weak-cl" };
    (void) state;
    for (size_t i = 0; i < 2; i++) {
        none_fails();
        outcome holds = check(one, checkers[i], "quiet"),
                violated = check(one, checkers[i], "loud");
        assert_true(holds.on_device && violated.on_device);
        assert_int_equal(holds.verdict, OM_HOLDS);
        assert_int_equal(violated.verdict, OM_VIOLATED);
        try_all(one, checkers[i], "quiet", holds);
        try_all(one, checkers[i], "loud", violated);
    }
}

/* Adds a property that forbids the runs in which the proposition holds in some state. */
static void add_property(om_model *m, const char *name, om_expr proposition)
{
    static const char *const ap_names[] = { "a" };
    static const om_cube any = { 0, 0 }, holds = { 1, 0 };
    om_automaton *a = NULL;
    if (om_automaton_new(&a, ctx, 1, ap_names) != OM_OK ||
        om_automaton_add_states(a, 2, NULL) != OM_OK ||
        om_automaton_set_generalized_buchi(a, 1) != OM_OK ||
        om_automaton_add_edge(a, 0, 0, 0, &any, 1) != OM_OK ||
        om_automaton_add_edge(a, 0, 1, 0, &holds, 1) != OM_OK ||
        om_automaton_add_edge(a, 1, 1, 1, &any, 1) != OM_OK ||
        om_automaton_add_initial(a, 0) != OM_OK || om_automaton_finish(a) != OM_OK ||
        om_model_add_property(m, name, a, &proposition) != OM_OK)
        abort();
}

/* Counters that go up to the top: a grid with one deadlock. */
static om_model *make_model(void)
{
    enum { COUNTERS = 3 };
    const int32_t top = few ? 2 : 5;
    static const char *const slot_names[COUNTERS] = { "x", "y", "z" };
    static const int32_t zero = 0;
    om_model *m = NULL;
    uint32_t slots[COUNTERS];
    if (om_model_new(&m, ctx, "grid") != OM_OK)
        abort();
    for (uint32_t i = 0; i < COUNTERS; i++) {
        uint32_t process = 0;
        om_slot slot = { .name = slot_names[i], .type = OM_U8, .process = i, .initial = &zero };
        if (om_model_add_process(m, slot_names[i], &process) != OM_OK ||
            om_model_add_slot(m, &slot, &slots[i]) != OM_OK)
            abort();
        om_expr value = om_expr_slot(m, slots[i]);
        om_assign up = { .slot = slots[i],
            .value = om_expr_binary(m, OM_OP_ADD, value, om_expr_const(m, 1)) };
        om_transition t = { .process = process,
            .partner = OM_NONE,
            .guard = om_expr_binary(m, OM_OP_LT, value, om_expr_const(m, top)),
            .assigns = &up,
            .assign_count = 1,
            .label = "up" };
        if (om_model_add_transition(m, &t, NULL) != OM_OK)
            abort();
    }
    om_expr x = om_expr_slot(m, slots[0]);
    add_property(m, "loud", om_expr_binary(m, OM_OP_EQ, x, om_expr_const(m, top)));
    add_property(m, "quiet", om_expr_binary(m, OM_OP_LT, x, om_expr_const(m, 0)));
    if (om_model_finish(m) != OM_OK)
        abort();
    return m;
}

/* "waiting": only the tests that leak memory. "few": some runs of the first test, on
 * $OMEN_TEST_DEVICE. */
int main(int argc, char **argv)
{
    om_device *device = NULL;
    const char *which = argc == 2 ? argv[1] : "";
    bool waits = strcmp(which, "waiting") == 0;
    few = strcmp(which, "few") == 0;
    if ((!few && setenv("POCL_DEVICES", "basic basic", 1) != 0) ||
        om_context_new(&ctx, NULL) != OM_OK || om_registry_new(&registry, ctx) != OM_OK)
        return 1;
    devices = reference_device(ctx, &device);
    bool host = strcmp(reference_device_name(), "host") == 0;
    if (host) {
        one = "host";
        two = "host,host";
    }
    if (few)
        one = two = reference_device_name();
    bool several = !few && (host || om_devices_count(devices) > 1);
    /* The known-answer tests finish before any call fails. */
    if (several && om_devices_pick(devices, ctx, two, &device) != OM_OK)
        return 1;
    none_fails();
    spoil(devices);
    om_context_on_note(ctx, count_note, NULL);
    model = make_model();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exploring),
        cmocka_unit_test(checking),
        cmocka_unit_test(erring),
        cmocka_unit_test(exploring_together),
    };
    const struct CMUnitTest alone[] = { cmocka_unit_test(waiting), cmocka_unit_test(stopping) };
    if (!several)
        two = one;
    int bad = _cmocka_run_group_tests("handover", waits ? alone : tests,
        waits     ? 2
        : few     ? 1
        : several ? 4
                  : 3,
        NULL, NULL);
    mend(devices);
    om_devices_close(devices);
    om_model_free(model);
    om_registry_free(registry);
    om_context_free(ctx);
    return bad;
}
