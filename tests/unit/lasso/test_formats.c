/* SPDX-License-Identifier: Apache-2.0 */
/* Formats for human readers: movers and messages of channels, exact texts, escapes, lassos without
 * their models; and exhausted memory at any point. */
#include <omen/host/omen.h>

#include "formats/chart.h"
#include "formats/escape.h"
#include "heap.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { PUT, TAKE, HAND, STEPS = 6 };

/* A puts numbers into channel c, which holds two messages; B takes one and then synchronises with
 * A. */
typedef struct world {
    om_context *ctx;
    om_model *m;
    uint32_t a, b, count, items;
    uint32_t transitions[STEPS];
    om_lasso l; /* without states; the vm computes them */
} world;

static int add_slots(world *w)
{
    static const char *const places[] = { "s", "t" };
    static const om_value zeros[2] = { 0, 0 };
    uint32_t a, b;
    const om_slot location = {
        .type = OM_ENUM, .initial = zeros, .enumerators = 2, .enumerator_names = places
    };
    om_slot slot = location;
    int rc = om_model_add_process(w->m, "A", &a);
    if (rc == OM_OK)
        rc = om_model_add_process(w->m, "B", &b);
    slot.name = "A";
    slot.process = 0;
    if (rc == OM_OK)
        rc = om_model_add_slot(w->m, &slot, &w->a);
    slot.name = "B";
    slot.process = 1;
    if (rc == OM_OK)
        rc = om_model_add_slot(w->m, &slot, &w->b);
    slot = (om_slot){ .name = "c.count", .type = OM_U8, .process = OM_NONE, .initial = zeros };
    if (rc == OM_OK)
        rc = om_model_add_slot(w->m, &slot, &w->count);
    slot.name = "c";
    slot.length = 2;
    if (rc == OM_OK)
        rc = om_model_add_slot(w->m, &slot, &w->items);
    if (rc == OM_OK)
        rc = om_model_set_location(w->m, 0, w->a);
    return rc == OM_OK ? om_model_set_location(w->m, 1, w->b) : rc;
}

static om_expr is(world *w, om_op op, uint32_t slot, om_value value)
{
    return om_expr_binary(w->m, op, om_expr_slot(w->m, slot), om_expr_const(w->m, value));
}

static int add_transition(world *w, uint32_t process, uint32_t partner, const char *label,
    om_expr guard, const om_assign *assigns, uint32_t n)
{
    const om_transition t = { .process = process,
        .partner = partner,
        .guard = guard,
        .assigns = assigns,
        .assign_count = n,
        .label = label,
        .place = { "dir/m.x", 3, 4 + n } };
    return om_model_add_transition(w->m, &t, NULL);
}

static int add_transitions(world *w)
{
    om_model *m = w->m;
    om_expr zero = om_expr_const(m, 0), one = om_expr_const(m, 1);
    om_expr count = om_expr_slot(m, w->count);
    const om_assign put[] = { { w->items, count,
                                  om_expr_binary(m, OM_OP_ADD, count, om_expr_const(m, 5)) },
        { w->count, 0, om_expr_binary(m, OM_OP_ADD, count, one) } };
    const om_assign take[] = { { w->items, zero, om_expr_element(m, w->items, one) },
        { w->items, one, zero }, { w->count, 0, om_expr_binary(m, OM_OP_SUB, count, one) },
        { w->b, 0, one } };
    const om_assign hand[] = { { w->b, 0, zero } };
    om_expr taken =
        om_expr_binary(m, OM_OP_AND, is(w, OM_OP_GT, w->count, 0), is(w, OM_OP_EQ, w->b, 0));
    int rc = add_transition(w, 0, OM_NONE, "A: s -> s (c!)", is(w, OM_OP_LT, w->count, 2), put, 2);
    if (rc == OM_OK)
        rc = add_transition(w, 1, OM_NONE, "B: s -> t (c?)", taken, take, 4);
    return rc == OM_OK ? add_transition(w, 0, 1, "A: s -> s | B: t -> s (d)",
                             is(w, OM_OP_EQ, w->b, 1), hand, 1)
                       : rc;
}

static void world_close(world *w)
{
    om_model_free(w->m);
    om_context_free(w->ctx);
}

static int world_open(world *w, const om_heap *heap)
{
    static const uint32_t run[STEPS] = { PUT, PUT, TAKE, HAND, TAKE, HAND };
    *w = (world){ 0 };
    int rc = om_context_new(&w->ctx, heap);
    if (rc == OM_OK)
        rc = om_model_new(&w->m, w->ctx, "m.x");
    if (rc == OM_OK)
        rc = add_slots(w);
    if (rc == OM_OK)
        rc = add_transitions(w);
    if (rc == OM_OK)
        rc = om_model_finish(w->m);
    if (rc != OM_OK)
        return rc;
    memcpy(w->transitions, run, sizeof run);
    w->l = (om_lasso){ .heap = om_context_heap(w->ctx),
        .words = om_model_words(w->m),
        .transitions = w->transitions,
        .count = STEPS,
        .loop = 0 };
    return OM_OK;
}

