/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"
#include "measure/machine.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

int bench_write_file(om_context *ctx, const char *base, const char *suffix, const om_text *text)
{
    om_text path = { .heap = om_context_heap(ctx) }, part = { .heap = path.heap };
    int rc = OM_OK;
    bool written = false;
    om_text_printf(&path, "%s%s", base, suffix);
    om_text_printf(&part, "%s%s.part", base, suffix);
    if (path.failed || part.failed || text->failed)
        rc = om_fail_memory(ctx);
    FILE *f = rc == OM_OK ? fopen(part.text, "we") : NULL;
    if (f != NULL) {
        written = fwrite(text->text, 1, text->length, f) == text->length;
        written = fclose(f) == 0 && written && rename(part.text, path.text) == 0;
    }
    if (rc == OM_OK && !written)
        rc = om_fail(ctx, OM_EIO, NULL, "cannot write %s: %s", path.text, strerror(errno));
    om_text_free(&path);
    om_text_free(&part);
    return rc;
}

const char *bench_last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static int write_gnuplot(bench_suite *b, const char *base)
{
    const om_heap *heap = om_context_heap(b->host->ctx);
    om_text data = { .heap = heap }, script = { .heap = heap };
    om_text data_name = { .heap = heap }, picture = { .heap = heap };
    int rc;
    om_text_printf(&data_name, "%s.dat", bench_last_name(base));
    om_text_printf(&picture, "%s.svg", bench_last_name(base));
    rc = data_name.failed || picture.failed ? om_fail_memory(b->host->ctx)
                                            : bench_put_gnuplot(&b->results, b->host->ctx,
                                                  data_name.text, picture.text, &data, &script);
    if (rc == OM_OK)
        rc = bench_write_file(b->host->ctx, base, ".dat", &data);
    if (rc == OM_OK)
        rc = bench_write_file(b->host->ctx, base, ".gp", &script);
    om_text_free(&data);
    om_text_free(&script);
    om_text_free(&data_name);
    om_text_free(&picture);
    return rc;
}

int bench_suite_write(bench_suite *b)
{
    om_text csv = { .heap = om_context_heap(b->host->ctx) }, report = { .heap = csv.heap };
    int rc = bench_put_report(&b->results, b->host->ctx, b->host->opt.set, true, &report);
    bench_put_csv(&b->results, &csv);
    if (rc == OM_OK && b->host->opt.csv != NULL)
        rc = bench_write_file(b->host->ctx, b->host->opt.csv, "", &csv);
    if (rc == OM_OK && b->host->opt.markdown != NULL)
        rc = bench_write_file(b->host->ctx, b->host->opt.markdown, "", &report);
    if (rc == OM_OK && b->host->opt.gnuplot != NULL)
        rc = write_gnuplot(b, b->host->opt.gnuplot);
    if (rc == OM_OK && b->base.length != 0) {
        rc = bench_write_file(b->host->ctx, b->base.text, ".csv", &csv);
        if (rc == OM_OK)
            rc = bench_write_file(b->host->ctx, b->base.text, ".md", &report);
    }
    om_text_free(&csv);
    om_text_free(&report);
    return rc;
}

static const char *keep(bench_suite *b, om_text *text)
{
    const char *copy = text->failed || text->length == 0
                           ? NULL
                           : bench_arena_text(&b->table.arena, text->text, text->length);
    om_text_free(text);
    return copy;
}

/* Takes over the head of earlier results, so that they are reported with their own commit, date and
 * machine. */
static int take_head(bench_suite *b, const char *text)
{
    const struct {
        const char *key, **out;
    } taken[] = { { "commit", &b->results.commit }, { "date", &b->results.date },
        { "machine", &b->results.machine }, { "command", &b->results.command },
        { "limits", &b->results.limits } };
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < sizeof taken / sizeof *taken; i++) {
        om_text value = { .heap = om_context_heap(b->host->ctx) };
        bool there = bench_csv_head(text, taken[i].key, &value);
        const char *copy = keep(b, &value);
        if (there && copy != NULL)
            *taken[i].out = copy;
        else if (there)
            rc = om_fail_memory(b->host->ctx);
    }
    return rc;
}

static int read_results(bench_suite *b, const char *file)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(b->host->ctx, file, 1 << 28, &text, &length);
    if (rc == OM_OK && b->host->opt.from != NULL)
        rc = take_head(b, text);
    if (rc == OM_OK)
        rc = bench_read_csv(&b->results, b->host->ctx, file, text, length);
    om_free(om_context_heap(b->host->ctx), text);
    return rc;
}

/* ---- the head of the results ---- */

static int fill_head(bench_suite *b, int argc, char **argv)
{
    om_text text = { .heap = om_context_heap(b->host->ctx) };
    const bench_scope scope = { { b->host->opt.set, b->table.variables, b->host->built_in, NULL } };
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
    if (b->host->opt.commit != NULL)
        om_text_add(&text, b->host->opt.commit);
    else {
        rc = bench_expand(b->host->ctx, &scope, NULL, "${omen}", &omen);
        if (rc == OM_OK)
            rc = bench_put_commit(b->host->ctx, omen.text, b->host->scratch, &text);
    }
    b->results.commit = keep(b, &text);
    om_text_free(&omen);
    if (rc == OM_OK && (b->results.date == NULL || b->results.machine == NULL ||
                           b->results.command == NULL || b->results.commit == NULL))
        rc = om_fail_memory(b->host->ctx);
    return rc;
}

