/* SPDX-License-Identifier: Apache-2.0 */
/* Trails in the step numbers of another tool: round trips of a run with processes that start and
 * end, rows of several steps and of none; and exhausted memory at any point. */
#include <omen/host/omen.h>

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { START, STEP, REST, END, TRANSITIONS };
enum { PATH = 64 };

/* A starts B, in one transition of two steps. B counts in two transitions that are one step, and
 * ends at any time. `bad`: an assertion fails when B has counted to two. */
typedef struct world {
    om_context *ctx;
    om_model *m;
    uint32_t a, b, x;
} world;

static int add_slots(world *w)
{
    static const char *const places[] = { "none", "s", "t" };
    static const om_value one = 1, zero = 0;
    om_slot slot = { .name = "A",
        .type = OM_ENUM,
        .process = 0,
        .initial = &one,
        .enumerators = 3,
        .enumerator_names = places };
    int rc = om_model_add_process(w->m, "A", NULL);
    if (rc == OM_OK)
        rc = om_model_add_process(w->m, "B", NULL);
    if (rc == OM_OK)
        rc = om_model_add_slot(w->m, &slot, &w->a);
    slot.name = "B";
    slot.process = 1;
    slot.initial = &zero;
    if (rc == OM_OK)
        rc = om_model_add_slot(w->m, &slot, &w->b);
    slot = (om_slot){ .name = "x", .type = OM_U8, .process = OM_NONE, .initial = &zero };
    if (rc == OM_OK)
        rc = om_model_add_slot(w->m, &slot, &w->x);
    if (rc == OM_OK)
        rc = om_model_set_location(w->m, 0, w->a);
    return rc == OM_OK ? om_model_set_location(w->m, 1, w->b) : rc;
}

/* Moves B from one location to another, while A is in s and x is below 2. */
static int add_transition(world *w, uint32_t process, om_value from, om_value to, bool counts,
    const om_foreign_step *row, uint32_t count)
{
    om_model *m = w->m;
    const om_assign assigns[] = { { w->b, 0, om_expr_const(m, to) },
        { w->x, 0,
            om_expr_binary(m, OM_OP_MOD,
                om_expr_binary(m, OM_OP_ADD, om_expr_slot(m, w->x), om_expr_const(m, 1)),
                om_expr_const(m, 3)) } };
    const om_transition t = { .process = process,
        .partner = OM_NONE,
        .guard = om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, w->b), om_expr_const(m, from)),
        .assigns = assigns,
        .assign_count = 1 + counts,
        .label = "t" };
    uint32_t number = 0;
    int rc = om_model_add_transition(m, &t, &number);
    return rc == OM_OK ? om_model_set_foreign(m, OM_FOREIGN_TRANSITION, number, row, count) : rc;
}

static int add_assertion(world *w)
{
    static const om_foreign_step row = { 1, 30 };
    const om_assertion a = { .condition = om_expr_binary(
                                 w->m, OM_OP_NE, om_expr_slot(w->m, w->x), om_expr_const(w->m, 2)),
        .text = "x != 2" };
    int rc = om_model_add_assertion(w->m, &a);
    return rc == OM_OK ? om_model_set_foreign(w->m, OM_FOREIGN_ASSERTION, 0, &row, 1) : rc;
}

static int world_open(world *w, const om_heap *heap, bool bad)
{
    static const om_foreign_step start[] = { { 0, 10 }, { 0, 11 } }, step = { 1, 20 },
                                 end = { 1, 21 };
    *w = (world){ 0 };
    int rc = om_context_new(&w->ctx, heap);
    if (rc == OM_OK)
        rc = om_model_new(&w->m, w->ctx, "m.x");
    if (rc == OM_OK)
        rc = add_slots(w);
    if (rc == OM_OK)
        rc = add_transition(w, 0, 0, 1, false, start, 2);
    if (rc == OM_OK)
        rc = add_transition(w, 1, 1, 2, false, &step, 1);
    if (rc == OM_OK)
        rc = add_transition(w, 1, 2, 1, true, NULL, 0);
    if (rc == OM_OK)
        rc = add_transition(w, 1, 1, 0, false, &end, 1);
    if (rc == OM_OK && bad)
        rc = add_assertion(w);
    return rc == OM_OK ? om_model_finish(w->m) : rc;
}

static void world_close(world *w)
{
    om_model_free(w->m);
    om_context_free(w->ctx);
}

