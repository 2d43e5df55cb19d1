/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stem of a run: fills gaps of the evidence, and replaces the checker's path by a shorter one
 * if one is found within a fraction of the search's work: breadth-first from the initial states, or
 * by short cuts around the path.
 */
#include "control/control.h"
#include "extraction.h"

#include <assert.h>

/*
 * Visited states that a shorter run is worth: a minimum, and the divisor of the number of states.
 */
enum { WORTH_LEAST = 1 << 14, WORTH_FRACTION = 8 };
/* Approximate maximum memory: of side arrays, for each stored state; of a breadth-first search, for
 * each visited state; of both searches for a component. */
enum { SIDE_BYTES = 8, MEET_BYTES = 64, VISIT_BYTES = 256 };

/* ---- the effort for a shorter run ---- */

/* The number of states, at `bytes` bytes each, that a search for a shorter run may visit: half of
 * the remaining memory, because the known run has to be written in any case. */
static uint64_t spare_visits(const om_extraction *x, uint64_t bytes)
{
    uint64_t limit = om_control__limits(om_context_control(x->ctx))->memory_bytes;
    uint64_t now = limit == 0 ? 0 : om_resident_bytes();
    uint64_t spare = limit == 0 ? UINT64_MAX : limit <= now ? 0 : (limit - now) / 2;
    uint64_t side = om_product_state_count(om_task_product(x->task)) * SIDE_BYTES;
    return spare <= side ? 0 : (spare - side) / bytes;
}

/* The effort that is worth a fraction 1 / part of the number of states. */
static uint64_t worth(const om_extraction *x, uint64_t part)
{
    uint64_t most = om_product_state_count(om_task_product(x->task)) / part;
    uint64_t spare = spare_visits(x, VISIT_BYTES);
    most = most > WORTH_LEAST ? most : WORTH_LEAST;
    return most < spare ? most : spare;
}

uint64_t om_extraction__worth(const om_extraction *x)
{
    return worth(x, WORTH_FRACTION);
}

uint64_t om_extraction__worth_all(const om_extraction *x)
{
    return worth(x, 1);
}

uint64_t om_extraction__worth_until_ns(const om_extraction *x)
{
    uint64_t left = om_control_left_ns(om_context_control(x->ctx));
    return left == UINT64_MAX ? 0 : om_clock_ns() + left / 4;
}

int om_extraction__would_be_nice(const om_extraction *x, int rc)
{
    if (rc != OM_ENOMEM && rc != OM_ELIMIT)
        return rc;
    om_context_clear(x->ctx);
    return OM_OK;
}

/* ---- gaps ---- */

bool om_gap__leads(const om_extraction *x, om_id from, om_id to, int *rc)
{
    const om_step *steps;
    size_t n = 0;
    *rc = om_cursor_successors(x->cursor, from, &steps, &n);
    for (size_t i = 0; *rc == OM_OK && i < n; i++)
        if (steps[i].to == to)
            return true;
    return false;
}

typedef struct gap_end {
    const om_extraction *x;
    om_id state;
} gap_end;

static bool same_as_gap_end(void *self, om_id id)
{
    const gap_end *g = self;
    return g->x->e->same(g->x->e->self, id, g->state);
}

bool om_gap__possible(const om_extraction *x)
{
    return x->gaps || x->e->same != NULL;
}

int om_gap__fill(om_extraction *x, om_id from, om_id to, om_path *path, bool *found)
{
    gap_end g = { x, to };
    const om_aim aim = { .inside = x->gaps ? NULL : same_as_gap_end, .self = &g, .state = to };
    return om_seek__find_known_first(&x->seek, &from, 1, &aim, path, NULL, NULL, found);
}

/* ---- short cuts ---- */

