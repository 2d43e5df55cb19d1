/* SPDX-License-Identifier: Apache-2.0 */
/* `system sync`: all processes move at once, from the same state. */
#include "fixture.h"

/* Two counters modulo 2 and 3 in lockstep */
static void lock_step(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f,
        "process A { state a, b; init a; trans a -> b {}, b -> a {}; }"
        "process B { state a, b, c; init a; trans a -> b {}, b -> c {}, c -> a {}; }"
        "system sync;");
    assert_int_equal(om_model_transition_count(m), 6);
    assert_string_equal(om_model_transition(m, 0)->label, "A: a -> b | B: a -> b");
    assert_int_equal(om_model_transition(m, 0)->process, OM_NONE);
    dve_size s = fixture_explore(f, m);
    assert_int_equal(s.states, 6);
    assert_int_equal(s.transitions, 6);
    om_model_free(m);
}

static void choices_multiply(void **state)
{
    dve_size s =
        fixture_size(*state, "process A { state a, b; init a; trans a -> b {}, a -> a {}; }"
                             "process B { state a, b; init a; trans a -> b {}, a -> a {}; }"
                             "system sync;");
    /* aa, ab, ba, bb; only aa moves, in four ways: a process without a transition stops all. */
    assert_int_equal(s.states, 4);
    assert_int_equal(s.transitions, 4);
    assert_int_equal(s.deadlocks, 3);
    s = fixture_size(*state, "process A { state a; init a; trans a -> a {}; }"
                             "process B { state a; init a; } system sync;");
    assert_int_equal(s.states, 1);
    assert_int_equal(s.transitions, 0);
}

static void guards_are_those_of_the_source(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f,
        "byte x;"
        "process A { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; }"
        "process B { state a, b; init a; trans a -> a { guard x < 2; }, a -> b { guard x == 2; },"
        " b -> b {}; }"
        "system sync;");
    assert_true(fixture_reaches(f, m, "B.b && x == 3"));
    assert_int_equal(fixture_explore(f, m).states, 4);
    om_model_free(m);
}

/* Two processes exchange values through globals, locals and each other's states. */
static void all_read_the_source_state(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f,
        "byte x = 1, y = 2;"
        "process A { state q, r; init q; trans q -> r { effect x = y; }; }"
        "process B { state q, r; init q; trans q -> r { effect y = x + 10 * A.q; }; }"
        "system sync;");
    assert_int_not_equal(om_model_find_slot(m, "x'"), OM_NONE);
    assert_int_equal(om_model_find_slot(m, "y'"), OM_NONE);
    assert_true(fixture_reaches(f, m, "A.r && x == 2 && y == 11"));
    assert_int_equal(fixture_explore(f, m).states, 2);
    om_model_free(m);
}

static void arrays_and_indices_too(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f,
        "byte t[3] = {1, 2, 3}, u[3], i = 0;"
        "process A { state q, r; init q; trans q -> r { effect i = 2, t[0] = 9, t[i] = 8; }; }"
        "process B { state q, r; init q; trans q -> r { effect u[i] = t[i] + t[2] + u[i]; }; }"
        "system sync;");
    assert_true(fixture_reaches(f, m, "t[0] == 9 && t[1] == 2 && t[2] == 8 && u[0] == 4"));
    assert_true(fixture_reaches(f, m, "A.r && u[2] == 0"));
    /* The shadow variables are zero again, so no state occurs twice. */
    assert_int_equal(fixture_explore(f, m).states, 2);
    om_model_free(m);
}

/* Within one process, an effect sees those before it. */
static void own_effects_run_in_order(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f,
        "byte x = 1, y;"
        "process A { state q, r; init q; trans q -> r { effect x = 5, x = x + 1; }; }"
        "process B { byte z; state q, r; init q; trans q -> r { effect z = x, z = z * 2, y = z; };"
        " } system sync;");
    assert_true(fixture_reaches(f, m, "A.r && x == 6 && y == 2"));
    om_model_free(m);
}

static void both_assign(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f,
        "byte x;\nprocess A { state q, r; init q; trans q -> r { effect x = 1; }; }\n"
        "process B { state q, r; init q; trans q -> r { effect x = 2; }; } system sync;");
    assert_int_equal(f->warnings, 1);
    assert_string_equal(f->warning, "m.dve:3:39: \"x\" is assigned by \"A\" and \"B\" in one "
                                    "step; the latter prevails");
    assert_true(fixture_reaches(f, m, "A.r && B.r && x == 2"));
    om_model_free(m);
}

static void with_a_property(void **state)
{
    fixture *f = *state;
    om_model *m =
        fixture_load(f, "process A { state q, r; init q; commit r; trans q -> r {}, r -> q {}; }"
                        "process L { state s; init s; accept s; trans s -> s { guard A.r; }; }"
                        "system sync property L;");
    assert_string_equal(f->warning, "m.dve:1:40: \"commit\" has no effect in a synchronous system");
    assert_int_equal(om_model_property_count(m), 1);
    assert_int_equal(fixture_explore(f, m).states, 2);
    om_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_step),
        cmocka_unit_test(choices_multiply),
        cmocka_unit_test(guards_are_those_of_the_source),
        cmocka_unit_test(all_read_the_source_state),
        cmocka_unit_test(arrays_and_indices_too),
        cmocka_unit_test(own_effects_run_in_order),
        cmocka_unit_test(both_assign),
        cmocka_unit_test(with_a_property),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
