/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth-first exploration over the engine's steps, and paths back through parents. */
#include "group.h"

#include <string.h>

static const uint32_t NO_STATE = UINT32_MAX;

/* What one exploration carries along. */
typedef struct exploration {
    om_engine *engine;
    om_exploration *out;
    const om_buffer *wanted;
    uint64_t ends[OM_LEVELS_SHOWN + 1]; /* level n, from 1 on, ends before state ends[n % size] */
} exploration;

static void take_figures(exploration *x, const uint64_t *record)
{
    x->out->states = record[OM_R_STORED];
    x->out->transitions = record[OM_R_TRANSITIONS];
    x->out->deadlocks = record[OM_R_DEADLOCKS];
    x->out->overflows = record[OM_R_OVERFLOWS];
    x->out->levels = (uint32_t) record[OM_R_LEVELS];
    x->out->memory_bytes = x->engine->queue.peak;
    x->out->on_device = (om_device_figures){ .devices = 1,
        .steps = record[OM_R_STEPS],
        .idle_steps = x->engine->queued_steps - record[OM_R_STEPS],
        .step_launches = x->engine->step_launches,
        .launches = x->engine->queue.launches,
        .read_backs = x->engine->queue.read_backs };
}

/*
 * The widths of the last levels. The records of a batch are all there, one a step, and no step goes
 * through more than one level: so each level has a record that says where it ends, until the ring
 * of records has gone round.
 */
static void take_levels(exploration *x, const om_standing *p, om_levels *out)
{
    enum { ENDS = OM_LEVELS_SHOWN + 1 };
    uint64_t newest = p->record[OM_R_LEVELS];
    *out = (om_levels){ .count = (uint32_t) newest };
    x->ends[newest % ENDS] = p->record[OM_R_END];
    for (size_t i = 0; i < OM_RECORDS; i++) {
        const uint64_t *r = p->control + OM_C_WORDS + i * OM_R_WORDS;
        if (r[OM_R_LEVELS] != 0 && r[OM_R_LEVELS] < newest && newest - r[OM_R_LEVELS] < ENDS)
            x->ends[r[OM_R_LEVELS] % ENDS] = r[OM_R_END];
    }
    for (uint64_t i = 0; i < OM_LEVELS_SHOWN && i < newest; i++) {
        uint64_t level = newest - i, end = x->ends[level % ENDS];
        uint64_t begin = level == 1 ? 0 : x->ends[(level - 1) % ENDS];
        out->widths[i] = end - begin;
    }
}

static void show(void *self, const om_standing *p)
{
    exploration *x = self;
    const om_engine_spec *spec = &x->engine->spec;
    om_levels levels;
    take_figures(x, p->record);
    if (spec->progress == NULL)
        return;
    take_levels(x, p, &levels);
    spec->progress(spec->progress_self, x->out->states, x->out->transitions, &levels);
}

/* The initial states, as candidates that come from nowhere; p->record becomes the first step's. */
static int begin(om_engine *e, exploration *x, om_standing *p, uint32_t *hit)
{
    uint32_t n = e->spec.automaton != NULL ? om_automaton_initial_count(e->spec.automaton) : 1;
    size_t row = e->row;
    uint32_t *rows = om_alloc(e->heap, n, (row + 1) * sizeof *rows);
    if (rows == NULL)
        return om_fail_memory(e->ctx);
    uint32_t *from = rows + n * row;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(rows + i * row, om_model_initial(e->spec.model), e->words * sizeof *rows);
        if (e->spec.automaton != NULL)
            rows[i * row + e->words] = om_automaton_initial(e->spec.automaton, i);
        from[i] = NO_STATE;
    }
    int rc = om_state_table__candidates(&e->table, n);
    if (rc == OM_OK)
        rc = om_queue__write(&e->queue, &e->table.candidates, 0, rows, n * row * sizeof *rows);
    if (rc == OM_OK)
        rc = om_queue__write(
            &e->queue, &e->table.from, 0, from, (e->table.shape.paths ? n : 1) * sizeof *from);
    if (rc == OM_OK)
        rc = om_state_table__put(&e->table, n, x->wanted, p->record, hit);
    om_free(e->heap, rows);
    /* Edges to initial states from nowhere are no transitions. */
    p->record[OM_R_TRANSITIONS] = 0;
    p->record[OM_R_STEPS] = 0;
    p->record[OM_R_PEAK] = 0;
    return rc;
}

/* What to report of faults: a failed assertion before others. */
static void take_fault(om_engine *e, om_exploration *out)
{
    uint64_t fault = e->failed != UINT64_MAX ? e->failed : e->fault;
    if (fault == UINT64_MAX)
        return;
    out->fault = (om_fault) fault;
    out->fault_state = fault >> 32;
    out->fault_vector = e->fault_vector;
    e->fault_vector = NULL;
}

