/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial.h: opens shared objects in a child process (omen-probe-plugin) before this process does.
 * Only this shows the effects of the code that runs when they are opened, and the targets of the
 * pointers in a descriptor.
 */
#ifndef OM_PLUGIN_TRIAL_H
#define OM_PLUGIN_TRIAL_H

#include <omen/plugin/base.h>

/* The result for a file. */
typedef struct om_trial {
    /* False: no child could be started, or the child could do nothing. */
    bool tried;
    /* The result is a property of the file; otherwise it also depends on other things. */
    bool lasts;
    /* The reason to refuse the file, which the caller frees; NULL: this process may open it. */
    char *reason;
} om_trial;

/*
 * Tries files, all in one child unless a file terminates it. OM_OK, with a result for each file;
 * after the first file that could not be tried, none is. The status of om_context_stopped(), or
 * OM_ENOMEM with a message; then, too, results may have reasons.
 */
int om_trial__run(om_context *ctx, char *const *paths, size_t n, om_trial *results);

#endif
