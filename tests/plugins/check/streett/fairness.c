/* SPDX-License-Identifier: Apache-2.0 */
#include "fairness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

formula streett_pairs(uint32_t n)
{
    formula f = { .sets = 2 * n };
    for (uint32_t i = 0; i < n; i++) {
        f.at[f.length++] = (om_acc){ OM_ACC_FIN, (uint8_t) (2 * i) };
        f.at[f.length++] = (om_acc){ OM_ACC_INF, (uint8_t) (2 * i + 1) };
        f.at[f.length++] = (om_acc){ OM_ACC_OR, 0 };
        if (i > 0)
            f.at[f.length++] = (om_acc){ OM_ACC_AND, 0 };
    }
    return f;
}

const hypothesis eight_hypotheses[8] = { { P(0), P(1) }, { P(2), P(0) }, { P(3), P(2) },
    { P(4), P(2) }, { P(5), P(3) }, { P(6), P(5) | P(4) }, { P(7), P(6) }, { P(1), P(7) } };

om_automaton *fairness(om_context *ctx, const hypothesis *h, uint32_t n, unsigned never)
{
    static const char *const aps[FAIRNESS_APS] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",
        "p8" };
    const formula f = streett_pairs(n);
    const uint32_t last = never != 0;
    om_automaton *a = NULL;
    assert_int_equal(om_automaton_new(&a, ctx, FAIRNESS_APS, aps), OM_OK);
    assert_int_equal(om_automaton_add_states(a, 1 + last, NULL), OM_OK);
    assert_int_equal(om_automaton_set_acceptance(a, f.sets, f.at, f.length), OM_OK);
    assert_int_equal(om_automaton_add_initial(a, 0), OM_OK);
    for (unsigned label = 0; label < 1u << FAIRNESS_APS; label++) {
        const om_cube cube = { label, ~label & ((1u << FAIRNESS_APS) - 1) };
        om_marks marks = 0;
        for (uint32_t i = 0; i < n; i++) {
            marks |= (om_marks) ((label & h[i].en) != 0) << (2 * i);
            marks |= (om_marks) ((label & h[i].oc) != 0) << (2 * i + 1);
        }
        if (last != 0) /* no run stays in 0: this loop has l of the first pair and never its u */
            assert_int_equal(om_automaton_add_edge(a, 0, 0, 1, &cube, 1), OM_OK);
        if ((label & never) != 0)
            continue;
        assert_int_equal(om_automaton_add_edge(a, 0, last, last != 0 ? 0 : marks, &cube, 1), OM_OK);
        if (last != 0)
            assert_int_equal(om_automaton_add_edge(a, 1, 1, marks, &cube, 1), OM_OK);
    }
    assert_int_equal(om_automaton_finish(a), OM_OK);
    return a;
}
