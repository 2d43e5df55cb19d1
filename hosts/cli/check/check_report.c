/* SPDX-License-Identifier: Apache-2.0 */
#include "check/check_report.h"
#include "base/safe_text.h"

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

json_t *cli_fairness_json(const om_plan_options *plan, const om_fairness_report *f)
{
    json_t *formulas = json_array();
    if (f->kind == OM_FAIRNESS_NONE && f->formulas == 0) {
        json_decref(formulas);
        return json_null();
    }
    for (size_t i = 0; i < f->formulas; i++)
        (void) json_array_append_new(formulas, cli_text_json(plan->fair[i]));
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

/* ---- results ---- */

static json_t *result_json(const cli *c, const cli_asked *asked, const om_check_result *r,
    const om_code_report *code, json_t *overflows)
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
                     "s:o, s:o, s:o, s:o, s:o}",
        "schema", 1, "model", cli_text_json(c->set.positionals[0]), "about",
        cli_about_name(r->about), "property", cli_text_json(r->property), "verdict",
        om_verdict_name(r->verdict), "reason", cli_text_json(r->reason), "fault",
        cli_text_json(r->fault), "parts", parts, "states", cli_count_json(r->states), "transitions",
        cli_count_json(r->transitions), "seconds", r->seconds, "memory_bytes",
        cli_count_json(r->memory_bytes), "seed", cli_count_json(asked->plan->seed), "threads",
        (json_int_t) r->threads, "code", cli_code_json(code), "overflows", overflows, "minimal",
        minimal, "fairness", cli_fairness_json(asked->plan, &r->fairness), "together",
        r->together == 0 ? json_null() : json_integer(r->together), "of",
        asked->properties == 0 ? json_null() : json_integer((json_int_t) asked->properties));
}

int cli_put_result_json(cli *c, const cli_asked *asked, const om_check_result *r,
    const cli_overflows *overflows, const om_code_report *code, cli_member_fn *put_lasso,
    void *self)
{
    bool one_line = c->set.json_lines;
    cli_trace shown;
    const cli_member members[] = { cli_overflow_trace(overflows, one_line, &shown),
        { "lasso", put_lasso, self } };
    return cli_put_json_with(
        c, result_json(c, asked, r, code, cli_overflows_json(c, overflows)), !one_line, members, 2);
}