static int setup(void **state)
{
    *state = test_malloc(sizeof(world));
    return world_open(*state, NULL);
}

static int teardown(void **state)
{
    world_close(*state);
    test_free(*state);
    return 0;
}

static void assert_written(const world *w, const char *format, const char *text)
{
    om_text out = { .heap = om_heap_default() };
    assert_int_equal(om_lasso_write(&w->l, w->m, format, NULL, &out), OM_OK);
    assert_string_equal(out.text, text);
    om_text_free(&out);
}

static void texts_are_exact(void **state)
{
    const world *w = *state;
    assert_written(w, "trail", "-1:-1:-1\n1:0:0\n2:0:0\n3:1:1\n4:0:2\n5:1:1\n6:0:2\n");
    assert_written(w, "csv",
        "state,part,transition,processes,label,place,violated,A,B,c.count,c[0],c[1]\r\n"
        "0,cycle,0,A,A: s -> s (c!),m.x:3:6,,s,s,0,0,0\r\n"
        "1,cycle,0,A,A: s -> s (c!),m.x:3:6,,s,s,1,5,0\r\n"
        "2,cycle,1,B,B: s -> t (c?),m.x:3:8,,s,s,2,5,6\r\n"
        "3,cycle,2,A B,A: s -> s | B: t -> s (d),m.x:3:5,,s,t,1,6,0\r\n"
        "4,cycle,1,B,B: s -> t (c?),m.x:3:8,,s,s,1,6,0\r\n"
        "5,cycle,2,A B,A: s -> s | B: t -> s (d),m.x:3:5,,s,t,0,0,0\r\n");
}

