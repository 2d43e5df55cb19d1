/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of shards and their heap, with shards that have no memory; and the memory of both
 * that a pause of a real set accesses. */
#include "store.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the directory alone ---- */

enum { FIRST_BITS = 9, LAST_BITS = 16 };

/* Makes a shard that stores its hash prefix, by which its hashes are recognised. */
static om_shard shard_of(uint64_t hash, unsigned depth)
{
    om_shard x = { .depth = (uint8_t) (depth & 0x7f) };
    x.entries.at = (void *) (uintptr_t) (depth == 0 ? 0 : hash >> (64 - depth));
    return x;
}

static void check_place(const om_directory *d, uint64_t hash)
{
    const om_shard *x = om_directory__find(d, hash);
    assert_true((uintptr_t) x->entries.at == (x->depth == 0 ? 0 : hash >> (64 - x->depth)));
}

static void divide(om_directory *d, om_memory *memory, uint64_t hash)
{
    unsigned depth = om_directory__find(d, hash)->depth;
    uint64_t least = depth == 0 ? 0 : hash >> (64 - depth) << (64 - depth);
    uint64_t half = UINT64_C(1) << (63 - depth);
    assert_int_equal(om_directory__prepare(d, memory, depth), OM_OK);
    assert_true(d->bits > depth);
    om_shard low = shard_of(least, depth + 1), high = shard_of(least | half, depth + 1);
    om_directory__install(d, least, &low);
    om_directory__install(d, least | half, &high);
}

static void start(om_directory *d, om_memory *memory)
{
    om_memory__init(memory, om_heap_default(), NULL);
    assert_int_equal(om_directory__init(d, memory, FIRST_BITS), OM_OK);
    for (uint64_t i = 0; i >> FIRST_BITS == 0; i++) {
        uint64_t hash = om_directory__hash(d, i);
        om_shard x = shard_of(hash, FIRST_BITS);
        om_directory__install(d, hash, &x);
    }
}

/* Shards are split in any order, some much more often than others. */
static void hashes_find_their_shards(void **state)
{
    (void) state;
    om_memory memory;
    om_directory d;
    om_random r = { 7 };
    start(&d, &memory);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t hash = om_random_next(&r);
        hash = i % 3 == 0 ? hash >> 20 : hash;
        if (om_directory__find(&d, hash)->depth < LAST_BITS)
            divide(&d, &memory, hash);
        for (unsigned k = 0; k < 10; k++) {
            uint64_t other = om_random_next(&r);
            check_place(&d, k < 5 ? other : other >> 20);
        }
    }
    assert_int_equal(d.bits, LAST_BITS);
    uint64_t n = 0;
    for (uint64_t i = 0; i >> d.bits == 0; i = om_directory__next(&d, i), n++)
        check_place(&d, om_directory__hash(&d, i));
    assert_true(n > 10000);
    om_directory__free(&d, &memory);
}

/* If shards are split in turn, or nearly so, the next directory is complete before it is needed:
 * no pause copies more than a few places. */
static void places_double_without_a_long_copy(void **state)
{
    (void) state;
    om_memory memory;
    om_directory d;
    om_random r = { 3 };
    start(&d, &memory);
    for (unsigned depth = FIRST_BITS; depth < LAST_BITS; depth++) {
        /* A quarter of the shards is skipped in the first turn. */
        for (unsigned turn = 0; turn < 2; turn++)
            for (uint64_t i = 0; i >> depth == 0; i++) {
                uint64_t hash = i << (64 - depth);
                if (turn == 0 && om_random_below(&r, 4) == 0)
                    continue;
                if (om_directory__find(&d, hash)->depth > depth)
                    continue;
                if (om_directory__find(&d, hash)->depth == d.bits && d.bits > FIRST_BITS)
                    assert_true(d.prepared >> d.bits == 1);
                divide(&d, &memory, hash);
            }
        assert_int_equal(d.bits, depth + 1);
    }
    om_directory before = om_directory__take_before(&d);
    assert_non_null(before.shard);
    assert_int_equal(before.bits, LAST_BITS - 1);
    om_directory__free(&before, &memory);
    om_directory__free(&d, &memory);
}

/* ---- only the heap ---- */

static void the_least_is_on_top(void **state)
{
    (void) state;
    enum { COUNT = 5000 };
    om_memory memory;
    om_shard_heap h;
    om_random r = { 11 };
    om_memory__init(&memory, om_heap_default(), NULL);
    om_shard_heap__init(&h, &memory);
    assert_int_equal(om_shard_heap__reserve(&h, COUNT), OM_OK);
    for (uint64_t i = 0; i < COUNT; i++)
        om_shard_heap__add(&h, (om_shard_bound){ om_random_below(&r, 1000), i });
    for (uint64_t i = 0; i < COUNT; i++) {
        om_shard_bound top = *om_shard_heap__at(&h, 0);
        top.ids += 500 + om_random_below(&r, 1000);
        om_shard_heap__replace_top(&h, top);
    }
    om_shard_bound last = { 0, 0 };
    for (uint64_t i = 0; i < COUNT; i++) {
        om_shard_bound top = *om_shard_heap__at(&h, 0);
        assert_true(top.ids > last.ids || (top.ids == last.ids && top.hash >= last.hash));
        last = top;
        om_shard_heap__remove_top(&h);
    }
    assert_int_equal(h.count, 0);
    om_shard_heap__free(&h);
}

