/* SPDX-License-Identifier: Apache-2.0 */
/* Never claims: their meaning, rejected texts with locations, and output. */
#include "oracle.h"

#include "context.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static om_automaton *read_text(om_context *ctx, const char *text)
{
    om_automaton *a = NULL;
    if (om_automaton_read(&a, ctx, "c", text, strlen(text), 0) != OM_OK)
        fail_msg("%s\n%s", om_context_error(ctx), text);
    return a;
}

/* Checks that the claim means the HOA text with this body; states are in the order of discovery. */
static void assert_means(om_context *ctx, const char *claim, const char *aps, const char *body)
{
    om_text t = { .heap = om_heap_default() };
    om_text_printf(
        &t, "HOA: v1 Start: 0 AP: %s Acceptance: 1 Inf(0) --BODY-- %s --END--", aps, body);
    om_automaton *a = read_text(ctx, claim), *b = read_text(ctx, t.text);
    om_text_free(&t);
    if (!oracle_same(a, b)) {
        assert_int_equal(om_hoa_write(a, &t), OM_OK);
        fail_msg("%s\nis\n%s", claim, t.text);
    }
    om_automaton_free(a);
    om_automaton_free(b);
}

#define SINK(n) "State: " #n " [t] " #n " {0}"

static void statements(void **state)
{
    static const char *const cases[][3] = {
        /* A claim that reaches its end accepts. */
        { "never { skip }", "0", "State: 0 [t] 1 " SINK(1) },
        { "never { p; q }", "2 \"p\" \"q\"", "State: 0 [0] 1 State: 1 [1] 2 " SINK(2) },
        { "never { p -> q; }", "2 \"p\" \"q\"", "State: 0 [0] 1 State: 1 [1] 2 " SINK(2) },
        { "/* a */ never { // b\n 1 /* c */ }", "0", "State: 0 [t] 1 " SINK(1) },
        { "never { T: if :: p -> goto T fi }", "1 \"p\"", "State: 0 [0] 0" },
        { "never { accept_T: if :: p -> goto accept_T :: 1 fi }", "1 \"p\"",
            "State: 0 [0] 0 {0} [t] 1 {0} " SINK(1) },
        { "never { T0_init: accept_: do :: p od }", "1 \"p\"", "State: 0 [0] 0 {0}" },
        { "never { do :: p -> break :: q od; r }", "3 \"p\" \"q\" \"r\"",
            "State: 0 [0] 1 [1] 0 State: 1 [2] 2 " SINK(2) },
        { "never { do :: if :: p -> break :: q fi od }", "2 \"p\" \"q\"",
            "State: 0 [0] 1 [1] 0 " SINK(1) },
        /* Jumps take no step. */
        { "never { goto b; a: p; b: goto c; c: q }", "2 \"p\" \"q\"", "State: 0 [1] 1 " SINK(1) },
        { "never { do :: p :: goto out od; out: q }", "2 \"p\" \"q\"",
            "State: 0 [0] 0 [1] 1 " SINK(1) },
        { "never { { p; { q } }; accept_x: { do :: r od } }", "3 \"p\" \"q\" \"r\"",
            "State: 0 [0] 1 State: 1 [1] 2 State: 2 [2] 2 {0}" },
        { "never { if :: p :: else -> q fi }", "2 \"p\" \"q\"",
            "State: 0 [0] 1 [!0] 2 " SINK(1) " State: 2 [1] 1" },
        { "never { if :: p :: if :: q fi :: else fi }", "2 \"p\" \"q\"",
            "State: 0 [0] 1 [1] 1 [!0&!1] 1 " SINK(1) },
        { "never { if :: p :: if :: q :: else fi :: else fi }", "2 \"p\" \"q\"",
            "State: 0 [0] 1 [1] 1 [!1] 1 " SINK(1) },
        /* Failed assertions accept, too. */
        { "never { T: do :: atomic { p -> assert(!(p && q)) } :: 1 od }", "2 \"p\" \"q\"",
            "State: 0 [0&1] 1 [0&!1] 0 [t] 0 " SINK(1) },
        { "never { d_step { p; assert(q); assert(r); goto e }; e: false }", "3 \"p\" \"q\" \"r\"",
            "State: 0 [0&!1] 1 [0&1&!2] 1 [0&1&2] 2 " SINK(1) " State: 2" },
        { "never { assert(p); q }", "2 \"p\" \"q\"",
            "State: 0 [!0] 1 [0] 2 " SINK(1) " State: 2 [1] 1" },
        { "never { T: do :: atomic { assert(p); break } od }", "1 \"p\"",
            "State: 0 [!0] 1 [0] 1 " SINK(1) },
        { "never { if :: false :: 0 :: true -> false fi }", "0", "State: 0 [t] 1 State: 1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_means(*state, cases[i][0], cases[i][1], cases[i][2]);
}

static void expressions(void **state)
{
    static const char *const cases[][3] = {
        { "p && q || !r", "3 \"p\" \"q\" \"r\"", "0&1|!2" },
        { "(p || q) && !(r && p)", "3 \"p\" \"q\" \"r\"", "(0|1)&!(2&0)" },
        { "!!p && ((q))", "2 \"p\" \"q\"", "0&1" },
        { "x == 3 && !(x==3 || y <= -2)", "2 \"x==3\" \"y<= -2\"", "f" },
        { "(x + 1) * 2 < y[i + 1].z || (x+1)*2<y[i+1].z", "1 \"(x+1)*2<y[i+1].z\"", "0" },
        { "((x >= 3))", "1 \"x>=3\"", "0" },
        { "P@cs && P[2]:x > 1 && P[1]@q", "3 \"P@cs\" \"P[2]:x>1\" \"P[1]@q\"", "0&1&2" },
        { "len(q) > 0 && full ( q )", "2 \"len(q)>0\" \"full(q)\"", "0&1" },
        { "-x < - 3", "1 \"-x< -3\"", "0" },
        { "x < -3", "1 \"x< -3\"", "0" },
        { "x /* a */ /* b */ == // c\n 3", "1 \"x==3\"", "0" },
        { "2 && (00 || 17 && (true && 1)) && !false && skip", "0", "t" },
    };
    om_text t = { .heap = om_heap_default() }, u = t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_text_free(&t);
        om_text_free(&u);
        om_text_printf(&t, "never { T: if :: %s -> goto T fi }", cases[i][0]);
        om_text_printf(&u, "State: 0 [%s] 0", cases[i][2]);
        assert_means(*state, t.text, cases[i][1], u.text);
    }
    om_text_free(&t);
    om_text_free(&u);
    assert_means(*state,
        "#include \"x\"\n#define p (x > 1) // one\n#define q (p &&\\\n !y)\nnever { q; p "
        "}\n#define z 1",
        "2 \"x>1\" \"y\"", "State: 0 [0&!1] 1 State: 1 [0] 2 " SINK(2));
}

static void refusals(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "never", "c:1:6: expected '{', not the end of the file" },
        { "never {", "c:1:8: expected an expression, not the end of the file" },
        { "never { }", "c:1:9: expected an expression, not '}'" },
        { "never 3 { p }", "c:1:7: expected '{', not '3'" },
        { "never { p", "c:1:10: expected ';', '->' or '}', not the end of the file" },
        { "never { p q }", "c:1:11: expected ';', '->' or '}', not 'q'" },
        { "never { p } x", "c:1:13: expected the end of the file (one claim), not 'x'" },
        { "never { p } never { p }",
            "c:1:13: expected the end of the file (one claim), not 'never'" },
        { "never {\n  if :: p }", "c:2:11: expected '::', ';', '->' or 'fi', not '}'" },
        { "never {\n  do :: p fi }", "c:2:11: expected '::', ';', '->' or 'od', not 'fi'" },
        { "never { if p fi }", "c:1:12: expected '::', not 'p'" },
        { "never { if :: fi }", "c:1:15: expected an expression, not 'fi'" },
        { "never { fi }", "c:1:9: expected an expression, not 'fi'" },
        { "never { goto }", "c:1:14: expected a label, not '}'" },
        { "never { goto x }", "c:1:14: there is no label 'x'" },
        { "never { x: p; x: q }", "c:1:15: label 'x' is defined twice" },
        { "never { x: }", "c:1:12: expected an expression, not '}'" },
        { "never { x: goto x }", "c:1:17: the jumps from here form a cycle without any statement" },
        { "never { break }", "c:1:9: 'break' outside a do loop" },
        { "never { if :: break fi }", "c:1:15: 'break' outside a do loop" },
        { "never { else }", "c:1:9: 'else' may only start an option of an if or do" },
        { "never { if :: p -> else fi }",
            "c:1:20: 'else' may only start an option of an if or do" },
        { "never { assert p }", "c:1:16: expected '(', not 'p'" },
        { "never { atomic p }", "c:1:16: expected '{', not 'p'" },
        { "never { atomic { p; q } }",
            "c:1:21: in 'atomic', only one expression and then assertions are supported" },
        { "never { atomic { if :: p fi } }",
            "c:1:18: in 'atomic', only one expression and then assertions are supported" },
        { "never { (p }", "c:1:12: expected ')' or an operator, not '}'" },
        { "never { p) }", "c:1:10: expected ';', '->' or '}', not ')'" },
        { "never { p && }", "c:1:14: expected an expression, not '}'" },
        { "never { p & q }", "c:1:11: stray character '&'" },
        { "never { p | q }", "c:1:11: stray character '|'" },
        { "never { ! }", "c:1:11: expected an expression, not '}'" },
        { "never { x == }", "c:1:14: expected an expression, not '}'" },
        { "never { (p && q) == 1 }", "c:1:18: a Boolean value cannot be used in arithmetic" },
        { "never { 1 + (p || q) }", "c:1:14: a Boolean value cannot be used in arithmetic" },
        { "never { - !p }", "c:1:11: expected an expression, not '!'" },
        { "never { x[3 }", "c:1:14: expected a closing bracket, not the end of the file" },
        { "never { x[3; }", "c:1:12: expected a closing bracket, not ';'" },
        { "never { x.3 }", "c:1:11: expected a name, not '3'" },
        { "never { P@ }", "c:1:12: expected a name, not '}'" },
        { "never { 3x }", "c:1:9: a name does not start with a digit" },
        { "never { \"p\" }", "c:1:9: stray character '\"'" },
        { "never { p\1 }", "c:1:10: stray character with code 1" },
        { "never { /* p }", "c:1:9: this comment is never closed" },
        { "never { timeout }", "c:1:9: expected an expression, not 'timeout'" },
        { "#define\nnever { p }", "c:1:8: expected the name of a macro, not the end of the line" },
        { "#define p\nnever { p }", "c:1:10: expected an expression, not the end of the line" },
        { "#define p(x) x\nnever { p }", "c:1:9: macros with parameters are not supported" },
        { "#define p x y\nnever { p }",
            "c:1:13: expected an operator or the end of the line, not 'y'" },
        { "#define p x\n#define p y\nnever { p }", "c:2:9: macro 'p' is defined twice" },
        { "#define p q\nnever { p == 1 }", "c:2:11: a Boolean value cannot be used in arithmetic" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_automaton *a = NULL;
        size_t n = strlen(cases[i].text);
        char *exact = malloc(n); /* no NUL at the end, so that overruns show */
        assert_non_null(exact);
        memcpy(exact, cases[i].text, n);
        int rc = om_automaton_read(&a, *state, "c", exact, n, 0);
        free(exact);
        assert_true(rc == OM_EINPUT || rc == OM_EUNSUPPORTED);
        if (strcmp(om_context_error(*state), cases[i].message) != 0)
            fail_msg("%s\n%s\nnot\n%s", cases[i].text, om_context_error(*state), cases[i].message);
        assert_null(a);
        om_context_clear(*state);
    }
}

