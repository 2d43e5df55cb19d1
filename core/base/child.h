/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: programs of the library's own, for what foreign code shall not do in this process. */
#ifndef OM_BASE_CHILD_H
#define OM_BASE_CHILD_H

#include <omen/base.h>

#include <sys/types.h>

/* The program of that name among what is the library's own; the caller frees it. NULL where it is
 * not there (or a program has the library inside). */
char *om_child__find(const om_heap *heap, const char *name);

/* Starts it, silent and with signals as programs expect them (ours may be blocked). `argv` as
 * exec() takes it. `fd`, a socket, becomes its standard input, and it may answer there; -1: it has
 * none. 0, or an errno. */
int om_child__start(const char *path, char *const argv[], int fd, pid_t *pid);

/* Ends and buries it. */
void om_child__end(pid_t pid);

#endif
