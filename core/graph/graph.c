/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State graphs. The states are stored already; one breadth-first walk over them by one cursor
 * numbers them independently of the order in which they were stored. Edges are those that the
 * exploration counts: one for each enabled transition, even if several lead to the same state.
 */
#include "graph.h"

#include "progress.h"
#include "graph_formats.h"
#include "product.h"

#include <assert.h>
#include <string.h>

#define NAME(name) #name,
#define FORMAT(name) &om_graph__##name,
static const char *const names[] = { OM_GRAPH_FORMATS(NAME) };
static const om_graph_format *const formats[] = { OM_GRAPH_FORMATS(FORMAT) };
enum { COUNT = sizeof names / sizeof *names, REPORT_EVERY = 1024 };

const char *const *om_graph_formats(size_t *count)
{
    *count = COUNT;
    return names;
}

const char *om_graph_format_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot != NULL && dot != file && i < COUNT; i++)
        if (strcmp(dot + 1, names[i]) == 0)
            return names[i];
    return NULL;
}

void om_graph__put_label(const om_model *m, uint32_t transition, om_text *out)
{
    const char *label = om_model_transition(m, transition)->label;
    if (label == NULL)
        om_text_printf(out, "transition %" PRIu32, transition);
    else
        om_text_add(out, label);
}

typedef struct walk {
    om_context *ctx;
    const om_heap *heap;
    om_product *product;
    const om_executor *executor;
    om_cursor *cursor;
    om_side *numbers; /* per id: its number + 1; 0: none yet */
    om_id *queue;     /* by number: the ids numbered so far */
    uint64_t numbered, most, edges;
    uint32_t *vector;
    om_successors next;
    om_graph_edge *out_edges;
    size_t edge_capacity;
} walk;

static int open_walk(walk *w)
{
    w->next.heap = w->heap;
    w->queue = om_alloc(w->heap, w->most, sizeof *w->queue);
    w->vector = om_alloc(w->heap, om_product_words(w->product), sizeof *w->vector);
    if (w->queue == NULL || w->vector == NULL)
        return om_fail_memory(w->ctx);
    int rc = om_cursor__open(&w->cursor, w->product, 0);
    return rc == OM_OK ? om_side_new(&w->numbers, w->product, sizeof(uint64_t)) : rc;
}

static void close_walk(walk *w)
{
    om_side_free(w->numbers);
    om_cursor__close(w->cursor);
    om_successors_free(&w->next);
    om_free(w->heap, w->out_edges);
    om_free(w->heap, w->vector);
    om_free(w->heap, w->queue);
}

static int other_graph(const walk *w)
{
    return om_fail(w->ctx, OM_EINTERNAL, NULL,
        "the state graph differs from the explored one: %" PRIu64 " states and %" PRIu64
        " edges were visited so far",
        w->numbered, w->edges);
}

/* Gives the number of a model state, which is stored. */
static int number_of(walk *w, const uint32_t *vector, uint64_t *out)
{
    om_id id;
    bool fresh = false;
    int rc = om_cursor_intern(w->cursor, vector, &id, &fresh);
    if (rc != OM_OK)
        return rc;
    uint64_t *number = om_side_at(w->numbers, id);
    if (number == NULL)
        return om_fail_memory(w->ctx);
    if (fresh || (*number == 0 && w->numbered == w->most))
        return other_graph(w);
    if (*number == 0) {
        w->queue[w->numbered++] = id;
        *number = w->numbered;
    }
    *out = *number - 1;
    return OM_OK;
}

/* Finds the edges of the state in w->vector. */
static int find_edges(walk *w, om_graph_state *s)
{
    int rc = om_executor_successors(w->executor, w->vector, &w->next);
    if (rc == OM_ENOMEM)
        return om_fail_memory(w->ctx);
    if (rc != OM_OK)
        return rc;
    size_t n = w->next.count;
    if (w->next.fault != 0) /* an exploration ends at a fault */
        return other_graph(w);
    om_graph_edge *edges = om_grow(w->heap, w->out_edges, &w->edge_capacity, n + 1, sizeof *edges);
    if (edges == NULL)
        return om_fail_memory(w->ctx);
    w->out_edges = edges;
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        edges[i].transition = w->next.transition[i];
        rc = number_of(w, w->next.words + i * w->next.stride, &edges[i].to);
    }
    w->edges += n;
    s->edges = edges;
    s->edge_count = n;
    return rc;
}

static int walk_all(walk *w, const om_graph *g, const om_graph_format *f, om_text *out)
{
    uint64_t initial;
    w->executor->initial(w->executor, w->vector);
    int rc = number_of(w, w->vector, &initial);
    for (uint64_t at = 0; rc == OM_OK && at < w->numbered; at++) {
        om_graph_state s = { .number = at, .vector = w->vector };
        om_cursor_vector(w->cursor, w->queue[at], w->vector);
        rc = find_edges(w, &s);
        if (rc == OM_OK)
            f->state(g, &s, out);
        if (rc == OM_OK)
            rc = om_text_status(out);
        if (rc == OM_OK)
            rc = om_context_stopped(w->ctx);
        if (at % REPORT_EVERY == 0)
            om_stage__at(w->ctx, at);
    }
    if (rc == OM_OK && (w->numbered != g->states || w->edges != g->edges))
        rc = other_graph(w);
    return rc;
}

int om_graph__write(om_context *ctx, om_product *product, uint64_t states, uint64_t edges,
    const char *format, om_text *out)
{
    const om_executor *x = om_product_spec_of(product)->executor;
    const om_graph g = { x->model, states, edges };
    walk w = {
        .ctx = ctx, .heap = om_context_heap(ctx), .product = product, .executor = x, .most = states
    };
    size_t i = 0;

    assert(om_product_spec_of(product)->automaton == NULL);
    while (i < COUNT && strcmp(names[i], format) != 0)
        i++;
    if (i == COUNT)
        return om_fail(ctx, OM_EINVAL, NULL, "there is no format '%s' for state graphs", format);
    int rc = open_walk(&w);
    if (rc == OM_OK) {
        formats[i]->begin(&g, out);
        om_stage__begin(ctx, "states written", states);
        rc = walk_all(&w, &g, formats[i], out);
        om_stage__end(ctx);
    }
    if (rc == OM_OK) {
        formats[i]->end(&g, out);
        rc = om_text_status(out);
    }
    close_walk(&w);
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
}
