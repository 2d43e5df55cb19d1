/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first exploration, level by level, by one device or several.
 *
 * Each member has a table, an index and a frontier of its own, and a thread that drives it. Members
 * proceed in rounds. With several members, a round has two phases, separated by a barrier. In the
 * first, each expands a chunk of its level, and puts the candidates that belong to others into its
 * outbox. In the second it stores its own candidates and those that the others have for it
 * (exchange.c). A single member does many steps at a time, until they halt (batched_steps.c), and
 * waits for no other. After a round all candidates are stored; when no member has states of the
 * level left, the next level is complete everywhere. So the levels, and all counts, are those of
 * one device. Then member 0 inspects all members and decides while the others wait: no result is
 * called complete before every frontier is empty.
 *
 * Concurrency: the data of a member belongs to its thread; member 0 reads it, and writes `low` and
 * `end`, while it decides. The data of the engine belongs to member 0. om_engine__barrier() orders
 * these accesses.
 */
#include "control/control.h"
#include "exchange.h"
#include "hidden.h"

#include <string.h>

static const uint32_t NO_STATE = UINT32_MAX;

/* ---- figures ---- */

static void sum_up(om_engine *e)
{
    om_exploration *out = e->out;
    om_device_figures sum = { .devices = e->count };
    out->states = out->transitions = out->deadlocks = out->overflows = out->memory_bytes = 0;
    e->hidden = 0;
    out->levels = e->levels.count;
    for (uint32_t i = 0; i < e->count; i++) {
        const om_member *m = &e->members[i];
        const om_member_figures *f = &m->figures;
        out->states += m->table.stored;
        out->transitions += f->transitions;
        out->deadlocks += f->deadlocks;
        e->hidden += f->hidden;
        out->overflows += f->overflows;
        out->memory_bytes += m->queue.peak;
        sum.steps += f->steps;
        sum.idle_steps += f->queued_steps - f->steps;
        sum.step_launches += f->step_launches;
        sum.launches += m->queue.launches;
        sum.read_backs += m->queue.read_backs;
        sum.exchanged += f->exchanged;
    }
    out->on_device = sum;
}

static void report_progress(om_engine *e)
{
    sum_up(e);
    if (e->spec.progress != NULL)
        e->spec.progress(e->spec.progress_self, e->out->states, e->out->transitions, &e->levels);
}

/* ---- one member: steps ---- */

/*
 * Computes the widths of the last levels. The records of a batch are all there, one a step, and no
 * step spans two levels: so each level has a record of its end, until the ring of records wraps
 * round.
 */
static void take_levels(om_engine *e, const om_step_progress *p)
{
    enum { ENDS = OM_LEVELS_SHOWN + 1 };
    uint64_t newest = p->record[OM_R_LEVELS];
    e->levels = (om_levels){ .count = (uint32_t) newest };
    e->ends[newest % ENDS] = p->record[OM_R_END];
    for (size_t i = 0; i < OM_RECORDS; i++) {
        const uint64_t *r = p->control + OM_C_WORDS + i * OM_R_WORDS;
        if (r[OM_R_LEVELS] != 0 && r[OM_R_LEVELS] < newest && newest - r[OM_R_LEVELS] < ENDS)
            e->ends[r[OM_R_LEVELS] % ENDS] = r[OM_R_END];
    }
    for (uint64_t i = 0; i < OM_LEVELS_SHOWN && i < newest; i++) {
        uint64_t level = newest - i, end = e->ends[level % ENDS];
        uint64_t begin = level == 1 ? 0 : e->ends[(level - 1) % ENDS];
        e->levels.widths[i] = end - begin;
    }
}

static void take_figures(om_member *m, const uint64_t *record)
{
    m->figures.transitions = record[OM_R_TRANSITIONS];
    m->figures.deadlocks = record[OM_R_DEADLOCKS];
    m->figures.hidden = record[OM_R_HIDDEN];
    m->figures.overflows = record[OM_R_OVERFLOWS];
    m->figures.steps = record[OM_R_STEPS];
    m->low = (uint32_t) record[OM_R_LOW];
    m->end = (uint32_t) record[OM_R_END];
}

static void show(void *self, const om_step_progress *p)
{
    om_member *m = self;
    take_figures(m, p->record);
    take_levels(m->engine, p);
    report_progress(m->engine);
}

/* Runs steps from the record after the initial states to the end. */
static int do_steps(om_member *m, const uint64_t *first)
{
    om_step_progress p = { .control = { [OM_C_HIT] = NO_STATE } };
    memcpy(p.record, first, sizeof p.record);
    int rc = om_member__steps(m, m->engine->stop_at != NULL ? &m->wanted : NULL, &p, show, m);
    take_figures(m, p.record);
    if (p.record[OM_R_LEVELS] != m->engine->levels.count)
        take_levels(m->engine, &p);
    if (rc != OM_OK)
        return rc;
    m->why = p.record[OM_R_WHY];
    /* The very last step may have closed a cycle, with no later step to report it. */
    if (m->why == OM_DONE && p.control[OM_C_HIT] != NO_STATE)
        m->why = OM_HIT;
    if (m->why == OM_HIT)
        m->hit = (uint32_t) p.control[OM_C_HIT];
    return OM_OK;
}

