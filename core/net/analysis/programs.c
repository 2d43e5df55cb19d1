/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best bound of a place that the state equation implies: max m_p subject to m = m0 + C x, m >=
 * 0, x >= 0, by the simplex method, exactly. Rows of rows.h are its sparse tableau: each has a
 * variable of its own (basic; the others are 0) with a factor > 0, and a constant >= 0. This holds
 * initially, with the places' own counts and no firing, and for every place: each linear program
 * starts where the previous one ended. The entering variable is the one with the largest factor,
 * and after some steps without gain the first one (R. Bland, "New finite pivoting rules for the
 * simplex method", Mathematics of Operations Research 2(2), 1977), so that every program
 * terminates.
 *
 * Columns of transitions would fill in and are not stored (the revised simplex method). A row is
 * the sum of y_p times the state equation of p, where y_p is its factor of m_p. So its factor of
 * x_t is the number of tokens that transition t takes from that sum, - (y C)_t.
 *
 * A row without negative factors is a proof by itself (bounds.h), however it was derived. A column
 * without positive factors means that its variable, and the basic variable of each row in which it
 * is negative, can be arbitrarily large: no equation bounds them.
 */
#include "proofs.h"

enum { PATIENCE = 40 }; /* steps without gain before Bland's rule */

/* A sparse vector; all numbers are 0 between uses. */
typedef struct sums {
    int64_t *sum;
    uint32_t *list; /* indices that may be nonzero, `count` of them */
    bool *listed;
    uint32_t count;
} sums;

typedef struct tableau {
    om_net_rows m;
    om_net *net;
    const om_net_changes *changes;
    uint32_t *basic; /* by row: its own variable */
    uint32_t *row;   /* by variable: the row in which it is basic, or OM_NONE */
    bool *boundless; /* by place: no equation bounds it */
    bool failed;     /* numbers too large or memory ran out: the rows are invalid */
    sums column;     /* by row: its factor of the entering variable */
    sums across;     /* by transition: its factor in the current row */
} tableau;

static int64_t factor_of(const tableau *s, uint32_t row, uint32_t variable)
{
    uint32_t e = s->m.rows[row].first;
    while (s->m.entries[e].variable != variable)
        e = s->m.entries[e].row_next;
    return s->m.entries[e].factor;
}

static void take_off(tableau *s, sums *from, uint32_t at, int64_t factor, int64_t change)
{
    int64_t product = 0, *sum = &from->sum[at];
    if (__builtin_mul_overflow(factor, change, &product) ||
        __builtin_sub_overflow(*sum, product, sum) || *sum == INT64_MIN)
        s->failed = true;
    if (!from->listed[at]) {
        from->listed[at] = true;
        from->list[from->count++] = at;
    }
}

static void forget(sums *of)
{
    for (; of->count > 0; of->count--) {
        of->sum[of->list[of->count - 1]] = 0;
        of->listed[of->list[of->count - 1]] = false;
    }
}

/* Subtracts, for each row, its factor of the place times `times`. */
static void load_place(tableau *s, uint32_t place, int64_t times)
{
    s->m.work += s->m.columns[place].count;
    for (uint32_t e = s->m.columns[place].first; e != OM_NONE; e = s->m.entries[e].column_next)
        take_off(s, &s->column, s->m.entries[e].row, s->m.entries[e].factor, times);
}

static void load_column(tableau *s, uint32_t variable)
{
    const om_net_changes *c = s->changes;
    if (variable < s->net->place_count) {
        load_place(s, variable, -1);
        return;
    }
    uint32_t t = variable - s->net->place_count;
    for (size_t i = c->first[t]; i < c->first[t + 1]; i++)
        load_place(s, c->of_transition[i].at, c->of_transition[i].change);
}

/* Returns true if row a limits the variable more than row b: constant / factor is smaller. Ties are
 * broken by the lower number of the basic variable (Bland). */
static bool limits_more(tableau *s, uint32_t a, uint32_t b)
{
    int64_t left = 0, right = 0;
    if (__builtin_mul_overflow(s->m.constants[a], s->column.sum[b], &left) ||
        __builtin_mul_overflow(s->m.constants[b], s->column.sum[a], &right))
        s->failed = true;
    return left < right || (left == right && s->basic[a] < s->basic[b]);
}

/* Returns the row that limits the growth of the variable first, or OM_NONE. */
static uint32_t limit(tableau *s)
{
    uint32_t best = OM_NONE;
    for (uint32_t i = 0; i < s->column.count; i++) {
        uint32_t row = s->column.list[i];
        if (s->column.sum[row] > 0 && (best == OM_NONE || limits_more(s, row, best)))
            best = row;
    }
    return best;
}

/* Marks the variable, which can grow without bound, and the variables that grow with it. */
static void note_boundless(tableau *s, uint32_t variable)
{
    if (variable < s->net->place_count)
        s->boundless[variable] = true;
    for (uint32_t i = 0; i < s->column.count; i++) {
        uint32_t row = s->column.list[i];
        if (s->column.sum[row] < 0 && s->basic[row] < s->net->place_count)
            s->boundless[s->basic[row]] = true;
    }
}

static void pivot(tableau *s, uint32_t variable, uint32_t row)
{
    for (uint32_t i = 0; i < s->column.count && !s->failed; i++) {
        uint32_t other = s->column.list[i];
        if (other != row && s->column.sum[other] != 0)
            s->failed =
                !om_net_rows__combine(&s->m, other, s->column.sum[other], row, s->column.sum[row]);
    }
    s->row[s->basic[row]] = OM_NONE;
    s->basic[row] = variable;
    s->row[variable] = row;
}

/* Makes the variable basic by increasing it until a row limits it. Returns false if none does.
 * *gain: whether it increased. */
static bool enter(tableau *s, uint32_t variable, bool *gain)
{
    load_column(s, variable);
    uint32_t row = s->failed ? OM_NONE : limit(s);
    bool stopped = row != OM_NONE && !s->failed;
    if (stopped) {
        *gain = s->m.constants[row] > 0;
        pivot(s, variable, row);
    } else if (!s->failed)
        note_boundless(s, variable);
    forget(&s->column);
    return stopped;
}

/* Computes the row's factors of the transitions. */
static void load_row(tableau *s, uint32_t row)
{
    const om_net_changes *c = s->changes;
    for (uint32_t e = s->m.rows[row].first; e != OM_NONE; e = s->m.entries[e].row_next) {
        uint32_t p = s->m.entries[e].variable;
        s->m.work += c->place_first[p + 1] - c->place_first[p] + 1;
        for (size_t i = c->place_first[p]; i < c->place_first[p + 1]; i++)
            take_off(
                s, &s->across, c->of_place[i].at, s->m.entries[e].factor, c->of_place[i].change);
    }
}

typedef struct candidate {
    uint32_t variable;
    int64_t factor;
} candidate;

static void consider(candidate *best, uint32_t variable, int64_t factor, bool first)
{
    bool lower = variable < best->variable;
    if (factor < 0 && (best->variable == OM_NONE || (first && lower) ||
                          (!first && (factor < best->factor || (factor == best->factor && lower)))))
        *best = (candidate){ variable, factor };
}

/* Returns a variable of the row that lets its basic variable grow, or OM_NONE if it is maximal. */
static uint32_t choose(tableau *s, uint32_t row, bool first)
{
    candidate best = { OM_NONE, 0 };
    load_row(s, row);
    for (uint32_t e = s->m.rows[row].first; e != OM_NONE; e = s->m.entries[e].row_next)
        consider(&best, s->m.entries[e].variable, s->m.entries[e].factor, first);
    for (uint32_t i = 0; i < s->across.count; i++)
        consider(&best, s->net->place_count + s->across.list[i], s->across.sum[s->across.list[i]],
            first);
    forget(&s->across);
    return best.variable;
}

/* Returns true if a program cannot improve the bound of the place: it is unbounded, or its present
 * value is the bound. */
static bool settled(const tableau *s, uint32_t place)
{
    const om_net_place *p = &s->net->places[place];
    if (s->boundless[place] || p->bound <= p->initial)
        return true;
    uint32_t row = s->row[place];
    return row != OM_NONE && s->m.constants[row] / factor_of(s, row, place) >= p->bound;
}

/* Maximises the tokens of the place. */
static void maximise(tableau *s, uint32_t place)
{
    unsigned idle = 0;
    bool gain = false;
    if (s->row[place] == OM_NONE && !enter(s, place, &gain))
        return;
    while (!s->failed && !settled(s, place) && om_net_rows__go_on(&s->m, 1)) {
        uint32_t row = s->row[place], variable = choose(s, row, idle >= PATIENCE);
        if (s->failed)
            return;
        if (variable == OM_NONE) {
            (void) om_net__bound_by_row(s->net, &s->m, row);
            return;
        }
        if (!enter(s, variable, &gain))
            return;
        idle = gain ? 0 : idle + 1;
    }
}

static void maximise_all(tableau *s, om_value at_least)
{
    for (uint32_t p = 0; !s->failed && p < s->net->place_count && om_net_rows__go_on(&s->m, 1); p++)
        if (s->net->places[p].bound >= at_least && !settled(s, p))
            maximise(s, p);
}

/* Maximises in the order of the possible gain: places without bounds first, then places of more
 * than one bit, whose budget is larger if the first group used less. */
static void maximise_in_turn(tableau *s)
{
    static const uint64_t WITHOUT_BOUND = 12000000, UP_TO_THERE = 20000000, ONE_BIT = 2000000;
    uint64_t begin = s->m.work;
    s->m.budget = begin + WITHOUT_BOUND;
    maximise_all(s, OM_NET_NO_BOUND);
    s->m.budget = begin + UP_TO_THERE;
    maximise_all(s, 2);
    s->m.budget = s->m.work + ONE_BIT;
    maximise_all(s, 1);
}

static bool allocate_sums(sums *of, const om_heap *heap, uint32_t n)
{
    return OM_NEW(heap, of->sum, n) && OM_NEW(heap, of->list, n) && OM_NEW(heap, of->listed, n);
}

static void release_sums(sums *of, const om_heap *heap)
{
    OM_FREE_ALL(heap, of->sum, of->list, of->listed);
}

static int allocate(tableau *s)
{
    const om_heap *heap = s->m.heap;
    uint32_t rows = s->m.row_count;
    if (!OM_NEW(heap, s->basic, rows) || !OM_NEW(heap, s->row, s->m.variable_count) ||
        !OM_NEW(heap, s->boundless, rows) || !allocate_sums(&s->column, heap, rows) ||
        !allocate_sums(&s->across, heap, s->net->transition_count))
        return om_fail_memory(s->m.ctx);
    for (uint32_t v = 0; v < s->m.variable_count; v++)
        s->row[v] = v < rows ? v : OM_NONE;
    for (uint32_t r = 0; r < rows; r++)
        s->basic[r] = r;
    return OM_OK;
}

static void release(tableau *s, const om_heap *heap)
{
    OM_FREE_ALL(heap, s->basic, s->row, s->boundless);
    release_sums(&s->column, heap);
    release_sums(&s->across, heap);
    om_net_rows__free(&s->m);
}

int om_net__bound_by_programs(om_net *net, const om_net_changes *changes, uint64_t *work)
{
    const om_heap *heap = om_context_heap(net->ctx);
    tableau s = { .net = net, .changes = changes };
    int rc = om_net_rows__make(&s.m, net, NULL);
    if (rc != OM_OK)
        return rc;
    rc = allocate(&s);
    s.m.entry_limit += 4 * changes->count;
    if (rc == OM_OK)
        maximise_in_turn(&s);
    *work += s.m.work;
    if (rc == OM_OK)
        rc = s.m.status;
    release(&s, heap);
    return rc;
}
