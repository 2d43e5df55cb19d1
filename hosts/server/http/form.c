/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart/form-data: each part is a member of the submission. `model` (a file) and texts are
 * taken literally; `properties`, `options`, `limits` and `priority` are JSON. For forms sent by
 * hand, `ltl`, `never`, `invariant`, `property` and `deadlock` may be repeated and become
 * properties.
 */
#include "server.h"

#include <assert.h>
#include <string.h>

enum { BUFFER = 32768, MOST_PARTS = 256 };

static const char *const json_parts[] = { "properties", "options", "limits", "priority" };
static const char *const text_parts[] = { "language", "name", "label" };
static const char *const property_parts[] = { "ltl", "never", "invariant", "property" };

static bool is_one_of(const char *key, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], key) == 0)
            return true;
    return false;
}

/* Completes the previous part: it must be text, as in JSON. */
static bool end_part(omend_request *r)
{
    json_t *part = json_array_get(r->form, json_array_size(r->form) - 1);
    if (part == NULL || json_array_size(part) == 2)
        return true;
    assert(json_array_size(part) == 1); /* the text is missing */
    const char *key = json_string_value(json_array_get(part, 0));
    const bool plain = r->part_length == 0 || memchr(r->body, '\0', r->part_length) == NULL;
    return (plain && json_array_append_new(part,
                         json_stringn(r->body == NULL ? "" : r->body, r->part_length)) == 0) ||
           problem_set(&r->problem, OMEND_BAD_REQUEST, "", "part '%.64s' is not UTF-8", key);
}

static bool begin_part(omend_request *r, const char *key)
{
    if (!end_part(r))
        return false;
    r->part_length = 0;
    return (key != NULL && json_array_size(r->form) < MOST_PARTS &&
               json_array_append_new(r->form, json_pack("[s]", key)) == 0) ||
           problem_set(&r->problem, OMEND_BAD_REQUEST, "",
               "a part has no name, or there are too many parts");
}

/* A part arrives in pieces, which may end within a character: they are collected in r->body. The
 * form is an array of [key, text]; the last entry has no text before it is complete. MHD prescribes
 * the parameters. */
static enum MHD_Result take_part( // NOLINT(readability-function-size)
    void *self, enum MHD_ValueKind kind, const char *key, const char *file, const char *type,
    const char *encoding, const char *data, uint64_t offset, size_t size)
{
    omend_request *r = self;
    (void) kind;
    (void) file;
    (void) type;
    (void) encoding;
    if (offset == 0 && !begin_part(r, key))
        return MHD_NO;
    if (!request_reserve(r, r->part_length + size))
        return MHD_NO;
    assert(r->part_length <= r->capacity && size <= r->capacity - r->part_length);
    if (size > 0)
        memcpy(r->body + r->part_length, data, size);
    r->part_length += size;
    return MHD_YES;
}

bool form_begin(omend_request *r)
{
    const char *type =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_TYPE);
    if (type == NULL || !strict_is_type(type, "multipart/form-data"))
        return true;
    r->form = json_array();
    r->parts = MHD_create_post_processor(r->connection, BUFFER, take_part, r);
    return (r->form != NULL && r->parts != NULL) ||
           problem_set(&r->problem, OMEND_BAD_REQUEST, "", "the multipart body has no boundary");
}

bool form_add(omend_request *r, const char *data, size_t length)
{
    assert(r->parts != NULL); /* form_begin() */
    if (MHD_post_process(r->parts, data, length) == MHD_YES)
        return true;
    /* This does not replace a more specific problem. */
    return problem_set(&r->problem, OMEND_BAD_REQUEST, "", "the body is not multipart");
}

/* A member that is given twice is ambiguous. */
static bool put(omend_request *r, json_t *form, const char *key, json_t *value)
{
    if (json_object_get(form, key) != NULL) {
        json_decref(value);
        return problem_set(&r->problem, OMEND_BAD_REQUEST, "",
            "'%.64s' is given twice (properties are either one part or a part each)", key);
    }
    return json_object_set_new(form, key, value) == 0;
}

/* Adds a property that has a part of its own. */
static bool add_property(json_t *form, json_t *property)
{
    json_t *properties = json_object_get(form, "properties");
    if (properties != NULL)
        return json_array_append_new(properties, property) == 0;
    return json_object_set_new(form, "properties", json_pack("[o]", property)) == 0;
}

static bool add_part(omend_request *r, json_t *form, json_t *own, const char *key, json_t *text)
{
    const char *s = json_string_value(text);
    if (strcmp(key, "model") == 0 ||
        is_one_of(key, text_parts, sizeof text_parts / sizeof *text_parts))
        return put(r, form, key, json_incref(text));
    if (is_one_of(key, property_parts, sizeof property_parts / sizeof *property_parts))
        return add_property(
            own, json_pack("{s:s}", strcmp(key, "property") == 0 ? "name" : key, s));
    if (strcmp(key, "deadlock") == 0)
        return add_property(own, json_pack("{s:b}", "deadlock", 1));
    if (!is_one_of(key, json_parts, sizeof json_parts / sizeof *json_parts))
        return problem_set(
            &r->problem, OMEND_BAD_REQUEST, "", "a submission has no part '%.64s'", key);
    json_error_t error;
    json_t *value = json_loads(s, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (value == NULL)
        return problem_set(
            &r->problem, OMEND_BAD_REQUEST, "", "part '%s' is not JSON: %s", key, error.text);
    return put(r, form, key, value);
}

json_t *form_end(omend_request *r)
{
    json_t *form = json_object(), *own = json_object(), *part;
    size_t i;
    (void) MHD_destroy_post_processor(r->parts);
    r->parts = NULL;
    bool ok = form != NULL && own != NULL && end_part(r);
    json_array_foreach(r->form, i, part) ok =
        ok &&
        add_part(r, form, own, json_string_value(json_array_get(part, 0)), json_array_get(part, 1));
    json_t *properties = json_object_get(own, "properties");
    if (ok && properties != NULL)
        ok = put(r, form, "properties", json_incref(properties));
    json_decref(own);
    if (ok)
        return form;
    (void) problem_set(&r->problem, OMEND_BROKEN, "", "out of memory");
    json_decref(form);
    return NULL;
}
