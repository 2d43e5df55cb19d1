/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the output of format_json.c: every key must be known, and every value must be one of the
 * model. Anything else is refused with its place rather than misread: a lasso may have been edited,
 * or belong to another model or an earlier version of this one (for this reason the label and place
 * of each transition are compared). The referee decides whether it is a run (replay.c).
 *
 * Memory holds one state as JSON (split.h), and all states as vectors.
 */
#include "definitions.h"
#include "progress.h"
#include "model.h"
#include "formats/printed.h"
#include "split.h"
#include "values.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
    om_context *ctx;
    const om_model *m;
    om_split in;
    om_place place; /* of the current member or state */
    om_lasso l;
    size_t vector_capacity, transition_capacity, printed_capacity;
    char *property;
    bool alone; /* the model stands in: prints come from the text */
} reader;

#define BAD(r, ...) om_fail((r)->ctx, OM_EINPUT, &(r)->place, __VA_ARGS__)

/* Compares a text of the model with the writer's version of it, which has repaired UTF-8: by
 * writing and reading it. */
static bool same_text(const char *model, const json_t *value)
{
    if (!json_is_string(value))
        return false;
    if (strcmp(model == NULL ? "" : model, json_string_value(value)) == 0)
        return true;
    json_t *clean = json_string(model == NULL ? "" : model);
    bool same = clean == NULL || json_equal(clean, value) != 0;
    json_decref(clean);
    return same;
}

/* Finds the value with that name; returns false if there is none. */
static bool find_name(const om_slot *slot, const json_t *name, json_int_t *out)
{
    uint32_t count = slot->enumerator_names == NULL ? 0 : slot->enumerators, i = 0;
    while (i < count &&
           (slot->enumerator_names[i] == NULL || !same_text(slot->enumerator_names[i], name)))
        i++;
    *out = i;
    return i < count;
}

/* Enumerators have their names; earlier versions wrote other values as numbers. */
static bool may_be_number(const om_slot *slot, json_int_t number)
{
    return number >= OM_VALUE_MIN && number <= OM_VALUE_MAX &&
           (slot->type != OM_ENUM || om_slot__name_of(slot, (om_value) number) == NULL);
}

static int read_value(reader *r, const om_slot *slot, const json_t *value, size_t state, uint32_t e)
{
    uint32_t *at = r->l.vectors + state * r->l.words;
    json_int_t number = 0;
    bool ok = false;

    if (json_is_string(value))
        ok = find_name(slot, value, &number);
    else if (slot->type == OM_BOOL && json_is_boolean(value)) {
        number = json_is_true(value);
        ok = true;
    } else if (slot->type != OM_BOOL && json_is_integer(value)) {
        number = json_integer_value(value);
        ok = may_be_number(slot, number);
    }
    if (ok)
        om_slot_set(slot, at, e, (om_value) number);
    if (!ok || om_slot_get(slot, at, e) != number)
        return BAD(
            r, "states[%zu]: '%s' has a value that the variable cannot hold", state, slot->name);
    return OM_OK;
}

