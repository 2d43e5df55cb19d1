/* SPDX-License-Identifier: Apache-2.0 */
/* Classes shared by workers: operations of one thread, and of many threads on the same classes. */
#include <omen/host/omen.h>

#include "product.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MOST_THREADS = 8, RING = 12, RINGS = 3000, NODES = 4000, UNITES = 5000 };

/* A product that is never explored: classes need one for their side array. */
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
    uint32_t sets;
} fixture;

static int set_up(void **state, uint32_t sets)
{
    static fixture f;
    om_product_spec spec = { .executor = &nothing, .deadlock_ap = OM_NONE, .workers = 1 };
    uint32_t first;
    f = (fixture){ .sets = sets };
    if (om_context_new(&f.ctx, NULL) != OM_OK ||
        om_automaton_new(&f.automaton, f.ctx, 0, NULL) != OM_OK ||
        om_automaton_add_states(f.automaton, 1, &first) != OM_OK ||
        om_automaton_set_generalized_buchi(f.automaton, sets) != OM_OK ||
        om_automaton_add_initial(f.automaton, first) != OM_OK ||
        om_automaton_finish(f.automaton) != OM_OK)
        return -1;
    spec.automaton = f.automaton;
    *state = &f;
    return om_product__new(&f.product, f.ctx, &spec) == OM_OK ? 0 : -1;
}

static int set_up_16(void **state)
{
    return set_up(state, 16);
}

static int set_up_17(void **state)
{
    return set_up(state, 17);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_product__free(f->product);
    om_automaton_free(f->automaton);
    om_context_free(f->ctx);
    return 0;
}

static om_scc_sets *classes_of(const fixture *f)
{
    om_scc_sets *c = NULL;
    assert_int_equal(om_scc_sets_new(&c, f->product), OM_OK);
    return c;
}

/* ---- one thread ---- */

static om_scc_status look(om_scc_sets *c, unsigned worker, om_id id)
{
    om_scc_status is;
    om_id representative;
    assert_int_equal(om_scc_sets_lookup(c, worker, id, &is, &representative), OM_OK);
    return is;
}

static om_scc_status claim(om_scc_sets *c, unsigned worker, om_id id)
{
    om_scc_status was;
    assert_int_equal(om_scc_sets_claim(c, worker, id, &was), OM_OK);
    return was;
}

static om_marks unite(om_scc_sets *c, om_id a, om_id b, om_marks marks)
{
    om_marks total;
    assert_int_equal(om_scc_sets_unite(c, a, b, marks, &total), OM_OK);
    return total;
}

static bool same(om_scc_sets *c, om_id a, om_id b)
{
    bool is;
    assert_int_equal(om_scc_sets_same(c, a, b, &is), OM_OK);
    return is;
}

static bool done(om_scc_sets *c, om_id id)
{
    bool already;
    assert_int_equal(om_scc_sets_done(c, id, &already), OM_OK);
    return already;
}

static om_id pick(om_scc_sets *c, om_id id)
{
    om_id picked;
    assert_int_equal(om_scc_sets_pick(c, id, &picked), OM_OK);
    return picked;
}

static void workers_and_marks(void **state)
{
    const fixture *f = *state;
    om_scc_sets *c = classes_of(f);
    om_marks last = UINT64_C(1) << (f->sets - 1);
    unsigned w = OM_SCC_SETS_WORKERS - 1;

    assert_int_equal(look(c, 0, 1), OM_SCC_NEW);
    assert_int_equal(claim(c, 0, 1), OM_SCC_NEW);
    assert_int_equal(claim(c, 0, 1), OM_SCC_MINE);
    assert_int_equal(look(c, w, 1), OM_SCC_OTHERS);
    assert_int_equal(claim(c, w, 1), OM_SCC_OTHERS);
    assert_int_equal(look(c, w, 1), OM_SCC_MINE);
    assert_int_equal(claim(c, 2, 5), OM_SCC_NEW);
    assert_true(!same(c, 1, 5) && same(c, 5, 5));
    assert_true(unite(c, 1, 1, 1) == 1);
    assert_true(unite(c, 5, 5, 2) == 2);
    assert_true(unite(c, 1, 5, last) == (3 | last));
    assert_true(same(c, 5, 1));
    assert_int_equal(look(c, 0, 5), OM_SCC_MINE);
    assert_int_equal(look(c, w, 5), OM_SCC_MINE);
    assert_int_equal(look(c, 2, 1), OM_SCC_MINE);
    assert_int_equal(look(c, 1, 1), OM_SCC_OTHERS);
    assert_int_equal(look(c, 1, 2), OM_SCC_NEW);
    om_scc_sets_fetch(c, 1);
    om_scc_sets_fetch(c, 1 << 30);
    assert_true(om_scc_sets_bytes(c) >= (uint64_t) 1024 * 16);
    om_scc_sets_free(c);
}

