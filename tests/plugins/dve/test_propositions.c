/* SPDX-License-Identifier: Apache-2.0 */
/* Propositions over a model's names, as used on the command line, in formulas and in automata */
#include "corpus.h"
#include "fixture.h"

#include <dirent.h>
#include <stdlib.h>

static const char MODEL[] =
    "byte x = 3, t[3] = {4, 5, 6}; const byte K = 7; channel c;\n"
    "process Person_1 { byte at_floor = 2; int w[2] = {-1, -2}; state NCS, CS; init NCS; }\n"
    "process L { state s; init s; }\n"
    "system async property L;\n";

static const struct {
    const char *text;
    bool value;
} RIGHT[] = {
    { "x", true },
    { "x == 3 && K == 7", true },
    { "x+1<=3", false },
    { "t[1]==5", true },
    { "t\\[1\\]!=5", false },
    { "t[x-1]==6", true },
    { "Person_1.NCS", true },
    { "Person_1.CS", false },
    { "Person_1\\.NCS", true },
    { "Person_1.at_floor != 0", true },
    { "Person_1\\.at_floor!=0", true },
    { "Person_1->at_floor==2", true },
    { "Person_1.w[1] == -2", true },
    { "Person_1->w\\[0\\] == -1", true },
    { "Person_1=='NCS'", true },
    { "Person_1==\"NCS\"", true },
    { "Person_1!=\"NCS\"", false },
    { "Person_1 != 'CS'", true },
    { "'CS' == Person_1", false },
    { "\"CS\" != Person_1", true },
    { "not (Person_1=='CS' or x > 3)", true },
    { "t", true },
    { "t == 4 && t != t[1]", true },
    { "Person_1.w == -1 && Person_1->w < 0", true },
    { "!(Person_1=='NCS')", false },
    { "x == 3 imply t[0] == 0", false },
    { "true", true },
    { "0", false },
};

static const struct {
    const char *text, *message;
} WRONG[] = {
    { "", "AP:1:1: expected an expression, found the end" },
    { "x ==", "AP:1:5: expected an expression, found the end" },
    { "x == 3)", "AP:1:7: expected the end of the expression, found \")\"" },
    { "y == 3", "AP:1:1: unknown variable \"y\"; did you mean \"x\"?" },
    { "at_floor", "AP:1:1: unknown variable \"at_floor\"" },
    { "Person_2.CS", "AP:1:1: unknown process \"Person_2\"; did you mean \"Person_1\"?" },
    { "Person_1.NCZ", "AP:1:10: unknown state or variable \"NCZ\"; did you mean \"NCS\"?" },
    { "Person_1=='NCZ'", "AP:1:11: unknown state \"NCZ\"; did you mean \"NCS\"?" },
    { "Person_1=='at_floor'", "AP:1:11: unknown state \"at_floor\"" },
    { "Person_1<'CS'", "AP:1:10: the state 'CS' can only be compared with a process" },
    { "x=='CS'", "AP:1:1: \"x\" is not a process" },
    { "t[1]=='CS'", "AP:1:7: the state 'CS' can only be compared with a process" },
    { "'CS'", "AP:1:1: the state 'CS' can only be compared with a process" },
    { "'CS'=='CS'", "AP:1:7: the state 'CS' can only be compared with a process" },
    { "'CS", "AP:1:1: this quotation is never closed: \"'CS\"" },
    { "Person_1", "AP:1:1: \"Person_1\" is a process, which has no value; \"Person_1.STATE\" tests "
                  "its state" },
    { "L.s", "AP:1:3: \"L\" is the property process, which is not part of the system" },
    { "c", "AP:1:1: \"c\" is a channel, not a variable" },
};

/* Checks all values at once: the labels of the initial state. */
static void right(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, MODEL);
    enum { N = sizeof RIGHT / sizeof *RIGHT };
    om_expr aps[N];
    om_executor *x = NULL;
    om_fault fault = 0;
    uint32_t row[16];
    for (size_t i = 0; i < N; i++)
        assert_int_equal(f->dve->expression(m, "AP", RIGHT[i].text, &aps[i]), OM_OK);
    assert_int_equal(om_executor_open(&x, m, OM_EXEC_VM, aps, N), OM_OK);
    assert_true(x->words <= 16);
    x->initial(x, row);
    uint64_t labels = x->labels(x, row, &fault);
    assert_int_equal(fault, 0);
    for (size_t i = 0; i < N; i++) {
        if ((labels >> i & 1) != RIGHT[i].value)
            print_message("%s\n", RIGHT[i].text);
        assert_int_equal(labels >> i & 1, RIGHT[i].value);
    }
    om_executor_close(x);
    om_model_free(m);
}

