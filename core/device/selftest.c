/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The known-answer test of a device: a stress test of the index against a sequential set, then a
 * small model whose counts are known. Both run in a context of their own, so that a device that
 * fails leaves no message behind.
 */
#include "control/control.h"
#include "devices.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* ---- the index ---- */

/* As wide as the rows of the model below, so that they share their kernels. */
#define STRESS_ROW ((size_t) 3)
enum { STRESS_ROWS = 1 << 12, STRESS_VALUES = 1500 };

/* Checks that every value interned became exactly one state, and nothing else did. Returns NULL or
 * the error. */
static const char *compare_set(om_state_table *t, const uint32_t *rows, bool *seen)
{
    uint32_t stored[STRESS_VALUES * 3], distinct = 0;
    for (uint32_t i = 0; i < STRESS_ROWS; i++) {
        distinct += !seen[rows[i * STRESS_ROW]];
        seen[rows[i * STRESS_ROW]] = true;
    }
    if (t->stored != distinct)
        return "known-answer test: the index stored a wrong number of rows";
    if (om_segments__read(t->queue, &t->rows, 0, stored, distinct) != OM_OK)
        return "known-answer test: reading back failed";
    for (uint32_t i = 0; i < distinct; i++) {
        uint32_t value = stored[i * STRESS_ROW];
        if (value >= STRESS_VALUES || !seen[value] || stored[i * STRESS_ROW + 1] != ~value ||
            stored[i * STRESS_ROW + 2] != 7)
            return "known-answer test: the index stored a row twice, or one that is wrong";
        seen[value] = false;
    }
    return NULL;
}

/* Returns NULL or the error. */
static const char *stress_index(om_state_table *t, uint32_t *rows, bool *seen)
{
    om_random random = { 1 };
    uint32_t hit = UINT32_MAX;
    uint64_t record[OM_R_WORDS] = { 0 };
    if (om_state_table__candidates(t, STRESS_ROWS) != OM_OK)
        return "known-answer test: no room for rows";
    for (uint32_t i = 0; i < STRESS_ROWS; i++) {
        rows[i * STRESS_ROW] = (uint32_t) om_random_below(&random, STRESS_VALUES);
        rows[i * STRESS_ROW + 1] = ~rows[i * STRESS_ROW];
        rows[i * STRESS_ROW + 2] = 7;
    }
    if (om_queue__write(
            t->queue, &t->candidates, 0, rows, STRESS_ROWS * STRESS_ROW * sizeof *rows) != OM_OK ||
        om_queue__zero(t->queue, &t->from, 0, STRESS_ROWS * sizeof *rows) != OM_OK ||
        om_state_table__put(t, STRESS_ROWS, NULL, record, &hit) != OM_OK)
        return "known-answer test: the kernels of the index failed";
    if (om_state_table__find(t, STRESS_ROWS) != OM_OK)
        return "known-answer test: rows that were stored are not found";
    return compare_set(t, rows, seen);
}

/* An index under test. */
typedef struct index_test {
    om_queue queue;
    om_state_table table;
} index_test;

static const om_tuning small = { .states = 16,
    .candidates = 16,
    .buckets = 8,
    .chunk = 16,
    .largest_chunk = 16,
    .most_candidates = STRESS_ROWS };

/* `quotient`: an index that holds the rows themselves, as keys; else one of numbers. */
static int order_index(index_test *i, om_device *d, om_context *ctx, bool quotient)
{
    const om_row_shape shape = { .words = STRESS_ROW,
        .key_bits = quotient ? 11 + 32 + 3 : 0,
        .bits = { 11, 32, 3 },
        .paths = true };
    int rc = om_queue__open(&i->queue, d, ctx);
    return rc == OM_OK ? om_state_table__order(&i->table, &i->queue, &shape, &small) : rc;
}

/* Tests both kinds, which are built concurrently. */
static const char *test_indices(om_device *d, om_context *ctx)
{
    enum { KINDS = 2 };
    const om_heap *heap = om_context_heap(ctx);
    const char *reason = "known-answer test: the kernels of the index do not build";
    index_test kinds[KINDS] = { { .queue = { .device = NULL } } };
    uint32_t *rows = om_alloc(heap, STRESS_ROWS * STRESS_ROW, sizeof *rows);
    bool *seen = om_alloc(heap, STRESS_VALUES, sizeof *seen);
    int rc = rows != NULL && seen != NULL ? OM_OK : om_fail_memory(ctx);
    for (int i = 0; rc == OM_OK && i < KINDS; i++)
        rc = order_index(&kinds[i], d, ctx, i != 0);
    for (int i = 0; rc == OM_OK && i < KINDS; i++) {
        reason = "known-answer test: the kernels of the index do not build";
        rc = om_state_table__open(&kinds[i].table, &small);
        if (rc == OM_OK && (reason = stress_index(&kinds[i].table, rows, seen)) != NULL)
            break;
    }
    for (int i = 0; i < KINDS; i++) {
        om_state_table__close(&kinds[i].table);
        om_queue__close(&kinds[i].queue);
    }
    OM_FREE_ALL(heap, rows, seen);
    return reason;
}

