/* SPDX-License-Identifier: Apache-2.0 */
/* The target of an exploration: a net that is reduced for some properties, and its model. */
#include "net_target.h"

#include <assert.h>
#include <string.h>

/* ---- observed places ---- */

static void observe_formula(const mcc_formula *f, uint8_t *observed)
{
    if (f->kind == MCC_ATOM)
        om_predicate_places(f->atom, observed);
    for (uint32_t i = 0; i < f->count; i++)
        observe_formula(f->args[i], observed);
}

static void observe(const mcc_property *p, uint8_t *observed)
{
    if (p->question == MCC_RUNS)
        observe_formula(p->formula, observed);
    else if (p->question == MCC_BOUND)
        for (uint32_t i = 0; i < p->term_count; i++)
            observed[p->terms[i].place] = 1;
    else if (p->wanted != NULL)
        om_predicate_places(p->wanted, observed);
}

/* ---- the net ---- */

static int reduce(
    mcc *m, mcc_target *t, const mcc_property *const *properties, size_t count, uint64_t ns)
{
    const om_reduce_options options = { .keep = t->keep,
        .leave_out = m->set->without_passes,
        .until_ns = ns < mcc_left_ns(m) ? om_clock_ns() + ns : 0 };
    uint8_t *observed = om_alloc(m->c->heap, (size_t) m->net->place_count + 1, sizeof *observed);
    if (observed == NULL)
        return om_fail_memory(m->c->ctx);
    for (size_t i = 0; i < count; i++)
        observe(properties[i], observed);
    int rc = om_net_reduce(&t->reduction, m->net, observed, &options);
    om_free(m->c->heap, observed);
    return rc;
}

int mcc_target_open(mcc *m, mcc_target *t, om_reduce_keep keep,
    const mcc_property *const *properties, size_t count, uint64_t ns)
{
    *t = (mcc_target){ .net = m->net, .keep = keep };
    if (m->set->without_passes == UINT32_MAX)
        return OM_OK;
    mcc_begin(m, UINT64_MAX);
    int rc = reduce(m, t, properties, count, ns);
    if (rc != OM_OK)
        return rc;
    const om_net *net = om_reduction_net(t->reduction);
    if (net->place_count < m->net->place_count ||
        net->transition_count < m->net->transition_count) {
        t->net = net;
        return OM_OK;
    }
    om_reduction_free(t->reduction);
    t->reduction = NULL;
    return OM_OK;
}

void mcc_target_all(const mcc *m, mcc_target *t)
{
    *t = (mcc_target){ .net = m->net, .keep = OM_REDUCE_STEPS };
}

void mcc_target_close(mcc *m, mcc_target *t)
{
    om_model_free(t->model);
    om_reduction_free(t->reduction);
    om_free(m->c->heap, t->predicates);
    *t = (mcc_target){ .net = NULL };
}

/* ---- equal nets ---- */

static bool are_same_arcs(
    const om_net_arc *a, uint32_t a_count, const om_net_arc *b, uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++)
        if (a[i].place != b[i].place || a[i].count != b[i].count)
            return false;
    return true;
}

/* Reduced nets share the names of places with the net that was read. */
static bool are_same_places(const om_net *a, const om_net *b, uint32_t p)
{
    const om_net_place *x = &a->places[p], *y = &b->places[p];
    return x->initial == y->initial && x->bound == y->bound && x->colour == y->colour &&
           a->place_nodes[x->node].id == b->place_nodes[y->node].id;
}

static bool are_same_nets(const om_net *a, const om_net *b)
{
    if (a == b)
        return true;
    if (a->place_count != b->place_count || a->transition_count != b->transition_count)
        return false;
    for (uint32_t p = 0; p < a->place_count; p++)
        if (!are_same_places(a, b, p))
            return false;
    for (uint32_t t = 0; t < a->transition_count; t++) {
        const om_net_transition *x = &a->transitions[t], *y = &b->transitions[t];
        if (!are_same_arcs(x->takes, x->take_count, y->takes, y->take_count) ||
            !are_same_arcs(x->gives, x->give_count, y->gives, y->give_count))
            return false;
    }
    return true;
}

bool mcc_target_is_same(const mcc_target *a, const mcc_target *b)
{
    return a->keep == b->keep && are_same_nets(a->net, b->net);
}

/* ---- what is asked ---- */

const om_predicate *mcc_target_predicate(mcc *m, const mcc_target *t, const om_predicate *p)
{
    if (t->reduction == NULL)
        return p;
    const om_predicate *here =
        om_predicate_translate(&m->region, p, om_reduction_images(t->reduction));
    return here == NULL ? NULL : om_predicate_bounded(&m->region, here, t->net);
}

