/* SPDX-License-Identifier: Apache-2.0 */
/* parent_watch.h: for the library's helper programs (child.h), which end with the process that
 * started them. */
#ifndef OM_BASE_PARENT_WATCH_H
#define OM_BASE_PARENT_WATCH_H

#include <stdbool.h>

/*
 * Starts a thread that kills this program's process group as soon as the other end of the socket
 * `fd` is closed: by the process that started the program, or by the system when that process ends
 * in any way. (A signal at the parent's death, PR_SET_PDEATHSIG, would be sent at the death of the
 * thread that started the program, and would not reach programs that a compiler starts.) Does not
 * read from the socket. Call once. Returns false if no thread can be started.
 */
bool om_watch_parent(int fd);

#endif
