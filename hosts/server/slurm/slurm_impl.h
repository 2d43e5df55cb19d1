/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of slurm. Everything but `slurm_read...` is used by its thread only. */
#ifndef OMEND_SLURM_IMPL_H
#define OMEND_SLURM_IMPL_H

#include "pool/pool_impl.h"
#include "slurm.h"

#include <omen/plugin/base.h>
#include <stdatomic.h>

typedef enum slurm_tool { SBATCH, SQUEUE, SACCT, SCANCEL, SLURM_TOOLS } slurm_tool;

/* A command of Slurm, and whether it works. */
typedef struct tool {
    int failures;   /* since the last success */
    int64_t due_ms; /* earliest time of the next call */
    char said[512]; /* the last problem */
} tool;

enum { SLURM_STRAYS = 64 };

/* A job of the pool that was looked at. The pointer stays valid: only this thread ends a job that
 * was handed over. */
typedef struct slurm_seen {
    omend_live *job;
    char name[80];
    bool found;     /* by the last command */
    bool there;     /* it has a report */
    bool begun;     /* its omend-job has been at work */
    int64_t events; /* size of its events */
} slurm_seen;

/* A Slurm job that the pool does not follow, and that is to be cancelled. */
typedef struct slurm_stray {
    char name[80];
    uint32_t number;
} slurm_stray;

struct slurm {
    omend_pool *pool;
    pthread_t thread;
    pthread_cond_t condition; /* used with the pool's lock */
    bool started, woken;
    _Atomic bool ending;
    uint64_t turns;
    tool tools[SLURM_TOOLS];
    slurm_stray strays[SLURM_STRAYS];
    size_t stray_count;
    slurm_seen seen[POOL_RUNNING];
    size_t seen_count;
};

/* Returns the pause before the next try, in ms, after that many failures. */
int64_t slurm_pause(const struct slurm *s, int failures);

/* ---- commands ---- */

/* Arguments; each is passed unchanged, whatever it contains. */
typedef struct words {
    char *argv[96];
    int count;
    bool failed;
} words;

void words_add(words *w, const char *fmt, ...) OM_PRINTF(2, 3);
/* Adds each piece between blanks as an argument. */
void words_split(words *w, const char *text);
void words_free(words *w);

/*
 * Runs a command, and frees the words; without the lock. Returns the output, which the caller
 * frees. NULL if the command could not be run, failed, printed too much or took too long, which has
 * been reported (slurm_failed).
 */
char *slurm_run(struct slurm *s, slurm_tool which, words *w);
/* Reports that a command failed, or that its output was not understood: one message, and a
 * pause. */
void slurm_failed(struct slurm *s, slurm_tool which, const char *fmt, ...) OM_PRINTF(3, 4);
void slurm_worked(struct slurm *s, slurm_tool which);
bool slurm_is_due(const struct slurm *s, slurm_tool which);

/* ---- output ---- */

/* A line of squeue or sacct: "NAME|NUMBER|STATE|REASON". */
typedef struct slurm_row {
    const char *name, *word, *reason; /* in the line */
    uint32_t number;
    slurm_state state;
} slurm_row;

/* Splits a line in place. Returns false if it is not such a row. */
bool slurm_read_row(char *line, slurm_row *out);
/* Reads "NUMBER" or "NUMBER;CLUSTER"; returns 0 if the text is neither. */
uint32_t slurm_read_number(const char *text);
/* Returns the next line of a text, without its end; NULL after the last one. */
char *slurm_next_line(char **text);

/* ---- the parts of a pass ---- */

/* slurm_ask.c: asks squeue, and sacct about jobs that squeue does not know. Without the lock, which
 * it takes. */
void slurm_follow(struct slurm *s);
void slurm_cancel(struct slurm *s);
void slurm_add_stray(struct slurm *s, const char *name, uint32_t number);
/* slurm_submit.c: submits the next job. Returns false if there is none, or sbatch failed. Under the
 * lock, which is released meanwhile. */
bool slurm_submit_one(struct slurm *s);
/* slurm_end.c: records the end of a job that has ended. Under the lock, which is released
 * meanwhile. */
void slurm_settle(struct slurm *s, const slurm_seen *seen);

#endif
