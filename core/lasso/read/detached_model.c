/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a lasso without its model. The information in the lasso is put together to a model that
 * stands in: the variables, their values on the run, and the transitions of the run with label and
 * place, but nothing executable. The lasso is then read as one of that model (read_json.c), which
 * finds any inconsistency. All formats are thus written as with the model.
 *
 * Labels identify the processes (chart.h): if a label has the name of a variable before its first
 * ": ", then all variables that have named values and no dot in their own names are locations of
 * processes, such as "P" beside "P.x". If other variables have named values, too, the lasso has a
 * list of "locations".
 */
#include "formats/printed.h"
#include "split.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { TRANSITIONS_MOST = 1 << 20, NAMED_MOST = 1 << 16 };

/* A variable. Its values are booleans; or numbers, names or both: the names are then coded as
 * numbers above the others. */
typedef struct variable {
    bool truth, numbers;
    uint32_t length;        /* 0: not an array */
    json_int_t low, high;   /* range of the numbers */
    json_t *names, *number; /* names in order, or NULL; map from a name to its index */
    uint32_t process;
} variable;

/* The "#meta" of a state with this transition, or NULL. */
typedef struct taken {
    json_t *meta;
} taken;

typedef struct maker {
    om_context *ctx;
    const om_heap *heap;
    om_split in;
    om_place place;
    json_t *meta, *vars;
    json_t *index; /* map from the name of a variable to its index in `variables` */
    variable *variables;
    size_t count, room;
    taken *steps; /* by transition */
    size_t step_count, step_room;
    om_model *m;
} maker;

#define BAD(k, ...) om_fail((k)->ctx, OM_EINPUT, &(k)->place, __VA_ARGS__)

/* ---- values ---- */

static int add_name(maker *k, variable *v, const json_t *value)
{
    const char *name = json_string_value(value);
    if (v->names == NULL) {
        v->names = json_array();
        v->number = json_object();
    }
    if (json_object_get(v->number, name) != NULL)
        return OM_OK;
    json_int_t n = (json_int_t) json_array_size(v->names);
    return json_object_set_new(v->number, name, json_integer(n)) != 0 ||
                   json_array_append_new(v->names, json_string(name)) != 0
               ? om_fail_memory(k->ctx)
               : OM_OK;
}

static int add_value(maker *k, variable *v, const char *name, const json_t *value)
{
    const bool truth = json_is_boolean(value), number = json_is_integer(value);
    const bool others = truth ? v->numbers || v->names != NULL : v->truth;
    if (others || !(truth || number || json_is_string(value)))
        return BAD(k, "the values of '%s' have different types", name);
    if (json_is_string(value))
        return add_name(k, v, value);
    v->truth = truth;
    v->numbers = number;
    json_int_t n = number ? json_integer_value(value) : 0;
    if (n < OM_VALUE_MIN || n >= OM_VALUE_MAX)
        return BAD(k, "a value of '%s' is out of range", name);
    v->low = n < v->low ? n : v->low;
    v->high = n > v->high ? n : v->high;
    return OM_OK;
}

static int add_values(maker *k, variable *v, const char *name, const json_t *value, bool first)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 0;
    int rc = OM_OK;
    if (first)
        v->length = (uint32_t) n;
    if (n != v->length || (n == 0 && json_is_array(value)) || n > OM_VALUE_MAX)
        return BAD(k, "'%s' does not always have the same length", name);
    if (n == 0)
        return add_value(k, v, name, value);
    for (size_t i = 0; i < n && rc == OM_OK; i++)
        rc = add_value(k, v, name, json_array_get(value, i));
    return rc;
}

/* Adds a value or values of a variable, which may be new. */
static int add_to(maker *k, const char *name, const json_t *value)
{
    const json_t *known = json_object_get(k->index, name);
    size_t i = known == NULL ? k->count : (size_t) json_integer_value(known);
    if (known == NULL) {
        variable *more = om_grow(k->heap, k->variables, &k->room, i + 1, sizeof *more);
        if (more == NULL)
            return om_fail_memory(k->ctx);
        k->variables = more;
        more[i] = (variable){ .process = OM_NONE };
        k->count++;
        if (json_object_set_new(k->index, name, json_integer((json_int_t) i)) != 0)
            return om_fail_memory(k->ctx);
    }
    return add_values(k, &k->variables[i], name, value, known == NULL);
}

/* ---- the text ---- */

static int add_step(maker *k, json_t *meta)
{
    const json_t *transition = json_object_get(meta, "transition");
    if (!json_is_integer(transition))
        return OM_OK;
    json_int_t n = json_integer_value(transition);
    if (n < 0 || n >= TRANSITIONS_MOST)
        return BAD(k, "only transitions from 0 to %d can be shown without the model",
            TRANSITIONS_MOST - 1);
    size_t had = k->step_count, number = (size_t) n;
    if (number >= had) {
        taken *more = om_grow(k->heap, k->steps, &k->step_room, number + 1, sizeof *more);
        if (more == NULL)
            return om_fail_memory(k->ctx);
        k->steps = more;
        memset(more + had, 0, (number + 1 - had) * sizeof *more);
        k->step_count = number + 1;
    }
    if (k->steps[number].meta == NULL)
        k->steps[number].meta = json_incref(meta);
    return OM_OK;
}

