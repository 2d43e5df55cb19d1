/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h: writing of results, to standard output and to files.
 *
 *  W1  A cut character has fewer bytes than the longest character: count < sizeof bytes.
 *  W2  After the last piece of a text, no cut character is left.
 *  W3  An open file (fd >= 0) has its temporary name.
 */
#ifndef OMEN_CLI_OUTPUT_H
#define OMEN_CLI_OUTPUT_H

#include "base/session.h"

/* The drain of c->out (self: the cli), and the function that writes the rest of it. OM_OK, OM_EIO,
 * or OM_ELIMIT if the time is over; with a message. */
int cli_drain(void *self, const char *text, size_t length);
int cli_flush(cli *c);
/* Returns the time until which a result may be written (0: no limit): shortly after --timeout. */
uint64_t cli_write_until(const cli *c);
/* Returns true if a line can be written to fd without waiting for the reader. */
bool cli_writable(int fd);
/* Returns 0; or -1 with errno, which is ETIME if the time was over before the end. */
int cli_write_all(int fd, const char *text, size_t length, uint64_t until_ns);

/* A file that is written completely or not at all: it has a temporary name until it is complete. */
typedef struct cli_file {
    cli *c;
    const char *path; /* borrowed */
    om_text text;     /* the contents */
    cli_cut cut;
    om_text temporary;
    uint64_t until_ns;
    int fd;
} cli_file;
int cli_file_open(cli_file *f, cli *c, const char *path);
/* Called after each cli_file_open(), whatever that returned. rc: the status of filling the file.
 * The file exists if rc and the returned status are OM_OK. */
int cli_file_close(cli_file *f, int rc);

#endif
