/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A depth-first stack is one array of 64-bit entries: the target of an edge in bits 0 to 39, its
 * marks in bits 40 to 62 (or in a second array if 23 bits are too few), and in bit 63 whether the
 * edge has been followed: then the entry is a state of the path. Above a state lie its outgoing
 * edges that are still to be followed, the next one last. When an edge is entered, its entry stays
 * in its place below those of the new state.
 *
 *     enter a: A        add b, c: A b c       next, enter c: A b C       leave c: A b
 *
 * D1  `depth` is the number of entries that are ENTERED.
 */
#include "sized.h"
#include "store.h"
#include "task_impl.h"

#include <omen/plugin/dfs.h>

#include <assert.h>
#include <string.h>

enum { ID_BITS = OM_PAGES_ID_BITS, MARK_BITS = 63 - ID_BITS };
#define ID_MASK ((UINT64_C(1) << ID_BITS) - 1)
#define ENTERED (UINT64_C(1) << 63)

struct om_dfs {
    om_task *task;
    const om_dfs *below; /* stack whose path precedes this one's, or NULL */
    om_cursor *cursor;
    om_context *ctx;
    const om_heap *heap;
    uint64_t *entries;
    om_marks *marks; /* by entry, if `wide` */
    size_t count, capacity;
    size_t most;    /* maximum number of entries so far */
    uint64_t depth; /* number of entries that are ENTERED */
    unsigned worker;
    bool wide;
};

static int new_stack(om_dfs **out, om_task *task, unsigned worker, const om_dfs *below)
{
    om_dfs *d = om_alloc(om_task_heap(task), 1, sizeof *d);
    if (d == NULL)
        return om_fail_memory(om_task_context(task));
    d->task = task;
    d->below = below;
    d->worker = worker;
    d->ctx = om_task_context(task);
    d->heap = om_task_heap(task);
    d->wide = om_automaton_set_count(om_task_automaton(task)) > MARK_BITS;
    int rc = om_task_cursor(task, worker, &d->cursor);
    if (rc != OM_OK) {
        om_dfs_free(d);
        return rc;
    }
    *out = d;
    return OM_OK;
}

int om_dfs_new(om_dfs **out, om_task *task, unsigned worker)
{
    return new_stack(out, task, worker, NULL);
}

int om_dfs_new_above(om_dfs **out, const om_dfs *below)
{
    return new_stack(out, below->task, below->worker, below);
}

void om_dfs_free(om_dfs *d)
{
    if (d == NULL)
        return;
    om_task_count(d->task, OM_COUNT_PEAK_STACK, d->most);
    OM_FREE_ALL(d->heap, d->entries, d->marks, d);
}

uint64_t om_dfs_bytes(const om_dfs *d)
{
    return d->capacity * (sizeof *d->entries + (d->wide ? sizeof *d->marks : 0));
}

om_cursor *om_dfs_cursor(const om_dfs *d)
{
    return d->cursor;
}

uint64_t om_dfs_depth(const om_dfs *d)
{
    return d->depth;
}

/* Makes space for n more entries. */
static int grow(om_dfs *d, size_t n)
{
    assert(d->count <= d->capacity && d->depth <= d->count); /* D1 */
    size_t capacity = d->capacity, same = d->capacity;
    if (n <= d->capacity - d->count)
        return OM_OK;
    if (!OM_ROOM(d->heap, d->entries, &capacity, d->count + n) ||
        (d->wide && !OM_ROOM(d->heap, d->marks, &same, d->count + n)))
        return om_fail_memory(d->ctx);
    d->capacity = capacity;
    return OM_OK;
}

static void put(om_dfs *d, uint64_t flag, om_id to, om_marks marks)
{
    assert(d->count < d->capacity && to >> ID_BITS == 0);
    assert(d->wide || marks >> MARK_BITS == 0);
    if (d->wide)
        d->marks[d->count] = marks;
    else
        flag |= marks << ID_BITS;
    d->entries[d->count++] = flag | to;
}

static om_dfs_edge edge_of(const om_dfs *d, size_t i)
{
    uint64_t e = d->entries[i];
    return (om_dfs_edge){ e & ID_MASK, d->wide ? d->marks[i] : (e & ~ENTERED) >> ID_BITS };
}

int om_dfs_start(om_dfs *d)
{
    const om_step *steps;
    size_t n;
    int rc = om_cursor_initial(d->cursor, &steps, &n);
    d->count = 0;
    d->depth = 0;
    if (rc == OM_OK)
        rc = grow(d, n);
    if (rc != OM_OK)
        return rc;
    while (n-- > 0)
        put(d, 0, steps[n].to, 0);
    return OM_OK;
}

