/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: their contents, and the places of errors. */
#include "suite/table.h"

#include "context.h"
#include "heap.h"

#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char good[] = "# a comment\n"
                           "suite s  # another\n"
                           "title \"a \\\"title\\\" that \\\n     goes on\"\n"
                           "rounds 7\ncompare wall\nalso user peak\nbaseline b\n"
                           "set x \"1 2\"\n"
                           "column a\n  format omen\n  warm x ${x}\n  env E ${x}\n  when k\n"
                           "  needs cc ${x}\n  command prog ${x} \\\n    tail\n  expect states 5\n"
                           "column b\n  published cpu ${v} 3\n  scaled a cpu 6.8\n  agree a 3\n"
                           "row r k=1 v=2\nrow q \"v=a b\"\n"
                           "target \"is fast\" geomean cpu b/a >= 2.5\n"
                           "target \"all\" every peak-per-state a <= ${v} where k = 1\n";

static void test_good(void **state)
{
    om_context *ctx = *state;
    bench_table t = { 0 };
    assert_int_equal(bench_table_parse(&t, ctx, "t", good, strlen(good)), OM_OK);
    assert_string_equal(t.suite, "s");
    assert_string_equal(t.title, "a \"title\" that goes on");
    assert_int_equal(t.rounds, 7);
    assert_int_equal(t.figure, BENCH_WALL);
    assert_true(t.also[BENCH_USER] && t.also[BENCH_PEAK] && !t.also[BENCH_CPU]);
    assert_int_equal(t.column_count, 2);
    const bench_column *a = &t.columns[0], *b = &t.columns[1];
    assert_int_equal(a->format, BENCH_FORMAT_OMEN);
    assert_true(a->warm && a->warm_words.count == 2);
    assert_int_equal(a->command.count, 3);
    assert_string_equal(a->command.words[2], "tail");
    assert_string_equal(bench_lookup(a->expect, "states"), "5");
    assert_int_equal(b->published.count, 2);
    assert_true(b->scaled_base == 6.8 && b->tolerance == 3);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(bench_lookup(t.rows[1].variables, "v"), "a b");
    assert_int_equal(t.target_count, 2);
    assert_true(!t.targets[0].every && t.targets[0].at_least);
    assert_string_equal(t.targets[0].over, "a");
    assert_true(t.targets[1].every && !t.targets[1].at_least && t.targets[1].over == NULL);
    assert_int_equal(t.targets[1].where_op, '=');
    bench_table_free(&t);
}

static void test_views(void **state)
{
    static const char text[] =
        "suite s\ntimeout 90s\nmemory 4G\ncolumn a\n command x\ncolumn b\n command y\n agree a 0 "
        "k\n"
        "view v1 \"Table 1\"\n percent wall a\n of a b\n by k l\n only m 3\n plot bars\n"
        "view v2 \"Figure 2\"\n mean expansions\n of a/b b\nrow r k=1\n";
    om_context *ctx = *state;
    bench_table t = { 0 };
    assert_int_equal(bench_table_parse(&t, ctx, "t", text, strlen(text)), OM_OK);
    assert_true(
        t.timeout_ns == 90 * (uint64_t) 1000000000 && t.memory == 4 * (uint64_t) 1000000000);
    assert_string_equal(t.columns[1].agree_when, "k");
    assert_int_equal(t.view_count, 2);
    const bench_view *v = &t.views[0], *w = &t.views[1];
    assert_string_equal(v->title, "Table 1");
    assert_int_equal(v->kind, BENCH_VIEW_PERCENT);
    assert_string_equal(v->to, "a");
    assert_true(v->entry_count == 2 && v->by.count == 2 && v->plot == BENCH_PLOT_BARS);
    assert_string_equal(v->only, "m");
    assert_string_equal(v->only_value, "3");
    assert_int_equal(w->figure, BENCH_EXPANSIONS);
    assert_string_equal(w->entries[0].over, "b");
    assert_null(w->entries[1].over);
    bench_table_free(&t);
}

static void test_a_suite_of_suites(void **state)
{
    static const char text[] = "suite all\nnote x\nrun one two\n";
    om_context *ctx = *state;
    bench_table t = { 0 };
    assert_int_equal(bench_table_parse(&t, ctx, "t", text, strlen(text)), OM_OK);
    assert_int_equal(t.members.count, 2);
    assert_string_equal(t.members.words[1], "two");
    bench_table_free(&t);
}

