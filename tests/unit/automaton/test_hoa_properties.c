/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations in headers of HOA files: true ones cause no message, false ones a warning. */
#include <omen/plugin/automaton.h>

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

typedef struct said {
    char text[512];
    int count;
} said;

static void on_note(void *self, om_note_level level, const char *text)
{
    said *s = self;
    assert_int_equal(level, OM_NOTE_WARNING);
    (void) snprintf(s->text, sizeof s->text, "%s", text);
    s->count++;
}

static void read_text(const char *text, said *s)
{
    om_context *ctx = NULL;
    om_automaton *a = NULL;
    *s = (said){ .count = 0 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_context_on_note(ctx, on_note, s);
    if (om_hoa_read(&a, ctx, "x.hoa", text, strlen(text), 0) != OM_OK)
        fail_msg("%s: %s", text, om_context_error(ctx));
    om_automaton_free(a);
    om_context_free(ctx);
}

static void is_silent(const char *text)
{
    said s;
    read_text(text, &s);
    if (s.count != 0)
        fail_msg("%s: %s", text, s.text);
}

static void warns(const char *text, const char *expected)
{
    said s;
    read_text(text, &s);
    assert_string_equal(s.text, expected);
    assert_int_equal(s.count, 1);
}

/* ---- acc-name: ---- */

/* An acceptance name and its formula. */
typedef struct pair {
    const char *name, *formula;
} pair;

static void with(const pair *p, char text[512])
{
    (void) snprintf(text, 512,
        "HOA: v1\nacc-name: %s\nAcceptance: %s\n--BODY--\nState: 0 [t] 0\n--END--\n", p->name,
        p->formula);
}

static const pair canonical[] = {
    { "all", "0 t" },
    { "none", "0 f" },
    { "Buchi", "1 Inf(0)" },
    { "co-Buchi", "1 Fin(0)" },
    { "generalized-Buchi 0", "0 t" },
    { "generalized-Buchi 3", "3 Inf(0)&Inf(1)&Inf(2)" },
    { "generalized-co-Buchi 3", "3 Fin(0)|Fin(1)|Fin(2)" },
    { "Streett 3", "6 (Fin(0)|Inf(1))&(Fin(2)|Inf(3))&(Fin(4)|Inf(5))" },
    { "Rabin 3", "6 (Fin(0)&Inf(1))|(Fin(2)&Inf(3))|(Fin(4)&Inf(5))" },
    { "generalized-Rabin 2 3 2", "7 (Fin(0)&Inf(1)&Inf(2)&Inf(3))|(Fin(4)&Inf(5)&Inf(6))" },
    { "generalized-Rabin 2 0 1", "3 Fin(0)|(Fin(1)&Inf(2))" },
    { "parity min odd 4", "4 Fin(0) & (Inf(1) | (Fin(2) & Inf(3)))" },
    { "parity min even 3", "3 Inf(0) | (Fin(1) & Inf(2))" },
    { "parity max odd 4", "4 Inf(3) | (Fin(2) & (Inf(1) | Fin(0)))" },
    { "parity max even 2", "2 Fin(1) & Inf(0)" },
};
enum { CANONICAL = sizeof canonical / sizeof *canonical };

static void names_say_what_they_mean(void **state)
{
    char text[512];
    (void) state;
    for (size_t i = 0; i < CANONICAL; i++) {
        with(&canonical[i], text);
        is_silent(text);
    }
}

/* With equal numbers of sets, no two formulas are equal. */
static void each_name_with_each_formula(void **state)
{
    int pairs = 0;
    (void) state;
    for (size_t i = 0; i < CANONICAL; i++)
        for (size_t k = 0; k < CANONICAL; k++) {
            const pair p = { canonical[i].name, canonical[k].formula };
            char text[512];
            said s;
            if (canonical[i].formula[0] != p.formula[0])
                continue;
            with(&p, text);
            read_text(text, &s);
            bool same = strcmp(canonical[i].formula, p.formula) == 0;
            if (same != (s.count == 0))
                fail_msg("%s as %s: %d warnings", p.name, p.formula, s.count);
            pairs += !same;
        }
    assert_int_equal(pairs, 22);
}

static void messages_have_a_witness(void **state)
{
    (void) state;
    warns("HOA: v1\nacc-name: Buchi\nAcceptance: 2 Inf(0)&Inf(1)\n--BODY--\n--END--\n",
        "x.hoa:2:11: this contradicts \"Acceptance:\", which is used: they differ on runs that see "
        "these sets infinitely often: 0 and no others");
    warns("HOA: v1 acc-name: all Acceptance: 1 Inf(0)\n--BODY--\n--END--\n",
        "x.hoa:1:19: this contradicts \"Acceptance:\", which is used: they differ on runs that see "
        "these sets infinitely often: none");
}

/* More sets than allow exhaustive evaluation, and long formulas. */
static void large_formulas(void **state)
{
    om_text t = { .heap = om_heap_default() };
    said s;
    (void) state;
    for (int wrong = 0; wrong < 2; wrong++) {
        om_text_add(&t, "HOA: v1 acc-name: generalized-Buchi 64 Acceptance: 64 Inf(0)");
        for (int i = 1; i < 200000; i++)
            om_text_printf(&t, "&Inf(%d)", i % 64);
        om_text_add(&t, wrong ? "|Inf(7)--BODY-- --END--" : "--BODY-- --END--");
        read_text(t.text, &s);
        assert_int_equal(s.count, wrong);
        om_text_free(&t);
    }
}

static void what_is_not_known_is_passed_over(void **state)
{
    static const char *const names[] = { "Muller", "Buchi 7", "parity", "parity min odd",
        "parity least odd 1", "generalized-Rabin 2 1", "generalized-Rabin", "Buchi t", "Rabin 1 1",
        "generalized-Buchi 99999999999999999999", "Rabin 1 x",
        "generalized-Rabin 9223372036854775807 1" };
    char text[512];
    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const pair p = { names[i], "2 Inf(0)|Fin(1)" };
        with(&p, text);
        is_silent(text);
    }
    /* In this case, marks differ from those of the text. */
    is_silent("HOA: v1 acc-name: Buchi Acceptance: 1 Inf(!0) --BODY-- --END--");
}