static void limits(void **state)
{
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = NULL;
    static const char *const nests[][2] = { { "(", ")" }, { "if :: ", " fi" }, { "{", "}" } };
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++)
        for (int depth = 400; depth <= 4000; depth += 3600) {
            om_text_add(&t, "never { ");
            for (int k = 0; k < depth; k++)
                om_text_add(&t, nests[i][0]);
            om_text_add(&t, "p");
            for (int k = 0; k < depth; k++)
                om_text_add(&t, nests[i][1]);
            om_text_add(&t, "}");
            int rc = om_automaton_read(&a, *state, "c", t.text, t.length, 0);
            assert_int_equal(rc, depth == 400 ? OM_OK : OM_EINPUT);
            assert_true(
                rc == OM_OK || strstr(om_context_error(*state), "nested too deeply") != NULL);
            om_automaton_free(a);
            om_context_clear(*state);
            om_text_free(&t);
            a = NULL;
        }
    om_text_add(&t, "never { p0");
    for (int i = 1; i < 65; i++)
        om_text_printf(&t, " && p%d", i);
    om_text_add(&t, "}");
    assert_int_equal(om_automaton_read(&a, *state, "c", t.text, t.length, 0), OM_EINPUT);
    assert_non_null(strstr(om_context_error(*state), "at most 64 atomic propositions"));
    om_context_clear(*state);
    om_text_free(&t);
    assert_int_equal(om_automaton_read(&a, *state, "c", "never { p }", 11, 2), OM_EINPUT);
    assert_string_equal(om_context_error(*state), "c: a never claim has only one automaton");
    om_context_clear(*state);
}

