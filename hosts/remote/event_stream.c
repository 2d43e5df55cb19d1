/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-sent events, as far as omend sends them: fields "id", "event" and "data", and comments.
 *
 *  E1  The part of a line that has arrived has at most `most` bytes.
 *  E2  An event without a field "data" has no data; it is not reported.
 *  E3  The type and the id are texts that end in their buffers.
 *  E4  A field's name and value are within its line.
 */
#include "remote.h"

#include <assert.h>
#include <string.h>

static void forget(remote_events *e)
{
    om_text_free(&e->data);
    e->data = (om_text){ .heap = e->heap };
    e->id[0] = e->type[0] = '\0';
    e->any = false;
}

void remote_events_reset(remote_events *e)
{
    forget(e);
    om_text_free(&e->line);
    e->line = (om_text){ .heap = e->heap };
}

static int dispatch(remote_events *e)
{
    const remote_event event = { *e->type == '\0' ? "message" : e->type,
        *e->id == '\0' ? NULL : e->id, e->data.text == NULL ? "" : e->data.text, e->data.length };
    assert(e->any || e->data.length == 0);                 /* E2 */
    assert(memchr(e->id, '\0', sizeof e->id) != NULL);     /* E3 */
    assert(memchr(e->type, '\0', sizeof e->type) != NULL); /* E3 */
    int rc = e->any ? e->fn(e->self, &event) : OM_OK;
    forget(e);
    return rc;
}

/* A value that is too long becomes "". */
static void keep(char *to, size_t room, const char *value, size_t n)
{
    to[0] = '\0';
    if (n >= room || memchr(value, '\0', n) != NULL)
        return;
    memcpy(to, value, n);
    to[n] = '\0';
}

static int take_data(remote_events *e, const char *value, size_t n)
{
    if (e->any)
        om_text_add(&e->data, "\n");
    om_text_add_n(&e->data, value, n);
    e->any = true;
    return e->data.failed ? OM_ENOMEM : e->data.length > e->most ? OM_ELIMIT : OM_OK;
}

static int take_line(remote_events *e, const char *line, size_t n)
{
    if (n > 0 && line[n - 1] == '\r')
        n--;
    if (n == 0)
        return dispatch(e);
    const char *colon = memchr(line, ':', n);
    size_t name = colon == NULL ? n : (size_t) (colon - line);
    const char *value = colon == NULL ? line + n : colon + 1;
    if (value < line + n && *value == ' ')
        value++;
    assert(value <= line + n); /* E4 */
    size_t length = (size_t) (line + n - value);
    if (name == 4 && memcmp(line, "data", 4) == 0)
        return take_data(e, value, length);
    if (name == 5 && memcmp(line, "event", 5) == 0)
        keep(e->type, sizeof e->type, value, length);
    else if (name == 2 && memcmp(line, "id", 2) == 0)
        keep(e->id, sizeof e->id, value, length);
    return OM_OK;
}

int remote_events_feed(remote_events *e, const char *bytes, size_t n)
{
    int rc = OM_OK;
    e->line.heap = e->data.heap = e->heap;
    while (rc == OM_OK && n > 0) {
        const char *end = memchr(bytes, '\n', n);
        size_t piece = end == NULL ? n : (size_t) (end - bytes);
        assert(e->line.length <= e->most && piece <= n); /* E1 */
        if (e->line.length + piece > e->most)
            return OM_ELIMIT;
        om_text_add_n(&e->line, bytes, piece);
        if (e->line.failed)
            return OM_ENOMEM;
        if (end == NULL)
            return OM_OK;
        rc = take_line(e, e->line.text == NULL ? "" : e->line.text, e->line.length);
        om_text_free(&e->line);
        e->line = (om_text){ .heap = e->heap };
        assert(piece < n); /* the break is one of the bytes */
        bytes = end + 1;
        n -= piece + 1;
    }
    return rc;
}
