/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement, targets, and results that are written and read again. */
#include "report/results.h"

#include "context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char text[] = "suite s\nbaseline b\n"
                           "column a\n command x\n"
                           "column b\n command x\n agree a 2\n"
                           "row r1 big=1 need=3\nrow r2 big=0 need=9\nrow r3 big=1 need=3\n"
                           "target t1 geomean cpu b/a >= 2\n"
                           "target t2 every cpu b/a >= 3 where big = 1\n"
                           "target t3 every peak a <= ${need}\n";

typedef struct fixture {
    om_context *ctx;
    bench_table t;
    bench_results r;
} fixture;

static void set_up(fixture *f, om_context *ctx, size_t rounds)
{
    *f = (fixture){ .ctx = ctx };
    assert_int_equal(bench_table_parse(&f->t, ctx, "t", text, strlen(text)), OM_OK);
    assert_int_equal(bench_results_new(&f->r, ctx, &f->t, rounds), OM_OK);
}

static void fill(fixture *f, size_t row, size_t column, double cpu, double states)
{
    bench_cell *c = bench_cell_at(&f->r, row, column);
    c->state = BENCH_OK;
    for (c->count = 0; c->count < f->r.rounds; c->count++) {
        bench_sample *s = &c->samples[c->count];
        bench_sample_clear(s);
        s->figures[BENCH_CPU] = cpu;
        s->figures[BENCH_STATES] = states;
        s->figures[BENCH_PEAK] = 2;
    }
}

static void fill_all(fixture *f)
{
    for (size_t row = 0; row < 3; row++) {
        fill(f, row, 0, 1, 100);
        fill(f, row, 1, row == 1 ? 0.5 : 4, 102);
        assert_int_equal(bench_row_agree(&f->r, f->ctx, row), OM_OK);
    }
}

static bench_verdict judge(fixture *f, size_t target)
{
    bench_verdict v;
    assert_int_equal(bench_judge(&f->r, f->ctx, &f->t.targets[target], NULL, &v), OM_OK);
    return v;
}

static void test_agreement(void **state)
{
    fixture f;
    set_up(&f, *state, 2);
    fill_all(&f);
    assert_int_equal(bench_cell_at(&f.r, 0, 1)->state, BENCH_OK); /* 102 is within 2 */
    fill(&f, 0, 1, 4, 103);
    assert_int_equal(bench_row_agree(&f.r, f.ctx, 0), OM_OK);
    assert_int_equal(bench_cell_at(&f.r, 0, 1)->state, BENCH_DIFFERS);
    assert_string_equal(bench_cell_at(&f.r, 0, 1)->note, "103 states, but a has 100");
    fill(&f, 0, 1, 4, 99); /* fewer states never agree */
    assert_int_equal(bench_row_agree(&f.r, f.ctx, 0), OM_OK);
    assert_int_equal(bench_cell_at(&f.r, 0, 1)->state, BENCH_DIFFERS);
    fill(&f, 0, 1, 4, NAN); /* an unknown number does not agree either */
    assert_int_equal(bench_row_agree(&f.r, f.ctx, 0), OM_OK);
    assert_int_equal(bench_cell_at(&f.r, 0, 1)->state, BENCH_DIFFERS);
    bench_table_free(&f.t);
}

static void test_targets(void **state)
{
    fixture f;
    bench_verdict v;
    set_up(&f, *state, 2);
    fill_all(&f);
    v = judge(&f, 0); /* cube root of 4 * 0.5 * 4 */
    assert_int_equal(v.judgement, BENCH_MET);
    assert_true(fabs(v.mean.value - 2) < 1e-9 && v.used == 3);
    v = judge(&f, 1); /* r2 is excluded */
    assert_int_equal(v.judgement, BENCH_MET);
    assert_int_equal(v.used, 2);
    v = judge(&f, 2); /* 2 <= 3, 9, 3 */
    assert_int_equal(v.judgement, BENCH_MET);
    fill(&f, 2, 1, 2.5, 100);
    v = judge(&f, 1);
    assert_int_equal(v.judgement, BENCH_NOT_MET);
    assert_string_equal(v.worst, "r3");
    assert_int_equal(v.below, 1);
    v = judge(&f, 0);
    assert_int_equal(v.judgement, BENCH_NOT_MET);
    bench_table_free(&f.t);
}

/* A target with failed rows is never met; with missing ones, it is not judged as met. Differing
 * rows are left out and counted. */
