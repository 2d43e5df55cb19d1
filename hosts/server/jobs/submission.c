/* SPDX-License-Identifier: Apache-2.0 */
#include "submission.h"

#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PROPERTIES = 64, NAME_BYTES = 100 };

/* ---- options ---- */

typedef enum value_type { FLAG, TEXT, NUMBER, TEXTS } value_type;

/* The options of `omen check` that a submission may have, with the same names. Other options are
 * set by omend (limits, output), or read files. */
typedef struct option {
    const char *name;
    value_type type;
} option;

static const option options[] = { { "checker", TEXT }, { "terminal", TEXT }, { "weak", TEXT },
    { "strong", TEXT }, { "schedule", TEXT }, { "seed", NUMBER }, { "translator", TEXT },
    { "device", TEXT }, { "verify-device", TEXT }, { "exec", TEXT }, { "store", TEXT },
    { "finite-runs", TEXT }, { "fairness", TEXT }, { "fair", TEXTS }, { "reset-dead", TEXT },
    { "merge", TEXT }, { "por", TEXT }, { "overflow", TEXT }, { "shortest", TEXT },
    { "progress-states", TEXT }, { "spelling", TEXT }, { "whole-run", FLAG }, { "verbose", FLAG },
    { "quiet", FLAG }, { "fail-fast", FLAG }, { "search", TEXT }, { "guide", TEXT } };

enum { OPTIONS = sizeof options / sizeof *options };

static bool has_type(const json_t *value, value_type type)
{
    size_t i;
    json_t *element;
    switch (type) {
    case FLAG:
        return json_is_true(value);
    case TEXT:
        return json_is_string(value);
    case NUMBER:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    default:
        json_array_foreach(value, i, element) if (!json_is_string(element)) return false;
        return json_is_string(value) || (json_is_array(value) && json_array_size(value) <= 64);
    }
}

static const char *const type_words[] = { "true", "a string", "a number, 0 or more",
    "a string or an array of strings" };

static bool check_option(
    const omend_config *config, const char *name, const json_t *value, omend_problem *p)
{
    char pointer[128];
    (void) snprintf(pointer, sizeof pointer, "/options/%.64s", name);
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(options[i].name, name) != 0)
            continue;
        if (!has_type(value, options[i].type))
            return problem_set(p, OMEND_BAD_REQUEST, pointer, "option '%s' takes %s", name,
                type_words[options[i].type]);
        if (strcmp(name, "translator") == 0 && !config->translators &&
            strncmp(json_string_value(value), "cmd:", 4) == 0)
            return problem_set(p, OMEND_FORBIDDEN, pointer,
                "the configuration does not allow programs that translate formulas");
        return true;
    }
    return problem_set(p, OMEND_BAD_REQUEST, pointer,
        "no option '%.64s' of jobs (see the OpenAPI document)", name);
}

/* ---- properties ---- */

static const char *const property_kinds[] = { "ltl", "never", "invariant", "name", "deadlock",
    "non-progress", "assertions", NULL };

static bool check_property(json_t *property, size_t index, omend_problem *p)
{
    char pointer[64];
    const char *kind = json_object_iter_key(json_object_iter(property));
    int k = 0;
    (void) snprintf(pointer, sizeof pointer, "/properties/%zu", index);
    if (!json_is_object(property) || json_object_size(property) != 1)
        return problem_set(p, OMEND_BAD_REQUEST, pointer,
            "a property is an object with one member: ltl, never, invariant, name, deadlock, "
            "non-progress or assertions");
    while (property_kinds[k] != NULL && strcmp(property_kinds[k], kind) != 0)
        k++;
    if (property_kinds[k] == NULL)
        return problem_set(p, OMEND_BAD_REQUEST, pointer,
            "no property '%.64s' (only ltl, never, invariant, name, deadlock, "
            "non-progress, assertions)",
            kind);
    const json_t *value = json_object_get(property, kind);
    bool ok = k < 4 ? json_is_string(value) && json_string_length(value) > 0 : json_is_true(value);
    return ok || problem_set(p, OMEND_BAD_REQUEST, pointer, "%s takes %s", kind,
                     k < 4 ? "a non-empty string" : "true");
}

