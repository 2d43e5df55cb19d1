/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several devices explore together. Each has an engine with a table, an index and a frontier of its
 * own, and a thread that drives it; a state belongs to one of them by a hash of its row
 * (om_share.h), as in Stern and Dill's parallel Murphi (1997).
 *
 * A round has two phases. In the first every member expands a chunk of its level, and what belongs
 * to others goes to a list that its thread reads; all meet; in the second it interns what it has
 * itself and what all the others have for it. They meet again: all candidates are stored, and when
 * no member has states of the level left, the next level is complete everywhere. So levels are
 * those of one device, and so are all counts. Then member 0 alone looks at everybody and decides
 * while the others wait: nothing is found to be complete before every frontier is empty.
 *
 * Concurrency: a member is its thread's, but for `away`, which its thread writes in the first phase
 * and others read in the second, and what member 0 reads (and `end`, which it writes) while it
 * decides, as it does `verdict`. wait_for_all() orders all that.
 *
 * A state has the number (its number on the device) * members + member.
 */
#include "group.h"

#include "kernels.h"

#include "../../kernels/om_share.h"

#include <assert.h>
#include <string.h>

static const uint32_t NO_STATE = UINT32_MAX;
/* As in state_table.c. */
static const uint64_t MOST_NUMBERS = 0xfffffff0u;

static const om_shape SHARE_SHAPE = { "om_k_share", "mmmuuuummmmm" };

/* Rows and where they come from, on the host; and room for so many. */
typedef struct row_list {
    uint32_t *rows, *from;
    uint32_t count, capacity;
} row_list;

typedef struct member {
    om_device_group *group;
    uint32_t me;
    om_device *device;
    om_engine *engine;
    om_build *build;
    om_built share;
    om_buffer own, own_from, out, out_from, counts;
    uint32_t capacity;      /* of those lists */
    uint32_t stayed;        /* candidates in `own` */
    row_list outbox, inbox; /* what leaves; what came */
    uint32_t low, end;      /* of the level, what is left */
    bool paths;             /* who comes from where is told */
    uint64_t transitions, deadlocks, steps, exchanged, overflows;
    uint32_t *overflow_vector; /* the first state that an overflow leaves, of level: */
    uint32_t overflow_level;
    om_fault fault;               /* the first, or that of an assertion */
    uint32_t faulty, fault_level; /* the state that has it */
    uint32_t *fault_vector;
    uint32_t hit;
    bool full; /* the limit on states */
    int rc;
    pthread_t thread;
} member;

typedef enum verdict { GOING, DONE, HIT, FAULT, FULL, FAILED } verdict;

struct om_device_group {
    om_context *ctx;
    const om_heap *heap;
    om_engine_spec spec;
    om_tuning tuning;
    member *members;
    uint32_t count, words, row;
    bool has_barrier, explored;
    pthread_mutex_t lock; /* guards the three numbers */
    pthread_cond_t all_here;
    uint32_t expected, waiting;
    uint64_t turn;
    row_list initial;
    const uint8_t *stop_at; /* while it explores */
    om_levels levels;
    om_exploration *out;
    verdict verdict;
};

/* ---- lists on the host ---- */

static void free_rows(const om_heap *heap, row_list *c)
{
    om_free(heap, c->rows);
    om_free(heap, c->from);
    *c = (row_list){ 0 };
}

/* Room for n; those that are there stay. */
static int reserve_rows(const om_device_group *f, row_list *c, uint64_t n)
{
    size_t rows = c->capacity, from = c->capacity;
    const size_t size = f->row * sizeof(uint32_t);
    if (n <= c->capacity)
        return OM_OK;
    if (n > UINT32_MAX)
        return om_fail(f->ctx, OM_EUNSUPPORTED, NULL, "a step has more than 2^32 candidates");
    uint32_t *p = om_grow(f->heap, c->rows, &rows, (size_t) n, size);
    if (p != NULL)
        c->rows = p;
    uint32_t *q = p == NULL ? NULL : om_grow(f->heap, c->from, &from, (size_t) n, sizeof *q);
    if (q == NULL)
        return om_fail_memory(f->ctx);
    c->from = q;
    c->capacity = (uint32_t) n;
    return OM_OK;
}

