/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiers: nobody waits for a compiler. The vm works at once; a thread has native code made, audits
 * it against the vm, and lets it take over.
 *
 * What the cache has is opened straight away: text, hash, dlopen() and audit take 0.7 ms for at.4
 * and 5.4 ms for firewire_link.5, whose compiler takes 0.9 s. There is one tier of native code: -O0
 * would be ready in half the time of -O1, 0.03 s sooner on a model of usual size, at twice the time
 * of a successor, and -O2 takes twice the time of -O1 for 0 to 10 % (gcc 12, models of BEEM).
 *
 * Concurrency: append(), labels() and who() may be called by any thread. `now` is the vm until the
 * builder stores the native executor in it, once (release, I1); whoever loads that (acquire) sees
 * all that the builder wrote before. A caller that still has the vm finishes its state there: both
 * live until close(), which joins the builder first. `closing` is under the monitor; the rest is
 * written before the builder starts or after it was joined.
 */
#include "tiers.h"

#include "executor.h"
#include "monitor.h"
#include "native.h"
#include "vm.h"

#include <stdatomic.h>

/* A check that is over by then starts no compiler: it would cost more than it gains. (On at.4 the
 * vm takes 0.1 us more for a state than native code, which takes 0.1 s to make.) */
enum { MOMENT_NS = 50 * 1000 * 1000 };

typedef struct tiers {
    om_executor executor;
    const om_heap *heap;
    om_model *model;
    om_expr *aps;
    om_executor *vm, *native; /* native: the builder's, or NULL */
    _Atomic(const om_executor *) now;
    om_context *ctx; /* the builder's own: what goes wrong there is no failure of the model */
    pthread_t builder;
    om_monitor monitor; /* of closing */
    bool closing;
} tiers;

/* ---- what callers call ---- */

static const om_executor *current(const om_executor *x)
{
    const tiers *t = x->self;
    return atomic_load_explicit(&t->now, memory_order_acquire); /* I1 */
}

static int tiers_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const om_executor *now = current(x);
    return now->append(now, vector, out);
}

static uint64_t tiers_labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const om_executor *now = current(x);
    return now->labels(now, vector, fault);
}

static const char *tiers_who(const om_executor *x)
{
    const tiers *t = x->self;
    return current(x) == t->vm ? t->vm->name : "vm, then native";
}

/* ---- the builder ---- */

/* False when the executor is closed first. */
static bool wait_a_moment(tiers *t)
{
    const uint64_t until_ns = om_clock_ns() + MOMENT_NS;
    om_monitor__enter(&t->monitor);
    while (!t->closing && om_monitor__wait(&t->monitor, until_ns))
        ;
    bool closing = t->closing;
    om_monitor__leave(&t->monitor);
    return !closing;
}

static void *build(void *self)
{
    tiers *t = self;
    char why[256] = "";
    uint64_t since = om_clock_ns();
    const om_native_order order = { .ctx = t->ctx, .reference = t->vm };
    if (!wait_a_moment(t))
        return NULL;
    int rc =
        om_native__open(&t->native, t->model, t->aps, t->executor.aps, &order, why, sizeof why);
    if (rc == OM_OK) {
        atomic_store_explicit(&t->now, t->native, memory_order_release); /* I1 */
        om_note(t->model->ctx, OM_NOTE_VERBOSE, NULL, "native code takes over after %.2f s",
            (double) (om_clock_ns() - since) * 1e-9);
    } else if (om_context_stopped(t->ctx) == OM_OK)
        om_note(t->model->ctx, OM_NOTE_NOTICE, NULL,
            "no native code (%s); going on with the slower vm",
            rc == OM_EUNSUPPORTED ? why : om_context_error(t->ctx));
    return NULL;
}

/* ---- opening and closing ---- */

/* All but the vm. */
static void free_tiers(tiers *t)
{
    om_executor_close(t->native);
    om_context_free(t->ctx);
    om_free(t->heap, t->aps);
    om_free(t->heap, t);
}

static void tiers_close(om_executor *x)
{
    tiers *t = x->self;
    om_executor *vm = t->vm;
    om_monitor__enter(&t->monitor);
    t->closing = true;
    om_monitor__wake(&t->monitor);
    om_monitor__leave(&t->monitor);
    (void) om_control_stop(om_context_control(t->ctx), OM_STOP_FOUND);
    (void) pthread_join(t->builder, NULL);
    om_monitor__destroy(&t->monitor);
    free_tiers(t);
    om_executor_close(vm);
}

/* The tiers over a vm, which is taken over where that succeeds. OM_OK; OM_ENOMEM; OM_EIO where the
 * system gives no thread: do without then. */
static int start(om_executor **out, om_model *m, om_executor *vm, const om_expr *aps)
{
    int rc = OM_ENOMEM;
    tiers *t = om_alloc(m->heap, 1, sizeof *t);
    if (t == NULL)
        return rc;
    t->heap = m->heap;
    t->model = m;
    t->vm = vm;
    t->executor = (om_executor){ .size = sizeof(om_executor),
        .name = "auto",
        .words = vm->words,
        .aps = vm->aps,
        .self = t,
        .initial = om_executor__initial,
        .append = tiers_append,
        .labels = tiers_labels,
        .close = tiers_close,
        .model = m,
        .who = tiers_who };
    atomic_init(&t->now, vm);
    t->aps = om_alloc(t->heap, vm->aps, sizeof *t->aps);
    if (t->aps == NULL || om_context_new_below(&t->ctx, m->ctx) != OM_OK)
        goto failed;
    for (uint32_t i = 0; i < vm->aps; i++)
        t->aps[i] = aps[i];
    rc = OM_EIO;
    if (!om_monitor__init(&t->monitor))
        goto failed;
    if (pthread_create(&t->builder, NULL, build, t) != 0) {
        om_monitor__destroy(&t->monitor);
        goto failed;
    }
    *out = &t->executor;
    return OM_OK;
failed:
    free_tiers(t);
    return rc;
}

int om_tiers__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    char why[256] = "no thread can be started";
    om_executor *vm = NULL;
    int rc = om_vm__open(&vm, m, aps, ap_count);
    if (rc != OM_OK)
        return om_fail_memory(m->ctx);
    const om_native_order order = { .ctx = m->ctx, .reference = vm, .kept_only = true };
    int kept = om_native__open(out, m, aps, ap_count, &order, why, sizeof why);
    if (kept != OM_ESTOP && kept != OM_EUNSUPPORTED) {
        om_executor_close(vm);
        return kept;
    }
    rc = kept == OM_ESTOP ? start(out, m, vm, aps) : OM_EUNSUPPORTED;
    if (rc == OM_OK)
        return rc;
    if (rc == OM_ENOMEM) {
        om_executor_close(vm);
        return om_fail_memory(m->ctx);
    }
    om_note(m->ctx, OM_NOTE_NOTICE, NULL, "no native code (%s); running the slower vm", why);
    *out = vm;
    return OM_OK;
}
