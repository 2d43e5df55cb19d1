/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices that the files of the database are not the ones any more that this omend has open:
 * somebody removed them, put others in their place, or wrote over them. SQLite does not: it goes on
 * with files that no longer have a name, and what it commits is lost with them. One thread (the
 * writer).
 */
#ifndef OMEND_GUARD_H
#define OMEND_GUARD_H

#include <sqlite3.h>

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { GUARD_MAIN, GUARD_LOG, GUARD_INDEX, GUARD_FILES };
enum { GUARD_HEAD = 100 };

typedef struct om_guarded {
    char path[4128];
    int fd; /* of main and log; -1: none */
    dev_t device;
    ino_t number;
    off_t size; /* at least: neither shrinks under SQLite's hands while omend runs */
    bool known;
} om_guarded;

typedef struct om_guard {
    om_guarded files[GUARD_FILES];
    bool marked;                /* the database has `mark` in its header */
    unsigned char mark[4];      /* its application_id, random for each run */
    unsigned char log_head[32]; /* of the log, when something was last written */
} om_guard;

/*
 * Marks the database, which is open for writing as DIR/omend.db, and looks at its files. The main
 * file stays open until guard_close(): closing a descriptor of it would release SQLite's locks,
 * which POSIX keeps for each process and file. So guard_close() comes after the last connection's
 * end.
 */
void guard_open(om_guard *g, sqlite3 *db, const char *folder);
void guard_close(om_guard *g);
/* The files are as they should be: SQLite has just written them, or tried to. */
void guard_take(om_guard *g);
/* True, with the reason as a sentence: they are not the files of the last guard_take(). `wrote`:
 * SQLite has written since, and may have begun its log anew. */
bool guard_lost(const om_guard *g, bool wrote, char *why, size_t size);

#endif
