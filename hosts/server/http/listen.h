/* SPDX-License-Identifier: Apache-2.0 */
/* The socket at which omend listens, and notifications for the service manager. */
#ifndef OMEND_LISTEN_H
#define OMEND_LISTEN_H

#include <omen/plugin/base.h>

typedef struct omend_listener {
    int socket;
    bool own;          /* a Unix socket whose file omend made: it removes the file at its end */
    bool local;        /* only this machine can connect: loopback, or a file */
    char address[200]; /* "127.0.0.1:8440", "[::1]:8440", "unix:/run/omend.sock" */
} omend_listener;

/* Opens the socket of the configuration, or takes the one that was passed (LISTEN_FDS, as by
 * systemd). OM_EUSAGE, OM_EIO. */
int listen_open(omend_listener *l, om_context *ctx, const char *where);
/* Removes the file of a Unix socket that omend made, so that another server can listen there. */
void listen_remove(omend_listener *l);
/* Removes that file and closes the socket. */
void listen_close(omend_listener *l);

/* Sends "READY=1", "STOPPING=1" ... to NOTIFY_SOCKET, if there is one. */
void listen_notify(const char *state);

#endif
