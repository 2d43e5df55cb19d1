/* SPDX-License-Identifier: Apache-2.0 */
/* State graphs of a small model: exact after any exploration, or an error. */
#include <omen/host/omen.h>

#include "../lasso/small_model.h"
#include "explore.h"
#include "graph.h"
#include "heap.h"
#include "product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char aut[] =
    "des (0, 11, 11)\n(0, \"start\", 1)\n(1, \"stop\", 2)\n(2, \"start\", 3)\n"
    "(3, \"stop\", 4)\n(3, \"toggle 'it'\", 5)\n(4, \"start\", 6)\n"
    "(5, \"stop\", 7)\n(5, \"toggle 'it'\", 3)\n(6, \"end\", 8)\n"
    "(7, \"start\", 9)\n(9, \"end\", 10)\n";

typedef struct world {
    om_context *ctx;
    om_model *m;
    om_executor *x;
    om_product *p;
    om_exploration e;
    om_stage_progress seen; /* progress during output */
} world;

static void world_close(world *w)
{
    om_product__free(w->p);
    om_executor_close(w->x);
    om_model_free(w->m);
    om_context_free(w->ctx);
}

/* Explores the small model. */
static int world_open(world *w, const om_heap *heap, unsigned workers)
{
    small_slots slots;
    *w = (world){ 0 };
    int rc = om_context_new(&w->ctx, heap);
    if (rc == OM_OK)
        rc = small_model(w->ctx, &w->m, &slots);
    if (rc == OM_OK)
        rc = om_executor_open(&w->x, w->m, OM_EXEC_VM, NULL, 0);
    om_product_spec spec = { .executor = w->x, .deadlock_ap = OM_NONE, .workers = workers };
    if (rc == OM_OK)
        rc = om_product__new(&w->p, w->ctx, &spec);
    if (rc == OM_OK)
        rc = om_explore__all(w->ctx, w->p, NULL, NULL, false, &w->e);
    return rc;
}

static int write(world *w, const char *format, om_text *out)
{
    return om_graph__write(w->ctx, w->p, w->e.states, w->e.transitions, format, out);
}

static void formats_have_names(void **state)
{
    size_t count = 0;
    const char *const *names = om_graph_formats(&count);
    (void) state;
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        char file[32];
        (void) snprintf(file, sizeof file, "a.b.%s", names[i]);
        assert_ptr_equal(om_graph_format_of(file), names[i]);
    }
    assert_null(om_graph_format_of("aut"));
    assert_null(om_graph_format_of(".aut"));
    assert_null(om_graph_format_of("x.svg"));
}

static void graphs_are_exact(void **state)
{
    (void) state;
    for (unsigned workers = 1; workers <= 3; workers++) {
        world w;
        om_text out = { .heap = om_heap_default() };
        assert_int_equal(world_open(&w, NULL, workers), OM_OK);
        assert_int_equal(w.e.states, 11);
        assert_int_equal(w.e.transitions, 11);
        assert_int_equal(write(&w, "aut", &out), OM_OK);
        assert_string_equal(out.text, aut);
        om_text_free(&out);
        assert_int_equal(write(&w, "dot", &out), OM_OK);
        assert_non_null(strstr(out.text, "  s3 -> s5 [label=\"toggle \\\"it\\\"\"];\n"));
        assert_non_null(
            strstr(out.text, "  s8 [label=\"phase = done\\lcount = 3\\lflag = false\\lcell "
                             "= [0, -2]\\l\", peripheries=2];\n"));
        om_text_free(&out);
        assert_int_equal(write(&w, "json", &out), OM_OK);
        assert_non_null(
            strstr(out.text, "{\"label\": \"toggle \\\"it\\\"\", \"place\": \"small.m:4:3\"}"));
        assert_non_null(strstr(
            out.text, "{\"values\": [\"busy\", 2, true, [0, -1]], \"edges\": [[1, 7], [3, 3]]}"));
        om_text_free(&out);
        world_close(&w);
    }
}

/* If the exploration's figures differ, no graph is complete. */
static void other_figures_are_refused(void **state)
{
    static const uint64_t figures[][2] = { { 10, 11 }, { 12, 11 }, { 11, 10 }, { 11, 12 } };
    world w;
    (void) state;
    assert_int_equal(world_open(&w, NULL, 1), OM_OK);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        om_text out = { .heap = om_heap_default() };
        w.e.states = figures[i][0];
        w.e.transitions = figures[i][1];
        assert_int_equal(write(&w, "aut", &out), OM_EINTERNAL);
        assert_non_null(strstr(om_context_error(w.ctx), "differs from the explored one"));
        om_context_clear(w.ctx);
        om_text_free(&out);
    }
    om_text out = { .heap = om_heap_default() };
    assert_int_equal(write(&w, "svg", &out), OM_EINVAL);
    assert_null(out.text);
    world_close(&w);
}

static int look(void *self, const char *text, size_t length)
{
    world *w = self;
    (void) text;
    (void) length;
    om_context_stage_progress(w->ctx, &w->seen);
    return OM_EIO;
}

/* Progress is visible during output, and a failing drain ends it. */
static void progress_is_told(void **state)
{
    world w;
    om_stage_progress now;
    (void) state;
    assert_int_equal(world_open(&w, NULL, 1), OM_OK);
    om_text out = { .heap = om_heap_default(), .drain = look, .drain_self = &w };
    while (out.length + 64 < OM_TEXT_PIECE) /* so that the drain is called soon */
        om_text_add(&out, "        ");
    assert_int_equal(write(&w, "aut", &out), OM_EIO);
    assert_string_equal(w.seen.what, "states written");
    assert_int_equal(w.seen.total, 11);
    om_context_stage_progress(w.ctx, &now);
    assert_null(now.what);
    om_text_free(&out);
    world_close(&w);
}

/* Runs everything once, with the given heap. */
static int whole(const om_heap *heap, const char *format)
{
    world w;
    om_text out = { .heap = heap };
    int rc = world_open(&w, heap, 1);
    if (rc == OM_OK)
        rc = write(&w, format, &out);
    om_text_free(&out);
    om_free(heap, w.e.overflow_vector);
    world_close(&w);
    return rc;
}

static void memory_may_run_out_anywhere(void **state)
{
    size_t count = 0;
    const char *const *names = om_graph_formats(&count);
    (void) state;
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0;; n++) {
            test_heap h;
            test_heap_init(&h, n);
            int rc = whole(&h.heap, names[i]);
            assert_int_equal(h.live, 0);
            if (rc == OM_OK && h.calls <= n)
                break;
            assert_true(rc == OM_OK || om_exit_status(rc) == 30);
            assert_true(n < 5000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_names),
        cmocka_unit_test(graphs_are_exact),
        cmocka_unit_test(other_figures_are_refused),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