/* While the representative is unchanged, so is the class. A state that is united and done at once
 * is on no list. */
static void united_and_done(void **state)
{
    om_scc_sets *c = classes_of(*state);
    om_scc_status is;
    om_id first, second;
    om_marks total;
    for (om_id i = 0; i < 40; i++)
        assert_int_equal(claim(c, 3, i), OM_SCC_NEW);
    for (om_id i = 1; i < 40; i++) {
        assert_int_equal(om_scc_sets_unite_done(c, i, i - 1, 1 << (i % 8), &total), OM_OK);
        assert_true(total == (i < 8 ? (UINT64_C(2) << i) - 2 : 255));
        assert_true(done(c, i));
        assert_int_equal(om_scc_sets_lookup(c, 3, i, &is, &first), OM_OK);
        assert_int_equal(om_scc_sets_lookup(c, 3, 0, &is, &second), OM_OK);
        assert_true(is == OM_SCC_MINE && first == second && first <= i);
        assert_true(pick(c, i) == 0);
    }
    assert_int_equal(om_scc_sets_add(c, 39, 256, &total), OM_OK);
    assert_true(total == 511);
    assert_false(done(c, 0));
    assert_true(pick(c, 7) == OM_NO_ID);
    assert_int_equal(look(c, 1, 39), OM_SCC_DEAD);
    om_scc_sets_free(c);
}

static void lists(void **state)
{
    om_scc_sets *c = classes_of(*state);
    for (om_id i = 0; i < 50; i++)
        assert_int_equal(claim(c, 0, i), OM_SCC_NEW);
    for (om_id i = 1; i < 50; i++)
        unite(c, i, i * 7 % i, 0);
    for (om_id left = 50; left > 0; left--) {
        om_id at = pick(c, left % 50);
        assert_true(at < 50);
        assert_int_equal(look(c, 0, at), OM_SCC_MINE);
        assert_false(done(c, at));
        assert_true(done(c, at));
    }
    for (om_id i = 0; i < 50; i++) {
        assert_true(pick(c, i) == OM_NO_ID);
        assert_int_equal(look(c, (unsigned) i % 3, i), OM_SCC_DEAD);
        assert_int_equal(claim(c, 0, i), OM_SCC_DEAD);
        assert_true(done(c, i));
    }
    assert_int_equal(look(c, 0, 50), OM_SCC_NEW);
    om_scc_sets_free(c);
}

/* ---- many threads ---- */

typedef struct crew {
    om_scc_sets *c;
    pthread_barrier_t *start;
    unsigned number, threads;
    const om_id *pairs;
    const om_marks *marks;
    om_marks *totals;
    size_t first, end;
    atomic_uint *arrived;  /* by ring: number of threads that arrived */
    atomic_uint *explored; /* by node: number of times that it was explored */
    const char *complaint; /* first error */
} crew;

static void complain(crew *k, bool fine, const char *what)
{
    if (!fine && k->complaint == NULL)
        k->complaint = what;
}

static void run(crew *all, unsigned threads, void *(*work)(void *) )
{
    pthread_barrier_t start;
    pthread_t t[MOST_THREADS];
    assert_int_equal(pthread_barrier_init(&start, NULL, threads), 0);
    for (unsigned i = 0; i < threads; i++) {
        all[i].start = &start;
        all[i].number = i;
        all[i].threads = threads;
        assert_int_equal(pthread_create(&t[i], NULL, work, &all[i]), 0);
    }
    for (unsigned i = 0; i < threads; i++)
        assert_int_equal(pthread_join(t[i], NULL), 0);
    for (unsigned i = 0; i < threads; i++)
        if (all[i].complaint != NULL)
            fail_msg("thread %u of %u: %s", i, threads, all[i].complaint);
    pthread_barrier_destroy(&start);
}

/* A thread that has united two states finds them united from then on, with itself in their
 * class. */
static void *do_unites(void *p)
{
    crew *k = p;
    bool is = false;
    om_scc_status was, now = OM_SCC_NEW;
    om_id representative;
    (void) pthread_barrier_wait(k->start);
    for (size_t i = k->first; i < k->end; i++) {
        om_id a = k->pairs[2 * i], b = k->pairs[2 * i + 1];
        bool ok = om_scc_sets_claim(k->c, k->number, a, &was) == OM_OK;
        ok = ok && om_scc_sets_unite(k->c, a, b, k->marks[i], &k->totals[i]) == OM_OK;
        ok = ok && om_scc_sets_same(k->c, b, a, &is) == OM_OK;
        ok = ok && om_scc_sets_lookup(k->c, k->number, b, &now, &representative) == OM_OK;
        complain(k, ok, "a failure");
        complain(k, is, "united, but not the same");
        complain(k, now == OM_SCC_MINE, "united, but not the worker's");
        complain(k, (k->marks[i] & ~k->totals[i]) == 0, "marks are missing");
    }
    return NULL;
}

