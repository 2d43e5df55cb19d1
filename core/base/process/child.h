/* SPDX-License-Identifier: Apache-2.0 */
/* child.h: the library's own helper programs, which run foreign code outside this process. */
#ifndef OM_BASE_CHILD_H
#define OM_BASE_CHILD_H

#include <omen/plugin/base.h>

#include <sys/types.h>

/* Returns the path of the helper program of that name; the caller frees it. NULL if it does not
 * exist (or the library is linked into a program). */
char *om_child__find(const om_heap *heap, const char *name);

/* How to start a program; zeroed except for `argv` and `in`: no output, this process's
 * environment. */
typedef struct om_child_start {
    char *const *argv; /* as for exec() */
    char *const *env;  /* NULL: that of this process */
    int in;            /* its standard input; -1: none */
    int err;           /* its standard error; 0: none */
    int out;           /* its standard output; 0: none */
    bool session;      /* start a session, too: no terminal */
} om_child_start;

/* Starts a program (a path, or a name that is searched in PATH; never by a shell) in a process
 * group of its own and with an empty signal mask (this thread may block signals). Returns 0 or an
 * errno. */
int om_child__start_as(const char *path, const om_child_start *how, pid_t *pid);

/* Starts a helper program without output. A new socket becomes its standard input, and it may
 * answer on it; *line is this process's end, which the caller closes. The program ends when that
 * end is closed (parent_watch.h); no other program may inherit it. Returns 0 or an errno. */
int om_child__launch(const char *path, char *const argv[], pid_t *pid, int *line);

/* Kills and reaps the program, and kills its process group. */
void om_child__end(pid_t pid);

#endif
