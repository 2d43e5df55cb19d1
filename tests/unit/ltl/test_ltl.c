/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/plugin/ltl.h>

#include "formulas.h"
#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

typedef struct fixture {
    om_context *ctx;
    om_ltl *l;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_ltl_new(&f.l, f.ctx) != OM_OK)
        return -1;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    om_ltl_free(f->l);
    om_context_free(f->ctx);
    return 0;
}

static om_ltl_ref parse(fixture *f, const char *text)
{
    om_ltl_ref ref = 0;
    om_context_clear(f->ctx);
    if (om_ltl_parse(f->l, "--ltl", text, strlen(text), &ref) != OM_OK)
        fail_msg("%s: %s", text, om_context_error(f->ctx));
    return ref;
}

static void assert_prints(fixture *f, om_ltl_ref ref, const char *expected)
{
    om_text t = { .heap = om_heap_default() };
    assert_int_equal(om_ltl_print(f->l, ref, &t), OM_OK);
    assert_string_equal(t.text, expected);
    assert_int_equal(parse(f, t.text), ref);
    om_text_free(&t);
}

static void precedence_and_associativity(void **state)
{
    static const char *const same[][2] = {
        { "a -> b -> c", "a -> (b -> c)" },
        { "a <-> b -> c", "a <-> (b -> c)" },
        { "a -> b <-> c", "a -> (b <-> c)" },
        { "a ^ b ^ c", "(a ^ b) ^ c" },
        { "a | b | c", "(a | b) | c" },
        { "a & b && c", "(a & b) & c" },
        { "a U b U c", "a U (b U c)" },
        { "a U b R c", "a U (b R c)" },
        { "a W b M c", "a W (b M c)" },
        { "a | b & c U d -> e ^ f", "(a | (b & (c U d))) -> (e ^ f)" },
        { "a ^ b | c", "a ^ (b | c)" },
        { "!a U b", "(!a) U b" },
        { "Fa U Gb", "(F a) U (G b)" },
        { "X a & b", "(X a) & b" },
        { "[]<>a || !b", "(G F a) | (!b)" },
        { "GFa", "G(F(a))" },
        { "XXXa", "X(X(X(a)))" },
        { "XG c", "X(G(c))" },
        { "FGp1", "F G p1" },
        { "X[!]a", "X a" },
        { "X[]a", "X G a" },
        { "1 U a", "true U a" },
        { "0 R a", "false R a" },
        { "a U(b)", "a U b" },
        { "(a)U(b)", "a U b" },
        { "  ( (a) )\n", "a" },
        { "a->b", "a -> b" },
        { "a<->b", "a <-> b" },
        { "F<>F a", "F F F a" },
        { "G(P_0.p2 -> F P_0.CS)", "[] ( P_0.p2 -> <>P_0.CS )" },
        { "a V b", "a R b" },
        { "V V V", "\"V\" R \"V\"" },
        { "~a /\\ b \\/ c", "(!a & b) | c" },
        { "a/\\b\\/c", "(a & b) | c" },
        { "a/\\(b\\/(c))", "a & (b | c)" },
        { "x/2==1/\\b", "\"x/2==1\" & b" },
        { "a xor b xor c", "(a ^ b) ^ c" },
        { "a implies b equivalent c", "a -> (b <-> c)" },
        { "always (req implies eventually (ack until done))", "G(req -> F(ack U done))" },
        { "next next a", "X X a" },
        { "next(a)", "X a" },
        { "next! a && eventually! b", "X a & F b" },
        { "next !a", "X(!a)" },
        { "next next", "X \"next\"" },
        { "next == 1", "\"next==1\"" },
        { "next != 1 U always", "\"next!=1\" U \"always\"" },
        { "next V a", "\"next\" R a" },
        { "next < 3 && next <> a", "\"next<3\" & X F a" },
        { "next[0] == 1 | next [] a", "\"next[0]==1\" | X G a" },
        { "always until next", "\"always\" U \"next\"" },
        { "until until! release", "\"until\" U \"release\"" },
        { "a until !b", "a U (!b)" },
        { "a until b until c", "a U (b U c)" },
        { "a stronguntil b weakuntil c release d", "a U (b W (c R d))" },
        { "(a)until(b)", "a U b" },
        { "eventually! always a until! b", "(F G a) U b" },
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (parse(f, same[i][0]) != parse(f, same[i][1]))
            fail_msg("%s is not %s", same[i][0], same[i][1]);
    assert_int_not_equal(parse(f, "(a -> b) -> c"), parse(f, "a -> b -> c"));
    assert_int_not_equal(parse(f, "(a U b) U c"), parse(f, "a U b U c"));
    assert_int_not_equal(parse(f, "G(a) & b"), parse(f, "G(a & b)"));
}

/* Each text is a single AP with that name. */
static void propositions(void **state)
{
    static const char *const names[][2] = {
        { "P_0.CS", "P_0.CS" },
        { "\"P_0.CS\"", "P_0.CS" },
        { "x+y<=3", "x+y<=3" },
        { " x + y <= 3 ", "x+y<=3" },
        { "\" x + y <= 3 \"", "x+y<=3" },
        { "P_1==\"CS\"", "P_1=='CS'" },
        { "P_1!=\"p9\"", "P_1!='p9'" },
        { "P_1 != 'p9'", "P_1!='p9'" },
        { "\"P_1!=\\\"p9\\\"\"", "P_1!='p9'" },
        { "Slot[my]==1", "Slot[my]==1" },
        { "Slot[i + 1][Other.j] == 1", "Slot[i+1][Other.j]==1" },
        { "Person_1\\.at_floor!=0", "Person_1.at_floor!=0" },
        { "t\\[1\\]!=0", "t[1]!=0" },
        { "P\\-fordo_12_0 + x <= P\\-CS_1", "P-fordo_12_0+x<=P-CS_1" },
        { "(x+y)*2==4", "(x+y)*2==4" },
        { "((x)+(y))%2", "((x)+(y))%2" },
        { "(2) <= (A_0 + B_1)", "(2)<=(A_0+B_1)" },
        { "x< -1", "x< -1" },
        { "x<-1", "x<-1" },
        { "-x<3", "-x<3" },
        { "x>=-y", "x>=-y" },
        { "'idle'==P", "'idle'==P" },
        { "fire(t)", "fire(t)" },
        { "is-fireable( t1, 'u v' )", "is-fireable(t1,'u v')" },
        { "tokens(p , q) + 1 <= f(g(x) == 1)", "tokens(p,q)+1<=f(g(x)==1)" },
        { "aUb", "aUb" },
        { "Gate", NULL },
        { "F1", "F1" },
        { "X_y", "X_y" },
        { "\"Gate.open\"", "Gate.open" },
        { "\"true\"", "true" },
        { "\"U\"", "U" },
        { "\"P->x == 1 and not Q->y\"", "P->x==1 and not Q->y" },
        { "\"a 'b  c' d\"", "a'b  c'd" },
        { "trueish", "trueish" },
        { "0<=x", "0<=x" },
        { "1==x", "1==x" },
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        om_ltl_ref ref = parse(f, names[i][0]);
        if (names[i][1] == NULL) { /* F, G, X directly before a name */
            assert_int_equal(om_ltl_operator(f->l, ref), OM_LTL_GLOBALLY);
            continue;
        }
        assert_int_equal(om_ltl_operator(f->l, ref), OM_LTL_AP);
        assert_string_equal(om_ltl_ap_name(f->l, om_ltl_left(f->l, ref)), names[i][1]);
        assert_int_equal(om_ltl_ap_ref(f->l, names[i][1]), ref);
        assert_int_equal(om_ltl_ap_ref(f->l, names[i][0]) != 0, true);
        om_text t = { .heap = om_heap_default() };
        assert_int_equal(om_ltl_print(f->l, ref, &t), OM_OK);
        assert_int_equal(parse(f, t.text), ref);
        om_text_free(&t);
    }
}

static void propositions_end_where_logic_starts(void **state)
{
    fixture *f = *state;
    assert_prints(f, parse(f, "x+y<=3 && z"), "x+y<=3 & z");
    assert_prints(f, parse(f, "x->y"), "x -> y");
    assert_prints(f, parse(f, "x<->y"), "x <-> y");
    assert_prints(f, parse(f, "x==1->y<2"), "x==1 -> y<2");
    assert_prints(f, parse(f, "!x==1"), "!x==1");
    assert_prints(f, parse(f, "(x+y)*2==4 U (x<2)"), "\"(x+y)*2==4\" U x<2");
    assert_prints(f, parse(f, "(x<3) R ((P\\.at!=0) || (y))"), "x<3 R (P.at!=0 | y)");
    assert_prints(f, parse(f, "((1) <= (x + y))"), "\"(1)<=(x+y)\"");
    assert_prints(f, parse(f, "P=='a)b' | (\"c)\" & d)"), "P=='a)b' | \"c)\" & d");
    assert_prints(f, parse(f, "G\"Gate\" & X1"), "G \"Gate\" & X1");
}

static void messages_name_the_place(void **state)
{
    static const char *const bad[][2] = {
        { "", "--ltl:1:1: expected a formula at the end of the formula" },
        { "a &\n  & b", "--ltl:2:3: expected a formula at '& b'" },
        { "G(a -> F b", "--ltl:1:11: expected ')' or an operator at the end of the formula" },
        { "a b", "--ltl:1:3: expected an operator or the end at 'b'" },
        { "a)", "--ltl:1:2: expected an operator or the end at ')'" },
        { "\"abc", "--ltl:1:1: expected a closing quote for the text that starts at '\"abc'" },
        { "2", "--ltl:1:1: expected a formula, not a number, at '2'" },
        { "(3)", "--ltl:1:2: expected a formula, not a number, at '3)'" },
        { "a=1", "--ltl:1:2: expected '==' (a proposition has one comparison) at '=1'" },
        { "a==1==b", "--ltl:1:5: expected '==' (a proposition has one comparison) at '==b'" },
        { "x + ", "--ltl:1:5: expected an operand at the end of the formula" },
        { "x[]", "--ltl:1:3: expected an operand at ']'" },
        { "x[1", "--ltl:1:4: expected ']' at the end of the formula" },
        { "x.2", "--ltl:1:3: expected a name at '2'" },
        { "fire()", "--ltl:1:6: expected an operand at ')'" },
        { "fire(t, u", "--ltl:1:10: expected ',' or ')' at the end of the formula" },
        { "fire (t)", "--ltl:1:6: expected an operator or the end at '(t)'" },
        { "3x < 1", "--ltl:1:1: expected an operand at '3x < 1'" },
        { "\"  \" & a", "--ltl:1:2: an atomic proposition is empty" },
        { "U a", "--ltl:1:1: expected a formula at 'U a'" },
        { "a U", "--ltl:1:4: expected a formula at the end of the formula" },
        { "@", "--ltl:1:1: expected a formula at '@'" },
        { "a &\nX! b", "--ltl:2:2: expected X[!] (PSL's X!), or X of a negation without a blank "
                       "after '!', at '! b'" },
        { "a until!b", "--ltl:1:8: expected a blank before '!' (a negation) or after it (an "
                       "operator of PSL) at '!b'" },
        { "next!a", "--ltl:1:5: expected a blank before '!' (a negation) or after it (an operator "
                    "of PSL) at '!a'" },
        { "(a until b) until!\nc until d", "--ltl:1:4: expected until! or U (strong), or W (weak), "
                                           "with operators of PSL, at 'until b) until!'" },
        { "a untilb", "--ltl:1:3: expected an operator or the end at 'untilb'" },
        { "a \\ b", "--ltl:1:3: expected an operator or the end at '\\ b'" },
        { "a & x + + + + + + + + + + + + + + + + + + ",
            "--ltl:1:9: expected an operand at '+ + + + + + + + + + + + ...'" },
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        om_ltl_ref ref = 77;
        size_t n = strlen(bad[i][0]);
        char *exact = malloc(n + (n == 0)); /* no NUL at the end, so that overruns show */
        assert_non_null(exact);
        memcpy(exact, bad[i][0], n);
        om_context_clear(f->ctx);
        assert_int_equal(om_ltl_parse(f->l, "--ltl", exact, n, &ref), OM_EINPUT);
        free(exact);
        assert_string_equal(om_context_error(f->ctx), bad[i][1]);
        assert_int_equal(ref, 77);
    }
    om_context_clear(f->ctx);
    om_ltl_ref ref;
    assert_int_equal(om_ltl_parse(f->l, "f.ltl", "a &\0 b", 6, &ref), OM_EINPUT);
    assert_string_equal(om_context_error(f->ctx), "f.ltl:1:4: a NUL byte in a formula");
}

static void too_many_propositions(void **state)
{
    fixture *f = *state;
    om_text t = { .heap = om_heap_default() };
    om_ltl_ref ref = 0;
    om_text_add(&t, "q0");
    for (int i = 1; i < 64; i++)
        om_text_printf(&t, " | q%d", i);
    assert_int_equal(om_ltl_parse(f->l, "x", t.text, t.length, &ref), OM_OK);
    assert_int_equal(om_ltl_ap_count(f->l), 64);
    om_text_add(&t, " | q64");
    assert_int_equal(om_ltl_parse(f->l, "x", t.text, t.length, &ref), OM_EINPUT);
    assert_non_null(
        strstr(om_context_error(f->ctx), "'q64' would be atomic proposition number 65"));
    assert_int_equal(om_ltl_ap_ref(f->l, "q64"), 0);
    assert_int_not_equal(om_ltl_ap_ref(f->l, "q63"), 0);
    om_text_free(&t);
}

/* Parses `count` times `open`, then "a", then `count` times `close`. */
static int parse_nested(fixture *f, int count, const char *open, const char *close, om_ltl_ref *ref)
{
    om_text t = { .heap = om_heap_default() };
    for (int i = 0; i < count; i++)
        om_text_add(&t, open);
    om_text_add(&t, "a");
    for (int i = 0; i < count; i++)
        om_text_add(&t, close);
    om_context_clear(f->ctx);
    int rc = om_ltl_parse(f->l, "x", t.text, t.length, ref);
    om_text_free(&t);
    return rc;
}

/* Neither reading nor any later operation recurses. */
static void formulas_nest_as_deeply_as_memory_allows(void **state)
{
    static const char *const nests[][2] = { { "(", ")" }, { "!", "" }, { "X", "" }, { "a U ", "" },
        { "a -> ", "" }, { "!(a R ", ")" }, { "", " | a" }, { "", " <-> b" }, { "(b && X", ")" } };
    enum { DEEP = 100000 };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        om_text printed = { .heap = om_heap_default() };
        om_ltl_ref ref = 0, again = 0;
        om_label labels[] = { 3 };
        bool holds, negation;
        assert_int_equal(parse_nested(f, DEEP, nests[i][0], nests[i][1], &ref), OM_OK);
        om_ltl_ref negated = om_ltl_nnf(f->l, ref, true, false);
        assert_int_not_equal(negated, 0);
        assert_int_equal(om_ltl_holds_on_lasso(f->l, ref, labels, 1, 0, &holds), OM_OK);
        assert_int_equal(om_ltl_holds_on_lasso(f->l, negated, labels, 1, 0, &negation), OM_OK);
        assert_true(holds != negation);
        assert_int_equal(om_ltl_print(f->l, ref, &printed), OM_OK);
        assert_int_equal(om_ltl_parse(f->l, "x", printed.text, printed.length, &again), OM_OK);
        assert_int_equal(again, ref);
        om_text_free(&printed);
    }
}

