/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest counterexamples, compared with an enumeration of the runs of random small models; and
 * the ways in which their search ends. */
#include "plugins/check/oracle.h"
#include "heap.h"
#include "shorten/intern.h"
#include "shorten/shortest_lasso.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CASES = 8000, LARGEST = 16, LONGEST = 20, MOST_RUNS = 30000, ANY_LENGTH = 1 << 20 };

typedef struct sample {
    graph g;
    om_executor executor;
    om_automaton *a;
    om_product_spec spec;
    bool empty;
} sample;

/* A case is a function of its number. */
static int sample_new(sample *s, om_context *ctx, uint64_t number)
{
    static const shape shapes[] = { SHAPE_STRONG, SHAPE_WEAK, SHAPE_STRONG, SHAPE_TERMINAL };
    om_random r = { number * 0x9e3779b97f4a7c15u + 5 };
    const bool lively = number % 5 != 0;
    graph_new(&s->g, &r, LARGEST, lively);
    graph_executor(&s->g, &s->executor);
    /* Few branches: runs can be enumerated, and are long. */
    for (uint32_t i = 0; i < s->g.n && lively; i++)
        if (s->g.out[i] > 1)
            s->g.out[i] = 1 + (om_random_below(&r, 3) == 0);
    s->a = random_automaton(ctx, &r, shapes[number % 4], lively);
    s->spec = (om_product_spec){ .executor = &s->executor,
        .automaton = s->a,
        .stutter = om_random_below(&r, 2) == 0,
        .deadlock_ap = om_random_below(&r, 2) == 0 ? OM_NONE : 1,
        .workers = 1,
        .store = (om_store_kind) (number % 2) };
    return s->a == NULL ? OM_ENOMEM : OM_OK;
}

static void sample_free(sample *s)
{
    om_automaton_free(s->a);
    graph_free(&s->g);
}

static uint64_t label_of(const sample *s, uint32_t state)
{
    uint32_t ap = s->spec.deadlock_ap;
    uint64_t label = s->g.label[state];
    if (ap == OM_NONE)
        return label;
    label &= ~(UINT64_C(1) << ap);
    return s->g.out[state] == 0 ? label | UINT64_C(1) << ap : label;
}

/* ---- enumeration ---- */

typedef struct brute {
    const sample *s;
    om_context *ctx;
    om_label word[LONGEST];
    uint32_t path[LONGEST];
    size_t length; /* length of the enumerated runs */
    size_t left;   /* remaining number of runs to enumerate */
} brute;

/* Returns true if some successor of the last of n states is one of them and the resulting lasso is
 * accepted. */
static bool accepted(brute *b, size_t n)
{
    const graph *g = &b->s->g;
    uint32_t last = b->path[n - 1];
    for (size_t loop = 0; loop < n; loop++) {
        bool leads = g->out[last] == 0 && b->s->spec.stutter && b->path[loop] == last, is = false;
        for (uint32_t k = 0; k < g->out[last]; k++)
            leads = leads || g->to[last][k] == b->path[loop];
        if (!leads)
            continue;
        assert_int_equal(om_automaton_accepts_lasso(b->s->a, b->ctx, b->word, n, loop, &is), OM_OK);
        if (is)
            return true;
    }
    return false;
}

static bool try_all(brute *b, size_t n)
{
    const graph *g = &b->s->g;
    uint32_t last = b->path[n - 1];
    bool found = false;
    b->word[n - 1] = label_of(b->s, last);
    if (b->left > 0)
        b->left--;
    if (n == b->length || b->left == 0)
        return n == b->length && accepted(b, n);
    for (uint32_t k = 0; k < g->out[last] && !found; k++) {
        b->path[n] = g->to[last][k];
        found = try_all(b, n + 1);
    }
    if (g->out[last] == 0 && b->s->spec.stutter) {
        b->path[n] = last;
        found = try_all(b, n + 1);
    }
    return found;
}

/* Returns the number of states of the shortest accepted run; 0: more than *known. */
static size_t shortest(const sample *s, om_context *ctx, size_t *known)
{
    brute b = { .s = s, .ctx = ctx, .left = MOST_RUNS };
    *known = 0;
    for (b.length = 1; b.length <= LONGEST; b.length++) {
        if (try_all(&b, 1))
            return b.length;
        if (b.left == 0)
            return 0;
        *known = b.length;
    }
    return 0;
}

