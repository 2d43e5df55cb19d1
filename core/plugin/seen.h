/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen.h: the results of trials (trial.h), kept across processes so that each file is tried once: a
 * table in omen's cache folder. A file is identified by its device, inode, size and times of
 * change, and so is the library that tried it.
 */
#ifndef OM_PLUGIN_SEEN_H
#define OM_PLUGIN_SEEN_H

#include <omen/plugin/base.h>

#include <sys/stat.h>

typedef struct om_seen om_seen;

/* Reads the table. It is empty if there is none, or none that can be trusted; OM_ENOMEM, with a
 * message. */
int om_seen__open(om_seen **out, om_context *ctx);

/* Appends the reason for which the file was refused; nothing if it passed. Returns false if the
 * file is not in the table. */
bool om_seen__find(const om_seen *s, const struct stat *file, om_text *reason);

/* Adds a result; reason NULL: the file passed. If memory runs out, the result is not added. */
void om_seen__add(om_seen *s, const struct stat *file, const char *reason);

/* Writes the table, if it has new entries and the system permits it, and frees it. */
void om_seen__close(om_seen *s);

#endif
