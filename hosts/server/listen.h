/* SPDX-License-Identifier: Apache-2.0 */
/* Where omend listens, and what it tells who started it. */
#ifndef OMEND_LISTEN_H
#define OMEND_LISTEN_H

#include <omen/plugin/base.h>

typedef struct om_listener {
    int socket;
    bool local;        /* from this machine alone: loopback, or a file */
    char address[200]; /* "127.0.0.1:8440", "[::1]:8440", "unix:/run/omend.sock" */
} om_listener;

/* Opens what the configuration names, or takes the socket that was handed over (LISTEN_FDS, as
 * systemd does). OM_EUSAGE, OM_EIO. */
int listen_open(om_listener *l, om_context *ctx, const char *where);
/* Also removes a socket's file. */
void listen_close(om_listener *l);

/* "READY=1", "STOPPING=1" ... to NOTIFY_SOCKET, where there is one. */
void listen_notify(const char *state);

#endif
