/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels compiled for the host, work-items one after another, against known answers. */
#include <omen/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint32_t host_ids[2]; /* the work-item that runs now: this program has one thread */
static inline uint32_t om_host_id(unsigned dimension)
{
    return host_ids[dimension];
}

#define OM_KERNEL_ON_HOST
#include "../../kernels/om_kernel.h"

/*
 * A model by hand, as om_model_generate() writes them: word 0 is x in 0 .. 3, word 1 is y. Group 0
 * has x < 3: x++ (transition 0) and x == 3: x = 0 (1); group 1 has y < 2: y++ (2), which is a fault
 * where x is 2 and y is 1 when `trap` is on. AP 0 is x == 0. y == 9 fails assertion 7.
 */
#define OM_WORDS 2
#define OM_APS 1
#define OM_GROUPS 2
static bool trap, frozen;
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
OM_FN om_u32 om_gen_effect(om_u32 t, const om_u32 *s, om_u32 *d)
{
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

#define OM_ROW 3
#define OM_PRODUCT 1
#include "../../kernels/expand.cl"
#include "../../kernels/store.cl"

/* Runs a call for each work-item of a padded range. */
#define EACH(ITEMS, ROWS, CALL)                                                         \
    for (host_ids[1] = 0; host_ids[1] < (ROWS); host_ids[1]++)                          \
        for (host_ids[0] = 0; host_ids[0] < ((ITEMS) + 63u) / 64u * 64u; host_ids[0]++) \
            CALL;

/* ---- store.cl ---- */

enum { ROWS = 4000, VALUES = 700, BUCKETS = 1024 };

typedef struct world {
    uint32_t table[ROWS * OM_ROW], parents[ROWS], candidates[ROWS * OM_ROW], from[ROWS];
    uint64_t index[BUCKETS * OM_BUCKET], place[ROWS];
    uint32_t won[ROWS], stored, hit;
    uint8_t wanted[8];
} world;

static void intern_all(world *w, uint32_t n)
{
    uint32_t blocks = (n + OM_BLOCK - 1) / OM_BLOCK, sum = w->stored;
    EACH(n, 1, om_k_intern(w->table, w->stored, w->candidates, n, w->index, BUCKETS, w->place))
    EACH(blocks, 1, om_k_count(w->place, n, w->won))
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t here = w->won[b];
        w->won[b] = sum;
        sum += here;
    }
    EACH(blocks, 1,
        om_k_compact(w->table, w->parents, w->candidates, w->from, n, w->index, w->place, w->won, 1,
            w->wanted, &w->hit))
    w->stored = sum;
}

static uint32_t value_of(const uint32_t *row)
{
    return row[0] * 10 + row[2];
}

/* Random rows in two batches, the second with rows of the first. */
static void interning(void **state)
{
    world *w = calloc(1, sizeof *w);
    bool seen[VALUES * 10] = { false };
    uint32_t distinct = 0, first = ROWS;
    om_random random = { 7 };
    (void) state;
    assert_non_null(w);
    w->hit = UINT32_MAX;
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
        assert_true(seen[value_of(row)]); /* once each: cleared below */
        seen[value_of(row)] = false;
        assert_int_equal(row[1], row[0] ^ 0xffu);
        if (row[2] == 3 && first == ROWS)
            first = i;
    }
    assert_int_equal(w->hit, first);
    /* Every candidate of the last batch finds its own row. */
    for (uint32_t c = 0; c < ROWS / 2; c++) {
        uint32_t id = (uint32_t) w->index[w->place[c] & ~OM_WON] - 1;
        assert_memory_equal(&w->table[id * OM_ROW], &w->candidates[c * OM_ROW], OM_ROW * 4);
    }
    free(w);
}

