/* SPDX-License-Identifier: Apache-2.0 */
/* Semantics of a model, directly from its tree. */
#include "dve.h"

#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

static int32_t wrapped(int64_t x)
{
    return (int32_t) (uint32_t) (uint64_t) x;
}

static int32_t divided(operation op, int32_t a, int32_t b, bool *fault)
{
    if (b == 0) {
        *fault = true;
        return 0;
    }
    return wrapped(op == O_DIV ? (int64_t) a / b : (int64_t) a % b);
}

static int32_t computed(operation op, int32_t a, int32_t b, bool *fault)
{
    switch (op) {
    case O_MUL:
        return wrapped((int64_t) a * b);
    case O_ADD:
        return wrapped((int64_t) a + b);
    case O_SUB:
        return wrapped((int64_t) a - b);
    case O_SHL:
        return (int32_t) ((uint32_t) a << ((uint32_t) b % 32));
    case O_SHR: /* arithmetic shift */
        return a < 0 ? ~(~a >> ((uint32_t) b % 32)) : a >> ((uint32_t) b % 32);
    case O_LT:
        return a < b;
    case O_LE:
        return a <= b;
    case O_GE:
        return a >= b;
    case O_GT:
        return a > b;
    case O_EQ:
        return a == b;
    case O_NE:
        return a != b;
    case O_BAND:
        return a & b;
    case O_BOR:
        return a | b;
    case O_BXOR:
        return a ^ b;
    default:
        return divided(op, a, b, fault);
    }
}

static int32_t value(const dve *d, const valuation *s, const expr *e, bool *fault);

/* Returns the position of a variable or an element in the state; 0 after a fault. */
static int position(const dve *d, const valuation *s, const expr *e, bool *fault)
{
    const variable *x = &d->variable[e->variable];
    int32_t i = e->a == NULL ? 0 : value(d, s, e->a, fault);
    if (e->a != NULL && (i < 0 || i >= x->length))
        *fault = true;
    return *fault ? 0 : x->at + i;
}

static int32_t value(const dve *d, const valuation *s, const expr *e, bool *fault)
{
    int32_t a;
    int at;
    switch (e->kind) {
    case X_NUMBER:
        return e->value;
    case X_PLACE:
        at = position(d, s, e, fault);
        return *fault ? 0 : s->v[at];
    case X_AT:
        return s->v[e->process] == e->place;
    case X_UNARY:
        a = value(d, s, e->a, fault);
        return e->op == O_NOT ? a == 0 : e->op == O_NEG ? wrapped(-(int64_t) a) : ~a;
    case X_BINARY:
        break;
    }
    a = value(d, s, e->a, fault);
    if (*fault)
        return 0;
    if (e->op == O_AND)
        return a != 0 && value(d, s, e->b, fault) != 0;
    if (e->op == O_OR)
        return a != 0 || value(d, s, e->b, fault) != 0;
    if (e->op == O_IMPLY)
        return a == 0 || value(d, s, e->b, fault) != 0;
    int32_t b = value(d, s, e->b, fault);
    return *fault ? 0 : computed(e->op, a, b, fault);
}

int32_t dve_value(const dve *d, const valuation *s, const expr *e)
{
    bool fault = false;
    return value(d, s, e, &fault);
}

static int32_t narrowed(bool is_int, int32_t x)
{
    uint32_t low = (uint32_t) x & (is_int ? 0xffffu : 0xffu);
    return is_int && low >= 0x8000u ? (int32_t) low - 0x10000 : (int32_t) low;
}

/* ---- steps ---- */

/* The successors of one state. */
typedef struct steps {
    const dve *d;
    const valuation *now;
    valuation *next;
    unsigned *who; /* by successor: set of processes that move */
    size_t count, room;
    bool fault;
    uint32_t over; /* number of values that did not fit */
} steps;

static void store(steps *y, valuation *s, const expr *target, int32_t x)
{
    int at = position(y->d, s, target, &y->fault);
    int32_t kept = narrowed(y->d->variable[target->variable].is_int, x);
    if (y->fault)
        return;
    s->v[at] = kept;
    y->over += kept != x;
    y->fault = kept != x && y->d->strict;
}

static valuation *another(steps *y)
{
    if (y->count == y->room) {
        y->room = y->room == 0 ? 16 : 2 * y->room;
        y->next = realloc(y->next, y->room * sizeof *y->next);
        y->who = realloc(y->who, y->room * sizeof *y->who);
        if (y->next == NULL || y->who == NULL)
            abort();
    }
    y->next[y->count] = *y->now;
    y->who[y->count] = 0;
    return &y->next[y->count++];
}