static void nesting_of_expressions_is_bounded(void **state)
{
    static const char *const nests[][2] = { { "x[", "]" }, { "1+(", ")" } };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        om_ltl_ref ref = 0;
        assert_int_equal(parse_nested(f, 300, nests[i][0], nests[i][1], &ref), OM_OK);
        assert_int_equal(parse_nested(f, 3000, nests[i][0], nests[i][1], &ref), OM_EINPUT);
        assert_non_null(strstr(om_context_error(f->ctx), "less nesting"));
    }
}

/* Searching the end of each bracket separately would take minutes. */
static void brackets_are_looked_at_once(void **state)
{
    fixture *f = *state;
    om_ltl_ref ref = 0;
    assert_int_equal(parse_nested(f, 500000, "(", ")", &ref), OM_OK);
    assert_int_equal(parse_nested(f, 500000, "(", "", &ref), OM_EINPUT);
    assert_string_equal(om_context_error(f->ctx),
        "x:1:500002: expected ')' or an operator at the end of the formula");
}

static void long_chains_are_fine(void **state)
{
    fixture *f = *state;
    om_text t = { .heap = om_heap_default() }, again = t;
    om_ltl_ref ref = 0;
    om_text_add(&t, "p0");
    for (int i = 1; i < 20000; i++)
        om_text_printf(&t, " & (X p%d | p%d)", i % 7, i % 5);
    assert_int_equal(om_ltl_parse(f->l, "x", t.text, t.length, &ref), OM_OK);
    assert_int_not_equal(om_ltl_nnf(f->l, ref, true, false), 0);
    assert_int_equal(om_ltl_print(f->l, ref, &again), OM_OK);
    assert_int_equal(t.length, again.length);
    bool holds;
    om_label label = 0x7f;
    om_text_free(&again);
    om_text_free(&t);
    om_text_add(&t, "a");
    for (int i = 0; i < 990; i++)
        om_text_printf(&t, " %c \"x%d[b[c[d]]]\"", "UR"[i % 2], i % 9);
    om_ltl_ref deep = parse(f, t.text), same = 0;
    assert_int_equal(om_ltl_print(f->l, deep, &again), OM_OK);
    assert_int_equal(om_ltl_parse(f->l, "x", again.text, again.length, &same), OM_OK);
    assert_int_equal(deep, same);
    assert_int_equal(om_ltl_holds_on_lasso(f->l, ref, &label, 1, 0, &holds), OM_OK);
    assert_true(holds);
    om_text_free(&t);
    om_text_free(&again);
}

