/* SPDX-License-Identifier: Apache-2.0 */
#include "explore.h"

#include <stdio.h>
#include <string.h>

const om_frontend *dve_frontend(const om_registry *r)
{
    for (size_t i = 0; i < om_registry_count(r); i++) {
        const om_plugin_entry *e = om_registry_entry(r, i);
        if (e->plugin != NULL && e->plugin->kind == OM_PLUGIN_FRONTEND &&
            strcmp(e->plugin->name, "dve") == 0)
            return (const om_frontend *) (const void *) e->plugin;
        if (e->plugin == NULL)
            (void) fprintf(stderr, "%s: %s\n", e->path, e->reason);
    }
    return NULL;
}

/* The states in the order in which they were found, and an index of them */
typedef struct store {
    const om_heap *heap;
    uint32_t words;
    uint32_t *rows;
    size_t count, room;
    uint32_t *index; /* state + 1, or 0 */
    size_t slots;    /* a power of two */
} store;

static size_t hash(const uint32_t *row, uint32_t words)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < words; i++) {
        h = (h ^ row[i]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (size_t) h;
}

static size_t probe(const store *s, const uint32_t *row)
{
    size_t mask = s->slots - 1, i = hash(row, s->words) & mask;
    if (s->rows == NULL) /* no state is stored yet */
        return i;
    while (s->index[i] != 0 && memcmp(s->rows + (size_t) (s->index[i] - 1) * s->words, row,
                                   s->words * sizeof *s->rows) != 0)
        i = (i + 1) & mask;
    return i;
}

static bool grow_index(store *s)
{
    uint32_t *old = s->index;
    size_t n = s->slots;
    s->slots = n == 0 ? 1024 : n * 2;
    s->index = om_alloc(s->heap, s->slots, sizeof *s->index);
    if (s->index == NULL) {
        s->index = old;
        s->slots = n;
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (old[i] != 0)
            s->index[probe(s, s->rows + (size_t) (old[i] - 1) * s->words)] = old[i];
    om_free(s->heap, old);
    return true;
}

static bool intern(store *s, const uint32_t *row)
{
    if (s->count * 2 >= s->slots && !grow_index(s))
        return false;
    size_t i = probe(s, row);
    if (s->index[i] != 0)
        return true;
    uint32_t *rows = om_grow(s->heap, s->rows, &s->room, s->count + 1, s->words * sizeof *s->rows);
    if (rows == NULL)
        return false;
    s->rows = rows;
    memcpy(rows + s->count * s->words, row, s->words * sizeof *s->rows);
    s->index[i] = (uint32_t) ++s->count;
    return true;
}

/* Expands states [from, to). Returns false if memory runs out. */
static bool expand(const om_executor *x, store *s, size_t from, size_t to, uint32_t *row,
    om_successors *next, dve_size *out)
{
    for (size_t i = from; i < to; i++) {
        memcpy(row, s->rows + i * s->words, s->words * sizeof *s->rows);
        if (om_executor_successors(x, row, next) != OM_OK)
            return false;
        if (next->fault != 0) {
            out->fault = out->fault == 0 ? next->fault : out->fault;
            continue;
        }
        out->transitions += next->count;
        out->deadlocks += next->count == 0;
        for (size_t k = 0; k < next->count; k++)
            if (!intern(s, next->words + k * s->words))
                return false;
    }
    return true;
}

/* Explores while there are at most `most` states; *found: a state satisfies the goal, if any. */
static int search(
    om_context *ctx, om_model *m, const om_expr *goal, uint64_t most, dve_size *out, bool *found)
{
    const om_heap *heap = om_context_heap(ctx);
    om_executor *x = NULL;
    om_successors next = { .heap = heap };
    store s = { .heap = heap, .words = om_model_words(m) };
    uint32_t *row = om_alloc(heap, s.words, sizeof *row);
    *out = (dve_size){ 0 };
    int rc = row == NULL ? OM_ENOMEM : om_executor_open(&x, m, OM_EXEC_VM, goal, goal != NULL);
    if (rc == OM_OK) {
        x->initial(x, row);
        rc = intern(&s, row) ? OM_OK : OM_ENOMEM;
    }
    for (size_t from = 0, to; rc == OM_OK && from < s.count && s.count <= most; from = to) {
        to = s.count;
        out->levels++;
        for (size_t i = from; goal != NULL && i < to && !*found; i++) {
            om_fault fault = 0;
            *found = x->labels(x, s.rows + i * s.words, &fault) != 0;
        }
        rc = expand(x, &s, from, to, row, &next, out) ? OM_OK : OM_ENOMEM;
    }
    out->states = s.count;
    om_successors_free(&next);
    om_executor_close(x);
    om_free(heap, row);
    om_free(heap, s.rows);
    om_free(heap, s.index);
    return rc;
}

int dve_explore(om_context *ctx, om_model *m, uint64_t most, dve_size *out)
{
    bool found = false;
    return search(ctx, m, NULL, most, out, &found);
}

int dve_reaches(om_context *ctx, om_model *m, om_expr goal, bool *found)
{
    dve_size size;
    *found = false;
    return search(ctx, m, &goal, UINT32_MAX / 2, &size, found);
}
