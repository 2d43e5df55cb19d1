/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a search of lowe: evidence, and faults of the model. */
#include "lowe.h"

#include <assert.h>

/* Called after all searches have stopped. */
static bool same(void *self, om_id a, om_id b)
{
    const lowe_search *s = self;
    const om_id ids[2] = { a, b };
    size_t root[2];
    for (int i = 0; i < 2; i++) {
        const lowe_word *at = lowe_at(s->run, ids[i]);
        uint64_t word = at == NULL ? 0 : atomic_load_explicit(at, memory_order_relaxed);
        if ((word & LOWE_LIVE) == 0 || lowe_search_of(word) != s->number ||
            lowe_place_of(word) >= s->live_count)
            return false;
        root[i] = lowe_root_below(s, lowe_place_of(word));
    }
    return root[0] == root[1];
}

/* Returns the states on the path, and in *below the number of them below an entry; NULL if memory
 * runs out. */
static om_id *copy_path(const lowe_search *s, size_t entry, size_t *length, size_t *below)
{
    om_id *path = om_resize(s->run->heap, NULL, s->entry_count, sizeof *path);
    *length = *below = 0;
    for (size_t i = 0; path != NULL && i < s->entry_count; i++)
        if ((s->entries[i].to & LOWE_ON_PATH) != 0) {
            path[(*length)++] = s->entries[i].to & ~LOWE_ON_PATH;
            *below += i < entry;
        }
    return path;
}

int lowe_found(lowe_search *s)
{
    assert(s->root_count > 0 && s->roots[s->root_count - 1].marks == s->run->all);
    size_t entry = s->roots[s->root_count - 1].entry;
    om_id root = s->entries[entry].to & ~LOWE_ON_PATH;
    om_evidence e = OM_EVIDENCE(&root, 1);
    e.entry = 0;
    e.same = same;
    e.self = s;
    om_id *path = s->from_initial ? copy_path(s, entry, &e.length, &e.entry) : NULL;
    if (path != NULL)
        e.path = path;
    else {
        e.length = 1;
        e.entry = 0;
    }
    int rc = om_task_evidence(s->run->task, &e);
    om_free(s->run->heap, path);
    return rc;
}

int lowe_fault(lowe_search *s, const om_cursor *cursor, om_id id)
{
    om_run *run = s->run;
    om_id at = OM_NO_ID;
    size_t n, below;
    om_fault fault = om_cursor_fault(cursor, &at, NULL);
    bool assertion = om_cursor_failed(cursor, id);
    if (at != id ||
        (!assertion && atomic_exchange_explicit(&run->fault, true, memory_order_relaxed)))
        return OM_OK;
    /* Without a path, the task learns of the fault from the cursor. */
    om_id *path = s->from_initial ? copy_path(s, 0, &n, &below) : NULL;
    int rc = path == NULL ? OM_OK : om_task_fault(run->task, fault, path, n, false);
    om_free(run->heap, path);
    if (path != NULL || !assertion)
        return rc;
    (void) om_control_stop(om_task_control(run->task), OM_STOP_FOUND);
    return OM_ESTOP;
}
