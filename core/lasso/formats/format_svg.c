/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sequence chart as a picture: a lifeline for each process, a row for each step with the new
 * locations of the moving processes, arrows for synchronous messages and from the process that puts
 * a message into a channel to the process that takes it out, the cycle shaded with an arrow back,
 * and other changes at the side.
 */
#include "chart.h"
#include "escape.h"
#include "formats.h"
#include "printed.h"
#include "states.h"
#include "values.h"

#include <assert.h>

enum {
    ROW = 34,       /* height of a row */
    HEAD = 64,      /* height above the first row */
    LEFT = 56,      /* space before the first lifeline's column */
    LETTER = 7,     /* approximate width of a character */
    GAP = 84,       /* minimum between two boxes: for an arrow with its name */
    LONGEST = 16,   /* characters of a box */
    NAME = 12,      /* characters of a name at an arrow */
    SIDE_TEXT = 72, /* characters of the text at the side */
    TURN = 44,      /* width for the arrow back */
    BOX = 22
};

typedef struct picture {
    const om_chart *chart;
    const om_model *m;
    om_text *out;
    om_text text;     /* text under construction */
    size_t lifelines; /* the last one may be for steps without a known process */
    size_t column;    /* width */
    size_t *widths;   /* by message: width of the box of its process */
} picture;

static const char style[] =
    "<style>svg{--ground:#fff;--ink:#1b1f24;--soft:#59636e;--line:#aeb7c0;--arrow:#0b57d0;"
    "--box:#eef2f6;--cycle:#fff3d6;--turn:#a35a00;--bad:#b3261e;color-scheme:light dark}"
    "@media(prefers-color-scheme:dark){svg{--ground:#0f1318;--ink:#e4e9ef;--soft:#9aa5b1;"
    "--line:#4a545f;--arrow:#7db4ff;--box:#222a33;--cycle:#2d2614;--turn:#e6a23c;--bad:#ff8a80}}"
    "text{font:12px system-ui,sans-serif;fill:var(--ink)}.ground{fill:var(--ground)}"
    ".head{font-weight:600}.soft{fill:var(--soft)}.middle{text-anchor:middle}"
    ".end{text-anchor:end}.life{stroke:var(--line);stroke-dasharray:3 3}"
    ".box{fill:var(--box);stroke:var(--line)}.rest{fill:var(--ground);stroke:var(--line)}"
    ".arrow{stroke:var(--arrow);fill:none;stroke-width:1.5}.tip{fill:var(--arrow)}"
    ".name{fill:var(--arrow);font-size:11px;paint-order:stroke;stroke:var(--ground);"
    "stroke-width:3px;stroke-linejoin:round}.cycle{fill:var(--cycle)}"
    ".violated{stroke:var(--bad);stroke-width:1.5}.badname{fill:var(--bad);font-size:11px}"
    ".turn{stroke:var(--turn);fill:none;stroke-width:1.5}.turntip,.turnname{fill:var(--turn)}"
    "</style>\n";

/* ---- pieces ---- */

/* OM_NONE: the lifeline of steps without a process. */
static size_t x_of(const picture *p, uint32_t process)
{
    size_t lifeline = process == OM_NONE ? p->lifelines - 1 : process;
    assert(lifeline < p->lifelines);
    return LEFT + p->column / 2 + lifeline * p->column;
}

static size_t y_of(size_t step)
{
    return HEAD + ROW / 2 + step * ROW;
}

static size_t right_of(const picture *p)
{
    return LEFT + p->lifelines * p->column;
}

/* Writes the text, cut to `most` characters, as the content of an element, with the whole text as
 * its title if it is cut. Empties the text. */
static void put_made(picture *p, size_t most)
{
    const char *made = p->text.text == NULL ? "" : p->text.text;
    if (om_lasso__characters(made) > most) {
        om_text_add(p->out, "<title>");
        om_lasso__put_xml(made, SIZE_MAX, p->out);
        om_text_add(p->out, "</title>");
    }
    om_lasso__put_xml(made, most, p->out);
    p->text.length = 0;
    om_text_add(&p->text, "");
}

static void put_text(picture *p, const char *class, size_t x, size_t y, size_t most)
{
    om_text_printf(p->out, "<text class=\"%s\" x=\"%zu\" y=\"%zu\">", class, x, y + 4);
    put_made(p, most);
    om_text_add(p->out, "</text>\n");
}

/* Width of the location of a process, or of a dot if it has none. */
static size_t box_width(const picture *p, uint32_t process, const uint32_t *state)
{
    const om_process *who = om_model_process(p->m, process);
    if (who == NULL || who->location == OM_NONE)
        return 10;
    om_text name = { .heap = p->out->heap };
    om_lasso_put_value(om_model_slot(p->m, who->location), state, 0, &name);
    size_t n = name.failed ? 0 : om_lasso__characters(name.text);
    p->out->failed = p->out->failed || name.failed;
    om_text_free(&name);
    return (n < LONGEST ? n : LONGEST) * LETTER + 14;
}