int mcc_target_sum(mcc *m, const mcc_target *t, const mcc_property *p, om_net_sum *s)
{
    for (uint32_t i = 0; i < p->term_count; i++) {
        const om_net_term *term = &p->terms[i];
        if (t->reduction == NULL)
            om_net_sum_add(s, term->place, term->factor);
        else
            om_net_sum_join(s, &om_reduction_images(t->reduction)[term->place], term->factor);
    }
    return s->failed ? om_fail(m->c->ctx, s->too_large ? OM_ELIMIT : OM_ENOMEM, NULL, "%s",
                           s->too_large ? "a sum of tokens is too large" : "out of memory")
                     : OM_OK;
}

/* ---- its predicates ---- */

static bool is_same(const om_predicate *a, const om_predicate *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->count != b->count || a->least != b->least)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->kind == OM_PREDICATE_LINEAR
                ? a->terms[i].place != b->terms[i].place || a->terms[i].factor != b->terms[i].factor
                : !is_same(a->args[i], b->args[i]))
            return false;
    return true;
}

int mcc_target_add(mcc *m, mcc_target *t, const om_predicate *p, size_t *index)
{
    size_t i = 0;
    while (i < t->predicate_count && !is_same(t->predicates[i], p))
        i++;
    *index = i;
    if (i < t->predicate_count)
        return OM_OK;
    const om_predicate **more =
        om_resize(m->c->heap, t->predicates, t->predicate_count + 1, sizeof(const om_predicate *));
    if (more == NULL)
        return om_fail_memory(m->c->ctx);
    t->predicates = more;
    t->predicates[t->predicate_count++] = p;
    return OM_OK;
}

/* ---- its model, and plans ---- */

int mcc_target_make_model(mcc *m, mcc_target *t)
{
    assert(t->net == (t->reduction == NULL ? m->net : om_reduction_net(t->reduction))); /* N1 */
    mcc_begin(m, UINT64_MAX);
    om_model_free(t->model);
    t->model = NULL;
    return om_net_model_new(&t->model, t->net, m->net->name, t->predicates, t->predicate_count);
}

int mcc_target_plan(mcc *m, const mcc_target *t, uint64_t timeout_ns, om_plan **out)
{
    assert(t->model != NULL); /* N2 */
    om_plan_options options = m->set->plan;
    options.limits = m->c->set.limits;
    options.limits.timeout_ns = mcc_limit_ns(m, timeout_ns);
    options.since_ns = 0; /* the time limit starts with the plan's check, not with the program */
    options.no_overflow_trace = true;
    options.seed += m->seed++;
    return om_plan_new(out, m->c->ctx, m->c->registry, om_net_model_frontend(), t->model, &options);
}

/* ---- results ---- */

int mcc_target_run(mcc *m, const mcc_target *t, const om_firings *found, om_firings *out)
{
    if (t->reduction != NULL)
        return om_reduction_expand(t->reduction, found, out);
    *out = *found;
    out->transitions = om_alloc(m->c->heap, found->count + 1, sizeof *out->transitions);
    if (out->transitions == NULL)
        return om_fail_memory(m->c->ctx);
    for (size_t i = 0; i < found->count; i++)
        out->transitions[i] = found->transitions[i];
    return OM_OK;
}

static void answer(
    mcc *m, const mcc_target *t, mcc_property *p, om_wide value, const char *techniques)
{
    size_t passes = 0;
    (void) om_reduce_passes(&passes);
    assert(passes <= 32); /* p->passes has a bit for each */
    p->explored = true;
    p->places = t->net->place_count;
    p->transitions = t->net->transition_count;
    for (size_t i = 0; t->reduction != NULL && i < passes; i++)
        if (om_reduction_figures(t->reduction)[i].times != 0)
            p->passes |= UINT32_C(1) << i;
    mcc_answer(m, p, value, techniques);
}

void mcc_target_answer(mcc *m, const mcc_target *t, mcc_property *p, om_wide value)
{
    answer(m, t, p, value, t->reduction == NULL ? MCC_EXPLICIT : MCC_REDUCED);
}

void mcc_target_walked(mcc *m, const mcc_target *t, mcc_property *p, om_wide value)
{
    answer(m, t, p, value, t->reduction == NULL ? MCC_WALK : MCC_WALK " STRUCTURAL_REDUCTION");
}

void mcc_target_proved(mcc *m, const mcc_target *t, mcc_property *p, om_wide value)
{
    answer(
        m, t, p, value, t->reduction == NULL ? MCC_STUBBORN : MCC_STUBBORN " STRUCTURAL_REDUCTION");
}
