/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the parts, and chooses their checkers and numbers of workers. */
#include "components/part.h"
#include "product.h"
#include "property/property.h"
#include "attempt.h"

#include <assert.h>
#include <string.h>

/* ---- checkers ---- */

int om_plan__named_checker(const om_plan *p, const char *text, om_attempt *t)
{
    const om_plugin *plugin = NULL;
    int rc = om_registry_find_with(p->registry, OM_PLUGIN_CHECKER, text, &plugin, &t->options);
    t->checker = (const om_checker *) (const void *) plugin;
    return rc;
}

om_need om_plan__need(const om_part *part, unsigned workers, bool on_device)
{
    /* An automaton that accepts nothing requires the least. */
    return (om_need){ .strength = part->claimed == OM_NON_ACCEPTING ? OM_TERMINAL : part->claimed,
        .forms = &part->forms,
        .workers = workers,
        .on_device = on_device };
}

/* Chooses the CPU checker for a part by rank. If none can use that many workers, chooses one for a
 * single worker. The same applies if sets of fairness would have to become pairs: n sets become 2^n
 * pairs. */
static int choose_on_cpu(const om_plan *p, om_part *part, unsigned workers)
{
    om_need need = om_plan__need(part, workers, false);
    const om_checker *alone = NULL;
    const om_conversion *how = NULL;
    int rc = om_plan__best(p, &need, &part->cpu.checker);
    const om_checker *best = part->cpu.checker;
    need.workers = 1;
    if (rc == OM_OK && workers > 1 &&
        (best == NULL ||
            (part->forms.fair && om_plan__effort(&part->forms, best->acceptance, &how) != 0)))
        rc = om_plan__best(p, &need, &alone);
    if (alone != NULL)
        part->cpu.checker = alone;
    part->cpu.by_rank = true;
    return rc != OM_OK || part->cpu.checker != NULL
               ? rc
               : om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
                     "no checker for the %s part was found (see 'omen plugins')",
                     om_strength_name(part->claimed));
}

/* A named device gets the parts that it can check at once; any other device races with the CPU. */
static int choose_by_rank(om_plan *p, om_part *part)
{
    const om_need need = om_plan__need(part, 1, true);
    const om_checker *on_device = NULL;
    int rc = om_plan__best(p, &need, &on_device);
    if (rc == OM_OK)
        rc = choose_on_cpu(p, part, p->threads);
    if (rc != OM_OK || on_device == NULL || p->model == NULL || !om_plan__device_wanted(p))
        return rc;
    part->races = !om_plan__device_named(p);
    if (!part->races) {
        rc = om_plan__device(p, NULL, &part->device.device);
        if (rc != OM_OK || part->device.device == NULL)
            return rc;
        part->answer = &part->device;
    }
    part->device.checker = on_device;
    part->device.by_rank = true;
    return OM_OK;
}

static int choose_by_name(om_plan *p, const char *asked, om_part *part)
{
    om_attempt named = { 0 };
    int rc = om_plan__named_checker(p, asked, &named);
    assert(rc != OM_OK || named.checker != NULL);
    if (rc != OM_OK)
        return rc;
    const char *name = named.checker->head.name;
    bool on_device = (named.checker->flags & OM_CHECKER_DEVICE) != 0;
    om_attempt *t = on_device ? &part->device : &part->cpu;
    t->checker = named.checker;
    t->options = named.options;
    if (!on_device)
        return OM_OK;
    part->answer = &part->device;
    if (p->model == NULL)
        return om_fail(
            p->ctx, OM_EUSAGE, NULL, "checker %s runs on a device, and needs a model", name);
    if (!om_plan__device_wanted(p)) {
        const om_need need = om_plan__need(part, p->threads, true);
        return om_plan__refuse(
            p, OM_EUNSUPPORTED, &need, name, " needs a device, but devices are disabled");
    }
    rc = om_plan__device(p, name, &part->device.device);
    assert(rc != OM_OK || part->device.device != NULL);
    return rc == OM_OK ? choose_on_cpu(p, part, p->threads) : rc;
}

