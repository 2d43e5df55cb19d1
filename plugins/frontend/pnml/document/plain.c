/* SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

#include "known.h"

#include <string.h>

/* ---- attributes and labels known to be harmless ---- */

/* Layout of drawings. */
#define DRAWN                                              \
    { .name = "positionX", .dialect = PNML_TAPAAL },       \
        { .name = "positionY", .dialect = PNML_TAPAAL },   \
        { .name = "nameOffsetX", .dialect = PNML_TAPAAL }, \
        { .name = "nameOffsetY", .dialect = PNML_TAPAAL }, \
    {                                                      \
        .name = "displayName", .dialect = PNML_TAPAAL      \
    }

static const char *const NO[] = { "false", NULL };
static const char *const ZERO[] = { "0", NULL };
static const char *const ONE[] = { "1", "1.0", NULL };
static const char *const CONSTANT[] = { "constant", NULL };
static const char *const OLDEST[] = { "Oldest", NULL };
static const char *const ALWAYS[] = { "< inf", "<inf", "inf", NULL };

static const pnml_known PLACE_ATTRIBUTES[] = { { .name = "id" },
    { .name = "name", .dialect = PNML_TAPAAL }, DRAWN,
    { .name = "markingOffsetX", .dialect = PNML_TAPAAL },
    { .name = "markingOffsetY", .dialect = PNML_TAPAAL },
    { .name = "initialMarking", .dialect = PNML_TAPAAL },
    { .name = "invariant", .values = ALWAYS, .dialect = PNML_TAPAAL },
    { .name = "capacity", .dialect = PNML_SEVERAL }, { .name = NULL } };
static const pnml_known PLACE_LABELS[] = { { .name = "initialMarking" },
    { .name = "capacity", .dialect = PNML_SEVERAL },
    { .name = "finalMarking", .dialect = PNML_PROM },
    { .name = "tagged", .values = NO, .dialect = PNML_PIPE }, { .name = NULL } };

/* Rates and delays determine when, and how likely, an enabled transition fires; default values are
 * accepted. take_turn() checks priorities. */
static const pnml_known TRANSITION_ATTRIBUTES[] = { { .name = "id" },
    { .name = "name", .dialect = PNML_TAPAAL }, DRAWN, { .name = "angle", .dialect = PNML_TAPAAL },
    { .name = "infiniteServer", .dialect = PNML_TAPAAL },
    { .name = "timed", .dialect = PNML_TAPAAL }, { .name = "priority", .dialect = PNML_TAPAAL },
    { .name = "urgent", .values = NO, .dialect = PNML_TAPAAL },
    { .name = "player", .values = ZERO, .dialect = PNML_TAPAAL },
    { .name = "distribution", .values = CONSTANT, .dialect = PNML_TAPAAL },
    { .name = "value", .values = ONE, .dialect = PNML_TAPAAL },
    { .name = "weight", .values = ONE, .dialect = PNML_TAPAAL },
    { .name = "firingMode", .values = OLDEST, .dialect = PNML_TAPAAL }, { .name = NULL } };
static const pnml_known TRANSITION_LABELS[] = { { .name = "orientation", .dialect = PNML_PIPE },
    { .name = "rate", .dialect = PNML_PIPE }, { .name = "infiniteServer", .dialect = PNML_PIPE },
    { .name = "timed", .dialect = PNML_PIPE }, { .name = "priority", .dialect = PNML_PIPE },
    { .name = "player", .values = ZERO, .dialect = PNML_TAPAAL }, { .name = NULL } };

static const pnml_known ARC_ATTRIBUTES[] = { { .name = "id" }, { .name = "source" },
    { .name = "target" }, DRAWN, { .name = "type", .dialect = PNML_TAPAAL },
    { .name = "weight", .dialect = PNML_TAPAAL }, { .name = "inscription", .dialect = PNML_TAPAAL },
    { .name = NULL } };
static const pnml_known ARC_LABELS[] = { { .name = "inscription" }, { .name = "type" },
    { .name = "arctype", .dialect = PNML_PROM },
    { .name = "arcpath", .dialect = PNML_PIPE, .many = true },
    { .name = "tagged", .values = NO, .dialect = PNML_PIPE }, { .name = NULL } };

/* ---- net types ---- */

