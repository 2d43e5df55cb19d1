/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about invalid models, and their positions */
#include "fixture.h"

#include <stdlib.h>

typedef struct wrong {
    const char *text, *message;
} wrong;

#define P(BODY) "process P {\n" BODY "\n}\nsystem async;\n"
#define Q P("state q; init q;")

static const wrong SYNTAX[] = {
    { "", "m.dve:1:1: expected a declaration, \"process\" or \"system\", found the end" },
    { "byte", "m.dve:1:5: expected the name of a variable, found the end" },
    { "byte x", "m.dve:1:7: expected \",\" or \";\" after the variable, found the end" },
    { "byte x y;", "m.dve:1:8: expected \",\" or \";\" after the variable, found \"y\"" },
    { "byte process;", "m.dve:1:6: expected the name of a variable, found \"process\"" },
    { "const x;", "m.dve:1:7: expected \"byte\" or \"int\", found \"x\"" },
    { "byte a[];", "m.dve:1:8: expected a number, found \"]\"" },
    { "byte a[0];", "m.dve:1:8: \"0\" is not a size from 1 to 65536" },
    { "byte a[65537];", "m.dve:1:8: \"65537\" is not a size from 1 to 65536" },
    { "byte a[2;", "m.dve:1:9: expected \"]\" after the size, found \";\"" },
    { "byte a[2] = {1;", "m.dve:1:15: expected \",\" or \"}\" after a value, found \";\"" },
    { "byte a = ;", "m.dve:1:10: expected an expression, found \";\"" },
    { "int x = 99999999999;", "m.dve:1:9: this number is too large: \"99999999999\"" },
    { "int x = 2147483648;", "m.dve:1:9: this number is too large: \"2147483648\"" },
    { "int x = 1 @ 2;", "m.dve:1:11: this character is not valid in DVE: \"@\"" },
    { "int x = 'q';", "m.dve:1:9: this character is not valid in DVE: \"'\"" },
    { "int x = \x01;", "m.dve:1:9: a byte of value 1 is not valid in DVE" },
    { "int x = \xc3\xa9;", "m.dve:1:9: a byte of value 195 is not valid in DVE" },
    { "int x;\n /* to the\nend", "m.dve:2:2: this comment is never closed" },
    { "int x = \\ 1;", "m.dve:1:9: this character is not valid in DVE: \"\\\"" },
    { "channel;", "m.dve:1:8: expected the name of a channel, found \";\"" },
    { "channel c d;", "m.dve:1:11: expected \",\" or \";\" after the channel, found \"d\"" },
    { "channel {} c[0];", "m.dve:1:10: expected \"byte\" or \"int\", found \"}\"" },
    { "channel {byte int} c[0];",
        "m.dve:1:15: expected \",\" or \"}\" after a type, found \"int\"" },
    { "channel {byte} c[1025];", "m.dve:1:18: \"1025\" is not a size from 0 to 1024" },
    { "channel c[2];",
        "m.dve:1:10: a buffered channel needs types, as in \"channel {byte} c[2];\"" },
    { "process {", "m.dve:1:9: expected the name of a process, found \"{\"" },
    { "process P state q;",
        "m.dve:1:11: expected \"{\" after the name of the process, found \"state\"" },
    { P("init q;"), "m.dve:2:1: expected \"state\" or a variable, found \"init\"" },
    { P("channel c;"), "m.dve:2:1: expected \"state\" or a variable, found \"channel\"" },
    { P("state q, ;"), "m.dve:2:10: expected the name of a state, found \";\"" },
    { P("state q r;"), "m.dve:2:9: expected \",\" or \";\" after the state, found \"r\"" },
    { P("state q;"), "m.dve:3:1: expected \"init\", found \"}\"" },
    { P("state q; init q, q;"), "m.dve:2:16: expected \";\" after the initial state, found \",\"" },
    { P("state q; init q; init q;"), "m.dve:2:18: a second \"init\" in process \"P\"" },
    { P("state q; init q; assert q 1;"),
        "m.dve:2:27: expected \":\" before the condition, found \"1\"" },
    { P("state q; init q; assert q: 1"),
        "m.dve:3:1: expected \",\" or \";\" after the assertion, found \"}\"" },
    { P("state q; init q; q -> q {};"), "m.dve:2:18: expected \"trans\", \"commit\", \"accept\", "
                                        "\"assert\" or \"}\", found \"q\"" },
    { P("state q; init q; trans -> q {};"),
        "m.dve:2:24: expected the name of a state, found \"->\"" },
    { P("state q; init q; trans q - > q {};"),
        "m.dve:2:26: expected \"->\" after the state, found \"-\"" },
    { P("state q; init q; trans q -> q;"),
        "m.dve:2:30: expected \"{\" after the states, found \";\"" },
    { P("state q; init q; trans q -> q {}"),
        "m.dve:3:1: expected \",\" or \";\" after the transition, found \"}\"" },
    { P("state q; init q; trans q -> q {}; q -> q {};"),
        "m.dve:2:35: expected \"}\" at the end of the process, found \"q\"" },
    { P("state q; init q; trans q -> q { when 1; };"),
        "m.dve:2:33: expected \"guard\", \"sync\", \"effect\" or \"}\", found \"when\"" },
    { P("state q; init q; trans q -> q { guard 1 };"),
        "m.dve:2:41: expected \";\" after the guard, found \"}\"" },
    { P("state q; init q; trans q -> q { guard ; };"),
        "m.dve:2:39: expected an expression, found \";\"" },
    { P("state q; init q; trans q -> q { guard 1; guard 2; };"),
        "m.dve:2:42: expected \"sync\", \"effect\" or \"}\", found \"guard\"" },
    { P("state q; init q; trans q -> q { sync c; };"),
        "m.dve:2:39: expected \"!\" or \"?\" after the channel, found \";\"" },
    { P("state q; init q; trans q -> q { sync c!1 2; };"),
        "m.dve:2:42: expected \";\" after the synchronisation, found \"2\"" },
    { P("state q; init q; trans q -> q { sync c?1; };"),
        "m.dve:2:40: expected a variable to receive into, found \"1\"" },
    { P("state q; init q; trans q -> q { sync c!{1, 2; };"),
        "m.dve:2:45: expected \",\" or \"}\" after a value, found \";\"" },
    { P("state q; init q; trans q -> q { sync c!; guard 1; };"),
        "m.dve:2:42: expected \"effect\" or \"}\", found \"guard\"" },
    { P("state q; init q; trans q -> q { effect 1 = 2; };"),
        "m.dve:2:40: expected a variable to assign to, found \"1\"" },
    { P("state q; init q; trans q -> q { effect x == 2; };"),
        "m.dve:2:42: expected \"=\" after the variable, found \"==\"" },
    { P("state q; init q; trans q -> q { effect x = 2 };"),
        "m.dve:2:46: expected \",\" or \";\" after the effect, found \"}\"" },
    { P("state q; init q; trans q -> q { effect x = (2; };"),
        "m.dve:2:46: expected \")\", found \";\"" },
    { P("state q; init q; trans q -> q { effect x = a[2; };"),
        "m.dve:2:47: expected \"]\" after the index, found \";\"" },
    { P("state q; init q; trans q -> q { effect x = R.; };"),
        "m.dve:2:46: expected a state of that process, found \";\"" },
    { P("state q; init q; trans q -> q { effect x = R->1; };"),
        "m.dve:2:47: expected a variable of that process, found \"1\"" },
    { "process P { state q; init q; } system;",
        "m.dve:1:38: expected \"async\" or \"sync\", found \";\"" },
    { "process P { state q; init q; } system async",
        "m.dve:1:44: expected \";\" at the end of the system, found the end" },
    { "process P { state q; init q; } system async; byte x;",
        "m.dve:1:46: expected the end of the file, found \"byte\"" },
    { "process P { state q; init q; } system async property ;",
        "m.dve:1:54: expected the name of a process, found \";\"" },
};

