/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels compiled for the host with large numbers: states around number 2^31 and at the
 * largest numbers, in tables and indices of tens of gigabytes of which only some pages are
 * touched. test_sizes_segments.c does the same with tables and indices in four buffers.
 */
#define _GNU_SOURCE /* memfd_create(); NOLINT(bugprone-reserved-identifier) */
#include "host.h"

#include <sys/mman.h>
#include <unistd.h>

#include "../../kernels/om_kernel.h"

/* A handwritten model in the form of om_model__generate(): every state (x, y) has the successor (x
 * + 1, y), or with `wide` 128 copies of it. */
#define OM_WORDS 2
#define OM_APS 1
#define OM_GROUPS 2
#define OM_OVERFLOWS 0
#define OM_GEN_FAULTS 1
static bool wide;
OM_FN om_u32 om_gen_base(om_u32 group)
{
    return group * 64;
}
OM_FN om_u64 om_gen_guards(om_u32 group, const om_u32 *s, om_u32 *fault)
{
    (void) s;
    (void) fault;
    return wide ? ~0ull : group == 0;
}
OM_FN om_u32 om_gen_effect(om_u32 t, const om_u32 *s, om_u32 *d, om_u32 *overflows)
{
    (void) t;
    (void) overflows;
    d[0] = s[0] + 1;
    d[1] = s[1];
    return 0;
}
OM_FN om_u32 om_gen_assertions(const om_u32 *s)
{
    return s[1] == 9 ? OM_FAULT(OM_FAULT_ASSERTION, 7) : 0;
}
OM_FN om_u64 om_gen_labels(const om_u32 *s, om_u32 *fault)
{
    (void) s;
    (void) fault;
    return 1;
}

#define OM_PRODUCT 1
#define OM_WEAK 1
#define OM_TRIES 15
#include "../../kernels/expand.cl"
#include "../../kernels/store.cl"
#include "../../kernels/quotient.cl"

/* Words of 32, 13 and 2 bits. */
#define KEY_BITS 47u
#define SHIFTS 0x2d2000ull

enum { STATES = 1500, INDEX_BITS = 30 };
/* First state numbers: the first range of rows straddles number 2^31; the last is just below the
 * largest number (MOST_NUMBERS of sizing.h), including the candidates. */
static const uint64_t FIRST[] = { (1ull << 31) - STATES / 2, 0xfffffff0ull - 2 * STATES };
enum { PLACES = sizeof FIRST / sizeof *FIRST };
static const uint64_t MOST = 0xfffffff0ull;

/* Maps memory that costs only addresses until it is written. */
static void *sparse(uint64_t n, size_t size)
{
    void *p = mmap(NULL, (size_t) n * size, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    (void) madvise(p, (size_t) n * size, MADV_NOHUGEPAGE);
    return p;
}

static void end_sparse(void *p, uint64_t n, size_t size)
{
    assert_int_equal(munmap(p, (size_t) n * size), 0);
}

/* Rows, or an index. */
typedef struct words32 {
    uint32_t *at[4];
    uint64_t each;
} words32;
typedef struct words64 {
    uint64_t *at[4];
    uint64_t each;
} words64;
#if OM_SEGMENTS == 1
#define ALL(S) (S).at[0]
#else
#define ALL(S) (S).at[0], (S).at[1], (S).at[2], (S).at[3], (S).each
#endif
enum { ROW_BYTES = OM_ROW * sizeof(uint32_t) };

static words32 new_rows(void)
{
    words32 r = { .each = (1ull << 32) / OM_SEGMENTS };
    for (uint32_t i = 0; i < OM_SEGMENTS; i++)
        r.at[i] = sparse(r.each, ROW_BYTES);
    return r;
}

static words64 new_index(uint32_t bits)
{
    words64 x = { .each = ((uint64_t) OM_BUCKET << bits) / OM_SEGMENTS };
    for (uint32_t i = 0; i < OM_SEGMENTS; i++)
        x.at[i] = sparse(x.each, sizeof(uint64_t));
    return x;
}

static void end_rows(words32 *r)
{
    for (uint32_t i = 0; i < OM_SEGMENTS; i++)
        end_sparse(r->at[i], r->each, ROW_BYTES);
}

static void end_index(words64 *x)
{
    for (uint32_t i = 0; i < OM_SEGMENTS; i++)
        end_sparse(x->at[i], x->each, sizeof(uint64_t));
}

/* Locates a row without the functions of the kernels. */
static uint32_t *row_at(const words32 *r, uint64_t number)
{
    return r->at[number / r->each] + number % r->each * OM_ROW;
}

static uint64_t entry_at(const words64 *x, uint64_t at)
{
    return x->at[at / x->each][at % x->each];
}

static om_rows gathered(const words32 *r)
{
#if OM_SEGMENTS == 1
    return r->at[0];
#else
    return (om_rows){ { r->at[0], r->at[1], r->at[2], r->at[3] }, r->each };
#endif
}

typedef struct world {
    words32 table;
    words64 index;
    uint32_t *parents, *degree, *before;
    uint32_t candidates[STATES * OM_ROW], from[STATES], won[STATES], list[STATES];
    uint64_t place[STATES], control[OM_C_WORDS + RECORDS * OM_R_WORDS], stored;
    uint8_t wanted[8];
} world;

static world *new_world(uint64_t first)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->table = new_rows();
    w->index = new_index(INDEX_BITS);
    w->parents = sparse(1ull << 32, sizeof(uint32_t));
    w->degree = sparse(1ull << 32, sizeof(uint32_t));
    w->before = sparse(1ull << 32, sizeof(uint32_t));
    w->control[OM_C_FAULT] = w->control[OM_C_FAILED] = UINT64_MAX;
    w->control[OM_C_HIT] = OM_NO_STATE;
    w->control[OM_C_PATHS] = 1;
    w->stored = first;
    return w;
}

