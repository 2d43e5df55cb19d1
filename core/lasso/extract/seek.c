/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first searches over states that are already stored. They are usually short and numerous,
 * so nothing is cleared between two: the entries of a search are numbered after those of the
 * previous one (`base`), and a number up to `base` belongs to an earlier search.
 */
#include "seek.h"

#include "product.h"

#include <assert.h>

void om_path__free(om_path *w)
{
    om_free(w->heap, w->ids);
    w->ids = NULL;
    w->count = w->capacity = 0;
}

int om_path__add(om_path *w, om_id id)
{
    if (!OM_ROOM(w->heap, w->ids, &w->capacity, w->count + 1))
        return OM_ENOMEM;
    w->ids[w->count++] = id;
    return OM_OK;
}

bool om_seek__timed_out(uint64_t until_ns, size_t n)
{
    enum { NOW_AND_THEN = 64 };
    return until_ns != 0 && n % NOW_AND_THEN == 0 && om_clock_ns() >= until_ns;
}

int om_seek__open(om_seek *s, om_context *ctx, om_task *task)
{
    *s = (om_seek){ .ctx = ctx };
    int rc = om_task_cursor(task, 0, &s->cursor);
    s->product = om_task_product(task);
    if (rc == OM_OK && (s->known = om_product__ids(s->product, om_context_heap(ctx))) == NULL)
        rc = om_fail_memory(ctx);
    return rc == OM_OK ? om_side_new(&s->met, s->product, sizeof(uint32_t)) : rc;
}

void om_seek__close(om_seek *s)
{
    om_side_free(s->met);
    if (s->ctx != NULL) {
        OM_FREE_ALL(om_context_heap(s->ctx), s->entries, s->known);
    }
    *s = (om_seek){ 0 };
}

/* Appends a state to the queue if this search meets it for the first time. */
static int meet(om_seek *s, om_id id, uint32_t from)
{
    uint32_t *met = om_side_at(s->met, id);
    if (met == NULL || s->count >= OM_NONE - 2 - s->base)
        return om_fail_memory(s->ctx);
    assert(*met <= s->base + s->count && (from == OM_NONE || from < s->count)); /* S1, S2 */
    if (*met > s->base)
        return OM_OK;
    if (!OM_ROOM(om_context_heap(s->ctx), s->entries, &s->capacity, s->count + 1))
        return om_fail_memory(s->ctx);
    s->entries[s->count++] = (struct om_seek_entry){ id, from };
    *met = s->base + (uint32_t) s->count;
    return OM_OK;
}

bool om_seek__knows(void *self, om_id id)
{
    const om_seek *s = self;
    return om_product__among(s->known, id);
}

bool om_seek__has_met(void *self, om_id id)
{
    const om_seek *s = self;
    const uint32_t *met = om_side_at(s->met, id);
    return met != NULL && *met > s->base;
}

/* Returns true if the state is on the path to this entry, or is the entry itself. */
static bool on_way(const om_seek *s, uint32_t entry, om_id id)
{
    const uint32_t *met = om_side_at(s->met, id);
    if (met == NULL || *met <= s->base)
        return false;
    uint32_t wanted = *met - s->base - 1;
    assert(wanted < s->count && s->entries[wanted].id == id); /* S1 */
    while (entry != OM_NONE && entry > wanted)
        entry = s->entries[entry].from; /* S2 */
    return entry == wanted;
}

static bool is_goal(const om_seek *s, uint32_t from, const om_step *e, const om_aim *aim)
{
    return (e->marks & aim->marks) != 0 || e->to == aim->state ||
           (aim->lacking != NULL && om_fair_cycle__helps(aim->lacking, e)) ||
           (aim->at != NULL && aim->at(aim->self, e->to)) || (aim->cycle && on_way(s, from, e->to));
}

/*
 * Appends the path to an entry, without its source, which is returned in *source, and then `last`.
 */