/* ---- writing ---- */

static void written(om_context *ctx, const char *text, const char *expected)
{
    om_text t = { .heap = om_heap_default() };
    om_automaton *a = read_text(ctx, text);
    assert_int_equal(om_never_write(a, ctx, &t), OM_OK);
    assert_string_equal(t.text, expected);
    om_automaton_free(a);
    om_text_free(&t);
}

static void written_text(void **state)
{
    om_automaton *a = read_text(
        *state, "HOA: v1 AP: 1 \"a and b\" Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--");
    om_text t = { .heap = om_heap_default() };
    written(*state,
        "HOA: v1 name: \"x */ y\" Start: 0 AP: 2 \"p\" \"x<= -3\" Acceptance: 1 Inf(0) --BODY-- "
        "State: 0 [0&!1|!0&1] 1 [t] 0 State: 1 [1] 1 {0} [!1] 2 {0} State: 2 --END--",
        "never { /* x * / y */\nT0_init:\n\tif\n\t:: ((p && !(x<= -3)) || (!p && (x<= -3))) -> "
        "goto "
        "accept_S1\n\t:: ((1)) -> goto T0_init\n\tfi;\naccept_S1:\n\tif\n\t:: (((x<= -3))) -> goto "
        "accept_S1\n\t:: ((!(x<= -3))) -> goto T0_S2\n\tfi;\nT0_S2:\n\tfalse;\n}\n");
    written(*state, "HOA: v1 AP: 0 Acceptance: 0 f --BODY-- --END--",
        "never {\nT0_init:\n\tfalse;\n}\n");
    assert_int_equal(om_never_write(a, *state, &t), OM_EUNSUPPORTED);
    assert_string_equal(om_context_error(*state),
        "the proposition 'a and b' is not a Promela expression that a never claim can contain");
    om_context_clear(*state);
    om_automaton_free(a);
    om_text_free(&t);
}

