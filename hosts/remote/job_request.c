/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <omen/plugin/ltl.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 16 << 20, MS = 1000 * 1000 };

static int no_memory(const cli *c)
{
    return om_fail_memory(c->ctx);
}

/* ---- properties ---- */

static int not_text(const cli *c, const char *file)
{
    return om_fail(c->ctx, OM_EINPUT, NULL, "%s is not UTF-8 text, which a server needs", file);
}

/* Reports an unreadable formula locally, with its file. */
static int vet_formula(const cli *c, const char *file, const char *text, size_t length)
{
    om_ltl *l = NULL;
    om_ltl_ref formula;
    int rc = om_ltl_new(&l, c->ctx);
    if (rc == OM_OK)
        rc = om_ltl_parse(l, file, text, length, &formula);
    om_ltl_free(l);
    return rc;
}

static int add_file(const cli *c, json_t *to, const char *member, const cli_property *p)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(c->ctx, p->text, FILE_BYTES, &text, &length);
    if (rc == OM_OK && p->kind == OM_PROPERTY_LTL_FILE)
        rc = vet_formula(c, p->text, text, length);
    json_t *value = rc == OM_OK ? json_stringn(text, length) : NULL;
    om_free(c->heap, text);
    if (rc == OM_OK && (value == NULL || memchr(json_string_value(value), '\0', length) != NULL)) {
        json_decref(value);
        return not_text(c, p->text);
    }
    if (rc == OM_OK && json_object_set_new(to, member, value) != 0)
        rc = no_memory(c);
    return rc;
}

static int add_text(const cli *c, json_t *to, const char *member, const char *text)
{
    json_t *value = json_string(text);
    if (value == NULL)
        return om_fail(
            c->ctx, OM_EUSAGE, NULL, "a server accepts only UTF-8 text, and '%s' is not", text);
    return json_object_set_new(to, member, value) == 0 ? OM_OK : no_memory(c);
}

static int add_property(const cli *c, json_t *to, const cli_property *p)
{
    switch (p->kind) {
    case OM_PROPERTY_LTL:
        return add_text(c, to, "ltl", p->text);
    case OM_PROPERTY_LTL_FILE:
        return add_file(c, to, "ltl", p);
    case OM_PROPERTY_AUTOMATON:
        return add_file(c, to, "never", p);
    case OM_PROPERTY_NAMED:
        return add_text(c, to, "name", p->text);
    case OM_PROPERTY_INVARIANT:
        return add_text(c, to, "invariant", p->text);
    default:
        return json_object_set_new(to, p->option, json_true()) == 0 ? OM_OK : no_memory(c);
    }
}

static int add_properties(const cli *c, const cli_properties *properties, json_t *body)
{
    json_t *all = json_array();
    int rc =
        all == NULL || json_object_set_new(body, "properties", all) != 0 ? no_memory(c) : OM_OK;
    for (size_t i = 0; rc == OM_OK && i < properties->count; i++) {
        json_t *one = json_object();
        rc = one == NULL || json_array_append_new(all, one) != 0
                 ? no_memory(c)
                 : add_property(c, one, &properties->at[i]);
    }
    return rc;
}

/* ---- options ---- */

/* What is done with an option of the command line */
typedef enum destination {
    HERE,
    FLAG,
    TEXT,
    NUMBER,
    TEXTS,
    BYTES,
    TIME,
    STATES,
    THREADS
} destination;

static const struct {
    const char *name;
    destination to;
} options[] = { { "checker", TEXT }, { "terminal", TEXT }, { "weak", TEXT }, { "strong", TEXT },
    { "schedule", TEXT }, { "seed", NUMBER }, { "translator", TEXT }, { "device", TEXT },
    { "verify-device", TEXT }, { "exec", TEXT }, { "store", TEXT }, { "finite-runs", TEXT },
    { "fairness", TEXT }, { "fair", TEXTS }, { "reset-dead", TEXT }, { "merge", TEXT },
    { "overflow", TEXT }, { "shortest", TEXT }, { "spelling", TEXT }, { "progress-states", TEXT },
    { "whole-run", FLAG }, { "memory", BYTES }, { "timeout", TIME }, { "max-states", STATES },
    { "threads", THREADS } };

/* The parts of the request that options are added to */
typedef struct sending {
    const cli *c;
    const om_plan_options *plan;
    json_t *options, *limits;
} sending;

