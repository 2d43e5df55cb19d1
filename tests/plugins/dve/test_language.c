/* SPDX-License-Identifier: Apache-2.0 */
/* Each feature of DVE, on models small enough to count by hand */
#include "fixture.h"

/* A model of one process that starts in q and has the transitions TRANS */
#define ONE(DECLARATIONS, STATES, TRANS) \
    DECLARATIONS " process P { state " STATES "; init q; trans " TRANS "; } system async;"

static void reaches(fixture *f, const char *text, const char *proposition, bool expected)
{
    om_model *m = fixture_load(f, text);
    bool found = fixture_reaches(f, m, proposition);
    om_model_free(m);
    if (found != expected)
        print_message("%s: \"%s\" is %s\n", text, proposition, found ? "reached" : "not reached");
    assert_int_equal(found, expected);
}

/* Assigns the expression to x, from x = 5, y = 3; the value must be VALUE. */
static void gives(fixture *f, const char *expression, int value)
{
    char text[512], goal[32];
    (void) snprintf(text, sizeof text,
        ONE("int x = 5, y = 3; byte b = 200; int a[3] = {7, 8, 9}; const int K = 4;", "q, r",
            "q -> r { effect x = %s; }"),
        expression);
    (void) snprintf(goal, sizeof goal, "P.r && x == %d", value);
    reaches(f, text, goal, true);
}

static void arithmetic(void **state)
{
    fixture *f = *state;
    gives(f, "x + y * 2", 11);
    gives(f, "(x + y) * 2", 16);
    gives(f, "10 - 3 - 2", 5);
    gives(f, "-x", -5);
    gives(f, "- - x", 5);
    gives(f, "7 / 2", 3);
    gives(f, "-7 / 2", -3);
    gives(f, "-7 % 3", -1);
    gives(f, "1 << y", 8);
    gives(f, "-8 >> 1", -4);
    gives(f, "1 + 1 << 2", 8);
    gives(f, "~x", -6);
    gives(f, "12 & 10", 8);
    gives(f, "12 | 3", 15);
    gives(f, "12 ^ 10", 6);
    gives(f, "a[1] + a[y-1]", 17);
    gives(f, "a[a[0]-7]", 7);
    gives(f, "K + 1", 5);
    gives(f, "b + 100", 300);
    gives(f, "true + true + false", 2);
    gives(f, "2147483647 % 10", 7);
}

static void comparisons_and_logic(void **state)
{
    fixture *f = *state;
    gives(f, "x > y", 1);
    gives(f, "x <= y", 0);
    gives(f, "x != y == 1", 1);
    gives(f, "5 < 6 == 1", 1);
    gives(f, "x == 5 and y == 3", 1);
    gives(f, "x == 5 && y == 4", 0);
    gives(f, "x == 4 or y == 3", 1);
    gives(f, "x == 4 || y == 4", 0);
    gives(f, "not x == 0", 1); /* (not x) == 0 */
    gives(f, "not(x == 0)", 1);
    gives(f, "!x", 0);
    gives(f, "x == 4 imply y == 9", 1);
    gives(f, "x == 5 imply y == 9", 0);
    gives(f, "0 imply 0 imply 0", 0); /* (0 imply 0) imply 0 */
    gives(f, "P.q + 2 * P.r", 2);     /* the location changes before the effects */
    gives(f, "0 && a[99] == 1", 0);   /* the right side is not evaluated */
    gives(f, "x == 5 || a[99] == 1", 1);
}

/* "and" and "or" have the same precedence, and so do | & ^: DVE groups them from left to right. */
static void left_to_right(void **state)
{
    fixture *f = *state;
    gives(f, "1 || 1 && 0", 0);
    assert_int_equal(f->warnings, 1);
    assert_string_equal(f->warning, "m.dve:1:137: \"&&\" does not bind tighter than the operator "
                                    "on its left; DVE groups from left to right");
    gives(f, "1 || (1 && 0)", 1);
    assert_int_equal(f->warnings, 0);
    gives(f, "0 && 1 || 1", 1);
    assert_int_equal(f->warnings, 0);
    gives(f, "1 | 2 & 2", 2);
    assert_int_equal(f->warnings, 1);
    gives(f, "4 ^ 6 & 4", 0);
    assert_int_equal(f->warnings, 1);
}