/* The process moves to its next location; then its effects are executed in order. */
static void go(steps *y, valuation *s, int p, const move *m)
{
    s->v[p] = m->to;
    y->who[s - y->next] |= 1u << p;
    for (int i = 0; i < m->effects && !y->fault; i++) {
        int32_t x = value(y->d, s, m->value[i], &y->fault);
        if (!y->fault)
            store(y, s, m->target[i], x);
    }
}

static bool passes(steps *y, const move *m)
{
    return m->guard == NULL || (value(y->d, y->now, m->guard, &y->fault) != 0 && !y->fault);
}

static void message(steps *y, const move *send, int32_t *values)
{
    const channel *c = &y->d->channel[send->channel];
    for (int i = 0; i < c->width && !y->fault; i++) {
        values[i] = value(y->d, y->now, send->values[i], &y->fault);
        if (c->typed)
            values[i] = narrowed(c->is_int[i], values[i]);
    }
}

static void take(steps *y, valuation *s, const move *receive, const int32_t *values)
{
    for (int i = 0; i < y->d->channel[receive->channel].width && !y->fault; i++)
        store(y, s, receive->values[i], values[i]);
}

static void step_buffered(steps *y, int p, const move *m)
{
    const channel *c = &y->d->channel[m->channel];
    int count = y->now->v[c->at], cells = c->width * c->capacity;
    int32_t values[ITEMS] = { 0 };
    if (m->sync == SEND ? count == c->capacity : count == 0)
        return;
    valuation *s = another(y);
    int32_t *cell = &s->v[c->at + 1];
    if (m->sync == SEND) {
        message(y, m, values);
        memcpy(cell + count * c->width, values, (size_t) c->width * sizeof *cell);
        s->v[c->at] = count + 1;
    } else {
        memcpy(values, cell, (size_t) c->width * sizeof *cell);
        for (int i = 0; i < cells; i++)
            cell[i] = i + c->width < cells ? cell[i + c->width] : 0;
        s->v[c->at] = count - 1;
        take(y, s, m, values);
    }
    go(y, s, p, m);
}

/* Steps with each possible receiver of one sender. */
static void step_rendezvous(steps *y, int p, const move *send)
{
    for (int q = 0; q < y->d->processes; q++)
        for (int i = 0; q != p && i < y->d->process[q].moves && !y->fault; i++) {
            const move *m = &y->d->process[q].move[i];
            int32_t values[ITEMS] = { 0 };
            if (m->sync != RECEIVE || m->channel != send->channel || y->now->v[q] != m->from ||
                y->d->process[q].commit[m->from] != y->d->process[p].commit[send->from])
                continue;
            if (!passes(y, send) || !passes(y, m))
                continue;
            valuation *s = another(y);
            message(y, send, values);
            take(y, s, m, values);
            go(y, s, q, m);
            go(y, s, p, send);
        }
}

static void steps_async(steps *y)
{
    const dve *d = y->d;
    bool committed = false;
    for (int p = 0; p < d->processes; p++)
        committed = committed || d->process[p].commit[y->now->v[p]];
    for (int p = 0; p < d->processes; p++)
        for (int i = 0; i < d->process[p].moves && !y->fault; i++) {
            const move *m = &d->process[p].move[i];
            bool rendezvous = m->sync != NO_SYNC && d->channel[m->channel].capacity == 0;
            if (y->now->v[p] != m->from || (committed && !d->process[p].commit[m->from]) ||
                (rendezvous && m->sync == RECEIVE))
                continue;
            if (rendezvous)
                step_rendezvous(y, p, m);
            else if (passes(y, m) && m->sync == NO_SYNC)
                go(y, another(y), p, m);
            else if (m->sync != NO_SYNC && passes(y, m))
                step_buffered(y, p, m);
        }
}

/* One transition of each process at once. Each process sees the state before the step and its own
 * effects. */
static void steps_sync(steps *y)
{
    const dve *d = y->d;
    int chosen[PROCESSES] = { 0 }, p;
    for (p = 0; p < d->processes; p++)
        if (d->process[p].moves == 0)
            return;
    do {
        bool enabled = true;
        for (p = 0; p < d->processes && enabled; p++) {
            const move *m = &d->process[p].move[chosen[p]];
            enabled = y->now->v[p] == m->from && passes(y, m);
        }
        if (enabled) {
            valuation *s = another(y);
            y->who[s - y->next] = (1u << d->processes) - 1;
            for (p = 0; p < d->processes; p++) {
                const move *m = &d->process[p].move[chosen[p]];
                valuation own = *y->now;
                own.v[p] = s->v[p] = m->to;
                for (int i = 0; i < m->effects; i++) {
                    int32_t x = value(d, &own, m->value[i], &y->fault);
                    int at = position(d, &own, m->target[i], &y->fault);
                    store(y, &own, m->target[i], x);
                    s->v[at] = own.v[at];
                }
            }
        }
        for (p = 0; p < d->processes && ++chosen[p] == d->process[p].moves; p++)
            chosen[p] = 0;
    } while (p < d->processes);
}

