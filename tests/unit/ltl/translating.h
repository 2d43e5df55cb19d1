/* SPDX-License-Identifier: Apache-2.0 */
/* translating.h: shared by the tests of translators: a session with the built-in one, the check of
 * a formula, and iteration over the formulas of a folder. */
#ifndef OMEN_TESTS_TRANSLATING_H
#define OMEN_TESTS_TRANSLATING_H

#include <omen/host/registry.h>
#include <omen/plugin/translate.h>

#include "formulas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct session {
    om_context *ctx;
    om_registry *registry;
    const om_translator *translator;
    om_random random;
    /* Totals. */
    size_t formulas, words, states, too_large;
} session;

static inline void session_start(session *s, uint64_t seed)
{
    const om_plugin *p = NULL;
    *s = (session){ .random = { seed } };
    assert_int_equal(om_context_new(&s->ctx, NULL), OM_OK);
    assert_int_equal(om_registry_new(&s->registry, s->ctx), OM_OK);
    if (om_registry_find(s->registry, OM_PLUGIN_TRANSLATOR, "builtin", &p) != OM_OK)
        fail_msg("%s", om_context_error(s->ctx));
    s->translator = (const om_translator *) (const void *) p;
}

static inline void session_end(session *s)
{
    om_registry_free(s->registry);
    om_context_free(s->ctx);
}

/* Returns NULL if the formula is too large, which is counted. */
static inline om_automaton *session_translate(session *s, om_ltl *l, om_ltl_ref f)
{
    om_automaton *a = NULL;
    int64_t *values = NULL;
    assert_int_equal(om_plugin_options(s->ctx, &s->translator->head, NULL, &values), OM_OK);
    int rc = s->translator->translate(s->ctx, l, f, values, &a);
    om_free(om_context_heap(s->ctx), values);
    if (rc == OM_ELIMIT) {
        s->too_large++;
        om_context_clear(s->ctx);
    } else if (rc != OM_OK)
        fail_msg("%s", om_context_error(s->ctx));
    return a;
}

static inline void blame(const om_ltl *l, om_ltl_ref f, const char *what)
{
    om_text t = { .heap = om_heap_default() };
    (void) om_ltl_print(l, f, &t);
    fail_msg("%s: %s", what, t.text);
}

/* Checks that the two automata have no word in common. */
static inline void check_disjoint(
    session *s, const om_ltl *l, om_ltl_ref f, const om_automaton *a, const om_automaton *b)
{
    om_automaton *both = NULL;
    bool empty = false;
    assert_int_equal(om_automaton_intersection(a, b, s->ctx, &both), OM_OK);
    assert_int_equal(om_automaton_empty(both, s->ctx, &empty, NULL), OM_OK);
    if (!empty)
        blame(l, f, "not disjoint from its negation");
    om_automaton_free(both);
}

/* Checks that a word of the automaton, if it has any, satisfies the formula. */
static inline void check_own_word(session *s, const om_ltl *l, om_ltl_ref f, const om_automaton *a)
{
    om_word w = { 0 };
    bool empty = false, holds = false;
    assert_int_equal(om_automaton_empty(a, s->ctx, &empty, &w), OM_OK);
    if (empty)
        return;
    assert_int_equal(om_ltl_holds_on_lasso(l, f, w.labels, w.n, w.loop, &holds), OM_OK);
    if (!holds)
        blame(l, f, "the word found in its automaton does not satisfy");
    om_free(om_context_heap(s->ctx), w.labels);
}

static inline void check_words(session *s, const om_ltl *l, om_ltl_ref f, const om_automaton *yes,
    const om_automaton *no, unsigned count)
{
    enum { MOST = 8 };
    om_label labels[MOST];
    for (unsigned i = 0; i < count; i++, s->words++) {
        size_t n, loop;
        bool holds, in_yes, in_no;
        random_word(&s->random, om_ltl_ap_count(l), MOST, labels, &n, &loop);
        assert_int_equal(om_ltl_holds_on_lasso(l, f, labels, n, loop, &holds), OM_OK);
        assert_int_equal(om_automaton_accepts_lasso(yes, s->ctx, labels, n, loop, &in_yes), OM_OK);
        assert_int_equal(om_automaton_accepts_lasso(no, s->ctx, labels, n, loop, &in_no), OM_OK);
        if (in_yes == in_no)
            blame(l, f, in_yes ? "it and its negation accept a word" : "neither accepts a word");
        if (in_yes != holds)
            blame(l, f, "the evaluator disagrees");
    }
}

/* Checks f and !f: disjoint, exhaustive on random words, and right. Returns false if one is too
 * large. */
static inline bool check_formula(session *s, om_ltl *l, om_ltl_ref f, unsigned words)
{
    om_ltl_ref not_f = om_ltl_make(l, OM_LTL_NOT, f, 0);
    om_automaton *yes = session_translate(s, l, f);
    om_automaton *no = yes == NULL ? NULL : session_translate(s, l, not_f);
    if (no != NULL) {
        assert_int_not_equal(om_automaton_acceptance_classes(yes) & OM_ACCEPT_GENERALIZED_BUCHI, 0);
        check_disjoint(s, l, f, yes, no);
        check_own_word(s, l, f, yes);
        check_own_word(s, l, not_f, no);
        check_words(s, l, f, yes, no, words);
        s->formulas++;
        s->states += om_automaton_state_count(yes) + om_automaton_state_count(no);
    }
    bool done = no != NULL;
    om_automaton_free(yes);
    om_automaton_free(no);
    return done;
}

#endif
