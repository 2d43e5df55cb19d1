/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exploration engine: breadth-first, level by level, chunk by chunk. The host side of
 * kernels/expand.cl and store.cl; the scheme is that of the "Exploration on a device" section of
 * the architecture: expand, intern, compact, with the end of a kernel as the only fence.
 *
 * States are numbered in the order of storing, so a level is a range of numbers. A chunk's
 * candidates are counted before they are written (weigh), so none is lost: a chunk that has more
 * than there is room for is cut in half and weighed again.
 *
 * An engine is used by one thread at a time.
 */
#include "engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A chunk should take about this long: long enough to keep the device busy, short enough to stop
 * within 100 ms. */
static const uint64_t SHORT_NS = 5000000, LONG_NS = 30000000;
/* Transitions of one program: beyond that, compile times explode. */
enum { PART_TRANSITIONS = 256, SMALLEST_CHUNK = 128 };

static const om_shape PART_SHAPES[OM_K_PART_KERNELS] = {
    [OM_K_GUARDS] = { "om_k_guards", "muumuuumm" },
    [OM_K_EXPAND] = { "om_k_expand", "muumuuummmmummmmmm" },
};
static const om_shape WEIGH_SHAPE = { "om_k_weigh", "muumuummmmuummmm" };

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
    om_text_add(source, om_kernel_prelude);
    int rc = om_model_generate(e->spec.model, aps, ap_count, source);
    om_text_add(source, om_kernel_expand);
    return rc != OM_OK ? rc : source->failed ? om_fail_memory(e->ctx) : OM_OK;
}

/* Builds with the groups low <= g < high; none: the kernel that looks at no group. */
static int build_groups(
    om_engine *e, const char *source, uint32_t low, uint32_t high, om_built *out)
{
    om_text options = { .heap = e->heap };
    bool weigh = low == high;
    om_text_printf(&options,
        "-DOM_ROW=%u -DOM_PRODUCT=%d -DOM_WEIGH=%d -DOM_GROUP_LOW=%u -DOM_GROUP_HIGH=%u", e->row,
        e->spec.automaton != NULL, weigh, low, high);
    const om_recipe recipe = { source, options.text, weigh ? &WEIGH_SHAPE : PART_SHAPES,
        weigh ? 1 : (size_t) OM_K_PART_KERNELS };
    int rc = options.failed
                 ? om_fail_memory(e->ctx)
                 : om_device__program(e->pool.device, e->ctx, e->pool.control, &recipe, out);
    om_text_free(&options);
    return rc;
}

static int build_weigh(om_engine *e)
{
    om_text source;
    int rc = make_source(e, e->spec.aps, e->spec.ap_count, &source);
    if (rc == OM_OK)
        rc = build_groups(e, source.text, 0, 0, &e->weigh);
    om_text_free(&source);
    return rc;
}

/* Guards and effects, in parts where there are many transitions. */
static int build_parts(om_engine *e)
{
    om_text source;
    int rc = make_source(e, NULL, 0, &source);
    if (rc != OM_OK)
        goto done;
    uint32_t groups = macro_value(source.text, "OM_GROUPS");
    uint32_t transitions = macro_value(source.text, "OM_TRANSITIONS");
    uint32_t parts = (transitions + PART_TRANSITIONS - 1) / PART_TRANSITIONS;
    e->groups = groups == 0 ? 1 : groups;
    parts = parts == 0 ? 1 : parts > e->groups ? e->groups : parts;
    if ((e->parts = om_alloc(e->heap, parts, sizeof *e->parts)) == NULL) {
        rc = om_fail_memory(e->ctx);
        goto done;
    }
    e->part_count = parts;
    for (uint32_t i = 0; rc == OM_OK && i < parts; i++) {
        om_part *part = &e->parts[i];
        part->low = (uint32_t) ((uint64_t) e->groups * i / parts);
        part->high = (uint32_t) ((uint64_t) e->groups * (i + 1) / parts);
        rc = build_groups(e, source.text, part->low, part->high, &part->built);
    }
done:
    om_text_free(&source);
    return rc;
}

