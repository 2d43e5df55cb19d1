/* SPDX-License-Identifier: Apache-2.0 */
/* Propositions over places and transitions, as used on the command line, in formulas and in
 * automata */
#include "fixture.h"

static const char MODEL[] = NET(PLACE("p", "3") PLACE("q", "0") PLACE("P-CS_1", "2") PLACE(
    "P-CS_10", "4") PLACE("a.b", "5") PLACE("odd id(1)", "6") PLACE("and", "7") PLACE("fire",
    "8") "<place id=\"x1\"><name><text>Idle</text></name></place>"
         "<place id=\"x2\"><name><text>Twice</text></name></place>"
         "<place id=\"x3\"><name><text>Twice</text></name></place>"
         "<place id=\"x4\"><name><text>p</text></name></place>"
         "<place id=\"12\"/>"
         "<transition id=\"send\"><name><text>Twice</text></name></transition>" TRANSITION("recv-1")
             TRANSITION("always") ARC("p", "send") ARC("send", "q") WEIGHTED("q", "recv-1", "1"));

static const struct {
    const char *text;
    bool value;
} RIGHT[] = {
    { "p", true },
    { "q", false },
    { "p == 3", true },
    { "p = 3", true },
    { "(3) <= (p)", true },
    { "p!=3", false },
    { "p<3", false },
    { "p>2 && q >= 0", true },
    { "P-CS_1 == 2", true },
    { "P-CS_1+P-CS_10==6", true },
    { "P-CS_10-P-CS_1 == 2", true },
    { "P-CS_10 - p == 1", true },
    { "p-q == 3", true },
    { "p-1==2", true },
    { "1 - p == -2", true },
    { "- p + 3 == q", true },
    { "2 * p - 3 * q == 6", true },
    { "p * q == 0", true },
    { "-2*p*p == -18", true },
    { "a.b == 5", true },
    { "'odd id(1)' == 6", true },
    { "\"odd id(1)\" == 6", true },
    { "odd id(1)", true },
    { "\"and\" == 7 and 'fire' == 8", true },
    { "fire == 8", true },
    { "Idle == 0", true },
    { "p == 3 or q == 1 and q == 2", true },
    { "(p == 3 || q == 1) && q == 2", false },
    { "q imply p == 0", true },
    { "p -> q", false },
    { "q -> q -> q", true },
    { "not q", true },
    { "!p", false },
    { "!(p == 2)", true },
    { "!q == 1", true },
    { "(p == 3) == (q == 0)", true },
    { "true", true },
    { "false || 0", false },
    { "1", true },
    { "12", true },
    { "'12'", false },
    { "fire(send)", true },
    { "fire(recv-1)", false },
    { "fire( 'send' )", true },
    { "fire(Twice)", true },
    { "is-fireable(recv-1, send)", true },
    { "is-fireable(recv-1)", false },
    { "fire(always)", true },
    { "tokens(p) == 3", true },
    { "tokens-count(p, P-CS_1, Idle) == 5", true },
    { "fire(send) && !fire(recv-1) || false", true },
};
enum { RIGHT_COUNT = sizeof RIGHT / sizeof *RIGHT };

static const struct {
    const char *text, *message;
} WRONG[] = {
    { "", "AP:1:1: expected an expression, found the end" },
    { "p ==", "AP:1:5: expected an expression, found the end" },
    { "p == 3)", "AP:1:7: expected an operator or the end, found \")\"" },
    { "(p == 3", "AP:1:8: expected \")\", found the end" },
    { "p q", "AP:1:3: expected an operator or the end, found \"q\"" },
    { "p <= q <= p", "AP:1:8: expected an operator or the end, found \"<=\"" },
    { "p\n && P-CS_2 == 3", "AP:2:5: unknown place \"P-CS_2\"; did you mean \"P-CS_1\"?" },
    { "zzzzzz - q", "AP:1:1: unknown place \"zzzzzz\"" },
    { "Iddle == 3", "AP:1:1: unknown place \"Iddle\"; did you mean \"Idle\"?" },
    { "zzzzzz-q", "AP:1:1: unknown place \"zzzzzz\"" },
    { "send == 3", "AP:1:1: \"send\" is a transition; fire(...) tests whether it can fire" },
    { "Twice == 3", "AP:1:1: the name \"Twice\" is ambiguous: use an id" },
    { "fire(p)", "AP:1:6: \"p\" is a place, not a transition" },
    { "fire(sent)", "AP:1:6: unknown transition \"sent\"; did you mean \"send\"?" },
    { "fire(send", "AP:1:10: expected \",\" or \")\", found the end" },
    { "fire()", "AP:1:6: expected a transition, found \")\"" },
    { "tokens(send)", "AP:1:8: \"send\" is a transition; fire(...) tests whether it can fire" },
    { "tokens(3)", "AP:1:8: expected a place, found \"3\"" },
    { "'p", "AP:1:1: this quotation is never closed" },
    { "p < 2147483648", "AP:1:5: this number is too large" },
    { "p / 2", "AP:1:3: this character is only allowed in quotes" },
    { "p & q", "AP:1:3: this character is only allowed in quotes" },
    { "p < \x01", "AP:1:5: this character is only allowed in quotes" },
};

