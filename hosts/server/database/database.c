/* SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The schema's version (user_version), and the timeout of a locked database. */
enum { VERSION = 2, BUSY_MS = 10000 };

static const char *const state_names[OM_STATES] = { "queued", "running", "done", "failed",
    "cancelled" };

const char *omend_state_name(omend_state s)
{
    assert(s < OM_STATES);
    return state_names[s];
}

omend_state om_state_of(const char *name)
{
    int i = 0;
    while (i < OM_STATES && strcmp(state_names[i], name) != 0)
        i++;
    return (omend_state) i;
}

/* Times are milliseconds since 1970; request and problem are JSON. The primary key makes sure that
 * a result is written once. */
static const char schema[] =
    "CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, created INTEGER NOT NULL, started "
    "INTEGER, ended INTEGER, token TEXT NOT NULL, label TEXT NOT NULL, priority INTEGER NOT NULL, "
    "state INTEGER NOT NULL, attempt INTEGER NOT NULL, request TEXT NOT NULL, verdict TEXT, "
    "problem "
    "TEXT, placed TEXT, taken TEXT, bytes INTEGER NOT NULL, "
    "retried INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE INDEX jobs_by_state ON jobs (state, id);"
    "CREATE INDEX jobs_by_label ON jobs (label, id);"
    "CREATE TABLE models (job INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT;"
    "CREATE TABLE results (job INTEGER NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, "
    "PRIMARY KEY (job, number)) STRICT;"
    /* Bytes of each token on the disk. */
    "CREATE TABLE usage (token TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;"
    "CREATE TRIGGER usage_more AFTER INSERT ON jobs BEGIN INSERT INTO usage (token, bytes) VALUES "
    "(new.token, new.bytes) ON CONFLICT (token) DO UPDATE SET bytes = bytes + new.bytes; END;"
    "CREATE TRIGGER usage_other AFTER UPDATE OF bytes ON jobs BEGIN UPDATE usage SET bytes = bytes "
    "+ "
    "new.bytes - old.bytes WHERE token = new.token; END;"
    "CREATE TRIGGER job_gone AFTER DELETE ON jobs BEGIN UPDATE usage SET bytes = bytes - old.bytes "
    "WHERE token = old.token; DELETE FROM models WHERE job = old.id; DELETE FROM results WHERE job "
    "= "
    "old.id; END;"
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;";

/* Additions of version 2: idempotency keys of submissions, with a hash of each submission
 * (keys.h). */
static const char schema_2[] =
    "CREATE TABLE keys (token TEXT NOT NULL, key TEXT NOT NULL, used INTEGER NOT NULL, "
    "print BLOB NOT NULL, job INTEGER NOT NULL, PRIMARY KEY (token, key)) STRICT;"
    "CREATE INDEX keys_by_use ON keys (used);"
    "PRAGMA user_version = 2;";

#define JOB_COLUMNS                                                                           \
    "id, created, started, ended, token, label, priority, state, attempt, request, verdict, " \
    "problem, placed, taken, retried"

