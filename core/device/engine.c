/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exploration engine: breadth-first, level by level, chunk by chunk. The host side of
 * kernels/expand.cl and store.cl; the scheme is that of the "Exploration on a device" section of
 * the architecture: expand, intern, compact, with the end of a kernel as the only fence. How steps
 * follow each other is in steps.c.
 *
 * States are numbered in the order of storing, so a level is a range of numbers.
 *
 * An engine is used by one thread at a time.
 */
#include "group.h"
#include "kernels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A step should take about this long: long enough to keep the device busy, short enough for several
 * to be queued and yet to stop within 100 ms. */
static const uint64_t SHORT_NS = 2000000, LONG_NS = 8000000;
/* Transitions of one program: beyond that, compile times explode. */
enum { SLICE_TRANSITIONS = 256, SMALLEST_CHUNK = 128 };
/* States of a chunk for each unit of a device that has few: what its caches hold. */
enum { UNIT_CHUNK = 1 << 13 };

enum { K_EXPAND, K_VOID, EXPAND_KERNELS };
static const om_shape EXPAND_SHAPES[EXPAND_KERNELS] = {
    [K_EXPAND] = { "om_k_expand", "mmuumuummmuummmm" },
    [K_VOID] = { "om_k_void", "mmumuummm" }, /* with the last of several slices */
};

_Static_assert(OM_IS_FAILURE(OM_FAULT_ASSERTION), "kernels know a failed assertion");

/* ---- opening ---- */

/* The number behind "#define NAME " in the generated text. */
static uint32_t macro_value(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, "#define ")) != NULL;) {
        at += strlen("#define ");
        if (strncmp(at, name, n) == 0 && at[n] == ' ')
            return (uint32_t) strtoul(at + n, NULL, 10);
    }
    return 0;
}

/* The text of the model with these APs between the prelude and the kernels. */
static int make_source(om_engine *e, const om_expr *aps, uint32_t ap_count, om_text *source)
{
    *source = (om_text){ .heap = e->heap };
    om_text_add(source, om_kernel__steps);
    om_text_add(source, om_kernel__prelude);
    int rc = om_model_generate(e->spec.model, aps, ap_count, source);
    om_text_add(source, om_kernel__expand);
    return rc != OM_OK ? rc : source->failed ? om_fail_memory(e->ctx) : OM_OK;
}

static int order_slice(om_engine *e, const char *source, uint32_t i)
{
    om_slice *slice = &e->slices[i];
    bool voids = i > 0 && i == e->slice_count - 1;
    const om_recipe recipe = { .source = source,
        .defines = { { "OM_ROW", e->row }, { "OM_PRODUCT", e->spec.automaton != NULL },
            { "OM_FIRST", i == 0 }, { "OM_LAST", i == e->slice_count - 1 },
            { "OM_GROUP_LOW", slice->low }, { "OM_GROUP_HIGH", slice->high } },
        .define_count = 6,
        /* pocl's compiler takes twice the time for code that runs twice as fast: too much, where a
         * model is so large that it takes several seconds. */
        .quick = i > 0 && e->queue.device->per_size,
        .shapes = EXPAND_SHAPES,
        .count = voids ? EXPAND_KERNELS : 1 };
    return om_builds__order(e->queue.device, e->ctx, &recipe, &slice->build);
}

/* Divides the groups among slices: all in one, or the first with none and the rest evenly. */
static int divide(om_engine *e, const char *source)
{
    uint32_t groups = macro_value(source, "OM_GROUPS");
    uint32_t transitions = macro_value(source, "OM_TRANSITIONS");
    uint32_t slices = (transitions + SLICE_TRANSITIONS - 1) / SLICE_TRANSITIONS;
    slices = slices > groups ? groups : slices;
    uint32_t count = slices <= 1 ? 1 : slices + 1;
    e->slices = om_alloc(e->heap, count, sizeof *e->slices);
    if (e->slices == NULL)
        return om_fail_memory(e->ctx);
    e->slice_count = count;
    if (e->slice_count == 1)
        e->slices[0].high = groups;
    for (uint32_t i = 1; i < e->slice_count; i++) {
        e->slices[i].low = (uint32_t) ((uint64_t) groups * (i - 1) / slices);
        e->slices[i].high = (uint32_t) ((uint64_t) groups * i / slices);
    }
    return OM_OK;
}

