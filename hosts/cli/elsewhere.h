/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elsewhere.h: commands that need libraries which others do not.
 *
 * libcurl with what it needs in turn, GLPK and ncurses take memory, and time at each start, as soon
 * as a program is linked to them. `omen` is not, and turns into `omen-full`, which is the same
 * program with all that beside, where a command line asks for a server, the contest's examinations
 * or a walk through a model.
 */
#ifndef OMEN_CLI_ELSEWHERE_H
#define OMEN_CLI_ELSEWHERE_H

/* Becomes omen-full where the command line may need it. Returns where it need not, and where there
 * is no such program; the commands then say so. To be called before anything is opened. */
void cli_go_elsewhere(int argc, char **argv);

#endif