static const char *const texts[SQL_STATEMENTS] = {
    [SQL_INSERT_JOB] = "INSERT INTO jobs (created, token, label, priority, state, attempt, "
                       "request, bytes) VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6)",
    [SQL_INSERT_MODEL] = "INSERT INTO models (job, text) VALUES (?1, ?2)",
    [SQL_JOB] = "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1",
    [SQL_JOBS] =
        "SELECT " JOB_COLUMNS " FROM jobs WHERE id > ?1 AND (?2 IS NULL OR state = ?2) AND "
        "(?3 IS NULL OR label = ?3) ORDER BY id LIMIT ?4",
    [SQL_JOBS_NEWEST] =
        "SELECT " JOB_COLUMNS " FROM jobs WHERE id < ?1 AND (?2 IS NULL OR state = ?2) "
        "AND (?3 IS NULL OR label = ?3) ORDER BY id DESC LIMIT ?4",
    [SQL_MODEL] = "SELECT text FROM models WHERE job = ?1",
    [SQL_RESULTS] = "SELECT body FROM results WHERE job = ?1 ORDER BY number",
    [SQL_UNFINISHED] = "SELECT " JOB_COLUMNS " FROM jobs WHERE state IN (0, 1) ORDER BY id",
    [SQL_COUNTS] = "SELECT state, count(*) FROM jobs GROUP BY state",
    [SQL_START] =
        "UPDATE jobs SET state = 1, started = ?2, attempt = attempt + 1, placed = ?3 WHERE "
        "id = ?1 AND state = 0",
    [SQL_REQUEUE] = "UPDATE jobs SET state = 0, started = NULL, placed = NULL WHERE id = ?1 AND "
                    "state IN (0, 1)",
    /* Handed to another scheduler: the attempt is counted, and the job is queued until it runs
     * there. */
    [SQL_SUBMIT] = "UPDATE jobs SET attempt = attempt + 1, placed = ?2 WHERE id = ?1 AND state = 0",
    [SQL_RUNS] = "UPDATE jobs SET state = 1, started = ?2 WHERE id = ?1 AND state = 0",
    [SQL_FINISH] =
        "UPDATE jobs SET state = ?2, ended = ?3, verdict = ?4, problem = ?5, taken = ?6, "
        "bytes = bytes + ?7 WHERE id = ?1 AND state IN (0, 1)",
    [SQL_INSERT_RESULT] = "INSERT INTO results (job, number, body) VALUES (?1, ?2, ?3)",
    [SQL_RETRY] =
        "UPDATE jobs SET state = 0, started = NULL, ended = NULL, verdict = NULL, problem "
        "= NULL, placed = NULL, taken = NULL, retried = attempt WHERE id = ?1 AND state IN (2, 3, "
        "4) RETURNING attempt",
    [SQL_DELETE_RESULTS] = "DELETE FROM results WHERE job = ?1",
    /* Bytes of one token, and of all. */
    [SQL_USAGE] =
        "SELECT coalesce(sum(bytes) FILTER (WHERE token = ?1), 0), coalesce(sum(bytes), 0) "
        "FROM usage",
    [SQL_REMOVE] = "DELETE FROM jobs WHERE id = ?1 AND state IN (2, 3, 4)",
    /* Removes one ended job that is older than the ?1 newest ones. */
    [SQL_PRUNE] = "DELETE FROM jobs WHERE id = (SELECT id FROM jobs WHERE state IN (2, 3, 4) ORDER "
                  "BY id DESC LIMIT 1 OFFSET ?1) RETURNING id",
    [SQL_FACT] = "SELECT value FROM facts WHERE name = ?1",
    [SQL_SET_FACT] = "INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE "
                     "SET value = ?2",
    [SQL_KEY] = "SELECT job, print FROM keys WHERE token = ?1 AND key = ?2 AND used >= ?3",
    [SQL_SET_KEY] =
        "INSERT OR REPLACE INTO keys (token, key, used, print, job) VALUES (?1, ?2, ?3, ?4, ?5)",
    /* A few at a time, but more than are added. */
    [SQL_FORGET_KEYS] =
        "DELETE FROM keys WHERE rowid IN (SELECT rowid FROM keys WHERE used < ?1 LIMIT 16)",
};

static int failed(omend_connection *c, om_context *ctx, const char *path)
{
    int rc = om_fail(
        ctx, OM_EIO, NULL, "%s: %s", path, c->db == NULL ? "out of memory" : sqlite3_errmsg(c->db));
    connection_close(c);
    return rc;
}

