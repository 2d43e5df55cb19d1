/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a run for the view, as one line of JSON: values as integers, and for each step the
 * changes. Elements are numbered over all variables; an array has as many as its length. A step is
 * a transition of the run; step i leads to state i, and the last step of an endless run back to the
 * cycle.
 *
 *     format, version   "omen-run", 1
 *     model, property, fairness, fair, reset_dead, loop (null: the run ends), states (their number)
 *     processes         {name, location: the variable that is its location, or null}
 *     variables         {name, process or null, length (0: no array), bool, names: of its values,
 *                       null for a value without a name}
 *     initial           a value for each element
 *     transitions       those that the run takes: {number: in the model, label, who: processes,
 *                       channel, sign: "=" handed over, "!" put, "?" taken, file, line, column}
 *     moves             for each step its index among the transitions, or -1: no process can move
 *     changes           for each step the elements that change, each followed by its new value
 *     messages          [step, channel, 1: put or 0: taken, the step of the matching take or put,
 *                       0: none, its content]
 *     prints            [step, text] for each step that prints something
 *     source            the text of the model, or null
 *     violated          the step that leads to the state in which every continuation violates the
 *                       property (beyond the number of steps: in a later round of the cycle), or
 *                       null
 */
#include "chart.h"
#include "formats.h"
#include "printed.h"
#include "states.h"
#include "values.h"
#include "view_data.h"

#include <string.h>

/* Appends the first n bytes of a text. */
static void put_piece(const char *text, size_t n, om_text *out)
{
    om_text piece = { .heap = out->heap };
    om_text_add_n(&piece, text, n);
    om_text_add_json(out, piece.text == NULL ? "" : piece.text);
    out->failed = out->failed || piece.failed;
    om_text_free(&piece);
}

static void put_text(const char *text, om_text *out)
{
    if (text == NULL)
        om_text_add(out, "null");
    else
        om_text_add_json(out, text);
}

/* Appends a number, or null. */
static void put_index(uint32_t i, om_text *out)
{
    if (i == OM_NONE)
        om_text_add(out, "null");
    else
        om_text_printf(out, "%" PRIu32, i);
}

static void put_head(const om_chart *c, const om_lasso_style *style, om_text *out)
{
    const om_lasso *l = c->l;
    om_text_add(out, "{\"format\":\"omen-run\",\"version\":1,\"model\":");
    om_text_add_json(out, om_model_name(c->m));
    om_text_add(out, ",\"property\":");
    put_text(style->property, out);
    om_text_printf(out, ",\"fairness\":\"%s\",\"fair\":", om_process_fairness_name(l->fairness));
    put_text(l->fair, out);
    om_text_printf(out, ",\"reset_dead\":%s,\"loop\":", l->form.reset_dead ? "true" : "false");
    if (l->loop == OM_NO_LOOP)
        om_text_add(out, "null");
    else
        om_text_printf(out, "%zu", l->loop);
    om_text_printf(out, ",\"states\":%zu,\"violated\":", l->count);
    if (l->bad_prefix == 0)
        om_text_add(out, "null");
    else
        om_text_printf(out, "%zu", l->bad_prefix - 1);
}

static void put_processes(const om_model *m, om_text *out)
{
    om_text_add(out, ",\"processes\":[");
    for (uint32_t i = 0; i < om_model_process_count(m); i++) {
        const om_process *p = om_model_process(m, i);
        om_text_add(out, i == 0 ? "{\"name\":" : ",{\"name\":");
        om_text_add_json(out, p->name);
        om_text_add(out, ",\"location\":");
        put_index(p->location, out);
        om_text_add(out, "}");
    }
    om_text_add(out, "]");
}