/* ---- acceptance ---- */

int om_plan__normalise(const om_plan *p, const om_part *part, om_attempt *t)
{
    const om_conversion *how = NULL;
    om_automaton *now = NULL;

    if (part->unfair != NULL)
        return om_fair__normalise(p, part, t);
    t->automaton = part->automaton;
    if (om_plan__wants_testing(t->checker))
        return om_plan__testing(p, part, t);
    if (om_plan__effort(&part->forms, t->checker->acceptance, &how) == 0)
        return OM_OK;
    if (how == NULL) {
        const om_need need = om_plan__need(part, p->threads, false);
        return om_plan__refuse(p, OM_EUSAGE, &need, t->checker->head.name,
            " takes no acceptance that the automaton can be converted to");
    }
    int rc = how->convert(part->automaton, p->ctx, &now);
    if (rc != OM_OK)
        return rc;
    om_plan__conversion_why(&part->forms, how, t->why);
    t->conversion = how->name;
    t->automaton = t->owned = now;
    return OM_OK;
}

/* ---- parts ---- */

static void attempt_free(om_attempt *t, const om_heap *heap)
{
    om_plan__drop_task(t);
    om_free(heap, t->out.overflow_vector);
    om_automaton_free(t->owned);
    om_free(heap, t->fairness);
    om_context_free(t->ctx);
}

void om_plan__part_free(om_part *part)
{
    if (part->plan == NULL)
        return;
    const om_heap *heap = part->plan->heap;
    attempt_free(&part->cpu, heap);
    attempt_free(&part->device, heap);
    om_free(heap, part->gave_up);
    om_automaton_free(part->owned);
    om_automaton_free(part->unfair);
    om_context_free(part->ctx);
    *part = (om_part){ 0 };
}

void om_plan__parts_free(om_plan *p, om_part *parts)
{
    for (size_t i = 0; i < OM_PLAN_PARTS; i++)
        om_plan__part_free(&parts[i]);
    om_states__free(p->states);
    om_context_free(p->sharing);
    p->states = NULL;
    p->sharing = NULL;
}

/* With --finite-runs=ignore, or if the model has faults, a run into a terminal component need not
 * be infinite; such a part is checked as weak. */
static om_strength claimed_strength(const om_plan *p, om_strength strength)
{
    return (!p->stutter || p->runs_end) && strength == OM_TERMINAL ? OM_WEAK : strength;
}

int om_plan__make_part(om_plan *p, const om_automaton *a, om_automaton *owned, om_strength strength,
    const char *asked, om_part *part)
{
    part->plan = p;
    part->owned = owned;
    part->automaton = a;
    part->strength = strength;
    part->claimed = claimed_strength(p, strength);
    part->answer = &part->cpu;
    part->cpu.part = part->device.part = part;
    if (om_context_new_below(&part->ctx, p->ctx) != OM_OK ||
        om_context_new_below(&part->cpu.ctx, part->ctx) != OM_OK ||
        om_context_new_below(&part->device.ctx, part->ctx) != OM_OK)
        return om_fail_memory(p->ctx);
    int rc = om_plan__forms(p, part->fair, a, strength, &part->forms);
    if (rc != OM_OK)
        return rc;
    return asked == NULL ? choose_by_rank(p, part) : choose_by_name(p, asked, part);
}

int om_plan__strength_of(const om_plan *p, const om_automaton *a, om_strength *out)
{
    om_sccs sccs = { 0 };
    int rc = om_automaton_sccs(a, p->ctx, &sccs);
    if (rc == OM_OK)
        *out = om_sccs_strength(&sccs);
    om_sccs_free(&sccs, p->heap);
    return rc;
}

/* Converts the automaton to the forms that the checkers of the part take. */
static int normalise_attempts(const om_plan *p, om_part *part)
{
    int rc = part->cpu.checker == NULL ? OM_OK : om_plan__normalise(p, part, &part->cpu);
    return rc == OM_OK && part->device.checker != NULL ? om_plan__normalise(p, part, &part->device)
                                                       : rc;
}

