/* SPDX-License-Identifier: Apache-2.0 */
/* library.h: the location of this library and of the files installed with it. */
#ifndef OM_BASE_LIBRARY_H
#define OM_BASE_LIBRARY_H

#include <omen/plugin/base.h>

/* Returns the file from which this code was loaded: the shared library, or a program that the
 * library is linked into. Borrowed for the life of the process; NULL if the system does not report
 * it. */
const char *om_library__file(void);

/* Appends the path of a file of the library: NAME in the folder omen/ beside it. The path is
 * relative to the loaded library, so an installation may be moved. Returns false, with nothing
 * appended, if it is unknown. */
bool om_library__own(om_text *out, const char *name);

#endif