/* Reads the number of rounds of results; 0 if the file does not state it. */
static int count_rounds(bench_suite *b, const char *file, uint64_t *out)
{
    om_text value = { .heap = om_context_heap(b->host->ctx) };
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(b->host->ctx, file, 1 << 28, &text, &length);
    *out = 0;
    if (rc == OM_OK && bench_csv_head(text, "rounds", &value))
        *out = value.text == NULL ? 0 : strtoull(value.text, NULL, 10);
    *out = *out > BENCH_ROUNDS_MOST ? 0 : *out;
    om_text_free(&value);
    om_free(om_context_heap(b->host->ctx), text);
    return rc;
}

/* Finds the last "DATE-COMMIT-SUITE" of the folder, whatever its date. */
static int find_earlier(bench_suite *b)
{
    om_text end = { .heap = om_context_heap(b->host->ctx) };
    struct dirent **names = NULL;
    int n = scandir(b->host->opt.out, &names, NULL, alphasort);
    om_text_printf(&end, "-%s-%s.csv", b->results.commit, b->table.suite);
    for (int i = 0; i < n; i++) {
        size_t length = strlen(names[i]->d_name);
        if (!end.failed && length == end.length + 10 &&
            strcmp(names[i]->d_name + 10, end.text) == 0) {
            om_text_free(&b->base);
            om_text_printf(
                &b->base, "%s/%.*s", b->host->opt.out, (int) length - 4, names[i]->d_name);
        }
        free(names[i]);
    }
    free((void *) names);
    int rc = end.failed || b->base.failed ? om_fail_memory(b->host->ctx) : OM_OK;
    om_text_free(&end);
    return rc;
}

/* Resumes or replaces existing results in --out, or fails. */
static int take_earlier(bench_suite *b)
{
    om_text csv = { .heap = om_context_heap(b->host->ctx) };
    int rc = OM_OK;
    om_text_printf(&csv, "%s.csv", b->base.text);
    if (csv.failed)
        rc = om_fail_memory(b->host->ctx);
    else if (bench_exists(csv.text) && b->host->opt.resume)
        rc = read_results(b, csv.text);
    else if (bench_exists(csv.text) && !b->host->opt.overwrite)
        rc = om_fail(b->host->ctx, OM_EUSAGE, NULL,
            "%s already exists: --resume continues it, --overwrite replaces it", csv.text);
    om_text_free(&csv);
    return rc;
}

/* Determines the paths of the files in --out. */
static int choose_files(bench_suite *b)
{
    int rc = OM_OK;
    if (b->host->opt.out == NULL)
        return OM_OK;
    if (mkdir(b->host->opt.out, 0777) != 0 && errno != EEXIST)
        return om_fail(
            b->host->ctx, OM_EIO, NULL, "cannot make %s: %s", b->host->opt.out, strerror(errno));
    om_text_printf(&b->base, "%s/%s-%s-%s", b->host->opt.out, b->results.date, b->results.commit,
        b->table.suite);
    if (b->base.failed)
        return om_fail_memory(b->host->ctx);
    if (b->host->opt.resume)
        rc = find_earlier(b);
    return rc == OM_OK ? take_earlier(b) : rc;
}

static int fill_limits(bench_suite *b)
{
    om_text text = { .heap = om_context_heap(b->host->ctx) };
    const double seconds = (double) bench_suite_timeout(b) / 1e9,
                 bytes = (double) bench_suite_memory(b);
    if (seconds == 0 && bytes == 0)
        return OM_OK;
    if (seconds > 0)
        om_text_printf(&text, "%.6g s", seconds);
    if (bytes > 0)
        om_text_printf(&text, "%s%.6g MB", seconds > 0 ? ", " : "", bytes / 1e6);
    b->results.limits = keep(b, &text);
    return b->results.limits == NULL ? om_fail_memory(b->host->ctx) : OM_OK;
}

int bench_suite_begin(bench_suite *b, int argc, char **argv)
{
    const bench_options *opt = &b->host->opt;
    uint64_t rounds = opt->rounds;
    int rc = OM_OK;
    if (rounds == 0 && opt->from != NULL)
        rc = count_rounds(b, opt->from, &rounds);
    if (rc == OM_OK)
        rc = bench_results_new(&b->results, b->host->ctx, &b->table,
            (size_t) (rounds != 0 ? rounds : b->table.rounds));
    if (rc == OM_OK)
        rc = fill_head(b, argc, argv);
    if (rc == OM_OK)
        rc = fill_limits(b);
    if (rc == OM_OK && opt->from != NULL)
        return read_results(b, opt->from);
    return rc == OM_OK ? choose_files(b) : rc;
}

void bench_suite_free(bench_suite *b)
{
    om_text_free(&b->base);
    om_text_free(&b->pictures);
    bench_table_free(&b->table);
}