/* ---- rounds ---- */

/* The level is complete for all members: begins the next one, unless it is empty. */
static om_engine_verdict next_level(om_engine *e)
{
    uint64_t width = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        om_member *m = &e->members[i];
        width += m->table.stored - m->end;
        m->end = m->table.stored;
    }
    if (width == 0)
        return OM_ENGINE_DONE;
    e->levels.count++;
    memmove(
        e->levels.widths + 1, e->levels.widths, sizeof e->levels.widths - sizeof *e->levels.widths);
    e->levels.widths[0] = width;
    return OM_ENGINE_GOES_ON;
}

/* Returns true if a member ends for this reason. */
static bool any_ends(const om_engine *e, uint64_t why)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->members[i].why == why)
            return true;
    return false;
}

/* Member 0's decision after a round; the others wait. */
static om_engine_verdict decide(om_engine *e)
{
    uint64_t most = om_control__limits(om_context_control(e->ctx))->max_states;
    bool over = true;
    report_progress(e);
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->members[i].rc != OM_OK)
            return OM_ENGINE_FAILED;
        over = over && e->members[i].low == e->members[i].end;
    }
    if (any_ends(e, OM_FAULTS))
        return OM_ENGINE_FAULT;
    if (any_ends(e, OM_HIT))
        return OM_ENGINE_HIT;
    if (any_ends(e, OM_STATES) || (most != 0 && e->out->states > most))
        return OM_ENGINE_FULL;
    if (any_ends(e, OM_DONE))
        return OM_ENGINE_DONE;
    if (om_context_stopped(e->ctx) != OM_OK)
        return OM_ENGINE_FAILED;
    return over ? next_level(e) : OM_ENGINE_GOES_ON;
}

/* Stores the initial states and loads stop_at; `record` becomes that of the first step. */
static int begin(om_member *m, uint64_t *record)
{
    const om_engine *e = m->engine;
    int rc = OM_OK;
    if (e->stop_at != NULL) {
        rc = om_queue__take(&m->queue, &m->wanted, m->automaton_states, 1);
        if (rc == OM_OK)
            rc = om_queue__write(&m->queue, &m->wanted, 0, e->stop_at, m->automaton_states);
    }
    if (rc == OM_OK)
        rc = om_exchange__take(m, &e->initial, record);
    /* Initial states have no origin: storing them counts no transitions. */
    record[OM_R_TRANSITIONS] = record[OM_R_STEPS] = record[OM_R_PEAK] = 0;
    return rc;
}

/* A member takes part in every round, even after an error: the others wait for it. */
static void *member_main(void *self)
{
    om_member *m = self;
    om_engine *e = m->engine;
    /* With one member, the record says where the levels end; with several, no record does. */
    uint64_t record[OM_R_WORDS] = { [OM_R_END] = e->count > 1 };
    m->rc = begin(m, record);
    for (;;) {
        om_engine__barrier(e);
        if (m->me == 0)
            e->verdict = decide(e);
        om_engine__barrier(e);
        if (e->verdict != OM_ENGINE_GOES_ON)
            return NULL;
        if (e->count == 1) {
            m->rc = do_steps(m, record);
            continue;
        }
        m->rc = om_exchange__spread(m);
        om_engine__barrier(e);
        if (m->rc == OM_OK)
            m->rc = om_exchange__gather(m);
    }
}

/* Lists the initial states, which have no origin. */
static int list_initial(om_engine *e)
{
    const om_automaton *a = e->spec.automaton;
    om_row_list *l = &e->initial;
    uint32_t n = a != NULL ? om_automaton_initial_count(a) : 1;
    int rc = om_row_list__reserve(e, l, n);
    for (uint32_t i = 0; rc == OM_OK && i < n; i++) {
        uint32_t *row = l->rows + (size_t) i * e->row;
        memcpy(row, om_model_initial(e->spec.model), e->words * sizeof *row);
        if (a != NULL)
            row[e->words] = om_automaton_initial(a, i);
        l->from[i] = NO_STATE;
        l->count++;
    }
    return rc;
}

/* Runs all members concurrently. A member without a thread cannot take part: the others end as soon
 * as they see its error. */
static void run_members(om_engine *e)
{
    uint32_t started = 1;
    e->expected = e->count;
    while (started < e->count && pthread_create(&e->members[started].thread, NULL, member_main,
                                     &e->members[started]) == 0)
        started++;
    for (uint32_t i = started; i < e->count; i++)
        e->members[i].rc = om_fail(e->ctx, OM_EIO, NULL, "cannot start a thread");
    pthread_mutex_lock(&e->lock);
    e->expected = started; /* member 0 has not arrived: no thread has passed */
    pthread_mutex_unlock(&e->lock);
    (void) member_main(&e->members[0]);
    for (uint32_t i = 1; i < started; i++)
        (void) pthread_join(e->members[i].thread, NULL);
}

