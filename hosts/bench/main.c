/* SPDX-License-Identifier: Apache-2.0 */
/* omen-bench: compares programs. README.md beside this file says what it measures and how. */
#include "folder.h"
#include "machine.h"
#include "options.h"
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_NOT_MET = 10, STATUS_FAILED = 20, STATUS_NOT_MEASURED = 30, PATHS = 4096 };

typedef struct bench {
    om_context *ctx;
    bench_options opt;
    bench_table table;
    bench_results results;
    bench_pair *built_in;
    char home[PATHS];    /* the folder of this program */
    char scratch[PATHS]; /* "" while there is none */
    om_text base;        /* of the files of --out */
    uint64_t started_ns;
} bench;

static void say(void *self, const char *text)
{
    const bench *b = self;
    if (!b->opt.quiet)
        (void) fprintf(stderr, "omen-bench: %s\n", text);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- where things are ---- */

static int find_home(bench *b)
{
    ssize_t n = readlink("/proc/self/exe", b->home, sizeof b->home - 1);
    char *slash;
    if (n <= 0)
        return om_fail(b->ctx, OM_EIO, NULL, "cannot say where this program is");
    b->home[n] = '\0';
    slash = strrchr(b->home, '/');
    if (slash != NULL)
        *slash = '\0';
    return OM_OK;
}

/* The first of these folders, seen from the program's, that is there: as built, then as installed.
 */
static int put_folder(const bench *b, const char *const *places, om_text *out)
{
    for (size_t i = 0; places[i] != NULL; i++) {
        om_text_free(out);
        om_text_printf(out, "%s/%s", b->home, places[i]);
        if (out->failed)
            return om_fail_memory(b->ctx);
        if (exists(out->text))
            return OM_OK;
    }
    return OM_OK;
}

static const char *const suite_places[] = { "bench-suites", "../share/omen/bench", NULL };
static const char *const demo_places[] = { "../../hosts/cli/demo", "../share/omen/demo", NULL };

static int add_built_in(bench *b, const char *name, const char *value)
{
    return bench_add_pair(&b->opt.arena, b->ctx, &b->built_in, name, value);
}

static const char *const test_places[] = { "tests/kernels", NULL };
static const char *const count_places[] = { "bench-suites/counts.csv",
    "../share/omen/bench/counts.csv", NULL };

/* omen, corpus, demo, tests, counts and cache. */
static int set_built_in(bench *b)
{
    om_text text = { .heap = om_context_heap(b->ctx) };
    const char *corpus = getenv("OMEN_CORPUS");
    const struct {
        const char *name, *const *of;
    } places[] = { { "demo", demo_places }, { "tests", test_places }, { "counts", count_places } };
    int rc = OM_OK;

    om_text_printf(&text, "%s/omen", b->home);
    rc = text.failed ? om_fail_memory(b->ctx) : add_built_in(b, "omen", text.text);
    for (size_t i = 0; rc == OM_OK && i < sizeof places / sizeof *places; i++) {
        rc = put_folder(b, places[i].of, &text);
        if (rc == OM_OK)
            rc = add_built_in(b, places[i].name, text.text);
    }
    om_text_free(&text);
    om_text_printf(&text, "%s/cache", b->scratch);
    if (rc == OM_OK)
        rc = text.failed ? om_fail_memory(b->ctx) : add_built_in(b, "cache", text.text);
    if (rc == OM_OK && corpus != NULL) {
        char *whole = realpath(corpus, NULL);
        rc = add_built_in(b, "corpus", whole == NULL ? corpus : whole);
        free(whole);
    }
    om_text_free(&text);
    return rc;
}

static int read_suite(bench *b)
{
    om_text path = { .heap = om_context_heap(b->ctx) };
    int rc = OM_OK;
    if (strchr(b->opt.suite, '/') != NULL || strchr(b->opt.suite, '.') != NULL)
        om_text_add(&path, b->opt.suite);
    else {
        rc = put_folder(b, suite_places, &path);
        om_text_printf(&path, "/%s.suite", b->opt.suite);
        if (rc == OM_OK && !path.failed && !exists(path.text))
            rc = om_fail(
                b->ctx, OM_EUSAGE, NULL, "no suite '%s' (see omen-bench --list)", b->opt.suite);
    }
    if (rc == OM_OK)
        rc = path.failed ? om_fail_memory(b->ctx) : bench_table_read(&b->table, b->ctx, path.text);
    om_text_free(&path);
    return rc;
}

static int list_suites(bench *b)
{
    om_text path = { .heap = om_context_heap(b->ctx) };
    struct dirent **names = NULL;
    int rc = put_folder(b, suite_places, &path);
    int n = rc == OM_OK ? scandir(path.text, &names, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        const char *dot = strstr(names[i]->d_name, ".suite");
        if (dot != NULL)
            (void) printf("%.*s\n", (int) (dot - names[i]->d_name), names[i]->d_name);
        free(names[i]);
    }
    free((void *) names);
    om_text_free(&path);
    return rc;
}

/* ---- files ---- */

/* A whole file, by way of a temporary name: a reader sees the old one or the new one. */
static int write_file(bench *b, const char *base, const char *suffix, const om_text *text)
{
    om_text path = { .heap = om_context_heap(b->ctx) }, part = { .heap = path.heap };
    int rc = OM_OK;
    bool written = false;
    om_text_printf(&path, "%s%s", base, suffix);
    om_text_printf(&part, "%s%s.part", base, suffix);
    if (path.failed || part.failed || text->failed)
        rc = om_fail_memory(b->ctx);
    FILE *f = rc == OM_OK ? fopen(part.text, "we") : NULL;
    if (f != NULL) {
        written = fwrite(text->text, 1, text->length, f) == text->length;
        written = fclose(f) == 0 && written && rename(part.text, path.text) == 0;
    }
    if (rc == OM_OK && !written)
        rc = om_fail(b->ctx, OM_EIO, NULL, "cannot write %s: %s", path.text, strerror(errno));
    om_text_free(&path);
    om_text_free(&part);
    return rc;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static int write_gnuplot(bench *b, const char *base)
{
    const om_heap *heap = om_context_heap(b->ctx);
    om_text data = { .heap = heap }, script = { .heap = heap };
    om_text data_name = { .heap = heap }, picture = { .heap = heap };
    int rc;
    om_text_printf(&data_name, "%s.dat", last_name(base));
    om_text_printf(&picture, "%s.svg", last_name(base));
    rc = data_name.failed || picture.failed
             ? om_fail_memory(b->ctx)
             : bench_put_gnuplot(&b->results, b->ctx, data_name.text, picture.text, &data, &script);
    if (rc == OM_OK)
        rc = write_file(b, base, ".dat", &data);
    if (rc == OM_OK)
        rc = write_file(b, base, ".gp", &script);
    om_text_free(&data);
    om_text_free(&script);
    om_text_free(&data_name);
    om_text_free(&picture);
    return rc;
}

/* Everything that was asked for, as it is now. */
static int write_all(bench *b)
{
    om_text csv = { .heap = om_context_heap(b->ctx) }, report = { .heap = csv.heap };
    int rc = bench_put_report(&b->results, b->ctx, b->opt.set, true, &report);
    bench_put_csv(&b->results, &csv);
    if (rc == OM_OK && b->opt.csv != NULL)
        rc = write_file(b, b->opt.csv, "", &csv);
    if (rc == OM_OK && b->opt.markdown != NULL)
        rc = write_file(b, b->opt.markdown, "", &report);
    if (rc == OM_OK && b->opt.gnuplot != NULL)
        rc = write_gnuplot(b, b->opt.gnuplot);
    if (rc == OM_OK && b->base.length != 0) {
        rc = write_file(b, b->base.text, ".csv", &csv);
        if (rc == OM_OK)
            rc = write_file(b, b->base.text, ".md", &report);
    }
    om_text_free(&csv);
    om_text_free(&report);
    return rc;
}

static const char *keep(bench *b, om_text *text)
{
    const char *copy = text->failed || text->length == 0
                           ? NULL
                           : bench_arena_text(&b->table.arena, text->text, text->length);
    om_text_free(text);
    return copy;
}

/* What the head of results says of how they were taken; they are reported on as they are. */
static int take_head(bench *b, const char *text)
{
    const struct {
        const char *key, **out;
    } taken[] = { { "commit", &b->results.commit }, { "date", &b->results.date },
        { "machine", &b->results.machine }, { "command", &b->results.command } };
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < sizeof taken / sizeof *taken; i++) {
        om_text value = { .heap = om_context_heap(b->ctx) };
        bool there = bench_csv_head(text, taken[i].key, &value);
        const char *copy = keep(b, &value);
        if (there && copy != NULL)
            *taken[i].out = copy;
        else if (there)
            rc = om_fail_memory(b->ctx);
    }
    return rc;
}

static int read_results(bench *b, const char *file)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(b->ctx, file, 1 << 28, &text, &length);
    if (rc == OM_OK && b->opt.from != NULL)
        rc = take_head(b, text);
    if (rc == OM_OK)
        rc = bench_read_csv(&b->results, b->ctx, file, text, length);
    om_free(om_context_heap(b->ctx), text);
    return rc;
}

