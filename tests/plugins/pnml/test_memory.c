/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that loading leaks nothing if memory runs out at any point. */
#include "fixture.h"
#include "heap.h"

static const char RIGHT[] = NET(
    "<page id=\"h\"><referencePlace id=\"r\" ref=\"p\"/></page>" PLACE("p", "1")
        PLACE("q", "0") "<place id=\"s\"><name><text>Other</text></name></place>" TRANSITION("t")
            TRANSITION("u") ARC("r", "t") ARC("t", "q") WEIGHTED("q", "u", "2") ARC("q", "u")
                ARC("u", "s"));
static const char WRONG[] = NET(PLACE("p", "1") TRANSITION("t") ARC("p", "t") ARC("t", "q"));

/* Loads with allocation n failing, for n = 0, 1, ..., until none fails. */
static size_t load_with_failures(
    const fixture *f, const char *text, const char *proposition, int status)
{
    for (size_t n = 0;; n++) {
        test_heap t;
        om_context *ctx = NULL;
        om_model *m = NULL;
        om_expr e = 0;
        test_heap_init(&t, n);
        int rc = om_context_new(&ctx, &t.heap);
        if (rc == OM_OK)
            rc = f->pnml->load(ctx, "m.pnml", text, strlen(text), NULL, &m);
        if (rc == OM_OK)
            rc = f->pnml->expression(m, "AP", proposition, &e);
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

static void right(void **state)
{
    assert_true(load_with_failures(*state, RIGHT,
                    "tokens(p, q) + 2 * s * s - Other < 3 && fire(t) or is-fireable(t, u) -> !p",
                    OM_OK) > 50);
}

static void with_an_error(void **state)
{
    assert_true(load_with_failures(*state, WRONG, "p", OM_EINPUT) > 10);
    assert_true(load_with_failures(*state, RIGHT, "tokens(p, qq) > 1", OM_EINPUT) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right),
        cmocka_unit_test(with_an_error),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
