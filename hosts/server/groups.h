/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.h: a control group (cgroup version 2) for each attempt of a job, where the system lets us
 * make some: memory and processes are held to their limits by the kernel then, not by omend-job
 * alone, and all that a job has started is killed at once.
 */
#ifndef OMEND_GROUPS_H
#define OMEND_GROUPS_H

#include <omen/plugin/base.h>

#include <stdbool.h>
#include <stdint.h>

enum { GROUPS_PATH = 3072 };

/* Where they are made. */
typedef struct om_groups {
    char path[GROUPS_PATH]; /* empty: nowhere */
} om_groups;

/*
 * `where` is the key of the configuration: "auto" is the group that omend is in, where that is
 * delegated to it (systemd: Delegate=yes), of which omend goes into a group of its own, because
 * only leaves may hold both processes and limits; "none"; or a folder of a cgroup2 file system in
 * which omend may make groups. OM_EINPUT: it may not. One thread, before there are others.
 */
int groups_open(om_groups *g, om_context *ctx, const char *where);
/* The path of an attempt's group; false: there are none. */
bool groups_path(const om_groups *g, int64_t id, int attempt, char *out, size_t size);
/* Makes it, if it is not there, and sets its limits, as far as there are controllers for them.
 * False: the job must do without. */
bool groups_make(
    const om_groups *g, int64_t id, int attempt, uint64_t memory_bytes, uint64_t processes);
/* Kills what is left in it, and removes it. May wait for some milliseconds. */
void groups_remove(const om_groups *g, int64_t id, int attempt);

#endif
