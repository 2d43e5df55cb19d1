/* SPDX-License-Identifier: Apache-2.0 */
#include "dve.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Context of the generator of expressions. */
typedef struct maker {
    dve *d;
    om_random *r;
    int process; /* -1: seen from outside */
    bool faulty;
} maker;

static int below(const maker *k, int n)
{
    return (int) om_random_below(k->r, (uint64_t) n);
}

static bool chance(const maker *k, int percent)
{
    return below(k, 100) < percent;
}

/* ---- expressions ---- */

static expr *node(const maker *k, shape kind)
{
    assert(k->d->node_count < NODES);
    expr *e = &k->d->nodes[k->d->node_count++];
    *e = (expr){ .kind = kind, .spelling = (unsigned) om_random_below(k->r, 64) };
    return e;
}

static const expr *number(const maker *k, int32_t value)
{
    expr *e = node(k, X_NUMBER);
    e->value = value;
    return e;
}

static const expr *unary(const maker *k, operation op, const expr *a)
{
    expr *e = node(k, X_UNARY);
    e->op = op;
    e->a = a;
    return e;
}

static const expr *binary(const maker *k, operation op, const expr *a, const expr *b)
{
    expr *e = node(k, X_BINARY);
    e->op = op;
    e->a = a;
    e->b = b;
    return e;
}

static const expr *index_for(const maker *k, int length);

static const expr *place(const maker *k, int v)
{
    expr *e = node(k, X_PLACE);
    e->variable = v;
    if (k->d->variable[v].length != 0)
        e->a = index_for(k, k->d->variable[v].length);
    return e;
}

static bool hidden(const maker *k, int v)
{
    const variable *x = &k->d->variable[v];
    for (int i = 0; x->owner < 0 && i < k->d->variables; i++)
        if (k->process >= 0 && k->d->variable[i].owner == k->process &&
            strcmp(k->d->variable[i].name, x->name) == 0)
            return true;
    return false;
}

/* Returns a variable that can be read here, mostly one of the process itself; with `byte`, a
 * scalar byte. */
static int readable(const maker *k, bool byte)
{
    for (int tries = 0; tries < 40; tries++) {
        int v = below(k, k->d->variables);
        const variable *x = &k->d->variable[v];
        if (hidden(k, v) || (byte && (x->is_int || x->length != 0)))
            continue;
        if (x->owner < 0 || x->owner == k->process || k->process < 0 || chance(k, 25))
            return v;
    }
    return -1;
}

static const expr *index_for(const maker *k, int length)
{
    int v = readable(k, true);
    if (v < 0 || chance(k, 40))
        return number(k, below(k, length));
    if (k->faulty && chance(k, 30))
        return place(k, v);
    if (length == 4 && chance(k, 50))
        return binary(k, O_BAND, place(k, v), number(k, 3));
    if (chance(k, 30))
        return binary(k, O_BAND, place(k, v), number(k, 1));
    return binary(k, O_MOD, place(k, v), number(k, length));
}

static const expr *leaf(const maker *k)
{
    int v = chance(k, 70) ? readable(k, false) : -1;
    if (v >= 0)
        return place(k, v);
    return number(k, chance(k, 10) ? below(k, 400) - 150 : below(k, 4) - chance(k, 15));
}

static const expr *condition(const maker *k, int depth);

static const expr *arithmetic(const maker *k, int depth)
{
    static const operation ops[] = { O_ADD, O_SUB, O_MUL, O_BAND, O_BOR, O_BXOR, O_SHL, O_SHR };
    if (depth == 0 || chance(k, 35))
        return leaf(k);
    switch (below(k, 10)) {
    case 0:
        return unary(k, chance(k, 50) ? O_NEG : O_COMPL, arithmetic(k, depth - 1));
    case 1:
        return condition(k, depth - 1);
    case 2: /* the divisor is not 0: its lowest bit is set */
        return binary(k, chance(k, 50) ? O_DIV : O_MOD, arithmetic(k, depth - 1),
            k->faulty && chance(k, 50) ? leaf(k) : binary(k, O_BOR, leaf(k), number(k, 1)));
    case 3:
        return binary(
            k, chance(k, 50) ? O_MOD : O_DIV, arithmetic(k, depth - 1), number(k, 2 + below(k, 3)));
    default:
        return binary(k, ops[below(k, 8)], arithmetic(k, depth - 1), arithmetic(k, depth - 1));
    }
}

static const expr *at(const maker *k)
{
    expr *e = node(k, X_AT);
    e->process = below(k, k->d->processes);
    e->place = below(k, k->d->process[e->process].locations);
    return e;
}

