/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the nets into which each construct of symmetric nets unfolds. */
#include "colour_text.h"
#include "heap.h"

#include <omen/plugin/control.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Several sorts, a product, a partition, and variables of them */
#define SORTS                                                                                    \
    NAMED("D", "<dot/>")                                                                         \
    NAMED("C", "<cyclicenumeration>" CONSTANTS3("a", "b", "c") "</cyclicenumeration>")           \
    NAMED("F", "<finiteenumeration>" CONSTANTS3("f", "g", "h") "</finiteenumeration>")           \
    NAMED("R", RANGE("-1", "1"))                                                                 \
    NAMED("P", "<productsort>" USER("C") USER("R") "</productsort>")                             \
    "<partition id='H' name='H'>" USER("C") "<partitionelement id='low' name='low'>" CONST(      \
        "a") "</partitionelement>"                                                               \
             "<partitionelement id='high' name='high'>" CONST("b")                               \
                 CONST("c") "</partitionelement>"                                                \
                            "</partition>" DECLARE("x", "C") DECLARE("y", "C") DECLARE("r", "R") \
                                DECLARE("s", "F") DECLARE("p", "P")

static void add_tokens(const om_net *net, const om_net_arc *tokens, uint32_t n, om_text *out)
{
    for (uint32_t i = 0; i < n; i++) {
        const om_net_place *p = &net->places[tokens[i].place];
        om_text_printf(out, " %d'%s", (int) tokens[i].count, net->place_nodes[p->node].id);
        if (p->colour != NULL)
            om_text_printf(out, ".%s", p->colour);
    }
}

/* Writes "id.colour tokens" for each place and "id[binding]: takes > gives" for each transition. */
static void describe(const om_net *net, om_text *out)
{
    for (uint32_t i = 0; i < net->place_count; i++) {
        const om_net_place *p = &net->places[i];
        om_text_printf(out, "%s.%s %d\n", net->place_nodes[p->node].id,
            p->colour == NULL ? "" : p->colour, (int) p->initial);
    }
    for (uint32_t i = 0; i < net->transition_count; i++) {
        const om_net_transition *t = &net->transitions[i];
        om_text_printf(out, "%s[%s]:", net->transition_nodes[t->node].id,
            t->binding == NULL ? "" : t->binding);
        add_tokens(net, t->takes, t->take_count, out);
        om_text_add(out, " >");
        add_tokens(net, t->gives, t->give_count, out);
        om_text_add(out, "\n");
    }
}

/* Checks that the nodes cover all places and transitions, and that those of a node are
 * contiguous. */
static void check_nodes(const om_net *net)
{
    uint32_t places = 0, transitions = 0;
    for (uint32_t i = 0; i < net->place_node_count; i++) {
        const om_net_node *n = &net->place_nodes[i];
        for (uint32_t k = 0; k < n->count; k++)
            assert_int_equal(net->places[n->first + k].node, i);
        places += n->count;
    }
    for (uint32_t i = 0; i < net->transition_node_count; i++) {
        const om_net_node *n = &net->transition_nodes[i];
        for (uint32_t k = 0; k < n->count; k++)
            assert_int_equal(net->transitions[n->first + k].node, i);
        transitions += n->count;
    }
    assert_int_equal(places, net->place_count);
    assert_int_equal(transitions, net->transition_count);
}

static void check(const char *text, const char *expected)
{
    om_context *ctx = NULL;
    om_net net;
    om_text out = { .heap = om_heap_default() };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    int rc = colour_net_read(ctx, text, strlen(text), &net);
    if (rc != OM_OK)
        print_message("%s\n", om_context_error(ctx));
    assert_int_equal(rc, OM_OK);
    check_nodes(&net);
    describe(&net, &out);
    assert_string_equal(out.text == NULL ? "" : out.text, expected);
    om_text_free(&out);
    om_net_clear(&net);
    om_context_free(ctx);
}

static void dots(void **state)
{
    (void) state;
    check(
        NET(SORTS, PLACE("A", "D", INITIAL(TIMES("3", DOT))) PLACE("B", "D", "") TRANSITION("t", "")
                       ARC("1", "A", "t", TIMES("2", DOT)) "<arc id='2' source='t' target='B'/>"),
        "A. 3\nB. 0\nt[]: 2'A > 1'B\n");
}

