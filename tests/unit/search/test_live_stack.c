/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/omen.h>
#include <omen/plugin/live_stack.h>

#include "heap.h"
#include "product.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { IDS = 3000, STEPS = 200000, TRAILS = 40 };

/* A product that is never explored: a live stack needs only its ids. */
static void no_initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static const om_executor nothing = {
    .size = sizeof(om_executor), .name = "nothing", .words = 1, .initial = no_initial
};

static int new_product(om_product **out, om_context *ctx)
{
    om_product_spec spec = { .executor = &nothing, .deadlock_ap = OM_NONE, .workers = 1 };
    return om_product__new(out, ctx, &spec);
}

/* Ids spread over their whole range, many of them close together. */
static om_id spread(unsigned i)
{
    static const om_id at[] = { 0, UINT32_C(1) << 20, UINT32_MAX - 300, UINT64_C(1) << 39 };
    return at[i % 4] + i / 4;
}

/* Compares a live stack with a list that is searched linearly; ids(i) is the id of the i-th
 * state. */
static void compare(om_product *p, om_random *r, om_id (*ids)(unsigned))
{
    const unsigned GONE = UINT_MAX;
    static unsigned where[IDS]; /* position + 1, GONE, or 0 */
    static unsigned list[IDS];
    unsigned count = 0;
    om_live_stack *t = NULL;
    for (unsigned i = 0; i < IDS; i++)
        where[i] = 0;
    assert_int_equal(om_live_stack_new(&t, p), OM_OK);
    for (unsigned i = 0; i < STEPS / TRAILS; i++) {
        unsigned k = (unsigned) om_random_below(r, IDS);
        om_live_stack_fetch(t, ids(k));
        assert_true(om_live_stack_find(t, ids(k)) == (where[k] == 0         ? OM_NO_ID
                                                         : where[k] == GONE ? OM_LIVE_STACK_GONE
                                                                            : where[k] - 1));
        if (where[k] == 0) {
            assert_int_equal(om_live_stack_push(t, ids(k)), OM_OK);
            list[count++] = k;
            where[k] = count;
        } else if (where[k] != GONE && om_random_below(r, 8) == 0) {
            unsigned size = where[k] - 1;
            om_live_stack_cut(t, size);
            while (count > size)
                where[list[--count]] = GONE;
        }
        assert_true(om_live_stack_size(t) == count);
    }
    for (unsigned i = 0; i < count; i++)
        assert_true(om_live_stack_at(t, i) == ids(list[i]));
    assert_true(om_live_stack_bytes(t) >= IDS * sizeof(uint32_t));
    om_live_stack_cut(t, 0);
    assert_true(om_live_stack_size(t) == 0);
    om_live_stack_free(t);
}

static om_id dense(unsigned i)
{
    return i;
}

static void as_a_list_searched_through(void **state)
{
    (void) state;
    om_random r = { 3 };
    om_context *ctx = NULL;
    om_product *p = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(new_product(&p, ctx), OM_OK);
    for (unsigned i = 0; i < TRAILS; i++)
        compare(p, &r, i % 2 == 0 ? dense : spread);
    om_product__free(p);
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t n = 1; rc != OM_OK; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        om_product *p = NULL;
        om_live_stack *t = NULL;
        test_heap_init(&heap, n);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        rc = new_product(&p, ctx);
        if (rc == OM_OK)
            rc = om_live_stack_new(&t, p);
        for (unsigned i = 0; i < 200 && rc == OM_OK; i++)
            rc = om_live_stack_push(t, spread(i * 7));
        assert_true(rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT);
        /* If the system refuses a large allocation, the check's memory limit is reported. */
        if (rc == OM_ELIMIT)
            assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_MEMORY);
        om_live_stack_free(t);
        om_product__free(p);
        om_context_free(ctx);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_list_searched_through),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