static void stored_values_wrap(void **state)
{
    fixture *f = *state;
    reaches(f, ONE("byte x = 255;", "q, r", "q -> r { effect x = x + 1; }"), "P.r && x == 0", true);
    reaches(f, ONE("byte x;", "q, r", "q -> r { effect x = x - 1; }"), "P.r && x == 255", true);
    reaches(f, ONE("int x = 32767;", "q, r", "q -> r { effect x = x + 1; }"), "x == -32768", true);
    reaches(f, ONE("int x;", "q, r", "q -> r { effect x = 65535; }"), "P.r && x == -1", true);
    assert_int_equal(
        fixture_size(f, ONE("byte x;", "q", "q -> q { effect x = x + 1; }")).states, 256);
}

/* Checks the first overflow from the initial state: "LINE:COLUMN variable value -> stored", or
 * "". */
static void overflow(fixture *f, const char *text, const char *expected)
{
    char said[128] = "";
    om_overflow o;
    om_model *m = fixture_load(f, text);
    int rc = om_model_find_overflow(m, om_model_initial(m), &o);
    if (rc == OM_OK)
        (void) snprintf(said, sizeof said, "%u:%u %s %d -> %d", o.place.line, o.place.column,
            o.variable, o.value, o.stored);
    else
        assert_int_equal(rc, OM_EINVAL);
    assert_string_equal(said, expected);
    if (rc == OM_OK)
        assert_string_equal(o.place.file, "m.dve");
    /* As an error of the model, it is a fault of the initial state. */
    assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_ERROR), OM_OK);
    dve_size size = fixture_explore(f, m);
    assert_int_equal(size.fault != 0, rc == OM_OK);
    om_model_free(m);
}

static void overflows(void **state)
{
    fixture *f = *state;
    overflow(f, ONE("byte x = 255;", "q, r", "q -> r { effect x = x + 1; }"), "1:69 x 256 -> 0");
    overflow(f, ONE("byte x = 255;", "q, r", "q -> r { effect x = x; }"), "");
    overflow(f, ONE("byte x;", "q, r", "q -> r { effect x = x - 1; }"), "1:63 x -1 -> 255");
    overflow(
        f, ONE("int x = 32767;", "q, r", "q -> r { effect x = x + 1; }"), "1:70 x 32768 -> -32768");
    overflow(f, ONE("int x = -32768;", "q, r", "q -> r { effect x = 0 - x; }"),
        "1:71 x 32768 -> -32768");
    overflow(f, ONE("byte a[3];", "q, r", "q -> r {\neffect a[0] = 1,\n a[1] = 700, a[2] = 900; }"),
        "3:2 a 700 -> 188");
    /* The value wraps only at 32 bits on the way, and then it fits. */
    overflow(f, ONE("int x = 32767;", "q, r", "q -> r { effect x = x * x * 4 * 4; }"),
        "1:70 x -1048560 -> 16");
    overflow(f, ONE("int x = 16384;", "q, r", "q -> r { effect x = x * x * 16; }"), "");
    /* Received values; a typed channel converts messages on purpose. */
#define PAIR(TYPES, TO, VALUE)                                                 \
    "byte b; int i; channel " TYPES "process S { state s, t; init s;\n"        \
    "trans s -> t { sync c!" VALUE "; }; }\nprocess R { state s, t; init s;\n" \
    "trans s -> t { sync c?" TO "; }; } system async;"
    overflow(f, PAIR("c; ", "b", "300"), "4:23 b 300 -> 44");
    overflow(f, PAIR("c; ", "i", "300"), "");
    overflow(f, PAIR("{byte} c[0]; ", "b", "300"), "");
    overflow(f, PAIR("{byte} c[0]; ", "i", "-1"), "");
    overflow(f, PAIR("{int} c[0]; ", "b", "300"), "4:23 b 300 -> 44");
    overflow(f, PAIR("{byte} c[2]; ", "b", "300"), "");
    overflow(f, PAIR("{byte,int} c[0]; ", "{i, b}", "{70000, -2}"), "4:27 b -2 -> 254");
    overflow(f,
        "byte x = 200, y = 100;\nprocess P { state q; init q; trans q -> q { effect x = y; }; }\n"
        "process Q { state q; init q; trans q -> q { effect y = x + y; }; } system sync;",
        "3:52 y 300 -> 44");
    /* The guards prevent overflows, so no assignment is examined. */
    om_model *m = fixture_load(f, ONE("byte x;", "q",
                                      "q -> q { guard x < 255; effect x = x + 1; },"
                                      "q -> q { guard x > 0; effect x = x - 1; }"));
    assert_int_equal(om_model_overflow_sites(m), 0);
    om_model_free(m);
}

