/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust.h: opens files and folders that only root and this user can have put there or can replace;
 * for files whose contents run as this user when they are loaded.
 *
 * The rule. Every folder on the path, beginning with /, belongs to root or to the effective user,
 * and is not writable by others (its group or everyone), unless it is sticky: in a sticky folder,
 * such as /tmp, other users cannot rename or remove files of root or the user. A symbolic link is
 * followed if it belongs to root or to the user (a home folder may be reached through one), and the
 * path in it obeys the same rule; a link of another user, which a sticky folder may contain, is
 * refused. The file at the end is a regular file of root or of the user and is not writable by
 * others. Access control lists need no separate check: their permissions show in the group bits.
 *
 * There are no races. Each component is opened relative to the folder before it, without following
 * links, and is judged by its descriptor, never by its name. Afterwards only root and the user can
 * make the path lead elsewhere, so the path itself may be passed on, for example to dlopen().
 *
 * Any thread may call the functions; none allocates. They return OM_OK with *fd, which the caller
 * closes (O_CLOEXEC); OM_EIO if the system refuses (missing, not readable, or of another type);
 * OM_EINPUT if the rule refuses. `why` then has the reason as text, preceded by the path that
 * caused it.
 */
#ifndef OM_BASE_TRUST_H
#define OM_BASE_TRUST_H

#include <omen/plugin/base.h>

/* Size of `why`, in bytes. */
enum { OM_TRUST_WHY_SIZE = 512 };

/* Opens a folder for reading files from it; relative paths begin in the working folder, which must
 * obey the rule, too. *fd can be read and searched. */
int om_trust__folder(const char *path, int *fd, char *why);

/* Opens a folder of the user's own, in which other users can neither add nor replace files: missing
 * folders on the path are created with mode 0700, and the last one belongs to the user and is not
 * writable by others, sticky or not. */
int om_trust__own_folder(const char *path, int *fd, char *why);

/* Opens a regular file for reading, by its name (not a path, not a link) in a folder opened as
 * above. Never blocks on a pipe or a device. */
int om_trust__file(int folder, const char *name, int *fd, char *why);

/* The same by its path. */
int om_trust__path(const char *path, int *fd, char *why);

#endif
