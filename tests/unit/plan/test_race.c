/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts on the CPU and their rivals on a device. Any device will do, including a CPU. Checkers
 * that wait for the test replace one side or the other, so nothing depends on speed.
 */
#include "unit/plan/stopping.h"

#include <stdatomic.h>

static char go[] = "/tmp/omen-test-XXXXXX/go";

/* Notes of a test's session, and reactions to them. */
typedef struct talk {
    atomic_bool raced, alone, gave_up;        /* relaxed: each is only inspected */
    bool go_on_race, go_on_failure, go_alone; /* create the file after that note */
} talk;
static const char RACES[] = " races with ", ALONE[] = " continues alone", GAVE_UP[] = " gave up (";

static void touch(void)
{
    FILE *f = fopen(go, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
}

static void on_note(void *self, om_note_level level, const char *text)
{
    talk *t = self;
    (void) level;
    bool raced = strstr(text, RACES) != NULL, gave_up = strstr(text, GAVE_UP) != NULL;
    bool alone = strstr(text, ALONE) != NULL;
    if (raced)
        atomic_store_explicit(&t->raced, true, memory_order_relaxed);
    if (alone)
        atomic_store_explicit(&t->alone, true, memory_order_relaxed);
    if (gave_up)
        atomic_store_explicit(&t->gave_up, true, memory_order_relaxed);
    if ((raced && t->go_on_race) || (gave_up && t->go_on_failure) || (alone && t->go_alone))
        touch();
}

typedef struct arena {
    world w;
    talk said;
} arena;

static const char HOLDS[] = "G \"c0<100\"", VIOLATED[] = "G \"c0<20\"";

/* Registers the checkers of these folders first, with their behaviour. */
static arena *enter(void **state, const char *folders, const char *cpu, const char *device)
{
    arena *a = *state;
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", folders, 1), 0);
    assert_int_equal(setenv("RACE_CPU", cpu, 1), 0);
    assert_int_equal(setenv("RACE_DEVICE", device, 1), 0);
    assert_int_equal(om_registry_new(&a->w.registry, a->w.ctx), OM_OK);
    return a;
}

static void check(arena *a, om_plan *p, const char *formula, om_check_result *r)
{
    om_context_clear(a->w.ctx);
    if (om_plan_check(p, OM_PROPERTY_LTL, formula, r) != OM_OK)
        fail_msg("%s", om_context_error(a->w.ctx));
    assert_int_equal(r->part_count, 1);
}

static om_plan *new_race(const arena *a)
{
    const om_plan_options options = { .device = "auto", .racer = "0", .threads = 2 };
    return new_plan(&a->w, options);
}

#define CPU OMEN_BINARY_DIR "/tests/unit/plan/race-cpu"
#define DEVICE OMEN_BINARY_DIR "/tests/unit/plan/race-device"

/* The CPU hangs: verdict, figures and evidence are those of the device, twice in one plan. */
static void device_is_first(void **state)
{
    arena *a = enter(state, CPU, "hang", "");
    om_plan *p = new_race(a);
    om_check_result r = { 0 };
    for (int i = 0; i < 2; i++) {
        check(a, p, HOLDS, &r);
        assert_int_equal(r.verdict, OM_HOLDS);
        assert_string_equal(r.parts[0].checker, "reach-cl");
        assert_non_null(r.parts[0].device);
        assert_int_equal(r.states, 21 * 21);
        assert_int_equal(r.parts[0].task.states, 21 * 21);
        om_check_result_free(&r);
        check(a, p, VIOLATED, &r);
        assert_int_equal(r.verdict, OM_VIOLATED);
        assert_true(r.has_lasso);
        assert_string_equal(r.parts[0].checker, "reach-cl");
        assert_int_equal(om_plan_replay(p, OM_PROPERTY_LTL, VIOLATED, &r.lasso), OM_OK);
        om_check_result_free(&r);
    }
    assert_true(atomic_load_explicit(&a->said.raced, memory_order_relaxed));
    om_plan_free(p);
}

/* The CPU has the answer while the device works. */
static void cpu_is_first(void **state)
{
    arena *a = enter(state, CPU ":" DEVICE, "empty", "hang");
    om_plan *p = new_race(a);
    om_check_result r = { 0 };
    a->said.go_on_race = true;
    check(a, p, HOLDS, &r);
    assert_true(atomic_load_explicit(&a->said.raced, memory_order_relaxed));
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_string_equal(r.parts[0].checker, "reach");
    assert_null(r.parts[0].device);
    om_check_result_free(&r);
    om_plan_free(p);
}

static void device_fails(void **state)
{
    arena *a = enter(state, CPU ":" DEVICE, "empty", "fail");
    om_plan *p = new_race(a);
    om_check_result r = { 0 };
    a->said.go_on_failure = true;
    check(a, p, HOLDS, &r);
    assert_true(atomic_load_explicit(&a->said.gave_up, memory_order_relaxed));
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_string_equal(r.parts[0].checker, "reach");
    om_check_result_free(&r);
    om_plan_free(p);
}

/* The CPU runs out of memory: a device that has begun continues. */
static void cpu_has_no_memory(void **state)
{
    arena *a = enter(state, CPU, "memory", "");
    om_plan *p = new_race(a);
    om_check_result r = { 0 };
    a->said.go_on_race = true;
    check(a, p, HOLDS, &r);
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_string_equal(r.parts[0].checker, "reach-cl");
    assert_int_equal(r.states, 21 * 21);
    om_check_result_free(&r);
    om_plan_free(p);
}

/* ... and if the device fails as well, or has not begun, that is the reason. */
static void nobody_has_memory(void **state)
{
    arena *a = enter(state, CPU ":" DEVICE, "memory", "fail");
    om_plan *p = new_race(a);
    om_check_result r = { 0 };
    a->said.go_on_failure = true;
    for (int i = 0; i < 2; i++) { /* the second time, the head start is not over */
        check(a, p, HOLDS, &r);
        assert_int_equal(r.verdict, OM_UNKNOWN);
        assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_MEMORY));
        assert_string_equal(r.parts[0].checker, "reach");
        om_check_result_free(&r);
    }
    om_plan_free(p);
}