static int version_of(omend_connection *c)
{
    sqlite3_stmt *s = NULL;
    int version = -1;
    if (sqlite3_prepare_v2(c->db, "PRAGMA user_version", -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        version = sqlite3_column_int(s, 0);
    (void) sqlite3_finalize(s);
    return version;
}

static bool run(omend_connection *c, const char *sql)
{
    return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* SQLite would wait for ever for data from a FIFO. */
static int check_file(om_context *ctx, const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode)
               ? OM_OK
               : om_fail(ctx, OM_EINPUT, NULL, "%s: not a regular file", path);
}

static int check_files(om_context *ctx, const char *path)
{
    static const char *const more[] = { "", "-wal", "-shm" };
    char name[4128];
    int rc = OM_OK;
    for (size_t i = 0; rc == OM_OK && i < sizeof more / sizeof *more; i++) {
        (void) snprintf(name, sizeof name, "%s%s", path, more[i]);
        rc = check_file(ctx, name);
    }
    return rc;
}

/* Creates the missing tables in an empty database or in one of an earlier version. */
static bool upgrade(omend_connection *c, int version)
{
    return version == VERSION ||
           (version >= 0 && run(c, "BEGIN EXCLUSIVE") && (version > 0 || run(c, schema)) &&
               run(c, schema_2) && run(c, "COMMIT"));
}

int connection_open(omend_connection *c, om_context *ctx, const char *folder, bool writes)
{
    char path[4096];
    int flags = SQLITE_OPEN_NOMUTEX |
                (writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
    *c = (omend_connection){ 0 };
    if (snprintf(path, sizeof path, "%s/omend.db", folder) >= (int) sizeof path)
        return om_fail(ctx, OM_EUSAGE, NULL, "%s: the name is too long", folder);
    if (check_files(ctx, path) != OM_OK)
        return OM_EINPUT;
    if (sqlite3_open_v2(path, &c->db, flags, NULL) != SQLITE_OK)
        return failed(c, ctx, path);
    (void) chmod(path, 0600); /* SQLite gives its other files the same mode */
    (void) sqlite3_busy_timeout(c->db, BUSY_MS);
    if (!writes)
        return OM_OK;
    /* FULL: a commit survives a crash of the machine. */
    if (!run(c, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; "
                "PRAGMA wal_autocheckpoint = 4000;"))
        return failed(c, ctx, path);
    int version = version_of(c);
    if (version > VERSION) {
        connection_close(c);
        return om_fail(ctx, OM_EINPUT, NULL, "%s was written by a later version of omend", path);
    }
    return upgrade(c, version) ? OM_OK : failed(c, ctx, path);
}

void connection_close(omend_connection *c)
{
    for (size_t i = 0; i < SQL_STATEMENTS; i++)
        (void) sqlite3_finalize(c->statements[i]);
    (void) sqlite3_close(c->db);
    *c = (omend_connection){ 0 };
}

sqlite3_stmt *connection_get(omend_connection *c, omend_statement which)
{
    assert(which < SQL_STATEMENTS && texts[which] != NULL);
    sqlite3_stmt **s = &c->statements[which];
    if (*s == NULL && sqlite3_prepare_v3(
                          c->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL) != SQLITE_OK)
        return NULL;
    (void) sqlite3_reset(*s);
    (void) sqlite3_clear_bindings(*s);
    return *s;
}

sqlite3_stmt *connection_bind(omend_connection *c, omend_statement which, const char *types, ...)
{
    sqlite3_stmt *s = c == NULL ? NULL : connection_get(c, which);
    int rc = s == NULL ? SQLITE_ERROR : SQLITE_OK;
    va_list args;
    va_start(args, types);
    for (int i = 1; rc == SQLITE_OK && types[i - 1] != '\0'; i++) {
        const char type = types[i - 1];
        if (type == 'i') {
            rc = sqlite3_bind_int64(s, i, va_arg(args, int64_t));
            continue;
        }
        const void *bytes = va_arg(args, const void *);
        const size_t n = type == 't' ? 0 : va_arg(args, size_t);
        rc = type == 'b'   ? sqlite3_bind_blob64(s, i, bytes, n, SQLITE_STATIC)
             : type == 's' ? sqlite3_bind_text64(s, i, bytes, n, SQLITE_STATIC, SQLITE_UTF8)
                           : sqlite3_bind_text(s, i, bytes, -1, SQLITE_STATIC);
    }
    va_end(args);
    return rc == SQLITE_OK ? s : NULL;
}

bool connection_row(sqlite3_stmt *s)
{
    return s != NULL && sqlite3_step(s) == SQLITE_ROW;
}

bool connection_do(sqlite3_stmt *s)
{
    bool ok = s != NULL && sqlite3_step(s) == SQLITE_DONE;
    (void) sqlite3_reset(s);
    return ok;
}
