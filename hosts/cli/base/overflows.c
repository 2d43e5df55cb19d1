/* SPDX-License-Identifier: Apache-2.0 */
#include "base/overflows.h"

#include <inttypes.h>

static void put_name(const om_overflow *o, om_text *out)
{
    om_text_add(out, o->variable);
    if (o->element != OM_NONE)
        om_text_printf(out, "[%" PRIu32 "]", o->element);
}

cli_overflows cli_overflows_of(const om_plan *plan, om_model *model)
{
    const om_overflow_report *r = plan == NULL ? NULL : om_plan_overflows(plan);
    if (r == NULL)
        return (cli_overflows){ .count = 0 };
    const char *label = r->first.transition == OM_NONE
                            ? NULL
                            : om_model_transition(model, r->first.transition)->label;
    return (
        cli_overflows){ r->count, r->first, label, r->trace.count == 0 ? NULL : &r->trace, model };
}

void cli_put_overflows(cli *c, const cli_overflows *o)
{
    if (o->trace == NULL || c->set.quiet)
        return;
    om_text_printf(&c->out, "overflow: after this run, in %s, ", o->label);
    om_overflow_describe(&o->first, &c->out);
    om_text_add(&c->out, "\n");
    (void) om_lasso_write(o->trace, o->model, "txt", NULL, &c->out);
}

static int put_trace(void *self, om_text *out)
{
    const cli_trace *t = self;
    return om_lasso_write(
        t->trace, t->model, "json", &(om_lasso_style){ .one_line = t->one_line }, out);
}

cli_member cli_overflow_trace(const cli_overflows *o, bool one_line, cli_trace *shown)
{
    *shown = (cli_trace){ o->trace, o->model, one_line };
    return (cli_member){ "overflow_trace", o->trace != NULL ? put_trace : NULL, shown };
}

json_t *cli_overflows_json(const cli *c, const cli_overflows *all)
{
    om_text name = { .heap = c->heap }, place = { .heap = c->heap };
    if (all->count == 0)
        return json_null();
    const om_overflow *o = &all->first;
    put_name(o, &name);
    om_text_printf(
        &place, "%s:%" PRIu32 ":%" PRIu32, o->place.file, o->place.line, o->place.column);
    json_t *made = json_pack("{s:o, s:{s:o, s:o, s:i, s:i, s:i, s:i, s:o}}", "count",
        cli_count_json(all->count), "first", "place", cli_text_json(place.text), "variable",
        cli_text_json(name.text), "value", (int) o->value, "stored", (int) o->stored, "low",
        (int) o->low, "high", (int) o->high, "transition", cli_text_json(all->label));
    om_text_free(&name);
    om_text_free(&place);
    return made;
}