/* ---- the model: counters, each of which goes from 0 to TOP once ---- */

enum { COUNTERS = 3, TOP = 15, EACH = TOP + 1 };
/* A grid: EACH^3 states; TOP * EACH^2 transitions per counter; one corner is a deadlock; levels are
 * the distances 0 .. 3 * TOP. */
enum {
    GRID_STATES = EACH * EACH * EACH,
    GRID_TRANSITIONS = COUNTERS * TOP * EACH * EACH,
    GRID_LEVELS = COUNTERS * TOP + 1
};

static int add_counter(om_model *m, uint32_t i)
{
    static const char *const names[COUNTERS] = { "a", "b", "c" };
    static const om_value zero = 0;
    uint32_t process = 0, slot = 0;
    om_slot declared = { .name = names[i], .type = OM_I32, .process = i, .initial = &zero };
    int rc = om_model_add_process(m, names[i], &process);
    if (rc == OM_OK)
        rc = om_model_add_slot(m, &declared, &slot);
    if (rc != OM_OK)
        return rc;
    om_expr value = om_expr_slot(m, slot);
    om_assign up = { .slot = slot,
        .value = om_expr_binary(m, OM_OP_ADD, value, om_expr_const(m, 1)) };
    om_transition t = { .process = process,
        .partner = OM_NONE,
        .assigns = &up,
        .assign_count = 1,
        .guard = om_expr_binary(m, OM_OP_LT, value, om_expr_const(m, TOP)),
        .label = names[i] };
    return om_model_add_transition(m, &t, NULL);
}

static const char *explore_grid(om_device *d, om_context *ctx, om_model *m)
{
    om_engine_spec spec = { .size = sizeof spec, .device = d, .model = m, .deadlock_ap = OM_NONE };
    om_exploration x = { 0 };
    om_engine *e = NULL;
    if (om_engine_open(&e, ctx, &spec) != OM_OK)
        return "known-answer test: the kernels of a model do not build";
    int rc = om_engine_explore(e, NULL, NULL, &x);
    om_engine_close(e);
    om_free(om_context_heap(ctx), x.fault_vector);
    if (rc != OM_OK)
        return "known-answer test: exploring a model failed";
    if (x.states != GRID_STATES || x.transitions != GRID_TRANSITIONS || x.deadlocks != 1 ||
        x.levels != GRID_LEVELS)
        return "known-answer test: a model was explored with wrong counts";
    return NULL;
}

static const char *test_model(om_device *d, om_context *ctx)
{
    om_model *m = NULL;
    int rc = om_model_new(&m, ctx, "known-answer");
    for (uint32_t i = 0; rc == OM_OK && i < COUNTERS; i++)
        rc = add_counter(m, i);
    if (rc == OM_OK)
        rc = om_model_finish(m);
    const char *reason =
        rc == OM_OK ? explore_grid(d, ctx, m) : "known-answer test: the model could not be built";
    om_model_free(m);
    return reason;
}

int om_device__self_test(om_device *d, om_context *asker, char **why)
{
    om_context *ctx = NULL;
    om_text text = { .heap = d->owner->heap };
    int rc = om_context_new_below(&ctx, asker);
    if (rc != OM_OK)
        return om_fail_memory(asker);
    om_control__unlimit_states(om_context_control(ctx));
    const char *reason = test_indices(d, ctx);
    if (reason == NULL)
        reason = test_model(d, ctx);
    if (reason != NULL && (rc = om_context_stopped(ctx)) == OM_OK) {
        const char *detail = om_context_error(ctx);
        om_text_printf(&text, "%s%s%s", reason, detail[0] != '\0' ? ": " : "", detail);
        rc = OM_EUNSUPPORTED;
        *why = text.failed ? NULL : text.text;
        if (text.failed)
            om_text_free(&text);
    }
    /* A memory limit that stops the test stops the caller, too, for the same reason. */
    om_stop_reason stopped = om_control_stopped(om_context_control(ctx));
    if (rc == OM_ELIMIT && stopped != OM_STOP_NONE)
        (void) om_control_stop(om_context_control(asker), stopped);
    om_context_free(ctx);
    return rc;
}