/* ---- the head of the results ---- */

static int fill_head(bench *b, int argc, char **argv)
{
    om_text text = { .heap = om_context_heap(b->ctx) };
    const bench_scope scope = { { b->opt.set, b->table.variables, b->built_in, NULL } };
    om_text omen = { .heap = text.heap };
    int rc = OM_OK;

    bench_put_date(&text);
    b->results.date = keep(b, &text);
    bench_put_machine(&text);
    b->results.machine = keep(b, &text);
    om_text_add(&text, "omen-bench");
    for (int i = 1; i < argc; i++)
        om_text_printf(&text, " %s", argv[i]);
    b->results.command = keep(b, &text);
    if (b->opt.commit != NULL)
        om_text_add(&text, b->opt.commit);
    else {
        rc = bench_expand(b->ctx, &scope, NULL, "${omen}", &omen);
        if (rc == OM_OK)
            rc = bench_put_commit(b->ctx, omen.text, b->scratch, &text);
    }
    b->results.commit = keep(b, &text);
    om_text_free(&omen);
    if (rc == OM_OK && (b->results.date == NULL || b->results.machine == NULL ||
                           b->results.command == NULL || b->results.commit == NULL))
        rc = om_fail_memory(b->ctx);
    return rc;
}

/* How many rounds results have; 0 where they do not say. */
static int count_rounds(bench *b, const char *file, uint64_t *out)
{
    om_text value = { .heap = om_context_heap(b->ctx) };
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(b->ctx, file, 1 << 28, &text, &length);
    *out = 0;
    if (rc == OM_OK && bench_csv_head(text, "rounds", &value))
        *out = value.text == NULL ? 0 : strtoull(value.text, NULL, 10);
    *out = *out > BENCH_ROUNDS_MOST ? 0 : *out;
    om_text_free(&value);
    om_free(om_context_heap(b->ctx), text);
    return rc;
}

