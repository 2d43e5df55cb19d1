/* SPDX-License-Identifier: Apache-2.0 */
#include "free_sets.h"

#include "tela.h"

#include <assert.h>
#include <string.h>

static const char never_true[] = "(in a free set)";

/* Creates an automaton like `a`, with the proposition that is never true. */
static int like(om_automaton **out, om_context *ctx, const om_automaton *a)
{
    const char *names[OM_MAX_APS];
    assert(a->ap_count < OM_MAX_APS);
    for (uint32_t i = 0; i < a->ap_count; i++)
        names[i] = a->aps[i];
    names[a->ap_count] = never_true;
    int rc = om_automaton_new(out, ctx, a->ap_count + 1, names);
    return rc == OM_OK && a->name != NULL ? om_automaton_set_name(*out, a->name) : rc;
}

/* Sets the conjunction of the automaton's formula and the formula over the free sets, in postfix; a
 * formula that is true is omitted. */
static int set_formula(
    om_automaton *to, const om_automaton *a, uint32_t sets, const om_acc *formula, size_t length)
{
    om_acc *f = om_alloc(to->heap, a->acc_length + length + 1, sizeof *f);
    const bool more = length != 1 || formula[0].op != OM_ACC_TRUE;
    const bool own = !more || a->acc_length != 1 || a->acc[0].op != OM_ACC_TRUE;
    size_t n = own ? a->acc_length : 0;
    if (f == NULL)
        return om_fail_memory(to->ctx);
    if (own)
        memcpy(f, a->acc, n * sizeof *f);
    for (size_t i = 0; more && i < length; i++) {
        bool literal = formula[i].op == OM_ACC_FIN || formula[i].op == OM_ACC_INF;
        f[n++] = (om_acc){ formula[i].op,
            literal ? (uint8_t) (formula[i].set + a->sets) : formula[i].set };
    }
    if (own && more)
        f[n++] = (om_acc){ OM_ACC_AND, 0 };
    int rc = om_automaton_set_acceptance(to, a->sets + sets, f, n);
    om_free(to->heap, f);
    return rc;
}

/* Adds the copies of an edge. */
static int add_copies(om_automaton *to, const om_automaton *a, const om_edge *e, uint32_t sets)
{
    const om_label never = UINT64_C(1) << a->ap_count;
    om_cube *cubes = om_alloc(to->heap, e->cube_count, sizeof *cubes);
    int rc = cubes == NULL ? om_fail_memory(to->ctx) : OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < e->cube_count; i++) {
        cubes[i] = a->cubes[e->cube_begin + i];
        cubes[i].pos |= never;
    }
    for (uint32_t i = 0; rc == OM_OK && i < sets; i++)
        rc = om_automaton_add_edge(
            to, e->src, e->dst, e->marks | UINT64_C(1) << (a->sets + i), cubes, e->cube_count);
    om_free(to->heap, cubes);
    return rc;
}

/* Returns true if an earlier edge has the same end states and marks; then that edge's copies
 * suffice. (The end states must be equal: an SCC without some of its edges may split into several,
 * each of which needs copies of its own.) */
static bool told(const om_automaton *a, size_t e)
{
    for (size_t i = a->first[a->edges[e].src]; i < e; i++)
        if (a->edges[i].marks == a->edges[e].marks && a->edges[i].dst == a->edges[e].dst)
            return true;
    return false;
}

static int copy_edges(om_automaton *to, const om_automaton *a, const om_sccs *sccs, uint32_t sets)
{
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++) {
        const om_edge *e = &a->edges[i];
        const uint32_t k = sccs->component[e->src];
        rc = om_tela__add(to, a, e, e->src, e->dst, e->marks);
        if (rc == OM_OK && k != OM_NONE && k == sccs->component[e->dst] && !told(a, i))
            rc = add_copies(to, a, e, sets);
    }
    return rc;
}

int om_automaton__with_free_sets(const om_automaton *a, om_context *ctx, uint32_t sets,
    const om_acc *formula, size_t length, om_automaton **out)
{
    om_sccs sccs = { 0 };
    om_automaton *b = NULL;
    if (a->ap_count >= OM_MAX_APS)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL,
            "fairness needs a proposition in addition to the %u of the property: the limit is %d",
            a->ap_count, OM_MAX_APS);
    if (sets > OM_MAX_SETS || a->sets + sets > OM_MAX_SETS)
        return om_fail(ctx, OM_EUNSUPPORTED, NULL,
            "fairness needs %u acceptance sets in addition to the %u of the property: the limit is "
            "%d",
            sets, a->sets, OM_MAX_SETS);
    int rc = om_automaton_sccs(a, ctx, &sccs);
    if (rc == OM_OK)
        rc = like(&b, ctx, a);
    if (rc == OM_OK)
        rc = set_formula(b, a, sets, formula, length);
    if (rc == OM_OK)
        rc = om_automaton_add_states(b, a->states, NULL);
    for (size_t i = 0; rc == OM_OK && i < a->initial_count; i++)
        rc = om_automaton_add_initial(b, a->initial[i]);
    if (rc == OM_OK)
        rc = copy_edges(b, a, &sccs, sets);
    if (rc == OM_OK)
        rc = om_automaton_finish(b);
    om_sccs_free(&sccs, om_context_heap(ctx));
    return om_tela__hand_over(rc, b, out);
}

static bool same_edges(const om_automaton *a, const om_automaton *b)
{
    bool same = a->states == b->states && a->edge_count == b->edge_count;
    for (size_t i = 0; same && i < a->edge_count; i++)
        same = a->edges[i].src == b->edges[i].src && a->edges[i].dst == b->edges[i].dst;
    return same;
}

static bool is_copy(const om_automaton *a, const om_edge *e)
{
    return (a->cubes[e->cube_begin].pos >> (a->ap_count - 1) & 1) != 0;
}

uint32_t om_automaton__bound_edges(const om_automaton *free)
{
    uint32_t n = 0;
    for (size_t i = 0; i < free->edge_count; i++)
        n += !is_copy(free, &free->edges[i]);
    return n;
}

/* The copies of an edge follow it (A1). An image is the union, over all copies, of the marks that a
 * copy has in addition to its original: a set that contains all edges need not be in an image. */
bool om_automaton__free_images(
    const om_automaton *free, uint32_t own, const om_automaton *marked, om_marks *images)
{
    size_t original = 0;
    memset(images, 0, OM_MAX_SETS * sizeof *images);
    if (!same_edges(free, marked))
        return false;
    for (size_t i = 0; i < free->edge_count; i++) {
        const om_edge *e = &free->edges[i];
        if (!is_copy(free, e)) {
            original = i;
            continue;
        }
        assert(free->edges[original].src == e->src && free->edges[original].dst == e->dst); /* A1 */
        om_marks in = e->marks & ~om_tela__first_bits(own);
        for (uint32_t k = own; k < free->sets; k++)
            if ((in >> k & 1) != 0)
                images[k - own] |= marked->edges[i].marks & ~marked->edges[original].marks;
    }
    return true;
}
