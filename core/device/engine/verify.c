/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verification of a device that found nothing. After a complete exploration the virtual machine of
 * the CPU expands some of the states once more: each must be a possible state of the model, and a
 * successor of the state that it was found from; all of its successors must be stored, as must the
 * initial states. If that holds for all states, the stored states are exactly the reachable ones:
 * they include the initial states and are closed (and there are no others, because paths lead to
 * them). A sample of n states detects an error in one of n states with a probability of 63 %.
 *
 * Errors in few states, by chance, are better detected by the device: see recheck.c.
 *
 * Trimming checks all of the accepting part by itself: a state whose edges are counted wrongly
 * stays, and the path to it is checked as any other.
 */
#include "progress.h"
#include "exchange.h"
#include "product.h"

#include <omen/host/task.h>

#include <math.h>
#include <string.h>

static const uint32_t NO_STATE = UINT32_MAX;

enum {
    RUN = 16,             /* adjacent states of a sample: a read-back is slow */
    MOST_ROWS = 1 << 12,  /* approximate number of rows looked up at once */
    MOST_STORED = 1 << 20 /* rows that the product keeps before it is recreated */
};

/* A verification. `lists` has the rows to be looked up, by the member that must have them. */
typedef struct verification {
    om_engine *engine;
    om_executor *executor;
    om_product *product;
    om_cursor *cursor;
    om_row_list *lists;
    uint32_t *rows, *parents; /* RUN of each; after the rows, the row of a parent and a scratch
                               * row */
    om_random random;
    uint64_t stored, states;
} verification;

int om_engine__wrong(const om_engine *e, const om_device *d, const char *what)
{
    return om_fail(e->ctx, OM_EINTERNAL, NULL, "device %s: %s; its results are not reliable",
        d->info.name, what);
}

static int wrong(const verification *v, const om_member *m, const char *what)
{
    return om_engine__wrong(v->engine, m->device, what);
}

/* ---- rows ---- */

/* Returns true if the row is a possible state of the model and the automaton. An executor must not
 * be given any other. */
static bool is_possible(const om_engine *e, const uint32_t *row, uint32_t *scratch)
{
    const om_model *model = e->spec.model;
    memset(scratch, 0, e->row * sizeof *scratch);
    for (uint32_t i = 0; i < om_model_shown_slots(model); i++) {
        const om_slot *s = om_model_slot(model, i);
        for (uint32_t k = 0; k < (s->length == 0 ? 1 : s->length); k++) {
            om_value value = om_slot_get(s, row, k);
            if (s->type == OM_ENUM && value >= (om_value) s->enumerators)
                return false;
            om_slot_set(s, scratch, k, value);
        }
    }
    if (e->row > e->words && row[e->words] >= om_automaton_state_count(e->spec.automaton))
        return false;
    return memcmp(row, scratch, e->words * sizeof *row) == 0; /* no bit outside the slots is set */
}

static int open_product(verification *v)
{
    const om_engine_spec *s = &v->engine->spec;
    const om_product_spec spec = { .executor = v->executor,
        .automaton = s->automaton,
        .stutter = s->stutter,
        .faults_repeat = s->faults_repeat,
        .deadlock_ap = s->deadlock_ap,
        .workers = 1 };
    int rc = om_product__new(&v->product, v->engine->ctx, &spec);
    return rc == OM_OK ? om_cursor__open(&v->cursor, v->product, 0) : rc;
}

static void close_product(verification *v)
{
    om_cursor__close(v->cursor);
    om_product__free(v->product);
    v->cursor = NULL;
    v->product = NULL;
}

/* ---- states that must be stored ---- */

/* Looks up the rows that the member must have. */
static int look_up(verification *v, uint32_t i)
{
    om_member *m = &v->engine->members[i];
    om_row_list *l = &v->lists[i];
    const size_t row = v->engine->row * sizeof(uint32_t);
    int rc = OM_OK;
    for (uint32_t at = 0; rc == OM_OK && at < l->count;) {
        uint32_t n = l->count - at, most = m->table.candidate_capacity;
        n = n < most ? n : most;
        rc = om_queue__write(
            &m->queue, &m->table.candidates, 0, l->rows + (size_t) at * v->engine->row, n * row);
        if (rc == OM_OK)
            rc = om_state_table__find(&m->table, n);
        at += n;
    }
    l->count = 0;
    return rc;
}