/* Writes the file name of the automaton of a property. */
static void never_name(char *out, size_t size, size_t index)
{
    (void) snprintf(out, size, "never-%zu.hoa", index + 1);
}

/* ---- members ---- */

/* State of submission_read(). */
typedef struct reading {
    omend_submission *to;
    const omend_config *config;
    omend_problem *p;
} reading;

static bool put(const reading *r, const char *name, json_t *value)
{
    return json_object_set(r->to->request, name, value) == 0 ||
           problem_set(r->p, OMEND_BROKEN, "", "out of memory");
}

static bool on_model(const reading *r, json_t *value)
{
    if (!json_is_string(value) || json_string_length(value) == 0)
        return problem_set(r->p, OMEND_BAD_REQUEST, "/model", "model must be the text of a model");
    r->to->model = json_incref(value);
    return true;
}

/* True if `s` has only letters, digits and ._-, and begins with neither dot nor dash: it becomes
 * the name of a file. */
static bool is_plain(const char *s, size_t most)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t n = strlen(s);
    return n > 0 && n <= most && s[0] != '.' && s[0] != '-' && strspn(s, plain) == n;
}

static bool on_language(const reading *r, json_t *value)
{
    const char *s = json_string_value(value);
    if (s == NULL || !is_plain(s, 32))
        return problem_set(
            r->p, OMEND_BAD_REQUEST, "/language", "language must be a name such as dve");
    if (strcmp(s, "pins") == 0 && !r->config->foreign_models)
        return problem_set(r->p, OMEND_FORBIDDEN, "/language",
            "the configuration does not allow shared objects as models");
    return put(r, "language", value);
}

static bool on_name(const reading *r, json_t *value)
{
    const char *s = json_string_value(value);
    return s != NULL && is_plain(s, NAME_BYTES) ? put(r, "name", value)
                                                : problem_set(r->p, OMEND_BAD_REQUEST, "/name",
                                                      "name must be a file name: at most %d "
                                                      "letters, digits and ._-, without a folder",
                                                      NAME_BYTES);
}

static bool on_properties(const reading *r, json_t *value)
{
    size_t i;
    json_t *property;
    if (!json_is_array(value) || json_array_size(value) > MOST_PROPERTIES)
        return problem_set(r->p, OMEND_BAD_REQUEST, "/properties",
            "properties must be an array of at most %d", MOST_PROPERTIES);
    json_array_foreach(value, i, property) if (!check_property(property, i, r->p)) return false;
    return put(r, "properties", value);
}

static bool on_options(const reading *r, json_t *value)
{
    const char *name;
    json_t *element;
    if (!json_is_object(value))
        return problem_set(r->p, OMEND_BAD_REQUEST, "/options", "options must be an object");
    json_object_foreach(
        value, name, element) if (!check_option(r->config, name, element, r->p)) return false;
    return put(r, "options", value);
}

/* Reads a number, or a text with a unit. */
static bool is_amount(
    const json_t *value, bool (*read)(const char *text, uint64_t *out), uint64_t *out)
{
    if (json_is_integer(value) && json_integer_value(value) > 0) {
        char text[32];
        (void) snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return read(text, out);
    }
    return json_is_string(value) && read(json_string_value(value), out) && *out > 0;
}

static bool check_limit(
    const omend_config *config, const char *name, const json_t *value, omend_problem *p)
{
    uint64_t n = 0;
    if (strcmp(name, "memory") == 0)
        return is_amount(value, units_read_size, &n) ||
               problem_set(
                   p, OMEND_BAD_REQUEST, "/limits/memory", "memory must be a size, such as \"2G\"");
    if (strcmp(name, "timeout") == 0) {
        if (!is_amount(value, units_read_time, &n))
            return problem_set(
                p, OMEND_BAD_REQUEST, "/limits/timeout", "timeout must be a time, such as \"10m\"");
        return n <= config->most_timeout_ns || problem_set(p, OMEND_BAD_MODEL, "/limits/timeout",
                                                   "longer than the configuration allows (%.0f s)",
                                                   (double) config->most_timeout_ns * 1e-9);
    }
    if (strcmp(name, "max_states") == 0 || strcmp(name, "threads") == 0)
        return (json_is_integer(value) && json_integer_value(value) > 0) ||
               problem_set(p, OMEND_BAD_REQUEST,
                   *name == 'm' ? "/limits/max_states" : "/limits/threads",
                   "%s must be a number greater than 0", name);
    return problem_set(p, OMEND_BAD_REQUEST, "/limits",
        "no limit '%.64s' (only memory, timeout, max_states, threads)", name);
}

