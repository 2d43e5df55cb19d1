/* SPDX-License-Identifier: Apache-2.0 */
/* file.h: reads and writes whole files without messages: for files that are not essential. */
#ifndef OM_BASE_FILE_H
#define OM_BASE_FILE_H

#include <omen/plugin/base.h>

typedef struct om_file_piece {
    const void *bytes;
    size_t length;
} om_file_piece;

/* Writes a new file of these pieces, one after another, readable only by this user. Returns false
 * on failure; part of the file may exist then. Does not exceed the limit on file sizes, because
 * that would terminate a process that does not ignore SIGXFSZ. */
bool om_file__write(const char *path, const om_file_piece *pieces, size_t count);

/* Returns the contents of a regular file, which the caller frees; NULL if it has more than `most`
 * bytes, reading fails, or memory runs out. */
unsigned char *om_file__read(const om_heap *heap, int fd, size_t most, size_t *length);

#endif
