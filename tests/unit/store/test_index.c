/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing a whole line gives the result of comparing its entries one by one. */
#include "shard.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 20000 };

/* Makes words with few fingerprints, so that many match; any of them may be empty. */
static uint64_t word_of(om_random *r, unsigned id_bits)
{
    uint64_t id = om_random_below(r, 4) + 1, fingerprint = om_random_below(r, 3);
    return om_random_below(r, 4) == 0 ? 0 : fingerprint << id_bits | id;
}

static void a_line_is_its_entries(void **state)
{
    (void) state;
    static _Alignas(OM_LINE) unsigned char memory[2 * OM_LINE];
    om_random r = { 7 };
    uint64_t several = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        om_shard x = { .entries.at = memory,
            .id_bits = (uint8_t) (10 + om_random_below(&r, OM_NARROW_ID_BITS - 9)),
            .wide = round % 8 == 0 };
        uint32_t entries = OM_LINE / (x.wide ? 8 : 4);
        x.count = 2 * entries;
        om_line line = memory + (round % 2) * OM_LINE;
        uint32_t fits = 0, empty = 0;
        uint64_t fingerprint = om_random_below(&r, 3) << x.id_bits;
        for (uint32_t i = 0; i < entries; i++) {
            uint64_t word = word_of(&r, x.id_bits);
            om_line__fill_alone(&x, line, i, word);
            empty |= (uint32_t) (word == 0) << i;
            fits |= (uint32_t) (word == 0 || word >> x.id_bits == fingerprint >> x.id_bits) << i;
        }
        assert_int_equal(om_line__candidates(&x, line, fingerprint), fits);
        assert_int_equal(om_line__candidates_slowly(&x, line, fingerprint), fits);
        assert_int_equal(om_line__empty(&x, line), empty);
        assert_int_equal(om_line__empty_slowly(&x, line), empty);
        several += __builtin_popcount(fits & ~empty) > 1;
    }
    assert_true(several > ROUNDS / 4);
}

static void look_ups_stay_in_the_shard(void **state)
{
    (void) state;
    static _Alignas(OM_LINE) unsigned char memory[3 * OM_LINE];
    om_random r = { 11 };
    bool seen[3] = { false };
    for (unsigned round = 0; round < 1000; round++) {
        om_shard x = { .entries.at = memory,
            .count = 48 / (1 + round % 2),
            .wide = round % 2 == 1,
            .prefix = 20 };
        om_line line = om_shard__home(&x, om_random_next(&r));
        assert_true(line >= memory && line < memory + sizeof memory);
        assert_int_equal((line - memory) % OM_LINE, 0);
        seen[(line - memory) / OM_LINE] = true;
        om_line at = line;
        for (unsigned k = 0; k < 3; k++)
            at = om_shard__next_line(&x, at);
        assert_ptr_equal(at, line);
    }
    assert_true(seen[0] && seen[1] && seen[2]);
}

/* E1, E2: the prefix of a hash follows from the home line and the fingerprint, unless that is one
 * of the highest. */
static void entries_tell_their_prefixes(void **state)
{
    (void) state;
    static _Alignas(OM_LINE) unsigned char memory[1]; /* is not read */
    om_random r = { 13 };
    unsigned told = 0;
    for (unsigned round = 0; round < 100 * ROUNDS; round++) {
        const bool wide = round % 4 == 0;
        om_shard x = { .entries.at = memory,
            .count = (uint32_t) (1 + om_random_below(&r, 1u << om_random_below(&r, 20))) * 16,
            .id_bits = (uint8_t) (10 + om_random_below(&r, wide ? 31 : OM_NARROW_ID_BITS - 9)),
            .wide = wide,
            .depth = (uint8_t) (om_random_below(&r, OM_SHARD_MOST_BITS + 1) & 0x7f) };
        const unsigned most = om_shard__most_prefix(&x);
        x.prefix = (uint8_t) (most - om_random_below(&r, most < 8 ? most - 3 : 5));
        const uint64_t hash = om_random_next(&r), word = om_shard__fingerprint(&x, hash) | 1;
        const uint64_t line = (uint64_t) (om_shard__home(&x, hash) - memory) / OM_LINE;
        assert_true(line < om_shard__lines(&x) && (wide || word >> 32 == 0));
        assert_true(om_shard__displaced(&x, word & ~UINT64_C(1)) >= om_shard__elsewhere(&x));
        if (word >= om_shard__elsewhere(&x))
            continue;
        const om_teller f = om_teller__of(&x);
        assert_int_equal(om_teller__prefix(&f, line, word), hash << x.depth >> (64 - x.prefix));
        told++;
    }
    assert_true(told > 80 * ROUNDS);
}

/* ---- concurrent threads, as when an index grows ---- */

enum { PUTTERS = 4, PUTS = 1 << 16, GOES = 8 };

typedef struct putter {
    const om_shard *shard;
    pthread_barrier_t *begin;
    uint64_t number;
    bool full;
} putter;

/* All threads put into the same line at about the same time. */
static void *put_ids(void *p)
{
    putter *me = p;
    (void) pthread_barrier_wait(me->begin);
    for (uint64_t i = 0; i < PUTS; i++) {
        const uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
        me->full |= om_shard__put(me->shard, hash, i * PUTTERS + me->number, false) == 0;
    }
    return NULL;
}

static void nothing_put_is_lost(void **state)
{
    (void) state;
    const size_t bytes = (size_t) 16 * PUTTERS * PUTS;
    unsigned char *memory = aligned_alloc(OM_LINE, bytes);
    bool *seen = calloc((size_t) PUTTERS * PUTS, sizeof *seen);
    assert_true(memory != NULL && seen != NULL);
    for (unsigned go = 0; go < GOES; go++) {
        om_shard x = { .entries.at = memory,
            .count = 2 * PUTTERS * PUTS,
            .id_bits = 40,
            .wide = true,
            .prefix = 32 };
        pthread_barrier_t begin;
        pthread_t threads[PUTTERS];
        putter putters[PUTTERS];
        memset(memory, 0, bytes);
        memset(seen, 0, (size_t) PUTTERS * PUTS * sizeof *seen);
        assert_int_equal(pthread_barrier_init(&begin, NULL, PUTTERS), 0);
        for (uint64_t i = 0; i < PUTTERS; i++) {
            putters[i] = (putter){ .shard = &x, .begin = &begin, .number = i };
            assert_int_equal(pthread_create(&threads[i], NULL, put_ids, &putters[i]), 0);
        }
        for (unsigned i = 0; i < PUTTERS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_false(putters[i].full);
        }
        (void) pthread_barrier_destroy(&begin);
        assert_int_equal(om_shard__used(&x), PUTTERS * PUTS);
        for (uint64_t e = 0; e < x.count; e++) {
            const uint64_t word = om_shard__load(&x, e);
            if (word == 0)
                continue;
            assert_true(om_shard__id(&x, word) < PUTTERS * PUTS);
            assert_false(seen[om_shard__id(&x, word)]);
            seen[om_shard__id(&x, word)] = true;
        }
    }
    free(seen);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_its_entries),
        cmocka_unit_test(look_ups_stay_in_the_shard),
        cmocka_unit_test(entries_tell_their_prefixes),
        cmocka_unit_test(nothing_put_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