static uint32_t owner_of(const om_device_group *f, const uint32_t *row)
{
    uint64_t h = OM_OWNER_START;
    for (uint32_t w = 0; w < f->row; w++)
        OM_OWNER_MIX(h, row[w]);
    return (uint32_t) OM_OWNER_OF(h, (uint64_t) f->count);
}

/* Adds those rows of a list that belong to the member. */
static int receive(member *m, const row_list *from)
{
    const om_device_group *f = m->group;
    int rc = reserve_rows(m->group, &m->inbox, (uint64_t) m->inbox.count + from->count);
    for (uint32_t i = 0; rc == OM_OK && i < from->count; i++) {
        const uint32_t *row = from->rows + (size_t) i * f->row;
        if (owner_of(f, row) != m->me)
            continue;
        memcpy(m->inbox.rows + (size_t) m->inbox.count * f->row, row, f->row * sizeof *row);
        m->inbox.from[m->inbox.count++] = from->from[i];
    }
    return rc;
}

/* ---- opening ---- */

static int order_share(member *m)
{
    om_text source = { .heap = m->group->heap };
    om_text_add(&source, om_kernel__steps);
    om_text_add(&source, om_kernel__prelude);
    om_text_add(&source, om_kernel__owner);
    om_text_add(&source, om_kernel__share);
    const om_recipe recipe = { .source = source.text,
        .defines = { { "OM_ROW", m->group->row } },
        .define_count = 1,
        .shapes = &SHARE_SHAPE,
        .count = 1 };
    int rc = source.failed ? om_fail_memory(m->group->ctx)
                           : om_builds__order(m->device, m->group->ctx, &recipe, &m->build);
    om_text_free(&source);
    return rc;
}

static void *open_member(void *self)
{
    member *m = self;
    om_device_group *f = m->group;
    om_engine_spec spec = f->spec;
    spec.device = m->device;
    spec.progress = NULL;
    int rc = order_share(m);
    if (rc == OM_OK)
        rc = om_engine__open(&m->engine, f->ctx, &spec, &f->tuning);
    if (rc == OM_OK) {
        rc = om_builds__collect(m->build, f->ctx, &m->share);
        m->build = NULL;
    }
    if (rc == OM_OK) {
        m->paths = m->engine->table.shape.paths;
        rc = om_queue__take(&m->engine->queue, &m->counts, 2, sizeof(uint32_t));
    }
    m->rc = rc;
    return NULL;
}

static void close_member(member *m)
{
    const om_heap *heap = m->group->heap;
    om_buffer *lists[] = { &m->own, &m->own_from, &m->out, &m->out_from, &m->counts, NULL };
    om_builds__abandon(m->build);
    for (om_buffer **b = lists; m->engine != NULL && *b != NULL; b++)
        om_queue__give(&m->engine->queue, *b);
    if (m->device != NULL)
        om_builds__release(m->device, &m->share);
    om_engine_close(m->engine);
    free_rows(heap, &m->outbox);
    free_rows(heap, &m->inbox);
    om_free(heap, m->overflow_vector);
    om_free(heap, m->fault_vector);
}

/* A barrier that can do with fewer than it was made for, unlike those of POSIX. */
static int open_barrier(om_device_group *f)
{
    if (pthread_mutex_init(&f->lock, NULL) != 0)
        return om_fail(f->ctx, OM_EIO, NULL, "no lock can be made");
    if (pthread_cond_init(&f->all_here, NULL) == 0) {
        f->has_barrier = true;
        return OM_OK;
    }
    (void) pthread_mutex_destroy(&f->lock);
    return om_fail(f->ctx, OM_EIO, NULL, "no lock can be made");
}

/* Will a member find its programs in the cache, because one before it is of the same make? */
static bool is_twin(const om_device_group *f, uint32_t i)
{
    if (f->members[i].device->alone)
        return false; /* see om_device.alone */
    const om_device_info *info = &f->members[i].device->info;
    for (uint32_t k = 0; k < i; k++) {
        const om_device_info *other = &f->members[k].device->info;
        if (strcmp(info->name, other->name) == 0 && strcmp(info->driver, other->driver) == 0)
            return true;
    }
    return false;
}

