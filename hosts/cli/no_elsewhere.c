/* SPDX-License-Identifier: Apache-2.0 */
/* In omen-full everything is here. */
#include "elsewhere.h"

void cli_go_elsewhere(int argc, char **argv)
{
    (void) argc;
    (void) argv;
}
