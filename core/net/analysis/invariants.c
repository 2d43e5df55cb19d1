/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian elimination on the state equations: rows without transitions are place invariants. A row
 * that was used as a pivot is not used again. So the own place of each remaining row is in no other
 * row: the invariants of a reduced echelon form.
 */
#include "invariants.h"

#include "rows.h"

#include <assert.h>

/* Returns the entry of m->list to use as pivot: of a short row, preferably with factor 1 or -1. */
static uint32_t choose(const om_net_rows *m, uint32_t n)
{
    assert(n > 0);
    uint32_t best = 0;
    uint64_t cost = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const om_net_entry *e = &m->entries[m->list[i]];
        bool unit = e->factor == 1 || e->factor == -1;
        uint64_t its = m->rows[e->row].count + (unit ? 0 : (uint64_t) 1 << 32);
        if (its < cost) {
            cost = its;
            best = i;
        }
    }
    return m->list[best];
}

/* Eliminates the transition from all rows. Returns false if a row was dropped. */
static bool settle(om_net_rows *m, uint32_t variable)
{
    uint32_t n = om_net_rows__list(m, variable), pivot = choose(m, n);
    uint32_t row = m->entries[pivot].row;
    bool fits = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t target = m->entries[m->list[i]].row;
        if (target != row && !om_net_rows__eliminate(m, m->list[i], pivot)) {
            om_net_rows__drop(m, target);
            fits = false;
        }
    }
    om_net_rows__drop(m, row);
    return fits;
}

/* Eliminates the transitions that are in at most `most` rows. Returns true if there were any.
 * *left: the fewest rows that one of the others is in, or OM_NONE. */
static bool pass(om_net_rows *m, uint64_t most, bool *fits, uint32_t *left)
{
    bool any = false;
    *left = OM_NONE;
    for (uint32_t v = m->row_count; v < m->variable_count && om_net_rows__go_on(m, 1); v++) {
        uint32_t n = m->columns[v].count;
        if (n > most)
            *left = n < *left ? n : *left;
        else if (n > 0) {
            *fits = settle(m, v) && *fits;
            any = true;
        }
    }
    return any;
}

/* Eliminates short columns first, because they cause the least fill-in. Returns true if all
 * transitions are eliminated from all rows. */
static bool eliminate(om_net_rows *m)
{
    bool fits = true;
    uint32_t left = 0;
    for (uint64_t most = 1; om_net_rows__go_on(m, 1);) {
        if (pass(m, most, &fits, &left))
            continue;
        if (left == OM_NONE)
            return fits;
        most = left > 2 * most ? left : 2 * most;
    }
    return false;
}

/* Returns true if the row contains only places. */
static bool is_invariant(const om_net_rows *m, uint32_t row)
{
    uint32_t e = m->rows[row].first;
    if (e == OM_NONE)
        return false;
    while (e != OM_NONE && m->entries[e].variable < m->row_count)
        e = m->entries[e].row_next;
    return e == OM_NONE;
}

static int allocate(om_net_invariants *out, const om_net_rows *m)
{
    size_t count = 0, terms = 0;
    for (uint32_t r = 0; r < m->row_count; r++)
        if (is_invariant(m, r)) {
            count++;
            terms += m->rows[r].count;
        }
    return OM_NEW(out->heap, out->rows, count) && OM_NEW(out->heap, out->terms, terms)
               ? OM_OK
               : om_fail_memory(m->ctx);
}

/* Row r was initially that of place r. */
static void copy_row(om_net_invariants *out, const om_net_rows *m, uint32_t r)
{
    om_net_weight *terms = out->terms + out->term_count;
    uint32_t n = 1;
    for (uint32_t e = m->rows[r].first; e != OM_NONE; e = m->entries[e].row_next) {
        const om_net_entry *of = &m->entries[e];
        terms[of->variable == r ? 0 : n++] = (om_net_weight){ of->variable, of->factor };
    }
    assert(n == m->rows[r].count); /* its own place is among them */
    out->rows[out->count++] = (om_net_invariant){ terms, m->rows[r].count, m->constants[r] };
    out->term_count += m->rows[r].count;
}

static int find(
    om_net_invariants *out, const om_net *net, const om_net_changes *changes, uint64_t most_work)
{
    om_net_rows m = { .ctx = NULL };
    int rc = om_net_rows__make(&m, net, changes);
    if (rc != OM_OK)
        return rc;
    om_net_rows__limit(&m);
    if (most_work != 0)
        m.budget = m.work + most_work;
    out->complete = eliminate(&m);
    rc = m.status != OM_OK ? m.status : allocate(out, &m);
    for (uint32_t r = 0; rc == OM_OK && r < m.row_count; r++)
        if (is_invariant(&m, r))
            copy_row(out, &m, r);
    out->work = m.work;
    om_net_rows__free(&m);
    return rc;
}

int om_net_invariants__find(
    om_net_invariants *out, const om_net *net, const bool *possible, uint64_t most_work)
{
    const om_heap *heap = om_context_heap(net->ctx);
    om_net_changes changes = { .count = 0 };
    *out = (om_net_invariants){ .heap = heap };
    int rc = om_net_changes__make(&changes, net, possible);
    if (rc == OM_OK)
        rc = find(out, net, &changes, most_work);
    om_net_changes__free(&changes, heap);
    if (rc != OM_OK)
        om_net_invariants__free(out);
    return rc;
}

void om_net_invariants__free(om_net_invariants *i)
{
    OM_FREE_ALL(i->heap, i->rows, i->terms);
    *i = (om_net_invariants){ .heap = NULL };
}