/* Side by side, for compilers take their time; but none of them does anything twice. */
static int open_members(om_device_group *f)
{
    bool threaded[OM_MOST_MEMBERS] = { false };
    int rc = OM_OK;
    for (uint32_t i = 0; i < f->count; i++)
        threaded[i] = !is_twin(f, i) &&
                      pthread_create(&f->members[i].thread, NULL, open_member, &f->members[i]) == 0;
    for (uint32_t i = 0; i < f->count; i++)
        if (threaded[i])
            (void) pthread_join(f->members[i].thread, NULL);
        else
            (void) open_member(&f->members[i]);
    for (uint32_t i = 0; rc == OM_OK && i < f->count; i++)
        rc = f->members[i].rc;
    return rc;
}

int om_device_group__open(
    om_device_group **out, om_context *ctx, const om_engine_spec *spec, const om_tuning *tuning)
{
    const om_heap *heap = om_context_heap(ctx);
    const om_device *group = spec->device;
    int rc = OM_OK;
    om_device_group *f = om_alloc(heap, 1, sizeof *f);
    if (f == NULL)
        return om_fail_memory(ctx);
    f->ctx = ctx;
    f->heap = heap;
    f->spec = *spec;
    f->tuning = *tuning;
    f->count = (uint32_t) group->member_count;
    f->words = om_model_words(spec->model);
    f->row = f->words + (spec->automaton != NULL);
    if ((f->members = om_alloc(heap, f->count, sizeof *f->members)) == NULL)
        rc = om_fail_memory(ctx);
    for (uint32_t i = 0; rc == OM_OK && i < f->count; i++)
        f->members[i] =
            (member){ .group = f, .me = i, .device = group->members[i], .hit = NO_STATE };
    if (rc == OM_OK)
        rc = open_barrier(f);
    if (rc == OM_OK)
        rc = open_members(f);
    if (rc != OM_OK) {
        om_device_group__close(f);
        return rc;
    }
    *out = f;
    return OM_OK;
}

void om_device_group__close(om_device_group *f)
{
    if (f == NULL)
        return;
    for (uint32_t i = 0; f->members != NULL && i < f->count; i++)
        if (f->members[i].group != NULL)
            close_member(&f->members[i]);
    if (f->has_barrier) {
        (void) pthread_cond_destroy(&f->all_here);
        (void) pthread_mutex_destroy(&f->lock);
    }
    free_rows(f->heap, &f->initial);
    om_free(f->heap, f->members);
    om_free(f->heap, f);
}

/* ---- first phase: a chunk is expanded ---- */

static int reserve_lists(member *m)
{
    om_queue *queue = &m->engine->queue;
    const uint32_t n = m->engine->table.candidate_capacity, from = m->paths ? n : 1;
    const size_t row = m->group->row * sizeof(uint32_t);
    int rc;
    if (n <= m->capacity)
        return OM_OK;
    m->capacity = 0;
    if ((rc = om_queue__grow(queue, &m->own, n, row, 0)) != OM_OK ||
        (rc = om_queue__grow(queue, &m->own_from, from, sizeof(uint32_t), 0)) != OM_OK ||
        (rc = om_queue__grow(queue, &m->out, n, row, 0)) != OM_OK ||
        (rc = om_queue__grow(queue, &m->out_from, from, sizeof(uint32_t), 0)) != OM_OK)
        return rc;
    m->capacity = n;
    return OM_OK;
}

static int queue_share(member *m)
{
    om_engine *e = m->engine;
    const om_state_table *t = &e->table;
    uint32_t capacity = t->candidate_capacity, paths = m->paths;
    om_arg args[] = { OM_MEM(t->candidates), OM_MEM(t->from), OM_MEM(t->control), OM_ARG(capacity),
        OM_ARG(m->me), OM_ARG(m->group->count), OM_ARG(paths), OM_MEM(m->own), OM_MEM(m->own_from),
        OM_MEM(m->out), OM_MEM(m->out_from), OM_MEM(m->counts) };
    int rc = om_queue__zero(&e->queue, &m->counts, 0, 2 * sizeof(uint32_t));
    return rc != OM_OK ? rc
                       : om_queue__run(&e->queue, m->share.kernels[0], SHARE_SHAPE.name, args, 12,
                             om_queue__batches(&e->queue, capacity));
}