/* A new index finds every row again, and nothing is won twice. */
static void reinserting(void **state)
{
    world *w = calloc(1, sizeof *w);
    (void) state;
    assert_non_null(w);
    for (uint32_t c = 0; c < ROWS; c++) {
        w->candidates[c * OM_ROW] = c;
        w->from[c] = OM_NO_STATE;
    }
    w->hit = UINT32_MAX;
    intern_all(w, ROWS);
    assert_int_equal(w->stored, ROWS);
    memset(w->index, 0, sizeof w->index);
    EACH(1500, 1, om_k_reinsert(w->table, 0, 1500, w->index, BUCKETS))
    EACH(ROWS - 1500, 1, om_k_reinsert(w->table, 1500, ROWS - 1500, w->index, BUCKETS))
    EACH(ROWS, 1, om_k_intern(w->table, ROWS, w->candidates, ROWS, w->index, BUCKETS, w->place))
    for (uint32_t c = 0; c < ROWS; c++)
        assert_int_equal((uint32_t) w->index[w->place[c]] - 1, c);
    free(w);
}

/* All rows in one bucket's way: a full bucket overflows, and a full index is noticed. */
static void full_index(void **state)
{
    world *w = calloc(1, sizeof *w);
    (void) state;
    assert_non_null(w);
    for (uint32_t c = 0; c < 33; c++)
        w->candidates[c * OM_ROW] = c;
    EACH(33, 1, om_k_intern(w->table, 0, w->candidates, 33, w->index, 4, w->place))
    for (uint32_t c = 0; c < 33; c++)
        assert_true(
            c < 32 ? w->place[c] != ~0ull && (w->place[c] & OM_WON) != 0 : w->place[c] == ~0ull);
    free(w);
}

/* ---- the accepting part ---- */

/* Rows 0 -> 1 -> 2 -> 1, 1 -> 3; 3 is not accepting. */
static void counting_edges(void **state)
{
    static const uint32_t edges[][2] = { { 0, 1 }, { 1, 2 }, { 2, 1 }, { 1, 3 } };
    world *w = calloc(1, sizeof *w);
    uint32_t degree[4] = { 0 }, list[4], length = 0, before[4] = { 9, 9, 9, 9 };
    (void) state;
    assert_non_null(w);
    uint8_t accepting[2] = { 0, 1 };
    for (uint32_t c = 0; c < 4; c++) {
        w->candidates[c * OM_ROW] = c;
        w->candidates[c * OM_ROW + 2] = c != 3;
        w->from[c] = OM_NO_STATE;
    }
    intern_all(w, 4);
    for (uint32_t c = 0; c < 4; c++) {
        memcpy(&w->candidates[c * OM_ROW], &w->table[edges[c][1] * OM_ROW], OM_ROW * 4);
        w->from[c] = edges[c][0];
    }
    EACH(4, 1, om_k_intern(w->table, 4, w->candidates, 4, w->index, BUCKETS, w->place))
    EACH(4, 1,
        om_k_tally(w->table, w->candidates, w->from, 4, w->index, w->place, accepting, degree))
    assert_int_equal(degree[0], 0);
    assert_int_equal(degree[1], 2);
    assert_int_equal(degree[2], 1);
    assert_int_equal(degree[3], 0);
    EACH(4, 1, om_k_list(w->table, 0, 4, accepting, degree, 1, list, &length))
    assert_int_equal(length, 1);
    assert_int_equal(list[0], 0);
    length = 0;
    EACH(1, 1, /* the edge of state 0 alone */
        om_k_untally(w->table, w->candidates, w->from, 1, w->index, w->place, accepting, degree,
            list, &length))
    assert_int_equal(degree[1], 1);
    assert_int_equal(length, 0);
    EACH(4, 1, om_k_list(w->table, 0, 4, accepting, degree, 0, list, &length))
    assert_int_equal(length, 2);
    EACH(3, 1, /* edges of the states that stay: all but the first */
        om_k_before(w->table, w->candidates + OM_ROW, w->from + 1, 3, w->index, w->place + 1,
            accepting, degree, before))
    assert_int_equal(before[1], 2);
    assert_int_equal(before[2], 1);
    assert_int_equal(before[0], 9);
    assert_int_equal(before[3], 9);
    free(w);
}

/* ---- expand.cl ---- */

/* Two automaton states: 0 -> 0 always, 0 -> 1 when AP 0, 1 -> 1 when not AP 0 or AP 5. */
static const uint32_t aut_begin[] = { 0, 2, 3 };
static const uint32_t aut_edges[] = { 0, 0, 1, 1, 1, 1, 1, 2, 2 };
static const uint64_t aut_cubes[] = { 0, 0, 1, 0, 0, 1, 32, 0 };