static void end_world(world *w)
{
    end_rows(&w->table);
    end_index(&w->index);
    end_sparse(w->parents, 1ull << 32, sizeof(uint32_t));
    end_sparse(w->degree, 1ull << 32, sizeof(uint32_t));
    end_sparse(w->before, 1ull << 32, sizeof(uint32_t));
    free(w);
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

/* Candidate c gets row number k. */
static void set_candidate(world *w, uint32_t c, uint32_t k)
{
    uint32_t *row = &w->candidates[c * OM_ROW];
    row[0] = k * 2654435761u;
    row[1] = k % 8000;
    row[2] = k % 3;
    w->from[c] = (uint32_t) w->stored - 1 - k;
}

/* Returns the number of a row. */
static uint32_t number_of(const uint32_t *row)
{
    uint32_t k = row[0] * 244002641u; /* the inverse of that factor */
    assert_int_equal(row[1], k % 8000);
    assert_int_equal(row[2], k % 3);
    return k;
}

/* Fills STATES candidates, each row twice: STATES / 2 new states. Returns that number. */
static uint32_t set_candidates(world *w)
{
    for (uint32_t c = 0; c < STATES; c++)
        set_candidate(w, c, c / 2);
    return STATES / 2;
}

/* Checks that the states from `first` on are the first n rows, each once, each with its
 * candidate's parent. */
static void check_states(const world *w, uint64_t first, uint32_t n)
{
    bool seen[STATES] = { false };
    for (uint64_t i = first; i < first + n; i++) {
        uint32_t k = number_of(row_at(&w->table, i));
        assert_true(k < n && !seen[k]);
        seen[k] = true;
        assert_int_equal(w->parents[i], (uint32_t) first - 1 - k);
    }
    /* The adjacent rows are untouched. */
    static const uint32_t none[OM_ROW];
    assert_memory_equal(row_at(&w->table, first - 1), none, sizeof none);
    assert_memory_equal(row_at(&w->table, first + n), none, sizeof none);
}

/* ---- store.cl ---- */

static void find_all(world *w, uint32_t n, const words64 *index)
{
    fresh_record(w, n);
    EACH(n, om_k_intern(ALL(w->table), w->candidates, ALL(*index), 1ull << INDEX_BITS, w->control,
                0, n, MOST, 1, w->place, w->won))
}

static const uint64_t *intern_all(world *w, uint32_t n)
{
    find_all(w, n, &w->index);
    EACH(n, om_k_compact(ALL(w->table), w->parents, w->candidates, w->from, ALL(w->index),
                w->control, 0, 1, 0, n, MOST, 0, w->place, w->won, 1, w->wanted))
    const uint64_t *next = om_record(w->control, 1);
    w->stored = next[OM_R_STORED];
    return next;
}

/* All candidates lead to the states with their rows, and none of them is new. */
static void check_places(const world *w, const words64 *index, uint32_t n)
{
    for (uint32_t c = 0; c < n; c++) {
        uint64_t id = (uint32_t) entry_at(index, w->place[c] & ~OM_WON) - 1;
        assert_true((w->place[c] & OM_WON) == 0 && id < w->stored);
        assert_memory_equal(row_at(&w->table, id), &w->candidates[c * OM_ROW], ROW_BYTES);
    }
}

static void interning(void **state)
{
    (void) state;
    for (uint32_t p = 0; p < PLACES; p++) {
        world *w = new_world(FIRST[p]);
        uint32_t n = set_candidates(w);
        w->wanted[1] = 1;
        const uint64_t *next = intern_all(w, STATES);
        assert_int_equal(next[OM_R_WHY], OM_RUNS);
        assert_int_equal(w->stored, FIRST[p] + n);
        check_states(w, FIRST[p], n);
        uint64_t hit = w->control[OM_C_HIT];
        assert_true(hit >= FIRST[p] && hit < w->stored);
        assert_int_equal(row_at(&w->table, hit)[2], 1);
        /* Candidates are compared with the stored rows. */
        find_all(w, STATES, &w->index);
        assert_int_equal(om_record(w->control, 0)[OM_R_WON], 0);
        check_places(w, &w->index, STATES);

        /* Another index, filled from the rows. */
        words64 other = new_index(INDEX_BITS);
        EACH(
            n, om_k_reinsert(ALL(w->table), (uint32_t) FIRST[p], n, ALL(other), 1ull << INDEX_BITS))
        find_all(w, STATES, &other);
        assert_int_equal(om_record(w->control, 0)[OM_R_WON], 0);
        check_places(w, &other, STATES);
        end_index(&other);
        end_world(w);
    }
}

/* No state gets a number above the largest. */
static void last_number(void **state)
{
    (void) state;
    world *w = new_world(MOST - STATES / 2);
    for (uint32_t c = 0; c < STATES; c++)
        set_candidate(w, c, c);
    assert_int_equal(intern_all(w, STATES / 2)[OM_R_WHY], OM_RUNS);
    assert_int_equal(w->stored, MOST);
    check_states(w, MOST - STATES / 2, STATES / 2);
    set_candidate(w, 0, STATES);
    assert_int_equal(intern_all(w, 1)[OM_R_WHY], OM_GROW);
    assert_int_equal(w->stored, MOST);
    end_world(w);
}

/* State i from `first` on has an edge to state i + 1, the last one to the first: a cycle. */
static void counting_edges(void **state)
{
    (void) state;
    for (uint32_t p = 0; p < PLACES; p++) {
        const uint32_t first = (uint32_t) FIRST[p], n = STATES / 2;
        static const uint8_t accepting[3] = { 1, 1, 1 };
        uint32_t length = 0;
        world *w = new_world(first);
        (void) set_candidates(w);
        (void) intern_all(w, STATES);
        for (uint32_t c = 0; c < n; c++) {
            const uint32_t *to = row_at(&w->table, first + (c + 1) % n);
            memcpy(&w->candidates[c * OM_ROW], to, ROW_BYTES);
            w->from[c] = first + c;
        }
        for (uint32_t i = 0; i < n; i++) /* as breadth-first search finds them */
            w->parents[first + i] = i == 0 ? OM_NO_STATE : first + i - 1;
        (void) intern_all(w, n);
        EACH(n, om_k_tally(ALL(w->table), w->parents, w->candidates, w->from, w->control, 0, 1, n,
                    ALL(w->index), w->place, accepting, 0, w->degree))
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(w->degree[first + i], 1);
        assert_int_equal(
            om_is_above(gathered(&w->table), w->parents, accepting, first, first + 60), 1);
        EACH(n, om_k_list(ALL(w->table), first, n, accepting, w->degree, 0, w->list, &length))
        assert_int_equal(length, n);
        for (uint32_t i = 0; i < n; i++)
            assert_true(w->list[i] >= first && w->list[i] - first < n);
        EACH(n, om_k_before(ALL(w->table), w->candidates, w->from, n, ALL(w->index), w->place,
                    accepting, w->degree, w->before))
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(w->before[first + (i + 1) % n], first + i);
        length = 0;
        EACH(n, om_k_untally(ALL(w->table), w->candidates, w->from, n, ALL(w->index), w->place,
                    accepting, first + n, w->degree, w->list, &length))
        assert_int_equal(length, n);
        end_world(w);
    }
}

/* A state has more edges than its degree can count. This is noticed; with a degree of 0, the state
 * would seem to lie on no cycle. */
static void crowded_state(void **state)
{
    static const uint8_t accepting[3] = { 1, 1, 1 };
    world *w = new_world(1);
    (void) state;
    for (uint32_t c = 0; c < 3; c++) {
        set_candidate(w, c, 0);
        w->from[c] = 0;
    }
    (void) intern_all(w, 3);
    for (uint32_t times = 0; times < 2; times++) {
        (void) intern_all(w, 3);
        w->degree[1] = times == 0 ? UINT32_MAX - 3 : UINT32_MAX - 2;
        w->control[OM_C_CROWDED] = 0;
        EACH(3, om_k_tally(ALL(w->table), w->parents, w->candidates, w->from, w->control, 0, 1, 3,
                    ALL(w->index), w->place, accepting, 0, w->degree))
        assert_int_equal(w->degree[1], times == 0 ? UINT32_MAX : 0);
        assert_int_equal(w->control[OM_C_CROWDED] != 0, times == 1);
    }
    end_world(w);
}

/* ---- quotient.cl ---- */

static const uint64_t *put_all(world *w, uint32_t n, uint32_t bits)
{
    fresh_record(w, n);
    EACH(n, om_k_put(ALL(w->table), w->parents, w->candidates, w->from, ALL(w->index), bits, OM_ROW,
                KEY_BITS, SHIFTS, w->control, 0, n, MOST, 1, w->wanted))
    EACH(1, om_k_advance(w->control, 0, 1, 0, n, MOST, 0))
    const uint64_t *next = om_record(w->control, 1);
    w->stored = next[OM_R_STORED];
    return next;
}

static void putting(void **state)
{
    (void) state;
    for (uint32_t p = 0; p < PLACES; p++) {
        world *w = new_world(FIRST[p]);
        words64 other = new_index(INDEX_BITS);
        uint32_t n = set_candidates(w), out = 0;
        assert_int_equal(put_all(w, STATES, INDEX_BITS)[OM_R_WHY], OM_RUNS);
        assert_int_equal(w->stored, FIRST[p] + n);
        check_states(w, FIRST[p], n);
        assert_int_equal(put_all(w, STATES, INDEX_BITS)[OM_R_WHY], OM_RUNS);
        assert_int_equal(w->stored, FIRST[p] + n); /* no new state */

        /* Another index, filled from the rows, and one filled from that index. */
        EACH(n, om_k_move(OM_MOVE_ROWS, ALL(w->table), ALL(w->index), INDEX_BITS, FIRST[p], n,
                    ALL(other), INDEX_BITS, OM_ROW, KEY_BITS, SHIFTS, &out))
        words64 mine = w->index;
        w->index = other;
        assert_int_equal(put_all(w, STATES, INDEX_BITS)[OM_R_STORED], FIRST[p] + n);
        w->index = new_index(INDEX_BITS - 1);
        for (uint32_t c = 0; c < STATES; c += 2) {
            om_form form = { OM_ROW, KEY_BITS, SHIFTS };
            uint64_t home =
                om_spot_of(om_key_of(&w->candidates[c * OM_ROW], &form), INDEX_BITS).home;
            EACH(1, om_k_move(OM_MOVE_BUCKETS, ALL(w->table), ALL(other), INDEX_BITS, home, 1,
                        ALL(w->index), INDEX_BITS - 1, OM_ROW, KEY_BITS, SHIFTS, &out))
        }
        assert_int_equal(put_all(w, STATES, INDEX_BITS - 1)[OM_R_STORED], FIRST[p] + n);
        end_index(&w->index);

        /* Then the rows are removed. */
        w->index = mine;
        EACH(n, om_k_move(OM_MOVE_OUT, ALL(w->table), ALL(w->index), INDEX_BITS, FIRST[p], n,
                    ALL(w->index), INDEX_BITS, OM_ROW, KEY_BITS, SHIFTS, &out))
        w->stored = FIRST[p];
        assert_int_equal(put_all(w, STATES, INDEX_BITS)[OM_R_STORED], FIRST[p] + n);
        assert_int_equal(out, 0);
        end_index(&other);
        end_world(w);
    }
}

/* ---- expand.cl ---- */

enum { CHUNK = 100 };

/* Expands CHUNK states from number `first` on. */
static uint64_t *expand(
    world *w, uint64_t first, const uint32_t *begin, const uint32_t *edges, const uint64_t *cubes)
{
    uint64_t *record = fresh_record(w, 0), labels[CHUNK];
    uint32_t so_far[CHUNK * OM_S_WORDS];
    record[OM_R_LOW] = first;
    record[OM_R_END] = first + CHUNK;
    EACH(CHUNK, om_k_expand(ALL(w->table), w->won, 0, CHUNK, w->control, 0, STATES, begin, edges,
                    cubes, 0, 64, labels, so_far, w->candidates, w->from))
    return record;
}

static void fill_rows(world *w, uint64_t first)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t *row = row_at(&w->table, first + i);
        row[0] = i * 10;
        row[1] = i == CHUNK / 2 ? 9 : 0; /* fails the assertion */
        row[2] = 0;
    }
}

