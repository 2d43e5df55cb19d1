/* SPDX-License-Identifier: Apache-2.0 */
/* omen-bench: compares programs. README.md beside this file describes what it measures and how. */
#include "measure/folder.h"
#include "report/page.h"
#include "suite/places.h"
#include "suite/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the run ---- */

static int flush(om_text *text, om_context *ctx)
{
    int rc = text->failed ? om_fail_memory(ctx) : OM_OK;
    if (rc == OM_OK && text->length != 0)
        (void) fwrite(text->text, 1, text->length, stdout);
    if (fflush(stdout) != 0 && rc == OM_OK)
        rc = om_fail(ctx, OM_EIO, NULL, "cannot write to standard output: %s", strerror(errno));
    om_text_free(text);
    return rc;
}

static int make_scratch(bench_host *b)
{
    const char *tmp = getenv("TMPDIR");
    (void) snprintf(b->scratch, sizeof b->scratch, "%s/omen-bench.XXXXXX",
        tmp == NULL || *tmp == '\0' ? "/tmp" : tmp);
    if (mkdtemp(b->scratch) != NULL)
        return OM_OK;
    int rc = om_fail(b->ctx, OM_EIO, NULL, "cannot make %s: %s", b->scratch, strerror(errno));
    b->scratch[0] = '\0';
    return rc;
}

/* ---- one suite, or the members of a table ---- */

typedef struct run {
    bench_host *host;
    bench_table table; /* the table of the command line, if it has members */
    bench_suite *suites;
    size_t count;
} run;

/* A table with members may be in any folder; its members are then looked up in that folder
 * first. */
static int read_member(run *w, const char *name, bench_table *out)
{
    const char *file = w->host->opt.suite, *slash = strrchr(file, '/');
    om_text path = { .heap = om_context_heap(w->host->ctx) };
    if (slash == NULL)
        return bench_read_suite(w->host, name, out);
    om_text_printf(&path, "%.*s/%s.suite", (int) (slash - file), file, name);
    int rc = path.failed ? om_fail_memory(w->host->ctx) : OM_OK;
    if (rc == OM_OK)
        rc = bench_read_suite(w->host, bench_exists(path.text) ? path.text : name, out);
    om_text_free(&path);
    return rc;
}

static int check_member(run *w, const bench_suite *s)
{
    return s->table.members.count == 0 ? OM_OK
                                       : om_fail(w->host->ctx, OM_EINPUT, NULL,
                                             "suite %s itself runs other suites", s->table.suite);
}

/* Reads the tables. The caller frees w->suites even if this fails. */
static int read_tables(run *w)
{
    const om_heap *heap = om_context_heap(w->host->ctx);
    int rc = bench_read_suite(w->host, w->host->opt.suite, &w->table);
    if (rc != OM_OK)
        return rc;
    w->count = w->table.members.count == 0 ? 1 : w->table.members.count;
    w->suites = om_alloc(heap, w->count, sizeof *w->suites);
    if (w->suites == NULL) {
        w->count = 0;
        return om_fail_memory(w->host->ctx);
    }
    for (size_t i = 0; i < w->count; i++) {
        w->suites[i].host = w->host;
        w->suites[i].met = true;
        w->suites[i].base.heap = w->suites[i].pictures.heap = heap;
    }
    if (w->table.members.count == 0) {
        w->suites[0].table = w->table;
        w->table = (bench_table){ 0 };
        return OM_OK;
    }
    for (size_t i = 0; rc == OM_OK && i < w->count; i++) {
        rc = read_member(w, w->table.members.words[i], &w->suites[i].table);
        if (rc == OM_OK)
            rc = check_member(w, &w->suites[i]);
    }
    return rc;
}

static bool runs_several(const run *w)
{
    return w->table.members.count != 0;
}

static bool has_row(const bench_table *t, const char *name)
{
    for (size_t k = 0; k < t->row_count; k++)
        if (strcmp(t->rows[k].name, name) == 0)
            return true;
    return false;
}

