/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth-first exploration over the engine's chunks, and paths back through parents. */
#include "engine.h"

#include <assert.h>
#include <string.h>

static const uint32_t NO_STATE = UINT32_MAX;

/* What one exploration carries along. */
typedef struct exploration {
    om_exploration *out;
    const om_buffer *wanted;
    uint32_t hit;
} exploration;

/* In-degrees of new states are zero before the first edge to them is counted. */
static int grow_degrees(om_engine *e)
{
    const size_t size = sizeof(cl_uint);
    size_t used = e->degree_count * size;
    if (e->degree_count == e->table.stored)
        return OM_OK;
    int rc = om_pool__grow(&e->pool, &e->degree, e->table.capacity, size, used);
    if (rc == OM_OK)
        rc = om_pool__zero(&e->pool, &e->degree, used, e->table.stored * size - used);
    e->degree_count = e->table.stored;
    return rc;
}

/* Counts the edges inside the accepting part that the n candidates stand for. */
static int tally(om_engine *e, uint32_t n)
{
    const om_table *t = &e->table;
    int rc = grow_degrees(e);
    if (rc != OM_OK)
        return rc;
    om_arg args[] = { OM_MEM(t->rows), OM_MEM(t->candidates), OM_MEM(t->from), OM_ARG(n),
        OM_MEM(t->index), OM_MEM(t->place), OM_MEM(e->accepting), OM_MEM(e->degree) };
    return om_pool__run(&e->pool, t->built.kernels[OM_K_TALLY], "om_k_tally", args, 8, n, 1);
}

static int intern(om_engine *e, exploration *x, uint32_t n)
{
    int rc = om_table__intern(&e->table, n, x->wanted, &x->hit);
    if (rc == OM_OK && e->spec.accepting != NULL)
        rc = tally(e, n);
    return rc;
}

/* The initial states, as candidates that come from nowhere. */
static int begin(om_engine *e, exploration *x)
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
    int rc = om_table__candidates(&e->table, n);
    if (rc == OM_OK)
        rc = om_pool__write(&e->pool, &e->table.candidates, 0, rows, n * row * sizeof *rows);
    if (rc == OM_OK)
        rc = om_pool__write(&e->pool, &e->table.from, 0, from, n * sizeof *from);
    if (rc == OM_OK)
        rc = intern(e, x, n);
    om_free(e->heap, rows);
    return rc;
}

static int fault_vector(om_engine *e, om_exploration *out, uint32_t state, om_fault fault)
{
    uint32_t *vector = om_alloc(e->heap, e->words, sizeof *vector);
    if (vector == NULL)
        return om_fail_memory(e->ctx);
    int rc = om_pool__read(&e->pool, &e->table.rows, (size_t) state * e->row * sizeof *vector,
        vector, e->words * sizeof *vector);
    if (rc != OM_OK) {
        om_free(e->heap, vector);
        return rc;
    }
    out->fault = fault;
    out->fault_vector = vector;
    return OM_EMODEL;
}

/* Shows the figures and looks at the control after a chunk. */
static int look_up(om_engine *e, const om_exploration *out)
{
    if (e->spec.progress != NULL)
        e->spec.progress(e->spec.progress_self, out->states, out->transitions);
    return om_pool__stopped(&e->pool);
}

/* Expands the states low <= id < high; ends early at a hit. */
static int level(om_engine *e, exploration *x, uint32_t low, uint32_t high)
{
    om_exploration *out = x->out;
    while (low < high && x->hit == NO_STATE) {
        uint64_t since = om_clock_ns();
        uint32_t state = 0;
        om_fault fault = 0;
        om_chunk c = { .first = low, .n = high - low < e->chunk ? high - low : e->chunk };
        uint32_t asked = c.n;
        int rc = om_engine__expand(e, &c);
        if (rc == OM_OK)
            rc = intern(e, x, (uint32_t) c.candidates);
        if (rc != OM_OK)
            return rc;
        out->states = e->table.stored;
        out->transitions += c.candidates;
        out->deadlocks += c.dead;
        out->memory_bytes = e->pool.peak;
        if ((rc = om_engine__blame(e, &c, &state, &fault)) == OM_EMODEL)
            rc = fault_vector(e, out, state, fault);
        if (rc == OM_OK)
            rc = look_up(e, out);
        if (rc != OM_OK)
            return rc;
        low += c.n;
        om_engine__pace(e, c.n < asked ? 0 : c.n, since);
    }
    return OM_OK;
}

