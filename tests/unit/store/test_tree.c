/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of both kinds, compared with each other: rows, near rows, crowded shards, pauses,
 * figures. */
#include "store.h"

#include "heap.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { WORDS_MOST = 530, ROW_MOST = 2 * WORDS_MOST, COUNT = 3000, BATCH = 150 };

/* Makes vector i: all vectors are distinct, and neighbours differ in one word. */
static void make_vector(uint64_t i, uint32_t words, uint32_t *vector)
{
    for (uint32_t k = 0; k < words; k++)
        vector[k] = 7 * k;
    for (uint32_t k = 0; i != 0; k = (k + 1) % words, i /= 11)
        vector[k] += (uint32_t) (i % 11) * (k + 1 == words && words < 3 ? 1u << 20 : 100);
    if (words < 3)
        vector[0] += 1;
}

/* With one or two words, base 11 would cause collisions, so the numbers themselves are used. */
static void make_any(uint64_t i, uint32_t words, uint32_t *vector)
{
    if (words > 3) {
        make_vector(i, words, vector);
        return;
    }
    memset(vector, 0, words * sizeof *vector);
    vector[words - 1] = (uint32_t) (i / 100);
    vector[0] += (uint32_t) (i % 100) + (words == 1 ? (uint32_t) (i / 100) * 99 : 0);
}

static om_store *new_store(om_store_kind kind, uint32_t words, unsigned workers, om_set_hooks hooks)
{
    om_store *s = NULL;
    om_store_spec spec = { .heap = om_heap_default(),
        .kind = kind,
        .words = words,
        .workers = workers,
        .entries = 1024,
        .hooks = hooks };
    assert_int_equal(om_store__new(&s, &spec), OM_OK);
    return s;
}

/* Interns vectors in random order, with near rows of arbitrary stored vectors; ids do not
 * change. */
static void intern_and_check(om_store *s, uint32_t words, unsigned rounds)
{
    static uint64_t id_of[COUNT];
    static uint32_t vectors[BATCH * WORDS_MOST], rows[BATCH][ROW_MOST];
    const uint32_t *near[BATCH];
    uint64_t which[BATCH], ids[BATCH], distinct = 0;
    bool fresh[BATCH];
    om_random r = { words };

    memset(id_of, 0, sizeof id_of);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned k = 0; k < BATCH; k++) {
            which[k] = om_random_below(&r, COUNT);
            make_any(which[k], words, vectors + (size_t) k * words);
            uint64_t other = om_random_below(&r, COUNT);
            near[k] = id_of[other] == 0 ? NULL : om_store__row(s, id_of[other] - 1, rows[k]);
        }
        assert_int_equal(
            om_store__intern(s, 0, vectors, words, BATCH, round % 3 == 0 ? NULL : near, ids, fresh),
            OM_OK);
        for (unsigned k = 0; k < BATCH; k++) {
            assert_int_equal(fresh[k], id_of[which[k]] == 0);
            distinct += fresh[k];
            assert_true(fresh[k] || id_of[which[k]] == ids[k] + 1);
            id_of[which[k]] = ids[k] + 1;
            assert_true(ids[k] < om_store__bound(s));
        }
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        uint32_t vector[WORDS_MOST], buffer[ROW_MOST];
        if (id_of[i] == 0)
            continue;
        make_any(i, words, vector);
        assert_memory_equal(om_store__row(s, id_of[i] - 1, buffer), vector, words * sizeof *vector);
    }
    /* Rows read together are the same, in any order of ids, also where others were read. */
    enum { AT_ONCE = 16 };
    static uint32_t together[AT_ONCE * ROW_MOST];
    memset(together, 0, sizeof together);
    for (unsigned round = 0; round < 10 && om_store__row_words(s) > words; round++) {
        for (size_t k = 0; k < AT_ONCE; k++)
            ids[k] = id_of[which[om_random_below(&r, BATCH)]] - 1;
        om_store__rows(s, ids, AT_ONCE, together);
        for (size_t k = 0; k < AT_ONCE; k++) {
            uint32_t buffer[ROW_MOST];
            assert_memory_equal(together + k * om_store__row_words(s),
                om_store__row(s, ids[k], buffer), words * sizeof *buffer);
        }
    }
    /* One worker uses all ids of a chunk before it takes the next chunk. */
    assert_true(om_store__count(s) == distinct && om_store__bound(s) - distinct <= 1024);
}

