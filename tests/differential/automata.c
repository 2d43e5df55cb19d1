/* SPDX-License-Identifier: Apache-2.0 */
#include "property.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int below(om_random *r, int n)
{
    return (int) om_random_below(r, (uint64_t) n);
}

/* ---- generation ---- */

/* Writes a random Boolean expression. Returns the set of labels that satisfy it. */
static unsigned make_label(om_random *r, int propositions, int depth, om_text *out)
{
    unsigned all = (1u << (1u << propositions)) - 1, truth = 0;
    int what = below(r, 10);
    if (depth == 0 || what < 3) {
        if (propositions == 0 || below(r, 6) == 0) {
            bool yes = below(r, 8) != 0;
            om_text_add(out, yes ? "t" : "f");
            return yes ? all : 0;
        }
        int p = below(r, propositions);
        for (unsigned l = 0; l < 1u << propositions; l++)
            truth |= (l >> p & 1) << l;
        om_text_printf(out, "%d", p);
        return truth;
    }
    if (what < 5) {
        om_text_add(out, "!(");
        truth = all & ~make_label(r, propositions, depth - 1, out);
        om_text_add(out, ")");
        return truth;
    }
    om_text_add(out, "(");
    truth = make_label(r, propositions, depth - 1, out);
    om_text_add(out, what < 7 ? ") & (" : ") | (");
    unsigned right = make_label(r, propositions, depth - 1, out);
    om_text_add(out, ")");
    return what < 7 ? truth & right : truth | right;
}

static void put(condition *c, char op, unsigned set)
{
    assert(c->length < CONDITION);
    c->at[c->length].op = op;
    c->at[c->length++].set = set;
}

/* With `fin`, any literals; otherwise no Fin. */
static void make_condition(condition *c, om_random *r, int depth, bool fin)
{
    if (depth == 0 || below(r, 3) == 0) {
        int what = below(r, 20);
        char op = what == 0 ? 't' : what == 1 ? 'f' : what < 11 && fin ? 'F' : 'I';
        put(c, c->sets == 0 && what > 1 ? 't' : op,
            c->sets == 0 ? 0 : (unsigned) below(r, (int) c->sets));
        return;
    }
    make_condition(c, r, depth - 1, fin);
    make_condition(c, r, depth - 1, fin);
    put(c, below(r, 2) == 0 ? '&' : '|', 0);
}

static void make_generalized_buchi(condition *c)
{
    if (c->sets == 0)
        put(c, 't', 0);
    for (unsigned i = 0; i < c->sets; i++) {
        put(c, 'I', i);
        if (i > 0)
            put(c, '&', 0);
    }
}

/* Pairs with distinct sets or with arbitrary ones; a Rabin pair may have a second Inf. */
static void make_pairs(condition *c, om_random *r, bool rabin)
{
    unsigned pairs = 1 + (unsigned) below(r, SETS / 2);
    bool own = below(r, 2) == 0;
    c->sets = 2 * pairs;
    for (unsigned i = 0; i < pairs; i++) {
        put(c, 'F', own ? 2 * i : (unsigned) below(r, (int) c->sets));
        put(c, 'I', own ? 2 * i + 1 : (unsigned) below(r, (int) c->sets));
        put(c, rabin ? '&' : '|', 0);
        if (rabin && below(r, 4) == 0) {
            put(c, 'I', (unsigned) below(r, (int) c->sets));
            put(c, '&', 0);
        }
        if (i > 0)
            put(c, rabin ? '|' : '&', 0);
    }
}

/* The highest (or lowest) set seen infinitely often decides by its parity. */
static void make_parity(condition *c, om_random *r)
{
    bool highest = below(r, 2) == 0;
    unsigned odd = (unsigned) below(r, 2);
    c->sets = 1 + (unsigned) below(r, SETS);
    for (unsigned i = 0; i < c->sets; i++) {
        unsigned set = highest ? c->sets - 1 - i : i;
        put(c, set % 2 == odd ? 'I' : 'F', set);
    }
    for (size_t i = c->sets - 1; i-- > 0;)
        put(c, c->at[i].op == 'I' ? '|' : '&', 0);
}

