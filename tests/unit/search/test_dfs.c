/* SPDX-License-Identifier: Apache-2.0 */
/* The depth-first stack: a search with it against a recursive one over the same edges. */
#include <omen/dfs.h>
#include <omen/omen.h>

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* States 0 .. STATES-1; from i to 2i+1, 2i+2 and 7i+3, all modulo STATES. */
enum { STATES = 300, OUT = 3, AUTOMATON_STATES = 2, INITIAL = 2, NARROW = 23, WIDE = 24 };

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    uint32_t i = vector[0];
    const uint32_t to[OUT] = { 2 * i + 1, 2 * i + 2, 7 * i + 3 };
    out->fault = 0;
    if (om_successors_reserve(out, out->count + OUT, x->words) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t k = 0; k < OUT; k++) {
        out->words[out->count * out->stride] = to[k] % STATES;
        out->transition[out->count++] = k;
    }
    return OM_OK;
}

static const om_executor executor = {
    .name = "arithmetic", .words = 1, .initial = initial, .append = append
};

/* Two states, both initial, and an edge of its own marks, some of them the highest, for each pair.
 */
static int new_automaton(om_automaton **out, om_context *ctx, uint32_t sets)
{
    static const om_cube all = { 0, 0 };
    om_automaton *a = NULL;
    uint32_t first;
    int rc = om_automaton_new(&a, ctx, 0, NULL);
    *out = a;
    if (rc == OM_OK)
        rc = om_automaton_add_states(a, AUTOMATON_STATES, &first);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, sets);
    for (uint32_t q = 0; q < AUTOMATON_STATES && rc == OM_OK; q++) {
        rc = om_automaton_add_initial(a, q);
        for (uint32_t t = 0; t < AUTOMATON_STATES && rc == OM_OK; t++)
            rc = om_automaton_add_edge(
                a, q, t, UINT64_C(1) << (t == 0 ? sets - 1 : q) | t << 5, &all, 1);
    }
    return rc == OM_OK ? om_automaton_finish(a) : rc;
}

typedef struct fixture {
    om_context *ctx;
    om_automaton *a;
    om_task *task;
} fixture;

static int new_task(fixture *f, uint32_t sets)
{
    int rc = new_automaton(&f->a, f->ctx, sets);
    om_task_spec spec = { .product = { .executor = &executor,
                              .automaton = f->a,
                              .deadlock_ap = OM_NONE,
                              .workers = 1 },
        .strength = OM_STRONG };
    return rc == OM_OK ? om_task_new(&f->task, f->ctx, &spec) : rc;
}

static void free_all(fixture *f)
{
    om_task_free(f->task);
    om_automaton_free(f->a);
    om_context_free(f->ctx);
}

/* ---- the recursive search ---- */

typedef struct walk {
    om_cursor *cursor;
    bool seen[2 * STATES];
    om_dfs_edge tree[2 * STATES]; /* edges that led to new states, as they were followed */
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

/* ---- the same with the stack ---- */

static int enter(om_dfs *d, om_dfs_edge by)
{
    const om_step *steps;
    size_t n;
    int rc = om_dfs_enter(d, by, &steps, &n);
    while (rc == OM_OK && n-- > 0)
        om_dfs_add(d, &steps[n]);
    return rc;
}

/* The path as it should be, beside it. */
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
    compare(d, &w); /* a search may begin anew */
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

/* Cutting in the midst takes the edges above with it, and leaves those below. */
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

/* A path that begins in the middle is evidence with the way to its beginning, or else its end is.
 */
static void a_path_from_the_middle(void **state)
{
    (void) state;
    for (unsigned known = 0; known < 2; known++) {
        fixture f = { NULL, NULL, NULL };
        om_dfs *d = NULL;
        om_dfs_edge first, second, e;
        om_id way[3] = { 0 }, path[12];
        const om_step *steps;
        size_t n;
        assert_int_equal(om_context_new(&f.ctx, NULL), OM_OK);
        assert_int_equal(new_task(&f, NARROW), OM_OK);
        assert_int_equal(om_dfs_new(&d, f.task, 0), OM_OK);
        assert_int_equal(om_dfs_start(d), OM_OK);
        assert_true(om_dfs_next(d, &first));
        assert_int_equal(enter(d, first), OM_OK);
        assert_true(om_dfs_next(d, &second));
        assert_int_equal(enter(d, second), OM_OK);
        assert_true(om_dfs_next(d, &e));
        om_dfs_cut(d, om_dfs_top(d));
        om_dfs_cut(d, om_dfs_top(d));
        assert_true(om_dfs_next(d, &(om_dfs_edge){ 0, 0 })); /* the other initial state */
        way[0] = first.to;
        way[1] = second.to;
        way[2] = path[0] = e.to;
        assert_int_equal(om_dfs_enter_at(d, e.to, &steps, &n), OM_OK);
        for (unsigned i = 1; i < 12; i++) {
            assert_true(i > 1 || n > 0);
            if (i == 1)
                om_dfs_add(d, &steps[0]);
            assert_true(om_dfs_next(d, &e));
            assert_int_equal(enter(d, e), OM_OK);
            path[i] = e.to;
        }
        const om_evidence given = OM_EVIDENCE(known ? way : NULL, known ? 3 : 0);
        assert_int_equal(om_dfs_found(d, path[5], &given), OM_ESTOP);
        const om_evidence *taken = om_task_evidence_of(f.task);
        assert_non_null(taken);
        assert_int_equal(taken->length, known ? 14 : 1);
        assert_int_equal(taken->entry, known ? 7 : 0);
        for (size_t i = 0; i < taken->length; i++)
            assert_true(taken->path[i] == (!known ? path[11] : i < 2 ? way[i] : path[i - 2]));
        om_dfs_free(d);
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
            om_dfs *d = NULL;
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
            /* What the store of states lacks is the limit on memory. */
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
        cmocka_unit_test(a_path_from_the_middle),
        cmocka_unit_test(stopped_task),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