/* Expands n states from m->low on, or fewer, and shares out the candidates. */
static int expand_some(member *m, uint32_t *n, uint64_t *control, uint32_t *counts)
{
    om_engine *e = m->engine;
    uint64_t *record = control + OM_C_WORDS;
    for (;;) {
        const om_level_step step = { .chunk = *n };
        const uint64_t begin[OM_R_WORDS] = { [OM_R_LOW] = m->low,
            [OM_R_END] = (uint64_t) m->low + *n,
            [OM_R_STORED] = e->table.stored };
        int rc;
        if ((rc = om_engine__reserve_chunk(e, *n)) != OM_OK || (rc = reserve_lists(m)) != OM_OK ||
            (rc = om_state_table__control(&e->table, begin)) != OM_OK ||
            (rc = om_engine__expand(e, &step, NULL)) != OM_OK || (rc = queue_share(m)) != OM_OK ||
            (rc = om_queue__read(&e->queue, &m->counts, 0, counts, 2 * sizeof *counts)) != OM_OK ||
            (rc = om_queue__read(&e->queue, &e->table.control, 0, control,
                 (OM_C_WORDS + OM_R_WORDS) * sizeof *control)) != OM_OK)
            return rc;
        if (record[OM_R_TAKEN] <= e->table.candidate_capacity)
            return OM_OK;
        if (!om_engine__more_capacity(e, record[OM_R_TAKEN], *n, &rc))
            *n /= 2;
        if (rc != OM_OK)
            return rc;
    }
}

/* Takes what leaves to the host. */
static int fetch_outbox(member *m, uint32_t count)
{
    om_queue *queue = &m->engine->queue;
    int rc = reserve_rows(m->group, &m->outbox, count);
    m->outbox.count = 0;
    if (rc == OM_OK && count > 0)
        rc = om_queue__read(
            queue, &m->out, 0, m->outbox.rows, (size_t) count * m->group->row * sizeof(uint32_t));
    if (rc == OM_OK && count > 0 && m->paths)
        rc = om_queue__read(queue, &m->out_from, 0, m->outbox.from, count * sizeof(uint32_t));
    if (rc == OM_OK)
        m->outbox.count = count;
    m->exchanged += count;
    return rc;
}

/* What went wrong in a chunk, while the row is there. */
static int keep_fault(member *m, const uint64_t *control)
{
    bool fails = control[OM_C_FAILED] != UINT64_MAX;
    uint64_t fault = fails ? control[OM_C_FAILED] : control[OM_C_FAULT];
    if (fault == UINT64_MAX || (m->fault != 0 && !fails))
        return OM_OK;
    m->fault = (om_fault) fault;
    m->faulty = (uint32_t) (fault >> 32);
    m->fault_level = m->group->levels.count;
    om_free(m->group->heap, m->fault_vector);
    m->fault_vector = NULL;
    return om_engine__vector(m->engine, m->faulty, &m->fault_vector);
}

static int spread(member *m)
{
    om_engine *e = m->engine;
    uint64_t control[OM_C_WORDS + OM_R_WORDS];
    const uint64_t *record = control + OM_C_WORDS;
    uint32_t counts[2] = { 0, 0 };
    m->stayed = m->outbox.count = m->inbox.count = 0;
    if (m->low == m->end)
        return OM_OK;
    uint64_t since = om_clock_ns();
    e->table.low = m->low; /* rows below that may go, but not those of this chunk */
    uint32_t left = m->end - m->low, asked = left < e->chunk ? left : e->chunk, n = asked;
    int rc = expand_some(m, &n, control, counts);
    if (rc != OM_OK)
        return rc;
    m->stayed = counts[0];
    m->transitions += record[OM_R_TAKEN] - record[OM_R_LOST];
    m->deadlocks += record[OM_R_DEAD];
    m->overflows += record[OM_R_OVER];
    m->low += n;
    m->steps++;
    if (record[OM_R_OVER] != 0 && m->overflow_vector == NULL) {
        m->overflow_level = m->group->levels.count;
        rc = om_engine__vector(e, control[OM_C_OVERFLOWN], &m->overflow_vector);
    }
    if (rc == OM_OK)
        rc = keep_fault(m, control);
    if (rc == OM_OK)
        rc = fetch_outbox(m, counts[1]);
    om_engine__pace(e, 1, n == e->chunk && n == asked, om_clock_ns() - since);
    return rc;
}

/* ---- second phase: candidates become states ---- */

