/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about invalid symmetric nets. The element at fault starts the second line. */
#include "colour_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *text, const char *message)
{
    om_context *ctx = NULL;
    om_net net;
    char expected[1024];
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(colour_net_read(ctx, text, strlen(text), &net), OM_EINPUT);
    (void) snprintf(expected, sizeof expected, "m.pnml:2:1: %s", message);
    assert_string_equal(om_context_error(ctx), expected);
    om_net_clear(&net);
    om_context_free(ctx);
}

#define SORT(sort) NET(NAMED("S", sort), "")

static void sorts(void **state)
{
    (void) state;
    check(NET("\n<namedsort name='a'/>", ""), "'namedsort' has no id");
    check(NET("\n<namedsort id='a'/>", ""), "sort 'a' must be declared as one sort");
    check(NET(NAMED("a", "<dot/>") "\n" NAMED("a", "<dot/>"), ""), "sort 'a' is declared twice");
    check(NET("\n<unparsed/>", ""),
        "declarations of symmetric nets are sorts, partitions and variables, not 'unparsed'");
    check(SORT("\n<usersort/>"), "there is no sort ''");
    check(SORT("\n" USER("T")), "there is no sort 'T'");
    check(SORT("\n" USER("S")), "sort 'S' is declared in terms of itself");
    check(NET(NAMED("S", USER("T")) NAMED("T", "<productsort>\n" USER("S") "</productsort>"), ""),
        "sort 'S' is declared in terms of itself");
    check(SORT("\n<string/>"), "'string' is not a sort of a symmetric net");
    check(SORT("\n<cyclicenumeration/>"), "'cyclicenumeration' has no constants");
    check(SORT("<cyclicenumeration>\n<dot/></cyclicenumeration>"),
        "a 'cyclicenumeration' cannot contain 'dot'");
    check(SORT("<cyclicenumeration>\n<feconstant/></cyclicenumeration>"), "'feconstant' has no id");
    check(SORT("<finiteenumeration>" CONSTANTS3(
              "a", "b", "c") "\n<feconstant id='b'/></finiteenumeration>"),
        "constant 'b' is declared twice");
    check(SORT("\n<finiteintrange start='1'/>"), "'finiteintrange' needs numbers as start and end");
    check(SORT("\n" RANGE("1", "99999999999999999999")),
        "'finiteintrange' needs numbers as start and end");
    check(SORT("\n" RANGE("2", "1")), "the range from 2 to 1 is empty");
    check(SORT("\n<productsort/>"), "'productsort' has no components");
}

static void products(void **state)
{
    (void) state;
    check(NET(NAMED("R", RANGE("1", "2147483647"))
                  NAMED("P", "<productsort>" USER("R") USER("R") "</productsort>")
                      NAMED("Q", "\n<productsort>" USER("P") USER("P") "</productsort>"),
              ""),
        "a product with more than 2^62 colours");
}

/* A chain of declarations that refer to each other, so long that reading them needs a limit */
static void chains(void **state)
{
    om_text text = { .heap = om_heap_default() };
    om_context *ctx = NULL;
    om_net net;
    (void) state;
    om_text_add(
        &text, "<pnml><net id='n' type='symmetricnet'><declaration><structure><declarations>");
    for (int i = 0; i < 100000; i++)
        om_text_printf(&text,
            "<namedsort id='s%d'><productsort><usersort "
            "declaration='s%d'/></productsort></namedsort>",
            i, i + 1);
    om_text_add(&text,
        "<namedsort "
        "id='s100000'><dot/></namedsort></declarations></structure></declaration></net></pnml>");
    assert_false(text.failed);
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(colour_net_read(ctx, text.text, text.length, &net), OM_EINPUT);
    assert_non_null(strstr(om_context_error(ctx), "sorts are nested more than 100 deep"));
    om_net_clear(&net);
    om_context_free(ctx);
    om_text_free(&text);
}

#define ENUMS                                                                          \
    NAMED("D", "<dot/>")                                                               \
    NAMED("C", "<cyclicenumeration>" CONSTANTS3("a", "b", "c") "</cyclicenumeration>") \
    NAMED("F", "<cyclicenumeration>" CONSTANTS3("f", "g", "h") "</cyclicenumeration>") \
    NAMED("R", RANGE("1", "3"))                                                        \
    NAMED("P", "<productsort>" USER("C") USER("F") "</productsort>")                   \
    DECLARE("x", "C") DECLARE("s", "F") DECLARE("p", "P")

