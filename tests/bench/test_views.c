/* SPDX-License-Identifier: Apache-2.0 */
/* Views: their rows, their values, and how they are shown. */
#include "report/page.h"
#include "report/plot.h"
#include "measure/progress_line.h"

#include "context.h"
#include "heap.h"

#include <math.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char text[] =
    "suite s\ntitle \"A & B <c>\"\nnote \"n \\\"1\\\"\"\nbaseline a\ncompare wall\n"
    "column a\n command x\ncolumn b\n command y <z\ncolumn c\n command z\n"
    "row r1 kind=weak\nrow r2 kind=weak\nrow r3 kind=strong\n"
    "view part \"In % of a\"\n percent wall a\n of b a c\n by kind\n plot bars\n"
    "view total \"Seconds\"\n sum wall\n of a b\n"
    "view ratio \"Speed-up\"\n mean wall\n of a/b\n by kind\n plot bars\n"
    "view weak \"Weak ones\"\n sum states\n of a\n only kind weak\n by row\n"
    "view cloud \"a, b\"\n sum wall\n of a b\n by kind\n plot scatter\n"
    "view average \"Average\"\n average wall\n of a b\n by kind\n"
    "view most \"Most\"\n most wall\n of a b\n by kind\n";
enum { ROWS = 3, COLUMNS = 3, PART = 0, TOTAL = 1, RATIO = 2, WEAK = 3, CLOUD = 4, AVERAGE, MOST };

typedef struct fixture {
    om_context *ctx;
    bench_table t;
    bench_results r;
} fixture;

static void put_cell(fixture *f, size_t row, size_t column, double wall)
{
    bench_cell *c = bench_cell_at(&f->r, row, column);
    c->state = BENCH_OK;
    for (c->count = 0; c->count < f->r.rounds; c->count++) {
        bench_sample_clear(&c->samples[c->count]);
        c->samples[c->count].figures[BENCH_WALL] = wall;
        c->samples[c->count].figures[BENCH_STATES] = 1234567;
    }
}

static void end_cell(fixture *f, size_t row, size_t column, bench_cell_state state)
{
    bench_cell *c = bench_cell_at(&f->r, row, column);
    *c = (bench_cell){ .samples = c->samples, .state = state, .note = "because" };
}

/* a: 1, 2, 4 seconds; b: 2, 2, 1; c has no run. */
static void set_up(fixture *f, om_context *ctx)
{
    static const double wall[ROWS][2] = { { 1, 2 }, { 2, 2 }, { 4, 1 } };
    *f = (fixture){ .ctx = ctx };
    assert_int_equal(bench_table_parse(&f->t, ctx, "t", text, strlen(text)), OM_OK);
    assert_int_equal(bench_results_new(&f->r, ctx, &f->t, 2), OM_OK);
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t i = 0; i < 2; i++)
            put_cell(f, row, i, wall[row][i]);
        end_cell(f, row, 2, BENCH_ABSENT);
    }
}

static void show(fixture *f, size_t view, bench_shown *s)
{
    assert_int_equal(bench_show(&f->r, f->ctx, &f->t.views[view], s), OM_OK);
}

static double value(const bench_shown *s, size_t line, size_t entry)
{
    return s->lines[line].entries[entry].value.value;
}

static void assert_near(double x, double y)
{
    assert_true(fabs(x - y) < 1e-9);
}

