/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/omen.h>

#include "progress.h"
#include "control/control.h"
#include "heap.h"
#include "plugin_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static void allocation_refuses_overflow(void **state)
{
    (void) state;
    assert_null(om_alloc(om_heap_default(), SIZE_MAX / 2, 3));
    assert_null(om_resize(om_heap_default(), NULL, SIZE_MAX, 2));
    void *p = om_alloc(om_heap_default(), 0, 8);
    assert_non_null(p);
    om_free(om_heap_default(), p);
}

static void first_failure_stands(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_string_equal(om_context_error(ctx), "");
    om_place place = { "m.dve", 3, 7 };
    assert_int_equal(om_fail(ctx, OM_EINPUT, &place, "no '%s'", "x"), OM_EINPUT);
    assert_int_equal(om_fail(ctx, OM_EIO, NULL, "later"), OM_EIO);
    assert_string_equal(om_context_error(ctx), "m.dve:3:7: no 'x'");
    om_context_clear(ctx);
    assert_string_equal(om_context_error(ctx), "");
    om_context_free(ctx);
}

static void options_are_checked(void **state)
{
    (void) state;
    static const om_option table[] = { { "permute", 1, 0, 1, "" }, { "stride", 64, 1, 4096, "" },
        { NULL, 0, 0, 0, NULL } };
    om_context *ctx = NULL;
    int64_t v[2];
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_plugin_options__parse(ctx, "c", table, NULL, NULL, v), OM_OK);
    assert_int_equal(v[0], 1);
    assert_int_equal(v[1], 64);
    assert_int_equal(
        om_plugin_options__parse(ctx, "c", table, NULL, "permute=0,stride=7", v), OM_OK);
    assert_int_equal(v[0], 0);
    assert_int_equal(v[1], 7);
    static const char *const bad[] = { "stride=0", "stride=4097", "stride=", "stride=x", "strid=1",
        "stride=99999999999999999999" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        om_context_clear(ctx);
        assert_int_equal(om_plugin_options__parse(ctx, "c", table, NULL, bad[i], v), OM_EUSAGE);
        assert_string_not_equal(om_context_error(ctx), "");
    }
    om_context_free(ctx);
}

static void values_may_have_names(void **state)
{
    (void) state;
    static const om_option table[] = { { "plain", 0, 0, 9, "" }, { "order", 3, 3, 4, "" },
        { NULL, 0, 0, 0, NULL } };
    static const char *const orders[] = { "up", "down", NULL };
    static const om_option_names names[] = { { "order", orders }, { NULL, NULL } };
    om_context *ctx = NULL;
    int64_t v[2];
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_ptr_equal(om_plugin_options__names(names, &table[1]), orders);
    assert_null(om_plugin_options__names(names, &table[0]));
    assert_int_equal(om_plugin_options__parse(ctx, "c", table, names, NULL, v), OM_OK);
    assert_int_equal(v[1], 3);
    assert_int_equal(
        om_plugin_options__parse(ctx, "c", table, names, "order=down,plain", v), OM_OK);
    assert_int_equal(v[0], 1);
    assert_int_equal(v[1], 4);
    static const char *const bad[] = { "order", "order=", "order=3", "order=dow", "order=downs" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        om_context_clear(ctx);
        assert_int_equal(om_plugin_options__parse(ctx, "c", table, names, bad[i], v), OM_EUSAGE);
        assert_non_null(strstr(om_context_error(ctx), "c: option order must be up or down, not '"));
    }
    om_context_free(ctx);
}

static void nearest_name(void **state)
{
    (void) state;
    static const char *const names[] = { "dijkstra", "reach", "weak-swarm" };
    static const char *const limits[] = { "memory", "max-states", "timeout" };
    assert_string_equal(om_nearest("dijkstar", names, 3), "dijkstra");
    assert_string_equal(om_nearest("reech", names, 3), "reach");
    assert_null(om_nearest("promela", names, 3));
    /* the only name with this prefix, however short */
    assert_string_equal(om_nearest("mem", limits, 3), "memory");
    assert_string_equal(om_nearest("t", limits, 3), "timeout");
    assert_null(om_nearest("m", limits, 3));
    assert_null(om_nearest("", limits, 3));
}

