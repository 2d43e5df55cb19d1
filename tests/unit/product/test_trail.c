/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/omen.h>
#include <omen/trail.h>

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { IDS = 3000, STEPS = 20000 };

static void as_a_list_searched_through(void **state)
{
    (void) state;
    static uint64_t where[IDS]; /* position + 1 */
    static om_id list[IDS];
    uint64_t count = 0;
    om_random r = { 3 };
    om_context *ctx = NULL;
    om_trail *t = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_trail_new(&t, ctx), OM_OK);
    for (unsigned i = 0; i < STEPS; i++) {
        om_id id = om_random_below(&r, IDS);
        assert_true(om_trail_find(t, id) == (where[id] == 0 ? OM_NO_ID : where[id] - 1));
        if (where[id] == 0) {
            assert_int_equal(om_trail_push(t, id), OM_OK);
            list[count++] = id;
            where[id] = count;
        } else if (om_random_below(&r, 4) == 0) {
            om_trail_cut(t, where[id] - 1);
            for (uint64_t size = where[id] - 1; count > size;)
                where[list[--count]] = 0;
        }
        assert_true(om_trail_size(t) == count);
    }
    assert_memory_equal(om_trail_ids(t), list, count * sizeof *list);
    om_trail_free(t);
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    for (size_t n = 1; rc != OM_OK; n++) {
        test_heap heap;
        om_context *ctx = NULL;
        om_trail *t = NULL;
        test_heap_init(&heap, n);
        assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
        rc = om_trail_new(&t, ctx);
        for (om_id i = 0; i < 200 && rc == OM_OK; i++)
            rc = om_trail_push(t, i * 7);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        om_trail_free(t);
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
