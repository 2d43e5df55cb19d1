/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Informal Trace Format (ITF): an object with "#meta", "vars", "states" and, for a cycle,
 * "loop". What omen adds goes where the format leaves room, in the "#meta" objects: of the trace
 * the property, of each state the transition that leaves it, with its label and place.
 */
#include "values.h"

#include <inttypes.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at s, or 0. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90);
    return bad ? 0 : n;
}

static void put_string(const char *text, om_text *out)
{
    const unsigned char *s = (const unsigned char *) text;
    om_text_add(out, "\"");
    while (*s != '\0') {
        size_t n = utf8_length(s);
        if (*s == '"' || *s == '\\')
            om_text_printf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            om_text_printf(out, "\\u%04x", *s);
        else if (n == 0)
            om_text_add(out, "\\ufffd");
        else
            om_text_add_n(out, (const char *) s, n);
        s += n == 0 ? 1 : n;
    }
    om_text_add(out, "\"");
}

static void put_value(const om_slot *slot, const uint32_t *vector, uint32_t element, om_text *out)
{
    int32_t value = om_slot_get(slot, vector, element);
    const char *name = om_lasso__enumerator(slot, value);
    if (name != NULL)
        put_string(name, out);
    else if (slot->type == OM_BOOL)
        om_text_add(out, value != 0 ? "true" : "false");
    else
        om_text_printf(out, "%" PRId32, value);
}

static void put_step(const om_model *m, uint32_t transition, om_text *out)
{
    om_text_add(out, ", \"transition\": ");
    if (transition == OM_NONE)
        om_text_add(out, "null");
    else if (transition == OM_STUTTER)
        put_string(OM_LASSO_STUTTER, out);
    else
        om_text_printf(out, "%" PRIu32, transition);
    if (transition >= om_model_transition_count(m))
        return;
    const om_transition *t = om_model_transition(m, transition);
    om_text place = { .heap = out->heap };
    om_lasso__place(&t->place, &place);
    om_text_add(out, ", \"label\": ");
    put_string(t->label == NULL ? "" : t->label, out);
    om_text_add(out, ", \"place\": ");
    put_string(place.text == NULL ? "" : place.text, out);
    out->failed = out->failed || place.failed;
    om_text_free(&place);
}

static void put_state(const om_lasso *l, const om_model *m, size_t i, om_text *out)
{
    const uint32_t *at = l->vectors + i * l->words;
    om_text_printf(out, "    {\"#meta\": {\"index\": %zu", i);
    put_step(m, l->transitions[i], out);
    om_text_add(out, "}");
    for (uint32_t s = 0; s < om_model_slot_count(m); s++) {
        const om_slot *slot = om_model_slot(m, s);
        om_text_add(out, ", ");
        put_string(slot->name, out);
        om_text_add(out, slot->length == 0 ? ": " : ": [");
        for (uint32_t e = 0; e < om_lasso__elements(slot); e++) {
            if (e != 0)
                om_text_add(out, ", ");
            put_value(slot, at, e, out);
        }
        if (slot->length != 0)
            om_text_add(out, "]");
    }
    om_text_add(out, i + 1 < l->count ? "},\n" : "}\n");
}

int om_lasso_write_json(const om_lasso *l, const om_model *m, const char *property, om_text *out)
{
    om_text_add(out, "{\n  \"#meta\": {\"format\": \"" OM_LASSO_FORMAT "\", \"model\": ");
    put_string(om_model_name(m), out);
    om_text_add(out, ", \"property\": ");
    if (property == NULL)
        om_text_add(out, "null");
    else
        put_string(property, out);
    om_text_add(out, "},\n  \"vars\": [");
    for (uint32_t s = 0; s < om_model_slot_count(m); s++) {
        if (s != 0)
            om_text_add(out, ", ");
        put_string(om_model_slot(m, s)->name, out);
    }
    om_text_add(out, "],\n  \"states\": [\n");
    for (size_t i = 0; i < l->count; i++)
        put_state(l, m, i, out);
    om_text_add(out, "  ]");
    if (l->loop != OM_NO_LOOP)
        om_text_printf(out, ",\n  \"loop\": %zu", l->loop);
    om_text_add(out, "\n}\n");
    return out->failed ? OM_ENOMEM : OM_OK;
}
