/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of states and of the targets of their steps, for products that request them. */
#include <omen/host/omen.h>

#include "heap.h"
#include "product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <cmocka.h>

/* State v of MOST has edges to 2v+1 and 3v+2 (modulo MOST), unless it is the last one, which is a
 * deadlock. AP i is bit i of v * 5; in state FAULTY, evaluation faults. */
enum { MOST = 60, FAULTY = 23, DEADLOCK_AP = 3 };

typedef struct counts {
    atomic_uint labels;
} counts;

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    uint32_t v = vector[0];
    const uint32_t to[] = { (2 * v + 1) % MOST, (3 * v + 2) % MOST };
    out->fault = 0;
    if (om_successors_reserve(out, out->count + 2, x->words) != OM_OK)
        return OM_ENOMEM;
    for (unsigned i = 0; i < 2 && v != MOST - 1; i++) {
        out->words[out->count * out->stride] = to[i];
        out->transition[out->count++] = i;
    }
    return OM_OK;
}

static om_label expected(uint32_t v, uint32_t deadlock_ap)
{
    om_label label = v * UINT64_C(5) & 7;
    return deadlock_ap == OM_NONE ? label : label | (om_label) (v == MOST - 1) << deadlock_ap;
}

static uint64_t labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    counts *n = x->self;
    (void) atomic_fetch_add_explicit(&n->labels, 1, memory_order_relaxed);
    *fault = vector[0] == FAULTY ? OM_FAULT(OM_FAULT_IN_LABEL, 1) : 0;
    return expected(vector[0], OM_NONE);
}

/* Two states, the first initial, each with an edge under a and one under not a. */
static int new_automaton(om_automaton **out, om_context *ctx)
{
    static const char *const aps[] = { "a", "b", "c", "deadlock" };
    static const om_cube cubes[] = { { 1, 0 }, { 0, 1 } };
    uint32_t first;
    int rc = om_automaton_new(out, ctx, 4, aps);
    if (rc == OM_OK)
        rc = om_automaton_add_states(*out, 2, &first);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(*out, 1);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(*out, 0);
    for (uint32_t q = 0; q < 2 && rc == OM_OK; q++)
        for (uint32_t i = 0; i < 2 && rc == OM_OK; i++)
            rc = om_automaton_add_edge(*out, q, i, i, &cubes[i], 1);
    return rc == OM_OK ? om_automaton_finish(*out) : rc;
}

/* Visits all states and compares their labels; *steps_seen gets the number of steps. */
static int check_all(om_product *p, om_cursor *c, uint32_t deadlock_ap, size_t *steps_seen)
{
    const om_step *steps;
    const om_label *targets;
    om_label source = 1;
    size_t n;
    uint32_t from[2], to[2];
    int rc = om_cursor_initial(c, &steps, &n);
    if (rc == OM_OK)
        rc = om_cursor_labels(c, &source, &targets);
    if (rc == OM_OK)
        assert_true(source == 0 && n == 1 && targets[0] == 0);
    for (om_id id = 0; rc == OM_OK && id < om_product_state_count(p); id++) {
        rc = om_cursor_successors(c, id, &steps, &n);
        if (rc == OM_OK)
            rc = om_cursor_labels(c, &source, &targets);
        if (rc != OM_OK)
            break;
        om_cursor_vector(c, id, from);
        assert_int_equal(source, from[0] == FAULTY ? 0 : expected(from[0], deadlock_ap));
        assert_true(from[0] != FAULTY || n == 0);
        for (size_t i = 0; i < n; i++) {
            om_cursor_vector(c, steps[i].to, to);
            assert_int_equal(targets[i], to[0] == FAULTY ? 0 : expected(to[0], deadlock_ap));
        }
        *steps_seen += n;
    }
    return rc;
}

static int run(om_context *ctx, counts *n, const om_product_spec *base, size_t *steps)
{
    om_executor x = { .size = sizeof x,
        .name = "labelled",
        .words = 1,
        .aps = 4,
        .self = n,
        .initial = initial,
        .append = append,
        .labels = labels };
    om_automaton *a = NULL;
    om_product *p = NULL;
    om_cursor *c = NULL;
    int rc = new_automaton(&a, ctx);
    om_product_spec spec = *base;
    spec.executor = &x;
    spec.automaton = a;
    spec.workers = 2;
    if (rc == OM_OK)
        rc = om_product__new(&p, ctx, &spec);
    if (rc == OM_OK)
        rc = om_cursor__open(&c, p, 1);
    if (rc == OM_OK)
        rc = check_all(p, c, spec.deadlock_ap, steps);
    if (rc == OM_OK)
        assert_true(om_product_state_count(p) > 20 && *steps > 40);
    /* Once for the edges of each state, and once more as a target; the label of FAULTY is not
     * cached. */
    if (rc == OM_OK)
        assert_true(n->labels <= 2 * om_product_state_count(p) + 20);
    om_cursor__close(c);
    om_product__free(p);
    om_automaton_free(a);
    return rc;
}

static void of_states_and_targets(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (unsigned i = 0; i < 8; i++) {
        counts n = { 0 };
        size_t steps = 0;
        const om_product_spec spec = { .stutter = i % 2 == 0,
            .deadlock_ap = i / 2 % 2 == 0 ? OM_NONE : DEADLOCK_AP,
            .store = i / 4 == 0 ? OM_STORE_TREE : OM_STORE_PLAIN,
            .seed = i,
            .variants = OM_PRODUCT_LABELS };
        assert_int_equal(run(ctx, &n, &spec, &steps), OM_OK);
    }
    om_context_free(ctx);
}

static void not_asked_for(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    counts n = { 0 };
    size_t steps = 0;
    om_product_spec spec = { .deadlock_ap = OM_NONE };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(run(ctx, &n, &spec, &steps), OM_EINVAL);
    om_context_clear(ctx);
    spec.variants = OM_PRODUCT_FAIRNESS;
    assert_int_equal(run(ctx, &n, &spec, &steps), OM_EUNSUPPORTED);
    assert_non_null(strstr(om_context_error(ctx), "fairness marks"));
    om_context_clear(ctx);
    spec.variants = 1u << 30;
    assert_int_equal(run(ctx, &n, &spec, &steps), OM_EUNSUPPORTED);
    assert_null(om_product__lacks(OM_PRODUCT_LABELS));
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t i = 1; rc != OM_OK; i++) {
        test_heap heap;
        om_context *ctx = NULL;
        counts n = { 0 };
        size_t steps = 0;
        const om_product_spec spec = { .deadlock_ap = DEADLOCK_AP, .variants = OM_PRODUCT_LABELS };
        test_heap_init(&heap, i);
        rc = om_context_new(&ctx, &heap.heap);
        if (rc == OM_OK)
            rc = run(ctx, &n, &spec, &steps);
        assert_true(rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_states_and_targets),
        cmocka_unit_test(not_asked_for),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