static int must_be_stored(verification *v, const uint32_t *row)
{
    const uint32_t i = om_exchange__owner(v->engine, row);
    om_row_list *l = &v->lists[i];
    int rc = om_row_list__reserve(v->engine, l, (uint64_t) l->count + 1);
    if (rc != OM_OK)
        return rc;
    memcpy(l->rows + (size_t) l->count++ * v->engine->row, row, v->engine->row * sizeof *row);
    return l->count < MOST_ROWS ? OM_OK : look_up(v, i);
}

/* ---- stored states ---- */

/* Expands possible rows; all successors must be stored. */
static int expand(verification *v, const uint32_t *rows, uint32_t n)
{
    const uint32_t words = v->engine->row;
    om_id ids[RUN];
    om_batch batch;
    bool fresh;
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < n; i++)
        rc = om_cursor_intern(v->cursor, rows + (size_t) i * words, &ids[i], &fresh);
    for (uint32_t i = 0; rc == OM_OK && i < n; i += (uint32_t) batch.sources) {
        rc = om_cursor__expand(v->cursor, ids + i, n - i, &batch);
        for (size_t k = 0; rc == OM_OK && k < batch.count; k++)
            rc = must_be_stored(v, batch.rows + k * words);
    }
    return rc;
}

/* *out becomes true if `row` is a successor of `parent`. */
static int follows(verification *v, const uint32_t *parent, const uint32_t *row, bool *out)
{
    const uint32_t words = v->engine->row;
    om_batch batch;
    bool fresh;
    om_id id;
    int rc = om_cursor_intern(v->cursor, parent, &id, &fresh);
    if (rc == OM_OK)
        rc = om_cursor__expand(v->cursor, &id, 1, &batch);
    *out = false;
    for (size_t k = 0; rc == OM_OK && k < batch.count && !*out; k++)
        *out = memcmp(batch.rows + k * words, row, words * sizeof *row) == 0;
    return rc;
}

static bool is_initial(const om_engine *e, const uint32_t *row)
{
    for (uint32_t i = 0; i < e->initial.count; i++)
        if (memcmp(e->initial.rows + (size_t) i * e->row, row, e->row * sizeof *row) == 0)
            return true;
    return false;
}

/* Checks that the member's state with this row is initial, or a successor of its parent. */
static int check_parent(verification *v, om_member *m, const uint32_t *row, uint32_t parent)
{
    om_engine *e = v->engine;
    uint32_t *from = v->rows + (size_t) RUN * e->row, *scratch = from + e->row;
    bool right = false;
    if (parent == NO_STATE)
        return is_initial(e, row) ? OM_OK
                                  : wrong(v, m, "a state that is not initial has no parent");
    om_member *other = &e->members[parent % e->count];
    if (parent / e->count >= other->table.stored)
        return wrong(v, m, "the parent of a state does not exist");
    int rc = om_segments__read(&other->queue, &other->table.rows, parent / e->count, from, 1);
    if (rc != OM_OK)
        return rc;
    if (!is_possible(e, from, scratch))
        return wrong(v, other, "a stored vector is not a state of the model");
    rc = follows(v, from, row, &right);
    return rc == OM_OK && !right ? wrong(v, m, "a state is not a successor of its parent") : rc;
}

/* Checks n states of the member, from place `place` of its table on. */
static int check_run(verification *v, om_member *m, uint64_t place, uint32_t n)
{
    om_engine *e = v->engine;
    uint32_t *scratch = v->rows + ((size_t) RUN + 1) * e->row;
    int rc = om_segments__read(&m->queue, &m->table.rows, place, v->rows, n);
    if (rc == OM_OK && m->table.shape.paths)
        rc = om_queue__read(&m->queue, &m->table.parents, place * sizeof(uint32_t), v->parents,
            n * sizeof(uint32_t));
    for (uint32_t i = 0; rc == OM_OK && i < n; i++) {
        const uint32_t *row = v->rows + (size_t) i * e->row;
        if (!is_possible(e, row, scratch))
            return wrong(v, m, "a stored vector is not a state of the model");
        if (e->count > 1 && om_exchange__owner(e, row) != m->me)
            return wrong(v, m, "a state belongs to another device");
        if (m->table.shape.paths)
            rc = check_parent(v, m, row, v->parents[i]);
    }
    if (rc == OM_OK)
        rc = expand(v, v->rows, n);
    v->states += n;
    om_stage__at(e->ctx, v->states);
    v->stored += n;
    if (rc == OM_OK && v->stored >= MOST_STORED) {
        close_product(v);
        v->stored = 0;
        rc = open_product(v);
    }
    return rc == OM_OK ? om_context_stopped(e->ctx) : rc;
}

