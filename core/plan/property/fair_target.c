/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the assumptions of a check to its target: fairness.h. */
#include "target.h"

#include <assert.h>
#include <string.h>

/* Makes assumptions that marks cannot express a part of the formula's automaton. */
static int assume_rest(om_plan *p, om_target *t)
{
    static const char file[] = "fairness assumption";
    const om_text *rest = &t->fair.rest;
    const uint32_t known = om_ltl_ap_count(t->ltl);
    int rc = om_ltl_parse(t->ltl, file, rest->text, rest->length, &t->assumed);
    if (rc != OM_OK)
        return rc;
    om_note(p->ctx, OM_NOTE_NOTICE, NULL,
        "marks of the product cannot express this assumption, so it becomes part of the automaton: "
        "%s",
        rest->text);
    rc = om_plan__read_ltl_aps(p, file, t->ltl, known, &t->ltl_aps);
    t->obligation.ltl_aps = t->ltl_aps;
    return rc;
}

/* Every finite trace has a fair continuation: of the processes that can move, the one that has
 * waited longest moves, again and again. So fairness to processes rules out no trace; assumptions
 * that something holds infinitely often might. */
int om_fair__read_target(om_plan *p, om_target *t)
{
    if (!om_fair__asked(t->options) ||
        t->obligation.assertion) /* assertions are part of every check */
        return OM_OK;
    if (t->trace && t->options->fair_count != 0)
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "fairness is an assumption about infinite runs, but a violation of '%s' is a finite "
            "trace: use an LTL formula, such as G(p)",
            t->name);
    if (t->trace) {
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "process fairness excludes no finite trace: it is ignored");
        return OM_OK;
    }
    int rc = om_fair__read(p, t->options, &t->fair);
    t->is_fair = t->fair.marked.count != 0;
    if (rc != OM_OK || t->fair.rest.length == 0)
        return rc;
    return t->ltl != NULL
               ? assume_rest(p, t)
               : om_fail(p->ctx, OM_EUSAGE, NULL,
                     "with a property that is not an LTL formula, an assumption must be GF p, FG "
                     "p, GF p -> GF q, FG p -> GF q or a conjunction of these, not: %s",
                     t->fair.rest.text);
}

/* Appends the propositions of fairness to those of the automaton. */
int om_fair__add_aps(om_plan *p, om_target *t)
{
    enum { MOST = 64 };
    const om_assumed *a = &t->fair;
    t->all_aps = t->ap_count;
    if (!t->is_fair)
        return OM_OK;
    t->all_aps += 1 + a->expr_count;
    if (t->all_aps > MOST)
        return om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
            "fairness needs %u propositions in addition to the %u of the property: the limit is %d",
            1 + a->expr_count, t->ap_count, MOST);
    om_expr *aps = om_resize(p->heap, t->aps, t->all_aps, sizeof *aps);
    if (aps == NULL)
        return om_fail_memory(p->ctx);
    t->aps = aps;
    aps[t->ap_count] = om_expr_const(p->model, 0);         /* of the automaton with free sets */
    assert(t->ap_count + 1 + a->expr_count == t->all_aps); /* T1 */
    memcpy(aps + t->ap_count + 1, a->exprs, a->expr_count * sizeof *aps);
    return om_model_expr_check(p->model, NULL);
}

om_fairness_report om_plan__fairness(const om_target *t)
{
    if (t->trace)
        return (om_fairness_report){ OM_FAIRNESS_NONE, 0, 0, 0 };
    return (om_fairness_report){ .kind = t->options->fairness,
        .processes = t->fair.process_count,
        .formulas = (uint32_t) t->options->fair_count,
        .sets = t->fair.marked.count };
}

void om_fair__oblige(const om_plan *p, om_target *t)
{
    const om_fairness_report f = om_plan__fairness(t);
    assert(t->all_aps == t->ap_count + (t->is_fair ? 1 + t->fair.expr_count : 0)); /* T1 */
    t->obligation.fairness = f.kind;
    t->obligation.fair_ltl = t->fair.ltl;
    t->obligation.fair = t->fair.formula;
    t->obligation.fair_aps = t->fair.ltl_aps;
    if (f.kind != OM_FAIRNESS_NONE || f.formulas != 0)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "fairness: %s, of %u processes; %u formulas; %u acceptance sets, no additional states",
            om_process_fairness_name(f.kind), f.processes, f.formulas, f.sets);
}
