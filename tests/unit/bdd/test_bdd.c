/* SPDX-License-Identifier: Apache-2.0 */
/* Diagrams, compared with truth tables of six variables (bit i: the value if variable k is bit k
 * of i); irredundant cubes; and errors. */
#include <omen/plugin/bdd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "heap.h"

enum { VARIABLES = 6, POOL = 200, MANY = 1 << 20 };

typedef struct session {
    om_context *ctx;
    om_bdd_space *s;
    om_random random;
} session;

static void session_start(session *t, size_t most)
{
    *t = (session){ .random = { 7 } };
    assert_int_equal(om_context_new(&t->ctx, NULL), OM_OK);
    assert_int_equal(om_bdd_space_new(&t->s, t->ctx, most), OM_OK);
}

static void session_end(session *t)
{
    om_bdd_space_free(t->s);
    om_context_free(t->ctx);
}

/* Returns the table of variable k. */
static uint64_t table_of_variable(unsigned k)
{
    static const uint64_t tables[VARIABLES] = { 0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
        0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000 };
    return tables[k];
}

/* Computes the table by a walk from the root for each valuation; variable k is at levels[k]. */
static uint64_t table_of(const om_bdd_space *s, om_bdd f, const uint32_t *levels)
{
    uint64_t table = 0;
    for (unsigned i = 0; i < 64; i++) {
        om_bdd at = f;
        while (at > OM_BDD_TRUE) {
            unsigned k = 0;
            while (k < VARIABLES && levels[k] != om_bdd_level(s, at))
                k++;
            assert_true(k < VARIABLES);
            at = om_bdd_cofactor(s, at, levels[k], (i >> k & 1) != 0);
        }
        table |= (uint64_t) at << i;
    }
    return table;
}

static uint64_t table_of_cube(om_cube c, uint32_t shift)
{
    uint64_t table = UINT64_MAX;
    for (unsigned k = 0; k < VARIABLES; k++) {
        if (c.pos >> (k + shift) & 1)
            table &= table_of_variable(k);
        if (c.neg >> (k + shift) & 1)
            table &= ~table_of_variable(k);
    }
    return table;
}

/* Makes any function by Shannon's expansion; its variables are first .. first + 5. */
static om_bdd from_table(om_bdd_space *s, uint64_t table, unsigned k, uint32_t first)
{
    if (k == VARIABLES)
        return table & 1 ? OM_BDD_TRUE : OM_BDD_FALSE;
    uint64_t low = 0, high = 0;
    for (unsigned i = 0; i < 32u >> k; i++) {
        low |= (table >> 2 * i & 1) << i;
        high |= (table >> (2 * i + 1) & 1) << i;
    }
    om_bdd f = from_table(s, high, k + 1, first), g = from_table(s, low, k + 1, first);
    return om_bdd_ite(s, om_bdd_variable(s, first + k, true), f, g);
}

/* ---- functions ---- */

typedef struct function {
    om_bdd f;
    uint64_t table;
} function;

static function combine(session *t, const function *pool)
{
    om_bdd_space *s = t->s;
    const function *a = &pool[om_random_below(&t->random, POOL)];
    const function *b = &pool[om_random_below(&t->random, POOL)];
    const function *c = &pool[om_random_below(&t->random, POOL)];
    switch (om_random_below(&t->random, 5)) {
    case 0:
        return (function){ om_bdd_and(s, a->f, b->f), a->table & b->table };
    case 1:
        return (function){ om_bdd_or(s, a->f, b->f), a->table | b->table };
    case 2:
        return (function){ om_bdd_minus(s, a->f, b->f), a->table & ~b->table };
    case 3:
        return (function){ om_bdd_not(s, a->f), ~a->table };
    default:
        return (function){ om_bdd_ite(s, a->f, b->f, c->f),
            (a->table & b->table) | (~a->table & c->table) };
    }
}

static void fill(session *t, function *pool, const uint32_t *levels)
{
    for (unsigned i = 0; i < POOL; i++) {
        unsigned k = i % VARIABLES;
        bool positive = i % 4 != 0;
        uint64_t table = table_of_variable(k);
        pool[i] =
            (function){ om_bdd_variable(t->s, levels[k], positive), positive ? table : ~table };
    }
    pool[0] = (function){ OM_BDD_FALSE, 0 };
    pool[1] = (function){ OM_BDD_TRUE, UINT64_MAX };
}

