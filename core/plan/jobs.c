/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts there are, who checks them, and with how many workers. */
#include "session.h"

#include <assert.h>
#include <string.h>

/* ---- devices ---- */

static bool device_wanted(const om_plan *p)
{
    return p->options.device == NULL || strcmp(p->options.device, "none") != 0;
}

static bool device_named(const om_plan *p)
{
    return device_wanted(p) && p->options.device != NULL && strcmp(p->options.device, "auto") != 0;
}

/* What the devices' context says becomes the plan's. */
static int pass_on(om_plan *p, int rc)
{
    if (om_context_error(p->device_ctx)[0] != '\0')
        (void) om_fail(p->ctx, rc, NULL, "%s", om_context_error(p->device_ctx));
    om_context_clear(p->device_ctx);
    return rc;
}

/* A limit that the drivers alone pass: said as it is, for nothing about the model can be. */
static void blame_drivers(const om_plan *p)
{
    uint64_t most = p->options.limits.memory_bytes, now = om_resident_bytes();
    if (most != 0 && now > most)
        om_note(p->ctx, OM_NOTE_NOTICE, NULL,
            "with its OpenCL drivers the process takes %.0f MB before the first state is stored: "
            "--memory (%.0f MB) leaves no room for a device",
            (double) now / 1e6, (double) most / 1e6);
}

/* What is short now need not be short for ever: the CPU does the work. Nobody asks again. */
static int do_without(om_plan *p, const char *which, const char *why)
{
    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "no OpenCL device '%s' (%s): going on on the CPU", which,
        why);
    om_context_clear(p->ctx);
    p->options.device = "none";
    return OM_OK;
}

int om_plan__device(om_plan *p, const char *checker, om_device **out)
{
    const char *why = NULL, *which = p->options.device == NULL ? "auto" : p->options.device;
    int rc = OM_OK;

    if (p->device == NULL) {
        om_race__settle(p);
        rc = p->devices != NULL ? OM_OK : om_devices_open(&p->devices, p->device_ctx, &why);
        bool opened = rc == OM_OK;
        if (opened) {
            rc = om_devices_pick(p->devices, p->ctx, which, &p->device);
            why = om_context_error(p->ctx);
        }
        if (rc == OM_EIO && why != NULL && checker == NULL)
            return do_without(p, which, why);
        if (!opened && why != NULL)
            return checker == NULL
                       ? om_fail(p->ctx, rc, NULL, "no OpenCL device '%s': %s", which, why)
                       : om_fail(p->ctx, rc, NULL, "checker %s needs an OpenCL device: %s", checker,
                             why);
        if (rc == OM_ELIMIT)
            blame_drivers(p);
    }
    *out = p->device;
    return pass_on(p, rc);
}

/* ---- checkers ---- */

/* "NAME[:options]" as the user gave it. */
static int named_checker(const om_plan *p, const char *text, om_job *job)
{
    const om_plugin *plugin = NULL;
    int rc = om_registry_find_with(p->registry, OM_PLUGIN_CHECKER, text, &plugin, &job->options);
    job->checker = (const om_checker *) (const void *) plugin;
    return rc;
}

om_need om_plan__need(const om_job *job, unsigned workers, bool on_device)
{
    return (om_need){ .strength = job->claimed,
        .classes = om_automaton_acceptance_classes(job->automaton),
        .workers = workers,
        .on_device = on_device };
}

/* The CPU checker for a part. */
static int cpu_checker(
    const om_plan *p, const om_job *job, unsigned workers, const om_checker **out)
{
    const om_need need = om_plan__need(job, workers, false);
    int rc = om_plan__best(p, &need, out);
    return rc != OM_OK || *out != NULL
               ? rc
               : om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
                     "no checker for the %s part is there (see 'omen plugins')",
                     om_strength_name(job->claimed));
}

/* A device that was named gets what it can do at once; any other races with the CPU. */
static int default_checker(om_plan *p, om_job *job)
{
    const om_need need = om_plan__need(job, 1, true);
    const om_checker *on_device = NULL, *on_cpu = NULL;
    int rc = om_plan__best(p, &need, &on_device);
    if (rc == OM_OK)
        rc = cpu_checker(p, job, p->threads, &on_cpu);
    bool offered = on_device != NULL && p->model != NULL && device_wanted(p);

    if (rc == OM_OK && offered && device_named(p))
        rc = om_plan__device(p, NULL, &job->device);
    job->checker = job->device != NULL ? on_device : on_cpu;
    job->fallback = job->device != NULL ? on_cpu : NULL;
    job->by_rank = true;
    if (rc == OM_OK && offered && !device_named(p))
        rc = om_race__enter(p, job, on_device);
    return rc;
}

/* The workers are known: with few of them another one may be better. */
static int choose_again(const om_plan *p, om_job *job)
{
    return job->by_rank && job->device == NULL ? cpu_checker(p, job, job->workers, &job->checker)
                                               : OM_OK;
}

