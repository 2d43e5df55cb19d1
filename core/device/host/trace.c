/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels read and write, held against kernels/access.txt, and counted.
 *
 * A device promises nothing about when one work-item sees what another wrote in the same launch,
 * but for atomics. So in a launch
 *
 *  W1  a word that a work-item writes is neither read nor written by another;
 *  W2  a word that one changes by an atomic, others touch by atomics alone;
 *  W3  a kernel does no more with a buffer than it says.
 *
 * Work-items run one at a time (turns.c), which is what makes a trace of threads a plain list.
 * Memory of a work-group is not looked at: barriers order that.
 *
 * Counted are, for each kernel, the 32-byte sectors that 32 work-items side by side read and write
 * in a launch, each once, as if a cache kept them for so long and no longer; and atomics, each of
 * them.
 */
#include "host.h"
#include "kernels.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { SECTOR = 32, SIDE_BY_SIDE = 32, MANY = -1, ACCESSES = OM_HOST_ATOMIC_WRITE + 1 };
enum { LEAST = 1 << 12 };

/* A word or a sector that was touched in a launch. */
typedef struct entry {
    uintptr_t key; /* 0: none */
    uint64_t launch;
    int32_t by[ACCESSES]; /* of a word: 1 + the work-item that did so; 0: none; MANY */
    bool read, written;   /* of a sector */
} entry;

/* Open addressing; entries of earlier launches are as good as empty. */
typedef struct table {
    entry *entries;
    size_t capacity, count; /* of this launch */
    uint64_t launch;
} table;

struct om_trace {
    const om_heap *heap;
    table words, sectors;
    om_host_count counts[OM_HOST_KERNELS];
    size_t kernels;
    char wrong[256]; /* the first thing; or empty */
    atomic_bool bad; /* there is one */
};

om_trace *om_trace__open(const om_heap *heap)
{
    om_trace *t = om_alloc(heap, 1, sizeof *t);
    if (t != NULL)
        t->heap = heap;
    return t;
}

void om_trace__close(om_trace *t)
{
    if (t == NULL)
        return;
    om_free(t->heap, t->words.entries);
    om_free(t->heap, t->sectors.entries);
    om_free(t->heap, t);
}

bool om_trace__bad(const om_trace *t)
{
    /* relaxed: who wants to know what it is waits for the stream. */
    return atomic_load_explicit(&t->bad, memory_order_relaxed);
}

const char *om_trace__wrong(const om_trace *t)
{
    return t->wrong[0] == '\0' ? NULL : t->wrong;
}

const om_host_count *om_trace__counts(const om_trace *t, size_t *count)
{
    *count = t->kernels;
    return t->counts;
}

/* ---- tables ---- */

static entry *place_of(const table *t, uintptr_t key)
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

/* The entry of a key in this launch (numbered from 1), made if it is new; NULL: no memory. */
static entry *find(table *t, const om_heap *heap, uint64_t launch, uintptr_t key)
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

/* ---- what is allowed ---- */

/* "r", "wa", ... of argument number i of a kernel, with its name; NULL: access.txt has none. */
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

static const char *const words_for[ACCESSES] = { "reads", "writes", "reads by an atomic",
    "changes by an atomic" };

/* Does a buffer of the launch have the address, and may the kernel do that with it? *name is what
 * it is called there. NULL: no buffer has it. */
static const om_memory *judge(const om_traced_launch *l, uintptr_t at, om_host_access what,
    const char **name, size_t *length, bool *allowed)
{
    static const char letter[ACCESSES] = { 'r', 'w', 'a', 'a' };
    const om_memory *found = NULL;
    size_t number = 0;
    *allowed = false;
    for (size_t i = 0; l->shape->args[i] != '\0'; i++) {
        if (l->shape->args[i] != 'm')
            continue;
        const om_memory *m = l->memory[i];
        size_t n = number++;
        if (at < (uintptr_t) m->bytes || at - (uintptr_t) m->bytes >= m->size)
            continue;
        const char *rights = rights_of(l->shape->name, n, name, length);
        found = m;
        for (; rights != NULL && *rights > ' '; rights++)
            *allowed = *allowed || *rights == letter[what];
        if (*allowed)
            break;
    }
    return found;
}

