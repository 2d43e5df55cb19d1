/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weighted sums of tokens that never grow. The elimination of Farkas and of J. Martinez and M.
 * Silva ("A simple and fast algorithm to obtain all invariants of a generalised Petri net", 1982):
 * for each transition, rows that it increases and rows that it decreases are added with positive
 * factors, so that it changes neither. This yields all minimal semiflows, whose number can be
 * exponential. Here each row is used once, so the number of rows decreases. The result is exact as
 * long as one row grows or one shrinks; otherwise, a choice is made that keeps each place in some
 * row.
 *
 * In the equations of rows.h, a transition with a negative factor increases a row. Only positive
 * multiples of rows are used. So a transition whose factors are all positive need not be
 * eliminated: a bound allows for it.
 */
#include "proofs.h"

#include <assert.h>

enum { IN_VAIN = 8 }; /* maximum consecutive randomised runs without a new proof */

typedef struct flows {
    uint64_t work, budget; /* of all runs */
    bool lowered;          /* the latest run lowered a bound */
} flows;

/* Moves the negative entries of m->list to the front and returns their number. */
static uint32_t negative_first(om_net_rows *m, uint32_t n)
{
    uint32_t negative = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = m->list[i];
        if (m->entries[e].factor < 0) {
            m->list[i] = m->list[negative];
            m->list[negative++] = e;
        }
    }
    return negative;
}

/* Removes the entries of a variable that increases none of the rows; bounds remain valid. */
static void remove_all(om_net_rows *m, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        om_net_rows__remove(m, m->list[i]);
}

static void drop_all(om_net_rows *m, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        om_net_rows__drop(m, m->entries[m->list[i]].row);
}

/* Shuffles the list, so that random choices differ from run to run. */
static void shuffle(om_net_rows *m, uint32_t begin, uint32_t end, om_random *random)
{
    for (uint32_t i = end; random != NULL && i > begin + 1; i--) {
        uint32_t k = begin + (uint32_t) om_random_below(random, i - begin);
        uint32_t e = m->list[k];
        m->list[k] = m->list[i - 1];
        m->list[i - 1] = e;
    }
}

/* Combines each of list[begin .. end) with one of the fewer entries list[from .. from + count). */
static void pair(om_net_rows *m, uint32_t begin, uint32_t end, uint32_t from, uint32_t count)
{
    assert(count > 0);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t target = m->entries[m->list[i]].row;
        if (!om_net_rows__eliminate(m, m->list[i], m->list[from + (i - begin) % count]))
            om_net_rows__drop(m, target);
    }
    drop_all(m, from, from + count);
}

/* Eliminates the transition from all rows. Returns false if that requires a choice. */
static bool settle(om_net_rows *m, uint32_t variable, bool choose, om_random *random)
{
    uint32_t n = om_net_rows__list(m, variable), grow = negative_first(m, n), shrink = n - grow;
    if (grow > 1 && shrink > 1 && !choose)
        return false;
    shuffle(m, 0, grow, random);
    shuffle(m, grow, n, random);
    if (grow == 0)
        remove_all(m, n);
    else if (shrink == 0)
        drop_all(m, 0, n);
    else if (grow <= shrink)
        pair(m, grow, n, 0, grow);
    else
        pair(m, 0, grow, grow, shrink);
    return true;
}

typedef struct pass_of {
    uint64_t most;          /* rows: transitions in more of them are skipped */
    uint32_t choices;       /* remaining number of choices */
    uint32_t settled, left; /* transitions settled; the fewest rows of another one, or OM_NONE */
} pass_of;

static void try_one(om_net_rows *m, uint32_t variable, pass_of *p, om_random *random)
{
    uint32_t n = m->columns[variable].count;
    bool done = n <= p->most && settle(m, variable, false, random);
    if (!done && n <= p->most && p->choices > 0) {
        done = settle(m, variable, true, random);
        p->choices--;
    }
    if (done)
        p->settled++;
    else if (n < p->left)
        p->left = n;
}

/* Visits the transitions, from a random start in a randomised run. */
static pass_of pass(om_net_rows *m, uint64_t most, uint32_t choices, om_random *random)
{
    pass_of p = { most, choices, 0, OM_NONE };
    uint32_t count = m->variable_count - m->row_count;
    uint32_t begin = random == NULL ? 0 : (uint32_t) om_random_below(random, count);
    for (uint32_t i = 0; i < count && om_net_rows__go_on(m, 1); i++) {
        uint32_t v = m->row_count + (begin + i < count ? begin + i : begin + i - count);
        if (m->columns[v].count > 0)
            try_one(m, v, &p, random);
    }
    return p;
}

/* Eliminates short columns first, because they cause the least fill-in. Choices are made when
 * nothing else is left among them. */
static void eliminate(om_net_rows *m, om_random *random)
{
    uint32_t choices = 1 + (m->variable_count - m->row_count) / 64;
    for (uint64_t most = 2; m->variable_count > m->row_count && om_net_rows__go_on(m, 1);) {
        pass_of p = pass(m, most, 0, random);
        if (p.settled == 0 && p.left <= most)
            p = pass(m, most, choices, random);
        if (p.settled > 0)
            continue;
        if (p.left == OM_NONE)
            return;
        most = p.left > 2 * most ? p.left : 2 * most;
    }
}

bool om_net__bound_by_row(om_net *net, const om_net_rows *m, uint32_t row)
{
    bool lowered = false;
    for (uint32_t e = m->rows[row].first; e != OM_NONE; e = m->entries[e].row_next)
        if (m->entries[e].factor < 0)
            return false;
    for (uint32_t e = m->rows[row].first; e != OM_NONE; e = m->entries[e].row_next)
        if (m->entries[e].variable < net->place_count)
            lowered |= om_net__lower_bound_to(
                &net->places[m->entries[e].variable], m->constants[row] / m->entries[e].factor);
    return lowered;
}

/* Runs one elimination and sets f->lowered if it lowered a bound. */
static int run(om_net *net, const om_net_changes *changes, om_random *random, flows *f)
{
    om_net_rows m = { .ctx = NULL };
    int rc = om_net_rows__make(&m, net, changes);
    if (rc != OM_OK)
        return rc;
    om_net_rows__limit(&m);
    if (f->budget == 0)
        f->budget = m.budget;
    m.budget = f->budget > f->work ? f->budget - f->work : 0;
    eliminate(&m, random);
    f->lowered = false;
    for (uint32_t r = 0; r < m.row_count; r++)
        f->lowered |= om_net__bound_by_row(net, &m, r);
    f->work += m.work;
    rc = m.status;
    om_net_rows__free(&m);
    return rc;
}

int om_net__bound_by_flows(om_net *net, const om_net_changes *changes, uint64_t *work)
{
    om_random random = { 1 };
    flows f = { .budget = 0 };
    int rc = run(net, changes, NULL, &f);
    for (unsigned in_vain = 0;
         rc == OM_OK && in_vain < IN_VAIN && om_net__has_more_to_prove(net) && f.work < f.budget;) {
        rc = run(net, changes, &random, &f);
        in_vain = f.lowered ? 0 : in_vain + 1;
    }
    *work += f.work;
    return rc;
}