static int choose_checker(om_plan *p, const char *asked, om_job *job)
{
    int rc = asked == NULL ? default_checker(p, job) : named_checker(p, asked, job);
    assert(rc != OM_OK || job->checker != NULL);
    if (rc != OM_OK || asked == NULL || (job->checker->flags & OM_CHECKER_DEVICE) == 0)
        return rc;
    if (p->model == NULL)
        return om_fail(p->ctx, OM_EUSAGE, NULL, "checker %s runs on a device, and needs a model",
            job->checker->head.name);
    if (!device_wanted(p))
        return om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
            "checker %s needs an OpenCL device, and there is to be none", job->checker->head.name);
    if ((rc = om_plan__device(p, job->checker->head.name, &job->device)) != OM_OK)
        return rc;
    assert(job->device != NULL);
    return cpu_checker(p, job, p->threads, &job->fallback);
}

/* ---- acceptance ---- */

/* A checker that takes what the automaton has gets it as it is. */
int om_plan__normalise(const om_plan *p, om_job *job)
{
    uint32_t classes = om_automaton_acceptance_classes(job->automaton);
    uint32_t takes = job->checker->acceptance;
    om_automaton *now = NULL;
    const char *form = NULL;
    int rc = OM_OK;

    if ((classes & takes) != 0)
        return OM_OK;
    if ((takes & OM_ACCEPT_GENERALIZED_BUCHI) != 0) {
        form = "generalized Buchi";
        rc = om_automaton_to_generalized_buchi(job->automaton, p->ctx, &now);
    } else if ((takes & OM_ACCEPT_BUCHI) != 0) {
        form = "Buchi";
        rc = om_automaton_to_buchi(job->automaton, p->ctx, &now);
    } else
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "checker %s takes no acceptance that the automaton can be converted to",
            job->checker->head.name);
    if (rc != OM_OK)
        return rc;
    om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
        "%s part: acceptance converted to %s, %u states become %u", om_strength_name(job->strength),
        form, om_automaton_state_count(job->automaton), om_automaton_state_count(now));
    job->conversion = form;
    om_automaton_free(job->owned);
    job->automaton = job->owned = now;
    return OM_OK;
}

/* ---- jobs ---- */

void om_plan__drop_task(om_job *job)
{
    om_task_free(job->found);
    job->found = NULL;
    if (job->attempt != NULL)
        om_control_returned(om_context_control(job->attempt));
}

void om_plan__job_free(om_job *job)
{
    if (job->plan == NULL)
        return;
    const om_heap *heap = job->plan->heap;
    om_plan__drop_task(job);
    om_context_free(job->attempt);
    /* Only now: an attempt that came from the rival is below its context. */
    if (job->rival != NULL)
        om_plan__job_free(job->rival);
    om_free(heap, job->rival);
    om_free(heap, job->gave_up);
    om_free(heap, job->overflow_vector);
    om_automaton_free(job->owned);
    om_context_free(job->ctx);
    *job = (om_job){ 0 };
}

/* A run into a terminal component need not be endless with --finite-runs=ignore, or where the model
 * goes wrong. */
static om_strength claimed_strength(const om_plan *p, om_strength strength)
{
    return (!p->stutter || p->runs_end) && strength == OM_TERMINAL ? OM_WEAK : strength;
}

/* Takes `owned` over (NULL: the automaton stays the caller's). */
static int make_job(om_plan *p, const om_automaton *a, om_automaton *owned, om_strength strength,
    const char *asked, om_job *job)
{
    int rc = om_context_new_below(&job->ctx, p->ctx);
    if (rc != OM_OK) {
        om_automaton_free(owned);
        return om_fail_memory(p->ctx);
    }
    job->plan = p;
    job->owned = owned;
    job->automaton = a;
    job->strength = strength;
    job->claimed = claimed_strength(p, strength);
    job->states = om_automaton_state_count(a);
    job->edges = om_automaton_edge_count(a);
    return choose_checker(p, asked, job);
}

/* The automaton as the checkers of the job take it. */
static int normalise(const om_plan *p, om_job *job)
{
    int rc = om_plan__normalise(p, job);
    if (rc == OM_OK && job->rival != NULL) {
        job->rival->automaton = job->automaton;
        rc = om_plan__normalise(p, job->rival);
    }
    return rc;
}

static int strength_of(const om_plan *p, const om_automaton *a, om_strength *out)
{
    om_sccs sccs = { 0 };
    int rc = om_automaton_sccs(a, p->ctx, &sccs);
    if (rc == OM_OK)
        *out = om_sccs_strength(&sccs);
    om_sccs_free(&sccs, p->heap);
    return rc;
}