static int give(const om_seek *s, uint32_t entry, om_id last, om_path *path, om_id *source)
{
    size_t begin = path->count;
    int rc = OM_OK;
    assert(entry < s->count);
    for (; rc == OM_OK && s->entries[entry].from != OM_NONE; entry = s->entries[entry].from)
        rc = om_path__add(path, s->entries[entry].id);
    for (size_t i = begin, k = path->count; i + 1 < k; i++, k--) {
        om_id swap = path->ids[i];
        path->ids[i] = path->ids[k - 1];
        path->ids[k - 1] = swap;
    }
    if (source != NULL)
        *source = s->entries[entry].id;
    if (rc == OM_OK && last != OM_NO_ID)
        rc = om_path__add(path, last);
    return rc == OM_OK ? OM_OK : om_fail_memory(s->ctx);
}

/* Expands an entry; *goal is the target of an edge that reaches the goal. */
static int expand(om_seek *s, uint32_t entry, const om_aim *aim, om_id *goal)
{
    const om_step *steps;
    size_t n;
    int rc = om_context_stopped(s->ctx);
    if (rc == OM_OK)
        rc = om_cursor_successors(s->cursor, s->entries[entry].id, &steps, &n);
    if (rc == OM_OK && aim->lacking != NULL)
        om_fair_cycle__look(aim->lacking, steps, n);
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        if ((steps[i].marks & aim->avoid) != 0 || (aim->known && !om_seek__knows(s, steps[i].to)) ||
            (aim->inside != NULL && !aim->inside(aim->self, steps[i].to)))
            continue;
        if (is_goal(s, entry, &steps[i], aim)) {
            *goal = steps[i].to;
            return OM_OK;
        }
        rc = meet(s, steps[i].to, entry);
    }
    return rc;
}

int om_seek__find(om_seek *s, const om_id *sources, size_t n, const om_aim *aim, om_path *path,
    om_id *source, om_id *onto, bool *found)
{
    int rc = OM_OK;
    *found = false;
    s->base += (uint32_t) s->count; /* discards the entries of earlier searches */
    s->count = 0;
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        rc = meet(s, sources[i], OM_NONE);
        if (rc == OM_OK && aim->at != NULL && aim->at(aim->self, sources[i])) {
            *found = true;
            if (source != NULL)
                *source = sources[i];
            return OM_OK;
        }
    }
    for (uint32_t i = 0; rc == OM_OK && i < s->count && (aim->most == 0 || i < aim->most) &&
                         (aim->most_met == 0 || s->count < aim->most_met);
         i++) {
        om_id goal = OM_NO_ID;
        if (om_seek__timed_out(s->until_ns, i))
            break;
        rc = expand(s, i, aim, &goal);
        if (rc != OM_OK || goal == OM_NO_ID)
            continue;
        *found = true;
        if (onto != NULL)
            *onto = goal;
        return give(s, i, aim->cycle ? OM_NO_ID : goal, path, source);
    }
    return rc;
}

int om_seek__find_known_first(om_seek *s, const om_id *sources, size_t n, const om_aim *aim,
    om_path *path, om_id *source, om_id *onto, bool *found)
{
    om_aim near = *aim;
    near.known = true;
    int rc = om_seek__find(s, sources, n, &near, path, source, onto, found);
    return rc == OM_OK && !*found ? om_seek__find(s, sources, n, aim, path, source, onto, found)
                                  : rc;
}

static void take_step(const om_step *step, om_marks avoid, om_marks *marks, om_fair_cycle *lacking)
{
    if ((step->marks & avoid) != 0)
        return;
    *marks |= step->marks;
    if (lacking != NULL)
        om_fair_cycle__add_step(lacking, step);
}

int om_seek__marks(om_seek *s, om_id from, const om_id *path, size_t n, om_marks avoid,
    om_marks *marks, om_fair_cycle *lacking)
{
    *marks = 0;
    for (size_t i = 0; i < n; from = path[i++]) {
        const om_step *steps;
        size_t count;
        int rc = om_cursor_successors(s->cursor, from, &steps, &count);
        if (rc != OM_OK)
            return rc;
        if (lacking != NULL) {
            om_fair_cycle__look(lacking, steps, count);
            om_fair_cycle__add_state(lacking);
        }
        for (size_t k = 0; k < count; k++)
            if (steps[k].to == path[i])
                take_step(&steps[k], avoid, marks, lacking);
    }
    return OM_OK;
}
