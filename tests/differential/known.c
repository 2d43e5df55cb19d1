/* SPDX-License-Identifier: Apache-2.0 */
/* Small models that were read or checked wrongly, found by random tests, with the right results. */
#include "checkers.h"

#include <omen/host/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *frontend;
} fixture;

static om_model *load(fixture *f, const char *text)
{
    om_model *m = NULL;
    om_context_clear(f->ctx);
    assert_int_equal(f->frontend->load(f->ctx, "known.dve", text, strlen(text), NULL, &m), OM_OK);
    return m;
}

/* Checks that an invariant holds, with the vm and with native code. */
static void always(void **state, const char *text, const char *invariant)
{
    static const om_exec_kind kinds[] = { OM_EXEC_VM, OM_EXEC_NATIVE };
    fixture *f = *state;
    om_model *m = load(f, text);
    for (size_t i = 0; i < 2; i++) {
        om_plan_options o = { .device = "none", .threads = 1, .exec = kinds[i] };
        om_plan *p = NULL;
        om_check_result r;
        assert_int_equal(om_plan_new(&p, f->ctx, f->registry, f->frontend, m, &o), OM_OK);
        int rc = om_plan_check(p, OM_PROPERTY_INVARIANT, invariant, &r);
        /* Without a compiler, native code is unavailable; native code that disagrees is a
         * failure. */
        if (rc == OM_EUNSUPPORTED && kinds[i] == OM_EXEC_NATIVE)
            assert_null(strstr(om_context_error(f->ctx), "disagrees"));
        else
            assert_true(rc == OM_OK && r.verdict == OM_HOLDS);
        om_check_result_free(&r);
        om_plan_free(p);
        om_context_clear(f->ctx);
    }
    om_model_free(m);
}

/* The second value sent is that of a before a receives the first one. */
static void values_are_those_before(void **state)
{
    always(state,
        "byte a = 1, b = 2; channel {byte,byte} c[0];\n"
        "process S { state s, t; init s; trans s -> t { sync c!{b, a}; }; }\n"
        "process R { state s, t; init s; trans s -> t { sync c?{a, b}; }; }\n"
        "system async;\n",
        "(S.s and a == 1 and b == 2) or (S.t and a == 2 and b == 1)");
}

/* Q sees its own write to t[1] and none of P's writes to t[0]. */
static void elements_of_others_are_those_before(void **state)
{
    always(state,
        "byte t[3] = {5, 6, 7}, x, y;\n"
        "process P { state s, e; init s; trans s -> e { effect t[0] = 1, t[2] = 9; }; }\n"
        "process Q { state s, e; init s;\n"
        " trans s -> e { effect t[1] = 8, x = t[0], y = t[1], t[2] = t[2] + t[1]; }; }\n"
        "system sync;\n",
        "P.s or (t[0] == 1 and t[1] == 8 and t[2] == 15 and x == 5 and y == 8)");
}

/* The effect is executed after P has left the location that its guard requires. */
static void effects_see_the_new_location(void **state)
{
    always(state,
        "byte v = 2, w = 3;\n"
        "process P { state s, t; init s;\n"
        " trans s -> t { guard w / v == 1; effect v = P.s, w = (w / (v + 1)) + P.s; },\n"
        "  s -> s { guard v == 7; }; }\n"
        "process Q { state s; init s; }\n"
        "system async;\n",
        "(P.s and v == 2 and w == 3) or (P.t and v == 0 and w == 3)");
}

/* The automaton accepts every continuation, but the model faults. */
static void what_goes_wrong_is_no_violation(void **state)
{
    cpu_checkers checkers;
    fixture *f = *state;
    om_model *m = load(f, "byte x = 0, t[2];\n"
                          "process P { state s, e; init s; trans s -> e { effect x = 5; },\n"
                          " e -> e { effect t[x] = 1; }; }\n"
                          "system async;\n");
    cpu_checkers_list(&checkers, f->registry);
    for (size_t i = 0; i <= checkers.count; i++) { /* the last iteration: checkers by rank */
        if (i < checkers.count && checkers.at[i]->acceptance == OM_ACCEPT_CO_BUCHI)
            continue;
        const char *name = i < checkers.count ? checkers.at[i]->head.name : NULL;
        om_plan_options o = { .device = "none", .threads = 2, .exec = OM_EXEC_VM, .checker = name };
        om_plan *p = NULL;
        om_check_result r;
        assert_int_equal(om_plan_new(&p, f->ctx, f->registry, f->frontend, m, &o), OM_OK);
        assert_int_equal(om_plan_check(p, OM_PROPERTY_LTL, "G (x == 0)", &r), OM_EMODEL);
        assert_true(r.verdict == OM_UNKNOWN && r.has_lasso && r.lasso.count == 2);
        assert_non_null(strstr(r.reason, "error in the model"));
        assert_non_null(strstr(om_context_error(f->ctx), "known.dve:3"));
        for (size_t k = 0; k < r.part_count; k++)
            assert_int_not_equal(r.parts[k].task.verdict, OM_VIOLATED);
        om_check_result_free(&r);
        om_plan_free(p);
        om_context_clear(f->ctx);
    }
    om_model_free(m);
}

static int set_up(void **state)
{
    static fixture f;
    const om_plugin *p = NULL;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_FRONTEND, "dve", &p) != OM_OK)
        return -1;
    f.frontend = (const om_frontend *) (const void *) p;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_before),
        cmocka_unit_test(elements_of_others_are_those_before),
        cmocka_unit_test(effects_see_the_new_location),
        cmocka_unit_test(what_goes_wrong_is_no_violation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
