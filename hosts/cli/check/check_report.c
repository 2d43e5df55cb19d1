/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

const char *cli_about_name(om_verdict_about about)
{
    return about == OM_ABOUT_ASSERTION ? "assertion" : "property";
}

void cli_put_assertion(cli *c, const om_check_result *r)
{
    om_text_add(&c->out, "it says ");
    cli_put_plain(&c->out, r->fault == NULL ? "nothing" : r->fault);
    om_text_add(&c->out, "\n");
}

/* The format of this line is fixed: other programs parse it. */
void cli_put_property_line(cli *c, const om_check_result *r)
{
    om_text_printf(&c->out, "%s ", cli_about_name(r->about));
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

void cli_put_minimality(cli *c, const om_check_result *r)
{
    if (r->minimality == OM_MINIMAL)
        om_text_add(&c->out, "shortest: no counterexample has fewer states\n");
    else if (r->minimality == OM_NOT_PROVEN)
        om_text_add(
            &c->out, "shortest: not proven, there may be a counterexample with fewer states\n");
}

void cli_put_fairness(cli *c, const om_fairness_report *f)
{
    om_text *out = &c->out;
    if (f->kind == OM_FAIRNESS_NONE && f->formulas == 0)
        return;
    om_text_add(out, "fairness: ");
    if (f->kind != OM_FAIRNESS_NONE)
        om_text_printf(out, "%s for %" PRIu32 " process%s", om_process_fairness_name(f->kind),
            f->processes, f->processes == 1 ? "" : "es");
    if (f->formulas != 0)
        om_text_printf(out, "%s%" PRIu32 " formula%s", f->kind != OM_FAIRNESS_NONE ? ", " : "",
            f->formulas, f->formulas == 1 ? "" : "s");
    om_text_printf(out, ", %" PRIu32 " acceptance set%s\n", f->sets, f->sets == 1 ? "" : "s");
}

json_t *cli_fairness_json(const cli *c, const om_fairness_report *f)
{
    json_t *formulas = json_array();
    if (f->kind == OM_FAIRNESS_NONE && f->formulas == 0) {
        json_decref(formulas);
        return json_null();
    }
    for (size_t i = 0; i < f->formulas; i++)
        (void) json_array_append_new(formulas, cli_text_json(c->set.plan.fair[i]));
    return json_pack("{s:s, s:I, s:o, s:I}", "kind", om_process_fairness_name(f->kind), "processes",
        (json_int_t) f->processes, "formulas", formulas, "sets", (json_int_t) f->sets);
}

static const char *part_verdict(const om_task_result *t)
{
    return t->verdict == OM_HOLDS ? "empty" : t->verdict == OM_VIOLATED ? "not empty" : "unknown";
}

/* Prints the counters of a checker that are not 0. */
static void put_counters(const om_task_result *t, om_text *out)
{
    static const struct {
        om_counter counter;
        const char *words;
    } table[] = { { OM_COUNT_EXPANSIONS, "states expanded" },
        { OM_COUNT_RED, "entered by a second search" }, { OM_COUNT_UNIONS, "unions" },
        { OM_COUNT_FINDS, "finds" }, { OM_COUNT_RETRIES, "retries" },
        { OM_COUNT_PEAK_STACK, "stack entries" } };
    const char *before = "  ";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (t->counts[table[i].counter] == 0)
            continue;
        om_text_printf(
            out, "%s%" PRIu64 " %s", before, t->counts[table[i].counter], table[i].words);
        before = ", ";
    }
    if (t->counts[OM_COUNT_BLOCKED_NS] != 0) {
        om_text_printf(
            out, "%s%.2f s blocked", before, (double) t->counts[OM_COUNT_BLOCKED_NS] * 1e-9);
        before = ", ";
    }
    if (*before == ',')
        om_text_add(out, "\n");
}

void cli_put_parts(cli *c, const om_check_result *r)
{
    cli_put_fairness(c, &r->fairness);
    if (r->together != 0)
        om_text_printf(&c->out, "one exploration for %u properties\n", r->together);
    else if (r->part_count == 0 && r->verdict == OM_HOLDS)
        om_text_add(&c->out, "the automaton accepts nothing: no state had to be explored\n");
    for (size_t i = 0; i < r->part_count; i++) {
        const om_part_result *p = &r->parts[i];
        om_text_printf(&c->out,
            "%s part (%" PRIu32 " states): %s, %s on %s: %" PRIu64 " states, %" PRIu64
            " transitions, %.2f s\n",
            om_strength_name(p->strength), p->automaton_states, part_verdict(&p->task), p->checker,
            p->device == NULL ? "the CPU" : p->device, p->task.states, p->task.transitions,
            p->task.seconds);
        if (p->device == NULL)
            put_counters(&p->task, &c->out);
        if (p->task.reason == OM_STOP_BITSTATE)
            om_text_printf(&c->out,
                "  states were hashed into bits; estimated coverage %.6f: the least probability "
                "that a new state was recognised as new\n",
                p->task.coverage);
        if (p->device != NULL && p->task.verdict == OM_HOLDS)
            om_text_printf(&c->out,
                "  it passed the known-answer test%s, and the CPU confirmed %" PRIu64
                " of its states and their successors\n",
                p->task.again ? ", had the same result a second time" : "", p->task.verified);
    }
    om_text_printf(&c->out, "%" PRIu64 " states, %" PRIu64 " transitions, %.2f s, %.1f MB\n",
        r->states, r->transitions, r->seconds, (double) r->memory_bytes / 1e6);
}