static void make_refuses_nonsense(void **state)
{
    fixture *f = *state;
    om_ltl_ref a = om_ltl_ap_ref(f->l, "a");
    assert_int_not_equal(a, 0);
    assert_int_equal(om_ltl_make(f->l, OM_LTL_AND, a, 0), 0);
    assert_int_equal(om_ltl_make(f->l, OM_LTL_AND, a, a + 1), 0);
    assert_int_equal(om_ltl_make(f->l, OM_LTL_NOT, a, a), 0);
    assert_int_equal(om_ltl_make(f->l, OM_LTL_TRUE, a, 0), 0);
    assert_int_equal(om_ltl_make(f->l, OM_LTL_AP, 1, 0), 0);
    assert_int_equal(om_ltl_make(f->l, OM_LTL_AP, 0, 0), a);
    assert_int_equal(om_ltl_make(f->l, (om_ltl_op) 99, a, a), 0);
    assert_int_equal(om_ltl_ap_ref(f->l, " "), 0);
    bool holds;
    om_label label = 0;
    assert_int_equal(om_ltl_holds_on_lasso(f->l, a, &label, 1, 1, &holds), OM_EINVAL);
    assert_int_equal(om_ltl_holds_on_lasso(f->l, 0, &label, 1, 0, &holds), OM_EINVAL);
}