static void rows_unpack_to_their_vectors(void **state)
{
    (void) state;
    static const uint32_t widths[] = { 1, 2, 3, 4, 5, 8, 13, 65, 67, 80, 300, 530 };
    static const om_set_hooks hooks[] = { { .compress_at = 100 }, { .compress_at = 1 },
        { .compress_at = 100, .arity = 3 },
        { .compress_at = 1500, .single_entries = 2048, .narrow_bits = 13, .split_entries = 2 } };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (size_t k = 0; k < sizeof hooks / sizeof *hooks; k++) {
            om_store *s = new_store(OM_STORE_TREE, widths[i], 1, hooks[k]);
            assert_true(om_store__row_words(s) <= ROW_MOST);
            intern_and_check(s, widths[i], 150);
            om_store_figures f = om_store__figures(s);
            assert_int_equal(f.nodes != 0, widths[i] > 3);
            assert_true(om_store__is_compressed(s) == (widths[i] > 3));
            om_store__free(s);
            s = new_store(OM_STORE_PLAIN, widths[i], 1, hooks[k]);
            intern_and_check(s, widths[i], 150);
            assert_true(om_store__figures(s).nodes == 0);
            om_store__free(s);
        }
}

/* Five words determine the sixth; the seventh is one of 64 values. Joining these two looks
 * attractive, because both have few values, but makes as many nodes as there are vectors; the
 * seventh belongs at the root. */
static void the_last_groups_are_joined_in_the_best_way(void **state)
{
    (void) state;
    enum { WORDS = 7, SAMPLES = 4096 };
    static uint32_t vectors[SAMPLES][WORDS];
    om_tree t;
    om_random r = { 1 };
    for (size_t i = 0; i < SAMPLES; i++) {
        uint32_t a = om_random_below(&r, 1024);
        for (uint32_t k = 0; k < 5; k++)
            vectors[i][k] = a >> 2 * k & 3;
        vectors[i][5] = a * UINT32_C(2654435761) >> 26;
        vectors[i][6] = om_random_below(&r, 64);
    }
    assert_int_equal(om_tree__init(&t, om_heap_default(), WORDS), OM_OK);
    assert_int_equal(om_tree__fit(&t, om_heap_default(), vectors[0], SAMPLES, 0), OM_OK);
    assert_int_equal(t.arity, 2);
    assert_int_equal(t.nodes, WORDS - 2);
    assert_true(t.root[0] == 6 || t.root[1] == 6);
    om_tree__free(&t, om_heap_default());
}

/* Hashes that differ in few bits crowd some lines of some shards. Every lookup still ends and
 * finds stored vectors. */
static void crowded_shards_are_relieved(void **state)
{
    (void) state;
    static const uint64_t masks[] = { 0xf, 0xff00000000, UINT64_C(0xc000000000000003), 0x80000000 };
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        for (unsigned many = 0; many < 2; many++) {
            om_set_hooks hooks = { .hash_mask = masks[i],
                .single_entries = many ? 2048 : 0,
                .split_entries = many ? 64 : 0,
                .compress_at = 1000 };
            for (int kind = OM_STORE_TREE; kind <= OM_STORE_PLAIN; kind++) {
                om_store *s = new_store((om_store_kind) kind, 5, 1, hooks);
                uint64_t before = om_store__entries(s);
                intern_and_check(s, 5, 60);
                assert_true(om_store__entries(s) > before);
                assert_true(om_store__figures(s).growths > 2);
                om_store__free(s);
            }
        }
}

static void figures_are_what_was_done(void **state)
{
    (void) state;
    for (int kind = OM_STORE_TREE; kind <= OM_STORE_PLAIN; kind++) {
        om_store *s = new_store((om_store_kind) kind, 5, 1, (om_set_hooks){ .compress_at = 100 });
        assert_true(om_store__figures(s).lookups == 0 && om_store__figures(s).growths == 0);
        intern_and_check(s, 5, 100);
        om_store_figures f = om_store__figures(s);
        assert_true(f.states == om_store__count(s));
        assert_true(f.lookups == UINT64_C(100) * BATCH);
        assert_true(f.probes >= f.lookups && f.probes < 10 * f.lookups);
        assert_true(f.entries == om_store__entries(s) && f.entries > f.states);
        assert_true(f.index_bytes >= 4 * f.entries);
        assert_true(f.vector_bytes >= f.states * 8);
        assert_true(f.vector_bytes + f.index_bytes == om_store__bytes(s));
        assert_true(f.growths >= 1 && f.longest_pause_ns > 0);
        assert_true(f.side_bytes == 0);
        om_store__free(s);
    }
}

/* ---- exhausted memory ---- */

static int use(om_store *s)
{
    uint32_t vector[5], buffer[ROW_MOST];
    uint64_t id;
    bool fresh;
    for (uint64_t i = 0; i < 9000; i++) {
        make_any(i, 5, vector);
        int rc = om_store__intern(s, 0, vector, 5, 1, NULL, &id, &fresh);
        if (rc != OM_OK)
            return rc;
        assert_memory_equal(om_store__row(s, id, buffer), vector, sizeof vector);
    }
    return OM_OK;
}

/* The n-th large allocation from now on fails. */
static void refuse(om_memory *memory, uint64_t n)
{
    memory->refuse_at = atomic_load_explicit(&memory->pieces, memory_order_relaxed) + n;
}

