/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comma-separated values (RFC 4180, UTF-8): a row for each state, with the transition that leaves
 * it and a column for each variable, or element of an array. "part" is stem, cycle or trace;
 * "violated" is yes from the state on after which every continuation violates the property.
 */
#include "chart.h"
#include "escape.h"
#include "formats.h"
#include "states.h"
#include "values.h"

typedef struct sheet {
    const om_chart *chart;
    om_text cell; /* the cell under construction */
    om_text *out;
} sheet;

/* Writes the cell, followed by `separator`. */
static void put_cell(sheet *s, const char *separator)
{
    om_lasso__put_csv(s->cell.text == NULL ? "" : s->cell.text, s->out);
    om_text_add(s->out, separator);
    s->cell.length = 0;
    om_text_add(&s->cell, "");
}

static void put_head(sheet *s)
{
    const om_model *m = s->chart->m;
    om_text_add(s->out, "state,part,transition,processes,label,place,violated");
    for (uint32_t i = 0; i < om_model_shown_slots(m); i++)
        for (uint32_t e = 0; e < om_lasso__elements(om_model_slot(m, i)); e++) {
            om_text_add(s->out, ",");
            om_lasso_put_name(om_model_slot(m, i), e, &s->cell);
            put_cell(s, "");
        }
    om_text_add(s->out, "\r\n");
}

static void put_step(sheet *s, size_t i)
{
    const om_chart *c = s->chart;
    const om_chart_move *v = i < c->steps ? om_chart__move(c, i + 1) : NULL;
    if (v == NULL) {
        om_text_printf(s->out, "%s,,,", i < c->steps ? OM_LASSO_STUTTER : "");
        return;
    }
    const om_transition *t = om_model_transition(c->m, v->transition);
    om_text_printf(s->out, "%" PRIu32 ",", v->transition);
    for (uint32_t k = 0; k < v->count; k++) {
        om_text_add(&s->cell, k == 0 ? "" : " ");
        om_text_add(&s->cell, om_model_process(c->m, c->processes[v->first + k])->name);
    }
    put_cell(s, ",");
    om_text_add(&s->cell, t->label == NULL ? "" : t->label);
    put_cell(s, ",");
    om_lasso_put_place(&t->place, &s->cell);
    put_cell(s, "");
}

static void put_state(sheet *s, size_t i, const uint32_t *state)
{
    const om_lasso *l = s->chart->l;
    const om_model *m = s->chart->m;
    om_text_printf(s->out, "%zu,%s,", i,
        l->loop == OM_NO_LOOP ? "trace"
        : i < l->loop         ? "stem"
                              : "cycle");
    put_step(s, i);
    om_text_add(s->out, l->bad_prefix != 0 && i + 1 >= l->bad_prefix ? ",yes" : ",");
    for (uint32_t k = 0; k < om_model_shown_slots(m); k++)
        for (uint32_t e = 0; e < om_lasso__elements(om_model_slot(m, k)); e++) {
            om_text_add(s->out, ",");
            om_lasso_put_value(om_model_slot(m, k), state, e, &s->cell);
            put_cell(s, "");
        }
    om_text_add(s->out, "\r\n");
}

int om_lasso__write_csv(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    om_chart chart;
    om_lasso_states states;
    sheet s = { &chart, { .heap = l->heap }, out };
    const uint32_t *state, *before;
    (void) style;
    int rc = om_chart__open(&chart, l, m);
    if (rc == OM_OK)
        rc = om_lasso_states__open(&states, l, m);
    if (rc == OM_OK) {
        put_head(&s);
        for (size_t i = 0; rc == OM_OK && i < l->count; i++)
            if ((rc = om_lasso_states__next(&states, &state, &before)) == OM_OK)
                put_state(&s, i, state);
        om_lasso_states__close(&states);
    }
    if (rc == OM_OK && s.cell.failed)
        rc = OM_ENOMEM;
    om_text_free(&s.cell);
    om_chart__close(&chart);
    return rc == OM_OK ? om_text_status(out) : rc;
}
