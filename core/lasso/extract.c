/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lasso behind a task's evidence. What the checker knows is used as it is; what it does not is
 * searched for over the states that its search has stored:
 *
 *   the stem    the checker's path up to the component that accepts; a shorter one, where the path
 *               is none of the shortest and one is found within a fraction of the search's work, or
 *               the path with its short cuts;
 *   the cycle   nearest missing mark first, inside that component.
 *
 * Within that fraction another component, which is nearer to the beginning, is looked for, too.
 *
 * Everything is states of the product, eight bytes each, until the lasso is written down as
 * transitions of the model, four bytes each.
 */
#include "control.h"
#include "reset.h"
#include "seek.h"
#include "trace.h"

#include <omen/host/lasso.h>

#include <assert.h>
#include <string.h>

/* A shorter run is worth so many states visited, or this part of all there are. */
enum { WORTH_LEAST = 1 << 14, WORTH_FRACTION = 8 };
/* What is taken, nearly, and at most: by side arrays, for each state there is; for each state that
 * is visited breadth-first; and by both searches for a component. */
enum { SIDE_BYTES = 8, MEET_BYTES = 64, VISIT_BYTES = 256 };
/* A run that is short enough; and states near the beginning at which a search for another starts.
 */
enum { SHORT = 4, NEAREST = 1 << 6 };
/* States in which a cycle through a weak component may be looked for breadth-first: a short one,
 * which mostly is there. */
enum { NEAR = 1 << 14 };

void om_lasso_free(om_lasso *l)
{
    if (l->heap != NULL) {
        om_free(l->heap, l->vectors);
        om_free(l->heap, l->transitions);
    }
    *l = (om_lasso){ 0 };
}

typedef struct extraction {
    om_context *ctx;
    om_task *task;
    om_cursor *cursor;
    const om_evidence *e;
    bool
        gaps; /* the evidence's path may have them, and all that is known is that there is a path */
    om_seek seek;
    om_marks see, avoid;
    bool marks_count; /* else only a weak component accepts */
    om_component component;
    /* Is a state in the component? Where `weak`, of the automaton's that weak_in is in. */
    bool (*inside)(void *self, om_id id);
    void *self;
    om_id weak_in;
    /* The run: states of the evidence's path, then those of `tail`; from `loop` on it repeats. */
    size_t prefix, loop;
    om_path tail;
} extraction;

static size_t length_of(const extraction *x)
{
    return x->prefix + x->tail.count;
}

static om_id state_at(const extraction *x, size_t i)
{
    return i < x->prefix ? x->e->path[i] : x->tail.ids[i - x->prefix];
}

/* ---- which component ---- */

static bool same_as_entry(void *self, om_id id)
{
    const extraction *x = self;
    return x->e->same(x->e->self, id, x->e->path[x->e->entry]);
}

/* In a weak component of the automaton every cycle accepts. */
static bool in_weak(void *self, om_id id)
{
    const extraction *x = self;
    uint32_t q = om_cursor_automaton_state(x->cursor, id);
    return om_task_same_component(x->task, q, om_cursor_automaton_state(x->cursor, x->weak_in));
}

static bool is_weak(const extraction *x, om_id id)
{
    return om_task_accepting(x->task, om_cursor_automaton_state(x->cursor, id), OM_WEAK);
}

/* States that there is memory to visit, so many bytes each, in a search for a shorter run: half
 * of what is left, for the run that is there is to be written in any case. */
static uint64_t spare_visits(const extraction *x, uint64_t bytes)
{
    uint64_t limit = om_control__limits(om_context_control(x->ctx))->memory_bytes;
    uint64_t now = limit == 0 ? 0 : om_resident_bytes();
    uint64_t spare = limit == 0 ? UINT64_MAX : limit <= now ? 0 : (limit - now) / 2;
    uint64_t side = om_product_state_count(om_task_product(x->task)) * SIDE_BYTES;
    return spare <= side ? 0 : (spare - side) / bytes;
}

/* States that may be visited for a shorter run, or 0. */
static uint64_t worth(const extraction *x)
{
    uint64_t most = om_product_state_count(om_task_product(x->task)) / WORTH_FRACTION;
    uint64_t spare = spare_visits(x, VISIT_BYTES);
    most = most > WORTH_LEAST ? most : WORTH_LEAST;
    return most < spare ? most : spare;
}

