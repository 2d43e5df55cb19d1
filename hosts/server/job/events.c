/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "jobs/borrowed.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Maximum length of a line, which includes the counterexample of a result; size of a read. */
static const size_t longest = (size_t) 256 << 20, piece = (size_t) 1 << 16;

/* Writes everything or nothing: a part that a signal or a full disk left would join the next
 * line. */
static bool write_whole(omend_events *e, struct iovec *parts, int count)
{
    size_t length = 0;
    assert(e->fd >= 0 && !e->full);
    for (int i = 0; i < count; i++)
        length += parts[i].iov_len;
    ssize_t n = writev(e->fd, parts, count);
    while (n < 0 && errno == EINTR)
        n = writev(e->fd, parts, count);
    if (n >= 0 && (size_t) n == length) {
        e->written += length;
        return true;
    }
    if (n > 0)
        (void) ftruncate(e->fd, (off_t) e->written);
    return false;
}

void events_put(omend_events *e, const char *type, const char *json, size_t length)
{
    struct iovec parts[] = { { borrowed(type), strlen(type) }, { borrowed(" "), 1 },
        { borrowed(json), length }, { borrowed("\n"), 1 } };
    if (e->full || (e->most != 0 && e->written + length > e->most)) {
        e->full = true;
        return;
    }
    if (!write_whole(e, parts, 4))
        e->full = true;
}

void events_put_json(omend_events *e, const char *type, json_t *value)
{
    char *text = value == NULL ? NULL : json_dumps(value, JSON_COMPACT);
    json_decref(value);
    if (text != NULL)
        events_put(e, type, text, strlen(text));
    free(text);
}

static void put_note(omend_lines *l, const char *line, size_t length)
{
    json_t *text = json_stringn(line, length);
    size_t kept = length < sizeof l->last ? length : sizeof l->last - 1;
    assert(kept < sizeof l->last);
    memcpy(l->last, line, kept);
    l->last[kept] = '\0';
    if (text == NULL)
        text = json_string("(not UTF-8)");
    events_put_json(l->events, "note", json_pack("{s:o}", "text", text));
}

/* omen's lines of JSON begin with their version. A progress object is recognised by its next
 * member, so that a result, which may have millions of states, need not be parsed. */
static void put_line(omend_lines *l, const char *line, size_t length)
{
    static const char progress[] = "{\"schema\":1,\"progress\":";
    if (length == 0)
        return;
    if (l->notes)
        put_note(l, line, length);
    else if (length >= sizeof progress && memcmp(line, progress, sizeof progress - 1) == 0)
        /* The inner object. */
        events_put(l->events, "progress", line + sizeof progress - 1, length - sizeof progress);
    else
        events_put(l->events, "result", line, length);
}

static void cut_lines(omend_lines *l, size_t fresh)
{
    size_t start = 0;
    assert(fresh <= l->length && l->length <= l->capacity);
    for (size_t i = l->length - fresh; i < l->length; i++)
        if (l->text[i] == '\n') {
            put_line(l, l->text + start, i - start);
            start = i + 1;
        }
    assert(start <= l->length);
    memmove(l->text, l->text + start, l->length - start);
    l->length -= start;
}

bool lines_read(omend_lines *l, int fd)
{
    if (l->capacity - l->length < piece) {
        size_t capacity = l->capacity * 2 < piece * 2 ? piece * 2 : l->capacity * 2;
        char *text = capacity > longest ? NULL : realloc(l->text, capacity);
        if (text == NULL) {
            l->events->full = true;
            l->length = 0;
            return l->capacity != 0;
        }
        l->text = text;
        l->capacity = capacity;
    }
    assert(l->capacity - l->length >= piece);
    ssize_t n = read(fd, l->text + l->length, piece);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    l->length += (size_t) n;
    cut_lines(l, (size_t) n);
    return n > 0;
}

void lines_end(omend_lines *l)
{
    put_line(l, l->text, l->length);
    free(l->text);
    l->text = NULL;
    l->length = l->capacity = 0;
}
