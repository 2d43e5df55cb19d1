/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "heap.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

enum {
    WORDS = 5,
    LONG = 80,
    ROW_MOST = 2 * LONG,
    THREADS = 8,
    VALUES = 30000,
    TRIES = 40000,
    BATCH = 7
};

static void make_vector(uint64_t value, uint32_t words, uint32_t *vector)
{
    /* Similar vectors, to expose inexact comparisons or fingerprints. */
    for (uint32_t i = 0; i < words; i++)
        vector[i] = 0;
    vector[value % words] = (uint32_t) value;
}

typedef struct crowd {
    om_store *store;
    uint32_t words;
    unsigned worker;
    int rc;
    uint64_t fresh;
    uint64_t *ids; /* by value: id + 1 as seen by this thread */
} crowd;

/* The vectors of a tree are near one of the batch before. */
static void *intern_randomly(void *p)
{
    crowd *c = p;
    om_random r = { c->worker };
    uint32_t vectors[BATCH * LONG], row[ROW_MOST] = { 0 };
    uint64_t values[BATCH], ids[BATCH];
    const uint32_t *near[BATCH] = { NULL };
    bool fresh[BATCH];

    for (unsigned i = 0; i < TRIES / BATCH && c->rc == OM_OK; i++) {
        for (unsigned k = 0; k < BATCH; k++) {
            values[k] = om_random_below(&r, VALUES);
            make_vector(values[k], c->words, vectors + (size_t) k * c->words);
        }
        if (i > 0 && om_store__row_words(c->store) > c->words) {
            om_store__rows(c->store, ids, 1, row);
            near[i % BATCH] = row;
        }
        c->rc = om_store__intern(c->store, c->worker, vectors, c->words, BATCH, near, ids, fresh);
        for (unsigned k = 0; k < BATCH && c->rc == OM_OK; k++) {
            c->fresh += fresh[k];
            if (c->ids[values[k]] != 0 && c->ids[values[k]] != ids[k] + 1)
                c->rc = OM_EINTERNAL;
            c->ids[values[k]] = ids[k] + 1;
        }
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
    return (x > y) - (x < y);
}

/* All threads agree on the id of each value, no two values share one, and every vector is
 * unchanged. */
static uint64_t check_crowd(const crowd *all)
{
    uint64_t *seen = calloc(VALUES, sizeof *seen), distinct = 0;
    uint32_t vector[LONG], row[ROW_MOST];
    assert_non_null(seen);
    for (uint64_t v = 0; v < VALUES; v++) {
        uint64_t id = 0;
        for (unsigned t = 0; t < THREADS; t++) {
            if (all[t].ids[v] == 0)
                continue;
            assert_true(id == 0 || id == all[t].ids[v]);
            id = all[t].ids[v];
        }
        if (id == 0)
            continue;
        make_vector(v, all[0].words, vector);
        assert_memory_equal(
            om_store__row(all[0].store, id - 1, row), vector, all[0].words * sizeof *vector);
        assert_true(id - 1 < om_store__bound(all[0].store));
        seen[distinct++] = id;
    }
    qsort(seen, (size_t) distinct, sizeof *seen, by_value);
    for (uint64_t i = 1; i < distinct; i++)
        assert_true(seen[i - 1] != seen[i]);
    free(seen);
    return distinct;
}

static void grow_under_eight_threads(om_store_kind kind, uint32_t words, om_set_hooks hooks)
{
    static const uint64_t entries[] = { 0, 16, 1024 };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        om_store_spec spec = { .heap = om_heap_default(),
            .kind = kind,
            .words = words,
            .workers = THREADS,
            .entries = entries[i],
            .hooks = hooks };
        pthread_t threads[THREADS];
        crowd all[THREADS];
        uint64_t fresh = 0;
        om_store *s = NULL;
        assert_int_equal(om_store__new(&s, &spec), OM_OK);
        uint64_t before = om_store__entries(s);
        for (unsigned t = 0; t < THREADS; t++) {
            all[t] = (crowd){
                .store = s, .words = words, .worker = t, .ids = calloc(VALUES, sizeof(uint64_t))
            };
            assert_int_equal(pthread_create(&threads[t], NULL, intern_randomly, &all[t]), 0);
        }
        for (unsigned t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
            assert_int_equal(all[t].rc, OM_OK);
            fresh += all[t].fresh;
        }
        uint64_t distinct = check_crowd(all);
        /* VALUES vectors were interned 320,000 times: all but a few occurred. */
        assert_true(distinct > VALUES - 100);
        assert_true(om_store__count(s) == distinct && fresh == distinct);
        assert_true(om_store__bound(s) - distinct <= THREADS * 1024);
        assert_true(om_store__entries(s) > 16 * before || before >= VALUES);
        assert_true(om_store__bytes(s) >= distinct * (kind == OM_STORE_TREE ? 2 : words) * 4);
        for (unsigned t = 0; t < THREADS; t++)
            free(all[t].ids);
        om_store__free(s);
    }
}

