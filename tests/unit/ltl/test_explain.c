/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations of truth values: the value does not depend on anything outside the explanation. */
#include "explain_formula.h"

#include "formulas.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { APS = 3, LONGEST = 8 };

typedef struct fixture {
    om_context *ctx;
    om_ltl *l;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_ltl_new(&f.l, f.ctx) != OM_OK)
        return -1;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_ltl_free(f->l);
    om_context_free(f->ctx);
    return 0;
}

static om_ltl_ref parse(fixture *f, const char *text)
{
    om_ltl_ref ref = 0;
    if (om_ltl_parse(f->l, "test", text, strlen(text), &ref) != OM_OK)
        fail_msg("%s: %s", text, om_context_error(f->ctx));
    return ref;
}

/* Returns the bits of the labels at a position that matter in the explanation. */
static om_label mattering(const om_ltl *l, const om_ltl_rows *rows, size_t i)
{
    om_label mask = 0;
    for (size_t r = 0; r < rows->count; r++)
        if (om_ltl_operator(l, rows->row[r].f) == OM_LTL_AP &&
            (rows->row[r].at[i] & OM_LTL_MATTERS) != 0)
            mask |= UINT64_C(1) << om_ltl_left(l, rows->row[r].f);
    return mask;
}

/* All subformulas, each once and after a formula that has it as an operand, with its truth values.
 */
static void assert_rows(const om_ltl *l, om_ltl_ref f, const om_ltl_rows *rows,
    const om_label *labels, size_t n, size_t loop)
{
    assert_true(rows->count > 0);
    assert_int_equal(rows->row[0].f, f);
    assert_int_equal(rows->row[0].depth, 0);
    for (size_t r = 0; r < rows->count; r++) {
        const om_ltl_row *row = &rows->row[r];
        bool parent = r == 0;
        for (size_t q = 0; q < r; q++) {
            const om_ltl_row *above = &rows->row[q];
            const om_ltl_op op = om_ltl_operator(l, above->f);
            assert_int_not_equal(above->f, row->f);
            parent |= op > OM_LTL_AP && above->depth + 1 == row->depth &&
                      (om_ltl_left(l, above->f) == row->f || om_ltl_right(l, above->f) == row->f);
        }
        assert_true(parent);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(
                (row->at[i] & OM_LTL_HOLDS) != 0, naive_holds(l, row->f, labels, n, loop, i));
    }
}

/* Parts that do not matter may have any value. */
static void assert_sufficient(const om_ltl *l, om_ltl_ref f, const om_ltl_rows *rows,
    const om_label *labels, size_t n, size_t loop, size_t at, om_random *random)
{
    const bool value = naive_holds(l, f, labels, n, loop, at);
    om_label other[LONGEST];
    assert_true((rows->row[0].at[at] & OM_LTL_MATTERS) != 0);
    for (int round = 0; round < 12; round++) {
        for (size_t i = 0; i < n; i++) {
            const om_label fixed = mattering(l, rows, i);
            const om_label free = round == 0 ? ~labels[i] : om_random_next(random);
            other[i] = (labels[i] & fixed) | (free & ~fixed);
        }
        assert_int_equal(naive_holds(l, f, other, n, loop, at), value);
    }
}

static void what_does_not_matter_may_be_anything(void **state)
{
    fixture *f = *state;
    om_random random = { 13 };
    size_t fixed = 0, all = 0;
    for (int k = 0; k < 6000; k++) {
        om_label labels[LONGEST];
        om_ltl_rows rows;
        size_t n, loop;
        om_ltl *l = NULL;
        assert_int_equal(om_ltl_new(&l, f->ctx), OM_OK);
        const om_ltl_ref g =
            random_formula(l, &random, 1 + (unsigned) om_random_below(&random, 6), APS);
        random_word(&random, APS, LONGEST, labels, &n, &loop);
        const size_t at = (size_t) om_random_below(&random, n);
        assert_int_equal(om_ltl__explain(l, g, labels, n, loop, at, &rows), OM_OK);
        assert_rows(l, g, &rows, labels, n, loop);
        assert_sufficient(l, g, &rows, labels, n, loop, at, &random);
        for (size_t i = 0; i < n; i++) {
            fixed += (size_t) __builtin_popcountll(mattering(l, &rows, i));
            all += om_ltl_ap_count(l);
        }
        om_ltl__rows_free(&rows);
        om_ltl_free(l);
    }
    /* Otherwise, an explanation could simply mark everything. */
    assert_true(fixed * 3 < all);
}

/* If the explanation of a prefix does not mention its future, the prefix is bad. */
static void a_prefix_needs_no_future(void **state)
{
    enum { TAIL = 3 };
    fixture *f = *state;
    om_random random = { 17 };
    size_t alone = 0, needed = 0;
    for (int k = 0; k < 6000; k++) {
        om_label labels[LONGEST + TAIL];
        om_ltl_rows rows;
        size_t n, loop;
        bool beyond = false;
        om_ltl *l = NULL;
        assert_int_equal(om_ltl_new(&l, f->ctx), OM_OK);
        const om_ltl_ref g =
            random_formula(l, &random, 1 + (unsigned) om_random_below(&random, 6), APS);
        random_word(&random, APS, LONGEST, labels, &n, &loop);
        if (naive_holds(l, g, labels, n, n - 1, 0)) {
            om_ltl_free(l);
            continue;
        }
        assert_int_equal(om_ltl__explain_prefix(l, g, labels, n, &rows, &beyond), OM_OK);
        for (int round = 0; round < 12 && !beyond; round++) {
            om_label other[LONGEST + TAIL];
            for (size_t i = 0; i < n + TAIL; i++) {
                const om_label fixed = i < n ? mattering(l, &rows, i) : 0;
                other[i] = i < n ? labels[i] & fixed : 0;
                other[i] |= om_random_next(&random) & ~fixed;
            }
            assert_false(naive_holds(l, g, other, n + TAIL, n, 0));
        }
        alone += !beyond;
        needed += beyond;
        om_ltl__rows_free(&rows);
        om_ltl_free(l);
    }
    assert_true(alone > 500 && needed > 500);
}

