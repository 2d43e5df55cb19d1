/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about models that are invalid or not supported, and their positions */
#include "fixture.h"

#include <stdlib.h>

typedef struct wrong {
    const char *text, *message;
} wrong;

#define P(BODY) "byte x;\nactive proctype P() {\n" BODY "\n}\n"

static const wrong SYNTAX[] = {
    { "", "m.pml:1:1: no process runs: there is neither \"init\" nor an active proctype" },
    { "byte", "m.pml:1:5: expected the name of a variable, found the end" },
    { "byte x y;", "m.pml:1:8: expected a declaration or a proctype, found \"y\"" },
    { "byte a[0];", "m.pml:1:8: \"0\" is not a number from 1 to 65536" },
    { "byte a[2;", "m.pml:1:9: expected \"]\" after the size, found \";\"" },
    { "byte x = ;", "m.pml:1:10: expected an expression, found \";\"" },
    { "byte x = 99999999999;", "m.pml:1:10: this number is too large" },
    { "byte x = 4294967296;", "m.pml:1:10: this number is too large" },
    { "byte x = 3y;", "m.pml:1:10: a number ends in a letter" },
    { "byte x; byte x;", "m.pml:1:14: \"x\" is declared twice" },
    { "unsigned u;", "m.pml:1:11: expected \":\" and a number of bits, found \";\"" },
    { "unsigned u : 40;", "m.pml:1:14: \"40\" is not a number from 1 to 31" },
    { "byte x = `;", "m.pml:1:10: this character is not valid in Promela: \"`\"" },
    { "byte x = \x01;", "m.pml:1:10: a byte of value 1 is not valid in Promela" },
    { "\n/* to the\nend", "m.pml:2:1: this comment is never closed" },
    { P("x = 1 x = 2"), "m.pml:3:7: expected \";\" after the statement, found \"x\"" },
    { P("x = 1;; x ="), "m.pml:4:1: expected an expression, found \"}\"" },
    { P("if :: x = 1"), "m.pml:4:1: expected \"::\" or \"fi\", found \"}\"" },
    { P("do x = 1 od"), "m.pml:3:4: expected \"::\", found \"x\"" },
    { P("if :: fi"), "m.pml:3:7: expected a statement, found \"fi\"" },
    { P("{ x = 1; "), "m.pml:2:21: this block is never closed" },
    { "active proctype P() { skip", "m.pml:1:21: this block is never closed" },
    { P("atomic { }"), "m.pml:3:1: this block has no statement" },
    { P("printf(x)"), "m.pml:3:8: expected a text, found \"x\"" },
    { P("printf(\"x)"), "m.pml:3:8: this text is never closed" },
    { P("for (x : 1 2) { skip }"),
        "m.pml:3:12: expected \"..\" between the ends of the range, found \"2\"" },
    { "mtype = { a 1 };", "m.pml:1:13: expected a name, found \"1\"" },
    { "byte n = 70000;\nbyte a[n];", "m.pml:2:8: \"70000\" is not a number from 1 to 65536" },
    { "byte x; active proctype P() { xr x; skip }", "m.pml:1:34: \"x\" is not a channel" },
    { "chan q[2] = [1] of { bit }; init { xs q; skip }",
        "m.pml:1:39: \"q\" is an array: its index is missing" },
    { "init { xs; skip }", "m.pml:1:10: expected a variable, found \";\"" },
    { "init { xr q; skip }", "m.pml:1:11: there is no variable \"q\"" },
    { "chan q = [1] of { bit }; active proctype P() { xs q } active proctype Q() { xs q }",
        "m.pml:1:80: another process already has exclusive access to \"q\"" },
    { "ltl p { true; x }; init { skip }",
        "m.pml:1:15: expected \"}\" after the formula, found \"x\"" },
    { "ltl p { true", "m.pml:1:7: this block is never closed" },
    { "mtype = { a, a };", "m.pml:1:14: \"a\" is already an mtype" },
    { "proctype P(byte a; b[2]) { skip }", "m.pml:1:20: a parameter must be a plain variable" },
};

