/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the memory accesses of kernels against kernels/access.txt, and counts them.
 *
 * Apart from atomics, a device does not guarantee when one work-item sees the writes of another in
 * the same launch. So in a launch
 *
 *  W1  a word that a work-item writes is neither read nor written by another;
 *  W2  a word that one changes by an atomic is accessed by others only by atomics;
 *  W3  a kernel accesses a buffer only as access.txt allows;
 *  W4  no word is read, by an atomic either, before it was written since the memory was taken.
 *
 * Work-items run one at a time (turns.c), so a trace of all threads is a plain list. Memory of a
 * work-group is not checked: barriers order its accesses.
 *
 * For each buffer of each kernel, the trace counts
 *
 *  C1  the 32-byte sectors that 32 adjacent work-items read and write in a launch, each once, as
 *      if a cache kept them that long and no longer;
 *  C2  the sectors that their loads and stores request, as if there were no cache: those of one
 *      instruction, each once. One instruction is what the 32 do in lock-step; as they are traced
 *      one after the other, it is the n-th arrival of each at that place in the code;
 *  C3  atomics that may change something, each of them.
 */
#include "access_trace.h"

#include "kernels.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { SECTOR = 32, SIDE_BY_SIDE = 32, MANY = -1, ACCESSES = OM_HOST_ATOMIC_WRITE + 1 };
enum { LEAST = 1 << 12 };

/* A word or a sector that was accessed in a launch, a place in the code that a work-item reached,
 * or a sector that was requested there. */
typedef struct entry {
    uint64_t key;
    uint64_t launch;      /* 0 if the entry is empty */
    int32_t by[ACCESSES]; /* of a word: 1 + the work-item with such an access; 0: none; MANY */
    uint32_t times;       /* arrivals at a place */
    bool read, written;   /* of a sector */
} entry;

/* A hash table with open addressing; entries of earlier launches count as empty. */
typedef struct table {
    entry *entries;
    size_t capacity, count; /* of this launch */
    uint64_t launch;
} table;

struct om_access_trace {
    const om_heap *heap;
    table words, sectors, places, requested;
    om_device_costs costs;
    char wrong[256]; /* the first violation; or empty */
    atomic_bool bad; /* there is a violation */
};

om_access_trace *om_access_trace__open(const om_heap *heap)
{
    om_access_trace *t = om_alloc(heap, 1, sizeof *t);
    if (t != NULL)
        t->heap = heap;
    return t;
}

void om_access_trace__close(om_access_trace *t)
{
    if (t == NULL)
        return;
    om_free(t->heap, t->words.entries);
    om_free(t->heap, t->sectors.entries);
    om_free(t->heap, t->places.entries);
    om_free(t->heap, t->requested.entries);
    om_free(t->heap, t);
}

bool om_access_trace__bad(const om_access_trace *t)
{
    /* Relaxed: a thread that reads the message waits for the stream first. */
    return atomic_load_explicit(&t->bad, memory_order_relaxed);
}

const char *om_access_trace__wrong(const om_access_trace *t)
{
    return t->wrong[0] == '\0' ? NULL : t->wrong;
}

const om_device_costs *om_access_trace__costs(const om_access_trace *t)
{
    return &t->costs;
}

/* ---- tables ---- */

static entry *place_of(const table *t, uint64_t key)
{
    size_t at = (size_t) (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->capacity - 1);
    while (t->entries[at].launch == t->launch && t->entries[at].key != key)
        at = (at + 1) & (t->capacity - 1);
    return &t->entries[at];
}

static bool grow(table *t, const om_heap *heap)
{
    table more = { .capacity = t->capacity == 0 ? LEAST : 2 * t->capacity,
        .count = t->count,
        .launch = t->launch };
    more.entries = om_alloc(heap, more.capacity, sizeof *more.entries);
    if (more.entries == NULL)
        return false;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->entries[i].launch == t->launch)
            *place_of(&more, t->entries[i].key) = t->entries[i];
    om_free(heap, t->entries);
    *t = more;
    return true;
}

/* Returns the entry of a key in this launch (numbered from 1), made if it is new; NULL if memory
 * runs out. */
static entry *find(table *t, const om_heap *heap, uint64_t launch, uint64_t key)
{
    if (t->launch != launch) {
        t->launch = launch;
        t->count = 0;
    }
    if (2 * t->count >= t->capacity && !grow(t, heap))
        return NULL;
    entry *e = place_of(t, key);
    if (e->launch != launch) {
        *e = (entry){ .key = key, .launch = launch };
        t->count++;
    }
    return e;
}

/* find() in one of the trace's own tables; a lack of memory is recorded as a violation. */
static entry *entry_of(om_access_trace *t, table *of, const om_traced_launch *l, uint64_t key)
{
    entry *e = find(of, t->heap, l->number, key);
    if (e == NULL && t->wrong[0] == '\0')
        (void) snprintf(t->wrong, sizeof t->wrong, "out of memory for the trace of accesses");
    return e;
}

