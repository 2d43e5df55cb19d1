/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas without automata: a vertex of the product is a vertex of the graph with a guess of the
 * temporal subformulas that hold there. Guesses are consistent from step to step by the expansion
 * laws. Each eventuality of U, F and M must be fulfilled, with one acceptance set each. (Vardi and
 * Wolper's construction in its plainest form.)
 */
#include "property.h"

#include <assert.h>
#include <string.h>

/* ---- generation and printing ---- */

static int grow(formula *f, om_random *r, int propositions, int size)
{
    static const char all[] = "!XFG&|>=^URWM", plain[] = "!&|>=^";
    int me = f->count++;
    assert(f->count <= FORMULA);
    f->node[me].bit = -1;
    if (size == 0) {
        f->node[me].op = om_random_below(r, 12) == 0 ? '1' : 'p';
        f->node[me].a = (int) om_random_below(r, (uint64_t) propositions);
        return me;
    }
    bool temporal = f->temporal < TEMPORAL && om_random_below(r, 4) != 0;
    char op = temporal ? all[om_random_below(r, sizeof all - 1)]
                       : plain[om_random_below(r, sizeof plain - 1)];
    bool one = strchr("!XFG", op) != NULL;
    f->node[me].op = op;
    if (strchr("XFGURWM", op) != NULL)
        f->node[me].bit = f->temporal++;
    int left = one ? size - 1 : (int) om_random_below(r, (uint64_t) size);
    int a = grow(f, r, propositions, left);
    f->node[me].a = a;
    if (!one) {
        int b = grow(f, r, propositions, size - 1 - left);
        f->node[me].b = b;
    }
    return me;
}

void formula_make(formula *f, om_random *r, int propositions)
{
    memset(f, 0, sizeof *f);
    (void) grow(f, r, propositions, 1 + (int) om_random_below(r, 8));
}

static void print_node(const formula *f, int i, const char *const *names, om_text *out)
{
    char op = f->node[i].op;
    switch (op) {
    case '1':
        om_text_add(out, "true");
        return;
    case 'p':
        om_text_add(out, names[f->node[i].a]);
        return;
    case '!':
    case 'X':
    case 'F':
    case 'G':
        om_text_printf(out, "%c ", op);
        print_node(f, f->node[i].a, names, out);
        return;
    default:
        om_text_add(out, "(");
        print_node(f, f->node[i].a, names, out);
        if (op == '>' || op == '=')
            om_text_add(out, op == '>' ? " -> " : " <-> ");
        else
            om_text_printf(out, " %c ", op);
        print_node(f, f->node[i].b, names, out);
        om_text_add(out, ")");
    }
}

void formula_print(const formula *f, const char *const *names, om_text *out)
{
    print_node(f, 0, names, out);
}

/* ---- the product ---- */

/* Truth of a node under a guess for the temporal nodes. */
static bool holds(const formula *f, int i, unsigned label, unsigned guess)
{
    int a = f->node[i].a, b = f->node[i].b;
    switch (f->node[i].op) {
    case '1':
        return true;
    case 'p':
        return (label >> a & 1) != 0;
    case '!':
        return !holds(f, a, label, guess);
    case '&':
        return holds(f, a, label, guess) && holds(f, b, label, guess);
    case '|':
        return holds(f, a, label, guess) || holds(f, b, label, guess);
    case '>':
        return !holds(f, a, label, guess) || holds(f, b, label, guess);
    case '=':
        return holds(f, a, label, guess) == holds(f, b, label, guess);
    case '^':
        return holds(f, a, label, guess) != holds(f, b, label, guess);
    default:
        return (guess >> f->node[i].bit & 1) != 0;
    }
}

/* The right-hand side of a temporal node's expansion law, given the guesses here and in the next
 * vertex. */
static bool expanded(
    const formula *f, int i, unsigned label, unsigned guess, unsigned next_label, unsigned next)
{
    bool later = (next >> f->node[i].bit & 1) != 0;
    bool a = holds(f, f->node[i].a, label, guess);
    bool b = strchr("XFG", f->node[i].op) == NULL && holds(f, f->node[i].b, label, guess);
    switch (f->node[i].op) {
    case 'X':
        return holds(f, f->node[i].a, next_label, next);
    case 'F':
        return a || later;
    case 'G':
        return a && later;
    case 'U':
    case 'W':
        return b || (a && later);
    default: /* R, M */
        return b && (a || later);
    }
}

/* Acceptance: least fixpoints must be fulfilled, and greatest fixpoints must not be denied for
 * ever. */
static bool kept(const formula *f, int i, unsigned label, unsigned guess)
{
    bool claimed = (guess >> f->node[i].bit & 1) != 0;
    bool a = holds(f, f->node[i].a, label, guess);
    bool b = strchr("XFG", f->node[i].op) == NULL && holds(f, f->node[i].b, label, guess);
    switch (f->node[i].op) {
    case 'F':
        return !claimed || a;
    case 'G':
        return claimed || !a;
    case 'U':
        return !claimed || b;
    case 'W': /* false means: !b until !a & !b */
        return claimed || (!a && !b);
    case 'R': /* false means: !a until !b */
        return claimed || !b;
    case 'M':
        return !claimed || (a && b);
    default:
        return true;
    }
}

/* fair: marks of the arc itself. */
static void connect(const formula *f, const labelled *g, uint32_t s, unsigned guess, uint32_t t,
    unsigned fair, digraph *out)
{
    unsigned guesses = 1u << f->temporal, marks = fair << f->temporal;
    for (int i = 0; i < f->count; i++)
        if (f->node[i].bit >= 0 && kept(f, i, g->label[s], guess))
            marks |= 1u << f->node[i].bit;
    for (unsigned next = 0; next < guesses; next++) {
        bool consistent = true;
        for (int i = 0; i < f->count && consistent; i++)
            consistent =
                f->node[i].bit < 0 || ((guess >> f->node[i].bit & 1) != 0) ==
                                          expanded(f, i, g->label[s], guess, g->label[t], next);
        if (consistent)
            digraph_add(out, s * guesses + guess, t * guesses + next, marks);
    }
}

bool formula_violated(const formula *f, const labelled *g)
{
    unsigned guesses = 1u << f->temporal;
    digraph product = { .n = g->n * guesses };
    condition all = { .sets = (unsigned) f->temporal };
    all.at[all.length++].op = 't';
    for (unsigned i = 0; i < all.sets; i++) {
        all.at[all.length].op = 'I';
        all.at[all.length++].set = i;
        all.at[all.length++].op = '&';
    }
    if (g->fair != NULL)
        all = condition_both(&all, &g->fair->accept, all.sets);
    for (uint32_t s = 0; s < g->n; s++)
        for (unsigned guess = 0; guess < guesses; guess++) {
            for (uint32_t k = g->first[s]; k < g->first[s + 1]; k++)
                connect(f, g, s, guess, g->to[k], fairness_marks(g, s, k), &product);
            if (labelled_stays(g, s))
                connect(f, g, s, guess, s, fairness_marks(g, s, NONE), &product);
        }
    for (unsigned guess = 0; guess < guesses; guess++)
        if (!holds(f, 0, g->label[0], guess))
            digraph_start(&product, guess);
    bool found = digraph_accepts(&product, &all);
    digraph_free(&product);
    return found;
}
