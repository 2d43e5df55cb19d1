/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of lassos: what is written is read back, and every change is rejected. */
#include <omen/host/omen.h>

#include "evidence.h"
#include "heap.h"
#include "small_model.h"
#include "finite_trace.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct world {
    om_context *ctx;
    om_model *m;
    small_slots slots;
    om_automaton *a;
    om_expr flag;
    om_obligation obligation;
    om_lasso l;
    om_text json;
} world;

static int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    om_executor *x = NULL;
    uint32_t vector[8] = { 0 };
    *state = w;
    assert_int_equal(om_context_new(&w->ctx, NULL), OM_OK);
    assert_int_equal(small_model(w->ctx, &w->m, &w->slots), OM_OK);
    assert_int_equal(small_automaton(w->ctx, &w->a), OM_OK);
    w->flag = om_expr_slot(w->m, w->slots.flag);
    assert_int_equal(om_executor_open(&x, w->m, OM_EXEC_VM, &w->flag, 1), OM_OK);
    const om_product_spec spec = {
        .executor = x, .automaton = w->a, .deadlock_ap = OM_NONE, .workers = 1
    };
    memcpy(vector, om_model_initial(w->m), om_model_words(w->m) * sizeof *vector);
    assert_int_equal(evidence_extract(w->ctx, &spec, vector, &w->l), OM_OK);
    om_executor_close(x);
    assert_int_equal(om_lasso_vectors(&w->l, w->m), OM_OK);
    w->obligation =
        (om_obligation){ .model = w->m, .forbidden = w->a, .aps = &w->flag, .ap_count = 1 };
    w->json.heap = om_heap_default();
    assert_int_equal(om_lasso_write(&w->l, w->m, "json",
                         &(om_lasso_style){ .property = "ltl=\"quoted\" \x01 \xff" }, &w->json),
        OM_OK);
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    om_text_free(&w->json);
    om_lasso_free(&w->l);
    om_automaton_free(w->a);
    om_model_free(w->m);
    om_context_free(w->ctx);
    free(w);
    return 0;
}

/* Reads and replays a lasso. */
static int judge(const world *w, const char *text, size_t length)
{
    om_lasso l = { 0 };
    int rc = om_lasso_read(&l, w->ctx, w->m, "l.json", text, length, NULL);
    if (rc == OM_OK)
        rc = om_lasso_replay(w->ctx, &l, &w->obligation);
    om_lasso_free(&l);
    return rc;
}

static void written_is_read(void **state)
{
    const world *w = *state;
    om_lasso l = { 0 };
    char *property = NULL;
    assert_int_equal(
        om_lasso_read(&l, w->ctx, w->m, "l.json", w->json.text, w->json.length, &property), OM_OK);
    assert_int_equal(l.count, w->l.count);
    assert_int_equal(l.loop, w->l.loop);
    assert_int_equal(l.words, w->l.words);
    assert_memory_equal(l.transitions, w->l.transitions, l.count * sizeof *l.transitions);
    assert_memory_equal(l.vectors, w->l.vectors, l.count * l.words * sizeof *l.vectors);
    assert_string_equal(property, "ltl=\"quoted\" \x01 \xef\xbf\xbd");
    assert_int_equal(om_lasso_replay(w->ctx, &l, &w->obligation), OM_OK);
    om_free(om_heap_default(), property);
    om_lasso_free(&l);
}

static void finite_traces_too(void **state)
{
    const world *w = *state;
    om_lasso trace = { 0 }, back = { 0 };
    om_text out = { .heap = om_heap_default() };
    const om_obligation obligation = { .model = w->m, .deadlock = true };
    assert_int_equal(om_lasso__trace(&trace, w->ctx, w->m, NULL, 0), OM_OK);
    assert_int_equal(om_lasso_write(&trace, w->m, "json", NULL, &out), OM_OK);
    assert_int_equal(
        om_lasso_read(&back, w->ctx, w->m, "t.json", out.text, out.length, NULL), OM_OK);
    assert_int_equal(back.loop, OM_NO_LOOP);
    assert_int_equal(om_lasso_replay(w->ctx, &back, &obligation), OM_OK);
    om_lasso_free(&back);
    om_lasso_free(&trace);
    om_text_free(&out);
}

