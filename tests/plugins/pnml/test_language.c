/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of a net: markings and steps, pages and references, slots and labels */
#include "fixture.h"

static uint64_t states(fixture *f, const char *text)
{
    return fixture_size(f, text).states;
}

static void steps(void **state)
{
    fixture *f = *state;
    dve_size size = fixture_size(
        f, NET(PLACE("p", "3") PLACE("q", "0") TRANSITION("t") ARC("p", "t") ARC("t", "q")));
    assert_int_equal(size.states, 4);
    assert_int_equal(size.transitions, 3);
    assert_int_equal(size.deadlocks, 1);
    assert_int_equal(states(f, NET("")), 1);
    assert_int_equal(states(f, NET(PLACE("p", "3"))), 1);
    /* Two transitions between the same two markings are two firings. */
    size = fixture_size(
        f, NET(PLACE("p", "1") TRANSITION("t") TRANSITION("u") ARC("p", "t") ARC("p", "u")));
    assert_int_equal(size.states, 2);
    assert_int_equal(size.transitions, 2);
    /* A transition without arcs fires for ever and changes nothing. */
    size = fixture_size(f, NET(TRANSITION("t")));
    assert_int_equal(size.states, 1);
    assert_int_equal(size.transitions, 1);
}

static void weights(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, NET(PLACE("p", "7") PLACE("q", "0") TRANSITION("t")
                                          WEIGHTED("p", "t", "3") WEIGHTED("t", "q", "2")));
    assert_true(fixture_reaches(f, m, "p == 1 && q == 4"));
    assert_false(fixture_reaches(f, m, "p < 1 || q > 4"));
    om_model_free(m);
    /* The tokens that a transition takes must be there, even if it gives them back. */
    m = fixture_load(
        f, NET(PLACE("p", "7") TRANSITION("t") WEIGHTED("p", "t", "3") WEIGHTED("t", "p", "2")));
    assert_true(fixture_reaches(f, m, "p == 2"));
    assert_false(fixture_reaches(f, m, "p < 2"));
    om_model_free(m);
    /* The largest possible numbers */
    m = fixture_load(f, NET(PLACE("p", "2147483647") PLACE("q", "0") TRANSITION("t")
                                WEIGHTED("p", "t", "2147483647") WEIGHTED("t", "q", "2147483647")));
    assert_true(fixture_reaches(f, m, "p == 0 && q == 2147483647"));
    om_model_free(m);
}

static void parallel_arcs_add_up(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, NET(PLACE("p", "7") PLACE("q", "0") TRANSITION("t") WEIGHTED(
                                      "p", "t", "2") ARC("t", "q") ARC("p", "t") ARC("t", "q")));
    assert_true(fixture_reaches(f, m, "p == 1 && q == 4"));
    assert_false(fixture_reaches(f, m, "p == 5 || q == 1"));
    om_model_free(m);
}

/* Nodes may be on any page, and references to nodes or to references anywhere. */
static void pages_and_references(void **state)
{
    static const char NESTED[] = NET(
        "<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"p\"/>"
        "<page id=\"h\"><page id=\"i\">" PLACE("p",
            "2") "</page>"
                 "<referenceTransition id=\"u\" ref=\"t\"/>" ARC("r", "u") "</page>" TRANSITION("t")
                     ARC("s", "t") ARC("t", "q")) "";
    fixture *f = *state;
    om_model *m = NULL;
    assert_int_equal(fixture_try(f, NESTED, strlen(NESTED), &m), OM_EINPUT); /* there is no q */
    assert_string_equal(
        om_context_error(f->ctx), "m.pnml:8:1: there is no place or transition 'q'");
    m = fixture_load(
        f, NET("<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"p\"/>"
               "<page id=\"h\"><page id=\"i\">" PLACE("p", "2")
                   PLACE("q", "0") "</page>"
                                   "<referenceTransition id=\"u\" ref=\"t\"/>" ARC("r",
                                       "u") "</page>" TRANSITION("t") ARC("s", "t") ARC("t", "q")));
    assert_true(fixture_reaches(f, m, "p == 0 && q == 1"));
    assert_false(fixture_reaches(f, m, "p == 1"));
    assert_int_equal(om_model_slot_count(m), 2);
    om_model_free(m);
}

/* Objects directly in the net, namespace prefixes, graphics, a missing marking */
static void spellings(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f,
        "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- a net -->"
        "<x:pnml xmlns:x=\"http://www.pnml.org/version-2009/grammar/pnml\">"
        "<x:net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><x:name>"
        "<x:text>A net</x:text></x:name><x:place id=\"p\"><graphics><position x=\"1\"/></graphics>"
        "<x:initialMarking><x:text> \n 1\t</x:text><toolspecific tool=\"y\"/></x:initialMarking>"
        "</x:place><x:place id=\"q\"/></x:net></x:pnml>");
    assert_int_equal(f->warnings, 0);
    assert_true(fixture_reaches(f, m, "p == 1 && q == 0"));
    om_model_free(m);
}

