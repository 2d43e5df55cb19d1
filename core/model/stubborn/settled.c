/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has been settled when the search begins to branch. Many models start with a sequence of
 * steps that leaves no choice: an initial process binds channels to the processes that it starts,
 * and ends. Cells that no later step changes are constants from then on.
 *
 * The *settled* states are the first ones, on each run, with a choice between orders: several
 * processes can move. The *values* of a cell are those that it may have when it is read in a
 * state that is reachable from there; a transition is *dead* if it is enabled in none of them. Both
 * are what remains of "all cells keep their values, and all transitions are dead" when each
 * transition whose guard may hold has been tried (conditional constant propagation: M. Wegman,
 * F. Zadeck, "Constant propagation with conditional branches", 1991). A reset (reset.c) does not
 * count: its cell is not read before it is written again; nor do assignments by which a process
 * ends, to slots that no transition reads any more (left.h).
 */
#include "footprint.h"
#include "left.h"

#include <string.h>

/* States before the settled ones; if there are more, the others count as settled. */
enum { MOST_STATES = 1 << 13, MOST_WORDS = 1 << 20, PLACES = 2 * MOST_STATES };
/* Transitions and expressions that are looked at: a round over all of them may find out about one
 * more of them only. After so many, nothing is known. */
enum { MOST_LOOKS = 1 << 24 };

/* ---- values ---- */

/* Adds a value to those of a cell; NULL: any. Returns true if they change. */
static bool add_value(om_values *values, const om_value *v)
{
    if (values->count == OM_ANY_VALUE)
        return false;
    for (uint32_t i = 0; v != NULL && i < values->count; i++)
        if (values->at[i] == *v)
            return false;
    if (v != NULL && values->count < OM_MOST_VALUES)
        values->at[values->count++] = *v;
    else
        values->count = OM_ANY_VALUE;
    return true;
}

/* Adds the values in a settled state. */
static void add_state(om_footprint *f, const uint32_t *vector)
{
    const om_model *m = f->m;
    for (uint32_t s = 0; s < om_model_slot_count(m); s++)
        for (uint32_t c = f->cell_of[s]; c < f->cell_of[s + 1] && !om_model__is_member(m, s); c++) {
            const om_value v = om_slot_get(om_model__slot(m, s), vector, c - f->cell_of[s]);
            add_value(&f->values[c], &v);
        }
}

/* ---- the states before ---- */

typedef struct beginning {
    const om_executor *x;
    uint32_t *vectors, count;
    uint32_t places[PLACES]; /* hash table: 1 + the number of a state */
} beginning;

/* Adds a state unless it is there. */
static void add_vector(beginning *b, const uint32_t *vector)
{
    const size_t words = b->x->words;
    uint64_t hash = 0;
    for (size_t i = 0; i < words; i++)
        hash = (hash ^ vector[i]) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t place = (uint32_t) (hash >> 40) % PLACES;
    for (; b->places[place] != 0; place = (place + 1) % PLACES)
        if (memcmp(b->vectors + (b->places[place] - 1) * words, vector, words * sizeof *vector) ==
            0)
            return;
    memcpy(b->vectors + b->count * words, vector, words * sizeof *vector);
    b->places[place] = ++b->count;
}

bool om_footprint__has_choice(
    const om_footprint *f, const uint32_t *vector, const uint32_t *enabled, size_t count)
{
    const uint32_t process = count > 0 ? om_model_transition(f->m, enabled[0])->process : OM_NONE;
    bool others = process == OM_NONE;
    for (size_t i = 1; i < count && !others; i++)
        others = om_model_transition(f->m, enabled[i])->process != process;
    return count > 1 && others &&
           (f->holder == OM_NONE ||
               om_slot_get(om_model__slot(f->m, f->slot_of[f->holder]), vector, 0) == 0);
}

