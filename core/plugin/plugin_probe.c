/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-probe-plugin PATH...: opens shared objects for the library, which starts it with a socket as
 * standard input, and reports its progress for each on the socket (trial.c). What they do to a
 * process when they are opened happens to this one, which ends together with the process that
 * started it (parent_watch.h).
 */
#include "process/parent_watch.h"

#include <omen/host/registry.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Moves the socket to a descriptor that a plug-in does not read or print to; -1 on failure. */
static int move_away(int socket)
{
    enum { FAR = 10 };
    int moved = fcntl(socket, F_DUPFD_CLOEXEC, FAR);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    return nothing >= 0 && dup2(nothing, socket) >= 0 ? moved : -1;
}

int main(int argc, char **argv)
{
    int socket = move_away(STDIN_FILENO);
    /* No core dumps: the parent reports the reason for the end. */
    if (socket < 0 || argc < 2 || prctl(PR_SET_DUMPABLE, 0) != 0 || !om_watch_parent(socket))
        return 1;
    om_registry_probe_for(socket, argv + 1, (size_t) argc - 1);
    _exit(0);
}
