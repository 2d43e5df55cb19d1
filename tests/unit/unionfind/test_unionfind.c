/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/omen.h>

#include "product.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
    THREADS = 4,
    PAIR = 2,
    NODES = 20000,
    UNITES = 24000,
    SMALL = 4,
    GROUPS = 40000,
    GROUP_STEPS = 2
};

/* A product that is never explored: the union-find needs one for its side arrays. */
static void no_initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static const om_executor nothing = {
    .size = sizeof(om_executor), .name = "nothing", .words = 1, .initial = no_initial
};

typedef struct fixture {
    om_context *ctx;
    om_automaton *automaton;
    om_product *product;
    uint32_t sets; /* number of marks */
    om_unionfind_spec spec;
} fixture;

/* Each variant is tested. */
static const om_unionfind_spec variants[] = {
    { .size = sizeof(om_unionfind_spec) },
    { .size = sizeof(om_unionfind_spec), .link = OM_LINK_RANK },
    { .size = sizeof(om_unionfind_spec), .kind = OM_UNIONFIND_FINE_GRAIN },
    { .size = sizeof(om_unionfind_spec), .kind = OM_UNIONFIND_FINE_GRAIN, .link = OM_LINK_RANK },
};
enum { VARIANTS = sizeof variants / sizeof *variants };
static size_t variant;

/* 8 sets fit a byte; without an automaton, there are 64 marks. */
static int set_up(void **state, uint32_t sets)
{
    static fixture f;
    om_product_spec spec = { .executor = &nothing, .deadlock_ap = OM_NONE, .workers = 1 };
    uint32_t first;
    f = (fixture){ .sets = sets, .spec = variants[variant] };
    if (om_context_new(&f.ctx, NULL) != OM_OK)
        return -1;
    if (sets < 64) {
        if (om_automaton_new(&f.automaton, f.ctx, 0, NULL) != OM_OK ||
            om_automaton_add_states(f.automaton, 1, &first) != OM_OK ||
            om_automaton_set_generalized_buchi(f.automaton, sets) != OM_OK ||
            om_automaton_add_initial(f.automaton, first) != OM_OK ||
            om_automaton_finish(f.automaton) != OM_OK)
            return -1;
        spec.automaton = f.automaton;
    }
    *state = &f;
    return om_product__new(&f.product, f.ctx, &spec) == OM_OK ? 0 : -1;
}

static int set_up_64(void **state)
{
    return set_up(state, 64);
}

static int set_up_9(void **state)
{
    return set_up(state, 9);
}

static int set_up_8(void **state)
{
    return set_up(state, 8);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_product__free(f->product);
    om_automaton_free(f->automaton);
    om_context_free(f->ctx);
    return 0;
}

/* ---- sequential reference ---- */

typedef struct plain {
    uint32_t *parent;
    om_marks *marks;
    bool *dead;
    uint32_t n;
} plain;

static void plain_new(plain *p, uint32_t n)
{
    *p = (plain){ calloc(n, sizeof *p->parent), calloc(n, sizeof *p->marks),
        calloc(n, sizeof *p->dead), n };
    for (uint32_t i = 0; i < n; i++)
        p->parent[i] = i;
}

static void plain_free(plain *p)
{
    free(p->parent);
    free(p->marks);
    free(p->dead);
}

static uint32_t plain_find(plain *p, uint32_t x)
{
    while (p->parent[x] != x)
        x = p->parent[x] = p->parent[p->parent[x]];
    return x;
}

static void plain_unite(plain *p, uint32_t a, uint32_t b, om_marks marks)
{
    a = plain_find(p, a);
    b = plain_find(p, b);
    p->parent[a] = b;
    p->marks[b] |= p->marks[a] | marks;
    p->dead[b] = p->dead[b] || p->dead[a];
}

/* ---- several threads ---- */

typedef struct step {
    uint32_t a, b;
    om_marks marks, total;
    bool kill; /* kill a */
} step;

typedef struct crew {
    om_unionfind *u;
    pthread_barrier_t *start;
    step *steps;
    size_t count;
    atomic_uint *meet; /* if not NULL, both threads of a pair meet every GROUP_STEPS steps */
    int rc;
    bool flickered; /* a dead state was seen alive afterwards */
} crew;

/* On a busy machine, threads cannot be forced to run concurrently. */
static void wait_for_all(atomic_uint *arrived)
{
    (void) atomic_fetch_add(arrived, 1);
    for (unsigned spins = 0; atomic_load(arrived) < PAIR; spins++)
        if (spins > 200 && !om_yield(0))
            return;
}

