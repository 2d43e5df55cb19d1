/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/quotient.cl compiled for the host, work-items one after another. test_quotient_wide.c
 * does the same for states of more than 64 bits. */
#include "host.h"

static uint32_t tries;
#define OM_TRIES tries
#ifndef KEY_BITS
#define KEY_BITS 19u
#define SHIFTS 0x110a00ull /* words of 10, 7 and 2 bits */
#endif
#include "../../kernels/quotient.cl"

enum { BITS = 12 };

typedef struct world {
    uint32_t table[2 * ROWS * OM_ROW], parents[2 * ROWS], candidates[ROWS * OM_ROW], from[ROWS];
    uint64_t index[OM_BUCKET << BITS], old[OM_BUCKET << BITS];
    uint64_t control[OM_C_WORDS + RECORDS * OM_R_WORDS];
    uint32_t stored;
    uint8_t wanted[8];
} world;

static world *new_world(void)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->control[OM_C_FAULT] = w->control[OM_C_FAILED] = UINT64_MAX;
    w->control[OM_C_HIT] = OM_NO_STATE;
    w->control[OM_C_PATHS] = 1;
    tries = 15;
    return w;
}

/* Runs a step with n candidates. Returns the record of the next step. */
static const uint64_t *put_all(world *w, uint32_t n, uint32_t bits)
{
    uint64_t *record = om_record(w->control, 0);
    memset(record, 0, OM_R_WORDS * sizeof *record);
    record[OM_R_STORED] = w->stored;
    record[OM_R_TAKEN] = n;
    EACH(n, om_k_put(w->table, w->parents, w->candidates, w->from, w->index, bits, OM_ROW, KEY_BITS,
                SHIFTS, w->control, 0, n, UINT32_MAX, 1, w->wanted))
    EACH(1, om_k_advance(w->control, 0, 1, 0, n, UINT32_MAX, 0))
    const uint64_t *next = om_record(w->control, 1);
    w->stored = (uint32_t) next[OM_R_STORED];
    return next;
}

static void random_row(om_random *random, uint32_t *row)
{
    row[0] = (uint32_t) om_random_below(random, VALUES);
    row[1] = row[0] % 100;
    row[2] = (uint32_t) om_random_below(random, 4);
}

/* Random rows in two batches: each value becomes one state, with a parent that had this value. */
static void putting(void **state)
{
    world *w = new_world();
    bool seen[VALUES * 10] = { false };
    uint32_t distinct = 0, first = UINT32_MAX;
    om_random random = { 7 };
    (void) state;
    w->wanted[3] = 1;
    for (unsigned batch = 0; batch < 2; batch++) {
        for (uint32_t c = 0; c < ROWS; c++) {
            uint32_t *row = &w->candidates[c * OM_ROW];
            random_row(&random, row);
            w->from[c] = value_of(row);
            distinct += !seen[value_of(row)];
            seen[value_of(row)] = true;
        }
        const uint64_t *next = put_all(w, ROWS, BITS);
        assert_int_equal(next[OM_R_FULL], 0);
        assert_int_equal(w->stored, distinct);
    }
    for (uint32_t i = 0; i < w->stored; i++) {
        const uint32_t *row = &w->table[i * OM_ROW];
        assert_true(seen[value_of(row)]); /* each value once: cleared below */
        seen[value_of(row)] = false;
        assert_int_equal(w->parents[i], value_of(row));
        if (row[2] == 3 && i < first)
            first = i;
    }
    assert_int_equal(w->control[OM_C_HIT], first);
    free(w);
}

static void move(world *w, uint32_t what, uint64_t first, uint32_t n, uint64_t *index,
    uint32_t bits, uint32_t *out)
{
    om_k_move(
        what, w->table, w->old, BITS - 2, first, n, index, bits, OM_ROW, KEY_BITS, SHIFTS, out);
}

/* Checksum of the keys in an index, independent of their order; also counts the entries. */
static uint64_t sum_of(const uint64_t *index, uint32_t bits, uint32_t *count)
{
    uint64_t sum = 0;
    *count = 0;
    for (uint64_t i = 0; i < (uint64_t) OM_BUCKET << bits; i++)
        if (index[i] != 0) {
            om_key k = om_key_at(i / OM_BUCKET, index[i], bits);
            sum += om_mix64(k.low * 3 + k.high);
            ++*count;
        }
    return sum;
}

/* Moves an index to a larger one, from the index itself and from the rows; both hold the same
 * keys. */
static void growing(void **state)
{
    world *w = new_world();
    om_random random = { 3 };
    uint32_t before = 0, after = 0, out = 0;
    (void) state;
    for (uint32_t c = 0; c < ROWS; c++)
        random_row(&random, &w->candidates[c * OM_ROW]);
    assert_int_equal(put_all(w, ROWS, BITS - 2)[OM_R_FULL], 0);
    uint64_t sum = sum_of(w->index, BITS - 2, &before);
    assert_int_equal(before, w->stored);
    memcpy(w->old, w->index, sizeof w->old);
    memset(w->index, 0, sizeof w->index);
    EACH(1 << (BITS - 2), move(w, OM_MOVE_BUCKETS, 0, 1 << (BITS - 2), w->index, BITS, &out))
    assert_true(sum == sum_of(w->index, BITS, &after));
    assert_int_equal(after, before);
    memset(w->index, 0, sizeof w->index);
    EACH(w->stored, move(w, OM_MOVE_ROWS, 0, w->stored, w->index, BITS, &out))
    assert_true(sum == sum_of(w->index, BITS, &after));
    assert_int_equal(after, before);
    assert_int_equal(out, 0);
    uint32_t stored = w->stored;
    (void) put_all(w, ROWS, BITS); /* all are present */
    assert_int_equal(w->stored, stored);
    free(w);
}