static void put_variable(const om_slot *slot, om_text *out)
{
    om_text_add(out, "{\"name\":");
    om_text_add_json(out, slot->name);
    om_text_add(out, ",\"process\":");
    put_index(slot->process, out);
    om_text_printf(out, ",\"length\":%" PRIu32, slot->length);
    if (slot->type == OM_BOOL)
        om_text_add(out, ",\"bool\":true");
    if (slot->enumerator_names != NULL) {
        om_text_add(out, ",\"names\":[");
        for (uint32_t i = 0; i < slot->enumerators; i++) {
            om_text_add(out, i == 0 ? "" : ",");
            put_text(slot->enumerator_names[i], out);
        }
        om_text_add(out, "]");
    }
    om_text_add(out, "}");
}

static void put_variables(const om_model *m, om_text *out)
{
    om_text_add(out, ",\"variables\":[");
    for (uint32_t s = 0; s < om_model_shown_slots(m); s++) {
        om_text_add(out, s == 0 ? "" : ",");
        put_variable(om_model_slot(m, s), out);
    }
    om_text_add(out, "]");
}

static void put_place(const om_place *place, om_text *out)
{
    const char *slash = place->file == NULL ? NULL : strrchr(place->file, '/');
    om_text_add(out, ",\"file\":");
    put_text(slash == NULL ? place->file : slash + 1, out);
    om_text_printf(out, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32, place->line, place->column);
}

static void put_transitions(const om_chart *c, om_text *out)
{
    static const char *const signs[] = {
        [OM_CHART_HANDED] = "=", [OM_CHART_PUT] = "!", [OM_CHART_TAKEN] = "?"
    };
    om_text_add(out, ",\"transitions\":[");
    for (size_t i = 0; i < c->move_count; i++) {
        const om_chart_move *v = &c->moves[i];
        const om_transition *t = om_model_transition(c->m, v->transition);
        om_text_printf(
            out, "%s{\"number\":%" PRIu32 ",\"label\":", i == 0 ? "" : ",", v->transition);
        om_text_add_json(out, t->label == NULL ? "" : t->label);
        om_text_add(out, ",\"who\":[");
        for (uint32_t k = 0; k < v->count; k++)
            om_text_printf(out, "%s%" PRIu32, k == 0 ? "" : ",", c->processes[v->first + k]);
        om_text_add(out, "]");
        if (v->sign != OM_CHART_ALONE) {
            om_text_add(out, ",\"channel\":");
            put_piece(v->name, v->length, out);
            om_text_printf(out, ",\"sign\":\"%s\"", signs[v->sign]);
        }
        put_place(&t->place, out);
        om_text_add(out, "}");
    }
    om_text_add(out, "]");
}

static void put_moves(const om_chart *c, om_text *out)
{
    om_text_add(out, ",\"moves\":[");
    for (size_t step = 1; step <= c->steps; step++) {
        const om_chart_move *v = om_chart__move(c, step);
        om_text_add(out, step == 1 ? "" : ",");
        if (v == NULL)
            om_text_add(out, "-1");
        else
            om_text_printf(out, "%zu", (size_t) (v - c->moves));
    }
    om_text_add(out, "]");
}

/* Appends index and value of the elements that differ from the previous state; all values if there
 * is no previous state. */
static void put_values(
    const om_model *m, const uint32_t *state, const uint32_t *before, om_text *out)
{
    const char *between = "[";
    size_t element = 0;
    for (uint32_t s = 0; s < om_model_shown_slots(m); s++) {
        const om_slot *slot = om_model_slot(m, s);
        for (uint32_t e = 0; e < om_lasso__elements(slot); e++, element++) {
            om_value value = om_slot_get(slot, state, e);
            if (before != NULL && value == om_slot_get(slot, before, e))
                continue;
            om_text_add(out, between);
            if (before != NULL)
                om_text_printf(out, "%zu,", element);
            om_text_printf(out, "%" OM_VALUE_FORMAT, value);
            between = ",";
        }
    }
    om_text_add(out, *between == '[' ? "[]" : "]");
}

