/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MHD ends a connection on which no data arrives. This file ends connections on which data arrives
 * too slowly: each has WHOLE_SECONDS from its start, or from the last answer, to the next complete
 * request.
 *
 * Of the connections that MHD accepts, `most` serve any request. A few more are accepted, so that
 * /healthz and /metrics are answered however many others there are (routes.c refuses other
 * requests). A connection beyond `most` ends the one that has been idle longest, so that idle
 * connections keep no client out.
 *
 * C1  A connection is in one of the two rings from its start until MHD has closed it.
 * C2  `open` is the number of those that were not shut down here.
 */
#include "server.h"

#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

enum { WHOLE_SECONDS = 60, ROUND_MS = 1000 };

typedef struct open_connection {
    struct open_connection *next, *previous;
    int socket;
    bool ending; /* it was shut down, but MHD has not reported that it is closed */
    time_t since;
} open_connection;

struct omend_connections {
    om_context *ctx;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    /* The heads of two rings: connections that wait for a complete request, in the order of
     * `since`; and the others. */
    open_connection idle, busy;
    unsigned most, open; /* open: without those that are ending */
    bool stopping;
};

static time_t now(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static void put_last(open_connection *ring, open_connection *o)
{
    o->next = ring;
    o->previous = ring->previous;
    o->previous->next = o;
    ring->previous = o;
}

static void take_out(open_connection *o)
{
    assert(o->previous->next == o && o->next->previous == o); /* C1 */
    o->previous->next = o->next;
    o->next->previous = o->previous;
}

/* Shuts a connection down; MHD closes it when it sees the end of the socket. Its place is free at
 * once: otherwise the connection that replaces it would be refused until then. */
static void end(omend_connections *c, open_connection *o)
{
    assert(!o->ending && c->open > 0); /* C2 */
    o->ending = true;
    c->open--;
    take_out(o);
    put_last(&c->busy, o);
    (void) shutdown(o->socket, SHUT_RDWR);
}

static void *sweep(void *self)
{
    omend_connections *c = self;
    pthread_mutex_lock(&c->lock);
    while (!c->stopping) {
        struct timespec until;
        (void) clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += ROUND_MS / 1000;
        (void) pthread_cond_timedwait(&c->stop, &c->lock, &until);
        time_t t = now();
        while (c->idle.next != &c->idle && t - c->idle.next->since > WHOLE_SECONDS)
            end(c, c->idle.next);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

int connections_start(omend_connections **out, om_context *ctx, unsigned most)
{
    omend_connections *c = om_alloc(om_context_heap(ctx), 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(ctx);
    c->ctx = ctx;
    c->most = most;
    c->idle.next = c->idle.previous = &c->idle;
    c->busy.next = c->busy.previous = &c->busy;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->stop, NULL);
    if (pthread_create(&c->thread, NULL, sweep, c) != 0) {
        om_free(om_context_heap(ctx), c);
        return om_fail(ctx, OM_EIO, NULL, "cannot create a thread");
    }
    *out = c;
    return OM_OK;
}

void connections_stop(omend_connections *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->stopping = true;
    pthread_cond_signal(&c->stop);
    pthread_mutex_unlock(&c->lock);
    (void) pthread_join(c->thread, NULL);
    assert(c->idle.next == &c->idle && c->busy.next == &c->busy && c->open == 0);
    pthread_cond_destroy(&c->stop);
    pthread_mutex_destroy(&c->lock);
    om_free(om_context_heap(c->ctx), c);
}

static void opened(omend_connections *c, struct MHD_Connection *connection, void **state)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    open_connection *o = info == NULL ? NULL : om_alloc(om_context_heap(c->ctx), 1, sizeof *o);
    *state = o;
    if (o == NULL)
        return;
    o->socket = info->connect_fd;
    o->since = now();
    pthread_mutex_lock(&c->lock);
    if (++c->open > c->most && c->idle.next != &c->idle)
        end(c, c->idle.next);
    put_last(&c->idle, o);
    pthread_mutex_unlock(&c->lock);
}

void connections_notify(void *connections, struct MHD_Connection *connection, void **state,
    enum MHD_ConnectionNotificationCode what)
{
    omend_connections *c = connections;
    open_connection *o = *state;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        opened(c, connection, state);
        return;
    }
    if (o == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    take_out(o);
    assert(o->ending || c->open > 0); /* C2 */
    if (!o->ending)
        c->open--;
    pthread_mutex_unlock(&c->lock);
    om_free(om_context_heap(c->ctx), o);
    *state = NULL;
}

void connections_busy(omend_server *s, struct MHD_Connection *connection, bool busy)
{
    omend_connections *c = s->connections;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    open_connection *o = info == NULL ? NULL : info->socket_context;
    if (o == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    if (!o->ending) {
        o->since = now();
        take_out(o);
        put_last(busy ? &c->busy : &c->idle, o);
    }
    pthread_mutex_unlock(&c->lock);
}

bool connections_crowded(omend_connections *c)
{
    return connections_open(c) > c->most;
}

uint64_t connections_open(omend_connections *c)
{
    pthread_mutex_lock(&c->lock);
    const uint64_t open = c->open;
    pthread_mutex_unlock(&c->lock);
    return open;
}