static void *do_steps(void *p)
{
    crew *c = p;
    bool dead = true;
    (void) pthread_barrier_wait(c->start);
    for (size_t i = 0; i < c->count && c->rc == OM_OK; i++) {
        step *s = &c->steps[i];
        if (c->meet != NULL && i % GROUP_STEPS == 0)
            wait_for_all(&c->meet[i / GROUP_STEPS]);
        if (s->kill) {
            c->rc = om_unionfind_kill(c->u, s->a);
            if (c->rc == OM_OK)
                c->rc = om_unionfind_dead(c->u, s->a, &dead);
            c->flickered = c->flickered || !dead;
        } else {
            c->rc = om_unionfind_unite(c->u, s->a, s->b, s->marks, &s->total);
        }
    }
    return NULL;
}

static void run_crew(om_unionfind *u, step *steps, size_t count, size_t crowd, atomic_uint *meet)
{
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    crew all[THREADS];
    assert_int_equal(pthread_barrier_init(&start, NULL, (unsigned) crowd), 0);
    for (size_t t = 0; t < crowd; t++) {
        size_t first = count * t / crowd, end = count * (t + 1) / crowd;
        all[t] = (crew){
            .u = u, .start = &start, .steps = steps + first, .count = end - first, .meet = meet
        };
        assert_int_equal(pthread_create(&threads[t], NULL, do_steps, &all[t]), 0);
    }
    for (size_t t = 0; t < crowd; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(all[t].rc, OM_OK);
        assert_false(all[t].flickered);
    }
    pthread_barrier_destroy(&start);
}

static void random_steps(
    const fixture *f, step *steps, size_t count, uint32_t nodes, uint32_t kills, uint64_t seed)
{
    om_random r = { seed };
    for (size_t i = 0; i < count; i++)
        steps[i] = (step){ .a = (uint32_t) om_random_below(&r, nodes),
            .b = (uint32_t) om_random_below(&r, nodes),
            .marks = om_random_below(&r, 3) == 0 ? UINT64_C(1) << om_random_below(&r, f->sets) : 0,
            .kill = kills != 0 && om_random_below(&r, kills) == 0 };
}

/* Partition, marks and dead bits are those of sequential execution, and in each live class at
 * least one unite returned all of its marks. */
static void compare(om_unionfind *u, const step *steps, size_t count, uint32_t nodes)
{
    plain p;
    bool flag;
    plain_new(&p, nodes);
    om_marks *best = calloc(nodes, sizeof *best);
    bool *united = calloc(nodes, sizeof *united);
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kill)
            p.dead[plain_find(&p, steps[i].a)] = true;
        else
            plain_unite(&p, steps[i].a, steps[i].b, steps[i].marks);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t root = plain_find(&p, steps[i].a);
        if (steps[i].kill)
            continue;
        united[root] = true;
        assert_true((steps[i].total & ~p.marks[root]) == 0);
        best[root] = __builtin_popcountll(steps[i].total) > __builtin_popcountll(best[root])
                         ? steps[i].total
                         : best[root];
    }
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t root = plain_find(&p, i), next = (i + 1) % nodes;
        assert_int_equal(om_unionfind_same(u, i, root, &flag), OM_OK);
        assert_true(flag);
        assert_int_equal(om_unionfind_same(u, i, next, &flag), OM_OK);
        assert_int_equal(flag, root == plain_find(&p, next));
        assert_int_equal(om_unionfind_dead(u, i, &flag), OM_OK);
        assert_int_equal(flag, p.dead[root]);
        if (united[root] && !p.dead[root])
            assert_true(best[root] == p.marks[root]);
        om_marks total;
        assert_int_equal(om_unionfind_unite(u, i, i, 0, &total), OM_OK);
        assert_true(total == (p.dead[root] ? 0 : p.marks[root]));
    }
    free(best);
    free(united);
    plain_free(&p);
}

static void one_big_run(fixture *f, uint32_t kills)
{
    om_unionfind *u = NULL;
    step *steps = calloc(UNITES, sizeof *steps);
    assert_non_null(steps);
    random_steps(f, steps, UNITES, NODES, kills, 7 + kills);
    assert_int_equal(om_unionfind_new_as(&u, f->product, &f->spec), OM_OK);
    run_crew(u, steps, UNITES, THREADS, NULL);
    compare(u, steps, UNITES, NODES);
    assert_true(om_unionfind_bytes(u) >= NODES * sizeof(uint64_t));
    om_unionfind_free(u);
    free(steps);
}