static void put_box(picture *p, uint32_t process, size_t y, const uint32_t *state, bool moves)
{
    const om_process *who = om_model_process(p->m, process);
    size_t x = x_of(p, process), width = box_width(p, process, state);
    const char *class = moves ? "box" : "rest";
    if (who == NULL || who->location == OM_NONE) {
        om_text_printf(
            p->out, "<circle class=\"%s\" cx=\"%zu\" cy=\"%zu\" r=\"5\"/>\n", class, x, y);
        return;
    }
    om_text_printf(p->out,
        "<rect class=\"%s\" x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%d\" rx=\"11\"/>\n", class,
        x - width / 2, y - BOX / 2, width, BOX);
    om_lasso_put_value(om_model_slot(p->m, who->location), state, 0, &p->text);
    put_text(p, "middle", x, y, LONGEST);
}

/* Draws a line, with an arrow tip if `tip`. */
static void put_line(picture *p, size_t x, size_t y, size_t to_x, size_t to_y, bool tip)
{
    om_text_printf(p->out,
        "<line class=\"arrow\" x1=\"%zu\" y1=\"%zu\" x2=\"%zu\" y2=\"%zu\"%s/>\n", x, y, to_x, to_y,
        tip ? " marker-end=\"url(#tip)\"" : "");
}

/* ---- rows ---- */

/* Draws lines between the processes of a step, in their order. */
static void put_handing(picture *p, const om_chart_move *v, size_t y, const uint32_t *state)
{
    const uint32_t *who = p->chart->processes + v->first;
    assert(v->first + v->count <= p->chart->process_count);
    for (uint32_t k = 1; k < v->count; k++) {
        uint32_t a = who[k - 1], b = who[k];
        if (a == b)
            continue;
        bool right = a < b;
        size_t from = box_width(p, a, state) / 2, to = box_width(p, b, state) / 2;
        size_t x = right ? x_of(p, a) + from : x_of(p, a) - from;
        size_t to_x = right ? x_of(p, b) - to : x_of(p, b) + to;
        put_line(p, x, y, to_x, y, v->count == 2);
        if (v->sign != OM_CHART_HANDED)
            continue;
        om_text_add_n(&p->text, v->name, v->length);
        put_text(p, "name middle", (x + to_x) / 2, y - 9, NAME);
    }
}

/* The process that puts or takes a message. */
static uint32_t handler(const om_chart *c, const om_chart_message *message)
{
    const om_chart_move *v = om_chart__move(c, message->step);
    assert(v != NULL && (v->channel == message->channel || v->channel == OM_CHART_ONE_OF));
    return v->count == 0 ? OM_NONE : c->processes[v->first];
}

/* Draws a message at the step that puts it: to the process that takes it, or to an open end. */
static void put_sent(picture *p, size_t i, const uint32_t *before, const uint32_t *state)
{
    const om_chart *c = p->chart;
    const om_chart_message *message = &c->messages[i];
    const om_chart_channel *channel = &c->channels[message->channel];
    size_t y = y_of(message->step), x = x_of(p, handler(c, message)) + p->widths[i] / 2;
    if (message->other == SIZE_MAX) {
        put_line(p, x, y, x + 18, y, false);
        om_text_printf(
            p->out, "<circle class=\"arrow\" cx=\"%zu\" cy=\"%zu\" r=\"3\"/>\n", x + 21, y);
    } else {
        const om_chart_message *taken = &c->messages[message->other];
        size_t to = x_of(p, handler(c, taken)), half = p->widths[message->other] / 2;
        bool left = to < x;
        put_line(p, left ? x - p->widths[i] : x, y, left ? to + half : to - half, y_of(taken->step),
            true);
    }
    om_text_add_n(&p->text, channel->name, channel->length);
    om_text_add(&p->text, "!");
    om_chart__put_content(c, message, before, state, &p->text);
    put_text(p, "name", x + 4, y - 10, LONGEST);
}

/* Returns true if the slot is the location of a moving process, which a box shows. */
static bool is_boxed(const picture *p, const om_chart_move *v, uint32_t slot)
{
    for (uint32_t k = 0; v != NULL && k < v->count; k++)
        if (om_model_process(p->m, p->chart->processes[v->first + k])->location == slot)
            return true;
    return false;
}

