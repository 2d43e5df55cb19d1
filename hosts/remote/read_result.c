/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts a line of `omen check --json-lines` back to the data that it was made from, so that the
 * same functions print local and remote results. Unknown members are ignored.
 */
#include "remote.h"
#include "base/safe_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- members ---- */

bool remote_count(const json_t *object, const char *name, uint64_t *out)
{
    const json_t *value = json_object_get(object, name);
    json_int_t n = json_integer_value(value);
    *out = json_is_null(value) ? UINT64_MAX : (uint64_t) n;
    return json_is_null(value) || (json_is_integer(value) && n >= 0);
}

bool remote_real(const json_t *object, const char *name, double *out)
{
    const json_t *value = json_object_get(object, name);
    *out = json_number_value(value);
    return json_is_number(value);
}

bool remote_text(const json_t *object, const char *name, bool any, const char **out)
{
    const json_t *value = json_object_get(object, name);
    *out = json_string_value(value);
    for (const char *s = *out; !any && s != NULL && *s != '\0'; s++)
        if ((unsigned char) *s < ' ' || *s == 0x7f)
            return false;
    return json_is_string(value) || json_is_null(value);
}

json_t *remote_object(const char *text, size_t length)
{
    json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(value))
        return value;
    json_decref(value);
    return NULL;
}

static bool get_u32(const json_t *object, const char *name, uint32_t *out)
{
    uint64_t n = 0;
    bool ok = remote_count(object, name, &n) && n <= UINT32_MAX;
    *out = (uint32_t) n;
    return ok;
}

/* Reads a number; null is an error. */
static bool get_number(const json_t *object, const char *name, uint64_t *out)
{
    return remote_count(object, name, out) && *out != UINT64_MAX;
}

static bool get_name(const json_t *object, const char *name, const char **out)
{
    return remote_text(object, name, false, out) && *out != NULL;
}

static bool get_flag(const json_t *object, const char *name, bool *out)
{
    const json_t *value = json_object_get(object, name);
    *out = json_is_true(value);
    return json_is_boolean(value);
}

static bool get_value(const json_t *object, const char *name, om_value *out)
{
    const json_t *value = json_object_get(object, name);
    json_int_t n = json_integer_value(value);
    *out = (om_value) n;
    return json_is_integer(value) && n >= INT32_MIN && n <= INT32_MAX;
}

char *remote_borrowed(const char *text)
{
    const union {
        const char *from;
        char *to;
    } same = { .from = text };
    return same.to;
}

/* ---- parts ---- */

static bool read_strength(const json_t *part, om_strength *out)
{
    const char *name;
    if (!get_name(part, "strength", &name))
        return false;
    for (int s = OM_NON_ACCEPTING; s <= OM_STRONG; s++)
        if (strcmp(om_strength_name((om_strength) s), name) == 0) {
            *out = (om_strength) s;
            return true;
        }
    return false;
}

static bool read_part_verdict(const json_t *part, om_verdict *out)
{
    const char *name;
    if (!get_name(part, "verdict", &name))
        return false;
    *out = strcmp(name, "empty") == 0      ? OM_HOLDS
           : strcmp(name, "nonempty") == 0 ? OM_VIOLATED
                                           : OM_UNKNOWN;
    return *out != OM_UNKNOWN || strcmp(name, "unknown") == 0;
}

static bool read_counters(const json_t *part, om_task_result *t)
{
    static const struct {
        const char *name;
        om_counter counter;
    } table[] = { { "expansions", OM_COUNT_EXPANSIONS }, { "red", OM_COUNT_RED },
        { "unions", OM_COUNT_UNIONS }, { "finds", OM_COUNT_FINDS }, { "retries", OM_COUNT_RETRIES },
        { "peak_stack", OM_COUNT_PEAK_STACK } };
    const json_t *counters = json_object_get(part, "counters");
    double blocked = 0;
    if (json_is_null(counters))
        return true;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!remote_count(counters, table[i].name, &t->counts[table[i].counter]))
            return false;
    if (!remote_real(counters, "blocked_seconds", &blocked) || !(blocked >= 0 && blocked < 1e9))
        return false;
    t->counts[OM_COUNT_BLOCKED_NS] = (uint64_t) (blocked * 1e9 + 0.5);
    return remote_count(counters, "auxiliary_bytes", &t->auxiliary_bytes);
}

static bool read_verified(const json_t *part, om_task_result *t)
{
    const json_t *verified = json_object_get(part, "verified");
    return json_is_null(verified) || (remote_count(verified, "states", &t->verified) &&
                                         get_flag(verified, "again", &t->again));
}

