/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h: what the files of the terminal of omen simulate share. */
#ifndef OMEN_CLI_TERMINAL_H
#define OMEN_CLI_TERMINAL_H

#include "screen.h"

typedef struct terminal {
    cli_screen v;
    bool leave;
    int empty; /* keys in a row that were there and could not be read */
    int rc;    /* why it is left; OM_OK: the user wants that */
} terminal;

/* terminal.c */
/* Has somebody ended the program, or a limit? */
bool cli_terminal_ended(terminal *t);
/* The next key; ERR: there is none now. Waits a moment where `wait`. */
int cli_terminal_key(terminal *t, bool wait);

/* dialogue.c */
/* On the last line, until the next key. */
void cli_terminal_say(cli_screen *v, const char *text);
/* What went wrong is said, and forgotten; but what ends the program does. */
void cli_terminal_judge(terminal *t, int rc);
/* Behind a change of the state: what is enabled there; the transition that lies ahead is chosen. */
void cli_terminal_moved(terminal *t);
/* The same behind a step that came to `rc`, with the breakpoints that became true. */
void cli_terminal_step(terminal *t, int rc);
void cli_terminal_tell(cli_screen *v);
void cli_terminal_goto(terminal *t, size_t i);
/* So many steps, or to a breakpoint; any key interrupts it. */
void cli_terminal_run(terminal *t, uint64_t steps, bool follow);
/* What the key asks for is asked, and done; false where it asks nothing. */
bool cli_terminal_ask(terminal *t, int key);

#endif