static void initial_values(void **state)
{
    fixture *f = *state;
    reaches(f, ONE("byte a[3] = {1, 2};", "q", "q -> q {}"), "a[0]==1 && a[1]==2 && a[2]==0", true);
    reaches(f, ONE("const byte N = 3; byte x = N * 2 + 1;", "q", "q -> q {}"), "x == 7", true);
    reaches(f, ONE("byte a[2] = {4, 5}; byte x = a[1];", "q", "q -> q {}"), "x == 5", true);
    reaches(f,
        ONE("const byte T[3] = {4, 5, 6}; byte i = 2, x;", "q, r", "q -> r { effect x = T[i]; }"),
        "x == 6", true);
    reaches(f, ONE("byte a[2] = {1, 2, 3, 4};", "q", "q -> q {}"), "a[0]==1 && a[1]==2", true);
    assert_int_equal(f->warnings, 1);
    assert_string_equal(
        f->warning, "m.dve:1:20: \"a\" has room for 2 values; the rest are ignored");
    reaches(f, ONE("byte x = 300;", "q", "q -> q {}"), "x == 44", true);
    assert_string_equal(f->warning, "m.dve:1:10: 300 does not fit \"x\"; 44 is stored");
    om_overflow o;
    om_model *m = fixture_load(
        f, ONE("const int K = 70000; byte a[2] = {1, K, 7}, b = 0 - 3;", "q", "q -> q { }"));
    assert_int_equal(om_model_initial_overflows(m, &o), 3);
    assert_string_equal(o.variable, "K");
    assert_true(o.value == 70000 && o.stored == 4464 && o.low == -32768 && o.high == 32767);
    assert_int_equal(om_model_set_overflow(m, OM_OVERFLOW_ERROR), OM_EMODEL);
    assert_string_equal(om_context_error(f->ctx),
        "m.dve:1:15: the initial value 70000 does not fit K (-32768 .. 32767)");
    om_model_free(m);
    reaches(f, ONE("byte x = -1;", "q", "q -> q {}"), "x == 255", true);
}

/* As in DiVinE: wherever a variable is allowed, and with one warning per place, even if a
 * transition is joined with several others. */
static void arrays_without_an_index(void **state)
{
    static const char NO_INDEX[] = "is an array and has no index here; its element 0 is used";
    fixture *f = *state;
    char expected[128];
    reaches(f, ONE("byte a[3] = {1, 2, 3};", "q, r", "q -> r { effect a = a + 4; }"),
        "P.r && a[0] == 5 && a[1] == 2 && a[2] == 3", true);
    assert_int_equal(f->warnings, 2);
    reaches(f,
        ONE("const byte K[2] = {7, 8}; byte x = K, b[2] = {K, K[1]};", "q, r",
            "q -> r { guard K == 7; }"),
        "P.r && x == 7 && b[0] == 7 && b[1] == 8", true);
    assert_int_equal(f->warnings, 3);
    /* The sending transition is joined with two others. */
    reaches(f,
        "byte a[2] = {4, 5}; channel c; process R { byte v[2]; state s, t; init s;\n"
        "trans s -> t { sync c?v; }, s -> s { guard v; sync c?v[1]; }; }\n"
        "process P { state s, t; init s; trans s -> t { sync c!a; }; } system async;",
        "R->v[0] == 4 && R->v[1] == 0", true);
    assert_int_equal(f->warnings, 3);
    (void) snprintf(expected, sizeof expected, "m.dve:3:55: \"a\" %s", NO_INDEX);
    assert_string_equal(f->warning, expected);
    reaches(f,
        "byte i[2] = {1, 0}, a[2] = {4, 5}; process P { state s; init s; assert s: a == 4; }\n"
        "process Q { state s; init s; trans s -> s { guard a[i] == 4; }; }\n"
        "system async property Q;",
        "a[i] == 5", true);
    om_model *m = fixture_load(f,
        "byte a[2]; process P { byte a; state s; init s; trans s -> s { effect a = 1; }; }\n"
        "system async;");
    assert_int_equal(f->warnings, 0); /* the local variable hides the array */
    om_model_free(m);
}

static void effects_run_in_order(void **state)
{
    fixture *f = *state;
    reaches(f, ONE("byte x = 1, y = 2;", "q, r", "q -> r { effect x = y, y = x + 10; }"),
        "x == 2 && y == 12", true);
    reaches(f, ONE("byte i, a[3];", "q, r", "q -> r { effect i = 2, a[i] = i; }"),
        "a[2] == 2 && a[0] == 0", true);
}