static void test_times_and_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t time, size; /* 0: invalid */
    } cases[] = { { "90", 90000000000, 90 }, { "500ms", 500000000, 0 }, { "2m", 120000000000, 0 },
        { "1h", 3600000000000, 0 }, { "1.5G", 0, 1500000000 }, { "200M", 0, 200000000 },
        { "3K", 0, 3000 }, { "", 0, 0 }, { "0", 0, 0 }, { "-1", 0, 0 }, { "x", 0, 0 },
        { "5mm", 0, 0 }, { "nan", 0, 0 }, { "inf", 0, 0 }, { "1e300", 0, 0 },
        { "2T", 0, 2000000000000 } };
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t n = 0;
        assert_int_equal(bench_read_time(cases[i].text, &n), cases[i].time != 0);
        assert_true(cases[i].time == 0 || n == cases[i].time);
        assert_int_equal(bench_read_size(cases[i].text, &n), cases[i].size != 0);
        assert_true(cases[i].size == 0 || n == cases[i].size);
    }
}

#define TOP "suite s\ncolumn a\n command x\nrow r\n"

static void test_bad(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "t:1:1: the table has no line 'suite NAME'" },
        { "suite s\n", "t:1:1: the table has no column" },
        { "suite s\ncolumn a\n command x\n", "t:1:1: the table has no row" },
        { "suite s\n  colum a\n", "t:2:3: unknown directive 'colum'; did you mean 'column'?" },
        { "suite s\nzzz\n", "t:2:1: unknown directive 'zzz'" },
        { "suite\n", "t:1:1: suite: too few words" },
        { "suite a b\n", "t:1:1: suite: too many words" },
        { "suite a/b\n", "t:1:7: suite: a name may only have letters, digits, '.', '_' and '-'" },
        { "suite s\nformat pan\n", "t:2:1: format: must come after a column" },
        { "suite s\ntitle \"x\n", "t:2:7: missing '\"' at the end of the string" },
        { "suite s\ntitle \"x\"y\n", "t:2:10: expected a space after '\"'" },
        { "rounds 0\n", "t:1:8: rounds: out of range" },
        { "rounds x\n", "t:1:8: rounds: not a number" },
        { "rounds nan\n", "t:1:8: rounds: not a number" },
        { "compare cpus\n", "t:1:9: no figure 'cpus'; did you mean 'cpu'?" },
        { TOP "row r\n", "t:5:5: row: a row of this name already exists" },
        { TOP "row q x\n", "t:5:7: row: expected NAME=VALUE" },
        { "timeout soon\n", "t:1:9: timeout: expected a time such as 90s or 5m" },
        { "memory 1X\n", "t:1:8: memory: expected a size such as 500M or 4G" },
        { "suite s\nrun a/b\n",
            "t:2:5: run: a name may only have letters, digits, '.', '_' and '-'" },
        { TOP "run x\n",
            "t:1:1: a table that runs other suites has no rows, columns, views or targets" },
        { "suite s\nplot bars\n", "t:2:1: plot: must come after a view" },
        { TOP "view v x\n", "t:5:1: view v needs one of: sum, percent, mean, average, most" },
        { TOP "view v x\n sum cpu\n", "t:5:1: view v needs 'of COLUMN...'" },
        { TOP "view v x\n sum cpu\n mean cpu\n", "t:7:2: mean: the view already has a kind" },
        { TOP "view v x\nview v y\n", "t:6:6: view: a view of this name already exists" },
        { TOP "view v x\n sum cpu\n of a b\n", "t:5:1: no column 'b'" },
        { TOP "view v x\n sum cpu\n of a/a\n", "t:5:1: view v: only a mean can have ratios" },
        { TOP "view v x\n percent cpu c\n of a\n", "t:5:1: no column 'c'" },
        { TOP "view v x\n sum cpu\n of a\n plot pie\n",
            "t:8:7: plot: expected none, bars or scatter" },
        { TOP "view v x\n sum cpu\n of a\n plot scatter\n",
            "t:5:1: view v: a scatter plot needs two columns" },
        { TOP "column a\n", "t:5:8: column: a column of this name already exists" },
        { TOP "baseline b\n", "t:1:1: no column 'b'" },
        { TOP "column b\n command x\n versus c\n", "t:5:1: no column 'c'" },
        { TOP "target x every cpu b >= 1\n", "t:5:1: no column 'b'" },
        { TOP "target x every cpu a > 1\n", "t:5:22: target: expected '>=' or '<='" },
        { TOP "target x some cpu a >= 1\n", "t:5:10: target: expected 'every' or 'geomean'" },
        { TOP "target x every cpu a >= 1 where\n", "t:5:1: target: expected TEXT KIND FIGURE "
                                                   "COLUMNS OP NUMBER [where VARIABLE OP NUMBER]" },
        { TOP "column b\n",
            "t:5:1: column b needs one of: command, published, recorded, listed, best" },
        { TOP "column b\n command x\n best cpu a\n",
            "t:5:1: column b needs one of: command, published, recorded, listed, best" },
        { TOP "column b\n command x\n listed cpu f g k=v\n",
            "t:5:1: column b needs one of: command, published, recorded, listed, best" },
        { TOP "column b\n listed cpu f g\n", "t:6:2: listed: too few words" },
        { TOP "column b\n listed cpu f g k=v k\n", "t:6:21: listed: expected FIELD=VALUE" },
        { TOP "column b\n listed cp f g k=v\n", "t:6:9: no figure 'cp'; did you mean 'cpu'?" },
        { TOP "column b\n best cpu a c\n", "t:5:1: no column 'c'" },
        { TOP "column b\n best cpu b\n",
            "t:5:1: column b is the best of a column that is not run" },
        { TOP "column b\n command x\n scaled a cpu 1\n",
            "t:5:1: column b: only published figures can be scaled" },
        { TOP "column b\n command x\n agree c 1\n", "t:5:1: no column 'c'" },
        { TOP "column b\n expect state 1\n", "t:6:9: no figure 'state'; did you mean 'states'?" },
        { TOP "column b\n format xml\n",
            "t:6:9: format: expected none, omen, pan, ltsmin or counts" },
    };
    om_context *ctx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench_table t = { 0 };
        assert_int_equal(
            bench_table_parse(&t, ctx, "t", cases[i].text, strlen(cases[i].text)), OM_EINPUT);
        assert_string_equal(om_context_error(ctx), cases[i].message);
        assert_null(t.columns);
        om_context_clear(ctx);
    }
    bench_table t = { 0 };
    assert_int_equal(bench_table_parse(&t, ctx, "t", "suite\0s", 7), OM_EINPUT);
    om_context_clear(ctx);
}

