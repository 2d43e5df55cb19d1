/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <stdlib.h>

enum { ASK_EVERY = 4096, SOME_MORE = 64 /* initial number of entries */ };
static const int64_t LARGEST = INT64_C(1) << 62; /* R1 */

void om_net_rows__free(om_net_rows *m)
{
    om_free(m->heap, m->entries);
    om_free(m->heap, m->rows);
    om_free(m->heap, m->columns);
    om_free(m->heap, m->constants);
    om_free(m->heap, m->at);
    om_free(m->heap, m->list);
    *m = (om_net_rows){ .ctx = NULL };
}

bool om_net_rows__go_on(om_net_rows *m, uint64_t n)
{
    m->work += n;
    if (m->work - m->checked_at > ASK_EVERY && m->status == OM_OK) {
        m->checked_at = m->work;
        m->status = om_context_stopped(m->ctx);
    }
    return m->status == OM_OK && m->work < m->budget;
}

void om_net_rows__limit(om_net_rows *m)
{
    static const uint64_t FEW = 4000000, MANY = 32000000;
    uint64_t work = FEW + 8 * (uint64_t) m->entry_count;
    m->budget = m->work + (work < MANY ? work : MANY);
}

/* Returns an entry that is in no list, or OM_NONE if there is no room. */
static uint32_t new_entry(om_net_rows *m)
{
    uint32_t e = m->spare;
    if (e != OM_NONE) {
        m->spare = m->entries[e].row_next;
        return e;
    }
    if (m->entry_count >= m->entry_limit)
        return OM_NONE;
    om_net_entry *grown =
        om_grow(m->heap, m->entries, &m->entry_room, m->entry_count + 1, sizeof *grown);
    if (grown == NULL) {
        if (m->status == OM_OK)
            m->status = om_fail_memory(m->ctx);
        return OM_NONE;
    }
    m->entries = grown;
    return (uint32_t) m->entry_count++;
}

static bool insert(om_net_rows *m, uint32_t row, uint32_t variable, int64_t factor)
{
    uint32_t i = new_entry(m);
    if (i == OM_NONE)
        return false;
    om_net_line *r = &m->rows[row], *c = &m->columns[variable];
    m->entries[i] = (om_net_entry){ factor, row, variable, r->first, OM_NONE, c->first, OM_NONE };
    if (r->first != OM_NONE)
        m->entries[r->first].row_before = i;
    if (c->first != OM_NONE)
        m->entries[c->first].column_before = i;
    r->first = c->first = i;
    r->count++;
    c->count++;
    return true;
}

void om_net_rows__remove(om_net_rows *m, uint32_t entry)
{
    om_net_entry *e = &m->entries[entry], *all = m->entries;
    if (e->row_before == OM_NONE)
        m->rows[e->row].first = e->row_next;
    else
        all[e->row_before].row_next = e->row_next;
    if (e->row_next != OM_NONE)
        all[e->row_next].row_before = e->row_before;
    if (e->column_before == OM_NONE)
        m->columns[e->variable].first = e->column_next;
    else
        all[e->column_before].column_next = e->column_next;
    if (e->column_next != OM_NONE)
        all[e->column_next].column_before = e->column_before;
    m->rows[e->row].count--;
    m->columns[e->variable].count--;
    e->row_next = m->spare;
    m->spare = entry;
}

void om_net_rows__drop(om_net_rows *m, uint32_t row)
{
    m->work += m->rows[row].count;
    while (m->rows[row].first != OM_NONE)
        om_net_rows__remove(m, m->rows[row].first);
}

uint32_t om_net_rows__list(om_net_rows *m, uint32_t variable)
{
    uint32_t n = 0;
    for (uint32_t e = m->columns[variable].first; e != OM_NONE; e = m->entries[e].column_next)
        m->list[n++] = e;
    m->work += n;
    return n;
}