static void simplifications(void **state)
{
    static const char *const cases[][2] = {
        { "F F a", "F a" },
        { "G G a", "G a" },
        { "F G F a", "GF a" },
        { "G F G a", "FG a" },
        { "a U (a U b)", "a U b" },
        { "a R (a R b)", "a R b" },
        { "a U F b", "F b" },
        { "X true", "1" },
        { "a U true", "1" },
        { "a U false", "0" },
        { "false U a", "a" },
        { "true R a", "a" },
        { "a & !a", "0" },
        { "a | !a", "1" },
        { "!(a -> a)", "0" },
        { "!(a U b)", "!a R !b" },
        { "!(a W b)", "!a M !b" },
        { "!(a M b)", "!a W !b" },
        { "!X a", "X!a" },
        { "!F a", "G!a" },
        { "G a & G b", "G(a & b)" },
        { "a W false", "G a" },
        { "F a | F b", "F(a | b)" },
        { "a M true", "F a" },
        { "!(a -> b)", "a & !b" },
        { "a <-> true", "a" },
        { "X G F a", "GF a" },
        { "a U (F b & F a)", "F a & F b" },
        { "a U (b & G F a)", "GF a & a U b" },
        { "(G F a) U (b & G F a)", "GF a & F b" },
        { "(F G a) R (b | F G a)", "FG a | G b" },
        { "a U (a & F b)", "a & F b" },
        { "a R (a | F b U G c)", "a | F b U G c" },
        { "a R (a | G b | c U G a)", "a | G b | c U G a" },
        { "a R (b | F G a)", "FG a | a R b" },
        { "a U G b", "a U G b" },
        { "a R G b", "G b" },
        { "G (a R F b)", "GF b" },
        { "F (a R F b)", "a R F b" },
        { "F (a U G b)", "FG b" },
        { "GF (a & F b)", "G(F a & F b)" },
        { "G (F a & F (b & F c))", "G(F a & (F b & F c))" },
        { "FG (a | G b)", "F(G a | G b)" },
        { "F (a & F b)", "F(a & F b)" },
        { "GF a | GF b", "GF(a | b)" },
        { "FG a & FG b", "FG(a & b)" },
        { "a ^ true", "!a" },
    };
    fixture *f = *state;
    (void) parse(f, "a & b"); /* fixes the order of operands */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        om_ltl_ref n = om_ltl_nnf(f->l, parse(f, cases[i][0]), false, true);
        assert_int_not_equal(n, 0);
        assert_prints(f, n, cases[i][1]);
    }
    om_ltl_ref w = om_ltl_nnf(f->l, parse(f, "F(a W b)"), false, false);
    assert_prints(f, w, "1 U (b R (a | b))");
}

