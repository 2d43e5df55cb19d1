/* SPDX-License-Identifier: Apache-2.0 */
/* inspector.h: decides which files may be opened. Only regular files, without blocking; root opens
 * only files that root alone can have put there (trust.h). */
#ifndef OM_PLUGIN_INSPECTOR_H
#define OM_PLUGIN_INSPECTOR_H

#include <omen/plugin/base.h>

typedef struct om_inspector {
    const om_heap *heap;
    bool strict; /* applies the rule of trust.h */
    char *path;  /* folder of the last file opened under that rule, or NULL */
    int folder;  /* the open descriptor of that folder, which is trusted; or -1 */
} om_inspector;

void om_inspector__begin(om_inspector *in, const om_heap *heap);

/* Opens the file for reading; the caller closes it. `own`: it is in the library's own folder.
 * Returns -1, with the reason in *why, on failure. */
int om_inspector__open(om_inspector *in, const char *path, bool own, om_text *why);

void om_inspector__end(om_inspector *in);

#endif
