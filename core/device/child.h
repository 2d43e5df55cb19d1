/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: programs of the library's own that do what drivers shall not do in this process. */
#ifndef OM_DEVICE_CHILD_H
#define OM_DEVICE_CHILD_H

#include <omen/base.h>

#include <sys/types.h>

/* The program of that name beside this library, as it is built or as it is installed; the caller
 * frees it. NULL where it is not there (or a program has the library inside). */
char *om_child__find(const om_heap *heap, const char *name);

/* Starts it, silent and with signals as programs expect them (ours may be blocked). `fd` becomes
 * its standard input and output; -1: it has none. 0, or an errno. */
int om_child__start(const char *path, const char *name, int fd, pid_t *pid);

/* Ends and buries it. */
void om_child__end(pid_t pid);

#endif
