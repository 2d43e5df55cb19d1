/* SPDX-License-Identifier: Apache-2.0 */
/* mind.h: for the library's own programs (child.h), which end with the process that started them.
 */
#ifndef OM_BASE_MIND_H
#define OM_BASE_MIND_H

#include <stdbool.h>

/*
 * From now on this program's process group, all that it starts included, is killed as soon as the
 * other end of the socket `fd` is closed: by whoever started it, or by the system when that process
 * ends, in whatever way. (A signal at the parent's death, PR_SET_PDEATHSIG, would come with the
 * death of the thread that started it, and reach none of the programs that a compiler starts.)
 * Nothing is read from the socket. To be called once. False: no thread can be started.
 */
bool om_mind_parent(int fd);

#endif
