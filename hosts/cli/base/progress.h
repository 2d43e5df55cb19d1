/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: progress on standard error, messages beside it, and the thread that shows it. */
#ifndef OMEN_CLI_PROGRESS_H
#define OMEN_CLI_PROGRESS_H

#include "base/session.h"

#include <stdatomic.h>

/* Shows the line of progress, if the user wants one. `what`: name of the activity; `now`: figures
 * of a plan, or NULL. Any thread may call this function and the next four. */
void cli_show_progress(cli *c, const char *what, const om_progress *now);
/* Removes the line. `hush`: results follow, and no line is shown until cli_allow_progress(). */
void cli_clear_progress(cli *c, bool hush);
/* Results have been written: the line may be shown again. */
void cli_allow_progress(cli *c);
/* Replaces the line of progress on standard error by a message: "omen: ", prefix and text. */
void cli_put_message(cli *c, const char *prefix, const char *text);
/* Writes a line that another program printed. */
void cli_put_line(cli *c, const char *text);
/* Writes a line of --json-lines. Returns false if it cannot be written. */
bool cli_put_progress(const om_progress *now, uint64_t memory_bytes);

/* A thread that waits for signals and shows progress. The signals stop the plan's work, or the
 * context's. */
typedef struct cli_ticker {
    cli *c;
    om_plan *plan;    /* or NULL */
    const char *what; /* constant name of the activity: "translating" */
    pthread_t thread;
    atomic_bool ending; /* relaxed: it carries no data */
    bool running;
} cli_ticker;
/* From the first ticker on, signals that end a check are blocked in every thread except the
 * ticker's. Before that they have their default effect. */
int cli_ticker_start(cli_ticker *t, cli *c, om_plan *plan, const char *what);
/* Ends the thread; nothing if it does not run. */
void cli_ticker_stop(cli_ticker *t);

#endif
