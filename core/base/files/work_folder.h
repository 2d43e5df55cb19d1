/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work_folder.h: folders for temporary files, which are removed however the process ends.
 *
 * Such a folder has the name omen-XXXXXX and contains a file .omen-work, on which every process
 * that uses the folder holds a shared lock (flock()). The lock ends with the process, so a folder
 * whose file can be locked exclusively is unused, and om_work_folder__sweep() removes it. A folder
 * without such a file is left alone, because it may belong to another program. On a file system
 * without locks, nothing is swept.
 */
#ifndef OM_BASE_WORK_FOLDER_H
#define OM_BASE_WORK_FOLDER_H

#include <omen/plugin/base.h>

typedef struct om_work_folder {
    const om_heap *heap;
    char *path; /* NULL: no folder */
    int folder, lock;
    bool made, locked; /* by this object */
} om_work_folder;

/* Makes a folder in `parent`, which must be a trusted folder (trust.h). OM_OK; OM_EIO with errno
 * set, or OM_ENOMEM, with *w empty. */
int om_work_folder__begin(om_work_folder *w, const om_heap *heap, const char *parent);
/* Uses the folder of that path, which om_work_folder__begin() made, possibly in another process,
 * together with its other users; makes it again if it was removed. */
int om_work_folder__join(om_work_folder *w, const om_heap *heap, const char *path);

/* Removes the folder with all its files, unless others still use it; *w may be empty. */
void om_work_folder__end(om_work_folder *w);

/* Removes the unused folders of this user. `own`: only omen makes folders in `parent`, so empty
 * ones without the lock file are left over from a failure. */
void om_work_folder__sweep(const char *parent, bool own);

/* Returns "folder/name", which the caller frees; NULL: out of memory. */
char *om_work_folder__path(const om_heap *heap, const char *folder, const char *name);

#endif
