/* SPDX-License-Identifier: Apache-2.0 */
/*
 *  E1  Row p + 1 is that of place p. Inequalities follow; a branch removes those that it added.
 *  E2  A column has at most one entry for each place, and a row one for each column.
 *  E3  The rest of a predicate is a list of disjunctions, which are branched on.
 *  E4  Column t + 1 is that of transition t. Drains follow, at most one for each place.
 */
#include "state_equation.h"

#ifdef OMEN_GLPK
#include <glpk.h>
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>

enum { MOST_PROGRAMS = 400, MOST_ROWS = 20000 };

typedef struct equation {
    const om_net *net;
    const om_heap *heap;
    uint64_t until_ns;
    glp_prob *program;
    uint32_t *drained, drain_count; /* places that some transition resets */
    om_wide *weight;                /* [place]; 0 between two uses */
    double *change;                 /* entries of a row or column, from 1 on */
    int *index;                     /* and their indices */
    double *marking;                /* [place], of the last solution */
    mcc_equation_figures figures;
    jmp_buf failed; /* jump target for errors of GLPK */
} equation;

/* ---- rows ---- */

/* GLPK computes with doubles, which represent integers exactly up to this limit. */
static double as_double(equation *e, om_wide n)
{
    const om_wide most = INT64_C(1) << 53;
    if (n < -most || n > most)
        longjmp(e->failed, 1);
    return (double) n;
}

/* Adds sign * tokens to e->weight of the places of the arcs. */
static void weigh(equation *e, const om_net_arc *arcs, uint32_t count, om_wide sign)
{
    for (uint32_t i = 0; i < count; i++)
        e->weight[arcs[i].place] += sign * arcs[i].count;
}

/* Moves e->weight of these places to the next entries, and clears it. */
static int take_weights(equation *e, const om_net_arc *arcs, uint32_t count, int n)
{
    for (uint32_t i = 0; i < count; i++) {
        const om_wide change = e->weight[arcs[i].place];
        e->weight[arcs[i].place] = 0;
        if (change == 0)
            continue;
        e->index[++n] = (int) arcs[i].place + 1;
        e->change[n] = as_double(e, change);
    }
    assert(n >= 0 && (uint32_t) n <= e->net->place_count); /* E2 */
    return n;
}

/* Adds a row for each place, with the change of its initial marking. */
static void add_places(equation *e)
{
    const om_net *net = e->net;
    glp_add_rows(e->program, (int) net->place_count);
    for (uint32_t p = 0; p < net->place_count; p++) {
        const om_net_place *place = &net->places[p];
        const int row = (int) p + 1;
        const double initial = place->initial;
        if (place->bound == OM_NET_NO_BOUND)
            glp_set_row_bnds(e->program, row, GLP_LO, -initial, 0);
        else if (place->bound == 0)
            glp_set_row_bnds(e->program, row, GLP_FX, -initial, -initial);
        else
            glp_set_row_bnds(e->program, row, GLP_DB, -initial, place->bound - initial);
    }
}

static void add_transitions(equation *e)
{
    const om_net *net = e->net;
    glp_add_cols(e->program, (int) net->transition_count);
    for (uint32_t i = 0; i < net->transition_count; i++) {
        const om_net_transition *t = &net->transitions[i];
        weigh(e, t->takes, t->take_count, -1);
        weigh(e, t->gives, t->give_count, 1);
        int n = take_weights(e, t->takes, t->take_count, 0);
        n = take_weights(e, t->gives, t->give_count, n);
        glp_set_col_bnds(e->program, (int) i + 1, GLP_LO, 0, 0);
        glp_set_mat_col(e->program, (int) i + 1, n, e->index, e->change);
    }
}

/*
 * A transition that resets a place takes any number of tokens from it. So each such place has a
 * column, after those of the transitions, that takes one token. Limits are ignored. This relaxation
 * can only add solutions, never remove any.
 */
static void add_drains(equation *e)
{
    if (e->drain_count == 0)
        return;
    const int first = glp_add_cols(e->program, (int) e->drain_count);
    for (uint32_t i = 0; i < e->drain_count; i++) {
        e->index[1] = (int) e->drained[i] + 1;
        e->change[1] = -1;
        glp_set_col_bnds(e->program, first + (int) i, GLP_LO, 0, 0);
        glp_set_mat_col(e->program, first + (int) i, 1, e->index, e->change);
    }
}

/* Returns the change of the sum with factors e->weight by one firing. */
static om_wide weight_of(const equation *e, const om_net_transition *t)
{
    om_wide sum = 0;
    for (uint32_t i = 0; i < t->take_count; i++)
        sum -= e->weight[t->takes[i].place] * t->takes[i].count;
    for (uint32_t i = 0; i < t->give_count; i++)
        sum += e->weight[t->gives[i].place] * t->gives[i].count;
    return sum;
}