static bool on_limits(const reading *r, json_t *value)
{
    const char *name;
    json_t *element;
    if (!json_is_object(value))
        return problem_set(r->p, OMEND_BAD_REQUEST, "/limits", "limits must be an object");
    json_object_foreach(
        value, name, element) if (!check_limit(r->config, name, element, r->p)) return false;
    return put(r, "limits", value);
}

static bool on_priority(const reading *r, json_t *value)
{
    json_int_t n = json_integer_value(value);
    if (!json_is_integer(value) || n < -OMEND_PRIORITY_MOST || n > OMEND_PRIORITY_MOST)
        return problem_set(r->p, OMEND_BAD_REQUEST, "/priority",
            "priority must be a number from %d to %d", -OMEND_PRIORITY_MOST, OMEND_PRIORITY_MOST);
    r->to->priority = (int) n;
    return true;
}

static bool on_label(const reading *r, json_t *value)
{
    if (!json_is_string(value) || json_string_length(value) > OMEND_LABEL_BYTES)
        return problem_set(r->p, OMEND_BAD_REQUEST, "/label",
            "label must be a string of at most %d bytes", OMEND_LABEL_BYTES);
    json_decref(r->to->label_owner);
    r->to->label_owner = json_incref(value);
    r->to->label = json_string_value(value);
    return true;
}

static const struct {
    const char *name;
    bool (*read)(const reading *r, json_t *value);
} members[] = { { "model", on_model }, { "language", on_language }, { "name", on_name },
    { "properties", on_properties }, { "options", on_options }, { "limits", on_limits },
    { "priority", on_priority }, { "label", on_label } };

static bool read_member(const reading *r, const char *name, json_t *value)
{
    char pointer[96];
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].name, name) == 0)
            return members[i].read(r, value);
    (void) snprintf(pointer, sizeof pointer, "/%.64s", name);
    return problem_set(
        r->p, OMEND_BAD_REQUEST, pointer, "a submission has no member '%.64s'", name);
}

/* The model is in the same folder as the automata of its properties (add_property()). */
static bool check_names(const json_t *request, omend_problem *p)
{
    const char *name = json_string_value(json_object_get(request, "name"));
    json_t *property;
    char file[32];
    size_t i;
    json_array_foreach(json_object_get(request, "properties"), i, property)
    {
        never_name(file, sizeof file, i);
        if (name != NULL && json_object_get(property, "never") != NULL && strcmp(name, file) == 0)
            return problem_set(p, OMEND_BAD_REQUEST, "/name",
                "'%s' is the file name of property %zu: give the model another name", file, i + 1);
    }
    return true;
}

bool submission_read(
    omend_submission *s, const omend_config *config, json_t *body, omend_problem *p)
{
    const reading r = { s, config, p };
    const char *name;
    json_t *value;
    *s = (omend_submission){ .label = "" };
    if (!json_is_object(body))
        return problem_set(p, OMEND_BAD_REQUEST, "", "a submission must be a JSON object");
    s->request = json_object();
    if (s->request == NULL)
        return problem_set(p, OMEND_BROKEN, "", "out of memory");
    json_object_foreach(body, name, value) if (!read_member(&r, name, value)) return false;
    if (s->model == NULL)
        return problem_set(p, OMEND_BAD_REQUEST, "/model", "a submission needs a model");
    if (json_object_get(s->request, "language") == NULL)
        return problem_set(p, OMEND_BAD_REQUEST, "/language", "a submission needs a language");
    return check_names(s->request, p);
}

void submission_free(omend_submission *s)
{
    json_decref(s->request);
    json_decref(s->model);
    json_decref(s->label_owner);
    *s = (omend_submission){ .label = "" };
}