static int read_slot(reader *r, const om_slot *slot, const json_t *value, size_t state)
{
    if (value == NULL)
        return BAD(r, "states[%zu]: '%s' is missing", state, slot->name);
    if (slot->length == 0)
        return read_value(r, slot, value, state, 0);
    if (!json_is_array(value) || json_array_size(value) != slot->length)
        return BAD(
            r, "states[%zu]: '%s' must be an array of %" PRIu32, state, slot->name, slot->length);
    for (uint32_t e = 0; e < slot->length; e++) {
        int rc = read_value(r, slot, json_array_get(value, e), state, e);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

/* The label and the place of a transition must be those of the model. */
static int check_transition(reader *r, const json_t *meta, size_t state, uint32_t number)
{
    const om_transition *t = om_model_transition(r->m, number);
    om_text place = { .heap = om_context_heap(r->ctx) };
    const size_t keys = json_is_string(json_object_get(meta, "prints")) ? 5 : 4;
    int rc = OM_OK;

    om_lasso_put_place(&t->place, &place);
    if (place.failed)
        rc = om_fail_memory(r->ctx);
    else if (json_object_size(meta) != keys || !same_text(t->label, json_object_get(meta, "label")))
        rc = BAD(r, "states[%zu]: transition %" PRIu32 " of the model has the label '%s'", state,
            number, t->label == NULL ? "" : t->label);
    else if (!same_text(place.text, json_object_get(meta, "place")))
        rc = BAD(r, "states[%zu]: transition %" PRIu32 " of the model is at '%s'", state, number,
            place.text == NULL ? "" : place.text);
    om_text_free(&place);
    return rc;
}

/* The model's own output is not compared: it is not part of the run. */
static int read_printed(reader *r, const json_t *meta, size_t state)
{
    const char *prints = json_string_value(json_object_get(meta, "prints"));
    if (!r->alone || prints == NULL || *prints == '\0')
        return OM_OK;
    r->l.printed[state] = om_strdup(r->l.heap, prints);
    return r->l.printed[state] == NULL ? om_fail_memory(r->ctx) : OM_OK;
}

static int read_step(reader *r, const json_t *meta, size_t state)
{
    const json_t *index = json_object_get(meta, "index");
    const json_t *transition = json_object_get(meta, "transition");

    if (!json_is_integer(index) || json_integer_value(index) != (json_int_t) state)
        return BAD(r, "states[%zu]: '#meta' must have \"index\": %zu", state, state);
    if (json_is_integer(transition)) {
        json_int_t number = json_integer_value(transition);
        if (number < 0 || number >= om_model_transition_count(r->m))
            return BAD(
                r, "states[%zu]: the model has no transition %" JSON_INTEGER_FORMAT, state, number);
        r->l.transitions[state] = (uint32_t) number;
        int rc = check_transition(r, meta, state, (uint32_t) number);
        return rc == OM_OK ? read_printed(r, meta, state) : rc;
    }
    if (json_is_null(transition))
        r->l.transitions[state] = OM_NONE;
    else if (same_text(OM_LASSO_STUTTER, transition))
        r->l.transitions[state] = OM_STUTTER;
    else
        return BAD(r, "states[%zu]: 'transition' must be a number, \"stutter\" or null", state);
    if (json_object_size(meta) != 2)
        return BAD(r, "states[%zu]: '#meta' has unknown keys", state);
    return OM_OK;
}

static int read_state(reader *r, const json_t *state, size_t i)
{
    uint32_t slots = om_model_shown_slots(r->m);
    int rc;
    if (!json_is_object(state))
        return BAD(r, "states[%zu] must be an object", i);
    if ((rc = read_step(r, json_object_get(state, "#meta"), i)) != OM_OK)
        return rc;
    for (uint32_t s = 0; rc == OM_OK && s < slots; s++) {
        const om_slot *slot = om_model_slot(r->m, s);
        rc = read_slot(r, slot, json_object_get(state, slot->name), i);
    }
    if (rc == OM_OK && json_object_size(state) != (size_t) slots + 1)
        rc = BAD(r, "states[%zu] has variables that the model does not have", i);
    return rc;
}

static bool add_printed(reader *r)
{
    om_lasso *l = &r->l;
    if (!OM_ROOM(l->heap, l->printed, &r->printed_capacity, l->count + 1))
        return false;
    l->printed[l->count] = NULL;
    return true;
}

/* Allocates one more state, all zero. */
static int add_state(reader *r)
{
    om_lasso *l = &r->l;
    size_t size = l->words * sizeof *l->vectors;
    if (!om_grow_array(l->heap, (void *) &l->vectors, &r->vector_capacity, l->count + 1, size) ||
        !OM_ROOM(l->heap, l->transitions, &r->transition_capacity, l->count + 1) ||
        (r->alone && !add_printed(r)))
        return om_fail_memory(r->ctx);
    memset(l->vectors + l->count * l->words, 0, size);
    l->count++;
    return OM_OK;
}

/* Reads one state at a time: there may be millions. */
static int read_states(reader *r)
{
    bool more = true;
    char next;
    int rc = om_split__peek(&r->in, &next);
    if (rc == OM_OK && next != '[')
        return BAD(r, "'states' must be an array");
    om_stage__begin(r->ctx, "states read", 0);
    for (bool first = true; rc == OM_OK; first = false) {
        json_t *state = NULL;
        rc = om_split__next(&r->in, "[]", first, &more);
        if (rc != OM_OK || !more)
            break;
        r->place = r->in.place;
        rc = om_context_stopped(r->ctx);
        if (rc == OM_OK)
            rc = om_split__value(&r->in, &state);
        om_stage__at(r->ctx, r->l.count);
        if (rc == OM_OK)
            rc = add_state(r);
        if (rc == OM_OK)
            rc = read_state(r, state, r->l.count - 1);
        json_decref(state);
    }
    om_stage__end(r->ctx);
    if (rc == OM_OK && r->l.count == 0)
        rc = BAD(r, "'states' must not be empty");
    return rc;
}

static int read_loop(reader *r, const json_t *loop)
{
    json_int_t number = json_integer_value(loop);
    if (!json_is_integer(loop) || number < 0)
        return BAD(r, "'loop' must be the index of a state");
    r->l.loop = (size_t) number;
    return OM_OK;
}

/* Checks the start of the cycle; and that every state has a transition except the last one of a
 * finite trace. */
static int check_steps(reader *r)
{
    bool endless = r->l.loop != OM_NO_LOOP;
    if (endless && r->l.loop >= r->l.count)
        return BAD(r, "'loop' must be the index of a state");
    if (!endless && r->l.bad_prefix != 0 && r->l.bad_prefix != r->l.count)
        return BAD(r, "\"violated_at\" must be the last state of a run without a loop");
    for (size_t i = 0; i < r->l.count; i++) {
        bool ends = i + 1 == r->l.count && !endless;
        if (ends != (r->l.transitions[i] == OM_NONE))
            return BAD(r,
                ends ? "states[%zu]: the last state of a trace without a loop has no transition"
                     : "states[%zu]: 'transition' is null, but the run continues",
                i);
    }
    return OM_OK;
}

static int read_vars(reader *r, const json_t *vars)
{
    uint32_t slots = om_model_shown_slots(r->m);
    bool same = json_is_array(vars) && json_array_size(vars) == slots;
    for (uint32_t s = 0; same && s < slots; s++)
        same = same_text(om_model_slot(r->m, s)->name, json_array_get(vars, s));
    return same ? OM_OK : BAD(r, "'vars' are not the variables of model '%s'", om_model_name(r->m));
}

/* Lassos of earlier versions lack these members: they are of the model without changes. */
static int read_form(reader *r, const json_t *meta)
{
    const json_t *reset = json_object_get(meta, "reset_dead");
    const json_t *overflow = json_object_get(meta, "overflow");
    const json_t *assertions = json_object_get(meta, "assertions");
    if (reset != NULL && !json_is_boolean(reset))
        return BAD(r, "'#meta': \"reset_dead\" must be true or false");
    bool error = same_text(om_lasso__overflow_name(OM_OVERFLOW_ERROR), overflow);
    if (overflow != NULL && !error &&
        !same_text(om_lasso__overflow_name(OM_OVERFLOW_WRAP), overflow))
        return BAD(r, "'#meta': \"overflow\" must be \"wrap\" or \"error\"");
    if (assertions != NULL && !same_text("ignored", assertions))
        return BAD(r, "'#meta': \"assertions\" must be \"ignored\", or absent");
    r->l.form = (om_model_form){ json_is_true(reset), error ? OM_OVERFLOW_ERROR : OM_OVERFLOW_WRAP,
        assertions != NULL };
    return OM_OK;
}

static int read_fairness(reader *r, const json_t *meta)
{
    const json_t *kind = json_object_get(meta, "fairness"), *fair = json_object_get(meta, "fair");
    int k = OM_FAIRNESS_NONE;
    while (kind != NULL && k < OM_FAIRNESS_KINDS &&
           !same_text(om_process_fairness_name((om_process_fairness) k), kind))
        k++;
    if (k == OM_FAIRNESS_KINDS)
        return BAD(r, "'#meta': \"fairness\" must be \"none\", \"weak\" or \"strong\"");
    if (fair != NULL && !json_is_string(fair))
        return BAD(r, "'#meta': \"fair\" must be a formula");
    r->l.fairness = (om_process_fairness) k;
    if (fair != NULL && (r->l.fair = om_strdup(r->l.heap, json_string_value(fair))) == NULL)
        return om_fail_memory(r->ctx);
    return OM_OK;
}

static int read_prefix(reader *r, const json_t *at)
{
    const json_int_t number = json_integer_value(at);
    if (at == NULL)
        return OM_OK;
    if (!json_is_integer(at) || number < 0 || (uint64_t) number >= SIZE_MAX)
        return BAD(r, "'#meta': \"violated_at\" must be the number of a state");
    r->l.bad_prefix = (size_t) number + 1;
    return OM_OK;
}

/* For readers without the model: all locations, in the order of the slots. */
static int read_locations(reader *r, const json_t *locations)
{
    bool same = locations == NULL || json_is_array(locations);
    size_t n = 0;
    for (uint32_t s = 0; locations != NULL && s < om_model_shown_slots(r->m); s++)
        if (om_lasso__is_location(r->m, s))
            same = same && same_text(om_model_slot(r->m, s)->name, json_array_get(locations, n++));
    same = same && json_array_size(locations) == n;
    return same ? OM_OK : BAD(r, "'#meta': \"locations\" are not those of the processes");
}

/* A run of the model with other macros is a run of another model. */
static int read_definitions(reader *r, const json_t *recorded)
{
    om_text options = { .heap = r->l.heap };
    if (recorded != NULL && !json_is_array(recorded))
        return BAD(r, "'#meta': \"definitions\" must be an array");
    if (r->alone || om_lasso__same_definitions(om_context_sources(r->ctx), recorded))
        return OM_OK;
    om_lasso__put_definition_options(recorded, &options);
    int rc =
        options.failed
            ? om_fail_memory(r->ctx)
            : BAD(r,
                  "the run is of the model with %s, but the model was read with other definitions",
                  options.text);
    om_text_free(&options);
    return rc;
}

static int read_meta(reader *r, const json_t *meta)
{
    static const char *const optional[] = { "reset_dead", "overflow", "fairness", "fair",
        "locations", "definitions", "violated_at" };
    const json_t *text = json_object_get(meta, "property");
    size_t keys = 3;
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        keys += json_object_get(meta, optional[i]) != NULL;
    if (!same_text(OM_LASSO_FORMAT, json_object_get(meta, "format")) ||
        json_object_size(meta) != keys)
        return BAD(r, "'#meta' is not that of a lasso written by omen");
    if (!same_text(om_model_name(r->m), json_object_get(meta, "model")))
        return BAD(r, "the lasso is not a run of model '%s'", om_model_name(r->m));
    if (!json_is_string(text) && !json_is_null(text))
        return BAD(r, "'#meta' must have a 'property'");
    if (json_is_string(text)) {
        r->property = om_strdup(om_context_heap(r->ctx), json_string_value(text));
        if (r->property == NULL)
            return om_fail_memory(r->ctx);
    }
    int rc = read_definitions(r, json_object_get(meta, "definitions"));
    if (rc == OM_OK)
        rc = read_form(r, meta);
    if (rc == OM_OK)
        rc = read_locations(r, json_object_get(meta, "locations"));
    if (rc == OM_OK)
        rc = read_prefix(r, json_object_get(meta, "violated_at"));
    return rc == OM_OK ? read_fairness(r, meta) : rc;
}

/* The members of a lasso, in any order; "states" is never in memory as a whole. */
enum { META, VARS, STATES, LOOP, MEMBERS };
static const char *const members[MEMBERS] = { "#meta", "vars", "states", "loop" };

static int not_a_lasso(reader *r)
{
    return BAD(r, "not a lasso: expected '#meta', 'vars', 'states' and optionally 'loop'");
}

/* key ":"; *member is its number. */
static int read_key(reader *r, unsigned *seen, int *member)
{
    json_t *key = NULL;
    r->place = r->in.place;
    int rc = om_split__value(&r->in, &key);
    if (rc != OM_OK)
        return rc;
    int i = 0;
    while (i < MEMBERS && !same_text(members[i], key))
        i++;
    json_decref(key);
    if (i == MEMBERS || (*seen & 1u << i) != 0)
        return not_a_lasso(r);
    *seen |= 1u << i;
    *member = i;
    return om_split__expect(&r->in, ':');
}

static int read_member(reader *r, unsigned *seen)
{
    static int (*const read[MEMBERS])(
        reader *, const json_t *) = { [META] = read_meta, [VARS] = read_vars, [LOOP] = read_loop };
    json_t *value = NULL;
    int member = 0, rc = read_key(r, seen, &member);
    if (rc != OM_OK || member == STATES)
        return rc == OM_OK ? read_states(r) : rc;
    rc = om_split__value(&r->in, &value);
    if (rc == OM_OK)
        rc = read[member](r, value);
    json_decref(value);
    return rc;
}

static int read_all(reader *r)
{
    unsigned seen = 0;
    bool more = true;
    char next;
    int rc = om_split__peek(&r->in, &next);
    r->place = r->in.place;
    if (rc == OM_OK && next != '{')
        return not_a_lasso(r);
    for (bool first = true; rc == OM_OK && more; first = false) {
        rc = om_split__next(&r->in, "{}", first, &more);
        if (rc == OM_OK && more)
            rc = read_member(r, &seen);
    }
    if (rc == OM_OK)
        rc = om_split__peek(&r->in, &next);
    if (rc != OM_OK)
        return rc;
    if (next != '\0' || (seen | 1u << LOOP) != (1u << MEMBERS) - 1)
        return not_a_lasso(r);
    return check_steps(r);
}

/* Reads from r->in, which is open if rc is OM_OK. */
static int read_lasso(reader *r, int rc, om_lasso *out, char **property)
{
    if (rc == OM_OK)
        rc = read_all(r);
    om_split__close(&r->in);
    if (rc == OM_OK && property != NULL) {
        *property = r->property;
        r->property = NULL;
    }
    om_free(om_context_heap(r->ctx), r->property);
    if (rc == OM_OK)
        *out = r->l;
    else
        om_lasso_free(&r->l);
    return rc;
}

static reader reader_of(om_context *ctx, const om_model *m)
{
    const om_heap *heap = om_context_heap(ctx);
    return (reader){
        .ctx = ctx, .m = m, .l = { .heap = heap, .words = om_model_words(m), .loop = OM_NO_LOOP }
    };
}

int om_lasso_read(om_lasso *out, om_context *ctx, const om_model *m, const char *file,
    const char *text, size_t length, char **property)
{
    reader r = reader_of(ctx, m);
    om_split__text(&r.in, ctx, file, text, length);
    return read_lasso(&r, OM_OK, out, property);
}

int om_lasso__read_with_output(om_lasso *out, om_context *ctx, const om_model *m, const char *file,
    const char *text, size_t length, char **property)
{
    reader r = reader_of(ctx, m);
    r.alone = true;
    om_split__text(&r.in, ctx, file, text, length);
    return read_lasso(&r, OM_OK, out, property);
}

int om_lasso_read_file(
    om_lasso *out, om_context *ctx, const om_model *m, const char *path, char **property)
{
    reader r = reader_of(ctx, m);
    return read_lasso(&r, om_split__open(&r.in, ctx, path), out, property);
}
