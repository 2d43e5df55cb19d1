/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product with a testing automaton (automaton/convert/to_testing.h). Ben Salem, Duret-Lutz,
 * Kordon, SUMo 2011, section 2.3: along a step of the model the automaton reads the propositions
 * that change. It takes one of its stuttering steps if none of its propositions changes.
 *
 * So each row has moves of its own. The label of a state is computed when an expansion first
 * produces a row of it, and is kept when the state is stored. It is available when the state is
 * expanded.
 */
#include "product_impl.h"

#include "convert/to_testing.h"

#include <assert.h>
#include <string.h>

uint64_t om_testing_product__bytes(const om_cursor *c)
{
    return c->row_capacity * (sizeof *c->row_moves + sizeof *c->row_labels);
}

void om_testing_product__close(om_cursor *c)
{
    OM_FREE_ALL(c->p->heap, c->row_moves, c->row_labels);
}

/* Reserves the moves and labels of n rows. */
static bool reserve(om_cursor *c, size_t n)
{
    const om_heap *heap = c->p->heap;
    if (n <= c->row_capacity)
        return true;
    const size_t capacity = n < 64 ? 64 : n + n / 2;
    om_match *moves = om_resize(heap, c->row_moves, capacity, sizeof *moves);
    c->row_moves = moves == NULL ? c->row_moves : moves;
    om_label *labels = om_resize(heap, c->row_labels, capacity, sizeof *labels);
    c->row_labels = labels == NULL ? c->row_labels : labels;
    if (moves == NULL || labels == NULL)
        return false;
    c->row_capacity = capacity;
    return true;
}

static uint32_t *row_at(const om_cursor *c, size_t i)
{
    return c->succ.words + i * c->succ.stride;
}

/* Makes row `to` a copy of row `from` with this move of the automaton. */
static void write_row(om_cursor *c, size_t to, size_t from, om_match move, om_label word)
{
    assert(to < c->row_capacity);
    if (to != from) {
        memcpy(row_at(c, to), row_at(c, from), c->succ.stride * sizeof(uint32_t));
        c->succ.transition[to] = c->succ.transition[from];
    }
    row_at(c, to)[c->p->model_words] = move.dst;
    c->row_moves[to] = move;
    c->row_labels[to] = word;
}

/*
 * Writes the rows of the model's successor number `i`. The first one is written at *kept, which is
 * at most i; further ones are appended after all existing rows.
 */
static int cross_row(om_cursor *c, uint32_t q, om_label source, size_t i, size_t *kept)
{
    om_label label = 0, word = 0;
    om_fault fault = 0;
    size_t moves = 0;
    int rc = c->succ.transition[i] == OM_STUTTER
                 ? OM_OK
                 : om_label__find(c, OM_NO_ID, row_at(c, i), NULL, &label, &word, &fault);
    if (rc != OM_OK)
        return rc;
    if (c->succ.transition[i] == OM_STUTTER)
        label = source;
    if (fault != 0) /* the fault is met when that state is expanded */
        label = 0;
    const om_match *m =
        om_matches__find(&c->matches, c->p->heap, c->p->spec.automaton, q, source ^ label, &moves);
    if (m == NULL || !reserve(c, c->succ.count + moves) ||
        om_successors_reserve(&c->succ, c->succ.count + moves, c->p->model_words) != OM_OK)
        return om_fail_memory(c->p->ctx);
    assert(*kept <= i && i < c->succ.count);
    for (size_t j = 1; j < moves; j++)
        write_row(c, c->succ.count++, i, m[j], word);
    if (moves > 0)
        write_row(c, (*kept)++, i, m[0], word);
    return OM_OK;
}

/* Moves the rows from `end` on down to `kept`; the rows from `kept` to below `end` are dropped. */
static void close_gap(om_cursor *c, size_t kept, size_t end)
{
    assert(kept <= end && end <= c->succ.count);
    const size_t n = c->succ.count - end;
    if (kept < end && n > 0) {
        memmove(row_at(c, kept), row_at(c, end), n * c->succ.stride * sizeof(uint32_t));
        memmove(
            c->succ.transition + kept, c->succ.transition + end, n * sizeof *c->succ.transition);
        memmove(c->row_moves + kept, c->row_moves + end, n * sizeof *c->row_moves);
        memmove(c->row_labels + kept, c->row_labels + end, n * sizeof *c->row_labels);
    }
    c->succ.count = kept + n;
}

int om_testing_product__cross(om_cursor *c, const uint32_t *vector, size_t first, bool deadlock)
{
    const om_product *p = c->p;
    const uint32_t q = vector[p->model_words];
    const size_t end = c->succ.count;
    om_label source = 0, word = 0;
    om_fault fault = 0;
    size_t kept = first;
    int rc = om_label__find(c, c->expanded, vector, &deadlock, &source, &word, &fault);
    if (rc != OM_OK)
        return rc;
    if (fault != 0)
        return om_cursor__go_wrong(c, fault, vector, first);
    if (!reserve(c, end))
        return om_fail_memory(p->ctx);
    /* The automaton's initial state marks a run that does not begin (see below). */
    if (q != om_automaton_initial(p->spec.automaton, 0))
        for (size_t i = first; i < end && rc == OM_OK; i++)
            rc = cross_row(c, q, source, i, &kept);
    if (rc != OM_OK)
        return rc;
    close_gap(c, kept, end);
    c->moves = c->row_moves + first;
    c->move_count = c->succ.count - first;
    c->move_rows = 1;
    c->all_edges += c->move_count;
    return OM_OK;
}

/*
 * The automaton reads the first label. If it has no move for that label, the state is stored with
 * the automaton's initial state. The same applies to a state whose label cannot be evaluated: the
 * fault is met when the state is expanded.
 */
int om_testing_product__initial(om_cursor *c)
{
    static const om_match none = { 0, 0 };
    assert(c->succ.count == 1);
    const uint32_t q = om_automaton_initial(c->p->spec.automaton, 0);
    om_label label = 0, word = 0;
    om_fault fault = 0;
    size_t moves = 0;
    int rc = om_label__find(c, OM_NO_ID, row_at(c, 0), NULL, &label, &word, &fault);
    if (rc != OM_OK)
        return rc;
    const om_match *m =
        om_matches__find(&c->matches, c->p->heap, c->p->spec.automaton, q, label, &moves);
    if (m == NULL || !reserve(c, moves + 1) ||
        om_successors_reserve(&c->succ, moves + 1, c->p->model_words) != OM_OK)
        return om_fail_memory(c->p->ctx);
    if (fault != 0 || moves == 0) {
        c->row_moves[0] = none;
        c->row_labels[0] = word;
        moves = 1;
    } else
        for (size_t j = moves; j-- > 0;) {
            write_row(c, j, 0, m[j], word);
            c->row_moves[j].marks = 0;
        }
    c->succ.count = c->move_rows = moves;
    return OM_OK;
}

int om_testing_product__keep(om_cursor *c)
{
    assert(c->succ.count <= c->row_capacity);
    int rc = OM_OK;
    for (size_t i = 0; i < c->succ.count && rc == OM_OK; i++)
        if (c->fresh[i] && c->row_labels[i] != 0)
            rc = om_label__keep(c->p, c->ids[i], c->row_labels[i]);
    return rc;
}
