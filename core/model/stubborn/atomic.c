/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic sequences. Some models have a cell, the *holder*: while it is not 0, only the process that
 * it names can move, and the state is not visible (om_model_set_visible()). No choice is made in
 * such a state. So a step from a visible state and all steps up to the next visible one are one
 * step as far as the relations are concerned, and a transition has the accesses of all transitions
 * that may follow it on the way. The holder is 0 wherever there is a choice; it has no accesses.
 *
 *  A1  If two sequences start with transitions that have no conflicting accesses, each step of the
 *      one commutes with each step of the other (D1), and so do the sequences.
 *  A2  A test in the guard of a later transition decides how the sequence goes on. So it is a read,
 *      and conflicts with all that may change it, in either direction.
 *  A3  Assertions and guards that fault are looked at between the steps. A sequence reads what a
 *      watcher reads if it writes some of that.
 */
#include "footprint.h"
#include "left.h"

#include <stdlib.h>
#include <string.h>

/* Of the accesses of a sequence, of the transitions in all sequences, of values of a holder, and
 * what these are below */
enum {
    MOST_OF_SEQUENCE = 1 << 12,
    MOST_FOLLOWERS = 1 << 24,
    MOST_HOLDERS = 1 << 12,
    MOST_HOLDER = 1 << 17
};

bool om_footprint__of_cell(om_footprint *f, om_expr e, uint32_t cell, om_value value, om_value *v)
{
    const om_node n = f->m->nodes[e];
    om_value a = 0, b = 0;
    if (e == 0 || om_footprint__fold(f, e, v))
        return e != 0;
    if (n.op == OM_OP_SLOT || n.op == OM_OP_ELEMENT) {
        const om_access cells = om_footprint__cells(f, n.a, n.op == OM_OP_ELEMENT ? n.b : 0);
        *v = value;
        return cells.count == 1 && cells.cell == cell;
    }
    return om_footprint__of_cell(f, n.a, cell, value, &a) &&
           (n.b == 0 || om_footprint__of_cell(f, n.b, cell, value, &b)) &&
           om_fold__constant((om_op) n.op, a, b, v);
}

/* ---- the holder ---- */

/* Returns true if a guard may hold when the cell that is taken for the holder has this value. */
static bool allows(om_footprint *f, om_expr guard, om_value holder)
{
    const om_node n = f->m->nodes[guard];
    om_value v = 1;
    if (guard != 0 && n.op == OM_OP_AND)
        return allows(f, n.a, holder) && allows(f, n.b, holder);
    return guard == 0 || !om_footprint__of_cell(f, guard, f->holder, holder, &v) || v != 0;
}

/* Sets *v to the value other than 0 that an assignment may give to the holder, if it is known. A
 * process that cannot go on does not hold: its number is multiplied by a truth value; number 1 is
 * that truth value. */
static bool next_holder(om_footprint *f, const om_assign *a, om_value *v)
{
    const om_node *n = &f->m->nodes[a->value];
    if (om_footprint__fold(f, a->value, v))
        return true;
    *v = 1;
    return om_fold__is_boolean(f->m, a->value) ||
           (n->op == OM_OP_MUL && om_fold__is_boolean(f->m, n->b) &&
               om_footprint__fold(f, n->a, v));
}

/* Returns true if only one process can move while the holder has this value. Last resorts do not
 * count: the process can move. */
static bool is_of_one_process(om_footprint *f, om_value holder)
{
    uint32_t process = OM_NONE;
    for (uint32_t t = 0; t < f->transitions; t++) {
        const om_transition *tr = om_model_transition(f->m, t);
        if (om_model__is_never(f->m, t) || om_model__is_last_resort(f->m, t) ||
            !allows(f, tr->guard, holder))
            continue;
        if (tr->process == OM_NONE || (process != OM_NONE && process != tr->process))
            return false;
        process = tr->process;
    }
    return true;
}

/* Values of a holder */
typedef struct values {
    uint64_t bits[MOST_HOLDER / 64];
    uint32_t count;
} values;

/* Adds a value unless it is there. */
static bool is_new(values *s, om_value v)
{
    const uint64_t bit = UINT64_C(1) << (v % 64);
    const bool there = (s->bits[v / 64] & bit) != 0;
    s->bits[v / 64] |= bit;
    s->count += !there;
    return !there;
}

/* Returns true if the cell is a holder for all values that it may get. */
static bool is_holder(om_footprint *f)
{
    values known = { .count = 0 };
    for (uint32_t t = 0; t < f->transitions; t++) {
        const om_transition *tr = om_model_transition(f->m, t);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            const om_assign *a = &tr->assigns[i];
            om_value v = 0;
            if (f->cell_of[a->slot] != f->holder || om_model__slot(f->m, a->slot)->length != 0)
                continue;
            if (!next_holder(f, a, &v) || v < 0 || v >= MOST_HOLDER)
                return false;
            if (v != 0 && is_new(&known, v) &&
                (known.count > MOST_HOLDERS || !is_of_one_process(f, v)))
                return false;
        }
    }
    return true;
}