/* Functions are equal exactly if their references are. */
static void check_pool(const om_bdd_space *s, const function *pool, const uint32_t *levels)
{
    for (unsigned i = 0; i < POOL; i++) {
        assert_int_equal(table_of(s, pool[i].f, levels), pool[i].table);
        for (unsigned k = 0; k < i; k++)
            assert_int_equal(pool[i].f == pool[k].f, pool[i].table == pool[k].table);
    }
}

static void operators_are_right(void **state)
{
    static const uint32_t levels[][VARIABLES] = { { 0, 1, 2, 3, 4, 5 }, { 5, 3, 1, 0, 2, 4 },
        { 0, 63, 64, 2048, 2111, OM_BDD_LEVELS - 1 } };
    (void) state;
    for (unsigned i = 0; i < 3; i++) {
        session t;
        function pool[POOL];
        session_start(&t, MANY);
        fill(&t, pool, levels[i]);
        for (int k = 0; k < 20000; k++) {
            function f = combine(&t, pool);
            assert_int_not_equal(f.f, OM_BDD_NONE);
            /* Constants are frequent and would dominate. */
            if (f.f > OM_BDD_TRUE || om_random_below(&t.random, 20) == 0)
                pool[2 + om_random_below(&t.random, POOL - 2)] = f;
        }
        check_pool(t.s, pool, levels[i]);
        assert_int_equal(om_bdd_space_status(t.s), OM_OK);
        session_end(&t);
    }
}

static void looking(void **state)
{
    session t;
    (void) state;
    session_start(&t, MANY);
    om_bdd a = om_bdd_variable(t.s, 3, true), b = om_bdd_variable(t.s, 9, false);
    om_bdd f = om_bdd_and(t.s, a, b);
    assert_int_equal(om_bdd_level(t.s, f), 3);
    assert_int_equal(om_bdd_level(t.s, b), 9);
    assert_int_equal(om_bdd_level(t.s, OM_BDD_TRUE), OM_NONE);
    assert_int_equal(om_bdd_level(t.s, OM_BDD_NONE), OM_NONE);
    assert_int_equal(om_bdd_cofactor(t.s, f, 3, true), b);
    assert_int_equal(om_bdd_cofactor(t.s, f, 3, false), OM_BDD_FALSE);
    assert_int_equal(om_bdd_cofactor(t.s, f, 2, false), f);
    assert_int_equal(om_bdd_cofactor(t.s, OM_BDD_TRUE, 2, false), OM_BDD_TRUE);
    assert_int_equal(om_bdd_cofactor(t.s, OM_BDD_NONE, 2, false), OM_BDD_NONE);
    assert_int_equal(om_bdd_space_count(t.s), 2 + 3);
    session_end(&t);
}

/* Maximum depth: x0 & x1 & ..., and a function that differs from it in exactly one even
 * variable. */
static void every_level(void **state)
{
    session t;
    om_bdd all = OM_BDD_TRUE, even = OM_BDD_TRUE;
    (void) state;
    session_start(&t, MANY);
    for (uint32_t i = OM_BDD_LEVELS; i-- > 0;) {
        om_bdd x = om_bdd_variable(t.s, i, true);
        all = om_bdd_and(t.s, x, all);
        even = i % 2 == 0 ? om_bdd_and(t.s, x, even) : even;
    }
    assert_int_equal(om_bdd_and(t.s, all, even), all);
    assert_int_equal(om_bdd_or(t.s, all, even), even);
    om_bdd rest = om_bdd_minus(t.s, even, all);
    assert_int_equal(om_bdd_or(t.s, rest, all), even);
    assert_int_equal(om_bdd_and(t.s, rest, all), OM_BDD_FALSE);
    assert_int_equal(om_bdd_not(t.s, om_bdd_not(t.s, rest)), rest);
    session_end(&t);
}

/* Existing nodes are found again, regardless of growth and order. */
static void nothing_is_made_twice(void **state)
{
    (void) state;
    for (uint32_t step = 1; step < 32; step += 2) {
        session t;
        om_bdd vars[OM_BDD_LEVELS];
        session_start(&t, MANY);
        for (uint32_t i = 0; i < OM_BDD_LEVELS; i++)
            vars[i] = om_bdd_variable(t.s, i * step % OM_BDD_LEVELS, true);
        for (uint32_t i = 0; i < OM_BDD_LEVELS; i++)
            assert_int_equal(om_bdd_variable(t.s, i * step % OM_BDD_LEVELS, true), vars[i]);
        assert_int_equal(om_bdd_space_count(t.s), 2 + OM_BDD_LEVELS);
        session_end(&t);
    }
}

