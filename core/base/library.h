/* SPDX-License-Identifier: Apache-2.0 */
/* library.h: where this library lies, and with it what is installed with it. */
#ifndef OM_BASE_LIBRARY_H
#define OM_BASE_LIBRARY_H

#include <omen/plugin/base.h>

/* The file that this code was loaded from: the shared library, or a program that has it inside.
 * Borrowed for the life of the process; NULL where the system does not say. */
const char *om_library__file(void);

/* Appends the path of what the library calls its own: NAME in the folder omen/ beside it. Found
 * from the library itself, so an installation may be moved. False, with nothing appended: it is
 * unknown. */
bool om_library__own(om_text *out, const char *name);

#endif