void om_footprint__find_holder(om_footprint *f)
{
    const om_model *m = f->m;
    const om_node *n = &m->nodes[m->visible], *left = &m->nodes[n->a], *right = &m->nodes[n->b];
    f->holder = OM_NONE;
    if (m->visible == 0 || n->op != OM_OP_EQ || left->op != OM_OP_SLOT ||
        om_model__slot(m, left->a)->length != 0 || right->op != OM_OP_CONST || right->value != 0)
        return;
    f->holder = f->cell_of[left->a];
    if (!is_holder(f))
        f->holder = OM_NONE;
}

/* ---- sequences ---- */

typedef struct sequences {
    om_footprint *f;
    const om_left *left;
    uint32_t *first, *leaving; /* by place: the moves from there */
    uint32_t *seen;            /* by transition: the last sequence with it, plus 1 */
    uint32_t *stack;
    bool *goes_on;     /* by transition: the holder may be another than 0 after its step; ... */
    om_value *holder;  /* ... then it is this; 0: unknown */
    uint32_t *written; /* by cell: the last sequence that writes it, plus 1 */
    om_access *accesses;
    size_t count, room;
    int rc;
} sequences;

/* Returns true if the location from which a move starts is a place. */
static bool has_place(const om_left *l, uint32_t move)
{
    return l->moves.readable[l->process_of[move]] && l->moves.at[move].from != OM_NONE;
}

static bool index_places(sequences *q)
{
    const om_left *l = q->left;
    const om_heap *heap = q->f->m->heap;
    const uint32_t processes = om_model_process_count(l->m), moves = l->moves.first[processes];
    if (!OM_NEW(heap, q->first, l->base[processes] + (size_t) 3) ||
        !OM_NEW(heap, q->leaving, moves + (size_t) 1))
        return false;
    for (uint32_t i = 0; i < moves; i++)
        if (has_place(l, i))
            q->first[l->base[l->process_of[i]] + l->moves.at[i].from + 2]++;
    for (uint32_t p = 0; p < l->base[processes]; p++)
        q->first[p + 2] += q->first[p + 1];
    for (uint32_t i = 0; i < moves; i++)
        if (has_place(l, i))
            q->leaving[q->first[l->base[l->process_of[i]] + l->moves.at[i].from + 1]++] = i;
    return true;
}

/* Finds the holder after a step of the transition, and if the sequence may go on then. */
static void find_next_holder(sequences *q, uint32_t t)
{
    const om_transition *tr = om_model_transition(q->f->m, t);
    q->goes_on[t] = true;
    for (uint32_t i = 0; i < tr->assign_count; i++)
        if (q->f->cell_of[tr->assigns[i].slot] == q->f->holder) {
            om_value v = 0;
            q->goes_on[t] = !next_holder(q->f, &tr->assigns[i], &v) || v != 0;
            q->holder[t] = v;
        }
}

static void add(sequences *q, om_access a)
{
    if (q->rc == OM_OK && !OM_ROOM(q->f->m->heap, q->accesses, &q->room, q->count + 1))
        q->rc = OM_ENOMEM;
    if (q->rc == OM_OK)
        q->accesses[q->count++] = a;
}

/* Returns true if the sequence itself sets the location that is tested. */
static bool is_own_location(const sequences *q, uint32_t t, const om_access *a)
{
    const om_left *l = q->left;
    for (uint32_t i = l->first[t]; i < l->first[t + 1]; i++) {
        const uint32_t p = l->process_of[l->of[i]];
        if (l->moves.readable[p] && q->f->cell_of[om_model__own_location(l->m, p)] == a->cell)
            return om_access__tests(a);
    }
    return false;
}

/* Adds the accesses of a later step: A2. */
static void add_step(sequences *q, uint32_t u)
{
    const om_footprint *f = q->f;
    for (uint32_t i = f->first[u]; i < f->first[u + 1]; i++) {
        om_access a = f->accesses[i];
        if (is_own_location(q, u, &a))
            continue;
        if (om_access__tests(&a))
            a = (om_access){ .kind = OM_READ, .cell = a.cell, .count = a.count };
        add(q, a);
    }
}

