/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Construction and inspection of automata. Edges are added in any order; om_automaton_finish()
 * sorts them by source and establishes A1 to A4 (tela.h). After that the structure is constant.
 * Files of this folder may still change marks and acceptance through om_tela__copy() and
 * om_tela__set_acceptance(): conversions keep the graph and replace its marks.
 */
#include "progress.h"
#include "tela.h"

#include <assert.h>
#include <string.h>

static int misuse(const om_automaton *a, const char *what)
{
    return om_fail(a->ctx, OM_EINVAL, NULL, "automaton: %s", what);
}

static int check_aps(om_context *ctx, uint32_t count, const char *const *aps)
{
    if (count > OM_MAX_APS)
        return om_fail(ctx, OM_EINPUT, NULL,
            "an automaton has at most %d atomic propositions, not %u", OM_MAX_APS, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(aps[i], aps[j]) == 0)
                return om_fail(
                    ctx, OM_EINPUT, NULL, "atomic proposition \"%s\" is named twice", aps[i]);
    return OM_OK;
}

static int copy_aps(om_automaton *a, uint32_t count, const char *const *aps)
{
    if (!OM_NEW(a->heap, a->aps, count))
        return om_fail_memory(a->ctx);
    for (; a->ap_count < count; a->ap_count++) {
        a->aps[a->ap_count] = om_strdup(a->heap, aps[a->ap_count]);
        if (a->aps[a->ap_count] == NULL)
            return om_fail_memory(a->ctx);
    }
    return OM_OK;
}

int om_automaton_new(om_automaton **out, om_context *ctx, uint32_t ap_count, const char *const *aps)
{
    static const om_acc yes = { OM_ACC_TRUE, 0 };
    om_automaton *a = NULL;
    int rc = check_aps(ctx, ap_count, aps);

    if (rc != OM_OK)
        return rc;
    a = om_alloc(om_context_heap(ctx), 1, sizeof *a);
    if (a == NULL)
        return om_fail_memory(ctx);
    a->ctx = ctx;
    a->heap = om_context_heap(ctx);
    rc = copy_aps(a, ap_count, aps);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(a, 0, &yes, 1);
    return om_tela__hand_over(rc, a, out);
}

void om_automaton_free(om_automaton *a)
{
    if (a == NULL)
        return;
    for (uint32_t i = 0; i < a->ap_count; i++)
        om_free(a->heap, a->aps[i]);
    OM_FREE_ALL(a->heap, a->aps, a->ap_places, a->name, a->edges, a->cubes, a->initial, a->first,
        a->acc, a);
}

int om_tela__hand_over(int rc, om_automaton *a, om_automaton **out)
{
    if (rc == OM_OK)
        *out = a;
    else
        om_automaton_free(a);
    return rc;
}

int om_automaton_set_name(om_automaton *a, const char *name)
{
    char *copy = om_strdup(a->heap, name);
    if (copy == NULL)
        return om_fail_memory(a->ctx);
    om_free(a->heap, a->name);
    a->name = copy;
    return OM_OK;
}

int om_automaton_add_states(om_automaton *a, uint32_t count, uint32_t *first)
{
    if (a->first != NULL)
        return misuse(a, "states cannot be added after it is finished");
    if (count >= OM_NONE - a->states)
        return om_fail(a->ctx, OM_ELIMIT, NULL, "automaton: more than %u states", OM_NONE - 1);
    if (first != NULL)
        *first = a->states;
    a->states += count;
    om_stage__made(a->ctx, count);
    return OM_OK;
}

/* Appends the cubes that some label satisfies (A2). */
static int add_cubes(om_automaton *a, const om_cube *cubes, uint32_t count)
{
    om_marks known = om_tela__first_bits(a->ap_count);
    if (!OM_ROOM(a->heap, a->cubes, &a->cube_capacity, a->cube_count + count))
        return om_fail_memory(a->ctx);
    for (uint32_t i = 0; i < count; i++) {
        if (((cubes[i].pos | cubes[i].neg) & ~known) != 0)
            return misuse(a, "a label names an atomic proposition that does not exist");
        if ((cubes[i].pos & cubes[i].neg) == 0)
            a->cubes[a->cube_count++] = cubes[i];
    }
    return OM_OK;
}