/* Makes one part of the whole automaton. */
static int whole(om_plan *p, const om_automaton *a, om_part *part)
{
    om_strength strength = OM_STRONG;
    int rc = om_plan__strength_of(p, a, &strength);
    if (rc == OM_OK)
        rc = om_plan__make_part(p, a, NULL, strength, p->options.checker, part);
    if (rc != OM_OK)
        return rc;
    if (om_plan__wants_testing(part->answer->checker)) {
        part->claimed = OM_STRONG;
        return OM_OK;
    }
    /* A conversion may change the strength. An automaton that accepts nothing has no strength that
     * a checker could fail to support: it gets the weakest one that the checker supports. */
    om_attempt probe = { .checker = part->answer->checker };
    rc = om_plan__normalise(p, part, &probe);
    if (rc == OM_OK && probe.owned != NULL)
        rc = om_plan__strength_of(p, probe.owned, &strength);
    om_automaton_free(probe.owned);
    part->claimed = claimed_strength(p, strength);
    if (rc == OM_OK && strength == OM_NON_ACCEPTING)
        for (part->claimed = OM_TERMINAL;
             part->claimed < OM_STRONG && (probe.checker->strengths & 1u << part->claimed) == 0;)
            part->claimed++;
    return rc;
}

static bool parallel(const om_attempt *t)
{
    return (t->checker->flags & OM_CHECKER_PARALLEL) != 0;
}

static bool may_come_late(const om_attempt *t)
{
    return (t->checker->flags & OM_CHECKER_LATE_WORKERS) != 0;
}

static bool on_cpu(const om_part *part)
{
    return part->answer == &part->cpu;
}

/* Distributes the workers: one host thread for a device, the rest for the parts on the CPU, of
 * which only parallel checkers gain from more than one. */
static void share_threads(const om_plan *p, om_part *parts, size_t count, bool side_by_side)
{
    unsigned takers = 0, left = p->threads;
    for (size_t i = 0; i < count; i++) {
        parts[i].cpu.workers = parts[i].device.workers = 1;
        if (on_cpu(&parts[i]) && parallel(&parts[i].cpu))
            takers++;
        else if (side_by_side && left > 1 && on_cpu(&parts[i]))
            left--;
    }
    /* The strong part comes last and is the hardest: it gets the remainder. */
    for (size_t i = 0; i < count; i++) {
        om_attempt *t = &parts[i].cpu;
        if (t->checker == NULL || !parallel(t))
            continue;
        bool follows = !on_cpu(&parts[i]); /* only if the device fails; other shares stay */
        unsigned share = follows ? (count > 1 ? (p->threads + 1) / 2 : p->threads)
                         : side_by_side && takers > 1 ? left / takers
                                                      : left;
        unsigned most = t->checker->most_workers;
        t->workers = share == 0 ? 1 : most != 0 && share > most ? most : share;
        if (side_by_side && !follows && left > t->workers) {
            left -= t->workers;
            takers--;
        }
    }
}

/* A named checker must exist, and its options must be valid, even if it is not used. */
static int vet_name(const om_plan *p, const char *text)
{
    om_attempt t = { 0 };
    int64_t *values = NULL;
    int rc = text == NULL ? OM_OK : om_plan__named_checker(p, text, &t);
    if (text == NULL || rc != OM_OK)
        return rc;
    rc = om_plugin_options(p->ctx, &t.checker->head, t.options, &values);
    om_free(p->heap, values);
    return rc;
}

/* Validates all names in the options before any work is done. */
static int vet_names(om_plan *p)
{
    const om_plan_options *o = &p->options;
    const char *names[] = { o->checker, o->terminal, o->weak, o->strong };
    om_device *device = NULL;
    int rc = OM_OK;
    if (o->checker != NULL && (o->terminal != NULL || o->weak != NULL || o->strong != NULL))
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "a checker for the whole automaton (%s) excludes checkers for its parts", o->checker);
    for (size_t i = 0; rc == OM_OK && i < sizeof names / sizeof *names; i++)
        rc = vet_name(p, names[i]);
    return rc == OM_OK && p->model != NULL && om_plan__device_named(p)
               ? om_plan__device(p, NULL, &device)
               : rc;
}