bool om_dfs_next(om_dfs *d, om_dfs_edge *edge)
{
    if (d->count == 0 || (d->entries[d->count - 1] & ENTERED) != 0)
        return false;
    *edge = edge_of(d, --d->count);
    return true;
}

/* ---- the path, with that of the stack below ---- */

/* Writes the states of the path; returns their number. `path` may be the array of entries. */
static size_t write_path(const om_dfs *d, om_id *path)
{
    size_t n = 0;
    for (size_t i = 0; i < d->count; i++)
        if ((d->entries[i] & ENTERED) != 0)
            path[n++] = d->entries[i] & ID_MASK;
    assert(n == d->depth); /* D1 */
    return n;
}

/* Copies the whole path; NULL if memory runs out. */
static om_id *whole_path(const om_dfs *d, size_t *length)
{
    const om_dfs *below = d->below;
    size_t under = below == NULL ? 0 : (size_t) below->depth;
    om_id *path = om_resize(d->heap, NULL, under + (size_t) d->depth, sizeof *path);
    if (path == NULL)
        return NULL;
    if (under > 0)
        (void) write_path(below, path);
    *length = under + write_path(d, path + under);
    if (under > 0 && *length > under && path[under] == path[under - 1])
        memmove(path + under, path + under + 1, (--*length - under) * sizeof *path);
    return path;
}

/* Records a fault of the model at the last state of the path, with the path, unless the task knows
 * it. A failed assertion ends the search. */
static int note_fault(const om_dfs *d)
{
    om_fault fault = om_cursor_fault(d->cursor, NULL, NULL);
    size_t n = 0;
    if (om_task__knows_fault(d->task, fault))
        return OM_OK;
    om_id *path = whole_path(d, &n);
    return om_task__take_fault(d->task, fault, path, n, false); /* NULL: without a path */
}

int om_dfs_enter(om_dfs *d, om_dfs_edge by, const om_step **steps, size_t *count)
{
    if (om_task_stopped(d->task))
        return OM_ESTOP;
    if (d->count > d->most)
        d->most = d->count;
    int rc = om_cursor_successors(d->cursor, by.to, steps, count);
    if (rc == OM_OK)
        rc = grow(d, *count + 1);
    if (rc != OM_OK)
        return rc;
    put(d, ENTERED, by.to, by.marks);
    d->depth++;
    om_id at = OM_NO_ID;
    return om_cursor_fault(d->cursor, &at, NULL) != 0 && at == by.to ? note_fault(d) : OM_OK;
}

void om_dfs_add(om_dfs *d, const om_step *step)
{
    put(d, 0, step->to, step->marks);
}

uint64_t om_dfs_top(const om_dfs *d)
{
    size_t at = d->count;
    assert(d->depth > 0);
    while ((d->entries[--at] & ENTERED) == 0) {
    }
    return at;
}

om_dfs_edge om_dfs_at(const om_dfs *d, uint64_t place)
{
    assert(place < d->count && (d->entries[place] & ENTERED) != 0);
    return edge_of(d, (size_t) place);
}

void om_dfs_cut(om_dfs *d, uint64_t place)
{
    assert(place < d->count && (d->entries[place] & ENTERED) != 0);
    while (d->count > place)
        d->depth -= d->entries[--d->count] >> 63;
}

/* The path of a stack with none below reuses the memory of its entries. */
static om_id *take_path(om_dfs *d, size_t *length)
{
    if (d->below != NULL)
        return whole_path(d, length);
    om_id *path = d->entries;
    *length = write_path(d, path);
    d->entries = NULL;
    d->capacity = 0;
    return path;
}

int om_dfs_found(om_dfs *d, om_id entry, const om_evidence *e)
{
    om_evidence whole = OM_EVIDENCE(NULL, 0);
    if (e != NULL && !om_sized__copy(&whole, sizeof whole, OM_EVIDENCE_LEAST, e))
        return om_fail(d->ctx, OM_EINVAL, NULL, "the evidence has an unknown version");
    om_id last = om_dfs_at(d, om_dfs_top(d)).to;
    om_id *path = take_path(d, &whole.length);
    int rc;

    whole.path = path;
    whole.entry = 0;
    while (path != NULL && whole.entry < whole.length && path[whole.entry] != entry)
        whole.entry++;
    if (path != NULL)
        rc = om_task__take_evidence(d->task, &whole, path);
    else { /* no memory for the path: only this state, which can reach the cycle or is on it */
        whole.path = &last;
        whole.length = whole.entry = 1;
        rc = om_task_evidence(d->task, &whole);
    }
    d->count = 0;
    d->depth = 0;
    return rc;
}