/* Fails if --rows names a row that no table has, or if an option for one suite is given for
 * several. */
static int check_options(const run *w)
{
    const bench_options *o = &w->host->opt;
    for (size_t i = 0; i < o->row_count; i++) {
        bool found = false;
        for (size_t k = 0; k < w->count; k++)
            found |= has_row(&w->suites[k].table, o->rows[i]);
        if (!found)
            return om_fail(w->host->ctx, OM_EUSAGE, NULL, "--rows: no row '%s'", o->rows[i]);
    }
    if (runs_several(w) &&
        (o->csv != NULL || o->markdown != NULL || o->gnuplot != NULL || o->from != NULL))
        return om_fail(w->host->ctx, OM_EUSAGE, NULL,
            "%s runs several suites: --csv, --markdown, --gnuplot and --from need a single suite "
            "(--out DIR writes the files of each)",
            w->table.suite);
    return OM_OK;
}

/* The deadline of --minutes: it leaves some seconds for the work after the last command. */
static uint64_t deadline_of(const bench_host *b)
{
    const uint64_t all = b->opt.minutes_ns, least = all / 2 < 1000000000 ? all / 2 : 1000000000;
    const uint64_t kept = all / 50 < least ? least : all / 50;
    return all == 0 ? 0 : b->started_ns + all - kept;
}

static int measure_all(run *w)
{
    bench_host *h = w->host;
    int rc = OM_OK;
    h->progress.terminal = isatty(STDERR_FILENO) != 0;
    h->progress.shown = !h->opt.quiet && (h->opt.verbose || h->progress.terminal);
    h->progress.started_ns = om_clock_ns();
    h->progress.deadline_ns = deadline_of(h);
    for (size_t i = 0; i < w->count; i++)
        h->progress.planned += bench_suite_runs(&w->suites[i]);
    for (size_t i = 0; rc == OM_OK && i < w->count; i++) {
        if (h->stopped)
            w->suites[i].results.interrupted |= bench_suite_runs(&w->suites[i]) != 0;
        else
            rc = bench_suite_measure(&w->suites[i]);
    }
    return rc;
}

static int put_page(run *w, const char *file, const char *suffix)
{
    bench_host *h = w->host;
    om_text page = { .heap = om_context_heap(h->ctx) };
    bench_page_part *parts = om_alloc(page.heap, w->count, sizeof *parts);
    int rc;
    if (parts == NULL)
        return om_fail_memory(h->ctx);
    for (size_t i = 0; i < w->count; i++)
        parts[i] = (bench_page_part){ &w->suites[i].results, h->opt.set,
            w->suites[i].pictures.length == 0 ? NULL : w->suites[i].pictures.text };
    const bench_table *t = runs_several(w) ? &w->table : &w->suites[0].table;
    const bench_page what = { t->title == NULL ? t->suite : t->title,
        runs_several(w) ? t->notes : NULL, parts, w->count, h->no_pictures };
    rc = bench_put_page(&what, h->ctx, &page);
    if (rc == OM_OK)
        rc = bench_write_file(h->ctx, file, suffix, &page);
    om_free(page.heap, parts);
    om_text_free(&page);
    return rc;
}

/* Appends "DATE-COMMIT-SUITE" of the page: the base name of the first suite's files, with the name
 * of the run suite. */
static int put_page_base(const run *w, om_text *out)
{
    const bench_suite *first = &w->suites[0];
    const size_t name = strlen(first->table.suite);
    om_text_printf(out, "%.*s%s", (int) (first->base.length - name), first->base.text,
        runs_several(w) ? w->table.suite : first->table.suite);
    return out->failed ? om_fail_memory(w->host->ctx) : OM_OK;
}

