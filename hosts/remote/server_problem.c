/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <inttypes.h>
#include <string.h>

/* Writes "FILE:LINE:COLUMN: DETAIL"; the place, or a part of it, may be missing. */
static void put_placed(const remote_names *names, const json_t *problem, om_text *out)
{
    const char *detail = NULL, *file = NULL;
    uint64_t line = UINT64_MAX, column = UINT64_MAX;
    (void) remote_text(problem, "detail", true, &detail);
    (void) remote_text(problem, "file", true, &file);
    if (file != NULL) {
        om_text whole = { .heap = out->heap };
        om_text_add(&whole, file);
        if (remote_count(problem, "line", &line) && line != UINT64_MAX)
            om_text_printf(&whole, ":%" PRIu64, line);
        if (remote_count(problem, "column", &column) && column != UINT64_MAX)
            om_text_printf(&whole, ":%" PRIu64, column);
        om_text_printf(&whole, ": %s", detail == NULL ? "" : detail);
        remote_names_put(names, whole.text == NULL ? "" : whole.text, out);
        om_text_free(&whole);
        return;
    }
    remote_names_put(names, detail == NULL ? "no reason given" : detail, out);
}

/* Returns the status for an error of the input, of its options, or of the server. */
static int status_of(long status, const char *pointer)
{
    if (status == 413 || status == 422)
        return pointer != NULL && strncmp(pointer, "/limits", 7) == 0 ? OM_EUSAGE : OM_EINPUT;
    if (pointer != NULL && (strncmp(pointer, "/model", 6) == 0 || strcmp(pointer, "/name") == 0))
        return OM_EINPUT;
    if (status == 400 || (status == 403 && pointer != NULL))
        return OM_EUSAGE;
    return OM_EINTERNAL;
}

int remote_problem(cli *c, const remote_names *names, long status, const char *text, size_t length)
{
    json_t *problem = remote_object(text == NULL ? "" : text, length);
    const char *pointer = NULL, *detail = NULL;
    om_text said = { .heap = c->heap };
    if (problem == NULL || !remote_text(problem, "detail", true, &detail) || detail == NULL) {
        json_decref(problem);
        return om_fail(c->ctx, OM_EINTERNAL, NULL,
            "%s answered with status %ld and no reason: it may not be an omend", names->server,
            status);
    }
    (void) remote_text(problem, "pointer", true, &pointer);
    int rc = status_of(status, pointer);
    put_placed(names, problem, &said);
    if (said.failed)
        rc = om_fail_memory(c->ctx);
    else if (json_object_get(problem, "file") != NULL)
        rc = om_fail(c->ctx, rc, NULL, "%s", said.text);
    else
        rc = om_fail(c->ctx, rc, NULL, "%s refused the request: %s%s%s%s", names->server,
            said.text == NULL ? "" : said.text, pointer == NULL ? "" : " (",
            pointer == NULL ? "" : pointer, pointer == NULL ? "" : ")");
    om_text_free(&said);
    json_decref(problem);
    return rc;
}

int remote_job_problem(cli *c, const remote_names *names, const json_t *error)
{
    om_text said = { .heap = c->heap };
    const char *type = NULL;
    uint64_t status = 0;
    (void) remote_text(error, "type", false, &type);
    (void) remote_count(error, "status", &status);
    const char *kind = type == NULL ? NULL : strrchr(type, ':');
    bool limit = kind != NULL && (strcmp(kind, ":memory") == 0 || strcmp(kind, ":time") == 0);
    put_placed(names, error, &said);
    int rc = said.failed ? om_fail_memory(c->ctx)
                         : om_fail(c->ctx,
                               limit           ? OM_ELIMIT
                               : status == 422 ? OM_EINPUT
                                               : OM_EINTERNAL,
                               NULL, "%s", said.text == NULL ? "no reason given" : said.text);
    om_text_free(&said);
    return rc;
}
