/* SPDX-License-Identifier: Apache-2.0 */
/* Each operation with its n-th allocation failing, for n = 0, 1, 2, ... until it succeeds. */
#include "convert/rabin_streett.h"
#include "heap.h"
#include "oracle.h"
#include "components/part.h"
#include "convert/to_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* FGa | GFb & GFc, G!a, and a true state: a strong, a weak and a terminal SCC, two initial states.
 */
static const char text[] =
    "HOA: v1 name: \"n\" States: 4 Start: 0 Start: 1 AP: 3 \"a\" \"b\" \"c\" Alias: @a 0 "
    "Acceptance: 4 Fin(0) & Inf(3) | Inf(1) & Inf(2) | Fin(!3) & Inf(!0) --BODY-- "
    "State: 0 [@a] 0 {3} [!@a&1] 0 {0 1 3} [!0&2] 0 {0 2 3} [!0&!1&!2] 0 {0 3} [1&2] 1 [t] 2 "
    "State: 1 {1 2 3} [!@a] 1 State: [t] 2 {3} 2 State: 3 [0&!1|1&!2|2&!0] 3 --END--";

typedef int operation(om_context *ctx, const om_automaton *a);

static int do_read(om_context *ctx, const om_automaton *a)
{
    om_automaton *b = NULL;
    (void) a;
    int rc = om_hoa_read(&b, ctx, "t", text, sizeof text - 1, 0);
    assert_true(rc == OM_OK || b == NULL);
    om_automaton_free(b);
    return rc;
}

/* Rejected late, so that there is much to clean up. */
static int do_read_bad(om_context *ctx, const om_automaton *a)
{
    om_automaton *b = NULL;
    (void) a;
    int rc = om_hoa_read(&b, ctx, "t", text, sizeof text - 8, 0);
    assert_null(b);
    return rc == OM_EINPUT ? OM_OK : rc;
}

static int do_write(om_context *ctx, const om_automaton *a)
{
    om_automaton *b = NULL;
    om_text t = { .heap = om_context_heap(ctx) };
    (void) a;
    int rc = om_hoa_read(&b, ctx, "t", text, sizeof text - 1, 0);
    if (rc == OM_OK)
        rc = om_hoa_write(b, &t);
    om_text_free(&t);
    om_automaton_free(b);
    return rc;
}

static int do_sccs(om_context *ctx, const om_automaton *a)
{
    om_sccs s = { 0, NULL, NULL, NULL };
    int rc = om_automaton_sccs(a, ctx, &s);
    om_sccs_free(&s, om_context_heap(ctx));
    return rc;
}

static int do_part(om_context *ctx, const om_automaton *a)
{
    int rc = OM_OK;
    for (int s = OM_TERMINAL; rc == OM_OK && s <= OM_STRONG; s++) {
        om_automaton *b = NULL;
        rc = om_automaton_part(a, ctx, (om_strength) s, &b);
        assert_true((rc == OM_OK) == (b != NULL));
        om_automaton_free(b);
    }
    return rc;
}

typedef int conversion(const om_automaton *a, om_context *ctx, om_automaton **out);

static int convert(om_context *ctx, const om_automaton *a, conversion *f)
{
    om_automaton *b = NULL;
    int rc = f(a, ctx, &b);
    assert_true((rc == OM_OK) == (b != NULL));
    om_automaton_free(b);
    return rc;
}

static int do_prune(om_context *ctx, const om_automaton *a)
{
    return convert(ctx, a, om_automaton_prune);
}

static int do_align(om_context *ctx, const om_automaton *a)
{
    return convert(ctx, a, om_automaton__align_parts);
}

static int do_general(om_context *ctx, const om_automaton *a)
{
    return convert(ctx, a, om_automaton_to_generalized_buchi);
}

static int do_buchi(om_context *ctx, const om_automaton *a)
{
    return convert(ctx, a, om_automaton_to_buchi);
}

static int do_rabin(om_context *ctx, const om_automaton *a)
{
    return convert(ctx, a, om_automaton_to_rabin);
}

static int do_streett(om_context *ctx, const om_automaton *a)
{
    return convert(ctx, a, om_automaton_to_streett);
}

static int do_fin_less(om_context *ctx, const om_automaton *a)
{
    return convert(ctx, a, om_automaton_to_fin_less);
}