/* A written claim accepts the language of the automaton, and is not larger when written again. */
static void random_automata(void **state)
{
    om_context *ctx = *state;
    om_random r = { 23 };
    for (int round = 0; round < 400; round++) {
        om_automaton *a = oracle_random(ctx, &r, &(oracle_size){ 5, 3, 2 }), *b = NULL, *c = NULL;
        om_text t = { .heap = om_heap_default() }, u = t;
        assert_int_equal(om_never_write(a, ctx, &t), OM_OK);
        b = read_text(ctx, t.text);
        assert_int_equal(om_automaton_ap_count(b) <= om_automaton_ap_count(a), true);
        for (int k = 0; k < 30; k++) {
            oracle_lasso w = oracle_random_lasso(&r, om_automaton_ap_count(a), 5), v = w;
            /* Propositions may be reordered or missing. */
            for (size_t i = 0; i < w.n; i++) {
                v.labels[i] = 0;
                for (uint32_t p = 0; p < om_automaton_ap_count(b); p++)
                    for (uint32_t q = 0; q < om_automaton_ap_count(a); q++)
                        if (strcmp(om_automaton_ap(a, q), om_automaton_ap(b, p)) == 0)
                            v.labels[i] |= (w.labels[i] >> q & 1) << p;
            }
            if (oracle_accepts(a, &w) != oracle_accepts(b, &v))
                fail_msg("%s", t.text);
        }
        assert_int_equal(om_never_write(b, ctx, &u), OM_OK);
        c = read_text(ctx, u.text);
        assert_int_equal(om_automaton_state_count(b), om_automaton_state_count(c));
        assert_int_equal(om_automaton_edge_count(b), om_automaton_edge_count(c));
        om_automaton_free(a);
        om_automaton_free(b);
        om_automaton_free(c);
        om_text_free(&t);
        om_text_free(&u);
    }
}