static void make_acceptance(condition *c, om_random *r, acceptance kind)
{
    switch (kind) {
    case RABIN:
    case STREETT:
        make_pairs(c, r, kind == RABIN);
        return;
    case PARITY:
        make_parity(c, r);
        return;
    case CO_BUCHI:
        c->sets = 1;
        put(c, 'F', 0);
        return;
    case ANY_FORMULA:
    case FIN_LESS:
        c->sets = (unsigned) below(r, SETS + 1);
        make_condition(c, r, 2 + below(r, 3), kind == ANY_FORMULA);
        return;
    default:
        c->sets = (unsigned) below(r, 4);
        make_generalized_buchi(c);
    }
}

static unsigned make_marks(const condition *c, om_random *r)
{
    return (unsigned) below(r, 1 << SETS) & (unsigned) below(r, 1 << SETS) & ((1u << c->sets) - 1);
}

/* Marks by layers make weak components; a state with every label makes terminal ones. */
void automaton_make(automaton *a, om_random *r, int propositions, bool any)
{
    memset(a, 0, sizeof *a);
    a->propositions = propositions;
    a->states = 1 + below(r, AUTOMATON_STATES);
    a->kind = any ? (acceptance) (1 + below(r, ACCEPTANCES - 1)) : GENERALIZED_BUCHI;
    make_acceptance(&a->accept, r, a->kind);
    a->initials = 1 + (below(r, 5) == 0);
    for (int i = 0; i < a->initials; i++)
        a->initial[i] = below(r, a->states);
    a->state_based = below(r, 3) == 0;
    /* Arbitrary acceptance is meant for strong components, so layered and forward cases are
     * rarer. */
    bool forward = below(r, any ? 5 : 3) == 0, layered = below(r, any ? 4 : 2) == 0;
    unsigned mask = (1u << a->accept.sets) - 1;
    for (int q = 0; q < a->states; q++)
        a->marks[q] = make_marks(&a->accept, r);
    if (layered)
        for (int q = 0; q < a->states; q++)
            a->marks[q] = below(r, 2) == 0 ? mask : 0;
    for (int n = a->states + below(r, 2 * a->states); n > 0 && a->edges < EDGES; n--) {
        int e = a->edges++, from = below(r, a->states), to = below(r, a->states);
        if (n <= a->states)
            from = n - 1;
        if (forward && to < from)
            to = from;
        a->edge[e].from = from;
        a->edge[e].to = to;
        a->edge[e].marks = a->state_based || layered ? a->marks[from] : make_marks(&a->accept, r);
        a->label[e] = (om_text){ .heap = om_heap_default() };
        bool complete = from == to && below(r, 4) == 0;
        if (complete)
            om_text_add(&a->label[e], "t");
        a->edge[e].labels = complete ? (1u << (1u << propositions)) - 1
                                     : make_label(r, propositions, 2, &a->label[e]);
    }
}

void automaton_free(automaton *a)
{
    for (int e = 0; e < a->edges; e++)
        om_text_free(&a->label[e]);
}

/* ---- printing ---- */

static size_t print_condition(const condition *c, size_t end, om_text *out);

/* Postfix to infix: prints the operator that ends before `end`, with its operands. Returns where
 * its first operand begins. */
static size_t print_operands(const condition *c, size_t end, om_text *out)
{
    om_text right = { .heap = om_heap_default() }, left = { .heap = om_heap_default() };
    size_t middle = print_condition(c, end - 1, &right);
    size_t begin = print_condition(c, middle, &left);
    om_text_printf(out, "(%s %c %s)", left.text, c->at[end - 1].op, right.text);
    om_text_free(&left);
    om_text_free(&right);
    return begin;
}

static size_t print_condition(const condition *c, size_t end, om_text *out)
{
    char op = c->at[end - 1].op;
    assert(end > 0);
    if (op == '&' || op == '|')
        return print_operands(c, end, out);
    if (op == 'I' || op == 'F')
        om_text_printf(out, "%s(%u)", op == 'I' ? "Inf" : "Fin", c->at[end - 1].set);
    else
        om_text_printf(out, "%c", op);
    return end - 1;
}

