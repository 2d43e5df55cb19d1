/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole explorations that start with the smallest table: every kind of growth with eight workers,
 * and every large allocation failing once.
 */
#include "product_impl.h"

#include <omen/plugin/explore.h>

#include "explore.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* Wheels of TEETH teeth that turn one at a time: all counts are known. */
enum { WHEELS = 6, TEETH_MOST = 6 };

typedef struct wheels {
    uint32_t teeth;
} wheels;

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    memset(vector, 0, WHEELS * sizeof *vector);
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const wheels *w = x->self;
    out->fault = 0;
    if (om_successors_reserve(out, out->count + WHEELS, WHEELS) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t i = 0; i < WHEELS; i++) {
        uint32_t *to = out->words + out->stride * out->count;
        memcpy(to, vector, WHEELS * sizeof *to);
        to[i] = (to[i] + 1) % w->teeth;
        out->transition[out->count++] = i;
    }
    return OM_OK;
}

static om_executor executor_of(wheels *w)
{
    return (om_executor){ .size = sizeof(om_executor),
        .name = "wheels",
        .words = WHEELS,
        .self = w,
        .initial = initial,
        .append = append };
}

static uint64_t states_of(const wheels *w)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < WHEELS; i++)
        n *= w->teeth;
    return n;
}

static om_product *new_product(
    om_context *ctx, const om_executor *x, om_store_kind kind, unsigned workers, om_set_hooks hooks)
{
    om_product_spec spec = {
        .executor = x, .deadlock_ap = OM_NONE, .workers = workers, .store = kind
    };
    om_product *p = NULL;
    if (om_product__new(&p, ctx, &spec) != OM_OK)
        return NULL;
    /* Nothing is stored yet. Sets created later use the hooks that are not 0. */
    om_set_hooks *both[] = { &p->store->hooks, &p->store->vectors.hooks };
    for (unsigned i = 0; i < 2; i++) {
        if (hooks.single_entries != 0)
            both[i]->single_entries = hooks.single_entries;
        if (hooks.split_entries != 0)
            both[i]->split_entries = hooks.split_entries;
        if (hooks.narrow_bits != 0)
            both[i]->narrow_bits = hooks.narrow_bits;
    }
    if (kind == OM_STORE_TREE && hooks.compress_at != 0)
        atomic_store_explicit(&p->store->compress_at, hooks.compress_at, memory_order_relaxed);
    return p;
}

/* The leaders' figures match the shards: each shard is in the heap once, and the least bound on
 * ids in the heap is that of the set. */
static void check_figures(const om_set *s)
{
    uint64_t entries = 0, bytes = 0;
    size_t shards = 0, found = 0;
    const om_directory *d = &s->directory;
    const om_shard_heap *h = &s->smallest;
    for (uint64_t i = 0; i >> d->bits == 0; i = om_directory__next(d, i)) {
        entries += d->shard[i].count;
        bytes += om_shard__bytes(&d->shard[i]);
        shards++;
        for (size_t k = 0; k < h->count; k++)
            found += om_set__shard(s, om_shard_heap__at(h, k)->hash) == &d->shard[i];
        assert_int_equal(found, shards);
    }
    assert_int_equal(shards, h->count);
    assert_int_equal(entries, s->entries);
    assert_int_equal(bytes, s->index_bytes);
    for (size_t k = 1; k < h->count; k++)
        assert_true(om_shard_heap__at(h, k)->ids >= om_shard_heap__at(h, (k - 1) / 2)->ids);
    assert_int_equal(om_shard_heap__at(h, 0)->ids, s->most_ids);
}