/* Returns true if every node has the form that om_ltl_nnf() promises. */
static bool is_normal(const om_ltl *l, om_ltl_ref f, bool sugar)
{
    om_ltl_ref a = om_ltl_left(l, f), b = om_ltl_right(l, f);
    switch (om_ltl_operator(l, f)) {
    case OM_LTL_TRUE:
    case OM_LTL_FALSE:
    case OM_LTL_AP:
        return true;
    case OM_LTL_NOT:
        return om_ltl_operator(l, a) == OM_LTL_AP;
    case OM_LTL_NEXT:
        return is_normal(l, a, sugar);
    case OM_LTL_FINALLY:
    case OM_LTL_GLOBALLY:
        return sugar && is_normal(l, a, sugar);
    case OM_LTL_WEAK_UNTIL:
    case OM_LTL_STRONG_RELEASE:
        return sugar && is_normal(l, a, sugar) && is_normal(l, b, sugar);
    case OM_LTL_IMPLIES:
    case OM_LTL_EQUIV:
    case OM_LTL_XOR:
        return false;
    default:
        return is_normal(l, a, sugar) && is_normal(l, b, sugar);
    }
}

/* Random formulas: the evaluator agrees with the textbook semantics, the normal form with the
 * evaluator, and printing with reading. */
static void random_formulas(void **state)
{
    fixture *f = *state;
    om_random r = { 1 };
    om_label labels[6];
    for (int i = 0; i < 3000; i++) {
        if (i % 100 == 0) { /* the time of a pass depends on the size of the arena */
            om_ltl_free(f->l);
            f->l = NULL;
            assert_int_equal(om_ltl_new(&f->l, f->ctx), OM_OK);
        }
        om_ltl_ref g = random_formula(f->l, &r, (unsigned) om_random_below(&r, 9), 3);
        om_text t = { .heap = om_heap_default() };
        assert_int_equal(om_ltl_print(f->l, g, &t), OM_OK);
        if (parse(f, t.text) != g)
            fail_msg("%s reads back as another formula", t.text);
        om_ltl_ref forms[4];
        for (int k = 0; k < 4; k++) {
            forms[k] = om_ltl_nnf(f->l, g, k & 1, k & 2);
            assert_true(is_normal(f->l, forms[k], k & 2));
        }
        for (int j = 0; j < 5; j++) {
            size_t n, loop;
            bool holds, other;
            random_word(&r, 3, 6, labels, &n, &loop);
            assert_int_equal(om_ltl_holds_on_lasso(f->l, g, labels, n, loop, &holds), OM_OK);
            if (holds != naive_holds(f->l, g, labels, n, loop, 0))
                fail_msg("%s: the evaluators differ", t.text);
            for (int k = 0; k < 4; k++) {
                om_ltl_ref h = forms[k];
                assert_int_equal(om_ltl_holds_on_lasso(f->l, h, labels, n, loop, &other), OM_OK);
                if (other != (holds != (k & 1)))
                    fail_msg("%s: normal form %d differs", t.text, k);
            }
        }
        om_text_free(&t);
    }
}