static void test_values(void **state)
{
    fixture f;
    bench_shown s;
    set_up(&f, *state);
    show(&f, PART, &s);
    assert_int_equal(s.count, 3);
    assert_string_equal(s.lines[0].label.text, "weak");
    assert_string_equal(s.lines[1].label.text, "strong");
    assert_string_equal(s.lines[2].label.text, "all");
    assert_near(value(&s, 0, 0), 400.0 / 3);
    assert_near(value(&s, 1, 0), 25);
    assert_near(value(&s, 2, 0), 500.0 / 7);
    assert_near(value(&s, 2, 1), 100);
    assert_true(isnan(value(&s, 2, 2)) && s.lines[2].entries[2].rows == 0);
    assert_int_equal(s.lines[0].rows, 2);
    assert_int_equal(s.left_out_count, 0);
    bench_shown_free(f.ctx, &s);

    show(&f, TOTAL, &s);
    assert_int_equal(s.count, 1);
    assert_near(value(&s, 0, 0), 7);
    assert_near(value(&s, 0, 1), 5);
    bench_shown_free(f.ctx, &s);

    show(&f, AVERAGE, &s);
    assert_near(value(&s, 0, 0), 1.5);
    assert_near(value(&s, 1, 1), 1);
    assert_near(value(&s, 2, 0), 7.0 / 3);
    bench_shown_free(f.ctx, &s);

    show(&f, MOST, &s);
    assert_near(value(&s, 0, 0), 2);
    assert_near(value(&s, 2, 0), 4);
    assert_near(value(&s, 2, 1), 2);
    bench_shown_free(f.ctx, &s);

    show(&f, RATIO, &s); /* 1/2, 1, 4 */
    assert_near(value(&s, 0, 0), sqrt(0.5));
    assert_near(value(&s, 1, 0), 4);
    assert_near(value(&s, 2, 0), cbrt(2));
    assert_near(s.lines[2].entries[0].value.low, cbrt(2));
    bench_shown_free(f.ctx, &s);

    show(&f, WEAK, &s);
    assert_int_equal(s.count, 3);
    assert_string_equal(s.lines[1].label.text, "r2");
    assert_near(value(&s, 2, 0), 2 * 1234567);
    bench_shown_free(f.ctx, &s);
    bench_table_free(&f.t);
}

/* A failed column excludes its row for all columns; a column that is not for a row excludes it only
 * for itself. */
static void test_rows_that_are_left_out(void **state)
{
    static const bench_cell_state failed[] = { BENCH_FAILED, BENCH_LIMIT };
    static const bench_cell_state missing[] = { BENCH_ABSENT, BENCH_NOT_APPLICABLE, BENCH_DIFFERS };
    fixture f;
    bench_shown s;
    set_up(&f, *state);
    for (size_t i = 0; i < 2; i++) {
        om_text why = { .heap = om_heap_default() };
        end_cell(&f, 0, 1, failed[i]);
        show(&f, PART, &s);
        assert_int_equal(s.left_out_count, 1);
        assert_int_equal(s.left_out[0], 0);
        assert_int_equal(s.lines[2].rows, 2);
        assert_near(value(&s, 2, 0), 100 * 3.0 / 6);
        assert_near(value(&s, 2, 1), 100);
        bench_put_left_out(&f.r, &f.t.views[PART], &s, &why);
        assert_string_equal(why.text, "Left out: 1 row: r1 (b: because). ");
        om_text_free(&why);
        bench_shown_free(f.ctx, &s);
        /* A column without any measurement excludes nothing. */
        end_cell(&f, 0, 2, failed[i]);
        put_cell(&f, 0, 1, 2);
        show(&f, PART, &s);
        assert_int_equal(s.left_out_count, 0);
        bench_shown_free(f.ctx, &s);
    }
    for (size_t i = 0; i < 3; i++) {
        end_cell(&f, 0, 1, missing[i]);
        show(&f, PART, &s);
        assert_int_equal(s.left_out_count, 0);
        assert_int_equal(s.lines[2].rows, 3);
        assert_int_equal(s.lines[2].entries[0].rows, 2);
        assert_near(value(&s, 2, 0), 100 * 3.0 / 6); /* of a over the same two rows */
        assert_int_equal(s.lines[2].entries[1].rows, 3);
        assert_int_equal(s.differing, missing[i] == BENCH_DIFFERS);
        bench_shown_free(f.ctx, &s);
    }
    /* A row that was not run is in no line. */
    end_cell(&f, 2, 0, BENCH_PENDING);
    show(&f, TOTAL, &s);
    assert_int_equal(s.lines[0].rows, 2);
    bench_shown_free(f.ctx, &s);
    bench_table_free(&f.t);
}