/* The last "DATE-COMMIT-SUITE" of the folder, whatever its date. */
static int find_earlier(bench *b)
{
    om_text end = { .heap = om_context_heap(b->ctx) };
    struct dirent **names = NULL;
    int n = scandir(b->opt.out, &names, NULL, alphasort);
    om_text_printf(&end, "-%s-%s.csv", b->results.commit, b->table.suite);
    for (int i = 0; i < n; i++) {
        size_t length = strlen(names[i]->d_name);
        if (!end.failed && length == end.length + 10 &&
            strcmp(names[i]->d_name + 10, end.text) == 0) {
            om_text_free(&b->base);
            om_text_printf(&b->base, "%s/%.*s", b->opt.out, (int) length - 4, names[i]->d_name);
        }
        free(names[i]);
    }
    free((void *) names);
    int rc = end.failed || b->base.failed ? om_fail_memory(b->ctx) : OM_OK;
    om_text_free(&end);
    return rc;
}

/* What --out has is gone on with, replaced, or the end. */
static int take_earlier(bench *b)
{
    om_text csv = { .heap = om_context_heap(b->ctx) };
    int rc = OM_OK;
    om_text_printf(&csv, "%s.csv", b->base.text);
    if (csv.failed)
        rc = om_fail_memory(b->ctx);
    else if (exists(csv.text) && b->opt.resume)
        rc = read_results(b, csv.text);
    else if (exists(csv.text) && !b->opt.overwrite)
        rc = om_fail(b->ctx, OM_EUSAGE, NULL,
            "%s is there already: --resume goes on with it, --overwrite replaces it", csv.text);
    om_text_free(&csv);
    return rc;
}