static void trees_survive_every_lack_of_memory(void **state)
{
    (void) state;
    const om_set_hooks hooks = { .compress_at = 700, .single_entries = 4096, .split_entries = 16 };
    int rc = OM_ENOMEM;
    for (size_t n = 0; rc != OM_OK; n++) { /* the n-th small allocation */
        test_heap heap;
        om_store *s = NULL;
        test_heap_init(&heap, n);
        om_store_spec spec = { .heap = &heap.heap, .words = 5, .workers = 2, .hooks = hooks };
        rc = om_store__new(&s, &spec);
        if (rc == OM_OK)
            rc = use(s);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        om_store__free(s);
        assert_int_equal(heap.live, 0);
    }
    rc = OM_ENOMEM;
    for (size_t n = 0; rc != OM_OK; n++) { /* the n-th large allocation */
        om_store *s = new_store(OM_STORE_TREE, 5, 1, hooks);
        refuse(om_store__memory(s), n);
        rc = use(s);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        /* The store is still valid: the allocation that failed can succeed now. */
        assert_int_equal(use(s), OM_OK);
        assert_true(om_store__count(s) == 9000);
        om_store__free(s);
    }
}

/* ---- threads ---- */

enum { THREADS = 8, SHARED = 4000 };

typedef struct crowd {
    om_store *store;
    unsigned worker;
    int rc;
    uint64_t fresh;
    uint64_t ids[SHARED];
} crowd;

/* Each thread stores all vectors in its own order; near rows are those of the last batch. */
static void *store_all(void *p)
{
    crowd *c = p;
    uint32_t vectors[50 * 5], rows[50][ROW_MOST];
    const uint32_t *near[50] = { NULL };
    static const uint64_t steps[THREADS] = { 1, 3, 7, 9, 11, 13, 17, 19 }; /* coprime to SHARED */
    uint64_t ids[50], step = steps[c->worker];
    bool fresh[50];
    for (uint64_t i = 0; i < SHARED && c->rc == OM_OK; i += 50) {
        for (uint64_t k = 0; k < 50; k++)
            make_any((i + k) * step % SHARED, 5, vectors + k * 5);
        c->rc = om_store__intern(c->store, c->worker, vectors, 5, 50, near, ids, fresh);
        for (uint64_t k = 0; k < 50 && c->rc == OM_OK; k++) {
            c->ids[(i + k) * step % SHARED] = ids[k] + 1;
            c->fresh += fresh[k];
            near[k] = om_store__row(c->store, ids[k], rows[k]);
            if (memcmp(near[k], vectors + k * 5, 5 * sizeof *vectors) != 0)
                c->rc = OM_EINTERNAL;
        }
    }
    return NULL;
}

static void workers_agree(om_store_kind kind, unsigned workers, om_set_hooks hooks)
{
    static crowd all[THREADS];
    pthread_t threads[THREADS];
    uint64_t fresh = 0;
    om_store *s = new_store(kind, 5, workers, hooks);
    for (unsigned t = 0; t < workers; t++) {
        all[t] = (crowd){ .store = s, .worker = t };
        assert_int_equal(pthread_create(&threads[t], NULL, store_all, &all[t]), 0);
    }
    for (unsigned t = 0; t < workers; t++) {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(all[t].rc, OM_OK);
        fresh += all[t].fresh;
    }
    assert_true(fresh == om_store__count(s));
    uint64_t distinct = 0;
    static uint8_t taken[SHARED + THREADS * 2048];
    memset(taken, 0, sizeof taken);
    for (uint64_t i = 0; i < SHARED; i++) {
        uint64_t id = all[0].ids[i];
        for (unsigned t = 1; t < workers; t++)
            assert_true(all[t].ids[i] == id);
        assert_true(id != 0 && id <= sizeof taken);
        distinct += !taken[id - 1];
        taken[id - 1] = 1;
    }
    assert_true(distinct == SHARED && fresh == SHARED);
    om_store__free(s);
}

static void many_workers_agree(void **state)
{
    (void) state;
    static const unsigned workers[] = { 1, 2, 8 };
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        for (int kind = OM_STORE_TREE; kind <= OM_STORE_PLAIN; kind++) {
            workers_agree((om_store_kind) kind, workers[i], (om_set_hooks){ .compress_at = 1000 });
            workers_agree((om_store_kind) kind, workers[i],
                (om_set_hooks){
                    .compress_at = 1000, .single_entries = 2048, .hash_mask = 0xff800000ffff });
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_unpack_to_their_vectors),
        cmocka_unit_test(the_last_groups_are_joined_in_the_best_way),
        cmocka_unit_test(crowded_shards_are_relieved),
        cmocka_unit_test(figures_are_what_was_done),
        cmocka_unit_test(trees_survive_every_lack_of_memory),
        cmocka_unit_test(many_workers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