/* [step, channel, put, other, content] of each message. */
static void messages_meet_in_their_order(void **state)
{
    static const char wanted[] = "[[1,\"c\",1,3,\"5\"],[2,\"c\",1,5,\"6\"],[3,\"c\",0,1,\"5\"],"
                                 "[5,\"c\",0,2,\"6\"]]";
    const world *w = *state;
    om_text out = { .heap = om_heap_default() };
    assert_int_equal(om_lasso_write_view(&w->l, w->m, NULL, &out), OM_OK);
    json_t *data = json_loadb(out.text, out.length, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(data);
    char *messages = json_dumps(json_object_get(data, "messages"), JSON_COMPACT);
    assert_string_equal(messages, wanted);
    free(messages);
    messages = json_dumps(json_object_get(data, "changes"), JSON_COMPACT);
    assert_string_equal(
        messages, "[[2,1,3,5],[2,2,4,6],[1,1,2,1,3,6,4,0],[1,0],[1,1,2,0,3,0],[1,0]]");
    free(messages);
    json_decref(data);
    om_text_free(&out);
}

static void what_nobody_takes_has_an_open_end(void **state)
{
    world *w = *state;
    om_chart c;
    w->transitions[2] = OM_NONE;
    w->l.count = 3;
    w->l.loop = OM_NO_LOOP;
    assert_int_equal(om_chart__open(&c, &w->l, w->m), OM_OK);
    assert_int_equal(om_chart__find_messages(&c, w->m), OM_OK);
    assert_int_equal(c.message_count, 2);
    assert_true(c.messages[0].put && c.messages[0].other == SIZE_MAX);
    assert_true(c.messages[1].put && c.messages[1].other == SIZE_MAX);
    om_chart__close(&c);
    assert_written(w, "trail", "1:0:0\n2:0:0\n");
    /* A message that was never put cannot be taken. */
    w->transitions[0] = TAKE;
    assert_int_equal(om_chart__open(&c, &w->l, w->m), OM_OK);
    assert_int_equal(om_chart__find_messages(&c, w->m), OM_EINPUT);
    assert_int_equal(c.message_count, 0);
    om_chart__close(&c);
}

/* Checks a label of a transition without a process, in a model with processes P, Q and "R: x" and
 * channel k. */
static void assert_label(const char *label, om_chart_sign sign, size_t who, size_t length)
{
    static const om_value zero = 0;
    static const char *const processes[] = { "P", "Q", "R: x" };
    const om_slot count = {
        .name = "k.count", .type = OM_U8, .process = OM_NONE, .initial = &zero
    };
    const om_transition t = { .process = OM_NONE, .partner = OM_NONE, .label = label };
    uint32_t transitions[2] = { 0, OM_NONE };
    om_context *ctx = NULL;
    om_model *m = NULL;
    om_chart c;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_model_new(&m, ctx, "m"), OM_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(om_model_add_process(m, processes[i], NULL), OM_OK);
    assert_int_equal(om_model_add_slot(m, &count, NULL), OM_OK);
    assert_int_equal(om_model_add_transition(m, &t, NULL), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    const om_lasso l = { .heap = om_heap_default(),
        .words = 1,
        .transitions = transitions,
        .count = 2,
        .loop = OM_NO_LOOP };
    assert_int_equal(om_chart__open(&c, &l, m), OM_OK);
    assert_int_equal(c.move_count, 1);
    assert_int_equal(c.moves[0].sign, sign);
    assert_int_equal(c.moves[0].count, who);
    if (sign != OM_CHART_ALONE)
        assert_int_equal(c.moves[0].length, length);
    om_chart__close(&c);
    om_model_free(m);
    om_context_free(ctx);
}

static void labels_say_who_moves(void **state)
{
    (void) state;
    assert_label(NULL, OM_CHART_ALONE, 0, 0);
    assert_label("", OM_CHART_ALONE, 0, 0);
    assert_label("tick", OM_CHART_ALONE, 0, 0);
    assert_label("P: a -> b", OM_CHART_ALONE, 1, 0);
    assert_label("P a: b", OM_CHART_ALONE, 0, 0);
    assert_label("X: a -> b", OM_CHART_ALONE, 0, 0);
    assert_label("Q: a | P: b", OM_CHART_ALONE, 2, 0);
    assert_label("P: a | X: b", OM_CHART_ALONE, 1, 0);
    assert_label("P: a | Q: b (ch)", OM_CHART_HANDED, 2, 2);
    assert_label("P: a (ch)", OM_CHART_ALONE, 1, 0);
    assert_label("P: a (k!)", OM_CHART_PUT, 1, 1);
    assert_label("P: a (k?)", OM_CHART_TAKEN, 1, 1);
    assert_label("(k?)", OM_CHART_ALONE, 0, 0);
    assert_label(" (k?)", OM_CHART_TAKEN, 0, 1);
    assert_label("P: a (j!)", OM_CHART_ALONE, 1, 0); /* not a channel */
    assert_label("P: a (!)", OM_CHART_ALONE, 1, 0);
    assert_label("P: a ()", OM_CHART_ALONE, 1, 0);
    assert_label("P: a k!)", OM_CHART_ALONE, 1, 0);
    assert_label(")", OM_CHART_ALONE, 0, 0);
}

static void assert_escaped(const char *text, const char *xml, const char *dot, const char *csv)
{
    om_text out = { .heap = om_heap_default() };
    om_lasso__put_xml(text, SIZE_MAX, &out);
    om_text_add(&out, "\x1e");
    om_lasso__put_dot(text, &out);
    om_text_add(&out, "\x1e");
    om_lasso__put_csv(text, &out);
    om_text wanted = { .heap = om_heap_default() };
    om_text_printf(&wanted, "%s\x1e%s\x1e%s", xml, dot, csv);
    assert_string_equal(out.text, wanted.text);
    om_text_free(&wanted);
    om_text_free(&out);
}

static void text_is_escaped(void **state)
{
    om_text out = { .heap = om_heap_default() };
    (void) state;
    assert_escaped("", "", "", "");
    assert_escaped("<a b='c' d=\"e\">&amp;", "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;amp;",
        "<a b='c' d=\\\"e\\\">&amp;amp;", "\"<a b='c' d=\"\"e\"\">&amp;\"");
    assert_escaped(
        "\\N,\r\n", "\\N,\xef\xbf\xbd\xef\xbf\xbd", "\\\\N,\xef\xbf\xbd ", "\"\\N,\r\n\"");
    assert_escaped("\xff\xc3(\x01\x7f\xc2\x85\xef\xbf\xbf\xe2\x98\x83",
        "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x98\x83",
        "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x98\x83",
        "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x98\x83");
    assert_int_equal(om_lasso__characters("a\xe2\x98\x83\xff"), 3);
    om_lasso__put_xml("<\xe2\x98\x83>&", 3, &out);
    assert_string_equal(out.text, "&lt;\xe2\x98\x83\xe2\x80\xa6");
    om_text_free(&out);
}

/* Writes every format and reads the lasso without its model, with the given heap. */
static int whole(const om_heap *heap)
{
    static const om_lasso_style style = { .property = "ltl=x", .source = "one < two" };
    world w;
    om_lasso back = { 0 };
    om_model *alone = NULL;
    om_text out = { .heap = heap }, json = { .heap = heap };
    char *property = NULL;
    size_t count;
    const char *const *formats = om_lasso_formats(&count);
    const om_print print = { .text = "a\xff\n", .length = 3, .how = OM_PRINT_TEXT };
    int rc = world_open(&w, heap);
    if (rc == OM_OK)
        rc = om_model_set_prints(w.m, PUT, &print, 1);
    for (size_t i = 0; rc == OM_OK && i < count; i++) {
        om_text_free(&out);
        rc = om_lasso_write(&w.l, w.m, formats[i], &style, &out);
    }
    if (rc == OM_OK)
        rc = om_lasso_write(&w.l, w.m, "json", &style, &json);
    if (rc == OM_OK)
        rc = om_lasso_read_alone(&back, &alone, w.ctx, "f.json", json.text, json.length, &property);
    om_text_free(&out);
    if (rc == OM_OK)
        rc = om_lasso_write(&back, alone, "json", &style, &out);
    if (rc == OM_OK) {
        assert_string_equal(out.text, json.text);
        assert_non_null(strstr(out.text, "\"prints\": \"a\xef\xbf\xbd\\u000a\""));
    }
    om_free(heap, property);
    om_lasso_free(&back);
    om_model_free(alone);
    om_text_free(&out);
    om_text_free(&json);
    world_close(&w);
    return rc;
}

/* Reads a lasso in which one value has a name and another has none. */
static int read_values(world *w, const char *a, const char *b, om_text *out)
{
    om_text json = { .heap = om_heap_default() };
    om_lasso l = { 0 };
    om_model *alone = NULL;
    om_text_printf(&json,
        "{\"#meta\": {\"format\": \"ITF\", \"model\": \"m\", \"property\": null, "
        "\"locations\": [\"P\"]}, \"vars\": [\"x\", \"P\"], \"states\": ["
        "{\"#meta\": {\"index\": 0, \"transition\": \"stutter\"}, \"x\": %s, \"P\": 0}, "
        "{\"#meta\": {\"index\": 1, \"transition\": null}, \"x\": %s, \"P\": \"s\"}]}",
        a, b);
    int rc = om_lasso_read_alone(&l, &alone, w->ctx, "f.json", json.text, json.length, NULL);
    if (rc == OM_OK) {
        assert_int_equal(om_model_process_count(alone), 1);
        rc = om_lasso_write(&l, alone, "txt", NULL, out);
    }
    om_lasso_free(&l);
    om_model_free(alone);
    om_text_free(&json);
    om_context_clear(w->ctx);
    return rc;
}

static void names_stand_beside_numbers(void **state)
{
    static const char *const values[] = { "0", "\"a\"", "-7", "300", "-300", "\"b\"", "65534" };
    world *w = *state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            om_text out = { .heap = om_heap_default() }, wanted = { .heap = om_heap_default() };
            const bool same = i == k;
            om_text_printf(&wanted,
                "trace:\n    0:\n         x = %s  P = 0\n    -> no successor: the state "
                "repeats\n    1:\n         %s%s%sP = s\n",
                values[i], same ? "" : "x = ", same ? "" : values[k], same ? "" : "  ");
            char *from = wanted.text, *to = wanted.text;
            for (; *from != '\0'; from++)
                if (*from != '"')
                    *to++ = *from;
            *to = '\0';
            assert_int_equal(read_values(w, values[i], values[k], &out), OM_OK);
            assert_string_equal(out.text, wanted.text);
            om_text_free(&out);
            om_text_free(&wanted);
        }
    om_text none = { .heap = om_heap_default() };
    assert_int_equal(read_values(w, "\"a\"", "65535", &none), OM_EINPUT);
    assert_int_equal(read_values(w, "\"a\"", "true", &none), OM_EINPUT);
    assert_int_equal(read_values(w, "1", "false", &none), OM_EINPUT);
    om_text_free(&none);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void) state;
    for (size_t n = 0;; n++) {
        test_heap h;
        test_heap_init(&h, n);
        int rc = whole(&h.heap);
        assert_int_equal(h.live, 0);
        if (rc == OM_OK && h.calls <= n)
            break;
        /* The registry of equal expressions tolerates lack of memory; everything else reports
         * it. */
        assert_true(rc == OM_OK || om_exit_status(rc) == 30);
        assert_true(n < 5000);
    }
}

static void the_view_has_its_files(void **state)
{
    (void) state;
    assert_non_null(strstr(om_lasso_view_file("view.js"), "omenRun"));
    assert_non_null(strstr(om_lasso_view_file("view.css"), ".omen-run"));
    assert_null(om_lasso_view_file("view.html"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(messages_meet_in_their_order, setup, teardown),
        cmocka_unit_test_setup_teardown(what_nobody_takes_has_an_open_end, setup, teardown),
        cmocka_unit_test(labels_say_who_moves),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test_setup_teardown(names_stand_beside_numbers, setup, teardown),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(the_view_has_its_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