/* Puts the transitions that may follow t in its sequence on the stack. */
static size_t push_next(sequences *q, uint32_t t, uint32_t start, size_t depth)
{
    const om_left *l = q->left;
    for (uint32_t i = l->first[t]; i < l->first[t + 1]; i++) {
        const om_move *v = &l->moves.at[l->of[i]];
        const uint32_t p = l->process_of[l->of[i]], to = v->to == OM_MOVE_STAYS ? v->from : v->to;
        if (!l->moves.readable[p] || to >= OM_MOVE_ANYWHERE) {
            q->rc = OM_EUNSUPPORTED;
            return depth;
        }
        for (uint32_t k = q->first[l->base[p] + to]; k < q->first[l->base[p] + to + 1]; k++) {
            const uint32_t u = l->moves.at[q->leaving[k]].transition;
            if (q->seen[u] == start + 1 || q->f->dead[u])
                continue;
            q->seen[u] = start + 1;
            q->stack[depth++] = u;
        }
    }
    return depth;
}

static int compare(const void *x, const void *y)
{
    const om_access *a = x, *b = y;
    const int64_t differences[] = { (int64_t) a->cell - b->cell, (int64_t) a->count - b->count,
        (int64_t) a->kind - b->kind, (int64_t) a->value - b->value, (int64_t) a->end - b->end };
    for (int i = 0; i < 5; i++)
        if (differences[i] != 0)
            return differences[i] < 0 ? -1 : 1;
    return 0;
}

/* Leaves out repetitions, from an access on. */
static void unite(sequences *q, size_t first)
{
    size_t kept = first;
    if (q->rc != OM_OK || q->count == first)
        return;
    qsort(q->accesses + first, q->count - first, sizeof *q->accesses, compare);
    for (size_t i = first; i < q->count; i++)
        if (kept == first || compare(&q->accesses[kept - 1], &q->accesses[i]) != 0)
            q->accesses[kept++] = q->accesses[i];
    q->count = kept;
}

/* ---- watchers ---- */

static void mark_written(sequences *q, uint32_t t, size_t first)
{
    for (size_t i = first; i < q->count; i++) {
        const om_access *a = &q->accesses[i];
        for (uint32_t c = a->cell; om_access__writes(a) && c < a->cell + a->count; c++)
            q->written[c] = t + 1;
    }
}

/* Returns true if all writes of a transition to a cell leave a conjunct false. */
static bool keeps_false(
    const sequences *q, uint32_t u, const om_conjunct *c, uint32_t cell, bool *writes)
{
    om_footprint *f = q->f;
    const om_access one = { .cell = cell, .count = 1 };
    for (uint32_t i = f->first[u]; i < f->first[u + 1]; i++) {
        const om_access *a = &f->accesses[i];
        om_value v;
        if (!om_access__writes(a) || !om_access__overlap(a, &one))
            continue;
        *writes = true;
        if (a->kind != OM_WRITE_CONST ||
            !om_footprint__of_cell(f, c->expression, cell, a->value, &v) || v != 0)
            return false;
    }
    return true;
}

/* Returns true if a conjunct is false for the holder after a step that goes on. */
static bool is_held_off(const sequences *q, uint32_t t, const om_conjunct *c)
{
    om_value v;
    return q->holder[t] != 0 &&
           om_footprint__of_cell(q->f, c->expression, q->f->holder, q->holder[t], &v) &&
           (v != 0) == c->negated;
}

/* Returns true if a conjunct of a watcher is false between all steps of a sequence, because of the
 * holder or the locations that the steps set, the first one included. */
static bool leaves(const sequences *q, uint32_t t, const om_conjunct *c)
{
    const om_footprint *f = q->f;
    if (c->count == 0) {
        bool off = is_held_off(q, t, c);
        for (size_t i = f->first_follower[t]; i < f->follower_count && off; i++)
            off = !q->goes_on[f->followers[i]] || is_held_off(q, f->followers[i], c);
        return off;
    }
    if (c->negated)
        return false;
    const uint32_t cell = f->accesses[c->first].cell;
    bool at_once = false, later = false;
    if (!keeps_false(q, t, c, cell, &at_once) || !at_once)
        return false;
    for (size_t i = f->first_follower[t]; i < f->follower_count; i++)
        if (q->goes_on[f->followers[i]] && !keeps_false(q, f->followers[i], c, cell, &later))
            return false;
    return true;
}

static bool concerns(const sequences *q, uint32_t t, uint32_t watcher)
{
    const om_footprint *f = q->f;
    bool writes = false;
    for (uint32_t i = f->first[watcher]; i < f->first[watcher + 1]; i++) {
        const om_access *a = &f->accesses[i];
        for (uint32_t c = a->cell; c < a->cell + a->count && !writes; c++)
            writes = q->written[c] == t + 1;
    }
    for (uint32_t i = f->first_conjunct[watcher]; i < f->first_conjunct[watcher + 1] && writes; i++)
        if (leaves(q, t, &f->conjuncts[i]))
            return false;
    return writes;
}

