/* SPDX-License-Identifier: Apache-2.0 */
/*
 * promela_count MODEL [MOST [FRONTEND]]: the size of a Promela model's state space as SPIN counts
 * it.
 *
 * Prints "stored S states N deadlocks D fault F": S of the N states are not in the middle of an
 * atomic sequence, D have no successor, F is the kind of the first fault. F is 0 if there is none;
 * otherwise the numbers cannot be compared, because states with a fault are not expanded. Prints
 * "large" if there are more than MOST states, and "refused: MESSAGE" if the model cannot be read.
 * FRONTEND is as omen takes it: "promela:...".
 */
#include <omen/host/load.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The states in the order in which they were found, and an index of them */
typedef struct store {
    const om_heap *heap;
    uint32_t words;
    uint32_t *rows;
    size_t count, room;
    uint32_t *index; /* state + 1, or 0 */
    size_t slots;    /* a power of two */
} store;

typedef struct size {
    uint64_t stored, deadlocks;
    om_fault fault;
} size;

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

/* Expands state i. Returns false if memory runs out. */
static bool expand(const om_executor *x, store *s, size_t i, uint32_t *row, om_successors *next,
    const om_slot *atomic, size *out)
{
    memcpy(row, s->rows + i * s->words, s->words * sizeof *s->rows);
    out->stored += atomic == NULL || om_slot_get(atomic, row, 0) == 0;
    if (om_executor_successors(x, row, next) != OM_OK)
        return false;
    if (next->fault != 0) {
        out->fault = out->fault == 0 ? next->fault : out->fault;
        return true;
    }
    out->deadlocks += next->count == 0;
    for (size_t k = 0; k < next->count; k++)
        if (!intern(s, next->words + k * s->words))
            return false;
    return true;
}

static int explore(om_context *ctx, om_model *m, size_t most)
{
    const om_heap *heap = om_context_heap(ctx);
    om_executor *x = NULL;
    om_successors next = { .heap = heap };
    store s = { .heap = heap, .words = om_model_words(m) };
    size found = { 0 };
    uint32_t slot = om_model_find_slot(m, "_atomic");
    uint32_t *row = om_alloc(heap, s.words, sizeof *row);
    int rc = row == NULL ? OM_ENOMEM : om_executor_open(&x, m, OM_EXEC_VM, NULL, 0);
    if (rc == OM_OK) {
        x->initial(x, row);
        rc = intern(&s, row) ? OM_OK : OM_ENOMEM;
    }
    for (size_t i = 0; rc == OM_OK && i < s.count && s.count <= most; i++)
        if (!expand(x, &s, i, row, &next, slot == OM_NONE ? NULL : om_model_slot(m, slot), &found))
            rc = OM_ENOMEM;
    if (rc == OM_OK && s.count > most)
        (void) printf("large\n");
    else if (rc == OM_OK)
        (void) printf("stored %llu states %zu deadlocks %llu fault %u\n",
            (unsigned long long) found.stored, s.count, (unsigned long long) found.deadlocks,
            (unsigned) OM_FAULT_KIND(found.fault));
    if (rc == OM_OK && found.fault != 0) {
        (void) om_model_fault(m, found.fault);
        (void) printf("%s\n", om_context_error(ctx));
    }
    om_successors_free(&next);
    om_executor_close(x);
    om_free(heap, row);
    om_free(heap, s.rows);
    om_free(heap, s.index);
    return rc;
}

int main(int argc, char **argv)
{
    om_context *ctx = NULL;
    om_registry *registry = NULL;
    om_model *m = NULL;
    size_t most = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000000;
    if (argc < 2)
        return 1;
    int rc = om_context_new(&ctx, NULL);
    if (rc == OM_OK)
        rc = om_registry_new(&registry, ctx);
    if (rc == OM_OK) {
        rc = om_frontend_load(ctx, registry, argc > 3 ? argv[3] : "promela", argv[1], NULL, &m);
        if (rc == OM_EUNSUPPORTED || rc == OM_EINPUT)
            (void) printf("refused: %s\n", om_context_error(ctx));
    }
    if (rc == OM_OK)
        rc = explore(ctx, m, most);
    if (rc != OM_OK && rc != OM_EUNSUPPORTED && rc != OM_EINPUT)
        (void) fprintf(stderr, "%s\n", ctx == NULL ? "no context" : om_context_error(ctx));
    om_model_free(m);
    om_registry_free(registry);
    om_context_free(ctx);
    return rc == OM_OK || rc == OM_EUNSUPPORTED || rc == OM_EINPUT ? 0 : 2;
}
