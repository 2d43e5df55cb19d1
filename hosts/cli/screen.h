/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h: what omen simulate shows on a terminal; terminal.c has the keys. */
#ifndef OMEN_CLI_SCREEN_H
#define OMEN_CLI_SCREEN_H

#include "simulate.h"

enum { CLI_LINE = 256 };

typedef struct cli_screen {
    cli *c;
    om_model *model;
    om_simulation *s;
    const uint32_t *enabled; /* transitions of the current state */
    size_t enabled_count, chosen;
    size_t scrolled; /* lines of variables above the first that is shown */
    bool only_changed, help;
    char filter[CLI_LINE];  /* a part of the names that are shown */
    char message[CLI_LINE]; /* on the last line; "" shows the keys */
    char fault[CLI_LINE];   /* how the model goes wrong in this state; or "" */
    char typed[CLI_LINE];   /* what is typed behind `ask`; */
    const char *ask;        /* NULL: nothing */
} cli_screen;

/* Draws all of it, whatever the size of the terminal. */
void cli_screen_draw(cli_screen *v);
/* How many lines of variables there is room for. */
int cli_screen_page(const cli_screen *v);

#endif