/* Compares rows as text: one per line, "0" and "1" where the value matters, otherwise ".". */
static void assert_explained(
    fixture *f, const char *formula, const char *const *words, size_t loop, const char *expected)
{
    om_label labels[LONGEST] = { 0 };
    om_text shown = { .heap = om_heap_default() };
    om_ltl_rows rows;
    const om_ltl_ref g = parse(f, formula);
    const size_t n = strlen(words[0]);
    for (uint32_t a = 0; a < om_ltl_ap_count(f->l); a++)
        for (size_t i = 0; i < n; i++)
            labels[i] |= (om_label) (words[a][i] == '1') << a;
    assert_int_equal(om_ltl__explain(f->l, g, labels, n, loop, 0, &rows), OM_OK);
    for (size_t r = 0; r < rows.count; r++) {
        assert_int_equal(om_ltl_print(f->l, rows.row[r].f, &shown), OM_OK);
        om_text_add(&shown, " ");
        for (size_t i = 0; i < n; i++)
            om_text_add(&shown, (rows.row[r].at[i] & OM_LTL_MATTERS) == 0 ? "."
                                : (rows.row[r].at[i] & OM_LTL_HOLDS) != 0 ? "1"
                                                                          : "0");
        om_text_add(&shown, "\n");
    }
    assert_string_equal(shown.text, expected);
    om_text_free(&shown);
    om_ltl__rows_free(&rows);
}

static void a_request_that_is_not_answered(void **state)
{
    static const char *const words[] = { "010100", "001000" };
    assert_explained(*state, "G(p -> F q)", words, 4,
        "G(p -> F q) 0.....\n"
        "p -> F q ...0..\n"
        "p ...1..\n"
        "F q ...0..\n"
        "q ...000\n");
}

static void what_is_settled_later(void **state)
{
    /* b fails until a does at state 2; later states do not matter. */
    static const char *const words[] = { "11010", "00011" };
    assert_explained(*state, "a U b", words, 3, "a U b 0....\na ..0..\nb 000..\n");
}

static void the_shorter_reason_is_taken(void **state)
{
    /* Both operands are false; with equally long explanations, the left one is chosen. */
    static const char *const words[] = { "1110", "0111" };
    assert_explained(*state, "X X X a & b", words, 0,
        "XXX a & b 0...\nXXX a ....\nXX a ....\nX a ....\na ....\nb 0...\n");
    assert_explained(
        *state, "G a & G b", words, 0, "G a & G b 0...\nG a 0...\na ...0\nG b ....\nb ....\n");
}

static void around_the_cycle(void **state)
{
    /* From state 3, the next p is at 2, after the loop edge. */
    static const char *const words[] = { "0010" };
    assert_explained(*state, "X X X !F p", words, 1,
        "XXX!F p 0...\nXX!F p .0..\nX!F p ..0.\n!F p ...0\nF p ...1\np ..1.\n");
}

static void nonsense_is_refused(void **state)
{
    fixture *f = *state;
    om_ltl_rows rows;
    const om_label label = 0;
    const om_ltl_ref g = parse(f, "G p");
    assert_int_equal(om_ltl__explain(f->l, 0, &label, 1, 0, 0, &rows), OM_EINVAL);
    assert_int_equal(om_ltl__explain(f->l, g, &label, 1, 1, 0, &rows), OM_EINVAL);
    assert_int_equal(om_ltl__explain(f->l, g, &label, 1, 0, 1, &rows), OM_EINVAL);
}

static int explain_one(const om_heap *heap)
{
    static const char text[] = "G(p -> F q) & (q W !p | X q)";
    static const om_label labels[] = { 1, 2, 1, 0 };
    om_context *ctx = NULL;
    om_ltl *l = NULL;
    om_ltl_ref g;
    om_ltl_rows rows = { 0 };
    bool beyond;
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = om_ltl_new(&l, ctx);
    if (rc == OM_OK)
        rc = om_ltl_parse(l, "test", text, strlen(text), &g);
    if (rc == OM_OK)
        rc = om_ltl__explain(l, g, labels, 4, 3, 0, &rows);
    om_ltl__rows_free(&rows);
    if (rc == OM_OK)
        rc = om_ltl__explain_prefix(l, g, labels, 4, &rows, &beyond);
    om_ltl__rows_free(&rows);
    om_ltl_free(l);
    om_context_free(ctx);
    return rc;
}

static void memory_may_run_out(void **state)
{
    int rc = OM_ENOMEM;
    size_t n = 0;
    (void) state;
    for (; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = explain_one(&h.heap);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 1000);
    }
    assert_true(n > 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_does_not_matter_may_be_anything),
        TEST(a_prefix_needs_no_future),
        TEST(a_request_that_is_not_answered),
        TEST(what_is_settled_later),
        TEST(the_shorter_reason_is_taken),
        TEST(around_the_cycle),
        TEST(nonsense_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