static const wrong NAMES[] = {
    { "byte counter;\nactive proctype P() { couter = 1 }",
        "m.pml:2:23: there is no variable \"couter\"; did you mean \"counter\"?" },
    { P("other == 1"), "m.pml:3:1: there is no variable \"other\"" },
    { P("x[1] = 2"), "m.pml:3:3: \"x\" is not an array: its only index is 0" },
    { P("byte a[2]; a = 2"), "m.pml:3:12: \"a\" is an array: its index is missing" },
    { P("x.f = 1"), "m.pml:3:2: \"x\" has no fields" },
    { "typedef T { byte a };\nT t;\nactive proctype P() { t.b = 1 }",
        "m.pml:3:25: there is no field \"b\"" },
    { P("goto L"), "m.pml:3:1: there is no label \"L\"" },
    { P("L: x = 1; L: x = 2"), "m.pml:3:11: the label \"L\" is defined twice" },
    { P("break"), "m.pml:3:1: \"break\" is not in a loop" },
    { P("run Q()"), "m.pml:3:5: there is no proctype \"Q\"; did you mean \"P\"?" },
    { P("run other()"), "m.pml:3:5: there is no proctype \"other\"" },
    { P("byt y;"), "m.pml:3:1: there is no type \"byt\"; did you mean \"byte\"?" },
    { P("x = 1; number y;"), "m.pml:3:8: there is no type \"number\"" },
    { "typedef Pair { byte a }\n" P("Par y;"),
        "m.pml:4:1: there is no type \"Par\"; did you mean \"Pair\"?" },
    { P("(run P()) > 0"), "m.pml:3:1: a condition with a \"run\" must consist of it alone" },
    { P("byte a[2]; x = 1; a[run P()] = 1"), "m.pml:3:21: no process can be started here" },
    { P("x = 1; byte y = run P()"), "m.pml:3:17: no process can be started here" },
    { P("byte y = run P()"), "m.pml:3:10: no process can be started here" },
    { "byte x = run P(); proctype P() { skip } init { skip }",
        "m.pml:1:10: no process can be started here" },
    { P("for (x : run P() .. 2) { skip }"), "m.pml:3:10: no process can be started here" },
    { "chan c = [1] of { byte }; active proctype P() { c!run P() }",
        "m.pml:1:51: no process can be started here" },
    { P("x!1"), "m.pml:3:1: \"x\" is not a channel" },
    { P("len(x) > 0"), "m.pml:3:5: \"x\" is not a channel" },
    { "chan c[2] = [1] of { byte };\nactive proctype P() { c[1]!1, 2 }",
        "m.pml:2:23: a message of the channel \"c\" has 1 field, this one has 2" },
    { "typedef T { byte a[2] };\nproctype P(byte b; T t) { skip }",
        "m.pml:2:22: a parameter cannot contain arrays, such as \"a\"" },
    { "typedef T { byte a, b };\nproctype P(T t) { skip }\ninit { run P(1) }",
        "m.pml:3:8: \"P\" has 2 parameters, not 1" },
    { "byte n = 1, m = n;\nactive [m] proctype P() { skip }",
        "m.pml:2:9: the initial value of \"m\" is not a constant" },
    { "chan c = [1] of { byte };\nactive proctype P() { c?1 + 2 }",
        "m.pml:2:27: expected \";\" after the statement, found \"+\"" },
    { "proctype Q(byte a) { skip }\ninit { run Q() }", "m.pml:2:8: \"Q\" has 1 parameter, not 0" },
    { "proctype P() { skip }\nproctype P() { skip }", "m.pml:2:10: \"P\" is already a proctype" },
    { P("d_step { goto L }; L: skip"),
        "m.pml:3:10: a jump into or out of a d_step is not allowed" },
    { P("do :: x == 1 :: if :: x == 2 :: else fi :: else od"),
        "m.pml:3:44: a process would have to choose between two \"else\" here" },
    { "chan c = [0] of { byte };\nactive proctype P() { c!1 }\n"
      "active proctype Q() { byte x; c?<x> }",
        "m.pml:3:31: a rendezvous leaves no message for \"?<...>\" to keep" },
    { "chan c = [0] of { byte };\nactive proctype P() { c?[1] }",
        "m.pml:2:23: \"c\" is a rendezvous channel, which never holds a message" },
    { "byte x = { 1 }; active proctype P() { skip }", "m.pml:1:10: \"x\" is not an array" },
    { "byte x[2] = { 1, 2, 3 }; active proctype P() { skip }",
        "m.pml:1:21: \"x\" has fewer elements" },
    { "active proctype P() priority 256 { skip }",
        "m.pml:1:30: \"256\" is not a number from 1 to 255" },
    { P("pc_value() > 2"), "m.pml:3:10: expected an expression, found \")\"" },
    { "byte x = pc_value(1); init { skip }",
        "m.pml:1:10: \"pc_value\" cannot be used in an initial value" },
    { P("byte y[2] = { 1, 2 }; x = 1; byte z[2] = { 1, 2 }"),
        "m.pml:3:35: a list of values must come before all statements" },
    { P("x = 1; chan c = [1] of { byte }"),
        "m.pml:3:13: channels must be declared at the beginning of a proctype" },
    { P("set_priority(1)"), "m.pml:3:15: expected \",\" and a priority, found \")\"" },
    { "byte x = 1 / 0; active proctype P() { skip }",
        "m.pml:1:10: this initial value cannot be computed" },
};

