/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h: starts omend-job for an attempt of a job, finds it again and signals it. */
#ifndef OMEND_LAUNCH_H
#define OMEND_LAUNCH_H

#include "pool/pool.h"

/* Creates the job's folder and starts omend-job in it. Sets pid and pidfd. Returns false
 * with the problem set. */
bool launch(const omend_pool *p, omend_live *job, json_t *model, omend_problem *problem);
/* Return the limits at which omend-job ends the job. */
double launch_seconds(const omend_pool *p, const omend_live *job);
uint64_t launch_memory(const omend_live *job);
/* Sets the same limits on the attempt's control group, which is created if it is missing. Returns
 * false if there is none. */
bool launch_limit(const omend_pool *p, const omend_live *job);
/* Creates the folder: the first part of launch(). */
bool launch_prepare(const omend_pool *p, const omend_live *job, json_t *model, char *path,
    size_t size, omend_problem *problem);
/* Returns true if the job's omend-job is at work in the folder; then sets pid and pidfd. */
bool launch_find(const omend_pool *p, omend_live *job);
/* Sends a signal by the pidfd: the pid may belong to another process by now. */
void launch_signal(const omend_live *job, int number);
/* Reaps the job's process after it has exited or was killed. (A process that an earlier omend
 * started is reaped by another one.) */
void launch_reap(const omend_live *job);

/* Parts of launch(), for other code that runs commands as jobs do. */
bool launch_put_file(int folder, const char *name, mode_t mode, const char *text, size_t length);
/* Returns the environment that omen, a C compiler and drivers need; NULL if memory runs out. */
json_t *launch_environment(const char *work);
/* Finds omend-job, which is beside omend or in its installed place. */
bool launch_find_program(char *out, size_t size);
/* Starts the program in the folder `path`. Returns an error of errno.h, or 0. */
int launch_spawn(const char *program, char *path, pid_t *pid);
void launch_remove_folder(const char *path);

#endif
