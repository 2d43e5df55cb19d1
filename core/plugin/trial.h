/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial.h: opens shared objects in a child (omen-probe-plugin) before this process does. What code
 * they run when they are opened, and where the pointers of a descriptor lead, is known only then.
 */
#ifndef OM_PLUGIN_TRIAL_H
#define OM_PLUGIN_TRIAL_H

#include <omen/plugin/base.h>

/* What came of a file. */
typedef struct om_trial {
    bool tried;   /* false: no child could be started, or it could do nothing */
    bool lasts;   /* the same will come of the same file; else it depends on other things, too */
    char *reason; /* why it is to be refused, the caller's to free; NULL: it may be opened here */
} om_trial;

/*
 * Tries files, all in one child where none of them ends it. OM_OK, with a result for each; from the
 * first on that could not be tried, none is. What om_context_stopped() says, or OM_ENOMEM with a
 * message; then, too, reasons may be there.
 */
int om_trial__run(om_context *ctx, char *const *paths, size_t n, om_trial *results);

#endif
