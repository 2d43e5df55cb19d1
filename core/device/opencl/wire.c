/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

const char om_wire__magic[8] = { 'o', 'm', 'b', 'u', 'i', 'l', 'd', 1 };

bool om_wire__send(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        n -= (size_t) done;
    }
    return true;
}

int om_wire__receive(int fd, om_context *ctx, void *bytes, size_t n)
{
    char *p = bytes;
    while (n > 0) {
        struct pollfd end = { .fd = fd, .events = POLLIN };
        if (ctx != NULL && om_context_stopped(ctx) != OM_OK)
            return OM_ESTOP;
        int ready = poll(&end, 1, ctx == NULL ? -1 : OM_WIRE_GLANCE_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        ssize_t done = ready < 0 ? -1 : recv(fd, p, n, 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return OM_EIO;
        p += done;
        n -= (size_t) done;
    }
    return OM_OK;
}
