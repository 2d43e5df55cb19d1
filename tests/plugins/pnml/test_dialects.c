/* SPDX-License-Identifier: Apache-2.0 */
/* Nets as editors write them: the meaning of their arcs and capacities, and the editor that a
 * warning names. */
#include "fixture.h"

#define TYPED(TYPE, OBJECTS) \
    "<pnml>\n<net id=\"n\" type=\"" TYPE "\">\n" OBJECTS "\n</net>\n</pnml>\n"
/* t takes the token of p and gives one to q. */
#define PAIR PLACE("p", "1") "<place id=\"q\"/><transition id=\"t\"/>" ARC("p", "t") ARC("t", "q")

static const struct {
    const char *text;
    uint64_t states, transitions;
    const char *warning; /* "": none */
} NETS[] = {
    { TYPED("ptnet", PAIR), 2, 1, "" },
    { TYPED("http://www.pnml.org/version-2009/grammar/pnmlcoremodel", PAIR), 2, 1,
        "m.pnml:2:1: 'http://www.pnml.org/version-2009/grammar/pnmlcoremodel' is not in the "
        "standard: it is read as written by ProM and pm4py" },
    { TYPED("http://www.informatik.hu-berlin.de/top/pntd/ptNetb", PAIR), 2, 1,
        "m.pnml:2:1: 'http://www.informatik.hu-berlin.de/top/pntd/ptNetb' is not in the "
        "standard: it is read as written by WoPeD" },
    { TYPED("P/T net", PAIR), 2, 1,
        "m.pnml:2:1: 'P/T net' is not in the standard: it is read as written by PIPE or TAPAAL" },
    /* ProM: kinds of arcs, and final markings */
    { TYPED("ptnet",
          PLACE("p",
              "1") "<place id=\"q\"><finalMarking><text>1</text></finalMarking></place>"
                   "<transition id=\"t\"/>" ARC("t",
                       "q") "<arc source=\"p\" target=\"t\"><arctype><text>normal</text></arctype>"
                            "</arc><finalmarkings><marking/></finalmarkings>"),
        2, 1,
        "m.pnml:4:15: 'finalMarking' is not in the standard: it is read as written by ProM and "
        "pm4py" },
    /* PIPE: values, one colour of tokens, 0 for no capacity, all transitions timed */
    { TYPED("P/T net",
          "<token id=\"Red\"/><place id=\"p\"><initialMarking><value>Default,0,Red,3</value>"
          "</initialMarking><capacity><value>0</value></capacity></place><place id=\"q\"><capacity>"
          "<value>1</value></capacity></place><transition id=\"t\"><timed><value>true</value>"
          "</timed><priority><value>1</value></priority><rate><value>0.5</value></rate>"
          "</transition><arc source=\"p\" target=\"t\"><inscription><value>Red,1</value>"
          "</inscription><arcpath/><arcpath/></arc>" ARC("t", "q")),
        2, 1,
        "m.pnml:2:1: 'P/T net' is not in the standard: it is read as written by PIPE or TAPAAL" },
    /* TAPAAL: attributes; its inscription is 1 or any age. */
    { TYPED("P/T net",
          "<place id=\"p\" name=\"P\" initialMarking=\"5\" invariant=\"&lt; inf\"/>"
          "<place id=\"q\" initialMarking=\"0\"/><transition id=\"t\" urgent=\"false\"/>"
          "<arc source=\"p\" target=\"t\" type=\"timed\" inscription=\"[0,inf)\" weight=\"2\"/>"
          "<arc source=\"t\" target=\"q\" type=\"normal\" inscription=\"1\" weight=\"3\"/>"),
        3, 2,
        "m.pnml:2:1: 'P/T net' is not in the standard: it is read as written by PIPE or TAPAAL" },
    /* An inhibitor arc of weight n: the place must have fewer than n tokens. */
    { TYPED("ptnet", PAIR "<arc source=\"q\" target=\"t\" type=\"inhibitor\"/>"), 2, 1,
        "m.pnml:6:1: 'type' is not in the standard: it is read as written by TAPAAL" },
    { TYPED("ptnet", PAIR "<arc source=\"p\" target=\"t\" type=\"inhibitor\"/>"), 1, 0,
        "m.pnml:6:1: 'type' is not in the standard: it is read as written by TAPAAL" },
    { TYPED("ptnet",
          PLACE("p", "5") "<place id=\"q\"/><transition id=\"t\"/>" ARC("p", "t") ARC(
              "t", "q") "<arc source=\"q\" target=\"t\"><inscription><text>3</text></inscription>"
                        "<type value=\"inhibitor\"/></arc>"),
        4, 3, "" },
    { TYPED("ptnet", PAIR "<inhibitorArc source=\"p\" target=\"t\"/>"), 1, 0,
        "m.pnml:6:1: 'inhibitorArc' is not in the standard: it is read as written by TAPAAL" },
    /* A reset removes the tokens that are left after taking, before giving. */
    { TYPED("ptnet",
          PLACE("p", "5") "<place id=\"q\"/><transition id=\"t\"/>" ARC("p", "t")
              WEIGHTED("t", "p", "2") ARC("t", "q") "<arc source=\"p\" target=\"t\"><type "
                                                    "value=\"reset\"/></arc><arc source=\"q\" "
                                                    "target=\"t\"><type value=\"reset\"/></arc>"),
        2, 2, "" },
    /* A reset needs no token. */
    { TYPED("ptnet", PLACE("p", "1") "<transition id=\"t\"/><arc source=\"p\" target=\"t\"><type "
                                     "value=\"reset\"/></arc>"),
        2, 2, "" },
    /* A read arc needs its tokens and leaves them; beside an ordinary arc, the larger of the two
     * weights is needed. */
    { TYPED("ptnet",
          PLACE("p", "3") "<transition id=\"t\"/>" ARC(
              "p", "t") "<arc source=\"p\" target=\"t\">"
                        "<inscription><text>2</text></inscription><type value=\"read\"/></arc>"),
        3, 2, "" },
    /* The capacity limits the tokens after the firing; a transition may take and give. */
    { TYPED("ptnet",
          "<place id=\"p\"><initialMarking><text>2</text></initialMarking><capacity><text>2</text>"
          "</capacity></place><transition id=\"t\"/><transition id=\"u\"/>" WEIGHTED("p", "t", "2")
              WEIGHTED("t", "p", "2") WEIGHTED("p", "u", "2") WEIGHTED("u", "p", "3")),
        1, 1,
        "m.pnml:3:62: 'capacity' is not in the standard: it is read as written by several "
        "editors" },
    { TYPED("ptnet", "<place id=\"p\"><capacity><text>3</text></capacity></place><transition "
                     "id=\"t\"/>" WEIGHTED("t", "p", "2")),
        2, 1,
        "m.pnml:3:15: 'capacity' is not in the standard: it is read as written by several "
        "editors" },
};

