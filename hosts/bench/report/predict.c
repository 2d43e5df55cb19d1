/* SPDX-License-Identifier: Apache-2.0 */
#include "predict.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/*
 * Bandwidths are those of the manufacturers' data sheets: NVIDIA H200, H100 (SXM5) and A100 80GB
 * (SXM4) Tensor Core GPU data sheets; NVIDIA Ada GPU architecture white paper (RTX 4090); AMD
 * Instinct MI300X data sheet. `word` is part of the name that a driver reports; an entry precedes
 * entries whose word it contains.
 */
static const struct {
    const char *name, *word;
    double bandwidth;
} published[] = {
    { "H200", "H200", 4.8e12 },
    { "H100", "H100", 3.35e12 },
    { "A100", "A100", 2.04e12 },
    { "RTX 4090", "RTX 4090", 1.01e12 },
    { "MI300X", "MI300X", 5.3e12 },
};
enum { DEVICES = sizeof published / sizeof *published, SECTOR = 32 };

/* An assumption: an H200 performs about 3 G random word accesses per second, atomic or not. Other
 * devices perform as many in proportion to their bandwidth. */
static const double RANDOM_H200 = 3e9, BANDWIDTH_H200 = 4.8e12;

double bench_bandwidth_of(const char *name)
{
    for (size_t i = 0; name != NULL && i < DEVICES; i++)
        if (strstr(name, published[i].word) != NULL)
            return published[i].bandwidth;
    return NAN;
}

/* Returns the bytes that memory moves for a transition. */
static double bytes_of(const bench_sample *counts)
{
    return SECTOR * (counts->figures[BENCH_SECTORS_READ] + counts->figures[BENCH_SECTORS_WRITTEN]);
}

bench_prediction bench_predict(const bench_sample *counts, double bandwidth)
{
    assert(bandwidth > 0);
    const double random = RANDOM_H200 * bandwidth / BANDWIDTH_H200;
    const struct {
        const char *what;
        double rate;
    } limits[] = { { "bandwidth", bandwidth / bytes_of(counts) },
        { "look-ups", random / counts->figures[BENCH_INDEX_SECTORS] },
        { "atomics", random / counts->figures[BENCH_ATOMICS] } };
    bench_prediction least = { INFINITY, "" };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (isnan(limits[i].rate))
            return (bench_prediction){ NAN, "" };
        if (limits[i].rate < least.rate)
            least = (bench_prediction){ limits[i].rate, limits[i].what };
    }
    return least;
}

/* ---- the report ---- */

/* The cells of a row: one with counts, and one that a device has explored. */
typedef struct pair {
    const bench_sample *counts, *measured;
    const char *column; /* of `measured` */
} pair;

static pair pair_of(const bench_results *r, size_t row)
{
    pair p = { NULL, NULL, NULL };
    for (size_t i = 0; i < r->table->column_count; i++) {
        const bench_cell *c = bench_cell_at(r, row, i);
        if (c->state != BENCH_OK || c->count == 0)
            continue;
        const bench_sample *s = &c->samples[0];
        if (p.counts == NULL && !isnan(s->figures[BENCH_SECTORS_READ]))
            p.counts = s;
        if (p.measured == NULL && strcmp(s->executor, "opencl") == 0 &&
            s->figures[BENCH_STATES] > 0 && s->figures[BENCH_TRANSITIONS] > 0) {
            p.measured = s;
            p.column = r->table->columns[i].name;
        }
    }
    return p;
}

static void put_heads(bool markdown, om_text *out)
{
    om_text_add(out,
        markdown
            ? "\n## Memory accesses per transition\n\n"
              "| row | sectors read | written | of the index | atomics | asked read | asked "
              "written |\n|---|--:|--:|--:|--:|--:|--:|\n"
            : "\nmemory accesses per transition\n"
              "row                  read  written    index  atomics  asked read  asked written\n");
}

static void put_counts(const char *row, const bench_sample *s, bool markdown, om_text *out)
{
    const double *f = s->figures;
    om_text_printf(out,
        markdown ? "| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n"
                 : "%-16s %8.3f %8.3f %8.3f %8.3f %11.3f %14.3f\n",
        row, f[BENCH_SECTORS_READ], f[BENCH_SECTORS_WRITTEN], f[BENCH_INDEX_SECTORS],
        f[BENCH_ATOMICS], f[BENCH_ASKED_READ], f[BENCH_ASKED_WRITTEN]);
}

/* Appends the predictions for published devices; `each` is the number of transitions per state. */
static void put_published(const bench_sample *counts, double each, om_text *out)
{
    om_text_add(out, "; predicted at most:");
    for (size_t i = 0; i < DEVICES; i++) {
        const bench_prediction most = bench_predict(counts, published[i].bandwidth);
        om_text_printf(out, "%s %s %.0f (%s)", i == 0 ? "" : ",", published[i].name,
            most.rate / each / 1e6, most.limit);
    }
}

static int put_rates(
    const bench_results *r, om_context *ctx, size_t row, const pair *p, bool markdown, om_text *out)
{
    const bench_cell *c = bench_cell_at(r, row, bench_find_column(r->table, p->column));
    const double *f = p->measured->figures, each = f[BENCH_TRANSITIONS] / f[BENCH_STATES];
    double seconds = NAN, bytes = NAN;
    int rc = bench_cell_median(r, ctx, c, BENCH_SECONDS, &seconds);
    if (rc == OM_OK)
        rc = bench_cell_median(r, ctx, c, BENCH_STORE_PER_STATE, &bytes);
    const double rate = f[BENCH_STATES] / seconds;
    om_text_printf(out, "%s%s, %s: ", markdown ? "- " : "", r->table->rows[row].name, p->column);
    om_text_printf(out, "%.3g million states per second", rate / 1e6);
    if (!isnan(bytes))
        om_text_printf(out, ", %.1f bytes per state", bytes);
    if (p->counts != NULL && !isnan(f[BENCH_BANDWIDTH]))
        om_text_printf(out, ", %.1f %% of its bandwidth",
            100 * rate * each * bytes_of(p->counts) / f[BENCH_BANDWIDTH]);
    if (p->counts != NULL)
        put_published(p->counts, each, out);
    om_text_add(out, "\n");
    return rc;
}

static void put_assumption(bool markdown, om_text *out)
{
    om_text_printf(out,
        "%sOnly the exploration is measured. Predictions are in millions of states per second. "
        "They "
        "are computed from published bandwidths and, for look-ups and atomics, from an assumed 3 G "
        "per second on an H200, scaled by bandwidth for the others.\n",
        markdown ? "\n" : "");
}

int bench_put_predictions(const bench_results *r, om_context *ctx, bool markdown, om_text *out)
{
    size_t counted = 0, measured = 0;
    int rc = OM_OK;
    for (size_t row = 0; row < r->table->row_count; row++) {
        const pair p = pair_of(r, row);
        if (p.counts == NULL)
            continue;
        if (counted++ == 0)
            put_heads(markdown, out);
        put_counts(r->table->rows[row].name, p.counts, markdown, out);
    }
    for (size_t row = 0; rc == OM_OK && row < r->table->row_count; row++) {
        const pair p = pair_of(r, row);
        if (p.measured == NULL)
            continue;
        if (measured++ == 0)
            om_text_add(out, markdown ? "\n## Explored on a device\n\n" : "\n");
        rc = put_rates(r, ctx, row, &p, markdown, out);
    }
    if (measured != 0 && counted != 0)
        put_assumption(markdown, out);
    return rc;
}