static int use_everything(const om_heap *heap)
{
    static const char text[] =
        "#define p (x==1)\nnever { T: do :: p && q -> break :: atomic { q -> "
        "assert(p) } :: else -> goto T od; accept_x: do :: p od }";
    om_context *ctx = NULL;
    om_automaton *a = NULL;
    om_text t = { .heap = heap };
    om_sccs sccs = { 0 };
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = om_automaton_read(&a, ctx, "c", text, strlen(text), 0);
    if (rc == OM_OK)
        rc = om_never_write(a, ctx, &t);
    if (rc == OM_OK)
        rc = om_automaton_sccs(a, ctx, &sccs);
    if (rc == OM_OK)
        rc = om_dot_write(a, &sccs, &t);
    om_sccs_free(&sccs, heap);
    om_text_free(&t);
    om_automaton_free(a);
    om_context_free(ctx);
    return rc;
}

static void memory_may_run_out(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    size_t n = 0;
    for (; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = use_everything(&h.heap);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 10000);
    }
    assert_true(n > 20);
}

static void graphs(void **state)
{
    om_text t = { .heap = om_heap_default() };
    om_sccs sccs = { 0 };
    om_automaton *a = read_text(*state,
        "HOA: v1 name: \"say \\\"x\\\" \\\\n\" Start: 0 AP: 2 \"a\" \"P=='x'\" Acceptance: 2 "
        "Inf(0)|Fin(1) --BODY-- State: 0 [0&!1|1] 1 {0 1} State: 1 [t] 1 {0} --END--");
    assert_int_equal(om_automaton_sccs(a, *state, &sccs), OM_OK);
    assert_int_equal(om_dot_write(a, &sccs, &t), OM_OK);
    assert_string_equal(t.text,
        "digraph automaton {\n  rankdir=LR;\n  labelloc=t;\n  label=\"say \\\"x\\\" "
        "\\\\n\\nAcceptance:"
        " 2 Inf(0) | Fin(1)\";\n  node [shape=circle];\n  i0 [label=\"\", shape=none, width=0, "
        "height=0];\n  i0 -> s0;\n  s0 [label=\"0\"];\n  s1 [label=\"1\"];\n  subgraph cluster_0 "
        "{\n"
        "    label=\"terminal\"; color=forestgreen; penwidth=2;\n    s1;\n  }\n"
        "  s0 -> s1 [label=\"a\\n| P=='x'\\n{0 1}\"];\n  s1 -> s1 [label=\"true\\n{0}\"];\n}\n");
    om_sccs_free(&sccs, om_heap_default());
    om_automaton_free(a);
    om_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(statements), cmocka_unit_test(expressions),
        cmocka_unit_test(refusals), cmocka_unit_test(limits), cmocka_unit_test(written_text),
        cmocka_unit_test(random_automata), cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(graphs) };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
