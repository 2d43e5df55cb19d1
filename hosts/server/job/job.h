/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omend-job: the process between omend and one job. It runs the job's commands one after the other,
 * each in a sandbox, turns what they print into events, watches what they take, and leaves one
 * report. It outlives an omend that is killed: whoever is started next finds it by its lock.
 *
 *   omend-job DIR
 *
 * DIR/job.json   what to do, written by omend (`om_job`)
 * DIR/lock       locked (flock) as long as this process lives; holds its process number
 * DIR/events     lines "TYPE JSON", appended; an event's number is the offset behind its line
 * DIR/report     how it ended, as JSON: written once, whole, and synchronised
 * DIR/work       the folder that commands run in, and may write to
 */
#ifndef OMEND_JOB_H
#define OMEND_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One program to run. */
typedef struct om_command {
    char **argv;        /* ends with NULL */
    const char *what;   /* "plan", "check": the type of events that `output` becomes, if any */
    const char *output; /* where standard output goes, in DIR/work; NULL: lines of it are events */
    bool decides;       /* its exit status is the job's; those of others do not matter */
} om_command;

/* What job.json says. 0 is no limit for each. */
typedef struct om_job {
    json_t *text; /* owns all below */
    om_command *commands;
    size_t command_count;
    char **environment;
    uint64_t memory_bytes; /* resident, of all processes together */
    uint64_t output_bytes; /* of events, and of each file that is written */
    double seconds;        /* wall time, of all commands together */
    uint32_t processes;    /* and threads that live at once */
    uid_t uid;
    gid_t gid;
    bool own_user;      /* commands run as uid and gid */
    const char *cgroup; /* an empty group (version 2) for the commands, or NULL */
} om_job;

/* Reads DIR/job.json. False, with a line on standard error. */
bool job_read(om_job *job, int folder);
void job_free(om_job *job);

/* ---- events ---- */

typedef struct om_events {
    int fd;
    uint64_t written, most; /* bytes */
    bool full;              /* the limit was passed, or the disk is full: nothing is added */
} om_events;

/* Appends "TYPE JSON\n" by one write(), so that a reader sees whole lines or the start of one that
 * is being written. */
void events_put(om_events *e, const char *type, const char *json, size_t length);
/* Takes the reference over. */
void events_put_json(om_events *e, const char *type, json_t *value);

/* What a pipe has given and that is not a line yet. */
typedef struct om_lines {
    om_events *events;
    bool notes; /* standard error: a line is a note, not JSON */
    char *text;
    size_t length, capacity;
    char last[1024]; /* note */
} om_lines;

/* Reads what is there; false at the end of the pipe. */
bool lines_read(om_lines *l, int fd);
/* The rest, which had no end of line. */
void lines_end(om_lines *l);

/* ---- sandbox ---- */

/*
 * In the child, before exec: limits, user, no_new_privs, system calls. On failure writes what
 * failed to standard error and returns false: nothing runs half confined.
 */
bool sandbox_enter(const om_job *job);

/* ---- what the processes of a job take ---- */

typedef struct om_usage {
    uint64_t bytes; /* resident */
    uint32_t processes;
} om_usage;

/* All descendants of this process, as /proc has them. */
om_usage usage_now(void);
/* Threads of all processes of a user. */
uint64_t usage_threads_of(uid_t user);
/* Kills all descendants and waits for them, until there are none; those in a group of their own at
 * once. *status is how `command` ended, where it is among them. */
void usage_kill_all(const char *cgroup, pid_t command, int *status);
/* Has the kernel killed one for memory (memory.events of the group)? */
bool usage_oom(const char *cgroup);

#endif