static int expand(om_context *ctx, const bench_pair *pairs, const char *word, char *out)
{
    const bench_scope scope = { { NULL, pairs, NULL, NULL } };
    om_text text = { .heap = om_heap_default() };
    int rc = bench_expand(ctx, &scope, NULL, word, &text);
    (void) strcpy(out, text.text == NULL ? "" : text.text);
    om_text_free(&text);
    return rc;
}

static void test_expansion(void **state)
{
    om_context *ctx = *state;
    bench_pair c = { "c", "${c}${c}", NULL }, b = { "b", "[${a}]", &c }, a = { "a", "1", &b };
    char out[70000];
    assert_int_equal(expand(ctx, &a, "x${b}y${a}$z{}", out), OM_OK);
    assert_string_equal(out, "x[1]y1$z{}");
    assert_int_equal(expand(ctx, &a, "${d}", out), OM_EINPUT);
    assert_string_equal(om_context_error(ctx), "no variable 'd'");
    om_context_clear(ctx);
    assert_int_equal(expand(ctx, &a, "${a", out), OM_EINPUT);
    om_context_clear(ctx);
    assert_int_equal(expand(ctx, &a, "${c}", out), OM_EINPUT);
    assert_string_equal(om_context_error(ctx), "'${c}' refers to itself");
    om_context_clear(ctx);
}

static void test_out_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t n = 0; rc == OM_ENOMEM; n++) {
        om_context *ctx = NULL;
        test_heap h;
        bench_table t = { 0 };
        test_heap_init(&h, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &h.heap), OM_OK);
        size_t before = h.live;
        h.fail_at = h.calls + n;
        rc = bench_table_parse(&t, ctx, "t", good, strlen(good));
        bench_table_free(&t);
        om_context_clear(ctx);
        assert_int_equal(h.live, before);
        om_context_free(ctx);
    }
    assert_int_equal(rc, OM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_bad, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_views, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_a_suite_of_suites, context_set_up, context_tear_down),
        cmocka_unit_test(test_times_and_sizes),
        cmocka_unit_test_setup_teardown(test_expansion, context_set_up, context_tear_down),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