/* The limit on states says no. */
static int too_many(om_engine *e)
{
    (void) om_control_stop(e->queue.control, OM_STOP_STATES);
    return om_control_status(e->queue.control);
}

static int explore(om_engine *e, exploration *x, uint32_t *hit)
{
    om_standing p = { .control = { [OM_C_HIT] = NO_STATE } };
    int rc = begin(e, x, &p, hit);
    take_figures(x, p.record);
    if (rc == OM_OK)
        rc = om_queue__stopped(&e->queue);
    if (rc == OM_OK && *hit == NO_STATE && p.record[OM_R_WHY] == OM_RUNS)
        rc = om_engine__steps(e, x->wanted, &p, show, x);
    take_figures(x, p.record);
    if (rc != OM_OK)
        return rc;
    /* The last step of all may have closed a cycle, with no step behind it that could say so. */
    if (p.record[OM_R_WHY] == OM_DONE && p.control[OM_C_HIT] != NO_STATE)
        p.record[OM_R_WHY] = OM_HIT;
    e->complete = p.record[OM_R_WHY] == OM_DONE;
    switch (p.record[OM_R_WHY]) {
    case OM_HIT:
        *hit = (uint32_t) p.control[OM_C_HIT];
        return OM_OK;
    case OM_FAULTS:
        return OM_EMODEL;
    case OM_STATES:
        return too_many(e);
    default:
        return OM_OK;
    }
}

int om_engine_explore(om_engine *e, const uint8_t *stop_at, om_id *hit, om_exploration *out)
{
    exploration x = { .engine = e, .out = out };
    uint32_t found = NO_STATE;
    uint64_t since = om_clock_ns();
    int rc = OM_OK;
    if (e->group != NULL && (stop_at == NULL || e->spec.automaton != NULL))
        return om_device_group__explore(e->group, stop_at, hit, out);
    *out = (om_exploration){ 0 };
    if (hit != NULL)
        *hit = OM_NO_ID;
    if (e->table.stored != 0 || (stop_at != NULL && e->spec.automaton == NULL))
        return om_fail(e->ctx, OM_EINVAL, NULL, "an engine explores once, and stops by automaton");
    e->catches = e->spec.accepting != NULL && hit != NULL;
    e->check_at = e->tuning.states;
    if (stop_at != NULL) {
        x.wanted = &e->wanted;
        rc = om_queue__take(&e->queue, &e->wanted, e->automaton_states, 1);
        if (rc == OM_OK)
            rc = om_queue__write(&e->queue, &e->wanted, 0, stop_at, e->automaton_states);
    }
    if (rc == OM_OK)
        rc = explore(e, &x, &found);
    if (hit != NULL && rc == OM_OK && found != NO_STATE)
        *hit = found;
    take_fault(e, out);
    if (out->overflows != 0) {
        out->overflow_vector = e->overflow_vector;
        e->overflow_vector = NULL;
    }
    out->seconds = (double) (om_clock_ns() - since) * 1e-9;
    return rc;
}

/* ---- paths ---- */

bool om_engine_has_paths(const om_engine *e)
{
    return e->group != NULL ? om_device_group__has_paths(e->group) : e->table.shape.paths;
}

int om_engine_path(
    om_engine *e, om_id to, int (*take)(void *self, const uint32_t *vector), void *self)
{
    const om_state_table *t = &e->table;
    uint32_t *ids = NULL, *vector = NULL;
    size_t count = 0, capacity = 0, size = e->row * sizeof *vector;
    int rc = OM_OK;
    if (e->group != NULL)
        return om_device_group__path(e->group, to, take, self);
    if (to >= t->stored || !om_engine_has_paths(e))
        return om_fail(e->ctx, OM_EINVAL, NULL, "no such state on the device");
    for (uint32_t id = (uint32_t) to; rc == OM_OK && id != NO_STATE; count++) {
        uint32_t *p = om_grow(e->heap, ids, &capacity, count + 1, sizeof *ids);
        if (p == NULL) {
            rc = om_fail_memory(e->ctx);
            break;
        }
        ids = p;
        ids[count] = id;
        rc = om_queue__stopped(&e->queue);
        if (rc == OM_OK)
            rc = om_queue__read(&e->queue, &t->parents, id * sizeof id, &id, sizeof id);
    }
    if (rc == OM_OK && (vector = om_alloc(e->heap, size, 1)) == NULL)
        rc = om_fail_memory(e->ctx);
    while (rc == OM_OK && count-- > 0) {
        rc = om_queue__read(&e->queue, &t->rows, ids[count] * size, vector, size);
        if (rc == OM_OK)
            rc = take(self, vector);
    }
    om_free(e->heap, vector);
    om_free(e->heap, ids);
    return rc;
}