/* Creates a file with the text; path gets its name. */
static void put_file(char *path, const char *text)
{
    (void) snprintf(path, PATH, "/tmp/omen-trail-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t) strlen(text));
    assert_int_equal(close(fd), 0);
}

static int read_text(world *w, const char *text, om_lasso *l, char **property)
{
    char path[PATH];
    put_file(path, text);
    int rc = om_lasso_read_trail(l, w->ctx, w->m, path, property);
    assert_int_equal(unlink(path), 0);
    return rc;
}

/* A trail that was read is written identically. */
static void assert_there_and_back(bool bad, const char *text, const char *property,
    const uint32_t *transitions, size_t count, size_t loop)
{
    world w;
    om_lasso l = { 0 };
    char *about = NULL;
    om_text out = { .heap = om_heap_default() };
    assert_int_equal(world_open(&w, NULL, bad), OM_OK);
    assert_int_equal(read_text(&w, text, &l, &about), OM_OK);
    assert_int_equal(l.count, count);
    assert_memory_equal(l.transitions, transitions, count * sizeof *transitions);
    assert_true(l.loop == loop);
    if (property == NULL)
        assert_null(about);
    else
        assert_string_equal(about, property);
    assert_int_equal(om_lasso_write(&l, w.m, "trail", NULL, &out), OM_OK);
    assert_string_equal(out.text, text);
    om_text_free(&out);
    om_free(om_context_heap(w.ctx), about);
    om_lasso_free(&l);
    world_close(&w);
}

static void test_cycle(void **state)
{
    static const uint32_t run[] = { START, STEP, REST, STEP, REST, STEP, REST };
    (void) state;
    assert_there_and_back(
        false, "1:0:10\n2:0:11\n-1:-1:-1\n3:1:20\n4:1:20\n5:1:20\n", NULL, run, 7, 1);
}

/* A process that starts again gets the free number. */
static void test_start_and_end(void **state)
{
    static const uint32_t run[] = { START, END, START, END };
    (void) state;
    assert_there_and_back(
        false, "-1:-1:-1\n1:0:10\n2:0:11\n3:1:21\n4:0:10\n5:0:11\n6:1:21\n", NULL, run, 4, 0);
}

static const char FAILS[] = "1:0:10\n2:0:11\n3:1:20\n4:1:20\n5:1:30\n";

static void test_assertion(void **state)
{
    static const uint32_t run[] = { START, STEP, REST, STEP, REST, OM_NONE };
    (void) state;
    assert_there_and_back(true, FAILS, "assertion", run, 6, OM_NO_LOOP);
}

/* Lines of merged statements are missing: the rest of a row, and separate steps. */
static void test_merged(void **state)
{
    static const uint32_t run[] = { START, STEP, REST, STEP, REST, OM_NONE };
    world w;
    om_lasso l = { 0 };
    (void) state;
    assert_int_equal(world_open(&w, NULL, true), OM_OK);
    assert_int_equal(read_text(&w, "-4:-4:-4\n1:0:10\n2:1:20\n3:1:20\n4:1:30\n", &l, NULL), OM_OK);
    assert_int_equal(l.count, 6);
    assert_memory_equal(l.transitions, run, sizeof run);
    om_lasso_free(&l);
    world_close(&w);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "1:0:10\n2:1:20\n",
            ":2:5: here A executes statement number 11, directly after the previous line" },
        { "1:0:10\n2:0:11\n3:2:20\n",
            ":3:3: no process has this number there: 2 are running, numbered" },
        { "1:0:10\n2:0:11\n-1:-1:-1\n3:1:20\n4:1:21\n",
            ":5:1: the cycle does not end in the state that it begins with" },
        { "1:0:10\n2:0:11\n3:1:20\n4:1:20\n5:1:20\n",
            ":5:5: an assertion of the model fails before this step (x != 2)" },
    };
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        om_lasso l = { 0 };
        assert_int_equal(world_open(&w, NULL, i == 3), OM_OK);
        assert_int_equal(read_text(&w, cases[i].text, &l, NULL), OM_EINPUT);
        assert_non_null(strstr(om_context_error(w.ctx), cases[i].message));
        assert_null(l.transitions);
        world_close(&w);
    }
}

static void test_nothing_there(void **state)
{
    static const om_foreign_step step = { 0, 1 };
    world w;
    (void) state;
    assert_int_equal(world_open(&w, NULL, false), OM_OK);
    assert_int_equal(
        om_model_set_foreign(w.m, OM_FOREIGN_TRANSITION, TRANSITIONS, &step, 1), OM_EINVAL);
    assert_int_equal(om_model_set_foreign(w.m, OM_FOREIGN_ASSERTION, 0, &step, 1), OM_EINVAL);
    assert_int_equal(om_model_set_foreign(w.m, OM_FOREIGN_PROPERTY, 0, &step, 1), OM_EINVAL);
    world_close(&w);
}

static int whole(const om_heap *heap, const char *path)
{
    world w;
    om_lasso l = { 0 };
    char *about = NULL;
    om_text out = { .heap = heap };
    int rc = world_open(&w, heap, true);
    if (rc == OM_OK)
        rc = om_lasso_read_trail(&l, w.ctx, w.m, path, &about);
    if (rc == OM_OK)
        rc = om_lasso_write(&l, w.m, "trail", NULL, &out);
    assert_true(rc != OM_OK || strcmp(out.text, FAILS) == 0);
    om_text_free(&out);
    om_free(heap, about);
    om_lasso_free(&l);
    world_close(&w);
    return rc;
}

static void test_memory(void **state)
{
    char path[PATH];
    int rc = OM_ENOMEM;
    (void) state;
    put_file(path, FAILS);
    for (size_t n = 0; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = whole(&h.heap, path);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_int_equal(h.live, 0);
    }
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_start_and_end),
        cmocka_unit_test(test_assertion),
        cmocka_unit_test(test_merged),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_nothing_there),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
