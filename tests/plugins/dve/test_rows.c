/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows of operators: they are not nested, and have the value that their text says. */
#include "fixture.h"

enum { CELLS = 8 };
static const int32_t cells[CELLS] = { 7, -3, 1, 0, 2, -32768, 32767, 5 };
#define MODEL                                                                        \
    "int a[8] = {7, -3, 1, 0, 2, -32768, 32767, 5}; process P { state q, r; init q;" \
    "trans q -> r {}; } system async;"

/* Applies an operator; numbers wrap. */
static int32_t apply(char op, int32_t x, int32_t y)
{
    uint32_t a = (uint32_t) x, b = (uint32_t) y;
    switch (op) {
    case '+':
        return (int32_t) (a + b);
    case '-':
        return (int32_t) (a - b);
    case '*':
        return (int32_t) (a * b);
    case '&':
        return (int32_t) (a & b);
    case '|':
        return (int32_t) (a | b);
    case '^':
        return (int32_t) (a ^ b);
    case 'a':
        return x != 0 && y != 0;
    default: /* 'o' */
        return x != 0 || y != 0;
    }
}

/* Makes a row from runs of these operators, which have the same precedence; returns its value. */
static int32_t make_row(om_random *r, const char *ops, size_t operands, om_text *out)
{
    size_t kinds = strlen(ops), run = 0, k = om_random_below(r, CELLS);
    int32_t value = cells[k];
    char op = 0;
    om_text_printf(out, "a[%zu]", k);
    for (size_t i = 1; i < operands; i++) {
        if (run == 0) {
            op = ops[om_random_below(r, kinds)];
            run = 1 + om_random_below(r, 150);
        }
        run--;
        k = om_random_below(r, CELLS);
        if (op == 'a' || op == 'o')
            om_text_printf(out, " %s a[%zu]", op == 'a' ? "and" : "or", k);
        else
            om_text_printf(out, " %c a[%zu]", op, k);
        value = apply(op, value, cells[k]);
    }
    return value;
}

static void values_of_rows(void **state)
{
    static const char *const levels[] = { "+", "+-", "*", "&", "|", "^", "&|^", "a", "o", "ao" };
    fixture *f = *state;
    om_model *m = fixture_load(f, MODEL);
    om_random r = { 5 };
    for (size_t i = 0; i < 300; i++) {
        om_text t = { .heap = om_context_heap(f->ctx) };
        size_t operands = 1 + om_random_below(&r, 500);
        om_text_add(&t, "(");
        int32_t value = make_row(&r, levels[i % 10], operands, &t);
        om_text_printf(&t, ") %% 1000 == %d", value % 1000);
        assert_false(t.failed);
        if (!fixture_reaches(f, m, t.text))
            fail_msg("not so: %s", t.text);
        om_text_free(&t);
    }
    om_model_free(m);
}

/* Operands are evaluated from left to right; evaluation stops at one that decides the result. */
static void faults_in_long_rows(void **state)
{
    static const struct {
        const char *operand, *op, *last;
        bool faults;
    } rows[] = { { "a[0] == 7", "and", "a[8] == 1", true },
        { "a[0] == 7", "or", "a[8] == 1", false }, { "a[3]", "or", "a[8]", true },
        { "a[3]", "and", "a[8]", false }, { "a[0]", "+", "a[8]", true },
        { "a[2]", "*", "1 / a[3]", true } };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t n = 1; n < 300; n += 59) {
            om_text t = { .heap = om_context_heap(f->ctx) };
            om_text_add(&t, "int a[8] = {7, -3, 1, 0, 2, 4, 6, 5}; process P { state q; init q;"
                            "trans q -> q { guard ");
            for (size_t k = 0; k < n; k++)
                om_text_printf(&t, "%s %s ", rows[i].operand, rows[i].op);
            om_text_printf(&t, "%s; }; } system async;", rows[i].last);
            assert_false(t.failed);
            om_model *m = fixture_load(f, t.text);
            dve_size size = fixture_explore(f, m);
            assert_int_equal(size.fault != 0, rows[i].faults);
            om_model_free(m);
            om_text_free(&t);
        }
}

/* A hundred thousand operands, in a model and in a proposition; fewer of the rarer operators */
static void rows_are_no_nesting(void **state)
{
    /* operator; text before and after the operand's number */
    static const char *const rows[][3] = { { "and", "a[0] != ", "" }, { "or", "a[0] == ", "" },
        { "&&", "a[0] * a[1] < ", "" }, { "||", "(a[0] + 1 > ", ")" }, { "+", "a[0] * ", "" },
        { "*", "(a[0] + ", ")" }, { "&", "(a[0] | ", ")" }, { "|", "(a[0] & ", ")" },
        { "^", "(a[0] + ", ")" } };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        om_text row = { .heap = om_context_heap(f->ctx) }, t = row;
        for (size_t k = 0; k < (i < 2 ? 100000 : 5000); k++) {
            om_text_printf(
                &row, "%s %s%zu%s ", k == 0 ? "" : rows[i][0], rows[i][1], k + 1, rows[i][2]);
        }
        om_text_printf(&t,
            "int a[8] = {7, -3, 1, 0, 2, 4, 6, 5}; process P { state q, r; init q;"
            "trans q -> r { guard (%s) + 1 > 0 or true; }; } system async;",
            row.text);
        assert_false(row.failed || t.failed);
        om_model *m = fixture_load(f, t.text);
        assert_int_equal(fixture_explore(f, m).states, 2);
        om_text_add(&row, " or true");
        assert_true(fixture_reaches(f, m, row.text));
        om_model_free(m);
        om_text_free(&row);
        om_text_free(&t);
    }
}

/* Many committed states are not nested either. */
static void many_committed_states(void **state)
{
    fixture *f = *state;
    om_text t = { .heap = om_context_heap(f->ctx) };
    om_text_add(&t, "process P { state q, c0");
    for (int i = 1; i < 5000; i++)
        om_text_printf(&t, ", c%d", i);
    om_text_add(&t, "; init q; commit c0");
    for (int i = 1; i < 5000; i++)
        om_text_printf(&t, ", c%d", i);
    om_text_add(&t, "; trans q -> c4999 {}, c4999 -> q {}; }\n"
                    "process Q { state s, t; init s; trans s -> t {}, t -> s {}; } system async;");
    /* Q waits while P is in c4999. */
    dve_size size = fixture_size(f, t.text);
    assert_int_equal(size.states, 4);
    assert_int_equal(size.transitions, 2 + 2 + 2);
    om_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(values_of_rows),
        cmocka_unit_test(faults_in_long_rows), cmocka_unit_test(rows_are_no_nesting),
        cmocka_unit_test(many_committed_states) };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