static void all_colours(void **state)
{
    (void) state;
    check(NET(SORTS,
              PLACE("A", "C", INITIAL(ALL("C"))) TRANSITION("t", "") ARC("1", "A", "t", VAR("x"))),
        "A.a 1\nA.b 1\nA.c 1\nt[x = a]: 1'A.a >\nt[x = b]: 1'A.b >\nt[x = c]: 1'A.c >\n");
    check(NET(SORTS,
              PLACE("A", "R", INITIAL(ALL("R"))) TRANSITION("t", "") ARC("1", "A", "t", ALL("R"))),
        "A.-1 1\nA.0 1\nA.1 1\nt[]: 1'A.-1 1'A.0 1'A.1 >\n");
}

static void tuples(void **state)
{
    (void) state;
    check(NET(SORTS, PLACE("A", "P", INITIAL(F2("tuple", CONST("b"), ALL("R")))) TRANSITION("t", "")
                         ARC("1", "A", "t", F2("tuple", VAR("x"), NUMBER("0", "-1", "1")))),
        "A.(b, -1) 1\nA.(b, 0) 1\nA.(b, 1) 1\nt[x = b]: 1'A.(b, 0) >\n");
    /* A variable of a product, a tuple of one, and a tuple of multisets with more than one element
     * each */
    check(NET(SORTS, PLACE("A", "P",
                         INITIAL(F2("tuple", TIMES("2", CONST("a")),
                             F2("add", NUMBER("1", "-1", "1"), NUMBER("1", "-1", "1")))))
                         PLACE("B", "C", "") TRANSITION("t", "") ARC("1", "A", "t", VAR("p"))
                             ARC("2", "t", "B", F1("tuple", CONST("c")))),
        "A.(a, 1) 4\nB.c 0\nt[p = (a, 1)]: 1'A.(a, 1) > 1'B.c\n");
}

static void steps_wrap(void **state)
{
    (void) state;
    check(NET(SORTS,
              PLACE("A", "C", INITIAL(CONST("c"))) PLACE("B", "R", INITIAL(NUMBER("-1", "-1", "1")))
                  TRANSITION("t", "") ARC("1", "A", "t", F1("predecessor", VAR("x")))
                      ARC("2", "B", "t", VAR("r")) ARC("3", "t", "B", F1("predecessor", VAR("r")))),
        "A.c 1\nB.-1 1\nB.0 0\nB.1 0\nt[x = a, r = -1]: 1'A.c 1'B.-1 > 1'B.1\n"
        "t[x = a, r = 0]: 1'A.c 1'B.0 > 1'B.-1\nt[x = a, r = 1]: 1'A.c 1'B.1 > 1'B.0\n");
}

static void subtraction(void **state)
{
    (void) state;
    check(NET(SORTS, PLACE("A", "C", INITIAL(F2("add", CONST("a"), CONST("b")))) PLACE("B", "C", "")
                         TRANSITION("t", "") ARC("1", "A", "t", VAR("x"))
                             ARC("2", "t", "B", F2("subtract", ALL("C"), VAR("x")))),
        "A.a 1\nA.b 1\nB.a 0\nB.b 0\nB.c 0\nt[x = a]: 1'A.a > 1'B.b 1'B.c\n"
        "t[x = b]: 1'A.b > 1'B.a 1'B.c\n");
    /* Taken tokens: only the bindings whose tokens can all be there */
    check(NET(SORTS, PLACE("A", "C", INITIAL(F2("add", CONST("a"), CONST("b")))) TRANSITION("t", "")
                         ARC("1", "A", "t", F2("subtract", ALL("C"), VAR("x")))),
        "A.a 1\nA.b 1\nt[x = c]: 1'A.a 1'A.b >\n");
}

static void waiting_for_more(void **state)
{
    (void) state;
    /* u takes all colours; the last one comes from t. */
    check(NET(SORTS, PLACE("A", "C", INITIAL(F2("add", CONST("a"), CONST("b")))) PLACE("B", "D",
                         INITIAL(DOT)) TRANSITION("t", "") TRANSITION("u", "") ARC("1", "B", "t",
                         DOT) ARC("2", "t", "A", CONST("c")) ARC("3", "A", "u", ALL("C"))),
        "A.a 1\nA.b 1\nA.c 0\nB. 1\nt[]: 1'B > 1'A.c\nu[]: 1'A.a 1'A.b 1'A.c >\n");
}

