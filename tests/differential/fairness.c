/* SPDX-License-Identifier: Apache-2.0 */
/* Fairness by its definition, from the processes that move along the arcs of a graph and those
 * that could. */
#include "property.h"

static void put(condition *c, char op, unsigned set)
{
    c->at[c->length].op = op;
    c->at[c->length++].set = set;
}

/* Joins the last clause to the preceding ones. */
static void join(condition *c)
{
    put(c, '&', 0);
}

static void put_processes(fairness *f)
{
    condition *c = &f->accept;
    for (int p = 0; p < f->processes && f->kind != NO_FAIRNESS; p++) {
        if (f->kind == STRONG_FAIRNESS)
            put(c, 'F', c->sets++); /* the process can move */
        put(c, 'I', c->sets++);     /* it moves; for weak fairness also: it cannot move */
        if (f->kind == STRONG_FAIRNESS)
            put(c, '|', 0);
        join(c);
    }
}

/* Puts a set for each literal. */
static void put_clauses(fairness *f)
{
    condition *c = &f->accept;
    for (int i = 0; i < f->clauses; i++) {
        int again = f->clause[i].again, never = f->clause[i].never;
        if (again != NONE)
            put(c, 'I', c->sets++);
        if (never != NONE)
            put(c, 'F', c->sets++);
        if (again != NONE && never != NONE)
            put(c, '|', 0);
        join(c);
    }
}

void fairness_make(fairness *f, om_random *r, int kind, int processes, int propositions)
{
    *f = (fairness){ .kind = kind, .processes = processes };
    f->clauses = (int) om_random_below(r, CLAUSES) + (kind == NO_FAIRNESS);
    put(&f->accept, 't', 0);
    put_processes(f);
    for (int i = 0; i < f->clauses; i++) {
        unsigned what = (unsigned) om_random_below(r, 5);
        f->clause[i].again = what == 0 ? NONE : (int) om_random_below(r, (uint64_t) propositions);
        f->clause[i].never = what == 1 ? NONE : (int) om_random_below(r, (uint64_t) propositions);
    }
    put_clauses(f);
}

void fairness_print(const fairness *f, int i, om_random *r, const char *const *names, om_text *out)
{
    const char *again = f->clause[i].again == NONE ? "" : names[f->clause[i].again],
               *never = f->clause[i].never == NONE ? "" : names[f->clause[i].never];
    unsigned way = (unsigned) om_random_below(r, 4);
    if (f->clause[i].again == NONE)
        om_text_printf(out, way % 2 == 0 ? "F G !(%s)" : "!G F (%s)", never);
    else if (f->clause[i].never == NONE)
        om_text_printf(out, way % 2 == 0 ? "G F (%s)" : "! (F (G !(%s)))", again);
    else if (way == 0)
        om_text_printf(out, "G F (%s) -> G F (%s)", never, again);
    else if (way == 1)
        om_text_printf(out, "F G !(%s) | G F (%s)", never, again);
    else if (way == 2)
        om_text_printf(out, "!(F G !(%s) & G F (%s))", again, never);
    else
        om_text_printf(out, "F G !(%s) -> F G !(%s)", again, never);
}

unsigned fairness_marks(const labelled *g, uint32_t v, int64_t k)
{
    const fairness *f = g->fair;
    unsigned marks = 0, set = 0;
    if (f == NULL)
        return 0;
    unsigned who = k == NONE ? 0 : g->who[k], able = k == NONE ? 0 : g->able[v];
    for (int p = 0; p < f->processes && f->kind != NO_FAIRNESS; p++) {
        bool moves = (who >> p & 1) != 0, can = (able >> p & 1) != 0;
        if (f->kind == STRONG_FAIRNESS)
            marks |= (unsigned) can << set++;
        marks |= (unsigned) (moves || (f->kind == WEAK_FAIRNESS && !can)) << set++;
    }
    for (int i = 0; i < f->clauses; i++) {
        int again = f->clause[i].again, never = f->clause[i].never;
        if (again != NONE)
            marks |= (g->label[v] >> again & 1) << set++;
        if (never != NONE)
            marks |= (g->label[v] >> never & 1) << set++;
    }
    return marks;
}