static void slots_and_labels(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(
        f, NET(PLACE("p", "5") TRANSITION(
               "t") "<transition id=\"u\"><name><text>send\nit</text></name></transition>"
                    "<place id=\"q\"><name><text>other</text></name></place>" ARC("p", "t")
                        ARC("t", "q") ARC("q", "u") ARC("u", "p")));
    const om_slot *p = om_model_slot(m, om_model_find_slot(m, "p"));
    const om_slot *q = om_model_slot(m, om_model_find_slot(m, "q"));
    assert_int_equal(p->place.line, 4);
    assert_int_equal(p->bits, 3); /* five tokens at most */
    assert_int_equal(q->bits, 3);
    assert_int_equal(om_model_find_slot(m, "other"), OM_NONE);
    assert_string_equal(om_model_transition(m, 0)->label, "t");
    assert_string_equal(om_model_transition(m, 1)->label, "u (send it)");
    assert_int_equal(om_model_transition(m, 0)->place.line, 5);
    assert_int_equal(om_model_transition(m, 0)->assign_count, 2);
    om_model_free(m);
}

/* No count is ever wrong: a count of more than 32 bits is a fault. */
static void tokens_without_bound(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(
        f, NET(PLACE("p", "1") TRANSITION("t") ARC("p", "t") WEIGHTED("t", "p", "2147483647")));
    dve_size size = fixture_explore(f, m);
    assert_int_equal(size.states, 3); /* the last one is the fault */
    assert_int_equal(OM_FAULT_KIND(size.fault), OM_FAULT_ASSERTION);
    om_context_clear(f->ctx);
    assert_int_equal(om_model_fault(m, size.fault), OM_EMODEL);
    assert_string_equal(
        om_context_error(f->ctx), "m.pnml:4:1: assertion fails: p has at most 2147483647 tokens");
    om_model_free(m);
}

static void counts_far_up(void **state)
{
    fixture *f = *state;
    om_model *m = fixture_load(f, NET(PLACE("p", "0") TRANSITION("t") WEIGHTED("t", "p", "21474")));
    dve_size size = fixture_explore(f, m);
    assert_int_equal(size.states, 100005); /* 0 .. 100003 times 21474, and the fault */
    assert_int_equal(OM_FAULT_KIND(size.fault), OM_FAULT_ASSERTION);
    om_model_free(m);
}

/* Tests the net that a program gets, and that lowering it makes the model that load() makes. */
static void the_net_itself(void **state)
{
    static const char text[] =
        NET(PLACE("p", "3") PLACE("q", "0") TRANSITION("t") WEIGHTED("p", "t", "2") ARC("t", "q"));
    fixture *f = *state;
    om_net *net = NULL;
    om_model *m = NULL;
    assert_int_equal(f->pnml->net(f->ctx, "m.pnml", text, sizeof text - 1, NULL, &net), OM_OK);
    assert_int_equal(net->place_count, 2);
    assert_int_equal(net->transition_count, 1);
    assert_int_equal(net->places[0].initial, 3);
    assert_int_equal(net->places[0].bound, OM_NET_NO_BOUND);
    assert_int_equal(net->transitions[0].takes[0].count, 2);
    assert_string_equal(net->place_nodes[net->places[1].node].id, "q");
    assert_string_equal(net->file, "m.pnml");
    assert_int_equal(om_net_bound(net), OM_OK);
    assert_int_equal(net->places[0].bound, 3);
    assert_int_equal(net->places[1].bound, 1);
    assert_int_equal(om_model_new(&m, f->ctx, "m"), OM_OK);
    assert_int_equal(om_net_lower(net, m), OM_OK);
    assert_int_equal(om_model_finish(m), OM_OK);
    dve_size size = fixture_explore(f, m);
    assert_int_equal(size.states, 2);
    assert_int_equal(size.transitions, 1);
    om_model_free(m);
    om_net_free(net);
    net = NULL;
    assert_int_equal(f->pnml->net(f->ctx, "m.pnml", "<pnml/>", 7, NULL, &net), OM_EINPUT);
    assert_null(net);
    om_net_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(weights),
        cmocka_unit_test(parallel_arcs_add_up),
        cmocka_unit_test(pages_and_references),
        cmocka_unit_test(spellings),
        cmocka_unit_test(slots_and_labels),
        cmocka_unit_test(tokens_without_bound),
        cmocka_unit_test(counts_far_up),
        cmocka_unit_test(the_net_itself),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