static void plain_grows_under_eight_threads(void **state)
{
    (void) state;
    grow_under_eight_threads(OM_STORE_PLAIN, WORDS, (om_set_hooks){ .hash_mask = 0 });
    grow_under_eight_threads(OM_STORE_PLAIN, WORDS, (om_set_hooks){ .single_entries = 4096 });
    grow_under_eight_threads(
        OM_STORE_PLAIN, WORDS, (om_set_hooks){ .single_entries = 4096, .split_entries = 32 });
}

static void trees_grow_under_eight_threads(void **state)
{
    (void) state;
    grow_under_eight_threads(OM_STORE_TREE, WORDS, (om_set_hooks){ .hash_mask = 0 });
    grow_under_eight_threads(OM_STORE_TREE, WORDS, (om_set_hooks){ .compress_at = 500 });
    grow_under_eight_threads(OM_STORE_TREE, WORDS,
        (om_set_hooks){ .single_entries = 4096, .narrow_bits = 14, .compress_at = 9000 });
    grow_under_eight_threads(OM_STORE_TREE, WORDS,
        (om_set_hooks){ .single_entries = 2048, .split_entries = 16, .compress_at = 1000 });
    grow_under_eight_threads(OM_STORE_TREE, LONG, (om_set_hooks){ .compress_at = 2000 });
}

static void a_batch_may_repeat_itself(void **state)
{
    (void) state;
    om_store_spec spec = { .heap = om_heap_default(), .words = 1, .workers = 1 };
    uint32_t vectors[300];
    uint64_t ids[300];
    bool fresh[300];
    om_store *s = NULL;
    assert_int_equal(om_store__new(&s, &spec), OM_OK);
    for (uint32_t i = 0; i < 300; i++)
        vectors[i] = i % 100;
    assert_int_equal(om_store__intern(s, 0, vectors, 1, 300, NULL, ids, fresh), OM_OK);
    for (uint32_t i = 0; i < 300; i++) {
        assert_true(ids[i] == i % 100);
        assert_int_equal(fresh[i], i < 100);
    }
    assert_true(om_store__count(s) == 100);
    om_store__free(s);
}

/* Interns 0, 1, 2, ... until an error. Returns the number of stored vectors. */
static uint64_t fill(om_store *s, uint64_t most, int *rc)
{
    for (uint64_t i = 0; i < most; i++) {
        uint32_t vector[WORDS];
        uint64_t id;
        bool fresh;
        make_vector(i * WORDS + i % WORDS, WORDS, vector);
        *rc = om_store__intern(s, 0, vector, WORDS, 1, NULL, &id, &fresh);
        if (*rc != OM_OK)
            return i;
        assert_true(fresh && id == i);
    }
    return most;
}

static void limits_are_kept(void **state)
{
    (void) state;
    static const uint64_t limits[] = { 1, 7, 640, 641, 5000 };
    om_context *ctx = NULL;
    int rc = OM_OK;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        om_control *control = om_context_control(ctx);
        om_store *s = NULL;
        om_limits l = { .max_states = limits[i] };
        om_control_start(control, &l);
        om_store_spec spec = {
            .heap = om_heap_default(), .control = control, .words = WORDS, .workers = 1
        };
        assert_int_equal(om_store__new(&s, &spec), OM_OK);
        assert_true(fill(s, 10000, &rc) == limits[i]);
        assert_int_equal(rc, OM_ELIMIT);
        assert_int_equal(om_control_stopped(control), OM_STOP_STATES);
        /* Stored vectors can still be found. */
        uint32_t vector[WORDS];
        uint64_t id;
        bool fresh;
        make_vector(0, WORDS, vector);
        assert_int_equal(om_store__intern(s, 0, vector, WORDS, 1, NULL, &id, &fresh), OM_OK);
        assert_true(id == 0 && !fresh);
        om_store__free(s);
    }
    /* A limit below the memory that the process already has: the first large allocation fails. */
    om_limits l = { .memory_bytes = 1 };
    om_control *control = om_context_control(ctx);
    om_store *s = NULL;
    om_control_start(control, &l);
    om_store_spec spec = {
        .heap = om_heap_default(), .control = control, .words = WORDS, .workers = 1
    };
    assert_int_equal(om_store__new(&s, &spec), OM_OK);
    assert_true(fill(s, 100000, &rc) < 100000);
    assert_int_equal(rc, OM_ELIMIT);
    assert_int_equal(om_control_stopped(control), OM_STOP_MEMORY);
    om_store__free(s);
    om_context_free(ctx);
}

