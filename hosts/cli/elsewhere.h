/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elsewhere.h: commands that need libraries which other commands do not need.
 *
 * libcurl with its dependencies, GLPK and ncurses cost memory, and time at each start, in every
 * program that is linked to them. `omen` is not linked to them. For command lines that ask for a
 * server, for the contest's examinations or for a simulation it executes `omen-full`, the same
 * program with these libraries.
 */
#ifndef OMEN_CLI_ELSEWHERE_H
#define OMEN_CLI_ELSEWHERE_H

/* Replaces the process by omen-full if the command line may need it. Returns if it does not, or if
 * there is no such program; the commands then report that. Must be called before anything is
 * opened. */
void cli_go_elsewhere(int argc, char **argv);

#endif
