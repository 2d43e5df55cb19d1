/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of one property, for hosts. */
#include "check.h"

#include "control/control.h"
#include "supervise.h"

#include <assert.h>

/* Completes the result, and what the plan reports about its last check. Takes the target's name. */
static int complete(om_check *c, int rc, om_target *t)
{
    om_plan *p = c->plan;
    om_check_result *r = c->result;
    r->seconds = om_plan__seconds(p);
    r->threads = p->threads;
    if (r->memory_bytes == 0)
        r->memory_bytes = om_resident__peak_bytes();
    if (rc == OM_OK || rc == OM_EMODEL) {
        om_plan__report_overflows(p, &c->overflows, c->options->no_overflow_trace);
        rc = om_check__show(c, rc, c->options->bad_prefix);
    }
    if (r->property == NULL) {
        r->property = t->name;
        t->name = NULL;
    }
    r->fairness = om_plan__fairness(t);
    p->last.fault = c->fault;
    return rc;
}

/* Translates and checks a property that was read; `rc` is the status of reading it. */
static int check_read(om_plan *p, int rc, om_target *t, om_check_result *out)
{
    om_check_result r = { .heap = p->heap, .verdict = OM_UNKNOWN };
    om_check c = { .plan = p, .target = t, .options = t->options, .result = &r };

    if (rc == OM_OK)
        rc = om_plan__translate(p, t);
    if (rc == OM_OK)
        rc = om_check__property(&c);
    else if (rc == OM_ELIMIT) /* a limit ended the translation of the formula */
        rc = om_check__unknown(&c, om_plan__why(p));
    rc = complete(&c, rc, t);
    om_overflows__free(&c.overflows, p->heap);
    assert(rc != OM_OK || r.verdict != OM_HOLDS || (!r.has_lasso && r.reason == NULL)); /* V2 */
    assert(rc != OM_OK || r.verdict != OM_UNKNOWN || r.reason != NULL);                 /* V2 */
    assert(!r.has_lasso || r.lasso.count != 0);                                         /* V3 */
    assert(r.about == OM_ABOUT_PROPERTY || r.verdict == OM_VIOLATED || rc != OM_OK);    /* V4 */
    if (rc == OM_OK || rc == OM_EMODEL)
        *out = r;
    else
        om_check_result_free(&r);
    return rc;
}

int om_plan__check(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, om_check_result *out)
{
    om_target t = { 0 };
    int rc;

    *out = (om_check_result){ 0 };
    if (kind == OM_PROPERTY_FAULT)
        return om_fail(p->ctx, OM_EINVAL, NULL, "every check looks for faults");
    rc = om_plan__begin(p, options, true);
    if (rc != OM_OK)
        return rc;
    rc = check_read(p, om_plan__read(p, options, kind, text, &t), &t, out);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    return rc;
}

int om_plan_check(om_plan *p, om_property_kind kind, const char *text, om_check_result *out)
{
    return om_plan__check(p, &p->options, kind, text, out);
}

int om_plan_check_target(om_plan *p, om_target *t, om_check_result *out)
{
    *out = (om_check_result){ 0 };
    int rc = om_plan__begin(p, t->options, true);
    if (rc != OM_OK)
        return rc;
    rc = check_read(p, OM_OK, t, out);
    om_plan__end(p);
    return rc;
}
