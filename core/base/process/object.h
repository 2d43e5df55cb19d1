/* SPDX-License-Identifier: Apache-2.0 */
/* object.h: checks that a shared object is complete. */
#ifndef OM_BASE_OBJECT_H
#define OM_BASE_OBJECT_H

#include <omen/plugin/base.h>

/*
 * Returns an error, a constant, if the file is not a complete shared object for this kind of
 * machine, or NULL: everything that its headers describe is in the file. The loader does not check
 * this, and a process that touches a page after the end of the file is terminated by SIGBUS.
 * Because linkers write the section table last, a truncation at any position is detected. A
 * complete file may still be wrong, which only a trial or a checksum can show. The file offset of
 * the descriptor is neither used nor changed.
 */
const char *om_object__fault(int fd);

#endif
