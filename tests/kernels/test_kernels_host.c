/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels compiled for the host, work-items one after another, compared with known answers. */
#include "host.h"

#include "../../kernels/om_kernel.h"

/*
 * A handwritten model in the form of om_model__generate(): word 0 is x in 0 .. 3, word 1 is y.
 * Group 0 has x < 3: x++ (transition 0) and x == 3: x = 0 (1). Group 1 has y < 2: y++ (2), which
 * faults if x is 2, y is 1 and `trap` is set. AP 0 is x == 0. y == 9 fails assertion 7. If `wild`
 * is set, the second x++ overflows, and y++ overflows twice.
 */
#define OM_WORDS 2
#define OM_APS 1
#define OM_GROUPS 2
#define OM_OVERFLOWS 3
#define OM_GEN_FAULTS 1
static bool trap, frozen, wild;
OM_FN om_u32 om_gen_base(om_u32 group)
{
    return group == 0 ? 0 : 2;
}
OM_FN om_u64 om_gen_guards(om_u32 group, const om_u32 *s, om_u32 *fault)
{
    if (trap && group == 1 && s[0] == 3)
        *fault = OM_FAULT(OM_FAULT_DIVISION, 2);
    if (frozen)
        return 0;
    if (group == 0)
        return s[0] < 3 ? 1 : 2;
    return s[1] < 2;
}
OM_FN om_u32 om_gen_effect(om_u32 t, const om_u32 *s, om_u32 *d, om_u32 *overflows)
{
    if (wild)
        *overflows += t == 0 ? s[0] == 1 : t == 2 ? 2 : 0;
    d[0] = t == 0 ? s[0] + 1 : t == 1 ? 0 : s[0];
    d[1] = t == 2 ? s[1] + 1 : s[1];
    return trap && t == 2 && s[0] == 2 && s[1] == 1 ? OM_FAULT(OM_FAULT_INDEX, 2) : 0;
}
OM_FN om_u32 om_gen_assertions(const om_u32 *s)
{
    return s[1] == 9 ? OM_FAULT(OM_FAULT_ASSERTION, 7) : 0;
}
OM_FN om_u64 om_gen_labels(const om_u32 *s, om_u32 *fault)
{
    (void) fault;
    return s[0] == 0;
}

#define OM_PRODUCT 1
#define OM_WEAK 1
#include "../../kernels/expand.cl"
#include "../../kernels/store.cl"

/* ---- store.cl ---- */

enum { BUCKETS = 1024 };

typedef struct world {
    uint32_t table[ROWS * OM_ROW], parents[ROWS], candidates[ROWS * OM_ROW], from[ROWS];
    uint64_t index[BUCKETS * OM_BUCKET], place[ROWS];
    uint64_t control[OM_C_WORDS + RECORDS * OM_R_WORDS];
    uint32_t won[ROWS], stored;
    uint8_t wanted[8];
} world;

static world *new_world(void)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->control[OM_C_FAULT] = w->control[OM_C_FAILED] = UINT64_MAX;
    w->control[OM_C_HIT] = OM_NO_STATE;
    w->control[OM_C_PATHS] = 1;
    return w;
}

/* Resets record 0: a step with n candidates after the stored states. */
static uint64_t *fresh_record(world *w, uint32_t n)
{
    uint64_t *record = om_record(w->control, 0);
    memset(record, 0, OM_R_WORDS * sizeof *record);
    record[OM_R_STORED] = w->stored;
    record[OM_R_TAKEN] = n;
    return record;
}

/* Looks up all candidates and stores all their places. */
static void find_all(world *w, uint32_t n, uint64_t buckets)
{
    fresh_record(w, n);
    EACH(n, om_k_intern(w->table, w->candidates, w->index, buckets, w->control, 0, n, ROWS, 1,
                w->place, w->won))
}

static const uint64_t *intern_all(world *w, uint32_t n)
{
    find_all(w, n, BUCKETS);
    EACH(n, om_k_compact(w->table, w->parents, w->candidates, w->from, w->index, w->control, 0, 1,
                0, n, ROWS, 0, w->place, w->won, 1, w->wanted))
    const uint64_t *next = om_record(w->control, 1);
    w->stored = (uint32_t) next[OM_R_STORED];
    return next;
}