#define T(BODY) P("byte x, a[2]; const byte K = 1; state q, r; init q; trans q -> r {\n" BODY "};")

static const wrong MEANING[] = {
    { "byte x; int x; " Q,
        "m.dve:1:13: variable \"x\" has the name of the variable declared at 1:6" },
    { "byte P; " Q, "m.dve:1:17: process \"P\" has the name of the variable declared at 1:6" },
    { "channel c; byte c; " Q,
        "m.dve:1:9: channel \"c\" has the name of the variable declared at 1:17" },
    { P("byte q; state q; init q;"),
        "m.dve:2:15: state \"q\" has the name of the variable declared at 2:6" },
    { P("state q, q; init q;"),
        "m.dve:2:10: state \"q\" has the name of the state declared at 2:7" },
    { P("state start; init stat;"), "m.dve:2:19: unknown state \"stat\"; did you mean \"start\"?" },
    { P("byte v; state q; init v;"), "m.dve:2:23: \"v\" is not a state of process \"P\"" },
    { P("state q; init q; commit z;"), "m.dve:2:25: unknown state \"z\"; did you mean \"q\"?" },
    { P("state qqq; init qqq; accept zzz;"), "m.dve:2:29: unknown state \"zzz\"" },
    { P("state qqq; init qqq; assert zzz: 1;"), "m.dve:2:29: unknown state \"zzz\"" },
    { P("state qqq; init qqq; trans zzz -> qqq {};"), "m.dve:2:28: unknown state \"zzz\"" },
    { P("state qqq; init qqq; trans qqq -> zzz {};"), "m.dve:2:35: unknown state \"zzz\"" },
    { "channel request; " P("state q; init q; trans q -> q { sync requset!; };"),
        "m.dve:2:38: unknown channel \"requset\"; did you mean \"request\"?" },
    { "byte c; " P("state q; init q; trans q -> q { sync c!; };"),
        "m.dve:2:38: \"c\" is not a channel" },
    { "channel c; " P("state q; init q; trans q -> q { sync c!1; }, q -> q { sync c?; };"),
        "m.dve:2:60: channel \"c\" carries 1 value at 2:38, not 0" },
    { "channel {byte, int} c[0]; " P("state q; init q; trans q -> q { sync c!1; };"),
        "m.dve:2:38: channel \"c\" carries 2 values, not 1" },
    { "byte a[2] = 1; " Q, "m.dve:1:13: the initial values of an array must be in braces" },
    { "byte a = {1}; " Q, "m.dve:1:11: \"a\" is not an array and takes one initial value" },
    { "byte a = b; " Q, "m.dve:1:10: unknown variable \"b\"; did you mean \"a\"?" },
    { "byte a = b, b; " Q, "m.dve:1:10: \"b\" has no value yet here" },
    { "byte a = 1 / 0; " Q,
        "m.dve:1:10: this initial value cannot be computed: it divides by zero" },
    { "byte a = P.q; " Q, "m.dve:1:12: a state cannot be used in an initial value" },
    { "byte a[2]; byte b = a[2]; " Q, "m.dve:1:23: \"a\" has no element 2" },
    { T("guard y;"), "m.dve:3:7: unknown variable \"y\"; did you mean \"x\"?" },
    { T("guard yyyy;"), "m.dve:3:7: unknown variable \"yyyy\"" },
    { T("guard x[1];"), "m.dve:3:7: \"x\" is not an array" },
    { T("guard r;"), "m.dve:3:7: \"r\" is a state, not a variable" },
    { T("guard 1 + P;"),
        "m.dve:3:11: \"P\" is a process, which has no value; \"P.STATE\" tests its state" },
    { T("guard O.q;"), "m.dve:3:7: unknown process \"O\"; did you mean \"P\"?" },
    { T("guard x.q;"), "m.dve:3:7: unknown process \"x\"; did you mean \"P\"?" },
    { T("guard P.sss;"), "m.dve:3:9: unknown state or variable \"sss\"" },
    { T("guard P->sss;"), "m.dve:3:10: unknown variable \"sss\"" },
    { T("guard P->q;"), "m.dve:3:10: \"q\" is a state of process \"P\", not a variable" },
    { T("guard P.q[1];"), "m.dve:3:9: \"q\" is a state of process \"P\", not a variable" },
    { T("effect K = 1;"), "m.dve:3:8: \"K\" is a constant and cannot be assigned to" },
    { T("effect q = 1;"), "m.dve:3:8: \"q\" is a state, not a variable" },
    { T("effect a[z] = 1;"), "m.dve:3:10: unknown variable \"z\"; did you mean \"x\"?" },
    { "channel c; " T("guard c;"), "m.dve:3:7: \"c\" is a channel, not a variable" },
    { "process P { state q; init q; } system async property Q;",
        "m.dve:1:54: unknown process \"Q\"; did you mean \"P\"?" },
    { "byte x; process P { state q; init q; } system async property x;",
        "m.dve:1:62: \"x\" is not a process" },
    { "process P { state q; init q; assert q: 1; } system async property P;",
        "m.dve:1:37: the property process cannot have assertions" },
    { "process P { byte v; state q; init q; trans q -> q { guard v; }; } "
      "system async property P;",
        "m.dve:1:59: \"v\" is a variable of the property process" },
    { "process R { state q; init q; trans q -> q { guard P.q; }; } "
      "process P { state q; init q; } system async property P;",
        "m.dve:1:53: \"P\" is the property process, which is not part of the system" },
};