/* Draws pictures; writes the page if there are views or it was requested. */
static int present(run *w)
{
    bench_host *h = w->host;
    om_text base = { .heap = om_context_heap(h->ctx) };
    size_t views = 0;
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < w->count; i++) {
        views += w->suites[i].table.view_count;
        rc = bench_suite_draw(&w->suites[i]);
    }
    if (h->no_pictures != NULL)
        (void) fprintf(stderr, "omen-bench: no pictures: %s\n", h->no_pictures);
    if (rc == OM_OK && h->opt.html != NULL)
        rc = put_page(w, h->opt.html, "");
    if (rc == OM_OK && views != 0 && w->suites[0].base.length != 0) {
        rc = put_page_base(w, &base);
        if (rc == OM_OK)
            rc = put_page(w, base.text, ".html");
    }
    om_text_free(&base);
    return rc;
}

/* Failures outweigh missed targets, which outweigh missing measurements. */
static int worse_of(int a, int b)
{
    static const int order[] = { BENCH_FAILED_STATUS, BENCH_NOT_MET_STATUS,
        BENCH_NOT_MEASURED_STATUS };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return 0;
}

static int report(run *w, bench_suite *s, int *status)
{
    om_text text = { .heap = om_context_heap(w->host->ctx) };
    int mine = BENCH_NOT_MEASURED_STATUS, rc = OM_OK;
    if (s->met) {
        rc = bench_suite_write(s);
        if (rc == OM_OK)
            rc = bench_put_report(&s->results, w->host->ctx, w->host->opt.set, false, &text);
        if (rc == OM_OK)
            rc = bench_suite_status(s, &mine);
        if (rc == OM_OK && runs_several(w))
            om_text_add(&text, "\n");
        if (rc == OM_OK)
            rc = flush(&text, w->host->ctx);
    }
    *status = worse_of(*status, mine);
    om_text_free(&text);
    return rc;
}

static int run_suites(run *w, int argc, char **argv, int *status)
{
    bench_host *h = w->host;
    int rc = read_tables(w);
    bool any = false;
    if (rc == OM_OK)
        rc = check_options(w);
    if (rc == OM_OK)
        rc = bench_measure_init(h->ctx);
    if (rc == OM_OK)
        rc = make_scratch(h);
    if (rc == OM_OK)
        rc = bench_set_built_in(h);
    for (size_t i = 0; rc == OM_OK && i < w->count; i++)
        rc = bench_suite_begin(&w->suites[i], argc, argv);
    if (rc == OM_OK && h->opt.from == NULL)
        rc = measure_all(w);
    for (size_t i = 0; rc == OM_OK && i < w->count; i++) {
        rc = report(w, &w->suites[i], status);
        any |= w->suites[i].met;
    }
    return rc == OM_OK && any ? present(w) : rc;
}

static int run_host(bench_host *b, int argc, char **argv, int *status)
{
    om_text text = { .heap = om_context_heap(b->ctx) };
    run w = { .host = b };
    int rc = bench_options_parse(&b->opt, b->ctx, argc, argv);
    if (rc == OM_OK)
        rc = bench_find_home(b);
    if (rc != OM_OK)
        return rc;
    if (b->opt.list)
        return bench_list_suites(b);
    if (b->opt.help) {
        bench_options_help(&text);
        return flush(&text, b->ctx);
    }
    rc = run_suites(&w, argc, argv, status);
    for (size_t i = 0; i < w.count; i++)
        bench_suite_free(&w.suites[i]);
    om_free(om_context_heap(b->ctx), w.suites);
    bench_table_free(&w.table);
    return rc;
}

int main(int argc, char **argv)
{
    bench_host b = { 0 };
    int status = 0, rc = om_context_new(&b.ctx, NULL);
    if (rc != OM_OK) {
        (void) fputs("omen-bench: out of memory\n", stderr);
        return om_exit_status(rc);
    }
    b.started_ns = om_clock_ns();
    b.opt.arena.heap = om_context_heap(b.ctx);
    rc = run_host(&b, argc, argv, &status);
    if (rc != OM_OK) {
        (void) fprintf(stderr, "omen-bench: %s\n", om_context_error(b.ctx));
        status = om_exit_status(rc);
    }
    if (b.scratch[0] != '\0')
        bench_remove_folder(b.scratch);
    bench_arena_free(&b.opt.arena);
    om_context_free(b.ctx);
    return status;
}