/* Random rows in two batches; the second repeats rows of the first. */
static void interning(void **state)
{
    world *w = new_world();
    bool seen[VALUES * 10] = { false };
    uint32_t distinct = 0, first = ROWS;
    om_random random = { 7 };
    (void) state;
    w->wanted[3] = 1;
    for (unsigned batch = 0; batch < 2; batch++) {
        for (uint32_t c = 0; c < ROWS / 2; c++) {
            uint32_t *row = &w->candidates[c * OM_ROW];
            row[0] = (uint32_t) om_random_below(&random, VALUES);
            row[1] = row[0] ^ 0xffu;
            row[2] = (uint32_t) om_random_below(&random, 4);
            w->from[c] = c + batch * ROWS;
            distinct += !seen[value_of(row)];
            seen[value_of(row)] = true;
        }
        intern_all(w, ROWS / 2);
        assert_int_equal(w->stored, distinct);
    }
    for (uint32_t i = 0; i < w->stored; i++) {
        uint32_t *row = &w->table[i * OM_ROW];
        assert_true(seen[value_of(row)]); /* each value once: cleared below */
        seen[value_of(row)] = false;
        assert_int_equal(row[1], row[0] ^ 0xffu);
        if (row[2] == 3 && first == ROWS)
            first = i;
    }
    assert_int_equal(w->control[OM_C_HIT], first);
    /* Every candidate of the last batch finds its own row. */
    for (uint32_t c = 0; c < ROWS / 2; c++) {
        uint32_t id = (uint32_t) w->index[w->place[c] & ~OM_WON] - 1;
        assert_memory_equal(&w->table[id * OM_ROW], &w->candidates[c * OM_ROW], OM_ROW * 4);
    }
    free(w);
}

/* A new index finds every row again, and no row wins twice. */
static void reinserting(void **state)
{
    world *w = new_world();
    (void) state;
    for (uint32_t c = 0; c < ROWS; c++) {
        w->candidates[c * OM_ROW] = c;
        w->from[c] = OM_NO_STATE;
    }
    intern_all(w, ROWS);
    assert_int_equal(w->stored, ROWS);
    memset(w->index, 0, sizeof w->index);
    EACH(1500, om_k_reinsert(w->table, 0, 1500, w->index, BUCKETS))
    EACH(ROWS - 1500, om_k_reinsert(w->table, 1500, ROWS - 1500, w->index, BUCKETS))
    for (uint32_t c = 0; c < ROWS; c++) {
        uint64_t at = om_find_or_put(w->table, ROWS, w->candidates, w->index, BUCKETS,
            om_hash(&w->candidates[c * OM_ROW]), c);
        uint32_t id = (uint32_t) w->index[at] - 1;
        assert_true(id < ROWS);
        assert_memory_equal(&w->table[id * OM_ROW], &w->candidates[c * OM_ROW], OM_ROW * 4);
    }
    free(w);
}

/* Rows with equal hashes are distinguished by each of their words. */
static void one_hash(void **state)
{
    enum { N = 1 + 2 * OM_ROW };
    world *w = new_world();
    uint64_t at[N];
    (void) state;
    for (uint32_t c = 1; c < N; c++)
        w->candidates[c * OM_ROW + (c - 1) % OM_ROW] = c <= OM_ROW ? 1 : UINT32_C(1) << 31;
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t c = 0; c < N; c++) {
            const uint64_t found =
                om_find_or_put(w->table, 0, w->candidates, w->index, BUCKETS, 0x12345678abcd, c);
            assert_int_equal((found & OM_WON) != 0, round == 0);
            if (round == 0)
                at[c] = found & ~OM_WON;
            assert_int_equal(found & ~OM_WON, at[c]);
            assert_int_equal((uint32_t) w->index[at[c]], c + 1);
        }
    free(w);
}

/* All rows probe the same buckets: a full bucket overflows, and a full index is noticed. */
static void full_index(void **state)
{
    world *w = new_world();
    (void) state;
    for (uint32_t c = 0; c < 33; c++)
        w->candidates[c * OM_ROW] = c;
    find_all(w, 33, 4);
    uint32_t lost = 0;
    for (uint32_t c = 0; c < 33; c++) {
        assert_true((w->place[c] & OM_WON) != 0);
        lost += w->place[c] == ~0ull;
    }
    assert_int_equal(lost, 1);
    free(w);
}

