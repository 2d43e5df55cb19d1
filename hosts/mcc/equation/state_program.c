/* SPDX-License-Identifier: Apache-2.0 */
#include "state_program.h"

#ifdef OMEN_GLPK
#include <glpk.h>
#include <assert.h>
#include <limits.h>

enum { MOST_PROGRAMS = 2000 };

static void need(mcc_program *e, bool fine)
{
    if (!fine)
        longjmp(e->failed, 1);
}

/* GLPK computes with doubles, which represent integers exactly up to this limit. */
static double as_double(mcc_program *e, om_wide n)
{
    const om_wide most = INT64_C(1) << 53;
    need(e, n >= -most && n <= most);
    return (double) n;
}

/* ---- the columns ---- */

static void find_drains(mcc_program *e)
{
    const om_net *net = &e->net;
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].reset_count; i++)
            e->row_of[net->transitions[t].resets[i]] = 1;
    for (uint32_t p = 0; p < net->place_count; p++) {
        if (e->row_of[p] != 0)
            e->drained[e->drain_count++] = p;
        e->row_of[p] = 0;
    }
    assert(e->drain_count <= net->place_count); /* E3 */
}

/* Counts the entry in next[place + 2] or, if `store`, stores it at next[place + 1]. */
static void enter(mcc_program *e, uint32_t place, int column, om_value change, bool store)
{
    if (store)
        e->effects[e->first[place + 1]++] = (mcc_effect){ column, change };
    else
        e->first[place + 2]++;
}

/*
 * A transition that resets a place takes any number of tokens from it. So each such place has a
 * column, after those of the transitions, that takes one token. Limits are ignored. This relaxation
 * can only add solutions, never remove any.
 */
static void enter_all(mcc_program *e, bool store)
{
    const om_net *net = &e->net;
    for (uint32_t n = 0; n < net->transition_count; n++) {
        const om_net_transition *t = &net->transitions[n];
        for (uint32_t i = 0, k = 0; i < t->take_count || k < t->give_count;) {
            const uint32_t from = i < t->take_count ? t->takes[i].place : OM_NONE,
                           to = k < t->give_count ? t->gives[k].place : OM_NONE,
                           place = from < to ? from : to;
            const om_value change =
                (to == place ? t->gives[k].count : 0) - (from == place ? t->takes[i].count : 0);
            i += from == place;
            k += to == place;
            if (change != 0)
                enter(e, place, (int) n + 1, change, store);
        }
    }
    for (uint32_t i = 0; i < e->drain_count; i++)
        enter(e, e->drained[i], (int) (net->transition_count + i) + 1, -1, store);
}

bool mcc_program_open(mcc_program *e, const om_net *net, uint64_t until_ns)
{
    const size_t places = (size_t) net->place_count + 3;
    size_t arcs = 0;
    *e = (mcc_program){ .net = *net, .heap = net->region.heap, .until_ns = until_ns };
    e->net.places = NULL;
    for (uint32_t t = 0; t < net->transition_count; t++)
        arcs += (size_t) net->transitions[t].take_count + net->transitions[t].give_count;
    if (!OM_NEW(e->heap, e->net.places, places) || !OM_NEW(e->heap, e->least, places) ||
        !OM_NEW(e->heap, e->row_of, places) || !OM_NEW(e->heap, e->listed, places) ||
        !OM_NEW(e->heap, e->drained, places) || !OM_NEW(e->heap, e->first, places) ||
        !OM_NEW(e->heap, e->marking, places) || !OM_NEW(e->heap, e->effects, arcs + places))
        return false;
    for (uint32_t p = 0; p < net->place_count; p++)
        e->net.places[p] = net->places[p];
    find_drains(e);
    const size_t columns = (size_t) net->transition_count + e->drain_count + 1;
    enter_all(e, false);
    for (size_t p = 2; p < places; p++)
        e->first[p] += e->first[p - 1];
    enter_all(e, true);
    return OM_NEW(e->heap, e->sum, columns) && OM_NEW(e->heap, e->change, columns) &&
           OM_NEW(e->heap, e->index, columns);
}

void mcc_program_close(mcc_program *e)
{
    OM_FREE_ALL(e->heap, e->net.places, e->least, e->row_of, e->listed, e->drained, e->first,
        e->marking, e->effects, e->sum, e->change, e->index, e->branch, e->retired);
}

