/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weighted sums of tokens that never grow. The elimination of Farkas and of J. Martinez and M.
 * Silva ("A simple and fast algorithm to obtain all invariants of a generalised Petri net", 1982):
 * transition by transition, rows that it makes grow and rows that it makes shrink are added, with
 * positive factors, so that it changes neither. That gives all minimal semiflows, and there can be
 * exponentially many. Here each row is used once, so that there are ever fewer rows: exact as long
 * as one row grows or one shrinks, and otherwise a choice that keeps each place in some row.
 *
 * In rows.h's equations a row grows by a transition whose factor is negative. Positive factors of
 * rows alone are used, so where all factors of a transition are positive they can be left as they
 * are: a bound allows for them.
 */
#include "parts.h"

static const uint64_t BUDGET = 4000000; /* entries looked at, and some more for each entry */
enum { IN_VAIN = 8 }; /* runs by chance, one after the other, that prove nothing */

typedef struct flows {
    uint64_t work, budget; /* of all runs */
    bool lowered;          /* a bound, by the latest run */
} flows;

/* Of m->list, puts those entries in front that are negative; how many. */
static uint32_t negative_first(pnml_rows *m, uint32_t n)
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

/* Nothing adds to these entries' rows any more by their variable. */
static void remove_all(pnml_rows *m, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        pnml_rows_remove(m, m->list[i]);
}

static void drop_all(pnml_rows *m, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        pnml_rows_drop(m, m->entries[m->list[i]].row);
}

/* Choices that are made by chance are others each time. */
static void shuffle(pnml_rows *m, uint32_t begin, uint32_t end, om_random *random)
{
    for (uint32_t i = end; random != NULL && i > begin + 1; i--) {
        uint32_t k = begin + (uint32_t) om_random_below(random, i - begin);
        uint32_t e = m->list[k];
        m->list[k] = m->list[i - 1];
        m->list[i - 1] = e;
    }
}

/* Each of list[begin .. end) with one of the fewer others, list[from .. from + count). */
static void pair(pnml_rows *m, uint32_t begin, uint32_t end, uint32_t from, uint32_t count)
{
    for (uint32_t i = begin; i < end; i++) {
        uint32_t target = m->entries[m->list[i]].row;
        if (!pnml_rows_eliminate(m, m->list[i], m->list[from + (i - begin) % count]))
            pnml_rows_drop(m, target);
    }
    drop_all(m, from, from + count);
}

/* Makes the transition change no row, or returns false where a choice would have to be made. */
static bool settle(pnml_rows *m, uint32_t variable, bool choose, om_random *random)
{
    uint32_t n = pnml_rows_list(m, variable), grow = negative_first(m, n), shrink = n - grow;
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

/* Goes through the transitions in at most `most` rows. How many were settled; choices: how many may
 * be made. */
static uint32_t pass(pnml_rows *m, uint32_t most, uint32_t choices, om_random *random)
{
    uint32_t settled = 0, count = m->variable_count - m->row_count;
    uint32_t begin = random == NULL ? 0 : (uint32_t) om_random_below(random, count);
    for (uint32_t i = 0; i < count && pnml_rows_go_on(m, 1); i++) {
        uint32_t v = m->row_count + (begin + i < count ? begin + i : begin + i - count);
        uint32_t n = m->columns[v].count;
        if (n == 0 || n > most)
            continue;
        if (settle(m, v, false, random))
            settled++;
        else if (choices > 0 && settle(m, v, true, random)) {
            settled++;
            choices--;
        }
    }
    return settled;
}

/* Short columns first: they fill in least. Choices come when nothing else is left among them. */
static void eliminate(pnml_rows *m, om_random *random)
{
    uint32_t choices = 1 + (m->variable_count - m->row_count) / 64;
    for (uint32_t most = 2; m->variable_count > m->row_count && pnml_rows_go_on(m, 1);) {
        if (pass(m, most, 0, random) > 0 || pass(m, most, choices, random) > 0)
            continue;
        if (most >= m->row_count)
            return;
        most = most > m->row_count / 2 ? m->row_count : 2 * most;
    }
}

bool pnml_bound_by_row(pnml_net *net, const pnml_rows *m, uint32_t row)
{
    bool lowered = false;
    for (uint32_t e = m->rows[row].first; e != OM_NONE; e = m->entries[e].row_next)
        if (m->entries[e].factor < 0)
            return false;
    for (uint32_t e = m->rows[row].first; e != OM_NONE; e = m->entries[e].row_next)
        if (m->entries[e].variable < net->place_count)
            lowered |= pnml_lower_bound_to(
                &net->places[m->entries[e].variable], m->constants[row] / m->entries[e].factor);
    return lowered;
}

/* One elimination; *lowered: did it lower a bound? */
static int run(pnml_net *net, const bool *possible, om_random *random, flows *f)
{
    pnml_rows m = { .ctx = NULL };
    int rc = pnml_rows_make(&m, net, possible);
    if (rc != OM_OK)
        return rc;
    if (f->budget == 0)
        f->budget = BUDGET + 16 * (uint64_t) m.entry_count;
    m.budget = f->budget > f->work ? f->budget - f->work : 0;
    eliminate(&m, random);
    f->lowered = false;
    for (uint32_t r = 0; r < m.row_count; r++)
        f->lowered |= pnml_bound_by_row(net, &m, r);
    f->work += m.work;
    rc = m.status;
    pnml_rows_free(&m);
    return rc;
}

int pnml_bound_by_flows(pnml_net *net, const bool *possible, uint64_t *work)
{
    om_random random = { 1 };
    flows f = { .budget = 0 };
    int rc = run(net, possible, NULL, &f);
    for (unsigned in_vain = 0;
         rc == OM_OK && in_vain < IN_VAIN && pnml_has_more_to_prove(net) && f.work < f.budget;) {
        rc = run(net, possible, &random, &f);
        in_vain = f.lowered ? 0 : in_vain + 1;
    }
    *work += f.work;
    return rc;
}