/* ---- with a strong part ---- */

#define STRONG OMEN_BINARY_DIR "/tests/unit/plan/race-strong"

/* A part checked by the device or the CPU's replacement, and one whose replacement waits for four
 * workers, of which it has two at first. */
static const char BOTH[] = "G \"c0<100\" && (G F \"c0<2\" -> G F \"c1<2\")";

static void check_both(arena *a, om_check_result *r)
{
    om_plan_options options = { .device = "auto", .racer = "0", .threads = 4 };
    options.limits.timeout_ns = 60000000000;
    om_plan *p = new_plan(&a->w, options);
    om_context_clear(a->w.ctx);
    assert_int_equal(setenv("RACE_STRONG", "all", 1), 0);
    if (om_plan_check(p, OM_PROPERTY_LTL, BOTH, r) != OM_OK)
        fail_msg("%s", om_context_error(a->w.ctx));
    assert_int_equal(r->part_count, 2);
    assert_int_equal(r->parts[0].strength, OM_TERMINAL);
    assert_int_equal(r->parts[1].strength, OM_STRONG);
    assert_string_equal(r->parts[1].checker, "ufscc");
    assert_int_equal(r->verdict, OM_HOLDS);
    om_plan_free(p);
}

/* The workers of a finished part move to the strong one. */
static void workers_are_passed_on(void **state)
{
    arena *a = enter(state, CPU ":" STRONG, "empty", "");
    om_check_result r = { 0 };
    touch();
    check_both(a, &r);
    assert_string_equal(r.parts[0].checker, "reach");
    om_check_result_free(&r);
}

/* If a device is ahead of the CPU, it continues alone, so that the strong part gets the CPU. */
static void cpu_gives_way(void **state)
{
    arena *a = enter(state, CPU ":" DEVICE ":" STRONG, "hang", "count");
    om_check_result r = { 0 };
    a->said.go_alone = true;
    check_both(a, &r);
    assert_true(atomic_load_explicit(&a->said.alone, memory_order_relaxed));
    assert_string_equal(r.parts[0].checker, "reach-cl");
    assert_int_equal(r.parts[0].task.states, 1000);
    om_check_result_free(&r);
}

/* ... and if it fails later, the CPU starts again. */
static void device_fails_alone(void **state)
{
    arena *a = enter(state, CPU ":" DEVICE ":" STRONG, "empty", "later");
    om_check_result r = { 0 };
    a->said.go_alone = true;
    check_both(a, &r);
    assert_true(atomic_load_explicit(&a->said.alone, memory_order_relaxed));
    assert_true(atomic_load_explicit(&a->said.gave_up, memory_order_relaxed));
    assert_string_equal(r.parts[0].checker, "reach");
    assert_null(r.parts[0].device);
    om_check_result_free(&r);
}

/* Both are stopped from outside. */
static void both_are_stopped(void **state)
{
    const om_plan_options options = { .device = "auto", .racer = "0", .threads = 2 };
    const arena *a = enter(state, CPU ":" DEVICE, "hang", "hang");
    for (uint64_t delay = 0; delay <= 1000000000; delay += 500000000) {
        latencies l = { 0 };
        while (l.count < TRIES)
            add_latency(&l, stop_latency(&a->w, options, HOLDS, 0, delay, NULL));
        judge(&l, "a race");
    }
}

/* A part that ends before the head start does not request a device. On a busy machine, even this
 * small one may take longer and request one; then the result is inconclusive, and another plan
 * tries again. */
