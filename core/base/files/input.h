/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h: input files named by the user. Only files that cannot block are opened: regular files.
 * Inputs that may block (pipes, terminals) are read only from a descriptor that the user passes, as
 * "-" or in the form in which shells write `<(command)`, and reading ends when the context is
 * stopped.
 */
#ifndef OM_BASE_INPUT_H
#define OM_BASE_INPUT_H

#include <omen/plugin/base.h>

/* Zeroed: not open. */
typedef struct om_input {
    const char *path; /* borrowed; NULL: not open */
    int fd;
    bool given; /* the descriptor is the user's and is not closed */
} om_input;

/* Opens an input. OM_OK; OM_EIO with a message. */
int om_input__open(om_input *in, om_context *ctx, const char *path);
/* Reads the available data, at most n bytes; *got is 0 at the end. OM_OK; OM_EIO with a message;
 * OM_ELIMIT or OM_ESTOP, without a message, if the context is stopped first. */
int om_input__read(const om_input *in, om_context *ctx, char *to, size_t n, size_t *got);
/* Closes an input, which need not be open. */
void om_input__close(om_input *in);

#endif