/* And until when, where time is limited: a quarter of what is left. */
static uint64_t worth_until_ns(const extraction *x)
{
    uint64_t left = om_control_left_ns(om_context_control(x->ctx));
    return left == UINT64_MAX ? 0 : om_clock_ns() + left / 4;
}

/* The outcome of a search for a shorter run: where there is no memory for it the one that is there
 * will do. */
static int would_be_nice(const extraction *x, int rc)
{
    if (rc != OM_ENOMEM && rc != OM_ELIMIT)
        return rc;
    om_context_clear(x->ctx);
    return OM_OK;
}

/* The marks that a cycle must see, where the evidence leaves that to the automaton. */
static void settle_marks(extraction *x)
{
    const om_automaton *a = om_product_spec_of(om_task_product(x->task))->automaton;
    uint32_t buchi = OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI;
    x->see = x->e->see;
    x->avoid = x->e->avoid;
    x->marks_count = x->see != 0 || x->avoid != 0;
    if (!x->marks_count && (om_automaton_acceptance_classes(a) & buchi) != 0) {
        x->see = om_task_all_marks(x->task);
        x->marks_count = true;
    }
}

/* Depth-first from a state; within() is NULL, or true of the states that count. */
static int find_component(
    extraction *x, om_id from, bool (*within)(void *self, om_id id), void *self)
{
    om_component *c = &x->component;
    c->see = x->see;
    c->avoid = x->avoid;
    c->marks_count = x->marks_count;
    c->within = within;
    c->self = self;
    c->until_ns = x->seek.until_ns;
    x->inside = om_component__has;
    x->self = c;
    return om_component__find(c, x->ctx, x->task, from);
}

/* There must be one behind the last state of the run. */
static int search_component(extraction *x)
{
    int rc = find_component(x, state_at(x, length_of(x) - 1), NULL, NULL);
    if (rc == OM_OK && !x->component.found)
        rc = om_cursor_fault(x->cursor, NULL, NULL) != 0
                 ? OM_EMODEL /* behind the evidence the model goes wrong: no message yet */
                 : om_fail(x->ctx, OM_EINTERNAL, NULL,
                       "no accepting cycle can be reached from the state that a checker gave as "
                       "evidence");
    return rc;
}

/* ---- the stem ---- */

static bool is_state(void *self, om_id id)
{
    return id == *(const om_id *) self;
}

/* The run up to `loop` is replaced by a source and the path from there; what is behind stays. */
static int replace_stem(extraction *x, om_id source, const om_path *path)
{
    om_path now = { .heap = path->heap };
    int rc = om_path__add(&now, source);
    for (size_t i = 0; rc == OM_OK && i < path->count; i++)
        rc = om_path__add(&now, path->ids[i]);
    size_t loop = now.count - 1;
    for (size_t i = x->loop + 1; rc == OM_OK && i < length_of(x); i++)
        rc = om_path__add(&now, state_at(x, i));
    if (rc != OM_OK) {
        om_path__free(&now);
        return om_fail_memory(x->ctx);
    }
    om_path__free(&x->tail);
    x->tail = now;
    x->prefix = 0;
    x->loop = loop;
    return OM_OK;
}

static int initial_states(const extraction *x, om_path *out, bool *rooted)
{
    const om_step *steps;
    size_t n;
    int rc = om_cursor_initial(x->cursor, &steps, &n);
    *rooted = false;
    for (size_t i = 0; rc == OM_OK && i < n; i++) {
        *rooted = *rooted || steps[i].to == state_at(x, 0);
        rc = om_path__add(out, steps[i].to) == OM_OK ? OM_OK : om_fail_memory(x->ctx);
    }
    return rc;
}

/* ---- gaps ---- */

static bool leads_to(const extraction *x, om_id from, om_id to, int *rc)
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
    const extraction *x;
    om_id state;
} gap_end;

static bool same_as_gap_end(void *self, om_id id)
{
    const gap_end *g = self;
    return g->x->e->same(g->x->e->self, id, g->state);
}

static bool may_have_gaps(const extraction *x)
{
    return x->gaps || x->e->same != NULL;
}

/* From one state of the evidence to the next, between which no edge is: inside the component of the
 * two, or, with `gaps`, anywhere. */