/* ---- results ---- */

/* Returns true if the fault of `a` is to be reported rather than that of `b`. */
static bool goes_before(const om_member *a, const om_member *b)
{
    bool fails = a->failed != UINT64_MAX;
    if (b == NULL || fails != (b->failed != UINT64_MAX))
        return b == NULL || fails;
    return a->fault_level < b->fault_level;
}

/* Takes the state where the model went wrong, as om_exploration describes it: a failed assertion
 * takes precedence. */
static void take_fault(om_engine *e)
{
    om_member *first = NULL;
    for (uint32_t i = 0; i < e->count; i++) {
        om_member *m = &e->members[i];
        if ((m->fault != UINT64_MAX || m->failed != UINT64_MAX) && goes_before(m, first))
            first = m;
    }
    if (first == NULL)
        return;
    uint64_t fault = first->failed != UINT64_MAX ? first->failed : first->fault;
    e->out->fault = (om_fault) fault;
    e->out->fault_state = (om_id) (fault >> 32) * e->count + first->me;
    e->out->fault_vector = first->fault_vector;
    first->fault_vector = NULL;
}

/* Takes one of the states nearest to the initial state among those that overflows leave. */
static void take_overflow(om_engine *e)
{
    om_member *best = NULL;
    for (uint32_t i = 0; i < e->count; i++) {
        om_member *m = &e->members[i];
        if (m->overflow_vector != NULL &&
            (best == NULL || m->overflow_level < best->overflow_level))
            best = m;
    }
    if (best == NULL || e->out->overflows == 0)
        return;
    e->out->overflow_vector = best->overflow_vector;
    best->overflow_vector = NULL;
}

/* Returns the first error of the members, unless a limit explains it better. */
static int failure(const om_engine *e)
{
    int rc = OM_OK, stopped = om_context_stopped(e->ctx);
    for (uint32_t i = 0; rc == OM_OK && i < e->count; i++)
        rc = e->members[i].rc;
    return stopped != OM_OK && (rc == OM_OK || e->count > 1) ? stopped : rc;
}

static int conclude(om_engine *e, om_id *hit)
{
    switch (e->verdict) {
    case OM_ENGINE_HIT:
        for (uint32_t i = 0; i < e->count; i++)
            if (e->members[i].hit != NO_STATE) {
                *hit = (om_id) e->members[i].hit * e->count + i;
                break;
            }
        return OM_OK;
    case OM_ENGINE_FAULT:
        return OM_EMODEL;
    case OM_ENGINE_FULL:
        (void) om_control_stop(om_context_control(e->ctx), OM_STOP_STATES);
        return om_context_stopped(e->ctx);
    default:
        e->complete = true;
        return OM_OK;
    }
}

int om_engine__run(om_engine *e, om_exploration *out)
{
    e->out = out;
    e->levels = (om_levels){ 0 };
    run_members(e);
    take_overflow(e);
    take_fault(e);
    e->out = NULL;
    return e->verdict == OM_ENGINE_FAILED ? failure(e) : OM_OK;
}

/* Copies stop_at for the engine to keep. */
static int copy_stop_at(om_engine *e, const uint8_t *stop_at)
{
    if (stop_at == NULL)
        return OM_OK;
    const uint32_t states = om_automaton_state_count(e->spec.automaton);
    if ((e->stop_at = om_alloc(e->heap, states, 1)) == NULL)
        return om_fail_memory(e->ctx);
    memcpy(e->stop_at, stop_at, states);
    return OM_OK;
}

int om_engine_explore(om_engine *e, const uint8_t *stop_at, om_id *hit, om_exploration *out)
{
    uint64_t since = om_clock_ns();
    om_id found = OM_NO_ID;
    *out = (om_exploration){ 0 };
    if (hit != NULL)
        *hit = OM_NO_ID;
    if (e->explored || (stop_at != NULL && e->spec.automaton == NULL))
        return om_fail(e->ctx, OM_EINVAL, NULL,
            "an engine explores only once, and stops early only with an automaton");
    e->explored = true;
    e->members[0].catches = e->spec.accepting != NULL && hit != NULL;
    int rc = copy_stop_at(e, stop_at);
    if (rc == OM_OK)
        rc = list_initial(e);
    if (rc == OM_OK)
        rc = om_engine__run(e, out);
    if (rc == OM_OK)
        rc = conclude(e, &found);
    if (hit != NULL && rc == OM_OK)
        *hit = found;
    out->seconds = (double) (om_clock_ns() - since) * 1e-9;
    e->found = *out;
    return rc;
}

uint64_t om_engine__hidden(const om_engine *e)
{
    return e->hidden;
}