static void test_shown(void **state)
{
    fixture f;
    om_text out = { .heap = om_heap_default() };
    set_up(&f, *state);
    assert_int_equal(bench_put_views(&f.r, f.ctx, false, &out), OM_OK);
    assert_non_null(strstr(out.text, "\nIn % of a\n"
                                     "        rows        b        a  c\n"
                                     "weak       2  133.3 %  100.0 %  -\n"
                                     "strong     1   25.0 %  100.0 %  -\n"
                                     "all        3   71.4 %  100.0 %  -\n"));
    assert_non_null(strstr(out.text, "     rows        a        b\nall     3  7.000 s  5.000 s\n"));
    assert_non_null(strstr(out.text, "strong     1  4.00 [4.00, 4.00]\n"));
    assert_non_null(strstr(out.text, "r1      1  1,234,567\n"));
    om_text_free(&out);
    assert_int_equal(bench_put_views(&f.r, f.ctx, true, &out), OM_OK);
    assert_non_null(strstr(out.text, "## Seconds\n\n|     | rows |       a |       b |\n"
                                     "|---|--:|--:|--:|\n| all |    3 | 7.000 s | 5.000 s |\n"));
    om_text_free(&out);
    bench_table_free(&f.t);
}

static void test_plots(void **state)
{
    fixture f;
    om_text data = { .heap = om_heap_default() }, script = { .heap = om_heap_default() };
    set_up(&f, *state);
    assert_int_equal(bench_put_plot(&f.r, f.ctx, &f.t.views[PART], "name", &data, &script), OM_OK);
    assert_non_null(strstr(data.text, "\"strong\" 25 25 25 100 100 100 ? ? ?\n"));
    assert_non_null(
        strstr(script.text, "'name.dat' using 2:xtic(1) title 'b', 'name.dat' using 5"));
    assert_null(strstr(script.text, "title 'c'"));
    assert_non_null(strstr(script.text, "set output 'name.png'\n"));
    om_text_free(&data);
    om_text_free(&script);
    assert_int_equal(bench_put_plot(&f.r, f.ctx, &f.t.views[CLOUD], "name", &data, &script), OM_OK);
    assert_string_equal(data.text, "1 2 \"r1\"\n2 2 \"r2\"\n\n\n4 1 \"r3\"\n\n\n");
    assert_non_null(strstr(script.text, "index 1 using 1:2 with points lt 2 ps 1 title 'strong'"));
    om_text_free(&data);
    om_text_free(&script);
    for (size_t row = 0; row < ROWS; row++) /* nothing to draw */
        end_cell(&f, row, 0, BENCH_ABSENT);
    assert_int_equal(bench_put_plot(&f.r, f.ctx, &f.t.views[PART], "name", &data, &script), OM_OK);
    assert_int_equal(script.length, 0);
    bench_table_free(&f.t);
}

static void test_page(void **state)
{
    fixture f;
    om_text out = { .heap = om_heap_default() };
    set_up(&f, *state);
    const bench_page_part part = { &f.r, NULL, NULL };
    const bench_page page = { "x < y", f.t.notes, &part, 1, "gnuplot is not installed" };
    assert_int_equal(bench_put_page(&page, f.ctx, &out), OM_OK);
    assert_non_null(strstr(out.text, "<h1>x &lt; y</h1>"));
    assert_non_null(strstr(out.text, "<p>n &quot;1&quot;</p>"));
    assert_non_null(strstr(out.text, "<h2>A &amp; B &lt;c&gt;</h2>"));
    assert_non_null(strstr(out.text, "Not measured: <b>c</b>: because"));
    assert_non_null(strstr(out.text, "No plots: gnuplot is not installed."));
    assert_non_null(strstr(out.text, "y &lt;z"));
    assert_non_null(strstr(out.text, "71.4 %"));
    om_text_free(&out);
    bench_table_free(&f.t);
}