static void processes(void **state)
{
    fixture *f = *state;
    /* A local hides a global; the arrow and the dot both access other processes. */
    static const char TEXT[] =
        "byte x = 9;\n"
        "process A { byte x = 1; state q, r; init q;"
        " trans q -> r { guard B.s and B->y == 7 && B.y == 7; effect x = x + 1; }; }\n"
        "process B { byte y; state q, s; init q; trans q -> s { effect y = 7; }; }\n"
        "system async;\n";
    om_model *m = fixture_load(f, TEXT);
    assert_true(fixture_reaches(f, m, "A.r && A.x == 2 && x == 9"));
    assert_false(fixture_reaches(f, m, "A.r && B.q"));
    assert_int_equal(fixture_explore(f, m).states, 3);
    assert_int_equal(om_model_process_count(m), 2);
    assert_string_equal(om_model_process(m, 1)->name, "B");
    assert_null(om_model_process(m, 2));
    assert_string_equal(om_model_transition(m, 0)->label, "A: q -> r");
    assert_int_equal(om_model_transition(m, 0)->place.line, 2);
    assert_int_equal(om_model_transition(m, 0)->place.column, 51);
    const om_slot *location = om_model_slot(m, om_model_find_slot(m, "A"));
    assert_int_equal(location->enumerators, 2);
    assert_string_equal(location->enumerator_names[1], "r");
    assert_int_not_equal(om_model_find_slot(m, "B.y"), OM_NONE);
    om_model_free(m);
}

/* "-> r" starts in the source state of the transition before it. */
static void short_transitions(void **state)
{
    dve_size s = fixture_size(*state, ONE("", "q, r, s", "q -> r {}, -> s {}, r -> s {}"));
    assert_int_equal(s.states, 3);
    assert_int_equal(s.transitions, 3);
    assert_int_equal(s.deadlocks, 1);
}

static void rendezvous(void **state)
{
    fixture *f = *state;
    /* Three receiving transitions of two processes and one sender: three pairs. A process does not
     * synchronise with itself. */
    static const char TEXT[] =
        "channel c;"
        "process S { byte v = 5; state q, r; init q; trans q -> r { sync c!v+1; effect v = 0; },"
        " q -> r { sync c?v; }; }"
        "process R1 { byte x; state q, r; init q; trans q -> r { sync c?x; effect x = x * 2; }; }"
        "process R2 { byte x; state q, r; init q; trans q -> r { guard S.r; sync c?x; },"
        " q -> r { sync c?x; }; }"
        "system async;";
    om_model *m = fixture_load(f, TEXT);
    assert_int_equal(om_model_transition_count(m), 3);
    assert_string_equal(om_model_transition(m, 0)->label, "S: q -> r | R1: q -> r (c)");
    assert_int_equal(om_model_transition(m, 0)->process, 0);
    assert_int_equal(om_model_transition(m, 0)->partner, 1);
    assert_true(fixture_reaches(f, m, "S.r && S.v == 0 && R1.r && R1.x == 12 && R2.q"));
    assert_true(fixture_reaches(f, m, "R2.x == 6"));
    assert_int_equal(fixture_explore(f, m).states, 3);
    om_model_free(m);
}

/* The message is evaluated before any effect; the receiver's effects come first, then the
 * sender's. */
static void rendezvous_order(void **state)
{
    reaches(*state,
        "byte g = 1; channel c;"
        "process S { state q, r; init q; trans q -> r { sync c!g; effect g = g * 10; }; }"
        "process R { byte x; state q, r; init q; trans q -> r { sync c?x; effect g = x + 2; }; }"
        "system async;",
        "R.x == 1 && g == 30", true);
    const fixture *f = *state;
    assert_int_equal(f->warnings, 1);
    assert_string_equal(f->warning,
        "m.dve:1:61: \"g\" is also assigned by \"R\", the receiver; the "
        "sender's effect prevails");
}

static void typed_channels(void **state)
{
    fixture *f = *state;
    static const char TEXT[] =
        "channel {byte, int} c[0];"
        "process S { state q, r; init q; trans q -> r { sync c!{300, 70000}; }; }"
        "process R { int x, y; state q, r; init q; trans q -> r { sync c?{x, y}; }; }"
        "system async;";
    reaches(f, TEXT, "R.r && R.x == 44 && R.y == 4464", true);
    reaches(f,
        "channel c; process S { state q, r; init q; trans q -> r { sync c!{1, 2}; }; }"
        "process R { int a[2]; state q, r; init q; trans q -> r { sync c?{a[0], a[1]}; }; }"
        "system async;",
        "R.a[0] == 1 && R.a[1] == 2", true);
}