int om_automaton_add_edge(om_automaton *a, uint32_t src, uint32_t dst, om_marks marks,
    const om_cube *cubes, uint32_t count)
{
    size_t begin = a->cube_count;
    if (a->first != NULL)
        return misuse(a, "edges cannot be added after it is finished");
    if (a->edge_count >= OM_NONE - 1 || begin >= OM_NONE - count)
        return om_fail(a->ctx, OM_ELIMIT, NULL, "automaton: more than %u edges", OM_NONE - 1);
    int rc = om_context_stopped(a->ctx); /* every construction passes here repeatedly */
    if (rc != OM_OK)
        return rc;
    if (!OM_ROOM(a->heap, a->edges, &a->edge_capacity, a->edge_count + 1))
        return om_fail_memory(a->ctx);
    rc = add_cubes(a, cubes, count);
    if (rc != OM_OK) {
        a->cube_count = begin;
        return rc;
    }
    if (a->cube_count > begin)
        a->edges[a->edge_count++] = (om_edge){ .src = src,
            .dst = dst,
            .marks = marks,
            .cube_begin = (uint32_t) begin,
            .cube_count = (uint32_t) (a->cube_count - begin) };
    return OM_OK;
}

int om_automaton_add_initial(om_automaton *a, uint32_t state)
{
    if (a->first != NULL)
        return misuse(a, "initial states cannot be added after it is finished");
    if (!OM_ROOM(a->heap, a->initial, &a->initial_capacity, a->initial_count + 1))
        return om_fail_memory(a->ctx);
    a->initial[a->initial_count++] = state;
    return OM_OK;
}

int om_tela__set_acceptance(om_automaton *a, uint32_t sets, const om_acc *formula, size_t length)
{
    if (sets > OM_MAX_SETS)
        return om_fail(a->ctx, OM_EINPUT, NULL,
            "an automaton has at most %d acceptance sets, not %u", OM_MAX_SETS, sets);
    size_t depth = om_acc__depth(formula, length, sets);
    if (depth == 0)
        return misuse(a, "the acceptance formula is malformed or names a set that does not exist");
    if (depth > OM_MAX_ACC_DEPTH)
        return om_fail(a->ctx, OM_EINPUT, NULL, "the acceptance formula is nested too deeply");
    om_acc *copy = om_alloc(a->heap, length, sizeof *copy);
    if (copy == NULL)
        return om_fail_memory(a->ctx);
    for (size_t i = 0; i < length; i++) {
        bool literal = formula[i].op == OM_ACC_FIN || formula[i].op == OM_ACC_INF;
        copy[i] = (om_acc){ formula[i].op, literal ? formula[i].set : 0 };
    }
    om_free(a->heap, a->acc);
    a->acc = copy;
    a->acc_length = length;
    a->sets = sets;
    return OM_OK;
}

int om_tela__set_acceptance_and_inf(om_automaton *to, const om_automaton *a)
{
    om_acc *f = om_alloc(to->heap, a->acc_length + 2, sizeof *f);
    if (f == NULL)
        return om_fail_memory(to->ctx);
    memcpy(f, a->acc, a->acc_length * sizeof *f);
    f[a->acc_length] = (om_acc){ OM_ACC_INF, (uint8_t) a->sets };
    f[a->acc_length + 1] = (om_acc){ OM_ACC_AND, 0 };
    int rc = om_automaton_set_acceptance(to, a->sets + 1, f, a->acc_length + 2);
    om_free(to->heap, f);
    return rc;
}

int om_tela__set_generalized_buchi(om_automaton *a, uint32_t sets)
{
    om_acc f[2 * OM_MAX_SETS] = { { OM_ACC_TRUE, 0 } };
    size_t n = sets == 0;
    for (uint32_t i = 0; i < sets && i < OM_MAX_SETS; i++) {
        f[n++] = (om_acc){ OM_ACC_INF, (uint8_t) i };
        if (i > 0)
            f[n++] = (om_acc){ OM_ACC_AND, 0 };
    }
    return om_tela__set_acceptance(a, sets, f, n);
}

int om_automaton_set_acceptance(
    om_automaton *a, uint32_t sets, const om_acc *formula, size_t length)
{
    if (a->first != NULL)
        return misuse(a, "acceptance cannot be set after it is finished");
    return om_tela__set_acceptance(a, sets, formula, length);
}