/* Finds the settled states: goes on from all others. */
static int find_settled(om_footprint *f, beginning *b, uint32_t most)
{
    om_successors out = { .heap = f->m->heap };
    int rc = OM_OK;
    b->x->initial(b->x, b->vectors);
    b->count = 1;
    for (uint32_t i = 0; i < b->count && rc == OM_OK; i++) {
        const uint32_t *vector = b->vectors + i * (size_t) b->x->words;
        rc = om_executor_successors(b->x, vector, &out);
        if (rc == OM_OK && out.fault == 0 && out.count > 0 && b->count + out.count <= most &&
            !om_footprint__has_choice(f, vector, out.transition, out.count))
            for (size_t k = 0; k < out.count; k++)
                add_vector(b, out.words + k * out.stride);
        else if (rc == OM_OK)
            add_state(f, vector);
        if (rc == OM_OK)
            rc = om_context_stopped(f->m->ctx);
    }
    om_successors_free(&out);
    return rc;
}

static int begin(om_footprint *f, const om_executor *x)
{
    const uint32_t by_words = MOST_WORDS / (x->words + 1) + 1,
                   most = by_words < MOST_STATES ? by_words : MOST_STATES;
    beginning *b = NULL;
    if (!OM_NEW(f->m->heap, b, 1))
        return OM_ENOMEM;
    b->x = x;
    const int rc = OM_NEW(f->m->heap, b->vectors, (most + 1) * (size_t) x->words)
                       ? find_settled(f, b, most)
                       : OM_ENOMEM;
    OM_FREE_ALL(f->m->heap, b->vectors, b);
    return rc;
}

/* ---- values of expressions ---- */

static bool fold_logic(om_footprint *f, const om_node *n, om_value *v)
{
    om_value a = 0, b = 0;
    const bool left = om_footprint__fold(f, n->a, &a), right = om_footprint__fold(f, n->b, &b);
    const bool left_decides = n->op == OM_OP_OR ? a != 0 : a == 0;
    const bool right_decides = n->op == OM_OP_AND ? b == 0 : b != 0;
    if (n->op == OM_OP_AND)
        *v = a != 0 && b != 0;
    else
        *v = (n->op == OM_OP_OR ? a != 0 : a == 0) || b != 0;
    /* A left operand that may fault is evaluated in any case. */
    return (left && (right || left_decides)) ||
           (right && right_decides && !f->m->facts[n->a].faults);
}

/* Returns the values of a cell that an expression is; NULL if it is none, or has any value. */
static const om_values *values_of(om_footprint *f, om_expr e)
{
    const om_node *n = &f->m->nodes[e];
    if (n->op != OM_OP_SLOT && n->op != OM_OP_ELEMENT)
        return NULL;
    const om_access cells = om_footprint__cells(f, n->a, n->op == OM_OP_ELEMENT ? n->b : 0);
    const om_values *values = &f->values[cells.cell];
    return cells.count == 1 && values->count != OM_ANY_VALUE ? values : NULL;
}

/* Returns true if a comparison of a cell with a constant has the same result for all values. */
static bool fold_comparison(om_footprint *f, const om_node *n, om_value *v)
{
    const om_values *values = values_of(f, n->a);
    om_value right = 0, other = 0;
    if (n->op < OM_OP_LT || n->op > OM_OP_GT || values == NULL ||
        !om_footprint__fold(f, n->b, &right))
        return false;
    for (uint32_t i = 0; i < values->count; i++)
        if (!om_fold__constant((om_op) n->op, values->at[i], right, i == 0 ? v : &other) ||
            (i > 0 && other != *v))
            return false;
    return true;
}

static bool fold_node(om_footprint *f, om_expr e, const om_node *n, om_value *v)
{
    const om_values *values = values_of(f, e);
    om_value a = 0, b = 0;
    if (values != NULL) {
        *v = values->at[0];
        return values->count == 1;
    }
    switch (n->op) {
    case OM_OP_CONST:
        *v = n->value;
        return true;
    case OM_OP_SLOT:
    case OM_OP_ELEMENT:
        return false;
    case OM_OP_AND:
    case OM_OP_OR:
    case OM_OP_IMPLY:
        return fold_logic(f, n, v);
    default:
        if (fold_comparison(f, n, v))
            return true;
        return om_footprint__fold(f, n->a, &a) && (n->b == 0 || om_footprint__fold(f, n->b, &b)) &&
               om_fold__constant((om_op) n->op, a, b, v);
    }
}