/* i < length and a[i] ...: the right operand is evaluated only if the left one holds. */
static const expr *guarded(const maker *k)
{
    int index = readable(k, true), array = -1;
    for (int v = 0; v < k->d->variables; v++)
        if (k->d->variable[v].length != 0 && !hidden(k, v))
            array = v;
    if (index < 0 || array < 0)
        return at(k);
    expr *element = node(k, X_PLACE);
    element->variable = array;
    element->a = place(k, index);
    const expr *end = number(k, k->d->variable[array].length);
    const expr *right = binary(k, chance(k, 50) ? O_EQ : O_GE, element, number(k, below(k, 3)));
    if (chance(k, 30))
        return binary(k, O_OR, binary(k, O_GE, place(k, index), end), right);
    return binary(k, chance(k, 50) ? O_AND : O_IMPLY, binary(k, O_LT, place(k, index), end), right);
}

static const expr *condition(const maker *k, int depth)
{
    static const operation compare[] = { O_LT, O_LE, O_EQ, O_NE, O_GE, O_GT };
    int what = below(k, 100);
    if (depth > 0 && what < 45) {
        static const operation join[] = { O_AND, O_OR, O_IMPLY, O_AND };
        if (what < 10)
            return unary(k, O_NOT, condition(k, depth - 1));
        return binary(k, join[below(k, 4)], condition(k, depth - 1), condition(k, depth - 1));
    }
    if (what < 60)
        return at(k);
    if (what < 68)
        return guarded(k);
    if (what < 72)
        return leaf(k);
    return binary(k, compare[below(k, 6)], arithmetic(k, depth > 0), arithmetic(k, 0));
}

const expr *dve_proposition(dve *d, om_random *r)
{
    maker k = { d, r, -1, false };
    return condition(&k, 1);
}

/* Returns a value to store, mostly a small one, to limit the number of states. */
static const expr *small_value(const maker *k)
{
    int what = below(k, 100);
    if (what < 25)
        return number(k, below(k, 3));
    if (what < 55)
        return binary(k, O_BAND, arithmetic(k, 2), number(k, chance(k, 70) ? 1 : 3));
    if (what < 75)
        return binary(k, O_MOD, arithmetic(k, 2), number(k, 2 + below(k, 3)));
    if (what < 85)
        return condition(k, 1);
    return what < 93 ? leaf(k) : arithmetic(k, 1);
}

/* ---- processes ---- */

static const expr *target(const maker *k)
{
    for (int tries = 0; tries < 100; tries++) {
        int v = below(k, k->d->variables);
        const variable *x = &k->d->variable[v];
        if (!x->is_const && !hidden(k, v) && (x->owner < 0 || x->owner == k->process))
            return place(k, v);
    }
    return place(k, 0); /* a global variable that is not hidden */
}

static void make_sync(const maker *k, move *m)
{
    if (k->d->channels == 0 || k->d->synchronous || chance(k, 55))
        return;
    m->channel = below(k, k->d->channels);
    m->sync = chance(k, 50) ? SEND : RECEIVE;
    for (int i = 0; i < k->d->channel[m->channel].width; i++)
        m->values[i] = m->sync == RECEIVE ? target(k)
                       : chance(k, 30)    ? arithmetic(k, 1)
                                          : small_value(k);
}

static void make_move(const maker *k, process *p, int from)
{
    move *m = &p->move[p->moves++];
    m->from = from;
    m->to = below(k, p->locations);
    if (chance(k, 50))
        m->guard = condition(k, 2);
    make_sync(k, m);
    for (int n = below(k, EFFECTS + 1); m->effects < n; m->effects++) {
        m->target[m->effects] = target(k);
        m->value[m->effects] = small_value(k);
    }
}

/* ---- moves local to the process, which may be merged with the preceding ones ---- */

/* Returns a variable of the process itself; -1 if there is none. */
static int own_scalar(const maker *k)
{
    for (int tries = 0; tries < 20; tries++) {
        int v = below(k, k->d->variables);
        const variable *x = &k->d->variable[v];
        if (x->owner == k->process && !x->is_const && x->length == 0)
            return v;
    }
    return -1;
}

static const expr *own_value(const maker *k, int v)
{
    static const operation ops[] = { O_ADD, O_BXOR, O_SUB };
    if (v < 0 || chance(k, 40))
        return number(k, below(k, 4));
    return binary(k, O_BAND, binary(k, ops[below(k, 3)], place(k, v), number(k, 1)), number(k, 3));
}

static move *make_own_move(const maker *k, process *p, int from)
{
    move *m = &p->move[p->moves++];
    const int v = own_scalar(k);
    m->from = from;
    m->to = below(k, p->locations);
    if (v >= 0 && chance(k, 60)) {
        m->effects = 1;
        m->target[0] = place(k, v);
        m->value[0] = own_value(k, own_scalar(k));
    }
    return m;
}