bool pnml_plain_type(const char *type, const char **dialect)
{
    static const struct {
        const char *type, *dialect;
    } TYPES[] = { { "ptnet", NULL }, { "pnmlcoremodel", PNML_PROM }, { "ptNetb", "WoPeD" },
        { "P/T net", "PIPE or TAPAAL" }, { "inhibitorptnet", PNML_SEVERAL },
        { "resetptnet", PNML_SEVERAL }, { "resetinhibitorptnet", PNML_SEVERAL } };
    const char *slash = strrchr(type, '/');
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (strcmp(type, TYPES[i].type) == 0 ||
            (slash != NULL && strcmp(slash + 1, TYPES[i].type) == 0)) {
            *dialect = TYPES[i].dialect;
            return true;
        }
    return false;
}

/* ---- numbers ---- */

/* "Default,2,Red,0": tokens by colour, as in PIPE. They count if they all have the only colour
 * that the document uses. */
static bool read_colours(pnml_document *d, const char *text, om_value *out)
{
    enum { MOST = 64 };
    om_value total = 0, count = 0;
    while (*text != '\0') {
        const char *comma = strchr(text, ','), *end = comma == NULL ? NULL : comma + 1;
        char digits[16] = "", colour[MOST] = "";
        if (comma == NULL || comma - text >= MOST)
            return false;
        memcpy(colour, text, (size_t) (comma - text));
        const size_t length = strcspn(end, ",");
        if (length >= sizeof digits)
            return false;
        memcpy(digits, end, length);
        if (!pnml_read_number(digits, 0, &count) || (count > 0 && total > 0))
            return false;
        if (count > 0 && d->token_colour[0] == '\0')
            memcpy(d->token_colour, colour, MOST);
        if (count > 0 && strcmp(d->token_colour, colour) != 0)
            return false;
        total = total > 0 ? total : count;
        text = end + length + (end[length] == ',');
    }
    *out = total;
    return true;
}

static bool read_tokens(pnml_document *d, const char *text, om_value least, om_value *out)
{
    om_value value = 0;
    if (strchr(text, ',') == NULL)
        return pnml_read_number(text, least, out);
    if (!read_colours(d, text, &value) || value < least)
        return false;
    *out = value;
    return true;
}

static int number_of_label(pnml_document *d, const pnml_element *e, const pnml_element *label,
    om_value least, om_value *out)
{
    const char *text = pnml_text_of(label);
    int rc = pnml_check_text(d, label);
    if (rc == OM_OK && (text == NULL || !read_tokens(d, text, least, out)))
        return PNML_FAIL(d, *(text == NULL ? label : label->children),
            "the %s of '%s' must be a number from %" OM_VALUE_FORMAT " to %" OM_VALUE_FORMAT
            ", not '%.40s'",
            label->name, e->name, least, OM_VALUE_MAX, text == NULL ? "" : text);
    return rc;
}

static int number_of_attribute(pnml_document *d, const pnml_element *e, const char *name,
    const char *text, om_value least, om_value *out)
{
    return pnml_read_number(text, least, out)
               ? OM_OK
               : PNML_FAIL(d, *e,
                     "the %s of '%s' must be a number from %" OM_VALUE_FORMAT
                     " to %" OM_VALUE_FORMAT ", not '%.40s'",
                     name, e->name, least, OM_VALUE_MAX, text);
}

/* Reads a number from 0 on that is given as a label, an attribute or both; `missing` if it is not
 * given. */
static int number_of(
    pnml_document *d, const pnml_element *e, const char *name, om_value missing, om_value *out)
{
    const pnml_element *label = pnml_child(e, name);
    const char *attribute = pnml_attribute(e, name);
    om_value other = 0;
    *out = missing;
    int rc = label == NULL ? OM_OK : number_of_label(d, e, label, 0, out);
    if (rc == OM_OK && attribute != NULL)
        rc = number_of_attribute(d, e, name, attribute, 0, &other);
    if (rc != OM_OK || attribute == NULL)
        return rc;
    if (label != NULL && other != *out)
        return PNML_FAIL(d, *e, "'%s' has two different values of %s", e->name, name);
    *out = other;
    return OM_OK;
}

/* ---- places ---- */

/* PIPE writes 0 if there is no limit; the meaning of 0 in files of other editors is unknown. */
static int read_capacity(pnml_document *d, const pnml_element *e, pnml_node *out)
{
    const pnml_element *label = pnml_child(e, "capacity");
    if (label == NULL && pnml_attribute(e, "capacity") == NULL)
        return OM_OK;
    int rc = number_of(d, e, "capacity", PNML_NO_CAPACITY, &out->capacity);
    if (rc != OM_OK)
        return rc;
    if (out->capacity == 0 && pnml_child(label, "value") == NULL)
        return PNML_FAIL(d, *e, "'place' with a capacity of 0 is not supported");
    if (out->capacity == 0)
        out->capacity = PNML_NO_CAPACITY;
    if (out->marking > out->capacity)
        return PNML_FAIL(d, *e,
            "'place' with %" OM_VALUE_FORMAT " tokens and a capacity of %" OM_VALUE_FORMAT,
            out->marking, out->capacity);
    d->special = d->special || out->capacity != PNML_NO_CAPACITY;
    return OM_OK;
}