static int fill_gap(extraction *x, om_id from, om_id to, om_path *path, bool *found)
{
    gap_end g = { x, to };
    const om_aim aim = { .inside = x->gaps ? NULL : same_as_gap_end, .self = &g, .state = to };
    return om_seek__find(&x->seek, &from, 1, &aim, path, NULL, NULL, found);
}

/* ---- short cuts ---- */

static bool is_marked(void *self, om_id id)
{
    const bool *marked = om_side_at(self, id);
    return marked != NULL && *marked;
}

static int mark(const extraction *x, om_side *marks, om_id id)
{
    bool *marked = om_side_at(marks, id);
    if (marked == NULL)
        return om_fail_memory(x->ctx);
    *marked = true;
    return OM_OK;
}

/* The states of the run, up to `loop`, and what fills its gaps. */
static int states_of_run(extraction *x, om_path *out)
{
    int rc = om_path__add(out, state_at(x, 0)) == OM_OK ? OM_OK : om_fail_memory(x->ctx);
    for (size_t i = 0; rc == OM_OK && i < x->loop; i++) {
        om_id from = state_at(x, i), to = state_at(x, i + 1);
        bool found = true;
        if (may_have_gaps(x) && !leads_to(x, from, to, &rc) && rc == OM_OK)
            rc = fill_gap(x, from, to, out, &found);
        if (rc == OM_OK && om_path__add(out, to) != OM_OK)
            rc = om_fail_memory(x->ctx);
    }
    return rc;
}

/* Marks the run, and so many states that it leads to, nearest first. */
static int mark_surroundings(extraction *x, om_side *marks, uint64_t most)
{
    om_path run = { .heap = om_context_heap(x->ctx) };
    const om_aim aim = { .state = OM_NO_ID, .most = most };
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

/* A shortest path among the states of the run up to `loop` and those around it. */
static int find_short_cut(
    extraction *x, const om_path *initial, om_path *path, om_id *source, bool *found)
{
    om_side *marks = NULL;
    int rc = om_side_new(&marks, om_task_product(x->task), sizeof(bool));
    if (rc == OM_OK)
        rc = mark_surroundings(x, marks, worth(x));
    const om_aim aim = { .inside = is_marked, .self = marks, .state = state_at(x, x->loop) };
    if (rc == OM_OK)
        rc = om_seek__find(&x->seek, initial->ids, initial->count, &aim, path, source, NULL, found);
    om_side_free(marks);
    return rc;
}

/* Short cuts, one after the other: the shorter the run, the farther around it the next one looks,
 * as long as that is worth its time. */
static int take_short_cuts(extraction *x, const om_path *initial)
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
        rc = find_short_cut(x, initial, &path, &source, &found);
        if (rc == OM_OK && found && path.count < x->loop)
            rc = replace_stem(x, source, &path);
    } while (rc == OM_OK && x->loop > SHORT && x->loop < before - before / 8);
    om_path__free(&path);
    return rc;
}

/*
 * The run up to `loop` leads to a state for which at() is true. A shorter one takes its place,
 * where there is one that is not too far to seek; any, where the run begins in the middle.
 */
static int find_stem(extraction *x, bool (*at)(void *self, om_id id), void *self)
{
    om_path initial = { .heap = om_context_heap(x->ctx) }, path = initial;
    om_aim aim = { .state = OM_NO_ID, .at = at, .self = self };
    om_id source = OM_NO_ID;
    bool rooted = false, found = false;
    int rc = initial_states(x, &initial, &rooted);
    aim.most = rooted ? worth(x) : 0;
    x->seek.until_ns = rooted ? worth_until_ns(x) : 0;
    if (rc == OM_OK && (!rooted || (aim.most != 0 && !x->e->shortest)))
        rc =
            om_seek__find(&x->seek, initial.ids, initial.count, &aim, &path, &source, NULL, &found);
    if (rc == OM_OK && rooted && !found && !x->e->shortest)
        rc = take_short_cuts(x, &initial);
    x->seek.until_ns = 0;
    if (rc == OM_OK && found && (!rooted || path.count < x->loop))
        rc = replace_stem(x, source, &path);
    else if (rc == OM_OK && !rooted && !found)
        rc = om_fail(x->ctx, OM_EINTERNAL, NULL,
            "the state that a checker gave as evidence cannot be reached");
    om_path__free(&initial);
    om_path__free(&path);
    return rooted ? would_be_nice(x, rc) : rc;
}