static int order_slices(om_engine *e)
{
    om_text first, rest = { .heap = e->heap };
    int rc = make_source(e, e->spec.aps, e->spec.ap_count, &first);
    if (rc == OM_OK)
        rc = divide(e, first.text);
    if (rc == OM_OK && e->slice_count > 1)
        rc = make_source(e, NULL, 0, &rest);
    for (uint32_t i = 0; rc == OM_OK && i < e->slice_count; i++)
        rc = order_slice(e, i == 0 ? first.text : rest.text, i);
    om_text_free(&rest);
    om_text_free(&first);
    return rc;
}

static int collect_slices(om_engine *e)
{
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < e->slice_count; i++) {
        om_slice *slice = &e->slices[i];
        rc = om_builds__collect(slice->build, e->ctx, &slice->built);
        slice->build = NULL;
    }
    return rc;
}

/* A buffer with these bytes in it. */
static int take_filled(om_engine *e, om_buffer *b, const void *from, size_t bytes)
{
    int rc = om_queue__take(&e->queue, b, bytes, 1);
    return rc == OM_OK ? om_queue__write(&e->queue, b, 0, from, bytes) : rc;
}

/* The automaton as kernels/expand.cl reads it. Without one, buffers that nobody reads. */
static int load_automaton(om_engine *e)
{
    const om_automaton *a = e->spec.automaton;
    uint32_t states = a != NULL ? om_automaton_state_count(a) : 0;
    uint32_t edges = a != NULL ? om_automaton_edge_count(a) : 0, cubes = 0, at = 0;
    uint32_t *begin = om_alloc(e->heap, states + (size_t) 1, sizeof *begin);
    uint32_t *edge_words = om_alloc(e->heap, edges, 3 * sizeof *edge_words);
    int rc = OM_OK;
    if (begin == NULL || edge_words == NULL) {
        rc = om_fail_memory(e->ctx);
        goto done;
    }
    for (uint32_t q = 0; q < states; q++) {
        uint32_t count = 0;
        const om_edge *of = om_automaton_edges(a, q, &count);
        begin[q] = at;
        for (uint32_t i = 0; i < count; i++, at++) {
            uint32_t *words = &edge_words[(size_t) at * 3];
            words[0] = of[i].dst;
            words[1] = of[i].cube_begin;
            words[2] = of[i].cube_count;
            if (of[i].cube_begin + of[i].cube_count > cubes)
                cubes = of[i].cube_begin + of[i].cube_count;
        }
    }
    begin[states] = at;
    e->automaton_states = states;
    if ((rc = take_filled(e, &e->begin, begin, (states + (size_t) 1) * sizeof *begin)) == OM_OK &&
        (rc = take_filled(e, &e->edges, edge_words, (size_t) at * 3 * sizeof *edge_words)) == OM_OK)
        rc = take_filled(e, &e->cubes, a != NULL ? om_automaton_cubes(a) : NULL,
            (size_t) cubes * sizeof(om_cube));
done:
    om_free(e->heap, begin);
    om_free(e->heap, edge_words);
    return rc;
}

static int open_buffers(om_engine *e)
{
    int rc = load_automaton(e);
    if (rc == OM_OK && e->spec.accepting != NULL)
        rc = take_filled(e, &e->accepting, e->spec.accepting, e->automaton_states);
    return rc == OM_OK ? om_engine__reserve_chunk(e, e->chunk) : rc;
}

/* Small chunks stay in a CPU's caches. */
static uint32_t largest_chunk(const om_device *d, const om_tuning *tuning)
{
    uint64_t most = (uint64_t) UNIT_CHUNK * (d->info.compute_units + 1);
    return d->batch > 1 && most < tuning->largest_chunk ? (uint32_t) most : tuning->largest_chunk;
}