typedef struct chunk {
    uint64_t masks[2 * 64], labels[64], sums[2], worst;
    uint32_t matches[64], candidates[64 * OM_ROW], from[64], taken;
} chunk;

static void expand(chunk *c, const uint32_t *table, uint32_t n, bool stutter)
{
    *c = (chunk){ .worst = UINT64_MAX };
    EACH(n, 2, om_k_guards(table, 0, 0, NULL, n, 64, 0, c->masks, &c->worst))
    EACH(n, 1,
        om_k_weigh(table, 0, 0, NULL, n, 64, c->masks, aut_begin, aut_edges, aut_cubes, stutter, 5,
            c->labels, c->matches, c->sums, &c->worst))
    EACH(n, 2,
        om_k_expand(table, 0, 0, NULL, n, 64, 0, c->masks, aut_begin, aut_edges, aut_cubes, stutter,
            c->labels, c->matches, c->candidates, c->from, &c->taken, &c->worst))
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
    static const uint32_t table[] = { 0, 0, 0, 3, 2, 0, 1, 1, 1, 0, 2, 1 };
    chunk *c = malloc(sizeof *c);
    (void) state;
    assert_non_null(c);
    trap = frozen = false;
    expand(c, table, 4, true);
    /* (0,0,0): two moves, both edges; (3,2,0): one move, one edge; (1,1,1): two moves, one edge;
     * (0,2,1): AP 0 holds, no edge. */
    assert_int_equal(c->sums[0], 4 + 1 + 2);
    assert_int_equal(c->taken, c->sums[0]);
    assert_int_equal(c->sums[1], 0);
    assert_true(
        has(c, 0, 1, 0, 0) && has(c, 0, 1, 0, 1) && has(c, 0, 0, 1, 0) && has(c, 0, 0, 1, 1));
    assert_true(has(c, 1, 0, 2, 0));
    assert_true(has(c, 2, 2, 1, 1) && has(c, 2, 1, 2, 1));
    assert_true(c->worst == UINT64_MAX);
    free(c);
}

/* A model that never moves: AP 5 is the deadlock AP, and stuttering keeps the model's part. */
static void dead_states(void **state)
{
    static const uint32_t table[] = { 2, 2, 1, 0, 0, 0 };
    chunk *c = malloc(sizeof *c);
    (void) state;
    assert_non_null(c);
    trap = false;
    frozen = true;
    expand(c, table, 2, false);
    assert_int_equal(c->sums[0], 0);
    assert_int_equal(c->taken, 0);
    assert_int_equal(c->sums[1], 2);
    assert_int_equal(c->labels[0], 32);
    assert_int_equal(c->labels[1], 33);
    expand(c, table, 2, true);
    assert_int_equal(c->sums[0], 3);
    assert_int_equal(c->taken, 3);
    assert_true(has(c, 0, 2, 2, 1) && has(c, 1, 0, 0, 0) && has(c, 1, 0, 0, 1));
    frozen = false;
    free(c);
}

/* The least state's first fault, in the order of the vm; also where the automaton has no edge. */
static void faults(void **state)
{
    static const uint32_t table[] = { 0, 0, 0, 2, 1, 0, 3, 9, 0, 3, 0, 0 };
    chunk *c = malloc(sizeof *c);
    (void) state;
    assert_non_null(c);
    trap = true;
    expand(c, table, 4, true);
    assert_int_equal(c->worst >> 34, 1);
    assert_int_equal((uint32_t) c->worst, OM_FAULT(OM_FAULT_INDEX, 2));
    expand(c, table + 6, 2, true);
    assert_int_equal(c->worst >> 34, 0);
    assert_int_equal((uint32_t) c->worst, OM_FAULT(OM_FAULT_ASSERTION, 7));
    expand(c, table + 9, 1, true);
    assert_int_equal((uint32_t) c->worst, OM_FAULT(OM_FAULT_DIVISION, 2));
    trap = false;
    expand(c, table, 4, true);
    assert_int_equal((uint32_t) c->worst, OM_FAULT(OM_FAULT_ASSERTION, 7));
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interning),
        cmocka_unit_test(reinserting),
        cmocka_unit_test(full_index),
        cmocka_unit_test(counting_edges),
        cmocka_unit_test(successors),
        cmocka_unit_test(dead_states),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