/* Where all of them come from. */
static int write_from(member *m)
{
    om_queue *queue = &m->engine->queue;
    const om_buffer *from = &m->engine->table.from;
    const size_t stayed = m->stayed * sizeof(uint32_t);
    int rc = om_queue__copy(queue, &m->own_from, from, stayed);
    return rc == OM_OK ? om_queue__write(
                             queue, from, stayed, m->inbox.from, m->inbox.count * sizeof(uint32_t))
                       : rc;
}

/* Interns what stayed and what came. */
static int intern(member *m)
{
    om_engine *e = m->engine;
    om_state_table *t = &e->table;
    const size_t row = m->group->row * sizeof(uint32_t);
    uint64_t n = (uint64_t) m->stayed + m->inbox.count;
    /* The level has no end here: what there is to say of it, member 0 says. */
    uint64_t record[OM_R_WORDS] = { [OM_R_END] = 1 };
    int rc;
    if (n == 0)
        return OM_OK;
    if (((uint64_t) t->stored + n) * m->group->count > MOST_NUMBERS)
        return om_fail(m->group->ctx, OM_EUNSUPPORTED, NULL,
            "device %s: more than 2^32 states; use a checker that runs on the CPU",
            m->device->info.name);
    if ((rc = om_state_table__candidates(t, (uint32_t) n)) != OM_OK ||
        (rc = om_queue__copy(&e->queue, &m->own, &t->candidates, m->stayed * row)) != OM_OK ||
        (rc = om_queue__write(&e->queue, &t->candidates, m->stayed * row, m->inbox.rows,
             m->inbox.count * row)) != OM_OK ||
        (rc = m->paths ? write_from(m) : OM_OK) != OM_OK ||
        (rc = om_state_table__put(t, (uint32_t) n, m->group->stop_at != NULL ? &e->wanted : NULL,
             record, &m->hit)) != OM_OK)
        return rc;
    m->full = record[OM_R_WHY] == OM_STATES;
    return OM_OK;
}

static int gather(member *m)
{
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < m->group->count; i++)
        if (i != m->me)
            rc = receive(m, &m->group->members[i].outbox);
    return rc == OM_OK ? intern(m) : rc;
}

/* ---- all together ---- */

static void sum_up(om_device_group *f)
{
    om_exploration *out = f->out;
    om_device_figures sum = { .devices = f->count };
    out->states = out->transitions = out->deadlocks = out->overflows = out->memory_bytes = 0;
    out->levels = f->levels.count;
    for (uint32_t i = 0; i < f->count; i++) {
        const member *m = &f->members[i];
        if (m->engine == NULL)
            continue;
        out->states += m->engine->table.stored;
        out->transitions += m->transitions;
        out->deadlocks += m->deadlocks;
        out->overflows += m->overflows;
        out->memory_bytes += m->engine->queue.peak;
        sum.steps += m->steps;
        sum.launches += m->engine->queue.launches;
        sum.step_launches = sum.launches;
        sum.read_backs += m->engine->queue.read_backs;
        sum.exchanged += m->exchanged;
    }
    out->on_device = sum;
}

/* The level is over for everybody: the next one, unless it is empty. */
static verdict next_level(om_device_group *f)
{
    uint64_t width = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        member *m = &f->members[i];
        width += m->engine->table.stored - m->end;
        m->end = m->engine->table.stored;
    }
    if (width == 0)
        return DONE;
    f->levels.count++;
    memmove(
        f->levels.widths + 1, f->levels.widths, sizeof f->levels.widths - sizeof *f->levels.widths);
    f->levels.widths[0] = width;
    return GOING;
}

/* What member 0 makes of a round; the others wait. */
static verdict decide(om_device_group *f)
{
    uint64_t most = om_control_limits(om_context_control(f->ctx))->max_states;
    bool over = true;
    sum_up(f);
    if (f->spec.progress != NULL)
        f->spec.progress(f->spec.progress_self, f->out->states, f->out->transitions, &f->levels);
    for (uint32_t i = 0; i < f->count; i++)
        if (f->members[i].rc != OM_OK)
            return FAILED;
    for (uint32_t i = 0; i < f->count; i++)
        if (OM_IS_FAILURE(f->members[i].fault) || (f->members[i].fault != 0 && f->spec.faults_end))
            return FAULT;
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->members[i].hit != NO_STATE)
            return HIT;
        if (f->members[i].full || (most != 0 && f->out->states > most))
            return FULL;
        over = over && f->members[i].low == f->members[i].end;
    }
    if (om_context_stopped(f->ctx) != OM_OK)
        return FAILED;
    return over ? next_level(f) : GOING;
}

