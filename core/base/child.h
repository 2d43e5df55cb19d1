/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: programs of the library's own, for what foreign code shall not do in this process. */
#ifndef OM_BASE_CHILD_H
#define OM_BASE_CHILD_H

#include <omen/plugin/base.h>

#include <sys/types.h>

/* The program of that name among what is the library's own; the caller frees it. NULL where it is
 * not there (or a program has the library inside). */
char *om_child__find(const om_heap *heap, const char *name);

/* How a program starts; zeroed but for `argv` and `in`: silent, with our environment. */
typedef struct om_child_start {
    char *const *argv; /* as exec() takes it */
    char *const *env;  /* NULL: ours */
    int in;            /* its standard input; -1: none */
    int err;           /* its standard error; 0: none */
    int out;           /* its standard output; 0: none */
} om_child_start;

/* Starts it (a path, or a name that PATH knows; never by a shell) in a process group of its own and
 * with signals as programs expect them (ours may be blocked). 0, or an errno. */
int om_child__start_as(const char *path, const om_child_start *how, pid_t *pid);

/* Starts one of the library's own, silent. `fd`, a socket, becomes its standard input, and it may
 * answer there; it ends when the other end is closed (mind.h), which no other program may inherit.
 * 0, or an errno. */
int om_child__start(const char *path, char *const argv[], int fd, pid_t *pid);

/* The same with a new socket, of which *line is our end, the caller's to close. */
int om_child__launch(const char *path, char *const argv[], pid_t *pid, int *line);

/* Ends and buries it, and ends all that it started. */
void om_child__end(pid_t pid);

#endif