static int64_t common(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* Computes *out = f * x - h * y. Returns false if it is too large. */
static bool combine(int64_t f, int64_t x, int64_t h, int64_t y, int64_t *out)
{
    int64_t a, b, sum;
    if (__builtin_mul_overflow(f, x, &a) || __builtin_mul_overflow(h, y, &b) ||
        __builtin_sub_overflow(a, b, &sum) || sum > LARGEST || sum < -LARGEST)
        return false;
    *out = sum;
    return true;
}

static bool scale(om_net_rows *m, uint32_t row, int64_t f)
{
    bool fits = f == 1 || combine(f, m->constants[row], 0, 0, &m->constants[row]);
    for (uint32_t e = m->rows[row].first; f != 1 && fits && e != OM_NONE;
         e = m->entries[e].row_next)
        fits = combine(f, m->entries[e].factor, 0, 0, &m->entries[e].factor);
    return fits;
}

/* Divides the row by the common divisor of its numbers. */
static void divide(om_net_rows *m, uint32_t row)
{
    int64_t g = m->constants[row];
    for (uint32_t e = m->rows[row].first; g != 1 && e != OM_NONE; e = m->entries[e].row_next)
        g = common(g, m->entries[e].factor);
    if (g < 0)
        g = -g;
    if (g <= 1)
        return;
    m->constants[row] /= g;
    for (uint32_t e = m->rows[row].first; e != OM_NONE; e = m->entries[e].row_next)
        m->entries[e].factor /= g;
}

/* Returns the row's entry for the variable, or OM_NONE; searches the column. */
static uint32_t find(const om_net_rows *m, uint32_t row, uint32_t variable)
{
    uint32_t e = m->columns[variable].first;
    while (e != OM_NONE && m->entries[e].row != row)
        e = m->entries[e].column_next;
    return e;
}

/* Returns the number of entries in the columns of the row, at most `most`. */
static uint64_t across(const om_net_rows *m, uint32_t row, uint64_t most)
{
    uint64_t sum = 0;
    for (uint32_t e = m->rows[row].first; sum < most && e != OM_NONE; e = m->entries[e].row_next)
        sum += m->columns[m->entries[e].variable].count;
    return sum < most ? sum : most;
}

/* Records (or clears) in m->at the row's entries by variable. */
static void scatter(om_net_rows *m, uint32_t row, bool forget)
{
    for (uint32_t e = m->rows[row].first; e != OM_NONE; e = m->entries[e].row_next)
        m->at[m->entries[e].variable] = forget ? OM_NONE : e;
}

/* Computes target -= h * the factor of e, for e's variable. found: target's entry, or OM_NONE. */
static bool subtract(om_net_rows *m, uint32_t target, int64_t h, uint32_t e, uint32_t found)
{
    uint32_t variable = m->entries[e].variable;
    int64_t sum = 0;
    if (!combine(1, found == OM_NONE ? 0 : m->entries[found].factor, h, m->entries[e].factor, &sum))
        return false;
    if (found == OM_NONE)
        return insert(m, target, variable, sum);
    m->entries[found].factor = sum;
    if (sum == 0) {
        m->at[variable] = OM_NONE;
        om_net_rows__remove(m, found);
    }
    return true;
}

bool om_net_rows__combine(om_net_rows *m, uint32_t row, int64_t b, uint32_t from, int64_t a)
{
    int64_t g = common(a, b), f = (a < 0 ? -a : a) / g, h = (a < 0 ? -b : b) / g;
    /* Both methods give the same result; the one that visits fewer entries is used. */
    uint64_t length = m->rows[row].count, columns = across(m, from, length);
    bool by_column = columns < length;
    (void) om_net_rows__go_on(m, columns + 2 * (uint64_t) m->rows[from].count);
    bool fits = scale(m, row, f) &&
                combine(1, m->constants[row], h, m->constants[from], &m->constants[row]);
    if (!by_column)
        scatter(m, row, false);
    for (uint32_t e = m->rows[from].first; fits && e != OM_NONE; e = m->entries[e].row_next) {
        uint32_t v = m->entries[e].variable;
        fits = subtract(m, row, h, e, by_column ? find(m, row, v) : m->at[v]);
    }
    if (!by_column)
        scatter(m, row, true);
    if (fits && f != 1)
        divide(m, row);
    return fits;
}

bool om_net_rows__eliminate(om_net_rows *m, uint32_t target, uint32_t pivot)
{
    const om_net_entry *t = &m->entries[target], *p = &m->entries[pivot];
    return om_net_rows__combine(m, t->row, t->factor, p->row, p->factor);
}

static bool allocate(om_net_rows *m)
{
    m->entries = om_alloc(m->heap, m->entry_room, sizeof *m->entries);
    m->rows = om_alloc(m->heap, m->row_count, sizeof *m->rows);
    m->columns = om_alloc(m->heap, m->variable_count, sizeof *m->columns);
    m->constants = om_alloc(m->heap, m->row_count, sizeof *m->constants);
    m->at = om_alloc(m->heap, m->variable_count, sizeof *m->at);
    m->list = om_alloc(m->heap, m->row_count, sizeof *m->list);
    if (m->entries == NULL || m->rows == NULL || m->columns == NULL || m->constants == NULL ||
        m->at == NULL || m->list == NULL)
        return false;
    for (uint32_t r = 0; r < m->row_count; r++)
        m->rows[r].first = OM_NONE;
    for (uint32_t v = 0; v < m->variable_count; v++)
        m->columns[v].first = m->at[v] = OM_NONE;
    return true;
}

static int fill(om_net_rows *m, const om_net *net, const om_net_changes *changes)
{
    bool fits = true;
    for (uint32_t p = 0; fits && p < net->place_count; p++) {
        m->constants[p] = net->places[p].initial;
        fits = insert(m, p, p, 1);
    }
    uint32_t transitions = changes == NULL ? 0 : net->transition_count;
    for (uint32_t t = 0; fits && m->status == OM_OK && t < transitions; t++) {
        size_t end = changes->first[t + 1];
        for (size_t i = changes->first[t]; fits && i < end; i++)
            fits = insert(m, changes->of_transition[i].at, net->place_count + t,
                -(int64_t) changes->of_transition[i].change);
        (void) om_net_rows__go_on(m, end - changes->first[t] + 1);
    }
    return m->status != OM_OK || fits ? m->status : om_fail_memory(m->ctx);
}

int om_net_rows__make(om_net_rows *m, const om_net *net, const om_net_changes *changes)
{
    if (net->transition_count > UINT32_MAX - 1 - net->place_count)
        return om_fail_memory(net->ctx);
    *m = (om_net_rows){ .ctx = net->ctx, .heap = om_context_heap(net->ctx), .spare = OM_NONE };
    m->row_count = net->place_count;
    m->variable_count = net->place_count + net->transition_count;
    m->entry_limit = UINT32_MAX - 1;
    m->entry_room = net->place_count + (changes == NULL ? 0 : changes->count);
    m->entry_room += m->entry_room / 8 + SOME_MORE;
    int rc = allocate(m) ? fill(m, net, changes) : om_fail_memory(m->ctx);
    if (rc != OM_OK) {
        om_net_rows__free(m);
        return rc;
    }
    m->entry_limit = 2 * m->entry_count + (1 << 16);
    return OM_OK;
}
