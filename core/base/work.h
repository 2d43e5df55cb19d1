/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h: folders for temporary files, of which nothing stays, whatever ends the process.
 *
 * Such a folder is named omen-XXXXXX and holds a file .omen-work that everybody who works there
 * keeps a shared lock on (flock()). The lock goes with the process; so a folder that can be locked
 * for one alone is nobody's, and om_work__sweep() removes it. A folder without such a file is left
 * alone: it may be anybody's. Where a file system has no locks, nothing is swept.
 */
#ifndef OM_BASE_WORK_H
#define OM_BASE_WORK_H

#include <omen/plugin/base.h>

typedef struct om_work {
    const om_heap *heap;
    char *path; /* NULL: there is none */
    int folder, lock;
    bool made, locked; /* by this one */
} om_work;

/* Makes one in `parent`, which must be a trusted folder (trust.h). OM_OK; OM_EIO with errno set, or
 * OM_ENOMEM, with *w empty. */
int om_work__begin(om_work *w, const om_heap *heap, const char *parent);
/* The same in a folder of that path, which om_work__begin() made somewhere: together with all who
 * work there; made again where it is gone. */
int om_work__join(om_work *w, const om_heap *heap, const char *path);

/* Removes it with all files in it, unless somebody else works there; an empty one is fine. */
void om_work__end(om_work *w);

/* Removes those of this user that nobody works in any more. `own`: nobody else makes any folder
 * there, so that empty ones without the mark are what a fault has left. */
void om_work__sweep(const char *parent, bool own);

/* folder/name, the caller's to free; NULL: out of memory. */
char *om_work__path(const om_heap *heap, const char *folder, const char *name);

#endif
