/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GET /v1/jobs/ID/events: server-sent events. The events of an attempt are in its file. An event's
 * id is "ATTEMPT.OFFSET", where OFFSET is the end of its line in the file. A client that reconnects
 * with Last-Event-ID continues there, even if omend was restarted meanwhile, and a stream that
 * waits costs no more than this struct. Changes of the job's state are events without an id.
 *
 * E1  sent <= text.length, and new data is gathered only after all was sent.
 */
#include "server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 8192, LEAST_PIECE = 16384 };

typedef struct stream {
    omend_waiter waiter;
    omend_server *server;
    struct MHD_Connection *connection;
    int64_t id;
    int attempt;    /* the attempt whose file is read */
    off_t offset;   /* end of the part that was sent */
    uint64_t seen;  /* pool_changes() when the file was last read */
    char state[16]; /* the last state that was sent */
    om_text text;   /* data on its way to the client, of which `sent` bytes are sent */
    size_t sent;
    bool waited; /* it was woken: if nothing is new, a sign of life is sent */
    bool ended;
} stream;

/* Turns "TYPE JSON" into an event. */
static void put_event(stream *s, const char *line, size_t n, off_t line_end)
{
    const char *space = memchr(line, ' ', n);
    if (space == NULL || space - line > 32)
        return;
    om_text_printf(&s->text, "id: %d.%jd\nevent: %.*s\ndata: ", s->attempt, (intmax_t) line_end,
        (int) (space - line), line);
    om_text_add_n(&s->text, space + 1, n - (size_t) (space + 1 - line));
    om_text_add(&s->text, "\n\n");
}

/* Reads complete lines from `offset` on, as many as fit; a line that is longer than the piece needs
 * a larger one. */
static bool put_lines(stream *s, int fd)
{
    size_t room = LEAST_PIECE;
    for (;;) {
        char *piece = malloc(room);
        ssize_t n = piece == NULL ? -1 : pread(fd, piece, room, s->offset);
        const char *last = n > 0 ? memrchr(piece, '\n', (size_t) n) : NULL;
        bool again = n == (ssize_t) room && last == NULL;
        bool ok = n >= 0;
        const off_t start = s->offset;
        for (const char *line = piece; last != NULL && ok && line <= last;) {
            const char *stop = memchr(line, '\n', (size_t) (last - line) + 1);
            s->offset = start + (stop + 1 - piece);
            put_event(s, line, (size_t) (stop - line), s->offset);
            ok = !s->text.failed;
            line = stop + 1;
        }
        free(piece);
        if (!again)
            return ok;
        room *= 2;
    }
}

static bool read_file(stream *s)
{
    char folder[4096], path[4200];
    if (s->attempt == 0)
        return true;
    pool_folder(settings_now(&s->server->settings), s->id, s->attempt, folder, sizeof folder);
    (void) snprintf(path, sizeof path, "%s/events", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) /* not there yet, or not any more; on other errors the client reconnects */
        return errno == ENOENT;
    bool ok = put_lines(s, fd);
    (void) close(fd);
    return ok;
}

/* ---- the job's state ---- */

typedef struct row {
    int attempt;
    omend_state state;
    char verdict[16];
} row;

static bool read_row(const stream *s, row *out)
{
    const omend_request fake = { .server = s->server };
    sqlite3_stmt *q = connection_bind(request_database(&fake), SQL_JOB, "i", s->id);
    const bool ok = connection_row(q);
    if (ok) {
        const char *verdict = (const char *) sqlite3_column_text(q, 10);
        out->state = (omend_state) sqlite3_column_int(q, 7);
        out->attempt = sqlite3_column_int(q, 8);
        (void) snprintf(out->verdict, sizeof out->verdict, "%s", verdict == NULL ? "" : verdict);
    }
    (void) sqlite3_reset(q);
    return ok;
}

static bool put_state(stream *s, const row *now)
{
    if (strcmp(s->state, omend_state_name(now->state)) == 0)
        return true;
    (void) snprintf(s->state, sizeof s->state, "%s", omend_state_name(now->state));
    const char *quote = *now->verdict != '\0' ? "\"" : "";
    om_text_printf(&s->text,
        "event: state\ndata: {\"state\":\"%s\",\"attempt\":%d,\"verdict\":%s%s%s}\n\n", s->state,
        now->attempt, quote, *now->verdict != '\0' ? now->verdict : "null", quote);
    return !s->text.failed;
}

