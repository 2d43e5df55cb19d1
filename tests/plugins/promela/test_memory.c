/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that loading leaks nothing if memory runs out at any point. */
#include "fixture.h"
#include "heap.h"

static const char MODEL[] =
    "#define N 2\n#define two(a, b) a##b\n#define say(a) printf(#a)\n#define inc(v) v = (v + 1) % "
    "N\n"
    "mtype = { a, b }; typedef T { byte f; bool g }; T t[2]; chan c = [2] of { mtype, byte };\n"
    "chan r = [0] of { byte }; byte x = 1; unsigned u : 3;\n"
    "inline twice(v) { inc(v); say(two(v, \"x\") v); two(i, nc(v)) }\n"
    "proctype Q(chan k; byte n) { byte y; xr k; end: do :: k?y -> assert(y < 9) :: timeout -> "
    "break od "
    "}\n"
    "active proctype P() provided (x < 9) { byte i; xs c; L: if :: atomic { x == 1 -> x = 2; r!1; "
    "t[x - "
    "1].f = 1 }\n"
    " :: c!!a, 3 :: c??eval(x), _ :: d_step { x > 3; x = (x > 1 -> 0 : 1) } :: else -> goto L fi;\n"
    " for (i : 0 .. 1) { twice(x) }; i = run Q(r, x) }\n"
    "init { atomic { run Q(r, 1); do :: x < 2 -> run Q(r, 2) :: break od } }\n"
    "ltl p { [] (x > 0 -> <> !(u == 1)) U P@L } ltl { always (x < 9 || t[0].g) }\n"
    "never { do :: x > 3 -> break :: else od; accept: do :: P@L :: len(c) == 1 od }\n";

static const char MORE[] =
    "typedef In { chan c = [1] of { byte }; byte x = 3; bit b[2] };\n"
    "typedef Out { In i[2]; chan d[2] = [0] of { byte } };\nOut o; byte a[3] = { 1, 2 }; byte x;\n"
    "inline h(v) { if :: v > 1 -> return v :: else -> return run C(v) fi }\n"
    "inline f(v) { skip; again: v++; if :: v < 3 -> goto again :: else fi }\n"
    "proctype C(byte n) { In own; byte l[2] = { 4 }; own.c!n; f(l[1]); l[0] = h(own.x); "
    "set_priority(_pid, 2) }\n"
    "active proctype P() priority 3 { run C(1) priority 2; atomic { o.i[1].c!1; timeout; x = 1 }; "
    "L: x = x - run C(x); x = (x > 1 -> run C(2) : pc_value(0));\n"
    " { do :: enabled(0) -> break :: get_priority(1) > _priority -> _priority = 4 od }\n"
    " unless { if :: o.i[0].x == 9 -> x = _last :: else -> x = 2 fi } }\n"
    "never { do :: atomic { x == 1 -> assert(_last == 0) } :: d_step { x == 2; x > 3 } unless x == "
    "4 :: else od }\n"
    "notrace { end: do :: o.i[1].c!1 :: o.i[0].c?eval(x); break od }\n";

static const char WRONG[] = "byte counter; active proctype P() { couter = 1 }";

/* Loads with allocation n failing, for n = 0, 1, ..., until none fails. */
static size_t load_with_failures(const fixture *f, const char *text, int status)
{
    for (size_t n = 0;; n++) {
        test_heap t;
        om_context *ctx = NULL;
        om_model *m = NULL;
        om_expr e = 0;
        test_heap_init(&t, n);
        int rc = om_context_new(&ctx, &t.heap);
        if (rc == OM_OK)
            rc = f->promela->load(ctx, "m.pml", text, strlen(text), NULL, &m);
        if (rc == OM_OK)
            rc = f->promela->expression(m, "AP", "P@L && x + 1 > 0", &e);
        bool failed = t.calls > n;
        if (!failed && rc != status)
            print_message("%s\n", om_context_error(ctx));
        /* If only the text of the message found no memory, the status is that of the error. */
        assert_true(rc == (failed ? OM_ENOMEM : status) || (failed && status != OM_OK));
        assert_true(rc == OM_ENOMEM || rc == status);
        om_model_free(m);
        om_context_free(ctx);
        assert_int_equal(t.live, 0);
        if (!failed)
            return n;
    }
}

static void right(void **state)
{
    assert_true(load_with_failures(*state, MODEL, OM_OK) > 20);
    assert_true(load_with_failures(*state, MORE, OM_OK) > 20);
}

static void with_an_error(void **state)
{
    assert_true(load_with_failures(*state, WRONG, OM_EINPUT) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right),
        cmocka_unit_test(with_an_error),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