static int add_number(const sending *s, json_t *to, const char *name, uint64_t n)
{
    json_t *value = json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t) n);
    return json_object_set_new(to, name, value) == 0 ? OM_OK : no_memory(s->c);
}

static int add_fair(const sending *s, const char *text)
{
    json_t *all = json_object_get(s->options, "fair"), *value = json_string(text);
    if (value == NULL)
        return om_fail(
            s->c->ctx, OM_EUSAGE, NULL, "a server accepts only UTF-8 text, and '%s' is not", text);
    if (all == NULL) {
        all = json_array();
        if (json_object_set_new(s->options, "fair", all) != 0) {
            json_decref(value);
            return no_memory(s->c);
        }
    }
    return json_array_append_new(all, value) == 0 ? OM_OK : no_memory(s->c);
}

static int add_option(const sending *s, destination to, const cli_given *given)
{
    const om_limits *limits = &s->c->set.limits;
    char time[32];
    switch (to) {
    case FLAG:
        return json_object_set_new(s->options, given->name, json_true()) == 0 ? OM_OK
                                                                              : no_memory(s->c);
    case TEXT:
        return add_text(s->c, s->options, given->name, given->value);
    case TEXTS:
        return add_fair(s, given->value);
    case NUMBER:
        return add_number(s, s->options, given->name, s->plan->seed);
    case BYTES:
        return add_number(s, s->limits, "memory", limits->memory_bytes);
    case TIME: /* the server counts milliseconds */
        (void) snprintf(time, sizeof time, "%" PRIu64 "ms",
            limits->timeout_ns < MS ? 1 : limits->timeout_ns / MS);
        return add_text(s->c, s->limits, "timeout", time);
    case STATES:
        return add_number(s, s->limits, "max_states", limits->max_states);
    case THREADS:
        return add_number(s, s->limits, "threads", s->plan->threads);
    default:
        return OM_OK;
    }
}

/* The last of several equal options counts, as in a local check. */
static int add_options(const cli *c, const check_settings *set, json_t *body)
{
    const sending s = { c, &set->plan, json_object(), json_object() };
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < c->given_count; i++)
        for (size_t k = 0; rc == OM_OK && k < sizeof options / sizeof *options; k++)
            if (strcmp(options[k].name, c->given[i].name) == 0)
                rc = add_option(&s, options[k].to, &c->given[i]);
    if (rc == OM_OK && set->fail_fast &&
        json_object_set_new(s.options, "fail-fast", json_true()) != 0)
        rc = no_memory(c);
    /* Notes are written by the server, so it gets these options. */
    if (rc == OM_OK && (c->set.verbose || c->set.quiet) &&
        json_object_set_new(s.options, c->set.verbose ? "verbose" : "quiet", json_true()) != 0)
        rc = no_memory(c);
    bool kept = json_object_set_new(body, "options", s.options) == 0;
    kept = json_object_set_new(body, "limits", s.limits) == 0 && kept;
    return rc == OM_OK && !kept ? no_memory(c) : rc;
}

/* ---- the request ---- */

static int fill(cli *c, const check_settings *set, json_t *body, const char *language,
    const char *model, size_t length, const char *label)
{
    const char *path = c->set.positionals[0], *name = remote_plain_name(path);
    json_t *text = json_stringn(model, length);
    if (text == NULL)
        return not_text(c, path);
    bool kept = json_object_set_new(body, "model", text) == 0 &&
                json_object_set_new(body, "language", json_string(language)) == 0 &&
                json_object_set_new(body, "label", json_string(label)) == 0 &&
                (name == NULL || json_object_set_new(body, "name", json_string(name)) == 0);
    int rc = kept ? add_properties(c, &set->properties, body) : no_memory(c);
    return rc == OM_OK ? add_options(c, set, body) : rc;
}

static int take_piece(const char *buffer, size_t size, void *self)
{
    om_text *out = self;
    om_text_add_n(out, buffer, size);
    return out->failed ? -1 : 0;
}

int remote_request_make(cli *c, const check_settings *set, const char *language, const char *model,
    size_t length, const char *label, om_text *out)
{
    json_t *body = json_object();
    int rc = body == NULL ? no_memory(c) : fill(c, set, body, language, model, length, label);
    if (rc == OM_OK && json_dump_callback(body, take_piece, out, JSON_COMPACT) != 0)
        rc = no_memory(c);
    json_decref(body);
    return rc;
}