/* A command that exceeded a limit is recorded as such, and taken over unchanged. */
static void test_limits_are_kept(void **state)
{
    fixture f, g;
    om_text out = { .heap = om_heap_default() };
    set_up(&f, *state);
    f.r.limits = "60 s";
    end_cell(&f, 0, 1, BENCH_LIMIT);
    bench_put_csv(&f.r, &out);
    assert_non_null(strstr(out.text, "\n# limits: 60 s\n"));
    set_up(&g, *state);
    for (size_t row = 0; row < ROWS; row++)
        bench_row_clear(&g.r, row);
    g.r.limits = "60 s";
    assert_int_equal(bench_read_csv(&g.r, g.ctx, "c", out.text, out.length), OM_OK);
    assert_int_equal(bench_cell_at(&g.r, 0, 1)->state, BENCH_LIMIT);
    assert_true(bench_cell_failed(bench_cell_at(&g.r, 0, 1)) && bench_row_done(&g.r, 0));
    g.r.limits = "61 s";
    assert_int_equal(bench_read_csv(&g.r, g.ctx, "c", out.text, out.length), OM_EINPUT);
    assert_string_equal(om_context_error(g.ctx), "c:7: limits was '60 s', but is now '61 s'");
    om_context_clear(g.ctx);
    om_text_free(&out);
    bench_table_free(&f.t);
    bench_table_free(&g.t);
}

static void test_progress(void **state)
{
    const uint64_t second = 1000000000;
    bench_progress p = { .planned = 40, .started_ns = second };
    om_text out = { .heap = om_heap_default() };
    (void) state;
    bench_put_progress(&p, 2 * second, &out);
    assert_string_equal(out.text, "0 of 40 runs, 1 s");
    om_text_free(&out);
    bench_progress_row(&p, 10);
    for (int i = 0; i < 4; i++)
        bench_progress_run(&p);
    bench_progress_row_end(&p); /* six runs did not take place */
    bench_put_progress(&p, 101 * second, &out);
    assert_string_equal(out.text, "10 of 40 runs, 1 min 40 s; about 5 min 0 s left");
    om_text_free(&out);
    p.deadline_ns = 161 * second;
    bench_put_progress(&p, 101 * second, &out);
    assert_string_equal(out.text, "10 of 40 runs, 1 min 40 s; about 1 min 0 s left");
    om_text_free(&out);
    bench_progress_row(&p, 30);
    bench_progress_row_end(&p);
    bench_put_progress(&p, 7301 * second, &out);
    assert_string_equal(out.text, "40 of 40 runs, 2 h 1 min");
    om_text_free(&out);
}

static void test_out_of_memory(void **state)
{
    int rc = OM_ENOMEM;
    (void) state;
    for (size_t n = 1; rc == OM_ENOMEM; n++) {
        om_context *ctx = NULL;
        test_heap h;
        fixture f;
        test_heap_init(&h, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &h.heap), OM_OK);
        set_up(&f, ctx);
        size_t before = h.live;
        om_text page = { .heap = &h.heap }, data = page, script = page, words = page;
        const bench_page_part part = { &f.r, NULL, NULL };
        h.fail_at = h.calls + n;
        rc = bench_put_page(&(bench_page){ "t", NULL, &part, 1, NULL }, ctx, &page);
        if (rc == OM_OK)
            rc = bench_put_plot(&f.r, ctx, &f.t.views[CLOUD], "n", &data, &script);
        if (rc == OM_OK)
            rc = bench_put_views(&f.r, ctx, true, &words);
        om_text_free(&page);
        om_text_free(&data);
        om_text_free(&script);
        om_text_free(&words);
        om_context_clear(ctx);
        assert_int_equal(h.live, before);
        bench_table_free(&f.t);
        om_context_free(ctx);
    }
    assert_int_equal(rc, OM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(
            test_rows_that_are_left_out, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_shown, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_plots, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_page, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_limits_are_kept, context_set_up, context_tear_down),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