/* ---- the accepting part ---- */

/* Rows 0 -> 1 -> 2 -> 1, 1 -> 3; 3 is not accepting. */
static void counting_edges(void **state)
{
    static const uint32_t edges[][2] = { { 0, 1 }, { 1, 2 }, { 2, 1 }, { 1, 3 } };
    world *w = new_world();
    uint32_t degree[4] = { 0 }, list[4], length = 0, before[4] = { 9, 9, 9, 9 };
    (void) state;
    uint8_t accepting[2] = { 0, 1 };
    for (uint32_t c = 0; c < 4; c++) {
        w->candidates[c * OM_ROW] = c;
        w->candidates[c * OM_ROW + 2] = c != 3;
        w->from[c] = OM_NO_STATE;
    }
    (void) intern_all(w, 4);
    for (uint32_t c = 0; c < 4; c++) {
        memcpy(&w->candidates[c * OM_ROW], &w->table[edges[c][1] * OM_ROW], OM_ROW * 4);
        w->from[c] = edges[c][0];
    }
    (void) intern_all(w, 4);
    assert_int_equal(w->stored, 4);
    EACH(4, om_k_tally(w->table, w->parents, w->candidates, w->from, w->control, 0, 1, 4, w->index,
                w->place, accepting, 0, degree))
    assert_int_equal(w->control[OM_C_HIT], OM_NO_STATE);
    assert_int_equal(degree[0], 0);
    assert_int_equal(degree[1], 2);
    assert_int_equal(degree[2], 1);
    assert_int_equal(degree[3], 0);
    EACH(4, om_k_list(w->table, 0, 4, accepting, degree, 1, list, &length))
    assert_int_equal(length, 1);
    assert_int_equal(list[0], 0);
    length = 0;
    EACH(1, /* only the edge of state 0 */
        om_k_untally(w->table, w->candidates, w->from, 1, w->index, w->place, accepting, 4, degree,
            list, &length))
    assert_int_equal(degree[1], 1);
    assert_int_equal(length, 0);
    EACH(4, om_k_list(w->table, 0, 4, accepting, degree, 0, list, &length))
    assert_int_equal(length, 2);
    EACH(3, /* edges of the remaining states: all but the first */
        om_k_before(w->table, w->candidates + OM_ROW, w->from + 1, 3, w->index, w->place + 1,
            accepting, degree, before))
    assert_int_equal(before[1], 2);
    assert_int_equal(before[2], 1);
    assert_int_equal(before[0], 9);
    assert_int_equal(before[3], 9);
    free(w);
}

/* Row 1 was reached from 0, 2 from 1, 3 from 0. The edge 2 -> 1 closes a cycle. The edge 2 -> 3
 * does not, and neither does an edge whose path contains a state that is not accepting. */
static void closing_edges(void **state)
{
    static const uint32_t to[] = { 1, 3, 0 };
    static const uint8_t accepting[3] = { 0, 1, 0 };
    world *w = new_world();
    (void) state;
    for (uint32_t c = 0; c < 4; c++) {
        w->table[c * OM_ROW] = c;
        w->table[c * OM_ROW + 2] = 1;
        w->parents[c] = c == 0 ? OM_NO_STATE : c == 2 ? 1 : 0;
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(om_is_above(w->table, w->parents, accepting, to[i], 2), i == 0);
        assert_int_equal(om_is_above(w->table, w->parents, accepting, 2, to[i]), 0);
    }
    assert_int_equal(om_is_above(w->table, w->parents, accepting, 0, 2), 1);
    assert_int_equal(om_is_above(w->table, w->parents, accepting, 3, 3), 1);
    w->table[OM_ROW + 2] = 2; /* row 1 */
    assert_int_equal(om_is_above(w->table, w->parents, accepting, 0, 2), 0);
    free(w);
}

/* ---- expand.cl ---- */

/* Two automaton states: 0 -> 0 always, 0 -> 1 when AP 0, 1 -> 1 when not AP 0 or AP 5. */
static const uint32_t aut_begin[] = { 0, 2, 3 };
static const uint32_t aut_edges[] = { 0, 0, 1, 1, 1, 1, 1, 2, 2 };
static const uint64_t aut_cubes[] = { 0, 0, 1, 0, 0, 1, 32, 0 };

