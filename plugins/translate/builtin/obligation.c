/* SPDX-License-Identifier: Apache-2.0 */
/*
 * obligation.c: the minimal weak deterministic automaton of a language that has one.
 *
 * C. Dax, J. Eisinger, F. Klaedtke, "Mechanizing the powerset construction for restricted classes
 * of omega-automata", ATVA 2007, section 3: the subset automaton, in which a component accepts if
 * one of its cycles is accepted by the given automaton (powerset.c). Colours by C. Loding,
 * "Efficient minimization of deterministic weak omega-automata", Information Processing Letters 79
 * (2001), after which it is minimised like an automaton on finite words. A formula that is
 * syntactically an obligation is one. The language of any other formula is an obligation if and
 * only if this automaton has the same language: one inclusion is checked with the given automaton,
 * the other with an automaton of the negation.
 *
 * Termination: classes only split. Cost: that of powerset.c, and the square of the number of sets a
 * round. If that is too much, the given automaton is kept.
 */
#include "powerset.h"

#include <assert.h>

/* ---- the minimal automaton ---- */

/* Partitions the sets by parity of colour, and splits by targets of labels until none splits. */
static int minimise(ps_automaton *p)
{
    om_bdd *signature = om_alloc(p->heap, p->count, sizeof *signature);
    uint32_t *next = om_alloc(p->heap, p->count, sizeof *next);
    uint32_t count = 0, before;
    int rc = signature == NULL || next == NULL ? OM_ENOMEM : OM_OK;
    for (uint32_t s = 0; s < p->count; s++)
        p->class_of[s] = p->colour[s] % 2 != p->colour[0] % 2;
    do {
        before = count;
        count = 0;
        for (uint32_t s = 0; s < p->count && rc == OM_OK; s++) {
            uint32_t i = 0;
            signature[s] = OM_BDD_FALSE;
            for (size_t k = p->first[s]; k < p->first[s + 1]; k++) {
                om_bdd to =
                    om_bdd_variable(p->d, PS_FIRST_STATE + p->class_of[p->arcs[k].dst], true);
                signature[s] =
                    om_bdd_or(p->d, signature[s], om_bdd_and(p->d, p->arcs[k].label, to));
            }
            while (i < s && (signature[i] != signature[s] || p->class_of[i] != p->class_of[s]))
                i++;
            next[s] = i < s ? next[i] : count++;
            rc = ps_status(p);
        }
        for (uint32_t s = 0; s < p->count && rc == OM_OK; s++)
            p->class_of[s] = next[s];
        assert(rc != OM_OK || count >= before); /* classes only split */
    } while (rc == OM_OK && count != before);
    OM_FREE_ALL(p->heap, signature, next);
    return rc;
}

/* Removes the rejecting class that no arc leaves, and renumbers the others. */
static void drop_sink(ps_automaton *p)
{
    uint32_t sink = OM_NONE;
    for (uint32_t s = 0; s < p->count; s++) {
        bool stays = p->colour[s] % 2 != 0;
        for (size_t i = p->first[s]; i < p->first[s + 1]; i++)
            stays = stays && p->class_of[p->arcs[i].dst] == p->class_of[s];
        if (stays)
            sink = p->class_of[s];
    }
    for (uint32_t s = 0; s < p->count && sink != OM_NONE; s++) {
        if (p->class_of[s] == sink)
            p->class_of[s] = OM_NONE;
        else
            p->class_of[s] -= p->class_of[s] > sink;
    }
}

/* ---- equality of languages ---- */

/* Syntactic classes: E. Chang, Z. Manna, A. Pnueli, "Characterization of temporal property
 * classes", ICALP 1992. f is in normal form. */
enum { SAFETY = 1, GUARANTEE = 2, OBLIGATION = 4, EVERY = 7 };

static uint8_t class_of_formula(const om_ltl *l, om_ltl_ref f, const uint8_t *of)
{
    om_ltl_ref a = om_ltl_left(l, f), b = om_ltl_right(l, f);
    switch (om_ltl_operator(l, f)) {
    case OM_LTL_AND:
    case OM_LTL_OR:
        return of[a] & of[b];
    case OM_LTL_NEXT:
        return of[a];
    case OM_LTL_UNTIL:
        return (of[a] & of[b] & GUARANTEE) | ((of[b] & GUARANTEE) != 0 ? of[a] & OBLIGATION : 0);
    case OM_LTL_RELEASE:
        return (of[a] & of[b] & SAFETY) | ((of[b] & SAFETY) != 0 ? of[a] & OBLIGATION : 0);
    default: /* an AP, its negation, a constant */
        return EVERY;
    }
}

