/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best bound that the state equation gives for a place: max m_p where m = m0 + C x, m >= 0,
 * x >= 0, by the simplex method, exactly. Rows of rows.h are its sparse tableau: each has a
 * variable of its own (basic; the others are 0), with a factor > 0, and a constant >= 0. That is so
 * at the start, with the places' own counts and no firing, and so for every place: where one linear
 * program ends the next one begins. The entering variable is the one of largest gain, and after
 * some steps without gain the first (R. Bland, "New finite pivoting rules for the simplex method",
 * 1977), so that none goes on for ever.
 *
 * A row without negative factors is a proof of its own (bounds.h), whatever led to it. A column
 * without positive factors makes its variable, and the basic variable of each row where it is
 * negative, as large as one likes: no equation bounds them.
 */
#include "parts.h"

enum { PATIENCE = 40 }; /* steps without gain before Bland's rule */

typedef struct tableau {
    pnml_rows m;
    pnml_net *net;
    uint32_t *basic; /* by row: its own variable */
    uint32_t *row;   /* by variable: where it is basic, or OM_NONE */
    bool *boundless; /* by place: no equation bounds it */
    bool failed;     /* numbers or memory: no row is to be trusted any more */
} tableau;

static int64_t factor_of(const tableau *s, uint32_t row, uint32_t variable)
{
    uint32_t e = s->m.rows[row].first;
    while (s->m.entries[e].variable != variable)
        e = s->m.entries[e].row_next;
    return s->m.entries[e].factor;
}

/* Is a's row the one that limits more, that is constant / factor the less? On a tie the one of the
 * variable with the lower number (Bland). */
static bool limits_more(tableau *s, const pnml_entry *a, const pnml_entry *b)
{
    int64_t left = 0, right = 0;
    if (__builtin_mul_overflow(s->m.constants[a->row], b->factor, &left) ||
        __builtin_mul_overflow(s->m.constants[b->row], a->factor, &right))
        s->failed = true;
    return left < right || (left == right && s->basic[a->row] < s->basic[b->row]);
}

/* Of m.list: the entry whose row keeps the variable from growing first, or OM_NONE. */
static uint32_t limit(tableau *s, uint32_t n)
{
    uint32_t best = OM_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const pnml_entry *e = &s->m.entries[s->m.list[i]];
        if (e->factor > 0 && (best == OM_NONE || limits_more(s, e, &s->m.entries[best])))
            best = s->m.list[i];
    }
    return best;
}

/* The variable can grow without end: so can what is in m.list with it. */
static void note_boundless(tableau *s, uint32_t variable, uint32_t n)
{
    if (variable < s->net->place_count)
        s->boundless[variable] = true;
    for (uint32_t i = 0; i < n; i++) {
        const pnml_entry *e = &s->m.entries[s->m.list[i]];
        if (e->factor < 0 && s->basic[e->row] < s->net->place_count)
            s->boundless[s->basic[e->row]] = true;
    }
}

/* Makes the variable basic, growing until a row stops it; false: none does. *gain: by anything? */
static bool enter(tableau *s, uint32_t variable, bool *gain)
{
    uint32_t n = pnml_rows_list(&s->m, variable), pivot = limit(s, n);
    if (pivot == OM_NONE) {
        note_boundless(s, variable, n);
        return false;
    }
    uint32_t row = s->m.entries[pivot].row;
    *gain = s->m.constants[row] > 0;
    for (uint32_t i = 0; i < n && !s->failed; i++)
        if (s->m.list[i] != pivot)
            s->failed = !pnml_rows_eliminate(&s->m, s->m.list[i], pivot);
    s->row[s->basic[row]] = OM_NONE;
    s->basic[row] = variable;
    s->row[variable] = row;
    return true;
}

