/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiers: no check waits for a compiler. The vm, or for a net its table of transitions, starts at
 * once. A thread compiles native code, audits it against the vm, and lets it take over. It does not
 * if compilation would take long and the code would be no faster than the table (NATIVE_MOST).
 *
 * Cached code is opened immediately: text, hash, dlopen() and audit take 0.7 ms for at.4 and 5.4 ms
 * for firewire_link.5, whose compilation takes 0.9 s. For a large model, quick code comes first: it
 * is ready in 50 to 65 % of the time, and the best code, whose compiler then has low priority, is
 * faster by 0 to 30 % (native_compile.c has measurements). For a model of usual size that would be
 * 0.01 to 0.03 s sooner. -O2 takes twice the time of -O1 for 0 to 5 %.
 *
 * A compiler that has not finished when the executor is closed may go on in the background and fill
 * the cache (builder_keep.c), if the context allows it (base/leave.h).
 *
 * Concurrency: append(), labels() and who() may be called by any thread. `now` is the first
 * executor until the builder stores a native one in it, once for each stage (release, I1). A thread
 * that loads it (acquire) sees everything that the builder wrote before. A caller that still has an
 * earlier executor finishes its state there: all live until close(), which joins the builder first.
 * `closing` is protected by the monitor; the rest is written before the builder starts, or read
 * after it was joined.
 */
#include "tiers.h"

#include "execute/executor.h"
#include "control/monitor.h"
#include "native/native.h"
#include "execute/table.h"
#include "execute/vm.h"

#include <assert.h>
#include <stdatomic.h>

/* A check that ends within this time starts no compiler: it would cost more than it gains. (On at.4
 * the vm takes 0.1 us more for a state than native code, which takes 0.1 s to compile.) */
enum { MOMENT_NS = 50 * 1000 * 1000 };

/* Niceness of the compiler that makes the best code while quick code is in use: it takes a tenth of
 * a processor from the search, and may take as long. */
enum { PATIENT = 10 };

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

/* Native code */
typedef struct stage {
    om_executor *executor; /* the builder's, or NULL */
    uint64_t since_ns;     /* when it took over; 0: it did not */
    om_native_result result;
} stage;

enum { QUICK, BEST, STAGES };