static const wrong UNSUPPORTED[] = {
    { P("state q; init q; accept muller (q);"),
        "m.dve:2:25: \"accept muller\": only Buchi acceptance is supported" },
    { P("state q; init q; trans q => {q:1};"),
        "m.dve:2:26: \"=>\": probabilistic transitions are not supported" },
    { "byte x; process P { state q; init q; trans q -> q { effect x = 1; }; } "
      "system async property P;",
        "m.dve:1:44: the property process \"P\" may only have guards, not effects" },
    { "channel c; process P { state q; init q; trans q -> q { sync c!; }; } "
      "system async property P;",
        "m.dve:1:47: the property process \"P\" may only have guards, not synchronisations" },
    { "channel c; process P { state q; init q; trans q -> q { sync c!; }; } system sync;",
        "m.dve:1:61: channel \"c\" cannot be used in a synchronous system" },
};

static void says(fixture *f, const wrong *w, int status)
{
    om_model *m = NULL;
    om_context_clear(f->ctx);
    int rc = f->dve->load(f->ctx, "m.dve", w->text, strlen(w->text), NULL, &m);
    bool right = rc == status && m == NULL && strcmp(om_context_error(f->ctx), w->message) == 0;
    if (!right)
        print_message(
            "%s\n  status %d: %s\n  not: %s\n", w->text, rc, om_context_error(f->ctx), w->message);
    om_model_free(m);
    assert_true(right);
}