bool om_footprint__fold(om_footprint *f, om_expr e, om_value *v)
{
    const om_node n = f->m->nodes[e];
    if (f->values == NULL || e == 0) {
        *v = n.value;
        return e != 0 && n.op == OM_OP_CONST;
    }
    if (f->folded_at[e] != f->folding) {
        om_value value = 0;
        f->folds[e] = fold_node(f, e, &n, &value);
        f->folded[e] = value;
        f->folded_at[e] = f->folding;
    }
    *v = f->folded[e];
    return f->folds[e];
}

/* ---- what transitions change ---- */

/* Adds what an assignment stores. Returns true if some values change. With `skips`, they do not:
 * it returns true if they would. */
static bool assign(om_footprint *f, const om_assign *a, bool skips)
{
    const om_slot *s = om_model__slot(f->m, a->slot);
    om_access cells = om_footprint__cells(f, a->slot, a->index);
    om_value v = 0;
    const bool folds = a->value != 0 && om_footprint__fold(f, a->value, &v);
    bool changed = false;
    if (a->value == 0)
        cells = (om_access){ .cell = f->cell_of[a->slot],
            .count = f->cell_of[a->slot + 1] - f->cell_of[a->slot] };
    v = om_value_stored(s->low, s->high, v);
    for (uint32_t c = cells.cell; c < cells.cell + cells.count; c++) {
        om_values values = f->values[c];
        changed = add_value(skips ? &values : &f->values[c], folds ? &v : NULL) || changed;
    }
    return changed;
}

/* Tries all transitions that may be enabled; returns true if something has changed. */
static bool try_all(om_footprint *f, om_left *left)
{
    bool changed = false;
    f->folding++;
    om_left__update(left, f->dead);
    for (uint32_t t = 0; t < f->transitions; t++) {
        const om_transition *tr = om_model_transition(f->m, t);
        om_value holds = 1;
        if (f->dead[t] && tr->guard != 0 && om_footprint__fold(f, tr->guard, &holds) && holds == 0)
            continue;
        changed = changed || f->dead[t];
        f->dead[t] = false;
        for (uint32_t i = 0; i < om_model__own_count(f->m, t); i++) {
            const uint32_t slot = tr->assigns[i].slot;
            const bool skips = om_left__ends(left, t, slot);
            const bool changes = assign(f, &tr->assigns[i], skips);
            changed = (changes && (!skips || om_left__skip(left, slot))) || changed;
        }
    }
    return changed;
}

/* Gives up: cells have any value, and all transitions are alive. */
static void know_nothing(om_footprint *f, om_left *left)
{
    for (uint32_t c = 0; c < f->cell_of[om_model_slot_count(f->m)]; c++)
        f->values[c].count = OM_ANY_VALUE;
    memset(f->dead, false, f->transitions * sizeof *f->dead);
    f->folding++;
    om_left__update(left, f->dead);
}

int om_footprint__settle(om_footprint *f, const om_executor *x, om_left *left)
{
    const om_heap *heap = f->m->heap;
    const size_t cells = f->cell_of[om_model_slot_count(f->m)] + (size_t) 1,
                 nodes = f->m->node_count;
    if (!OM_NEW(heap, f->values, cells) || !OM_NEW(heap, f->folded, nodes) ||
        !OM_NEW(heap, f->folds, nodes) || !OM_NEW(heap, f->folded_at, nodes))
        return OM_ENOMEM;
    int rc = begin(f, x);
    memset(f->dead, true, f->transitions * sizeof *f->dead);
    uint64_t looks = 0;
    while (rc == OM_OK && try_all(f, left)) {
        rc = om_context_stopped(f->m->ctx);
        looks += f->transitions + nodes;
        if (looks <= MOST_LOOKS)
            continue;
        know_nothing(f, left);
        break;
    }
    return rc;
}
