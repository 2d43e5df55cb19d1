/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the set of states on a path with an array. */
#include "path_set.h"

#include <omen/host/omen.h>

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { IDS = 500, STEPS = 200000 };

/* Ids that are close together, or far apart */
static om_id id_of(uint32_t i, unsigned kind)
{
    return kind == 0 ? i : (om_id) i << 24 | (i & 1);
}

static void as_an_array(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    for (unsigned kind = 0; kind < 2; kind++) {
        bool in[IDS] = { false };
        path_set s = { 0 };
        om_random r = { kind + 1 };
        size_t count = 0;
        for (uint32_t step = 0; step < STEPS; step++) {
            uint32_t i = (uint32_t) om_random_below(&r, IDS);
            om_id id = id_of(i, kind);
            assert_true(path_set_has(&s, id) == in[i]);
            if (in[i] || om_random_below(&r, 4) == 0) {
                path_set_remove(&s, id);
                count -= in[i];
                in[i] = false;
            } else {
                assert_true(path_set_add(&s, om_context_heap(ctx), id));
                count++;
                in[i] = true;
            }
            assert_int_equal(s.count, count);
        }
        for (uint32_t i = 0; i < IDS; i++)
            assert_true(path_set_has(&s, id_of(i, kind)) == in[i]);
        path_set_free(&s, om_context_heap(ctx));
        assert_false(path_set_has(&s, 0));
    }
    om_context_free(ctx);
}

static void lack_of_memory(void **state)
{
    (void) state;
    for (size_t n = 0; n < 8; n++) {
        test_heap heap;
        path_set s = { 0 };
        om_id taken = 0;
        test_heap_init(&heap, n);
        while (taken < 3000 && path_set_add(&s, &heap.heap, taken))
            taken++;
        assert_int_equal(s.count, taken);
        for (om_id id = 0; id < 3000; id++)
            assert_true(path_set_has(&s, id) == (id < taken));
        path_set_free(&s, &heap.heap);
        assert_int_equal(heap.live, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(as_an_array),
        cmocka_unit_test(lack_of_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
