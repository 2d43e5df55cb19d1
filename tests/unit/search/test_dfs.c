/* SPDX-License-Identifier: Apache-2.0 */
/* The depth-first stack: a search with it, compared with a recursive one over the same edges. */
#include "arithmetic.h"

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* ---- the recursive search ---- */

typedef struct walk {
    om_cursor *cursor;
    bool seen[2 * STATES];
    om_dfs_edge tree[2 * STATES]; /* edges to new states, in the order of the search */
    om_id left[2 * STATES];
    size_t entered, done;
} walk;

static void visit(walk *w, om_dfs_edge by)
{
    const om_step *steps;
    om_dfs_edge edges[2 * OUT];
    size_t n;
    if (w->seen[by.to])
        return;
    w->seen[by.to] = true;
    w->tree[w->entered++] = by;
    assert_int_equal(om_cursor_successors(w->cursor, by.to, &steps, &n), OM_OK);
    assert_true(n <= sizeof edges / sizeof *edges);
    for (size_t i = 0; i < n; i++)
        edges[i] = (om_dfs_edge){ steps[i].to, steps[i].marks };
    for (size_t i = 0; i < n; i++)
        visit(w, edges[i]);
    w->left[w->done++] = by.to;
}

/* ---- the same search with the stack ---- */

static int enter(om_dfs *d, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    int rc = om_dfs_enter(d, by, &steps, &n);
    while (rc == OM_OK && n-- > 0)
        om_dfs_add(d, &steps[n]);
    return rc;
}

/* The expected path. */
typedef struct shadow {
    uint64_t place[2 * STATES];
    om_dfs_edge by[2 * STATES];
    size_t depth;
} shadow;

static void check_path(const om_dfs *d, const shadow *s)
{
    assert_int_equal(om_dfs_depth(d), s->depth);
    if (s->depth > 0)
        assert_int_equal(om_dfs_top(d), s->place[s->depth - 1]);
    for (size_t i = 0; i < s->depth; i++) {
        om_dfs_edge e = om_dfs_at(d, s->place[i]);
        assert_true(e.to == s->by[i].to && e.marks == s->by[i].marks);
        assert_true(i == 0 || s->place[i] > s->place[i - 1]);
    }
}

static void compare(om_dfs *d, const walk *w)
{
    static shadow s;
    bool seen[2 * STATES] = { false };
    size_t entered = 0, done = 0;
    om_dfs_edge e;
    s.depth = 0;
    assert_int_equal(om_dfs_start(d), OM_OK);
    for (;;) {
        if (om_dfs_next(d, &e)) {
            if (seen[e.to])
                continue;
            seen[e.to] = true;
            assert_true(w->tree[entered].to == e.to && w->tree[entered].marks == e.marks);
            entered++;
            assert_int_equal(enter(d, e), OM_OK);
            s.by[s.depth++] = e;
            s.place[s.depth - 1] = om_dfs_top(d);
        } else if (om_dfs_depth(d) > 0) {
            uint64_t top = om_dfs_top(d);
            assert_true(om_dfs_at(d, top).to == w->left[done++]);
            om_dfs_cut(d, top);
            s.depth--;
        } else {
            break;
        }
        check_path(d, &s);
    }
    assert_int_equal(entered, w->entered);
    assert_int_equal(done, w->done);
}

static void as_the_recursive_one(uint32_t sets)
{
    static walk w;
    fixture f = { NULL, NULL, NULL };
    om_dfs *d = NULL;
    const om_step *steps;
    om_dfs_edge first[INITIAL];
    size_t n;
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    assert_int_equal(new_task(&f, sets), OM_OK);
    assert_int_equal(om_dfs_new(&d, f.task, 0), OM_OK);
    w = (walk){ .cursor = om_dfs_cursor(d) };
    assert_int_equal(om_cursor_initial(w.cursor, &steps, &n), OM_OK);
    assert_int_equal(n, INITIAL);
    for (size_t i = 0; i < n; i++)
        first[i] = (om_dfs_edge){ steps[i].to, 0 };
    for (size_t i = 0; i < n; i++)
        visit(&w, first[i]);
    assert_true(w.entered > STATES);
    compare(d, &w);
    compare(d, &w); /* a search may be restarted */
    assert_true(om_dfs_bytes(d) >= sizeof(uint64_t));
    om_dfs_free(d);
    free_all(&f);
}

static void narrow_marks(void **state)
{
    (void) state;
    as_the_recursive_one(NARROW);
}

static void wide_marks(void **state)
{
    (void) state;
    as_the_recursive_one(WIDE);
    as_the_recursive_one(64);
}

/* Cutting at an inner state removes the edges above it and keeps those below. */
static void cutting(void **state)
{
    (void) state;
    fixture f = { NULL, NULL, NULL };
    om_dfs *d = NULL;
    om_dfs_edge first, e, other, second;
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    assert_int_equal(new_task(&f, NARROW), OM_OK);
    assert_int_equal(om_dfs_new(&d, f.task, 0), OM_OK);
    assert_int_equal(om_dfs_start(d), OM_OK);
    assert_true(om_dfs_next(d, &first));
    assert_int_equal(enter(d, first), OM_OK);
    uint64_t bottom = om_dfs_top(d);
    assert_true(om_dfs_next(d, &e));
    assert_int_equal(enter(d, e), OM_OK);
    uint64_t place = om_dfs_top(d);
    for (unsigned i = 0; i < 10; i++) {
        assert_true(om_dfs_next(d, &other));
        assert_int_equal(enter(d, other), OM_OK);
    }
    assert_int_equal(om_dfs_depth(d), 12);
    om_dfs_cut(d, place);
    assert_int_equal(om_dfs_depth(d), 1);
    assert_true(om_dfs_top(d) == bottom);
    assert_true(om_dfs_next(d, &second));
    assert_true(second.to != e.to || second.marks != e.marks);
    om_dfs_cut(d, bottom);
    assert_int_equal(om_dfs_depth(d), 0);
    assert_true(om_dfs_next(d, &e)); /* the other initial state */
    assert_true(e.to != first.to && e.marks == 0);
    assert_false(om_dfs_next(d, &e));
    om_dfs_free(d);
    free_all(&f);
}

