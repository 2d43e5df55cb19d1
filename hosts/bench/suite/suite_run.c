/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of a suite, its exit status and its pictures; suite.c handles its files. */
#include "suite.h"
#include "report/plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_say(void *self, const char *text)
{
    const bench_host *h = self;
    const char *clear = h->progress.shown && h->progress.terminal ? "\r\033[K" : "";
    if (!h->opt.quiet)
        (void) fprintf(stderr, "%somen-bench: %s\n", clear, text);
}

bool bench_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- limits ---- */

uint64_t bench_suite_timeout(const bench_suite *b)
{
    return b->host->opt.timeout_ns != 0 ? b->host->opt.timeout_ns : b->table.timeout_ns;
}

uint64_t bench_suite_memory(const bench_suite *b)
{
    return b->host->opt.memory != 0 ? b->host->opt.memory : b->table.memory;
}

/* ---- the run ---- */

bool bench_suite_wants(const bench_suite *b, const char *row)
{
    const bench_options *opt = &b->host->opt;
    for (size_t i = 0; i < opt->row_count; i++)
        if (strcmp(opt->rows[i], row) == 0)
            return true;
    return opt->row_count == 0;
}

static size_t runs_of_row(const bench_suite *b, size_t row)
{
    const bench_table *t = &b->table;
    size_t columns = 0;
    for (size_t i = 0; i < t->column_count; i++)
        columns += t->columns[i].command.count != 0 &&
                   (t->columns[i].when == NULL ||
                       bench_lookup(t->rows[row].variables, t->columns[i].when) != NULL);
    return columns * b->results.rounds;
}

static bool is_wanted(const bench_suite *b, size_t row)
{
    return bench_suite_wants(b, b->table.rows[row].name) && !bench_row_done(&b->results, row);
}

size_t bench_suite_runs(const bench_suite *b)
{
    size_t runs = 0;
    for (size_t row = 0; row < b->table.row_count; row++)
        runs += is_wanted(b, row) ? runs_of_row(b, row) : 0;
    return runs;
}

static bool is_late(const bench_runner *runner)
{
    return runner->deadline_ns != 0 && om_clock_ns() >= runner->deadline_ns;
}

static void show_progress(bench_host *h)
{
    om_text line = { .heap = om_context_heap(h->ctx) };
    if (!h->progress.shown)
        return;
    bench_put_progress(&h->progress, om_clock_ns(), &line);
    if (!line.failed && h->progress.terminal)
        (void) fprintf(stderr, "\r\033[K%s", line.text);
    else if (!line.failed)
        (void) fprintf(stderr, "omen-bench: %s\n", line.text);
    (void) fflush(stderr);
    om_text_free(&line);
}

static void on_run(void *self, size_t column)
{
    bench_host *h = self;
    (void) column;
    bench_progress_run(&h->progress);
    show_progress(h);
}

static int run_rows(bench_suite *b, bench_runner *runner)
{
    bench_host *h = b->host;
    int rc = OM_OK;
    for (size_t row = 0; rc == OM_OK && row < b->table.row_count; row++) {
        if (!is_wanted(b, row))
            continue;
        if ((h->opt.budget_ns != 0 && om_clock_ns() - h->progress.started_ns > h->opt.budget_ns) ||
            is_late(runner)) {
            b->results.interrupted = h->stopped = true;
            bench_say(h, "the time budget is used up");
            break;
        }
        bench_progress_row(&h->progress, runs_of_row(b, row));
        rc = bench_run_row(runner, row);
        bench_progress_row_end(&h->progress);
        if (rc == OM_OK)
            rc = bench_suite_write(b);
    }
    return rc;
}