/* Waits until all members are here. */
static void wait_for_all(om_device_group *f)
{
    pthread_mutex_lock(&f->lock);
    uint64_t turn = f->turn;
    if (++f->waiting == f->expected) {
        f->waiting = 0;
        f->turn++;
        pthread_cond_broadcast(&f->all_here);
    }
    while (f->turn == turn)
        (void) pthread_cond_wait(&f->all_here, &f->lock);
    pthread_mutex_unlock(&f->lock);
}

/* The initial states, and what is looked for. */
static int begin(member *m)
{
    const om_device_group *f = m->group;
    om_engine *e = m->engine;
    int rc = OM_OK;
    if (f->stop_at != NULL) {
        rc = om_queue__take(&e->queue, &e->wanted, e->automaton_states, 1);
        if (rc == OM_OK)
            rc = om_queue__write(&e->queue, &e->wanted, 0, f->stop_at, e->automaton_states);
    }
    if (rc == OM_OK)
        rc = receive(m, &f->initial);
    return rc == OM_OK ? intern(m) : rc;
}

/* Every round a member goes through all of this, whatever befalls it: the others wait for it. */
static void *member_main(void *self)
{
    member *m = self;
    om_device_group *f = m->group;
    m->rc = begin(m);
    for (;;) {
        wait_for_all(f);
        if (m->me == 0)
            f->verdict = decide(f);
        wait_for_all(f);
        if (f->verdict != GOING)
            return NULL;
        m->rc = spread(m);
        wait_for_all(f);
        if (m->rc == OM_OK)
            m->rc = gather(m);
    }
}

/* The initial states come from nowhere. */
static int list_initial(om_device_group *f)
{
    const om_automaton *a = f->spec.automaton;
    row_list *c = &f->initial;
    uint32_t n = a != NULL ? om_automaton_initial_count(a) : 1;
    int rc = reserve_rows(f, c, n);
    for (uint32_t i = 0; rc == OM_OK && i < n; i++) {
        uint32_t *row = c->rows + (size_t) i * f->row;
        memcpy(row, om_model_initial(f->spec.model), f->words * sizeof *row);
        if (a != NULL)
            row[f->words] = om_automaton_initial(a, i);
        c->from[i] = NO_STATE;
        c->count++;
    }
    return rc;
}

/* All members at once. Those that get no thread cannot take part: the others end as soon as they
 * see that. */
static void run_members(om_device_group *f)
{
    uint32_t started = 1;
    f->expected = f->count;
    while (started < f->count && pthread_create(&f->members[started].thread, NULL, member_main,
                                     &f->members[started]) == 0)
        started++;
    for (uint32_t i = started; i < f->count; i++)
        f->members[i].rc = om_fail(f->ctx, OM_EIO, NULL, "no thread can be started");
    pthread_mutex_lock(&f->lock);
    f->expected = started; /* member 0 is not there yet: nobody has passed */
    pthread_mutex_unlock(&f->lock);
    (void) member_main(&f->members[0]);
    for (uint32_t i = 1; i < started; i++)
        (void) pthread_join(f->members[i].thread, NULL);
}

/* Is what went wrong at `a` rather to be reported than that at `b`? */
static bool goes_before(const member *a, const member *b)
{
    if (b == NULL || OM_IS_FAILURE(a->fault) != OM_IS_FAILURE(b->fault))
        return b == NULL || OM_IS_FAILURE(a->fault);
    return a->fault_level < b->fault_level;
}

/* The state where the model went wrong, as om_exploration has it. */
static void take_fault(om_device_group *f)
{
    member *first = NULL;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->members[i].fault != 0 && goes_before(&f->members[i], first))
            first = &f->members[i];
    if (first == NULL)
        return;
    f->out->fault = first->fault;
    f->out->fault_state = (om_id) first->faulty * f->count + first->me;
    f->out->fault_vector = first->fault_vector;
    first->fault_vector = NULL;
}

