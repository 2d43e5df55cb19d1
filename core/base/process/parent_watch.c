/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits until the other end hangs up; parent_watch.h says why not PR_SET_PDEATHSIG.
 */
#define _GNU_SOURCE /* POLLRDHUP: unread data does not count as the end */
#include "parent_watch.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *watch(void *fd)
{
    struct pollfd end = { .fd = *(const int *) fd, .events = POLLRDHUP };
    while (poll(&end, 1, -1) <= 0)
        continue;
    /* A program started by hand may be in the process group of a whole script. */
    (void) kill(getpgrp() == getpid() ? 0 : getpid(), SIGKILL);
    return NULL;
}

bool om_watch_parent(int fd)
{
    static int watched;
    pthread_t thread;
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr) != 0)
        return false;
    watched = fd;
    /* Signals are delivered to the other threads. */
    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 &&
                   pthread_create(&thread, &attr, watch, &watched) == 0;
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void) pthread_attr_destroy(&attr);
    return started;
}