static void spellings(void **state)
{
    static const char *const cases[][4] = {
        { "a", "a", "a", "a" },
        { "1", "1", "true", "true" },
        { "G(a -> X F b)", "G(a -> XF b)", "[] (a -> X <> b)",
            "always (a -> next! eventually! b)" },
        { "a U b U c", "a U b U c", "a U (b U c)", "a until! (b until! c)" },
        { "a & b & c & (d & e)", "a & b & c & (d & e)", "a && b && c && (d && e)",
            "a && b && c && (d && e)" },
        { "a | b & c", "a | b & c", "a || (b && c)", "a || (b && c)" },
        { "a R b W c", "a R (b W c)", "a V (c V (b || c))", "!(!a until! !(b W c))" },
        { "a M !b", "a M !b", "(!b U (a && !b))", "!(!a W !!b)" },
        { "!(a ^ (b | c))", "!(a ^ b | c)", "!!(a <-> (b || c))", "!!(a <-> (b || c))" },
        { "x == 3 U P.q", "x==3 U P.q", "(x==3) U (P.q)", "(x==3) until! (P.q)" },
        { "\"a b\"", "\"a b\"", "\"a b\"", "\"a b\"" },
        { "next U always", "next U always", "\"next\" U \"always\"", "\"next\" until! \"always\"" },
        { "Guntil", "G until", "[] \"until\"", "always \"until\"" },
    };
    fixture *f = *state;
    om_text t = { .heap = om_heap_default() };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < OM_LTL_SPELLINGS; k++) {
            om_text_free(&t);
            assert_int_equal(
                om_ltl_print_as(f->l, parse(f, cases[i][0]), (om_ltl_spelling) k, &t), OM_OK);
            assert_string_equal(t.text, cases[i][1 + k]);
        }
    om_text_free(&t);
    assert_string_equal(om_ltl_spelling_name(OM_LTL_PSL), "psl");
    assert_null(om_ltl_spelling_name(OM_LTL_SPELLINGS));
    assert_int_equal(om_ltl_print_as(f->l, 1, OM_LTL_SPELLINGS, &t), OM_EINVAL);
    om_context_clear(f->ctx);
    om_ltl_ref large = parse(f, "a");
    for (int i = 0; i < 100; i++)
        large = om_ltl_make(f->l, OM_LTL_WEAK_UNTIL, parse(f, "b"), large);
    assert_int_equal(om_ltl_print_as(f->l, large, OM_LTL_SPIN, &t), OM_ELIMIT);
    assert_string_equal(
        om_context_error(f->ctx), "the formula is too large in the spelling of spin");
    om_text_free(&t);
}

/* A formula printed in any spelling reads back as an equivalent formula, which prints
 * identically. */
