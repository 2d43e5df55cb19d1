/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN's own never claims (spin -f), compared with the built-in translator and the evaluator on
 * words. */
#include "translating.h"

#include <sys/wait.h>

enum { FORMULAS = 100, WORDS = 60, MOST = 8 };

/* Gets spin's output for the formula; the caller frees it. Returns false if spin takes more than 5
 * seconds. */
static bool run_spin(const om_ltl *l, om_ltl_ref f, om_text *out)
{
    om_text command = { .heap = om_heap_default() };
    char piece[4096];
    size_t n;
    om_text_add(&command, "timeout 5 spin -f '(");
    assert_int_equal(om_ltl_print_as(l, f, OM_LTL_SPIN, &command), OM_OK);
    om_text_add(&command, ")'");
    FILE *pipe = popen(command.text, "r");
    assert_non_null(pipe);
    while ((n = fread(piece, 1, sizeof piece, pipe)) > 0)
        om_text_add_n(out, piece, n);
    int status = pclose(pipe);
    if (status != 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 124))
        fail_msg("%s: %s", command.text, out->text);
    om_text_free(&command);
    return status == 0;
}

/* Maps a label to the claim's propositions, in its order. */
static om_label label_for(const om_ltl *l, const om_automaton *a, om_label label)
{
    om_label out = 0;
    for (uint32_t i = 0; i < om_automaton_ap_count(a); i++)
        for (uint32_t k = 0; k < om_ltl_ap_count(l); k++)
            if (strcmp(om_automaton_ap(a, i), om_ltl_ap_name(l, k)) == 0)
                out |= (label >> k & 1) << i;
    return out;
}

static void compare_words(session *s, const om_ltl *l, om_ltl_ref f, const om_automaton *claim)
{
    om_label labels[MOST], same[MOST];
    for (unsigned i = 0; i < WORDS; i++, s->words++) {
        size_t n, loop;
        bool holds, accepted;
        random_word(&s->random, om_ltl_ap_count(l), MOST, labels, &n, &loop);
        for (size_t k = 0; k < n; k++)
            same[k] = label_for(l, claim, labels[k]);
        assert_int_equal(om_ltl_holds_on_lasso(l, f, labels, n, loop, &holds), OM_OK);
        assert_int_equal(
            om_automaton_accepts_lasso(claim, s->ctx, same, n, loop, &accepted), OM_OK);
        if (holds != accepted)
            blame(l, f, "SPIN's claim is another on a word");
    }
}

static void compare(session *s, om_ltl *l, om_ltl_ref f)
{
    om_text t = { .heap = om_heap_default() };
    om_automaton *claim = NULL, *again = NULL;
    if (!run_spin(l, f, &t)) {
        s->too_large++;
        om_text_free(&t);
        return;
    }
    if (om_automaton_read(&claim, s->ctx, "claim", t.text, t.length, 0) != OM_OK)
        fail_msg("%s\n%s", om_context_error(s->ctx), t.text);
    om_automaton *no = session_translate(s, l, om_ltl_make(l, OM_LTL_NOT, f, 0));
    assert_non_null(no);
    check_disjoint(s, l, f, claim, no);
    compare_words(s, l, f, claim);
    /* The same for the claim as written by the library. */
    om_text_free(&t);
    assert_int_equal(om_never_write(claim, s->ctx, &t), OM_OK);
    assert_int_equal(om_automaton_read(&again, s->ctx, "again", t.text, t.length, 0), OM_OK);
    check_disjoint(s, l, f, again, no);
    compare_words(s, l, f, again);
    om_automaton_free(again);
    om_automaton_free(no);
    om_automaton_free(claim);
    om_text_free(&t);
    s->formulas++;
}

/* Debian's spin is built without X. */
static bool has_next(const om_ltl *l, om_ltl_ref f)
{
    for (om_ltl_ref g = 1; g <= f; g++)
        if (om_ltl_operator(l, g) == OM_LTL_NEXT)
            return true;
    return false;
}

static void random_formulas(void **state)
{
    session s;
    (void) state;
    session_start(&s, 3);
    while (s.formulas < FORMULAS) {
        om_ltl *l = NULL;
        assert_int_equal(om_ltl_new(&l, s.ctx), OM_OK);
        om_ltl_ref f =
            random_formula(l, &s.random, 1 + (unsigned) om_random_below(&s.random, 4), 3);
        if (!has_next(l, f))
            compare(&s, l, f);
        om_ltl_free(l);
    }
    print_message(
        "%zu formulas, %zu words; %zu too large for spin\n", s.formulas, s.words, s.too_large);
    assert_true(s.too_large < FORMULAS / 10);
    session_end(&s);
}

int main(void)
{
    if (system("command -v spin timeout cpp > /dev/null 2>&1") != 0)
        return 77;
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_formulas) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
