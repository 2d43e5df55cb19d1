/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The archive and the queue: one SQLite file with a write-ahead log. All writing is done by one
 * thread, which takes what has gathered, applies it in one transaction, and answers when that is on
 * the disk (group commit): what was answered survives a kill and a loss of power. Readers have
 * connections of their own, one a thread, and see what was committed.
 */
#ifndef OMEND_DATABASE_H
#define OMEND_DATABASE_H

#include <omen/plugin/base.h>

#include <jansson.h>
#include <sqlite3.h>

typedef enum om_state {
    OM_QUEUED,
    OM_RUNNING,
    OM_DONE,
    OM_FAILED,
    OM_CANCELLED,
    OM_STATES
} om_state;

/* "queued" ... */
const char *om_state_name(om_state s);
/* OM_STATES: it is none. */
om_state om_state_of(const char *name);

/* ---- connections ---- */

/* The statements that are used, each prepared once for a connection. */
typedef enum om_statement {
    SQL_INSERT_JOB,
    SQL_INSERT_MODEL,
    SQL_JOB,
    SQL_JOBS,
    SQL_JOBS_NEWEST,
    SQL_MODEL,
    SQL_RESULTS,
    SQL_UNFINISHED,
    SQL_COUNTS,
    SQL_START,
    SQL_SUBMIT,
    SQL_RUNS,
    SQL_REQUEUE,
    SQL_FINISH,
    SQL_INSERT_RESULT,
    SQL_CANCEL,
    SQL_RETRY,
    SQL_DELETE_RESULTS,
    SQL_USAGE,
    SQL_REMOVE,
    SQL_PRUNE,
    SQL_FACT,
    SQL_SET_FACT,
    SQL_KEY,
    SQL_SET_KEY,
    SQL_FORGET_KEYS,
    SQL_STATEMENTS
} om_statement;

typedef struct om_connection {
    sqlite3 *db;
    sqlite3_stmt *statements[SQL_STATEMENTS];
} om_connection;

/*
 * Opens DIR/omend.db, and makes it where it is missing. OM_EIO with SQLite's message; OM_EINPUT:
 * it was made by a later omend, or is no file (a FIFO would never answer).
 */
int connection_open(om_connection *c, om_context *ctx, const char *folder, bool writes);
void connection_close(om_connection *c);
/* Ready to be bound and stepped; NULL where SQLite failed. The caller resets it (or lets the next
 * user do so). One thread. */
sqlite3_stmt *connection_get(om_connection *c, om_statement which);
/* Steps a statement that gives no rows, and resets it. */
bool connection_do(sqlite3_stmt *s);

/* ---- writes ---- */

/* One change. It belongs to who submits it, until `committed` has been called. */
typedef struct om_write {
    /* In the transaction, by the writer. False undoes this change alone. */
    bool (*apply)(struct om_write *w, om_connection *c);
    /* By the writer, when it is on the disk, or was not done. */
    void (*committed)(struct om_write *w, bool done);
    struct om_write *next;
} om_write;

typedef struct om_writer om_writer;
int writer_start(om_writer **out, om_context *ctx, const char *folder);
/* Any thread. After writer_stop() has begun, `committed` is called at once, with false. */
void writer_submit(om_writer *w, om_write *change);
/* Why nothing is written any more (guard.h), or NULL. It stays as it is until omend is started
 * again. Any thread. */
const char *writer_trouble(om_writer *w);
/* Applies, and waits: for who can. */
bool writer_wait(om_writer *w, om_write *change);
/* What was submitted is written, and nothing more is. */
void writer_stop(om_writer *w);
/* After that, when nobody submits or asks any more. NULL: nothing. */
void writer_free(om_writer *w);
/* Transactions and changes so far, and the seconds that commits took. */
typedef struct om_writer_figures {
    uint64_t commits, changes;
    double seconds;
} om_writer_figures;
om_writer_figures writer_figures(om_writer *w);

#endif
