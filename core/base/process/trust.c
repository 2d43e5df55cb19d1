/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule of trust.h, applied name by name: as the kernel resolves a path, but each component is
 * opened relative to the descriptor of the one before (O_PATH | O_NOFOLLOW) and judged before the
 * next step.
 *
 * T1  `at` is a folder that obeys the rule, and so did all folders on the path to it. Open
 *     descriptors are judged, so a concurrent rename has no effect. T2  `seen` + `rest` is the path
 *     still to be resolved; a link puts its target in front of `rest`, and resolution restarts from
 *     / if the target is absolute.
 */
#define _GNU_SOURCE /* O_PATH: a folder that may be searched need not be readable */
#include "trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; /* the kernel's limit */

/* The required type of the last component. */
typedef enum wanted { FOLDER, OWN_FOLDER, REGULAR } wanted;

/* The state of the resolution of a path. */
typedef struct way {
    wanted wanted;
    int at;              /* the last folder that was opened and judged, or -1 */
    char seen[PATH_MAX]; /* its path, without a trailing slash: "" is / */
    char rest[PATH_MAX]; /* the unresolved rest */
    int file;            /* the last component, if it is a file, or -1 */
    unsigned links;
    char *why;
} way;

/* ---- reasons ---- */

OM_PRINTF(3, 4) static int because(char *why, int status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (vsnprintf(why, OM_TRUST_WHY_SIZE, fmt, args) < 0)
        why[0] = '\0';
    va_end(args);
    return status;
}

/* Call it before any function that changes errno. */
static int refused_by_system(char *why, const char *before, const char *name)
{
    return because(why, OM_EIO, "%s/%s: %s", before, name, strerror(errno));
}

/* ---- the rule ---- */

static bool of_user_or_root(const struct stat *st)
{
    return st->st_uid == 0 || st->st_uid == geteuid();
}

static bool writable_by_others(const struct stat *st)
{
    return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* Returns why the rule refuses an open file or folder; NULL if it does not. */
static const char *fault_of(const struct stat *st)
{
    bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX) != 0;
    return !of_user_or_root(st)                ? "belongs to another user"
           : writable_by_others(st) && !sticky ? "can be written by other users"
                                               : NULL;
}

