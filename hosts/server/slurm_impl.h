/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of slurm know of each other. All but `slurm_read...` is the thread's. */
#ifndef OMEND_SLURM_IMPL_H
#define OMEND_SLURM_IMPL_H

#include "pool_impl.h"
#include "slurm.h"

#include <omen/plugin/base.h>
#include <stdatomic.h>

typedef enum slurm_tool { SBATCH, SQUEUE, SACCT, SCANCEL, SLURM_TOOLS } slurm_tool;

/* A command of Slurm, and whether it works. */
typedef struct tool {
    int failures;   /* since it last worked */
    int64_t due_ms; /* not before */
    char said[512]; /* the last problem */
} tool;

enum { SLURM_STRAYS = 64 };

/* A job of the pool that was looked at. It stays where it is: nobody but the thread ends one that
 * was handed over. */
typedef struct slurm_seen {
    om_live *job;
    char name[80];
    bool found;     /* by the command that was run last */
    bool there;     /* it has a report */
    bool begun;     /* its omend-job has been at work */
    int64_t events; /* their size */
} slurm_seen;

/* One that nobody follows, and that is to end. */
typedef struct slurm_stray {
    char name[80];
    uint32_t number;
} slurm_stray;

struct slurm {
    om_pool *pool;
    pthread_t thread;
    pthread_cond_t condition; /* with the pool's lock */
    bool started, woken;
    _Atomic bool ending;
    uint64_t turns;
    tool tools[SLURM_TOOLS];
    slurm_stray strays[SLURM_STRAYS];
    size_t stray_count;
    slurm_seen seen[POOL_RUNNING];
    size_t seen_count;
};

/* When the next try is, after so many failures. */
int64_t slurm_pause(const struct slurm *s, int failures);

/* ---- commands ---- */

/* Arguments; each is one, whatever is in it. */
typedef struct words {
    char *argv[96];
    int count;
    bool failed;
} words;

void words_add(words *w, const char *fmt, ...) OM_PRINTF(2, 3);
/* Pieces between blanks, an argument each. */
void words_split(words *w, const char *text);
void words_free(words *w);

/*
 * Runs a command, and frees the words; without the lock. What it prints is a text that the caller
 * frees. NULL: it could not be run, failed, printed too much or took too long, which is told
 * (slurm_failed).
 */
char *slurm_run(struct slurm *s, slurm_tool which, words *w);
/* It failed, or what it said was not understood: one message, and a pause. */
void slurm_failed(struct slurm *s, slurm_tool which, const char *fmt, ...) OM_PRINTF(3, 4);
void slurm_worked(struct slurm *s, slurm_tool which);
bool slurm_is_due(const struct slurm *s, slurm_tool which);

/* ---- what they print ---- */

/* A line of squeue or sacct: "NAME|NUMBER|STATE|REASON". */
typedef struct slurm_row {
    const char *name, *word, *reason; /* in the line */
    uint32_t number;
    slurm_state state;
} slurm_row;

/* Takes a line apart, in place; false: it is none. */
bool slurm_read_row(char *line, slurm_row *out);
/* "NUMBER" or "NUMBER;CLUSTER"; 0: it is neither. */
uint32_t slurm_read_number(const char *text);
/* The next line of a text, without its end; NULL: no more. */
char *slurm_next_line(char **text);

/* ---- the parts of a pass ---- */

/* slurm_ask.c: asks squeue, and sacct for what it does not know. Without the lock; takes it. */
void slurm_follow(struct slurm *s);
void slurm_cancel(struct slurm *s);
void slurm_add_stray(struct slurm *s, const char *name, uint32_t number);
/* slurm_submit.c: the next that is to be submitted; false: there is none. Under the lock, which it
 * gives up meanwhile. */
bool slurm_submit_one(struct slurm *s);
/* slurm_end.c: what has ended is written down. Under the lock, likewise. */
void slurm_settle(struct slurm *s, const slurm_seen *seen);

#endif
