/* SPDX-License-Identifier: Apache-2.0 */
/* Returns the text for a function that lacks a `const` but does not write (execve(), writev()). */
#ifndef OMEND_BORROWED_H
#define OMEND_BORROWED_H

static inline char *borrowed(const char *text)
{
    const union {
        const char *from;
        char *to;
    } same = { .from = text };
    return same.to;
}

#endif