/* One checker for the automaton as it is. */
static int whole(om_plan *p, const om_automaton *a, om_job *job)
{
    om_strength strength = OM_STRONG;
    int rc = strength_of(p, a, &strength);
    if (rc == OM_OK)
        rc = make_job(p, a, NULL, strength, p->options.checker, job);
    if (rc == OM_OK)
        rc = normalise(p, job);
    /* A conversion may have changed it. No strength is too weak for an automaton that accepts
     * nothing: it is given the weakest that the checker is made for. */
    if (rc == OM_OK && job->owned != NULL)
        rc = strength_of(p, job->automaton, &strength);
    job->claimed = claimed_strength(p, strength);
    if (rc == OM_OK && strength == OM_NON_ACCEPTING)
        for (job->claimed = OM_TERMINAL;
             job->claimed < OM_STRONG && (job->checker->strengths & 1u << job->claimed) == 0;)
            job->claimed++;
    return rc;
}

/* Workers: one host thread for a device, the rest shared by the parts on the CPU, of which only
 * parallel checkers gain from more than one. */
static void share_threads(const om_plan *p, om_job *jobs, size_t count, bool side_by_side)
{
    unsigned takers = 0, left = p->threads;
    for (size_t i = 0; i < count; i++) {
        bool parallel = (jobs[i].checker->flags & OM_CHECKER_PARALLEL) != 0;
        jobs[i].workers = 1;
        if (jobs[i].device == NULL && parallel)
            takers++;
        else if (side_by_side && left > 1 && jobs[i].device == NULL)
            left--;
    }
    /* The strong part comes last and is the hardest: it gets what does not divide. */
    for (size_t i = 0; i < count && takers > 0; i++) {
        if (jobs[i].device != NULL || (jobs[i].checker->flags & OM_CHECKER_PARALLEL) == 0)
            continue;
        unsigned share = side_by_side ? left / takers : left;
        unsigned most = jobs[i].checker->most_workers;
        jobs[i].workers = share == 0 ? 1 : most != 0 && share > most ? most : share;
        if (side_by_side && left > jobs[i].workers) {
            left -= jobs[i].workers;
            takers--;
        }
    }
}

/* A checker that was named must be there, and its options be right, even where it is of no use. */
static int vet_name(const om_plan *p, const char *text)
{
    om_job job = { 0 };
    int64_t *values = NULL;
    int rc = text == NULL ? OM_OK : named_checker(p, text, &job);
    if (text == NULL || rc != OM_OK)
        return rc;
    rc = om_plugin_options(p->ctx, &job.checker->head, job.options, &values);
    om_free(p->heap, values);
    return rc;
}

/* What was asked for by name, before anything is done. */
static int vet_names(om_plan *p)
{
    const om_plan_options *o = &p->options;
    const char *names[] = { o->checker, o->terminal, o->weak, o->strong };
    om_device *device = NULL;
    int rc = OM_OK;
    if (o->checker != NULL && (o->terminal != NULL || o->weak != NULL || o->strong != NULL))
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "one checker for the whole automaton (%s) leaves none to choose for its parts",
            o->checker);
    for (size_t i = 0; rc == OM_OK && i < sizeof names / sizeof *names; i++)
        rc = vet_name(p, names[i]);
    return rc == OM_OK && p->model != NULL && device_named(p) ? om_plan__device(p, NULL, &device)
                                                              : rc;
}

static int parts(om_plan *p, const om_automaton *a, om_job *jobs, size_t *count)
{
    const char *asked[] = { NULL, p->options.terminal, p->options.weak, p->options.strong };
    for (int s = OM_TERMINAL; s <= OM_STRONG; s++) {
        om_automaton *part = NULL;
        int rc = om_automaton_part(a, p->ctx, (om_strength) s, &part);
        if (rc != OM_OK)
            return rc;
        if (part == NULL)
            continue;
        rc = make_job(p, part, part, (om_strength) s, asked[s], &jobs[(*count)++]);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

int om_plan__jobs(om_plan *p, const om_automaton *a, om_job *jobs, size_t *count)
{
    int rc = vet_names(p);
    *count = 0;
    if (rc == OM_OK && p->options.checker != NULL) {
        *count = 1;
        rc = whole(p, a, &jobs[0]);
    } else if (rc == OM_OK)
        rc = parts(p, a, jobs, count);
    if (rc == OM_OK) {
        bool device = false;
        for (size_t i = 0; i < *count; i++)
            device = device || jobs[i].device != NULL;
        if (p->options.schedule == OM_SCHEDULE_AUTO)
            p->side_by_side = device || p->threads >= 2;
        else
            p->side_by_side = p->options.schedule == OM_SCHEDULE_CONCURRENT;
        share_threads(p, jobs, *count, p->side_by_side && *count > 1);
        for (size_t i = 0; rc == OM_OK && i < *count; i++) {
            rc = choose_again(p, &jobs[i]);
            if (rc == OM_OK)
                rc = normalise(p, &jobs[i]);
        }
        for (size_t i = 0; rc == OM_OK && i < *count; i++)
            om_note(p->ctx, OM_NOTE_VERBOSE, NULL, "%s part, %u automaton states: %s on %s",
                om_strength_name(jobs[i].strength), om_automaton_state_count(jobs[i].automaton),
                jobs[i].checker->head.name,
                jobs[i].device == NULL ? "the CPU" : om_device_info_of(jobs[i].device)->name);
    }
    return rc;
}
