/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Offset of application_id in the header of SQLite's file format. */
enum { MARK_AT = 68 };

static const char magic[16] = "SQLite format 3";

/* A random application_id distinguishes this database from every copy made before this run. It is
 * in the main file's header only after the log has been copied there. */
static bool mark(omend_guard *g, sqlite3 *db)
{
    char sql[64];
    uint32_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t) sizeof number)
        return false;
    number = (number & 0x7fffffff) | 1;
    for (size_t i = 0; i < sizeof g->mark; i++)
        g->mark[i] = (unsigned char) (number >> (24 - 8 * i));
    (void) snprintf(sql, sizeof sql, "PRAGMA application_id = %u", number);
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) == SQLITE_OK;
}

static bool is_marked(const omend_guard *g)
{
    unsigned char head[GUARD_HEAD];
    const int fd = g->files[GUARD_MAIN].fd;
    return pread(fd, head, sizeof head, 0) == (ssize_t) sizeof head &&
           memcmp(head, magic, sizeof magic) == 0 &&
           memcmp(head + MARK_AT, g->mark, sizeof g->mark) == 0;
}

static bool read_log_head(const omend_guard *g, unsigned char *out)
{
    memset(out, 0, sizeof g->log_head);
    return g->files[GUARD_LOG].fd >= 0 &&
           pread(g->files[GUARD_LOG].fd, out, sizeof g->log_head, 0) >= 0;
}

static void take(omend_guarded *f)
{
    struct stat st;
    f->known = stat(f->path, &st) == 0;
    if (f->known) {
        f->device = st.st_dev;
        f->number = st.st_ino;
        f->size = st.st_size;
    }
}

void guard_open(omend_guard *g, sqlite3 *db, const char *folder)
{
    static const char *const ends[GUARD_FILES] = { "", "-wal", "-shm" };
    *g = (omend_guard){ 0 };
    const bool set = mark(g, db); /* also creates the log */
    for (size_t i = 0; i < GUARD_FILES; i++) {
        omend_guarded *f = &g->files[i];
        (void) snprintf(f->path, sizeof f->path, "%.4000s/omend.db%s", folder, ends[i]);
        f->fd = i == GUARD_INDEX ? -1 : open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    g->marked = set && is_marked(g);
    guard_take(g);
}

void guard_close(omend_guard *g)
{
    for (size_t i = 0; i < GUARD_FILES; i++)
        if (g->files[i].fd >= 0) {
            (void) close(g->files[i].fd);
            g->files[i].fd = -1;
        }
}

void guard_take(omend_guard *g)
{
    for (size_t i = 0; i < GUARD_FILES; i++)
        take(&g->files[i]);
    (void) read_log_head(g, g->log_head);
}

/* Returns what happened to a file, or NULL. */
static const char *fate_of(const omend_guarded *f)
{
    struct stat st;
    if (!f->known)
        return NULL;
    if (stat(f->path, &st) != 0)
        return "was removed";
    if (st.st_dev != f->device || st.st_ino != f->number)
        return "was replaced";
    return st.st_size < f->size ? "was overwritten" : NULL;
}

bool guard_lost(const omend_guard *g, bool wrote, char *why, size_t size)
{
    unsigned char head[sizeof g->log_head];
    for (size_t i = 0; i < GUARD_FILES; i++) {
        const char *fate = fate_of(&g->files[i]);
        if (fate == NULL && i == GUARD_MAIN && g->marked && !is_marked(g))
            fate = "was overwritten";
        if (fate == NULL && i == GUARD_LOG && !wrote && read_log_head(g, head) &&
            memcmp(head, g->log_head, sizeof head) != 0)
            fate = "was overwritten";
        if (fate != NULL) {
            (void) snprintf(why, size, "%s %s while omend was running", g->files[i].path, fate);
            return true;
        }
    }
    return false;
}
