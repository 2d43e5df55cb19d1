/* SPDX-License-Identifier: Apache-2.0 */
/* explore: assertions that fail. */
#include "explore/exploration.h"

#include <inttypes.h>

int cli_put_failures(cli *c, om_model *model, const om_failures *f)
{
    int rc = OM_OK;
    for (size_t i = 0; i < f->count && rc == OM_OK; i++) {
        const om_failure *one = &f->at[i];
        const om_assertion *a = om_model_assertion(model, one->assertion);
        om_text_printf(&c->out, "assertion %s:%u:%u fails in %" PRIu64 " state%s: %s\n",
            a->place.file == NULL ? "" : a->place.file, (unsigned) a->place.line,
            (unsigned) a->place.column, one->states, one->states == 1 ? "" : "s", a->text);
        if (one->trace.count != 0 && !c->set.quiet)
            rc = om_lasso_write(&one->trace, model, "txt", NULL, &c->out);
    }
    return rc;
}

/* Returns the labels of the steps of the run. */
static json_t *run_json(const om_model *model, const om_lasso *trace)
{
    if (trace->count == 0)
        return json_null();
    json_t *steps = json_array();
    for (size_t i = 0; i + 1 < trace->count; i++) {
        const om_transition *t = om_model_transition(model, trace->transitions[i]);
        (void) json_array_append_new(steps, cli_text_json(t == NULL ? NULL : t->label));
    }
    return steps;
}

json_t *cli_failures_json(const om_model *model, const om_failures *f)
{
    if (f == NULL)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < f->count; i++) {
        const om_failure *one = &f->at[i];
        const om_assertion *a = om_model_assertion(model, one->assertion);
        (void) json_array_append_new(
            list, json_pack("{s:o, s:I, s:I, s:o, s:I, s:o}", "file", cli_text_json(a->place.file),
                      "line", (json_int_t) a->place.line, "column", (json_int_t) a->place.column,
                      "text", cli_text_json(a->text), "states", (json_int_t) one->states, "run",
                      run_json(model, &one->trace)));
    }
    return list;
}