static int explore(om_engine *e, exploration *x)
{
    uint32_t low = 0;
    int rc = begin(e, x);
    x->out->states = e->table.stored;
    x->out->memory_bytes = e->pool.peak;
    if (rc == OM_OK)
        rc = om_pool__stopped(&e->pool);
    while (rc == OM_OK && x->hit == NO_STATE && low < e->table.stored) {
        uint32_t high = e->table.stored;
        x->out->levels++;
        rc = level(e, x, low, high);
        low = high;
    }
    e->complete = rc == OM_OK && low == e->table.stored;
    return rc;
}

int om_engine_explore(om_engine *e, const uint8_t *stop_at, om_id *hit, om_exploration *out)
{
    exploration x = { .out = out, .hit = NO_STATE };
    uint64_t since = om_clock_ns();
    int rc = OM_OK;
    *out = (om_exploration){ 0 };
    if (hit != NULL)
        *hit = OM_NO_ID;
    if (e->table.stored != 0 || (stop_at != NULL && e->spec.automaton == NULL))
        return om_fail(e->ctx, OM_EINVAL, NULL, "an engine explores once, and stops by automaton");
    if (stop_at != NULL) {
        x.wanted = &e->wanted;
        rc = om_pool__take(&e->pool, &e->wanted, e->automaton_states, 1);
        if (rc == OM_OK)
            rc = om_pool__write(&e->pool, &e->wanted, 0, stop_at, e->automaton_states);
    }
    if (rc == OM_OK)
        rc = explore(e, &x);
    if (hit != NULL && rc == OM_OK && x.hit != NO_STATE)
        *hit = x.hit;
    out->seconds = (double) (om_clock_ns() - since) * 1e-9;
    return rc;
}

/* ---- paths ---- */

int om_engine_path(om_engine *e, om_id to, uint32_t **vectors, size_t *n)
{
    const om_table *t = &e->table;
    uint32_t *ids = NULL, *rows = NULL;
    size_t count = 0, room = 0, row = e->row;
    int rc = OM_OK;
    if (to >= t->stored)
        return om_fail(e->ctx, OM_EINVAL, NULL, "no such state on the device");
    for (uint32_t id = (uint32_t) to; rc == OM_OK && id != NO_STATE; count++) {
        uint32_t *p = om_grow(e->heap, ids, &room, count + 1, sizeof *ids);
        if (p == NULL) {
            rc = om_fail_memory(e->ctx);
            break;
        }
        ids = p;
        ids[count] = id;
        rc = om_pool__stopped(&e->pool);
        if (rc == OM_OK)
            rc = om_pool__read(&e->pool, &t->parents, id * sizeof id, &id, sizeof id);
    }
    if (rc == OM_OK && (rows = om_alloc(e->heap, count, row * sizeof *rows)) == NULL)
        rc = om_fail_memory(e->ctx);
    for (size_t i = 0; rc == OM_OK && i < count; i++)
        rc = om_pool__read(&e->pool, &t->rows, ids[count - 1 - i] * row * sizeof *rows,
            rows + i * row, row * sizeof *rows);
    if (rc == OM_OK) {
        *vectors = rows;
        *n = count;
        rows = NULL;
    }
    om_free(e->heap, rows);
    om_free(e->heap, ids);
    return rc;
}
