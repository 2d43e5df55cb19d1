/* SPDX-License-Identifier: Apache-2.0 */
/* `omen check --plan`: the checker of each part, and why the others are not chosen. */
#include "check/check_report.h"
#include "base/safe_text.h"

#include <inttypes.h>

static json_t *other_json(const om_planned_other *o)
{
    return json_pack("{s:s, s:o, s:s}", "checker", o->checker, "rank",
        o->rank == 0 ? json_null() : json_integer(o->rank), "why_not", o->why_not);
}

static json_t *conversion_json(const om_planned_part *p)
{
    if (p->conversion == NULL)
        return json_null();
    return json_pack("{s:s, s:s, s:I, s:I}", "to", p->conversion, "why", p->conversion_why,
        "states", (json_int_t) p->converted_states, "edges", (json_int_t) p->converted_edges);
}

static json_t *part_json(const om_planned_part *p)
{
    json_t *others = json_array();
    for (size_t i = 0; i < p->other_count; i++)
        (void) json_array_append_new(others, other_json(&p->others[i]));
    return json_pack("{s:s, s:I, s:I, s:o, s:s, s:b, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o}",
        "strength", om_strength_name(p->strength), "states", (json_int_t) p->states, "edges",
        (json_int_t) p->edges, "conversion", conversion_json(p), "checker", p->checker, "named",
        p->named, "rank", p->rank == 0 ? json_null() : json_integer(p->rank), "device",
        cli_text_json(p->device), "workers", (json_int_t) p->workers, "workers_later",
        (json_int_t) p->workers_later, "racer", cli_text_json(p->racer), "fallback",
        cli_text_json(p->fallback), "search", cli_text_json(p->search), "others", others);
}

static const char *schedule_of(const om_planned *d)
{
    return d->side_by_side ? "concurrent" : d->in_turn ? "turns" : "sequential";
}

/* By om_planned_orders: a name, and a sentence */
static const char *const orders[][2] = { { "all", "" },
    { "deadlocks", "orders of independent steps that deadlocks do not need are left out\n" },
    { "runs",
        "orders of independent steps that no property up to stuttering needs are left out\n" } };

static int put_json(cli *c, const om_plan_options *plan, const om_planned *d, size_t together)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < d->part_count; i++)
        (void) json_array_append_new(parts, part_json(&d->parts[i]));
    json_t *all =
        json_pack("{s:i, s:o, s:o, s:I, s:I, s:s, s:I, s:o, s:o, s:s, s:o}", "schema", 1, "model",
            cli_text_json(c->set.positionals[0]), "property", cli_text_json(d->property), "states",
            (json_int_t) d->states, "edges", (json_int_t) d->edges, "schedule", schedule_of(d),
            "threads", (json_int_t) d->threads, "fairness", cli_fairness_json(plan, &d->fairness),
            "together", together == 0 ? json_null() : json_integer((json_int_t) together), "orders",
            orders[d->orders][0], "parts", parts);
    return cli_put_json(c, all, !c->set.json_lines);
}

static void put_part(cli *c, const om_planned_part *p)
{
    om_text *out = &c->out;
    om_text_printf(out, "%s part (%" PRIu32 " states, %" PRIu32 " edges): %s on ",
        om_strength_name(p->strength), p->states, p->edges, p->checker);
    if (p->device != NULL)
        cli_put_plain(out, p->device);
    else
        om_text_printf(out, "the CPU, %u worker%s", p->workers, p->workers == 1 ? "" : "s");
    if (p->workers_later > p->workers)
        om_text_printf(out, " (%u when other parts have ended)", p->workers_later);
    if (p->named)
        om_text_add(out, ", by option\n");
    else
        om_text_printf(out, ", by its rank %u\n", p->rank);
    if (p->conversion != NULL)
        om_text_printf(out,
            "  acceptance converted to %s: %" PRIu32 " states, %" PRIu32 " edges (%s)\n",
            p->conversion, p->converted_states, p->converted_edges, p->conversion_why);
    if (p->search != NULL)
        om_text_printf(out, "  search: %s\n", p->search);
    if (p->racer != NULL)
        om_text_printf(out, "  %s on a GPU or an accelerator joins if this takes long\n", p->racer);
    if (p->fallback != NULL)
        om_text_printf(out, "  %s on the CPU if the device fails\n", p->fallback);
    for (size_t i = 0; !c->set.quiet && i < p->other_count; i++) {
        const om_planned_other *o = &p->others[i];
        om_text_printf(out, "  not %s", o->checker);
        if (o->rank != 0)
            om_text_printf(out, " (rank %u)", o->rank);
        om_text_printf(out, ": %s\n", o->why_not);
    }
}

int cli_put_planned(cli *c, const om_plan_options *plan, const om_planned *d, size_t together)
{
    if (c->set.json || c->set.json_lines)
        return put_json(c, plan, d, together);
    om_text_add(&c->out, "property ");
    cli_put_plain(&c->out, d->property);
    om_text_printf(&c->out, ": an automaton of %" PRIu32 " states and %" PRIu32 " edges\n",
        d->states, d->edges);
    cli_put_fairness(c, &d->fairness);
    om_text_add(&c->out, orders[d->orders][1]);
    if (together != 0)
        om_text_printf(&c->out,
            "one exploration for %zu properties; if it leaves this one undecided, a check of its "
            "own:\n",
            together);
    if (d->part_count == 0)
        om_text_add(&c->out, "it accepts nothing: no state has to be explored\n");
    for (size_t i = 0; i < d->part_count; i++)
        put_part(c, &d->parts[i]);
    if (d->part_count > 1)
        om_text_printf(&c->out, "parts %s\n",
            d->side_by_side ? "concurrently"
            : d->in_turn    ? "in turn: slices of states that grow"
                            : "one after another");
    return OM_OK;
}