static int column_count(const mcc_program *e)
{
    return (int) (e->net.transition_count + e->drain_count);
}

void mcc_program_begin(mcc_program *e)
{
    e->glp = glp_create_prob();
    if (column_count(e) > 0)
        (void) glp_add_cols(e->glp, column_count(e));
    for (int i = 1; i <= column_count(e); i++)
        glp_set_col_bnds(e->glp, i, GLP_LO, 0, 0);
}

/* ---- the rows ---- */

void mcc_program_count(mcc_program *e, uint32_t transition, om_value least, om_value most)
{
    const int type = most == OM_VALUE_MAX ? GLP_LO : least == most ? GLP_FX : GLP_DB;
    glp_set_col_bnds(e->glp, (int) transition + 1, type, least, most); /* E3 */
}

double mcc_program_firings(const mcc_program *e, uint32_t transition)
{
    return glp_get_col_prim(e->glp, (int) transition + 1);
}

/* Returns the number of a row to fill, a new one unless a retired one is basic: then changing it
 * leaves the basis valid. */
static int take_row(mcc_program *e)
{
    for (size_t i = 0; i < e->retired_count; i++)
        if (glp_get_row_stat(e->glp, e->retired[i]) == GLP_BS) {
            const int row = e->retired[i];
            e->retired[i] = e->retired[--e->retired_count];
            return row;
        }
    return glp_add_rows(e->glp, 1);
}

void mcc_program_require(mcc_program *e, const om_net_term *terms, uint32_t count, om_wide least)
{
    om_wide initial = 0, rest = 0;
    int n = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t p = terms[k].place;
        initial += terms[k].factor * e->net.places[p].initial;
        for (size_t i = e->first[p]; i < e->first[p + 1]; i++)
            e->sum[e->effects[i].column] += terms[k].factor * e->effects[i].change;
    }
    for (uint32_t k = 0; k < count; k++)
        for (size_t i = e->first[terms[k].place]; i < e->first[terms[k].place + 1]; i++) {
            const int column = e->effects[i].column;
            if (e->sum[column] == 0)
                continue;
            e->index[++n] = column;
            e->change[n] = as_double(e, e->sum[column]);
            e->sum[column] = 0;
        }
    assert(n <= column_count(e)); /* E2 */
    need(e, !__builtin_sub_overflow(least, initial, &rest));
    need(e, OM_ROOM(e->heap, e->branch, &e->branch_room, e->branch_count + 1));
    const int row = e->branch[e->branch_count++] = take_row(e);
    glp_set_row_bnds(e->glp, row, GLP_LO, as_double(e, rest), 0);
    glp_set_mat_row(e->glp, row, n, e->index, e->change);
}

void mcc_program_keep(mcc_program *e)
{
    assert(e->branch_count > 0);
    e->branch_count--;
}

void mcc_program_drop(mcc_program *e, size_t branch_count)
{
    assert(branch_count <= e->branch_count);
    need(e, OM_ROOM(e->heap, e->retired, &e->retired_room, e->retired_count + e->branch_count));
    while (e->branch_count > branch_count) {
        const int row = e->branch[--e->branch_count];
        glp_set_row_bnds(e->glp, row, GLP_FR, 0, 0);
        e->retired[e->retired_count++] = row; /* E4 */
    }
}

static void set_bounds(mcc_program *e, uint32_t p)
{
    const om_net_place *place = &e->net.places[p];
    const double least = (double) e->least[p] - place->initial,
                 most = (double) place->bound - place->initial;
    assert(e->least[p] <= place->bound);
    if (place->bound == OM_NET_NO_BOUND)
        glp_set_row_bnds(e->glp, e->row_of[p], GLP_LO, least, 0);
    else
        glp_set_row_bnds(e->glp, e->row_of[p], least == most ? GLP_FX : GLP_DB, least, most);
}

void mcc_program_bound(mcc_program *e, uint32_t place, om_value least, om_value most)
{
    e->least[place] = least;
    e->net.places[place].bound = most;
    if (e->row_of[place] != 0)
        set_bounds(e, place);
}

static void add_place(mcc_program *e, uint32_t p)
{
    int n = 0;
    assert(e->row_of[p] == 0);
    for (size_t i = e->first[p]; i < e->first[p + 1]; i++) {
        e->index[++n] = e->effects[i].column;
        e->change[n] = e->effects[i].change;
    }
    const int row = e->row_of[p] = glp_add_rows(e->glp, 1); /* E1 */
    glp_set_mat_row(e->glp, row, n, e->index, e->change);
    set_bounds(e, p);
    e->listed[e->listed_count++] = p;
}

