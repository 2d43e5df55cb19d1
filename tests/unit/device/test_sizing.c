/* SPDX-License-Identifier: Apache-2.0 */
/* Plans for tables of up to 4 * 10^9 states, executed on a ledger: no request exceeds the
 * available memory, and most of that memory is used. */
#include "sizing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)
#define BILLION UINT64_C(1000000000)
enum { BUCKET_BYTES = 64, PATH = 4, CANDIDATES = 1 << 20 };

/* ---- a ledger ---- */

typedef struct ledger {
    om_sizing_room room;
    om_sizing_table table;
    uint64_t here, peak, elsewhere; /* bytes: on the device; peak; in host memory */
    uint64_t degrees;               /* bytes per row of other data */
    unsigned steps;
} ledger;

static void take(ledger *l, uint64_t bytes, bool away)
{
    if (bytes > l->room.largest)
        fail_msg("a buffer of %llu bytes", (unsigned long long) bytes);
    *(away ? &l->elsewhere : &l->here) += bytes;
    l->peak = l->here > l->peak ? l->here : l->peak;
    if (l->here > l->room.memory)
        fail_msg("%llu bytes of %llu", (unsigned long long) l->here,
            (unsigned long long) l->room.memory);
}

static void give(ledger *l, uint64_t bytes, bool away)
{
    uint64_t *from = away ? &l->elsewhere : &l->here;
    assert_true(*from >= bytes);
    *from -= bytes;
}

/* Grows a buffer with its contents. */
static void grow(ledger *l, uint64_t old, uint64_t bytes, bool was_away, bool away)
{
    if (old == bytes)
        return;
    if (l->room.in_place)
        give(l, old, was_away);
    take(l, bytes, away);
    if (!l->room.in_place)
        give(l, old, was_away);
}

static void take_index(ledger *l, uint64_t buckets)
{
    const uint64_t each = om_sizing__each(&l->room, BUCKET_BYTES);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->room.segments; i++) {
        take(l, om_sizing__part(buckets, each, i) * BUCKET_BYTES, false);
        sum += om_sizing__part(buckets, each, i);
    }
    assert_int_equal(sum, buckets);
}

/* Spilled buffers stay spilled, and nothing spills from a device without other memory. */
static void check_away(const ledger *l, const om_sizing *g)
{
    assert_int_equal(g->away & l->table.away & ~(uint32_t) OM_AWAY_INDEX,
        l->table.away & ~(uint32_t) OM_AWAY_INDEX);
    assert_true(l->room.spills || g->away == 0);
}

static bool grow_index(ledger *l, uint64_t entries)
{
    const uint64_t each = om_sizing__each(&l->room, l->table.row), old = l->table.buckets;
    l->room.used = l->degrees;
    om_sizing g = om_sizing__index(&l->room, &l->table, entries, old);
    if (!g.fits)
        return false;
    assert_true(om_sizing__entries(g.buckets) >= entries);
    assert_true(g.buckets == old || om_sizing__entries(g.buckets / 2) < entries);
    check_away(l, &g);
    if (g.buckets == old)
        return true;
    bool index_away = (g.away & OM_AWAY_INDEX) != 0;
    if (!l->table.stays || index_away)
        give(l, old * BUCKET_BYTES, false);
    if (index_away)
        l->elsewhere += old * BUCKET_BYTES;
    for (uint32_t i = 0; i < l->room.segments; i++)
        if (((g.away & ~l->table.away) >> i & 1) != 0) {
            uint64_t bytes = om_sizing__part(l->table.capacity, each, i) * l->table.row;
            take(l, bytes, true);
            give(l, bytes, false);
        }
    if ((g.away & ~l->table.away & OM_AWAY_PATHS) != 0) {
        take(l, l->table.capacity * l->table.path, true);
        give(l, l->table.capacity * l->table.path, false);
    }
    take_index(l, g.buckets);
    if (l->table.stays)
        give(l, old * BUCKET_BYTES, index_away);
    l->table.buckets = g.buckets;
    l->table.away = g.away & ~(uint32_t) OM_AWAY_INDEX;
    l->steps++;
    return true;
}