static void test_rows_that_are_not_whole(void **state)
{
    fixture f;
    bench_verdict v;
    set_up(&f, *state, 2);
    fill_all(&f);
    bench_cell *c = bench_cell_at(&f.r, 1, 1);
    c->state = BENCH_DIFFERS;
    v = judge(&f, 0);
    assert_int_equal(v.judgement, BENCH_MET);
    assert_true(v.differing == 1 && v.used == 2 && fabs(v.mean.value - 4) < 1e-9);
    c->state = BENCH_ABSENT;
    v = judge(&f, 0);
    assert_int_equal(v.judgement, BENCH_NOT_MEASURED);
    assert_int_equal(v.missing, 1);
    c->state = BENCH_PENDING;
    assert_int_equal(judge(&f, 0).judgement, BENCH_NOT_MEASURED);
    c->state = BENCH_FAILED;
    v = judge(&f, 0);
    assert_int_equal(v.judgement, BENCH_NOT_MET);
    assert_int_equal(v.failed, 1);
    c->state = BENCH_NOT_APPLICABLE;
    assert_int_equal(judge(&f, 0).judgement, BENCH_MET);
    /* An unknown figure is missing, not 0. */
    for (size_t k = 0; k < 2; k++)
        bench_cell_at(&f.r, 0, 0)->samples[k].figures[BENCH_PEAK] = NAN;
    assert_int_equal(judge(&f, 2).judgement, BENCH_NOT_MEASURED);
    for (size_t row = 0; row < 3; row++)
        bench_row_clear(&f.r, row);
    assert_int_equal(judge(&f, 0).judgement, BENCH_NOT_MEASURED);
    bench_table_free(&f.t);
}

static void test_files(void **state)
{
    fixture f, g;
    om_text csv = { .heap = om_heap_default() }, again = { .heap = om_heap_default() };
    set_up(&f, *state, 2);
    fill_all(&f);
    bench_cell_at(&f.r, 1, 1)->state = BENCH_ABSENT;
    bench_cell_at(&f.r, 1, 1)->count = 0;
    bench_cell_at(&f.r, 1, 1)->note = "there is no \"x, y\"\nhere";
    (void) strcpy(bench_cell_at(&f.r, 0, 0)->samples[1].verdict, "holds");
    bench_put_csv(&f.r, &csv);
    assert_false(csv.failed);
    set_up(&g, *state, 2);
    assert_int_equal(bench_read_csv(&g.r, g.ctx, "c", csv.text, csv.length), OM_OK);
    bench_put_csv(&g.r, &again);
    assert_string_equal(csv.text, again.text);
    assert_true(bench_row_done(&g.r, 0) && bench_row_done(&g.r, 1));
    bench_table_free(&g.t);
    /* A row with a failure, or with fewer rounds, is run again. */
    bench_cell_at(&f.r, 0, 0)->state = BENCH_FAILED;
    bench_cell_at(&f.r, 2, 1)->count = 1;
    om_text_free(&csv);
    bench_put_csv(&f.r, &csv);
    set_up(&g, *state, 2);
    assert_int_equal(bench_read_csv(&g.r, g.ctx, "c", csv.text, csv.length), OM_OK);
    assert_false(bench_row_done(&g.r, 0));
    assert_true(bench_row_done(&g.r, 1));
    assert_false(bench_row_done(&g.r, 2));
    bench_table_free(&g.t);
    bench_table_free(&f.t);
    om_text_free(&csv);
    om_text_free(&again);
}

/* Results with fewer figures than now, in another order, and one run of them. */
static void test_older_files(void **state)
{
    static const char older[] =
        "# suite: s\n# commit: unknown\n# rounds: 2\nrow,column,round,state,verdict,executor,"
        "states,wall,note\none,a,1,ok,holds,vm,7,0.5,\none,a,2,ok,,,7,0.75,\none,b,1,ok,,,7,3,\n"
        "one,b,2,ok,,,7,,\n";
    fixture g;
    bench_sample s;
    bool found = false;
    set_up(&g, *state, 2);
    g.t.rows[0].name = "one";
    g.t.columns[0].name = "a";
    g.t.columns[1].name = "b";
    assert_int_equal(bench_read_csv(&g.r, g.ctx, "c", older, strlen(older)), OM_OK);
    const bench_cell *c = bench_cell_at(&g.r, 0, 0);
    assert_int_equal(c->count, 2);
    assert_true(
        c->samples[1].figures[BENCH_WALL] == 0.75 && c->samples[1].figures[BENCH_STATES] == 7);
    assert_true(isnan(c->samples[1].figures[BENCH_ATOMICS]));
    assert_int_equal(
        bench_csv_sample(g.ctx, "c", older, strlen(older), "one", "b", &s, &found), OM_OK);
    assert_true(found && s.figures[BENCH_WALL] == 3 && isnan(s.figures[BENCH_CPU]));
    assert_int_equal(
        bench_csv_sample(g.ctx, "c", older, strlen(older), "two", "b", &s, &found), OM_OK);
    assert_false(found);
    assert_int_equal(bench_csv_sample(g.ctx, "c", "x", 1, "two", "b", &s, &found), OM_EINPUT);
    om_context_clear(g.ctx);
    bench_table_free(&g.t);
}

