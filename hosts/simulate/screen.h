/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h: the display of omen simulate on a terminal; terminal.c handles the keys.
 *
 *  D1  The chosen transition is an enabled one: chosen < enabled_count, or 0 if none is.
 *  D2  Each text ends in its buffer.
 *  D3  The rows of transitions and variables are between the title and the last line.
 *  D4  At most one question is asked at a time.
 */
#ifndef OMEN_SIMULATE_SCREEN_H
#define OMEN_SIMULATE_SCREEN_H

#include "runs/simulate.h"

enum { CLI_LINE = 256 };

typedef struct cli_screen {
    cli *c;
    om_model *model;
    om_simulation *s;
    const uint32_t *enabled; /* transitions of the current state */
    size_t enabled_count, chosen;
    size_t scrolled; /* number of lines of variables above the first visible one */
    bool only_changed, help;
    char filter[CLI_LINE];  /* only names that contain it are shown */
    char message[CLI_LINE]; /* on the last line; "" shows the keys */
    char fault[CLI_LINE];   /* fault of the model in this state; or "" */
    char typed[CLI_LINE];   /* answer typed after `ask` */
    const char *ask;        /* NULL: no question */
} cli_screen;

/* Draws the whole screen, for any size of the terminal. */
void cli_screen_draw(cli_screen *v);
/* Returns the number of lines available for variables. */
int cli_screen_page(const cli_screen *v);

#endif