static int by_strength(om_plan *p, const om_automaton *a, om_part *parts, size_t *count)
{
    const char *asked[] = { NULL, p->options.terminal, p->options.weak, p->options.strong };
    om_automaton *aligned = NULL;
    int rc = om_automaton__align_parts(a, p->ctx, &aligned);
    for (int s = OM_TERMINAL; s <= OM_STRONG && rc == OM_OK; s++) {
        om_automaton *part = NULL;
        rc = om_automaton_part(aligned, p->ctx, (om_strength) s, &part);
        if (rc == OM_OK && part != NULL)
            rc = om_plan__make_part(p, part, part, (om_strength) s, asked[s], &parts[(*count)++]);
    }
    om_automaton_free(aligned);
    return rc;
}

/* In addition to its own workers, a part that can use them later gets those of parts that end
 * earlier. */
static void add_late_workers(const om_plan *p, om_attempt *t, bool side_by_side)
{
    unsigned most = t->checker->most_workers;
    t->first_workers = t->workers;
    if (side_by_side && parallel(t) && may_come_late(t))
        t->workers = most != 0 && p->threads > most ? most : p->threads;
}

static void note_conversion(const om_plan *p, const om_part *part)
{
    const om_attempt *t = part->answer;
    uint32_t states = 0, edges = 0;
    om_plan__automaton_size(t->automaton, &states, &edges);
    if (t->conversion != NULL)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "%s part: acceptance converted to %s, %u states become %u: %s",
            om_strength_name(part->strength), t->conversion,
            om_automaton_state_count(part->automaton), states, t->why);
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s part, %u automaton states: %s on %s",
        om_strength_name(part->strength), states, t->checker->head.name,
        on_cpu(part) ? "the CPU" : om_device_info_of(part->device.device)->name);
}

/* Chooses the checker again for the known number of workers, because another one may be better for
 * a small number; then converts the automaton. */
static int settle(const om_plan *p, om_part *part)
{
    unsigned workers = part->cpu.workers;
    int rc = part->cpu.by_rank ? choose_on_cpu(p, part, workers) : OM_OK;
    if (rc == OM_OK && part->cpu.by_rank && !parallel(&part->cpu))
        part->cpu.workers = 1;
    if (rc == OM_OK && part->cpu.checker != NULL)
        add_late_workers(p, &part->cpu, p->side_by_side && on_cpu(part));
    if (rc == OM_OK && !part->answer->by_rank) {
        const om_need need = om_plan__need(part, part->answer->workers, !on_cpu(part));
        rc = om_plan__vet(p, &need, part->answer->checker);
    }
    if (rc == OM_OK)
        rc = normalise_attempts(p, part);
    if (rc == OM_OK)
        note_conversion(p, part);
    return rc;
}

int om_plan__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count)
{
    int rc = vet_names(p);
    *count = 0;
    if (rc == OM_OK && p->fair != NULL)
        rc = om_fair__parts(p, a, parts, count);
    else if (rc == OM_OK && p->options.checker != NULL) {
        *count = 1;
        rc = whole(p, a, &parts[0]);
    } else if (rc == OM_OK)
        rc = by_strength(p, a, parts, count);
    if (rc != OM_OK)
        return rc;
    bool device = false;
    for (size_t i = 0; i < *count; i++)
        device = device || !on_cpu(&parts[i]);
    p->side_by_side = p->options.schedule == OM_SCHEDULE_AUTO
                          ? device || p->threads >= 2
                          : p->options.schedule == OM_SCHEDULE_CONCURRENT;
    p->side_by_side = p->side_by_side && *count > 1;
    share_threads(p, parts, *count, p->side_by_side);
    for (size_t i = 0; rc == OM_OK && i < *count; i++)
        rc = settle(p, &parts[i]);
    return rc;
}