typedef struct tiers {
    om_executor executor;
    const om_heap *heap;
    om_model *model;
    om_expr *aps;
    om_executor *vm, *table; /* table: or NULL */
    stage stages[STAGES];    /* QUICK is not used by a small model */
    _Atomic(const om_executor *) now;
    om_context *ctx; /* the builder's own: its errors are not errors of the model */
    pthread_t builder;
    bool began_native;  /* quick code was cached */
    om_monitor monitor; /* protects `closing` */
    bool closing;
    bool joined; /* the builder; used by the thread that closes */
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
    if (t->began_native)
        return "native";
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

/* Lets native code take over. */
static void publish(tiers *t, stage *st)
{
    assert(atomic_load_explicit(&t->now, memory_order_relaxed) != st->executor); /* I1: once */
    st->since_ns = om_clock_ns();
    atomic_store_explicit(&t->now, st->executor, memory_order_release); /* I1 */
}

/* Reports why there is no native code, or no faster code. */
static void say_none(tiers *t, int rc, const char *why)
{
    if (rc == OM_ELIMIT || rc == OM_ESTOP || om_context_stopped(t->ctx) != OM_OK)
        return;
    const om_executor *now = current(&t->executor);
    om_note(t->model->ctx, OM_NOTE_NOTICE, NULL,
        "no native code (%s); continuing with the slower %s",
        rc == OM_EUNSUPPORTED ? why : om_context_error(t->ctx), now->name);
}

/* Obtains one kind of native code, which takes over. Returns true if faster code is possible, also
 * if the compiler has no quick code. */
static bool build_stage(tiers *t, om_native_kind kind)
{
    char why[256] = "";
    const uint64_t since_ns = om_clock_ns();
    stage got = { 0 };
    const om_native_order order = { .ctx = t->ctx,
        .reference = t->vm,
        .kind = kind,
        .nice = t->stages[QUICK].since_ns != 0 ? PATIENT : 0,
        .result = &got.result };
    const int rc =
        om_native__open(&got.executor, t->model, t->aps, t->executor.aps, &order, why, sizeof why);
    stage *st = &t->stages[got.result.quick ? QUICK : BEST];
    assert(st->executor == NULL); /* I1 */
    *st = got;
    if (rc == OM_EUNSUPPORTED && got.result.quick)
        return true;
    if (rc != OM_OK) {
        say_none(t, rc, why);
        return false;
    }
    publish(t, st);
    om_note(t->model->ctx, OM_NOTE_VERBOSE, NULL, "native code%s takes over after %.2f s",
        got.result.quick ? ", compiled quickly," : "", (double) (om_clock_ns() - since_ns) * 1e-9);
    return got.result.quick;
}

static void *build(void *self)
{
    tiers *t = self;
    if (wait_a_moment(t) && (t->began_native || build_stage(t, OM_NATIVE_QUICK)))
        (void) build_stage(t, OM_NATIVE_BEST);
    return NULL;
}

/* ---- opening and closing ---- */

/* Frees everything except the first executors. */
static void free_tiers(tiers *t)
{
    for (int i = 0; i < STAGES; i++)
        om_executor_close(t->stages[i].executor);
    om_context_free(t->ctx);
    OM_FREE_ALL(t->heap, t->aps, t);
}

/* Ends the builder. */
static void join(tiers *t)
{
    if (t->joined)
        return;
    om_monitor__enter(&t->monitor);
    t->closing = true;
    om_monitor__wake(&t->monitor);
    om_monitor__leave(&t->monitor);
    (void) om_control_stop(om_context_control(t->ctx), OM_STOP_FOUND);
    (void) pthread_join(t->builder, NULL);
    om_monitor__destroy(&t->monitor);
    t->joined = true;
}

static void tiers_close(om_executor *x)
{
    tiers *t = x->self;
    om_executor *vm = t->vm, *table = t->table;
    join(t);
    free_tiers(t);
    om_executor_close(table);
    om_executor_close(vm);
}

/* The executors that are there at the start */
enum { VM, TABLE, CODE, FIRSTS };

/* Starts the builder of tiers over executors, and takes ownership of them on success: a vm; a table
 * or NULL; quick code that was cached, as `cached` says, or NULL. Returns OM_OK, OM_ENOMEM, or
 * OM_EIO if no thread can be started: the caller then continues without tiers. */
static int start(om_executor **out, om_model *m, om_executor *const firsts[FIRSTS],
    const om_native_result *cached, const om_expr *aps)
{
    int rc = OM_ENOMEM;
    om_executor *vm = firsts[VM], *table = firsts[TABLE], *quick = firsts[CODE];
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
    t->began_native = quick != NULL;
    atomic_init(&t->now, quick != NULL ? quick : table != NULL ? table : vm);
    t->aps = om_alloc(t->heap, vm->aps, sizeof *t->aps);
    if (t->aps == NULL || om_context_new_below(&t->ctx, m->ctx) != OM_OK)
        goto failed;
    for (uint32_t i = 0; i < vm->aps; i++)
        t->aps[i] = aps[i];
    if (quick != NULL)
        t->stages[QUICK] = (stage){ quick, om_clock_ns(), *cached };
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
    t->stages[QUICK].executor = NULL; /* the caller's */
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

static void close_firsts(om_executor *const firsts[FIRSTS], const om_executor *but)
{
    for (int i = FIRSTS; i-- > 0;)
        if (firsts[i] != but)
            om_executor_close(firsts[i]);
}

/* Opens cached code. Returns OM_ESTOP if there is none, and OM_EUNSUPPORTED, with the reason, if
 * there cannot be any. */
static int open_cached(om_executor **out, om_native_result *result, om_model *m,
    const om_executor *vm, const om_expr *aps, uint32_t ap_count, char *why, size_t why_size)
{
    const om_native_order order = {
        .ctx = m->ctx, .reference = vm, .kind = OM_NATIVE_CACHED, .result = result
    };
    return om_native__open(out, m, aps, ap_count, &order, why, why_size);
}

/* Opens tiers over the first executors; afterwards they are closed or owned by *out. */
static int open_over(om_executor **out, om_model *m, om_executor *firsts[FIRSTS],
    const om_expr *aps, uint32_t ap_count)
{
    char why[256] = "cannot start a thread";
    om_executor *best = firsts[TABLE] != NULL ? firsts[TABLE] : firsts[VM], *native = NULL;
    om_native_result cached = { 0 };
    int rc = OM_EUNSUPPORTED;
    if (firsts[TABLE] == NULL || om_model_transition_count(m) <= NATIVE_MOST) {
        rc = open_cached(&native, &cached, m, firsts[VM], aps, ap_count, why, sizeof why);
        if (rc != OM_OK && rc != OM_ESTOP && rc != OM_EUNSUPPORTED) {
            close_firsts(firsts, NULL);
            return rc;
        }
        if (rc == OM_OK && !cached.quick) {
            close_firsts(firsts, NULL);
            *out = native;
            return OM_OK;
        }
        firsts[CODE] = native;
        best = native != NULL ? native : best;
        if (rc != OM_EUNSUPPORTED)
            rc = start(out, m, firsts, &cached, aps);
        if (rc == OM_OK)
            return rc;
        if (rc != OM_ENOMEM)
            om_note(m->ctx, OM_NOTE_NOTICE, NULL, "no native code (%s); running the slower %s", why,
                best->name);
    }
    close_firsts(firsts, rc == OM_ENOMEM ? NULL : best);
    if (rc == OM_ENOMEM)
        return om_fail_memory(m->ctx);
    *out = best;
    return OM_OK;
}

int om_tiers__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    om_executor *firsts[FIRSTS] = { NULL };
    int rc = om_vm__open(&firsts[VM], m, aps, ap_count);
    if (rc == OM_OK)
        rc = open_table(&firsts[TABLE], m, aps, ap_count);
    if (rc != OM_OK) {
        close_firsts(firsts, NULL);
        return om_fail_memory(m->ctx);
    }
    return open_over(out, m, firsts, aps, ap_count);
}

/* ---- figures ---- */

const om_executor *om_tiers__current(const om_executor *x)
{
    return x->close == tiers_close ? current(x) : x;
}

bool om_tiers__account(om_executor *x, uint64_t since_ns, om_executor_code *sum)
{
    if (x->close != tiers_close)
        return false;
    tiers *t = x->self;
    join(t);
    const uint64_t now_ns = om_clock_ns();
    const stage *quick = &t->stages[QUICK], *best = &t->stages[BEST];
    const uint64_t best_ns = best->since_ns != 0 ? best->since_ns : now_ns;
    const uint64_t quick_ns = quick->since_ns != 0 ? quick->since_ns : best_ns;
    assert(since_ns <= quick_ns && quick_ns <= best_ns && best_ns <= now_ns);
    if (t->began_native)
        sum->quick_ns += best_ns - since_ns;
    else {
        sum->first = t->table != NULL ? t->table->name : t->vm->name;
        sum->first_ns += quick_ns - since_ns;
        sum->quick_ns += best_ns - quick_ns;
    }
    sum->native_ns += now_ns - best_ns;
    sum->compiler_ns += quick->result.compiler_ns + best->result.compiler_ns;
    sum->hurried_ns += quick->result.compiler_ns;
    sum->text_bytes =
        best->result.text_bytes != 0 ? best->result.text_bytes : quick->result.text_bytes;
    sum->cached = sum->cached || quick->result.cached || best->result.cached;
    sum->left = sum->left || quick->result.left || best->result.left;
    return true;
}