/* A buffer with these bytes in it. */
static int take_filled(om_engine *e, om_buffer *b, const void *from, size_t bytes)
{
    int rc = om_pool__take(&e->pool, b, bytes, 1);
    return rc == OM_OK ? om_pool__write(&e->pool, b, 0, from, bytes) : rc;
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
    const cl_ulong none = UINT64_MAX;
    int rc = load_automaton(e);
    if (rc == OM_OK && e->spec.accepting != NULL)
        rc = take_filled(e, &e->accepting, e->spec.accepting, e->automaton_states);
    if (rc == OM_OK)
        rc = om_pool__take(&e->pool, &e->sums, 2, sizeof(cl_ulong));
    if (rc == OM_OK)
        rc = om_pool__take(&e->pool, &e->taken, 1, sizeof(cl_uint));
    if (rc == OM_OK)
        rc = take_filled(e, &e->worst, &none, sizeof none);
    return rc;
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
    e->chunk = tuning->chunk;
    e->words = om_model_words(spec->model);
    e->row = e->words + (spec->automaton != NULL);
    int rc = om_pool__open(&e->pool, spec->device, ctx, spec->control);
    if (rc == OM_OK)
        rc = om_table__open(&e->table, &e->pool, e->row, tuning);
    if (rc == OM_OK)
        rc = build_parts(e);
    if (rc == OM_OK)
        rc = build_weigh(e);
    if (rc == OM_OK)
        rc = open_buffers(e);
    if (rc != OM_OK) {
        om_engine_close(e);
        return rc;
    }
    *out = e;
    return OM_OK;
}

int om_engine_open(om_engine **out, om_context *ctx, const om_engine_spec *spec)
{
    return om_engine__open(out, ctx, spec, &om_tuning_default);
}

void om_engine_close(om_engine *e)
{
    if (e == NULL)
        return;
    om_buffer *all[] = { &e->begin, &e->edges, &e->cubes, &e->wanted, &e->accepting, &e->degree,
        &e->masks, &e->labels, &e->matches, &e->sums, &e->worst, &e->taken, NULL };
    for (om_buffer **b = all; *b != NULL; b++)
        om_pool__give(&e->pool, *b);
    for (uint32_t i = 0; i < e->part_count; i++)
        om_device__release(e->pool.device, &e->parts[i].built);
    if (e->pool.device != NULL)
        om_device__release(e->pool.device, &e->weigh);
    om_table__close(&e->table);
    om_pool__close(&e->pool);
    om_free(e->heap, e->parts);
    om_free(e->heap, e);
}

/* ---- one chunk ---- */

static int chunk_room(om_engine *e, uint32_t n)
{
    int rc;
    if (n <= e->chunk_room)
        return OM_OK;
    e->chunk_room = 0;
    if ((rc = om_pool__grow(&e->pool, &e->masks, n, e->groups * sizeof(cl_ulong), 0)) != OM_OK ||
        (rc = om_pool__grow(&e->pool, &e->labels, n, sizeof(cl_ulong), 0)) != OM_OK ||
        (rc = om_pool__grow(&e->pool, &e->matches, n, sizeof(cl_uint), 0)) != OM_OK)
        return rc;
    e->chunk_room = n;
    return OM_OK;
}

static int run_guards(om_engine *e, const om_chunk *c)
{
    cl_uint listed = c->list != NULL, stride = e->chunk_room;
    const cl_mem *list = listed ? &c->list->mem : &e->taken.mem;
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < e->part_count; i++) {
        const om_part *part = &e->parts[i];
        om_arg args[] = { OM_MEM(e->table.rows), OM_ARG(c->first), OM_ARG(listed),
            { sizeof(cl_mem), list }, OM_ARG(c->n), OM_ARG(stride), OM_ARG(part->low),
            OM_MEM(e->masks), OM_MEM(e->worst) };
        rc = om_pool__run(&e->pool, part->built.kernels[OM_K_GUARDS], "om_k_guards", args, 9, c->n,
            part->high - part->low);
    }
    return rc;
}

