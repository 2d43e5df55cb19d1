/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects that the database's files are no longer those that this omend has open: they were
 * removed, replaced or overwritten. SQLite does not detect this: it continues with files that have
 * no name any more, and its commits are lost with them. Used by one thread (the writer).
 */
#ifndef OMEND_GUARD_H
#define OMEND_GUARD_H

#include <sqlite3.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { GUARD_MAIN, GUARD_LOG, GUARD_INDEX, GUARD_FILES };
enum { GUARD_HEAD = 100 };

typedef struct omend_guarded {
    char path[4128];
    int fd; /* of main and log; -1: none */
    dev_t device;
    ino_t number;
    off_t size; /* minimum: neither file shrinks under SQLite while omend runs */
    bool known;
} omend_guarded;

typedef struct omend_guard {
    omend_guarded files[GUARD_FILES];
    bool marked;                /* the database has `mark` in its header */
    unsigned char mark[4];      /* the application_id, random for each run */
    unsigned char log_head[32]; /* head of the log at the last write */
} omend_guard;

/*
 * Marks the database, which is open for writing as DIR/omend.db, and records the state of its
 * files. The main file stays open until guard_close(): closing a descriptor of it would release
 * SQLite's locks, which POSIX keeps per process and file. So guard_close() must come after the last
 * connection is closed.
 */
void guard_open(omend_guard *g, sqlite3 *db, const char *folder);
void guard_close(omend_guard *g);
/* Records the state of the files, which SQLite has just written, or tried to. */
void guard_take(omend_guard *g);
/* Returns true, with the reason as a sentence, if the files are not those of the last guard_take().
 * `wrote`: SQLite has written since, and may have restarted its log. */
bool guard_lost(const omend_guard *g, bool wrote, char *why, size_t size);

#endif