static bool read_coverage(const json_t *part, om_task_result *t)
{
    bool bits = json_is_number(json_object_get(part, "coverage"));
    t->reason = bits ? OM_STOP_BITSTATE : OM_STOP_NONE;
    return bits ? remote_real(part, "coverage", &t->coverage)
                : json_is_null(json_object_get(part, "coverage"));
}

static bool read_part(const json_t *part, om_part_result *p)
{
    om_task_result *t = &p->task;
    const char *device, *gave_up;
    bool ok = read_strength(part, &p->strength) &&
              get_u32(part, "automaton_states", &p->automaton_states) &&
              get_u32(part, "automaton_edges", &p->automaton_edges) &&
              remote_text(part, "conversion", false, &p->conversion) &&
              (p->conversion == NULL || get_u32(part, "converted_from", &p->states_before)) &&
              get_name(part, "checker", &p->checker) &&
              remote_text(part, "device", false, &device) &&
              remote_text(part, "gave_up", true, &gave_up) &&
              get_flag(part, "shares_states", &p->shares) && read_part_verdict(part, &t->verdict);
    if (!ok)
        return false;
    p->device = remote_borrowed(device);
    p->gave_up = remote_borrowed(gave_up);
    return remote_count(part, "states", &t->states) &&
           remote_count(part, "transitions", &t->transitions) &&
           remote_count(part, "sccs", &t->sccs) && remote_real(part, "seconds", &t->seconds) &&
           remote_count(part, "memory_bytes", &t->memory_bytes) && read_coverage(part, t) &&
           read_verified(part, t) && read_counters(part, t);
}

static bool read_parts(remote_result *out)
{
    const json_t *parts = json_object_get(out->json, "parts");
    if (!json_is_array(parts))
        return false;
    out->r.part_count = json_array_size(parts);
    out->r.parts = om_alloc(out->heap, out->r.part_count + 1, sizeof *out->r.parts);
    if (out->r.parts == NULL)
        return false;
    memset(out->r.parts, 0, (out->r.part_count + 1) * sizeof *out->r.parts);
    for (size_t i = 0; i < out->r.part_count; i++)
        if (!read_part(json_array_get(parts, i), &out->r.parts[i]))
            return false;
    return true;
}

/* ---- runs ---- */

/* Replaces the server's file name in a place of a run by the local one. Such places have no
 * folder. */
static void rename_place(json_t *meta, const char *member, const char *there, const char *here)
{
    const char *place = json_string_value(json_object_get(meta, member));
    size_t n = strlen(there);
    if (place == NULL || strncmp(place, there, n) != 0 || (place[n] != ':' && place[n] != '\0'))
        return;
    (void) json_object_set_new(meta, member, json_sprintf("%s%s", here, place + n));
}

static void rename_places(json_t *run, const remote_names *names)
{
    const char *slash = strrchr(names->here, '/'), *here = slash == NULL ? names->here : slash + 1;
    size_t i;
    json_t *state;
    if (strcmp(here, names->there) == 0)
        return;
    rename_place(json_object_get(run, "#meta"), "model", names->there, here);
    json_array_foreach(json_object_get(run, "states"), i, state)
        rename_place(json_object_get(state, "#meta"), "place", names->there, here);
}

/* *there: the line has such a run. */
static int read_run(remote_result *out, om_context *ctx, const remote_names *names,
    const char *member, om_lasso *lasso, om_model **model, char **recorded, bool *there)
{
    json_t *run = json_object_get(out->json, member);
    *there = json_is_object(run);
    if (!*there)
        return json_is_null(run) ? OM_OK : OM_EINPUT;
    rename_places(run, names);
    char *text = json_dumps(run, JSON_COMPACT);
    if (text == NULL)
        return OM_ENOMEM;
    int rc = om_lasso_read_alone(
        lasso, model, ctx, "the server's counterexample", text, strlen(text), recorded);
    free(text);
    return rc;
}

static bool read_place(remote_result *out, const remote_names *names, const char *text)
{
    om_place *place = &out->overflows.first.place;
    om_text file = { .heap = out->heap };
    remote_names_put(names, text, &file);
    out->file = file.text;
    char *last = file.failed || file.text == NULL ? NULL : strrchr(file.text, ':');
    if (last == NULL)
        return false;
    *last = '\0';
    char *middle = strrchr(file.text, ':');
    if (middle == NULL)
        return false;
    *middle = '\0';
    place->file = file.text;
    place->line = (uint32_t) strtoul(middle + 1, NULL, 10);
    place->column = (uint32_t) strtoul(last + 1, NULL, 10);
    return true;
}