static void expanding(void **state)
{
    static const uint32_t begin[] = { 0, 1 }, edges[] = { 0, 0, 1 };
    static const uint64_t cubes[] = { 1, 0 };
    (void) state;
    wide = false;
    for (uint32_t p = 0; p < PLACES; p++) {
        const uint64_t first = FIRST[p] + STATES / 2 - CHUNK / 2;
        world *w = new_world(first + CHUNK);
        bool seen[CHUNK] = { false };
        fill_rows(w, first);
        const uint64_t *record = expand(w, first, begin, edges, cubes);
        assert_int_equal(record[OM_R_TAKEN], CHUNK - 1);
        for (uint32_t c = 0; c < CHUNK - 1; c++) {
            uint32_t i = w->from[c] - (uint32_t) first;
            assert_true(i < CHUNK && !seen[i]);
            seen[i] = true;
            assert_int_equal(w->candidates[c * OM_ROW], i * 10 + 1);
        }
        assert_int_equal(w->control[OM_C_FAILED] >> 32, first + CHUNK / 2);
        end_world(w);
    }
}

/* Edges of the automaton and their cubes at offsets above 2^32 words. */
static void far_edges(void **state)
{
    const uint32_t edge = 1600000000u, cube = 2200000000u;
    const uint32_t begin[] = { edge, edge + 1 };
    uint32_t *edges = sparse(edge + 1ull, 3 * sizeof(uint32_t));
    uint64_t *cubes = sparse(cube + 1ull, 2 * sizeof(uint64_t));
    world *w = new_world(CHUNK);
    (void) state;
    wide = false;
    edges[edge * 3ull] = 5;
    edges[edge * 3ull + 1] = cube;
    edges[edge * 3ull + 2] = 1;
    cubes[cube * 2ull] = 1;
    fill_rows(w, 0);
    assert_int_equal(expand(w, 0, begin, edges, cubes)[OM_R_TAKEN], CHUNK - 1);
    assert_int_equal(w->candidates[2], 5);
    cubes[cube * 2ull] = 2; /* does not match the states' label */
    assert_int_equal(expand(w, 0, begin, edges, cubes)[OM_R_TAKEN], 0);
    end_sparse(edges, edge + 1ull, 3 * sizeof(uint32_t));
    end_sparse(cubes, cube + 1ull, 2 * sizeof(uint64_t));
    end_world(w);
}

