/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: the creation of their products. Known answers of whole checkers are in
 * tests/plugins/check. */
#include "arithmetic.h"

#include "evidence.h"
#include "heap.h"

#include <omen/plugin/movers.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <cmocka.h>

/* ---- checkers that test for a product ---- */

typedef enum what { SAYS_COMPLETE, GIVES_EVIDENCE } what;
struct om_run {
    om_task *task;
};
/* Action of the next run, and its observations; the checker runs in the test's own thread. */
static what wanted;
static bool had_product, has_product;

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    had_product = om_task_product(task) != NULL;
    run->task = task;
    return OM_OK;
}

static int work(om_run *run, unsigned worker)
{
    om_cursor *c = NULL;
    om_id id = OM_NO_ID;
    bool fresh = false;
    int rc = OM_OK;
    /* The data for a device is available without a product. */
    assert_int_equal(om_automaton_state_count(om_task_automaton(run->task)), AUTOMATON_STATES);
    assert_false(om_task_product_spec(run->task)->stutter);
    om_task_add_counts(run->task, 10, 20, 30);
    if (wanted == SAYS_COMPLETE) {
        om_task_complete(run->task);
    } else {
        const uint32_t vector[2] = { 0, 0 };
        rc = om_task_cursor(run->task, worker, &c);
        if (rc == OM_OK)
            rc = om_cursor_intern(c, vector, &id, &fresh);
        if (rc == OM_OK)
            rc = om_task_found(run->task, worker, &id, 1);
    }
    has_product = om_task_product(run->task) != NULL;
    return rc;
}

static void destroy(om_run *run)
{
    (void) run;
}

static om_checker checker(uint32_t flags)
{
    return (om_checker){
        .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "looker", "looks", NULL, NULL),
        .strengths = OM_FOR_ALL,
        .acceptance = OM_ACCEPT_ANY,
        .flags = flags,
        .run_size = sizeof(om_run),
        .create = create,
        .work = work,
        .destroy = destroy,
    };
}

/* Makes a task with a device that is never used. */
static int new_device_task(fixture *f)
{
    static char anything;
    int rc = new_automaton(&f->a, f->ctx, NARROW);
    om_task_spec spec = { .product = { .executor = &executor,
                              .automaton = f->a,
                              .deadlock_ap = OM_NONE,
                              .workers = 1 },
        .strength = OM_STRONG,
        .device = (struct om_device *) (void *) &anything };
    return rc == OM_OK ? om_task_new(&f->task, f->ctx, &spec) : rc;
}