static void as_editors_write(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof NETS / sizeof *NETS; i++) {
        om_model *m = fixture_load(f, NETS[i].text);
        assert_string_equal(f->warning, NETS[i].warning);
        const dve_size size = fixture_explore(f, m);
        assert_int_equal(size.fault, 0);
        assert_int_equal(size.states, NETS[i].states);
        assert_int_equal(size.transitions, NETS[i].transitions);
        om_model_free(m);
    }
}

/* A place with a capacity has no assertion, but as many bits as the capacity needs. */
static void capacities_are_bounds(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(
        f, NET("<place id=\"p\" capacity=\"3\"/><transition id=\"t\"/>" ARC("t", "p")));
    assert_int_equal(om_model_slot(m, om_model_find_slot(m, "p"))->bits, 2);
    assert_int_equal(fixture_explore(f, m).states, 4);
    om_model_free(m);
}

/* "Can fire" respects inhibitor arcs. */
static void fireable(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, NET(PLACE("p", "2") TRANSITION("t") TRANSITION("u") ARC("p", "t")
                                          ARC("p", "u") "<arc source=\"p\" target=\"u\" "
                                                        "type=\"inhibitor\" weight=\"2\"/>"));
    assert_true(fixture_reaches(f, m, "fire(t) && !fire(u) && p == 2"));
    assert_false(fixture_reaches(f, m, "fire(u) && p != 1"));
    assert_true(fixture_reaches(f, m, "fire(u)"));
    om_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_editors_write),
        cmocka_unit_test(capacities_are_bounds),
        cmocka_unit_test(fireable),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
