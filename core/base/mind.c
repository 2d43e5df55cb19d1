/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits for the other end to hang up: see mind.h for why not PR_SET_PDEATHSIG. */
#define _GNU_SOURCE /* POLLRDHUP: data that nobody has read yet is not the end */
#include "mind.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *watch(void *fd)
{
    struct pollfd end = { .fd = *(const int *) fd, .events = POLLRDHUP };
    while (poll(&end, 1, -1) <= 0)
        continue;
    /* Started by hand it may be in the group of a whole script. */
    (void) kill(getpgrp() == getpid() ? 0 : getpid(), SIGKILL);
    return NULL;
}

bool om_mind_parent(int fd)
{
    static int watched;
    pthread_t thread;
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr) != 0)
        return false;
    watched = fd;
    /* Signals are for the other threads. */
    (void) sigfillset(&all);
    (void) pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 &&
                   pthread_create(&thread, &attr, watch, &watched) == 0;
    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void) pthread_attr_destroy(&attr);
    return started;
}
