/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Informal Trace Format (ITF): an object with "#meta", "vars", "states" and, for a cycle,
 * "loop". The additions of omen are in the "#meta" objects, where the format allows them: for the
 * trace, the property, the form of the model, the assumed fairness, the state in which every
 * continuation violates the property, and the variables that are locations if other variables have
 * named values, too; for each state, the transition that leaves it, with its label and place, and
 * its printed output.
 */
#include "definitions.h"
#include "formats.h"
#include "printed.h"
#include "states.h"
#include "values.h"

static void put_step(const om_model *m, uint32_t transition, const char *printed, om_text *out)
{
    om_text_add(out, ", \"transition\": ");
    if (transition == OM_NONE)
        om_text_add(out, "null");
    else if (transition == OM_STUTTER)
        om_text_add_json(out, OM_LASSO_STUTTER);
    else
        om_text_printf(out, "%" PRIu32, transition);
    if (transition >= om_model_transition_count(m))
        return;
    const om_transition *t = om_model_transition(m, transition);
    om_text place = { .heap = out->heap };
    om_lasso_put_place(&t->place, &place);
    om_text_add(out, ", \"label\": ");
    om_text_add_json(out, t->label == NULL ? "" : t->label);
    om_text_add(out, ", \"place\": ");
    om_text_add_json(out, place.text == NULL ? "" : place.text);
    if (printed != NULL) {
        om_text_add(out, ", \"prints\": ");
        om_text_add_json(out, printed);
    }
    out->failed = out->failed || place.failed;
    om_text_free(&place);
}

static void put_state(const om_lasso *l, const om_model *m, size_t i, const uint32_t *at,
    const char *printed, om_text *out)
{
    om_text_printf(out, "{\"#meta\": {\"index\": %zu", i);
    put_step(m, l->transitions[i], printed, out);
    om_text_add(out, "}");
    for (uint32_t s = 0; s < om_model_shown_slots(m); s++) {
        const om_slot *slot = om_model_slot(m, s);
        om_text_add(out, ", ");
        om_text_add_json(out, slot->name);
        om_text_add(out, ": ");
        om_lasso__put_slot(slot, at, out);
    }
    om_text_add(out, i + 1 < l->count ? "}," : "}");
}

static void put_vars(const om_model *m, om_text *out)
{
    om_text_add(out, "\"vars\": [");
    for (uint32_t s = 0; s < om_model_shown_slots(m); s++) {
        if (s != 0)
            om_text_add(out, ", ");
        om_text_add_json(out, om_model_slot(m, s)->name);
    }
    om_text_add(out, "],");
}

/* Omitted for checks without fairness assumptions. */
static void put_fairness(const om_lasso *l, om_text *out)
{
    if (l->fairness == OM_FAIRNESS_NONE && l->fair == NULL)
        return;
    om_text_printf(out, ", \"fairness\": \"%s\"", om_process_fairness_name(l->fairness));
    if (l->fair != NULL) {
        om_text_add(out, ", \"fair\": ");
        om_text_add_json(out, l->fair);
    }
}

/* Returns true if variables other than locations have named values. */
static bool has_other_names(const om_model *m)
{
    for (uint32_t s = 0; s < om_model_shown_slots(m); s++)
        if (om_model_slot(m, s)->enumerator_names != NULL && !om_lasso__is_location(m, s))
            return true;
    return false;
}

/* Lets readers without the model tell them apart. */
static void put_locations(const om_model *m, om_text *out)
{
    const char *between = "";
    if (!has_other_names(m))
        return;
    om_text_add(out, ", \"locations\": [");
    for (uint32_t s = 0; s < om_model_shown_slots(m); s++) {
        if (!om_lasso__is_location(m, s))
            continue;
        om_text_add(out, between);
        om_text_add_json(out, om_model_slot(m, s)->name);
        between = ", ";
    }
    om_text_add(out, "]");
}

static void put_prefix(const om_lasso *l, om_text *out)
{
    if (l->bad_prefix != 0)
        om_text_printf(out, ", \"violated_at\": %zu", l->bad_prefix - 1);
}

static int put_states(const om_lasso *l, om_model *m, const char *before_each, om_text *out)
{
    om_lasso_states states;
    om_printed printed = { 0 };
    int rc = om_lasso_states__open(&states, l, m);
    if (rc == OM_OK)
        rc = om_printed__open(&printed, l, m);
    for (size_t i = 0; rc == OM_OK && i < l->count; i++) {
        const uint32_t *state, *before;
        om_text_add(out, before_each);
        if ((rc = om_lasso_states__next(&states, &state, &before)) == OM_OK)
            put_state(l, m, i, state, om_printed__next(&printed), out);
        if (rc == OM_OK)
            rc = om_printed__status(&printed);
    }
    om_lasso_states__close(&states);
    om_printed__close(&printed);
    return rc;
}

int om_lasso__write_json(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    const char *line = style->one_line ? " " : "\n  ", *deeper = style->one_line ? " " : "\n    ";
    om_text_printf(out, "{%s\"#meta\": {\"format\": \"" OM_LASSO_FORMAT "\", \"model\": ", line);
    om_text_add_json(out, om_model_name(m));
    om_text_add(out, ", \"property\": ");
    if (style->property == NULL)
        om_text_add(out, "null");
    else
        om_text_add_json(out, style->property);
    om_text_printf(out, ", \"reset_dead\": %s, \"overflow\": \"%s\"",
        l->form.reset_dead ? "true" : "false", om_lasso__overflow_name(l->form.overflow));
    if (l->form.ignore_assertions)
        om_text_add(out, ", \"assertions\": \"ignored\"");
    put_fairness(l, out);
    put_prefix(l, out);
    put_locations(m, out);
    om_lasso__put_definitions(om_context_sources(om_model_context(m)), out);
    om_text_printf(out, "},%s", line);
    put_vars(m, out);
    om_text_printf(out, "%s\"states\": [", line);
    int rc = put_states(l, m, deeper, out);
    if (rc != OM_OK)
        return rc;
    om_text_printf(out, "%s]", line);
    if (l->loop != OM_NO_LOOP)
        om_text_printf(out, ",%s\"loop\": %zu", line, l->loop);
    om_text_add(out, style->one_line ? " }" : "\n}\n");
    return om_text_status(out);
}
