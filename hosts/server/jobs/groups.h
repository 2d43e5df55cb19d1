/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.h: a control group (cgroup version 2) for each attempt of a job, if the system permits it.
 * Then the kernel enforces the limits on memory and processes, not omend-job alone, and all
 * processes of a job are killed at once.
 */
#ifndef OMEND_GROUPS_H
#define OMEND_GROUPS_H

#include <omen/plugin/base.h>

#include <stdbool.h>
#include <stdint.h>

enum { GROUPS_PATH = 3072 };

/* The parent of the control groups. */
typedef struct omend_groups {
    char path[GROUPS_PATH]; /* empty: no groups */
} omend_groups;

/*
 * `where` is the configuration key `cgroup`. "auto" is the group that omend is in, if it is
 * delegated to omend (systemd: Delegate=yes); omend then moves into a subgroup of its own, because
 * only leaves may hold both processes and limits. "none" means no groups. Otherwise it is a folder
 * of a cgroup2 file system in which omend may create groups; OM_EINPUT if it may not. Called before
 * other threads exist.
 */
int groups_open(omend_groups *g, om_context *ctx, const char *where);
/* Writes the path of an attempt's group. Returns false if there are no groups. */
bool groups_path(const omend_groups *g, int64_t id, int attempt, char *out, size_t size);
/* Creates the group if it is missing, and sets its limits, as far as there are controllers for
 * them. Returns false if the job has to run without a group. */
bool groups_make(
    const omend_groups *g, int64_t id, int attempt, uint64_t memory_bytes, uint64_t processes);
/* Kills the remaining processes of the group, and removes it. Waits for half a second at most. */
void groups_remove(const omend_groups *g, int64_t id, int attempt);

#endif