/* A name has one meaning, as in SPIN. */
static const wrong AGAIN[] = {
    { "byte P; active proctype P() { skip }",
        "m.pml:1:25: this is already the name of a variable" },
    { "active proctype P() { skip } byte P;", "m.pml:1:35: \"P\" is already a proctype" },
    { "mtype = { a }; byte a; init { skip }", "m.pml:1:21: \"a\" is already an mtype" },
    { "mtype = { a }; mtype:m = { a }; init { skip }", "m.pml:1:28: \"a\" is already an mtype" },
    { "typedef T { byte f; byte f }; T t; init { skip }", "m.pml:1:26: \"f\" is declared twice" },
    { "typedef T { byte f }; byte T; init { skip }", "m.pml:1:28: \"T\" is already a type" },
    { "inline f() { skip } inline f() { skip } init { f() }",
        "m.pml:1:28: \"f\" is already an inline" },
    { "inline f() { skip } init { byte f }", "m.pml:1:33: \"f\" is already an inline" },
    { "active proctype P() { skip } proctype P() { skip }",
        "m.pml:1:39: \"P\" is already a proctype" },
    { P("byte x"), "m.pml:3:6: \"x\" is declared twice" },
    { P("byte y; { byte y; y = 1 }"), "m.pml:3:16: \"y\" is declared twice" },
    { "proctype P(byte a) { { byte a; a = 1 } } init { run P(1) }",
        "m.pml:1:29: \"a\" is declared twice" },
    { P("byte _pid"), "m.pml:3:6: \"_pid\" is predefined" },
    { "mtype = { a }; init { a: skip }", "m.pml:1:23: \"a\" is already an mtype" },
    { "active proctype p() { skip } ltl p { true }", "m.pml:1:34: \"p\" is already a proctype" },
};

#define EIGHT(S) S S S S S S S S

