/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that loading leaks nothing if memory runs out at any point. */
#include "fixture.h"
#include "heap.h"

static const char ASYNC[] =
    "byte x = 1, a[3] = {1, 2, 3}; const byte K = 2; channel c, d; channel {byte, int} b[2];\n"
    "process P { byte v; state q, r; init q; commit r; assert q: x < 9;\n"
    " trans q -> r { guard x == 1 and a[v] != K; sync c!v + 1; effect x = 2, a[v] = x; },\n"
    " r -> q { sync b!{x, -1}; }; }\n"
    "process R { int y; state q; init q; trans q -> q { sync c?y; }, q -> q { sync b?{x, y}; }; }\n"
    "process L { state s, t; init s; accept t; trans s -> t { guard not (P.q && R->y > 0); },\n"
    " t -> t { guard x == 1; }; }\n"
    "system async property L;";

static const char SYNC[] =
    "byte x = 1, y[2];\n"
    "process P { state q; init q; trans q -> q { effect x = y[0] + 1, y[0] = 3; }, q -> q {}; }\n"
    "process R { state q; init q; trans q -> q { effect y[1] = x + y[0]; }; }\n"
    "system sync;";

static const char WRONG[] = "byte counter; process P { state q; init q;"
                            " trans q -> q { guard couter == 1; }; } system async;";

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
            rc = f->dve->load(ctx, "m.dve", text, strlen(text), NULL, &m);
        if (rc == OM_OK)
            rc = f->dve->expression(m, "AP", "P=='q' && x + 1 > 0", &e);
        bool failed = t.calls > n;
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

static void asynchronous(void **state)
{
    assert_true(load_with_failures(*state, ASYNC, OM_OK) > 20);
}

static void synchronous(void **state)
{
    assert_true(load_with_failures(*state, SYNC, OM_OK) > 20);
}

static void with_an_error(void **state)
{
    assert_true(load_with_failures(*state, WRONG, OM_EINPUT) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asynchronous),
        cmocka_unit_test(synchronous),
        cmocka_unit_test(with_an_error),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
