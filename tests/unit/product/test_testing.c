/* SPDX-License-Identifier: Apache-2.0 */
/* Products with testing automata: each step, compared with the definition. */
#include <omen/host/omen.h>

#include "heap.h"
#include "product.h"
#include "convert/to_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* State v of MOST has edges to 2v+1, 3v+2 and v/2+7 (modulo MOST), unless it is the last one,
 * which is a deadlock. AP i is bit i of v * 5 / 4: most steps do not change labels. In FAULTY,
 * evaluation faults. */
enum { MOST = 60, FAULTY = 23, DEADLOCK_AP = 2, OUT = 3 };

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static uint32_t target(uint32_t v, unsigned i)
{
    const uint32_t to[OUT] = { (2 * v + 1) % MOST, (3 * v + 2) % MOST, (v / 2 + 7) % MOST };
    return to[i];
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    out->fault = 0;
    if (om_successors_reserve(out, out->count + OUT, x->words) != OM_OK)
        return OM_ENOMEM;
    for (unsigned i = 0; i < OUT && vector[0] != MOST - 1; i++) {
        out->words[out->count * out->stride] = target(vector[0], i);
        out->transition[out->count++] = i;
    }
    return OM_OK;
}

static om_label label_of(uint32_t v, uint32_t deadlock_ap)
{
    om_label label = v * UINT64_C(5) / 4 & 3;
    return deadlock_ap == OM_NONE ? label : label | (om_label) (v == MOST - 1) << deadlock_ap;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    (*(uint64_t *) x->self)++;
    *fault = vector[0] == FAULTY ? OM_FAULT(OM_FAULT_IN_LABEL, 1) : 0;
    return label_of(vector[0], OM_NONE);
}

/* (F (a && F b)) || FG (a || deadlock), nondeterministic: two edges for many letters. */
static const char text[] =
    "HOA: v1 States: 5 Start: 0 Start: 3 AP: 3 \"a\" \"b\" \"deadlock\" Acceptance: 1 Inf(0)\n"
    "--BODY-- State: 0 [t] 0 [0] 1 State: 1 [t] 1 [1] 2 State: 2 {0} [t] 2\n"
    "State: 3 [t] 3 [0|2] 4 State: 4 {0} [0|2] 4 --END--";

typedef struct fixture {
    om_context *ctx;
    const om_automaton *t;
    om_product *p;
    om_cursor *c;
    uint32_t deadlock_ap;
    size_t steps, all, stuttering, several;
} fixture;

/* Counts the moves of the automaton for a change of labels, by target. */
static size_t moves_to(const om_automaton *t, uint32_t q, om_label change, uint32_t to)
{
    uint32_t count = 0;
    size_t n = 0;
    const om_edge *e = om_automaton_edges(t, q, &count);
    for (uint32_t i = 0; i < count; i++)
        n += om_edge_matches(&e[i], om_automaton_cubes(t), change) &&
             (to == OM_NONE || e[i].dst == to);
    return n;
}

static om_label known(uint32_t v, uint32_t deadlock_ap)
{
    return v == FAULTY ? 0 : label_of(v, deadlock_ap);
}

/* Checks that there are as many steps as in the definition, all different, each of them a step.
 * Returns their number including duplicates. */
static size_t check_state(fixture *f, const uint32_t *from, const om_step *steps, size_t n)
{
    const om_label here = label_of(from[0], f->deadlock_ap);
    size_t expected = 0, all = 0;
    for (unsigned i = 0; i < OUT && from[0] != FAULTY; i++) {
        const bool last = from[0] == MOST - 1;
        const uint32_t v = last ? from[0] : target(from[0], i);
        const size_t moves = moves_to(f->t, from[1], here ^ known(v, f->deadlock_ap), OM_NONE);
        bool again = false;
        for (unsigned k = 0; k < i; k++)
            again = again || target(from[0], k) == v;
        expected += again ? 0 : moves;
        all += moves;
        if (last)
            break;
    }
    assert_int_equal(n, expected);
    for (size_t i = 0; i < n; i++) {
        uint32_t to[2];
        om_cursor_vector(f->c, steps[i].to, to);
        const om_label change = here ^ known(to[0], f->deadlock_ap);
        assert_int_equal(to[1], steps[i].automaton_state);
        assert_int_equal(moves_to(f->t, from[1], change, to[1]), 1);
        assert_true(change != 0 || to[1] == from[1]);
        f->stuttering += change == 0;
    }
    f->steps += n;
    f->several += n > OUT;
    f->all += all;
    return all;
}

static int check_initial(fixture *f)
{
    const om_step *steps;
    size_t n = 0;
    int rc = om_cursor_initial(f->c, &steps, &n);
    if (rc != OM_OK)
        return rc;
    assert_int_equal(n, moves_to(f->t, om_automaton_initial(f->t, 0), 0, OM_NONE));
    for (size_t i = 0; i < n; i++) {
        uint32_t to[2];
        om_cursor_vector(f->c, steps[i].to, to);
        assert_true(to[0] == 0 && steps[i].marks == 0);
        assert_int_equal(moves_to(f->t, om_automaton_initial(f->t, 0), 0, to[1]), 1);
    }
    return OM_OK;
}