static uint32_t root_of(uint32_t *parent, uint32_t x)
{
    while (parent[x] != x)
        x = parent[x] = parent[parent[x]];
    return x;
}

/* Partition and marks are those of sequential execution, and one unite of each class returned all
 * of its marks. */
static void compare(
    om_scc_sets *c, const om_id *pairs, const om_marks *marks, const om_marks *totals)
{
    uint32_t *parent = calloc(NODES, sizeof *parent);
    om_marks *all = calloc(NODES, sizeof *all);
    bool *told = calloc(NODES, sizeof *told), *united = calloc(NODES, sizeof *united);
    for (uint32_t i = 0; i < NODES; i++)
        parent[i] = i;
    for (size_t i = 0; i < UNITES; i++)
        parent[root_of(parent, (uint32_t) pairs[2 * i])] =
            root_of(parent, (uint32_t) pairs[2 * i + 1]);
    for (size_t i = 0; i < UNITES; i++)
        all[root_of(parent, (uint32_t) pairs[2 * i])] |= marks[i];
    for (size_t i = 0; i < UNITES; i++) {
        uint32_t r = root_of(parent, (uint32_t) pairs[2 * i]);
        united[r] = true;
        told[r] = told[r] || totals[i] == all[r];
        assert_true((totals[i] & ~all[r]) == 0);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t r = root_of(parent, i), j = (i + 1) % NODES;
        assert_true(same(c, i, r));
        assert_int_equal(same(c, i, j), r == root_of(parent, j));
        assert_true(unite(c, i, i, 0) == all[r]);
        assert_true(!united[r] || told[r]);
    }
    free(parent);
    free(all);
    free(told);
    free(united);
}

/* Each node of each class is picked from the lists once. */
static void drain(om_scc_sets *c)
{
    bool *seen = calloc(NODES, sizeof *seen);
    for (om_id i = 0; i < NODES; i++)
        for (om_id at; (at = pick(c, i)) != OM_NO_ID;) {
            assert_true(at < NODES && !seen[at]);
            assert_true(same(c, i, at));
            seen[at] = true;
            done(c, at);
        }
    for (om_id i = 0; i < NODES; i++)
        assert_true(seen[i] && look(c, 0, i) == OM_SCC_DEAD);
    free(seen);
}

static void unites_by_many(void **state)
{
    static const unsigned threads[] = { 2, 3, 8 };
    const fixture *f = *state;
    om_id *pairs = calloc((size_t) 2 * UNITES, sizeof *pairs);
    om_marks *marks = calloc(UNITES, sizeof *marks), *totals = calloc(UNITES, sizeof *totals);
    for (size_t round = 0; round < 30; round++) {
        crew all[MOST_THREADS] = { { 0 } };
        unsigned n = threads[round % 3];
        om_random r = { round };
        uint64_t near = round % 2 == 0 ? NODES : 40; /* far apart, or in many small classes */
        om_scc_sets *c = classes_of(f);
        for (size_t i = 0; i < UNITES; i++) {
            pairs[2 * i] = om_random_below(&r, NODES);
            pairs[2 * i + 1] = pairs[2 * i] / near * near + om_random_below(&r, near);
            marks[i] =
                om_random_below(&r, 3) == 0 ? UINT64_C(1) << om_random_below(&r, f->sets) : 0;
        }
        for (unsigned t = 0; t < n; t++)
            all[t] = (crew){ .c = c,
                .pairs = pairs,
                .marks = marks,
                .totals = totals,
                .first = (size_t) UNITES * t / n,
                .end = (size_t) UNITES * (t + 1) / n };
        run(all, n, do_unites);
        compare(c, pairs, marks, totals);
        drain(c);
        om_scc_sets_free(c);
    }
    free(pairs);
    free(marks);
    free(totals);
}

/* Each thread adds marks to the first state of a pair, and unites the pair. The total includes its
 * marks, even if another thread unites the pair meanwhile. */
static void *do_same_pairs(void *p)
{
    crew *k = p;
    const om_marks mine = UINT64_C(1) << k->number;
    (void) pthread_barrier_wait(k->start);
    for (om_id i = 0; i + 1 < NODES; i += 2) {
        om_marks before = 0, after = 0;
        const bool ok = om_scc_sets_add(k->c, i, mine, &before) == OM_OK &&
                        om_scc_sets_unite(k->c, i, i + 1, 0, &after) == OM_OK;
        complain(k, ok, "a failure");
        complain(k, (before & mine) != 0 && (before & ~after) == 0, "marks are missing");
    }
    return NULL;
}