/* Writes the other changes and the printed output. */
static void put_aside(
    picture *p, size_t step, const uint32_t *state, const uint32_t *before, const char *printed)
{
    const om_chart_move *v = om_chart__move(p->chart, step);
    const char *between = "";
    if (v == NULL)
        om_text_add(&p->text, "no successor: the state repeats");
    else if (v->count == 0) {
        const om_transition *t = om_model_transition(p->m, v->transition);
        om_text_add(&p->text, t->label == NULL ? "" : t->label);
        between = ": ";
    }
    for (uint32_t s = 0; s < om_model_shown_slots(p->m); s++) {
        const om_slot *slot = om_model_slot(p->m, s);
        for (uint32_t e = 0; e < om_lasso__elements(slot); e++)
            if (om_slot_get(slot, state, e) != om_slot_get(slot, before, e) && !is_boxed(p, v, s)) {
                om_text_add(&p->text, between);
                om_lasso_put_name(slot, e, &p->text);
                om_text_add(&p->text, " = ");
                om_lasso_put_value(slot, state, e, &p->text);
                between = ", ";
            }
    }
    if (printed != NULL) {
        om_text_add(&p->text, p->text.length == 0 ? "\"" : "; \"");
        om_printed__put_line(printed, &p->text);
        om_text_add(&p->text, "\"");
    }
    put_text(p, "soft", right_of(p) + TURN, y_of(step), SIDE_TEXT);
}

static void put_row(
    picture *p, size_t step, const uint32_t *state, const uint32_t *before, const char *printed)
{
    const om_chart *c = p->chart;
    const om_chart_move *v = step == 0 ? NULL : om_chart__move(c, step);
    om_text_printf(&p->text, "%zu", step);
    put_text(p, "soft end", LEFT - 16, y_of(step), SIZE_MAX);
    for (uint32_t i = 0; step == 0 && i < om_model_process_count(p->m); i++)
        put_box(p, i, y_of(0), state, false);
    if (step == 0)
        return;
    if (v != NULL && v->count > 1)
        put_handing(p, v, y_of(step), state);
    for (uint32_t k = 0; v != NULL && k < v->count; k++)
        put_box(p, c->processes[v->first + k], y_of(step), state, true);
    if (v != NULL && v->count == 0)
        put_box(p, OM_NONE, y_of(step), state, true);
    put_aside(p, step, state, before, printed);
}

/* Measures the boxes at which arrows of messages begin and end. */
static int measure_messages(picture *p, om_model *m)
{
    const om_chart *c = p->chart;
    om_lasso_states states;
    const uint32_t *state, *before;
    size_t next = 0;
    p->widths = om_alloc(p->text.heap, c->message_count, sizeof *p->widths);
    int rc = p->widths == NULL ? OM_ENOMEM : om_lasso_states__open(&states, c->l, m);
    if (rc != OM_OK)
        return rc;
    for (size_t step = 0; rc == OM_OK && next < c->message_count; step++) {
        rc = om_lasso_states__next(&states, &state, &before);
        if (rc == OM_OK && c->messages[next].step == step) {
            p->widths[next] = box_width(p, handler(c, &c->messages[next]), state);
            next++;
        }
    }
    om_lasso_states__close(&states);
    return rc;
}

static int put_rows(picture *p, om_model *m)
{
    const om_chart *c = p->chart;
    om_lasso_states states;
    const uint32_t *state, *before;
    size_t next = 0;
    om_printed printed = { 0 };
    int rc = om_lasso_states__open(&states, c->l, m);
    if (rc == OM_OK)
        rc = om_printed__open(&printed, c->l, m);
    for (size_t step = 0; rc == OM_OK && step <= c->steps; step++) {
        if ((rc = om_lasso_states__next(&states, &state, &before)) != OM_OK)
            break;
        if (next < c->message_count && c->messages[next].step == step) {
            if (c->messages[next].put)
                put_sent(p, next, before, state);
            next++;
        }
        put_row(p, step, state, before, step == 0 ? NULL : om_printed__next(&printed));
        rc = om_printed__status(&printed);
    }
    om_printed__close(&printed);
    om_lasso_states__close(&states);
    return rc;
}

/* ---- the frame ---- */

/* Makes columns wide enough for the content of the boxes. */
static void measure(picture *p)
{
    size_t longest = 4;
    for (uint32_t i = 0; i < om_model_process_count(p->m); i++) {
        const om_process *who = om_model_process(p->m, i);
        const om_slot *slot = om_model_slot(p->m, who->location);
        size_t n = om_lasso__characters(who->name);
        longest = n > longest ? n : longest;
        for (uint32_t k = 0;
             slot != NULL && slot->enumerator_names != NULL && k < slot->enumerators; k++) {
            const char *name = slot->enumerator_names[k];
            n = name == NULL ? 0 : om_lasso__characters(name);
            longest = n > longest ? n : longest;
        }
    }
    bool unowned = om_model_process_count(p->m) == 0;
    for (size_t i = 0; i < p->chart->move_count; i++)
        unowned = unowned || p->chart->moves[i].count == 0;
    p->lifelines = om_model_process_count(p->m) + unowned;
    p->column = (longest < LONGEST ? longest : LONGEST) * LETTER + 14 + GAP;
}

