/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omen-probe-plugin PATH...: opens shared objects for the library, which starts it with a socket
 * for standard input, and says there how far it has come with each (trial.c). What they do to a
 * process when they are opened is done to this one, which ends with who started it (mind.h).
 */
#include "mind.h"

#include <omen/host/registry.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Where nothing that a plug-in reads or prints can get at it; -1: that cannot be had. */
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
    /* What ends it is told; nobody wants a core. */
    if (socket < 0 || argc < 2 || prctl(PR_SET_DUMPABLE, 0) != 0 || !om_mind_parent(socket))
        return 1;
    om_registry_probe_for(socket, argv + 1, (size_t) argc - 1);
    _exit(0);
}
