/* SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kind_text {
    unsigned status;
    const char *name, *title;
} kind_text;

/* Problems of jobs have the status with which the job itself is answered. */
static const kind_text kinds[OMEND_PROBLEMS] = {
    [OMEND_NO_PROBLEM] = { 200, "none", "No problem" },
    [OMEND_BAD_REQUEST] = { 400, "bad-request", "Invalid request" },
    [OMEND_UNAUTHORIZED] = { 401, "unauthorized", "Missing or unknown bearer token" },
    [OMEND_FORBIDDEN] = { 403, "forbidden", "Not allowed" },
    [OMEND_NOT_FOUND] = { 404, "not-found", "Not found" },
    [OMEND_BAD_METHOD] = { 405, "method-not-allowed", "Method not allowed" },
    [OMEND_CONFLICT] = { 409, "conflict", "Wrong state of the job" },
    [OMEND_TOO_LARGE] = { 413, "too-large", "The request is too large" },
    [OMEND_BAD_TYPE] = { 415, "unsupported-type", "Unsupported type of the body" },
    [OMEND_BAD_MODEL] = { 422, "bad-input", "Error in the model, a property or an option" },
    [OMEND_KEY_REUSED] = { 422, "key-reused", "Idempotency key of another submission" },
    [OMEND_TOO_LONG] = { 414, "too-long", "The request target is too long" },
    [OMEND_TOO_MANY] = { 429, "too-many-requests", "Too many requests" },
    [OMEND_BROKEN] = { 500, "internal", "Internal error of omend" },
    [OMEND_UNAVAILABLE] = { 503, "unavailable", "Not available at the moment" },
    [OMEND_OVER_QUOTA] = { 507, "over-quota", "Disk quota exceeded" },
    [OMEND_JOB_CRASHED] = { 200, "crashed", "The job's process failed" },
    [OMEND_JOB_MEMORY] = { 200, "memory", "Memory limit exceeded" },
    [OMEND_JOB_TIME] = { 200, "time", "Time limit exceeded" },
    [OMEND_JOB_OUTPUT] = { 200, "output", "Output limit exceeded" },
    [OMEND_JOB_PROCESSES] = { 200, "processes", "Process limit exceeded" },
    [OMEND_JOB_LOST] = { 200, "lost", "The job was lost" },
};

bool problem_set(
    omend_problem *p, omend_problem_kind kind, const char *pointer, const char *fmt, ...)
{
    assert(kind != OMEND_NO_PROBLEM);
    va_list args;
    if (p->kind != OMEND_NO_PROBLEM)
        return false;
    p->kind = kind;
    (void) snprintf(p->pointer, sizeof p->pointer, "%s", pointer);
    va_start(args, fmt);
    (void) vsnprintf(p->detail, sizeof p->detail, fmt, args);
    va_end(args);
    return false;
}

unsigned problem_status(omend_problem_kind kind)
{
    assert(kind < OMEND_PROBLEMS && kinds[kind].name != NULL);
    return kinds[kind].status;
}

/* A text quoted from a message may end in the middle of a character. */
static json_t *text_of(const char *text)
{
    size_t n = strlen(text);
    json_t *made = NULL;
    for (size_t cut = 0; made == NULL && cut < 4 && cut <= n; cut++)
        made = json_stringn(text, n - cut);
    return made == NULL ? json_string("(not UTF-8)") : made;
}

json_t *problem_json(const omend_problem *p)
{
    assert(p->kind != OMEND_NO_PROBLEM && p->kind < OMEND_PROBLEMS);
    const kind_text *k = &kinds[p->kind];
    json_t *made = json_pack("{s:s+, s:s, s:i, s:o}", "type", "urn:omend:problem:", k->name,
        "title", k->title, "status", (int) k->status, "detail", text_of(p->detail));
    bool ok = made != NULL;
    if (ok && *p->pointer != '\0')
        ok = json_object_set_new(made, "pointer", text_of(p->pointer)) == 0;
    if (ok && *p->file != '\0')
        ok = json_object_set_new(made, "file", text_of(p->file)) == 0;
    if (ok && p->line != 0)
        ok = json_object_set_new(made, "line", json_integer(p->line)) == 0;
    if (ok && p->column != 0)
        ok = json_object_set_new(made, "column", json_integer(p->column)) == 0;
    if (!ok) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* Reads ":12:34: " at s. Returns its end, or NULL. */
static const char *read_place(const char *s, uint32_t *line, uint32_t *column)
{
    char *end;
    unsigned long a = 0, b = 0;
    if (*s != ':' || s[1] < '0' || s[1] > '9')
        return NULL;
    a = strtoul(s + 1, &end, 10);
    if (*end == ':' && end[1] >= '0' && end[1] <= '9')
        b = strtoul(end + 1, &end, 10);
    if (strncmp(end, ": ", 2) != 0)
        return NULL;
    *line = (uint32_t) a;
    *column = (uint32_t) b;
    return end + 2;
}

void problem_read_message(omend_problem *p, omend_problem_kind kind, const char *message)
{
    const char *rest = strncmp(message, "omen: ", 6) == 0 ? message + 6 : message;
    for (const char *s = strchr(rest, ':'); s != NULL; s = strchr(s + 1, ':')) {
        const char *text = read_place(s, &p->line, &p->column);
        if (text == NULL)
            continue;
        (void) snprintf(p->file, sizeof p->file, "%.*s", (int) (s - rest), rest);
        rest = text;
        break;
    }
    (void) problem_set(p, kind, "", "%s", rest);
}
