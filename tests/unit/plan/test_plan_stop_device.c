/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Causes that end a check early on a device. The caches are empty at first, because compilation is
 * the part that cannot be interrupted.
 */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "unit/plan/stopping.h"

#include <ftw.h>

static bool has_device(const world *w)
{
    om_devices *devices = NULL;
    const char *why = NULL;
    if (om_devices_open(&devices, w->ctx, "auto", &why) != OM_OK)
        return false;
    om_devices_close(devices);
    return true;
}

/* A driver's compiler continues, but no thread waits for it before the plan is freed. */
static void building_is_given_up(void **state)
{
    const world *w = *state;
    const om_plan_options options = { .device = "0" };
    latencies l = { 0 };
    bool was_busy = false;
    om_check_result r = { 0 };
    if (!has_device(w))
        skip();
    while (l.count < TRIES) {
        bool busy = false;
        double ms = stop_latency(w, options, endless[0].formula, 0, 100000000, &busy);
        assert_true(ms >= 0);
        add_latency(&l, ms);
        was_busy = was_busy || busy;
    }
    judge(&l, "building for a device");
    printf("%s\n", was_busy ? "builds were given up" : "this device builds too fast");
    /* An abandoned build has no effect on later checks. */
    om_plan *p = new_plan(w, options);
    int rc = om_plan_check(p, OM_PROPERTY_LTL, "G \"c0<4\"", &r);
    if (rc != OM_OK)
        fail_msg("%s", om_context_error(w->ctx));
    assert_int_equal(r.verdict, OM_VIOLATED);
    assert_non_null(r.parts[0].device);
    assert_false(om_plan_busy(p));
    om_check_result_free(&r);
    om_plan_free(p);
}

static void exploring_is_stopped(void **state)
{
    const om_plan_options options = { .device = "0" };
    if (!has_device(*state))
        skip();
    for (size_t i = 0; i < 2; i++) {
        latencies l = { 0 };
        while (l.count < TRIES) {
            double ms =
                stop_latency(*state, options, endless[i].formula, 1000000 / SLOWER, 0, NULL);
            assert_true(ms >= 0);
            add_latency(&l, ms);
        }
        judge(&l, i == 0 ? "exploring on a device" : "exploring on a device, weak");
    }
}

/* Three counters that stop at the top. Every state is in the accepting part and is removed. */
static int setup_grid(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    assert_int_equal(om_context_new(&w->ctx, NULL), OM_OK);
    assert_int_equal(om_registry_new(&w->registry, w->ctx), OM_OK);
    assert_int_equal(om_model_new(&w->m, w->ctx, "grid"), OM_OK);
    add_counters(w->m, 3, 64);
    assert_int_equal(om_model_finish(w->m), OM_OK);
    return 0;
}

static void trimming_is_stopped(void **state)
{
    static const char formula[] = "GF !\"c0<100\"";
    const om_plan_options options = { .device = "0", .ignore_finite_runs = true };
    const world *w = *state;
    latencies l = { 0 };
    om_check_result r = { 0 };
    if (!has_device(w))
        skip();
    /* First without a stop, for the number of states that are explored before any is removed. */
    om_plan *p = new_plan(w, options);
    assert_int_equal(om_plan_check(p, OM_PROPERTY_LTL, formula, &r), OM_OK);
    om_plan_free(p);
    assert_int_equal(r.verdict, OM_HOLDS);
    uint64_t states = r.states;
    assert_true(states > 65 * 65 * 65);
    om_check_result_free(&r);
    /* On a busy machine, the stop may come too late. */
    for (int i = 0; i < 4 * TRIES && l.count < TRIES; i++) {
        double ms = stop_latency(w, options, formula, states, 2000000, NULL);
        if (ms >= 0)
            add_latency(&l, ms);
    }
    assert_true(l.count > 0);
    judge(&l, "trimming on a device");
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void) st;
    (void) kind;
    (void) at;
    return remove(path);
}

int main(void)
{
    char folder[] = "/tmp/omen-test-XXXXXX";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(building_is_given_up, setup, teardown),
        cmocka_unit_test_setup_teardown(exploring_is_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(trimming_is_stopped, setup_grid, teardown),
    };
    if (mkdtemp(folder) == NULL || setenv("XDG_CACHE_HOME", folder, 1) != 0 ||
        setenv("POCL_CACHE_DIR", folder, 1) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void) nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed;
}
