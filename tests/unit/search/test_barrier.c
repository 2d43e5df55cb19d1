/* SPDX-License-Identifier: Apache-2.0 */
/* Workers of a task that wait for each other, and the events that wake them if one does not
 * arrive; and the ids that exist when all of them have stopped. */
#include "arithmetic.h"
#include "product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

enum { WORKERS = 8, ROUNDS = 400, LATE = 3 };
#define PATIENCE_NS UINT64_C(5000000000) /* far more than necessary: a machine may be busy */

/* Action of worker LATE instead of arriving at round ROUNDS / 2. */
typedef enum deed { COMES, IS_STOPPED, FAILS, COMPLETES, FINDS } deed;

struct om_run {
    om_task *task;
    om_barrier *barrier;
    unsigned sums[WORKERS]; /* each written by its worker, read by all after the barrier */
    unsigned lasts;         /* written by the last worker, between two barriers */
};
static deed wanted;
static atomic_uint wrong, lasts, back;

static int create(om_run *run, om_task *task, const int64_t *options)
{
    (void) options;
    run->task = task;
    return om_barrier_new(&run->barrier, task);
}

static void destroy(om_run *run)
{
    om_barrier_free(run->barrier);
}

static int do_deed(om_run *run)
{
    const om_step *steps;
    om_cursor *c = NULL;
    size_t n;
    const struct timespec nap = { 0, 5000000 };
    (void) nanosleep(&nap, NULL); /* by now, most of the others are waiting */
    switch (wanted) {
    case IS_STOPPED:
        (void) om_control_stop(om_task_control(run->task), OM_STOP_INTERRUPT);
        return OM_ESTOP;
    case FAILS:
        return om_fail(om_task_context(run->task), OM_EINTERNAL, NULL, "on purpose");
    case COMPLETES:
        om_task_complete(run->task);
        return OM_OK;
    default:
        break;
    }
    int rc = om_task_cursor(run->task, LATE, &c);
    if (rc == OM_OK)
        rc = om_cursor_initial(c, &steps, &n);
    return rc == OM_OK ? om_task_found(run->task, LATE, &steps[0].to, 1) : rc;
}

/* After a barrier, all workers have added one. Then the last worker counts while the others
 * wait. */
static int work(om_run *run, unsigned worker)
{
    int rc = OM_OK;
    for (unsigned i = 0; i < ROUNDS && rc == OM_OK; i++) {
        bool last = false;
        if (i == ROUNDS / 2 && worker == LATE && wanted != COMES)
            return do_deed(run);
        run->sums[worker]++;
        rc = om_barrier_wait(run->barrier, &last);
        for (unsigned k = 0; k < WORKERS && rc == OM_OK; k++)
            if (run->sums[k] != i + 1)
                (void) atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
        if (last) /* no other worker may access it now */
            run->lasts++;
        if (rc == OM_OK)
            rc = om_barrier_wait(run->barrier, NULL);
    }
    (void) atomic_fetch_add_explicit(&back, rc == OM_ESTOP, memory_order_relaxed);
    if (rc == OM_ESTOP && om_barrier_wait(run->barrier, NULL) != OM_ESTOP)
        (void) atomic_fetch_add_explicit(&wrong, 1, memory_order_relaxed);
    if (rc == OM_OK && worker == 0) {
        atomic_store_explicit(&lasts, run->lasts, memory_order_relaxed);
        om_task_complete(run->task);
    }
    return rc;
}

static const om_checker checker = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "meets", "meets", NULL, NULL),
    .strengths = OM_FOR_ALL,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_PARALLEL,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
    .most_workers = WORKERS,
};

static int run(deed what, om_task_result *r)
{
    fixture f = { NULL, NULL, NULL };
    wanted = what;
    atomic_store(&wrong, 0);
    atomic_store(&back, 0);
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    /* More workers than the checker takes: idle workers are not waited for. */
    assert_int_equal(new_task_of(&f, NARROW, 2 * WORKERS), OM_OK);
    uint64_t since = om_clock_ns();
    int rc = om_task_run(f.task, &checker, NULL, r);
    assert_true(om_clock_ns() - since < PATIENCE_NS);
    assert_int_equal(wrong, 0);
    free_all(&f);
    return rc;
}

static void all_come(void **state)
{
    (void) state;
    om_task_result r;
    assert_int_equal(run(COMES, &r), OM_OK);
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_int_equal(lasts, ROUNDS);
}

static void one_does_not_come(void **state)
{
    (void) state;
    om_task_result r;
    assert_int_equal(run(IS_STOPPED, &r), OM_OK);
    assert_true(r.verdict == OM_UNKNOWN && r.reason == OM_STOP_INTERRUPT);
    assert_int_equal(back, WORKERS - 1);
    assert_int_equal(run(FAILS, &r), OM_EINTERNAL);
    assert_int_equal(back, WORKERS - 1);
    assert_int_equal(run(COMPLETES, &r), OM_OK);
    assert_true(r.verdict == OM_HOLDS && back == WORKERS - 1);
    assert_int_equal(run(FINDS, &r), OM_OK);
    assert_true(r.verdict == OM_VIOLATED && back == WORKERS - 1);
}

/* ---- existing ids ---- */

enum { STATES_EACH = 1000 };

static void gaps_between_ids(void **state)
{
    (void) state;
    static bool stored[1 << 16];
    fixture f = { NULL, NULL, NULL };
    om_product *p = NULL;
    size_t n = 0, there = 0;
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    assert_int_equal(new_automaton(&f.a, f.ctx, NARROW), OM_OK);
    const om_product_spec spec = {
        .executor = &executor, .automaton = f.a, .deadlock_ap = OM_NONE, .workers = WORKERS
    };
    assert_int_equal(om_product__new(&p, f.ctx, &spec), OM_OK);
    for (unsigned w = 0; w < WORKERS; w++) {
        om_cursor *c = NULL;
        assert_int_equal(om_cursor__open(&c, p, w), OM_OK);
        for (uint32_t i = 0; i < STATES_EACH + w; i++) {
            const uint32_t vector[2] = { w * 10000 + i, i % AUTOMATON_STATES };
            om_id id;
            bool fresh;
            assert_int_equal(om_cursor_intern(c, vector, &id, &fresh), OM_OK);
            assert_true(fresh && id < sizeof stored / sizeof *stored);
            stored[id] = true;
            n++;
        }
        om_cursor__close(c);
    }
    const om_id bound = om_product_id_bound(p);
    assert_true(bound > n); /* there are gaps */
    for (om_id id = 0; id < bound + 10; id++) {
        assert_int_equal(om_product_has(p, id), stored[id]);
        there += om_product_has(p, id);
    }
    assert_true(there == n && n == om_product_state_count(p));
    om_product__free(p);
    free_all(&f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_come),
        cmocka_unit_test(one_does_not_come),
        cmocka_unit_test(gaps_between_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