static bool grow_rows(ledger *l, uint64_t rows)
{
    const uint64_t each = om_sizing__each(&l->room, l->table.row), had = l->table.capacity;
    l->room.used = l->degrees;
    om_sizing g = om_sizing__rows(&l->room, &l->table, rows);
    if (!g.fits)
        return false;
    assert_true(g.capacity >= rows && g.capacity >= had && g.capacity <= OM_MOST_NUMBERS);
    check_away(l, &g);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->room.segments; i++) {
        uint64_t old = om_sizing__part(had, each, i), part = om_sizing__part(g.capacity, each, i);
        grow(l, old * l->table.row, part * l->table.row, (l->table.away >> i & 1) != 0,
            (g.away >> i & 1) != 0);
        sum += part;
    }
    assert_int_equal(sum, g.capacity);
    grow(l, had * l->table.path, g.capacity * l->table.path, (l->table.away & OM_AWAY_PATHS) != 0,
        (g.away & OM_AWAY_PATHS) != 0);
    if (g.capacity != had && l->table.later != 0) {
        grow(l, l->degrees, g.capacity * l->table.later, false, false);
        l->degrees = g.capacity * l->table.later;
    }
    l->steps += g.capacity != had;
    l->table.capacity = g.capacity;
    l->table.away = g.away;
    return true;
}

static ledger open_ledger(uint64_t memory, uint64_t largest, uint32_t segments, uint32_t words)
{
    return (ledger){ .room = { .memory = memory,
                         .largest = largest,
                         .segment = om_sizing__segment(memory, largest, segments),
                         .segments = segments },
        .table = { .row = words * UINT64_C(4), .path = PATH } };
}

/* Returns true if this number of states can be stored with the steps of state_table.c. */
static bool reach(ledger *l, uint64_t states)
{
    for (uint64_t stored = 0;;) {
        uint64_t need = stored + CANDIDATES;
        if (need > OM_MOST_NUMBERS || !grow_index(l, need) || !grow_rows(l, need))
            return false;
        if (stored >= states)
            return true;
        uint64_t room = om_sizing__entries(l->table.buckets);
        room = room < l->table.capacity ? room : l->table.capacity;
        stored = room < states ? room - CANDIDATES / 2 : states;
    }
}

/* ---- tests ---- */

/* An 80 GB device with a largest allocation of 20 GB, as is common. */
static void billion(void **state)
{
    (void) state;
    for (uint32_t words = 1; words <= 10; words++) {
        ledger l = open_ledger(80 * GIB, 20 * GIB, 4, words);
        assert_true(reach(&l, BILLION));
        printf("%2u words: %llu rows, %llu buckets, %.1f GiB, at most %.1f\n", words,
            (unsigned long long) l.table.capacity, (unsigned long long) l.table.buckets,
            (double) l.here / (double) GIB, (double) l.peak / (double) GIB);
        assert_int_equal(l.table.away, 0);
        assert_int_equal(l.elsewhere, 0);
        assert_int_equal(l.table.buckets, 1 << 28);
        assert_true(l.steps < 80);
    }
    /* Weak parts also store a count for each state. */
    ledger l = open_ledger(80 * GIB, 20 * GIB, 4, 6);
    l.table.later = 4;
    assert_true(reach(&l, BILLION));
    /* In a single buffer, rows of more than five words exceed the largest allocation. */
    l = open_ledger(80 * GIB, 20 * GIB, 1, 6);
    assert_false(reach(&l, BILLION));
}

/* Returns the minimum size of a table with room for this number of states. */
static uint64_t bytes_of(const ledger *l, uint64_t states)
{
    uint64_t buckets = 1;
    while (om_sizing__entries(buckets) < states)
        buckets *= 2;
    return states * (l->table.row + l->table.path + l->table.later) + buckets * BUCKET_BYTES;
}

/* All sizes: plans never exceed the memory (checked by the ledger); a refusal with four buffers
 * implies that most of the memory would be needed; and with host memory, only the sizes of buffers
 * limit. */
