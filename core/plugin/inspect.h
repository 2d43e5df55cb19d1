/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.h: which files are opened at all. Nothing but regular ones, and nothing is waited for; by
 * root only those that root alone can have put there (trust.h). */
#ifndef OM_PLUGIN_INSPECT_H
#define OM_PLUGIN_INSPECT_H

#include <omen/plugin/base.h>

typedef struct om_inspector {
    const om_heap *heap;
    bool strict; /* by the rule of trust.h */
    char *path;  /* of the folder that the last file by that rule lay in, or NULL */
    int folder;  /* which is open, as trusted; or -1 */
} om_inspector;

void om_inspector__begin(om_inspector *in, const om_heap *heap);

/* The file, to read; the caller closes it. `own`: it lies in the library's own folder. -1, with the
 * reason in *why, where it is not to be had. */
int om_inspector__open(om_inspector *in, const char *path, bool own, om_text *why);

void om_inspector__end(om_inspector *in);

#endif