/* ---- solutions ---- */

static int left_ms(const mcc_program *e)
{
    const uint64_t now = om_clock_ns(), left = e->until_ns > now ? e->until_ns - now : 0;
    return left / 1000000 > INT_MAX ? INT_MAX : (int) (left / 1000000);
}

/* More time might help unless programs ran out. */
static mcc_solution give_way(mcc_program *e)
{
    e->figures.cut = left_ms(e) == 0;
    return MCC_NOT_KNOWN;
}

/* Begins at the last basis, if that is possible. */
static int simplex(mcc_program *e)
{
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.tm_lim = left_ms(e);
    const int rc = glp_simplex(e->glp, &options);
    if (rc != GLP_EBADB && rc != GLP_ESING && rc != GLP_ECOND)
        return rc;
    glp_std_basis(e->glp);
    return glp_simplex(e->glp, &options);
}

static mcc_solution confirm(mcc_program *e)
{
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.tm_lim = left_ms(e);
    if (options.tm_lim == 0 || glp_exact(e->glp, &options) != 0)
        return give_way(e);
    if (glp_get_status(e->glp) != GLP_NOFEAS)
        return MCC_NOT_KNOWN;
    e->figures.confirmed++;
    return MCC_NONE;
}

/* Computes e->marking. */
static void fire_all(mcc_program *e)
{
    const om_net *net = &e->net;
    for (uint32_t p = 0; p < net->place_count; p++)
        e->marking[p] = net->places[p].initial;
    for (uint32_t n = 0; n < net->transition_count; n++) {
        const om_net_transition *t = &net->transitions[n];
        const double firings = mcc_program_firings(e, n);
        for (uint32_t i = 0; i < t->take_count && firings != 0; i++)
            e->marking[t->takes[i].place] -= firings * t->takes[i].count;
        for (uint32_t i = 0; i < t->give_count && firings != 0; i++)
            e->marking[t->gives[i].place] += firings * t->gives[i].count;
    }
    for (uint32_t i = 0; i < e->drain_count; i++)
        e->marking[e->drained[i]] -=
            glp_get_col_prim(e->glp, (int) (net->transition_count + i) + 1);
}

/* Adds rows of the places that the transitions which add to p take from. */
static void add_before(mcc_program *e, uint32_t p)
{
    for (size_t i = e->first[p]; i < e->first[p + 1]; i++) {
        if (e->effects[i].change < 0)
            continue;
        const om_net_transition *t = &e->net.transitions[e->effects[i].column - 1]; /* E3 */
        for (uint32_t k = 0; k < t->take_count; k++)
            if (e->row_of[t->takes[k].place] == 0)
                add_place(e, t->takes[k].place);
    }
}

/* Adds rows of places whose tokens are not what places can have. Returns false if there are none.
 * The next solution would often lack tokens one transition before. So as many rows as there are
 * already are added of the places before. */
static bool add_places(mcc_program *e)
{
    const size_t had = e->listed_count, most = 2 * had;
    for (uint32_t p = 0; p < e->net.place_count; p++) {
        const om_value bound = e->net.places[p].bound;
        if (e->row_of[p] == 0 &&
            (e->marking[p] < e->least[p] - MCC_CLOSE ||
                (bound != OM_NET_NO_BOUND && e->marking[p] > bound + MCC_CLOSE)))
            add_place(e, p);
    }
    const bool added = e->listed_count > had;
    for (size_t i = had; i < e->listed_count && e->listed_count < most; i++)
        add_before(e, e->listed[i]);
    return added;
}

mcc_solution mcc_program_solve(mcc_program *e)
{
    do {
        if (left_ms(e) == 0 || e->figures.programs++ >= MOST_PROGRAMS)
            return give_way(e);
        if (simplex(e) != 0)
            return give_way(e);
        if (glp_get_prim_stat(e->glp) != GLP_FEAS)
            return glp_get_status(e->glp) == GLP_NOFEAS ? confirm(e) : MCC_NOT_KNOWN;
        fire_all(e);
    } while (add_places(e));
    return MCC_SOME;
}

#endif