static void as_if_one_after_the_other(void **state)
{
    one_big_run(*state, 0);
}

static void dead_classes(void **state)
{
    one_big_run(*state, 200);
}

/* Many groups of few nodes; two threads proceed from group to group together, so that they always
 * compete for the same roots. */
static void under_contention(void **state)
{
    fixture *f = *state;
    size_t count = (size_t) PAIR * GROUPS * GROUP_STEPS;
    step *steps = calloc(count, sizeof *steps);
    om_unionfind *u = NULL;
    atomic_uint *meet = calloc(GROUPS, sizeof *meet);
    assert_non_null(steps);
    assert_non_null(meet);
    random_steps(f, steps, count, SMALL, 40, 11);
    for (size_t i = 0; i < count; i++) {
        uint32_t group = (uint32_t) (i / GROUP_STEPS % GROUPS);
        steps[i].a += group * SMALL;
        steps[i].b += group * SMALL;
    }
    assert_int_equal(om_unionfind_new_as(&u, f->product, &f->spec), OM_OK);
    run_crew(u, steps, count, PAIR, meet);
    compare(u, steps, count, GROUPS * SMALL);
    om_unionfind_free(u);
    free(steps);
    free(meet);
}

static void death_spreads(void **state)
{
    fixture *f = *state;
    om_unionfind *u = NULL;
    om_marks total;
    bool flag;
    assert_int_equal(om_unionfind_new_as(&u, f->product, &f->spec), OM_OK);
    assert_int_equal(om_unionfind_unite(u, 1, 2, 5, &total), OM_OK);
    assert_true(total == 5);
    assert_int_equal(om_unionfind_dead(u, 9, &flag), OM_OK);
    assert_false(flag);
    assert_int_equal(om_unionfind_kill(u, 3), OM_OK);
    assert_int_equal(om_unionfind_unite(u, 4, 3, 1, &total), OM_OK);
    assert_true(total == 0);
    assert_int_equal(om_unionfind_unite(u, 2, 4, 0, &total), OM_OK);
    assert_true(total == 0);
    for (om_id i = 1; i <= 4; i++) {
        assert_int_equal(om_unionfind_known_dead(u, i, &flag), OM_OK);
        assert_int_equal(om_unionfind_dead(u, i, &flag), OM_OK);
        assert_true(flag);
        assert_int_equal(om_unionfind_known_dead(u, i, &flag), OM_OK);
        assert_true(flag); /* a previous call returned true */
    }
    for (om_id i = 9; i < 12; i++) {
        assert_int_equal(om_unionfind_known_dead(u, i, &flag), OM_OK);
        assert_false(flag);
    }
    assert_true(om_unionfind_retries(u) == 0);
    om_unionfind_free(u);
}

static void kinds_that_there_are_not(void **state)
{
    fixture *f = *state;
    om_unionfind *u = NULL;
    om_unionfind_spec spec = { .size = sizeof spec, .kind = 2 };
    assert_int_equal(om_unionfind_new_as(&u, f->product, &spec), OM_EINVAL);
    spec = (om_unionfind_spec){ .size = sizeof spec, .link = 2 };
    assert_int_equal(om_unionfind_new_as(&u, f->product, &spec), OM_EINVAL);
    spec = (om_unionfind_spec){ .size = 4 };
    assert_int_equal(om_unionfind_new_as(&u, f->product, &spec), OM_EINVAL);
    assert_null(u);
    om_context_clear(f->ctx);
    assert_int_equal(om_unionfind_new(&u, f->product), OM_OK);
    om_unionfind_free(u);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_if_one_after_the_other),
        cmocka_unit_test(dead_classes),
        cmocka_unit_test(under_contention),
        cmocka_unit_test(death_spreads),
        cmocka_unit_test(kinds_that_there_are_not),
    };
    int failed = 0;
    for (variant = 0; variant < VARIANTS; variant++)
        failed += cmocka_run_group_tests_name("64 sets", tests, set_up_64, tear_down) +
                  cmocka_run_group_tests_name("9 sets", tests, set_up_9, tear_down) +
                  cmocka_run_group_tests_name("8 sets", tests, set_up_8, tear_down);
    return failed;
}
