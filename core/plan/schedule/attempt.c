/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt: the form of its automaton, its run, and the workers that it passes on to others. */
#include "try.h"

#include "control/control.h"
#include "explore.h"
#include "product.h"
#include "schedule/going.h"
#include "supervise.h"

#include <assert.h>
#include <string.h>

int om_attempt__normalise(om_attempt *t)
{
    const om_part *part = t->part;
    const om_plan *p = part->try->plan;
    const om_conversion *how = NULL;

    assert(t->automaton == NULL && t->owned == NULL); /* P7 */
    if (part->unfair != NULL)
        return om_fair__normalise(t);
    t->automaton = part->automaton;
    if (om_plan__wants_testing(t->checker))
        return om_attempt__to_testing(t);
    if (om_plan__effort(&part->forms, t->checker->acceptance, &how) == 0)
        return OM_OK;
    if (how == NULL) {
        const om_need need = om_part__need(part, p->threads, false);
        return om_plan__refuse(p, OM_EUSAGE, &need, t->checker->head.name,
            " takes no acceptance that the automaton can be converted to");
    }
    int rc = how->convert(part->automaton, p->ctx, &t->owned);
    if (rc != OM_OK)
        return rc;
    assert((om_automaton_acceptance_classes(t->owned) & t->checker->acceptance) != 0); /* C1 */
    t->automaton = t->owned;
    t->conversion = how->name;
    t->how = how;
    return OM_OK;
}

void om_attempt__forget(om_attempt *t, const om_heap *heap)
{
    om_automaton_free(t->owned);
    om_free(heap, t->fairness);
    t->owned = NULL;
    t->automaton = NULL;
    t->fairness = NULL;
}

/* ---- the run ---- */

void om_attempt__drop_task(om_attempt *t)
{
    om_task_free(t->out.task);
    t->out.task = NULL;
    if (t->ctx != NULL)
        om_control__returned(om_context_control(t->ctx));
}

static void show_task(om_attempt *t, om_task *task)
{
    om_supervisor *s = &t->part->try->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    assert(t->task == NULL && t->admitted <= t->workers); /* A4, A7 */
    t->task = task;
    t->running = true;
    om_task_admit(task, t->admitted); /* other attempts may have ended before it began */
    pthread_mutex_unlock(&s->lock);
}

/* Admits up to `workers` more workers, if the attempt can use them. Returns the number left over.
 * The caller holds the lock. */
static unsigned admit(om_attempt *t, unsigned workers)
{
    unsigned use = t->workers - t->admitted < workers ? t->workers - t->admitted : workers;
    t->admitted += use;
    assert(t->admitted <= t->workers); /* A4 */
    if (t->task != NULL)
        om_task_admit(t->task, t->admitted);
    return workers - use;
}

/* Gives the workers of an attempt that has ended to other parts on the CPU: first to the strong
 * part, which is the last of the list. */
static void pass_workers_on(om_attempt *t)
{
    om_try *try = t->part->try;
    om_supervisor *s = &try->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    unsigned left = t->admitted;
    t->admitted = t->workers; /* it takes no more workers */
    for (size_t i = try->part_count; i-- > 0 && left > 0;)
        if (try->parts[i].answer == &try->parts[i].cpu)
            left = admit(&try->parts[i].cpu, left);
    pthread_mutex_unlock(&s->lock);
}

/* Saves the figures of a task before it is freed. */
static void hide_task(om_attempt *t)
{
    om_supervisor *s = &t->part->try->plan->supervisor;
    pthread_mutex_lock(&s->lock);
    assert(t->task != NULL && t->running); /* A7 */
    om_task_progress(t->task, &t->states, &t->transitions);
    om_task__add_use(t->task, &t->part->try->use);
    t->task = NULL;
    pthread_mutex_unlock(&s->lock);
}

/* Saves the number of overflows that a task met, and a state from which one occurs. */
static void keep_overflows(const om_try *try, om_outcome *out, const om_task *task)
{
    const uint32_t *vector = NULL;
    out->overflows = om_task_overflows_of(task, &vector);
    if (out->overflows == 0)
        return;
    size_t words = om_model_words(try->plan->model);
    assert(try->searched.compact == NULL && try->spec.product.executor->words == words); /* M4 */
    out->overflow_vector = om_alloc(try->plan->heap, words, sizeof *vector);
    if (out->overflow_vector != NULL)
        memcpy(out->overflow_vector, vector, words * sizeof *vector);
}