/* Checks that the transitions are a run of the model, and that it is accepted. */
static void check_run(const sample *s, om_context *ctx, const om_lasso *l)
{
    om_label *word = calloc(l->count, sizeof *word);
    uint32_t *path = calloc(l->count + 1, sizeof *path);
    bool is = false;
    assert_true(l->count > 0 && l->loop < l->count && l->vectors == NULL);
    for (size_t i = 0; i < l->count; i++) {
        uint32_t k = l->transitions[i];
        word[i] = label_of(s, path[i]);
        if (k == OM_STUTTER)
            assert_true(s->spec.stutter && s->g.out[path[i]] == 0);
        else
            assert_true(k < s->g.out[path[i]]);
        path[i + 1] = k == OM_STUTTER ? path[i] : s->g.to[path[i]][k];
    }
    assert_int_equal(path[l->count], path[l->loop]);
    assert_int_equal(om_automaton_accepts_lasso(s->a, ctx, word, l->count, l->loop, &is), OM_OK);
    assert_true(is);
    free(word);
    free(path);
}

static void agrees_with_all_runs(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    size_t found = 0, long_ones = 0, none = 0;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (uint64_t i = 0; i < CASES; i++) {
        sample s;
        oracle o;
        om_lasso l = { 0 }, shorter = { 0 };
        bool minimal = false;
        size_t known = 0;
        assert_int_equal(sample_new(&s, ctx, i), OM_OK);
        oracle_new(&o, &s.g, s.a, s.spec.stutter, s.spec.deadlock_ap);
        assert_int_equal(om_lasso__shortest(&l, ctx, &s.spec, ANY_LENGTH, 0, &minimal), OM_OK);
        assert_true(minimal);
        assert_int_equal(l.count == 0, o.empty);
        none += o.empty;
        if (!o.empty) {
            size_t least = shortest(&s, ctx, &known);
            check_run(&s, ctx, &l);
            if (least != 0 ? l.count != least : l.count <= known)
                fail_msg("case %llu: %zu states, not %zu (all of %zu are known)",
                    (unsigned long long) i, l.count, least, known);
            found += least != 0;
            long_ones += least > 5;
            /* No run is shorter; with a bound of one more, the same run is found. */
            assert_int_equal(
                om_lasso__shortest(&shorter, ctx, &s.spec, l.count, 0, &minimal), OM_OK);
            assert_true(minimal && shorter.count == 0);
            assert_int_equal(
                om_lasso__shortest(&shorter, ctx, &s.spec, l.count + 1, 0, &minimal), OM_OK);
            assert_true(minimal && shorter.count == l.count);
        }
        om_lasso_free(&l);
        om_lasso_free(&shorter);
        oracle_free(&o);
        sample_free(&s);
    }
    print_message("%zu shortest runs, %zu of them of more than 5 states; %zu cases without any\n",
        found, long_ones, none);
    assert_true(found > CASES / 5 && long_ones > CASES / 60 && none > CASES / 10);
    om_context_free(ctx);
}

/* ---- known cases ---- */

typedef struct line {
    uint32_t src, dst;
    om_marks marks;
    om_cube cube;
} line;

/* Checks the shortest run of a graph that a Buchi automaton with these edges accepts. */
static void expect(
    const graph *g, uint32_t states, const line *lines, size_t n, size_t count, size_t loop)
{
    static const char *const aps[] = { "a", "b", "c" };
    om_context *ctx = NULL;
    om_executor x;
    om_automaton *a = NULL;
    om_lasso l = { 0 };
    uint32_t first;
    bool minimal = false;
    graph_executor(g, &x);
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_automaton_new(&a, ctx, GRAPH_APS, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, states, &first), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(a, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(
            om_automaton_add_edge(a, lines[i].src, lines[i].dst, lines[i].marks, &lines[i].cube, 1),
            OM_OK);
    assert_int_equal(om_automaton_finish(a), OM_OK);
    const om_product_spec spec = {
        .executor = &x, .automaton = a, .deadlock_ap = OM_NONE, .workers = 1
    };
    assert_int_equal(om_lasso__shortest(&l, ctx, &spec, ANY_LENGTH, 0, &minimal), OM_OK);
    assert_true(minimal);
    assert_int_equal(l.count, count);
    assert_int_equal(l.loop, loop);
    om_lasso_free(&l);
    om_automaton_free(a);
    om_context_free(ctx);
}

/* 0 -> 1 -> 0, and an automaton that counts states modulo five: the only cycle of their product
 * has ten states. */
static void of_the_model_not_the_product(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1 }, { 0 } }, out[] = { 1, 1 };
    static uint64_t label[] = { 0, 0 };
    static const line fives[] = { { 0, 1, 0, { 0, 0 } }, { 1, 2, 0, { 0, 0 } },
        { 2, 3, 0, { 0, 0 } }, { 3, 4, 1, { 0, 0 } }, { 4, 0, 0, { 0, 0 } } };
    const graph g = { 2, to, out, label };
    (void) state;
    expect(&g, 5, fives, 5, 2, 0);
}

