/* SPDX-License-Identifier: Apache-2.0 */
/* ltl blocks: their grouping, and the properties made from them */
#include "fixture.h"

#include <omen/host/plan.h>

typedef struct grouped {
    const char *text, *formula;
} grouped;

/* As printed by SPIN 6.5.2 ("spin -a"), with omen's operators */
static const grouped GROUPED[] = {
    { "[] p U q", "((G\"p\") U \"q\")" },
    { "[] p U q || r", "(((G\"p\") U \"q\") | \"r\")" },
    { "<> p && q", "((F\"p\") & \"q\")" },
    { "! p U q", "(\"! p\" U \"q\")" },
    { "p -> q -> r", "((\"p\" -> \"q\") -> \"r\")" },
    { "p U q U r", "((\"p\" U \"q\") U \"r\")" },
    { "p && q || r && p", "((\"p\" & \"q\") | (\"r\" & \"p\"))" },
    { "[] p -> q", "((G\"p\") -> \"q\")" },
    { "p V q U r", "((\"p\" R \"q\") U \"r\")" },
    { "p <-> q -> r", "((\"p\" <-> \"q\") -> \"r\")" },
    { "p -> q <-> r", "((\"p\" -> \"q\") <-> \"r\")" },
    { "always p until q", "((G\"p\") U \"q\")" },
    { "p || q && r || p", "((\"p\" | (\"q\" & \"r\")) | \"p\")" },
    { "! [] p", "(!(G\"p\"))" },
    { "! p == q", "\"! p == q\"" },
    { "p W q U r", "((\"p\" W \"q\") U \"r\")" },
    { "p U [] q && r", "((\"p\" U (G\"q\")) & \"r\")" },
    { "p + 1 > q U r", "(\"p + 1 > q\" U \"r\")" },
    /* With brackets */
    { "[] (p U q)", "(G(\"p\" U \"q\"))" },
    { "! (p U q)", "(!(\"p\" U \"q\"))" },
    { "! ! (<> p)", "(!(!(F\"p\")))" },
    { "eventually (p equivalent q)", "(F(\"p\" <-> \"q\"))" },
    { "p implies next q", "(\"p\" -> (X\"q\"))" },
    { "p release (q weakuntil r)", "(\"p\" R (\"q\" W \"r\"))" },
    { "[] (P@here -> <> ! P[0]:v)", "(G(\"P @ here\" -> (F\"! P [ 0 ] : v\")))" },
    { "[] BOTH", "(G(\"p\" & \"q\"))" },
};

static const grouped WRONG[] = {
    { "[] nothing", "m.pml:2:88: there is no variable \"nothing\"" },
    { "[] p q", "m.pml:2:90: expected \"}\" after the formula, found \"q\"" },
    { "p == (<> q)", "m.pml:2:90: a formula has no value in an expression" },
    { "<> (p U )", "m.pml:2:93: expected an expression, found \")\"" },
    { "p U run P()", "m.pml:2:89: no process can be started here" },
    { "p } ltl a { q", "m.pml:2:89: the name of this formula, \"a\", is already in use" },
};

static int load(const fixture *f, const char *formula, om_model **m)
{
    char text[512];
    (void) snprintf(text, sizeof text,
        "#define BOTH (p && q)\n"
        "byte p, q, r; active proctype P() { byte v; here: do :: p = 1 :: v = p od } "
        "ltl a { %s } ltl { true } ltl b { false } ltl { p }",
        formula);
    *m = NULL;
    return f->promela->load(f->ctx, "m.pml", text, strlen(text), NULL, m);
}

static void groups(void **state)
{
    static const char *const names[] = { "a", "ltl_0", "b", "ltl_1" };
    const fixture *f = *state;
    for (size_t i = 0; i < sizeof GROUPED / sizeof *GROUPED; i++) {
        om_model *m = NULL;
        if (load(f, GROUPED[i].text, &m) != OM_OK)
            fail_msg("%s: %s", GROUPED[i].text, om_context_error(f->ctx));
        assert_int_equal(om_model_property_count(m), 4);
        for (uint32_t k = 0; k < 4; k++)
            assert_string_equal(om_model_property(m, k)->name, names[k]);
        assert_null(om_model_property(m, 0)->automaton);
        assert_string_equal(om_model_property(m, 0)->formula, GROUPED[i].formula);
        om_model_free(m);
    }
}

static void refuses(void **state)
{
    const fixture *f = *state;
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        om_model *m = NULL;
        assert_int_not_equal(load(f, WRONG[i].text, &m), OM_OK);
        assert_string_equal(om_context_error(f->ctx), WRONG[i].formula);
        om_context_clear(f->ctx);
    }
}

/* At most as many propositions as an automaton's label has bits */
static void counts(void **state)
{
    const fixture *f = *state;
    for (int n = 64; n <= 65; n++) {
        om_text text = { .heap = om_heap_default() };
        om_model *m = NULL;
        om_text_add(&text, "byte p; active proctype P() { p = 1 }\nltl a { p == 0");
        for (int i = 1; i < n; i++)
            om_text_printf(&text, " || p == %d", i);
        om_text_add(&text, " || p == 0 }");
        assert_false(text.failed);
        int rc = f->promela->load(f->ctx, "m.pml", text.text, text.length, NULL, &m);
        assert_int_equal(rc == OM_OK, n == 64);
        if (n == 65)
            assert_string_equal(om_context_error(f->ctx),
                "m.pml:2:703: the formula has more than 64 different propositions");
        om_context_clear(f->ctx);
        om_model_free(m);
        om_text_free(&text);
    }
}

/* Labels make a property that is checked only on request. */
static void accepts(void **state)
{
    static const char MODEL[] = "active proctype P() { do :: skip; accept1: skip od }";
    static const char FIRST[] = "active proctype P() { accept1: skip }\nltl accept { true }";
    const fixture *f = *state;
    om_model *m = NULL;
    assert_int_equal(f->promela->load(f->ctx, "m.pml", MODEL, strlen(MODEL), NULL, &m), OM_OK);
    assert_int_equal(om_model_property_count(m), 1);
    assert_string_equal(om_model_property(m, 0)->name, "accept");
    assert_true(om_model_is_by_name(m, 0));

    om_plan *plan = NULL;
    om_check_result result = { 0 };
    const om_plan_options options = { .threads = 1 };
    assert_int_equal(om_plan_new(&plan, f->ctx, f->registry, f->promela, m, &options), OM_OK);
    assert_int_equal(om_plan_check(plan, OM_PROPERTY_DEFAULT, NULL, &result), OM_OK);
    assert_string_equal(result.property, "deadlock");
    om_check_result_free(&result);
    om_plan_free(plan);
    om_model_free(m);

    assert_int_equal(f->promela->load(f->ctx, "m.pml", FIRST, strlen(FIRST), NULL, &m), OM_EINPUT);
    assert_string_equal(om_context_error(f->ctx), "m.pml:2:1: \"accept\" is the property of labels "
                                                  "\"accept...\": this formula needs another name");
    om_context_clear(f->ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts),
        cmocka_unit_test(groups),
        cmocka_unit_test(refuses),
        cmocka_unit_test(counts),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
