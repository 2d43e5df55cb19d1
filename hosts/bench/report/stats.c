/* SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000 };
#define SEED 20070501u

static int by_value(const void *x, const void *y)
{
    double a = *(const double *) x, b = *(const double *) y;
    return (a > b) - (a < b);
}

/* Sorts the values. */
static double median_of(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, by_value);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int bench_median(const om_heap *heap, const double *values, size_t count, double *out)
{
    double *copy = om_alloc(heap, count, sizeof *copy);
    if (copy == NULL)
        return OM_ENOMEM;
    if (count != 0)
        memcpy(copy, values, count * sizeof *copy);
    *out = median_of(copy, count);
    om_free(heap, copy);
    return OM_OK;
}

/* median(a[pick]) / median(b[pick]); pick NULL: all rounds. */
static double ratio(const bench_rounds *r, const size_t *pick, double *scratch)
{
    assert(r->count > 0);
    double a, b = 1;
    for (size_t i = 0; i < r->count; i++)
        scratch[i] = r->a[pick == NULL ? i : pick[i]];
    a = median_of(scratch, r->count);
    if (r->b != NULL) {
        for (size_t i = 0; i < r->count; i++)
            scratch[i] = r->b[pick == NULL ? i : pick[i]];
        b = median_of(scratch, r->count);
    }
    return a > 0 && b > 0 ? a / b : NAN;
}

/* Draws rounds for every row, or uses the rounds as they are if chance is NULL. */
static double mean(
    const bench_rounds *rows, size_t count, om_random *chance, size_t *pick, double *scratch)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; chance != NULL && k < rows[i].count; k++)
            pick[k] = (size_t) om_random_below(chance, rows[i].count);
        sum += log(ratio(&rows[i], chance == NULL ? NULL : pick, scratch));
    }
    assert(count > 0);
    return exp(sum / (double) count);
}

int bench_geomean(const om_heap *heap, const bench_rounds *rows, size_t count, bench_estimate *out)
{
    size_t most = 0, least = SIZE_MAX;
    om_random chance = { SEED };
    double *scratch, *draws;
    size_t *pick;

    *out = (bench_estimate){ NAN, NAN, NAN };
    for (size_t i = 0; i < count; i++) {
        most = rows[i].count > most ? rows[i].count : most;
        least = rows[i].count < least ? rows[i].count : least;
    }
    if (count == 0 || least == 0)
        return OM_OK;
    scratch = om_alloc(heap, most, sizeof *scratch);
    pick = om_alloc(heap, most, sizeof *pick);
    draws = om_alloc(heap, RESAMPLES, sizeof *draws);
    if (scratch == NULL || pick == NULL || draws == NULL)
        goto done;
    out->value = mean(rows, count, NULL, pick, scratch);
    if (least < 2 || isnan(out->value))
        goto done;
    for (size_t i = 0; i < RESAMPLES; i++)
        if (isnan(draws[i] = mean(rows, count, &chance, pick, scratch)))
            goto done;
    qsort(draws, RESAMPLES, sizeof *draws, by_value);
    out->low = draws[RESAMPLES / 40];
    out->high = draws[RESAMPLES - 1 - RESAMPLES / 40];
    assert(out->low <= out->high);
done:
    om_free(heap, scratch);
    om_free(heap, pick);
    om_free(heap, draws);
    return scratch == NULL || pick == NULL || draws == NULL ? OM_ENOMEM : OM_OK;
}