/* Where --out puts things. */
static int choose_files(bench *b)
{
    int rc = OM_OK;
    if (b->opt.out == NULL)
        return OM_OK;
    if (mkdir(b->opt.out, 0777) != 0 && errno != EEXIST)
        return om_fail(b->ctx, OM_EIO, NULL, "cannot make %s: %s", b->opt.out, strerror(errno));
    om_text_printf(
        &b->base, "%s/%s-%s-%s", b->opt.out, b->results.date, b->results.commit, b->table.suite);
    if (b->base.failed)
        return om_fail_memory(b->ctx);
    if (b->opt.resume)
        rc = find_earlier(b);
    return rc == OM_OK ? take_earlier(b) : rc;
}

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

static bool wanted(const bench *b, const char *row)
{
    for (size_t i = 0; i < b->opt.row_count; i++)
        if (strcmp(b->opt.rows[i], row) == 0)
            return true;
    return b->opt.row_count == 0;
}

/* Rows that the table does not have are a mistake, not nothing to do. */
static int check_rows(const bench *b)
{
    for (size_t i = 0; i < b->opt.row_count; i++) {
        size_t k = 0;
        while (k < b->table.row_count && strcmp(b->table.rows[k].name, b->opt.rows[i]) != 0)
            k++;
        if (k == b->table.row_count)
            return om_fail(b->ctx, OM_EUSAGE, NULL, "--rows: no row '%s'", b->opt.rows[i]);
    }
    return OM_OK;
}

/* --minutes: of all of them, some seconds are kept for what comes behind the last command. */
static uint64_t deadline_of(const bench *b)
{
    const uint64_t all = b->opt.minutes_ns, least = all / 2 < 1000000000 ? all / 2 : 1000000000;
    const uint64_t kept = all / 50 < least ? least : all / 50;
    return all == 0 ? 0 : b->started_ns + all - kept;
}

static bool is_late(const bench_runner *runner)
{
    return runner->deadline_ns != 0 && om_clock_ns() >= runner->deadline_ns;
}

static int run_rows(bench *b, bench_runner *runner)
{
    uint64_t start = om_clock_ns();
    int rc = OM_OK;
    for (size_t row = 0; rc == OM_OK && row < b->table.row_count; row++) {
        if (!wanted(b, b->table.rows[row].name) || bench_row_done(&b->results, row))
            continue;
        if ((b->opt.budget_ns != 0 && om_clock_ns() - start > b->opt.budget_ns) ||
            is_late(runner)) {
            b->results.interrupted = true;
            say(b, "the time budget is spent");
            break;
        }
        rc = bench_run_row(runner, row);
        if (rc == OM_OK)
            rc = write_all(b);
    }
    return rc;
}

/* What there is to be measured; where the table's requirement is not met, nothing, and why is said.
 */
static int measure_rows(bench *b, bool *met)
{
    bench_runner runner = { b->ctx, &b->results, b->opt.set, b->built_in, b->scratch,
        b->opt.timeout_ns, deadline_of(b), say, b };
    om_text why = { .heap = om_context_heap(b->ctx) };
    int rc = bench_check_requirement(&runner, met, &why);
    if (rc == OM_OK && !*met)
        (void) fprintf(stderr, "omen-bench: nothing can be measured: %s\n", why.text);
    om_text_free(&why);
    if (rc == OM_OK && *met)
        rc = run_rows(b, &runner);
    if (rc != OM_ESTOP)
        return rc;
    *met = true; /* as far as is known */
    b->results.interrupted = true;
    say(b, is_late(&runner) ? "the time is over" : "told to stop");
    return OM_OK;
}

static int make_scratch(bench *b)
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