static int take_states(maker *k)
{
    bool more = true;
    int rc = OM_OK;
    for (bool first = true; rc == OM_OK; first = false) {
        json_t *state = NULL, *value;
        const char *name;
        char next;
        rc = om_split__next(&k->in, "[]", first, &more);
        if (rc == OM_OK && more)
            rc = om_split__peek(&k->in, &next);
        if (rc == OM_OK && more)
            rc = om_context_stopped(k->ctx);
        if (rc != OM_OK || !more)
            return rc;
        k->place = k->in.place;
        rc = om_split__value(&k->in, &state);
        json_object_foreach(state, name, value)
        {
            if (rc == OM_OK)
                rc = strcmp(name, "#meta") == 0 ? add_step(k, value) : add_to(k, name, value);
        }
        json_decref(state);
    }
    return rc;
}

/* Reads a member of the lasso; read_json.c refuses unknown members. */
static int take_member(maker *k)
{
    json_t *key = NULL, *value = NULL;
    char next = '\0';
    int rc = om_split__value(&k->in, &key);
    const char *name = json_is_string(key) ? json_string_value(key) : "";
    if (rc == OM_OK)
        rc = om_split__expect(&k->in, ':');
    if (rc == OM_OK)
        rc = om_split__peek(&k->in, &next);
    json_t **kept = strcmp(name, "#meta") == 0 ? &k->meta : &k->vars;
    bool keep = strcmp(name, "#meta") == 0 || strcmp(name, "vars") == 0;
    k->place = k->in.place;
    if (rc == OM_OK && strcmp(name, "states") == 0 && next == '[')
        rc = take_states(k);
    else if (rc == OM_OK)
        rc = om_split__value(&k->in, &value);
    if (rc == OM_OK && keep && *kept == NULL)
        *kept = json_incref(value);
    json_decref(value);
    json_decref(key);
    return rc;
}

static int take(maker *k)
{
    bool more = true;
    int rc = OM_OK;
    k->index = json_object();
    for (bool first = true; rc == OM_OK && more; first = false) {
        rc = om_split__next(&k->in, "{}", first, &more);
        if (rc == OM_OK && more)
            rc = take_member(k);
    }
    k->place = (om_place){ k->in.place.file, 0, 0 };
    if (rc == OM_OK && (!json_is_string(json_object_get(k->meta, "model")) ||
                           !json_is_array(k->vars) || json_array_size(k->vars) != k->count))
        rc = BAD(k, "not a lasso: expected '#meta', 'vars', 'states' and optionally 'loop'");
    return rc;
}

/* ---- the model ---- */

/* The i-th of "vars"; NULL if the states do not have it. */
static variable *variable_of(const maker *k, size_t i, const char **name)
{
    *name = json_string_value(json_array_get(k->vars, i));
    const json_t *at = *name == NULL ? NULL : json_object_get(k->index, *name);
    return at == NULL ? NULL : &k->variables[json_integer_value(at)];
}

/* Returns true if the lasso lists this location. */
static bool is_named_location(const json_t *named, const char *name)
{
    const json_t *location;
    size_t i;
    json_array_foreach(named, i, location)
    {
        if (json_is_string(location) && strcmp(json_string_value(location), name) == 0)
            return true;
    }
    return false;
}

static bool is_location(const maker *k, const variable *v, const char *name)
{
    const json_t *named = json_object_get(k->meta, "locations");
    if (v == NULL || v->truth || v->length != 0 || v->low < 0)
        return false;
    return named != NULL ? is_named_location(named, name)
                         : v->names != NULL && !v->numbers && strchr(name, '.') == NULL;
}

/* Returns true if a label begins with a variable that could be the location of a process. */
static bool labels_name_processes(const maker *k)
{
    for (size_t i = 0; i < k->step_count; i++) {
        const char *label = json_string_value(json_object_get(k->steps[i].meta, "label"));
        const char *colon = label == NULL ? NULL : strstr(label, ": ");
        const json_t *at =
            colon == NULL ? NULL : json_object_getn(k->index, label, (size_t) (colon - label));
        if (at != NULL && k->variables[json_integer_value(at)].names != NULL)
            return true;
    }
    return false;
}

static int add_processes(maker *k)
{
    const bool any = json_object_get(k->meta, "locations") != NULL || labels_name_processes(k);
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && any && i < k->count; i++) {
        const char *name;
        variable *v = variable_of(k, i, &name);
        if (is_location(k, v, name))
            rc = om_model_add_process(k->m, name, &v->process);
    }
    return rc;
}

/* "P" of "P.x", if that is a process. */
static uint32_t owner_of(const maker *k, const char *name)
{
    const char *dot = strchr(name, '.');
    const json_t *at = dot == NULL ? NULL : json_object_getn(k->index, name, (size_t) (dot - name));
    return at == NULL ? OM_NONE : k->variables[json_integer_value(at)].process;
}