int pnml_plain_place(pnml_document *d, const pnml_element *e, pnml_node *out)
{
    int rc = pnml_check_attributes(d, e, PLACE_ATTRIBUTES);
    if (rc == OM_OK)
        rc = pnml_check_labels(d, e, PLACE_LABELS);
    if (rc == OM_OK)
        rc = number_of(d, e, "initialMarking", 0, &out->marking);
    out->capacity = PNML_NO_CAPACITY;
    return rc == OM_OK ? read_capacity(d, e, out) : rc;
}

/* ---- transitions ---- */

/* Returns the value of a label or an attribute, or NULL. */
static const char *given(const pnml_element *e, const char *name)
{
    const char *text = pnml_text_of(pnml_child(e, name));
    return text != NULL ? text : pnml_attribute(e, name);
}

/* If transitions have different priorities, for example immediate ones before timed ones, a
 * transition of lower priority does not always fire when it has its tokens: such nets are refused.
 */
static int take_turn(pnml_document *d, const pnml_element *e)
{
    const char *timed = given(e, "timed"), *priority = given(e, "priority");
    om_value turn = 0;
    if (priority != NULL && !pnml_read_number(priority, 0, &turn))
        return PNML_FAIL(
            d, *e, "'transition' with the priority '%.40s' is not supported", priority);
    if (timed != NULL && strcmp(timed, "true") == 0)
        turn = -1; /* after all others, regardless of its priority */
    else if (timed != NULL && strcmp(timed, "false") != 0)
        return PNML_FAIL(d, *e, "'transition' with timed '%.40s' is not supported", timed);
    if (d->turn_known && d->turn != turn)
        return PNML_FAIL(d, *e,
            "transitions of different priorities, or immediate ones together with timed ones, are "
            "not supported");
    d->turn_known = true;
    d->turn = turn;
    return OM_OK;
}

int pnml_plain_transition(pnml_document *d, const pnml_element *e)
{
    int rc = pnml_check_attributes(d, e, TRANSITION_ATTRIBUTES);
    if (rc == OM_OK)
        rc = pnml_check_labels(d, e, TRANSITION_LABELS);
    return rc == OM_OK ? take_turn(d, e) : rc;
}

/* ---- arcs ---- */

static const struct {
    const char *name;
    pnml_arc_kind kind;
} KINDS[] = { { "normal", PNML_ARC_NORMAL }, { "timed", PNML_ARC_NORMAL },
    { "transport", PNML_ARC_NORMAL }, { "inhibitor", PNML_ARC_INHIBITOR },
    { "tapnInhibitor", PNML_ARC_INHIBITOR }, { "reset", PNML_ARC_RESET }, { "read", PNML_ARC_READ },
    { "test", PNML_ARC_READ } };

static const struct {
    const char *element;
    pnml_arc_kind kind;
} ELEMENTS[] = { { "arc", PNML_ARC_NORMAL }, { "inputArc", PNML_ARC_NORMAL },
    { "outputArc", PNML_ARC_NORMAL }, { "inhibitorArc", PNML_ARC_INHIBITOR } };
enum { ELEMENT_COUNT = sizeof ELEMENTS / sizeof *ELEMENTS };

bool pnml_plain_is_arc(const char *name)
{
    size_t i = 0;
    while (i < ELEMENT_COUNT && strcmp(ELEMENTS[i].element, name) != 0)
        i++;
    return i < ELEMENT_COUNT;
}

/* All indications of an arc's type must agree. */
static int take_kind(
    pnml_document *d, const pnml_element *at, const char *name, bool *said, pnml_arc_kind *kind)
{
    size_t i = 0;
    while (i < sizeof KINDS / sizeof *KINDS && (name == NULL || strcmp(KINDS[i].name, name) != 0))
        i++;
    if (i == sizeof KINDS / sizeof *KINDS)
        return PNML_FAIL(
            d, *at, "arcs of type '%.40s' are not supported", name == NULL ? "" : name);
    if (*said && KINDS[i].kind != *kind)
        return PNML_FAIL(d, *at, "an arc of two different types");
    *said = true;
    *kind = KINDS[i].kind;
    return OM_OK;
}