/* ---- properties: ---- */

#define HEAD "HOA: v1 AP: 1 \"a\" Start: 0 Acceptance: 2 Inf(0)&Inf(1)\nproperties: weak "

static void false_properties(void **state)
{
    (void) state;
    warns(HEAD "deterministic\n--BODY-- State: 0 [0] 1 [!0] 0 State: 1 [t] 0 [0] 1 --END--",
        "x.hoa:2:18: the automaton is not deterministic: state 1 has two edges for one valuation");
    warns(HEAD "x deterministic\nStart: 1 --BODY-- State: 0 [t] 1 State: 1 --END--",
        "x.hoa:2:20: the automaton is not deterministic: it has 2 initial states");
    warns(HEAD "\nproperties: complete\n--BODY-- State: 0 [0] 1 [!0] 0 State: 1 [!0] 0 --END--",
        "x.hoa:3:13: the automaton is not complete: state 1 has no edge for some valuation");
    warns(HEAD "complete --BODY-- State: 0 --END--",
        "x.hoa:2:18: the automaton is not complete: state 0 has no edge for some valuation");
    warns(HEAD "state-acc --BODY-- State: 0 [0] 0 {0} [!0] 0 {1} --END--",
        "x.hoa:2:18: the automaton is not state-acc: state 0 has edges in different acceptance "
        "sets");
    warns(HEAD "trans-acc --BODY-- State: 0 [0] 0 {1} [!0] 1 State: 1 {0} [t] 1 --END--",
        "x.hoa:2:18: the automaton is not trans-acc: state 1 is in an acceptance set itself");
}