static void put_message(const om_chart *c, const om_chart_message *message, const uint32_t *before,
    const uint32_t *after, om_text *out)
{
    const om_chart_channel *channel = &c->channels[message->channel];
    om_text content = { .heap = out->heap };
    om_text_printf(out, "%s[%zu,", message == c->messages ? "" : ",", message->step);
    put_piece(channel->name, channel->length, out);
    om_text_printf(out, ",%d,%zu,", message->put,
        message->other == SIZE_MAX ? 0 : c->messages[message->other].step);
    om_chart__put_content(c, message, before, after, &content);
    om_text_add_json(out, content.text == NULL ? "" : content.text);
    om_text_add(out, "]");
    out->failed = out->failed || content.failed;
    om_text_free(&content);
}

static int put_run(const om_chart *c, om_model *m, om_text *out)
{
    om_lasso_states states;
    om_text messages = { .heap = out->heap };
    const uint32_t *state, *before;
    const om_chart_message *next = c->messages;
    int rc = om_lasso_states__open(&states, c->l, m);
    if (rc != OM_OK)
        return rc;
    for (size_t step = 0; rc == OM_OK && step <= c->steps; step++) {
        if ((rc = om_lasso_states__next(&states, &state, &before)) != OM_OK)
            break;
        om_text_add(out, step == 0 ? ",\"initial\":" : step == 1 ? ",\"changes\":[" : ",");
        put_values(m, state, before, out);
        if (next != NULL && next < c->messages + c->message_count && next->step == step)
            put_message(c, next++, before, state, &messages);
    }
    om_lasso_states__close(&states);
    om_text_add(out, c->steps == 0 ? ",\"changes\":[]" : "]");
    om_text_add(out, ",\"messages\":[");
    om_text_add_n(out, messages.text == NULL ? "" : messages.text, messages.length);
    om_text_add(out, "]");
    out->failed = out->failed || messages.failed;
    om_text_free(&messages);
    return rc;
}

static int put_prints(const om_chart *c, om_text *out)
{
    om_printed printed;
    const char *between = "";
    int rc = om_printed__open(&printed, c->l, c->m);
    if (rc != OM_OK)
        return rc;
    om_text_add(out, ",\"prints\":[");
    for (size_t step = 1; step <= c->steps; step++) {
        const char *text = om_printed__next(&printed);
        if (text == NULL)
            continue;
        om_text_printf(out, "%s[%zu,", between, step);
        om_text_add_json(out, text);
        om_text_add(out, "]");
        between = ",";
    }
    om_text_add(out, "]");
    rc = om_printed__status(&printed);
    om_printed__close(&printed);
    return rc;
}

/* The view as a format: a file ends with a line end. */
int om_lasso__write_view(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    int rc = om_lasso_write_view(l, m, style, out);
    if (rc != OM_OK)
        return rc;
    om_text_add(out, "\n");
    return om_text_status(out);
}

int om_lasso_write_view(const om_lasso *l, om_model *m, const om_lasso_style *style, om_text *out)
{
    static const om_lasso_style plain = { 0 };
    om_chart c;
    style = style == NULL ? &plain : style;
    int rc = om_chart__open(&c, l, m);
    if (rc == OM_OK)
        rc = om_chart__find_messages(&c, m);
    if (rc == OM_OK) {
        put_head(&c, style, out);
        put_processes(m, out);
        put_variables(m, out);
        put_transitions(&c, out);
        put_moves(&c, out);
        rc = put_run(&c, m, out);
        if (rc == OM_OK)
            rc = put_prints(&c, out);
        om_text_add(out, ",\"source\":");
        put_text(style->source, out);
        om_text_add(out, "}");
    }
    om_chart__close(&c);
    return rc == OM_OK ? om_text_status(out) : rc;
}

const char *om_lasso_view_file(const char *name)
{
    return strcmp(name, "view.js") == 0    ? om_view__script
           : strcmp(name, "view.css") == 0 ? om_view__style
                                           : NULL;
}