static int run_weigh(om_engine *e, const om_chunk *c)
{
    cl_uint listed = c->list != NULL, stride = e->chunk_room, stutter = e->spec.stutter;
    const cl_mem *list = listed ? &c->list->mem : &e->taken.mem;
    om_arg args[] = { OM_MEM(e->table.rows), OM_ARG(c->first), OM_ARG(listed),
        { sizeof(cl_mem), list }, OM_ARG(c->n), OM_ARG(stride), OM_MEM(e->masks), OM_MEM(e->begin),
        OM_MEM(e->edges), OM_MEM(e->cubes), OM_ARG(stutter), OM_ARG(e->spec.deadlock_ap),
        OM_MEM(e->labels), OM_MEM(e->matches), OM_MEM(e->sums), OM_MEM(e->worst) };
    return om_pool__run(&e->pool, e->weigh.kernels[0], WEIGH_SHAPE.name, args, 16, c->n, 1);
}

static int run_expand(om_engine *e, const om_chunk *c)
{
    cl_uint listed = c->list != NULL, stride = e->chunk_room, stutter = e->spec.stutter;
    const cl_mem *list = listed ? &c->list->mem : &e->taken.mem;
    int rc = om_pool__zero(&e->pool, &e->taken, 0, sizeof(cl_uint));
    for (uint32_t i = 0; rc == OM_OK && i < e->part_count; i++) {
        const om_part *part = &e->parts[i];
        om_arg args[] = { OM_MEM(e->table.rows), OM_ARG(c->first), OM_ARG(listed),
            { sizeof(cl_mem), list }, OM_ARG(c->n), OM_ARG(stride), OM_ARG(part->low),
            OM_MEM(e->masks), OM_MEM(e->begin), OM_MEM(e->edges), OM_MEM(e->cubes), OM_ARG(stutter),
            OM_MEM(e->labels), OM_MEM(e->matches), OM_MEM(e->table.candidates),
            OM_MEM(e->table.from), OM_MEM(e->taken), OM_MEM(e->worst) };
        rc = om_pool__run(&e->pool, part->built.kernels[OM_K_EXPAND], "om_k_expand", args, 18, c->n,
            part->high - part->low);
    }
    return rc;
}

static int weigh(om_engine *e, om_chunk *c)
{
    cl_ulong sums[2] = { 0, 0 };
    int rc;
    if ((rc = chunk_room(e, c->n)) != OM_OK ||
        (rc = om_pool__zero(&e->pool, &e->sums, 0, sizeof sums)) != OM_OK ||
        (rc = run_guards(e, c)) != OM_OK || (rc = run_weigh(e, c)) != OM_OK ||
        (rc = om_pool__read(&e->pool, &e->sums, 0, sums, sizeof sums)) != OM_OK)
        return rc;
    c->candidates = sums[0];
    c->dead = sums[1];
    return OM_OK;
}

int om_engine__expand(om_engine *e, om_chunk *c)
{
    int rc;
    for (;;) {
        if ((rc = weigh(e, c)) != OM_OK)
            return rc;
        if (c->candidates <= e->tuning.most_candidates || c->n == 1)
            break;
        c->n /= 2;
    }
    if (c->candidates > UINT32_MAX / 2)
        return om_fail(e->ctx, OM_EUNSUPPORTED, NULL, "a state has more than 2^31 successors");
    uint64_t room = e->table.candidate_capacity;
    while (room < c->candidates)
        room *= 2;
    if ((rc = om_table__candidates(&e->table, (uint32_t) room)) != OM_OK)
        return rc;
    return run_expand(e, c);
}

int om_engine__blame(om_engine *e, const om_chunk *c, uint32_t *state, om_fault *fault)
{
    cl_ulong worst = 0;
    int rc = om_pool__read(&e->pool, &e->worst, 0, &worst, sizeof worst);
    if (rc != OM_OK || worst == UINT64_MAX)
        return rc;
    uint32_t i = (uint32_t) (worst >> 34);
    *fault = (om_fault) worst;
    if (c->list == NULL)
        *state = c->first + i;
    else if ((rc = om_pool__read(&e->pool, c->list, ((size_t) c->first + i) * sizeof *state, state,
                  sizeof *state)) != OM_OK)
        return rc;
    return OM_EMODEL;
}

void om_engine__pace(om_engine *e, uint32_t n, uint64_t since_ns)
{
    uint64_t took = om_clock_ns() - since_ns;
    if (took > LONG_NS && e->chunk / 2 >= SMALLEST_CHUNK)
        e->chunk /= 2;
    else if (took < SHORT_NS && n == e->chunk && e->chunk <= e->tuning.largest_chunk / 2)
        e->chunk *= 2;
}
