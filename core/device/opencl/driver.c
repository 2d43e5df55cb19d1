/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder for files that a driver makes. pocl compiles kernels into shared objects in a folder
 * and opens any that it finds there: a truncated object ends the process, and in /tmp/pocl, which
 * it uses if there is no home directory, any user may put one. So it gets a folder for temporary
 * files, which this session makes and removes; files worth keeping are in the library's own cache
 * (device_cache.h), from which pocl unpacks them in some 15 ms.
 *
 * A user who sets POCL_CACHE_DIR wants pocl's own cache, and gets it if it is trusted (trust.h).
 * Truncated files in it are removed.
 *
 * pocl takes the folder from the environment, once in a process: so the environment records it for
 * later sessions and for programs of this library, which share the folder. It is set before the
 * first driver is opened. Other threads may read the environment meanwhile: glibc leaves the old
 * values in place.
 */
#include "opencl.h"

#include "files/cache.h"
#include "process/object.h"
#include "once.h"
#include "process/trust.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char POCL[] = "POCL_CACHE_DIR", OURS[] = "OMEN_DRIVER_FOLDER";

/* pocl ends the process when it runs out of room; a large model takes a third of this. */
enum { ENOUGH = 32 << 20, DEPTH = 8 };

static bool has_space(const char *path)
{
    struct statvfs fs;
    return statvfs(path, &fs) != 0 || (uint64_t) fs.f_bavail * fs.f_frsize >= ENOUGH;
}

/* Some of its files are large. */
static bool may_write(void)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur >= ENOUGH;
}

/* ---- the folder of the user ---- */

static void remove_if_cut_off(int folder, const char *name)
{
    const size_t n = strlen(name);
    if (n < 3 || strcmp(name + n - 3, ".so") != 0)
        return;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || om_object__fault(fd) != NULL)
        (void) unlinkat(folder, name, 0);
    if (fd >= 0)
        (void) close(fd);
}

/* Removes truncated files; consumes the descriptor. Files in the top folder are being written by
 * other processes of this user: pocl links there, under temporary names, and moves complete files
 * into folders. */
static void weed(int folder, unsigned depth)
{
    DIR *d = fdopendir(folder);
    if (d == NULL) {
        (void) close(folder);
        return;
    }
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        int inner = -1;
        if (e->d_name[0] == '.')
            continue;
        if (e->d_type == DT_DIR && depth > 0)
            inner = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner >= 0)
            weed(inner, depth - 1);
        else if (e->d_type != DT_DIR && depth < DEPTH)
            remove_if_cut_off(dirfd(d), e->d_name);
    }
    (void) closedir(d);
}

/* Returns true if pocl may use the folder that the user named. */
static bool users_own(om_context *ctx, const char *path)
{
    char why[OM_TRUST_WHY_SIZE] = "its disk is full";
    int folder = -1;
    bool good = om_trust__own_folder(path, &folder, why) == OM_OK;
    if (good)
        weed(folder, DEPTH);
    good = good && has_space(path);
    if (!good && om_context__once(ctx, OM_ONCE_DRIVER))
        om_note(ctx, OM_NOTE_NOTICE, NULL, "pocl's own cache (%s) is not used: %s", POCL, why);
    return good;
}

/* ---- the folder of this library ---- */

static int begin(const om_heap *heap, om_work_folder *work)
{
    char why[OM_TRUST_WHY_SIZE];
    int rc = om_cache__work(heap, ENOUGH, work, why);
    if (rc == OM_OK && (setenv(POCL, work->path, 1) != 0 || setenv(OURS, work->path, 1) != 0))
        rc = OM_ENOMEM;
    return rc;
}

int om_driver__settle(om_context *ctx, om_work_folder *work, bool *none)
{
    const om_heap *heap = om_context_heap(ctx);
    const char *named = getenv(POCL), *ours = getenv(OURS);
    int rc = OM_EIO;
    *work = (om_work_folder){ .folder = -1, .lock = -1 };
    if (named != NULL && ours != NULL && strcmp(named, ours) == 0)
        rc = om_work_folder__join(work, heap, named);
    else if (named != NULL && named[0] != '\0' && users_own(ctx, named))
        rc = OM_OK;
    if (rc == OM_EIO)
        rc = begin(heap, work);
    *none = rc != OM_OK || !may_write();
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : OM_OK;
}

const char *om_driver__fault(const om_opencl *cl, const char *platform)
{
    return cl->no_folder && strstr(platform, "Portable Computing Language") != NULL
               ? "its driver has no folder for its files: disks are full, the file size limit is "
                 "too low, or other users can write to the folders"
               : NULL;
}