/* ---- cubes ---- */

static uint64_t union_but(const om_cube_list *list, size_t but, uint32_t shift)
{
    uint64_t table = 0;
    for (size_t i = 0; i < list->count; i++)
        if (i != but)
            table |= table_of_cube(list->cubes[i], shift);
    return table;
}

/* The union is the function; no cube is redundant, and no literal of a cube. */
static void check_cubes(const om_cube_list *list, uint64_t table, uint32_t shift)
{
    assert_int_equal(union_but(list, SIZE_MAX, shift), table);
    for (size_t i = 0; i < list->count; i++) {
        om_cube c = list->cubes[i];
        assert_int_equal(c.pos & c.neg, 0);
        assert_int_equal((c.pos | c.neg) & ~((UINT64_C(1) << VARIABLES) - 1) << shift, 0);
        assert_int_not_equal(union_but(list, i, shift), table);
        for (unsigned k = 0; k < VARIABLES; k++) {
            uint64_t bit = UINT64_C(1) << (k + shift);
            om_cube less = { c.pos & ~bit, c.neg & ~bit };
            if ((c.pos | c.neg) & bit)
                assert_int_not_equal(table_of_cube(less, shift) & ~table, 0);
        }
    }
}

static void cubes_are_irredundant(void **state)
{
    session t;
    om_cube_list list = { 0 };
    (void) state;
    session_start(&t, MANY);
    for (int i = 0; i < 5000; i++) {
        /* Sparse, dense and balanced functions. */
        uint64_t table = om_random_next(&t.random);
        for (int k = i % 4; k > 0; k--)
            table &= om_random_next(&t.random);
        if (i % 3 == 0)
            table = ~table;
        if (i < 2)
            table = i == 0 ? 0 : UINT64_MAX;
        uint32_t shift = i % 2 == 0 ? 0 : 58, first = i % 5 == 0 ? 0 : 2048;
        om_bdd f = from_table(t.s, table, 0, first + shift);
        assert_int_equal(om_bdd_cubes(t.s, f, first, 64, &list), OM_OK);
        check_cubes(&list, table, shift);
        if (i < 2)
            assert_int_equal(list.count, i);
        if (i % 100 == 0)
            om_bdd_space_forget(t.s, 0);
    }
    om_free(om_context_heap(t.ctx), list.cubes);
    session_end(&t);
}

/* x0 x1 | x2 x3 | ... | x62 x63 */
static om_bdd pairs(om_bdd_space *s, uint32_t first)
{
    om_bdd f = OM_BDD_FALSE;
    for (uint32_t i = 64; i > 0; i -= 2) {
        om_bdd x = om_bdd_variable(s, first + i - 1, true);
        om_bdd y = om_bdd_variable(s, first + i - 2, true);
        f = om_bdd_or(s, om_bdd_and(s, y, x), f);
    }
    return f;
}

/* Returns the function that is true if the number of true variables is odd. */
static om_bdd parity(om_bdd_space *s, uint32_t count)
{
    om_bdd f = OM_BDD_FALSE;
    for (uint32_t i = 0; i < count; i++) {
        om_bdd x = om_bdd_variable(s, i, true);
        f = om_bdd_ite(s, x, om_bdd_not(s, f), f);
    }
    return f;
}

static void cubes_of_64_variables(void **state)
{
    session t;
    om_cube_list list = { 0 };
    (void) state;
    session_start(&t, MANY);
    assert_int_equal(om_bdd_cubes(t.s, pairs(t.s, 100), 100, 32, &list), OM_OK);
    assert_int_equal(list.count, 32);
    uint64_t seen = 0;
    for (size_t i = 0; i < 32; i++) {
        assert_int_equal(list.cubes[i].neg, 0);
        assert_int_equal(seen & list.cubes[i].pos, 0);
        seen |= list.cubes[i].pos;
        assert_true((list.cubes[i].pos & 0x5555555555555555) << 1 ==
                    (list.cubes[i].pos & 0xaaaaaaaaaaaaaaaa));
    }
    assert_true(seen == UINT64_MAX);
    om_free(om_context_heap(t.ctx), list.cubes);
    session_end(&t);
}