int om_trust__file(int folder, const char *name, int *fd, char *why)
{
    struct stat st;
    int rc = OM_OK;
    const char *fault = NULL;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return because(why, OM_EIO, "%s: %s", name, strerror(errno));
    if (fstat(file, &st) != 0)
        rc = because(why, OM_EIO, "%s: %s", name, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        rc = because(why, OM_EIO, "%s is not a regular file", name);
    else if ((fault = fault_of(&st)) != NULL)
        rc = because(why, OM_EINPUT, "%s %s", name, fault);
    if (rc == OM_OK)
        *fd = file;
    else
        (void) close(file);
    return rc;
}

/* ---- resolving a path ---- */

/* Continues from an open folder, whose path is already in `seen`. Takes ownership of the
 * descriptor. */
static int enter(way *w, int folder)
{
    struct stat st;
    const char *path = w->seen[0] == '\0' ? "/" : w->seen;
    if (w->at >= 0)
        (void) close(w->at);
    w->at = folder;
    if (fstat(folder, &st) != 0)
        return because(w->why, OM_EIO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return because(w->why, OM_EIO, "%s is not a folder", path);
    const char *fault = fault_of(&st);
    return fault == NULL ? OM_OK : because(w->why, OM_EINPUT, "%s %s", path, fault);
}

static int enter_root(way *w)
{
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    w->seen[0] = '\0';
    return root < 0 ? refused_by_system(w->why, "", "") : enter(w, root);
}

/* Removes the first name from the unresolved rest; returns false if there is none. */
static bool next_name(way *w, char name[NAME_MAX + 1], bool *too_long)
{
    size_t skip = strspn(w->rest, "/"), length = strcspn(w->rest + skip, "/");
    *too_long = length > NAME_MAX;
    if (length == 0 || *too_long)
        return false;
    memcpy(name, w->rest + skip, length);
    name[length] = '\0';
    memmove(w->rest, w->rest + skip + length, strlen(w->rest + skip + length) + 1);
    return true;
}

/* Puts the target of a link in front of the unresolved rest. */
static int follow(way *w, int link, const char *name)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(link, "", target, sizeof target);
    size_t left = strlen(w->rest);
    if (n < 0)
        return refused_by_system(w->why, w->seen, name);
    if (++w->links > MOST_LINKS || n == 0 || (size_t) n + left >= sizeof w->rest)
        return because(w->why, OM_EIO, "%s/%s: %s", w->seen, name, strerror(ELOOP));
    memmove(w->rest + n, w->rest, left + 1);
    memcpy(w->rest, target, (size_t) n);
    return target[0] == '/' ? enter_root(w) : OM_OK;
}

/* Opens a name in the current folder, only to judge it; creates the folder for OWN_FOLDER. */
static int inspect(const way *w, const char *name)
{
    const int how = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    int found = openat(w->at, name, how);
    if (found < 0 && errno == ENOENT && w->wanted == OWN_FOLDER) {
        if (mkdirat(w->at, name, 0700) != 0 && errno != EEXIST)
            return -1;
        found = openat(w->at, name, how);
    }
    return found;
}

static int step_into(way *w, int folder, const char *name)
{
    size_t used = strlen(w->seen), n = strlen(name);
    if (used + 1 + n >= sizeof w->seen) {
        (void) close(folder);
        return because(w->why, OM_EIO, "%s: %s", name, strerror(ENAMETOOLONG));
    }
    w->seen[used] = '/';
    memcpy(w->seen + used + 1, name, n + 1);
    return enter(w, folder);
}

static int end_in_file(way *w, const char *name)
{
    char reason[OM_TRUST_WHY_SIZE] = "";
    int rc = om_trust__file(w->at, name, &w->file, reason);
    return rc == OM_OK ? rc : because(w->why, rc, "%s/%s", w->seen, reason);
}

static int step(way *w, const char *name)
{
    struct stat st;
    int rc = OM_OK;
    int found = inspect(w, name);
    if (found < 0)
        return refused_by_system(w->why, w->seen, name);
    if (fstat(found, &st) != 0)
        rc = refused_by_system(w->why, w->seen, name);
    else if (S_ISLNK(st.st_mode))
        rc = of_user_or_root(&st) ? follow(w, found, name)
                                  : because(w->why, OM_EINPUT,
                                        "%s/%s is a symbolic link of another user", w->seen, name);
    else if (w->wanted != REGULAR || w->rest[strspn(w->rest, "/")] != '\0')
        return step_into(w, found, name);
    else if (!S_ISREG(st.st_mode))
        rc = because(w->why, OM_EIO, "%s/%s is not a regular file", w->seen, name);
    else
        rc = end_in_file(w, name);
    (void) close(found);
    return rc;
}

static int begin(way *w, const char *path)
{
    char here[PATH_MAX] = "";
    if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
        return because(w->why, OM_EIO, "cannot find the working folder: %s", strerror(errno));
    int n = snprintf(w->rest, sizeof w->rest, "%s/%s", here, path);
    if (n < 0 || (size_t) n >= sizeof w->rest)
        return because(w->why, OM_EIO, "%.64s...: %s", path, strerror(ENAMETOOLONG));
    return enter_root(w);
}

/* Opens the last folder of a resolved path for reading. */
static int end_in_folder(const way *w, int *fd)
{
    struct stat st;
    const char *path = w->seen[0] == '\0' ? "/" : w->seen;
    int folder = openat(w->at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return because(w->why, OM_EIO, "%s: %s", path, strerror(errno));
    if (w->wanted == OWN_FOLDER &&
        (fstat(folder, &st) != 0 || st.st_uid != geteuid() || writable_by_others(&st))) {
        (void) close(folder);
        return because(w->why, OM_EINPUT, "%s is not private to this user", path);
    }
    *fd = folder;
    return OM_OK;
}

static int go(const char *path, wanted end, int *fd, char *why)
{
    way w = { .wanted = end, .at = -1, .file = -1, .why = why };
    char name[NAME_MAX + 1];
    bool too_long = false;
    int rc = begin(&w, path);
    while (rc == OM_OK && w.file < 0 && next_name(&w, name, &too_long))
        if (strcmp(name, ".") != 0)
            rc = step(&w, name);
    if (rc == OM_OK && too_long)
        rc = because(why, OM_EIO, "%s/%.64s...: %s", w.seen, w.rest, strerror(ENAMETOOLONG));
    else if (rc == OM_OK && end != REGULAR)
        rc = end_in_folder(&w, fd);
    else if (rc == OM_OK && w.file < 0)
        rc = because(why, OM_EIO, "%s is not a regular file", w.seen[0] == '\0' ? "/" : w.seen);
    if (rc == OM_OK && end == REGULAR)
        *fd = w.file;
    if (w.at >= 0)
        (void) close(w.at);
    return rc;
}

int om_trust__folder(const char *path, int *fd, char *why)
{
    return go(path, FOLDER, fd, why);
}

int om_trust__own_folder(const char *path, int *fd, char *why)
{
    return go(path, OWN_FOLDER, fd, why);
}

int om_trust__path(const char *path, int *fd, char *why)
{
    return go(path, REGULAR, fd, why);
}