/* ---- needs ---- */

omend_needs submission_needs(const json_t *request)
{
    const json_t *limits = json_object_get(request, "limits");
    omend_needs n = { 0 };
    json_int_t threads = json_integer_value(json_object_get(limits, "threads"));
    (void) is_amount(json_object_get(limits, "memory"), units_read_size, &n.memory_bytes);
    (void) is_amount(json_object_get(limits, "timeout"), units_read_time, &n.timeout_ns);
    n.threads = threads > UINT32_MAX ? UINT32_MAX : (uint32_t) threads;
    n.devices_given = json_object_get(json_object_get(request, "options"), "device") != NULL;
    return n;
}

/* ---- the command ---- */

typedef struct command {
    json_t *argv, *files;
    bool failed;
} command;

static void add(command *c, const char *text)
{
    if (json_array_append_new(c->argv, json_string(text)) != 0)
        c->failed = true;
}

static void add_number(command *c, const char *name, uint64_t n)
{
    char text[32];
    (void) snprintf(text, sizeof text, "%" PRIu64, n);
    add(c, name);
    add(c, text);
}

/* A value may begin with '-'. */
static void add_option(command *c, const char *name, const char *value)
{
    char option_name[64];
    (void) snprintf(option_name, sizeof option_name, "--%s", name);
    add(c, option_name);
    add(c, value);
}

static void add_property(command *c, json_t *property, size_t index)
{
    const char *kind = json_object_iter_key(json_object_iter(property));
    json_t *value = json_object_get(property, kind);
    char name[32];
    if (json_is_true(value)) {
        (void) snprintf(name, sizeof name, "--%s", kind);
        add(c, name);
    } else if (strcmp(kind, "never") == 0) {
        never_name(name, sizeof name, index);
        if (json_object_set(c->files, name, value) != 0)
            c->failed = true;
        add_option(c, "never", name);
    } else {
        add_option(c, strcmp(kind, "name") == 0 ? "property" : kind, json_string_value(value));
    }
}

static void add_options(command *c, json_t *given)
{
    const char *name;
    json_t *value, *element;
    size_t i;
    char number[32], flag[32];
    json_object_foreach(given, name, value)
    {
        if (json_is_true(value)) {
            (void) snprintf(flag, sizeof flag, "--%s", name);
            add(c, flag);
        } else if (json_is_string(value)) {
            add_option(c, name, json_string_value(value));
        } else if (json_is_integer(value)) {
            (void) snprintf(
                number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
            add_option(c, name, number);
        }
        json_array_foreach(value, i, element) add_option(c, name, json_string_value(element));
    }
}

json_t *submission_command(
    const json_t *request, const omend_config *config, const omend_grant *grant, json_t *files)
{
    command c = { .argv = json_array(), .files = files };
    const omend_needs needs = submission_needs(request);
    const char *name = json_string_value(json_object_get(request, "name"));
    const char *language = json_string_value(json_object_get(request, "language"));
    json_t *properties = json_object_get(request, "properties"), *property;
    json_int_t states =
        json_integer_value(json_object_get(json_object_get(request, "limits"), "max_states"));
    uint64_t ns = needs.timeout_ns != 0 ? needs.timeout_ns : config->job_timeout_ns;
    size_t i;
    char time[32];
    add(&c, config->omen);
    add(&c, "check");
    add(&c, name == NULL ? "model" : name);
    add_option(&c, "frontend", language);
    json_array_foreach(properties, i, property) add_property(&c, property, i);
    add_options(&c, json_object_get(request, "options"));
    if (!needs.devices_given)
        add_option(&c, "device", grant->devices);
    add_number(&c, "--threads", grant->threads);
    add_number(&c, "--memory", grant->memory_bytes);
    if (states > 0)
        add_number(&c, "--max-states", (uint64_t) states);
    (void) snprintf(time, sizeof time, "%" PRIu64 "ms", ns / 1000000);
    add_option(&c, "timeout", time);
    add(&c, "--json-lines");
    if (c.failed || c.argv == NULL) {
        json_decref(c.argv);
        return NULL;
    }
    return c.argv;
}