int om_automaton_set_generalized_buchi(om_automaton *a, uint32_t sets)
{
    if (a->first != NULL)
        return misuse(a, "acceptance cannot be set after it is finished");
    return om_tela__set_generalized_buchi(a, sets);
}

static int check(const om_automaton *a)
{
    if (a->first != NULL)
        return misuse(a, "finished twice");
    for (size_t i = 0; i < a->initial_count; i++)
        if (a->initial[i] >= a->states)
            return misuse(a, "an initial state does not exist");
    for (size_t i = 0; i < a->edge_count; i++) {
        if (a->edges[i].src >= a->states || a->edges[i].dst >= a->states)
            return misuse(a, "an edge leaves or enters a state that does not exist");
        if ((a->edges[i].marks & ~om_tela__first_bits(a->sets)) != 0)
            return misuse(a, "an edge is in an acceptance set that does not exist");
    }
    return OM_OK;
}

/* Keeps each initial state once, in the order of their addition. */
static int drop_repeated_initial(om_automaton *a)
{
    bool *seen = om_alloc(a->heap, a->states, sizeof *seen);
    size_t kept = 0;
    if (seen == NULL)
        return om_fail_memory(a->ctx);
    for (size_t i = 0; i < a->initial_count; i++) {
        uint32_t s = a->initial[i];
        if (!seen[s])
            a->initial[kept++] = s;
        seen[s] = true;
    }
    a->initial_count = kept;
    om_free(a->heap, seen);
    return OM_OK;
}

int om_automaton_finish(om_automaton *a)
{
    uint32_t *first = NULL;
    om_edge *sorted = NULL;
    int rc = check(a);

    if (rc == OM_OK)
        rc = drop_repeated_initial(a);
    if (rc != OM_OK)
        return rc;
    first = om_alloc(a->heap, (size_t) a->states + 1, sizeof *first);
    sorted = om_alloc(a->heap, a->edge_count, sizeof *sorted);
    if (first == NULL || sorted == NULL) {
        rc = om_fail_memory(a->ctx);
        goto done;
    }
    /* Counting sort, which is stable (A1). first[s + 1] is the index for the next edge of s, so
     * that the array ends up as first[]. */
    for (size_t i = 0; i < a->edge_count; i++)
        if (a->edges[i].src + 2 <= a->states)
            first[a->edges[i].src + 2]++;
    for (uint32_t s = 1; s <= a->states; s++)
        first[s] += first[s - 1];
    for (size_t i = 0; i < a->edge_count; i++)
        sorted[first[a->edges[i].src + 1]++] = a->edges[i];
    assert(first[a->states] == a->edge_count); /* A1 */
    om_free(a->heap, a->edges);
    a->edges = sorted;
    a->edge_capacity = a->edge_count;
    a->first = first;
    sorted = NULL;
    first = NULL;
done:
    OM_FREE_ALL(a->heap, sorted, first);
    return rc;
}

/* ---- inspection ---- */

const char *om_automaton_name(const om_automaton *a)
{
    return a->name == NULL ? "" : a->name;
}

uint32_t om_automaton_ap_count(const om_automaton *a)
{
    return a->ap_count;
}

const char *om_automaton_ap(const om_automaton *a, uint32_t i)
{
    assert(i < a->ap_count);
    return a->aps[i];
}

void om_automaton_ap_place(const om_automaton *a, uint32_t i, uint32_t *line, uint32_t *column)
{
    assert(i < a->ap_count);
    *line = a->ap_places == NULL ? 0 : a->ap_places[i].line;
    *column = a->ap_places == NULL ? 0 : a->ap_places[i].column;
}

uint32_t om_automaton_state_count(const om_automaton *a)
{
    return a->states;
}

uint32_t om_automaton_edge_count(const om_automaton *a)
{
    return (uint32_t) a->edge_count;
}

uint32_t om_automaton_initial_count(const om_automaton *a)
{
    return (uint32_t) a->initial_count;
}

uint32_t om_automaton_initial(const om_automaton *a, uint32_t i)
{
    assert(i < a->initial_count);
    return a->initial[i];
}