static bool read_overflows(remote_result *out, const remote_names *names)
{
    const json_t *given = json_object_get(out->json, "overflows");
    const json_t *first = json_object_get(given, "first");
    om_overflow *o = &out->overflows.first;
    const char *place;
    if (json_is_null(given))
        return true;
    /* The variable's name contains its index. */
    o->element = OM_NONE;
    return get_number(given, "count", &out->overflows.count) && out->overflows.count > 0 &&
           get_name(first, "place", &place) && read_place(out, names, place) &&
           get_name(first, "variable", &o->variable) && get_value(first, "value", &o->value) &&
           get_value(first, "stored", &o->stored) && get_value(first, "low", &o->low) &&
           get_value(first, "high", &o->high) &&
           remote_text(first, "transition", false, &out->overflows.label);
}

/* ---- the line ---- */

static bool read_verdict(remote_result *out)
{
    const char *name;
    if (!get_name(out->json, "verdict", &name))
        return false;
    for (int v = OM_HOLDS; v <= OM_UNKNOWN; v++)
        if (strcmp(om_verdict_name((om_verdict) v), name) == 0) {
            out->r.verdict = (om_verdict) v;
            return true;
        }
    return false;
}

static bool read_about(remote_result *out)
{
    const char *name;
    uint64_t together = 0;
    if (!get_name(out->json, "about", &name) || !remote_count(out->json, "together", &together))
        return false;
    const bool assertion = strcmp(name, cli_about_name(OM_ABOUT_ASSERTION)) == 0;
    out->r.about = assertion ? OM_ABOUT_ASSERTION : OM_ABOUT_PROPERTY;
    out->r.together = together > INT32_MAX ? 0 : (unsigned) together;
    if (!get_number(out->json, "of", &out->properties) || out->properties == 0)
        return false;
    return assertion || strcmp(name, cli_about_name(OM_ABOUT_PROPERTY)) == 0;
}

/* Reads the place of an assertion, with the local name of the file. */
static bool read_assertion(remote_result *out, const remote_names *names, const char *given)
{
    om_text place = { .heap = out->heap };
    remote_names_put(names, given, &place);
    out->about = out->r.property = place.text;
    return !place.failed && place.text != NULL;
}

/* Reads the property, with the local name of its file. */
static bool read_property(remote_result *out, const remote_names *names, const cli_property *p)
{
    static const char blanks[] = " \t\r\n\v\f";
    const char *given;
    if (!remote_text(out->json, "property", true, &given) || given == NULL)
        return false;
    if (out->r.about == OM_ABOUT_ASSERTION)
        return read_assertion(out, names, given);
    out->r.property = remote_borrowed(given);
    if (p->kind == OM_PROPERTY_AUTOMATON)
        out->r.property = remote_borrowed(p->text);
    if (p->kind != OM_PROPERTY_LTL_FILE)
        return true;
    /* A formula from a file is named by its text on one line. */
    given += strspn(given, blanks);
    size_t n = strlen(given);
    while (n > 0 && strchr(blanks, given[n - 1]) != NULL)
        n--;
    out->about = om_strndup(out->heap, given, n);
    for (char *s = out->about; s != NULL && *s != '\0'; s++)
        if (strchr(blanks, *s) != NULL)
            *s = ' ';
    out->r.property = out->about;
    return out->about != NULL;
}

/* Reads a sentence that may begin with a file name. */
static bool read_sentence(
    remote_result *out, const char *member, const remote_names *names, char **to)
{
    const char *given;
    om_text text = { .heap = out->heap };
    if (!remote_text(out->json, member, true, &given))
        return false;
    if (given == NULL)
        return true;
    remote_names_put(names, given, &text);
    om_text plain = { .heap = out->heap };
    cli_put_plain(&plain, text.text == NULL ? "" : text.text);
    bool failed = text.failed || plain.failed;
    om_text_free(&text);
    *to = plain.text != NULL || failed ? plain.text : om_strdup(out->heap, "");
    return *to != NULL;
}

static bool read_fairness(const remote_result *out, size_t fair, om_fairness_report *f)
{
    const json_t *given = json_object_get(out->json, "fairness");
    const char *kind;
    if (json_is_null(given))
        return true;
    if (!get_name(given, "kind", &kind))
        return false;
    int k = 0;
    while (k < OM_FAIRNESS_KINDS &&
           strcmp(om_process_fairness_name((om_process_fairness) k), kind) != 0)
        k++;
    size_t formulas = json_array_size(json_object_get(given, "formulas"));
    f->kind = (om_process_fairness) k;
    f->formulas = (uint32_t) formulas;
    return k < OM_FAIRNESS_KINDS && formulas <= fair &&
           get_u32(given, "processes", &f->processes) && get_u32(given, "sets", &f->sets);
}

