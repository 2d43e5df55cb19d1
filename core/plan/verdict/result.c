/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a check. */
#include "verdict.h"

#include "model.h"

#include <inttypes.h>

const char om_check__fault_reason[] = "error in the model";

void om_check_result_free(om_check_result *r)
{
    if (r == NULL || r->heap == NULL)
        return;
    for (size_t i = 0; i < r->part_count; i++) {
        om_free(r->heap, r->parts[i].device);
        om_free(r->heap, r->parts[i].gave_up);
    }
    om_free(r->heap, r->parts);
    om_free(r->heap, r->property);
    om_free(r->heap, r->reason);
    om_free(r->heap, r->fault);
    om_lasso_free(&r->lasso);
    if (r->assertion != NULL)
        om_check_result_free(r->assertion);
    om_free(r->heap, r->assertion);
    *r = (om_check_result){ 0 };
}

void om_check__forget_result(om_check *c)
{
    om_check_result_free(c->result);
    *c->result = (om_check_result){ .heap = c->plan->heap, .verdict = OM_UNKNOWN };
}

int om_check__set_reason(om_check *c, const char *why)
{
    om_check_result *out = c->result;
    om_free(out->heap, out->reason);
    out->verdict = OM_UNKNOWN;
    out->reason = om_strdup(out->heap, why);
    return out->reason == NULL ? om_fail_memory(c->plan->ctx) : OM_OK;
}

int om_check__unknown(om_check *c, const char *why)
{
    int rc = om_check__set_reason(c, why);
    om_context_clear(c->plan->ctx);
    return rc;
}

void om_check__take_failure(om_check *c)
{
    om_context *ctx = c->plan->ctx;
    om_free(c->plan->heap, c->result->fault);
    /* may be NULL: the note has the text, too */
    c->result->fault = om_strdup(c->plan->heap, om_context_error(ctx));
    om_note(ctx, OM_NOTE_WARNING, NULL, "%s", om_context_error(ctx));
    om_context_clear(ctx);
}

int om_check__name_assertion(om_check *c, uint32_t number)
{
    const om_plan *p = c->plan;
    om_check_result *out = c->result;
    const om_assertion *a = om_model_assertion(p->model, number);
    om_text place = { .heap = p->heap };
    om_text_printf(
        &place, "%s:%" PRIu32 ":%" PRIu32, a->place.file, a->place.line, a->place.column);
    out->about = OM_ABOUT_ASSERTION;
    om_free(p->heap, out->property);
    out->property = place.failed ? NULL : place.text;
    om_free(p->heap, out->fault);
    out->fault = om_strdup(p->heap, a->text);
    return out->property == NULL || out->fault == NULL ? om_fail_memory(p->ctx) : OM_OK;
}