const om_edge *om_automaton_edges(const om_automaton *a, uint32_t state, uint32_t *count)
{
    assert(a->first != NULL && state < a->states);
    *count = a->first[state + 1] - a->first[state];
    return &a->edges[a->first[state]];
}

const om_cube *om_automaton_cubes(const om_automaton *a)
{
    return a->cubes;
}

uint32_t om_automaton_set_count(const om_automaton *a)
{
    return a->sets;
}

const om_acc *om_automaton_acceptance(const om_automaton *a, size_t *length)
{
    *length = a->acc_length;
    return a->acc;
}

bool om_automaton_accepts_marks(const om_automaton *a, om_marks infinitely_often)
{
    return om_acc__value(a->acc, a->acc_length, infinitely_often, ~infinitely_often);
}

bool om_automaton_proves(const om_automaton *a, om_marks see, om_marks avoid)
{
    /* The formula is positive: a literal that holds keeps holding, whatever else the run sees. */
    return om_acc__value(a->acc, a->acc_length, see, avoid);
}

/* ---- copying ---- */

int om_tela__place_aps(om_automaton *a, const uint32_t *lines, const uint32_t *columns)
{
    assert(a->ap_places == NULL);
    om_place *places = om_alloc(a->heap, a->ap_count, sizeof *places);
    if (places == NULL)
        return om_fail_memory(a->ctx);
    for (uint32_t i = 0; i < a->ap_count; i++)
        places[i] = (om_place){ .line = lines[i], .column = columns[i] };
    a->ap_places = places;
    return OM_OK;
}

int om_tela__like(om_automaton **out, om_context *ctx, const om_automaton *a)
{
    om_automaton *b = NULL;
    int rc = om_automaton_new(&b, ctx, a->ap_count, (const char *const *) a->aps);
    if (rc == OM_OK && a->name != NULL)
        rc = om_automaton_set_name(b, a->name);
    return om_tela__hand_over(rc, b, out);
}

int om_tela__add(om_automaton *to, const om_automaton *a, const om_edge *e, uint32_t src,
    uint32_t dst, om_marks marks)
{
    assert(e->cube_count > 0 && e->cube_begin + e->cube_count <= a->cube_count); /* A2 */
    return om_automaton_add_edge(to, src, dst, marks, &a->cubes[e->cube_begin], e->cube_count);
}

int om_tela__restrict(
    om_automaton **out, om_context *ctx, const om_automaton *a, const bool *keep, uint32_t *number)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < a->states; s++)
        number[s] = keep[s] ? count++ : OM_NONE;
    return om_tela__renumber(out, ctx, a, number, count);
}

int om_tela__renumber(
    om_automaton **out, om_context *ctx, const om_automaton *a, const uint32_t *number, uint32_t n)
{
    om_automaton *b = NULL;
    int rc = om_tela__like(&b, ctx, a);

    if (rc == OM_OK)
        rc = om_automaton_add_states(b, n, NULL);
    assert(a->first != NULL); /* A3 */
    for (size_t i = 0; rc == OM_OK && i < a->initial_count; i++)
        if (number[a->initial[i]] != OM_NONE)
            rc = om_automaton_add_initial(b, number[a->initial[i]]);
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++) {
        const om_edge *e = &a->edges[i];
        if (number[e->src] != OM_NONE && number[e->dst] != OM_NONE)
            rc = om_tela__add(b, a, e, number[e->src], number[e->dst], e->marks);
    }
    return om_tela__hand_over(rc, b, out);
}

int om_tela__copy(om_automaton **out, om_context *ctx, const om_automaton *a)
{
    om_automaton *b = NULL;
    int rc = om_tela__like(&b, ctx, a);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(b, a->sets, a->acc, a->acc_length);
    if (rc == OM_OK)
        rc = om_automaton_add_states(b, a->states, NULL);
    for (size_t i = 0; rc == OM_OK && i < a->initial_count; i++)
        rc = om_automaton_add_initial(b, a->initial[i]);
    for (size_t i = 0; rc == OM_OK && i < a->edge_count; i++) {
        const om_edge *e = &a->edges[i];
        rc = om_tela__add(b, a, e, e->src, e->dst, e->marks);
    }
    if (rc == OM_OK)
        rc = om_automaton_finish(b);
    return om_tela__hand_over(rc, b, out);
}