/* A file is read piece by piece; tokens that cross the end of a piece are joined. */
static void files_are_read_piece_by_piece(void **state)
{
    enum { PIECE = 1 << 16 };
    const world *w = *state;
    char path[] = "/tmp/omen-lasso-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t before = PIECE - w->json.length; before < PIECE; before += 7) {
        om_lasso l = { 0 };
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        assert_true(fprintf(f, "{%*s%s", (int) before, "", w->json.text + 1) > 0);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(om_lasso_read_file(&l, w->ctx, w->m, path, NULL), OM_OK);
        assert_int_equal(l.count, w->l.count);
        assert_int_equal(l.loop, w->l.loop);
        assert_memory_equal(l.vectors, w->l.vectors, l.count * l.words * sizeof *l.vectors);
        om_lasso_free(&l);
    }
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(om_lasso_read_file(NULL, w->ctx, w->m, path, NULL), OM_EIO);
    om_context_clear(w->ctx);
}

/* A file with many states is read in little more memory than the lasso takes. */
static void long_files_take_little(void **state)
{
    enum { STATES = 20000 };
    const world *w = *state;
    om_context *ctx = NULL;
    test_heap h;
    om_lasso again = { 0 }, l = { .heap = om_heap_default(), .words = w->l.words };
    char path[] = "/tmp/omen-lasso-XXXXXX";
    om_text text = { .heap = om_heap_default() };
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    l.count = STATES;
    l.vectors = calloc(STATES, l.words * sizeof *l.vectors);
    l.transitions = calloc(STATES, sizeof *l.transitions);
    assert_int_equal(
        om_lasso_write(&l, w->m, "json", &(om_lasso_style){ .one_line = true }, &text), OM_OK);
    assert_int_equal(write(fd, text.text, text.length), text.length);
    test_heap_init(&h, SIZE_MAX);
    assert_int_equal(om_context_new(&ctx, &h.heap), OM_OK);
    assert_int_equal(om_lasso_read_file(&again, ctx, w->m, path, NULL), OM_OK);
    assert_int_equal(again.count, STATES);
    assert_true(h.peak < 4 * (size_t) STATES * (l.words + 1) * 4 + ((size_t) 4 << 16));
    om_lasso_free(&again);
    om_context_free(ctx);
    assert_int_equal(h.live, 0);
    free(l.vectors);
    free(l.transitions);
    om_text_free(&text);
    close(fd);
    assert_int_equal(unlink(path), 0);
}

static size_t judged; /* number of tested documents */

/* The changed document must be rejected with a message. */
static void refuse(const world *w, const json_t *root)
{
    char *text = json_dumps(root, JSON_ENCODE_ANY);
    assert_non_null(text);
    int rc = judge(w, text, strlen(text));
    if (rc != OM_EINPUT)
        fail_msg("accepted (%d): %s", rc, text);
    assert_string_not_equal(om_context_error(w->ctx), "");
    om_context_clear(w->ctx);
    free(text);
    judged++;
}

/* Values of other kinds, and the nearest ones of the same kind. */
static json_t *other_value(const json_t *v, int which)
{
    enum { VALUES = 14 };
    json_t *values[VALUES] = { json_null(), json_true(), json_false(), json_integer(0),
        json_integer(-1), json_integer(70000), json_real(1.0), json_string(""), json_array(),
        json_object(), json_is_integer(v) ? json_integer(json_integer_value(v) + 1) : NULL,
        json_is_integer(v) ? json_integer(json_integer_value(v) + ((json_int_t) 1 << 32)) : NULL,
        json_is_string(v) ? json_sprintf("%sx", json_string_value(v)) : NULL,
        json_is_string(v) ? json_string("busy") : NULL };
    json_t *chosen = NULL;
    for (int i = 0; i < VALUES; i++) {
        if (i == which && values[i] != NULL && !json_equal(values[i], v))
            chosen = json_incref(values[i]);
        json_decref(values[i]);
    }
    return chosen;
}

enum { OTHERS = 14 };

static void mutate(const world *w, const json_t *root, json_t *at);

static void mutate_object(const world *w, const json_t *root, json_t *at)
{
    json_t *copy = json_copy(at), *value;
    const char *key;
    json_object_foreach(copy, key, value)
    {
        /* The caller judges the property; any text is accepted. */
        bool free_text = strcmp(key, "property") == 0;
        for (int k = 0; k < OTHERS && !free_text; k++) {
            json_t *other = other_value(value, k);
            if (other == NULL)
                continue;
            json_object_set_new(at, key, other);
            refuse(w, root);
        }
        /* Lassos of earlier versions do not contain the form of the model or the list of variables
         * that are locations. */
        json_object_del(at, key);
        if (strcmp(key, "reset_dead") != 0 && strcmp(key, "overflow") != 0 &&
            strcmp(key, "locations") != 0)
            refuse(w, root);
        json_object_set(at, key, value);
        mutate(w, root, value);
    }
    json_decref(copy);
    json_object_set_new(at, "more", json_integer(1));
    refuse(w, root);
    json_object_del(at, "more");
}