typedef struct chunk {
    uint64_t control[OM_C_WORDS + OM_R_WORDS], labels[64];
    uint32_t so_far[64 * OM_S_WORDS], candidates[64 * OM_ROW], from[64];
    uint64_t *record; /* points into control */
    uint64_t taken;
} chunk;

static void expand_into(chunk *c, uint32_t *table, uint32_t n, bool stutter, uint32_t capacity)
{
    *c = (chunk){ .record = NULL };
    c->control[OM_C_FAULT] = c->control[OM_C_FAILED] = UINT64_MAX;
    c->control[OM_C_HIT] = OM_NO_STATE;
    c->control[OM_C_OVERFLOWN] = UINT64_MAX;
    c->control[OM_C_PATHS] = 1;
    c->record = om_record(c->control, 0);
    c->record[OM_R_END] = n;
    EACH(64, om_k_expand(table, NULL, 0, 64, c->control, 0, capacity, aut_begin, aut_edges,
                 aut_cubes, stutter, 5, c->labels, c->so_far, c->candidates, c->from))
    c->taken = c->record[OM_R_TAKEN];
}

static void expand(chunk *c, uint32_t *table, uint32_t n, bool stutter)
{
    expand_into(c, table, n, stutter, 64);
}

static bool has(const chunk *c, uint32_t from, uint32_t x, uint32_t y, uint32_t q)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < c->taken; i++)
        count += c->from[i] == from && c->candidates[i * OM_ROW] == x &&
                 c->candidates[i * OM_ROW + 1] == y && c->candidates[i * OM_ROW + 2] == q;
    return count == 1;
}

static void successors(void **state)
{
    uint32_t table[] = { 0, 0, 0, 3, 2, 0, 1, 1, 1, 0, 2, 1 };
    chunk *c = malloc(sizeof *c);
    (void) state;
    assert_non_null(c);
    trap = frozen = false;
    expand(c, table, 4, true);
    /* (0,0,0): two moves, both edges. (3,2,0): one move, one edge. (1,1,1): two moves, one edge.
     * (0,2,1): AP 0 holds, so no edge. */
    assert_int_equal(c->taken, 4 + 1 + 2);
    assert_int_equal(c->record[OM_R_DEAD], 0);
    assert_true(
        has(c, 0, 1, 0, 0) && has(c, 0, 1, 0, 1) && has(c, 0, 0, 1, 0) && has(c, 0, 0, 1, 1));
    assert_true(has(c, 1, 0, 2, 0));
    assert_true(has(c, 2, 2, 1, 1) && has(c, 2, 1, 2, 1));
    assert_true(c->control[OM_C_FAULT] == UINT64_MAX);
    free(c);
}

/* A model without moves: AP 5 is the deadlock AP, and stuttering keeps the model's part. */
static void dead_states(void **state)
{
    uint32_t table[] = { 2, 2, 1, 0, 0, 0 };
    chunk *c = malloc(sizeof *c);
    (void) state;
    assert_non_null(c);
    trap = false;
    frozen = true;
    expand(c, table, 2, false);
    assert_int_equal(c->taken, 0);
    assert_int_equal(c->record[OM_R_DEAD], 2);
    expand(c, table, 2, true);
    assert_int_equal(c->taken, 3);
    assert_true(has(c, 0, 2, 2, 1) && has(c, 1, 0, 0, 0) && has(c, 1, 0, 0, 1));
    frozen = false;
    free(c);
}

/* Encodes a fault of a state, or a failed assertion of a state. */
static uint64_t fault_in(uint64_t state, om_fault fault)
{
    return state << 32 | fault;
}

/* The first fault, in the order of the vm, of the least faulty state, even if the automaton has no
 * edge. Faulty states have no edges and are no deadlocks: their places are void. */
