/* SPDX-License-Identifier: Apache-2.0 */
/* file.h: whole files, read and written without a word: for what can be done without. */
#ifndef OM_BASE_FILE_H
#define OM_BASE_FILE_H

#include <omen/plugin/base.h>

typedef struct om_piece {
    const void *bytes;
    size_t length;
} om_piece;

/* Writes a new file of these pieces, one after the other, for this user alone. False: the system
 * refuses; a piece of it may be there then. Nor is a limit on the size of files passed, which would
 * end a process that does not ignore SIGXFSZ. */
bool om_file__write(const char *path, const om_piece *pieces, size_t count);

/* All that is in a regular file, the caller's to free; NULL: it has more than `most` bytes, the
 * system refuses, or memory is out. */
unsigned char *om_file__read(const om_heap *heap, int fd, size_t most, size_t *length);

#endif