/* 0 -> 1 -> 3 -> 3 and 0 -> 2 -> 4 -> 3: only the longer path to 3 has an a. */
static void on_the_longer_way(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1, 2 }, { 3 }, { 4 }, { 3 }, { 3 } };
    static uint32_t out[] = { 2, 1, 1, 1, 1 };
    static uint64_t label[] = { 0, 0, 0, 0, 1 };
    static const line once_a[] = { { 0, 0, 0, { 0, 0 } }, { 0, 1, 0, { 1, 0 } },
        { 1, 1, 1, { 0, 0 } } };
    const graph g = { 5, to, out, label };
    (void) state;
    expect(&g, 2, once_a, 3, 4, 3);
}

/* 0 -> 1 -> 2 -> 1 -> 3 -> 4 -> 0, and 2 -> 0: a holds in 2, b in 4. The shortest cycle with both
 * visits 1 twice. */
static void twice_through_a_state(void **state)
{
    static uint32_t to[][GRAPH_OUT] = { { 1 }, { 2, 3 }, { 0, 1 }, { 4 }, { 0 } };
    static uint32_t out[] = { 1, 2, 2, 1, 1 };
    static uint64_t label[] = { 0, 0, 1, 0, 2 };
    static const line a_then_b[] = { { 0, 0, 0, { 0, 1 } }, { 0, 1, 0, { 1, 0 } },
        { 1, 1, 0, { 0, 2 } }, { 1, 0, 1, { 2, 0 } } };
    const graph g = { 5, to, out, label };
    (void) state;
    expect(&g, 2, a_then_b, 4, 6, 0);
}

/* ---- ends of the search ---- */

/* Its shortest run has more than two states. */
enum { SOME_CASE = 1333 };

static void is_ended(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_lasso l = { 0 };
    sample s;
    bool minimal = true;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(sample_new(&s, ctx, SOME_CASE), OM_OK);
    /* Ended by the time limit. */
    assert_int_equal(om_lasso__shortest(&l, ctx, &s.spec, ANY_LENGTH, 1, &minimal), OM_OK);
    assert_true(!minimal && l.count == 0);
    /* Ended by a stop of the context. */
    minimal = true;
    assert_true(om_control_stop(om_context_control(ctx), OM_STOP_INTERRUPT));
    assert_int_equal(om_lasso__shortest(&l, ctx, &s.spec, ANY_LENGTH, 0, &minimal), OM_OK);
    assert_true(!minimal && l.count == 0);
    om_control_forget(om_context_control(ctx));
    assert_int_equal(om_lasso__shortest(&l, ctx, &s.spec, ANY_LENGTH, 0, &minimal), OM_OK);
    assert_true(minimal && l.count > 2);
    om_lasso_free(&l);
    sample_free(&s);
    om_context_free(ctx);
}

/* A lasso found before memory runs out is kept, and is a valid run. */
static void lack_of_memory(void **state)
{
    (void) state;
    bool minimal = false;
    for (size_t n = 1; !minimal; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        om_lasso l = { 0 };
        sample s;
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        assert_int_equal(sample_new(&s, ctx, SOME_CASE), OM_OK);
        heap.fail_at = heap.calls + n;
        assert_int_equal(om_lasso__shortest(&l, ctx, &s.spec, ANY_LENGTH, 0, &minimal), OM_OK);
        heap.fail_at = SIZE_MAX;
        if (l.count != 0)
            check_run(&s, ctx, &l);
        assert_true(!minimal || l.count != 0);
        om_lasso_free(&l);
        sample_free(&s);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

/* ---- numbering of rows and keys ---- */

static void rows_and_maps(void **state)
{
    (void) state;
    enum { N = 5000 };
    const om_heap *heap = om_heap_default();
    om_rows r = { 0 };
    om_map m = { 0 };
    uint64_t row[3] = { 0 };
    uint32_t number = 0, value = 0;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < N; i++) {
            row[i % 3] = i;
            assert_int_equal(om_rows__add(&r, heap, row, i % 4, &number), OM_OK);
            size_t n = 0;
            const uint64_t *there = om_rows__get(&r, number, &n);
            assert_int_equal(n, i % 4);
            assert_memory_equal(there, row, n * sizeof *row);
            assert_true(i >= 4 || i == 0 || number == i || round == 1);
        }
    for (uint32_t round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < N; i++) {
            assert_false(om_map__find(&m, i << 32 | round, &value));
            assert_int_equal(om_map__add(&m, heap, i << 32 | round, (uint32_t) i), OM_OK);
            assert_true(om_map__find(&m, (i / 2) << 32 | round, &value) && value == i / 2);
        }
        assert_false(om_map__find(&m, N + 1, &value));
        om_map__clear(&m);
    }
    om_rows__free(&r, heap);
    om_map__free(&m, heap);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_all_runs),
        cmocka_unit_test(of_the_model_not_the_product),
        cmocka_unit_test(on_the_longer_way),
        cmocka_unit_test(twice_through_a_state),
        cmocka_unit_test(is_ended),
        cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(rows_and_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