static void faults(void **state)
{
    uint32_t table[] = { 0, 0, 0, 2, 1, 0, 3, 9, 0, 3, 0, 0, 2, 1, 0, 1, 0, 1 };
    const om_fault index = OM_FAULT(OM_FAULT_INDEX, 2), failed = OM_FAULT(OM_FAULT_ASSERTION, 7);
    chunk *c = malloc(sizeof *c);
    uint64_t next[OM_R_WORDS];
    (void) state;
    assert_non_null(c);
    trap = true;
    expand(c, table, 6, true);
    assert_true(c->control[OM_C_FAULT] == fault_in(1, index));
    assert_true(c->control[OM_C_FAILED] == fault_in(2, failed));
    /* The first state has four edges, the last has two. In (2,1,0), the second effect faults. */
    assert_int_equal(c->taken, 4 + 2 + 2 + 2);
    assert_int_equal(c->record[OM_R_LOST], 2 + 2);
    assert_int_equal(c->record[OM_R_DEAD], 0);
    assert_true(has(c, 0, 0, 1, 1) && has(c, 5, 2, 0, 1) && has(c, 5, 1, 1, 1));
    unsigned voids = 0;
    for (uint32_t i = 0; i < c->taken; i++)
        if (c->from[i] == OM_NO_STATE) {
            assert_memory_equal(c->candidates + i * OM_ROW, table + 3, OM_ROW * sizeof *table);
            voids++;
        }
    assert_int_equal(voids, 4);
    /* Void places are not counted, and a failed assertion ends the steps. */
    om_advance(c->control, c->record, next, 6, OM_RUNS);
    assert_int_equal(next[OM_R_TRANSITIONS], 6);
    assert_int_equal(next[OM_R_LOST], 0);
    assert_int_equal(next[OM_R_WHY], OM_FAULTS);

    expand(c, table + 9, 1, true);
    assert_true(c->control[OM_C_FAULT] == fault_in(0, OM_FAULT(OM_FAULT_DIVISION, 2)));
    assert_true(c->control[OM_C_FAILED] == UINT64_MAX);
    assert_int_equal(c->taken, 0);
    /* Other faults end the steps only if requested. */
    for (unsigned ends = 0; ends < 2; ends++) {
        c->control[OM_C_FAULTS_END] = ends;
        om_advance(c->control, c->record, next, 0, OM_RUNS);
        assert_int_equal(next[OM_R_WHY], ends ? OM_FAULTS : OM_RUNS);
    }
    trap = false;
    expand(c, table, 6, true);
    assert_true(c->control[OM_C_FAULT] == UINT64_MAX);
    assert_true(c->control[OM_C_FAILED] == fault_in(2, failed));
    assert_int_equal(c->record[OM_R_LOST], 0);
    free(c);
}

/* Overflows are counted once per transition of the model, regardless of the automaton. If the
 * candidates do not fit, the step is repeated. */
static void overflows(void **state)
{
    uint32_t table[] = { 3, 2, 0, 1, 2, 0, 1, 1, 0, 0, 2, 1 };
    chunk *c = malloc(sizeof *c);
    (void) state;
    assert_non_null(c);
    wild = false;
    expand(c, table, 4, true);
    assert_int_equal(c->record[OM_R_OVER], 0);
    assert_true(c->control[OM_C_OVERFLOWN] == UINT64_MAX);
    wild = true;
    expand(c, table, 4, true);
    assert_int_equal(c->record[OM_R_OVER], 1 + 3);
    assert_int_equal(c->control[OM_C_OVERFLOWN], 1);
    expand(c, table, 1, true);
    assert_int_equal(c->record[OM_R_OVER], 0);
    assert_true(c->control[OM_C_OVERFLOWN] == UINT64_MAX);

    /* A void step has no effect on the counts; a completed step adds its counts. */
    uint64_t next[OM_R_WORDS];
    expand(c, table, 4, true);
    om_advance(c->control, c->record, next, 4, OM_CAPACITY);
    assert_int_equal(next[OM_R_OVERFLOWS], 0);
    assert_int_equal(next[OM_R_OVER], 0);
    c->record[OM_R_OVERFLOWS] = 10;
    om_advance(c->control, c->record, next, 4, OM_RUNS);
    assert_int_equal(next[OM_R_OVERFLOWS], 14);
    assert_int_equal(next[OM_R_OVER], 0);
    wild = false;
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interning),
        cmocka_unit_test(reinserting),
        cmocka_unit_test(one_hash),
        cmocka_unit_test(full_index),
        cmocka_unit_test(counting_edges),
        cmocka_unit_test(closing_edges),
        cmocka_unit_test(successors),
        cmocka_unit_test(dead_states),
        cmocka_unit_test(faults),
        cmocka_unit_test(overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