static void partitions(void **state)
{
    (void) state;
    check(NET(ENUMS "\n<partition id='H'/>", ""), "a partition needs a sort and elements");
    check(NET(ENUMS "\n<partition id='H'>" USER("R") "<partitionelement id='l'/></partition>", ""),
        "only enumerations can be partitioned");
    check(NET(ENUMS "<partition id='H'>" USER("C") "<partitionelement id='l'>\n" CONST(
                  "f") "</partitionelement></partition>",
              ""),
        "'f' is not a constant of the partitioned sort");
    check(NET(ENUMS "<partition id='H'>" USER("C") "<partitionelement id='l'>" CONST(
                  "a") "\n" CONST("a") "</partitionelement></partition>",
              ""),
        "'a' is in 'l' already");
    check(NET(ENUMS "\n<partition id='H'>" USER("C") "<partitionelement id='l'>" CONST("a")
                  CONST("c") "</partitionelement></partition>",
              ""),
        "'b' is in no element of the partition");
    check(NET(ENUMS "<partition id='H'>" USER("C") "<partitionelement id='l'/>\n<dot/></partition>",
              ""),
        "a 'partition' cannot contain 'dot' here");
}

static void variables(void **state)
{
    (void) state;
    check(NET("\n<variabledecl id='x'/>", ""), "'variabledecl' has no sort");
    check(
        NET(ENUMS "\n<variabledecl>" USER("C") "</variabledecl>", ""), "'variabledecl' has no id");
    check(NET(ENUMS "\n" DECLARE("x", "F"), ""), "variable 'x' is declared twice");
    check(NET("<variabledecl id='x'>\n" USER("T") "</variabledecl>", ""), "there is no sort 'T'");
    check(NET(NAMED("R", RANGE("0", "4294967295")) "\n" DECLARE("x", "R"), ""),
        "variable 'x' has 2^32 colours or more");
}

/* Nets with a term on an arc from a place of sort C, P or R */
#define TERM(term) NET(ENUMS, PLACE("A", "C", "") TRANSITION("t", "") ARC("1", "A", "t", term))
#define TERM_P(term) NET(ENUMS, PLACE("A", "P", "") TRANSITION("t", "") ARC("1", "A", "t", term))
#define TERM_R(term) NET(ENUMS, PLACE("A", "R", "") TRANSITION("t", "") ARC("1", "A", "t", term))

static void terms(void **state)
{
    (void) state;
    check(TERM("\n<string/>"), "'string' is not a term of a symmetric net");
    check(TERM("\n" VAR("z")), "there is no variable 'z'");
    check(TERM("\n" VAR("s")), "this is of sort 'F', but 'C' is expected");
    check(TERM("\n" CONST("z")), "there is no constant 'z'");
    check(TERM("\n" CONST("f")), "this is of sort 'F', but 'C' is expected");
    check(TERM("\n" DOT), "this is of sort 'dot', but 'C' is expected");
    check(TERM("\n" ALL("F")), "this is of sort 'F', but 'C' is expected");
    check(TERM("\n<all/>"), "'all' does not name its sort");
    check(TERM("\n" F2("tuple", VAR("x"), VAR("x"))), "a tuple of 2, but 'C' is expected");
}

static void numbers(void **state)
{
    (void) state;
    check(TERM(F2("numberof", "\n<numberconstant value='-1'/>", VAR("x"))),
        "a multiplicity must be a number from 0 to 2147483647");
    check(TERM(F2("numberof", "\n" VAR("x"), VAR("x"))),
        "a multiplicity must be a number from 0 to 2147483647");
    check(TERM(F2("numberof", "<numberconstant value='65536'/>",
              F2("numberof", "\n<numberconstant value='65536'/>", VAR("x")))),
        "more than 2147483647 tokens");
    check(TERM("\n" F1("numberof", VAR("x"))),
        "'numberof' does not have the terms that it needs, each in a 'subterm'");
    check(TERM_R("\n" NUMBER("4", "1", "3")), "'4' is not in the range from 1 to 3");
    check(TERM_R("\n" NUMBER("1", "1", "2")),
        "this is of sort 'finiteintrange', but 'R' is expected");
    check(TERM_R("\n<finiteintrangeconstant value='1'/>"),
        "'finiteintrangeconstant' does not name its range");
}