/* ---- rules ---- */

/* Returns the rights ("r", "wa", ...) of argument `number` of a kernel, and its name; NULL if
 * access.txt does not list it. */
static const char *rights_of(const char *kernel, size_t number, const char **name, size_t *length)
{
    const size_t word = strlen(kernel);
    for (const char *line = om_kernel__access; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (strncmp(line, kernel, word) == 0 && line[word] == ':') {
            const char *at = line + word;
            for (size_t i = 0; at != NULL && at < end; i++, at = strchr(at + 1, ' ')) {
                if (i != number + 1)
                    continue;
                *name = at + 1;
                *length = strcspn(*name, "=");
                return *name + *length + 1;
            }
            return NULL;
        }
        line = end == NULL ? NULL : end + 1;
    }
    return NULL;
}

static const char *const words_for[ACCESSES] = { "reads", "writes", "reads atomically",
    "changes atomically" };

/* An accessed buffer. */
typedef struct touched {
    om_memory *memory; /* NULL if it is not a buffer of the launch */
    size_t number;     /* its number among the kernel's buffers */
    const char *name;  /* its name in access.txt, `length` bytes */
    size_t length;
    bool allowed; /* the access is allowed */
} touched;

/* Finds the buffer of the launch that contains the address, and whether the kernel may access it
 * so. */
static touched judge(const om_traced_launch *l, uintptr_t at, om_host_access what)
{
    static const char letter[ACCESSES] = { 'r', 'w', 'a', 'a' };
    touched found = { .name = "?", .length = 1 };
    size_t number = 0;
    for (size_t i = 0; l->shape->args[i] != '\0'; i++) {
        if (l->shape->args[i] != 'm' && l->shape->args[i] != 'n')
            continue;
        om_memory *m = l->memory[i];
        number += l->shape->args[i] == 'm';
        const size_t n = number - 1;
        if (at < (uintptr_t) m->bytes || at - (uintptr_t) m->bytes >= m->size)
            continue;
        const char *rights = rights_of(l->shape->name, n, &found.name, &found.length);
        found.memory = m;
        found.number = n;
        for (; rights != NULL && *rights > ' '; rights++)
            found.allowed = found.allowed || *rights == letter[what];
        if (found.allowed)
            break;
    }
    return found;
}

/* ---- accesses ---- */

/* Returns the counts of a buffer. */
static om_traffic *traffic_of(om_access_trace *t, const om_traced_launch *l, const touched *b)
{
    om_kernel_cost *c = om_device__cost_of(&t->costs, l->shape->name);
    size_t i = b->number < OM_COST_BUFFERS ? b->number : OM_COST_BUFFERS - 1;
    if (c->buffers[i].name[0] == '\0')
        (void) snprintf(
            c->buffers[i].name, sizeof c->buffers[i].name, "%.*s", (int) b->length, b->name);
    return &c->buffers[i].traffic;
}

/* C1: addresses have 47 bits, and there are fewer than 2^17 work-items. */
static void count_sector(om_access_trace *t, const om_traced_launch *l, unsigned id,
    uintptr_t sector, om_host_access what, om_traffic *c)
{
    const uint64_t key = (uint64_t) sector << 17 | (uint64_t) (id / SIDE_BY_SIDE);
    entry *e = entry_of(t, &t->sectors, l, key);
    bool write = what == OM_HOST_WRITE || what == OM_HOST_ATOMIC_WRITE,
         read = what != OM_HOST_WRITE;
    if (e == NULL)
        return;
    c->read += read && !e->read;
    c->written += write && !e->written;
    e->read = e->read || read;
    e->written = e->written || write;
}

/* C2: returns a hash that identifies an instruction of 32 work-items in lock-step. (A collision,
 * all but impossible with 64 bits, would count a sector too few.) */
static uint64_t lock_step(
    om_access_trace *t, const om_traced_launch *l, unsigned id, const void *site)
{
    const uint64_t code = (uint64_t) (uintptr_t) site << 17;
    entry *e = entry_of(t, &t->places, l, code | id);
    uint64_t times = e == NULL ? 0 : e->times++;
    om_random mixed = { (code | (uint64_t) (id / SIDE_BY_SIDE)) ^ times << 48 ^ times >> 16 };
    return om_random_next(&mixed);
}