static int looks_like_one(om_context *ctx, const om_ltl *l, om_ltl_ref f, bool *yes)
{
    const om_heap *heap = om_context_heap(ctx);
    uint8_t *of = om_alloc(heap, (size_t) f + 1, 1);
    if (of == NULL)
        return OM_ENOMEM;
    for (om_ltl_ref g = 1; g <= f; g++)
        of[g] = class_of_formula(l, g, of);
    *yes = (of[f] & OBLIGATION) != 0;
    om_free(heap, of);
    return OM_OK;
}

static int disjoint(
    ps_automaton *p, const om_ltl *l, const tb_graph *g, const om_automaton *a, bool *yes)
{
    om_automaton *b = NULL, *both = NULL;
    int rc = tb_automaton(p->ctx, l, g, p->d, &b);
    if (rc == OM_OK)
        rc = om_automaton_intersection(a, b, p->ctx, &both);
    if (rc == OM_OK)
        rc = om_automaton_empty(both, p->ctx, yes, NULL);
    om_automaton_free(both);
    om_automaton_free(b);
    return rc;
}

/* Sets *yes if a contains no word that the coloured sets reject. */
static int covers(ps_automaton *p, const om_ltl *l, const om_automaton *a, bool *yes)
{
    tb_graph g = { 0 };
    int rc = ps_graph(p, p->class_of, false, &g);
    if (rc == OM_OK)
        rc = disjoint(p, l, &g, a, yes);
    tb_graph_free(&g, p->heap);
    return rc;
}

/* Sets *yes if the negation of f contains no word that the minimal automaton accepts. */
static int is_covered(ps_automaton *p, om_ltl *l, om_ltl_ref f, const tb_graph *found, bool *yes)
{
    static const tb_limits limits = { .states = 2000, .edges = 40000, .nodes = 0, .steps = 300000 };
    om_automaton *negation = NULL;
    tb_graph g = { 0 };
    om_ltl_ref not_f = om_ltl_nnf(l, f, true, false);
    int rc = not_f == 0 ? OM_ENOMEM : tb_build(p->ctx, l, not_f, &limits, p->d, &g);
    if (rc == OM_OK)
        rc = tb_automaton(p->ctx, l, &g, p->d, &negation);
    if (rc == OM_OK)
        rc = disjoint(p, l, found, negation, yes);
    tb_graph_free(&g, p->heap);
    om_automaton_free(negation);
    return rc;
}

static int run(ps_automaton *p, om_ltl *l, om_ltl_ref f, tb_graph *out)
{
    om_automaton *a = NULL;
    bool sure = false, same = true;
    int rc = looks_like_one(p->ctx, l, f, &sure);
    if (rc == OM_OK)
        rc = ps_explore(p);
    if (rc == OM_OK)
        rc = tb_automaton(p->ctx, l, p->g, p->d, &a);
    if (rc == OM_OK)
        rc = ps_colour(p, l, a);
    if (rc == OM_OK)
        rc = minimise(p);
    if (rc == OM_OK && !sure)
        rc = covers(p, l, a, &same);
    om_automaton_free(a);
    if (rc != OM_OK || !same)
        return rc;
    drop_sink(p);
    rc = ps_graph(p, p->class_of, true, out);
    if (rc == OM_OK && !sure)
        rc = is_covered(p, l, f, out, &same);
    if (rc != OM_OK || !same)
        tb_graph_free(out, p->heap);
    return rc;
}

int tb_obligation(
    om_context *ctx, om_ltl *l, om_ltl_ref f, const tb_graph *g, om_bdd_space *d, tb_graph *out)
{
    tb_graph found = { 0 };
    ps_automaton p = {
        .ctx = ctx, .heap = om_context_heap(ctx), .g = g, .d = d, .nodes = om_bdd_space_count(d)
    };
    int rc = g->states <= PS_MOST_STATES ? run(&p, l, f, &found) : OM_ELIMIT;
    ps_free(&p);
    if (rc == OM_OK)
        *out = found;
    return rc;
}