/* ---- forgetting nodes ---- */

static void forgetting(void **state)
{
    static const uint32_t levels[VARIABLES] = { 1, 2, 3, 4, 5, 6 };
    session t;
    function kept[100];
    om_cube_list list = { 0 };
    (void) state;
    session_start(&t, 20000); /* the rounds together would exceed this limit */
    for (unsigned i = 0; i < 100; i++) {
        kept[i].table = om_random_next(&t.random);
        kept[i].f = from_table(t.s, kept[i].table, 0, 1);
    }
    size_t count = om_bdd_space_count(t.s);
    assert_true(count > 500 && count < 5000);
    for (int round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 300; i++) {
            uint64_t table = om_random_next(&t.random);
            const function *k = &kept[om_random_below(&t.random, 100)];
            om_bdd f = from_table(t.s, table, 0, 1);
            assert_int_equal(table_of(t.s, f, levels), table);
            assert_int_equal(table_of(t.s, om_bdd_and(t.s, f, k->f), levels), table & k->table);
            assert_int_equal(om_bdd_cubes(t.s, f, 1, 64, &list), OM_OK);
            check_cubes(&list, table, 0);
        }
        assert_true(om_bdd_space_count(t.s) > count + 1000);
        om_bdd_space_forget(t.s, count);
        assert_int_equal(om_bdd_space_count(t.s), count);
        for (unsigned i = 0; i < 100; i++) {
            assert_int_equal(table_of(t.s, kept[i].f, levels), kept[i].table);
            assert_int_equal(from_table(t.s, kept[i].table, 0, 1), kept[i].f);
        }
    }
    om_bdd_space_forget(t.s, om_bdd_space_count(t.s) + 1);
    assert_true(om_bdd_space_count(t.s) >= count);
    om_bdd_space_forget(t.s, 0);
    assert_int_equal(om_bdd_space_count(t.s), 2);
    assert_int_equal(
        table_of(t.s, from_table(t.s, 0x123456789abcdef0, 0, 1), levels), 0x123456789abcdef0);
    om_free(om_context_heap(t.ctx), list.cubes);
    session_end(&t);
}

/* ---- errors ---- */

static void nodes_are_limited(void **state)
{
    session t;
    (void) state;
    session_start(&t, 2 + 5);
    om_bdd x = OM_BDD_NONE;
    for (uint32_t i = 0; i < 5; i++) {
        x = om_bdd_variable(t.s, i, true);
        assert_int_not_equal(x, OM_BDD_NONE);
    }
    assert_int_equal(om_bdd_variable(t.s, 4, true), x); /* already exists */
    assert_int_equal(om_bdd_space_status(t.s), OM_OK);
    assert_int_equal(om_bdd_variable(t.s, 5, true), OM_BDD_NONE);
    assert_int_equal(om_bdd_space_status(t.s), OM_ELIMIT);
    /* The failure is permanent and is not overwritten. */
    om_cube_list list = { 0 };
    assert_int_equal(om_bdd_variable(t.s, 4, true), OM_BDD_NONE);
    assert_int_equal(om_bdd_and(t.s, x, OM_BDD_TRUE), OM_BDD_NONE);
    assert_int_equal(om_bdd_not(t.s, OM_BDD_NONE), OM_BDD_NONE);
    assert_int_equal(om_bdd_cubes(t.s, x, 0, 64, &list), OM_ELIMIT);
    assert_null(list.cubes);
    om_bdd_space_forget(t.s, 0);
    assert_int_equal(om_bdd_variable(t.s, 0, true), OM_BDD_NONE);
    assert_int_equal(om_bdd_space_status(t.s), OM_ELIMIT);
    session_end(&t);
    /* An operation that fails halfway. */
    session_start(&t, 200);
    om_bdd f = pairs(t.s, 0);
    assert_int_not_equal(f, OM_BDD_NONE);
    assert_int_equal(om_bdd_not(t.s, f), OM_BDD_NONE);
    assert_int_equal(om_bdd_space_status(t.s), OM_ELIMIT);
    assert_int_equal(om_bdd_space_count(t.s), 200);
    session_end(&t);
}