/* Adds an inequality as a sum over firings. The sum of its factors is less than 2^31. */
static void add_inequality(equation *e, const om_predicate *p)
{
    om_wide initial = 0, least = 0;
    int n = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        initial += p->terms[i].factor * e->net->places[p->terms[i].place].initial;
        e->weight[p->terms[i].place] = p->terms[i].factor;
    }
    for (uint32_t t = 0; t < e->net->transition_count; t++) {
        const om_wide change = weight_of(e, &e->net->transitions[t]);
        if (change == 0)
            continue;
        e->index[++n] = (int) t + 1;
        e->change[n] = as_double(e, change);
    }
    for (uint32_t i = 0; i < e->drain_count; i++) {
        if (e->weight[e->drained[i]] == 0)
            continue;
        e->index[++n] = (int) (e->net->transition_count + i) + 1;
        e->change[n] = as_double(e, -e->weight[e->drained[i]]);
    }
    assert(n >= 0 && (uint32_t) n <= e->net->transition_count + e->drain_count); /* E2 */
    for (uint32_t i = 0; i < p->count; i++)
        e->weight[p->terms[i].place] = 0;
    if (__builtin_sub_overflow(p->least, initial, &least))
        longjmp(e->failed, 1);
    const int row = glp_add_rows(e->program, 1);
    glp_set_row_bnds(e->program, row, GLP_LO, as_double(e, least), 0);
    glp_set_mat_row(e->program, row, n, e->index, e->change);
}

static void drop_rows_from(equation *e, int first)
{
    assert(first > (int) e->net->place_count); /* E1 */
    const int count = glp_get_num_rows(e->program) - first + 1;
    int *list = count > 0 ? om_alloc(e->heap, (size_t) count + 1, sizeof *list) : NULL;
    if (count > 0 && list == NULL)
        longjmp(e->failed, 1);
    for (int i = 0; i < count; i++)
        list[i + 1] = first + i;
    if (count > 0)
        glp_del_rows(e->program, count, list);
    om_free(e->heap, list);
}

/* ---- solutions ---- */

static int left_ms(const equation *e)
{
    const uint64_t now = om_clock_ns(), left = e->until_ns > now ? e->until_ns - now : 0;
    return left / 1000000 > INT_MAX ? INT_MAX : (int) (left / 1000000);
}

typedef enum solution { SOME, NONE, NOT_KNOWN } solution;

/* More time might help unless programs ran out. */
static solution give_way(equation *e)
{
    e->figures.cut = left_ms(e) == 0;
    return NOT_KNOWN;
}

/* Searches for a marking that meets the inequalities and stores it in e->marking. */
static solution solve(equation *e)
{
    glp_smcp options;
    glp_init_smcp(&options);
    options.msg_lev = GLP_MSG_OFF;
    options.tm_lim = left_ms(e);
    if (options.tm_lim == 0 || e->figures.programs++ >= MOST_PROGRAMS)
        return give_way(e);
    glp_std_basis(e->program);
    if (glp_simplex(e->program, &options) != 0)
        return give_way(e);
    if (glp_get_prim_stat(e->program) == GLP_FEAS) {
        for (uint32_t p = 0; p < e->net->place_count; p++)
            e->marking[p] = e->net->places[p].initial + glp_get_row_prim(e->program, (int) p + 1);
        return SOME;
    }
    options.tm_lim = left_ms(e);
    if (glp_get_status(e->program) != GLP_NOFEAS)
        return NOT_KNOWN;
    if (options.tm_lim == 0 || glp_exact(e->program, &options) != 0)
        return give_way(e);
    if (glp_get_status(e->program) != GLP_NOFEAS)
        return NOT_KNOWN;
    e->figures.confirmed++;
    return NONE;
}

/* Evaluates the predicate on rounded numbers; it only selects the branch to search. */
static bool seems_to_hold(const equation *e, const om_predicate *p)
{
    const double close = 1e-6;
    double sum = 0;
    bool all = p->kind == OM_PREDICATE_AND || p->kind == OM_PREDICATE_TRUE;
    if (p->kind == OM_PREDICATE_LINEAR) {
        for (uint32_t i = 0; i < p->count; i++)
            sum += (double) p->terms[i].factor * e->marking[p->terms[i].place];
        return sum >= (double) p->least - close;
    }
    for (uint32_t i = 0; p->kind == OM_PREDICATE_AND && i < p->count; i++)
        all = all && seems_to_hold(e, p->args[i]);
    for (uint32_t i = 0; p->kind == OM_PREDICATE_OR && i < p->count; i++)
        all = all || seems_to_hold(e, p->args[i]);
    return all;
}

/* ---- predicates ---- */

/* A list of predicates to be met in addition to the rows */
typedef struct rest {
    const om_predicate *p;
    const struct rest *next;
} rest;

static solution look(equation *e, const rest *r);

/* Adds the inequalities of a conjunction as rows, and continues with its other operands, followed
 * by r. */
static solution look_into(equation *e, const om_predicate *p, const rest *r, uint32_t from)
{
    if (p->kind == OM_PREDICATE_LINEAR) {
        add_inequality(e, p);
        return look(e, r);
    }
    if (p->kind == OM_PREDICATE_OR) {
        const rest first = { p, r };
        return look(e, &first);
    }
    if (from == p->count)
        return look(e, r);
    if (p->args[from]->kind == OM_PREDICATE_LINEAR) {
        add_inequality(e, p->args[from]);
        return look_into(e, p, r, from + 1);
    }
    const rest first = { p->args[from], r };
    return look_into(e, p, &first, from + 1);
}