/* A variable of the row that lets its basic one grow, or OM_NONE: it is as large as can be. */
static uint32_t choose(const tableau *s, uint32_t row, bool first)
{
    uint32_t best = OM_NONE;
    int64_t most = 0;
    for (uint32_t e = s->m.rows[row].first; e != OM_NONE; e = s->m.entries[e].row_next) {
        const pnml_entry *of = &s->m.entries[e];
        if (of->factor >= 0)
            continue;
        bool better = first ? of->variable < best
                            : of->factor < most || (of->factor == most && of->variable < best);
        if (best == OM_NONE || better) {
            best = of->variable;
            most = of->factor;
        }
    }
    return best;
}

/* Cannot a program say more than is known of the place? Not where what it is now is the bound. */
static bool settled(const tableau *s, uint32_t place)
{
    const pnml_place *p = &s->net->places[place];
    if (s->boundless[place] || p->bound <= p->initial)
        return true;
    uint32_t row = s->row[place];
    return row != OM_NONE && s->m.constants[row] / factor_of(s, row, place) >= p->bound;
}

/* Makes the place as large as can be. */
static void maximise(tableau *s, uint32_t place)
{
    unsigned idle = 0;
    bool gain = false;
    if (s->row[place] == OM_NONE && !enter(s, place, &gain))
        return;
    while (!s->failed && !settled(s, place) && pnml_rows_go_on(&s->m, 1)) {
        uint32_t row = s->row[place], variable = choose(s, row, idle >= PATIENCE);
        if (variable == OM_NONE) {
            (void) pnml_bound_by_row(s->net, &s->m, row);
            return;
        }
        s->m.work += s->m.rows[row].count;
        if (!enter(s, variable, &gain))
            return;
        idle = gain ? 0 : idle + 1;
    }
}

/* Where the most is to be gained comes first: the places without bounds, then the rest of those of
 * more than a bit. */
static const om_value AT_LEAST[] = { PNML_NO_BOUND, 2, 1 };
static const uint64_t BUDGETS[] = { 12000000, 8000000, 2000000 };

static void maximise_all(tableau *s, om_value at_least)
{
    for (uint32_t p = 0; !s->failed && p < s->net->place_count && pnml_rows_go_on(&s->m, 1); p++)
        if (s->net->places[p].bound >= at_least && !settled(s, p))
            maximise(s, p);
}

static int allocate(tableau *s)
{
    const om_heap *heap = s->m.heap;
    s->basic = om_alloc(heap, s->m.row_count, sizeof *s->basic);
    s->row = om_alloc(heap, s->m.variable_count, sizeof *s->row);
    s->boundless = om_alloc(heap, s->m.row_count, sizeof *s->boundless);
    if (s->basic == NULL || s->row == NULL || s->boundless == NULL)
        return om_fail_memory(s->m.ctx);
    for (uint32_t v = 0; v < s->m.variable_count; v++)
        s->row[v] = v < s->m.row_count ? v : OM_NONE;
    for (uint32_t r = 0; r < s->m.row_count; r++)
        s->basic[r] = r;
    return OM_OK;
}

static void release(tableau *s, const om_heap *heap)
{
    om_free(heap, s->basic);
    om_free(heap, s->row);
    om_free(heap, s->boundless);
    pnml_rows_free(&s->m);
}

int pnml_bound_by_programs(pnml_net *net, const bool *possible, uint64_t *work)
{
    const om_heap *heap = om_context_heap(net->ctx);
    tableau s = { .net = net };
    int rc = pnml_rows_make(&s.m, net, possible);
    if (rc != OM_OK)
        return rc;
    rc = allocate(&s);
    for (unsigned i = 0; rc == OM_OK && i < sizeof AT_LEAST / sizeof *AT_LEAST; i++) {
        s.m.budget = s.m.work + BUDGETS[i];
        maximise_all(&s, AT_LEAST[i]);
    }
    *work += s.m.work;
    if (rc == OM_OK)
        rc = s.m.status;
    release(&s, heap);
    return rc;
}