static void put_lifelines(picture *p)
{
    for (uint32_t i = 0; i < p->lifelines; i++) {
        const om_process *who = om_model_process(p->m, i);
        size_t x = x_of(p, i);
        om_text_add(&p->text, who == NULL ? "model" : who->name);
        put_text(p, "head middle", x, HEAD - 18, LONGEST + 4);
        om_text_printf(p->out,
            "<line class=\"life\" x1=\"%zu\" y1=\"%d\" x2=\"%zu\" y2=\"%zu\"/>\n", x, HEAD - 6, x,
            y_of(p->chart->steps) + ROW / 2);
    }
}

static void put_cycle(picture *p)
{
    const om_chart *c = p->chart;
    size_t x = right_of(p), top = y_of(c->l->loop), end = y_of(c->steps);
    om_text_printf(p->out,
        "<rect class=\"cycle\" x=\"%d\" y=\"%zu\" width=\"%zu\" height=\"%zu\" rx=\"8\"/>\n",
        LEFT - 8, top, x - LEFT + 16, end - top + BOX / 2 + 4);
    om_text_printf(p->out,
        "<path class=\"turn\" d=\"M%zu %zuH%zuV%zuH%zu\" marker-end=\"url(#turn)\"/>\n", x, end,
        x + 22, top, x + 12);
    om_text_printf(p->out,
        "<text class=\"turnname middle\" transform=\"translate(%zu %zu) "
        "rotate(90)\">cycle</text>\n",
        x + 28, (top + end) / 2);
}

/* Draws a line below the state in which every continuation violates the property. */
static void put_violated(picture *p)
{
    const om_lasso *l = p->chart->l;
    if (l->bad_prefix == 0 || l->bad_prefix > l->count)
        return;
    const size_t y = y_of(l->bad_prefix - 1) + ROW / 2;
    om_text_printf(p->out,
        "<line class=\"violated\" x1=\"%d\" y1=\"%zu\" x2=\"%zu\" y2=\"%zu\"/>\n", LEFT - 40, y,
        right_of(p) + TURN, y);
    om_text_add(&p->text, "violated: every continuation violates the property");
    put_text(p, "badname", right_of(p) + TURN + 4, y, SIZE_MAX);
}

static void put_frame(picture *p, const om_lasso_style *s)
{
    size_t width = right_of(p) + TURN + (size_t) SIDE_TEXT * LETTER,
           height = y_of(p->chart->steps) + ROW;
    om_text_printf(p->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu "
        "%zu\">\n<title>",
        width, height, width, height);
    om_lasso__put_xml(om_model_name(p->m), SIZE_MAX, p->out);
    if (s->property != NULL) {
        om_text_add(p->out, ": ");
        om_lasso__put_xml(s->property, SIZE_MAX, p->out);
    }
    om_text_printf(p->out, "</title>\n%s<defs>\n", style);
    for (int i = 0; i < 2; i++)
        om_text_printf(p->out,
            "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
            "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path "
            "class=\"%s\" d=\"M0 0L8 4L0 8z\"/></marker>\n",
            i == 0 ? "tip" : "turn", i == 0 ? "tip" : "turntip");
    om_text_add(p->out, "</defs>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
    om_text_add(&p->text, s->property == NULL ? om_model_name(p->m) : s->property);
    put_text(p, "soft", LEFT - 40, 16, (width - LEFT) / LETTER);
}

int om_lasso__write_svg(const om_lasso *l, om_model *m, const om_lasso_style *s, om_text *out)
{
    om_chart c;
    picture p = { .chart = &c, .m = m, .out = out, .text = { .heap = l->heap } };
    int rc = om_chart__open(&c, l, m);
    if (rc == OM_OK)
        rc = om_chart__find_messages(&c, m);
    if (rc == OM_OK) {
        measure(&p);
        put_frame(&p, s);
        if (l->loop != OM_NO_LOOP)
            put_cycle(&p);
        put_lifelines(&p);
        put_violated(&p);
        rc = measure_messages(&p, m);
    }
    if (rc == OM_OK)
        rc = put_rows(&p, m);
    om_text_add(out, "</svg>\n");
    if (rc == OM_OK && p.text.failed)
        rc = OM_ENOMEM;
    om_text_free(&p.text);
    om_free(l->heap, p.widths);
    om_chart__close(&c);
    return rc == OM_OK ? om_text_status(out) : rc;
}
