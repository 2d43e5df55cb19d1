/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance of lasso words, compared with an unrolled product by definition, with limits on
 * memory. */
#include "heap.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { ROUNDS = 6000, WORDS = 8, WORD_MOST = 14 };

typedef struct fixture {
    test_heap heap;
    om_context *ctx;
    om_random r;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->r.state = 8;
    test_heap_init(&f->heap, SIZE_MAX);
    return om_context_new(&f->ctx, &f->heap.heap);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_context_free(f->ctx);
    assert_int_equal(f->heap.live, 0);
    free(f);
    return 0;
}

/* Every state at every position of the word, with the edges that the label at the position
 * enables. */
static om_automaton *unroll(om_context *ctx, const om_automaton *a, const oracle_lasso *w)
{
    static const om_cube yes = { 0, 0 };
    uint32_t states = om_automaton_state_count(a);
    size_t length = 0;
    const om_acc *acceptance = om_automaton_acceptance(a, &length);
    om_automaton *out = NULL;
    int rc = om_automaton_new(&out, ctx, 0, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_states(out, states * (uint32_t) w->n, NULL);
    if (rc == OM_OK)
        rc = om_automaton_set_acceptance(out, om_automaton_set_count(a), acceptance, length);
    for (uint32_t i = 0; rc == OM_OK && i < om_automaton_initial_count(a); i++)
        rc = om_automaton_add_initial(out, om_automaton_initial(a, i));
    for (uint32_t s = 0; s < states; s++) {
        uint32_t count = 0;
        const om_edge *e = om_automaton_edges(a, s, &count);
        for (uint32_t i = 0; i < w->n; i++) {
            uint32_t next = (uint32_t) (i + 1 < w->n ? i + 1 : w->loop);
            for (uint32_t k = 0; rc == OM_OK && k < count; k++)
                if (om_edge_matches(&e[k], om_automaton_cubes(a), w->labels[i]))
                    rc = om_automaton_add_edge(
                        out, i * states + s, next * states + e[k].dst, e[k].marks, &yes, 1);
        }
    }
    if (rc == OM_OK)
        rc = om_automaton_finish(out);
    assert_int_equal(rc, OM_OK);
    return out;
}

static void check(fixture *f, const om_automaton *a, uint32_t *accepted)
{
    oracle_lasso w = oracle_random_lasso(&f->r, om_automaton_ap_count(a), WORD_MOST);
    om_automaton *product = unroll(f->ctx, a, &w);
    bool empty = false, yes = false;
    assert_int_equal(om_automaton_empty(product, f->ctx, &empty, NULL), OM_OK);
    assert_int_equal(om_automaton_accepts_lasso(a, f->ctx, w.labels, w.n, w.loop, &yes), OM_OK);
    if (yes == empty) {
        om_text t = { .heap = om_heap_default() };
        (void) om_hoa_write(a, &t);
        print_error("%zu labels, loop at %zu: %d\n%s", w.n, w.loop, yes, t.text);
        om_text_free(&t);
        fail();
    }
    *accepted += yes;
    om_automaton_free(product);
}

static void as_the_unrolled_product(void **state)
{
    static const oracle_size sizes[] = { { 4, 1, 3 }, { 12, 2, 8 }, { 40, 3, 12 } };
    fixture *f = *state;
    uint32_t accepted = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        om_automaton *a = oracle_random(f->ctx, &f->r, &sizes[round % 3]);
        for (int k = 0; k < WORDS; k++)
            check(f, a, &accepted);
        om_automaton_free(a);
    }
    assert_in_range(accepted, ROUNDS * WORDS / 10, ROUNDS * WORDS / 10 * 9);
}

enum { LONG = 200000 };

static om_automaton *chain(om_context *ctx, uint32_t states, bool closed)
{
    static const om_cube yes = { 0, 0 };
    om_automaton *a = NULL;
    int rc = om_automaton_new(&a, ctx, 0, NULL);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_states(a, states, NULL);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(a, 0);
    for (uint32_t s = 0; rc == OM_OK && s < states; s++) {
        uint32_t last = closed ? 0 : s;
        rc = om_automaton_add_edge(a, s, s + 1 < states ? s + 1 : last, s + 1 == states, &yes, 1);
    }
    if (rc == OM_OK)
        rc = om_automaton_finish(a);
    assert_int_equal(rc, OM_OK);
    return a;
}

/* Returns the bytes that the query took, divided by `each`. */
static double cost(fixture *f, const om_automaton *a, size_t n, size_t loop, size_t each)
{
    om_label *labels = calloc(n, sizeof *labels);
    bool yes = false;
    size_t before = f->heap.peak = f->heap.bytes;
    assert_int_equal(om_automaton_accepts_lasso(a, f->ctx, labels, n, loop, &yes), OM_OK);
    assert_true(yes);
    free(labels);
    return (double) (f->heap.peak - before) / (double) each;
}

/* There are states times positions possible pairs; few of them are reached. */
static void pays_for_pairs_that_are_reached(void **state)
{
    fixture *f = *state;
    om_automaton *a = chain(f->ctx, LONG, false);
    /* The stem costs a few words per state. */
    assert_true(cost(f, a, LONG, LONG - 1, LONG) < 24);
    om_automaton_free(a);
    a = chain(f->ctx, LONG, true);
    assert_true(cost(f, a, LONG, 0, LONG) < 96);
    om_automaton_free(a);
    a = chain(f->ctx, 3, true);
    assert_true(cost(f, a, LONG, 0, (size_t) 3 * LONG) < 80);
    /* A stem of any length is read without being stored. */
    assert_true(cost(f, a, LONG, LONG - 1, 1) < 4096);
    om_automaton_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_the_unrolled_product, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pays_for_pairs_that_are_reached, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
