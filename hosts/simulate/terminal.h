/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.h: declarations shared by the files of the terminal of omen simulate. */
#ifndef OMEN_SIMULATE_TERMINAL_H
#define OMEN_SIMULATE_TERMINAL_H

#include "screen.h"

typedef struct terminal {
    cli_screen v;
    bool leave;
    int empty; /* consecutive key events that could not be read */
    int rc;    /* why the terminal is left; OM_OK: by the user's request */
} terminal;

/* terminal.c */
/* Returns true if a signal or a limit has ended the program. */
bool cli_terminal_ended(terminal *t);
/* Returns the next key; ERR if there is none. `wait`: waits a moment for one. */
int cli_terminal_key(terminal *t, bool wait);

/* dialogue.c */
/* Shows a text on the last line until the next key. */
void cli_terminal_say(cli_screen *v, const char *text);
/* Shows the error message and clears it; an error that ends the program does so. */
void cli_terminal_judge(terminal *t, int rc);
/* Called after a change of the state: determines the enabled transitions, and chooses the next one
 * of the history. */
void cli_terminal_moved(terminal *t);
/* As cli_terminal_moved(), after a step with status `rc`; also shows the breakpoints that became
 * true. */
void cli_terminal_step(terminal *t, int rc);
void cli_terminal_tell(cli_screen *v);
void cli_terminal_goto(terminal *t, size_t i);
/* Takes up to `steps` steps, or up to a breakpoint. Any key interrupts it. */
void cli_terminal_run(terminal *t, uint64_t steps, bool follow);
/* Asks the question of the key and acts on the answer. Returns false if the key has no question. */
bool cli_terminal_ask(terminal *t, int key);

#endif