/* If the table's requirement is not met, nothing is measured and the reason is printed. */
int bench_suite_measure(bench_suite *b)
{
    bench_host *h = b->host;
    bench_runner runner = { .ctx = h->ctx,
        .results = &b->results,
        .set = h->opt.set,
        .built_in = h->built_in,
        .folder = h->scratch,
        .timeout_ns = bench_suite_timeout(b),
        .memory = bench_suite_memory(b),
        .deadline_ns = h->progress.deadline_ns,
        .say = bench_say,
        .on_run = on_run,
        .self = h };
    om_text why = { .heap = om_context_heap(h->ctx) };
    int rc = bench_check_requirement(&runner, &b->met, &why);
    if (rc == OM_OK && !b->met)
        (void) fprintf(stderr, "omen-bench: nothing can be measured: %s\n", why.text);
    om_text_free(&why);
    if (rc == OM_OK && b->met)
        rc = run_rows(b, &runner);
    if (h->progress.shown && h->progress.terminal)
        (void) fputs("\r\033[K", stderr);
    if (rc != OM_ESTOP)
        return rc;
    b->met = true; /* as far as known */
    b->results.interrupted = h->stopped = true;
    bench_say(h, is_late(&runner) ? "time limit reached" : "interrupted");
    return OM_OK;
}

int bench_suite_status(bench_suite *b, int *out)
{
    size_t failed = 0, missing = b->results.interrupted, not_met = 0;
    for (size_t row = 0; row < b->table.row_count; row++)
        for (size_t i = 0; i < b->table.column_count; i++) {
            const bench_cell *c = bench_cell_at(&b->results, row, i);
            failed += bench_cell_failed(c);
            missing += c->state == BENCH_PENDING && bench_suite_wants(b, b->table.rows[row].name);
        }
    for (size_t i = 0; i < b->table.target_count; i++) {
        bench_verdict v;
        int rc = bench_judge(&b->results, b->host->ctx, &b->table.targets[i], b->host->opt.set, &v);
        if (rc != OM_OK)
            return rc;
        not_met += v.judgement == BENCH_NOT_MET;
        missing += v.judgement == BENCH_NOT_MEASURED;
    }
    *out = failed != 0    ? BENCH_FAILED_STATUS
           : not_met != 0 ? BENCH_NOT_MET_STATUS
           : missing != 0 ? BENCH_NOT_MEASURED_STATUS
                          : 0;
    return OM_OK;
}

/* ---- pictures ---- */

static int draw_view(bench_suite *b, const char *folder, const char *stem, const bench_view *v)
{
    om_context *ctx = b->host->ctx;
    om_text name = { .heap = om_context_heap(ctx) }, base = { .heap = name.heap };
    om_text data = { .heap = name.heap }, script = { .heap = name.heap };
    const char *why = NULL;
    int rc;
    om_text_printf(&name, "%s-%s", stem, v->name);
    om_text_printf(&base, "%s/%s", folder, name.text);
    rc = name.failed || base.failed
             ? om_fail_memory(ctx)
             : bench_put_plot(&b->results, ctx, v, name.text, &data, &script);
    if (rc == OM_OK && script.length != 0) {
        rc = bench_write_file(ctx, base.text, ".dat", &data);
        if (rc == OM_OK)
            rc = bench_write_file(ctx, base.text, ".gp", &script);
        if (rc == OM_OK && b->host->no_pictures == NULL)
            rc = bench_draw(ctx, folder, name.text, &why);
        if (why != NULL)
            b->host->no_pictures = why;
    }
    om_text_free(&name);
    om_text_free(&base);
    om_text_free(&data);
    om_text_free(&script);
    return rc;
}

int bench_suite_draw(bench_suite *b)
{
    const bench_host *h = b->host;
    const char *stem = b->base.length == 0 ? b->table.suite : bench_last_name(b->base.text);
    char *folder;
    int rc = OM_OK;
    if ((b->base.length == 0 && h->opt.html == NULL) || b->table.view_count == 0)
        return OM_OK;
    folder = realpath(b->base.length == 0 ? h->scratch : h->opt.out, NULL);
    if (folder == NULL)
        return om_fail(
            h->ctx, OM_EIO, NULL, "cannot find the folder of the pictures: %s", strerror(errno));
    for (size_t i = 0; rc == OM_OK && i < b->table.view_count; i++)
        rc = draw_view(b, folder, stem, &b->table.views[i]);
    om_text_free(&b->pictures);
    if (rc == OM_OK && h->no_pictures == NULL)
        om_text_printf(&b->pictures, "%s/%s", folder, stem);
    free(folder);
    return rc == OM_OK && b->pictures.failed ? om_fail_memory(h->ctx) : rc;
}