/* Uses the smallest type that holds the numbers; the type in the model may be as small. */
static void set_type(const variable *v, size_t values, om_slot *slot)
{
    const json_int_t high = (json_int_t) values - 1;
    slot->type = v->truth                                   ? OM_BOOL
                 : v->low >= 0                              ? OM_ENUM
                 : v->low >= INT8_MIN && high <= INT8_MAX   ? OM_I8
                 : v->low >= INT16_MIN && high <= INT16_MAX ? OM_I16
                                                            : OM_I32;
    slot->enumerators = (uint32_t) values;
}

static int add_slot(maker *k, const char *name, const variable *v)
{
    uint32_t elements = v->length == 0 ? 1 : v->length, number = 0;
    /* Numbers below `first` have no names. */
    const size_t names = json_array_size(v->names),
                 first = names == 0 || v->numbers ? (size_t) v->high + 1 : 0;
    if (names != 0 && first + names > NAMED_MOST)
        return BAD(k, "'%s' has both names and a number above %d", name, NAMED_MOST);
    const char **at = om_alloc(k->heap, names == 0 ? 0 : first + names, sizeof *at);
    om_value *zeros = om_alloc(k->heap, elements, sizeof *zeros);
    om_slot slot = { .name = name, .length = v->length, .initial = zeros };
    int rc = at == NULL || zeros == NULL ? om_fail_memory(k->ctx) : OM_OK;
    for (size_t i = 0; rc == OM_OK && i < names; i++)
        at[first + i] = json_string_value(json_array_get(v->names, i));
    slot.enumerator_names = names == 0 ? NULL : at;
    slot.process = v->process != OM_NONE ? v->process : owner_of(k, name);
    set_type(v, first + names, &slot);
    if (rc == OM_OK)
        rc = om_model_add_slot(k->m, &slot, &number);
    if (rc == OM_OK && v->process != OM_NONE)
        rc = om_model_set_location(k->m, v->process, number);
    om_free(k->heap, zeros);
    om_free(k->heap, at);
    return rc;
}

/* Removes ":17" from the end of a text and reduces *length; returns 0 if there is none. */
static uint32_t cut_number(const char *text, size_t *length)
{
    size_t at = *length;
    unsigned long long n = 0;
    while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
        at--;
    /* Ten digits hold all 32-bit numbers. */
    if (at == 0 || at == *length || *length - at > 10 || text[at - 1] != ':' || text[at] == '0')
        return 0;
    n = strtoull(text + at, NULL, 10);
    if (n > UINT32_MAX)
        return 0;
    *length = at - 1;
    return (uint32_t) n;
}

/* "file:line:column", "file:line" or "file". */
static int add_transition(maker *k, const json_t *meta)
{
    const char *text = json_string_value(json_object_get(meta, "place"));
    size_t length = text == NULL ? 0 : strlen(text);
    om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .label = json_string_value(json_object_get(meta, "label")) };
    char *file = NULL;
    if (length != 0) {
        uint32_t last = cut_number(text, &length), first = cut_number(text, &length);
        t.place.line = first != 0 ? first : last;
        t.place.column = first != 0 ? last : 0;
        if ((file = om_strndup(k->heap, text, length)) == NULL)
            return om_fail_memory(k->ctx);
        t.place.file = file;
    }
    int rc = om_model_add_transition(k->m, &t, NULL);
    om_free(k->heap, file);
    return rc;
}

static int make(maker *k)
{
    int rc = om_model_new(&k->m, k->ctx, json_string_value(json_object_get(k->meta, "model")));
    if (rc == OM_OK)
        rc = add_processes(k);
    for (size_t i = 0; rc == OM_OK && i < k->count; i++) {
        const char *name;
        const variable *v = variable_of(k, i, &name);
        rc = v == NULL ? BAD(k, "the states do not have the variables that 'vars' names")
                       : add_slot(k, name, v);
    }
    for (size_t i = 0; rc == OM_OK && i < k->step_count; i++)
        rc = add_transition(k, k->steps[i].meta);
    return rc == OM_OK ? om_model_finish(k->m) : rc;
}

static void forget(maker *k)
{
    for (size_t i = 0; i < k->count; i++) {
        json_decref(k->variables[i].names);
        json_decref(k->variables[i].number);
    }
    for (size_t i = 0; i < k->step_count; i++)
        json_decref(k->steps[i].meta);
    om_free(k->heap, k->variables);
    om_free(k->heap, k->steps);
    json_decref(k->index);
    json_decref(k->meta);
    json_decref(k->vars);
    om_split__close(&k->in);
}

int om_lasso_read_alone(om_lasso *out, om_model **model, om_context *ctx, const char *file,
    const char *text, size_t length, char **property)
{
    maker k = { .ctx = ctx, .heap = om_context_heap(ctx), .place = { file, 1, 1 } };
    om_split__text(&k.in, ctx, file, text, length);
    int rc = take(&k);
    if (rc == OM_OK)
        rc = make(&k);
    if (rc == OM_OK)
        rc = om_lasso__read_with_output(out, ctx, k.m, file, text, length, property);
    if (rc == OM_OK)
        *model = k.m;
    else
        om_model_free(k.m);
    forget(&k);
    return rc;
}