/* The same steps without storing. */
static int check_unstored(fixture *f, const uint32_t *from, size_t n)
{
    const uint32_t *rows;
    const om_step *steps;
    size_t count = 0;
    int rc = om_cursor_unstored(f->c, from, &rows, &steps, &count);
    if (rc == OM_OK)
        assert_int_equal(count, n);
    for (size_t i = 0; rc == OM_OK && i < count; i++)
        assert_int_equal(rows[steps[i].to * 2 + 1], steps[i].automaton_state);
    return rc;
}

static int check_all(fixture *f)
{
    om_id batch[OM_CURSOR_BATCH];
    om_batch out;
    size_t expanded = 0;
    int rc = check_initial(f);
    for (om_id id = 0; rc == OM_OK && id < om_product_state_count(f->p); id++) {
        const om_step *steps;
        uint32_t from[2];
        size_t n = 0;
        om_cursor_vector(f->c, id, from);
        rc = om_cursor_successors(f->c, id, &steps, &n);
        if (rc == OM_OK) {
            n = check_state(f, from, steps, n);
            rc = check_unstored(f, from, n);
        }
    }
    for (om_id id = 0; rc == OM_OK && id < om_product_state_count(f->p); id += out.sources) {
        size_t n = 0;
        while (n < OM_CURSOR_BATCH && id + n < om_product_state_count(f->p)) {
            batch[n] = id + n;
            n++;
        }
        rc = om_cursor__expand(f->c, batch, n, &out);
        expanded += out.count;
    }
    if (rc == OM_OK) {
        assert_int_equal(expanded, f->all);
        assert_true(om_product_state_count(f->p) > 100);
        assert_true(f->stuttering > 50 && f->several > 20);
    }
    return rc;
}

static int run(om_context *ctx, const om_product_spec *base)
{
    uint64_t evaluated = 0;
    om_executor x = { .size = sizeof x,
        .name = "labelled",
        .words = 1,
        .aps = 3,
        .self = &evaluated,
        .initial = initial,
        .append = append,
        .labels = labels };
    om_automaton *a = NULL, *t = NULL;
    om_product_spec spec = *base;
    fixture f = { .ctx = ctx, .deadlock_ap = spec.deadlock_ap };
    int rc = om_hoa_read(&a, ctx, "text", text, strlen(text), 0);
    if (rc == OM_OK)
        rc = om_automaton__to_testing(a, ctx, OM_TESTING_BEST, &t);
    spec.executor = &x;
    spec.automaton = f.t = t;
    spec.workers = 1;
    if (rc == OM_OK)
        rc = om_product__new(&f.p, ctx, &spec);
    if (rc == OM_OK)
        rc = om_cursor__open(&f.c, f.p, 0);
    if (rc == OM_OK)
        rc = check_all(&f);
    om_cursor__close(f.c);
    om_product__free(f.p);
    om_automaton_free(t);
    om_automaton_free(a);
    return rc;
}

static om_product_spec spec_of(unsigned i)
{
    return (om_product_spec){ .stutter = true,
        .deadlock_ap = i % 2 == 0 ? OM_NONE : DEADLOCK_AP,
        .store = i / 2 % 2 == 0 ? OM_STORE_TREE : OM_STORE_PLAIN,
        .seed = i / 4,
        .variants = OM_PRODUCT_TESTING };
}

static void steps_of_the_definition(void **state)
{
    om_context *ctx = NULL;
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (unsigned i = 0; i < 8; i++) {
        const om_product_spec spec = spec_of(i);
        assert_int_equal(run(ctx, &spec), OM_OK);
    }
    om_context_free(ctx);
}

/* The product variant and the testing automaton require each other. */
static void one_without_the_other(void **state)
{
    uint64_t evaluated = 0;
    om_executor x = { .size = sizeof x,
        .words = 1,
        .aps = 3,
        .self = &evaluated,
        .initial = initial,
        .append = append,
        .labels = labels };
    om_context *ctx = NULL;
    om_automaton *a = NULL, *t = NULL;
    om_product *p = NULL;
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_hoa_read(&a, ctx, "text", text, strlen(text), 0), OM_OK);
    assert_int_equal(om_automaton__to_testing(a, ctx, OM_TESTING_BEST, &t), OM_OK);
    for (int i = 0; i < 2; i++) {
        const om_product_spec spec = { .executor = &x,
            .automaton = i == 0 ? a : t,
            .workers = 1,
            .deadlock_ap = OM_NONE,
            .variants = i == 0 ? OM_PRODUCT_TESTING : 0 };
        assert_int_equal(om_product__new(&p, ctx, &spec), OM_EINVAL);
        assert_non_null(strstr(om_context_error(ctx), "belong together"));
        om_context_clear(ctx);
    }
    om_automaton_free(t);
    om_automaton_free(a);
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    int rc = OM_ENOMEM;
    (void) state;
    for (size_t i = 1; rc != OM_OK; i++) {
        test_heap heap;
        om_context *ctx = NULL;
        const om_product_spec spec = spec_of(1);
        test_heap_init(&heap, i);
        rc = om_context_new(&ctx, &heap.heap);
        if (rc == OM_OK)
            rc = run(ctx, &spec);
        assert_true(rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_the_definition),
        cmocka_unit_test(one_without_the_other),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