int om_engine__open(
    om_engine **out, om_context *ctx, const om_engine_spec *spec, const om_tuning *tuning)
{
    const om_heap *heap = om_context_heap(ctx);
    if (spec->device == NULL || spec->model == NULL ||
        (spec->accepting != NULL && spec->automaton == NULL))
        return om_fail(ctx, OM_EINVAL, NULL, "an engine needs a device and a model");
    om_engine *e = om_alloc(heap, 1, sizeof *e);
    if (e == NULL)
        return om_fail_memory(ctx);
    e->ctx = ctx;
    e->heap = heap;
    e->spec = *spec;
    e->tuning = *tuning;
    e->largest_chunk = largest_chunk(spec->device, tuning);
    e->chunk = tuning->chunk < e->largest_chunk ? tuning->chunk : e->largest_chunk;
    e->fault = e->failed = UINT64_MAX;
    e->words = om_model_words(spec->model);
    e->row = e->words + (spec->automaton != NULL);
    om_row_shape shape;
    om_keys__shape(&shape, spec->model, spec->automaton);
    shape.weak = spec->accepting != NULL;
    shape.paths = !spec->no_paths;
    shape.path_bytes = spec->path_bytes;
    int rc = om_queue__open(&e->queue, spec->device, ctx);
    if (rc == OM_OK)
        rc = om_state_table__order(&e->table, &e->queue, &shape, tuning);
    if (rc == OM_OK)
        rc = order_slices(e);
    e->table.sources = e->slice_count > 1;
    e->table.faults_end = spec->faults_end;
    e->table.faults_repeat = spec->faults_repeat;
    if (rc == OM_OK)
        rc = om_state_table__open(&e->table, tuning);
    if (rc == OM_OK)
        rc = collect_slices(e);
    if (rc == OM_OK)
        rc = open_buffers(e);
    if (rc != OM_OK) {
        om_engine_close(e);
        return rc;
    }
    *out = e;
    return OM_OK;
}

/* An engine that is several. */
static int open_group(om_engine **out, om_context *ctx, const om_engine_spec *spec)
{
    om_engine *e = om_alloc(om_context_heap(ctx), 1, sizeof *e);
    if (e == NULL)
        return om_fail_memory(ctx);
    e->ctx = ctx;
    e->heap = om_context_heap(ctx);
    e->spec = *spec;
    int rc = om_device_group__open(&e->group, ctx, spec, &om_tuning__default);
    if (rc != OM_OK) {
        om_free(e->heap, e);
        return rc;
    }
    *out = e;
    return OM_OK;
}

int om_engine_open(om_engine **out, om_context *ctx, const om_engine_spec *spec)
{
    om_engine_spec single = *spec;
    if (spec->device == NULL || spec->device->member_count == 0)
        return om_engine__open(out, ctx, spec, &om_tuning__default);
    if (spec->accepting == NULL && spec->model != NULL)
        return open_group(out, ctx, spec);
    single.device = spec->device->members[0];
    om_note(ctx, OM_NOTE_NOTICE, NULL, "weak parts are trimmed on one device: on %s alone",
        single.device->info.name);
    return om_engine__open(out, ctx, &single, &om_tuning__default);
}

void om_engine_close(om_engine *e)
{
    if (e == NULL)
        return;
    if (e->group != NULL) {
        om_device_group__close(e->group);
        om_free(e->heap, e);
        return;
    }
    om_buffer *all[] = { &e->begin, &e->edges, &e->cubes, &e->wanted, &e->accepting, &e->degree,
        &e->labels, &e->so_far, NULL };
    for (om_buffer **b = all; *b != NULL; b++)
        om_queue__give(&e->queue, *b);
    for (uint32_t i = 0; i < e->slice_count; i++) {
        om_builds__abandon(e->slices[i].build);
        om_builds__release(e->queue.device, &e->slices[i].built);
    }
    om_state_table__close(&e->table);
    om_queue__close(&e->queue);
    om_free(e->heap, e->overflow_vector);
    om_free(e->heap, e->fault_vector);
    om_free(e->heap, e->slices);
    om_free(e->heap, e);
}

int om_engine__vector(om_engine *e, uint64_t state, uint32_t **out)
{
    const size_t size = e->row * sizeof(uint32_t);
    uint32_t *vector = om_alloc(e->heap, size, 1);
    if (vector == NULL)
        return om_fail_memory(e->ctx);
    int rc = om_queue__read(
        &e->queue, &e->table.rows, (size_t) (state - e->table.base) * size, vector, size);
    if (rc == OM_OK)
        *out = vector;
    else
        om_free(e->heap, vector);
    return rc;
}

