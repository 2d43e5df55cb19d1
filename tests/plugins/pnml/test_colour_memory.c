/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that unfolding leaks nothing if memory runs out at any point. */
#include "colour_text.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SORTS                                                                               \
    NAMED("C", "<cyclicenumeration>" CONSTANTS3("a", "b", "c") "</cyclicenumeration>")      \
    NAMED("R", RANGE("1", "20"))                                                            \
    NAMED("P", "<productsort>" USER("C") USER("R") "</productsort>")                        \
    "<partition id='H' name='H'>" USER("C") "<partitionelement id='l' name='l'>" CONST("a") \
        CONST("b") CONST("c") "</partitionelement></partition>" DECLARE("x", "C")           \
            DECLARE("y", "C") DECLARE("r", "R")

static const char RIGHT[] = NET(SORTS,
    PLACE("A", "P", INITIAL(F2("tuple", ALL("C"), ALL("R")))) PLACE("B", "C", INITIAL(CONST("l")))
        PLACE("D", "P", "") TRANSITION("t", GUARD(F2("lessthan", VAR("x"), VAR("y"))))
            TRANSITION("u", "") TRANSITION("v", "")
                ARC("1", "A", "t", F2("tuple", VAR("x"), VAR("r"))) ARC("2", "B", "t", VAR("y"))
                    ARC("3", "t", "D", F2("tuple", F2("subtract", ALL("C"), VAR("y")), VAR("r")))
                        ARC("4", "D", "u", F2("tuple", VAR("x"), VAR("r"))) ARC("5", "A", "u",
                            F2("tuple", F1("successor", VAR("x")), VAR("r"))) ARC("6", "D", "v",
                            F2("tuple", F2("subtract", ALL("C"), VAR("y")), VAR("r"))));

static const char WRONG[] =
    NET(SORTS, PLACE("A", "C", INITIAL(ALL("C"))) TRANSITION("t", "") ARC("1", "A", "t", VAR("x"))
                   ARC("2", "t", "A", F2("subtract", CONST("a"), VAR("x"))));

/* Reads with allocation n failing, for n = 0, 1, ..., until none fails. */
static size_t read_with_failures(const char *text, int status)
{
    for (size_t n = 0;; n++) {
        test_heap t;
        om_context *ctx = NULL;
        om_net net = { .ctx = NULL };
        test_heap_init(&t, n);
        int rc = om_context_new(&ctx, &t.heap);
        if (rc == OM_OK)
            rc = colour_net_read(ctx, text, strlen(text), &net);
        bool failed = t.calls > n;
        /* If only the text of the message found no memory, the status is that of the error. */
        assert_true(rc == (failed ? OM_ENOMEM : status) || (failed && status != OM_OK));
        assert_true(rc == OM_ENOMEM || rc == status);
        if (net.ctx != NULL)
            om_net_clear(&net);
        om_context_free(ctx);
        assert_int_equal(t.live, 0);
        if (!failed)
            return n;
    }
}

static void right(void **state)
{
    (void) state;
    assert_true(read_with_failures(RIGHT, OM_OK) > 60);
}

static void wrong(void **state)
{
    (void) state;
    assert_true(read_with_failures(WRONG, OM_EINPUT) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right),
        cmocka_unit_test(wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
