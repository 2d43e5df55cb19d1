/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that makes a folder and one that sweeps synchronise only by the lock. A sweeper that
 * holds the lock removes the folder, and may acquire it before the maker does. The maker therefore
 * checks, while holding the lock, that the file that it locked still exists, and otherwise starts
 * again.
 */
#include "work_folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char LOCK[] = ".omen-work", PREFIX[] = "omen-";

enum { RANDOM = 6, TRIES = 100, DEPTH = 16 };

char *om_work_folder__path(const om_heap *heap, const char *folder, const char *name)
{
    om_text path = { .heap = heap };
    om_text_printf(&path, "%s/%s", folder, name);
    if (path.failed)
        om_text_free(&path);
    return path.text;
}

/* ---- removing ---- */

/* Opens a stream over a folder and keeps the descriptor open; NULL if it cannot be read. */
static DIR *list(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (d == NULL && fd >= 0)
        (void) close(fd);
    return d;
}

static bool empty(int folder, unsigned depth);

static bool remove_folder(int parent, const char *name, unsigned depth)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return false;
    bool good = empty(folder, depth);
    (void) close(folder);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 && good;
}

/* Removes everything in the folder except its lock file; returns true if nothing else is left. */
static bool empty(int folder, unsigned depth)
{
    DIR *d = list(folder);
    bool good = d != NULL;
    errno = 0;
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL; errno = 0) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            strcmp(e->d_name, LOCK) == 0)
            continue;
        if (unlinkat(folder, e->d_name, 0) != 0)
            good =
                errno == EISDIR && depth > 0 && remove_folder(folder, e->d_name, depth - 1) && good;
    }
    good = good && errno == 0; /* readdir() has reached the end */
    if (d != NULL)
        (void) closedir(d);
    return good;
}

/* Removes the lock file last, when the folder is otherwise empty: the next sweep completes an
 * interrupted removal. */
static void empty_all(int folder)
{
    if (empty(folder, DEPTH))
        (void) unlinkat(folder, LOCK, 0);
}

/* ---- making ---- */

/* Joins the users of an existing folder. Returns false if it is being removed (ENOENT), or if a
 * system call fails. A file system without locks is never swept. */
static bool join(om_work_folder *w)
{
    struct stat st;
    assert(w->folder < 0 && w->lock < 0);
    w->folder = open(w->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (w->folder < 0)
        return false;
    w->lock = openat(w->folder, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (w->lock < 0)
        return false;
    w->locked = flock(w->lock, LOCK_SH | LOCK_NB) == 0;
    if (!w->locked && errno != EWOULDBLOCK)
        return errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
    if (w->locked && fstat(w->lock, &st) == 0 && st.st_nlink > 0)
        return true;
    errno = ENOENT;
    return false;
}

static void let_go(om_work_folder *w)
{
    if (w->lock >= 0)
        (void) close(w->lock);
    if (w->folder >= 0)
        (void) close(w->folder);
    om_free(w->heap, w->path);
    *w = (om_work_folder){ .folder = -1, .lock = -1 };
}

/* Returns true if no other process uses the folder; without locks, true for its maker. */
static bool alone(const om_work_folder *w)
{
    return w->locked ? flock(w->lock, LOCK_EX | LOCK_NB) == 0 : w->made;
}

void om_work_folder__end(om_work_folder *w)
{
    if (w->path == NULL)
        return;
    if (alone(w)) {
        if (w->folder >= 0)
            empty_all(w->folder);
        (void) rmdir(w->path);
    }
    let_go(w);
}

/* Makes a folder of that name, which may be a pattern of mkdtemp(), and joins it. *again: a sweeper
 * removed it first. */
static int attempt(
    om_work_folder *w, const char *parent, const char *name, bool pattern, bool *again)
{
    *w = (om_work_folder){ .heap = w->heap, .folder = -1, .lock = -1 };
    w->path =
        parent == NULL ? om_strdup(w->heap, name) : om_work_folder__path(w->heap, parent, name);
    if (w->path == NULL)
        return OM_ENOMEM;
    w->made = pattern ? mkdtemp(w->path) != NULL : mkdir(w->path, 0700) == 0;
    bool there = w->made || (!pattern && errno == EEXIST);
    if (there && join(w))
        return OM_OK;
    int error = errno;
    *again = there && error == ENOENT;
    if (w->made && !*again) {
        if (w->lock >= 0)
            (void) unlinkat(w->folder, LOCK, 0);
        (void) rmdir(w->path);
    }
    let_go(w);
    errno = error;
    return OM_EIO;
}

static int begin(om_work_folder *w, const om_heap *heap, const char *parent, const char *name)
{
    const struct timespec nap = { 0, 1000000 };
    bool again = true;
    int rc = OM_EIO;
    for (int i = 0; i < TRIES && again; i++) {
        *w = (om_work_folder){ .heap = heap };
        again = false;
        rc = attempt(w, parent, name, parent != NULL, &again);
        if (again)
            (void) nanosleep(&nap, NULL);
    }
    return rc;
}

int om_work_folder__begin(om_work_folder *w, const om_heap *heap, const char *parent)
{
    return begin(w, heap, parent, "omen-XXXXXX");
}

int om_work_folder__join(om_work_folder *w, const om_heap *heap, const char *path)
{
    return begin(w, heap, NULL, path);
}

/* ---- sweeping ---- */

static bool is_ours(const char *name)
{
    return strncmp(name, PREFIX, sizeof PREFIX - 1) == 0 &&
           strlen(name) == sizeof PREFIX - 1 + RANDOM;
}

/* Removes the contents of a folder that is no longer used; returns true if that was so. */
static bool sweep_one(int folder)
{
    struct stat st;
    int lock = openat(folder, LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (lock < 0)
        return false; /* it may belong to another program */
    bool stale = fstat(lock, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                 flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (stale)
        empty_all(folder);
    (void) close(lock);
    return stale;
}

void om_work_folder__sweep(const char *parent, bool own)
{
    int at = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = at < 0 ? NULL : fdopendir(at);
    if (d == NULL && at >= 0)
        (void) close(at);
    for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        struct stat st;
        if (!is_ours(e->d_name))
            continue;
        int folder = openat(at, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0)
            continue;
        if (fstat(folder, &st) == 0 && st.st_uid == geteuid() && (sweep_one(folder) || own))
            (void) unlinkat(at, e->d_name, AT_REMOVEDIR); /* fails if it is not empty */
        (void) close(folder);
    }
    if (d != NULL)
        (void) closedir(d);
}