static void all_sizes(void **state)
{
    static const uint64_t counts[] = { BILLION / 1000, BILLION / 100, BILLION / 10, BILLION,
        2 * BILLION, 4 * BILLION };
    static const uint64_t memories[] = { 1, 2, 4, 8, 12, 16, 24, 40, 48, 80, 141, 192 };
    static const uint32_t widths[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64 };
    enum { COUNTS = 6, MEMORIES = 12, WIDTHS = 12, KINDS = 3 * 2 * 2 * 2 * 2 };
    unsigned reached = 0, refused = 0, spilt = 0;
    (void) state;
    for (size_t i = 0; i < (size_t) COUNTS * MEMORIES * WIDTHS * KINDS; i++) {
        uint64_t memory = memories[i / COUNTS % MEMORIES] * GIB, states = counts[i % COUNTS];
        size_t kind = i / ((size_t) COUNTS * MEMORIES * WIDTHS);
        ledger l = open_ledger(memory, memory >> kind % 3, kind / 3 % 2 != 0 ? 4 : 1,
            widths[i / ((size_t) COUNTS * MEMORIES) % WIDTHS]);
        l.room.spills = kind / 6 % 2 != 0;
        l.table.later = kind / 12 % 2 != 0 ? 4 : 0;
        l.table.stays = kind / 24 != 0;
        bool there = reach(&l, states);
        reached += there;
        refused += !there;
        spilt += l.elsewhere != 0;
        if (there)
            continue;
        if (l.room.segments == 4 && !l.table.stays)
            assert_true(bytes_of(&l, states + CANDIDATES) > memory / 100 * 60);
        /* An index stays on the device, and a larger one does not fit. */
        if (l.room.spills && l.room.segments == 4 && l.table.later == 0)
            assert_true(states + CANDIDATES > om_sizing__most_rows(&l.room, &l.table) ||
                        om_sizing__entries(2 * l.table.buckets) * 10 > memory / 2);
    }
    printf("%u reached, %u refused, %u with the host's memory\n", reached, refused, spilt);
    assert_true(reached > 1000 && refused > 1000 && spilt > 1000);
}

/* The part of a device that can be filled, with one buffer per table and with four. */
static void most_of_it(void **state)
{
    static const uint32_t widths[] = { 1, 2, 4, 8, 16, 64 };
    (void) state;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        uint64_t got[2];
        for (uint32_t four = 0; four < 2; four++) {
            uint64_t low = CANDIDATES, high = OM_MOST_NUMBERS - CANDIDATES;
            while (high - low > CANDIDATES) {
                uint64_t middle = low + (high - low) / 2;
                ledger l = open_ledger(80 * GIB, 20 * GIB, four != 0 ? 4 : 1, widths[i]);
                *(reach(&l, middle) ? &low : &high) = middle;
            }
            got[four] = low;
        }
        ledger l = open_ledger(80 * GIB, 20 * GIB, 4, widths[i]);
        printf("%2u words: %.2f * 10^9 states in one buffer, %.2f in four: %.0f %% of 80 GiB\n",
            widths[i], (double) got[0] / 1e9, (double) got[1] / 1e9,
            100.0 * (double) bytes_of(&l, got[1]) / (double) l.room.memory);
        assert_true(got[1] > got[0] && bytes_of(&l, got[1]) > 80 * GIB / 100 * 60);
    }
}

/* If doubling does not fit, a smaller step is taken, and rows do not spill. */
static void small_step(void **state)
{
    const om_sizing_room room = {
        .memory = 1000000, .largest = 1000000, .segment = 1000000, .segments = 1, .spills = true
    };
    om_sizing_table now = { .row = 100, .capacity = 4000, .buckets = 1 };
    (void) state;
    om_sizing g = om_sizing__rows(&room, &now, 4100);
    assert_true(g.fits && g.capacity == 5000 && g.away == 0); /* 400,000 and 500,000 fit */
    now.capacity = 2000;
    g = om_sizing__rows(&room, &now, 2100);
    assert_true(g.fits && g.capacity == 4000 && g.away == 0);
    now.capacity = 4900;
    g = om_sizing__rows(&room, &now, 5200); /* no step fits next to 490,000: rows spill */
    assert_true(g.fits && g.capacity == 9800 && g.away == 1);
    const om_sizing_room alone = {
        .memory = 1000000, .largest = 1000000, .segment = 1000000, .segments = 1
    };
    assert_false(om_sizing__rows(&alone, &now, 5200).fits);
    /* Pages that can be remapped need no room for a copy. */
    const om_sizing_room pages = {
        .memory = 1000000, .largest = 1000000, .segment = 1000000, .segments = 1, .in_place = true
    };
    g = om_sizing__rows(&pages, &now, 5200);
    assert_true(g.fits && g.capacity == 7350); /* the index will need the rest */
    /* The current capacity suffices. */
    g = om_sizing__rows(&alone, &now, 4900);
    assert_true(g.fits && g.capacity == 4900);
}