static int read_kind(pnml_document *d, const pnml_element *e, pnml_arc *out)
{
    static const pnml_known TYPE_ATTRIBUTES[] = { { .name = "value" }, { .name = NULL } };
    const pnml_element *type = pnml_child(e, "type"), *arctype = pnml_child(e, "arctype");
    const char *attribute = pnml_attribute(e, "type");
    size_t i = 0;
    int rc = OM_OK;
    while (strcmp(ELEMENTS[i].element, e->name) != 0)
        i++;
    out->kind = ELEMENTS[i].kind;
    bool said = out->kind != PNML_ARC_NORMAL;
    if (strcmp(e->name, "arc") != 0)
        pnml_note_dialect(d, e, e->name, PNML_TAPAAL);
    if (type != NULL)
        rc = pnml_check_attributes(d, type, TYPE_ATTRIBUTES);
    if (rc == OM_OK && type != NULL)
        rc = take_kind(d, type, pnml_attribute(type, "value"), &said, &out->kind);
    if (rc == OM_OK && arctype != NULL)
        rc = pnml_check_text(d, arctype);
    if (rc == OM_OK && arctype != NULL)
        rc = take_kind(d, arctype, pnml_text_of(arctype), &said, &out->kind);
    if (rc == OM_OK && attribute != NULL)
        rc = take_kind(d, e, attribute, &said, &out->kind);
    d->special = d->special || out->kind != PNML_ARC_NORMAL;
    return rc;
}

/* Returns true for tokens of any age in TAPAAL: "[0,inf)", or "[0,inf):1" with the number of a
 * pair of arcs. */
static bool any_age(const char *inscription)
{
    static const char ALL[] = "[0,inf)";
    if (strncmp(inscription, ALL, sizeof ALL - 1) != 0)
        return false;
    inscription += sizeof ALL - 1;
    if (*inscription == ':')
        inscription += 1 + strspn(inscription + 1, "0123456789");
    return *inscription == '\0';
}

/* Reads the attribute `inscription` as a number; 0 if it is none. */
static int read_inscription(pnml_document *d, const pnml_element *e, om_value *out)
{
    const char *text = pnml_attribute(e, "inscription");
    *out = 0;
    if (text == NULL || *text == '\0' || any_age(text) || pnml_read_number(text, 1, out))
        return OM_OK;
    return PNML_FAIL(d, *e, "'%s' with the inscription '%.40s' is not supported", e->name, text);
}

/* Reads the weight, a label or an attribute. In TAPAAL's files the attribute `inscription` is 1
 * beside any weight. */
static int read_weight(pnml_document *d, const pnml_element *e, pnml_arc *out)
{
    const char *attribute = pnml_attribute(e, "weight");
    const pnml_element *label = pnml_child(e, "inscription");
    om_value by_label = 0, by_attribute = 0, inscribed = 0;
    int rc = label == NULL ? OM_OK : number_of_label(d, e, label, 1, &by_label);
    if (rc == OM_OK && attribute != NULL)
        rc = number_of_attribute(d, e, "weight", attribute, 1, &by_attribute);
    if (rc == OM_OK)
        rc = read_inscription(d, e, &inscribed);
    if (rc != OM_OK)
        return rc;
    if (inscribed == 1 && (by_label != 0 || by_attribute != 0))
        inscribed = 0;
    out->weight = by_label != 0 ? by_label : by_attribute != 0 ? by_attribute : inscribed;
    if ((by_attribute != 0 && by_attribute != out->weight) ||
        (inscribed != 0 && inscribed != out->weight))
        return PNML_FAIL(d, *e, "'%s' has two different weights", e->name);
    if (out->weight == 0)
        out->weight = 1;
    if (out->kind == PNML_ARC_INHIBITOR && out->weight != 1 && label != NULL &&
        pnml_child(label, "value") != NULL)
        return PNML_FAIL(d, *label,
            "an inhibitor arc with a weight is not supported in PIPE's notation: PIPE has none");
    if (out->kind == PNML_ARC_RESET && out->weight != 1)
        return PNML_FAIL(d, *e, "a reset arc with a weight is not supported: it takes all tokens");
    return OM_OK;
}

int pnml_plain_arc(pnml_document *d, const pnml_element *e, pnml_arc *out)
{
    int rc = pnml_check_attributes(d, e, ARC_ATTRIBUTES);
    if (rc == OM_OK)
        rc = pnml_check_labels(d, e, ARC_LABELS);
    if (rc == OM_OK)
        rc = read_kind(d, e, out);
    return rc == OM_OK ? read_weight(d, e, out) : rc;
}