/* Checks `states` states of the member, or all that have rows. (Rows may be dropped when room is
 * made for lookups.) */
static int check_member(verification *v, om_member *m, uint64_t states)
{
    const om_state_table *t = &m->table;
    const bool all = states >= t->stored - t->base;
    uint64_t done = 0, next = t->base;
    int rc = OM_OK;
    while (rc == OM_OK && done < states && t->stored > t->base) {
        uint64_t there = t->stored - t->base;
        next = next < t->base ? t->base : next;
        uint64_t place = all ? next - t->base : om_random_below(&v->random, there);
        uint64_t n = there - place < RUN ? there - place : RUN;
        n = n < states - done ? n : states - done;
        if (n == 0)
            break;
        next = t->base + place + n;
        rc = check_run(v, m, place, (uint32_t) n);
        done += n;
    }
    return rc;
}

static int check_all(verification *v, uint64_t states)
{
    om_engine *e = v->engine;
    uint64_t there = 0;
    int rc = OM_OK;
    for (uint32_t i = 0; i < e->count; i++)
        there += e->members[i].table.stored - e->members[i].table.base;
    om_stage__begin(
        e->ctx, "states verified", states >= there ? there : states); /* or a few more */
    for (uint32_t i = 0; rc == OM_OK && i < e->initial.count; i++)
        rc = must_be_stored(v, e->initial.rows + (size_t) i * e->row);
    for (uint32_t i = 0; rc == OM_OK && i < e->count; i++) {
        om_member *m = &e->members[i];
        uint64_t here = m->table.stored - m->table.base;
        /* The member's share, rounded up so that every member has one (except for a rounding
         * error). */
        double share = (double) here / (double) there * (double) states;
        rc = check_member(v, m, states >= there ? here : (uint64_t) ceil(share - 0.001));
    }
    for (uint32_t i = 0; rc == OM_OK && i < e->count; i++)
        rc = look_up(v, i);
    om_stage__end(e->ctx);
    return rc;
}

static int prepare(verification *v)
{
    om_engine *e = v->engine;
    if (!OM_NEW(e->heap, v->lists, e->count) ||
        !OM_NEW(e->heap, v->rows, ((size_t) RUN + 2) * e->row) || !OM_NEW(e->heap, v->parents, RUN))
        return om_fail_memory(e->ctx);
    int rc =
        om_executor_open(&v->executor, e->spec.model, OM_EXEC_VM, e->spec.aps, e->spec.ap_count);
    return rc == OM_OK ? open_product(v) : rc;
}

int om_engine_verify(om_engine *e, uint64_t states, uint64_t *verified)
{
    verification v = { .engine = e, .random = { 1 } };
    *verified = 0;
    if (!e->complete)
        return om_fail(e->ctx, OM_EINVAL, NULL, "only a complete exploration can be verified");
    if (states == 0)
        return OM_OK;
    int rc = OM_OK;
    if (states == OM_VERIFY_AGAIN) {
        states = OM_VERIFY_DEFAULT;
        rc = om_engine__recheck(e);
    }
    if (rc == OM_OK)
        rc = prepare(&v);
    if (rc == OM_OK)
        rc = check_all(&v, states);
    *verified = v.states;
    close_product(&v);
    om_executor_close(v.executor);
    for (uint32_t i = 0; v.lists != NULL && i < e->count; i++)
        om_row_list__free(e->heap, &v.lists[i]);
    OM_FREE_ALL(e->heap, v.lists, v.rows, v.parents);
    return rc;
}
