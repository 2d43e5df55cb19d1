/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about files that are not nets, and their positions */
#include "fixture.h"

static const struct {
    const char *text, *message;
} WRONG[] = {
    { "", "m.pnml:1:1: no element found" },
    { "x", "m.pnml:1:1: syntax error" },
    { "<pnml>", "m.pnml:1:7: no element found" },
    { "<a/>", "m.pnml:1:1: this is not PNML: its outermost element is 'a', not 'pnml'" },
    { "<pnml/>", "m.pnml: the document has no net" },
    { "<pnml><net id=\"n\" type=\"ptnet\"></page></pnml>", "m.pnml:1:34: mismatched tag" },
    { "<!DOCTYPE pnml [<!ENTITY a \"aa\">]>\n<pnml/>",
        "m.pnml:1:16: the document declares a document type, 'pnml', which is not supported" },
    { "<!DOCTYPE pnml SYSTEM \"pnml.dtd\">\n<pnml/>",
        "m.pnml:1:33: the document declares a document type, 'pnml', which is not supported" },
    { "<pnml>&a;</pnml>", "m.pnml:1:7: undefined entity" },
    { "<pnml><net/></pnml>", "m.pnml:1:7: 'net' has no id" },
    { "<pnml><net id=\"n\"/></pnml>", "m.pnml:1:7: 'net' has no type" },
    { "<pnml><net id=\"n\" type=\"http://x.org/hlpn\"/></pnml>",
        "m.pnml:1:7: nets of type 'http://x.org/hlpn' are not supported, only P/T nets (ptnet) and "
        "symmetric nets (symmetricnet)" },
    { "<pnml>\n<net id=\"n\" type=\"ptnet\"/>\n<net id=\"m\" type=\"ptnet\"/></pnml>",
        "m.pnml:3:1: a second net: a model is a single net" },
    { "<pnml><page/></pnml>",
        "m.pnml:1:7: a 'page' is not allowed here: a document has a net, a net has pages" },
    { "<pnml><net id=\"n\" type=\"ptnet\"><net/></net></pnml>",
        "m.pnml:1:32: a 'net' is not allowed here: a document has a net, a net has pages" },
    { "<pnml><net id=\"n\" type=\"ptnet\"><page><pnml/></page></net></pnml>",
        "m.pnml:1:38: a 'pnml' is not allowed here: a document has a net, a net has pages" },
    { NET("<place/>"), "m.pnml:4:1: 'place' has no id" },
    { NET("<place id=\"\"/>"), "m.pnml:4:1: 'place' has no id" },
    { NET("<place id=\"a&#10;b\"/>"),
        "m.pnml:4:1: there is a control character in the id of 'place'" },
    { NET("<place id=\"p\" id=\"q\"/>"), "m.pnml:4:15: duplicate attribute" },
    { NET("<place id=\"p\"/>\n<transition id=\"p\"/>"),
        "m.pnml:5:1: id 'p' is used twice (first in line 4)" },
    { NET("<place id=\"p\"><capacity/></place>"),
        "m.pnml:4:15: the capacity of 'place' must be a number from 0 to 2147483647, not ''" },
    { NET("<place id=\"p\"><capacity><text>0</text></capacity></place>"),
        "m.pnml:4:1: 'place' with a capacity of 0 is not supported" },
    { NET("<place id=\"p\" capacity=\"1\" initialMarking=\"2\"/>"),
        "m.pnml:4:1: 'place' with 2 tokens and a capacity of 1" },
    { NET("<place id=\"p\" initialMarking=\"x\"/>"),
        "m.pnml:4:1: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "'x'" },
    { NET("<place id=\"p\" initialMarking=\"1\"><initialMarking><text>2</text></initialMarking>"
          "</place>"),
        "m.pnml:4:1: 'place' has two different values of initialMarking" },
    { NET("<place id=\"p\"><initialMarking><text>2</text><unit/></initialMarking></place>"),
        "m.pnml:4:45: 'initialMarking' with 'unit' is not supported" },
    { NET("<place id=\"p\"><initialMarking><value>Red,1,Blue,1</value></initialMarking></place>"),
        "m.pnml:4:31: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "'Red,1,Blue,1'" },
    { NET("<place id=\"p\"><initialMarking><value>Red,1</value></initialMarking></place>\n<place "
          "id=\"q\"><initialMarking><value>Red,0,Blue,1</value></initialMarking></place>"),
        "m.pnml:5:31: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "'Red,0,Blue,1'" },
    { NET("<place id=\"p\" invariant=\"&lt;= 3\"/>"),
        "m.pnml:4:1: 'place' with invariant=\"<= 3\" is not supported" },
    { NET("<place id=\"p\" colour=\"red\"/>"),
        "m.pnml:4:1: 'place' with the attribute 'colour' is not supported" },
    { NET("<place id=\"p\"><tagged><value>true</value></tagged></place>"),
        "m.pnml:4:15: 'place' with the tagged 'true' is not supported" },
    { NET("<transition id=\"t\" urgent=\"true\"/>"),
        "m.pnml:4:1: 'transition' with urgent=\"true\" is not supported" },
    { NET("<transition id=\"t\"><delay/></transition>"),
        "m.pnml:4:20: 'transition' with 'delay' is not supported" },
    { NET("<transition id=\"t\" priority=\"high\"/>"),
        "m.pnml:4:1: 'transition' with the priority 'high' is not supported" },
    { NET("<transition id=\"t\" priority=\"2\"/>\n<transition id=\"u\" priority=\"1\"/>"),
        "m.pnml:5:1: transitions of different priorities, or immediate ones together with timed "
        "ones, are not supported" },
    { NET("<transition id=\"t\"><timed><value>true</value></timed></transition>\n<transition "
          "id=\"u\"/>"),
        "m.pnml:5:1: transitions of different priorities, or immediate ones together with timed "
        "ones, are not supported" },
    { NET("<toolspecific tool=\"x\"><a/></toolspecific><labelarc/>"),
        "m.pnml:4:43: 'labelarc' is not supported" },
    { "<pnml><shared-place name=\"p\"/></pnml>", "m.pnml:1:7: 'shared-place' is not supported" },
    { "<pnml><net id=\"n\" type=\"ptnet\" active=\"false\"/></pnml>",
        "m.pnml:1:7: 'net' with active=\"false\" is not supported" },
    { NET("<place id=\"p\"><initialMarking/></place>"),
        "m.pnml:4:15: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "''" },
    { NET("<place id=\"p\"><initialMarking><text>x</text></initialMarking></place>"),
        "m.pnml:4:31: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "'x'" },
    { NET("<place id=\"p\"><initialMarking><text>-1</text></initialMarking></place>"),
        "m.pnml:4:31: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "'-1'" },
    { NET("<place id=\"p\"><initialMarking><text/></initialMarking></place>"),
        "m.pnml:4:31: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "''" },
    { NET("<place id=\"p\"><initialMarking><text>2147483648</text></initialMarking></place>"),
        "m.pnml:4:31: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "'2147483648'" },
    { NET("<place "
          "id=\"p\"><initialMarking><text>99999999999999999999</text></initialMarking></place>"),
        "m.pnml:4:31: the initialMarking of 'place' must be a number from 0 to 2147483647, not "
        "'99999999999999999999'" },
    { NET("<place "
          "id=\"p\"><initialMarking><text>1</text></initialMarking>\n<initialMarking><text>1</"
          "text></initialMarking></place>"),
        "m.pnml:5:1: 'place' with more than one 'initialMarking'" },
    { NET("<transition id=\"t\"><condition/></transition>"),
        "m.pnml:4:20: 'transition' with 'condition' is not supported" },
    { NET("<arc id=\"a\" target=\"t\"/>"), "m.pnml:4:1: 'arc' has no source" },
    { NET("<arc id=\"a\" source=\"p\"/>"), "m.pnml:4:1: 'arc' has no target" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc id=\"a\" source=\"p\" target=\"u\"/>"),
        "m.pnml:5:1: there is no place or transition 'u'" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc id=\"a\" source=\"q\" target=\"t\"/>"),
        "m.pnml:5:1: there is no place or transition 'q'" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc id=\"a\" source=\"g\" target=\"t\"/>"),
        "m.pnml:5:1: there is no place or transition 'g'" },
    { NET("<place id=\"p\"/><place id=\"q\"/>\n<arc source=\"p\" target=\"q\"/>"),
        "m.pnml:5:1: an arc leads from a place to a transition or vice versa, not from 'p' to "
        "'q'" },
    { NET("<transition id=\"t\"/><transition id=\"u\"/>\n<arc source=\"t\" target=\"u\"/>"),
        "m.pnml:5:1: an arc leads from a place to a transition or vice versa, not from 't' to "
        "'u'" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" "
          "target=\"t\"><inscription><text>0</text></inscription></arc>"),
        "m.pnml:5:41: the inscription of 'arc' must be a number from 1 to 2147483647, not '0'" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" "
          "target=\"t\"><inscription><text>2147483648</text></inscription></arc>"),
        "m.pnml:5:41: the inscription of 'arc' must be a number from 1 to 2147483647, not "
        "'2147483648'" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" "
          "target=\"t\"><inscription/></arc>"),
        "m.pnml:5:28: the inscription of 'arc' must be a number from 1 to 2147483647, not ''" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\"><type "
          "value=\"inhibitory\"/></arc>"),
        "m.pnml:5:28: arcs of type 'inhibitory' are not supported" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\" "
          "type=\"reset\"><type value=\"inhibitor\"/></arc>"),
        "m.pnml:5:1: an arc of two different types" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\" "
          "type=\"stopwatch\"/>"),
        "m.pnml:5:1: arcs of type 'stopwatch' are not supported" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"t\" target=\"p\" "
          "type=\"inhibitor\"/>"),
        "m.pnml:5:1: an inhibitor, reset or read arc leads from a place to a transition, not from "
        "'t' to 'p'" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\" "
          "weight=\"2\"><inscription><text>3</text></inscription></arc>"),
        "m.pnml:5:1: 'arc' has two different weights" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\" weight=\"0\"/>"),
        "m.pnml:5:1: the weight of 'arc' must be a number from 1 to 2147483647, not '0'" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\" type=\"reset\" "
          "weight=\"2\"/>"),
        "m.pnml:5:1: a reset arc with a weight is not supported: it takes all tokens" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\" type=\"timed\" "
          "inscription=\"[0,3]\"/>"),
        "m.pnml:5:1: 'arc' with the inscription '[0,3]' is not supported" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<transportArc source=\"p\" target=\"t\"/>"),
        "m.pnml:5:1: 'transportArc' is not supported" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\"><type/></arc>"),
        "m.pnml:5:28: arcs of type '' are not supported" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" "
          "target=\"t\"><hlinscription/></arc>"),
        "m.pnml:5:28: 'arc' with 'hlinscription' is not supported" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" "
          "target=\"t\"><inscription><text>2147483647</text></inscription></arc>\n<arc "
          "source=\"p\" target=\"t\"><inscription><text>1</text></inscription></arc>"),
        "m.pnml:4:16: the arcs between transition 't' and place 'p' add up to more than 2147483647 "
        "tokens" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"t\" "
          "target=\"p\"><inscription><text>2147483647</text></inscription></arc>\n<arc "
          "source=\"t\" target=\"p\"><inscription><text>1</text></inscription></arc>"),
        "m.pnml:4:16: the arcs between transition 't' and place 'p' add up to more than 2147483647 "
        "tokens" },
    { NET("<place id=\"p\"/><transition id=\"t\"/>\n<arc source=\"p\" target=\"t\" "
          "type=\"inhibitor\"><inscription><value>2</value></inscription></arc>"),
        "m.pnml:5:45: an inhibitor arc with a weight is not supported in PIPE's notation: PIPE has "
        "none" },
    { NET("<referencePlace id=\"r\"/>"), "m.pnml:4:1: 'referencePlace' has no ref" },
    { NET("<referencePlace id=\"r\" ref=\"q\"/>"),
        "m.pnml:4:1: reference 'r': there is no place 'q'" },
    { NET("<transition id=\"t\"/><referencePlace id=\"r\" ref=\"t\"/>"),
        "m.pnml:4:21: reference 'r': there is no place 't'" },
    { NET("<place id=\"p\"/><referenceTransition id=\"r\" ref=\"p\"/>"),
        "m.pnml:4:16: reference 'r': there is no transition 'p'" },
    { NET("<referencePlace id=\"r\" ref=\"r\"/>"), "m.pnml:4:1: reference 'r' refers to itself" },
    { NET("<referencePlace id=\"r\" ref=\"s\"/>\n<referencePlace id=\"s\" ref=\"r\"/>"),
        "m.pnml:4:1: reference 'r' refers to itself" },
    { NET("<place id=\"p\"/><referencePlace id=\"r\" ref=\"s\"/>\n<referenceTransition id=\"s\" "
          "ref=\"p\"/>"),
        "m.pnml:4:16: reference 'r': there is no place 's'" },
    { NET("<place id=\"p\"/><referencePlace id=\"r\" ref=\"p\"/>\n<place id=\"q\"/><arc "
          "source=\"r\" target=\"q\"/>"),
        "m.pnml:5:16: an arc leads from a place to a transition or vice versa, not from 'p' to "
        "'q'" },
};

static void wrong(void **state)
{
    fixture *f = *state;
    om_model *m = NULL;
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        int rc = fixture_try(f, WRONG[i].text, strlen(WRONG[i].text), &m);
        assert_string_equal(om_context_error(f->ctx), WRONG[i].message);
        assert_int_equal(rc, OM_EINPUT);
        assert_null(m);
    }
}

/* Elements without effect are skipped; one warning names the editors that write them. */
static void passed_over(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, NET("<declaration/>\n<labels x=\"1\"/>" PLACE(
                                      "p", "1") "<toolspecific tool=\"x\"><a/></toolspecific>"));
    assert_int_equal(f->warnings, 1);
    assert_string_equal(f->warning,
        "m.pnml:4:1: 'declaration' is not in the standard: it is read as written by TAPAAL");
    om_model_free(m);
    m = fixture_load(f, NET(PLACE("p", "1") "<toolspecific tool=\"x\"><a/></toolspecific>"));
    assert_int_equal(f->warnings, 0);
    om_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong),
        cmocka_unit_test(passed_over),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