static bool asserted(const dve *d, const valuation *s)
{
    bool fault = false;
    for (int p = 0; p < d->processes; p++)
        for (int i = 0; i < d->process[p].assertions; i++)
            if (s->v[p] == d->process[p].assert_at[i] &&
                (value(d, s, d->process[p].assert_that[i], &fault) == 0 || fault))
                return false;
    return true;
}

/* ---- the graph ---- */

static size_t slot_of(const graph *g, const dve *d, const valuation *s)
{
    uint64_t h = 0;
    size_t mask = 2 * (size_t) g->room - 1;
    for (int i = 0; i < d->width; i++)
        h = (h ^ (uint32_t) s->v[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    for (size_t i = (size_t) h & mask;; i = (i + 1) & mask)
        if (g->index[i] == 0 ||
            memcmp(&g->states[g->index[i] - 1], s, (size_t) d->width * sizeof *s->v) == 0)
            return i;
}

uint32_t graph_find(const graph *g, const dve *d, const valuation *s)
{
    uint32_t i = g->index[slot_of(g, d, s)];
    return i == 0 ? OM_NONE : i - 1;
}

bool graph_has_arc(const graph *g, uint32_t from, uint32_t to)
{
    for (uint32_t k = g->first[from]; k < g->first[from + 1]; k++)
        if (g->to[k] == to)
            return true;
    return false;
}

static uint32_t intern(graph *g, const dve *d, const valuation *s, uint32_t level)
{
    size_t i = slot_of(g, d, s);
    if (g->index[i] == 0) {
        g->states[g->n] = *s;
        g->level[g->n] = level;
        g->index[i] = ++g->n;
    }
    return g->index[i] - 1;
}

static void expand(graph *g, steps *y, uint32_t i)
{
    y->count = y->over = 0;
    y->fault = !asserted(y->d, y->now);
    if (!y->fault && y->d->synchronous)
        steps_sync(y);
    else if (!y->fault)
        steps_async(y);
    g->fault[i] = y->fault;
    if (y->fault)
        y->count = y->over = 0;
    g->over[i] = y->over;
    g->overs += y->over;
    if (g->arcs + y->count > g->arc_room) {
        g->arc_room = 2 * (g->arcs + y->count);
        g->to = realloc(g->to, g->arc_room * sizeof *g->to);
        g->who = realloc(g->who, g->arc_room * sizeof *g->who);
        if (g->to == NULL || g->who == NULL)
            abort();
    }
}

bool graph_explore(graph *g, const dve *d, uint32_t most)
{
    static const valuation nothing;
    valuation initial = nothing;
    steps y = { .d = d };

    for (int p = 0; p < d->processes; p++)
        initial.v[p] = d->process[p].initial;
    for (int v = 0; v < d->variables; v++)
        memcpy(&initial.v[d->variable[v].at], d->variable[v].initial,
            (d->variable[v].length == 0 ? 1 : (size_t) d->variable[v].length) * sizeof *initial.v);
    *g = (graph){ .room = 4096 };
    g->states = calloc(g->room, sizeof *g->states);
    g->level = calloc(g->room, sizeof *g->level);
    g->fault = calloc(g->room, sizeof *g->fault);
    g->over = calloc(g->room, sizeof *g->over);
    g->first = calloc(g->room + 1, sizeof *g->first);
    g->index = calloc(2 * (size_t) g->room, sizeof *g->index);
    if (!g->states || !g->level || !g->fault || !g->over || !g->first || !g->index)
        abort();
    (void) intern(g, d, &initial, 0);
    for (uint32_t i = 0; i < g->n && g->n <= most; i++) {
        valuation now = g->states[i];
        y.now = &now;
        g->first[i] = (uint32_t) g->arcs;
        expand(g, &y, i);
        for (size_t k = 0; k < y.count && g->n <= most; k++) {
            g->who[g->arcs] = y.who[k];
            g->to[g->arcs++] = intern(g, d, &y.next[k], g->level[i] + 1);
        }
        g->first[i + 1] = (uint32_t) g->arcs;
        g->faults += g->fault[i];
        g->deadlocks += !g->fault[i] && y.count == 0;
        g->levels = g->level[i] + 1;
    }
    free(y.next);
    free(y.who);
    if (g->n > most) {
        graph_free(g);
        return false;
    }
    return true;
}

void graph_free(graph *g)
{
    free(g->states);
    free(g->level);
    free(g->fault);
    free(g->over);
    free(g->to);
    free(g->who);
    free(g->first);
    free(g->index);
    *g = (graph){ 0 };
}
