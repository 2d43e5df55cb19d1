/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include "context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static om_automaton *read_which(om_context *ctx, const char *text, uint32_t which)
{
    om_automaton *a = NULL;
    if (om_hoa_read(&a, ctx, "t", text, strlen(text), which) != OM_OK)
        fail_msg("%s\n%s", om_context_error(ctx), text);
    return a;
}

/* Checks that the text is rejected with this status and a message that starts with `start`. */
static void refused(
    om_context *ctx, const char *text, uint32_t which, int status, const char *start)
{
    om_automaton *a = NULL;
    om_context_clear(ctx);
    int rc = om_hoa_read(&a, ctx, "t", text, strlen(text), which);
    if (rc != status || strncmp(om_context_error(ctx), start, strlen(start)) != 0)
        fail_msg("wanted %d %s, got %d %s\n%s", status, start, rc, om_context_error(ctx), text);
    assert_null(a);
    om_context_clear(ctx);
}

static uint64_t table_of(const om_automaton *a, uint32_t state, uint32_t edge)
{
    uint32_t n = 0;
    uint64_t table = 0;
    const om_edge *e = om_automaton_edges(a, state, &n);
    assert_true(edge < n && om_automaton_ap_count(a) <= 6);
    for (om_label l = 0; l < UINT64_C(1) << om_automaton_ap_count(a); l++)
        if (om_edge_matches(&e[edge], om_automaton_cubes(a), l))
            table |= UINT64_C(1) << l;
    return table;
}

static void everything_at_once(void **state)
{
    om_automaton *a = read_which(*state,
        "/* before /* nested */ still */ HOA: v1 name: \"a \\\"name\\\" \\\\\"\n"
        "tool: \"x\" \"1.0\" properties: trans-labels no-univ-branch complete\n"
        "acc-name: parity min odd 3 unknown: t f 17 \"s\" word-\n"
        "Alias: @a 0 Alias: @-b_1 !@a & 1 | t & f\n"
        "Acceptance: 3 Fin(0) & (Inf(1) | Fin(2))\n"
        "Start: 1 AP: 3 \"p\" \"q[1]==2\" \"\" Start: 0 States: 3 properties:\n"
        "--BODY-- State: 1 \"one\" {1} [@a|2] 0 {0 2} [!(0|1)] 1 {}\n"
        "State: [@-b_1] 0 2 {2} 0\n"
        "State: 2\n--END--\n",
        0);
    uint32_t n = 0;
    assert_string_equal(om_automaton_name(a), "a \"name\" \\");
    assert_int_equal(om_automaton_state_count(a), 3);
    assert_int_equal(om_automaton_initial_count(a), 2);
    assert_int_equal(om_automaton_initial(a, 0), 1);
    assert_string_equal(om_automaton_ap(a, 1), "q[1]==2");
    const om_edge *e = om_automaton_edges(a, 1, &n);
    assert_int_equal(n, 2);
    assert_int_equal(e[0].marks, 7);
    assert_int_equal(e[1].marks, 2);
    assert_int_equal(table_of(a, 1, 0), 0xfa);
    assert_int_equal(table_of(a, 1, 1), 0x11);
    assert_int_equal(table_of(a, 0, 0), 0x44);
    assert_int_equal(table_of(a, 0, 1), 0x44);
    (void) om_automaton_edges(a, 2, &n);
    assert_int_equal(n, 0);
    om_automaton_free(a);
}