/* The same to where the run repeats. */
static int find_stem_to_loop(extraction *x)
{
    om_id entry = state_at(x, x->loop);
    return find_stem(x, is_state, &entry);
}

/* ---- the cycle ---- */

/* Breadth-first for a short cycle from the last state of the run on. */
static int near_cycle(extraction *x, bool *found)
{
    om_id source = state_at(x, length_of(x) - 1), onto = OM_NO_ID;
    const om_aim aim = { .inside = in_weak,
        .self = x,
        .avoid = x->avoid,
        .state = OM_NO_ID,
        .cycle = true,
        .most = NEAR };
    x->weak_in = source;
    int rc = om_seek__find(&x->seek, &source, 1, &aim, &x->tail, NULL, &onto, found);
    if (rc == OM_OK && *found)
        for (x->loop = length_of(x) - 1; state_at(x, x->loop) != onto;)
            x->loop--;
    return rc;
}

/* From the last state of the run, which is in the component, through all marks and back. */
static int marked_cycle(extraction *x, bool *complete)
{
    size_t begin = length_of(x);
    om_id entry = state_at(x, begin - 1), at = entry;
    om_marks missing = x->component.weak || !x->marks_count ? 0 : x->see;
    bool found = true, closed = false;
    int rc = OM_OK;
    om_aim aim = { .inside = x->inside, .self = x->self, .avoid = x->avoid };

    while (rc == OM_OK && found && (missing != 0 || !closed)) {
        size_t before = length_of(x);
        aim.marks = missing;
        aim.state = missing == 0 ? entry : OM_NO_ID;
        rc = om_seek__find(&x->seek, &at, 1, &aim, &x->tail, NULL, NULL, &found);
        if (rc != OM_OK || !found)
            break;
        om_marks seen = 0;
        rc = om_seek__marks(&x->seek, at, x->tail.ids + (before - x->prefix), length_of(x) - before,
            x->avoid, &seen);
        missing &= ~seen;
        at = state_at(x, length_of(x) - 1);
        closed = at == entry;
    }
    *complete = found;
    x->loop = begin - 1;
    if (rc == OM_OK && found) /* the entry stands at the beginning of the cycle, not at its end */
        x->tail.count--;
    return rc;
}

/* Goes on from the last state of the run into the component. */
static int enter_component(extraction *x)
{
    om_id last = state_at(x, length_of(x) - 1);
    bool found = false;
    const om_aim aim = { .state = OM_NO_ID, .at = x->inside, .self = x->self };
    int rc = om_seek__find(&x->seek, &last, 1, &aim, &x->tail, NULL, NULL, &found);
    return rc == OM_OK && !found
               ? om_fail(x->ctx, OM_EINTERNAL, NULL, "an accepting component cannot be reached")
               : rc;
}

/* The run enters the component with its last state: a better path there, and the cycle. *found: one
 * is there, as far as the component is known. */
static int finish_in_component(extraction *x, bool *found)
{
    x->loop = length_of(x) - 1;
    int rc = find_stem(x, x->inside, x->self);
    return rc == OM_OK ? marked_cycle(x, found) : rc;
}

/* A run, and where it repeats. */
static int find_run(extraction *x)
{
    const om_evidence *e = x->e;
    bool found = false, known = e->entry < e->length;
    int rc = OM_OK;
    if (known && e->same != NULL) {
        x->inside = same_as_entry;
        x->self = x;
        x->prefix = e->entry + 1;
        rc = finish_in_component(x, &found);
        if (rc != OM_OK || found)
            return rc;
        x->prefix = e->entry + 1;
        x->tail.count = 0;
    }
    om_id last = state_at(x, length_of(x) - 1);
    if (is_weak(x, last))
        rc = near_cycle(x, &found);
    if (rc == OM_OK && !found && known && is_weak(x, last) &&
        leads_to(x, last, e->path[e->entry], &rc)) {
        x->loop = e->entry;
        found = true;
    }
    if (rc != OM_OK || found)
        return rc == OM_OK ? find_stem_to_loop(x) : rc;
    rc = search_component(x);
    if (rc == OM_OK)
        rc = enter_component(x);
    if (rc == OM_OK)
        rc = finish_in_component(x, &found);
    return rc == OM_OK && !found ? om_fail(x->ctx, OM_EINTERNAL, NULL,
                                       "an accepting component has no accepting cycle")
                                 : rc;
}