/* A state with 2^32 successors: 128 transitions times 2^25 edges. The edges map the same piece of
 * memory repeatedly. Successors are counted but not written, because there is no room for them. */
static void many_successors(void **state)
{
    enum { EDGES = 1 << 25, PIECE = 1 << 18, PIECE_BYTES = PIECE * 3 * 4 };
    const uint32_t begin[] = { 0, EDGES };
    static const uint64_t cubes[] = { 0, 0 };
    int piece = memfd_create("edges", 0);
    (void) state;
    assert_true(piece >= 0 && ftruncate(piece, PIECE_BYTES) == 0);
    char *edges = sparse(EDGES, 3 * sizeof(uint32_t));
    for (size_t i = 0; i < EDGES / PIECE; i++)
        assert_ptr_not_equal(mmap(edges + i * PIECE_BYTES, PIECE_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_FIXED, piece, 0),
            MAP_FAILED);
    uint32_t *words = (uint32_t *) (void *) edges;
    for (size_t e = 0; e < PIECE; e++)
        words[e * 3 + 2] = 1;
    world *w = new_world(1);
    uint64_t *record = fresh_record(w, 0), labels[1];
    uint32_t so_far[OM_S_WORDS];
    record[OM_R_END] = 1;
    wide = true;
    EACH(1, om_k_expand(ALL(w->table), w->won, 0, 1, w->control, 0, STATES, begin, words, cubes, 0,
                64, labels, so_far, w->candidates, w->from))
    assert_true(record[OM_R_TAKEN] == 1ull << 32);
    end_world(w);
    end_sparse(edges, EDGES, 3 * sizeof(uint32_t));
    (void) close(piece);
}

/* Returns true if the system overcommits addresses. */
static bool is_sparse(void)
{
    const size_t bytes = (size_t) 128 << 30;
    void *p = mmap(
        NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p != MAP_FAILED && munmap(p, bytes) == 0;
}

int main(void)
{
    if (!is_sparse()) {
        print_message("skipped: 128 GiB of addresses are not available\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interning),
        cmocka_unit_test(last_number),
        cmocka_unit_test(counting_edges),
        cmocka_unit_test(crowded_state),
        cmocka_unit_test(putting),
        cmocka_unit_test(expanding),
        cmocka_unit_test(far_edges),
        cmocka_unit_test(many_successors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
