/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiers: no check waits for a compiler. The vm, or for a net its table of transitions, starts at
 * once. A thread compiles native code, audits it against the vm, and lets it take over. It does not
 * if compilation would take long and the code would be no faster than the table (NATIVE_MOST).
 *
 * Cached code is opened immediately: text, hash, dlopen() and audit take 0.7 ms for at.4 and 5.4 ms
 * for firewire_link.5, whose compilation takes 0.9 s. There is one tier of native code: -O0 would
 * be ready in half the time of -O1, 0.03 s sooner on a model of usual size, at twice the time of a
 * successor, and -O2 takes twice the time of -O1 for 0 to 10 % (gcc 12, models of BEEM).
 *
 * Concurrency: append(), labels() and who() may be called by any thread. `now` is the first
 * executor until the builder stores the native one in it, once (release, I1). A thread that loads
 * it (acquire) sees everything that the builder wrote before. A caller that still has the first
 * executor finishes its state there: both live until close(), which joins the builder first.
 * `closing` is protected by the monitor; the rest is written before the builder starts or after it
 * was joined.
 */
#include "tiers.h"

#include "executor.h"
#include "control/monitor.h"
#include "native.h"
#include "table.h"
#include "vm.h"

#include <assert.h>
#include <stdatomic.h>

/* A check that ends within this time starts no compiler: it would cost more than it gains. (On at.4
 * the vm takes 0.1 us more for a state than native code, which takes 0.1 s to compile.) */
enum { MOMENT_NS = 50 * 1000 * 1000 };

/*
 * Maximum number of transitions of a net for which native code is compiled. CPU time of native code
 * that already exists, relative to that of the table (600,000 states, one thread; gcc 12):
 *
 *   transitions   16  20  30   60  210  230  365  440  749  3094
 *   native       0.8 0.7 0.7 0.65  0.8  1.0  1.3  0.7  0.9   1.4
 *
 * Compilation takes some 2 to 3 ms per transition: 7 s for 3,094. The vm takes 1.9 times as long as
 * the table with 16 transitions, 12 times with 3,094.
 */
enum { NATIVE_MOST = 512 };

typedef struct tiers {
    om_executor executor;
    const om_heap *heap;
    om_model *model;
    om_expr *aps;
    om_executor *vm, *table, *native; /* table: or NULL; native: the builder's, or NULL */
    _Atomic(const om_executor *) now;
    om_context *ctx; /* the builder's own: its errors are not errors of the model */
    pthread_t builder;
    om_monitor monitor; /* protects `closing` */
    bool closing;
} tiers;

/* ---- functions of the executor ---- */

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
    const om_executor *first = t->table != NULL ? t->table : t->vm;
    if (current(x) == first)
        return first->name;
    return t->table != NULL ? "table, then native" : "vm, then native";
}

/* ---- the builder ---- */

/* Returns false if the executor is closed first. */
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
        assert(atomic_load_explicit(&t->now, memory_order_relaxed) != t->native); /* I1: once */
        atomic_store_explicit(&t->now, t->native, memory_order_release);          /* I1 */
        om_note(t->model->ctx, OM_NOTE_VERBOSE, NULL, "native code takes over after %.2f s",
            (double) (om_clock_ns() - since) * 1e-9);
    } else if (rc != OM_ELIMIT && rc != OM_ESTOP && om_context_stopped(t->ctx) == OM_OK)
        om_note(t->model->ctx, OM_NOTE_NOTICE, NULL,
            "no native code (%s); continuing with the slower %s",
            rc == OM_EUNSUPPORTED ? why : om_context_error(t->ctx),
            t->table != NULL ? t->table->name : t->vm->name);
    return NULL;
}

/* ---- opening and closing ---- */

/* Frees everything except the first executors. */
static void free_tiers(tiers *t)
{
    om_executor_close(t->native);
    om_context_free(t->ctx);
    OM_FREE_ALL(t->heap, t->aps, t);
}

static void tiers_close(om_executor *x)
{
    tiers *t = x->self;
    om_executor *vm = t->vm, *table = t->table;
    om_monitor__enter(&t->monitor);
    t->closing = true;
    om_monitor__wake(&t->monitor);
    om_monitor__leave(&t->monitor);
    (void) om_control_stop(om_context_control(t->ctx), OM_STOP_FOUND);
    (void) pthread_join(t->builder, NULL);
    om_monitor__destroy(&t->monitor);
    free_tiers(t);
    om_executor_close(table);
    om_executor_close(vm);
}

/* Opens tiers over a vm and a table (or NULL) and takes ownership of them on success. Returns
 * OM_OK, OM_ENOMEM, or OM_EIO if no thread can be started: the caller then continues without
 * tiers. */
static int start(
    om_executor **out, om_model *m, om_executor *vm, om_executor *table, const om_expr *aps)
{
    int rc = OM_ENOMEM;
    tiers *t = om_alloc(m->heap, 1, sizeof *t);
    if (t == NULL)
        return rc;
    t->heap = m->heap;
    t->model = m;
    t->vm = vm;
    t->table = table;
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
    atomic_init(&t->now, table != NULL ? table : vm);
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

/* Opens the table of a net, or sets NULL: a language with processes branches on locations in the
 * vm. */
static int open_table(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    *out = NULL;
    int rc = om_model_process_count(m) == 0 ? om_table__open(out, m, aps, ap_count) : OM_OK;
    return rc == OM_EUNSUPPORTED ? OM_OK : rc;
}

/* Opens tiers over the first executors; afterwards they are closed or owned by *out. */
static int open_over(om_executor **out, om_model *m, om_executor *vm, om_executor *table,
    const om_expr *aps, uint32_t ap_count)
{
    char why[256] = "cannot start a thread";
    om_executor *best = table != NULL ? table : vm, *other = table != NULL ? vm : NULL;
    const om_native_order order = { .ctx = m->ctx, .reference = vm, .kept_only = true };
    int rc = OM_EUNSUPPORTED;
    if (table == NULL || om_model_transition_count(m) <= NATIVE_MOST) {
        rc = om_native__open(out, m, aps, ap_count, &order, why, sizeof why);
        if (rc != OM_ESTOP && rc != OM_EUNSUPPORTED) {
            om_executor_close(table);
            om_executor_close(vm);
            return rc;
        }
        rc = rc == OM_ESTOP ? start(out, m, vm, table, aps) : OM_EUNSUPPORTED;
        if (rc == OM_OK)
            return rc;
        if (rc != OM_ENOMEM)
            om_note(m->ctx, OM_NOTE_NOTICE, NULL, "no native code (%s); running the slower %s", why,
                best->name);
    }
    om_executor_close(other);
    if (rc == OM_ENOMEM) {
        om_executor_close(best);
        return om_fail_memory(m->ctx);
    }
    *out = best;
    return OM_OK;
}

int om_tiers__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    om_executor *vm = NULL, *table = NULL;
    int rc = om_vm__open(&vm, m, aps, ap_count);
    if (rc == OM_OK)
        rc = open_table(&table, m, aps, ap_count);
    if (rc != OM_OK) {
        om_executor_close(vm);
        return om_fail_memory(m->ctx);
    }
    return open_over(out, m, vm, table, aps, ap_count);
}
