/* SPDX-License-Identifier: Apache-2.0 */
/* Every formula of the corpus is read, and reads back from its own printed form. */
#include <omen/plugin/ltl.h>

#include "corpus.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void check_line(om_context *ctx, const char *path, const char *line, size_t length)
{
    om_ltl *l = NULL;
    om_ltl_ref f = 0, again = 0;
    om_text t = { .heap = om_heap_default() };
    assert_int_equal(om_ltl_new(&l, ctx), OM_OK);
    if (om_ltl_parse(l, path, line, length, &f) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    assert_int_equal(om_ltl_print(l, f, &t), OM_OK);
    if (om_ltl_parse(l, path, t.text, t.length, &again) != OM_OK || f != again)
        fail_msg("%s: %s does not read back: %s", path, t.text, om_context_error(ctx));
    om_text_free(&t);
    om_ltl_free(l);
}

/* Returns the number of formulas, one per line. */
static size_t check_file(om_context *ctx, const char *path)
{
    char *text = NULL;
    size_t length = 0, count = 0;
    assert_int_equal(om_read_file(ctx, path, 1 << 20, &text, &length), OM_OK);
    for (char *line = text; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        if (n > 0) {
            check_line(ctx, path, line, n);
            count++;
        }
        line += n + (line[n] == '\n');
    }
    om_free(om_context_heap(ctx), text);
    return count;
}

static size_t check_all(const char *pattern)
{
    char path[4096];
    glob_t found;
    size_t count = 0;
    om_context *ctx = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    (void) snprintf(path, sizeof path, "%s/%s", corpus_folder(), pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        count += check_file(ctx, found.gl_pathv[i]);
    globfree(&found);
    om_context_free(ctx);
    return count;
}

static void patterns(void **state)
{
    (void) state;
    assert_int_equal(check_all("ltl/*.ltl"), 280);
}

static void beem(void **state)
{
    (void) state;
    assert_int_equal(check_all("rabin-sttt/*/*.ltl"), 599);
}

static void petri(void **state)
{
    (void) state;
    assert_int_equal(check_all("petri/*/*.ltl"), 23);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(patterns), cmocka_unit_test(beem),
        cmocka_unit_test(petri) };
    if (corpus_folder() == NULL)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