/* ---- another run ---- */

/* An accepting component among the states that are nearest to the beginning, `most` of them and
 * their successors. *all: there are no others. */
static int find_near_component(
    extraction *x, const om_path *initial, uint64_t most, size_t *from, bool *all)
{
    const om_aim aim = { .state = OM_NO_ID, .most = most };
    bool found = false;
    int rc = om_seek__find(&x->seek, initial->ids, initial->count, &aim, NULL, NULL, NULL, &found);
    *all = x->seek.count <= most;
    for (*from = 0; rc == OM_OK && *from < initial->count; ++*from) {
        rc = find_component(x, initial->ids[*from], om_seek__has_met, &x->seek);
        if (x->component.found)
            break;
    }
    return rc;
}

/* Where there is one, a run into it takes the place of what is there. */
static int find_near_run(extraction *x, const om_path *initial, bool *found)
{
    const uint64_t most = worth(x);
    size_t from = 0;
    bool all = false;
    int rc = OM_OK;
    for (uint64_t n = NEAREST; rc == OM_OK && !x->component.found && !all && n <= most; n *= 4)
        rc = find_near_component(x, initial, n, &from, &all);
    if (rc != OM_OK || !x->component.found)
        return rc;
    x->prefix = 0;
    if (om_path__add(&x->tail, initial->ids[from]) != OM_OK)
        return om_fail_memory(x->ctx);
    x->seek.until_ns = 0; /* little is missing */
    rc = enter_component(x);
    return rc == OM_OK ? marked_cycle(x, found) : rc;
}

/* Evidence of a depth-first search may come from the far end of the model, where another run ends
 * near its beginning: that one, if it is shorter. */
static int shorten(extraction *x)
{
    const om_heap *heap = om_context_heap(x->ctx);
    om_path tail = x->tail, initial = { .heap = heap };
    const size_t prefix = x->prefix, loop = x->loop, length = length_of(x);
    bool rooted = false, found = false;
    int rc = initial_states(x, &initial, &rooted);
    om_component__free(&x->component);
    x->tail = (om_path){ .heap = heap };
    x->seek.until_ns = worth_until_ns(x);
    if (rc == OM_OK)
        rc = find_near_run(x, &initial, &found);
    x->seek.until_ns = 0;
    if (rc != OM_OK || !found || length_of(x) >= length) {
        om_path other = x->tail;
        x->tail = tail;
        x->prefix = prefix;
        x->loop = loop;
        tail = other;
    }
    om_path__free(&tail);
    om_path__free(&initial);
    return would_be_nice(x, rc);
}

/* ---- as a lasso ---- */

/* Do two states of the product show the same state of the model? */
static bool same_model(const extraction *x, om_id a, om_id b, uint32_t *vectors)
{
    om_product *p = om_task_product(x->task);
    uint32_t words = om_product_words(p), model = om_product_spec_of(p)->executor->words;
    if (a == b)
        return true;
    om_cursor_vector(x->cursor, a, vectors);
    om_cursor_vector(x->cursor, b, vectors + words);
    return memcmp(vectors, vectors + words, model * sizeof *vectors) == 0;
}

static bool repeats(const extraction *x, size_t end, size_t period, uint32_t *vectors)
{
    for (size_t i = x->loop; i + period < end; i++)
        if (!same_model(x, state_at(x, i), state_at(x, i + period), vectors))
            return false;
    return true;
}

/* The product may need several rounds, or a longer path, where the model does the same all the
 * time. Neither change alters the endless run: a cycle w..w is w, and u a (v a)... is u (a v)... */
static int fold(extraction *x, size_t *end)
{
    uint32_t *vectors = om_alloc(om_context_heap(x->ctx),
        2 * (size_t) om_product_words(om_task_product(x->task)), sizeof *vectors);
    size_t cycle = *end - x->loop;
    if (vectors == NULL)
        return om_fail_memory(x->ctx);
    for (size_t period = 1; period < cycle; period++)
        if (cycle % period == 0 && repeats(x, *end, period, vectors)) {
            *end = x->loop + period;
            break;
        }
    while (x->loop > 0 && same_model(x, state_at(x, x->loop - 1), state_at(x, *end - 1), vectors)) {
        x->loop--;
        --*end;
    }
    om_free(om_context_heap(x->ctx), vectors);
    return OM_OK;
}