static const wrong MACROS[] = {
    { "#define f(a) a + 1\nactive proctype P() { byte x;\n x = f(1, 2) }",
        "m.pml:3:6: the macro \"f\" has 1 parameters, not 2" },
    { "#define f(a) a + 1\nactive proctype P() { byte x;\n x = f(1 }",
        "m.pml:3:6: the arguments of the macro \"f\" are never closed" },
    { "#define f(" EIGHT(EIGHT("a,")) "...) 1\nactive proctype P() { byte x;\n x = f(" EIGHT(
          "1,1,1,1,1,1,1,") "1,1,1,1,1,1,1,1) }",
        "m.pml:3:6: a macro has too many arguments" },
    { "#define a b\n#define b a\nactive proctype P() {\n a = 1 }",
        "m.pml:4:2: there is no variable \"a\"" },
    { "#define N y\nactive proctype P() { byte x;\n\n  x = N }",
        "m.pml:4:7: there is no variable \"y\"; did you mean \"x\"?" },
    { "#define f(a) a ##\ninit { skip }", "m.pml:1:16: \"##\" must be between two words" },
    { "#define f ## a\ninit { skip }", "m.pml:1:11: \"##\" must be between two words" },
    { "#define f(a) # 1\ninit { skip }",
        "m.pml:1:14: \"#\" must be before a parameter of the macro" },
    { "#define f(a,b) a ## b\nbyte x; init { x = f(x, -) }",
        "m.pml:2:20: \"##\" of \"x\" and \"-\" does not form a word" },
    { "#define f(a) #a\nbyte x; init { x = f(\"y\") }",
        "m.pml:2:20: expected an expression, found \"\"\\\"y\\\"\"\"" },
    { "#if 1\nbyte x;", "m.pml:1:1: this condition has no \"#endif\"" },
    { "byte x;\n#endif", "m.pml:2:1: \"#endif\" without an \"#if\"" },
    { "#if 0\n#else\n#else\n#endif", "m.pml:3:1: this condition already has an \"#else\"" },
    { "#if 1 / 0\n#endif", "m.pml:1:1: this condition cannot be computed" },
    { "#define 3", "m.pml:1:1: \"#define\" must be followed by a name" },
    { "#define f(1) 2", "m.pml:1:9: the parameters of this macro must be names in parentheses" },
    { "#include a", "m.pml:1:1: \"#include\" must be followed by the name of a file in double "
                    "quotes or angle brackets" },
    { "#include \"/etc/passwd\"", "m.pml:1:10: \"/etc/passwd\" lies outside the folder of the "
                                  "model: -I DIR, or --include-root "
                                  "DIR, allows files of DIR to be included" },
    { "#include \"no-such-file\"", "m.pml:1:10: there is no file \"no-such-file\" in the working "
                                   "folder: -I DIR adds a folder to search" },
    { "#include <no-such-file>",
        "m.pml:1:10: there is no file \"no-such-file\": -I DIR adds a folder to search" },
    { "#include <no-such-file", "m.pml:1:1: \"#include\" must be followed by the name of a file in "
                                "double quotes or angle brackets" },
    { "#include \"\"", "m.pml:1:10: the name of a file is missing" },
    { "#error it isn't here", "m.pml:1:1: #error: it isn't here" },
    { "#if\n#endif", "m.pml:1:1: a condition is missing here" },
    { "#if defined\n#endif", "m.pml:1:5: \"defined\" must be followed by a name" },
    { "#define f(a, b, ...) a\nactive proctype P() { f() }",
        "m.pml:2:23: the macro \"f\" has 3 parameters, not 1" },
    { "#define f(..., a) a\n",
        "m.pml:1:9: the parameters of this macro must be names in parentheses" },
    { "#wrong", "m.pml:1:1: \"#wrong\" is not a supported directive" },
    { "#line 20 \"other.pml\"\nbyte x y;", "other.pml:20:8: expected a declaration or a proctype, "
                                           "found \"y\"" },
    { "inline f(a) {\n a = 1", "m.pml:1:13: this block is never closed" },
    { "inline f() { f() }\nactive proctype P() { f() }",
        "m.pml:1:14: the inline \"f\" uses itself" },
    { P("return 1"), "m.pml:3:1: \"return\" is only allowed in an inline whose value is stored" },
    { "inline f() { return 1 }\nactive proctype P() { f() }",
        "m.pml:1:14: \"return\" is only allowed in an inline whose value is stored" },
    { "inline f() { return }\nbyte x; active proctype P() { x = f() }",
        "m.pml:1:21: expected an expression, found \"}\"" },
    { "inline f() { return 1 }\nbyte x; active proctype P() { x = f() + 1 }",
        "m.pml:2:39: expected an expression, found \"+\"" },
    { "inline f() { x = f() }\nbyte x; active proctype P() { x = f() }",
        "m.pml:1:18: the inline \"f\" uses itself" },
    { "inline f(a) { a = 1 }\nactive proctype P() { f(1, 2) }",
        "m.pml:2:23: the number of arguments differs from the parameters of this inline" },
};

static const wrong REFUSED[] = {
    { P("c_code { x = 1; }"), "m.pml:3:1: embedded C code is not supported" },
    { P("d_step { x = 1 unless x = 2 }"), "m.pml:3:10: \"unless\" is not allowed in a d_step" },
    { "chan c = [0] of { byte, byte }; byte x, y;\nactive proctype P() { c!x, y }\n"
      "active proctype Q() { c?y, x }",
        "m.pml:2:23: a message whose reception changes the values that are sent is not supported" },
    { "active proctype P() { enabled(1) }\nactive proctype Q() { enabled(0) }",
        "m.pml:1:23: \"enabled\" of processes that apply it to each other is not supported" },
    { "chan c = [0] of { byte };\nactive proctype P() priority 2 { c!1 }\n"
      "active proctype Q() { byte x; c?x }",
        "m.pml:2:34: a rendezvous of processes with priorities is not supported" },
    { "byte x; active proctype P() { skip }\nnever { x = 1 }",
        "m.pml:2:9: a claim may have only conditions and assertions: statements that change the "
        "model are not supported" },
    { "active proctype P() { skip }\nnever { byte n; n == 1 }",
        "m.pml:2:14: a claim cannot have variables of its own" },
    { P("x = run P() + run P()"),
        "m.pml:3:15: more than one \"run\" in a statement is not supported" },
};

#define TRACE(BODY) "chan c = [1] of { byte }; active proctype P() { c!1 }\ntrace { " BODY " }"

