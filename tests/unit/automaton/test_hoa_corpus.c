/* SPDX-License-Identifier: Apache-2.0 */
/* Every HOA file of the corpus is read, written and read again, or rejected with a location. */
#include <omen/plugin/automaton.h>

#include "context.h"
#include "corpus.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* The properties that these files and the written texts declare are true. */
static void on_note(void *self, om_note_level level, const char *text)
{
    (void) self;
    (void) level;
    fail_msg("%s", text);
}

/* An automaton is unchanged after writing and reading. */
static void check_round_trip(om_context *ctx, const om_automaton *a, const char *path)
{
    om_text t = { .heap = om_heap_default() }, u = { .heap = om_heap_default() };
    om_automaton *b = NULL;
    assert_int_equal(om_hoa_write(a, &t), OM_OK);
    if (om_hoa_read(&b, ctx, path, t.text, t.length, 0) != OM_OK)
        fail_msg("written again: %s", om_context_error(ctx));
    /* Labels are written as cubes, which are equal for equal labels. Texts can therefore be
     * compared if they are complete; the rest checks that. */
    assert_int_equal(om_hoa_write(b, &u), OM_OK);
    assert_string_equal(t.text, u.text);
    size_t n = 0, m = 0;
    const om_acc *f = om_automaton_acceptance(a, &n), *g = om_automaton_acceptance(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(f, g, n * sizeof *f);
    assert_int_equal(om_automaton_state_count(a), om_automaton_state_count(b));
    assert_int_equal(om_automaton_initial_count(a), om_automaton_initial_count(b));
    for (uint32_t i = 0; i < om_automaton_initial_count(a); i++)
        assert_int_equal(om_automaton_initial(a, i), om_automaton_initial(b, i));
    for (uint32_t i = 0; i < om_automaton_ap_count(a); i++)
        assert_string_equal(om_automaton_ap(a, i), om_automaton_ap(b, i));
    for (uint32_t s = 0; s < om_automaton_state_count(a); s++) {
        uint32_t x = 0, y = 0;
        const om_edge *e = om_automaton_edges(a, s, &x), *h = om_automaton_edges(b, s, &y);
        assert_int_equal(x, y);
        for (uint32_t i = 0; i < x; i++) {
            assert_int_equal(e[i].dst, h[i].dst);
            assert_int_equal(e[i].marks, h[i].marks);
            assert_int_equal(e[i].cube_count, h[i].cube_count);
            assert_memory_equal(&om_automaton_cubes(a)[e[i].cube_begin],
                &om_automaton_cubes(b)[h[i].cube_begin], e[i].cube_count * sizeof(om_cube));
        }
    }
    om_automaton_free(b);
    om_text_free(&t);
    om_text_free(&u);
}

/* Reads one file. valid: expected outcome. */
static void check_file(om_context *ctx, const char *path, bool valid, const char *reason)
{
    om_automaton *a = NULL;
    unsigned line = 0, column = 0;
    om_context_clear(ctx);
    int rc = om_hoa_read_file(&a, ctx, path, 0);
    const char *message = om_context_error(ctx);
    if (valid != (rc == OM_OK))
        fail_msg("%s: %d %s", path, rc, message);
    if (valid) {
        check_round_trip(ctx, a, path);
    } else {
        assert_memory_equal(message, path, strlen(path));
        assert_int_equal(sscanf(message + strlen(path), ":%u:%u: ", &line, &column), 2);
        assert_true(line > 0 && column > 0);
        if (strstr(message, reason) == NULL)
            fail_msg("%s: not refused because of %s", message, reason);
    }
    om_automaton_free(a);
    om_context_clear(ctx);
}

static bool ends_in_hoa(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".hoa") == 0;
}

/* Calls check_file() for each .hoa file of a folder. Returns their number. */
static uint32_t check_folder(om_context *ctx, const char *folder)
{
    DIR *dir = opendir(folder);
    uint32_t count = 0;
    if (dir == NULL)
        fail_msg("cannot open %s", folder);
    for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
        char path[1024], *text = NULL;
        size_t length = 0;
        if (!ends_in_hoa(d->d_name))
            continue;
        (void) snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        assert_int_equal(om_read_file(ctx, path, 1 << 24, &text, &length), OM_OK);
        bool alternating = strcmp(d->d_name, "aut11.hoa") == 0;
        bool valid = length > 0 && !alternating && strstr(text, "HOA-TEST: INVALID") == NULL;
        check_file(ctx, path, valid, alternating ? "alternating" : "");
        om_free(om_heap_default(), text);
        count++;
    }
    (void) closedir(dir);
    return count;
}

static void conformance_files(void **state)
{
    static const char *const folders[] = { "format-spec-v1", "syntax", "acceptance" };
    uint32_t count = 0;
    char path[1024];
    for (size_t i = 0; i < 3; i++) {
        (void) snprintf(path, sizeof path, "%s/hoa/%s", corpus_folder(), folders[i]);
        count += check_folder(*state, path);
    }
    assert_int_equal(count, 53);
}

static void automata_of_experiments(void **state)
{
    static const char *const folders[] = { "rabin-sttt", "petri" };
    uint32_t count = 0;
    char path[1024];
    for (size_t i = 0; i < 2; i++) {
        (void) snprintf(path, sizeof path, "%s/%s", corpus_folder(), folders[i]);
        DIR *dir = opendir(path);
        assert_non_null(dir);
        for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
            char inner[2048];
            (void) snprintf(inner, sizeof inner, "%s/%s", path, d->d_name);
            if (d->d_name[0] != '.' && strstr(d->d_name, ".csv") == NULL)
                count += check_folder(*state, inner);
        }
        (void) closedir(dir);
    }
    assert_int_equal(count, 2247);
}

static int set_up(void **state)
{
    int rc = context_set_up(state);
    if (rc == OM_OK)
        om_context_on_note(*state, on_note, NULL);
    return rc;
}

int main(void)
{
    if (corpus_folder() == NULL)
        return 77;
    const struct CMUnitTest tests[] = { cmocka_unit_test(conformance_files),
        cmocka_unit_test(automata_of_experiments) };
    return cmocka_run_group_tests(tests, set_up, context_tear_down);
}