static void operators(void **state)
{
    (void) state;
    check(TERM_P("\n" F1("successor", VAR("p"))),
        "'successor' applies to enumerations and ranges, not to 'P'");
    check(TERM("\n" F1("successor", ALL("C"))), "'successor' applies to a single colour");
    check(TERM("\n<successor/>"),
        "'successor' does not have the terms that it needs, each in a 'subterm'");
    check(TERM("\n<add/>"), "'add' does not have the terms that it needs, each in a 'subterm'");
    check(TERM("\n" F1("subtract", VAR("x"))),
        "'subtract' does not have the terms that it needs, each in a 'subterm'");
    check(TERM("\n<partitionelementof refpartition='C'/>"), "there is no partition 'C'");
    check(TERM_P(F2("tuple", VAR("x"), "\n" VAR("x"))), "this is of sort 'C', but 'F' is expected");
}

#define GUARDED(guard) NET(ENUMS, TRANSITION("t", GUARD(guard)))

static void guards(void **state)
{
    (void) state;
    check(GUARDED("\n" VAR("x")), "'variable' is not a condition of a symmetric net");
    check(GUARDED("\n<and/>"), "'and' with 0 terms");
    check(GUARDED("\n" F2("not", "<and/>", "<and/>")), "'not' with 2 terms");
    check(GUARDED("<and>\n<subterm/></and>"), "'and' needs one term in each 'subterm'");
    check(GUARDED("\n<booleanconstant value='1'/>"), "'booleanconstant' must be true or false");
    check(GUARDED("\n" F1("equality", VAR("x"))),
        "'equality' compares two terms, each in a 'subterm'");
    check(GUARDED(F2("equality", VAR("x"), "\n" VAR("s"))),
        "this is of sort 'F', but 'C' is expected");
    check(
        GUARDED("\n" F2("lessthan", VAR("p"), VAR("p"))), "'lessthan' does not apply to products");
    check(GUARDED("\n" F2("ltp", VAR("x"), VAR("x"))),
        "'ltp' applies only to elements of partitions");
    check(GUARDED("\n" F2("equality", VAR("x"), ALL("C"))), "'equality' compares single colours");
    check(GUARDED(F2("equality", "\n" ALL("C"), VAR("x"))),
        "'all' is not a term for a single colour");
}

static void places_and_arcs(void **state)
{
    (void) state;
    check(NET(ENUMS, "\n<place id='A'/>"), "place 'A' has no type");
    check(
        NET(ENUMS, PLACE("A", "C", "") TRANSITION("t", "") "\n<arc id='1' source='A' target='t'/>"),
        "an arc without an inscription at a place of sort 'C'");
    check(NET(ENUMS, PLACE("A", "C", INITIAL("\n" VAR("x")))),
        "an initial marking cannot have variables");
}

static void multisets(void **state)
{
    (void) state;
    check(NET(ENUMS, PLACE("A", "C", INITIAL("\n" F2("subtract", CONST("a"), CONST("b"))))),
        "more is subtracted than is present of b");
    check(NET(ENUMS DECLARE("y", "C"),
              PLACE("A", "C", INITIAL(ALL("C"))) PLACE("B", "C", INITIAL(CONST("c"))) TRANSITION(
                  "t", "") ARC("1", "A", "t", VAR("x")) ARC("2", "B", "t", VAR("y")) ARC("3", "t",
                  "B", "\n" F2("subtract", TIMES("2", VAR("x")), TIMES("3", VAR("y"))))),
        "more is subtracted than is present of c where x = c, y = c");
    check(NET(NAMED("R", RANGE("1", "2147483647")), PLACE("A", "R", INITIAL("\n" ALL("R")))),
        "a multiset with more than 4194304 colours, or 2147483647 of one");
    check(NET(ENUMS, "\n" PLACE("A", "C",
                         INITIAL(F2("add", TIMES("2147483647", CONST("a")), CONST("a"))))),
        "more than 2147483647 tokens");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts),
        cmocka_unit_test(products),
        cmocka_unit_test(chains),
        cmocka_unit_test(partitions),
        cmocka_unit_test(variables),
        cmocka_unit_test(terms),
        cmocka_unit_test(numbers),
        cmocka_unit_test(operators),
        cmocka_unit_test(guards),
        cmocka_unit_test(places_and_arcs),
        cmocka_unit_test(multisets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