/* Replaces the run up to `end` by a source and the path from it; later states stay. */
static int replace(om_extraction *x, om_id source, const om_path *path, size_t end)
{
    om_path now = { .heap = path->heap };
    assert(end <= x->loop && x->loop < om_extraction__length(x));
    int rc = om_path__add(&now, source);
    for (size_t i = 0; rc == OM_OK && i < path->count; i++)
        rc = om_path__add(&now, path->ids[i]);
    size_t loop = now.count - 1 + (x->loop - end);
    for (size_t i = end + 1; rc == OM_OK && i < om_extraction__length(x); i++)
        rc = om_path__add(&now, om_extraction__state(x, i));
    if (rc != OM_OK) {
        om_path__free(&now);
        return om_fail_memory(x->ctx);
    }
    assert(loop < now.count);
    om_path__free(&x->tail);
    x->tail = now;
    x->prefix = 0;
    x->loop = loop;
    return OM_OK;
}

static int replace_stem(om_extraction *x, om_id source, const om_path *path)
{
    return replace(x, source, path, x->loop);
}

int om_stem__initial(const om_extraction *x, om_path *out, bool *rooted)
{
    const om_step *steps;
    size_t n;
    int rc = om_cursor_initial(x->cursor, &steps, &n);
    *rooted = false;
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        *rooted = *rooted || steps[i].to == om_extraction__state(x, 0);
        rc = om_path__add(out, steps[i].to) == OM_OK ? OM_OK : om_fail_memory(x->ctx);
    }
    return rc;
}

/* What a short cut may pass through, and where the whole run is to lead. */
typedef struct surroundings {
    om_side *marks;
    const om_aim *goal;
} surroundings;

static bool is_marked(void *self, om_id id)
{
    const surroundings *s = self;
    const bool *marked = om_side_at(s->marks, id);
    return marked != NULL && *marked;
}

/* A short cut ends in the first such state: the run's last state may have others before it. */
static bool is_goal(void *self, om_id id)
{
    const surroundings *s = self;
    return s->goal->at(s->goal->self, id);
}

static int mark(const om_extraction *x, om_side *marks, om_id id)
{
    bool *marked = om_side_at(marks, id);
    if (marked == NULL)
        return om_fail_memory(x->ctx);
    *marked = true;
    return OM_OK;
}

/* Collects the states of the run up to `loop`, and those that fill its gaps. */
static int states_of_run(om_extraction *x, om_path *out)
{
    int rc =
        om_path__add(out, om_extraction__state(x, 0)) == OM_OK ? OM_OK : om_fail_memory(x->ctx);
    for (size_t i = 0; rc == OM_OK && i < x->loop; i++) {
        om_id from = om_extraction__state(x, i), to = om_extraction__state(x, i + 1);
        bool found = true;
        if (om_gap__possible(x) && !om_gap__leads(x, from, to, &rc) && rc == OM_OK)
            rc = om_gap__fill(x, from, to, out, &found);
        if (rc == OM_OK && om_path__add(out, to) != OM_OK)
            rc = om_fail_memory(x->ctx);
    }
    return rc;
}

/* Marks the run and up to `most` states that are reachable from it, nearest first. */
static int mark_surroundings(om_extraction *x, om_side *marks, uint64_t most)
{
    om_path run = { .heap = om_context_heap(x->ctx) };
    const om_aim aim = { .state = OM_NO_ID, .most_met = most };
    bool found = false;
    int rc = states_of_run(x, &run);
    for (size_t i = 0; rc == OM_OK && i < run.count; i++)
        rc = mark(x, marks, run.ids[i]);
    if (rc == OM_OK)
        rc = om_seek__find(&x->seek, run.ids, run.count, &aim, NULL, NULL, NULL, &found);
    for (size_t i = 0; rc == OM_OK && i < x->seek.count; i++)
        rc = mark(x, marks, x->seek.entries[i].id);
    om_path__free(&run);
    return rc;
}

/* Finds a shortest path to the goal among the states of the run up to `loop` and those around it:
 * these are visited twice. */
static int find_short_cut(om_extraction *x, const om_path *initial, const om_aim *goal,
    om_path *path, om_id *source, bool *found)
{
    surroundings around = { .goal = goal };
    const om_aim aim = { .inside = is_marked, .self = &around, .state = OM_NO_ID, .at = is_goal };
    int rc = om_side_new(&around.marks, om_task_product(x->task), sizeof(bool));
    if (rc == OM_OK)
        rc = mark_surroundings(x, around.marks, om_extraction__worth(x) / 2);
    if (rc == OM_OK)
        rc = om_seek__find(&x->seek, initial->ids, initial->count, &aim, path, source, NULL, found);
    om_side_free(around.marks);
    return rc;
}

