/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust.h: opens files and folders that nobody but root and this user can have put there or can
 * replace, for what would run as this user when it is loaded.
 *
 * The rule. Every folder on the way, from / on, belongs to root or to the effective user, and
 * others (its group or everybody) may not write to it, unless it is sticky: what belongs to root or
 * to the user in a sticky folder, as /tmp is, cannot be renamed or removed by others. A symbolic
 * link is followed where it belongs to root or to the user (a home may lie behind one), and the way
 * that it leads obeys the same rule; a link of another user, which a sticky folder may hold, is
 * refused. The file at the end is a regular one of root or of the user, and others may not write to
 * it. Access lists need no check of their own: what they grant shows in the bits of the group.
 *
 * No race is lost. Each component is opened in the folder before it, without following it, and
 * judged by its descriptor, never by its name. After that only root and the user can make the path
 * lead elsewhere: it may be handed on as a path, to dlopen() for one.
 *
 * All functions may be called by any thread; none allocates. They return OM_OK with *fd the
 * caller's to close (O_CLOEXEC); OM_EIO where the system gives no such thing (it is not there, it
 * may not be read, it is of another kind); OM_EINPUT where the rule refuses it. `why` then holds a
 * reason in words, with the path of what is at fault in front.
 */
#ifndef OM_BASE_TRUST_H
#define OM_BASE_TRUST_H

#include <omen/plugin/base.h>

/* Size of `why`, in bytes. */
enum { OM_TRUST_WHY_SIZE = 512 };

/* A folder to find files in; relative paths begin in the working folder, which obeys the rule, too.
 * *fd can be read and searched. */
int om_trust__folder(const char *path, int *fd, char *why);

/* A folder of the user's own, for files that others shall neither add nor replace: what is missing
 * on the way is made, with mode 0700, and the last one belongs to the user, sticky or not. */
int om_trust__own_folder(const char *path, int *fd, char *why);

/* A regular file to read, by its name (no path) in a folder from above; no link. Neither a pipe nor
 * a device is waited for. */
int om_trust__file(int folder, const char *name, int *fd, char *why);

/* The same, by its whole path. */
int om_trust__path(const char *path, int *fd, char *why);

#endif
