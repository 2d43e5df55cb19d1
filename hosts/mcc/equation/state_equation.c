/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search in the manner of DPLL(T) (Nieuwenhuis, Oliveras and Tinelli, "Solving SAT and SAT modulo
 * theories", J. ACM 53(6), 2006), with the state equation as the theory.
 *
 *  Q1  The predicate of a level is a conjunction of disjunctions; the inequalities of its
 *      conjuncts are bounds of places, or rows of the program.
 *  Q2  A level restores bounds and rows when it ends.
 */
#include "state_equation.h"

#ifdef OMEN_GLPK
#include "state_program.h"

#include <glpk.h>
#include <assert.h>

enum { MOST_LEVELS = 250, MOST_NODES = 300000 };

/* The bounds that a place or a transition's firings had, or have */
typedef struct bounds {
    uint32_t at;
    om_value least, most;
} bounds;

typedef struct equation {
    mcc_program program;
    bounds *before; /* a stack, of places */
    size_t before_count, before_room;
    bounds *counts;    /* by transition */
    om_region *levels; /* by depth: what is made there */
    unsigned depth;
    bool *inside;       /* by place: it is in the trap */
    om_net_term *terms; /* of the trap's places */
    uint32_t *met;      /* by place: how often an operand is about it; 0 between two uses */
} equation;

static const void *need(equation *e, const void *made)
{
    if (made == NULL)
        longjmp(e->program.failed, 1);
    return made;
}

/* ---- traps ---- */

/* Removes places that the transition takes from if it gives to no place of the set. */
static bool shrink(const om_net_transition *t, bool *inside)
{
    bool gives = false, takes = false;
    for (uint32_t i = 0; i < t->give_count && !gives; i++)
        gives = inside[t->gives[i].place];
    for (uint32_t i = 0; i < t->take_count && !gives; i++) {
        takes = takes || inside[t->takes[i].place];
        inside[t->takes[i].place] = false;
    }
    return takes;
}

/* Sets e->inside to the largest trap of places without tokens in the last solution.
 * Returns false if the time is over. */
static bool find_trap(equation *e)
{
    const om_net *net = &e->program.net;
    bool shrinks = true;
    for (uint32_t p = 0; p < net->place_count; p++)
        e->inside[p] = e->program.marking[p] < MCC_CLOSE;
    for (uint32_t i = 0; i < e->program.drain_count; i++)
        e->inside[e->program.drained[i]] = false;
    while (shrinks && om_clock_ns() < e->program.until_ns) {
        shrinks = false;
        for (uint32_t t = 0; t < net->transition_count; t++)
            shrinks = shrink(&net->transitions[t], e->inside) || shrinks;
    }
    return !shrinks;
}

/* A trap that has a token initially has one in all reachable markings: each transition that takes
 * from it gives to it. Requires that, if the last solution has none there. */
static bool require_trap(equation *e)
{
    const om_net *net = &e->program.net;
    uint32_t count = 0;
    bool marked = false;
    if (!find_trap(e))
        return false;
    for (uint32_t p = 0; p < net->place_count; p++) {
        if (!e->inside[p])
            continue;
        e->terms[count++] = (om_net_term){ p, 1 };
        marked = marked || net->places[p].initial > 0;
    }
    if (marked)
        mcc_program_require(&e->program, e->terms, count, 1);
    if (marked)
        mcc_program_keep(&e->program);
    return marked;
}

/* ---- predicates on rounded numbers ---- */

/* Evaluates the predicate on rounded numbers; it only selects the branch to search. */
static bool seems_to_hold(const mcc_program *e, const om_predicate *p)
{
    double sum = 0;
    bool all = p->kind == OM_PREDICATE_AND || p->kind == OM_PREDICATE_TRUE;
    if (p->kind == OM_PREDICATE_LINEAR) {
        for (uint32_t i = 0; i < p->count; i++)
            sum += (double) p->terms[i].factor * e->marking[p->terms[i].place];
        return sum >= (double) p->least - MCC_CLOSE;
    }
    for (uint32_t i = 0; p->kind == OM_PREDICATE_AND && i < p->count; i++)
        all = all && seems_to_hold(e, p->args[i]);
    for (uint32_t i = 0; p->kind == OM_PREDICATE_OR && i < p->count; i++)
        all = all || seems_to_hold(e, p->args[i]);
    return all;
}

/* ---- levels ---- */

/* The largest integer that is not above a / b, b > 0 */
static om_wide divide(om_wide a, om_wide b)
{
    return a / b - (a % b < 0);
}

/* Restricts the bounds of a place by an inequality about it alone. Returns false if no number is
 * left. */
static bool tighten(equation *e, const om_predicate *p)
{
    const uint32_t place = p->terms[0].place;
    const om_wide factor = p->terms[0].factor;
    const bounds now = { place, e->program.least[place], e->program.net.places[place].bound };
    om_wide least = now.least, most = now.most;
    if (factor > 0 && -divide(-p->least, factor) > least)
        least = -divide(-p->least, factor);
    if (factor < 0 && divide(-p->least, -factor) < most)
        most = divide(-p->least, -factor);
    if (least > most && now.most == OM_NET_NO_BOUND)
        longjmp(e->program.failed, 1); /* the number is too large, not impossible */
    if (least > most)
        return false;
    if (!OM_ROOM(e->program.heap, e->before, &e->before_room, e->before_count + 1))
        longjmp(e->program.failed, 1);
    e->before[e->before_count++] = now;
    mcc_program_bound(&e->program, place, (om_value) least, (om_value) most);
    return true;
}

static void end_level(equation *e, size_t before_count, size_t branch_count)
{
    while (e->before_count > before_count) {
        const bounds *b = &e->before[--e->before_count];
        mcc_program_bound(&e->program, b->at, b->least, b->most);
    }
    mcc_program_drop(&e->program, branch_count);
    om_region_free(&e->levels[--e->depth]); /* Q2 */
}

static const om_predicate *join(
    equation *e, om_predicate_kind kind, const om_predicate *const *args, size_t count)
{
    return need(e, om_predicate_join(&e->levels[e->depth - 1], kind, args, count));
}

/* Moves the inequality to the bounds or rows. Sets *tighter if bounds have changed. */
static bool assume(equation *e, const om_predicate *p, bool *tighter)
{
    *tighter = *tighter || p->count == 1;
    if (p->count == 1)
        return tighten(e, p);
    mcc_program_require(&e->program, p->terms, p->count, p->least);
    return true;
}

/* Moves inequalities of the conjunction to bounds and rows, and simplifies the others by them,
 * until nothing changes (Q1). NULL if that is a contradiction. */
static const om_predicate *settle(equation *e, const om_predicate *p)
{
    om_region *region = &e->levels[e->depth - 1];
    for (bool tighter = true; tighter;) {
        tighter = false;
        p = need(e, om_predicate_within(region, p, &e->program.net, e->program.least));
        if (p->kind == OM_PREDICATE_FALSE)
            return NULL;
        const bool many = p->kind == OM_PREDICATE_AND;
        const om_predicate *const one[] = { p }, *const *all = many ? p->args : one;
        const om_predicate **others =
            om_region_take(region, (size_t) p->count + 1, sizeof(const om_predicate *));
        const uint32_t count = many ? p->count : 1;
        size_t left = 0;
        (void) need(e, others);
        for (uint32_t i = 0; i < count; i++)
            if (all[i]->kind != OM_PREDICATE_LINEAR)
                others[left++] = all[i];
            else if (!assume(e, all[i], &tighter))
                return NULL;
        p = join(e, OM_PREDICATE_AND, others, left);
    }
    return p;
}

/* ---- branches ---- */

static mcc_solution look(equation *e, const om_predicate *p);

static mcc_solution look_with(equation *e, const om_predicate *p, const om_predicate *more)
{
    const om_predicate *const both[] = { p, more };
    return look(e, join(e, OM_PREDICATE_AND, both, 2));
}

/* The inequality holds, or it does not. */
static mcc_solution look_at_both(equation *e, const om_predicate *p, const om_predicate *which)
{
    const mcc_solution s = look_with(e, p, which);
    if (s != MCC_NONE)
        return s;
    return look_with(e, p, need(e, om_predicate_not(&e->levels[e->depth - 1], which)));
}

/* One of the operands holds. */
static mcc_solution look_at_each(equation *e, const om_predicate *p, const om_predicate *any)
{
    mcc_solution s = MCC_NONE;
    for (uint32_t i = 0; i < any->count && s == MCC_NONE; i++)
        s = look_with(e, p, any->args[i]);
    return s;
}

/* Counts the inequalities about each place alone. The recursion is as deep as the predicate. */
static void count_places(equation *e, const om_predicate *p)
{
    if (p->kind == OM_PREDICATE_LINEAR)
        e->met[p->terms[0].place] += p->count == 1;
    for (uint32_t i = 0; p->kind != OM_PREDICATE_LINEAR && i < p->count; i++)
        count_places(e, p->args[i]);
}

/* Returns the inequality about a single place whose place was counted most often, or `most`. */
static const om_predicate *find_most(
    const equation *e, const om_predicate *p, const om_predicate *most)
{
    if (p->kind == OM_PREDICATE_LINEAR)
        return p->count == 1 &&
                       (most == NULL || e->met[p->terms[0].place] > e->met[most->terms[0].place])
                   ? p
                   : most;
    for (uint32_t i = 0; i < p->count; i++)
        most = find_most(e, p->args[i], most);
    return most;
}

/* Branches on a place in the disjunctions that are not met: its bounds simplify all disjunctions
 * that it is in, so one that is in many of them comes first. p: the level's predicate; unmet: one
 * of those disjunctions. */
static mcc_solution branch(equation *e, const om_predicate *p, const om_predicate *unmet)
{
    const om_predicate *most = NULL;
    count_places(e, p);
    if (p->kind != OM_PREDICATE_AND)
        most = find_most(e, unmet, NULL);
    for (uint32_t i = 0; p->kind == OM_PREDICATE_AND && i < p->count; i++)
        if (!seems_to_hold(&e->program, p->args[i]))
            most = find_most(e, p->args[i], most);
    for (uint32_t i = 0; i < e->program.net.place_count; i++)
        e->met[i] = 0;
    return most != NULL ? look_at_both(e, p, most) : look_at_each(e, p, unmet);
}

/* Makes "the place has at most so many tokens". */
static const om_predicate *at_most(equation *e, uint32_t place, om_value tokens)
{
    om_region *region = &e->levels[e->depth - 1];
    om_predicate *p = om_region_take(region, 1, sizeof *p);
    om_net_term *term = om_region_take(region, 1, sizeof *term);
    (void) need(e, p);
    (void) need(e, term);
    *term = (om_net_term){ place, -1 };
    *p = (om_predicate){
        .kind = OM_PREDICATE_LINEAR, .count = 1, .least = -(om_wide) tokens, .terms = term
    };
    return p;
}

static bool is_fraction(double number)
{
    const double close = 1e-4;
    if (number <= 0 || number >= OM_VALUE_MAX)
        return false;
    const double part = number - (om_value) number;
    return part > close && part < 1 - close;
}

/* Returns a place that has a fraction of a token in the last solution, or OM_NONE. */
static uint32_t find_place(const mcc_program *e)
{
    uint32_t p = 0;
    while (p < e->net.place_count && !is_fraction(e->marking[p]))
        p++;
    return p < e->net.place_count ? p : OM_NONE;
}

/* Returns a transition that fires a fraction of a time, or OM_NONE. */
static uint32_t find_transition(const mcc_program *e)
{
    uint32_t t = 0;
    while (t < e->net.transition_count && !is_fraction(mcc_program_firings(e, t)))
        t++;
    return t < e->net.transition_count ? t : OM_NONE;
}

/* The transition fires at most so often, or more. */
static mcc_solution look_at_counts(equation *e, const om_predicate *p, uint32_t t)
{
    const om_value n = (om_value) mcc_program_firings(&e->program, t);
    const bounds now = e->counts[t];
    mcc_solution s = MCC_NONE;
    for (unsigned more = 0; more < 2 && s == MCC_NONE; more++) {
        e->counts[t] = (bounds){ t, more != 0 ? n + 1 : now.least, more != 0 ? now.most : n };
        mcc_program_count(&e->program, t, e->counts[t].least, e->counts[t].most);
        s = look(e, p);
    }
    e->counts[t] = now;
    mcc_program_count(&e->program, t, now.least, now.most);
    return s;
}

static const om_predicate *find_unmet(const equation *e, const om_predicate *p)
{
    if (seems_to_hold(&e->program, p))
        return NULL;
    for (uint32_t i = 0; p->kind == OM_PREDICATE_AND && i < p->count; i++)
        if (!seems_to_hold(&e->program, p->args[i]))
            return p->args[i];
    return p;
}

/* p: settled */
static mcc_solution look_settled(equation *e, const om_predicate *p)
{
    const om_predicate *unmet = NULL;
    do {
        const mcc_solution now = mcc_program_solve(&e->program);
        if (now != MCC_SOME)
            return now;
        unmet = find_unmet(e, p);
    } while (unmet == NULL && require_trap(e));
    if (unmet != NULL)
        return branch(e, p, unmet);
    const uint32_t place = find_place(&e->program);
    if (place != OM_NONE)
        return look_at_both(e, p, at_most(e, place, (om_value) e->program.marking[place]));
    const uint32_t transition = find_transition(&e->program);
    return transition == OM_NONE ? MCC_SOME : look_at_counts(e, p, transition);
}

static mcc_solution look(equation *e, const om_predicate *p)
{
    const size_t before = e->before_count, rows = e->program.branch_count;
    if (e->depth == MOST_LEVELS)
        return MCC_NOT_KNOWN;
    e->levels[e->depth++].heap = e->program.heap;
    const om_predicate *settled = settle(e, p);
    const mcc_solution s = settled == NULL ? MCC_NONE : look_settled(e, settled);
    end_level(e, before, rows);
    return s;
}

/* ---- the test ---- */

static bool open_equation(equation *e, const om_net *net, uint64_t until_ns)
{
    const om_heap *heap = net->region.heap;
    const size_t places = (size_t) net->place_count + 1;
    return mcc_program_open(&e->program, net, until_ns) && OM_NEW(heap, e->inside, places) &&
           OM_NEW(heap, e->terms, places) && OM_NEW(heap, e->met, places) &&
           OM_NEW(heap, e->counts, (size_t) net->transition_count + 1) &&
           OM_NEW(heap, e->levels, MOST_LEVELS);
}

static void close_equation(equation *e)
{
    while (e->depth > 0)
        om_region_free(&e->levels[--e->depth]);
    OM_FREE_ALL(e->program.heap, e->inside, e->terms, e->met, e->counts, e->levels, e->before);
    mcc_program_close(&e->program);
}

/* GLPK would end the program on an error; this hook prevents it. The memory is freed with GLPK's
 * environment. */
static void give_up(void *info)
{
    mcc_program *e = info;
    longjmp(e->failed, 1);
}

static bool run(equation *e, const om_predicate *p)
{
    if (setjmp(e->program.failed) != 0) {
        glp_error_hook(NULL, NULL);
        (void) glp_free_env();
        return false;
    }
    (void) glp_term_out(GLP_OFF);
    glp_error_hook(give_up, &e->program);
    mcc_program_begin(&e->program);
    for (uint32_t t = 0; t < e->program.net.transition_count; t++)
        e->counts[t].most = OM_VALUE_MAX;
    const bool none = look(e, p) == MCC_NONE;
    glp_delete_prob(e->program.glp);
    glp_error_hook(NULL, NULL);
    (void) glp_free_env();
    return none;
}

int mcc_impossible(const om_net *net, const om_predicate *p, uint64_t until_ns, bool *impossible,
    mcc_equation_figures *figures)
{
    const om_heap *heap = net->region.heap;
    equation *e = om_alloc(heap, 1, sizeof *e);
    int rc = OM_OK;
    *impossible = p->kind == OM_PREDICATE_FALSE;
    if (e == NULL)
        return om_fail_memory(net->ctx);
    e->program.heap = heap;
    if ((uint64_t) net->place_count + net->transition_count > MOST_NODES)
        p = NULL;
    if (p != NULL && !open_equation(e, net, until_ns))
        rc = om_fail_memory(net->ctx);
    else if (p != NULL && p->kind != OM_PREDICATE_FALSE && p->kind != OM_PREDICATE_TRUE)
        *impossible = run(e, p);
    if (figures != NULL)
        *figures = e->program.figures;
    close_equation(e);
    om_free(heap, e);
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
