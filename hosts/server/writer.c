/* SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

struct om_writer {
    om_context *ctx;
    om_connection connection;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    om_write *first, **last; /* in the order in which they came */
    bool stopping;
    om_writer_figures figures;
};

static double now(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static bool run(om_writer *w, const char *sql)
{
    return sqlite3_exec(w->connection.db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* A change that fails takes back what it did, and nothing else. */
static bool apply(om_writer *w, om_write *change)
{
    if (!run(w, "SAVEPOINT one"))
        return false;
    if (change->apply(change, &w->connection))
        return run(w, "RELEASE one");
    (void) run(w, "ROLLBACK TO one");
    (void) run(w, "RELEASE one");
    return false;
}

/* Applies all from `first`, and tells each what became of it. */
static void commit(om_writer *w, om_write *first)
{
    double start = now();
    om_write *applied = NULL, **end = &applied, *refused = NULL;
    uint64_t count = 0;
    bool begun = run(w, "BEGIN IMMEDIATE");
    for (om_write *next; first != NULL; first = next) {
        next = first->next;
        if (begun && apply(w, first)) {
            *end = first;
            end = &first->next;
            count++;
        } else {
            first->next = refused;
            refused = first;
            /* SQLite takes all of it back by itself where the disk is full, or fails: what came
             * before is not there, and what comes now would be a transaction of its own. */
            begun = begun && sqlite3_get_autocommit(w->connection.db) == 0;
        }
    }
    *end = NULL;
    bool done = begun && run(w, "COMMIT");
    if (applied != NULL && !done) {
        om_note(
            w->ctx, OM_NOTE_WARNING, NULL, "the database: %s", sqlite3_errmsg(w->connection.db));
        (void) run(w, "ROLLBACK");
    }
    pthread_mutex_lock(&w->lock);
    w->figures.commits++;
    w->figures.changes += count;
    w->figures.seconds += now() - start;
    pthread_mutex_unlock(&w->lock);
    /* Each may be gone when it has been told. */
    for (om_write *next; applied != NULL; applied = next) {
        next = applied->next;
        applied->committed(applied, done);
    }
    for (om_write *next; refused != NULL; refused = next) {
        next = refused->next;
        refused->committed(refused, false);
    }
}

static void *writer_main(void *self)
{
    om_writer *w = self;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->first == NULL && !w->stopping)
            pthread_cond_wait(&w->more, &w->lock);
        om_write *first = w->first;
        if (first == NULL)
            break;
        w->first = NULL;
        w->last = &w->first;
        pthread_mutex_unlock(&w->lock);
        commit(w, first);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

int writer_start(om_writer **out, om_context *ctx, const char *folder)
{
    om_writer *w = om_alloc(om_context_heap(ctx), 1, sizeof *w);
    if (w == NULL)
        return om_fail_memory(ctx);
    w->ctx = ctx;
    w->last = &w->first;
    int rc = connection_open(&w->connection, ctx, folder, true);
    if (rc == OM_OK) {
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->more, NULL);
        if (pthread_create(&w->thread, NULL, writer_main, w) == 0) {
            *out = w;
            return OM_OK;
        }
        connection_close(&w->connection);
        rc = om_fail(ctx, OM_EIO, NULL, "the system gives no more threads");
    }
    om_free(om_context_heap(ctx), w);
    return rc;
}

void writer_submit(om_writer *w, om_write *change)
{
    pthread_mutex_lock(&w->lock);
    bool taken = !w->stopping;
    if (taken) {
        change->next = NULL;
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

static bool apply_inner(om_write *w, om_connection *c)
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

bool writer_wait(om_writer *w, om_write *change)
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

void writer_stop(om_writer *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->stopping = true;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    (void) pthread_join(w->thread, NULL);
    connection_close(&w->connection);
}

void writer_free(om_writer *w)
{
    if (w == NULL)
        return;
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    om_free(om_context_heap(w->ctx), w);
}

om_writer_figures writer_figures(om_writer *w)
{
    pthread_mutex_lock(&w->lock);
    om_writer_figures f = w->figures;
    pthread_mutex_unlock(&w->lock);
    return f;
}