/* A second stack over the same cursor, above the first: its evidence is the concatenation of both
 * paths, and the lower stack does not change. */
static void two_stacks(void **state)
{
    (void) state;
    for (unsigned again = 0; again < 2; again++) { /* 1: the second begins with the last state */
        fixture f = { NULL, NULL, NULL };
        om_dfs *below = NULL, *above = NULL;
        om_id expected[16];
        size_t n = 0;
        om_dfs_edge e;
        assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
        assert_int_equal(new_task(&f, NARROW), OM_OK);
        assert_int_equal(om_dfs_new(&below, f.task, 0), OM_OK);
        assert_int_equal(om_dfs_new_above(&above, below), OM_OK);
        assert_true(om_dfs_cursor(above) == om_dfs_cursor(below));
        assert_int_equal(om_dfs_start(below), OM_OK);
        for (; n < 5; n++) {
            assert_true(om_dfs_next(below, &e));
            assert_int_equal(enter(below, e), OM_OK);
            expected[n] = e.to;
        }
        if (again) {
            assert_int_equal(enter(above, (om_dfs_edge){ e.to, 0 }), OM_OK);
        }
        for (; n < 9; n++) {
            /* The first one comes from the lower stack, while the upper one is empty. */
            assert_true(om_dfs_next(om_dfs_depth(above) > 0 ? above : below, &e));
            assert_int_equal(enter(above, e), OM_OK);
            expected[n] = e.to;
        }
        uint64_t top = om_dfs_top(below);
        assert_int_equal(om_dfs_depth(above), 4 + again);

        assert_int_equal(om_dfs_found(above, expected[2], NULL), OM_ESTOP);
        const om_evidence *got = om_task_evidence_of(f.task);
        assert_true(got != NULL && got->length == 9 && got->entry == 2);
        assert_memory_equal(got->path, expected, n * sizeof *expected);
        assert_int_equal(om_dfs_depth(above), 0);
        assert_true(om_dfs_depth(below) == 5 && om_dfs_top(below) == top);
        om_dfs_free(above);
        om_dfs_free(below);
        free_all(&f);
    }
}

static void stopped_task(void **state)
{
    (void) state;
    fixture f = { NULL, NULL, NULL };
    om_dfs *d = NULL;
    om_dfs_edge e;
    assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
    assert_int_equal(new_task(&f, NARROW), OM_OK);
    assert_int_equal(om_dfs_new(&d, f.task, 0), OM_OK);
    assert_int_equal(om_dfs_start(d), OM_OK);
    assert_true(om_dfs_next(d, &e));
    (void) om_control_stop(om_task_control(f.task), OM_STOP_INTERRUPT);
    assert_int_equal(enter(d, e), OM_ESTOP);
    assert_int_equal(om_dfs_depth(d), 0);
    om_dfs_free(d);
    free_all(&f);
}

static void lack_of_memory(void **state)
{
    (void) state;
    for (uint32_t sets = NARROW; sets <= WIDE; sets++) {
        int rc = OM_ENOMEM;
        for (size_t n = 1; rc != OM_OK; n++) {
            test_heap heap;
            fixture f = { NULL, NULL, NULL };
            om_dfs *d = NULL, *above = NULL;
            om_dfs_edge e;
            test_heap_init(&heap, n);
            rc = om_context_new(&f.ctx, &heap.heap);
            if (rc == OM_OK)
                rc = new_task(&f, sets);
            if (rc == OM_OK)
                rc = om_dfs_new(&d, f.task, 0);
            if (rc == OM_OK)
                rc = om_dfs_start(d);
            for (unsigned i = 0; i < 50 && rc == OM_OK; i++) {
                assert_true(om_dfs_next(d, &e));
                rc = enter(d, e);
            }
            if (rc == OM_OK)
                rc = om_dfs_new_above(&above, d);
            if (rc == OM_OK)
                rc = enter(above, (om_dfs_edge){ e.to, 0 });

            if (rc == OM_OK) {
                rc = om_dfs_found(above, OM_NO_ID, NULL);
                const om_evidence *got = om_task_evidence_of(f.task);
                /* If memory is short, evidence has no path. */
                assert_true(rc == OM_ENOMEM || (rc == OM_ESTOP && got->entry == got->length &&
                                                   got->path[got->length - 1] == e.to &&
                                                   (got->length == 1 || got->length == 50)));
                rc = rc == OM_ESTOP ? OM_OK : rc;
            }
            om_dfs_free(above);
            /* If the store of states lacks memory, the memory limit is reported. */
            assert_true(rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT);
            om_dfs_free(d);
            free_all(&f);
            assert_int_equal(heap.live, 0);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_marks),
        cmocka_unit_test(wide_marks),
        cmocka_unit_test(cutting),
        cmocka_unit_test(two_stacks),
        cmocka_unit_test(stopped_task),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