static void true_properties(void **state)
{
    (void) state;
    is_silent(HEAD "deterministic complete state-acc\n"
                   "--BODY-- State: 0 {0 1} [0] 1 [!0] 0 State: 1 [t] 0 --END--");
    is_silent(HEAD "deterministic trans-acc\n--BODY-- State: 0 [0] 0 {0} [!0] 0 {1} --END--");
    is_silent(HEAD "complete trans-acc --BODY-- State: 0 [0] 0 [t] 0 --END--");
    /* implicit labels */
    is_silent(HEAD "deterministic complete --BODY-- State: 0 0 0 {1} --END--");
    /* Nothing is declared; and an edge that is never enabled does not count. */
    is_silent(HEAD "--BODY-- State: 0 {1} [0] 0 [0] 0 State: 1 --END--");
    is_silent(HEAD "deterministic --BODY-- State: 0 [0] 0 [f] 0 --END--");
}

/* Each of several automata has its own properties. */
static void properties_are_forgotten(void **state)
{
    said s;
    (void) state;
    static const char text[] =
        HEAD "deterministic complete trans-acc acc-name: Buchi --BODY-- State: 0 {0} --END--\n" HEAD
             "--BODY-- State: 0 {0} [t] 0 [t] 0 --END--";
    om_context *ctx = NULL;
    om_automaton *a = NULL;
    s = (said){ .count = 0 };
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    om_context_on_note(ctx, on_note, &s);
    assert_int_equal(om_hoa_read(&a, ctx, "x.hoa", text, strlen(text), 2), OM_OK);
    assert_int_equal(s.count, 0);
    om_automaton_free(a);
    om_context_free(ctx);
}

static void propositions_have_places(void **state)
{
    om_context *ctx = NULL;
    om_automaton *a = NULL, *b = NULL;
    uint32_t line = 0, column = 0;
    static const char text[] = "HOA: v1\nAP: 2 \"a\"\n  \"b\"\nAcceptance: 0 t --BODY-- --END--";
    static const char *const names[] = { "a" };
    (void) state;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_hoa_read(&a, ctx, "x", text, strlen(text), 0), OM_OK);
    om_automaton_ap_place(a, 0, &line, &column);
    assert_true(line == 2 && column == 7);
    om_automaton_ap_place(a, 1, &line, &column);
    assert_true(line == 3 && column == 3);
    assert_int_equal(om_automaton_new(&b, ctx, 1, names), OM_OK);
    om_automaton_ap_place(b, 0, &line, &column);
    assert_true(line == 0 && column == 0);
    om_automaton_free(a);
    om_automaton_free(b);
    om_context_free(ctx);
}

static void memory_may_run_out(void **state)
{
    static const char text[] =
        HEAD "deterministic complete state-acc trans-acc acc-name: Streett 1\n"
             "--BODY-- State: 0 [0] 1 [!0] 0 State: 1 {0} [t] 0 [0] 1 --END--";
    int rc = OM_ENOMEM;
    (void) state;
    for (size_t n = 0; rc != OM_OK; n++) {
        test_heap h;
        om_context *ctx = NULL;
        om_automaton *a = NULL;
        test_heap_init(&h, n);
        rc = om_context_new(&ctx, &h.heap);
        if (rc == OM_OK)
            rc = om_hoa_read(&a, ctx, "x", text, strlen(text), 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        om_automaton_free(a);
        om_context_free(ctx);
        assert_int_equal(h.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_say_what_they_mean),
        cmocka_unit_test(each_name_with_each_formula), cmocka_unit_test(messages_have_a_witness),
        cmocka_unit_test(large_formulas), cmocka_unit_test(what_is_not_known_is_passed_over),
        cmocka_unit_test(false_properties), cmocka_unit_test(true_properties),
        cmocka_unit_test(properties_are_forgotten), cmocka_unit_test(propositions_have_places),
        cmocka_unit_test(memory_may_run_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