static void count(om_access_trace *t, const om_traced_launch *l, unsigned id, const touched *b,
    const om_host_touch *touch)
{
    /* A device's memory begins at the start of a sector. */
    const uintptr_t base = (uintptr_t) b->memory->bytes, offset = (uintptr_t) touch->at - base,
                    last = (offset + touch->bytes - 1) / SECTOR;
    const bool changes = touch->what == OM_HOST_ATOMIC_WRITE;
    const uint64_t step = changes ? 0 : lock_step(t, l, id, touch->site);
    om_traffic *c = traffic_of(t, l, b);
    c->atomics += changes;
    for (uintptr_t s = offset / SECTOR; s <= last; s++) {
        const uintptr_t sector = base + s * SECTOR;
        count_sector(t, l, id, sector, touch->what, c);
        entry *e = changes ? NULL : entry_of(t, &t->requested, l, step ^ sector);
        if (e == NULL || e->times++ != 0)
            continue;
        c->asked_read += touch->what != OM_HOST_WRITE;
        c->asked_written += touch->what == OM_HOST_WRITE;
    }
}

static bool others(const entry *e, om_host_access what, unsigned id)
{
    return e->by[what] != 0 && e->by[what] != (int32_t) id + 1;
}

/* W1 and W2: returns a kind of access to the word by other work-items that conflicts with this one,
 * or ACCESSES. */
static unsigned clash(const entry *e, unsigned id, om_host_access what)
{
    if (others(e, OM_HOST_WRITE, id))
        return OM_HOST_WRITE;
    if ((what == OM_HOST_READ || what == OM_HOST_WRITE) && others(e, OM_HOST_ATOMIC_WRITE, id))
        return OM_HOST_ATOMIC_WRITE;
    if ((what == OM_HOST_WRITE || what == OM_HOST_ATOMIC_WRITE) && others(e, OM_HOST_READ, id))
        return OM_HOST_READ;
    if (what == OM_HOST_WRITE && others(e, OM_HOST_ATOMIC_READ, id))
        return OM_HOST_ATOMIC_READ;
    return ACCESSES;
}

static void note(om_host_access what, unsigned id, entry *e)
{
    int32_t me = (int32_t) id + 1;
    e->by[what] = e->by[what] == 0 || e->by[what] == me ? me : MANY;
}

/* Checks an access of work-item `id` against those of others (W1, W2). */
static void check_against_others(om_access_trace *t, const om_traced_launch *l, unsigned id,
    const touched *b, const om_host_touch *touch)
{
    const uintptr_t at = (uintptr_t) touch->at, last = (at + touch->bytes - 1) / 4;
    for (uintptr_t word = at / 4; word <= last && t->wrong[0] == '\0'; word++) {
        entry *e = entry_of(t, &t->words, l, word);
        unsigned other = e == NULL ? ACCESSES : clash(e, id, touch->what);
        if (other != ACCESSES)
            (void) snprintf(t->wrong, sizeof t->wrong,
                "%s: work-item %u %s %.*s, at byte %llu, which another work-item %s in the same "
                "launch",
                l->shape->name, id, words_for[touch->what], (int) b->length, b->name,
                (unsigned long long) (at - (uintptr_t) b->memory->bytes), words_for[other]);
        else if (e != NULL)
            note(touch->what, id, e);
    }
}

/* Checks W4, and records the bytes written. */
static void check_against_past(om_access_trace *t, const om_traced_launch *l, unsigned id,
    const touched *b, const om_host_touch *touch)
{
    const size_t at = (size_t) ((uintptr_t) touch->at - (uintptr_t) b->memory->bytes),
                 left = b->memory->size - at, bytes = touch->bytes < left ? touch->bytes : left;
    const size_t unknown = om_host__find_unwritten(b->memory, at, bytes);
    if (!touch->blind && unknown < at + bytes && t->wrong[0] == '\0')
        (void) snprintf(t->wrong, sizeof t->wrong,
            "%s: work-item %u %s %.*s, at byte %zu, which was never written", l->shape->name, id,
            words_for[touch->what], (int) b->length, b->name, unknown);
    if (touch->what == OM_HOST_WRITE || touch->what == OM_HOST_ATOMIC_WRITE)
        om_host__mark_written(b->memory, at, bytes);
}

void om_access_trace__access(const om_traced_launch *l, unsigned id, const om_host_touch *touch)
{
    om_access_trace *t = l->trace;
    const uintptr_t at = (uintptr_t) touch->at;
    const touched b = judge(l, at, touch->what);
    if (b.memory == NULL || t->wrong[0] != '\0')
        return;
    if (!b.allowed)
        (void) snprintf(t->wrong, sizeof t->wrong, "%s %s %.*s, at byte %llu, which is not allowed",
            l->shape->name, words_for[touch->what], (int) b.length, b.name,
            (unsigned long long) (at - (uintptr_t) b.memory->bytes));
    check_against_others(t, l, id, &b, touch);
    check_against_past(t, l, id, &b, touch);
    count(t, l, id, &b, touch);
    if (t->wrong[0] != '\0')
        atomic_store_explicit(&t->bad, true, memory_order_relaxed);
}

void om_access_trace__launched(const om_traced_launch *l)
{
    om_device__cost_of(&l->trace->costs, l->shape->name)->launches++;
}