static void implicit_labels(void **state)
{
    om_automaton *a = read_which(*state,
        "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY--\n"
        "State: 0 0 1 0 {0} 1 State: 1 [0&1] 0 State: 2 --END--",
        0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(table_of(a, 0, i), 1u << i);
    assert_int_equal(table_of(a, 1, 0), 8);
    om_automaton_free(a);
}

static void labels_by_precedence(void **state)
{
    static const struct {
        const char *label;
        uint64_t table;
    } cases[] = { { "0|1&2", 0xea }, { "(0|1)&2", 0xe0 }, { "!0&1", 0x44 }, { "!(0&1)", 0x77 },
        { "!!0", 0xaa }, { "0&!0|2", 0xf0 }, { "t", 0xff }, { "!f&0", 0xaa }, { "0|!0", 0xff },
        { "0&1|!0&2|1&2", 0xd8 }, { "!(0&(1|!2))|0&0", 0xff } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        (void) snprintf(text, sizeof text,
            "HOA: v1 AP: 3 \"a\" \"b\" \"c\" Acceptance: 0 t --BODY-- State: 0 [%s] 0 --END--",
            cases[i].label);
        om_automaton *a = read_which(*state, text, 0);
        if (table_of(a, 0, 0) != cases[i].table)
            fail_msg("%s", cases[i].label);
        om_automaton_free(a);
    }
    /* An edge whose label is unsatisfiable is dropped. */
    om_automaton *a = read_which(
        *state, "HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 [0&!0] 0 [f] 0 --END--", 0);
    assert_int_equal(om_automaton_edge_count(a), 0);
    om_automaton_free(a);
}

static void complemented_sets(void **state)
{
    om_automaton *a = read_which(*state,
        "HOA: v1 Start: 0 Acceptance: 3 Inf(!0) & (Fin(1) | Inf(!1)) | Fin(2) --BODY--\n"
        "State: 0 [t] 0 {0} [t] 0 {1} [t] 0 {2} --END--",
        0);
    uint32_t n = 0;
    size_t length = 0;
    const om_edge *e = om_automaton_edges(a, 0, &n);
    const om_acc *f = om_automaton_acceptance(a, &length);
    assert_int_equal(om_automaton_set_count(a), 4);
    assert_int_equal(e[0].marks, 8);
    assert_int_equal(e[1].marks, 1 | 2);
    assert_int_equal(e[2].marks, 1 | 4 | 8);
    assert_int_equal(length, 7);
    assert_int_equal(f[0].set, 0);
    assert_int_equal(f[2].set, 3);
    om_automaton_free(a);
}

#define HEAD "HOA: v1\nAcceptance: 1 Inf(0)\nAP: 1 \"a\"\n"
#define ONE "HOA: v1 Start: 0 Acceptance: 1 Inf(0) AP: 1 \"a\" --BODY-- State: 0 [t] 0 --END-- "
#define TWO "HOA: v1 Acceptance: 0 f --BODY-- --END-- "

static void several(void **state)
{
    om_automaton *a = read_which(*state, ONE TWO ONE, 2);
    assert_int_equal(om_automaton_state_count(a), 0);
    om_automaton_free(a);
    a = read_which(*state, "HOA: v1 Sta --ABORT-- " TWO "HOA: v1 Acceptance: --ABORT--" ONE, 2);
    assert_int_equal(om_automaton_state_count(a), 1);
    om_automaton_free(a);
    a = read_which(*state, "HOA: v1 AP: 1 --ABORT--" ONE " HOA: v1 --BODY-- [ --ABORT-- ", 0);
    assert_int_equal(om_automaton_state_count(a), 1);
    om_automaton_free(a);
    a = read_which(*state, ONE "HOA: v1 --BODY-- 1&2 {} --END--" TWO, 3); /* alternating: skipped */
    assert_int_equal(om_automaton_state_count(a), 0);
    om_automaton_free(a);
    refused(*state, ONE "\n" TWO, 0, OM_EINPUT, "t:2:6: the file has several automata");
    refused(*state, ONE "\n" TWO, 3, OM_EINPUT, "t:2:42: there is no automaton number 3");
    refused(*state, ONE "\nstray", 0, OM_EINPUT, "t:2:1: expected 'HOA:'");
    refused(*state, ONE "HOA: v1 --BODY--", 0, OM_EINPUT, "t:1:97: expected --END--");
    refused(*state, "HOA: v1 --ABORT--", 0, OM_EINPUT, "t:1:18: the tool that wrote");
    refused(*state, "--ABORT--" ONE, 0, OM_EINPUT, "t:1:1: expected 'HOA:'");
    refused(*state, "", 0, OM_EINPUT, "t:1:1: expected 'HOA:', not the end of the file");
}

static void bad_headers_are_refused(void **state)
{
    static const struct {
        const char *text, *start;
    } cases[] = {
        { "States: 1", "t:1:1: expected 'HOA:'" },
        { "HOA: v2", "t:1:6: expected v1" },
        { "HOA : v1", "t:1:1: expected 'HOA:'" },
        { "HOA: v1\n--BODY-- --END--", "t:2:1: the header item 'Acceptance:' is missing" },
        { HEAD "HOA: v1", "t:4:1: unknown header item 'HOA:'" },
        { HEAD "Colour: 3", "t:4:1: unknown header item 'Colour:'" },
        { HEAD "Acceptance: 0 t", "t:4:1: 'Acceptance:' may appear only once" },
        { HEAD "AP: 0", "t:4:1: 'AP:' may appear only once" },
        { HEAD "States: 1 States: 1", "t:4:11: 'States:' may appear only once" },
        { HEAD "name: \"x\" name: \"y\"", "t:4:11: 'name:' may appear only once" },
        { HEAD "name: x", "t:4:7: expected the name of the automaton" },
        { HEAD "tool: 3", "t:4:7: expected the name of a tool" },
        { HEAD "acc-name: 3", "t:4:11: expected the name of an acceptance condition" },
        { HEAD "properties: t", "t:4:13: expected a property" },
        { HEAD "Start: x", "t:4:8: expected the number of a state" },
        { HEAD "Start: 0&1", "t:4:9: this automaton is alternating" },
        { HEAD "Start: 1 States: 1 --BODY-- State: 0 --END--", "t:4:8: there is no state" },
        { HEAD "States: 1 Start: 1", "t:4:18: there is no state with number '1'" },
        { HEAD "Start: 4000000000", "t:4:8: there is no state with number '4000000000'" },
        { HEAD "Alias: a 0", "t:4:8: expected the name of an alias" },
        { HEAD "Alias: @a 0 Alias: @a 0", "t:4:20: alias '@a' is defined twice" },
        { HEAD "Alias: @a @b", "t:4:11: there is no alias '@b'" },
        { HEAD "Alias: @a 1", "t:4:11: there is no atomic proposition with number '1'" },
        { "HOA: v1 Alias: @a 1\nAcceptance: 0 t AP: 1 \"a\" --BODY-- --END--",
            "t:1:19: there is no atomic proposition with number 1" },
        { "HOA: v1 AP: 65", "t:1:13: an automaton has at most 64 atomic propositions" },
        { "HOA: v1 AP: 2 \"a\" \"a\"", "t:1:19: atomic proposition 'a' is named twice" },
        { "HOA: v1 Acceptance: 65 t", "t:1:21: an automaton has at most 64 acceptance sets" },
        { "HOA: v1 Acceptance: 1 Inf(1)", "t:1:27: there is no acceptance set with number '1'" },
        { "HOA: v1 Acceptance: 1 Inf(0", "t:1:28: expected ')'" },
        { "HOA: v1 Acceptance: 1 !Inf(0)", "t:1:23: expected Fin, Inf, t, f or '('" },
        { "HOA: v1 Acceptance: 1 (Inf(0)", "t:1:30: expected ')', '&' or '|'" },
        { "HOA: v1 Acceptance: 1 Inf(0))", "t:1:29: expected a header item or --BODY--" },
        { "HOA: v1 Acceptance: 1 Inf(0) & --BODY--", "t:1:32: expected Fin, Inf" },
        { "HOA: v1 Acceptance: 1", "t:1:22: expected Fin, Inf" },
        { "HOA: v1 /* x /* y */", "t:1:9: this comment is never closed" },
        { "HOA: v1 name: \"x", "t:1:15: this string is never closed" },
        { "HOA: v1 name: \"x\\\"", "t:1:15: this string is never closed" },
        { "HOA: v1 States: 007", "t:1:17: a number cannot start with 0" },
        { "HOA: v1 --BODY", "t:1:9: expected --BODY--" },
        { "HOA: v1 @", "t:1:9: stray character '@'" },
        { "HOA: v1 \xc3\xa9", "t:1:9: stray character with code 195" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool alternating = strstr(cases[i].start, "alternating") != NULL;
        refused(
            *state, cases[i].text, 0, alternating ? OM_EUNSUPPORTED : OM_EINPUT, cases[i].start);
    }
}

static void bad_bodies_are_refused(void **state)
{
    static const struct {
        const char *text, *start;
    } cases[] = {
        { "[0] 0", "t:5:1: expected 'State:', an edge or --END--, not '['" },
        { "Start: 0", "t:5:1: expected 'State:', an edge or --END--, not 'Start:'" },
        { "State: 0 [0] 1 --END--", "t:5:16: state 1 is never defined" },
        { "State: 0 State: 0", "t:5:17: state 0 is defined twice" },
        { "State: 0 [1] 0", "t:5:11: there is no atomic proposition with number '1'" },
        { "State: 0 [70] 0", "t:5:11: there is no atomic proposition with number '70'" },
        { "State: 0 [0 0", "t:5:13: expected ']', '&' or '|'" },
        { "State: 0 [] 0", "t:5:11: expected a label expression" },
        { "State: 0 [(0] 0", "t:5:13: expected ')', '&' or '|'" },
        { "State: 0 [0)] 0", "t:5:12: expected ']', '&' or '|'" },
        { "State: 0 [0] 0 {1}", "t:5:17: there is no acceptance set with number '1'" },
        { "State: 0 [0] 0 {0", "t:5:18: expected the number of an acceptance set or '}'" },
        { "State: 0 [0] 0 {x}", "t:5:17: expected the number of an acceptance set or '}'" },
        { "State: 0 {1}", "t:5:11: there is no acceptance set with number '1'" },
        { "State: 0 [0] 0&0", "t:5:15: this automaton is alternating" },
        { "State: 0 [0] 0 0", "t:5:16: some edges of state 0 have labels and some have none" },
        { "State: 0 0 [0] 0", "t:5:12: some edges of state 0 have labels and some have none" },
        { "State: [0] 0 [0] 0", "t:5:14: an edge with a label leaves state 0" },
        { "State: 0 0 --END--", "t:5:12: the 1 edges of state 0 have no labels" },
        { "State: 0 0 0 0 --END--", "t:5:14: state 0 has neither labels nor" },
        { "State: 0 [0]", "t:5:13: expected the number of a state, not the end of the file" },
        { "State: 0 [0] 9999999999999999999999", "t:5:14: there is no state with number" },
        { "State: 0", "t:5:9: expected 'State:', an edge or --END--" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        bool alternating = strstr(cases[i].start, "alternating") != NULL;
        (void) snprintf(text, sizeof text, HEAD "--BODY--\n%s", cases[i].text);
        refused(*state, text, 0, alternating ? OM_EUNSUPPORTED : OM_EINPUT, cases[i].start);
    }
    refused(*state, HEAD "States: 3 --BODY-- State: 0 State: 2 --END--", 0, OM_EINPUT,
        "t:4:38: state 1 is never defined");
}

/* ---- size and depth ---- */

static void add_many(om_text *t, const char *s, size_t times)
{
    while (times-- > 0)
        om_text_add(t, s);
}

static void deep_nesting(void **state)
{
    enum { DEEP = 100000 };
    om_context *ctx = *state;
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = NULL;
    add_many(&t, "/*", DEEP);
    add_many(&t, "*/", DEEP);
    om_text_add(&t, "HOA: v1 AP: 2 \"a\" \"b\" Acceptance: 1 ");
    add_many(&t, "(", DEEP);
    om_text_add(&t, "Inf(0)");
    add_many(&t, ")", DEEP);
    add_many(&t, "&Inf(0)", DEEP);
    om_text_add(&t, "--BODY-- State: 0 [");
    add_many(&t, "!(", DEEP);
    om_text_add(&t, "0");
    add_many(&t, "&1)", DEEP);
    add_many(&t, "|0", DEEP);
    om_text_add(&t, "] 0 --END--");
    assert_int_equal(om_hoa_read(&a, ctx, "t", t.text, t.length, 0), OM_OK);
    assert_int_equal(om_automaton_edge_count(a), 1);
    om_text_free(&t);
    assert_int_equal(om_hoa_write(a, &t), OM_OK);
    om_text_free(&t);
    om_automaton_free(a);

    om_text_add(&t, "HOA: v1 Acceptance: 1 ");
    add_many(&t, "Inf(0)&(", DEEP);
    om_text_add(&t, "Inf(0)");
    add_many(&t, ")", DEEP);
    om_text_add(&t, "--BODY-- --END--");
    refused(ctx, t.text, 0, OM_EINPUT, "t:1:23: this acceptance condition is nested too deeply");
    om_text_free(&t);
}

/* The parity of n APs has 2^(n-1) cubes. */
static int read_parity(om_context *ctx, uint32_t n, om_automaton **a)
{
    om_text t = { .heap = om_heap_default() };
    om_text_printf(&t, "HOA: v1 AP: %u", n);
    for (uint32_t i = 0; i < n; i++)
        om_text_printf(&t, " \"a%u\"", i);
    om_text_add(&t, " Alias: @0 0");
    for (uint32_t i = 1; i < n; i++)
        om_text_printf(&t, " Alias: @%u @%u&!%u|!@%u&%u", i, i - 1, i, i - 1, i);
    om_text_printf(&t, " Acceptance: 0 t --BODY-- State: 0 [@%u] 0 --END--", n - 1);
    int rc = om_hoa_read(a, ctx, "t", t.text, t.length, 0);
    om_text_free(&t);
    return rc;
}

static void wide_labels(void **state)
{
    om_context *ctx = *state;
    om_automaton *a = NULL;
    uint32_t n = 0;
    assert_int_equal(read_parity(ctx, 5, &a), OM_OK);
    assert_int_equal(table_of(a, 0, 0), 0x96696996);
    om_automaton_free(a);
    assert_int_equal(read_parity(ctx, 12, &a), OM_OK);
    assert_int_equal(om_automaton_edges(a, 0, &n)->cube_count, 2048);
    om_automaton_free(a);
    a = NULL;
    assert_int_equal(read_parity(ctx, 64, &a), OM_ELIMIT);
    assert_non_null(strstr(om_context_error(ctx), "this label is too large"));
    assert_null(a);
    om_context_clear(ctx);
}

/* (0|1) & (2|3) & ... has 2^32 products, and its negation 32 cubes: the shape must not matter. */
static void labels_are_reduced(void **state)
{
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = NULL;
    uint32_t n = 0;
    om_text_add(&t, "HOA: v1 AP: 64");
    for (uint32_t i = 0; i < 64; i++)
        om_text_printf(&t, " \"a%u\"", i);
    om_text_add(&t, " Acceptance: 0 t --BODY-- State: 0 [!(t");
    for (uint32_t i = 0; i < 64; i += 2)
        om_text_printf(&t, " & (%u|%u)", i, i + 1);
    om_text_add(&t, ")] 0 --END--");
    assert_int_equal(om_hoa_read(&a, *state, "t", t.text, t.length, 0), OM_OK);
    assert_int_equal(om_automaton_edges(a, 0, &n)->cube_count, 32);
    om_automaton_free(a);
    om_text_free(&t);
}

/* Label k of many: @x keeps its meaning, however many labels are read in between. */
static void many_labels(void **state)
{
    enum { MANY = 4000 };
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = NULL;
    uint32_t n = 0;
    om_text_add(&t, "HOA: v1 AP: 20");
    for (uint32_t i = 0; i < 20; i++)
        om_text_printf(&t, " \"a%u\"", i);
    om_text_add(&t, " Alias: @x 0&!1|2 Acceptance: 0 t --BODY-- State: 0");
    for (uint32_t k = 0; k < MANY; k++) {
        om_text_add(&t, " [@x");
        for (uint32_t i = 3; i < 20; i++)
            om_text_printf(&t, "&%s%u", ((k >> (i - 3)) & 1) != 0 ? "" : "!", i);
        om_text_add(&t, "] 0");
    }
    om_text_add(&t, "--END--");
    assert_int_equal(om_hoa_read(&a, *state, "t", t.text, t.length, 0), OM_OK);
    const om_edge *e = om_automaton_edges(a, 0, &n);
    assert_int_equal(n, MANY);
    for (uint32_t k = 0; k < MANY; k++) {
        const om_cube *c = om_automaton_cubes(a) + e[k].cube_begin;
        uint64_t pos = (uint64_t) k << 3, neg = ~pos & 0xffff8;
        assert_int_equal(e[k].cube_count, 2);
        assert_true((c[0].pos == (pos | 1) && c[0].neg == (neg | 2)) ||
                    (c[1].pos == (pos | 1) && c[1].neg == (neg | 2)));
        assert_true((c[0].pos == (pos | 4) && c[0].neg == neg) ||
                    (c[1].pos == (pos | 4) && c[1].neg == neg));
    }
    om_automaton_free(a);
    om_text_free(&t);
}

/* 0&32 | 1&33 | ... needs 2^32 nodes in the only variable order: rejected quickly. */
static void large_diagram(void **state)
{
    om_text t = { .heap = om_heap_default() };
    om_text_add(&t, "HOA: v1 Alias: @x f");
    for (uint32_t i = 0; i < 32; i++)
        om_text_printf(&t, " | %u&%u", i, i + 32);
    refused(*state, t.text, 0, OM_ELIMIT, "t:1:");
    om_text_free(&t);
}

static void limits_of_complements(void **state)
{
    om_text t = { .heap = om_heap_default() };
    om_text_add(&t, "HOA: v1 Acceptance: 64 Inf(0)&Fin(!0)");
    for (uint32_t i = 1; i < 64; i++)
        om_text_printf(&t, "|Inf(!%u)", i);
    om_text_add(&t, " --BODY-- --END--");
    refused(*state, t.text, 0, OM_EUNSUPPORTED, "t:1:");
    om_text_free(&t);
}

static void nul_characters(void **state)
{
    static const char in_string[] = "HOA: v1 name: \"a\0b\"", outside[] = "HOA: v1 \0";
    om_automaton *a = NULL;
    assert_int_equal(om_hoa_read(&a, *state, "t", in_string, sizeof in_string - 1, 0), OM_EINPUT);
    assert_string_equal(om_context_error(*state), "t:1:15: this string holds a NUL character");
    om_context_clear(*state);
    assert_int_equal(om_hoa_read(&a, *state, "t", outside, sizeof outside - 1, 0), OM_EINPUT);
    assert_string_equal(om_context_error(*state), "t:1:9: stray character with code 0");
    om_context_clear(*state);
}

/* ---- writing ---- */

static void random_automata_survive(void **state)
{
    om_context *ctx = *state;
    om_random r = { 11 };
    for (int round = 0; round < 3000; round++) {
        om_automaton *a = oracle_random(ctx, &r, &(oracle_size){ 6, 4, 6 }), *b = NULL, *c = NULL;
        om_text t = { .heap = om_heap_default() }, u = { .heap = om_heap_default() };
        assert_int_equal(om_hoa_write(a, &t), OM_OK);
        if (om_hoa_read(&b, ctx, "t", t.text, t.length, 0) != OM_OK)
            fail_msg("%s\n%s", om_context_error(ctx), t.text);
        if (!oracle_same(a, b))
            fail_msg("%s", t.text);
        assert_int_equal(om_hoa_write(b, &u), OM_OK);
        assert_int_equal(om_hoa_read(&c, ctx, "t", u.text, u.length, 0), OM_OK);
        om_text_free(&t);
        assert_int_equal(om_hoa_write(c, &t), OM_OK);
        assert_string_equal(t.text, u.text);
        om_automaton_free(a);
        om_automaton_free(b);
        om_automaton_free(c);
        om_text_free(&t);
        om_text_free(&u);
    }
}

static void written_text(void **state)
{
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = read_which(*state,
        "HOA: v1 name: \"\\\\ \\\"\" Start: 1 AP: 2 \"a\" \"b\\\"\" Acceptance: 2 Inf(0)&Inf(1) "
        "--BODY-- "
        "State: 0 State: 1 [!0&1 | 0&!1] 1 {1} [t] 0 {0 1} --END--",
        0);
    assert_int_equal(om_hoa_write(a, &t), OM_OK);
    assert_string_equal(t.text,
        "HOA: v1\nname: \"\\\\ \\\"\"\nStates: 2\nStart: 1\nAP: 2 \"a\" \"b\\\"\"\n"
        "acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0) & Inf(1)\n"
        "properties: trans-labels explicit-labels trans-acc\n--BODY--\nState: 0\nState: 1\n"
        "[0&!1 | !0&1] 1 {1}\n[t] 0 {0 1}\n--END--\n");
    om_text_free(&t);
    om_automaton_free(a);
}

/* ---- malformed input ---- */

/* After any change of a byte, the text is read or rejected with a location. */
static void damaged_texts(void **state)
{
    static const char text[] = "HOA: v1\nname: \"x\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\n"
                               "Alias: @a 0&!1\nAcceptance: 2 (Inf(0)&Fin(1))|Inf(!1)\n--BODY--\n"
                               "State: 0 {0}\n[@a|1] 0 {1}\n[t] 1\nState: 1\n0 1 0 1\n--END--\n";
    static const char bytes[] = "0123{}[]()&|!@:-\"\\/* \nStf\x80";
    om_context *ctx = *state;
    om_random r = { 17 };
    uint32_t good = 0;
    for (int round = 0; round < 20000; round++) {
        char copy[sizeof text];
        size_t n = sizeof text - 1;
        memcpy(copy, text, sizeof text);
        for (uint64_t k = om_random_below(&r, 3) + 1; k > 0; k--) {
            size_t at = om_random_below(&r, n);
            if (om_random_below(&r, 3) == 0)
                n = n > 1 ? memmove(&copy[at], &copy[at + 1], n - at - 1), n - 1 : n;
            else
                copy[at] = bytes[om_random_below(&r, sizeof bytes - 1)];
        }
        om_automaton *a = NULL;
        int rc = om_hoa_read(&a, ctx, "t", copy, n, 0);
        good += rc == OM_OK;
        if (rc != OM_OK && (rc == OM_EINVAL || strncmp(om_context_error(ctx), "t:", 2) != 0))
            fail_msg("%d %s\n%.*s", rc, om_context_error(ctx), (int) n, copy);
        om_automaton_free(a);
        om_context_clear(ctx);
    }
    assert_in_range(good, 200, 10000);
}

static void files(void **state)
{
    char path[] = "/tmp/omen-hoa-XXXXXX";
    om_automaton *a = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, TWO, strlen(TWO)), strlen(TWO));
    assert_int_equal(close(fd), 0);
    assert_int_equal(om_hoa_read_file(&a, *state, path, 0), OM_OK);
    om_automaton_free(a);
    a = NULL;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(om_hoa_read_file(&a, *state, path, 0), OM_EIO);
    assert_null(a);
    om_context_clear(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everything_at_once),
        cmocka_unit_test(implicit_labels), cmocka_unit_test(labels_by_precedence),
        cmocka_unit_test(complemented_sets), cmocka_unit_test(several),
        cmocka_unit_test(bad_headers_are_refused), cmocka_unit_test(bad_bodies_are_refused),
        cmocka_unit_test(deep_nesting), cmocka_unit_test(wide_labels),
        cmocka_unit_test(labels_are_reduced), cmocka_unit_test(many_labels),
        cmocka_unit_test(large_diagram), cmocka_unit_test(limits_of_complements),
        cmocka_unit_test(nul_characters), cmocka_unit_test(random_automata_survive),
        cmocka_unit_test(written_text), cmocka_unit_test(damaged_texts), cmocka_unit_test(files) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