static void a_device_has_no_product(void **state)
{
    (void) state;
    test_heap heap;
    fixture f = { NULL, NULL, NULL };
    om_task_result r;
    uint64_t states, transitions;
    const om_checker on_device = checker(OM_CHECKER_DEVICE), on_cpu = checker(0);
    test_heap_init(&heap, SIZE_MAX);
    assert_int_equal(om_context_new(&f.ctx, &heap.heap), OM_OK);
    assert_int_equal(new_device_task(&f), OM_OK);
    om_task_progress(f.task, &states, &transitions);
    assert_true(states == 0 && transitions == 0);

    wanted = SAYS_COMPLETE;
    size_t before = heap.peak;
    assert_int_equal(om_task_run(f.task, &on_device, NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_false(had_product || has_product);
    assert_true(r.states == 10 && r.transitions == 20 && r.memory_bytes == 30);
    assert_true(heap.peak < before + 1024); /* nor the initial size of a store */

    /* Evidence refers to stored states. */
    wanted = GIVES_EVIDENCE;
    assert_int_equal(om_task_run(f.task, &on_device, NULL, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    assert_true(!had_product && has_product && r.states == 11);
    size_t n = 0;
    uint32_t *vectors = evidence_vectors(f.task, &n);
    assert_true(vectors != NULL && n == 1 && vectors[0] == 0 && vectors[1] == 0);
    free(vectors);
    om_control_forget(om_context_control(f.ctx));

    /* The next run starts without it; a checker on the CPU has a product. */
    wanted = SAYS_COMPLETE;
    assert_int_equal(om_task_run(f.task, &on_device, NULL, &r), OM_OK);
    assert_false(had_product || has_product);
    assert_int_equal(om_task_run(f.task, &on_cpu, NULL, &r), OM_OK);
    assert_true(had_product && has_product && r.verdict == OM_HOLDS && r.states == 10);
    free_all(&f);
    assert_int_equal(heap.live, 0);
}

static void lack_of_memory(void **state)
{
    (void) state;
    const om_checker on_device = checker(OM_CHECKER_DEVICE);
    om_task_result r = { .verdict = OM_UNKNOWN };
    wanted = GIVES_EVIDENCE;
    for (size_t n = 1; r.verdict != OM_VIOLATED; n++) {
        test_heap heap;
        fixture f = { NULL, NULL, NULL };
        test_heap_init(&heap, n);
        int rc = om_context_new(&f.ctx, &heap.heap);
        if (rc == OM_OK)
            rc = new_device_task(&f);
        if (rc == OM_OK)
            rc = om_task_run(f.task, &on_device, NULL, &r);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(rc != OM_OK || r.verdict != OM_HOLDS);
        assert_true(rc != OM_OK || r.verdict == OM_VIOLATED || r.reason == OM_STOP_MEMORY);
        free_all(&f);
        assert_int_equal(heap.live, 0);
    }
}

/* Two states, both initial, with self-loops that accept. */
static int new_loops(om_automaton **out, om_context *ctx)
{
    static const om_cube all = { 0, 0 };
    int rc = om_automaton_new(out, ctx, 0, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_states(*out, 2, NULL);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(*out, 0);
    for (uint32_t q = 0; q < 2 && rc == OM_OK; q++) {
        rc = om_automaton_add_initial(*out, q);
        if (rc == OM_OK)
            rc = om_automaton_add_edge(*out, q, q, 0, &all, 1);
    }
    return rc == OM_OK ? om_automaton_finish(*out) : rc;
}

/* Fairness by the processes that move: only checkers that support it run; the automaton alone has
 * no accepting component. */
static void fair_processes(void **state)
{
    (void) state;
    static const uint64_t nobody[1] = { 0 };
    static const om_marks none[1] = { 0 };
    static const uint32_t who[1][2] = { { 0, OM_NONE } };
    static const om_fair_processes by = {
        .size = sizeof by, .processes = 1, .transitions = 1, .who = who
    };
    static const om_fairness fair = { .transitions = 1, .movers = nobody, .moves = none };
    fixture f = { NULL, NULL, NULL };
    om_task_result r;
    om_checker asks = checker(0);
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    assert_int_equal(new_loops(&f.a, f.ctx), OM_OK);
    om_task_spec spec = { .product = { .executor = &executor,
                              .automaton = f.a,
                              .deadlock_ap = OM_NONE,
                              .workers = 1,
                              .variants = OM_PRODUCT_FAIRNESS,
                              .fairness = &fair },
        .strength = OM_STRONG };
    wanted = SAYS_COMPLETE;
    for (int with = 0; with < 2; with++) {
        spec.fair_processes = with ? &by : NULL;
        assert_int_equal(om_task_new(&f.task, f.ctx, &spec), OM_OK);
        asks.product = 0;
        assert_int_equal(om_task_run(f.task, &asks, NULL, &r), with ? OM_EINVAL : OM_OK);
        om_context_clear(f.ctx);
        asks.product = OM_PRODUCT_FAIR_PROCESSES;
        assert_int_equal(om_task_run(f.task, &asks, NULL, &r), OM_OK);
        assert_ptr_equal(om_product_fair_processes(om_task_product(f.task)), spec.fair_processes);
        const om_movers *old_name = om_product_movers(om_task_product(f.task));
        assert_ptr_equal(old_name, spec.fair_processes);
        assert_int_equal(om_task_accepting(f.task, 0, OM_STRONG), !with);
        om_task_free(f.task);
        f.task = NULL;
    }
    free_all(&f);
}

/* A descriptor's requested product is created, or rejected with the reason. */
static void variants_of_the_product(void **state)
{
    (void) state;
    fixture f = { NULL, NULL, NULL };
    om_task_result r;
    om_checker asks = checker(0);
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    assert_int_equal(new_task(&f, NARROW), OM_OK);
    wanted = SAYS_COMPLETE;
    asks.product = OM_PRODUCT_FAIRNESS;
    assert_int_equal(om_task_run(f.task, &asks, NULL, &r), OM_EUNSUPPORTED);
    assert_non_null(
        strstr(om_context_error(f.ctx), "looker cannot run: it asks for fairness marks"));
    om_context_clear(f.ctx);
    for (unsigned i = 0; i < 3; i++) {
        const om_step *steps;
        const om_label *targets;
        om_label source;
        om_cursor *c = NULL;
        size_t n;
        asks.product = i == 1 ? OM_PRODUCT_LABELS : 0;
        assert_int_equal(om_task_run(f.task, &asks, NULL, &r), OM_OK);
        assert_int_equal(om_task_cursor(f.task, 0, &c), OM_OK);
        assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
        assert_int_equal(om_cursor_labels(c, &source, &targets), i == 1 ? OM_OK : OM_EINVAL);
    }
    free_all(&f);
}

/* The marks that a component must see and avoid satisfy the automaton's condition; otherwise the
 * evidence is rejected. */
static void marks_of_evidence(void **state)
{
    (void) state;
    static const struct {
        om_marks see, avoid;
        int rc;
    } cases[] = { { 2, 1, OM_ESTOP }, { 2, 0, OM_EINVAL }, { 0, 1, OM_EINVAL }, { 8, 4, OM_ESTOP },
        { 10, 5, OM_ESTOP }, { 8, 1, OM_EINVAL } };
    static const om_acc rabin[] = { { OM_ACC_FIN, 0 }, { OM_ACC_INF, 1 }, { OM_ACC_AND, 0 },
        { OM_ACC_FIN, 2 }, { OM_ACC_INF, 3 }, { OM_ACC_AND, 0 }, { OM_ACC_OR, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = { NULL, NULL, NULL };
        static const om_cube all = { 0, 0 };
        const om_step *steps;
        om_cursor *c = NULL;
        uint32_t first;
        size_t n;
        assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
        assert_int_equal(om_automaton_new(&f.a, f.ctx, 0, NULL), OM_OK);
        assert_int_equal(om_automaton_add_states(f.a, 1, &first), OM_OK);
        assert_int_equal(om_automaton_set_acceptance(f.a, 4, rabin, 7), OM_OK);
        assert_int_equal(om_automaton_add_initial(f.a, 0), OM_OK);
        assert_int_equal(om_automaton_add_edge(f.a, 0, 0, 2, &all, 1), OM_OK);
        assert_int_equal(om_automaton_add_edge(f.a, 0, 0, 1, &all, 1), OM_OK);
        assert_int_equal(om_automaton_finish(f.a), OM_OK);
        om_task_spec spec = { .product = { .executor = &executor,
                                  .automaton = f.a,
                                  .deadlock_ap = OM_NONE,
                                  .workers = 1 },
            .strength = OM_STRONG };
        assert_int_equal(om_task_new(&f.task, f.ctx, &spec), OM_OK);
        assert_int_equal(om_task_cursor(f.task, 0, &c), OM_OK);
        assert_int_equal(om_cursor_initial(c, &steps, &n), OM_OK);
        om_evidence e = OM_EVIDENCE(&steps[0].to, 1);
        e.entry = 0;
        e.see = cases[i].see;
        e.avoid = cases[i].avoid;
        assert_int_equal(om_task_evidence(f.task, &e), cases[i].rc);
        const om_evidence *got = om_task_evidence_of(f.task);
        assert_true((got != NULL) == (cases[i].rc == OM_ESTOP));
        assert_true(got == NULL || (got->see == e.see && got->avoid == e.avoid));
        free_all(&f);
    }
}

static void a_stopped_context_makes_none(void **state)
{
    (void) state;
    fixture f = { NULL, NULL, NULL };
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    (void) om_control_stop(om_context_control(f.ctx), OM_STOP_TIMEOUT);
    assert_int_equal(new_device_task(&f), OM_ELIMIT);
    assert_null(f.task);
    free_all(&f);
}

/* ---- workers that start late ---- */

/* Workers admitted by the first one; bits of the workers that each one waits for before it ends. */
static unsigned to_admit, to_await;
static atomic_uint begun; /* bits of workers; relaxed: only inspected */

static int take_part(om_run *run, unsigned worker)
{
    (void) atomic_fetch_or_explicit(&begun, 1u << worker, memory_order_relaxed);
    if (worker == 0)
        om_task_admit(run->task, to_admit);
    while ((~atomic_load_explicit(&begun, memory_order_relaxed) & to_await) != 0)
        (void) om_yield(OM_NAP_NS);
    if (worker == 0)
        om_task_complete(run->task);
    return OM_OK;
}

/* Returns the bits of four workers that have begun. admit: number admitted before the run
 * begins. */
static unsigned begun_of(uint32_t flags, unsigned first, unsigned admit)
{
    fixture f = { NULL, NULL, NULL };
    om_task_result r;
    om_checker c = checker(OM_CHECKER_PARALLEL | flags);
    c.work = take_part;
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    assert_int_equal(new_automaton(&f.a, f.ctx, NARROW), OM_OK);
    const om_task_spec spec = { .product = { .executor = &executor,
                                    .automaton = f.a,
                                    .deadlock_ap = OM_NONE,
                                    .workers = 4 },
        .strength = OM_STRONG,
        .first_workers = first };
    assert_int_equal(om_task_new(&f.task, f.ctx, &spec), OM_OK);
    om_task_admit(f.task, admit);
    atomic_store_explicit(&begun, 0, memory_order_relaxed);
    if (om_task_run(f.task, &c, NULL, &r) != OM_OK)
        fail_msg("%s", om_context_error(f.ctx));
    assert_int_equal(r.verdict, OM_HOLDS);
    free_all(&f);
    return atomic_load_explicit(&begun, memory_order_relaxed);
}

static void late_workers(void **state)
{
    (void) state;
    for (int i = 0; i < 100; i++) {
        to_admit = 0;
        to_await = 0; /* one worker may end before the other begins */
        assert_int_equal(begun_of(OM_CHECKER_LATE_WORKERS, 2, 0), 3);
        to_await = 3;
        assert_int_equal(begun_of(OM_CHECKER_LATE_WORKERS, 2, 0), 3);
        to_await = 15;
        assert_int_equal(begun_of(OM_CHECKER_LATE_WORKERS, 2, 4), 15);
        assert_int_equal(begun_of(OM_CHECKER_LATE_WORKERS, 0, 0), 15);
        assert_int_equal(begun_of(0, 2, 0), 15); /* they may wait for each other */
        to_admit = 3;
        to_await = 7;
        assert_int_equal(begun_of(OM_CHECKER_LATE_WORKERS, 1, 0), 7);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_no_product),
        cmocka_unit_test(late_workers),
        cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(variants_of_the_product),
        cmocka_unit_test(fair_processes),
        cmocka_unit_test(marks_of_evidence),
        cmocka_unit_test(a_stopped_context_makes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
