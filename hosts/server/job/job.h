/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omend-job: the process between omend and one job. It runs the job's commands one after the other,
 * each in a sandbox, turns their output into events, watches their resources, and leaves one
 * report. It outlives an omend that is killed: the next omend finds it by its lock.
 *
 *   omend-job DIR
 *
 * DIR/job.json   what to do, written by omend (`omend_job`)
 * DIR/lock       locked (flock) as long as this process lives; holds its pid
 * DIR/events     lines "TYPE JSON", appended; an event's id is the offset after its line
 * DIR/report     how the job ended, as JSON: written once, atomically, and synchronised
 * DIR/work       the folder in which commands run, and to which they may write
 */
#ifndef OMEND_JOB_H
#define OMEND_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A program to run. */
typedef struct om_command {
    char **argv;        /* NULL-terminated */
    const char *what;   /* "plan", "check": the type of events made from `output`, if any */
    const char *output; /* file in DIR/work for standard output; NULL: its lines are events */
    bool decides;       /* its exit status is the job's; the status of other commands is ignored */
} om_command;

/* The contents of job.json. 0 means no limit. */
typedef struct omend_job {
    json_t *text; /* owns all below */
    om_command *commands;
    size_t command_count;
    char **environment;
    uint64_t memory_bytes; /* resident, of all processes together */
    uint64_t output_bytes; /* of events, and of each file that is written */
    double seconds;        /* wall time, of all commands together */
    uint32_t processes;    /* maximum of processes, and of threads, at once */
    uid_t uid;
    gid_t gid;
    bool own_user;      /* commands run as uid and gid */
    const char *cgroup; /* an empty group (version 2) for the commands, or NULL */
} omend_job;

/* Reads DIR/job.json. On failure prints a line to standard error and returns false. */
bool job_read(omend_job *job, int folder);
void job_free(omend_job *job);

/* ---- events ---- */

typedef struct omend_events {
    int fd;
    uint64_t written, most; /* bytes */
    bool full;              /* the limit was exceeded, or the disk is full: nothing is added */
} omend_events;

/* Appends "TYPE JSON\n" by one write(), so that a reader sees complete lines, or the beginning of
 * one that is being written. */
void events_put(omend_events *e, const char *type, const char *json, size_t length);
/* Like events_put(); takes the reference over. */
void events_put_json(omend_events *e, const char *type, json_t *value);

/* Data from a pipe that is not a complete line yet. */
typedef struct omend_lines {
    omend_events *events;
    bool notes; /* standard error: a line is a note, not JSON */
    char *text;
    size_t length, capacity;
    char last[1024]; /* the last note */
} omend_lines;

/* Reads the available data. Returns false at the end of the pipe. */
bool lines_read(omend_lines *l, int fd);
/* Handles the rest, which has no line end. */
void lines_end(omend_lines *l);

/* ---- sandbox ---- */

/*
 * Called in the child, before exec: sets limits, user, no_new_privs and the filter of system calls.
 * On failure writes the reason to standard error and returns false: no command runs half confined.
 */
bool sandbox_enter(const omend_job *job);

/* ---- resources of the processes of a job ---- */

typedef struct omend_usage {
    uint64_t bytes; /* resident */
    uint32_t processes;
} omend_usage;

/* Returns the sum over all descendants of this process, from /proc. */
omend_usage usage_now(void);
/* Returns the number of threads of all processes of a user. */
uint64_t usage_threads_of(uid_t user);
/* Kills all descendants and waits for them, until there are none; those in the control group are
 * killed at once. *status is set to how `command` ended, if it is among them. */
void usage_kill_all(const char *cgroup, pid_t command, int *status);
/* Returns true if the kernel has killed a process for lack of memory (memory.events of the
 * group). */
bool usage_oom(const char *cgroup);

#endif
