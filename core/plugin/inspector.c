/* SPDX-License-Identifier: Apache-2.0 */
#include "inspector.h"

#include "process/library.h"
#include "process/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void om_inspector__begin(om_inspector *in, const om_heap *heap)
{
    *in = (om_inspector){ .heap = heap, .strict = geteuid() == 0, .folder = -1 };
}

/* The library's own plug-ins are as trustworthy as the library, which is already loaded: if other
 * users can replace the library, a rule for the files beside it is useless. */
static bool library_is_trusted(void)
{
    const char *library = om_library__file();
    char why[OM_TRUST_WHY_SIZE];
    int fd = -1;
    if (library == NULL || om_trust__path(library, &fd, why) != OM_OK)
        return false;
    (void) close(fd);
    return true;
}

/* Opens the folder of the path, if it is trusted, in place of the current one; returns the file's
 * name. */
static const char *enter(om_inspector *in, const char *path)
{
    char why[OM_TRUST_WHY_SIZE];
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : (size_t) (slash - path);
    if (in->path != NULL && strncmp(in->path, path, n) == 0 && in->path[n] == '\0')
        return slash + 1;
    om_inspector__end(in);
    in->path = n == 0 ? NULL : om_strndup(in->heap, path, n);
    if (in->path != NULL && om_trust__folder(in->path, &in->folder, why) != OM_OK)
        in->folder = -1;
    return slash == NULL ? path : slash + 1;
}

/* Most files are in one folder, so the path to it is not checked for each file. A file that cannot
 * be opened by name in the folder, such as a link, may be opened by its path, which also yields the
 * reason for the message. Statuses as om_trust__path(). */
static int open_trusted(om_inspector *in, const char *path, int *fd, char *why)
{
    const char *name = enter(in, path);
    return in->folder >= 0 && om_trust__file(in->folder, name, fd, why) == OM_OK
               ? OM_OK
               : om_trust__path(path, fd, why);
}

/* Pipes and devices are not opened, because open() may block or have effects whatever its flags
 * are. */
static int open_regular(const char *path, om_text *why)
{
    struct stat st;
    int fd = -1;
    bool there = stat(path, &st) == 0;
    if (there && S_ISREG(st.st_mode))
        fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        om_text_printf(why, "cannot be opened: %s",
            there && !S_ISREG(st.st_mode) ? "it is not a regular file" : strerror(errno));
    return fd;
}

int om_inspector__open(om_inspector *in, const char *path, bool own, om_text *why)
{
    char reason[OM_TRUST_WHY_SIZE] = "";
    int fd = -1, rc = OM_OK;
    if (in->strict)
        rc = open_trusted(in, path, &fd, reason);
    if (!in->strict || (rc == OM_EINPUT && own && !library_is_trusted()))
        return open_regular(path, why);
    if (rc != OM_OK)
        om_text_printf(
            why, "%s: %s", rc == OM_EINPUT ? "is not loaded by root" : "cannot be opened", reason);
    return fd;
}

void om_inspector__end(om_inspector *in)
{
    if (in->folder >= 0)
        (void) close(in->folder);
    om_free(in->heap, in->path);
    in->folder = -1;
    in->path = NULL;
}