static const wrong TRACES[] = {
    { TRACE("do :: skip od"),
        "m.pml:2:15: a trace may have only events \"c!...\" and \"c?...\", choices and jumps" },
    { TRACE("c??1"),
        "m.pml:2:9: a trace may have only events \"c!...\" and \"c?...\", choices and jumps" },
    { TRACE("d_step { c!1 }"),
        "m.pml:2:9: a trace may have only events \"c!...\" and \"c?...\", choices and jumps" },
    { TRACE("c!1, 2"), "m.pml:2:9: a message of the channel \"c\" has 1 field, this one has 2" },
    { TRACE("d!1"), "m.pml:2:9: there is no variable \"d\"; did you mean \"c\"?" },
    { TRACE("byte x; x!1"), "m.pml:2:17: the channels of a trace must be global" },
    { "byte x; active proctype P() { skip }\ntrace { x!1 }", "m.pml:2:9: \"x\" is not a channel" },
    { "chan v[2] = [1] of { byte }; byte x; active proctype P() { v[0]!1 }\ntrace { v[x]!1 }",
        "m.pml:2:11: the channels of a trace must have constant indices" },
    { TRACE("c!1 }\nnotrace { c!1"), "m.pml:3:1: there is more than one trace" },
    { "trace t { skip }", "m.pml:1:7: expected \"{\", found \"t\"" },
    { TRACE(""), "m.pml:2:1: this trace has no event" },
    { "chan c = [1] of { byte, byte }; byte x; active proctype P() { c!1, 1; c?x, 1 }\n"
      "trace { c!1; c?eval(x) }",
        "m.pml:1:73: receiving a message into a variable that an eval(...) of the trace reads is "
        "not supported" },
};

static void check(const fixture *f, const wrong *list, size_t count)
{
    unsigned bad = 0;
    for (size_t i = 0; i < count; i++) {
        om_model *m = NULL;
        om_context_clear(f->ctx);
        int rc = f->promela->load(f->ctx, "m.pml", list[i].text, strlen(list[i].text), NULL, &m);
        om_model_free(m);
        if (rc == OM_OK || strcmp(om_context_error(f->ctx), list[i].message) != 0) {
            print_message("%s\n gives  %s\n not    %s\n", list[i].text, om_context_error(f->ctx),
                list[i].message);
            bad++;
        }
        assert_true(rc == OM_EINPUT || rc == OM_EUNSUPPORTED || rc == OM_OK);
    }
    assert_int_equal(bad, 0);
}

#define TEST(NAME, LIST)                                    \
    static void NAME(void **state)                          \
    {                                                       \
        check(*state, LIST, sizeof(LIST) / sizeof *(LIST)); \
    }
TEST(syntax, SYNTAX)
TEST(names, NAMES)
TEST(again, AGAIN)
TEST(macros, MACROS)
TEST(refused, REFUSED)
TEST(traces, TRACES)

/* Input of any depth gives a message and never exhausts the stack. */
static void depth(void **state)
{
    static const struct {
        const char *before, *again, *behind;
    } LIST[] = { { "byte x = ", "(", "" }, { "chan c = [1] of { byte }; init { c?", "(", "" },
        { "byte x = ", "-", "" }, { "byte x = ", "1 + (", "" },
        { "active proctype P() {", "{", "" }, { "active proctype P() {", "if :: ", "" },
        { "active proctype P() { skip", " unless {", "" }, { "byte a[2]; byte x = ", "a[", "" },
        { "active proctype P() {", "atomic { do :: ", "" }, { "ltl p {", "[](", "" },
        { "#define f(a) a\nbyte x = ", "f(", "" } };
    const fixture *f = *state;
    for (size_t i = 0; i < sizeof LIST / sizeof *LIST; i++) {
        om_text text = { .heap = om_context_heap(f->ctx) };
        om_model *m = NULL;
        om_text_add(&text, LIST[i].before);
        for (unsigned k = 0; k < 100000; k++)
            om_text_add(&text, LIST[i].again);
        om_context_clear(f->ctx);
        assert_int_equal(
            f->promela->load(f->ctx, "m.pml", text.text, text.length, NULL, &m), OM_EINPUT);
        assert_non_null(strstr(om_context_error(f->ctx), "m.pml:"));
        om_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax),
        cmocka_unit_test(names),
        cmocka_unit_test(again),
        cmocka_unit_test(macros),
        cmocka_unit_test(refused),
        cmocka_unit_test(traces),
        cmocka_unit_test(depth),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