/* r: disjunctions. Branches on the first one that the solution does not satisfy; the chosen operand
 * then holds below the branch. Rows added in a branch are removed after it. */
static solution look(equation *e, const rest *r)
{
    const solution now = solve(e);
    const rest *all = r;
    if (now != SOME)
        return now;
    while (r != NULL && seems_to_hold(e, r->p))
        r = r->next;
    if (r == NULL)
        return SOME;
    assert(r->p->kind == OM_PREDICATE_OR); /* E3 */
    const int rows = glp_get_num_rows(e->program);
    for (uint32_t i = 0; i < r->p->count; i++) {
        const solution s = look_into(e, r->p->args[i], all, 0);
        drop_rows_from(e, rows + 1);
        assert(glp_get_num_rows(e->program) == rows); /* E1 */
        if (s != NONE)
            return s;
    }
    return NONE;
}

/* ---- the test ---- */

static void find_drains(equation *e)
{
    for (uint32_t t = 0; t < e->net->transition_count; t++)
        for (uint32_t i = 0; i < e->net->transitions[t].reset_count; i++)
            e->weight[e->net->transitions[t].resets[i]] = 1;
    for (uint32_t p = 0; p < e->net->place_count; p++) {
        if (e->weight[p] != 0)
            e->drained[e->drain_count++] = p;
        e->weight[p] = 0;
    }
    assert(e->drain_count <= e->net->place_count); /* E4 */
}

static bool open_equation(equation *e)
{
    const size_t places = (size_t) e->net->place_count + 1;
    const size_t most = places + e->net->transition_count; /* columns, with drains; or rows */
    e->weight = om_alloc(e->heap, places, sizeof *e->weight);
    e->marking = om_alloc(e->heap, places, sizeof *e->marking);
    e->change = om_alloc(e->heap, most + 1, sizeof *e->change);
    e->index = om_alloc(e->heap, most + 1, sizeof *e->index);
    e->drained = om_alloc(e->heap, places, sizeof *e->drained);
    if (!e->weight || !e->marking || !e->change || !e->index || !e->drained)
        return false;
    find_drains(e);
    return true;
}

static void close_equation(equation *e)
{
    om_free(e->heap, e->weight);
    om_free(e->heap, e->marking);
    om_free(e->heap, e->change);
    om_free(e->heap, e->index);
    om_free(e->heap, e->drained);
}

/* GLPK would end the program on an error; this hook prevents it. The memory is freed with GLPK's
 * environment. */
static void give_up(void *info)
{
    equation *e = info;
    longjmp(e->failed, 1);
}

static bool run(equation *e, const om_predicate *p)
{
    if (setjmp(e->failed) != 0) {
        glp_error_hook(NULL, NULL);
        (void) glp_free_env();
        return false;
    }
    (void) glp_term_out(GLP_OFF);
    glp_error_hook(give_up, e);
    e->program = glp_create_prob();
    add_places(e);
    add_transitions(e);
    add_drains(e);
    assert(glp_get_num_rows(e->program) == (int) e->net->place_count); /* E1 */
    assert(
        glp_get_num_cols(e->program) == (int) (e->net->transition_count + e->drain_count)); /* E4 */
    const bool none = look_into(e, p, NULL, 0) == NONE;
    glp_delete_prob(e->program);
    glp_error_hook(NULL, NULL);
    (void) glp_free_env();
    return none;
}

int mcc_impossible(const om_net *net, const om_predicate *p, uint64_t until_ns, bool *impossible,
    mcc_equation_figures *figures)
{
    equation *e = om_alloc(net->region.heap, 1, sizeof *e);
    *impossible = p->kind == OM_PREDICATE_FALSE;
    if (e == NULL)
        return om_fail_memory(net->ctx);
    *e = (equation){ .net = net, .heap = net->region.heap, .until_ns = until_ns };
    int rc = OM_OK;
    if (p->kind != OM_PREDICATE_FALSE && p->kind != OM_PREDICATE_TRUE &&
        net->place_count <= MOST_ROWS && net->transition_count <= MOST_ROWS) {
        if (open_equation(e))
            *impossible = run(e, p);
        else
            rc = om_fail_memory(net->ctx);
    }
    if (figures != NULL)
        *figures = e->figures;
    close_equation(e);
    om_free(e->heap, e);
    return rc == OM_OK ? om_context_stopped(net->ctx) == OM_ESTOP ? OM_ESTOP : OM_OK : rc;
}

#else /* without GLPK, the equation rules nothing out */
int mcc_impossible(const om_net *net, const om_predicate *p, uint64_t until_ns, bool *impossible,
    mcc_equation_figures *figures)
{
    (void) net;
    (void) until_ns;
    *impossible = p->kind == OM_PREDICATE_FALSE;
    if (figures != NULL)
        *figures = (mcc_equation_figures){ .programs = 0 };
    return OM_OK;
}
#endif
