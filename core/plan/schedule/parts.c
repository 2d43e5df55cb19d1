/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the parts, and chooses their checkers and numbers of workers. */
#include "try.h"

#include "components/part.h"
#include "plan_devices.h"
#include "schedule/going.h"
#include "product.h"

#include <assert.h>
#include <string.h>

/* ---- checkers ---- */

int om_attempt__name(const om_plan *p, const char *text, om_attempt *t)
{
    const om_plugin *plugin = NULL;
    int rc = om_registry_find_with(p->registry, OM_PLUGIN_CHECKER, text, &plugin, &t->options);
    t->checker = (const om_checker *) (const void *) plugin;
    return rc;
}

om_need om_part__need(const om_part *part, unsigned workers, bool on_device)
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
static int choose_on_cpu(om_part *part, unsigned workers)
{
    const om_plan *p = part->try->plan;
    om_need need = om_part__need(part, workers, false);
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
static int choose_by_rank(om_part *part)
{
    om_plan *p = part->try->plan;
    const om_plan_options *o = &part->try->options;
    const om_need need = om_part__need(part, 1, true);
    const om_checker *on_device = NULL;
    int rc = om_plan__best(p, &need, &on_device);
    if (rc == OM_OK)
        rc = choose_on_cpu(part, p->threads);
    if (rc != OM_OK || on_device == NULL || p->model == NULL || !om_plan__device_wanted(p, o))
        return rc;
    part->races = !om_plan__device_named(p, o);
    if (!part->races) {
        rc = om_plan__device(p, o, NULL, &part->device.device);
        if (rc != OM_OK || part->device.device == NULL)
            return rc;
        part->answer = &part->device;
    }
    part->device.checker = on_device;
    part->device.by_rank = true;
    return OM_OK;
}

static int choose_by_name(const char *asked, om_part *part)
{
    om_plan *p = part->try->plan;
    const om_plan_options *o = &part->try->options;
    om_attempt named = { 0 };
    int rc = om_attempt__name(p, asked, &named);
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
    if (!om_plan__device_wanted(p, o)) {
        const om_need need = om_part__need(part, p->threads, true);
        return om_plan__refuse(
            p, OM_EUNSUPPORTED, &need, name, " needs a device, but devices are disabled");
    }
    rc = om_plan__device(p, o, name, &part->device.device);
    assert(rc != OM_OK || part->device.device != NULL); /* A3 */
    return rc == OM_OK ? choose_on_cpu(part, p->threads) : rc;
}

/* ---- parts ---- */

static void attempt_free(om_attempt *t, const om_heap *heap)
{
    om_attempt__drop_task(t);
    om_free(heap, t->out.overflow_vector);
    om_attempt__forget(t, heap);
    om_context_free(t->ctx);
}

void om_part__free(om_part *part)
{
    if (part->try == NULL)
        return;
    const om_heap *heap = part->try->plan->heap;
    attempt_free(&part->cpu, heap);
    attempt_free(&part->device, heap);
    om_free(heap, part->gave_up);
    om_automaton_free(part->owned);
    om_automaton_free(part->unfair);
    om_context_free(part->ctx);
    *part = (om_part){ 0 };
}

/* With --finite-runs=ignore, or if the model has faults, a run into a terminal component need not
 * be infinite; such a part is checked as weak. */
static om_strength claimed_strength(const om_try *try, om_strength strength)
{
    const bool endless = try->spec.product.stutter && !try->runs_end;
    return strength == OM_TERMINAL && !endless ? OM_WEAK : strength;
}

int om_part__make(const om_automaton *a, om_automaton *owned, om_strength strength,
    const char *asked, om_part *part)
{
    const om_plan *p = part->try->plan;
    part->owned = owned;
    part->automaton = a;
    part->strength = strength;
    part->claimed = claimed_strength(part->try, strength);
    part->answer = &part->cpu;
    part->cpu.part = part->device.part = part;
    if (om_context_new_below(&part->ctx, p->ctx) != OM_OK ||
        om_context_new_below(&part->cpu.ctx, part->ctx) != OM_OK ||
        om_context_new_below(&part->device.ctx, part->ctx) != OM_OK)
        return om_fail_memory(p->ctx);
    int rc = om_plan__forms(p, part->fair, a, strength, &part->forms);
    if (rc != OM_OK)
        return rc;
    return asked == NULL ? choose_by_rank(part) : choose_by_name(asked, part);
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

/* Makes one part of the whole automaton. */
static int whole(const om_automaton *a, om_part *part)
{
    const om_try *try = part->try;
    om_strength strength = OM_STRONG;
    int rc = om_plan__strength_of(try->plan, a, &strength);
    if (rc == OM_OK)
        rc = om_part__make(a, NULL, strength, try->options.checker, part);
    if (rc != OM_OK)
        return rc;
    if (om_plan__wants_testing(part->answer->checker)) {
        part->claimed = OM_STRONG;
        return OM_OK;
    }
    /* A conversion may change the strength. An automaton that accepts nothing has no strength that
     * a checker could fail to support: it gets the weakest one that the checker supports. */
    om_attempt probe = { .part = part, .checker = part->answer->checker };
    rc = om_attempt__normalise(&probe);
    if (rc == OM_OK && probe.owned != NULL)
        rc = om_plan__strength_of(try->plan, probe.owned, &strength);
    om_attempt__forget(&probe, try->plan->heap);
    part->claimed = claimed_strength(part->try, strength);
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
static void share_threads(om_try *try)
{
    om_part *parts = try->parts;
    const size_t count = try->part_count;
    const unsigned threads = try->plan->threads;
    unsigned takers = 0, left = threads;
    for (size_t i = 0; i < count; i++) {
        parts[i].cpu.workers = parts[i].device.workers = 1;
        if (on_cpu(&parts[i]) && parallel(&parts[i].cpu))
            takers++;
        else if (try->side_by_side && left > 1 && on_cpu(&parts[i]))
            left--;
    }
    /* The strong part comes last and is the hardest: it gets the remainder. */
    for (size_t i = 0; i < count; i++) {
        om_attempt *t = &parts[i].cpu;
        if (t->checker == NULL || !parallel(t))
            continue;
        bool follows = !on_cpu(&parts[i]); /* only if the device fails; other shares stay */
        unsigned share = follows ? (count > 1 ? (threads + 1) / 2 : threads)
                         : try->side_by_side && takers > 1 ? left / takers
                                                           : left;
        unsigned most = t->checker->most_workers;
        t->workers = share == 0 ? 1 : most != 0 && share > most ? most : share;
        if (try->side_by_side && !follows && left > t->workers) {
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
    int rc = text == NULL ? OM_OK : om_attempt__name(p, text, &t);
    if (text == NULL || rc != OM_OK)
        return rc;
    rc = om_plugin_options(p->ctx, &t.checker->head, t.options, &values);
    om_free(p->heap, values);
    return rc;
}

/* Validates all names in the options before any work is done. */
static int vet_names(const om_try *try)
{
    om_plan *p = try->plan;
    const om_plan_options *o = &try->options;
    const char *names[] = { o->checker, o->terminal, o->weak, o->strong };
    om_device *device = NULL;
    int rc = OM_OK;
    if (o->checker != NULL && (o->terminal != NULL || o->weak != NULL || o->strong != NULL))
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "a checker for the whole automaton (%s) excludes checkers for its parts", o->checker);
    for (size_t i = 0; rc == OM_OK && i < sizeof names / sizeof *names; i++)
        rc = vet_name(p, names[i]);
    if (rc == OM_OK)
        rc = om_plan__vet_guide(p, o, p->ctx);
    return rc == OM_OK && p->model != NULL && om_plan__device_named(p, o)
               ? om_plan__device(p, o, NULL, &device)
               : rc;
}

/* Adds a part to the try, which frees it. */
static om_part *add_part(om_try *try)
{
    assert(try->part_count < OM_PLAN_PARTS); /* A1 */
    om_part *part = &try->parts[try->part_count++];
    part->try = try;
    return part;
}

static int by_strength(om_try *try, const om_automaton *a)
{
    const om_plan_options *o = &try->options;
    const char *asked[] = { NULL, o->terminal, o->weak, o->strong };
    om_automaton *aligned = NULL;
    int rc = om_automaton__align_parts(a, try->plan->ctx, &aligned);
    for (int s = OM_TERMINAL; s <= OM_STRONG && rc == OM_OK; s++) {
        om_automaton *part = NULL;
        rc = om_automaton_part(aligned, try->plan->ctx, (om_strength) s, &part);
        if (rc == OM_OK && part != NULL)
            rc = om_part__make(part, part, (om_strength) s, asked[s], add_part(try));
    }
    om_automaton_free(aligned);
    return rc;
}

/* In addition to its own workers, a part that can use them later gets those of parts that end
 * earlier. */
static void add_late_workers(om_part *part)
{
    om_attempt *t = &part->cpu;
    const unsigned most = t->checker->most_workers, threads = part->try->plan->threads;
    t->first_workers = t->workers;
    if (part->try->side_by_side && on_cpu(part) && parallel(t) && may_come_late(t))
        t->workers = most != 0 && threads > most ? most : threads;
}

static void note_conversion(const om_part *part)
{
    const om_plan *p = part->try->plan;
    const om_attempt *t = part->answer;
    om_text why = { .heap = p->heap };
    uint32_t states = 0, edges = 0;
    om_plan__automaton_size(t->automaton, &states, &edges);
    if (t->conversion != NULL)
        om_attempt__why(t, &why);
    if (why.text != NULL && !why.failed)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "%s part: acceptance converted to %s, %u states become %u: %s",
            om_strength_name(part->strength), t->conversion,
            om_automaton_state_count(part->automaton), states, why.text);
    om_text_free(&why);
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s part, %u automaton states: %s on %s",
        om_strength_name(part->strength), states, t->checker->head.name,
        on_cpu(part) ? "the CPU" : om_device_info_of(part->device.device)->name);
}

/* Chooses the checker again for the known number of workers, because another one may be better for
 * a small number; then converts the automaton. */
static int settle(om_part *part)
{
    unsigned workers = part->cpu.workers;
    assert(part->cpu.checker != NULL && part->answer->checker != NULL); /* A3 */
    int rc = part->cpu.by_rank ? choose_on_cpu(part, workers) : OM_OK;
    if (rc == OM_OK && part->cpu.by_rank && !parallel(&part->cpu))
        part->cpu.workers = 1;
    if (rc == OM_OK && part->cpu.checker != NULL)
        add_late_workers(part);
    if (rc == OM_OK && !part->answer->by_rank) {
        const om_need need = om_part__need(part, part->answer->workers, !on_cpu(part));
        rc = om_plan__vet(part->try->plan, &need, part->answer->checker);
    }
    if (rc == OM_OK && part->cpu.checker != NULL)
        rc = om_attempt__normalise(&part->cpu);
    if (rc == OM_OK && part->device.checker != NULL)
        rc = om_attempt__normalise(&part->device);
    if (rc == OM_OK)
        note_conversion(part);
    return rc;
}

/* Returns true if the parts run concurrently. */
static bool is_concurrent(const om_try *try)
{
    bool device = false;
    for (size_t i = 0; i < try->part_count; i++)
        device = device || !on_cpu(&try->parts[i]);
    return try->part_count > 1 && (try->options.schedule == OM_SCHEDULE_AUTO
                                          ? device || try->plan->threads >= 2
                                          : try->options.schedule == OM_SCHEDULE_CONCURRENT);
}

int om_try__make_parts(om_try *try, const om_automaton *a)
{
    assert(try->part_count == 0 && try->plan->supervisor.watched.self == NULL); /* P3, P7 */
    int rc = vet_names(try);
    if (rc == OM_OK)
        rc = try->fair != NULL              ? om_fair__make_part(try, a)
             : try->options.checker != NULL ? whole(a, add_part(try))
                                            : by_strength(try, a);
    if (rc != OM_OK)
        return rc;
    try->side_by_side = is_concurrent(try);
    try->in_turn = om_try__takes_turns(try);
    share_threads(try);
    assert(try->fair == NULL || try->part_count <= 1); /* A1 */
    for (size_t i = 0; rc == OM_OK && i < try->part_count; i++) {
        assert(i == 0 || try->parts[i - 1].strength < try->parts[i].strength); /* A1 */
        rc = settle(&try->parts[i]);
    }
    return rc;
}