static void parallel_arcs(void **state)
{
    (void) state;
    check(NET(SORTS, PLACE("A", "C", INITIAL(TIMES("3", CONST("a")))) TRANSITION("t", "")
                         ARC("1", "A", "t", VAR("x")) ARC("2", "A", "t", TIMES("2", VAR("y")))),
        "A.a 3\nt[x = a, y = a]: 3'A.a >\n");
}

static void never_marked(void **state)
{
    (void) state;
    check(NET(SORTS,
              PLACE("A", "C", "") PLACE("B", "C", INITIAL("<empty>" USER("C") "</empty>"))
                  TRANSITION("t", "") ARC("1", "A", "t", VAR("x")) ARC("2", "t", "B", VAR("x"))),
        "");
    /* A transition that takes nothing is always enabled. */
    check(NET(SORTS, PLACE("A", "C", "") TRANSITION("t", "")
                         ARC("1", "A", "t", TIMES("0", VAR("x"))) ARC("2", "t", "A", CONST("b"))),
        "A.b 0\nt[x = a]: > 1'A.b\nt[x = b]: > 1'A.b\nt[x = c]: > 1'A.b\n");
}

/* Checks the colours that a transition takes from A (as x) and B (as y) under a guard. */
static void check_guard(const char *guard, const char *expected)
{
    char text[8192], made[1024] = "";
    om_context *ctx = NULL;
    om_net net;
    (void) snprintf(text, sizeof text, "%s%s%s",
        "<pnml><net id='n' type='symmetricnet'><declaration><structure><declarations>" SORTS
        "</declarations></structure></declaration>" PLACE("A", "C", INITIAL(ALL("C")))
            PLACE("B", "C", INITIAL(ALL("C"))) "<transition id='t'><condition><structure>",
        guard,
        "</structure></condition></transition>" ARC("1", "A", "t", VAR("x"))
            ARC("2", "B", "t", VAR("y")) "</net></pnml>");
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    int rc = colour_net_read(ctx, text, strlen(text), &net);
    if (rc != OM_OK)
        print_message("%s\n", om_context_error(ctx));
    assert_int_equal(rc, OM_OK);
    for (uint32_t i = 0; i < net.transition_count; i++) {
        const om_net_transition *t = &net.transitions[i];
        size_t at = strlen(made);
        (void) snprintf(made + at, sizeof made - at, "%s%s%s", i == 0 ? "" : " ",
            net.places[t->takes[0].place].colour, net.places[t->takes[1].place].colour);
    }
    assert_string_equal(made, expected);
    om_net_clear(&net);
    om_context_free(ctx);
}

#define X VAR("x")
#define Y VAR("y")
#define ELEMENT(term) "<partitionelementof refpartition='H'>" SUB(term) "</partitionelementof>"

static void comparisons(void **state)
{
    (void) state;
    check_guard(F2("equality", X, Y), "aa bb cc");
    check_guard(F2("equality", X, F1("successor", Y)), "ac ba cb");
    check_guard(F2("equality", F1("predecessor", X), Y), "ac ba cb");
    check_guard(F2("equality", CONST("b"), Y), "ab bb cb");
    check_guard(F2("inequality", X, Y), "ab ac ba bc ca cb");
    check_guard(F2("lessthan", X, Y), "ab ac bc");
    check_guard(F2("lessthanorequal", X, Y), "aa ab ac bb bc cc");
    check_guard(F2("greaterthan", X, Y), "ba ca cb");
    check_guard(F2("greaterthanorequal", X, Y), "aa ba bb ca cb cc");
    check_guard(F2("equality", F2("tuple", X, Y), F2("tuple", Y, CONST("c"))), "cc");
}

static void partitions(void **state)
{
    (void) state;
    check_guard(F2("equality", ELEMENT(X), ELEMENT(Y)), "aa bb bc cb cc");
    check_guard(F2("equality", ELEMENT(X), CONST("low")), "aa ab ac");
    check_guard(F2("ltp", ELEMENT(X), ELEMENT(Y)), "ab ac");
    check_guard(F2("gtp", ELEMENT(X), ELEMENT(Y)), "ba ca");
    check(NET(SORTS, PLACE("A", "C", INITIAL(CONST("high"))) PLACE("B", "H", INITIAL(CONST("high")))
                         TRANSITION("t", "") ARC("1", "A", "t", X) ARC("2", "t", "B", ELEMENT(X))),
        "A.b 1\nA.c 1\nB.high 1\nt[x = b]: 1'A.b > 1'B.high\nt[x = c]: 1'A.c > 1'B.high\n");
}

