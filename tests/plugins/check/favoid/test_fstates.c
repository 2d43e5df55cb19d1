/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the list of states from which favoid starts searches, without the checker. A search from a
 * state is a walk that adds a few other states to the list and then marks the state dead, as
 * searches of the checker do. When a worker is told that nothing is left, every reachable state
 * must be dead.
 */
#include "fstates.h"
#include "random_case.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MOST_WORKERS = 16, MOST_STATES = 3000, OUT = 4 };

typedef struct forest {
    fstates *f;
    uint32_t n, out;
    uint32_t to[MOST_STATES][OUT];
    bool reached[MOST_STATES];
    atomic_bool dead[MOST_STATES];
    atomic_uint searches; /* of all workers together */
    atomic_uint wrong;
} forest;

typedef struct member {
    forest *forest;
    pthread_t thread;
    unsigned number;
    uint32_t picked;
} member;

static int is_dead(void *self, om_id id, bool *dead)
{
    forest *t = self;
    *dead = atomic_load_explicit(&t->dead[id], memory_order_acquire);
    return OM_OK;
}

static void search(member *m, uint32_t id)
{
    forest *t = m->forest;
    (void) atomic_fetch_add(&t->searches, 1);
    if (id % 4 == 1) /* if the list ends other workers too early, they find this state alive */
        (void) om_yield(OM_NAP_NS);
    for (uint32_t k = 0; k < t->out; k++)
        if (!atomic_load(&t->dead[t->to[id][k]]) &&
            fstates_add(t->f, m->number, t->to[id][k]) != OM_OK)
            (void) atomic_fetch_add(&t->wrong, 1);
    atomic_store_explicit(&t->dead[id], true, memory_order_release);
}

static void *work(void *self)
{
    member *m = self;
    forest *t = m->forest;
    om_id id = OM_NO_ID;
    search(m, 0);
    while (fstates_pick(t->f, m->number, is_dead, t, &id) == OM_OK && id != OM_NO_ID) {
        m->picked++;
        search(m, (uint32_t) id);
    }
    if (id != OM_NO_ID)
        (void) atomic_fetch_add(&t->wrong, 1);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->reached[i] && !atomic_load(&t->dead[i]))
            (void) atomic_fetch_add(&t->wrong, 1);
    return NULL;
}

static uint32_t reach(forest *t, uint32_t from)
{
    static uint32_t stack[MOST_STATES];
    uint32_t depth = 0, n = 1;
    t->reached[from] = true;
    stack[depth++] = from;
    while (depth > 0) {
        uint32_t v = stack[--depth];
        for (uint32_t k = 0; k < t->out; k++)
            if (!t->reached[t->to[v][k]]) {
                t->reached[t->to[v][k]] = true;
                stack[depth++] = t->to[v][k];
                n++;
            }
    }
    return n;
}

/* Makes far edges, near edges or a chain: many start states at a time, or one. */
static void grow(forest *t, om_random *r)
{
    uint32_t most = 1u << om_random_below(r, 12);
    t->n = 1 + (uint32_t) om_random_below(r, most < MOST_STATES ? most : MOST_STATES);
    t->out = 1 + (uint32_t) om_random_below(r, OUT);
    uint32_t near = (uint32_t) om_random_below(r, 3);
    for (uint32_t i = 0; i < t->n; i++) {
        t->reached[i] = false;
        atomic_init(&t->dead[i], false);
        for (uint32_t k = 0; k < t->out; k++)
            t->to[i][k] = near == 0   ? (i + 1) % t->n
                          : near == 1 ? (i + 1 + (uint32_t) om_random_below(r, 5)) % t->n
                                      : (uint32_t) om_random_below(r, t->n);
    }
    atomic_init(&t->searches, 0);
    atomic_init(&t->wrong, 0);
}

typedef struct fixture {
    om_context *ctx;
    om_task *task;
    graph g;
    om_executor executor;
    om_automaton *a;
} fixture;

static uint32_t run_case(const fixture *x, forest *t, uint64_t number)
{
    om_random r = { number };
    member members[MOST_WORKERS];
    unsigned workers = 1u << number % 5;
    grow(t, &r);
    uint32_t reached = reach(t, 0), most = 0;
    assert_int_equal(fstates_new(&t->f, x->task, workers), OM_OK);
    for (unsigned i = 0; i < workers; i++) {
        members[i] = (member){ .forest = t, .number = i };
        assert_int_equal(pthread_create(&members[i].thread, NULL, work, &members[i]), 0);
    }
    for (unsigned i = 0; i < workers; i++) {
        assert_int_equal(pthread_join(members[i].thread, NULL), 0);
        most = members[i].picked > most ? members[i].picked : most;
    }
    if (atomic_load(&t->wrong) != 0)
        fail_msg("case %llu, %u workers", (unsigned long long) number, workers);
    assert_true(atomic_load(&t->searches) >= reached);
    if (workers == 1) {
        assert_int_equal(atomic_load(&t->searches), reached);
        assert_int_equal(fstates_retries(t->f), 0);
    }
    assert_true(fstates_bytes(t->f) >= (reached - 1) * sizeof(om_id));
    fstates_free(t->f);
    return most;
}

static void nothing_is_left(void **state)
{
    enum { CASES = 200 };
    static forest t;
    const fixture *x = *state;
    uint32_t most = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        uint32_t picked = run_case(x, &t, i);
        most = picked > most ? picked : most;
    }
    assert_true(most > 64); /* more than one block of a list */
}

static int set_up(void **state)
{
    static fixture x;
    om_random r = { 1 };
    graph_one(&x.g);
    graph_executor(&x.g, &x.executor);
    if (om_context_new(&x.ctx, NULL) != OM_OK)
        return -1;
    x.a = random_lone_automaton(x.ctx, &r);
    const om_task_spec spec = { .product = { .executor = &x.executor,
                                    .automaton = x.a,
                                    .stutter = true,
                                    .deadlock_ap = OM_NONE,
                                    .workers = 1 },
        .strength = OM_STRONG };
    om_cursor *c = NULL; /* opening a cursor creates the product */
    *state = &x;
    return om_task_new(&x.task, x.ctx, &spec) == OM_OK && om_task_cursor(x.task, 0, &c) == OM_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    fixture *x = *state;
    om_task_free(x->task);
    om_automaton_free(x->a);
    graph_free(&x->g);
    om_context_free(x->ctx);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
        nothing_is_left, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