static int status_of(bench *b, int *out)
{
    size_t failed = 0, missing = b->results.interrupted, not_met = 0;
    for (size_t row = 0; row < b->table.row_count; row++)
        for (size_t i = 0; i < b->table.column_count; i++) {
            bench_cell_state s = bench_cell_at(&b->results, row, i)->state;
            failed += s == BENCH_FAILED;
            missing += s == BENCH_PENDING && wanted(b, b->table.rows[row].name);
        }
    for (size_t i = 0; i < b->table.target_count; i++) {
        bench_verdict v;
        int rc = bench_judge(&b->results, b->ctx, &b->table.targets[i], b->opt.set, &v);
        if (rc != OM_OK)
            return rc;
        not_met += v.judgement == BENCH_NOT_MET;
        missing += v.judgement == BENCH_NOT_MEASURED;
    }
    *out = failed != 0    ? STATUS_FAILED
           : not_met != 0 ? STATUS_NOT_MET
           : missing != 0 ? STATUS_NOT_MEASURED
                          : 0;
    return OM_OK;
}

static int bench_suite(bench *b, int argc, char **argv, int *status)
{
    om_text report = { .heap = om_context_heap(b->ctx) };
    uint64_t rounds = b->opt.rounds;
    bool met = true;
    int rc = read_suite(b);
    if (rc == OM_OK && rounds == 0 && b->opt.from != NULL)
        rc = count_rounds(b, b->opt.from, &rounds);
    if (rc == OM_OK)
        rc = bench_results_new(
            &b->results, b->ctx, &b->table, (size_t) (rounds != 0 ? rounds : b->table.rounds));
    if (rc == OM_OK)
        rc = check_rows(b);
    if (rc == OM_OK)
        rc = bench_measure_init(b->ctx);
    if (rc == OM_OK)
        rc = make_scratch(b);
    if (rc == OM_OK)
        rc = set_built_in(b);
    if (rc == OM_OK)
        rc = fill_head(b, argc, argv);
    if (rc == OM_OK && b->opt.from != NULL)
        rc = read_results(b, b->opt.from);
    else if (rc == OM_OK)
        rc = choose_files(b);
    if (rc == OM_OK && b->opt.from == NULL)
        rc = measure_rows(b, &met);
    if (!met) {
        *status = STATUS_NOT_MEASURED;
        return rc;
    }
    if (rc == OM_OK)
        rc = write_all(b);
    if (rc == OM_OK)
        rc = bench_put_report(&b->results, b->ctx, b->opt.set, false, &report);
    if (rc == OM_OK)
        rc = status_of(b, status);
    if (rc == OM_OK)
        rc = flush(&report, b->ctx);
    om_text_free(&report);
    return rc;
}

static int run(bench *b, int argc, char **argv, int *status)
{
    om_text text = { .heap = om_context_heap(b->ctx) };
    int rc = bench_options_parse(&b->opt, b->ctx, argc, argv);
    if (rc == OM_OK)
        rc = find_home(b);
    if (rc != OM_OK)
        return rc;
    if (b->opt.list)
        return list_suites(b);
    if (b->opt.help) {
        bench_options_help(&text);
        return flush(&text, b->ctx);
    }
    return bench_suite(b, argc, argv, status);
}

int main(int argc, char **argv)
{
    bench b = { 0 };
    int status = 0, rc = om_context_new(&b.ctx, NULL);
    if (rc != OM_OK) {
        (void) fputs("omen-bench: out of memory\n", stderr);
        return om_exit_status(rc);
    }
    b.started_ns = om_clock_ns();
    b.opt.arena.heap = b.base.heap = om_context_heap(b.ctx);
    rc = run(&b, argc, argv, &status);
    if (rc != OM_OK) {
        (void) fprintf(stderr, "omen-bench: %s\n", om_context_error(b.ctx));
        status = om_exit_status(rc);
    }
    if (b.scratch[0] != '\0')
        bench_remove_folder(b.scratch);
    om_text_free(&b.base);
    bench_arena_free(&b.opt.arena);
    bench_table_free(&b.table);
    om_context_free(b.ctx);
    return status;
}
