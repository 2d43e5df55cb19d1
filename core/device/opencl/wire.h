/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire.h: the protocol between the library (compile.c) and the program that compiles for it
 * (serve.c).
 *
 * They are connected by a socket. The library sends a head and as many bytes of text, each string
 * with its NUL: the device's name and driver, the options, the source, and for each kernel its name
 * and the kinds of its arguments. The program answers with a head and the binary, or a message.
 * Both are of the same build (the program is found beside the library), so numbers are in the
 * machine's format.
 */
#ifndef OM_OPENCL_WIRE_H
#define OM_OPENCL_WIRE_H

#include <omen/plugin/base.h>

extern const char om_wire__magic[8];
enum { OM_WIRE_MOST_BYTES = 256 << 20, OM_WIRE_GLANCE_MS = 10 };

typedef struct om_question {
    char magic[8];
    uint32_t device, local, shapes, unused;
    uint64_t bytes;
} om_question;

typedef struct om_answer {
    char magic[8];
    int64_t rc; /* OM_OK if a binary follows, else a message does */
    uint64_t bytes;
} om_answer;

bool om_wire__send(int fd, const void *bytes, size_t n);

/* Returns OM_OK; OM_EIO if the other end is gone; OM_ESTOP if the context (may be NULL) is
 * stopped. */
int om_wire__receive(int fd, om_context *ctx, void *bytes, size_t n);

#endif
