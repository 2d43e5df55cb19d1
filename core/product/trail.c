/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of ids, and an open-addressing table from id to position with linear probing.
 *
 * Invariant T1: the table is what comes of putting the ids of the list into an empty table in the
 * order of the list. Taking the last one away restores the table as it was before that came, so a
 * slot may simply be emptied; no other entry was ever probed past it.
 */
#include <omen/trail.h>

#include <assert.h>
#include <string.h>

enum { SLOTS_LEAST = 64 };

typedef struct slot {
    uint64_t key; /* id + 1; 0 is empty */
    uint64_t position;
} slot;

struct om_trail {
    om_context *ctx;
    const om_heap *heap;
    om_id *ids;
    size_t count, room;
    slot *slots;
    size_t mask; /* number of slots - 1; at least half of them are empty */
};

int om_trail_new(om_trail **out, om_context *ctx)
{
    om_trail *t = om_alloc(om_context_heap(ctx), 1, sizeof *t);
    if (t == NULL)
        return om_fail_memory(ctx);
    t->ctx = ctx;
    t->heap = om_context_heap(ctx);
    t->slots = om_alloc(t->heap, SLOTS_LEAST, sizeof *t->slots);
    t->mask = SLOTS_LEAST - 1;
    if (t->slots == NULL) {
        om_trail_free(t);
        return om_fail_memory(ctx);
    }
    *out = t;
    return OM_OK;
}

void om_trail_free(om_trail *t)
{
    if (t == NULL)
        return;
    om_free(t->heap, t->ids);
    om_free(t->heap, t->slots);
    om_free(t->heap, t);
}

uint64_t om_trail_size(const om_trail *t)
{
    return t->count;
}

uint64_t om_trail_bytes(const om_trail *t)
{
    return t->room * sizeof *t->ids + (t->mask + 1) * sizeof *t->slots;
}

const om_id *om_trail_ids(const om_trail *t)
{
    return t->ids;
}

/* Four slots are a cache line; four successive ids, which often come together, share one. */
static size_t home(const om_trail *t, om_id id)
{
    uint64_t hash = (id >> 2) * 0x9e3779b97f4a7c15u;
    return ((size_t) (hash >> 22) & t->mask & ~(size_t) 3) | (size_t) (id & 3);
}

void om_trail_fetch(const om_trail *t, om_id id)
{
    __builtin_prefetch(&t->slots[home(t, id)]);
}

/* The slot of an id, or the empty one where it would be. */
static size_t probe(const om_trail *t, om_id id)
{
    size_t at = home(t, id);
    while (t->slots[at].key != 0 && t->slots[at].key != id + 1)
        at = (at + 1) & t->mask;
    return at;
}

uint64_t om_trail_find(const om_trail *t, om_id id)
{
    const slot *s = &t->slots[probe(t, id)];
    return s->key == 0 ? OM_NO_ID : s->position;
}

static int grow_table(om_trail *t)
{
    size_t count = 2 * (t->mask + 1);
    slot *slots = om_alloc(t->heap, count, sizeof *slots);
    if (slots == NULL)
        return om_fail_memory(t->ctx);
    om_free(t->heap, t->slots);
    t->slots = slots;
    t->mask = count - 1;
    for (size_t i = 0; i < t->count; i++) /* T1 */
        slots[probe(t, t->ids[i])] = (slot){ t->ids[i] + 1, i };
    return OM_OK;
}

int om_trail_push(om_trail *t, om_id id)
{
    if (2 * (t->count + 1) > t->mask + 1) {
        int rc = grow_table(t);
        if (rc != OM_OK)
            return rc;
    }
    om_id *ids = om_grow(t->heap, t->ids, &t->room, t->count + 1, sizeof *ids);
    if (ids == NULL)
        return om_fail_memory(t->ctx);
    t->ids = ids;
    size_t at = probe(t, id);
    assert(t->slots[at].key == 0);
    t->slots[at] = (slot){ id + 1, t->count };
    ids[t->count++] = id;
    return OM_OK;
}

void om_trail_cut(om_trail *t, uint64_t size)
{
    while (t->count > size) {
        size_t at = probe(t, t->ids[--t->count]);
        assert(t->slots[at].position == t->count);
        t->slots[at].key = 0; /* T1 */
    }
}