static void buffered_channels(void **state)
{
    fixture *f = *state;
    /* 0 .. 2 messages in the channel: S sends 1, 2, 3; R receives them in order. */
    static const char TEXT[] =
        "channel {byte} c[2];"
        "process S { byte n = 1; state q; init q;"
        " trans q -> q { guard n <= 3; sync c!n; effect n = n + 1; }; }"
        "process R { byte x, last; state q, bad; init q;"
        " trans q -> q { sync c?x; effect last = x; }, q -> bad { guard last > 3; }; }"
        "system async;";
    om_model *m = fixture_load(f, TEXT);
    dve_size s = fixture_explore(f, m);
    /* (sent, received) with 0 <= sent - received <= 2 and sent <= 3 */
    assert_int_equal(s.states, 9);
    assert_int_equal(s.transitions, 5 + 6 - 1);
    assert_int_equal(s.deadlocks, 1);
    assert_true(fixture_reaches(f, m, "R.x == 3 && R.last == 3"));
    assert_false(fixture_reaches(f, m, "R.bad"));
    assert_string_equal(om_model_transition(m, 0)->label, "S: q -> q (c!)");
    assert_string_equal(om_model_transition(m, 1)->label, "R: q -> q (c?)");
    assert_int_not_equal(om_model_find_slot(m, "c"), OM_NONE);
    assert_int_not_equal(om_model_find_slot(m, "c.count"), OM_NONE);
    om_model_free(m);
    reaches(f,
        "channel {byte, int} c[3];"
        "process S { state q, r; init q; trans q -> r { sync c!{1, -2}; }; }"
        "process R { byte x; int y; state q, r; init q; trans q -> r { sync c?{x, y}; }; }"
        "system async;",
        "R.x == 1 && R.y == -2", true);
}

/* While A is in its committed state, no other process moves; and a committed process does not
 * synchronise with one that is not committed. */
static void committed_states(void **state)
{
    fixture *f = *state;
    static const char TEXT[] =
        "byte x; channel c;"
        "process A { state q, k, r; init q; commit k;"
        " trans q -> k { effect x = 1; }, k -> r { effect x = 2; }, k -> r { sync c!; }; }"
        "process B { state q, r; init q; trans q -> r { effect x = x + 10; }, q -> r { sync c?; };"
        " } system async;";
    om_model *m = fixture_load(f, TEXT);
    assert_true(fixture_reaches(f, m, "A.k && x == 1"));
    assert_true(fixture_reaches(f, m, "x == 12"));
    assert_false(fixture_reaches(f, m, "x == 11"));
    assert_false(fixture_reaches(f, m, "x == 1 && A.r"));
    /* (A, B, x): qq0 kq1 rq2 rr12 qr10 kr1 rr2 */
    assert_int_equal(fixture_explore(f, m).states, 7);
    om_model_free(m);
    /* Two committed processes may synchronise. */
    reaches(f,
        "channel c; process A { state q, r; init q; commit q; trans q -> r { sync c!; }; }"
        "process B { state q, r; commit q; init q; trans q -> r { sync c?; }; }"
        "system async;",
        "A.r && B.r", true);
    /* A committed process that cannot move stops all. */
    assert_int_equal(fixture_size(f, "process A { state q; init q; commit q; }"
                                     "process B { state q, r; init q; trans q -> r {}; }"
                                     "system async;")
                         .states,
        1);
}

static void assertions(void **state)
{
    fixture *f = *state;
    static const char TEXT[] = "byte x;\nprocess P { state q, r; init q;\n"
                               " assert q: x < 3, r: x == 2;\n"
                               " trans q -> q { effect x = x + 1; }, q -> r {}; } system async;";
    om_model *m = fixture_load(f, TEXT);
    assert_int_equal(om_model_assertion_count(m), 2);
    assert_string_equal(om_model_assertion(m, 0)->text, "P.q: x < 3");
    assert_int_equal(om_model_assertion(m, 1)->place.line, 3);
    assert_int_equal(om_model_assertion(m, 1)->place.column, 19);
    dve_size s = fixture_explore(f, m);
    assert_int_equal(OM_FAULT_KIND(s.fault), OM_FAULT_ASSERTION);
    om_model_free(m);
}

