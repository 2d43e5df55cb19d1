/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen.h: what came of trials (trial.h), kept from one process to the next, so that a file is tried
 * once: a table in omen's cache folder. A file is known by its device, inode, size and times of
 * change, and so is this library, which it was tried with.
 */
#ifndef OM_PLUGIN_SEEN_H
#define OM_PLUGIN_SEEN_H

#include <omen/plugin/base.h>

#include <sys/stat.h>

typedef struct om_seen om_seen;

/* Reads the table. Where there is none, or none that can be trusted, it is empty; OM_ENOMEM, with a
 * message. */
int om_seen__open(om_seen **out, om_context *ctx);

/* Appends why the file was refused; nothing: it passed. False: it has not been seen. */
bool om_seen__find(const om_seen *s, const struct stat *file, om_text *reason);

/* Remembers it; reason NULL: it passed. Where memory is out, it is not remembered. */
void om_seen__add(om_seen *s, const struct stat *file, const char *reason);

/* Writes the table, if anything is new and as far as the system lets it, and frees it. */
void om_seen__close(om_seen *s);

#endif