static void syntax(void **state)
{
    for (size_t i = 0; i < sizeof SYNTAX / sizeof *SYNTAX; i++)
        says(*state, &SYNTAX[i], OM_EINPUT);
}

static void meaning(void **state)
{
    for (size_t i = 0; i < sizeof MEANING / sizeof *MEANING; i++)
        says(*state, &MEANING[i], OM_EINPUT);
}

static void unsupported(void **state)
{
    for (size_t i = 0; i < sizeof UNSUPPORTED / sizeof *UNSUPPORTED; i++)
        says(*state, &UNSUPPORTED[i], OM_EUNSUPPORTED);
}

/* Loads a model whose guard repeats one piece many times. */
static void repeated(fixture *f, const char *first, const char *piece, size_t count,
    const char *last, int status, const char *message)
{
    om_text t = { .heap = om_context_heap(f->ctx) };
    om_model *m = NULL;
    om_text_add(&t, "process P { state q; init q; trans q -> q { guard ");
    om_text_add(&t, first);
    for (size_t i = 0; i < count; i++)
        om_text_add(&t, piece);
    om_text_add(&t, last);
    om_text_add(&t, "; }; } system async;");
    assert_false(t.failed);
    om_context_clear(f->ctx);
    int rc = f->dve->load(f->ctx, "m.dve", t.text, t.length, NULL, &m);
    if (rc != status)
        print_message("%s x %zu: %d %s\n", piece, count, rc, om_context_error(f->ctx));
    assert_int_equal(rc, status);
    assert_string_equal(om_context_error(f->ctx), message);
    om_model_free(m);
    om_text_free(&t);
}