static void connectives(void **state)
{
    (void) state;
    check_guard("<booleanconstant value='true'/>", "aa ab ac ba bb bc ca cb cc");
    check_guard("<booleanconstant value='false'/>", "");
    check_guard(F2("and", F2("lessthan", X, Y), F2("equality", Y, CONST("c"))), "ac bc");
    check_guard(
        F2("or", F2("equality", X, CONST("a")), F2("equality", Y, CONST("a"))), "aa ab ac ba ca");
    check_guard(F1("not", F2("lessthan", X, Y)), "aa ba bb ca cb cc");
    check_guard(F2("imply", F2("equality", X, CONST("a")), F2("equality", Y, CONST("b"))),
        "ab ba bb bc ca cb cc");
}

static void reads_in_any_order(void **state)
{
    (void) state;
    check(NET(DECLARE("v", "Q") NAMED("Q", USER("S")) NAMED("S", RANGE("7", "7")),
              PLACE("A", "Q", INITIAL(NUMBER("7", "7", "7"))) TRANSITION("t", "")
                  ARC("1", "A", "t", VAR("v"))),
        "A.7 1\nt[v = 7]: 1'A.7 >\n");
}

/* ---- sizes ---- */

/* Reads a text in bounded memory; returns the status. */
static int read_small(const char *text, om_net *net, om_context **ctx, test_heap *t)
{
    test_heap_init(t, SIZE_MAX);
    assert_int_equal(om_context_new(ctx, &t->heap), OM_OK);
    int rc = colour_net_read(*ctx, text, strlen(text), net);
    assert_true(t->peak < (size_t) 200 << 20);
    return rc;
}

static void large_sorts(void **state)
{
    static const char HUGE_RANGE[] = NET(NAMED("D", RANGE("0", "2147483647")) NAMED("E",
                                             "<productsort>" USER("D") USER("D") "</productsort>")
                                             DECLARE("x", "D") DECLARE("y", "D"),
        PLACE("A", "E",
            INITIAL(F2("tuple", NUMBER("5", "0", "2147483647"), NUMBER("6", "0", "2147483647"))))
            TRANSITION("t", GUARD(F2("equality", Y, F1("successor", X))))
                ARC("1", "A", "t", F2("tuple", X, Y))
                    ARC("2", "t", "A", F2("tuple", F1("successor", X), F1("predecessor", X))));
    om_context *ctx = NULL;
    om_net net;
    test_heap t;
    (void) state;
    assert_int_equal(read_small(HUGE_RANGE, &net, &ctx, &t), OM_OK);
    assert_int_equal(net.place_count, 2);
    assert_int_equal(net.transition_count, 1);
    om_net_clear(&net);
    om_context_free(ctx);
    assert_int_equal(t.live, 0);
}

static void many_colours(void **state)
{
    static const char TEXT[] = NET(NAMED("D", RANGE("1", "100000")) DECLARE("x", "D"),
        PLACE("A", "D", INITIAL(ALL("D"))) PLACE("B", "D", "") TRANSITION("t", "")
            ARC("1", "A", "t", X) ARC("2", "t", "B", F1("successor", X)));
    om_context *ctx = NULL;
    om_net net;
    test_heap t;
    (void) state;
    assert_int_equal(read_small(TEXT, &net, &ctx, &t), OM_OK);
    assert_int_equal(net.place_count, 200000);
    assert_int_equal(net.transition_count, 100000);
    assert_string_equal(net.transitions[99999].binding, "x = 100000");
    assert_int_equal(net.transitions[99999].gives[0].place, 100000);
    om_net_clear(&net);
    om_context_free(ctx);
    assert_int_equal(t.live, 0);
}