static void too_short(void **state)
{
    enum { HEAD_START_NS = 200 * 1000 * 1000 }; /* as in core/plan/schedule/race.c */
    arena *a = enter(state, "", "", "");
    for (uint64_t taken = HEAD_START_NS; taken >= HEAD_START_NS;) {
        om_plan *p = new_race(a);
        om_check_result r = { 0 };
        atomic_store_explicit(&a->said.raced, false, memory_order_relaxed);
        const uint64_t start = om_clock_ns();
        check(a, p, HOLDS, &r);
        taken = om_clock_ns() - start;
        assert_int_equal(r.verdict, OM_HOLDS);
        assert_int_equal(r.states, 21 * 21);
        if (taken < HEAD_START_NS) {
            assert_false(atomic_load_explicit(&a->said.raced, memory_order_relaxed));
            assert_false(om_plan_busy(p));
        }
        om_check_result_free(&r);
        om_plan_free(p);
    }
}

/* There is no race if no device or the CPU's checker is requested: this check does not end on its
 * own. */
static void not_asked_for(void **state)
{
    arena *a = enter(state, CPU ":" DEVICE, "hang", "hang");
    om_plan_options options[] = { { .device = "none", .racer = "0" },
        { .device = "auto", .racer = "0", .terminal = "reach" },
        { .device = "auto", .racer = "0", .checker = "reach" } };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        om_check_result r = { 0 };
        options[i].limits.timeout_ns = 400000000;
        om_plan *p = new_plan(&a->w, options[i]);
        check(a, p, HOLDS, &r);
        assert_int_equal(r.verdict, OM_UNKNOWN);
        assert_false(atomic_load_explicit(&a->said.raced, memory_order_relaxed));
        om_check_result_free(&r);
        om_plan_free(p);
    }
}

/* Whether a race is worthwhile is determined without loading a driver and without waiting. */
static void promises(void **state)
{
    const arena *a = *state;
    om_devices *devices = NULL;
    om_context *ctx = NULL;
    const char *why = NULL;
    bool other = false;
    assert_int_equal(om_devices_open(&devices, a->w.ctx, "auto", &why), OM_OK);
    for (size_t i = 0; i < om_devices_count(devices); i++)
        other = other || strcmp(om_devices_info(devices, i)->kind, "cpu") != 0;
    om_devices_close(devices);
    assert_int_equal(om_devices_promise(a->w.ctx, &why), other ? OM_OK : OM_EUNSUPPORTED);
    assert_int_equal(om_context_new_below(&ctx, a->w.ctx), OM_OK);
    assert_true(om_control_stop(om_context_control(ctx), OM_STOP_FOUND));
    assert_int_equal(om_devices_promise(ctx, &why), OM_ESTOP);
    om_context_free(ctx);
    assert_int_equal(setenv("OCL_ICD_VENDORS", "/nonexistent", 1), 0);
    why = NULL;
    assert_int_equal(om_devices_promise(a->w.ctx, &why), OM_EUNSUPPORTED);
    assert_non_null(why);
    assert_string_equal(om_context_error(a->w.ctx), "");
}

/* Two counters up to 20. */
static int set_up(void **state)
{
    arena *a = calloc(1, sizeof *a);
    *state = a;
    assert_int_equal(om_context_new(&a->w.ctx, NULL), OM_OK);
    om_context_on_note(a->w.ctx, on_note, &a->said);
    assert_int_equal(om_model_new(&a->w.m, a->w.ctx, "grid"), OM_OK);
    add_counters(a->w.m, 2, 20);
    assert_int_equal(om_model_finish(a->w.m), OM_OK);
    (void) unlink(go);
    return 0;
}

static int tear_down(void **state)
{
    arena *a = *state;
    om_model_free(a->w.m);
    om_registry_free(a->w.registry);
    om_context_free(a->w.ctx);
    free(a);
    return 0;
}

static bool has_device(void)
{
    om_context *ctx = NULL;
    om_devices *devices = NULL;
    const char *why = NULL;
    bool has = om_context_new(&ctx, NULL) == OM_OK &&
               om_devices_open(&devices, ctx, "auto", &why) == OM_OK &&
               om_devices_info(devices, 0)->reason == NULL;
    om_devices_close(devices);
    om_context_free(ctx);
    return has;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(device_is_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cpu_is_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(device_fails, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cpu_has_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_has_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(workers_are_passed_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cpu_gives_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(device_fails_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(both_are_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(promises, set_up, tear_down),
    };
    char *slash = strrchr(go, '/');
    if (!has_device())
        return 77;
    *slash = '\0';
    if (mkdtemp(go) == NULL)
        return 1;
    *slash = '/';
    if (setenv("RACE_GO", go, 1) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void) unlink(go);
    *slash = '\0';
    (void) rmdir(go);
    return failed;
}