/* Makes one move that is always enabled, or two of which one is enabled. */
static void make_own(const maker *k, process *p, int from)
{
    const int v = own_scalar(k);
    move *m = make_own_move(k, p, from);
    if (v < 0 || p->moves == MOVES || chance(k, 50))
        return;
    const int limit = 1 + below(k, 3);
    m->guard = binary(k, O_LT, place(k, v), number(k, limit));
    m = make_own_move(k, p, from);
    m->guard = chance(k, 50) ? binary(k, O_GE, place(k, v), number(k, limit))
                             : unary(k, O_NOT, binary(k, O_LT, place(k, v), number(k, limit)));
}

static void make_process(const maker *k, process *p)
{
    p->initial = below(k, p->locations);
    for (int s = 0; s < p->locations; s++)
        p->commit[s] = chance(k, 12);
    for (int s = 0; s < p->locations; s++)
        if (p->moves + 1 < MOVES && chance(k, 25))
            make_own(k, p, s);
        else if (chance(k, 90))
            make_move(k, p, s);
    for (int n = below(k, 3); n > 0 && p->moves < MOVES; n--)
        make_move(k, p, below(k, p->locations));
    for (int n = chance(k, 30) ? below(k, ASSERTIONS + 1) : 0; p->assertions < n; p->assertions++) {
        int i = p->assertions;
        p->assert_at[i] = below(k, p->locations);
        /* Only faulty models have assertions that may fail. */
        p->assert_that[i] =
            k->faulty && chance(k, 60)
                ? condition(k, 1)
                : binary(k, O_IMPLY, binary(k, O_AND, condition(k, 1), number(k, 0)), at(k));
    }
}

/* ---- declarations ---- */

static void make_variable(const maker *k, int owner)
{
    int number_of = k->d->variables++;
    variable *x = &k->d->variable[number_of];
    x->owner = owner;
    /* Some variables have the name of a global one and hide it. */
    (void) snprintf(x->name, sizeof x->name, "%c%d", owner < 0 || chance(k, 15) ? 'v' : 'w',
        owner < 0 ? number_of : number_of % 3);
    x->is_int = chance(k, 40);
    x->is_const = owner < 0 && number_of > 0 && chance(k, 15);
    x->length = chance(k, 35) ? 2 + below(k, ELEMENTS - 1) : 0;
    for (int i = 0; i < (x->length == 0 ? 1 : x->length); i++)
        x->initial[i] = chance(k, 40) ? below(k, 4) - (x->is_int && chance(k, 30)) : 0;
    for (int i = 0; i < number_of; i++)
        if (k->d->variable[i].owner == owner && strcmp(k->d->variable[i].name, x->name) == 0)
            (void) snprintf(x->name, sizeof x->name, "u%d", number_of);
}

static void make_channel(const maker *k)
{
    channel *c = &k->d->channel[k->d->channels++];
    c->typed = chance(k, 60);
    c->capacity = c->typed && chance(k, 50) ? 1 + below(k, CAPACITY) : 0;
    c->width = c->typed ? 1 + below(k, ITEMS) : below(k, ITEMS + 1);
    for (int i = 0; i < ITEMS; i++)
        c->is_int[i] = chance(k, 50);
}

static void lay_out(dve *d)
{
    d->width = d->processes;
    for (int v = 0; v < d->variables; v++) {
        d->variable[v].at = d->width;
        d->width += d->variable[v].length == 0 ? 1 : d->variable[v].length;
    }
    for (int c = 0; c < d->channels; c++) {
        d->channel[c].at = d->width;
        d->width +=
            d->channel[c].capacity == 0 ? 0 : 1 + d->channel[c].capacity * d->channel[c].width;
    }
}

void dve_generate(dve *d, om_random *r, bool faulty)
{
    maker k = { d, r, -1, faulty };
    memset(d, 0, sizeof *d);
    d->faulty = faulty;
    d->synchronous = !faulty && chance(&k, 12);
    d->processes = 2 + below(&k, PROCESSES - 1);
    for (int n = 1 + below(&k, 3); n > 0; n--)
        make_variable(&k, -1);
    for (int p = 0; p < d->processes; p++) {
        d->process[p].locations = 2 + below(&k, LOCATIONS - 1);
        for (int n = chance(&k, 60) ? 1 + chance(&k, 20) : 0; n > 0 && d->variables < VARIABLES;
             n--)
            make_variable(&k, p);
    }
    for (int n = d->synchronous ? 0 : below(&k, CHANNELS + 1); n > 0; n--)
        make_channel(&k);
    lay_out(d);
    for (k.process = 0; k.process < d->processes; k.process++)
        make_process(&k, &d->process[k.process]);
}