/* A3 */
static void add_watchers(sequences *q, uint32_t t, size_t first)
{
    const om_footprint *f = q->f;
    mark_written(q, t, first);
    const size_t end = q->count;
    for (uint32_t w = f->transitions; w < f->all && q->rc == OM_OK; w++) {
        if (!concerns(q, t, w))
            continue;
        for (uint32_t i = f->first[w]; i < f->first[w + 1]; i++)
            add(q, (om_access){ .cell = f->accesses[i].cell, .count = f->accesses[i].count });
    }
    unite(q, end);
}

/* ---- all of it ---- */

static void add_follower(sequences *q, uint32_t u)
{
    om_footprint *f = q->f;
    if (f->follower_count >= MOST_FOLLOWERS)
        q->rc = OM_EUNSUPPORTED;
    else if (!OM_ROOM(f->m->heap, f->followers, &f->follower_room, f->follower_count + 1))
        q->rc = OM_ENOMEM;
    else
        f->followers[f->follower_count++] = u;
}

static void add_sequence(sequences *q, uint32_t t)
{
    om_footprint *f = q->f;
    const size_t first = q->count;
    size_t depth = 0;
    for (uint32_t i = f->first[t]; i < f->first[t + 1]; i++)
        add(q, f->accesses[i]);
    if (t < f->transitions)
        f->own_end[t] = (uint32_t) q->count;
    if (t >= f->transitions || f->dead[t] || !q->goes_on[t])
        return;
    const size_t own = q->count;
    depth = push_next(q, t, t, depth);
    while (depth > 0 && q->rc == OM_OK) {
        const uint32_t u = q->stack[--depth];
        add_step(q, u);
        add_follower(q, u);
        if (q->goes_on[u])
            depth = push_next(q, u, t, depth);
    }
    unite(q, own);
    add_watchers(q, t, first);
    if (q->rc == OM_OK && q->count - first > MOST_OF_SEQUENCE)
        q->rc = OM_EUNSUPPORTED;
}

/* Moves the conjuncts of a transition or watcher, whose accesses come first. */
static void move_conjuncts(om_footprint *f, uint32_t t, size_t first)
{
    for (uint32_t i = f->first_conjunct[t]; i < f->first_conjunct[t + 1]; i++)
        f->conjuncts[i].first = f->conjuncts[i].first - f->first[t] + (uint32_t) first;
}

static int join(sequences *q)
{
    om_footprint *f = q->f;
    uint32_t *first = NULL;
    if (!OM_NEW(f->m->heap, first, f->all + (size_t) 1))
        return OM_ENOMEM;
    for (uint32_t t = 0; t < f->all && q->rc == OM_OK; t++) {
        first[t] = (uint32_t) q->count;
        if (t < f->transitions)
            f->first_follower[t] = (uint32_t) f->follower_count;
        add_sequence(q, t);
        if (q->rc == OM_OK)
            q->rc = om_context_stopped(f->m->ctx);
    }
    if (q->rc != OM_OK) {
        om_free(f->m->heap, first);
        return q->rc;
    }
    first[f->all] = (uint32_t) q->count;
    f->first_follower[f->transitions] = (uint32_t) f->follower_count;
    for (uint32_t t = 0; t < f->all; t++)
        move_conjuncts(f, t, first[t]);
    OM_FREE_ALL(f->m->heap, f->accesses, f->first);
    f->first = first;
    f->accesses = q->accesses;
    f->access_count = q->count;
    f->access_room = q->room;
    q->accesses = NULL;
    return OM_OK;
}

int om_footprint__join_sequences(om_footprint *f, const om_left *left)
{
    const om_heap *heap = f->m->heap;
    const size_t transitions = f->transitions + (size_t) 1,
                 cells = f->cell_of[om_model_slot_count(f->m)] + (size_t) 1;
    sequences q = { .f = f, .left = left };
    if (!OM_NEW(heap, f->first_follower, transitions) || !OM_NEW(heap, f->own_end, transitions))
        return OM_ENOMEM;
    for (uint32_t t = 0; t < f->transitions; t++)
        f->own_end[t] = f->first[t + 1];
    if (f->holder == OM_NONE)
        return OM_OK;
    int rc = index_places(&q) && OM_NEW(heap, q.seen, transitions) &&
                     OM_NEW(heap, q.stack, transitions) && OM_NEW(heap, q.goes_on, transitions) &&
                     OM_NEW(heap, q.holder, transitions) && OM_NEW(heap, q.written, cells)
                 ? OM_OK
                 : OM_ENOMEM;
    for (uint32_t t = 0; t < f->transitions && rc == OM_OK; t++)
        find_next_holder(&q, t);
    if (rc == OM_OK && !OM_ROOM(heap, q.accesses, &q.room, 1))
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = join(&q);
    OM_FREE_ALL(
        heap, q.first, q.leaving, q.seen, q.stack, q.goes_on, q.holder, q.written, q.accesses);
    return rc;
}