static void mutate_array(const world *w, const json_t *root, json_t *at)
{
    size_t n = json_array_size(at);
    for (size_t i = 0; i < n; i++) {
        json_t *value = json_incref(json_array_get(at, i));
        for (int k = 0; k < OTHERS; k++) {
            json_t *other = other_value(value, k);
            if (other == NULL)
                continue;
            json_array_set_new(at, i, other);
            refuse(w, root);
        }
        json_array_set(at, i, value);
        json_array_remove(at, i);
        refuse(w, root);
        json_array_insert(at, i, value);
        json_array_insert(at, i, value);
        refuse(w, root);
        json_array_remove(at, i);
        mutate(w, root, value);
        json_decref(value);
    }
}

static void mutate(const world *w, const json_t *root, json_t *at)
{
    if (json_is_object(at))
        mutate_object(w, root, at);
    else if (json_is_array(at))
        mutate_array(w, root, at);
}

static void every_change_is_refused(void **state)
{
    const world *w = *state;
    json_t *root = json_loadb(w->json.text, w->json.length, 0, NULL);
    assert_non_null(root);
    judged = 0;
    mutate(w, root, root);
    assert_true(judged > 500);
    char *text = json_dumps(root, 0);
    assert_int_equal(judge(w, text, strlen(text)), OM_OK);
    free(text);
    json_decref(root);
}

/* A lasso of an earlier version. */
static void no_word_on_the_form(void **state)
{
    const world *w = *state;
    json_t *root = json_loadb(w->json.text, w->json.length, 0, NULL);
    assert_int_equal(json_object_del(json_object_get(root, "#meta"), "reset_dead"), 0);
    assert_int_equal(json_object_del(json_object_get(root, "#meta"), "overflow"), 0);
    char *text = json_dumps(root, 0);
    assert_non_null(text);
    assert_int_equal(judge(w, text, strlen(text)), OM_OK);
    free(text);
    json_decref(root);
}

static void every_piece_alone_is_refused(void **state)
{
    const world *w = *state;
    for (size_t n = 0; n + 2 < w->json.length; n++) {
        assert_int_equal(judge(w, w->json.text, n), OM_EINPUT);
        assert_memory_equal(om_context_error(w->ctx), "l.json:", 7);
        om_context_clear(w->ctx);
    }
}

static void messages_name_the_place(void **state)
{
    const world *w = *state;
    static const char text[] = "{\n  \"#meta\": {,}\n}";
    assert_int_equal(judge(w, text, sizeof text - 1), OM_EINPUT);
    assert_memory_equal(om_context_error(w->ctx), "l.json:2:", 9);
    om_context_clear(w->ctx);
    static const char twice[] = "{\"#meta\": 1, \"#meta\": 1}";
    assert_int_equal(judge(w, twice, sizeof twice - 1), OM_EINPUT);
    om_context_clear(w->ctx);
}

/* Formats have names, which are also file suffixes. */
static void formats_have_names(void **state)
{
    const world *w = *state;
    size_t count = 0;
    const char *const *names = om_lasso_formats(&count);
    assert_true(count >= 2);
    assert_string_equal(names[0], "txt");
    for (size_t i = 0; i < count; i++) {
        om_text out = { .heap = om_heap_default() }, file = out;
        om_text_printf(&file, "dir.x/run.%s", names[i]);
        assert_ptr_equal(om_lasso_format_of(file.text), names[i]);
        assert_int_equal(om_lasso_write(&w->l, w->m, names[i], NULL, &out), OM_OK);
        assert_true(out.length > 0);
        om_text_free(&out);
        om_text_free(&file);
    }
    om_text none = { .heap = om_heap_default() };
    assert_null(om_lasso_format_of("json"));
    assert_null(om_lasso_format_of(".json"));
    assert_null(om_lasso_format_of("run.json.bak"));
    assert_int_equal(om_lasso_write(&w->l, w->m, "bak", NULL, &none), OM_EINVAL);
    assert_int_equal(none.length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(written_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(finite_traces_too, setup, teardown),
        cmocka_unit_test_setup_teardown(files_are_read_piece_by_piece, setup, teardown),
        cmocka_unit_test_setup_teardown(long_files_take_little, setup, teardown),
        cmocka_unit_test_setup_teardown(every_change_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(no_word_on_the_form, setup, teardown),
        cmocka_unit_test_setup_teardown(every_piece_alone_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(messages_name_the_place, setup, teardown),
        cmocka_unit_test_setup_teardown(formats_have_names, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