static void same_pairs_by_many(void **state)
{
    const fixture *f = *state;
    for (size_t round = 0; round < 200; round++) {
        crew all[MOST_THREADS] = { { 0 } };
        const unsigned n = 2 + round % 3;
        om_scc_sets *c = classes_of(f);
        for (unsigned t = 0; t < n; t++)
            all[t].c = c;
        run(all, n, do_same_pairs);
        om_scc_sets_free(c);
    }
}

/*
 * Rings: the only edge of a node leads to the next one; some edges have a mark of their own. Each
 * thread starts at some node and proceeds like a checker until all nodes of the class are done.
 * The class must then be the whole ring with all marks, and each node must have been explored.
 */
static bool explore_ring(crew *k, om_id base, om_id start)
{
    om_marks total = 0;
    bool already, is = true;
    om_scc_status was;
    om_id at = start;
    if (om_scc_sets_claim(k->c, k->number, start, &was) != OM_OK)
        return false;
    while (at != OM_NO_ID) {
        om_id next = base + (at - base + 1) % RING;
        om_marks mark = at - base < 16 ? UINT64_C(1) << (at - base) : 0;
        if (om_scc_sets_claim(k->c, k->number, next, &was) != OM_OK)
            return false;
        (void) atomic_fetch_add_explicit(&k->explored[at], 1, memory_order_relaxed);
        /* The only edge of the node is then finished; some calls say so at once. */
        int (*join)(om_scc_sets *, om_id, om_id, om_marks, om_marks *) =
            base / RING % 3 != 0 ? om_scc_sets_unite_done : om_scc_sets_unite;
        if (was != OM_SCC_DEAD && join(k->c, at, next, mark, &total) != OM_OK)
            return false;
        if (om_scc_sets_done(k->c, at, &already) != OM_OK ||
            om_scc_sets_pick(k->c, start, &at) != OM_OK)
            return false;
    }
    for (om_id i = 0; i < RING; i++) {
        complain(k, om_scc_sets_lookup(k->c, k->number, base + i, &was, &at) == OM_OK, "a failure");
        complain(k, was == OM_SCC_DEAD, "dead, but not all of it");
        complain(k, om_scc_sets_same(k->c, base + i, start, &is) == OM_OK && is, "dead in pieces");
        complain(k, atomic_load_explicit(&k->explored[base + i], memory_order_relaxed) > 0,
            "dead, but not all explored");
    }
    complain(k, om_scc_sets_unite(k->c, start, start, 0, &total) == OM_OK, "a failure");
    complain(k, total == (UINT64_C(1) << RING) - 1, "marks are missing");
    return true;
}

static void *do_rings(void *p)
{
    crew *k = p;
    (void) pthread_barrier_wait(k->start);
    for (size_t i = k->first; i < k->end && k->complaint == NULL; i++) {
        om_id base = (om_id) i * RING;
        /* Threads start together; otherwise they never meet. */
        (void) atomic_fetch_add(&k->arrived[i], 1);
        for (unsigned spins = 0; atomic_load(&k->arrived[i]) < k->threads; spins++)
            if (spins > 200)
                (void) om_yield(OM_NAP_NS);
        complain(k, explore_ring(k, base, base + ((size_t) k->number * 5 + i) % RING), "a failure");
    }
    /* No thread waits for one that has left. */
    for (size_t i = k->first; i < k->end; i++)
        (void) atomic_fetch_add(&k->arrived[i], k->threads);
    return NULL;
}

static void rings_by_many(void **state)
{
    static const unsigned threads[] = { 2, 8 };
    for (size_t round = 0; round < 2; round++) {
        unsigned n = threads[round];
        crew all[MOST_THREADS] = { { 0 } };
        om_scc_sets *c = classes_of(*state);
        size_t rings = RINGS / (n / 2);
        atomic_uint *arrived = calloc(rings, sizeof *arrived);
        atomic_uint *explored = calloc(rings * (size_t) RING, sizeof *explored);
        for (unsigned t = 0; t < n; t++)
            all[t] = (crew){ .c = c, .arrived = arrived, .explored = explored, .end = rings };
        run(all, n, do_rings);
        free(arrived);
        free(explored);
        om_scc_sets_free(c);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_and_marks),
        cmocka_unit_test(united_and_done),
        cmocka_unit_test(lists),
        cmocka_unit_test(unites_by_many),
        cmocka_unit_test(same_pairs_by_many),
        cmocka_unit_test(rings_by_many),
    };
    return cmocka_run_group_tests_name("16 sets", tests, set_up_16, tear_down) +
           cmocka_run_group_tests_name("17 sets", tests, set_up_17, tear_down);
}
