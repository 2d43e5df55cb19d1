/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what a check would do, without running it. */
#include "schedule/going.h"
#include "schedule/try.h"

#include "free_sets.h"
#include "supervise.h"

#include <string.h>

void om_planned_free(om_planned *d)
{
    if (d == NULL || d->heap == NULL)
        return;
    for (size_t i = 0; i < d->part_count; i++) {
        OM_FREE_ALL(d->heap, d->parts[i].device, d->parts[i].conversion_why, d->parts[i].others,
            d->parts[i].search);
    }
    OM_FREE_ALL(d->heap, d->parts, d->property);
    *d = (om_planned){ 0 };
}

/* Returns why a checker that could be a default is not chosen. */
static const char *why_behind(const om_choice *c, const om_choice *taken)
{
    if (taken == NULL)
        return "another checker was named";
    if (c->effort == taken->effort)
        return "its rank is lower";
    return taken->effort == 0 ? "the automaton would have to be converted"
                              : "the converted automaton would take more work";
}

static unsigned first_workers(const om_attempt *t)
{
    return t == &t->part->cpu ? t->first_workers : t->workers;
}

/* Lists all checkers except the one that is chosen and the one that races with it. */
static int tell_others(const om_plan *p, const om_part *part, om_planned_part *out)
{
    const om_attempt *t = part->answer;
    const om_need need = om_part__need(part, first_workers(t), t->device != NULL);
    const om_choice *taken = NULL;
    om_choice *list = NULL;
    size_t count = 0;
    int rc = om_plan__choices(p, &need, &list, &count);
    if (rc == OM_OK && (out->others = om_alloc(p->heap, count, sizeof *out->others)) == NULL)
        rc = om_fail_memory(p->ctx);
    for (size_t i = 0; rc == OM_OK && i < count; i++)
        if (list[i].checker == t->checker && t->by_rank) {
            taken = &list[i];
            out->rank = taken->rank;
        }
    for (size_t i = 0; rc == OM_OK && i < count; i++) {
        const om_choice *c = &list[i];
        if (c->checker != t->checker && c->checker != part->device.checker)
            out->others[out->other_count++] = (om_planned_other){ .checker = c->checker->head.name,
                .rank = c->rank,
                .why_not = c->why_not != NULL ? c->why_not : why_behind(c, taken) };
    }
    om_free(p->heap, list);
    return rc;
}

/* Tells in which orders the part is searched. */
static int tell_search(const om_plan *p, const om_part *part, om_planned_part *out)
{
    om_text text = { .heap = p->heap };
    if (part->cpu.checker == NULL || part->answer != &part->cpu)
        return OM_OK;
    const bool deep = (part->cpu.checker->flags & OM_CHECKER_GOES_DEEP) != 0;
    om_plan__say_going(p, &part->try->options, deep, &text);
    out->search = text.text;
    return text.failed ? om_fail_memory(p->ctx) : OM_OK;
}

static int tell_part(const om_plan *p, const om_part *part, om_planned_part *out)
{
    const om_attempt *t = part->answer;
    uint32_t states = 0, edges = 0;
    om_plan__automaton_size(t->automaton, &states, &edges);
    *out = (om_planned_part){ .strength = part->strength,
        .states = om_automaton_state_count(part->automaton),
        .edges = om_automaton_edge_count(part->unfair != NULL ? part->unfair : part->automaton),
        .conversion = t->conversion,
        .converted_states = states,
        .converted_edges = part->unfair != NULL ? om_automaton__bound_edges(t->automaton) : edges,
        .checker = t->checker->head.name,
        .named = !t->by_rank,
        .workers = first_workers(t),
        .workers_later = t->workers,
        .racer = part->races ? part->device.checker->head.name : NULL,
        .fallback = t == &part->device ? part->cpu.checker->head.name : NULL };
    if (t->conversion != NULL) {
        om_text why = { .heap = p->heap };
        om_attempt__why(t, &why);
        out->conversion_why = why.text;
        if (why.failed)
            return om_fail_memory(p->ctx);
    }
    if (t->device != NULL) {
        out->device = om_strdup(p->heap, om_device_info_of(t->device)->name);
        if (out->device == NULL)
            return om_fail_memory(p->ctx);
    }
    const int rc = tell_search(p, part, out);
    return rc == OM_OK ? tell_others(p, part, out) : rc;
}

static int tell(om_plan *p, const om_target *t, om_planned *out)
{
    om_try try;
    om_try__init(&try, p, t->options, t);
    int rc = om_try__make_parts(&try, t->automaton);
    out->fairness = om_plan__fairness(t);
    out->states = om_automaton_state_count(t->automaton);
    out->edges = om_automaton_edge_count(t->automaton);
    out->side_by_side = try.side_by_side;
    out->in_turn = try.in_turn;
    out->threads = p->threads;
    if (rc == OM_OK && (out->parts = om_alloc(p->heap, try.part_count, sizeof *out->parts)) == NULL)
        rc = om_fail_memory(p->ctx);
    for (size_t i = 0; rc == OM_OK && i < try.part_count; i++) {
        out->part_count++;
        rc = tell_part(p, &try.parts[i], &out->parts[i]);
    }
    om_try__free(&try);
    return rc;
}

int om_plan_describe(om_plan *p, om_property_kind kind, const char *text, om_planned *out)
{
    om_target t = { 0 };
    om_planned d = { .heap = p->heap };
    *out = (om_planned){ 0 };
    int rc = om_plan__begin(p, &p->options, false);
    if (rc != OM_OK)
        return rc;
    rc = om_plan__read_and_translate(p, &p->options, kind, text, &t);
    om_reduction kept = OM_REDUCE_NOTHING;
    if (rc == OM_OK)
        rc = om_plan__reducing(p, &t, &kept);
    d.orders = kept == OM_REDUCE_NOTHING        ? OM_ORDERS_ALL
               : kept == OM_REDUCE_TO_DEADLOCKS ? OM_ORDERS_FOR_DEADLOCKS
                                                : OM_ORDERS_FOR_RUNS;
    if (rc == OM_OK)
        rc = tell(p, &t, &d);
    d.property = t.name;
    t.name = NULL;
    if (rc == OM_OK)
        *out = d;
    else
        om_planned_free(&d);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    return rc;
}
