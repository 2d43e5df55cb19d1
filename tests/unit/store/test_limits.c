/* SPDX-License-Identifier: Apache-2.0 */
/* The limit on states applies to stored states: exactly, regardless of the workers that hold the
 * remaining ids. */
#include "store.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { WORDS = 5, COUNT = 3001, MOST_THREADS = 8, ROUNDS = 60 };

typedef struct worker {
    om_store *store;
    uint64_t start, step; /* its order of the vectors: step is coprime to COUNT */
    uint64_t fresh;
    unsigned number;
    int rc;
} worker;

/* Interns all vectors in batches until one fails. */
static void *ask_for_all(void *p)
{
    enum { BATCH = 5 };
    worker *w = p;
    uint32_t vectors[BATCH * WORDS];
    uint64_t ids[BATCH];
    bool fresh[BATCH];
    for (uint64_t i = 0; i < COUNT && w->rc == OM_OK; i += BATCH) {
        for (uint64_t k = 0; k < BATCH; k++)
            for (uint64_t j = 0; j < WORDS; j++)
                vectors[k * WORDS + j] =
                    (uint32_t) ((w->start + (i + k) * w->step) % COUNT) * (j == 2 ? 1 : 7);
        w->rc = om_store__intern(w->store, w->number, vectors, WORDS, BATCH, NULL, ids, fresh);
        for (uint64_t k = 0; k < BATCH && w->rc == OM_OK; k++)
            w->fresh += fresh[k];
    }
    return NULL;
}

/* Returns the number of stored vectors; *refused is set if a worker was refused one. */
static uint64_t store_all(
    om_context *ctx, om_random *r, om_store_kind kind, uint64_t limit, bool *refused)
{
    unsigned threads = 1 + (unsigned) om_random_below(r, MOST_THREADS);
    pthread_t thread[MOST_THREADS];
    worker w[MOST_THREADS];
    om_limits limits = { .max_states = limit };
    om_control *control = om_context_control(ctx);
    om_store *s = NULL;
    om_control_start(control, &limits);
    om_store_spec spec = { .heap = om_heap_default(),
        .control = control,
        .kind = kind,
        .words = WORDS,
        .workers = threads,
        .hooks = { .compress_at = 1 + om_random_below(r, 2 * (uint64_t) COUNT) } };
    assert_int_equal(om_store__new(&s, &spec), OM_OK);
    for (unsigned t = 0; t < threads; t++) {
        w[t] = (worker){ .store = s,
            .number = t,
            .start = om_random_below(r, COUNT),
            .step = 1 + om_random_below(r, COUNT - 1) };
        assert_int_equal(pthread_create(&thread[t], NULL, ask_for_all, &w[t]), 0);
    }
    *refused = false;
    for (unsigned t = 0; t < threads; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_true(w[t].rc == OM_OK || w[t].rc == OM_ELIMIT);
        *refused |= w[t].rc == OM_ELIMIT;
    }
    uint64_t stored = om_store__count(s);
    assert_int_equal(om_control_stopped(control), *refused ? OM_STOP_STATES : OM_STOP_NONE);
    om_store__free(s);
    return stored;
}

static void as_many_as_the_limit(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_random r = { 5 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (int i = 0; i < ROUNDS; i++)
        for (int kind = OM_STORE_TREE; kind <= OM_STORE_PLAIN; kind++) {
            uint64_t limits[] = { COUNT - 1, COUNT, COUNT + 1, 1 + om_random_below(&r, COUNT - 1),
                COUNT + om_random_below(&r, COUNT) };
            for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
                bool refused = false;
                uint64_t stored = store_all(ctx, &r, (om_store_kind) kind, limits[k], &refused);
                assert_int_equal(refused, limits[k] < COUNT);
                assert_int_equal(stored, limits[k] < COUNT ? limits[k] : COUNT);
            }
        }
    om_context_free(ctx);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(as_many_as_the_limit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
