/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in translator on the corpus: pattern formulas, compared with their negations, and
 * properties of models, compared with automata of their negations by other tools. */
#include "translating.h"

#include "corpus.h"

#include <glob.h>

static void each_line(session *s, const char *path, void (*fn)(session *, const char *, size_t))
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(om_read_file(s->ctx, path, 1 << 20, &text, &length), OM_OK);
    for (char *line = text; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        if (n > 0)
            fn(s, line, n);
        line += n + (line[n] == '\n');
    }
    om_free(om_context_heap(s->ctx), text);
}

static glob_t find_files(const char *pattern)
{
    char path[4096];
    glob_t found;
    (void) snprintf(path, sizeof path, "%s/%s", corpus_folder(), pattern);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    return found;
}

static om_ltl_ref read_formula(session *s, om_ltl *l, const char *text, size_t length)
{
    om_ltl_ref f = 0;
    if (om_ltl_parse(l, "corpus", text, length, &f) != OM_OK)
        fail_msg("%.*s: %s", (int) length, text, om_context_error(s->ctx));
    return f;
}

static void check_pattern(session *s, const char *text, size_t length)
{
    om_ltl *l = NULL;
    assert_int_equal(om_ltl_new(&l, s->ctx), OM_OK);
    if (!check_formula(s, l, read_formula(s, l, text, length), 100))
        print_message("too large: %.*s\n", (int) length, text);
    om_ltl_free(l);
}

static void patterns(void **state)
{
    session s;
    glob_t found = find_files("ltl/*.ltl");
    (void) state;
    session_start(&s, 21);
    for (size_t i = 0; i < found.gl_pathc; i++)
        each_line(&s, found.gl_pathv[i], check_pattern);
    globfree(&found);
    print_message("%zu formulas and their negations, %zu words, %zu states; %zu too large\n",
        s.formulas, s.words, s.states, s.too_large);
    assert_int_equal(s.formulas + s.too_large, 280);
    assert_true(s.too_large <= 5);
    session_end(&s);
}

/* Maps labels over the arena's APs to labels over those of an automaton, by name. */
static void rename_labels(
    const om_ltl *l, const om_automaton *a, const om_label *from, size_t n, om_label *to)
{
    memset(to, 0, n * sizeof *to);
    for (uint32_t i = 0; i < om_automaton_ap_count(a); i++) {
        uint32_t k = 0;
        while (k < om_ltl_ap_count(l) && strcmp(om_ltl_ap_name(l, k), om_automaton_ap(a, i)) != 0)
            k++;
        if (k == om_ltl_ap_count(l))
            fail_msg("no AP of the formula is called %s", om_automaton_ap(a, i));
        for (size_t j = 0; j < n; j++)
            to[j] |= (from[j] >> k & 1) << i;
    }
}

/* `theirs` and `ours` must accept exactly the words that do not satisfy f. */
static void compare_on_words(session *s, const om_ltl *l, om_ltl_ref f, const om_automaton *ours,
    const om_automaton *theirs, unsigned count)
{
    enum { MOST = 8 };
    om_label labels[MOST], renamed[MOST];
    for (unsigned i = 0; i < count; i++, s->words++) {
        size_t n, loop;
        bool holds, in_ours, in_theirs;
        random_word(&s->random, om_ltl_ap_count(l), MOST, labels, &n, &loop);
        rename_labels(l, theirs, labels, n, renamed);
        assert_int_equal(om_ltl_holds_on_lasso(l, f, labels, n, loop, &holds), OM_OK);
        assert_int_equal(
            om_automaton_accepts_lasso(ours, s->ctx, labels, n, loop, &in_ours), OM_OK);
        assert_int_equal(
            om_automaton_accepts_lasso(theirs, s->ctx, renamed, n, loop, &in_theirs), OM_OK);
        if (in_ours == holds || in_theirs == holds)
            blame(l, f, in_ours == holds ? "our automaton is wrong" : "their automaton differs");
    }
}

typedef struct sizes {
    size_t pairs, ours, theirs, our_edges, their_edges, larger, smaller, much_larger;
} sizes;

static void compare(session *s, const char *formula, const char *automaton, sizes *z)
{
    char *text = NULL;
    size_t length = 0;
    om_ltl *l = NULL;
    om_automaton *theirs = NULL;
    assert_int_equal(om_ltl_new(&l, s->ctx), OM_OK);
    assert_int_equal(om_read_file(s->ctx, formula, 1 << 20, &text, &length), OM_OK);
    if (om_hoa_read_file(&theirs, s->ctx, automaton, 0) != OM_OK)
        fail_msg("%s", om_context_error(s->ctx));
    om_ltl_ref f = read_formula(s, l, text, length);
    om_automaton *yes = session_translate(s, l, f);
    om_automaton *no = session_translate(s, l, om_ltl_make(l, OM_LTL_NOT, f, 0));
    assert_non_null(yes);
    assert_non_null(no);
    check_disjoint(s, l, f, yes, no);
    check_disjoint(s, l, f, yes, theirs);
    check_own_word(s, l, om_ltl_make(l, OM_LTL_NOT, f, 0), no);
    compare_on_words(s, l, f, no, theirs, 50);
    size_t our_states = om_automaton_state_count(no), states = om_automaton_state_count(theirs);
    z->pairs++;
    z->ours += our_states;
    z->theirs += states;
    z->larger += our_states > states;
    z->smaller += our_states < states;
    z->much_larger += our_states > states + 2;
    z->our_edges += om_automaton_edge_count(no);
    z->their_edges += om_automaton_edge_count(theirs);
    if (getenv("OMEN_TEST_VERBOSE") != NULL && our_states != states)
        print_message("%s: %zu states, theirs %zu\n", automaton, our_states, states);
    om_automaton_free(yes);
    om_automaton_free(no);
    om_automaton_free(theirs);
    om_free(om_context_heap(s->ctx), text);
    om_ltl_free(l);
}

static void models(void **state)
{
    session s;
    sizes z = { 0 };
    glob_t found = find_files("rabin-sttt/*/*_tgba.hoa");
    (void) state;
    session_start(&s, 22);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *automaton = found.gl_pathv[i];
        char formula[4096];
        (void) snprintf(formula, sizeof formula, "%.*s.ltl",
            (int) (strlen(automaton) - strlen("_tgba.hoa")), automaton);
        compare(&s, formula, automaton, &z);
    }
    globfree(&found);
    print_message("%zu automata: %zu states and %zu edges; theirs %zu and %zu; ours larger %zu, "
                  "smaller %zu times; %zu words\n",
        z.pairs, z.ours, z.our_edges, z.theirs, z.their_edges, z.larger, z.smaller, s.words);
    assert_true(z.pairs > 500);
    assert_true(z.ours <= z.theirs);
    assert_true(z.our_edges <= z.their_edges);
    assert_true(z.much_larger * 100 <= z.pairs * 3);
    session_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(patterns), cmocka_unit_test(models) };
    if (corpus_folder() == NULL)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