static int do_clauses(om_context *ctx, const om_automaton *a)
{
    om_clause_counts n;
    int rc = om_automaton__clauses(a, ctx, &n);
    assert_true(rc != OM_OK || n.rabin != 0);
    return rc;
}

static int do_intersection(om_context *ctx, const om_automaton *a)
{
    om_automaton *b = NULL;
    int rc = om_automaton_intersection(a, a, ctx, &b);
    om_automaton_free(b);
    return rc;
}

static int do_lasso(om_context *ctx, const om_automaton *a)
{
    static const om_label labels[] = { 1, 2, 4 };
    bool yes = false;
    int rc = om_automaton_accepts_lasso(a, ctx, labels, 3, 1, &yes);
    assert_true(rc != OM_OK || yes);
    return rc;
}

static int do_empty(om_context *ctx, const om_automaton *a)
{
    bool empty = true;
    om_word w = { NULL, 0, 0 };
    int rc = om_automaton_empty(a, ctx, &empty, &w);
    assert_true((rc == OM_OK && !empty) == (w.labels != NULL));
    om_free(om_context_heap(ctx), w.labels);
    return rc;
}

static int do_testing(om_context *ctx, const om_automaton *a)
{
    om_automaton *t = NULL;
    int rc = om_automaton__to_testing(a, ctx, OM_TESTING_BEST | OM_TESTING_SINGLE_PASS, &t);
    assert_true(rc == OM_OK || t == NULL);
    om_automaton_free(t);
    return rc;
}

static int do_invariant(om_context *ctx, const om_automaton *a)
{
    bool invariant = true;
    return om_automaton__stutter_invariant(a, a, ctx, &invariant);
}

/* Deterministic, with a letter missing. */
static int do_complement(om_context *ctx, const om_automaton *a)
{
    static const char body[] = "HOA: v1 States: 1 Start: 0 AP: 2 \"a\" \"b\" "
                               "Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 [!0&1] 0 {0} --END--";
    om_automaton *b = NULL, *c = NULL;
    (void) a;
    int rc = om_hoa_read(&b, ctx, "t", body, sizeof body - 1, 0);
    if (rc == OM_OK)
        rc = om_automaton__complement(b, ctx, &c);
    assert_true((rc == OM_OK) == (c != NULL));
    om_automaton_free(b);
    om_automaton_free(c);
    return rc;
}

/* Runs an operation until it succeeds. After each attempt, no allocation may be live. Returns the
 * number of attempts. */
static size_t exhaust(operation *f, const om_automaton *a)
{
    for (size_t n = 0;; n++) {
        test_heap h;
        om_context *ctx = NULL;
        test_heap_init(&h, n);
        int rc = om_context_new(&ctx, &h.heap);
        if (rc == OM_OK)
            rc = f(ctx, a);
        if (rc != OM_OK && rc != OM_ENOMEM)
            fail_msg("%d %s", rc, om_context_error(ctx));
        if (ctx != NULL && rc == OM_ENOMEM)
            assert_string_equal(om_context_error(ctx), "out of memory");
        om_context_free(ctx);
        assert_int_equal(h.live, 0);
        if (rc == OM_OK)
            return n;
    }
}

static void each_allocation_fails(void **state)
{
    static operation *const all[] = { do_read, do_read_bad, do_write, do_sccs, do_part, do_prune,
        do_align, do_general, do_buchi, do_rabin, do_streett, do_fin_less, do_clauses,
        do_intersection, do_lasso, do_empty, do_testing, do_invariant, do_complement };
    om_context *ctx = NULL;
    om_automaton *a = NULL;
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    if (om_hoa_read(&a, ctx, "t", text, sizeof text - 1, 0) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(exhaust(all[i], a) > 5);
    om_automaton_free(a);
    om_context_free(ctx);
}

/* The same for random automata, for code paths that the text does not reach. */
static void random_automata(void **state)
{
    static operation *const all[] = { do_sccs, do_prune, do_align, do_general, do_buchi, do_rabin,
        do_streett, do_fin_less, do_clauses, do_empty };
    om_context *ctx = NULL;
    om_random r = { 23 };
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (int round = 0; round < 150; round++) {
        om_automaton *a = oracle_random(ctx, &r, &(oracle_size){ 4, 2, 4 });
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            (void) exhaust(all[i], a);
        om_automaton_free(a);
    }
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(random_automata) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
