/* SPDX-License-Identifier: Apache-2.0 */
/* object.h: is a shared object whole? */
#ifndef OM_BASE_OBJECT_H
#define OM_BASE_OBJECT_H

#include <omen/plugin/base.h>

/*
 * What is wrong with the file as a shared object of this kind of machine, a constant, or NULL: all
 * that its headers promise lies in it. The loader does not check, and a process that touches a page
 * behind the file's end is ended by SIGBUS; since compilers write the table of sections last, a
 * file that was cut off anywhere is found out. What is whole may still be wrong: that is for a
 * trial or a checksum to say. The descriptor's position does not matter and stays.
 */
const char *om_object__fault(int fd);

#endif