/* Of the states that overflows leave, one of those nearest to the initial state. */
static void take_overflow(om_device_group *f)
{
    member *best = NULL;
    for (uint32_t i = 0; i < f->count; i++) {
        member *m = &f->members[i];
        if (m->overflow_vector != NULL &&
            (best == NULL || m->overflow_level < best->overflow_level))
            best = m;
    }
    if (best == NULL)
        return;
    f->out->overflow_vector = best->overflow_vector;
    best->overflow_vector = NULL;
}

/* A limit, if there is one that says so, else the first failure. */
static int failure(const om_device_group *f)
{
    int rc = om_context_stopped(f->ctx);
    for (uint32_t i = 0; rc == OM_OK && i < f->count; i++)
        rc = f->members[i].rc;
    return rc;
}

static int conclude(om_device_group *f, om_id *hit)
{
    switch (f->verdict) {
    case HIT:
        for (uint32_t i = 0; i < f->count; i++)
            if (f->members[i].hit != NO_STATE) {
                *hit = (om_id) f->members[i].hit * f->count + i;
                break;
            }
        return OM_OK;
    case FAULT:
        return OM_EMODEL;
    case FULL:
        (void) om_control_stop(om_context_control(f->ctx), OM_STOP_STATES);
        return om_context_stopped(f->ctx);
    case FAILED:
        return failure(f);
    default:
        return OM_OK;
    }
}

int om_device_group__explore(
    om_device_group *f, const uint8_t *stop_at, om_id *hit, om_exploration *out)
{
    uint64_t since = om_clock_ns();
    om_id found = OM_NO_ID;
    *out = (om_exploration){ 0 };
    if (f->explored)
        return om_fail(f->ctx, OM_EINVAL, NULL, "an engine explores once");
    f->explored = true;
    f->out = out;
    f->stop_at = stop_at;
    int rc = list_initial(f);
    if (rc == OM_OK) {
        run_members(f);
        rc = conclude(f, &found);
        take_overflow(f);
        take_fault(f);
    }
    if (hit != NULL)
        *hit = rc == OM_OK ? found : OM_NO_ID;
    out->seconds = (double) (om_clock_ns() - since) * 1e-9;
    f->out = NULL;
    f->stop_at = NULL;
    return rc;
}

/* ---- paths ---- */

static int read_number(om_device_group *f, uint32_t number, uint32_t *from)
{
    om_engine *e = f->members[number % f->count].engine;
    return om_queue__read(
        &e->queue, &e->table.parents, number / f->count * sizeof *from, from, sizeof *from);
}

static int read_row(om_device_group *f, uint32_t number, uint32_t *row)
{
    om_engine *e = f->members[number % f->count].engine;
    const size_t size = f->row * sizeof *row;
    return om_queue__read(&e->queue, &e->table.rows, number / f->count * size, row, size);
}

bool om_device_group__has_paths(const om_device_group *f)
{
    bool all = true;
    for (uint32_t i = 0; i < f->count; i++)
        all = all && f->members[i].engine->table.shape.paths;
    return all;
}

int om_device_group__path(
    om_device_group *f, om_id to, int (*take)(void *self, const uint32_t *vector), void *self)
{
    uint32_t *numbers = NULL, *vector = NULL;
    size_t count = 0, capacity = 0;
    int rc = OM_OK;
    if (!om_device_group__has_paths(f) || to >= NO_STATE ||
        to / f->count >= f->members[to % f->count].engine->table.stored)
        return om_fail(f->ctx, OM_EINVAL, NULL, "no such state on the devices");
    for (uint32_t number = (uint32_t) to; rc == OM_OK && number != NO_STATE; count++) {
        uint32_t *p = om_grow(f->heap, numbers, &capacity, count + 1, sizeof *numbers);
        if (p == NULL) {
            rc = om_fail_memory(f->ctx);
            break;
        }
        numbers = p;
        numbers[count] = number;
        rc = om_context_stopped(f->ctx);
        if (rc == OM_OK)
            rc = read_number(f, number, &number);
    }
    if (rc == OM_OK && (vector = om_alloc(f->heap, f->row, sizeof *vector)) == NULL)
        rc = om_fail_memory(f->ctx);
    while (rc == OM_OK && count-- > 0) {
        rc = read_row(f, numbers[count], vector);
        if (rc == OM_OK)
            rc = take(self, vector);
    }
    om_free(f->heap, vector);
    om_free(f->heap, numbers);
    return rc;
}