/* Returns true if the path is shorter than the run up to `loop`. A run with possible gaps is longer
 * than it looks; the path of a search has no gaps. */
static bool is_shorter(const om_extraction *x, const om_path *path)
{
    return path->count < x->loop || om_gap__possible(x);
}

/* Takes short cuts repeatedly: the shorter the run, the farther the next search looks around it, as
 * long as that is worth its time. */
static int take_short_cuts(om_extraction *x, const om_path *initial, const om_aim *goal)
{
    om_path path = { .heap = initial->heap };
    om_id source = OM_NO_ID;
    size_t before;
    int rc = OM_OK;
    do {
        bool found = false;
        before = x->loop;
        path.count = 0;
        if (spare_visits(x, MEET_BYTES) <= x->loop)
            break;
        rc = find_short_cut(x, initial, goal, &path, &source, &found);
        if (rc == OM_OK && found && is_shorter(x, &path))
            rc = replace_stem(x, source, &path);
    } while (rc == OM_OK && x->loop > OM_EXTRACTION_SHORT && x->loop < before - before / 8);
    om_path__free(&path);
    return rc;
}

/* ---- the stem as a whole ---- */

/* Gives a run that does not begin in an initial state a prefix: a shortest one among the known
 * states, if there is one. */
static int begin_run(om_extraction *x, const om_path *initial, const om_aim *aim)
{
    om_path path = { .heap = initial->heap };
    om_aim near = *aim, start = { .state = om_extraction__state(x, 0) };
    om_id source = OM_NO_ID;
    bool found = false, whole = false;
    near.known = true;
    int rc =
        om_seek__find(&x->seek, initial->ids, initial->count, &near, &path, &source, NULL, &whole);
    if (rc == OM_OK && !whole)
        rc = om_seek__find_known_first(
            &x->seek, initial->ids, initial->count, &start, &path, &source, NULL, &found);
    if (rc == OM_OK)
        rc = whole   ? replace_stem(x, source, &path)
             : found ? replace(x, source, &path, 0)
                     : om_fail(x->ctx, OM_EINTERNAL, NULL,
                           "the state that a checker gave as evidence cannot be reached");
    om_path__free(&path);
    return rc;
}

/* Makes a run that begins in an initial state shorter, if the search is cheap enough. */
static int shorten(om_extraction *x, const om_path *initial, om_aim aim)
{
    om_path path = { .heap = initial->heap };
    om_id source = OM_NO_ID;
    bool found = false;
    int rc = OM_OK;
    aim.most = om_extraction__worth(x);
    const bool ruled_out = aim.most <= x->e->ruled_out;
    x->seek.until_ns = om_extraction__worth_until_ns(x);
    if (aim.most != 0 && !ruled_out)
        rc = om_seek__find(
            &x->seek, initial->ids, initial->count, &aim, &path, &source, NULL, &found);
    if (rc == OM_OK && !found)
        rc = take_short_cuts(x, initial, &aim);
    x->seek.until_ns = 0;
    if (rc == OM_OK && found && is_shorter(x, &path))
        rc = replace_stem(x, source, &path);
    om_path__free(&path);
    return om_extraction__would_be_nice(x, rc);
}

int om_stem__find(om_extraction *x, bool (*at)(void *self, om_id id), void *self)
{
    om_path initial = { .heap = om_context_heap(x->ctx) };
    const om_aim aim = { .state = OM_NO_ID, .at = at, .self = self };
    bool rooted = false;
    int rc = om_stem__initial(x, &initial, &rooted);
    if (rc == OM_OK && !rooted)
        rc = begin_run(x, &initial, &aim);
    /* A shorter path may lead through states that the checker's search had not reached. */
    if (rc == OM_OK && !x->shortest)
        rc = shorten(x, &initial, aim);
    om_path__free(&initial);
    return rc;
}

static bool is_state(void *self, om_id id)
{
    return id == *(const om_id *) self;
}

int om_stem__find_to(om_extraction *x, om_id state)
{
    return om_stem__find(x, is_state, &state);
}