/* A lasso that grows. */
typedef struct writer {
    om_lasso l;
    size_t capacity;
} writer;

static int put(writer *w, uint32_t transition)
{
    uint32_t *all = om_grow(w->l.heap, w->l.transitions, &w->capacity, w->l.count + 1, sizeof *all);
    if (all == NULL)
        return OM_ENOMEM;
    w->l.transitions = all;
    all[w->l.count++] = transition;
    return OM_OK;
}

/* The transition of a step from one state to another; *found: there is one. */
static int put_step(writer *w, om_context *ctx, om_cursor *c, om_id from, om_id to, bool *found)
{
    const om_step *steps;
    size_t n = 0;
    int rc = om_context_stopped(ctx);
    if (rc == OM_OK)
        rc = om_cursor_successors(c, from, &steps, &n);
    *found = false;
    for (size_t i = 0; rc == OM_OK && i < n && !*found; i++)
        if (steps[i].to == to) {
            *found = true;
            rc = put(w, steps[i].transition) == OM_OK ? OM_OK : om_fail_memory(ctx);
        }
    return rc;
}

/* Steps from one state to another, across what may be a gap. */
static int put_steps(writer *w, extraction *x, om_id from, om_id to)
{
    bool found = false;
    int rc = put_step(w, x->ctx, x->cursor, from, to, &found);
    if (rc != OM_OK || found)
        return rc;
    om_path path = { .heap = om_context_heap(x->ctx) };
    if (may_have_gaps(x))
        rc = fill_gap(x, from, to, &path, &found);
    if (rc == OM_OK && !found)
        rc = om_fail(x->ctx, OM_EINTERNAL, NULL, "a checker gave a path as evidence that is none");
    for (size_t i = 0; rc == OM_OK && i < path.count; i++) {
        rc = put_step(w, x->ctx, x->cursor, from, path.ids[i], &found);
        from = path.ids[i];
        assert(rc != OM_OK || found);
    }
    om_path__free(&path);
    return rc;
}

static writer new_writer(om_context *ctx, om_product *p)
{
    const om_executor *x = om_product_spec_of(p)->executor;
    writer w = { .l = { .heap = om_context_heap(ctx), .words = x->words, .loop = OM_NO_LOOP } };
    if (x->model != NULL)
        w.l.form = om_model__form_of(x->model);
    return w;
}

/* The first `end` states of the run; what comes behind the last is as it was, or nothing. */
static int write(extraction *x, size_t end, bool endless, om_lasso *out)
{
    writer w = new_writer(x->ctx, om_task_product(x->task));
    size_t all = length_of(x), loop = x->loop;
    om_id back = endless ? state_at(x, loop) : OM_NO_ID;
    int rc = OM_OK;
    if (endless && end == all)
        rc = fold(x, &end);
    for (size_t i = 0; rc == OM_OK && i < end; i++) {
        if (endless && i == x->loop)
            w.l.loop = w.l.count;
        if (i + 1 < end || endless)
            rc = put_steps(&w, x, state_at(x, i), i + 1 < all ? state_at(x, i + 1) : back);
        else if (put(&w, OM_NONE) != OM_OK)
            rc = om_fail_memory(x->ctx);
    }
    if (rc == OM_OK)
        *out = w.l;
    else
        om_lasso_free(&w.l);
    return rc;
}

/* How many states of the run come before the automaton is in this state. */
static size_t before(const extraction *x, uint32_t automaton_state)
{
    size_t n = 0;
    while (
        n < length_of(x) && om_cursor_automaton_state(x->cursor, state_at(x, n)) != automaton_state)
        n++;
    return n;
}

static int begin(extraction *x, om_context *ctx, om_task *task)
{
    *x = (extraction){ .ctx = ctx, .task = task, .e = om_task_evidence_of(task) };
    x->tail.heap = om_context_heap(ctx);
    if (x->e == NULL)
        return om_fail(ctx, OM_EINTERNAL, NULL, "a checker gave no evidence");
    x->prefix = x->e->length;
    int rc = om_task_cursor(task, 0, &x->cursor);
    return rc == OM_OK ? om_seek__open(&x->seek, ctx, task) : rc;
}

