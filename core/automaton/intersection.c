/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronous product of two automata: a run of the product is a run of each of them on the same
 * word. Acceptance is the conjunction, over the sets of the first automaton followed by those of
 * the second. Only pairs reachable from an initial pair are built. If the sets do not fit one word,
 * both automata are degeneralised first.
 */
#include "pair_table.h"
#include "tela.h"

#include <assert.h>
#include <string.h>

/* The product under construction. Its state i is the pair i of a state of a and one of b. */
typedef struct om_both {
    const om_automaton *a, *b;
    om_context *ctx;
    const om_heap *heap;
    om_automaton *out;
    om_pair_table pairs;
    uint8_t place[OM_MAX_APS]; /* per AP of b: its index among the APs of the product */
    om_cube *cubes;
    size_t cube_capacity;
} om_both;

static int number_of(om_both *p, uint32_t s, uint32_t t, uint32_t *out)
{
    bool fresh = false;
    int rc = om_pair_table__number(&p->pairs, s, t, out, &fresh);
    if (rc == OM_ENOMEM)
        return om_fail_memory(p->ctx);
    assert(rc != OM_OK || !fresh || *out == p->out->states);
    /* With too many pairs there are too many states: om_automaton_add_states() reports it. */
    return rc == OM_ELIMIT || fresh ? om_automaton_add_states(p->out, 1, NULL) : OM_OK;
}

/* ---- labels ---- */

static int union_of_aps(om_both *p)
{
    const om_automaton *a = p->a, *b = p->b;
    const char *names[2 * OM_MAX_APS] = { NULL };
    uint32_t count = a->ap_count;
    for (uint32_t i = 0; i < a->ap_count; i++)
        names[i] = a->aps[i];
    for (uint32_t j = 0; j < b->ap_count; j++) {
        uint32_t at = 0;
        while (at < a->ap_count && strcmp(a->aps[at], b->aps[j]) != 0)
            at++;
        if (at == a->ap_count) {
            at = count;
            names[count++] = b->aps[j];
        }
        p->place[j] = (uint8_t) at;
    }
    return om_automaton_new(&p->out, p->ctx, count, names);
}

static uint64_t moved_bits(const om_both *p, uint64_t bits)
{
    uint64_t out = 0;
    for (uint32_t j = 0; bits != 0; j++, bits >>= 1)
        if ((bits & 1) != 0) {
            assert(j < p->b->ap_count); /* A2 */
            out |= UINT64_C(1) << p->place[j];
        }
    return out;
}

/* Computes the conjunction of two labels in p->cubes. */
static int join_labels(om_both *p, const om_edge *e, const om_edge *f, uint32_t *count)
{
    size_t n = 0, most = (size_t) e->cube_count * f->cube_count;
    if (!OM_ROOM(p->heap, p->cubes, &p->cube_capacity, most))
        return om_fail_memory(p->ctx);
    for (uint32_t j = 0; j < f->cube_count; j++) {
        om_cube d = p->b->cubes[f->cube_begin + j];
        d = (om_cube){ moved_bits(p, d.pos), moved_bits(p, d.neg) };
        for (uint32_t i = 0; i < e->cube_count; i++) {
            om_cube c = p->a->cubes[e->cube_begin + i];
            c = (om_cube){ c.pos | d.pos, c.neg | d.neg };
            if ((c.pos & c.neg) == 0)
                p->cubes[n++] = c;
        }
    }
    int rc = om_cubes__reduce(p->ctx, p->cubes, &n);
    *count = (uint32_t) n;
    return rc;
}

/* ---- acceptance ---- */

static bool is_true(const om_automaton *a)
{
    return a->acc_length == 1 && a->acc[0].op == OM_ACC_TRUE;
}

/* Sets the conjunction of the acceptance of a and that of b, whose sets follow those of a. */
static int join_acceptance(om_both *p)
{
    const om_automaton *a = p->a, *b = p->b;
    size_t n = 0;
    om_acc *f = om_alloc(p->heap, a->acc_length + b->acc_length + 1, sizeof *f);
    if (f == NULL)
        return om_fail_memory(p->ctx);
    if (!is_true(a) || is_true(b)) {
        memcpy(f, a->acc, a->acc_length * sizeof *f);
        n = a->acc_length;
    }
    for (size_t i = 0; !is_true(b) && i < b->acc_length; i++) {
        f[n] = b->acc[i];
        if (f[n].op == OM_ACC_FIN || f[n].op == OM_ACC_INF)
            f[n].set = (uint8_t) (f[n].set + a->sets);
        n++;
    }
    if (!is_true(a) && !is_true(b))
        f[n++] = (om_acc){ OM_ACC_AND, 0 };
    int rc = om_automaton_set_acceptance(p->out, a->sets + b->sets, f, n);
    om_free(p->heap, f);
    return rc;
}

/* ---- the product ---- */

static int expand_pair(om_both *p, uint32_t number)
{
    uint32_t na = 0, nb = 0, count = 0, to = 0;
    const om_edge *ea = om_automaton_edges(p->a, p->pairs.at[number].first, &na);
    const om_edge *eb = om_automaton_edges(p->b, p->pairs.at[number].second, &nb);
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t j = 0; j < nb; j++) {
            om_marks high = p->a->sets < 64 ? eb[j].marks << p->a->sets : 0;
            int rc = join_labels(p, &ea[i], &eb[j], &count);
            if (rc == OM_OK && count == 0)
                continue;
            if (rc == OM_OK)
                rc = number_of(p, ea[i].dst, eb[j].dst, &to);
            if (rc == OM_OK)
                rc = om_automaton_add_edge(p->out, number, to, ea[i].marks | high, p->cubes, count);
            if (rc != OM_OK)
                return rc;
        }
    return OM_OK;
}

static int multiply(om_both *p)
{
    uint32_t number = 0;
    assert(p->a->sets + p->b->sets <= OM_MAX_SETS);
    int rc = union_of_aps(p);
    if (rc == OM_OK)
        rc = join_acceptance(p);
    for (size_t i = 0; rc == OM_OK && i < p->a->initial_count; i++)
        for (size_t j = 0; rc == OM_OK && j < p->b->initial_count; j++) {
            rc = number_of(p, p->a->initial[i], p->b->initial[j], &number);
            if (rc == OM_OK)
                rc = om_automaton_add_initial(p->out, number);
        }
    for (uint32_t i = 0; rc == OM_OK && i < p->pairs.count; i++)
        rc = expand_pair(p, i);
    return rc == OM_OK ? om_automaton_finish(p->out) : rc;
}

int om_automaton_intersection(
    const om_automaton *a, const om_automaton *b, om_context *ctx, om_automaton **out)
{
    const om_heap *heap = om_context_heap(ctx);
    om_both p = { .a = a, .b = b, .ctx = ctx, .heap = heap, .pairs = { .heap = heap } };
    om_automaton *buchi_a = NULL, *buchi_b = NULL;
    int rc = OM_OK;

    if (a->sets + b->sets > OM_MAX_SETS) { /* Buchi acceptance needs two sets in total */
        rc = om_automaton_to_buchi(a, ctx, &buchi_a);
        if (rc == OM_OK)
            rc = om_automaton_to_buchi(b, ctx, &buchi_b);
        p.a = buchi_a;
        p.b = buchi_b;
    }
    if (rc == OM_OK)
        rc = multiply(&p);
    rc = om_tela__hand_over(rc, p.out, out);
    om_automaton_free(buchi_a);
    om_automaton_free(buchi_b);
    om_pair_table__free(&p.pairs);
    om_free(p.heap, p.cubes);
    return rc;
}