static void random_formulas_in_each_spelling(void **state)
{
    fixture *f = *state;
    om_random r = { 5 };
    om_label labels[6];
    for (int i = 0; i < 3000; i++) {
        om_ltl_spelling spelling = (om_ltl_spelling) (i % OM_LTL_SPELLINGS);
        om_text t = { .heap = om_heap_default() }, u = t;
        if (i % 100 == 0) {
            om_ltl_free(f->l);
            f->l = NULL;
            assert_int_equal(om_ltl_new(&f->l, f->ctx), OM_OK);
        }
        om_ltl_ref g = random_formula(f->l, &r, (unsigned) om_random_below(&r, 12), 3);
        assert_int_equal(om_ltl_print_as(f->l, g, spelling, &t), OM_OK);
        om_ltl_ref h = parse(f, t.text);
        assert_true(spelling != OM_LTL_OMEN || g == h);
        assert_int_equal(om_ltl_print_as(f->l, h, spelling, &u), OM_OK);
        assert_int_equal(parse(f, u.text), h);
        for (int j = 0; j < 5; j++) {
            size_t n, loop;
            bool holds, other;
            random_word(&r, 3, 6, labels, &n, &loop);
            assert_int_equal(om_ltl_holds_on_lasso(f->l, g, labels, n, loop, &holds), OM_OK);
            assert_int_equal(om_ltl_holds_on_lasso(f->l, h, labels, n, loop, &other), OM_OK);
            if (holds != other)
                fail_msg("%s means something else", t.text);
        }
        om_text_free(&t);
        om_text_free(&u);
    }
}

/* Makes a random formula over propositions with these names. */
static om_ltl_ref random_named(
    om_ltl *l, om_random *r, unsigned size, const char *const *names, size_t count)
{
    static const om_ltl_op ops[] = { OM_LTL_NOT, OM_LTL_NEXT, OM_LTL_FINALLY, OM_LTL_GLOBALLY,
        OM_LTL_AND, OM_LTL_OR, OM_LTL_IMPLIES, OM_LTL_EQUIV, OM_LTL_XOR, OM_LTL_UNTIL,
        OM_LTL_RELEASE, OM_LTL_WEAK_UNTIL, OM_LTL_STRONG_RELEASE };
    if (size == 0)
        return om_ltl_ap_ref(l, names[om_random_below(r, count)]);
    const uint64_t i = om_random_below(r, sizeof ops / sizeof *ops);
    const unsigned left = i < 4 ? size - 1 : (unsigned) om_random_below(r, size);
    const om_ltl_ref a = random_named(l, r, left, names, count);
    return om_ltl_make(l, ops[i], a, i < 4 ? 0 : random_named(l, r, size - 1 - left, names, count));
}

/* Checks that the formula reads back as an equivalent one in each spelling. */
static void check_spellings(fixture *f, om_ltl_ref g, om_random *r)
{
    om_label labels[6];
    for (int k = 0; k < OM_LTL_SPELLINGS; k++) {
        om_text t = { .heap = om_heap_default() };
        om_ltl_ref h = 0;
        assert_int_equal(om_ltl_print_as(f->l, g, (om_ltl_spelling) k, &t), OM_OK);
        if (om_ltl_parse(f->l, "text", t.text, t.length, &h) != OM_OK)
            fail_msg("%s: %s", t.text, om_context_error(f->ctx));
        for (int j = 0; j < 4; j++) {
            size_t n, loop;
            bool holds, other;
            random_word(r, om_ltl_ap_count(f->l), 6, labels, &n, &loop);
            assert_int_equal(om_ltl_holds_on_lasso(f->l, g, labels, n, loop, &holds), OM_OK);
            assert_int_equal(om_ltl_holds_on_lasso(f->l, h, labels, n, loop, &other), OM_OK);
            if (holds != other)
                fail_msg("%s means something else", t.text);
        }
        om_text_free(&t);
    }
}

/* Names that are words or letters of operators, numbers, quoted texts and expressions. */
static void names_like_operators_in_each_spelling(void **state)
{
    static const char *const names[] = { "until", "next", "always", "eventually", "stronguntil",
        "weakuntil", "release", "implies", "equivalent", "xor", "true", "false", "0", "1", "U", "V",
        "R", "W", "M", "X", "F", "G", "X1", "G_x", "GFa", "Xuntil", "until1", "next==1", "next!=1",
        "until<3", "U==1", "R==1", "X==1", "V>2", "a b", "not a", "P:0.k==1", "P@cs", "P[0]@cs",
        "x[0]==1", "-1", "-x<0", "!x", "~x", "a->b", "a<>b", "[]", "<>", "x==-1", "(x)", "(x==1)",
        "'q'", "P=='q'", "f(x)", "next(x)", "until(x)", "a.b", "next.a", "always!", "a!", "1x",
        "x&y", "x&&y", "/\\", "x/y==1", "a U b" };
    fixture *f = *state;
    om_random r = { 11 };
    for (int i = 0; i < 3000; i++) {
        const char *some[3];
        for (int k = 0; k < 3; k++)
            some[k] = names[om_random_below(&r, sizeof names / sizeof *names)];
        om_ltl_free(f->l);
        f->l = NULL;
        assert_int_equal(om_ltl_new(&f->l, f->ctx), OM_OK);
        const om_ltl_ref g = random_named(f->l, &r, (unsigned) om_random_below(&r, 8), some, 3);
        assert_int_not_equal(g, 0);
        check_spellings(f, g, &r);
    }
}

