/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line a step, as in the .trail files of SPIN: "STEP:PROCESS:TRANSITION". Steps count from 1 on.
 * PROCESS is the number of who moves, from 0 on in the order of the model (of a pair the first, of
 * all processes at once the first of all), or -1 where the model names nobody. TRANSITION is its
 * number in the model, as JSON has it, or -1 where nobody can move and the state is repeated. As in
 * SPIN, "-1:-1:-1" stands before the first step of the cycle.
 */
#include "chart.h"
#include "formats.h"

int om_lasso__write_trail(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    om_chart c;
    (void) style;
    int rc = om_chart__open(&c, l, m);
    for (size_t step = 1; rc == OM_OK && step <= c.steps; step++) {
        const om_chart_move *v = om_chart__move(&c, step);
        if (step == l->loop + 1)
            om_text_add(out, "-1:-1:-1\n");
        om_text_printf(out, "%zu:", step);
        if (v == NULL || v->count == 0)
            om_text_add(out, "-1:");
        else
            om_text_printf(out, "%" PRIu32 ":", c.who[v->first]);
        if (v == NULL)
            om_text_add(out, "-1\n");
        else
            om_text_printf(out, "%" PRIu32 "\n", v->transition);
    }
    om_chart__close(&c);
    return rc == OM_OK ? om_text_status(out) : rc;
}
