/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts that take turns, with one thread: a part that takes long does not delay the answer of
 * another one; limits and stops reach parts that wait.
 */
#include "unit/plan/stopping.h"

#include <stdatomic.h>

/* A counter is never both 7 and 9. */
#define NEVER "(\"c0==7\" & \"c0==9\")"
/* A weak and a strong part whose searches do not end, and a terminal one. */
#define ENDLESS_REST "GF !(\"c1==7\" & \"c1==9\") & !(GF (\"c2==7\" & \"c2==9\") & GF \"c3==1\")"
static const char ENDLESS[] = "G !" NEVER " & " ENDLESS_REST;

static void check(const world *w, om_plan *p, const char *formula, om_check_result *r)
{
    om_context_clear(w->ctx);
    if (om_plan_check(p, OM_PROPERTY_LTL, formula, r) != OM_OK)
        fail_msg("%s", om_context_error(w->ctx));
}

/* The terminal part would be explored for hours; the weak part has a cycle of 256 steps. The
 * figures are the same every time. */
static void a_long_part_does_not_delay_a_short_one(void **state)
{
    const world *w = *state;
    om_check_result r[2];
    for (size_t i = 0; i < 2; i++) {
        om_plan *p = new_plan(w, (om_plan_options){ .threads = 1 });
        check(w, p, "G !" NEVER " & F \"c1==200\"", &r[i]);
        assert_int_equal(r[i].verdict, OM_VIOLATED);
        assert_true(r[i].has_lasso);
        assert_true(r[i].states < 100000);
        assert_int_equal(r[i].part_count, 2);
        assert_int_equal(r[i].parts[0].strength, OM_TERMINAL);
        assert_int_equal(r[i].parts[0].task.verdict, OM_UNKNOWN);
        assert_true(r[i].parts[0].task.states > 0);
        assert_int_equal(r[i].parts[1].task.verdict, OM_VIOLATED);
        om_plan_free(p);
    }
    for (size_t i = 0; i < 2 && SLOWER == 1; i++) /* sanitizers: turns may end after a second */
        assert_int_equal(r[0].parts[i].task.states, r[1].parts[i].task.states);
    om_check_result_free(&r[0]);
    om_check_result_free(&r[1]);
}

static uint64_t expansions(const om_check_result *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->part_count; i++)
        n += r->parts[i].task.counts[OM_COUNT_EXPANSIONS];
    return n;
}

/* The terminal part, which comes first, gets as much as the others: its violation, which a search
 * by levels meets after about 100,000 states, takes at most about twice as many. */
static void the_first_part_is_not_delayed_much(void **state)
{
    const world *w = *state;
    const om_plan_options options = { .threads = 1, .search = OM_SEARCH_BFS };
    uint64_t alone = 0;
    static const char *const formulas[] = { "G !(\"c0==12\" & \"c1==12\")",
        "G !(\"c0==12\" & \"c1==12\") & " ENDLESS_REST };
    for (size_t i = 0; i < 2; i++) {
        om_check_result r = { 0 };
        om_plan *p = new_plan(w, options);
        check(w, p, formulas[i], &r);
        assert_int_equal(r.verdict, OM_VIOLATED);
        assert_int_equal(r.parts[0].task.verdict, OM_VIOLATED);
        assert_int_equal(r.part_count, i == 0 ? 1 : 3);
        if (i == 0)
            alone = expansions(&r);
        else
            assert_in_range(expansions(&r), alone + 1, 5 * alone / 2);
        om_check_result_free(&r);
        om_plan_free(p);
    }
    assert_true(alone > 1 << 16);
}

/* Returns a world with a model of 51^3 states, all of whose runs end. */
static world small_world(const world *w)
{
    world s = *w;
    assert_int_equal(om_model_new(&s.m, w->ctx, "counters"), OM_OK);
    add_counters(s.m, 3, 50);
    assert_int_equal(om_model_finish(s.m), OM_OK);
    return s;
}

/* Holds, by parts whose searches take several turns. */
static const char HOLDS[] = "G !" NEVER " & F \"c0==50\"";

/* The figures of parts that hold are those of parts that run one after another. */
static void the_same_states_are_explored(void **state)
{
    const world w = small_world(*state);
    om_check_result r[2];
    for (size_t i = 0; i < 2; i++) {
        om_plan *p =
            new_plan(&w, (om_plan_options){ .threads = 1,
                             .schedule = i == 0 ? OM_SCHEDULE_AUTO : OM_SCHEDULE_SEQUENTIAL });
        check(&w, p, HOLDS, &r[i]);
        assert_int_equal(r[i].verdict, OM_HOLDS);
        assert_int_equal(r[i].part_count, 2);
        om_plan_free(p);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(r[0].parts[i].task.states > 1 << 16);
        assert_int_equal(r[0].parts[i].task.states, r[1].parts[i].task.states);
        assert_int_equal(r[0].parts[i].task.transitions, r[1].parts[i].task.transitions);
    }
    om_check_result_free(&r[0]);
    om_check_result_free(&r[1]);
    om_model_free(w.m);
}