static void faults(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, ONE("byte a[2], i = 2;", "q", "q -> q { effect a[i] = 1; }"));
    assert_int_equal(OM_FAULT_KIND(fixture_explore(f, m).fault), OM_FAULT_INDEX);
    om_model_free(m);
    m = fixture_load(f, ONE("byte i;", "q", "q -> q { guard 1 / i == 0; }"));
    assert_int_equal(OM_FAULT_KIND(fixture_explore(f, m).fault), OM_FAULT_DIVISION);
    om_model_free(m);
    /* A guard is evaluated only in its own state. */
    assert_int_equal(
        fixture_size(f, ONE("byte i;", "q, r", "r -> q { guard 1 / i == 0; }")).states, 1);
}

/* The property process is not part of the system: it becomes an automaton. */
static void properties(void **state)
{
    fixture *f = *state;
    static const char TEXT[] =
        "byte x; process P { state q, r; init q; trans q -> r { effect x = 1; }; }\n"
        "process LTL { state a, b; init a; accept b; trans\n"
        " a -> a {},\n a -> b { guard not ( P.q  &&\n x == 0 ); },\n"
        " b -> b { guard P.q && x == 0; },\n b -> b { guard x /* why */ > 1; }; }\n"
        "system async property LTL;";
    om_model *m = fixture_load(f, TEXT);
    assert_int_equal(om_model_process_count(m), 1);
    assert_int_equal(fixture_explore(f, m).states, 2);
    assert_int_equal(om_model_property_count(m), 1);
    const om_property *p = om_model_property(m, 0);
    const om_automaton *a = p->automaton;
    assert_string_equal(p->name, "LTL");
    assert_int_equal(om_automaton_state_count(a), 2);
    assert_int_equal(om_automaton_edge_count(a), 4);
    assert_int_equal(om_automaton_ap_count(a), 2);
    assert_string_equal(om_automaton_ap(a, 0), "P.q && x == 0");
    assert_string_equal(om_automaton_ap(a, 1), "x > 1");
    assert_int_equal(om_automaton_initial_count(a), 1);
    uint32_t n = 0;
    const om_edge *e = om_automaton_edges(a, om_automaton_initial(a, 0), &n);
    const om_cube *cubes = om_automaton_cubes(a);
    assert_int_equal(n, 2);
    assert_true(om_edge_matches(&e[0], cubes, 0) && om_edge_matches(&e[0], cubes, 3));
    assert_true(om_edge_matches(&e[1], cubes, 0) && !om_edge_matches(&e[1], cubes, 1));
    assert_int_equal(e[0].marks | e[1].marks, 0);
    e = om_automaton_edges(a, e[1].dst, &n);
    assert_int_equal(n, 2);
    assert_true(om_edge_matches(&e[0], cubes, 1) && !om_edge_matches(&e[0], cubes, 2));
    assert_true(om_edge_matches(&e[1], cubes, 2) && !om_edge_matches(&e[1], cubes, 1));
    assert_int_equal(e[0].marks & e[1].marks, 1);
    assert_true((om_automaton_acceptance_classes(a) & (uint32_t) OM_ACCEPT_BUCHI) != 0);
    om_model_free(m);
}

/* Layout that is difficult for a lexer */
static void layout(void **state)
{
    fixture *f = *state;
    dve_size s = fixture_size(f, "/* a */ byte x/**/=/***/1;// b\r\n\tprocess\\\nP{state q;init q;"
                                 "trans q->q{guard-1<x;effect x=x;};}system async;//");
    assert_int_equal(s.states, 1);
    assert_int_equal(s.transitions, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(comparisons_and_logic),
        cmocka_unit_test(left_to_right),
        cmocka_unit_test(stored_values_wrap),
        cmocka_unit_test(overflows),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(arrays_without_an_index),
        cmocka_unit_test(effects_run_in_order),
        cmocka_unit_test(processes),
        cmocka_unit_test(short_transitions),
        cmocka_unit_test(rendezvous),
        cmocka_unit_test(rendezvous_order),
        cmocka_unit_test(typed_channels),
        cmocka_unit_test(buffered_channels),
        cmocka_unit_test(committed_states),
        cmocka_unit_test(assertions),
        cmocka_unit_test(faults),
        cmocka_unit_test(properties),
        cmocka_unit_test(layout),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
