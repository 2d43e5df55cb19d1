/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which searches favoid derives from the acceptance and the edges of an automaton. */
#include "rabin_pairs.h"

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/*
 * 0 has a loop with set 0 and an edge to 1; 1 has a loop with sets 1 and 3 and an edge to 2; 2 has
 * a loop with sets 0 and 2. So sets 0 and 2 differ only by the loop of 0, and set 4 is empty.
 */
static const char *const body = "--BODY--\n"
                                "State: 0\n[t] 0 {0}\n[t] 1\n"
                                "State: 1\n[t] 1 {1 3}\n[t] 2\n"
                                "State: 2\n[t] 2 {0 2}\n"
                                "--END--\n";

static om_automaton *automaton_with(om_context *ctx, const char *acceptance, const char *edges)
{
    char text[1024];
    om_automaton *a = NULL;
    int n = snprintf(text, sizeof text,
        "HOA: v1\nStates: 3\nStart: 0\nAP: 1 \"a\"\nAcceptance: %s\n%s", acceptance, edges);
    assert_true(n > 0 && (size_t) n < sizeof text);
    assert_int_equal(om_hoa_read(&a, ctx, "pairs.hoa", text, (size_t) n, 0), OM_OK);
    return a;
}

typedef struct known {
    const char *acceptance;
    size_t count;
    struct {
        om_marks avoid, see[2];
        size_t see_count;
        int useful; /* states as bits; -1: not computed */
    } group[3];
} known;

static const known cases[] = {
    { "5 Fin(0) & Inf(1)", 1, { { 1, { 2 }, 1, -1 } } },
    { "5 Fin(0) & (Inf(1) & Inf(3))", 1, { { 1, { 2 | 8 }, 1, -1 } } },
    { "5 Fin(0)", 1, { { 1, { 0 }, 1, -1 } } },
    /* A pair that implies another one is dropped, in either order; so is a duplicate. */
    { "5 Fin(0) | (Fin(0) & Inf(1))", 1, { { 1, { 0 }, 1, -1 } } },
    { "5 (Fin(0) & Inf(1)) | Fin(0)", 1, { { 1, { 0 }, 1, -1 } } },
    { "5 (Fin(0) & Inf(1)) | (Fin(0) & Inf(1))", 1, { { 1, { 2 }, 1, -1 } } },
    /* An unsatisfiable pair */
    { "5 (Fin(0) & Inf(0)) | Fin(2)", 1, { { 4, { 0 }, 1, -1 } } },
    { "5 Fin(0) & Inf(0)", 1, { { 1, { 1 }, 1, -1 } } },
    /* Two pairs with one Fin set: one search */
    { "5 (Fin(0) & Inf(1)) | (Fin(0) & Inf(4))", 1, { { 1, { 2, 16 }, 2, -1 } } },
    /* Without the edges of set 0 only state 1 has a cycle; without the edges of set 2, only state 0
     * has a cycle with set 0. */
    { "5 (Fin(0) & Inf(1)) | (Fin(2) & Inf(0))", 2,
        { { 1, { 2 }, 1, 1 | 2 }, { 4, { 1 }, 1, 1 } } },
    /* No edge has set 4: the pair is left out. If no pair would be left, one stays. */
    { "5 (Fin(0) & Inf(4)) | (Fin(2) & Inf(0))", 1, { { 4, { 1 }, 1, 1 } } },
    { "5 (Fin(0) & Inf(4)) | (Fin(2) & (Inf(0) & Inf(4)))", 1, { { 4, { 1 | 16 }, 1, 0 } } },
    /* Three pairs; the Fin sets of the last two have the same edges: none. */
    { "7 (Fin(0) & Inf(3)) | (Fin(5) & Inf(0)) | (Fin(6) & Inf(2))", 2,
        { { 1, { 8 }, 1, 1 | 2 }, { 32 | 64, { 1, 4 }, 2, 1 | 2 | 4 } } },
    { "5 Inf(0)&Inf(1)&Inf(2)&Inf(3)&Inf(4)", 1, { { 0, { 31 }, 1, -1 } } },
};

static void check_group(const pair_group *g, const known *k, size_t i)
{
    assert_int_equal(g->avoid, k->group[i].avoid);
    assert_int_equal(g->see_count, k->group[i].see_count);
    om_marks seen = 0;
    for (size_t j = 0; j < g->see_count; j++) {
        assert_int_equal(g->see[j], k->group[i].see[j]);
        seen |= g->see[j];
    }
    assert_int_equal(g->seen, seen);
    assert_int_equal(g->useful == NULL, k->group[i].useful < 0);
    for (int q = 0; q < 3 && g->useful != NULL; q++)
        assert_int_equal(g->useful[q], k->group[i].useful >> q & 1);
}

static void known_groups(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_context *ctx = NULL;
        pair_groups g = { NULL, 0 };
        assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
        om_automaton *a = automaton_with(ctx, cases[i].acceptance, body);
        assert_int_equal(pair_groups_read(&g, ctx, a), OM_OK);
        if (g.count != cases[i].count)
            fail_msg("%s: %zu searches", cases[i].acceptance, g.count);
        for (size_t k = 0; k < g.count; k++)
            check_group(&g.at[k], &cases[i], k);
        pair_groups_free(&g, om_context_heap(ctx));
        om_automaton_free(a);
        om_context_free(ctx);
    }
}

static void others_are_refused(void **state)
{
    static const char *const acceptances[] = { "2 Fin(0) | Inf(1)", "1 f", "2 Inf(0) | Inf(1)",
        "2 (Fin(0) | Inf(1)) & Fin(1)" };
    (void) state;
    for (size_t i = 0; i < sizeof acceptances / sizeof *acceptances; i++) {
        om_context *ctx = NULL;
        pair_groups g = { NULL, 0 };
        assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
        om_automaton *a = automaton_with(
            ctx, acceptances[i], "--BODY--\nState: 0\n[t] 0\nState: 1\nState: 2\n--END--\n");
        assert_int_equal(pair_groups_read(&g, ctx, a), OM_EUNSUPPORTED);
        assert_string_equal(om_context_error(ctx), "the acceptance is neither Rabin nor Buchi");
        pair_groups_free(&g, om_context_heap(ctx));
        om_automaton_free(a);
        om_context_free(ctx);
    }
}

/* Makes allocation n (from 0) fail. Returns true if fewer allocations are made. */
static bool survives(size_t n)
{
    test_heap h;
    om_context *ctx = NULL;
    pair_groups g = { NULL, 0 };
    test_heap_init(&h, SIZE_MAX);
    assert_int_equal(om_context_new(&ctx, &h.heap), OM_OK);
    om_automaton *a = automaton_with(ctx, "5 (Fin(0) & Inf(1)) | (Fin(2) & Inf(0))", body);
    size_t live = h.live;
    h.fail_at = h.calls + n;
    int rc = pair_groups_read(&g, ctx, a);
    bool enough = h.calls <= h.fail_at;
    assert_int_equal(rc, enough ? OM_OK : OM_ENOMEM);
    pair_groups_free(&g, om_context_heap(ctx));
    om_context_clear(ctx);
    assert_true(h.live <= live);
    om_automaton_free(a);
    om_context_free(ctx);
    assert_int_equal(h.live, 0);
    return enough;
}

static void memory_runs_out(void **state)
{
    size_t n = 0;
    (void) state;
    while (!survives(n))
        n++;
    assert_true(n > 20);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(known_groups),
        cmocka_unit_test(others_are_refused), cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