/* ---- accesses ---- */

static om_host_count *count_of(om_trace *t, const char *kernel)
{
    size_t i = 0;
    while (i < t->kernels && strcmp(t->counts[i].kernel, kernel) != 0)
        i++;
    if (i == t->kernels && t->kernels < OM_HOST_KERNELS)
        t->counts[t->kernels++].kernel = kernel;
    return &t->counts[i < OM_HOST_KERNELS ? i : OM_HOST_KERNELS - 1];
}

static void count(om_trace *t, const om_traced_launch *l, unsigned id, const om_memory *m,
    uintptr_t at, unsigned bytes, om_host_access what)
{
    /* A device's memory begins with a sector. */
    const uintptr_t base = (uintptr_t) m->bytes, offset = at - base;
    om_host_count *c = count_of(t, l->shape->name);
    c->atomics += what == OM_HOST_ATOMIC_WRITE;
    for (uintptr_t s = offset / SECTOR; s <= (offset + bytes - 1) / SECTOR; s++) {
        /* Addresses have 47 bits; and there are below 2^17 such groups. */
        const uintptr_t key = (base + s * SECTOR) << 17 | (id / SIDE_BY_SIDE);
        entry *e = find(&t->sectors, t->heap, l->number, key);
        bool write = what == OM_HOST_WRITE || what == OM_HOST_ATOMIC_WRITE,
             read = what != OM_HOST_WRITE;
        if (e == NULL)
            return;
        c->read += read && !e->read;
        c->written += write && !e->written;
        e->read = e->read || read;
        e->written = e->written || write;
    }
}

static bool others(const entry *e, om_host_access what, unsigned id)
{
    return e->by[what] != 0 && e->by[what] != (int32_t) id + 1;
}

/* W1 and W2: what others have done to the word that does not go with this; or ACCESSES. */
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

void om_trace__access(const om_traced_launch *l, unsigned id, const void *address, unsigned bytes,
    om_host_access what)
{
    om_trace *t = l->trace;
    const uintptr_t at = (uintptr_t) address;
    const char *name = "?";
    size_t length = 1;
    bool allowed = false;
    const om_memory *m = judge(l, at, what, &name, &length, &allowed);
    if (m == NULL || t->wrong[0] != '\0')
        return;
    const unsigned long long offset = at - (uintptr_t) m->bytes;
    if (!allowed)
        (void) snprintf(t->wrong, sizeof t->wrong, "%s %s %.*s, at byte %llu, which it may not",
            l->shape->name, words_for[what], (int) length, name, offset);
    for (uintptr_t word = at / 4; word <= (at + bytes - 1) / 4 && t->wrong[0] == '\0'; word++) {
        entry *e = find(&t->words, t->heap, l->number, word);
        unsigned other = e == NULL ? ACCESSES : clash(e, id, what);
        if (e == NULL)
            (void) snprintf(
                t->wrong, sizeof t->wrong, "there is no memory to keep track of accesses");
        else if (other != ACCESSES)
            (void) snprintf(t->wrong, sizeof t->wrong,
                "%s: work-item %u %s %.*s, at byte %llu, which another one %s in the same launch",
                l->shape->name, id, words_for[what], (int) length, name, offset, words_for[other]);
        else
            note(what, id, e);
    }
    count(t, l, id, m, at, bytes, what);
    if (t->wrong[0] != '\0')
        atomic_store_explicit(&t->bad, true, memory_order_relaxed);
}

void om_trace__launched(const om_traced_launch *l)
{
    count_of(l->trace, l->shape->name)->launches++;
}
