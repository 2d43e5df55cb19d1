/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MHD ends a connection on which nothing comes. This ends those on which something comes, but so
 * slowly that a request is never whole: each has so many seconds from its first byte, or from the
 * last answer, to the next whole request.
 */
#include "server.h"

#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

enum { WHOLE_SECONDS = 60, ROUND_MS = 1000 };

typedef struct open_connection {
    struct open_connection *next, *previous;
    int socket;
    bool busy;
    time_t since;
} open_connection;

struct om_connections {
    om_context *ctx;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    open_connection first; /* the head of a ring */
    bool stopping;
};

static time_t now(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static void *sweep(void *self)
{
    om_connections *c = self;
    pthread_mutex_lock(&c->lock);
    while (!c->stopping) {
        struct timespec until;
        (void) clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += ROUND_MS / 1000;
        (void) pthread_cond_timedwait(&c->stop, &c->lock, &until);
        time_t t = now();
        for (open_connection *o = c->first.next; o != &c->first; o = o->next)
            if (!o->busy && t - o->since > WHOLE_SECONDS)
                (void) shutdown(o->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

int connections_start(om_connections **out, om_context *ctx)
{
    om_connections *c = om_alloc(om_context_heap(ctx), 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(ctx);
    c->ctx = ctx;
    c->first.next = c->first.previous = &c->first;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->stop, NULL);
    if (pthread_create(&c->thread, NULL, sweep, c) != 0) {
        om_free(om_context_heap(ctx), c);
        return om_fail(ctx, OM_EIO, NULL, "the system gives no more threads");
    }
    *out = c;
    return OM_OK;
}

void connections_stop(om_connections *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->stopping = true;
    pthread_cond_signal(&c->stop);
    pthread_mutex_unlock(&c->lock);
    (void) pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->stop);
    pthread_mutex_destroy(&c->lock);
    om_free(om_context_heap(c->ctx), c);
}

void connections_notify(void *connections, struct MHD_Connection *connection, void **state,
    enum MHD_ConnectionNotificationCode what)
{
    om_connections *c = connections;
    open_connection *o = *state;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        o = info == NULL ? NULL : om_alloc(om_context_heap(c->ctx), 1, sizeof *o);
        *state = o;
        if (o == NULL)
            return;
        o->socket = info->connect_fd;
        o->since = now();
        pthread_mutex_lock(&c->lock);
        o->next = &c->first;
        o->previous = c->first.previous;
        o->previous->next = o;
        c->first.previous = o;
        pthread_mutex_unlock(&c->lock);
        return;
    }
    if (o == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    o->previous->next = o->next;
    o->next->previous = o->previous;
    pthread_mutex_unlock(&c->lock);
    om_free(om_context_heap(c->ctx), o);
    *state = NULL;
}

void connections_busy(om_server *s, struct MHD_Connection *connection, bool busy)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    open_connection *o = info == NULL ? NULL : info->socket_context;
    if (o == NULL)
        return;
    pthread_mutex_lock(&s->connections->lock);
    o->busy = busy;
    o->since = now();
    pthread_mutex_unlock(&s->connections->lock);
}
