/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h: start and end of omen and of its helper programs.
 *
 * libcurl with its dependencies, GLPK and ncurses cost memory, and time at each start, in every
 * program that is linked to them: some 6 MB, most of them libcurl's. `omen` is linked to none of
 * them. What needs one of them is a program of its own, omen-NAME, which omen executes.
 */
#ifndef OMEN_CLI_PROGRAM_H
#define OMEN_CLI_PROGRAM_H

#include "base/options.h"

/* The body of a main(): opens the session, calls run(), and exits with the status that it returns.
 */
_Noreturn void cli_program(int argc, char **argv, int (*run)(cli *c, int argc, char **argv));
/* Parses the arguments of the command, and calls run(), or prints the command's help. Returns an
 * exit status. argv starts after the command, and the element before it may be overwritten. */
int cli_run_command(cli *c, const cli_command *command, cli_run_fn *run, int argc, char **argv);

/* Replaces the process by the program omen-NAME: from the folder of helper programs, else from
 * PATH. Returns if there is none. argv[0] is for the name of the program. */
void cli_execute_helper(const char *name, char **argv);
/* Likewise, with the arguments of the command that runs. If there is no such program, says so, with
 * what it needs, and returns an exit status. */
int cli_run_helper(cli *c, const char *name, const char *needs);

#endif