/* If only the home bucket may be used, a step finds no place for some candidates. The whole step
 * is undone. */
static void void_step(void **state)
{
    enum { FEW = 100, SMALL = 10 };
    world *w = new_world();
    uint32_t count = 0, whole = 0, out = 0;
    (void) state;
    tries = 1;
    for (uint32_t c = 0; c < FEW; c++)
        w->candidates[c * OM_ROW] = c;
    assert_int_equal(put_all(w, FEW, SMALL)[OM_R_FULL], 0);
    uint64_t sum = sum_of(w->index, SMALL, &whole);
    for (uint32_t c = 0; c < ROWS; c++) {
        w->candidates[c * OM_ROW] = c % VALUES;
        w->candidates[c * OM_ROW + 2] = c / VALUES % 4;
        w->candidates[c * OM_ROW + 1] = c / VALUES;
    }
    const uint64_t *next = put_all(w, ROWS, SMALL);
    uint32_t winners = (uint32_t) next[OM_R_FULL] - 1;
    assert_int_equal(next[OM_R_WHY], OM_GROW);
    assert_int_equal(w->stored, FEW);
    (void) sum_of(w->index, SMALL, &count);
    assert_int_equal(count, FEW + winners);
    EACH(winners, move(w, OM_MOVE_OUT, FEW, winners, w->index, SMALL, &out))
    assert_true(sum == sum_of(w->index, SMALL, &count));
    assert_int_equal(count, FEW);
#if KEY_BITS <= 64 /* S1 */
    /* Rows without a place in a new index are counted. */
    memset(w->old, 0, sizeof w->old);
    EACH(winners, move(w, OM_MOVE_ROWS, FEW, winners, w->old, 4, &out))
    (void) sum_of(w->old, 4, &count);
    assert_int_equal(count + out, winners);
    assert_true(out > 0);
#else
    (void) out;
#endif
    free(w);
}

/* A place and an entry determine the key, in every bucket that may hold it. */
static void round_trip(void **state)
{
    const uint32_t least = KEY_BITS > 64 ? KEY_BITS - 60u : 4u;
    om_random random = { 5 };
    (void) state;
    for (uint32_t i = 0; i < 100000; i++) {
        om_key k = { om_random_next(&random), 0 };
#if KEY_BITS < 64
        k.low &= (1ul << KEY_BITS) - 1;
#else
        k.high = om_random_next(&random) & ((1ul << (KEY_BITS - 64)) - 1);
#endif
        uint32_t bits = least + (uint32_t) om_random_below(&random, 10);
        om_spot p = om_spot_of(k, bits);
        assert_true(p.rest <= OM_REST && p.home < 1ul << bits);
        for (uint32_t tried = 0; tried < 15; tried++) {
            uint64_t entry = om_entry_of(p.rest, tried);
            om_key back = om_key_at(om_bucket_of(p.home, p.rest, tried, bits), entry, bits);
            assert_true(entry != 0 && back.low == k.low && back.high == k.high);
        }
    }
}

/* The inverse of om_mix64(). */
static uint64_t unmix64(uint64_t h)
{
    h = h ^ h >> 31 ^ h >> 62;
    h *= 0x319642b2d24d8ec3ul;
    h = h ^ h >> 27 ^ h >> 54;
    h *= 0x96de1b173f119089ul;
    return h ^ h >> 30 ^ h >> 60;
}

/* The mix is injective: checked for all keys if there are few; otherwise it is inverted. */
static void bijection(void **state)
{
    (void) state;
#if KEY_BITS <= 20
    bool *met = calloc(1u << KEY_BITS, sizeof *met);
    assert_non_null(met);
    for (uint64_t low = 0; low < 1u << KEY_BITS; low++) {
        om_key k = om_mix((om_key){ low, 0 }, KEY_BITS);
        assert_true(k.low < 1u << KEY_BITS && !met[k.low]);
        met[k.low] = true;
    }
    free(met);
    assert_true(unmix64(om_mix64(12345)) == 12345);
#else
    om_random random = { 9 };
    for (uint32_t i = 0; i < 100000; i++) {
        om_key k = { om_random_next(&random), om_random_below(&random, 1 << (KEY_BITS - 64)) };
        om_key mixed = om_mix(k, KEY_BITS);
        assert_true(mixed.high == k.high);
        assert_true((unmix64(mixed.low) ^ mixed.high * 0x9e3779b97f4a7c15ul) == k.low);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(putting),
        cmocka_unit_test(growing),
        cmocka_unit_test(void_step),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(bijection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