/* An expression of any depth does not exhaust the stack. */
static void depth(void **state)
{
    fixture *f = *state;
    static const char DEEP[] = "this expression is nested too deeply";
    char message[128];
    repeated(f, "1", " - 1", 999, "", OM_OK, "");
    (void) snprintf(message, sizeof message, "m.dve:1:%d: %s", 51 + 4 * 99999 + 2, DEEP);
    repeated(f, "1", " - 1", 100000, "", OM_EINPUT, message);
    repeated(f, "", "(", 190, "1", OM_EINPUT, "m.dve:1:242: expected \")\", found \";\"");
    (void) snprintf(message, sizeof message, "m.dve:1:%d: %s", 51 + 200, DEEP);
    repeated(f, "", "(", 1000000, "1", OM_EINPUT, message);
    repeated(f, "", "-", 1000000, "1", OM_EINPUT, message);
    (void) snprintf(message, sizeof message, "m.dve:1:%d: %s", 51 + 4 * 200, DEEP);
    repeated(f, "", "not ", 1000000, "1", OM_EINPUT, message);
    (void) snprintf(message, sizeof message, "m.dve:1:%d: %s", 51 + 2 * 200, DEEP);
    repeated(f, "", "a[", 1000000, "1", OM_EINPUT, message);
}

/* Models that are only too large as a whole, and the place at which they exceed the limit */
static void too_large(void **state)
{
    fixture *f = *state;
    om_text t = { .heap = om_context_heap(f->ctx) };
    om_model *m = NULL;
    repeated(f, "1 - 1 != 7\n", "and P.q * P.q - P.q != P.q * 5\n", 60000, "", OM_EINPUT,
        "m.dve:1:51: expression: it is too large");
    om_text_add(&t, "int x;\n");
    for (int i = 0; i < 40; i++)
        om_text_printf(&t, "int a%d[65536];\n", i);
    om_text_add(&t, "process P { state q; init q; trans q -> q { effect x = x + 1; }");
    for (int i = 0; i < 40; i++)
        om_text_printf(&t, ", q -> q { effect a%d[x] = a%d[x] * 3 + 1; }", i, i);
    om_text_add(&t, "; } system async;");
    om_context_clear(f->ctx);
    assert_int_equal(f->dve->load(f->ctx, "m.dve", t.text, t.length, NULL, &m), OM_EINPUT);
    assert_string_equal(om_context_error(f->ctx),
        "m.dve:33:5: with a31, the variables of the model take more than 4194304 bytes per state");
    om_text_free(&t);
}

static void too_many_guards(void **state)
{
    fixture *f = *state;
    for (int n = 64; n <= 65; n++) {
        om_text t = { .heap = om_context_heap(f->ctx) };
        om_model *m = NULL;
        om_text_add(&t, "byte x; process S { state q; init q; }\n"
                        "process P { state q; init q; trans ");
        for (int i = 0; i < n; i++)
            om_text_printf(&t, "%s\nq -> q { guard x == %d; }", i == 0 ? "" : ",", i);
        om_text_add(&t, "; } system async property P;");
        om_context_clear(f->ctx);
        int rc = f->dve->load(f->ctx, "m.dve", t.text, t.length, NULL, &m);
        assert_int_equal(rc, n == 64 ? OM_OK : OM_EUNSUPPORTED);
        assert_string_equal(om_context_error(f->ctx),
            n == 64 ? "" : "m.dve:67:16: the property has more than 64 different guards");
        om_model_free(m);
        om_text_free(&t);
    }
}

/* `system sync`: 16 processes of two transitions each have 65536 joint ones; 17 have too many. */
static void too_many_joint(void **state)
{
    fixture *f = *state;
    om_text t = { .heap = om_context_heap(f->ctx) };
    om_model *m = NULL;
    for (int i = 0; i < 17; i++)
        om_text_printf(&t, "process P%d { state q; init q; trans q -> q {}, q -> q {}; }\n", i);
    om_text_add(&t, "system sync;");
    om_context_clear(f->ctx);
    assert_int_equal(f->dve->load(f->ctx, "m.dve", t.text, t.length, NULL, &m), OM_EINPUT);
    assert_string_equal(om_context_error(f->ctx),
        "m.dve:17:9: the processes up to \"P16\" have more than 65536 joint transitions");
    om_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax),
        cmocka_unit_test(meaning),
        cmocka_unit_test(unsupported),
        cmocka_unit_test(depth),
        cmocka_unit_test(too_large),
        cmocka_unit_test(too_many_guards),
        cmocka_unit_test(too_many_joint),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
