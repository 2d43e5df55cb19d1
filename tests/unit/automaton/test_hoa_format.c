/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each feature of the HOA format (v1, http://adl.github.io/hoaf/), as an example with an
 * equivalent plain text; and malformed texts with their complete messages.
 */
#include "oracle.h"

#include "context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static om_automaton *read_text(om_context *ctx, const char *text)
{
    om_automaton *a = NULL;
    if (om_hoa_read(&a, ctx, "t", text, strlen(text), 0) != OM_OK)
        fail_msg("%s\n%s", om_context_error(ctx), text);
    return a;
}

typedef struct example {
    const char *text, *plain;
} example;

#define AB "AP: 2 \"a\" \"b\" "
#define LOOP " --BODY-- State: 0 [t] 0 --END--"

static const example examples[] = {
    /* Labels: of edges, of states, implicit; each operator; aliases of aliases. */
    { "HOA: v1 Start: 0 " AB "Acceptance: 0 t --BODY-- State: 0 0 1 0 1 State: 1 1 1 1 0 --END--",
        "HOA: v1 Start: 0 " AB
        "Acceptance: 0 t --BODY-- State: 0 [!0&!1] 0 [0&!1] 1 [!0&1] 0 [0&1] 1 "
        "State: 1 [!0&!1] 1 [0&!1] 1 [!0&1] 1 [0&1] 0 --END--" },
    { "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 0 --END--",
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--" },
    { "HOA: v1 Start: 0 " AB "Acceptance: 0 t --BODY-- State: [0|!1] 0 0 1 State: [f] 1 0 --END--",
        "HOA: v1 Start: 0 " AB
        "Acceptance: 0 t --BODY-- State: 0 [0|!1] 0 [0|!1] 1 State: 1 --END--" },
    { "HOA: v1 Start: 0 " AB "Alias: @x 0&1 Alias: @y-2 !@x|f Alias: @0 @y-2&t Acceptance: 0 t "
      "--BODY-- State: 0 [@0] 0 [!(@x)&@y-2] 0 [@x|0] 0 --END--",
        "HOA: v1 Start: 0 " AB
        "Acceptance: 0 t --BODY-- State: 0 [!0|!1] 0 [!(0&1)] 0 [0] 0 --END--" },
    { "HOA: v1 Alias: @x 1 Acceptance: 0 t " AB "Start: 0 --BODY-- State: 0 [@x] 0 --END--",
        "HOA: v1 Start: 0 " AB "Acceptance: 0 t --BODY-- State: 0 [1] 0 --END--" },
    { "HOA: v1 Start: 0 " AB "Acceptance: 0 t --BODY-- State: 0 [0 | 1 & !0 | !!1] 0 --END--",
        "HOA: v1 Start: 0 " AB "Acceptance: 0 t --BODY-- State: 0 [0|1] 0 --END--" },
    /* Acceptance: of states, of edges, of both; complements; each shape of formula. */
    { "HOA: v1 Start: 0 AP: 0 Acceptance: 2 Inf(0)&Fin(1) --BODY-- State: 0 {0} [t] 0 {1} [t] 1 "
      "State: 1 "
      "\"name\" {0 1} [t] 0 --END--",
        "HOA: v1 Start: 0 AP: 0 Acceptance: 2 Inf(0)&Fin(1) --BODY-- State: 0 [t] 0 {0 1} [t] 1 "
        "{0} "
        "State: 1 [t] 0 {1 0} --END--" },
    { "HOA: v1 Start: 0 AP: 0 Acceptance: 1 Fin(!0) --BODY-- State: 0 [t] 0 {0} [t] 0 --END--",
        "HOA: v1 Start: 0 AP: 0 Acceptance: 1 Fin(0) --BODY-- State: 0 [t] 0 [t] 0 {0} --END--" },
    { "HOA: v1 Start: 0 AP: 0 Acceptance: 3 (Fin(0)&(Inf(1)))|((Inf(2)|f)&t) --BODY-- State: 0 "
      "--END--",
        "HOA: v1 Start: 0 AP: 0 Acceptance: 3 Fin(0)&Inf(1)|(Inf(2)|f)&t --BODY-- State: 0 "
        "--END--" },
    { "HOA: v1 Start: 0 AP: 0 acc-name: none Acceptance: 0 f" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 f" LOOP },
    { "HOA: v1 Start: 0 AP: 0 acc-name: Rabin 1 Acceptance: 2 Fin(0)&Inf(1)" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 2 Fin(0)&Inf(1)" LOOP },
    { "HOA: v1 Start: 0 AP: 0 acc-name: Streett 1 Acceptance: 2 Fin(0)|Inf(1)" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 2 Fin(0)|Inf(1)" LOOP },
    { "HOA: v1 Start: 0 AP: 0 acc-name: generalized-Rabin 2 1 0 Acceptance: 3 "
      "(Fin(0)&Inf(1))|Fin(2)" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 3 (Fin(0)&Inf(1))|Fin(2)" LOOP },
    { "HOA: v1 Start: 0 AP: 0 acc-name: parity min odd 3 Acceptance: 3 Fin(0)&(Inf(1)|Fin(2))" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 3 Fin(0)&(Inf(1)|Fin(2))" LOOP },
    { "HOA: v1 Start: 0 AP: 0 acc-name: my-own 3 odd Acceptance: 1 Inf(0)" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 1 Inf(0)" LOOP },
    /* The header: any order, repeated items, unknown items, no States:, no Start:. */
    { "HOA: v1 Acceptance: 0 t Start: 1 States: 2 AP: 0 Start: 0 --BODY-- State: 1 State: 0 "
      "--END--",
        "HOA: v1 States: 2 Start: 1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 State: 1 "
        "--END--" },
    { "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--",
        "HOA: v1 States: 1 AP: 0 Acceptance: 0 t" LOOP },
    { "HOA: v1 Start: 0 AP: 0 spam: 3 t f \"x\" x-y eggs: lower: Acceptance: 0 t" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t" LOOP },
    { "HOA: v1 tool: \"x\" tool-version: 3 properties: complete trans-acc Start: 0 AP: 0 "
      "properties: "
      "deterministic stutter-invariant own-one Acceptance: 0 t" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t" LOOP },
    /* Strings, numbers and comments. */
    { "HOA: v1 name: \"\\\"q\\\\ \\n\" Start: 0 AP: 2 \"\\\"\" \"\\a\" Acceptance: 0 t" LOOP,
        "HOA: v1 name: \"\\\"q\\\\ n\" Start: 0 AP: 2 \"\\\"\" \"a\" Acceptance: 0 t" LOOP },
    { "/* one /* in */ another **/HOA:/**/v1/* */Start:0 AP:0/*/ \" /**/ "
      "*/Acceptance:0 t --BODY--State:0"
      "[t]0--END--/* last */",
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t" LOOP },
    /* Aborted automata before the automaton. */
    { "HOA: v1 Start: 0 --ABORT-- HOA: v1 Start: 0 AP: 0 Acceptance: 0 t" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t" LOOP },
    { "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 [0 --ABORT-- HOA: v1 Start: "
      "0 AP: "
      "0 Acceptance: 0 t" LOOP,
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 t" LOOP },
};

/* The written text describes the same automaton, and is written the same again. */
static void assert_round_trip(om_context *ctx, const om_automaton *a)
{
    om_text t = { .heap = om_heap_default() }, u = t;
    assert_int_equal(om_hoa_write(a, &t), OM_OK);
    om_automaton *b = read_text(ctx, t.text);
    if (!oracle_same(a, b))
        fail_msg("%s", t.text);
    assert_int_equal(om_hoa_write(b, &u), OM_OK);
    assert_string_equal(t.text, u.text);
    om_automaton_free(b);
    om_text_free(&t);
    om_text_free(&u);
}

static void features(void **state)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        om_automaton *a = read_text(*state, examples[i].text);
        om_automaton *b = read_text(*state, examples[i].plain);
        if (!oracle_same(a, b))
            fail_msg("%s\nis not\n%s", examples[i].text, examples[i].plain);
        assert_string_equal(om_automaton_name(a), om_automaton_name(b));
        assert_round_trip(*state, a);
        om_automaton_free(a);
        om_automaton_free(b);
    }
}

#define H "HOA: v1\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 2 Inf(0)&Fin(1)\n"
#define B H "--BODY--\n"

static void malformed(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "v1", "t:1:1: expected 'HOA:', not 'v1'" },
        { "HOA v1", "t:1:1: expected 'HOA:', not 'HOA'" },
        { "HOA: v1.", "t:1:8: stray character '.'" },
        { "HOA: \"v1\"", "t:1:6: expected v1 (no other version is supported), not 'v1'" },
        { "HOA:", "t:1:5: expected v1 (no other version is supported), not the end of the file" },
        { "hoa: v1", "t:1:1: expected 'HOA:', not 'hoa:'" },
        { "HOA: v1\n", "t:2:1: expected a header item or --BODY--, not the end of the file" },
        { "HOA: v1\nStart: 0\n--BODY--\nState: 0\n--END--",
            "t:3:1: the header item 'Acceptance:' is missing" },
        { "HOA: v1\nStates: -1", "t:2:9: expected --BODY--, --END-- or --ABORT--" },
        { "HOA: v1\nStates: 01", "t:2:9: a number cannot start with 0" },
        { "HOA: v1\nStates:", "t:2:8: expected the number of states, not the end of the file" },
        { "HOA: v1\nStates: 1 2", "t:2:11: expected a header item or --BODY--, not '2'" },
        { "HOA: v1\nStart:", "t:2:7: expected the number of a state, not the end of the file" },
        { "HOA: v1\nStart: 1x", "t:2:8: a word cannot start with a digit" },
        { "HOA: v1\nStart: 0 & 1", "t:2:10: this automaton is alternating (a conjunction of "
                                   "states); only non-alternating ones are supported" },
        { "HOA: v1\nAP: \"a\"", "t:2:5: expected the number of atomic propositions, not 'a'" },
        { "HOA: v1\nAP: 2 \"a\"\nStart: 0",
            "t:3:1: expected the names of 2 atomic propositions, found 1" },
        { "HOA: v1\nAP: 1 \"a\" \"b\"", "t:2:11: more atomic propositions than the 1 announced" },
        { "HOA: v1\nAP: 1 a", "t:2:7: expected the names of 1 atomic propositions, found 0" },
        { "HOA: v1\nAP: 2 \"a\"\n\"a\"", "t:3:1: atomic proposition 'a' is named twice" },
        { "HOA: v1\nAP: 1 'a'", "t:2:7: stray character '''" },
        { "HOA: v1\nAlias: x 0", "t:2:8: expected the name of an alias, not 'x'" },
        { "HOA: v1\nAlias: @x", "t:2:10: expected a label expression, not the end of the file" },
        { "HOA: v1\nAlias: @ 0", "t:2:8: stray character '@'" },
        { "HOA: v1\nAlias: @x @x", "t:2:11: there is no alias '@x'" },
        { "HOA: v1\nAlias: @x 0\nAlias: @x 1", "t:3:8: alias '@x' is defined twice" },
        { "HOA: v1\nAlias: @x 0 1", "t:2:13: expected a header item or --BODY--, not '1'" },
        { "HOA: v1\nAlias: @x (0", "t:2:13: expected ')', '&' or '|', not the end of the file" },
        { "HOA: v1\nAlias: @x !", "t:2:12: expected a label expression, not the end of the file" },
        { "HOA: v1\nAlias: @x 0|&1", "t:2:13: expected a label expression, not '&'" },
        { "HOA: v1\nAcceptance: Inf(0)",
            "t:2:13: expected the number of acceptance sets, not 'Inf'" },
        { "HOA: v1\nAcceptance: 1",
            "t:2:14: expected Fin, Inf, t, f or '(', not the end of the file" },
        { "HOA: v1\nAcceptance: 1 inf(0)", "t:2:15: expected Fin, Inf, t, f or '(', not 'inf'" },
        { "HOA: v1\nAcceptance: 1 Inf 0", "t:2:19: expected '(', not '0'" },
        { "HOA: v1\nAcceptance: 1 Inf(a)",
            "t:2:19: expected the number of an acceptance set, not 'a'" },
        { "HOA: v1\nAcceptance: 1 Inf(1)", "t:2:19: there is no acceptance set with number '1'" },
        { "HOA: v1\nAcceptance: 1 Inf(!!0)",
            "t:2:20: expected the number of an acceptance set, not '!'" },
        { "HOA: v1\nAcceptance: 1 Inf(0)&",
            "t:2:22: expected Fin, Inf, t, f or '(', not the end of the file" },
        { "HOA: v1\nAcceptance: 1 (Inf(0)",
            "t:2:22: expected ')', '&' or '|', not the end of the file" },
        { "HOA: v1\nAcceptance: 1 Inf(0))", "t:2:21: expected a header item or --BODY--, not ')'" },
        { "HOA: v1\nAcceptance: 1 !Inf(0)", "t:2:15: expected Fin, Inf, t, f or '(', not '!'" },
        { "HOA: v1\nAcceptance: 1 0", "t:2:15: expected Fin, Inf, t, f or '(', not '0'" },
        { "HOA: v1\nAcceptance: 1 Inf(0) Fin(0)",
            "t:2:22: expected a header item or --BODY--, not 'Fin'" },
        { "HOA: v1\nacc-name:",
            "t:2:10: expected the name of an acceptance condition, not the end of the file" },
        { "HOA: v1\nacc-name: \"Buchi\"",
            "t:2:11: expected the name of an acceptance condition, not 'Buchi'" },
        { "HOA: v1\nname: x", "t:2:7: expected the name of the automaton, not 'x'" },
        { "HOA: v1\ntool: x", "t:2:7: expected the name of a tool, not 'x'" },
        { "HOA: v1\nproperties: 3", "t:2:13: expected a header item or --BODY--, not '3'" },
        { "HOA: v1\nproperties: \"x\"", "t:2:13: expected a header item or --BODY--, not 'x'" },
        { "HOA: v1\nUnknown: 3", "t:2:1: unknown header item 'Unknown:', which may change the "
                                 "meaning of the automaton" },
        { "HOA: v1\nname: \"x", "t:2:7: this string is never closed" },
        { "HOA: v1\n/* x", "t:2:1: this comment is never closed" },
        { "HOA: v1\n// x", "t:2:1: stray character '/'" },
        { "HOA: v1\n--ABORT", "t:2:1: expected --BODY--, --END-- or --ABORT--" },
        { "HOA: v1\n--BODY --", "t:2:1: expected --BODY--, --END-- or --ABORT--" },
        { H "Acceptance: 0 t", "t:5:1: 'Acceptance:' may appear only once" },
        { H "Start: 3\nStates: 2\n",
            "t:7:1: expected a header item or --BODY--, not the end of the file" },
        { H "\"x\"", "t:5:1: expected a header item or --BODY--, not 'x'" },
        { H "--END--", "t:5:1: expected a header item or --BODY--, not '--END--'" },
        { B "", "t:6:1: expected 'State:', an edge or --END--, not the end of the file" },
        { B "State:\n", "t:7:1: expected the number of a state, not the end of the file" },
        { B "State 0", "t:6:1: expected 'State:', an edge or --END--, not 'State'" },
        { B "[t] 0", "t:6:1: expected 'State:', an edge or --END--, not '['" },
        { B "State: 1 [t] 0\n--END--", "t:7:1: state 0 is never defined" },
        { B "State: 0 0\n--END--",
            "t:7:1: the 1 edges of state 0 have no labels, but edges without labels must be one "
            "for each valuation of the 2 atomic propositions" },
        { B "State: 0\nState: 0\n--END--", "t:7:8: state 0 is defined twice" },
        { B "State: 0 [2] 0", "t:6:11: there is no atomic proposition with number '2'" },
        { B "State: 0 [@x] 0", "t:6:11: there is no alias '@x'" },
        { B "State: 0 [] 0", "t:6:11: expected a label expression, not ']'" },
        { B "State: 0 [0&] 0", "t:6:13: expected a label expression, not ']'" },
        { B "State: 0 [0 1] 0", "t:6:13: expected ']', '&' or '|', not '1'" },
        { B "State: 0 [a] 0", "t:6:11: expected a label expression, not 'a'" },
        { B "State: 0 [0] 0 {2}", "t:6:17: there is no acceptance set with number '2'" },
        { B "State: 0 [0] 0 {0,1}", "t:6:18: stray character ','" },
        { B "State: 0 [0] 0 {0",
            "t:6:18: expected the number of an acceptance set or '}', not the end of the file" },
        { B "State: 0 {0} {1}", "t:6:14: expected 'State:', an edge or --END--, not '{'" },
        { B "State: 0 [0] 0 {0} {1}", "t:6:20: expected 'State:', an edge or --END--, not '{'" },
        { B "State: [0] 0 [1] 0",
            "t:6:14: an edge with a label leaves state 0, which has a label itself" },
        { B "State: 0 [0] 0 1", "t:6:16: some edges of state 0 have labels and some have none" },
        { B "State: 0 0 0 0 0 0", "t:6:18: state 0 has neither labels nor exactly one edge for "
                                  "each valuation of the 2 atomic propositions" },
        { B "State: 0 0 0 0\n--END--",
            "t:7:1: the 3 edges of state 0 have no labels, but edges without labels must be one "
            "for each valuation of the 2 atomic propositions" },
        { B "State: 0 [0] 0&0", "t:6:15: this automaton is alternating (a conjunction of states); "
                                "only non-alternating ones are supported" },
        { B "State: \"x\" 0", "t:6:8: expected the number of a state, not 'x'" },
        { B "State: 0 \"x\" \"y\"", "t:6:14: expected 'State:', an edge or --END--, not 'y'" },
        { B "State: 0 [t] 0 \"x\"", "t:6:16: expected 'State:', an edge or --END--, not 'x'" },
        { B "State: 0\nname: \"x\"", "t:7:1: expected 'State:', an edge or --END--, not 'name:'" },
        { B "State: 0\n--END--\nState: 0", "t:8:1: expected 'HOA:', not 'State:'" },
        { B "State: 0\n--END-- --END--", "t:7:9: expected 'HOA:', not '--END--'" },
        { B "State: 0 [0] 18446744073709551616",
            "t:6:14: there is no state with number '18446744073709551616'" },
    };
    size_t count = sizeof cases / sizeof *cases;
    assert_true(count >= 60);
    for (size_t i = 0; i < count; i++) {
        om_automaton *a = NULL;
        size_t n = strlen(cases[i].text);
        char *exact = malloc(n); /* no NUL at the end, so that overruns show */
        assert_non_null(exact);
        memcpy(exact, cases[i].text, n);
        int rc = om_hoa_read(&a, *state, "t", exact, n, 0);
        free(exact);
        if (rc == OM_OK || strcmp(om_context_error(*state), cases[i].message) != 0)
            fail_msg("%zu: %s\n%s\nnot\n%s", i, cases[i].text, om_context_error(*state),
                cases[i].message);
        assert_true(rc == OM_EINPUT || rc == OM_EUNSUPPORTED);
        assert_null(a);
        om_context_clear(*state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(features), cmocka_unit_test(malformed) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
