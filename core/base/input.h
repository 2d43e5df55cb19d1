/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h: what the user names to be read. Only what cannot keep anybody waiting is opened: a
 * regular file. What may (a pipe, a terminal) is read where the user hands over a descriptor of it,
 * "-" or as shells write `<(command)`, and given up when the context is stopped.
 */
#ifndef OM_BASE_INPUT_H
#define OM_BASE_INPUT_H

#include <omen/plugin/base.h>

/* Zeroed: none. */
typedef struct om_input {
    const char *path; /* borrowed; NULL: it is not open */
    int fd;
    bool given; /* by the user: not ours to close */
} om_input;

/* OM_OK; OM_EIO with a message. */
int om_input__open(om_input *in, om_context *ctx, const char *path);
/* Reads what is there, at most n bytes; *got is 0 at the end. OM_OK; OM_EIO with a message;
 * OM_ELIMIT or OM_ESTOP, without one, when the context is stopped first. */
int om_input__read(const om_input *in, om_context *ctx, char *to, size_t n, size_t *got);
/* One that is not open is fine. */
void om_input__close(om_input *in);

#endif