/* Checks all values in the initial marking. */
static void right(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, MODEL);
    om_expr aps[RIGHT_COUNT];
    om_executor *x = NULL;
    om_fault fault = 0;
    uint32_t row[16];
    for (size_t i = 0; i < RIGHT_COUNT; i++) {
        int rc = f->pnml->expression(m, "AP", RIGHT[i].text, &aps[i]);
        if (rc != OM_OK)
            print_message("%s: %s\n", RIGHT[i].text, om_context_error(f->ctx));
        assert_int_equal(rc, OM_OK);
    }
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, aps, RIGHT_COUNT), OM_OK);
    assert_true(x->words <= 16);
    x->initial(x, row);
    uint64_t labels = x->labels(x, row, &fault);
    assert_int_equal(fault, 0);
    for (size_t i = 0; i < RIGHT_COUNT; i++) {
        if ((labels >> i & 1) != RIGHT[i].value)
            print_message("%s\n", RIGHT[i].text);
        assert_int_equal(labels >> i & 1, RIGHT[i].value);
    }
    om_executor_close(x);
    om_model_free(m);
}

static void wrong(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, MODEL);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        om_expr e = 77;
        om_context_clear(f->ctx);
        assert_int_equal(f->pnml->expression(m, "AP", WRONG[i].text, &e), OM_EINPUT);
        assert_string_equal(om_context_error(f->ctx), WRONG[i].message);
        assert_int_equal(e, 77);
    }
    assert_true(fixture_reaches(f, m, "p == 0")); /* the errors have left the model unchanged */
    om_model_free(m);
}

/* Returns the label of the initial marking, or OM_NONE if it is a fault. */
static uint32_t label(fixture *f, const char *net, const char *text)
{
    om_model *m = fixture_load(f, net);
    om_executor *x = NULL;
    om_expr e = 0;
    om_fault fault = 0;
    uint32_t row[8];
    assert_int_equal(f->pnml->expression(m, "AP", text, &e), OM_OK);
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, &e, 1), OM_OK);
    assert_true(x->words <= 8);
    x->initial(x, row);
    uint32_t is = (uint32_t) x->labels(x, row, &fault);
    assert_true(fault == 0 || OM_FAULT_KIND(fault) == OM_FAULT_IN_LABEL);
    om_executor_close(x);
    om_model_free(m);
    return fault != 0 ? OM_NONE : is;
}

/* No sum and no product wraps: if one might, the proposition is a fault. */
static void nothing_wraps(void **state)
{
#define LARGE "2147483647"
    static const char BOUNDED[] = NET(PLACE("p", LARGE) PLACE("q", "2") PLACE("r", "50000"));
    static const char FREE[] =
        NET(PLACE("p", "7") PLACE("q", "2147483000") TRANSITION("t") ARC("t", "p") ARC("t", "q"));
    fixture *f = *state;
    assert_int_equal(label(f, BOUNDED, "p == 2147483647"), 1);
    assert_int_equal(label(f, BOUNDED, "p + q > 0"), OM_NONE);
    assert_int_equal(
        label(f, BOUNDED, "q - p < 0"), OM_NONE); /* p is more than half of OM_VALUE_MAX */
    assert_int_equal(label(f, BOUNDED, "-p == -2147483647"), 1);
    assert_int_equal(label(f, BOUNDED, "2 * p > 0"), OM_NONE);
    assert_int_equal(label(f, BOUNDED, "0 * p == 0"), 1);
    assert_int_equal(label(f, BOUNDED, "r * r > 0"), OM_NONE);
    assert_int_equal(label(f, BOUNDED, "r * q == 100000"), 1);
    assert_int_equal(label(f, FREE, "p + p == 14"), 1);
    assert_int_equal(label(f, FREE, "p * p == 49 && 3 * p == 21 && -3 * p == -21"), 1);
    assert_int_equal(label(f, FREE, "tokens(p, q) > 0"), OM_NONE);
    assert_int_equal(label(f, FREE, "q * q > 0"), OM_NONE);
    assert_int_equal(label(f, FREE, "p - q < 0"), OM_NONE);
}

/* A long row of operands is not nested, and the depth of nesting is limited. */
static void large_ones(void **state)
{
    enum { ROW = 20000 };
    fixture *f = *state;
    om_model *m = fixture_load(f, MODEL);
    om_text t = { .heap = om_heap_default() };
    om_expr e = 0;
    om_text_add(&t, "p");
    for (int i = 0; i < ROW; i++)
        om_text_add(&t, i % 3 == 0 ? "+q" : i % 3 == 1 ? "-q" : " + 2*q");
    om_text_add(&t, " == 3");
    assert_int_equal(f->pnml->expression(m, "AP", t.text, &e), OM_OK);
    t.length = 0;
    for (int i = 0; i < ROW; i++)
        om_text_add(&t, i % 2 == 0 ? "q && " : "q || ");
    om_text_add(&t, "q");
    assert_int_equal(f->pnml->expression(m, "AP", t.text, &e), OM_OK);
    static const char *const nests[] = { "(", "!", "- ", "q -> " };
    for (size_t k = 0; k < 4; k++) {
        t.length = 0;
        for (int i = 0; i < ROW; i++)
            om_text_add(&t, nests[k]);
        om_context_clear(f->ctx);
        assert_int_equal(f->pnml->expression(m, "AP", t.text, &e), OM_EINPUT);
        assert_non_null(strstr(om_context_error(f->ctx), "nested too deeply"));
    }
    om_text_free(&t);
    om_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right),
        cmocka_unit_test(wrong),
        cmocka_unit_test(nothing_wraps),
        cmocka_unit_test(large_ones),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