/* Collects all new data. Reads the state first: after a job has ended, its file is complete. */
static bool gather(stream *s)
{
    row now;
    assert(s->sent == s->text.length && !s->ended); /* E1 */
    s->text.length = s->sent = 0;
    if (s->text.capacity > 4 * (size_t) LEAST_PIECE) /* after a long line; do not keep the buffer */
        om_text_free(&s->text);
    s->seen = pool_changes(s->server->pool, s->id);
    if (!read_row(s, &now))
        return false;
    if (now.attempt != s->attempt) { /* another attempt has begun */
        s->attempt = now.attempt;
        s->offset = 0;
    }
    bool over = now.state != OMEND_QUEUED && now.state != OMEND_RUNNING;
    if (!over && !put_state(s, &now))
        return false;
    if (!read_file(s))
        return false;
    if (over && s->text.length == 0) { /* the whole file has been sent */
        s->ended = true;
        return put_state(s, &now);
    }
    return true;
}

/* ---- MHD ---- */

static void wake(omend_waiter *w)
{
    stream *s = (stream *) (void *) w;
    MHD_resume_connection(s->connection);
}

static ssize_t read_stream(void *self, uint64_t position, char *to, size_t room)
{
    stream *s = self;
    (void) position;
    if (s->sent == s->text.length) {
        if (s->ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (!gather(s))
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (s->sent == s->text.length && s->waited) {
        s->waited = false;
        om_text_add(&s->text, ": alive\n\n");
        if (s->text.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (s->sent == s->text.length) {
        if (s->ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (pool_is_over(s->server->pool))
            return MHD_CONTENT_READER_END_OF_STREAM;
        /* Suspends first: the stream may be woken at once. */
        s->waited = true;
        MHD_suspend_connection(s->connection);
        if (!pool_wait(s->server->pool, &s->waiter, s->seen)) {
            s->waited = false;
            MHD_resume_connection(s->connection);
        }
        return 0;
    }
    assert(s->sent < s->text.length); /* E1 */
    size_t n = s->text.length - s->sent < room ? s->text.length - s->sent : room;
    memcpy(to, s->text.text + s->sent, n);
    s->sent += n;
    s->waited = false;
    return (ssize_t) n;
}

static void free_stream(void *self)
{
    stream *s = self;
    pool_forget(s->server->pool, &s->waiter);
    atomic_fetch_sub_explicit(&s->server->counts.streams, 1, memory_order_relaxed);
    om_text_free(&s->text);
    free(s);
}

/* Reads where the client left off; an invalid id means the beginning. */
static void read_last_id(const omend_request *r, stream *s)
{
    const char *last = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Last-Event-ID");
    char *end;
    if (last == NULL)
        last = request_query(r, "last-event-id");
    if (last == NULL || *last < '0' || *last > '9')
        return;
    long attempt = strtol(last, &end, 10);
    if (*end != '.' || end[1] < '0' || end[1] > '9' || attempt > INT32_MAX)
        return;
    s->attempt = (int) attempt;
    s->offset = (off_t) strtoll(end + 1, NULL, 10);
}

/* Streams have a share of the connections, so that other requests are answered, too. Returns false
 * if the stream was refused, and that has been answered. */
static bool take_place(omend_request *r)
{
    omend_server *s = r->server;
    if (atomic_fetch_add_explicit(&s->counts.streams, 1, memory_order_relaxed) < s->most_streams)
        return true;
    atomic_fetch_sub_explicit(&s->counts.streams, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->counts.turned_away, 1, memory_order_relaxed);
    request_fail(r, OMEND_UNAVAILABLE,
        "%" PRIu64 " event streams are open: the configuration allows no more "
        "(event_streams)",
        s->most_streams);
    return false;
}

void handle_events(omend_request *r)
{
    row now;
    if (!take_place(r))
        return;
    stream *s = calloc(1, sizeof *s);
    if (s == NULL) {
        atomic_fetch_sub_explicit(&r->server->counts.streams, 1, memory_order_relaxed);
        return;
    }
    s->server = r->server;
    s->connection = r->connection;
    s->text.heap = om_context_heap(r->server->ctx);
    s->id = r->id;
    s->waiter = (omend_waiter){ .wake = wake, .job = r->id };
    if (!read_row(s, &now)) {
        free_stream(s);
        request_fail(r, OMEND_NOT_FOUND, "there is no job %" PRId64, r->id);
        return;
    }
    read_last_id(r, s);
    r->response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, s, free_stream);
    if (r->response == NULL) {
        free_stream(s);
        return;
    }
    r->status = MHD_HTTP_OK;
    (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
    (void) MHD_add_response_header(r->response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}