/* Bindings of several variables are found by index: of 10^9 only those that fit are examined. */
static void joins(void **state)
{
    static const char TEXT[] = NET(NAMED("D", RANGE("1", "1000")) NAMED(
                                       "E", "<productsort>" USER("D") USER("D") "</productsort>")
                                       DECLARE("x", "D") DECLARE("y", "D") DECLARE("z", "D"),
        PLACE("A", "D", INITIAL(ALL("D"))) PLACE("B", "E", "") PLACE("C", "E", "")
            TRANSITION("t", "") TRANSITION("u", "") TRANSITION("v", "") ARC("1", "A", "t", X)
                ARC("2", "t", "B", F2("tuple", X, F1("successor", X))) ARC("3", "A", "u", X)
                    ARC("4", "u", "C", F2("tuple", X, F1("predecessor", X))) ARC("5", "B", "v",
                        F2("tuple", X, Y)) ARC("6", "C", "v", F2("tuple", Y, VAR("z"))));
    om_context *ctx = NULL;
    om_net net;
    test_heap t;
    (void) state;
    assert_int_equal(read_small(TEXT, &net, &ctx, &t), OM_OK);
    assert_int_equal(net.place_count, 3000);
    assert_int_equal(net.transition_count, 3000);
    om_net_clear(&net);
    om_context_free(ctx);
    assert_int_equal(t.live, 0);
}

/* A guard with more parts, and more tokens taken, than a plan has room for */
static void long_transitions(void **state)
{
    om_text text = { .heap = om_heap_default() };
    om_context *ctx = NULL;
    om_net net;
    test_heap t;
    (void) state;
    om_text_add(&text,
        "<pnml><net id='n' type='symmetricnet'><declaration><structure><declarations>" SORTS
        "</declarations></structure></declaration>" PLACE(
            "A", "C", INITIAL(ALL("C"))) "<transition id='t'><condition><structure><and>");
    for (int i = 0; i < 20000; i++)
        om_text_add(&text, SUB(F2("equality", X, Y)));
    om_text_add(&text, SUB(F2("lessthan", X, CONST("c"))));
    om_text_add(&text, "</and></structure></condition></transition><arc id='1' source='A' "
                       "target='t'><hlinscription><structure><add>");
    for (int i = 0; i < 20000; i++)
        om_text_add(&text, i % 2 == 0 ? SUB(X) : SUB(Y));
    om_text_add(&text, "</add></structure></hlinscription></arc></net></pnml>");
    assert_false(text.failed);
    assert_int_equal(read_small(text.text, &net, &ctx, &t), OM_OK);
    assert_int_equal(net.transition_count, 2);
    assert_string_equal(net.transitions[1].binding, "x = b, y = b");
    assert_int_equal(net.transitions[1].takes[0].count, 20000);
    om_net_clear(&net);
    om_context_free(ctx);
    om_text_free(&text);
    assert_int_equal(t.live, 0);
}

/* 2^62 bindings are tried and none fits: the search ends when the time limit is reached. */
static void stops(void **state)
{
    static const char TEXT[] = NET(NAMED("D", RANGE("0", "2147483647")) DECLARE("x", "D")
                                       DECLARE("y", "D"),
        PLACE("A", "D", "") TRANSITION("t",
            GUARD(F2("and", F2("lessthan", X, Y), F2("lessthan", Y, X)))) ARC("1", "t", "A", X));
    om_context *ctx = NULL;
    om_watcher *watcher = NULL;
    om_net net;
    const om_limits limits = { .timeout_ns = 50000000 };
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_control_start(om_context_control(ctx), &limits);
    assert_int_equal(om_watcher_start(&watcher, ctx, NULL, NULL), OM_OK);
    assert_int_equal(colour_net_read(ctx, TEXT, strlen(TEXT), &net), OM_ELIMIT);
    om_watcher_stop(watcher);
    om_net_clear(&net);
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots),
        cmocka_unit_test(all_colours),
        cmocka_unit_test(tuples),
        cmocka_unit_test(steps_wrap),
        cmocka_unit_test(subtraction),
        cmocka_unit_test(waiting_for_more),
        cmocka_unit_test(parallel_arcs),
        cmocka_unit_test(never_marked),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(partitions),
        cmocka_unit_test(connectives),
        cmocka_unit_test(reads_in_any_order),
        cmocka_unit_test(large_sorts),
        cmocka_unit_test(many_colours),
        cmocka_unit_test(joins),
        cmocka_unit_test(long_transitions),
        cmocka_unit_test(stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
