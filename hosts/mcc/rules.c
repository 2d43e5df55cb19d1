/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies formulas about runs by what the state equation proves of their predicates. */
#include "formulas.h"

#include "equation/state_equation.h"

#include <string.h>

typedef struct ruling {
    mcc *m;
    mcc_target target;
    uint64_t until_ns;
    bool any; /* something was ruled out */
    bool cut; /* no time was left for something */
    int rc;
} ruling;

/* Returns true if no reachable marking satisfies the predicate. */
static bool is_impossible(ruling *r, const om_predicate *p)
{
    bool impossible = false;
    mcc_equation_figures figures = { .cut = true };
    const om_predicate *here = p == NULL ? NULL : mcc_target_predicate(r->m, &r->target, p);
    if (here == NULL)
        r->rc = om_fail_memory(r->m->c->ctx);
    if (r->rc == OM_OK && om_clock_ns() < r->until_ns)
        r->rc = mcc_impossible(r->target.net, here, r->until_ns, &impossible, &figures);
    r->cut = r->cut || figures.cut;
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

int mcc_simplify(mcc *m, mcc_property *p, uint64_t ns, bool *simpler, bool *cut)
{
    const mcc_property *const list[] = { p };
    ruling r = { .m = m, .until_ns = om_clock_ns() + ns };
    r.rc = mcc_target_open(m, &r.target, OM_REDUCE_REACHABLE, list, 1, ns);
    const mcc_formula *f = r.rc == OM_OK ? rule(&r, p->formula) : NULL;
    if (r.rc == OM_OK && f == NULL)
        r.rc = om_fail_memory(m->c->ctx);
    mcc_target_close(m, &r.target);
    *cut = r.cut;
    *simpler = r.rc == OM_OK && r.any && f != NULL;
    if (!*simpler)
        return r.rc;
    p->formula = f;
    return f->kind == MCC_ATOM ? decide_initial(m, p) : OM_OK;
}