/* ---- one chunk ---- */

int om_engine__reserve_chunk(om_engine *e, uint32_t n)
{
    int rc;
    /* One slice keeps what it knows to itself. */
    if (e->slice_count == 1)
        n = 1;
    if (n <= e->chunk_capacity)
        return OM_OK;
    e->chunk_capacity = 0;
    if ((rc = om_queue__grow(&e->queue, &e->labels, n, sizeof(uint64_t), 0)) != OM_OK ||
        (rc = om_queue__grow(&e->queue, &e->so_far, n, OM_S_WORDS * sizeof(uint32_t), 0)) != OM_OK)
        return rc;
    e->chunk_capacity = n;
    return OM_OK;
}

/* What the slices did not know of each other when they wrote the candidates. */
static int settle_slices(om_engine *e, const om_level_step *s, const om_buffer *list)
{
    const om_state_table *t = &e->table;
    const om_slice *last = &e->slices[e->slice_count - 1];
    uint32_t listed = list != NULL, capacity = t->candidate_capacity;
    om_arg args[] = { OM_MEM(t->rows), { sizeof(om_memory *), listed ? &list->mem : &t->won.mem },
        OM_ARG(listed), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity), OM_MEM(e->so_far),
        OM_MEM(t->candidates), OM_MEM(t->from) };
    return om_queue__run(
        &e->queue, last->built.kernels[K_VOID], EXPAND_SHAPES[K_VOID].name, args, 9, capacity);
}

int om_engine__expand(om_engine *e, const om_level_step *s, const om_buffer *list)
{
    const om_state_table *t = &e->table;
    uint32_t listed = list != NULL, stutter = e->spec.stutter, capacity = t->candidate_capacity;
    om_memory *const *numbers = listed ? &list->mem : &t->won.mem;
    int rc = OM_OK;
    assert(e->slice_count == 1 || s->chunk <= e->chunk_capacity);
    for (uint32_t i = 0; rc == OM_OK && i < e->slice_count; i++) {
        om_arg args[] = { OM_MEM(t->rows), { sizeof(om_memory *), numbers }, OM_ARG(listed),
            OM_ARG(s->chunk), OM_MEM(t->control), OM_ARG(s->number), OM_ARG(capacity),
            OM_MEM(e->begin), OM_MEM(e->edges), OM_MEM(e->cubes), OM_ARG(stutter),
            OM_ARG(e->spec.deadlock_ap), OM_MEM(e->labels), OM_MEM(e->so_far),
            OM_MEM(t->candidates), OM_MEM(t->from) };
        rc = om_queue__run(&e->queue, e->slices[i].built.kernels[K_EXPAND],
            EXPAND_SHAPES[K_EXPAND].name, args, 16, om_queue__batches(&e->queue, s->chunk));
    }
    return rc == OM_OK && e->slice_count > 1 ? settle_slices(e, s, list) : rc;
}

bool om_engine__more_capacity(om_engine *e, uint64_t candidates, uint32_t n, int *rc)
{
    uint64_t capacity = e->table.candidate_capacity;
    *rc = OM_OK;
    if (candidates > e->tuning.most_candidates && n > 1)
        return false;
    if (candidates > UINT32_MAX / 2) {
        *rc = om_fail(e->ctx, OM_EUNSUPPORTED, NULL, "a state has more than 2^31 successors");
        return false;
    }
    /* Chunks differ. */
    uint64_t more = candidates + candidates / 4;
    if (more <= e->tuning.most_candidates)
        candidates = more;
    if (candidates > capacity)
        *rc = om_state_table__candidates(&e->table, (uint32_t) candidates);
    return *rc == OM_OK;
}

void om_engine__pace(om_engine *e, uint64_t steps, bool whole, uint64_t took_ns)
{
    if (steps == 0)
        return;
    e->step_ns = took_ns / steps;
    if (e->step_ns > LONG_NS && e->chunk / 2 >= SMALLEST_CHUNK)
        e->chunk /= 2;
    else if (e->step_ns < SHORT_NS && whole && e->chunk <= e->largest_chunk / 2)
        e->chunk *= 2;
}