static void text_grows_and_fails_once(void **state)
{
    (void) state;
    for (size_t n = 0; n < 4; n++) {
        test_heap h;
        test_heap_init(&h, n);
        om_text t = { .heap = &h.heap };
        for (int i = 0; i < 40; i++)
            om_text_printf(&t, "%d,", i);
        assert_true(t.failed == (n < 4 && n < h.calls));
        if (!t.failed)
            assert_int_equal(strlen(t.text), t.length);
        om_text_free(&t);
        assert_int_equal(h.live, 0);
    }
}

static om_stop_reason reason_of(om_context *ctx)
{
    return om_control_stopped(om_context_control(ctx));
}

static void control_stops_once_and_for_all(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_limits limits = { .timeout_ns = 1 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_control *c = om_context_control(ctx);
    om_control_start(c, &limits);
    assert_int_equal(om_control_stopped(c), OM_STOP_NONE);
    assert_int_equal(om_context_stopped(ctx), OM_OK);
    om_control__watch(c);
    assert_int_equal(om_control_stopped(c), OM_STOP_TIMEOUT);
    assert_int_equal(om_context_stopped(ctx), OM_ELIMIT);
    assert_false(om_control_stop(c, OM_STOP_FOUND));
    assert_int_equal(om_control_stopped(c), OM_STOP_TIMEOUT);
    limits = (om_limits){ .memory_bytes = 1 };
    om_control_start(c, &limits);
    assert_int_equal(om_control_stopped(c), OM_STOP_NONE);
    assert_false(om_control__allows(c, 0));
    assert_int_equal(om_control_stopped(c), OM_STOP_MEMORY);
    assert_true(om_resident__peak_bytes() >= om_resident_bytes() / 2);
    om_context_free(ctx);
}

/* Contexts below a stopped context are stopped, those created later and earlier; a stop does not
 * propagate upwards. */
static void stops_reach_all_below(void **state)
{
    (void) state;
    om_context *top = NULL, *left = NULL, *right = NULL, *leaf = NULL, *late = NULL;
    assert_int_equal(om_context_new(&top, NULL), OM_OK);
    assert_int_equal(om_context_new_below(&left, top), OM_OK);
    assert_int_equal(om_context_new_below(&right, top), OM_OK);
    assert_int_equal(om_context_new_below(&leaf, left), OM_OK);
    assert_true(om_control_stop(om_context_control(left), OM_STOP_FOUND));
    assert_int_equal(om_context_stopped(leaf), OM_ESTOP);
    assert_int_equal(om_context_stopped(right), OM_OK);
    assert_int_equal(om_context_stopped(top), OM_OK);
    assert_int_equal(om_context_new_below(&late, left), OM_OK);
    assert_int_equal(reason_of(late), OM_STOP_FOUND);
    assert_true(om_control_stop(om_context_control(top), OM_STOP_INTERRUPT));
    assert_int_equal(reason_of(right), OM_STOP_INTERRUPT);
    assert_int_equal(reason_of(late), OM_STOP_FOUND); /* the first reason stays */
    /* A restart applies to all contexts below, but does not revoke an interruption. */
    om_control_start(om_context_control(top), NULL);
    assert_int_equal(reason_of(top), OM_STOP_INTERRUPT);
    assert_int_equal(reason_of(late), OM_STOP_INTERRUPT);
    om_context_free(late);
    om_context_free(leaf);
    om_context_free(right);
    om_context_free(left);
    om_context_free(top);
}

/* Notes of a context go to the listener of the top context; messages stay in their context. */
static void count_note(void *self, om_note_level level, const char *text)
{
    (void) level;
    (void) text;
    ++*(int *) self;
}

static void contexts_below_have_their_own_messages(void **state)
{
    (void) state;
    om_context *top = NULL, *below = NULL;
    int notes = 0;
    assert_int_equal(om_context_new(&top, NULL), OM_OK);
    om_context_on_note(top, count_note, &notes);
    assert_int_equal(om_context_new_below(&below, top), OM_OK);
    om_note(below, OM_NOTE_NOTICE, NULL, "something");
    assert_int_equal(notes, 1);
    assert_int_equal(om_fail(below, OM_EIO, NULL, "no luck"), OM_EIO);
    assert_string_equal(om_context_error(below), "no luck");
    assert_string_equal(om_context_error(top), "");
    om_context_free(below);
    om_context_free(top);
}

/* Beyond the limit, large allocations fail, small ones do not; resized memory may move. */
static void heaps_keep_the_limit(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_limits limits = { 0 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    const om_heap *heap = om_context_heap(ctx);
    limits.memory_bytes = om_resident_bytes() + ((uint64_t) 64 << 20);
    om_control_start(om_context_control(ctx), &limits);
    void *small = om_alloc(heap, 1000, 1), *large = om_resize(heap, NULL, 16 << 20, 1);
    assert_non_null(small);
    assert_non_null(large);
    assert_null(om_resize(heap, large, (size_t) 1 << 30, 1));
    assert_int_equal(reason_of(ctx), OM_STOP_MEMORY);
    assert_int_equal(om_fail_memory(ctx), OM_ELIMIT);
    assert_string_equal(om_context_error(ctx), "");
    om_free(heap, large);
    om_free(heap, small);
    om_context_free(ctx);
}

/* Of two contexts, the one that took more stops; the other only waits until that memory is
 * freed. */
static void who_took_most_gives_way(void **state)
{
    (void) state;
    enum { MUCH = 64 << 20, LITTLE = 1 << 20 };
    om_context *top = NULL, *hungry = NULL, *modest = NULL;
    om_limits limits = { 0 };
    assert_int_equal(om_context_new(&top, NULL), OM_OK);
    limits.memory_bytes = om_resident_bytes() + MUCH + LITTLE + (uint64_t) (8 << 20);
    om_control_start(om_context_control(top), &limits);
    assert_int_equal(om_context_new_below(&hungry, top), OM_OK);
    assert_int_equal(om_context_new_below(&modest, top), OM_OK);
    char *much = om_resize(om_context_heap(hungry), NULL, MUCH, 1);
    char *little = om_resize(om_context_heap(modest), NULL, LITTLE, 1);
    assert_non_null(much);
    assert_non_null(little);
    memset(much, 1, MUCH);
    memset(little, 1, LITTLE);
    /* A context that requests more than is available does not stop if it has less: it gets the
     * memory when the other has ended. */
    assert_int_equal(om_context_stopped(modest), OM_OK);
    om_control__limit_memory(om_context_control(top), om_resident_bytes() - LITTLE);
    om_control__watch(om_context_control(top));
    assert_int_equal(reason_of(hungry), OM_STOP_MEMORY);
    assert_int_equal(reason_of(modest), OM_STOP_NONE);
    assert_int_equal(reason_of(top), OM_STOP_NONE);
    om_control__watch(om_context_control(top)); /* it is about to free it */
    assert_int_equal(reason_of(modest), OM_STOP_NONE);
    om_free(om_context_heap(hungry), much);
    om_control__returned(om_context_control(hungry));
    /* Freed memory may still be resident: sanitizers keep it for a while. */
    om_control__limit_memory(om_context_control(modest), om_resident_bytes() + (8 << 20));
    assert_true(om_control__allows(om_context_control(modest), LITTLE));
    om_free(om_context_heap(modest), little);
    om_context_free(modest);
    om_context_free(hungry);
    om_context_free(top);
}

static void count_look(void *self)
{
    atomic_fetch_add((atomic_int *) self, 1);
}

static void a_watcher_keeps_the_time(void **state)
{
    (void) state;
    om_context *ctx = NULL;
    om_watcher *w = NULL;
    atomic_int looks = 0;
    om_limits limits = { .timeout_ns = 30000000 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_control_start(om_context_control(ctx), &limits);
    assert_true(om_control_left_ns(om_context_control(ctx)) <= limits.timeout_ns);
    assert_int_equal(om_watcher_start(&w, ctx, count_look, &looks), OM_OK);
    for (int i = 0; i < 1000 && om_context_stopped(ctx) == OM_OK; i++)
        (void) nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    assert_int_equal(reason_of(ctx), OM_STOP_TIMEOUT);
    om_watcher_stop(w);
    assert_true(atomic_load(&looks) > 0);
    om_context_free(ctx);
}

static void random_is_uniform_enough(void **state)
{
    (void) state;
    om_random r = { 1 };
    unsigned count[7] = { 0 };
    for (int i = 0; i < 70000; i++)
        count[om_random_below(&r, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(count[i], 9500, 10500);
}

typedef struct tub {
    om_text got;
    size_t pieces, largest, most; /* most: number of accepted pieces */
} tub;

static int take_piece(void *self, const char *text, size_t length)
{
    tub *t = self;
    if (t->pieces == t->most)
        return OM_EIO;
    t->pieces++;
    t->largest = length > t->largest ? length : t->largest;
    om_text_add_n(&t->got, text, length);
    return OM_OK;
}

static void fill_with_numbers(om_text *t, int count)
{
    for (int i = 0; i < count; i++)
        if (i % 3 == 0)
            om_text_printf(t, "%0*d;", i % 100, i);
        else
            om_text_add(t, i % 3 == 1 ? "a" : "bc");
}

/* A text with a drain has the same contents, in pieces, in bounded memory. */
static void text_may_be_drained(void **state)
{
    (void) state;
    enum { COUNT = 200000 };
    test_heap h;
    test_heap_init(&h, SIZE_MAX);
    om_text whole = { .heap = om_heap_default() };
    tub t = { .got = { .heap = om_heap_default() }, .most = SIZE_MAX };
    om_text drained = { .heap = &h.heap, .drain = take_piece, .drain_self = &t };
    fill_with_numbers(&whole, COUNT);
    fill_with_numbers(&drained, COUNT);
    assert_true(t.pieces > 10 && t.got.length < whole.length);
    assert_int_equal(om_text_flush(&drained), OM_OK);
    assert_int_equal(om_text_flush(&drained), OM_OK);
    assert_int_equal(t.got.length, whole.length);
    assert_memory_equal(t.got.text, whole.text, whole.length);
    assert_true(t.largest < (size_t) 2 * OM_TEXT_PIECE && h.peak <= (size_t) 2 * OM_TEXT_PIECE);
    /* A failed drain is not called again. */
    t.most = t.pieces + 2;
    fill_with_numbers(&drained, COUNT);
    assert_true(drained.failed);
    assert_int_equal(om_text_flush(&drained), OM_EIO);
    assert_int_equal(t.pieces, t.most);
    om_text_free(&drained);
    assert_int_equal(om_text_status(&drained), OM_OK);
    om_text_free(&t.got);
    om_text_free(&whole);
}

static void strings_become_json(void **state)
{
    (void) state;
    static const char *const cases[][2] = { { "", "\"\"" }, { "plain text", "\"plain text\"" },
        { "\"\\/", "\"\\\"\\\\/\"" }, { "a\nb\x01\x7f", "\"a\\u000ab\\u0001\\u007f\"" },
        { "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
        { "\xff\xc0\xaf\xed\xa0\x80x", "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdx\"" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_text t = { .heap = om_heap_default() };
        om_text_add_json(&t, cases[i][0]);
        assert_string_equal(t.text, cases[i][1]);
        om_text_free(&t);
    }
}

/* Progress of work: reported by a context below, visible above, never more than the total. */
static void stage_shown_above(void **state)
{
    om_context *ctx = NULL, *below = NULL;
    om_stage_progress now;
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_context_new_below(&below, ctx), OM_OK);
    om_context_stage_progress(ctx, &now);
    assert_null(now.what);
    assert_int_equal(now.made, 0);
    om_stage__begin(below, "states counted", 100);
    om_stage__at(below, 40);
    om_stage__made(below, 3);
    om_stage__made(ctx, 4);
    om_context_stage_progress(ctx, &now);
    assert_string_equal(now.what, "states counted");
    assert_int_equal(now.done, 40);
    assert_int_equal(now.total, 100);
    assert_int_equal(now.made, 7);
    assert_true(now.seconds >= 0 && now.seconds < 60);
    om_stage__at(ctx, 200);
    om_context_stage_progress(below, &now);
    assert_int_equal(now.done, 100);
    om_stage__begin(ctx, "states read", 0);
    om_stage__at(ctx, 200);
    om_context_stage_progress(ctx, &now);
    assert_int_equal(now.done, 200);
    om_stage__end(below);
    om_context_stage_progress(ctx, &now);
    assert_null(now.what);
    assert_int_equal(now.made, 7);
    om_context_free(below);
    om_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stage_shown_above),
        cmocka_unit_test(allocation_refuses_overflow),
        cmocka_unit_test(first_failure_stands),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(values_may_have_names),
        cmocka_unit_test(nearest_name),
        cmocka_unit_test(text_grows_and_fails_once),
        cmocka_unit_test(text_may_be_drained),
        cmocka_unit_test(strings_become_json),
        cmocka_unit_test(control_stops_once_and_for_all),
        cmocka_unit_test(stops_reach_all_below),
        cmocka_unit_test(contexts_below_have_their_own_messages),
        cmocka_unit_test(heaps_keep_the_limit),
        cmocka_unit_test(who_took_most_gives_way),
        cmocka_unit_test(a_watcher_keeps_the_time),
        cmocka_unit_test(random_is_uniform_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