/* The seconds of a part do not include those in which it waited. */
static void the_clock_ends_parts_that_wait(void **state)
{
    const world *w = *state;
    om_plan *p = new_plan(w, (om_plan_options){ .threads = 1,
                                 .limits = { .timeout_ns = SLOWER * UINT64_C(1000000000) } });
    om_check_result r = { 0 };
    double seconds = 0;
    check(w, p, ENDLESS, &r);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_TIMEOUT));
    assert_int_equal(r.part_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(r.parts[i].task.reason, OM_STOP_TIMEOUT);
        assert_true(r.parts[i].task.states > 0);
        seconds += r.parts[i].task.seconds;
    }
    assert_true(seconds <= r.seconds * 1.1 + 0.1 * machine_load());
    om_check_result_free(&r);
    om_plan_free(p);
}

static void a_stop_ends_parts_that_wait(void **state)
{
    latencies l = { 0 };
    while (l.count < TRIES) {
        double ms = stop_latency(
            *state, (om_plan_options){ .threads = 1 }, ENDLESS, 300000 / SLOWER, 0, NULL);
        assert_true(ms >= 0);
        add_latency(&l, ms);
    }
    judge(&l, "three parts in turn");
}

/* All parts share one limit on states. */
static void states_of_all_parts_count(void **state)
{
    const world *w = *state;
    const uint64_t most = 500000;
    om_plan *p = new_plan(w, (om_plan_options){ .threads = 1, .limits = { .max_states = most } });
    om_check_result r = { 0 };
    check(w, p, ENDLESS, &r);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_STATES));
    assert_in_range(r.states, most, 2 * most);
    om_check_result_free(&r);
    om_plan_free(p);
}

/* ---- a checker that runs out of memory ---- */

static char go[] = "/tmp/omen-test-XXXXXX/go";

typedef struct talk {
    atomic_uint again; /* relaxed: a number */
} talk;

static void on_note(void *self, om_note_level level, const char *text)
{
    talk *t = self;
    (void) level;
    if (strstr(text, "it starts again, alone") == NULL)
        return;
    FILE *f = fopen(go, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    (void) atomic_fetch_add_explicit(&t->again, 1, memory_order_relaxed);
}

/* Checks HOLDS with a terminal part that runs out of memory until there is the file. */
static unsigned check_thirsty(const world *w, om_schedule schedule, om_check_result *r)
{
    talk t = { 0 };
    om_context_on_note(w->ctx, on_note, &t);
    om_plan *p = new_plan(w, (om_plan_options){ .threads = 1, .schedule = schedule });
    check(w, p, HOLDS, r);
    om_plan_free(p);
    om_context_on_note(w->ctx, NULL, NULL);
    return atomic_load_explicit(&t.again, memory_order_relaxed);
}

/* A part that lacked memory while others had some runs again, alone, when they have ended. */
static void a_part_that_lacked_memory_runs_again(void **state)
{
    world w = small_world(*state);
    om_check_result r = { 0 };
    char *folder = strdup(go);
    assert_non_null(folder);
    *strrchr(folder, '/') = '\0';
    assert_non_null(mkdtemp(folder));
    (void) memcpy(go, folder, strlen(folder));
    assert_int_equal(setenv("RACE_GO", go, 1), 0);
    assert_int_equal(setenv("RACE_CPU", "thirst", 1), 0);
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", OMEN_BINARY_DIR "/tests/unit/plan/race-cpu", 1), 0);
    assert_int_equal(om_registry_new(&w.registry, w.ctx), OM_OK);

    assert_int_equal(check_thirsty(&w, OM_SCHEDULE_SEQUENTIAL, &r), 0);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_MEMORY));
    assert_int_equal(r.parts[1].task.verdict, OM_HOLDS);
    om_check_result_free(&r);

    assert_int_equal(check_thirsty(&w, OM_SCHEDULE_AUTO, &r), 1);
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_int_equal(r.parts[0].task.verdict, OM_HOLDS);
    assert_int_equal(r.parts[0].task.states, 200000);
    om_check_result_free(&r);

    assert_int_equal(unlink(go), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(setenv("OMEN_PLUGIN_PATH", "", 1), 0);
    free(folder);
    om_registry_free(w.registry);
    om_model_free(w.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_part_does_not_delay_a_short_one),
        cmocka_unit_test(the_first_part_is_not_delayed_much),
        cmocka_unit_test(the_same_states_are_explored),
        cmocka_unit_test(the_clock_ends_parts_that_wait),
        cmocka_unit_test(a_stop_ends_parts_that_wait),
        cmocka_unit_test(states_of_all_parts_count),
        cmocka_unit_test(a_part_that_lacked_memory_runs_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