static void print_marks(unsigned marks, om_text *out)
{
    om_text_add(out, " {");
    for (unsigned i = 0; i < SETS; i++)
        if ((marks >> i & 1) != 0)
            om_text_printf(out, " %u", i);
    om_text_add(out, " }");
}

void automaton_print(const automaton *a, const char *const *names, om_text *out)
{
    om_text_printf(out, "HOA: v1\nStates: %d\n", a->states);
    for (int i = 0; i < a->initials; i++)
        om_text_printf(out, "Start: %d\n", a->initial[i]);
    om_text_printf(out, "AP: %d", a->propositions);
    for (int i = 0; i < a->propositions; i++)
        om_text_printf(out, " \"%s\"", names[i]);
    om_text_printf(out, "\nAcceptance: %u ", a->accept.sets);
    (void) print_condition(&a->accept, a->accept.length, out);
    om_text_add(out, "\n--BODY--\n");
    for (int q = 0; q < a->states; q++) {
        om_text_printf(out, "State: %d", q);
        if (a->state_based)
            print_marks(a->marks[q], out);
        om_text_add(out, "\n");
        for (int e = 0; e < a->edges; e++) {
            if (a->edge[e].from != q)
                continue;
            om_text_printf(out, "[%s] %d", a->label[e].text, a->edge[e].to);
            if (!a->state_based)
                print_marks(a->edge[e].marks, out);
            om_text_add(out, "\n");
        }
    }
    om_text_add(out, "--END--\n");
}

/* ---- products ---- */

/* fair: marks of the arc itself. */
static void connect(
    const automaton *a, const labelled *g, uint32_t s, uint32_t t, unsigned fair, digraph *out)
{
    uint32_t states = (uint32_t) a->states;
    unsigned label = g->label[s] & ((1u << a->propositions) - 1);
    for (int e = 0; e < a->edges; e++)
        if ((a->edge[e].labels >> label & 1) != 0)
            digraph_add(out, s * states + (uint32_t) a->edge[e].from,
                t * states + (uint32_t) a->edge[e].to, a->edge[e].marks | fair << a->accept.sets);
}

bool automaton_accepts(const automaton *a, const labelled *g)
{
    digraph product = { .n = g->n * (uint32_t) a->states };
    condition accept = a->accept;
    if (g->fair != NULL)
        accept = condition_both(&accept, &g->fair->accept, accept.sets);
    for (uint32_t s = 0; s < g->n; s++) {
        for (uint32_t k = g->first[s]; k < g->first[s + 1]; k++)
            connect(a, g, s, g->to[k], fairness_marks(g, s, k), &product);
        if (labelled_stays(g, s))
            connect(a, g, s, s, fairness_marks(g, s, NONE), &product);
    }
    for (int i = 0; i < a->initials; i++)
        digraph_start(&product, (uint32_t) a->initial[i]);
    bool found = digraph_accepts(&product, &accept);
    digraph_free(&product);
    return found;
}

bool automaton_accepts_lasso(const automaton *a, const unsigned *label, uint32_t n, uint32_t loop)
{
    uint32_t *room = calloc(2 * (size_t) n + 1, sizeof *room), *to = room, *first = room + n;
    if (room == NULL)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        to[i] = i + 1 < n ? i + 1 : loop;
        first[i + 1] = i + 1;
    }
    const labelled g = { .n = n, .to = to, .first = first, .label = label };
    bool yes = automaton_accepts(a, &g);
    free(room);
    return yes;
}

bool automaton_nonempty(const automaton *a)
{
    digraph all = { .n = (uint32_t) a->states };
    for (int e = 0; e < a->edges; e++)
        if (a->edge[e].labels != 0)
            digraph_add(
                &all, (uint32_t) a->edge[e].from, (uint32_t) a->edge[e].to, a->edge[e].marks);
    for (int i = 0; i < a->initials; i++)
        digraph_start(&all, (uint32_t) a->initial[i]);
    bool found = digraph_accepts(&all, &a->accept);
    digraph_free(&all);
    return found;
}