/* Chooses how the search goes: a search for a state in a terminal component, in all orders; another
 * depth-first search, through the successors of a state. */
static int go(const om_attempt *t, const om_task_spec *spec, om_plan_going *out)
{
    const om_try *try = t->part->try;
    const om_plan_options *o = &try->options;
    const bool known = try->spec.model != NULL && (t->checker->flags & OM_CHECKER_DEVICE) == 0;
    const bool deep = known && (t->checker->flags & OM_CHECKER_GOES_DEEP) != 0;
    const om_guide_spec guides = { .ctx = t->ctx,
        .automaton = t->automaton,
        .aps = try->spec.aps,
        .ap_count = try->spec.ap_count,
        .deadlock_ap = spec->product.deadlock_ap,
        .deadlocks = spec->product.deadlock_ap != OM_NONE };
    if (!deep && ((o->search != OM_SEARCH_AUTO && o->search != OM_SEARCH_BEST) ||
                     (!known && (o->search == OM_SEARCH_BEST || o->guide != NULL))))
        om_note(try->plan->ctx, OM_NOTE_NOTICE, NULL,
            "checker %s searches in an order of its own: --search and --guide do not change it",
            t->checker->head.name);
    if (!known)
        return OM_OK;
    return deep ? om_plan__go(&try->searched, o, guides, out)
                : om_plan__order(&try->searched, o, guides, out);
}

int om_attempt__run(om_attempt *t)
{
    const om_try *try = t->part->try;
    om_outcome *out = &t->out;
    om_task *task = NULL;
    om_task_spec spec = try->spec;
    om_plan_going going = { 0 };
    assert(t->task == NULL && t->out.task == NULL && t->automaton != NULL);   /* A7 */
    assert(t->checker != NULL && t->workers != 0);                            /* A3, A4 */
    assert(t->part->claimed >= OM_TERMINAL && t->part->claimed <= OM_STRONG); /* A2 */

    spec.product.automaton = t->automaton;
    spec.product.fairness = t->fairness;
    spec.product.variants |= t->fairness == NULL ? 0 : OM_PRODUCT_FAIRNESS;
    spec.product.workers = t->workers;
    spec.fair_processes = t->fair_processes;
    spec.product.store = try->options.store;
    if (t == &t->part->cpu && t->part->shares) {
        assert(try->states != NULL && try->side_by_side); /* A8 */
        spec.product.states = try->states;
        spec.product.first_worker = t->first_worker;
    }
    spec.strength = t->part->claimed;
    spec.device = t->device;
    spec.verify = om_plan__verify(&try->options);
    spec.first_workers = t->first_workers;
    out->rc = go(t, &spec, &going);
    spec.going = going.going.orders == 0 ? NULL : &going.going;
    if (out->rc == OM_OK)
        out->rc = om_task_new(&task, t->ctx, &spec);
    if (out->rc == OM_OK) {
        show_task(t, task);
        out->rc = om_task_run(task, t->checker, t->options, &out->result);
        hide_task(t);
        keep_overflows(try, out, task);
    }
    om_plan__stop_going(&going);
    if (t == &t->part->cpu)
        pass_workers_on(t);
    if (out->rc == OM_EMODEL ||
        (out->rc == OM_OK && (out->result.verdict == OM_VIOLATED || out->result.fault != 0))) {
        out->task = task;
    } else {
        om_task_free(task);
        om_control__returned(om_context_control(t->ctx));
    }
    if (out->rc == OM_ELIMIT) {
        /* The limits do not even permit the start: the answer is UNKNOWN. */
        out->result = (om_task_result){ .verdict = OM_UNKNOWN,
            .reason = om_control_stopped(om_context_control(t->ctx)),
            .sccs = UINT64_MAX };
        out->rc = OM_OK;
    }
    return out->rc;
}

char *om_attempt__give_up(const om_attempt *on_device, const char *said)
{
    const om_plan *p = on_device->part->try->plan;
    assert(on_device == &on_device->part->device && on_device->part->cpu.checker != NULL); /* A3 */
    const char *name = on_device->checker->head.name,
               *device = om_device_info_of(on_device->device)->name;
    om_text why = { .heap = p->heap };
    om_note(p->ctx, OM_NOTE_NOTICE, NULL, "%s on %s gave up (%s): continuing with %s on the CPU",
        name, device, said, on_device->part->cpu.checker->head.name);
    om_text_printf(&why, "%s on %s: %s", name, device, said);
    if (why.failed)
        om_text_free(&why);
    return why.text;
}
