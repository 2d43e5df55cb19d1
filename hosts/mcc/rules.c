/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions by the state equation: for properties of single markings and in formulas about runs. */
#include "formulas.h"

#include "state_equation.h"

#include <string.h>

/* ---- single markings ---- */

/* Makes the target's predicate that the sum exceeds the largest value seen. */
static const om_predicate *more_than_seen(mcc *m, const mcc_target *t, const mcc_property *p)
{
    om_net_sum sum = { .heap = m->c->heap };
    int rc = mcc_target_sum(m, t, p, &sum);
    const om_predicate *more =
        rc == OM_OK ? om_predicate_linear(&m->region, &sum, p->seen + 1) : NULL;
    om_free(sum.heap, sum.terms);
    if (rc == OM_ELIMIT)
        om_context_clear(m->c->ctx);
    return more;
}

static int rule_out_one(mcc *m, const mcc_target *t, mcc_property *p, uint64_t until_ns)
{
    bool impossible = false;
    if (p->question == MCC_BOUND && p->seen == INT64_MIN)
        return OM_OK;
    const om_predicate *wanted =
        p->question == MCC_BOUND ? more_than_seen(m, t, p) : mcc_target_predicate(m, t, p->wanted);
    if (wanted == NULL)
        return OM_OK; /* a number is too large, or memory ran out, which later calls report */
    int rc = mcc_impossible(t->net, wanted, until_ns, &impossible, NULL);
    if (rc == OM_OK && impossible)
        mcc_answer(
            m, p, p->question == MCC_BOUND ? p->seen : p->question == MCC_ALWAYS, MCC_EQUATION);
    return rc;
}

int mcc_rule_out(mcc *m, mcc_property *const *open, size_t count, uint64_t ns)
{
    const uint64_t until_ns = om_clock_ns() + ns;
    mcc_target target;
    if (count == 0)
        return OM_OK;
    int rc =
        mcc_target_open(m, &target, OM_REDUCE_REACHABLE, (const mcc_property *const *) open, count);
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        const uint64_t now = om_clock_ns();
        if (now < until_ns)
            rc = rule_out_one(m, &target, open[i], now + (until_ns - now) / (count - i));
    }
    mcc_target_close(m, &target);
    return rc;
}

/* ---- formulas ---- */

typedef struct ruling {
    mcc *m;
    mcc_target target;
    uint64_t until_ns;
    bool any; /* something was ruled out */
    int rc;
} ruling;

/* Returns true if no reachable marking satisfies the predicate. */
static bool is_impossible(ruling *r, const om_predicate *p)
{
    bool impossible = false;
    const om_predicate *here = p == NULL ? NULL : mcc_target_predicate(r->m, &r->target, p);
    if (here == NULL)
        r->rc = om_fail_memory(r->m->c->ctx);
    if (r->rc == OM_OK && om_clock_ns() < r->until_ns)
        r->rc = mcc_impossible(r->target.net, here, r->until_ns, &impossible, NULL);
    return impossible;
}

static const mcc_formula *rule_atom(ruling *r, const mcc_formula *f)
{
    om_region *region = &r->m->region;
    const om_predicate_kind kind = f->atom->kind;
    if (r->rc != OM_OK || kind == OM_PREDICATE_TRUE || kind == OM_PREDICATE_FALSE)
        return f;
    const bool never = is_impossible(r, f->atom);
    const bool always =
        !never && r->rc == OM_OK && is_impossible(r, om_predicate_not(region, f->atom));
    if (!never && !always)
        return f;
    r->any = true;
    return mcc_formula_atom(region, om_predicate_constant(region, always));
}

static const mcc_formula *rule(ruling *r, const mcc_formula *f)
{
    if (f->kind == MCC_ATOM)
        return rule_atom(r, f);
    const mcc_formula **args = om_region_take(&r->m->region, f->count, sizeof(const mcc_formula *));
    if (args == NULL)
        return NULL;
    for (uint32_t i = 0; i < f->count; i++)
        args[i] = rule(r, f->args[i]);
    return mcc_formula_make(&r->m->region, f->kind, args, f->count);
}

/* Decides a formula about the initial marking only. */
static int decide_initial(mcc *m, mcc_property *p)
{
    om_value *initial = om_alloc(m->c->heap, (size_t) m->net->place_count + 1, sizeof *initial);
    if (initial == NULL)
        return om_fail_memory(m->c->ctx);
    for (uint32_t i = 0; i < m->net->place_count; i++)
        initial[i] = m->net->places[i].initial;
    mcc_answer(m, p, om_predicate_holds(p->formula->atom, initial), MCC_EQUATION);
    om_free(m->c->heap, initial);
    return OM_OK;
}

int mcc_simplify(mcc *m, mcc_property *p, uint64_t ns, bool *simpler)
{
    const mcc_property *const list[] = { p };
    ruling r = { .m = m, .until_ns = om_clock_ns() + ns };
    r.rc = mcc_target_open(m, &r.target, OM_REDUCE_REACHABLE, list, 1);
    const mcc_formula *f = r.rc == OM_OK ? rule(&r, p->formula) : NULL;
    if (r.rc == OM_OK && f == NULL)
        r.rc = om_fail_memory(m->c->ctx);
    mcc_target_close(m, &r.target);
    *simpler = r.rc == OM_OK && r.any && f != NULL;
    if (!*simpler)
        return r.rc;
    p->formula = f;
    return f->kind == MCC_ATOM ? decide_initial(m, p) : OM_OK;
}
