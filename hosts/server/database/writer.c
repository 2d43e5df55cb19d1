/* SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include "database/guard.h"

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

struct omend_writer {
    om_context *ctx;
    omend_connection connection;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    om_write *first, **last; /* in the order of submission */
    bool stopping;
    omend_writer_figures figures;
    omend_guard guard; /* used by the thread */
    char trouble[4300];
    _Atomic bool troubled; /* `trouble` may be read */
};

/* Interval of checks of the database's files while nothing is written. */
enum { LOOK_SECONDS = 1 };

static double now(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static bool run(omend_writer *w, const char *sql)
{
    return sqlite3_exec(w->connection.db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* A change that fails undoes its own effects, and nothing else. */
static bool apply(omend_writer *w, om_write *change)
{
    assert(sqlite3_get_autocommit(w->connection.db) == 0); /* within the transaction */
    if (!run(w, "SAVEPOINT one"))
        return false;
    if (change->apply(change, &w->connection))
        return run(w, "RELEASE one");
    (void) run(w, "ROLLBACK TO one");
    (void) run(w, "RELEASE one");
    return false;
}

/* ---- loss of the files ---- */

const char *writer_trouble(omend_writer *w)
{
    return atomic_load_explicit(&w->troubled, memory_order_acquire) ? w->trouble : NULL;
}

/* Stops all writing, even at the end: the file that has the database's name now may be a foreign
 * one. */
static void give_up(omend_writer *w)
{
    assert(w->trouble[0] != '\0' && writer_trouble(w) == NULL);
    (void) sqlite3_db_config(w->connection.db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    /* Pairs with the acquire load in writer_trouble(). */
    atomic_store_explicit(&w->troubled, true, memory_order_release);
    om_note(w->ctx, OM_NOTE_WARNING, NULL,
        "%s: omend accepts no more jobs; running jobs continue. Stop omend, restore the database "
        "and its -wal file, and start omend again",
        w->trouble);
}

static bool is_lost(omend_writer *w, bool wrote)
{
    if (writer_trouble(w) != NULL)
        return true;
    if (!guard_lost(&w->guard, wrote, w->trouble, sizeof w->trouble))
        return false;
    give_up(w);
    return true;
}

/* Handles damage that SQLite has detected itself. */
static void check_error(omend_writer *w)
{
    const int code = sqlite3_errcode(w->connection.db) & 0xff;
    if ((code != SQLITE_CORRUPT && code != SQLITE_NOTADB) || writer_trouble(w) != NULL)
        return;
    (void) snprintf(w->trouble, sizeof w->trouble, "%s: %s", w->guard.files[GUARD_MAIN].path,
        sqlite3_errmsg(w->connection.db));
    give_up(w);
}

/* Called after SQLite has written, or tried to. Returns false if its files are lost. */
static bool has_written(omend_writer *w)
{
    if (is_lost(w, true))
        return false;
    guard_take(&w->guard);
    return true;
}

/* Applies all changes from `first` on, and reports the outcome of each. */
static void commit(omend_writer *w, om_write *first)
{
    double start = now();
    om_write *applied = NULL, **end = &applied, *refused = NULL;
    uint64_t count = 0;
    bool begun = !is_lost(w, false) && run(w, "BEGIN IMMEDIATE");
    for (om_write *next; first != NULL; first = next) {
        next = first->next;
        if (begun && apply(w, first)) {
            *end = first;
            end = &first->next;
            count++;
        } else {
            first->next = refused;
            refused = first;
            /* SQLite rolls the whole transaction back by itself if the disk is full, or fails:
             * earlier changes are gone, and each later one would be a transaction of its own. */
            begun = begun && sqlite3_get_autocommit(w->connection.db) == 0;
        }
    }
    *end = NULL;
    bool done = begun && run(w, "COMMIT");
    if (refused != NULL || (applied != NULL && !done))
        check_error(w);
    if (applied != NULL && !done && writer_trouble(w) == NULL)
        om_note(
            w->ctx, OM_NOTE_WARNING, NULL, "the database: %s", sqlite3_errmsg(w->connection.db));
    /* A transaction that stayed open would make the next BEGIN fail. */
    if (sqlite3_get_autocommit(w->connection.db) == 0)
        (void) run(w, "ROLLBACK");
    done = has_written(w) && done;
    pthread_mutex_lock(&w->lock);
    w->figures.commits++;
    w->figures.changes += count;
    w->figures.seconds += now() - start;
    pthread_mutex_unlock(&w->lock);
    /* committed() may free the change. */
    for (om_write *next; applied != NULL; applied = next) {
        next = applied->next;
        applied->committed(applied, done);
    }
    for (om_write *next; refused != NULL; refused = next) {
        next = refused->next;
        refused->committed(refused, false);
    }
}

/* Waits until there is something to write, or some time has passed. */
static void wait_a_while(omend_writer *w)
{
    struct timespec until;
    (void) clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOOK_SECONDS;
    if (w->first == NULL && !w->stopping)
        (void) pthread_cond_timedwait(&w->more, &w->lock, &until);
}

static void *writer_main(void *self)
{
    omend_writer *w = self;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        wait_a_while(w);
        om_write *first = w->first;
        assert((first == NULL) == (w->last == &w->first));
        if (first == NULL && w->stopping)
            break;
        if (first == NULL) {
            pthread_mutex_unlock(&w->lock);
            (void) is_lost(w, false);
            pthread_mutex_lock(&w->lock);
            continue;
        }
        w->first = NULL;
        w->last = &w->first;
        pthread_mutex_unlock(&w->lock);
        commit(w, first);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int writer_start(omend_writer **out, om_context *ctx, const char *folder)
{
    omend_writer *w = om_alloc(om_context_heap(ctx), 1, sizeof *w);
    if (w == NULL)
        return om_fail_memory(ctx);
    w->ctx = ctx;
    w->last = &w->first;
    int rc = connection_open(&w->connection, ctx, folder, true);
    if (rc == OM_OK) {
        guard_open(&w->guard, w->connection.db, folder);
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->more, NULL);
        if (pthread_create(&w->thread, NULL, writer_main, w) == 0) {
            *out = w;
            return OM_OK;
        }
        connection_close(&w->connection);
        guard_close(&w->guard);
        rc = om_fail(ctx, OM_EIO, NULL, "cannot create a thread");
    }
    om_free(om_context_heap(ctx), w);
    return rc;
}

void writer_submit(omend_writer *w, om_write *change)
{
    pthread_mutex_lock(&w->lock);
    bool taken = !w->stopping;
    if (taken) {
        change->next = NULL;
        assert(*w->last == NULL);
        *w->last = change;
        w->last = &change->next;
        pthread_cond_signal(&w->more);
    }
    pthread_mutex_unlock(&w->lock);
    if (!taken)
        change->committed(change, false);
}

/* ---- waiting ---- */

typedef struct waiting {
    om_write write;
    om_write *inner;
    sem_t ended;
    bool done;
} waiting;

static bool apply_inner(om_write *w, omend_connection *c)
{
    waiting *self = (waiting *) (void *) w;
    return self->inner->apply(self->inner, c);
}

static void wake(om_write *w, bool done)
{
    waiting *self = (waiting *) (void *) w;
    self->done = done;
    (void) sem_post(&self->ended);
}

bool writer_wait(omend_writer *w, om_write *change)
{
    waiting self = { .write = { apply_inner, wake, NULL }, .inner = change };
    if (sem_init(&self.ended, 0, 0) != 0)
        return false;
    writer_submit(w, &self.write);
    while (sem_wait(&self.ended) != 0)
        ;
    (void) sem_destroy(&self.ended);
    return self.done;
}

void writer_stop(omend_writer *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    (void) pthread_join(w->thread, NULL);
    assert(w->first == NULL); /* every change has been answered */
    connection_close(&w->connection);
}

void writer_free(omend_writer *w)
{
    if (w == NULL)
        return;
    assert(w->stopping && w->connection.db == NULL);
    guard_close(&w->guard);
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    om_free(om_context_heap(w->ctx), w);
}

omend_writer_figures writer_figures(omend_writer *w)
{
    pthread_mutex_lock(&w->lock);
    omend_writer_figures f = w->figures;
    pthread_mutex_unlock(&w->lock);
    return f;
}