/* The n-th large allocation from now on fails. */
static void refuse(om_memory *memory, uint64_t n)
{
    memory->refuse_at = atomic_load_explicit(&memory->pieces, memory_order_relaxed) + n;
}

static void every_lack_of_memory_is_survived(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t n = 0; rc != OM_OK; n++) { /* the n-th small allocation */
        test_heap heap;
        om_store *s = NULL;
        test_heap_init(&heap, n);
        om_store_spec spec = { .heap = &heap.heap, .words = WORDS, .workers = 2, .entries = 16 };
        rc = om_store__new(&s, &spec);
        if (rc == OM_OK)
            (void) fill(s, 20000, &rc);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        om_store__free(s);
        assert_int_equal(heap.live, 0);
    }
    rc = OM_ENOMEM;
    for (size_t n = 0; rc != OM_OK; n++) { /* the n-th large allocation */
        om_store *s = NULL;
        om_store_spec spec = { .heap = om_heap_default(), .words = WORDS, .workers = 1 };
        assert_int_equal(om_store__new(&s, &spec), OM_OK);
        refuse(om_store__memory(s), n);
        uint64_t stored = fill(s, 20000, &rc);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(om_store__count(s) == stored);
        om_store__free(s);
    }
}

static void pages_stay_and_are_zero(void **state)
{
    (void) state;
    static const uint64_t ids[] = { 0, 1023, 1024, 2047, 2048, 1048575, 1048576, 1048577, 3 << 20,
        (UINT64_C(1) << 40) - 1 };
    enum { COUNT = sizeof ids / sizeof *ids };
    om_memory memory;
    om_pages p;
    void *at[COUNT], *again;
    om_memory__init(&memory, om_heap_default(), NULL);
    om_pages__init(&p, &memory, 8);
    assert_null(om_pages__find(&p, 5 << 20));
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(om_pages__ensure(&p, ids[i], &at[i]), OM_OK);
        assert_int_equal(*(uint64_t *) at[i], 0);
        *(uint64_t *) at[i] = ids[i] + 1;
    }
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(om_pages__ensure(&p, ids[i], &again), OM_OK);
        assert_ptr_equal(again, at[i]);
        assert_ptr_equal(om_pages__find(&p, ids[i]), at[i]);
        assert_true(*(uint64_t *) at[i] == ids[i] + 1);
    }
    assert_int_equal(om_pages__ensure(&p, UINT64_C(1) << 40, &again), OM_EINVAL);
    om_pages__free(&p);
}

/* Returns the bytes of a mapping that are resident. */
static size_t backed(void *at, size_t bytes)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE), n = (bytes + page - 1) / page, sum = 0;
    unsigned char *in = test_malloc(n);
    assert_int_equal(mincore(at, bytes, in), 0);
    for (size_t i = 0; i < n; i++)
        sum += in[i] & 1;
    test_free(in);
    return sum * page;
}

/* Segments of 64 KiB to 2 MiB are populated if elements are read before they are written. */
static void what_is_read_first_is_backed(void **state)
{
    (void) state;
    om_memory memory;
    void *at = NULL;
    om_memory__init(&memory, om_heap_default(), NULL);
    assert_int_equal(om_memory__map(&memory, 1 << 16, &at), OM_OK);
    om_memory__populate(at, 1 << 16);
    bool can = backed(at, 1 << 16) == 1 << 16;
    om_memory__unmap(&memory, at, 1 << 16);
    if (!can) /* Linux before 5.14 */
        skip();
    for (int read_first = 0; read_first <= 1; read_first++) {
        om_pages p;
        om_pages__init(&p, &memory, 8);
        p.read_first = read_first != 0;
        for (unsigned bits = 13; bits <= 18; bits++) {
            assert_int_equal(om_pages__ensure(&p, UINT64_C(1) << bits, &at), OM_OK);
            assert_int_equal(backed(at, (size_t) 8 << bits), read_first ? (size_t) 8 << bits : 0);
        }
        om_pages__free(&p);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_grows_under_eight_threads),
        cmocka_unit_test(trees_grow_under_eight_threads),
        cmocka_unit_test(a_batch_may_repeat_itself),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(every_lack_of_memory_is_survived),
        cmocka_unit_test(pages_stay_and_are_zero),
        cmocka_unit_test(what_is_read_first_is_backed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
