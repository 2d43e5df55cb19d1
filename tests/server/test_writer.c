/* SPDX-License-Identifier: Apache-2.0 */
/* The writer reports the state on the disk, also if SQLite rolls back a transaction itself (the
 * disk is full, or fails). */
#include "database/database.h"

#include <omen/host/omen.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A written row, or a rollback of the whole transaction. */
typedef struct step {
    om_write write;
    const char *name;
    bool gives_up;
    int told; /* 1: done, 0: not done, -1: not reported yet */
    sem_t *ended;
} step;

static bool apply(om_write *w, omend_connection *c)
{
    const step *self = (const step *) (const void *) w;
    if (self->gives_up) {
        (void) sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
        return false;
    }
    sqlite3_stmt *s = connection_get(c, SQL_SET_FACT);
    return s != NULL && sqlite3_bind_text(s, 1, self->name, -1, SQLITE_STATIC) == SQLITE_OK &&
           sqlite3_bind_text(s, 2, "1", -1, SQLITE_STATIC) == SQLITE_OK && connection_do(s);
}

static void committed(om_write *w, bool done)
{
    step *self = (step *) (void *) w;
    self->told = done ? 1 : 0;
    (void) sem_post(self->ended);
}

/* Blocks the writer until all others have been submitted, so that they form one transaction. */
typedef struct gate {
    om_write write;
    sem_t open;
} gate;

static bool wait_at(om_write *w, omend_connection *c)
{
    gate *self = (gate *) (void *) w;
    (void) c;
    while (sem_wait(&self->open) != 0)
        continue;
    return true;
}

static void passed(om_write *w, bool done)
{
    (void) w;
    (void) done;
}

static int is_there(const char *folder, om_context *ctx, const char *name)
{
    omend_connection c;
    assert_int_equal(connection_open(&c, ctx, folder, false), OM_OK);
    sqlite3_stmt *s = connection_get(&c, SQL_FACT);
    assert_non_null(s);
    assert_int_equal(sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC), SQLITE_OK);
    int there = sqlite3_step(s) == SQLITE_ROW;
    (void) sqlite3_reset(s);
    connection_close(&c);
    return there;
}

static void remove_all(const char *folder)
{
    static const char *const files[] = { "omend.db", "omend.db-wal", "omend.db-shm" };
    char path[64];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void) snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        (void) unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void gives_up(void **state)
{
    char folder[] = "/tmp/omend-writer-XXXXXX";
    om_context *ctx = NULL;
    omend_writer *w = NULL;
    sem_t ended;
    gate g = { .write = { wait_at, passed, NULL } };
    step steps[] = { { .name = "before" }, { .name = "it", .gives_up = true },
        { .name = "behind" } };
    (void) state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(writer_start(&w, ctx, folder), OM_OK);
    assert_int_equal(sem_init(&ended, 0, 0), 0);
    assert_int_equal(sem_init(&g.open, 0, 0), 0);
    writer_submit(w, &g.write);
    for (size_t i = 0; i < 3; i++) {
        steps[i].write = (om_write){ apply, committed, NULL };
        steps[i].ended = &ended;
        steps[i].told = -1;
        writer_submit(w, &steps[i].write);
    }
    (void) sem_post(&g.open);
    for (size_t i = 0; i < 3; i++)
        while (sem_wait(&ended) != 0)
            continue;
    assert_int_equal(steps[1].told, 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(steps[i].told, is_there(folder, ctx, steps[i].name));
    /* The writer continues. */
    step after = { .write = { apply, NULL, NULL }, .name = "after" };
    assert_true(writer_wait(w, &after.write));
    assert_true(is_there(folder, ctx, "after"));
    writer_stop(w);
    /* A write after the end is reported as not done. */
    step late = { .write = { apply, committed, NULL }, .name = "late", .ended = &ended };
    late.told = -1;
    writer_submit(w, &late.write);
    assert_int_equal(late.told, 0);
    writer_free(w);
    (void) sem_destroy(&ended);
    (void) sem_destroy(&g.open);
    om_context_free(ctx);
    remove_all(folder);
}

/* A change that fills the log. */
static bool apply_much(om_write *w, omend_connection *c)
{
    (void) w;
    return sqlite3_exec(c->db,
               "INSERT OR REPLACE INTO facts VALUES ('much', hex(zeroblob(600000)))", NULL, NULL,
               NULL) == SQLITE_OK;
}

/* SQLite restarts its log after it has copied 4,000 pages, which is not an external change. An
 * external change is reported, and nothing is written after it. */
static void is_guarded(void **state)
{
    char folder[] = "/tmp/omend-writer-XXXXXX", path[64];
    om_context *ctx = NULL;
    omend_writer *w = NULL;
    (void) state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(writer_start(&w, ctx, folder), OM_OK);
    for (int i = 0; i < 40; i++) {
        om_write much = { apply_much, NULL, NULL };
        assert_true(writer_wait(w, &much));
    }
    assert_null(writer_trouble(w));
    step late = { .write = { apply, NULL, NULL }, .name = "late" };
    (void) snprintf(path, sizeof path, "%s/omend.db", folder);
    assert_int_equal(unlink(path), 0);
    assert_false(writer_wait(w, &late.write));
    assert_non_null(writer_trouble(w));
    assert_non_null(strstr(writer_trouble(w), "omend.db was removed"));
    writer_stop(w);
    writer_free(w);
    om_context_free(ctx);
    remove_all(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(gives_up), cmocka_unit_test(is_guarded) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
