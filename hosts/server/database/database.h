/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The archive and the queue: one SQLite file with a write-ahead log. One thread does all writing:
 * it applies the changes that have gathered in one transaction, and answers when that is on the
 * disk (group commit). So everything that was answered survives a kill and a power failure. Each
 * reading thread has its own connection, and sees committed data only.
 */
#ifndef OMEND_DATABASE_H
#define OMEND_DATABASE_H

#include <omen/plugin/base.h>

#include <jansson.h>
#include <sqlite3.h>

typedef enum omend_state {
    OMEND_QUEUED,
    OMEND_RUNNING,
    OM_DONE,
    OMEND_FAILED,
    OMEND_CANCELLED,
    OM_STATES
} omend_state;

/* Returns "queued" ... */
const char *omend_state_name(omend_state s);
/* Returns the state of that name; OM_STATES if there is none. */
omend_state om_state_of(const char *name);

/* ---- connections ---- */

/* The statements, each prepared once for a connection. */
typedef enum omend_statement {
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
} omend_statement;

typedef struct omend_connection {
    sqlite3 *db;
    sqlite3_stmt *statements[SQL_STATEMENTS];
} omend_connection;

/*
 * Opens DIR/omend.db; a writer creates it if it is missing. OM_EIO with SQLite's message; OM_EINPUT
 * if a later omend made the file, or if it is not a regular file (a FIFO would never answer).
 */
int connection_open(omend_connection *c, om_context *ctx, const char *folder, bool writes);
void connection_close(omend_connection *c);
/* Returns a statement that is ready to be bound and stepped; NULL if SQLite failed. The caller
 * resets it (or leaves that to the next user). A connection is used by one thread. */
sqlite3_stmt *connection_get(omend_connection *c, omend_statement which);
/*
 * Like connection_get(), and binds the statement's parameters. A letter of `types` for each of
 * them: 'i' int64_t; 't' const char * (NULL: null); 's' and 'b' const void *, size_t: a text and a
 * blob of that length. Texts and blobs must live until the statement is reset. `c` may be NULL.
 */
sqlite3_stmt *connection_bind(omend_connection *c, omend_statement which, const char *types, ...);
/* Steps a statement that returns no rows, and resets it. Returns true on success. `s`, here and
 * below, may be NULL: then nothing is done. */
bool connection_do(sqlite3_stmt *s);
/* Steps a statement. Returns true if it has a row. */
bool connection_row(sqlite3_stmt *s);

/* ---- writes ---- */

/* One change. The submitter owns it, and keeps it alive until `committed` has been called. */
typedef struct om_write {
    /* Called by the writer, within the transaction. Returning false undoes this change only. */
    bool (*apply)(struct om_write *w, omend_connection *c);
    /* Called by the writer, when the change is on the disk, or was not done. */
    void (*committed)(struct om_write *w, bool done);
    struct om_write *next;
} om_write;

typedef struct omend_writer omend_writer;
int writer_start(omend_writer **out, om_context *ctx, const char *folder);
/* Submits a change. After writer_stop() has begun, `committed` is called at once, with false.
 * Thread-safe. */
void writer_submit(omend_writer *w, om_write *change);
/* Returns why nothing is written any more (guard.h), or NULL. The reason stays until omend is
 * started again. Thread-safe. */
const char *writer_trouble(omend_writer *w);
/* Applies a change and waits for it, for callers that may block. `committed` is not called. Returns
 * true if the change is on the disk. */
bool writer_wait(omend_writer *w, om_write *change);
/* Writes all changes that were submitted; later ones are refused. */
void writer_stop(omend_writer *w);
/* Frees the writer after writer_stop(), when no thread uses it any more. NULL is ignored. */
void writer_free(omend_writer *w);
/* Transactions and changes so far, and the total duration of commits in seconds. */
typedef struct omend_writer_figures {
    uint64_t commits, changes;
    double seconds;
} omend_writer_figures;
omend_writer_figures writer_figures(omend_writer *w);

#endif