static void close(extraction *x)
{
    om_seek__close(&x->seek);
    om_component__free(&x->component);
    om_path__free(&x->tail);
}

int om_lasso_extract(om_lasso *out, om_context *ctx, om_task *task)
{
    extraction x;
    int rc = begin(&x, ctx, task);
    if (rc == OM_OK) {
        settle_marks(&x);
        rc = find_run(&x);
    }
    if (rc == OM_OK && length_of(&x) > SHORT)
        rc = shorten(&x);
    if (rc == OM_OK)
        rc = write(&x, length_of(&x), true, out);
    close(&x);
    return rc;
}

typedef struct waiting {
    const extraction *x;
    uint32_t automaton_state;
} waiting;

static bool has_come(void *self, om_id id)
{
    const waiting *w = self;
    return om_cursor_automaton_state(w->x->cursor, id) == w->automaton_state;
}

/* A run to a state in which the automaton has come to this state of its. */
static int find_trace(extraction *x, uint32_t automaton_state)
{
    waiting w = { x, automaton_state };
    int rc = OM_OK;
    if (before(x, automaton_state) == length_of(x)) {
        settle_marks(x);
        rc = search_component(x);
        if (rc == OM_OK)
            rc = enter_component(x);
    }
    size_t n = before(x, automaton_state);
    if (rc == OM_OK && n == length_of(x))
        rc = om_fail(x->ctx, OM_EINTERNAL, NULL, "a checker's evidence shows no such state");
    if (rc != OM_OK)
        return rc;
    x->loop = n; /* no state behind it is of interest */
    if (n < x->prefix) {
        x->prefix = n + 1;
        x->tail.count = 0;
    } else {
        x->tail.count = n + 1 - x->prefix;
    }
    return find_stem(x, has_come, &w);
}

int om_lasso__extract_trace(om_lasso *out, om_context *ctx, om_task *task, uint32_t automaton_state)
{
    extraction x;
    int rc = begin(&x, ctx, task);
    if (rc == OM_OK)
        rc = find_trace(&x, automaton_state);
    if (rc == OM_OK && length_of(&x) < 2)
        rc = om_fail(ctx, OM_EINTERNAL, NULL, "a checker's evidence shows no such state");
    if (rc == OM_OK)
        rc = write(&x, length_of(&x) - 1, false, out);
    close(&x);
    return rc;
}

int om_lasso__from_path(
    om_lasso *out, om_context *ctx, om_product *p, om_cursor *c, const om_id *path, size_t n)
{
    writer w = new_writer(ctx, p);
    bool found = true;
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i + 1 < n; i++) {
        rc = put_step(&w, ctx, c, path[i], path[i + 1], &found);
        if (rc == OM_OK && !found)
            rc = om_fail(ctx, OM_EINTERNAL, NULL, "a search gave a path that is none");
    }
    if (rc == OM_OK && put(&w, OM_NONE) != OM_OK)
        rc = om_fail_memory(ctx);
    if (rc == OM_OK)
        *out = w.l;
    else
        om_lasso_free(&w.l);
    return rc;
}

int om_lasso__extract_fault(om_lasso *out, om_context *ctx, om_task *task, om_fault *fault)
{
    om_evidence e = { .size = sizeof e };
    extraction x = { .ctx = ctx, .task = task, .e = &e, .gaps = true };
    om_id at = OM_NO_ID;
    x.tail.heap = om_context_heap(ctx);
    int rc = om_task_cursor(task, 0, &x.cursor);
    if (rc == OM_OK)
        rc = om_seek__open(&x.seek, ctx, task);
    if (rc != OM_OK)
        return rc;
    *fault = om_task_fault_of(task, &at, &e.path, &e.length, &e.shortest);
    if (*fault == 0) /* it was met behind the evidence */
        *fault = om_cursor_fault(x.cursor, &at, NULL);
    if (e.path == NULL) {
        e.path = &at;
        e.length = 1;
    }
    x.prefix = e.length;
    x.loop = e.length - 1; /* nothing is behind it */
    rc = find_stem(&x, is_state, &at);
    if (rc == OM_OK)
        rc = write(&x, length_of(&x), false, out);
    close(&x);
    return rc;
}