/* ---- memory accessed by a pause ---- */

/* Protected pages of the directory and the heap, to observe accesses. */
enum { RANGES = 8, PAUSES = 200, SHARD_BITS = 14 };

typedef struct watch {
    struct {
        unsigned char *at;
        size_t bytes;
    } range[RANGES];
    size_t count;
    volatile size_t touched;
} watch;

static watch watched; /* global for the signal handler */

static void note_touch(int number, siginfo_t *info, void *context)
{
    (void) context;
    unsigned char *at = info->si_addr;
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < watched.count; i++)
        if (at >= watched.range[i].at && at < watched.range[i].at + watched.range[i].bytes) {
            watched.touched++;
            at -= (uintptr_t) at % page;
            if (mprotect(at, page, PROT_READ | PROT_WRITE) == 0)
                return;
        }
    (void) signal(number, SIG_DFL);
}

static void protect_range(void *at, size_t bytes)
{
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    if ((uintptr_t) at % page != 0 || bytes % page != 0)
        return; /* small; allocated from the heap */
    assert_true(watched.count < RANGES);
    watched.range[watched.count].at = at;
    watched.range[watched.count++].bytes = bytes;
    assert_int_equal(mprotect(at, bytes, PROT_NONE), 0);
}

/* Returns the number of pages of directory and heap that one pause accesses. */
static size_t pages_of_a_pause(om_store *s)
{
    om_set *set = &s->vectors;
    uint64_t most = atomic_load_explicit(&set->most_ids, memory_order_relaxed);
    watched.count = watched.touched = 0;
    protect_range(set->directory.shard, sizeof(om_shard) << set->directory.bits);
    for (uint64_t i = 1024; i < set->smallest.count; i *= 2)
        if (i >= 4096) /* mapped: 64 KiB */
            protect_range(om_shard_heap__at(&set->smallest, i), i * sizeof(om_shard_bound));
    assert_int_equal(om_set__grow(set, &s->growth, most + 1), OM_OK);
    for (size_t i = 0; i < watched.count; i++)
        (void) mprotect(watched.range[i].at, watched.range[i].bytes, PROT_READ | PROT_WRITE);
    return watched.touched;
}

static void intern_until(om_store *s, unsigned bits, uint64_t *next)
{
    while (s->vectors.directory.bits < bits) {
        uint32_t vector[2] = { (uint32_t) *next, (uint32_t) (*next >> 32) };
        uint64_t id;
        bool fresh;
        assert_int_equal(om_store__intern(s, 0, vector, 2, 1, NULL, &id, &fresh), OM_OK);
        ++*next;
    }
}

static void a_pause_does_not_inspect_all_shards(void **state)
{
    (void) state;
    om_store_spec spec = { .heap = om_heap_default(),
        .kind = OM_STORE_PLAIN,
        .words = 2,
        .workers = 1,
        .hooks = { .single_entries = 2048, .split_entries = 128, .pause_entries = 64 } };
    struct sigaction action = { .sa_sigaction = note_touch, .sa_flags = SA_SIGINFO }, old;
    size_t all = 0, most = 0;
    uint64_t next = 0;
    om_store *s = NULL;
    assert_int_equal(om_store__new(&s, &spec), OM_OK);
    intern_until(s, SHARD_BITS, &next);
    assert_int_equal(sigaction(SIGSEGV, &action, &old), 0);
    for (unsigned i = 0; i < PAUSES; i++) {
        size_t pages = pages_of_a_pause(s);
        all += pages;
        most = pages > most ? pages : most;
    }
    assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
    /* The directory has 64 pages, and so has the heap. A pause accesses those of its shard and of
     * a path of the heap: about ten. (Without any access, nothing was observed.) */
    assert_true(all >= PAUSES && most <= 24);
    assert_true(s->vectors.directory.bits == SHARD_BITS);
    om_store__free(s);
}

/* With 64 workers, each pause moves at least one block per worker. */
static void a_pause_has_work_for_all(void **state)
{
    (void) state;
    enum { WORKERS = 64, COUNT = 700000 };
    om_store_spec spec = {
        .heap = om_heap_default(), .kind = OM_STORE_PLAIN, .words = 2, .workers = WORKERS
    };
    uint64_t growths = 0, pauses = 0;
    om_store *s = NULL;
    assert_int_equal(om_store__new(&s, &spec), OM_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t vector[2] = { i, i / 7 };
        uint64_t id;
        bool fresh;
        assert_int_equal(om_store__intern(s, i % WORKERS, vector, 2, 1, NULL, &id, &fresh), OM_OK);
        if (s->vectors.growths == growths || s->vectors.directory.bits == 0)
            continue;
        growths = s->vectors.growths;
        pauses++;
        assert_true(s->growth.count * s->growth.blocks_each >= WORKERS);
    }
    assert_true(pauses > 2);
    om_store__free(s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_find_their_shards),
        cmocka_unit_test(places_double_without_a_long_copy),
        cmocka_unit_test(the_least_is_on_top),
        cmocka_unit_test(a_pause_does_not_inspect_all_shards),
        cmocka_unit_test(a_pause_has_work_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