/* For an index, rows spill one segment at a time and only as many as necessary; the old index
 * spills first. */
static void leaving(void **state)
{
    const om_sizing_room room = {
        .memory = 1 << 20, .largest = 1 << 18, .segment = 1 << 18, .segments = 4, .spills = true
    };
    om_sizing_table now = { .row = 4, .path = 4, .capacity = 100000, .buckets = 1 << 11 };
    (void) state;
    om_sizing g = om_sizing__index(&room, &now, om_sizing__entries(1 << 12), 0);
    assert_true(g.fits && g.buckets == 1 << 12 && g.away == 1);
    now.stays = true;
    g = om_sizing__index(&room, &now, om_sizing__entries(1 << 12), 0);
    assert_true(g.fits && g.away == (1 | OM_AWAY_INDEX));
    g = om_sizing__index(&room, &now, 0, 1 << 13);
    assert_true(g.fits && g.away == (1 | 2 | OM_AWAY_INDEX));
    g = om_sizing__index(&room, &now, 0, 1 << 14); /* all of the memory */
    assert_true(g.fits && g.away == (1 | 2 | OM_AWAY_PATHS | OM_AWAY_INDEX));
    assert_false(om_sizing__index(&room, &now, 0, 1 << 15).fits);
    const om_sizing_room alone = {
        .memory = 1 << 20, .largest = 1 << 18, .segment = 1 << 18, .segments = 4
    };
    assert_false(om_sizing__index(&alone, &now, om_sizing__entries(1 << 12), 0).fits);
}

/* Rows also spill for other data. */
static void others(void **state)
{
    const om_sizing_room room = {
        .memory = 1 << 20, .largest = 1 << 18, .segment = 1 << 18, .segments = 4, .spills = true
    };
    const om_sizing_table now = { .row = 4, .path = 4, .capacity = 100000, .buckets = 1 << 11 };
    (void) state;
    /* 1,048,576 - 800,000 - 131,072 are left, then 262,144 more, then everything but the index. */
    om_sizing g = om_sizing__others(&room, &now, 117504);
    assert_true(g.fits && g.away == 0);
    g = om_sizing__others(&room, &now, 117505);
    assert_true(g.fits && g.away == 1);
    g = om_sizing__others(&room, &now, 917504);
    assert_true(g.fits && g.away == (1 | 2 | OM_AWAY_PATHS));
    assert_false(om_sizing__others(&room, &now, 917505).fits);
}

static void candidates(void **state)
{
    const om_sizing_room room = {
        .memory = 1000000, .used = 100000, .largest = 250000, .segment = 250000, .segments = 4
    };
    const om_sizing_table now = { .row = 40, .capacity = 10000, .buckets = 1000 };
    (void) state;
    /* 1,000,000 - 100,000 - 400,000 - 64,000 are left. */
    assert_int_equal(om_sizing__candidates(&room, &now, 40, 60, 100), 100);
    assert_int_equal(om_sizing__candidates(&room, &now, 40, 60, 100000), 6250); /* 250,000 / 40 */
    assert_int_equal(om_sizing__candidates(&room, &now, 40, 100, 100000), 4360);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(billion),
        cmocka_unit_test(all_sizes),
        cmocka_unit_test(most_of_it),
        cmocka_unit_test(small_step),
        cmocka_unit_test(leaving),
        cmocka_unit_test(others),
        cmocka_unit_test(candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