static void refused(om_context *ctx, const char *csv, const char *message)
{
    fixture g;
    set_up(&g, ctx, 2);
    assert_int_equal(bench_read_csv(&g.r, ctx, "c", csv, strlen(csv)), OM_EINPUT);
    assert_string_equal(om_context_error(ctx), message);
    om_context_clear(ctx);
    assert_false(bench_row_done(&g.r, 0));
    bench_table_free(&g.t);
}

static void test_bad_files(void **state)
{
    refused(*state, "", "c:1: not results of a suite");
    refused(*state, "# suite: other\n", "c:1: suite was 'other', but is now 's'");
    refused(*state, "# suite: s\n# commit: 123\n", "c:2: commit was '123', but is now 'unknown'");
    refused(*state, "row,column\n", "c:1: not results of a suite");
    refused(*state, "row,column,round,state,verdict,executor,mood,note\n",
        "c:1: the results have other figures");
    refused(*state, "row,column,round,state,verdict,executor,wall,note\nx,a,1,ok,,,2\n",
        "c:2: the number of fields differs from the number of names");
}

/* Returns the value that is found, or the message. */
static const char *look_up(om_context *ctx, const char *csv, const char *field, const char *key,
    const char *other, char value[BENCH_FIELD_MOST])
{
    const char *const words[] = { "c", field, key, other, NULL };
    bool found = false;
    value[0] = '\0';
    if (bench_csv_look_up(ctx, words, csv, strlen(csv), value, &found) != OM_OK)
        (void) snprintf(value, BENCH_FIELD_MOST, "%s", om_context_error(ctx));
    else if (!found)
        (void) snprintf(value, BENCH_FIELD_MOST, "none");
    om_context_clear(ctx);
    return value;
}

static void test_look_up(void **state)
{
    static const char csv[] =
        "name,kind,seconds,\"a \"\"b\"\"\"\nx,1,2.5,\"p,q\"\nx,2,3.5,\n\n\"y\nz\",1,,last\nx,2\n";
    char v[BENCH_FIELD_MOST];
    om_context *ctx = *state;
    assert_string_equal(look_up(ctx, csv, "seconds", "name=x", "kind=1", v), "2.5");
    assert_string_equal(look_up(ctx, csv, "a \"b\"", "name=x", "kind=1", v), "p,q");
    assert_string_equal(look_up(ctx, csv, "seconds", "name=x", "kind=2", v), "3.5");
    assert_string_equal(look_up(ctx, csv, "seconds", "name=y\nz", NULL, v), "");
    assert_string_equal(look_up(ctx, csv, "seconds", "name=x", "kind=3", v), "none");
    assert_string_equal(look_up(ctx, csv, "second", "name=x", NULL, v), "c:1: no field 'second'");
    assert_string_equal(look_up(ctx, csv, "seconds", "nam=x", NULL, v), "c:1: no field 'nam'");
    assert_string_equal(look_up(ctx, csv, "seconds", "name", NULL, v), "c:1: expected FIELD=VALUE");
    assert_string_equal(
        look_up(ctx, csv, "seconds", "name=x", NULL, v), "c:3: more than one matching line");
    assert_string_equal(look_up(ctx, "", "a", "b=c", NULL, v), "c:1: no field 'a'");
    assert_string_equal(look_up(ctx, "a\n\"x\"y\n", "a", "a=x", NULL, v), "c:2: expected a comma");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_agreement, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_targets, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(
            test_rows_that_are_not_whole, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_files, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_older_files, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_bad_files, context_set_up, context_tear_down),
        cmocka_unit_test_setup_teardown(test_look_up, context_set_up, context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