static void cubes_are_limited(void **state)
{
    session t;
    om_cube_list list = { 0 };
    (void) state;
    session_start(&t, MANY);
    assert_int_equal(om_bdd_cubes(t.s, parity(t.s, 10), 0, 512, &list), OM_OK);
    assert_int_equal(list.count, 512);
    assert_int_equal(om_bdd_cubes(t.s, parity(t.s, 10), 0, 511, &list), OM_ELIMIT);
    assert_int_equal(list.count, 0);
    assert_int_equal(om_bdd_space_status(t.s), OM_ELIMIT);
    om_free(om_context_heap(t.ctx), list.cubes);
    list = (om_cube_list){ 0 };
    session_end(&t);
    session_start(&t, MANY); /* 2^63 cubes: the limit must be reached quickly */
    assert_int_equal(om_bdd_cubes(t.s, parity(t.s, 64), 0, 1000, &list), OM_ELIMIT);
    om_free(om_context_heap(t.ctx), list.cubes);
    session_end(&t);
}

static om_bdd misuse(session *t, int which, om_cube_list *list)
{
    om_bdd x = om_bdd_variable(t->s, 99, true);
    om_bdd y = om_bdd_variable(t->s, 100 + 64, true);
    om_bdd f = om_bdd_or(t->s, om_bdd_variable(t->s, 120, true), which % 2 == 0 ? x : y);
    om_bdd beyond = (om_bdd) om_bdd_space_count(t->s);
    switch (which / 2) {
    case 0:
        return om_bdd_cubes(t->s, f, 100, 64, list) == OM_OK ? f : OM_BDD_NONE;
    case 1:
        return om_bdd_variable(t->s, which % 2 == 0 ? OM_BDD_LEVELS : UINT32_MAX, true);
    case 2:
        return om_bdd_not(t->s, which % 2 == 0 ? beyond : OM_BDD_NONE);
    case 3:
        return om_bdd_ite(t->s, x, which % 2 == 0 ? beyond : y, which % 2 == 0 ? y : beyond);
    default:
        return om_bdd_cubes(t->s, beyond, 0, 64, list) == OM_OK ? f : OM_BDD_NONE;
    }
}

static void misuse_is_refused(void **state)
{
    session t;
    om_bdd_space *none = NULL;
    (void) state;
    for (int i = 0; i < 10; i++) {
        om_cube_list list = { 0 };
        session_start(&t, MANY);
        assert_int_equal(misuse(&t, i, &list), OM_BDD_NONE);
        assert_int_equal(om_bdd_space_status(t.s), OM_EINVAL);
        assert_int_equal(list.count, 0);
        om_free(om_context_heap(t.ctx), list.cubes);
        session_end(&t);
    }
    session_start(&t, SIZE_MAX);
    assert_int_equal(om_bdd_space_new(&none, t.ctx, 1), OM_EINVAL);
    assert_null(none);
    assert_string_not_equal(om_context_error(t.ctx), "");
    om_bdd_space_free(NULL);
    session_end(&t);
}

/* Makes every array grow. */
static int work(const om_heap *heap)
{
    om_context *ctx = NULL;
    om_bdd_space *s = NULL;
    om_cube_list list = { 0 };
    om_random random = { 5 };
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = om_bdd_space_new(&s, ctx, MANY);
    for (int i = 0; i < 200 && rc == OM_OK; i++) {
        om_bdd f = from_table(s, om_random_next(&random), 0, 10);
        rc = om_bdd_space_status(s);
        assert_int_equal(f == OM_BDD_NONE, rc != OM_OK);
    }
    if (rc == OM_OK)
        rc = om_bdd_cubes(s, parity(s, 9), 0, MANY, &list);
    if (rc == OM_OK && (list.count != 256 || om_bdd_space_count(s) < 1500))
        rc = OM_EINTERNAL;
    om_free(heap, list.cubes);
    om_bdd_space_free(s);
    om_context_free(ctx);
    return rc;
}

static void memory_may_run_out(void **state)
{
    int rc = OM_ENOMEM;
    size_t n = 0;
    (void) state;
    for (; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = work(&h.heap);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 1000);
    }
    assert_true(n > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_right),
        cmocka_unit_test(looking),
        cmocka_unit_test(every_level),
        cmocka_unit_test(nothing_is_made_twice),
        cmocka_unit_test(cubes_are_irredundant),
        cmocka_unit_test(cubes_of_64_variables),
        cmocka_unit_test(forgetting),
        cmocka_unit_test(nodes_are_limited),
        cmocka_unit_test(cubes_are_limited),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
