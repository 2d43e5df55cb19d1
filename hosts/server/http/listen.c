/* SPDX-License-Identifier: Apache-2.0 */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_HANDED = 3, BACKLOG = 1024 };

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *) (const void *) a)->sin_addr.s_addr) >> 24 == 127;
    if (a->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *) (const void *) a)->sin6_addr);
    return a->sa_family == AF_UNIX;
}

/* Reads the address that the socket is bound to, which the system may have chosen. */
static void describe(omend_listener *l)
{
    struct sockaddr_storage a = { 0 };
    socklen_t n = sizeof a;
    char host[INET6_ADDRSTRLEN] = "";
    if (getsockname(l->socket, (struct sockaddr *) &a, &n) != 0)
        return;
    l->local = is_loopback((const struct sockaddr *) &a);
    if (a.ss_family == AF_INET) {
        const struct sockaddr_in *in = (const void *) &a;
        (void) inet_ntop(AF_INET, &in->sin_addr, host, sizeof host);
        (void) snprintf(l->address, sizeof l->address, "%s:%u", host, ntohs(in->sin_port));
    } else if (a.ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *) &a;
        (void) inet_ntop(AF_INET6, &in->sin6_addr, host, sizeof host);
        (void) snprintf(l->address, sizeof l->address, "[%s]:%u", host, ntohs(in->sin6_port));
    } else {
        (void) snprintf(l->address, sizeof l->address, "unix:%s",
            ((const struct sockaddr_un *) (const void *) &a)->sun_path);
    }
}

static int failed(omend_listener *l, om_context *ctx, const char *where)
{
    int rc = om_fail(ctx, OM_EIO, NULL, "cannot listen on %s: %s", where, strerror(errno));
    if (l->socket >= 0)
        (void) close(l->socket);
    l->socket = -1;
    return rc;
}

/* Replaces a file that a dead server left, but not one at which a server listens. */
static int open_unix(omend_listener *l, om_context *ctx, const char *where)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    const char *path = where + strlen("unix:");
    if (strlen(path) >= sizeof a.sun_path)
        return om_fail(ctx, OM_EUSAGE, NULL, "%s: the name is too long", where);
    memcpy(a.sun_path, path, strlen(path) + 1);
    l->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->socket < 0)
        return failed(l, ctx, where);
    if (connect(l->socket, (const struct sockaddr *) &a, sizeof a) == 0) {
        errno = EADDRINUSE;
        return failed(l, ctx, where);
    }
    /* A file that is no socket refuses connections, too. */
    struct stat st;
    if (errno == ECONNREFUSED && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        (void) unlink(path);
    (void) close(l->socket);
    l->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t mask = umask(0077);
    bool ok = l->socket >= 0 && bind(l->socket, (const struct sockaddr *) &a, sizeof a) == 0 &&
              listen(l->socket, BACKLOG) == 0;
    (void) umask(mask);
    l->own = ok;
    return ok ? OM_OK : failed(l, ctx, where);
}

static int open_inet(omend_listener *l, om_context *ctx, const char *where)
{
    char host[128];
    const char *colon = strrchr(where, ':');
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    struct addrinfo *found = NULL;
    const int one = 1;
    size_t n = colon == NULL ? 0 : (size_t) (colon - where);
    if (n == 0 || n >= sizeof host)
        return om_fail(ctx, OM_EUSAGE, NULL,
            "listen must be ADDRESS:PORT, [ADDRESS]:PORT or unix:PATH, not '%s'", where);
    bool bracketed = where[0] == '[' && where[n - 1] == ']';
    (void) snprintf(
        host, sizeof host, "%.*s", (int) (bracketed ? n - 2 : n), bracketed ? where + 1 : where);
    int rc = getaddrinfo(host, colon + 1, &hints, &found);
    if (rc != 0)
        return om_fail(ctx, OM_EUSAGE, NULL, "cannot listen on %s: %s", where, gai_strerror(rc));
    l->socket = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok =
        l->socket >= 0 && setsockopt(l->socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
        bind(l->socket, found->ai_addr, found->ai_addrlen) == 0 && listen(l->socket, BACKLOG) == 0;
    int problem = errno;
    freeaddrinfo(found);
    errno = problem;
    return ok ? OM_OK : failed(l, ctx, where);
}

static bool handed_over(omend_listener *l)
{
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    bool ours = pid != NULL && count != NULL && strtol(pid, NULL, 10) == (long) getpid() &&
                strtol(count, NULL, 10) >= 1;
    if (ours) {
        l->socket = FIRST_HANDED;
        (void) fcntl(l->socket, F_SETFD, FD_CLOEXEC);
    }
    (void) unsetenv("LISTEN_PID");
    (void) unsetenv("LISTEN_FDS");
    (void) unsetenv("LISTEN_FDNAMES");
    return ours;
}

int listen_open(omend_listener *l, om_context *ctx, const char *where)
{
    int rc = OM_OK;
    *l = (omend_listener){ .socket = -1 };
    if (!handed_over(l))
        rc = strncmp(where, "unix:", 5) == 0 ? open_unix(l, ctx, where) : open_inet(l, ctx, where);
    if (rc == OM_OK)
        describe(l);
    return rc;
}

void listen_remove(omend_listener *l)
{
    if (l->own)
        (void) unlink(l->address + strlen("unix:"));
    l->own = false;
}

void listen_close(omend_listener *l)
{
    listen_remove(l);
    if (l->socket >= 0)
        (void) close(l->socket);
    l->socket = -1;
}

void listen_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    size_t n = path == NULL ? 0 : strlen(path);
    if (n < 2 || n >= sizeof a.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(a.sun_path, path, n);
    if (path[0] == '@') /* an abstract name */
        a.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void) sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *) &a,
        (socklen_t) (offsetof(struct sockaddr_un, sun_path) + n));
    (void) close(fd);
}
