/* SPDX-License-Identifier: Apache-2.0 */
/* Searches that wait for each other. Searches change their state, and exchange product states,
 * under the run's lock. */
#include "lowe.h"

#include <assert.h>
#include <string.h>

static int fail_memory(const om_run *run)
{
    return om_fail_memory(om_task_context(run->task));
}

/* Returns the word of a state that was met, so its memory exists. */
static uint64_t word_of(const om_run *run, om_id id)
{
    /* acquire: pairs with the release in lowe.c and move(); a thread that sees a state dead sees
     * that all its successors are. */
    return atomic_load_explicit(lowe_at(run, id), memory_order_acquire);
}

/* ---- cycles of searches ---- */

size_t lowe_root_below(const lowe_search *s, uint64_t place)
{
    size_t low = 0, high = s->root_count;
    assert(high > 0 && s->roots[0].place <= place); /* L2 */
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (s->roots[mid].place <= place)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* The part that a search of a cycle gives away: its components from the root on that the preceding
 * search in the cycle waits for. */
typedef struct share {
    lowe_search *s;
    om_dfs_edge edge; /* of the preceding search: leads into the share */
    size_t root;
    size_t size; /* in live states */
} share;

/* Finds the cycle of searches, each waiting for the next, that contains s. Returns its length; 0 if
 * the chain ends at a search that is not blocked or that waits for a dead state. */
static size_t find_cycle(const om_run *run, lowe_search *s, share *cycle)
{
    size_t n = 0;
    for (lowe_search *at = s;;) {
        uint64_t word = word_of(run, at->edge.to);
        om_dfs_edge edge = at->edge;
        if ((word & LOWE_DEAD) != 0)
            return 0;
        assert((word & LOWE_LIVE) != 0 && lowe_search_of(word) < run->search_count); /* L1 */
        at = &run->searches[lowe_search_of(word)];
        if (at->state != LOWE_BLOCKED)
            return 0;
        assert(n < run->search_count); /* L4 */
        size_t root = lowe_root_below(at, lowe_place_of(word));
        cycle[n++] = (share){ at, edge, root, at->live_count - (size_t) at->roots[root].place };
        if (at == s)
            return n;
    }
}

static void *reserve(const om_run *run, void *array, size_t *room, size_t need, size_t size)
{
    return need <= *room ? array : om_grow(run->heap, array, room, need, size);
}

/* Makes room for the shares that the other searches of a cycle give away. */
static int reserve_all(const om_run *run, lowe_search *to, const share *cycle, size_t n)
{
    size_t entries = to->entry_count, roots = to->root_count, live = to->live_count;
    for (size_t i = 0; i < n; i++) {
        const lowe_search *s = cycle[i].s;
        if (s == to)
            continue;
        entries += s->entry_count - s->roots[cycle[i].root].entry;
        roots += s->root_count - cycle[i].root;
        live += cycle[i].size;
    }
    void *p = reserve(run, to->entries, &to->entry_room, entries, sizeof *to->entries);
    to->entries = p == NULL ? to->entries : p;
    void *q = reserve(run, to->roots, &to->root_room, roots, sizeof *to->roots);
    to->roots = q == NULL ? to->roots : q;
    void *r = reserve(run, to->live, &to->live_room, live, sizeof *to->live);
    to->live = r == NULL ? to->live : r;
    return p == NULL || q == NULL || r == NULL ? fail_memory(run) : OM_OK;
}

/* Appends the share to another search, whose last state has the edge into the share. The search
 * that gives it away then waits for the share's first state, or has no states left. */
static void move(om_run *run, lowe_search *to, const share *what)
{
    lowe_search *from = what->s;
    assert(from != to && from->state == LOWE_BLOCKED && what->root < from->root_count);
    lowe_root first = from->roots[what->root];
    size_t entries = from->entry_count - first.entry;
    lowe_entry by = from->entries[first.entry];
    memcpy(to->entries + to->entry_count, from->entries + first.entry, entries * sizeof by);
    to->entries[to->entry_count].marks = what->edge.marks; /* L5 */
    for (size_t i = what->root; i < from->root_count; i++) {
        lowe_root r = from->roots[i];
        r.entry = r.entry - first.entry + to->entry_count;
        r.place = r.place - first.place + to->live_count;
        to->roots[to->root_count++] = r;
    }
    to->entry_count += entries;
    for (size_t i = (size_t) first.place; i < from->live_count; i++) {
        /* release: pairs with word_of(). No other thread writes the word of a live state. */
        atomic_store_explicit(lowe_at(run, from->live[i]), lowe_live(to->number, to->live_count),
            memory_order_release);
        to->live[to->live_count++] = from->live[i];
    }
    to->most_entries = to->entry_count > to->most_entries ? to->entry_count : to->most_entries;
    from->entry_count = first.entry;
    from->root_count = what->root;
    from->live_count = (size_t) first.place;
    from->offered = from->offered < first.entry ? from->offered : first.entry;
    from->edge = (om_dfs_edge){ by.to & ~LOWE_ON_PATH, by.marks };
    from->state = first.entry == 0 ? LOWE_FREE : LOWE_BLOCKED;
}

/* Gives all of the cycle, which is one component, to the search with the largest share. */
static int unite(om_run *run, share *cycle, size_t n)
{
    size_t best = 0;
    assert(n > 1); /* no search waits for a state of its own */
    for (size_t i = 1; i < n; i++)
        best = cycle[i].size > cycle[best].size ? i : best;
    lowe_search *to = cycle[best].s;
    int rc = reserve_all(run, to, cycle, n);
    if (rc != OM_OK)
        return rc;
    for (size_t i = 1; i < n; i++)
        move(run, to, &cycle[(best + i) % n]);
    to->edge = cycle[best].edge; /* from the share appended last into this search's own share */
    to->state = LOWE_READY;
    return OM_OK;
}

/* ---- operations of workers ---- */

/* Resumes a search that is READY or whose awaited state is dead. Returns true if it did. */
static bool resume(const om_run *run, lowe_search *s, bool *follow)
{
    *follow = s->state == LOWE_READY;
    if (!*follow && (s->state != LOWE_BLOCKED || (word_of(run, s->edge.to) & LOWE_DEAD) == 0))
        return false;
    s->state = LOWE_RUNNING;
    return true;
}

int lowe_block(om_run *run, lowe_search *s, om_dfs_edge e, bool *blocked, bool *follow)
{
    share *cycle = om_alloc(run->heap, run->search_count, sizeof *cycle);
    if (cycle == NULL)
        return fail_memory(run);
    pthread_mutex_lock(&run->lock);
    assert(s->state == LOWE_RUNNING);
    s->edge = e;
    s->state = LOWE_BLOCKED;
    size_t n = find_cycle(run, s, cycle);
    int rc = n == 0 ? OM_OK : unite(run, cycle, n);
    *blocked = !resume(run, s, follow);
    pthread_mutex_unlock(&run->lock);
    om_free(run->heap, cycle);
    return rc;
}

void lowe_end(om_run *run, lowe_search *s)
{
    pthread_mutex_lock(&run->lock);
    assert(s->entry_count == 0 && s->root_count == 0 && s->live_count == 0);
    s->state = LOWE_FREE;
    pthread_mutex_unlock(&run->lock);
}

static bool all_dead(const om_run *run)
{
    for (size_t i = 0; i < run->initial_count; i++)
        if ((word_of(run, run->initial[i]) & LOWE_DEAD) == 0)
            return false;
    return run->begun;
}

/* Begins a search at a state that was not met; the edge of `s` leads there. */
static bool begin(om_run *run, lowe_search *s)
{
    while (s != NULL && run->start_count > 0) {
        om_id id = run->starts[--run->start_count];
        if (word_of(run, id) != 0)
            continue;
        assert(s->state == LOWE_FREE && s->entry_count == 0 && s->live_count == 0);
        s->state = LOWE_RUNNING;
        s->edge = (om_dfs_edge){ id, 0 };
        s->from_initial = false;
        s->offered = 0;
        for (size_t i = 0; i < run->initial_count; i++)
            s->from_initial = s->from_initial || run->initial[i] == id;
        return true;
    }
    return false;
}

void lowe_take(om_run *run, lowe_search **taken, bool *follow, bool *over)
{
    lowe_search *free_one = NULL;
    *taken = NULL;
    pthread_mutex_lock(&run->lock);
    *over = all_dead(run);
    for (unsigned i = 0; !*over && *taken == NULL && i < run->search_count; i++) {
        lowe_search *s = &run->searches[i];
        if (resume(run, s, follow))
            *taken = s;
        else if (s->state == LOWE_FREE && free_one == NULL)
            free_one = s;
    }
    if (!*over && *taken == NULL && begin(run, free_one)) {
        *taken = free_one;
        *follow = true;
    }
    run->over = run->over || *over;
    pthread_mutex_unlock(&run->lock);
}

int lowe_offer(om_run *run, lowe_search *s)
{
    if (s->offered > s->entry_count)
        s->offered = s->entry_count;
    for (; s->offered < s->entry_count; s->offered++) {
        uint64_t to = s->entries[s->offered].to;
        const lowe_word *at = (to & LOWE_ON_PATH) != 0 ? NULL : lowe_at(run, to);
        if (at != NULL && atomic_load_explicit(at, memory_order_relaxed) == 0)
            break;
    }
    if (s->offered == s->entry_count)
        return OM_OK;
    int rc = OM_OK;
    pthread_mutex_lock(&run->lock);
    if (run->start_count < run->workers) {
        om_id *starts =
            reserve(run, run->starts, &run->start_room, run->start_count + 1, sizeof *starts);
        run->starts = starts == NULL ? run->starts : starts;
        if (starts == NULL)
            rc = fail_memory(run);
        else
            starts[run->start_count++] = s->entries[s->offered++].to;
    }
    pthread_mutex_unlock(&run->lock);
    return rc;
}