json_t *cli_verified_json(const char *device, bool nothing_found, uint64_t states, bool again)
{
    if (device == NULL || !nothing_found)
        return json_null();
    return json_pack(
        "{s:b, s:o, s:b}", "known_answer", true, "states", cli_count_json(states), "again", again);
}

/* Returns the number of repeated expansions of states. */
static uint64_t revisits(const om_task_result *t)
{
    uint64_t n = t->counts[OM_COUNT_EXPANSIONS];
    return n > t->states ? n - t->states : 0;
}

/* Counters; null for devices, which have none. */
static json_t *counters_json(const om_part_result *p)
{
    const om_task_result *t = &p->task;
    const uint64_t *n = t->counts;
    if (p->device != NULL)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o}", "expansions",
        cli_count_json(n[OM_COUNT_EXPANSIONS]), "repeated", cli_count_json(revisits(t)), "red",
        cli_count_json(n[OM_COUNT_RED]), "unions", cli_count_json(n[OM_COUNT_UNIONS]), "finds",
        cli_count_json(n[OM_COUNT_FINDS]), "retries", cli_count_json(n[OM_COUNT_RETRIES]),
        "blocked_seconds", (double) n[OM_COUNT_BLOCKED_NS] * 1e-9, "peak_stack",
        cli_count_json(n[OM_COUNT_PEAK_STACK]), "auxiliary_bytes",
        cli_count_json(t->auxiliary_bytes));
}

static json_t *part_json(const om_part_result *p)
{
    const om_task_result *t = &p->task;
    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:f, s:o, s:s, "
                     "s:o, s:o, s:o}",
        "strength", om_strength_name(p->strength), "automaton_states",
        (json_int_t) p->automaton_states, "automaton_edges", (json_int_t) p->automaton_edges,
        "conversion", cli_text_json(p->conversion), "converted_from",
        p->conversion == NULL ? json_null() : cli_count_json(p->states_before), "checker",
        p->checker, "device", cli_text_json(p->device), "gave_up", cli_text_json(p->gave_up),
        "shares_states", p->shares, "states", cli_count_json(t->states), "transitions",
        cli_count_json(t->transitions), "sccs", cli_count_json(t->sccs), "seconds", t->seconds,
        "memory_bytes", cli_count_json(t->memory_bytes), "verdict",
        t->verdict == OM_HOLDS      ? "empty"
        : t->verdict == OM_VIOLATED ? "nonempty"
                                    : "unknown",
        "coverage", t->reason == OM_STOP_BITSTATE ? json_real(t->coverage) : json_null(),
        "verified", cli_verified_json(p->device, t->verdict == OM_HOLDS, t->verified, t->again),
        "counters", counters_json(p));
}

/* ---- overflows ---- */

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

/* ---- results ---- */

static json_t *result_json(const cli *c, const om_check_result *r, json_t *overflows)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < r->part_count; i++)
        if (json_array_append_new(parts, part_json(&r->parts[i])) != 0) {
            json_decref(parts);
            json_decref(overflows);
            return NULL;
        }
    json_t *minimal =
        r->minimality == OM_NOT_ASKED ? json_null() : json_boolean(r->minimality == OM_MINIMAL);
    return json_pack("{s:i, s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:I, s:o, "
                     "s:o, s:o, s:o, s:o}",
        "schema", 1, "model", cli_text_json(c->set.positionals[0]), "about",
        cli_about_name(r->about), "property", cli_text_json(r->property), "verdict",
        om_verdict_name(r->verdict), "reason", cli_text_json(r->reason), "fault",
        cli_text_json(r->fault), "parts", parts, "states", cli_count_json(r->states), "transitions",
        cli_count_json(r->transitions), "seconds", r->seconds, "memory_bytes",
        cli_count_json(r->memory_bytes), "seed", cli_count_json(c->set.plan.seed), "threads",
        (json_int_t) r->threads, "overflows", overflows, "minimal", minimal, "fairness",
        cli_fairness_json(c, &r->fairness), "together",
        r->together == 0 ? json_null() : json_integer(r->together), "of",
        c->properties == 0 ? json_null() : json_integer((json_int_t) c->properties));
}

int cli_put_result_json(cli *c, const om_check_result *r, const cli_overflows *overflows,
    cli_member_fn *put_lasso, void *self)
{
    bool one_line = c->set.json_lines;
    cli_trace shown;
    const cli_member members[] = { cli_overflow_trace(overflows, one_line, &shown),
        { "lasso", put_lasso, self } };
    return cli_put_json_with(
        c, result_json(c, r, cli_overflows_json(c, overflows)), !one_line, members, 2);
}