static void counts_are_exact_from_the_smallest_table(void **state)
{
    (void) state;
    static const om_set_hooks hooks[] = { { .compress_at = 0 },
        { .single_entries = 2048, .compress_at = 1000 },
        { .single_entries = 2048, .split_entries = 16, .narrow_bits = 14, .compress_at = 5000 } };
    wheels w = { TEETH_MOST };
    om_executor x = executor_of(&w);
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        for (int kind = OM_STORE_TREE; kind <= OM_STORE_PLAIN; kind++) {
            om_product *p = new_product(ctx, &x, (om_store_kind) kind, 8, hooks[i]);
            om_exploration e;
            assert_non_null(p);
            assert_int_equal(om_store__entries(p->store), 1024);
            assert_int_equal(om_explore__all(ctx, p, NULL, NULL, true, &e), OM_OK);
            assert_int_equal(e.states, states_of(&w));
            assert_int_equal(e.transitions, states_of(&w) * WHEELS);
            assert_int_equal(e.deadlocks, 0);
            assert_int_equal(e.levels, WHEELS * (TEETH_MOST - 1) + 1);
            assert_true(e.store.growths > 2 && e.store.entries > states_of(&w));
            assert_int_equal(om_store__is_compressed(p->store), kind == OM_STORE_TREE);
            if (kind == OM_STORE_PLAIN)
                check_figures(&p->store->vectors);
            om_product__free(p);
        }
    om_context_free(ctx);
}

/* If memory runs out, the counts are a part of the total. */
static void check_partial(const wheels *w, const om_exploration *e)
{
    assert_true(e->states <= states_of(w) && e->transitions <= states_of(w) * WHEELS);
}

/* The n-th large allocation from now on fails. */
static void refuse(om_memory *memory, uint64_t n)
{
    memory->refuse_at = atomic_load_explicit(&memory->pieces, memory_order_relaxed) + n;
}

static void every_refusal_is_a_limit(void **state)
{
    (void) state;
    static const om_set_hooks hooks = {
        .single_entries = 4096, .split_entries = 16, .compress_at = 2000
    };
    wheels w = { TEETH_MOST };
    om_executor x = executor_of(&w);
    for (int kind = OM_STORE_TREE; kind <= OM_STORE_PLAIN; kind++)
        for (unsigned workers = 1; workers <= 2; workers++) {
            int rc = OM_ELIMIT;
            uint64_t n = 0;
            for (; rc != OM_OK; n++) { /* the n-th large allocation */
                om_context *ctx = NULL;
                om_exploration e;
                assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
                om_product *p = new_product(ctx, &x, (om_store_kind) kind, workers, hooks);
                assert_non_null(p);
                refuse(om_store__memory(p->store), n);
                rc = om_explore__all(ctx, p, NULL, NULL, true, &e);
                check_partial(&w, &e);
                if (rc == OM_OK) {
                    assert_int_equal(e.states, states_of(&w));
                } else {
                    assert_int_equal(om_exit_status(rc), 30);
                    assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_MEMORY);
                }
                om_product__free(p);
                om_context_free(ctx);
            }
            assert_true(n > 6);
        }
}

static void every_lack_of_memory_is_survived(void **state)
{
    (void) state;
    static const om_set_hooks hooks = {
        .single_entries = 4096, .split_entries = 16, .compress_at = 2000
    };
    wheels w = { 4 };
    om_executor x = executor_of(&w);
    for (int kind = OM_STORE_TREE; kind <= OM_STORE_PLAIN; kind++) {
        int rc = OM_ENOMEM;
        for (size_t n = 0; rc != OM_OK; n++) { /* the n-th small allocation */
            test_heap heap;
            om_context *ctx = NULL;
            om_product *p = NULL;
            om_exploration e;
            test_heap_init(&heap, n);
            rc = om_context_new(&ctx, &heap.heap);
            if (rc == OM_OK)
                p = new_product(ctx, &x, (om_store_kind) kind, 1, hooks);
            if (p != NULL) {
                rc = om_explore__all(ctx, p, NULL, NULL, true, &e);
                check_partial(&w, &e);
            } else {
                rc = OM_ENOMEM;
            }
            assert_true(rc == OM_OK || om_exit_status(rc) == 30);
            om_product__free(p);
            om_context_free(ctx);
            assert_int_equal(heap.live, 0);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_exact_from_the_smallest_table),
        cmocka_unit_test(every_refusal_is_a_limit),
        cmocka_unit_test(every_lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
