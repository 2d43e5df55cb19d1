/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

/* This line is frozen: other programs read it. */
void cli_put_property_line(cli *c, const om_check_result *r)
{
    om_text_add(&c->out, "property ");
    cli_put_plain(&c->out, r->property);
    om_text_printf(&c->out, ": %s", om_verdict_name(r->verdict));
    if (r->verdict == OM_UNKNOWN)
        om_text_printf(&c->out, " (%s)", r->reason == NULL ? "no reason given" : r->reason);
    om_text_add(&c->out, "\n");
}

void cli_put_unrefereed(cli *c, const om_check_result *r)
{
    if (r->verdict == OM_VIOLATED && !r->has_lasso)
        om_text_printf(&c->out, "no counterexample (%s): the violation was not refereed\n",
            r->reason == NULL ? "out of memory" : r->reason);
}

static const char *part_verdict(const om_task_result *t)
{
    return t->verdict == OM_HOLDS ? "empty" : t->verdict == OM_VIOLATED ? "not empty" : "unknown";
}

void cli_put_parts(cli *c, const om_check_result *r)
{
    if (r->part_count == 0 && r->verdict == OM_HOLDS)
        om_text_add(&c->out, "the automaton accepts nothing: no state had to be explored\n");
    for (size_t i = 0; i < r->part_count; i++) {
        const om_part_result *p = &r->parts[i];
        om_text_printf(&c->out,
            "%s part (%" PRIu32 " states): %s, %s on %s: %" PRIu64 " states, %" PRIu64
            " transitions, %.2f s\n",
            om_strength_name(p->strength), p->automaton_states, part_verdict(&p->task), p->checker,
            p->device == NULL ? "the CPU" : p->device, p->task.states, p->task.transitions,
            p->task.seconds);
    }
    om_text_printf(&c->out, "%" PRIu64 " states, %" PRIu64 " transitions, %.2f s, %.1f MB\n",
        r->states, r->transitions, r->seconds, (double) r->memory_bytes / 1e6);
}

static json_t *count_json(uint64_t n)
{
    return n > INT64_MAX ? json_null() : json_integer((json_int_t) n);
}

json_t *cli_text_json(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *s = json_string(text);
    return s != NULL ? s : json_string("(not UTF-8)");
}

static json_t *part_json(const om_part_result *p)
{
    const om_task_result *t = &p->task;
    return json_pack("{s:s, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:s}", "strength",
        om_strength_name(p->strength), "automaton_states", (json_int_t) p->automaton_states,
        "checker", p->checker, "device", cli_text_json(p->device), "gave_up",
        cli_text_json(p->gave_up), "states", count_json(t->states), "transitions",
        count_json(t->transitions), "sccs", count_json(t->sccs), "seconds", t->seconds,
        "memory_bytes", count_json(t->memory_bytes), "verdict",
        t->verdict == OM_HOLDS      ? "empty"
        : t->verdict == OM_VIOLATED ? "nonempty"
                                    : "unknown");
}

static json_t *result_json(const cli *c, const om_check_result *r)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < r->part_count; i++)
        if (json_array_append_new(parts, part_json(&r->parts[i])) != 0) {
            json_decref(parts);
            return NULL;
        }
    return json_pack("{s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:I}", "schema",
        1, "model", cli_text_json(c->set.positionals[0]), "property", cli_text_json(r->property),
        "verdict", om_verdict_name(r->verdict), "reason", cli_text_json(r->reason), "fault",
        cli_text_json(r->fault), "parts", parts, "states", count_json(r->states), "transitions",
        count_json(r->transitions), "seconds", r->seconds, "memory_bytes",
        count_json(r->memory_bytes), "seed", count_json(c->set.plan.seed), "threads",
        (json_int_t) r->threads);
}

static int put_null(void *self, om_text *out)
{
    (void) self;
    om_text_add(out, "null");
    return om_text_status(out);
}

int cli_put_result_json(cli *c, const om_check_result *r, cli_member_fn *put_lasso, void *self)
{
    return cli_put_json_with(c, result_json(c, r), !c->set.json_lines, "lasso",
        put_lasso == NULL ? put_null : put_lasso, self);
}