/* An array without an index: one warning for each place, with its position */
static void arrays_without_an_index(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, MODEL);
    om_expr e = 0, same = 0;
    assert_int_equal(f->dve->expression(m, "AP", "x < t && Person_1.w < t", &e), OM_OK);
    assert_int_equal(f->dve->expression(m, "AP", "x < t[0] && Person_1.w[0] < t[0]", &same), OM_OK);
    assert_int_equal(e, same);
    assert_int_equal(f->warnings, 3);
    assert_string_equal(
        f->warning, "AP:1:23: \"t\" is an array and has no index here; its element 0 is used");
    om_model_free(m);
}

static void wrong(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, MODEL);
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        om_expr e = 0;
        om_context_clear(f->ctx);
        assert_int_equal(f->dve->expression(m, "AP", WRONG[i].text, &e), OM_EINPUT);
        assert_string_equal(om_context_error(f->ctx), WRONG[i].message);
    }
    om_model_free(m);
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t n = strlen(name), k = strlen(suffix);
    return n >= k && strcmp(name + n - k, suffix) == 0;
}

static char *read_text(fixture *f, const char *folder, const char *name)
{
    char path[1024];
    char *text = NULL;
    size_t length = 0;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(n > 0 && (size_t) n < sizeof path);
    assert_int_equal(om_read_file(f->ctx, path, (size_t) 1 << 26, &text, &length), OM_OK);
    assert_non_null(text);
    return text;
}

/* Checks the names on an automaton's line AP: N "..." "...", in which quotes are escaped. */
static unsigned check_aps(fixture *f, om_model *m, const char *hoa)
{
    unsigned seen = 0;
    const char *s = strstr(hoa, "\nAP:");
    while (s != NULL && (s = strpbrk(s + 1, "\"\n")) != NULL && *s == '"') {
        char name[512];
        size_t n = 0;
        for (s++; *s != '"' && *s != '\0' && n + 1 < sizeof name; s++)
            if (*s != '\\' || s[1] != '"')
                name[n++] = *s;
        name[n] = '\0';
        om_expr e = 0;
        if (f->dve->expression(m, name, name, &e) != OM_OK) {
            print_message("%s\n", om_context_error(f->ctx));
            fail();
        }
        seen++;
    }
    return seen;
}

/* Every proposition of the published automata has a meaning in its model. */
static void of_the_corpus(void **state)
{
    fixture *f = *state;
    const char *corpus = corpus_folder();
    char folder[512], sub[1024];
    unsigned models = 0, seen = 0;
    if (corpus == NULL)
        skip();
    (void) snprintf(folder, sizeof folder, "%s/rabin-sttt", corpus);
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.' || has_suffix(e->d_name, ".csv"))
            continue;
        char name[300];
        (void) snprintf(sub, sizeof sub, "%s/%s", folder, e->d_name);
        (void) snprintf(name, sizeof name, "%s.dve", e->d_name);
        char *text = read_text(f, sub, name);
        om_model *m = fixture_load(f, text);
        om_free(om_context_heap(f->ctx), text);
        DIR *inner = opendir(sub);
        for (struct dirent *h; inner != NULL && (h = readdir(inner)) != NULL;) {
            if (!has_suffix(h->d_name, "_tgba.hoa"))
                continue;
            char *hoa = read_text(f, sub, h->d_name);
            seen += check_aps(f, m, hoa);
            om_free(om_context_heap(f->ctx), hoa);
        }
        if (inner != NULL)
            (void) closedir(inner);
        om_model_free(m);
        models++;
    }
    if (d != NULL)
        (void) closedir(d);
    print_message("%u models, %u propositions\n", models, seen);
    assert_int_equal(models, 6);
    assert_true(seen > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right),
        cmocka_unit_test(arrays_without_an_index),
        cmocka_unit_test(wrong),
        cmocka_unit_test(of_the_corpus),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