static bool read_minimal(remote_result *out)
{
    const json_t *minimal = json_object_get(out->json, "minimal");
    out->r.minimality = json_is_true(minimal)    ? OM_MINIMAL
                        : json_is_false(minimal) ? OM_NOT_PROVEN
                                                 : OM_NOT_ASKED;
    return json_is_boolean(minimal) || json_is_null(minimal);
}

static bool read_figures(remote_result *out)
{
    om_check_result *r = &out->r;
    uint32_t threads = 0;
    bool ok = remote_count(out->json, "states", &r->states) &&
              remote_count(out->json, "transitions", &r->transitions) &&
              remote_real(out->json, "seconds", &r->seconds) &&
              remote_count(out->json, "memory_bytes", &r->memory_bytes) &&
              get_u32(out->json, "threads", &threads);
    r->threads = threads;
    return ok;
}

/* Returns the name of the first malformed member, or NULL. */
static const char *read_members(
    remote_result *out, const remote_names *names, const cli_property *property, size_t fair)
{
    return !read_about(out)                                     ? "about"
           : !read_property(out, names, property)               ? "property"
           : !read_verdict(out)                                 ? "verdict"
           : !read_sentence(out, "reason", names, &out->reason) ? "reason"
           : !read_sentence(out, "fault", names, &out->fault)   ? "fault"
           : !read_parts(out)                                   ? "parts"
           : !read_figures(out)                                 ? "states"
           : !read_minimal(out)                                 ? "minimal"
           : !read_fairness(out, fair, &out->r.fairness)        ? "fairness"
           : !read_overflows(out, names)                        ? "overflows"
                                                                : NULL;
}

static int read_runs(remote_result *out, om_context *ctx, const remote_names *names)
{
    bool trace = false;
    int rc = read_run(
        out, ctx, names, "lasso", &out->r.lasso, &out->model, &out->recorded, &out->r.has_lasso);
    if (rc == OM_OK)
        rc = read_run(
            out, ctx, names, "overflow_trace", &out->trace, &out->trace_model, NULL, &trace);
    if (rc == OM_OK && trace && out->overflows.label == NULL)
        rc = OM_EINPUT;
    out->overflows.trace = trace ? &out->trace : NULL;
    out->overflows.model = out->trace_model;
    return rc;
}

int remote_result_read(remote_result *out, om_context *ctx, const remote_names *names,
    const cli_property *property, size_t fair, const char *text, size_t length)
{
    *out = (remote_result){ .heap = om_context_heap(ctx) };
    out->json = remote_object(text, length);
    if (out->json == NULL)
        return om_fail(ctx, OM_EINTERNAL, NULL, "the server's result is not a JSON object");
    const json_t *schema = json_object_get(out->json, "schema");
    if (json_integer_value(schema) != 1)
        return om_fail(ctx, OM_EINTERNAL, NULL,
            "the server's results do not follow version 1 of the schema: its version of omen "
            "differs");
    const char *wrong = read_members(out, names, property, fair);
    if (wrong != NULL)
        return om_fail(ctx, OM_EINTERNAL, NULL,
            "the server's result does not fit the schema of 'omen check --json': '%s' is wrong or "
            "missing",
            wrong);
    out->r.reason = out->reason;
    out->r.fault = out->fault;
    int rc = read_runs(out, ctx, names);
    if (rc != OM_OK && rc != OM_ENOMEM && rc != OM_ELIMIT) {
        /* The message of the run's reader refers to its text; replace it. */
        om_context_clear(ctx);
        rc = om_fail(ctx, OM_EINTERNAL, NULL, "the server's result has an invalid run");
    }
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
}

int remote_result_know(remote_result *r, om_context *ctx, const om_model *model)
{
    om_lasso known = { 0 };
    char *text = json_dumps(json_object_get(r->json, "lasso"), JSON_COMPACT);
    if (text == NULL)
        return om_fail_memory(ctx);
    int rc =
        om_lasso_read(&known, ctx, model, "the server's counterexample", text, strlen(text), NULL);
    free(text);
    if (rc == OM_OK) {
        om_lasso_free(&r->r.lasso);
        r->r.lasso = known;
        r->model_known = model;
    } else
        om_context_clear(ctx);
    return rc == OM_ENOMEM || rc == OM_ELIMIT ? om_fail_memory(ctx) : OM_OK;
}

void remote_result_free(remote_result *r)
{
    om_lasso_free(&r->r.lasso);
    om_lasso_free(&r->trace);
    om_model_free(r->model);
    om_model_free(r->trace_model);
    om_free(r->heap, r->r.parts);
    om_free(r->heap, r->recorded);
    om_free(r->heap, r->reason);
    om_free(r->heap, r->fault);
    om_free(r->heap, r->file);
    om_free(r->heap, r->about);
    json_decref(r->json);
    *r = (remote_result){ .heap = r->heap };
}