/* Calls each public function once. Returns the status of the first failure. */
static int use_everything(const om_heap *heap)
{
    static const char text[] =
        "!(G(\"P_0.CS\" -> F (x+y)*2==4) <-> a U (b R X(c W d))) ^ P_1!=\"p9\"";
    om_context *ctx = NULL;
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    om_text t = { .heap = heap };
    om_label labels[2] = { 1, 2 };
    bool holds;
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = om_ltl_new(&l, ctx);
    if (rc == OM_OK)
        rc = om_ltl_parse(l, "x", text, strlen(text), &f);
    if (rc == OM_OK && (om_ltl_nnf(l, f, true, false) == 0 || om_ltl_nnf(l, f, false, true) == 0))
        rc = OM_ENOMEM;
    for (int k = 0; rc == OM_OK && k < OM_LTL_SPELLINGS; k++)
        rc = om_ltl_print_as(l, f, (om_ltl_spelling) k, &t);
    if (rc == OM_OK)
        rc = om_ltl_holds_on_lasso(l, f, labels, 2, 0, &holds);
    om_text_free(&t);
    om_ltl_free(l);
    om_context_free(ctx);
    return rc;
}

static void propositions_have_places(void **state)
{
    static const struct {
        const char *name;
        uint32_t line, column;
    } places[] = { { "a", 1, 3 }, { "b==2", 2, 8 }, { "c", 3, 1 }, { "made", 0, 0 } };
    fixture *f = *state;
    uint32_t line, column;
    (void) parse(f, "G(a -> \n  a | \"b == 2\" U\nc) | a");
    assert_int_not_equal(om_ltl_ap_ref(f->l, "made"), 0);
    assert_int_equal(om_ltl_ap_count(f->l), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(om_ltl_ap_name(f->l, i), places[i].name);
        om_ltl_ap_place(f->l, i, &line, &column);
        assert_int_equal(line, places[i].line);
        assert_int_equal(column, places[i].column);
    }
}

/* The truth values of a subformula are kept only as long as they are needed. */
static void deep_formulas_on_long_words(void **state)
{
    enum { DEPTH = 900, LENGTH = 20000 };
    test_heap h;
    om_context *ctx = NULL;
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    om_text t = { .heap = om_heap_default() };
    om_label *labels = calloc(LENGTH, sizeof *labels);
    bool holds = false;
    (void) state;
    test_heap_init(&h, SIZE_MAX);
    assert_int_equal(om_context_new(&ctx, &h.heap), OM_OK);
    assert_int_equal(om_ltl_new(&l, ctx), OM_OK);
    for (int i = 0; i < DEPTH; i++)
        om_text_add(&t, i % 3 == 2 ? "true U " : "X ");
    om_text_add(&t, "a");
    assert_int_equal(om_ltl_parse(l, "x", t.text, t.length, &f), OM_OK);
    labels[LENGTH - 1] = 1;
    h.peak = h.bytes;
    assert_int_equal(om_ltl_holds_on_lasso(l, f, labels, LENGTH, 0, &holds), OM_OK);
    assert_true(holds);
    assert_true(h.peak - h.bytes < 5 * LENGTH);
    free(labels);
    om_text_free(&t);
    om_ltl_free(l);
    om_context_free(ctx);
}

static void memory_may_run_out(void **state)
{
    (void) state;
    int rc = OM_ENOMEM;
    size_t n = 0;
    for (; rc != OM_OK; n++) {
        test_heap h;
        test_heap_init(&h, n);
        rc = use_everything(&h.heap);
        assert_int_equal(h.live, 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM);
        assert_true(n < 10000);
    }
    assert_true(n > 20);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(precedence_and_associativity),
        TEST(propositions),
        TEST(propositions_end_where_logic_starts),
        TEST(messages_name_the_place),
        TEST(too_many_propositions),
        TEST(deep_formulas_on_long_words),
        TEST(formulas_nest_as_deeply_as_memory_allows),
        TEST(nesting_of_expressions_is_bounded),
        TEST(brackets_are_looked_at_once),
        TEST(long_chains_are_fine),
        TEST(make_refuses_nonsense),
        TEST(simplifications),
        TEST(random_formulas),
        TEST(spellings),
        TEST(random_formulas_in_each_spelling),
        TEST(names_like_operators_in_each_spelling),
        TEST(propositions_have_places),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
