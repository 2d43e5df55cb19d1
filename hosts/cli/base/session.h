/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h: one run of a program: its context, the settings that all commands have, its output.
 *
 *  S1  A session is opened once, and its watcher is started at most once.
 *  S2  The options given are given[0 .. given_count - 1], and given_count <= given_room.
 *  S3  Progress is hushed only between the first part of a result and cli_flush().
 */
#ifndef OMEN_CLI_SESSION_H
#define OMEN_CLI_SESSION_H

#include <omen/host/omen.h>

#include <pthread.h>
#include <signal.h>

enum { CLI_POSITIONALS = 2 };

typedef enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER } cli_when;

/* The settings that every command has; those of one command are in its file. */
typedef struct cli_settings {
    const char *positionals[CLI_POSITIONALS];
    size_t positional_count;
    bool json, json_lines, verbose, quiet, help;
    cli_when progress;
    om_limits limits;
} cli_settings;

/* Standard error, which may show a line of progress */
typedef struct cli_error_stream {
    pthread_mutex_t lock;
    bool terminal; /* it is a terminal */
    /* under the lock */
    bool line;   /* the last line has text */
    bool hushed; /* results are being written: no more lines */
} cli_error_stream;

/* The first bytes of a character whose other bytes are in the next piece of text */
typedef struct cli_cut {
    char bytes[4];
    size_t count;
} cli_cut;

/* An option as it was given, to be sent to a server */
typedef struct cli_given {
    const char *name, *value; /* value: NULL if the option takes none */
} cli_given;

typedef struct cli {
    om_context *ctx;
    const om_heap *heap;
    om_region region; /* for texts that live as long as the session */
    om_registry *registry;
    cli_settings set;
    char **arguments; /* of the command; ends with NULL */
    cli_given *given; /* the options among them */
    size_t given_count, given_room;
    uint64_t started_ns;
    om_watcher *watcher;    /* enforces the limits, for commands that have some; or NULL */
    cli_cut out_cut;        /* end of the text already written from `out` */
    om_text out;            /* results to be written to standard output */
    uint64_t out_until_ns;  /* deadline for `out`, set when its first part is written; or 0 */
    uint64_t remote_memory; /* memory of a server's check, for progress; 0: local check */
    cli_error_stream error_stream;
} cli;

/* Sets up standard files and signals; called before anything is opened or written. */
void cli_settle(void);
int cli_open(cli *c);
void cli_close(cli *c);
/* Opens the registry of plug-ins, unless it is open. */
int cli_open_registry(cli *c);
/* Writes notes to standard error, as after cli_open(). */
void cli_take_notes(cli *c);
/* Starts the limits of the options. The time counts from the start of the program. */
int cli_limit(cli *c);
/* Writes the context's error to standard error and returns the exit status. */
int cli_failed(cli *c, int rc);
/* Ends the program at once, with all output written, if a compiler of the plan's device is still
 * running; no result depends on it. Else, or if plan is NULL, returns the status. */
int cli_leave(cli *c, om_plan *plan, int status);
/* Sets *set to the signals that end a check. */
void cli_ending_signals(sigset_t *set);

#endif
