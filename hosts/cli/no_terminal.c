/* SPDX-License-Identifier: Apache-2.0 */
/* Used instead of terminal.c without ncurses. */
#include "simulate.h"

const char *cli_no_terminal(void)
{
    return "this omen was built without ncurses, which simulate needs on a terminal";
}

int cli_simulate_on_terminal(cli *c, om_model *model, om_simulation *s)
{
    (void) model;
    (void) s;
    return cli_failed(c, om_fail(c->ctx, OM_EUNSUPPORTED, NULL, "%s", cli_no_terminal()));
}
